"""`dungeon odds`: print how often each encounter is met, as the content declares it and as levels have it.

The forms are a table as wide as the terminal, JSON, CSV, and a Markdown page that compares declared with real numbers.
"""

from __future__ import annotations

import csv
import json
import shutil
import statistics
import sys
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from dungeon.cli.calling import (
    DONE,
    CallError,
    add_folders,
    add_worlds,
    check_maps,
    completes,
    content_in,
    named_folders,
)
from dungeon.cli.printing import is_terminal, waiting, wants_colour
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.generation.odds.odds import Cause, Compared, EncounterOdds, Estimate, MapOdds, Odds, Realised
    from dungeon.world import World


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command."""
    command = commands.add_parser(
        "odds",
        help="tell how often each encounter is met on each map",
        description="What weights, limits, groups and the world come to where space is endless, computed; "
        "with --realised N beside it what the levels of N worlds really have, and why it is less.",
    )
    add_folders(command)
    maps = "a map id such as foundry/3, or a type of map (default: all)"
    completes(command.add_argument("--map", metavar="MAP", help=maps), "map")
    add_worlds(command, "--realised", 0, "how many worlds to make")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print a table for spreadsheets")
    form.add_argument(
        "--markdown",
        action="store_true",
        help="print a page that compares what is due and what --realised worlds had",
    )
    return command


def run(options: argparse.Namespace) -> int:
    """Tell the odds."""
    import dungeon

    if options.markdown and not options.realised:
        raise CallError("--markdown compares what worlds have had: say how many with --realised N")
    folders = named_folders(options)
    world = dungeon.World(content_in(folders), options.seed)
    check_maps(world.content, filter(None, [options.map]))
    odds = _odds(world, options)
    if options.json:
        print(json.dumps(as_json(odds, options.seed), ensure_ascii=False, indent=2))
    elif options.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(as_rows(odds))
    elif options.markdown:
        print("\n".join(as_markdown(odds, _command(options, folders))))
    else:
        names = {name: entry.name for name, entry in world.content.maps.items()}
        page = Page(shutil.get_terminal_size((100, 24)).columns, colour=wants_colour(options))
        for line in page.lines(odds, names):
            print(line)
    return DONE


def _odds(world: World, options: argparse.Namespace) -> Odds:
    """Return the odds, and tell meanwhile how far that is."""
    if not options.realised:
        with waiting("reckoning"):
            return world.odds(options.map)
    told = _progress(options.realised)
    return world.odds(options.map, realised=options.realised, jobs=options.jobs, told=told)


def _command(options: argparse.Namespace, folders: Sequence[str]) -> str:
    """Return the command that was given, without what makes no difference to what is printed."""
    said = ["dungeon odds", *folders, f"--realised {options.realised}"]
    said += [f"--seed {options.seed}"] if options.seed else []
    said += [f"--map {options.map}"] if options.map else []
    return " ".join([*said, "--markdown"])


def _progress(worlds: int) -> Callable[[int], None] | None:
    """Return what tells, on a terminal, how many worlds have been made."""
    terminal = sys.stderr
    if not is_terminal(terminal):
        return None

    def tell(made: int) -> None:
        text = f"made {made} of {worlds} worlds" if made < worlds else ""
        print(f"{text}\x1b[K\r", end="", file=terminal, flush=True)

    return tell


BAR = 10
"""How many characters stand for certainty."""

EIGHTHS = " ▏▎▍▌▋▊▉█"
GAP = "  "

SPARED = ("bar", "group", "category")
"""The columns that are left out, in this order, where else there is no room for causes."""

NUMBERS = ("world", "first", "limit")
"""The columns that are left out where a terminal is even narrower."""

LEFT = ("encounter", "category", "group", "bar")
"""The columns whose text begins at their left."""

CAUSES = 24
"""Less room than that is not worth it for causes."""

CATEGORY_COLOURS = {"fluff": "34", "risk": "33", "danger": "31", "reward": "32"}
"""ANSI codes: blue, yellow, red, green."""

OWN_CATEGORY = "35"
"""The code of all categories that authors add: magenta."""

DIM, BOLD, LESS, MORE = "2", "1", "1;31", "1;36"

MEANINGS = {
    "weight": "as declared for the map",
    "limit": "how many a map may have; a world, behind the last stroke; a branch, between two",
    "group": "no two encounters of a group share a map",
    "first": "the chance to be drawn at the first turn of a map",
    "drawn": "the chance to be drawn at all",
    "copies": "how many are drawn on a map, on average",
    "world": "how many on all maps of a world together",
    "had": "how many levels really had, on average",
    "of due": "that, as a share of what was drawn for the same levels; ▼ less, ▲ more than chance explains (99.9 %)",
}

WHY = "what made the difference: who has the place that was there for it, or which rules left none, by their share"


class _Cell(NamedTuple):
    """What stands in a column, and its colour, if any."""

    text: str
    colour: str = ""


_Row = dict[str, _Cell]
"""Column -> what stands in it."""


class Page:
    """A page to print odds on.

    Args:
        columns: How many characters wide it is.
        colour: Whether it has colours.
    """

    def __init__(self, columns: int, *, colour: bool) -> None:
        self._columns = columns
        self._colour = colour

    def lines(self, odds: Odds, names: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines: what columns mean, then a table for each map.

        Args:
            odds: The odds.
            names: Type of map -> what players call it.
        """
        rows = [[_row(encounter) for encounter in each.encounters] for each in odds.maps]
        widths = self._widths([row for each in rows for row in each], has_causes=odds.worlds > 0)
        yield from self._header(odds, widths)
        for on_map, own in zip(odds.maps, rows, strict=True):
            yield from ["", *self._title(on_map, names[on_map.name])]
            if on_map.encounters:
                headings = {name: _Cell(name if name != "bar" else "", DIM) for name in widths}
                has_causes = odds.worlds > 0 and self._room(widths) >= CAUSES
                yield self._line(headings, widths, "why" if has_causes else "", DIM)
            for encounter, row in zip(on_map.encounters, own, strict=True):
                yield from self._told(encounter, row, widths)
                yield from self._variants(encounter)

    def _header(self, odds: Odds, shown: Iterable[str]) -> Iterator[str]:
        """Yield what the columns that are shown mean."""
        yield self._painted("How often encounters are met where space is endless", BOLD)
        told = {name: MEANINGS[name] for name in shown if name in MEANINGS}
        if "had" in told:
            told["had"] += f", in {counted(odds.worlds, 'world')}"
            told["why"] = WHY
        if odds.samples:
            told["~"] = f"not computed but drawn, for {odds.samples} worlds: ± its 99.9 % interval"
        width = max(map(len, told), default=0)
        for name, meaning in told.items():
            first, *rest = wrap(meaning, max(20, self._columns - width - 4)) or [""]
            yield f"  {name:{width}}{GAP}{self._painted(first, DIM)}"
            yield from (f"  {'':{width}}{GAP}{self._painted(each, DIM)}" for each in rest)

    def _title(self, on_map: MapOdds, name: str) -> list[str]:
        """Return what is said of a map as a whole."""
        least, most = min(on_map.wanted), max(on_map.wanted)
        wanted = str(most) if least == most else f"{least} to {most}"
        kinds = counted(len(on_map.encounters), "encounter")
        said = [f"{wanted} wanted, of {kinds}" if on_map.encounters else "no encounters"]
        if on_map.chance.value < 1:
            said.insert(0, f"in {on_map.chance.value:.0%} of worlds")
        if realised := [each.realised for each in on_map.encounters if each.realised is not None]:
            had, due = sum(each.had for each in realised), sum(each.due for each in realised)
            said.append(f"levels have {had:.1f} of {due:.1f} due")
        title = f"{on_map.id}{GAP}{name}: {'; '.join(said)}"
        first, *rest = wrap(title, self._columns, subsequent_indent="  ")
        return [f"{self._painted(on_map.id, BOLD)}{first[len(on_map.id) :]}", *rest]

    def _told(self, encounter: EncounterOdds, row: _Row, widths: Mapping[str, int]) -> Iterator[str]:
        """Yield an encounter's line, and what else is to be said if there is no room for it there."""
        realised = encounter.realised
        causes = _why(realised) if realised is not None else ()
        colour = "" if realised is not None and realised.differs else DIM
        room = self._room(widths)
        if not causes or room >= CAUSES:
            yield self._line(row, widths, causes_in(causes, room), colour)
            return
        yield self._line(row, widths, "", "")
        yield f"      {self._painted(causes_in(causes, self._columns - 6), colour)}"

    def _variants(self, encounter: EncounterOdds) -> Iterator[str]:
        """Yield a line that tells how likely each variant of an encounter is, if it has any."""
        if encounter.variants:
            realised = {} if encounter.realised is None else encounter.realised.variants
            said = [
                f"{name} {share:.0%}{_had(realised[name]) if name in realised else ''}"
                for name, share in encounter.variants.items()
            ]
            parts = any(each.differs for each in realised.values())
            yield f"      {self._painted('as ' + ', '.join(said), '' if parts else DIM)}"

    def _widths(self, rows: Sequence[_Row], *, has_causes: bool) -> dict[str, int]:
        """Return the columns for which there is room, and how wide they are."""
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
        """Return how many characters there are for causes."""
        return self._columns - _total(widths) - len(GAP)

    def _line(self, row: _Row, widths: Mapping[str, int], causes: str, colour: str) -> str:
        """Return a line of the table."""
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
    """Return how wide a line is."""
    return 2 + sum(widths.values()) + len(GAP) * (len(widths) - 1)


def _row(odds: EncounterOdds) -> _Row:
    """Return what stands in the columns of an encounter."""
    row = {
        "encounter": _Cell(odds.encounter),
        "category": _Cell(odds.category, CATEGORY_COLOURS.get(odds.category, OWN_CATEGORY)),
        "weight": _Cell(f"{odds.weight:g}"),
        "limit": _Cell(limit_in(odds), DIM),
        "group": _Cell(", ".join(odds.groups), DIM),
        "first": _Cell(percent(odds.first)),
        "bar": _Cell(bar(odds.drawn.value), CATEGORY_COLOURS.get(odds.category, OWN_CATEGORY)),
        "drawn": _Cell(percent(odds.drawn)),
        "copies": _Cell(number(odds.copies), BOLD),
        "world": _Cell(number(odds.world)),
    }
    if odds.realised is not None:
        row |= _realised_cells(odds.realised)
    return row


def _why(realised: Realised) -> tuple[Cause, ...]:
    """Return what made a level have less than it was due, or more."""
    if realised.had > realised.due:
        return tuple(each._replace(reason=f"instead of {each.reason}") for each in realised.instead)
    return realised.causes


def _realised_cells(realised: Realised) -> _Row:
    had, due = realised.had, realised.due
    mark, colour = " ", ""
    if realised.differs:
        mark, colour = ("▼", LESS) if had < due else ("▲", MORE)
    share = f"{had / due:.0%}" if due else "-"
    return {"had": _Cell(f"{had:.2f}" if had else "-", colour), "of due": _Cell(f"{share} {mark}", colour)}


def _had(realised: Compared) -> str:
    """Return the share of a variant in the copies that were had, in brackets, and whether it parts from what was due."""
    mark = "" if not realised.differs else " ▼" if realised.had < realised.due else " ▲"
    return f" ({realised.had:.0%}{mark})"


def limit_in(odds: EncounterOdds) -> str:
    """Return the limits of an encounter: ``2``, ``1/1..3``, ``-/1``, with one of a branch ``1/2/-``; ``-`` for none."""
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
    """Return a chance as the table has it: ``44.0%``, ``<0.1%``, ``-`` for never, ``~44.0±2.6%`` where it was drawn."""
    return _estimated(estimate, 100, 1, "%")


def number(estimate: Estimate) -> str:
    """Return a number of copies as the table has it: ``0.56``, ``<0.01``, ``-`` for none, ``~0.56±0.03``."""
    return _estimated(estimate, 1, 2, "")


def _estimated(estimate: Estimate, unit: float, digits: int, sign: str) -> str:
    value, margin = estimate.value * unit, estimate.margin * unit
    if not estimate.is_exact:
        return f"~{value:.{digits}f}±{margin:.{digits}f}{sign}"
    least = 10**-digits
    return "-" if value == 0 else f"{value:.{digits}f}{sign}" if value >= least / 2 else f"<{least:g}{sign}"


def bar(share: float) -> str:
    """Return a bar as long as a share of 1 is large, `BAR` characters with the spaces behind it."""
    eighths = round(min(share, 1.0) * BAR * 8)
    full, rest = divmod(eighths, 8)
    return f"{EIGHTHS[8] * full}{EIGHTHS[rest] if rest else ''}".ljust(BAR)


def causes_in(causes: Sequence[Cause], room: int) -> str:
    """Return causes in words, as many as there is room for: ``too small 61%, taken by store_room 22%``."""
    said = [f"{reason} {share:.0%}" for reason, share in causes]
    for count in range(len(said), 0, -1):
        text = ", ".join(said[:count] + ["…"] * (count < len(said)))
        if len(text) <= room:
            return text
    return f"{said[0][: room - 1]}…" if said else ""


def as_json(odds: Odds, seed: int) -> dict[str, Any]:
    """Return what ``--json`` prints; chances are from 0 to 1, and a margin is 0 where a number has been computed."""
    return {
        "samples": odds.samples,
        "realised": {"worlds": odds.worlds, "seed": seed} if odds.worlds else None,
        "maps": [
            {
                "map": on_map.id,
                "type": on_map.name,
                "chance": on_map.chance._asdict(),
                "wanted": [{"encounters": count, "chance": each} for count, each in on_map.wanted.items()],
                "encounters": [_plain(each) for each in on_map.encounters],
            }
            for on_map in odds.maps
        ],
    }


def _plain(odds: EncounterOdds) -> dict[str, Any]:
    return {
        "encounter": odds.encounter,
        "category": odds.category,
        "weight": odds.weight,
        "limit": odds.limit,
        "branch_limit": None if odds.branch_limit is None else list(odds.branch_limit),
        "world_limit": None if odds.world_limit is None else list(odds.world_limit),
        "groups": list(odds.groups),
        "first": odds.first._asdict(),
        "drawn": odds.drawn._asdict(),
        "copies": odds.copies._asdict(),
        "world": odds.world._asdict(),
        "variants": dict(odds.variants),
        "realised": None if odds.realised is None else _plain_realised(odds.realised),
    }


def _plain_compared(compared: Compared) -> dict[str, Any]:
    """Return the fields as JSON; `parts` is the older name of `differs`."""
    numbers = {name: getattr(compared, name) for name in ("had", "due", "margin")}
    return {**numbers, "parts": compared.differs}


def _plain_realised(realised: Realised) -> dict[str, Any]:
    return {
        **_plain_compared(realised),
        "causes": [cause._asdict() for cause in realised.causes],
        "instead": [cause._asdict() for cause in realised.instead],
        "variants": {name: _plain_compared(each) for name, each in realised.variants.items()},
    }


def as_rows(odds: Odds) -> Iterator[list[object]]:
    """Yield the rows of what ``--csv`` prints, the headings first."""
    estimates = ("first", "drawn", "copies", "world")
    headings = ["map", "type", "encounter", "category", "weight"]
    headings += [heading for name in estimates for heading in (name, f"{name}_margin")]
    headings += ["variants"]
    realised = ["had", "due", "had_margin", "causes", "variants_had", "variants_due"]
    yield [*headings, *(realised if odds.worlds else [])]
    for on_map in odds.maps:
        for each in on_map.encounters:
            row: list[object] = [on_map.id, on_map.name, each.encounter, each.category, each.weight]
            for name in estimates:
                row += getattr(each, name)
            row.append(_listed(each.variants.items()))
            if each.realised is not None:
                row += [each.realised.had, each.realised.due, each.realised.margin]
                row.append(_listed(each.realised.causes))
                variants = each.realised.variants.items()
                row.append(_listed((name, compared.had) for name, compared in variants))
                row.append(_listed((name, compared.due) for name, compared in variants))
            yield row


def _listed(shares: Iterable[tuple[str, float]]) -> str:
    """Return shares in one cell: ``full 0.75; bare 0.25``."""
    return "; ".join(f"{name} {share:.3g}" for name, share in shares)


CLOSE = 0.1
"""What is had is close to what is due if the two part by no more than this share."""

CAUSES_IN_PAGE = 80
"""So many characters of causes are told."""

LEGEND = """\
**due** is how many copies of an encounter levels would have, on average, where space is endless: drawn for each of the levels from
the same streams. **had** is how many they have; **±** is how far the difference of the two may be off, with 99.9 % confidence. Where they
part by more than 10 % and by more than that, it is told **why**. Of the copies that levels have, below an encounter, the share of
each of its variants is told: as declared, as chance took it first (due), and as they came (had)."""


def as_markdown(odds: Odds, command: str) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        odds: The odds, with what worlds have had.
        command: What has made the page.
    """
    yield from [
        f"# What {odds.worlds} worlds have had",
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
        parted = sum(map(_parts, rows))
        due, had = sum(row.due for row in rows), sum(row.had for row in rows)
        counts = f"{len(rows)} | {close} | {len(rows) - close - parted} | {parted}"
        yield f"| {on_map.id} | {due:.2f} | {had:.2f} | {_correlation_in(rows)} | {counts} |"
    yield from _in_worlds(odds)
    for on_map, _ in told:
        yield from [
            "",
            f"## {on_map.id}",
            "",
            "| encounter | weight | limit | due | had | of due | ± | why |",
        ]
        yield "|---|--:|--:|--:|--:|--:|--:|---|"
        for each in sorted(on_map.encounters, key=lambda each: (-_due(each), each.encounter)):
            yield _page_row(each)
            yield from _variant_rows(each)


def _realised(on_map: MapOdds) -> list[Realised]:
    return [each.realised for each in on_map.encounters if each.realised is not None]


def _due(each: EncounterOdds) -> float:
    return each.realised.due if each.realised is not None else 0.0


def _is_close(row: Realised) -> bool:
    return abs(row.had - row.due) <= CLOSE * row.due


def _parts(row: Realised) -> bool:
    return row.differs and not _is_close(row)


def correlation(rows: Sequence[Realised]) -> float | None:
    """Return how what was had goes with what was due; None where there is one row, or all have the same of either."""
    try:
        return statistics.correlation([row.had for row in rows], [row.due for row in rows])
    except statistics.StatisticsError:
        return None


def _correlation_in(rows: Sequence[Realised]) -> str:
    found = correlation(rows)
    return "-" if found is None else f"{found:.3f}"


def _in_worlds(odds: Odds) -> Iterator[str]:
    """Yield how many copies of what the world limits all maps together have had."""
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


def _page_row(each: EncounterOdds) -> str:
    row = each.realised
    if row is None:
        return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | | | | | |"
    causes = row.causes if row.had < row.due else row.instead
    why = (
        ("" if row.had < row.due else "instead of: ") + causes_in(causes, CAUSES_IN_PAGE)
        if _parts(row)
        else ""
    )
    numbers = f"{row.due:.3f} | {row.had:.3f} | {_share_of_due(row.had, row.due)} | {row.margin:.3f}"
    return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | {numbers} | {why} |"


def _variant_rows(each: EncounterOdds) -> Iterator[str]:
    """Yield a row for each variant of an encounter of which there was a copy."""
    for name, row in each.realised.variants.items() if each.realised is not None else ():
        numbers = f"{row.due:.1%} | {row.had:.1%} | {_share_of_due(row.had, row.due)} | {row.margin:.1%}"
        yield f"| {each.encounter} as {name} | {each.variants[name]:.0%} | | {numbers} | |"
