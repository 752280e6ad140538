"""From evidence to verdict: nothing is believed that has not just been checked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.claims.claim import (
    Claim,
    ClaimVerdict,
    Evidence,
    EvidenceResult,
    Role,
    Settings,
    Status,
)

__all__ = ["Decision", "decide"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A claim with its verdict and what every piece of evidence came to."""

    claim: Claim
    verdict: ClaimVerdict
    outcomes: tuple[EvidenceResult, ...]
    """One for each piece of the claim's evidence (fewer if its code failed)."""
    domain: str
    """Where the claim is proved or verified; empty where it is not."""
    reason: str
    """Why it is undecided, ambiguous or failed; empty otherwise."""
    seconds: float


def decide(claim: Claim, settings: Settings | None = None) -> Decision:
    """Check all evidence of ``claim`` and return the verdict that follows from it.

    An error in the claim's own code gives :attr:`ClaimVerdict.FAILED`, so that other claims can
    still be decided.
    """
    started = time.perf_counter()
    outcomes: list[EvidenceResult] = []
    try:
        outcomes.extend(evidence.check(settings or Settings()) for evidence in claim.evidence)
        verdict, domain, reason = _verdict(claim, outcomes)
    except Exception as error:  # whatever a claim's own code raises is its failure
        verdict, domain = ClaimVerdict.FAILED, ""
        reason = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - started
    return Decision(claim, verdict, tuple(outcomes), domain, reason, seconds)


def _verdict(claim: Claim, outcomes: Sequence[EvidenceResult]) -> tuple[ClaimVerdict, str, str]:
    pairs = list(zip(claim.evidence, outcomes, strict=True))
    doubtful = [(e, o) for e, o in pairs if o.status is not Status.HOLDS]
    if doubtful:
        evidence, outcome = doubtful[0]
        reason = f"{evidence.kind} “{evidence.title}” {outcome.status.value}: {outcome.detail}"
        return ClaimVerdict.UNDECIDED, "", reason
    if claim.ambiguous:
        if not claim.readings:
            return ClaimVerdict.UNDECIDED, "", "ambiguous, but no reading was tried"
        return ClaimVerdict.AMBIGUOUS, "", claim.ambiguous
    return _from_roles(claim.evidence, claim.domain)


def _from_roles(evidence: Sequence[Evidence], stated: str) -> tuple[ClaimVerdict, str, str]:
    def domains(role: Role) -> list[str]:
        return list(dict.fromkeys(e.domain for e in evidence if e.role is role))

    proved, verified = domains(Role.PROVES), domains(Role.VERIFIES)
    refuted = bool(domains(Role.REFUTES))
    if refuted and ("" in proved or "" in verified):
        return ClaimVerdict.UNDECIDED, "", "the evidence contradicts itself"
    smaller = "; ".join(domain for domain in proved if domain)
    if refuted:
        return (ClaimVerdict.HOLDS_ON if smaller else ClaimVerdict.REFUTED), smaller, ""
    if domains(Role.GAP):
        return ClaimVerdict.GAP, "", ""
    if "" in proved:
        return ClaimVerdict.PROVED, stated, ""
    if verified:
        bounds = "; ".join(domain or stated for domain in verified)
        return ClaimVerdict.VERIFIED_TO, bounds, ""
    return ClaimVerdict.UNDECIDED, smaller, "no evidence covers the stated domain"
