"""The second reading of a plain function whose floats alone make its ε infinite.

As run, an output that floats reach from one input alone makes ε infinite, and a budget without δ is
exceeded.  The formula may keep it.  Both are printed, and the verdict stays that of the floats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.cli.reading import read_tasks
from dpaudit.cli.run import read_workers, run_tasks
from dpaudit.errors import DpauditError
from dpaudit.questions.check.view import is_infinite
from dpaudit.report.table import compact, valued
from dpaudit.results import Verdict
from dpaudit.subjects import IDEAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.runner import Task
    from dpaudit.cli.request import SweepRequest
    from dpaudit.results import Audit

__all__ = ["both_readings"]

_PATHS = 5_000
"""Largest number of paths of the formula at one input: nobody asked to wait for it."""


def both_readings(
    names: tuple[str, ...], request: SweepRequest, tasks: Sequence[Task], audits: Sequence[Audit]
) -> list[str]:
    """Return lines on both readings of a function with an infinite ε as run; none for others.

    Args:
        names: the mechanisms of the command.
        request: its options.
        tasks: what was measured.
        audits: the reports.
    """
    if len(audits) != 1 or "only" in request.parameters or request.resume is not None:
        return []
    (floats,) = audits
    called = floats.loaded is not None and floats.loaded.reference.startswith("call ")
    if not (called and floats.semantics == "as run" and is_infinite(floats)):
        return []
    if floats.verdict is Verdict.WITHIN:  # with a δ, which the floats keep
        return []
    formula = _formula(names, request)
    if formula is None or not formula.results:
        return []
    keeps = formula.verdict is None or formula.verdict is Verdict.WITHIN
    if is_infinite(formula) and formula.verdict is not Verdict.WITHIN:  # it is not the rounding
        return []
    accepted = "; --only ideal makes this the verdict" if keeps else ""
    return [
        "two readings:",
        f"as run (floats): {_said(floats)}; this is the reading of the report above",
        f"ideal (exact noise, real numbers): {_said(formula)}{accepted}",
    ]


def _formula(names: tuple[str, ...], request: SweepRequest) -> Audit | None:
    """Return the audit of the formula; None where it has no law, or none on so few paths."""
    parameters = {"paths": str(_PATHS), **request.parameters, "only": IDEAL}
    try:
        tasks = read_tasks(names, replace(request, parameters=parameters))
        measured = [task.as_measured() for task in tasks]
        (found,), stopped = run_tasks(measured, read_workers("1", None))
        audit: Audit = measured[0].report(found)
    except (DpauditError, KeyboardInterrupt):  # what was asked for is finished, and is reported
        return None
    return None if stopped else audit


def _said(audit: Audit) -> str:
    """Return the ε of a reading, its δ, and its verdict, in a few words."""
    worst = max(audit.results, key=lambda size: size.epsilon.upper)
    epsilon = valued(worst.epsilon.rounded(audit.digits))
    if not worst.epsilon.lower.is_infinite():
        return f"ε is {epsilon}{_verdict(audit)}"
    delta = ""
    if worst.delta is not None:
        at = compact(worst.delta.value.rounded(audit.digits))
        delta = f", and δ({worst.delta.epsilon}) is {at}"
    return f"ε is infinite{delta}{_verdict(audit)}"


def _verdict(audit: Audit) -> str:
    return "" if audit.verdict is None else f": {audit.verdict.value}"
