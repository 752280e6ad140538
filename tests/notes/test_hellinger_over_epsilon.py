"""Screens over intervals of ε: what they leave to audits of points."""

from fractions import Fraction
from typing import Any

import pytest

from dpaudit.notes.hellinger_over_epsilon import FixedFactors, SmoothedFactors
from dpaudit.notes.sensitivity import BetaSmooth
from dpaudit.numbers.real import real
from dpaudit.screens.bounds import NotScreened

LARGEST = Fraction(10**9)


@pytest.mark.parametrize(
    ("family", "last"), [(FixedFactors, BetaSmooth(real("1/2"))), (SmoothedFactors, real("1/2"))]
)
@pytest.mark.parametrize("extreme", [LARGEST, 1 / LARGEST])
def test_priors_beyond_a_billion_are_left_to_audits_of_points(
    family: Any, last: Any, extreme: Fraction
) -> None:
    beyond = extreme * (2 if extreme > 1 else Fraction(1, 2))
    family((extreme, Fraction(1)), 3, real(1), last)
    with pytest.raises(NotScreened, match="only with priors from 10"):
        family((beyond, Fraction(1)), 3, real(1), last)


def test_scores_come_in_blocks_of_many_rows_that_fit_the_memory() -> None:
    """Blocks of one row would be right, and too slow for the time cap of a command."""
    prior = (Fraction(1), Fraction(1))
    for size, blocks in ((3, [4]), (299, [218, 82])):  # 2^16 numbers are 218 rows of 300
        family = FixedFactors(prior, size, real(1), BetaSmooth(real("1/2")))
        assert [len(block) for block in family.scores()] == blocks
