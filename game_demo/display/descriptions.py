"""Descriptions of things, robots and cells for the player, as one line or in full."""

from __future__ import annotations

from collections import Counter
from itertools import starmap
from math import ceil
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.display.explanations import (
    describe_origin,
    describe_placement,
    describe_region,
    placements_at,
)
from game_demo.rules.actions import SNEAK_PACE
from game_demo.rules.body import describe_fitting
from game_demo.rules.destruction import describe_blast
from game_demo.rules.fighting import aim_of, by_surprise, hindrance_of_shot, is_unaware
from game_demo.rules.fitting import CHARGE
from game_demo.rules.forcing import describe_prying_tools, needs_tool
from game_demo.rules.hacking import GIFTS, describe_mending, describe_tapping, has_anything
from game_demo.rules.hearing import DEAF
from game_demo.rules.locks import describe_force_hint, describe_lock, describe_lock_and_key, is_locked
from game_demo.rules.moods import (
    PATIENCE,
    describe_passing,
    hunts_in_pack,
    is_alone,
    is_captive,
    is_harmless,
    means_harm,
    pack_around,
)
from game_demo.rules.naming import (
    as_sentence,
    counted,
    describe_destination,
    describe_gun,
    effect_of,
    effect_of_trap,
    listed,
    name_of,
    pluralized,
    shortened,
    speed_of,
    states_of,
    terrain_name,
)
from game_demo.rules.pack import describe_choice, keeping_of, worth_of
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.robot_attacks import BLOW_NOISE, SHOT_NOISE
from game_demo.rules.senses import (
    OVERLOOKED,
    SNEAKING,
    STANDING,
    exposure_where,
    is_lit,
    is_lit_at,
    range_of_sight,
)
from game_demo.state.body import TURN
from game_demo.state.components import (
    Attack,
    Charger,
    Energy,
    EntityText,
    Follows,
    GoalItem,
    Gun,
    Health,
    ItemEffect,
    Mind,
    Patrol,
    Robot,
    Tag,
    Trap,
    TrapEffect,
    cell_of,
    held_by,
)
from game_demo.state.fixtures import Explosive, Fuse, Lid, Terminal, Volatile
from game_demo.state.geometry import distance
from game_demo.state.minds import LOOKS_OUT

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.minds import Behaviour


# -- habits of robots ------------------------------------------------------------------------------

MANNERISMS: Final[dict[Behaviour, str]] = {
    "coward": "runs if struck",
    "caller": "keeps away from you",
    "mender": "mends others",
}
"""Behaviour -> the words for it, for behaviours that change how a robot fights."""


def habits_of(game: Game, robot: int, mind: Mind) -> list[str]:
    """Return phrases about how a robot moves and fights."""
    speed = esper.component_for_entity(robot, Energy).speed
    told = {
        "stays where it is": speed == 0,
        _describe_speed(game, robot, speed): speed != 0 and (speed != 1 or means_harm(robot)),
        MANNERISMS.get(mind.behaviour, ""): mind.behaviour in MANNERISMS,
        _describe_pack(game, robot, mind): mind.behaviour == "swarm",
        "fights on sight": mind.manner.on_sight == "alert" and means_harm(robot),
        "charges in a straight line": mind.rams,
        f"steps back every other turn while you are nearer than {pluralized(mind.keeps, 'step')}": mind.keeps,
        "steals from your pack and runs; destroy it to get that back": mind.steals,
        f"calls for help if {'struck' if mind.manner.on_sight is None else 'it notices you'} (heard {mind.calls} steps away)": mind.calls
        and mind.state != "calling",
        f"is about to call for help (heard {mind.calls} steps away), unless a blow or a shot stops it": mind.state
        == "calling",
        "flees when badly hurt": mind.flees_below,
        "stays near its post unless struck": mind.leash,
        "opens doors" if mind.opens_doors else "opens no doors": speed > 0 and means_harm(robot),
    }
    return [text for text, is_so in told.items() if is_so]


def describe_waking_noises(game: Game) -> str:
    """Return how near the player's steps, blows and shots must be to wake a sleeping robot."""
    build = game.body.build
    noises = {
        "steps": 0 if game.body.sneaks else build.noise,
        "blows": BLOW_NOISE,
        "shots": SHOT_NOISE if build.gun else 0,
    }
    reaches = {what: pluralized(noise // DEAF, "cell") for what, noise in noises.items() if noise >= DEAF}
    return f"woken by {', '.join(f'your {what} within {reach}' for what, reach in reaches.items())}"


def _describe_pack(game: Game, robot: int, mind: Mind) -> str:
    """Return whether a pack hunter waits for others before it attacks, and which others are near."""
    seen = robots_in_sight(game) - {robot}
    awake, asleep = (sum(hunts_in_pack(each, asleep=state) for each in seen) for state in (False, True))
    unseen = {*pack_around(game), *pack_around(game, asleep=True)} - seen - {robot}
    told = {
        f"{pluralized(awake, 'more pack member')} in sight": awake,
        f"{pluralized(asleep, 'more pack member')} asleep in sight": asleep,
        "other pack members near but out of sight": unseen,
    }
    near = " and ".join(text for text, is_so in told.items() if is_so) or "but no other pack member is near"
    waits = (awake or pack_around(game)) and mind.state != "alert" and not is_alone(game, robot)
    moves = f"{PATIENCE['stalking']} moves"
    if mind.state == "stalking":
        moves = pluralized(max(mind.patience, 1), "more move")
    return (
        f"waits at most {moves} for its pack before it comes, {near}" if waits else f"hunts in a pack, {near}"
    )


def _describe_speed(game: Game, robot: int, speed: float) -> str:
    """Return a robot's speed compared with the player's, and for a slow enemy when it moves next."""
    pace, own, you = round(TURN / (speed or 1)), game.body.build.pace, "you"
    if game.body.sneaks:
        own, you = round(own * SNEAK_PACE), "you sneak"
    if pace == own:
        return f"as fast as {you}: if you walk away, it can't catch up"
    number = speed_of(pace)
    moves = "step or blow" if number == "1" else "steps or blows"
    compared = "faster" if pace < own else "slower"
    told = f"{compared} than {you}: {number} {moves} a turn"
    turns = ceil((1 - esper.component_for_entity(robot, Energy).moves) / speed)
    return (
        f"{told}; it moves next in {pluralized(max(turns, 1), 'turn')}"
        if speed < 1 and means_harm(robot)
        else told
    )


# -- cells and things ------------------------------------------------------------------------------

BARE: Final = ord(".")
"""The glyph of plain ground."""


def stairs_at(game: Game, cell: Cell) -> str:
    """Return where the stairs on a cell lead; empty if there are none."""
    return next(iter(_stairs(game, cell)), "")


def way_by(game: Game, cell: Cell) -> str:
    """Return where the stairs on a cell lead, without the word ``stairs``, for lists that show the glyph of the stairs."""
    return stairs_at(game, cell).removeprefix("stairs ") or terrain_name(game.map, cell)


def _stairs(game: Game, cell: Cell) -> list[str]:
    """Return where the stairs on a cell lead, in several texts, each shorter than the one before; empty for no stairs."""
    target, ways = game.map.exits.get(cell), ("down", "on")
    if target is None and cell in game.map.ways_up:
        if game.world.node(game.map.level.id).one_way:
            return []
        target, ways = game.map_above(cell), ("up", "back")
        if target is None:
            return ["the way out of this world", "the way out"]
    if target is None:
        return []
    name, is_level = game.name_of_map(target), game.world.node(target).depth == game.map.level.depth
    way = ways[is_level]
    title = describe_destination(game, target)
    return [f"stairs {way} to {title}", f"stairs {way} to {name}", f"{way} to {name}", name]


def underfoot(game: Game, width: int = 80) -> str:
    """Return what is on the player's cell in one line, with fewer words if it is wider than `width`."""
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
        everything: Whether to tell also what the player has not seen, and what only designers need: the region, the encounters,
            and what asked for each thing.
    """
    game_map = game.map
    if not everything and not game_map.sight.explored[cell]:
        return ["You have not seen this yet."]
    visible = everything or bool(game_map.sight.visible[cell])
    things = [
        entity
        for entity in game_map.entities_at(cell, hidden=everything)
        if visible or esper.component_for_entity(entity, Tag).like != "robot" or is_captive(entity)
    ]
    lines = [
        _describe_player(game) if cell == game.player_cell else "",
        *(line for each in things for line in describe_entity(game, each).splitlines()),
    ]
    is_locked = game_map.door_at(cell, t.LOCKED_DOOR) is not None
    door = f"{describe_lock(game, cell)}{describe_force_hint(game, cell)}" if is_locked else ""
    ground = stairs_at(game, cell) or door or _describe_ground(game, cell)
    beyond = game.foretaste(game_map.exits[cell]) if cell in game_map.exits else ""
    if cell == game_map.level.entrance and game.map_above() is None:
        beyond = beyond or "You will not leave before you have found what you came for."
    if (
        not beyond
        and visible
        and cell != game.player_cell
        and game_map.walkable[cell]
        and is_lit_at(game, cell)
    ):
        ground = f"{ground}, in the light"
    ground = ground if visible else f"From memory: {ground}"
    region = describe_region(game_map, cell) if everything else ""
    ground = f"{ground}, {region}" if region else ground
    lines.append(f"{ground}. {beyond}" if beyond else ground)
    if everything:
        lines += dict.fromkeys(map(describe_placement, placements_at(game_map, cell)))  # copies may abut
        lines += [describe_origin(game_map, each) for each in things]
    return [line[0].upper() + line[1:] for line in lines if line]


def _describe_ground(game: Game, cell: Cell) -> str:
    """Return the name of a cell's ground, and what it does to walkers if that is not obvious."""
    name, game_map = terrain_name(game.map, cell), game.map
    if cell in game_map.doors:
        return f"{name}: you can step and strike through it diagonally"
    if game_map.walkable[cell]:
        is_plain = cell in game_map.traps or game_map.level.terrain_set.glyph[game_map.codes[cell]] == BARE
        return name if is_plain else f"{name}: you can walk on it"
    return (
        f"{name}: you can see and shoot through it, but not walk through it"
        if game_map.transparent[cell]
        else name
    )


def _describe_player(game: Game) -> str:
    """Return the player's hit points, damage and armour in one line."""
    health, build = game.health, game.body.build
    armour = f", your armour reduces each hit by up to {build.armour}" if build.armour else ""
    light = "in the light" if is_lit(game) else "in the dark"
    shots = f", your shots do 1 to {build.gun.power} damage" if build.gun else ""
    return f"You, {light}, {health.hp}/{health.max_hp} hp, your blows do 1 to {build.power} damage{shots}{armour}. (e tells more)"


def describe_entity(game: Game, entity: int) -> str:
    """Return what the player can tell of a thing: one line, or several for a robot."""
    parts = [name_of(entity)]
    if (trap := esper.try_component(entity, Trap)) is not None:
        parts.append(
            effect_of_trap(esper.component_for_entity(entity, TrapEffect)) if trap.armed else "sprung"
        )
    parts += _describe_strength(game, entity) + _describe_use_to_player(game, entity)
    parts += filter(None, _describe_blast(game, entity))
    parts += states_of(entity) + _describe_lid(game, entity) + describe_lock_and_key(game, entity)
    first, text = ", ".join(parts), esper.try_component(entity, EntityText)
    lines = [as_sentence(", ".join(group)) for group in _describe_behaviour(game, entity) if group]
    if not text:
        return "\n".join([first, *lines])
    return "\n".join([first, *lines, text.text]) if lines else f"{first}. {text.text}"


def _describe_strength(game: Game, entity: int) -> list[str]:
    """Return phrases about a robot's hit points, its damage, the player's armour against it and its items; empty for other things."""
    parts = []
    if (health := esper.try_component(entity, Health)) is not None:
        parts.append(f"{health.hp}/{health.max_hp} hp")
    if (attack := esper.try_component(entity, Attack)) is not None:
        parts.append(f"hits for up to {attack.power}" if attack.power else "does not fight")
    if (arms := esper.try_component(entity, Gun)) is not None:
        parts.append(describe_gun(arms))
    if attack is not None and (attack.power or arms is not None) and (armour := game.body.build.armour):
        parts.append(f"your armour reduces its hits by up to {armour}")
    if esper.has_component(entity, Robot) and (held := held_by(entity)):
        parts.append(f"carries {listed(map(_describe_carried, held))}")
    if (volatile := esper.try_component(entity, Volatile)) is not None:
        blast = volatile.blast
        parts.append(
            f"explodes when wrecked: {blast.damage} damage, reaches {pluralized(blast.radius, 'cell')}"
        )
    return parts


def _describe_carried(item: int) -> str:
    """Return the name of an item that a robot carries, and what it does."""
    use = effect_of(esper.try_component(item, ItemEffect))
    return f"{name_of(item)} ({use})" if use else name_of(item)


def _describe_behaviour(game: Game, entity: int) -> list[list[str]]:
    """Return groups of phrases about a robot: what it is doing and has noticed, what it sees, how it fights; empty for other things."""
    mind = esper.try_component(entity, Mind)
    if mind is None:
        return []
    is_asleep = mind.state == "asleep" and means_harm(entity)
    looks_out = mind.state in LOOKS_OUT and not is_harmless(entity)
    groups = [
        [
            _describe_state(entity, mind),
            _describe_surprise(game, entity),
            describe_tapping(game, entity),
            describe_mending(game, entity),
            _describe_danger(game, entity) if looks_out else "",
            describe_waking_noises(game) if is_asleep else "",
            "" if is_harmless(entity) else _why_out_of_gun_reach(game, entity),
        ],
        [_describe_sight_range(game, entity) if looks_out else ""],
        [*habits_of(game, entity, mind), describe_passing(entity)],
    ]
    about, eyes, habits = ([*filter(None, group)] for group in groups)
    return [about + habits] if len(about) == 1 else [about, eyes, habits]


def _describe_state(robot: int, mind: Mind) -> str:
    """Return what a robot is doing, such as ``asleep``; ``on its rounds`` for one on patrol."""
    if mind.shows in ("at work", "at its post"):
        if esper.has_component(robot, Patrol):
            return "on its rounds"
        if esper.has_component(robot, Follows):
            return f"{mind.shows}, after its leader"
    return mind.shows


def _describe_surprise(game: Game, robot: int) -> str:
    """Return the damage of a blow at an enemy that is not aware of the player; empty for others."""
    if not means_harm(robot) or not is_unaware(robot):
        return ""
    least, most = by_surprise(game.attack.power)
    return f"unaware of you, so your blow does {least} to {most} damage"


def _why_out_of_gun_reach(game: Game, target: int) -> str:
    """Return why a shot can't reach a target: too far, or something in between; empty if a shot can, or without a gun."""
    gun = game.body.build.gun
    if gun is None:
        return ""
    if distance(aim_of(game, target), game.player_cell) > gun.range:
        return f"beyond your gun's range of {gun.range}"
    hindrance = hindrance_of_shot(game, target)
    return f"{hindrance} is in the way of a shot" if hindrance else ""


def _describe_danger(game: Game, robot: int) -> str:
    """Return the warning that a robot is about to see the player where he is, and how he can avoid that; empty if it won't see him."""
    steps = distance(cell_of(robot), game.player_cell)
    walking, standing, sneaking = _ranges_of_sight(robot, is_lit=is_lit(game))
    if walking < steps:
        return ""
    ways = " or ".join(
        way for way, reach in (("stand still", standing), ("sneak", sneaking)) if reach < steps
    )
    unless = f", unless you {ways}" if ways else ""
    gamble = "" if sneaking < steps else f" (if you sneak, only with {1 - OVERLOOKED:.0%} chance)"
    return f"sees you here at its next move{unless}{gamble}"


def _describe_sight_range(game: Game, robot: int) -> str:
    """Return how far a robot sees the player here and where the light is different."""
    lit = is_lit(game)
    (walking, standing, sneaking), others = (_ranges_of_sight(robot, is_lit=each) for each in (lit, not lit))
    light, other = ("light", "dark") if lit else ("dark", "light")
    reach, elsewhere = pluralized(walking, "step"), ", ".join(map(str, others))
    return (
        f"sees you here in the {light} up to {reach} away, {standing} if you stand still, {sneaking} if you sneak "
        f"(in the {other}: {elsewhere}; while you sneak, with {1 - OVERLOOKED:.0%} chance a move)"
    )


def _ranges_of_sight(robot: int, *, is_lit: bool) -> list[int]:
    """Return from how many steps a robot sees the player: walking, standing still, sneaking."""
    exposure = exposure_where(is_lit=is_lit)
    return [max(int(range_of_sight(robot, exposure * share)), 1) for share in (1, STANDING, SNEAKING)]


def _describe_use_to_player(game: Game, entity: int) -> list[str]:
    """Return phrases about what an item, a terminal or a charger gives the player; empty for other things."""
    parts = []
    if (item := esper.try_component(entity, ItemEffect)) is not None:
        parts += [effect_of(item), describe_fitting(game.body, item.part) if item.part else ""]
        parts.append(_describe_worth(entity))
    parts.append(describe_choice([entity]))
    if (terminal := esper.try_component(entity, Terminal)) is not None and terminal.offers:
        gifts = " or ".join(GIFTS[offer] for offer in terminal.offers)
        parts.append(
            f"a terminal: press w to ask it, and it may {gifts}"
            if has_anything(game, entity)
            else "a terminal that can do nothing for you now"
        )
    if (charger := esper.try_component(entity, Charger)) is not None and charger.left:
        parts.append(
            f"gives {CHARGE} charge at a time, and you can use it {pluralized(charger.left, 'more time')}"
        )
    return [*filter(None, parts)]


def _describe_worth(item: int) -> str:
    """Return the worth of a thing of the haul; empty for others."""
    if keeping_of(item) != "haul" or esper.has_component(item, GoalItem):
        return ""
    return f"goes into your haul, worth {worth_of(item)}"


def _describe_lid(game: Game, entity: int) -> list[str]:
    """Return what opens the shut lid of a thing; empty if it has none, or has a lock."""
    if not esper.has_component(entity, Lid) or is_locked(game, entity):
        return []
    if not needs_tool(entity):
        return ["opens if you walk into it"]
    return ["w pries it open" if game.body.build.pries else f"shut: {describe_prying_tools(game)} opens it"]


def _describe_blast(game: Game, entity: int) -> list[str]:
    """Return when and how an explosive explodes; empty for others."""
    explosive, fuse = esper.try_component(entity, Explosive), esper.try_component(entity, Fuse)
    if explosive is None:
        return []
    told = "explodes if you strike (w) or shoot it"
    if fuse:
        told = f"explodes in {pluralized(max(fuse.turn - game.log.turn, 1), 'turn')}"
    farther = f", less damage up to {explosive.radius} cells away" if explosive.radius > 1 else ""
    told = f"{told}: {explosive.damage} damage beside it{farther}"
    here = f"now {blast}" if (blast := describe_blast(game, entity)) else ""
    return [told, here, _why_out_of_gun_reach(game, entity)]
