"""What certificates rest on."""

from __future__ import annotations

import msgspec

from dpaudit.results.values import Result

__all__ = ["Assumption", "TrustReport"]


class Assumption(msgspec.Struct, frozen=True):
    """One thing that a certificate rests on, or does not."""

    what: str
    """The thing."""
    why: str
    """What it is used for, or how it is done without."""
    version: str = ""
    """The version in use, where it has one."""


class TrustReport(Result, frozen=True, kw_only=True):
    """What the certificates of this installation rest on."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    trusted: tuple[Assumption, ...]
    """What every certificate rests on."""
    screen: tuple[Assumption, ...]
    """What the screen rests on as well."""
    not_trusted: tuple[Assumption, ...]
    """What none rests on."""
    not_claimed: tuple[Assumption, ...]
    """What none says."""
