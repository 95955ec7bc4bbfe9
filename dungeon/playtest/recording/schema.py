"""What a run holds: its tables, and the views of them in which names are written out.

Tables are narrow: whatever is a word is a number in them, which `name` tells. Views are for readers, and have the same
name in the plural. Both are written in the SQL that SQLite and DuckDB have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VERSION = 2
"""Of the tables. It grows whenever programs that read them would have to know."""

Kind = Literal["level", "name", "seed", "integer", "real", "text"]
"""What a column holds: the id of a level, that of a name, or what it says. Seeds have 64 bits, other integers 32."""

SQL_TYPES: dict[Kind, str] = {
    "level": "INTEGER",
    "name": "INTEGER",
    "seed": "BIGINT",
    "integer": "INTEGER",
    "real": "DOUBLE",
    "text": "VARCHAR",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
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
class Table:
    """A table.

    Attributes:
        name: What it is called.
        text: What a row of it is.
        columns: Its columns; the first `keys` of them tell its rows apart, and bring them in order.
        is_told: Whether it is the same for every run of the same worlds: what a clock has measured is not.
    """

    name: str
    text: str
    columns: tuple[Column, ...]
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
    def of_levels(self) -> bool:
        """Whether its rows belong to levels."""
        return self.columns[0].name == "level"


def _level(*columns: Column) -> tuple[Column, ...]:
    return Column(name="level", kind="level", text="the level"), *columns


def _n(of: str) -> Column:
    return Column(name="n", kind="integer", text=f"its number among {of}, from 0")


def _name(name: str, text: str) -> Column:
    return Column(name=name, kind="name", text=text)


def _integer(name: str, text: str, *, empty: bool = False) -> Column:
    return Column(name=name, kind="integer", text=text, empty=empty)


_Y, _X = _integer("y", "its row"), _integer("x", "its column")

TABLES = (
    Table(
        name="world",
        text="a world that has been made, whole",
        columns=(
            Column(name="seed", kind="seed", text="its seed"),
            Column(name="error", kind="text", text="why nothing is known of it", empty=True),
        ),
        keys=1,
    ),
    Table(
        name="level",
        text="a level, made or failed",
        columns=(
            Column(name="id", kind="level", text="what other tables call it"),
            Column(name="seed", kind="seed", text="the seed of its world"),
            _name("map", "the map's id"),
            _name("type", "the type of map"),
            _integer("depth", "how deep it lies"),
            _integer("height", "rows", empty=True),
            _integer("width", "columns", empty=True),
            _integer("entrance_y", "the row of the entrance", empty=True),
            _integer("entrance_x", "the column of the entrance", empty=True),
            _integer("retries", "how often the layout was begun again", empty=True),
            Column(name="error", kind="text", text="why it could not be made; empty if it could", empty=True),
        ),
        keys=1,
    ),
    Table(
        name="timing",
        text="how long a stage of a level took",
        columns=_level(_name("stage", "the stage"), _integer("microseconds", "its time")),
        is_told=False,
    ),
    Table(
        name="exit",
        text="a way out of a level",
        columns=_level(_n("the level's exits"), _name("leads_to", "the map it leads to"), _Y, _X),
    ),
    Table(
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
            _integer("height", "the rows it covers"),
            _integer("width", "the columns it covers"),
            _integer("copy", "which copy of the encounter on this level, from 1"),
            _name("variant", "in which of its variants the encounter came; empty if it has none"),
        ),
    ),
    Table(
        name="refusal",
        text="a decision against something",
        columns=_level(
            _n("the level's refusals"),
            _name("stage", "the stage that took it"),
            _name("subject", "what was refused, mostly an encounter"),
            _name("reason", "why, in words"),
        ),
    ),
    Table(
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
    Table(
        name="spawn",
        text="an object that stands somewhere, or that a robot holds",
        columns=_level(
            _n("the level's spawns; what robots hold comes after all others"),
            _name("kind", "prop, trap, robot, item or debris"),
            _name("tag", "its name in the catalog"),
            _name("source", "the prefab and character, or the map, that asked for it"),
            _Y,
            _X,
            _integer("placement", "the number of the placement it came with", empty=True),
            _integer("holder", "the number of the robot that holds it", empty=True),
        ),
    ),
    Table(
        name="metric",
        text="a measurement of a level, as `dungeon.Metrics` explains it",
        columns=_level(
            _name("metric", "which"),
            Column(name="value", kind="real", text="how much"),
        ),
    ),
    Table(
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
    Table(
        name="key",
        text="a lock's word that an object opens",
        columns=_level(
            _integer("spawn", "the number of the object"),
            _name("word", "what it opens"),
            _integer("consumed", "1 if it opens just one lock"),
            _integer("sphere", "the round after which it is in reach", empty=True),
        ),
        keys=3,
    ),
)
"""All tables of results, those first to which others refer."""

TABLE_OF_VIEW = {table.view: table for table in TABLES}

RUN = """CREATE TABLE run (
    version INTEGER NOT NULL, probe TEXT NOT NULL, content TEXT NOT NULL, package TEXT NOT NULL,
    maps TEXT NOT NULL, arguments TEXT NOT NULL)"""
"""What all worlds of a run have in common, in one row."""

NAME = "CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
"""What numbers mean in columns of names."""

OF_A_LEVEL = ("seed", "map", "type", "depth")
"""What the views of other tables tell of the level."""


def view_sql(table: Table) -> str:
    """Return the SELECT of a table's view: every name written out, and in place of a level's id what it is."""
    shown, joins = [], []
    if table.of_levels:
        shown += ['"level".seed', "map.text AS map", "type.text AS type", '"level".depth']
        joins.append('JOIN "level" ON "level".id = it.level')
        joins += [f'JOIN name AS {name} ON {name}.id = "level".{name}' for name in ("map", "type")]
    for column in table.columns:
        if column.kind == "name":
            shown.append(f'"{column.name}".text AS "{column.name}"')
            joins.append(f'JOIN name AS "{column.name}" ON "{column.name}".id = it."{column.name}"')
        elif column.kind != "level":
            shown.append(f'it."{column.name}"')
    return f'SELECT {", ".join(shown)} FROM "{table.name}" AS it {" ".join(joins)}'


def commands_sql(view: str) -> str:
    """Return the SELECT of all failures of a kind, worlds or levels, each with the command that shows it."""
    command = "'dungeon show ' || map || ' --seed ' || seed"
    what = "seed, map"
    if view == "worlds":
        command = "'dungeon playtest --worlds 1 --seed ' || seed || ' --out world' || seed"
        what = "seed, NULL AS map"
    return f"SELECT {what}, error, {command} || (SELECT arguments FROM run) AS command FROM {view} WHERE error IS NOT NULL"


VIEWS = {
    **{table.view: view_sql(table) for table in TABLES},
    "failures": f"{commands_sql('worlds')} UNION ALL {commands_sql('levels')}",
}
"""View -> its SELECT."""
