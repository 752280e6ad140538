"""Figures in the notes' form: box plots side by side, and curves."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from dpaudit.questions.accuracy.figure import draw_box, set_heights
from dpaudit.report.figures.intervals import draw_bars, middle
from dpaudit.report.figures.panels import decades, linear_limits
from dpaudit.report.figures.sheet import Captioned
from dpaudit.report.figures.side_by_side import Boxes, Lines, Panel
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style, series_style
from dpaudit.report.figures.widths import Known, reach, superscript

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["picture", "plot_panels"]

_WIDTH, _HEIGHT = 7.4, 3.5
_MOST_MARKED = 40
_PLACES = 80
_LETTERS, _CAPTION = 100, 118

_WHISKERS = ("boxes: quartiles", "line: median", "whiskers: 5% and 95% quantiles", "◇ mean")


@house_style()
def plot_panels(title: str, caption: Sequence[str], panels: Sequence[Panel]) -> Captioned:
    """Return panels, one below the other, under a title and a ``caption`` of clauses.

    Clauses on boxes and whiskers, and on the widths of all intervals, are added to the caption.
    """
    widths = Known()
    count = len(panels)
    figure = Captioned(figsize=(_WIDTH, _HEIGHT * count + 0.5), layout="constrained")
    grid = figure.subplots(count, 1, squeeze=False)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        if isinstance(panel, Boxes):
            keys = _boxes(widths, axes, panel)
        else:
            keys = _lines(widths, axes, panel)
        _name(axes, panel.title, keys)
    clauses = [*caption, *(_WHISKERS if any(isinstance(p, Boxes) for p in panels) else ())]
    clauses += widths.clauses()
    figure.caption = f"{title}. {'; '.join(clauses)}."
    _head(figure, title, textwrap.wrap("\u00a0· ".join(clauses), _CAPTION))
    return figure


def _head(figure: Figure, title: str, lines: Sequence[str]) -> None:
    """Write the title and the caption above the panels, as every other figure has them."""
    header = 0.5 + 0.15 * len(lines)
    height = _HEIGHT * len(figure.axes) + header
    figure.set_size_inches(_WIDTH, height)
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0.0, 0.0, 1.0, 1.0 - header / height))
    margin = 0.1 / _WIDTH
    figure.text(margin, 1 - 0.12 / height, title, size=11, va="top")
    place = 1 - 0.36 / height
    look: dict[str, Any] = {"size": 8, "va": "top", "color": MUTED, "linespacing": 1.3}
    figure.text(margin, place, "\n".join(lines), **look)


def _name(axes: Axes, title: str, keys: list[Any]) -> None:
    """Write the title and, below it, the legend above the panel, where neither covers data."""
    letters = sum(len(str(key.get_label())) + 8 for key in keys)
    rows = -(-letters // _LETTERS)
    axes.legend(
        handles=keys,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=-(-len(keys) // rows),
        frameon=False,
        borderaxespad=0.1,
    )
    axes.set_title(title, fontsize=9.5, loc="left", color=INK, pad=8 + 15 * rows)


@house_style()
def picture(title: str, caption: Sequence[str], panels: Sequence[Panel]) -> tuple[bytes, str]:
    """Return the figure of panels as SVG, the same bytes for the same panels, and its caption."""
    figure = plot_panels(title, caption, panels)
    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None, "Title": title})
    return content.getvalue(), figure.caption


def _boxes(widths: Known, axes: Axes, panel: Boxes) -> list[Any]:
    width = 0.8 / len(panel.series)
    keys: list[Any] = []
    set_heights(axes, (box for series in panel.series for box in series.boxes))
    for index, series in enumerate(panel.series):
        colour = series_style(index).colour
        shift = (index - (len(panel.series) - 1) / 2) * width
        keys.append(Patch(facecolor=f"{colour}40", edgecolor=colour, label=series.label))
        for place, (name, box) in enumerate(zip(panel.places, series.boxes, strict=True)):
            at, where = (place + shift, 0.82 * width), f"{series.label} at {name}"
            draw_box(widths, axes, at, box, colour=colour, filled=True, where=where)
    slanted = sum(max(map(len, place.split("\n"))) + 1 for place in panel.places) > _PLACES
    axes.set_xticks(
        range(len(panel.places)),
        panel.places,
        rotation=60 if slanted else 0,
        fontsize=7 if slanted else None,
    )
    axes.set_xlim(-0.6, len(panel.places) - 0.4)
    axes.grid(visible=False, axis="x")
    mean = Line2D([], [], marker="D", color=INK, markerfacecolor="white", linestyle="none")
    mean.set_label("mean")
    return [*keys, mean]


def _lines(widths: Known, axes: Axes, panel: Lines) -> list[Any]:
    keys: list[Any] = []
    values = [value for series in panel.series for value in series.y]
    ends = reach(values, above=0.0 if panel.logarithmic else -math.inf)
    if panel.level is not None:
        ends.append(panel.level[0])
    if panel.logarithmic:
        low, high = decades(ends or [0.1, 1.0])
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        axes.yaxis.set_major_formatter(FuncFormatter(_power))
    else:
        axes.set_ylim(*linear_limits(ends))
    for index, series in enumerate(panel.series):
        style = series_style(index)
        marked = series.points or len(series.x) <= _MOST_MARKED
        bars = draw_bars(
            widths,
            axes,
            series.x,
            series.y,
            what=panel.y_label,
            colour=style.colour,
            where=[f"{panel.x_label} {x:g}" for x in series.x],
        )
        keys += axes.plot(
            series.x,
            [math.nan if bar else middle(y) for bar, y in zip(bars, series.y, strict=True)],
            color=style.colour,
            linestyle="none" if series.points else style.dashes,
            marker=style.marker if marked or any(bars) else ".",
            markersize=4.6 if marked or any(bars) else 2.8,
            markerfacecolor="white" if marked or any(bars) else style.colour,
            label=series.label,
        )
    if all(float(x).is_integer() for series in panel.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.level is not None:
        height, name = panel.level
        line = axes.axhline(height, color=MUTED, linestyle=BUDGET_DASHES, linewidth=1.0, label=name)
        keys.append(line)
    return keys


def _power(height: float, _: int) -> str:
    return f"10{superscript(round(math.log10(height)))}" if height > 0 else ""
