"""Mistakes in what the prefab language says: each is reported at its place (the «), in full, and nothing besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_content import LEGENDS, PREFABS, ROBOTS, expect

if TYPE_CHECKING:
    from pathlib import Path

ITEMS, PROPS, PALETTES = "objects/items.yaml", "objects/props.yaml", "palettes/shades.yaml"

FAULTS = [
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C..
                  legend:
                    C: {prop: crate}
                    Q: {prop: crate, «strnog: true}
                """,
        },
        [
            "prefab 'store': this key is not known: strnog (did you mean strong?)",
        ],
        id="legend key",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {prop: crate, «strong: true}
                """,
        },
        [
            "prefab 'store': only robots can have this key: strong",
        ],
        id="strong prop",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: CD
                  legend:
                    C: {robot: sweeper, «opens: gate}
                    D: {debris: rubble, «opens: gate}
                """,
        },
        [
            "prefab 'store': only props and items can have this key; to let a robot or prop hold the key of a lock, write `key:` with the lock's name beside it: opens",
            "prefab 'store': only props and items can have this key: opens",
        ],
        id="opens on a robot",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {robot: sweeper, «strong: true}
                """,
        },
        [
            "prefab 'store': this key chooses among the members of a class or category, but here a tag is given: strong",
        ],
        id="strong tag",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {terrain: floor, «rating: 2}
                    R: {robot: sweeper, «rating: 2}
                """,
        },
        [
            "prefab 'store': only an object can have this key: rating",
            "prefab 'store': this key chooses among the members of a class or category, but here a tag is given: rating",
        ],
        id="rating of terrain and of a tag",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {robot: any, rating: {«dept: 7}}
                    R: {robot: any, rating: [+1, {depth: «1001}, {as: «mine/4}, «+1001]}
                    S: {robot: any, rating: {depth: 7, «as: cellars}}
                    T: {robot: any, rating: {as: {«mine: 3, cellars: 1}}}
                    U: {robot: any, rating: {«7: 1, «depth: 3}}
                """,
        },
        [
            "prefab 'store': this key is not known: dept (did you mean depth?)",
            "prefab 'store': a depth from 0 to 1000 is needed here: 1001",
            "prefab 'store': there is no map or branch of this name: mine (allowed: cellars)",
            "prefab 'store': a number of levels from -1000 to 1000 such as +2, {depth: 7} or {as: mines/4} is needed here: 1001",
            "prefab 'store': only one of these keys can stand here: as",
            "prefab 'store': there is no map or branch of this name: mine (allowed: cellars)",
            "prefab 'store': this key is not known: 7 (allowed: as, depth)",
            "prefab 'store': only one of these keys can stand here: depth",
        ],
        id="rating forms",
    ),
    pytest.param(
        {
            "locks.yaml": """
                red: {name: red, opened_by: {item: scrap, «rating: 2}}
                blue: {name: blue, opened_by: {lock: red, «rating: 2}}
                """,
        },
        [
            "lock 'red': this works only with a class or category, and here a tag is given: rating",
            "lock 'blue': only an object can have this key: rating",
        ],
        id="rating of a lock",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: {equipped_by: «sweeper}, rating: «deep}
                """,
        },
        [
            "prefab 'store': there is no robot that carries anything of this name: sweeper",
            "prefab 'store': a number of levels from -1000 to 1000 such as +2, {depth: 7} or {as: mines/4} is needed here: deep",
        ],
        id="rating word",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: {equipped_by: «sweper}}
                """,
        },
        [
            "prefab 'store': there is no robot that carries anything of this name: sweper",
        ],
        id="equipped_by unknown",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: {«equipped_by: sweeper, class: «x}}
                """,
        },
        [
            "prefab 'store': 'equipped_by' can't be combined with a class or category: equipped_by",
            "prefab 'store': there is no class of items of this name: x",
        ],
        id="equipped_by + class",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {prop: {«equipped_by: sweeper}}
                """,
        },
        [
            "prefab 'store': 'equipped_by' can only ask for items: equipped_by",
        ],
        id="equipped_by prop",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: {equipped_by: «sweeper}}
                """,
        },
        [
            "prefab 'store': there is no robot that carries anything of this name: sweeper",
        ],
        id="equipped none",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, «lock: red}
                """,
        },
        [
            "prefab 'store': only props can have this key: lock",
        ],
        id="lock on item",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, «weight: 2}
                """,
        },
        [
            "prefab 'store': 'weight' needs a 'group' of characters to choose from: weight",
        ],
        id="weight no group",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {terrain: wall, «group: a}
                """,
        },
        [
            "prefab 'store': only an object can have this key: group",
        ],
        id="group terrain",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {terrain: floor, «to: cellars}
                """,
        },
        [
            "prefab 'store': only stairs_down and exit can have this key: to",
        ],
        id="to on floor",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {terrain: stairs_down, to: «celars}
                """,
        },
        [
            "prefab 'store': there is no map or branch of this name: celars (did you mean cellars?)",
        ],
        id="to unknown",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {switch: «mood, cases: {a: wall}}
                """,
        },
        [
            "prefab 'store': this prefab has no parameter of this name: mood",
        ],
        id="switch w/o param",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {switch: mood, «cases: {a: wall}}
                  parameters: {mood: [a, b]}
                """,
        },
        [
            "prefab 'store': 'cases' has no case for this value of the parameter 'mood': b",
        ],
        id="switch case missing",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {switch: mood, cases: {a: wall, bee: floor, «be: floor}}
                  parameters: {mood: [a, bee]}
                """,
        },
        [
            "prefab 'store': the parameter 'mood' never has this value: be (did you mean bee?)",
        ],
        id="switch case unknown",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {switch: «moood, cases: {a: wall, bee: floor}}
                  parameters: {mood: [a, bee]}
                """,
        },
        [
            "prefab 'store': this prefab has no parameter of this name: moood (did you mean mood?)",
        ],
        id="switch misspelt",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {switch: mood, «prop: crate, cases: {a: wall}}
                  parameters: {mood: [a]}
                """,
        },
        [
            "prefab 'store': with a 'switch', this key belongs into each of the 'cases': prop",
        ],
        id="switch with prop",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    «Q: {switch: mood}
                  parameters: {mood: [a]}
                """,
        },
        [
            "prefab 'store': the key 'cases' is missing, which gives the meaning for each value of the parameter",
        ],
        id="switch no cases",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    «Q: {cases: {a: wall}}
                  parameters: {mood: [a]}
                """,
        },
        [
            "prefab 'store': the key 'switch' is missing, which names the parameter that chooses a case",
        ],
        id="cases no switch",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, chance: «140%}
                """,
        },
        [
            "prefab 'store': a share from 0% to 100% is needed here: 140%",
        ],
        id="chance 140",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, chance: [20%, «often]}
                """,
        },
        [
            "prefab 'store': a share from 0% to 100% is needed here: often",
        ],
        id="chance list",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, shift: [1, «0..99]}
                """,
        },
        [
            "prefab 'store': a whole number from 0 to 50 is needed here: 99",
        ],
        id="shift neg",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    CDEFG
                  legend:
                    C: {prop: crate, shift: {value: [1, «-2], chance: «often}}
                    D: {prop: crate, shift: «{value: [1, 2]}}
                    E: {prop: crate, shift: {value: «{value: [1, 2], chance: 1}, chance: 30%}}
                    F: {prop: crate, shift: «[[1, 2], [1, 2], 3]}
                    G: {prop: crate, shift: «{common: 1}}
                """,
        },
        [
            "prefab 'store': a whole number from 0 to 50 is needed here: -2",
            "prefab 'store': a share from 0% to 100% is needed here: often",
            "prefab 'store': a value that applies only sometimes is written {value: ..., chance: 30%}: {value: [1, 2]}",
            "prefab 'store': a list of two whole numbers, [columns, rows], is needed here: {value: [1, 2], chance: 1}",
            "prefab 'store': a list of two whole numbers, [columns, rows], is needed here: [[1, 2], [1, 2], 3]",
            "prefab 'store': a value that applies only sometimes is written {value: ..., chance: 30%}: {common: 1}",
        ],
        id="shift sometimes",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    CDEFGH>
                  legend:
                    C: {prop: crate, group: [one, «a b], weight: [common, «comon]}
                    D: {prop: crate, group: one, weight: {common: 3, «3..200: 1}}
                    E: {prop: crate, group: one, weight: {value: «-1, chance: 20%}}
                    F: {prop: crate, group: one, weight: «[]}
                    G: {prop: crate, group: {one: «often}}
                    H: {prop: crate, «weight: [1, 2]}
                    ">": {terrain: stairs_down, to: [cellars, «cellers, cellars/1, «cellars/x]}
                    I: {terrain: [floor, stairs_down], «to: [cellars, cellars/1]}
                """,
        },
        [
            "prefab 'store': a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters): a b",
            "prefab 'store': there is no weight word of this name: comon (did you mean common?)",
            "prefab 'store': a range of weights can have at most 100 numbers: 3..200",
            "prefab 'store': a weight is a word of weights.yaml or a number from 0 to 1,000,000: -1",
            "prefab 'store': a list must not be empty here: nothing could be chosen from it",
            "prefab 'store': a weight, a number from 0 up, is needed here: often",
            "prefab 'store': 'weight' needs a 'group' of characters to choose from: weight",
            "prefab 'store': there is no map or branch of this name: cellers (did you mean cellars?)",
            "prefab 'store': a map id is needed here: name/depth, such as foundry/3: cellars/x",
            "prefab 'store': only stairs_down and exit can have this key: to",
        ],
        id="group, weight and to in the grammar",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, unique: {value: «3, chance: 30%}}
                """,
        },
        [
            "prefab 'store': true or false is needed here: 3 (allowed: false, true)",
        ],
        id="unique word",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, roll: {hp: {a: «{b: 1}}}}
                """,
        },
        [
            "prefab 'store': a weight, a number from 0 up, is needed here: {b: 1}",
        ],
        id="roll nested",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: «[wall, flor]
                """,
        },
        [
            "prefab 'store': there is no terrain of this name: flor (did you mean floor?)",
        ],
        id="terrain list",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {«subst: x, with: '.'}
                """,
        },
        [
            "prefab 'store': no key here says what kind of step this is: subst (did you mean substitute?)",
        ],
        id="step no key",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - «{substitute: x, optional: x, with: '.'}
                """,
        },
        [
            "prefab 'store': substitute and optional belong to different steps: write each step as a list item of its own: {substitute: x, optional: x, with: .}",
        ],
        id="step two keys",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - «shuffle
                """,
        },
        [
            "prefab 'store': a step is a mapping, such as {shuffle: abc}: shuffle",
        ],
        id="step not map",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - «{substitute: x}
                """,
        },
        [
            "prefab 'store': the new character is given by 'with', or by 'switch' and 'cases'",
        ],
        id="sub no with",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - «{substitute: x, with: '.', switch: a, cases: {a: '.'}}
                """,
        },
        [
            "prefab 'store': the new character is given by 'with', or by 'switch' and 'cases'",
        ],
        id="sub both",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {substitute: x, «wiht: '.'}
                """,
        },
        [
            "prefab 'store': this key is not known: wiht (did you mean with?)",
        ],
        id="sub extra",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {substitute: x, with: «'ab'}
                """,
        },
        [
            "prefab 'store': one printable character is needed here: ab",
        ],
        id="sub two chars",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {substitute: x, with: «['.', q]}
                """,
        },
        [
            "prefab 'store': no legend or palette says what this character means, but this step may put it into the drawing: q (allowed: C)",
        ],
        id="sub undefined",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xx.C
                  legend:
                    C: {prop: crate}
                  vary:
                    - {exactly: «3, of: x, become: C, otherwise: '.'}
                """,
        },
        [
            "prefab 'store': only 2 cells have this character, fewer than asked for: 3",
        ],
        id="exactly many",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xx.C
                  legend:
                    C: {prop: crate}
                  vary:
                    - {exactly: «1..3, of: x, become: C, otherwise: '.'}
                """,
        },
        [
            "prefab 'store': only 2 cells have this character, fewer than asked for: 3",
        ],
        id="exactly range",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xx.C
                  legend:
                    C: {prop: crate}
                  vary:
                    - {substitute: x, with: «[y, '.']}
                    - {exactly: «1, of: y, become: C}
                """,
        },
        [
            "prefab 'store': no legend or palette says what this character means, but this step may put it into the drawing: y (allowed: C)",
            "prefab 'store': only 0 to 2 cells have this character, fewer than asked for (`at_most` allows that): 1",
        ],
        id="exactly after",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    «xx.C
                  legend:
                    C: {prop: crate}
                  vary:
                    - {exactly: 1, of: x, become: C}
                """,
        },
        [
            "prefab 'store': no legend or palette says what this character means, but it may remain after the steps: 'x' (allowed: C)",
        ],
        id="exactly left",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xx.C
                  legend:
                    C: {prop: crate}
                  vary:
                    - {exactly: «-1, of: x, become: C}
                """,
        },
        [
            "prefab 'store': this number must lie between 0 and 1000000: -1",
        ],
        id="exactly neg",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {shuffle: «x}
                """,
        },
        [
            "prefab 'store': at least two characters (or blocks) are needed here, each of them once: x",
        ],
        id="shuffle one",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {shuffle: «xCx}
                """,
        },
        [
            "prefab 'store': each character may stand only once here: xCx",
        ],
        id="shuffle twice",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xyC
                  legend:
                    C: {prop: crate}
                    x: wall
                    y: floor
                  vary:
                    - {shuffle: {x: «0, C: «-1, y: «often}}
                """,
        },
        [
            "prefab 'store': a weight above 0 is needed here: 0",
            "prefab 'store': a weight, a number from 0 up, is needed here: -1",
            "prefab 'store': a weight, a number from 0 up, is needed here: often",
        ],
        id="shuffle weights",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {shuffle: «[xC, '.']}
                """,
        },
        [
            "prefab 'store': blocks of characters that are exchanged must have the same length: [xC, .]",
        ],
        id="shuffle unequal",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {shuffle: «'xC'}
                """,
        },
        [
            "prefab 'store': no legend or palette says what this character means, but this step may put it into the drawing: x (allowed: C)",
        ],
        id="shuffle undefined",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    1.2C
                  legend:
                    C: {prop: crate}
                  vary:
                    - «{one_of: '12', become: '+'}
                """,
        },
        [
            "prefab 'store': 'otherwise' is missing",
        ],
        id="one_of",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {optional: x, chance: «2, become: '#', otherwise: '.'}
                """,
        },
        [
            "prefab 'store': a share from 0% to 100% is needed here: 2",
        ],
        id="optional",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {fit: x, prefabs: «stor}
                """,
        },
        [
            "prefab 'store': there is no prefab or tag of this name: stor (did you mean store?)",
        ],
        id="fit unknown",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {fit: x, prefabs: «store}
                """,
        },
        [
            "prefab 'store': this prefab is fitted into itself: store -> store",
        ],
        id="fit self",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {fit: x, prefabs: store, orientations: «r45}
                """,
        },
        [
            "prefab 'store': this value is not allowed here: r45 (allowed: m0, m180, m270, m90, r0, r180, r270, r90)",
        ],
        id="fit orient",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  parameters: {mood: «[]}
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': a list must not be empty here: nothing could be chosen from it",
        ],
        id="param empty",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  parameters: {«'mo od': a}
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters): mo od",
        ],
        id="param name",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  links: |
                    «q«0
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks: 'q' (allowed: *, o, x)",
            "prefab 'store': a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks: '0' (allowed: *, o, x)",
        ],
        id="link",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    ..C
                    ...
                  machines: |
                    ##
                  references: |
                    C«B
                  legends: boxes
                  legend: {C: {prop: crate}}
                """,
        },
        [
            "prefab 'store': the reference 'C' says already which prop this machine is: 'B'",
        ],
        id="two names",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  machines: |
                    ##
                  paint: |
                    a«b
                  paints: {a: '#ff0000'}
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': 'paints' does not say which colour this character means: 'b' (allowed: a)",
        ],
        id="paint",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  machines: |
                    ##
                  paint: |
                    aa
                  paints: {a: «red}
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': a colour is needed here, \"#rrggbb\" or [red, green, blue]: red",
        ],
        id="paints colour",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  machine: «crat
                  vary:
                    - {substitute: x, with: '.'}
                """,
        },
        [
            "prefab 'store': there is no prop of this name: crat (did you mean crate?)",
        ],
        id="machine",
    ),
    pytest.param(
        {
            LEGENDS: """
                boxes:
                  extends: «b2
                  B: {prop: barrel}
                b2: {extends: «[boxes]}
                """,
        },
        [
            "legend 'boxes': this legend extends itself: boxes -> b2 -> boxes",
            "legend 'b2': this legend extends itself: b2 -> boxes -> b2",
        ],
        id="legend circle",
    ),
    pytest.param(
        {
            LEGENDS: """
                boxes:
                  extends: «boxs2
                  B: {prop: barrel}
                boxes2: {}
                """,
        },
        [
            "legend 'boxes': there is no legend of this name: boxs2 (did you mean boxes2?)",
        ],
        id="legend ext unknown",
    ),
    pytest.param(
        {
            LEGENDS: """
                boxes:
                  B: {prop: barrel}
                  «BC: {prop: barrel}
                """,
        },
        [
            "legend 'boxes': one printable character is needed here: BC",
        ],
        id="legend char",
    ),
    pytest.param(
        {
            LEGENDS: """
                boxes:
                  B: {prop: barrel}
                  «extands: [boxes]
                """,
        },
        [
            "legend 'boxes': this key is not known: extands (did you mean extends?)",
        ],
        id="legend exteds",
    ),
    pytest.param(
        {
            LEGENDS: """
                boxes:
                  B: {prop: barrel}
                  «' ': {prop: barrel}
                """,
        },
        [
            "legend 'boxes': a space is an empty cell, so it can stand for terrain, but not for an object",
        ],
        id="legend space",
    ),
    pytest.param(
        {
            PALETTES: """
                a: {extends: «b}
                b: {extends: «a}
                """,
        },
        [
            "palette 'a': this palette extends itself: a -> b -> a",
            "palette 'b': this palette extends itself: b -> a -> b",
        ],
        id="palette circle",
    ),
    pytest.param(
        {
            "palette.yaml": """
                extends: «dusk
                """,
        },
        [
            "palette: there is no palette of this name: dusk",
        ],
        id="palette unknown",
    ),
    pytest.param(
        {
            "categories.yaml": """
                lore: {colour: «dusk}
                """,
            "encounters/rooms.yaml": """
                hoard: {category: «lorr, prefabs: store, maps: {cellars: 1}, near: {«lorr: 9}}
                heap: {category: lore, prefabs: store, maps: {cellars: 1}, far_from: {lore: 9}}
                """,
            "maps/cellars.yaml": """
                cellars: {name: c, mix: {«loot: 1, fluff: 1, lore: 1}}
                """,
        },
        [
            "category 'lore': a colour is needed here, \"#rrggbb\" or [red, green, blue]: dusk",
            "encounter 'hoard': there is no category of this name: lorr (did you mean lore?)",
            "encounter 'hoard': there is no encounter or group of this name: lorr (did you mean lore?)",
            "map 'cellars': there is no category of this name: loot (allowed: danger, fluff, lore, reward, risk)",
        ],
        id="categories",
    ),
    pytest.param(
        {
            ITEMS: """
                scrap: {name: s, glyph: s, «carries: scrap}
                """,
        },
        [
            "item 'scrap': only robots can have this key: carries",
        ],
        id="carries item",
    ),
    pytest.param(
        {
            ITEMS: """
                scrap: {name: s, glyph: s, «loadout: [{item: scrap}]}
                """,
            ROBOTS: """
                sweeper:
                  name: s
                  glyph: s
                  class: worker
                  loadout:
                  - {item: «scarp}
                  - «scrap
                  - {«robot: sweeper}
                  - {item: scrap, «opens: gate, «ambush: bell}
                  - {item: scrap, data: {heals: 4, «opens: gate}}
                  - «{chance: 50%}
                  - {item: scrap, «loadout: [{item: scrap}]}
                """,
            PREFABS: """
                store:
                  map: c
                  legend: {c: {trap: snare, «loadout: [{item: scrap}]}}
                """,
        },
        [
            "item 'scrap': only robots and props can have this key: loadout",
            "robot 'sweeper': there is no item of this name: scarp (did you mean scrap?)",
            "robot 'sweeper': a mapping such as {item: scrap, chance: 50%} is needed here: scrap",
            "robot 'sweeper': only items can be held: robot",
            "robot 'sweeper': an item of a loadout opens no lock; to let a robot or prop hold the key of a lock, write `key:` with the lock's name beside it: opens",
            "robot 'sweeper': only items that lie on the ground can spring an ambush: ambush",
            "robot 'sweeper': an item of a loadout opens no lock; to let a robot or prop hold the key of a lock, write `key:` with the lock's name beside it: opens",
            "robot 'sweeper': an item is needed here, under the key 'item'",
            "robot 'sweeper': an item that is held can't hold others: loadout",
            "prefab 'store': only robots and props can have this key: loadout",
        ],
        id="loadout",
    ),
    pytest.param(
        {
            ROBOTS: """
                sweeper: {name: s, glyph: s, class: worker, carries: {class: «junk}}
                """,
        },
        [
            "robot 'sweeper': there is no class of items of this name: junk",
        ],
        id="carries unknown",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    CDEF
                  legend:
                    C: {prop: [crate, «any]}
                    D: {prop: {crate: 3, «any: 1}}
                    E: {prop: {value: «any, chance: 50%}}
                    F: {prop: any, «strong: true}
                  machine: [«any, crate]
            """,
            ITEMS: """
                «any: {name: s, glyph: s}
                scrap: {name: s, glyph: s}
                """,
        },
        [
            "prefab 'store': 'any' can't stand in a list or choice of tags; write any alone, with a 'chance' beside it if needed: any",
            "prefab 'store': 'any' can't stand in a list or choice of tags; write any alone, with a 'chance' beside it if needed: any",
            "prefab 'store': 'any' can't stand in a list or choice of tags; write any alone, with a 'chance' beside it if needed: any",
            "prefab 'store': only robots can have this key: strong",
            "prefab 'store': 'any' can't stand in a list or choice of tags; write any alone, with a 'chance' beside it if needed: any",
            "item 'any': this word has a meaning of its own and can't be a name: any",
        ],
        id="any among others",
    ),
    pytest.param(
        {
            ITEMS: """
                scrap: {name: s, glyph: s, «faulty: 20%}
                """,
        },
        [
            "item 'scrap': only a prototype can be faulty: faulty",
        ],
        id="faulty common",
    ),
    pytest.param(
        {
            PROPS: """
                crate: {name: s, glyph: s, class: box, «prototype: true}
                barrel: {name: b, glyph: b, class: box}
                """,
        },
        [
            "prop 'crate': only items and traps can have this key: prototype",
        ],
        id="prototype prop",
    ),
    pytest.param(
        {
            "maps/cellars.yaml": """
                cellars:
                  name: C
                  population:
                    - {item: scrap, «terrain: floor}
                """,
        },
        [
            "map 'cellars': objects scattered over a map can't have this key: terrain",
        ],
        id="pop terrain",
    ),
    pytest.param(
        {
            "maps/cellars.yaml": """
                cellars:
                  name: C
                  population:
                    - {item: scrap, «unique: true, «shift: [1,1]}
                """,
        },
        [
            "map 'cellars': objects scattered over a map can't have this key: unique",
            "map 'cellars': objects scattered over a map can't have this key: shift",
        ],
        id="pop unique",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    Q: {item: scrap, roll: {«'h p': 2}}
                """,
        },
        [
            "prefab 'store': a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters): h p",
        ],
        id="roll name",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C...
                    ....
                  legend:
                    C: {prop: crate}
                  references: «|
                      C
                        B
                  legends: boxes
                """,
        },
        [
            "prefab 'store': YAML takes 2 of the leading spaces of these rows for indentation, and moves all of them to the left; begin the text with |2 if it is indented by two spaces",
        ],
        id="lost columns",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    x.C
                    ...
                  legend:
                    C: {prop: crate}
                  vary:
                    - {one_of: «x, become: '#', otherwise: '.'}
                """,
        },
        [
            "prefab 'store': at least two characters are needed here, one of which is chosen at random: x",
        ],
        id="one_of one",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    C.Q
                  legend:
                    C: {prop: crate}
                    «漢: {prop: crate}
                    Q: wall
                """,
        },
        [
            "prefab 'store': a character that is one cell wide is needed here: 漢",
        ],
        id="wide glyph",
    ),
    pytest.param(
        {
            PREFABS: """
                store:
                  map: |
                    xx.C
                  legend:
                    C: {prop: crate}
                  legends: «boxs
                  vary:
                    - {exactly: «3, of: x, become: C, otherwise: '.'}
                """,
        },
        [
            "prefab 'store': there is no legend of this name: boxs (did you mean boxes?)",
            "prefab 'store': only 2 cells have this character, fewer than asked for: 3",
        ],
        id="vary with other faults",
    ),
    pytest.param(
        {
            "maps/cellars.yaml": """
                cellars:
                  name: The Cellars
                  dressing:
                    - {lake: «gras, cells: «0}
                    - {«puddles: grass}
                    - «{rubble: grass, cracks: grass}
                    - {light: [«"#fff"], radius: 3}
                    - {cracks: grass, «cover: 10%}
                """,
        },
        [
            "map 'cellars': there is no terrain of this name: gras (did you mean grass?)",
            "map 'cellars': this number must lie between 1 and 1000000: 0",
            "map 'cellars': no key here says what kind of pass this is: puddles (allowed: chasm, cracks, lake, light, patches, river, rubble)",
            "map 'cellars': rubble and cracks belong to different passes: write each pass as a list item of its own: {rubble: grass, cracks: grass}",
            "map 'cellars': a colour is written \"#rrggbb\": #fff",
            "map 'cellars': this key is not known: cover (allowed: chance, count, cracks, length, regions, where)",
        ],
        id="dressing",
    ),
    pytest.param(
        {
            "maps/cellars.yaml": """
                cellars:
                  name: The Cellars
                  dressing:
                    - {river: pit, crossing: «pit, bank: {value: {grass: 3, «fence: 1}, chance: 50%}}
                    - {patches: {grass: 1, floor_4: 1, «wall: 1}}
                    - {lake: «ledge, crossing: bog}
                """,
            "terrain.yaml": """
                grass: {like: cave}
                pit: {walkable: false}
                fence: {like: corridor, walkable: false}
                ledge: {like: earth}
                bog: {like: door, «walkble: false}
                """,
        },
        [
            "map 'cellars': this terrain must be walkable: pit",
            "map 'cellars': this terrain must be walkable: fence",
            "map 'cellars': only terrain that is like floor, corridor or cave can be laid over the ground: wall",
            "map 'cellars': only terrain that is like floor, corridor or cave can be laid over the ground: ledge",
            "terrain 'bog': this key is not known: walkble (did you mean walkable?)",
        ],
        id="terrain of dressing",
    ),
]


@pytest.mark.parametrize(("files", "expected"), FAULTS)
def test_a_fault_is_reported_where_it_is(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    expect(tmp_path, files, expected)
