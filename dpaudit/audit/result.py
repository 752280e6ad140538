"""What an audit finds: intervals, a witness, coverage and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.worded import Worded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from dpaudit.exact.enclosure import Enclosure

__all__ = [
    "Audit",
    "DeltaAt",
    "SizeResult",
    "Source",
    "Subject",
    "UndecidedSize",
    "Verdict",
    "Witness",
    "worst_verdict",
]


class Verdict(Worded):
    """How a mechanism stands to its budget.  It is deliberately not usable as a bool."""

    WITHIN = "within"
    """The certified upper end is at most the budget; a tie counts only if decided exactly."""
    EXCEEDS = "exceeds"
    """The certified lower end is above the budget, and a witness shows it."""
    UNDECIDED = "undecided"
    """The interval straddles the budget at the precision cap, or coverage was incomplete."""


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of the ``verdicts``: exceeds, then undecided (also if there are none)."""
    found = set(verdicts)
    if Verdict.EXCEEDS in found:
        return Verdict.EXCEEDS
    return Verdict.WITHIN if found == {Verdict.WITHIN} else Verdict.UNDECIDED


@dataclass(frozen=True, slots=True)
class Witness:
    """A pair and an output: ``output`` is e^loss times likelier on ``x`` than on ``y``."""

    x: Hashable
    """The dataset of the numerator."""
    y: Hashable
    """The dataset of the denominator."""
    output: Hashable
    """The output."""
    loss: Enclosure
    """ln(P_x(output)/P_y(output))."""


@dataclass(frozen=True, slots=True)
class DeltaAt:
    """The realised δ(ε): the largest Σ (P_x(r) − e^ε·P_y(r))₊ over the pairs, both directions."""

    epsilon: str
    """ε in closed form."""
    value: Enclosure
    """δ(ε)."""
    x: Hashable | None
    """The dataset of the numerator at the worst pair; None where δ(ε) is 0 for all pairs."""
    y: Hashable | None
    """The dataset of the denominator there.  The event is {r : ln(P_x(r)/P_y(r)) > ε}."""


@dataclass(frozen=True, slots=True)
class SizeResult:
    """The audit at one size n."""

    n: int
    """The size."""
    datasets: int
    """How many datasets the pairs are drawn from."""
    pairs: int
    """How many unordered pairs there are to cover, by formula."""
    pairs_covered: int
    """How many were covered, in both directions and at every output, by count."""
    outputs: int | None
    """How many outputs each law has; None if infinitely many."""
    epsilon: Enclosure
    """The realised ε: the largest loss over pairs, directions and outputs."""
    delta: DeltaAt
    """The realised δ at the ε of the budget."""
    curve: tuple[DeltaAt, ...]
    """The realised δ at other ε that were asked for."""
    witness: Witness
    """Where the largest loss is attained (or, between overlapping balls, may be)."""
    verdict: Verdict
    """The verdict at this n."""
    reason: str
    """Why the verdict is undecided; empty otherwise."""


@dataclass(frozen=True, slots=True)
class UndecidedSize:
    """A size at which something could not be enclosed at all, so that there is no result."""

    n: int
    """The size."""
    reason: str
    """What was not enclosed, and at what precision."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a mechanism that is not one of the package was loaded from."""

    reference: str
    """``path.py:name``, ``package.module:name`` or an entry point, as it was given."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""


@dataclass(frozen=True)
class Subject:
    """What was audited, and how: everything about an audit but its findings."""

    mechanism: str
    """The mechanism's name."""
    parameters: dict[str, str | list[str]]
    """Its parameters, as text that reads back exactly."""
    stated: tuple[str, str] | None
    """The stated budget (ε, δ), or None where nothing is stated."""
    budget: tuple[str, str]
    """The budget (ε, δ) that verdicts are about."""
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
    """The unit of the mechanism's own ε; every other ε is in nats."""


@dataclass(frozen=True)
class Audit:
    """The audit of one mechanism over one or more sizes."""

    subject: Subject
    """What was audited."""
    sizes: tuple[int, ...]
    """The sizes that were asked for, in increasing order."""
    results: tuple[SizeResult, ...]
    """One result for each finished size, in increasing order of n."""
    missing: tuple[int, ...] = ()
    """Sizes that were asked for and not finished."""
    undecided: tuple[UndecidedSize, ...] = ()
    """Sizes that were finished without a result, in increasing order of n."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes; a size without a result counts as undecided."""
        found = [result.verdict for result in self.results]
        without = [Verdict.UNDECIDED for _ in (*self.missing, *self.undecided)]
        return worst_verdict([*found, *without])
