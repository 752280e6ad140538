"""Exports of an audit for other checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.kernel.certificates import certificate
from dpaudit.kernel.theorems import theorem

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["EXPORTS", "export"]

EXPORTS: dict[str, Callable[[Mechanism[Any], int, Plan], bytes | None]] = {
    "certificate": certificate,
    "coq": theorem,
}
"""The kinds of files by name."""


def export(kind: str, mechanism: Mechanism[Any], n: int, plan: Plan) -> bytes | None:
    """Return the file of a kind about ``mechanism`` at size ``n``.

    Args:
        kind: one of :data:`EXPORTS`.
        mechanism: the mechanism.
        n: the size.
        plan: the budget and the neighbours.

    Returns:
        The content; None where the checker would not accept that the budget is kept.

    Raises:
        ParameterError: for laws that the kind cannot hold.
    """
    return EXPORTS[kind](mechanism, n, plan)
