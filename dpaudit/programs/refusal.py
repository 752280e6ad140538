"""What the engine cannot follow is refused, in one line that names the program's own line.

A refusal is no ``Exception``: a program's ``except`` does not turn it into an output, and one that
is caught all the same is remembered by the run and raised again when the program ends.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["Refused", "line_of_program"]

_HOME = str(Path(__file__).resolve().parent)


class Refused(BaseException):  # noqa: N818  (a refusal of the engine, not an error of the program)
    """Something that a program does has no law here; the message is one line."""

    def __init__(self, reason: str) -> None:
        """Say why, and at which line of the program."""
        where = line_of_program()
        super().__init__(f"{where}: {reason}" if where else reason)


def line_of_program() -> str:
    """Return file:line of the innermost frame above the engine's own, empty if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_HOME):
            return f"{Path(file).name}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""
