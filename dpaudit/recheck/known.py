"""The definitions that are written down here, by the name that reports use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.recheck.discrete_gaussian import DiscreteGaussian
from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.hellinger import EHD, EHDL, EHDS, MH
from dpaudit.recheck.laplace import LSDim, LSHist, LSZhang, NotesLaplace
from dpaudit.recheck.noisy_counts import (
    DiscreteLaplace,
    Geometric,
    NoisyHistogram,
    RoundedLaplace,
    TruncatedGeometric,
)
from dpaudit.recheck.one_user import KRR, OUE, RR, SUE
from dpaudit.recheck.rappor import RAPPOR, PermanentRAPPOR
from dpaudit.recheck.selection import (
    ExponentialMechanism,
    PermuteAndFlip,
    RNMExponential,
    RNMGumbel,
    RNMLaplace,
    RNMLaplaceValue,
)
from dpaudit.recheck.sparse_vector import SVT1, SVT2, SVT3, SVT4, SVT5, SVT6, AboveThreshold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.recheck.definition import Definition

__all__ = ["definition_of"]

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


def definition_of(subject: Mapping[str, Any], own: Mapping[str, Definition]) -> Definition:
    """Return the definition of a report's mechanism; ``own`` are those of users, by name.

    Raises ``UnknownDefinitionError`` where there is none, and ``NotAReportError`` for parameters
    that it cannot have.
    """
    name = str(subject.get("name"))
    parameters = {key: value for key, value in subject.items() if key != "name"}
    if name in _KNOWN:
        try:
            return _KNOWN[name](parameters)
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
            raise NotAReportError(f"{name} cannot have these parameters: {error}") from None
    if name in own:
        return own[name]
    raise UnknownDefinitionError(f"{name} is not defined here a second time")
