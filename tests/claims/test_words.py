"""Words about noisy counts and far outputs: values, no values, and false neighbours."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from mpmath import exp, mp, mpf

from dpaudit.claims.claim import Settings
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.discover import discover
from dpaudit.claims.elementary import Undefined
from dpaudit.claims.evaluate import certain, confirmed
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import forall
from dpaudit.claims.terms import parse
from dpaudit.kernel.stated import proposition_of
from tests.oracles.definitions import hellinger

QUICK = Settings(timeout_seconds=3)
EACH = "each(i, 1, 3, {})"
FLAT, COUNTS = EACH.format("1 + 0*i"), EACH.format("same(i, 1) + same(i, 3)")


def settled(text: str) -> bool | None:
    return confirmed(parse(text), {})


def near(value: mpf) -> str:
    """A number as text, to thirty digits."""
    return f"{int(mp.floor(value * 10**30))}/10^30"


def below(scale: Fraction, t: Fraction) -> mpf:
    """P(Y < t), by the definition of the density."""
    x = mpf(t.numerator) / t.denominator / (mpf(scale.numerator) / scale.denominator)
    return exp(x) / 2 if t < 0 else 1 - exp(-x) / 2


@pytest.mark.parametrize(("n", "c"), [(1, 0), (1, 1), (4, 1), (4, 4)])
def test_a_clamped_count_has_the_law_of_its_noise(n: int, c: int) -> None:
    assert settled(f"sum(r, 0, {n}, P_clamp(5/2, {n}, {c}, r)) == 1")
    with mp.workdps(40):
        for r in range(n + 1):
            high = mpf(1) if r == n else below(Fraction(5, 2), Fraction(r + 1 - c))
            low = mpf(0) if r == 0 else below(Fraction(5, 2), Fraction(r - c))
            assert settled(f"abs(P_clamp(5/2, {n}, {c}, {r}) - {near(high - low)}) < 1/10^25")


def test_an_output_out_of_range_has_no_probability() -> None:
    for r in ("-1", "5", "1/2"):
        assert settled(f"P_clamp(1, 4, 2, {r}) == 0")
    with pytest.raises(Undefined):
        certain(parse("P_clamp(1, 0, 0, 0) > 0"), {})
    with pytest.raises(Undefined):
        certain(parse("P_clamp(0, 4, 2, 2) > 0"), {})


def test_candidates_are_counted() -> None:
    for k, n in product(range(1, 5), range(1, 6)):
        assert settled(f"candidates({k}, {n}) == {comb(n + k - 1, k - 1)}")
    with pytest.raises(Undefined):
        certain(parse("candidates(0, 1) == 0"), {})


def test_far_outputs_and_the_normaliser_are_those_of_the_law() -> None:
    at = f"{FLAT}, {COUNTS}"
    assert settled(f"abs(P_far(2, {at}, 0) - 1) < 1/10^20")
    assert settled(f"P_far(2, {at}, 2) == 0")
    assert settled(f"abs(P_exp(2, {at}, {COUNTS})*NL(2, {at}) - 1) < 1/10^20")
    with mp.workdps(40):
        far = [
            hellinger(tuple(map(Fraction, (2, 1, 2))), tuple(Fraction(1 + c) for c in r))
            for r in product(range(3), repeat=3)
            if sum(r) == 2
        ]
        total, beyond = (sum(exp(-2 * h) for h in far if h >= least) for least in (0, mpf(2) / 5))
        value = near(beyond / total)
    assert settled(f"abs(P_far(2, {at}, 2/5) - {value}) < 1/10^15")


def test_words_of_lists_alone_are_not_written_for_coq_of_pairs() -> None:
    with pytest.raises(FormulaError, match="not written for Coq"):
        proposition_of(forall("", holds="NL(1, (1, 1), (1, 0)) > 0"))


FALSE = {
    "lap-dilation-7": ("eps/2", "eps/4"),
    "lap-dilation-16": ("exp(eps/2)", "exp(eps/9)"),
    "sliding-literal-exact": ("m > k or D < -S", "m > k + 1 or D < -S"),
    "basics-candidates-growth": ("<= m", "<= m - 1"),
    "III-step": (") > LS((1, 1), (u, n - u))", ") < LS((1, 1), (u, n - u))"),
}
"""What is false: a number of the statement changed, its evidence kept."""


@pytest.mark.parametrize("name", FALSE)
def test_a_false_neighbour_is_not_proved_by_the_evidence(name: str) -> None:
    claim = discover()[name].claim
    assert claim.typed is not None
    old, new = FALSE[name]
    assert old in claim.typed.proposition
    changed = claim.typed.proposition.replace(old, new)
    fields = {part: getattr(claim.typed, part) for part in claim.typed.__struct_fields__}
    domain = (*claim.typed.domain, *claim.holds_on)
    mutant = type(claim.typed)(**{**fields, "domain": domain, "proposition": changed})
    found = decide_statement(mutant, claim.evidence, QUICK, claim.points)
    assert found.verdict.value in ("refuted", "undecided")
