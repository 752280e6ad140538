"""Positivity on boxes: coefficients against values, halving, and what must not pass."""

from fractions import Fraction
from itertools import product

import pytest

from dpaudit.claims.certificate import BoxCertificate
from dpaudit.claims.claim import Settings, Status
from dpaudit.claims.polynomial import constant, polynomial_of

UNIT = {"x": ("0", "1"), "y": ("-1/2", "2")}


def status(positive: str, box: dict[str, tuple[str, str]], **fields: object) -> Status:
    certificate = BoxCertificate(title="", positive=positive, box=box, **fields)  # type: ignore[arg-type]
    return certificate.check(Settings()).status


@pytest.mark.parametrize("text", ["x^3*y - 2*x*y^2 + 1/3", "y^2", "x", "5/7"])
def test_bernstein_coefficients_give_back_the_polynomial(text: str) -> None:
    certificate = BoxCertificate(title="", positive=text, box=UNIT)
    grid = certificate.coefficients()
    degrees = max(grid)
    for u, v in product((Fraction(0), Fraction(1, 3), Fraction(1)), repeat=2):
        from math import comb

        value = sum(
            q
            * comb(degrees[0], i)
            * u**i
            * (1 - u) ** (degrees[0] - i)
            * comb(degrees[1], j)
            * v**j
            * (1 - v) ** (degrees[1] - j)
            for (i, j), q in grid.items()
        )
        point = {"x": constant(u), "y": constant(Fraction(-1, 2) + Fraction(5, 2) * v)}
        assert value == polynomial_of(text).substitute(point).constant_term()


def test_positive_polynomials_pass_and_others_do_not() -> None:
    assert status("(x - 1/3)^2 + 1/1000", UNIT, strict=True) is Status.HOLDS
    assert status("(x - y)^2 + 1/100", UNIT, strict=True) is Status.HOLDS
    assert status("(x - 1/2)^2", UNIT) is Status.HOLDS
    assert status("(x - 1/2)^2", UNIT, strict=True) is Status.FAILS
    assert status("(x - 1/3)^2", UNIT, depth=12) is Status.UNDECIDED
    assert status("(x - 1/3)^2 - 1/1000", UNIT) is Status.FAILS
    assert status("(x - y)^2 - 1/100", UNIT) is Status.FAILS
    assert status("-1", UNIT) is Status.FAILS
    assert status("0", UNIT) is Status.HOLDS
    assert status("0", UNIT, strict=True) is Status.FAILS
    assert status("x + z", UNIT) is Status.FAILS
    assert status("x*y", {"x": ("0", "1"), "y": ("0", "1")}) is Status.HOLDS


def test_the_boundary_belongs_to_the_box() -> None:
    assert status("1 - x", {"x": ("0", "1")}) is Status.HOLDS
    assert status("1 - x", {"x": ("0", "1")}, strict=True) is Status.FAILS
    assert status("1 - x", {"x": ("0", "1001/1000")}) is Status.FAILS
