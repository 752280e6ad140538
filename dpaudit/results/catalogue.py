"""Lists of mechanisms, claims and targets, and the page of one mechanism."""

from __future__ import annotations

import msgspec

from dpaudit.results.values import Result

__all__ = [
    "ClaimList",
    "ListedClaim",
    "ListedMechanism",
    "ListedTarget",
    "LoadedMechanism",
    "LoadedParameter",
    "MechanismList",
    "MechanismPage",
    "Offered",
    "ParameterPage",
    "TargetList",
]


class _Whole(Result, frozen=True, omit_defaults=False):
    """A part that is written with every field."""


class ListedMechanism(_Whole, frozen=True):
    """A mechanism of the package."""

    mechanism: str
    """Its name."""
    source: str
    """Definition or algorithm in the notes, or publication, that defines the mechanism."""
    stated: str
    """Stated guarantee."""
    law: str
    """Its law."""
    group: str
    """Heading that the mechanism is listed under."""


class Offered(_Whole, frozen=True):
    """A mechanism that an installed package offers; it was not imported."""

    name: str
    """Its name."""
    target: str
    """Module and name that the entry point loads."""
    package: str
    """The package, with its version."""


class MechanismList(_Whole, frozen=True):
    """Mechanisms that ``dpaudit list`` shows."""

    schema: str
    """The name of the document."""
    mechanisms: tuple[ListedMechanism, ...]
    """Those of the package."""
    installed: tuple[Offered, ...]
    """Those of other packages."""


class ParameterPage(_Whole, frozen=True):
    """A parameter of a mechanism of the package."""

    name: str
    """Its name."""
    meaning: str
    """Meaning of the parameter."""
    allowed: str
    """Allowed values."""
    default: str
    """Its value where none is given."""
    reason: str
    """Reason for the default."""
    readings: dict[str, str]
    """Of a choice, each value and what it means."""


class MechanismPage(_Whole, frozen=True):
    """Description of a mechanism of the package, as ``dpaudit show`` prints it."""

    schema: str
    """The name of the document."""
    name: str
    """Its name."""
    law: str
    """Its law."""
    source: str
    """Definition or algorithm in the notes, or publication, that defines the mechanism."""
    stated: str
    """Stated guarantee."""
    parameters: tuple[ParameterPage, ...]
    """Its parameters."""
    disagreements: tuple[str, ...]
    """Disagreements between documents about the mechanism."""


class LoadedParameter(_Whole, frozen=True):
    """A parameter of a mechanism of a user's."""

    name: str
    """Its name."""
    kind: str
    """Its annotation; empty without one."""
    default: str | None
    """Its default; None where it has to be given."""


class LoadedMechanism(_Whole, frozen=True, kw_only=True):
    """Description of a user's mechanism, as ``dpaudit show`` prints it before parameters are
    chosen."""

    schema: str
    """The name of the document."""
    name: str
    """Its name."""
    summary: str
    """The first line of its docstring."""
    reference: str
    """Reference it was loaded by: ``path.py:name``, ``package.module:name`` or an entry point."""
    file_sha256: str = msgspec.field(name="sha256")
    """The SHA-256 of its file."""
    stated: str | None
    """The budget that it states."""
    neighbours: str | None
    """Its neighbouring relation."""
    parameters: tuple[LoadedParameter, ...]
    """Its parameters."""


class ListedClaim(_Whole, frozen=True):
    """A claim that can be decided."""

    claim: str
    """Its id."""
    step_of: str
    """The claim whose proof it is a step of; empty for a claim proper."""
    source: str
    """Place in the notes or in a publication that makes the claim."""


class ClaimList(_Whole, frozen=True):
    """Claims that ``dpaudit prove --list`` shows."""

    schema: str
    """The name of the document."""
    listed: tuple[ListedClaim, ...]
    """The claims."""


class ListedTarget(_Whole, frozen=True):
    """Table, caption or figure of the notes that can be reproduced."""

    target: str
    """Its id."""
    what: str
    """Short description."""
    place: str
    """Place in the notes."""


class TargetList(_Whole, frozen=True):
    """Targets that ``dpaudit reproduce --list`` shows."""

    schema: str
    """The name of the document."""
    listed: tuple[ListedTarget, ...]
    """The targets."""
