"""Recordings of a level being built, frame by frame, and animations of them."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from demo import demo_content
from drawn import load, picture, small_game
from PIL import Image

import dungeon
from dungeon import Canvas, Cell, Phase, Placement, Rect, Spawn, Step
from dungeon import terrain as t
from dungeon.adapters.animation import FRESH, animate, captioned, choose_frames, drawn_frame
from dungeon.adapters.console import render
from dungeon.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon import Content
    from dungeon.core.vocabulary import Highlight

DATA = Path(__file__).parent.parent / "data"
HIGHLIGHTS: tuple[Highlight | None, ...] = (None, "encounters")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return load(tmp_path_factory.mktemp("game"), small_game("tunnels"))


def spawn(y: int, x: int) -> Spawn:
    return Spawn(kind="item", tag="scrap", name="scrap", y=y, x=x, glyph="!", fg=(9, 9, 9))


def digging() -> Iterator[Step]:
    """Dig a passage cell by cell, put things into it, take one of them away, and wall it in."""
    drawn = Canvas(3, 60)
    spawns: list[Spawn] = []
    placements: list[Placement] = []

    def step(phase: Phase, message: str) -> Step:
        return Step(phase, message, drawn, placements, spawns)

    yield step(Phase.PLAN, "nothing yet")
    for x in range(1, 51):
        drawn.carve(Rect(1, x, 1, 1), t.FLOOR, 0)
        yield step(Phase.LAYOUT, f"dug {x}")
    bounds = Rect(1, 3, 1, 2)
    placements.append(
        Placement(
            encounter="e", category="risk", prefab="p", mode="m", orientation="r0", region=0, bounds=bounds
        )
    )
    yield step(Phase.PLACE, "placed")
    for x in (3, 4, 9):
        spawns.append(spawn(1, x))
        yield step(Phase.POPULATE, f"put {x}")
    del spawns[0]
    yield step(Phase.POPULATE, "took 3")
    spawns.append(spawn(1, 20))
    drawn.build_walls()
    yield step(Phase.PROVE, "walled")


def test_every_frame_equals_the_canvas_at_its_step() -> None:
    seen = [(step.message, picture(step.canvas), list(step.spawns)) for step in digging()]
    recording = dungeon.Recording(digging())
    assert len(recording) == len(seen) == 57
    backwards = [recording[number] for number in reversed(range(len(recording)))][::-1]
    for frames in (list(recording), backwards, recording[:]):
        for number, (frame, (message, terrain, spawns)) in enumerate(zip(frames, seen, strict=True)):
            assert (frame.number, frame.message, picture(frame.terrain)) == (number, message, terrain)
            assert [each.x for each in frame.spawns] == [each.x for each in spawns]
    assert [each.number for each in recording[-2:]] == [55, 56]
    with pytest.raises(IndexError):
        recording[57]


def test_a_frame_marks_its_changed_cells() -> None:
    recording = dungeon.Recording(digging())

    def new(number: int) -> list[tuple[int, int]]:
        return [(y, x) for y, x in np.argwhere(recording[number].changed).tolist()]

    assert [new(0), new(1), new(33), new(50), new(51)] == [[], [(1, 1)], [(1, 33)], [(1, 50)], []]
    assert [new(52), new(53), new(54), new(55)] == [[(1, 3)], [(1, 4)], [(1, 9)], []]
    assert {(1, 20), (0, 0), (2, 51)} <= set(new(56))
    assert [len(recording[number].placements) for number in (50, 51, 56)] == [0, 1, 1]


def test_phases_know_their_frames() -> None:
    recording = dungeon.Recording(digging())
    assert recording.phases == {
        Phase.PLAN: range(1),
        Phase.LAYOUT: range(1, 51),
        Phase.PLACE: range(51, 52),
        Phase.POPULATE: range(52, 56),
        Phase.PROVE: range(56, 57),
    }


def test_a_frame_is_a_copy() -> None:
    recording = dungeon.Recording(digging())
    recording[20].terrain[:] = t.WALL
    assert picture(recording[20].terrain) != picture(np.full((3, 60), t.WALL, np.uint8))


def test_nothing_to_record() -> None:
    with pytest.raises(ValueError, match="at least one step"):
        dungeon.Recording(iter([]))


@pytest.mark.parametrize("seed", range(4))
def test_the_last_frame_is_the_level(content: Content, seed: int) -> None:
    world = dungeon.World(content, seed)
    recording = dungeon.Recording(world.steps("under/2"))
    level = world.level("under/2")
    last = recording[-1]
    assert np.array_equal(last.terrain, level.terrain)
    assert (last.spawns, last.placements) == (level.spawns, level.placements)
    assert dungeon.to_text(last) == dungeon.to_text(level)
    assert list(recording.phases) == list(dict.fromkeys(step.phase for step in world.steps("under/2")))
    one, other = (dungeon.to_console(each, "encounters") for each in (last, level))
    assert np.array_equal(one.rgb, other.rgb)


def test_every_frame_of_a_level_is_a_step_of_it(content: Content) -> None:
    world = dungeon.World(content, 9)
    recording = dungeon.Recording(world.steps("under/1"))
    assert len(recording._terrain._whole) > 1
    for frame, step in zip(recording, world.steps("under/1"), strict=True):
        assert np.array_equal(frame.terrain, step.canvas.terrain)
        assert np.array_equal(frame.region, step.canvas.region)
        assert (frame.phase, frame.message) == (step.phase, step.message)
        assert (frame.spawns, frame.placements) == (tuple(step.spawns), tuple(step.placements))
    assert recording.messages == tuple(frame.message for frame in recording)


def test_hundreds_of_steps_of_a_large_map_stay_small(tmp_path: Path) -> None:
    large = "under: {name: Large, size: 160x160, layout: tunnels, encounters: 12}\n"
    content = load(tmp_path, small_game(maps__under=large))
    recording = dungeon.Recording(dungeon.World(content, 1).steps("under/1"))
    copies = len(recording) * 160 * 160
    assert len(recording) > 200
    assert recording.nbytes < copies / 20


# -- animation ------------------------------------------------------------------------------------


def test_frames_are_chosen_evenly_with_the_last_of_every_phase() -> None:
    recording = dungeon.Recording(digging())
    assert choose_frames(recording, 57) == choose_frames(recording, 500) == list(range(57))
    assert choose_frames(recording, 2) == [0, 56]
    assert choose_frames(recording, 4) == [0, 50, 55, 56]
    for most in range(6, 57):
        chosen = choose_frames(recording, most)
        assert len(set(chosen)) == len(chosen) == most
        assert {0, 50, 51, 55, 56} <= set(chosen)
    chosen = choose_frames(recording, 15)
    dug = [number for number in chosen if 0 < number < 50]
    assert max(np.diff([0, *dug, 50])) <= 7


def test_pictures_equal_those_of_render() -> None:
    recording = dungeon.Recording(digging())
    animation = animate(recording, scale=2, highlight="encounters")
    assert len(animation.durations) == len(recording)
    for frame, pixels in zip(recording, animation.pictures, strict=True):
        wanted = render(captioned(frame, len(recording), "encounters"), scale=2)
        assert pixels.shape == animation.size
        assert np.array_equal(animation.palette[pixels], wanted[..., :3])


def test_new_cells_are_tinted_unless_they_are_too_many() -> None:
    recording = dungeon.Recording(digging())
    tinted = [(drawn_frame(frame).rgb["bg"] == FRESH).all(axis=2) for frame in recording]
    assert np.array_equal(tinted[7], recording[7].changed)
    assert not tinted[56].any()
    assert recording[56].changed.mean() > 0.25
    highlighted = drawn_frame(recording[52], "encounters")
    assert recording[52].changed[1, 3]
    assert tuple(highlighted.rgb["bg"][1, 3]) != FRESH


def test_more_colours_than_a_palette_has_are_brought_together() -> None:
    kinds = [
        t.TerrainKind(
            name=f"k{number}", base=t.FLOOR, walkable=True, transparent=True, diggable=True, glyph="x",
            fg=(number, 255 - number, number // 2), bg=(0, number, 0),
        )
        for number in range(200)
    ]  # fmt: skip
    terrain_set = t.TerrainSet((*t.BUILT_IN_KINDS, *kinds))
    drawn = Canvas(20, 20, terrain_set)
    drawn.terrain.ravel()[:200] = np.arange(t.BUILT_IN, t.BUILT_IN + 200)
    animation = animate(dungeon.Recording([Step(Phase.PLAN, "all of them", drawn)]))
    assert len(animation.palette) <= 256
    (pixels,) = animation.pictures
    wanted = render(captioned(dungeon.Recording([Step(Phase.PLAN, "all of them", drawn)])[0], 1))
    away = np.abs(animation.palette[pixels].astype(int) - wanted[..., :3])
    assert 0 < away.max() <= 8


# -- the command ----------------------------------------------------------------------------------


def gif(*arguments: str) -> list[str]:
    return ["show", "cisterns/2", "--data", str(DATA), "--seed", "3", *arguments]


def test_a_map_is_written_as_an_animated_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "a.gif", tmp_path / "b.GIF"]
    for file in files:
        assert main(gif("--gif", str(file), "--frames", "12")) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    steps = len(list(dungeon.World(demo_content(), 3).steps("cisterns/2")))
    assert capsys.readouterr().out.splitlines()[0] == f"{files[0]}: 12 pictures of {steps} steps"
    level = dungeon.World(demo_content(), 3).level("cisterns/2")
    with Image.open(files[0]) as picture:
        assert (picture.width, picture.height) == (level.width * 8, (level.height + 3) * 8)
        assert picture.n_frames == 12  # type: ignore[attr-defined]
        durations = []
        for number in range(12):
            picture.seek(number)
            durations.append(picture.info["duration"])
        last = np.asarray(picture.convert("RGB"))
    assert durations[0] > durations[1]
    assert durations[-1] == max(durations)
    assert np.array_equal(last[: level.height * 8], dungeon.to_image(level)[..., :3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gif", "x.png"], "x.png must end in .gif"),
        (["--gif", ""], "the option --gif needs a file name"),
        (["--gif", "x.gif", "--png", "x.png"], "--gif and --png can't be used together"),
        (["--gif", "x.gif", "--metrics"], "--gif and --metrics can't be used together"),
        (["--gif", "x.gif", "--times", "3"], "cisterns/2 is a map; --times is for prefabs"),
        (["--frames", "3"], "--frames needs --gif FILE.gif"),
        (["--gif", "no/x.gif"], "no/x.gif cannot be written: No such file or directory"),
        (["--gif", "x.gif", "--frames", "1000", "--scale", "8"], " is the most at --scale 8"),
    ],
)
def test_animated_pictures_that_cannot_be_had(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(gif(*arguments)) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_prefabs_are_not_built_step_by_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(tmp_path / "x.gif")
    assert main(["show", "pool", "--data", str(DATA), "--gif", file]) == 2
    assert capsys.readouterr().err == "dungeon: pool is a prefab; --gif is for maps\n"
    assert main(["show", "pol", "--data", str(DATA), "--gif", file]) == 2
    assert "did you mean pool?" in capsys.readouterr().err


def test_without_pillow_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "PIL":
            raise ModuleNotFoundError(name="PIL")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(gif("--gif", str(tmp_path / "x.gif"))) == 2
    assert capsys.readouterr().err == "dungeon: --gif needs Pillow: pip install 'tcod-dungeon[images]'\n"


def test_all_cells_of_a_new_machine_are_marked() -> None:
    drawn = Canvas(4, 9)
    machine = Spawn(
        kind="prop", tag="", name="engine", y=1, x=2, glyph="%", fg=(1, 2, 3),
        cells=(Cell(1, 2), Cell(1, 3)), glyphs=("%", "%"), fgs=((1, 2, 3), (1, 2, 3)),
    )  # fmt: skip
    steps = [Step(Phase.PLAN, "", drawn), Step(Phase.POPULATE, "", drawn, (), (machine,))]
    assert np.argwhere(dungeon.Recording(steps)[1].changed).tolist() == [[1, 2], [1, 3]]


def test_placements_without_a_drawing_tint_only_their_region() -> None:
    drawn = Canvas(5, 9)
    room = drawn.carve_room(Rect(1, 1, 3, 3))
    drawn.carve(Rect(2, 4, 1, 4), t.CORRIDOR, drawn.add_region("corridor", Rect(2, 4, 1, 4)))
    bounds = Rect(1, 1, 3, 5)
    scattered = Placement(
        encounter="e", category="danger", prefab="", mode="free", orientation="", region=room, bounds=bounds
    )
    frame = dungeon.Recording([Step(Phase.PLACE, "scattered", drawn, (scattered,))])[0]
    plain, tinted = (dungeon.to_console(frame, each).rgb["bg"] for each in HIGHLIGHTS)
    assert np.array_equal((plain != tinted).any(axis=2), drawn.region == room)
