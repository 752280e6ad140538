"""Verdicts and bounds of counts agree with one another, in reports and when they are verified."""

from random import Random

import pytest

from dpaudit.results import SampleVerdict
from dpaudit.sampling.joint import Counts
from dpaudit.sampling.verdicts import Judged

# The test by which ε is bounded contradicts (8, 1/10) less surely than the one for δ.
APART = Counts(1_250_000, 424_403, 42), (8.0, 0.1)


def drawn(seed: int) -> tuple[Counts, tuple[float, float]]:
    rng = Random(seed)
    draws = rng.choice([200, 5_000, 100_000])
    first = rng.randint(0, draws)
    budget = rng.uniform(0, 3), rng.choice([0.0, rng.uniform(0, first / draws)])
    return Counts(draws, first, rng.randint(0, first)), budget


@pytest.mark.parametrize(("counts", "budget"), [APART, *map(drawn, range(30))])
def test_no_bound_says_what_the_verdict_denies(counts: Counts, budget: tuple[float, float]) -> None:
    told = Judged.of(counts, 1e-9, budget, 6).as_fields(vacuous=False)
    epsilon, delta = (float(told[name] or 0) for name in ("epsilon", "delta"))
    if told["verdict"] is SampleVerdict.EXCEEDS:
        assert epsilon >= budget[0] * (1 - 1e-8)
    else:
        assert epsilon <= budget[0]
        assert delta <= budget[1]


def test_one_of_them_would_have_said_it() -> None:
    judged = Judged.of(APART[0], 1e-9, APART[1], 6)
    assert not judged.exceeded
    assert judged.delta > APART[1][1]
