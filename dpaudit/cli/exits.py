"""Exit codes, the same for every command, and how errors become one line."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.audit.result import Verdict

__all__ = ["EPILOGUE", "Exit", "exit_for"]


class Exit(enum.IntEnum):
    """What the exit code of every command means."""

    WITHIN = 0
    EXCEEDS = 1
    USAGE = 2
    UNDECIDED = 3
    INTERNAL = 70
    INTERRUPTED = 130


EPILOGUE = """\b
Exit codes:
  0    every budget is kept
  1    a budget is exceeded
  2    bad usage or bad input
  3    undecided, or nothing was checked
  130  interrupted; what was finished is kept
  70   internal error
"""


def exit_for(verdict: Verdict) -> Exit:
    """Return the exit code of a verdict; anything but a certain ``within`` is a failure."""
    return {"within": Exit.WITHIN, "exceeds": Exit.EXCEEDS}.get(verdict.value, Exit.UNDECIDED)
