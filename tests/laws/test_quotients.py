"""Laws of rational weights kept as whole numbers, against the same laws as closed forms."""

import random
from fractions import Fraction

import pytest

from dpaudit.errors import LawError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.quotients import Quotients
from dpaudit.numbers.real import rational, real


def _pairs(rng: random.Random, *, normalised: bool) -> dict[object, tuple[int, int]]:
    weights = [Fraction(rng.randint(0, 50), rng.randint(1, 10**6)) for _ in range(9)]
    weights.append(Fraction(1, 7))
    total = sum(weights) if normalised else 1
    return {place: (weight / total).as_integer_ratio() for place, weight in enumerate(weights)}


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_both_ways_make_the_same_law(seed: int, normalised: bool) -> None:
    rng = random.Random(seed)
    tables = [_pairs(rng, normalised=normalised) for _ in range(2)]
    quick, plain = (
        [ExplicitLaw(table, normalised=normalised) for table in made]
        for made in (
            [Quotients(table) for table in tables],
            [{o: rational(Fraction(*pair)) for o, pair in table.items()} for table in tables],
        )
    )
    for one, other in zip(quick, plain, strict=True):
        assert dict(one.weights) == other.weights
        assert one.total == other.total
        assert dict(one.masses) == dict(other.masses)
        assert one.output_count() == other.output_count()
        found = one.quotients()
        assert found is not None
        assert other.quotients() is None
        assert {o: real(Fraction(*pair)) for o, pair in found.items()} == dict(other.masses)
        assert sum(Fraction(*pair) for pair in found.values()) == 1
    for way in (True, False):
        here, there = (laws[0].divergence_from(laws[1]) for laws in (quick, plain))
        loss, expected = here.max_loss(forward=way), there.max_loss(forward=way)
        assert (loss.exact, loss.output) == (expected.exact, expected.output)
        epsilon = real("1/3")
        assert (
            here.hockey_stick(epsilon, forward=way).exact
            == there.hockey_stick(epsilon, forward=way).exact
        )


@pytest.mark.parametrize(
    "pairs",
    [
        {},
        {"a": (0, 1)},
        {"a": (-1, 2), "b": (3, 2)},
        {"a": (1, 2), "b": (1, 3)},
        {"a": (1, 10), "b": (9 * 10**20 - 1, 10**21)},
    ],
)
def test_what_is_wrong_is_said_in_the_same_words(pairs: dict[object, tuple[int, int]]) -> None:
    said = []
    for table in (Quotients(pairs), {o: rational(Fraction(*pair)) for o, pair in pairs.items()}):
        with pytest.raises(LawError) as caught:
            ExplicitLaw(table)
        said.append(str(caught.value))
    assert said[0] == said[1]
