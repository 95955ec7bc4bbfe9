"""What the works answer the player: locks that are forced, traps that are disarmed, blasts, digging, terminals."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import esper
import pytest
from tcod.console import Console
from test_game import drawn_content, forget_worlds, said, walk
from test_game_screens import after

import dungeon
from dungeon.playtest.game import Action, Ground
from game_demo.playing import DemoPlay
from game_demo.rules import actions
from game_demo.rules.destruction import FUSE
from game_demo.rules.fighting import fire, marks, targets
from game_demo.rules.forcing import DIG_NOISE, DIG_TURNS, HARM
from game_demo.rules.hacking import TAPPED
from game_demo.rules.traps import NOTICE_CHANCE
from game_demo.rules.work import deal, options_at
from game_demo.screens.dialogs import Confirm
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session
from game_demo.screens.works import Works, options_around
from game_demo.state.components import Health, Hidden, Mind, Robot, Tag, Trap, cell_of, cells_of
from game_demo.state.digest import digest_of
from game_demo.state.fixtures import Explosive, Fuse
from game_demo.state.game import Game
from game_demo.state.geometry import NEIGHBOURS, distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.rules.options import WorkOption
    from game_demo.state.geometry import Cell

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        post: {name: post, glyph: i, data: {behaviour: idle, hp: 20}}
        hunter: {name: hunter, glyph: h, data: {behaviour: hunt, hp: 20, attack: 3, sight: 20}}
        vermin: {name: vermin, glyph: v, data: {behaviour: hunt, hp: 20, attack: 3, sight: 20, careless: true}}
    """,
    "items": """
        pick: {name: pick, glyph: "!", data: {slot: arm, digs: true}}
        tap: {name: tap, glyph: "!", data: {slot: head, hacks: true}}
        gun: {name: gun, glyph: "!", data: {slot: arm, shoots: {power: 5, range: 7, charge: 10}}}
        key: {name: key, glyph: "-"}
        prize: {name: prize, glyph: "*"}
    """,
    "traps": """
        needle: {name: needle, glyph: ^, data: {damage: 5, hidden: false}}
        pit: {name: pit, glyph: ^, data: {damage: 5}}
        spark: {name: spark, glyph: ^, data: {damage: 1, sparks: true, hidden: false}}
        bell: {name: bell, glyph: ^, data: {damage: 0, noise: 20, hidden: false}}
    """,
    "props": """
        crate: {name: crate, glyph: "="}
        barrel: {name: barrel, glyph: "&", data: {explodes: {radius: 2, damage: 9}}}
        box: {name: box, glyph: "=", state: shut}
        lever: {name: lever, glyph: "/"}
        board: {name: board, glyph: "o", data: {terminal: [map, traps, locks, guards]}}
    """,
}
LEGEND = """
    i: {robot: post}
    h: {robot: hunter}
    v: {robot: vermin}
    p: {item: pick}
    t: {item: tap}
    g: {item: gun}
    n: {trap: needle}
    o: {trap: pit}
    s: {trap: spark}
    b: {trap: bell}
    C: {prop: crate}
    B: {prop: barrel}
    X: {prop: box, lock: till}
    L: {terrain: locked_door, lock: brass}
    k: {item: key, opens: brass}
    G: {terrain: locked_door, lock: gate}
    I: {prop: lever, opens: gate}
    T: {prop: board}
"""
EAST = (0, 1)


class Sure(Random):
    """Chance that always says the same."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def random(self) -> float:
        """Return it."""
        return self.value


LUCK, BAD_LUCK = Sure(0), Sure(0.999)
LUCK_BUT_BLIND = Sure(NOTICE_CHANCE)
"""What is tried comes off, but nothing hidden is noticed."""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level; the player arrives at ``<``, and everything he tries comes off."""

    def begin(drawing: str) -> Game:
        (tmp_path / "terrain.yaml").write_text("loam: {like: wall, diggable: true}\n")
        content = drawn_content(tmp_path, drawing, objects=OBJECTS, legend=f"{LEGEND}    e: loam\n")
        game = Game(dungeon.World(content, 1))
        game.rng = LUCK
        return game

    yield begin
    forget_worlds()


def east(game: Game) -> list[WorkOption]:
    """Return how what lies east of the player can be dealt with."""
    return options_at(game, (game.player_cell[0], game.player_cell[1] + 1))


def equip(game: Game) -> None:
    """Take what lies here, and fit it."""
    actions.pick_up(game)
    actions.apply(game, 0)


CORNERS = """
    ##########
    #<?..#...#
    #.##.#.#.#
    #k#....#.#
    #.####.#.#
    #......#h#
    ##########
    """
"""A hunter who does not see the player has a way to him."""


def is_coming(game: Game, robot: int, start: Cell) -> bool:
    """Tell whether a robot is on its way from where it was."""
    walk(game, "...")
    return distance(cell_of(robot), start) == 4


def robot_of(game: Game) -> int:
    game.resume()
    ((robot, _),) = esper.get_component(Robot)
    return robot


# -- forcing ----------------------------------------------------------------------------------------


def test_a_door_is_forced_for_some_hit_points_and_noise(play: MakeGame) -> None:
    game = play(CORNERS.replace("?", "L"))
    hunter = robot_of(game)
    before, hp = cell_of(hunter), game.health.hp
    game.rng = BAD_LUCK
    deal(game, EAST, "force")
    assert (said(game)[-1], game.health.hp, game.log.turn) == ("It holds.", hp - HARM, 3)
    assert is_coming(game, hunter, before)
    game.rng = LUCK
    deal(game, EAST, "force")
    assert "The door gives way." in said(game)
    assert game.map.walkable[1, 2]


def test_what_a_lever_moves_is_not_forced_and_nobody_is_destroyed_by_forcing(play: MakeGame) -> None:
    game = play("#####\n#<G.#\n#.I.#\n#####")
    assert east(game) == []
    game = play("#####\n#<L.#\n#k..#\n#####")
    assert [way.name for way in east(game)] == ["force"]
    game.health.hp = HARM
    assert east(game) == []


@pytest.mark.parametrize(
    ("drawing", "hp", "told"),
    [
        (
            "#####\n#<G.#\n#I..#\n#####",
            30,
            "The door is locked; a lever opens it. Neither force nor a tool opens it.",
        ),
        (
            "#####\n#<L.#\n#k..#\n#####",
            HARM,
            "You have too few hit points to force the lock: that would destroy you.",
        ),
        ("#####\n#<..#\n#####", 30, "There is nothing next to you to work on."),
    ],
)
def test_w_says_why_a_door_can_not_be_forced(drawing: str, hp: int, told: str, tmp_path: Path) -> None:
    session = Session(drawn_content(tmp_path, drawing, objects=OBJECTS, legend=LEGEND), 1)
    session.game.health.hp = hp
    screen = PlayScreen(session)
    assert screen.press("w") is screen
    assert said(session.game)[-1] == told
    forget_worlds()


def test_a_way_is_told_in_full_what_may_go_wrong_first_and_that_being_hit_breaks_it_off(
    tmp_path: Path,
) -> None:
    content = drawn_content(tmp_path, "####\n#<T#\n####", objects=OBJECTS, legend=LEGEND)
    asked = PlayScreen(Session(content, 1)).press("w")
    assert isinstance(asked, Works)
    rows = dungeon_console(asked).splitlines()
    box = " ".join(" ".join(row.split("│")[1] for row in rows if row.count("│") == 2).split())
    assert (
        "m Ask the board for a map of everything within 24 cells (70%, else it rings an alarm heard 15 cells away, and answers no more, 23 charge, 3 turns)"
        in box
    )
    assert "Work that takes several turns stops if you are hurt." in box
    forget_worlds()


def test_a_stronger_player_forces_more_surely_and_is_told_so(play: MakeGame) -> None:
    game = play("#####\n#<L.#\n#k..#\n#####")
    assert (
        str(east(game)[0])
        == "Force the door (33%, else it holds, 2 hit points, heard 10 steps away, 3 turns)"
    )
    game.attack.power += 5
    assert east(game)[0].chance == pytest.approx(0.63)


def test_a_box_that_is_forced_is_open_like_one_that_was_unlocked(play: MakeGame) -> None:
    game = play("####\n#<X#\n####")
    deal(game, EAST, "force")
    assert "The box gives way." in said(game)
    assert game.map.blockers[1, 2] in game.map.worked
    assert east(game) == []


# -- blasts -----------------------------------------------------------------------------------------


def test_a_barrel_explodes_some_turns_after_it_was_struck_and_hurts_whoever_is_in_its_sight(
    play: MakeGame,
) -> None:
    game = play("""
        ########
        #..<Bi.#
        #...#..#
        ########
        """)
    robot = robot_of(game)
    deal(game, EAST, "strike")
    assert "The barrel begins to hiss. Get away!" in said(game)
    walk(game, "h" + "." * (FUSE - 3))
    assert not any("explodes" in line for line in said(game))
    walk(game, "..")
    assert "The barrel explodes!" in said(game)
    assert game.health.hp == game.health.max_hp - 4
    assert esper.component_for_entity(robot, Health).hp == 20 - 9
    assert game.map.is_free((1, 4))


def test_who_is_out_of_reach_or_behind_something_is_not_hurt(play: MakeGame) -> None:
    game = play("""
        ########
        #<.#.B.#
        #..#...#
        #....###
        ########
        """)
    ((barrel, _),) = esper.get_component(Explosive)
    esper.add_component(barrel, Fuse(0))
    walk(game, ".")
    assert (said(game)[-1], game.health.hp) == ("Somewhere something explodes.", game.health.max_hp)


def test_what_explodes_sets_off_what_is_like_it_and_breaks_locks_and_earth(play: MakeGame) -> None:
    game = play("""
        ############
        #<e...B.Be.#
        #.e...#.#e.#
        #..........#
        ############
        """)
    assert [game.map.walkable[1, x] for x in (2, 9)] == [False, False]
    esper.add_component(game.map.blockers[1, 6], Fuse(0))
    walk(game, "...")
    assert not esper.get_component(Explosive)
    assert [game.map.walkable[1, x] for x in (2, 6, 8, 9)] == [False, True, True, True]


def test_a_blast_opens_the_lock_next_to_it(play: MakeGame) -> None:
    game = play("##########\n#k<...BL.#\n##########")
    esper.add_component(game.map.blockers[1, 6], Fuse(0))
    walk(game, ".")
    assert game.map.walkable[1, 7]
    assert not game.is_over


def test_whoever_dies_of_a_blast_has_been_destroyed_by_it(play: MakeGame) -> None:
    game = play("######\n#.<B.#\n######")
    game.health.hp = 3
    deal(game, EAST, "strike")
    walk(game, "." * FUSE)
    assert (game.ending, game.cause) == ("death", "the blast of a barrel")


def test_a_bot_is_told_that_what_has_exploded_is_gone(play: MakeGame) -> None:
    game = play("########\n#<...B.#\n########")
    bot = DemoPlay(game)
    assert bot.observe().ground[1, 5] == Ground.OBJECT
    esper.add_component(game.map.blockers[1, 5], Fuse(0))
    bot.act(Action.WAIT)
    assert bot.observe().ground[1, 5] == Ground.FLOOR


def test_bumping_into_what_explodes_tells_that_something_can_be_done(play: MakeGame) -> None:
    game = walk(play("####\n#<B#\n####"), "l")
    assert said(game)[-1] == "(press w to list what you can do with it)"
    assert not esper.get_component(Fuse)


# -- traps ------------------------------------------------------------------------------------------


def test_a_trap_that_is_seen_is_disarmed_taken_along_and_laid_for_a_robot(play: MakeGame) -> None:
    game = play("""
        ##########
        #<n......#
        ########.#
        #h.......#
        ##########
        """)
    hunter = robot_of(game)
    game.map.move(hunter, (3, 1))
    deal(game, EAST, "disarm")
    assert "You disarm the needle. You can take it with you now." in said(game)
    assert (2, game.map.armed_trap_at((1, 2))) == (2, None)
    walk(game, "l")
    actions.pick_up(game)
    (stack,) = game.player.inventory
    assert stack.look.name == "disarmed needle"
    actions.apply(game, 0)
    assert said(game)[-1] == "w lays the disarmed needle on the ground next to you."
    deal(game, EAST, "lay needle")
    assert (game.player.inventory, game.map.armed_trap_at((1, 3)) is not None) == ([], True)
    game.rng = Random(1)
    hp = game.health.hp
    for _ in range(60):
        walk(game, ".")
        if game.health.hp < hp or esper.component_for_entity(hunter, Health).hp < 20:
            break
    assert esper.component_for_entity(hunter, Health).hp == 20 - 5
    assert game.map.armed_trap_at((1, 3)) is None


def test_a_hand_that_slips_springs_the_trap(play: MakeGame) -> None:
    game = play("#####\n#<n.#\n#####")
    game.rng = BAD_LUCK
    deal(game, EAST, "disarm")
    assert (game.health.hp, game.map.armed_trap_at((1, 2))) == (game.health.max_hp - 5, None)


def test_a_trap_that_was_not_found_cannot_be_disarmed(play: MakeGame) -> None:
    game = play("#####\n#<o.#\n#####")
    assert east(game) == []


@pytest.mark.parametrize(("kind", "steps_on_it"), [("h", False), ("v", True)])
def test_robots_know_the_traps_of_the_works_and_some_do_not_mind(
    kind: str,
    steps_on_it: bool,  # noqa: FBT001
    play: MakeGame,
) -> None:
    game = play(f"""
        #########
        #<.n...{kind}#
        #########
        """)
    robot = robot_of(game)
    game.rng = Random(1)
    for _ in range(12):
        walk(game, ".")
    assert (esper.component_for_entity(robot, Health).hp < 20) == steps_on_it
    assert (cell_of(robot)[1] < 3) == steps_on_it


def test_a_spark_sets_off_a_barrel_and_a_bell_calls_hunters(play: MakeGame) -> None:
    game = play("""
        ######
        #<s.B#
        ####.#
        ######
        """)
    walk(game, "l")
    assert not esper.get_component(Fuse)
    game = play("""
        ########
        #.<sB..#
        ########
        """)
    walk(game, "l")
    assert esper.get_component(Fuse)
    game = play(CORNERS.replace("?", "b"))
    hunter = robot_of(game)
    before = cell_of(hunter)
    walk(game, "l")
    assert is_coming(game, hunter, before)


def test_no_trap_is_laid_on_one_that_was_not_found_which_is_found_then(play: MakeGame) -> None:
    game = play("#####\n#<no#\n#####")
    game.rng = LUCK_BUT_BLIND
    deal(game, EAST, "disarm")
    walk(game, "l")
    actions.pick_up(game)
    deal(game, EAST, "lay needle")
    assert said(game)[-1] == "You find a pit!"
    assert len(game.player.inventory) == 1
    assert [way.name for way in east(game)] == ["disarm"]


# -- digging ----------------------------------------------------------------------------------------


def test_earth_is_dug_through_with_a_pick_and_stays_open(play: MakeGame) -> None:
    game = play("""
        ########
        #<pe...#
        #.####.#
        #......#
        ########
        """)
    walk(game, "l")
    assert east(game) == []
    equip(game)
    assert [str(way) for way in east(game)] == [
        f"Dig through the loam (20 charge, heard {DIG_NOISE} steps away, {DIG_TURNS} turns)"
    ]
    turn = game.log.turn
    deal(game, EAST, "dig")
    assert game.log.turn == turn + DIG_TURNS
    walk(game, "lll")
    assert game.player_cell == (1, 5)


def test_what_bounds_the_map_and_built_walls_are_not_dug(play: MakeGame) -> None:
    game = play("#####\nep<##\n#####")
    walk(game, "h")
    equip(game)
    assert options_around(game) == {}


def test_work_is_broken_off_when_somebody_strikes(play: MakeGame) -> None:
    game = play("""
        ######
        #<pe.#
        #h##.#
        #....#
        ######
        """)
    walk(game, "l")
    equip(game)
    game.rng = Random(2)
    deal(game, EAST, "dig")
    assert said(game)[-1] == "You are hurt, and stop working."
    assert not game.map.walkable[1, 3]


# -- terminals --------------------------------------------------------------------------------------

HALL = """
    ############
    #<T..#.o.i.#
    #....L.....#
    #k...#...h.#
    #..t.#.....#
    ############
    """


def test_a_terminal_tells_the_odds_and_each_thing_is_asked_once(play: MakeGame) -> None:
    game = play(HALL)
    assert [(way.name, way.chance) for way in east(game)] == [
        ("map", 0.7),
        ("traps", 0.7),
        ("locks", 0.4),
        ("guards", 0.45),
    ]
    deal(game, EAST, "map")
    assert [way.name for way in east(game)] == ["traps", "locks", "guards"]


def test_what_a_terminal_shows_is_known_from_then_on(play: MakeGame) -> None:
    game = play(HALL)
    assert not game.map.sight.explored[3, 8]
    deal(game, EAST, "map")
    assert game.map.sight.explored.all()
    assert chr(game.map.sight.memory["ch"][2, 8]) == "."
    ((pit, _),) = esper.get_component(Trap)
    assert esper.has_component(pit, Hidden)
    deal(game, EAST, "traps")
    assert not esper.has_component(pit, Hidden)
    assert chr(game.map.sight.memory["ch"][1, 7]) == "^"


def test_a_terminal_opens_a_lock_and_shuts_down_the_nearest_robot_that_fights(play: MakeGame) -> None:
    game = play(HALL)
    deal(game, EAST, "locks")
    assert game.map.walkable[2, 5]
    deal(game, EAST, "guards")
    (hunter,) = [robot for robot, (_, tag) in esper.get_components(Robot, Tag) if tag.tag == "hunter"]
    before = cell_of(hunter)
    walk(game, "." * 10)
    assert cell_of(hunter) == before


def test_a_terminal_that_is_not_talked_round_rings_an_alarm_and_says_no_more(play: MakeGame) -> None:
    game = play(CORNERS.replace("?", "T").replace("k", "o"))
    hunter = robot_of(game)
    before = cell_of(hunter)
    game.rng = BAD_LUCK
    deal(game, EAST, "traps")
    assert "The board rings an alarm, and answers no more." in said(game)
    assert is_coming(game, hunter, before)
    assert east(game) == []


def test_an_alarm_wakes_what_its_distance_holds_behind_walls_too(play: MakeGame) -> None:
    game = play("####################\n#<T.L............hh#\n####################")
    near, far = (mind for _, mind in sorted(esper.get_component(Mind)))
    near.state = far.state = "asleep"
    game.rng = BAD_LUCK
    deal(game, EAST, "map")
    assert (near.state, far.state) == ("searching", "asleep")
    assert said(game)[-1] == "A robot hears it, and comes."


def test_who_has_a_tool_for_it_talks_better_to_terminals(play: MakeGame) -> None:
    game = play("#####\n#<T.#\n#t..#\n#####")
    bare = east(game)[0].chance
    walk(game, "j")
    equip(game)
    walk(game, "k")
    assert east(game)[0].chance == pytest.approx(bare + TAPPED)


# -- the screen -------------------------------------------------------------------------------------


def test_w_asks_how_and_the_letter_does_it(tmp_path: Path) -> None:
    content = drawn_content(tmp_path, "######\n#B<L.#\n#.k..#\n######", objects=OBJECTS, legend=LEGEND)
    session = Session(content, 1)
    screen = PlayScreen(session)
    asked = screen.press("w")
    assert isinstance(asked, Works)
    told = [line.strip(" │").strip() for line in dungeon_console(asked).splitlines()]
    begun = told.index("East")
    assert told[begun : begun + 6] == [
        "East",
        "f  Force the door (33%, else it holds, 2 hit points, heard 10 steps",
        "away, 3 turns)",
        "West",
        "s  Strike the barrel: it explodes 4 turns later (up to 9 damage within",
        "2 cells)",
    ]
    assert asked.press("f") is screen
    assert session.game.health.hp == session.game.health.max_hp - HARM
    assert asked.press("s") is not screen, "a blast in one's reach is asked about"
    assert not any(esper.has_component(each, Fuse) for each, _ in esper.get_component(Explosive))
    again = screen.press("w")
    assert again is not None
    turn = session.game.log.turn
    assert again.press("k") is again, "no letter of a way"
    assert again.press("escape") is screen
    assert session.game.log.turn == turn
    forget_worlds()


def test_a_blast_beside_the_player_is_asked_about(tmp_path: Path) -> None:
    content = drawn_content(tmp_path, "####\n#<B#\n####", objects=OBJECTS, legend=LEGEND)
    session = Session(content, 1)
    screen = PlayScreen(session)
    game = session.game
    asked = after(screen, "w", "s")
    assert isinstance(asked, Confirm)
    assert (
        asked.question
        == f"If struck, the barrel explodes {FUSE} turns later and reaches 2 cells. If you are still here then, you lose 9 hit points. Strike it?"
    )
    assert after(asked, "n") is screen
    assert not esper.get_component(Fuse)
    game.health.hp = 9
    asked = after(screen, "w", "enter")
    assert isinstance(asked, Confirm)
    assert "lose 9 hit points, which destroys you. Strike" in asked.question
    after(asked, "y")
    assert len(esper.get_component(Fuse)) == 1
    forget_worlds()


def dungeon_console(screen: Works) -> str:
    """Return what a screen shows."""
    console = Console(80, 24, order="C")
    screen.draw(console)
    return "\n".join("".join(map(chr, row)) for row in console.rgb["ch"].tolist())


def test_there_may_be_nothing_to_work_on(tmp_path: Path) -> None:
    session = Session(drawn_content(tmp_path, "####\n#<.#\n####", objects=OBJECTS, legend=LEGEND), 1)
    screen = PlayScreen(session)
    assert screen.press("w") is screen
    assert said(session.game)[-1] == "There is nothing next to you to work on."
    forget_worlds()


def test_keywords_of_the_works_that_make_no_sense_are_told(tmp_path: Path) -> None:
    props = """
        barrel: {name: barrel, glyph: "&", data: {explodes: {radius: 0, damage: 9}}}
        board: {name: board, glyph: "o", data: {terminal: [map, tea]}}
    """
    objects, legend = {"props": props}, "B: {prop: barrel}\nT: {prop: board}"
    content = drawn_content(tmp_path, "#####\n#<BT#\n#...#\n#####", objects=objects, legend=legend)
    game = Game(dungeon.World(content, 1))
    assert said(game)[:2] == [
        "Content: prop 'barrel': explodes is {'radius': 0, 'damage': 9}, not a mapping such as {radius: 2, damage: 8} with numbers from 1 to 30.",
        "Content: prop 'board': terminal is 'tea', not any of map, traps, locks, guards, turn.",
    ]
    forget_worlds()


# -- shots ------------------------------------------------------------------------------------------


def test_what_explodes_is_set_off_by_a_shot_from_afar(play: MakeGame) -> None:
    game = walk(play("############\n#<g....B..i#\n############"), "l")
    equip(game)
    assert not targets(game)
    (barrel,) = marks(game)
    fire(game, barrel)
    walk(game, "...")
    assert game.map.is_free((1, 7))
    assert game.health.hp == game.health.max_hp
    assert marks(game) == targets(game)


# -- everything at once -----------------------------------------------------------------------------

YARD = """
    ################
    #<.B.n.e.s.BT..#
    #.p..eee..o..B.#
    #..X.e.eL.i..n.#
    #.h..eee..B.b..#
    #.....v..k.....#
    ################
    """


def worked(game: Game, actions_left: int, chance: Random) -> str:
    """Let somebody try whatever there is, and return the digest of the game after that."""
    game.rng = Random(1)
    for _ in range(actions_left):
        game.resume()
        game.health.hp, game.body.charge = game.health.max_hp, game.body.capacity
        around = options_around(game)
        if around and chance.random() < 0.5:
            direction = chance.choice([*around])
            deal(game, direction, chance.choice(around[direction]).name)
        elif game.map.items_at(game.player_cell):
            actions.pick_up(game)
        elif game.player.inventory and chance.random() < 0.1:
            actions.apply(game, chance.randrange(len(game.player.inventory)))
        else:
            actions.step(game, chance.choice(NEIGHBOURS))
        assert_accounts_are_true(game)
    return digest_of(game)


def assert_accounts_are_true(game: Game) -> None:
    """Check that what the level keeps account of is what esper has."""
    game_map = game.map
    game.resume()
    for cell, entity in game_map.blockers.items():
        assert cell in cells_of(entity)
    for cell, things in game_map.lying.items():
        assert all(cell in cells_of(entity) for entity in things)
    for cell, trap in game_map.traps.items():
        assert esper.has_component(trap, Trap)
        assert cell_of(trap) == cell
    robots = sum(game_map.bit(cell_of(robot)) for robot, _ in esper.get_component(Robot))
    assert game_map.robots == robots


@pytest.mark.parametrize("seed", range(6))
def test_whatever_one_tries_accounts_stay_true_and_the_same_tries_make_the_same_game(
    seed: int, play: MakeGame
) -> None:
    one, other = play(YARD), play(YARD)
    assert worked(one, 150, Random(seed)) == worked(other, 150, Random(seed))
