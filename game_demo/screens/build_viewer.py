"""Watching a level being built: step by step, by hand, as a film, or as a tour that tells what was done and why."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

import numpy as np

import dungeon
from dungeon import Phase
from dungeon.adapters.animation import drawn_frame
from game_demo.display.drawing import (
    BAR_BG,
    BORDER,
    BRIGHT,
    DIM,
    GOLD,
    PLAIN,
    RED,
    bar,
    clean,
    cut,
    fill,
    put,
)
from game_demo.display.explanations import plain_step
from game_demo.display.map_view import Viewport, viewport_on
from game_demo.display.overview import cells_per_point, minimap
from game_demo.display.palettes import TEXT, legible
from game_demo.display.panels import SIDEBAR_MIN_COLUMNS, sidebar_width
from game_demo.display.tour import most_telling, tour_of
from game_demo.screens.dialogs import TextPage
from game_demo.screens.keys import RUN_KEYS, WATCH_HELP
from game_demo.screens.screen import Screen
from game_demo.state.geometry import Area

if TYPE_CHECKING:
    from collections.abc import Callable

    from tcod.console import Console

    from game_demo.display.tour import Stop
    from game_demo.screens.session import Session
    from game_demo.state.components import Colour
    from game_demo.state.geometry import Cell, Direction

PAUSES: Final = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
"""Seconds between two steps of the film, from slow to fast."""

DEFAULT_SPEED: Final = 3
LEAP: Final = 10
FOOTER_ROWS: Final = 3
"""Rows below the map."""

TEXT_ROWS: Final = 5
"""The least number of rows for the tour's text below the map."""
SPOTLIGHT: Final = (150, 90, 0)
"""The ground of the cells that the tour is about."""
TOUR_KEYS: Final = "right and left: next and back   t every step   z all or near   Tab next level"

ELSEWHERE: Final = "This level is of the world of seed {}, made for this tour only. Your game has another world, so nothing is given away."
"""What the tour says first about a level of another world."""

MAX_FOLLOWED_SHARE: Final = 0.25
"""If a larger share of the map is new, the view does not follow it."""


class BuildViewer(Screen):
    """Shows the steps in which a level of the world is built.

    Args:
        behind: The screen to go back to.
        session: The games whose content is used.
        tours: Whether to begin with the tour, else with the film. Both show another world than that of the session, so that
            they give nothing away.

    Attributes:
        recording: The steps; None if the level could not be made, and `trouble` says why.
        number: The number of the step shown.
        tour: The stops of the tour; empty while there is none. `at` is the index of the stop shown.
        is_near: True to show the map at full size, if only a part of it; False to show all of it in points; None for full size if all fits.
    """

    def __init__(self, behind: Screen, session: Session, *, tours: bool = False) -> None:
        self.behind = behind
        self.content = session.content
        self.seed = session.seed + 1
        self.world = dungeon.World(self.content, self.seed)
        asked = session.start
        self.map_id = asked if asked is not None and asked in self.world else most_telling(self.world)
        self.own_seed = session.seed
        self.typed = {session.seed: session.seed_as_typed}
        self.tours = tours
        self.tour: list[Stop] = []
        self.at = 0
        self.is_tinted = True
        self.follows = True
        self.is_near: bool | None = None
        self.speed = DEFAULT_SPEED
        self.recording: dungeon.Recording | None
        self._shows_near = True
        self._keys: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("l", "right"), lambda: self._step(1)),
            **dict.fromkeys(("h", "left"), lambda: self._step(-1)),
            "pagedown": lambda: self._step(LEAP),
            "pageup": lambda: self._step(-LEAP),
            **dict.fromkeys(("j", "down"), lambda: self._stage(self._stage_after(), 1)),
            **dict.fromkeys(("k", "up"), lambda: self._stage(self._stage_before(), -1)),
            "home": lambda: self._step(-self.last),
            "end": lambda: self._step(self.last),
            **dict.fromkeys((" ", "enter"), self._play_or_stop),
            "tick": self._play_on,
            "+": lambda: self._speed_up(1),
            "-": lambda: self._speed_up(-1),
            "tab": lambda: self._other_map(1),
            "shift+tab": lambda: self._other_map(-1),
            "t": self._take_tour,
            "w": lambda: self._other_world(1),
            "W": lambda: self._other_world(-1),
            "v": self._tint,
            "f": self._follow,
            "z": self._zoom,
        }
        self._record()

    def _record(self) -> None:
        """Build the level, and play the film of it, or begin the tour."""
        self.number = 0
        self.focus: Cell | None = None
        self.pause = PAUSES[self.speed]
        self.trouble = ""
        try:
            self.recording = dungeon.Recording(self.world.steps(self.map_id))
        except dungeon.GenerationError as error:
            self.recording, self.trouble = None, str(error)
        self._plan_tour()

    def _plan_tour(self) -> None:
        """Begin the tour of the level if one is wanted, else end it."""
        self.tour, self.at = [], 0
        if self.tours and self.recording is not None:
            first, *others = tour_of(self.world, self.world.level(self.map_id), self.recording)
            if self.seed != self.own_seed:
                first = first._replace(text=f"{ELSEWHERE.format(self.seed)} {first.text}")
            self.tour = [first, *others]
            self._step(0)

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.recording) - 1 if self.recording else 0

    # -- keys -------------------------------------------------------------------------------------

    def press(self, key: str) -> Screen | None:
        """Do what the key means."""
        if key in ("q", "Q", "escape"):
            return self.behind.resume()
        if key == "?":
            self.pause = None
            return TextPage(self, "Watching", [(line, PLAIN) for line in WATCH_HELP])
        if key in self._keys:
            self._keys[key]()
        elif key in ("H", "J", "K", "L"):
            self._look_elsewhere(RUN_KEYS[key])
        return self

    def _step(self, by: int) -> None:
        """Go some steps on, or some stops of the tour."""
        self.at = min(max(self.at + by, 0), max(len(self.tour) - 1, 0))
        self._go(self.tour[self.at].number if self.tour else self.number + by)

    def _stage(self, number: int, by: int) -> None:
        """Show the first step of a stage, or in the tour the next stop or the one before."""
        if self.tour:
            self._step(by)
        else:
            self._go(number)

    def _take_tour(self) -> None:
        """Begin the tour, or leave it at the step shown."""
        self.tours = not self.tours
        self._plan_tour()

    def _go(self, number: int) -> None:
        """Show a step, and stop the film."""
        self.number = min(max(number, 0), self.last)
        self.pause = None

    def _starts(self) -> list[int]:
        """Return the number of the first step of every stage."""
        return [steps[0] for steps in self.recording.phases.values()] if self.recording else []

    def _stage_after(self) -> int:
        return min((start for start in self._starts() if start > self.number), default=self.last)

    def _stage_before(self) -> int:
        return max((start for start in self._starts() if start < self.number), default=0)

    def _play_or_stop(self) -> None:
        if self.tour:
            self._step(1)
            return
        if self.pause is not None:
            self.pause = None
            return
        if self.number == self.last:
            self.number = 0
        self.pause = PAUSES[self.speed]

    def _play_on(self) -> None:
        """Show the next step of the film."""
        if self.pause is not None:
            self.number = min(self.number + 1, self.last)
            self.pause = PAUSES[self.speed] if self.number < self.last else None

    def _speed_up(self, by: int) -> None:
        self.speed = min(max(self.speed + by, 0), len(PAUSES) - 1)
        if self.pause is not None:
            self.pause = PAUSES[self.speed]

    def _other_map(self, by: int) -> None:
        ids = [node.id for node in self.world.maps]
        self.map_id = ids[(ids.index(self.map_id) + by) % len(ids)]
        self._record()

    def _other_world(self, by: int) -> None:
        """Show the same map of the next world, or one as deep if that world does not have it."""
        depth = self.world.node(self.map_id).depth
        self.seed += by
        self.world = dungeon.World(self.content, self.seed)
        if self.map_id not in self.world:
            self.map_id = min(self.world.maps, key=lambda node: abs(node.depth - depth)).id
        self._record()

    def _tint(self) -> None:
        self.is_tinted = not self.is_tinted

    def _follow(self) -> None:
        self.follows = not self.follows

    def _zoom(self) -> None:
        self.is_near = not self._shows_near

    def _look_elsewhere(self, way: Direction) -> None:
        """Move the viewport, and stop following what is new."""
        self.is_near = True
        if self.recording and self.focus:
            height, width = self.recording.shape
            y, x = self.focus[0] + way[0] * LEAP, self.focus[1] + way[1] * 2 * LEAP
            self.focus = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
            self.follows = False

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self, console: Console) -> None:
        """Draw the map as the step shown left it, and around it the number and messages of the step."""
        self._draw_header(console)
        if self.recording is None:
            put(console, 2, 1, f"This level can't be made: {clean(self.trouble)}", RED)
            return
        room = Area(1, 0, console.height - FOOTER_ROWS, console.width)
        narrow = room._replace(right=console.width - sidebar_width(console.width))
        is_wide = console.width >= SIDEBAR_MIN_COLUMNS
        if self.tour:
            room = narrow if is_wide else self._draw_text_below(console, room)
            if is_wide:
                self._draw_text_beside(console, narrow)
            self._shows_near = self._shows_stop_near(room) if self.is_near is None else self.is_near
        else:
            self._shows_near = self._fits(narrow) if self.is_near is None else self.is_near
            if is_wide and (self._shows_near or self._size(narrow) == self._size(room)):
                room = narrow
                self._draw_messages(console, narrow.right)
        self._draw_map(console, room)
        self._draw_footer(console)

    def _shows_stop_near(self, room: Area) -> bool:
        """Return whether the cells that the stop of the tour is about fit at full size; those of a whole level must, too."""
        ys, xs = self.tour[self.at].cells.nonzero()
        if not ys.size:
            return self._fits(room)
        height, width = room.shape
        return bool(np.ptp(ys) < height and np.ptp(xs) < width)

    def _draw_text_below(self, console: Console, room: Area) -> Area:
        """Write the text of the stop below the map; return the room that is left for the map."""
        stop, width = self.tour[self.at], console.width - 2
        lines = wrap(clean(f"{stop.title}. {stop.text}"), width)
        rows = max(len(lines), TEXT_ROWS)
        for row, line in enumerate(lines):
            put(console, room.bottom - rows + row, 1, line, BRIGHT)
        put(console, room.bottom - rows, 1, clean(f"{stop.title}."), GOLD)
        return room._replace(bottom=room.bottom - rows)

    def _draw_text_beside(self, console: Console, room: Area) -> None:
        """Write the text of the stop beside the map."""
        stop, x = self.tour[self.at], room.right
        for row in range(room.top, room.bottom):
            put(console, row, x, "│", BORDER)
        put(console, room.top, x + 2, clean(stop.title), GOLD)
        for row, line in enumerate(wrap(clean(stop.text), console.width - x - 3)):
            put(console, room.top + 2 + row, x + 2, line, BRIGHT)

    def _fits(self, room: Area) -> bool:
        """Return whether the whole map fits at full size."""
        assert self.recording is not None
        return all(have >= need for have, need in zip(room.shape, self.recording.shape, strict=True))

    def _size(self, room: Area) -> int:
        """Return the side of the square of cells that each point stands for if the map is drawn in points."""
        assert self.recording is not None
        return cells_per_point(self.recording.shape, *room.shape)

    def _draw_header(self, console: Console) -> None:
        fill(console, 0, 0, 1, console.width, BAR_BG)
        node = self.world.node(self.map_id)
        right = f"seed {self.typed.get(self.seed, self.seed)}   ? keys"
        name = clean(self.content.maps[node.name].name)
        end = put(console, 0, 1, cut(name, console.width - len(right) - 36), GOLD)
        end = put(console, 0, end, f", depth {node.depth}", GOLD)
        put(console, 0, end, " · how this level was made" if self.tour else " · how the level is built", DIM)
        put(console, 0, console.width - len(right) - 1, right, PLAIN)

    def _draw_map(self, console: Console, room: Area) -> None:
        assert self.recording is not None
        frame = self.recording[self.number]
        if self.tour:
            drawn = dungeon.to_console(frame)
            self._highlight(drawn)
        else:
            drawn = drawn_frame(frame, "encounters" if self.is_tinted else None)
        if self._shows_near:
            viewport = self._viewport(frame, room)
            picture, y, x = drawn.rgb[viewport.area.slices], viewport.y, viewport.x
        else:
            height, width = room.shape
            picture = minimap(frame, drawn, height, width)
            y, x = room.top + (height - picture.shape[0]) // 2, (width - picture.shape[1]) // 2
        console.rgb[y : y + picture.shape[0], x : x + picture.shape[1]] = picture

    def _highlight(self, drawn: Console) -> None:
        """Tint the cells that the stop of the tour is about, and look at them."""
        cells = self.tour[self.at].cells
        picked = drawn.rgb[cells]
        picked["bg"] = SPOTLIGHT
        picked["fg"] = legible(picked["fg"], picked["bg"], TEXT)
        drawn.rgb[cells] = picked
        ys, xs = cells.nonzero()
        if ys.size and self.follows:
            self.focus = int(ys.min() + ys.max()) // 2, int(xs.min() + xs.max()) // 2

    def _viewport(self, frame: dungeon.Frame, room: Area) -> Viewport:
        """Return the viewport on a frame: that of the frame before, unless the view follows what is new and that lies outside."""
        if self.focus is None:
            self.focus = frame.height // 2, frame.width // 2
        viewport = viewport_on(frame, self.focus, room)
        ys, xs = frame.changed.nonzero()
        if self.tour or not self.follows or not 0 < len(ys) <= MAX_FOLLOWED_SHARE * frame.changed.size:
            return viewport
        corners = ((int(ys.min()), int(xs.min())), (int(ys.max()), int(xs.max())))
        if all(viewport.area.within(corner) for corner in corners):
            return viewport
        (top, left), (bottom, right) = corners
        self.focus = (top + bottom) // 2, (left + right) // 2
        return viewport_on(frame, self.focus, room)

    def _draw_messages(self, console: Console, x: int) -> None:
        """List the messages of the steps around this one."""
        assert self.recording is not None
        messages = self.recording.messages
        rows = console.height - FOOTER_ROWS - 1
        top = min(max(self.number - rows // 2, 0), max(len(messages) - rows, 0))
        for row in range(rows):
            put(console, 1 + row, x, "│", BORDER)
        for row, message in enumerate(messages[top : top + rows]):
            number = top + row
            colour = BRIGHT if number == self.number else PLAIN if number < self.number else DIM
            what = plain_step(clean(message)).partition(" at row ")[0].rstrip(",")  # the footer says where
            put(console, 1 + row, x + 2, cut(what, console.width - x - 3), colour)
            if number == self.number:
                put(console, 1 + row, x + 1, "►", GOLD)

    def _draw_footer(self, console: Console) -> None:
        """Draw the stages, the progress, and the message of the step."""
        assert self.recording is not None
        y = console.height - FOOTER_ROWS
        fill(console, y, 0, 2, console.width, BAR_BG)
        fill(console, y + 2, 0, 1, console.width, (0, 0, 0))
        x = 1
        frame = self.recording[self.number]
        for phase in Phase:
            steps = self.recording.phases.get(phase)
            x = put(console, y, x, phase.value, self._colour(steps, is_now=phase is frame.phase)) + 2
        number, last = (self.at, len(self.tour) - 1) if self.tour else (self.number, self.last)
        how = f"playing {1 / self.pause:.0f}/s, space stops" if self.pause else "space plays"
        if self.tour:
            how = "space goes on" if number < last else "the end"
        count = f"{'stop' if self.tour else 'step'} {number + 1} of {last + 1}"
        left = console.width - len(how) - len(count) - 3
        bar(console, y + 1, 1, left - 3, (number + 1) / (last + 1), GOLD)
        end = put(console, y + 1, left, how, BRIGHT if self.pause else DIM)
        put(console, y + 1, end + 2, count, PLAIN)
        told = TOUR_KEYS if self.tour else plain_step(clean(frame.message))
        put(console, y + 2, 1, cut(told, console.width - 2), DIM if self.tour else PLAIN)

    def _colour(self, steps: range | None, *, is_now: bool) -> Colour:
        """Return the colour of a stage's name."""
        if is_now:
            return GOLD
        return DIM if steps is None or self.number < steps[0] else PLAIN
