"""Claims, the evidence for or against them, and the verdicts that follow from it.

Nothing is believed that has not just been checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from dpaudit.claims.polynomial import FormulaError
from dpaudit.errors import ParameterError
from dpaudit.results.brief import Brief
from dpaudit.results.claims import Statement
from dpaudit.worded import Worded

__all__ = [
    "Claim",
    "ClaimVerdict",
    "Decision",
    "Evidence",
    "EvidenceResult",
    "Grade",
    "Role",
    "Settings",
    "Status",
    "checked",
]


class ClaimVerdict(Worded):
    """Verdict on a claim."""

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


class Grade(Worded):
    """Grade of a verdict, by the strength of its evidence."""

    KERNEL = "kernel"
    """A proof checker accepted the theorem that is generated from the statement."""
    CHECKED = "checked"
    """The engine checked that the evidence entails the typed statement."""
    SWEPT = "swept"
    """The engine evaluated the typed statement in every case up to a bound."""
    ARGUED = "argued"
    """The evidence holds; that it decides the statement is prose, which no machine checked."""
    NONE = "none"
    """There is no verdict to grade."""


class Role(Worded):
    """Role of a piece of evidence in its claim, if the evidence holds."""

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
    """Outcome of checking a piece of evidence."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceResult(Brief):
    """The result of checking one piece of evidence."""

    status: Status
    """Outcome of the check."""
    detail: str
    """Details in a line or a few: values, the solver's answer, the number of cases."""


SOLVER_NAMES = ("z3", "cvc5")
"""The SMT solvers that there are."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for checking evidence."""

    solvers: tuple[str, ...] = ("z3",)
    """SMT solvers that must agree."""
    timeout_seconds: float = 60.0
    """Time limit of one query to one solver, in seconds."""
    trusted: tuple[str, ...] = ()
    """Classes of evidence, ``module:Class``, that are believed beside the engine's own."""

    def __post_init__(self) -> None:
        """Raise ``ParameterError`` unless there is a solver, and every one is known."""
        if not self.solvers or not set(self.solvers) <= set(SOLVER_NAMES):
            given = ", ".join(self.solvers) or "none"
            allowed = " and ".join(SOLVER_NAMES)
            raise ParameterError("solver", f"solvers: {given}; there are {allowed}, at least one")


@dataclass(frozen=True, kw_only=True)
class Evidence(ABC):
    """Something that can be checked by a machine, again and by anyone."""

    kind: ClassVar[str]
    """The kind of evidence, in a word or two."""

    title: str
    """The fact that it shows, in one line."""
    role: Role = Role.PROVES
    """Role of that fact in the claim."""
    domain: str = ""
    """Domain on which it holds; empty for the whole domain that the claim states."""

    @abstractmethod
    def check(self, settings: Settings) -> EvidenceResult:
        """Check it now, from scratch."""

    @abstractmethod
    def explain(self) -> str:
        """Return what is checked in readable form: formulas, parameters, certificates."""

    def states(self) -> Statement | None:
        """Return what it proves, if it holds, as a typed statement; None for what is in prose."""
        return None

    def explained(self) -> str:
        """Return :meth:`explain`, or what is wrong with it: then no check of it can hold."""
        try:
            return self.explain()
        except Exception as error:  # whatever a claim's own code raises is its failure
            return f"not to be read: {type(error).__name__}: {error}"


_CHECKED: dict[tuple[int, Settings], tuple[Evidence, EvidenceResult]] = {}


def checked(evidence: Evidence, settings: Settings) -> EvidenceResult:
    """Return what a check of ``evidence`` comes to; the same object is checked once."""
    key = (id(evidence), settings)
    if key not in _CHECKED or _CHECKED[key][0] is not evidence:
        try:
            result = evidence.check(settings)
        except FormulaError as error:
            result = EvidenceResult(Status.FAILS, str(error))
        _CHECKED[key] = (evidence, result)
    return _CHECKED[key][1]


@dataclass(frozen=True, kw_only=True, repr=False)
class Claim(Brief):
    """One atomic assertion of a document, made formal, with the evidence that decides it.

    The verdict is never written down here: it follows from the roles of the evidence that holds
    (:func:`dpaudit.claims.deciding.decide`), and for a typed
    statement from what the engine makes of it.
    """

    id: str
    """A short stable name, ``family-part``."""
    source: str
    """Place in the notes or in a publication ("N §2.3.3, Lemma 2.2")."""
    statement: str
    """Statement, in words and mathematics that can be read as text."""
    formula: str = ""
    """The same as mathematics, quantifiers included."""
    domain: str
    """For which parameters it is asserted."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence that decides the claim."""
    typed: Statement | None = None
    """The statement as data.  What is printed as formula and domain is made from it, and the
    verdict is about it; the texts above are comments then."""
    holds_on: tuple[str, ...] = ()
    """Conditions to add to the typed domain for the statement to hold, if it is false as it is."""
    points: tuple[Mapping[str, str], ...] = ()
    """Points for the engine to evaluate the typed statement at first: a rational per variable."""
    step_of: str = ""
    """The id of the claim whose printed proof this is a step of; empty for a claim proper."""
    derivation: str = ""
    """Argument that the evidence decides the claim: the steps a reviewer would want, in order."""
    repaired: str = ""
    """The statement that does hold, where the printed one does not."""
    ambiguous: str = ""
    """Reason why the claim has no checkable meaning; empty if it has one."""
    readings: tuple[str, ...] = ()
    """For an ambiguous claim: the readings that were tried, and what became of each."""


@dataclass(frozen=True, slots=True, repr=False)
class Decision:
    """A claim with its verdict and what every piece of evidence came to."""

    claim: Claim
    verdict: ClaimVerdict
    outcomes: tuple[EvidenceResult, ...]
    """One for each piece of the claim's evidence (fewer if its code failed)."""
    domain: str
    """Domain on which the claim is proved or verified; empty if it is not."""
    reason: str
    """Reason for an undecided, ambiguous or failed verdict; the engine's on a typed statement."""
    seconds: float
    grade: Grade = Grade.NONE

    def __repr__(self) -> str:
        """Return the claim and what became of it, in one line."""
        return f"<Decision {self.claim.id}: {self.headline} ({self.grade.value})>"

    @property
    def headline(self) -> str:
        """The verdict in a word or two; one that rests on prose says so."""
        if self.grade is Grade.ARGUED:
            return f"argued: {self.verdict.value}"
        return self.verdict.value
