"""Facts about a content before anything is planted in it: what its worlds had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planted_edits import Folder

    from dungeon.playtest.run import Run


@dataclass(frozen=True, slots=True)
class Base:
    """A content before planting, and averages over its worlds.

    Attributes:
        folder: The content.
        maps: Type of map -> its least depth, in order of depth.
        shares: Encounter -> share of worlds that have it.
        copies: Encounter -> copies in a world.
        prefabs: Prefab -> number placed by encounters in a world.
        objects: (kind, tag, depth) -> number in a world at that depth.
        fought: Robot -> number in a world's encounters in which there is a fight.
        locked: Word -> share of worlds with a lock of that word.
    """

    folder: Folder
    maps: dict[str, int]
    shares: dict[str, float]
    copies: dict[str, float]
    prefabs: dict[str, float]
    objects: dict[tuple[str, str, int], float]
    fought: dict[str, float]
    locked: dict[str, float]

    def many(self, kind: str, tag: str, depth: int | None = None) -> float:
        """Return the average number of objects of a kind and tag in a world, at one depth or at all depths."""
        return sum(
            count
            for (of, name, at), count in self.objects.items()
            if (of, name) == (kind, tag) and depth in (None, at)
        )

    def tags(self, kind: str) -> list[str]:
        """Return the tags of a kind that occur, sorted."""
        return sorted({tag for of, tag, _ in self.objects if of == kind})


def base_of(folder: Folder, run: Run) -> Base:
    """Return the averages over a recorded run of a content."""
    worlds = run.sql("SELECT count(*) FROM worlds").fetchall()[0][0]

    def by(query: str) -> list[tuple]:
        return run.sql(query).fetchall()

    mine = "FROM placements WHERE encounter <> ''"
    return Base(
        folder=folder,
        maps=dict(by("SELECT type, min(depth) FROM levels GROUP BY 1 ORDER BY 2, 1")),
        shares={
            name: count / worlds
            for name, count in by(f"SELECT encounter, count(DISTINCT seed) {mine} GROUP BY 1")
        },
        copies={name: count / worlds for name, count in by(f"SELECT encounter, count(*) {mine} GROUP BY 1")},
        prefabs={name: count / worlds for name, count in by(f"SELECT prefab, count(*) {mine} GROUP BY 1")},
        objects={
            (kind, tag, depth): count / worlds
            for kind, tag, depth, count in by(
                "SELECT kind, tag, depth, count(*) FROM spawns WHERE holder IS NULL GROUP BY 1, 2, 3"
            )
        },
        fought={
            tag: count / worlds
            for tag, count in by(
                "SELECT tag, count(*) FROM meetings JOIN spawns USING (seed, map, placement) "
                "WHERE fought = 1 AND kind = 'robot' GROUP BY 1"
            )
        },
        locked={
            word: count / worlds
            for word, count in by("SELECT word, count(DISTINCT seed) FROM locks GROUP BY 1")
        },
    )
