"""Entries of a gate about a training, from the file that its library left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.gate.entries import AnswerRequest, budget_of
from dpaudit.questions.account import gate as accounts
from dpaudit.questions.account.certified import part_of, read_accepted
from dpaudit.questions.account.refining import verdict_of
from dpaudit.questions.account_run import function
from dpaudit.questions.account_run.logs import read_log
from dpaudit.report.render import marked
from dpaudit.results import CertifiedAccount

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.questions.account_run.phases import Log

__all__ = ["ENTRY"]


def _expected(log: Log, entry: Entry) -> dict[str, Any]:
    """Return the fields of an account that follow from a training and its entry."""
    way, direction = function.sampling_of(log, entry.sampling), entry.direction or "both"
    width, relative = read_accepted(accounts.accepted_width(entry))
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


class _Training(accounts.FileEntry):
    measure = "account-run"
    keys = ("sampling",)
    shared = ("direction", "width")
    described = "the training"

    def read(self, path: Path) -> Log:
        return read_log(path)

    def subject(self, content: Log, entry: Entry) -> Mechanism[Any]:
        """Return the Gaussian mechanism of a step, of the first phase."""
        way = function.sampling_of(content, entry.sampling)
        if way == "poisson":
            return function.runs_of(content)[0].subject
        return function.batch_run_of(content, way, entry.direction or "both")[1]

    def reported(self, mechanism: Any, entry: Entry, plan: Plan, spec: Spec) -> CertifiedAccount:
        parts = budget_of(entry)
        assert parts is not None
        account, _ = function.accounted(
            self.unchanged(spec),
            delta=parts[1],
            budget=parts,
            sampling=entry.sampling,
            direction=entry.direction or "both",
            width=accounts.accepted_width(entry),
        )
        return marked(account)

    def answered(self, report: CertifiedAccount, request: AnswerRequest) -> CertifiedAccount:
        log, entry, budget = self.unchanged(request.spec), request.entry, request.plan.held_to
        accounts.expect_account(report, request, matrix=None, **_expected(log, entry))
        claimed = function.claim_of(log, [budget.delta])
        claims = [] if claimed is None else [claimed.epsilon]
        accounts.check_rows(report, budget, [*claims, budget.epsilon])
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


ENTRY = _Training()
"""Entries that name the file of a training."""
