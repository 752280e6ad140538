"""What is drawn side by side: panels of box plots and of curves, as floats for drawing."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Box", "BoxSeries", "Boxes", "LineSeries", "Lines", "Panel"]


@dataclass(frozen=True)
class Box:
    """Exact quantiles of an error, as floats for drawing."""

    low: float
    """The 5% quantile."""
    first: float
    median: float
    third: float
    high: float
    """The 95% quantile."""
    mean: float


@dataclass(frozen=True)
class BoxSeries:
    """The boxes of one mechanism."""

    label: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Boxes:
    """A panel of box plots, side by side at each place of the horizontal axis."""

    title: str
    x_label: str
    y_label: str
    places: tuple[str, ...]
    series: tuple[BoxSeries, ...]


@dataclass(frozen=True)
class LineSeries:
    """One curve, or points where they are few."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    points: bool = False
    """Whether the points are not to be joined."""


@dataclass(frozen=True)
class Lines:
    """A panel of curves."""

    title: str
    x_label: str
    y_label: str
    series: tuple[LineSeries, ...]
    logarithmic: bool = False
    """Whether the vertical axis is."""
    level: tuple[float, str] | None = None
    """A horizontal line and its name."""


Panel = Boxes | Lines
"""What can be drawn."""
