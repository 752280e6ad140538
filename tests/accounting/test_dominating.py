"""The dominating pair dominates: at every α, every pair, and every adaptive composition."""

from collections.abc import Hashable
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from dpaudit.api import mechanism
from dpaudit.audit.curve import Event, privacy_curve
from dpaudit.errors import LawError
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import lower_fraction, precision
from dpaudit.numbers.real import real
from dpaudit.questions.account.dominating import (
    DominatingPair,
    Edge,
    adaptive_upper,
    dominating_pair,
    on_a_grid,
)
from dpaudit.questions.account.export import accounting_plan
from dpaudit.results import PrivacyCurve
from tests.accounting.products import composed_delta, hockey_stick
from tests.enclosing import fraction_of
from tests.oracles import definitions
from tests.oracles.setting import DIGITS, Setting

SETTINGS = [
    Setting(mechanism=name, n=n, prior=(Fraction(1), Fraction(1)), epsilon=Fraction(4, 5))
    for name, n in (("EHDS", 6), ("EHDL", 5), ("MH", 6), ("LSHist", 5), ("LSDim", 4), ("EHDS", 30))
]


def pair_of(name: str, n: int, **parameters: object) -> DominatingPair:
    subject = mechanism(name, **parameters)
    return dominating_pair(privacy_curve(subject, n, accounting_plan(subject)))


def divergence(pair: DominatingPair, alpha: Fraction) -> Fraction:
    """H_α of the dominating pair, in fractions."""
    return sum((max(Fraction(0), e.p - alpha * e.q) for e in pair.edges), Fraction(0)) / (
        1 << pair.bits
    )


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: f"{s.mechanism}-{s.n}")
def test_it_dominates_every_pair_at_every_alpha(setting: Setting) -> None:
    pair = pair_of(setting.mechanism, setting.n)
    assert sum(e.p for e in pair.edges) == sum(e.q for e in pair.edges) == 1 << pair.bits
    with mp.workdps(DIGITS):
        sides = [
            (definitions.law(setting, x), definitions.law(setting, y))
            for x, y in definitions.ordered_pairs(setting)
        ]
        for alpha in (Fraction(a, 16) for a in (0, 1, 5, 9, 13, 15, 16, 17, 18, 20, 24, 32, 60)):
            factor = mp.mpf(alpha.numerator) / alpha.denominator
            worst = fraction_of(mp.mpf(max(hockey_stick(p, q, factor) for p, q in sides)))
            found = divergence(pair, alpha)
            assert worst - Fraction(1, 10**40) <= found <= worst + Fraction(1, 10**25)


@given(st.data())
def test_it_dominates_what_an_adaptive_curator_can_do(data: st.DataObject) -> None:
    """Three datasets; the second run may see another pair than the first, by the first's output."""
    weights = data.draw(
        st.lists(
            st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=3, max_size=3
        )
    )
    tables = [{r: Fraction(w, sum(row)) for r, w in enumerate(row) if w} for row in weights]

    @finite_mechanism(datasets=[0, 1, 2])
    def own(dataset: int) -> dict[Hashable, Fraction]:
        return dict(tables[dataset].items())

    pair = dominating_pair(privacy_curve(own, 1, accounting_plan(own)))
    ordered = [(tables[i], tables[j]) for i, j in product(range(3), repeat=2) if i != j]
    first = data.draw(st.sampled_from(ordered))
    seconds = {r: data.draw(st.sampled_from(ordered)) for r in (0, 1, 2)}
    factor = data.draw(st.fractions(1, 6, max_denominator=4))
    truth = sum(
        max(
            Fraction(0),
            first[0].get(r, 0) * p.get(s, 0) - factor * first[1].get(r, 0) * q.get(s, 0),
        )
        for r, (p, q) in seconds.items()
        for s in (0, 1, 2)
    )
    (bound,) = adaptive_upper(pair, 2, [real(factor).ln()], 30)
    assert truth <= Fraction(bound)


@pytest.mark.parametrize("runs", [1, 2, 5, 24])
@pytest.mark.parametrize("name", ["EHDS", "LSHist", "MH"])
def test_the_grid_is_above_the_exact_composition_and_near_it(name: str, runs: int) -> None:
    pair = pair_of(name, 4)
    epsilons = [real(text) for text in ("0", "1/4", "1", "2")]
    exact = adaptive_upper(pair, runs, epsilons, 30) if runs < 24 else None
    with precision(400):
        grid = on_a_grid(pair, runs)
        bounds = [grid.upper(epsilon) for epsilon in epsilons]
    if exact is None:
        one = [e for e in pair.edges if e.p]
        assert sum(grid.masses) >= sum(e.p for e in one if e.q) ** runs * 2**grid.bits // 2 ** (
            pair.bits * runs
        )
        return
    for upper, bound in zip(exact, bounds, strict=True):
        with precision(400):
            assert Fraction(upper) - Fraction(1, 10**20) <= lower_fraction(bound)
            assert lower_fraction(bound) <= Fraction(upper) + Fraction(1, 1000)


def test_a_grid_of_many_runs_is_above_the_binomial_sum() -> None:
    """Randomised response at p = 3/4, 60 runs: δ(ε) is a sum of 61 terms."""
    pair = DominatingPair(2, (Edge(3, 1), Edge(1, 3)))
    runs = 60
    with mp.workdps(DIGITS):
        for text in ("0", "5", "20"):
            factor = mp.exp(mp.mpf(text))
            truth = (
                mp.fsum(
                    mp.binomial(runs, j) * max(0, mp.mpf(3) ** (runs - j) - factor * mp.mpf(3) ** j)
                    for j in range(runs + 1)
                )
                / mp.mpf(4) ** runs
            )
            with precision(300):
                bound = lower_fraction(on_a_grid(pair, runs).upper(real(text)))
            assert fraction_of(truth) <= bound <= fraction_of(truth) + Fraction(1, 500)
            (exact,) = adaptive_upper(pair, runs, [real(text)], 30)
            assert fraction_of(truth) <= Fraction(exact) <= fraction_of(truth) + Fraction(1, 10**25)


def test_same_data_is_within_the_adaptive_bound() -> None:
    setting = SETTINGS[1]
    pair = pair_of(setting.mechanism, setting.n)
    with mp.workdps(DIGITS):
        for text in ("0", "1/2", "1"):
            factor = mp.exp(mp.mpf(Fraction(text).numerator) / Fraction(text).denominator)
            truth = max(
                composed_delta(
                    [(definitions.law(setting, x), definitions.law(setting, y))] * 2, factor
                )
                for x, y in definitions.ordered_pairs(setting)
            )
            (bound,) = adaptive_upper(pair, 2, [real(text)], 30)
            assert fraction_of(mp.mpf(truth)) <= Fraction(bound) + Fraction(1, 10**40)


def test_a_curve_that_does_not_reach_one_is_refused() -> None:
    events = (Event(0, 0, 0, None, None), Event(900, 1000, 1, 0, 1))
    short = tuple(event.vertex() for event in events)
    with pytest.raises(LawError, match="do not add up"):
        dominating_pair(PrivacyCurve(1, 1, 10, short, short))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6).filter(
        lambda atoms: 0 < sum(q for _, q in atoms) <= 60 and sum(p for p, _ in atoms) >= 64
    )
)
def test_a_hull_that_passes_one_is_cut_outward(atoms: list[tuple[int, int]]) -> None:
    """Masses at the scale 2⁶ rounded outward: P adds up to more than 1 and Q to less."""
    ordered = sorted(
        (a for a in atoms if a[0]), key=lambda a: -Fraction(a[0], a[1] or 1) - 99 * (not a[1])
    )
    hull, p_total, q_total = [Event(0, 0, 0, None, None)], 0, 0
    for p, q in ordered:
        p_total, q_total = p_total + p, q_total + q
        hull.append(Event(q_total, p_total, 1, 0, 1))
    vertices = tuple(event.vertex() for event in hull)
    pair = dominating_pair(PrivacyCurve(1, 1, 6, vertices, vertices))
    assert sum(e.p for e in pair.edges) == sum(e.q for e in pair.edges) == 64
    for alpha in (Fraction(a, 8) for a in range(200)):
        wanted = max(min(Fraction(64), Fraction(v.p)) - alpha * v.q for v in hull)
        assert divergence(pair, alpha) * 64 >= wanted
        # Between two vertices the cut chain is above the line as well.
        for low, high in pairwise(hull):
            if low.p < 64 < high.p:
                cut = low.q + Fraction((64 - low.p) * (high.q - low.q), high.p - low.p)
                assert divergence(pair, alpha) * 64 >= 64 - alpha * cut


def test_infinite_losses_count_on_the_grid_too() -> None:
    pair = DominatingPair(4, (Edge(1, 0), Edge(9, 4), Edge(6, 11), Edge(0, 1)))
    with precision(300):
        bound = lower_fraction(on_a_grid(pair, 30).upper(real(100)))
    truth = 1 - Fraction(15, 16) ** 30
    assert truth - Fraction(1, 10**40) <= bound <= truth + Fraction(1, 10**9)


def test_outputs_of_one_side_become_an_output_of_infinite_loss() -> None:
    @finite_mechanism(datasets=[0, 1])
    def leaky(bit: int) -> dict[Hashable, str]:
        return {"same": "3/4", ("own", bit): "1/4"}

    pair = dominating_pair(privacy_curve(leaky, 1, accounting_plan(leaky)))
    assert Fraction(pair.infinite, 1 << pair.bits) == Fraction(1, 4)
    (bound,) = adaptive_upper(pair, 3, [real(50)], 20)
    assert Fraction(bound) == 1 - Fraction(3, 4) ** 3
