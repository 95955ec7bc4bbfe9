"""Players who press random keys for a long time: whether anything breaks, gets stuck or grows.

    python tests/fuzzing/strolls.py [SEEDS] [TURNS] [DATA] [FIRST]

The seeds begin at FIRST (0), so that several processes can share them. Each seed gets a sitting of this number of turns, begun on a
random map. A player who dies begins anew; one who leaves resumes the saved game, whose digest must be the same. The last game of every
fifth sitting is also replayed from its file and compared. It is an error if no turn passes for `PATIENCE` keys. It prints turns, games,
resumptions, CPU time and memory, and the thousands of Python objects that remain between sittings. If memory rises while these do
not, a library does not return its memory.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from measured import Measured
from sittings import Sitting  # the tests' own

import dungeon
from game_demo.saving.recording import origin_of, read_recording, replay
from game_demo.screens.game_screens import Ending
from game_demo.state.digest import digest_of

PATIENCE = 5000
REPLAYED = 5


def main(seeds: int = 200, turns: int = 5000, data: str = "data", first: int = 0) -> None:
    """Stroll and print the counts."""
    noted = Measured()
    content = dungeon.load_content(data, cache=dungeon.cache_folder())
    origin = origin_of(content)
    total = keys = games = resumed = replayed = 0
    print(
        f"{'seed':>5}{'turns':>10}{'keys':>10}{'games':>7}{'resumed':>9}{'replayed':>10}{'seconds':>9}{'MB':>6}{'objects':>9}"
    )
    for seed in range(first, first + seeds):
        with tempfile.TemporaryDirectory() as folder:
            sitting = Sitting(content, seed, Random(seed), Path(folder), origin)
            done = before = 0
            while done < turns or isinstance(sitting.screen, Ending) or not sitting.game.log.turn:
                sitting.press()
                done = sitting.turns + sitting.game.log.turn
                if sitting.pressed % PATIENCE == 0:
                    assert done > before, (
                        f"seed {seed} is stuck on {sitting.screen} after {sitting.pressed} keys"
                    )
                    before = done
            total, keys, resumed = total + done, keys + sitting.pressed, resumed + sitting.resumed
            games += sitting.games
            if seed % REPLAYED == 0:
                sitting.session.keeper.leave(sitting.game)
                # A jump to another world leaves the save of the earlier game, too: take the newest.
                path = max(sitting.folder.path.glob("*.game"), key=lambda each: each.stat().st_mtime_ns)
                again = replay(read_recording(path.read_bytes()), content)
                assert digest_of(again) == digest_of(sitting.game), (
                    f"seed {seed} takes another course when replayed"
                )
                replayed += 1
            sitting.session.keeper.close()
        if seed % 10 == 9 or seed == first + seeds - 1:
            del sitting
            gc.collect()
            objects = len(gc.get_objects()) // 1000
            memory = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 10**6
            print(
                f"{seed + 1:5}{total:10}{keys:10}{games:7}{resumed:9}{replayed:10}{process_time():9.0f}{memory:6}{objects:9}",
                flush=True,
            )
    noted.add("turns", total)
    noted.exit()


if __name__ == "__main__":
    main(*(int(each) if each.isdigit() else each for each in sys.argv[1:]))
