"""δ of noisy counts, as the parameter of noise without nominal ε makes it."""

from __future__ import annotations

from itertools import pairwise

from dpaudit.laws.deltas_over import Abscissa, DeltaFamily, Found
from dpaudit.laws.discrete_gaussian import tail_sum
from dpaudit.numbers.ball import Ball, PrecisionNeeded, certainly_less_or_equal, pi_ball
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.varying import Varying, shares

__all__ = ["DiscreteGaussianDeltas", "GaussianDeltas", "LaplaceDeltas"]


class _Shifted(DeltaFamily):
    """Counts with continuous noise: all pairs, and both directions, are alike."""

    def __init__(self, pairs: int) -> None:
        """Take how many unordered pairs there are."""
        self.pairs = pairs
        self.ways = [((0, pairs), (1, pairs - 1))]


class LaplaceDeltas(_Shifted):
    """Laplace noise over its scale b: (1 − e^((ε′ − 1/b)/2))₊ for ε′ ≥ 0."""

    def on(self, parameter: Varying) -> Found:
        shift = parameter.reciprocal()
        return lambda index, at: (1 - ((at.over(parameter) - shift) / 2).exp()).max(Ball(0))


class GaussianDeltas(_Shifted):
    """Normal noise over its standard deviation σ, μ = 1/σ.

    δ = Φ(μ/2 − ε′/μ) − e^(ε′)·Φ(−μ/2 − ε′/μ) (Balle and Wang 2018, Theorem 8).  With a = μ/2 − ε′/μ
    and b = −μ/2 − ε′/μ, e^(ε′)·φ(b) = φ(a), so that dδ/dμ = φ(a)·(a′ − b′) = φ(a).
    """

    def on(self, parameter: Varying) -> Found:
        mu = parameter.reciprocal()

        def found(index: int, at: Abscissa) -> Varying:
            epsilon = at.over(parameter)
            assert isinstance(epsilon, Ball), "there is no nominal ε that it could move with"
            middle = mu.at_middle
            value = normal_cdf(middle / 2 - epsilon / middle)
            value -= epsilon.exp() * normal_cdf(-middle / 2 - epsilon / middle)
            place = mu / 2 - epsilon / mu
            density = (-place.range * place.range / 2).exp() / (2 * pi_ball()).sqrt()
            return Varying(value, density * mu.slope, mu.reach)

        return found


class DiscreteGaussianDeltas(_Shifted):
    """Discrete Gaussian noise over its σ, weights e^(−z²/(2σ²)).

    P against P shifted by 1 has the loss (1 − 2z)/(2σ²) at z, which is below 0 from z = 1 on.  The
    law is followed as it is given |z| ≤ K, for every σ of the piece, and its excess D at
    −K < z ≤ 0, where both laws are within K.  With a mass of τ outside −K < z < K, δ is at
    least (1 − τ)·D ≥ D − τ, and at most D + τ: an excess elsewhere is at most the mass of P there.
    """

    def on(self, parameter: Varying) -> Found:
        sigma = parameter.range
        last = int(_REACH * float(sigma.upper())) + 2
        if not sigma > 0 or last > _MOST_TERMS:
            raise PrecisionNeeded("noise this wide is left to point audits")
        s = 1 / (2 * parameter * parameter)
        both = Ball(2).log()
        logs = [0 * parameter, *(s * -(z * z) + both for z in range(1, last + 1))]
        first, *others = shares(logs)
        masses = [first, *(one / 2 for one in others)]
        beyond = 2 * tail_sum((1 / (2 * sigma * sigma)).lower(), last)

        def found(index: int, at: Abscissa) -> Varying:
            factor = at.over(parameter).exp()
            assert isinstance(factor, Ball), "there is no nominal ε that it could move with"
            excess = Varying((-beyond).union(beyond), Ball(0), parameter.reach)
            for p, q in pairwise(masses):
                more = p - q * factor
                if not certainly_less_or_equal(more.range, Ball(0)):
                    excess = excess + more.max(Ball(0))
            return excess

        return found


_REACH = 12
"""Beyond so many σ weights are below 2⁻¹⁰⁰."""
_MOST_TERMS = 20_000
