"""The definitions that are written down here, by the name that reports use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.recheck.bits import OUE, RAPPOR, SUE, PermanentRAPPOR
from dpaudit.recheck.discrete_gaussian import DiscreteGaussian
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.noisy_counts import (
    DiscreteLaplace,
    Geometric,
    NoisyHistogram,
    RoundedLaplace,
    TruncatedGeometric,
)
from dpaudit.recheck.notes import EHD, EHDL, EHDS, MH, LSDim, LSHist, LSZhang, NotesLaplace
from dpaudit.recheck.one_user import KRR, RR
from dpaudit.recheck.own_mechanisms import own_of
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
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.own_mechanisms import OwnMechanism
    from dpaudit.results import Source

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
