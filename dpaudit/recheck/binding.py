"""Whether a report answers what was meant: the budget and the sizes of whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.configurations import sizes_of
from dpaudit.recheck.failures import NotAReportError
from dpaudit.recheck.further_reports import Account, Notion, Tradeoff
from dpaudit.recheck.numbers import check_delta, check_not_negative, check_positive, same_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dpaudit.recheck.reports import MechanismReport
    from dpaudit.recheck.verification import Findings

__all__ = ["Meant", "check_meant"]

MECHANISM = "that the mechanism, its parameters and its relation are the ones you mean"
BUDGET = "that the budget is the one you mean (--budget holds it to one)"
SIZES = "that the sizes are the ones you mean (--n holds them to a list)"


@dataclass(frozen=True)
class Meant:
    """What a report is held to, beside its own numbers."""

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

    def given(self) -> list[str]:
        """Return which of the three are given."""
        return [name for name in ("budget", "n", "config") if getattr(self, name) is not None]


def check_meant(
    meant: Meant, parts: Sequence[MechanismReport], found: Findings, *, gate: bool = False
) -> None:
    """Note what of a report is not what was meant, and what nobody has said."""
    for part in parts:
        name = str(part.mechanism.get("name"))
        if meant.budget is not None:
            given = _budget(part)
            message = f"the budget is {','.join(given)}, not {meant.budget}"
            found.expect(_is_budget(meant.budget, given), "budgets meant", name, message)
        if meant.n is not None:
            sizes = _sizes(part)
            message = f"the sizes are {', '.join(map(str, sizes))}, not {meant.n}"
            found.expect(set(sizes) == sizes_of(meant.n), "sizes meant", name, message)
    if gate and meant.config is not None:
        return
    found.take(MECHANISM)
    budgets = [part for part in parts if not isinstance(part, (Account, Tradeoff))]
    if meant.budget is None and budgets:
        found.take(BUDGET)
    if meant.n is None:
        found.take(SIZES)


def _budget(part: Any) -> list[str]:
    if isinstance(part, (Account, Tradeoff)):
        raise NotAReportError("--budget belongs to a report with a budget, which this is not")
    if isinstance(part, Notion):
        epsilon = part.notion.epsilon
        return [part.budget] if epsilon is None else [epsilon, part.budget]
    return [part.budget.epsilon, part.budget.delta]


def _is_budget(meant: str, given: list[str]) -> bool:
    asked = meant.split(",")
    if len(given) == 2:
        asked = [*asked, "0"][:2]
    return len(asked) == len(given) and all(map(same_number, asked, given))


def _sizes(part: Any) -> list[int]:
    return [part.n] if isinstance(part, Account) else list(part.sizes)
