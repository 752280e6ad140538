"""The oracles checked against each other and against closed forms."""

from fractions import Fraction

import pytest
from mpmath import mp, mpf

from tests.oracles import definitions, laplace_fractions, sequences
from tests.oracles.setting import DIGITS, READINGS, Exact, Log, Setting, random_settings, variants

TOLERANCE = mpf(10) ** -40
ONES = (Fraction(1), Fraction(1))
SKEW = (Fraction(1, 3), Fraction(7, 2))
SKEW3 = (Fraction(1, 20), Fraction(2), Fraction(13, 4))
EVERY_VARIANT = [(name, readings) for name in READINGS for readings in variants(name)]


def close(a: mpf, b: mpf, tolerance: mpf = TOLERANCE) -> bool:
    with mp.workdps(DIGITS):
        return bool(abs(mpf(a) - b) <= tolerance)


def name_of(setting: Setting) -> str:
    return f"{setting.mechanism}-k{setting.k}-n{setting.n}"


def fraction(value: Fraction) -> mpf:
    with mp.workdps(DIGITS):
        return mpf(value.numerator) / value.denominator


def epsilon_of(mechanism: str, n: int, prior: tuple[Fraction, ...], epsilon: Exact) -> mpf:
    return definitions.realised_epsilon(Setting(mechanism, n, prior, epsilon)).epsilon


@pytest.mark.parametrize("setting", random_settings(11, 48), ids=name_of)
def test_laws_sum_to_one(setting: Setting) -> None:
    if setting.mechanism == "NotesLaplace" and setting.k > 2:
        setting = Setting(
            setting.mechanism, 1, setting.prior[:2], Fraction(5), readings=setting.readings
        )
    slack = TOLERANCE + definitions.neglected_mass(setting)
    assert slack < mpf(10) ** -21
    for x in definitions.histograms(setting.n, setting.k):
        masses = definitions.law(setting, x).values()
        assert min(masses) > 0
        with mp.workdps(DIGITS):
            assert close(mp.fsum(masses), mpf(1), slack)


@pytest.mark.parametrize(("mechanism", "readings"), EVERY_VARIANT)
@pytest.mark.parametrize(("n", "prior"), [(3, SKEW), (2, SKEW3)])
def test_sequences_agree_with_counts(
    mechanism: str, readings: tuple[tuple[str, str], ...], n: int, prior: tuple[Fraction, ...]
) -> None:
    if mechanism == "NotesLaplace":
        n = 4 - len(prior)
    setting = Setting(
        mechanism, n, prior, Fraction(7, 2), Fraction(1, 50), Fraction(3, 2), readings
    )
    counted = definitions.realised_epsilon(setting).epsilon
    assert close(sequences.realised_epsilon(setting).epsilon, counted)
    for epsilon in (Fraction(1, 4), Fraction(2)):
        assert close(
            sequences.realised_delta(setting, epsilon), definitions.realised_delta(setting, epsilon)
        )


@pytest.mark.parametrize(
    ("mechanism", "n", "prior"), [("EHDS", 6, SKEW), ("MH", 6, SKEW), ("EHDS", 4, SKEW3)]
)
def test_sequences_agree_at_larger_sizes(
    mechanism: str, n: int, prior: tuple[Fraction, ...]
) -> None:
    setting = Setting(mechanism, n, prior, Fraction(4, 5), Fraction(1, 10))
    counted = definitions.realised_epsilon(setting).epsilon
    assert close(sequences.realised_epsilon(setting).epsilon, counted)


RATIONAL = laplace_fractions.random_rational_settings(5, 32)


@pytest.mark.parametrize("setting", RATIONAL, ids=name_of)
def test_fractions_agree_with_reals(setting: Setting) -> None:
    exact = laplace_fractions.realised_ratio(setting)
    with mp.workdps(DIGITS):
        assert close(mp.log(fraction(exact.ratio)), definitions.realised_epsilon(setting).epsilon)
    slack = TOLERANCE + definitions.neglected_mass(setting)
    for ratio in (Fraction(1), 1 + (exact.ratio - 1) / 2):
        truth = laplace_fractions.realised_delta(setting, ratio)
        estimate = definitions.realised_delta(setting, Log(Fraction(1), ratio))
        assert truth > 0
        assert close(estimate, fraction(truth), slack)
    assert laplace_fractions.realised_delta(setting, exact.ratio) == 0


@pytest.mark.parametrize("setting", RATIONAL[:12], ids=name_of)
def test_exact_laws_sum_to_one(setting: Setting) -> None:
    for x in definitions.histograms(setting.n, setting.k):
        assert sum(laplace_fractions.law(setting, x).values()) == 1


def test_irrational_decay_is_refused() -> None:
    with pytest.raises(ValueError, match="irrational"):
        laplace_fractions.rational_decay(Setting("LSHist", 3, ONES, Fraction(1)))
    with pytest.raises(ValueError, match="no integer root"):
        laplace_fractions.rational_decay(Setting("LSZhang", 3, ONES, Log(Fraction(1), Fraction(2))))


def test_ehds_reference_value() -> None:
    found = epsilon_of("EHDS", 10, ONES, Fraction(4, 5))
    with mp.workdps(DIGITS):
        assert abs(found - mpf("0.25448462819475875050")) < mpf("1e-20")


def test_quoted_ehd_can_spend_exactly_half_its_budget() -> None:
    prior = (Fraction(1), Fraction(2), Fraction(1))
    assert close(epsilon_of("EHD", 8, prior, Fraction(2)), mpf(1))


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(4, 5), Fraction(8)])
def test_laplace_closed_forms_for_two_categories(n: int, epsilon: Fraction) -> None:
    assert close(epsilon_of("LSHist", n, SKEW, epsilon), fraction(epsilon))
    for mechanism in ("LSDim", "LSZhang", "NotesLaplace"):
        assert close(epsilon_of(mechanism, n, SKEW, epsilon), fraction(epsilon / 2))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_noise_on_every_count_spends_the_whole_budget_except_at_one_record(n: int) -> None:
    setting = Setting(
        "LSZhang", n, ONES, Log(Fraction(2), Fraction(3)), readings=variants("LSZhang")[1]
    )
    t = Fraction(1, 3)
    expected = (2 - t) / t if n == 1 else 1 / t**2
    assert laplace_fractions.realised_ratio(setting).ratio == expected


def test_rounding_toward_zero_costs_ln_2_per_coordinate() -> None:
    setting = Setting(
        "NotesLaplace", 4, ONES, Log(Fraction(2), Fraction(3)), readings=variants("NotesLaplace")[2]
    )
    assert setting.reading("rounding") == "toward-zero"
    assert laplace_fractions.realised_ratio(setting).ratio == 2 * 3


@pytest.mark.parametrize(("n", "prior"), [(7, SKEW), (4, SKEW3)])
def test_delta_vanishes_exactly_from_the_realised_epsilon_on(
    n: int, prior: tuple[Fraction, ...]
) -> None:
    setting = Setting("EHDL", n, prior, Fraction(3))
    with mp.workdps(DIGITS):
        epsilon = definitions.realised_epsilon(setting).epsilon
        assert definitions.realised_delta(setting, epsilon) < TOLERANCE
        assert definitions.realised_delta(setting, epsilon - mpf(10) ** -10) > mpf(10) ** -20


def test_local_sensitivity_is_a_distance_to_a_neighbour() -> None:
    for n, prior in ((9, SKEW), (4, SKEW3)):
        for x in definitions.histograms(n, len(prior)):
            here = tuple(a + c for a, c in zip(prior, x, strict=True))
            farthest = max(
                definitions.hellinger(here, tuple(a + c for a, c in zip(prior, y, strict=True)))
                for y in definitions.neighbours(x)
            )
            assert close(definitions.local_sensitivity(prior, x), farthest)


def test_the_worst_case_is_the_worst_over_each_dataset() -> None:
    setting = Setting("EHDL", 5, SKEW, Fraction(2))
    whole = definitions.realised_epsilon(setting)
    assert definitions.losses(setting, whole.x, whole.y)[whole.output] == whole.epsilon
    local = {
        x: definitions.realised_epsilon(setting, at=x).epsilon for x in definitions.histograms(5, 2)
    }
    assert max(local.values()) == local[whole.x] == local[whole.y] == whole.epsilon
    assert min(local.values()) < whole.epsilon


@pytest.mark.parametrize("mechanism", ["EHD", "EHDL", "EHDS", "MH"])
def test_candidates_reveal_the_size_under_add_remove(mechanism: str) -> None:
    setting = Setting(mechanism, 2, SKEW, Fraction(1))
    assert definitions.realised_epsilon(setting, adjacency="add-remove").epsilon == mp.inf
    assert close(definitions.realised_delta(setting, Fraction(1), adjacency="add-remove"), mpf(1))


def test_unclamped_noise_everywhere_survives_add_remove() -> None:
    setting = Setting("NotesLaplace", 2, SKEW, Fraction(3), readings=(("coordinates", "all"),))
    assert close(definitions.realised_epsilon(setting, adjacency="add-remove").epsilon, mpf(3) / 2)


def test_a_clamped_last_count_reveals_the_size_unless_the_others_exceed_it() -> None:
    for prior in (SKEW, SKEW3):
        setting = Setting("LSHist", 2, prior, Fraction(3))
        assert definitions.realised_epsilon(setting, adjacency="add-remove").epsilon == mp.inf
        delta = definitions.realised_delta(setting, Fraction(3), adjacency="add-remove")
        assert close(delta, mpf(1)) if len(prior) == 2 else 0 < delta < mpf("0.9999")


def test_add_remove_pairs_have_both_directions() -> None:
    setting = Setting("EHD", 2, SKEW3, Fraction(1))
    pairs = list(definitions.ordered_pairs(setting, adjacency="add-remove"))
    assert len(pairs) == len(set(pairs)) == 6 * 3 * 2
    assert {(y, x) for x, y in pairs} == set(pairs)
    near = list(definitions.ordered_pairs(setting, at=(2, 0, 0)))
    assert len(near) == 4


def test_random_settings_reach_every_variant() -> None:
    settings = random_settings(3, 96)
    assert {(s.mechanism, tuple(s.readings)) for s in settings} == set(EVERY_VARIANT)
    assert settings == random_settings(3, 96)
    assert {s.k for s in settings} == {2, 3, 4}
    assert any(isinstance(s.epsilon, Log) for s in settings)


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="no reading"):
        Setting("EHDS", 3, ONES, Fraction(1), readings=(("divisor", "1"),))
    with pytest.raises(ValueError, match="no such datasets"):
        Setting("EHDS", 0, ONES, Fraction(1))
    assert str(Log(Fraction(2), Fraction(3))) == "2*ln(3)"


def test_the_quoted_constant_is_no_sensitivity_at_small_priors() -> None:
    prior = (Fraction(1, 20), Fraction(20))
    assert definitions.global_sensitivity(prior, 4) > definitions.quoted_sensitivity()
    with mp.workdps(DIGITS):
        spent = epsilon_of("EHD", 4, prior, Fraction(1, 5)) * 5
        assert mpf("1.1097") < spent < mpf("1.1098")


def test_one_record_makes_local_sensitivity_without_the_factor_2_tight() -> None:
    setting = Setting("EHDL", 1, SKEW, Fraction(4), readings=(("divisor", "1"),))
    assert close(definitions.realised_epsilon(setting).epsilon, mpf(4))
