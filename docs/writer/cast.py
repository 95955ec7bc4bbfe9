"""A recording of the demo (asciicast) and pictures of two of its screens, for the README.

    python docs/writer/cast.py [SEED] [FOLDER]

Writes demo.cast (asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/), which `asciinema play` shows, and demo.png and
demo-tints.png as the window shows them; into docs/ if no other folder is named. The game is played by a few rules and not by keys
that are written down, so that all of it can be made anew when the game has changed.
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
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.watch import hunted
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import origin_of
from game_demo.screens.game_screens import Title
from game_demo.screens.keys import DIRECTIONS
from game_demo.screens.session import Session
from game_demo.state.components import Attack, Item, cell_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

DOCS = Path(__file__).parents[1]
COLUMNS, ROWS = 80, 24
PICTURED = 104, 32
"""The columns and rows of the pictures."""
KEYS_A_MAP = 3
"""So many keys it is played on each of two maps."""
PATIENCE = 90
"""So many keys at most are pressed to get from one to the other."""
EYE, YES = "v", "y"
"""The key before which a picture is taken, and the answer to what is asked then, after which another is."""
READING, WATCHING, WALKING = 3.0, 1.2, 0.45
"""Seconds for which screens stay."""
KEYS = {way: key for key, way in reversed(DIRECTIONS.items())}
"""A key for each direction."""


class Cast:
    """A cast that is being made.

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
        """Show a screen for so long."""
        self._write(self._differ.frame(console.rgb))
        self._seconds += seconds

    def end(self) -> None:
        """Give the terminal back."""
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
    """Yield keys, and how long to look at what comes of each."""
    yield "n", READING
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
    """Return what whoever plays by these rules presses: fight who is next to you, rest, take what lies here, explore."""
    y, x = here = game.player_cell
    fighters = [robot for robot in robots_in_sight(game) if esper.component_for_entity(robot, Attack).power]
    near = sorted(fighters, key=lambda robot: (distance(cell_of(robot), here), robot))
    if near and distance(cell_of(near[0]), here) == 1:
        there = cell_of(near[0])
        return KEYS[there[0] - y, there[1] - x]
    if 2 * game.health.hp < game.health.max_hp and not near:
        return "R"
    if any(esper.has_component(entity, Item) for entity in game.map.entities_at(here)):
        return "g"
    return "." if hunted(game) or (near and distance(cell_of(near[0]), here) < 6) else "o"


def main(seed: int = 18, folder: str = str(DOCS)) -> None:
    """Play, and write what is seen."""
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
    """Write a screen as a picture in as few colours as it has."""
    picture = Image.fromarray(render(drawn(screen, session, *PICTURED), scale=2)[..., :3])
    picture.quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
