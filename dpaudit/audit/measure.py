"""Base of the measures of a mechanism at each size, and of the reports that are made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from dpaudit.audit.plan import Plan, pairs_planned
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.results import UndecidedSize, Verdict, worst_verdict
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.audit.screen import Share
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "Foreseen",
    "Measure",
    "Needs",
    "Progress",
    "derived",
    "described",
    "head",
    "ignore",
]

SizedT = TypeVar("SizedT")
ReportT = TypeVar("ReportT")

Progress = Callable[[int], None]
"""Callback, given the number of pairs covered since it was last called."""


def ignore(pairs: int) -> None:
    """Count nothing: nobody watches, or a pair is looked at again, which is not a new pair."""


class Needs(NamedTuple):
    """Engines that a measure uses, for an estimate: see :mod:`dpaudit.audit.estimate`."""

    structure: bool = True
    """True if laws of a known structure are screened without a table."""
    tables: bool = False
    """True if tables are made even of laws of a known structure."""
    powers: bool = False
    """True if tables hold powers of the probabilities too."""
    patterns: bool = False
    """True if every distinct pair is kept."""
    pairs: bool = True
    """True if pairs are visited."""
    directed: bool = False
    """True if the outcomes of every pair are held, in both directions."""
    everywhere: bool = False
    """True if the outcomes of all datasets are held, whatever dataset is asked about."""
    listing: int = 0
    """Up to how many outputs a law may have whose error is computed as well."""
    few_errors: bool = False
    """True if those errors are whole numbers of records."""


class Foreseen(Protocol):
    """Interface by which an estimate learns about some work over the pairs of one size."""

    @property
    def needs(self) -> Needs:
        """Return which engines it uses."""
        ...

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        """Return about how long one size takes."""
        ...


class Stopped(KeyboardInterrupt):
    """An interrupt, with what had been ``found`` by then."""

    def __init__(self, found: Any) -> None:
        """Take what is known, which may be little."""
        super().__init__()
        self.found = found


class Measure(ABC, Generic[SizedT, ReportT]):
    """Quantity computed at each size, and the report made of the sizes; it travels to workers."""

    schema: ClassVar[str]
    """The name of the report's document."""
    document: ClassVar[type[Any]]
    """The type of the report."""
    sized: ClassVar[type[Any]]
    """Type of the result of one size."""
    without: ClassVar[str] = "undecided"
    """The field of the report that holds the sizes without a result."""
    over_sizes: ClassVar[bool] = False
    """True if its figure is drawn against n: one report of one size is one point of it."""
    entry_seconds: ClassVar[float]
    """About how long an output of a pair takes; for :meth:`seconds`, where that says all."""

    @property
    def needs(self) -> Needs:
        """Engines that the measure uses, for an estimate of its memory."""
        return Needs()

    @abstractmethod
    def at_size(self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress) -> SizedT:
        """Return what is found at size ``n``, with ``progress`` told of the pairs covered.

        Raises ``PrecisionError`` where something cannot be enclosed at all.
        """

    def shared(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress, share: Share
    ) -> SizedT:
        """Return the same where ``share`` lets other processes compute a screen."""
        return self.at_size(mechanism, n, plan, progress)

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        """Return about how long one size takes, for planning only."""
        return self.entry_seconds * pairs_planned(mechanism, n, plan) * mechanism.entries(n)

    def report(
        self, mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, found: Iterable[Any]
    ) -> ReportT:
        """Return the report made of what a sweep over ``sizes`` has ``found``."""
        parts = self.split(sizes, found)
        known = self.about(mechanism, plan, parts["results"]) | parts
        known["sized"] = mechanism.default_size is None
        made: ReportT = self.document(schema=self.schema, **known | self.fields(plan, known))
        return made

    def about(
        self, mechanism: Mechanism[Any], plan: Plan, results: Sequence[SizedT]
    ) -> dict[str, Any]:
        """Return the fields of a report that say what was audited, and how laws were derived."""
        return head(mechanism, plan) | derived(mechanism, results)

    def split(self, sizes: Sequence[int], found: Iterable[Any]) -> dict[str, Any]:
        """Return the fields of a report that hold what was found, in increasing order of n."""
        finished = sorted(found, key=lambda result: result.n)
        done = {result.n for result in finished}
        return {
            "sizes": tuple(sorted(set(sizes))),
            "results": tuple(result for result in finished if isinstance(result, self.sized)),
            "missing": tuple(n for n in sizes if n not in done),
            self.without: tuple(one for one in finished if not isinstance(one, self.sized)),
        }

    def fields(self, plan: Plan, known: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a report that no other measure has, from those that are known."""
        return {}

    def verdict(self, known: dict[str, Any]) -> Verdict:
        """Return the worst verdict of all sizes; one that is missing counts as undecided."""
        sized = (*known["results"], *known[self.without])
        verdicts = [getattr(result, "verdict", Verdict.UNDECIDED) for result in sized]
        return worst_verdict([*verdicts, *(Verdict.UNDECIDED for _ in known["missing"])])

    def subject(self, mechanism: Mechanism[Any], plan: Plan) -> Mechanism[Any]:
        """Return the mechanism as it is measured, and as reports describe it."""
        return mechanism

    def check(self, sizes: Sequence[int]) -> None:
        """Raise ``SizeError`` for sizes that make no sense here."""

    def judged(self, result: SizedT, plan: Plan, pairs: int | None) -> SizedT:
        """Return what was found elsewhere, with the verdict that follows from its numbers.

        ``pairs`` is how many there are, where that is known here.  Raises ``ValueError`` for
        invalid numbers, or numbers that contradict each other.
        """
        return result

    def without_result(self, n: int, reason: str) -> Any:
        """Return what stands for a size at which something could not be enclosed."""
        return UndecidedSize(n, reason)

    def points(self, plan: Plan) -> Sequence[Any]:
        """Return at which arguments the plan asks for values."""
        return ()

    def points_of(self, result: SizedT) -> Sequence[Any]:
        """Return at which arguments a result has values."""
        return ()

    def can_be_shared(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> bool:
        """Tell whether several processes can work on one size."""
        return False


def described(mechanism: Mechanism[Any]) -> dict[str, Any]:
    """Return a mechanism's name and its parameters, as text that reads back exactly."""
    parameters = {name: parameter_text(value) for name, value in mechanism.values().items()}
    return {"name": mechanism.name, **parameters}


def head(mechanism: Mechanism[Any], plan: Plan) -> dict[str, Any]:
    """Return the fields of a report that say what was audited, how, and by which version."""
    relation = mechanism.adjacency(plan.adjacency)
    return {
        "version": __version__,
        "described": described(mechanism),
        "stated": mechanism.stated,
        "adjacency": relation.name,
        "adjacency_defaulted": relation.defaulted,
        "at": plan.at
        if plan.at is None or isinstance(plan.at, str)
        else ",".join(map(str, plan.at)),
        "digits": plan.digits,
        "epsilon_unit": mechanism.epsilon_unit,
        "loaded": mechanism.loaded_from,
    }


def derived(mechanism: Mechanism[Any], results: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of a report that say how the laws of its ``results`` were derived."""
    if not results:
        return {}
    covered = ((getattr(one, "pairs_covered", 0), getattr(one, "pairs", 0)) for one in results)
    whole = all(some == every for some, every in covered)
    return mechanism.derivation(max(one.n for one in results), whole=whole)
