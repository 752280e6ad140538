"""What an audit in some notion of privacy finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.audit.result import Source, UndecidedSize, Verdict, worst_verdict

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.exact.enclosure import Enclosure

__all__ = ["NotionAudit", "NotionResult", "NotionSubject", "NotionWitness"]


@dataclass(frozen=True, slots=True)
class NotionWitness:
    """The worst pair: what is measured is of the law at ``x`` against the law at ``y``."""

    x: Hashable
    """The dataset of P, the numerator."""
    y: Hashable
    """The dataset of Q, the denominator."""
    output: Hashable | None = None
    """The output of the largest loss, or one that only one side can produce; None otherwise."""
    order: str | None = None
    """The order α at which a supremum over orders is attained, about; ``1`` for the limit."""
    type_one: str | None = None
    """The type I error, about, of the test that a smallest μ is attained at."""
    type_two: str | None = None
    """The type II error of that test, about."""


@dataclass(frozen=True, slots=True)
class NotionResult:
    """The audit at one size n."""

    n: int
    """The size."""
    datasets: int
    """How many datasets the pairs are drawn from."""
    pairs: int
    """How many unordered pairs there are to cover, by formula."""
    pairs_covered: int
    """How many were covered, by count; both directions, every output."""
    outputs: int | None
    """How many outputs each law has; None if infinitely many."""
    value: Enclosure
    """The largest value over all pairs and directions."""
    witness: NotionWitness
    """Where it is attained (or, between overlapping enclosures, may be)."""
    verdict: Verdict
    """The verdict at this n."""
    reason: str
    """Why the verdict is undecided; empty otherwise."""


@dataclass(frozen=True)
class NotionSubject:
    """What was audited, and how: everything but the findings."""

    mechanism: str
    """The mechanism's name."""
    parameters: dict[str, str | list[str]]
    """Its parameters, as text that reads back exactly."""
    stated: tuple[str, str] | None
    """The stated budget (ε, δ), or None where nothing is stated."""
    notion: str
    """The notion's name."""
    order: str | None
    """The order α, for the notion that has one."""
    symbol: str
    """The symbol of what is measured."""
    label: str
    """The symbol with what it depends on."""
    budget: str
    """The budget that verdicts are about."""
    budget_epsilon: str | None
    """The ε at which δ is measured, for the notion ``approximate``."""
    implied: bool
    """Whether the budget is what the stated one implies, none having been given."""
    adjacency: str
    """The neighbouring relation."""
    at: str | None
    """The datasets the pairs had to contain, as asked for; None for all pairs."""
    digits: int
    """Intervals are at most 10^−digits wide."""
    loaded: Source | None = None
    """Where the mechanism was loaded from; None for one of the package."""
    adjacency_defaulted: bool = False
    """Whether nobody named the relation of a user's datasets."""
    epsilon_unit: str = "nats"
    """The unit of the mechanism's own ε."""


@dataclass(frozen=True)
class NotionAudit:
    """The audit of one mechanism in one notion over one or more sizes."""

    subject: NotionSubject
    """What was audited."""
    sizes: tuple[int, ...]
    """The sizes that were asked for, in increasing order."""
    results: tuple[NotionResult, ...]
    """One result for each finished size, in increasing order of n."""
    missing: tuple[int, ...] = ()
    """Sizes that were asked for and not finished."""
    undecided: tuple[UndecidedSize, ...] = ()
    """Sizes that were finished without a result."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes; a size without a result counts as undecided."""
        found = [result.verdict for result in self.results]
        without = [Verdict.UNDECIDED for _ in (*self.missing, *self.undecided)]
        return worst_verdict([*found, *without])
