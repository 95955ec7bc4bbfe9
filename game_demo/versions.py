"""The installed version of the library, with which the game comes."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Return the version, such as ``0.2.0``; ``unknown`` if the game is run from a checkout that is not installed."""
    try:
        return version("tcod-dungeon")
    except PackageNotFoundError:
        return "unknown"
