"""Random audits against an independent oracle: nothing outside, no wrong verdict, no open tie.

``python -m tests.attacks.random_audits --subjects 2000`` ends with 1 where anything is wrong; it
counts subjects that differ, each a mechanism with its parameters, size and relation.

Each subject of :mod:`tests.attacks.subjects` is audited by every engine, against budgets that it
meets exactly, that lie a hair above or below, and with a δ, and what the engines say is the same to
the byte.  Pairs are screened however few there are.  The oracle's numbers have 100 digits; a tie is
one of closed forms, read back from the first audit and confirmed by the oracle.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pytest
from mpmath import exp, log, mp, mpf

import dpaudit
from dpaudit.audit import scan as scanning
from dpaudit.audit.plan import ENGINES
from dpaudit.numbers.real import Real, real
from dpaudit.results import SizeResult, Verdict
from tests.attacks.closed_forms import read
from tests.attacks.subjects import Subject, random_subject
from tests.enclosing import fraction_of
from tests.oracles.setting import DIGITS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["attack", "attack_by_all", "main"]

_EXACT = mpf(10) ** -36
"""The oracle's own error: its endless laws are cut."""
_TIE = mpf(10) ** -60
"""What is nearer than this is one number."""


class Attack:
    """One subject, its true ε, and the faults found so far."""

    def __init__(self, subject: Subject, engine: str) -> None:
        self.subject = subject
        self.engine = engine
        self.faults: list[str] = []
        self.undecided = 0
        self.audits = 0
        self.reports: list[str] = []
        self.epsilon = mp.inf if subject.unbounded else max(self._losses(), default=mpf(0))

    def _sides(self) -> Any:
        for x, y in self.subject.pairs:
            p, q = self.subject.law(x, y), self.subject.law(y, x)
            yield p, q
            yield q, p

    def _losses(self) -> Any:
        for p, q in self._sides():
            for output, mass in p.items():
                if mass:
                    other = q.get(output, 0)
                    yield log(mass / other) if other else mp.inf

    def delta(self, epsilon: Any) -> Any:
        factor = exp(epsilon)
        return max(
            mp.fsum(max(mpf(0), mass - factor * q.get(r, 0)) for r, mass in p.items())
            for p, q in self._sides()
        )

    def audit(self, epsilon: Any, delta: Any = 0, expected: str | None = None) -> SizeResult | None:
        """Audit against a budget of exact numbers; ``expected`` where the oracle cannot tell."""
        subject = self.subject
        self.audits += 1
        told = f"{subject.text} [{self.engine}] against ({epsilon}, {delta})"
        try:
            found = dpaudit.check(
                subject.mechanism,
                subject.n,
                budget=(epsilon, delta),
                engine=self.engine,
                adjacency=subject.adjacency,
            )
        except Exception as error:
            self.reports.append(repr(error))
            self.faults.append(f"{told}: {type(error).__name__}: {error}")
            return None
        self.reports.append(found.to_json())
        if not found.results:
            self._left_open(told, str(found.audit.undecided))
            return None
        result = found.results[0]
        with mp.workdps(DIGITS):
            bound, allowed = (_value(real(number)) for number in (epsilon, delta))
            truth = self.delta(bound)
            self._enclosed(told, "ε", result.epsilon, self.epsilon, _EXACT)
            self._enclosed(told, "δ", result.delta_held.value, truth, _EXACT + subject.missing)
            self._witnessed(told, result)
            self._judged(told, result, (bound, allowed), truth, expected)
        return result

    def _enclosed(self, told: str, what: str, interval: Any, truth: Any, slack: Any) -> None:
        if mp.isinf(truth):
            if not (interval.lower.is_infinite() and interval.upper.is_infinite()):
                self.faults.append(f"{told}: {what} is infinite, not {interval}")
            return
        exact, off = fraction_of(truth), fraction_of(slack)
        if interval.upper.is_infinite() or not (
            Fraction(interval.lower) - off <= exact <= Fraction(interval.upper) + off
        ):
            self.faults.append(f"{told}: {what} = {interval} without {mp.nstr(truth, 20)}")
        elif interval.width > Fraction(1, 10**12):
            self.faults.append(f"{told}: {what} = {interval} is wide")

    def _witnessed(self, told: str, result: SizeResult) -> None:
        witness = result.witness
        if {witness.x, witness.y} not in [{x, y} for x, y in self.subject.pairs]:
            self.faults.append(f"{told}: {witness.x}, {witness.y} are no neighbours")
            return
        p, q = (self.subject.law(a, b) for a, b in ((witness.x, witness.y), (witness.y, witness.x)))
        if isinstance(witness.output, str) and witness.output not in p:
            return  # an endless law: any output, or a limit
        mass, other = p.get(witness.output, 0), q.get(witness.output, 0)
        loss = mp.inf if mass and not other else log(mass / other) if mass else mp.ninf
        self._enclosed(told, f"loss at {witness.output}", witness.loss, loss, _EXACT)
        if result.verdict is Verdict.EXCEEDS and loss < self.epsilon - _EXACT:
            self.faults.append(f"{told}: the witness has not the largest loss")

    def _judged(
        self, told: str, result: SizeResult, budget: tuple[Any, Any], delta: Any, expected: Any
    ) -> None:
        if result.verdict is Verdict.UNDECIDED:
            self._left_open(told, result.reason)
            return
        if expected is None:
            near = (
                abs(self.epsilon - budget[0]) < _TIE,
                abs(delta - budget[1]) < (_TIE + 10 * self.subject.missing),
            )
            if near[0] or (self.epsilon > budget[0] and near[1] and budget[1]):
                return  # the oracle cannot tell
            within = self.epsilon <= budget[0] or (budget[1] and delta <= budget[1])
            expected = "within" if within else "exceeds"
        if result.verdict != expected:
            self.faults.append(f"{told}: {result.verdict}, the truth is {expected}")

    def _left_open(self, told: str, reason: str) -> None:
        self.undecided += 1
        if self.subject.closed:
            self.faults.append(f"{told}: undecided, {reason}")


def _value(number: Real) -> Any:
    """What mpmath makes of a closed form of the package, for budgets that were read back."""
    return read(str(number))


def _hair(rng: random.Random, truth: Any, most: int) -> Fraction:
    near = fraction_of(truth) * (1 + rng.choice([-1, 1]) * Fraction(1, 10 ** rng.randint(3, most)))
    return near.limit_denominator(10 ** (most + 20))


def attack(rng: random.Random, engine: str) -> Attack:
    """Audit one random subject against several budgets."""
    with mp.workdps(DIGITS):
        found = Attack(random_subject(rng), engine)
        first = found.audit(Fraction(rng.randint(1, 60), 20))
        if first is None:
            return found
        finite = not mp.isinf(found.epsilon) and found.epsilon > mpf(10) ** -20
        if first.epsilon.exact is not None and finite:
            tie = real(first.epsilon.exact)
            if abs(_value(tie) - found.epsilon) < _EXACT:
                found.audit(tie, expected="within")
        if finite:
            found.audit(_hair(rng, found.epsilon, 30 if not found.subject.missing else 20))
        below = found.epsilon * rng.randint(1, 9) / 10 if finite else mpf(1)
        epsilon = fraction_of(below).limit_denominator(1000)
        if epsilon <= 0:
            return found
        truth = found.delta(mpf(epsilon.numerator) / epsilon.denominator)
        if mpf(10) ** -12 < truth < 1 - mpf(10) ** -9:
            most = 30 if not found.subject.missing else 8
            near = _hair(rng, truth, most)
            second = found.audit(epsilon, near if near < 1 else Fraction(1, 2))
            exact = None if second is None else second.delta_held.value.exact
            if exact is not None:
                found.audit(epsilon, real(exact), expected="within")
        return found


def attack_by_all(seed: int, engines: Sequence[str] = ENGINES) -> list[Attack]:
    """Audit the subject of a seed by every engine, and find fault where they do not agree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "WORTH_A_SCREEN", 1)
        found = [attack(random.Random(seed), engine) for engine in engines]
    first = found[0]
    for other in found[1:]:
        for ours, theirs in zip_longest(first.reports, other.reports, fillvalue=""):
            if ours != theirs:
                first.faults.append(
                    f"{first.subject.text}: {first.engine} and {other.engine} do not agree:\n"
                    f"{ours}\n{theirs}"
                )
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    most = parser.add_mutually_exclusive_group()
    most.add_argument("--count", type=int, default=10_000, help="how many audits")
    most.add_argument("--subjects", type=int, help="how many different sets of parameters instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES, help="only this one")
    given = parser.parse_args(arguments)
    engines = ENGINES if given.engine is None else (given.engine,)
    rng = random.Random(given.seed)
    audits, undecided, faults = 0, 0, 0
    subjects: set[str] = set()
    families: Counter[str] = Counter()

    def told() -> str:
        every = f"{audits} audits of {len(subjects)} different subjects by {' and '.join(engines)}"
        return f"{every}: {faults} faults, {undecided} undecided"

    while (audits < given.count) if given.subjects is None else (len(subjects) < given.subjects):
        before = len(subjects)
        for found in attack_by_all(rng.getrandbits(64), engines):
            subjects.add(found.subject.text)
            audits += found.audits
            undecided += found.undecided
            families[found.subject.mechanism.name] += found.audits
            for fault in found.faults:
                faults += 1
                print(fault[:4000], flush=True)
        if len(subjects) > before and len(subjects) % 100 == 0:
            print(told(), flush=True)
    print(told())
    print(", ".join(f"{name} {count}" for name, count in sorted(families.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
