"""What holds for all tests."""

from hypothesis import settings

# Time limits per example would only tell how busy the machine is.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
