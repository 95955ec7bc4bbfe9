"""Locked doors: what a legend says of them, where the word goes, what is sure to open it, and levels with locks."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, load
from walker import pockets

import dungeon
from dungeon import Cell, prove
from dungeon.adapters.console import to_graph
from dungeon.authoring.explain import explain_prefab
from dungeon.authoring.tiled import export_prefab
from dungeon.content.prefab.drawing import DrawnKey, DrawnLock
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.extend import Board, Stream
from dungeon.generation.openings.connectors import connectors_of
from dungeon.grid.symmetry import ALL_ORIENTATIONS
from dungeon.proof.solution import solution_of

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content
    from dungeon.extend import Drawing

BRASS = "L: {terrain: locked_door, lock: brass}"
"""What most doors are here."""

DOOR_AND_KEY = f"  map: '#L.k#'\n  legend:\n    {BRASS}\n    k: {{item: scrap, opens: brass}}\n"


def content(folder: Path, prefab: str, **more: str) -> Content:
    """Return a game with the prefab `hall`, and files of other names."""
    files = {
        **OBJECTS,
        "prefabs/hall.yaml": "hall:\n" + indent(dedent(prefab), "  ").replace("\n  \n", "\n"),
        "maps/m.yaml": "m: {name: M, layout: {static: {prefab: hall}}}\n",
        "world.yaml": "start: m/1\nleads_to: {m/1: [m/2]}\n",
    }
    return load(folder, files | {name.replace("__", "/") + ".yaml": text for name, text in more.items()})


def drawing(folder: Path, prefab: str, **more: str) -> Drawing:
    """Return one of the drawings of a prefab."""
    return content(folder, prefab, **more).prefabs["hall"].drawing


# -- what a legend says -----------------------------------------------------------------------------


def test_a_locked_door_has_the_word_that_its_legend_gives_it(tmp_path: Path) -> None:
    drawn = drawing(tmp_path, DOOR_AND_KEY)
    assert drawn.locks == (DrawnLock(0, 1, "brass"),)
    assert drawn.keys == (DrawnKey((Cell(0, 3),), "brass", underfoot=True),)


@pytest.mark.parametrize("kind", ["item: scrap", "prop: crate"])
def test_a_key_in_water_is_none_unless_it_is_worked_from_the_shore(tmp_path: Path, kind: str) -> None:
    text = f"map: '.k.L.'\nlegend: {{{BRASS}, k: {{{kind}, terrain: pond, opens: brass}}}}"
    found = content(tmp_path, text, terrain="pond: {like: floor, walkable: false}")
    drawn = found.prefabs["hall"].drawing
    board = Board(1, 5)
    free = np.array([[True, False, True, True, True]])
    ground = LockedGround.on(board, drawn.terrain, free, drawn.locks, drawn.keys, found.terrain_set)
    behind = ground.reached(board.from_cells([(0, 2)])) & board.from_cells([(0, 4)])
    assert bool(behind) == kind.startswith("prop")


def test_the_word_stays_at_its_door_however_the_drawing_lies(tmp_path: Path) -> None:
    drawn = drawing(
        tmp_path,
        f"""
        map: |
          #L#
          ..k
        legend:
          {BRASS}
          k: {{item: scrap, opens: brass}}
        """,
    )
    seen = set()
    for way in ALL_ORIENTATIONS:
        laid = drawn.turned(way)
        ((y, x, word),), ((key,), opened) = laid.locks, laid.keys[0][:2]
        kind = int(laid.terrain[y, x])
        assert (kind, word, opened) == (dungeon.terrain.LOCKED_DOOR, "brass", "brass")
        assert key in {(each.y, each.x) for each in laid.references}
        seen.add((y, x, key))
    assert len(seen) > 4


def test_which_word_it_is_may_be_rolled_and_so_may_the_door(tmp_path: Path) -> None:
    prefab = content(
        tmp_path,
        """
        map: "LLLLLLLLLLLLLLLLLLLL"
        legend:
          L: {terrain: {locked_door: 1, door: 1}, lock: [brass, {value: iron, chance: 50%}]}
        """,
    ).prefabs["hall"]
    found = {word for seed in range(5) for _, _, word in prefab.variant(Stream(seed)).drawing.locks}
    assert found == {"brass", "iron"}
    counts = {len(prefab.variant(Stream(seed)).drawing.locks) for seed in range(5)}
    assert max(counts) < 20


def test_a_parameter_may_decide_it_and_a_reference_may_say_it(tmp_path: Path) -> None:
    prefab = content(
        tmp_path,
        """
        map: "#+#"
        references: " L "
        parameters: {way: [shut, open]}
        legend:
          L: {switch: way, cases: {shut: {terrain: locked_door, lock: brass}, open: door}}
        """,
    ).prefabs["hall"]
    drawings = [prefab.variant(Stream(seed)).drawing for seed in range(20)]
    assert {(each.locks, int(each.terrain[0, 1])) for each in drawings} == {
        ((DrawnLock(0, 1, "brass"),), dungeon.terrain.LOCKED_DOOR),
        ((), dungeon.terrain.DOOR),
    }


def test_what_is_fitted_in_brings_its_locks_and_keys(tmp_path: Path) -> None:
    drawn = drawing(
        tmp_path,
        """
        map: "k.SSS"
        legend: {k: {item: scrap, opens: brass}}
        vary: [{fit: S, prefabs: closet, orientations: m0}]
        """,
        prefabs__closet=f"closet:\n  map: 'L.#'\n  legend: {{{BRASS}}}\n",
    )
    assert (drawn.locks, drawn.keys) == (
        (DrawnLock(0, 4, "brass"),),
        (DrawnKey((Cell(0, 0),), "brass", underfoot=True),),
    )


def test_terrain_of_ones_own_can_be_locked_if_it_is_like_a_locked_door(tmp_path: Path) -> None:
    drawn = drawing(
        tmp_path,
        'map: "#G#"\nlegend: {G: {terrain: grille, lock: brass}}\n',
        terrain='grille: {like: locked_door, glyph: "H"}\n',
    )
    assert drawn.locks == (DrawnLock(0, 1, "brass"),)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "{terrain: door, lock: x}",
            "only a prop, locked_door, and terrain that is like locked_door, can have this key: lock",
        ),
        (
            "{switch: s, cases: {a: {terrain: [door, wall], lock: x}, b: floor}}",
            "only a prop, locked_door, and terrain that is like locked_door, can have this key: lock",
        ),
        ("{terrain: locked_door, lock: x, chance: 50%}", "only an object can have this key: chance"),
        ("{terrain: locked_door, opens: x}", "only an object can have this key: opens"),
        ("{terrain: locked_door, lokc: x}", "this key is not known: lokc (did you mean lock?)"),
    ],
)
def test_what_can_have_no_lock_is_refused_where_it_is_written(
    tmp_path: Path, entry: str, message: str
) -> None:
    prefab = f'map: "#L#"\nparameters: {{s: [a, b]}}\nlegend:\n  L: {entry}\n'
    if "switch" not in entry:
        prefab = prefab.replace("parameters: {s: [a, b]}\n", "")
    with pytest.raises(dungeon.ContentError) as caught:
        content(tmp_path, prefab)
    (problem,) = caught.value.problems
    line = 5 if "switch" in entry else 4
    assert f"hall.yaml:{line}:" in str(problem)
    assert message in str(problem)


def test_a_theme_locks_nothing(tmp_path: Path) -> None:
    with pytest.raises(dungeon.ContentError) as caught:
        content(
            tmp_path,
            'map: "<+>"',
            terrain='grille: {like: locked_door, glyph: "H"}\n',
            themes="jail: {door: locked_door, floor: grille, locked_door: grille}\n",
        )
    assert [str(each).split("theme 'jail': ")[1] for each in caught.value.problems] == [
        "a theme can't turn terrain into locked doors: nothing would open them: locked_door",
        "a theme can't turn terrain into locked doors: nothing would open them: grille",
    ]


# -- what is sure to open it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "sure"),
    [
        ("{item: scrap, opens: brass}", True),
        ("{item: [scrap, patch], opens: brass}", True),
        ("{item: scrap, opens: brass, chance: 99%}", False),
        ("{item: scrap, opens: [brass, iron]}", False),
        ("{item: scrap, opens: {value: brass, chance: 99%}}", False),
        ("{item: {value: scrap, chance: 99%}, opens: brass}", False),
        ("{item: {class: aid}, opens: brass}", False),
        ("{item: scrap, opens: brass, group: g}", False),
        ("{item: scrap, opens: brass, shift: [1, 1]}", True),
        ("{prop: crate, opens: brass}", True),
        ("{prop: crate, opens: brass, shift: [1, 0]}", False),
        ("{prop: lamp, opens: brass, shift: [1, 0]}", True),
        ("{item: scrap, data: {opens: brass}}", True),
        ("{item: scrap, data: {opens: [iron, brass]}}", True),
        ("{item: scrap, roll: {opens: brass}}", True),
        ("{item: scrap, roll: {opens: [brass, iron]}}", False),
        ("{item: latchkey}", True),
        ("{item: [latchkey, scrap]}", False),
        ("{item: latchkey, opens: iron}", False),
        ("{robot: guard, data: {opens: brass}}", False),
    ],
)
def test_a_key_that_may_stay_away_or_open_something_else_is_none(
    tmp_path: Path, entry: str, *, sure: bool
) -> None:
    items = dedent(OBJECTS["objects/items.yaml"])
    drawn = drawing(
        tmp_path,
        f'map: "#L.k#g"\nlegend:\n  {BRASS}\n  k: {entry}\n  g: {{item: scrap, group: g}}\n',
        objects__items=items + "latchkey: {name: latchkey, glyph: k, data: {opens: brass}}\n",
    )
    assert ("brass" in [key.word for key in drawn.keys]) == sure


def test_where_something_else_is_drawn_on_the_same_cell_no_key_is_sure(tmp_path: Path) -> None:
    legend = f"legend:\n  {BRASS}\n  k: {{item: scrap, opens: brass}}\n"
    legend = legend.replace("item: scrap", "prop: lamp")
    machine = drawing(tmp_path, 'map: "#L.g#"\nreferences: "   k"\n' + legend + "  g: {trap: snare}\n")
    assert machine.keys == ()


def test_an_item_on_a_machine_is_a_sure_key(tmp_path: Path) -> None:
    legend = f"legend:\n  {BRASS}\n  k: {{item: scrap, opens: brass}}\n"
    machine = drawing(tmp_path, 'map: "#L..#"\nreferences: "   k"\nmachines: "   ▒"\n' + legend)
    assert [key.cells for key in machine.keys] == [((0, 3),)]


def test_a_machine_may_be_the_key(tmp_path: Path) -> None:
    drawn = drawing(
        tmp_path,
        f"""
        map: "#L...#"
        machines: "   ╔╗"
        references: "   E"
        legend:
          {BRASS}
          E: {{prop: engine, opens: brass}}
        """,
    )
    assert drawn.keys == (DrawnKey((Cell(0, 3), Cell(0, 4)), "brass"),)


# -- on levels --------------------------------------------------------------------------------------

VAULT = f"""
    vault:
      orientations: [r0, m90]
      map: |
        #########
        #k..#...#
        #...L.$.#
        #...#...#
        #.+######
      legend:
        {BRASS}
        k: {{item: scrap, opens: brass}}
        $: {{item: patch}}
    """


@pytest.mark.parametrize("layout", ["tunnels", "caves", "mines", "connected", "cards"])
def test_a_lock_comes_with_its_door_where_a_prefab_is_seeded(tmp_path: Path, layout: str) -> None:
    game = content(
        tmp_path,
        'map: "<>"',
        prefabs__vault=dedent(VAULT),
        maps__m=f"m: {{name: M, size: 60x40, layout: {layout}, features: [{{prefab: vault, count: 2}}]}}\n",
    )
    for seed in range(8):
        level = dungeon.World(game, seed).level("m/1")
        assert [lock.word for lock in level.locks] == ["brass", "brass"]
        for lock in level.locks:
            assert level.base[lock.y, lock.x] == dungeon.terrain.LOCKED_DOOR
            assert any(placement.bounds.contains(lock.y, lock.x) for placement in level.placements)
        assert pockets(level) == []
        assert dungeon.from_json(dungeon.to_json(level)).locks == level.locks
        # Without its key nobody gets into it: no other way has been dug.
        bare = [spawn for spawn in level.spawns if "opens" not in spawn.keywords]
        robbed = dungeon.from_json(dungeon.to_json(level))
        object.__setattr__(robbed, "spawns", tuple(bare))
        assert len(pockets(robbed)) == 18


def test_a_lock_comes_with_an_encounter(tmp_path: Path) -> None:
    game = content(
        tmp_path,
        'map: "<>"',
        prefabs__vault=dedent(VAULT).replace("#.+######", "...######"),
        maps__m="m: {name: M, size: 90x60, layout: tunnels, encounters: 3}\n",
        encounters__e="e: {category: reward, prefabs: vault, maps: {m: 1}, access: 1..3}\n",
    )
    locks = 0
    for seed in range(10):
        level = dungeon.World(game, seed).level("m/1")
        locks += len(level.locks)
        assert len(level.locks) == len(level.placements)
        assert pockets(level) == []
    assert locks >= 3


def test_a_static_map_has_its_locks_and_without_a_key_it_is_refused(tmp_path: Path) -> None:
    hall = f"map: '<k.L.>'\nlegend:\n  {BRASS}\n  k: {{item: scrap, opens: brass}}\n"
    level = dungeon.World(content(tmp_path / "with", hall), 1).level("m/1")
    assert [(lock.y, lock.x, lock.word) for lock in level.locks] == [(1, 4, "brass")]
    assert prove(level) == []
    for number, legend in enumerate(
        ("    L: locked_door", f"    {BRASS}", f"    {BRASS}\n    '>': {{item: scrap, opens: brass}}")
    ):
        world = dungeon.World(content(tmp_path / str(number), f"map: '<..L.>'\nlegend:\n{legend}\n"), 1)
        with pytest.raises(
            dungeon.GenerationError, match="has a locked door whose key is not certain to lie in front of it"
        ):
            world.level("m/1")


def test_an_export_keeps_the_lock(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    first = drawing(folder, DOOR_AND_KEY)
    for form in ("xp", "text"):
        for name, data in export_prefab(folder, "hall", form).items():
            (folder / name).write_bytes(data)
        if form == "text":
            (folder / "prefabs/hall.xp").unlink()
        again = dungeon.load_content(folder).prefabs["hall"].drawing
        assert (again.locks, again.keys) == (first.locks, first.keys)


def test_it_is_explained_with_its_lock(tmp_path: Path) -> None:
    game = content(tmp_path, DOOR_AND_KEY)
    (door,) = [each for each in explain_prefab(game, "hall").characters if each.char == "L"]
    (meant,) = door.meanings
    assert [each.name for each in meant.terrain] == ["locked_door"]
    assert [(each.name, each.text) for each in meant.keywords] == [("lock", "brass")]


def test_a_lock_that_nothing_opens_and_a_key_without_a_lock_are_named(tmp_path: Path) -> None:
    hall = """
        legend:
          k: {item: scrap, opens: brass}
          L: {terrain: locked_door, lock: bras}
        map: |
          <..kL>
        """
    game = content(tmp_path, hall)
    said = [str(each).split("hall.yaml:")[-1] for each in dungeon.examine_content(game.folder).problems]
    assert [each for each in said if " lock" in each and "map 'm'" not in each] == [
        "4:29: warning: prefab 'hall': this object opens nothing: no lock has this name: brass (did you mean bras?)",
        "5:37: warning: prefab 'hall': this lock can never be opened: no object opens locks of this name: bras (did you mean brass?)",
        "7:9: error: prefab 'hall': no level of map m can be made with this prefab: the prefab has a locked door whose key is not certain to lie in front of it",
    ]


def test_the_graph_says_which_levers_shut_again_what_they_open(tmp_path: Path) -> None:
    lever = "v: {prop: crate, opens: brass, data: {toggle: true}}"
    legend = f"    {BRASS}\n    {lever}\n    k: {{item: scrap, opens: brass}}\n"
    level = dungeon.World(content(tmp_path, f'map: "<..kL.>\\n#v#####"\nlegend:\n{legend}'), 1).level("m/1")
    told = [line.strip().split(":")[0] for line in to_graph(level).splitlines()]
    assert [line for line in told if line.startswith("key")] == ["key brass", "key brass to and fro"]


def test_the_graph_names_the_prefab_of_a_part_to_which_no_way_leads(tmp_path: Path) -> None:
    files = OBJECTS | {
        "prefabs/rooms.yaml": """\
crypt: {map: ".......\\n.#####.\\n.#...#.\\n.#####.\\n.......", sealed: true}
vault: {map: "...\\n..."}
""",
        "locks.yaml": "brass: {name: brass lock, opened_by: {item: scrap}}\n",
        "encounters/rooms.yaml": """\
crypt: {category: reward, prefabs: crypt, placing: accessible, maps: {m: 1}, guaranteed: true, limit: {world: 1}}
vault: {category: reward, prefabs: vault, lock: brass, maps: {m: 1}, guaranteed: true, limit: {world: 1}}
""",
        "maps/m.yaml": "m: {name: M, size: 60x40, encounters: 2, layout: {tunnels: {}}}\n",
        "world.yaml": "start: m/1\n",
    }
    told = to_graph(dungeon.World(load(tmp_path, files), 1).level("m/1")).splitlines()
    assert [line.partition(" in ")[2] for line in told if "sealed" in line] == [
        "prefab crypt; sealed: no way leads there"
    ]


# -- keys that are used up --------------------------------------------------------------------------

ONCE = """\
legend:
  R: {terrain: locked_door, lock: red}
  B: {terrain: locked_door, lock: blue}
  r: {item: scrap, opens: red, data: {consumed: true}}
  b: {item: scrap, opens: blue, data: {consumed: true}}
  s: {item: scrap, opens: red}
  C: {prop: crate, lock: red}
"""
"""Keys that are used up, one that is not, doors, and a locked crate."""

CELLS = """
#########
#.{}.R..{}#
#.#######
#...#####
#.{}.{}..{}#
#+#######
"""
"""Two cells and the way in between: a key before them, one in the upper cell; a thing before the lower cell, its door, one in it."""

WRONG_ORDER = [
    pytest.param(CELLS.format("r", "r", ".", "R", "."), id="the second key behind one of two doors"),
    pytest.param(CELLS.format("r", "r", "C", "R", "."), id="and a crate"),
    pytest.param(CELLS.format("r", ".", "C", ".", "."), id="one door, a crate and one key"),
]
RIGHT_ORDER = [
    pytest.param(CELLS.format("r", ".", "r", "R", "."), id="two doors and two keys before them"),
    pytest.param(CELLS.format("s", "r", ".", "R", "."), id="a key that lasts"),
    pytest.param(CELLS.format("r", "b", ".", "B", "."), id="each door leads to the key of the next"),
]


def vault(drawn: str, *, of: str) -> dict[str, str]:
    """Return a game with this drawing as an encounter, a feature, or a map of its own with stairs where one comes in."""
    rows = drawn.strip("\n")
    files = {"world.yaml": "start: m/1\n"}
    if of == "static":
        rows = rows.replace("+", "<")
        files["maps/m.yaml"] = "m: {name: M, layout: {static: {prefab: hall}}}\n"
    elif of == "feature":
        files["maps/m.yaml"] = "m: {name: M, size: 50x30, layout: tunnels, features: [{prefab: hall}]}\n"
    else:
        files["maps/m.yaml"] = "m: {name: M, size: 50x30, layout: tunnels, encounters: 1}\n"
        files["encounters/e.yaml"] = "e: {category: reward, prefabs: hall, placing: enclosed, maps: {m: 1}}\n"
    body = indent(rows, "    ")
    files["prefabs/hall.yaml"] = f"hall:\n{indent(ONCE, '  ')}  map: |\n{body}\n"
    return files


@pytest.mark.parametrize("of", ["encounter", "feature", "static"])
@pytest.mark.parametrize("drawn", WRONG_ORDER)
def test_a_drawing_whose_keys_can_be_spent_in_the_wrong_order_is_refused(
    tmp_path: Path, drawn: str, of: str
) -> None:
    found = dungeon.examine_content(load(tmp_path, vault(drawn, of=of) | OBJECTS).folder)
    reason = "stays shut if its key is spent on another lock"
    (said,) = [each for each in found.problems if reason in each.message and each.entry == "prefab 'hall'"]
    assert said.severity == ("error" if of == "static" else "warning")
    world = dungeon.World(dungeon.load_content(tmp_path), 3)
    if of == "static":
        with pytest.raises(dungeon.GenerationError, match="stays shut if its key is spent on another lock"):
            world.level("m/1")
    else:
        level = world.level("m/1")
        assert (level.placements, prove(level)) == ((), [])
        assert any(each.verdict == "refused" for each in level.journal)


@pytest.mark.parametrize("of", ["encounter", "feature", "static"])
@pytest.mark.parametrize("drawn", RIGHT_ORDER)
def test_a_drawing_whose_keys_open_all_in_any_order_is_placed(tmp_path: Path, drawn: str, of: str) -> None:
    game = load(tmp_path, vault(drawn, of=of) | OBJECTS)
    assert not [
        each for each in dungeon.examine_content(game.folder).problems if "locked door" in each.message
    ]
    level = dungeon.World(game, 3).level("m/1")
    assert prove(level) == []
    assert len(level.locks) == sum(map(drawn.count, "RB"))


def test_of_a_drawing_that_varies_the_variants_with_the_wrong_order_are_left_out(tmp_path: Path) -> None:
    drawn = CELLS.format("w", "r", ".", "R", ".")  # the key before the doors is used up, or lasts
    for of in ("encounter", "static"):
        files = vault(drawn, of=of)
        files["prefabs/hall.yaml"] += "  vary: [{substitute: w, with: {r: 1, s: 3}, once: true}]\n"
        game = load(tmp_path / of, files | OBJECTS)
        for seed in range(6):
            assert prove(dungeon.World(game, seed).level("m/1")) == []


def test_keys_last_where_those_of_one_encounter_could_be_spent_on_doors_of_another(tmp_path: Path) -> None:
    """The door of the cell may be opened with the other's blue key, and so a red door be opened too soon."""
    hall = "##########\n#.r.R..br#\n#.########\n#..B...R.#\n##+#######"
    cell = "#######\n#.b.B.#\n##+####"
    files = {
        name: f"{name}:\n{indent(ONCE, '  ')}  orientations: r0\n  map: |\n{indent(rows, '    ')}\n"
        for name, rows in (("hall", hall), ("cell", cell))
    }
    told = "{{category: reward, prefabs: {0}, placing: enclosed, maps: {{m: 1}}, limit: {{map: 1}}}}"
    game = load(
        tmp_path,
        OBJECTS
        | {
            "prefabs/all.yaml": "".join(files.values()),
            "encounters/e.yaml": "".join(f"{name}: {told.format(name)}\n" for name in files),
            "maps/m.yaml": "m: {name: M, size: 80x50, layout: tunnels, encounters: 2}\n",
            "world.yaml": "start: m/1\n",
        },
    )
    level = dungeon.World(game, 1).level("m/1")
    assert sorted(each.encounter for each in level.placements) == ["cell", "hall"]
    assert prove(level) == []
    assert not any("consumed" in each.keywords for each in level.spawns)
    assert any("no key is used up by opening" in each.reason for each in level.journal)


def test_a_door_that_only_a_key_of_another_map_opens_is_not_placed(tmp_path: Path) -> None:
    """No step leads on behind the door, so that no ground would be lost."""
    vault_with_crate = (
        "hall:\n  legend: {L: {terrain: locked_door, lock: brass}, C: {prop: crate}}\n  map: |\n"
    )
    game = load(
        tmp_path,
        OBJECTS
        | {
            "prefabs/hall.yaml": vault_with_crate + "    #####\n    ##C##\n    ##L##\n    #...#\n    ##+##\n",
            "prefabs/shelf.yaml": "shelf: {map: '..k..', legend: {k: {item: scrap, opens: brass}}}\n",
            "encounters/e.yaml": (
                "e: {category: reward, prefabs: hall, placing: enclosed, maps: {m: 1}}\n"
                "f: {category: reward, prefabs: shelf, placing: accessible, maps: {n: 1}}\n"
            ),
            "maps/m.yaml": "m: {name: M, size: 50x30, layout: tunnels, encounters: 1}\n",
            "maps/n.yaml": "n: {name: N, size: 50x30, layout: tunnels, encounters: 1}\n",
            "world.yaml": "start: m/1\nleads_to: {m/1: n/2}\n",
        },
    )
    said = [each.message for each in dungeon.examine_content(game.folder).problems]
    assert any("this lock can't be opened on m/1" in each for each in said)
    level = dungeon.World(game, 1).level("m/1")
    assert (level.placements, level.locks) == ((), ())


def test_no_hallway_is_joined_where_a_walker_from_it_may_spend_the_key_in_vain(tmp_path: Path) -> None:
    """From the south-west the key may open the closet; the other key lies in the cell. From the cell both doors open."""
    drawn = "############\n#..R.r.R.r.#\n####+###+###"
    files = {
        "prefabs/hall.yaml": f"hall:\n{indent(ONCE, '  ')}  map: |\n{indent(drawn, '    ')}\n",
        "prefabs/room.yaml": "room:\n  map: |\n    #####\n    +...+\n    #####\n",
        "maps/m.yaml": "m: {name: M, size: 60x40, layout: {connected: {prefabs: {room: 1}, start: hall}}}\n",
        "world.yaml": "start: m/1\n",
    }
    game = load(tmp_path, files | OBJECTS)
    found = connectors_of(game.prefabs["hall"].drawing, game.terrain_set).connectors
    assert [(each.y, each.x) for each in found] == [(2, 8)]
    for seed in range(4):
        level = dungeon.World(game, seed).level("m/1")
        assert prove(level) == []
        assert [each.keywords.get("consumed") for each in level.spawns] == [True, True]


@pytest.mark.parametrize("of", ["encounter", "cubby"])
def test_the_journal_says_what_is_wrong_with_the_locks_of_a_drawing_that_can_never_be_placed(
    tmp_path: Path, of: str
) -> None:
    spent = vault(CELLS.format("r", "r", ".", "R", "."), of="encounter")
    lacking = vault(CELLS.format(".", ".", ".", "B", "."), of="encounter")
    for name, files, reason in (
        ("spent", spent, "a locked door that stays shut if its key is spent on another lock first"),
        ("lacking", lacking, "a locked door whose key is not certain to lie in front of it"),
    ):
        if of == "cubby":
            files["encounters/e.yaml"] = files["encounters/e.yaml"].replace("enclosed", "cubby")
        level = dungeon.World(load(tmp_path / name, files | OBJECTS), 1).level("m/1")
        (refused,) = [each for each in level.journal if (each.stage, each.verdict) == ("place", "refused")]
        assert refused.reason.startswith(f"hall has {reason}: ")
        assert len(refused.counts) <= 1


# -- locked props -----------------------------------------------------------------------------------

PROPS = """\
legend:
  C: {prop: crate, lock: brass}
  G: {prop: crate, lock: green}
  K: {prop: crate, lock: brass, opens: brass}
  J: {prop: crate, lock: red, opens: brass}
  k: {item: scrap, opens: brass}
  c: {item: coin}
  h: {item: scrap, opens: brass, chance: 50%}
  r: {item: scrap, opens: red}
  L: {terrain: locked_door}
  u: {item: scrap, opens: brass, group: one}
  w: {item: scrap, opens: brass, group: one}
"""
"""Locked crates, and what opens them: a key that is sure to come, one that may stay away, one of two, and the crate itself."""

STAYS_SHUT = (
    "this prefab has a locked prop that stays shut: the player may be unable to reach it with its key"
)


def said_of_props(folder: Path, drawn: str, **static: str) -> list[str]:
    """Return what `check` says of the locked props of a drawing: an encounter's, or that of a static map."""
    rows = indent(drawn.strip("\n"), "    ")
    files = {
        **OBJECTS,
        "objects/items.yaml": "scrap: {name: scrap, glyph: $}\ncoin: {name: coin, glyph: o, data: {opens: brass}}\n",
        "prefabs/hall.yaml": f"hall:\n{indent(PROPS, '  ')}  map: |\n{rows}\n",
        "world.yaml": "start: m/1\n",
    }
    if static:
        told = ", ".join(f"{key}: {value}" for key, value in static.items())
        files["maps/m.yaml"] = f"m: {{name: M, layout: {{static: {{prefab: hall, {told}}}}}}}\n"
    else:
        files["maps/m.yaml"] = "m: {name: M, size: 50x30, layout: tunnels, encounters: 1}\n"
        files["encounters/e.yaml"] = "e: {category: reward, prefabs: hall, placing: enclosed, maps: {m: 1}}\n"
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    said = dungeon.examine_content(folder).problems
    return [f"{each.severity} {each.message}" for each in said if each.entry == "prefab 'hall'"]


ROOM = """
#######
#.C.{}.#
#....{}#
###+###
"""


@pytest.mark.parametrize(
    ("keys", "stays_shut"),
    [
        pytest.param("k.", False, id="its key lies beside it"),
        pytest.param("c.", False, id="so the catalog says"),
        pytest.param("h.", True, id="its key may stay away"),
        pytest.param("uw", False, id="one of two keys comes"),
        pytest.param("K.", True, id="its key is locked in with the same word"),
        pytest.param("Jr", False, id="its key is locked in, and opened"),
        pytest.param("J.", True, id="its key is locked in, and nothing opens that"),
    ],
)
def test_check_names_a_locked_prop_whose_key_may_not_be_had(
    tmp_path: Path, keys: str, *, stays_shut: bool
) -> None:
    said = [each for each in said_of_props(tmp_path, ROOM.format(*keys)) if "locked prop" in each]
    assert said == ([f"warning {STAYS_SHUT}"] if stays_shut else [])


@pytest.mark.parametrize(
    ("drawn", "pockets", "stays_shut"),
    [
        ("########\n#<C#.k.#\n#.>#...#\n########", "seal", True),
        ("########\n#<C#.k.#\n#.>#...#\n########", "fill", True),
        ("########\n#<C#.k.#\n#.>#...#\n########", "join", False),
        ("########\n#<C#.k.#\n#.>....#\n########", "seal", False),
        ("########\n#<CL.k.#\n#.>#...#\n########", "seal", True),
        ("########\n#<.#Ck.#\n#.>#...#\n########", "seal", True),
        ("########\n#<.#Ck.#\n#.>#...#\n########", "fill", False),  # the crate is gone, too
    ],
)
def test_check_names_a_locked_prop_of_a_drawn_map_whose_key_is_sealed_off(
    tmp_path: Path, drawn: str, pockets: str, *, stays_shut: bool
) -> None:
    said = said_of_props(tmp_path, drawn, pockets=pockets)
    assert [STAYS_SHUT in each for each in said if "locked prop" in each] == [True] * stays_shut


@pytest.mark.parametrize(("below", "stays_shut"), [("GG", True), ("..", False)])
def test_check_names_a_locked_prop_that_other_props_wall_in(
    tmp_path: Path, below: str, *, stays_shut: bool
) -> None:
    """The level puts a key to `green` wherever walkers get, but nobody gets beside the crate in the corner."""
    (tmp_path / "locks.yaml").write_text("green: {name: green lock, opened_by: {item: scrap}}\n", "utf-8")
    drawn = f"######\n#GG..#\n#{below}..#\n##+###\n"
    said = [each for each in said_of_props(tmp_path, drawn) if "locked prop" in each]
    assert said == ([f"warning {STAYS_SHUT}"] if stays_shut else [])


def test_a_locked_door_that_nobody_opens_is_among_the_locks_of_a_level(tmp_path: Path) -> None:
    """It stays shut before a sealed region; no sphere of the solution opens it."""
    legend = f"    {BRASS}\n    k: {{item: scrap, opens: brass}}\n"
    drawn = 'map: "#######\\n#<.L.k#\\n#.>#..#\\n#######"\nlegend:\n' + legend
    sealed = "m: {name: M, layout: {static: {prefab: hall, pockets: seal}}}\n"
    level = dungeon.World(content(tmp_path, drawn, maps__m=sealed), 1).level("m/1")
    (lock,) = level.locks
    assert [(door.cell, door.lock) for door in level.doors] == [((lock.y, lock.x), "brass")]
    assert [each.sphere for each in solution_of(level).locks] == [None]
    assert prove(level) == []
