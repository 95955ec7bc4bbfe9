"""A probe that invents the results of games, so that the findings of a report are known beforehand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from dungeon.playtest.recording.probes import recorded_levels

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dungeon import Level, World
    from dungeon.playtest.recording.rows import RowCollector


ROOM = """\
  map: |
    .....
    .R.R.
    .....
  legend:
    R: {robot: NAME}
"""

ROOMS = {"den": "hound", "closet": "sweeper", "office": "clerk", "lair": "mouser", "stable": "mule"}
"""Encounter -> its robot."""

DENS = {
    "objects/robots.yaml": """\
sweeper: {name: sweeper, glyph: s, class: worker, category: staff, depth: 1, threat: 1}
hound: {name: hound, glyph: h, class: hunter, category: security, depth: 1, threat: 2, data: {hp: 6, attack: 2}}
clerk: {name: clerk, glyph: c, class: worker, category: staff, depth: 1, threat: 1}
mouser: {name: mouser, glyph: m, class: hunter, category: security, depth: 1, threat: 2}
mule: {name: mule, glyph: u, class: worker, category: staff, depth: 1, threat: 1.5}
""",
    "prefabs/dens.yaml": "".join(f"{room}:\n{ROOM.replace('NAME', robot)}" for room, robot in ROOMS.items()),
    "encounters/dens.yaml": "".join(
        f"{room}: {{category: danger, prefabs: {room}, maps: {{cellars: common}}}}\n" for room in ROOMS
    ),
}
"""Rooms of two robots each: changes to content for which games may be made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invented:
    """Makes levels as `generation` does, and games in which bots walk through all maps, meet all that is there and take all items.

    Attributes:
        harm: Robot -> the most hit points that one takes; each takes from none to that.
        stuck: The map on which every bot gives up; empty for none.
        unmet: An encounter that no bot meets.
        hp: How many hit points a bot has.
        bots: The bots; they fare alike.
    """

    harm: Mapping[str, int] = field(default_factory=dict)
    stuck: str = ""
    unmet: str = ""
    hp: int = 30
    bots: tuple[str, ...] = ("cautious", "hasty")

    def __call__(self, world: World, asked: Collection[str], rows: RowCollector) -> None:
        levels = list(recorded_levels(world, asked, rows))
        for bot in self.bots:
            self._play(world, levels, bot, Random(f"{world.seed} {bot}"), rows)

    def _play(self, world: World, levels: list[Level], bot: str, luck: Random, rows: RowCollector) -> None:
        hp, killer = self.hp, ("", "")
        visits, meetings, events = [], [], []
        for turn, level in enumerate(levels):
            where = *map(rows.name, (level.id, level.name)), level.depth
            before = hp
            for number, placement in enumerate(level.placements):
                if placement.encounter in ("", self.unmet):
                    continue
                tags = [
                    each.tag for each in level.spawns if each.placement == number and each.kind == "robot"
                ]
                lost = 0
                for tag in tags:
                    hit = luck.randint(0, self.harm.get(tag, 0))
                    lost += hit
                    events.append((*where, rows.name("hurt"), rows.name(tag), 1, hit))
                    if lost >= hp and killer == ("", ""):
                        killer = placement.encounter, tag
                dead = lost >= hp
                hp = max(0, hp - lost)
                fought = int(lost > 0)
                flags = 1, 0, fought, fought - dead, 0
                about = number, rows.name(placement.encounter), len(tags), turn
                meetings.append((*where, *about, *flags, lost, len(tags), 0, int(dead)))
                if dead:
                    break
            events.append((*where, rows.name("faced"), rows.name("door"), 1 + level.depth, 0))
            loot = Counter(each.tag for each in level.spawns if each.kind == "item")
            events += [(*where, rows.name("gained"), rows.name(tag), count, 0) for tag, count in loot.items()]
            visits.append(
                (*where, turn, 10, before, before - hp, 2, 1, 90, 30, 10 * level.depth, int(hp == 0))
            )
            if not hp or level.id == self.stuck:
                break
        ending = "death" if not hp else "gave up" if level.id == self.stuck else "victory"
        end = rows.name(ending), 10, 10, *where, *level.entrance, *map(rows.name, killer), None
        play = rows.number("play", world.seed, rows.name(bot), 0, *end)
        for table, found in (("visit", visits), ("meeting", meetings), ("event", events)):
            for n, row in enumerate(found):
                rows.add(table, play, n, *row)
