"""The printed tail bounds of N §3.2 and §3.3 against mpmath and against the exact tail."""

from fractions import Fraction

import pytest
from mpmath import exp, mp, mpf

from dpaudit.accuracy import error_law
from dpaudit.api import mechanism
from dpaudit.errors import ParameterError
from dpaudit.notes.accuracy_bounds import tail_bounds
from dpaudit.numbers.ball import Sign
from tests.enclosing import fraction_of
from tests.oracles.laws import score_divisor
from tests.oracles.sensitivity import hellinger, histograms, posterior
from tests.oracles.setting import DIGITS, Setting, real


@pytest.mark.parametrize("name", ["EHD", "EHDL", "EHDS", "MH"])
@pytest.mark.parametrize("c", ["1/5", "1/2", "9/10"])
def test_the_bounds_are_the_printed_formulas(name: str, c: str) -> None:
    prior = (Fraction(1), Fraction(1))
    setting = Setting(name, 7, prior, Fraction(4, 5))
    law = error_law(mechanism(name), (2, 5))
    found = {(b.name, b.reading): b for b in tail_bounds(law, c)}
    assert len(found) == 4
    with mp.workdps(DIGITS):
        factor = real(Fraction(4, 5)) / score_divisor(setting, (2, 5))
        here = posterior(prior, (2, 5))
        away = [
            mpf(0) if r == (2, 5) else hellinger(here, posterior(prior, r))
            for r in histograms(7, 2)
        ]
        normaliser = mp.fsum(exp(-factor * h) for h in away)
        threshold = real(Fraction(c))
        multiple = {"EHDS": 4}.get(name, 2)
        for reading, f in (("as defined", factor), ("without the 2", factor * multiple)):
            union = 8 * exp(-f * threshold)
            for which, value in (("union", union), ("normalised", union / normaliser)):
                interval = found[which, reading].value
                assert Fraction(interval.lower) <= fraction_of(value) + Fraction(1, 10**40)
                assert fraction_of(value) <= Fraction(interval.upper) + Fraction(1, 10**40)
                assert interval.width < Fraction(1, 10**11)


@pytest.mark.parametrize("name", ["EHD", "EHDL", "EHDS", "MH"])
def test_as_defined_they_hold(name: str) -> None:
    for dataset in ((4, 4), (0, 9), (30, 20)):
        law = error_law(mechanism(name), dataset)
        for c in ("0", "1/4", "1/2", "4/5", "99/100"):
            for bound in tail_bounds(law, c):
                if bound.reading == "as defined":
                    assert bound.holds in (Sign.POSITIVE, Sign.ZERO), (dataset, c, bound)


def test_without_the_factor_of_the_mechanism_they_need_not_hold() -> None:
    law = error_law(mechanism("MH"), (50, 50))
    broken = [bound for bound in tail_bounds(law, "4/5") if bound.holds is Sign.NEGATIVE]
    assert {bound.reading for bound in broken} == {"without the 2"}
    # Where the law itself has no 2 (the tables), the printed formula is its own bound.
    own = error_law(mechanism("MH", divisor=1), (50, 50))
    assert all(bound.holds is Sign.POSITIVE for bound in tail_bounds(own, "4/5"))


def test_other_mechanisms_have_no_such_bounds() -> None:
    with pytest.raises(ParameterError, match="bound H of exponential mechanisms only"):
        tail_bounds(error_law(mechanism("LSHist"), (4, 4)), "1/2")
    with pytest.raises(ParameterError, match="bound H of exponential mechanisms only"):
        tail_bounds(error_law(mechanism("EHDS"), (4, 4), "l1"), 2)
