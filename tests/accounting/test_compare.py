"""The kept comparison: consistent in itself, and the same when a part of it is run again."""

from fractions import Fraction

import pytest
from mpmath import mp

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import real
from tests.accounting.cases import Case, cases
from tests.accounting.compare import Line, lines_of, read_results, render
from tests.enclosing import fraction_of

KEPT = read_results()
CASES = cases()
FAST = [case for case in CASES if case.runs <= 8][::3]
"""Every third case that takes no second."""


def key(case: Case) -> tuple[str, str, str]:
    return case.title, case.constructor, str(case.runs)


def test_every_case_is_kept() -> None:
    assert {key(case) for case in CASES} == {line[:3] for line in KEPT}
    assert len({key(case) for case in CASES}) == len(CASES) >= 50


def test_every_flag_follows_from_the_numbers_beside_it() -> None:
    for line in KEPT:
        estimate, lower, upper = (
            Fraction(float(line.pessimistic)),
            Fraction(line.lower),
            Fraction(line.upper),
        )
        assert lower <= upper <= lower + Fraction(1, 10**29)
        wanted = "below" if estimate < lower else "above" if estimate >= upper else "within"
        assert line.standing == wanted
        if wanted == "below":
            assert Fraction(line.difference) == pytest.approx(estimate - lower, rel=1e-3)


@pytest.mark.parametrize(
    "case", FAST, ids=lambda case: f"{case.title}-{case.constructor}-{case.runs}"
)
def test_a_part_of_it_comes_out_again(case: Case) -> None:
    kept = [line for line in KEPT if line[:3] == key(case)]
    for old, new in zip(kept, lines_of(case), strict=True):
        assert (old.epsilon, old.lower) == (new.epsilon, new.lower)
        assert float(new.upper) == pytest.approx(float(old.upper), rel=1e-6)  # of a δ of 0, noise
        assert float(new.pessimistic) == pytest.approx(float(old.pessimistic), rel=1e-9, abs=1e-14)
        assert float(new.optimistic) == pytest.approx(float(old.optimistic), rel=1e-9, abs=1e-14)


def test_the_list_of_shortfalls_is_all_of_them() -> None:
    text = render(KEPT)
    first = text.partition("## Where the pessimistic")[2].partition("## Where the optimistic")[0]
    below = [line for line in KEPT if line.standing == "below"]
    assert sum(line.startswith("| ") for line in first.splitlines()) == len(below) + 2


def _certified(title: str, runs: int, epsilon: str) -> Enclosure:
    """The certified interval that is kept for one line."""
    from decimal import Decimal

    (line,) = (x for x in KEPT if (x.title, x.runs, x.epsilon) == (title, str(runs), epsilon))
    return Enclosure(Decimal(line.lower), Decimal(line.upper))


@pytest.mark.parametrize(
    ("a", "runs", "epsilon"), [("1/8", 1000, "1125/32"), ("1/16", 1000, "1125/64")]
)
def test_the_largest_shortfalls_are_real(a: str, runs: int, epsilon: str) -> None:
    """A binomial sum in mpmath: k runs of a two-point pair with masses 1/(1 + t) and t/(1 + t)."""
    kept = _certified(f"discrete Laplace, parameter {a}, sensitivity 1", runs, epsilon)
    with mp.workdps(60):
        t = mp.exp(-mp.mpf(Fraction(a).numerator) / Fraction(a).denominator)
        factor = mp.exp(mp.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)
        truth = (
            mp.fsum(
                mp.binomial(runs, j) * max(0, t**j - factor * t ** (runs - j))
                for j in range(runs + 1)
            )
            / (1 + t) ** runs
        )
    slack = Fraction(1, 10**45)
    assert Fraction(kept.lower) - slack <= fraction_of(truth) <= Fraction(kept.upper) + slack


def test_gaussian_intervals_contain_mpmaths_value() -> None:
    for line in KEPT:
        if line.title.startswith("Gaussian"):
            sigma = int(line.title.split("= ")[1].split(",")[0])
            with mp.workdps(60):
                at = Fraction(str(real(line.epsilon)))
                epsilon = mp.mpf(at.numerator) / at.denominator
                middle, shift = mp.mpf(1) / (2 * sigma), epsilon * sigma
                truth = mp.ncdf(middle - shift) - mp.exp(epsilon) * mp.ncdf(-middle - shift)
            slack = Fraction(1, 10**45)
            low, high = Fraction(line.lower) - slack, Fraction(line.upper) + slack
            assert low <= fraction_of(truth) <= high


def test_discrete_gaussian_intervals_contain_mpmaths_value() -> None:
    for line in KEPT:
        if line.title.startswith("discrete Gaussian"):
            sigma = int(line.title.split("= ")[1].split(",")[0])
            with mp.workdps(60):
                at = Fraction(line.epsilon)
                factor = mp.exp(mp.mpf(at.numerator) / at.denominator)
                masses = {x: mp.exp(-mp.mpf(x * x) / (2 * sigma**2)) for x in range(-150, 151)}
                truth = mp.fsum(
                    max(0, mass - factor * masses.get(x - 1, 0)) for x, mass in masses.items()
                ) / mp.fsum(masses.values())
            slack = Fraction(1, 10**45)
            low, high = Fraction(line.lower) - slack, Fraction(line.upper) + slack
            assert low <= fraction_of(truth) <= high


def test_lines_are_texts() -> None:
    assert all(isinstance(cell, str) for line in KEPT for cell in line)
    assert all(isinstance(line, Line) for line in KEPT)
