"""The tables of rows that recording collects, and their views: what a run stores, with names and natural keys in place of ids.

A view has its table's name in the plural. Its rows name their level or game by seed, map, bot..., so parts of a run can be put
together in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeGuard

VERSION = 5
"""Version of the views and of their files. It rises when programs that read them would have to change."""

Owner = Literal["level", "play"]
"""A table that rows of other tables belong to; also the kind of column that holds its ids."""

Ranged = Literal["seed", "integer", "cell", "flag", "real"]
"""Kinds of columns that hold numbers.

Seeds have 64 bits, other integers 32. A cell is a row or column of a map, or a number of them. A flag is 0 or 1.
"""

Kind = Literal[Owner, Ranged, "name", "text"]
"""What a column holds: the id of a level, game or name; a number; or a text."""

RANGES: dict[Ranged, tuple[float, float]] = {
    "seed": (-(2**63), 2**63 - 1),
    "integer": (-(2**31), 2**31 - 1),
    "cell": (0, 50_000),
    "flag": (0, 1),
    "real": (-1e300, 1e300),
}
"""Kind -> smallest and largest value. Maps are far smaller than 50,000 cells in height and width."""

OWNER_COLUMNS: dict[Owner, dict[str, str]] = {
    "level": {"seed": "seed", "map": "map", "type": "type", "depth": "depth"},
    "play": {"seed": "seed", "bot": "bot", "n": "game"},
}
"""Owner -> its columns that views of other tables repeat -> their names there."""

NATURAL_KEYS: dict[str, tuple[str, ...]] = {"level": ("seed", "map"), "play": ("seed", "bot", "n")}
"""Owner -> the columns that identify its rows whatever their ids are."""

SQL_TYPES: dict[Kind, str] = {
    "name": "VARCHAR",
    "seed": "BIGINT",
    "integer": "INTEGER",
    "cell": "INTEGER",
    "flag": "INTEGER",
    "real": "DOUBLE",
    "text": "VARCHAR",
}
"""Kind of column in a view -> its type in SQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of a run's table: its name, its kind, its meaning, and whether it may be empty (NULL)."""

    name: str
    kind: Kind
    text: str
    empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """A table of the rows that recording collects.

    Attributes:
        name: Its name.
        text: The meaning of a row.
        columns: Its columns. The first `keys` of them identify a row.
        keys: Number of columns that identify a row.
        is_deterministic: Whether two runs of the same worlds have the same rows; False for measured times.
    """

    name: str
    text: str
    columns: tuple[TableColumn, ...]
    keys: int = 2
    is_deterministic: bool = True

    @property
    def view(self) -> str:
        """The name of the table's view."""
        return f"{self.name}s"

    @property
    def owner(self) -> Owner | None:
        """`level` or `play` if each row of the table belongs to a level or a game; else None."""
        first = self.columns[0]
        return first.kind if first.name == first.kind and is_id(first.kind) else None

    @property
    def shown(self) -> tuple[TableColumn, ...]:
        """The columns of the view: those of the level or game that a row belongs to, then the table's own without ids."""
        own = tuple(column for column in self.columns if not is_id(column.kind))
        if not self.owner:
            return own
        names = OWNER_COLUMNS[self.owner]
        of = {column.name: column for column in TABLE_OF_VIEW[f"{self.owner}s"].columns}
        return (*(replace(of[name], name=called) for name, called in names.items()), *own)

    @property
    def order(self) -> tuple[str, ...]:
        """The columns that identify a row of the view, and by which its rows are sorted."""
        own = tuple(column.name for column in self.columns[: self.keys] if not is_id(column.kind))
        of = tuple(OWNER_COLUMNS[self.owner][name] for name in NATURAL_KEYS[self.owner]) if self.owner else ()
        return NATURAL_KEYS.get(self.name, (*of, *own))


def is_id(kind: Kind) -> TypeGuard[Owner]:
    """Tell whether columns of a kind hold ids of levels or games."""
    return kind in OWNER_COLUMNS


def _level(*columns: TableColumn) -> tuple[TableColumn, ...]:
    return TableColumn(name="level", kind="level", text="the level"), *columns


def _play(*columns: TableColumn) -> tuple[TableColumn, ...]:
    return TableColumn(name="play", kind="play", text="the game"), *columns


def _n(of: str) -> TableColumn:
    return TableColumn(name="n", kind="integer", text=f"its number among {of}, from 0")


def _name(name: str, text: str) -> TableColumn:
    return TableColumn(name=name, kind="name", text=text)


def _integer(name: str, text: str, *, empty: bool = False) -> TableColumn:
    return TableColumn(name=name, kind="integer", text=text, empty=empty)


def _cell(name: str, text: str, *, empty: bool = False) -> TableColumn:
    return TableColumn(name=name, kind="cell", text=text, empty=empty)


def _flag(name: str, text: str) -> TableColumn:
    return TableColumn(name=name, kind="flag", text=text)


_Y, _X = _cell("y", "its row"), _cell("x", "its column")

_WHERE = (
    _name("map", "the map's id"),
    _name("type", "the type of map"),
    _integer("depth", "the map's depth"),
)

TABLES = (
    RunTable(
        name="world",
        text="a world, recorded completely",
        columns=(
            TableColumn(name="seed", kind="seed", text="the world's seed"),
            TableColumn(
                name="error", kind="text", text="why it could not be made; empty if it could", empty=True
            ),
        ),
        keys=1,
    ),
    RunTable(
        name="level",
        text="a level, made or failed",
        columns=(
            TableColumn(name="id", kind="level", text="its id in other tables"),
            TableColumn(name="seed", kind="seed", text="the seed of its world"),
            _name("map", "the map's id"),
            _name("type", "the type of map"),
            _integer("depth", "the map's depth"),
            _cell("height", "rows", empty=True),
            _cell("width", "columns", empty=True),
            _cell("entrance_y", "the row of the entrance", empty=True),
            _cell("entrance_x", "the column of the entrance", empty=True),
            _integer("retries", "how often the layout was started again", empty=True),
            TableColumn(
                name="error", kind="text", text="why it could not be made; empty if it could", empty=True
            ),
        ),
        keys=1,
    ),
    RunTable(
        name="timing",
        text="the time that a stage of a level took",
        columns=_level(_name("stage", "the stage"), _integer("microseconds", "its time in microseconds")),
        is_deterministic=False,
    ),
    RunTable(
        name="exit",
        text="an exit of a level",
        columns=_level(_n("the level's exits"), _name("leads_to", "the map that the exit leads to"), _Y, _X),
    ),
    RunTable(
        name="placement",
        text="a placed copy of an encounter, or a placed prefab of the map's own",
        columns=_level(
            _n("the level's placements"),
            _name("encounter", "the encounter; empty for a prefab placed for the map itself"),
            _name("category", "its category"),
            _name("prefab", "the prefab; empty if there is none"),
            _name("mode", "the placing mode"),
            _name("orientation", "the prefab's orientation"),
            _integer("region", "the id of the region that it is in; 0 if there is none"),
            _Y,
            _X,
            _cell("height", "the rows it covers"),
            _cell("width", "the columns it covers"),
            _integer("copy", "the number of this copy of the encounter on the level, from 1"),
            _name("variant", "the encounter's variant; empty if it has none"),
        ),
    ),
    RunTable(
        name="refusal",
        text="something that was refused, mostly an encounter",
        columns=_level(
            _n("the level's refusals"),
            _name("stage", "the stage that made the refusal"),
            _name("subject", "what was refused, mostly an encounter"),
            _name("reason", "the reason in words"),
        ),
    ),
    RunTable(
        name="refused_spot",
        text="the number of spots that one rule excluded, in a refusal",
        columns=_level(
            _integer("refusal", "the refusal's number `n`"),
            _integer("n", "the rule's number within the refusal, from 0"),
            _name("rule", "the rule"),
            _integer("count", "the number of positions that the rule excluded"),
        ),
        keys=3,
    ),
    RunTable(
        name="spawn",
        text="an object on the map, or an item held by a robot or prop",
        columns=_level(
            _n("the level's spawns; held items come last"),
            _name("kind", "prop, trap, robot, item, debris, or one that the content declares"),
            _name("base", "the built-in kind: the kind itself, or the one that it is like"),
            _name("tag", "the object's tag in the catalog"),
            _name("source", "the prefab and character, or the map, that the object comes from"),
            _Y,
            _X,
            _integer(
                "placement",
                "the number `n` of the placement that the object belongs to; empty if there is none",
                empty=True,
            ),
            _integer(
                "holder",
                "the number `n` of the robot or prop that holds the item; empty if none does",
                empty=True,
            ),
        ),
    ),
    RunTable(
        name="metric",
        text="a measurement of a level: see `dungeon.Metrics`",
        columns=_level(
            _name("metric", "the name of the measurement"),
            TableColumn(name="value", kind="real", text="its value"),
        ),
    ),
    RunTable(
        name="lock",
        text="a lock that something on the level can open",
        columns=_level(
            _n("the level's locks, doors first"),
            _name("word", "the name of the lock (its word)"),
            _name("what", "what is locked: door, box or portal"),
            _Y,
            _X,
            _integer(
                "sphere",
                "the sphere (round of opening locks) in which the lock is opened; empty if never",
                empty=True,
            ),
            _integer(
                "distance",
                "steps to the nearest object that opens the lock; empty if none is reached",
                empty=True,
            ),
        ),
    ),
    RunTable(
        name="key",
        text="an object and the name of locks that it opens",
        columns=_level(
            _integer("spawn", "the number `n` of the object in `spawns`"),
            _name("word", "the name of the locks that the object opens"),
            _flag("consumed", "1 if the object is used up by one lock"),
            _integer(
                "sphere", "the sphere after which the object can be reached; empty if never", empty=True
            ),
        ),
        keys=3,
    ),
    RunTable(
        name="play",
        text="a game of a bot, played or failed",
        columns=(
            TableColumn(name="id", kind="play", text="its id in other tables"),
            TableColumn(name="seed", kind="seed", text="the seed of its world"),
            _name("bot", "the bot"),
            _integer("n", "the number of the bot's game in that world, from 0; also the game's seed"),
            _name("ending", "victory, death, gave up or failed"),
            _integer("actions", "number of actions", empty=True),
            _integer("turns", "number of turns", empty=True),
            _name("map", "the id of the map on which the game ended; empty if it failed"),
            _name("type", "the type of that map"),
            _integer("depth", "the depth of that map", empty=True),
            _integer("y", "the player's row at the end", empty=True),
            _integer("x", "the player's column at the end", empty=True),
            _name("killer", "the encounter that killed the player; empty if none did"),
            _name("killer_tag", "the robot or trap that killed the player; empty if none did"),
            TableColumn(
                name="error",
                kind="text",
                text="why the game could not be played; empty if it could",
                empty=True,
            ),
        ),
        keys=1,
    ),
    RunTable(
        name="visit",
        text="a map that the player entered in a game",
        columns=_play(
            _n("the maps of the game, in order of first arrival"),
            *_WHERE,
            _integer("turn", "the turn of the first arrival"),
            _integer("turns", "all turns spent on the map"),
            _integer("hp", "the player's hit points at the first arrival"),
            _integer("hp_lost", "the hit points lost on the map"),
            _integer("gained", "the number of items taken on the map"),
            _integer("used", "the number of items used up or fitted on the map"),
            _integer("charge", "the player's charge at the first arrival; 0 in games without charge"),
            _integer("charged", "the charge gained on the map"),
            _integer("spent", "the charge lost on the map"),
            _flag("died", "1 if the player died on the map"),
        ),
    ),
    RunTable(
        name="event",
        text="all events of one kind about one robot, trap or item on a map in a game",
        columns=_play(
            _n("such rows of the game, in order of their first event"),
            *_WHERE,
            _name("kind", "the kind of event, such as hurt: see `dungeon.playtest.game.Event`"),
            _name("tag", "the tag of the robot, trap or item"),
            _integer("count", "the number of events"),
            _integer("amount", "the sum of their amounts, such as the damage"),
        ),
    ),
    RunTable(
        name="meeting",
        text="an encounter on a map that events of a game name",
        columns=_play(
            _n("the encounters of the game, in order of their first event"),
            *_WHERE,
            _integer("placement", "the placement's number on the level, `n` of `placements`"),
            _name("encounter", "the encounter"),
            _integer("robots", "number of robots placed with the encounter"),
            _integer(
                "seen",
                "the turn on which the encounter's ground first came in sight; empty if it never did",
                empty=True,
            ),
            _flag("met", "1 if the player stepped on the encounter's ground"),
            _flag("seen_afar", "1 if the encounter was seen, but the player never stepped on its ground"),
            _flag("fought", "1 if the player and a robot of the encounter exchanged a blow"),
            _flag("won", "1 if all robots of the encounter that fought were destroyed"),
            _flag(
                "fled",
                "1 if the encounter was fought, or met while it had robots, and the player neither won nor died of it",
            ),
            _integer("hp_lost", "the hit points lost to the encounter's robots and traps"),
            _integer("turns", "the turns spent on the encounter's ground"),
            _integer("gained", "the number of the encounter's items that were taken"),
            _flag("died", "1 if the encounter killed the player"),
        ),
    ),
)
"""All tables of results; a table comes after those that it refers to."""

TABLE_OF_VIEW = {table.view: table for table in TABLES}


def failures_sql(view: str) -> str:
    """Return the SELECT of all failures in a view (worlds, levels or plays), each with a command that shows it."""
    what, command = "seed, map, 'level' AS what", "'dungeon show ' || map || ' --seed ' || seed"
    if view != "levels":
        what = f"seed, NULL AS map, '{'world' if view == 'worlds' else 'game'}' AS what"
        command = "'dungeon playtest --worlds 1 --seed ' || seed || ' --out world' || seed || (SELECT games FROM run)"
    return f"SELECT {what}, error, {command} || (SELECT arguments FROM run) AS command FROM {view} WHERE error IS NOT NULL"


FAILING = ("worlds", "levels", "plays")
"""Views whose rows may be failures."""

FAILURES = " UNION ALL ".join(map(failures_sql, FAILING))
"""The SELECT of the view `failures`, over these views and the table `run`."""

VIEWS = (*TABLE_OF_VIEW, "failures")
"""The names of all views."""
