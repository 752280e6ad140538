"""The rounded Laplace noise of the notes: tails, bins and halves.

Y ~ Lap(2/ε) has density (ε/4)·e^(−|y|ε/2).  With t = e^(−ε/2), 0 < t < 1, every probability here is
a polynomial in t: for an integer j ≥ 0

    P(j ≤ |Y| < j + 1) = t^j − t^(j+1)   and   P(j ≤ Y < j + 1) = ½·(t^j − t^(j+1)),

so that

    ⌊Y⌋ = j            has mass ½(1 − t)·t^j for j ≥ 0 and ½(1 − t)·t^(|j|−1) for j < 0,
    Y toward zero = j  has mass (1 − t) for j = 0 and ½(1 − t)·t^|j| for j ≠ 0.

N §3.1 defines the noise by ⌊Y⌋ and computes with the bins of |Y|, which are those of rounding
toward zero; its halves (§3.4.1) are those of ⌊Y⌋ again, and its tables those of rounding toward
zero (:mod:`dpaudit_proofs.laplace_tables`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import exp, inf, quad

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Identity
from dpaudit.claims.statement import forall
from dpaudit.laws.geometric import floor, toward_zero
from dpaudit.numbers.real import ONE, Real, real
from dpaudit_proofs.definitions import number
from dpaudit_proofs.derived_noise import EXPONENTIAL_BINS, TAIL_OF_NOISE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "AT",
    "CLAIMS",
    "POSITIVE_BIN",
    "RATE",
    "between",
    "bin_of_size",
    "floor_mass",
    "truncated_mass",
]

RATE = Fraction(2, 5)
"""ε/2 at the notes' own ε = 0.8, at which the counterexamples and the tables are taken."""

AT = {"ε": "4/5"}
"""The parameters that go with it."""


def floor_mass(j: int) -> Real:
    """Return P(⌊Y⌋ = j)."""
    return floor(0).mass(j).at(real(RATE))


def truncated_mass(j: int) -> Real:
    """Return P(Y rounded toward zero = j)."""
    return toward_zero(0).mass(j).at(real(RATE))


def bin_of_size(j: int) -> Real:
    """Return e^(−jε/2) − e^(−(j+1)ε/2)."""
    return (real(-j) * real(RATE)).exp() - (real(-j - 1) * real(RATE)).exp()


def between(low: Any, high: Any) -> Any:
    """Return P(low ≤ Y < high) by integrating the density, for an interval on one side of 0."""
    rate = number(RATE)
    return quad(lambda y: rate / 2 * exp(-abs(y) * rate), [low, high])


def _tail() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, oo, symbols

    s, c = symbols("s c", positive=True)
    y = symbols("y", real=True)
    return [2 * integrate(c / 2 * e(-c * y), (y, s, oo)), e(-c * s)]


def _bin() -> list[Any]:
    _, twice, halved = _positive_bin()
    return [2 * twice, 2 * halved]


def _positive_bin() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, symbols

    c = symbols("c", positive=True)
    j = symbols("j", nonnegative=True)
    y = symbols("y", real=True)
    return [
        integrate(c / 2 * e(-c * y), (y, j, j + 1)),
        integrate(c * e(-c * y), (y, j, j + 1)) / 2,
        (e(-c * j) - e(-c * (j + 1))) / 2,
    ]


def _negative_bin() -> list[Any]:
    from sympy import exp as e
    from sympy import integrate, symbols

    c, i = symbols("c i", positive=True)
    y = symbols("y", real=True)
    return [
        integrate(c / 2 * e(c * y), (y, -i, 1 - i)),
        integrate(c * e(-c * y), (y, i - 1, i)) / 2,
        (e(-c * (i - 1)) - e(-c * i)) / 2,
    ]


POSITIVE_BIN = Identity(
    title="a bin of Y on the positive side is half the bin of |Y|",
    role=Role.LEMMA,
    chain=_positive_bin,
    shown=(
        "P(j ≤ Y < j + 1) = ∫_j^(j+1) (ε/4)·e^(−yε/2) dy, j ≥ 0",
        "½·P(j ≤ |Y| < j + 1)",
        "½·(t^j − t^(j+1))",
    ),
)

NEGATIVE_BIN = Identity(
    title="a bin of Y on the negative side is half a bin of |Y|, one further in",
    role=Role.LEMMA,
    chain=_negative_bin,
    shown=(
        "P(−i ≤ Y < −i + 1) = ∫_(−i)^(1−i) (ε/4)·e^(yε/2) dy, i ≥ 1",
        "½·P(i − 1 ≤ |Y| < i)",
        "½·(t^(i−1) − t^i)",
    ),
)

UNIT = ("t", "1 - t", "u")
"""0 < t < 1, and u > 0 stands for the power of t that is common to both sides."""

TAIL = Claim(
    id="lap-tail",
    typed=forall(
        "real eps t",
        "eps > 0",
        "t >= 0",
        holds="1 - (F_lap(2/eps, t) - F_lap(2/eps, -t)) == exp(-t*eps/2)",
    ),
    source="N §3.1; L §3.1",
    statement="P(|Y| ≥ t) = e^(−tε/2) for Y ~ Lap(2/ε)",
    formula="∀ ε > 0, ∀ t ≥ 0: P(|Y| ≥ t) = e^(−tε/2)",
    domain="all ε > 0, all t ≥ 0 (no range of t is printed; a tail of |Y| begins at t ≥ 0)",
    evidence=(
        TAIL_OF_NOISE,
        Identity(
            title="the tail, integrated",
            chain=_tail,
            shown=("2·∫_t^∞ (ε/4)·e^(−yε/2) dy", "e^(−tε/2)"),
        ),
        Fact(
            title="for negative t the right side is no probability",
            role=Role.ILLUSTRATES,
            parameters={**AT, "t": "-1"},
            shows="e^(−tε/2) > 1 = P(|Y| ≥ t)",
            margin=lambda: real(RATE).exp() - ONE,
            again=lambda: exp(number(RATE)) - between(-inf, 0) - between(0, inf),
        ),
    ),
    derivation="At t = 0 both sides are 1; for t > 0 it is the integral.",
)

BINS = Claim(
    id="lap-bins",
    typed=forall(
        "real eps, natural j",
        "eps > 0",
        holds="F_lap(2/eps, j + 1) - F_lap(2/eps, j) + F_lap(2/eps, -j) - F_lap(2/eps, -j "
        "- 1) == exp(-j*eps/2) - exp(-(j + 1)*eps/2)",
    ),
    source="N §3.1; L §3.1",
    statement="a bin of |Y| has probability e^(−jε/2) − e^(−(j+1)ε/2)",
    formula="∀ ε > 0, ∀ j ≥ 0: P(j ≤ |Y| < j + 1) = e^(−jε/2) − e^(−(j+1)ε/2)",
    domain="all ε > 0, all j ≥ 0",
    evidence=(
        EXPONENTIAL_BINS,
        Identity(
            title="the bin, integrated",
            chain=_bin,
            shown=("2·∫_j^(j+1) (ε/4)·e^(−yε/2) dy", "e^(−jε/2) − e^(−(j+1)ε/2)"),
        ),
    ),
    derivation="The second of the two printed equalities; the first is lap-floor.",
)


def _excess_of_floor(j: int) -> tuple[Callable[[], Real], Callable[[], Any]]:
    """Return |P(|⌊Y⌋| = j) − (t^j − t^(j+1))|, in closed form and in mpmath (j = 0: negative)."""
    sign = -1 if j == 0 else 1

    def margin() -> Real:
        mass = floor_mass(0) if j == 0 else floor_mass(j) + floor_mass(-j)
        return real(sign) * (mass - bin_of_size(j))

    def again() -> Any:
        mass = between(0, 1) if j == 0 else between(j, j + 1) + between(-j, 1 - j)
        return sign * (mass - 2 * between(j, j + 1))

    return margin, again


FLOOR = Claim(
    id="lap-floor",
    typed=forall(
        "real eps, natural j",
        "eps > 0",
        "j >= 1",
        holds="F_lap(2/eps, j + 1) - F_lap(2/eps, j) + F_lap(2/eps, -j + 1) - F_lap(2/eps, "
        "-j) == exp(-j*eps/2) - exp(-(j + 1)*eps/2)",
    ),
    source="N §3.1; L §3.1",
    statement="the absolute value of the noise Lap_i = floor(Y) has the law of the bins of |Y|",
    formula="∀ ε > 0, ∀ j ≥ 0: P(|⌊Y⌋| = j) = P(j ≤ |Y| < j + 1) = e^(−jε/2) − e^(−(j+1)ε/2)",
    domain="all ε > 0, all integers j ≥ 0, Lap_i = ⌊Y⌋",
    evidence=(
        *(
            Counterexample(
                title=f"at j = {j}",
                parameters={**AT, "j": str(j)},
                shows=f"P(|⌊Y⌋| = {j}) {'<' if j == 0 else '>'} e^(−jε/2) − e^(−(j+1)ε/2)",
                margin=_excess_of_floor(j)[0],
                again=_excess_of_floor(j)[1],
            )
            for j in (0, 1)
        ),
        POSITIVE_BIN,
        NEGATIVE_BIN,
        SumOfProducts(
            title="at j = 0 the printed value is too large for every ε",
            role=Role.LEMMA,
            goal="(1 - t) - (1 - t)/2",
            hypotheses=UNIT,
            products=(("1/2", ("1 - t",)),),
            strict=True,
            positive=UNIT,
        ),
        SumOfProducts(
            title="at every j ≥ 1 it is too small for every ε (u = t^(j−1))",
            role=Role.LEMMA,
            goal="(1 - t)*u*t/2 + (1 - t)*u/2 - (1 - t)*u*t",
            hypotheses=UNIT,
            products=(("1/2", ("u", "1 - t", "1 - t")),),
            strict=True,
            positive=UNIT,
        ),
        Fact(
            title="rounding toward zero has exactly the printed law",
            role=Role.ILLUSTRATES,
            parameters={**AT, "j": "3"},
            shows="P(|Y toward zero| = 3) = e^(−3ε/2) − e^(−4ε/2)",
            margin=lambda: truncated_mass(3) + truncated_mass(-3) - bin_of_size(3),
            again=lambda: 2 * between(3, 4) - exp(-3 * number(RATE)) + exp(-4 * number(RATE)),
            tie=True,
        ),
    ),
    derivation="The second equality holds (twice the first lemma).  The first does not: "
    "|⌊Y⌋| = j ≥ 1 is j ≤ Y < j + 1 or −j ≤ Y < −j + 1, of mass ½(1 − t)(t^j + t^(j−1)), and "
    "⌊Y⌋ = 0 is 0 ≤ Y < 1, of mass ½(1 − t).  It fails for every j and every ε, and the products "
    "over m − 1 noises that N §3.1 goes on to write inherit the error.  Read as the law of ⌊Y⌋ "
    "itself the value is twice the mass of each j ≥ 0.",
    repaired="P(|Lap_i| = j) = e^(−jε/2) − e^(−(j+1)ε/2) for Y rounded toward zero; for ⌊Y⌋ it is "
    "½(1 − t) at j = 0 and ½(1 − t²)·t^(j−1) at j ≥ 1, t = e^(−ε/2).",
)

SPLIT = (
    Claim(
        id="lap-half-split",
        typed=forall(
            "real eps, natural j",
            "eps > 0",
            "j >= 1",
            holds="F_lap(2/eps, j + 1) - F_lap(2/eps, j) == (F_lap(2/eps, j + 1) - "
            "F_lap(2/eps, j))/2",
        ),
        source="N §3.4.1",
        statement="the bin of one noise is half a bin, unshifted for Lap_i > 0 and shifted "
        "otherwise; the printed bins are of Lap(2/ε), without absolute value",
        formula="∀ j > 0: P(j ≤ Y < j + 1) = ½·P(|j| ≤ Y < |j| + 1);  "
        "∀ j ≤ 0: P(j ≤ Y < j + 1) = ½·P(|j| − 1 ≤ Y < |j|)",
        domain="all ε > 0, all integers j = Lap_i",
        evidence=(
            Counterexample(
                title="for Lap_i > 0 it says that a number is its own half",
                parameters={**AT, "Lap_i": "1"},
                shows="P(1 ≤ Y < 2) > ½·P(1 ≤ Y < 2)",
                margin=lambda: floor_mass(1) - real(Fraction(1, 2)) * floor_mass(1),
                again=lambda: between(1, 2) - between(1, 2) / 2,
            ),
            Counterexample(
                title="for Lap_i ≤ 0 likewise",
                parameters={**AT, "Lap_i": "0"},
                shows="P(0 ≤ Y < 1) > ½·P(−1 ≤ Y < 0)",
                margin=lambda: floor_mass(0) - real(Fraction(1, 2)) * floor_mass(-1),
                again=lambda: between(0, 1) - between(-1, 0) / 2,
            ),
            POSITIVE_BIN,
            NEGATIVE_BIN,
            SumOfProducts(
                title="it is half the truth for every j and ε (u = t^j or t^(|j|−1))",
                role=Role.LEMMA,
                goal="(1 - t)*u/2 - (1 - t)*u/4",
                hypotheses=UNIT,
                products=(("1/4", ("u", "1 - t")),),
                strict=True,
                positive=UNIT,
            ),
        ),
        derivation="As printed every right side is exactly half of its left side, at Lap_i = 0 too "
        "(there it is ½·P(−1 ≤ Y < 0) = ¼(1 − t)), so that the probabilities add up to ½.  The "
        "factor ½ belongs to bins of |Y|: lap-half-split-abs.",
        repaired="P(j ≤ Y < j + 1) is ½·P(j ≤ |Y| < j + 1) for j ≥ 0 and "
        "½·P(|j| − 1 ≤ |Y| < |j|) for j < 0.",
    ),
    Claim(
        id="lap-half-split-abs",
        typed=forall(
            "integer j, real eps",
            "eps > 0",
            holds="(j <= 0 or F_lap(2/eps, j + 1) - F_lap(2/eps, j) == "
            "(F_lap(2/eps, j + 1) - F_lap(2/eps, j) + F_lap(2/eps, -j) - F_lap(2/eps, -j - 1))/2) "
            "and (j > 0 or F_lap(2/eps, j + 1) - F_lap(2/eps, j) == (F_lap(2/eps, -j) - "
            "F_lap(2/eps, max(0, -j - 1)) + F_lap(2/eps, -max(0, -j - 1)) - F_lap(2/eps, j))/2)",
        ),
        holds_on=("j != 0",),
        points=({"j": "0", "eps": "1"},),
        source="N §3.4.1, with the bins of |Y| as in N §3.1",
        statement="the same split with the absolute value restored: ½ for Lap_i > 0, shifted by "
        "one otherwise",
        formula="∀ j > 0: P(j ≤ Y < j + 1) = ½·P(|j| ≤ |Y| < |j| + 1);  "
        "∀ j ≤ 0: P(j ≤ Y < j + 1) = ½·P(|j| − 1 ≤ |Y| < |j|)",
        domain="all ε > 0, all integers j = Lap_i",
        evidence=(
            Counterexample(
                title="Lap_i = 0 falls under “else”, whose bin −1 ≤ |Y| < 0 is empty",
                parameters={**AT, "Lap_i": "0"},
                shows="P(0 ≤ Y < 1) > ½·P(−1 ≤ |Y| < 0) = 0",
                margin=lambda: floor_mass(0),
                again=lambda: between(0, 1),
            ),
            Identity(
                title="right for Lap_i > 0",
                domain="Lap_i > 0",
                chain=POSITIVE_BIN.chain,
                shown=POSITIVE_BIN.shown,
            ),
            Identity(
                title="right for Lap_i < 0, with i = |Lap_i|",
                domain="Lap_i < 0",
                chain=NEGATIVE_BIN.chain,
                shown=NEGATIVE_BIN.shown,
            ),
        ),
        derivation="The case distinction has to be Lap_i ≥ 0 against Lap_i < 0.  As printed the "
        "noise 0 gets no probability, and the rest adds up to ½(1 + t).",
        repaired="The first case for Lap_i ≥ 0, the second for Lap_i < 0.",
    ),
)

CLAIMS = (TAIL, BINS, FLOOR, *SPLIT)
