"""False claims through the public interface: none is proved, whatever evidence lies beside it.

Every false statement is tried with evidence that holds and has nothing to do with it, with evidence
that is empty of content, and with evidence that contradicts itself; as prose, where nothing can be
more than argued, and as data, where the engine decides.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from mpmath import mpf

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import (
    Claim,
    ClaimVerdict,
    Evidence,
    EvidenceResult,
    Grade,
    Role,
    Settings,
    Status,
)
from dpaudit.claims.deciding import decide
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.exhaustion import Exhaustion
from dpaudit.claims.statement import exists, forall
from dpaudit.numbers.ball import ball
from dpaudit.report.claims import claims_json, claims_markdown, claims_table, tally
from dpaudit.results.claims import Statement

_LAW = "P_exp(eps/(2*LS((1, 1), ({x}))), (1, 1), ({x}), (r, n - r))"
_HERE, _NEXT = _LAW.format(x="c, n - c"), _LAW.format(x="c + 1, n - c - 1")

FALSE = {
    "EHDL is 0-DP": forall(
        "real eps, natural n c r",
        "eps > 0",
        "c + 1 <= n",
        "r <= n",
        holds=f"{_HERE} <= {_NEXT}",
    ),
    "distances are 0": forall("real a b", "a > 0", "b > 1", holds="H((a, b), (a + 1, b - 1)) == 0"),
    "LS does not depend on the data": forall(
        "natural n c", "n >= 1", "c <= n", holds="LS((1, 1), (c, n - c)) == LS((1, 1), (0, n))"
    ),
    "e^x is below 1 + x": forall("real x", "x != 0", holds="exp(x) < 1 + x"),
    "a number is below itself": exists("real x", where="x < x"),
    "Γ(1) is 2": forall("", holds="gamma(1) == 2"),
}


def _smt(**fields: object) -> SMTProof:
    return SMTProof(**{"title": "an SMT proof", "goal": "x^2 >= 0", **fields})  # type: ignore[arg-type]


def _orthant(**fields: object) -> OrthantCertificate:
    given = {"title": "a certificate", "positive": "x + 1", "shift": {"x": "s"}, **fields}
    return OrthantCertificate(**given)  # type: ignore[arg-type]


def _equal(expressions: Callable[[], list[object]], *shown: str) -> Identity:
    return Identity(title="an identity", chain=expressions, shown=shown)


def _one() -> list[object]:
    from sympy import Integer

    return [Integer(1), Integer(1)]


def _signs() -> list[object]:
    from sympy import sqrt, symbols

    x = symbols("x", real=True)
    return [sqrt(x**2), x]


class Believe(Evidence):
    """Evidence that always holds."""

    kind = "belief"

    def check(self, settings: Settings) -> EvidenceResult:
        """Hold."""
        return EvidenceResult(Status.HOLDS, "believe me")

    def explain(self) -> str:
        """Explain nothing."""
        return ""

    def states(self) -> Statement:
        """State everything."""
        return FALSE["EHDL is 0-DP"]


class Lenient(SMTProof):
    """A proof whose check is not the engine's."""

    def check(self, settings: Settings) -> EvidenceResult:
        """Hold."""
        return EvidenceResult(Status.HOLDS, "unsat")

    def states(self) -> Statement:
        """State everything."""
        return FALSE["EHDL is 0-DP"]


_TRUE = forall("real x", holds="x^2 >= 0")

EVIDENCE: dict[str, tuple[Evidence, ...]] = {
    "unrelated SMT": (_smt(),),
    "contradictory hypotheses": (_smt(hypotheses=("x > 0", "x < 0"), goal="x == x + 1"),),
    "title with a line break": (_smt(title="x\n(assert false)", goal="x > x + 1"),),
    "unrelated certificate": (_orthant(),),
    "a shift that covers a part": (_orthant(positive="x - 5", shift={"x": "5 + s"}),),
    "a positive variable from nowhere": (_orthant(positive="1", positive_variables=("t",)),),
    "an empty box": (BoxCertificate(title="box", positive="x - 9", box={"x": ("1", "0")}),),
    "a box elsewhere": (BoxCertificate(title="box", positive="x", box={"x": ("1", "2")}),),
    "contradictory products": (
        SumOfProducts(
            title="products",
            goal="0*x",
            hypotheses=("x", "-x - 1"),
            products=(("1", ("x",)), ("1", ("-x - 1",)), ("1", ("square(1)",))),
        ),
    ),
    "no products": (SumOfProducts(title="none", goal="0*x", hypotheses=("x",), products=()),),
    "unrelated identity": (_equal(_one, "EHDL", "0-DP"),),
    "an identity for some signs": (_equal(_signs, "√(x²)", "x"),),
    "a sweep of no case": (Sweep(title="sweep", bound="all", run=lambda: (0, "")),),
    "a sweep of nothing": (
        Sweep(title="sweep", bound="all", run=lambda: (9, ""), role=Role.PROVES),
    ),
    "a fact about something else": (
        Fact(
            title="fact",
            parameters={},
            shows="ε = 0",
            margin=lambda: ball(Fraction(1)),
            again=lambda: mpf(1),
        ),
    ),
    "a class of its own": (Believe(title="mine"),),
    "a subclass": (Lenient(title="mine", goal="x > x"),),
    "a derivation of something else": (Derivation(title="d", proves=_TRUE),),
    "a derivation from nothing": (Derivation(title="d", proves=FALSE["EHDL is 0-DP"]),),
    "a derivation from an empty domain": (
        Derivation(title="d", proves=forall("real x", "x > 0", "x < 0", holds="x == x + 1")),
    ),
    "a derivation from a belief": (
        Derivation(title="d", proves=FALSE["EHDL is 0-DP"], uses=(Use(Believe(title="mine")),)),
    ),
    "an exhaustion of no case": (Exhaustion(title="e", of=_TRUE),),
    "nothing": (),
}
"""Evidence of every kind that does not prove what it lies beside."""

_DECIDED = {ClaimVerdict.PROVED, ClaimVerdict.VERIFIED_TO, ClaimVerdict.HOLDS_ON}


def _claim(name: str, evidence: tuple[Evidence, ...], typed: Statement | None) -> Claim:
    return Claim(
        id="mine", source="here", statement=name, domain="all", evidence=evidence, typed=typed
    )


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_not_proved(name: str, evidence: str) -> None:
    """6 statements × 23 kinds of evidence: as data, none comes out as anything but false."""
    found = decide(_claim(name, EVIDENCE[evidence], FALSE[name]), Settings(timeout_seconds=5))
    assert found.verdict not in _DECIDED or found.grade is Grade.ARGUED, found
    assert "proved" not in found.headline.split()[:1]
    if FALSE[name].quantifier == "forall":
        assert (found.verdict, found.grade) == (ClaimVerdict.REFUTED, Grade.CHECKED)


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_prose_is_never_proved(evidence: str) -> None:
    """A claim in prose is argued at most, and every form of the report says so."""
    found = decide(_claim("EHDL is 0-DP", EVIDENCE[evidence], None), Settings(timeout_seconds=5))
    assert found.grade in (Grade.ARGUED, Grade.NONE)
    standings = {"mine": __import__("dpaudit.claims.ledger", fromlist=["x"]).Standing.UNRECORDED}
    for text in (
        claims_table([found], standings),
        claims_markdown([found]),
        claims_json([found], standings, "undecided").decode(),
        tally([found]),
    ):
        for line in text.splitlines():
            assert "proved" not in line or "argued" in line, line


def test_a_point_outside_of_the_domain_refutes_nothing() -> None:
    statement = forall("real x", "x > 0", holds="x > 0")
    claim = Claim(
        id="mine", source="", statement="", domain="", typed=statement, points=({"x": "-1"},)
    )
    assert decide(claim).verdict is ClaimVerdict.PROVED


def test_a_counterexample_beside_a_true_statement_refutes_nothing() -> None:
    evidence = Counterexample(
        title="elsewhere",
        parameters={},
        shows="1 > 0",
        margin=lambda: ball(Fraction(1)),
        again=lambda: mpf(1),
    )
    claim = _claim("true", (evidence,), forall("real x", "x > 1", holds="x^2 > x"))
    assert decide(claim).verdict is ClaimVerdict.PROVED


@pytest.mark.parametrize(
    "statement",
    [
        forall("real x", "x > 0", "x < 0", holds="x == 7"),
        forall("real x", holds="1/x == 1/x"),
        forall("real x", holds="sqrt(x)^2 == x"),
        forall("real x x", holds="x == x"),
        forall("real x", holds="y == y"),
        forall("real pi", holds="pi == pi"),
        forall("real x", holds="unheard_of(x) == 1"),
        forall("real x", holds="__import__('os') == 1"),
        forall("real x", holds="x + 1"),
    ],
)
def test_what_is_no_statement_is_not_decided(statement: Statement) -> None:
    found = decide(_claim("none", (_smt(),), statement))
    assert found.verdict is ClaimVerdict.UNDECIDED, found


def test_a_class_of_evidence_is_believed_where_the_reader_trusts_it() -> None:
    name = f"{Believe.__module__}:{Believe.__qualname__}"
    claim = _claim("prose", (Believe(title="mine"),), None)
    assert decide(claim).verdict is ClaimVerdict.UNDECIDED
    trusted = decide(claim, Settings(trusted=(name,)))
    assert (trusted.verdict, trusted.grade) == (ClaimVerdict.PROVED, Grade.ARGUED)


def test_a_file_of_claims_cannot_say_what_a_word_means(tmp_path: Path) -> None:
    from dpaudit.claims.discover import discover

    path = tmp_path / "vocabulary.py"
    path.write_text(
        "from dpaudit.claims.claim import Claim\n"
        "from dpaudit.claims.statement import forall\n"
        "FUNCTIONS = ()\nFACTS = {'all': forall('', holds='0 == 1')}\n"
        "from dpaudit.claims.derivation import Derivation, Use\n"
        "D = Derivation(title='d', proves=forall('', holds='0 == 1'), uses=(Use('all'),))\n"
        "CLAIMS = [Claim(id='mine', source='', statement='', domain='', evidence=(D,))]\n"
    )
    claim = discover([path])["mine"].claim
    assert decide(claim).verdict is ClaimVerdict.UNDECIDED
