"""Why an encounter is on a level, or why it is not: `World.why`, and the command `dungeon why`."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from demo import demo_content
from drawn import load, small_game, write
from test_adapters import before

import dungeon
from dungeon.cli import main
from dungeon.extend import Streams
from dungeon.generation.encounters.draw import RULE_TEXTS, Draw

DATA = Path(__file__).parent.parent / "data"

pytestmark = pytest.mark.usefixtures("demo_once")

HALL = r"\n".join(["." * 70] * 3)
PREFABS = f'dot: {{map: "."}}\nhall: {{map: "{HALL}"}}\n'

ENCOUNTERS = """
    here: {category: fluff, prefabs: dot, maps: {mine: 1000}, limit: {map: 2}, group: first}
    rival: {category: risk, prefabs: dot, maps: {mine: 900}, group: first}
    big: {category: reward, prefabs: hall, maps: {mine: 800}}
    late: {category: danger, prefabs: dot, maps: {mine: 0.001}}
    deep: {category: fluff, prefabs: dot, maps: {mine: 1}, depth: 2..}
    odd: {category: fluff, prefabs: dot, maps: {mine: 1}, depth: 2..3}
    never: {category: fluff, prefabs: dot, maps: {mine: never}}
    there: {category: fluff, prefabs: dot, maps: {city: 1, sea: rare}}
    """

PLAIN = "{name: A Map, size: 70x34, layout: boxes, encounters: 2}"


def game(encounters: str = ENCOUNTERS, leads_to: str = "mine/1: [city/1]") -> dict[str, str]:
    """Return a game of three kinds of map with these encounters."""
    return {
        "weights.yaml": "never: 0\nrare: 1\n",
        "prefabs/p.yaml": PREFABS,
        "encounters/e.yaml": encounters,
        "maps/m.yaml": f"mine: {PLAIN}\ncity: {PLAIN}\nsea: {PLAIN}\n",
        "world.yaml": f"start: mine/1\nleads_to: {{{leads_to}}}\n",
    }


def told(world: dungeon.World, map_id: str = "mine/1") -> dict[str, dungeon.Case]:
    return {case.encounter: case for case in world.why(map_id)}


def test_every_outcome_of_an_encounter_is_told_apart(tmp_path: Path) -> None:
    content = load(tmp_path, game())
    world = next(
        world
        for world in (dungeon.World(content, seed) for seed in range(100))
        if [case.outcome for case in world.why("mine/1")][:3] == ["chosen", "refused", "refused"]
    )
    cases = told(world)
    assert {name: (case.outcome, case.reason) for name, case in cases.items()} == {
        "here": ("chosen", "it may have no more copies here"),
        "rival": ("refused", ""),
        "big": ("refused", ""),
        "late": ("not drawn", "the map had enough encounters before its turn came"),
        "deep": ("impossible", "only from depth 2 on, and this is depth 1"),
        "odd": ("impossible", "only at depths 2 to 3, and this is depth 1"),
        "never": ("impossible", "its weight on mine is 0"),
        "there": ("elsewhere", "only on city and sea"),
    }
    (rival,) = cases["rival"].turns
    assert rival.decision.reason == "its group 'first' is taken by here"
    (big,) = cases["big"].turns
    assert sum(count for _, count in big.decision.counts) > 0
    assert [dict(turn.decision.counts)["spots"] > 1 for turn in cases["here"].turns] == [True, True]


def test_a_world_limit_tells_where_the_copies_went(tmp_path: Path) -> None:
    encounters = """
        sole: {category: fluff, prefabs: dot, maps: {mine: 1, city: 1}, limit: {world: 1}}
        any: {category: fluff, prefabs: dot, maps: {mine: 1, city: 1}}
        """
    content = load(tmp_path, game(encounters))
    seen = set()
    for seed in range(20):
        world = dungeon.World(content, seed)
        mine, city = told(world)["sole"], told(world, "city/1")["sole"]
        (loser,) = [case for case in (mine, city) if case.outcome == "impossible"]
        winner = "city/1" if loser is mine else "mine/1"
        assert loser.reason == f"the world may have 1, given to {winner} (1)"
        assert (loser.limit, loser.first) == (0, 0.0)
        assert told(world, winner)["sole"].first == 1.0, "what the world gives to a map comes first there"
        assert told(world, winner)["any"].first == 0.0
        seen.add(winner)
    assert seen == {"mine/1", "city/1"}


def test_groups_of_the_world_and_the_order_of_turns(tmp_path: Path) -> None:
    encounters = """
        crown: {category: reward, prefabs: dot, maps: {mine: 1, city: 1}, group: {world: regalia}}
        orb: {category: reward, prefabs: dot, maps: {mine: 1, city: 1}, group: {world: regalia}}
        guest: {category: fluff, prefabs: dot, maps: {mine: 1}, requires: host}
        host: {category: fluff, prefabs: dot, maps: {mine: 1}, guaranteed: true}
        """
    content = load(tmp_path, game(encounters))
    seen = set()
    for seed in range(12):
        world = dungeon.World(content, seed)
        cases = told(world)
        (loser,) = [name for name in ("crown", "orb") if cases[name].outcome == "impossible"]
        winner = {"crown": "orb", "orb": "crown"}[loser]
        assert cases[loser].reason == f"its group 'regalia' of this world is taken by {winner}"
        assert told(world, "city/1")[loser].outcome == "impossible"
        assert {name: case.first for name, case in cases.items() if case.first} == {"host": 1.0}
        seen.add(winner)
    assert seen == {"crown", "orb"}
    alone = PLAIN.replace("encounters: 2", "encounters: 9, nothing: 2")
    files = game(encounters.replace("host: {", "lost: {").replace("guaranteed: true", "limit: {map: 1}"))
    files["encounters/e.yaml"] = files["encounters/e.yaml"].replace("requires: host", "requires: orb")
    cases = told(
        dungeon.World(load(tmp_path / "other", files | {"maps/m.yaml": f"mine: {alone}\ncity: {PLAIN}\n"}), 0)
    )
    assert cases["lost"].first == pytest.approx(1 / 4), "two of four turns are nobody's"
    assert cases["guest"].first == 0.0, "it waits for another"


def test_maps_that_are_called_otherwise_than_their_type_have_their_cases(tmp_path: Path) -> None:
    encounters = """
        crown: {category: reward, prefabs: dot, maps: {mine: 1}, limit: {map: 1}, group: {branch: regalia}}
        orb: {category: reward, prefabs: dot, maps: {mine: 1}, limit: {map: 1}, group: {branch: regalia}}
        sole: {category: risk, prefabs: dot, maps: {mine: 1}, limit: {world: 1}}
        there: {category: fluff, prefabs: dot, maps: {city: 1}}
        """
    files = game(encounters, "deep/1: [deep/2]") | {
        "world.yaml": "start: deep/1\nmaps: {deep: {depths: 1..2, maps: {mine: 1}}}\nleads_to: {deep/1: [deep/2]}\n"
    }
    content = load(tmp_path, files)
    for seed in range(8):
        one, other = (told(dungeon.World(content, seed), map_id) for map_id in ("deep/1", "deep/2"))
        (winner,) = {name for name in ("crown", "orb") if one[name].outcome == "chosen"}
        (loser,) = {"crown", "orb"} - {winner}
        assert one[loser].reason == f"its group 'regalia' of deep is taken by {winner}"
        assert {one["sole"].outcome, other["sole"].outcome} == {"chosen", "impossible"}
        assert one["there"].reason == "only on city"
        assert one["there"].outcome == "elsewhere"


def test_a_map_without_encounters_says_so(tmp_path: Path) -> None:
    files = game() | {
        "maps/m.yaml": f"mine: {PLAIN.replace('encounters: 2', 'encounters: 0')}\ncity: {PLAIN}\n"
    }
    files["encounters/e.yaml"] = ENCOUNTERS.replace(", sea: rare", "")
    world = dungeon.World(load(tmp_path, files), 0)
    assert told(world)["here"].reason == "this level gets no encounters"
    assert told(world)["here"].outcome == "not drawn"


def test_all_cases_agree_with_the_level(tmp_path: Path) -> None:
    content = load(tmp_path, small_game())
    outcomes = Counter()
    for seed in range(6):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            cases = world.why(node.id, level)
            assert sorted(case.encounter for case in cases) == sorted(content.encounters)
            placed = Counter(placement.encounter for placement in level.placements if placement.encounter)
            chosen = {
                case.encounter: sum(turn.decision.verdict == "chosen" for turn in case.turns)
                for case in cases
            }
            assert Counter(chosen) == placed
            numbers = sorted(turn.number for case in cases for turn in case.turns)
            assert numbers == list(range(1, len(numbers) + 1))
            assert sum(case.first for case in cases) == pytest.approx(1)
            outcomes.update(case.outcome for case in cases)
    assert set(outcomes) == {"chosen", "refused", "not drawn", "impossible"}


def test_the_chance_to_be_drawn_first_is_the_measured_frequency(tmp_path: Path) -> None:
    content = load(tmp_path, game())
    chances = {name: case.first for name, case in told(dungeon.World(content, 0)).items() if case.first}
    assert chances == {name: weight / 2700.001 for name, weight in zip(
        ("here", "rival", "big", "late"), (1000, 900, 800, 0.001), strict=True
    )}  # fmt: skip
    times = 4000
    first = Counter()
    for seed in range(times):
        arrival = Draw(content, "mine", 1, {}, Streams(seed, "mine/1")).next()
        assert arrival is not None
        first[arrival.encounter] += 1
    for name, chance in chances.items():  # within the 99.9 % interval
        assert abs(first[name] - chance * times) <= 3.3 * (times * chance * (1 - chance)) ** 0.5 + 1


# -- the command ----------------------------------------------------------------------------------


def test_an_encounter_excluded_from_the_only_turn_has_no_chance(tmp_path: Path) -> None:
    files = game() | {
        "maps/m.yaml": f"mine: {{{PLAIN[1:-1]}, mix: {{danger: 2..}}}}\ncity: {PLAIN}\nsea: {PLAIN}\n"
    }
    cases = told(dungeon.World(load(tmp_path, files), 3))
    assert {name: case.first for name, case in cases.items() if case.first} == {"late": 1}
    assert cases["late"].turns[0].number == 1


def test_the_command_tells_of_all_encounters(capsys: pytest.CaptureFixture[str]) -> None:
    level = dungeon.World(demo_content(), 12).level("galleries/1")
    assert main(["why", "galleries", "--seed", "12", "--data", str(DATA)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"galleries/1: {level.name}, depth 1, seed {level.seed}"
    categories = {placement.encounter: placement.category for placement in level.placements}
    chosen = [each for each in level.journal if (each.stage, each.verdict) == ("place", "chosen")]
    assert chosen
    for decision in chosen:
        (line,) = [line for line in lines if decision.reason in line]
        assert f"{categories[decision.subject]:6}  {decision.subject} " in line
        assert re.search(r", (one of \d+|the only) (spot|site)s?$", line)
    locks, *headings = [line.partition(" (")[0] for line in lines[1:] if line and not line.startswith(" ")]
    assert re.fullmatch(r"\d+ locks? between \d+ areas?, opened in \d+ rounds?", locks)
    assert headings == ["chosen", "refused", "not drawn", "impossible here", "not meant for this kind of map"]
    sorts = len({decision.subject for decision in chosen})
    assert sorts < len(chosen)
    assert f"chosen ({len(chosen)} copies of {sorts} encounters)" in lines


def test_the_command_tells_of_refused_locks_also_on_levels_without_locks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = game() | {
        "locks.yaml": "iron: {name: iron lock, opened_by: {item: rod}}\n",
        "objects/items.yaml": "rod: {name: rod, glyph: r}\n",
        "maps/m.yaml": f"mine: {PLAIN}\ncity: {PLAIN[:-1]}, locks: {{iron: {{on: way}}}}}}\nsea: {PLAIN}\n",
    }
    assert main(["why", "city/1", "--data", str(write(tmp_path, said))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("no locks") + 1] == "  iron: refused, the map has no exit"


def test_the_command_tells_of_one_encounter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(write(tmp_path, game()))
    assert main(["why", "mine/1", "deep", "--data", folder]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"deep: fluff, {folder}/encounters/e.yaml:6:1; on mine/1, seed 0",
        "impossible here: only from depth 2 on, and this is depth 1",
    ]
    assert main(["why", "mine/1", "late", "--data", folder]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "weight 0.001 here, drawn first with a chance of 3.7e-05%; any number on this map",
        "not drawn: the map had enough encounters before its turn came",
    ]
    content = dungeon.load_content(folder)
    seed = next(seed for seed in range(100) if told(dungeon.World(content, seed))["big"].outcome == "refused")
    assert main(["why", "mine/1", "big", "--data", folder, "--seed", str(seed)]) == 0
    _, weight, turn = capsys.readouterr().out.splitlines()
    assert weight == "weight 800 here, drawn first with a chance of 29.6%; any number on this map"
    assert turn.startswith("turn ")
    assert ": refused: " in turn


def test_the_command_tells_of_a_prefab_and_the_encounters_that_use_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encounters = """
        pair: {category: fluff, prefabs: [dot, bar], maps: {mine: 1}, limit: {map: 1}}
        deep: {category: fluff, prefabs: bar, maps: {mine: 1}, depth: 2..}
        """
    files = game(encounters) | {"prefabs/p.yaml": 'dot: {map: "."}\nbar: {map: ".."}\nlone: {map: "..."}\n'}
    folder = str(write(tmp_path, files))
    told = {}
    for name in ("dot", "bar"):
        for seed in ("0", "1", "2", "3"):
            assert main(["why", "mine/1", name, "--seed", seed, "--data", folder]) == 0
            told[name, seed] = capsys.readouterr().out.splitlines()
    chosen = next(seed for name, seed in told if name == "dot" and "1 time on" in told["dot", seed][0])
    head, at, used, *lines = told["dot", chosen]
    assert head == f"dot: prefab, {folder}/prefabs/p.yaml:1:1; 1 time on mine/1, seed {chosen}"
    assert at.startswith("  fluff   pair (dot r")
    assert used == "used by encounter pair"
    assert lines[0] == f"  pair: fluff, {folder}/encounters/e.yaml:2:1; on mine/1, seed {chosen}"
    assert lines[-1] == "  it may choose another prefab instead: bar"
    assert told["bar", chosen] == [
        f"bar: prefab, {folder}/prefabs/p.yaml:2:1; not on mine/1, seed {chosen}",
        used,
        *lines[:-1],
        "  it may choose another prefab instead: dot",
        "used by encounter deep",
        f"  deep: fluff, {folder}/encounters/e.yaml:3:1; on mine/1, seed {chosen}",
        "  impossible here: only from depth 2 on, and this is depth 1",
    ]
    assert main(["show", "mine/1", "--mark", "bar", "--seed", chosen, "--data", folder]) == 0
    marked = capsys.readouterr().out.splitlines()
    at = marked.index("nothing to mark: mine/1 has no bar in this world")
    assert [line[2:] for line in marked[at + 1 :]] == told["bar", chosen]
    assert main(["why", "mine/1", "bar", "--json", "--seed", chosen, "--data", folder]) == 0
    assert [each["encounter"] for each in json.loads(capsys.readouterr().out)["encounters"]] == [
        "pair",
        "deep",
    ]
    assert main(["why", "mine/1", "lone", "--data", folder]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["nothing uses it"]


def test_the_command_tells_it_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "foundry", "--data", str(DATA), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    content = demo_content()
    assert (told["map"], told["seed"]) == ("foundry/3", 0)
    assert {each["encounter"] for each in told["encounters"]} == set(content.encounters)
    chosen = [each for each in told["encounters"] if each["outcome"] == "chosen"]
    assert all(sum(each["turns"][0]["counts"].values()) > 0 for each in chosen)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["galery"], "there is no map 'galery' (did you mean galleries?)"),
        (["galleries/9"], "there is no map 'galleries/9' (did you mean galleries/2?)"),
        (["xyz"], "there is no map 'xyz' (there are returns/1, returns, returns_"),
        (["foundry", "pay_ofice"], "there is no encounter or prefab 'pay_ofice' (did you mean pay_office?)"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["why", *arguments, "--data", str(DATA)]) == 2
    assert message in capsys.readouterr().err


def test_wrong_content_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, {"world.yaml": "start: nowhere/1\n"})
    assert main(["why", "mine", "--data", str(folder)]) == 1
    assert "1 problem in the content" in capsys.readouterr().err


REFUSED = """
    first: {category: danger, prefabs: robbed, maps: {mine: 1}, guaranteed: true, group: g, limit: {map: 1}}
    group: {category: fluff, prefabs: dot, maps: {mine: 1}, group: g, limit: {map: 1}}
    conflict: {category: fluff, prefabs: dot, maps: {mine: 1}, conflicts: first, limit: {map: 1}}
    requires: {category: fluff, prefabs: dot, maps: {mine: 1}, requires: conflict, limit: {map: 1}}
    near: {category: fluff, prefabs: dot, maps: {mine: 1}, near: {conflict: 9}, limit: {map: 1}}
    mix: {category: risk, prefabs: dot, maps: {mine: 1}, limit: {map: 1}}
    budget: {category: fluff, prefabs: robbed, maps: {mine: 1}, limit: {map: 1}}
    space: {category: fluff, prefabs: dot, maps: {mine: 1}, access: 99, limit: {map: 1}}
    """


def test_every_kind_of_refusal_has_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        **game(REFUSED),
        "objects/robots.yaml": "rat: {name: rat, glyph: r, threat: 4}\n",
        "prefabs/p.yaml": 'dot: {map: "."}\nrobbed: {map: "r", legend: {r: {robot: rat}}}\n',
        "maps/m.yaml": f"mine: {PLAIN[:-2]}9, mix: {{risk: 0}}, budget: {{threat: 5}}}}\ncity: {PLAIN}\n",
    }
    level = dungeon.World(load(tmp_path, files), 1).level("mine/1")
    refused = {each.subject: each.kind for each in level.journal if each.verdict == "refused"}
    kinds = {"space", *RULE_TEXTS}
    assert refused == {kind: kind for kind in kinds}
    assert {each.kind for each in level.journal if each.verdict != "refused"} == {""}

    data = json.loads(dungeon.to_json(level))
    assert dungeon.from_json(json.dumps(data)) == level
    data = before(data, 6, "markers", "ways_back")
    for decision in data["journal"]:
        del decision["kind"]  # as a version wrote it that knew of none
    assert {each.kind for each in dungeon.from_json(json.dumps(data)).journal} == {""}

    assert main(["why", "mine/1", "--seed", "1", "--data", str(tmp_path), "--json"]) == 0
    told = {each["encounter"]: each["turns"] for each in json.loads(capsys.readouterr().out)["encounters"]}
    assert {name: turns[-1]["kind"] for name, turns in told.items()} == {"first": "", **refused}
