"""Interrupts for processes that tests start."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["heeding_interrupts"]


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Let Ctrl-C reach processes started here, even where it is ignored, as in a background job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
