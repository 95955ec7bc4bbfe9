"""The public names for plugins (modules that add layouts and placing modes). `docs/extend.md` shows how to write one.

A plugin is a module that calls `register_layout` or `register_placing` when it is imported. It should use only the names
here and in `dungeon`. Built-in layouts and modes are registered first: a plugin can't use their names.
"""

from __future__ import annotations

from dungeon.core.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
