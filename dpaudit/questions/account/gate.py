"""Entries of a gate about many runs on the same data, and about files of trainings."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from dpaudit.audit.measure import head
from dpaudit.audit.plan import sizes_of
from dpaudit.errors import LoadError, UsageError
from dpaudit.gate.entries import AnswerRequest, EntryQuestion, budget_of
from dpaudit.gate.rows import Row, bounded_row, pair_in_words
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.mechanisms.spec import Spec
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order, rational
from dpaudit.questions.account.certified import (
    DEFAULT_WIDTH,
    MAX_RUNS,
    certified_account,
    read_accepted,
    read_rate,
    read_width,
)
from dpaudit.questions.account.dpsgd import DPSGD_WIDTH
from dpaudit.questions.account.refining import verdict_of
from dpaudit.report.render import marked
from dpaudit.results import CertifiedAccount, DeltaRow, Enclosure
from dpaudit.results.documents import as_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real
    from dpaudit.results import Bound, Budget, EpsilonRow

__all__ = [
    "ENTRY",
    "FileEntry",
    "accepted_width",
    "account_rows",
    "accounted",
    "check_row",
    "check_rows",
    "expect_account",
]


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


def _answered(account: CertifiedAccount, request: AnswerRequest) -> CertifiedAccount:
    """Return an account with the verdict that follows from its numbers.

    Raises ``ValueError`` for an account of anything else than the request.
    """
    entry, plan = request.entry, request.plan
    rate = None if entry.sample_rate is None else read_rate(entry.sample_rate)
    expect_account(
        account,
        request,
        compose=entry.compose,
        sample_rate=rate,
        direction=None if rate is None else entry.direction or "both",
        width=read_width(entry.width or DEFAULT_WIDTH),
        then=(),
        training=None,
        matrix=None,
    )
    row = account.judged
    check_row(row, account, entry.direction)
    verdict = verdict_of(plan.held_to, row.delta)
    return marked(replace(account, rows=(row,), verdict=verdict, refused=(), fingerprint=""))


def expect_account(account: CertifiedAccount, request: AnswerRequest, **expected: Any) -> None:
    """Raise ``ValueError`` unless an account is of the mechanism, the pairs and the budget.

    Args:
        account: from a process.
        request: what it has to be about.
        expected: values of further fields.
    """
    about = head(request.stands_for, request.plan)
    del about["digits"], about["version"]
    wanted = {
        **about,
        "schema": "dpaudit.account/2",
        "pairs": account.pairs if request.pairs is None else request.pairs,
        "budget": request.plan.held_to,
        "solved": None,
        **expected,
    }
    for name, value in wanted.items():
        here, there = as_document(getattr(account, name)), as_document(value)
        if here != there:
            raise ValueError(f"its {name} is {here}, not {there}")


def check_row(row: EpsilonRow | DeltaRow, account: CertifiedAccount, direction: str | None) -> None:
    """Raise ``ValueError`` for a row of other neighbours, or whose numbers cannot be."""
    if (row.direction is None) is not (account.sample_rate is None):
        raise ValueError("a row must have a direction if the runs are sampled, and only then")
    if direction in ("add", "remove") and row.direction != direction:
        raise ValueError(f"the direction of a row is {row.direction}, not {direction}")
    if isinstance(row, DeltaRow):
        _check(row.delta)
        return
    low, high = row.epsilon.lower, row.epsilon.upper  # infinite, if nothing bounds ε
    if low.is_nan() or high.is_nan() or not 0 <= low <= high:
        raise ValueError("the interval of ε must have ends with 0 ≤ lower ≤ upper")


def _check(delta: Enclosure) -> None:
    """Raise ``ValueError`` for an interval of δ that is none, or whose closed form is not in it."""
    ends = (delta.lower, delta.upper)
    if not all(isinstance(end, Decimal) and end.is_finite() for end in ends):
        raise ValueError("an end of the interval of δ is not a finite number")
    low, high = (Fraction(end) for end in ends)
    if not 0 <= low <= high <= 1:
        raise ValueError(f"δ must lie in [0, 1], and is from {delta.lower} to {delta.upper}")
    if delta.exact is not None and (
        order(delta.exact, rational(low)) in (Sign.NEGATIVE, Sign.UNDECIDED)
        or order(delta.exact, rational(high)) in (Sign.POSITIVE, Sign.UNDECIDED)
    ):
        raise ValueError("the closed form of δ is outside the interval of δ")


def account_rows(report: CertifiedAccount) -> list[Row]:
    """Return the δ at the budget and, of a training with a claim, the δ at the ε claimed."""
    assert report.budget is not None
    training, budget = report.training, report.budget
    runs = report.compose + sum(part.compose for part in report.then)
    times = f"{runs} {'runs' if training is None else 'steps'}"
    if report.matrix is not None:
        times = f"all {report.matrix.steps} steps"
    limits = [(report.judged, budget, f"δ({budget.epsilon}) of {times}")]
    if training is not None and (claimed := training.claimed) is not None:
        label = f"δ({claimed.epsilon}) of {times}, the ε of its own accountant"
        limits.append((report.delta_row(claimed.epsilon), claimed, label))
    rows = []
    for row, limit, label in limits:
        if row.direction is not None:
            worst = f"records of samples ({row.direction})"
        elif report.matrix is not None:
            worst = "all contributions of one user, or none"
        elif training is not None:
            worst = "datasets that differ in one example"
        else:
            worst = pair_in_words(row)
        known = bounded_row(report.n, label, row.delta, limit.delta, worst)
        rows.append(known._replace(covered=row.method in ("closed form", "exact")))
    return rows


class _Account(EntryQuestion):
    measure = "account"
    keys = ("compose", "sample_rate", "direction", "width")
    schema = "dpaudit.account/2"
    is_swept = False
    of_one_size = True
    has_events = False

    def reported(self, mechanism: Any, entry: Entry, plan: Plan, spec: Spec) -> CertifiedAccount:
        return accounted(mechanism, entry, plan)

    def answered(self, report: CertifiedAccount, request: AnswerRequest) -> CertifiedAccount:
        return _answered(report, request)

    def rows(self, report: CertifiedAccount, bounds: Sequence[Bound]) -> list[Row]:
        return account_rows(report)

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


_OF_MECHANISMS = ("n", "at", "adjacency", "parameters")
"""Keys of every mechanism's entry that a file has no use for."""


def accepted_width(entry: Entry) -> Any:
    """Return the largest accepted width of an interval of an entry."""
    return DPSGD_WIDTH if entry.width is None else entry.width


def check_rows(account: CertifiedAccount, budget: Budget, epsilons: Sequence[Real]) -> None:
    """Raise ``ValueError`` unless rows are at the δ of the budget, and then at these ε."""
    wanted = [("delta", budget.delta), *(("epsilon", e) for e in dict.fromkeys(epsilons))]
    rows = [
        ("epsilon", row.epsilon) if isinstance(row, DeltaRow) else ("delta", row.delta)
        for row in account.rows
    ]
    if as_document(rows) != as_document(wanted):
        raise ValueError("its rows must be at the ε and δ of the budget and of a training's claim")
    for row in account.rows:
        check_row(row, account, account.direction)


class FileEntry(EntryQuestion):
    """Question whose entries name a file; the Gaussian mechanism of the account follows from it."""

    schema = "dpaudit.account/2"
    is_swept = False
    reads_file = True
    has_events = False
    described: ClassVar[str]
    """The subject of the file, in messages."""

    def read(self, path: Path) -> Any:
        """Return what is read of a file, with its ``sha256``; ``UsageError`` for any other file."""
        raise NotImplementedError

    def subject(self, content: Any, entry: Entry) -> Mechanism[Any]:
        """Return the Gaussian mechanism of the account."""
        raise NotImplementedError

    def unchanged(self, spec: Spec) -> Any:
        """Return what is read of an entry's file; ``LoadError`` if the file has changed."""
        content = self.read(Path(spec.folder) / spec.reference)
        if content.sha256 != spec.sha256:
            raise LoadError(spec.reference, "the file changed while the gate ran")
        return content

    def spec(self, entry: Entry, folder: Path) -> Spec:
        sha256 = ""
        with suppress(UsageError):  # check_reference reads it again, and says what is wrong
            sha256 = self.read(folder / entry.mechanism).sha256
        return Spec.of(entry.mechanism, {}, sha256=sha256, folder=str(folder))

    def check_reference(self, entry: Entry, spec: Spec) -> None:
        self.subject(self.unchanged(spec), entry)

    def known_mechanism(self, spec: Spec, entry: Entry) -> Mechanism[Any]:
        return self.subject(self.unchanged(spec), entry)

    def rows(self, report: CertifiedAccount, bounds: Sequence[Bound]) -> list[Row]:
        return account_rows(report)

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {
            **{name: self._refusal(name) for name in _OF_MECHANISMS},
            "budget": self.check_budget,
            "width": _check_width,
        }

    def check_budget(self, entry: Entry) -> None:
        parts = budget_of(entry)
        if parts is None or len(parts) != 2:
            raise UsageError(f'measure = "{self.measure}" needs budget = [EPSILON, DELTA]')
        read_budget(parts)

    def _refusal(self, name: str) -> Callable[[Entry], None]:
        def refuse(entry: Entry) -> None:
            if getattr(entry, name) not in (None, {}):
                raise UsageError(
                    f"it applies only to mechanisms; the file describes {self.described}, so "
                    "leave it out"
                )

        return refuse


def _check_width(entry: Entry) -> None:
    read_accepted(accepted_width(entry))


ENTRY = _Account()
