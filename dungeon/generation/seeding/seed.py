"""Seeding a level: put the map's features (prefabs, stairs, barriers, areas) on the map while it is still all earth.

A map may have variants, each with more features; one variant is chosen by weight. The layout later digs rooms and
corridors around the features.

A feature is tried in every place that its author allows, with every prefab, variant and orientation in random
order, until one fits; among the valid cells one is picked at random. Features that the level must have come
first, and among them those with a fixed column and row. All others come in the order in which they are
listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.values.grammar import roll
from dungeon.core.errors import GenerationError
from dungeon.generation.seeding.candidates import Candidate, Candidates, FeatureRequest
from dungeon.generation.seeding.ground import REACH, FeatureSpace
from dungeon.generation.seeding.places import FeaturePlace, Neighbours
from dungeon.grid.rect import Cell, Rect
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dungeon.generation.seeding.candidates import SeedJob
    from dungeon.generation.seeding.floors import TowerFloor
    from dungeon.level.canvas import Canvas

OUTSIDE = "the map has no such place"
TOO_CLOSE = "every such place is too near to other features or too far from them"
AT_THE_EDGE = "in such a place it would lie on the map's outermost rows or columns, which stay closed"
FACES_THE_EDGE = (
    f"in such a place its doors and links face an edge of the map: a way needs {REACH} cells before each"
)
NO_SPACE = "no space is left in such a place"
CUT_OFF = "wherever there is space it would cut off a part of the map"
REASONS = (OUTSIDE, TOO_CLOSE, AT_THE_EDGE, FACES_THE_EDGE, NO_SPACE, CUT_OFF)
"""Why a feature has no place, in the order in which the reasons are checked."""


def seed(canvas: Canvas, job: SeedJob) -> Generator[Step, None, None]:
    """Put the features of a level on a canvas that is still all earth; fill the output fields of `job`.

    Yields:
        A step after every feature that was put.

    Raises:
        GenerationError: A feature that the level must have finds no place.
    """
    ground = FeatureSpace(canvas.height, canvas.width)
    candidates = Candidates(canvas, ground, job)
    neighbours = Neighbours((canvas.height, canvas.width))
    for floor in job.floors:
        _put_floor(floor, candidates, neighbours)
        yield Step(Phase.SEED, f"{floor.label}: {job.journal.decisions[-1].reason}", canvas)
    for request in sorted(_requests(job), key=_urgency):
        reason = _objection(request, job)
        if reason is None:
            reason = _put(request, candidates, neighbours)
            if reason is None:
                yield Step(Phase.SEED, f"{request.label}: {job.journal.decisions[-1].reason}", canvas)
                continue
            if request.entry.is_required and reason in REASONS:  # other reasons would recur at every attempt
                raise GenerationError(f"there is no place for {request.label}: {reason}")
        job.journal.note("seed", request.label, "refused", reason)
    job.lacking.update(neighbours.lacking())


def _put_floor(floor: TowerFloor, candidates: Candidates, neighbours: Neighbours) -> None:
    """Put the floor of a tower at its place on the map.

    Raises:
        GenerationError: There is no space.
    """
    candidate = candidates.floor(floor)
    is_free = candidates.ground.board.to_array(candidate.space)[floor.cell]
    if not is_free or not candidate.take(floor.cell):
        raise GenerationError(f"there is no place for {floor.label}: {NO_SPACE}")
    neighbours.add(candidate.names, Rect(*floor.cell, *candidate.size), {})
    where = f"floor {floor.number} of {floor.count}, {candidate.what} at y {floor.cell.y}, x {floor.cell.x}"
    candidates.job.journal.note("seed", floor.label, "chosen", where)


def _requests(job: SeedJob) -> Iterator[FeatureRequest]:
    """Yield a request for each copy of each feature: first those of the map, then those of the variant chosen for this level."""
    lists = [("feature", job.entry.features)]
    weights = {name: job.weigh(variant.weight) for name, variant in job.entry.variants.items()}
    if any(weights.values()):
        chosen = job.streams.winner(weights, "seed", "variant")
        job.journal.note("seed", "variant", "chosen", chosen)
        lists.append((f"variant {chosen}, feature", job.entry.variants[chosen].features))
    for title, features in lists:
        for number, feature in enumerate(features, 1):
            label = feature.name or f"{title} {number}"
            stream = job.streams.stream("seed", "count", label)
            for copy in range(1, roll(feature.count, stream, 0) + 1):
                chance = roll(feature.chance, stream, 1.0)
                if chance >= 1 or stream.chance(chance):
                    yield FeatureRequest(feature, label, copy, job.attempt)


def _urgency(request: FeatureRequest) -> tuple[bool, bool]:
    """Return the sort key of a feature: required features come first; then those with a fixed column and row."""
    return not request.entry.is_required, not request.entry.is_fixed


def _objection(request: FeatureRequest, job: SeedJob) -> str | None:
    """Return why a feature can't be on this level; None if it can.

    It can't if none of its prefabs may be used on the map, or if its stairs lead to a map to which the level has no exit.
    """
    entry, to = request.entry, request.entry.to
    if entry.prefab is not None and not any(job.called[word] for word in entry.prefab.outcomes() if word):
        return "none of its prefabs may be used on this map, by their 'only'"
    if to is None or any(to in (target, target.rsplit("/", 1)[0]) for target in job.leads_to):
        return None
    return f"this level does not lead to {to}"


def _put(request: FeatureRequest, candidates: Candidates, neighbours: Neighbours) -> str | None:
    """Put a feature on the map and return None, or return why it has no place.

    If several candidates fail, return the reason that comes last in `REASONS`: that candidate came closest.
    """
    streams = candidates.job.streams
    worst, unsound = -1, OUTSIDE
    for place in (
        FeaturePlace.rolled(request.entry, streams, *request.name, "place"),
        FeaturePlace.allowed(request.entry),
    ):
        for candidate in candidates.of(request):
            if candidate.objection is not None:
                unsound = f"{candidate.what} has {candidate.objection}"
                continue
            failed = _lay(request, place, candidate, candidates, neighbours)
            if failed is None:
                return None
            worst = max(worst, REASONS.index(failed))
    return REASONS[worst] if worst >= 0 else unsound


def _lay(
    request: FeatureRequest,
    place: FeaturePlace,
    candidate: Candidate,
    candidates: Candidates,
    neighbours: Neighbours,
) -> str | None:
    """Put a form of a feature (`candidate`) on a random cell where it fits and return None; if it fits nowhere, return one of `REASONS`.

    `place` is where the author allows the feature; `neighbours` are the features on the map.
    """
    whole = neighbours.whole
    mask = place.mask(candidate.size, whole)
    if not mask.any():
        return OUTSIDE
    mask &= neighbours.apart(candidate.names, place.spans, candidate.size)
    if not mask.any():
        return TOO_CLOSE
    board = candidates.ground.board
    allowed = board.from_array(mask)
    mask = board.to_array(allowed & candidate.space)
    spots = int(np.count_nonzero(mask))
    if not spots:
        inside, enterable = candidate.alone()
        if not allowed & inside:
            return AT_THE_EDGE
        return NO_SPACE if allowed & enterable else FACES_THE_EDGE
    job = candidates.job
    stream = job.streams.stream(*request.name, "spot")
    for _ in range(spots):
        cell = Cell(*divmod(stream.pick_set(mask), whole[1]))
        if candidate.take(cell):
            neighbours.add(candidate.names, Rect(*cell, *candidate.size), place.spans)
            where = f"{candidate.what} at y {cell.y}, x {cell.x}"
            job.journal.note("seed", request.label, "chosen", where, (("spots", spots),))
            return None
        mask[cell] = False
    return CUT_OFF
