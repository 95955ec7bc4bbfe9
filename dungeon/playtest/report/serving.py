"""A page that is drawn again while its run grows, for the browser on the same machine."""

from __future__ import annotations

from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING

from dungeon.playtest.reading import read_only
from dungeon.playtest.report.page import as_html
from dungeon.playtest.report.report import report_on

if TYPE_CHECKING:
    import os

    from dungeon.content.library import Content

EVERY = 10
"""After so many seconds the page asks whether the run has grown."""


class Served(ThreadingHTTPServer):
    """Serves the report on a run to this machine only. Whoever asks is given the run as it is then.

    Args:
        folder: The folder of the run.
        content: Its content.
        port: The port; 0 for any that is free.

    Raises:
        PlaytestError: There is no run that can be read.
        OSError: The port can't be used.
    """

    daemon_threads = True

    def __init__(self, folder: str | os.PathLike[str], content: Content | None, port: int) -> None:
        self._folder, self._content = folder, content
        self._lock, self._drawn = Lock(), ("", b"")
        self.stamp()
        super().__init__(("127.0.0.1", port), _Answer)

    def stamp(self) -> str:
        """Return what differs whenever the run has grown."""
        with closing(read_only(self._folder, known=True)) as database:
            (worlds,) = database.execute("SELECT count(*) FROM world").fetchone()
        return f'"{worlds}"'

    def page(self) -> tuple[str, bytes]:
        """Return the stamp and the page that goes with it; it is drawn once for each stamp."""
        with self._lock:
            stamp = self.stamp()
            if self._drawn[0] != stamp:
                report = report_on(self._folder, self._content)
                self._drawn = stamp, as_html(report, redrawn_every=EVERY).encode()
            return self._drawn


class _Answer(BaseHTTPRequestHandler):
    """Answers with the page, or with its stamp alone."""

    server: Served

    def do_HEAD(self) -> None:
        """Tell the stamp."""
        self._head(self.server.stamp(), 0)

    def do_GET(self) -> None:
        """Send the page."""
        if self.path != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        stamp, page = self.server.page()
        self._head(stamp, len(page))
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server calls it so
        """Say nothing of requests: they come every few seconds."""

    def _head(self, stamp: str, length: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(length))
        self.send_header("ETag", stamp)
        self.end_headers()
