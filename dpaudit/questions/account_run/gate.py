"""Entries of a gate about a training, from the file that its library left."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.errors import LoadError, UsageError
from dpaudit.gate.entries import AnswerRequest, EntryQuestion, budget_of
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.mechanisms.spec import Spec
from dpaudit.questions.account.certified import part_of, read_accepted
from dpaudit.questions.account.dpsgd import DPSGD_WIDTH
from dpaudit.questions.account.gate import account_rows, check_row, expect_account
from dpaudit.questions.account.refining import verdict_of
from dpaudit.questions.account_run import function
from dpaudit.questions.account_run.logs import read_log
from dpaudit.report.render import marked
from dpaudit.results import CertifiedAccount, DeltaRow
from dpaudit.results.documents import as_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.gate.rows import Row
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.account_run.phases import Log
    from dpaudit.results import Bound

__all__ = ["ENTRY"]

_OF_MECHANISMS = ("n", "at", "adjacency", "parameters")
"""Keys of every mechanism's entry that a training has no use for."""


def _read(spec: Spec) -> Log:
    """Return the training that an entry names; ``LoadError`` where its file has changed."""
    log = read_log(Path(spec.folder) / spec.reference)
    if log.sha256 != spec.sha256:
        raise LoadError(spec.reference, "the file changed while the gate ran")
    return log


def _subject(log: Log, entry: Entry) -> Mechanism[Any]:
    """Return the Gaussian mechanism of a step, of the first phase."""
    way = function.sampling_of(log, entry.sampling)
    if way == "poisson":
        return function.runs_of(log)[0].subject
    return function.batch_run_of(log, way, entry.direction or "both")[1]


def _expected(log: Log, entry: Entry) -> dict[str, Any]:
    """Return the fields of an account that follow from a training and its entry."""
    way, direction = function.sampling_of(log, entry.sampling), entry.direction or "both"
    width, relative = read_accepted(_width(entry))
    fields: dict[str, Any] = {"width": width, "relative": relative, "batches": None, "then": ()}
    if way == "poisson":
        first, *further = function.runs_of(log)
        fields |= {
            "compose": first.runs,
            "sample_rate": first.rate,
            "then": tuple(part_of(run) for run in further),
        }
    else:
        run, _ = function.batch_run_of(log, way, direction)
        sampled = way == "fixed"
        fields |= {
            "compose": run.steps,
            "sample_rate": run.rate if sampled else None,
            "batches": run.described,
        }
    fields["direction"] = None if fields["sample_rate"] is None else direction
    return fields


def _width(entry: Entry) -> Any:
    return DPSGD_WIDTH if entry.width is None else entry.width


class _Training(EntryQuestion):
    measure = "account-run"
    schema = "dpaudit.account/2"
    keys = ("sampling",)
    shared = ("direction", "width")
    is_swept = False
    reads_file = True
    has_events = False

    def spec(self, entry: Entry, folder: Path) -> Spec:
        sha256 = ""
        with suppress(UsageError):  # check_reference reads it again, and says what is wrong
            sha256 = read_log(folder / entry.mechanism).sha256
        return Spec.of(entry.mechanism, {}, sha256=sha256, folder=str(folder))

    def check_reference(self, entry: Entry, spec: Spec) -> None:
        _subject(_read(spec), entry)

    def known_mechanism(self, spec: Spec, entry: Entry) -> Mechanism[Any]:
        return _subject(_read(spec), entry)

    def reported(self, mechanism: Any, entry: Entry, plan: Plan, spec: Spec) -> CertifiedAccount:
        parts = budget_of(entry)
        assert parts is not None
        account, _ = function.accounted(
            _read(spec),
            delta=parts[1],
            budget=parts,
            sampling=entry.sampling,
            direction=entry.direction or "both",
            width=_width(entry),
        )
        return marked(account)

    def answered(self, report: CertifiedAccount, request: AnswerRequest) -> CertifiedAccount:
        log, entry, budget = _read(request.spec), request.entry, request.plan.held_to
        expect_account(report, request, **_expected(log, entry))
        claimed = function.claim_of(log, [budget.delta])
        epsilons = [budget.epsilon] if claimed is None else [claimed.epsilon, budget.epsilon]
        wanted = [("delta", budget.delta), *(("epsilon", e) for e in dict.fromkeys(epsilons))]
        rows = [
            ("epsilon", row.epsilon) if isinstance(row, DeltaRow) else ("delta", row.delta)
            for row in report.rows
        ]
        if as_document(rows) != as_document(wanted):
            raise ValueError(
                "its rows must be at the ε and δ of the budget and of the training's claim"
            )
        for row in report.rows:
            check_row(row, report, report.direction)
        way = function.sampling_of(log, entry.sampling)
        return marked(
            msgspec.structs.replace(
                report,
                training=function.training_of(report, log, way, claimed),
                verdict=verdict_of(budget, report.judged.delta),
                refused=(),
                fingerprint="",
            )
        )

    def rows(self, report: CertifiedAccount, bounds: Sequence[Bound]) -> list[Row]:
        return account_rows(report)

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {
            **{name: _refusal(name) for name in _OF_MECHANISMS},
            "budget": self.check_budget,
            "width": self.check_width,
        }

    def check_width(self, entry: Entry) -> None:
        read_accepted(_width(entry))

    def check_budget(self, entry: Entry) -> None:
        parts = budget_of(entry)
        if parts is None or len(parts) != 2:
            raise UsageError(f'measure = "{self.measure}" needs budget = [EPSILON, DELTA]')
        read_budget(parts)


def _refusal(name: str) -> Callable[[Entry], None]:
    def refuse(entry: Entry) -> None:
        if getattr(entry, name) not in (None, {}):
            raise UsageError(
                "it applies only to mechanisms; the file describes the training, so leave it out"
            )

    return refuse


ENTRY = _Training()
"""Entries that name the file of a training."""
