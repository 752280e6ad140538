"""Processes that do not import the script of the one that starts them.

They never need it: a mechanism of a script or notebook is audited where it is.  They would carry
the script out again, and one without ``if __name__ == "__main__":`` would start others in its turn.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnProcess
from types import ModuleType
from typing import TYPE_CHECKING

from dpaudit.mechanisms.references import check_nothing_is_loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ForkServer", "Spawned"]


@contextmanager
def _without_main() -> Iterator[None]:
    check_nothing_is_loaded()
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class Spawned(SpawnProcess):
    """A process with an interpreter of its own."""

    def start(self) -> None:
        with _without_main():
            super().start()


class _Forked(ForkServerProcess):
    def start(self) -> None:
        # The first starts the server, which answers Ctrl-C with a traceback until it has loaded.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with _without_main():
                super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)


class ForkServer(ForkServerContext):
    """Processes that are forked from one that has loaded some modules, and does nothing else."""

    Process = _Forked
