"""Intervals that draws give of the probabilities of an event, for figures and charts."""

from __future__ import annotations

from decimal import Decimal
from math import log, sqrt

from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real
from dpaudit.results import Enclosure, EventFound, SampleReport

__all__ = ["probabilities"]


def probabilities(report: SampleReport, event: EventFound) -> list[Enclosure]:
    """Return intervals of the probabilities of the event at x and at y, for drawing (Hoeffding).

    Both hold but for the error probability of the report.
    """
    with precision(64):
        surprise = float((-real(report.error).ball().log()).upper())
    error = sqrt((log(4) + surprise) / (2 * event.draws))
    return [
        Enclosure(
            Decimal.from_float(max(count / event.draws - error, 0.0)),
            Decimal.from_float(min(count / event.draws + error, 1.0)),
        )
        for count in (event.count_x, event.count_y)
    ]
