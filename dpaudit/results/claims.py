"""What is decided of claims: a verdict for each, with its evidence.

What certificates rest on.
"""

from __future__ import annotations

import msgspec

from dpaudit.results.values import Result

__all__ = ["Assumption", "ClaimResult", "ClaimsReport", "EvidenceResult", "TrustReport"]


class EvidenceResult(Result, frozen=True):
    """One piece of evidence and what came of it."""

    kind: str
    """How it is checked."""
    title: str
    """What it shows."""
    role: str
    """What it is to the claim."""
    domain: str
    """Where it holds."""
    status: str
    """What came of it."""
    detail: str
    """In words."""


class ClaimResult(Result, frozen=True, kw_only=True):
    """One decided claim."""

    id: str
    """What it is called."""
    source: str
    """Where it is said."""
    statement: str
    """What is claimed."""
    verdict: str
    """What is true of it."""
    domain: str
    """Where it holds."""
    evidence: tuple[EvidenceResult, ...]
    """What decides it."""
    formula: str = ""
    """The statement as a formula."""
    step_of: str = ""
    """The claim that it is a step of."""
    repaired: str = ""
    """What is true instead."""
    reason: str = ""
    """Why there is no other verdict."""
    recorded: str = ""
    """How the verdict stands to the recorded one."""


class ClaimsReport(Result, frozen=True, kw_only=True):
    """Decided claims with the worst of their verdicts on top."""

    schema: str
    """The name of the document."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    verdict: str
    """The worst verdict."""
    claims: tuple[ClaimResult, ...]
    """What was decided of each."""
    sha256: str = ""
    """The SHA-256 of the rest, in what is written."""


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
