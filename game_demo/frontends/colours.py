"""The colours that a terminal has, and which of them come nearest to those of a console.

A layer's colours become *codes*, small whole numbers, one for each colour that can be told from others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

import numpy as np

from game_demo.display.palettes import TEXT, contrast, light, luminance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from game_demo.frontends.capabilities import Capabilities

    Shades = NDArray[np.uint8]
    Codes = NDArray[np.int32]

LACKING: Final = 0.3
"""What each step of contrast that is lacking counts, where black and white are 1 apart."""
HUE: Final = np.array([1.0, 2.0, 2.0])
"""What lightness and the two axes of colour count: a grey that turns brown is worse than one that turns light."""

Layer = Literal["fg", "bg"]
LAYERS: Final[dict[Layer, int]] = {"fg": 3, "bg": 4}
"""The first digit of a layer's parameters."""


class Colours(Protocol):
    """The colours of a terminal, by their codes.

    Attributes:
        grains: From fine to coarse, in which ways colours can be told; there is but 1 where there are few colours.
    """

    grains: Sequence[int]

    def codes(self, fg: Shades, bg: Shades, grain: int) -> tuple[Codes, Codes]:
        """Return the codes, each (n,), of (n, 3) colours of letters and of what is behind them."""

    def differ(self, one: Codes, other: Codes, layer: Layer, grain: int) -> NDArray[np.bool_]:
        """Tell which codes of a layer are so different that it's worth a change on the screen, (n,)."""

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the parameters of the sequence (SGR) that makes letters, or what is behind them, come in a colour."""


def colours_of(terminal: Capabilities) -> Colours:
    """Return the colours of a terminal."""
    match terminal.colours:
        case "24bit":
            return AnyColour()
        case "256":
            return PaletteOf256()
        case "16":
            return PaletteOf16(bright_is_bold=terminal.bright_is_bold)
        case "none":
            return NoColour()


class AnyColour:
    """24-bit colour, but for shades so near each other that nobody would tell them apart.

    What is lit changes its shade a little with each step that the player takes. Shades are told in steps, and left
    alone where they move by no more than one: most of what would be written says nothing to the eye.
    """

    grains: Sequence[int] = (1, 2, 3, 4, 6)
    STEPS: Final[dict[Layer, int]] = {"fg": 8, "bg": 4}
    """The finest steps of a channel: the eye tells large dark grounds better than thin bright letters."""

    def codes(self, fg: Shades, bg: Shades, grain: int) -> tuple[Codes, Codes]:
        """Return colours of which all channels are whole steps, a byte for each channel.

        Letters get brighter by that and what is behind them darker, and so they are no harder to read.
        """
        step = self.STEPS["fg"] * grain
        lighter = (fg.astype(np.int32) + step - 1) // step * step
        step = self.STEPS["bg"] * grain
        return _packed(lighter.clip(0, 255)), _packed(bg.astype(np.int32) // step * step)

    def differ(self, one: Codes, other: Codes, layer: Layer, grain: int) -> NDArray[np.bool_]:
        """Tell where any channel is more than a step away, or anything is shown for the first time."""
        far = (one < 0) | (other < 0)
        for shift in (16, 8, 0):
            far |= abs((one >> shift & 255) - (other >> shift & 255)) > self.STEPS[layer] * grain
        return far

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the sequence's parameters."""
        return f"{LAYERS[layer]}8;2;{code >> 16};{code >> 8 & 255};{code & 255}"


class _FewColours:
    """Colours so few that each is worth a change, and that can be told in one way only."""

    grains: Sequence[int] = (1,)

    def differ(self, one: Codes, other: Codes, _layer: Layer, _grain: int) -> NDArray[np.bool_]:
        """Tell where they are not the same."""
        different: NDArray[np.bool_] = one != other
        return different


class _Palette(_FewColours):
    """A palette of given colours, of which the nearest are taken.

    Letters are compared by how colours look (OKLab, Bjorn Ottosson 2020, https://bottosson.github.io/posts/oklab/),
    and stand out from what is behind them about as much as they are meant to, up to what text needs.

    Args:
        fg: (n, 3) the colours of letters, by their codes.
        bg: (n, 3) those behind them.
        ground: Gives the (n, 3) points by which those behind them are compared.
    """

    COARSE: Final = 3
    """Bits that are left out of each channel, for the nearest is looked up only once for a colour."""

    def __init__(self, fg: Shades, bg: Shades, ground: Callable[[Shades], NDArray[np.float64]]) -> None:
        self.fg, self.bg = fg, bg
        self._ground = ground
        self._known: dict[int, tuple[int, int]] = {}

    def codes(self, fg: Shades, bg: Shades, _grain: int) -> tuple[Codes, Codes]:
        """Return the nearest colours of the palette."""
        pairs = np.hstack([fg, bg]) >> self.COARSE
        keys = pairs.astype(np.int64) @ (1 << np.arange(25, -1, -5, dtype=np.int64))
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        wanted = unique.tolist()
        new = np.array([key not in self._known for key in wanted], np.bool_)
        if new.any():
            found = self._nearest(fg[first[new]], bg[first[new]])
            self._known.update(zip(unique[new].tolist(), found, strict=True))
        codes = np.array([self._known[key] for key in wanted], np.int32).reshape(-1, 2)[inverse]
        return codes[:, 0], codes[:, 1]

    def _nearest(self, fg: Shades, bg: Shades) -> list[tuple[int, int]]:
        behind = _nearest_of(self._ground(self.bg), self._ground(bg))
        wanted = np.minimum(contrast(fg, bg), TEXT)[:, None]
        missing = wanted - contrast(self.fg[None], self.bg[behind][:, None])
        away = np.linalg.norm(_oklab(self.fg)[None] - _oklab(fg)[:, None], axis=2)
        letters = (away + LACKING * missing.clip(0)).argmin(axis=1)
        return list(zip(letters.tolist(), behind.tolist(), strict=True))


class PaletteOf256(_Palette):
    """xterm's palette but for its first 16 colours, which look different everywhere."""

    FIRST: Final = 16

    def __init__(self) -> None:
        levels = np.array([0, 95, 135, 175, 215, 255], np.uint8)
        cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        greys = np.repeat(np.arange(8, 248, 10, dtype=np.uint8)[:, None], 3, axis=1)
        colours = np.vstack([cube, greys])
        super().__init__(colours, colours, _oklab)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the sequence's parameters."""
        return f"{LAYERS[layer]}8;5;{code + self.FIRST}"


class PaletteOf16(_Palette):
    """The palette of the IBM PC, of which every terminal's is some variety; the darker half of it behind letters.

    Args:
        bright_is_bold: Whether the brighter half comes by bold type. Bold black may then be black, and isn't used.
    """

    def __init__(self, *, bright_is_bold: bool) -> None:
        dark = [(0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0), (0, 0, 170), (170, 0, 170), (0, 170, 170)]
        dark.append((170, 170, 170))
        bright = [tuple(85 + channel // 170 * 170 for channel in colour) for colour in dark]
        bright[3] = (255, 255, 85)
        if bright_is_bold:
            bright[0] = dark[7]  # of two colours that are the same the first is taken
        self._bright_is_bold = bright_is_bold
        # By how much light it is, a dark ground is black, and not brown.
        super().__init__(np.array([*dark, *bright], np.uint8), np.array(dark, np.uint8), light)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the sequence's parameters."""
        if layer == "bg":
            return f"4{code}"
        hue = code % 8
        if self._bright_is_bold:
            return f"{22 if code < 8 else 1};3{hue}"
        return f"{3 if code < 8 else 9}{hue}"


class NoColour(_FewColours):
    """Bold, plain and dim letters, and reverse where they are darker than what is behind them."""

    BOLD: Final = 0.5
    """Letters are bold from this relative luminance on, whichever of the two they are made of."""
    DIM: Final = 0.15
    """Up to this one they are dim."""

    def codes(self, fg: Shades, bg: Shades, _grain: int) -> tuple[Codes, Codes]:
        """Return 0 for plain letters, 1 for bold ones, 2 for dim ones; and 1 for reverse."""
        front, back = luminance(fg), luminance(bg)
        brighter = np.maximum(front, back)
        weight = np.where(brighter >= self.BOLD, 1, np.where(brighter <= self.DIM, 2, 0))
        return weight.astype(np.int32), (back > front).astype(np.int32)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the sequence's parameters."""
        return {"fg": ("22", "22;1", "22;2"), "bg": ("27", "7")}[layer][code]


def _packed(colours: Codes) -> Codes:
    """Return (n, 3) colours as a number each, a byte for each channel."""
    packed: Codes = colours @ np.array([1 << 16, 1 << 8, 1], np.int32)
    return packed


def _nearest_of(points: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return which of the (n, 3) points is the nearest to each of the (m, 3) wanted."""
    nearest: NDArray[np.intp] = np.linalg.norm(points[None] - wanted[:, None], axis=2).argmin(axis=1)
    return nearest


def _oklab(colours: Shades) -> NDArray[np.float64]:
    """Return (n, 3) colours as OKLab, in which equal distances look equal, but with more of hue and less of lightness."""
    lab: NDArray[np.float64] = np.cbrt(light(colours) @ _CONES.T) @ _OPPONENTS.T * HUE
    return lab


_CONES: Final = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
_OPPONENTS: Final = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
