"""The Python interface, one module for each kind of work; ``dpaudit`` offers it by name."""

from dpaudit.api.audits import Check, Curves, Tradeoffs, check, curve, tradeoff
from dpaudit.api.plans import make_plan, mechanism, mechanisms

__all__ = [
    "Check",
    "Curves",
    "Tradeoffs",
    "check",
    "curve",
    "make_plan",
    "mechanism",
    "mechanisms",
    "tradeoff",
]
