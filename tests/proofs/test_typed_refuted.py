"""Typed statements that are false at a point, and those of outputs within τ, against other code."""

from fractions import Fraction

import pytest
from dpaudit_proofs import accuracy_laws, crossover_errors, theorem_four_five_zhang
from dpaudit_proofs.typed_near import WITHIN_TAU
from dpaudit_proofs.typed_refuted import REFUTED
from dpaudit_proofs.typed_settings import floored, toward_zero
from dpaudit_proofs.typed_tables import TABLES
from dpaudit_proofs.vocabulary import FUNCTIONS

from dpaudit.claims.claim import ClaimVerdict, Grade, Settings
from dpaudit.claims.deciding import by_roles, decide_statement
from dpaudit.claims.discover import discover
from dpaudit.claims.evaluate import confirmed
from dpaudit.claims.exhaustion import restricted
from dpaudit.claims.points import contains
from dpaudit.claims.statement import read
from dpaudit.claims.terms import Term, parse
from dpaudit.numbers.ball import Ball, PrecisionNeeded, precision
from dpaudit.numbers.real import rational
from tests.proofs.recorded import recorded_verdict

SLOW = {"captions-local-smooth", "gs-caption", "cor-4.5.3-dirichlet"}
KNOWN = {name: item.claim for name, item in discover().items()}


def point(at: dict[str, str]) -> dict[str, Fraction]:
    return {name: Fraction(text) for name, text in at.items()}


def close(text: str, value: object, at: dict[str, str]) -> bool:
    """Tell whether a term is within 10⁻⁹ of a ball, in balls and in mpmath."""
    middle = Fraction(float(value)).limit_denominator(10**12)  # type: ignore[arg-type]
    numbers = f"{middle.numerator}/{middle.denominator}"
    return confirmed(parse(f"abs({text} - {numbers}) <= 1/10^9"), point(at)) is True


def sides(name: str) -> tuple[Term, ...]:
    """Return the first means or chances that the statement of a claim compares."""
    statement = REFUTED[name]["typed"]
    found = [t for t in parse(statement.proposition).walk() if t.head in ("<", "==", ">=")]
    return next(t.args for t in found if all(arg.head == "sum" for arg in t.args))


@pytest.mark.parametrize("name", sorted(REFUTED.keys() - SLOW))
def test_the_statement_of_a_claim_is_false_where_the_claim_says(name: str) -> None:
    fields, claim = REFUTED[name], KNOWN[name]
    assert claim.typed == fields["typed"]
    assert by_roles(claim) is ClaimVerdict.REFUTED is recorded_verdict(name)
    found = decide_statement(fields["typed"], (), Settings(), fields.get("points", ()))
    assert (found.verdict, found.grade) == (ClaimVerdict.REFUTED, Grade.CHECKED)
    for at in fields.get("points", ()):
        parsed = read(fields["typed"])
        assert contains(parsed, point(at))
        assert confirmed(parsed.proposition, point(at)) is False


@pytest.mark.parametrize("name", sorted(WITHIN_TAU))
def test_the_points_of_a_claim_lie_on_both_sides_of_its_domain(name: str) -> None:
    fields, claim = WITHIN_TAU[name], KNOWN[name]
    assert claim.typed == fields["typed"]
    parsed = read(fields["typed"])
    truths = [confirmed(parsed.proposition, point(at)) for at in fields["points"]]
    assert all(contains(parsed, point(at)) for at in fields["points"])
    if "holds_on" not in fields:
        assert by_roles(claim) is ClaimVerdict.PROVED is recorded_verdict(name)
        assert all(truths)
        return
    assert by_roles(claim) is ClaimVerdict.HOLDS_ON is recorded_verdict(name)
    smaller = read(restricted(fields["typed"], fields["holds_on"]))
    inside = [contains(smaller, point(at)) for at in fields["points"]]
    assert inside == truths
    assert set(inside) == {True, False}


@pytest.mark.parametrize("law", [floored, toward_zero])
@pytest.mark.parametrize(("n", "c"), [(1, 0), (4, 0), (4, 3), (5, 5)])
def test_clamped_noise_is_that_of_the_package(law: object, n: int, c: int) -> None:
    rounding = "floor" if law is floored else "toward-zero"
    chances = crossover_errors._chances(rounding, "clamped", c, n, 96)
    at = {"n": str(n), "c": str(c)}
    for value, chance in enumerate(chances):
        text = law("5/2", "c", str(value))  # type: ignore[operator]
        assert close(text, chance, at)
    assert confirmed(parse(f"sum(r, 0, n, {law('5/2', 'c', 'r')}) == 1"), point(at)) is True  # type: ignore[operator]


@pytest.mark.parametrize("x", [(6, 6), (6, 7), (1, 1)])
def test_the_means_of_two_categories_are_those_of_the_package(x: tuple[int, int]) -> None:
    at = {"n": str(sum(x)), "c": str(x[0])}
    first, second = sides("crossover-12-tables")
    assert close(str(first), crossover_errors.exponential_mean(crossover_errors.TABLES, x), at)
    assert close(str(second), crossover_errors.laplace_mean(crossover_errors.TABLES, x), at)


def test_the_means_of_three_categories_are_those_of_the_package() -> None:
    at = {"n": "6", "m": "2"}
    first, second = sides("crossover-15-tables")
    reading, x = crossover_errors.TABLES, (2, 2, 2)
    assert close(str(first), crossover_errors.exponential_mean(reading, x), at)
    assert close(str(second), crossover_errors.laplace_mean(reading, x), at)


@pytest.mark.parametrize(("epsilon", "tau", "x"), [("4/5", "3/10", (4, 4)), ("5", "7/25", (1, 9))])
def test_noise_on_both_counts_is_that_of_the_package(
    epsilon: str, tau: str, x: tuple[int, int]
) -> None:
    either = parse(REFUTED["thm-4.5-LSZhang-equality"]["typed"].proposition)
    both, printed = either.args[0].args
    margin, _ = theorem_four_five_zhang._zhang(x, tau, epsilon, bound=False, sign=1)
    at = {"a": "1", "b": "1", "eps": epsilon, "t": tau, "n": str(sum(x)), "c": str(x[0])}
    assert close(f"{both} - {printed}", margin(), at)


@pytest.mark.parametrize("x", [(4, 4), (0, 6), (2, 7)])
def test_the_chances_within_tau_are_those_of_the_package(x: tuple[int, int]) -> None:
    tau, n = Fraction(3, 10), sum(x)
    at = {"a": "1", "b": "1", "eps": "4/5", "t": "3/10", "n": str(n), "c": str(x[0]), "k": "1"}
    near = accuracy_laws.near(accuracy_laws.FLAT, x, tau)
    exponential, noisy = parse(WITHIN_TAU["cor-4.5.2"]["typed"].proposition).args
    factor = accuracy_laws.ehd_factor("4/5")
    assert close(str(exponential), accuracy_laws.chance(accuracy_laws.FLAT, x, factor, near), at)
    assert close(str(noisy), accuracy_laws.clamped(x[0], n, "4/5", near).ball(), at)


def test_the_printed_number_of_steps_is_the_farthest() -> None:
    parsed = read(WITHIN_TAU["thm-4.5-EHD-upper-chain"]["typed"])
    at = point({"a": "1", "b": "1", "eps": "4/5", "t": "3/10", "n": "9", "c": "2"})
    near = accuracy_laws.near(accuracy_laws.FLAT, (2, 7), Fraction(3, 10))
    steps = accuracy_laws.furthest((2, 7), near)
    allowed = [k for k in range(10) if contains(parsed, {**at, "k": Fraction(k)})]
    assert allowed == [steps]


def test_a_set_of_outputs_is_what_a_list_marks() -> None:
    parsed = read(REFUTED["lemma-2.3-sets"]["typed"])
    at = {"eps": Fraction(1), "delta": Fraction(1, 2), "n": Fraction(2), "c": Fraction(1)}
    truths = {z: confirmed(parsed.proposition, {**at, "z": Fraction(z)}) for z in (0, 1, 2)}
    assert truths == {0: False, 1: True, 2: False}  # all outputs, none, and (1, 1) alone


@pytest.mark.parametrize(("name", "kept"), [("S_beta", "rate"), ("P_exp", "factor")])
def test_what_is_kept_of_one_argument_is_not_given_for_another(name: str, kept: str) -> None:
    function = next(f for f in FUNCTIONS if f.name == name).balls
    prior, x = (rational(1), rational(1)), (rational(4), rational(4))

    def at(value: Ball) -> Ball:
        found: Ball = (
            function(value, prior, x, x) if kept == "factor" else function(prior, value, x)
        )
        return found

    with precision(64):
        coarse, other = at(Ball(1) / 30), at(Ball(1) / 50)
    with precision(256):
        fine = at(Ball(1) / 30)
    assert coarse.contains(fine)
    assert not coarse.overlaps(other)
    assert float(fine.rad()) < float(coarse.rad()) / 2**100
    assert at(Ball(1, 1) / 30).contains(at(Ball(2) / 30))
    with pytest.raises(PrecisionNeeded):
        at(Ball("nan"))


def test_names_of_tables_are_claims() -> None:
    assert TABLES.keys() < REFUTED.keys()
    assert not REFUTED.keys() & WITHIN_TAU.keys()
    assert REFUTED.keys() | WITHIN_TAU.keys() <= KNOWN.keys()
