"""What a claim is, what evidence for or against it is, and the verdict that follows from it.

Nothing is believed that has not just been checked.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dpaudit.worded import Worded

__all__ = [
    "Claim",
    "ClaimVerdict",
    "Decision",
    "Evidence",
    "EvidenceResult",
    "Outcome",
    "Role",
    "Settings",
    "Status",
    "decide",
]


class ClaimVerdict(Worded):
    """What is certain about a claim."""

    PROVED = "proved"
    """Machine-checked over the whole stated domain."""
    REFUTED = "refuted"
    """A counterexample replays in exact arithmetic."""
    HOLDS_ON = "holds_on"
    """False as stated, proved on a smaller domain that is named, with a counterexample outside."""
    VERIFIED_TO = "verified_to"
    """Exhaustively certified up to a bound; no general proof."""
    GAP = "gap"
    """The claim stands on other grounds, but the printed proof step does not follow."""
    AMBIGUOUS = "ambiguous"
    """No checkable meaning; the reason is given, with the readings that were tried."""
    UNDECIDED = "undecided"
    """Some evidence was not decided, or does not hold; the reason is given."""
    FAILED = "failed"
    """The claim's own code raised an error."""


class Role(Worded):
    """What a piece of evidence does for its claim, if it holds."""

    PROVES = "proves"
    """It proves the claim, on its domain (together with the lemmas)."""
    LEMMA = "lemma"
    """It proves a step that the other evidence rests on; alone it decides nothing."""
    REFUTES = "refutes"
    """It shows a point of the stated domain where the claim is false."""
    GAP = "shows a gap"
    """It shows that the printed step does not follow, though its conclusion may hold."""
    VERIFIES = "verifies"
    """It certifies the claim exhaustively up to a bound."""
    ILLUSTRATES = "illustrates"
    """It certifies a fact worth knowing beside the claim; the verdict does not rest on it."""


class Status(Worded):
    """What came of checking a piece of evidence."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """The result of checking one piece of evidence."""

    status: Status
    """Whether it holds."""
    detail: str
    """What was found, in a line or a few: values, the solver's answer, the number of cases."""


Outcome = EvidenceResult
"""What it was called before."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How evidence is checked."""

    solvers: tuple[str, ...] = ("z3",)
    """Which SMT solvers must agree."""
    timeout_seconds: float = 60.0
    """How long one solver may take over one query."""


@dataclass(frozen=True, kw_only=True)
class Evidence(ABC):
    """Something that can be checked by a machine, again and by anyone."""

    kind: ClassVar[str]
    """The kind of evidence, in a word or two."""

    title: str
    """What it shows, in one line."""
    role: Role = Role.PROVES
    """What that does for the claim."""
    domain: str = ""
    """Where it shows it; empty for the whole domain that the claim states."""

    @abstractmethod
    def check(self, settings: Settings) -> EvidenceResult:
        """Check it now, from scratch."""

    @abstractmethod
    def explain(self) -> str:
        """Return what is checked in readable form: formulas, parameters, certificates."""

    def explained(self) -> str:
        """Return :meth:`explain`, or what is wrong with it: then no check of it can hold."""
        try:
            return self.explain()
        except Exception as error:  # whatever a claim's own code raises is its failure
            return f"not to be read: {type(error).__name__}: {error}"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One atomic assertion of a document, made formal, with the evidence that decides it.

    The verdict is never written down here: it follows from the roles of the evidence that holds
    (:func:`dpaudit.claims.claim.decide`).
    """

    id: str
    """A short stable name, ``family-part``."""
    source: str
    """Where it is asserted ("N §2.3.3, Lemma 2.2")."""
    statement: str
    """What it says, in words and mathematics that can be read as text."""
    formula: str = ""
    """The same as mathematics, quantifiers included."""
    domain: str
    """For which parameters it is asserted."""
    evidence: tuple[Evidence, ...] = ()
    """What decides it."""
    step_of: str = ""
    """The id of the claim whose printed proof this is a step of; empty for a claim proper."""
    derivation: str = ""
    """Why the evidence decides the claim: the steps a reviewer would want, in order."""
    repaired: str = ""
    """The statement that does hold, where the printed one does not."""
    ambiguous: str = ""
    """Why it has no checkable meaning; empty if it has one."""
    readings: tuple[str, ...] = ()
    """For an ambiguous claim: the readings that were tried, and what became of each."""


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
