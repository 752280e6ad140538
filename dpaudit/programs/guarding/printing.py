"""Texts that are printed or logged at once: no part of an output.

A program that prints an object without a text of its own prints its address.  That is let be where
the text goes to the terminal, and to nothing that the program could read it from.
"""

from __future__ import annotations

import builtins
import logging
import sys
from types import FrameType
from typing import Any

from dpaudit.programs.guarding.consumers import Call, call_of_text
from dpaudit.programs.guarding.guards import is_own, is_program

__all__ = ["is_logged", "is_printed"]

_LOGGING = logging.__file__
_LEVELS = {"debug", "info", "warning", "error", "critical", "exception", "log"}
_TERMINAL = ("_io", "_pytest.", "ipykernel.", "colorama.", "dpaudit.")
_NAMED = {"sep", "end", "flush", "file"}


def is_printed(frame: FrameType) -> bool:
    """Tell whether a text that is made in a frame goes to the terminal alone."""
    if frame.f_code.co_filename == _LOGGING:
        return is_logged(frame)
    call = call_of_text(frame) if is_own(frame.f_code.co_filename) else None
    if call is None:
        return False
    if call.function is builtins.print and not call.method:
        file = call.named.get("file", sys.stdout)
        return call.named.keys() <= _NAMED and _is_terminal(file)
    return _logs(call)


def _logs(call: Call) -> bool:
    """Tell whether a call writes to a logger whose handlers write to the terminal."""
    logger = logging.root if call.function is logging else call.function
    if type(logger) not in (logging.Logger, logging.RootLogger) or call.method not in _LEVELS:
        return False
    return not call.named.keys() - {"exc_info", "stack_info"} and _is_plain(logger)


def _is_plain(logger: Any) -> bool:
    """Tell whether all that hears of a logger is Python's own, and writes to the terminal."""
    while logger is not None:
        if type(logger) not in (logging.Logger, logging.RootLogger) or logger.filters:
            return False
        if not all(map(_is_plain_handler, logger.handlers)):
            return False
        logger = logger.parent if logger.propagate else None
    return logging.getLogRecordFactory() is logging.LogRecord


def _is_plain_handler(handler: Any) -> bool:
    if type(handler) is logging.NullHandler:
        return True
    if type(handler).__module__ in ("_pytest.logging",):
        return True
    is_stream = type(handler) in (logging.StreamHandler, logging._StderrHandler)  # type: ignore[attr-defined]
    formatter = getattr(handler, "formatter", None)
    plain = formatter is None or type(formatter) is logging.Formatter
    return is_stream and plain and not handler.filters and _is_terminal(handler.stream)


def is_logged(frame: FrameType | None) -> bool:
    """Tell whether the code of logging in a frame works for a call of a logger's method."""
    last = frame
    while frame is not None and _is_of_logging(frame.f_code.co_filename):
        last, frame = frame, frame.f_back
    if last is None or frame is None or not is_program(frame.f_code.co_filename):
        return False
    if last.f_code.co_name not in _LEVELS:
        return False
    logger = last.f_locals.get("self", logging.root)
    return _is_plain(logger)


def _is_of_logging(file: str) -> bool:
    return file == _LOGGING or file.replace("\\", "/").endswith("/_pytest/logging.py")


def _is_terminal(stream: Any) -> bool:
    """Tell whether a stream writes to the terminal, or to who runs the audit."""
    if stream not in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        return False
    kind = type(stream)
    if kind.__module__ == "_io":
        return kind.__name__ == "TextIOWrapper" and stream.name in ("<stdout>", "<stderr>")
    return kind.__module__.startswith(_TERMINAL)
