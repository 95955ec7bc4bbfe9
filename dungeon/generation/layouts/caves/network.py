"""The network of ways between spaces: planned, dug, and planned again where the earth does not allow what was planned."""

from __future__ import annotations

from itertools import chain, islice, tee
from typing import TYPE_CHECKING

from dungeon.generation.layouts.caves.crossings import find_crossings, find_detours
from dungeon.generation.layouts.caves.digging import Digger
from dungeon.generation.layouts.caves.flow import find_loops, linear_flow, longest_round
from dungeon.grid.paths.graph import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.caves.digging import Spaces, Way
    from dungeon.generation.layouts.caves.flow import Flow, Pair
    from dungeon.generation.layouts.caves.params import CaveSystemParams
    from dungeon.generation.layouts.job import LayoutJob

PLANS = 8
"""How many long ways are tried at most."""


class Network:
    """The network of some spaces.

    Attributes:
        spaces: What is joined.
        params: What the author set.
        job: Its streams (`key`, ...) decide everything.
        key: The beginning of the streams' names.
        crossings: Where the earth between two spaces can be crossed.
        detours: The pairs of spaces between which a way can be bent, found as they are needed.
    """

    def __init__(
        self, spaces: Spaces, params: CaveSystemParams, job: LayoutJob, key: tuple[str | int, ...]
    ) -> None:
        self.spaces, self.params, self.job, self.key = spaces, params, job, key
        count, reach = len(spaces.boxes), params.reach
        self.crossings = find_crossings(spaces.labels, count, reach, job.streams.ranks(*key, "crossings"))
        self.detours: Iterator[list[Pair]] = find_detours(spaces.labels[spaces.area.slices], count, reach)

    def dig(self) -> Iterator[tuple[str, Way]]:
        """Yield the ways that join all spaces, then those that close loops, each with a word for it.

        Raises:
            GenerationError: Something can't be joined.
        """
        spaces, params = self.spaces, self.params
        stream = self.job.streams.mersenne(*self.key, "flow")
        flow, digger = self._join_along(stream)
        digger.join_rest(self.crossings)
        yield from (("tunnel", way) for way in digger.ways.values())
        joined = len(digger.ways)
        along = digger.along
        wanted = int(params.loops * len(spaces.boxes) + stream.random())
        loops = find_loops(digger.ways, spaces.boxes, self.crossings, wanted, params.saves, stream)
        for pair in loops:
            digger.dig(self.crossings[pair])
        if params.loops and not digger.has_loop:
            self._close_loop(digger)
        yield from (("loop", way) for way in islice(digger.ways.values(), joined, None))
        counts = (("spaces", len(spaces.boxes)), ("along one way", along), ("loops", len(loops)))
        journal = self.job.journal
        journal.note("layout", "flow", "noted", "most spaces are to lie along one way", counts)
        if along < flow.wanted:
            text = "the earth did not allow as many spaces along one way as wanted"
            journal.note("layout", "flow", "noted", text, (("wanted", flow.wanted), ("along one way", along)))

    def _detours(self) -> Iterator[list[Pair]]:
        """Return the detours from the first on: what has been found of them is not looked for again."""
        self.detours, found = tee(self.detours)
        return found

    def _join_along(self, stream: Stream) -> tuple[Flow, Digger]:
        """Dig a tree of ways, so that as many spaces lie along one way as wanted.

        Whether a way can be dug depends on those dug before. Where one that is needed can't, another long way is tried, which
        does without it. A way through very many spaces can hardly ever be dug as planned: there, edges of it are exchanged.
        """
        spaces, params = self.spaces, self.params
        ways = self.job.streams.mersenne(*self.key, "ways")
        thickness = params.dice("width", ways, 1)
        lengths = {pair: found[0].length for pair, found in self.crossings.items()}
        refused: set[Pair] = set()
        tried = []
        for _ in range(PLANS):
            more = ([pair for pair in pairs if pair not in refused] for pairs in self._detours())
            flow = linear_flow(spaces.boxes, lengths, params.linearity, stream, more)
            digger = Digger(spaces, ways.random, params.winding, thickness)
            failed = digger.dig_tree(flow, self.crossings)
            tried.append((flow, digger))
            if len(flow.path) > LONG:
                detours = next(self._detours())
                digger.exchange(flow.path, failed, self.crossings, detours)
                break
            if not failed:
                break
            refused.update(failed)
            lengths = {pair: length for pair, length in lengths.items() if pair not in refused}
        return tried[0] if len(tried) == 1 else max(tried, key=lambda each: each[1].along)

    def _close_loop(self, digger: Digger) -> None:
        """Dig one way that closes a loop, where those that were planned could not be dug or would save too little.

        What saves the longest walk comes first, straight ways before others.
        """
        for pairs in chain([list(self.crossings)], self._detours()):
            for pair in longest_round(pairs, digger.ways, len(self.spaces.boxes)):
                if digger.dig(self.crossings.get(pair, ())) or digger.bend(pair):
                    return
        text = "the earth did not allow a way that closes a loop"
        self.job.journal.note("layout", "flow", "noted", text)
