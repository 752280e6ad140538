"""A hunt from beginning to end: search, tidy up, certify.

ranges → family of mechanisms → search over scores → simplest fractions nearby → full audit
"""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.audit.certify import EpsilonDelta, audit_size
from dpaudit.errors import PrecisionError
from dpaudit.exact.real import ZERO, real
from dpaudit.hunting.result import HuntResult, Worst, certified_ratio
from dpaudit.hunting.search import Limits, Search, Stopped
from dpaudit.hunting.space import Range
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.mechanisms.registry import mechanism_names
from dpaudit.results import SizeResult, UndecidedSize, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.hunting.family import Family, Subject
    from dpaudit.hunting.search import Evaluated
    from dpaudit.hunting.space import Point

__all__ = ["run_hunt"]

_CERTIFIED_AT_MOST = 5
_NEARLY = 1e-6  # of the ratio: what the search cannot tell apart
_TOLERANCES = (1 / 8, 1 / 16, 1 / 32, 1 / 100, 1e-3, 1e-4)
_FLAGS = {"epsilon": "eps"}


def run_hunt(
    family: Family,
    limits: Limits,
    *,
    budget: tuple[str, str] | None,
    asked: dict[str, str],
    tick: Callable[[int, float], None] = lambda evaluations, worst: None,
) -> HuntResult:
    """Return what a hunt through ``family`` finds.

    ``budget`` is the one that was given, if any, and ``asked`` the further options of an audit that
    a replay needs.  Ctrl-C ends the search; what it has found until then is certified.
    """
    search = Search(family, limits, tick)
    stopped = search.run()
    if stopped in (Stopped.CONVERGED, Stopped.EVALUATIONS):
        try:
            _simplify(search)
        except KeyboardInterrupt:
            stopped = Stopped.INTERRUPTED
    worst = _certified(family, search, budget, asked)
    measures = {found.score.delta is not None for found in search.evaluated.values()}
    return HuntResult(
        mechanism=family.name,
        space=family.space,
        fixed={name: _text(value) for name, value in family.fixed.items()},
        budget=budget,
        measure="delta" if True in measures else "epsilon",
        limits=limits,
        stopped=stopped,
        evaluated=tuple(search.evaluated.values()),
        unevaluated=tuple(search.unevaluated.values()),
        worst=worst,
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
            if _complexity(value) >= _complexity(best.point[index]):
                break
            point = (*best.point[:index], value, *best.point[index + 1 :])
            height = search.look(point)
            if height >= best.score.height - abs(best.score.height) * _NEARLY:
                best = search.evaluated[point]
                break
    search.preferred = best


def _complexity(value: object) -> int:
    return Fraction(str(value)).denominator


def _certified(
    family: Family, search: Search, budget: tuple[str, str] | None, asked: dict[str, str]
) -> Worst | None:
    """Return the audit of the worst point, or of the first almost as bad that exceeds its budget.

    Points whose scores hardly differ may be told apart by their audits alone.
    """
    ranked = search.ranked()
    if not ranked:
        return None
    least = ranked[0].score.height - abs(ranked[0].score.height) * _NEARLY
    first: Worst | None = None
    for found in ranked[:_CERTIFIED_AT_MOST]:
        if found.score.height < least:
            break
        worst = _audited(family, found, budget, asked)
        if worst.audit.verdict is Verdict.EXCEEDS:
            return worst
        first = first or worst
    return first


def _audited(
    family: Family, found: Evaluated, budget: tuple[str, str] | None, asked: dict[str, str]
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
        pure = plan.budget.delta == ZERO
        realised = result.epsilon if pure else result.delta
        bound = plan.budget.epsilon if pure else plan.budget.delta
        ratio = certified_ratio(realised, bound, plan.digits)
    audit = EpsilonDelta().report(mechanism, (n,), plan, [result])
    return Worst(
        parameters=family.space.named(found.point),
        audit=audit,
        ratio=ratio,
        replay=_replay(family, found.point, subject, budget, asked),
    )


def _replay(
    family: Family,
    point: Point,
    subject: Subject,
    budget: tuple[str, str] | None,
    asked: dict[str, str],
) -> str:
    """Return the command that audits a point again, every parameter written out."""
    asked_for = family.parameters(point)
    own = {name: _text(value) for name, value in asked_for.items() if name != "n"}
    if not family.named:
        text = ", ".join(f"{name}={value!r}" for name, value in own.items())
        return f"dpaudit.check({family.name}({text}), n={subject.n})"
    words = ["dpaudit", "check", family.name, "--n", str(subject.n)]
    if family.name.lower() in map(str.lower, mechanism_names()):
        for name, value in subject.mechanism.values().items():
            words += [f"--{_FLAGS.get(name, name)}", _text(value)]
    else:
        for name, value in own.items():
            words += [f"--{name}", value] if name == "k" else ["--set", f"{name}={value}"]
    if budget is not None:
        epsilon, delta = budget
        words += ["--budget", epsilon if real(delta) == ZERO else f"{epsilon},{delta}"]
    for name, value in asked.items():
        words += [f"--{name}", value]
    return shlex.join(words)


def _text(value: object) -> str:
    text = parameter_text(tuple(value) if isinstance(value, list) else value)
    return text if isinstance(text, str) else ",".join(text)
