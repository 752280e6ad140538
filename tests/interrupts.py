"""Interrupts for processes that tests start."""

import signal

__all__ = ["heed_interrupts"]


def heed_interrupts() -> None:
    """Let Ctrl-C reach a process even if the tests run where it is ignored, as in a background job."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
