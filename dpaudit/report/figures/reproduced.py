"""Figures in the notes' form: box plots side by side, and curves."""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from dpaudit.report.figures.captions import superscript
from dpaudit.report.figures.drawn import Box, Boxes, Lines, Panel
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style, series_style

__all__ = ["picture", "plot_panels"]

_WIDTH, _HEIGHT = 7.4, 3.5
_MOST_MARKED = 40
_PLACES = 80
_DPI = 130
_LETTERS = 100


@house_style()
def plot_panels(title: str, place: str, panels: Sequence[Panel]) -> Figure:
    """Return panels, one below the other, under a title and where the notes have them.

    In a box plot the box goes from the first to the third quartile with the median in it, the
    whiskers to the 5% and the 95% quantile, and the diamond is the mean; all are exact.
    """
    count = len(panels)
    figure = Figure(figsize=(_WIDTH, _HEIGHT * count + 0.3), layout="constrained")
    figure.suptitle(f"{title}\n{place}", fontsize=10, color=INK)
    grid = figure.subplots(count, 1, squeeze=False)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        keys = _boxes(axes, panel) if isinstance(panel, Boxes) else _lines(axes, panel)
        _name(axes, panel.title, keys)
    return figure


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
def picture(title: str, place: str, panels: Sequence[Panel]) -> bytes:
    """Return the figure of panels as PNG, the same bytes for the same panels."""
    figure = plot_panels(title, place, panels)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_DPI, metadata={"Software": None})
    return content.getvalue()


def _boxes(axes: Axes, panel: Boxes) -> list[Any]:
    width = 0.8 / len(panel.series)
    keys: list[Any] = []
    for index, series in enumerate(panel.series):
        colour = series_style(index).colour
        shift = (index - (len(panel.series) - 1) / 2) * width
        keys.append(Patch(facecolor=f"{colour}40", edgecolor=colour, label=series.label))
        axes.bxp(
            [_statistics(box) for box in series.boxes],
            positions=[place + shift for place in range(len(series.boxes))],
            widths=0.82 * width,
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": f"{colour}40", "edgecolor": colour, "linewidth": 1.0},
            medianprops={"color": colour, "linewidth": 2.0},
            whiskerprops={"color": colour, "linewidth": 1.0},
            capprops={"color": colour, "linewidth": 1.0},
            meanprops={
                "marker": "D",
                "markersize": 3.4,
                "markerfacecolor": "white",
                "markeredgecolor": INK,
            },
        )
    slanted = sum(max(map(len, place.split("\n"))) + 1 for place in panel.places) > _PLACES
    axes.set_xticks(
        range(len(panel.places)),
        panel.places,
        rotation=60 if slanted else 0,
        fontsize=7 if slanted else None,
    )
    axes.set_xlim(-0.6, len(panel.places) - 0.4)
    axes.set_ylim(bottom=0.0)
    axes.grid(visible=False, axis="x")
    mean = Line2D([], [], marker="D", color=INK, markerfacecolor="white", linestyle="none")
    mean.set_label("mean")
    return [*keys, mean]


def _statistics(box: Box) -> dict[str, Any]:
    return {
        "whislo": box.low,
        "q1": box.first,
        "med": box.median,
        "q3": box.third,
        "whishi": box.high,
        "mean": box.mean,
    }


def _lines(axes: Axes, panel: Lines) -> list[Any]:
    keys: list[Any] = []
    for index, series in enumerate(panel.series):
        style = series_style(index)
        marked = series.points or len(series.x) <= _MOST_MARKED
        keys += axes.plot(
            series.x,
            series.y,
            color=style.colour,
            linestyle="none" if series.points else style.dashes,
            marker=style.marker if marked else None,
            markerfacecolor="white",
            label=series.label,
        )
    if panel.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(_power))
    if panel.level is not None:
        height, name = panel.level
        line = axes.axhline(height, color=MUTED, linestyle=BUDGET_DASHES, linewidth=1.0, label=name)
        keys.append(line)
    return keys


def _power(height: float, _: int) -> str:
    return f"10{superscript(round(log10(height)))}" if height > 0 else ""
