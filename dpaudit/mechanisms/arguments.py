"""A user's class, function or object: what it has, its parameters, and what they are given.

Parameters are read from a signature, and passed exactly: a number arrives as what the parameter's
annotation says (``int``, ``Fraction``, ``Decimal``, ``Real``, ``str``, ``bool``), and without one
as a whole number, a ``Fraction`` or a closed form, whichever it is; text that is no number stays
text.  Nothing is evaluated.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpaudit.errors import NumberSyntaxError, ParameterError, nearest
from dpaudit.mechanisms.own_functions import with_inputs
from dpaudit.numbers.real import Real, real

__all__ = ["lacking", "parameters_of", "read_arguments"]

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


_BARE = (
    "{title} needs {name}: give the inputs to compare, such as --inputs '[1, 2], [1, 3]' for "
    "lists or --inputs 0..3 for numbers; if it makes a mechanism, --set {name}=VALUE"
)
"""Advice for a function of one's own, which is most often called with a dataset."""


def lacking(described: object) -> list[str]:
    """Return what a class or an object lacks to describe a mechanism; nothing if it does."""
    law = any(callable(getattr(described, part, None)) for part in ("law", "laws"))
    return [
        *([] if law else ["law(dataset)"]),
        *([] if hasattr(described, "datasets") else ["datasets"]),
    ]


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """Return the named parameters of a class or a function; None if it takes any name."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return None
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: p for name, p in parameters.items() if p.kind in named}


def read_arguments(
    title: str, function: Callable[..., Any], given: Mapping[str, object], word: str = ""
) -> dict[str, Any]:
    """Return the arguments to call ``function`` with.

    ``word`` is what names the function on a command line.
    Raises ``ParameterError`` for a name it does not have, one that is missing, or a value that is
    not of the kind its annotation says.

    >>> def make(p: Fraction, label="x"): ...
    >>> read_arguments("make", make, {"p": "0.75"})
    {'p': Fraction(3, 4)}
    """
    parameters = parameters_of(function)
    if parameters is None:
        return {name: _read(name, value, None) for name, value in given.items()}
    for name in given:
        if name not in parameters:
            hint = nearest(name, parameters) if parameters else "it has no parameters"
            if name in ("epsilon", "eps", "delta"):
                hint += "; for a budget, give budget"
            raise ParameterError(name, f"{title} has no parameter {name}; {hint}")
    for name, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in given:
            raise _lacks(title, function, name, word)
    return {
        name: _read(name, given[name], parameter.annotation)
        for name, parameter in parameters.items()
        if name in given
    }


def _lacks(title: str, function: Callable[..., Any], name: str, word: str) -> ParameterError:
    """Return the error that a parameter is missing, with commands for a function of a dataset."""
    if not inspect.isfunction(function):
        return ParameterError(name, f"{title} needs the parameter {name}: --set {name}=VALUE")
    error = ParameterError(name, _BARE.format(title=title, name=name))
    if not word:
        return error
    return error.remedied(
        *with_inputs(function, word, name),
        brief=f"{title} needs {name}: give the inputs to compare, as below, with your own values. "
        f"If {title} makes a mechanism, give --set {name}=VALUE instead",
    )


def _read(name: str, value: object, annotation: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_read(name, part, None) for part in value]
    kind = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    kind = kind.rpartition(".")[2]
    try:
        match kind:
            case "str":
                return str(value)
            case "bool":
                return _TRUTHS[str(value).lower()]
            case "int":
                return _whole(value)
            case "Fraction":
                return _fraction(value)
            case "Decimal":
                return Decimal(str(value))
            case "Real":
                return real(value)  # type: ignore[arg-type]
    except (NumberSyntaxError, ValueError, ArithmeticError, KeyError):
        raise ParameterError(name, f"{name} = {value}: must be {_KINDS[kind]}") from None
    return _plain(value)


_KINDS = {
    "str": "text",
    "bool": "true or false",
    "int": "a whole number",
    "Fraction": "a rational number",
    "Decimal": "a decimal number",
    "Real": "a number: 0.8, 4/5, ln(3), sqrt(2)",
}


def _whole(value: object) -> int:
    fraction = _fraction(value)
    if fraction.denominator != 1:
        raise ValueError(value)
    return fraction.numerator


def _fraction(value: object) -> Fraction:
    found = real(value).as_fraction()  # type: ignore[arg-type]
    if found is None:
        raise ValueError(value)
    return found


def _plain(value: object) -> Any:
    """Return a number as an int, a ``Fraction`` or a closed form; anything else as it is."""
    if isinstance(value, bool):
        return value
    try:
        number: Real = real(value)  # type: ignore[arg-type]
    except NumberSyntaxError:
        return value
    fraction = number.as_fraction()
    if fraction is None:
        return number
    return fraction.numerator if fraction.denominator == 1 else fraction
