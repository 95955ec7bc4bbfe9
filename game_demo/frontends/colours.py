"""The colours of a terminal, and which of them are nearest to those of a console.

Colours are turned into *codes*: small whole numbers, one for each colour that the terminal can tell apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

import numpy as np

from game_demo.display.palettes import SIGN, TEXT, contrast, light, luminance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from game_demo.frontends.capabilities import Capabilities

    Shades = NDArray[np.uint8]
    Codes = NDArray[np.int32]

LACKING: Final = 0.3
"""What each missing step of contrast adds to the distance of two colours, where black and white are 1 apart."""
NEARLY: Final = 0.95
"""A pair with this share of the contrast `SIGN` gets `SIGN` in full, because similar pairs share the answer of one of them."""
UNSEEN: Final = 100.0
"""What is added to the distance of colours that could no longer be seen. It is more than any other distance."""
HUE: Final = np.array([1.0, 2.0, 2.0])
"""Weights of lightness and the two colour axes: a grey that turns brown is worse than one that turns lighter."""

Layer = Literal["fg", "bg"]
LAYERS: Final[dict[Layer, int]] = {"fg": 3, "bg": 4}
"""The first digit of a layer's SGR parameter."""


class Colours(Protocol):
    """The colours of a terminal, as codes.

    Attributes:
        grains: How many precisions colours can be told in, from fine to coarse; 1 for terminals with few colours.
    """

    grains: Sequence[int]

    def codes(self, fg: Shades, bg: Shades, grain: int) -> tuple[Codes, Codes]:
        """Return the codes, (n,) for each layer, of (n, 3) colours of text and of backgrounds."""

    def differ(self, one: Codes, other: Codes, layer: Layer, grain: int) -> NDArray[np.bool_]:
        """Return (n,) bool: which codes of a layer differ so much that the screen should change."""

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the SGR parameters that set the colour of a layer."""


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
    """24-bit colour, in steps that the eye hardly notices.

    Lit cells change their shade a little with each step of the player. Shades are rounded to steps and left alone if they change
    by one step only, which saves most of the bytes.
    """

    grains: Sequence[int] = (1, 2, 3, 4, 6)
    STEPS: Final[dict[Layer, int]] = {"fg": 8, "bg": 4}
    """The finest step of a channel: the eye sees differences of large dark grounds better than of thin bright letters."""

    def codes(self, fg: Shades, bg: Shades, grain: int) -> tuple[Codes, Codes]:
        """Return colours rounded to steps, a byte for each channel.

        Text is rounded up and backgrounds are rounded down, so contrast never gets lower.
        """
        step = self.STEPS["fg"] * grain
        lighter = (fg.astype(np.int32) + step - 1) // step * step
        step = self.STEPS["bg"] * grain
        return _packed(lighter.clip(0, 255)), _packed(bg.astype(np.int32) // step * step)

    def differ(self, one: Codes, other: Codes, layer: Layer, grain: int) -> NDArray[np.bool_]:
        """Return where any channel is more than a step away, or the cell was not shown before."""
        far = (one < 0) | (other < 0)
        for shift in (16, 8, 0):
            far |= abs((one >> shift & 255) - (other >> shift & 255)) > self.STEPS[layer] * grain
        return far

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the SGR parameters of a colour."""
        return f"{LAYERS[layer]}8;2;{code >> 16};{code >> 8 & 255};{code & 255}"


class _FewColours:
    """A palette with so few colours that every difference is shown, at one precision."""

    grains: Sequence[int] = (1,)

    def differ(self, one: Codes, other: Codes, _layer: Layer, _grain: int) -> NDArray[np.bool_]:
        """Return where the codes are not equal."""
        different: NDArray[np.bool_] = one != other
        return different


class _Palette(_FewColours):
    """A fixed palette; of each colour the nearest is taken.

    Text colours are compared in OKLab (Bjorn Ottosson 2020, https://bottosson.github.io/posts/oklab/), and by their contrast with the
    background, up to what text needs. A glyph that has the contrast `SIGN` keeps it.

    Args:
        fg: (n, 3) the colours of text, by code.
        bg: (n, 3) the colours of backgrounds, by code.
        ground: Returns the (n, 3) points by which backgrounds are compared.
    """

    COARSE: Final = 3
    """How many low bits of each channel are dropped, so that fewer colours have to be looked up and cached."""

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
        found = contrast(self.fg[None], self.bg[behind][:, None])
        away = np.linalg.norm(_oklab(self.fg)[None] - _oklab(fg)[:, None], axis=2)
        away += LACKING * (wanted - found).clip(0) + UNSEEN * ((wanted >= NEARLY * SIGN) & (found < SIGN))
        letters = away.argmin(axis=1)
        return list(zip(letters.tolist(), behind.tolist(), strict=True))


class PaletteOf256(_Palette):
    """xterm's palette without its first 16 colours, which differ on every terminal."""

    FIRST: Final = 16

    def __init__(self) -> None:
        levels = np.array([0, 95, 135, 175, 215, 255], np.uint8)
        cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        greys = np.repeat(np.arange(8, 248, 10, dtype=np.uint8)[:, None], 3, axis=1)
        colours = np.vstack([cube, greys])
        super().__init__(colours, colours, _oklab)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the SGR parameters of a colour."""
        return f"{LAYERS[layer]}8;5;{code + self.FIRST}"


class PaletteOf16(_Palette):
    """The palette of the IBM PC, which terminals vary; backgrounds use the dark half.

    Args:
        bright_is_bold: Whether the bright half needs bold text. Bold black may then stay black, and is not used.
    """

    def __init__(self, *, bright_is_bold: bool) -> None:
        dark = [(0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0), (0, 0, 170), (170, 0, 170), (0, 170, 170)]
        dark.append((170, 170, 170))
        bright = [tuple(85 + channel // 170 * 170 for channel in colour) for colour in dark]
        bright[3] = (255, 255, 85)
        if bright_is_bold:
            bright[0] = dark[7]  # of two equal colours the first is taken
        self._bright_is_bold = bright_is_bold
        # Compared by linear light, a dark background becomes black and not brown.
        super().__init__(np.array([*dark, *bright], np.uint8), np.array(dark, np.uint8), light)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the SGR parameters of a colour."""
        if layer == "bg":
            return f"4{code}"
        hue = code % 8
        if self._bright_is_bold:
            return f"{22 if code < 8 else 1};3{hue}"
        return f"{3 if code < 8 else 9}{hue}"


class NoColour(_FewColours):
    """No colours: bold, plain and dim text, reversed if it is darker than its background."""

    BOLD: Final = 0.5
    """Text is bold from this relative luminance on."""
    DIM: Final = 0.15
    """Text is dim up to this relative luminance."""

    def codes(self, fg: Shades, bg: Shades, _grain: int) -> tuple[Codes, Codes]:
        """Return 0 for plain text, 1 for bold, 2 for dim; and 1 for reverse."""
        front, back = luminance(fg), luminance(bg)
        brighter = np.maximum(front, back)
        weight = np.where(brighter >= self.BOLD, 1, np.where(brighter <= self.DIM, 2, 0))
        return weight.astype(np.int32), (back > front).astype(np.int32)

    def sgr(self, code: int, layer: Layer) -> str:
        """Return the SGR parameters of a code."""
        return {"fg": ("22", "22;1", "22;2"), "bg": ("27", "7")}[layer][code]


def _packed(colours: Codes) -> Codes:
    """Return (n, 3) colours as one number each, a byte for each channel."""
    packed: Codes = colours @ np.array([1 << 16, 1 << 8, 1], np.int32)
    return packed


def _nearest_of(points: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return for each of the (m, 3) wanted points the index of the nearest of the (n, 3) points."""
    nearest: NDArray[np.intp] = np.linalg.norm(points[None] - wanted[:, None], axis=2).argmin(axis=1)
    return nearest


def _oklab(colours: Shades) -> NDArray[np.float64]:
    """Return (n, 3) colours as OKLab points, weighted by `HUE`."""
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
