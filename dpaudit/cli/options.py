"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from dpaudit.audit.plan import ENGINES
from dpaudit.cli.destination import OUTPUT
from dpaudit.cli.isolated import DEFAULT_CAP, MEMORY_CAP_HELP, TIME_CAP_HELP, contained
from dpaudit.cli.parameter_options import parameter_options
from dpaudit.cli.programs import PROGRAM_OPTIONS, MechanismsOrCall
from dpaudit.cli.request import SweepRequest, requested
from dpaudit.data.columns import MISSING_WORDS
from dpaudit.mechanisms.registry import mechanism_names, mechanism_words
from dpaudit.report.fitting import SHOWN_ROWS
from dpaudit.report.render import AUDIT_FORMS, FORMATS

__all__ = [
    "ADJACENCY",
    "COLUMN",
    "MECHANISMS",
    "OUTPUT_FILE",
    "ROWS",
    "SETTINGS",
    "Option",
    "at_option",
    "audit_options",
    "complete_adjacency",
    "complete_mechanism",
    "digits_option",
    "engine_option",
    "form_option",
    "memory_cap_option",
    "plot_options",
    "report_option",
    "time_cap_option",
    "with_options",
]

Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def resume_option(text: str) -> Option:
    """Return ``--resume``, which means what ``text`` says."""
    return click.option(
        "--resume",
        metavar="[FILE]",
        is_flag=False,
        flag_value=OUTPUT,
        help=f"{text}; default: {OUTPUT}, if it exists.",
    )


def with_options(*options: Option) -> Option:
    """Return a decorator that adds options to a command, to be shown in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def complete_mechanism(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the names of mechanisms that begin with ``incomplete``; the shell's files if none."""
    start = incomplete.lower()
    everything = [*mechanism_names(), *(mechanism_words() if incomplete else ())]
    names = [name for name in everything if name.lower().startswith(start)]
    return [*map(CompletionItem, names), *([] if names else [CompletionItem("", type="file")])]


def complete_adjacency(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the relations, and the field's words for them, that begin with ``incomplete``."""
    from dpaudit.data.neighbouring import RELATIONS, WORDS_OF_HISTOGRAMS

    names = (*RELATIONS, *WORDS_OF_HISTOGRAMS)
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _mechanisms(cls: type[click.Argument]) -> Option:
    return click.argument(
        "mechanisms",
        cls=cls,
        nargs=-1,
        required=True,
        metavar="MECHANISM...",
        shell_complete=complete_mechanism,
    )


MECHANISMS = _mechanisms(click.Argument)
"""The argument of commands about several mechanisms."""

SETTINGS = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter by its name, also of a mechanism of your own. Repeatable.",
)
ADJACENCY = click.option(
    "--adjacency",
    metavar="NAME",
    shell_complete=complete_adjacency,
    help="The neighbouring relation. For histograms: histogram-substitution or "
    "histogram-add-remove. For answers to queries: unit-moves (each answer moves by at most 1), "
    "unit-moves-one-sign (all up, or all down) or patterns (eight typical pairs, and no others). "
    "Default: the mechanism's own.",
)
OUTPUT_FILE = click.option(
    "--output", metavar="FILE", help="Write the report to FILE instead of stdout."
)
ROWS = click.option(
    "--rows",
    metavar="N|all",
    help="Largest number of rows that the text form shows of a long table: its first rows, "
    f"the worst row and its last rows. Default: {SHOWN_ROWS}, and all with --output.",
)
COLUMN = with_options(
    click.option(
        "--data",
        metavar="FILE",
        help="Use the counts of a column of FILE as the data: CSV (.tsv: tabs) or Parquet.",
    ),
    click.option("--column", metavar="NAME", help="The column of --data; default: the only one."),
    click.option(
        "--categories",
        metavar="A,B,...",
        help="All categories, in this order, including those that do not occur. Default: those "
        "that occur, sorted, and (missing) last.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "drop", "category"]),
        help=f"Treatment of missing values ({MISSING_WORDS}); default: refuse.",
    ),
)
"""The options that name a file, a column and its categories."""


def at_option(allowed: str = "COUNTS|uniform") -> Option:
    """Return ``--at``."""
    return click.option("--at", metavar=allowed, help="Audit only pairs that contain this dataset.")


def digits_option(default: int | None = 12, *, of: str = "intervals", text: str = "") -> Option:
    """Return ``--digits``: how narrow the intervals ``of`` a report are; ``text`` says it else."""
    return click.option(
        "--digits",
        type=int,
        default=default,
        show_default=default is not None,
        help=text or f"Aim at {of} at most 10^-DIGITS wide; wider ones are shown as they are.",
    )


def engine_option(text: str) -> Option:
    """Return ``--engine``; ``text`` says what the engines do."""
    return click.option(
        "--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True, help=text
    )


def memory_cap_option(text: str = MEMORY_CAP_HELP, *, default: int | None = None) -> Option:
    """Return ``--memory-cap``; ``text`` says what is held to it."""
    return click.option(
        "--memory-cap",
        metavar="MB",
        default=None if default is None else str(default),
        help=text,
    )


def time_cap_option(text: str = TIME_CAP_HELP) -> Option:
    """Return ``--time-cap``; ``text`` says what becomes of a run that takes longer."""
    return click.option("--time-cap", metavar="SECONDS", help=text)


def form_option(
    forms: Sequence[str] = tuple(FORMATS),
    text: str = "The form of the report.",
    *,
    show_default: bool = True,
) -> Option:
    """Return ``--format``: one of ``forms``, by default those of every report."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=show_default,
        help=text,
    )


def report_option(*forms: str) -> Option:
    """Return ``--report``, which writes one of ``forms`` to a file beside the report."""
    either = " or ".join(filter(None, (", ".join(forms[:-1]), forms[-1])))
    return click.option(
        "--report",
        "reports",
        metavar="FORM=FILE",
        multiple=True,
        help=f"Also write a report: {either}; repeatable.",
    )


def plot_options(what: str = "plot", *, asked: bool = False) -> Option:
    """Return ``--plot``, its width and, unless a plot is only made if ``asked``, ``--no-plot``."""
    default = (
        ""
        if asked
        else " Default, with text output: a PNG in dpaudit-results, unless one size would be its "
        "only point."
    )
    without = () if asked else (click.option("--no-plot", is_flag=True, help="Write no plot."),)
    return with_options(
        click.option(
            "--plot",
            "plots",
            metavar="FILE",
            multiple=True,
            help=f"Write the {what} to FILE, an SVG, PDF or PNG by its suffix; default: SVG. "
            "The caption of an SVG or PDF is written beside it, in NAME.caption.txt. "
            f"Repeatable.{default}",
        ),
        click.option(
            "--plot-width",
            type=click.Choice(["page", "column"]),
            default="page",
            show_default=True,
            help="The width of plots; for a column of a paper, the title goes into the caption.",
        ),
        *without,
    )


def audit_options(
    *, without: Sequence[str] = (), texts: Mapping[str, str] | None = None, digits: int = 12
) -> Option:
    """Return the arguments and options of an audit, ``without`` some by parameter name.

    ``texts`` are other descriptions of some, and ``digits`` how narrow intervals are by default.
    The command is called with the mechanisms, a :class:`~dpaudit.cli.request.SweepRequest` and its
    other options, and runs in a process of its own where
    :func:`~dpaudit.cli.isolated.contained` says so.
    """
    options: dict[str, Option] = {
        "mechanisms": _mechanisms(MechanismsOrCall),
        "programs": with_options(*PROGRAM_OPTIONS),
        "sizes": click.option(
            "--n", "sizes", metavar="SIZES", help="Sizes, such as 10..180, 10..180..10 or 10,20,40."
        ),
        "k": click.option(
            "--k",
            type=int,
            help="Number of categories (without --prior, each gets prior 1). For mechanisms "
            "without a prior, the number of values.",
        ),
        "parameters": parameter_options(texts=texts),
        "settings": SETTINGS,
        "budget": click.option(
            "--budget",
            metavar="EPS[,DELTA]",
            help="The budget for the verdict; default: what the mechanism states.",
        ),
        "at": at_option("COUNTS|uniform|DATA"),
        "at_eps": click.option("--at-eps", metavar="LIST", help="Also report δ(ε) at these ε."),
        "adjacency": ADJACENCY,
        "digits": digits_option(digits),
        "engine": engine_option(
            "screen: fast floats with proved error bounds first, then interval arithmetic for "
            "the rest; ball: interval arithmetic throughout. Both give the same result."
        ),
        "jobs": click.option(
            "--jobs",
            metavar="N",
            help="Number of processes that share the work; default: as many as save time.",
        ),
        "dask": click.option(
            "--dask",
            metavar="ADDRESS",
            help="Use the workers of this Dask scheduler, such as tcp://HOST:8786.",
        ),
        "time_cap": time_cap_option(
            "Stop after SECONDS and report what is finished; default: no limit for built-in "
            f"mechanisms, {DEFAULT_CAP} for others."
        ),
        "memory_cap": memory_cap_option(),
        "form": form_option(),
        "rows": ROWS,
        "output": OUTPUT_FILE,
        "reports": report_option(*AUDIT_FORMS),
        "resume": resume_option(
            "Continue the interrupted run of the JSON report FILE, and keep its finished sizes"
        ),
        "plots": plot_options(),
        "data": COLUMN,
        "pairs": click.option(
            "--pairs",
            type=click.Choice(["data", "all"]),
            help="With --data: data audits the pairs that contain these data, all audits "
            "every pair of the same n and k; default: data.",
        ),
    }
    add = with_options(*(option for name, option in options.items() if name not in without))

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        decorated = add(contained(requested(SweepRequest)(function)))
        for parameter in decorated.__click_params__:  # type: ignore[attr-defined]
            if isinstance(parameter, click.Option) and parameter.name in (texts or {}):
                parameter.help = (texts or {})[parameter.name]
        return decorated

    return decorate
