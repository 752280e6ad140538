"""A hunt from beginning to end: search, tidy up, certify.

ranges → family of mechanisms → search over scores → simplest fractions nearby → full audit
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from dpaudit.audit.certify import EpsilonDelta, audit_size
from dpaudit.errors import PrecisionError
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.questions.hunt.global_search import Evaluated, Limits, Search, Stopped
from dpaudit.questions.hunt.result import HuntResult, Worst, certified_ratio
from dpaudit.questions.hunt.space import Point, Range
from dpaudit.results import Budget, SizeResult, UndecidedSize, Verdict

if TYPE_CHECKING:
    from dpaudit.questions.hunt.family import Family, Member

__all__ = ["run_hunt"]

_CERTIFIED_AT_MOST = 5
_NEARLY = 1e-6  # of the ratio: what a simpler fraction may be less bad by
_ROUNDED = 2.0**-50
_TOLERANCES = (1 / 8, 1 / 16, 1 / 32, 1 / 100, 1e-3, 1e-4)
_FLAGS = {"epsilon": "eps"}


def run_hunt(
    family: Family,
    limits: Limits,
    *,
    budget: Budget | None,
    asked: dict[str, str],
    progress: Callable[[int, float], None] = lambda evaluations, worst: None,
) -> HuntResult:
    """Return what a hunt through ``family`` finds.

    ``budget`` is the one that was given, if any, and ``asked`` the further options of an audit that
    a replay needs.  Ctrl-C ends the search; what it has found until then is certified.
    """
    search = Search(family, limits, progress)
    stopped = search.run()
    if stopped in (Stopped.CONVERGED, Stopped.EVALUATIONS):
        try:
            _simplify(search)
        except KeyboardInterrupt:
            stopped = Stopped.INTERRUPTED
    certified = _certify(search, partial(_audited, family, budget, asked), stopped)
    measures = {found.score.delta is not None for found in search.evaluated.values()}
    return HuntResult(
        mechanism=family.subject.reference,
        space=family.space,
        fixed={name: _text(value) for name, value in family.fixed.items()},
        budget=budget,
        measure="delta" if True in measures else "epsilon",
        limits=limits,
        stopped=stopped,
        evaluated=tuple(search.evaluated.values()),
        unevaluated=tuple(search.unevaluated.values()),
        worst=certified.worst,
        certified=certified.count,
        uncertified=certified.left,
        unsettled=certified.unsettled,
    )


def _simplify(search: Search) -> None:
    """Look at simpler fractions near the worst point; one as bad takes its place.

    A place where the height falls off so slowly that the last digits do not matter is better named
    by a short fraction.
    """
    ranked = search.ranked()
    if not ranked:
        return
    search.extend()
    best = ranked[0]
    for index, dimension in enumerate(search.space.dimensions):
        if not isinstance(dimension, Range):
            continue
        coordinate = dimension.coordinate(best.point[index])
        for tolerance in _TOLERANCES:
            value = dimension.value(coordinate, tolerance)
            # Finer tolerances give longer fractions still.
            if _complexity(value) >= _complexity(best.point[index]):
                break
            point = (*best.point[:index], value, *best.point[index + 1 :])
            height = search.evaluate(point)
            if height >= best.score.height - abs(best.score.height) * _NEARLY:
                best = search.evaluated[point]
                break
    search.preferred = best


def _complexity(value: object) -> int:
    return Fraction(str(value)).denominator


@dataclass(frozen=True)
class _Certified:
    worst: Worst | None
    """The worst of those that were audited."""
    count: int
    """Number of points audited."""
    left: int
    """Number of points not audited whose scores cannot be told from the worst or their budget."""
    unsettled: int
    """Number of those that may exceed their budget."""


def _certify(search: Search, audited: Callable[[Evaluated], Worst], stopped: Stopped) -> _Certified:
    """Audit the points that scores do not tell from the worst, then those that may exceed.

    Of a space that was looked at as a whole every such point is audited, else a few of the worst;
    points that may exceed their budget all are, until one does.  All of it ends with the time, but
    for the first few.
    """
    ranked = search.ranked()
    if not ranked:
        return _Certified(None, 0, 0, 0)
    # Scores are quotients of floats: one a little smaller may be the larger number.
    top = max(found.score.height for found in ranked) * (1 - _ROUNDED)
    near = [one for one in ranked if one.score.upper >= top or one is search.preferred]
    most = len(near) if stopped is Stopped.WHOLE else _CERTIFIED_AT_MOST
    done: list[tuple[Evaluated, Worst]] = []
    for number, found in enumerate((*near[:most], *(o for o in ranked if o.score.unsettled))):
        late = number >= _CERTIFIED_AT_MOST and search.late()
        exceeds = any(worst.audit.verdict is Verdict.EXCEEDS for _, worst in done)
        if late or (exceeds and (stopped is not Stopped.WHOLE or number >= most)):
            break
        if all(found is not other for other, _ in done):
            done.append((found, audited(found)))
    audits = {id(found): worst for found, worst in done}
    answered = any(worst.audit.verdict is Verdict.EXCEEDS for worst in audits.values())
    left = [
        one
        for one in ranked
        if id(one) not in audits
        and (
            (one.score.unsettled and not answered)
            or (stopped is Stopped.WHOLE and one.score.upper >= top)
        )
    ]
    worst = max((worst for _, worst in done), key=_badness)  # of equals, what is ranked first
    return _Certified(worst, len(done), len(left), sum(one.score.unsettled for one in left))


def _badness(worst: Worst) -> tuple[int, Decimal]:
    order = (Verdict.WITHIN, Verdict.UNDECIDED, Verdict.EXCEEDS)
    ratio = Decimal("Infinity") if worst.ratio is None else worst.ratio.lower
    return order.index(worst.audit.verdict), ratio


def _audited(
    family: Family, budget: Budget | None, asked: dict[str, str], found: Evaluated
) -> Worst:
    subject = family.at(found.point)
    mechanism, n, plan = subject.mechanism, subject.n, subject.plan
    result: SizeResult | UndecidedSize
    try:
        result = audit_size(mechanism, n, plan)
    except PrecisionError as error:
        result = UndecidedSize(n, str(error))
    ratio = None
    if isinstance(result, SizeResult):
        pure = plan.held_to.is_pure
        realised = result.epsilon if pure else result.delta_held
        bound = plan.held_to.epsilon if pure else plan.held_to.delta
        ratio = certified_ratio(realised, bound, plan.digits)
    audit = EpsilonDelta().report(mechanism, (n,), plan, [result])
    return Worst(
        parameters=family.space.named(found.point),
        audit=audit,
        ratio=ratio,
        replay=_replay(family, found.point, subject, budget, asked),
    )


def _replay(
    family: Family, point: Point, subject: Member, budget: Budget | None, asked: dict[str, str]
) -> str:
    """Return the command that audits a point again, every parameter written out."""
    asked_for = family.parameters(point)
    own = {name: _text(value) for name, value in asked_for.items() if name != "n"}
    if not family.subject.named:
        text = ", ".join(f"{name}={value!r}" for name, value in own.items())
        return f"dpaudit.check({family.subject.reference}({text}), n={subject.n})"
    words = ["dpaudit", "check", family.subject.reference, "--n", str(subject.n)]
    if family.subject.built_in:
        for name, value in subject.mechanism.values().items():
            words += [f"--{_FLAGS.get(name, name)}", _text(value)]
    else:
        for name, value in own.items():
            words += [f"--{name}", value] if name == "k" else ["--set", f"{name}={value}"]
    if budget is not None:
        epsilon, delta = budget.epsilon, budget.delta
        words += ["--budget", str(epsilon) if budget.is_pure else f"{epsilon},{delta}"]
    for name, value in asked.items():
        words += [f"--{name}", value]
    return shlex.join(words)


def _text(value: object) -> str:
    text = parameter_text(tuple(value) if isinstance(value, list) else value)
    return text if isinstance(text, str) else ",".join(text)
