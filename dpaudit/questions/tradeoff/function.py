"""Trade-off functions as a function: ``dpaudit.tradeoff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.api.asking import answer
from dpaudit.api.finished import Sizes
from dpaudit.audit.plan import DEFAULT_DIGITS, DEFAULT_TYPE_ONE, ENGINES
from dpaudit.questions.tradeoff.measure import tradeoffs_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["Tradeoffs", "tradeoff"]


class Tradeoffs(Sizes[results.TradeoffReport, results.Tradeoff]):
    """Result of :func:`tradeoff`: trade-off functions; exports: tables, JSON, a figure."""


def tradeoff(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    at_type_one: Iterable[Number] | str = DEFAULT_TYPE_ONE,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Tradeoffs:
    """Return the trade-off function at one or more sizes, and the smallest μ with μ-GDP.

    It is the smallest type II error of a test between neighbours, at each type I error.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None if the datasets of the mechanism do
            not depend on a size.
        at_type_one: report the smallest type II error at these type I errors, rational numbers from
            0 to 1.
        adjacency: the neighbouring relation, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"``, as for :func:`check`.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The functions: ``.results`` has one for each size, with μ and the requested errors.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> found = tradeoff("LSHist", n=10, at_type_one=["1/2"]).results[0]
    >>> print(found.mu, found.values[0].type_one)
    [0.756534218950067, 0.756534218950068] 1/2
    """
    measure = tradeoffs_at(at_type_one)
    asked: dict[str, Any] = {"adjacency": adjacency, "at": at, "digits": digits, "engine": engine}
    return Tradeoffs(answer(measure, name, n, parameters, held="never", jobs=jobs, **asked))
