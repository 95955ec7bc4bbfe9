"""Why things are on a level, in plain words: for the tour of a level being built, and for the designer's view."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import esper

from dungeon.content.catalog.catalog import choice_odds
from game_demo.rules.naming import as_sentence, listed, name_of, pluralized, with_article
from game_demo.state.components import Tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon import Case, Content, Decision, Level, Placement, Region, World
    from dungeon.content.catalog.requests import ObjectEntry
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell

CATEGORIES: Final = {"fluff": "scenery", "lore": "a piece of its history"}
"""Category of encounters -> words for it, if its name with an article does not do."""

MODES: Final = {
    "seeded": "It was put on the empty map first, and the rest of the level was dug around it",
    "layout": "This kind of map is put together from such drawings",
    "enclosed": "It fills a whole room",
    "cubby": "It fills a room beside a corridor, without a wall between them",
    "accessible": "It stands inside a room, and you can walk all around it",
    "centered": "It stands in the middle of a cave",
    "embedded": "It is cut into the wall of a cave",
    "free": "It has no drawing: its robots and items are scattered over a room or cave",
}
"""Placing mode -> what it means. Modes of plugins have no words here."""

TURNS: Final = {
    "r90": "turned by a quarter",
    "r180": "turned by half",
    "r270": "turned by three quarters",
    "m0": "mirrored",
    "m90": "mirrored and turned by a quarter",
    "m180": "mirrored and turned by half",
    "m270": "mirrored and turned by three quarters",
}
"""Orientation -> words for it."""

REFUSALS: Final = {
    "group": "the level already has another encounter of its group",
    "budget": "with it, the level would have more robots or treasure than its depth allows",
    "space": "no room or cave on the level was right for it, and there was no space to dig one",
    "conflict": "it does not go together with another encounter of the level",
    "requires": "it comes only with another encounter, which the level does not have",
    "near": "it must be near another encounter, which the level does not have",
    "mix": "the level already has enough encounters of its category",
}
"""The kind of a refusal -> the reason for it."""

NEVER: Final = ("impossible", "elsewhere")
"""Outcomes of encounters that can't come to a level."""
NAMED: Final = 2
"""How many other things are named that might stand in the place of one."""
TINY: Final = 1e-6
"""Chances that differ by less are equal."""


def plain(text: str) -> str:
    """Return names of the content, or a reason that quotes them, as words: ``'lock_up'`` becomes ``lock up``."""
    return re.sub(r"'(\w+)'", r"\1", text).replace("_", " ")


def plain_step(message: str) -> str:
    """Return the message of a step in plain words: ``lift: goods_lift r90 at y 3, x 7`` as ``lift: goods lift, turned, at row 3, column 7``."""
    text = re.sub(r"^(variant \d+, )?feature \d+: ", "", message)  # its number in the file says nothing here
    # The encounter's variant is left out, so that the text is short.
    text = re.sub(r"^(\w+): \w+: (?=\w+ [rm]\d)", r"\1: ", text)
    text = re.sub(r"^(\w+): \1\b", r"\1", text)
    text = re.sub(r":? ([rm])(0|90|180|270)\b(?= at |$)", _turned, text)
    return plain(re.sub(r"\by (\d+), x (\d+)", r"row \1, column \2", text))


def _turned(orientation: re.Match[str]) -> str:
    """Return the label of an orientation, ``m90``, in one or two words."""
    side, degrees = orientation.groups()
    told = " and ".join(["mirrored"] * (side == "m") + ["turned"] * (degrees != "0"))
    is_last = orientation.end() == len(orientation.string)
    return f", {told}{'' if is_last else ','}" if told else ""


# -- placements ------------------------------------------------------------------------------------


def describe_placement(placement: Placement) -> str:
    """Return what a placement is: ``the cell block is drawn by hand, for the encounter lock up (a danger)``."""
    encounter, prefab = plain(placement.encounter), plain(placement.prefab)
    if not encounter:
        return f"the {prefab} is drawn by hand for this kind of level"
    if encounter == prefab:
        return f"the {prefab} is an encounter ({describe_category(placement)}), drawn by hand"
    told = f"the encounter {encounter} ({describe_category(placement)})"
    return f"the {prefab} is drawn by hand, for {told}" if prefab else f"this is {told}"


def describe_category(placement: Placement) -> str:
    """Return the category of a placement's encounter with its article."""
    return CATEGORIES.get(placement.category) or with_article(plain(placement.category))


def explain_placement(world: World, level: Level, placement: Placement) -> list[str]:
    """Return sentences that say why a placement is on its level: what it is, how and where it fits, the odds; then its rules."""
    told = [as_sentence(describe_placement(placement))]
    turned = TURNS.get(placement.orientation, "")
    told.append(
        "; ".join(filter(None, [MODES.get(placement.mode), turned and f"the drawing is {turned} here"]))
    )
    if (decision := decision_about(level, placement)) is not None:
        told.append(_describe_spots(decision))
    if placement.encounter:
        cases = world.why(level.id, level)
        case = next(each for each in cases if each.encounter == placement.encounter)
        told += [describe_odds(case, cases), *_describe_rules(world.content, case)]
    return [f"{text[0].upper()}{text[1:].rstrip('.')}." for text in told if text]


def placed_as(placement: Placement) -> str:
    """Return the words by which journals and steps name the place of a drawing."""
    return f"{placement.prefab} {placement.orientation} at y {placement.bounds.y}, x {placement.bounds.x}"


def decision_about(level: Level, placement: Placement) -> Decision | None:
    """Return the journal's line about a placement; None if there is none."""
    begin = f"{placed_as(placement)},"
    chosen = (each for each in level.journal if each.verdict == "chosen")
    return next((each for each in chosen if f"{each.reason},".startswith(begin)), None)


def _describe_spots(decision: Decision) -> str:
    """Return in how many places it fitted, and what was done to the map for the one chosen."""
    count = decision.counts[0][1] if decision.counts else 0
    if decision.reason.endswith("dug for it"):
        told = "It fitted into no free room or cave, so a new one was dug for it"
        where = f"There was space for that in {pluralized(count, 'place')}"
    elif decision.reason.endswith("altered for it"):
        told = "It fitted into no free room or cave, so the walls or doors of one were changed"
        where = f"That could be done in {pluralized(count, 'way')}"
    else:
        told, where = "", f"It fitted in {pluralized(count, 'place')}"
    where += ", and one was picked at random" * (count > 1)
    return ". ".join(filter(None, [told, where if count else ""]))


def describe_odds(case: Case, cases: Iterable[Case]) -> str:
    """Return how likely it is that an encounter is drawn first on its level; or that the world owes it to the level."""
    weights = weights_of(cases)
    share = case.weight / sum(weights)
    if case.first > share + TINY:
        return (
            "It was placed before the encounters that are drawn at random, because this level must have one"
        )
    return f"{pluralized(len(weights), 'encounter')} can appear on this level, and each time one is drawn, the chance of this one is 1 in {1 / share:.0f}"


def weights_of(cases: Iterable[Case]) -> list[float]:
    """Return the weights of the encounters that may come to a level."""
    return [each.weight for each in cases if each.weight and each.outcome not in NEVER]


def _describe_rules(content: Content, case: Case) -> list[str]:
    """Return the rules about an encounter's number, company and distances."""
    entry = content.encounters[case.encounter]
    told = [f"A level has at most {case.limit} of it"] if case.limit else []
    if entry.group.map:
        told.append(f"A level has only one encounter of its group ({plain(', '.join(entry.group.map))})")
    told += [f"It keeps {steps} steps from the {plain(mark)}" for mark, steps in entry.far_from.items()]
    return told + [
        f"It stays within {steps} steps of the {plain(mark)}" for mark, steps in entry.near.items()
    ]


def explain_refusal(decision: Decision) -> str:
    """Return what was left out, and why."""
    why = REFUSALS.get(decision.kind) or plain(decision.reason)
    if decision.kind == "group" and (winner := re.search(r"taken by (\w+)$", decision.reason)):
        why = f"the level already has the {plain(winner[1])}, and may have only one of the two"
    return f"The {plain(decision.subject)} was left out: {why}."


# -- cells -----------------------------------------------------------------------------------------


def placements_at(game_map: GameMap, cell: Cell) -> list[Placement]:
    """Return the placements that cover a cell."""
    return [each for each in game_map.level.placements if each.bounds.contains(*cell)]


def describe_region(game_map: GameMap, cell: Cell) -> str:
    """Return the room, corridor or other region of a cell, with its size and ways out; empty if it belongs to none.

    A corridor runs on into others without a recorded connection, so that its ways out can't be counted.
    """
    number = int(game_map.level.region[cell])
    region: Region | None = next((each for each in game_map.level.regions if each.id == number), None)
    if region is None:
        return ""
    kind = {"prefab": "drawing"}.get(region.kind, plain(region.kind))
    is_counted = region.connections and region.kind != "corridor"
    ways = f" with {pluralized(len(region.connections), 'way')} out" if is_counted else ""
    sealed = ", sealed on purpose" if region.sealed else ""
    return f"in a {kind} of {region.bounds.width}x{region.bounds.height} cells{ways}{sealed}"


def describe_origin(game_map: GameMap, entity: int) -> str:
    """Return what asked for a thing: a drawing, or the level itself; or that it was not made with this level, like a wreck."""
    source = esper.component_for_entity(entity, Tag).source
    drawing, _, char = source.partition(":")
    name = as_sentence(f"the {name_of(entity)}")
    if char == "machine":
        return f"{name}: a machine, set into a finished room"
    if char.startswith(" "):  # a row of `content`
        return f'{name}: part of the encounter "{plain(drawing)}"'
    if char:
        return f"{name}: the {char} in the drawing of the {plain(drawing)}"
    others = sum(each.source == source for each in game_map.level.spawns) - 1
    if not source or others < 0:  # it came in play, or from another level
        return f"{name}: not made with this level"
    return f"{name}: in no drawing, but scattered by the level{f', with {others} more of its kind' if others > 0 else ''}"


def explain_cell(world: World, game_map: GameMap, cell: Cell) -> list[str]:
    """Return paragraphs about all that is on a cell: why each thing and each drawing is there, by which odds and rules."""
    things = game_map.entities_at(cell, hidden=True)
    told = [f"{describe_origin(game_map, each)}.{_explain_choice(world, game_map, each)}" for each in things]
    told += [
        " ".join(explain_placement(world, game_map.level, each)) for each in placements_at(game_map, cell)
    ]
    if not told:
        region = describe_region(game_map, cell)
        if cell in game_map.stairs:
            told.append(f"Stairs {region}. The level put them there, at the end of a way through it.")
        elif region:
            told.append(f"Plain ground {region}. The layout dug it.")
        else:
            told.append("Solid ground: nothing was dug here.")
    return told


def _explain_choice(world: World, game_map: GameMap, entity: int) -> str:
    """Return the odds by which this thing was chosen and no other; empty if nothing else could be chosen."""
    tag, level = esper.component_for_entity(entity, Tag), game_map.level
    entry = _entry_for(world, level, tag)
    odds = {} if entry is None else choice_odds(entry, world.content.catalog, level.depth)
    likely = odds.pop(tag.tag, 0.0)
    others = sorted((each for each in odds if each), key=lambda each: (-odds[each], each))
    if not others or not likely:
        return ""
    named = others[:NAMED]
    names = listed(world.content.catalog[tag.kind, each].name for each in named)
    rest = ", for instance," if len(others) > len(named) else ""
    return f" At this depth, one of {len(others) + 1} things may be here: this one ({likely:.0%}), or else{rest} {names}."


def _entry_for(world: World, level: Level, tag: Tag) -> ObjectEntry | None:
    """Return the sign of a drawing, or the entry of the map, that asked for a thing; None if it depends on more than that."""
    drawing, _, char = tag.source.partition(":")
    number = drawing.removeprefix("population ")
    entries: Iterable[ObjectEntry] = ()
    if drawing in world.content.prefabs:
        read = world.content.prefabs[drawing].template.read
        entries = [symbol for _, symbol in read(char, above=True, parameters={}).symbols]
    elif number.isdecimal():
        entries = world.content.maps[world.node(level.id).name].population[int(number) - 1 : int(number)]
    return next((each for each in entries if each.kind == tag.kind), None)


def commands_about(world: World, game_map: GameMap, cell: Cell) -> list[str]:
    """Return the shell commands that say more about a cell."""
    level = game_map.level
    told = []
    for each in placements_at(game_map, cell):
        if each.encounter:
            told.append(f"dungeon why {level.id} {each.encounter} --seed {world.seed}")
        if each.prefab:
            told.append(f"dungeon explain {each.prefab}")
    return told


def describe_contents(level: Level, placement: Placement, most: int = 4) -> str:
    """Return the names of what stands in a placement, robots first, at most so many kinds."""
    number = level.placements.index(placement)
    mine = [each for each in level.spawns if each.placement == number and each.like != "debris"]
    names = [each.name for each in sorted(mine, key=lambda each: each.like != "robot")]
    kinds = [*dict.fromkeys(names)][:most]
    return listed(name for name in names if name in kinds)
