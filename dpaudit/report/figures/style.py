"""Style of figures: colours, line styles and markers that survive a photocopier."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

__all__ = [
    "BUDGET_DASHES",
    "INK",
    "LABEL_SIZE",
    "MUTED",
    "WIDTHS",
    "SeriesStyle",
    "draw_budget",
    "house_style",
    "in_column",
    "of_width",
    "series_style",
]

WIDTHS = {"page": 6.4, "column": 3.4}
"""Widths of figures in inches: that of a page's text, and of a column of two."""

_column: ContextVar[bool] = ContextVar("column", default=False)

INK = "#222222"
MUTED = "#595959"
LABEL_SIZE = 8.5
BUDGET_DASHES = (0, (7, 3))

# The colours of Okabe and Ito (2008) that show on white, and a brown.  Neighbours in the list
# differ in luminance; line style and marker carry the distinction where colour is lost.
_COLOURS = ("#0072B2", "#D55E00", "#000000", "#009E73", "#CC79A7", "#7A4B00", "#56B4E9", "#E69F00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.4)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (9, 1.6)),
    (0, (3, 1.3, 1.2, 1.3, 1.2, 1.3)),
    (0, (2.6, 2.6)),
    (0, (9, 1.6, 3, 1.6)),
)

_RC: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib: the same text everywhere
    "font.size": LABEL_SIZE,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "legend.fontsize": LABEL_SIZE,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.6,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "dpaudit",
    "text.color": INK,
    "text.parse_math": False,  # a "$" in a name is a dollar sign
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": LABEL_SIZE,
    "xtick.major.width": 0.6,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": LABEL_SIZE,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
}


_COLUMN_RC: dict[str, Any] = {
    "axes.labelsize": 8,
    "font.size": 7,
    "legend.fontsize": 7,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.6,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
}
"""No letter of a printed column is smaller than 7 points."""


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save in this style, whatever a matplotlibrc says, and leave no trace of it."""
    # matplotlib.style would do it, after it has read the files of all styles there are.
    parameters: Any = matplotlib.rcParamsDefault
    default: Any = {name: parameters[name] for name in parameters if not name.startswith("backend")}
    with (
        matplotlib.rc_context(default | _RC | (_COLUMN_RC if in_column() else {})),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # it is drawn as an empty box
        yield


@contextmanager
def of_width(width: str) -> Iterator[None]:
    """Draw figures as wide as one of :data:`WIDTHS`; in a column without title and caption."""
    token = _column.set(width == "column")
    try:
        yield
    finally:
        _column.reset(token)


def in_column() -> bool:
    """Tell whether figures are drawn for a column of two."""
    return _column.get()


@dataclass(frozen=True)
class SeriesStyle:
    """The colour, line style and marker of one series."""

    colour: str
    """A hexadecimal colour."""
    dashes: Any
    """A line style as matplotlib takes it."""
    marker: str
    """A marker with a face that can be full, half full or empty."""

    def key(self, label: str, *, marker: bool = True) -> Line2D:
        """Return the legend's sample of this series."""
        marker_shown = self.marker if marker else "none"
        return Line2D([], [], **self.look, marker=marker_shown, label=label)

    @property
    def look(self) -> dict[str, Any]:
        """The properties of a line in this style, but for its markers' shape."""
        return {"color": self.colour, "linestyle": self.dashes, "markerfacecolor": "white"}


def series_style(index: int) -> SeriesStyle:
    """Return the style of the series number ``index``; (line style, marker) repeats after 64."""
    turn, place = divmod(index, len(_MARKERS))
    return SeriesStyle(_COLOURS[place], _DASHES[(place + turn) % len(_DASHES)], _MARKERS[place])


def draw_budget(axes: Axes, height: float, colour: str = INK) -> None:
    """Draw the line of a budget at a ``height``."""
    axes.axhline(
        height, color=colour, linewidth=1.0, linestyle=BUDGET_DASHES, label="_budget", zorder=1.8
    )
