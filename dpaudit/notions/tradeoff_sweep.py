"""Trade-off functions of a mechanism at one or more sizes, each with its Gaussian fit μ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.curve import PrivacyCurve, privacy_curve
from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import Subject, UndecidedSize
from dpaudit.audit.sweep import subject_of
from dpaudit.audit.workers import largest_first
from dpaudit.errors import PrecisionError
from dpaudit.exact.real import ONE
from dpaudit.notions.measure import measure_size
from dpaudit.notions.notion import Gaussian
from dpaudit.notions.question import Question
from dpaudit.notions.tradeoff_function import TypeTwoAt, type_two

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor
    from fractions import Fraction

    from dpaudit.audit.plan import Plan
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.notions.result import NotionWitness

__all__ = ["Tradeoff", "TradeoffAudit", "assemble_tradeoff", "sweep_tradeoff"]


@dataclass(frozen=True)
class Tradeoff:
    """The trade-off function at one size."""

    n: int
    """The size."""
    pairs: int
    """How many unordered pairs it covers."""
    values: tuple[TypeTwoAt, ...]
    """f at the type I errors that were asked for."""
    mu: Enclosure
    """The smallest μ with f ≥ G_μ."""
    witness: NotionWitness
    """The pair and the test that need it."""
    curve: PrivacyCurve
    """The privacy curve that f is read from."""


@dataclass(frozen=True)
class TradeoffAudit:
    """The trade-off functions of one mechanism."""

    subject: Subject
    """What was audited; its budget is of no account."""
    sizes: tuple[int, ...]
    """The sizes that were asked for, in increasing order."""
    results: tuple[Tradeoff, ...]
    """One for each finished size, in increasing order of n."""
    missing: tuple[int, ...] = ()
    """Sizes that were asked for and not finished."""
    undecided: tuple[UndecidedSize, ...] = ()
    """Sizes that were finished without a result."""


def sweep_tradeoff(
    type_one: tuple[Fraction, ...],
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[Tradeoff | UndecidedSize]:
    """Iterate over the trade-off functions at ``sizes`` as they are finished."""
    for n in sizes:
        Pairs(mechanism, n, plan)  # a dataset that is none is found before any work is done
    if executor is None or workers < 2:
        for n in sizes:
            yield _tradeoff(mechanism, n, plan, type_one, tick)
        return
    for result in largest_first(executor, _tradeoff, mechanism, sizes, plan, type_one):
        if isinstance(result, Tradeoff):
            tick(result.pairs)
        yield result


def _tradeoff(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    type_one: tuple[Fraction, ...],
    tick: Callable[[int], None] = lambda pairs: None,
) -> Tradeoff | UndecidedSize:
    try:
        curve = privacy_curve(mechanism, n, plan, tick)
        fitted = measure_size(mechanism, n, plan, Question(Gaussian(), ONE))
    except PrecisionError as error:
        return UndecidedSize(n, str(error))
    values = tuple(type_two(curve, a, plan.digits) for a in type_one)
    return Tradeoff(n, curve.pairs, values, fitted.value, fitted.witness, curve)


def assemble_tradeoff(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    found: Iterable[Tradeoff | UndecidedSize],
) -> TradeoffAudit:
    """Return the audit made of what a sweep over ``sizes`` has ``found``."""
    finished = sorted(found, key=lambda result: result.n)
    done = {result.n for result in finished}
    return TradeoffAudit(
        subject=subject_of(mechanism, plan),
        sizes=tuple(sorted(set(sizes))),
        results=tuple(result for result in finished if isinstance(result, Tradeoff)),
        missing=tuple(n for n in sizes if n not in done),
        undecided=tuple(result for result in finished if isinstance(result, UndecidedSize)),
    )
