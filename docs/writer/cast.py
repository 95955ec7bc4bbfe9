"""A recording of the demo (asciicast) and pictures of two of its screens, for the README.

    python docs/writer/cast.py [SEED] [FOLDER]

It writes demo.cast (asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/), which `asciinema play` shows, and the pictures
demo.png and demo-tints.png, by default into docs/. A few rules play the game instead of recorded keys, so that everything can be made
again after the game has changed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import esper
from PIL import Image
from tcod.console import Console

import dungeon
from dungeon.adapters.console import render
from game_demo.content import data_folder
from game_demo.frontends.capabilities import Capabilities
from game_demo.frontends.differ import Differ
from game_demo.rules.watch import fighters_in_sight, hunted
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import origin_of
from game_demo.screens.game_screens import Title
from game_demo.screens.keys import DIRECTIONS
from game_demo.screens.session import Session
from game_demo.state.components import Item, cell_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

DOCS = Path(__file__).parents[1]
COLUMNS, ROWS = 80, 24
PICTURED = 104, 32
"""Columns and rows of the pictures."""
KEYS_A_MAP = 3
"""Number of keys played on each of two maps."""
PATIENCE = 90
"""Maximum number of keys to get from one map to the other."""
EYE, YES = "v", "y"
"""The key before which the first picture is taken, and the answer after which the second is taken."""
READING, WATCHING, WALKING = 3.0, 1.2, 0.45
"""Seconds that a screen stays: to read, to watch, to walk."""
KEYS = {way: key for key, way in reversed(DIRECTIONS.items())}
"""Direction -> key."""


class Cast:
    """An asciicast recording in progress.

    Attributes:
        lines: The lines of its file.
    """

    def __init__(self, title: str) -> None:
        header = {
            "version": 2,
            "width": COLUMNS,
            "height": ROWS,
            "title": title,
            "env": {"TERM": "xterm-256color"},
        }
        self.lines = [json.dumps(header)]
        self._differ = Differ(Capabilities(colours="256", erases_in_colour=True))
        self._seconds = 0.0
        self._write("\x1b[?25l\x1b[?7l")

    def show(self, console: Console, seconds: float) -> None:
        """Show a screen for some seconds."""
        self._write(self._differ.frame(console.rgb))
        self._seconds += seconds

    def end(self) -> None:
        """Restore the terminal."""
        self._write("\x1b[0m\x1b[2J\x1b[1;1H\x1b[?7h\x1b[?25h")

    def _write(self, text: str) -> None:
        self.lines.append(json.dumps([round(self._seconds, 2), "o", text], ensure_ascii=False))


def drawn(screen: Screen, session: Session, columns: int = COLUMNS, rows: int = ROWS) -> Console:
    """Return a screen as a console."""
    console = Console(columns, rows, order="C")
    screen.draw(console)
    session.recolour(console)
    return console


def script(session: Session) -> Iterator[tuple[str, float]]:
    """Yield (key, seconds to look at the result)."""
    yield "l", READING  # without the lessons
    game, first = session.game, session.game.map
    for _ in range(KEYS_A_MAP):
        yield next_key(game), WALKING
    yield from [("x", WALKING), ("tab", READING), ("escape", WALKING), ("M", READING), ("escape", WALKING)]
    for _ in range(PATIENCE):
        if game.map is first:
            seen = any(first.sight.explored[stairs] for stairs in first.exits)
            yield (">", WATCHING) if seen else (next_key(game), WALKING)
    for _ in range(KEYS_A_MAP):
        yield next_key(game), WALKING
    yield from [(EYE, WATCHING), (YES, READING), ("q", WATCHING)]


def next_key(game: Game) -> str:
    """Return the next key by simple rules: fight a robot beside the player, rest, pick up items, explore."""
    y, x = here = game.player_cell
    near = sorted(fighters_in_sight(game), key=lambda robot: (distance(cell_of(robot), here), robot))
    if near and distance(cell_of(near[0]), here) == 1:
        there = cell_of(near[0])
        return KEYS[there[0] - y, there[1] - x]
    if 2 * game.health.hp < game.health.max_hp and not near:
        return "R"
    if any(esper.has_component(entity, Item) for entity in game.map.entities_at(here)):
        return "g"
    return "." if hunted(game) or (near and distance(cell_of(near[0]), here) < 6) else "o"


def main(seed: int = 23, folder: str = str(DOCS)) -> None:
    """Play, and write the recording and the pictures."""
    content = dungeon.load_content(data_folder())
    with tempfile.TemporaryDirectory() as saves:
        keeper = Keeper(origin_of(content), SaveFolder(Path(saves)))
        session = Session(content, seed, keeper=keeper)
        screen: Screen = Title(session)
        cast = Cast(f"{content.world.name}, seed {seed}")
        cast.show(drawn(screen, session), READING)
        for key, seconds in script(session):
            if key == EYE:
                save_picture(screen, session, Path(folder, "demo.png"))
            after = screen.press(key)
            assert after is not None, f"{key} has left the game"
            screen = after
            cast.show(drawn(screen, session), seconds)
            if key == YES:
                save_picture(screen, session, Path(folder, "demo-tints.png"))
        cast.end()
        keeper.close()
    text = "".join(f"{line}\n" for line in cast.lines)
    Path(folder, "demo.cast").write_text(text, encoding="utf-8")
    print(f"{len(cast.lines)} lines, {len(text.encode())} bytes, turn {session.game.log.turn}")


def save_picture(screen: Screen, session: Session, path: Path) -> None:
    """Write a screen as a PNG with a palette."""
    picture = Image.fromarray(render(drawn(screen, session, *PICTURED), scale=2)[..., :3])
    picture.quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
