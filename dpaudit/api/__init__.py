"""The Python interface, one module for each kind of work; ``dpaudit`` offers it by name."""

from typing import TYPE_CHECKING

from dpaudit.api.plans import make_plan, mechanism, mechanisms

if TYPE_CHECKING:
    from dpaudit.api.audits import Check, Curves, Tradeoffs, check, curve, tradeoff

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


def __getattr__(name: str) -> object:
    """Import the audits on first use: a command that needs one measure does not load all."""
    if name not in __all__:
        raise AttributeError(f"module 'dpaudit.api' has no attribute {name!r}")
    from dpaudit.api import audits

    return getattr(audits, name)
