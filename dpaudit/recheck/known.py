"""The definitions that are written down here, by the name that reports use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.hellinger import EHD, EHDL, EHDS, MH
from dpaudit.recheck.laplace import LSDim, LSHist, LSZhang, NotesLaplace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.recheck.definition import Definition

__all__ = ["definition_of"]

_KNOWN = {cls.__name__: cls for cls in (LSZhang, LSDim, LSHist, EHD, EHDL, EHDS, MH, NotesLaplace)}


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
