"""Reading of command lines: mechanisms, their parameters, sizes, plans, data of a file."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.api.plans import built, found_by_name, make_plan
from dpaudit.audit.plan import Plan, read_sizes, sizes_of
from dpaudit.audit.runner import Task
from dpaudit.audit.sweep import check_sizes
from dpaudit.cli.parameter_options import OPTION_NAMES, SEVERAL, described_parameters
from dpaudit.cli.programs import option_of_programs
from dpaudit.data.columns import Column, read_column
from dpaudit.errors import DataError, ParameterError, SizeError, nearest
from dpaudit.notices import ByPositionWarning, notice
from dpaudit.report.fitting import SHOWN_ROWS, printable
from dpaudit.results import LARGEST_N

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from dpaudit.cli.request import SweepRequest
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.loading import Loaded


__all__ = [
    "check_feasible",
    "conformance_sizes",
    "read_data",
    "read_mechanisms",
    "read_rows",
    "read_tasks",
    "with_data",
]


def read_rows(request: SweepRequest) -> int | None:
    """Return the number of rows that the text shows of a sweep; None for all, as in a file."""
    text = request.rows
    if text == "all" or (text is None and request.output is not None):
        return None
    if text is None:
        return SHOWN_ROWS
    if not text.isdecimal() or not text.isascii() or not 1 <= int(text[:9]) <= LARGEST_N:
        raise ParameterError("rows", f"rows = {text}: must be a whole number, at least 1, or all")
    return max(3, int(text[:9]))  # the first, the worst and the last row


def read_tasks(names: tuple[str, ...], request: SweepRequest) -> list[Task]:
    """Return one task for each mechanism and each combination of listed parameters."""
    return [_task(mechanism, request) for mechanism in read_mechanisms(names, request)]


def read_mechanisms(names: tuple[str, ...], request: SweepRequest) -> list[Mechanism[Any]]:
    """Return the mechanisms named, with each combination of listed parameters, each once."""
    chosen = request.parameters
    loaded = [found_by_name(name, chosen) for name in names]
    for name in chosen:
        if not any(_has(subject, name) for subject in loaded):
            raise ParameterError(name, _unknown(loaded, name))
    made: dict[Hashable, Mechanism[Any]] = {}
    for subject in loaded:
        for mechanism in _combinations(subject, chosen, request.k):
            # The same mechanism may be named twice, or by two equal values of a parameter.
            made.setdefault(mechanism.spec or mechanism, mechanism)
    return list(made.values())


def _has(loaded: Loaded, name: str) -> bool:
    names = loaded.parameter_names()
    return names is None or name in names


def _unknown(loaded: list[Loaded], name: str) -> str:
    """Return the message that none of the mechanisms has a parameter of that ``name``."""
    titles = " and ".join(mechanism.title for mechanism in loaded)
    known_names = described_parameters()
    if name in known_names:
        flag = f"--{OPTION_NAMES.get(name, name)}"
    else:
        flag = option_of_programs(name) or f"--set {name}"
    hint = {
        "epsilon": " (a budget is given as --budget)",
        "delta": " (a budget is given as --budget; --at-delta reports the ε at a δ)",
    }.get(name, "")
    text = f"{flag}: {titles} {'has' if len(loaded) == 1 else 'have'} no such parameter"
    if name in known_names and all(mechanism.built_in for mechanism in loaded):
        owners = list(known_names[name])
        if len(owners) > _FEW_OWNERS:
            own = {
                parameter for mechanism in loaded for parameter in mechanism.parameter_names() or ()
            }
            flags = ", ".join(
                f"--{OPTION_NAMES.get(mechanism, mechanism)}" for mechanism in sorted(own)
            )
            return f"{text}; {'it has' if len(loaded) == 1 else 'they have'} {flags}{hint}"
        return f"{text}; {', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it{hint}"
    parameter = sorted(
        {parameter for mechanism in loaded for parameter in mechanism.parameter_names() or ()}
    )
    return f"{text}; {nearest(name, parameter) if parameter else _NO_PARAMETERS}{hint}"


_FEW_OWNERS = 6
"""Mechanisms that have a parameter are named where there are no more."""
_NO_PARAMETERS = (
    "it has none: parameters are the arguments of a class, or those of a program or sampler "
    "after the data and the source of randomness"
)


def _combinations(loaded: Loaded, chosen: Mapping[str, str], k: int | None) -> list[Mechanism[Any]]:
    fixed: dict[str, object] = {
        name: value for name, value in chosen.items() if _has(loaded, name) and name not in SEVERAL
    }
    if k is not None:
        fixed["k"] = k
    lists = [
        [(name, value) for value in chosen[name].split(",")]
        for name in SEVERAL
        if name in chosen and _has(loaded, name)
    ]
    return [built(loaded, {**fixed, **dict(own)}) for own in product(*lists)]


def _task(mechanism: Mechanism[Any], request: SweepRequest) -> Task:
    plan = make_plan(
        mechanism,
        budget=request.budget,
        at_eps=request.at_eps.split(",") if request.at_eps else (),
        at_delta=request.at_delta.split(",") if request.at_delta else (),
        adjacency=request.adjacency,
        at=request.at,
        digits=request.digits,
        engine=request.engine,
        held=request.held,
    )
    sizes = _sizes(mechanism, plan, request.sizes)
    check_sizes(mechanism, sizes, plan)  # before anything is written
    return Task(mechanism, sizes, plan)


def conformance_sizes(mechanism: Mechanism[Any], text: str | None) -> Sequence[int]:
    """Return the sizes at which conformance is checked: by default 1, 2 and 3."""
    if text is not None:
        return read_sizes(text)
    return read_sizes("1..3" if mechanism.default_size is None else mechanism.default_size)


def _sizes(mechanism: Mechanism[Any], plan: Plan, text: str | None) -> Sequence[int]:
    if text is None and mechanism.default_size is None and not isinstance(plan.at, tuple):
        raise SizeError("the sizes are missing; give --n, such as 10..180, 10..180..10 or 10,20,40")
    return sizes_of(mechanism, text, plan.at)


MAX_ENTRIES = 250_000
"""A mechanism that lists more candidates than this is not audited at data from a file."""

_DEPENDENT = ("column", "categories", "missing", "pairs")


def read_data(request: SweepRequest) -> Column | None:
    """Return the column that the options ask for, or None; ``UsageError`` for bad ones."""
    if request.data is None:
        for name in _DEPENDENT:
            if getattr(request, name) is not None:
                raise ParameterError(name, f"--{name} applies only to --data FILE; give --data too")
        return None
    for name, flag in (("sizes", "n"), ("at", "at")):
        if getattr(request, name) is not None:
            raise ParameterError(
                flag,
                f"--{flag} and --data contradict each other, because the data determine it; "
                "give one of them",
            )
    categories = None
    if request.categories is not None:
        categories = _listed(request.categories, "categories")
    column = read_column(
        Path(request.data),
        request.column,
        missing=request.missing or "refuse",
        categories=categories,
    )
    if not column.n:
        raise DataError(column.path, f"column {column.name!r} has no values")
    k = len(column.categories)
    if request.k not in (None, k):
        raise ParameterError("k", f"k = {request.k}: the column has {k} categories")
    return column


def _listed(text: str, option: str) -> list[str]:
    """Return the items of a list, by the rules of CSV, except that a line break ends no row."""
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
    """Return the prior in the order of the categories; warn where the order decides.

    ``text`` has a number for each category, by name (yes=1,no=2) or by position.
    """
    if "=" not in text:
        parts = text.split(",")
        if len(parts) == len(column.categories) and len({part.strip() for part in parts}) > 1:
            pairs = zip(column.categories, parts, strict=True)
            whose = ", ".join(f"{printable(name)}={part.strip()}" for name, part in pairs)
            message = f"the prior assigns numbers to the categories in this order: {whose}"
            notice(message, ByPositionWarning)
        return text
    named: dict[str, str] = {}
    for part in _listed(text, "prior"):
        name, _, number = part.rpartition("=")
        name = name.strip()
        if name in named or name not in column.categories:
            reason = "is named twice" if name in named else nearest(name, column.categories)
            raise ParameterError("prior", f"prior = {printable(part)}: {name!r}: {reason}")
        named[name] = number.strip()
    lacking = [name for name in column.categories if name not in named]
    if lacking:
        raise ParameterError("prior", f"prior: it has no number for the category {lacking[0]!r}")
    return ",".join(named[name] for name in column.categories)


def with_data(request: SweepRequest, column: Column | None) -> SweepRequest:
    """Return the request of an audit at the counts of ``column``, if there is one."""
    if column is None:
        return request
    parameters = dict(request.parameters)
    if "prior" in parameters:
        parameters["prior"] = _named_prior(parameters["prior"], column)
    return replace(
        request,
        parameters=parameters,
        k=len(column.categories),
        sizes=str(column.n),
        at=None if request.pairs == "all" else ",".join(map(str, column.counts)),
    )


def check_feasible(column: Column | None, tasks: Iterable[Task]) -> None:
    """Raise ``DataError`` where a mechanism has too many candidates at the size of the data."""
    for task in tasks if column is not None else ():
        assert column is not None
        entries = task.mechanism.entries(column.n)
        if entries > MAX_ENTRIES:
            raise DataError(
                column.path,
                f"{task.mechanism.name} has {entries} candidates at n = {column.n} and k = "
                f"{len(column.categories)}, and the limit is {MAX_ENTRIES}; join categories, or "
                "choose a mechanism that adds noise to counts",
            )
