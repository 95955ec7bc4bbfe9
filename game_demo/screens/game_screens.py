"""The title, the game itself, and its end."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from dungeon.core.vocabulary import HIGHLIGHTS
from game_demo.display.drawing import (
    BRIGHT,
    DIM,
    GOLD,
    PLAIN,
    RED,
    box,
    centred,
    clean,
    cut,
)
from game_demo.display.panels import draw_game
from game_demo.rules import actions, journeys
from game_demo.rules.lessons import URGENT, lesson_due, teach
from game_demo.rules.naming import pluralized, shortened
from game_demo.rules.watch import is_in_blast, way_to_attack
from game_demo.rules.work import deal
from game_demo.screens.aim import aim_screen
from game_demo.screens.body import body_page
from game_demo.screens.build_viewer import BuildViewer
from game_demo.screens.dialogs import (
    AskDirection,
    AskText,
    Confirm,
    TextPage,
    danger_question,
    messages_page,
    parting_question,
    scores_page,
)
from game_demo.screens.ending import draw_end
from game_demo.screens.inventory import PackScreen
from game_demo.screens.keys import DIRECTIONS, HELP, RUN_KEYS, TAB_KEYS, WAIT_KEYS
from game_demo.screens.look import Look, Overview, places_screen
from game_demo.screens.screen import BoxScreen, MapScreen, Screen
from game_demo.screens.works import deal_again, works_screen
from game_demo.state.game import errand
from game_demo.state.geometry import NEIGHBOURS, Area

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight
    from game_demo.screens.session import Session
    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

WIDTH: Final = 66
"""The inner width of the title's box."""

MOST_ROWS: Final = 3
"""How many rows of the title the names of levels may take."""

MOST_NOTICES: Final = 2
"""How many notices about saved games fit on the smallest screen."""

HELP_WIDTH: Final = 76
"""The width of the help text."""

SPOILS: Final = "The designer's view shows everything hidden on this level. Look?"
"""The question before the designer's view opens for the first time in a game."""

MENDS: Final = "Line {} of the saved game is damaged. Go on from the line before it, on turn {}? The damaged file is kept."
"""The question before a damaged game goes on."""

FEW_HITS: Final = 1 / 3
"""Tab stops once when less than this share of the player's hit points is left."""

FEW: Final = 1
"""At how many messages of the last action, at most, a lesson is given that is not urgent."""

SHADE: Final = 0.28
"""The brightness of the map behind the title."""


def help_page(behind: Title | PlayScreen) -> TextPage:
    """Return the help page: the task of the game and the keys."""
    goal = wrap(clean(errand(behind.session.world)), HELP_WIDTH)
    return TextPage(behind, "Help", [*((line, GOLD) for line in goal), *((line, PLAIN) for line in HELP)])


class Title(BoxScreen):
    """The title screen: the world, the seed, the keys, and the saved games.

    Args:
        session: The games.
        is_new: Whether the player has asked for a new world, so that Enter begins it and Tab offers the saved games.
    """

    def __init__(self, session: Session, *, is_new: bool = False) -> None:
        self.session = session
        self.is_new = is_new
        self.saved = session.keeper.saved()
        self.notices = session.keeper.take_notices()

    def draw(self, console: Console) -> None:
        """Draw the title over a map of another world."""
        self._draw_backdrop(console)
        world, game = self.session.world, self.session.game
        name = clean(world.content.world.name)
        names = [*dict.fromkeys(clean(game.name_of_map(node.id)) for node in world.maps)]
        places = shortened(names, lambda text: len(wrap(text, WIDTH)) <= MOST_ROWS)
        depths = len({node.depth for node in world.maps})
        ways = ", with more than one way down" if len(names) > depths else ""
        way = f"A game begins in {clean(game.name_of_map(self.session.first))}. Take what lies at the bottom."
        lines = [
            ("", PLAIN),
            (" ".join(name.upper()) if len(name) < 32 else name, GOLD),
            ("", PLAIN),
            *((line, PLAIN) for line in wrap(places, WIDTH)),
            (f"{pluralized(depths, 'level')} deep{ways}{'' if self.saved else self._seed}", DIM),
            ("", PLAIN),
            *((line, PLAIN) for line in wrap(way, WIDTH)),
            ("", PLAIN),
            ("arrows, hjklyubn or keypad walk, > goes to the stairs and down", DIM),
            ("o explores, x looks around, ? all keys, s ended games, q leaves", DIM),
            ("w Watch a level being built   t Tour: how a level is made", PLAIN),
            ("", PLAIN),
            *self._ways_in(),
            *((line, RED) for each in self.notices[-MOST_NOTICES:] for line in wrap(clean(each), WIDTH)),
            ("", PLAIN),
        ]
        y, _, height, width = box(console, "", len(lines), WIDTH, Area(0, 0, console.height, console.width))
        for row, (text, colour) in enumerate(lines[:height]):
            centred(console, y + row, cut(text, width), colour)

    def _ways_in(self) -> list[tuple[str, Colour]]:
        """Return the lines about how to begin or continue a game."""
        chosen = self.session.is_with_lessons
        other = "" if chosen is None else f"; l: with{'out' * chosen} lessons"
        if not self.saved:
            return [(f"press any key{other}", BRIGHT)]
        if self.is_new:
            way = f"Enter begins in a new world{self._seed}{other}"
            return [(way, BRIGHT), (f"Tab for {pluralized(len(self.saved), 'saved game')}", BRIGHT)]
        recording = self.saved[0].recording
        damage = f" (line {recording.damaged} is damaged)" if recording.damaged else ""
        others = f", Tab for others ({len(self.saved) - 1})" if len(self.saved) > 1 else ""
        way = f"Enter goes on with your game of seed {recording.header.seed_shown}, turn {recording.turn}{damage}{others}"
        return [(line, BRIGHT) for line in (*wrap(way, WIDTH), f"n begins a new one{self._seed}{other}")]

    @property
    def _seed(self) -> str:
        return f", {self.session.game.seed_words}"

    def _draw_backdrop(self, console: Console) -> None:
        picture = self.session.backdrop.rgb
        rows, columns = min(console.height, picture.shape[0]), min(console.width, picture.shape[1])
        top, left = (picture.shape[0] - rows) // 2, (picture.shape[1] - columns) // 2
        y, x = (console.height - rows) // 2, (console.width - columns) // 2
        part = picture[top : top + rows, left : left + columns].copy()
        part["fg"], part["bg"] = part["fg"] * SHADE, part["bg"] * SHADE
        console.rgb[y : y + rows, x : x + columns] = part

    def press(self, key: str) -> Screen | None:
        """Begin a game, or do what the key means."""
        match key:
            case "q" | "Q":
                return None
            case "escape":
                return self
            case "?":
                return help_page(self)
            case "w" | "t":
                return BuildViewer(self, self.session, tours=key == "t")
            case "s":
                return scores_page(self, self.session.keeper)
            case _:
                return self._begin(key)

    def click(self, y: int, x: int, button: int) -> Screen | None:  # noqa: ARG002  # anywhere
        """Begin a game, as Enter does."""
        return self._begin("enter")

    def _begin(self, key: str) -> Screen:
        """Begin a game, continue a saved one, or show the next saved one."""
        match key:
            case _ if key in TAB_KEYS and self.saved:
                by = 0 if self.is_new else TAB_KEYS[key]
                self.is_new = False
                self.saved = [*self.saved[by:], *self.saved[:by]]
            case "enter" | " " if self.saved and not self.is_new:
                recording = self.saved[0].recording
                return (
                    Confirm(self, MENDS.format(recording.damaged, recording.turn), self._go_on)
                    if recording.damaged
                    else self._go_on()
                )
            case "l" if (chosen := self.session.is_with_lessons) is not None:
                self.session.begin(self.session.seed_as_typed, lessons=not chosen)
                return PlayScreen(self.session)
            case _ if key in ("n", "enter", " ") or not self.saved:
                return PlayScreen(self.session)
        return self

    def _go_on(self) -> Screen:
        """Continue the saved game that is offered."""
        is_found = self.session.go_on(self.saved[0])
        return PlayScreen(self.session).resume() if is_found else Title(self.session)


class PlayScreen(MapScreen):
    """The game itself.

    Attributes:
        eye: What the designer's view tints; None while the player sees with his own eyes.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.game = session.game
        self.eye: Highlight | None = None
        self._has_been_asked = False
        self._spot_to_cell: Callable[[Cell], Cell | None] = lambda _: None
        self._last = ""
        self._dares = False  # to strike on with few hit points
        self._dealt: tuple[Direction, str] | None = None
        self._screens: dict[str, Callable[[], Screen]] = {
            **dict.fromkeys("x;", lambda: Look(self, self.game, eye=self.eye)),
            **dict.fromkeys("ia", lambda: PackScreen(self, self.game)),
            "d": lambda: PackScreen(self, self.game, drops=True),
            "c": self._close,
            "_": lambda: places_screen(self, self.game, self.eye),
            "e": lambda: body_page(self, self.game),
            "f": lambda: aim_screen(self, self.game),
            "w": lambda: works_screen(self, self.game, self._deal),
            "r": self._again,
            "m": lambda: messages_page(self, self.game.log),
            "M": lambda: Overview(self, self.game),
            "?": lambda: help_page(self),
            "tab": self._attack,
            **dict.fromkeys("qQ", self._leave),
            "v": self._blink,
            "ctrl+g": self._choose_map,
        }
        self._actions: dict[str, Callable[[Game], None]] = {
            **dict.fromkeys(WAIT_KEYS, actions.wait),
            "s": actions.search,
            **dict.fromkeys("g,", actions.pick_up),
            "o": journeys.explore,
            "R": journeys.rest,
            ">": journeys.go_down,
            "<": journeys.go_up,
            "P": self._change_palette,
            "!": self._report,
            "t": actions.sneak,
        }

    def draw(self, console: Console) -> None:
        """Draw map, status and messages."""
        self._spot_to_cell = draw_game(console, self.game, eye=self.eye).on_map

    def press(self, key: str) -> Screen | None:
        """Do what the key means."""
        self.game.log.begin_action()
        if key in self._screens:
            return self._screens[key]()
        self._dealt = None
        if key in DIRECTIONS:
            self._last = key
            return self._step(DIRECTIONS[key], lambda: actions.step(self.game, DIRECTIONS[key]))
        if key in RUN_KEYS:
            self._last = key
            return self._step(RUN_KEYS[key], lambda: journeys.run(self.game, RUN_KEYS[key]))
        if key in self._actions:
            self._last = key
            question = parting_question(self.game, key) if key in ("<", ">") else ""
            return self._do(lambda: self._actions[key](self.game), question)
        if key == "escape" and self.eye is not None:
            return self._see_with(None)
        if key not in ("escape", "enter", ""):
            actions.remark(self.game, "That key does nothing. ? lists the keys.")
        return self.resume()

    def click(self, y: int, x: int, button: int) -> Screen | None:
        """Left button: walk to a cell, or pick up what lies under the player. Other buttons: look at the cell."""
        self.game.log.begin_action()
        cell = self._spot_to_cell((y, x))
        if cell is None:
            return self
        if button != 1:
            return Look(self, self.game, cursor=cell, eye=self.eye)
        way = cell[0] - self.game.player_cell[0], cell[1] - self.game.player_cell[1]
        if way == (0, 0):
            return self._do(lambda: actions.pick_up(self.game))
        if way in NEIGHBOURS:
            return self._step(way, lambda: actions.step(self.game, way))
        return self._do(lambda: journeys.travel(self.game, cell))

    def resume(self) -> Screen:
        """Continue the game, with a lesson if one is due, or show its end."""
        if self.game.is_over:
            return Ending(self)
        lesson = lesson_due(self.game)
        if lesson is not None and (lesson in URGENT or self.game.log.said_now <= FEW):
            teach(self.game, lesson)  # another one waits until the log has room for it
        return self

    def _step(self, way: Direction, act: Callable[[], None]) -> Screen:
        """Do an action in a direction, after a question if the player knows of harm there."""
        here = self.game.player_cell
        return self._do(act, danger_question(self.game, (here[0] + way[0], here[1] + way[1])))

    def _do(self, act: Callable[[], None], question: str = "") -> Screen:
        """Do an action, after a question if there is one."""

        def done() -> Screen:
            act()
            return self.resume()

        return Confirm(self, question, done) if question else done()

    def _attack(self) -> Screen:
        """Strike the nearest enemy in sight, wait for it if it comes, or go a step towards it. Stop once when few hit points are left."""
        game, self._last = self.game, "tab"
        if is_in_blast(game):
            return self
        way, told = way_to_attack(game)
        if way is None:
            actions.remark(game, told)
            return self
        dared, self._dares = self._dares, game.health.hp < FEW_HITS * game.health.max_hp
        if self._dares and not dared:
            left = pluralized(game.health.hp, "hit point")
            actions.remark(game, f"You stop: you have only {left} left. (Tab again strikes on)", "bad")
            return self
        if told:
            actions.remark(game, told, "aside")
            return self._do(lambda: journeys.await_foe(game))
        return self._step(way, lambda: actions.step(game, way))

    def _close(self) -> Screen:
        """Close the only open door next to the player, or ask which."""
        game, (y, x) = self.game, self.game.player_cell
        doors = game.map.doors
        ways = [way for way in NEIGHBOURS if (door := doors.get((y + way[0], x + way[1]))) and door.is_open]
        if len(ways) > 1:
            return AskDirection(self, "Close which door?", lambda way: actions.close_door(game, way))
        if not ways:
            told = (
                "You stand in the doorway: step out of it to close its door."
                if game.player_cell in doors
                else "There is no open door next to you. (A bare doorway has no door to close.)"
            )
            actions.remark(game, told)
            return self
        return self._do(lambda: actions.close_door(game, ways[0]))

    def _deal(self, direction: Direction, name: str) -> None:
        """Carry out a work option, and remember it for the key `r`."""
        self._dealt = direction, name
        deal(self.game, direction, name)

    def _again(self) -> Screen:
        """Repeat the last key, or the last work option."""
        if self._dealt is None:
            return self.press(self._last) or self
        return deal_again(self, self.game, self._dealt, self._deal)

    def _leave(self) -> Screen:
        then = "Your game is saved." if self.session.keeper.is_saving else "Your game is not saved."
        return Confirm(self, f"Leave {cut(self.game.world.content.world.name, 30)}? {then}", lambda: None)

    # -- for designers, and for whoever finds a mistake -------------------------------------------

    def _blink(self) -> Screen:
        """Open the designer's view, switch it to its next tint, or close it. The first time in a game, ask."""
        views: tuple[Highlight | None, ...] = (None, *HIGHLIGHTS)
        following = views[(views.index(self.eye) + 1) % len(views)]
        return (
            self._see_with(following)
            if self._has_been_asked
            else Confirm(self, SPOILS, lambda: self._see_with(following))
        )

    def _see_with(self, eye: Highlight | None) -> Screen:
        """Set what the designer's view tints, and look around with it; None closes it."""
        self.eye, self._has_been_asked = eye, True
        if eye is None:
            actions.remark(self.game, "The designer's view is off.")
            return self
        actions.remark(
            self.game, f"The designer's view is on, and tints {eye}. x explains things, Esc turns it off."
        )
        return Look(self, self.game, eye=eye)

    def _change_palette(self, game: Game) -> None:
        actions.remark(game, f"The palette is {self.session.next_palette()} now.")

    def _report(self, game: Game) -> None:
        """Write a report of the game for bug hunters."""
        try:
            path = self.session.write_report(Path())
        except OSError as error:
            actions.remark(game, f"The report could not be written: {error.strerror}.")
        else:
            actions.remark(game, f"A report of this game is written to {path.resolve()}.")

    def _choose_map(self) -> Screen:
        example = f"{self.session.world.maps[-1].id} 7"
        return AskText(self, "Go to", f"a map, a seed, or both, for example: {example}", self._jump)

    def _jump(self, text: str) -> Screen:
        """Begin anew on any map of any world.

        Raises:
            ValueError: There is no such map or seed.
        """
        self.session.jump(text)
        return PlayScreen(self.session)


class Ending(BoxScreen):
    """The screen after the game: victory or defeat, and what next. Nothing seen from here changes the game."""

    def __init__(self, behind: PlayScreen) -> None:
        self.behind = behind
        game = behind.game
        self._views: dict[str, Callable[[], Screen]] = {
            "m": lambda: messages_page(self, game.log),
            "M": lambda: Overview(self, game),
            **dict.fromkeys("x;", lambda: Look(self, game, eye=behind.eye)),
            "s": lambda: scores_page(self, behind.session.keeper),
        }

    def draw(self, console: Console) -> None:
        """Draw how the game ended, over the map where it ended."""
        draw_end(console, self.behind.game, self._whereabouts(), self.behind.eye)

    def _whereabouts(self) -> str:
        """Return where the story of the game was written, or why it was not; empty if games are not saved."""
        keeper = self.behind.session.keeper
        told = str(keeper.story.relative_to(keeper.story.parent.parent)) if keeper.story else ""
        told = f"How it went: {told}" if told else "".join(keeper.notices[-1:])
        return cut(clean(told), WIDTH)

    def press(self, key: str) -> Screen | None:
        """Look back at the game, begin another, or leave."""
        session = self.behind.session
        match key:
            case _ if key in self._views:
                return self._views[key]()
            case "enter":  # no key that a player may still be walking with
                session.begin()
                return Title(session, is_new=True)
            case "r":
                session.begin(session.seed_as_typed)
                return PlayScreen(session)
            case "q" | "Q":
                return None
            case _:
                return self
