"""Sensitivities of matrix mechanisms, against all patterns one by one in fractions."""

from fractions import Fraction
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest

from dpaudit.errors import UsageError
from dpaudit.questions.account_matrix import gram, patterns
from dpaudit.questions.account_matrix.sensitivity import (
    Participation,
    Sensitivity,
    sensitivity_of,
)
from dpaudit.questions.account_matrix.strategy import read_strategy

Ends = tuple[Fraction, Fraction]


def allowed(steps: int, k: int, b: int, schema: str) -> list[tuple[int, ...]]:
    """Return every pattern of at most k steps, at least (or exactly) b apart."""
    return [
        pattern
        for size in range(1, k + 1)
        for pattern in combinations(range(steps), size)
        if all(
            later - step == b if schema == "fixed-epoch" else later - step >= b
            for step, later in pairwise(pattern)
        )
    ]


def exactly(x: Any) -> Fraction:
    """Return a float, or a whole number, as it is."""
    return Fraction(float(x))


def by_brute_force(strategy: Any, k: int, b: int, schema: str) -> Ends:
    """Return the largest ‖Σ ±C e_i‖² over patterns and signs, and the largest Σ |G_ij|."""
    steps = range(len(strategy))
    columns = [[exactly(row[i]) for row in strategy] for i in steps]
    lower = upper = Fraction(0)
    for pattern in allowed(len(strategy), k, b, schema):
        for signs in product((1, -1), repeat=len(pattern)):
            total: list[Fraction] = [
                sum(
                    (sign * columns[i][row] for sign, i in zip(signs, pattern, strict=True)),
                    Fraction(0),
                )
                for row in steps
            ]
            lower = max(lower, sum((x * x for x in total), Fraction(0)))
        products = [
            abs(sum((x * y for x, y in zip(columns[i], columns[j], strict=True)), Fraction(0)))
            for i in pattern
            for j in pattern
        ]
        upper = max(upper, sum(products, Fraction(0)))
    return lower, upper


def random_strategy(random: Random, steps: int) -> Any:
    """Return a lower triangular matrix with some number of bands, without a zero column."""
    draws = np.random.default_rng(random.randrange(2**32))
    entries: Any = random.choice(
        [
            draws.integers(0, 4, (steps, steps)),
            draws.integers(-3, 4, (steps, steps)),
            draws.random((steps, steps)),
            draws.normal(size=(steps, steps)),
        ]
    )
    bands = random.randint(1, steps)
    entries = np.tril(entries) - np.tril(entries, -bands)
    return entries + np.diag(np.abs(entries).sum(axis=0) == 0).astype(int)


def sensitivity(strategy: Any, k: int, b: int, schema: Any = "min-sep") -> Sensitivity:
    return sensitivity_of(read_strategy(strategy), Participation(k, b, schema))


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(60))
def test_the_interval_holds_what_all_patterns_give(seed: int) -> None:
    """The lower end is reached by its pattern, and the upper end is that of all patterns."""
    random = Random(seed)
    steps = random.randint(1, 8 if seed % 10 else 10)
    k, b = random.randint(1, steps), random.randint(1, steps)
    schema = random.choice(["min-sep", "min-sep", "fixed-epoch"])
    strategy = random_strategy(random, steps)
    found = sensitivity(strategy, k, b, schema)
    lower, upper = by_brute_force(strategy, k, b, schema)
    assert found.lower <= lower
    assert upper <= found.upper <= upper * (1 + Fraction(1, 10**12))
    if (strategy >= 0).all():
        assert found.lower >= upper * (1 - Fraction(1, 10**12))
    assert found.pattern in allowed(steps, k, b, schema)
    total = sum(
        sign * np.array([Fraction(float(x)) for x in strategy[:, step]])
        for sign, step in zip(found.signs, found.pattern, strict=True)
    )
    assert found.lower == sum(x * x for x in total)  # type: ignore[union-attr, unused-ignore]


@pytest.mark.parametrize("seed", range(20))
def test_no_vectors_exceed_the_upper_end(seed: int) -> None:
    """Contributions along several directions are contributions too."""
    random, draws = Random(seed), np.random.default_rng(seed)
    strategy = draws.normal(size=(7, 7))
    k, b = random.randint(2, 4), random.randint(1, 2)
    found = sensitivity(strategy, k, b)
    products = strategy.T @ strategy
    for pattern in allowed(7, k, b, "min-sep"):
        part = products[np.ix_(pattern, pattern)]
        vectors = draws.normal(size=(len(pattern), len(pattern)))
        for _ in range(60):  # block coordinate ascent
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = part @ vectors + 1e-12
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        assert (part * (vectors @ vectors.T)).sum() <= float(found.upper) * (1 + 1e-9)


@pytest.mark.quick
@pytest.mark.parametrize(("steps", "k", "b"), [(6, 3, 2), (40, 5, 7), (300, 12, 20)])
def test_known_sensitivities(steps: int, k: int, b: int) -> None:
    """Those of the identity, of prefix sums and of banded matrices have closed forms."""
    identity = sensitivity(np.eye(steps), k, b)
    assert identity.lower == identity.upper == min(k, -(-steps // b))
    prefix = sensitivity(np.tril(np.ones((steps, steps))), k, b)
    first = range(0, steps, b)[:k]
    # In the rows from the i-th participation to the next one, i are summed.
    expected = sum(steps - max(i, j) for i in first for j in first)
    assert prefix.lower == prefix.upper == expected
    banded = np.tril(np.ones((steps, steps))) - np.tril(np.ones((steps, steps)), -b)
    found = sensitivity(banded, k, b)
    assert (
        found.lower
        == found.upper
        == max(
            sum(min(b, steps - i) for i in pattern)
            for pattern in [tuple(range(start, steps, b)[:k]) for start in range(b)]
        )
    )


@pytest.mark.parametrize("bands", [12, 18, 40, 120])
def test_falling_toeplitz_matrices_are_known(bands: int) -> None:
    """The closed form of Kalinin and Lampert is what the bounds of any matrix give."""
    steps, k, b = 120, 8, 12
    values = [1.0]
    for i in range(1, bands):
        values.append(values[-1] * (2 * i - 1) / (2 * i))
    strategy: Any = sum(np.diag(np.full(steps - i, x), -i) for i, x in enumerate(values))
    found = sensitivity(strategy, k, b)
    assert found.method == "toeplitz"
    assert found.lower == found.upper
    column = strategy[:, ::b][:, :k].sum(axis=1)
    assert float(found.lower) == pytest.approx(float(column @ column), rel=1e-12)
    products = gram.gram_of(read_strategy(strategy), k)
    largest = patterns.largest_sum(products.sizes, products.band, k, b)
    assert largest.method == ("search" if bands > 2 * b else "neighbours")
    assert 0 <= largest.upper * products.unit / found.upper - 1 < 1e-12
    rising = np.tril(np.arange(steps)[:, None] - np.arange(steps)[None, :] + 1)
    assert sensitivity(rising, k, b).method != "toeplitz"


def test_a_large_matrix_is_bounded_where_a_search_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a search the bound by rows holds, and is not below what the search shows."""
    monkeypatch.setattr(patterns, "_FRONTIER", 0)
    wider = 0
    for seed in range(40):
        strategy = np.random.default_rng(seed).integers(-9, 10, (9, 9))
        found = sensitivity(strategy, 3, 2)
        _, upper = by_brute_force(strategy, 3, 2, "min-sep")
        assert found.upper >= upper
        wider += found.method == "rows" and found.upper > upper
    assert wider > 5


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_the_largest_sum_from_nothing(seed: int) -> None:
    """Branch and bound does not need a good pattern to begin with, nor columns of a matrix."""
    random, draws = Random(seed), np.random.default_rng(seed)
    steps, k, b = 9, random.randint(1, 5), random.randint(1, 3)
    sizes: Any = np.triu(draws.integers(0, 50, (steps, steps)) * (draws.random((9, 9)) < 0.5))
    sizes = sizes + sizes.T
    sums = {p: int(sizes[np.ix_(p, p)].sum()) for p in allowed(steps, k, b, "min-sep")}
    count = patterns.most_steps(steps, k, b)
    found = patterns._Rows(sizes, count, b).search(0, ())
    assert found is not None
    assert found[0] == max(sums.values()) == sums.get(found[1], 0)
    largest = patterns.largest_sum(sizes, steps, k, b)
    assert largest.upper == max(sums.values())


@pytest.mark.parametrize("seed", range(20))
def test_fixed_epochs_of_both_signs_are_exact_above(seed: int) -> None:
    strategy = np.random.default_rng(seed).integers(-5, 6, (9, 9))
    for k, b in ((3, 3), (5, 1), (4, 2)):
        lower, upper = by_brute_force(strategy, k, b, "fixed-epoch")
        found = sensitivity(strategy, k, b, "fixed-epoch")
        assert found.lower <= lower
        assert found.upper == upper


def test_toeplitz_matrices_that_do_not_fall_or_are_below_0_are_no_closed_form() -> None:
    for column in ([1, -1, -2, -2, -3, -3], [1, 2, 0, 0, 3, 1], [1, 1, 0, 1, 0, 0]):
        strategy = sum(np.diag(np.full(6 - i, x), -i) for i, x in enumerate(column))
        for k, b in product((2, 3), (1, 2)):
            lower, upper = by_brute_force(strategy, k, b, "min-sep")
            found = sensitivity(strategy, k, b)
            assert found.lower <= lower <= upper <= found.upper


def test_roundings_are_covered() -> None:
    """Products that floats round are bounded from above, entry by entry."""
    for seed in range(20):
        draws = np.random.default_rng(seed)
        entries = draws.normal(size=(12, 12)) * 2.0 ** draws.integers(-30, 30, (12, 12))
        bounds = gram.gram_of(read_strategy(entries), 12)
        for i, j in product(range(12), repeat=2):
            pairs = [(exactly(entries[t, i]), exactly(entries[t, j])) for t in range(12)]
            exact = abs(sum((x * y for x, y in pairs), Fraction(0)))
            assert int(bounds.sizes[i, j]) * bounds.unit >= exact


def test_work_beyond_a_minute_is_refused_before_it_begins() -> None:
    strategy = np.tril(np.ones((2500, 2500)))
    strategy[-1, 0] = 2
    with pytest.raises(UsageError, match="more than a minute"):
        sensitivity(strategy, 2500, 1)


@pytest.mark.quick
def test_fixed_epochs_are_steps_exactly_apart() -> None:
    """With 1 in steps 0 and 3 alone, the two meet only where they need not be 2 apart."""
    strategy = np.eye(4)
    strategy[0, 3] = 1
    assert sensitivity(strategy, 2, 2).upper == 5
    assert sensitivity(strategy, 2, 2, "fixed-epoch").upper == 3


@pytest.mark.quick
def test_decimals_of_a_file_are_the_decimals_that_are_written(tmp_path: Any) -> None:
    path = tmp_path / "c.csv"
    path.write_text("0.1,0\n0.3,1/3\n")
    found = sensitivity_of(read_strategy(path), Participation(1, 1))
    assert found.lower == found.upper == Fraction(1, 9)
    path.write_text("0.1,0\n0.2,1\n")
    found = sensitivity_of(read_strategy(path), Participation(2, 1))
    assert found.lower == Fraction(1, 100) + Fraction(36, 25)
    assert 0 <= found.upper - found.lower < Fraction(1, 10**12)


def test_long_patterns_are_not_summed_exactly_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their bound from above is that of whole numbers, which is as sure and a little wider."""
    signed = np.tril(np.random.default_rng(5).normal(size=(40, 40)))
    strategy, participation = read_strategy(signed), Participation(10, 2, "fixed-epoch")
    exact = sensitivity_of(strategy, participation)
    module = "dpaudit.questions.account_matrix.sensitivity"
    monkeypatch.setattr(f"{module}._EXACTLY", 0)
    monkeypatch.setattr(f"{module}._absolute_sum", None)
    quick = sensitivity_of(strategy, participation)
    assert quick.lower == exact.lower <= exact.upper <= quick.upper
    assert quick.upper <= exact.upper * (1 + Fraction(1, 10**9))
