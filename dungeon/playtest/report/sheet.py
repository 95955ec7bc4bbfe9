"""The tables (sheets) of a report as plain data, for pages, terminals and spreadsheets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Form = Literal["text", "count", "number", "share", "milliseconds"]
"""How a column's values are written. A share is a number between 0 and 1, shown in percent."""

SHOWN = 5
"""Maximum number of example levels for a row or a finding."""

LEVEL = "{'seed': seed, 'map': map}"
"""SQL for a level as an example."""

GAME = "{'seed': seed, 'map': map, 'bot': bot, 'game': game}"
"""SQL for a game as an example, from `visits` or `meetings`."""

MADE = "SELECT map, depth, count(*) AS levels FROM levels WHERE error IS NULL GROUP BY ALL"
"""SQL for the maps, and the number of levels made of each."""

EXAMPLES = f"min(DISTINCT {LEVEL}, {SHOWN})"
"""SQL for the first levels of a group, by seed and map. The view must have both columns."""

RULES_OF_REASONS = {
    "^in its zones: ": "",
    r"is taken by \w+$": "is taken",
    r"none of \d+": "none of the",
    r"\d+": "N",
}
"""Patterns in the reasons of refusals, and what replaces them in turn, so that all reasons with one rule are one text."""

RULE = reduce(
    lambda text, pattern: f"regexp_replace({text}, '{pattern}', '{RULES_OF_REASONS[pattern]}', 'g')",
    RULES_OF_REASONS,
    "reason",
)
"""SQL for the rule behind the reason of a refusal: the reason without numbers and without the holder of a group."""

GAMES = f"min(DISTINCT {GAME}, {SHOWN})"
"""SQL for the first games of a group on one of their maps, from `visits` or `meetings`."""

ENDS = f"""
min(DISTINCT {{'seed': seed, 'map': map, 'bot': bot, 'game': n,
    'mark': concat_ws(' ', coalesce(nullif(killer_tag, ''), nullif(killer, '')), y || ',' || x)}}, {SHOWN}) FILTER (map <> '')
"""
"""SQL for the first games of a group, from `plays`. The robot or trap that killed the player (or else the encounter) and the cell where
the game ended are marked.
"""


MARKED = ("encounter", "prefab", "tag", "robot", "word", "subject", "category")
"""Columns whose values are marked on the example levels of a row: the first of these columns that a table has."""


class LevelRef(NamedTuple):
    """A level of a run, what to look at on it, and a game in which it happened.

    Attributes:
        seed: The world's seed.
        map: The map's id.
        mark: What to look at, names and cells as `dungeon show --mark` takes them; empty for the whole level.
        bot: The bot that played there; empty if the level alone is meant.
        game: The number of the bot's game in that world.
    """

    seed: int
    map: str
    mark: str = ""
    bot: str = ""
    game: int = 0

    @property
    def level(self) -> tuple[int, str]:
        """The seed and the map's id."""
        return self.seed, self.map


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """A column of a report's table: its name, the form in which its values are written, and an explanation for readers."""

    name: str
    form: Form
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSheet:
    """A table of a report.

    Attributes:
        name: The table's name in files and links.
        title: The heading.
        text: A sentence or two about the meaning of the rows.
        columns: The columns.
        rows: The values of each row, in the order of the columns. None stands for a missing value.
        shown: For each row, a few example levels.
    """

    name: str
    title: str
    text: str
    columns: tuple[SheetColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    shown: tuple[tuple[LevelRef, ...], ...]

    def values(self, *names: str) -> list[tuple[Any, ...]]:
        """Return the named columns of all rows, one tuple for each row."""
        at = [[column.name for column in self.columns].index(name) for name in names]
        return [tuple(row[index] for index in at) for row in self.rows]


def column(name: str, form: Form, text: str) -> SheetColumn:
    """Return a column of a table: its name, the form in which its values are written, and its explanation."""
    return SheetColumn(name=name, form=form, text=text)


MAP, DEPTH = column("map", "text", "the map"), column("depth", "count", "the map's depth")
CATEGORY = column("category", "text", "the category")


def sheet_of(
    name: str, title: str, text: str, columns: Sequence[SheetColumn], answers: Iterable[tuple[Any, ...]]
) -> ReportSheet:
    """Return the table made of a query's rows.

    Args:
        name: The name of the table.
        title: Its heading.
        text: A sentence or two about its rows.
        columns: Its columns.
        answers: The rows of the query: the values of the columns, and last the example levels as `EXAMPLES` selects them.
    """
    rows, shown = [], []
    names = [column.name for column in columns]
    at = next((names.index(each) for each in MARKED if each in names), None)
    for *row, examples in answers:
        rows.append(tuple(row))
        shown.append(levels_in(examples, None if at is None else row[at]))
    return ReportSheet(
        name=name, title=title, text=text, columns=tuple(columns), rows=tuple(rows), shown=tuple(shown)
    )


def levels_in(examples: Iterable[dict[str, Any]] | None, mark: str | None = None) -> tuple[LevelRef, ...]:
    """Return the example levels of a row of a query as `LevelRef`, each once.

    Args:
        examples: What `EXAMPLES`, `GAMES` or `ENDS` select: ``{'seed': 1, 'map': 'foundry/3'}`` for each level; None for none.
        mark: What to look at on levels whose example does not say so; None for the whole level.
    """
    marked = (each | {"mark": each.get("mark", mark) or ""} for each in examples or ())
    return tuple(dict.fromkeys(LevelRef(**each) for each in marked))
