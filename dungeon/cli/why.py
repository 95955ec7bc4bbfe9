"""`dungeon why`: print why each encounter is on a map, or why it is not. A case is all that happened to one encounter; a turn is one attempt to place it."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from dungeon.cli.calling import (
    DONE,
    add_data,
    add_difficulty,
    add_seed,
    at_difficulty,
    find_map,
    folders_from_options,
    load_for_command,
    unknown,
)
from dungeon.cli.completion import complete_with
from dungeon.cli.printing import placement_line, waiting
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.encounters.case import Case, Turn
    from dungeon.level.journal import Decision
    from dungeon.level.model import Level
    from dungeon.world import World

NOT_THERE = {
    "not drawn": "not drawn",
    "impossible": "impossible here",
    "elsewhere": "not meant for this kind of map",
}
"""Outcome of an encounter that was never tried -> words for it."""


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "why",
        help="explain why an encounter is on a map, or why it is not",
        description="Print why the generator placed or refused an encounter on a map; for a prefab, each encounter that uses it. "
        "Without a name, list all encounters: placed, refused or not drawn. The numbers are the order in which the generator "
        "tried them.",
        epilog="example: dungeon why foundry/3 engine_house --seed 7",
    )
    complete_with(
        command.add_argument("map", metavar="MAP", help="a map id such as foundry/3, or a map type"), "map"
    )
    complete_with(
        command.add_argument(
            "encounter",
            nargs="?",
            metavar="ENCOUNTER",
            help="name of an encounter or prefab (default: all encounters)",
        ),
        "encounter",
        "prefab",
    )
    add_seed(command, "of the world")
    complete_with(add_difficulty(command), "difficulty")
    add_data(command)
    command.add_argument("--json", action="store_true", help="print the reasons as one JSON object")
    return command


def run(options: argparse.Namespace) -> int:
    """Make the level and print the reasons."""
    import dungeon

    content = load_for_command(folders_from_options(options))
    world = dungeon.World(at_difficulty(content, options), options.seed)
    node = _node(world, options.map)
    name = options.encounter
    if name is not None and name not in content.encounters and not content.has_prefab(name):
        known = [*content.encounters, *content.prefab_names]
        raise unknown("encounter or prefab", name, known, content.removal("encounter", name))
    with waiting(f"making {node.id}"):
        level = world.level(node.id)
        cases = world.why(node.id, level)
    if options.json:
        asked = cases if name is None else _cases_of(name, cases, content)
        print(json.dumps(_as_json(level, asked, content), ensure_ascii=False, indent=2))
        return DONE
    lines = report_lines(level, cases, world) if name is None else lines_about(level, name, cases, content)
    for line in lines:
        print(line)
    return DONE


def _node(world: World, name: str) -> MapNode:
    """Return the map with this id, or the first map of this branch or type.

    Raises:
        CallError: This world has no such map.
    """
    node = find_map(world, name)
    if node is None:
        raise unknown(
            "map", name, [each for node in world.maps for each in (node.id, node.branch, node.name)]
        )
    return node


def report_lines(level: Level, cases: Sequence[Case], world: World) -> Iterator[str]:
    """Yield the report on all encounters of a level, line by line.

    First come the level, its locks and the locks that were refused. Then come sections of encounters: chosen, refused, not drawn,
    impossible here, and not meant for this kind of map.
    """
    from dungeon.adapters.console import to_graph
    from dungeon.generation.encounters.case import OUTCOMES

    met = {outcome: [case for case in cases if case.outcome == outcome] for outcome in OUTCOMES}
    at = f", difficulty {world.difficulty}" if world.difficulty else ""
    yield f"{level.id}: {level.name}, depth {level.depth}, seed {level.seed}{at}"
    yield from _changes(world.content, "map", world.node(level.id).name)
    for decision in level.journal:
        if decision.stage in ("plan", "place") and decision.subject == level.id:
            yield f"  {decision.reason}"
    sent = [key.lock for key in world.keys if key.map == level.id]
    refused = [each for each in level.journal if each.stage == "locks" and each.verdict == "refused"]
    if level.locks or sent or refused:
        yield from ["", *to_graph(level).splitlines()]
    for decision in refused:
        yield f"  {decision.subject}: refused, {decision.reason}"
    for lock in sent:
        yield f"  here lies a key of the lock {lock} ({world.content.locks[lock].name}), which other maps have"
    yield from _section("chosen", met["chosen"])
    yield from _section("refused", met["refused"])
    yield from _section("not drawn", met["not drawn"])
    yield from _section("impossible here", met["impossible"])
    if met["elsewhere"]:
        yield from ["", f"not meant for this kind of map ({len(met['elsewhere'])})"]
        names = ", ".join(case.encounter for case in met["elsewhere"])
        yield from wrap(names, 100, initial_indent="  ", subsequent_indent="  ")


def _section(heading: str, cases: Sequence[Case]) -> Iterator[str]:
    """Yield the heading of a section, then the lines of its encounters.

    An encounter has a line for each attempt to place it, or a single line if it was never tried.
    """
    reasons = dict.fromkeys(case.reason for case in cases if not case.turns)
    shared = next(iter(reasons)) if len(reasons) == 1 and len(cases) > 1 else None
    if cases:
        turns = [turn.decision.verdict for case in cases for turn in case.turns]
        what = "copies of" if {*turns} == {"chosen"} else "attempts with"
        count = (
            f"{len(turns)} {what} {counted(len(cases), 'encounter')}"
            if len(turns) > len(cases)
            else str(len(cases))
        )
        yield from ["", f"{heading} ({count})" + (f": {shared}" if shared else "")]
    width = max((len(case.encounter) for case in cases), default=0)
    sort = max((len(case.category) for case in cases), default=0)
    for case in cases:
        named = f"{case.category:{sort}}  {case.encounter:{width}}"
        for turn in case.turns:
            yield f"  {turn.number:3}  {named}  {_decision_text(turn.decision)}"
        if not case.turns:
            words = [case.reason] * (case.reason != shared) + [_chance(case)] * (case.first > 0)
            yield f"       {named}  {', '.join(words)}"


def _changes(content: Content, kind: str, name: str) -> Iterator[str]:
    """Yield a line for each change that a mod makes to the entry of kind `kind` with this name."""
    yield from (f"  {change}" for change in content.changes.get((kind, name), ()))


def lines_about(level: Level, name: str, cases: Sequence[Case], content: Content) -> Iterator[str]:
    """Yield the report on an encounter, or on a prefab: where it is, what uses it, and each encounter that may choose it."""
    if name in content.encounters:
        yield from _encounter_lines(level, _cases_of(name, cases, content)[0], content)
        return
    from dungeon.authoring.uses import use_text, uses_of

    names = content.variants_of(name) or (name,)
    copies = [each for each in level.placements if each.prefab in names]
    there = counted(len(copies), "time") if copies else "not"
    yield f"{name}: prefab, {content.sources['prefab', name]}; {there} on {level.id}, seed {level.seed}"
    yield from map(placement_line, copies)
    uses = [use for each in names for use in uses_of(content, each)]
    yield from dict.fromkeys(f"used by {use_text(use)}" for use in uses if use.kind != "encounter")
    if not uses:
        yield "nothing uses it"
    for case in _cases_of(name, cases, content):
        yield f"used by encounter {case.encounter}"
        yield from (f"  {line}" for line in _encounter_lines(level, case, content))
        choices = [content.choices[form.label] for form in content.forms[case.encounter]]
        others = dict.fromkeys(each.name for prefabs in choices for each in prefabs if each.name not in names)
        if others:
            yield f"  it may choose another prefab instead: {', '.join(others)}"


def _cases_of(name: str, cases: Sequence[Case], content: Content) -> list[Case]:
    """Return the case of an encounter, or of each encounter that may choose a prefab."""
    names = {name, *content.variants_of(name)}
    users = {
        encounter
        for encounter, forms in content.forms.items()
        if any(each.name in names for form in forms for each in content.choices[form.label])
    }
    wanted = {name} if name in content.encounters else users
    return [case for case in cases if case.encounter in wanted]


def _encounter_lines(level: Level, case: Case, content: Content) -> Iterator[str]:
    """Yield the report on one encounter, line by line."""
    at = f", difficulty {content.difficulty}" if content.difficulty else ""
    yield f"{case.encounter}: {case.category}, {case.source}; on {level.id}, seed {level.seed}{at}"
    yield from _changes(content, "encounter", case.encounter)
    if case.first:
        limit = "any number" if case.limit is None else f"at most {case.limit}"
        yield f"weight {case.weight:g} here, {_chance(case)}; {limit} on this map"
    for turn in case.turns:
        verb = "" if turn.decision.verdict == "chosen" else "refused: "
        yield f"turn {turn.number}: {verb}{_decision_text(turn.decision)}"
    if case.reason:
        yield f"then: {case.reason}" if case.turns else f"{NOT_THERE[case.outcome]}: {case.reason}"


def _decision_text(decision: Decision) -> str:
    """Return the reason of a decision and what was counted for it, in words: ``enclosed, one of 12 spots``."""
    if decision.verdict == "chosen":
        spots = [
            f"one of {count} {what}" if count > 1 else f"the only {what.removesuffix('s')}"
            for what, count in decision.counts
        ]
        return ", ".join([decision.reason, *spots])
    return f"{decision.reason}: {decision.counted}" if decision.counts else decision.reason


def _chance(case: Case) -> str:
    from dungeon.content.values.grammar import percent

    return f"drawn first with a chance of {percent(case.first)}"


def _as_json(level: Level, cases: Sequence[Case], content: Content) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "map": level.id,
        "seed": level.seed,
        **({"difficulty": content.difficulty} if content.difficulty else {}),
        "encounters": [
            {
                "encounter": case.encounter,
                "category": case.category,
                "source": str(case.source),
                "changes": [
                    {"source": str(change.source), "keys": list(change.keys)}
                    for change in content.changes.get(("encounter", case.encounter), ())
                ],
                "outcome": case.outcome,
                "reason": case.reason,
                "weight": case.weight,
                "first": case.first,
                "limit": case.limit,
                "turns": [_turn(turn) for turn in case.turns],
            }
            for case in cases
        ],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    """Return one attempt to place an encounter as JSON data."""
    decision = turn.decision
    return {
        "turn": turn.number,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "kind": decision.kind,
        "counts": dict(decision.counts),
    }
