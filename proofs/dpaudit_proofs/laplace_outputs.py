"""The outputs of LSHist around x for k = 2, in closed form and again in mpmath.

LSHist at x prints ⌊c₁ + Y⌋ clamped, Y ~ Lap(1/ε); with t = e^(−ε) the outputs x, x + 1 and x − 1
have, away from the edges, the probabilities ½(1 − t), ½(t − t²) and ½(1 − t).  Everything is taken
at the notes' ε and the flat prior, unless it holds for all.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import Role
from dpaudit.claims.evidence import Counterexample, Fact
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.laplace_histogram import LSHist
from dpaudit.numbers.ball import Sign, sign
from dpaudit.numbers.real import ONE, ZERO, Real, real
from dpaudit_proofs.definitions import (
    candidates,
    local_sensitivity,
    neighbours,
    number,
    posterior_distance,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from dpaudit.data.histograms import Counts
    from dpaudit.numbers.ball import Ball

__all__ = [
    "BALANCED",
    "BALANCED_LOW",
    "EPSILON",
    "FARTHER",
    "HIGH",
    "NEARER",
    "TIE",
    "closer_again",
    "closer_than_ls",
    "decay",
    "decay_again",
    "mass",
    "mass_again",
    "parameters",
]

FLAT = (Fraction(1), Fraction(1))
EPSILON = "4/5"


def mass(x: Counts, outputs: Collection[Counts]) -> Real:
    """Return P(LSHist(x) ∈ outputs) in closed form."""
    law = LSHist.build({"epsilon": EPSILON, "prior": FLAT}).laws().law(x)
    total = ZERO
    for r in outputs:
        exact = law.probability(r).exact
        assert exact is not None, "the laws of rounded Laplace noise have closed forms"
        total += exact
    return total


def mass_again(x: Counts, outputs: Collection[Counts]) -> Any:
    """Return the same from the distribution function of the noise, in mpmath."""
    from mpmath import exp, inf, mpf

    n, epsilon = sum(x), number(EPSILON)

    def below(y: Any) -> Any:
        return exp(epsilon * y) / 2 if y <= 0 else 1 - exp(-epsilon * y) / 2

    def interval(m: int) -> Any:
        low, high = -inf if m == 0 else m - x[0], inf if m == n else m + 1 - x[0]
        return below(mpf(high)) - below(mpf(low))

    return sum(interval(m) for m, _ in outputs)


def closer_than_ls(x: Counts) -> list[Counts]:
    """Return the candidates with H(x, r) < LS(x), each comparison certain.

    LS(x) is the largest distance to a neighbour, so r is closer exactly if some neighbour other
    than r itself is farther away than r.
    """
    metric, n = HellingerMetric(FLAT), sum(x)

    def farther(y: Counts, r: Counts) -> bool:
        found = sign(metric.between(x, y) - metric.between(x, r))
        if found is Sign.UNDECIDED:
            raise ArithmeticError(f"{y} and {r} are not told apart by their distance from {x}")
        return found is Sign.POSITIVE

    near = [tuple(y) for y in neighbours(x)]
    return [r for r in Histograms(n, 2) if any(y != r and farther(y, r) for y in near)]


def closer_again(x: Counts) -> list[Counts]:
    """Return the candidates closer than LS(x), by the distances in mpmath."""
    from mpmath import mpf

    worst = local_sensitivity(FLAT, x) - mpf("1e-30")
    return [r for r in candidates(sum(x), 2) if posterior_distance(FLAT, x, r) < worst]


def parameters(x: Counts, **others: str) -> dict[str, str]:
    """Return the parameters at which evidence at x is taken, as text."""
    return {"prior": "(1,1)", "n": str(sum(x)), "x": "({},{})".format(*x), "ε": EPSILON, **others}


def decay(power: int) -> Real:
    """Return t^power."""
    return (real(-power) * real(EPSILON)).exp()


def decay_again(power: int) -> Any:
    """Return the same in mpmath."""
    from mpmath import exp

    return exp(-power * number(EPSILON))


def _nearer_neighbour() -> tuple[Fact, Counterexample]:
    """At x = (3, 1) the outputs x and (2, 2) alone have probability 1 − e^(−ε)."""
    x, near, far = (3, 1), (2, 2), (4, 0)

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        return metric.between(x, far) - metric.between(x, near)

    tie = Fact(
        title="at (3,1), zero or one step down already has probability 1 − γ, exactly",
        role=Role.LEMMA,
        parameters=parameters(x, γ="e^(−ε)"),
        shows="P[LSHist(x) ∈ {(3,1), (2,2)}] = 1 − e^(−ε)",
        margin=lambda: mass(x, (x, near)) - (ONE - decay(1)),
        again=lambda: mass_again(x, (x, near)) - (1 - decay_again(1)),
        tie=True,
    )
    nearer = Counterexample(
        title="and that neighbour is nearer than the other: ELap(x) ≤ H(x, (2,2)) < LS(x)",
        parameters=parameters(x, γ="e^(−ε)"),
        shows="LS(x) = H(x, (4,0)) > H(x, (2,2))",
        margin=margin,
        again=lambda: local_sensitivity(FLAT, x) - posterior_distance(FLAT, x, near),
    )
    return tie, nearer


FARTHER = OrthantCertificate(
    title="(a + j/2)(b − j − 1) < (a + j)(b − j/2 − 1): j + 1 steps are farther than j, j ≥ 1",
    role=Role.LEMMA,
    positive="(a + j)*(b - j/2 - 1) - (a + j/2)*(b - j - 1)",
    shift={"a": "a", "j": "j", "b": "j + 1 + s"},
    positive_variables=("a", "j"),
)

TIE, NEARER = _nearer_neighbour()

BALANCED = "posterior parameters a = b and 1 ≤ c₁ ≤ n − 1, all ε > 0 (balanced data, flat prior)"

BALANCED_LOW = SumOfProducts(
    title="P[H < LS] = ½(1 − t) < 1 − t = 1 − γ: no s ≤ LS(x) will do",
    domain=BALANCED,
    goal="(1 - t) - (1 - t)/2",
    hypotheses=("1 - t",),
    products=(("1/2", ("1 - t",)),),
    strict=True,
    positive=("1 - t",),
)

HIGH = SumOfProducts(
    title="P[H ≤ LS] ≥ 1 − ½(t + t²) > 1 − t: every s > LS(x) will do",
    role=Role.LEMMA,
    goal="1 - (t + t^2)/2 - (1 - t)",
    hypotheses=("t", "1 - t"),
    products=(("1/2", ("t", "1 - t")),),
    strict=True,
    positive=("t", "1 - t"),
)
