"""Killed games and damaged saves: whether anything is lost or breaks.

    python tests/fuzzing/saves.py [KILLS] [DAMAGED] [DATA]

Kills: the game runs on a pseudo-terminal, gets random keys, and is killed by SIGKILL at a random time. The save must then hold at least
every turn that was drawn, and only commands that the keys mean. Every fifth game is new; the others continue the killed one.
Damaged: a save is cut off, overwritten or shuffled, and then resumed as the title screen does it. Either it goes on, or the player is
told the reason in one sentence and the file is kept.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import tempfile
import termios
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from measured import Measured
from sittings import damaged  # the tests' own

import dungeon
from game_demo.__main__ import main as play
from game_demo.rules import actions
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import GameRecording, origin_of, read_recording, replay
from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session
from game_demo.state.geometry import NEIGHBOURS
from game_demo.state.log import Command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon import Content

KEYS = "hjklyubn" * 4 + "HJKLYUBN" + "s.,>c?i"
LONGEST = 0.15
"""Maximum seconds from the first key to the kill."""

CHAIN = 5


def main(kills: int = 500, damages: int = 200, data: str = "data") -> None:
    """Kill and damage, and print the outcomes."""
    content = dungeon.load_content(data, cache=dungeon.cache_folder())
    noted = Measured()
    ends: Counter[str] = Counter()
    folder = ""
    for trial in range(kills):
        if trial % CHAIN == 0:
            folder = tempfile.mkdtemp()
        ends[killed(content, data, Path(folder), Random(trial))] += 1
    print(f"{kills} kills: " + ", ".join(f"{count} {what}" for what, count in ends.items()), flush=True)
    noted.add("kills", ends.total())
    ends = Counter(spoilt(content, Random(trial)) for trial in range(damages))
    print(f"{damages} damaged saves: " + ", ".join(f"{count} {what}" for what, count in ends.items()))
    noted.add("damaged saves", ends.total())
    noted.exit()


def saved_in(folder: Path) -> GameRecording | None:
    """Return the game saved in a folder; None if there is none."""
    (path,) = [*folder.glob("*.game")] or [None]
    return path and read_recording(path.read_bytes())


def killed(content: Content, data: str, folder: Path, rng: Random) -> str:
    """Play, kill, and compare the save with the keys; return the point at which the game was killed."""
    before = saved_in(folder)
    keys = [rng.choice(KEYS) for _ in range(200)]
    seed = before.header.seed if before else rng.randrange(10**6)
    drawn, sent = on_a_terminal([f"--data={data}", f"--save-dir={folder}", f"--seed={seed}"], keys, rng)
    after = saved_in(folder)
    if after is None:
        assert drawn == 0
        return "before the first command"
    done, old = deeds(after), deeds(before) if before else []
    assert done[: len(old)] == old
    meant = commands_of(content, after, before, keys[:sent], len(done) - len(old))
    assert done[len(old) :] == meant, f"{done[len(old) :]} is not {meant}"
    assert after.turn >= drawn, f"turn {drawn} had been drawn, and turn {after.turn} is saved"
    return "within a line" if after.torn else "between commands"


def deeds(recording: GameRecording) -> list[Command]:
    """Return the commands given by keys. Lessons are left out: they come with drawn screens, which depends on the speed of keys."""
    return without_lessons(each for each in recording.entries if isinstance(each, Command))


def without_lessons(commands: Iterable[Command]) -> list[Command]:
    """Return all commands but lessons."""
    return [each for each in commands if each.name != "teach"]


def commands_of(
    content: Content, after: GameRecording, before: GameRecording | None, keys: list[str], number: int
) -> list[Command]:
    """Return the first `number` commands that keys mean when they continue a recording."""
    session = Session(content, after.header.seed)
    if before:
        session.game = replay(before, content)
    found: list[Command] = []
    session.game.recorder = lambda _, command: found.append(command)
    screen = PlayScreen(session).resume()
    for key in keys:
        if screen is None or len(without_lessons(found)) >= number:
            break
        screen = screen.press(key)
    return without_lessons(found)[:number]


def on_a_terminal(arguments: list[str], keys: list[str], rng: Random) -> tuple[int, int]:
    """Play in a new process and kill it; return the last turn drawn and the number of keys sent."""
    told, telling = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        play_and_tell(arguments, telling)
    os.close(telling)
    termios.tcsetwinsize(terminal, (24, 80))
    shown, sent, turn = b"", 0, 0
    kill_at = time.monotonic() + 60
    while (left := kill_at - time.monotonic()) > 0:
        ready, _, _ = select.select([terminal, told], [], [], min(left, 0.005))
        if terminal in ready:
            shown += os.read(terminal, 65536)
        if told in ready:
            turn = int(os.read(told, 65536).split()[-1])
        if sent == 0 and (b"press any key" in shown or b"goes on with" in shown):
            os.write(terminal, b"\r")
            kill_at = time.monotonic() + rng.random() * LONGEST
        if b"goes on with" in shown or b"press any key" in shown:
            burst = "".join(keys[sent : sent + rng.randrange(4)])
            os.write(terminal, burst.encode())
            sent += len(burst)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while select.select([told], [], [], 0)[0] and (rest := os.read(told, 65536)):
        turn = int(rest.split()[-1])
    os.close(terminal)
    os.close(told)
    return turn, sent


def play_and_tell(arguments: list[str], telling: int) -> None:
    """Run the game, writing each drawn turn to `telling`; never return."""
    draw = PlayScreen.draw

    def drawn(self: PlayScreen, console: object) -> None:
        draw(self, console)
        os.write(telling, b"%d\n" % self.game.log.turn)

    PlayScreen.draw = drawn
    os.environ["TERM"] = "xterm-256color"
    try:
        play(arguments)
    finally:
        os._exit(0)


def spoilt(content: Content, rng: Random) -> str:
    """Damage a save, resume it, and return the outcome."""
    origin = origin_of(content)
    with tempfile.TemporaryDirectory() as folder:
        keeper = Keeper(origin, SaveFolder(Path(folder)))
        session = Session(content, rng.randrange(10**6), keeper=keeper)
        for _ in range(rng.randrange(1, 60)):
            actions.step(session.game, rng.choice(NEIGHBOURS))
        keeper.leave(session.game)
        (path,) = Path(folder).glob("*.game")
        path.write_bytes(damaged(path.read_bytes(), rng))
        later = Keeper(origin, SaveFolder(Path(folder)))
        found = later.saved()
        game = later.try_resume(found[0].path, content) if found else None
        later.close()
        if game is not None:
            assert not later.notices
            return "cut off at the end" if "was cut off" in str(game.log.messages[-1]) else "no worse"
        (notice,) = later.notices
        assert notice.endswith(".aside."), notice
        assert [each for each in Path(folder).iterdir() if each.suffix == ".aside"]
        return notice.partition(": ")[2].partition(".")[0].rstrip("0123456789 ")


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
