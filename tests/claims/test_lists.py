"""Statements about lists of any length: what they mean, and what proves none of them."""

from fractions import Fraction

import pytest

from dpaudit.claims.claim import Evidence, Settings, Status, checked
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.derivation import Derivation, Use, undefined
from dpaudit.claims.evaluate import confirmed
from dpaudit.claims.lists import entry, examples
from dpaudit.claims.points import contains, points
from dpaudit.claims.rationals import exact
from dpaudit.claims.statement import exists, forall, formula_text, read
from dpaudit.claims.terms import parse
from dpaudit.results.claims import Statement

SETTINGS = Settings(timeout_seconds=5)
ONE, NONE, FIRST, RISING, MINUS_ONE = map(Fraction, (0, 1, 2, 4, 8))
"""Examples: (1, 1, …), (0, 0, …), (1, 0, …), (1, 2, …) and (−1, −1, …)."""

POSITIVE = "all(i, 1, k, a[i] > 0)"
A, B = "each(i, 1, k, a[i])", "each(i, 1, k, b[i])"


def settled(statement: Statement, *pieces: Evidence) -> str:
    return decide_statement(statement, pieces, SETTINGS).verdict.value


def test_entries_sums_and_lists_have_the_values_of_their_examples() -> None:
    at = {"k": Fraction(3), "a": RISING, "b": FIRST}
    assert exact(parse("a[2] + b[1]"), at) == 3
    assert exact(parse("sum(i, 1, k, a[i]*b[i] + same(i, 3))"), at) == 2
    assert exact(parse("sum(i, 1, 0, a[i])"), at) == 0
    listed = parse(f"H({A}, {B}) == H((1, 2, 3), (1 - 1 + 1, 0 + 2, a[3]))")
    assert confirmed(listed, {**at, "b": RISING}) is True
    assert confirmed(parse(f"H({A}, each(i, 1, k, 4 - a[i])) == H((1, 2, 3), (3, 2, 1))"), at)


def test_a_statement_about_lists_is_read_back_and_printed() -> None:
    statement = forall("natural k, reals a", POSITIVE, holds=f"H({A}, {A}) == 0")
    assert str(parse(statement.proposition)) == statement.proposition
    assert formula_text(statement) == (
        "∀ k ∈ ℕ, a ∈ ℝ^ℤ, ∀ i = 1 … k: a[i] > 0: H((a[i], i = 1 … k), (a[i], i = 1 … k)) = 0"
    )


def test_samples_are_examples_of_the_sort_and_none_is_left_out() -> None:
    parsed = read(forall("natural k, integers x", "k <= 4", holds="sum(i, 1, k, x[i]) >= -99"))
    found = points(parsed)
    assert {at["x"] for at in found} == set(examples("integers"))
    for at in found:
        assert contains(parsed, at)
        assert all(entry(at["x"], Fraction(i)).denominator == 1 for i in range(-3, 9))
    assert not contains(parsed, {"k": Fraction(1), "x": examples("reals")[-1]})
    assert not contains(parsed, {"k": Fraction(1), "x": Fraction(1, 2)})


ILL_FORMED = {
    "a list is no number": forall("reals a", holds="a > 0"),
    "a number is no list": forall("real a", holds="a[1] > 0"),
    "nothing is no list": forall("real a", holds="b[1] > a"),
    "an index is no list": forall("reals a, natural k", holds="all(a, 0, k, a[a] >= 0)"),
    "a list of values is no number": forall("reals a", holds="each(i, 1, 2, a[i]) > 0"),
    "a list of values is no argument of exp": forall("reals a", holds="exp(each(i, 1, 2, a[i]))>0"),
    "lists of two lengths": forall(
        "reals a, natural k", "k >= 2", POSITIVE, holds=f"H({A}, each(i, 1, 2, a[i])) >= 0"
    ),
    "entries in two directions": forall("reals a", holds="a[1, 2] > 0"),
    "a slice": forall("reals a", holds="a[1:2] > 0"),
    "an entry of a term": forall("reals a", holds="(a + a)[1] > 0"),
    "an entry called": forall("reals a", holds="entry(a, 1) > 0"),
    "an end of a range that is a list": forall("natural k", holds="all(i, each(j,1,2,j), k, i>0)"),
    "an end of a range that is a truth": forall("natural k", holds="all(i, 1, k == 2, i > 0)"),
    "an end of a range that is nothing": forall("natural k", holds="any(i, 1, b, i > k)"),
    "a range that depends on itself": forall("reals a", holds="sum(i, 1, i, a[i]) > 0"),
}

MEANINGLESS = {
    "an entry between two": forall("reals a, real x", holds="a[x] == a[x]"),
    "a parameter of 0": forall("reals a, natural k", "k >= 2", holds=f"H({A}, {A}) == 0"),
    "a list of one": forall("reals a, natural k", "k >= 1", POSITIVE, holds=f"H({A}, {A}) == 0"),
    "counts that are no whole numbers": forall(
        "reals a, natural k", "k == 2", POSITIVE, "sum(i, 1, k, a[i]) >= 1", holds=f"LS({A}, {A})>0"
    ),
    "counts below 0": forall(
        "reals a, integers x, natural k",
        "k >= 2",
        POSITIVE,
        "sum(i, 1, k, x[i]) >= 1",
        holds=f"LS({A}, each(i, 1, k, x[i])) >= 0",
    ),
    "no record": forall(
        "reals a, integers x, natural k",
        "k >= 2",
        POSITIVE,
        "all(i, 1, k, x[i] >= 0)",
        holds=f"LS({A}, each(i, 1, k, x[i])) >= 0",
    ),
}

FALSE = {
    "an entry beyond the range": forall("reals a, natural k", "k>=2", POSITIVE, holds="a[k + 1]>0"),
    "another list": forall("reals a b, natural k", "k >= 2", POSITIVE, holds="b[1] > 0"),
    "all of it, where one is": forall("reals a, natural k", "a[1] > 0", "k >= 1", holds=POSITIVE),
    "same is 0 of what is equal": forall("real x y", "x == y", holds="same(x, y) == 0"),
    "same is 1 of what is not": forall("real x y", holds="same(x, y) == 1"),
    "laws of two lists are one": forall(
        "natural k, reals a b",
        "k >= 2",
        POSITIVE,
        "all(i, 1, k, b[i] > 0)",
        "sum(i, 1, k, a[i]) == sum(i, 1, k, b[i])",
        holds=f"H({A}, {B}) == 0",
    ),
    "no list has a negative entry": exists("integers x", "x[1] >= 0", where="x[1] < 0"),
}


@pytest.mark.parametrize("kind", ILL_FORMED)
def test_what_is_no_statement_about_lists_is_refused(kind: str) -> None:
    found = decide_statement(ILL_FORMED[kind], (), SETTINGS)
    assert found.verdict.value == "undecided"
    assert found.reason.startswith("not a statement")


@pytest.mark.parametrize("kind", MEANINGLESS)
def test_what_has_no_meaning_for_some_list_is_seen(kind: str) -> None:
    assert undefined(MEANINGLESS[kind], (), SETTINGS)
    assert settled(MEANINGLESS[kind]) != "proved"


@pytest.mark.parametrize("kind", FALSE)
def test_what_is_false_of_some_list_is_not_proved(kind: str) -> None:
    assert settled(FALSE[kind]) != "proved"
    own = Derivation(title="it", proves=FALSE[kind])
    assert checked(own, SETTINGS).status is not Status.HOLDS


def test_what_is_said_of_all_entries_holds_of_each() -> None:
    statement = forall(
        "natural k, reals a, integers z, natural p",
        "k >= 2",
        POSITIVE,
        "all(i, 1, k, z[i] >= 0)",
        holds="all(j, 1, k, a[j] + z[j] + same(j, p) > 0) and same(p, p) == 1",
    )
    assert checked(Derivation(title="it", proves=statement), SETTINGS).status is Status.HOLDS
    assert settled(statement, Derivation(title="it", proves=statement)) == "proved"


SUMS = Derivation(
    title="of a list and a number",
    proves=forall("reals a, integer n", holds="n + a[n] >= a[n] + n"),
)


@pytest.mark.parametrize(
    ("at", "held"),
    [
        ({"a": "b"}, True),
        ({"a": "x"}, True),
        ({"a": "n"}, False),
        ({"n": "b"}, False),
        ({"n": "x"}, False),
        ({"a": "b[1]"}, False),
    ],
)
def test_a_list_is_put_in_for_a_list_and_for_nothing_else(at: dict[str, str], held: bool) -> None:
    of = forall("reals a b, integers x, integer n", holds="n <= n")
    used = Derivation(title="used", proves=of, uses=(Use(SUMS, at),))
    assert (checked(used, SETTINGS).status is Status.HOLDS) is held


def test_a_list_of_whole_numbers_is_put_in_for_one_of_whole_numbers_alone() -> None:
    whole = Derivation(
        title="whole",
        proves=forall(
            "integers x, integer n", holds="sum(i, x[1], x[1], n) == sum(i, x[1], x[1], n)"
        ),
    )
    of = forall("reals a, integers x, integer n", holds="n <= n")
    for name, held in (("x", True), ("a", False)):
        used = Derivation(title="used", proves=of, uses=(Use(whole, {"x": name}),))
        assert (checked(used, SETTINGS).status is Status.HOLDS) is held


def test_no_induction_over_a_list() -> None:
    over = forall("integers x, integer n", "n >= 0", holds="n >= 0")
    assert (
        checked(Derivation(title="n", proves=over, induction=("x", "0")), SETTINGS).status
        is not Status.HOLDS
    )


def test_a_list_that_shows_existence_is_a_point() -> None:
    found = decide_statement(
        exists("integers x", "x[1] >= 1", where="x[1] + x[2] == 3"), (), SETTINGS
    )
    assert found.verdict.value == "proved"
    assert "x = " in found.reason
