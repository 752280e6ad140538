"""Destinations of a command's texts: reports and plots go to files, the status to the terminal."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.errors import OutputError, ParameterError
from dpaudit.fingerprint import fingerprint
from dpaudit.progress import ended
from dpaudit.report.files import (
    caption_of,
    check_distinct,
    check_writable,
    plot_path,
    write_plot,
    write_whole,
)
from dpaudit.report.fitting import coloured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from matplotlib.figure import Figure

    from dpaudit.cli.request import WriteRequest

__all__ = [
    "OUTPUT",
    "RESULTS",
    "Destination",
    "check_unread",
    "further_report",
    "said_to",
    "status_line",
    "write_report",
]


RESULTS = Path("dpaudit-results")
"""Folder of plots for which no file is named."""

_WRITTEN = {"output", "plots", "reports", "resume"}
"""The parameters that name what is written, or was written before and is continued."""

OUTPUT = "the file of --output"
"""File that ``--resume`` continues from when it names none."""


@dataclass(frozen=True)
class Destination:
    """Destinations of a command's report and plots, checked before any work is done."""

    form: str
    output: Path | None
    plots: tuple[Path, ...]
    width: str = "page"
    """Width of plots; see ``dpaudit.report.figures.style.WIDTHS``."""
    reports: tuple[tuple[str, Path], ...] = ()
    """Further reports: the form and the file of each."""
    unnamed: bool = False
    """True if no one named the plot: an existing file of that name is kept then."""

    @staticmethod
    def read(
        request: WriteRequest, default_plot: str = "", forms: Sequence[str] = ()
    ) -> Destination:
        """Return the destinations, or raise a ``UsageError`` for one that cannot be written.

        ``default_plot`` names the plot that is drawn without ``--plot``; empty for none.  Further
        reports are in one of ``forms``.
        """
        plots = tuple(plot_path(Path(name)) for name in request.plots)
        if plots and request.no_plot:
            raise ParameterError("plot", "--plot and --no-plot contradict each other; give one")
        output = None if request.output is None else Path(request.output)
        if request.form == "json":
            fingerprint()  # of the code that does the work: files may change meanwhile
        reports = tuple(further_report(text, forms) for text in request.reports)
        named = Destination(request.form, output, plots, request.plot_width, reports)
        for path in named.files:
            check_writable(path)
        check_distinct(named.files)
        check_unread(named.files)
        if default_plot and not plots and not request.no_plot and request.form == "text":
            plots = (RESULTS / f"{default_plot}.png",)
            check_writable(plots[0] if RESULTS.exists() else RESULTS)
            return replace(named, plots=plots, unnamed=True)
        if not plots and request.plot_width != "page":
            raise ParameterError(
                "plot_width",
                f"--plot-width {request.plot_width}: no plot is drawn; give --plot FILE too",
            )
        return named

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are written: plots, the captions beside them, the reports."""
        beside = (caption_of(path, always=self.width == "column") for path in self.plots)
        captions = dict.fromkeys(path for path in beside if path is not None)
        reports = [file for _, file in self.reports]
        reports += [] if self.output is None else [self.output]
        return (*self.plots, *captions, *reports)

    def resumed(self, name: str | None) -> Path | None:
        """Return the report that ``--resume`` continues from; None if there is none yet."""
        if name is None:
            return None
        if name != OUTPUT:
            return Path(name)
        if self.output is None or self.form != "json":
            raise ParameterError(
                "resume",
                "--resume needs the JSON report to continue: --resume FILE, or --format json "
                "--output FILE",
            )
        return self.output if self.output.exists() else None

    def saves(self) -> bool:
        """Tell whether finished results can be saved to a report that can be resumed from."""
        return self.output is not None and self.form == "json"

    def save(self, report: bytes) -> None:
        """Write the results so far to the output file."""
        assert self.output is not None
        write_whole(self.output, report)

    def write(
        self,
        report: bytes,
        figure: Callable[[], Figure] | None,
        artist: Executor | None = None,
        further: Sequence[tuple[Path, bytes]] = (),
    ) -> None:
        """Write the further reports, the plots, then the report (to stdout if no file is named).

        With ``figure`` None there is nothing to plot.  An ``artist`` draws in a process beside.
        The ``further`` reports are files with their content.
        """
        for file, content in further:
            write_whole(file, content)
        plots = () if figure is None else self.plots
        if figure is not None and plots:
            files = _drawn(figure, self.width, [path.suffix for path in plots], artist)
            if self.unnamed:
                RESULTS.mkdir(exist_ok=True)
            column = self.width == "column"
            plots = tuple(
                write_plot(path, *file, keep=self.unnamed, column=column)
                for path, file in zip(plots, files, strict=True)
            )
        write_report(report, self.output)
        for path in plots if self.output is None else ():
            click.echo(f"plot: {path}", err=self.form != "text")


_BY_ENDING = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".csv": "csv",
    ".json": "json",
    ".sarif": "sarif",
}
"""Forms of reports that the ending of a file names."""


def further_report(text: str, forms: Sequence[str]) -> tuple[str, Path]:
    """Return the form and the file of a further report.

    Args:
        text: ``FORM=FILE``, or a file whose ending names one of the forms.
        forms: the forms that may be written; empty where there is one report alone.

    Raises:
        ParameterError: for anything else.
    """
    if not forms:
        raise ParameterError(
            "report", f"--report {text}: this command writes only one report; use --output"
        )
    form, _, file = text.partition("=")
    by_ending = _BY_ENDING.get(Path(text).suffix.lower(), "")
    if form in forms and file:
        return form, Path(file)
    if by_ending in forms and "=" not in text:
        return by_ending, Path(text)
    endings = [ending for ending, form in _BY_ENDING.items() if form in forms]
    raise ParameterError(
        "report",
        f"--report {text}: allowed is FORM=FILE with FORM one of {', '.join(forms)}, or a FILE "
        f"that ends in {' or '.join(endings)}",
    )


def _drawn(
    figure: Callable[[], Figure],
    width: str,
    suffixes: Sequence[str],
    artist: Executor | None = None,
) -> list[tuple[bytes, str]]:
    """Return the file and the caption of ``figure`` for each suffix."""
    if artist is not None:
        # An error of the figure is met again here; one of the way there and back is none.
        with suppress(Exception):
            return artist.submit(_drawn, figure, width, suffixes).result()
    from dpaudit.report.figures.sheet import drawn
    from dpaudit.report.figures.style import of_width

    with of_width(width):
        sheet = figure()
        return [drawn(sheet, suffix) for suffix in suffixes]


def write_report(report: bytes, output: str | Path | None = None) -> None:
    """Write a report to the file ``output``, to stdout if no file is named."""
    ended()
    if output is not None:
        write_whole(Path(output), report)
    else:
        sys.stdout.buffer.write(coloured(report))
        sys.stdout.buffer.flush()


def said_to(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command that prints its report ``--output`` as well."""

    @wraps(function)
    def command(*arguments: Any, output: str | None, **options: Any) -> int:
        if output is None:
            return function(*arguments, **options)
        path = Path(output)
        check_writable(path)
        check_unread([path])
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
        with redirect_stdout(printed):
            code = function(*arguments, **options)
        printed.flush()
        report = printed.buffer.getvalue()
        if report:  # else a process of its own has written it
            write_whole(path, report)
        return code

    return command


def check_unread(files: Iterable[Path], also: Iterable[Path] = ()) -> None:
    """Raise ``OutputError`` if a file to write is one that the command reads.

    The command reads the files that its other arguments name, as ``file`` or ``file:NAME``, and
    those in ``also``.
    """
    context = click.get_current_context(silent=True)
    parameters = {} if context is None else context.params
    named = [value for name, value in parameters.items() if name not in _WRITTEN]
    texts = [text for value in named for text in (value if isinstance(value, tuple) else (value,))]
    texts = [text for text in texts if isinstance(text, str)]
    read = [
        *also,
        *(Path(name) for text in texts for name in (text, text.rpartition(":")[0]) if name),
    ]
    for path in files:
        for file_read in read:
            with suppress(OSError, ValueError):
                if path.is_file() and os.path.samefile(path, file_read):
                    raise OutputError(
                        path, "this command reads that file; choose another file for the output"
                    )


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text on stderr in place of the last one, on a terminal."""

    def show(text: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    try:
        yield show
    finally:
        show("")
