"""The page of a report in a browser: what it shows is what was recorded, and all of it can be reached.

These tests need Debian's Chromium, or another browser of its kind on the path. Where there is none they are skipped,
unless the variable `NEEDS_BROWSER` is set.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, closing
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
from content_files import write_content
from invented_games import Invented
from playwright.sync_api import Browser, Page, sync_playwright
from test_report import RULE_BEHIND
from test_report_games import HARM, SIX_MAPS

import dungeon
from dungeon import playtest
from dungeon.playtest.report.page import as_html
from dungeon.playtest.report.report import report_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dungeon.playtest.recording.recorder import Probe

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

WORLDS = range(10)

CONTENT = {
    "prefabs/rooms.yaml": f"""\
store:
  map: |
    C..C
    ..B.
    ....
  legend:
    C: {{prop: crate}}
    B: {{item: relic}}
hangar:
  map: |
{chr(10).join("    " + "." * 50 for _ in range(30))}
""",
    "objects/items.yaml": """\
scrap: {name: scrap metal, glyph: "!"}
relic: {name: relic, glyph: "!", depth: 9}
""",
    "maps/cellars.yaml": "cellars: {name: The Cellars, size: 50x30, layout: tunnels, encounters: 3}\n",
    "encounters/rooms.yaml": """\
store: {category: reward, prefabs: store, maps: {cellars: common}}
hangar: {category: danger, prefabs: hangar, maps: {cellars: 40}, placing: enclosed}
crates: {category: fluff, maps: {cellars: common}, placing: free,
         content: [{prop: crate, count: 3}]}
""",
}
"""Three encounters, one of them larger than any room, and an item far out of depth."""

GAMES = playtest.Games(bots=("hasty",), game="demo", each=2, limit=60)

SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 780}, "is_mobile": True, "has_touch": True},
}


class Recorded:
    """A run, and the page of its report."""

    def __init__(self, folder: Path, content: dict[str, str] = CONTENT, probe: Probe = GAMES) -> None:
        data = write_content(folder / "data", content)
        playtest.record(data, WORLDS, out=folder, probe=probe)
        self.folder = folder
        self.page = folder / "report.html"
        self.arguments = f" --data {data}"
        self.report = report_on(folder, dungeon.load_content(data))
        self.page.write_text(as_html(self.report), encoding="utf-8")

    def ask(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with playtest.open(self.folder) as run:
            return run.sql(query.replace("rule(reason)", RULE_BEHIND), values).fetchall()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = pytest.fail if os.environ.get("NEEDS_BROWSER") else pytest.skip
        missing(f"there is no browser to open a report in: none of {', '.join(BROWSERS)} is on the path")
    with sync_playwright() as driver, closing(driver.chromium.launch(executable_path=found)) as browser:
        yield browser


@pytest.fixture(scope="module")
def recorded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp("run"))  # not without a browser, for it takes a while


@pytest.fixture(scope="module")
def played(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A run with games, many of which end by death."""
    return Recorded(tmp_path_factory.mktemp("games"), SIX_MAPS, Invented(harm=HARM, hp=25))


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Tabs]:
    """Pages that are open; drawing all charts takes seconds, so tests that only look and click share a page."""
    with ExitStack() as stack:
        yield Tabs(browser, stack)


class Tabs:
    """Reports that are opened without a network, each once for each kind of screen."""

    def __init__(self, browser: Browser, stack: ExitStack) -> None:
        self._browser = browser
        self._stack = stack
        self._kept: dict[tuple[Path, str], tuple[Page, list[str]]] = {}

    def use(self, recorded: Recorded, name: str, *, kept: bool) -> Iterator[Page]:
        """Give the page of a report on a screen named in `SIZES`; no script may fail, and nothing be asked for.

        Args:
            recorded: The report.
            name: The screen.
            kept: Whether other tests use the page too; dialogs are closed after each test.
        """
        key = recorded.page, name
        page, wrong = self._kept.pop(key, None) or self._opened(recorded, name)
        yield page
        assert wrong == []
        if kept:
            page.keyboard.press("Escape")
            self._kept[key] = page, wrong
        else:
            page.context.close()

    def _opened(self, recorded: Recorded, name: str) -> tuple[Page, list[str]]:
        context = self._stack.enter_context(closing(self._browser.new_context(**SIZES[name], offline=True)))
        page = context.new_page()
        wrong: list[str] = []
        here = recorded.page.as_uri()
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if asked.url != here else None)
        page.goto(here)
        page.wait_for_function("() => Boolean(window.vegaEmbed)")
        return page, wrong


@pytest.fixture
def altered() -> None:
    """Ask for a page of one's own, for a test that leaves it in another state."""


alters = pytest.mark.usefixtures("altered")


@pytest.fixture
def page(request: pytest.FixtureRequest, tabs: Tabs, recorded: Recorded) -> Iterator[Page]:
    """Open the report by default as on a desktop."""
    yield from tabs.use(recorded, getattr(request, "param", "desktop"), kept=not_altered(request))


@pytest.fixture
def games(request: pytest.FixtureRequest, tabs: Tabs, played: Recorded) -> Iterator[Page]:
    """Open the report on games by default as on a desktop."""
    yield from tabs.use(played, getattr(request, "param", "desktop"), kept=not_altered(request))


def not_altered(request: pytest.FixtureRequest) -> bool:
    return "altered" not in request.fixturenames


def drawn(page: Page) -> Page:
    """Wait until all charts are drawn."""
    page.wait_for_function(
        "[...document.querySelectorAll('.chart')].every((each) => each.hidden || each.querySelector('svg'))"
    )
    return page


in_all_sizes = pytest.mark.parametrize("page", SIZES, indirect=True)


def rows(page: Page, sheet: str) -> list[dict[str, str]]:
    """Return all rows of a table as they are shown: what columns are called -> what a cell says."""
    section = page.locator(f"#{sheet}")
    more = section.locator(".more")
    if more.is_visible() and "all" in more.inner_text():
        more.click()
    names = section.locator("th").all_inner_texts()
    cells = section.locator("td").all_inner_texts()
    lines = [cells[at : at + len(names)] for at in range(0, len(cells), len(names))]
    return [dict(zip(names, line, strict=True)) for line in lines]


def listed(page: Page) -> list[list[str]]:
    """Return of each level in the dialog what it is and the command; its outlines must be seen, too."""
    levels = page.locator("#levels[open] li").evaluate_all(
        """(all) => all.map((each) => {
            const picture = each.querySelector("svg"), { width, height } = picture.getBoundingClientRect();
            return [Math.min(width, height), picture.querySelectorAll("circle").length,
                each.querySelector("b").textContent, each.querySelector("code").textContent];
        })"""
    )
    assert all(size > 100 and marks >= 1 for size, marks, *_ in levels)
    return [told for _, _, *told in levels]


SHOWN = {
    ("frequency", "map", "encounter", "realised", "on levels"): """
        SELECT map, encounter, format('{:.2f}', count(*) / made), format('{:.1f} %', 100 * count(DISTINCT seed) / made)
        FROM placements JOIN (SELECT map, count(*) AS made FROM levels GROUP BY map) USING (map)
        WHERE encounter <> '' GROUP BY map, encounter, made""",
    ("refusals", "map", "subject", "reason", "times"): """
        SELECT map, subject, rule(reason), count(*) FROM refusals GROUP BY map, subject, rule(reason)""",
    ("rules", "map", "subject", "rule", "spots"): """
        SELECT map, subject, rule, format('{:,}', sum(count)::BIGINT) FROM refused_spots
        JOIN (SELECT seed, map, n AS refusal, subject FROM refusals) USING (seed, map, refusal)
        GROUP BY map, subject, rule""",
    ("objects", "map", "tag", "times"): """
        SELECT map, tag, count(*) FROM spawns WHERE kind IN ('robot', 'trap', 'item') GROUP BY map, tag""",
    ("metrics", "map", "metric", "most"): """
        SELECT map, metric, format('{:,.2f}', max(value)) FROM metrics
        GROUP BY map, metric""",
}
"""Sheet and columns -> what they are to show."""


def test_figures_on_the_page_are_those_of_sql(page: Page, recorded: Recorded) -> None:
    for (sheet, *columns), query in SHOWN.items():
        shown = [tuple(row[column] for column in columns) for row in rows(page, sheet)]
        shown = [
            row for row in shown if row[-1] not in ("0.0 %", "0")
        ]  # SQL has no rows for what is not there
        there = [tuple(str(each).removesuffix(".00") for each in row) for row in recorded.ask(query)]
        assert there
        assert sorted(shown) == sorted(there), sheet


@in_all_sizes
def test_a_click_on_a_number_lists_levels_that_show_it(page: Page, recorded: Recorded) -> None:
    row = page.locator("#frequency tbody tr", has_text="crates").first
    where = row.locator("td").first.inner_text()
    row.get_by_role("button").last.click()
    assert page.locator("#levels-title").inner_text() == f"Encounters · {where} · crates · fluff"
    there = recorded.ask(
        "SELECT DISTINCT seed FROM placements WHERE map = ? AND encounter = 'crates' ORDER BY seed LIMIT 5",
        where,
    )
    assert listed(page) == [
        [
            f"seed {seed}, {where}: crates",
            f"dungeon show {where} --seed {seed} --mark crates{recorded.arguments}",
        ]
        for (seed,) in there
    ]
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#levels").is_visible()


def test_commands_are_those_of_the_report(page: Page, recorded: Recorded) -> None:
    shown = [spots for sheet in recorded.report.sheets for spots in sheet.shown]
    shown += [finding.shown for finding in recorded.report.findings]
    told = page.evaluate(
        """() => [...data.sheets.flatMap((sheet) => sheet.shown), ...data.findings].map((numbers) =>
            numbers.map((number) => commandsOf(data.places[number])))"""
    )
    assert told == [[[*recorded.report.commands(spot)] for spot in spots] for spots in shown]
    commands = [command for each in told for found in each for command in found]
    assert any(each.startswith("dungeon-demo --replay hasty --game-seed 1 --limit 60 ") for each in commands)


def test_marks_have_frames(page: Page, recorded: Recorded) -> None:
    row = page.locator("#frequency tbody tr", has_text="crates").first
    where = row.locator("td").first.inner_text()
    row.get_by_role("button").last.click()
    frames = page.locator("#levels[open] li").evaluate_all(
        "(all) => all.map((each) => each.querySelectorAll('rect.marked').length)"
    )
    query = "SELECT count(*) FROM placements WHERE map = ? AND encounter = 'crates' GROUP BY seed ORDER BY seed LIMIT 5"
    assert frames == [count for (count,) in recorded.ask(query, where)]


def test_every_number_and_every_finding_leads_to_levels(page: Page) -> None:
    sheets = {
        each: page.locator(f"#{each} td button").first
        for each in page.evaluate("data.sheets.map((each) => each.name)")
    }
    buttons = [each for each in sheets.values() if each.count()]
    buttons += page.locator("#findings button").all()
    assert len(buttons) > 12
    for button in buttons:
        button.click()
        assert listed(page)
        page.keyboard.press("Escape")


def test_a_click_on_a_mark_of_a_chart_lists_levels(page: Page) -> None:
    for mark in (
        "#frequency .mark-symbol path[aria-label*=crates]",
        "#places .mark-rect path",
        "#times .mark-rect path",
    ):
        drawn(page).locator(mark).last.click()
        assert listed(page), mark
        page.keyboard.press("Escape")


CLICK = """(chart) => {
  for (const mark of [...chart.querySelectorAll(".mark-rect path, .mark-symbol path")].reverse()) {
    mark.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (document.querySelector("#levels[open]")) return;  // outlines behind the marks lead nowhere
  }
}"""


@alters
def test_click_through_every_section(games: Page) -> None:
    """Go to each section by its link; sort its table, open a number, show all rows, and click a mark of each chart."""
    drawn(games)
    names = games.evaluate("data.sheets.map((each) => each.name)")
    clicked = set()
    for name in names:
        games.locator(f"#contents a[href='#{name}']").click()
        section = games.locator(f"#{name}")
        assert section.evaluate("(each) => Math.abs(each.getBoundingClientRect().top) < innerHeight")
        head = section.locator("th").last
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") in ("ascending", "descending")
        more = section.locator(".more")
        if more.is_visible():
            shown = section.locator("tbody tr").count()
            more.click()
            assert section.locator("tbody tr").count() > shown
        for chart in section.locator(".chart:visible").all():
            chart.evaluate(CLICK)
            if section.locator("td button").count():
                assert listed(games), name
                games.keyboard.press("Escape")
                clicked.add(name)
    assert {
        "lethality",
        "survival",
        "economy",
        "killers",
        "deaths",
        "robots",
        "frequency",
        "range",
        "places",
    } <= clicked


def test_every_chart_has_a_sentence_above_it(games: Page) -> None:
    charts = drawn(games).locator("figure:visible")
    assert charts.count() > 15
    for chart in charts.all():
        assert chart.locator("figcaption").inner_text().startswith("Look ")


def test_deaths_lie_within_the_outline_of_their_map(games: Page, played: Recorded) -> None:
    frames = drawn(games).locator("#deaths [class*=layer_0_marks] path")
    ((maps,),) = played.ask("SELECT count(DISTINCT map) FROM plays WHERE ending = 'death'")
    assert frames.count() == maps > 1
    outside = games.evaluate(
        """() => [...document.querySelectorAll("#deaths path[aria-label*=times]")].filter((death) => {
            const frame = death.closest(".cell > g").querySelector("[class*=layer_0_marks] path");
            const [a, b] = [death, frame].map((each) => each.getBoundingClientRect());
            return a.left < b.left - 1 || a.left > b.right || a.top < b.top - 1 || a.top > b.bottom;
        }).length"""
    )
    assert outside == 0


BARS = """async () => {
  const rows = Array.from({ length: 20 }, (_, n) => ({ row: n, stage: "place", reason: `reason ${n}`, times: n + 1 }));
  rows.push({ row: 20, stage: "seed", reason: "structure", times: 1000 });
  const at = document.body.appendChild(document.createElement("div"));
  await vegaEmbed(at, { ...data.charts.refusals[0], datasets: { rows } }, { renderer: "svg", actions: false });
  return [...at.querySelectorAll(".mark-rect path")].map((each) => each.getAttribute("aria-label").match(/reason: ([^;]+)/)[1]);
}"""


@alters
def test_the_fifteen_most_frequent_reasons_and_the_others_have_bars(page: Page) -> None:
    bars = drawn(page).evaluate(BARS)
    assert set(bars) == {*(f"reason {n}" for n in range(5, 20)), "others"}
    assert len(bars) == 16


def test_outliers_of_a_scatter_plot_are_named(page: Page) -> None:
    names = drawn(page).locator("#frequency .mark-text.role-mark text:visible").all_text_contents()
    assert "hangar" in names  # which fits in no room


@alters
def test_filters_leave_matching_rows(page: Page) -> None:
    drawn(page)

    def maps(sheet: str) -> set[str]:
        return {row["map"] for row in rows(page, sheet)}

    findings = page.locator("#findings li:visible")
    everything = findings.count()
    assert maps("frequency") == maps("metrics") == {"cellars/1", "cellars/2"}
    page.locator("select[name=map]").select_option("cellars/2")
    assert maps("frequency") == maps("metrics") == {"cellars/2"}
    assert 0 < findings.count() <= everything
    assert all("cellars/2" in (each.get_attribute("data-map") or "").split() for each in findings.all())
    page.locator("select[name=category]").select_option("danger")
    assert [row["encounter"] for row in rows(page, "frequency")] == ["hangar"]
    assert [each.get_attribute("data-category") for each in findings.all()] == ["danger"]
    page.locator("select[name=depth]").select_option("1")
    assert rows(page, "frequency") == []
    assert page.locator("#frequency").get_by_text("No rows match the filters.").is_visible()
    assert page.locator("#frequency .chart:visible").count() == 0
    page.get_by_role("button", name="All", exact=True).click()
    page.locator("#frequency td").first.wait_for()  # the form is reset before its listeners run
    assert maps("frequency") == {"cellars/1", "cellars/2"}
    assert findings.count() == everything


@alters
def test_every_control_can_be_reached_by_keys(page: Page) -> None:
    page.evaluate(
        """window.reached = [];
        document.addEventListener("focusin", ({ target }) => reached.push([
            target.closest("[id]")?.id, target.name || target.className || target.tagName, getComputedStyle(target).outlineStyle]))"""
    )
    stops = (
        page.locator("a, select, button:not([tabindex='-1']):not(dialog *)").locator("visible=true").count()
    )
    for _ in range(stops):
        page.keyboard.press("Tab")
    reached = page.evaluate("reached")
    assert [(where, what) for where, what, outline in reached if outline == "none"] == []
    places = {(where, what) for where, what, _ in reached}
    assert {("filters", each) for each in ("map", "depth", "category", "BUTTON")} <= places
    assert {("findings", "show"), ("contents", "A"), ("metrics", "more"), ("failures", "BUTTON")} <= places


@alters
def test_keys_do_what_clicks_do(page: Page) -> None:
    page.locator("#refusals th button").last.focus()
    page.keyboard.press("Enter")
    assert page.locator("#refusals th").last.get_attribute("aria-sort") == "descending"
    number = page.locator("#objects td button[tabindex='0']").first
    number.focus()
    page.keyboard.press("Enter")
    assert listed(page)
    for _ in range(20):  # the focus does not leave the dialog
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement.closest('dialog') !== null || document.activeElement === document.body"
        )
    page.keyboard.press("Escape")
    assert not page.locator("#levels").is_visible()
    assert number.evaluate("(each) => each === document.activeElement")
    page.locator("select[name=map]").focus()
    page.keyboard.press("ArrowDown")
    assert {row["map"] for row in rows(page, "frequency")} == {"cellars/1"}


def test_charts_without_figures_are_left_out_and_no_legend_is_cut(
    tabs: Tabs, played: Recorded, tmp_path: Path
) -> None:
    bare = copy(played)  # a report without the content, so that nothing is known of threat
    bare.page = tmp_path / "bare.html"
    bare.page.write_text(as_html(report_on(played.folder)), encoding="utf-8")
    for page in tabs.use(bare, "phone", kept=False):
        drawn(page)
        assert page.locator("#robots figure").is_hidden()
        shown = page.locator("#frequency figure").evaluate_all("(all) => all.map((each) => each.hidden)")
        assert shown == [True, False], "how often encounters are meant to come is not known either"
        assert page.locator("#robots table").is_visible()
        assert page.locator("#economy figure").first.is_visible()
        cut = page.locator(".role-legend-label text").evaluate_all(
            "(all) => all.filter((each) => each.getBoundingClientRect().right > each.closest('svg').getBoundingClientRect().right)"
            ".map((each) => each.textContent)"
        )
        assert cut == []


LOOKS: list[dict[str, Any]] = [
    {"media": media, "color_scheme": scheme} for media in ("screen", "print") for scheme in ("light", "dark")
]

CONTRASTS = r"""
() => {
  const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (at) => {
    for (let each = at; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const at = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !at.getClientRects().length || at.closest("script, style")) continue;
    const style = getComputedStyle(at);
    const colour = at instanceof SVGElement ? style.fill : style.color;
    const [low, high] = [light(colour), light(ground(at))].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), texts.currentNode.data.trim()]);
  }
  return found;
}
"""
"""The contrast of every text with its ground, by WCAG 2.2's definition."""


@alters
def test_all_text_has_enough_contrast(page: Page) -> None:
    drawn(page).locator("#frequency td button").first.click()
    grounds = []
    for look in LOOKS:
        page.emulate_media(**look)
        found = page.evaluate(CONTRASTS)
        assert len(found) > 300
        assert [(contrast, text) for contrast, text in found if contrast < 4.5] == [], look
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark, *printed = grounds
    assert light != dark
    assert set(printed) == {"rgb(255, 255, 255)"}


@in_all_sizes
def test_nothing_is_wider_than_the_screen(page: Page) -> None:
    def spill(of: str) -> int:
        spilt: int = page.locator(of).evaluate("(each) => each.scrollWidth - each.clientWidth")
        return spilt

    drawn(page)
    assert spill("html") == 0
    assert (
        page.locator(".chart").evaluate_all(
            "(all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
        )
        == 0
    )
    page.locator("#frequency td button").first.click()
    assert spill("dialog") == 0


@pytest.mark.parametrize("games", ["phone"], indirect=True)
def test_tables_fit_on_a_phone(games: Page) -> None:
    cut = games.locator("table").evaluate_all(
        "(all) => all.filter((each) => each.parentNode.scrollWidth > each.parentNode.clientWidth).length"
    )
    assert cut == 0
    first = games.locator("#survival tbody tr").first
    assert "survival 100.0 %" in first.evaluate(
        "(row) => [...row.children].map((each) => `${getComputedStyle(each, '::before').content} ${each.textContent}`.replaceAll('\"', '')).join(' ')"
    ).replace("  ", " ")
