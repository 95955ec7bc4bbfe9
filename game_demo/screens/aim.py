"""Aiming: choosing a target for a shot, with its line, its odds and its price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.display.drawing import BLACK, DIM, GOLD, RED, label
from game_demo.display.panels import draw_game, map_room
from game_demo.rules.destruction import describe_blast
from game_demo.rules.fighting import NOBODY, SHOT, aim_of, fire, marks
from game_demo.rules.moods import is_enemy, is_harmless
from game_demo.rules.naming import name_of
from game_demo.rules.options import charge_of, noise_of
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.robot_attacks import SHOT_NOISE, line_of_fire
from game_demo.rules.watch import pursuers
from game_demo.screens.dialogs import Confirm
from game_demo.screens.keys import DIRECTIONS, TAB_KEYS
from game_demo.screens.screen import Screen
from game_demo.state.body import HITS
from game_demo.state.components import Health, Mind, Robot, cell_of, cells_of
from game_demo.state.fixtures import Explosive
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.body import Gun
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

LINE: Final = (90, 70, 20)
"""The background of the cells that the shot crosses."""


def aim_screen(behind: Screen, game: Game, first: Cell | None = None) -> Screen:
    """Return the screen for aiming, at first at what is on cell `first` if that can be hit.

    If the thing there can't be hit, or no robot in sight that fights or calls, he is told why instead of being offered harmless ones.
    The only target is shot at once if it is an enemy at which he has shot since it came in sight.
    """
    found, here = marks(game), game.player_cell
    robots = sorted(robots_in_sight(game), key=lambda robot: (distance(cell_of(robot), here), robot))
    targets = [*robots, *(prop for prop, _ in esper.get_component(Explosive))]
    meant = [target for target in targets if first in cells_of(target)]
    foes = [robot for robot in robots if is_enemy(robot) or not is_harmless(robot)]
    if meant:
        found = [mark for mark in found if mark in meant]
    elif foes:
        found = [mark for mark in found if mark in foes or not esper.has_component(mark, Robot)]
    if not found:
        fire(game, next(iter([*meant, *foes]), NOBODY))
        return behind
    if len(found) == 1 and found[0] in foes and SHOT in esper.component_for_entity(found[0], Mind).retold:
        fire(game, found[0])
        return behind.resume()
    return Aim(behind, game, first)


class Aim(Screen):
    """Aiming at one of the targets: pursuers first, then other enemies, then harmless robots, each nearest first.

    Args:
        behind: The screen to go back to.
        game: The game; there must be a target.
        first: A cell whose thing comes before all others; None for none.
    """

    def __init__(self, behind: Screen, game: Game, first: Cell | None = None) -> None:
        self.behind = behind
        self.game = game
        within_reach, after = marks(game), pursuers(game)
        foes = {target for target in within_reach if esper.has_component(target, Robot) and is_enemy(target)}
        self.targets = sorted(
            within_reach, key=lambda each: (first not in cells_of(each), each not in after, each not in foes)
        )
        self.at = 0

    def draw(self, console: Console) -> None:
        """Draw the line of the shot, and its odds and price in a framed box that hides no robot."""
        game, gun = self.game, self.game.body.build.gun
        assert gun is not None, "nobody aims without a gun"
        viewport = draw_game(console, game)
        target = self.targets[self.at]
        aim = aim_of(game, target)
        line = line_of_fire(game.player_cell, aim)
        for spot in filter(None, map(viewport.on_console, line)):
            console.rgb[spot]["bg"] = LINE
        mark = viewport.on_console(aim)
        assert mark is not None, "the screen shows every target in sight"
        console.rgb[mark]["fg"], console.rgb[mark]["bg"] = BLACK, GOLD
        shot = self._describe_harm(target, gun)
        price = f"the shot and the turn use {charge_of(game, gun.charge, 1)}, {noise_of(SHOT_NOISE)}"
        others = {*self.targets, *robots_in_sight(game)}
        cells = [game.player_cell, *line, *map(cell_of, others)]
        shown = [*filter(None, map(viewport.on_console, cells))]
        explodes = esper.has_component(target, Explosive)
        blast = describe_blast(game, target) if explodes else ""
        lines = [
            (shot, GOLD),
            *([(f"its blast does {blast}", RED)] if blast else []),
            (price, GOLD),
            (f"{'Tab next  ' if len(self.targets) > 1 else ''}f shoots  Esc back", DIM),
        ]
        label(console, lines, map_room(console), mark, shown)

    def _describe_harm(self, target: int, gun: Gun) -> str:
        """Return the name and condition of the target, the damage of a shot, and the chance that it hits."""
        name, health = name_of(target), esper.try_component(target, Health)
        if health is None:
            return f"{name}: explodes if hit, chance {HITS:.0%}"
        mind = esper.component_for_entity(target, Mind)
        return f"{name} {health.hp}/{health.max_hp}, {mind.shows}: 1 to {gun.power} damage, hits {HITS:.0%}"

    def press(self, key: str) -> Screen | None:
        """Go to another target, shoot, or go back."""
        if key in TAB_KEYS or key in DIRECTIONS:
            self.at = (self.at + TAB_KEYS.get(key, 1)) % len(self.targets)
            return self
        if key not in ("f", "enter"):
            return self.behind.resume()
        target = self.targets[self.at]
        question = self._question_before(target)
        return (
            Confirm(self.behind, question, lambda: self._shoot(target)) if question else self._shoot(target)
        )

    def _question_before(self, target: int) -> str:
        """Return the question before a shot at a harmless robot, or at what explodes and reaches the player; empty for none."""
        if esper.has_component(target, Robot) and is_harmless(target):
            return f"Shoot the {name_of(target)}, which means you no harm?"
        blast = describe_blast(self.game, target) if esper.has_component(target, Explosive) else ""
        return f"Shoot the {name_of(target)}? Its blast does {blast}." if " to you," in f"{blast}," else ""

    def _shoot(self, target: int) -> Screen:
        fire(self.game, target)
        return self.behind.resume()
