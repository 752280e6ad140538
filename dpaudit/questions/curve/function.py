"""Privacy curves as a function: ``dpaudit.curve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dpaudit import results
from dpaudit.api.asking import answer
from dpaudit.api.finished import Sizes
from dpaudit.audit import curve as curve_measure
from dpaudit.audit.plan import DEFAULT_DIGITS, ENGINES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.audit.curve import CertifiedCurve
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["Curves", "curve"]


class Curves(Sizes[results.CurveReport, results.PrivacyCurve]):
    """Result of :func:`curve`: privacy curves; exports: tables, JSON, a figure of δ(ε)."""

    @property
    def curves(self) -> tuple[CertifiedCurve, ...]:
        """One curve for each size, in increasing order of n; each has ``.delta(ε, digits)``."""
        return cast("tuple[CertifiedCurve, ...]", self.results)


def curve(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    at_delta: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Curves:
    """Return the whole privacy curve (privacy profile) ε ↦ δ(ε) at one or more sizes.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None if the datasets of the mechanism do
            not depend on a size.
        budget: ε in nats, or (ε, δ); δ is also reported at its ε. By default the budget that the
            mechanism states, if any.
        at_eps: further ε at which δ(ε) is reported; by default none with a budget, and 1/2, 1 and 2
            without one. ``.curves`` gives δ at any other ε.
        at_delta: also report the smallest ε at these δ, in ``.at_delta`` of each curve.
        adjacency: the neighbouring relation, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"``, as for :func:`check`.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The curves: ``.curves`` has one for each size, each with ``.delta(ε, digits)``.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> from dpaudit.numbers.real import real
    >>> (found,) = curve("LSHist", n=10).curves
    >>> print(found.delta(real("1/2"), 9).value)
    [0.129590889659, 0.129590889660]
    """
    asked: dict[str, Any] = {"budget": budget, "at_eps": at_eps, "adjacency": adjacency, "at": at}
    asked |= {"digits": digits, "engine": engine, "at_delta": at_delta}
    measure = curve_measure.Curves()
    return Curves(answer(measure, name, n, parameters, held="if stated", jobs=jobs, **asked))
