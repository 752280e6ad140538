"""Mechanisms by name, and plans of audits from the arguments of functions, read exactly."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from dpaudit.audit.plan import (
    DEFAULT_DIGITS,
    ENGINES,
    EPSILONS_WITHOUT_BUDGET,
    MAX_DIGITS,
    Plan,
)
from dpaudit.audit.workers import check_jobs
from dpaudit.errors import DomainError, ParameterError, nearest
from dpaudit.machine import sharing
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.loading import Loaded, find_mechanism
from dpaudit.mechanisms.parameters import read_budget, read_number
from dpaudit.mechanisms.registry import mechanism_names
from dpaudit.notices import notice
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import real
from dpaudit.subjects import CALL, COMMAND, DRAWS

if TYPE_CHECKING:
    from dpaudit.numbers.real import Number, Real
    from dpaudit.results import Budget


__all__ = [
    "Held",
    "built",
    "check_words",
    "chosen",
    "found_by_name",
    "make_plan",
    "mechanism",
    "mechanisms",
    "of_function",
    "one_or_several",
    "own_parameters",
    "read_counts",
]

Held: TypeAlias = Literal["always", "if stated", "never"]
"""Use of a budget by a question: it needs one, uses a stated one, or has none."""

_OF_BUDGETS = {"eps", "epsilon", "delta"}
"""Parameters that could be meant as a budget."""

_DEFAULTS = {"digits": DEFAULT_DIGITS, "engine": ENGINES[0], "jobs": 1, "compose": 1}
"""Defaults of an audit."""

MechanismT = TypeVar("MechanismT", bound=Mechanism[Any])


def mechanism(name: str, **parameters: object) -> Mechanism[Any]:
    """Return the mechanism ``name`` with these ``parameters`` (``eps`` means ``epsilon``).

    Args:
        name: the name of a built-in mechanism or of an entry point, ``package.module:name`` or
            ``path.py:name``.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The mechanism, for :func:`check` and all others.

    Raises:
        UnknownMechanismError: for an unknown name.
        LoadError: if it cannot be imported, or is not a mechanism.
        ParameterError: for a parameter it does not have.
        DomainError: for a value that is not allowed.
        NumberSyntaxError: for text that is not a number.

    >>> mechanism("EHDS", eps="1/2", prior="1,2,1").k
    3
    """
    return find_mechanism(name).build(own_parameters(parameters))


def own_parameters(words: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a mechanism, ``eps`` under its name ``epsilon``.

    Raises ``ParameterError`` if both are given.
    """
    parameters = dict(words)
    if "eps" in parameters:
        if "epsilon" in parameters:
            raise ParameterError("epsilon", "eps and epsilon are the same parameter; give one")
        parameters["epsilon"] = parameters.pop("eps")
    return parameters


def chosen(
    name: str | Mechanism[Any] | Callable[..., Any],
    parameters: Mapping[str, object],
    **words: object,
) -> Mechanism[Any]:
    """Return the mechanism of a name with ``parameters``, or the one that is given as it is.

    Args:
        name: a mechanism's name, a mechanism, or a function of a dataset alone.
        parameters: the mechanism's parameters.
        words: settings of the audit by name; None and defaults are ignored.

    Raises:
        ParameterError: for parameters beside a mechanism, which would be ignored, and for a setting
            that the mechanism has as a parameter too, which could mean either.
        UsageError: for whatever else is not allowed.
    """
    jobs = check_jobs(words.get("jobs", 1))
    if isinstance(name, str):
        _check_inputs(parameters.get("inputs"))
        loaded = found_by_name(name, parameters)
        check_words(loaded.title, loaded.parameter_names() or (), words)
        with sharing(jobs):
            return built(loaded, own_parameters(parameters))
    if not isinstance(name, Mechanism) and callable(name):
        from dpaudit.programs.rungs import plain_program

        with sharing(jobs):
            return of_function(name, parameters, plain_program)
    if parameters:
        names = ", ".join(parameters)
        hint = "; for a budget, give budget=" if parameters.keys() & _OF_BUDGETS else ""
        raise ParameterError(
            next(iter(parameters)), f"{name.name} is a mechanism already and takes no {names}{hint}"
        )
    return name


def _check_inputs(inputs: object) -> None:
    """Raise ``ParameterError`` for inputs of a function that is named, if they are no text."""
    if inputs is not None and not isinstance(inputs, str):
        raise ParameterError(
            "inputs",
            f"inputs = {inputs!r}: if a function is given by its name, inputs must be a text, "
            "such as '0..3' or '[1, 2], [1, 3]'; give the function itself for other values",
        )


def found_by_name(name: str, parameters: Mapping[str, object]) -> Loaded:
    """Return what a name refers to; with ``inputs`` a plain function is audited by calling it."""
    if "inputs" in parameters and _is_call(name):
        return find_mechanism(CALL + name)
    loaded = find_mechanism(name)
    if "inputs" in parameters and loaded.folder:
        names = loaded.parameter_names()
        if names is not None and "inputs" not in names and inspect.isroutine(loaded.found):
            return find_mechanism(CALL + name)
    return loaded


def _is_call(name: str) -> bool:
    """Tell whether a reference names more than an attribute: ``path.py:Class().method``."""
    source, _, call = name.partition(":")
    return bool(source and call) and not (
        call.isidentifier() or name.startswith((CALL, DRAWS, COMMAND))
    )


def built(loaded: Loaded, parameters: Mapping[str, object]) -> Mechanism[Any]:
    """Return what was found with ``parameters``; a function in its strongest reading."""
    if loaded.reference.startswith(CALL) and "only" not in parameters:
        from dpaudit.programs.rungs import highest_rung  # which no built-in mechanism needs

        return highest_rung(lambda more: loaded.build({**parameters, **more}))
    return loaded.build(parameters)


def of_function(
    function: Callable[..., Any],
    parameters: Mapping[str, object],
    make: Callable[..., MechanismT],
) -> MechanismT:
    """Return the mechanism, or sampler, that ``make`` makes of a plain function and its inputs.

    Raises ``ParameterError`` for arguments that ``make`` does not have, and for no inputs.
    """
    title = getattr(function, "__name__", type(function).__name__)
    allowed = [*inspect.signature(make).parameters][1:]
    for word in parameters:
        if word not in allowed:
            raise ParameterError(word, f"{title} is a function: {nearest(word, allowed)}")
    if "inputs" not in parameters:
        raise ParameterError("inputs", f"{title} is a function; give its datasets, inputs=[…]")
    arguments: dict[str, Any] = dict(parameters)
    return make(function, **arguments)


def check_words(title: str, own: Iterable[str], words: Mapping[str, object]) -> None:
    """Raise ``ParameterError`` for one of ``words`` that is a mechanism's ``own`` parameter too."""
    for word in own:
        if words.get(word) not in (None, (), _DEFAULTS.get(word)):
            raise ParameterError(
                word,
                f"{word} = {words[word]}: {title} has a parameter of that name, and so has the "
                f"audit; write dpaudit.mechanism(NAME, {word}=…) for the mechanism's own, and "
                f"pass the mechanism that it returns, with {word}=… for the audit's",
            )


def mechanisms() -> list[str]:
    """Return the names of all mechanisms.

    Returns:
        The built-in names, group by group.

    >>> mechanisms()[:8]
    ['LSZhang', 'LSDim', 'LSHist', 'EHD', 'EHDL', 'EHDS', 'MH', 'NotesLaplace']
    """
    return mechanism_names()


def make_plan(
    subject: Mechanism[Any],
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    at_delta: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    engine: str = ENGINES[0],
    held: Held = "always",
) -> Plan:
    """Return the plan of an audit, every number read exactly; ``UsageError`` for bad values.

    Args:
        subject: the mechanism.
        budget: the budget that it is compared with; by default the one that it states.
        at_eps: further ε at which δ(ε) is computed.
        at_delta: the δ at which the smallest ε is computed.
        adjacency: the neighbouring relation; by default the subject's own.
        at: only pairs that contain this dataset.
        digits: intervals are at most 10^−digits wide.
        engine: how pairs are looked at.
        held: ``"always"`` refuses a subject without a budget.  ``"if stated"`` leaves the budget
            out then, and computes δ at some fixed ε unless ``at_eps`` names others.  ``"never"``
            leaves it out whatever is stated.
    """
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise DomainError("digits", digits, f"must be a whole number from 1 to {MAX_DIGITS}")
    if engine not in ENGINES:
        raise ParameterError("engine", f"no engine {engine!r}; {nearest(str(engine), ENGINES)}")
    _say_old_name(subject, adjacency)
    if at is not None and not (isinstance(at, str) and (at == "uniform" or subject.names_datasets)):
        at = read_counts(at)
    compared = read_budget(budget) if budget is not None else _default_budget(subject, held)
    epsilons = tuple(_not_negative(epsilon) for epsilon in one_or_several(at_eps))
    if compared is None and held == "if stated" and not epsilons:
        epsilons = tuple(map(_not_negative, EPSILONS_WITHOUT_BUDGET))
    return Plan(
        budget=compared,
        at_eps=epsilons,
        at_delta=tuple(_between_0_and_1(delta) for delta in one_or_several(at_delta)),
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


def _default_budget(subject: Mechanism[Any], held: Held) -> Budget | None:
    """Return the budget that is stated, or None; ``UsageError`` for none, as one with δ = 1."""
    if held == "never":
        return None
    stated = subject.default_budget if held == "if stated" else subject.nominal
    return None if stated is None else read_budget((stated.epsilon, stated.delta))


def one_or_several(numbers: Iterable[Number] | Number) -> Iterable[Number]:
    """Return the numbers of a list, of a text as on the command line, or the only one."""
    if isinstance(numbers, str):
        return numbers.split(",")
    return numbers if isinstance(numbers, Iterable) else [numbers]


def _not_negative(value: Number) -> Real:
    number = read_number(value, "at-eps")
    if number.sign() not in (Sign.ZERO, Sign.POSITIVE):
        raise DomainError("at-eps", number, "must be at least 0")
    return number


def _between_0_and_1(value: Number) -> Real:
    number = read_number(value, "at-delta")
    inside = (number.sign(), (number - real(1)).sign())
    if inside != (Sign.POSITIVE, Sign.NEGATIVE):
        raise DomainError(
            "at-delta",
            number,
            "must be above 0 and below 1; every audit reports ε at δ = 0 already",
        )
    return number


def read_counts(counts: str | Sequence[int]) -> tuple[int, ...]:
    """Return the counts of a dataset; ``ParameterError`` for anything else."""
    parts: Any = counts.split(",") if isinstance(counts, str) else counts
    if _is_count(parts):
        parts = [parts]
    if not isinstance(parts, Iterable) or not all(map(_is_count, parts := list(parts))):
        raise ParameterError(
            "at",
            f"at = {counts}: must be counts such as 5,5, the value of one user such as 3, or the "
            "word uniform",
        )
    return tuple(int(cast("int | str", part)) for part in parts)


def _is_count(part: object) -> bool:
    """Tell whether ``part`` is a whole number, as text or not; it may be negative: none is cut."""
    if isinstance(part, str):
        return re.fullmatch(r"\s*-?\d{1,12}\s*", part, re.ASCII) is not None
    return isinstance(part, Integral) and not isinstance(part, bool)
