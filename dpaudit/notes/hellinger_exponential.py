"""Exponential mechanisms scored by Hellinger distance: EHD, EHDL, EHDS and M_H.

Candidates are the posteriors R = {α + c : c a histogram of n}; the score of r at x is −H(x, r)
(N §2.1, A §1).  All four are P(r) ∝ exp(−s(x)·H(x, r)) and differ in the factor s(x) alone: ε over
twice the global, local, γ-smooth or β-smooth sensitivity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.law import Law, ListedOutputs
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import EPSILON, PRIOR, HistogramMechanism
from dpaudit.mechanisms.parameters import ChoiceParameter, PositiveParameter, ProbabilityParameter
from dpaudit.notes import NOTES, sensitivity
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import ONE, PI, Real, real
from dpaudit.results import Budget, SizeResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.audit.plan import Plan
    from dpaudit.laws.deltas_over import DeltaFamily
    from dpaudit.laws.over_epsilon import EpsilonFamily
    from dpaudit.screens.exponents import FloatLaws


__all__ = ["EHD", "EHDL", "EHDS", "MH", "QUOTED_GLOBAL_SENSITIVITY"]

QUOTED_GLOBAL_SENSITIVITY = (ONE - PI / real(4)).sqrt()
"""√(1 − π/4), the constant that A §1 prints for GS."""

TWO = real(2)

_DIVISOR = PositiveParameter(
    "divisor",
    "the number that multiplies the sensitivity in the exponent; a larger one repairs a budget "
    "that is exceeded",
    "2",
    "the definitions have it; it is what the ε-DP proof of the exponential mechanism needs",
    (
        ("2", "exp(−ε·H/(2·S)), as defined (N Def. 2.1, A Alg. 5)"),
        ("1", "exp(−ε·H/S), as in N §3.3 and in every printed table"),
    ),
)


class _ExponentialLaws:
    """The laws of one mechanism: per size, the candidates and the factors s(x), computed once."""

    def __init__(self, mechanism: HellingerExponential) -> None:
        self.mechanism = mechanism
        self.metric = HellingerMetric(mechanism.prior)
        self._sizes: dict[int, tuple[Histograms, list[Ball]]] = {}

    def law(self, dataset: Counts) -> WeightedLaw:
        n = sum(dataset)
        if n not in self._sizes:
            self._sizes[n] = (Histograms(n, self.mechanism.k), self.mechanism.factors(n))
        space, factors = self._sizes[n]
        factor = -factors[space.rank(dataset)]
        return WeightedLaw(space, [factor * distance for distance in self.metric.row(dataset)])


class HellingerExponential(HistogramMechanism):
    """P(r) ∝ exp(−s(x)·H(x, r)), s(x) = ε/(m·S(x)), over all posteriors r of the same n."""

    documents: ClassVar = NOTES

    @property
    @abstractmethod
    def multiple(self) -> Real:
        """The number m that multiplies the sensitivity."""

    @abstractmethod
    def exponent_sensitivity(self, n: int) -> sensitivity.ExponentSensitivity:
        """Return the sensitivity S at size ``n``."""

    def numerator(self) -> Real:
        """Return ε/m."""
        return self._numerator

    @cached_property
    def _numerator(self) -> Real:
        return self.epsilon / self.multiple  # asked for at every size and dataset of an audit

    def factors(self, n: int) -> list[Ball]:
        """Return the ball of s(x) for every histogram x of ``n`` records, in their order."""
        numerator = self.numerator().ball()
        values = self.exponent_sensitivity(n).balls(self.prior, n)
        return [numerator / value for value in values]

    def screen(self, n: int) -> FloatLaws:
        from dpaudit.notes.hellinger_screen import HellingerScreen

        return HellingerScreen(self.prior, n, self.numerator(), self.exponent_sensitivity(n))

    def over_epsilon(self, n: int) -> EpsilonFamily:
        from dpaudit.notes.hellinger_over_epsilon import FixedFactors

        return FixedFactors(self.prior, n, self.multiple, self.exponent_sensitivity(n))

    def over(self, parameter: str, n: int) -> EpsilonFamily | None:
        from dpaudit.notes.hellinger_over_parameter import hellinger_over_parameter

        if parameter not in ("gamma", "delta", "prior"):
            return super().over(parameter, n)
        return hellinger_over_parameter(self, parameter, n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        from dpaudit.notes.hellinger_over_parameter import HellingerDeltas

        return HellingerDeltas(self, parameter, n)

    def screened_entries(self, n: int) -> int:
        if self.k == 2 and n >= sensitivity.LARGE:  # dpaudit.notes.hellinger_large
            return 200 * (n + 1)
        # One output of each orbit under permutations of equal prior parameters is looked at.
        symmetries = prod(factorial(count) for count in Counter(self.prior).values())
        entries = 1 + self.output_count(n) ** 2 // symmetries
        # Outputs are only counted by their distance: dpaudit.notes.hellinger_binned
        return entries if self.k == 2 or entries < sensitivity.MANY_ENTRIES else entries // 4

    def laws(self) -> _ExponentialLaws:
        return _ExponentialLaws(self)

    def theorem(self, n: int, plan: Plan, found: SizeResult) -> str:
        from dpaudit.notes.hellinger_theorem import hellinger_theorem

        return hellinger_theorem(self, n, plan, found)

    def output_count(self, n: int) -> int:
        return len(Histograms(n, self.k))

    def listed_outputs(self, n: int) -> ListedOutputs:
        return ListedOutputs(self.output_count(n))

    def law_at(self, dataset: Counts) -> Law:
        from dpaudit.screens.bounds import NotScreened

        try:
            return self.screen(sum(dataset)).book().law(dataset)
        except NotScreened:
            return self.laws().law(dataset)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        from dpaudit.data.arrays import histogram_array

        masses = _float_masses(self, tuple(dataset))
        chosen = rng.choice(len(masses), size=size, p=masses)
        return histogram_array(sum(dataset), self.k)[chosen].astype(np.int64)


@lru_cache(maxsize=8)  # a law takes far longer than a draw, and many calls draw one output
def _float_masses(mechanism: HellingerExponential, dataset: Counts) -> NDArray[np.float64]:
    """Return the probabilities of all outputs at a dataset, as floats that add up to 1."""
    import numpy as np

    law = mechanism.law_at(dataset)
    assert isinstance(law, WeightedLaw)
    weights = np.array([float(p) for p in law.probabilities])
    masses: NDArray[np.float64] = weights / weights.sum()
    masses.flags.writeable = False
    return masses


@dataclass(frozen=True)
class EHD(HellingerExponential):
    """The exponential mechanism with global sensitivity (A Alg. 4; N §2.1)."""

    gs: str

    name: ClassVar = "EHD"
    source: ClassVar = "A Alg. 4; N §2.1"
    definition: ClassVar = "P(r) ∝ exp(−ε·H(x, r) / (2·GS))"
    guarantee: ClassVar = "ε-differentially private (A Thm 3.1; N §2.1)"
    parameters: ClassVar = (
        EPSILON,
        PRIOR,
        ChoiceParameter(
            "gs",
            "which global sensitivity calibrates the noise",
            "quoted",
            "A, where the mechanism has its name, prints the constant",
            (
                ("quoted", "√(1 − π/4), the constant of A §1, whatever n and the prior"),
                ("computed", "max over x of LS(x) at this n and prior (N §2.1)"),
            ),
        ),
    )
    disagreements: ClassVar = (
        "A §1 prints GS = √(1 − π/4) as a constant; N §2.1 defines it as a maximum that depends on "
        "n and the prior, and N Fig. 4 prints 0.239992747797 for another prior",
    )

    @property
    def multiple(self) -> Real:
        return TWO

    def exponent_sensitivity(self, n: int) -> sensitivity.ExponentSensitivity:
        if self.gs == "quoted":
            return sensitivity.FixedSensitivity(QUOTED_GLOBAL_SENSITIVITY)
        return sensitivity.GlobalSensitivity()


@dataclass(frozen=True)
class EHDL(HellingerExponential):
    """The exponential mechanism with local sensitivity (A Alg. 5; N §2.2)."""

    divisor: Real

    name: ClassVar = "EHDL"
    source: ClassVar = "A Alg. 5; N §2.2"
    definition: ClassVar = "P(r) ∝ exp(−ε·H(x, r) / (2·LS(x)))"
    guarantee: ClassVar = "none: called non-private (N §2.2; D §1.2.2)"
    parameters: ClassVar = (EPSILON, PRIOR, _DIVISOR)
    disagreements: ClassVar = (
        "N §2.2 and A Alg. 5 divide by 2·LS(x); N §3.3 and the tables of N §3.4.1 by LS(x)",
    )

    @property
    def stated(self) -> None:
        return None

    @property
    def multiple(self) -> Real:
        return self.divisor

    def exponent_sensitivity(self, n: int) -> sensitivity.ExponentSensitivity:
        return sensitivity.LocalSensitivity()


@dataclass(frozen=True)
class EHDS(HellingerExponential):
    """The exponential mechanism with γ-smooth sensitivity (A Alg. 6)."""

    gamma: Real

    name: ClassVar = "EHDS"
    source: ClassVar = "A Alg. 6"
    definition: ClassVar = "P(r) ∝ exp(−ε·H(x, r) / (2(1 + γ)·S_γ(x)))"
    guarantee: ClassVar = "ε-differentially private (A Thm 3.1)"
    parameters: ClassVar = (
        EPSILON,
        PRIOR,
        PositiveParameter(
            "gamma",
            "the smoothing γ of S_γ(x) = max over x′ of 1/(1/LS(x′) + γ·d(x, x′)) (A §1)",
            "1",
            "A prints no value; 1 is the simplest",
        ),
    )
    disagreements: ClassVar = (
        "N smooths with β and e^(−β·d) for the same purpose (Def. 2.1, here MH); A with γ",
    )

    @property
    def multiple(self) -> Real:
        return TWO * (ONE + self.gamma)

    def exponent_sensitivity(self, n: int) -> sensitivity.ExponentSensitivity:
        return sensitivity.GammaSmooth(self.gamma)


@dataclass(frozen=True)
class MH(HellingerExponential):
    """The exponential mechanism M_H with β-smooth sensitivity (N Def. 2.1)."""

    delta: Real
    divisor: Real
    count: str
    smoothing: str

    name: ClassVar = "MH"
    source: ClassVar = "N §2.3.1, Def. 2.1"
    definition: ClassVar = "P(r) ∝ exp(−ε·H(x, r) / (2·S_β(x))), β = ln(1 − ε/(2·ln(δ/(2·count))))"
    guarantee: ClassVar = "(ε, δ)-differentially private (N Lemma 2.3)"
    parameters: ClassVar = (
        EPSILON,
        PRIOR,
        ProbabilityParameter(
            "delta", "the δ of the stated guarantee, and of β", "0.0005", "N §4.3 and N Fig. 11"
        ),
        _DIVISOR,
        ChoiceParameter(
            "count",
            "the number of candidates that β divides δ by",
            "n+1",
            "the text says so (N §2.3.1, §2.3.3)",
            (
                ("n+1", "|R| for k = 2 (N §2.3.3)"),
                ("n", "what the captions of N Fig. 4 and 5 print"),
                ("candidates", "|R| = C(n + k − 1, k − 1), what the argument needs for k > 2"),
            ),
        ),
        ChoiceParameter(
            "smoothing",
            "whether the maximum in S_β(x) is over LS(x′) of each dataset x′, or LS(x) of x alone",
            "neighbour",
            "N Def. 2.1, and what smooth sensitivity is (Nissim et al. 2007, Def. 2.2)",
            (
                ("neighbour", "max over x′ of LS(x′)·e^(−β·d(x, x′)) (N Def. 2.1)"),
                ("own", "max over x′ of LS(x)·e^(−β·d(x, x′)), so LS(x) (as L prints it)"),
            ),
        ),
    )
    disagreements: ClassVar = (
        "N Def. 2.1 divides by 2·S_β(x); N §3.3 by S(x); and what the tables of N §3.4.1 print is "
        "H divided by LS(x)",
        "β counts n + 1 candidates in the text (N §2.3.1), n in the captions of N Fig. 4 and 5, "
        "and should count |R| for k > 2 (N §2.3.3 argues with |R|)",
        "L prints LS(x) where N Def. 2.1 has LS(y): then nothing is smoothed and S_β = LS",
        "R is the beta distributions with parameters summing to n + 2 (N §2.3.1), that is the "
        "prior (1, 1); N Fig. 4 to 9 use the mechanism with other priors and k > 2",
    )

    @property
    def stated(self) -> Budget:
        return Budget(self.epsilon, self.delta)

    def beta(self, n: int) -> Real:
        """Return β at ``n`` in closed form.

        >>> print(MH.build({"count": "n", "delta": "4/5"}).beta(100))
        ln(1 + 2/5/ln(250))
        """
        return (ONE - self.epsilon / (real(2) * self._inner(n))).ln()

    def _inner(self, n: int) -> Real:
        """Return ln(δ/(2·count)), which is below 0."""
        counts = {"n": n, "n+1": n + 1, "candidates": self.output_count(n)}
        return (self.delta / real(2 * counts[self.count])).ln()

    def over_epsilon(self, n: int) -> EpsilonFamily:
        from dpaudit.notes.hellinger_over_epsilon import SmoothedFactors

        if self.smoothing != "neighbour":
            return super().over_epsilon(n)
        growth = -(real(2) * self._inner(n)).reciprocal()
        return SmoothedFactors(self.prior, n, self.multiple, growth)

    @property
    def multiple(self) -> Real:
        return self.divisor

    def exponent_sensitivity(self, n: int) -> sensitivity.ExponentSensitivity:
        if self.smoothing == "neighbour":
            return sensitivity.BetaSmooth(self.beta(n))
        return sensitivity.LocalSensitivity()
