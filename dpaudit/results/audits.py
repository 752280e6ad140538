"""Results of an audit, in (ε, δ) or in another measure: intervals, a witness and a verdict."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

import msgspec

from dpaudit.results.values import (
    AnyDocument,
    Budget,
    Count,
    Digits,
    Document,
    Enclosure,
    Parameters,
    Real,
    Result,
    Size,
    UnseenMass,
    Verdict,
)

__all__ = [
    "Audit",
    "Coverage",
    "Data",
    "DeltaAt",
    "Described",
    "EpsilonAt",
    "MeasureName",
    "MeasuredAudit",
    "MeasuredSize",
    "MeasuredWitness",
    "Report",
    "ReportList",
    "SizeResult",
    "Source",
    "UndecidedSize",
    "Witness",
]


class Source(Result, frozen=True):
    """Origin of a mechanism that was loaded from a file, module or entry point."""

    reference: str
    """``path.py:name``, ``package.module:name`` or an entry point, as it was given."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""


class Data(Result, frozen=True):
    """The counts of one column of a file; of its ``missing`` values so many were ``dropped``."""

    file: str
    column: str
    n: Count
    categories: list[str]
    counts: list[Count]
    missing: Count
    dropped: Count


class UndecidedSize(Result, frozen=True):
    """A size at which something could not be enclosed at all, so that there is no result."""

    n: Size
    """The size."""
    reason: str
    """Quantity that was not enclosed, and the precision reached."""


class Witness(Result, frozen=True):
    """A pair and an output: ``output`` is e^loss times likelier on ``x`` than on ``y``."""

    x: Any
    """The dataset of the numerator."""
    y: Any
    """The dataset of the denominator."""
    output: Any
    """The output."""
    loss: Enclosure
    """ln(P_x(output)/P_y(output))."""
    path: tuple[str, ...] = ()
    """Decisions of a program on a path to the output at ``x``, in words."""


class DeltaAt(Enclosure, frozen=True, kw_only=True):
    """The realised δ(ε): the largest Σ (P_x(r) − e^ε·P_y(r))₊ over the pairs, both directions."""

    epsilon: Real
    """ε."""
    x: Any = None
    """The dataset of the numerator at the worst pair; None where δ(ε) is 0 for all pairs."""
    y: Any = None
    """The dataset of the denominator there.  The event is {r : ln(P_x(r)/P_y(r)) > ε}."""

    @property
    def value(self) -> Enclosure:
        """δ(ε) alone."""
        return Enclosure(self.lower, self.upper, self.exact)


class EpsilonAt(Enclosure, frozen=True, kw_only=True):
    """The smallest ε at which the realised δ(ε) is at most ``delta``: δ(ε) falls as ε grows."""

    delta: Real
    """A δ above 0 and below 1."""
    above: DeltaAt | None = None
    """δ(ε) at the lower end, where it is above ``delta``; None where it is so at no ε."""
    below: DeltaAt | None = None
    """δ(ε) at the upper end, where it is at most ``delta``; None where that is infinite."""

    @property
    def value(self) -> Enclosure:
        """The ε alone."""
        return Enclosure(self.lower, self.upper)

    @property
    def points(self) -> tuple[DeltaAt, ...]:
        """δ(ε) at the ends at which it is known."""
        return tuple(point for point in (self.above, self.below) if point is not None)


class Coverage(Result, frozen=True):
    """Coverage of datasets, pairs and outputs at one size."""

    n: Size
    """The size."""
    datasets: Count
    """Number of datasets that the pairs are drawn from."""
    pairs: Count
    """Number of unordered pairs to cover, by formula."""
    pairs_covered: Count
    """Number of pairs covered in both directions and at every output, by count."""
    outputs: Count | Literal["infinite"]
    """Number of outputs of each law."""

    @property
    def complete(self) -> bool:
        """True if every pair was covered."""
        return self.pairs_covered == self.pairs


class SizeResult(Coverage, frozen=True):
    """The audit in ε and δ at one size."""

    epsilon: Enclosure
    """The realised ε: the largest loss over pairs, directions and outputs."""
    delta: DeltaAt | None
    """The realised δ at the ε of the budget; None where there is none."""
    curve: tuple[DeltaAt, ...]
    """The realised δ at other ε that were asked for."""
    witness: Witness
    """Pair and output of the largest loss (or, between overlapping balls, of what may be it)."""
    verdict: Verdict | None
    """The verdict at this n; None without a budget."""
    reason: str = ""
    """Reason for an undecided verdict, or for an ε that is not enclosed; empty otherwise."""
    excess: Literal["", "granularity"] = ""
    """Of a program as run that exceeds its budget: ``granularity`` where δ at the ε of the budget
    does so by at most 10⁻¹², as the rounding of floats makes it; empty otherwise."""
    at_delta: tuple[EpsilonAt, ...] = ()
    """The smallest ε at each δ that was asked for."""

    @property
    def deltas(self) -> tuple[DeltaAt, ...]:
        """The realised δ at every ε: at that of the budget first, if there is one."""
        return self.curve if self.delta is None else (self.delta, *self.curve)

    @property
    def delta_held(self) -> DeltaAt:
        """The realised δ at the ε of the budget; ``ValueError`` where there is none."""
        if self.delta is None:
            raise ValueError(
                f"there is no budget, so no δ at its ε; δ(ε) at n = {self.n} is in curve"
            )
        return self.delta

    @property
    def enclosed(self) -> bool:
        """True if every pair was covered, and ε is bounded from above or certainly infinite."""
        bounded = self.epsilon.upper.is_finite() or self.epsilon.lower.is_infinite()
        return self.complete and bounded


class MeasuredWitness(Result, frozen=True):
    """The worst pair: what is measured is of the law at ``x`` against the law at ``y``."""

    x: Any
    """The dataset of P, the numerator."""
    y: Any
    """The dataset of Q, the denominator."""
    output: Any = None
    """The output of the largest loss, or one that only one side can produce; None otherwise."""
    order: str | None = None
    """The order α at which a supremum over orders is attained, about; ``1`` for the limit."""
    type_one: str | None = None
    """The type I error, about, of the test that a smallest μ is attained at."""
    type_two: str | None = None
    """The type II error of that test, about."""


class MeasuredSize(Coverage, frozen=True):
    """The audit in another measure at one size."""

    value: Enclosure
    """The largest value over all pairs and directions."""
    witness: MeasuredWitness
    """Pair at which the value is attained (or, between overlapping enclosures, may be)."""
    verdict: Verdict
    """The verdict at this n."""
    reason: str = ""
    """Reason for an undecided verdict; empty otherwise."""


ResultT = TypeVar("ResultT")


class Described:
    """Base of results about one mechanism, whose name and parameters ``described`` holds."""

    __slots__ = ()
    described: Parameters

    @property
    def mechanism(self) -> str:
        """The mechanism's name."""
        return str(self.described["name"])

    @property
    def parameters(self) -> Parameters:
        """Its parameters, as text that reads back exactly."""
        return {name: value for name, value in self.described.items() if name != "name"}


class Report(Described, Document, AnyDocument, Generic[ResultT], frozen=True, kw_only=True):
    """Base of reports on one mechanism: the question, and a result for each finished size."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    described: Parameters = msgspec.field(name="mechanism")
    """The mechanism's name and its parameters, as text that reads back exactly."""
    stated: Budget | None
    """The stated budget (ε, δ), or None where nothing is stated."""
    adjacency: str
    """The neighbouring relation."""
    adjacency_defaulted: bool = False
    """True if the relation was assumed, because no one named it for a user's datasets."""
    at: str | None
    """The datasets the pairs had to contain, as asked for; None for all pairs."""
    digits: Digits
    """Intervals are at most 10^−digits wide."""
    epsilon_unit: str = "nats"
    """The unit of the mechanism's own ε; every other ε is in nats."""
    sizes: tuple[Size, ...]
    """The sizes that were asked for, in increasing order."""
    sized: bool = True
    """False if the datasets do not depend on a size, so that the one size, 1, tells nothing."""
    results: tuple[ResultT, ...]
    """One result for each finished size, in increasing order of n."""
    missing: tuple[Size, ...]
    """Sizes that were asked for and not finished."""
    data: Data | None = None
    """The file that the data were taken from, if they were."""
    loaded: Source | None = None
    """File and reference the mechanism was loaded from; None for a mechanism of the package."""
    semantics: Literal["ideal", "as run"] | None = None
    """Semantics of a program's draws: real numbers (``ideal``), or the floats and integers of its
    language (``as run``); None for mechanisms that are not programs."""
    interposed: tuple[str, ...] = ()
    """The random functions that something stood in for, as run or in a plain function."""
    not_as_run: str | None = None
    """Reason why the law of a plain function is that of exact draws, and not of the code as run;
    None if it is no plain function, or ``ideal`` was asked for."""
    monotone: tuple[str, ...] = ()
    """The functions, as run, that were assumed to be monotone, with their libraries."""
    paths: Count | None = None
    """Number of paths of a program at the first dataset of the largest size."""
    rest: Real | None = None
    """The probability of paths that were not followed, at every dataset at most."""
    real_runs: Count | None = None
    """Least number, over the datasets, of real runs with random draws that the law of a program was
    compared with; all agreed."""
    unseen_mass: UnseenMass | None = None
    """A law that is wrong on more of its mass would have been seen by them, but for a probability
    of 10⁻⁹; 0 where every outcome of the draws was run."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    def __post_init__(self) -> None:
        """Refuse a mechanism without a name."""
        if not isinstance(self.described.get("name"), str):
            raise ValueError("the mechanism has no name")

    @property
    def without_result(self) -> tuple[Any, ...]:
        """The sizes that were finished without a result, in increasing order of n."""
        sizes: tuple[Any, ...] = getattr(self, "undecided", ())
        return sizes


class Audit(Report[SizeResult], frozen=True, kw_only=True):
    """The audit of one mechanism in ε and δ."""

    budget: Budget | None
    """The budget (ε, δ) that verdicts are about; None where none is stated or given."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""
    verdict: Verdict | None
    """The worst verdict of all sizes; a size without a result counts as undecided.  None without a
    budget: nothing is held to anything."""

    @property
    def held_to(self) -> Budget:
        """The budget, for whoever needs one; ``ValueError`` without it."""
        if self.budget is None:
            raise ValueError(f"no budget of {self.mechanism} is stated or given")
        return self.budget

    @property
    def enclosed(self) -> bool:
        """True if the realised ε of every size that was asked for is enclosed."""
        done = all(result.enclosed for result in self.results)
        return done and bool(self.results) and not (self.missing or self.undecided)

    @property
    def label(self) -> str:
        """Symbol of the quantity the budget bounds: ε, or δ at its ε if its δ is not 0."""
        return "ε" if self.held_to.is_pure else f"δ({self.held_to.epsilon})"

    @property
    def limit(self) -> Real:
        """Largest value of that quantity that keeps the budget."""
        return self.held_to.epsilon if self.held_to.is_pure else self.held_to.delta

    def judged(self, result: SizeResult) -> Enclosure:
        """Return what the verdict at one size is about."""
        return result.epsilon if self.held_to.is_pure else result.delta_held


class MeasureName(Result, frozen=True):
    """Name and symbol of a measure: ``order`` belongs to renyi, ``epsilon`` to approximate."""

    name: str
    symbol: str
    order: str | None = None
    epsilon: Real | None = None


class MeasuredAudit(Report[MeasuredSize], frozen=True, kw_only=True):
    """The audit of one mechanism in another measure."""

    notion: MeasureName
    """Measure of the audit, with its order or ε."""
    budget: Real
    """Largest value of the measure that is allowed."""
    budget_implied: bool
    """True if the budget was derived from the stated one, because none was given."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""
    verdict: Verdict
    """The worst verdict of all sizes; a size without a result counts as undecided."""

    @property
    def limit(self) -> Real:
        """Largest value of the measure that is allowed."""
        return self.budget

    def judged(self, result: MeasuredSize) -> Enclosure:
        """Return what the verdict at one size is about."""
        return result.value

    @property
    def label(self) -> str:
        """The symbol with what it depends on."""
        if self.notion.epsilon is not None:
            return f"δ({self.notion.epsilon})"
        order = self.notion.order
        if order is None:
            return self.notion.symbol
        return f"D_({order})" if "/" in order else f"D_{'∞' if order == 'inf' else order}"


class ReportList(Document, frozen=True, kw_only=True):
    """Reports of one kind, in one document."""

    schema: str
    """``dpaudit.reports/1``."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    reports: tuple[AnyDocument, ...]
    """One for each mechanism, all of one schema."""
    verdict: Verdict | None = None
    """The worst verdict, where each has one."""
    data: Data | None = None
    """The file that the data were taken from, if they were."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    def __post_init__(self) -> None:
        """Refuse reports of more than one kind."""
        schemas = sorted({report.schema for report in self.reports})
        if len(schemas) > 1:
            raise ValueError(f"it lists reports of more than one kind: {', '.join(schemas)}")
