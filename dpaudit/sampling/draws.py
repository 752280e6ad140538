"""Draws: in chunks of streams of their own, in as many processes as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from dpaudit.audit.futures import as_finished
from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.sampling.batches import Batch, batch_of, joined
from dpaudit.sampling.independence import LEAST_CHUNKS, Repeats, check_calls
from dpaudit.sampling.sampler import generator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from dpaudit.mechanisms.spec import Spec
    from dpaudit.sampling.sampler import Sampler

__all__ = ["PLAIN", "Source", "place_count", "sizes_of"]

_CHUNK = 1 << 15
"""How many draws a stream gives at most."""
_MANY_CHUNKS = 256
_SMALL_CHUNK = 32
_TRIED = 256
_TRIED_PHASE = 1 << 30
_TRIED_DATASETS = 16
_CALLS = 48
"""How many calls show whether draws of one call are alike."""

PLAIN: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""What NumPy does where floats end, whatever a sampler's file set."""

ResultT = TypeVar("ResultT")


def _digest_of(batch: Batch) -> str:
    return batch.digests()[-1][0]


def _keys_of(batch: Batch) -> list[Any]:
    return batch.keys


def _whole(batch: Batch) -> Batch:
    return batch


def _worked(
    spec: Spec | Sampler,
    dataset: Any,
    work: Any,
    given: tuple[int, Any],
    chunk: tuple[int, int, int, int],
) -> tuple[Any, list[tuple[str, float]]]:
    """Draw one chunk; return what ``work`` makes of it, and its digests.

    Given are the seed, and what NumPy does where floats end in the sampler.
    """
    seed, errors = given
    subject: Any = load(spec) if hasattr(spec, "reference") else spec
    *place, size = chunk
    with np.errstate(**errors):  # what a sampler sets lasts as long as it draws
        drawn = subject.draw(dataset, size, generator(seed, *place))
    try:
        with np.errstate(**PLAIN):
            batch = batch_of(drawn)
            return work(batch), batch.digests()
    except (DpauditError, KeyboardInterrupt):
        raise
    except BaseException as error:  # of their own repr, hash, or equality
        raise LawError(
            f"{subject.name} at {dataset}: an output raised {one_line(error)}"
        ) from error


@dataclass
class Source:
    """Draws of one sampler, every chunk from a stream of its own and looked at once."""

    sampler: Sampler
    datasets: Sequence[Any]
    seed: int
    executor: Executor | None = None
    progress: Callable[[int], None] = lambda draws: None
    errors: Any = field(default_factory=dict)
    """What NumPy does where floats end, as the sampler's file left it."""
    repeats: Repeats = field(default_factory=Repeats)

    def reproducible(self) -> bool:
        """Tell whether the generator that it is given is all the randomness that it has.

        Raises:
            LawError: for a sampler that draws alike within a call.
        """
        same = True
        for rank in range(min(len(self.datasets), _TRIED_DATASETS)):
            same &= len({self._tried(rank, 0, _digest_of) for _ in range(2)}) == 1
            if self.sampler.many_at_once:
                calls = [self._tried(rank, call, _keys_of) for call in range(_CALLS)]
                check_calls(self.sampler.name, self.datasets[rank], calls)
        return same

    def _tried(self, rank: int, call: int, work: Callable[[Batch], ResultT]) -> ResultT:
        place = (rank, _TRIED_PHASE, call, _TRIED)
        found, _ = _worked(self.sampler, self.datasets[rank], work, (self.seed, self.errors), place)
        return cast("ResultT", found)

    def chunks(
        self,
        rank: int,
        phase: int,
        draws: int,
        work: Callable[[Batch], ResultT],
        done: Sequence[int] = (),
    ) -> Generator[ResultT, None, None]:
        """Draw at the dataset of one rank and yield what ``work`` makes of each chunk, in order.

        Those of the sizes that are ``done`` are not drawn again, and no other stream is theirs.

        Raises:
            LawError: for draws that repeat: every confidence in them would be false.
        """
        sizes = sizes_after(done, draws) if phase else sizes_of(draws, _CHUNK)
        places = range(len(done), len(done) + len(sizes))
        dataset = self.datasets[rank]
        where: Any = self.sampler if self.executor is None else spec_of(self.sampler)
        task = partial(_worked, where, dataset, work, (self.seed, self.errors))
        if self.executor is None:
            for index, size in zip(places, sizes, strict=True):
                one = task((rank, phase, index, size))
                yield self._checked(one, rank, (phase, index), size)
            return
        futures = [
            self.executor.submit(task, (rank, phase, index, size))
            for index, size in zip(places, sizes, strict=True)
        ]
        finished: dict[int, Any] = {}
        number = {future: index for index, future in enumerate(futures)}
        following = 0
        try:
            for future in as_finished(futures):
                finished[number[future]] = future.result()
                while following in finished:
                    place = phase, places[following]
                    yield self._checked(finished.pop(following), rank, place, sizes[following])
                    following += 1
        finally:
            for future in futures:  # of an audit that stops early
                future.cancel()

    def first(self, rank: int, draws: int) -> Batch:
        """Return the draws of the first part of a dataset, that nothing is counted on."""
        return joined(self.chunks(rank, 0, draws, _whole))

    def place(self, rank: int, phase: int, index: int) -> str:
        """Return what a chunk is called."""
        return f"chunk {index} of part {phase + 1} at {self.datasets[rank]}"

    def _checked(
        self, one: tuple[Any, list[tuple[str, float]]], rank: int, place: tuple[int, int], size: int
    ) -> Any:
        result, digests = one
        here = self.place(rank, *place)
        before = self.repeats.add(digests, here)
        if before:
            why = (
                "it carries a generator of its own that starts again"
                if before.alone
                else "more chunks are alike than chance makes; it carries a generator of its own "
                "that starts again, or draws of one call depend on each other"
            )
            raise LawError(
                f"{self.sampler.name}: the draws of {here} are those of {before.where}, one by "
                f"one: {why}, and draws that repeat make every confidence false; let it draw from "
                "the rng it is given"
            )
        self.progress(size)
        return result


def place_count(draws: int) -> int:
    """Return in how many chunks draws come that nothing is counted on."""
    return len(sizes_of(draws, _CHUNK))


def sizes_of(draws: int, size: int | None = None) -> list[int]:
    """Return how many draws each chunk has: what is counted comes from many calls, not few.

    Draws of one call may depend on each other; that shows in chunks that differ, where there are
    many.  There are at least ``LEAST_CHUNKS``, or every draw is a call of its own.
    """
    if size is None:
        few = min(_SMALL_CHUNK, draws // LEAST_CHUNKS)
        size = min(max(draws // _MANY_CHUNKS, few, 1), _CHUNK)
    return [min(size, draws - start) for start in range(0, draws, size)]


def sizes_after(done: Sequence[int], draws: int) -> list[int]:
    """Return the sizes of the chunks that are left, after some that are done.

    >>> sizes_after([1, 1], 4), sizes_after([5], 8)
    ([1, 1], [1, 1, 1])
    """
    whole = sizes_of(draws)
    if whole[: len(done)] == list(done):
        return whole[len(done) :]
    return sizes_of(max(draws - sum(done), 0))


def check_seed(seed: object) -> int:
    """Return a seed; ``ParameterError`` for what is none."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ParameterError("seed", f"seed = {seed}: must be a whole number from 0 to 2^63 - 1")
    return seed
