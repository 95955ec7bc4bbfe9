"""Random worlds: branches by pattern that some worlds lack or enter from elsewhere, with maps of several types."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

Yaml = Any
"""What a YAML file holds."""


def chain(types: tuple[str, ...]) -> Yaml:
    """Return a world in which a map of each type leads to the next."""
    ids = [f"{name}/{depth}" for depth, name in enumerate(types, 1)]
    return {"start": ids[0], "leads_to": {one: [other] for one, other in pairwise(ids)}}


def branched(luck: Random, types: tuple[str, ...]) -> Yaml:
    """Return a world with a trunk, one of two branches, and a branch that can be entered from anywhere on the trunk."""
    end = luck.randint(3, len(types))
    low = luck.randint(2, end)
    trunk = {"depths": f"1..{end}", "maps": {name: _weight(luck) for name in types}}
    left = {"depths": f"{low}..{low + 1}", "maps": dict.fromkeys(luck.sample(types, 2), 1)}
    right = {"depths": [low], "maps": {luck.choice(types): 1}}
    below = {
        "depths": f"{end}..{end + luck.randint(1, 2)}",
        "maps": dict.fromkeys(luck.sample(types, 3), 1),
        "entered_from": f"trunk/{luck.randint(1, end - 1)}..{end}",
        "chance": f"{luck.randint(50, 100)}%",
    }
    told: dict[str, Yaml] = {
        "start": "trunk/1",
        "maps": {"trunk": trunk, "left": left, "right": right, "below": below},
        "leads_to": {
            "trunk/*": ["trunk/+1"],
            f"trunk/{low - 1}": [f"left/{low}", f"right/{low}"],
            "left/*": ["left/+1"],
            "below/*": ["below/+1"],
        },
        "choose": [{"of": ["left", "right"], "count": luck.choice((1, "0..2"))}],
    }
    if low < end:
        told["leads_to"][f"right/{low}"] = [f"trunk/{end}"]
    if luck.random() < 0.5:
        told["one_way"] = luck.choice(("trunk/*", "left/*", ["right/*", "below/*"]))
    return told


def _weight(luck: Random) -> Yaml:
    return luck.choice((1, 2, {"by_depth": {1: 1, 3: luck.randint(1, 5)}}))
