"""How similar levels are: for the tests and for `tests/fuzzing/sameness.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Sameness:
    """How much alike some levels of one map are.

    Attributes:
        overlap: Of the cells open in either of two levels, the share open in both; the mean over all pairs.
        chance: The overlap of maps on which as many cells are open anywhere.
        commonest: The share of the levels in which the cell is open that is open most often.
    """

    overlap: float
    chance: float
    commonest: float


def sameness(levels: Sequence[NDArray[np.bool_]]) -> Sameness:
    """Measure how much alike levels are, of each of which the open cells are given, (height, width) bool.

    The overlap of two levels is P. Jaccard's index. Where a share p of the cells is open by chance it is p / (2 - p); what is
    above that, margins, lattices and features that never move have in common.
    """
    cells = np.array([level.ravel() for level in levels], np.float32)
    both = cells @ cells.T
    sizes = both.diagonal()
    either = sizes[:, None] + sizes - both
    pairs = np.triu_indices(len(levels), 1)
    share = cells.mean()
    return Sameness(
        overlap=float((both[pairs] / either[pairs]).mean()),
        chance=float(share / (2 - share)),
        commonest=float(cells.mean(0).max()),
    )
