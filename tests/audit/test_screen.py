"""The screen's claims against balls on random mechanisms, and screens made wrong on purpose."""

import random
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from dpaudit.api import make_plan, mechanism
from dpaudit.audit import scan as scanning
from dpaudit.audit import screen as screening
from dpaudit.audit.certify import audit_size
from dpaudit.data.histograms import Histograms
from dpaudit.notes.hellinger_exponential import HellingerExponential
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import real
from dpaudit.questions.check.function import check
from dpaudit.results import SizeResult, Verdict
from dpaudit.screens import exponents as screen
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.deltas import Probabilities, ranks_of, screened_delta
from dpaudit.screens.exponents import LossScreen, screen_losses
from tests.screening import (
    assert_within,
    check_bounds,
    check_losses,
    check_weights,
    random_mechanism,
)

BATCHES, SETS_OF_A_BATCH = 16, 140  # 2,240 parameter sets


@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_bound_is_below_the_truth_and_no_claimed_error_is_exceeded(batch: int) -> None:
    """Every pair, both directions, against balls; every weight, for one set in seven."""
    rng = random.Random(batch)
    for index in range(SETS_OF_A_BATCH):
        subject, n = random_mechanism(rng)
        laws = subject.screen(n)
        check_losses(screen_losses(laws), laws, subject)
        if index % 7 == 0:
            check_weights(laws, subject)


@pytest.mark.parametrize("seed", range(8))
def test_delta_in_floats_is_within_its_error(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for _ in range(10):
        subject, n = random_mechanism(rng)
        laws = subject.screen(n)
        losses = screen_losses(laws)
        rows = Probabilities(laws, losses)
        space = Histograms(n, subject.k)
        epsilon = real(rng.choice(("0", "1/100", "1/2", "2")))
        with precision(160):
            book = subject.laws()
            factor = float(epsilon.ball().exp())
            every = list(ranks_of(laws.moves, np.ones(losses.forward.shape, dtype=bool)))
            for x, y in rng.sample(every, min(len(every), 20)):
                divergence = book.law(space[x]).divergence_from(book.law(space[y]))
                for forward, (p, q) in ((True, (x, y)), (False, (y, x))):
                    truth = divergence.hockey_stick(epsilon, forward=forward).ball
                    assert_within(*screened_delta(rows, p, q, factor), truth)


@pytest.mark.parametrize("seed", range(6))
def test_both_engines_give_the_same_result(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals, witnesses, δ and verdicts, to the last digit."""
    monkeypatch.setattr(scanning, "WORTH_A_SCREEN", 0)
    rng = random.Random(2000 + seed)
    for _ in range(12):
        subject, n = random_mechanism(rng)
        at_eps = [str(subject.epsilon), "0", "1/3"][: rng.randint(0, 3)]
        budget = rng.choice([None, (subject.epsilon, "1/1000"), "1/5"])
        plan = make_plan(subject, at_eps=at_eps, budget=budget)
        screened = audit_size(subject, n, plan)
        assert_agree(screened, audit_size(subject, n, replace(plan, engine="ball")), plan.digits)
        assert screened.pairs_covered == screened.pairs


@pytest.mark.parametrize("seed", range(6))
def test_bounds_that_hold_more_loosely_change_no_finding(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst pair is left for balls also where its own bounds are the widest of all."""
    monkeypatch.setattr(scanning, "WORTH_A_SCREEN", 0)
    rng = random.Random(3000 + seed)

    def looser(laws: Any, *parts: Any) -> LossScreen:
        losses = screen_losses(laws, *parts)
        error = np.broadcast_to(losses.error, losses.forward.shape).copy()
        error[losses.lower >= losses.lower.max() - 1e-9] += 0.25
        error += np.array([rng.uniform(0, 0.1) for _ in range(error.size)]).reshape(error.shape)
        return replace(losses, error=error)

    for _ in range(6):
        subject, n = random_mechanism(rng)
        plan = make_plan(subject, budget=rng.choice([None, "1/5"]))
        before = audit_size(subject, n, plan)
        with monkeypatch.context() as changed:
            changed.setattr(screening, "screen_losses", looser)
            assert_agree(audit_size(subject, n, plan), before, plan.digits)


def assert_agree(screened: SizeResult, balls: SizeResult, digits: int) -> None:
    """Assert that two results are the same but for what is below the digits asked for.

    (Where δ is 0 and balls cannot tell, its upper bounds are tiny and differ.)
    """
    for name in ("n", "datasets", "pairs", "pairs_covered", "outputs", "verdict", "reason"):
        assert getattr(screened, name) == getattr(balls, name)
    assert screened.epsilon == balls.epsilon
    assert screened.witness == balls.witness
    for found, expected in zip(
        (screened.delta_held, *screened.curve), (balls.delta_held, *balls.curve), strict=True
    ):
        assert (found.epsilon, found.x, found.y) == (expected.epsilon, expected.x, expected.y)
        assert found.value.lower == expected.value.lower
        assert abs(found.value.upper - expected.value.upper) < Decimal(10) ** (-digits - 6)


@pytest.mark.parametrize(
    ("prior", "n"), [("1,1", 200), ("1,2", 130), ("1,1,1", 14), ("1,2,1", 9), ("1,1,1,1", 6)]
)
def test_parts_computed_elsewhere_change_nothing(
    prior: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "_ENTRIES_WORTH_A_PART", 500)
    one = screen_losses(subject_screen("EHDS", n, prior=prior))
    laws = subject_screen("EHDS", n, prior=prior)
    count = screen.part_count(laws)
    assert count > 1
    computed = {part: screen.extremes(laws, part) for part in reversed(range(count))}
    other = screen_losses(laws, (computed[part] for part in range(count)))
    for name in ("forward", "backward", "error", "normalisers"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    with pytest.raises(ValueError, match="parts were given"):
        screen_losses(laws, (computed[part] for part in range(count - 1)))


def test_narrow_blocks_give_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows longer than a block are computed in pieces."""
    subject = mechanism("EHDL", prior="1,2,1")
    assert isinstance(subject, HellingerExponential)
    monkeypatch.setattr(screen, "_BLOCK", 16)
    laws = subject.screen(6)
    check_losses(screen_losses(laws), laws, subject)


def subject_screen(name: str, n: int, **parameters: Any) -> Any:
    return mechanism(name, **parameters).screen(n)


def test_weights_out_of_range_are_left_to_balls() -> None:
    with pytest.raises(NotScreened):
        screen_losses(subject_screen("EHDL", 30, eps="10000000000"))
    with pytest.raises(NotScreened):
        screen_losses(subject_screen("EHDL", 30, eps="1/10" + "0" * 120))
    for eps in ("10000000000", "1/10" + "0" * 120):
        subject = mechanism("EHDL", eps=eps)
        plan = make_plan(subject, digits=3)
        assert audit_size(subject, 30, plan) == audit_size(
            subject, 30, replace(plan, engine="ball")
        )


def test_one_unit_of_optimism_in_the_bounds_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound rounded to nearest, not outward, lies one unit too low for some pairs."""

    def nearest(self: LossScreen) -> Any:
        return np.maximum(self.forward, self.backward) + self.error

    subject = mechanism("EHDS", prior="1,2")
    assert isinstance(subject, HellingerExponential)
    laws = subject.screen(20)
    losses = screen_losses(laws)
    check_losses(losses, laws, subject)
    monkeypatch.setattr(LossScreen, "upper", property(nearest))
    with pytest.raises(AssertionError):
        check_losses(losses, laws, subject)


@pytest.mark.parametrize("field", ["forward", "backward"])
def test_a_loss_one_part_in_ten_billion_too_low_is_caught(field: str) -> None:
    subject = mechanism("EHDL")
    assert isinstance(subject, HellingerExponential)
    laws = subject.screen(12)
    losses = screen_losses(laws)
    lowered = replace(losses, **{field: getattr(losses, field) * (1 - 1e-10)})
    with pytest.raises(AssertionError):
        check_losses(lowered, laws, subject)


def test_an_error_of_nothing_is_caught() -> None:
    subject = mechanism("EHDL")
    assert isinstance(subject, HellingerExponential)
    laws = subject.screen(12)
    losses = screen_losses(laws)
    with pytest.raises(AssertionError):
        check_losses(replace(losses, error=losses.error * 0), laws, subject)
    laws.error = laws.error * 0
    with pytest.raises(AssertionError):
        check_weights(laws, subject)


def test_a_pair_that_is_passed_over_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no losses, so the count falls short of the formula and nothing is within."""
    gather = screen._gather

    def forgetful(laws: Any, chosen: Any, progress: Any) -> Any:
        total, largest, smallest = gather(laws, chosen, progress)
        largest[0, 17], smallest[0, 17] = -np.inf, np.inf
        return total, largest, smallest

    monkeypatch.setattr(screen, "_gather", forgetful)
    subject = mechanism("EHDS")
    result = audit_size(subject, 40, make_plan(subject))
    assert (result.pairs_covered, result.pairs) == (39, 40)
    assert result.verdict is Verdict.UNDECIDED
    assert "39 of 40 pairs were covered" in result.reason


def test_a_relation_short_of_a_pair_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = mechanism("EHDS", prior="1,2")
    laws = subject_screen("EHDS", 40, prior="1,2")
    laws.moves = replace(laws.moves, ends=(slice(2, 41), slice(1, 40)))
    monkeypatch.setattr(type(subject), "screen", lambda self, n: laws)
    result = audit_size(subject, 40, make_plan(subject))
    assert result.pairs_covered == 39
    assert result.verdict is Verdict.UNDECIDED


def test_a_loss_that_is_not_a_number_is_left_to_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    gather = screen._gather

    def broken(laws: Any, chosen: Any, progress: Any) -> Any:
        total, largest, smallest = gather(laws, chosen, progress)
        largest[0, 3] = np.nan
        return total, largest, smallest

    monkeypatch.setattr(screen, "_gather", broken)
    with pytest.raises(NotScreened):
        screen_losses(subject_screen("EHDS", 40))


def test_bounds_are_rounded_outward() -> None:
    losses = screen_losses(subject_screen("MH", 25))
    with precision(160):
        for shared in range(25):
            middle = float(max(losses.forward[0, shared], losses.backward[0, shared]))
            check_bounds(losses, (0, shared), real(str(middle)).ball())


def test_terms_that_cancel_are_rounded_from_more_bits() -> None:
    """β = ln(1 + 1e-90·…), which 128 bits do not tell from 0, is screened all the same."""
    assert mechanism("MH", epsilon="1e-90").screen(30) is not None
    screened, balls = (
        check("MH", 30, budget=1, epsilon="1e-90", engine=engine).only
        for engine in ("screen", "ball")
    )
    assert screened.epsilon.lower <= balls.epsilon.upper
    assert balls.epsilon.lower <= screened.epsilon.upper


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("EHDS", {"gamma": "1e400"}), ("EHDS", {"gamma": "1e-400"}), ("EHDL", {"epsilon": "1e-310"})],
)
@pytest.mark.parametrize("at", [None, (12, 18)])
def test_parameters_beyond_floats_are_left_to_balls(
    name: str, parameters: dict[str, Any], at: tuple[int, int] | None
) -> None:
    """A γ, or an ε, that is no float: both engines agree."""
    with pytest.raises(NotScreened):
        mechanism(name, **parameters).screen(30)
    screened, balls = (
        check(name, 30, at=at, budget=1, digits=6, engine=engine, **parameters).only
        for engine in ("screen", "ball")
    )
    assert screened.verdict is balls.verdict
    assert screened.epsilon.lower <= balls.epsilon.upper
    assert balls.epsilon.lower <= screened.epsilon.upper
