"""From laws of an error to what is drawn and listed of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dpaudit.accuracy.compare import LEVELS
from dpaudit.reproduce.findings import Box, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.accuracy.law import ErrorLaw
    from dpaudit.results import QuantileAt

__all__ = ["box_of", "boxes_table", "law_text"]

_HEADER = (
    *("place", "mechanism", "parameters", "at", "metric", "mean_lower", "mean_upper"),
    *(f"q{level}_{end}" for level in ("5", "25", "50", "75", "95") for end in ("lower", "upper")),
)


@lru_cache(maxsize=256)
def _quantiles(law: ErrorLaw) -> tuple[QuantileAt, ...]:
    return tuple(law.quantile(level) for level in LEVELS)


def box_of(law: ErrorLaw) -> Box:
    """Return the exact quantiles and mean of an error, as floats."""
    low, first, median, third, high = (quantile.midpoint for quantile in _quantiles(law))
    return Box(low, first, median, third, high, law.mean().midpoint)


def boxes_table(laws: Iterable[tuple[str, str, ErrorLaw]]) -> Table:
    """Return the CSV of laws, each given with its place and the label of its mechanism."""
    return Table(_HEADER, tuple(_line(*law) for law in laws))


def _line(place: str, label: str, law: ErrorLaw) -> tuple[str, ...]:
    return (
        place,
        label,
        law_text(law),
        ",".join(map(str, law.dataset)),
        law.metric,
        *law.mean().texts(),
        *(cell for quantile in _quantiles(law) for cell in quantile.texts()),
    )


def law_text(law: ErrorLaw) -> str:
    """Return the mechanism of a law with its parameters.

    >>> from dpaudit.reproduce.readings import DEFINED, Setting, laplace_law
    >>> print(law_text(laplace_law(DEFINED, Setting((4, 4)))))
    NotesLaplace epsilon=4/5 prior=1,1 coordinates=printed rounding=floor outside=clamped
    """
    values = law.mechanism.values()
    shown = [f"{name}={_value(value)}" for name, value in values.items()]
    endless = law.mechanism.output_count(sum(law.dataset)) is None
    outside = [f"outside={law.outside}"] if endless else []
    return " ".join([law.mechanism.name, *shown, *outside])


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
