"""The verdict on a claim: what its evidence shows, and what the engine makes of its statement.

A typed statement is decided by the engine itself, in this order: a point of its domain at which it
is certainly false refutes it, whatever else there is; a finite domain is evaluated whole; evidence
that states what it proves has to entail it, which the engine checks; a sweep certifies it up to a
bound.  Where none of these decides, the verdict that the roles of the evidence give is *argued*:
prose connects the evidence with the statement, and nobody but a reader has checked that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.claims.claim import (
    Claim,
    ClaimVerdict,
    Decision,
    Evidence,
    EvidenceResult,
    Grade,
    Role,
    Settings,
    Status,
    checked,
)
from dpaudit.claims.derivation import entailed, refused
from dpaudit.claims.exhaustion import Exhaustion, restricted
from dpaudit.claims.points import place, try_out
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import domain_text, read
from dpaudit.claims.vocabulary import by_example
from dpaudit.results.claims import Statement

if TYPE_CHECKING:
    from dpaudit.claims.discover import Registered

__all__ = ["Finding", "by_roles", "decide", "decide_registered", "decide_statement"]


@dataclass(frozen=True)
class Finding:
    """Verdict of the engine on a typed statement."""

    verdict: ClaimVerdict
    grade: Grade
    reason: str
    """Reason: the point, the number of cases, or the step that does not follow."""


def decide_statement(
    statement: Statement,
    evidence: Sequence[Evidence] = (),
    settings: Settings | None = None,
    points: Sequence[Mapping[str, str]] = (),
) -> Finding:
    """Return what is certain of a typed statement, by its own values and evidence that holds.

    Args:
        statement: what is to be decided.
        evidence: pieces that may decide it; those that do not hold are left out.
        settings: how it is checked.
        points: where it is evaluated first, besides points of its domain that the engine finds.

    Returns:
        Proved, refuted or verified to a bound, with the grade; else undecided, with the reason.
    """
    chosen = settings or Settings()
    undecided = ClaimVerdict.UNDECIDED
    try:
        parsed = read(statement)
        given = [{name: Fraction(text) for name, text in at.items()} for at in points]
        trial = try_out(parsed, given)
    except (FormulaError, ValueError, ZeroDivisionError, RecursionError) as error:
        return Finding(undecided, Grade.NONE, f"not a statement: {error}")
    if not trial.tried:
        return Finding(undecided, Grade.NONE, "no point of its domain was found: is it empty?")
    if trial.undefined:
        return Finding(undecided, Grade.NONE, f"it has no meaning at {trial.undefined}")
    if parsed.forall and trial.false_at is not None:
        reason = f"false at {place(trial.false_at)}"
        return Finding(ClaimVerdict.REFUTED, Grade.CHECKED, reason)
    example = by_example(*parsed.domain, parsed.proposition)
    if not parsed.forall and trial.true_at is not None and not example:
        return Finding(ClaimVerdict.PROVED, Grade.CHECKED, f"true at {place(trial.true_at)}")
    if trial.every and not example:
        verdict = ClaimVerdict.PROVED if parsed.forall else ClaimVerdict.REFUTED
        cases = "at all of its points" if trial.tried > 1 else "by its value"
        return Finding(verdict, Grade.CHECKED, f"{trial.tried} evaluated, decided {cases}")
    holding = [piece for piece in evidence if _holds(piece, chosen)]
    if not parsed.forall:
        none = Statement(
            variables=statement.variables,
            domain=statement.domain,
            proposition=f"not ({statement.proposition})",
        )
        if not entailed(none, holding, chosen):
            reason = "the evidence entails that no point fulfils it"
            return Finding(ClaimVerdict.REFUTED, Grade.CHECKED, reason)
        return Finding(undecided, Grade.NONE, "no point that fulfils it was found")
    reason = entailed(statement, holding, chosen)
    if not reason:
        return Finding(ClaimVerdict.PROVED, Grade.CHECKED, "entailed by the evidence")
    for piece in holding:
        if isinstance(piece, Exhaustion) and not piece.failure(statement):
            return Finding(ClaimVerdict.VERIFIED_TO, Grade.SWEPT, "; ".join(piece.bounds))
    return Finding(undecided, Grade.NONE, reason)


def _holds(piece: Evidence, settings: Settings) -> bool:
    try:
        return not refused(piece, settings) and checked(piece, settings).status is Status.HOLDS
    except (ValueError, ArithmeticError, RecursionError):  # a piece that is none
        return False


def decide_registered(item: Registered, settings: Settings | None = None) -> Decision:
    """Decide a claim as it was discovered: one whose provider failed is ``FAILED``, with why."""
    if item.failure:
        return Decision(item.claim, ClaimVerdict.FAILED, (), "", item.failure, 0.0)
    return decide(item.claim, settings)


def decide(claim: Claim, settings: Settings | None = None) -> Decision:
    """Check all evidence of ``claim`` and return the verdict that follows, with its grade.

    An error in the claim's own code gives :attr:`ClaimVerdict.FAILED`, so that other claims can
    still be decided.
    """
    started = time.perf_counter()
    chosen = settings or Settings()
    outcomes: list[EvidenceResult] = []
    try:
        outcomes.extend(_outcome(evidence, chosen) for evidence in claim.evidence)
        verdict, domain, reason = _verdict(claim, outcomes)
        grade = Grade.ARGUED
        if verdict in (ClaimVerdict.UNDECIDED, ClaimVerdict.AMBIGUOUS):
            grade = Grade.NONE
        if claim.typed is not None and not claim.ambiguous:
            holding = all(outcome.status is Status.HOLDS for outcome in outcomes)
            verdict, grade, domain, reason = _typed(
                claim, claim.typed, chosen, (verdict, grade, domain, reason), holding=holding
            )
    except Exception as error:  # whatever a claim's own code raises is its failure
        verdict, grade, domain = ClaimVerdict.FAILED, Grade.NONE, ""
        reason = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - started
    return Decision(claim, verdict, tuple(outcomes), domain, reason, seconds, grade)


def _outcome(evidence: Evidence, settings: Settings) -> EvidenceResult:
    if reason := refused(evidence, settings):
        readable = evidence.title.isprintable()
        return EvidenceResult(Status.UNDECIDED if readable else Status.FAILS, reason)
    return checked(evidence, settings)


_Found = tuple[ClaimVerdict, Grade, str, str]


def _typed(
    claim: Claim, statement: Statement, settings: Settings, argued: _Found, *, holding: bool
) -> _Found:
    """Return verdict, grade, domain and reason of a claim with a typed statement."""
    finding = decide_statement(statement, claim.evidence, settings, claim.points)
    expected = argued[0]
    if not holding and finding.verdict is not ClaimVerdict.REFUTED:
        return argued  # some evidence does not hold
    if finding.verdict is ClaimVerdict.UNDECIDED:
        if not finding.reason.startswith(_NO_STATEMENT):
            return (*argued[:3], finding.reason)
        return ClaimVerdict.UNDECIDED, Grade.NONE, "", finding.reason
    if finding.verdict is ClaimVerdict.PROVED and expected is not ClaimVerdict.GAP:
        return ClaimVerdict.PROVED, finding.grade, domain_text(statement), finding.reason
    if finding.verdict is ClaimVerdict.VERIFIED_TO:
        if expected is ClaimVerdict.VERIFIED_TO:
            return ClaimVerdict.VERIFIED_TO, finding.grade, finding.reason, finding.reason
        return (*argued[:3], f"swept: {finding.reason}")
    if finding.verdict is ClaimVerdict.REFUTED:
        return _refuted(claim, statement, settings, argued, finding)
    return argued


_NO_STATEMENT = ("not a statement", "no point of its domain", "it has no meaning")


def _refuted(
    claim: Claim, statement: Statement, settings: Settings, argued: _Found, finding: Finding
) -> _Found:
    """Return what is left of a statement that is false at a point: a smaller domain, a gap."""
    if claim.holds_on:
        smaller = restricted(statement, claim.holds_on)
        rest = decide_statement(smaller, claim.evidence, settings, claim.points)
        if rest.verdict is ClaimVerdict.PROVED:
            return ClaimVerdict.HOLDS_ON, rest.grade, domain_text(smaller), finding.reason
        if rest.verdict is ClaimVerdict.REFUTED:
            reason = f"{finding.reason}; on the smaller domain {rest.reason}"
            return ClaimVerdict.REFUTED, Grade.CHECKED, "", reason
    if argued[0] is ClaimVerdict.HOLDS_ON:
        return (*argued[:3], f"{finding.reason} (checked); where it holds is argued")
    kept = ClaimVerdict.GAP if argued[0] is ClaimVerdict.GAP else ClaimVerdict.REFUTED
    return kept, Grade.CHECKED, "", finding.reason


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


def by_roles(claim: Claim) -> ClaimVerdict:
    """Return the verdict that the evidence of a claim stands for, if it holds."""
    return _from_roles(claim.evidence, claim.domain)[0]


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
