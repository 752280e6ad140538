"""Requests of commands: their options as typed structs.

Click gives a command its options by name. :func:`requested` makes a struct of those that several
commands share, and the rest stay arguments of the command, so that no dictionary of options goes
from file to file.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dpaudit.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.api.plans import Held

__all__ = ["SweepRequest", "WriteRequest", "requested"]


@dataclass(frozen=True, kw_only=True)
class WriteRequest:
    """Options about what is written: the report, the plots, and what is continued."""

    form: str
    """Form of the report."""
    output: str | None = None
    """File of the report; None for the standard output."""
    plots: tuple[str, ...] = ()
    """Files of plots."""
    plot_width: str = "page"
    """Width of plots."""
    no_plot: bool = False
    """True if nothing is drawn unasked."""
    reports: tuple[str, ...] = ()
    """Further reports, as FORM=FILE."""
    resume: str | None = None
    """Report of an earlier run that is continued."""
    rows: str | None = None
    """Rows of a long sweep that the text shows: a number, or ``all``."""


@dataclass(frozen=True, kw_only=True)
class SweepRequest(WriteRequest):
    """Options of every command that sweeps a measure over sizes."""

    parameters: Mapping[str, str]
    """Parameters of the mechanisms, as texts."""
    sizes: str | None = None
    """Sizes, as 10..180."""
    k: int | None = None
    """Number of categories."""
    budget: str | None = None
    """Budget that the verdict is about."""
    held: Held = "always"
    """``always`` if there has to be a budget, ``never`` if there is none here."""
    at: str | None = None
    """The data that pairs have to contain."""
    at_eps: str | None = None
    """Further ε at which δ(ε) is wanted."""
    at_delta: str | None = None
    """The δ at which ε is wanted."""
    adjacency: str | None = None
    """The neighbouring relation."""
    digits: int = 12
    """Intervals are at most 10^−digits wide."""
    engine: str = "screen"
    """Engine that visits pairs."""
    jobs: str | None = None
    """Number of processes."""
    dask: str | None = None
    """Address of a Dask scheduler."""
    data: str | None = None
    """File whose column is the data."""
    column: str | None = None
    """That column."""
    categories: str | None = None
    """Its categories, in their order."""
    missing: Literal["refuse", "drop", "category"] | None = None
    """Meaning of missing values."""
    pairs: str | None = None
    """``all`` for all pairs beside ``data``, not those with the data alone."""


RequestT = TypeVar("RequestT")


def requested(kind: type[RequestT]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that gives a command one request for the options that ``kind`` has.

    The command is called with its positional arguments, the request, and other options by name.
    """
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(*subjects: Any, **options: Any) -> int:
            if "parameters" in names:
                options["parameters"] = _parameters_in(options)
            shared = {name: options.pop(name) for name in names & options.keys()}
            return function(*subjects, kind(**shared), **options)

        return command

    return decorate


def _parameters_in(options: dict[str, Any]) -> dict[str, str]:
    """Take the parameters of mechanisms out of the options of a command, and return them as texts.

    They are those with an option of their own, and those of ``--set NAME=VALUE``.
    """
    own = [name for name in options if name.startswith("p_")]
    parameters = {name.removeprefix("p_"): options.pop(name) for name in own}
    parameters = {name: value for name, value in parameters.items() if value is not None}
    settings: Sequence[str] = options.pop("settings", ())
    for name, value in map(_setting, settings):
        if name in parameters:
            raise ParameterError(name, f"{name} is given twice")
        parameters[name] = value
    return parameters


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ParameterError("set", f"--set {text}: must be NAME=VALUE")
    return {"eps": "epsilon"}.get(name, name), value
