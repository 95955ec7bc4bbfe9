"""Edits of the recipes in `docs/cookbook/`: what the page says can be changed; `tests/test_cookbook.py` tries them."""

from __future__ import annotations

Edit = tuple[str, str, str]
"""(file of a recipe, a text in it, what replaces the text); an empty text stands for the end of the file."""

LEVER: Edit = ("objects/props.yaml", "", 'lever: {name: lever, glyph: "!"}\n')

CHANGES: dict[str, tuple[str, list[Edit], set[str]]] = {
    "a new kind of quarters": (
        "garrison",
        [
            (
                "prefabs/quarters.yaml",
                "bunk_room:",
                (
                    "bath:\n"
                    "  map: |\n"
                    "    .....\n"
                    "    .V.V.\n"
                    "    .....\n"
                    "    ##+##\n"
                    "  tags: quarters\n"
                    "  legend: {V: {prop: vat}}\n"
                    "\n"
                    "bunk_room:"
                ),
            ),
            ("objects/props.yaml", "", 'vat: {name: vat, glyph: "U"}\n'),
        ],
        {"vat"},
    ),
    "a garrison by chance": (
        "garrison",
        [
            ("maps/fort.yaml", "where: centre", "where: centre, chance: 80%"),
        ],
        {"captain"},
    ),
    "a closet with a lever": (
        "monster_closet",
        [
            (
                "prefabs/closet.yaml",
                (
                    "{item: idol, opens: closet, ambush: closet}      # who takes the idol opens both panels ...\n"
                    "    r: {robot: lurker, state: asleep, ambush: closet}"
                ),
                "{prop: lever, opens: closet}\n    r: {robot: lurker, state: asleep}",
            ),
            LEVER,
        ],
        {"lever", "lurker"},
    ),
    "a closet with robots of a class": (
        "monster_closet",
        [
            ("prefabs/closet.yaml", "robot: lurker", "robot: {class: vermin}"),
            ("objects/robots.yaml", "glyph: l", "glyph: l, class: vermin"),
        ],
        {"lurker"},
    ),
    "a case that opens": (
        "display_case",
        [
            ("prefabs/gallery.yaml", ".GGG...GGG.\n    ...........", ".GGG...GLG.\n    ..........."),
            ("prefabs/gallery.yaml", "  legend:\n", "  legend:\n    L: {terrain: locked_door, lock: case}\n"),
            ("locks.yaml", "", "case: {name: glass lid, opened_by: {item: lid_key}}\n"),
            ("objects/items.yaml", "", 'lid_key: {name: lid key, glyph: "-"}\n'),
        ],
        {"crown", "lid_key"},
    ),
    "treasures on plinths": (
        "choice",
        [
            (
                "prefabs/treasury.yaml",
                "1: {item: blade, data: {choice: treasury}}",
                "1: [{prop: plinth}, {item: blade, data: {choice: treasury}}]",
            ),
            ("objects/props.yaml", "", 'plinth: {name: plinth, glyph: "_", blocks: false}\n'),
        ],
        {"blade", "plinth"},
    ),
    "a treasure out of depth": (
        "choice",
        [
            ("prefabs/treasury.yaml", "{item: charm,", "{item: {class: charm}, rating: +2,"),
            ("objects/items.yaml", 'glyph: "\\""', 'glyph: "\\"", class: charm, depth: 3'),
        ],
        {"charm"},
    ),
    "a key for each cell": (
        "prison",
        [
            ("locks.yaml", "opened_by: {item: cell_key}", "opened_by: {item: cell_key}, consumed: true"),
        ],
        {"tinker", "warder"},
    ),
    "a key that lies far off": (
        "prison",
        [
            ("prefabs/prison.yaml", ", key: cells", ""),
            ("locks.yaml", "{item: cell_key}", "{item: cell_key}, distance: 30%.."),
        ],
        {"cell_key"},
    ),
    "cells with a lever": (
        "prison",
        [
            ("prefabs/prison.yaml", ", key: cells", ""),
            ("locks.yaml", "item: cell_key", "prop: lever"),
            LEVER,
        ],
        {"lever"},
    ),
    "a captive with a gift": (
        "prison",
        [
            ("prefabs/prison.yaml", "state: captive", "state: captive, loadout: [{item: coin}]"),
            ("objects/items.yaml", "", 'coin: {name: coin, glyph: "$"}\n'),
        ],
        {"tinker"},
    ),
    "a retinue": (
        "boss",
        [
            (
                "prefabs/throne_hall.yaml",
                "terrain: dais}",
                "terrain: dais, followers: [{robot: halberd, count: 2..4}]}",
            ),
        ],
        {"halberd", "regent"},
    ),
    "guards that fit the depth": (
        "boss",
        [
            ("prefabs/throne_hall.yaml", "robot: halberd}", "robot: {class: guard}, rating: +2}"),
            ("objects/robots.yaml", "glyph: h}", "glyph: h, class: guard, depth: 5}"),
        ],
        {"halberd", "regent"},
    ),
    "a treasury that opens when the boss falls": (
        "boss",
        [
            ("locks.yaml", "", "regent_gate: {name: gate, opened_by: {robot: regent}}\n"),
            ("maps/court.yaml", "encounters: 1", "encounters: 2"),
            (
                "encounters/treasury.yaml",
                "",
                "treasury: {category: reward, prefabs: treasury, maps: {court: 1}, lock: regent_gate, requires: throne}\n",
            ),
            ("prefabs/treasury.yaml", "", 'treasury: {map: "1.1\\n...", legend: {1: {item: coin}}}\n'),
        ],
        {"regent"},
    ),
    "a shop on each map": (
        "shop",
        [
            ("encounters/shop.yaml", "limit: {world: 1}", "limit: {map: 1}"),
        ],
        {"keeper"},
    ),
    "two shops": (
        "shop",
        [
            ("encounters/shop.yaml", "limit: {world: 1}", "limit: {world: 2}\n  far_from: {shop: 30}"),
        ],
        {"keeper"},
    ),
    "a stall": (
        "shop",
        [
            ("encounters/shop.yaml", "enclosed", "cubby"),
            ("prefabs/shop.yaml", "    ####+####", "    ........."),
        ],
        {"keeper"},
    ),
    "better goods deeper down": (
        "shop",
        [
            (
                "prefabs/shop.yaml",
                "{item: {category: tool}, unique: true, roll: {price: 20..30}}",
                "{item: {class: tool}, unique: true}",
            ),
            (
                "objects/items.yaml",
                "",
                (
                    'saw: {name: saw, glyph: "/", class: tool, depth: 3, roll: {price: 40..50}}\n'
                    'rasp: {name: rasp, glyph: "/", class: tool, depth: 1, roll: {price: 10..20}}\n'
                ),
            ),
        ],
        {"keeper"},
    ),
    "an island with rooms": (
        "island",
        [
            (
                "maps/lagoon.yaml",
                "isle: {layout: {static: {prefab: hermitage}}, join: island, port: boat}",
                "isle: {layout: tunnels, join: island, port: boat}",
            ),
        ],
        {"boat"},
    ),
    "a second island": (
        "island",
        [
            ("maps/lagoon.yaml", "66x25", "80x40"),
            (
                "maps/lagoon.yaml",
                "        isle:",
                ("        rock: {layout: tunnels, join: island, port: boat, from: mainland}\n        isle:"),
            ),
        ],
        {"boat"},
    ),
    "a bridge": (
        "island",
        [
            ("maps/lagoon.yaml", ", join: island, port: boat", ""),
        ],
        {"pearl"},
    ),
    "two keys for one door": (
        "keyed_complex",
        [
            ("locks.yaml", "opened_by: {item: blue_key}", "opened_by: {item: blue_key, count: 2}"),
        ],
        {"ingot"},
    ),
    "any of two keys": (
        "keyed_complex",
        [
            (
                "locks.yaml",
                "opened_by: {item: blue_key}",
                "opened_by: [{item: blue_key}, {prop: lever}], keys: all",
            ),
        ],
        {"ingot"},
    ),
    "keys in the open": (
        "keyed_complex",
        [
            ("locks.yaml", "{item: red_key}", "{item: red_key}, nested: 0%"),
        ],
        {"ingot"},
    ),
    "a maze without loops": (
        "maze",
        [
            ("maps/hedges.yaml", "loops: 5%", "loops: 0%"),
        ],
        {"urn"},
    ),
    "a maze with wide ways": (
        "maze",
        [
            ("maps/hedges.yaml", "rooms: 400", "rooms: 100"),
            (
                "prefabs/maze.yaml",
                "    #*#\n    *.*\n    #*#",
                "    ##*##\n    #...#\n    *...*\n    #...#\n    ##*##",
            ),
        ],
        {"urn"},
    ),
    "a maze with chambers": (
        "maze",
        [
            ("maps/hedges.yaml", "{step: 1}", "{step: 60, cell: {weight: 1, copies: 3}}"),
            (
                "prefabs/maze.yaml",
                "step:",
                ("cell:\n  map: |\n    #*#####\n    #.....#\n    #.....#\n    #.....*\n    #######\nstep:"),
            ),
        ],
        {"urn"},
    ),
    "a vault of stone": (
        "display_case",
        [
            ("prefabs/gallery.yaml", ".GGG...GGG.", ".###...###."),
            ("prefabs/gallery.yaml", ".G1G...G2G.", ".#1#...#2#."),
            ("prefabs/gallery.yaml", ".GGG...GGG.", ".###...###."),
            ("prefabs/gallery.yaml", "    G: glass\n", ""),
        ],
        {"crown"},
    ),
    "an open treasury": (
        "choice",
        [
            ("encounters/treasury.yaml", ", lock: mint_door", ""),
            ("locks.yaml", "mint_door: {name: mint door, opened_by: {item: mint_key}}", ""),
        ],
        {"blade"},
    ),
    "an encounter on the island": (
        "island",
        [
            (
                "maps/lagoon.yaml",
                "isle: {layout: {static: {prefab: hermitage}}, join: island, port: boat}",
                "isle: {layout: tunnels, join: island, port: boat}",
            ),
            ("maps/lagoon.yaml", "  layout:", "  encounters: 1\n  layout:"),
            (
                "encounters/cell.yaml",
                "",
                "cell: {category: reward, prefabs: cell, maps: {lagoon: 1}, zones: isle}\n",
            ),
            ("prefabs/cell.yaml", "", 'cell: {map: ".o.\\n...", legend: {o: {item: pearl}}}\n'),
        ],
        {"boat", "pearl"},
    ),
    "caves behind a door": (
        "keyed_complex",
        [
            ("maps/plant.yaml", "72x30", "100x50"),
            ("maps/plant.yaml", "    cards:\n      cell: 7x5\n      passages: 0.2\n", "    patchwork:\n"),
            ("maps/plant.yaml", "gate: {count: 4}  ", "gate: {}"),
            ("maps/plant.yaml", "{count: 5, lock: blue}", "{layout: caves, lock: blue}"),
            ("maps/plant.yaml", "{count: 3, lock: red}", "{lock: red}"),
            ("maps/plant.yaml", "join: tumour, count: 4, lock", "join: tumour, lock"),
        ],
        {"ingot"},
    ),
    "a maze as a zone": (
        "maze",
        [
            ("world.yaml", "hedges/1: hedges/2", "hedges/1: park/2"),
            (
                "maps/park.yaml",
                "",
                (
                    "park:\n  name: The Park\n  size: 100x40\n  layout:\n    patchwork:\n      zones:\n        lodge: {}\n"
                    "        hedges:\n          layout: {connected: {start: heart, prefabs: {step: 1}, auto: 0%, rooms: 150,"
                    " hallway: 0, doors: open}}\n"
                ),
            ),
        ],
        {"urn"},
    ),
    "a fourth floor": (
        "tower",
        [
            ("world.yaml", "1..3", "1..4"),
            ("world.yaml", "tower_foot}", "tower_foot, cellars/4: tower_crypt}"),
            ("prefabs/tower.yaml", "#1..#.#..1#", "#>..#.#..1#"),
            (
                "prefabs/tower.yaml",
                "",
                (
                    "\ntower_crypt:\n  map: |\n    ###########\n    #<.......u#\n    #.........#\n"
                    "    #.........#\n    #####+#####\n  legend: {u: {item: urn}}\n"
                ),
            ),
            ("objects/items.yaml", "", 'urn: {name: urn, glyph: "u"}\n'),
        ],
        {"urn"},
    ),
    "a key on another map": (
        "keyed_complex",
        [
            ("locks.yaml", "{item: red_key}", "{item: red_key}, keys_on: mine/2"),
            ("world.yaml", "start: plant/1", "start: plant/1\nleads_to: {plant/1: mine/2}"),
            ("maps/mine.yaml", "", "mine: {name: The Mine, size: 60x40, layout: caves}\n"),
        ],
        {"red_key", "ingot"},
    ),
}
"""What the page says can be changed: (recipe, edits, tags of objects that at least half of the worlds have then)."""
