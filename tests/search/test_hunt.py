"""Hunts find what is there, certify it, and find the same again."""

from __future__ import annotations

import json
import shlex
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.questions.hunt.global_search import Stopped
from dpaudit.results import HuntVerdict, Verdict
from tests.oracles import definitions
from tests.oracles.setting import DIGITS, Setting, real

if TYPE_CHECKING:
    from dpaudit.questions.hunt.function import Hunt


def number(value: Decimal | str) -> mpf:
    return real(Fraction(value))


def setting_of(found: Hunt, readings: tuple[tuple[str, str], ...] = ()) -> Setting:
    """The worst point of a hunt, for the oracle, from the exact parameters it reports."""
    assert found.worst is not None
    audit = found.worst.audit
    parameters: dict[str, Any] = audit.parameters
    return Setting(
        audit.mechanism,
        audit.results[0].n,
        tuple(Fraction(part) for part in parameters["prior"]),
        Fraction(parameters["epsilon"]),
        Fraction(parameters.get("delta", "1/2000")),
        Fraction(parameters.get("gamma", "1")),
        readings,
    )


def assert_oracle_agrees(found: Hunt, readings: tuple[tuple[str, str], ...] = ()) -> None:
    """The certified ratio contains the ratio that brute force in mpmath finds at that point."""
    assert found.worst is not None
    assert found.worst.ratio is not None
    setting = setting_of(found, readings)
    with mp.workdps(DIGITS):
        worst = definitions.realised_epsilon(setting)
        budget: Any = real(setting.epsilon)
        realised: Any = worst.epsilon
        if found.result.measure == "delta":
            realised = definitions.realised_delta(setting, setting.epsilon)
            budget = real(setting.delta)
        ratio = realised / budget
        low, high = number(found.worst.ratio.lower), number(found.worst.ratio.upper)
        assert low - mpf("1e-40") <= ratio <= high + mpf("1e-40")
        assert high - low <= mpf("1e-8") * max(1, ratio)
        assert (ratio > 1) == (found.finding is HuntVerdict.EXCEEDS)


def test_ehdl_is_caught_unaided_over_the_prior() -> None:
    found = dpaudit.hunt("EHDL", ["prior=1/100..1", "n=2..300"], eps="0.8")
    assert found.finding is HuntVerdict.EXCEEDS
    assert found.worst is not None
    assert found.worst.ratio is not None
    # prior (1/10, 1/10) at n = 300 is known to realise 0.8327; the hunt must not do worse
    assert found.worst.ratio.lower > Decimal("1.0409")
    (result,) = found.worst.audit.results
    assert result.verdict is Verdict.EXCEEDS
    assert result.pairs == result.pairs_covered == result.n


def test_the_certified_ratio_of_ehdl_is_the_oracles() -> None:
    found = dpaudit.hunt("EHDL", {"prior": "1/1000..1", "n": "2..60"}, eps="4/5", evaluations=250)
    assert found.finding is HuntVerdict.EXCEEDS
    assert_oracle_agrees(found)


def test_ehd_with_the_quoted_constant_is_caught_at_five_records() -> None:
    found = dpaudit.hunt("EHD", {"prior": "1/20..1", "n": "2..300", "gs": "quoted"}, eps="4/5")
    assert found.finding is HuntVerdict.EXCEEDS
    assert found.worst is not None
    assert found.worst.parameters == {"prior": Fraction(1, 20), "n": 5, "gs": "quoted"}
    assert_oracle_agrees(found)


def test_a_choice_of_reading_is_searched() -> None:
    found = dpaudit.hunt("EHD", {"prior": "1/20..1", "n": "2..12", "gs": "computed,quoted"})
    assert found.worst is not None
    assert found.worst.parameters["gs"] == "quoted"


@pytest.mark.parametrize(
    ("name", "over"),
    [
        ("EHDS", {"prior": "1/100..10", "n": "2..300"}),
        ("EHDS", {"prior": "1/100..10", "n": "2..60", "gamma": "1/10..10"}),
        ("MH", {"prior": "1/100..10", "n": "2..300"}),
        ("EHD", {"prior": "1/100..10", "n": "2..100", "gs": "computed"}),
    ],
)
def test_mechanisms_that_keep_their_word_are_not_accused(name: str, over: dict[str, str]) -> None:
    found = dpaudit.hunt(name, over, eps="4/5", evaluations=400)
    assert found.finding is HuntVerdict.NONE
    assert "no proof that there is none" in str(found)
    assert all(point.score.ratio <= 1 for point in found.result.evaluated)


def test_a_budget_with_delta_is_hunted_by_delta() -> None:
    found = dpaudit.hunt("MH", {"prior": "1/10..2", "n": "2..14"}, divisor="1", evaluations=200)
    assert found.result.measure == "delta"
    assert found.finding is HuntVerdict.EXCEEDS
    assert_oracle_agrees(found, (("divisor", "1"),))


def test_a_given_budget_is_what_counts() -> None:
    pure = dpaudit.hunt("MH", {"n": "2..20"}, divisor="1", budget="4/5")
    assert pure.result.measure == "epsilon"
    loose = dpaudit.hunt("MH", {"n": "2..20"}, divisor="1", budget="2")
    assert (pure.finding, loose.finding) == (HuntVerdict.EXCEEDS, HuntVerdict.NONE)


def test_ties_are_decided_and_no_violation() -> None:
    found = dpaudit.hunt("LSHist", {"eps": "1/10..3", "n": "2..12"}, evaluations=60)
    assert found.finding is HuntVerdict.NONE
    assert found.worst is not None
    assert found.worst.ratio is not None
    assert found.worst.ratio.lower == found.worst.ratio.upper == 1


def test_more_categories_are_searched() -> None:
    found = dpaudit.hunt("EHDL", {"prior": "1/2..2", "k": "2,3", "n": "2..8"}, evaluations=120)
    assert found.worst is not None
    k = found.worst.parameters["k"]
    assert len(found.worst.audit.parameters["prior"]) == k
    assert_oracle_agrees(found)


def test_the_parameters_of_a_prior_are_searched_one_by_one() -> None:
    found = dpaudit.hunt(
        "EHDL", {"prior.1": "1/10..1", "prior.3": "1/10..1", "n": "3,5"}, k=3, evaluations=60
    )
    assert found.worst is not None
    first, third = (found.worst.parameters[name] for name in ("prior.1", "prior.3"))
    prior = [str(first), "1", str(third)]
    assert found.worst.audit.parameters["prior"] == prior
    assert f"--prior {','.join(prior)}" in found.worst.replay
    assert_oracle_agrees(found)
    assert found.figure().axes[0].get_xlabel() == "prior.1"


def test_every_score_is_a_lower_bound_of_the_audit() -> None:
    found = dpaudit.hunt("MH", {"prior": "1/10..3", "n": "2..30"}, divisor="1", evaluations=40)
    for point in found.result.evaluated[::4]:
        prior, n = point.point
        assert isinstance(n, int)
        audit = dpaudit.check("MH", n, prior=f"{prior},{prior}", divisor="1")
        assert Fraction(point.score.epsilon) * Fraction(4, 5) <= Fraction(audit.epsilon.upper)
        assert point.score.epsilon * 0.8 == pytest.approx(float(audit.epsilon.lower), rel=1e-9)
        assert point.score.delta is not None
        assert point.score.delta / 2000 <= float(audit.delta_held.value.upper) * (1 + 1e-15)
        assert point.score.delta / 2000 == pytest.approx(
            float(audit.delta_held.value.lower), abs=1e-11
        )


def test_balls_and_the_screen_find_the_same() -> None:
    over = {"prior": "1/20..1", "n": "2..8"}
    screen = dpaudit.hunt("EHD", over, evaluations=60)
    balls = dpaudit.hunt("EHD", over, evaluations=60, engine="ball")
    assert screen.worst is not None
    assert balls.worst is not None
    assert screen.worst.parameters == balls.worst.parameters
    assert screen.worst.ratio == balls.worst.ratio
    assert balls.worst.replay == f"{screen.worst.replay} --engine ball"


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_same_seed_finds_the_same_to_the_last_byte(seed: int) -> None:
    one, other = (
        dpaudit.hunt("EHDL", ["prior=1/50..2", "n=2..90"], evaluations=200, seed=seed)
        for _ in range(2)
    )
    assert one.to_json() == other.to_json()
    assert one.to_csv() == other.to_csv()
    assert str(one) == str(other)


def test_other_seeds_look_elsewhere() -> None:
    one, other = (
        dpaudit.hunt("EHDL", ["prior=1/50..2", "n=2..90"], evaluations=200, seed=seed)
        for seed in (0, 1)
    )
    assert one.to_csv() != other.to_csv()


def test_the_replay_command_finds_the_same(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    found = dpaudit.hunt(
        "EHD",
        {"prior": "1/20..1", "n": "2..12"},
        budget="0.81",
        digits=20,
        at="uniform",
        adjacency="histogram-substitution",
        evaluations=50,
    )
    assert found.worst is not None
    program, *arguments = shlex.split(found.worst.replay)
    assert program == "dpaudit"
    invoke([*arguments, "--format", "json"])
    (audit,) = [json.loads(capfdbinary.readouterr().out)]
    hunted = json.loads(found.to_json())["worst"]["audit"]
    del audit["sha256"]  # documents inside others are not sealed
    assert audit == hunted


# Mechanisms with a violation planted at a narrow place.


def response(keep: Fraction, name: str = "planted") -> FiniteMechanism:
    """Randomised response with a stated budget of ln(3), which keep = 3/4 uses up exactly."""

    @finite_mechanism(datasets=[0, 1], budget="ln(3)", name=name)
    def law(bit: int) -> dict[object, object]:
        return {bit: keep, 1 - bit: 1 - keep}

    return law


def bump(x: Fraction, centre: Fraction, width: Fraction) -> Fraction:
    return max(Fraction(0), 1 - abs(x - centre) / width)


def one_needle(p: str) -> FiniteMechanism:
    """A broad hill that stays below the budget, and a needle of one part in a hundred above it."""
    x = Fraction(p)
    hill = Fraction(24, 100) * bump(x, Fraction(7, 10), Fraction(1, 2))
    needle = Fraction(26, 100) * bump(x, Fraction(271, 1000), Fraction(1, 200))
    return response(Fraction(1, 2) + max(hill, needle))


def a_ridge(p: str, q: str) -> FiniteMechanism:
    """Two broad hills below the budget, and a small steep one above it, away from both."""
    x, y = Fraction(p), Fraction(q)
    hills = [
        Fraction(24, 100) * bump(x, a, Fraction(1, 2)) * bump(y, b, Fraction(1, 2))
        for a, b in ((Fraction(1, 5), Fraction(1, 5)), (Fraction(1, 2), Fraction(9, 10)))
    ]
    steep = bump(x, Fraction(83, 100), Fraction(1, 20)) * bump(y, Fraction(2, 5), Fraction(1, 20))
    return response(Fraction(1, 2) + max(*hills, Fraction(27, 100) * steep))


def one_size(n: int) -> Fraction:
    return Fraction(76, 100) if n == 173 else Fraction(70, 100)


@finite_mechanism(datasets=lambda n: [(n, 0), (n, 1)], budget="ln(3)", neighbours="one-entry")
def bad_at_one_size(dataset: tuple[int, int]) -> dict[object, object]:
    n, bit = dataset
    keep = one_size(n)
    return {bit: keep, 1 - bit: 1 - keep}


@pytest.mark.parametrize("seed", range(4))
def test_a_needle_is_found(seed: int) -> None:
    found = dpaudit.hunt(one_needle, {"p": "0..1"}, n=1, seed=seed)
    assert found.finding is HuntVerdict.EXCEEDS
    assert found.worst is not None
    assert found.worst.parameters == {"p": Fraction(271, 1000)}
    assert found.worst.ratio is not None
    with mp.workdps(30):
        truth = mp.log(mpf(76) / 24) / mp.log(3)
        assert number(found.worst.ratio.lower) <= truth <= number(found.worst.ratio.upper)


@pytest.mark.parametrize("seed", range(4))
def test_a_small_peak_among_hills_is_found(seed: int) -> None:
    found = dpaudit.hunt(a_ridge, {"p": "0..1", "q": "0..1"}, n=1, seed=seed)
    assert found.finding is HuntVerdict.EXCEEDS
    assert found.worst is not None
    p, q = (Fraction(found.worst.parameters[name]) for name in "pq")
    assert abs(p - Fraction(83, 100)) < Fraction(1, 100)
    assert abs(q - Fraction(2, 5)) < Fraction(1, 100)


def test_one_bad_size_among_many_is_found() -> None:
    found = dpaudit.hunt(lambda: bad_at_one_size, {"n": "2..300"})
    assert found.result.stopped is Stopped.WHOLE
    assert found.finding is HuntVerdict.EXCEEDS
    assert found.worst is not None
    assert found.worst.parameters == {"n": 173}
    assert len(found.result.evaluated) == 299


def test_an_impossible_output_ends_the_hunt() -> None:
    def broken(p: str) -> FiniteMechanism:
        x = Fraction(p)
        keep = Fraction(1) if x > Fraction(1, 2) else Fraction(3, 4)
        return response(keep)

    found = dpaudit.hunt(broken, {"p": "0..1"}, n=1)
    assert found.result.stopped is Stopped.INFINITE
    assert found.finding is HuntVerdict.EXCEEDS
    assert "inf" in str(found)
    document = json.loads(found.to_json())
    assert document["worst"]["ratio"] == {"lower": "inf", "upper": "inf"}


def test_a_tie_in_balls_is_undecided() -> None:
    """What only balls know cannot be told from the budget, and that is no pass."""

    def tied(p: str) -> FiniteMechanism:
        @finite_mechanism(datasets=[0, 1], budget="ln(3)", name="tied")
        def law(bit: int) -> dict[object, object]:
            keep = dpaudit.real("3/4").ball().exp().log()
            return {bit: keep, 1 - bit: 1 - keep}

        return law

    found = dpaudit.hunt(tied, {"p": "1,2"}, n=1)
    assert found.finding is HuntVerdict.UNDECIDED
    with pytest.raises(TypeError, match="not a bool"):
        bool(found.finding)


def test_limits_are_kept_and_reported() -> None:
    found = dpaudit.hunt("EHDL", ["prior=1/50..2", "n=2..90"], evaluations=17)
    assert found.result.stopped is Stopped.EVALUATIONS
    assert 17 <= len(found.result.evaluated) <= 24  # and a few simpler fractions nearby
    many = {"n": "2..40", "prior": "1/20..1"}
    late = dpaudit.hunt("EHDS", many, time_cap=1, evaluations=30_000)
    assert late.result.stopped is Stopped.TIME
    none = dpaudit.hunt("EHDL", {"n": "100000,200000"}, time_cap=1)
    assert none.finding is HuntVerdict.UNDECIDED
    assert none.worst is None
    assert "skipped as too slow: 2 points, such as n = 100000" in str(none)
    assert json.loads(none.to_json())["worst"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": {"n": "2..9"}, "beta": "1"}, "EHD has no parameter beta"),
        ({"over": {"beta": "1..2", "n": "2..9"}}, "EHD has no parameter beta"),
        ({"over": {"prior": "1..2"}}, "the size is missing; give --n 50"),
        ({"over": {"prior": "0..1", "n": "2..9"}}, "prior = 0: must be"),
        ({"over": {"eps": "-1..1", "n": "2..9"}}, "epsilon = -1: must be"),
        ({"over": {"n": "2..9"}, "n": 5}, "n is both fixed and searched"),
        ({"over": {"eps": "1..2"}, "n": 5, "eps": 1}, "epsilon is both fixed and searched"),
        ({"over": {"k": "2,3"}, "n": 5, "prior": "1,1"}, "the prior has 2 parameters but k = 3"),
        ({"over": {"prior.3": "1..2"}, "n": 5}, "prior.3: there are 2 categories"),
        ({"over": {"prior.1": "0..2"}, "n": 5}, "prior = 0: must be"),
        ({"over": {"prior.1": "1..2", "prior": "1..2"}, "n": 5, "k": 1}, "k = 1: must be"),
        ({"over": {"gs": "quoted,measured"}, "n": 5}, "gs = 'measured'"),
        ({"over": {"n": "2..9"}, "n": True}, "n = True"),
        ({"over": {"gs": "quoted"}, "n": 0}, "n = 0: a size must be"),
        ({"over": {"n": "2..9"}, "seed": -1}, "seed = -1: must be a whole number"),
        ({"over": {"n": "2..9"}, "evaluations": 0}, "evaluations = 0: must be a whole number"),
        ({"over": {"n": "2..9"}, "time_cap": 0}, "time-cap = 0: must be a number of seconds"),
        ({"over": {"n": "2..9"}, "time_cap": "x"}, "is not a number"),
        ({"over": {"n": "2..9"}, "engine": "steam"}, "no engine 'steam'"),
        ({"over": {"n": "2..9"}, "digits": 0}, "digits = 0"),
        ({"over": {"n": "2..9"}, "at": "3,4"}, "not a dataset of EHD at n = 2"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        dpaudit.hunt("EHD", **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_enclosed_is_no_pass() -> None:
    found = dpaudit.hunt("EHDS", {"n": "3,30"}, prior="1e400,1e400")
    assert found.finding is HuntVerdict.UNDECIDED
    assert found.worst is None
    assert [point.costly for point in found.result.unevaluated] == [False, False]
    assert "not enclosed: 2 points, such as n = 3" in str(found)
