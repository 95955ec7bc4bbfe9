"""Lint checks of symbols, the meanings of characters: unused ones, groups (one character of a group is chosen at random), chances, stairs, locks, keys and ambushes."""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.catalog.scattered import STEPS_AROUND, AroundEntry, cells_within
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.models.locks import ALL, written_openers
from dungeon.content.prefab.locked_ground import words_in_opens
from dungeon.content.prefab.variation import FitEntry, OptionalEntry, SubstituteEntry
from dungeon.content.values.grammar import Constant, leaves
from dungeon.core.errors import counted
from dungeon.core.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator, Mapping, Sequence

    from dungeon.authoring.lint.subject import MeantSymbol, Path, Rules, Says, Subject
    from dungeon.content.catalog.requests import ObjectEntry
    from dungeon.content.source.files import Record
    from dungeon.content.values.grammar import Value

SAYS: Says = {
    "warning": {
        "unused character": "this character is never used: neither the drawing nor the steps of 'vary' contain it",
        "object everywhere": "all {count} cells drawn as {mark} get this object, although {mark} is a character of built-in terrain",
        "unused parameter": "this parameter is never used: no symbol and no variation step names it under 'switch'",
        "group of one": "this group has no effect: no other character of prefab {prefab} is in it, so this one is always chosen",
        "group without weight": "no character of this group is ever chosen: in prefab {prefab} each has the weight 0",
        "stairs to nowhere": "stairs to this map are never drawn: no map that may have these stairs leads there",
        "lock without key": "this lock can never be opened: no object opens locks of this name",
        "lock of another map": "this lock can't be opened on {maps}: the objects that open it are only on other maps",
        "key without lock": "this object opens nothing: no lock has this name",
        "unknown state": "this state is never possible: no {kind} that may be chosen here lists it in the catalog",
        "toggle without effect": "'toggle' has no effect: only a prop without 'lock' and 'consumed' that opens its lock alone can shut it again",
        "ambush without bait": "this ambush is never sprung: no item has this name under 'ambush'",
        "ambush without robot": "this ambush is empty: no robot has this name under 'ambush'",
        "too many around": "there are never that many cells within {steps} of a cell: {cells} at most",
        "lock that nothing opens": "this lock can never be opened: no {kind} that it asks for has a weight above 0 in the catalog",
        "opener never chosen": "no level has this opener: its weight is 0, and another one is chosen",
    },
    "note": {
        "no band": "'followers: []' has no effect: no robot that can be chosen here has a band",
        "chance of 0": "the chance is 0%, so this part of the content never takes effect",
        "unique of one": "'unique' has no effect: only one object can be chosen here",
        "unused lock": "this lock is never used: no door, room, object or map uses it",
        "all of one opener": "'all' has no effect: only one opener is listed",
        "weight of sure opener": "'weight' has no effect: every level with this lock has this opener",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


BUILT_IN = frozenset("#.+'<>")
"""Characters that mean terrain in every drawing, unless a legend says otherwise."""

MOST_MAPS = 3
"""Maximum number of maps that a message names."""


class _Member(NamedTuple):
    """A character that may be in a group.

    Attributes:
        meant: The character's symbol, and where it is defined.
        symbol: The case of a `switch` of this symbol that names the group; the symbol itself without `switch`.
        path: YAML keys that lead to the name of the group.
        is_key: Whether the name is itself a YAML key.
    """

    meant: MeantSymbol
    symbol: SymbolEntry
    path: Path
    is_key: bool


def check_symbols(subject: Subject) -> None:
    """Check the symbols of legends, and the objects that maps and encounters scatter."""
    _check_unused(subject)
    for name in subject.prefabs:
        used = subject.meanings(name)
        _check_built_in(subject, name, used)
        _check_groups(subject, name, used)
    for name in subject.entries:
        _check_steps(subject, name)
    _check_stairs(subject)
    for entry, record, path in subject.objects():
        _check_object(subject, entry, record, path)
    _check_locks(subject)
    _check_ambushes(subject)


def _check_unused(subject: Subject) -> None:
    """Report characters and parameters that a prefab defines, but neither it nor a prefab that is `like` it uses."""
    used = {
        (id(subject.records["prefab"][name].owner(*path)), path)
        for name in subject.prefabs
        for path in _used_by(subject, name)
    }
    whole = subject.draft.drawn.keys() <= subject.prefabs.keys()
    for name, entry in subject.entries.items():
        if not (whole if name in subject.bases else name in subject.prefabs):
            continue  # an unreadable prefab may use it
        record = subject.records["prefab"][name]
        for check, key, said in (
            ("unused character", "legend", entry.legend),
            ("unused parameter", "parameters", entry.parameters),
        ):
            for each in said:
                if record.is_own(key, each) and (id(record), (key, each)) not in used:
                    subject.say(check, record, key, each, value=each, key=True)


def _used_by(subject: Subject, name: str) -> Iterator[tuple[str, str]]:
    """Yield (``legend`` or ``parameters``, name) for each character of the legend and each parameter that a prefab uses."""
    meanings, entry = subject.meanings(name), subject.entries[name]
    for char, meant in meanings.items():
        yield "legend", char
        for each, _ in meant.symbol.switches():
            yield "parameters", each.switch or ""
    for step in entry.vary:
        if isinstance(step, SubstituteEntry) and step.switch is not None:
            yield "parameters", step.switch


def _check_built_in(subject: Subject, name: str, used: Mapping[str, MeantSymbol]) -> None:
    """Report an object whose character means built-in terrain, so that every wall or floor drawn with it becomes the object."""
    planes = subject.prefabs[name].template.chars
    for char, meant in used.items():
        if char in BUILT_IN and char in planes[0] and any(leaf.kind for leaf, _ in meant.symbol.leaves()):
            cells = sum(each.char == char for each in subject.prefabs[name].drawing.references)
            record = subject.records["prefab"][name]
            path = meant.path if meant.record is record else ()
            subject.say(
                "object everywhere", record, *path, key=True, value=char, count=cells, mark=repr(char)
            )


def _check_groups(subject: Subject, name: str, used: Mapping[str, MeantSymbol]) -> None:
    """Report groups with a single character in a prefab, or without a weight above 0."""
    groups: dict[str, list[_Member]] = {}
    for meant in used.values():
        for group, member in _members(meant):
            groups.setdefault(group, []).append(member)
    record = subject.records["prefab"][name]
    for group, members in groups.items():
        meant, _, path, is_key = members[0]
        weights = [weight for member in members for weight in member.symbol.weight.outcomes()]
        check = None
        if len({id(member.meant.symbol) for member in members}) == 1:
            check = "group of one"
        elif not any(map(subject.weight, weights)):
            check = "group without weight"
        # A group in a shared legend may be right for other prefabs, so it is reported at this prefab.
        if check and meant.record is record:
            subject.say(check, record, *path, value=group, key=is_key, prefab=repr(name))
        elif check:
            subject.say(check, record, key=True, value=group, prefab=repr(name))


def _members(meant: MeantSymbol) -> Iterator[tuple[str, _Member]]:
    """Yield (group, member) for each group that a character may be in; a `switch` may name a different group in each case."""
    for symbol, below in meant.symbol.leaves():
        if symbol.group is not None:
            at = (*meant.path, *below, "group")
            for leaf, path, is_key in leaves(symbol.group, meant.record.part(*at), at):
                for group in leaf.outcomes():
                    yield group, _Member(meant, symbol, path, is_key)


def _check_steps(subject: Subject, name: str) -> None:
    record = subject.records["prefab"][name]
    for number, step in enumerate(subject.entries[name].vary if record.is_own("vary") else ()):
        if isinstance(step, FitEntry | OptionalEntry) and _never(step.chance):
            subject.say("chance of 0", record, "vary", number, "chance")


def _check_stairs(subject: Subject) -> None:
    """Report stairs with a `to` that none of the maps with these stairs leads to."""
    world = subject.draft.world
    if world is None or not subject.all_sound("encounter", "map", "prefab", "legend", "world"):
        return
    found: dict[tuple[int, Path], tuple[Value[str], Record, set[str]]] = {}
    for name in subject.prefabs:
        ids = {appearance.map_id for appearance in subject.appearances.get(name, ())}
        for meant in subject.meanings(name).values():
            for leaf, path in meant.symbol.leaves():
                if leaf.to is not None:
                    at = (*meant.path, *path, "to")
                    found.setdefault((id(meant.record), at), (leaf.to, meant.record, set()))[2].update(ids)
    for (_, at), (ways, record, ids) in found.items():
        targets = subject.targets_from(ids)
        for way, below, is_key in leaves(ways, record.part(*at), at):
            for to in way.outcomes():
                if ids and to not in targets:
                    subject.say("stairs to nowhere", record, *below, value=to, allowed=targets, key=is_key)


def _check_object(subject: Subject, entry: ObjectEntry, record: Record, path: Path) -> None:
    """Report one object's `chance` of 0, or its `unique`, `toggle` or `state` where it has no effect."""
    if _never(entry.chance):
        subject.say("chance of 0", record, *path, "chance")
    if isinstance(entry, SymbolEntry) and True in entry.unique.odds():
        selector = entry.selector
        if selector is not None and isinstance(selector.tags, Constant):
            subject.say("unique of one", record, *path, "unique", key=True)
    _check_toggle(subject, entry, record, path)
    _check_state(subject, entry, record, path)
    _check_company(subject, entry, record, path)


def _check_company(subject: Subject, entry: ObjectEntry, record: Record, path: Path) -> None:
    """Report `followers: []` where no robot has a band, and `around` that asks for more objects than there are cells."""
    if isinstance(entry, AroundEntry) and entry.density is None:
        steps = max([*entry.within.outcomes(), *([] if entry.within.applies else [STEPS_AROUND])])
        cells = cells_within(steps)
        if entry.count.applies and min(entry.count.outcomes()) > cells:
            subject.say("too many around", record, *path, "count", cells=cells, steps=counted(steps, "step"))
    kind, selector = entry.kind, entry.selector
    written = "followers" in entry.model_fields_set and getattr(entry, "followers", None) == ()
    if written and kind is not None and selector is not None:
        bands = [thing.band for thing in subject.catalog.members(kind, selector)]
        if not any(bands):
            subject.say("no band", record, *path, "followers", key=True, value="followers")


def _check_toggle(subject: Subject, entry: ObjectEntry, record: Record, path: Path) -> None:
    """Report `toggle` on an object that opens locks but, as it is no lever, can't shut them again."""
    kind, selector = entry.kind, entry.selector
    if kind is None or selector is None:
        return
    things = [*subject.catalog.members(kind, selector)]
    says = [entry.data, *(thing.data for thing in things)]
    opens = entry.opens is not None or any(
        "opens" in told for told in (*says, entry.roll, *(thing.roll for thing in things))
    )
    toggles = any(told.get("toggle") is True for told in says)
    several = {name for name, lock in subject.locks.items() if any(each.count > 1 for each in lock.opened_by)}
    is_lever = (
        entry.like == "prop"
        and entry.lock is None
        and not any(told.get("consumed") is True for told in says)
        and several.isdisjoint(_opened_by(subject, entry))
    )
    if opens and toggles and not is_lever:
        where = ("data", "toggle") if "toggle" in entry.data else (str(entry.word),)
        subject.say("toggle without effect", record, *path, *where, key=True)


def _check_state(subject: Subject, entry: ObjectEntry, record: Record, path: Path) -> None:
    """Report a `state` that none of the objects that may be chosen has in the catalog. Skipped if one of them lists no states."""
    if (
        entry.state is None
        or entry.kind is None
        or entry.selector is None
        or not subject.all_sound(entry.kind)
    ):
        return
    listed: set[str] = set()
    for thing in subject.catalog.members(entry.kind, entry.selector):
        if "state" not in thing.roll:
            return
        listed |= {str(word) for leaf, _, _ in leaves(thing.roll["state"], None) for word in leaf.outcomes()}
    at = (*path, "state")
    for leaf, below, is_key in leaves(entry.state, record.part(*at), at):
        for word in leaf.outcomes():
            if listed and word not in listed:
                subject.say(
                    "unknown state", record, *below, value=word, allowed=listed, key=is_key, kind=entry.kind
                )


def _never(chance: Value[float]) -> bool:
    return not any(value is None or value > 0 for value in chance.outcomes())


def _said(subject: Subject, key: str, kinds: Collection[str | None]) -> dict[str, tuple[Record, Path, bool]]:
    """Return the names of locks or ambushes under one YAML key (`lock`, `opens`, `ambush`) of all objects and of terrain.

    Args:
        subject: The content.
        key: The YAML key.
        kinds: The kinds of objects that count; terrain always counts.

    Returns:
        Name -> (content entry, path of YAML keys, whether the name is itself a YAML key) of its first use.
    """
    found: dict[str, tuple[Record, Path, bool]] = {}
    for entry, record, path in subject.objects():
        value = getattr(entry, key)
        if value is not None and entry.like in (*kinds, None):
            at = (*path, key)
            for leaf, below, is_key in leaves(value, record.part(*at), at):
                for word in leaf.outcomes():
                    found.setdefault(word, (record, below, is_key))
    return found


def _check_ambushes(subject: Subject) -> None:
    """Report ambushes without an item that springs them, or without a robot."""
    if not subject.all_sound("prefab", "legend", "map", "encounter"):
        return
    baits, waiting = _said(subject, "ambush", ["item"]), _said(subject, "ambush", ["robot"])
    for those, others, check in (
        (waiting, baits, "ambush without bait"),
        (baits, waiting, "ambush without robot"),
    ):
        for word, (record, path, is_key) in those.items():
            if word not in others:
                subject.say(check, record, *path, value=word, allowed=others, key=is_key)


def _check_locks(subject: Subject) -> None:
    """Report locks without a key, keys without a lock, and unused entries of ``locks.yaml``."""
    if not subject.all_sound("prefab", "legend", "map", "encounter", "lock", *subject.catalog.things):
        return
    found = {key: _said(subject, key, SPAWN_KINDS) for key in ("lock", "opens")}
    opened = {*found["opens"], *_opened_by_keywords(subject), *subject.locks}
    locked = {*found["lock"], *_locked_elsewhere(subject)}
    _check_entries(subject, locked)
    for key, others, check in (
        ("lock", opened, "lock without key"),
        ("opens", locked, "key without lock"),
    ):
        for word, (record, path, is_key) in found[key].items():
            if word not in others:
                subject.say(check, record, *path, value=word, allowed=others, key=is_key)
    _check_locks_by_map(subject)


def _check_locks_by_map(subject: Subject) -> None:
    """Report locks that have keys in the content, but none on a map that may have the lock."""
    anywhere = {*_opened_by_keywords(subject), *subject.locks}
    opened = {(word, map_id) for word, map_id, *_ in _said_by_map(subject, "opens")}
    known = anywhere | {word for word, _ in opened}
    lacking: dict[tuple[int, Path], tuple[Record, Path, bool, str, list[str]]] = {}
    for word, map_id, record, path, is_key in _said_by_map(subject, "lock"):
        if word in known and word not in anywhere and (word, map_id) not in opened:
            ids = lacking.setdefault((id(record), path), (record, path, is_key, word, []))[-1]
            ids += [] if map_id in ids else [map_id]
    for record, path, is_key, word, ids in lacking.values():
        maps = ", ".join(ids[:MOST_MAPS]) + (" and others" if len(ids) > MOST_MAPS else "")
        subject.say("lock of another map", record, *path, value=word, key=is_key, maps=maps)


def _said_by_map(subject: Subject, key: str) -> Iterator[tuple[str, str, Record, Path, bool]]:
    """Yield the names under one YAML key (`lock` or `opens`) of objects and terrain, once for each map that may have them.

    Yields:
        (name of a lock, map id, content entry, path of YAML keys, whether the name is itself a YAML key).
    """
    path: Path
    for name in subject.prefabs:
        ids = dict.fromkeys(appearance.map_id for appearance in subject.appearances.get(name, ()))
        for asked, record, path, _ in _asked_by_prefab(subject, name) if ids else ():
            yield from _words_on(asked, key, record, path, ids)
    for name, entry in subject.maps.items():
        ids = dict.fromkeys(map_id for map_id, _ in subject.ids_of(name))
        for number, scattered in enumerate(entry.population):
            for asked, below, _ in scattered.asked():
                path = ("population", number, *below)
                yield from _words_on(asked, key, subject.records["map"][name], path, ids)
    for name, at, content in subject.contents():
        ids = dict.fromkeys(
            map_id for map_name, depth in subject.places_of(name) for map_id in subject.ids[map_name, depth]
        )
        for number, each in enumerate(content):
            for asked, below, _ in each.asked():
                path = (*at, number, *below)
                yield from _words_on(asked, key, subject.records["encounter"][name], path, ids)


def _asked_by_prefab(subject: Subject, name: str) -> Iterator[tuple[ObjectEntry, Record, Path, bool]]:
    """Yield (entry, content entry, path of YAML keys, whether a character stands for it) of a prefab's symbols and their company."""
    for meant in subject.meanings(name).values():
        for leaf, within in meant.symbol.leaves():
            for asked, below, _ in leaf.asked():
                yield asked, meant.record, (*meant.path, *within, *below), not below


def openers(subject: Subject) -> dict[tuple[str, str], set[str]]:
    """Return (name of a lock, map id) -> the prefabs with an object that may be on that map and opens these locks.

    Instead of a prefab there is "" for scattered objects, and for robots, which may walk away from their prefab.
    """
    found: dict[tuple[str, str], set[str]] = {}

    def note(source: str, entry: ObjectEntry, ids: Sequence[str]) -> None:
        source = "" if entry.like == "robot" else source
        for word, map_id in product(_opened_by(subject, entry), ids):
            found.setdefault((word, map_id), set()).add(source)

    for name, appearances in subject.appearances.items():
        ids = list(dict.fromkeys(appearance.map_id for appearance in appearances))
        for asked, _, _, is_drawn in _asked_by_prefab(subject, name):
            note(name if is_drawn else "", asked, ids)
    for name, entry in subject.maps.items():
        for asked, _, _ in chain.from_iterable(each.asked() for each in entry.population):
            note("", asked, [map_id for map_id, _ in subject.ids_of(name)])
    for name, _, content in subject.contents():
        ids = [
            map_id for map_name, depth in subject.places_of(name) for map_id in subject.ids[map_name, depth]
        ]
        for asked, _, _ in chain.from_iterable(each.asked() for each in content):
            note("", asked, ids)
    return found


def _opened_by(subject: Subject, entry: ObjectEntry) -> set[str]:
    """Return the names of the locks that an object may open, by its symbol or by the catalog."""
    words = (
        {word for opens in entry.opens.outcomes() for word in words_in_opens(opens)} if entry.opens else set()
    )
    things = subject.catalog.members(entry.kind, entry.selector) if entry.kind and entry.selector else ()
    for said in (entry, *things):
        words.update(words_in_opens(said.data.get("opens")))
        for opens in said.roll["opens"].outcomes() if "opens" in said.roll else ():
            words.update(words_in_opens(opens))
    return words


def _words_on(
    entry: ObjectEntry, key: str, record: Record, path: Path, ids: Collection[str]
) -> Iterator[tuple[str, str, Record, Path, bool]]:
    """Yield the names (such as those of locks) that a symbol has under one YAML key, once for each map.

    Args:
        entry: The symbol.
        key: The YAML key.
        record: The content entry with the symbol.
        path: The YAML keys that lead to the symbol in that entry.
        ids: The ids of the maps.

    Yields:
        (name, map id, content entry, path of YAML keys, whether the name is itself a YAML key).
    """
    value = getattr(entry, key)
    if value is not None:
        at = (*path, key)
        for leaf, below, is_key in leaves(value, record.part(*at), at):
            for word in leaf.outcomes():
                for map_id in ids:
                    yield word, map_id, record, below, is_key


def _check_entries(subject: Subject, locked: Container[str]) -> None:
    """Report entries of ``locks.yaml`` that lock nothing, that no object of the catalog opens, or whose `state` no such object has."""
    for name, entry in subject.locks.items():
        record = subject.records["lock"][name]
        if name not in locked:
            subject.say("unused lock", record, key=True)
        if entry.keys == ALL and len(entry.opened_by) == 1:
            subject.say("all of one opener", record, "keys")
        for (path, _), opener in zip(written_openers(record), entry.opened_by, strict=True):
            if "weight" in opener.model_fields_set and (entry.keys == ALL or len(entry.opened_by) == 1):
                subject.say("weight of sure opener", record, *path, "weight", key=True)
            elif not opener.weight:
                subject.say("opener never chosen", record, *path, "weight")
            if opener.asked is not None:
                _check_opener(subject, opener.asked, record, path)


def _check_opener(subject: Subject, asked: ObjectEntry, record: Record, path: Path) -> None:
    """Report an opener in ``locks.yaml`` that the catalog doesn't have, or a state that it doesn't have."""
    _check_state(subject, asked, record, path)
    if asked.kind is not None and asked.selector is not None:
        members = list(subject.catalog.members(asked.kind, asked.selector))
        if not any(map(subject.ever, (thing.weight for thing in members))) and asked.selector.tags is None:
            subject.say("lock that nothing opens", record, *path, str(asked.word), kind=asked.kind)


def _locked_elsewhere(subject: Subject) -> Iterator[str]:
    """Yield the lock names used by encounters, maps, zones and features, and by `locks.yaml` entries that another lock's keys open."""
    for form in subject.forms:
        yield from form.entry.lock.outcomes() if form.entry.lock is not None else ()
    for entry in subject.maps.values():
        yield from entry.locks
        for zone in entry.layout.params.named_zones().values():
            yield from zone.lock.outcomes() if zone.lock is not None else ()
        for _, feature in entry.all_features():
            yield from feature.lock.outcomes() if feature.lock is not None else ()
    for lock in subject.locks.values():
        yield from lock.followed


def _opened_by_keywords(subject: Subject) -> Iterator[str]:
    """Yield the lock names that objects open by data (`opens` in their catalog entries, or as a keyword of a symbol)."""
    said = [
        (thing.data, thing.roll) for things in subject.catalog.things.values() for thing in things.values()
    ]
    said += [(entry.data, entry.roll) for entry, _, _ in subject.objects()]
    for data, roll in said:
        yield from words_in_opens(data.get("opens"))
        for opens in roll["opens"].outcomes() if "opens" in roll else ():
            yield from words_in_opens(opens)


RULES: Rules = (check_symbols,)
