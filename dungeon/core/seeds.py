"""What may stand for a seed: a whole number, or text that a player has typed."""

from __future__ import annotations

import operator
import re
from typing import SupportsIndex

from dungeon.core.streams import digest

MOST_BITS = 1024
"""So long a seed may be: to be printed, a number must have an end."""

TEXT_BITS = 53
"""What text comes to has so many bits: every format, database and language keeps such a number as it is."""

NUMBER = re.compile(r"-?[0-9]{1,308}")
"""The text of a number that has no more than `MOST_BITS`, for these are 309 digits."""


def seed_of(seed: SupportsIndex | str) -> int:
    """Return the number that a seed stands for.

    Text that is a whole number, such as ``"7"``, stands for that number. Any other text stands for a number from 0 to
    2**53 - 1 that is made from it by BLAKE2b, on every machine and in every process the same.

    Args:
        seed: A whole number, of numpy as well; or text.

    Raises:
        TypeError: It is neither.
        ValueError: The text is empty, or the number has more than 1024 bits.
    """
    if isinstance(seed, str):
        if not seed:
            raise ValueError("a seed can't be empty text; any letter, word or number is one")
        return int(seed) if NUMBER.fullmatch(seed) else digest("seed", seed) >> (128 - TEXT_BITS)
    if isinstance(seed, bool) or not hasattr(type(seed), "__index__"):
        raise TypeError(f"a seed is a whole number or text, not {seed!r}")
    number = int(operator.index(seed))  # a numpy integer would name other streams
    if number.bit_length() > MOST_BITS:
        raise ValueError(f"a seed has at most {MOST_BITS} bits, not {number.bit_length()}")
    return number
