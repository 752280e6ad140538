"""The mechanisms by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.errors import UnknownMechanismError
from dpaudit.mechanisms.classics.selection import (
    ExponentialMechanism,
    PermuteAndFlip,
    RNMExponential,
    RNMGumbel,
    RNMLaplace,
    RNMLaplaceValue,
)
from dpaudit.mechanisms.classics.selection_sparse import (
    SVT1,
    SVT2,
    SVT3,
    SVT4,
    SVT5,
    SVT6,
    AboveThreshold,
)
from dpaudit.mechanisms.hellinger_exponential import EHD, EHDL, EHDS, MH
from dpaudit.mechanisms.laplace_histogram import LSDim, LSHist, LSZhang, NotesLaplace

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["mechanism_class", "mechanism_classes"]

_BUILT_IN: tuple[type[Mechanism[Any]], ...] = (
    LSZhang,
    LSDim,
    LSHist,
    EHD,
    EHDL,
    EHDS,
    MH,
    NotesLaplace,
    *(ExponentialMechanism, PermuteAndFlip, RNMLaplace, RNMExponential, RNMGumbel),
    RNMLaplaceValue,
    *(AboveThreshold, SVT1, SVT2, SVT3, SVT4, SVT5, SVT6),
)


def mechanism_classes() -> dict[str, type[Mechanism[Any]]]:
    """Return every mechanism under its name, in the order of the notes."""
    return {cls.name: cls for cls in _BUILT_IN}


def mechanism_class(name: str) -> type[Mechanism[Any]]:
    """Return the mechanism called ``name``, in any case; ``UnknownMechanismError`` otherwise.

    >>> mechanism_class("ehds").source
    'A Alg. 6'
    """
    known = mechanism_classes()
    by_lower = {known_name.lower(): cls for known_name, cls in known.items()}
    if name.lower() not in by_lower:
        raise UnknownMechanismError(name, known)
    return by_lower[name.lower()]
