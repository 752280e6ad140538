"""Options that take the data from a file: ``--data FILE --column NAME``."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.data.columns import MISSING_WORDS, Column, read_column
from dpaudit.errors import DataError, ParameterError, nearest
from dpaudit.notices import ByPositionWarning, notice
from dpaudit.report.table import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dpaudit.cli.run import Task

__all__ = ["check_feasible", "column_options", "data_options", "read_data", "with_data"]

MAX_ENTRIES = 250_000
"""A mechanism that lists more candidates than this is not audited at data from a file."""

_DEPENDENT = ("column", "categories", "missing", "pairs")


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command that audits pairs."""
    return column_options(
        click.option(
            "--pairs",
            type=click.Choice(["data", "all"]),
            help="With --data: the pairs that contain the data, or all pairs of that n and k; "
            "default data.",
        )(function)
    )


def column_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a file, a column and its categories."""
    for option in (
        click.option(
            "--missing",
            type=click.Choice(["refuse", "drop", "category"]),
            help=f"What missing values ({MISSING_WORDS}) are; default refuse.",
        ),
        click.option(
            "--categories",
            metavar="A,B,...",
            help="All categories, in this order, also those that do not occur; default: those "
            "that occur, sorted, and (missing) last.",
        ),
        click.option(
            "--column", metavar="NAME", help="The column of --data; default: the only one."
        ),
        click.option(
            "--data",
            metavar="FILE",
            help="Take the counts of a column of FILE as the data: CSV (.tsv: tabs) or Parquet.",
        ),
    ):
        function = option(function)
    return function


def read_data(given: Mapping[str, Any]) -> Column | None:
    """Return the column that the options ask for, or None; ``UsageError`` for bad ones."""
    if given["data"] is None:
        for name in _DEPENDENT:
            if given.get(name) is not None:
                raise ParameterError(name, f"--{name} is about --data FILE, which is not given")
        return None
    for name, flag in (("sizes", "n"), ("at", "at")):
        if given.get(name) is not None:
            raise ParameterError(
                flag, f"--{flag} and --data contradict each other: the data say it; give one"
            )
    categories = given["categories"]
    if categories is not None:
        categories = _listed(categories, "categories")
    column = read_column(
        Path(given["data"]),
        given["column"],
        missing=given["missing"] or "refuse",
        categories=categories,
    )
    if not column.n:
        raise DataError(column.path, f"column {column.name!r} has no values")
    k = len(column.categories)
    if given["k"] not in (None, k):
        raise ParameterError("k", f"k = {given['k']}: the column has {k} categories")
    return column


def _listed(text: str, option: str) -> list[str]:
    """Return what a text lists, by the rules of CSV; a line break is a character like others."""
    listed: list[str] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), strict=True):
            first, *rest = row or [""]
            listed[-1:] = [f"{listed[-1]}\n{first}" if listed else first]
            listed += rest
    except csv.Error as error:
        raise ParameterError(
            option,
            f"--{option} {printable(text)}: {error}; names are joined by commas, and one that "
            'holds a comma or a quote is written as in CSV: "a,b","say ""x"""',
        ) from None
    return [name.strip() for name in listed]


def _named_prior(text: str, column: Column) -> str:
    """Return the prior in the order of the categories, and say which one is whose.

    ``text`` has a number for each, by name (yes=1,no=2) or by position.
    """
    if "=" not in text:
        parts = text.split(",")
        if len(parts) == len(column.categories) and len({part.strip() for part in parts}) > 1:
            pairs = zip(column.categories, parts, strict=True)
            whose = ", ".join(f"{printable(name)}={part.strip()}" for name, part in pairs)
            told = f"the prior goes by position, to the categories in their order: {whose}"
            notice(told, ByPositionWarning)
        return text
    named: dict[str, str] = {}
    for part in _listed(text, "prior"):
        name, _, number = part.rpartition("=")
        name = name.strip()
        if name in named or name not in column.categories:
            why = "is named twice" if name in named else nearest(name, column.categories)
            raise ParameterError("prior", f"prior = {printable(part)}: {name!r}: {why}")
        named[name] = number.strip()
    lacking = [name for name in column.categories if name not in named]
    if lacking:
        raise ParameterError("prior", f"prior: there is none for the category {lacking[0]!r}")
    return ",".join(named[name] for name in column.categories)


def with_data(given: Mapping[str, Any], column: Column | None) -> dict[str, Any]:
    """Return the options of an audit at the counts of ``column``, if there is one."""
    if column is None:
        return dict(given)
    counts = ",".join(map(str, column.counts))
    prior = given.get("p_prior")
    return {
        **given,
        **({"p_prior": _named_prior(prior, column)} if isinstance(prior, str) else {}),
        "k": len(column.categories),
        "sizes": str(column.n),
        "at": None if given.get("pairs") == "all" else counts,
    }


def check_feasible(column: Column | None, tasks: Iterable[Task]) -> None:
    """Raise ``DataError`` where a mechanism has too many candidates at the size of the data."""
    for task in tasks if column is not None else ():
        assert column is not None
        entries = task.mechanism.entries(column.n)
        if entries > MAX_ENTRIES:
            raise DataError(
                column.path,
                f"{task.mechanism.name} has {entries} candidates at n = {column.n} and k = "
                f"{len(column.categories)}, and at most {MAX_ENTRIES} are listed; join categories, "
                "or take a mechanism that adds noise to counts",
            )
