"""Where content is remembered, unless a game says."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder of this user in which programs may keep what they can make again.

    It is ``tcod-dungeon`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, and on Windows in ``%LOCALAPPDATA%``; None where the
    user has no home. Nothing is made there before something is written.

    Args:
        environment: The environment variables, if not the process's own.
    """
    known = os.environ if environment is None else environment
    base = known.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    # A path that is not absolute is to be ignored, says the XDG base directory specification.
    if Path(base).is_absolute():
        return Path(base, "tcod-dungeon")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("AppData/Local" if sys.platform == "win32" else ".cache") / "tcod-dungeon"
