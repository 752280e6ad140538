"""Exploring datasets side by side: forked processes derive the laws at a part of them each.

What a forked process gives is taken only where all went well: outputs of plain values, and no call
that leaves something for later ones.  All else is explored in this process, in order, so that what
is refused, and the reason, are those of exploring one dataset after another.
"""

from __future__ import annotations

import math
import os
import pickle
import select
import sys
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from tempfile import TemporaryFile
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from dpaudit.machine import alone_but_waiting, shared_jobs
from dpaudit.programs.guarding.pristine import end_forked, stand_alone
from dpaudit.programs.output_laws.other_process import accept, derived_at
from dpaudit.progress import shown_by, step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.programs.output_laws.derived import Explorer
    from dpaudit.programs.output_laws.other_process import Derived

__all__ = ["explore_beside"]

_SECONDS_WORTH_A_PROCESS = 0.5
_SECONDS_BETWEEN_LOOKS = 0.2
_MOST_READ = 1 << 16
_END = "all is well"


def explore_beside(explorer: Explorer, title: str, datasets: Sequence[Any]) -> None:
    """Explore a program at ``datasets``, shared among as many processes as are allowed and pay off.

    Datasets may be left unexplored; whoever asks for their laws explores them then.

    Raises:
        LawError: where the program has no law at one of them, or another one in another process.
    """
    left = [dataset for dataset in datasets if dataset not in explorer.explored]
    if len(left) < 3 or shared_jobs() < 2 or not _may_fork():
        return
    began = perf_counter()
    explorer.exploration(left.pop(0))
    seconds = (perf_counter() - began) * len(left)
    count = min(shared_jobs(), len(left), int(min(seconds, 1e6) / _SECONDS_WORTH_A_PROCESS))
    if count < 2 or _leaves_something(explorer):
        return
    bounds = [len(left) * number // count for number in range(count + 1)]
    own, *parts = (left[low:high] for low, high in pairwise(bounds))
    with ExitStack() as stack:
        answers = [stack.enter_context(_forked(explorer, part)) for part in parts]
        for dataset in own:  # the first ones: what is refused here is refused first
            explorer.exploration(dataset)
        found = [_received(answer, len(part)) for answer, part in zip(answers, parts, strict=True)]
    if _leaves_something(explorer):
        return
    for part, derived in zip(parts, found, strict=True):
        accept(title, explorer, part[: len(derived)], derived)
    if explorer.explored.keys() >= explorer.listed.keys():
        explorer.check_between()


def _may_fork() -> bool:
    """Tell whether this process may fork: another thread's locks would be taken along."""
    return hasattr(os, "fork") and alone_but_waiting()


def _leaves_something(explorer: Explorer) -> bool:
    """Tell whether calls so far were seen to leave something for later ones."""
    return any(one.compare() or one.change is not None for one in explorer.between)


class _Answers(NamedTuple):
    """Laws that a forked process writes: to a file, for a pipe holds few of them.

    Nobody reads while this process explores its own part.
    """

    steps: int
    """A pipe with a byte for each law that was written; it ends when the process does."""
    file: IO[bytes]


@contextmanager
def _forked(explorer: Explorer, datasets: Sequence[Any]) -> Iterator[_Answers]:
    """Let a forked process derive laws; at the end of the block it is ended."""
    steps, written = os.pipe()
    os.set_blocking(written, False)
    with TemporaryFile() as file:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            try:
                os.close(steps)
                stand_alone()
                _derive(explorer, datasets, file, written)
                file.flush()
            finally:
                os._exit(0)
        os.close(written)
        try:
            yield _Answers(steps, file)
        finally:
            end_forked(pid, steps)


def _derive(explorer: Explorer, datasets: Sequence[Any], file: IO[bytes], written: int) -> None:
    """Write the law at each dataset, up to the first that has none; then whether all is well."""
    with shown_by(lambda _: math.inf, math.inf):
        parent = os.getppid()
        for dataset in datasets:
            found = derived_at(explorer, dataset)
            if found is None or os.getppid() != parent:
                break
            if _leaves_something(explorer):
                return
            pickle.dump(found, file)
            with suppress(BlockingIOError):  # of so many datasets the rest is not counted
                os.write(written, b".")
        pickle.dump(_END, file)


def _received(answers: _Answers, expected: int) -> list[Derived | None]:
    """Return what a process wrote; nothing of one that died, or saw calls leave something."""
    count = 0
    while True:
        while not select.select([answers.steps], [], [], _SECONDS_BETWEEN_LOOKS)[0]:
            step(count, expected, "datasets explored in another process")
        more = os.read(answers.steps, _MOST_READ)
        if not more:
            break
        count += len(more)
    answers.file.seek(0)
    found: list[Derived | None] = []
    with suppress(EOFError, pickle.UnpicklingError):  # the file ends where the process died
        while (one := pickle.load(answers.file)) != _END:  # of a process forked from this one
            found.append(one)
        return found
    return []
