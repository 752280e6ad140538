"""The audit of one size in one notion: every pair, both directions, and the verdict.

What may be the largest is enclosed as tightly as asked, in closed form where the laws have one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpaudit.audit.measure import ignore
from dpaudit.audit.scan import Scan, scan_size
from dpaudit.audit.verdicts import equal_to, short_number, side, sized, standing
from dpaudit.errors import DomainError, PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.enclosure import enclose, enclose_real, unit_interval
from dpaudit.numbers.real import Real, order
from dpaudit.questions.notion.notion import Approximate, Notion, TotalVariation
from dpaudit.results import Enclosure, MeasuredSize, MeasuredWitness, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from dpaudit.audit.plan import Pairs, Plan
    from dpaudit.audit.quantity import Candidate, Value
    from dpaudit.laws.losses import ExactMasses
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["measure_size"]

_WORTH_A_CLOSED_FORM = 8  # atoms; with more, a closed form is made only where it may decide a tie
_MANY = 64  # different closed forms to compare


def measure_size(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    notion: Notion,
    budget: Real,
    *,
    progress: Callable[[int], None] = ignore,
) -> MeasuredSize:
    """Return the certified audit of ``mechanism`` at size ``n`` in ``notion``, held to ``budget``.

    The precision is raised until the interval is at most 10^−digits wide and the verdict is
    decided, or to the plan's cap, where a verdict is reported as undecided with its reason.
    ``PrecisionError`` where the worst pair cannot be enclosed at all.
    """

    def conclude(scan: Scan, pairs: Pairs) -> tuple[MeasuredSize, bool]:
        result = _conclude(mechanism, pairs, plan, scan, notion=notion, budget=budget)
        tight = result.value.is_tight(plan.digits)
        return result, tight and result.verdict is not Verdict.UNDECIDED

    return scan_size(mechanism, n, plan, [notion], conclude, progress=progress)


def _conclude(
    mechanism: Mechanism[Any],
    pairs: Pairs,
    plan: Plan,
    scan: Scan,
    *,
    notion: Notion,
    budget: Real,
) -> MeasuredSize:
    if scan.unenclosed:
        raise PrecisionNeeded("a pair that may be the worst has no bounds at this precision")
    candidates: list[Candidate] = scan.largest().tags
    largest = balls.maximum(candidate.value.ball for candidate in candidates)
    sign = _certain(largest, budget)
    exact, best = _closed_form(candidates, notion, needed=sign is Sign.UNDECIDED)
    if exact is not None:
        sign = _order(exact, budget)
    value = _enclosed(largest, exact, plan.digits, notion, budget)
    if side(value, budget) is Sign.UNDECIDED:  # the verdict is to follow from the digits
        value = _enclosed(largest, exact, max(plan.digits, balls.working_digits()), notion, budget)
    interval = _enclosed(largest, exact, plan.digits, notion, budget)
    return MeasuredSize(
        value=value,
        witness=_witness(candidates if best is None else [best]),
        **sized(
            mechanism,
            pairs,
            scan.covered,
            standing(sign),
            f"{interval} and the budget {short_number(budget)}",
        ),
    )


def _certain(largest: Ball, budget: Real) -> Sign:
    limit = budget.ball()
    if balls.certainly_less_or_equal(largest, limit):
        return Sign.NEGATIVE
    return Sign.POSITIVE if balls.certainly_less(limit, largest) else Sign.UNDECIDED


def _order(exact: Real, budget: Real) -> Sign:
    try:
        return order(exact, budget)
    except PrecisionError:
        return Sign.UNDECIDED


def _enclosed(
    largest: Ball, exact: Real | None, digits: int, notion: Notion, budget: Real
) -> Enclosure:
    value = enclose(largest, digits) if exact is None else enclose_real(exact, digits)
    if isinstance(notion, (TotalVariation, Approximate)):
        value = unit_interval(value)
    return equal_to(value, exact, budget)


def _closed_form(
    candidates: list[Candidate], notion: Notion, *, needed: bool
) -> tuple[Real, Candidate] | tuple[None, None]:
    """Return the largest value in closed form, and who has it, if all candidates have one.

    Nothing is returned where no precision orders them.
    """
    forms: dict[Real, Candidate] = {}
    done: set[ExactMasses] = set()
    for candidate in candidates:
        value, masses = candidate.value, candidate.key
        form = value.exact
        if form is None:
            if masses is None or not (needed or len(masses) <= _WORTH_A_CLOSED_FORM):
                return None, None
            # Equal masses have equal values: one closed form stands for all of them.
            if masses in done:
                continue
            done.add(masses)
            form = _formed(notion, value, masses)
        if form is None:
            return None, None
        forms.setdefault(form, candidate)
        if len(forms) > _MANY:
            return None, None
    try:
        largest = _largest(forms)
    except PrecisionError:
        return None, None
    return largest, forms[largest]


def _formed(notion: Notion, value: Value, masses: ExactMasses) -> Real | None:
    try:
        return notion.closed_form(value, masses)
    except (DomainError, PrecisionError):  # a sum too large, or not told from zero
        return None


def _largest(forms: Iterable[Real]) -> Real:
    iterator = iter(sorted(forms, key=str))
    best = next(iterator)
    for form in iterator:
        if order(form, best) is Sign.POSITIVE:
            best = form
    return best


def _witness(candidates: list[Candidate]) -> MeasuredWitness:
    best = candidates[0]
    for candidate in candidates[1:]:
        if balls.certainly_less(best.value.ball, candidate.value.ball):
            best = candidate
    value = best.value
    return MeasuredWitness(
        best.x,
        best.y,
        value.output,
        None if value.order is None else _about(value.order),
        None if value.type_one is None else _about(value.type_one),
        None if value.type_two is None else _about(value.type_two),
    )


def _about(number: Fraction) -> str:
    """Return about ``number``, for reading."""
    return str(Decimal(f"{float(number):.6g}"))
