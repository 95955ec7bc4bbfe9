"""Additions to random small games: chains of locks, locked and scattered chests, companions, dressing, several maps.

A share of the games of `drawn_small` gets them, drawn from a random stream of their own, so that the other games don't change.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from drawn_at_random import CROWD
from drawn_maps import dressing
from drawn_people import company

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drawn_at_random import Sketch
    from drawn_maps import Stock, Yaml

SHARE = 0.6
"""Share of the games that get additions."""

CHAIN = ("first", "second", "third")
"""Words of locks; each may be opened by an earlier one."""

MORE_LEGEND: dict[str, Yaml] = {
    "6": {"terrain": "locked_door", "lock": "second"},
    "7": {"prop": "chest", "lock": "third", "loadout": [{"item": "coin"}]},
    "8": {"prop": "chest", "lock": "first", "chance": "50%"},
    "9": {"prop": "lever", "opens": "iron", "data": {"toggle": True}},
    "0": {"key": "any"},
    "t": {"prop": "crate", "key": "first"},
    "U": {"prop": "chest", "shift": [2, 1], "lock": "brass"},
    "b": {"prop": "chest", "group": "one", "weight": 2, "lock": "gold"},
    "d": {"item": "key", "group": "one", "opens": "gold"},
    "Z": {"terrain": "stairs_down"},
    "H": {"terrain": "glass"},
}
"""Further characters of drawings."""


class Richness:
    """The additions to one game.

    Attributes:
        luck: The random stream of the additions.
        is_rich: Whether the game gets any.
    """

    def __init__(self, number: int) -> None:
        self.luck = Random(f"richer {number}")
        self.is_rich = self.luck.random() < SHARE

    def draw(self, sketches: Mapping[str, Sketch]) -> None:
        """Add objects and terrain to drawings."""
        luck = self.luck
        for sketch in sketches.values() if self.is_rich else ():
            marks = luck.sample([*MORE_LEGEND], luck.randint(0, 3))
            for mark in marks:
                for _ in range(luck.choice((1, 1, 2))):
                    y, x = luck.randrange(sketch.height), luck.randrange(sketch.width)
                    if sketch.cells[y][x] in ("." if mark not in "6H" else ".#"):
                        sketch.cells[y][x] = mark

    def tell(self, files: dict[str, Yaml], stock: Stock, name: str) -> None:
        """Add to a game's locks, maps and encounters; `name` is the map."""
        files["legends/all.yaml"]["shared"] = files["legends/all.yaml"]["shared"] | MORE_LEGEND
        files["locks.yaml"] |= self._chain()
        files["terrain.yaml"] = files["terrain.yaml"] | {
            "glass": {"like": "wall", "glyph": "=", "diggable": False, "transparent": True}
        }
        if not self.is_rich:
            return
        luck, entry = self.luck, files["maps/all.yaml"][name]
        self._scatter(entry["population"])
        if luck.random() < 0.2:
            entry["way"] = f"{luck.choice((40, 70, 90))}%"
        if "features" in entry:
            self._extend(entry, stock)
            encounters = files["encounters/all.yaml"]
            if len(encounters) >= 2 and luck.random() < 0.7:
                company(luck, encounters, CROWD)
            self._bring(encounters, stock, name)
        if luck.random() < 0.4:
            files["world.yaml"] = {
                "start": f"{name}/1",
                "leads_to": {f"{name}/1": [f"{name}/2", f"{name}/3"], f"{name}/2": [f"{name}/3"]},
            }

    def _chain(self) -> dict[str, Yaml]:
        luck = self.luck
        openers: tuple[dict[str, Yaml], ...] = ({"item": "key"}, {"prop": "lever"}, {"robot": "guard"})
        entries: dict[str, Yaml] = {}
        for number, word in enumerate(CHAIN):
            if number and luck.random() < 0.5:
                entries[word] = {"name": word, "opened_by": {"lock": CHAIN[luck.randrange(number)]}}
                continue
            entries[word] = {"name": word, "opened_by": luck.choice(openers), "keys": luck.randint(1, 3)}
            entries[word]["consumed"] = luck.random() < 0.4
            if luck.random() < 0.5:
                entries[word]["distance"] = f"{luck.randint(0, 90)}%.."
            if luck.random() < 0.5:
                entries[word]["nested"] = f"{luck.randint(0, 100)}%"
        return entries

    def _scatter(self, population: list[Yaml]) -> None:
        luck = self.luck
        for _ in range(luck.choice((0, 1, 2))):
            lock = luck.choice(("brass", "coin", *CHAIN, "gold"))
            population.append(
                luck.choice(
                    (
                        {"prop": "chest", "lock": lock, "count": luck.randint(1, 5)},
                        {"prop": "chest", "count": 30, "loadout": [{"item": "coin", "count": 2}]},
                        {"item": "key", "opens": "gold", "count": luck.randint(1, 2)},
                        {"item": "coin", "count": luck.choice((3, 400))},
                        {"trap": "snare", "count": 20, "at": "corridors"},
                        {
                            "robot": "guard",
                            "count": 3,
                            "patrol": "2..4",
                            "followers": [{"robot": "mole", "count": 2}],
                        },
                    )
                )
            )

    def _extend(self, entry: dict[str, Yaml], stock: Stock) -> None:
        luck = self.luck
        if luck.random() < 0.4:
            words = luck.sample(CHAIN, luck.randint(1, 3))
            more = {word: {"count": luck.randint(1, 2), "on": luck.choice(("room", "way"))} for word in words}
            entry["locks"] = entry.get("locks", {}) | more
        if luck.random() < 0.5:
            entry["dressing"] = [dressing(luck, stock) for _ in range(luck.randint(1, 3))]
        for _ in range(luck.choice((0, 0, 1, 2))):
            entry["features"].append(self._feature(stock))
        if luck.random() < 0.2:
            entry["variants"] = {
                word: {"features": [self._feature(stock)], "weight": luck.randint(0, 2)}
                for word in ("one", "two")
            }
        if luck.random() < 0.2:
            entry["drops"] = {"prop": "rug", "count": "1..2"}
        if luck.random() < 0.3:
            entry["annexes"] = luck.random() < 0.5

    def _feature(self, stock: Stock) -> Yaml:
        luck = self.luck
        told: dict[str, Yaml] = luck.choice(
            (
                {"prefab": luck.choice(stock.prefabs)},
                {
                    "prefab": luck.choice(stock.prefabs),
                    "orientations": luck.choice(("r0", "r90", ["r0", "m0"])),
                },
                {"stairs": luck.choice(("up", "down"))},
                {
                    luck.choice(
                        ("blocked", "keep_out", "quiet")
                    ): f"{luck.randint(1, 30)}x{luck.randint(1, 30)}"
                },
            )
        )
        told |= luck.choice(
            (
                {},
                {"at": [luck.choice((0, 1, -1, "100%")), luck.choice((0, 1, -1, "50%"))]},
                {"from": luck.choice(("north", "south-east", "west")), "distance": luck.randint(0, 3)},
                {"at": ["50%", "50%"], "shift": [luck.randint(0, 4), luck.randint(0, 4)]},
            )
        )
        if luck.random() < 0.3:
            told[luck.choice(("far_from", "near"))] = {
                luck.choice(("entrance", "exits")): luck.randint(3, 40)
            }
        if luck.random() < 0.3:
            told["chance"] = "50%"
        if luck.random() < 0.2 and "prefab" in told:
            told["lock"] = luck.choice(("brass", "coin", *CHAIN))
        return told

    def _bring(self, encounters: dict[str, Yaml], stock: Stock, name: str) -> None:
        """Add encounters, some of which lock their place or are guaranteed."""
        luck = self.luck
        for number in range(luck.choice((0, 0, 1, 2))):
            mode = luck.choice(("enclosed", "cubby", "accessible", "centered", "embedded"))
            told: dict[str, Yaml] = {
                "category": luck.choice(("danger", "reward", "risk")),
                "placing": mode,
                "maps": {name: 1},
                "prefabs": luck.sample(stock.prefabs, 2),
            }
            if luck.random() < 0.5:
                told["lock"] = luck.choice(("brass", "coin", *CHAIN))
            if luck.random() < 0.2:
                told["guaranteed"] = True
            if luck.random() < 0.3:
                told["limit"] = {"map": luck.randint(1, 2)}
            encounters[f"more_{number}"] = told
