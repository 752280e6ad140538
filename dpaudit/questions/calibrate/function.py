"""The Python interface to calibrations: ``dpaudit.calibrate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Judged, swept
from dpaudit.api.plans import chosen, make_plan, read_counts
from dpaudit.audit.plan import DEFAULT_DIGITS, DEFAULT_TOLERANCE, ENGINES, sizes_of
from dpaudit.errors import ParameterError
from dpaudit.questions.calibrate import sweep
from dpaudit.questions.calibrate.size import CalibrationGoal, read_tolerance
from dpaudit.results import CalibratedSize, CalibrationReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number

__all__ = ["Calibrations", "calibrate"]


class Calibrations(Judged[CalibrationReport, CalibratedSize]):
    """Result of :func:`calibrate`; exports: tables, JSON, a figure of the safe nominal ε over n."""

    @property
    def calibration(self) -> CalibrationReport:
        """The whole report, as in the JSON document."""
        return self.report

    @property
    def nominal(self) -> str:
        """The safe nominal ε of the only size; ``ValueError`` unless exactly one size has one."""
        if len(self.results) != 1:
            raise ValueError(f"{len(self.results)} sizes are calibrated; read .results instead")
        return self.results[0].nominal


def calibrate(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    tolerance: Number = DEFAULT_TOLERANCE,
    data: Sequence[int] | None = None,
    **parameters: object,
) -> Calibrations:
    """Find how large the nominal ε may be while the mechanism is certified to keep a budget.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; it may be left out for a mechanism whose
            datasets do not depend on it.
        budget: ε in nats, or (ε, δ); by default what the mechanism states with its
            ``parameters``, its own ``epsilon`` among them.
        adjacency: the neighbouring relation, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"``, as for :func:`dpaudit.check`.
        tolerance: the search ends with a nominal ε that certainly keeps the budget, and one at most
            this much larger that certainly exceeds it. If the budget has no δ, the realised ε of
            the first is also at most this much below the budget, unless ε jumps over it.
        data: the counts at which the mean error is computed; by default uniform data.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The calibrations: for each size the safe nominal ε, the failing one above it, and the
        realised ε and δ of the safe one.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    The realised ε need not grow with the nominal ε. The value found is certified safe; some larger
    values may be safe too.

    >>> found = calibrate("LSDim", n=10, eps="0.8").results[0]
    >>> print(found.nominal, found.failing, found.gain, found.realised.epsilon)
    1.6 1.60000001 2 0.8
    """
    if budget is not None and isinstance(name, str) and parameters.keys() & {"eps", "epsilon"}:
        raise ParameterError(
            "budget", "with a budget, calibrate searches the mechanism's own ε; leave eps out"
        )
    asked: dict[str, Any] = {"budget": budget, "adjacency": adjacency, "at": at}
    asked |= {"digits": digits, "engine": engine}
    subject = chosen(name, parameters, n=n, jobs=jobs, data=data, **asked)
    plan = make_plan(subject, **asked)
    counts = None if data is None else read_counts(data)
    measure = sweep.Calibrations(CalibrationGoal(read_tolerance(tolerance), counts))
    return Calibrations(swept(measure, subject, sizes_of(subject, n), plan, jobs))
