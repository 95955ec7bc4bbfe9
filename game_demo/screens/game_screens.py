"""The screens of a game, from its title to its end."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.descriptions import pluralized
from game_demo.display.drawing import BRIGHT, DIM, GOLD, GREEN, PLAIN, RED, box, centred, clean, cut
from game_demo.display.panels import colour_of, draw_game
from game_demo.rules import actions
from game_demo.rules.body.fighting import NOBODY, fire, marks
from game_demo.screens.aim import Aim
from game_demo.screens.body import body_page
from game_demo.screens.build_viewer import BuildViewer
from game_demo.screens.dialogs import AskDirection, Confirm, Page
from game_demo.screens.inventory import Inventory
from game_demo.screens.keys import DIRECTIONS, HELP, RUN_KEYS, WAIT_KEYS
from game_demo.screens.look import Look
from game_demo.screens.screen import Screen
from game_demo.screens.works import Works, ways_around

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcod.console import Console

    from game_demo.screens.session import Session
    from game_demo.state.game import Game

WIDTH: Final = 66
"""How wide the title's box is inside."""

HISTORY_WIDTH: Final = 74

SHADE: Final = 0.28
"""How bright the map behind the title is."""


def help_page(behind: Screen) -> Page:
    """Return the page of help."""
    return Page(behind, "Help", [(line, PLAIN) for line in HELP])


class Title(Screen):
    """The first screen: which world, which seed, which keys."""

    def __init__(self, session: Session) -> None:
        self.session = session

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
            ("w watches a level of this world being built", DIM),
            ("", PLAIN),
            ("press any key", BRIGHT),
            ("", PLAIN),
        ]
        y, _, height, width = box(console, "", len(lines), WIDTH)
        for row, (text, colour) in enumerate(lines[:height]):
            centred(console, y + row, cut(text, width), colour)

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
            case _:
                return Play(self.session)


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
            "e": lambda: body_page(self, self.game),
            "f": self._aim,
            "w": self._work,
            "m": self._history,
            "?": lambda: help_page(self),
            "q": self._leave,
            "Q": self._leave,
        }
        self._actions: dict[str, Callable[[Game], None]] = {
            **dict.fromkeys(WAIT_KEYS, actions.wait),
            "s": actions.search,
            "t": actions.sneak,
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
            self.game.log.say(f"You see with {eyes}.", "aside")
        elif key not in ("escape", "enter"):
            self.game.log.say("That key means nothing; ? tells the keys.", "aside")
        return self.resume()

    def resume(self) -> Screen:
        """Go on, or come to the end."""
        return Ending(self) if self.game.is_over else self

    def _look(self) -> Screen:
        return Look(self, self.game, everything=self.everything)

    def _aim(self) -> Screen:
        if marks(self.game):
            return Aim(self, self.game)
        fire(self.game, NOBODY)  # which tells why
        return self

    def _work(self) -> Screen:
        found = ways_around(self.game)
        if not found:
            self.game.log.say("There is nothing next to you that you could work on.", "aside")
        return Works(self, self.game, found) if found else self

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
            ("Enter  a new world     r  this world again     q  leave", BRIGHT),
            ("", PLAIN),
        ]
        width = max(len(text) for text, _ in lines)
        y, _, height, width = box(console, "Victory" if won else "The end", len(lines), width)
        for row, (text, colour) in enumerate(lines[:height]):
            centred(console, y + row, cut(clean(text), width), colour)

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
