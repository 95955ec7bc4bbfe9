"""All that plugins need: layouts, placing modes, and what these are given. `docs/extend.md` shows how they are written.

A plugin is a module that calls `register_layout` or `register_placing` when it is imported. Nothing in this library that is
not named here, or in `dungeon`, is meant for plugins. The library's own layouts and modes are registered before those of a
plugin, so that a plugin which takes one of their names is the one to be told.
"""

from __future__ import annotations

from dungeon.core.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
