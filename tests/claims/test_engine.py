"""Evidence is accepted where it holds and refused where it does not; verdicts follow from roles."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf, pi, sqrt

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import (
    Claim,
    ClaimVerdict,
    Evidence,
    Role,
    Settings,
    Status,
)
from dpaudit.claims.deciding import decide
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.polynomial import (
    FormulaError,
    Polynomial,
    constant,
    polynomial_of,
    smt_of,
    variable,
)
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import real

BOTH = Settings(solvers=("z3", "cvc5"))

POINTS = st.dictionaries(
    st.sampled_from("xyz"), st.fractions(-9, 9, max_denominator=9), min_size=3, max_size=3
)


def polynomials() -> st.SearchStrategy[Polynomial]:
    leaves = st.sampled_from("xyz").map(variable) | st.integers(-4, 4).map(constant)
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda operation, left, right: operation(left, right),
            st.sampled_from([Polynomial.__add__, Polynomial.__sub__, Polynomial.__mul__]),
            inner,
            inner,
        ),
        max_leaves=7,
    )


def value(polynomial: Polynomial, point: dict[str, Fraction]) -> Fraction:
    at = polynomial.substitute({name: constant(q) for name, q in point.items()})
    assert not at.variables()
    return at.constant_term()


@given(polynomials(), polynomials(), POINTS)
def test_polynomials_are_a_ring_under_evaluation(
    p: Polynomial, q: Polynomial, point: dict[str, Fraction]
) -> None:
    assert value(p + q, point) == value(p, point) + value(q, point)
    assert value(p - q, point) == value(p, point) - value(q, point)
    assert value(p * q, point) == value(p, point) * value(q, point)
    assert value(p**3, point) == value(p, point) ** 3


@given(polynomials(), POINTS)
def test_a_polynomial_is_read_back_from_its_text(p: Polynomial, point: dict[str, Fraction]) -> None:
    assert polynomial_of(str(p)) == p
    assert value(polynomial_of(f"({p})*2 - ({p})"), point) == value(p, point)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "f(x)",
        "x.y",
        "x[0]",
        "lambda: 1",
        "1.5*x",
        "x^y",
        "x if y else 1",
        "x <",
        "'x'",
        "True",
        "x^(1/2)",
    ],
)
def test_formulas_are_never_evaluated(text: str) -> None:
    for read in (polynomial_of, smt_of):
        with pytest.raises(FormulaError):
            read(text)


def test_division_by_a_variable_is_not_a_polynomial() -> None:
    with pytest.raises(FormulaError, match="division"):
        polynomial_of("1/x")
    with pytest.raises(FormulaError, match="division"):
        polynomial_of("x/(2 - 2)")


def status(evidence: Evidence, settings: Settings = BOTH) -> Status:
    return evidence.check(settings).status


def test_an_orthant_certificate_needs_every_coefficient() -> None:
    def certificate(**changes: Any) -> OrthantCertificate:
        return OrthantCertificate(
            **{
                "title": "x² > 1 for x > 1",
                "positive": "x^2 - 1",
                "shift": {"x": "1 + s"},
                "positive_variables": ("s",),
                **changes,
            }
        )

    assert status(certificate()) is Status.HOLDS
    assert status(certificate(positive_variables=())) is Status.FAILS  # at x = 1 it is 0
    assert status(certificate(positive_variables=(), strict=False)) is Status.HOLDS
    assert status(certificate(shift={"x": "s"})) is Status.FAILS
    assert status(certificate(positive="1 - x^2")) is Status.FAILS
    assert status(certificate(positive="x^2 - y")) is Status.FAILS  # y has no range
    assert "none negative" in certificate().check(BOTH).detail


def test_a_sum_of_products_must_add_up() -> None:
    def certificate(**changes: Any) -> SumOfProducts:
        return SumOfProducts(
            **{
                "title": "AM-GM",
                "goal": "x + y - 2*z",
                "hypotheses": ("x + y - 2*z - (x - y)^2", "x", "y"),
                "products": (("1", ("x + y - 2*z - (x - y)^2",)), ("1", ("square(x - y)",))),
                **changes,
            }
        )

    assert status(certificate()) is Status.HOLDS
    assert status(certificate(goal="x + y - 2*z - 1")) is Status.FAILS
    assert status(certificate(products=(("-1", ("x",)),))) is Status.FAILS
    assert status(certificate(products=(("1", ("z",)),), goal="z")) is Status.FAILS
    assert status(certificate(strict=True)) is Status.FAILS
    assert status(certificate(strict=True, positive=certificate().hypotheses)) is Status.HOLDS


def test_solvers_must_agree_and_time_out_honestly() -> None:
    proof = SMTProof(title="a square", goal="x^2 + y^2 >= 2*x*y")
    assert status(proof) is Status.HOLDS
    assert status(SMTProof(title="wrong", goal="x^2 > 2*x")) is Status.FAILS
    gap = SMTProof(title="no consequence", hypotheses=("x > 0",), goal="x < 1", satisfiable=True)
    assert status(gap) is Status.HOLDS
    hard = SMTProof(
        title="too hard for a millisecond",
        hypotheses=("x^3*y^2*z + y^5*x - z^7 == 3", "x^2 + y^2 + z^2 < 9", "x*y*z > 1"),
        goal="x^9*y + z^9*x + y^9*z > 0 - 10^2*x^3*y^3*z^3 - 10^9",
    )
    found = hard.check(Settings(timeout_seconds=0.001))
    assert found.status is Status.UNDECIDED
    assert "unknown" in found.detail


def test_an_identity_is_checked_step_by_step() -> None:
    def chain(last: str) -> Callable[[], list[Any]]:
        def build() -> list[Any]:
            import sympy

            s = sympy.Symbol("s", positive=True)
            ends = {"right": s * (s + 1), "wrong": s * (s + 2)}
            return [sympy.gamma(s + 2) / sympy.gamma(s), ends[last]]

        return build

    right = Identity(title="Γ", chain=chain("right"), shown=("Γ(s+2)/Γ(s)", "s(s+1)"))
    wrong = Identity(title="Γ", chain=chain("wrong"), shown=("Γ(s+2)/Γ(s)", "s(s+2)"))
    hidden = Identity(title="Γ", chain=chain("right"), shown=("Γ(s+2)/Γ(s)",))
    assert [status(e) for e in (right, wrong, hidden)] == [
        Status.HOLDS,
        Status.FAILS,
        Status.FAILS,
    ]


def fact(margin: Callable[[], Any], again: Callable[[], Any], **changes: Any) -> Fact:
    return Fact(title="", parameters={"n": "1"}, shows="", margin=margin, again=again, **changes)


def test_a_fact_needs_both_evaluations() -> None:
    def small() -> Any:
        return pi - mpf(355) / 113 + mpf("3e-7")

    assert status(fact(lambda: real("pi - 355/113 + 3e-7"), small)) is Status.HOLDS
    assert status(fact(lambda: real("355/113 - pi").ball(), lambda: -small())) is Status.FAILS
    assert status(fact(lambda: ball(1), lambda: mpf(-1))) is Status.FAILS
    assert status(fact(lambda: ball(2).sqrt() ** 2 - 2, lambda: mpf(1))) is Status.UNDECIDED
    tie = fact(lambda: real("sqrt(8) - 2*sqrt(2)"), lambda: sqrt(8) - 2 * sqrt(2), tie=True)
    assert status(tie) is Status.HOLDS
    assert status(fact(lambda: ball(2).sqrt() ** 2 - 2, lambda: mpf(0), tie=True)) is (
        Status.UNDECIDED
    )


def test_a_sweep_of_nothing_shows_nothing() -> None:
    assert status(Sweep(title="", bound="", run=lambda: (0, ""))) is Status.FAILS
    assert status(Sweep(title="", bound="", run=lambda: (9, "n = 4"))) is Status.FAILS
    assert status(Sweep(title="", bound="", run=lambda: (9, ""))) is Status.HOLDS


TRUE = SMTProof(title="true", goal="x^2 >= 0")
FALSE = SMTProof(title="false", goal="x > 0")


def evidence(role: Role, domain: str = "", holds: bool = True) -> Evidence:
    proof = TRUE if holds else FALSE
    return SMTProof(title=proof.title, goal=proof.goal, role=role, domain=domain)


@pytest.mark.parametrize(
    ("given_evidence", "verdict"),
    [
        ([], "undecided"),
        ([evidence(Role.PROVES)], "proved"),
        ([evidence(Role.PROVES), evidence(Role.LEMMA)], "proved"),
        ([evidence(Role.LEMMA)], "undecided"),
        ([evidence(Role.ILLUSTRATES)], "undecided"),
        ([evidence(Role.REFUTES)], "refuted"),
        ([evidence(Role.REFUTES), evidence(Role.LEMMA)], "refuted"),
        ([evidence(Role.REFUTES), evidence(Role.PROVES, "n > 2")], "holds_on"),
        ([evidence(Role.REFUTES), evidence(Role.PROVES)], "undecided"),
        ([evidence(Role.REFUTES), evidence(Role.VERIFIES)], "undecided"),
        ([evidence(Role.VERIFIES)], "verified_to"),
        ([evidence(Role.GAP)], "gap"),
        ([evidence(Role.PROVES, "n > 2")], "undecided"),
        ([evidence(Role.PROVES), evidence(Role.LEMMA, holds=False)], "undecided"),
        ([evidence(Role.PROVES, holds=False)], "undecided"),
        ([evidence(Role.REFUTES, holds=False), evidence(Role.PROVES, "n > 2")], "undecided"),
        ([evidence(Role.PROVES), evidence(Role.ILLUSTRATES, holds=False)], "undecided"),
    ],
)
def test_verdicts_follow_from_roles(given_evidence: list[Evidence], verdict: str) -> None:
    claim = Claim(id="c", source="", statement="", domain="all", evidence=tuple(given_evidence))
    assert decide(claim).verdict is ClaimVerdict(verdict)


def test_an_ambiguous_claim_names_its_readings() -> None:
    claim = Claim(id="c", source="", statement="", domain="", ambiguous="O(n) of what?")
    assert decide(claim).verdict is ClaimVerdict.UNDECIDED
    read = Claim(
        id="c", source="", statement="", domain="", ambiguous="O(n) of what?", readings=("n",)
    )
    assert decide(read).verdict is ClaimVerdict.AMBIGUOUS


def test_a_claim_that_raises_fails_alone() -> None:
    def broken() -> Any:
        raise ValueError("planted")

    evidence = Counterexample(title="b", parameters={}, shows="", margin=broken, again=broken)
    claim = Claim(id="c", source="", statement="", domain="", evidence=(evidence,))
    found = decide(claim)
    assert found.verdict is ClaimVerdict.FAILED
    assert found.reason == "ValueError: planted"


def test_verdicts_and_statuses_are_no_bools() -> None:
    for value_of_enum in (ClaimVerdict.PROVED, Status.HOLDS):
        with pytest.raises(TypeError):
            bool(value_of_enum)


def test_a_counterexample_refutes() -> None:
    example = Counterexample(
        title="",
        parameters={"n": "2"},
        shows="3 > 2",
        margin=lambda: real(1),
        again=lambda: mpf(1),
    )
    claim = Claim(id="c", source="", statement="", domain="", evidence=(example,))
    assert decide(claim).verdict is ClaimVerdict.REFUTED
