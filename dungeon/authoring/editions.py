"""Writing down an edition: the encounters that a game has got since the last one, as another entry of ``editions.yaml``."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING

from dungeon.content.source.reader import read_yaml
from dungeon.content.source.yaml_writer import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.content.library import Content

FILE = "editions.yaml"

HEAD = "# Which encounters the game has had since when: those that came later leave earlier ones where they are.\n"


def unlisted(content: Content) -> list[str]:
    """Return the encounters of a content that are in no edition, but those of mods, in alphabetical order."""
    listed = frozenset(chain.from_iterable(content.editions.values()))
    return sorted(
        name for name in content.encounters if name not in listed and ("encounter", name) not in content.added
    )


def with_edition(text: str, number: int, names: Iterable[str]) -> str | None:
    """Return the text of ``editions.yaml`` with another edition at its end; None if it is written so that it can't have one there.

    Args:
        text: The text as it is; empty if there is no such file.
        number: The number of the edition.
        names: The encounters that come with it.
    """
    listed = list(names)
    lines = wrap(", ".join(listed), WIDTH, initial_indent="  ", subsequent_indent="  ")
    end = "\r\n" if "\r\n" in text else "\n"
    start = text if not text or text.endswith(("\n", "\r")) else f"{text}{end}"
    found = end.join([f"{start or HEAD}{number}: [", *lines, "]", ""])
    before, after = (read_yaml(each.encode(), FILE) for each in (text, found))
    old = before.root if isinstance(before.root, dict) else {}
    is_right = before.whole and after.whole and after.root == {**old, str(number): listed}
    return found if is_right else None
