"""Reports as one HTML page without any other file, network or server; and a server that redraws it while the run grows.

Tables are in the page as packed JSON, which `page.js` lays out. Findings are in it as text, readable without scripts.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from itertools import chain
from shlex import quote
from threading import Lock
from typing import TYPE_CHECKING, Any
from zlib import compress

import vl_convert

from dungeon.playtest.recording.manifest import read_facts, recorded_parts
from dungeon.playtest.report.charts import charts, colours_of
from dungeon.playtest.report.report import report_on
from dungeon.playtest.report.supply_sections import depth_columns

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from dungeon.content.library import Content
    from dungeon.playtest.report.finding import Finding
    from dungeon.playtest.report.report import Report
    from dungeon.playtest.report.sheet import LevelRef, ReportSheet
    from dungeon.playtest.report.sketches import LevelSketch

DIGITS = 4
"""Number of significant digits in the page."""


def as_html(report: Report, *, redrawn_every: int = 0) -> str:
    """Return a report as a page.

    Args:
        report: The report.
        redrawn_every: Seconds after which the page asks for a newer one; 0 for never.
    """
    spots = _spots(report)
    numbers = {spot: number for number, spot in enumerate(spots)}
    levels = {level: number for number, level in enumerate(dict.fromkeys(spot.level for spot in spots))}
    marks = {mark: number for number, mark in enumerate(sorted({spot.mark for spot in spots}))}
    games = {game: number for number, game in enumerate(sorted({report.replayed(spot) for spot in spots}))}
    encounters = _sheet(report, "frequency")  # includes encounters that no level has
    categories = sorted({category for (category,) in encounters.values("category") if category})
    data = {
        "arguments": report.arguments,
        "viewer": report.viewer,
        "levels": [
            [*level, *_encoded_sketch(report.sketches.get(level), categories, marks)] for level in levels
        ],
        "places": [[levels[spot.level], marks[spot.mark], games[report.replayed(spot)]] for spot in spots],
        "marks": [mark and quote(mark) for mark in marks],
        "games": list(games),
        "categories": categories,
        "colours": colours_of(categories),
        "findings": [[numbers[spot] for spot in each.shown] for each in (*report.findings, *report.accepted)],
        "sheets": [_sheet_data(sheet, numbers) for sheet in report.sheets],
        "charts": charts(categories, depth_columns(_sheet(report, "items"))),
        "redrawn": redrawn_every,
    }
    parts = {
        "about": "".join(f"<p>{escape(line)}</p>" for line in report.about),
        "findings": _findings(report),
        "css": _asset("page.css"),
        "js": _asset("page.js"),
        "renderer": renderer(),
        "data": packed(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
    }
    page = _asset("page.html")
    head, *rest = page.split("{{")
    filled = (part.split("}}", 1) for part in rest)
    return head + "".join(parts[name] + text for name, text in filled)


@cache
def renderer() -> str:
    """Return the JavaScript that draws charts, packed: Vega, Vega-Lite and Vega-Embed with all their dependencies."""
    return packed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def packed(text: str) -> str:
    """Return a text deflated, in base64; `unpacked` in ``page.js`` reads it. A page has less than half the bytes so."""
    return b64encode(compress(text.encode(), 9)).decode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _sheet(report: Report, name: str) -> ReportSheet:
    return next(sheet for sheet in report.sheets if sheet.name == name)


def _spots(report: Report) -> list[LevelRef]:
    """Return all examples of the findings and tables, without duplicates, sorted by seed and map."""
    shown = chain(
        (each.shown for each in (*report.findings, *report.accepted)),
        *(sheet.shown for sheet in report.sheets),
    )
    return sorted(set(chain.from_iterable(shown)))


def _findings(report: Report) -> str:
    """Return the findings as an HTML list, followed by those that are accepted."""
    accepted = "".join(
        f"<li>{escape(each.text)}<br>{_examples(report, number, each)}</li>"
        for number, each in enumerate(report.accepted, len(report.findings))
    )
    if accepted:
        accepted = f"<details><summary>Accepted in accepted.yaml: {len(report.accepted)}</summary><ul>{accepted}</ul></details>"
    if not report.findings:
        return f"<p>No findings.</p>{accepted}"
    items = [
        f'<li data-map="{escape(" ".join(each.maps))}" data-category="{escape(each.category)}">{escape(each.text)} '
        f"<b>{each.frequency}</b><br>{_examples(report, number, each)}</li>"
        for number, each in enumerate(report.findings)
    ]
    return f"<ol>{''.join(items)}</ol>{accepted}"


def _examples(report: Report, number: int, finding: Finding) -> str:
    """Return a button that shows the examples of a finding, and the commands for the first; `number` is its index in the page's data."""
    commands = [finding.command] if finding.command else []
    commands += report.commands(finding.shown[0]) if finding.shown else []
    first = "<br>".join(f"<code>{escape(command)}</code>" for command in commands)
    if not finding.shown:
        return first
    return f'<button class="show" data-finding="{number}">{_seeds(finding.shown)}</button> {first}'


def _seeds(shown: Iterable[LevelRef]) -> str:
    seeds = list(dict.fromkeys(spot.seed for spot in shown))
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}"


def _sheet_data(sheet: ReportSheet, numbers: Mapping[LevelRef, int]) -> dict[str, Any]:
    """Return a sheet as columns for the page's JSON. Texts, which often repeat, are indices into a list of words.

    Args:
        sheet: The sheet.
        numbers: Example -> its index in the page's list of places.
    """
    columns = []
    for at, column in enumerate(sheet.columns):
        values = [row[at] for row in sheet.rows]
        plain: dict[str, Any] = {"name": column.name, "form": column.form, "text": column.text}
        if column.form == "text":
            words = {word: number for number, word in enumerate(dict.fromkeys(values))}
            plain |= {"words": list(words), "values": [words[word] for word in values]}
        else:
            plain["values"] = [_rounded(value) for value in values]
        columns.append(plain)
    shown = [[numbers[spot] for spot in spots] for spots in sheet.shown]
    return {
        "name": sheet.name,
        "title": sheet.title,
        "text": sheet.text,
        "columns": columns,
        "shown": shown,
    }


def _rounded(value: float | None) -> float | None:
    """Return a number rounded to `DIGITS` significant digits; other values as they are."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _encoded_sketch(
    sketch: LevelSketch | None, categories: list[str], marks: Mapping[str, int]
) -> tuple[str, dict[int, str]]:
    """Return the data for a level's small picture: its outlines, and the index of each mark -> the mark's boxes.

    Both are strings with one character for each number: see `outlines` in ``page.js``.
    """
    if sketch is None:
        return "", {}
    numbers = [sketch.height, sketch.width, *sketch.entrance, len(sketch.exits), *chain(*sketch.exits)]
    for category, *box in sketch.boxes:
        numbers += [categories.index(category) if category in categories else len(categories), *box]
    return _encoded(numbers), {
        marks[mark]: _encoded(chain.from_iterable(boxes)) for mark, boxes in sketch.marks.items()
    }


def _encoded(numbers: Iterable[int]) -> str:
    return "".join(chr(FIRST + number) for number in numbers)


FIRST = 160
"""The code of the character that stands for 0. No character from here on needs escaping."""


EVERY = 10
"""Seconds after which the page asks whether the run has grown."""


class Served(ThreadingHTTPServer):
    """A server of the report on a run, for this machine only. Each request gets the run as it is then.

    Args:
        folder: The folder of the run.
        content: Its content.
        port: The port; 0 for any free one.

    Raises:
        PlaytestError: There is no readable run.
        OSError: The port can't be used.
    """

    daemon_threads = True

    def __init__(self, folder: str | os.PathLike[str], content: Content | None, port: int) -> None:
        self._folder, self._content = folder, content
        self._lock, self._drawn = Lock(), ("", b"")
        self.stamp()
        super().__init__(("127.0.0.1", port), _Answer)

    def stamp(self) -> str:
        """Return the page's stamp (its ETag), a text that changes whenever the run has grown."""
        read_facts(self._folder)
        return f'"{sum(map(len, recorded_parts(self._folder)))}"'

    def page(self) -> tuple[str, bytes]:
        """Return (stamp, page as UTF-8 HTML). The page is drawn again only if the run has grown."""
        with self._lock:
            stamp = self.stamp()
            if self._drawn[0] != stamp:
                report = report_on(self._folder, self._content)
                self._drawn = stamp, as_html(report, redrawn_every=EVERY).encode()
            return self._drawn


class _Answer(BaseHTTPRequestHandler):
    """The handler of HTTP requests: it answers with the page, or with the page's stamp (ETag) alone."""

    server: Served

    def do_HEAD(self) -> None:
        """Send the stamp alone, so that a page can find out whether there is a newer one."""
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
        """Log nothing: requests come every few seconds."""

    def _head(self, stamp: str, length: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(length))
        self.send_header("ETag", stamp)
        self.end_headers()
