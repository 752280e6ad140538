"""How tight the normaliser bound is, over all priors."""

from fractions import Fraction

from dpaudit_proofs.accuracy_bounds import Place
from dpaudit_proofs.normaliser_bound import normaliser_bound_again
from mpmath import exp, fsum, log, mp, mpf

from tests.oracles.laws import score_divisor
from tests.oracles.sensitivity import hellinger, histograms, posterior
from tests.oracles.setting import DIGITS, Setting


def test_large_priors_come_near_the_bound() -> None:
    """The normaliser falls towards U(n) = Σ e^(−εj/2) as the prior grows, and N(n) is below it."""
    n, epsilon = 6, Fraction(4, 5)
    with mp.workdps(DIGITS):
        bound = normaliser_bound_again(n, Place((n, 0), epsilon))
        limit = fsum(exp(mpf("-0.4") * j) for j in range(n + 1))
        least = []
        for size in (1, 100, 10**6):
            prior = (Fraction(size), Fraction(size))
            setting = Setting("MH", n, prior, epsilon)
            least.append(
                min(
                    fsum(
                        exp(
                            -mpf("0.8")
                            * hellinger(posterior(prior, x), posterior(prior, r))
                            / score_divisor(setting, x)
                        )
                        for r in histograms(n, 2)
                    )
                    for x in histograms(n, 2)
                )
            )
        assert bound < least[2] < least[1] < least[0]
        assert abs(least[2] - limit) < mpf("1e-4")
        assert limit < mpf("1.05") * bound


def test_the_bound_tends_to_the_limit_of_large_priors() -> None:
    with mp.workdps(DIGITS):
        limit = 1 / (1 - exp(mpf("-0.4")))
        gaps = []
        for power in (1, 10, 100, 1000):
            growth = 1 + mpf("0.4") / log(2 * (mpf(10) ** power + 1) / mpf("0.0005"))
            terms = (
                exp(mpf("-0.4") * (growth**j - 1) / (growth - 1)) for j in range(300)
            )  # the rest is below e^(−120)
            gaps.append(limit - fsum(terms))
        assert gaps == sorted(gaps, reverse=True)
        assert 0 < gaps[-1] < mpf("0.01")
