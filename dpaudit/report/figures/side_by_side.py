"""Panels drawn side by side: box plots and curves, with the intervals that they show."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.results import Enclosure
from dpaudit.results.brief import Brief

__all__ = ["Box", "BoxSeries", "Boxes", "LineSeries", "Lines", "Panel"]


@dataclass(frozen=True, repr=False)
class Box(Brief):
    """Quantiles and the mean of an error, as far as they are known."""

    quantiles: tuple[Enclosure, ...]
    """The 5%, 25%, 50%, 75% and 95% quantile."""
    mean: Enclosure


@dataclass(frozen=True, repr=False)
class BoxSeries(Brief):
    """The boxes of one mechanism."""

    label: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, repr=False)
class Boxes(Brief):
    """A panel of box plots, side by side at each place of the horizontal axis."""

    title: str
    x_label: str
    y_label: str
    places: tuple[str, ...]
    series: tuple[BoxSeries, ...]


@dataclass(frozen=True, repr=False)
class LineSeries(Brief):
    """One curve, or points where they are few."""

    label: str
    x: tuple[float, ...]
    y: tuple[Enclosure, ...]
    points: bool = False
    """True if the points are not to be joined."""


@dataclass(frozen=True, repr=False)
class Lines(Brief):
    """A panel of curves."""

    title: str
    x_label: str
    y_label: str
    series: tuple[LineSeries, ...]
    logarithmic: bool = False
    """True if the vertical axis is logarithmic."""
    level: tuple[float, str] | None = None
    """A horizontal line and its name."""


Panel = Boxes | Lines
"""A panel of a figure."""
