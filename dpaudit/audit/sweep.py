"""One sweep for every measure: many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.audit.futures import as_finished
from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.room import check_room
from dpaudit.errors import DpauditError, LawError, LoadError, PrecisionError, TooLargeError
from dpaudit.mechanisms.apart import DerivedApart
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.notices import StaysHereWarning, notice, notices_on_stderr
from dpaudit.progress import ended, step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.measure import Measure, Progress
    from dpaudit.audit.screen import Share
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.screens.exponents import Extremes, FloatLaws


__all__ = ["check_sizes", "seconds_in_all", "sweep", "useful_workers"]

_SECONDS_WORTH_SHARING = 0.25
_MANY = 1000
"""Of more sizes, some stand for all where that is enough for a plan."""
_DATASETS_WORTH_SHARING = 20
_SECONDS_BETWEEN_STEPS = 0.2
_PARTS = 4
"""In how many parts for each worker laws are derived."""
_WAITING = 4
"""Number of sizes submitted and not finished, for each worker."""


def useful_workers(
    measure: Measure[Any, Any],
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    jobs: int,
) -> int:
    """Return how many of ``jobs`` workers would have something to do in :func:`sweep`."""
    shared = _shared(measure, mechanism, sizes, plan, jobs)
    return jobs if shared else min(jobs, len(sizes))


def sweep(
    measure: Measure[Any, Any],
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress = lambda pairs: None,
    spec: Spec | None = None,
) -> Iterator[Any]:
    """Return what iterates over what is found at ``sizes``, as they are finished.

    Without an executor they are finished in order.  With an ``executor`` of about so many
    ``workers``, sizes are begun at once and looked at side by side, beside those of other sweeps;
    one that would keep a worker busy when the others have finished is shared by all of them, where
    the measure allows it.  Workers are given a reference to the mechanism; one that no other
    process can find again is audited here, after a notice that says so.  ``spec`` is that
    reference, where it was found before the mechanism was asked for anything.  ``progress`` is told
    how many pairs have been covered since it was last called.  Whoever iterates may stop at any
    time and keeps what has been yielded.  A size at which something cannot be enclosed does not end
    the sweep.
    """
    measure.check(sizes)
    check_sizes(mechanism, sizes, plan)
    spec = None if executor is None else spec or _reference(mechanism)
    if executor is None or spec is None:
        return (_at_size(measure, mechanism, n, plan, progress) for n in sizes)
    shared = _shared(measure, mechanism, sizes, plan, workers)
    # The largest sizes first: they take longest, and workers finish together.
    whole = (n for n in reversed(sizes) if n not in shared)
    submitted = (executor.submit(_on_worker, measure, spec, n, plan) for n in whole)
    # A list submits all now, so that workers begin before a result is asked for.
    futures = list(submitted) if len(sizes) <= _MANY else submitted

    def finished() -> Iterator[Any]:
        pair_count = mechanism.adjacency(plan.adjacency).pair_count
        for future in as_finished(futures, _WAITING * workers):
            result = _judged(measure, mechanism, future.result(), plan)
            progress(pair_count(result.n))
            yield result
        # Last, when every worker is free to take a part.
        for n in sorted(shared):
            if isinstance(mechanism, DerivedApart):
                _derive_apart(mechanism, n, executor, spec, workers)
            share = partial(_parts, executor, spec)
            yield _at_size(measure, mechanism, n, plan, progress, share=share)

    return finished()


def check_sizes(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan) -> None:
    """Raise ``SizeError`` for a dataset that is none, before any work is done.

    Of very many sizes the ends are looked at; others when their turn comes.
    """
    for n in sizes if len(sizes) <= _MANY else (sizes[0], sizes[-1]):
        Pairs(mechanism, n, plan)


def seconds_in_all(
    measure: Measure[Any, Any], mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan
) -> float:
    """Return about how long all ``sizes`` take one process."""
    some = sizes[:: 1 + len(sizes) // _MANY]
    seconds = sum(measure.seconds(mechanism, n, plan) for n in some)
    return seconds * len(sizes) / len(some) if some else 0.0


def _reference(mechanism: Mechanism[Any]) -> Spec | None:
    """Return what workers load the mechanism by; None, and a notice, if they cannot."""
    try:
        return spec_of(mechanism)
    except LoadError as error:
        notice(str(error), StaysHereWarning)
        return None


def _on_worker(measure: Measure[Any, Any], spec: Spec, n: int, plan: Plan) -> Any:
    return _at_size(measure, load(spec), n, plan)


def _derive_apart(mechanism: Any, n: int, executor: Executor, spec: Spec, workers: int) -> None:
    """Have the laws of size ``n`` derived by the workers."""
    from concurrent.futures import wait

    datasets = mechanism.underived(n)
    count = _PARTS * workers
    parts = [part for part in (datasets[i::count] for i in range(count)) if part]
    futures = [executor.submit(_derived_on_worker, spec, part) for part in parts]
    done, what = 0, f"laws derived in {workers} processes of {mechanism.name}"
    for part, future in zip(parts, futures, strict=True):
        while not wait([future], _SECONDS_BETWEEN_STEPS).done:
            step(done, len(datasets), what)
        mechanism.accept(part, future.result())
        done += len(part)
    ended()


def _derived_on_worker(spec: Spec, datasets: Sequence[Any]) -> list[Any]:
    mechanism = load(spec)
    assert isinstance(mechanism, DerivedApart)
    with notices_on_stderr():
        return mechanism.derive(datasets)


def _part_on_worker(spec: Spec, n: int, part: int) -> Extremes:
    from dpaudit.audit.screen import screened_part

    return screened_part(load(spec), n, part)


def _at_size(
    measure: Measure[Any, Any],
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    progress: Progress = lambda pairs: None,
    *,
    share: Share | None = None,
) -> Any:
    try:
        if mechanism.names_datasets:  # whose laws were not asked for at this size yet
            check_room(measure, mechanism, (n,), plan)
        if share is not None:
            return measure.shared(mechanism, n, plan, progress, share)
        return measure.at_size(mechanism, n, plan, progress)
    except (PrecisionError, TooLargeError) as error:
        return measure.without_result(n, str(error))


def _judged(measure: Measure[Any, Any], mechanism: Mechanism[Any], result: Any, plan: Plan) -> Any:
    """Return what another process has found, with the verdict that follows from its numbers."""
    # A size that could not be enclosed has no numbers to judge.
    if not isinstance(result, measure.sized):
        return result
    try:
        return measure.judged(result, plan, Pairs(mechanism, result.n, plan).expected)
    except (ValueError, DpauditError) as error:
        raise LawError(f"a worker gave no result at n = {result.n}: {error}") from None


def _shared(
    measure: Measure[Any, Any],
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    workers: int,
) -> set[int]:
    """Return the sizes that take longer than half of what each worker has to do."""
    if isinstance(mechanism, DerivedApart):
        some = sizes if len(sizes) <= _MANY and plan.at is None else ()
        counts = {n: len(mechanism.underived(n)) for n in some}
        least = max(_DATASETS_WORTH_SHARING, sum(counts.values()) / (2 * workers))
        return {n for n in some if counts[n] > least}
    if len(sizes) > _MANY or not measure.can_be_shared(mechanism, sizes[0], plan):
        return set()
    seconds = {n: measure.seconds(mechanism, n, plan) for n in sizes}
    long = max(_SECONDS_WORTH_SHARING, sum(seconds.values()) / (2 * workers))
    return {n for n in sizes if seconds[n] > long}


def _parts(executor: Executor, spec: Spec, laws: FloatLaws) -> Iterator[Extremes]:
    from dpaudit.screens.exponents import part_count

    parts = range(part_count(laws))
    # In order, as the sum of floats depends on it; what was taken is let go.
    futures = deque(executor.submit(_part_on_worker, spec, laws.n, part) for part in parts)
    while futures:
        yield futures.popleft().result()
