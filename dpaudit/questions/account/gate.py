"""Entries of a gate about many runs on the same data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit.audit.measure import head
from dpaudit.audit.plan import Plan, sizes_of
from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion
from dpaudit.gate.rows import Row, bounded_row, pair_in_words
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, rational
from dpaudit.questions.account.certified import (
    DEFAULT_WIDTH,
    MAX_RUNS,
    certified_account,
    read_rate,
    read_width,
)
from dpaudit.questions.account.refining import verdict_of
from dpaudit.report.render import marked
from dpaudit.results import CertifiedAccount, Enclosure
from dpaudit.results.documents import as_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.gate.config import Entry
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import Bound

__all__ = ["ENTRY", "accounted"]


def accounted(mechanism: Mechanism[Any], entry: Entry, plan: Plan) -> CertifiedAccount:
    """Return the account that an entry asks for."""
    (n,) = sizes_of(mechanism, entry.n, plan.at)
    return marked(
        certified_account(
            mechanism,
            n,
            entry.compose or 1,
            sample_rate=entry.sample_rate,
            direction=entry.direction or "both",
            width=entry.width or DEFAULT_WIDTH,
            budget=plan.held_to,
            adjacency=entry.adjacency,
            at=plan.at,
            adaptive=False,
        )
    )


def _answered(
    told: CertifiedAccount, stands_for: Any, entry: Entry, plan: Plan, pairs: int | None
) -> CertifiedAccount:
    """Return an account with the verdict that follows from its numbers.

    Args:
        told: what a process says.
        stands_for: the mechanism, or what stands for it.
        entry: what was asked.
        plan: the plan of the entry.
        pairs: how many there are, where that is known.

    Raises:
        ValueError: where it is no account of that.
    """
    about = head(stands_for, plan)
    del about["digits"], about["version"]
    rate = None if entry.sample_rate is None else read_rate(entry.sample_rate)
    wanted = {
        **about,
        "schema": "dpaudit.account/2",
        "pairs": told.pairs if pairs is None else pairs,
        "compose": entry.compose,
        "sample_rate": rate,
        "direction": None if rate is None else entry.direction or "both",
        "width": read_width(entry.width or DEFAULT_WIDTH),
        "budget": plan.held_to,
        "then": (),
        "solved": None,
    }
    for name, value in wanted.items():
        here, there = _shown(getattr(told, name)), _shown(value)
        if here != there:
            raise ValueError(f"its {name} is {here}, not {there}")
    row = told.judged
    if (row.direction is None) is not (rate is None):
        raise ValueError("its row is of no such neighbours")
    if entry.direction in ("add", "remove") and row.direction != entry.direction:
        raise ValueError("its row is of another direction")
    _check(row.delta)
    verdict = verdict_of(plan.held_to, row.delta)
    return marked(replace(told, rows=(row,), verdict=verdict, refused=(), fingerprint=""))


def _shown(value: Any) -> Any:
    return as_document(value)


def _check(delta: Enclosure) -> None:
    """Raise ``ValueError`` for an interval of δ that is none, or whose closed form is not in it."""
    ends = (delta.lower, delta.upper)
    if not all(isinstance(end, Decimal) and end.is_finite() for end in ends):
        raise ValueError("its δ is no number")
    low, high = (Fraction(end) for end in ends)
    if not 0 <= low <= high <= 1:
        raise ValueError(f"its δ is from {delta.lower} to {delta.upper}")
    if delta.exact is not None and (
        order(delta.exact, rational(low)) in (Sign.NEGATIVE, Sign.UNDECIDED)
        or order(delta.exact, rational(high)) in (Sign.POSITIVE, Sign.UNDECIDED)
    ):
        raise ValueError("its closed form of δ is not in its interval")


class _Account(EntryQuestion):
    measure = "account"
    keys = ("compose", "sample_rate", "direction", "width")
    schema = "dpaudit.account/2"
    is_swept = False
    of_one_size = True
    has_events = False

    def reported(self, mechanism: Any, entry: Entry, plan: Plan) -> CertifiedAccount:
        return accounted(mechanism, entry, plan)

    def answered(
        self, told: CertifiedAccount, stands_for: Any, entry: Entry, plan: Plan, pairs: int | None
    ) -> CertifiedAccount:
        return _answered(told, stands_for, entry, plan, pairs)

    def rows(self, report: CertifiedAccount, bounds: Sequence[Bound]) -> list[Row]:
        assert report.budget is not None
        row, budget = report.judged, report.budget
        label = f"δ({budget.epsilon}) of {report.compose} runs"
        one_pair = row.direction is None
        worst = pair_in_words(row) if one_pair else f"records of samples ({row.direction})"
        known = bounded_row(report.n, label, row.delta, budget.delta, worst)
        return [known._replace(covered=row.method in ("closed form", "exact"))]

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), "compose": _check_runs}

    def check_budget(self, entry: Entry) -> None:
        super().check_budget(entry)
        if entry.budget is None:
            raise UsageError(
                'measure = "account" needs the budget of all runs, budget = [EPSILON, DELTA]'
            )


def _check_runs(entry: Entry) -> None:
    if entry.compose is None or not 1 <= entry.compose <= MAX_RUNS:
        raise UsageError(f"the number of runs must be from 1 to {MAX_RUNS}")
    if entry.direction is not None and entry.sample_rate is None:
        raise UsageError("direction applies only to sampled runs; add sample-rate")
    if entry.sample_rate is not None:
        read_rate(entry.sample_rate)
    if entry.width is not None:
        read_width(entry.width)


ENTRY = _Account()
