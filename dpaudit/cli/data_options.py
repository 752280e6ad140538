"""Options that take the data from a file: ``--data FILE --column NAME``."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.data.columns import Column, read_column
from dpaudit.errors import DataError, ParameterError

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
            help="What missing values (blank, NA, NaN, null) are; default refuse.",
        ),
        click.option(
            "--categories",
            metavar="A,B,...",
            help="All categories, in this order, also those that do not occur; default: those "
            "that occur, sorted.",
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
        categories = [name.strip() for name in next(csv.reader([categories]), [])]
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


def with_data(given: Mapping[str, Any], column: Column | None) -> dict[str, Any]:
    """Return the options of an audit at the counts of ``column``, if there is one."""
    if column is None:
        return dict(given)
    counts = ",".join(map(str, column.counts))
    return {
        **given,
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
