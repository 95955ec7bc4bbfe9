"""`dungeon odds`: print how often encounters appear.

For each encounter it compares two numbers: due are the copies that weights and limits draw for a level, had are the
copies that levels really have. A cause says why the two differ.

The result is a table as wide as the terminal, JSON, CSV, or a Markdown page that compares declared with real numbers.
"""

from __future__ import annotations

import csv
import json
import shutil
import statistics
import sys
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_difficulty,
    add_folders,
    add_worlds,
    at_difficulty,
    check_maps,
    folders_from_arguments,
    load_for_command,
)
from dungeon.cli.completion import complete_with
from dungeon.cli.odds_data import as_json, as_rows
from dungeon.cli.printing import is_terminal, waiting, wants_colour
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.generation.odds.odds import Cause, Compared, EncounterOdds, Estimate, MapOdds, Odds, Realised
    from dungeon.world import World


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "odds",
        help="print how often each encounter appears on each map",
        description="Print how many copies of each encounter to expect by weights, limits and groups, whether or not rooms have space for "
        "them. "
        "With --realised N, N worlds are made, and the counts on their levels are printed beside the expected ones, "
        "with the causes of any difference.",
        epilog="example: dungeon odds --map foundry/3 --realised 200",
    )
    add_folders(command)
    maps = "a map id such as foundry/3, or a map type (default: all)"
    complete_with(command.add_argument("--map", metavar="MAP", help=maps), "map")
    add_worlds(command, "--realised", 0, "also make N worlds, and count the encounters on their levels")
    command.add_argument(
        "--width",
        type=_points,
        metavar="POINTS",
        help="where odds can't be computed, sample worlds until each chance is known to within this number of percentage points (default 5)",
    )
    complete_with(add_difficulty(command), "difficulty")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the odds as one JSON object")
    form.add_argument("--csv", action="store_true", help="print the odds as CSV, for spreadsheets")
    form.add_argument(
        "--markdown",
        action="store_true",
        help="print a Markdown page that compares the expected counts with those in the --realised worlds",
    )
    return command


def _points(text: str) -> float:
    """Return the share for a number of percentage points on the command line: ``5`` or ``5%`` -> 0.05."""
    import argparse

    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 0.5:
        raise argparse.ArgumentTypeError(f"a number above 0 and below 50 is needed, not {text!r}")
    return share


def run(options: argparse.Namespace) -> int:
    """Compute and print the odds."""
    import dungeon

    if options.markdown and not options.realised:
        raise CallError("--markdown needs --realised N: the number of worlds to make")
    folders = folders_from_arguments(options)
    world = dungeon.World(at_difficulty(load_for_command(folders), options), options.seed)
    check_maps(world.content, filter(None, [options.map]))
    odds = _odds(world, options)
    if options.json:
        at = {"difficulty": options.difficulty} if options.difficulty else {}
        print(json.dumps(at | as_json(odds, options.seed), ensure_ascii=False, indent=2))
    elif options.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(as_rows(odds))
    elif options.markdown:
        print("\n".join(as_markdown(odds, _command(options, folders))))
    else:
        names = {name: entry.name for name, entry in world.content.maps.items()}
        page = OddsTable(shutil.get_terminal_size((100, 24)).columns, colour=wants_colour(options))
        if options.difficulty:
            print(f"difficulty {options.difficulty}")
        for line in page.lines(odds, names):
            print(line)
    return DONE


def _odds(world: World, options: argparse.Namespace) -> Odds:
    """Compute and return the odds that the options ask for, and show the progress on a terminal."""
    if not options.realised:
        with waiting("computing the odds"):
            return world.odds(options.map, width=options.width)
    told = _progress(options.realised)
    return world.odds(
        options.map, realised=options.realised, jobs=options.jobs, width=options.width, told=told
    )


def _command(options: argparse.Namespace, folders: Sequence[str]) -> str:
    """Return the command line, without options that do not change the page (such as `--jobs`)."""
    said = ["dungeon odds", *folders, f"--realised {options.realised}"]
    said += [f"--seed {options.seed}"] if options.seed else []
    said += [f"--difficulty {options.difficulty}"] if options.difficulty else []
    said += [f"--map {options.map}"] if options.map else []
    return " ".join([*said, "--markdown"])


def _progress(worlds: int) -> Callable[[int], None] | None:
    """Return a function that prints the number of worlds made on the terminal; None without a terminal."""
    terminal = sys.stderr
    if not is_terminal(terminal):
        return None

    def tell(made: int) -> None:
        text = f"made {made} of {worlds} worlds" if made < worlds else ""
        print(f"{text}\x1b[K\r", end="", file=terminal, flush=True)

    return tell


BAR = 10
"""Length of a bar for a chance of 1, in characters."""

EIGHTHS = " ▏▎▍▌▋▊▉█"
GAP = "  "

SPARED = ("bar", "group", "category")
"""The columns that are left out, in this order, to make room for causes."""

NUMBERS = ("world", "first", "limit")
"""The columns that are left out next, in this order, if the terminal is even narrower."""

LEFT = ("encounter", "category", "group", "bar")
"""The columns that are aligned to the left."""

CAUSES = 24
"""Minimum width for a column of causes; with less room, causes get a line of their own."""

CATEGORY_COLOURS = {"fluff": "34", "risk": "33", "danger": "31", "reward": "32"}
"""ANSI codes: blue, yellow, red, green."""

OWN_CATEGORY = "35"
"""ANSI code of the categories that authors add: magenta."""

DIM, BOLD, LESS, MORE = "2", "1", "1;31", "1;36"

MEANINGS = {
    "weight": "as declared for the map, times the factors of world.yaml",
    "limit": "copies allowed: on a map, map/world, or map/branch/world; - for any number",
    "group": "a map has at most one encounter of a group",
    "first": "the chance to be drawn first on a map",
    "drawn": "the chance to be drawn at least once",
    "copies": "average number of copies drawn on a map",
    "world": "average number of copies in a world, all maps together",
    "had": "average number of copies that levels really have",
    "of due": "had, as a share of the copies drawn for the same levels; ▼ less, ▲ more than chance explains (99.9 %)",
}

WHY = "causes of the difference, by share: the encounter that took the spot, or the rule that left no spot"


class _OddsCell(NamedTuple):
    """The text of a table cell, and the ANSI code of its colour; an empty code for none."""

    text: str
    colour: str = ""


_Row = dict[str, _OddsCell]
"""Column -> cell."""


class OddsTable:
    """Prints odds as tables, one for each map.

    Args:
        columns: Width of the terminal, in characters.
        colour: Whether to print ANSI colours.
    """

    def __init__(self, columns: int, *, colour: bool) -> None:
        self._columns = columns
        self._colour = colour

    def lines(self, odds: Odds, names: Mapping[str, str]) -> Iterator[str]:
        """Yield the meanings of the columns, then a table for each map, line by line.

        Args:
            odds: The odds.
            names: Map type -> the name that players read.
        """
        rows = [[_row(encounter) for encounter in each.encounters] for each in odds.maps]
        widths = self._widths([row for each in rows for row in each], has_causes=odds.worlds > 0)
        yield from self._header(odds, widths)
        for on_map, own in zip(odds.maps, rows, strict=True):
            yield from ["", *self._title(on_map, names[on_map.name])]
            if on_map.encounters:
                headings = {name: _OddsCell(name if name != "bar" else "", DIM) for name in widths}
                has_causes = odds.worlds > 0 and self._room(widths) >= CAUSES
                yield self._line(headings, widths, "why" if has_causes else "", DIM)
            for encounter, row in zip(on_map.encounters, own, strict=True):
                yield from self._encounter_lines(encounter, row, widths)
                if encounter.unplaced:
                    text = unplaced_in(encounter.unplaced, odds.plans, self._columns - 6)
                    yield f"      {self._painted(text, LESS)}"
                yield from self._variant_line(encounter)

    def _header(self, odds: Odds, shown: Iterable[str]) -> Iterator[str]:
        """Yield a title, and the meaning of each column in `shown`."""
        yield self._painted("How often encounters are drawn, ignoring whether rooms fit", BOLD)
        told = {name: MEANINGS[name] for name in shown if name in MEANINGS}
        if "had" in told:
            told["had"] += f", in {counted(odds.worlds, 'world')}"
            told["why"] = WHY
        if odds.samples:
            told["~"] = f"an estimate from {odds.samples} sampled worlds, ± its 99.9 % interval"
            sampled = sum(bool(each.sampled) for each in odds.maps)
            told["~"] += (
                f"; {sampled} of {counted(len(odds.maps), 'map')} sampled, {len(odds.maps) - sampled} computed"
            )
        width = max(map(len, told), default=0)
        for name, meaning in told.items():
            first, *rest = wrap(meaning, max(20, self._columns - width - 4)) or [""]
            yield f"  {name:{width}}{GAP}{self._painted(first, DIM)}"
            yield from (f"  {'':{width}}{GAP}{self._painted(each, DIM)}" for each in rest)

    def _title(self, on_map: MapOdds, name: str) -> list[str]:
        """Return the heading of a map, as lines: its id and name, how many encounters it wants, and of `--realised` worlds how many its levels have."""
        least, most = min(on_map.wanted), max(on_map.wanted)
        wanted = str(most) if least == most else f"{least} to {most}"
        kinds = counted(len(on_map.encounters), "encounter")
        drawn = sum(each.copies.value for each in on_map.encounters)
        few = f", which give only {drawn:.1f} on average" if drawn < least - 0.05 else ""
        said = [f"{wanted} wanted, of {kinds}{few}" if on_map.encounters else "no encounters"]
        if on_map.chance.value < 1:
            said.insert(0, f"in {on_map.chance.value:.0%} of worlds")
        if realised := [each.realised for each in on_map.encounters if each.realised is not None]:
            had, due = sum(each.had for each in realised), sum(each.due for each in realised)
            said.append(f"levels have {had:.1f} of {due:.1f} due")
        if on_map.sampled:
            said.append(f"sampled, because {on_map.sampled}")
        title = f"{on_map.id}{GAP}{name}: {'; '.join(said)}"
        first, *rest = wrap(title, self._columns, subsequent_indent="  ")
        return [f"{self._painted(on_map.id, BOLD)}{first[len(on_map.id) :]}", *rest]

    def _encounter_lines(
        self, encounter: EncounterOdds, row: _Row, widths: Mapping[str, int]
    ) -> Iterator[str]:
        """Yield an encounter's row with the causes of a difference; these on a second line if the row has no room for them."""
        realised = encounter.realised
        causes = _causes(realised) if realised is not None else ()
        colour = "" if realised is not None and realised.differs else DIM
        room = self._room(widths)
        if not causes or room >= CAUSES:
            yield self._line(row, widths, causes_in(causes, room), colour)
            return
        yield self._line(row, widths, "", "")
        yield f"      {self._painted(causes_in(causes, self._columns - 6), colour)}"

    def _variant_line(self, encounter: EncounterOdds) -> Iterator[str]:
        """Yield a line with the chance of each variant of an encounter, if it has variants."""
        if encounter.variants:
            realised = {} if encounter.realised is None else encounter.realised.variants
            said = [
                f"{name} {share:.0%}{_variant_share(realised[name]) if name in realised else ''}"
                for name, share in encounter.variants.items()
            ]
            parts = any(each.differs for each in realised.values())
            yield f"      {self._painted('as ' + ', '.join(said), '' if parts else DIM)}"

    def _widths(self, rows: Sequence[_Row], *, has_causes: bool) -> dict[str, int]:
        """Return column -> width, for the columns that have any text and fit on the terminal."""
        names = [name for name in (rows[0] if rows else ()) if any(row[name].text for row in rows)]
        widths = {
            name: max([len(name) * (name != "bar"), *(len(row[name].text) for row in rows)]) for name in names
        }
        needed = len(GAP) + CAUSES if has_causes else 0
        for name in (*SPARED, *NUMBERS):
            if _total(widths) + (needed if name in SPARED else 0) > self._columns:
                widths.pop(name, None)
        return widths

    def _room(self, widths: Mapping[str, int]) -> int:
        """Return how many characters of a line the columns leave for causes."""
        return self._columns - _total(widths) - len(GAP)

    def _line(self, row: _Row, widths: Mapping[str, int], causes: str, colour: str) -> str:
        """Return a row of the table as text, with `causes` at its end in the ANSI colour `colour`."""
        cells = []
        for name, width in widths.items():
            text, own = row[name]
            padded = f"{text:{width}}" if name in LEFT else f"{text:>{width}}"
            cells.append(self._painted(padded, own))
        if causes:
            cells.append(self._painted(causes, colour))
        return f"  {GAP.join(cells)}".rstrip()

    def _painted(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour and colour and text.strip() else text


def _total(widths: Mapping[str, int]) -> int:
    """Return the width of a row in characters, given the width of each column."""
    return 2 + sum(widths.values()) + len(GAP) * (len(widths) - 1)


def _row(odds: EncounterOdds) -> _Row:
    """Return the cells of an encounter's row in the table: column -> text."""
    row = {
        "encounter": _OddsCell(odds.encounter),
        "category": _OddsCell(odds.category, CATEGORY_COLOURS.get(odds.category, OWN_CATEGORY)),
        "weight": _OddsCell(f"{odds.weight:g}"),
        "limit": _OddsCell(limit_in(odds), DIM),
        "group": _OddsCell(", ".join(odds.groups), DIM),
        "first": _OddsCell(percent(odds.first)),
        "bar": _OddsCell(bar(odds.drawn.value), CATEGORY_COLOURS.get(odds.category, OWN_CATEGORY)),
        "drawn": _OddsCell(percent(odds.drawn)),
        "copies": _OddsCell(number(odds.copies), BOLD),
        "world": _OddsCell(number(odds.world)),
    }
    if odds.realised is not None:
        row |= _realised_cells(odds.realised)
    return row


def _causes(realised: Realised) -> tuple[Cause, ...]:
    """Return the causes of the difference between the copies drawn for levels and those that levels have.

    If levels have more copies than were drawn, the causes are the encounters that were replaced.
    """
    if realised.had > realised.due:
        return tuple(each._replace(reason=f"instead of {each.reason}") for each in realised.instead)
    return realised.causes


def _realised_cells(realised: Realised) -> _Row:
    """Return the cells of the columns `had` (average copies on levels) and `of due` (as a share of the copies drawn)."""
    had, due = realised.had, realised.due
    mark, colour = " ", ""
    if realised.differs:
        mark, colour = ("▼", LESS) if had < due else ("▲", MORE)
    share = f"{had / due:.0%}" if due else "-"
    return {
        "had": _OddsCell(f"{had:.2f}" if had else "-", colour),
        "of due": _OddsCell(f"{share} {mark}", colour),
    }


def _variant_share(realised: Compared) -> str:
    """Return the real share of a variant in brackets, with ▼ or ▲ if it differs from the share drawn (due) by more than chance."""
    mark = "" if not realised.differs else " ▼" if realised.had < realised.due else " ▲"
    return f" ({realised.had:.0%}{mark})"


def limit_in(odds: EncounterOdds) -> str:
    """Return the limits of an encounter as text, with a slash between those for a map, a branch and the world.

    ``2`` (map only), ``1/1..3`` (map/world), ``-/1``, ``1/2/-`` (map/branch/world); ``-`` is no limit.
    """
    limits = [None if odds.limit is None else (odds.limit, odds.limit)]
    if odds.branch_limit is not None:
        limits += [odds.branch_limit, odds.world_limit]
    elif odds.world_limit is not None:
        limits.append(odds.world_limit)
    return "/".join(map(_span, limits))


def _span(limit: tuple[int, int] | None) -> str:
    if limit is None:
        return "-"
    least, most = limit
    return str(least) if least == most else f"{least}..{most}"


def percent(estimate: Estimate) -> str:
    """Return a chance as text: ``44.0%``, ``<0.1%``, ``-`` for never, ``~44.0±2.6%`` for an estimate from samples."""
    return _estimated(estimate, 100, 1, "%")


def number(estimate: Estimate) -> str:
    """Return a number of copies as text: ``0.56``, ``<0.01``, ``-`` for none, ``~0.56±0.03`` for an estimate from samples."""
    return _estimated(estimate, 1, 2, "")


def _estimated(estimate: Estimate, unit: float, digits: int, sign: str) -> str:
    value, margin = estimate.value * unit, estimate.margin * unit
    if not estimate.is_exact:
        return f"~{value:.{digits}f}±{margin:.{digits}f}{sign}"
    least = 10**-digits
    return "-" if value == 0 else f"{value:.{digits}f}{sign}" if value >= least / 2 else f"<{least:g}{sign}"


def bar(share: float) -> str:
    """Return a bar for a share from 0 to 1, padded with spaces to `BAR` characters: ``██▌`` and 7 spaces for 0.25."""
    eighths = round(min(share, 1.0) * BAR * 8)
    full, rest = divmod(eighths, 8)
    return f"{EIGHTHS[8] * full}{EIGHTHS[rest] if rest else ''}".ljust(BAR)


def causes_in(causes: Sequence[Cause], room: int) -> str:
    """Return causes in words, as many as fit into `room` characters: ``too small 61%, taken by store_room 22%``."""
    said = [f"{reason} {share:.0%}" for reason, share in causes]
    for count in range(len(said), 0, -1):
        text = ", ".join(said[:count] + ["…"] * (count < len(said)))
        if len(text) <= room:
            return text
    return f"{said[0][: room - 1]}…" if said else ""


def unplaced_in(causes: Sequence[Cause], plans: int, room: int) -> str:
    """Return in words why an encounter fits on none of the ground plans, in at most `room` characters where `room` is above 40."""
    text = f"fits on none of {plans} ground plans: "
    return text + causes_in(causes, room - len(text))


CLOSE = 0.1
"""Had and due are called close if they differ by at most this share of due."""

CAUSES_IN_PAGE = 80
"""Maximum length of the causes in a row of the Markdown page, in characters."""

LEGEND = """\
**due** is the average number of copies drawn for a level, ignoring whether they fit. **had** is the average number that the levels
really have. **±** is the margin of their difference, with 99.9 % confidence. If they differ by more than 10 % and by more than the margin,
**why** names the causes. Below an encounter each of its variants has a row: its declared share, the share drawn (due) and
the real share (had)."""


def as_markdown(odds: Odds, command: str) -> Iterator[str]:
    """Yield the page for ``--markdown``, line by line.

    Args:
        odds: The odds, with the results of `--realised` worlds.
        command: The command line that makes the page.
    """
    yield from [
        f"# Declared and real encounters of {odds.worlds} worlds",
        "",
        f"Written by `{command}`.",
        "",
        *LEGEND.splitlines(),
        "",
    ]
    yield from ["| map | due | had | correlation | encounters | close | within ± | others |"]
    yield from ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    told = [(on_map, _realised(on_map)) for on_map in odds.maps if on_map.encounters]
    for on_map, rows in told:
        close = sum(map(_is_close, rows))
        parted = sum(map(_differs_much, rows))
        due, had = sum(row.due for row in rows), sum(row.had for row in rows)
        counts = f"{len(rows)} | {close} | {len(rows) - close - parted} | {parted}"
        yield f"| {_page_title(on_map)} | {due:.2f} | {had:.2f} | {_correlation_in(rows)} | {counts} |"
    yield from _in_worlds(odds)
    for on_map, _ in told:
        yield from [
            "",
            f"## {_page_title(on_map)}",
            "",
            "| encounter | weight | limit | due | had | of due | ± | why |",
        ]
        yield "|---|--:|--:|--:|--:|--:|--:|---|"
        for each in sorted(on_map.encounters, key=lambda each: (-_due(each), each.encounter)):
            yield _page_row(each, odds.plans)
            yield from _variant_rows(each)


def _page_title(on_map: MapOdds) -> str:
    """Return the id of a map, with its type if the id does not name that: ``returns/1 (returns_shed)``."""
    return on_map.id if on_map.id.startswith(f"{on_map.name}/") else f"{on_map.id} ({on_map.name})"


def _realised(on_map: MapOdds) -> list[Realised]:
    return [each.realised for each in on_map.encounters if each.realised is not None]


def _due(each: EncounterOdds) -> float:
    return each.realised.due if each.realised is not None else 0.0


def _is_close(row: Realised) -> bool:
    return abs(row.had - row.due) <= CLOSE * row.due


def _differs_much(row: Realised) -> bool:
    return row.differs and not _is_close(row)


def correlation(rows: Sequence[Realised]) -> float | None:
    """Return Pearson's correlation of had and due over encounters; None for fewer than two, or if all have the same had or due."""
    try:
        return statistics.correlation([row.had for row in rows], [row.due for row in rows])
    except statistics.StatisticsError:
        return None


def _correlation_in(rows: Sequence[Realised]) -> str:
    found = correlation(rows)
    return "-" if found is None else f"{found:.3f}"


def _in_worlds(odds: Odds) -> Iterator[str]:
    """Yield a Markdown table of the encounters with a world limit: their due and had copies, summed over all maps."""
    found: dict[str, list[EncounterOdds]] = {}
    for on_map in odds.maps:
        for each in on_map.encounters:
            if each.world_limit is not None and each.realised is not None:
                found.setdefault(each.encounter, []).append(each)
    if not found:
        return
    yield from ["", "| in a world | may have | due | had | of due |", "|---|--:|--:|--:|--:|"]
    for name, places in sorted(found.items()):
        realised = [each.realised for each in places if each.realised is not None]
        due, had = sum(each.due for each in realised), sum(each.had for each in realised)
        limit = limit_in(places[0]).rpartition("/")[2]
        yield f"| {name} | {limit} | {due:.2f} | {had:.2f} | {_share_of_due(had, due)} |"


def _share_of_due(had: float, due: float) -> str:
    return f"{had / due:.0%}" if due else "-"


def _page_row(each: EncounterOdds, plans: int) -> str:
    """Return the row of an encounter in the table of the Markdown page; `plans` is the number of ground plans tried."""
    row = each.realised
    if row is None:
        return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | | | | | |"
    causes = row.causes if row.had < row.due else row.instead
    why = (
        ("" if row.had < row.due else "instead of: ") + causes_in(causes, CAUSES_IN_PAGE)
        if _differs_much(row)
        else unplaced_in(each.unplaced, plans, CAUSES_IN_PAGE)
        if each.unplaced
        else ""
    )
    numbers = f"{row.due:.3f} | {row.had:.3f} | {_share_of_due(row.had, row.due)} | {row.margin:.3f}"
    return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | {numbers} | {why} |"


def _variant_rows(each: EncounterOdds) -> Iterator[str]:
    """Yield the row of each variant of an encounter in the Markdown page, with its due and had shares."""
    for name, row in each.realised.variants.items() if each.realised is not None else ():
        numbers = f"{row.due:.1%} | {row.had:.1%} | {_share_of_due(row.had, row.due)} | {row.margin:.1%}"
        yield f"| {each.encounter} as {name} | {each.variants[name]:.0%} | | {numbers} | |"
