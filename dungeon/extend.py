"""All that plugins need: layouts, placing modes, and what these are given. `docs/extend.md` shows how they are written.

A plugin is a module that calls `register_layout` or `register_placing` when it is imported. Nothing in this library that is
not named here, or in `dungeon`, is meant for plugins.
"""

from __future__ import annotations

import dungeon.generation.built_in  # noqa: F401  # so that a plugin which takes one of its names is the one to be told
from dungeon.core.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
