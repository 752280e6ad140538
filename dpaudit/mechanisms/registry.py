"""The mechanisms by name, in groups; each module of classics is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpaudit.errors import UnknownMechanismError
from dpaudit.mechanisms.hellinger_exponential import EHD, EHDL, EHDS, MH
from dpaudit.mechanisms.laplace_histogram import LSDim, LSHist, LSZhang, NotesLaplace

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "NOTES_GROUP",
    "mechanism_class",
    "mechanism_classes",
    "mechanism_groups",
    "mechanism_names",
]

_NOTES: tuple[type[Mechanism[Any]], ...] = (
    LSZhang,
    LSDim,
    LSHist,
    EHD,
    EHDL,
    EHDS,
    MH,
    NotesLaplace,
)

NOTES_GROUP = "the notes"
"""The group of the mechanisms of the notes."""

_CLASSICS = {
    "randomised by each user": {
        "RR": "randomised_response:RR",
        "kRR": "randomised_response:KRR",
        "SUE": "unary_encoding:SUE",
        "OUE": "unary_encoding:OUE",
        "RAPPOR": "rappor:RAPPOR",
        "PermanentRAPPOR": "rappor:PermanentRAPPOR",
    },
    "counts with integer noise": {
        "Geometric": "geometric:Geometric",
        "TruncatedGeometric": "geometric:TruncatedGeometric",
        "DiscreteLaplace": "geometric:DiscreteLaplace",
        "NoisyHistogram": "geometric:NoisyHistogram",
        "RoundedLaplace": "rounded_laplace:RoundedLaplace",
        "DiscreteGaussian": "discrete_gaussian:DiscreteGaussian",
    },
    "selection among queries": {
        "ExponentialMechanism": "selection:ExponentialMechanism",
        "PermuteAndFlip": "selection:PermuteAndFlip",
        "RNMLaplace": "selection:RNMLaplace",
        "RNMExponential": "selection:RNMExponential",
        "RNMGumbel": "selection:RNMGumbel",
        "RNMLaplaceValue": "selection:RNMLaplaceValue",
    },
    "sparse vector": {
        "AboveThreshold": "selection_sparse:AboveThreshold",
        "SVT1": "selection_sparse:SVT1",
        "SVT2": "selection_sparse:SVT2",
        "SVT3": "selection_sparse:SVT3",
        "SVT4": "selection_sparse:SVT4",
        "SVT5": "selection_sparse:SVT5",
        "SVT6": "selection_sparse:SVT6",
    },
}
"""Group → name → module and class, in the package of classics."""


def mechanism_groups() -> dict[str, dict[str, type[Mechanism[Any]]]]:
    """Return every mechanism under its name, in groups: the notes first, in their order."""
    groups = {NOTES_GROUP: {cls.name: cls for cls in _NOTES}}
    for group, places in _CLASSICS.items():
        groups[group] = {name: _classic(place) for name, place in places.items()}
    return groups


def mechanism_classes() -> dict[str, type[Mechanism[Any]]]:
    """Return every mechanism under its name, group by group."""
    return {name: cls for group in mechanism_groups().values() for name, cls in group.items()}


def mechanism_names() -> list[str]:
    """Return the name of every mechanism, group by group; nothing is imported for it."""
    classics = [name for places in _CLASSICS.values() for name in places]
    return [*(cls.name for cls in _NOTES), *classics]


def mechanism_class(name: str) -> type[Mechanism[Any]]:
    """Return the mechanism called ``name``, in any case; ``UnknownMechanismError`` otherwise.

    >>> mechanism_class("ehds").source
    'A Alg. 6'
    """
    for cls in _NOTES:
        if cls.name.lower() == name.lower():
            return cls
    for places in _CLASSICS.values():
        for known, place in places.items():
            if known.lower() == name.lower():
                return _classic(place)
    raise UnknownMechanismError(name, mechanism_names())


def _classic(place: str) -> type[Mechanism[Any]]:
    module, _, name = place.partition(":")
    cls: type[Mechanism[Any]] = getattr(
        import_module(f"dpaudit.mechanisms.classics.{module}"), name
    )
    return cls
