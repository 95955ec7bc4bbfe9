"""Random streams, each found by the name of its purpose and the seed, so that draws for one purpose never change another's.

A *draw* is a random number from 0 up to, not including, 1. A *race* is a weighted choice: each candidate has a random arrival time,
which tends to be early if its weight is high, and the first to arrive wins.

A single generator passed around makes every result depend on all draws before it: add one prefab, and
every later wall moves. Here each use asks for a stream by name, and the name alone (with the world seed
and the map id) decides what it draws. The order in which streams are made or used does not matter.

Races are those of Efraimidis and Spirakis, "Weighted random sampling with a reservoir" (2006): each candidate draws an
arrival time `-log(u) / weight` from a stream of its own. Adding a candidate leaves the others' times alone, so it
changes only the choices that it wins.
"""

from __future__ import annotations

import math
import operator
import re
from functools import cache, partial
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Generic, SupportsIndex, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence

    import numpy as np
    from numpy.typing import NDArray


MOST_BITS = 1024
"""Maximum number of bits of a seed. A limit, as Python prints no integers of more than 4,300 digits."""

TEXT_BITS = 53
"""Number of bits of a seed made from text. 53: JSON, SQLite and JavaScript keep such integers exactly."""

NUMBER = re.compile(r"-?[0-9]{1,308}")
"""Text that is a number within `MOST_BITS`. 308 digits, as 2**1024 has 309."""


def seed_of(seed: SupportsIndex | str) -> int:
    """Return a seed as a number: 7 for ``7`` and ``"7"``.

    Other text is hashed with BLAKE2b to a number from 0 to 2**53 - 1, which is the same on every machine.

    Args:
        seed: A whole number (Python's or numpy's), or text.

    Raises:
        TypeError: `seed` is neither a whole number nor text, or it is a bool.
        ValueError: The text is empty, or the number has more than 1024 bits.
    """
    if isinstance(seed, str):
        if not seed:
            raise ValueError("a seed can't be empty text; any letter, word or number is one")
        return int(seed) if NUMBER.fullmatch(seed) else digest("seed", seed) >> (128 - TEXT_BITS)
    if isinstance(seed, bool) or not hasattr(type(seed), "__index__"):
        raise TypeError(f"a seed is a whole number or text, not {seed!r}")
    number = int(operator.index(seed))  # a numpy integer would name other streams
    if number.bit_length() > MOST_BITS:
        raise ValueError(f"a seed has at most {MOST_BITS} bits, not {number.bit_length()}")
    return number


T = TypeVar("T")

SHARE_BITS = 6
"""`Stream.bits` rounds shares to multiples of 2**-6 = 1/64."""

DRAWN = 53
"""Number of random bits in a draw: those of a double's mantissa."""

UNIT = 2.0**-DRAWN
"""The distance between neighbouring draws: the grid of doubles in [0, 1) that `random()` uses."""

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio, odd: SplitMix64's step."""

STATE_BITS = 128
STATE_MASK = (1 << STATE_BITS) - 1
LEHMER = 0xDA942042E4DD58B5
"""The multiplier of the generator: each draw multiplies the state by it."""

PICK_TRIES = 64
"""Number of random cells that `Stream.pick_set` tries before it ranks the set cells."""


def digest(*parts: str | int) -> int:
    """Return a 128-bit hash of a series of texts and numbers; another order gives another hash."""
    # The text of a tuple differs for ("a b", 1), ("a", "b 1") and ("a", "b", "1"); joined with spaces they would be equal.
    return int.from_bytes(blake2b(ascii(parts).encode(), digest_size=16).digest(), "little")


def _listed(parts: tuple[str | int, ...]) -> str:
    """Return the parts of a name as text, separated as in the tuple that `digest` hashes: ("a", 1) -> ``'a', 1``."""
    return ascii(parts)[1:-1].removesuffix(",")  # a tuple of one part ends in a comma


def mixed(bits: int) -> int:
    """Return a 64-bit hash of the lowest 64 bits of an integer.

    The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    It takes a fifth of the time of `digest`, and so derives many numbers from one digest.
    """
    bits &= MASK
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def all_mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return an array of the same shape: the hash `mixed(n)` for each integer n of the array."""
    first, factor, second, other, third = _mixers()
    bits = bits ^ bits >> first
    bits *= factor
    bits ^= bits >> second
    bits *= other
    bits ^= bits >> third
    return bits


@cache
def _mixers() -> tuple[np.uint64, ...]:
    """Return the shifts and factors of `all_mixed` in their order, as numpy integers."""
    import numpy as np  # noqa: PLC0415  # most streams do without

    return tuple(map(np.uint64, (30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31)))


class Stream:
    """A stream of random draws that is cheap to begin, for up to some dozens of draws. For hundreds use `MersenneStream`.

    Its draws are the highest bits of a multiplicative congruential generator of 128 bits (Lehmer, "Mathematical
    methods in large-scale computing units", 1951; the multiplier is of L'Ecuyer, "Tables of linear congruential
    generators of different sizes and good lattice structure", 1999).

    Args:
        seed: An integer, of which the lowest 64 bits count. Or a function that returns it, called at the first draw:
            many streams are never drawn from.
    """

    __slots__ = ("random",)
    random: Callable[[], float]

    def __init__(self, seed: int | Callable[[], int]) -> None:
        self.random = _lehmer(seed).__next__

    def _words(self, count: int) -> int:
        """Return an integer of `count` bits, each set with probability 1/2."""
        bits = 0
        for _ in range(0, count, DRAWN):
            bits = bits << DRAWN | int(self.random() / UNIT)
        return bits >> (-count % DRAWN)

    def below(self, count: int) -> int:
        """Return a uniform random integer from 0 to count - 1."""
        return int(self.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return a uniform random integer from `low` to `high`, both included."""
        return low + int(self.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """Return True with the given probability (0 to 1)."""
        return self.random() < probability

    def bits(self, count: int, share: float = 0.5) -> int:
        """Return an integer of `count` bits, each set with probability `share` (0 to 1, rounded to 64ths).

        Random integers whose bits have probability 1/2 are combined, one for each binary digit of the share, from the last digit
        to the first. OR, for a digit 1, moves the probability halfway to 1. AND, for a digit 0, moves it halfway to 0.
        """
        digits = round(share * (1 << SHARE_BITS))
        if not digits or digits >> SHARE_BITS:
            return (1 << count) - 1 if digits else 0
        words, place = self._words, digits & -digits
        bits = words(count)
        while (place := place << 1) >> SHARE_BITS == 0:
            if digits & place:
                bits |= words(count)
            else:
                bits &= words(count)
        return bits

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, each with the same probability. IndexError if `options` is empty."""
        return options[int(self.random() * len(options))]

    def pick_set(self, mask: NDArray[np.bool_]) -> int:
        """Return the flat index of a random set cell of a mask, each with the same probability. IndexError if none is set.

        Random cells of the whole mask are tried until one is set. After `PICK_TRIES` tries, every set cell gets a random number,
        and the smallest wins. So a change of other cells seldom changes the pick.
        """
        cells, random = mask.ravel(), self.random
        size, is_set = cells.size, cells.data  # indexing the buffer is twice as fast as indexing the array
        for _ in range(PICK_TRIES):
            at = int(random() * size)
            if is_set[at]:
                return at
        return self._first_ranked(cells.nonzero()[0])

    def _first_ranked(self, places: NDArray[np.intp]) -> int:
        """Return the flat index in `places` with the smallest random number, which is a hash of the index and of one draw."""
        import numpy as np  # noqa: PLC0415  # most streams do without

        if not places.size:
            raise IndexError("no cell is set")
        ranks = all_mixed(np.uint64(self.random() / UNIT) + places.astype(np.uint64) * np.uint64(GOLDEN))
        return int(places[ranks.argmin()])

    def weighted(self, options: Iterable[tuple[T, float]]) -> T:
        """Return a random option of (option, weight) pairs, each with a probability in proportion to its weight.

        Raises:
            ValueError: No option has a weight above zero.
        """
        return Lot(options).draw(self)

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items in random order, in place (Fisher and Yates)."""
        random = self.random
        for i in range(len(items) - 1, 0, -1):
            j = int(random() * (i + 1))
            items[i], items[j] = items[j], items[i]

    def arrival(self, weight: float) -> float:
        """Return a random waiting time for an event that happens `weight` times per unit of time; infinity for weight 0."""
        return math.inf if weight <= 0 else -math.log(self.random() + UNIT) / weight


def _lehmer(seed: int | Callable[[], int]) -> Iterator[float]:
    """Yield the draws of a stream without end: random floats from 0 inclusive to 1 exclusive."""
    state = mixed(seed if isinstance(seed, int) else seed()) << 64 | 1
    while True:
        yield (state >> STATE_BITS - DRAWN) * UNIT
        state = state * LEHMER & STATE_MASK


class Lot(Generic[T]):
    """A weighted choice that is drawn many times: each option has a probability in proportion to its weight.

    Args:
        options: Pairs (option, weight).

    Raises:
        ValueError: No option has a weight above zero.
    """

    __slots__ = ("_pairs", "_total")

    def __init__(self, options: Iterable[tuple[T, float]]) -> None:
        self._pairs = [(option, weight) for option, weight in options if weight > 0]
        if not self._pairs:
            raise ValueError("no option has a weight above zero")
        self._total = sum(weight for _, weight in self._pairs)

    def draw(self, stream: Stream) -> T:
        """Return a random option, by one draw of the stream."""
        left = stream.random() * self._total
        for option, weight in self._pairs:
            left -= weight
            if left < 0:
                return option
        return self._pairs[-1][0]


class MersenneStream(Stream):
    """A stream for hundreds of draws. Beginning it costs as much as fifty draws of a `Stream`; its draws cost little.

    It is Python's Mersenne Twister: `random.Random.random`, whose sequence Python promises never to change, and
    `getrandbits` for `bits`, whose sequence Python does not promise, so a test of this library checks it.

    Args:
        seed: Any integer; equal seeds give equal streams.
    """

    __slots__ = ("_generator",)

    def __init__(self, seed: int) -> None:
        self._generator = Random(seed)
        self.random = self._generator.random

    def _words(self, count: int) -> int:
        return self._generator.getrandbits(count)


class Streams:
    """The random streams of one level, each found by its name.

    Args:
        key: Owner of the streams, usually (world seed, map id). Other keys give other streams.
    """

    __slots__ = ("_begun",)

    def __init__(self, *key: str | int) -> None:
        self._begun = blake2b(f"({_listed(key)}, ".encode(), digest_size=16)

    def under(self, *name: str | int) -> Streams:
        """Return streams to whose names `name` is prefixed: ``s.under("a").stream("b")`` equals ``s.stream("a", "b")``."""
        streams = Streams.__new__(Streams)
        streams._begun = self._begun.copy()  # noqa: SLF001
        streams._begun.update(f"{_listed(name)}, ".encode())  # noqa: SLF001
        return streams

    def seed(self, *name: str | int) -> int:
        """Return the seed of the stream with this name: `digest(*key, *name)`. A name has at least one part."""
        hashed = self._begun.copy()
        hashed.update(f"{_listed(name)})".encode())
        return int.from_bytes(hashed.digest(), "little")

    def stream(self, *name: str | int) -> Stream:
        """Return the stream with this name, at its beginning. The first part of a name is the stage, by convention."""
        return Stream(partial(self.seed, *name))

    def mersenne(self, *name: str | int) -> MersenneStream:
        """Return a `MersenneStream` with this name, at its beginning."""
        return MersenneStream(self.seed(*name))

    def branches(self, count: int, *name: str | int) -> list[Stream]:
        """Return `count` different streams that share one name. The first streams are the same for a larger `count`."""
        seed = self.seed(*name) if count else 0
        return [Stream(seed + number * GOLDEN) for number in range(1, count + 1)]

    def at_cells(self, *name: str | int) -> Callable[[int, int], Stream]:
        """Return a function (y, x) -> the stream of that cell. It is cheaper than one named stream for each cell."""
        seed = self.seed(*name)

        def stream(y: int, x: int) -> Stream:
            return Stream(seed + (y << 32 | x) * GOLDEN)

        return stream

    def unit(self, *name: str | int) -> float:
        """Return a single random number, greater than 0 and at most 1. It is cheaper than a stream if one number is enough."""
        return ((self.seed(*name) >> 75) + 1) * UNIT

    def ranks(self, *name: str | int) -> Callable[[int, int], int]:
        """Return a function (y, x) -> a random 64-bit number for that cell, by which cells can be put in random order."""
        seed = self.seed(*name) & MASK

        def rank(y: int, x: int) -> int:
            return mixed(seed + (y << 32 | x) * GOLDEN)

        return rank

    def arrival(self, weight: float, *name: str | int) -> float:
        """Return the random arrival time of the candidate `name` in a race: the smallest time wins. Infinity if the weight is 0."""
        return math.inf if weight <= 0 else -math.log(self.unit(*name)) / weight

    def race(self, weights: Mapping[str, float], *name: str | int) -> list[str]:
        """Return the candidates in a random order in which one with a higher weight tends to come earlier (a race).

        Args:
            weights: Candidate -> its weight; a candidate with weight 0 is left out.
            *name: The name of the streams that decide.
        """
        if len(weights) == 1:  # a single candidate wins without a draw
            return [each for each, weight in weights.items() if weight > 0]
        return [each for _, each in sorted(self._times(weights, name))]

    def winner(self, weights: Mapping[str, float], *name: str | int) -> str:
        """Return a random candidate, each with a probability in proportion to its weight: the first one of `race`.

        Raises:
            ValueError: No candidate has a weight above zero.
        """
        return min(self._times(weights, name))[1]

    def _times(self, weights: Mapping[str, float], name: tuple[str | int, ...]) -> list[tuple[float, str]]:
        """Return (arrival time, candidate) of each candidate with a weight above zero, in the order of `weights`."""
        own = self.under(*name) if name else self
        return [(own.arrival(weight, each), each) for each, weight in weights.items() if weight > 0]


class Race(Generic[T]):
    """A weighted choice among candidates that is made many times, each time from a single draw (random number).

    As in `Streams.race`, the candidate with the earliest arrival time wins. The time depends only on the draw, the key, and the
    candidate's name and weight.

    Args:
        candidates: Triples (name, weight, prize). The prize is the value to return if the candidate wins.
        key: The purpose of the choice. Races with different keys are independent even for equal draws.

    Raises:
        ValueError: No candidate has a weight above zero.
    """

    __slots__ = ("_is_even", "_names", "_prizes", "_weights")

    def __init__(self, candidates: Iterable[tuple[str, float, T]], *key: str | int) -> None:
        runners = [each for each in candidates if each[1] > 0]
        if not runners:
            raise ValueError("no candidate has a weight above zero")
        self._names = [digest(*key, name) & MASK for name, _, _ in runners]
        self._weights = [weight for _, weight, _ in runners]
        self._prizes = [prize for _, _, prize in runners]
        self._is_even = len({*self._weights}) == 1

    def winner(self, draw: float) -> T:
        """Return the prize (value) of the candidate that wins for this draw.

        Args:
            draw: A uniform random number, from 0 inclusive to 1 exclusive.
        """
        if len(self._prizes) == 1:
            return self._prizes[0]
        draws = self._draws(draw)
        if self._is_even:  # the largest draw arrives first
            return self._prizes[draws.index(max(draws))]
        times = self._arrivals(draws)
        return self._prizes[times.index(min(times))]

    def order(self, draw: float) -> list[T]:
        """Return the prizes (values) of all candidates in order of arrival; `winner` returns the first for the same draw."""
        times = self.times(draw)
        return [self._prizes[index] for index in sorted(range(len(times)), key=times.__getitem__)]

    def times(self, draw: float) -> list[float]:
        """Return the arrival time of each candidate with a weight above zero, in the order of the candidates."""
        return self._arrivals(self._draws(draw))

    def _draws(self, draw: float) -> list[int]:
        """Return a random integer of `DRAWN` bits for each candidate, derived from one draw and the candidate's name."""
        seed = int(draw / UNIT) * GOLDEN & MASK
        return [mixed(seed ^ name) >> 64 - DRAWN for name in self._names]

    def _arrivals(self, draws: Iterable[int]) -> list[float]:
        """Return the arrival time of each candidate, from its random integer and its weight."""
        return [
            -math.log((own + 1) * UNIT) / weight for own, weight in zip(draws, self._weights, strict=True)
        ]


class Ranking:
    """A list of cells that is put in random order many times, each time under another name of `Streams`.

    Each cell gets the number that `Streams.ranks` gives it, all at once.

    Args:
        cells: (number of cells, 2) integers: y and x of each cell.
    """

    __slots__ = ("_steps",)

    def __init__(self, cells: NDArray[np.integer]) -> None:
        import numpy as np  # noqa: PLC0415  # most streams do without

        y, x = cells.astype(np.uint64).T
        self._steps = (y << np.uint64(32) | x) * np.uint64(GOLDEN)

    def ranks(self, streams: Streams, *name: str | int) -> NDArray[np.uint64]:
        """Return the random number by which each cell is sorted under this name: (number of cells,) uint64."""
        import numpy as np  # noqa: PLC0415

        return all_mixed(np.uint64(streams.seed(*name) & MASK) + self._steps)
