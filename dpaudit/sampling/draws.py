"""Draws: in chunks of streams of their own, in as many processes as are asked for."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import log
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from dpaudit.audit.workers import as_finished
from dpaudit.errors import DpauditError, LawError, ParameterError, one_line
from dpaudit.mechanisms.loading import load, spec_of
from dpaudit.sampling.independence import LEAST_CHUNKS, Repeats, check_calls
from dpaudit.sampling.outputs import Word, key, leaves, nearest, pattern, plain, text, words_of
from dpaudit.sampling.sampler import generator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from dpaudit.mechanisms.spec import Spec
    from dpaudit.sampling.sampler import Sampler

__all__ = ["MOST_NUMBERS", "PLAIN", "Batch", "Source", "batch_of", "sizes_of"]

_CHUNK = 1 << 15
"""How many draws a stream gives at most."""
_MANY_CHUNKS = 256
_SMALL_CHUNK = 32
_TRIED = 256
_TRIED_PHASE = 1 << 30
_TRIED_DATASETS = 16
_CALLS = 48
"""How many calls show whether draws of one call are alike."""
_HEADS = (128, 1024)
"""How many of the first draws of a chunk are compared with those of others."""
_SIZED = 256
"""How many outputs tell what each takes."""
_POINTER = 8
MOST_NUMBERS = 2048
"""How many entries of one output are looked at, if it is no line of a NumPy matrix."""

PLAIN: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""What NumPy does where floats end, whatever a sampler's file set."""

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Batch:
    """Outputs, one a line."""

    numbers: NDArray[np.float64]
    """Their numbers, shaped (draws, numbers); nan for what is no number, or is not there."""
    values: tuple[Any, ...] | None
    """The outputs themselves; None where they are all there is in ``numbers``."""
    scalar: bool
    """Whether an output is one number, not a vector of one."""
    cut: bool = False
    """Whether an output has more entries than are looked at."""

    def __len__(self) -> int:
        """Return how many outputs there are."""
        return len(self.numbers)

    @property
    def bytes(self) -> int:
        """How much memory it takes, as far as the first outputs tell."""
        if self.values is None:
            return self.numbers.nbytes
        first = self.values[:_SIZED]
        each = sum(map(_bytes_of, first)) / max(len(first), 1) + _POINTER
        return self.numbers.nbytes + int(each * len(self.values))

    @cached_property
    def keys(self) -> list[Any]:
        """Something hashable for each output, equal where outputs are; nan is a word."""
        if self.values is not None:
            return list(map(key, self.values))
        lines, missing = self.numbers, np.isnan(self.numbers)
        if missing.any():
            lines = lines.astype(object)
            lines[missing] = Word("nan")
        found = lines.tolist()
        return [line[0] for line in found] if self.scalar else list(map(tuple, found))

    @cached_property
    def patterns(self) -> list[Any]:
        """Each output with its numbers left out."""
        return list(map(pattern, self.keys if self.values is None else self.values))

    @cached_property
    def texts(self) -> list[str]:
        """The text of each output."""
        return list(map(words_of, self.keys if self.values is None else self.values))

    def digests(self) -> list[tuple[str, float]]:
        """Return digests of the first outputs and of all, in order, with how surprising they are.

        That is minus the log of the probability of these outputs, were they drawn once more.
        """
        lengths = sorted({len(self), *(head for head in _HEADS if head < len(self))})
        return [self._digest(length) for length in lengths]

    def _digest(self, length: int) -> tuple[str, float]:
        if self.values is None:
            numbers = self.numbers[:length]
            data = np.ascontiguousarray(numbers).tobytes()
            lines = np.where(np.isnan(numbers), -np.finfo(float).max, numbers)
            _, counts = np.unique(lines, axis=0, return_counts=True)
        else:
            data = text(self.values[:length]).encode(errors="backslashreplace")
            counts = np.array(list(Counter(self.keys[:length]).values()))
        surprise = -sum(int(c) * log(c / length) for c in counts)
        return hashlib.sha256(data).hexdigest(), surprise


def _bytes_of(value: Any) -> int:
    parts = sum(map(_bytes_of, value)) if isinstance(value, tuple) else 0
    return sys.getsizeof(value) + parts


def batch_of(drawn: Any) -> Batch:
    """Return what a sampler returned as a batch."""
    if isinstance(drawn, np.ma.MaskedArray):
        drawn = drawn.tolist()
    if (
        isinstance(drawn, np.ndarray)
        and drawn.dtype.kind in "biuf"
        and (drawn.ndim == 1 or (drawn.ndim == 2 and drawn.shape[1]))
    ):
        numbers = drawn.astype(np.float64)
        if drawn.dtype.kind in "bf" or not drawn.size or np.abs(numbers).max() < 1 << 53:
            return Batch(numbers.reshape(len(drawn), -1), None, drawn.ndim == 1)
    values = tuple(map(plain, drawn))
    lines = list(map(leaves, values))
    width = max(map(len, lines), default=1)
    numbers = np.full((len(lines), max(min(width, MOST_NUMBERS), 1)), np.nan)
    for row, line in enumerate(lines):
        numbers[row, : len(line)] = list(map(nearest, line[:MOST_NUMBERS]))
    scalar = not any(isinstance(value, tuple) for value in values)
    return Batch(numbers, values, scalar, width > MOST_NUMBERS)


def _digest_of(batch: Batch) -> str:
    return batch.digests()[-1][0]


def _keys_of(batch: Batch) -> list[Any]:
    return batch.keys


def _whole(batch: Batch) -> Batch:
    return batch


def _joined(parts: Iterator[Batch]) -> Batch:
    found = list(parts)
    width = max(batch.numbers.shape[1] for batch in found)
    numbers = np.full((sum(map(len, found)), width), np.nan)
    row = 0
    for batch in found:
        numbers[row : row + len(batch), : batch.numbers.shape[1]] = batch.numbers
        row += len(batch)
    if all(batch.values is None for batch in found):
        return Batch(numbers, None, found[0].scalar)
    values = [value for batch in found for value in (batch.values or batch.keys)]
    scalar, cut = (all(batch.scalar for batch in found), any(batch.cut for batch in found))
    return Batch(numbers, tuple(values), scalar, cut)


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
        return _joined(self.chunks(rank, 0, draws, _whole))

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
