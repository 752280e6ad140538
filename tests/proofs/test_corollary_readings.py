"""The headlines of A Cor. 4.5.1 to 4.5.3, the utility table and “(0.8,0.8)-DP” by brute force."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from dpaudit_proofs import captions_privacy, corollary_readings, utility_table
from dpaudit_proofs.sensitivity_captions import CAPTION_PRIOR
from mpmath import exp, log, mp, mpf, pi, sqrt

from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Settings, Status
from dpaudit.claims.evidence import Fact
from dpaudit.numbers.ball import ball
from tests.oracles.definitions import hamming, histograms, neighbours
from tests.oracles.laws import law
from tests.oracles.sensitivity import hellinger, local_sensitivity, posterior, quoted_sensitivity
from tests.oracles.setting import Setting, real

FLAT = (Fraction(1), Fraction(1))
PRIORS = (FLAT, (Fraction(1, 2), Fraction(1, 2)), (Fraction(7), Fraction(1, 3)))
CLAIMS = {
    claim.id: claim
    for module in (corollary_readings, captions_privacy, utility_table)
    for claim in module.CLAIMS
}


@pytest.fixture(autouse=True)
def _thirty_digits() -> Iterator[None]:
    with mp.workdps(30):
        yield


def distances(prior: tuple[Fraction, ...], x: tuple[int, int]) -> list[mpf]:
    here, n = posterior(prior, x), sum(x)
    return [hellinger(here, posterior(prior, (r, n - r))) for r in range(n + 1)]


def events(row: list[mpf], x: tuple[int, int]) -> list[tuple[mpf, int, int, bool]]:
    """Every essentially different τ: τ, the first and last count within it, both sides alike."""
    found = []
    for level in [*sorted({h for h in row if h > mpf(10) ** -20}), mpf(1)]:
        tau = level - mpf(10) ** -12
        within = [r for r, h in enumerate(row) if h < tau]
        low, high = x[0] - within[0], within[-1] - x[0]
        found.append((tau, within[0], within[-1], low == high < min(x)))
    return found


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 20), Fraction(1, 4), Fraction(4, 5), Fraction(3)], ids=str
)
def test_constants_of_the_headlines(prior: tuple[Fraction, ...], epsilon: Fraction) -> None:
    t = exp(-real(epsilon))
    constant = 2 * exp(2 * real(epsilon) / 25)
    wide = 2 * quoted_sensitivity()
    enough = small = 0
    for n in (1, 2, 3, 4, 8, 20, 120):
        for c in range(n + 1) if n < 20 else (0, 1, n // 2):
            x = (c, n - c)
            row = distances(prior, x)
            hist, ehd = (law(Setting(name, n, prior, epsilon), x) for name in ("LSHist", "EHD"))
            for tau, first, last, alike in events(row, x):
                k = max(c - first, last - c)
                good = [(r, n - r) for r in range(first, last + 1)]
                laplace, exponential = (sum(p.get(r, mpf(0)) for r in good) for p in (hist, ehd))
                if n >= constant * (2 * k + 1) / t / (1 - t):
                    enough += 1
                    assert laplace > exponential
                if (
                    alike
                    and tau <= wide
                    and 2 * n * (1 - (t**k + t ** (k + 1)) / 2) <= 2 * k * t + 1
                ):
                    small += 1
                    assert exponential > laplace
    assert enough or epsilon > 1
    assert small or epsilon > Fraction(1, 2)  # for larger ε the premise is never fulfilled


def test_three_categories_against_the_joint_law() -> None:
    """P[R_g] at (6, 6, 6) from the literal laws, the set R_g from all distances."""
    flat, x, epsilon = (Fraction(1),) * 3, (6, 6, 6), Fraction(1, 4)
    here, reach = posterior(flat, x), local_sensitivity(flat, x)
    good = {
        r
        for r in histograms(18, 3)
        if r == x or hellinger(here, posterior(flat, r)) <= reach + mpf(10) ** -20
    }
    assert good == {x, *neighbours(x)}
    rate = real(epsilon) / 2

    def below(y: int) -> mpf:
        return exp(rate * y) / 2 if y < 0 else 1 - exp(-rate * y) / 2

    def clamped(r: int) -> mpf:
        return (1 if r == 18 else below(r - 5)) - (0 if r == 0 else below(r - 6))

    laplace = sum(
        clamped(a) * clamped(b)
        for a, b in product(range(19), repeat=2)
        if (a, b, max(0, 18 - a - b)) in good
    )
    scale = real(epsilon) / (2 * sqrt(1 - pi / 4))
    weights = {r: exp(-scale * hellinger(here, posterior(flat, r))) for r in histograms(18, 3)}
    exponential = sum(weights[r] for r in good) / sum(weights.values())
    assert 3 * exp(scale) / (1 - exp(-real(epsilon))) < 18
    assert exponential > laplace + mpf(1) / 50


@pytest.mark.parametrize("n", [1, 2, 5])
def test_smooth_captions_by_all_events(n: int) -> None:
    """The bound of the derivation, against δ(ε) summed over all outputs, small n, larger β."""
    epsilon, beta = mpf(4) / 5, mpf(7) / 100
    space = histograms(n, 3)
    reach = {x: local_sensitivity(CAPTION_PRIOR, x) for x in space}
    smooth = {x: max(ls * exp(-beta * hamming(x, y)) for y, ls in reach.items()) for x in space}
    laws = {}
    for x in space:
        here = posterior(CAPTION_PRIOR, x)
        weights = {
            r: exp(-epsilon * hellinger(here, posterior(CAPTION_PRIOR, r)) / (2 * smooth[x]))
            for r in space
        }
        total = sum(weights.values())
        laws[x] = {r: w / total for r, w in weights.items()}
    bound = 1 - exp(-epsilon * (exp(beta) - 1) / min(reach.values()))
    worst = max(
        sum(max(mpf(0), laws[x][r] - exp(epsilon) * laws[y][r]) for r in space)
        for x in space
        for y in neighbours(x)
    )
    assert worst <= bound < mpf(4) / 5


def test_the_entry_of_the_divergence_is_the_number_named() -> None:
    entry = 8 * log(2) * (1 - exp(-mpf(2) / 100)) + sqrt(-8 * log(2) * log(mpf(2) / 5))
    assert f"{float(entry):.2f}" in CLAIMS["utility-table-KL"].readings[0]


def test_inverted_row_of_the_utility_table() -> None:
    """With whole steps it holds at balanced data; the two facts show where it does not."""
    for n, epsilon, delta in product((2, 4, 10), (mpf(1) / 2, mpf(2)), (mpf(1) / 20, mpf(1) / 2)):
        x, steps = (n // 2, n // 2), int(mp.ceil(log(1 / delta) / epsilon))
        if steps <= n // 2:
            bound = sqrt(1 - (mpf(n - steps) / (n + steps)) ** (mpf(steps) / 2))
            output = law(Setting("LSHist", n, FLAT, Fraction(float(epsilon))), x)
            row = distances(FLAT, x)
            assert sum(p for r, p in output.items() if row[r[0]] > bound) <= delta


def test_altered_evidence_is_not_believed() -> None:
    order = next(e for e in CLAIMS["cor-4.5.1-order"].evidence if isinstance(e, SumOfProducts))
    weaker = replace(order, products=order.products[1:])
    assert weaker.check(Settings()).status is Status.FAILS
    dp = next(e for e in CLAIMS["captions-smooth-dp"].evidence if isinstance(e, Fact))
    lower = replace(dp, margin=lambda: ball(0), again=lambda: dp.again() - 1)
    assert lower.check(Settings()).status is Status.FAILS
