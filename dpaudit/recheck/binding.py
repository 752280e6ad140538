"""Requirements from outside on a report: the budget and the sizes of whoever asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit import results
from dpaudit.recheck.findings import Findings, NotAReportError
from dpaudit.recheck.numbers import check_delta, check_not_negative, check_positive, same_number
from dpaudit.recheck.registry import parts_of, same_parameter

__all__ = ["Requirements", "check_requirements", "same_budget", "sizes_of"]

_MOST_SIZES = 1_000_000

MECHANISM = "that the mechanism, its parameters and its relation are the ones you mean"
BUDGET = "that the budget is the one you mean (--budget checks it)"
SIZES = "that the sizes are the ones you mean (--n checks them)"


@dataclass(frozen=True)
class Requirements:
    """Budget, sizes and configuration that a report has to answer, beside its own numbers."""

    budget: str | None = None
    """``EPS`` or ``EPS,DELTA``; one number for a notion of privacy."""
    n: str | None = None
    """The sizes: ``10..20``, ``5,7``."""
    config: Path | None = None
    """The configuration that a gate's report answers."""

    def __post_init__(self) -> None:
        """Raise ``NotAReportError`` for what is no budget and no list of sizes."""
        if self.budget is not None:
            parts = self.budget.split(",")
            if len(parts) > 2:
                raise NotAReportError(f"budget = {self.budget}: must be EPS or EPS,DELTA")
            check_not_negative(parts[0], "budget epsilon")
            if len(parts) == 1:
                check_positive(parts[0], "budget epsilon")
            else:
                check_delta(parts[1], "budget delta")
        if self.n is not None:
            sizes_of(self.n)

    def stated(self) -> list[str]:
        """Return the names of the requirements that are given."""
        return [name for name in ("budget", "n", "config") if getattr(self, name) is not None]


def check_requirements(
    requirements: Requirements, parts: Sequence[Any], findings: Findings, *, gate: bool = False
) -> None:
    """Note the statements of a report that miss a requirement, and those without one."""
    for part in parts:
        name = str(part.described.get("name"))
        if requirements.budget is not None:
            budget = _budget(part)
            if not budget:
                raise NotAReportError(
                    "--budget applies only to a report with a budget; this one has none"
                )
            message = f"the budget is {','.join(map(str, budget))}, not {requirements.budget}"
            findings.expect(_is_budget(requirements.budget, budget), "budgets meant", name, message)
        if requirements.n is not None:
            sizes = _sizes(part)
            message = f"the sizes are {', '.join(map(str, sizes))}, not {requirements.n}"
            findings.expect(set(sizes) == sizes_of(requirements.n), "sizes meant", name, message)
    if gate and requirements.config is not None:
        return
    findings.take(MECHANISM)
    if requirements.budget is None and any(map(_budget, parts)):
        findings.take(BUDGET)
    if requirements.n is None:
        findings.take(SIZES)


def _budget(part: Any) -> list[results.ClosedForm]:
    """Return ε and δ, or the one number of another notion; nothing where there is no budget."""
    if isinstance(part, results.MeasuredAudit):
        epsilon = part.notion.epsilon
        return [part.budget] if epsilon is None else [epsilon, part.budget]
    budget = getattr(part, "budget", None)
    return [] if budget is None else [budget.epsilon, budget.delta]


def _is_budget(text: str, budget: list[results.ClosedForm]) -> bool:
    required = text.split(",")
    if len(budget) == 2:
        required = [*required, "0"][:2]
    return len(required) == len(budget) and all(map(same_number, required, budget))


def _sizes(part: Any) -> list[int]:
    return (
        [part.n]
        if isinstance(part, (results.AccountDocument, results.SampleReport))
        else list(part.sizes)
    )


def sizes_of(n: Any) -> set[int]:
    """Return the sizes of a list such as ``10..20``; ``NotAReportError`` for what is none."""
    if type(n) is int:
        return {n}
    if isinstance(n, list):
        if not all(type(size) is int for size in n):
            raise NotAReportError(f"n = {n} is not a list of sizes")
        return set(n)
    sizes: set[int] = set()
    for part in str(n).split(","):
        if not re.fullmatch(r"\s*[0-9]{1,12}(\.\.[0-9]{1,12}){0,2}\s*", part):
            raise NotAReportError(f"n = {n} is not a list of sizes")
        numbers = [int(number) for number in part.split("..")]
        first, last = numbers[0], numbers[min(1, len(numbers) - 1)]
        step = numbers[2] if len(numbers) > 2 else 1
        if not 1 <= first <= last <= results.LARGEST_N:
            raise NotAReportError(f"n = {n}: sizes must be from 1 to {results.LARGEST_N}, in order")
        # Counted before it is listed: 1..10¹² would fill the memory.
        if len(sizes) + (last - first) // max(1, step) > _MOST_SIZES:
            raise NotAReportError(f"n lists more than {_MOST_SIZES} sizes")
        sizes |= set(range(first, last + 1, max(1, step)))
    return sizes


def same_budget(budget: Any, audit: results.Reported, bounds: Sequence[results.Bound]) -> bool:
    """Tell whether a report is about the budget that an entry of a gate gives, or leaves out."""
    if isinstance(audit, (results.TradeoffReport, results.AccuracyReport)):
        return True  # it is in the bounds
    if isinstance(audit, results.CurveReport):
        if audit.budget is None:
            return False
        first = bounds[:1]
        reported = [audit.budget.epsilon, audit.budget.delta]
        return [[bound.at, bound.limit] for bound in first] == [reported]
    if isinstance(audit, results.MeasuredAudit):
        if budget is None:
            return audit.budget_implied
        epsilon = audit.notion.epsilon
        reported = [audit.budget] if epsilon is None else [epsilon, audit.budget]
        return not audit.budget_implied and same_parameter(budget, reported)
    if budget is None and audit.stated is None:  # of the notes' own: the ε it is run with
        stated = [str(audit.described.get("epsilon")), "0"] if audit.loaded is None else []
    elif budget is None:
        assert audit.stated is not None
        stated = [str(audit.stated.epsilon), str(audit.stated.delta)]
    else:
        parts = parts_of(budget)
        stated = [*parts, "0"] if len(parts) == 1 else parts
    if audit.budget is None:
        return False
    return same_parameter(stated, [audit.budget.epsilon, audit.budget.delta])
