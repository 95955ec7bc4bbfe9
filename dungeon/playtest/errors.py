"""What keeps a run from being recorded or read."""

from __future__ import annotations


class PlaytestError(Exception):
    """A run can't be recorded or read; the message says why, and what to do."""
