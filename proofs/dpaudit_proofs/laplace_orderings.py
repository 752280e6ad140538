"""The probability of a vector of noises, and the factor that L gives it.

L's 1/(|S_noise|!·2^|L_noise/0|) has a power of two for the signs of the noises, which is right for
noise rounded toward zero, and a factorial for their orderings, which is not: the noises are
independent and the vector is ordered, so its probability is the plain product.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

from mpmath import mpf

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.real import real
from dpaudit_proofs.derived_noise import POWERS
from dpaudit_proofs.laplace_noise import (
    AT,
    POSITIVE_BIN,
    between,
    bin_of_size,
    floor_mass,
    truncated_mass,
)
from dpaudit_proofs.typed_events import AS_MANY
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["CLAIMS", "factor"]


def factor(noises: Sequence[int], *, zero_counts: bool) -> Fraction:
    """Return 1/(|S_noise|!·2^|L_noise/0|) as L defines it, 0 counted in S_noise or not."""
    different = {abs(j) for j in noises} - (set() if zero_counts else {0})
    return Fraction(1, factorial(len(different)) * 2 ** sum(j != 0 for j in noises))


def _normalisation() -> list[Any]:
    from sympy import Rational, symbols

    t = symbols("t", positive=True)
    half = Rational(1, 2)
    equal = (1 - t) ** 2 / (1 - t**2)
    return [equal + half * (1 - equal), 1 / (1 + t)]


CLAIMS = (
    Claim(
        id="lap-product",
        source="N §3.4.1, the display before the halves",
        statement="the probability of a vector of rounded noises is the product of the bins of Y",
        formula="∀ m ≥ 2, ∀ (j_1, …, j_(m−1)) ∈ ℤ^(m−1): P(Lap_1 = j_1, …, Lap_(m−1) = j_(m−1)) = "
        "Π P(j_i ≤ Y < j_i + 1)",
        domain="all m ≥ 2, all ε > 0, all integer noises, Lap_i = ⌊Y_i⌋ independent",
        evidence=(
            SMTProof(
                title="⌊y⌋ = j exactly if j ≤ y < j + 1: whole f with f ≤ y < f + 1 is j",
                hypotheses=("f <= y and y < f + 1", "f <= j - 1 or f == j or f >= j + 1"),
                goal="(f == j and j <= y and y < j + 1) or (f != j and (y < j or y >= j + 1))",
            ),
        ),
        derivation="The events agree coordinate by coordinate, and the coordinates are "
        "independent.  N writes noise on all m coordinates and counts m − 1: the last one of a "
        "candidate is determined by the others.",
    ),
    Claim(
        id="lap-group",
        typed=forall(  # of m = 2, where it fails too
            "real eps, natural j",
            "eps > 0",
            "j >= 1",
            holds="F_lap(2/eps, j + 1) - F_lap(2/eps, j) + F_lap(2/eps, -j + 1) - F_lap(2/eps, -j) "
            "== exp(-j*eps/2) - exp(-(j + 1)*eps/2)",
        ),
        source="N §3.1; L §3.1",
        statement="the probability of a group of m − 1 noises is the product of the bins of |Y|",
        formula="∀ m ≥ 2, ∀ j_1, …, j_(m−1) ≥ 0: P(|Lap_1| = j_1, …, |Lap_(m−1)| = j_(m−1)) = "
        "Π (e^(−j_i·ε/2) − e^(−(j_i+1)ε/2))",
        domain="all m ≥ 2, all ε > 0, all integers j_i ≥ 0, Lap_i = ⌊Y_i⌋ independent",
        evidence=(
            Counterexample(
                title="two noises, 1 and 2",
                parameters={**AT, "m": "3", "j": "(1, 2)"},
                shows="P(|⌊Y_1⌋| = 1, |⌊Y_2⌋| = 2) > (t − t²)·(t² − t³)",
                margin=lambda: (
                    (floor_mass(1) + floor_mass(-1)) * (floor_mass(2) + floor_mass(-2))
                    - bin_of_size(1) * bin_of_size(2)
                ),
                again=lambda: (
                    (between(1, 2) + between(-1, 0)) * (between(2, 3) + between(-2, -1))
                    - 4 * between(1, 2) * between(2, 3)
                ),
            ),
            Fact(
                title="rounded toward zero it is right",
                role=Role.ILLUSTRATES,
                parameters={**AT, "m": "3", "j": "(1, 2)"},
                shows="P(|Lap_1| = 1, |Lap_2| = 2) = (t − t²)·(t² − t³), rounded toward zero",
                margin=lambda: (
                    (truncated_mass(1) + truncated_mass(-1))
                    * (truncated_mass(2) + truncated_mass(-2))
                    - bin_of_size(1) * bin_of_size(2)
                ),
                again=lambda: (
                    (between(1, 2) + between(-2, -1)) * (between(2, 3) + between(-3, -2))
                    - 4 * between(1, 2) * between(2, 3)
                ),
                tie=True,
            ),
        ),
        derivation="The product over the coordinates is right, its factors are not: lap-floor.  "
        "For m = 2 it fails at every j and ε.  If the braces mean a group without order, the "
        "number of its orderings is missing as well.",
        repaired="It holds for noise rounded toward zero, as an ordered vector.",
    ),
    Claim(
        id="lap-orderings",
        source="L §4.3.1",
        statement="the probability of a vector of noises is that of the vector of their absolute "
        "values times 1/(|S_noise|!·2^|L_noise/0|)",
        formula="P(Lap_1, …, Lap_(m−1)) = 1/(|S_noise|!·2^|L_noise/0|)·Π P(|Lap_i| ≤ |Y| < "
        "|Lap_i| + 1);  S_noise the set of the |Lap_i|, L_noise/0 the list of those that are not 0",
        domain="all m ≥ 2, all ε > 0, all integer noises; noise rounded by floor (as printed) or "
        "toward zero (as the tables), 0 counted in S_noise (as defined) or not (as used)",
        evidence=(
            Counterexample(
                title="two different noises: the formula gives half of the probability",
                parameters={**AT, "m": "3", "noise": "(1, 2)"},
                shows="P(1, 2) > (1/(2!·2²))·P(1 ≤ |Y| < 2)·P(2 ≤ |Y| < 3)",
                margin=lambda: (
                    floor_mass(1) * floor_mass(2)
                    - real(factor((1, 2), zero_counts=True)) * bin_of_size(1) * bin_of_size(2)
                ),
                again=lambda: between(1, 2) * between(2, 3) - between(1, 2) * between(2, 3) * 4 / 8,
            ),
            POSITIVE_BIN,
            SumOfProducts(
                title="there, and for every ε, floor and rounding toward zero alike",
                role=Role.LEMMA,
                goal="(1 - t)*t/2*((1 - t)*t^2/2) - (1 - t)*t*(1 - t)*t^2/8",
                hypotheses=("t", "1 - t"),
                products=(("1/8", ("t", "t", "t", "1 - t", "1 - t")),),
                strict=True,
                positive=("t", "1 - t"),
            ),
            SMTProof(
                title="toward zero: Π bins is B, the true probability x = B/W, W = 2^|L_noise/0|, "
                "the formula's y = B/(F·W), F = |S_noise|!; equal exactly if F = 1",
                domain="rounded toward zero: exactly |S_noise| ≤ 1, so always for m = 2",
                hypotheses=("B > 0 and W > 0 and F > 0", "x*W == B", "y*F*W == B"),
                goal="(F == 1 and x == y) or (F != 1 and x != y)",
            ),
            SMTProof(
                title="floor, no noise negative: x = B/(W·Z), a half for every noise, Z = 2^z for "
                "the z noises that are 0",
                domain="rounded by floor, no noise negative: exactly |S_noise|! = 2^z, z the "
                "number of noises that are 0",
                hypotheses=("B > 0 and W > 0 and F > 0 and Z > 0", "x*W*Z == B", "y*F*W == B"),
                goal="(F == Z and x == y) or (F != Z and x != y)",
            ),
            Identity(
                title="for m = 3 the formula (0 counted in S_noise) adds up to 1/(1 + t), not to 1",
                role=Role.ILLUSTRATES,
                chain=_normalisation,
                shown=(
                    "Σ_(|a| = |b|) (1 − t)²·t^(|a|+|b|) + ½·(the rest)",
                    "1/(1 + t)",
                ),
            ),
        ),
        derivation="The noises are independent, so an ordered vector has the product of the "
        "probabilities; a factorial counts the orderings of an unordered group, which this is not. "
        "Rounded toward zero, the true factor is 2^(−|L_noise/0|): the printed one is too small by "
        "|S_noise|!, right exactly where |S_noise| ≤ 1.  By floor a noise of 0 has half its bin, "
        "so that one 0 makes up for a 2! (the noises (0, 1), 0 counted; (0, 1, 2), 0 not counted), "
        "and a negative one 1/t times its half, which the formula does not know.  The second "
        "line of the display drops the absolute value of Lap(2/ε); that halves every factor once "
        "more and leaves 1/8 of the truth at the counterexample.",
        repaired="P(Lap_1, …, Lap_(m−1)) = 2^(−|L_noise/0|)·Π P(|Lap_i| ≤ |Y| < |Lap_i| + 1) for "
        "noise rounded toward zero.",
    ),
    Claim(
        id="lap-orderings-zero",
        **REFUTED["lap-orderings-zero"],
        source="L §4.3.1",
        statement="at 0 steps |S_noise| = |L_noise/0| = 0",
        formula="∀ m ≥ 2: Lap_1 = … = Lap_(m−1) = 0 ⟹ |S_noise| = 0 and |L_noise/0| = 0",
        domain="all m ≥ 2; S_noise obtained from the list of the |Lap_i| by removing duplicates",
        evidence=(
            Counterexample(
                title="S_noise is {0}, which has one element",
                parameters={"noise": "(0, 0)"},
                shows="|S_noise| > 0",
                margin=lambda: real(len({abs(j) for j in (0, 0)})),
                again=lambda: mpf(len({abs(j) for j in (0, 0)})),
            ),
        ),
        derivation="Harmless where it is used, since 0! = 1!; but with 0 counted the factor of "
        "(1, 0) is 1/(2!·2), without it 1/2, and only the latter gives step 1 of DL(21,21,21).",
        repaired="|S_noise| = 1 and |L_noise/0| = 0.",
    ),
    Claim(
        id="lap-last-coordinate",
        typed=forall(
            "real a b d, natural x y z",
            "a > 0",
            "b > 0",
            "d > 0",
            holds="d + z == x + y + z - (a + x + b + y)",
        ),
        points=({"a": "1", "b": "1", "d": "1", "x": "20", "y": "20", "z": "20"},),
        source="L §4.3.1",
        statement="the last parameter of the output is n − (α_1 + Lap_1 + … + α_(m−1) + "
        "Lap_(m−1)), DL(α_1, …, α_m) being the correct posterior",
        formula="Lap_1 = … = Lap_(m−1) = 0 ⟹ α_m = n − (α_1 + … + α_(m−1))",
        domain="all m ≥ 2, priors and data; n the number of records",
        evidence=(
            Counterexample(
                title="without noise the last parameter of DL(21,21,21) becomes 18",
                parameters={"prior": "(1,1,1)", "x": "(20,20,20)"},
                shows="21 > 60 − (21 + 21)",
                margin=lambda: real(21) - real(60 - 42),
                again=lambda: mpf(21) - (60 - 42),
            ),
        ),
        derivation="The parameters of a posterior add up to n plus those of the prior.  (The "
        "display leaves out “…”, and N has noise on all m coordinates instead.)",
        repaired="n + (the sum of the prior's parameters) − (α_1 + Lap_1 + … + α_(m−1) + "
        "Lap_(m−1)).",
    ),
    Claim(
        id="lap-decay-count",
        typed=AS_MANY,
        source="L §4.3.1",
        statement="|S_noise| ≤ m − 1 and |L_noise/0| ≤ m − 1",
        formula="∀ m ≥ 2, all noises: |S_noise| ≤ m − 1 and |L_noise/0| ≤ m − 1",
        domain="all m ≥ 2, all integer noises",
        evidence=(
            SMTProof(
                title="one more noise lengthens the list l by 1 and either count c by 0 or 1",
                hypotheses=("c <= l", "d == c or d == c + 1", "k == l + 1"),
                goal="d <= k",
            ),
        ),
        derivation="By induction on the noises, from the empty list.",
    ),
    Claim(
        id="lap-decay-speed",
        source="L §4.3.1; N §3.4.1, where the bound is left blank",
        statement="the probabilities of good answers fall with a speed of at most (m − 1)!·2^(m−1)",
        domain="all m ≥ 2, n, ε > 0",
        ambiguous="It is not said of what the speed is taken, in n or in m, nor what it is a bound "
        "on; N prints no bound at all.",
        readings=(
            "The factor 1/(|S_noise|!·2^|L_noise/0|) is at least 1/((m − 1)!·2^(m−1)): true "
            "(lap-decay-count), but the factor is not that of the probability (lap-orderings).",
            "The correct answer has probability at least 1/((m − 1)!·2^(m−1)): false, "
            "(1 − t)^(m−1) is less at m = 2 for every ε < 2·ln 2.",
            "The probability of a given noise does not depend on n: true, by its definition and "
            "without any bound.",
            "It falls little as m grows: false, the correct answer has (1 − t)^(m−1).",
        ),
        evidence=(
            Fact(
                title="the correct answer is rarer than 1/((m − 1)!·2^(m−1))",
                role=Role.ILLUSTRATES,
                parameters={**AT, "m": "2"},
                shows="1/(1!·2) > 1 − e^(−ε/2) = P(0)",
                margin=lambda: real(Fraction(1, 2)) - truncated_mass(0),
                again=lambda: mpf(1) / 2 - between(-1, 0) - between(0, 1),
            ),
        ),
    ),
    Claim(
        id="lap-decay-comparison",
        typed=forall(
            "natural n",
            "n >= 8",
            holds="2 < n^1 and 8 < n^2 and 48 < n^3 and 384 < n^4 and 3840 < n^5 and 46080 < "
            "n^6 and 645120 < n^7 and 10321920 < n^8",
        ),
        source="L §4.3.1",
        statement="(m − 1)!·2^(m−1) is smaller than n^(m−1), for m below 10",
        formula="∀ 2 ≤ m ≤ 9, ∀ n ≥ 8: (m − 1)!·2^(m−1) < n^(m−1)",
        domain="2 ≤ m ≤ 9 and n ≥ 8 (“n ≫ 2”; for all these m it begins to hold there)",
        evidence=(
            POWERS,
            *(
                OrthantCertificate(
                    title=f"m = {m}",
                    positive=f"n^{m - 1} - {factorial(m - 1) * 2 ** (m - 1)}",
                    shift={"n": "8 + s"},
                )
                for m in range(2, 10)
            ),
            Fact(
                title="at n = 7 it is false for m = 9",
                role=Role.ILLUSTRATES,
                parameters={"m": "9", "n": "7"},
                shows="8!·2^8 > 7^8",
                margin=lambda: real(factorial(8) * 2**8 - 7**8),
                again=lambda: mpf(factorial(8) * 2**8 - 7**8),
            ),
        ),
        derivation="One certificate for each m; together they cover all m.  “Much smaller” is not "
        "quantified.",
    ),
)
