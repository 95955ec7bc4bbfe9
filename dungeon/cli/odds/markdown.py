"""The page that ``dungeon odds --realised N --markdown`` writes: what levels have beside what they are due."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from dungeon.cli.odds.table import causes_in, limit_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.generation.odds.odds import EncounterOdds, MapOdds, Odds, Realised

CLOSE = 0.1
"""What is had is close to what is due if the two part by no more than this share."""

CAUSES = 80
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
            yield _row(each)
            yield from _variant_rows(each)


def _realised(on_map: MapOdds) -> list[Realised]:
    return [each.realised for each in on_map.encounters if each.realised is not None]


def _due(each: EncounterOdds) -> float:
    return each.realised.due if each.realised is not None else 0.0


def _is_close(row: Realised) -> bool:
    return abs(row.had - row.due) <= CLOSE * row.due


def _parts(row: Realised) -> bool:
    return row.parts and not _is_close(row)


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
        yield f"| {name} | {limit} | {due:.2f} | {had:.2f} | {_share(had, due)} |"


def _share(had: float, due: float) -> str:
    return f"{had / due:.0%}" if due else "-"


def _row(each: EncounterOdds) -> str:
    row = each.realised
    if row is None:
        return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | | | | | |"
    causes = row.causes if row.had < row.due else row.instead
    why = ("" if row.had < row.due else "instead of: ") + causes_in(causes, CAUSES) if _parts(row) else ""
    numbers = f"{row.due:.3f} | {row.had:.3f} | {_share(row.had, row.due)} | {row.margin:.3f}"
    return f"| {each.encounter} | {each.weight:g} | {limit_in(each)} | {numbers} | {why} |"


def _variant_rows(each: EncounterOdds) -> Iterator[str]:
    """Yield a row for each variant of an encounter of which there was a copy."""
    for name, row in each.realised.variants.items() if each.realised is not None else ():
        numbers = f"{row.due:.1%} | {row.had:.1%} | {_share(row.had, row.due)} | {row.margin:.1%}"
        yield f"| {each.encounter} as {name} | {each.variants[name]:.0%} | | {numbers} | |"
