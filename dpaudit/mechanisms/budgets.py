"""The word ``budget``, read one way wherever it is written: ε, or (ε, δ), or such a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dpaudit.errors import ParameterError
from dpaudit.exact.real import ZERO
from dpaudit.mechanisms.base import Budget
from dpaudit.mechanisms.parameters import PositiveParameter, read_budget_delta, read_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.exact.real import Number

__all__ = ["budget_parts", "read_budget"]

_ALLOWED = "must be EPS or EPS,DELTA"


def budget_parts(given: Number | Sequence[Number], allowed: str = _ALLOWED) -> tuple[Number, ...]:
    """Return the one or two numbers of a budget, each known to be one.

    Args:
        given: a number, a list of one or two, or a text of as many, joined by a comma.
        allowed: what is allowed, for the message.

    Raises:
        ParameterError: for no number, or more than two.
        NumberSyntaxError: for what is not a number.

    >>> budget_parts("ln(3),1/2000"), budget_parts(["4/5", 0]), budget_parts(1)
    (('ln(3)', '1/2000'), ('4/5', 0), (1,))
    """
    if isinstance(given, str):
        parts: tuple[Number, ...] = tuple(given.split(","))
    elif isinstance(given, (list, tuple)):
        parts = tuple(cast("Iterable[Number]", given))
    else:
        parts = (cast("Number", given),)
    if not 1 <= len(parts) <= 2:
        raise ParameterError("budget", f"budget = {_shown(given)}: {allowed}")
    for part in parts:
        read_number(part, "budget")
    return parts


def read_budget(given: Number | Sequence[Number]) -> Budget:
    """Return the budget (ε, δ), δ = 0 if only ε is given.

    Raises:
        UsageError: for what :func:`budget_parts` refuses, ε ≤ 0, or δ outside [0, 1).

    >>> read_budget("4/5").delta == ZERO, str(read_budget(("4/5", "0.0005")).delta)
    (True, '1/2000')
    """
    epsilon, *delta = budget_parts(given)
    return Budget(
        PositiveParameter("budget epsilon", "", "", "").read(epsilon),
        read_budget_delta(delta[0], "budget delta") if delta else ZERO,
    )


def _shown(given: object) -> str:
    return given if isinstance(given, str) else ", ".join(map(str, cast("Sequence[object]", given)))
