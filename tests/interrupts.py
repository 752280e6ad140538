"""Interrupts for processes that tests start."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["heeding_interrupts"]


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Let interrupts reach processes started here, even where they are ignored.

    Ctrl-C is in a background job, the end of a terminal under ``nohup``.
    """
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
