"""Lemma 2.3: M_H is (ε, δ)-differentially private; its printed proof, and the tables' form.

The printed proof moves the set U of scores by U₁ (sliding), then scales it (dilation).  With
Δ = u(y, z) − u(x, z) the triangle inequality gives |Δ| ≤ H(x, y) ≤ LS(x) ≤ S(x).  Sliding needs
Δ ≥ −S(x), which holds; but U₁ is printed as Δ/S(x), and its bound as U₁ ≥ −S(x).  Dilation needs
the factor S(x)/S(y) = e^λ with |λ| ≤ β; it is printed with a further factor ln(NL(x)/NL(y)), which
is 0 wherever the two normalisers agree.

The lemma itself is true, even with δ = 0: up to n = 50 it is certified for every ε > 0 and
0 < δ < 1 (:mod:`dpaudit_proofs.every_budget`), and from n = 51 on there is a proof
(:mod:`dpaudit_proofs.every_smoothing`).  For every prior, k and n there is one of less, 3ε/2 in
place of ε (:mod:`dpaudit_proofs.smooth_privacy`).  On more categories the lemma is false
(:mod:`dpaudit_proofs.dirichlet_privacy`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, SMTProof, Sweep
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import ONE, real
from dpaudit.questions.check.function import check
from dpaudit.results import Verdict
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_exponentials import DELTA_SMALL
from dpaudit_proofs.every_budget import losses_within, normalisers_within
from dpaudit_proofs.every_size import BEYOND, FORMULAS
from dpaudit_proofs.every_smoothing import EVIDENCE as EVERY_SMOOTHING
from dpaudit_proofs.smooth_mechanism import Law, Setting, both
from dpaudit_proofs.smooth_privacy import FACTOR, NORMALISER
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS"]

_LARGEST_AUDIT = 100
_LARGEST_EVERY = 50
_LARGEST_RATIO = 30
_MODERATE = Fraction(3, 4)
"""e^(3/4) + 1/2 < e: below it lemma-2.3-ratio-moderate holds for every δ."""


def _below_minus_sensitivity(law: Law) -> Any:
    """Return −S(x) − U₁ at z = BI(x): there Δ = −H(x, y)."""
    return law.distance[(1, 1)] / law.sensitivity - law.sensitivity


def _far_likelier(x: Law, y: Law) -> Any:
    """Return P_x(u = 0) − P_y(u(y, z) = −H), the two sides that are said to be equal."""
    return x.mass((1, 0)) - y.mass((1, 0))


def _event_excess(x: Law, y: Law) -> Any:
    """Return P_x(z = BI(x)) − e^ε·P_y(z = BI(x)) − δ."""
    output = (0, 10)
    return x.mass(output) - x.exp(x.epsilon) * y.mass(output) - x.delta


def _output_twice(law: Law) -> Any:
    """Return 2·P(z ∈ R) − P(u ∈ U), U all scores."""
    total = sum(law.weight.values()) / law.normaliser
    return 2 * total - total


_SMALL = Setting(n=2, epsilon="4/5", delta="1/2000")
_ONE = Setting(n=1, epsilon="4/5", delta="1/2000")
_TABLES = Setting(n=10, epsilon="4/5", delta="1/2000", divisor=1)
_U1 = both(_SMALL, _below_minus_sensitivity, (2, 0))
_U3 = both(_ONE, _far_likelier, (1, 0), (0, 1))
_ALL = both(_SMALL, _output_twice, (1, 1))
_TEN = both(_TABLES, _event_excess, (0, 10), (1, 9))


def _audits() -> tuple[int, str]:
    found = check("MH", range(1, _LARGEST_AUDIT + 1))
    for result in found.results:
        if result.verdict is not Verdict.WITHIN:
            assert result.verdict is not None
            return len(found.results), f"n = {result.n}: {result.verdict.value}"
    return sum(result.pairs_covered for result in found.results), ""


def _first_failure(failing: Callable[[int], str], largest: int) -> tuple[int, str]:
    """Return the number of sizes and the first failure among n = 1, …, ``largest``."""
    failures = (failing(n) for n in range(1, largest + 1))
    return largest, next(filter(None, failures), "")


def _moderate_again() -> Any:
    from mpmath import exp

    return exp(1) - exp(number("3/4")) - number("1/2")


def _delta_again() -> Any:
    from mpmath import exp

    return (exp(1) / 2 - 1) * number("1/2000")


CLAIMS = (
    Claim(
        id="lemma-2.3",
        source="N §2.3.4, Lemma 2.3; L",
        statement="M_H is (ε, δ)-differentially private",
        formula="∀ x ~ y, ∀ S: P_x(S) ≤ e^ε·P_y(S) + δ, with Def. 2.1 and "
        "β = ln(1 − ε/(2·ln(δ/(2(n + 1)))))",
        domain="k = 2, prior (1,1), all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Sweep(
                title="certified audits over all pairs at the notes' settings",
                bound=f"pairs at ε = 4/5, δ = 1/2000, n = 1..{_LARGEST_AUDIT}",
                domain=f"ε = 4/5, δ = 1/2000, n = 1..{_LARGEST_AUDIT}",
                run=_audits,
            ),
            Sweep(
                title="every budget at once: the loss of each output is at most ε",
                bound=f"n = 1..{_LARGEST_EVERY}, all pairs, outputs, ε > 0 and 0 < δ < 1",
                domain=f"every ε > 0 and 0 < δ < 1, n = 1..{_LARGEST_EVERY}",
                run=lambda: _first_failure(losses_within, _LARGEST_EVERY),
            ),
            *EVERY_SMOOTHING,
            FORMULAS,
            BEYOND,
        ),
        derivation="The printed proof does not stand (lemma-2.3-U1, lemma-2.3-U3, lemma-2.3-sets, "
        "sliding-literal, dilation-literal), and L states on both sides the probabilities at x, "
        "which compares nothing.  n ≤ 50: the second piece of evidence.  n ≥ 51: lemma-2.3-large, "
        "which the others prove.  The realised δ(ε) is 0: M_H is even ε-differentially private.  "
        "For other priors and k: lemma-2.3-repaired (3ε/2) and lemma-2.3-small.",
    ),
    Claim(
        id="lemma-2.3-sets",
        **REFUTED["lemma-2.3-sets"],
        source="N §2.3.4, proof of Lemma 2.3, “Given that”",
        step_of="lemma-2.3",
        statement="2·P_x(z ∈ S) = P_x(u(x, z) ∈ U) for all sets S, U the scores of its members",
        formula="∀ x, ∀ S ⊆ R: 2·P_x(z ∈ S) = P_x(u(x, z) ∈ U), U = {u(x, r) : r ∈ S}",
        domain="k = 2, prior (1,1), all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Counterexample(
                title="S = R: the left side is 2, the right side 1",
                parameters={**_SMALL.parameters, "x": "(1,1)", "S": "R"},
                shows="2·P_x(z ∈ R) > P_x(u(x, z) ∈ U)",
                margin=_ALL[0],
                again=_ALL[1],
            ),
        ),
        derivation="Nor can it be meant of some U for each S: no set of scores has probability 2.",
        repaired="P_x(z ∈ S) ≤ P_x(u(x, z) ∈ U), with equality if S is a union of sets of equal "
        "scores; 2·P_x(z ∈ S) = P_x(u(x, z) ∈ U) if S holds one of each pair of equal scores and "
        "no output that is alone with its score (corr-half).",
    ),
    Claim(
        id="lemma-2.3-delta",
        typed=forall(
            "real eps delta",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            holds="exp(eps/2)*delta/2 <= delta",
        ),
        holds_on=("eps <= 2*log(2)",),
        source="N §2.3.4, proof of Lemma 2.3, third and fourth line (δ′ is not defined)",
        step_of="lemma-2.3",
        statement="e^(ε/2)·δ′/2 ≤ δ with the δ′ = δ that Lemma 2.2 gives",
        formula="∀ ε > 0, 0 < δ < 1: e^(ε/2)·δ/2 ≤ δ",
        domain="all ε > 0, 0 < δ < 1",
        evidence=(
            DELTA_SMALL,
            Counterexample(
                title="at ε = 2 the factor e is above 2",
                parameters={"ε": "2", "δ": "1/2000"},
                shows="e·δ/2 > δ",
                margin=lambda: (real("exp(1)") / real(2) - ONE) * real("1/2000"),
                again=_delta_again,
            ),
            SMTProof(
                title="s·δ/2 ≤ δ for s = e^(ε/2) ≤ 2",
                hypotheses=("s <= 2", "d > 0"),
                goal="s*d/2 <= d",
                domain="ε ≤ 2·ln 2",
            ),
        ),
        derivation="The two sides are equal at ε = 2·ln 2, and the left side is larger for every "
        "larger ε.  The δ/2 that Lemma 2.1 allows is not counted (and not needed).",
        repaired="With the dilation property at δ′ = 2·e^(−ε/2)·δ (for δ′ < 1) instead of δ, which "
        "is another β.",
    ),
    Claim(
        id="lemma-2.3-U1",
        typed=forall(
            "real eps delta, natural n c r",
            "eps > 0",
            "delta > 0",
            "delta < 1",
            "n >= 1",
            "c >= 1",
            "c <= n",
            "r <= n",
            holds="(H((c + 1, n - c + 1), (r + 1, n - r + 1)) - H((c, n - c + 2), (r + 1, n - "
            "r + 1)))/S_beta((1, 1), log(1 - eps/(2*log(delta/(2*(n + 1))))), (c, n - "
            "c)) >= -S_beta((1, 1), log(1 - eps/(2*log(delta/(2*(n + 1))))), (c, n - c))",
        ),
        points=({"eps": "4/5", "delta": "1/2000", "n": "2", "c": "2", "r": "2"},),
        source="N §2.3.4, proof of Lemma 2.3, first inequality",
        step_of="lemma-2.3",
        statement="U₁ = (u(y, z) − u(x, z))/S(x) ≥ −S(x)",
        formula="∀ x ~ y, ∀ z: (H(x, z) − H(y, z))/S(x) ≥ −S(x)",
        domain="k = 2, prior (1,1), all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Counterexample(
                title="at z = BI(x), for the farthest neighbour",
                parameters={**_SMALL.parameters, "x": "(2,0)", "y": "(1,1)", "z": "(2,0)"},
                shows="−S(x) > U₁",
                margin=_U1[0],
                again=_U1[1],
            ),
            SMTProof(
                title="without the division it is the triangle inequality",
                role=Role.ILLUSTRATES,
                hypotheses=("hy <= hx + d", "d <= ls", "ls <= s"),
                goal="hx - hy >= -s",
            ),
        ),
        repaired="u(y, z) − u(x, z) ≥ −S(x), that is U₁ ≥ −1: the division by S(x) does not belong "
        "into a bound by −S(x), as S(x) < 1.",
    ),
    Claim(
        id="lemma-2.3-U3",
        **REFUTED["lemma-2.3-U3"],
        source="N §2.3.4, proof of Lemma 2.3, U₃ and the last line",
        step_of="lemma-2.3",
        statement="P_x(u(x, z) ∈ U₃) = P_y(u(y, z) ∈ U)",
        formula="∀ x ~ y, ∀ U: P_x(u(x, ·) ∈ U₃) = P_y(u(y, ·) ∈ U), "
        "U₃ = U₂·(S(x)/S(y))·ln(NL(x)/NL(y))",
        domain="k = 2, prior (1,1), all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Counterexample(
                title="mirror images have the same normaliser, so that U₃ is {0} whatever U is",
                parameters={**_ONE.parameters, "x": "(1,0)", "y": "(0,1)", "U": "{−H(x, y)}"},
                shows="P_x(u ∈ {0}) > P_y(u(y, z) ∈ U)",
                margin=_U3[0],
                again=_U3[1],
            ),
        ),
        derivation="At n = 1 the prior's symmetry swaps the two datasets, so NL(x) = NL(y) and the "
        "factor ln(NL(x)/NL(y)) is 0.  The left side is then P_x(z = BI(x)), the right side "
        "P_y(z = BI(x)).  A normaliser enters a probability as a factor, not a score.",
        repaired="P_x(u(x, z)·S(y)/S(x) ∈ U) and P_y(u(y, z) ∈ U) differ by the factor "
        "NL(x)/NL(y) and by which candidates have these scores.",
    ),
    Claim(
        id="lemma-2.3-ratio",
        source="N §2.3.4, proof of Lemma 2.3, second inequality",
        step_of="lemma-2.3",
        statement="(S(x)/S(y))·ln(NL(x)/NL(y)) ≤ 1 − ε/(2·ln(δ/(2(n + 1))))",
        formula="∀ x ~ y: (S(x)/S(y))·ln(NL(x)/NL(y)) ≤ e^β",
        domain="k = 2, prior (1,1), all n ≥ 1, ε > 0, 0 < δ < 1",
        evidence=(
            Sweep(
                title="the normalisers of neighbours differ by at most a factor e, at ε ≥ 3/4",
                bound=f"n = 1..{_LARGEST_RATIO}, all pairs, every ε ≥ 3/4 and 0 < δ < 1",
                domain=f"every ε > 0 and 0 < δ < 1, n = 1..{_LARGEST_RATIO}",
                run=lambda: _first_failure(
                    lambda n: normalisers_within(n, _MODERATE), _LARGEST_RATIO
                ),
            ),
            NORMALISER,
            FACTOR,
            Fact(
                title="e^(3/4) + 1/2 < e, so that smaller ε need no sweep",
                role=Role.LEMMA,
                parameters={"ε": "3/4", "δ": "1"},
                shows="e > e^ε + δ/2",
                margin=lambda: real("exp(1)") - real("exp(3/4)") - real("1/2"),
                again=_moderate_again,
            ),
        ),
        derivation="S(x)/S(y) ≤ e^β because S is β-smooth, so the inequality follows from "
        "ln(NL(x)/NL(y)) ≤ 1, which for e^ε + δ/2 ≤ e holds at all n (lemma-2.3-ratio-moderate; "
        "the notes' ε = 4/5 and δ = 1/2000 are of this kind).  For larger ε no proof for all n is "
        "given.  The dilation property does not ask for any of this: it needs S(x)/S(y) ≤ e^β.",
    ),
    Claim(
        id="lemma-2.3-tables",
        typed=forall(
            "natural n c r",
            "n >= 1",
            "c + 1 <= n",
            "r <= n",
            holds="P_exp(4/5/S_beta((1, 1), log(1 - 4/10/log(1/(4000*(n + 1)))), (c, n - c)), "
            "(1, 1), (c, n - c), (r, n - r)) <= exp(4/5)*P_exp(4/5/S_beta((1, 1), log(1 "
            "- 4/10/log(1/(4000*(n + 1)))), (c + 1, n - c - 1)), (1, 1), (c + 1, n - c - "
            "1), (r, n - r)) + 1/2000",
        ),
        points=({"n": "10", "c": "0", "r": "0"},),
        source="N §3.3 and the tables of N §3.4.1 (no factor 2 in the exponent)",
        statement="M_H without the factor 2, P(r) ∝ exp(−ε·H(x, r)/S(x)) as N §3.3 has it, keeps "
        "the budget (4/5, 1/2000)",
        formula="∀ n, ∀ x ~ y, ∀ S: P_x(S) ≤ e^(4/5)·P_y(S) + 1/2000",
        domain="k = 2, prior (1,1), ε = 4/5, δ = 1/2000, all n ≥ 1",
        evidence=(
            Counterexample(
                title="one output is enough",
                parameters={**_TABLES.parameters, "x": "(0,10)", "y": "(1,9)", "S": "{(0,10)}"},
                shows="P_x(S) − e^ε·P_y(S) > δ",
                margin=_TEN[0],
                again=_TEN[1],
            ),
        ),
        repaired="With the factor 2 of Def. 2.1 it is kept at every n that was audited.",
        derivation="The audits of n = 10..180 exceed the budget at every single size.  (What the "
        "tables print is LS(x) in place of S(x), without the factor 2 as well: "
        "tables-exponential-local.)",
    ),
)
