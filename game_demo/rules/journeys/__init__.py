"""Journeys: many steps, or turns of rest, at one key. Whatever matters ends them.

What matters is a robot that comes in sight and fights the player, or would; damage, a fuse, something found, anything said that
is more than an aside, another level, the end. Whoever is in sight already when a journey begins does not stop it, unless he
turns on the player: under the eyes of who fights or seeks him none is longer than a step. Who stalks him or runs from him ends it
only by coming close. Who does no harm unless he is struck is told of once, and ends none.
"""

from game_demo.rules.journeys.exploring import explore
from game_demo.rules.journeys.walking import PAUSE, go_down, go_up, rest, run, travel
from game_demo.rules.journeys.watch import Watch, fighters_in_sight, pursuers

__all__ = [
    "PAUSE",
    "Watch",
    "explore",
    "fighters_in_sight",
    "go_down",
    "go_up",
    "pursuers",
    "rest",
    "run",
    "travel",
]
