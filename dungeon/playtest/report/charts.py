"""The charts of a report as Vega-Lite specifications, for some of its tables.

A chart holds no data: the page gives it the filtered rows of its table. Axes and labels take the colour of the page's text, so that
they are readable on light and dark pages.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import altair as alt

from dungeon.playtest.report.level_sections import DANGER, LINEAR, SQUARE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROWS = "rows"
"""The name of the data in charts."""

COLOURS = {"fluff": "#8a8f98", "risk": "#d98a00", "danger": "#d5453d", "reward": "#2f9e5f"}
"""Colours of the built-in categories."""

OTHERS = ["#8a63d2", "#2b8fc9", "#b8577e", "#7a8b2a", "#00968a"]
"""Colours of categories that authors declare, in turn."""

PLAIN = "#2b8fc9"
"""Colour of marks where colour has no meaning."""

METRICS = [
    *("linearity", "open", "walkable", "rooms", "loops", "dead_ends", "dead_end_rooms", "routes", "islands"),
    *("exit_nearest", "exit_farthest", "longest", "chokes", "locks", "rounds"),
]
"""Metrics that can be drawn."""

SMALL = 160
"""Width of each of several small charts, in pixels."""

HEAT = alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0.15, 1]), type="sqrt")
"""Colour scale of heat maps, without its darkest part, which could not be seen on a dark page."""


LOOK_FOR: dict[str, tuple[str, ...]] = {
    "lethality": (
        "Look at the named encounters: they cost most in all. Those far up cost much each time, those far to the right are met often.",
    ),
    "survival": (
        "Look for a steep step down: many games end at the depth before it. Shaded: 95% intervals.",
    ),
    "items": (
        "Look for a class whose colours fade with the depth: its items become scarce there. Dark: hardly any.",
    ),
    "economy": (
        "Look for depths where games use more items than they take.",
        "Look for depths where games spend more charge than they take on: they live on what they brought.",
    ),
    "endings": ("Look for bots that give up: they found no way on, so a level may be a dead end.",),
    "killers": ("Look for a robot or trap that ends far more games than the next.",),
    "deaths": (
        "Look for deaths close together, above all at stairs (rings). Grey: the prefabs and encounters of up to four of these levels.",
    ),
    "visits": ("Look for a map that costs much more than its neighbours.",),
    "robots": (
        "Look at the named robots: in sum, their fights differ most from what is usual for their threat (the line).",
    ),
    "frequency": (
        "Look below the line: such encounters are rarer than declared. Those with the most missing copies are named.",
        "Look for columns with few cells: maps with little variety. Look for bright cells: encounters on almost every level.",
    ),
    "categories": ("Look for maps whose mix differs from that of their neighbours.",),
    "refusals": ("Look for a reason that comes far more often than the next. Only encounters are counted.",),
    "stakes": (
        "Look for a map with less threat than the one before it in its branch. Bars go from the 10th to the 90th percentile of its levels.",
    ),
    "out_of_depth": ("Look for long bars: much on such a map is meant for deeper maps.",),
    "metrics": (
        "Look for a map that stands apart from the others. Bars go from the 10th to the 90th percentile of its levels.",
    ),
    "range": (
        "Look at how far the cells spread: with a few bright cells, all levels of the type are alike.",
    ),
    "sameness": (
        "Look for long bars: the levels of such a map have much the same encounters in every world.",
    ),
    "places": (
        "Look for bright squares: most worlds use the same place. Empty squares are never used. Rings: the stairs of up to four levels.",
    ),
    "locks": ("Look for long bars: such a key is a long walk away for the size of its map.",),
    "times": ("Look for maps that take much longer than the others.",),
}
"""Sheet -> for each of its charts, a sentence that says what to look for."""


def charts(categories: Iterable[str], depths: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return sheet -> its charts; sheets without charts are left out. The `description` of a chart says what to look for in it.

    Args:
        categories: The categories of encounters.
        depths: The columns about one depth each in the table of items.
    """
    colours = colours_of(categories)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    category = alt.Color("category:N", scale=scale, title=None)
    red = {
        "color": alt.value(COLOURS["danger"]),
        "opacity": alt.Opacity("times:Q", scale=alt.Scale(range=[0.5, 1]), legend=None),
    }
    heat = {"color": alt.Color("times:Q", scale=HEAT, legend=None)}
    of_encounters = "datum.stage == 'place'"
    drawn: dict[str, list[Any]] = {
        "lethality": [_lethality()],
        "survival": [_survival()],
        "items": [_items(depths)],
        "economy": [
            _economy("items", gained="taken", used="used"),
            _economy("charge", charged="charged", spent="spent"),
        ],
        "endings": [_endings()],
        "killers": [_bars("times:Q", "killer:N", "games ended by it", most=MOST)],
        "deaths": [_maps("true", red, boxes=True)],
        "visits": [_bars("hp_lost:Q", "map:N", "hit points lost a game", "bot:N")],
        "robots": [_robots()],
        "frequency": [_frequency(category), _copies()],
        "categories": [_categories(category)],
        "refusals": [_bars("times:Q", "reason:N", "refusals", most=MOST, kept=of_encounters)],
        "stakes": [_spans("threat", "threat_p10", "threat_p90", "average threat of a level")],
        "out_of_depth": [_bars("deep_share:Q", "map:N", "share out of depth", "kind:N")],
        "metrics": [_metrics()],
        "range": [_heat_maps()],
        "sameness": [_bars("same:Q", "map:N", "share of encounters in common")],
        "places": [_maps("datum.category != 'exit'", heat)],
        "locks": [_locks()],
        "times": [_bars("took:Q", "map:N", "milliseconds for a level")],
    }
    return {
        name: [
            chart.properties(description=text).to_dict(validate=False)
            for chart, text in zip(each, LOOK_FOR[name], strict=True)
        ]
        for name, each in drawn.items()
    }


def colours_of(categories: Iterable[str]) -> dict[str, str]:
    """Return category -> colour."""
    others = cycle(OTHERS)
    return {each: COLOURS.get(each) or next(others) for each in categories}


OUTLIERS = 8
"""Number of marks of a scatter plot that are named."""

MOST = 15
"""Number of bars of values that are not maps; the others are added up."""

BY_DEPTH = alt.X("depth:O", title="depth", axis=alt.Axis(labelAngle=0))
"""Columns by depth."""

FROM_THE_TOP = alt.EncodingSortField("depth", op="min")
"""The order of maps or encounters by depth, the shallowest first."""

MAPS = alt.Y("map:N", sort=FROM_THE_TOP, title=None)
"""One row for each map, in order of depth."""


DOTS: dict[str, Any] = {"filled": True, "size": 60, "opacity": 0.8}
DASHED: dict[str, Any] = {"strokeDash": [4, 4], "opacity": 0.5, "color": "currentColor"}
"""The looks of scatter plots: their dots, and the line to which these are compared."""


def _rows() -> alt.Chart:
    return alt.Chart(alt.NamedData(name=ROWS))


def _sum(column: str) -> alt.AggregatedFieldDef:
    """Return the sum of a column, under the column's own name."""
    return alt.AggregatedFieldDef.from_dict({"op": "sum", "field": column, "as": column})


def _named(points: Any, by: str, x: alt.X, y: alt.Y, name: str) -> Any:
    """Draw the names of the outliers among the marks of a scatter plot; the page hides names that would overlap.

    Args:
        points: The chart of the marks, with its transforms.
        by: The column by which outliers are found: the rows with the highest values.
        x: The horizontal position.
        y: The vertical position.
        name: The column with the names.
    """
    ranked = points.transform_window(
        outlier="row_number()", sort=[alt.SortField(by, order="descending")]
    ).transform_filter(f"datum.outlier <= {OUTLIERS} && datum.{by} > 0")
    return ranked.mark_text(align="left", dx=6, dy=-4, color="currentColor").encode(x=x, y=y, text=name)


def _frequency(category: alt.Color) -> Any:
    """Draw a scatter plot of realised over declared copies with the line of equality."""
    rows = _rows().transform_calculate(missing="datum.declared - datum.realised")
    x = alt.X("declared:Q", title="declared copies on a level")
    y = alt.Y("realised:Q", title="copies on a level")
    same = _rows().mark_line(**DASHED)
    points = rows.mark_point(**DOTS).encode(x=x, y=y, color=category, tooltip=COPIES)
    scatter = alt.layer(
        same.encode(x=x, y=alt.Y("declared:Q", title="copies on a level")),
        points,
        _named(rows, "missing", x, y, "encounter:N"),
    )
    return scatter.properties(width="container", height=300)


COPIES = [
    "map:N",
    "encounter:N",
    *(alt.Tooltip(f"{each}:Q", format=".3f") for each in ("declared", "realised")),
]
"""What is told of an encounter on a map."""


def _copies() -> Any:
    """Draw a heat map of the copies of each encounter on each map; both are in order of depth."""
    grid = (
        _rows()
        .mark_rect()
        .encode(
            x=alt.X("map:N", sort=FROM_THE_TOP, title=None, axis=alt.Axis(labelAngle=-90, orient="top")),
            y=alt.Y("encounter:N", sort=FROM_THE_TOP, title=None),
            color=alt.Color("realised:Q", title="copies on a level", scale=HEAT),
            tooltip=COPIES,
        )
    )
    return grid.properties(width="container", height=alt.Step(13))


BOT = alt.Color("bot:N", title=None, legend=alt.Legend(symbolOpacity=1, symbolType="circle"))


def _lethality() -> Any:
    """Draw the hit points lost in each encounter over the number of meetings, for each bot."""
    rows = (
        _rows()
        .transform_calculate(lost="datum.hp_lost * datum.meetings")
        .transform_aggregate(
            [_sum("lost"), _sum("meetings"), _sum("deaths")],
            groupby=["encounter", "bot"],
        )
        .transform_filter("datum.meetings > 0")
        .transform_calculate(each="datum.lost / datum.meetings")
    )
    x = alt.X("meetings:Q", title="number of meetings")
    y = alt.Y("each:Q", title="hit points lost per meeting")
    told = [
        "encounter:N",
        "bot:N",
        "meetings:Q",
        "deaths:Q",
        alt.Tooltip("each:Q", format=".1f", title="hit points per meeting"),
    ]
    points = rows.mark_point(**DOTS).encode(x=x, y=y, color=BOT, tooltip=told)
    return alt.layer(points, _named(rows, "lost", x, y, "encounter:N")).properties(
        width="container", height=300
    )


def _robots() -> Any:
    """Draw the toll of each robot over its threat, with the usual toll as a line."""
    rows = (
        _rows()
        .transform_filter("datum.ratio > 0")
        .transform_calculate(odd="abs(datum.toll - datum.usual) * datum.fought")
    )
    x = alt.X("threat:Q", title="threat")
    y = alt.Y("toll:Q", title="hit points in a fight")
    line = rows.mark_line(**DASHED).encode(x=x, y=alt.Y("usual:Q", title="hit points in a fight"))
    told = [
        "robot:N",
        "threat:Q",
        "fought:Q",
        *(alt.Tooltip(f"{each}:Q", format=".1f") for each in ("toll", "usual", "ratio")),
    ]
    points = rows.mark_point(**DOTS, color=PLAIN).encode(x=x, y=y, tooltip=told)
    return alt.layer(line, points, _named(rows, "odd", x, y, "robot:N")).properties(
        width="container", height=300
    )


def _economy(title: str, **columns: str) -> Any:
    """Draw lines over depth for each bot: what games gain there, and what they spend.

    Args:
        title: The title of the vertical axis.
        columns: Column of the table -> what its line is called.
    """
    names = ", ".join(f"{column}: '{name}'" for column, name in columns.items())
    rows = (
        _rows()
        .transform_fold(list(columns), as_=["column", "amount"])
        .transform_calculate(what=f"({{{names}}})[datum.column]")
    )
    scale = alt.Scale(domain=list(columns.values()), range=["#2f9e5f", "#d5453d"])
    chart = rows.mark_line(point=True).encode(
        x=BY_DEPTH,
        y=alt.Y("amount:Q", title=f"{title} a game"),
        color=alt.Color("what:N", scale=scale, title=None),
        strokeDash=alt.StrokeDash(
            "bot:N",
            title=None,
            legend=alt.Legend(
                symbolStrokeColor=PLAIN,
                symbolFillColor="transparent",
                symbolType="stroke",
                symbolStrokeWidth=2,
                symbolSize=300,
            ),
        ),
        tooltip=["bot:N", "depth:Q", "what:N", alt.Tooltip("amount:Q", format=".1f")],
    )
    return chart.properties(width="container", height=220)


def _items(depths: Sequence[str]) -> Any:
    """Draw a heat map of the number of items of each class at each depth.

    Args:
        depths: The columns with the numbers; their names end in the depth.
    """
    rows = (
        _rows()
        .transform_fold(list(depths), as_=["column", "number"])
        .transform_filter("datum.number !== null && datum.class")
        .transform_calculate(depth="toNumber(split(datum.column, '_')[1])")
        .transform_aggregate([_sum("number")], groupby=["class", "depth"])
    )
    chart = rows.mark_rect().encode(
        x=BY_DEPTH,
        y=alt.Y("class:N", title=None),
        color=alt.Color("number:Q", title="items", scale=HEAT),
        tooltip=["class:N", "depth:Q", alt.Tooltip("number:Q", format=".2f")],
    )
    return chart.properties(width="container", height=alt.Step(16))


def _survival() -> Any:
    """Draw the share of each bot's games that reach each depth, with its interval."""
    share = alt.Y(
        "survival:Q",
        title="games that reach this depth",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    band = (
        _rows()
        .mark_area(opacity=0.15)
        .encode(x=BY_DEPTH, y=alt.Y("survival_low:Q"), y2="survival_high:Q", color=BOT)
    )
    told = [
        "bot:N",
        "depth:Q",
        alt.Tooltip("survival:Q", format=".1%"),
        alt.Tooltip("death_share:Q", format=".1%"),
    ]
    line = _rows().mark_line(point=True).encode(x=BY_DEPTH, y=share, color=BOT, tooltip=told)
    return alt.layer(band, line).properties(width="container", height=260)


def _endings() -> Any:
    """Draw the endings of each bot's games as stacked bars."""
    endings = {"victory": "#2f9e5f", "death": "#d5453d", "gave up": "#8a8f98", "failed": "#d98a00"}
    scale = alt.Scale(domain=list(endings), range=list(endings.values()))
    chart = (
        _rows()
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of a bot's games", axis=alt.Axis(format="%")),
            y=alt.Y("bot:N", title=None),
            color=alt.Color("ending:N", scale=scale, title=None),
            tooltip=["bot:N", "ending:N", "games:Q", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return chart.properties(width="container", height=alt.Step(24))


def _categories(category: alt.Color) -> Any:
    """Draw the mix of categories of each map as stacked bars."""
    whole = alt.Scale(domain=[0, 1])
    share = alt.X("realised:Q", title="share of a map's encounters", axis=alt.Axis(format="%"), scale=whole)
    told = [
        "map:N",
        "category:N",
        *(alt.Tooltip(f"{each}:Q", format=".1%") for each in ("declared", "realised")),
    ]
    chart = _rows().mark_bar().encode(x=share, y=MAPS, color=category, tooltip=told)
    return chart.properties(width="container", height=alt.Step(16))


def _bars(
    length: str, field: str, title: str, offset: str | None = None, *, most: int = 0, kept: str = "true"
) -> Any:
    """Draw horizontal bars: one for each value of a column of the table.

    Args:
        length: The column that gives the length of a bar.
        field: The column with a bar for each value. Maps are sorted by depth, other values by length, the longest first.
        title: The title of the length axis.
        offset: A column that splits each bar into several side by side, one for each of this column's values; None for one bar.
        most: Number of bars; the rows of all other values are added up in a last bar, "others". 0 for a bar for each value.
        kept: Vega expression: which rows are drawn.
    """
    rows, order = _rows().transform_filter(kept), MAPS
    if most:
        name, size = field.removesuffix(":N"), length.removesuffix(":Q")
        rows = (
            rows.transform_aggregate([_sum(size)], groupby=[name])
            .transform_window(rank="row_number()", sort=[alt.SortField(size, order="descending")])
            .transform_calculate(
                **{
                    name: f"datum.rank <= {most} ? datum.{name} : 'others'",
                    "rank": f"min(datum.rank, {most + 1})",
                }
            )
            .transform_aggregate([_sum(size)], groupby=[name, "rank"])
        )
        order = alt.Y(field, sort=alt.EncodingSortField("rank", op="min"), title=None)
    chart = rows.mark_bar(color=PLAIN).encode(x=alt.X(length, title=title), y=order, tooltip=[field, length])
    if offset is not None:
        chart = chart.encode(yOffset=offset, color=alt.Color(offset, title=None))
    return chart.properties(width="container", height=alt.Step(8 if offset else 16))


def _spans(middle: str, low: str, high: str, title: str, rows: Any = None) -> Any:
    """Draw for each map a point and a horizontal span around it.

    Args:
        middle: The column with the position of the point.
        low: The column with the left end of the span.
        high: The column with its right end.
        title: The title of the horizontal axis.
        rows: A chart of the rows to draw; None for all rows of the table.
    """
    rows = _rows() if rows is None else rows
    spans = rows.mark_rule(strokeWidth=3, opacity=0.5, color=PLAIN).encode(
        x=alt.X(f"{low}:Q", title=title), x2=f"{high}:Q", y=MAPS
    )
    points = rows.mark_point(filled=True, size=70, color=PLAIN).encode(
        x=alt.X(f"{middle}:Q", title=title),
        y=MAPS,
        tooltip=["map:N", *(alt.Tooltip(f"{each}:Q", format=".1f") for each in (middle, low, high))],
    )
    return alt.layer(spans, points).properties(width="container", height=alt.Step(16))


def _metrics() -> Any:
    """Draw for each map the median and the 10th and 90th percentiles of one metric, which readers choose from a list."""
    chosen = alt.param(
        name="chosen", value="linearity", bind=alt.binding_select(options=METRICS, name="metric ")
    )
    rows = _rows().transform_filter("datum.metric == chosen")
    return _spans("median", "p10", "p90", "median", rows).add_params(chosen)


def _locks() -> Any:
    """Draw the distance from locks to their keys, in ways through the map."""
    chart = _rows().transform_calculate(lock="datum.map + ' ' + datum.word + ' (' + datum.what + ')'")
    return (
        chart.mark_bar(color=PLAIN)
        .encode(
            x=alt.X("ways:Q", title="average steps to the nearest key / way through the map"),
            y=alt.Y("lock:N", sort="-x", title=None),
            tooltip=[
                "lock:N",
                alt.Tooltip("ways:Q", format=".2f"),
                *(alt.Tooltip(f"{each}:Q", format=".1f") for each in ("distance", "most", "sphere")),
            ],
        )
        .properties(width="container", height=alt.Step(14))
    )


def _heat_maps() -> Any:
    """Draw the expressive range of each type of map: the colour of a rectangle is the number of levels there."""
    chart = (
        _rows()
        .transform_aggregate([_sum("levels")], groupby=["linearity", "danger", "type"])
        .transform_calculate(linearity_to=f"datum.linearity + {LINEAR}", danger_to=f"datum.danger + {DANGER}")
        .mark_rect()
        .encode(
            x=alt.X("linearity:Q", title="linearity", axis=alt.Axis(tickCount=4)),
            x2="linearity_to:Q",
            y=alt.Y("danger:Q", title="danger", axis=alt.Axis(tickCount=4)),
            y2="danger_to:Q",
            color=alt.Color("levels:Q", scale=HEAT, title="levels"),
            tooltip=["linearity:Q", "danger:Q", "levels:Q"],
        )
        .properties(width=SMALL, height=SMALL * 2 // 3)
    )
    return chart.facet(alt.Facet("type:N", title=None), columns=4)


def _maps(what: str, paint: dict[str, Any], *, boxes: bool = False) -> Any:
    """Draw a picture of each map: squares of the table over the map's outline. The colour of a square is the sum of `times` there.

    With the table's rows, the page gives rows for the outlines of a few levels: they have an `outline`, and their corners in the
    columns x, y, x_to and y_to.

    Args:
        what: Vega expression: which rows of the table are drawn.
        paint: How squares are painted: channels of the chart.
        boxes: Whether the prefabs and encounters of a few levels are drawn, too.
    """
    x, y = alt.X("x:Q", axis=None), alt.Y("y:Q", axis=None, scale=alt.Scale(reverse=True))
    area = {"x": x, "x2": "x_to:Q", "y": y, "y2": "y_to:Q"}
    rows = alt.Chart()
    frame = rows.transform_filter("datum.outline == 'map'").mark_rect(
        filled=False, stroke="currentColor", opacity=0.5
    )
    box = rows.transform_filter("datum.outline == 'box'").mark_rect(color="currentColor", opacity=0.12)
    squares = (
        rows.transform_filter(f"!datum.outline && {what}")
        .transform_aggregate([_sum("times")], groupby=["x", "y", "map"])
        .transform_calculate(x_to=f"datum.x + {SQUARE}", y_to=f"datum.y + {SQUARE}")
        .mark_rect()
    )
    stairs = rows.transform_filter("datum.outline == 'stairs'").mark_point(color="currentColor", size=30)
    layers = [
        frame.encode(**area),
        *([box.encode(**area)] if boxes else []),
        squares.encode(**area, **paint, tooltip=["map:N", "x:Q", "y:Q", "times:Q"]),
        stairs.encode(x=x, y=y),
    ]
    chart = alt.layer(*layers, data=alt.NamedData(name=ROWS)).properties(width=SMALL, height=SMALL * 2 // 3)
    faceted = chart.facet(alt.Facet("map:N", title=None, sort=FROM_THE_TOP), columns=4).resolve_scale(
        color="independent", opacity="independent"
    )
    return faceted.properties(usermeta={"outlines": True})
