"""What a run holds: its tables, and the views of them in which names are written out.

Tables are narrow: whatever is a word is a number in them, which `name` tells. Views are for readers, and have the same
name in the plural. Both are written in the SQL that SQLite and DuckDB have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeGuard

VERSION = 3
"""Of the tables. It grows whenever programs that read them would have to know."""

Owner = Literal["level", "play"]
"""A table to whose rows those of other tables belong, and the kind of the columns that hold their ids."""

Ranged = Literal["seed", "integer", "cell", "flag", "real"]
"""What a column of numbers holds. Seeds have 64 bits, other integers 32; a cell is a row or column of a map, or how many; a flag is 0 or 1."""

Kind = Literal[Owner, Ranged, "name", "text"]
"""What a column holds: the id of a level or play, that of a name, or what it says."""

RANGES: dict[Ranged, tuple[float, float]] = {
    "seed": (-(2**63), 2**63 - 1),
    "integer": (-(2**31), 2**31 - 1),
    "cell": (0, 50_000),
    "flag": (0, 1),
    "real": (-1e300, 1e300),
}
"""Kind -> the least and the most that it may be; a map is far smaller than 50,000."""

SHOWN: dict[Owner, dict[str, str]] = {
    "level": {"seed": "seed", "map": "map", "type": "type", "depth": "depth"},
    "play": {"seed": "seed", "bot": "bot", "n": "game"},
}
"""What the views of other tables tell of the row to which theirs belong: its columns, and what they are called there."""

KNOWN_BY: dict[str, tuple[str, ...]] = {"level": ("seed", "map"), "play": ("seed", "bot", "n")}
"""The columns that tell rows of such a table apart, whatever ids they have been given."""

SQL_TYPES: dict[Kind, str] = {
    "level": "INTEGER",
    "play": "INTEGER",
    "name": "INTEGER",
    "seed": "BIGINT",
    "integer": "INTEGER",
    "cell": "INTEGER",
    "flag": "INTEGER",
    "real": "DOUBLE",
    "text": "VARCHAR",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column: its name, what it holds, what that means, and whether it may be empty."""

    name: str
    kind: Kind
    text: str
    empty: bool = False

    @property
    def sql(self) -> str:
        """How it is declared."""
        return f'"{self.name}" {SQL_TYPES[self.kind]}{"" if self.empty else " NOT NULL"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """A table.

    Attributes:
        name: What it is called.
        text: What a row of it is.
        columns: Its columns; the first `keys` of them tell its rows apart, and bring them in order.
        is_told: Whether it is the same for every run of the same worlds: what a clock has measured is not.
    """

    name: str
    text: str
    columns: tuple[TableColumn, ...]
    keys: int = 2
    is_told: bool = True

    @property
    def view(self) -> str:
        """What its view is called."""
        return f"{self.name}s"

    @property
    def sql(self) -> str:
        """How SQLite declares it. Rows lie in the order of their keys, which is that in which they come."""
        columns = ", ".join(column.sql for column in self.columns)
        keys = ", ".join(f'"{column.name}"' for column in self.columns[: self.keys])
        return f'CREATE TABLE "{self.name}" ({columns}, PRIMARY KEY ({keys})) WITHOUT ROWID'

    @property
    def owner(self) -> Owner | None:
        """The table to whose rows its rows belong, if there is one."""
        first = self.columns[0]
        return first.kind if first.name == first.kind and is_id(first.kind) else None

    @property
    def order(self) -> tuple[str, ...]:
        """The columns of its view that tell rows apart, and bring them in an order that does not depend on ids."""
        own = tuple(column.name for column in self.columns[: self.keys] if not is_id(column.kind))
        of = tuple(SHOWN[self.owner][name] for name in KNOWN_BY[self.owner]) if self.owner else ()
        return KNOWN_BY.get(self.name, (*of, *own))


def is_id(kind: Kind) -> TypeGuard[Owner]:
    """Tell whether columns of a kind hold ids of rows."""
    return kind in SHOWN


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
    _integer("depth", "how deep it lies"),
)

TABLES = (
    RunTable(
        name="world",
        text="a world that has been made, whole",
        columns=(
            TableColumn(name="seed", kind="seed", text="its seed"),
            TableColumn(name="error", kind="text", text="why nothing is known of it", empty=True),
        ),
        keys=1,
    ),
    RunTable(
        name="level",
        text="a level, made or failed",
        columns=(
            TableColumn(name="id", kind="level", text="what other tables call it"),
            TableColumn(name="seed", kind="seed", text="the seed of its world"),
            _name("map", "the map's id"),
            _name("type", "the type of map"),
            _integer("depth", "how deep it lies"),
            _cell("height", "rows", empty=True),
            _cell("width", "columns", empty=True),
            _cell("entrance_y", "the row of the entrance", empty=True),
            _cell("entrance_x", "the column of the entrance", empty=True),
            _integer("retries", "how often the layout was begun again", empty=True),
            TableColumn(
                name="error", kind="text", text="why it could not be made; empty if it could", empty=True
            ),
        ),
        keys=1,
    ),
    RunTable(
        name="timing",
        text="how long a stage of a level took",
        columns=_level(_name("stage", "the stage"), _integer("microseconds", "its time")),
        is_told=False,
    ),
    RunTable(
        name="exit",
        text="a way out of a level",
        columns=_level(_n("the level's exits"), _name("leads_to", "the map it leads to"), _Y, _X),
    ),
    RunTable(
        name="placement",
        text="an encounter's content, or a prefab of the map's own, that was placed",
        columns=_level(
            _n("the level's placements"),
            _name("encounter", "the encounter; empty for a prefab of the map"),
            _name("category", "its category"),
            _name("prefab", "the prefab; empty for none"),
            _name("mode", "the placing mode"),
            _name("orientation", "how the prefab lies"),
            _integer("region", "the region it is in, 0 for none"),
            _Y,
            _X,
            _cell("height", "the rows it covers"),
            _cell("width", "the columns it covers"),
            _integer("copy", "which copy of the encounter on this level, from 1"),
            _name("variant", "in which of its variants the encounter came; empty if it has none"),
        ),
    ),
    RunTable(
        name="refusal",
        text="a decision against something",
        columns=_level(
            _n("the level's refusals"),
            _name("stage", "the stage that took it"),
            _name("subject", "what was refused, mostly an encounter"),
            _name("reason", "why, in words"),
        ),
    ),
    RunTable(
        name="refused_spot",
        text="how many spots a rule left out, of those weighed in a refusal",
        columns=_level(
            _integer("refusal", "the number of the refusal"),
            _integer("n", "which rule in turn, from 0"),
            _name("rule", "the rule"),
            _integer("count", "how many"),
        ),
        keys=3,
    ),
    RunTable(
        name="spawn",
        text="an object that stands somewhere, or that another holds",
        columns=_level(
            _n("the level's spawns; what others hold comes after all others"),
            _name("kind", "prop, trap, robot, item, debris, or one that the content declares"),
            _name("base", "the built-in kind that this is like, or is"),
            _name("tag", "its name in the catalog"),
            _name("source", "the prefab and character, or the map, that asked for it"),
            _Y,
            _X,
            _integer("placement", "the number of the placement it came with", empty=True),
            _integer("holder", "the number of the robot that holds it", empty=True),
        ),
    ),
    RunTable(
        name="metric",
        text="a measurement of a level, as `dungeon.Metrics` explains it",
        columns=_level(
            _name("metric", "which"),
            TableColumn(name="value", kind="real", text="how much"),
        ),
    ),
    RunTable(
        name="lock",
        text="something that is locked, and has what opens it",
        columns=_level(
            _n("the level's locks, doors first"),
            _name("word", "what it is locked with"),
            _name("what", "door, box or portal"),
            _Y,
            _X,
            _integer("sphere", "the round in which it is opened", empty=True),
            _integer("distance", "the steps to the nearest of what opens it", empty=True),
        ),
    ),
    RunTable(
        name="key",
        text="a lock's word that an object opens",
        columns=_level(
            _integer("spawn", "the number of the object"),
            _name("word", "what it opens"),
            _flag("consumed", "1 if it opens just one lock"),
            _integer("sphere", "the round after which it is in reach", empty=True),
        ),
        keys=3,
    ),
    RunTable(
        name="play",
        text="a game that a bot has played, or that failed",
        columns=(
            TableColumn(name="id", kind="play", text="what other tables call it"),
            TableColumn(name="seed", kind="seed", text="the seed of its world"),
            _name("bot", "the bot"),
            _integer("n", "which game of the bot in that world, from 0; chance in it depends on that"),
            _name("ending", "victory, death, gave up or failed"),
            _integer("actions", "how many actions it took", empty=True),
            _integer("turns", "how many turns of the game", empty=True),
            _name("map", "the id of the map on which it ended; empty if it failed"),
            _name("type", "the type of that map"),
            _integer("depth", "how deep that lies", empty=True),
            _integer("y", "the row where it ended", empty=True),
            _integer("x", "the column where it ended", empty=True),
            _name("killer", "the encounter of what the player died of; empty for none"),
            _name("killer_tag", "the robot or trap that the player died of; empty for none"),
            TableColumn(
                name="error", kind="text", text="why it could not be played; empty if it could", empty=True
            ),
        ),
        keys=1,
    ),
    RunTable(
        name="visit",
        text="a map to which the player came in a game",
        columns=_play(
            _n("the maps of the game, in the order in which the player came to them first"),
            *_WHERE,
            _integer("turn", "the turn on which the player came first"),
            _integer("turns", "the turns spent there in all"),
            _integer("hp", "the hit points that the player had left on coming first"),
            _integer("hp_lost", "the hit points lost there"),
            _integer("gained", "the items taken there"),
            _flag("died", "1 if the player died there"),
        ),
    ),
    RunTable(
        name="meeting",
        text="an encounter on a map, of which a game has told something",
        columns=_play(
            _n("the encounters of the game, in the order in which they were first heard of"),
            *_WHERE,
            _integer("placement", "its number among the level's placements"),
            _name("encounter", "the encounter"),
            _integer("robots", "how many robots have come with it"),
            _integer(
                "seen", "the turn on which its ground was first in sight; empty if it never was", empty=True
            ),
            _flag("met", "1 if the player stepped on its ground"),
            _flag("seen_afar", "1 if it was seen, and the player never stepped on its ground"),
            _flag("fought", "1 if there was a blow between the player and a robot of it"),
            _flag("won", "1 if all robots of it that fought were destroyed"),
            _flag(
                "fled",
                "1 if it was fought, or met and had robots, and neither won nor what the player died of",
            ),
            _integer("hp_lost", "the hit points lost to its robots and traps"),
            _integer("turns", "the turns spent on its ground"),
            _integer("gained", "the items of it that were taken"),
            _flag("died", "1 if the player died of it"),
        ),
    ),
)
"""All tables of results, those first to which others refer."""

TABLE_OF_VIEW = {table.view: table for table in TABLES}

RUN = """CREATE TABLE run (
    version INTEGER NOT NULL, probe TEXT NOT NULL, content TEXT NOT NULL, package TEXT NOT NULL,
    maps TEXT NOT NULL, arguments TEXT NOT NULL, games TEXT NOT NULL)"""
"""What all worlds of a run have in common, in one row."""

NAME = "CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
"""What numbers mean in columns of names."""


def view_sql(table: RunTable) -> str:
    """Return the SELECT of a table's view: every name written out, and in place of an id what it stands for."""
    shown, joins = [], []
    if table.owner:
        owner = next(each for each in TABLES if each.name == table.owner)
        kinds = {column.name: column.kind for column in owner.columns}
        joins.append(f'JOIN "{owner.name}" ON "{owner.name}".id = it.{owner.name}')
        for name, called in SHOWN[table.owner].items():
            if kinds[name] == "name":
                joins.append(f'JOIN name AS of_{name} ON of_{name}.id = "{owner.name}".{name}')
                shown.append(f"of_{name}.text AS {called}")
            else:
                shown.append(f'"{owner.name}".{name} AS {called}')
    for column in table.columns:
        if column.kind == "name":
            shown.append(f'"{column.name}".text AS "{column.name}"')
            joins.append(f'JOIN name AS "{column.name}" ON "{column.name}".id = it."{column.name}"')
        elif not is_id(column.kind):
            shown.append(f'it."{column.name}"')
    return f'SELECT {", ".join(shown)} FROM "{table.name}" AS it {" ".join(joins)}'


def failures_sql(view: str) -> str:
    """Return the SELECT of all failures of a kind, worlds, levels or plays, each with the command that shows it."""
    what, command = "seed, map, 'level' AS what", "'dungeon show ' || map || ' --seed ' || seed"
    if view != "levels":
        what = f"seed, NULL AS map, '{'world' if view == 'worlds' else 'game'}' AS what"
        command = "'dungeon playtest --worlds 1 --seed ' || seed || ' --out world' || seed || (SELECT games FROM run)"
    return f"SELECT {what}, error, {command} || (SELECT arguments FROM run) AS command FROM {view} WHERE error IS NOT NULL"


FAILING = ("worlds", "levels", "plays")
"""Views whose rows may be failures."""

VIEWS = {
    **{table.view: view_sql(table) for table in TABLES},
    "failures": " UNION ALL ".join(map(failures_sql, FAILING)),
}
"""View -> its SELECT."""
