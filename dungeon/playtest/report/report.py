"""The report on a run: see `report_on`. It is written as text for terminals or as CSV files; `page` writes it as HTML.

`add_content_tables` adds to the run's tables what its content says, so that both can be compared in SQL.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dungeon.content.models.accepted import AcceptedEntry
from dungeon.core.errors import PlaytestError, file_errors
from dungeon.core.vocabulary import DEEPEST
from dungeon.generation.encounters.draw import NO_ENCOUNTER
from dungeon.generation.odds.worlds import due_in_world, places_in
from dungeon.playtest.bots.playing import LIMIT
from dungeon.playtest.game import viewer_of
from dungeon.playtest.reading import fingerprint
from dungeon.playtest.recording.manifest import parsed_options
from dungeon.playtest.recording.recorder import content_options
from dungeon.playtest.report.encounter_sections import count_objects, encounter_sheets, object_sheets
from dungeon.playtest.report.finding import KINDS
from dungeon.playtest.report.findings import findings
from dungeon.playtest.report.game_sections import game_sheets
from dungeon.playtest.report.level_sections import making_sheets, shape_sheets
from dungeon.playtest.report.robot_sections import robot_sheets
from dungeon.playtest.report.sheet import column
from dungeon.playtest.report.sketches import sketches_of
from dungeon.playtest.report.supply_sections import supply_sheets
from dungeon.playtest.run import Run, arrow_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterForm
    from dungeon.playtest.report.finding import Finding
    from dungeon.playtest.report.sheet import Form, LevelRef, ReportSheet
    from dungeon.playtest.report.sketches import LevelSketch


PAIRED = 300
"""Expected copies are computed for at most this number of worlds."""

WORD, WHOLE, REAL, SEED = pa.string(), pa.int32(), pa.float64(), pa.int64()

DECLARED = {
    "paired": {"seed": SEED},
    "due": {"seed": SEED, "map": WORD, "encounter": WORD, "copies": WHOLE},
    "likely": {"encounter": WORD, "type": WORD, "depth": WHOLE, "prefab": WORD, "chance": REAL},
    "forms": {"encounter": WORD, "type": WORD, "depth": WHOLE, "variant": WORD, "chance": REAL},
    "meant": {"encounter": WORD, "category": WORD},
    "thing": {
        "kind": WORD,
        "base": WORD,
        "tag": WORD,
        "class": WORD,
        "rating": WHOLE,
        "threat": REAL,
        "worth": REAL,
    },
    "attributes": {"kind": WORD, "tag": WORD, "attribute": WORD, "value": REAL},
    "nowhere": {"encounter": WORD, "type": WORD, "depths": WORD, "rest": WHOLE},
    "heaviest": {
        "type": WORD,
        "depth": WHOLE,
        "encounter": WORD,
        "weight": REAL,
        "next": REAL,
        "kinds": WHOLE,
    },
}
"""Table -> type of each column."""


def add_content_tables(run: Run, content: Content | None) -> None:
    """Add tables with facts of the content to a run.

    - `due`: encounters that levels would have with unlimited space. They are drawn from the levels' own random streams, so
      differences come from space, rules and budgets only.
    - `paired`: the worlds in `due`, the first ones of the run.
    - `likely`: probability that a prefab is the first choice of an encounter's copy, by type of map and depth.
    - `forms`: probability that a variant is the first choice of an encounter's copy, by type of map and depth.
    - `meant`: category of each encounter.
    - `thing`: class (or category), depth rating, threat and worth of each object.
    - `attributes`: the numbers under `data` of each robot.
    - `nowhere`: types of map that an encounter lists but can never be on, its depths, and the number of types where it can be.
    - `heaviest`: the encounter of the greatest weight on each type of map at a depth, that weight and the next one, and the number
      of encounters that have a weight there.

    Args:
        run: The run.
        content: Its content; None leaves the tables empty.

    Raises:
        PlaytestError: The run was recorded with other content.
    """
    rows: dict[str, Iterable[tuple[Any, ...]]] = dict.fromkeys(DECLARED, ())
    if content is not None:
        if fingerprint(content.layers) != run.facts.content:
            raise PlaytestError(f"the run was recorded with other content than {' + '.join(content.layers)}")
        query = f"SELECT seed FROM worlds WHERE error IS NULL ORDER BY seed LIMIT {PAIRED}"
        paired = run.sql(query).fetchall()
        rows = {
            "paired": paired,
            "due": _due(run, content, [seed for (seed,) in paired]),
            "likely": _likely(run, content),
            "forms": _forms(run, content),
            "meant": ((name, each.category) for name, each in content.encounters.items()),
            "thing": _things(content),
            "attributes": _attributes(content),
            "nowhere": _nowhere(content),
            "heaviest": _heaviest(content),
        }
    for table, columns in DECLARED.items():
        run.add(table, arrow_table(columns, rows[table]))


def _due(run: Run, content: Content, seeds: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    """Yield (seed, map, encounter, copies) that levels would have with unlimited space."""
    maps = {name for (name,) in run.sql("SELECT DISTINCT map FROM levels").fetchall()}
    for seed in seeds:
        places = places_in(content, seed)
        asked = [place for place in places if place.map_id in maps]
        for place, names in due_in_world(content, seed, places, asked):
            for name, copies in Counter(names).items():
                if name != NO_ENCOUNTER:
                    yield seed, place.map_id, name, copies


def _likely(run: Run, content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield (encounter, type of map, depth, prefab, probability that the prefab is tried first) for each type and depth in the run."""
    for name, where, forms in _forms_tried(run, content):
        chances: defaultdict[str, float] = defaultdict(float)
        for form, share in forms:
            prefabs = content.preferences_on(form.label, *where)
            for prefab, likely in prefabs.items():
                chances[prefab] += likely / sum(prefabs.values()) * share
        yield from ((name, *where, prefab, chance) for prefab, chance in chances.items())


def _forms(run: Run, content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield (encounter, type of map, depth, variant, probability that the variant is tried first) for each type and depth in the run."""
    for name, where, forms in _forms_tried(run, content):
        yield from ((name, *where, form.variant, share) for form, share in forms if form.variant)


def _forms_tried(
    run: Run, content: Content
) -> Iterator[tuple[str, tuple[str, int], list[tuple[EncounterForm, float]]]]:
    """Yield (encounter, (type of map, depth), (form, probability that it is tried first) of each of its forms there)."""
    for where in run.sql("SELECT DISTINCT type, depth FROM levels ORDER BY depth, type").fetchall():
        for name in content.encounters:
            forms = content.forms_on(name, *where)
            whole = sum(weight for _, weight in forms)
            yield name, where, [(form, weight / whole) for form, weight in forms]


def _things(content: Content) -> Iterator[tuple[Any, ...]]:
    for kind, known in content.catalog.things.items():
        for tag, each in known.items():
            classes = " ".join(each.classes or each.categories)
            yield kind, each.like, tag, classes, each.depth, each.threat, each.worth


def _attributes(content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield (kind, tag, attribute, value) for each number under `data` of each robot."""
    for kind, known in content.catalog.things.items():
        for tag, each in known.items():
            for name, value in each.data.items() if each.like == "robot" else ():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield kind, tag, name, float(value)


def _nowhere(content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each type of map that an encounter lists but where it can never be.

    The row is (encounter, type of map, the encounter's depths in words, number of its types of map where it can be).
    """
    depths: defaultdict[str, set[int]] = defaultdict(set)
    for name, depth in _types(content):
        depths[name].add(depth)
    for encounter, entry in content.encounters.items():
        possible = {
            name: any(encounter in content.weights_on(name, depth) for depth in depths[name])
            for name in entry.maps
            if name in depths and entry.maps[name] != 0
        }
        first, last = entry.depth
        text = (
            f"{first} and more" if last >= DEEPEST else f"{first} to {last}" if first < last else str(first)
        )
        for name, can_be in possible.items():
            if not can_be:
                yield encounter, name, text, sum(possible.values())


def _heaviest(content: Content) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each type of map at a depth with two encounters or more: see `add_content_tables`."""
    for name, depth in _types(content):
        weights = content.weights_on(name, depth)
        if len(weights) > 1:
            first, second = sorted(weights, key=weights.__getitem__, reverse=True)[:2]
            yield name, depth, first, weights[first], weights[second], len(weights)


def _types(content: Content) -> list[tuple[str, int]]:
    """Return the types of map, each with each depth that it has in the world, sorted."""
    return sorted({(name, spot.depth) for spot in content.chart.spots.values() for name in spot.types})


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report on a run.

    Attributes:
        about: Sentences about the run.
        worlds: Number of worlds.
        arguments: The options with which commands load the run's content.
        viewer: The command that shows the run's games: see `viewer_of`; empty if there is none.
        limit: The option for the number of actions after which its bots gave up.
        findings: The findings, in the order of `findings.findings`: failures, then by harm.
        accepted: The findings that ``accepted.yaml`` accepts, by harm.
        sheets: The tables.
        sketches: Seed and map -> data for a small picture, for each level that a finding or table names.
    """

    about: tuple[str, ...]
    worlds: int
    arguments: str
    viewer: str
    limit: str
    findings: tuple[Finding, ...]
    accepted: tuple[Finding, ...]
    sheets: tuple[ReportSheet, ...]
    sketches: Mapping[tuple[int, str], LevelSketch]

    def commands(self, spot: LevelRef) -> tuple[str, ...]:
        """Return the command that shows a level with its mark, and the one that shows the game if there is one. See `page.js`, too."""
        mark = f" --mark {quote(spot.mark)}" if spot.mark else ""
        show = f"dungeon show {spot.map} --seed {spot.seed}{mark}{self.arguments}"
        if not (game := self.replayed(spot)):
            return (show,)
        return (
            show,
            f"{self.viewer} --replay {game} --seed {spot.seed} --map {spot.map}{mark}{self.arguments}",
        )

    def replayed(self, spot: LevelRef) -> str:
        """Return the bot of a game, and the options that it needs, as the option ``--replay`` takes them; empty if no game can be shown."""
        if not (spot.bot and self.viewer):
            return ""
        return f"{quote(spot.bot)}{f' --game-seed {spot.game}' if spot.game else ''}{self.limit}"


def report_on(folder: str | os.PathLike[str], content: Content | None = None) -> Report:
    """Return the report on the run in a folder as it is now.

    Args:
        folder: The folder.
        content: The run's content; None leaves out everything that depends on it.

    Raises:
        PlaytestError: There is no readable run, or it was recorded with other content.
    """
    with Run(folder) as run:
        add_content_tables(run, content)
        count_objects(run)
        found, accepted = findings(run, content.accepted if content else AcceptedEntry())
        sections = (
            game_sheets,
            supply_sheets,
            robot_sheets,
            encounter_sheets,
            object_sheets,
            shape_sheets,
            making_sheets,
        )
        sheets = [sheet for section in sections for sheet in section(run)]
        cited = {spot for finding in (*found, *accepted) for spot in finding.shown}
        cited.update(spot for sheet in sheets for spots in sheet.shown for spot in spots)
        ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
        arguments, played = run.facts.arguments, dict(parsed_options("games", run.facts.games))
        if content is not None:  # its folders may lie elsewhere now
            named = parsed_options("arguments", arguments)
            arguments = content_options(content, [module for option, module in named if option == "--import"])
        return Report(
            about=tuple(_about(run, content)),
            worlds=worlds,
            arguments=arguments,
            viewer=viewer_of(played["--game"]) if played else "",
            limit=f" --limit {played['--limit']}" if played and played["--limit"] != str(LIMIT) else "",
            findings=tuple(found),
            accepted=tuple(accepted),
            sheets=tuple(sheets),
            sketches=sketches_of(run, cited),
        )


def _about(run: Run, content: Content | None) -> Iterable[str]:
    """Yield sentences about the run."""
    query = """
        SELECT count(*), count(DISTINCT map), count(*) FILTER (error IS NOT NULL), (SELECT count(*) FROM worlds),
            (SELECT min(seed) FROM worlds), (SELECT max(seed) FROM worlds)
        FROM levels
    """
    ((levels, maps, failed, worlds, first, last),) = run.sql(query).fetchall()
    if not worlds:
        yield "No world has been recorded yet."
        return
    yield f"{worlds:,} worlds with {levels:,} levels of {maps} maps; the seeds are from {first} to {last}."
    if failed:
        yield f"{failed:,} levels could not be made."
    if content is None:
        yield "The content is not available or has changed since: figures that depend on it are left out."
    elif worlds > PAIRED:
        yield f"Copies with unlimited space are computed for the first {PAIRED} worlds only."


FIRST_ROWS = 10
"""Number of rows printed of each table, unless one table is asked for."""

SEEDS = 3
"""Number of example levels printed after a row."""

FINDINGS = "findings"
"""The name of the table of findings."""

EXAMPLES = column("examples", "text", "example levels: the seed, and the map if no other column has it")
"""The last column of printed tables and of CSV files."""

SETTINGS: dict[Form, str] = {"count": ",", "number": ",.2f", "share": ".1%", "milliseconds": ",.0f"}
"""Form -> format specification."""


def formatted(value: Any, form: Form) -> str:
    """Return a value of a table as text in the form of its column; ``-`` if it has none."""
    if value is None or value == "":
        return "-"
    is_whole = form == "number" and float(value).is_integer()
    return str(value) if form == "text" else format(value, ",.0f" if is_whole else SETTINGS[form])


def as_text(report: Report, width: int, asked: str = "") -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        report: The report.
        width: Width at which sentences are wrapped, in characters. Tables are as wide as they need to be.
        asked: Name of the only table to print, with all rows and the meaning of its columns, or `FINDINGS`; empty prints all
            findings and the first rows of all tables.

    Raises:
        PlaytestError: There is no table of that name.
    """
    named = {sheet.name: sheet for sheet in report.sheets}
    if asked in named:
        yield from _sheet_lines(report, named[asked], width, len(named[asked].rows))
        yield from _column_lines(named[asked], width)
        return
    if asked not in ("", FINDINGS):
        raise PlaytestError(f"there is no table {asked!r}, only {', '.join([FINDINGS, *named])}")
    for line in report.about:
        yield from wrap(line, width)
    yield ""
    yield from _findings(report, width)
    yield from _accepted(report, width)
    for sheet in () if asked else report.sheets:
        yield ""
        yield from _sheet_lines(report, sheet, width, FIRST_ROWS)


def _findings(report: Report, width: int) -> Iterator[str]:
    """Yield a heading, then the lines of each finding with commands that show its example levels; ``No findings.`` without any."""
    if not report.findings:
        yield "No findings."
        return
    yield "Findings: failures first, then by the share of a game that they spoil"
    for number, finding in enumerate(report.findings, 1):
        text = f"{finding.text} {finding.frequency}"
        yield from wrap(text, width, initial_indent=f"{number:3}. ", subsequent_indent="     ")
        shown = [report.commands(spot) for spot in finding.shown[:SEEDS]]
        commands = [
            finding.command,
            *(command for each in shown[:1] for command in each),
            *(show for show, *_ in shown[1:]),
        ]
        yield from (f"     {command}" for command in commands if command)


def _accepted(report: Report, width: int) -> Iterator[str]:
    """Yield a heading, and for each accepted finding a line about it and the command that shows its first example level."""
    if report.accepted:
        yield ""
        yield "Accepted in accepted.yaml"
    for each in report.accepted:
        yield from wrap(each.text, width, initial_indent="  ", subsequent_indent="    ")
        yield from (f"    {report.commands(spot)[0]}" for spot in each.shown[:1])


def _sheet_lines(report: Report, sheet: ReportSheet, width: int, most: int) -> Iterator[str]:
    """Yield the lines of a table: heading, text, column names and at most `most` rows.

    Then come a line that counts the other rows, and a command that shows the first example: its game, or else its level.
    """
    yield f"{sheet.title} ({sheet.name})"
    yield from wrap(sheet.text, width, initial_indent="  ", subsequent_indent="  ")
    if not sheet.rows:
        yield "  none"
        return
    has_map = any(each.name == "map" for each in sheet.columns)
    table = [[*(each.name for each in sheet.columns), EXAMPLES.name]]
    for row, shown in zip(sheet.rows[:most], sheet.shown, strict=False):
        values = [formatted(value, each.form) for value, each in zip(row, sheet.columns, strict=True)]
        table.append([*values, _example_list(shown, has_map=has_map)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = [each.form == "text" for each in sheet.columns] + [True]
    for line in table:
        cells = (
            text.ljust(wide) if to_left else text.rjust(wide)
            for text, wide, to_left in zip(line, widths, left, strict=True)
        )
        yield f"  {'  '.join(cells)}".rstrip()
    if len(sheet.rows) > most:
        yield f"  ... and {len(sheet.rows) - most:,} more: --text {sheet.name}"
    yield from (f"  Example: {report.commands(spots[0])[-1]}" for spots in [*filter(None, sheet.shown)][:1])


def _example_list(shown: tuple[LevelRef, ...], *, has_map: bool) -> str:
    """Return the first `SEEDS` example levels of a row, each once: ``21 27`` if a column has the map, else ``21 foundry/3; 27 drifts/2``."""
    levels = dict.fromkeys(spot.level for spot in shown)
    first = list(levels)[:SEEDS]
    if has_map:
        return " ".join(str(seed) for seed, _ in first)
    return "; ".join(f"{seed} {map_id}" for seed, map_id in first)


def _column_lines(sheet: ReportSheet, width: int) -> Iterator[str]:
    """Yield the lines that say what each column of a table means."""
    yield ""
    columns = (*sheet.columns, EXAMPLES)
    wide = max(len(each.name) for each in columns)
    for each in columns:
        start = f"  {each.name:{wide}}  "
        yield from wrap(each.text, width, initial_indent=start, subsequent_indent=" " * len(start))


def write_csv(report: Report, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the findings and every table as a CSV file into a folder, and return the files.

    Numbers have all their digits. The last column lists the example levels of a row: ``seed map``, separated by semicolons. The
    file of findings has the accepted ones, too.

    Raises:
        PlaytestError: A file can't be written.
    """
    target = Path(folder)
    tables: dict[str, list[list[Any]]] = {
        FINDINGS: [
            [
                *("kind", "maps", "thing", "category", "text", "size", "rate", "unit", "harm", "chance"),
                *("accepted", EXAMPLES.name),
            ],
            *(
                [
                    *(each.kind, " ".join(each.maps), each.thing, each.category),
                    *(each.text, each.size, each.rate, KINDS[each.kind].unit, each.harm, each.chance),
                    *("yes" if each in report.accepted else "no", _level_list(each.shown)),
                ]
                for each in (*report.findings, *report.accepted)
            ),
        ]
    }
    for sheet in report.sheets:
        headings = [*(column.name for column in sheet.columns), EXAMPLES.name]
        tables[sheet.name] = [
            headings,
            *([*row, _level_list(spots)] for row, spots in zip(sheet.rows, sheet.shown, strict=True)),
        ]
    files = []
    with file_errors(PlaytestError, "written"):
        target.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            files.append(target / f"{name}.csv")
            with files[-1].open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(rows)
    return files


def _level_list(spots: tuple[LevelRef, ...]) -> str:
    return "; ".join(f"{spot.seed} {spot.map}" for spot in spots)
