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
import signal
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.machine import shared_jobs
from dpaudit.programs.guarding.pristine import read_message, stand_alone, write_message
from dpaudit.programs.output_laws.other_process import accept, derived_at
from dpaudit.progress import shown_by, step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.programs.output_laws.derived import Explorer
    from dpaudit.programs.output_laws.other_process import Derived

__all__ = ["explore_beside"]

_SECONDS_WORTH_A_PROCESS = 0.5
_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_FOR_A_MESSAGE = 60.0
"""Once a message has begun, the rest of it comes as fast as the pipe is read."""


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
    return hasattr(os, "fork") and threading.active_count() == 1


def _leaves_something(explorer: Explorer) -> bool:
    """Tell whether calls so far were seen to leave something for later ones."""
    return any(one.compare() or one.change is not None for one in explorer.between)


@contextmanager
def _forked(explorer: Explorer, datasets: Sequence[Any]) -> Iterator[int]:
    """Give the pipe on which a forked process sends laws; at the end of the block it is ended."""
    answers, sent = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        try:
            os.close(answers)
            stand_alone()
            _derive(explorer, datasets, sent)
        finally:
            os._exit(0)
    os.close(sent)
    try:
        yield answers
    finally:
        os.close(answers)
        with suppress(OSError):  # a program may have waited for it
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _derive(explorer: Explorer, datasets: Sequence[Any], sent: int) -> None:
    """Send the law at each dataset, up to the first that has none; then whether all is well."""
    with shown_by(lambda _: math.inf, math.inf):
        parent = os.getppid()
        for dataset in datasets:
            found = derived_at(explorer, dataset)
            if found is None or os.getppid() != parent:
                break
            if _leaves_something(explorer):
                write_message(sent, pickle.dumps(False))
                return
            write_message(sent, pickle.dumps(found))
        write_message(sent, pickle.dumps(True))


def _received(answers: int, expected: int) -> list[Derived | None]:
    """Return what a process sends; nothing of one that died, or saw calls leave something."""
    found: list[Derived | None] = []
    while True:
        while not select.select([answers], [], [], _SECONDS_BETWEEN_LOOKS)[0]:
            step(len(found), expected, "datasets explored in another process")
        said = read_message(answers, _SECONDS_FOR_A_MESSAGE)
        one = pickle.loads(said) if said else False  # of a process forked from this one
        if isinstance(one, bool):
            return found if one else []
        found.append(one)
