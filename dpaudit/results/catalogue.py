"""What there is: the lists of mechanisms, of claims and of targets, and what a mechanism is."""

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
    """Where it is defined."""
    stated: str
    """What is stated of it."""
    law: str
    """Its law."""
    group: str
    """What it is listed under."""


class Offered(_Whole, frozen=True):
    """A mechanism that an installed package offers; it was not imported."""

    name: str
    """Its name."""
    target: str
    """Where it is loaded from."""
    package: str
    """The package, with its version."""


class MechanismList(_Whole, frozen=True):
    """What ``dpaudit list`` shows."""

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
    """What it is."""
    allowed: str
    """Which values it may have."""
    default: str
    """Its value where none is given."""
    reason: str
    """Why that is the default."""
    readings: dict[str, str]
    """Of a choice, each value and what it means."""


class MechanismPage(_Whole, frozen=True):
    """What ``dpaudit show`` says of a mechanism of the package."""

    schema: str
    """The name of the document."""
    name: str
    """Its name."""
    law: str
    """Its law."""
    source: str
    """Where it is defined."""
    stated: str
    """What is stated of it."""
    parameters: tuple[ParameterPage, ...]
    """Its parameters."""
    disagreements: tuple[str, ...]
    """Where documents disagree about it."""


class LoadedParameter(_Whole, frozen=True):
    """A parameter of a mechanism of a user's."""

    name: str
    """Its name."""
    kind: str
    """Its annotation; empty without one."""
    default: str | None
    """Its default; None where it has to be given."""


class LoadedMechanism(_Whole, frozen=True, kw_only=True):
    """What ``dpaudit show`` says of a mechanism of a user's, as far as no parameter decides it."""

    schema: str
    """The name of the document."""
    name: str
    """Its name."""
    summary: str
    """The first line of its docstring."""
    reference: str
    """Where it was loaded from."""
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
    """Where it is said."""


class ClaimList(_Whole, frozen=True):
    """What ``dpaudit prove --list`` shows."""

    schema: str
    """The name of the document."""
    listed: tuple[ListedClaim, ...]
    """The claims."""


class ListedTarget(_Whole, frozen=True):
    """What of the notes can be computed again."""

    target: str
    """Its id."""
    what: str
    """What it is."""
    place: str
    """Where it stands."""


class TargetList(_Whole, frozen=True):
    """What ``dpaudit reproduce --list`` shows."""

    schema: str
    """The name of the document."""
    listed: tuple[ListedTarget, ...]
    """The targets."""
