"""`dungeon check --sample`: encounters that ask for a class of rooms which a map hardly ever digs."""

import re

import pytest
from drawn import write

import dungeon
from dungeon.cli import main

HALL = r'hall: {map: "............\n............\n............\n............\n............\n............"}'
FILES = {
    "prefabs/p.yaml": f"{HALL}\nnook: {{map: '..'}}\n",
    "encounters/e.yaml": """\
feast: {category: fluff, prefabs: hall, placing: accessible, maps: {attic: 3, loft: 3}, limit: {map: 1}, access: 2..3}
nap: {category: fluff, prefabs: nook, maps: {attic: 1, loft: 1}}
""",
    "maps/m.yaml": """\
attic: {name: Attic, size: 70x45, encounters: 2, annexes: false, layout: {tunnels: {rooms: 9, sizes: large, large: 5..12}}}
loft: {name: Loft, size: 70x45, encounters: 2, layout: {tunnels: {rooms: 9, sizes: large, large: 5..12}}}
""",
    "world.yaml": "start: attic/1\nleads_to: {attic/1: [loft/2]}\n",
}


def test_what_is_asked_for_more_often_than_there_is_space_is_said_with_numbers(tmp_path, capsys):
    folder = str(write(tmp_path, FILES))
    assert main(["check", folder]) == 0
    assert main(["check", folder, "--sample", "25"]) == 3
    lines = capsys.readouterr().out.splitlines()[1:-1]
    (line,) = lines
    found = re.search(
        r"e\.yaml:1:\d+: warning: encounter 'feast': attic/1 has space for this encounter on only (\d+) of 25 ground plans, "
        r"even without other encounters, but its weight asks for (\d+)\. "
        r"The encounter needs 12x6 cells, with 2 to 3 doors; reasons against the other plans: (.*): attic$",
        line,
    )
    assert found, line
    held, asked = int(found[1]), int(found[2])
    assert held < asked
    assert asked >= 20
    assert "door" in found[3] or "too small" in found[3]


def test_the_numbers_are_those_of_the_placer(tmp_path):
    """An encounter that is alone on its map comes on as many levels as there is space on ground plans."""
    alone = FILES["encounters/e.yaml"].splitlines()[0] + "\n"
    world = {"world.yaml": "start: attic/1\n", "encounters/e.yaml": alone.replace(", loft: 3", "")}
    files = FILES | world | {"maps/m.yaml": FILES["maps/m.yaml"].splitlines()[0] + "\n"}
    folder = write(tmp_path, files)
    (problem,) = [
        each for each in dungeon.examine_content(folder, sample=20).problems if "ground plans" in each.message
    ]
    content = dungeon.load_content(folder)
    levels = [dungeon.World(content, seed).level("attic/1") for seed in range(20)]
    held = sum(any(each.encounter == "feast" for each in level.placements) for level in levels)
    assert f"space for this encounter on only {held} of 20 ground plans" in problem.message


@pytest.mark.parametrize("sample", ["0", "-1", "many"])
def test_how_many_is_a_number(sample, capsys):
    with pytest.raises(SystemExit):
        main(["check", "--sample", sample])
    assert "a number from 1 to 10000 is needed" in capsys.readouterr().err
