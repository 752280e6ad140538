"""Progress on stderr: bars on a terminal, and a line now and then elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from dpaudit.machine import duration
from dpaudit.progress import Step, ended, shown_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress_bar", "progress_on_stderr"]

_LIVE: list[tuple[str, Callable[..., None]]] = []
"""The bars that are on the screen: what each says, and what changes it."""
_BAR_AFTER, _BAR_EVERY = 1.0, 0.2
"""After how many seconds a loop gets a bar on a terminal, and how often that moves."""
_BAR_WIDTH = 30
_LINE_EVERY = 30.0
"""After how many seconds a line says how far a loop is, where there is no terminal."""


@contextmanager
def progress_bar(
    what: str, unit: str, total: Callable[[], int], *, worth_it: bool = True, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Show on stderr how many of a ``total`` are done, if it is a terminal and ``worth_it``.

    Gives what updates it: ``advance=…`` or ``completed=…``, and the ``fields`` that ``unit`` shows.
    """
    if not worth_it or not sys.stderr.isatty():
        yield lambda **changes: None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn(unit),
        *([] if fields else [progress.TimeRemainingColumn()]),
    )
    ended()
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        update = partial(bar.update, bar.add_task(what, total=total(), **fields))
        _LIVE.append((what, update))
        try:
            yield update
        finally:
            _LIVE.pop()


class _Bar:
    """Shows on a terminal how far a loop is: in the words of the bar that is there, or as one.

    It is drawn here: while a program is explored, rich would draw from what stands for ``random``.
    """

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, step: Step | None) -> float:
        """Show a step; with None take it away."""
        if step is not None or self._shown:
            self._shown = step is not None
            if _LIVE:
                what, update = _LIVE[-1]
                words = what if step is None else f"{what}: {_words(step)}"
                update(description=words.replace("[", r"\["))
            else:
                with suppress(OSError):  # nobody may be there to see it
                    sys.stderr.write("\r\x1b[K" + ("" if step is None else _drawn(step)))
                    sys.stderr.flush()
        return _BAR_AFTER if step is None else _BAR_EVERY


def _words(step: Step) -> str:
    about = "" if step.expected is None else f" of about {_rounded(step.expected)}"
    return f"{step.done}{about} {step.what}"


def _drawn(step: Step) -> str:
    """Return a step with a bar, on one line of the terminal."""
    import shutil  # here: the version needs no archive formats, which it loads

    columns = shutil.get_terminal_size().columns - 1
    bar = ""
    if step.expected:
        filled = min(_BAR_WIDTH, int(_BAR_WIDTH * step.done / step.expected))
        bar = "━" * filled + " " * (_BAR_WIDTH - filled) + " "
    try:
        bar.encode(sys.stderr.encoding or "ascii")
    except UnicodeEncodeError:
        bar = bar.replace("━", "=")
    return (bar + _words(step))[:columns]


class _Lines:
    """Says how far a long loop is, a line now and then."""

    def __init__(self) -> None:
        self._first: tuple[str, int, float] | None = None

    def __call__(self, step: Step | None) -> float:
        """Print a step; with None do nothing."""
        if step is None:
            return _LINE_EVERY
        now = monotonic()
        if self._first is None or self._first[0] != step.what or step.done < self._first[1]:
            self._first = step.what, step.done, now
        _, done, since = self._first
        remaining = ""
        if step.expected is not None and step.done > done:
            seconds = (now - since) / (step.done - done) * max(0.0, step.expected - step.done)
            remaining = f", {duration(seconds)} left"
        with suppress(OSError):  # nobody may be there to read it
            click.echo(f"dpaudit: {_words(step)}{remaining}", err=True)
        return _LINE_EVERY


def _rounded(expected: float) -> str:
    return str(round(expected)) if expected < 1e6 else f"{expected:.2g}"


@contextmanager
def progress_on_stderr() -> Iterator[None]:
    """Show on stderr how far long loops are: a bar on a terminal, a line every 30 s elsewhere."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    show, first = (_Bar(), _BAR_AFTER) if terminal else (_Lines(), _LINE_EVERY)
    with shown_by(show, first):
        yield
