"""Repaired mechanisms against brute force from the definitions."""

from fractions import Fraction
from itertools import product

import pytest
from mpmath import exp, fsum, log, mp, mpf

import dpaudit
from dpaudit.errors import PrecisionError, UsageError
from dpaudit.notes.reproduce.findings import PrintedOutcome
from dpaudit.notes.reproduce.repairs import BROKEN, Broken, repaired, reproduce_repairs
from tests.oracles.definitions import hellinger, histograms, local_sensitivity, neighbours
from tests.oracles.setting import DIGITS

NEAR_ZERO = Broken("EHDL", "EHDL", "1/100,1/100", (80, 81), (40, 41))
"""With two categories, brute force has few outputs even at a size that exceeds the budget."""
Counts = tuple[int, ...]


def realised(prior: tuple[Fraction, ...], n: int, divisor: Fraction, epsilon: Fraction) -> mpf:
    """Return the realised ε of EHDL by brute force, for any divisor."""
    data = list(histograms(n, len(prior)))
    rate = mpf(epsilon.numerator) / epsilon.denominator * divisor.denominator / divisor.numerator

    def logarithms(x: Counts) -> dict[Counts, mpf]:
        sensitivity = local_sensitivity(prior, x)
        here = tuple(a + c for a, c in zip(prior, x, strict=True))
        scores = {
            r: -rate
            * hellinger(here, tuple(a + c for a, c in zip(prior, r, strict=True)))
            / sensitivity
            if r != x
            else mpf(0)
            for r in data
        }
        total = log(fsum(exp(score) for score in scores.values()))
        return {r: score - total for r, score in scores.items()}

    laws = {x: logarithms(x) for x in data}
    pairs = [(x, y) for x in data for y in neighbours(x)]
    return max(abs(laws[x][r] - laws[y][r]) for x, y in pairs for r in data)


@pytest.mark.parametrize(
    ("prior", "n", "divisor"),
    list(product(("1/10,1/10", "3,1/2,2"), (4,), ("2.27", "7/3", "1/2"))),
)
def test_a_divisor_may_be_any_number(prior: str, n: int, divisor: str) -> None:
    audit = dpaudit.check("EHDL", n, prior=prior, divisor=divisor, eps="4/5", budget="4/5")
    with mp.workdps(DIGITS):
        alphas = tuple(Fraction(part) for part in prior.split(","))
        truth = realised(alphas, n, Fraction(divisor), Fraction(4, 5))
        assert mpf(str(audit.epsilon.lower)) <= truth <= mpf(str(audit.epsilon.upper))
        assert mpf(str(audit.epsilon.upper)) - mpf(str(audit.epsilon.lower)) < mpf("1e-12")


@pytest.mark.parametrize("divisor", ["0", "-1", "two"])
def test_a_divisor_is_above_zero(divisor: str) -> None:
    with pytest.raises(UsageError, match="divisor"):
        dpaudit.mechanism("EHDL", divisor=divisor)


def test_the_least_divisor_keeps_the_budget_and_the_one_below_does_not() -> None:
    worst, repair = repaired(NEAR_ZERO)
    assert worst.n == 81
    assert repair.below is not None
    prior, budget = (Fraction(1, 100),) * 2, Fraction(4, 5)
    divisor = Fraction(repair.change["divisor"])
    with mp.workdps(20):
        assert realised(prior, 81, divisor, budget) < mpf(4) / 5
        less = divisor - Fraction(1, 100)
        assert realised(prior, repair.below.n, less, budget) > mpf(4) / 5


def test_a_repair_costs_accuracy_and_less_than_ehds() -> None:
    item = reproduce_repairs([NEAR_ZERO])
    stated, mended = item.checks
    assert stated.outcome is PrintedOutcome.NOT_REPRODUCED
    assert mended.outcome is PrintedOutcome.REPRODUCED
    (row,) = (dict(zip(item.table.header, row, strict=True)) for row in item.table.rows)
    assert row["change"] == mended.reading
    assert Fraction(row["stated_epsilon_lower"]) > Fraction(4, 5)
    assert Fraction(row["below_epsilon_lower"]) > Fraction(4, 5)
    assert Fraction(row["repaired_epsilon_upper"]) <= Fraction(4, 5)
    means = [Fraction(row[f"{name}_mean_lower"]) for name in ("stated", "repaired", "EHDS")]
    assert means == sorted(means)


def test_what_needs_no_repair_is_refused() -> None:
    with pytest.raises(PrecisionError, match="no size exceeds"):
        repaired(Broken("EHDL, flat", "EHDL", "1,1", (3, 4), (2, 2)))
    quoted = Broken("EHD", "EHD", "1/20,1/20", (5,), (3, 2), change={"gs": "quoted"})
    with pytest.raises(PrecisionError, match="gs = quoted"):
        repaired(quoted)


def test_every_broken_mechanism_has_a_size_and_a_dataset_of_its_categories() -> None:
    for broken in BROKEN:
        assert broken.sizes
        assert len(broken.dataset) == len(broken.prior.split(","))
        assert sum(broken.dataset) in broken.sizes
