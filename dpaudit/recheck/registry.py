"""The definitions that are written down here, and their default parameters, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.recheck.bits import OUE, RAPPOR, SUE, PermanentRAPPOR
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.histograms import OLD_OF_HISTOGRAMS
from dpaudit.recheck.noisy_counts import (
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    NoisyHistogram,
    RoundedLaplace,
    TruncatedGeometric,
)
from dpaudit.recheck.notes import EHD, EHDL, EHDS, MH, LSDim, LSHist, LSZhang, NotesLaplace
from dpaudit.recheck.numbers import same_number
from dpaudit.recheck.one_user import KRR, RR
from dpaudit.recheck.selection import (
    ExponentialMechanism,
    PermuteAndFlip,
    RNMExponential,
    RNMGumbel,
    RNMLaplace,
    RNMLaplaceValue,
)
from dpaudit.recheck.sparse_vector import SVT1, SVT2, SVT3, SVT4, SVT5, SVT6, AboveThreshold
from dpaudit.recheck.user_mechanisms import own_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.user_mechanisms import OwnMechanism
    from dpaudit.results import Source

__all__ = ["DEFAULTS", "definition_of", "differences", "parts_of", "same_parameter"]


_KNOWN: dict[str, Callable[[Mapping[str, Any]], Definition]] = {
    cls.__name__: cls
    for cls in (
        *(LSZhang, LSDim, LSHist, EHD, EHDL, EHDS, MH, NotesLaplace),
        *(RR, SUE, OUE, RAPPOR, PermanentRAPPOR),
        *(Geometric, TruncatedGeometric, DiscreteLaplace, NoisyHistogram, RoundedLaplace),
        *(DiscreteGaussian, ExponentialMechanism, PermuteAndFlip),
        *(RNMLaplace, RNMExponential, RNMGumbel, RNMLaplaceValue),
        *(AboveThreshold, SVT1, SVT2, SVT3, SVT4, SVT5, SVT6),
    )
} | {"kRR": KRR}


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
    if name in _KNOWN:
        try:
            return _KNOWN[name](parameters)
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            raise NotAReportError(f"{name} cannot have these parameters: {error}") from None
    where = ", and the report names no file that it comes from" if own else ""
    raise UnknownDefinitionError(f"{name} is not defined here a second time{where}")


Shown = str | list[str]

_EPSILON: dict[str, Shown] = {"epsilon": "4/5"}
_NOTES: dict[str, Shown] = {**_EPSILON, "prior": ["1", "1"]}
_USER: dict[str, Shown] = {**_EPSILON, "k": "4"}
_BLOOM: dict[str, Shown] = {"f": "1/2", "hashes": "2", "bits": "8", "inputs": "disjoint"}
_QUERIES: dict[str, Shown] = {**_EPSILON, "sensitivity": "1", "low": "-1", "high": "1"}
_SPARSE: dict[str, Shown] = {**_QUERIES, "threshold": "0"}
_CUT_OFF: dict[str, Shown] = {**_SPARSE, "c": "1"}

DEFAULTS: dict[str, dict[str, Shown]] = {
    "LSZhang": {**_NOTES, "coordinates": "printed"},
    "LSDim": _NOTES,
    "LSHist": _NOTES,
    "EHD": {**_NOTES, "gs": "quoted"},
    "EHDL": {**_NOTES, "divisor": "2"},
    "EHDS": {**_NOTES, "gamma": "1"},
    "MH": {
        **_NOTES,
        "delta": "1/2000",
        "divisor": "2",
        "count": "n+1",
        "smoothing": "neighbour",
    },
    "NotesLaplace": {**_NOTES, "coordinates": "printed", "rounding": "floor"},
    "RR": {**_EPSILON, "truth": "calibrated", "coin": "tossed", "base": "e"},
    "kRR": {**_USER, "truth": "calibrated", "base": "e"},
    "SUE": {**_USER, "p": "calibrated", "coin": "tossed"},
    "OUE": {**_USER, "p": "1/2", "q": "calibrated"},
    "RAPPOR": {**_BLOOM, "p": "1/2", "q": "3/4", "reports": "1"},
    "PermanentRAPPOR": {**_BLOOM, "coin": "tossed"},
    "Geometric": {**_EPSILON, "base": "e"},
    "TruncatedGeometric": {**_EPSILON, "truncation": "clamped", "base": "e"},
    "DiscreteLaplace": {"scale": "5/4"},
    "NoisyHistogram": {
        **_EPSILON,
        "cells": "2",
        "neighbours": "histogram-add-remove",
        "noise": "calibrated",
    },
    "RoundedLaplace": {**_EPSILON, "rounding": "floor", "range": "line", "noise": "calibrated"},
    "DiscreteGaussian": {"sigma": "2", "delta": "1/100000"},
    **dict.fromkeys(("ExponentialMechanism", "PermuteAndFlip"), _QUERIES),
    **dict.fromkeys(("RNMLaplace", "RNMExponential", "RNMGumbel", "RNMLaplaceValue"), _QUERIES),
    **dict.fromkeys(("AboveThreshold", "SVT5", "SVT6"), _SPARSE),
    **dict.fromkeys(("SVT1", "SVT2", "SVT3", "SVT4"), _CUT_OFF),
}
"""By the name of the mechanism, every parameter as a report shows it."""


def differences(name: str, asked: Mapping[str, Any], given: Mapping[str, Shown]) -> list[str]:
    """Return in words which parameters a report shows are not those that were asked for.

    Args:
        name: a mechanism of the package.
        asked: the parameters of an entry; those it leaves out have their defaults, and ``k`` alone
            stands for the flat prior.
        given: the parameters as the report shows them.
    """
    defaults, asked = DEFAULTS[name], dict(asked)
    found = []
    if "prior" in defaults and "k" in asked:
        k = asked.pop("k")
        flat = ["1"] * k if type(k) is int and 2 <= k <= 100_000 else []
        if len(parts_of(asked.setdefault("prior", flat))) != k:
            found.append(f"k = {k} does not go with the prior")
    wanted = {**defaults, **asked}
    for parameter in sorted({*wanted, *given}):
        here, there = wanted.get(parameter), given.get(parameter)
        if parameter == "neighbours":  # the one reading that had other names
            here, there = (OLD_OF_HISTOGRAMS.get(str(one), one) for one in (here, there))
        if here is None or there is None or not same_parameter(here, there):
            found.append(f"{parameter} is {there}, not {here}")
    return found


def same_parameter(asked: Any, given: Any) -> bool:
    """Tell whether two parameters are equal, part by part, as numbers or else as text."""
    left, right = parts_of(asked), parts_of(given)
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
