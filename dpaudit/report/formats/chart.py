"""Line charts as inline SVG, without a font or a colour of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

__all__ = ["Chart", "Line", "chart", "decimal_ticks", "key_of", "padded"]


_WIDTH, _HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 40


@dataclass(frozen=True)
class Line:
    """A polyline, or a single point, with the name of its style."""

    points: Sequence[tuple[float, float]]
    style: str = "line"
    """``line``, ``dots`` that nothing joins, ``budget``, ``chance``, or a filled ``region``."""
    label: str = ""
    """Its name in the legend; empty for none."""
    series: int = 0
    """Number of the series, which determines the colour and the dashes of a line or dots."""


@dataclass(frozen=True)
class Chart:
    """Lines and regions over a number, that a figure and a page both draw."""

    title: str
    across: str
    """Name of the abscissa."""
    up: str
    """Name of the ordinate."""
    lines: Sequence[Line]
    says: Sequence[str]
    """Clauses of the caption."""
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    logarithmic: bool = False
    """True if the abscissa is logarithmic."""

    def drawn(self) -> str:
        """Return the chart as an SVG figure."""
        return chart(
            self.title,
            self.across,
            self.up,
            self.lines,
            x_range=self.x_range,
            y_range=self.y_range,
            logarithmic=self.logarithmic,
        )


def chart(
    title: str,
    x_label: str,
    y_label: str,
    lines: Sequence[Line],
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    counted: bool = False,
    logarithmic: bool = False,
) -> str:
    """Return an SVG figure of ``lines`` with axes, ticks and a title for screen readers.

    Where what is on the abscissa is ``counted``, ticks are whole numbers.  Where the abscissa is
    ``logarithmic``, all of it is above 0.
    """
    every = [point for line in lines for point in line.points]
    x_low, x_high = x_range or padded([x for x, _ in every])
    y_low, y_high = y_range or padded([0.0, *(y for _, y in every)])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (
            log10(x / x_low) / log10(x_high / x_low)
            if logarithmic
            else (x - x_low) / (x_high - x_low)
        )
        up = (y - y_low) / (y_high - y_low)
        return (
            _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
    ]
    ticks = (
        decimal_ticks(x_low, x_high)
        if logarithmic
        else _ticks(x_low, x_high, least=1.0 if counted else 0.0)
    )
    for value in ticks:
        x, y = place(value, y_low)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{value:g}</text>')
    for value in _ticks(y_low, y_high):
        x, y = place(x_low, value)
        right = _WIDTH - _RIGHT
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    middle_x, middle_y = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(
        f'<text x="{middle_x:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    )
    parts.append(
        f'<text transform="translate(12 {middle_y:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_label)}</text>"
    )
    for line in lines:
        placed = [place(x, y) for x, y in line.points]
        if len(placed) == 1 or line.style == "dots":
            look = f'class="{_style_of(line)}{" dots" * (line.style == "dots")}"'
            parts += [f'<circle {look} cx="{x:.2f}" cy="{y:.2f}" r="3"/>' for x, y in placed]
        else:
            path = " ".join(f"{x:.2f},{y:.2f}" for x, y in placed)
            parts.append(f'<polyline class="{_style_of(line)}"{_dashes(line)} points="{path}"/>')
    parts.append("</svg>")
    return "".join(parts)


def key_of(line: Line) -> str:
    """Return the sample of a line in a legend, as SVG that screen readers pass over."""
    shape = f'<polyline class="{_style_of(line)}"{_dashes(line)} points="0,5 24,5"/>'
    if line.style == "region":
        shape = '<polyline class="region" points="0,0 24,0 24,10 0,10"/>'
    elif line.style == "dots":
        shape = f'<circle class="{_style_of(line)} dots" cx="12" cy="5" r="3"/>'
    return f'<svg class="key" viewBox="0 0 24 10" aria-hidden="true">{shape}</svg>'


_SERIES = ("line", "other")
_DASHES = ("", "7 3", "2 2")


def _style_of(line: Line) -> str:
    """Return the name of a style in the page."""
    return _SERIES[line.series % 2] if line.style in ("line", "dots") else line.style


def _dashes(line: Line) -> str:
    """Return the dashes that tell series of one colour apart, as an attribute."""
    dashes = _DASHES[line.series // 2 % len(_DASHES)]
    return f' stroke-dasharray="{dashes}"' if line.style == "line" and dashes else ""


def padded(values: Sequence[float]) -> tuple[float, float]:
    """Return limits that hold the values, with some room above."""
    low, high = min(values), max(values)
    if low == high:
        return low - 0.5, high + 0.5
    return low, high + (high - low) * 0.05


def _ticks(low: float, high: float, least: float = 0.0) -> list[float]:
    """Return up to six round numbers between ``low`` and ``high``, at ``least`` so far apart."""
    rough = max((high - low) / 5, least)
    unit = 10 ** floor(log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
    first = -floor(-low / step)
    count = floor(high / step) - first + 1
    return [round((first + i) * step, 12) for i in range(count)]


def decimal_ticks(low: float, high: float) -> list[float]:
    """Return a few numbers between ``low`` and ``high``: powers of ten, and some multiples.

    >>> decimal_ticks(7, 1200), decimal_ticks(7, 60)
    ([10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0], [10.0, 20.0, 50.0])
    >>> decimal_ticks(7, 9.2)
    [7.0, 7.5, 8.0, 8.5, 9.0]
    """
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        ticks = [f * 10.0**n for n in powers for f in factors if low <= f * 10.0**n <= high]
        if len(ticks) <= 7:
            break
    return ticks if len(ticks) > 1 else _ticks(low, high)
