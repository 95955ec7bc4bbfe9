"""The player's body: the page of what is fitted, and the dialog to fit something else."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.drawing import BRIGHT, DIM, FRAME_COLUMNS, GOLD, GREEN, PLAIN, RED, clean, text_box
from game_demo.rules.actions import SNEAK_PACE
from game_demo.rules.body import changes_at, charge_a_turn
from game_demo.rules.fitting import FITTING, fit, take_off
from game_demo.rules.naming import effect_of, steps_a_turn, what_it_does
from game_demo.rules.robot_attacks import BLOW_NOISE, SHOT_NOISE
from game_demo.screens.dialogs import Line, TextPage
from game_demo.screens.keys import BODY_HELP
from game_demo.screens.screen import Overlay
from game_demo.state.body import PLACES, TURN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tcod.console import Console

    from game_demo.screens.screen import Screen
    from game_demo.state.body import BodyPart, Build, Place
    from game_demo.state.game import Game

NUMBERS: Final = {place: str(number) for number, place in enumerate(PLACES, start=1)}
"""Place -> the key that stands for it."""
WIDTH: Final = 74
"""The width of the text about a part."""


@dataclass
class BodyPage(TextPage):
    """The page of the body. The number of a place takes off the part there.

    Attributes:
        game: The game.
    """

    _: KW_ONLY
    game: Game

    def press(self, key: str) -> Screen | None:
        """Take a part off, scroll, or go back."""
        place = next((each for each, number in NUMBERS.items() if number == key), None)
        if place is None:
            return super().press(key)
        if place not in self.game.body.fitted:
            return self
        take_off(self.game, place)
        return self.behind.resume()


def body_page(behind: Screen, game: Game) -> BodyPage:
    """Return the page of the body: the fitted parts, their sums (power, armour, charge...), and how the body works."""
    body = game.body
    lines: list[Line] = []
    for place, number in NUMBERS.items():
        stack = body.fitted.get(place)
        told = f"{stack.look.name} ({what_it_does(stack.effect)})" if stack else "nothing"
        text = clean(f"{number}  {place:10} {told}")
        lines += [(line, PLAIN if stack else DIM) for line in wrap(text, WIDTH, subsequent_indent=" " * 14)]
    sums = (
        f"charge {body.charge // TURN} of {body.capacity // TURN}, {summary(body.build, sneaks=body.sneaks)}"
    )
    lines += [(line, GOLD) for line in wrap(sums, WIDTH)]
    lines += [(line, PLAIN) for line in wrap(describe_blows(body.build), WIDTH)]
    numbers = {"turn": charge_a_turn(body.build), "blow": BLOW_NOISE, "shot": SHOT_NOISE}
    lines += [*((line.format_map(numbers), PLAIN) for line in BODY_HELP)]
    return BodyPage(behind, "Your body", lines, game=game)


def describe_blows(build: Build) -> str:
    """Return what the player's blows and armour do."""
    armour = "you have no armour"
    if build.armour:
        armour = f"armour reduces hits by up to {build.armour}"
    return f"Blows never miss and do 1 to {build.power} damage; {armour}."


def summary(build: Build, *, sneaks: bool = False) -> str:
    """Return what a body can do in one line; `sneaks`: while sneaking."""
    pace = steps_a_turn(round(build.pace * SNEAK_PACE) if sneaks else build.pace)
    heard = "unheard" if sneaks else f"heard {build.noise} steps away"
    return f"power {build.power}, armour {build.armour}, {pace}, {heard}"


def _change_lines(changes: Iterable[tuple[str, bool]], indent: str, width: int) -> list[Line]:
    """Return lines about changes, each marked as better or worse by a word and a colour."""
    lines: list[Line] = []
    for text, is_better in changes:
        mark, colour = ("better", GREEN) if is_better else ("worse", RED)
        told = wrap(clean(f"{mark}: {text}"), width - len(indent), subsequent_indent="  ")
        lines += [(indent + line, colour) for line in told]
    return lines or [(f"{indent}no difference", PLAIN)]


@dataclass
class Fit(Overlay):
    """Asks where to fit a part of the pack, and tells what that would change.

    Attributes:
        game: The game.
        number: The stack of the pack with the part, from 0.
        pack: The screen of the pack, which follows if nothing is fitted.
        after: Returns the screen that follows if the part is fitted.
    """

    game: Game
    number: int
    pack: Screen
    after: Callable[[], Screen]

    @property
    def _part(self) -> BodyPart:
        part = self.game.player.inventory[self.number].effect.part
        assert part is not None, "it is a part"
        return part

    @property
    def places(self) -> list[Place]:
        """The places that take the part, empty ones first."""
        places = [place for place, slot in PLACES.items() if slot == self._part.slot]
        return sorted(places, key=lambda place: place in self.game.body.fitted)

    @property
    def _choices(self) -> list[Place]:
        """The places to choose from: only one if all places for the part hold the same part, or if all are empty."""
        places, fitted = self.places, self.game.body.fitted
        is_same = all(fitted.get(place) == fitted.get(places[0]) for place in places)
        return places[:1] if is_same else places

    @property
    def _best(self) -> Place | None:
        """The place that Enter fits the part to: the only choice, or one that is empty or holds a faulty part; None if there is none."""
        if len(choices := self._choices) == 1:
            return choices[0]
        fitted = self.game.body.fitted
        free = [place for place in choices if place not in fitted or fitted[place].effect.faulty]
        return max(free, key=self.game.body.gains(self._part).__getitem__, default=None)

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.behind.draw(console)
        stack, fitted = self.game.player.inventory[self.number], self.game.body.fitted
        room = self.room(console)
        width = min(WIDTH, room.shape[1] - FRAME_COLUMNS)
        told = wrap(clean(f"{stack.look.name}: {effect_of(stack.effect)}"), width, subsequent_indent="   ")
        lines: list[Line] = [*((line, BRIGHT) for line in told), ("", PLAIN)]
        choices = self._choices
        for place in choices:
            old = fitted.get(place)
            now = old.look.name if old else "nothing"
            faulty = ", faulty" if old and old.effect.faulty else ""
            line = f"{NUMBERS[place]}  {place}, now {now}{faulty}"
            if len(choices) < len(self.places):
                line = f"{line} (the other {self._part.slot} would do as well)"
            lines.append((line, GOLD))
            lines += _change_lines(changes_at(self.game.body, place, self._part), "   ", width)
            if stack.effect.untried and old:  # an empty place stays as it is
                lines.append(("   if it is faulty:", DIM))
                lines += _change_lines(changes_at(self.game.body, place, None), "     ", width)
        best = NUMBERS[self._best] if self._best else ""
        keys = f"{best} or Enter"
        if len(choices) > 1:
            keys = f"a number (Enter: {best})" if best else "a number"
        lines += [("", PLAIN), (f"{keys} fits the part in {FITTING} turns; Esc goes back", DIM)]
        text_box(console, "Fit", lines, room)

    def press(self, key: str) -> Screen | None:
        """Fit the part, by a number or by Enter, or go back."""
        if key == "enter" and self._best is not None:
            key = NUMBERS[self._best]
        place = next((each for each in self.places if NUMBERS[each] == key), None)
        if place is not None:
            self.game.log.begin_action()
            fit(self.game, self.number, place)
            return self.after()
        return self.pack if key == "escape" else self
