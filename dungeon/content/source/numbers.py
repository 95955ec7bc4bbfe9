"""What a text without quotes means: nothing, true or false, a number, or the word itself."""

from __future__ import annotations

import math
import re

INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,14})")
EXPONENT = "[eE][-+]?[0-9]{1,3}"
FRACTION = "[0-9]{1,400}"
"""What may follow the point: no number that a program writes in full has more digits."""

FLOAT = re.compile(rf"[-+]?(\.{FRACTION}|(0|[1-9][0-9]{{0,14}})\.({FRACTION})?)({EXPONENT})?")
POWER = re.compile(INT.pattern + EXPONENT)
"""Numbers that YAML takes for words, because there is no point in them."""

NUMBER_BEGINS = "-+.0123456789"
WORDS: dict[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}


def resolve(text: str) -> object:
    """Return what a plain scalar means: nothing, a boolean, a number, or the word itself.

    Numbers have no leading zeros, at most 15 digits before the point, and an end; anything else that looks like one
    stays a word, so that it is shown as written where a number is needed.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] in NUMBER_BEGINS:
        if INT.fullmatch(text):
            return int(text)
        if FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
            return number
    return text


def as_number(raw: object) -> object:
    """Return what a text means where a number is needed, if it is one: also ``1e-3``. What is no text stays as it is."""
    if not isinstance(raw, str):
        return raw
    if POWER.fullmatch(raw) and math.isfinite(number := float(raw)):
        return number
    return resolve(raw)
