"""What things and cells are called, in a few words or in full."""

from __future__ import annotations

import re
from collections import Counter
from itertools import starmap
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.display.habits import habits_of, told_of_waking
from game_demo.rules.body.aspects import told_of_fitting
from game_demo.rules.body.battery import CHARGE
from game_demo.rules.body.fighting import aim_of, by_surprise, hindrance_of_shot, is_unaware
from game_demo.rules.body.pack import keeping_of, rivals_of, worth_of
from game_demo.rules.locks import is_locked, told_of_force, told_of_lock, told_of_words
from game_demo.rules.naming import (
    as_sentence,
    counted,
    deeper_by,
    effect_of,
    effect_of_trap,
    listed,
    name_of,
    pluralized,
    shortened,
    states_of,
    terrain_name,
    told_of_gun,
)
from game_demo.rules.robots.moods import is_harmless, means_harm
from game_demo.rules.robots.passing import told_of_passing
from game_demo.rules.robots.senses import (
    OVERLOOKED,
    SNEAKING,
    STANDING,
    exposure_where,
    is_lit,
    is_lit_at,
    range_of_sight,
)
from game_demo.rules.works.blasts import told_of_blast
from game_demo.rules.works.prying import needs_tool, told_of_tools
from game_demo.rules.works.terminals import GIFTS, has_anything
from game_demo.state.components import (
    Attack,
    Charger,
    Description,
    Follows,
    Goal,
    Gun,
    Health,
    ItemEffect,
    Mind,
    Patrol,
    Robot,
    Tag,
    Trap,
    TrapEffect,
)
from game_demo.state.entities import cell_of, held_by
from game_demo.state.geometry import distance
from game_demo.state.things.fixtures import Explosive, Fuse, Lid, Terminal, Volatile
from game_demo.state.things.minds import LOOKS_OUT

if TYPE_CHECKING:
    from dungeon import Placement, Region
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell


BARE: Final = ord(".")
"""What bare ground looks like."""


def stairs_at(game: Game, cell: Cell) -> str:
    """Return where the stairs on a cell lead, empty where there are none."""
    return next(iter(_stairs(game, cell)), "")


def way_by(game: Game, cell: Cell) -> str:
    """Return where the stairs on a cell lead and how deep that is, for where a sign stands for the stairs themselves."""
    return stairs_at(game, cell).removeprefix("stairs ") or terrain_name(game.map, cell)


def _stairs(game: Game, cell: Cell) -> list[str]:
    """Return where the stairs on a cell lead, in ever fewer words; nothing where there are none."""
    target, ways = game.map.exits.get(cell), ("down", "on")
    if target is None and cell == game.map.level.entrance:
        if game.world.node(game.map.level.id).one_way:
            return []
        target, ways = game.map_above(), ("up", "back")
        if target is None:
            return ["the way out of this world", "the way out"]
    if target is None:
        return []
    name, is_level = game.name_of_map(target), game.world.node(target).depth == game.map.level.depth
    way = ways[is_level]
    title = f"{game.title(target)}{deeper_by(game, target)}"
    return [f"stairs {way} to {title}", f"stairs {way} to {name}", f"{way} to {name}", name]


def underfoot(game: Game, width: int = 80) -> str:
    """Return what is where the player stands, in one line, with fewer words of the ground where it would be wider, and then of fewer things."""
    cell = game.player_cell
    counts = Counter(name_of(entity) for entity in game.map.entities_at(cell))
    names = [*starmap(counted, counts.items())]
    grounds = _stairs(game, cell) or [terrain_name(game.map, cell)]
    lines = [", ".join([ground, *names]) for ground in grounds]
    things = shortened(names, lambda text: len(text) <= width)
    return next((line for line in lines if len(line) <= width), things or lines[-1])


def describe_cell(game: Game, cell: Cell, *, everything: bool = False) -> list[str]:
    """Return what is known of a cell: a line for each thing, and one for the ground.

    Args:
        game: The game.
        cell: The cell.
        everything: Whether to tell also what the player has not seen, and what only authors want to know: the region, the
            encounters, where the things come from.
    """
    game_map = game.map
    if not everything and not game_map.sight.explored[cell]:
        return ["You have not seen this yet."]
    visible = everything or bool(game_map.sight.visible[cell])
    things = [
        entity
        for entity in game_map.entities_at(cell, hidden=everything)
        if visible or esper.component_for_entity(entity, Tag).like != "robot"
    ]
    lines = [
        _told_of_player(game) if cell == game.player_cell else "",
        *(line for each in things for line in describe_entity(game, each).splitlines()),
    ]
    is_locked = game_map.door_at(cell, t.LOCKED_DOOR) is not None
    door = f"{told_of_lock(game, cell)}{told_of_force(game, cell)}" if is_locked else ""
    ground = stairs_at(game, cell) or door or _told_of_ground(game, cell)
    if foretaste := game.foretaste(game_map.exits[cell]) if cell in game_map.exits else "":
        ground = f"{ground}. {foretaste}"
    elif cell == game_map.level.entrance and game.map_above() is None:
        ground = f"{ground}. You will not leave before you have what you came for."
    elif visible and cell != game.player_cell and game_map.walkable[cell] and is_lit_at(game, cell):
        ground = f"{ground}, in the light"
    lines.append(
        f"{'' if visible else 'From memory: '}{ground}{_region(game_map, cell) if everything else ''}"
    )
    if everything:
        lines += map(_placement, _placements_at(game_map, cell))
        lines += map(_origin, things)
    return [line[0].upper() + line[1:] for line in lines if line]


def _told_of_ground(game: Game, cell: Cell) -> str:
    """Return what the ground of a cell is called, and what it does to who walks there where he may wonder."""
    name, game_map = terrain_name(game.map, cell), game.map
    if cell in game_map.doors:
        return f"{name}: you can step and strike through it diagonally"
    if game_map.walkable[cell]:
        is_plain = cell in game_map.traps or game_map.level.terrain_set.glyph[game_map.codes[cell]] == BARE
        return name if is_plain else f"{name}, harmless"
    return f"{name}: you can see and shoot through it, but not walk" if game_map.transparent[cell] else name


def _told_of_player(game: Game) -> str:
    """Return how the player is, and what that comes to in a fight."""
    health, build = game.health, game.body.build
    armour = f", armour takes 0 to {build.armour} off each hit" if build.armour else ""
    light = "in the light" if is_lit(game) else "in the dark"
    shots = f", your shots 1 to {build.gun.power}" if build.gun else ""
    return f"You, {light}, {health.hp}/{health.max_hp} hp, your blows do 1 to {build.power} damage{shots}{armour}. (e tells more)"


def why_here(game_map: GameMap, cell: Cell) -> list[str]:
    """Return what the level's journal says of the encounters and the region of a cell, a line for each decision."""
    placements, region = _placements_at(game_map, cell), _region_at(game_map, cell)
    corners = [each.bounds for each in placements] + ([region.bounds] if region else [])
    places = [f"at y {bounds.y}, x {bounds.x}" for bounds in corners]
    names = {each.encounter for each in placements if each.encounter}
    return [
        str(decision)
        for decision in game_map.level.journal
        if decision.subject in names or any(re.search(rf"{place}\b", str(decision)) for place in places)
    ]


def describe_entity(game: Game, entity: int) -> str:
    """Return what the player can tell of a thing: in a line, or of a robot in several."""
    parts = [name_of(entity)]
    if (trap := esper.try_component(entity, Trap)) is not None:
        parts.append(
            effect_of_trap(esper.component_for_entity(entity, TrapEffect)) if trap.armed else "sprung"
        )
    parts += _told_of_strength(game, entity) + _told_of_use(game, entity)
    parts += filter(None, _told_of_blast(game, entity))
    parts += states_of(entity) + _told_of_lid(game, entity) + told_of_words(game, entity)
    first, text = ", ".join(parts), esper.try_component(entity, Description)
    lines = [as_sentence(", ".join(group)) for group in _told_of_mind(game, entity) if group]
    if not text:
        return "\n".join([first, *lines])
    return "\n".join([first, *lines, text.text]) if lines else f"{first}. {text.text}"


def _told_of_strength(game: Game, entity: int) -> list[str]:
    """Return what a robot can take and do; nothing of anything else."""
    parts = []
    if (health := esper.try_component(entity, Health)) is not None:
        parts.append(f"{health.hp}/{health.max_hp} hp")
    if (attack := esper.try_component(entity, Attack)) is not None:
        parts.append(f"hits for up to {attack.power}" if attack.power else "does not fight")
    if (arms := esper.try_component(entity, Gun)) is not None:
        parts.append(told_of_gun(arms))
    if attack is not None and (attack.power or arms is not None) and (armour := game.body.build.armour):
        parts.append(f"minus 0 to {armour} for your armour")
    if esper.has_component(entity, Robot) and (held := held_by(entity)):
        parts.append(f"carries {listed(map(_told_of_carried, held))}")
    if (volatile := esper.try_component(entity, Volatile)) is not None:
        blast = volatile.blast
        parts.append(
            f"explodes when wrecked: {blast.damage} damage, reaches {pluralized(blast.radius, 'cell')}"
        )
    return parts


def _told_of_carried(item: int) -> str:
    """Return what the player reads of an item that a robot carries: what it does, too, which its name may not tell."""
    use = effect_of(esper.try_component(item, ItemEffect))
    return f"{name_of(item)} ({use})" if use else name_of(item)


def _told_of_mind(game: Game, entity: int) -> list[list[str]]:
    """Return what a robot is about and has noticed, how it moves and fights, and what may be done to it; nothing of anything else."""
    mind = esper.try_component(entity, Mind)
    if mind is None:
        return []
    is_asleep = mind.state == "asleep" and means_harm(entity)
    looks_out = mind.state in LOOKS_OUT and not is_harmless(entity)
    groups = [
        [
            _told_of_state(entity, mind),
            _told_of_surprise(game, entity),
            _told_of_danger(game, entity) if looks_out else "",
            told_of_waking(game) if is_asleep else "",
            "" if is_harmless(entity) else _told_of_reach(game, entity),
        ],
        [_told_of_eyes(game, entity) if looks_out else ""],
        [*habits_of(game, entity, mind), told_of_passing(entity)],
    ]
    about, eyes, habits = ([*filter(None, group)] for group in groups)
    return [about + habits] if len(about) == 1 else [about, eyes, habits]


def _told_of_state(robot: int, mind: Mind) -> str:
    """Return what a robot is about: one at work may be on its rounds, or go after another."""
    if mind.shows in ("at work", "at its post"):
        if esper.has_component(robot, Patrol):
            return "on its rounds"
        if esper.has_component(robot, Follows):
            return f"{mind.shows}, after its leader"
    return mind.shows


def _told_of_surprise(game: Game, robot: int) -> str:
    """Return what a blow does to a robot that means harm, and is not aware of the player; empty of any other."""
    if not means_harm(robot) or not is_unaware(robot):
        return ""
    least, most = by_surprise(game.attack.power)
    return f"unaware of you: your blow does {least} to {most} damage"


def _told_of_reach(game: Game, target: int) -> str:
    """Return why the player's gun does not reach something at which one shoots; empty if it does, or if he has none."""
    gun = game.body.build.gun
    if gun is None:
        return ""
    if distance(aim_of(game, target), game.player_cell) > gun.range:
        return f"beyond your gun's range of {gun.range}"
    hindrance = hindrance_of_shot(game, target)
    return f"{hindrance} in the way of a shot" if hindrance else ""


def _told_of_danger(game: Game, robot: int) -> str:
    """Return whether a robot that looks out is about to see the player where he is, and what he does about that; empty if it is not."""
    steps = distance(cell_of(robot), game.player_cell)
    walking, standing, sneaking = _ranges_of_sight(robot, is_lit=is_lit(game))
    if walking < steps:
        return ""
    ways = " or ".join(
        way for way, reach in (("stand still", standing), ("sneak", sneaking)) if reach < steps
    )
    unless = f", unless you {ways}" if ways else ""
    gamble = "" if sneaking < steps else f", with {1 - OVERLOOKED:.0%} chance if you sneak"
    return f"sees you here at its next move{unless}{gamble}"


def _told_of_eyes(game: Game, robot: int) -> str:
    """Return how far a robot that looks out sees the player: where it is as light as where he is, and elsewhere."""
    lit = is_lit(game)
    (walking, standing, sneaking), others = (_ranges_of_sight(robot, is_lit=each) for each in (lit, not lit))
    light, other = ("light", "dark") if lit else ("dark", "light")
    here = f"{pluralized(walking, 'step')} away, {standing} if you stand still, {sneaking} if you sneak"
    gamble = f"then with {1 - OVERLOOKED:.0%} chance a move"
    return f"sees you here in the {light} {here}, {gamble} (in the {other}: {', '.join(map(str, others))})"


def _ranges_of_sight(robot: int, *, is_lit: bool) -> list[int]:
    """Return from how many steps a robot sees the player where it is lit or dark: one who walks, stands, sneaks."""
    exposure = exposure_where(is_lit=is_lit)
    return [max(int(range_of_sight(robot, exposure * share)), 1) for share in (1, STANDING, SNEAKING)]


def _told_of_use(game: Game, entity: int) -> list[str]:
    """Return what the player has of an item, or of a charger; nothing of anything else."""
    parts = []
    if (item := esper.try_component(entity, ItemEffect)) is not None:
        parts += [effect_of(item), told_of_fitting(game.body, item.part) if item.part else ""]
        parts.append(_told_of_worth(entity))
    if rivals := rivals_of([entity]):
        parts.append(f"on offer instead of {listed(map(name_of, rivals))}: you may take only one")
    if (terminal := esper.try_component(entity, Terminal)) is not None and terminal.offers:
        gifts = " or ".join(GIFTS[offer] for offer in terminal.offers)
        told = f"ask it (w), and it may {gifts}" if has_anything(game, entity) else "it has nothing for you"
        parts.append(f"a terminal: {told}")
    if (charger := esper.try_component(entity, Charger)) is not None and charger.left:
        parts.append(f"gives {CHARGE} charge, {pluralized(charger.left, 'more time')}")
    return [*filter(None, parts)]


def _told_of_worth(item: int) -> str:
    """Return that an item goes to the haul, and what it is worth there; empty of what has any other use."""
    if keeping_of(item) != "haul" or esper.has_component(item, Goal):
        return ""
    return f"for your haul, worth {worth_of(item)}"


def _told_of_lid(game: Game, entity: int) -> list[str]:
    """Return what opens something with a lid that nobody has opened; nothing of what has none, or is locked."""
    if not esper.has_component(entity, Lid) or is_locked(game, entity):
        return []
    if not needs_tool(entity):
        return ["opens if you walk into it"]
    return ["w pries it open" if game.body.build.pries else f"shut: {told_of_tools(game)} opens it"]


def _told_of_blast(game: Game, entity: int) -> list[str]:
    """Return when something explodes, and what that does; nothing of what does not."""
    explosive, fuse = esper.try_component(entity, Explosive), esper.try_component(entity, Fuse)
    if explosive is None:
        return []
    when = f"in {pluralized(max(fuse.turn - game.log.turn, 1), 'turn')}" if fuse else "if struck (w) or shot"
    farther = f", less up to {explosive.radius} cells away" if explosive.radius > 1 else ""
    told = f"explodes {when}: {explosive.damage} damage beside it{farther}"
    here = f"now {blast}" if (blast := told_of_blast(game, entity)) else ""
    return [told, here, _told_of_reach(game, entity)]


def _region_at(game_map: GameMap, cell: Cell) -> Region | None:
    number = int(game_map.level.region[cell])
    return next((each for each in game_map.level.regions if each.id == number), None)


def _region(game_map: GameMap, cell: Cell) -> str:
    region = _region_at(game_map, cell)
    if region is None:
        return ""
    size = f"{region.bounds.width}x{region.bounds.height}"
    connections = pluralized(len(region.connections), "connection")
    return f", {region.kind} {region.id} ({size}, {connections}{', sealed' if region.sealed else ''})"


def _placements_at(game_map: GameMap, cell: Cell) -> list[Placement]:
    return [each for each in game_map.level.placements if each.bounds.contains(*cell)]


def _placement(placement: Placement) -> str:
    copies = f"copy {placement.copy}" + (
        f" of up to {placement.limit}" if placement.limit is not None else ""
    )
    prefab = f", prefab {placement.prefab} {placement.orientation}" if placement.prefab else ""
    variant = f" as {placement.variant}" if placement.variant else ""
    encounter = f"{placement.encounter}{variant}" or "part of the map"
    return f"encounter: {encounter} ({placement.category}, {placement.mode}{prefab}, {copies})"


def _origin(entity: int) -> str:
    tag = esper.component_for_entity(entity, Tag)
    data = ", ".join(f"{name} {value}" for name, value in tag.keywords.items() if name != "text")
    return f"{tag.kind} {tag.tag!r} from {tag.source or 'the map'}{f': {data}' if data else ''}"
