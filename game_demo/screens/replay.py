"""Watching a recorded game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tcod.console import Console

from game_demo.display.drawing import BAR_BG, DIM, GOLD, PLAIN, RED, clean, cut, fill, put
from game_demo.display.panels import draw_game
from game_demo.saving.recording import SaveError, begin, replaying
from game_demo.screens.screen import Screen
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from dungeon import Content
    from game_demo.saving.recording import GameRecording

PACES: Final = ((1.0, 1), (0.5, 1), (0.2, 1), (0.1, 1), (0.05, 1), (0.05, 4), (0.05, 20), (0.05, 100))
"""Seconds between two pictures and commands between them, from slow to fast."""

DEFAULT_PACE: Final = 3
LEAP: Final = 10


class Replay(Screen):
    """Shows a recorded game, command by command. With `begin_at`, it begins after this number of commands, stopped.

    Attributes:
        done: How many commands were done.
        trouble: Why the replay can't go on; empty if it can.
        is_playing: Whether the replay goes on by itself.
    """

    def __init__(self, recording: GameRecording, content: Content, *, begin_at: int | None = None) -> None:
        self.recording = recording
        self.game = begin(recording, content)
        self._commands = replaying(recording, self.game)
        self.done = 0
        self.is_over = False
        self.trouble = ""
        self.everything = False
        self.is_playing = begin_at is None
        self._pace = DEFAULT_PACE
        self.pause = PACES[self._pace][0] if self.is_playing else None
        self._go_on(begin_at or 0)

    def draw(self, console: Console) -> None:
        """Draw the game, and below it the progress."""
        y = console.height - 1
        picture = Console(console.width, y, order="C")
        draw_game(picture, self.game, eye="encounters" if self.everything else None)
        console.rgb[:y] = picture.rgb
        fill(console, y, 0, 1, console.width, BAR_BG)
        if self.trouble:
            put(console, y, 1, cut(clean(self.trouble), console.width - 2), RED)
            return
        how = "the end, " + digest_of(self.game)[:12] if self.is_over else f"command {self.done}"
        end = put(console, y, 1, f"Replay, {how}", GOLD)
        plays = "stops" if self.is_playing else "plays"
        steps = "" if self.is_over else f"space {plays}  l one step  n ten  + - pace  "
        put(console, y, end + 2, f"{steps}v all  q leaves", DIM if self.is_over else PLAIN)

    def press(self, key: str) -> Screen | None:
        """Go on, change the pace, or leave."""
        match key:
            case "q" | "Q" | "escape":
                return None
            case "tick" if self.is_playing:
                self._go_on(PACES[self._pace][1])
            case " " | "enter":
                self.is_playing = not self.is_playing
            case "l" | "right" | "n" | "pagedown":
                self.is_playing = False
                self._go_on(1 if key in ("l", "right") else LEAP)
            case "+" | "-":
                self._pace = min(max(self._pace + (1 if key == "+" else -1), 0), len(PACES) - 1)
            case "v":
                self.everything = not self.everything
            case _:
                pass
        self.pause = PACES[self._pace][0] if self.is_playing and not self.is_over else None
        return self

    def _go_on(self, commands: int) -> None:
        """Do `commands` more commands, if there are that many."""
        try:
            for _ in range(commands):
                if self.is_over:
                    return
                self.is_over = next(self._commands, self) is self
                self.done += not self.is_over
        except SaveError as error:
            self.is_over, self.trouble = True, f"The replay ends here: {error}."
