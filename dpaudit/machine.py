"""Memory that this process may take: the rest of the machine's, its limits, and a cap.

What is left is the least of what the system says is available, what the control groups that the
process is in allow (containers), and its own limits (``ulimit -v``, ``ulimit -d``).  A cap that a
user gives is one more limit, on all processes of a run together.

Python's collector of circles looks at all that was made, over and over where much is made and kept,
and is put off where that has no circles.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from time import monotonic, process_time

from dpaudit.errors import DomainError, TooLargeError

__all__ = [
    "INTERPRETER",
    "LEAST_MEMORY",
    "MOST_MEMORY",
    "Deadline",
    "alone_but_waiting",
    "amount",
    "available",
    "duration",
    "memory_cap",
    "read_memory_cap",
    "require",
    "resident",
    "shared_jobs",
    "sharing",
    "uncollected",
    "wait_beside",
]

LEAST_MEMORY = 256
"""The fewest megabytes that a cap may be."""
MOST_MEMORY = 1 << 20
"""The most."""

INTERPRETER = 45 << 20
"""Bytes held by a process that has loaded the package and NumPy, and done nothing."""

_jobs: ContextVar[int] = ContextVar("jobs", default=1)
_cap: ContextVar[int | None] = ContextVar("memory_cap", default=None)
_ENDLESS = 1 << 60  # what control groups of version 1 say where there is no limit
_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def read_memory_cap(megabytes: object) -> int:
    """Return whole megabytes, a number or text, as bytes; ``DomainError`` for anything else.

    >>> read_memory_cap("512")
    536870912
    """
    text = str(megabytes)
    whole = text.isascii() and text.isdecimal() and len(text) < 10
    if not whole or not LEAST_MEMORY <= int(text) <= MOST_MEMORY:
        raise DomainError(
            "memory-cap",
            megabytes,
            f"must be whole megabytes, from {LEAST_MEMORY} to {MOST_MEMORY}",
        )
    return int(text) << 20


class Deadline:
    """End of some seconds of processor time, which costs hardly anything to look at.

    The processor's clock is a call of the system, far slower than the one on the wall; that of one
    thread is never ahead of it.
    """

    def __init__(self, seconds: float) -> None:
        """Begin now."""
        self._end = process_time() + seconds
        self._look = monotonic() + seconds

    def passed(self) -> bool:
        """Tell whether so much time was used."""
        if monotonic() < self._look:
            return False
        left = self._end - process_time()
        self._look = monotonic() + left
        return left <= 0


@contextmanager
def sharing(jobs: int) -> Iterator[None]:
    """Let work inside the block be shared by so many processes, this one among them."""
    token = _jobs.set(jobs)
    try:
        yield
    finally:
        _jobs.reset(token)


def shared_jobs() -> int:
    """Return how many processes may share work; 1 where nobody has said so."""
    return _jobs.get()


_WAITING = "dpaudit: waits for another process"


def wait_beside(target: Callable[[], None]) -> None:
    """Start a thread that does nothing but wait for something outside, and then ends the process.

    While it waits it holds no lock, so that forking is as safe as without it.
    """
    threading.Thread(target=target, name=_WAITING, daemon=True).start()


def alone_but_waiting() -> bool:
    """Tell whether no thread but the present one and those of :func:`wait_beside` is alive."""
    here = threading.current_thread()
    return all(thread is here or thread.name == _WAITING for thread in threading.enumerate())


@contextmanager
def memory_cap(megabytes: object) -> Iterator[None]:
    """Limit the memory of audits in a ``with`` block, and refuse those estimated to need more.

    Args:
        megabytes: a whole number from 256 to 1048576; None keeps the present limit.

    Returns:
        A context manager.

    Raises:
        DomainError: for any other number.

    >>> with memory_cap(512):
    ...     available() <= 512 << 20
    True
    """
    token = _cap.set(_cap.get() if megabytes is None else read_memory_cap(megabytes))
    try:
        yield
    finally:
        _cap.reset(token)


def require(needed: int, what: str, fits: Callable[[], str] = str) -> None:
    """Raise ``TooLargeError`` where ``needed`` bytes are more than :func:`available`.

    Args:
        needed: how many bytes the work is estimated to take at its peak, the interpreter included.
        what: what is asked for, to begin the message with.
        fits: says what would fit, where that is known.
    """
    most = available()
    if needed <= most:
        return
    capped = _cap.get()
    have = (
        f"the memory cap allows {amount(most)}"
        if capped is not None and capped <= most
        else f"{amount(most)} are free"
    )
    way = fits()
    said = f"{what} needs about {amount(needed)}, {have}{'; ' if way else ''}{way}"
    raise TooLargeError(needed, most, said)


def available() -> int:
    """Return how many bytes a run may have in all, :data:`INTERPRETER` included."""
    limits = [left for left in (_meminfo(), *_groups(), *_own_limits()) if left is not None]
    free = min(limits, default=_ENDLESS) + min(resident(), INTERPRETER)
    capped = _cap.get()
    return free if capped is None else min(free, capped)


def resident() -> int:
    """Return how many bytes this process holds in memory now."""
    return _status("VmRSS") or 0


def amount(number: float) -> str:
    """Return a number of bytes in words, in the megabytes of 2²⁰ bytes that caps are given in.

    >>> amount(7 << 30), amount(123 << 20), amount(2e13)
    ('7.0 GB', '123 MB', '18,626 GB')
    """
    if number < 999.5 * (1 << 20):
        return f"{max(number / (1 << 20), 1):.0f} MB"
    gigabytes = number / (1 << 30)
    return f"{gigabytes:.1f} GB" if gigabytes < 99.95 else f"{gigabytes:,.0f} GB"


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> [duration(seconds) for seconds in (0.2, 42, 8000, 3e5)]
    ['less than 1 s', 'about 42 s', 'about 2.2 h', 'about 3.5 days']
    >>> duration(1e9), duration(1e12)
    ('about 32 years', 'more than 1,000 years')
    """
    if seconds < 1:
        return "less than 1 s"
    for unit, length, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < most:
            return f"about {seconds / length:.{1 if unit == 'h' else 0}f} {unit}"
    years = seconds / 31_557_600
    if years < 2:
        return f"about {seconds / 86_400:.1f} days"
    return f"about {years:,.0f} years" if years < 1000 else "more than 1,000 years"


def _meminfo() -> int | None:
    with suppress(OSError, ValueError):
        found = re.search(r"^MemAvailable:\s+(\d+) kB", (_PROC / "meminfo").read_text(), re.M)
        if found:
            return int(found[1]) << 10
    return None


def _status(field: str) -> int | None:
    with suppress(OSError, ValueError):
        found = re.search(rf"^{field}:\s+(\d+) kB", (_PROC / "self/status").read_text(), re.M)
        if found:
            return int(found[1]) << 10
    return None


def _groups() -> list[int]:
    """Return what is left in each control group this process is in, of either version."""
    found: list[int] = []
    with suppress(OSError, ValueError):
        for line in (_PROC / "self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory") or "memory" in controllers.split(","):
                names = _V1 if controllers else _V2
                root = _CGROUPS / "memory" if controllers else _CGROUPS
                here = root / path.lstrip("/")
                for folder in (here, *here.parents):
                    if folder.is_relative_to(root):  # a group is held to what those above it have
                        found += _left(folder, *names)
    return found


_V2 = ("memory.max", "memory.current", "inactive_file")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _left(folder: Path, limit: str, usage: str, cached: str) -> list[int]:
    """Return what one group has left: files that are only kept in memory give way."""
    with suppress(OSError, ValueError):
        most = int((folder / limit).read_text())  # "max" is no number
        used = int((folder / usage).read_text())
        kept = 0
        with suppress(OSError):
            told = re.search(rf"^{cached} (\d+)$", (folder / "memory.stat").read_text(), re.M)
            kept = int(told[1]) if told else 0
        if most < _ENDLESS:
            return [max(0, most - max(0, used - kept))]
    return []


def _own_limits() -> list[int]:
    found: list[int] = []
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        for kind, field in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
            most, _ = resource.getrlimit(kind)
            if most not in (resource.RLIM_INFINITY, _cap.get()):  # the cap is that limit already
                found.append(max(0, most - (_status(field) or 0)))
    return found


@contextmanager
def uncollected() -> Iterator[None]:
    """Put the collector of circles off inside the block, or the function."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
