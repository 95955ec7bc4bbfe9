"""What has become of a pass."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """What has become of a pass, or of one of the things that it makes.

    Attributes:
        done: Whether it has been made.
        text: What has been made and where, or why it could not be.
    """

    done: bool
    text: str
