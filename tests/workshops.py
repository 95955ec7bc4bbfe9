"""Small levels of the demo with all kinds of things on them, begun by drawings: each fixture has things of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_game import OBJECTS, drawn_content, forget_worlds
from test_game_screens import beginning

from game_demo.screens.game_screens import PlayScreen
from game_demo.screens.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Begin = Callable[..., PlayScreen]

WORKSHOP_OBJECTS = {
    "robots": """
        idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 9}}
        hound: {name: hound, glyph: h, data: {behaviour: hunt, hp: 5, attack: 1, sight: 1}}
        wolf: {name: wolf, glyph: w, data: {behaviour: swarm, hp: 5, attack: 1, sight: 1}}
        clerk: {name: clerk, glyph: c, data: {behaviour: caller, hp: 5, attack: 1, sight: 60, calls: 20}}
    """,
    "items": """
        key: {name: till key, glyph: "-"}
        tin: {name: tin, glyph: "!", data: {value: 3}}
        kit: {name: patch kit, glyph: "!", data: {repair: 10}}
        cell: {name: flat cell, glyph: "!", data: {charge: 250}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 5, range: 6, charge: 1}}}
    """,
    "traps": """
        plate: {name: loose plate, glyph: ^, data: {damage: 2, hidden: false}}
    """,
    "props": """
        box: {name: strongbox, glyph: "=", loadout: [{item: tin}]}
        locker: {name: locker, glyph: "|", loadout: [{item: tin}], data: {lid: true, text: Somebody's.}}
        lever: {name: lever, glyph: "("}
        frame: {name: lock frame, glyph: "&", data: {terminal: [locks]}}
        cradle: {name: cradle, glyph: U, data: {charges: 2}}
        desk: {name: asking desk, glyph: "&", data: {terminal: [map, guards]}}
    """,
}

WORKSHOP_LEGEND = """
    i: {robot: idler}
    a: {robot: clerk}
    h: {robot: hound}
    w: {robot: wolf}
    k: {item: key, opens: till}
    t: {item: tin}
    u: {item: gun}
    r: {item: kit}
    c: {item: cell}
    p: {trap: plate}
    X: {prop: box, state: shut, lock: till}
    A: {prop: locker, state: ajar}
    Q: {prop: locker}
    L: {terrain: locked_door, lock: till}
    G: {terrain: locked_door, lock: gate}
    I: {prop: lever, opens: gate}
    D: {prop: desk}
    F: {prop: frame}
    U: {prop: cradle}
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, WORKSHOP_OBJECTS, WORKSHOP_LEGEND)


STOREHOUSE_OBJECTS = {
    "robots": """
        sweeper: {name: sweeper, glyph: s, data: {behaviour: wander, hp: 1}}
        guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 9, attack: 1, sight: 1, leash: 4}}
        bomb: {name: bomb, glyph: b, data: {behaviour: idle, hp: 1, explodes: {radius: 1, damage: 2}}}
    """,
    "items": """
        bar: {name: pry bar, glyph: "/", data: {slot: arm, power: 1, pries: true}}
        tin: {name: tin, glyph: "!", data: {value: 3}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 5, range: 6, charge: 1}}}
        prize: {name: prize, glyph: "*", data: {goal: true}}
    """,
    "traps": """
        vent: {name: vent, glyph: ^, data: {damage: 2, hidden: false}}
        plate: {name: plate, glyph: ^, data: {damage: 2}}
    """,
    "props": """
        crate: {name: crate, glyph: "=", loadout: [{item: tin}], data: {lid: true}}
        locker: {name: locker, glyph: "|", data: {lid: true}}
        cradle: {name: cradle, glyph: U, data: {charges: 1}}
        barrel: {name: barrel, glyph: B, data: {text: It is full.}}
        keg: {name: keg, glyph: K, data: {explodes: {radius: 2, damage: 6}}}
        lamp: {name: lamp, glyph: "o", data: {text: [It burns., It shines., It glows.]}}
        chalk: {name: chalk marks, glyph: "+", blocks: false, data: {text: A tally.}}
        stool: {name: stool, glyph: n, blocks: false, data: {text: Three legs.}}
        board: {name: board, glyph: "o", data: {terminal: [traps]}}
    """,
}

STOREHOUSE_LEGEND = """
    s: {robot: sweeper}
    g: {robot: guard}
    b: {robot: bomb}
    a: {item: bar}
    t: {item: tin}
    u: {item: gun}
    K: {prop: keg}
    P: {item: prize}
    v: {trap: vent}
    p: {trap: plate}
    C: {prop: crate}
    Q: {prop: locker}
    A: {prop: locker, state: ajar}
    U: {prop: cradle, unique: true}
    B: {prop: barrel}
    i: {prop: lamp, unique: true}
    c: {prop: chalk, data: {text: This wall has never been inspected.}}
    n: {prop: stool}
    T: {prop: board}
    L: {terrain: locked_door}
"""


@pytest.fixture
def storehouse(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, STOREHOUSE_OBJECTS, STOREHOUSE_LEGEND)


GUARDROOM_OBJECTS = {
    "robots": """
        caller: {name: caller, glyph: h, data: {behaviour: hunt, hp: 9, attack: 1, sight: 20, calls: 9}}
        hound: {name: hound, glyph: w, data: {behaviour: swarm, hp: 9, attack: 1, sight: 20, calls: 9}}
        gunner: {name: gunner, glyph: g, data: {behaviour: idle, shoots: {power: 3, range: 5}}}
        idler: {name: idler, glyph: i, data: {behaviour: idle}}
    """,
    "traps": """
        needle: {name: needle, glyph: ^, data: {damage: 5, hidden: false}}
        shaker: {name: shaker, glyph: ^, data: {damage: 1, charge: 60, noise: 9, effect: It shakes you., hidden: false}}
        bell: {name: bell, glyph: ^, data: {effect: It rings., hidden: false}}
    """,
    "items": """
        blade: {name: blade, glyph: "/", data: {slot: arm, power: 5}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 4, range: 6, charge: 10}}}
        salve: {name: salve, glyph: "!", data: {repair: 6}}
        whisk: {name: whisk, glyph: "/", prototype: true, faulty: 40%, data: {slot: arm, power: 5}}
        key: {name: till key, glyph: "-"}
    """,
    "props": """
        chest: {name: chest, glyph: "="}
        lever: {name: lever, glyph: "/"}
    """,
}

GUARDROOM_LEGEND = """
    h: {robot: caller}
    w: {robot: hound}
    G: {robot: gunner}
    i: {robot: idler}
    n: {trap: needle}
    s: {trap: shaker}
    b: {trap: bell}
    x: {trap: needle, data: {faulty: true, prototype: true}}
    a: {item: blade}
    p: {item: blade, data: {prototype: true}}
    f: {item: blade, data: {prototype: true, faulty: true}}
    W: {item: whisk, data: {prototype: true}}
    v: {item: salve, data: {prototype: true, faulty: true}}
    g: {item: gun}
    k: {item: key, opens: pay_till}
    C: {prop: chest, state: shut, lock: pay_till}
    L: {terrain: locked_door, lock: back_way}
    I: {prop: lever, opens: back_way}
"""


@pytest.fixture
def guardroom(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on a row of cells, with its screen; the player arrives at ``<``."""

    def make(row: str) -> PlayScreen:
        wall = "#" * (len(row) + 2)
        content = drawn_content(
            tmp_path, f"{wall}\n#{row}#\n{wall}", objects=GUARDROOM_OBJECTS, legend=GUARDROOM_LEGEND
        )
        return PlayScreen(Session(content, 1))

    yield make
    forget_worlds()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""

    def make(*drawings: str) -> PlayScreen:
        return PlayScreen(Session(drawn_content(tmp_path, *drawings), 1))

    yield make
    forget_worlds()


CELLAR_OBJECTS = OBJECTS | {
    "robots": """
        clerk: {name: clerk, glyph: c, data: {behaviour: caller, hp: 5, attack: 1, sight: 60, calls: 20}}
        hound: {name: hound, glyph: h, data: {behaviour: hunt, hp: 5, attack: 1, sight: 1}}
    """,
    "props": """
        lever: {name: lever, glyph: "/"}
        box: {name: box, glyph: "="}
        chalk: {name: chalk, glyph: "+", blocks: false, data: {text: Go on.}}
    """,
}

CELLAR_LEGEND = """
    c: {robot: clerk}
    h: {robot: hound}
    l: {prop: lever, opens: gate}
    t: {prop: chalk}
    k: {item: key, opens: brass}
    X: {prop: box, lock: brass}
    G: {terrain: locked_door, lock: gate}
    a: {item: scrap, data: {choice: prize}}
    b: {item: patch, data: {choice: prize}}
    d: {item: patch, data: {choice: another}}
    r: {item: patch}
    p: {item: blade}
    f: {item: bad_blade}
"""


@pytest.fixture
def cellar(tmp_path: Path) -> Iterator[Begin]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""
    items = f"""{OBJECTS["items"]}
        key: {{name: key, glyph: "-"}}
        blade: {{name: blade, glyph: "/", data: {{slot: arm, power: 2}}}}
        bad_blade: {{name: odd blade, glyph: "/", data: {{slot: arm, power: 5, prototype: true}}}}
    """

    def make(*drawings: str) -> PlayScreen:
        content = drawn_content(
            tmp_path, *drawings, objects=CELLAR_OBJECTS | {"items": items}, legend=CELLAR_LEGEND
        )
        return PlayScreen(Session(content, 1))

    yield make
    forget_worlds()
