"""Draws: in chunks of streams of their own, in as many processes as are asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from dpaudit.arithmetic import ARRAY_ERRORS
from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.sampling.batches import Batch, batch_of, joined
from dpaudit.sampling.calls import CHUNK, Chunk, calls_of
from dpaudit.sampling.drift import Layout
from dpaudit.sampling.independence import Repeats, check_calls
from dpaudit.sampling.sampler import generator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor, Future

    from dpaudit.mechanisms.spec import Spec
    from dpaudit.sampling.calls import Style
    from dpaudit.sampling.sampler import Sampler

__all__ = ["TRIED", "Source", "check_seed", "first_sizes"]

TRIED = 256
"""Number of draws in each of the first calls."""
_TRIED_PHASE = 1 << 30
_TRIED_DATASETS = 16
_CALLS = 48
"""Number of first calls from which it is judged whether draws of one call are alike."""
_SERIES = 8
"""The same, where each call gives one output."""
_BLOCK = 9
"""So many chunks, one of each turn, go to one process before the next has as many."""
_AHEAD = 2
"""So many times as many wait for each process: no side is drawn long before the other."""

ResultT = TypeVar("ResultT")


def _whole(batch: Batch, chunk: Chunk) -> Batch:
    return batch


def _worked(
    spec: Spec | Sampler,
    dataset: Any,
    work: Any,
    settings: tuple[int, Any],
    place: tuple[int, int, int, Chunk],
) -> tuple[Any, list[tuple[str, float]]]:
    """Draw one chunk; return what ``work`` makes of it, and its digests.

    The ``settings`` are the seed, and what NumPy does where floats end in the sampler.
    """
    seed, errors = settings
    subject: Any = load(spec) if hasattr(spec, "reference") else spec
    *stream, chunk = place
    calls = calls_of(chunk) if subject.style != "sequence" else (chunk.size,)
    rng = generator(seed, *stream)
    with np.errstate(**errors):  # what a sampler sets lasts as long as it draws
        drawn = [subject.draw(dataset, size, rng) for size in calls]
    try:
        with np.errstate(**ARRAY_ERRORS):
            batch = batch_of(_together(drawn))
            return work(batch, chunk), batch.digests()
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
    executors: Sequence[Executor] = ()
    """Of one process each; none to draw here."""
    progress: Callable[[int], None] = lambda draws: None
    errors: Any = field(default_factory=dict)
    """NumPy's settings for floating-point errors, as the sampler's file left them."""
    repeats: Repeats = field(default_factory=Repeats)
    tried: dict[int, list[Batch]] = field(default_factory=dict)
    """The first calls of all at some datasets, by rank: compared with what is counted."""

    @property
    def style(self) -> Style:
        """Style of the sampler's calls."""
        return self.sampler.style

    def reproducible(self) -> bool:
        """Tell whether the sampler has no randomness but the generator that it is given.

        Raises:
            LawError: for a sampler that draws alike within a call.
        """
        same = True
        count = _SERIES if self.style == "sequence" else _CALLS
        for rank in range(min(len(self.datasets), _TRIED_DATASETS)):
            self.tried[rank] = calls = [self._tried(rank, call) for call in range(count)]
            again = self._tried(rank, 0)
            same &= again.digests()[-1][0] == calls[0].digests()[-1][0]
            if self.sampler.many_at_once:
                keys = [call.keys for call in calls]
                check_calls(self.sampler.name, self.datasets[rank], keys)
        return same

    def _tried(self, rank: int, call: int) -> Batch:
        place = (rank, _TRIED_PHASE, call, Chunk(TRIED))
        settings = self.seed, self.errors
        batch, _ = _worked(self.sampler, self.datasets[rank], _whole, settings, place)
        return cast("Batch", batch)

    def layout(self, rank: int, plan: Sequence[Chunk], before: int) -> Layout:
        """Return where the draws of a dataset come from, of which some were drawn ``before``."""
        workers: tuple[int, ...] = ()
        if (jobs := len(self.executors)) > 1:
            later = (index // _BLOCK % jobs for index in range(before, len(plan)))
            workers = (*[-1] * before, *later)
        return Layout(tuple(plan), self.style, workers, len(self.tried.get(rank, ())), TRIED)

    def chunks(
        self,
        rank: int,
        phase: int,
        plan: Sequence[Chunk],
        work: Callable[[Batch, Chunk], ResultT],
        done: int = 0,
    ) -> Generator[ResultT, None, None]:
        """Draw at the dataset of one rank and yield what ``work`` makes of each chunk, in order.

        The first chunks that are ``done`` are not drawn again, and no other stream is theirs.

        Raises:
            LawError: for draws that repeat: every confidence in them would be false.
        """
        places = range(done, len(plan))
        dataset = self.datasets[rank]
        where: Any = spec_of(self.sampler) if self.executors else self.sampler
        task = partial(_worked, where, dataset, work, (self.seed, self.errors))
        if not self.executors:
            for index in places:
                worked = task((rank, phase, index, plan[index]))
                yield self._checked(worked, rank, (phase, index), plan[index].size)
            return
        ahead = _AHEAD * _BLOCK * len(self.executors)
        futures: deque[Future[tuple[Any, list[tuple[str, float]]]]] = deque()
        coming = iter(places)
        try:
            for following in places:
                # Only so far ahead: chunks that wait to be looked at take memory.
                for index in islice(coming, ahead - len(futures)):
                    executor = self.executors[index // _BLOCK % len(self.executors)]
                    futures.append(executor.submit(task, (rank, phase, index, plan[index])))
                worked, size = futures.popleft().result(), plan[following].size
                yield self._checked(worked, rank, (phase, following), size)
        finally:
            for future in futures:  # of an audit that stops early
                future.cancel()

    def first(self, rank: int, draws: int) -> Batch:
        """Return the first draws at a dataset, which choose the event and are not counted."""
        plan = [Chunk(size) for size in first_sizes(draws)]
        return joined(self.chunks(rank, 0, plan, _whole))

    def place(self, rank: int, phase: int, index: int) -> str:
        """Return the name of a chunk."""
        return f"chunk {index} of part {phase + 1} at {self.datasets[rank]}"

    def _checked(
        self,
        worked: tuple[Any, list[tuple[str, float]]],
        rank: int,
        place: tuple[int, int],
        size: int,
    ) -> Any:
        result, digests = worked
        here = self.place(rank, *place)
        before = self.repeats.add(digests, here)
        if before:
            why = (
                "it has its own generator, which starts again"
                if before.alone
                else (
                    "more chunks of draws are equal than chance allows, so it has its own "
                    "generator, which starts again, or the draws of one call depend on each other"
                )
            )
            raise LawError(
                f"{self.sampler.name}: the draws of {here} are those of {before.where}, one by "
                f"one: {why}, and repeated draws make every confidence statement false; draw only "
                "from the rng that it receives"
            )
        self.progress(size)
        return result


def first_sizes(draws: int) -> list[int]:
    """Return the sizes of the chunks of the first draws, which are not counted."""
    return [min(CHUNK, draws - start) for start in range(0, draws, CHUNK)]


def _alike(parts: Sequence[Any]) -> bool:
    """Tell whether what several calls returned can be one array as it is."""
    first = parts[0]
    return all(
        type(part) is np.ndarray
        and part.ndim == first.ndim
        and part.dtype == first.dtype
        and part.shape[1:] == first.shape[1:]
        for part in parts
    )


def _together(parts: Sequence[Any]) -> Any:
    """Return the outputs of several calls, one after the other."""
    if len(parts) == 1:
        return parts[0]
    if _alike(parts):
        return np.concatenate(parts)
    # One by one a masked array would give what is behind its masks.
    lists = [part.tolist() if isinstance(part, np.ma.MaskedArray) else part for part in parts]
    return [output for part in lists for output in part]


def check_seed(seed: object) -> int:
    """Return a seed; ``ParameterError`` for what is none."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise ParameterError("seed", f"seed = {seed}: must be a whole number from 0 to 2^63 - 1")
    return seed
