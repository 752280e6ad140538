"""Verdicts fail closed: nothing but a certain ``within`` over all pairs is one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dpaudit.audit.certify import audit_size
from dpaudit.audit.maximum import Maximum
from dpaudit.audit.plan import Plan
from dpaudit.data.adjacency import Adjacency, Substitution
from dpaudit.data.histograms import Counts
from dpaudit.mechanisms.base import Budget
from dpaudit.notes.hellinger_exponential import EHDS
from dpaudit.notes.laplace_histogram import LSHist
from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.real import ZERO, real
from dpaudit.results import Verdict, worst_verdict


def test_a_verdict_is_not_a_bool() -> None:
    for verdict in Verdict:
        with pytest.raises(TypeError, match="not a bool"):
            bool(verdict)


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ("", "undecided"),
        ("within", "within"),
        ("within undecided", "undecided"),
        ("within undecided exceeds", "exceeds"),
        ("exceeds within", "exceeds"),
    ],
)
def test_the_worst_verdict(verdicts: str, worst: str) -> None:
    assert worst_verdict(map(Verdict, verdicts.split())) is Verdict(worst)


class _Forgetful(Substitution):
    """A relation that loses one pair in its enumeration, but not in its formula."""

    def pairs(self, n: int) -> Iterator[tuple[Counts, Counts]]:
        pairs = super().pairs(n)
        next(pairs)
        yield from pairs


@dataclass(frozen=True)
class _Incomplete(EHDS):
    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return _Forgetful(self.k)


def test_a_missing_pair_is_not_within() -> None:
    mechanism = _Incomplete.build({})
    result = audit_size(mechanism, 12, Plan(mechanism.nominal))
    assert result.verdict is Verdict.UNDECIDED
    assert result.reason == "11 of 12 pairs were covered"
    assert (result.pairs, result.pairs_covered) == (12, 11)


def test_an_excess_is_reported_even_if_a_pair_is_missing() -> None:
    mechanism = _Incomplete.build({})
    result = audit_size(mechanism, 12, Plan(Budget(real("1/100"), ZERO)))
    assert result.verdict is Verdict.EXCEEDS


def test_the_budget_can_be_an_epsilon_and_a_delta() -> None:
    mechanism = LSHist.build({})
    # δ(1/2) of LSHist is 1/2 − e^(−3/10)/2 exactly, so this budget is a tie ...
    tie = Budget(real("1/2"), real("1/2 - exp(-3/10)/2"))
    assert audit_size(mechanism, 10, Plan(tie)).verdict is Verdict.WITHIN
    # ... and one part in 10^30 less is exceeded
    less = Budget(real("1/2"), real("1/2 - exp(-3/10)/2 - 1e-30"))
    assert audit_size(mechanism, 10, Plan(less)).verdict is Verdict.EXCEEDS


def test_the_running_maximum_keeps_a_bound_and_an_attained_value() -> None:
    largest: Maximum[Any] = Maximum(ball(1), None, "a")
    largest.add(Ball(2, 1), None, "b")  # [1, 3] is not certainly above 1
    assert largest.tag == "a"
    assert largest.bound.contains(3)
    largest.add(ball(3), None, "c")
    assert (largest.tag, largest.best == 3) == ("c", True)
    largest.add(ball(0), None, "d")
    assert largest.tag == "c"
