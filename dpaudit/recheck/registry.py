"""The definitions that are written down here, by name: classes that have defaults of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.recheck import (
    bits,
    continuous,
    noisy_counts,
    notes,
    one_user,
    selection,
    sparse_vector,
)
from dpaudit.recheck.definition import Parametrised
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import WORDS_OF_HISTOGRAMS
from dpaudit.recheck.numbers import same_number
from dpaudit.recheck.user_mechanisms import OwnMechanism, own_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.recheck.definition import Definition, Shown
    from dpaudit.results import Source


__all__ = ["DEFAULTS", "definition_of", "differences", "parts_of", "same_parameter"]

_MODULES = (notes, one_user, bits, noisy_counts, continuous, selection, sparse_vector)

_DEFINITIONS: dict[str, type[Parametrised]] = {
    vars(cls).get("called", cls.__name__): cls
    for module in _MODULES
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Parametrised) and "defaults" in vars(cls)
}
"""Every class that has defaults of its own: a base that others share has none."""
DEFAULTS = {name: cls.defaults for name, cls in _DEFINITIONS.items()}
"""By the name of the mechanism, every parameter as a report shows it."""


def definition_of(
    subject: Mapping[str, Any], own: Sequence[OwnMechanism] = (), loaded: Source | None = None
) -> Definition:
    """Return the definition of a report's mechanism.

    Args:
        subject: its name and its parameters, as the report shows them.
        own: what users have given.
        loaded: where the report says that it was loaded from; None for one of the package.

    Raises ``UnknownDefinitionError`` where there is none, and ``NotAReportError`` for parameters
    that it cannot have.
    """
    name = subject.get("name")
    if not isinstance(name, str):
        raise NotAReportError("the mechanism has no name")
    parameters = {key: value for key, value in subject.items() if key != "name"}
    if loaded is not None:
        return own_of(name, loaded, own).define(name, parameters)
    if name in _DEFINITIONS:
        try:
            return _DEFINITIONS[name](parameters)
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            raise NotAReportError(f"{name} cannot have these parameters: {error}") from None
    where = ", and the report names no file that it comes from" if own else ""
    raise UnknownDefinitionError(f"verify has no definition of its own of {name}{where}")


def differences(
    name: str, requested: Mapping[str, Any], reported: Mapping[str, Shown]
) -> list[str]:
    """Return in words which parameters a report shows are not those that were asked for.

    Args:
        name: a mechanism of the package.
        asked: the parameters of an entry; those it leaves out have their defaults, and ``k`` alone
            stands for the flat prior.
        given: the parameters as the report shows them.
    """
    defaults, requested = DEFAULTS[name], _DEFINITIONS[name].spelled_out(requested)
    messages = []
    if "prior" in defaults and "k" in requested:
        k = requested.pop("k")
        # A k beyond any that is audited builds no list.
        flat = ["1"] * k if type(k) is int and 2 <= k <= 100_000 else []
        if len(parts_of(requested.setdefault("prior", flat))) != k:
            messages.append(f"k = {k} does not fit the prior")
    expected = {**defaults, **requested}
    for parameter in sorted({*expected, *reported}):
        here, there = expected.get(parameter), reported.get(parameter)
        if parameter == "neighbours":  # the one reading that had other names
            here, there = (WORDS_OF_HISTOGRAMS.get(str(text), text) for text in (here, there))
        if here is None or there is None or not same_parameter(here, there):
            messages.append(f"{parameter} is {there}, not {here}")
    return messages


def same_parameter(requested: Any, reported: Any) -> bool:
    """Tell whether two parameters are equal, part by part, as numbers or else as text."""
    left, right = parts_of(requested), parts_of(reported)
    return len(left) == len(right) and all(map(_equal, left, right))


def parts_of(parameter: Any) -> list[str]:
    """Return the texts that a parameter, or a budget, consists of: of a list or between commas."""
    if isinstance(parameter, str):
        return parameter.split(",")
    return [str(part) for part in (parameter if isinstance(parameter, list) else [parameter])]


def _equal(left: str, right: str) -> bool:
    """Tell whether two texts are one, or one number."""
    try:
        return left == right or same_number(left, right)
    except NotAReportError:
        return False
