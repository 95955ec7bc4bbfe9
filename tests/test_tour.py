"""The tour of a level being built, and the plain words of the designer's view: they say what the level and its journal hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from demo import demo_content, demo_level, demo_world
from drawn import load
from tcod.console import Console
from test_game_screens import after, forget_worlds, shot

import dungeon
from dungeon import Phase
from dungeon import terrain as t
from dungeon.proof.level_puzzle import opened_by
from dungeon.proof.solution import solution_of
from game_demo.display.drawing import DIM, PLAIN
from game_demo.display.explanations import describe_region, explain_refusal
from game_demo.display.tour import REFUSING, most_telling, tour_of
from game_demo.screens.build_viewer import SPOTLIGHT, BuildViewer
from game_demo.screens.dialogs import TextPage
from game_demo.screens.game_screens import PlayScreen, Title
from game_demo.screens.look import Look
from game_demo.screens.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from game_demo.display.tour import Stop

SIZES = [(80, 24), (120, 40)]
MINE = {
    "world.yaml": "start: mine/1\n",
    "objects/robots.yaml": """
        hound: {name: hound, glyph: h, class: beast, data: {hp: 5}}
        cat: {name: cat, glyph: c, class: beast, data: {hp: 5}}
    """,
    "prefabs/p.yaml": """
        cell_block: {map: "...\\n.h.\\n...", legend: {h: {robot: {class: beast}}}}
        dot: {map: "."}
    """,
    "encounters/e.yaml": """
        lock_up: {category: danger, prefabs: cell_block, placing: accessible, maps: {mine: 500}, group: lair, limit: {map: 1}}
        ambush: {category: risk, prefabs: dot, maps: {mine: 400}, group: lair}
        other: {category: fluff, prefabs: dot, maps: {mine: 100}}
    """,
    "maps/m.yaml": """
        mine: {name: A Mine, size: 70x34, layout: boxes, encounters: 2, population: [{robot: {class: beast}, count: 2}]}
    """,
}
"""A small game with two encounters of one group."""

INTERNAL = re.compile(r"_|'\w+'|\br\d+\b|\by \d+")
"""Matches names of the content and places in the words of the journal."""


def stops_of(map_id: str, seed: int) -> list[Stop]:
    world = demo_world(seed)
    return tour_of(world, demo_level(map_id, seed), dungeon.Recording(world.steps(map_id)))


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(demo_content(), 7)


def tour(session: Session, *keys: str) -> BuildViewer:
    screen = after(Title(session), "t", *keys)
    assert isinstance(screen, BuildViewer)
    return screen


@pytest.mark.parametrize("map_id", [node.id for node in demo_world(7).maps])
def test_every_map_has_a_tour_in_plain_words(map_id: str) -> None:
    stops = stops_of(map_id, 7)
    numbers = [stop.number for stop in stops]
    assert numbers == sorted(numbers)
    assert [stops[0].title, stops[-1].title] == ["The plan", "The proof"]
    for stop in stops:
        assert not INTERNAL.search(stop.text), stop.text
        assert stop.text.endswith("."), stop.text
        assert ".." not in stop.text
    assert "It found no fault" in stops[-1].text


def test_film_and_tour_begin_with_a_telling_level_or_the_one_asked_for() -> None:
    for start, shown in ((None, most_telling(demo_world(3))), ("tinnings/2", "tinnings/2")):
        title = Title(Session(demo_content(), 2, start=start))
        for key in "wt":
            screen = after(title, key)
            assert isinstance(screen, BuildViewer)
            assert screen.map_id == shown
    assert most_telling(demo_world(3)) != "goods_inwards/1", (
        "else this says nothing: a first game begins there"
    )
    forget_worlds()


def test_the_tour_shows_drawings_encounters_refusals_locks_and_the_proof(session: Session) -> None:
    screen = tour(session)
    world = dungeon.World(session.content, session.seed + 1)
    assert (screen.seed, screen.map_id) == (world.seed, most_telling(world))
    assert screen.tour[0].text.startswith("This level is of the world of seed 8, made for this tour only.")
    assert not after(tour(session), "W").tour[0].text.startswith("This level is of another world")  # type: ignore[attr-defined]
    level, found = world.level(screen.map_id), {stop.title: stop for stop in screen.tour}
    first = next((each for each in level.placements if each.mode == "seeded"), None)
    refused = [each for each in level.journal if each.verdict == "refused" and each.stage in REFUSING]
    locks = [lock for lock in solution_of(level).locks if lock.keys and lock.sphere]
    titles = {
        "A drawing comes first": first is not None,
        "An encounter": any(each.encounter and each.prefab for each in level.placements),
        "What was left out, and why": bool(refused),
        "A lock and its key": bool(locks),
    }
    assert {title: title in found for title in titles} == titles
    assert sum(titles.values()) > 2
    if first is not None:
        assert first.prefab.replace("_", " ") in screen.tour[1].text
        assert screen.tour[1].cells[first.bounds.slices].all()
    if refused:
        told = found["What was left out, and why"].text
        assert any(each.subject.replace("_", " ") in told for each in refused)
    if locks:
        cells = found["A lock and its key"].cells
        (lock, *_) = [lock for lock in locks if cells[lock.cell]]
        keys = [each for each in level.spawns if lock.word in opened_by(each)]
        assert any(cells[each.y, each.x] for each in keys)
    way = found["The proof"].cells
    assert way[level.entrance]
    assert all(way[each.y, each.x] for each in level.exits)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_each_stop_shows_its_whole_text_and_what_it_is_about(session: Session, size: tuple[int, int]) -> None:
    screen = tour(session)
    for number, stop in enumerate(screen.tour):
        console = Console(*size, order="C")
        screen.draw(console)
        words = " ".join(shot(screen, size).replace("│", " ").split())
        assert f"stop {number + 1} of {len(screen.tour)}" in words
        assert stop.title in words
        beside = [row.rpartition("│")[2] for row in shot(screen, size).splitlines()]
        assert stop.text in (words if size[0] < 100 else " ".join(" ".join(beside).split()))
        lit = (console.rgb["bg"] == SPOTLIGHT).all(axis=2).sum()
        if stop.cells.any() and screen._shows_near:
            assert lit == stop.cells.sum()
        after(screen, " ")
    assert screen.at == len(screen.tour) - 1


def test_keys_walk_the_tour_and_leave_it(session: Session) -> None:
    screen = tour(session, "right", "down", "left")
    assert screen.at == 1
    assert after(screen, "end").at == len(screen.tour) - 1  # type: ignore[attr-defined]
    assert screen.number == screen.last
    assert after(screen, "home", "l").number == screen.tour[1].number  # type: ignore[attr-defined]
    number = screen.number
    assert after(screen, "t").tour == []  # type: ignore[attr-defined]
    assert screen.number == number
    assert "step" in shot(after(screen, "l"))
    assert screen.number == number + 1
    here = screen.map_id
    after(screen, "t", "tab")
    assert screen.map_id != here
    assert screen.tour[0].number == 0
    assert isinstance(after(screen, "q"), Title)


def test_a_stop_stands_at_the_step_that_it_tells_of() -> None:
    recording = dungeon.Recording(demo_world(7).steps("galleries/2"))
    stops = stops_of("galleries/2", 7)
    for stop in stops:
        frame = recording[stop.number]
        if stop.title == "An encounter":
            assert frame.phase is Phase.PLACE
            placed = frame.placements[-1].bounds
            assert np.array_equal(np.argwhere(stop.cells)[0], (placed.y, placed.x))


# -- the designer's view --------------------------------------------------------------------------


def explained(session: Session, cell: tuple[int, int]) -> tuple[str, str]:
    """Return the plain words about a cell, and the commands below them."""
    look = after(PlayScreen(session), "v", "y")
    assert isinstance(look, Look)
    look.cursor = cell
    page = after(look, "w")
    assert isinstance(page, TextPage)
    lines = [line for line, colour in page.lines if colour == PLAIN]
    return " ".join(" ".join(lines).split()), " ".join(line for line, colour in page.lines if colour == DIM)


def test_the_designers_view_explains_what_the_cursor_is_on(tmp_path: Path) -> None:
    content = load(tmp_path, MINE)
    worlds = (dungeon.World(content, seed) for seed in range(100))
    world = next(
        each
        for each in worlds
        if any("taken by lock_up" in str(line) for line in each.level("mine/1").journal)
    )
    session = Session(content, world.seed)
    level = session.game.map.level
    refused = [explain_refusal(each) for each in level.journal if each.verdict == "refused"]
    assert (
        refused[0]
        == "The ambush was left out: the level already has the lock up, and may have only one of the two."
    )
    hound = next(each for each in level.spawns if each.source == "cell_block:h")
    told, commands = explained(session, (hound.y, hound.x))
    (spots,) = [
        count
        for each in level.journal
        if (each.subject, each.verdict) == ("lock_up", "chosen")
        for _, count in each.counts
    ]
    for sentence in (
        f"The {hound.name}: the h in the drawing of the cell block.",
        "At this depth, one of 2 things may be here: this one (50%), or else a ",
        "The cell block is drawn by hand, for the encounter lock up (a danger).",
        "It stands inside a room, and you can walk all around it",
        f"It fitted in {spots} places, and one was picked at random.",
        "3 encounters can appear on this level, and each time one is drawn, the chance of this one is 1 in 2.",
        "A level has at most 1 of it.",
        "A level has only one encounter of its group (lair).",
    ):
        assert sentence in told
    assert not INTERNAL.search(told)
    assert commands == f"dungeon why mine/1 lock_up --seed {world.seed} dungeon explain cell_block"
    loose = next(each for each in level.spawns if each.source.startswith("population"))
    words, _ = explained(session, (loose.y, loose.x))
    assert f"The {loose.name}: in no drawing, but scattered by the level" in words
    wall = next(cell for cell in np.argwhere(level.base == t.EARTH).tolist() if not level.region[tuple(cell)])
    assert explained(session, tuple(wall))[0] == "Solid ground: nothing was dug here."
    assert explained(session, level.entrance)[0].startswith("Stairs ")
    look = after(PlayScreen(session), "x", "w")
    assert isinstance(look, Look), "the player's own view explains nothing"
    forget_worlds()


def test_what_an_encounter_without_a_drawing_holds_is_told_by_its_name(tmp_path: Path) -> None:
    pack = "wild_pack: {category: danger, content: [{robot: hound}], placing: free, maps: {mine: 1}}\n"
    session = Session(load(tmp_path, MINE | {"encounters/e.yaml": pack}), 1)
    hound = next(each for each in session.game.map.level.spawns if ":" in each.source)
    assert explained(session, (hound.y, hound.x))[0].startswith(
        'The hound: part of the encounter "wild pack".'
    )
    forget_worlds()


def test_the_key_of_the_designers_view_looks_around_and_changes_its_tint() -> None:
    session = Session(demo_content(), 7, start="galleries/2")
    play = PlayScreen(session)
    look = after(play, "v", "y", "l")
    assert isinstance(look, Look)
    cursor, eye = look.cursor, play.eye
    look = after(look, "v")
    assert isinstance(look, Look)
    assert (look.cursor, play.eye != eye) == (cursor, True)
    assert after(look, "escape", "escape") is play
    assert play.eye is None
    assert session.game.log.turn == 0
    forget_worlds()


def test_ways_out_are_counted_only_where_all_are_recorded(tmp_path: Path) -> None:
    game = Session(load(tmp_path, MINE), 1).game
    told: dict[str, set[str]] = {}
    for region in game.map.level.regions:
        y, x = np.argwhere(game.map.level.region == region.id)[0].tolist()
        told.setdefault(region.kind, set()).add(describe_region(game.map, (y, x)).partition(" cells")[2])
    assert told["corridor"] == {""}, "corridors run into each other"
    assert told["room"] - {""} <= {" with 1 way out", " with 2 ways out", " with 3 ways out"}
    assert " with 2 ways out" in told["room"]
    forget_worlds()
