"""How much of each level stays the same after a small edit: one more encounter, robot, alternative or mod.

Run from the checkout's root: `python tests/fuzzing/edits.py [worlds] [edits...]`, by default 200 worlds of `data/` with each of the edits
below. `tests/edited.py` explains the counts. If a new encounter takes the place of another one, that one must move: such encounters are
`displaced`, which can't be avoided. Other moves are consequences.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import dungeon

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests"))
sys.path.insert(0, str(CHECKOUT / "benchmarks"))

from edited import Kept, compared, levels_of  # noqa: E402  # of the tests
from measured import Measured  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORLDS = 200
KEPT = {"placements": 0.95, "entrances": 0.95, "exits": 0.95}
"""Minimum shares of a level that stay the same; with fewer than 40 worlds the figures mean little."""

KEPT_IN_CAVES = KEPT | {"placements": 0.84}

ENOUGH = 40

CRIB = """
new_crib:
  category: fluff
  prefabs: tool_crib
  limit: {map: 1}
  maps: {galleries: common, labelling: common, cisterns: common, foundry: common, tinnings: common, leaf_house: common, tally_house: common}
"""

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

NEW = "encounters/new.yaml"


class Edit(NamedTuple):
    """An edit of `data/`.

    Attributes:
        files: File -> its text.
        is_mod: Whether the files are a mod; else they are added to the content.
        kept: Minimum shares that stay the same.
    """

    files: Mapping[str, str]
    is_mod: bool = False
    kept: Mapping[str, float] = KEPT


ROBOT = {"objects/robots.yaml": DUSTER}

EDITS = {
    "encounter": Edit({NEW: CRIB}),
    "encounter in caves": Edit({NEW: STORE}, kept=KEPT_IN_CAVES),
    "robot": Edit(ROBOT, is_mod=True),
    "alternative": Edit({"legends/goods.yaml": "goods: {add: {C: {prop: {kettle_pile: 1}}}}"}, is_mod=True),
    "mod": Edit({NEW: CRIB + STORE} | ROBOT, is_mod=True),
}


def main(worlds: int, edits: Sequence[str]) -> None:
    """Make every level with and without each edit, and print the tables."""
    noted = Measured(checks_goals=worlds >= ENOUGH)
    for name in edits:
        with tempfile.TemporaryDirectory() as folder:
            before, after = _contents(EDITS[name], Path(folder))
        found = compared(levels_of(before, range(worlds)), before, after)
        noted.add(name, sum(each.levels for each in found.values()))
        total = Kept(
            **{each.name: sum(getattr(kept, each.name) for kept in found.values()) for each in fields(Kept)}
        )
        _print(name, found, total)
        if total.same == total.levels:
            noted.fail(f"{name}: no level of {worlds} worlds has changed")
        for what, kept, of in (
            ("placements", total.placements - total.moved, total.placements),
            ("entrances", total.stayed, total.entrances),
            ("exits", total.left, total.exits),
        ):
            if of:
                noted.add(f"{name}: share of {what} kept", kept / of, least=EDITS[name].kept[what])
    noted.exit()


def _contents(edit: Edit, folder: Path) -> tuple[dungeon.Content, dungeon.Content]:
    """Return the content before and after an edit; `folder` is empty."""
    base, other = folder / "base", folder / "other"
    shutil.copytree(CHECKOUT / "data", base)
    if not edit.is_mod:
        shutil.copytree(base, other)
    for name, text in edit.files.items():
        path = other / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    before = dungeon.load_content(base)
    return before, dungeon.load_content(base, other) if edit.is_mod else dungeon.load_content(other)


def _print(edit: str, found: dict[str, Kept], total: Kept) -> None:
    """Print a row for each map that changed, and one for all maps."""
    print(
        f"{edit:18} {'levels':>7} {'same':>6} {'placed on':>9} {'kept':>7} {'moved each':>10} {'displaced':>9} {'entrances':>9}",
        end="",
    )
    print(f" {'exits':>7} {'objects':>8}")
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
