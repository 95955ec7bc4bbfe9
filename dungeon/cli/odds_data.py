"""The odds of encounters as data for programs: JSON and the rows of a CSV file.

Due are the copies drawn for a level by weights and limits; had are those that levels really have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.generation.odds.odds import Compared, EncounterOdds, Odds, Realised


def as_json(odds: Odds, seed: int) -> dict[str, Any]:
    """Return the data for ``--json``. Chances are from 0 to 1; the margin of an exact number is 0."""
    return {
        "samples": odds.samples,
        "plans": odds.plans,
        "realised": {"worlds": odds.worlds, "seed": seed} if odds.worlds else None,
        "maps": [
            {
                "map": on_map.id,
                "type": on_map.name,
                "chance": on_map.chance._asdict(),
                "sampled": on_map.sampled,
                "wanted": [{"encounters": count, "chance": each} for count, each in on_map.wanted.items()],
                "encounters": [_plain(each) for each in on_map.encounters],
            }
            for on_map in odds.maps
        ],
    }


def _plain(odds: EncounterOdds) -> dict[str, Any]:
    """Return the odds of an encounter as JSON data."""
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
        "unplaced": [cause._asdict() for cause in odds.unplaced],
        "realised": None if odds.realised is None else _plain_realised(odds.realised),
    }


def _plain_compared(compared: Compared) -> dict[str, Any]:
    """Return had, due and the margin of their difference as JSON data; `parts`, the older name of `differs`, tells whether they differ."""
    numbers = {name: getattr(compared, name) for name in ("had", "due", "margin")}
    return {**numbers, "parts": compared.differs}


def _plain_realised(realised: Realised) -> dict[str, Any]:
    """Return the real counts of an encounter as JSON data."""
    return {
        **_plain_compared(realised),
        "causes": [cause._asdict() for cause in realised.causes],
        "instead": [cause._asdict() for cause in realised.instead],
        "variants": {name: _plain_compared(each) for name, each in realised.variants.items()},
    }


def as_rows(odds: Odds) -> Iterator[list[object]]:
    """Yield the rows for ``--csv``, the headings first."""
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
    """Return (name, share) pairs as the text of one cell: ``full 0.75; bare 0.25``."""
    return "; ".join(f"{name} {share:.3g}" for name, share in shares)
