"""Factors of worlds and difficulties: how much is scattered, how often encounters of a category come, and what knows of it."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from changed_runs import rows
from drawn import OBJECTS, load, write
from rolling import is_likely

import dungeon
from dungeon import playtest
from dungeon.cli import main
from dungeon.generation.odds.worlds import due_in_world, places_in
from dungeon.playtest.reading import content_of

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level

SEEDS = range(12)

DIFFICULTIES = """\
difficulties:
  easy: {spawns: 50%, weights: {danger: 50%}}
  hard: {spawns: {by_depth: {1: 150%, 3: 350%}}, weights: {danger: 3, reward: 0%}}
  calm: {weights: {danger: 0}}
"""
FILES = {
    **OBJECTS,
    "maps/m.yaml": (
        "m:\n  name: M\n  size: 60x34\n  layout: boxes\n  encounters: 2\n"
        "  population: [{prop: crate, count: 10}, {robot: sweeper, count: 3, followers: [{robot: guard}]}]\n"
    ),
    "encounters/e.yaml": (
        "den: {category: danger, maps: {m: 1}, placing: free, content: [{item: scrap}]}\n"
        "hoard: {category: reward, maps: {m: 1}, placing: free, content: [{item: scrap}]}\n"
        "lair: {category: danger, maps: {m: 1}, placing: free, limit: {world: 1}, content: [{item: scrap}]}\n"
    ),
    "world.yaml": "start: m/1\nmaps: {m: 1..3}\nleads_to: {m/*: m/+1}\n",
}


def content(folder: Path, more: str = "", **changed: str) -> Content:
    """Return a small content, with more lines in its world.yaml and other files."""
    files = {**FILES, **{f"{name.replace('__', '/')}.yaml": text for name, text in changed.items()}}
    return load(folder, files | {"world.yaml": FILES["world.yaml"] + more})


def scattered(level: Level) -> Counter[str]:
    """Return what the population has put on a level."""
    return Counter(each.tag for each in level.spawns if each.source.startswith("population"))


def test_a_world_without_factors_is_the_same_by_a_byte(tmp_path: Path) -> None:
    plain, more = content(tmp_path / "a"), content(tmp_path / "b", "spawns: 100%\n" + DIFFICULTIES)
    for seed in SEEDS[:4]:
        for map_id in ("m/1", "m/3"):
            one, other = (dungeon.World(each, seed).level(map_id) for each in (plain, more))
            assert dungeon.to_json(one) == dungeon.to_json(other)


def test_fewer_objects_are_scattered_and_those_where_they_would_be(tmp_path: Path) -> None:
    made = content(tmp_path / "half", "spawns: 50%\n")
    whole = content(tmp_path / "whole")
    for seed in SEEDS:
        half, all_of_them = (dungeon.World(each, seed).level("m/1") for each in (made, whole))
        assert scattered(half)["crate"] == 5
        assert scattered(half)["sweeper"] in (1, 2)
        assert scattered(all_of_them)["crate"] == 10
        cells = [
            [each.cells for each in level.spawns if each.tag == "crate"] for level in (half, all_of_them)
        ]
        assert cells[0] == cells[1][:5]
        assert not dungeon.prove(half)


def test_the_expected_number_is_exact(tmp_path: Path) -> None:
    crowd = "m: {name: M, size: 60x34, layout: boxes, population: [{item: scrap, count: 1..3}, {prop: crate, density: 1}]}\n"
    few, many = (
        content(tmp_path / "few", "spawns: 10%\n", maps__m=crowd),
        content(tmp_path / "many", maps__m=crowd),
    )
    worlds = 150
    found: Counter[str] = Counter()
    for seed in range(worlds):
        found += scattered(dungeon.World(few, seed).level("m/1"))
    whole = sum(scattered(dungeon.World(many, seed).level("m/1"))["crate"] for seed in range(10)) / 10
    assert is_likely(found["scrap"], worlds, 0.2)
    assert abs(found["crate"] / worlds - whole / 10) < 0.15 * whole / 10


def test_a_difficulty_multiplies_the_factors_of_the_world(tmp_path: Path) -> None:
    made = content(tmp_path, "spawns: 50%\nweights: {danger: 150%}\n" + DIFFICULTIES)
    hard = made.at_difficulty("hard")
    assert [hard.spawn_factor(depth) for depth in (1, 2, 3, 9)] == [0.75, 1.25, 1.75, 1.75]
    assert made.weights_on("m", 1) == {"den": 1.5, "hoard": 1, "lair": 1.5}
    assert hard.weights_on("m", 1) == {"den": 4.5, "lair": 4.5}
    assert made.at_difficulty("easy").weights_on("m", 1) == {"den": 0.75, "hoard": 1, "lair": 0.75}
    assert hard.at_difficulty(None).weights_on("m", 1) == made.weights_on("m", 1)
    counts = [
        scattered(dungeon.World(made, 1, difficulty=name).level("m/3"))["crate"] for name in ("easy", "hard")
    ]
    assert counts[0] in (2, 3)
    assert counts[1] in (17, 18)


@pytest.mark.parametrize("difficulty", [None, "easy", "hard", "calm"])
def test_odds_know_the_difficulty_and_levels_keep_limits(tmp_path: Path, difficulty: str | None) -> None:
    world = dungeon.World(content(tmp_path, DIFFICULTIES), difficulty=difficulty)
    odds = {each.encounter: each for each in world.odds("m/1").maps[0].encounters}
    worlds = 600
    drawn: Counter[str] = Counter()
    for seed in range(worlds):
        places = places_in(world.content, seed)
        ((_, names),) = due_in_world(world.content, seed, places, places[:1])
        drawn.update({*names})
        assert names.count("lair") <= 1
    weights = world.content.weights_on("m", 1)
    assert odds.keys() == weights.keys()
    for name, each in odds.items():
        assert each.drawn.is_exact
        assert is_likely(drawn[name], worlds, each.drawn.value)
    for seed in SEEDS[:4]:
        made = dungeon.World(world.content, seed)
        levels = [made.level(node.id) for node in made.maps]
        assert all(not dungeon.prove(level, made) for level in levels)
        assert sum(each.encounter == "lair" for level in levels for each in level.placements) <= 1


def test_why_tells_of_a_factor_of_nothing(tmp_path: Path) -> None:
    world = dungeon.World(content(tmp_path, DIFFICULTIES), difficulty="calm")
    (case,) = [case for case in world.why("m/1") if case.encounter == "den"]
    assert (case.outcome, case.reason) == (
        "impossible",
        "the weights of the category danger are multiplied by 0 at difficulty calm",
    )


def test_worlds_of_a_difficulty_are_values(tmp_path: Path) -> None:
    made = content(tmp_path, DIFFICULTIES)
    world, plain = dungeon.World(made, 7, difficulty="hard"), dungeon.World(made, 7)
    assert (world.difficulty, plain.difficulty, plain.content is made) == ("hard", None, True)
    assert repr(world) == f"<World of seed 7, difficulty hard: 3 maps of {made.folder!r}>"
    assert world == dungeon.World(made, 7, difficulty="hard") != plain
    assert copy.deepcopy(world) is world
    again = pickle.loads(pickle.dumps(world))
    assert again.difficulty == "hard"
    assert dungeon.to_json(again.level("m/2")) == dungeon.to_json(world.level("m/2"))
    assert dungeon.World(world.content, 8).difficulty == "hard"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("hrad", KeyError, "this world has no difficulty 'hrad' (did you mean hard?)"),
        ("9", KeyError, "this world has no difficulty '9' (there are easy, hard, calm)"),
        (3, TypeError, "a difficulty is a name of world.yaml, or None, not 3"),
    ],
)
def test_an_unknown_difficulty_is_told(
    tmp_path: Path, name: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        dungeon.World(content(tmp_path, DIFFICULTIES), difficulty=name)
    assert caught.value.args[0] == message


def test_a_world_that_declares_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=r"world\.yaml declares no difficulties"):
        dungeon.World(content(tmp_path), difficulty="hard")


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ("spawns: -10%\n", ["a factor from 0% to 1000%, such as 50% or 1.5, is needed here: -10%"]),
        ("spawns: 1001%\n", ["a factor from 0% to 1000%, such as 50% or 1.5, is needed here: 1001%"]),
        (
            "weights: {dangre: 50%, reward: much}\ndifficulties: {easy: {spawn: 2}, hard: {weights: {risk: {by_depth: {1: x}}}}}\n",
            [
                "there is no category of this name: dangre (did you mean danger?)",
                "a factor from 0% to 1000%, such as 50% or 1.5, is needed here: much",
                "this key is not known: spawn (did you mean spawns?)",
                "a factor from 0% to 1000%, such as 50% or 1.5, is needed here: x",
            ],
        ),
    ],
)
def test_wrong_factors_are_refused(tmp_path: Path, lines: str, problems: list[str]) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        content(tmp_path, lines)
    assert [str(each).partition("world: ")[2] for each in caught.value.problems] == problems


# -- commands and playtests -------------------------------------------------------------------------


def test_commands_take_a_difficulty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [
        "--data",
        str(write(tmp_path / "data", {**FILES, "world.yaml": FILES["world.yaml"] + DIFFICULTIES})),
    ]
    hard = ["--difficulty", "hard", *data]
    assert main(["show", "m/1", *hard]) == 0
    assert "m/1: M, depth 1, seed 0, difficulty hard, 60x34; 2 encounters" in capsys.readouterr().out
    assert main(["why", "m/1", *hard]) == 0
    assert "m/1: M, depth 1, seed 0, difficulty hard\n" in capsys.readouterr().out
    assert main(["why", "m/1", "hoard", *hard]) == 0
    assert "multiplied by 0 at difficulty hard" in capsys.readouterr().out
    assert main(["odds", "--json", *hard]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["difficulty"] == "hard"
    assert {each["encounter"]: each["weight"] for each in told["maps"][0]["encounters"]} == {
        "den": 3,
        "lair": 3,
    }
    assert main(["odds", "--json", "--realised", "2", *hard]) == 0
    assert "difficulty" in capsys.readouterr().out
    for command in (["show", "m/1"], ["why", "m/1"], ["odds"], ["playtest", "--worlds", "1"]):
        assert main([*command, "--difficulty", "hrad", *data]) == 2
        assert "there is no difficulty 'hrad' (did you mean hard?)" in capsys.readouterr().err


def test_a_run_knows_its_difficulty(tmp_path: Path) -> None:
    made = content(tmp_path / "data", DIFFICULTIES)
    hard, out = made.at_difficulty("hard"), tmp_path / "run"
    playtest.record(hard, range(2), out=out, jobs=2)
    counts = rows(out, "SELECT seed, map, count(*) FROM spawns GROUP BY seed, map ORDER BY 1, 2")
    worlds = [dungeon.World(made, seed, difficulty="hard") for seed in range(2)]
    assert counts == [
        (world.seed, node.id, len(world.level(node.id).spawns)) for world in worlds for node in world.maps
    ]
    assert content_of(out).difficulty == "hard"
    playtest.record(hard, range(3), out=out)
    with pytest.raises(playtest.PlaytestError, match="was recorded at the difficulty hard, not none"):
        playtest.record(made, range(3), out=out)
