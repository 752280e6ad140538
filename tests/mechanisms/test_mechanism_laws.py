"""Every mechanism in every reading: its law against the law of the oracle, output by output."""

import pickle
from fractions import Fraction

import pytest

from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.numbers.ball import ball, precision
from tests.enclosing import SLACK, assert_encloses, ends
from tests.oracles.laws import law as oracle_law
from tests.oracles.laws import neglected_mass
from tests.oracles.sensitivity import histograms
from tests.oracles.setting import READINGS, Setting, random_settings, variants
from tests.situations import build

NARROW = Fraction(1, 10**40)
EVERY_VARIANT = [(name, readings) for name in READINGS for readings in variants(name)]
SKEW = (Fraction(1, 3), Fraction(7, 2))
SKEW3 = (Fraction(1, 20), Fraction(2), Fraction(13, 4))


def name_of(setting: Setting) -> str:
    return f"{setting.mechanism}-k{setting.k}-n{setting.n}"


def check_law(setting: Setting) -> None:
    mechanism = build(setting)
    with precision(256):
        book = mechanism.laws()
        for counts in histograms(setting.n, setting.k):
            truth = oracle_law(setting, counts)
            law = book.law(counts)
            for output, mass in truth.items():
                assert_encloses(law.probability(output).ball, mass, width=NARROW, slack=SLACK)
            if setting.mechanism != "NotesLaplace":
                assert law.output_count() == len(truth)
                assert mechanism.output_count(setting.n) == len(truth)
            else:
                assert law.output_count() is None
                assert mechanism.output_count(setting.n) is None
                total = sum((law.probability(output).ball for output in truth), ball(0))
                assert ends(total)[0] >= 1 - Fraction(1, 10**21)
            if isinstance(law, WeightedLaw):
                assert_encloses(sum(law.probabilities, ball(0)), Fraction(1), width=NARROW)


@pytest.mark.parametrize(("mechanism", "readings"), EVERY_VARIANT, ids=str)
@pytest.mark.parametrize(("n", "prior"), [(4, SKEW), (2, SKEW3)])
def test_every_reading(
    mechanism: str, readings: tuple[tuple[str, str], ...], n: int, prior: tuple[Fraction, ...]
) -> None:
    epsilon = Fraction(7, 2)
    if mechanism == "NotesLaplace":
        n, epsilon = (2, Fraction(8)) if len(prior) == 2 else (1, Fraction(40))
    setting = Setting(mechanism, n, prior, epsilon, Fraction(1, 50), Fraction(3, 2), readings)
    assert neglected_mass(setting) < 1e-21
    check_law(setting)


@pytest.mark.parametrize(
    "setting",
    [s for s in random_settings(29, 64) if s.mechanism != "NotesLaplace"],
    ids=name_of,
)
def test_random_settings(setting: Setting) -> None:
    check_law(setting)


def test_readings_differ_where_they_should() -> None:
    """No two readings of a mechanism are the same law (n = 12; |R| = n + 1)."""
    for mechanism in READINGS:
        seen: dict[object, tuple[str, ...]] = {}
        for readings in variants(mechanism):
            if ("count", "candidates") in readings or (
                ("smoothing", "own") in readings and ("count", "n") in readings
            ):
                continue  # for k = 2 there are n + 1 candidates; LS(x) alone needs no β
            setting = Setting(mechanism, 12, (Fraction(1),) * 2, Fraction(2), readings=readings)
            with precision(128):
                law = build(setting).laws().law((6, 6))
                outputs = [(6, 6), (5, 7), (7, 5), (6, 0)]
                key = tuple(str(law.probability(output).ball.mid()) for output in outputs)
            assert key not in seen.values(), readings
            seen[readings] = key


def test_the_number_of_candidates_matters_for_three_categories() -> None:
    laws = []
    for count in ("n+1", "candidates", "n"):
        setting = Setting("MH", 6, (Fraction(1),) * 3, Fraction(2), readings=(("count", count),))
        with precision(128):
            laws.append(str(build(setting).laws().law((2, 2, 2)).probability((2, 2, 2)).ball.mid()))
    assert len(set(laws)) == 3


@pytest.mark.parametrize(("mechanism", "readings"), EVERY_VARIANT, ids=str)
def test_mechanisms_survive_pickling(mechanism: str, readings: tuple[tuple[str, str], ...]) -> None:
    setting = Setting(mechanism, 3, SKEW, Fraction(7, 2), readings=readings)
    built = build(setting)
    copy = pickle.loads(pickle.dumps(built))
    assert copy == built
    assert hash(copy) == hash(built)
    assert copy.values() == built.values()
    with precision(96):
        here, there = (m.laws().law((1, 2)).probability((1, 2)).ball for m in (built, copy))
        assert here.overlaps(there)


def test_a_round_trip_through_the_values() -> None:
    for cls in mechanism_classes().values():
        named = {parameter.name for parameter in cls.parameters}
        mechanism = cls.build({"epsilon": "ln(3)"} if "epsilon" in named else {})
        assert cls.build(mechanism.values()) == mechanism
