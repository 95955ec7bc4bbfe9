"""The layout `tunnels`: what each of its rarer options does."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from drawn import load, small_game
from pydantic import ValidationError

import dungeon
from dungeon import Canvas, LayoutJob
from dungeon import terrain as t
from dungeon.extend import Journal, Streams
from dungeon.generation.layouts import tunnels as layout
from dungeon.generation.layouts.tunnels import tunnels
from dungeon.generation.layouts.tunnels_params import TunnelsParams
from dungeon.generation.layouts.tunnels_plan import TunnelPlan
from dungeon.grid.regions import components


def job(seed):
    return LayoutJob(streams=Streams(seed, "options/1"), journal=Journal(), prefabs={})


def made(seed, height=50, width=80, work=None, **params):
    canvas = Canvas(height, width)
    for _ in tunnels(canvas, TunnelsParams(**params), work or job(seed)):
        pass
    return canvas


def planned(seed, height=60, width=90, **params):
    canvas = Canvas(height, width)
    plan = TunnelPlan(canvas.used)
    layout._plan(plan, 0, TunnelsParams(**params), job(seed))
    return [piece for piece in plan.pieces if not piece.gone]


def regions(canvas, kind):
    return [region for region in canvas.regions if region.kind == kind]


def doors_of(canvas, region):
    return [door for door in canvas.connections if region.id in door.between]


# -- what closes a room -----------------------------------------------------------------------------


def test_an_open_door_is_a_gap_in_the_wall():
    for seed in range(10):
        canvas = made(seed, doors="open")
        assert canvas.connections
        for door in canvas.connections:
            assert door.kind == canvas.terrain[door.y, door.x] == t.FLOOR
            assert canvas.region[door.y, door.x] == 0
            around = canvas.open[door.y - 1 : door.y + 2, door.x - 1 : door.x + 2]
            assert around[1, 0] == around[1, 2] != around[0, 1] == around[2, 1]
        assert components(canvas.open)[1] == 1


def test_a_secret_door_hides_a_room_that_nothing_lies_behind_or_closes_a_loop():
    secret = 0
    for seed in range(20):
        canvas = made(seed, doors="secret door", second_door=0)
        assert {door.kind for door in canvas.connections} <= {t.DOOR, t.SECRET_DOOR}
        public = canvas.open.copy()
        for door in canvas.connections:
            if door.kind == t.SECRET_DOOR:
                public[door.y, door.x] = False
                secret += 1
        labels, count = components(public)
        sizes = np.bincount(labels.ravel())[1:]
        assert count - 1 == sum(door.kind == t.SECRET_DOOR for door in canvas.connections)
        rooms = {int(labels[region.bounds[:2]]): region for region in canvas.regions}
        for number in range(1, count + 1):
            if number != int(sizes.argmax()) + 1:
                assert rooms[number].kind == "room" or sizes[number - 1] < 40
    assert secret > 200


@pytest.mark.parametrize("closing", ["open", "secret door", "{door: 1, open: 1, secret door: 1}"])
def test_whole_levels_with_such_doors_are_proved(closing, tmp_path):
    game = small_game("tunnels")
    name = next(name for name, text in game.items() if name.startswith("maps/"))
    text = game[name].replace("layout: tunnels", f"layout: {{tunnels: {{doors: {closing}}}}}")
    assert text != game[name]
    content = load(tmp_path, game | {name: text})
    for seed in range(2):
        world = dungeon.World(content, seed=seed)
        for node in world.maps:
            assert dungeon.prove(world.level(node.id)) == []


# -- what tunnelers do ------------------------------------------------------------------------------


def test_halls_are_as_much_wider_as_was_asked_for():
    def heights(seed, share, kind):
        tunneler = {"junction": 1, "hall": share, "hall_margin": 4, "width": 1, "widen": 0}
        canvas = made(seed, main=tunneler, side=tunneler, anteroom=0)
        return {region.bounds.height for region in regions(canvas, kind)}

    for seed in range(10):
        assert heights(seed, 0, "junction") <= {3, 5}
        assert heights(seed, 0, "hall") == set()
        assert heights(seed, 1, "junction") == set()
        assert heights(seed, 1, "hall") == {9}
        assert heights(seed, 0.5, "junction") <= {3, 5}
        assert heights(seed, 0.5, "hall") <= {9}


def test_an_anteroom_lies_between_a_corridor_and_a_room():
    found = 0
    for seed in range(10):
        canvas = made(seed, anteroom=1, second_door=0, main={"junction": 0}, side={"junction": 0})
        for region in regions(canvas, "junction"):
            kinds = sorted(
                canvas.regions[number - 1].kind
                for door in doors_of(canvas, region)
                for number in door.between
                if number != region.id
            )
            assert kinds.count("corridor") == 1
            assert "room" in kinds
            assert max(region.bounds[2:]) <= 3
            found += 1
        assert components(canvas.open)[1] == 1
    assert found > 50


# -- sizes ------------------------------------------------------------------------------------------

APART = {"small": "3..4", "medium": "6..7", "large": "9..11"}


def counted(canvas):
    """Count rooms by the size class that their shorter side belongs to."""
    sides = [min(room.bounds[2:]) for room in regions(canvas, "room")]
    return (
        sum(side <= 5 for side in sides),
        sum(6 <= side <= 8 for side in sides),
        sum(side >= 9 for side in sides),
    )


def test_quotas_are_kept():
    for seed in range(10):
        canvas = made(seed, 60, 90, quotas={"small": 7, "large": 3}, sizes="medium", **APART)
        large = [room for room in regions(canvas, "room") if min(room.bounds[2:]) >= 9]
        assert len(large) == 3
        canvas = made(seed, 60, 90, quotas={"small": 7, "medium": 0, "large": "2..3"}, **APART)
        small, medium, large = counted(canvas)
        assert (small, medium) == (7, 0)
        assert large in (2, 3)


def test_quotas_come_before_the_share_of_the_map_that_is_to_be_open():
    canvas = made(1, 60, 90, open=0.1, quotas={"large": 12}, **APART)
    assert counted(canvas)[2] == 12


def test_the_journal_says_when_there_was_no_space_for_a_quota():
    work = job(0)
    canvas = made(0, 20, 40, work, quotas={"large": 50}, **APART)
    (decision,) = work.journal.decisions
    counts = dict(decision.counts)
    assert counts["wanted"] == 50
    assert counts["built"] == counted(canvas)[2] < 50


def spread_by_part(drift):
    """Return which part of the differences between rooms is one between corridors, over many maps."""
    within = between = 0.0
    for seed in range(60):
        rooms = [piece for piece in planned(seed, drift=drift, **APART) if piece.kind == "room"]
        rooms.sort(key=lambda room: room.parent.index)
        groups = [
            [min(room.thick, room.length) for room in group]
            for _, group in groupby(rooms, key=lambda room: room.parent.index)
        ]
        groups = [group for group in groups if len(group) > 2]
        mean = np.mean([side for group in groups for side in group])
        within += sum(np.var(group) * len(group) for group in groups)
        between += sum((np.mean(group) - mean) ** 2 * len(group) for group in groups)
    return between / (between + within)


def test_drift_makes_parts_of_the_map_differ():
    assert spread_by_part(1) > spread_by_part(0) + 0.05


def test_what_is_misspelt_is_refused():
    for wrong in ({"doors": "gate"}, {"quotas": {"huge": 1}}, {"quotas": {"small": -1}}, {"anteroom": 2}):
        with pytest.raises(ValidationError):
            TunnelsParams(**wrong)
