"""Where a command's report and plots go.

Names of the files that a command writes when none is given.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.errors import OutputError, ParameterError
from dpaudit.fingerprint import fingerprint
from dpaudit.report.files import check_distinct, check_writable, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    from dpaudit.cli.run import Task

__all__ = ["OUTPUT", "RESULTS", "Destination", "plot_name"]


RESULTS = Path("dpaudit-results")
"""Where plots go when no file is named."""

OUTPUT = "the file of --output"
"""What ``--resume`` continues from when it names no file."""


@dataclass(frozen=True)
class Destination:
    """Where a command's report and plots go, checked before any work is done."""

    form: str
    output: Path | None
    plots: tuple[Path, ...]
    unnamed: bool = False
    """Whether nobody named the plot; another one of that name is kept then."""

    @staticmethod
    def read(given: Mapping[str, Any], default_plot: str) -> Destination:
        """Return the destinations, or raise a ``UsageError`` for one that cannot be written."""
        from dpaudit.report.files import check_plot_suffix

        plots = tuple(Path(name) for name in given["plots"])
        if plots and given["no_plot"]:
            raise ParameterError("plot", "--plot and --no-plot contradict each other; give one")
        output = None if given["output"] is None else Path(given["output"])
        if given["form"] == "json":
            fingerprint()  # of the code that does the work: files may change meanwhile
        for path in plots:
            check_plot_suffix(path)
        for path in (*plots, *([] if output is None else [output])):
            check_writable(path)
        check_distinct((*plots, *([] if output is None else [output])))
        if not plots and not given["no_plot"] and given["form"] == "text":
            plots = (_results_folder() / f"{default_plot}.png",)
            check_writable(plots[0])
            return Destination(given["form"], output, plots, unnamed=True)
        return Destination(given["form"], output, plots)

    def resumed(self, given: str | None) -> Path | None:
        """Return the report that ``--resume`` continues from; None if there is none yet."""
        if given is None:
            return None
        if given != OUTPUT:
            return Path(given)
        if self.output is None or self.form != "json":
            raise ParameterError(
                "resume", "--resume: name the JSON report, or give --format json --output FILE"
            )
        return self.output if self.output.exists() else None

    def saves(self) -> bool:
        """Tell whether what is finished can be written where it can be resumed from."""
        return self.output is not None and self.form == "json"

    def save(self, report: bytes) -> None:
        """Write what is finished so far to the output file."""
        assert self.output is not None
        write_whole(self.output, report)

    def write(self, report: bytes, figure: Callable[[], Figure] | None) -> None:
        """Write the plots, then the report (to stdout if no file is named).

        With ``figure`` None there is nothing to plot.
        """
        plots = () if figure is None else self.plots
        if figure is not None and plots:
            from dpaudit.report.figures import save_figure

            drawn = figure()
            plots = tuple(save_figure(drawn, path, keep=self.unnamed) for path in plots)
        if self.output is not None:
            write_whole(self.output, report)
        else:
            sys.stdout.buffer.write(report)
            for path in plots:
                click.echo(f"plot: {path}", err=self.form != "text")
        sys.stdout.buffer.flush()


def _results_folder() -> Path:
    try:
        RESULTS.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(RESULTS, error.strerror or str(error)) from None
    return RESULTS


def plot_name(command: str, tasks: Sequence[Task]) -> str:
    """Return a file name, without ending, that says what was run: ``check-EHDS-n10-180``."""
    names = dict.fromkeys(re.sub(r"[^\w.+-]+", "_", task.mechanism.name) for task in tasks)
    mechanisms = "-".join(names)[:100]
    first = min(task.sizes[0] for task in tasks)
    last = max(task.sizes[-1] for task in tasks)
    sizes = f"n{first}" if first == last else f"n{first}-{last}"
    return f"{command}-{mechanisms}-{sizes}"
