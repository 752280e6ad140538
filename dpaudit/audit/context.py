"""Processes that do not import the script of the one that starts them.

They never need it: a mechanism of a script or notebook is audited where it is.  They would carry
the script out again, and one without ``if __name__ == "__main__":`` would start others in its turn.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnProcess
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ForkServer", "Spawned"]


@contextmanager
def _without_main() -> Iterator[None]:
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
        with _without_main():
            super().start()


class ForkServer(ForkServerContext):
    """Processes that are forked from one that has loaded some modules, and does nothing else."""

    Process = _Forked
