"""What is decided of claims and of printed numbers, and what certificates rest on."""

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
    """What it is called."""
    sort: Literal["real", "integer", "natural", "reals", "integers"]
    """What it ranges over; naturals start at 0, and the plural is of lists without an end."""


class Statement(Result, frozen=True, kw_only=True):
    """A claim's statement as data: what the verdict is about.

    Propositions are texts of the language of :mod:`dpaudit.claims.terms`; they are parsed, never
    evaluated as code.
    """

    quantifier: Literal["forall", "exists"] = "forall"
    """Whether it is said of every point of the domain, or of some point."""
    variables: tuple[Variable, ...] = ()
    """What is quantified over."""
    domain: tuple[str, ...] = ()
    """What the variables fulfil."""
    proposition: str
    """What is said of them."""


class StatementQuestion(Result, frozen=True, kw_only=True):
    """A statement to decide by the evidence of the claim that it names."""

    schema: str = "dpaudit.statement/1"
    """The name of the document."""
    claim: str
    """The id of the claim whose evidence is asked."""
    statement: Statement
    """What is asked."""


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
    statement: Statement | None = None
    """What is decided, as data; None for a claim that is in prose alone."""
    comment: str
    """What is claimed, in prose: a comment, which decides nothing."""
    verdict: str
    """What is true of it; ``argued: …`` where prose connects evidence and statement."""
    grade: str
    """What the verdict rests on: kernel, checked, swept, argued, or none."""
    axioms: tuple[str, ...] = ()
    """What the theorem takes for granted, where the grade is kernel."""
    domain: str
    """Where it holds."""
    evidence: tuple[EvidenceResult, ...]
    """What decides it."""
    formula: str = ""
    """The statement as a formula, made from the data; of a claim in prose, a comment."""
    step_of: str = ""
    """The claim that it is a step of."""
    repaired: str = ""
    """What is true instead."""
    reason: str = ""
    """Why there is no other verdict; of a typed statement, what decided it."""
    recorded: str = ""
    """How the verdict stands to the recorded one."""


class StatementResult(Result, frozen=True, kw_only=True):
    """What is certain of a statement that was given as data."""

    schema: str
    """The name of the document."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    claim: str
    """The claim whose evidence was asked."""
    statement: Statement
    """The statement."""
    formula: str
    """The same as a formula; empty if it is not well formed."""
    verdict: str
    """What is true of it."""
    grade: str
    """What that rests on."""
    reason: str
    """What was seen."""


class ClaimsReport(Document, frozen=True, kw_only=True):
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
    """SHA-256 of the document without this field, where it is written."""


class Assumption(Brief, msgspec.Struct, frozen=True):
    """One thing that a certificate rests on, or does not."""

    what: str
    """The thing."""
    why: str
    """What it is used for, or how it is done without."""
    version: str = ""
    """The version in use, where it has one."""


class ClaimTrust(Brief, msgspec.Struct, frozen=True):
    """What the recorded verdict on one claim rests on."""

    id: str
    """The claim."""
    grade: str
    """Its recorded grade; empty where none is recorded."""
    rests_on: tuple[str, ...]
    """What its evidence is checked with, and the facts that it takes for granted."""
    kernel: tuple[str, ...] = ()
    """Where theorems of its statement are on record: Coq's version, and the axioms they rest on."""


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
    checkers: tuple[Assumption, ...] = ()
    """What checks the evidence of claims."""
    facts: tuple[Assumption, ...] = ()
    """What derivations take for granted of the functions in statements."""
    claims: tuple[ClaimTrust, ...] = ()
    """Claim by claim, what rests on which."""


class PrintedOutcome(Worded):
    """What became of something that the notes print."""

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
    """What the notes say it is."""
    printed: str
    """The number, or the statement in short."""
    outcome: PrintedOutcome = msgspec.field(name="verdict")
    """What became of it."""
    reading: str
    """The reading that gives it; the nearest one if none does."""
    digits: int | None = None
    """How many significant digits are printed; None for a statement."""
    value: Enclosure | None = None
    """The value by that reading."""
    why: str = ""
    """Why no reading gives it, or what else there is to say."""
    readings: tuple[str, ...] = ()
    """All readings that fulfil a statement about a figure."""

    @property
    def subject(self) -> str:
        """What the notes say, with the printed number where the words do not hold it."""
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
    """What it is called."""
    title: str
    """What it is, in words."""
    place: str
    """Where the notes have it."""
    verdict: str
    """As of a check, or ``reproduced in part``."""
    reading: tuple[str, ...]
    """The readings that give what is reproduced, each once."""
    digits: int | None
    """The least number of digits of its reproduced numbers, None without numbers."""
    checks: tuple[PrintedCheck, ...]
    """What was found of each number and statement."""
    remarks: tuple[str, ...]
    """What was chosen where the notes are silent, and what else was found."""
    csv: str
    """The file with its numbers, in the folder of the page."""
    picture: str
    """The file with its picture, there too."""


class Failed(Brief, msgspec.Struct, frozen=True):
    """A target that no allowed precision decides, and why."""

    id: str
    """What it is called."""
    title: str
    """What it is, in words."""
    place: str
    """Where the notes have it."""
    reason: str
    """Why nothing was found."""


class ReproductionReport(Document, frozen=True, kw_only=True):
    """What was reproduced."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    verdict: str
    """``decided``, or ``undecided`` where a target is, or is missing."""
    items: tuple[ItemReport, ...]
    """What was found, in the notes' order."""
    undecided: tuple[Failed, ...]
    """The targets without a finding."""
    missing: tuple[str, ...]
    """The targets that were not computed."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""
