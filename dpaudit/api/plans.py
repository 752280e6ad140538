"""Mechanisms by name, and the plan of an audit from what is given, numbers read exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

from dpaudit.audit.plan import DEFAULT_DIGITS, ENGINES, MAX_DIGITS, Plan
from dpaudit.errors import DomainError, ParameterError, nearest
from dpaudit.exact.ball import Sign
from dpaudit.exact.real import ZERO, Number, Real
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.mechanisms.parameters import PositiveParameter, read_budget_delta, read_number
from dpaudit.mechanisms.registry import mechanism_names
from dpaudit.notices import notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["chosen", "make_plan", "mechanism", "mechanisms", "read_counts"]


def mechanism(name: str, **parameters: object) -> Mechanism[Any]:
    """Return the mechanism called ``name`` with ``parameters`` (``eps`` stands for ``epsilon``).

    ``name`` is a built-in one, an entry point, ``package.module:name`` or ``path.py:name``.  Raises
    ``LoadError``, ``UnknownMechanismError``, ``ParameterError``, ``DomainError`` or
    ``NumberSyntaxError``.

    >>> mechanism("EHDS", eps="1/2", prior="1,2,1").k
    3
    """
    if "eps" in parameters:
        if "epsilon" in parameters:
            raise ParameterError("epsilon", "eps and epsilon are the same parameter; give one")
        parameters["epsilon"] = parameters.pop("eps")
    return load_mechanism(name, parameters)


def chosen(name: str | Mechanism[Any], parameters: Mapping[str, object]) -> Mechanism[Any]:
    """Return the mechanism of a name with ``parameters``, or the one that is given as it is.

    Raises ``ParameterError`` for parameters of one that is given: they would be passed over.
    """
    if isinstance(name, str):
        return mechanism(name, **parameters)
    if parameters:
        names = ", ".join(parameters)
        raise ParameterError(
            next(iter(parameters)), f"{name.name} is a mechanism already and takes no {names}"
        )
    return name


def mechanisms() -> list[str]:
    """Return the names of all mechanisms.

    >>> mechanisms()[:8]
    ['LSZhang', 'LSDim', 'LSHist', 'EHD', 'EHDL', 'EHDS', 'MH', 'NotesLaplace']
    """
    return mechanism_names()


def make_plan(
    subject: Mechanism[Any],
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    engine: str = ENGINES[0],
) -> Plan:
    """Return the plan of an audit, every number read exactly; ``UsageError`` for bad values."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise DomainError("digits", digits, f"must be a whole number from 1 to {MAX_DIGITS}")
    if engine not in ENGINES:
        raise ParameterError("engine", f"no engine {engine!r}; {nearest(str(engine), ENGINES)}")
    _say_old_name(subject, adjacency)
    if at is not None and not (isinstance(at, str) and (at == "uniform" or subject.names_datasets)):
        at = read_counts(at)
    return Plan(
        budget=_nominal(subject) if budget is None else _budget(budget),
        at_eps=tuple(_not_negative(epsilon) for epsilon in _listed(at_eps)),
        adjacency=adjacency,
        at=at if at is None or isinstance(at, str) else tuple(at),
        digits=digits,
        engine=engine,
    )


def _say_old_name(subject: Mechanism[Any], adjacency: str | None) -> None:
    """Say how an old name of the neighbours is read, unless it is refused on these datasets."""
    relation = subject.adjacency(adjacency)
    if relation.notice:
        if subject.default_size is not None:
            relation.check_reading(subject.default_size)
        notice(relation.notice)


def _nominal(subject: Mechanism[Any]) -> Budget:
    """Return what is stated, if it is a budget at all: with δ = 1 everything would keep it."""
    stated = subject.nominal
    return _budget((stated.epsilon, stated.delta))


def _budget(given: Number | Sequence[Number]) -> Budget:
    if isinstance(given, str):
        given = given.split(",")
    parts = list(given) if isinstance(given, (list, tuple)) else [given]
    if not 1 <= len(parts) <= 2:
        raise ParameterError("budget", f"budget = {given}: must be EPS or EPS,DELTA")
    epsilon = PositiveParameter("budget epsilon", "", "", "").read(parts[0])
    return Budget(epsilon, read_budget_delta(parts[1], "budget delta") if parts[1:] else ZERO)


def _listed(given: Iterable[Number] | Number) -> Iterable[Number]:
    """Return the numbers of a list, of a text as on the command line, or the only one."""
    if isinstance(given, str):
        return given.split(",")
    return given if isinstance(given, Iterable) else [given]


def _not_negative(value: Number) -> Real:
    number = read_number(value, "at-eps")
    if number.sign() not in (Sign.ZERO, Sign.POSITIVE):
        raise DomainError("at-eps", number, "must be at least 0")
    return number


def read_counts(given: str | Sequence[int]) -> tuple[int, ...]:
    """Return the counts of a dataset; ``ParameterError`` for what is none."""
    parts: Iterable[object] = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, Iterable) or not all(map(_is_count, parts := list(parts))):
        raise ParameterError("at", f"at = {given}: must be counts like 5,5 or the word uniform")
    return tuple(int(cast("int | str", part)) for part in parts)


def _is_count(part: object) -> bool:
    """Tell whether ``part`` is a whole number, as text or not; it may be negative: none is cut."""
    if isinstance(part, str):
        return re.fullmatch(r"\s*-?\d{1,12}\s*", part, re.ASCII) is not None
    return isinstance(part, Integral) and not isinstance(part, bool)
