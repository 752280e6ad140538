"""dpaudit: certified two-sided audits of differentially private mechanisms.

``dpaudit.check("EHDS", n=50, eps="0.8")`` audits a mechanism over every pair of neighbouring
datasets and gives the realised (ε, δ) as intervals that provably contain the truth, with a witness.
``dpaudit.curve`` gives the whole privacy curve.  The same from the shell: ``dpaudit check --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.api import Check, Curves, check, curve, mechanism, mechanisms
    from dpaudit.api_notions import NotionCheck, check_notion
    from dpaudit.audit.result import Verdict
    from dpaudit.exact.real import real

__all__ = [
    "Check",
    "Curves",
    "NotionCheck",
    "Verdict",
    "__version__",
    "check",
    "check_notion",
    "curve",
    "mechanism",
    "mechanisms",
    "real",
]

_HOMES = {
    "NotionCheck": "dpaudit.api_notions",
    "Verdict": "dpaudit.audit.result",
    "check_notion": "dpaudit.api_notions",
    "real": "dpaudit.exact.real",
}


def __getattr__(name: str) -> object:
    """Import what is asked for on first use: ``import dpaudit`` alone costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "dpaudit.api")), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
