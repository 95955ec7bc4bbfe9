"""The player's body: what is fitted to it, and fitting something else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from game_demo.display.drawing import BRIGHT, DIM, GOLD, PLAIN, text_box
from game_demo.rules.body.fitting import FITTING, fit
from game_demo.rules.naming import effect_of, speed_of, steps_a_turn
from game_demo.screens.dialogs import Line, Page
from game_demo.screens.keys import BODY_HELP
from game_demo.screens.screen import Screen
from game_demo.state.things.clock import TURN
from game_demo.state.things.parts import PLACES, build_of

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.game import Game
    from game_demo.state.things.parts import Build, Part, Place


def body_page(behind: Screen, game: Game) -> Page:
    """Return the page that tells what is fitted, what that comes to, and how the body works."""
    body = game.body
    lines: list[Line] = []
    for place in PLACES:
        stack = body.fitted.get(place)
        told = f"{stack.look.name} ({effect_of(stack.effect)})" if stack else "nothing"
        lines.append((f"{place:10} {told}", PLAIN if stack else DIM))
    lines.append(("", PLAIN))
    lines.append((f"charge {body.charge // TURN} of {body.capacity // TURN}, {summary(body.build)}", GOLD))
    return Page(behind, "Your body", [*lines, ("", PLAIN), *((line, PLAIN) for line in BODY_HELP)])


def summary(build: Build) -> str:
    """Return what a body can do, in a line."""
    return f"power {build.power}, armour {build.armour}, {steps_a_turn(build.pace)}, heard {build.noise} steps away"


def changes(before: Build, after: Build) -> str:
    """Return what another part makes of a body."""
    told = []
    for each in fields(before):
        old, new = getattr(before, each.name), getattr(after, each.name)
        if old == new:
            continue
        match each.name:
            case "pace":
                told.append(f"steps a turn {speed_of(old)} -> {speed_of(new)}")
            case "gun":
                told.append(f"shots {old.power if old else 0} -> {new.power if new else 0}")
            case "lit" | "keen" | "digs" | "hacks":
                told.append(f"{'' if new else 'no longer '}{each.name}")
            case name:
                told.append(f"{name} {old} -> {new}")
    return ", ".join(told) or "no difference"


@dataclass
class Fit(Screen):
    """Asks where to fit a part of the pack, and tells what difference that makes.

    Attributes:
        behind: The screen to go back to.
        game: The game.
        number: Which stack of the pack has the part.
    """

    behind: Screen
    game: Game
    number: int

    @property
    def _part(self) -> Part:
        part = self.game.player.inventory[self.number].effect.part
        assert part is not None, "it is a part"
        return part

    @property
    def _places(self) -> list[Place]:
        return [place for place, slot in PLACES.items() if slot == self._part.slot]

    def draw(self, console: Console) -> None:
        """Draw it over what is behind."""
        self.behind.draw(console)
        stack, fitted = self.game.player.inventory[self.number], self.game.body.fitted
        lines: list[Line] = [(f"{stack.look.name}: {effect_of(stack.effect)}", BRIGHT), ("", PLAIN)]
        for key, place in enumerate(self._places, start=1):
            others = [each.effect.part for at, each in fitted.items() if at != place and each.effect.part]
            old = fitted.get(place)
            faulty = ", faulty" if old and old.effect.faulty else ""
            lines.append((f"{key}  {place}, now {old.look.name if old else 'nothing'}{faulty}", GOLD))
            lines.append(
                (f"   {changes(build_of(self.game.body.parts), build_of([*others, self._part]))}", PLAIN)
            )
        lines += [("", PLAIN), (f"a number fits it, which takes {FITTING} turns; Esc goes back", DIM)]
        text_box(console, "Fit", lines)

    def press(self, key: str) -> Screen | None:
        """Fit it, or go back."""
        keys = {str(number): place for number, place in enumerate(self._places, start=1)}
        if key == "enter" and len(keys) == 1:
            key = "1"
        if key in keys:
            fit(self.game, self.number, keys[key])
        return self.behind.resume()
