"""The progress line of long work."""

from io import StringIO

import pytest

import dungeon.cli.printing as module
from dungeon.cli.printing import ProgressLine, waiting


class Terminal(StringIO):
    """Takes what is printed, as a terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


class Clock:
    """An event for which every wait lasts as long as it may, until there have been so many."""

    def __init__(self, waits):
        self.left = waits
        self.now = 0.0

    def wait(self, seconds):
        """Let time pass."""
        self.now += seconds
        self.left -= 1
        return self.left <= 0


def drawn(waits, monkeypatch):
    """Return what is drawn until it is over, after so many waits."""
    clock, terminal = Clock(waits), Terminal()
    monkeypatch.setattr(module, "monotonic", lambda: clock.now)
    ProgressLine("making cellars/1", clock).draw_on(terminal)
    return terminal.getvalue()


def test_short_work_shows_no_progress_line(monkeypatch):
    assert drawn(1, monkeypatch) == ""


def test_long_work_shows_a_progress_line_and_erases_it(monkeypatch):
    assert drawn(4, monkeypatch) == (
        "\rmaking cellars/1, 1 s\x1b[K\rmaking cellars/1, 2 s\x1b[K\rmaking cellars/1, 2 s\x1b[K\r\x1b[K"
    )


@pytest.mark.parametrize("term", ["xterm", "dumb"])
@pytest.mark.parametrize("kind", [StringIO, Terminal])
def test_progress_is_shown_only_on_terminals(monkeypatch, kind, term):
    stream = kind()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(module, "PATIENCE", 0)
    is_drawn = kind is Terminal and term != "dumb"
    with waiting("counting") as wait:
        wait.what = "dividing"
        while is_drawn and "dividing" not in stream.getvalue():
            wait.over.wait(0.001)
    assert stream.getvalue().endswith("\r\x1b[K") == is_drawn
    assert bool(stream.getvalue()) == is_drawn
