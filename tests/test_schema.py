"""JSON Schemas for editors: they are valid, good content passes them, and slips fail."""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import dungeon
from dungeon.authoring.schema import description_of, schema_files
from dungeon.cli import main
from dungeon.content.catalog.scattered import PopulationEntry
from dungeon.content.loading.draft import ENTRY_KINDS
from dungeon.content.models.maps import MapEntry
from dungeon.content.values.value_fields import spelled
from dungeon.extend import (
    Between,
    Choice,
    Constant,
    IntValue,
    NumberValue,
    Parameters,
    Sometimes,
    forgotten_afterwards,
    within,
)

ROOT = Path(__file__).parent.parent
SCHEMAS = dungeon.content_schemas()
CONTENT = sorted([*ROOT.glob("data/**/*.yaml"), *ROOT.glob("tests/real_world/**/*.yaml")])

INTEGER = re.compile(r"[-+]?[0-9]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


def as_editors_see(text: str) -> Any:
    """Return YAML as plain data, by the rules of YAML 1.2, which the language servers of editors follow."""
    return plain(yaml.compose(text, Loader=yaml.SafeLoader))


def plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [plain(each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        merged: dict[str, Any] = {}
        for key, value in node.value:
            if key.value == "<<":
                for each in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    merged = {**plain(each), **merged}
        return merged | {key.value: plain(value) for key, value in node.value if key.value != "<<"}
    text = node.value
    if node.style is not None:
        return text
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if FLOAT.fullmatch(text) else WORDS.get(text, text)


def test_the_test_reader_reads_yaml_1_2_as_editors_do() -> None:
    text = 'a: &a {no: no, 7: 007, "8": "8"}\nb: {<<: *a, 7: 1.5}\nc: [~, true, 12:30, 2..5, 30%]'
    assert as_editors_see(text) == {
        "a": {"no": "no", "7": 7, "8": "8"},
        "b": {"no": "no", "7": 1.5, "8": "8"},
        "c": [None, True, "12:30", "2..5", "30%"],
    }


def faults(kind: str, text: str) -> list[str]:
    """Return where a file breaks its schema, as an editor would underline it."""
    validator = Draft202012Validator(SCHEMAS[kind])
    return ["/".join(map(str, error.path)) for error in validator.iter_errors(as_editors_see(text))]


def kind_of(path: Path) -> str:
    (folder,) = [each for each in (ROOT / "data", ROOT / "tests/real_world") if path.is_relative_to(each)]
    place = path.relative_to(folder).as_posix()
    flat = {kind: pattern.replace("**/", "") for kind, pattern in schema_files().items()}
    (kind,) = [each for each, pattern in flat.items() if PurePosixPath(place).match(pattern)]
    return kind


def test_every_content_file_has_a_schema() -> None:
    assert (
        list(SCHEMAS)
        == list(schema_files())
        == ["palette", "weights", "world", "accepted", *(PurePosixPath(place).stem for place in ENTRY_KINDS)]
    )


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_schema_is_a_valid_one_and_needs_no_other(kind: str) -> None:
    schema = SCHEMAS[kind]
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    used = set(re.findall(r'"#/\$defs/([^"]*)"', json.dumps(schema)))
    assert used == set(schema["$defs"])
    assert {ref.partition("#")[0] for ref in re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema))} <= {""}


@pytest.mark.parametrize("path", CONTENT, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_of_ours_is_valid_by_its_schema(path: Path) -> None:
    assert faults(kind_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("kind", "text", "where"),
    [
        ("palette", "colors: {}", ""),
        ("palette", "match: fuzzy", "match"),
        ("palette", 'colours: {"#12345": wall}', "colours"),
        ("palette", "glyphs: {ab: wall}", "glyphs"),
        ("weights", "rare: often", "rare"),
        ("weights", "very rare: 1", ""),
        ("world", "start: cellars/1\nleads: {}", ""),
        ("world", "leads_to: {}", ""),
        ("world", "start: cellars", "start"),
        ("world", "start: a/1\nleads_to: {a/1: [a]}", "leads_to/a/1"),
        ("terrain", "mud: {glif: '.'}", "mud"),
        ("terrain", "mud: {walkable: 'yes'}", "mud/walkable"),
        ("terrain", "mud: {walkable: yes}", "mud/walkable"),
        ("terrain", "mud: {like: lava}", "mud/like"),
        ("terrain", "mud: {fg: brown}", "mud/fg"),
        ("terrain", "mud: {fg: [1, 2]}", "mud/fg"),
        ("terrain", "mud: {glyph:}", "mud/glyph"),
        ("themes", "wet: [floor]", "wet"),
        ("themes", "wet: {floor: 3}", "wet/floor"),
        ("prefabs", "hut: {mapp: '#'}", "hut"),
        ("prefabs", "hut: {map: [a, b]}", "hut/map"),
        ("prefabs", "my hut: {map: '#'}", ""),
        ("prefabs", "hut: {orientations: r45}", "hut/orientations"),
        ("prefabs", "hut: {legend: {c: {porp: crate}}}", "hut/legend/c"),
        ("prefabs", "hut: {legend: {c: {prop: crate, chance: 130%}}}", "hut/legend/c/chance"),
        ("prefabs", "hut: {legend: {c: {prop: {clas: box}}}}", "hut/legend/c/prop"),
        ("prefabs", "hut: {vary: [{substitut: x, with: y}]}", "hut/vary/0"),
        ("prefabs", "hut: {vary: [{exactly: some, of: x, become: y}]}", "hut/vary/0"),
        ("prefabs", "hut: {vary: {shuffle: abc}}", "hut/vary"),
        ("prefabs", "hut: {paints: {c: brown}}", "hut/paints/c"),
        ("prefabs", "hut: {legend: {c: {switch: a, cases: {b: {porp: c}}}}}", "hut/legend/c/cases/b"),
        ("prefabs", "hut: {legend: {c: {prop: {equipped_by: bot}}}}", "hut/legend/c/prop"),
        ("prefabs", "hut: {legend: {c: {prop: [crate, any]}}}", "hut/legend/c/prop"),
        ("prefabs", "hut: {legend: {c: {prop: {crate: 2, any: 1}}}}", "hut/legend/c/prop"),
        ("prefabs", "hut: {machine: {value: any, chance: 50%}}", "hut/machine"),
        ("prefabs", "hut: {legend: {c: {prop: crate, shift: [1, -1]}}}", "hut/legend/c/shift/1"),
        ("prefabs", "hut: {legend: {c: {prop: crate, shift: [1]}}}", "hut/legend/c/shift"),
        ("prefabs", "hut: {legend: {c: {prop: crate, shift: {value: [1, 1]}}}}", "hut/legend/c/shift"),
        (
            "prefabs",
            "hut: {legend: {c: {prop: crate, shift: {value: [1, 99], chance: 30%}}}}",
            "hut/legend/c/shift/value/1",
        ),
        ("prefabs", "hut: {legend: {c: {prop: crate, group: [a b, c]}}}", "hut/legend/c/group"),
        ("prefabs", "hut: {legend: {c: {prop: crate, weight: [1, -2]}}}", "hut/legend/c/weight"),
        ("prefabs", "hut: {legend: {c: {robot: bot, strong: {maybe: 1}}}}", "hut/legend/c/strong"),
        ("palettes", "rust: {extend: old}", "rust"),
        ("legends", "shared: {extends: [old, old]}", "shared/extends"),
        ("legends", "shared: {cc: {prop: crate}}", "shared"),
        ("legends", "shared: {c: [crate]}", "shared/c"),
        ("encounters", "den: {category: [danger], prefabs: hut, maps: {a: 1}}", "den/category"),
        ("encounters", "den: {category: danger, prefabs: [], maps: {a: 1}}", "den/prefabs"),
        ("encounters", "den: {category: danger, prefabs: hut, maps: {}}", "den/maps"),
        ("encounters", "den: {category: danger, prefabs: hut}", "den"),
        ("encounters", "den: {category: danger, prefabs: hut, maps: {a: -1}}", "den/maps/a"),
        ("encounters", "den: {category: danger, prefabs: hut, maps: {a: 1}, limit: 2}", "den/limit"),
        ("encounters", "den: {category: danger, prefabs: hut, maps: {a: 1}, depth: 2-5}", "den/depth"),
        (
            "encounters",
            "den: {category: danger, prefabs: hut, maps: {a: 1}, placing: enclose}",
            "den/placing",
        ),
        ("maps", "cellars: {name: Cellars, size: 80*50}", "cellars/size"),
        ("maps", "cellars: {name: Cellars, size: {widht: 80}}", "cellars/size"),
        ("maps", "cellars: {name: Cellars, layout: tunel}", "cellars/layout"),
        ("maps", "cellars: {name: Cellars, layout: static}", "cellars/layout"),
        ("maps", "cellars: {name: Cellars, layout: {tunnels: {room: 3}}}", "cellars/layout"),
        ("maps", "cellars: {name: Cellars, layout: {tunnels: {sizes: {huge: 1}}}}", "cellars/layout"),
        ("maps", "cellars: {name: Cellars, encounters: few}", "cellars/encounters"),
        ("maps", "cellars: {name: Cellars, encounters: [1, {2..x: 3}]}", "cellars/encounters"),
        ("maps", "cellars: {name: Cellars, encounters: 10001}", "cellars/encounters"),
        ("maps", "cellars: {name: Cellars, population: [crate]}", "cellars/population/0"),
        ("maps", "cellars: {size: 80x50}", "cellars"),
        ("props", "crate: {name: crate, glyph: ab}", "crate/glyph"),
        ("props", "crate: {name: crate}", "crate"),
        ("traps", "snare: {name: snare, glyph: x, depth: deep}", "snare/depth"),
        ("robots", "bot: {name: bot, glyph: b, klass: x}", "bot"),
        ("robots", "class: {name: bot, glyph: b}", ""),
        ("robots", "any: {name: bot, glyph: b}", ""),
        ("items", "cell: {name: cell, glyph: c, data: 5}", "cell/data"),
        ("debris", "dust: {name: dust, glyph: c, light: -1}", "dust/light"),
    ],
)
def test_a_slip_is_underlined_where_it_stands(kind: str, text: str, where: str) -> None:
    assert faults(kind, text) == [where]


@pytest.mark.parametrize(
    ("kind", "text", "where"),
    [
        ("encounters", "hoard: remove", []),
        (
            "encounters",
            "hoard: {change: {limit: {map: 5}}, add: {maps: {leaf_house: rare}}, remove: [access]}",
            [],
        ),
        ("encounters", "hoard: {add: {prefabs: store, content: {item: coin, count: 2}}}", []),
        ("encounters", "hoard: {remove: {prefabs: store}}", []),
        ("encounters", "hoard: {replace: {category: reward, prefabs: store, maps: {mill: 1}}}", []),
        ("encounters", "hoard: {change: {limits: {map: 5}}}", ["hoard/change"]),
        ("encounters", "hoard: {change: {limit: {map: many}}}", ["hoard/change/limit/map"]),
        ("encounters", "hoard: {remove: acess}", ["hoard/remove"]),
        ("encounters", "hoard: {replace: {category: reward}}", ["hoard/replace"]),
        ("encounters", "hoard: {add: {depth: 3}, prefabs: store}", ["hoard"]),
        ("prefabs", "hall: {replace: drawing}", []),
        ("prefabs", "hall: {replace: map}", ["hall/replace"]),
        ("encounters", "hoard: {replace: drawing}", ["hoard/replace"]),
        ("world", "add: {leads_to: {mill/1: kiln/2}}\nchange: {maps: {tombs: {chance: 30%}}}", []),
        ("world", "remove: [one_way, {leads_to: mill/1}]", []),
        ("world", "add: {leadsto: {mill/1: kiln/2}}", ["add"]),
        ("world", "remove", [""]),
        ("weights", "add: 3\nrare: 1", []),
        ("weights", "add: {rare: 3}", []),
        ("legends", "stock: {change: {C: {chance: 30%}}, remove: B}", []),
    ],
)
def test_the_verbs_of_mods_are_known(kind: str, text: str, where: list[str]) -> None:
    assert faults(kind, text) == where


def test_the_whole_language_is_valid_by_its_schema() -> None:
    text = """
        hut:
          parameters: {fence: {iron: 3, wood: 1}, gate: [open, shut]}
          paints: {1: "#ff0000", b: [1, 2, 3]}
          vary:
            - {substitute: xy, with: {".": 3, "~": 1}, once: true}
            - {substitute: 1, switch: fence, cases: {iron: i, wood: 2}}
            - {exactly: 2..3, of: c, become: {value: C, chance: 30%}, otherwise: "."}
            - {shuffle: abc}
            - {shuffle: [ab, 12]}
            - {one_of: "123", become: "+", otherwise: "#"}
            - {optional: w, chance: 50%, become: "#", otherwise: "."}
            - {fit: S, prefabs: alcove, otherwise: ".", orientations: [r0, m90]}
          legend:
            a: floor
            A: {prop: any}
            e: {item: any, prototype: true, roll: {mood: {any: 3, none: 1}}}
            f: {item: {class: [any, some]}}
            b: {item: {equipped_by: [guard, porter]}, never_faulty: {true: 1, false: 3}}
            c: {switch: fence, cases: {iron: {prop: rail, roll: {rust: 1..5, sort: [a, {value: b, chance: 0.5}]}}}}
            g: {prop: crate, shift: {value: [1..2, [0, 3]], chance: 30%}, group: [a, {b: 1, c: 2}], weight: {common: 1, 2..5: 3}}
            h: {prop: crate, group: {value: a, chance: 50%}, weight: [rare, 2..3, 0.5]}
            ">": {terrain: stairs_down, to: {mines: 3, mines/2: 1}}
            d: {robot: {class: {heavy: 2, light: 1}, category: staff}, strong: true, shift: [1..2, 0]}
            5: {trap: [snare, {pit: 2, mine: 1}], rating: [1, 2..3], chance: {30%: 1, 0.5: 1}}
        bare:
    """
    assert faults("prefabs", text) == []
    assert faults("legends", "old: {a: floor}\nnew: {extends: old, 1: {prop: crate}}") == []


@pytest.mark.parametrize(
    ("value", "is_valid"),
    [
        ("3", True),
        ("2..5", True),
        ("[1, 2..5, {3: 1, 4..6: 2}]", True),
        ("{1: 3, '2..5': 1}", True),
        ("{value: {value: [1, 2], chance: 0.5}, chance: 30%}", True),
        ("two", False),
        ("10", False),
        ("30%", False),
        ("[]", False),
        ("[1, [2, [two]]]", False),
        ("{1: often}", False),
        ("{value: 1}", False),
        ("{value: 1, chance: half}", False),
        ("{value: 1, chance: 30%, else: 2}", False),
    ],
)
def test_the_grammar_of_values_nests(value: str, is_valid: bool) -> None:  # noqa: FBT001
    text = f"cellars: {{name: Cellars, layout: {{tunnels: {{main: {{width: {value}}}}}}}}}"
    assert (faults("maps", text) == []) == is_valid


def test_a_layout_or_placing_mode_that_a_game_registers_is_offered() -> None:
    class Ring(Parameters):
        """Around a pool.

        Attributes:
            radius: How far from the middle.
        """

        radius: Annotated[NumberValue, within(0, 9)] = Constant(2.5)
        steps: IntValue

    with forgotten_afterwards():
        dungeon.register_placing("ring", Ring, lambda *_: iter(()), lambda *_: None)
        schema = dungeon.content_schemas()["encounters"]
    bare, full = schema["$defs"]["EncounterEntry"]["properties"]["placing"]["anyOf"]
    assert bare == {"enum": ["enclosed", "cubby", "accessible", "centered", "embedded", "free"]}
    assert full["properties"]["ring"] == {"$ref": "#/$defs/Ring"}
    ring = schema["$defs"]["Ring"]
    assert ring["description"] == "Around a pool."
    assert ring["required"] == ["steps"]
    assert ring["properties"]["radius"]["description"] == "How far from the middle."
    assert ring["properties"]["radius"]["default"] == 2.5
    radius = Draft202012Validator({"$defs": schema["$defs"], **ring["properties"]["radius"]})
    assert [value for value in (0, 9, 9.5, "50%", "2..5", "half") if radius.is_valid(value)] == [
        *(0, 9, "50%", "2..5"),
    ]


def test_descriptions_come_from_docstrings_and_their_bases() -> None:
    assert description_of(MapEntry).summary == "A type of map."
    assert (
        description_of(MapEntry).attributes["layout"] == "The name of a layout, or {name: {its parameters}}."
    )
    assert (
        description_of(PopulationEntry).attributes["chance"]
        == "The probability that the object is put there at all."
    )
    entry = SCHEMAS["maps"]["$defs"]["MapEntry"]
    assert entry["description"] == "A type of map."
    assert (
        entry["properties"]["encounters"]["description"]
        == "How many encounters the map gets, at any depth or by depth."
    )
    classes = SCHEMAS["robots"]["$defs"]["ThingEntry"]["properties"]["class"]
    assert classes["description"] == (
        "The classes to which the object belongs, for references that ask for a class."
    )


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_default_that_an_editor_fills_in_is_valid(kind: str) -> None:
    schema = SCHEMAS[kind]
    for definition in schema["$defs"].values():
        for form in [definition, *definition.get("anyOf", [])]:
            for name, part in form.get("properties", {}).items():
                if "default" in part:
                    at_root = {"$defs": schema["$defs"], **part}
                    assert list(Draft202012Validator(at_root).iter_errors(part["default"])) == [], name


def test_values_are_spelled_as_authors_write_them() -> None:
    uneven = Choice(((Constant("a"), 3), (Between(2, 5), 1)))
    assert spelled(Between(2, 5)) == "2..5"
    assert spelled(uneven) == {"a": 3, "2..5": 1}
    assert spelled(Choice(((Constant(1), 1.0), (uneven, 1.0)))) == [1, {"a": 3, "2..5": 1}]
    assert spelled(Sometimes(Constant(4), 0.3)) == {"value": 4, "chance": 0.3}
    assert spelled(Choice(((uneven, 2.0), (Constant(1), 1.0)))) is None
    assert spelled(object()) is None


def test_the_kinds_are_listed_with_their_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "palette     palette.yaml",
        "weights     weights.yaml",
        "world       world.yaml",
        "accepted    accepted.yaml",
        "kinds       kinds.yaml",
        "terrain     terrain.yaml",
        "themes      themes.yaml",
        "locks       locks.yaml",
        "categories  categories.yaml",
        "prefabs     prefabs/**/*.y*ml",
        "legends     legends/**/*.y*ml",
        "palettes    palettes/**/*.y*ml",
        "encounters  encounters/**/*.y*ml",
        "maps        maps/**/*.y*ml",
        "props       objects/props.yaml",
        "traps       objects/traps.yaml",
        "robots      objects/robots.yaml",
        "items       objects/items.yaml",
        "debris      objects/debris.yaml",
    ]


def test_one_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "world"]) == 0
    assert json.loads(capsys.readouterr().out) == dungeon.content_schemas()["world"]


def test_all_schemas_are_written_with_the_settings_for_an_editor(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "schemas"
    assert main(["schema", "--out", str(out), "--data", "game/content"]) == 0
    settings = json.loads(f"{{{capsys.readouterr().out}}}")["yaml.schemas"]
    assert settings[f"{out.as_posix()}/prefabs.schema.json"] == "game/content/prefabs/**/*.y*ml"
    assert sorted(map(Path, settings)) == sorted(out.iterdir())
    assert {path.name: json.loads(path.read_text("utf-8")) for path in out.iterdir()} == {
        f"{kind}.schema.json": schema for kind, schema in dungeon.content_schemas().items()
    }


def test_the_guide_shows_the_settings_that_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["schema", "--out", ".vscode"])
    printed = json.loads(f"{{{capsys.readouterr().out}}}")
    guide = (ROOT / "docs" / "guide" / "tools.md").read_text(encoding="utf-8")
    (shown,) = [text for text in re.findall(r"```json\n(.*?)```", guide, re.DOTALL) if "yaml.schemas" in text]
    assert json.loads(f"{{{shown}}}")["yaml.schemas"].items() <= printed["yaml.schemas"].items()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prefab"], "there is no kind 'prefab' (did you mean prefabs?)"),
        (["zzz"], "there is no kind 'zzz' (there are palette, weights, world, "),
        (["prefab", "--out", "x"], "--out writes the schemas of all kinds: leave KIND out"),
        (["--out", "README.md/x"], "README.md/x cannot be written: "),
    ],
)
def test_a_wrong_call_is_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["schema", *arguments]) == 2
    assert message in capsys.readouterr().err
