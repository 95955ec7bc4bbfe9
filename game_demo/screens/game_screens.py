"""The screens of a game, from its title to its end."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.descriptions import pluralized
from game_demo.display.drawing import BRIGHT, DIM, GOLD, GREEN, PLAIN, RED, box, centred, clean, cut
from game_demo.display.panels import colour_of, draw_game
from game_demo.rules import actions
from game_demo.saving.recording import SaveError
from game_demo.screens.build_viewer import BuildViewer
from game_demo.screens.dialogs import AskDirection, Confirm, Page
from game_demo.screens.inventory import Inventory
from game_demo.screens.keys import DIRECTIONS, HELP, RUN_KEYS, WAIT_KEYS
from game_demo.screens.look import Look
from game_demo.screens.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcod.console import Console

    from game_demo.saving.keeper import Keeper
    from game_demo.saving.scores import Score
    from game_demo.screens.session import Session
    from game_demo.state.components import Colour
    from game_demo.state.game import Game

WIDTH: Final = 66
"""How wide the title's box is inside."""

HISTORY_WIDTH: Final = 74

MOST_NOTICES: Final = 2
"""So many sentences about saved games have room on the smallest screen."""

SHADE: Final = 0.28
"""How bright the map behind the title is."""


def help_page(behind: Screen) -> Page:
    """Return the page of help."""
    return Page(behind, "Help", [(line, PLAIN) for line in HELP])


def scores_page(behind: Screen, keeper: Keeper) -> Page:
    """Return the page of games that have ended, the best first."""
    title = "Games that have ended"
    try:
        scores = keeper.scores()
    except SaveError as error:
        return Page(behind, title, [(f"{error}.", RED)])
    lines = [
        (line, GREEN if each.won else PLAIN)
        for number, each in enumerate(scores, start=1)
        for line in wrap(_score_line(number, each), HISTORY_WIDTH, subsequent_indent=" " * 17)
    ]
    return Page(behind, title, lines or [("None has yet.", DIM)])


def _score_line(number: int, score: Score) -> str:
    """Return what is told of a game that has ended."""
    where = f"{score.ending}, {score.place}, depth {score.depth}, turn {score.turn}"
    return f"{number:3}  {score.began[:10]}  {where}, {score.destroyed} destroyed, seed {score.seed}"


class Title(Screen):
    """The first screen: which world, which seed, which keys; and which saved games there are to go on with."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.saved = session.keeper.saved()
        self.notices = session.keeper.take_notices()

    def draw(self, console: Console) -> None:
        """Draw it on a map that is somewhere else."""
        self._draw_backdrop(console)
        world, game = self.session.world, self.session.game
        name = clean(world.content.world.name)
        names = dict.fromkeys(game.name_of_map(node.id) for node in world.maps)
        depths = pluralized(len({node.depth for node in world.maps}), "level")
        lines = [
            ("", PLAIN),
            (" ".join(name.upper()) if len(name) < 32 else name, GOLD),
            ("", PLAIN),
            *((line, PLAIN) for line in wrap(", ".join(map(clean, names)), WIDTH, max_lines=3)),
            (f"{depths} deep, seed {self.session.seed}", DIM),
            ("", PLAIN),
            ("Find your way down, and take what lies at the bottom.", PLAIN),
            ("", PLAIN),
            ("arrows, hjklyubn or the keypad move you, > takes the stairs down", DIM),
            ("x looks around, ? tells all the keys, q leaves", DIM),
            ("w watches a level being built, s lists games that have ended", DIM),
            ("", PLAIN),
            *self._ways_in(),
            *((line, RED) for each in self.notices[-MOST_NOTICES:] for line in wrap(clean(each), WIDTH)),
            ("", PLAIN),
        ]
        y, _, height, width = box(console, "", len(lines), WIDTH)
        for row, (text, colour) in enumerate(lines[:height]):
            centred(console, y + row, cut(text, width), colour)

    def _ways_in(self) -> list[tuple[str, Colour]]:
        """Return what begins a game."""
        if not self.saved:
            return [("press any key", BRIGHT)]
        recording = self.saved[0].recording
        others = f", Tab for others ({len(self.saved) - 1})" if len(self.saved) > 1 else ""
        return [
            (
                f"Enter goes on with your game of seed {recording.header.seed}, turn {recording.turn}{others}",
                BRIGHT,
            ),
            ("n begins a new one", BRIGHT),
        ]

    def _draw_backdrop(self, console: Console) -> None:
        picture = self.session.backdrop.rgb
        rows, columns = min(console.height, picture.shape[0]), min(console.width, picture.shape[1])
        top, left = (picture.shape[0] - rows) // 2, (picture.shape[1] - columns) // 2
        y, x = (console.height - rows) // 2, (console.width - columns) // 2
        part = picture[top : top + rows, left : left + columns].copy()
        part["fg"], part["bg"] = part["fg"] * SHADE, part["bg"] * SHADE
        console.rgb[y : y + rows, x : x + columns] = part

    def press(self, key: str) -> Screen | None:
        """Begin."""
        match key:
            case "q" | "Q" | "escape":
                return None
            case "?":
                return help_page(self)
            case "w":
                return BuildViewer(self, self.session)
            case "s":
                return scores_page(self, self.session.keeper)
            case _:
                return self._begin(key)

    def _begin(self, key: str) -> Screen:
        """Begin a game, or go on with one that is saved."""
        match key:
            case "tab" if self.saved:
                self.saved = [*self.saved[1:], self.saved[0]]
            case "enter" | " " if self.saved:
                return (
                    Play(self.session).resume() if self.session.go_on(self.saved[0]) else Title(self.session)
                )
            case _ if key == "n" or not self.saved:
                return Play(self.session)
        return self


class Play(Screen):
    """The game itself."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.game: Game = session.game
        self.everything = False
        self._screens: dict[str, Callable[[], Screen]] = {
            "x": self._look,
            ";": self._look,
            "i": lambda: Inventory(self, self.game),
            "a": lambda: Inventory(self, self.game),
            "c": lambda: AskDirection(
                self, "Close which door?", lambda way: actions.close_door(self.game, way)
            ),
            "m": self._history,
            "?": lambda: help_page(self),
            "q": self._leave,
            "Q": self._leave,
        }
        self._actions: dict[str, Callable[[Game], None]] = {
            **dict.fromkeys(WAIT_KEYS, actions.wait),
            "s": actions.search,
            "g": actions.pick_up,
            ",": actions.pick_up,
            ">": actions.descend,
            "<": actions.ascend,
        }

    def draw(self, console: Console) -> None:
        """Draw map, status and messages."""
        draw_game(console, self.game, everything=self.everything)

    def press(self, key: str) -> Screen | None:
        """Do what the key means."""
        if key in self._screens:
            return self._screens[key]()
        if key in DIRECTIONS:
            actions.step(self.game, DIRECTIONS[key])
        elif key in RUN_KEYS:
            actions.run(self.game, RUN_KEYS[key])
        elif key in self._actions:
            self._actions[key](self.game)
        elif key == "v":
            self.everything = not self.everything
            eyes = "the author's eye: encounters are tinted" if self.everything else "your own eyes"
            actions.remark(self.game, f"You see with {eyes}.")
        elif key not in ("escape", "enter"):
            actions.remark(self.game, "That key means nothing; ? tells the keys.")
        return self.resume()

    def resume(self) -> Screen:
        """Go on, or come to the end."""
        return Ending(self) if self.game.is_over else self

    def _look(self) -> Screen:
        return Look(self, self.game, everything=self.everything)

    def _history(self) -> Screen:
        log = self.game.log
        lines = [
            (line, colour_of(each, log.turn))
            for each in log.messages
            for line in wrap(f"{each.turn:>5}  {clean(str(each))}", HISTORY_WIDTH, subsequent_indent=" " * 7)
        ]
        return Page(self, "Messages", lines or [("Nothing has been said yet.", DIM)], top=None)

    def _leave(self) -> Screen:
        return Confirm(self, f"Leave {self.game.world.content.world.name}?")


class Ending(Screen):
    """The last screen: victory or death, and what next."""

    def __init__(self, behind: Play) -> None:
        self.behind = behind

    def draw(self, console: Console) -> None:
        """Draw it over the map where it ended."""
        self.behind.draw(console)
        game = self.behind.game
        won = game.ending == "victory"
        carried = sum(stack.count for stack in game.player.inventory)
        lines = [
            ("", PLAIN),
            ("You have won!" if won else f"You were destroyed by {game.cause}.", GREEN if won else RED),
            (f"You {'have' if won else 'have not'} found what you came for.", PLAIN),
            ("", PLAIN),
            (f"{game.title(game.map.level.id)}, turn {game.log.turn}, seed {game.world.seed}", DIM),
            (f"{pluralized(len(game.maps), 'level')} seen, {pluralized(carried, 'item')} in the pack", DIM),
            ("", PLAIN),
            (self._whereabouts(), DIM),
            ("", PLAIN),
            ("Enter  a new world     r  this world again     q  leave", BRIGHT),
            ("", PLAIN),
        ]
        width = max(len(text) for text, _ in lines)
        y, _, height, width = box(console, "Victory" if won else "The end", len(lines), width)
        for row, (text, colour) in enumerate(lines[:height]):
            centred(console, y + row, cut(clean(text), width), colour)

    def _whereabouts(self) -> str:
        """Return where it is told how the game went, or why it is not; empty if games are not kept."""
        keeper = self.behind.session.keeper
        told = str(keeper.story) if keeper.story else "".join(keeper.notices[-1:])
        return clean(told if len(told) <= WIDTH else f"..{told[2 - WIDTH :]}")

    def press(self, key: str) -> Screen | None:
        """Begin again or leave."""
        session = self.behind.session
        match key:
            case "enter":  # no key that a player may still be walking with
                session.begin()
                return Title(session)
            case "r":
                session.begin(session.seed)
                return Play(session)
            case "q" | "Q":
                return None
            case _:
                return self
