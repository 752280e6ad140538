"""dpaudit: certified two-sided audits of differentially private mechanisms.

``dpaudit.check("EHDS", n=50, eps="0.8")`` audits a mechanism over every pair of neighbouring
datasets and gives the realised (ε, δ) as intervals that provably contain the truth, with a witness.
``dpaudit.curve`` gives the whole privacy curve, ``dpaudit.calibrate`` the largest nominal ε that
is certified to keep a budget.  The same from the shell: ``dpaudit check --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit import subjects
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit import noise
    from dpaudit.accounting.export import to_dp_accounting
    from dpaudit.accounting.interface import Accounted, account
    from dpaudit.accounting.joint import Run
    from dpaudit.accounting.of_training import account_dpsgd
    from dpaudit.api import Check, Curves, Tradeoffs, check, curve, mechanism, mechanisms, tradeoff
    from dpaudit.api.accuracies import Accuracies, compare_accuracy
    from dpaudit.api.audits import NotionCheck, check_notion
    from dpaudit.api.calibrations import Calibrations, calibrate
    from dpaudit.api.canaries import CanaryAudit, canaries
    from dpaudit.api.canary_plans import CanaryPlanned, plan_canaries
    from dpaudit.api.claims import Decisions, prove
    from dpaudit.api.hunts import Hunt, hunt
    from dpaudit.api.inclusions import Inclusion, plan_inclusion
    from dpaudit.api.intervals import (
        IntervalCheck,
        IntervalCurves,
        check_interval,
        curve_interval,
    )
    from dpaudit.api.rechecks import Verified, verify
    from dpaudit.api.samples import Sampled, sample
    from dpaudit.gate.interface import Gated, run_gate
    from dpaudit.machine import memory_cap
    from dpaudit.mechanisms.user import finite_mechanism
    from dpaudit.notes.reproduce.interface import Reproduced, reproduce
    from dpaudit.numbers.real import real
    from dpaudit.programs.program import program
    from dpaudit.results import Verdict
    from dpaudit.results.documents import schema
    from dpaudit.sampling.sampler import sampler

__all__ = [
    "Accounted",
    "Accuracies",
    "Calibrations",
    "CanaryAudit",
    "CanaryPlanned",
    "Check",
    "Curves",
    "Decisions",
    "Gated",
    "Hunt",
    "Inclusion",
    "IntervalCheck",
    "IntervalCurves",
    "NotionCheck",
    "Reproduced",
    "Run",
    "Sampled",
    "Tradeoffs",
    "Verdict",
    "Verified",
    "__version__",
    "account",
    "account_dpsgd",
    "calibrate",
    "canaries",
    "check",
    "check_interval",
    "check_notion",
    "compare_accuracy",
    "curve",
    "curve_interval",
    "finite_mechanism",
    "hunt",
    "mechanism",
    "mechanisms",
    "memory_cap",
    "noise",
    "plan_canaries",
    "plan_inclusion",
    "program",
    "prove",
    "real",
    "reproduce",
    "run_gate",
    "sample",
    "sampler",
    "schema",
    "to_dp_accounting",
    "tradeoff",
    "verify",
]

_HOMES = {
    "Accuracies": "dpaudit.api.accuracies",
    "compare_accuracy": "dpaudit.api.accuracies",
    "Calibrations": "dpaudit.api.calibrations",
    "CanaryAudit": "dpaudit.api.canaries",
    "Verdict": "dpaudit.results",
    "calibrate": "dpaudit.api.calibrations",
    "canaries": "dpaudit.api.canaries",
    "CanaryPlanned": "dpaudit.api.canary_plans",
    "plan_canaries": "dpaudit.api.canary_plans",
    "Inclusion": "dpaudit.api.inclusions",
    "plan_inclusion": "dpaudit.api.inclusions",
    "Hunt": "dpaudit.api.hunts",
    "hunt": "dpaudit.api.hunts",
    "IntervalCheck": "dpaudit.api.intervals",
    "IntervalCurves": "dpaudit.api.intervals",
    "check_interval": "dpaudit.api.intervals",
    "curve_interval": "dpaudit.api.intervals",
    "real": "dpaudit.numbers.real",
    "Accounted": "dpaudit.accounting.interface",
    "Run": "dpaudit.accounting.joint",
    "account": "dpaudit.accounting.interface",
    "account_dpsgd": "dpaudit.accounting.of_training",
    "Decisions": "dpaudit.api.claims",
    "Reproduced": "dpaudit.notes.reproduce.interface",
    "reproduce": "dpaudit.notes.reproduce.interface",
    "schema": "dpaudit.results.documents",
    "to_dp_accounting": "dpaudit.accounting.export",
    "NotionCheck": "dpaudit.api.audits",
    "finite_mechanism": "dpaudit.mechanisms.user",
    "check_notion": "dpaudit.api.audits",
    "memory_cap": "dpaudit.machine",
    "prove": "dpaudit.api.claims",
    "Gated": "dpaudit.gate.interface",
    "run_gate": "dpaudit.gate.interface",
    "Verified": "dpaudit.api.rechecks",
    "verify": "dpaudit.api.rechecks",
    "program": "dpaudit.programs.program",
    "Sampled": "dpaudit.api.samples",
    "sample": "dpaudit.api.samples",
    "sampler": "dpaudit.sampling.sampler",
}


subjects.register(subjects.CALL, "dpaudit.programs.called:called")
subjects.register(subjects.DRAWS, "dpaudit.sampling.functions:drawn")
subjects.register(subjects.COMMAND, "dpaudit.sampling.commands:commanded")


def __getattr__(name: str) -> object:
    """Import what is asked for on first use: ``import dpaudit`` alone costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from importlib import import_module

    if name == "noise":
        return import_module("dpaudit.noise")
    return getattr(import_module(_HOMES.get(name, "dpaudit.api")), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
