"""Lint checks by trial: make some levels of each map, or only ground plans (rooms and corridors), and report what fails or never appears. A journal lists the decisions made for one level."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from dungeon.authoring.lint.encounters import SITES
from dungeon.authoring.lint.features import keys_said
from dungeon.content.values.grammar import listed
from dungeon.core.errors import GenerationError, described
from dungeon.core.registry import LAYOUTS
from dungeon.generation.seeding.seed import OUTSIDE, REASONS
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.layout import lay_out, must_be_there, plan
from dungeon.generation.stages.locks import UNLOCKED
from dungeon.generation.stages.pipeline import make
from dungeon.generation.stages.seed import seed, seed_for
from dungeon.generation.towers import Towers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterForm
    from dungeon.content.models.features import FeatureEntry
    from dungeon.content.source.files import Record
    from dungeon.core.errors import Source
    from dungeon.generation.stages.brief import Stage
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.journal import Journal
    from dungeon.level.model import Level

SAYS: Says = {
    "error": {
        "no level": "in {some} of {all} tries, no level of this map could be made: {reason}",
    },
    "warning": {
        "too many doors": "no room or cave of {maps} has as many doors as 'access' asks for: in the sample levels each has at most {most}",
        "fewer rooms than asked": "the layout asks for {wanted} rooms, but in {all} tries at most {most} of them found space",
        "never locked": "this lock is never used: in {all} tries no place was found for its keys",
        "no map for keys": "in {some} of {all} worlds nothing is locked with this, as no map of 'keys_on' can be reached before it",
        "feature never placed": "in {all} tries no place was found for this feature: {reason}",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


Result = TypeVar("Result")
TRIES = 8
"""Maximum number of trial levels of a map.

All are made if the map is a single drawing or has a required encounter or zone; large maps get fewer, see `TRIAL_CELLS`. Otherwise
trying stops as soon as one level of each variant has been made.
"""

KEY_WORLDS = 40
"""Number of worlds in which keys on other maps are dealt, to find locks for whose keys some worlds have no map."""

ENOUGH = 3
"""Minimum number of trials for a verdict on a feature or a lock."""

LACKING = tuple(each for each in REASONS if each != OUTSIDE)
"""The reasons that only trials can find; the module `features` reports places that are impossible anyway."""

SHORT_TRIES = 3
"""Number of trials of a map after which it is given up: with fewer than half of its rooms, or without any level."""

MANY_DOORS = 12
"""An `access` of up to this many doors is never reported, even if no room of a trial level has half as many."""

TRIAL_CELLS = 30_000
"""Maximum number of cells of all trial levels of a map together; but three are always made.

For a map with more cells than this, only ground plans are made.
"""


def check_trial_levels(subject: Subject) -> None:
    """Make trial levels of all maps. Report maps that can't be made, and rooms, features and locks that never appear.

    Also report an `access` that asks for more doors than rooms have. Maps with an error of their own or of a needed prefab are
    skipped, and so is all content with errors.
    """
    content = subject.content
    if content is None:
        return
    with_errors = {each.entry for each in subject.draft.log.problems}
    doors: dict[str, int] = {}
    _check_key_maps(subject, content)
    worlds = [Towers.of_world(content, seed) for seed in range(TRIES)]
    for name in subject.maps:
        is_whole = subject.records["map"][name].label not in with_errors and name not in subject.unmakeable
        if is_whole and subject.ids_of(name):
            made = _try_out(subject, content, name, worlds)
            if made is not None:
                doors[name] = _most_doors(made)
    for form in {(form.encounter, form.at("access")): form for form in subject.forms}.values():
        _check_access(subject, form, doors)


def _check_key_maps(subject: Subject, content: Content) -> None:
    """Report locks with `keys_on` for whose keys some worlds have no map."""
    if not any(lock.keys_on for lock in content.locks.values()):
        return
    lacking = Counter(
        lock for seed in range(KEY_WORLDS) for lock in Towers.of_world(content, seed).keys.lacking
    )
    for lock, count in lacking.items():
        record = subject.records["lock"][lock]
        subject.say("no map for keys", record, "keys_on", key=True, some=count, all=KEY_WORLDS)


def _most_doors(made: Level | Canvas) -> int:
    """Return the largest number of connections of a room or cave; 0 without rooms and caves."""
    ways = Counter(region for each in made.connections for region in each.between)
    return max((ways[each.id] for each in made.regions if each.kind in SITES), default=0)


def _check_access(subject: Subject, form: EncounterForm, doors: Mapping[str, int]) -> None:
    """Report an encounter whose `access` (number of doors) is more than any room or cave of its maps is likely to have.

    That is more than `MANY_DOORS`, and more than twice the doors of each room in the first trial level of each of its maps.

    Args:
        subject: The content.
        form: A variant of the encounter.
        doors: Map -> the largest number of doors of a room or cave in its first trial level.
    """
    maps = [each for each, weight in form.entry.maps.items() if subject.ever(weight)]
    if form.entry.access is None or not maps or not all(each in doors for each in maps):
        return
    most = max(doors[each] for each in maps)
    if form.entry.access[0] > max(2 * most, MANY_DOORS):
        record, path = subject.records["encounter"][form.encounter], form.at("access")
        value = record.part(*path)
        subject.say("too many doors", record, *path, value=value, maps=listed(maps), most=most)


def _try_out(
    subject: Subject, content: Content, name: str, worlds: Sequence[Towers]
) -> Level | Canvas | None:
    """Make trial levels of map type `name`, and report what fails. First the features alone are placed on empty maps.

    Args:
        subject: The content, which may have errors.
        content: The content to make levels of.
        name: The map type.
        worlds: The maps and towers of each world to take the trials from.

    Returns:
        The first level or ground plan; None if none could be made.
    """
    entry, record = subject.maps[name], subject.records["map"][name]
    draws_all, (height, width) = LAYOUTS[entry.layout.name].draws_all, entry.size.most
    briefs = [_brief(content, name, subject.ids_of(name), number, worlds[number]) for number in range(TRIES)]
    featuring = entry.features or entry.variants
    reasons = [_outcome(brief, _seeded(brief))[1] for brief in briefs] if featuring else []
    tried, key = len(reasons), "features" if "features" in record.fields else "variants"
    made: Level | Canvas | None = None
    if not any(reasons):
        journals = [brief.journal for brief in briefs]
        _check_features(subject, name, journals)
        chosen = [
            "".join(each.reason for each in journal.decisions if each.subject == "variant")
            for journal in journals
        ]
        made_of: Counter[str] = Counter()
        tried, key, reasons, journals = 0, "layout", [], []
        is_small, demanding = height * width <= TRIAL_CELLS, any(map(must_be_there, briefs))
        most = max(SHORT_TRIES, min(TRIES, TRIAL_CELLS // (height * width)))
        needed = most if demanding else 1
        for number, variant in enumerate(chosen):
            failed = len([each for each in reasons if each])
            if not draws_all and (made_of[variant] >= needed or tried >= most or failed >= SHORT_TRIES):
                continue
            brief = _brief(content, name, subject.ids_of(name), number, worlds[number])
            journals.append(brief.journal)
            tried += 1
            result: Level | Canvas | None
            if draws_all or (is_small and (demanding or not made_of[variant])):
                result, reason = _outcome(brief, make(brief))
            else:
                result, reason = _outcome(brief, _laid_out(brief))
            made = made or result
            reasons.append(reason)
            if not (reason or (tried < SHORT_TRIES and _shortfall(brief.journal))):
                made_of[variant] += 1
        _check_shortfall(subject, name, journals)
        _check_locks(subject, name, journals)
    said = [each for each in reasons if each]
    if said:
        subject.say("no level", record, key, key=True, some=len(said), all=tried, reason=said[0])
    return made


def _check_features(subject: Subject, name: str, journals: Sequence[Journal]) -> None:
    """Report features of map type `name` for which no place was found in any trial. A journal is that of one trial."""
    entry, record = subject.maps[name], subject.records["map"][name]
    told = {(each.source.line, each.source.column) for each in subject.draft.log.remarks}
    for path, feature in entry.all_features():
        *above, number = path
        title = f"variant {above[1]}, feature" if above[0] == "variants" else "feature"
        label = feature.name or f"{title} {int(number) + 1}"
        tries = [
            [each for each in journal.decisions if each.stage == "seed" and each.subject == label]
            for journal in journals
        ]
        tries = [each for each in tries if each]
        refused = [each[0].reason for each in tries if all(it.verdict == "refused" for it in each)]
        places = [reason for reason in refused if reason in LACKING]
        known = any((each.line, each.column) in told for each in _sources(record, path, feature))
        if len(tries) >= ENOUGH and len(places) == len(tries) and not known:
            subject.say(
                "feature never placed",
                record,
                *path,
                feature.kind,
                key=True,
                value=feature.kind,
                all=len(tries),
                reason=places[0],
            )


def _sources(record: Record, path: Path, feature: FeatureEntry) -> Iterator[Source]:
    """Yield the places in the file at which other checks may have reported the same feature."""
    keys: list[Path] = [(key,) for key in keys_said(feature)]
    keys += [(key, word) for key in ("far_from", "near") for word in getattr(feature, key)]
    for key in keys:
        yield record.source(*path, *key, key=True)
        yield record.source(*path, *key)


def _shortfall(journal: Journal) -> tuple[int, int] | None:
    """Return (rooms wanted, rooms built) by a layout, as its journal tells, if less than half were built; else None."""
    for decision in journal.decisions:
        counts = dict(decision.counts)
        wanted, built = counts.get("wanted", 0), counts.get("built", 0)
        if decision.stage == "layout" and 2 * built < wanted:
            return wanted, built
    return None


def _check_shortfall(subject: Subject, name: str, journals: Sequence[Journal]) -> None:
    """Report a map that never had half of the rooms that it asks for."""
    short = [_shortfall(each) for each in journals]
    found = [each for each in short if each is not None]
    if found and len(found) == len(short) >= SHORT_TRIES:
        wanted, most = min(each for each, _ in found), max(each for _, each in found)
        record = subject.records["map"][name]
        subject.say(
            "fewer rooms than asked", record, "layout", key=True, all=len(short), most=most, wanted=wanted
        )


def _check_locks(subject: Subject, name: str, journals: Sequence[Journal]) -> None:
    """Report locks that were never used in the trials of map type `name`, because no place was found for their keys."""
    unlocked = Counter(
        decision.subject
        for journal in journals
        for decision in journal.decisions
        if decision.stage == "locks" and decision.reason == UNLOCKED
    )
    for word, count in unlocked.items():
        if count == len(journals) >= ENOUGH:
            record = subject.records["map"][name]
            subject.say("never locked", record, "layout", key=True, value=word, all=count)


def _brief(content: Content, name: str, ids: Sequence[tuple[str, int]], number: int, world: Towers) -> Brief:
    """Return the brief for one trial level of a map: what to make, with its seed, id, depth and shares.

    Args:
        content: The content.
        name: The map, which worlds may have under several ids.
        ids: (id, depth) of each. Successive trials use successive ids.
        number: The number of the trial, which is also the seed of its world.
        world: The maps and towers of that world. If the id is none of its maps, the level gets no share of limits that hold for a
            whole world. It gets no floors of towers either then, nor if one of them has no place.
    """
    map_id, depth = ids[number % len(ids)]
    if map_id in world.nodes and world.nodes[map_id].name == name:
        try:
            return world.brief(map_id)
        except GenerationError:  # reported by `check_towers`
            return world.brief_with(map_id, ())
    return Brief(
        content=content,
        seed=number,
        id=map_id,
        name=name,
        depth=depth,
        leads_to=content.chart.may_lead_to(map_id),
        shares={},
        watched=False,
    )


def _seeded(brief: Brief) -> Stage[SeededMap]:
    planned = yield from plan(brief)
    return (yield from seed(brief, planned.canvas))


def _laid_out(brief: Brief) -> Stage[Canvas]:
    planned = yield from plan(brief)
    _, ground = yield from seed_for(
        brief, planned.canvas, lambda seeded, attempt: lay_out(brief, seeded, attempt)
    )
    return ground.canvas


def _outcome(brief: Brief, stage: Stage[Result]) -> tuple[Result | None, str]:
    """Run a stage of generation; return (its result, ""), or (None, the reason why it failed)."""
    try:
        return finished(stage), ""
    except GenerationError as error:
        lines = str(error).removeprefix(f"{brief.id} of seed {brief.seed}: ").splitlines()
        return None, " ".join(map(str.strip, lines[:2]))  # the second line names a broken rule of the proof
    except Exception as error:  # noqa: BLE001  # a plugin may raise anything; the other maps are still checked
        return None, described(error, 1).removesuffix(".")


RULES: Rules = (check_trial_levels,)
