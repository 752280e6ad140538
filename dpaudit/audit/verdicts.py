"""Derive verdicts from reported numbers and budgets, never from a reported verdict.

What comes back from another process, from a worker or out of a file says what it found in numbers.
Whoever takes it judges those, so a verdict that does not follow from its numbers goes nowhere.  To
make every verdict follow, an audit prints as many digits as tell a number from its budget.  The
same findings are said as sentences.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from dpaudit import results
from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Sign, working_precision
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import Real, order, rational

if TYPE_CHECKING:
    from dpaudit.audit.plan import Pairs
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "NOT_ENCLOSED",
    "bound_in_words",
    "check_enclosure",
    "check_epsilon_at",
    "check_pairs",
    "default_in_words",
    "equal_to",
    "excess_in_words",
    "in_words",
    "is_limit",
    "judged_again",
    "short_number",
    "side",
    "sized",
    "standing",
    "verdict_of",
    "with_verdict",
]

_LONG = 24
"""Numbers of more characters are short_number in a sentence."""


ResultT = TypeVar("ResultT")

UNTOLD = "its interval contains the budget"
"""The reason where a result that has none is judged to be undecided."""
NOT_ENCLOSED = "nothing bounds its ε from above"
"""The reason where a result that has none gives no realised ε."""


def side(interval: results.Enclosure, bound: Real) -> Sign:
    """Return on which side of ``bound`` a number lies that is known by its interval alone.

    ``NEGATIVE`` where it is certainly at most the bound, ``ZERO`` where it is the bound exactly.
    """
    if interval.exact is not None:
        try:
            return order(interval.exact, bound)
        except PrecisionError:
            return Sign.UNDECIDED
    if _order(interval.upper, bound) in (Sign.NEGATIVE, Sign.ZERO):
        return Sign.NEGATIVE
    return Sign.POSITIVE if _order(interval.lower, bound) is Sign.POSITIVE else Sign.UNDECIDED


def equal_to(interval: results.Enclosure, exact: Real | None, bound: Real) -> results.Enclosure:
    """Return the enclosure of ``exact``, with the closed form of a ``bound`` that it is.

    Its own may be too long to be written, and no digits tell two equal numbers.
    """
    if exact is None or interval.exact is not None or side(interval, bound) is not Sign.UNDECIDED:
        return interval
    try:
        equal = order(exact, bound) is Sign.ZERO
    except PrecisionError:
        equal = False
    return replace(interval, exact=bound) if equal else interval


def standing(sign: Sign) -> results.Verdict:
    """Return the verdict about a number on this side of its budget."""
    if sign in (Sign.NEGATIVE, Sign.ZERO):
        return results.Verdict.WITHIN
    return results.Verdict.EXCEEDS if sign is Sign.POSITIVE else results.Verdict.UNDECIDED


def sized(
    mechanism: Mechanism[Any],
    pairs: Pairs,
    covered: int,
    verdict: results.Verdict | None,
    untold: str,
) -> dict[str, Any]:
    """Return the fields of a result that say what was looked at, and the verdict about it.

    Args:
        mechanism: what was audited.
        pairs: the pairs there are.
        covered: how many were looked at; not all of them are never within.
        verdict: what the numbers decide; None where there is no budget.
        untold: the number and the budget that are not told apart where it is undecided.
    """
    reason = ""
    if covered != pairs.expected and verdict in (None, results.Verdict.WITHIN):
        verdict = None if verdict is None else results.Verdict.UNDECIDED
        reason = f"{covered} of {pairs.expected} pairs were covered"
    elif verdict is results.Verdict.UNDECIDED:
        bits = working_precision()
        reason = (
            f"{untold} are too close to be distinguished with {bits} bits: a tie, or nearly one"
        )
    outputs = mechanism.output_count(pairs.n)
    return {
        "n": pairs.n,
        "datasets": pairs.datasets,
        "pairs": pairs.expected,
        "pairs_covered": covered,
        "outputs": "infinite" if outputs is None else outputs,
        "verdict": verdict,
        "reason": reason,
    }


def verdict_of(
    epsilon: results.Enclosure, delta: results.Enclosure, budget: results.Budget
) -> results.Verdict:
    """Return the verdict about a realised ε, and δ at the budget's ε.

    The budget is kept if and only if that δ is at most the budget's, and that δ is 0 if and only
    if ε is at most the budget's.

    Raises:
        ValueError: for an ε and a δ that contradict each other.
    """
    pure, mixed = side(epsilon, budget.epsilon), side(delta, budget.delta)
    kept = standing(pure) is results.Verdict.WITHIN
    if kept and delta.lower > 0:
        raise ValueError("if ε is within the budget, δ must be 0")
    if kept:
        return results.Verdict.WITHIN
    if pure is Sign.POSITIVE and not delta.upper:
        raise ValueError("if ε is above the budget, δ must be above 0")
    if pure is Sign.POSITIVE and budget.is_pure:
        return results.Verdict.EXCEEDS
    return standing(mixed)


def judged_again(
    result: results.SizeResult, budget: results.Budget | None, pairs: int | None = None
) -> results.SizeResult:
    """Return a result with the verdict that follows from its numbers, whatever it says.

    Args:
        result: what was found elsewhere.
        budget: the budget that it is compared with; without one there is no verdict.
        pairs: how many pairs there are, where that is known here.

    Raises:
        ValueError: for invalid numbers, or numbers that contradict each other.
    """
    for interval in (result.epsilon, *result.deltas):
        check_enclosure(interval)
    for point in result.deltas:
        if point.upper > 1:
            raise ValueError(f"δ({point.epsilon}) is above 1")
    for found in result.at_delta:
        check_epsilon_at(found)
    check_pairs(result, pairs)
    if budget is None:
        if result.delta is not None:
            raise ValueError("it has δ at the ε of a budget, but no budget")
        reason = "" if result.enclosed else result.reason or NOT_ENCLOSED
        return replace(result, verdict=None, reason=reason)
    delta = result.delta
    if delta is None:
        raise ValueError(f"no δ is given at {budget.epsilon}")
    if order(delta.epsilon, budget.epsilon) is not Sign.ZERO:
        raise ValueError(f"δ is given at {delta.epsilon}, not at {budget.epsilon}")
    return with_verdict(result, verdict_of(result.epsilon, delta, budget))


def check_pairs(result: results.Coverage, pairs: int | None) -> None:
    """Raise ``ValueError`` unless the counts can be: ``pairs`` where their number is known."""
    if pairs is not None and result.pairs != pairs:
        raise ValueError(f"there are {pairs} pairs at n = {result.n}, not {result.pairs}")
    covered = 0 <= result.pairs_covered <= result.pairs
    if not covered or min(result.pairs, result.datasets) < 1 or result.outputs == 0:
        raise ValueError("its counts of pairs, datasets or outputs are impossible")


def with_verdict(result: ResultT, verdict: results.Verdict) -> ResultT:
    """Return a result with this verdict, which needs every pair to be covered to be within."""
    found: Any = result
    if verdict is results.Verdict.WITHIN and not found.complete:
        verdict = results.Verdict.UNDECIDED
    reason = (found.reason or UNTOLD) if verdict is results.Verdict.UNDECIDED else ""
    judged: ResultT = replace(found, verdict=verdict, reason=reason)
    return judged


def check_enclosure(interval: results.Enclosure) -> None:
    """Raise ``ValueError`` unless [lower, upper] is an interval from 0 up, around ``exact``."""
    lower, upper = interval.lower, interval.upper
    if lower.is_nan() or upper.is_nan() or not 0 <= lower <= upper:
        raise ValueError(f"{lower} to {upper} is not an interval")
    if interval.exact is not None:
        ends = (_order(lower, interval.exact), _order(upper, interval.exact))
        if ends[0] is Sign.POSITIVE or ends[1] is Sign.NEGATIVE:
            raise ValueError(f"{interval.exact} is not in [{lower}, {upper}]")


def check_epsilon_at(found: results.EpsilonAt) -> None:
    """Raise ``ValueError`` unless the δ(ε) at both ends prove an interval of ε at a δ."""
    check_enclosure(found)
    for point, end, unproved, signs in (
        (found.above, found.lower, Decimal(0), (Sign.POSITIVE,)),
        (found.below, found.upper, Decimal("Infinity"), (Sign.NEGATIVE, Sign.ZERO)),
    ):
        if point is None and end != unproved:
            raise ValueError(f"nothing proves that ε at δ = {found.delta} ends at {end}")
        if point is None:
            continue
        check_enclosure(point)
        if not end.is_finite() or order(point.epsilon, rational(Fraction(end))) is not Sign.ZERO:
            raise ValueError(f"δ is given at {point.epsilon}, not at {end}")
        if side(point, found.delta) not in signs:
            raise ValueError(f"δ({point.epsilon}) does not prove that ε ends there")


def _order(end: Decimal, bound: Real) -> Sign:
    if end.is_infinite():
        return Sign.POSITIVE
    try:
        return order(rational(Fraction(end)), bound)
    except PrecisionError:
        return Sign.UNDECIDED


def excess_in_words(audit: results.Audit | results.MeasuredAudit, result: Any) -> str:
    """Return by how much a budget is exceeded and where, as a sentence."""
    excess: Any = _excess if isinstance(audit, results.Audit) else _measured_excess
    text: str = excess(audit, result)
    return text


def _excess(audit: results.Audit, result: results.SizeResult) -> str:
    w, d, budget = result.witness, result.delta_held, audit.held_to
    finite = w.loss.lower.is_finite()
    likelier = f"is e^{w.loss.lower:.3f} times likelier" if finite else "is impossible on one side"
    output = f"output {in_words(w.output)} {likelier}"
    if not finite and is_limit(w.output):
        output = f"the loss grows without bound as {w.output}"
    pair = f"{in_words(w.x)} against {in_words(w.y)}"
    if not budget.is_pure:
        worst = f"{in_words(d.x)} against {in_words(d.y)}"
        output += "" if worst == pair else f" with {pair}"
        above = _above(d.value, budget.delta)
        return f"at n = {result.n}, with {worst}: realised δ({budget.epsilon}) {above}; {output}"
    above = _above(result.epsilon, budget.epsilon)
    return f"at n = {result.n}, with {pair}, {output}; realised ε {above}"


def _above(found: results.Enclosure, bound: Real) -> str:
    """Return what is certainly above a bound, and the bound, in digits that show it."""
    budget = f"budget {bound_in_words(bound)}"
    if found.lower.is_infinite():
        return f"is infinite, {budget}"
    told = str(bound) == short_number(bound) or _first_digits(bound, ROUND_CEILING) < found.lower
    if told and _order(found.lower, bound) is Sign.POSITIVE:
        return f"≥ {found.lower}, {budget}"
    if found.exact is None:
        return f"from {found.lower} to {found.upper}, {budget}, exceeded by less than is shown"
    excess = enclose_real(found.exact - bound, 1).lower
    by = Context(prec=2, rounding=ROUND_FLOOR).create_decimal(excess)
    return f"= {short_number(found.exact)}, {budget}, exceeded by {by} or more"


def bound_in_words(bound: Real) -> str:
    """Return a bound, and beside a closed form such as ln(3) its first digits."""
    text = short_number(bound)
    if "(" not in text:
        return text
    short = Context(prec=6, rounding=ROUND_FLOOR)
    return f"{text} ({short.plus(_first_digits(bound, ROUND_FLOOR))}…)"


def short_number(number: Real) -> str:
    """Return a number, or its first digits where it is long."""
    text = str(number)
    if len(text) <= _LONG:
        return text
    first = _first_digits(number, ROUND_FLOOR)
    return f"{first}{'' if first == _first_digits(number, ROUND_CEILING) else '…'}"


def _first_digits(number: Real, rounding: str) -> Decimal:
    enclosed = enclose_real(number, _LONG)
    end = enclosed.lower if rounding == ROUND_FLOOR else enclosed.upper
    return Context(prec=20, rounding=rounding).plus(end)


def _measured_excess(audit: results.MeasuredAudit, result: results.MeasuredSize) -> str:
    w, value = result.witness, result.value
    where = f"at n = {result.n}, with {in_words(w.x)} against {in_words(w.y)}"
    if not value.lower.is_finite():
        output = "" if w.output is None else f"output {in_words(w.output)} is impossible on one: "
        if is_limit(w.output):
            output = f"the loss grows without bound as {w.output}: "
        return f"{where}, {output}{audit.label} is infinite, budget {short_number(audit.budget)}"
    if value.exact is not None and str(audit.budget) == short_number(audit.budget):
        return f"{where}: realised {audit.label} = {value.exact} exactly, budget {audit.budget}"
    return f"{where}: realised {audit.label} {_above(value, audit.budget)}"


def default_in_words(subject: Any) -> str:
    """Return that nobody named the neighbouring relation, to end a sentence; else nothing."""
    return f"; neighbours: {subject.adjacency}, by default" if subject.adjacency_defaulted else ""


def is_limit(output: Any) -> bool:
    """Tell whether an output is a limit, such as ``r → ∞``: the loss grows without bound there."""
    return isinstance(output, str) and _LIMIT.fullmatch(output) is not None


_LIMIT = re.compile("[rx] (→|->) \\S+")
"""A limit as laws write it (:mod:`dpaudit.laws`)."""


def in_words(value: Any) -> str:
    """Return a dataset or an output as a reader writes it."""
    if isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        return f"({','.join(map(str, value))})"
    return repr(value) if isinstance(value, str) else str(value)
