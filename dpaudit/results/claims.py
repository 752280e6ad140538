"""Verdicts on claims and on printed numbers, and the assumptions behind certificates."""

from __future__ import annotations

from typing import Literal

import msgspec

from dpaudit.results.brief import Brief
from dpaudit.results.values import Document, Enclosure, Result, decimal_text
from dpaudit.worded import Worded

__all__ = [
    "Assumption",
    "ClaimResult",
    "ClaimTrust",
    "ClaimsReport",
    "EvidenceResult",
    "Failed",
    "ItemReport",
    "PrintedCheck",
    "PrintedOutcome",
    "ReproductionReport",
    "Statement",
    "StatementQuestion",
    "StatementResult",
    "TrustReport",
    "Variable",
]


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quantified variable."""

    name: str
    """Name of the variable."""
    sort: Literal["real", "integer", "natural", "reals", "integers"]
    """Set the variable ranges over; naturals start at 0, plurals are infinite sequences."""


class Statement(Result, frozen=True, kw_only=True):
    """A claim's statement as data: what the verdict is about.

    Propositions are texts of the language of :mod:`dpaudit.claims.terms`; they are parsed, never
    evaluated as code.
    """

    quantifier: Literal["forall", "exists"] = "forall"
    """Quantifier: the proposition is said of every point of the domain, or of some point."""
    variables: tuple[Variable, ...] = ()
    """Quantified variables."""
    domain: tuple[str, ...] = ()
    """Conditions that define the domain, as propositions about the variables."""
    proposition: str
    """Proposition about the variables."""


class StatementQuestion(Result, frozen=True, kw_only=True):
    """A statement to decide by the evidence of the claim that it names."""

    schema: str = "dpaudit.statement/1"
    """The name of the document."""
    claim: str
    """The id of the claim whose evidence is asked."""
    statement: Statement
    """Statement to decide."""


class EvidenceResult(Result, frozen=True):
    """One piece of evidence and what came of it."""

    kind: str
    """Kind of check."""
    title: str
    """Title: the fact that the evidence shows."""
    role: str
    """Role in the claim's verdict: proves, lemma, refutes, …"""
    domain: str
    """Domain on which the evidence holds."""
    status: str
    """Outcome of the check."""
    detail: str
    """In words."""


class ClaimResult(Result, frozen=True, kw_only=True):
    """One decided claim."""

    id: str
    """Id of the claim."""
    source: str
    """Place in the notes or in a publication that makes the claim."""
    statement: Statement | None = None
    """Statement that is decided, as data; None for a claim in prose alone."""
    comment: str
    """Claim in prose: a comment, which decides nothing."""
    verdict: str
    """Verdict on the claim; ``argued: …`` if prose connects evidence and statement."""
    grade: str
    """Grade of the evidence behind the verdict: kernel, checked, swept, argued, or none."""
    axioms: tuple[str, ...] = ()
    """Axioms of the theorem, if the grade is kernel."""
    domain: str
    """Domain on which the verdict holds."""
    evidence: tuple[EvidenceResult, ...]
    """Evidence for the verdict."""
    formula: str = ""
    """The statement as a formula, made from the data; of a claim in prose, a comment."""
    step_of: str = ""
    """The claim that it is a step of."""
    repaired: str = ""
    """Repaired claim, which is true instead; empty if there is none."""
    reason: str = ""
    """Reason why the verdict is no stronger; of a typed statement, the evidence that decided it."""
    recorded: str = ""
    """Comparison of the verdict with the recorded one."""


class StatementResult(Result, frozen=True, kw_only=True):
    """Verdict on a statement that was given as data."""

    schema: str
    """The name of the document."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    claim: str
    """The claim whose evidence was asked."""
    statement: Statement
    """The statement."""
    formula: str
    """The same as a formula; empty if it is not well formed."""
    verdict: str
    """Verdict on the statement."""
    grade: str
    """Grade of the evidence behind the verdict."""
    reason: str
    """Reason for the verdict."""


class ClaimsReport(Document, frozen=True, kw_only=True):
    """Decided claims with the worst of their verdicts on top."""

    schema: str
    """The name of the document."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    verdict: str
    """The worst verdict."""
    claims: tuple[ClaimResult, ...]
    """Verdict on each claim."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""


class Assumption(Brief, msgspec.Struct, frozen=True):
    """One thing that a certificate rests on, or does not."""

    what: str
    """The thing."""
    why: str
    """Use of the assumption, or the reason why it is not needed."""
    version: str = ""
    """The version in use, where it has one."""


class ClaimTrust(Brief, msgspec.Struct, frozen=True):
    """Assumptions behind the recorded verdict on one claim."""

    id: str
    """The claim."""
    grade: str
    """Its recorded grade; empty where none is recorded."""
    rests_on: tuple[str, ...]
    """Checkers of its evidence, and facts about functions that the evidence assumes."""
    kernel: tuple[str, ...] = ()
    """Recorded theorems of its statement: Coq's version, and the axioms they rest on."""


class TrustReport(Result, frozen=True, kw_only=True):
    """Assumptions behind the certificates of this installation."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    trusted: tuple[Assumption, ...]
    """Assumptions of every certificate."""
    screen: tuple[Assumption, ...]
    """Further assumptions of the screen."""
    not_trusted: tuple[Assumption, ...]
    """Components that no certificate relies on."""
    not_claimed: tuple[Assumption, ...]
    """Conclusions that no certificate supports."""
    checkers: tuple[Assumption, ...] = ()
    """Programs that check the evidence of claims."""
    facts: tuple[Assumption, ...] = ()
    """Facts that derivations assume about the functions in statements."""
    claims: tuple[ClaimTrust, ...] = ()
    """Claim by claim, what rests on which."""


class PrintedOutcome(Worded):
    """Outcome of the reproduction of a number or statement printed in the notes."""

    REPRODUCED = "reproduced"
    """Some named reading gives it, to every printed digit."""
    NOT_REPRODUCED = "not reproduced"
    """Certified: none of the readings that were tried gives it."""
    UNDECIDED = "undecided"
    """No precision allowed told which."""
    SHOWN = "shown"
    """A word without a number, such as “close”: what it is said of is shown, and not judged."""


class PrintedCheck(Brief, msgspec.Struct, frozen=True):
    """One printed number or statement, and what was found of it."""

    what: str
    """Description in the notes of the number or statement."""
    printed: str
    """The number, or the statement in short."""
    outcome: PrintedOutcome = msgspec.field(name="verdict")
    """Outcome of the reproduction."""
    reading: str
    """The reading that gives it; the nearest one if none does."""
    digits: int | None = None
    """Number of significant digits printed; None for a statement."""
    value: Enclosure | None = None
    """The value by that reading."""
    why: str = ""
    """Reason why no reading gives the number, or another remark."""
    readings: tuple[str, ...] = ()
    """All readings that fulfil a statement about a figure."""

    @property
    def subject(self) -> str:
        """Description in the notes, with the printed number if the description does not contain
        it."""
        if self.printed in self.what or (self.value is None and self.digits is None):
            return self.what
        return f"{self.what}, printed {self.printed}"

    def line(self) -> str:
        """Return the finding in one line."""
        about = f" ({self.why})" if self.why else ""
        if self.outcome is PrintedOutcome.SHOWN:
            return f"{self.subject}: {self.why}"
        if self.outcome is PrintedOutcome.REPRODUCED:
            digits = f" to {self.digits} digits" if self.digits else ""
            return f"{self.subject}: reproduced by reading {self.reading}{digits}{about}"
        nearest = ""
        if self.value is not None:
            nearest = f", nearest value {_short(self.value)} by reading {self.reading}"
        elif self.reading:
            nearest = f", read as {self.reading}"
        why = f": {self.why}" if self.why else ""
        return f"{self.subject}: {self.outcome.value}{nearest}{why}"


def _short(value: Enclosure) -> str:
    return decimal_text(value.lower) if value.lower == value.upper else str(value)


class ItemReport(Brief, msgspec.Struct, frozen=True, kw_only=True):
    """One table, caption or figure."""

    id: str
    """Id of the target."""
    title: str
    """Title of the target."""
    place: str
    """Place in the notes."""
    verdict: str
    """As of a check, or ``reproduced in part``."""
    reading: tuple[str, ...]
    """The readings that give what is reproduced, each once."""
    digits: int | None
    """The least number of digits of its reproduced numbers, None without numbers."""
    checks: tuple[PrintedCheck, ...]
    """Outcome for each number and statement."""
    remarks: tuple[str, ...]
    """Choices made where the notes are silent, and other remarks."""
    csv: str
    """The file with its numbers, in the folder of the page."""
    picture: str
    """The file with its picture, there too."""


class Failed(Brief, msgspec.Struct, frozen=True):
    """A target that no allowed precision decides, and why."""

    id: str
    """Id of the target."""
    title: str
    """Title of the target."""
    place: str
    """Place in the notes."""
    reason: str
    """Reason for the lack of an outcome."""


class ReproductionReport(Document, frozen=True, kw_only=True):
    """Reproduction of the tables, captions and figures of the notes."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    verdict: str
    """``decided``, or ``undecided`` where a target is, or is missing."""
    items: tuple[ItemReport, ...]
    """Outcome for each target, in the notes' order."""
    undecided: tuple[Failed, ...]
    """The targets without a finding."""
    missing: tuple[str, ...]
    """The targets that were not computed."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""
