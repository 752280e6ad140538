"""Reports of rates in two worlds: counts of trainings with one canary and without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpaudit.errors import DomainError, ParameterError, nearest
from dpaudit.questions.canaries.profiles import VERDICTS
from dpaudit.questions.canaries.two_worlds import (
    MOST_TRAININGS,
    Rates,
    largest_refuted_by_rates,
    rates_refute,
)
from dpaudit.results import CanaryBound, CanaryReport, TwoWorlds
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.questions.canaries.inputs import Asked

__all__ = ["report_rates"]

_LONGEST = 12
"""Most digits of a count."""


def report_rates(
    counts: str | Mapping[str, int],
    asked: Asked,
    digits: int,
) -> CanaryReport:
    """Return what the rates in two worlds refute.

    Args:
        counts: the counts, as a mapping or as text; see :func:`dpaudit.canaries`.
        asked: each δ, each level, and a budget or None.
        digits: number of decimals of bounds.

    Raises:
        UsageError: for counts that cannot be.
    """
    rates = _read_rates(counts)
    deltas, levels, stated = asked
    verdict = None
    if stated is not None:
        verdict = VERDICTS[rates_refute(rates, stated.epsilon, stated.delta, levels[0])]
    trainings = rates.members + rates.others
    return CanaryReport(
        schema="dpaudit.canaries/1",
        version=__version__,
        canaries=trainings,
        guesses=trainings,
        right=rates.true_positives + rates.others - rates.false_positives,
        worlds=TwoWorlds(
            members=rates.members,
            true_positives=rates.true_positives,
            others=rates.others,
            false_positives=rates.false_positives,
        ),
        digits=digits,
        bounds=tuple(
            CanaryBound(delta=d, level=a, epsilon=largest_refuted_by_rates(rates, d, a, digits))
            for d in deltas
            for a in levels
        ),
        budget=stated,
        verdict=verdict,
    )


def _read_rates(counts: str | Mapping[str, int]) -> Rates:
    """Return what was counted in two worlds; ``UsageError`` for what cannot be."""
    told = dict(counts) if isinstance(counts, Mapping) else dict(map(_pair, counts.split(",")))
    known = ("tp", "fp", "of", "in", "out")
    for name, count in told.items():
        if name not in known:
            raise ParameterError("counts", f"counts: {nearest(name, known)}")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise DomainError("counts", f"{name}={count}", "must be a whole number, at least 0")
    members, others = told.get("in", told.get("of")), told.get("out", told.get("of"))
    if "tp" not in told or "fp" not in told or members is None or others is None:
        raise ParameterError(
            "counts", "counts must look like tp=600,fp=20,of=1000, or tp=600,fp=20,in=1000,out=900"
        )
    for name, most in (("in", members), ("out", others)):
        if not 1 <= most <= MOST_TRAININGS:
            raise DomainError("counts", f"{name}={most}", f"must be from 1 to {MOST_TRAININGS}")
    for name, most in (("tp", members), ("fp", others)):
        if told[name] > most:
            raise DomainError("counts", f"{name}={told[name]}", f"must be at most {most}")
    return Rates(members, told["tp"], others, told["fp"])


def _pair(text: str) -> tuple[str, int]:
    name, equals, count = text.partition("=")
    if not equals or not count.strip().isdecimal() or not count.isascii() or len(count) > _LONGEST:
        raise ParameterError("counts", f"counts: {text!r} is not NAME=NUMBER")
    return name.strip(), int(count)
