"""Content that uses the whole language, and strategies that damage it: for the fuzz tests and for `tests/fuzzing/fuzz_files.py`."""

from __future__ import annotations

import gzip
import re
import struct
from copy import deepcopy
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from content_files import SMALL
from hypothesis import strategies as st

from dungeon import XpLayer
from dungeon.content.drawing.rexpaint import encode_xp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_TEXTS: dict[str, str] = {
    **SMALL,
    "maps/cellars.yaml": SMALL["maps/cellars.yaml"].replace("60x40", "44x30"),
    "world.yaml": """\
        name: A Whole World
        start: cellars/1
        leads_to: {cellars/1: [cellars/2, works/2]}
        spawns: {by_depth: {1: 50%, 3: 2}}
        weights: {danger: 120%}
        difficulties: {hard: {spawns: 150%, weights: {reward: {by_depth: {1: 1, 5: 0.5}}}}}
        """,
    "terrain.yaml": """\
        grass: {like: floor, glyph: '"', fg: "#40a040"}
        water: {like: floor, walkable: false}
        plank: {like: floor}
        pit: {like: floor, walkable: false}
        """,
    "objects/robots.yaml": """\
        sweeper: {name: sweeper, glyph: s, class: worker, category: harmless, depth: 1, carries: {class: junk},
          roll: {hp: 2..5}}
        warden: {name: warden, glyph: w, class: [guard, worker], category: [watch, harmless], depth: 3,
          carries: [scrap, key], state: {asleep: 2, awake: 1}}
        mate: {name: mate, glyph: m, like: warden, roll: {hp: 3}, state: awake}
        """,
    "objects/items.yaml": """\
        scrap: {name: scrap metal, glyph: "!", class: junk, weight: common}
        key: {name: key, glyph: "k", category: tools, data: {opens: {a: [1, null]}}}
        engine: {name: engine, glyph: "&", class: [junk, motor], prototype: true, faulty: 30%, depth: 2}
        """,
    "objects/traps.yaml": """\
        snare: {name: snare, glyph: ^, class: hurt, data: {damage: 2}}
        mine: {name: mine, glyph: "*", class: hurt, depth: 2, prototype: true, blocks: false, light: 3}
        """,
    "palettes/shades.yaml": """\
        dusk: {glyphs: {"%": wall}, colours: {"#102030": floor}}
        night: {extends: dusk, glyphs: {"&": grass}, match: nearest}
        """,
    "legends/more.yaml": """\
        goods:
          extends: boxes
          K: {prop: crate, group: stash, weight: 3, state: {shut: 2, open: 1}, lock: red}
          L: {item: {category: tools}, group: stash, opens: red, chance: 80%}
        guards:
          extends: [goods, boxes]
          w: {robot: {class: [worker, guard], category: {harmless: 2, watch: 1}}, strong: {value: true, chance: 50%},
            fallback: true, unique: true, shift: [0..2, 1]}
        """,
    "prefabs/parts.yaml": """\
        nook:
          tags: [alcove]
          map: |
            B.
            .?
          legends: boxes
        booth:
          tags: [alcove]
          map: |
            NN.
            .w.
          legends: guards
          legend: {N: floor}
          vary:
            - {fit: N, prefabs: shelf}
        shelf:
          tags: [shelves]
          orientations: [r0, m0]
          map: BB
          legend: {B: {prop: [crate, barrel], unique: true}}
        bare:
          legend: {B: {prop: barrel, state: [full, empty]}}
          parameters: {mood: [calm, wild]}
          vary:
            - {substitute: m, switch: mood, cases: {calm: B, wild: "."}}
          tags: shelves
        rack: {like: bare, map: Bm, orientations: [r0]}
        stand: {like: rack, legend: {m: {prop: crate}}, vary: []}
        """,
    "prefabs/rooms.yaml": """\
        store: &store
          map: |
            #######1#
            #SSSxKL.#
            #SSS.ccc2
            #F.q.ccw#
            #G.Yp..>#
            ##y++y#3#
          links: |2
                 2

            o
            o       *
            x
          machines: |2

                 ╔╗
                 ╚╝
          references: |2

                  M
          paint: |2

                 ab
                 ab
          paints: {a: "#ff0000", b: [0, 255, 0]}
          legends: [boxes, guards]
          legend:
            F: {switch: fence, cases: {iron: {prop: barrel, data: {x: [1, {y: 2}]}}, wood: wall}}
            G: {switch: fence, cases: {iron: {terrain: door}, wood: {switch: mood, cases: {calm: floor, wild: grass}}}}
            "y": [grass, {wall: 2, door: 1}]
            M: {prop: crate, roll: {hp: 3..9, kind: {a: 3, b: 1}, odd: {value: true, chance: 30%}}}
            q: {item: {equipped_by: [sweeper, warden]}, rating: [+2, {depth: 1..3}]}
            p: {item: {class: motor}, prototype: true, never_faulty: {true: 1, false: 2}, rating: 1..3}
            Y: {trap: {class: hurt}, chance: [20%, 0.4]}
            r: {robot: {warden: 2, sweeper: 1}, data: {mood: [1, {a: b}]}}
            ">": {terrain: stairs_down, to: cellars}
          palette: {extends: night, glyphs: {"~": grass}, colours: {"#00ff00": grass}}
          parameters: {fence: {iron: 2, wood: 1}, mood: [calm, wild]}
          vary:
            - {substitute: x, with: {"#": 1, ".": 2}, once: true}
            - {substitute: y, switch: fence, cases: {iron: "#", wood: y}}
            - {exactly: 1..2, of: c, become: r, otherwise: {".": 3, "~": 1}}
            - {one_of: "123", become: "+", otherwise: "#"}
            - {shuffle: "KL"}
            - {shuffle: [Fq, Gp]}
            - {optional: w, chance: 40%, become: w, otherwise: "."}
            - {fit: S, prefabs: [alcove, shelf], chance: 90%, orientations: [r0, r90, m180], otherwise: "."}
          machine: {class: box}
          orientations: [r0, m90]
          tags: [rooms, x1]
        copy:
          <<: *store
          tags: two
        painting: {legends: guards, palette: {match: nearest}, machine: barrel}
        """,
    "maps/more.yaml": """\
        halls:
          name: Halls
          size: {width: [40, 50..60], height: {30: 1, 40..45: 2}}
          layout: {static: {prefab: store, frame: 1}}
          theme: garden
          encounters: {value: 3..5, chance: 50%}
          population:
            - {robot: sweeper, count: 2..5}
            - {item: {class: junk}, rating: {value: {as: {cellars: 2, works/2: 1}}, chance: 50%}, chance: 20%, data: {x: 1}}
        """,
    "kinds.yaml": """\
        guest: {like: robot}
        """,
    "objects/guests.yaml": """\
        singer: {name: singer, glyph: S, carries: {class: junk}}
        """,
    "locks.yaml": """\
        red: {name: red lock, opened_by: {item: key}}
        crank: {name: sluice, opened_by: {prop: crate}, consumed: true}
        """,
    "categories.yaml": """\
        oddity: {colour: "#402060"}
        """,
    "encounters/more.yaml": """\
        vault:
          category: risk
          prefabs: [alcove, store]
          placing: {enclosed: {}}
          maps: {cellars: 2.5}
          depth: 1..
          limit: {map: 1, world: 3}
          group: [g1, g2]
          access: 1..3
        choir:
          category: oddity
          placing: {free: {}}
          maps: {works: common}
          content: [{guest: singer, count: 2}]
          far_from: {vault: 3}
          lock: red
        """,
    "maps/works.yaml": """\
        works:
          name: Works
          size: 60x40
          layout: {mines: {}}
          encounters: 3
          mix: {oddity: 1..}
          budget: {threat: 9}
          locks: {crank: {count: 1}}
          dressing:
            - {lake: water, cells: 20, bank: grass, crossing: plank}
            - {patches: grass, cover: 5%}
            - {chasm: pit, length: 9}
          features:
            - {prefab: nook, at: [20, 20]}
            - {keep_out: 5x5, where: centre}
          machines: [{prefabs: shelf}]
        """,
}


def _painting() -> bytes:
    rows = (
        ["#######", "#.....#", "#.....#", "###+###"],
        ["       ", "*     o", "       ", "   3  x"],
        ["       ", " ╔═╗   ", " ║     ", "       "],
        ["       ", "  K B  ", "     w ", "       "],
    )
    layers = [
        XpLayer.from_rows(each, fg=(40 * n, 200, 90), transparent_spaces=n > 0) for n, each in enumerate(rows)
    ]
    return encode_xp(layers)


WHOLE: dict[str, bytes] = {
    **{file: dedent(text).encode() for file, text in _TEXTS.items()},
    "prefabs/painting.xp": _painting(),
}
"""Content that uses everything, file -> bytes."""

YAMLS = sorted(file for file in WHOLE if file.endswith(".yaml"))
PAINTING = gzip.decompress(WHOLE["prefabs/painting.xp"])

VALUES = [
    "3",
    "-1",
    "2..5",
    "30%",
    "[a, b]",
    "{a: 3, b: 1}",
    "{value: x, chance: 30%}",
    "{}",
    "[]",
    "true",
    "null",
    "1e400",
]
KEYS = ["kk", "1", "like", "extends", "map", "glyph", "name", "chance", "prop", "terrain"]


def spoilt(data: bytes, rng: Random) -> bytes:
    """Return a content file after one accident of an author or a disk, drawn at random."""
    if data.startswith(b"\x1f\x8b"):
        return _spoilt_bytes(data, rng)
    text = data.decode()
    lines = text.splitlines(keepends=True)
    at, number = rng.randrange(len(text)), rng.randrange(len(lines))
    some = text[at : at + rng.randrange(1, 12)]
    words = list(re.finditer(r"[a-z_]{3,}", text)) or [re.match("", text)]
    word, other = rng.choice(words), rng.choice(words)
    value = rng.choice(list(re.finditer(r"(?<=: )[^,}\]\n]+", text)) or words)
    key = rng.choice(list(re.finditer(r"\w+(?=:)", text)) or words)

    def put(match: re.Match[str] | None, new: str) -> str:
        assert match is not None
        return text[: match.start()] + new + text[match.end() :]

    def with_line(*new: str) -> str:
        return "".join([*lines[:number], *new, *lines[number + 1 :]])

    return rng.choice(
        [
            lambda: text[:at] + text[at + len(some) :],
            lambda: text[:at] + some + text[at:],
            lambda: text[:at],
            lambda: text[:at] + rng.choice("{}[]:\t'\"|?&*\0\x1b") + text[at:],
            lambda: text.replace("{", "{{", 1) if rng.random() < 0.3 else "{" + text,
            with_line,
            lambda: with_line(lines[number], lines[number]),
            lambda: with_line(" " * rng.randrange(7) + lines[number].lstrip(" ")),
            lambda: put(value, rng.choice(VALUES)),
            lambda: put(key, rng.choice(KEYS)),
            lambda: put(word, word[0] + "x" if word is not None else ""),
            lambda: put(word, other[0] if other is not None else ""),
        ]
    )().encode()


def _spoilt_bytes(data: bytes, rng: Random) -> bytes:
    """Return a packed file that is cut off, or with wrong bytes before or after it was packed."""
    packed = rng.random() < 0.5
    raw = bytearray(gzip.decompress(data) if packed else data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(raw) + 1)
        match rng.randrange(4):
            case 0:
                del raw[at:]
            case 1:
                del raw[at : at + rng.randrange(1, 30)]
            case 2:
                raw[at:at] = raw[at : at + rng.randrange(40)]
            case _:
                raw[at : at + 4] = struct.pack("<i", rng.choice([-1, 0, 1, 2, 300, 2**31 - 1]))
    return gzip.compress(bytes(raw), 1, mtime=0) if packed else bytes(raw)


ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**20, float("inf"), "", "x", "no", "2..5", "5..2", "30%", "300%", "..", "~",
    [], {}, [None], [[]], {"a": 1}, {"value": 1}, {"value": "x", "chance": "30%"}, {"class": "box"}, {"crate": 0},
    "\x1b[31m", "a\nb", "#ff0000", "cellars/1", "crate", "store", "r0", "x" * 5000, "é", "\u202e", "1" * 400, "?", "#",
    {str(number): number for number in range(600)}, [1] * 1100, {"switch": "fence", "cases": {"iron": "wall"}},
    {"fit": "S", "prefabs": "rooms"}, {"exactly": 99, "of": "c", "become": "r"}, "0..1000000000", ["ab", "c"],
]  # fmt: skip
ODD_KEYS: list[Any] = [
    "",
    "a b",
    5,
    None,
    True,
    "value",
    "chance",
    "class",
    "\x07",
    "kk",
    "_x",
    "extends",
    "switch",
]
SCRAPS = [
    b"\0", b"\xff", b"\t", b"\r", b":", b"- ", b"#", b"&a ", b"*a", b"!!x ", b"<<: ", b"{", b"}", b"[", b"]", b"'", b'"',
    b"|\n", b">\n", b"---\n", b"%TAG ! x\n", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"? ", b", ", b"\\", b"\n", b"  ",
    b"9" * 50, b"\xef\xbb\xbf", b"@",
]  # fmt: skip


def parts_of(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every value within plain data."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from parts_of(data[key])


@st.composite
def bent(draw: st.DrawFn) -> dict[str, bytes]:
    """Return one or two files in which values or keys are not what they were."""
    files = {}
    for file in draw(st.lists(st.sampled_from(YAMLS), min_size=1, max_size=2, unique=True)):
        data = deepcopy(yaml.safe_load(WHOLE[file]))
        for _ in range(draw(st.integers(1, 3))):
            parts = list(parts_of(data))
            container, key = draw(st.sampled_from(parts))
            what = draw(st.integers(0, 11))
            if what == 0:
                del container[key]
            elif what < 3 and isinstance(container, dict):
                container[draw(st.sampled_from(ODD_KEYS))] = container.pop(key)
            elif what < 5:  # what stands elsewhere
                container[key] = deepcopy(draw(st.sampled_from([other[at] for other, at in parts])))
            else:
                container[key] = deepcopy(draw(st.sampled_from(ODD)))
            if not data:
                break
        files[file] = yaml.safe_dump(data, sort_keys=False, allow_unicode=draw(st.booleans())).encode()
    return files


@st.composite
def torn(draw: st.DrawFn) -> dict[str, bytes]:
    """Return a YAML file with some of its bytes changed, gone or doubled."""
    file = draw(st.sampled_from(YAMLS))
    data = bytearray(WHOLE[file])
    for _ in range(draw(st.integers(1, 4))):
        at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        match draw(st.integers(0, 4)):
            case 0:
                data[at:at] = draw(st.sampled_from(SCRAPS))
            case 1:
                del data[at : min(end, at + 20)]
            case 2:
                data[at:at] = data[end : end + 40]
            case 3 if at < len(data):
                data[at] = draw(st.integers(32, 126))
            case _:
                del data[end:]
    return {file: bytes(data)}


@st.composite
def mixed_up(draw: st.DrawFn) -> dict[str, bytes]:
    """Return a YAML file whose lines have changed places, come twice or from another file."""
    file, other = draw(st.sampled_from(YAMLS)), draw(st.sampled_from(YAMLS))
    lines, others = WHOLE[file].split(b"\n"), WHOLE[other].split(b"\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                lines.insert(at, draw(st.sampled_from(others)))
            case 1:
                lines[at] = draw(st.sampled_from(lines))
            case 2:
                lines[at] = b" " * draw(st.integers(0, 6)) + lines[at].lstrip()
            case _:
                del lines[at]
        lines = lines or [b""]
    return {file: b"\n".join(lines)}


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return bytes some of which are changed, gone, doubled, new, or another number."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        match draw(st.sampled_from(["flip", "cut", "drop", "repeat", "insert", "int"])):
            case "flip" if start < len(data):
                data[start] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del data[start:]
            case "drop":
                del data[start:end]
            case "repeat":
                data[start:start] = data[start:end]
            case "insert":
                data[start:start] = draw(st.binary(max_size=12))
            case "int":
                number = draw(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 300))
                data[start : start + 4] = struct.pack("<i", number)
    return bytes(data)


@st.composite
def defaced(draw: st.DrawFn) -> dict[str, bytes]:
    """Return a REXPaint file that is damaged, before or after its compression."""
    if draw(st.booleans()):
        return {"prefabs/painting.xp": gzip.compress(draw(mutated(PAINTING)), 1, mtime=0)}
    return {"prefabs/painting.xp": draw(mutated(WHOLE["prefabs/painting.xp"]))}


@st.composite
def scribbled(draw: st.DrawFn) -> dict[str, bytes]:
    """Return a whole REXPaint file of random cells."""
    height, width = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    marks = np.array([ord(char) for char in "  #.+?123*oxKBLwSFGMqpYrc"], np.uint32)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layers = []
    for _ in range(draw(st.integers(1, 6))):
        glyph = random.choice(marks, (height, width)).astype(np.uint32)
        glyph[random.random((height, width)) < draw(st.sampled_from([0, 0.02, 0.2]))] = random.integers(
            0, 70_000
        )
        fg = random.choice(np.array([0, 16, 32, 48, 255], np.uint8), (height, width, 3))
        bg = np.where(random.random((height, width, 1)) < 0.5, np.array([255, 0, 255], np.uint8), fg)
        layers.append(XpLayer(glyph=glyph, fg=fg, bg=bg.astype(np.uint8)))
    return {"prefabs/painting.xp": encode_xp(layers)}


DAMAGED = st.one_of(bent(), torn(), mixed_up(), defaced(), scribbled())
"""Files of `WHOLE` that are not what they were."""
