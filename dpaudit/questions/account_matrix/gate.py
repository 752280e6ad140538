"""Entries of a gate about a matrix mechanism, from the file of its strategy matrix."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.errors import UsageError
from dpaudit.gate.entries import AnswerRequest, budget_of
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.questions.account import gate as accounts
from dpaudit.questions.account.certified import read_accepted
from dpaudit.questions.account.refining import verdict_of
from dpaudit.questions.account_matrix import function
from dpaudit.questions.account_matrix.sensitivity import Participation, sensitivity_of
from dpaudit.questions.account_matrix.strategy import read_strategy
from dpaudit.report.render import marked

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.questions.account_matrix.sensitivity import Sensitivity
    from dpaudit.questions.account_matrix.strategy import Strategy
    from dpaudit.results import CertifiedAccount, MatrixRelease

__all__ = ["ENTRY"]

_NEEDED = ("noise_multiplier", "max_participations", "min_sep")
"""Keys without a default."""


class _Known:
    """A strategy that is equal to each of the same file, so that work on it is done once."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.strategy.sha256 == other.strategy.sha256

    def __hash__(self) -> int:
        return hash(self.strategy.sha256)


@lru_cache(maxsize=8)
def _sensitivity(known: _Known, participation: Participation) -> Sensitivity:
    return sensitivity_of(known.strategy, participation)


def _participation(entry: Entry) -> Participation:
    assert entry.max_participations is not None
    assert entry.min_sep is not None
    return Participation(entry.max_participations, entry.min_sep, entry.participation or "min-sep")


def _release(strategy: Strategy, entry: Entry, path: str) -> MatrixRelease:
    """Return the matrix mechanism of an entry."""
    participation = _participation(entry)
    sigma = function.read_noise(entry.noise_multiplier)
    found = _sensitivity(_Known(strategy), participation)
    return function.release_of(strategy, participation, found, sigma, path)


class _Matrix(accounts.FileEntry):
    measure = "account-matrix"
    keys = (*_NEEDED, "participation")
    shared = ("width",)
    described = "the strategy"

    def read(self, path: Path) -> Strategy:
        return read_strategy(os.fspath(path))

    def subject(self, content: Strategy, entry: Entry) -> Mechanism[Any]:
        """Return the Gaussian mechanism at the upper end of the sensitivity."""
        subject: Mechanism[Any] = function.ends_of(_release(content, entry, ""))[-1]
        return subject

    def reported(self, mechanism: Any, entry: Entry, plan: Plan, spec: Spec) -> CertifiedAccount:
        parts = budget_of(entry)
        assert parts is not None
        options = {
            "at_delta": [parts[1]],
            "budget": read_budget(parts),
            "width": accounts.accepted_width(entry),
        }
        release = _release(self.unchanged(spec), entry, spec.reference)
        return marked(function.account_of(release, options)[0])

    def answered(self, report: CertifiedAccount, request: AnswerRequest) -> CertifiedAccount:
        entry, budget = request.entry, request.plan.held_to
        width, relative = read_accepted(accounts.accepted_width(entry))
        accounts.expect_account(
            report,
            request,
            matrix=_release(self.unchanged(request.spec), entry, request.spec.reference),
            compose=1,
            sample_rate=None,
            direction=None,
            width=width,
            relative=relative,
            batches=None,
            then=(),
            training=None,
        )
        accounts.check_rows(report, budget, [budget.epsilon])
        return marked(
            msgspec.structs.replace(
                report,
                verdict=verdict_of(budget, report.judged.delta),
                refused=(),
                fingerprint="",
            )
        )

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), "mechanism": _check_needed}


def _check_needed(entry: Entry) -> None:
    """Refuse an entry without the numbers that no file has."""
    missing = [name for name in _NEEDED if getattr(entry, name) is None]
    if missing:
        names = ", ".join(name.replace("_", "-") for name in missing)
        raise UsageError(
            f'measure = "account-matrix" needs {names}; for instance noise-multiplier = 4, '
            "max-participations = 2 and min-sep = 3"
        )
    function.read_noise(entry.noise_multiplier)


ENTRY = _Matrix()
"""Entries that name the file of a strategy matrix."""
