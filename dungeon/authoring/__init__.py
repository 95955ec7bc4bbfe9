"""The workshop of authors: what content means, whether it is sound, and writing it down in other forms."""

import dungeon.generation  # noqa: F401  # registers the layouts and placing modes that content names
