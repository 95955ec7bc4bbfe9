"""Random streams that are keyed by what they are for, so that no draw depends on another.

A single generator passed around makes every result depend on all draws before it: add one prefab, and
every later wall moves. Here each use asks for a stream by name, and the name alone (with the world seed
and the map id) decides what it draws. The order in which streams are made or used does not matter.

Weighted choices are races, after Efraimidis and Spirakis, "Weighted random sampling with a reservoir"
(2006): each candidate draws an arrival time `-log(u) / weight` from a stream of its own and the earliest
wins. Adding a candidate leaves the others' times alone, so it changes only the choices that it wins.
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
"""So long a seed may be: to be printed, a number must have an end."""

TEXT_BITS = 53
"""What text comes to has so many bits: every format, database and language keeps such a number as it is."""

NUMBER = re.compile(r"-?[0-9]{1,308}")
"""The text of a number that has no more than `MOST_BITS`, for these are 309 digits."""


def seed_of(seed: SupportsIndex | str) -> int:
    """Return the number that a seed stands for.

    Text that is a whole number, such as ``"7"``, stands for that number. Any other text stands for a number from 0 to
    2**53 - 1 that is made from it by BLAKE2b, on every machine and in every process the same.

    Args:
        seed: A whole number, of numpy as well; or text.

    Raises:
        TypeError: It is neither.
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
"""How finely `Stream.bits` knows shares: to the 64th part."""

DRAWN = 53
"""So many bits make a draw."""

UNIT = 2.0**-DRAWN
"""The distance between neighbouring draws: the grid of doubles in [0, 1) that `random()` uses."""

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio, odd: SplitMix64's step."""

STATE_BITS = 128
STATE_MASK = (1 << STATE_BITS) - 1
LEHMER = 0xDA942042E4DD58B5
"""By which the state of a stream is multiplied from draw to draw."""

PICK_TRIES = 64
"""How many cells of a whole mask are tried before its set cells are ranked."""


def digest(*parts: str | int) -> int:
    """Return 128 bits that depend on every part, on their order and on nothing else."""
    # As text a tuple tells apart what a plain join would not: ("a b", 1), ("a", "b 1"), ("a", "b", "1").
    return int.from_bytes(blake2b(ascii(parts).encode(), digest_size=16).digest(), "little")


def _listed(parts: tuple[str | int, ...]) -> str:
    """Return how a tuple lists them, as in `digest`."""
    return ascii(parts)[1:-1].removesuffix(",")  # which a single part has behind it


def mixed(bits: int) -> int:
    """Return 64 bits, every one of which depends on every one of the lowest 64 bits of an integer.

    The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
    for many numbers that one `digest` leads to, at a fifth of its price.
    """
    bits &= MASK
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def all_mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the same of each of many integers."""
    first, factor, second, other, third = _mixers()
    bits = bits ^ bits >> first
    bits *= factor
    bits ^= bits >> second
    bits *= other
    bits ^= bits >> third
    return bits


@cache
def _mixers() -> tuple[np.uint64, ...]:
    """Return by how much and with what `all_mixed` shifts and multiplies, in turn."""
    import numpy as np  # noqa: PLC0415  # most streams do without

    return tuple(map(np.uint64, (30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31)))


class Stream:
    """A stream of random draws that is cheap to begin: most give but a few. A `MersenneStream` is for hundreds.

    Its draws are the highest bits of a multiplicative congruential generator of 128 bits (Lehmer, "Mathematical
    methods in large-scale computing units", 1951; the multiplier is of L'Ecuyer, "Tables of linear congruential
    generators of different sizes and good lattice structure", 1999).

    Args:
        seed: Of any integer the lowest 64 bits count. Or what returns one, before the first draw: many streams give none.
    """

    __slots__ = ("random",)
    random: Callable[[], float]

    def __init__(self, seed: int | Callable[[], int]) -> None:
        self.random = _lehmer(seed).__next__

    def _words(self, count: int) -> int:
        """Return that many bits, each of which is as often set as not."""
        bits = 0
        for _ in range(0, count, DRAWN):
            bits = bits << DRAWN | int(self.random() / UNIT)
        return bits >> (-count % DRAWN)

    def below(self, count: int) -> int:
        """Return an integer of 0..count-1, evenly."""
        return int(self.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return an integer of low..high, both included, evenly."""
        return low + int(self.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """Return True with the given probability (0 to 1)."""
        return self.random() < probability

    def bits(self, count: int, share: float = 0.5) -> int:
        """Return an integer of `count` bits, each of which is set with the probability `share` (0 to 1).

        Read from its last binary digit to its first, the share tells how even masks are combined: OR for a 1, AND
        for a 0, which halve the distance to 1 and to 0.
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
        """Return one of the options, evenly. IndexError if there is none."""
        return options[int(self.random() * len(options))]

    def pick_set(self, mask: NDArray[np.bool_]) -> int:
        """Return the flat index of one of the set cells of a mask, evenly. IndexError if there is none.

        Cells of the whole mask are tried until one is set, then ranked: so other cells seldom change the pick.
        """
        cells, random = mask.ravel(), self.random
        size, is_set = cells.size, cells.data  # which is twice as quick to look into
        for _ in range(PICK_TRIES):
            at = int(random() * size)
            if is_set[at]:
                return at
        return self._first_ranked(cells.nonzero()[0])

    def _first_ranked(self, places: NDArray[np.intp]) -> int:
        import numpy as np  # noqa: PLC0415  # most streams do without

        if not places.size:
            raise IndexError("no cell is set")
        ranks = all_mixed(np.uint64(self.random() / UNIT) + places.astype(np.uint64) * np.uint64(GOLDEN))
        return int(places[ranks.argmin()])

    def weighted(self, options: Iterable[tuple[T, float]]) -> T:
        """Return one of the (option, weight) pairs' options in proportion to its weight.

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
        """Return the waiting time until an event that happens `weight` times per unit of time."""
        return math.inf if weight <= 0 else -math.log(self.random() + UNIT) / weight


def _lehmer(seed: int | Callable[[], int]) -> Iterator[float]:
    """Yield the draws that a seed leads to."""
    state = mixed(seed if isinstance(seed, int) else seed()) << 64 | 1
    while True:
        yield (state >> STATE_BITS - DRAWN) * UNIT
        state = state * LEHMER & STATE_MASK


class Lot(Generic[T]):
    """Options of which one is drawn again and again, each in proportion to its weight.

    Args:
        options: (option, weight) of each.

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
        """Return one of the options."""
        left = stream.random() * self._total
        for option, weight in self._pairs:
            left -= weight
            if left < 0:
                return option
        return self._pairs[-1][0]


class MersenneStream(Stream):
    """A stream for many draws: to begin it costs as much as fifty draws of another, and then each is all but free.

    Built on the Mersenne Twister: on `random.Random.random`, the one method whose sequence Python promises never to
    change, and, for `bits`, on the words behind it as they come; a test holds their sequence.

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
    """All the streams of one level (or of whatever else the key names).

    Args:
        key: What the streams belong to, usually (world seed, map id).
    """

    __slots__ = ("_begun",)

    def __init__(self, *key: str | int) -> None:
        self._begun = blake2b(f"({_listed(key)}, ".encode(), digest_size=16)

    def under(self, *name: str | int) -> Streams:
        """Return the streams whose names begin like that, to be asked for by the rest of their names."""
        streams = Streams.__new__(Streams)
        streams._begun = self._begun.copy()  # noqa: SLF001
        streams._begun.update(f"{_listed(name)}, ".encode())  # noqa: SLF001
        return streams

    def seed(self, *name: str | int) -> int:
        """Return `digest(*key, *name)`; what stands for the key is hashed already. A name has a part at least."""
        hashed = self._begun.copy()
        hashed.update(f"{_listed(name)})".encode())
        return int.from_bytes(hashed.digest(), "little")

    def stream(self, *name: str | int) -> Stream:
        """Return the stream of that name, from its beginning. The first part is the stage."""
        return Stream(partial(self.seed, *name))

    def mersenne(self, *name: str | int) -> MersenneStream:
        """Return a stream of that name for hundreds of draws, from its beginning."""
        return MersenneStream(self.seed(*name))

    def branches(self, count: int, *name: str | int) -> list[Stream]:
        """Return so many streams of one name. The first, the second... are the same however many there are."""
        seed = self.seed(*name) if count else 0
        return [Stream(seed + number * GOLDEN) for number in range(1, count + 1)]

    def at_cells(self, *name: str | int) -> Callable[[int, int], Stream]:
        """Return what gives every cell (y, x) a stream of its own: many streams of one name for the price of few."""
        seed = self.seed(*name)

        def stream(y: int, x: int) -> Stream:
            return Stream(seed + (y << 32 | x) * GOLDEN)

        return stream

    def unit(self, *name: str | int) -> float:
        """Return a single draw, in (0, 1]: the cheap way to take just one number from a stream."""
        return ((self.seed(*name) >> 75) + 1) * UNIT

    def ranks(self, *name: str | int) -> Callable[[int, int], int]:
        """Return what gives every cell (y, x) a rank to sort by, `mixed` from it and the name: many draws for the price of few."""
        seed = self.seed(*name) & MASK

        def rank(y: int, x: int) -> int:
            return mixed(seed + (y << 32 | x) * GOLDEN)

        return rank

    def arrival(self, weight: float, *name: str | int) -> float:
        """Return the arrival time in a race of the candidate of that name; infinity if it has no weight."""
        return math.inf if weight <= 0 else -math.log(self.unit(*name)) / weight

    def race(self, weights: Mapping[str, float], *name: str | int) -> list[str]:
        """Return the candidates with a weight above zero in order of arrival; the first is the winner."""
        if len(weights) == 1:  # nobody to race against: no time needs to be drawn
            return [each for each, weight in weights.items() if weight > 0]
        return [each for _, each in sorted(self._times(weights, name))]

    def winner(self, weights: Mapping[str, float], *name: str | int) -> str:
        """Return the first of `race`. ValueError if no candidate has a weight above zero."""
        return min(self._times(weights, name))[1]

    def _times(self, weights: Mapping[str, float], name: tuple[str | int, ...]) -> list[tuple[float, str]]:
        own = self.under(*name) if name else self
        return [(own.arrival(weight, each), each) for each, weight in weights.items() if weight > 0]


class Race(Generic[T]):
    """A weighted choice that is made again and again, each time from one draw of some stream.

    As in `Streams.race` every candidate has an arrival time of its own, which depends on the draw and on the
    candidate's name alone.

    Args:
        candidates: (name, weight, what is won) of each.
        key: What is chosen: of the same draw, races with different keys are independent.

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
        """Return what the first to arrive wins.

        Args:
            draw: What decides, evenly from [0, 1).
        """
        if len(self._prizes) == 1:
            return self._prizes[0]
        draws = self._draws(draw)
        if self._is_even:  # the largest draw arrives first
            return self._prizes[draws.index(max(draws))]
        times = self._arrivals(draws)
        return self._prizes[times.index(min(times))]

    def order(self, draw: float) -> list[T]:
        """Return all that can be won, in order of arrival: first what `winner` returns of the same draw."""
        times = self.times(draw)
        return [self._prizes[index] for index in sorted(range(len(times)), key=times.__getitem__)]

    def times(self, draw: float) -> list[float]:
        """Return when each candidate that has a weight arrives, in the order in which they were given."""
        return self._arrivals(self._draws(draw))

    def _draws(self, draw: float) -> list[int]:
        seed = int(draw / UNIT) * GOLDEN & MASK
        return [mixed(seed ^ name) >> 64 - DRAWN for name in self._names]

    def _arrivals(self, draws: Iterable[int]) -> list[float]:
        return [
            -math.log((own + 1) * UNIT) / weight for own, weight in zip(draws, self._weights, strict=True)
        ]


class Ranking:
    """Cells that are put in a random order again and again, each time by the ranks that `Streams.ranks` gives them.

    Args:
        cells: (number of cells, 2), y and x of each.
    """

    __slots__ = ("_steps",)

    def __init__(self, cells: NDArray[np.integer]) -> None:
        import numpy as np  # noqa: PLC0415  # most streams do without

        y, x = cells.astype(np.uint64).T
        self._steps = (y << np.uint64(32) | x) * np.uint64(GOLDEN)

    def ranks(self, streams: Streams, *name: str | int) -> NDArray[np.uint64]:
        """Return the rank of each cell."""
        import numpy as np  # noqa: PLC0415

        return all_mixed(np.uint64(streams.seed(*name) & MASK) + self._steps)
