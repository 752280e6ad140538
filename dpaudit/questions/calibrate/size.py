"""The calibration of one size: certified audits at nominal ε on a decimal grid."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from math import ceil, inf, log, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.audit.certify import audit_size
from dpaudit.data.histograms import Counts
from dpaudit.errors import DomainError, ParameterError, PrecisionError, UsageError
from dpaudit.mechanisms import loading
from dpaudit.mechanisms.base import HistogramMechanism, Mechanism, in_nats
from dpaudit.mechanisms.parameters import read_number, usable_float
from dpaudit.numbers.ball import Ball, Sign, lower_fraction, precision
from dpaudit.numbers.enclosure import enclose, enclose_real
from dpaudit.numbers.real import ONE, ZERO, Number, Real, compare, rational
from dpaudit.questions.calibrate import search as brackets
from dpaudit.questions.calibrate.search import MULTIPLES, Bracket, Probed

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan

__all__ = [
    "CalibrationGoal",
    "calibrate_size",
    "nominal_of",
    "read_tolerance",
    "with_nominal",
]

_FINEST = 30  # decimals of a nominal ε
_ROUNDS = 8
_REFINEMENTS = 2


@dataclass(frozen=True)
class CalibrationGoal:
    """Goal of a calibration beyond the plan of its audits."""

    tolerance: Fraction = Fraction(1, 10**6)
    """The failing nominal ε lies at most this far above the safe one."""
    dataset: Counts | None = None
    """Dataset of the mean error; None for the data of the plan, else for uniform data."""


def read_tolerance(text: Number) -> Fraction:
    """Return a tolerance, or raise ``DomainError``.

    >>> read_tolerance("1e-6")
    Fraction(1, 1000000)
    """
    number = read_number(text, "tolerance").as_fraction()
    if number is None or not Fraction(1, 10**20) <= number <= Fraction(1, 10):
        raise DomainError("tolerance", text, "must be a rational from 1e-20 to 1/10")
    return number


def check_calibratable(mechanism: Mechanism[Any]) -> None:
    """Raise ``ParameterError`` for a mechanism without a nominal ε to be changed."""
    if not _has_epsilon(mechanism) and not _is_made_with_epsilon(mechanism):
        raise ParameterError("epsilon", f"{mechanism.name} has no nominal ε to calibrate")


def _has_epsilon(mechanism: Mechanism[Any]) -> bool:
    return "epsilon" in {field.name for field in fields(mechanism)}


def _is_made_with_epsilon(mechanism: Mechanism[Any]) -> bool:
    """Tell whether what a user's mechanism was loaded from takes an ε."""
    spec = mechanism.spec
    if spec is None or spec.untold:
        return False
    names = loading.find_mechanism(spec.reference, Path(spec.folder)).parameter_names()
    return "epsilon" in (names or ())


def with_nominal(mechanism: Mechanism[Any], epsilon: Real) -> Mechanism[Any]:
    """Return the same mechanism run with another nominal ε; ``ParameterError`` if it has none."""
    check_calibratable(mechanism)
    if mechanism.spec is not None:
        return loading.load(mechanism.spec.changed(epsilon=epsilon))
    return type(mechanism)(**{**mechanism.values(), "epsilon": epsilon})


def nominal_of(mechanism: Mechanism[Any], budget: Real) -> Real:
    """Return the nominal ε, in the mechanism's own unit, of a budget's ε > 0, which is in nats."""
    if budget == ZERO:
        raise ParameterError("budget", "calibrate needs a budget with an ε greater than 0")
    return budget / in_nats(ONE, mechanism.epsilon_unit)


def calibrate_size(
    mechanism: Mechanism[Any], n: int, plan: Plan, question: CalibrationGoal
) -> results.CalibratedSize | results.Uncalibrated:
    """Return the largest nominal ε found that is certified to keep the plan's budget at size n.

    ``mechanism`` is run with other nominal ε, all else unchanged; the budget stays.  The nominal ε
    are multiples of a power of ten of at most a tenth of the tolerance.  The safe one is certified
    ``within``, the failing one, at most the tolerance above it, is certified ``exceeds``.  For a
    pure budget the grid is refined until the realised ε is within the tolerance of it as well,
    unless the realised ε jumps there.
    """
    search = _Search(mechanism, n, plan, question)
    bracket = brackets.find_bracket(search.probe, search.start)
    if bracket.passing is None:
        return search.without_safe()
    for rounds_left in reversed(range(_ROUNDS)):
        if bracket.failing is None:
            break
        safe = search.narrowed(bracket.passing, bracket.failing)
        bracket = Bracket(safe, safe + 1)
        further = search.try_beyond(safe)
        if further is None or not rounds_left:
            break
        bracket = brackets.find_bracket(search.probe, further)
        assert bracket.passing is not None, "it starts at a point that passes"
    return search.conclude(bracket)


class _Search:
    """The audits of one size, by the nominal ε in units of 10^−decimals."""

    def __init__(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, question: CalibrationGoal
    ) -> None:
        check_calibratable(mechanism)
        self.mechanism = mechanism
        self.n = n
        self.plan = plan
        self.question = question
        self.first = nominal_of(mechanism, plan.held_to.epsilon)
        budget = plan.held_to
        self.budget = usable_float(budget.epsilon, "budget epsilon")
        self.pure = budget.is_pure
        self.log_delta = -inf if self.pure else log(usable_float(budget.delta, "budget delta"))
        with precision(256):
            floor = lower_fraction(self.first.ball())
        finest = min(question.tolerance, question.tolerance * floor) / 10
        self.decimals = 0
        while Fraction(1, 10**self.decimals) > finest:
            self.decimals += 1
        exact = self.first.as_fraction()
        self.start = max(1, int((floor if exact is None else exact) * 10**self.decimals))
        self.results: dict[Fraction, results.SizeResult | None] = {}
        self.audits = 0
        self.beyond: results.Beyond | None = None

    def nominal(self, units: int) -> Fraction:
        return Fraction(units, 10**self.decimals)

    def audit(self, nominal: Real) -> results.SizeResult | None:
        """Return the audit at one nominal ε, or None if something could not be enclosed."""
        self.audits += 1
        try:
            return audit_size(with_nominal(self.mechanism, nominal), self.n, self.plan)
        except PrecisionError:
            return None

    def result(self, units: int) -> results.SizeResult | None:
        value = self.nominal(units)
        if value not in self.results:
            self.results[value] = self.audit(rational(value))
        return self.results[value]

    def probe(self, units: int) -> Probed:
        result = self.result(units)
        if result is None:
            return Probed(False, nan, nan)
        passes = result.verdict is results.Verdict.WITHIN
        realised = result.epsilon.midpoint
        if self.pure:
            ratio = self.budget / realised if realised else inf
            return Probed(passes, self.budget - realised, ratio)
        delta = result.delta_held.midpoint
        margin = self.log_delta - log(delta) if delta > 0 else nan
        return Probed(passes, margin, nan)

    def narrowed(self, passing: int, failing: int) -> int:
        """Return the safe point next to a failing one, refining the grid while that helps."""
        shortfalls: list[float] = []
        while True:
            safe = brackets.narrow(self.probe, passing, failing).passing
            assert safe is not None
            if not self.pure or self.is_near(safe) or self.decimals >= _FINEST:
                return safe
            above = self.result(safe + 1)
            if above is None or above.verdict is not results.Verdict.EXCEEDS:
                return safe
            shortfalls.append(self.probe(safe).margin)
            if len(shortfalls) > _REFINEMENTS and shortfalls[-1] > shortfalls[0] / 2:
                return safe  # ten times closer each time, and no nearer: it jumps
            self.decimals += 1
            passing, failing = 10 * safe, 10 * (safe + 1)

    def is_near(self, units: int) -> bool:
        """Tell whether the realised ε is within the tolerance of the budget."""
        result = self.result(units)
        assert result is not None
        if result.epsilon.lower.is_infinite():
            return True
        least = rational(Fraction(result.epsilon.lower) + self.question.tolerance)
        return compare(least, self.plan.held_to.epsilon) in (Sign.ZERO, Sign.POSITIVE)

    def failing(self, safe: int) -> int | None:
        """Return the first point above ``safe``, within the tolerance, that certainly exceeds."""
        step = 1
        while self.nominal(step) <= self.question.tolerance:
            result = self.result(safe + step)
            if result is not None and result.verdict is results.Verdict.EXCEEDS:
                return safe + step
            step += max(1, step)
        return None

    def try_beyond(self, safe: int) -> int | None:
        """Return the largest point that passes of those tried beyond a failing one, or None."""
        failing = self.failing(safe)
        failed = None if failing is None else self.result(failing)
        if failing is None or failed is None:
            return None
        largest, exceeding = None, 0
        points = sorted({ceil(multiple * failing) for multiple in MULTIPLES} - {failing})
        for point in points:
            changed = with_nominal(self.mechanism, rational(self.nominal(point)))
            if brackets.witness_exceeds(changed, self.plan, failed):
                exceeding += 1
                continue
            result = self.result(point)
            if result is not None and result.verdict is results.Verdict.WITHIN:
                largest = point
            elif result is not None and result.verdict is results.Verdict.EXCEEDS:
                exceeding += 1
        self.beyond = results.Beyond(len(points), exceeding, _decimal(self.nominal(points[-1])))
        return largest

    def conclude(self, bracket: Bracket) -> results.CalibratedSize:
        assert bracket.passing is not None
        safe, some_failed = bracket.passing, bracket.failing is not None
        failing = self.failing(safe) if some_failed else None
        realised = self.result(safe)
        assert realised is not None
        assert realised.verdict is not None
        before = self.before()
        note = ""
        if not some_failed:
            note = "it is the largest nominal ε that was tried"
        elif failing is None:
            note = "values just above it are undecided: a tie, or nearly one"
        elif self.pure and not self.is_near(safe):
            note = "the realised ε jumps over the budget here"
        nominal = self.nominal(safe)
        error = self.error(rational(nominal))
        return results.CalibratedSize(
            n=self.n,
            nominal=_decimal(nominal),
            failing=None if failing is None else _decimal(self.nominal(failing)),
            gain=enclose_real(rational(nominal) / self.first, self.plan.digits),
            audits=self.audits,
            before=before,
            realised=realised,
            exceeded=None if failing is None else self.result(failing),
            error=error if isinstance(error, results.ErrorChange) else None,
            no_error=error if isinstance(error, str) else "",
            verdict=realised.verdict,
            beyond=self.beyond if some_failed else None,
            note=note,
        )

    def before(self) -> results.SizeResult:
        """Return the audit at the nominal ε of the budget; ``PrecisionError`` if there is none."""
        exact = self.first.as_fraction()
        audited = None if exact is None else self.results.get(exact)
        if audited is not None:
            return audited
        self.audits += 1
        unchanged = with_nominal(self.mechanism, self.first)
        return audit_size(unchanged, self.n, self.plan)

    def error(self, nominal: Real) -> results.ErrorChange | str:
        """Return the mean error before and after, or why there is none."""
        if not isinstance(self.mechanism, HistogramMechanism):
            return f"{self.mechanism.name} has no posterior to compare with"
        digits, dataset = self.plan.digits, self.dataset(self.mechanism)
        try:
            before, after = (
                brackets.mean_error(with_nominal(self.mechanism, epsilon), dataset, digits + 2)
                for epsilon in (self.first, nominal)
            )
        except (PrecisionError, UsageError) as error:
            return str(error)
        return results.ErrorChange(dataset, before, after, _quotient(after, before, digits))

    def dataset(self, mechanism: HistogramMechanism) -> Counts:
        """Return where the mean error is wanted: as asked, else where the pairs are."""
        if self.question.dataset is not None:
            return self.question.dataset
        if isinstance(self.plan.at, tuple):
            return self.plan.at
        return mechanism.uniform(self.n)[0]

    def without_safe(self) -> results.Uncalibrated:
        verdicts = {None if r is None else r.verdict for r in self.results.values()}
        tried = f"from {_decimal(max(self.results))} down to {_decimal(min(self.results))}"
        if verdicts == {results.Verdict.EXCEEDS}:
            return results.Uncalibrated(
                self.n, results.Verdict.EXCEEDS, f"every nominal ε tried {tried} exceeds the budget"
            )
        return results.Uncalibrated(
            self.n,
            results.Verdict.UNDECIDED,
            f"no nominal ε tried {tried} is certified to keep the budget",
        )


def _quotient(
    numerator: results.Enclosure, denominator: results.Enclosure, digits: int
) -> results.Enclosure:
    """Return an interval that contains the quotient of numbers in two positive intervals."""
    if not denominator.lower:
        return results.Enclosure(Decimal(0), Decimal("Infinity"))
    least = Fraction(numerator.lower) / Fraction(denominator.upper)
    most = Fraction(numerator.upper) / Fraction(denominator.lower)
    with precision(256):
        low: Ball = rational(least).ball()
        high: Ball = rational(most).ball()
        return results.Enclosure(enclose(low, digits).lower, enclose(high, digits).upper)


def _decimal(value: Fraction) -> str:
    """Return a finite decimal in full.

    >>> _decimal(Fraction(17, 8)), _decimal(Fraction(2))
    ('2.125', '2')
    """
    whole, rest = divmod(value, 1)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{whole}.{digits}" if digits else str(whole)
