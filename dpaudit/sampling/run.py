"""From a sampler and how many draws to its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import partial
from itertools import islice
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.audit.measure import described
from dpaudit.audit.workers import executor_for
from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.numbers.ball import precision, upper_fraction
from dpaudit.results import Comparison, EventFound, SampleReport, SampleVerdict
from dpaudit.sampling.against import compare, count_outputs, partition
from dpaudit.sampling.audit import Found, audit_pairs, is_exceeded, selection_size
from dpaudit.sampling.binomial import rounded_up
from dpaudit.sampling.draws import PLAIN, Source
from dpaudit.sampling.independence import Seen, check_chunks
from dpaudit.sampling.joint import Counts, JointTest
from dpaudit.sampling.sequential import Together, bound_at_any_time, evidence
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.mechanisms.base import Budget, Mechanism
    from dpaudit.numbers.real import Real
    from dpaudit.sampling.against import Partition
    from dpaudit.sampling.sampler import Sampler

__all__ = ["DEFAULT_DIGITS", "MOST_DIGITS", "Asked", "run_sample"]

DEFAULT_DIGITS = 4
MOST_DIGITS = 12
"""How many digits of a lower bound are searched for, by default and at most: it is a float."""

_MOST_PAIRS = 10_000
_WATCHED = 16
"""Of so many outputs, the commonest of the law, chunks of draws are to agree."""
_TOLERABLE = 0.01
"""A law whose distance is not shown to be below this is not said to be conformed to."""


@dataclass(frozen=True)
class Asked:
    """What is asked of a sampler."""

    n: int
    draws: int
    error: Real
    seed: int
    budget: Budget | None
    jobs: int = 1
    against: Mechanism[Any] | None = None
    digits: int = DEFAULT_DIGITS
    sequential: bool = False
    """Whether to stop as soon as the budget is contradicted."""


def run_sample(
    sampler: Sampler, asked: Asked, progress: Callable[[int], None] = lambda draws: None
) -> SampleReport:
    """Draw, and return what is certain, but for the error probability.

    Raises:
        LawError: for draws that repeat, and for datasets without neighbours.
        ParameterError: for several processes that would draw the same.
    """
    relation = sampler.adjacency()
    datasets = list(sampler.relation.listing(asked.n))
    ranks = {dataset: rank for rank, dataset in enumerate(datasets)}
    some = islice(relation.pairs(asked.n), _MOST_PAIRS + 1)
    pairs = [(ranks[x], ranks[y]) for x, y in some]
    if not pairs and asked.against is None:
        raise LawError(f"{sampler.name} at n = {asked.n}: no two datasets are neighbours")
    if len(pairs) > _MOST_PAIRS:
        raise LawError(
            f"{sampler.name} at n = {asked.n}: more than {_MOST_PAIRS} pairs, and no more are told "
            "apart by draws: give fewer datasets"
        )
    theirs = np.geterr()
    with np.errstate(**PLAIN), executor_for(asked.jobs) as executor:
        source = Source(sampler, datasets, asked.seed, executor, progress, theirs)
        reproducible = source.reproducible()
        if asked.jobs > 1 and not reproducible:
            raise ParameterError(
                "jobs",
                f"jobs = {asked.jobs}: {sampler.name} does not draw from the rng that it is given, "
                "and several processes might draw the same; give --jobs 1",
            )
        report: dict[str, Any] = {
            "schema": "dpaudit.sample/1",
            "version": __version__,
            "mechanism": described(sampler),
            "loaded": sampler.loaded_from,
            "n": asked.n,
            "relation": relation.name,
            "datasets": len(datasets),
            "pairs": len(pairs),
            "draws": asked.draws,
            "error": str(asked.error),
            "seed": asked.seed,
            "reproducible": reproducible,
            "digits": asked.digits,
            "sequential": asked.sequential,
        }
        alpha = _below(asked.error)
        if asked.against is not None:
            return SampleReport(**report, **_compared(source, asked, asked.against, alpha))
        return SampleReport(**report, **_audited(source, asked, pairs, alpha))


def _below(error: Real) -> float:
    """Return a float that is at most the error probability."""
    with precision(128):
        return -rounded_up(upper_fraction(-error.ball()))


def _above(number: Real) -> float:
    with precision(128):
        return rounded_up(upper_fraction(number.ball()))


def _audited(
    source: Source, asked: Asked, pairs: list[tuple[int, int]], alpha: float
) -> dict[str, Any]:
    budget = asked.budget
    if budget is None:
        raise ParameterError(
            "budget", f"{source.sampler.name} states no budget; give --budget EPS[,DELTA]"
        )
    epsilon, delta = _above(budget.epsilon), _above(budget.delta)

    def stops(seen: Together) -> bool:
        return asked.sequential and _contradicted(seen, alpha, epsilon, delta)

    found = audit_pairs(source, pairs, asked.draws, alpha, delta, stops=stops)
    judged = _Judged.of(found, alpha, (epsilon, delta), asked)
    lower, verdict = judged.epsilon, SampleVerdict.NOT_REFUTED
    lower = max(lower, epsilon) if judged.exceeded else min(lower, epsilon)
    if judged.exceeded:
        verdict = SampleVerdict.EXCEEDS
    elif found.vacuous:
        verdict = SampleVerdict.VACUOUS
    elif not judged.able:
        verdict = SampleVerdict.TOO_FEW
    event = EventFound(
        words=found.chosen.event.words(),
        x=source.datasets[found.chosen.first],
        y=source.datasets[found.chosen.second],
        draws=found.counts.draws,
        count_x=found.counts.first,
        count_y=found.counts.second,
    )
    return {
        "budget": budget,
        "selected": found.selected,
        "verdict": verdict,
        "epsilon": _shown(lower, ROUND_FLOOR, asked.digits),
        "delta": _shown(judged.delta, ROUND_FLOOR, asked.digits),
        "event": event,
    }


@dataclass(frozen=True)
class _Judged:
    """What counts say of a budget."""

    exceeded: bool
    able: bool
    """Whether the best counts of as many draws would contradict it."""
    epsilon: float
    delta: float
    """Lower bounds; −∞ for none."""

    @classmethod
    def of(cls, found: Found, alpha: float, budget: tuple[float, float], asked: Asked) -> _Judged:
        epsilon, delta = budget
        counts, seen, digits = found.counts, found.together, asked.digits
        if asked.sequential:
            best = Together(first=counts.draws)
            return cls(
                _contradicted(seen, alpha, epsilon, delta),
                _contradicted(best, alpha, epsilon, delta),
                bound_at_any_time(seen, alpha, "epsilon", delta, digits),
                bound_at_any_time(seen, alpha, "delta", epsilon, digits),
            )
        return cls(
            is_exceeded(counts, alpha, epsilon, delta),
            is_exceeded(Counts(counts.draws, counts.draws, 0), alpha, epsilon, delta),
            JointTest(counts, alpha, "epsilon", delta).bound(digits),
            JointTest(counts, alpha, "delta", epsilon).bound(digits),
        )


def _contradicted(seen: Together, alpha: float, epsilon: float, delta: float) -> bool:
    return evidence(seen, epsilon, delta) >= log(1 / alpha)


def _compared(source: Source, asked: Asked, law: Mechanism[Any], alpha: float) -> dict[str, Any]:
    laws, datasets = law.laws(), source.datasets
    found = []
    for rank, dataset in enumerate(datasets):
        with precision(128):
            one = _law_of(law, laws, dataset)
        told = partition(one, dataset, partial(source.first, rank, selection_size(asked.draws)))
        compared = asked.draws - told.spent
        counts = _counted(source, rank, told, compared)
        found.append((compared, compare(counts, told, compared, alpha, len(datasets))))
    least = min(one.p_value for _, one in found)
    farthest = max(one.distance for _, one in found)
    if least <= alpha:
        verdict = SampleVerdict.DIFFERS
    elif farthest <= _TOLERABLE:
        verdict = SampleVerdict.CONFORMS
    else:
        verdict = SampleVerdict.TOO_FEW
    return {
        "verdict": verdict,
        "against": law.name,
        "tolerance": _shown(farthest, ROUND_CEILING, asked.digits),
        "comparisons": tuple(
            Comparison(
                dataset=dataset,
                draws=compared,
                binned=one.binned,
                outputs=one.outputs,
                worst=one.worst,
                p_value=_shown(one.p_value, ROUND_CEILING, asked.digits),
                distance=_shown(one.distance, ROUND_CEILING, asked.digits),
            )
            for dataset, (compared, one) in zip(datasets, found, strict=True)
        ),
    }


def _law_of(law: Mechanism[Any], laws: Any, dataset: Any) -> Any:
    try:
        return laws.law(dataset)
    except DpauditError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise LawError(
            f"{law.name} has no law at {dataset}: the datasets of the sampler are not "
            f"those of {law.name} ({one_line(error)})"
        ) from error


def _counted(source: Source, rank: int, told: Partition, draws: int) -> Counter[Any]:
    """Return how often each output was drawn; ``LawError`` for draws that depend on each other."""
    watched = sorted(told.law, key=lambda output: -told.law[output][1])[:_WATCHED]
    counts: Counter[Any] = Counter()
    chunks: list[list[Seen]] = [[] for _ in watched]
    for chunk in source.chunks(rank, 1, draws, partial(count_outputs, partition=told)):
        size = chunk.total()
        for output, seen in zip(watched, chunks, strict=True):
            seen.append(Seen(size, chunk[output]))
        counts += chunk
    for seen in chunks:
        check_chunks(source.sampler.name, source.datasets[rank], seen)
    return counts


def _shown(value: float, rounding: str, digits: int) -> str:
    """Return a bound as a decimal that stays one, rounded so; empty for none."""
    if value <= 0 or value == inf:
        return "" if value != inf else "inf"
    return str(Context(prec=digits + 3, rounding=rounding).create_decimal_from_float(value))
