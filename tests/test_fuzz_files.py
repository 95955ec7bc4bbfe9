"""Whatever a file of a level, a map of Tiled or a saved game holds, it is read or refused; many more in tests/fuzzing/fuzz_files.py."""

from __future__ import annotations

import json
import zlib
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from damaged import ODD, WHOLE, parts_of, spoilt
from test_fuzz import write
from test_game import drawn_content

import dungeon
from dungeon.adapters.tiled_map import COLOURS, NAMED
from game_demo.rules import actions
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import GameOrigin, SaveError, read_recording, replay
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = 30
"""How many damages of each kind of file there are here."""

NO, YES = ("0", "f", "false", "n", "no", "off"), ("1", "t", "true", "y", "yes", "on")
"""What is read as a truth value."""

HALL = """
    #########
    #<......#
    #....m..#
    #########
"""


def bent(data: Any, rng: Random) -> Any:
    """Return JSON data of which up to three parts are gone, odd, doubled, or what another part is."""
    data = deepcopy(data)
    for _ in range(rng.randrange(1, 4)):
        parts = list(parts_of(data))
        if not parts:
            break
        container, key = rng.choice(parts)
        other, at = rng.choice(parts)
        match rng.randrange(6):
            case 0:
                del container[key]
            case 1:
                container[key] = deepcopy(other[at])
            case 2 if isinstance(container[key], int):
                container[key] += rng.choice([-1, 1, 100, -(10**6), 10**6, 2**31, 2**63])
            case 3 if isinstance(container, list):
                container.insert(key, deepcopy(container[key]))
            case 4 if isinstance(container[key], str) and container[key]:
                container[key] = spoilt(container[key].encode(), rng).decode()
            case _:
                container[key] = deepcopy(rng.choice(ODD))
    return data


def damaged_json(text: bytes, rng: Random) -> bytes:
    """Return the text of JSON that is damaged as text or, more often, in what it says."""
    if rng.random() < 0.3:
        return spoilt(text, rng)
    return json.dumps(bent(json.loads(text), rng)).encode()


def damaged_save(data: bytes, rng: Random) -> bytes:
    """Return a saved game that says something else, with checksums that are right for it."""
    lines = [json.loads(line[9:]) for line in data.splitlines()]
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                del lines[at]
                lines = lines or [{}]
            case 1:
                lines.insert(at, deepcopy(rng.choice(lines)))
            case 2:
                lines[at] = deepcopy(rng.choice(ODD))
            case _:
                lines[at] = bent([lines[at]], rng)
                lines[at] = lines[at][0] if lines[at] else []
    checksum, out = 0, b""
    for line in lines:
        text = json.dumps(line, separators=(",", ":")).encode()
        checksum = zlib.crc32(text, checksum)
        out += b"%08x %b\n" % (checksum, text)
    return out


def judge_level(kind: str, text: bytes) -> bool:
    """Read a level, and tell whether that worked; one that was read says all that the text says, and can be shown."""
    read, write, told = READERS[kind]
    try:
        level = read(text.decode())
    except ValueError:
        return False
    assert told(write(level)) == told(text)
    dungeon.to_text(level)
    dungeon.to_console(level)
    dungeon.prove(level)
    return True


def told_by_json(text: str | bytes) -> Any:
    """Return what the JSON of a level says. A spawn without cells has its own."""
    data = json.loads(text)
    for spawn in data["spawns"]:
        spawn["cells"] = spawn["cells"] or [[spawn["y"], spawn["x"]]]
    for array in ("terrain", "region"):
        data[array] = ["".join(row.lower().split()) for row in data[array]]
    return plain(data)


def plain(value: Any) -> Any:
    """Return data of JSON in which numbers, and the words that are read as true and false, are alike however they are written."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, bool | int | float):
        return str(int(value) if value == int(value) else value)
    if isinstance(value, str) and value.lower() in (*NO, *YES):
        return "0" if value.lower() in NO else "1"
    if isinstance(value, str) and value.isdecimal():
        return value.lstrip("0") or "0"
    return value


def told_by_tiled(text: str | bytes) -> Any:
    """Return what a map of Tiled says of a level: each object with its cell, and what its properties say as JSON or plainly."""
    data = json.loads(text)
    layers = {layer["name"]: layer["objects"] for layer in data["layers"] if layer["name"] in NAMED}
    numbers = {thing["id"]: number for number, thing in enumerate(layers["placements"])}
    found: list[Any] = [_properties(data, numbers)]
    for name, things in layers.items():
        for thing in things:
            cell = round(thing["y"] / data["tileheight"]), round(thing["x"] / data["tilewidth"])
            named, kind = NAMED[name]
            titles = thing.get("name", "") if named else "", _type(thing) if kind else ""
            found.append((name, cell, titles, _properties(thing, numbers)))
    return found


def _type(thing: Any) -> str:
    return str(thing.get("type", thing.get("class", "")))


def _properties(thing: Any, numbers: dict[int, int]) -> dict[str, Any]:
    """Return name -> value of properties; an object is told by which placement it is, if any."""
    found = {}
    for each in thing.get("properties", ()):
        name, value = each["name"], each["value"]
        if name == "placement":
            value = numbers.get(value)
        elif name in ("more", "level"):
            found |= plain(json.loads(value))
            continue
        elif name in COLOURS:
            value = value.lower()[-6:]
        assert name not in found
        found[name] = plain(value)
    return found


def judge_save(content: dungeon.Content, data: bytes) -> bool:
    """Read a saved game and play it again, and tell whether that worked."""
    try:
        recording = read_recording(data)
        game = replay(recording, content)
    except SaveError:
        return False
    assert len(recording.entries) == data.count(b"\n") - 1
    assert recording.torn == 0
    assert game.log.turn == recording.turn
    return True


@cache
def small_level() -> dungeon.Level:
    """Return a level with something of everything that a level can have."""
    with TemporaryDirectory() as folder:
        write(Path(folder), WHOLE)
        return dungeon.World(dungeon.load_content(folder), 3).level("works/2")


def saved_game(folder: Path) -> tuple[dungeon.Content, bytes]:
    """Play six turns; return the content of the game, and the saved game."""
    content = drawn_content(folder / "content", HALL)
    keeper = Keeper(GameOrigin("content", "code", "1.0"), SaveFolder(folder / "saves"))
    game = Game(dungeon.World(content, 7))
    keeper.follow(game)
    for _ in range(3):
        actions.step(game, (0, 1))
        actions.search(game)
    keeper.leave(game)
    (path,) = (folder / "saves").glob("*.game")
    return content, path.read_bytes()


READERS: dict[
    str,
    tuple[
        Callable[[str], dungeon.Level], Callable[[dungeon.Level], str | bytes], Callable[[str | bytes], Any]
    ],
] = {
    "level": (dungeon.from_json, dungeon.to_json, told_by_json),
    "tiled": (
        dungeon.from_tiled,
        lambda level: dungeon.to_tiled(level, "level")["level.tmj"],
        told_by_tiled,
    ),
}
"""Kind of file -> what reads it, what writes it, and what the text says."""


def written(kind: str) -> bytes:
    """Return the file of the small level."""
    text = READERS[kind][1](small_level())
    return text.encode() if isinstance(text, str) else text


@pytest.mark.parametrize("kind", READERS)
def test_a_damaged_level_is_read_whole_or_refused(kind: str) -> None:
    whole = written(kind)
    assert judge_level(kind, whole)
    verdicts = {judge_level(kind, damaged_json(whole, Random(seed))) for seed in range(CASES)}
    assert verdicts == {True, False}


def test_a_damaged_save_with_right_checksums_is_played_or_refused(tmp_path: Path) -> None:
    content, whole = saved_game(tmp_path)
    assert judge_save(content, whole)
    verdicts = {judge_save(content, damaged_save(whole, Random(seed))) for seed in range(2 * CASES)}
    assert verdicts == {True, False}
