"""Locks of doors, portals and boxes. A lock and the keys, codes and levers that open it share a word, which the player never sees.

The *opener* of a lock is what the player opens it with: a key or a known code. The *ring* of a level holds his keys and codes
for that level. A lock that *follows* another one opens as soon as that one is opened. The openers of a *far* lock lie on other
levels; the player has them on every level, and a lever or a destroyed robot opens the lock when he comes to its level.
"""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import esper

from dungeon import terrain as t
from game_demo.rules.moods import is_ally
from game_demo.rules.naming import (
    as_sentence,
    is_plural,
    listed,
    name_of,
    several,
    states_of,
    with_article,
)
from game_demo.state.carried import FarOpener, words_of
from game_demo.state.components import (
    Appearance,
    EntityText,
    Footprint,
    HeldBy,
    Item,
    Position,
    Prop,
    Robot,
    Tag,
    cell_of,
    cells_of,
    held_by,
)
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dungeon import Lock, Portal, Spawn
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


ABOARD: Final = 2
"""Allies within this many cells of the player take a portal with him."""


# -- what boxes hold -------------------------------------------------------------------------------

OPEN_GLYPH: Final = "▄"
"""The glyph of an opened box."""
TURNED: Final = {"up": "down", "down": "up", "shut": "open", "open": "shut"}
"""State of a lever -> its state after it was pulled."""


def spill(game: Game, holder: int, cell: Cell) -> list[int]:
    """Drop everything that an entity holds on a cell; return the items."""
    items = [*held_by(holder)]
    held_by(holder).clear()
    for item in items:
        esper.remove_component(item, HeldBy)
        esper.add_component(item, Position(*cell))
        game.map.lay(item, [cell])
    return items


def open_box(game: Game, box: int) -> None:
    """Open a locked box: its items drop beside it, and the player is told of them if he sees it."""
    set_state(box, "open")
    if not esper.has_component(box, Footprint):  # a prop of several cells keeps its drawing
        esper.component_for_entity(box, Appearance).glyph = OPEN_GLYPH
    items = spill(game, box, _beside(game, box))
    if not any(game.map.sight.visible[cell] for cell in cells_of(box)):
        return
    names = [name_of(item) for item in items]
    if names:
        them = "them" if len(names) > 1 or is_plural(names[0]) else "it"
        game.log.say(f"In the {name_of(box)}: {listed(names)}. (g takes {them})", "find")
    elif "opens" not in esper.component_for_entity(box, Tag).keywords:  # with it, a key was in the box
        game.log.say(f"The {name_of(box)} is empty.")


def turn_lever(lever: int) -> None:
    """Change the state of a pulled lever, such as ``up`` to ``down``, if its author gave it one."""
    state = esper.component_for_entity(lever, Tag).keywords.get("state")
    if isinstance(state, str) and state in TURNED:
        set_state(lever, TURNED[state])


def set_state(entity: int, state: str) -> None:
    """Set the state that the description of an entity tells."""
    tag = esper.component_for_entity(entity, Tag)
    tag.keywords = {**tag.keywords, "state": state}


def _beside(game: Game, box: int) -> Cell:
    """Return where the contents of a box drop: on the player's cell if he stands beside it, else on the nearest free cell."""
    cells = cells_of(box)
    if any(distance(cell, game.player_cell) <= 1 for cell in cells):
        return game.player_cell
    free = (near for cell in cells for near in game.map.neighbours(cell) if game.map.is_free(near))
    return next(free, None) or game.map.nearest_free(cells[0])


# -- locks -----------------------------------------------------------------------------------------

IN_VAIN: Final = "The {} moves, but nothing else happens."
"""The message about a lever, with its name, that opens nothing."""
OPEN_ALREADY: Final = "The {} moves, but what it opens is unlocked already."
"""The message about a lever, with its name, that opens only what was forced or opened from afar before."""


def open_lock(game: Game, cell: Cell) -> bool:
    """Open the locked door or portal at a cell if the player has its opener, else say what it needs; return whether it is open."""
    lock = game.map.locks.get(cell)
    if lock is None or not _turn_key(game, lock.word, lock.name or "door"):
        game.log.say(_shut(game, cell))
        return False
    _open(game, cell)
    return True


def _turn_key(game: Game, word: str, name: str) -> bool:
    """Use the player's opener for a lock and tell him so, if he has one; return whether he has one.

    A key stays in the lock, unless it fits another lock that is still shut.

    Args:
        game: The game.
        word: The word that names the lock in the content.
        name: The lock's name for the message.
    """
    ring = game.map.ring
    key, needed = ring.key_to(word), ring.needed(word)
    if not ring.use(word):
        return False
    if needed > 1 and key is not None:
        stay = "; they stay in the lock" if key.spent_on else ""
        game.log.say(f"You unlock the {name} with {_several_openers(game, word)}{stay}.", "good")
    elif word in ring.codes:
        game.log.say(f"You know the code: the {name} {'open' if is_plural(name) else 'opens'}.", "good")
    elif key is None:
        game.log.say(f"You unlock the {name}.", "good")
    elif game.far_locks.isdisjoint(key.words) and (
        key.spent_on or sum(len(_shut_by(game, each)) for each in key.words) == 1
    ):
        game.log.say(f"You unlock the {name}; the {key.name} stays in the lock.", "good")
    else:
        game.log.say(f"You unlock the {name}; you keep the {key.name} for another lock.", "good")
    return True


def _shut(game: Game, cell: Cell) -> str:
    """Return the message about a lock that the player can't open: what opens it, and whether force may."""
    return f"{describe_lock(game, cell)}.{describe_force_hint(game, cell)}"


def describe_force_hint(game: Game, cell: Cell) -> str:
    """Return the hint that force may open the locked door at a cell; empty if it can't, or the player has the opener."""
    is_door = game.map.door_at(cell, t.LOCKED_DOOR) is not None
    may_yield = is_door and can_be_forced(game, cell) and not has_opener(game, cell)
    return " (beside it, press w to try to force it)" if may_yield else ""


def describe_lock(game: Game, cell: Cell) -> str:
    """Return a sentence without its full stop: that the door or portal at a cell is locked, and what opens it."""
    lock = game.map.locks.get(cell)
    told = f"The {lock.name} is shut" if lock and lock.name else "The door is locked"
    if lock is None:
        return told
    wants = "it opens when another lock is opened" if lock.follows else _wants(game, lock.word)
    if lock.keys_on:
        wants = _wants_from_afar(game, lock)
    if has_opener(game, cell):
        wants = "you have what opens it"
    return f"{told}; {wants}" if wants else told


def description_of(game: Game, entity: int) -> str:
    """Return the name, states and text of a prop as one line."""
    words = esper.try_component(entity, EntityText)
    name = ", ".join([name_of(entity), *states_of(entity), *describe_lock_and_key(game, entity)])
    return f"{as_sentence(name)}. {words.text}".rstrip() if words else f"{as_sentence(name)}."


def describe_lock_and_key(game: Game, entity: int) -> list[str]:
    """Return phrases about what a thing needs to be unlocked, and about what it opens.

    What the thing opens is left out if it holds a hidden key for that, and if it is a lever that was never pulled: of several, the player
    has to find out. The words that authors give to locks are never shown.
    """
    keywords = esper.component_for_entity(entity, Tag).keywords
    told, word, ring = [], keywords.get("lock"), game.map.ring
    if isinstance(word, str) and is_locked(game, entity):
        wants = "; or ".join(filter(None, [_wants(game, word), "force it (w)"]))
        opens = "you have what opens it" if ring.opens(word) else wants
        told.append(f"locked: {opens}")
    opened = [name for each in words_of(keywords) for name in _locked_by(game, each)]
    opened += [
        f"{game.world.content.locks[each].name} on another level"
        for each in words_of(keywords)
        if each in game.far_locks and not _locked_by(game, each)
    ]
    is_prop = esper.has_component(entity, Prop)
    is_done = is_prop and not any(_shut_by(game, each) for each in words_of(keywords))
    is_untried = is_prop and "code" not in keywords and not is_done and entity not in game.map.worked
    if opened and "holds" not in keywords and not is_untried:
        is_part = any(ring.needed(each) > 1 for each in words_of(keywords))
        verb = (
            "shuts" if is_done and keywords.get("toggle") is True else "helps to open" if is_part else "opens"
        )
        # Force or a terminal may have opened it, so nothing is said of what did.
        told.append(f"{verb} {listed(opened)}{' (unlocked)' * (is_done and verb != 'shuts')}")
    return told


def _locked_by(game: Game, word: str) -> list[str]:
    """Return the names of the doors, portals and boxes on the level whose lock has this word."""
    ways = [lock.name or "door" for lock in _locks_of_ways(game).values() if lock.word == word]
    return ways + [each.name for each in game.map.level.spawns if each.keywords.get("lock") == word]


def _wants(game: Game, word: str) -> str:
    """Return what opens the locks with a word, but not where that lies: ``it needs a brass key``; empty if nothing on the level does."""
    opener = next(_openers(game, word), None)
    if opener is None:
        return ""
    if game.map.ring.needed(word) > 1:
        return _wants_several(game, word, opener)
    if opener.keywords.get("code"):
        return "it needs a code that is told on this level"
    if "holds" in opener.keywords:
        return "it needs a key"
    told = {"item": "it needs {}", "robot": "destroying {} opens it"}.get(opener.like, "{} opens it")
    return told.format(with_article(opener.name))


def _wants_from_afar(game: Game, lock: Lock) -> str:
    """Return where the openers of a far lock are, and how many the player has: ``what opens it is in The Lava Works, depth 4``."""
    places = " and ".join(map(game.title, lock.keys_on))
    had = f"; you have {game.map.ring.had(lock.word)} of {lock.count}" if lock.count > 1 else ""
    return f"what opens it is in {places}{had}"


def _wants_several(game: Game, word: str, opener: Spawn) -> str:
    """Return what opens a lock that needs several openers, and how many the player has: ``it needs two fuses; you have one``.

    Args:
        game: The game.
        word: The word of the lock.
        opener: One of its openers.
    """
    ring, what = game.map.ring, _several_openers(game, word)
    had = ring.had(word) or "none"
    if opener.keywords.get("code"):
        return f"it needs a code in {ring.needed(word)} parts; you know {had}"
    if opener.like == "item" or "holds" in opener.keywords:
        return f"it needs {what}; you have {had}"
    done = "destroyed" if opener.like == "robot" else "worked"
    return f"{what} must be {done} to open it; {had} so far"


def _several_openers(game: Game, word: str) -> str:
    """Return in words as many openers as a lock with a word needs: ``two fuses``, or ``2 openers`` if they differ."""
    needed = game.map.ring.needed(word)
    names = ["key" if "holds" in each.keywords else each.name for each in _openers(game, word)]
    return several(names[0], needed) if len({*names}) == 1 else f"{needed} openers"


def can_be_forced(game: Game, cell: Cell) -> bool:
    """Return whether force can open the lock at a cell: it can't if a lever opens it, if it follows another one, or if it is far."""
    lock = game.map.locks.get(cell)
    if lock is None:
        return True
    return (
        not lock.follows
        and not lock.keys_on
        and all(each.kind != "prop" or "holds" in each.keywords for each in _openers(game, lock.word))
    )


def _openers(game: Game, word: str) -> Iterator[Spawn]:
    """Yield the spawns (objects placed when the level was made) that open locks with a word."""
    return (each for each in game.map.level.spawns if word in words_of(each.keywords))


def locked_prop_at(game: Game, cell: Cell) -> int | None:
    """Return the prop at a cell that is still locked, or None."""
    prop = game.map.blockers.get(cell)
    is_one = prop is not None and esper.has_component(prop, Prop) and is_locked(game, prop)
    return prop if is_one else None


def is_locked(game: Game, prop: int) -> bool:
    """Return whether a prop has a lock that was not opened yet."""
    keywords = esper.component_for_entity(prop, Tag).keywords
    return prop not in game.map.worked and isinstance(keywords.get("lock"), str)


def word_at(game: Game, cell: Cell) -> str:
    """Return the word of the closed lock at a cell; empty if there is none."""
    if (prop := locked_prop_at(game, cell)) is not None:
        return str(esper.component_for_entity(prop, Tag).keywords["lock"])
    lock = game.map.locks.get(cell)
    return lock.word if lock is not None and game.map.door_at(cell, t.LOCKED_DOOR) is not None else ""


def has_opener(game: Game, cell: Cell) -> bool:
    """Return whether the player has the opener for a closed lock at a cell."""
    word = word_at(game, cell)
    return bool(word) and game.map.ring.opens(word)


def break_lock(game: Game, cell: Cell) -> None:
    """Break open the locked door or prop at a cell; nothing happens if there is none."""
    if game.map.door_at(cell, t.LOCKED_DOOR) is not None:
        game.log.say("The door gives way.", "good")
        _open(game, cell)
    elif (prop := locked_prop_at(game, cell)) is not None:
        game.log.say(f"The {name_of(prop)} gives way.", "good")
        _unlock(game, prop)


def keys_of_use(game: Game) -> Counter[str]:
    """Return how often the player has each key that opens a closed lock on this level: ``brass key (opens a door)`` -> count."""
    hung = [(key.name, _named_shut(game, key.words)) for key in game.map.ring.hung]
    return Counter(f"{name} (opens {listed(locks)})" for name, locks in hung if locks)


def _named_shut(game: Game, words: Collection[str]) -> list[str]:
    """Return the names of the doors and boxes that are closed by a lock with one of `words`, each name once."""
    names: dict[str, None] = {}
    for cell in (cell for word in words for cell in _shut_by(game, word)):
        box, lock = locked_prop_at(game, cell), game.map.locks.get(cell)
        names[(lock and lock.name) or "door" if box is None else name_of(box)] = None
    return [*names]


def shut_ways(game: Game) -> list[Cell]:
    """Return the cells of the locked doors and portals."""
    return [cell for cell in _locks_of_ways(game) if _is_shut(game, cell)]


def opened_locks(game: Game) -> list[str]:
    """Return the names of the opened locks of doors and portals, each once."""
    named = {lock.name: None for cell, lock in _locks_of_ways(game).items() if not _is_shut(game, cell)}
    return [name for name in named if name]


def _locks_of_ways(game: Game) -> dict[Cell, Lock]:
    """Return cell -> lock for all locks of doors and portals, open or closed; boxes are left out."""
    ways = {*game.map.doors, *game.map.portals}
    return {cell: lock for cell, lock in game.map.locks.items() if cell in ways}


def open_from_afar(game: Game, cell: Cell) -> None:
    """Open the door, portal or box at a cell, and tell the player from which direction he hears that."""
    box = locked_prop_at(game, cell)
    if box is not None and game.map.sight.visible[cell]:
        game.log.say(f"The {name_of(box)} opens.", "find")
    else:
        game.log.say(f"{_describe_direction_of_lock(game, cell)} springs open.", "find")
    _open(game, cell)


def _describe_direction_of_lock(game: Game, cell: Cell) -> str:
    """Return the direction and the name of a lock: ``Somewhere to the west a lock``."""
    lock = game.map.locks.get(cell)
    name = f"the {lock.name}" if lock and lock.name else "a lock"
    side = bearing_of(game.player_cell, cell)  # empty if he stands on the portal
    return f"Somewhere to the {side} {name}" if side else f"Beneath you {name}"


def cross(game: Game) -> bool:
    """Take the portal on the player's cell, if it is open or can be opened, with allies near him; return whether he crossed."""
    here = game.player_cell
    portal = game.map.portals.get(here)
    if portal is None or (is_barred(game, portal) and not open_lock(game, portal.begin)):
        return False
    allies = sorted(robot for robot, _ in esper.get_component(Robot) if is_ally(robot))
    company = [each for each in allies if distance(cell_of(each), here) <= ABOARD]
    goal = portal.end if here == portal.begin else portal.begin
    for each in (game.hero, *company):
        game.map.move(each, game.map.nearest_free(goal))
    along = f", with {listed(map(name_of, company))}" if company else ""
    game.map.crossed.add(portal.begin)
    game.log.say(f"The {portal.kind.replace('_', ' ')} takes you across{along}.")
    return True


def is_barred(game: Game, portal: Portal) -> bool:
    """Return whether a portal has a lock that is still shut."""
    return portal.begin in game.map.locks and _is_shut(game, portal.begin)


def work(game: Game, prop: int) -> bool:
    """Open a locked prop, or pull a lever; return whether anything happened."""
    keywords = esper.component_for_entity(prop, Tag).keywords
    word = keywords.get("lock")
    if prop in game.map.worked or not (isinstance(word, str) or "opens" in keywords):
        return False
    if word is None and keywords.keys().isdisjoint(("code", "holds")):
        game.log.say(f"You work the {name_of(prop)}.")
    is_lever = keywords.get("toggle") is True and keywords.get("consumed") is not True and word is None
    if is_lever and game.map.ring.needs.keys().isdisjoint(words_of(keywords)):
        has_moved = _pull(game, prop, words_of(keywords))
        if has_moved:
            turn_lever(prop)
        return has_moved
    if isinstance(word, str) and not _turn_key(game, word, name_of(prop)):
        return False
    _unlock(game, prop)
    return True


def _unlock(game: Game, prop: int) -> None:
    """Finish opening a locked prop or pulling a lever: give the player what it holds, and open the locks that it opens."""
    game.map.worked.add(prop)
    game.map.changed_things.append(prop)
    keywords = esper.component_for_entity(prop, Tag).keywords
    word = keywords.get("lock")
    if isinstance(word, str):
        game.note("opened", prop)
        open_box(game, prop)
        _follow(game, word)
    else:
        turn_lever(prop)
        is_lever = keywords.keys().isdisjoint(("code", "holds"))
        if is_lever and not any(_shut_by(game, each) for each in words_of(keywords)):
            told = OPEN_ALREADY if any(_locked_by(game, each) for each in words_of(keywords)) else IN_VAIN
            game.log.say(told.format(name_of(prop)))
    obtain(game, prop)


def _pull(game: Game, lever: int, words: Collection[str]) -> bool:
    """Pull a lever that can be pulled back; return whether it moved.

    It opens the locks that have one of `words` if any of them is closed, and else closes them all.
    """
    cells = [cell for cell, lock in _locks_of_ways(game).items() if lock.word in words]
    shut = [cell for cell in cells if _is_shut(game, cell)]
    if not shut and game.player_cell in cells and game.player_cell not in game.map.portals:
        game.log.say(f"You stand in the doorway that the {name_of(lever)} closes: step out of it first.")
        return False
    levers = game.map.ring.levers
    if shut or not (cells or levers.issuperset(words)):
        levers.update(words)
    else:
        levers.difference_update(words)
        for cell in cells:
            _shut_again(game, cell)
    for cell in shut:
        if _is_shut(game, cell):  # opening another lock may have opened this one
            open_from_afar(game, cell)
    if not cells:
        game.log.say(
            "Somewhere a lock clicks." if any(map(_boxes, words)) else IN_VAIN.format(name_of(lever))
        )
    return True


def _shut_again(game: Game, cell: Cell) -> None:
    """Lock a door or portal again, unless something stands in it."""
    if cell in game.map.portals:
        game.map.unlocked.discard(cell)
    elif not game.map.lock_door(cell):
        game.log.say("Somewhere a door tries to lock, but something is in its way.")
        return
    game.log.say(f"{_describe_direction_of_lock(game, cell)} snaps shut.", "find")


def obtain(game: Game, entity: int) -> None:
    """Let the player open what an entity opens, because he has taken, pulled, opened or destroyed that entity.

    A key or a code goes on the ring of the level. The locks that a lever, or a destroyed robot, opens are opened at once.
    """
    keywords = esper.component_for_entity(entity, Tag).keywords
    ring = game.map.ring
    words = ring.add(keywords, _carried(entity))
    if far := tuple(each for each in words if each in game.far_locks):
        game.far_openers.append(FarOpener(_carried(entity), {**keywords, "opens": far}))
        game.map.ring.brought = len(game.far_openers)
    parts = [word for word in words if not ring.opens(word)]
    if words and "code" in keywords:
        part = f"{ring.had(parts[0])} of {ring.needed(parts[0])} parts of " if parts else ""
        game.log.say(f"Now you know {part}the code.", "find")
        return
    if not words or esper.has_component(entity, Item):
        return
    for word in far:
        if not _shut_by(game, word):
            game.log.say(f"On another level a lock clicks: {game.world.content.locks[word].name}.", "find")
    if "holds" in keywords:
        game.log.say(
            f"There is a key in the {name_of(entity)}."
            if esper.has_component(entity, Prop)
            else f"The {name_of(entity)} had a key.",
            "find",
        )
        return
    for word in parts:
        if _shut_by(game, word):
            game.log.say(f"Somewhere a lock clicks: {ring.had(word)} of {ring.needed(word)}.", "find")
    _open_all(game, words)


def _open_all(game: Game, words: Collection[str]) -> None:
    """Open all locks of the level that have one of `words`, if the ring opens them."""
    for word in words:
        for cell in _shut_by(game, word):
            if _is_shut(game, cell) and game.map.ring.use(
                word
            ):  # opening another lock may have opened this one
                open_from_afar(game, cell)


def bring_openers(game: Game) -> None:
    """Put what the player has for far locks on the ring of the level to which he has come, and open those that levers and robots open."""
    for opener in game.far_openers[game.map.ring.brought :]:
        words = game.map.ring.add(opener.keywords, opener.name)
        if not opener.name and "code" not in opener.keywords:
            _open_all(game, words)
    game.map.ring.brought = len(game.far_openers)


def _shut_by(game: Game, word: str) -> list[Cell]:
    """Return the cells of the closed doors, portals and boxes whose lock has this word."""
    ways = [at for at, lock in game.map.locks.items() if lock.word == word]
    return [cell for cell in dict.fromkeys([*ways, *_boxes(word)]) if _is_shut(game, cell)]


def _boxes(word: str) -> list[Cell]:
    """Return the cells of the props whose lock has this word, opened or not."""
    props = [(prop, tag) for prop, (tag, _) in esper.get_components(Tag, Prop)]
    return [
        cell_of(prop) for prop, tag in sorted(props, key=itemgetter(0)) if tag.keywords.get("lock") == word
    ]


def _carried(entity: int) -> str:
    """Return the name of the key that the player gets from an entity: the name of an item, ``key`` from other holders, or empty."""
    if esper.has_component(entity, Item):
        return name_of(entity)
    return "key" if "holds" in esper.component_for_entity(entity, Tag).keywords else ""


def _is_shut(game: Game, cell: Cell) -> bool:
    """Return whether the door, portal or box at a cell is still locked."""
    if cell in game.map.portals:
        return cell not in game.map.unlocked
    return game.map.door_at(cell, t.LOCKED_DOOR) is not None or locked_prop_at(game, cell) is not None


def _open(game: Game, cell: Cell) -> None:
    if (box := locked_prop_at(game, cell)) is not None:
        _unlock(game, box)
        return
    game.note("opened")
    if cell in game.map.portals:
        game.map.unlocked.add(cell)
    else:
        game.map.set_door(cell, is_open=True)
    if (lock := game.map.locks.get(cell)) is not None:
        _follow(game, lock.word)


def _follow(game: Game, word: str) -> None:
    """Open the doors and boxes whose locks open together with the locks that have this word."""
    for cell, lock in game.map.locks.items():
        if lock.follows == word and _is_shut(game, cell):
            game.log.say(f"{_describe_direction_of_lock(game, cell)} springs open, too.", "find")
            _open(game, cell)
