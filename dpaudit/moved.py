"""Where modules went: an import of an old path says the new one."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["MOVED", "say_where_modules_are"]

MOVED = {
    "dpaudit.accounting.adaptive": "dpaudit.accounting.leaving_out",
    "dpaudit.accounting.product": "dpaudit.accounting.exactly",
    "dpaudit.accuracy.compare": "dpaudit.accuracy.measure",
    "dpaudit.audit.context": "dpaudit.audit.started",
    "dpaudit.bayes": "dpaudit.notes",
    "dpaudit.claims.bernstein": "dpaudit.claims.evidence",
    "dpaudit.claims.counterexample": "dpaudit.claims.evidence",
    "dpaudit.claims.decide": "dpaudit.claims.deciding",
    "dpaudit.claims.smt": "dpaudit.claims.evidence",
    "dpaudit.claims.sweep": "dpaudit.claims.evidence",
    "dpaudit.cli.grouped_help": "dpaudit.cli.parameter_options",
    "dpaudit.cli.over_interval": "dpaudit.cli.measuring",
    "dpaudit.exact": "dpaudit.numbers",
    "dpaudit.hunting": "dpaudit.search",
    "dpaudit.mechanisms.hellinger_exponential": "dpaudit.notes.hellinger_exponential",
    "dpaudit.mechanisms.laplace_histogram": "dpaudit.notes.laplace_histogram",
    "dpaudit.recheck.room": "dpaudit.recheck.reading",
    "dpaudit.report.figures.boxes": "dpaudit.report.figures.accuracy",
    "dpaudit.report.figures.hulls": "dpaudit.report.figures.curves",
    "dpaudit.report.statements": "dpaudit.report.claims",
    "dpaudit.reproduce": "dpaudit.notes.reproduce",
}
"""Old paths of modules and packages, with theirs now."""


class _Signpost:
    """Asked last, for what is not found anywhere.

    It has no base class: ``importlib.abc`` would be a third of the time of ``dpaudit --version``.
    """

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname in MOVED:
            raise ModuleNotFoundError(
                f"{fullname} has moved; it is {MOVED[fullname]} now", name=fullname
            )


def say_where_modules_are() -> None:
    """Let imports of old paths end with where the modules are now."""
    if not any(isinstance(finder, _Signpost) for finder in sys.meta_path):
        sys.meta_path.append(_Signpost())
