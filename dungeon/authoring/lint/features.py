"""Lint checks of map features: prefabs, stairs and areas that lie on a map before its rooms are dug. Is there a place for each, and do its stairs lead anywhere?"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from dungeon import terrain as t
from dungeon.authoring.lint.encounters import fits_into
from dungeon.content.models.features import LANDING, length_in_cells, lies_at, lies_beside, lies_within
from dungeon.content.models.maps import SizeEntry
from dungeon.content.values.grammar import Constant
from dungeon.core.errors import GenerationError
from dungeon.core.registry import LAYOUTS
from dungeon.core.streams import Streams
from dungeon.generation.seeding.candidates import SeedJob
from dungeon.generation.seeding.seed import seed
from dungeon.generation.stages.brief import finished
from dungeon.grid.symmetry import Orientation
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.models.features import FeatureEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.source.files import Record
    from dungeon.content.values.grammar import Value
    from dungeon.core.registry import Size

SAYS: Says = {
    "warning": {
        "area too large": "this area is larger than the map, which is at most {size} cells",
        "off the map": "a feature placed here would reach beyond the map, which is at most {size} cells",
        "no such place": "the feature can't be placed: no place on the map ({size} cells at most) meets all its conditions",
        "never on the map": "the feature can't be placed on any level of this map: {reason}",
        "no space left": "the feature covers the whole map ({size} cells at most), so that no room or corridor can be dug",
        "never lies so": "prefab {prefab} permits none of the orientations listed here",
        "no stairs": "the feature can't lead to this map: none of its prefabs has stairs down or an exit",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


BORDER = 2
"""Number of rows, and of columns, on the closed border of a map."""

OTHER_SIZE = SizeEntry().most
"""The default (height, width) of a map, for sizes that apply only with a chance."""

MOST_TRIED = 50_000
"""Maximum number of combinations of place and size that are tried for a feature; with more, the check is skipped."""


PLACE_KEYS = ("where", "from", "at", "x", "y")
"""The keys that say where a feature lies."""

TRIES = 3
"""Number of seeds with which a feature is placed on an empty map, as variants of its prefabs may differ."""


def check_features(subject: Subject) -> None:
    """Check the features and variants of all maps."""
    for name, entry in subject.maps.items():
        record = subject.records["map"][name]
        for variant, each in entry.variants.items():
            if subject.weight(each.weight) <= 0:
                subject.say("variant without weight", record, "variants", variant, key=True, value=variant)
        whole = entry.size.most
        for path, feature in entry.all_features():
            if not LAYOUTS[entry.layout.name].brings_size:
                reason = _reason_against(subject, name, feature)
                breaks = bool(reason) and feature.is_required
                told = _check_size(subject, name, feature, path, whole, breaks=breaks)
                if reason and not told and (breaks or " has " not in reason):
                    key = next((key for key in PLACE_KEYS if key in keys_said(feature)), feature.kind)
                    subject.say(
                        "never on the map", record, *path, key, key=True, breaks=breaks, reason=reason
                    )
            _check_prefabs(subject, record, feature, path)
            _check_destination(subject, name, feature, path)


def _check_size(
    subject: Subject, name: str, feature: FeatureEntry, path: Path, whole: Size, *, breaks: bool
) -> bool:
    """Report a feature that is too large for the map, lies partly beyond it or has no place on it. Return whether anything was reported.

    A `far_from` that is longer than the way from corner to corner of the map is reported, too.

    Args:
        subject: The content.
        name: The map.
        feature: The feature.
        path: YAML keys that lead to the feature in the map's entry.
        whole: Largest possible (height, width) of the map.
        breaks: Whether to report errors, not warnings, as no level of the map can be made.
    """
    record, log = subject.records["map"][name], subject.draft.log
    before = len(log.remarks) + len(log.problems)
    say = partial(subject.say, breaks=breaks)
    shown = f"{whole[1]}x{whole[0]}"
    inside = whole[0] - BORDER, whole[1] - BORDER
    sizes = [_least(feature, whole)] if feature.prefab is None else []
    for prefab in _prefabs(subject, feature):
        own = _sizes(prefab, feature)
        sizes += own
        if own and not any(fits_into(size, inside) for size in own):
            say(
                "larger than the map",
                record,
                *path,
                "prefab",
                prefab=repr(prefab.name),
                size=f"{prefab.width}x{prefab.height}",
                maps=f"map {name}",
                largest=f"{inside[1]}x{inside[0]}",
            )
    doubt = _doubt_of_area(feature, whole)
    if doubt is not None:
        say(doubt, record, *path, feature.kind, key=True, value=feature.kind, size=shown)
    else:
        off = list(_places_off(feature, sizes, whole))
        for where, place in off:
            say("off the map", record, *path, *where, value=place, size=shown)
        if not off and _lies_nowhere(subject, feature, sizes, _extents(subject, name)):
            key = next((key for key in PLACE_KEYS if key in keys_said(feature)), feature.kind)
            say("no such place", record, *path, key, key=True, value=key, size=shown)
    for other, value in feature.far_from.items():
        steps = min(value.outcomes())
        if steps > sum(inside):
            subject.say("farther than the map", record, *path, "far_from", other, value=steps, size=shown)
    return len(log.remarks) + len(log.problems) > before


def _reason_against(subject: Subject, name: str, feature: FeatureEntry) -> str:
    """Return why a feature can't be placed even alone on an empty map of map type `name`; an empty text if it can.

    The map's largest and smallest possible sizes are tried, with `TRIES` seeds each.
    """
    words = dict.fromkeys(feature.prefab.outcomes()) if feature.prefab is not None else {}
    called = {word: tuple(map(subject.prefabs.__getitem__, subject.called.get(word, ()))) for word in words}
    prefabs = [prefab for each in called.values() for prefab in each]
    if not all(called.values()) or not all(subject.rolled(prefab.name) for prefab in prefabs):
        return ""  # an invalid prefab may be meant to fit
    sure = {"required": True, "count": Constant(1), "chance": Constant(1.0), "to": None}
    alone = feature.model_copy(update={**sure, "far_from": {}, "near": {}})
    entry = subject.maps[name].model_copy(update={"features": (alone,), "variants": {}})
    heights, widths = ((max(each), min(each)) for each in _extents(subject, name))
    reason = ""
    for number, height, width in product(range(TRIES), dict.fromkeys(heights), dict.fromkeys(widths)):
        job = SeedJob(
            entry=entry,
            called=called,
            weigh=subject.weight,
            variants=subject.variants,
            tint=lambda _: None,
            leads_to=(),
            streams=Streams(number, name),
            journal=Journal(),
        )
        try:
            finished(seed(Canvas(height, width, subject.terrain_set), job))
        except GenerationError as error:
            reason = reason or str(error).split(": ", 1)[1]
        else:
            return ""
    return reason


def _doubt_of_area(feature: FeatureEntry, whole: Size) -> str | None:
    """Return the name of the check that a feature's area fails on a map of (height, width) `whole`: too large, or no space left.

    None if it fails neither. The area has its smallest possible size.
    """
    if feature.area is None:
        return None
    size = _least(feature, whole)
    if not fits_into(size, whole):
        return "area too large"
    inside = whole[0] - BORDER, whole[1] - BORDER
    return "no space left" if feature.kind in ("blocked", "keep_out") and fits_into(inside, size) else None


def _places_off(feature: FeatureEntry, sizes: Sequence[Size], whole: Size) -> Iterator[tuple[Path, int]]:
    """Yield (path of YAML keys, row or column) for each row or column at which a feature would reach beyond the map.

    Args:
        feature: The feature.
        sizes: Its possible (height, width); the smallest counts.
        whole: Largest possible (height, width) of the map.
    """
    for spans, extent in ((_places(feature, 0), 1), (_places(feature, 1), 0)):
        least = min((size[extent] for size in sizes), default=1)
        for where, places in spans:
            for place in places:
                if isinstance(place, int) and _is_off(place, least, whole[extent]):
                    yield where, place
                    break


def _places(feature: FeatureEntry, number: int) -> Iterator[tuple[Path, Iterable[float]]]:
    """Yield (path of YAML keys, possible values) for each key that sets a feature's column (if `number` is 0) or row (if it is 1)."""
    if feature.at is not None:
        yield ("at", number), feature.at[number].outcomes()
    given = (feature.x, feature.y)[number]
    if given is not None:
        yield ("xy"[number],), given.outcomes()
    sides = set(feature.side.outcomes()) if feature.side is not None else set()
    words = ("west", "east") if number == 0 else ("north", "south")
    if sides and all(any(word in side for word in words) for side in sides):
        yield ("distance",), feature.distance.outcomes()


def keys_said(feature: FeatureEntry) -> set[str]:
    """Return the YAML keys that the author has written for a feature, spelled as in the file."""
    return {type(feature).model_fields[key].alias or key for key in feature.model_fields_set}


def _lies_nowhere(
    subject: Subject, feature: FeatureEntry, sizes: Sequence[Size], extents: tuple[list[int], list[int]]
) -> bool:
    """Tell whether the keys for a feature's place contradict each other on maps of every possible size.

    Possible rows depend only on the map's height, and possible columns only on its width. Return False if there are too
    many combinations to try, or a prefab is invalid.

    Args:
        subject: The content.
        feature: The feature.
        sizes: Its possible (height, width).
        extents: All possible heights and all possible widths of the map.
    """
    if not subject.all_sound("prefab"):
        return False
    shapes: list[tuple[float, float]] = [*sizes]
    if feature.area is not None:
        shapes = list(product(_options(feature.area.height, 1), _options(feature.area.width, 1)))
    sides = list(product(_options(feature.side), _options(feature.distance, 1)))
    regions = _options(feature.where)
    if not shapes or len(shapes) * len(sides) * len(regions) * sum(map(len, extents)) > MOST_TRIED:
        return False
    return not any(
        all(_has_line(feature, number, shape, beside, region, extents[number]) for number in (0, 1))
        for shape, beside, region in product(shapes, sides, regions)
    )


def _extents(subject: Subject, name: str) -> tuple[list[int], list[int]]:
    """Return all possible heights and all possible widths of a map, at the depths at which the world has it."""
    size = subject.maps[name].size
    sides = [size.at(depth) for depth in (subject.depths or {}).get(name, ())] or [size.at(0)]
    heights, widths = (
        list(dict.fromkeys(each for value in values for each in _options(value, other)))
        for values, other in zip(zip(*sides, strict=True), OTHER_SIZE, strict=True)
    )
    return heights, widths


def _has_line(
    feature: FeatureEntry,
    number: int,
    shape: tuple[float, float],
    beside: tuple[str | None, int],
    region: str | None,
    extents: Sequence[int],
) -> bool:
    """Return whether a feature has a possible row (if `number` is 0) or column (if it is 1) on a map.

    Args:
        feature: The feature.
        number: 0 for rows, 1 for columns.
        shape: (height, width) of the feature, in cells or as a share of the map.
        beside: The side of the map that the feature lies at, or None; and its distance from there in cells.
        region: The part of the map given by `where`; None for anywhere.
        extents: The possible heights (or widths) of the map.
    """
    given = _options((feature.down, feature.across)[number])
    places = () if None in given else given
    shift = max(most for reach in feature.shift.outcomes() for most in reach[1 - number].outcomes())
    for extent in extents:
        length = length_in_cells(shape[number], extent)
        size, whole = (length, length), (extent, extent)  # only the entry `number` of each pair is used
        line = lies_at(places, shift, length, extent)
        side, distance = beside
        if side is not None:
            line &= lies_beside(side, distance, size, whole)[number]
        if region is not None:
            line &= lies_within(region, size, whole)[number]
        if line.any():
            return True
    return False


def _options(value: Value[Any] | None, otherwise: Any = None) -> list[Any]:
    """Return all possible outcomes of a random value. `otherwise` replaces None: no value, or a value that chance leaves out."""
    odds = [None] if value is None else list(value.odds())
    return [otherwise if each is None else each for each in odds]


def _is_off(place: int, length: int, whole: int) -> bool:
    """Tell whether part of a feature would lie outside the map, along one axis.

    Args:
        place: The first row or column of the feature. A negative one counts from the map's far edge: -1 touches it.
        length: Number of rows or columns of the feature.
        whole: Number of rows or columns of the map.
    """
    first = place if place >= 0 else whole - length + 1 + place
    return first < 0 or first + length > whole


def _least(feature: FeatureEntry, whole: Size) -> Size:
    """Return the smallest (height, width) of a feature without prefab, on a map of (height, width) `whole`."""
    if feature.area is None:
        return LANDING, LANDING
    values = feature.area.height, feature.area.width
    height, width = (
        min(side if isinstance(side, int) else round(side * extent) for side in value.outcomes())
        for value, extent in zip(values, whole, strict=True)
    )
    return height, width


# -- prefabs ------------------------------------------------------------------------------------


def _prefabs(subject: Subject, feature: FeatureEntry) -> list[Prefab]:
    """Return the valid prefabs of a feature, each once."""
    words = dict.fromkeys(feature.prefab.outcomes()) if feature.prefab is not None else {}
    names = dict.fromkeys(name for word in words for name in subject.called.get(word, ()))
    return [subject.prefabs[name] for name in names]


def _sizes(prefab: Prefab, feature: FeatureEntry) -> list[Size]:
    """Return the (height, width) of a prefab in each orientation that both it and the feature permit."""
    ways = set(map(Orientation.named, feature.orientations)) if feature.orientations else set(Orientation)
    return [prefab.size(each) for each in prefab.orientations if each in ways]


def _check_prefabs(subject: Subject, record: Record, feature: FeatureEntry, path: Path) -> None:
    """Report prefabs that permit none of the feature's orientations, and a `to` (a map) if no prefab has stairs down or an exit."""
    prefabs = _prefabs(subject, feature)
    for prefab in prefabs:
        if not _sizes(prefab, feature):
            subject.say("never lies so", record, *path, "orientations", prefab=repr(prefab.name))
    drawings = [drawing for prefab in prefabs for drawing in subject.rolled(prefab.name)]
    if feature.to is not None and drawings:
        leading = (t.STAIRS_DOWN, t.EXIT)
        bases = [subject.terrain_set.base[drawing.terrain] for drawing in drawings]
        if not any((base == code).any() for base in bases for code in leading):
            subject.say("no stairs", record, *path, "to", value=feature.to)


def _check_destination(subject: Subject, name: str, feature: FeatureEntry, path: Path) -> None:
    """Report a feature whose YAML key `to` names a map to which no level of this map leads."""
    if feature.to is None or subject.draft.world is None or not subject.all_sound("world"):
        return
    targets = subject.targets_from(map_id for map_id, _ in subject.ids_of(name))
    if name in (subject.depths or {}) and feature.to not in targets:
        record = subject.records["map"][name]
        subject.say("stairs to nowhere", record, *path, "to", value=feature.to, allowed=targets)


RULES: Rules = (check_features,)
