"""Exponential sums: their powers are kept on a grid, which must not be seen."""

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers.expsum import ExpSum

Terms = dict[tuple[int, Fraction], Fraction]
powers = st.tuples(st.integers(-2, 2), st.fractions(-2, 2, max_denominator=6))
sums = st.dictionaries(powers, st.fractions(-3, 3, max_denominator=5), max_size=4)


def plain(terms: Terms) -> Terms:
    return {power: q for power, q in terms.items() if q}


@given(sums, sums)
def test_sums_and_products_are_those_of_the_terms(one: Terms, other: Terms) -> None:
    total: Counter[tuple[int, Fraction]] = Counter()
    product: Counter[tuple[int, Fraction]] = Counter()
    for terms in (one, other):
        for power, q in terms.items():
            total[power] += q  # type: ignore[assignment]
    for (j, s), p in one.items():
        for (k, r), q in other.items():
            product[j + k, s + r] += p * q  # type: ignore[assignment]
    left, right = ExpSum(one), ExpSum(other)
    assert (left + right).terms == plain(dict(total))  # type: ignore[arg-type]
    assert (left * right).terms == plain(dict(product))  # type: ignore[arg-type]
    assert (left - left).is_zero()


@given(sums, powers, st.fractions(1, 3, max_denominator=3))
def test_one_sum_on_two_grids_is_one_sum(
    terms: Terms, power: tuple[int, Fraction], q: Fraction
) -> None:
    one, (j, s) = ExpSum(terms), power
    other = one.times(q, j=j, s=s).times(1 / q, j=-j, s=-s)  # through a grid of both
    assert one == other
    assert hash(one) == hash(other)
    assert other.terms == plain(terms)
    quotient = one.times(q, j=j, s=s).monomial_quotient(one)
    assert (quotient is None) == one.is_zero()
    assert quotient is None or quotient == ExpSum.term(q, j=j, s=s)


@given(sums, sums)
def test_equal_sums_alone_are_equal(one: Terms, other: Terms) -> None:
    assert (ExpSum(one) == ExpSum(other)) == (plain(one) == plain(other))


@given(sums, st.fractions(1, 3, max_denominator=3))
def test_powers_of_a_rational_rate_are_multiplied_in(terms: Terms, rate: Fraction) -> None:
    expected: Terms = {}
    for (j, s), q in terms.items():
        expected[0, s] = expected.get((0, s), Fraction(0)) + q * rate**j
    assert ExpSum(terms).folded(rate).terms == plain(expected)
