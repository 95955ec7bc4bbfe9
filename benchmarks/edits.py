"""How small the changes are that small edits of content make: an encounter, a robot, an alternative or a mod more.

Run from the checkout's root: `python benchmarks/edits.py [worlds] [edits...]`, by default 200 worlds of `data/` with each of the edits
below. Each is a mod, and what mods add is late, unless it says otherwise, as two of them do. `tests/edited.py` says what is counted.
Of two that are not late and would have the same place one has to move: what has been `displaced` is as little as can be had, and the
rest of what has moved is what follows from it.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon

CHECKOUT = Path(__file__).parent.parent
sys.path.insert(0, str(CHECKOUT / "tests"))

from edited import Kept, compared  # noqa: E402  # of the tests

if TYPE_CHECKING:
    from collections.abc import Sequence

WORLDS = 200

CRIB = """
new_crib:
  category: fluff
  prefabs: tool_crib
  limit: {map: 1}
  maps: {galleries: common, cisterns: common, foundry: common, tinnings: common, leaf_house: common, tally_house: common}
"""

AS_SOON = "category: fluff", "category: fluff\n  late: false"
"""What makes of an encounter that a mod adds one as it is in the content itself, where nothing says that it is late."""

STORE = """
new_store:
  category: fluff
  prefabs: lone_store
  placing: centered
  limit: {map: 1}
  maps: {furrings: common, tinnings: common}
"""

DUSTER = """
new_duster: {name: duster, glyph: u, fg: "#d0b060", class: worker, category: staff, depth: 1,
  data: {hp: 3, attack: 1, sight: 4, speed: 0.5, behaviour: wander}}
"""

EDITS = {
    "encounter": {"encounters/new.yaml": CRIB},
    "encounter in caves": {"encounters/new.yaml": STORE},
    "not late": {"encounters/new.yaml": CRIB.replace(*AS_SOON)},
    "not late in caves": {"encounters/new.yaml": STORE.replace(*AS_SOON)},
    "robot": {"objects/robots.yaml": DUSTER},
    "alternative": {"legends/goods.yaml": "goods: {add: {C: {prop: {kettle_pile: 1}}}}"},
    "mod": {"encounters/new.yaml": CRIB + STORE, "objects/robots.yaml": DUSTER},
}
"""Edit -> the files of the mod that makes it."""


def main(worlds: int, edits: Sequence[str]) -> None:
    """Make every level with and without each edit, and print the tables."""
    data = CHECKOUT / "data"
    content = dungeon.load_content(data)
    for edit in edits:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in EDITS[edit].items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            _print(edit, compared(content, dungeon.load_content(data, folder), range(worlds)))


def _print(edit: str, found: dict[str, Kept]) -> None:
    """Print a table, a row for each map that has changed at all, and one for all of them."""
    print(
        f"{edit:18} {'levels':>7} {'same':>6} {'placed on':>9} {'kept':>7} {'moved each':>10} {'displaced':>9} {'entrances':>9}",
        end="",
    )
    print(f" {'exits':>7} {'objects':>8}")
    total = Kept(
        **{each.name: sum(getattr(kept, each.name) for kept in found.values()) for each in fields(Kept)}
    )
    for name, kept in [*found.items(), ("all", total)]:
        if kept.same == kept.levels:
            continue
        print(
            f"{name:18} {kept.levels:7} {kept.same:6} {kept.entered:9} {_share(kept.placements - kept.moved, kept.placements)}"
            f" {kept.moved / max(kept.entered, 1):10.2f}   {_share(kept.displaced, kept.moved)}   {_share(kept.stayed, kept.entrances)}"
            f" {_share(kept.left, kept.exits)}  {_share(kept.standing, kept.spawns)}"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:7.1%}" if whole else f"{'-':>7}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS, sys.argv[2:] or [*EDITS])
