"""The definitions that are written down here, by the name that reports use."""

from __future__ import annotations

from dataclasses import dataclass
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
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.reports import Source

__all__ = ["OwnMechanism", "definition_of", "own_of"]

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


@dataclass(frozen=True)
class OwnMechanism:
    """A mechanism of a user's that a report may be about."""

    reference: str
    """How it was given: ``path.py:name``, ``module:name`` or an entry point."""
    sha256: str
    """The SHA-256 of the file that defines it; empty where there is no such file."""
    define: Callable[[str, Mapping[str, Any]], Definition]
    """Makes it from the name and the parameters that a report shows."""
    shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    """What a report shows of all its parameters where it is made with some."""


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


def own_of(name: str, loaded: Source, own: Sequence[OwnMechanism]) -> OwnMechanism:
    """Return what was given for a mechanism: of the same name in the same file.

    A file that is another one says nothing about the report, for it or against it.
    """
    attribute = loaded.reference.rpartition(":")[2]
    named = [one for one in own if one.reference.rpartition(":")[2] == attribute]
    if not named:
        raise UnknownDefinitionError(f"{name} is not defined here a second time")
    for one in named:
        if one.sha256 and one.sha256 == loaded.sha256:
            return one
    there = f"SHA-256 {loaded.sha256[:12]}…" if loaded.sha256 else "no SHA-256"
    here = f"has {named[0].sha256[:12]}…" if named[0].sha256 else "has none"
    raise UnknownDefinitionError(
        f"{name} was audited from a file with {there}; {named[0].reference} {here}: another file"
    )
