"""The charts of a report as Vega-Lite specifications, for some of its tables.

A chart holds no data: the page gives it the filtered rows of its table. Axes and labels take the colour of the page's text, so that
they are readable on light and dark pages.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import altair as alt

from dungeon.playtest.report.sections import DANGER, LINEAR, SQUARE

if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS = "rows"
"""The name of the data in charts."""

COLOURS = {"fluff": "#8a8f98", "risk": "#d98a00", "danger": "#d5453d", "reward": "#2f9e5f"}
"""Colours of the built-in categories."""

OTHERS = ["#8a63d2", "#2b8fc9", "#b8577e", "#7a8b2a", "#00968a"]
"""Colours of categories that authors declare, in turn."""

PLAIN = "#2b8fc9"
"""Colour of marks where colour has no meaning."""

METRICS = [
    "linearity",
    "open",
    "walkable",
    "rooms",
    "loops",
    "dead_ends",
    "dead_end_rooms",
    "routes",
    "islands",
]
"""Metrics that can be drawn."""
METRICS += ["exit_nearest", "exit_farthest", "longest", "chokes", "locks", "rounds"]
"""The measurements that can be drawn."""

SMALL = 160
"""Width of each of several small charts, in pixels."""

HEAT = alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0.15, 1]), type="sqrt")
"""Colour scale of heat maps, without its darkest part, which could not be seen on a dark page."""


def charts(categories: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return sheet -> its charts; sheets without charts are left out.

    Args:
        categories: The categories of encounters.
    """
    colours = colours_of(categories)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    drawn: dict[str, list[Any]] = {
        "lethality": [_lethality()],
        "survival": [_survival()],
        "endings": [_endings()],
        "killers": [_bars("sum(times):Q", "killer:N", "games ended by it")],
        "deaths": [_heat_maps("x", "y", "times", "map", SQUARE, SQUARE, as_map=True)],
        "visits": [_bars("hp_lost:Q", "map:N", "average hit points lost on the map", "bot:N")],
        "frequency": _frequency(alt.Color("category:N", scale=scale, title=None)),
        "categories": [_categories(alt.Color("category:N", scale=scale, title=None))],
        "refusals": [_bars("sum(times):Q", "reason:N", "number of refusals")],
        "stakes": [
            _spans(
                "threat",
                "threat_p10",
                "threat_p90",
                "average threat of a level; bars from the 10th to the 90th percentile",
            )
        ],
        "out_of_depth": [_bars("beyond:Q", "map:N", "share out of depth", "kind:N")],
        "metrics": [_metrics()],
        "range": [_heat_maps("linearity", "danger", "levels", "type", LINEAR, DANGER)],
        "sameness": [_bars("same:Q", "map:N", "share of encounters that successive worlds have in common")],
        "places": [_heat_maps("x", "y", "times", "map", SQUARE, SQUARE, as_map=True)],
        "locks": [_locks()],
        "times": [_bars("took:Q", "map:N", "milliseconds for a level")],
    }
    return {name: [chart.to_dict(validate=False) for chart in each] for name, each in drawn.items()}


def colours_of(categories: Iterable[str]) -> dict[str, str]:
    """Return category -> colour."""
    others = cycle(OTHERS)
    return {each: COLOURS.get(each) or next(others) for each in categories}


MAPS = alt.Y("map:N", sort=alt.EncodingSortField("depth", op="min"), title=None)
"""One row for each map, in order of depth."""


def _rows() -> alt.Chart:
    return alt.Chart(alt.NamedData(name=ROWS))


def _frequency(category: alt.Color) -> list[Any]:
    """Draw a scatter plot of realised over declared copies with the line of equality, and a heat map of copies by map."""
    told = [
        "map:N",
        "encounter:N",
        *(alt.Tooltip(f"{each}:Q", format=".3f") for each in ("declared", "realised")),
    ]
    declared = alt.X("declared:Q", title="declared: copies on a level with unlimited space")
    title = "realised: copies on a level"
    realised = alt.Y("realised:Q", title=title)
    points = _rows().mark_point(filled=True, size=60, opacity=0.8)
    same = _rows().mark_line(strokeDash=[4, 4], opacity=0.5, color="currentColor")
    scatter = alt.layer(
        same.encode(x=declared, y=alt.Y("declared:Q", title=title)),
        points.encode(x=declared, y=realised, color=category, tooltip=told),
    )
    grid = (
        _rows()
        .mark_rect()
        .encode(
            x=alt.X(
                "map:N",
                sort=alt.EncodingSortField("depth", op="min"),
                title=None,
                axis=alt.Axis(labelAngle=-60, orient="top"),
            ),
            y=alt.Y("encounter:N", title=None),
            color=alt.Color("realised:Q", title="copies on a level", scale=HEAT),
            tooltip=told,
        )
    )
    return [
        scatter.properties(width="container", height=300),
        grid.properties(width="container", height=alt.Step(13)),
    ]


BOT = alt.Color("bot:N", title=None)


def _lethality() -> Any:
    """Draw the hit points lost in each encounter over the number of meetings, for each bot."""
    told = ["encounter:N", "depth:Q", "bot:N", *(f"{each}:Q" for each in ("met", "won", "fled", "deaths"))]
    points = (
        _rows()
        .mark_point(filled=True, size=60, opacity=0.8)
        .encode(
            x=alt.X("met:Q", title="number of meetings"),
            y=alt.Y("hp_lost:Q", title="hit points lost per meeting"),
            color=BOT,
            tooltip=[*told, *(alt.Tooltip(f"{each}:Q", format=".1f") for each in ("hp_lost", "margin"))],
        )
    )
    return points.properties(width="container", height=300)


def _survival() -> Any:
    """Draw the share of each bot's games that reach each depth, with its interval."""
    depth = alt.X("depth:Q", title="depth", axis=alt.Axis(tickMinStep=1, format="d"))
    share = alt.Y(
        "survival:Q",
        title="games that reach this depth",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    band = (
        _rows()
        .mark_area(opacity=0.15)
        .encode(x=depth, y=alt.Y("survival_low:Q"), y2="survival_high:Q", color=BOT)
    )
    told = [
        "bot:N",
        "depth:Q",
        alt.Tooltip("survival:Q", format=".1%"),
        alt.Tooltip("deaths:Q", format=".1%"),
    ]
    line = _rows().mark_line(point=True).encode(x=depth, y=share, color=BOT, tooltip=told)
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


def _bars(length: str, field: str, title: str, offset: str | None = None) -> Any:
    """Draw horizontal bars: one for each value of a column of the table.

    Args:
        length: The column that gives the length of a bar.
        field: The column with a bar for each value. Maps are sorted by depth, other values by length, the longest first.
        title: The title of the length axis.
        offset: A column that splits each bar into several side by side, one for each of this column's values; None for one bar.
    """
    others = alt.Y(field, sort="-x", title=None, axis=alt.Axis(labelLimit=260))
    rows = MAPS if field == "map:N" else others
    chart = (
        _rows().mark_bar(color=PLAIN).encode(x=alt.X(length, title=title), y=rows, tooltip=[field, length])
    )
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
    return _spans(
        "median", "p10", "p90", "median; bars from the 10th to the 90th percentile", rows
    ).add_params(chosen)


def _locks() -> Any:
    """Draw the distance from locks to their keys."""
    chart = _rows().transform_calculate(lock="datum.map + ' ' + datum.word + ' (' + datum.what + ')'")
    return (
        chart.mark_bar(color=PLAIN)
        .encode(
            x=alt.X("distance:Q", title="average steps to the nearest key"),
            y=alt.Y(
                "lock:N",
                sort=alt.EncodingSortField("depth", op="min"),
                title=None,
                axis=alt.Axis(labelLimit=260),
            ),
            tooltip=[
                "lock:N",
                *(alt.Tooltip(f"{each}:Q", format=".1f") for each in ("distance", "most", "sphere")),
            ],
        )
        .properties(width="container", height=alt.Step(14))
    )


def _heat_maps(
    x: str, y: str, size: str, each: str, wide: float, high: float, *, as_map: bool = False
) -> Any:
    """Draw several heat maps: one for each map or type of map. The colour of a rectangle is the sum of a column there.

    Args:
        x: The column with the left edge of a rectangle.
        y: The column with the upper (with `as_map`) or lower edge of a rectangle.
        size: The column that is summed.
        each: The column that splits the rows into heat maps: a map or type of map.
        wide: Width of a rectangle, in the units of `x`.
        high: Height of a rectangle, in the units of `y`.
        as_map: Whether row 0 is at the top, and each heat map has its own colour scale.
    """
    right, top = f"{x}_to", f"{y}_to"
    chart = (
        _rows()
        .transform_aggregate(
            [alt.AggregatedFieldDef.from_dict({"op": "sum", "field": size, "as": size})], groupby=[x, y, each]
        )
        .transform_calculate(**{right: f"datum.{x} + {wide}", top: f"datum.{y} + {high}"})
        .mark_rect()
        .encode(
            x=alt.X(f"{x}:Q", title=x, axis=alt.Axis(tickCount=4)),
            x2=f"{right}:Q",
            y=alt.Y(f"{y}:Q", title=y, axis=alt.Axis(tickCount=4), scale=alt.Scale(reverse=as_map)),
            y2=f"{top}:Q",
            color=alt.Color(f"{size}:Q", scale=HEAT, title=size, legend=None if as_map else alt.Legend()),
            tooltip=[f"{name}:Q" for name in (x, y, size)],
        )
        .properties(width=SMALL, height=SMALL * 2 // 3)
    )
    faceted = chart.facet(alt.Facet(f"{each}:N", title=None), columns=4)
    return faceted.resolve_scale(color="independent") if as_map else faceted
