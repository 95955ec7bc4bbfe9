"""The key `w`: choosing an option for what is next to the player, with its odds and price."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from string import ascii_lowercase
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

from game_demo.display.drawing import BRIGHT, DIM, FRAME_COLUMNS, GOLD, PLAIN, clean, text_box
from game_demo.rules import actions
from game_demo.rules.destruction import is_beside_wreck
from game_demo.rules.naming import as_sentence
from game_demo.rules.work import option_at, options_at, refusals_at
from game_demo.screens.dialogs import AskDirection, Confirm
from game_demo.screens.screen import Overlay
from game_demo.state.geometry import NEIGHBOURS, side_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tcod.console import Console

    from game_demo.rules.options import WorkOption
    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game
    from game_demo.state.geometry import Direction

    Deal = Callable[[Direction, str], None]

BREAKS_OFF: Final = "Work that takes several turns stops if you are hurt."
FEW: Final = 3
"""An option that reads the same in more than this many directions is listed once."""
WIDTH: Final = 70
"""The width of the text of an option."""


def options_around(game: Game) -> dict[Direction, list[WorkOption]]:
    """Return direction -> the options for what is there, for each neighbour with any. A large thing is listed once."""
    y, x = game.player_cell
    seen: set[int] = set()
    found = {}
    for dy, dx in NEIGHBOURS:
        cell = y + dy, x + dx
        thing = game.map.blockers.get(cell)
        if thing not in seen and (ways := options_at(game, cell)):
            found[dy, dx] = ways
        if thing is not None:  # what is large is dealt with once
            seen.add(thing)
    return found


def refusals_around(game: Game) -> list[str]:
    """Return why things next to the player have no options although he may expect some."""
    y, x = game.player_cell
    return refusals_at(game, *((y + dy, x + dx) for dy, dx in NEIGHBOURS))


def works_screen(behind: Screen, game: Game, act: Deal) -> Screen:
    """Return the screen with the options around the player; if there are none, print why and return `behind`.

    Args:
        behind: The screen to go back to.
        game: The game.
        act: Carries out the option of a name in a direction.
    """
    found, refusals = options_around(game), refusals_around(game)
    if found:
        return Works(behind, game, act, found, refusals)
    nothing = "There is nothing next to you to work on."
    if is_beside_wreck(game):
        nothing = "There is nothing next to you to work on. A wreck is empty: what the robot carried has fallen out."
    for told in refusals or [nothing]:
        actions.remark(game, told)
    return behind


def deal_again(behind: Screen, game: Game, dealt: tuple[Direction, str], act: Deal) -> Screen:
    """Carry out an option, given as (direction, name), once more; an option with a question asks it first."""
    (dy, dx), name = dealt
    y, x = game.player_cell
    way = option_at(game, (y + dy, x + dx), name)

    def done() -> Screen:
        act(*dealt)
        return behind.resume()

    return Confirm(behind, way.question, done) if way is not None and way.question else done()


class ListedOption(NamedTuple):
    """An option, and the directions from the player in which it is possible."""

    way: WorkOption
    directions: list[Direction]

    @property
    def sides(self) -> str:
        """The names of the directions."""
        *others, last = map(side_of, self.directions)
        return f"{', '.join(others)} or {last}" if others else last


@dataclass
class Works(Overlay):
    """Asks for one of the options around the player.

    An option that reads the same in many directions, such as laying a trap on free ground, is listed once, and the direction is
    asked afterwards.

    Attributes:
        game: The game.
        act: Carries out the option of a name in a direction.
        found: Direction -> the options there.
        refusals: Why other things have no options.
        choices: Letter -> the option. Digging comes after work on things, then options of several directions, then those with a question.
    """

    game: Game
    act: Deal
    found: Mapping[Direction, Sequence[WorkOption]]
    refusals: Sequence[str] = ()
    choices: dict[str, ListedOption] = field(init=False)

    def __post_init__(self) -> None:
        """Give each option a letter of its name, so that it has the same letter in other places: ``d`` digs, ``f`` forces."""
        counts = Counter(str(way) for ways in self.found.values() for way in ways)
        found: dict[tuple[str, Direction | None], ListedOption] = {}
        for direction, ways in self.found.items():
            for text, way in zip(map(str, ways), ways, strict=True):
                which = text, None if counts[text] > FEW else direction
                found.setdefault(which, ListedOption(way, [])).directions.append(direction)
        self.choices = {}
        for choice in sorted(found.values(), key=_rank):
            letters = [each for each in choice.way.name + ascii_lowercase if each in ascii_lowercase]
            letter = next((each for each in letters if each not in self.choices), None)
            if letter is not None:
                self.choices[letter] = choice

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        room = self.room(console)
        width = min(WIDTH, room.shape[1] - FRAME_COLUMNS)
        lines, sides = [], ""
        for letter, choice in self.choices.items():
            if sides != (sides := choice.sides):
                lines += [(line, GOLD) for line in wrap(as_sentence(sides), width)]
            told = wrap(clean(f"{letter}  {choice.way}"), width, subsequent_indent="   ")
            lines += [(line, BRIGHT) for line in told]
        for refusal in self.refusals:
            lines += [(line, PLAIN) for line in ("", *wrap(clean(refusal), width))]
        hints = [BREAKS_OFF] if any(choice.way.turns > 1 for choice in self.choices.values()) else []
        keys = f"{next(iter(self.choices))} or Enter" if len(self.choices) == 1 else "a letter"
        hints += [f"{keys} does it, Esc goes back"]
        text_box(console, "Work", [*lines, ("", PLAIN), *((hint, DIM) for hint in hints)], room)

    def press(self, key: str) -> Screen | None:
        """Take an option, and ask for the direction if there are several. Other letters do nothing, other keys go back."""
        if key == "enter" and len(self.choices) == 1:
            key = next(iter(self.choices))
        if key in self.choices:
            way, directions = self.choices[key]
            if way.question:
                return Confirm(self.behind, way.question, lambda: self._take(way, directions))
            return self._take(way, directions)
        if key in ("enter", "?") or key in ascii_lowercase:
            return self
        return self.behind.resume()

    def _take(self, way: WorkOption, directions: Sequence[Direction]) -> Screen:
        """Carry out an option, after asking for the direction if there are several."""
        if len(directions) > 1:
            return AskDirection(self.behind, f"{way.text}. Where?", lambda side: self.act(side, way.name))
        self.act(directions[0], way.name)
        return self.behind.resume()


def _rank(choice: ListedOption) -> tuple[bool, bool, bool]:
    """Return the sort key for letters: harmful options come last, so that no habitual letter triggers them."""
    return bool(choice.way.question), len(choice.directions) > 1, choice.way.name == "dig"
