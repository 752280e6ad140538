"""Every printed number against mpmath, from the definitions, and altered digits that must fail."""

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cache, lru_cache

import pytest
from mpmath import exp, gamma, log, mp, mpf, nstr, sqrt

from dpaudit.notes.reproduce.caption_labels import label_checks
from dpaudit.notes.reproduce.captions import CAPTIONS, Caption, reproduce_captions
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome
from dpaudit.notes.reproduce.printed import (
    BETA,
    CENTRE,
    EDGE,
    PrintedTable,
    check_number,
    half_unit,
    rounds_to,
    significant_digits,
)
from dpaudit.notes.reproduce.tables import reproduce_table
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit.numbers.ball import ball, precision
from tests.oracles.definitions import histograms, neighbours

Counts = tuple[int, ...]
LOCAL = "exp(−ε·H/LS(x)): the local sensitivity, without the 2 (not Def. 2.1)"
ZERO = "noise rounded toward zero (not the floor of §3.1)"
TABLES = [BETA, CENTRE, EDGE]


@pytest.fixture(autouse=True)
def _precise() -> Iterable[None]:
    with mp.workdps(40):
        yield


@lru_cache(maxsize=8)
def found_table(table: PrintedTable) -> Item:
    return reproduce_table(table)


@lru_cache(maxsize=1)
def found_captions() -> Item:
    return reproduce_captions()


# -- the definitions, once more --------------------------------------------------------------------


@cache
def factor(s: int, t: int) -> mpf:
    with mp.workdps(40):
        return gamma(mpf(s + t) / 2) / sqrt(gamma(s) * gamma(t))


def distance(x: Counts, r: Counts) -> mpf:
    """H between the posteriors under the flat prior; the totals agree."""
    affinity = mpf(1)
    for a, b in zip(x, r, strict=True):
        affinity *= factor(a + 1, b + 1)
    return sqrt(1 - affinity) if x != r else mpf(0)


def outputs_at(x: Counts, printed: str) -> dict[str, list[Counts]]:
    """The candidates whose distance is printed so, by distance to 30 digits."""
    groups: dict[str, list[Counts]] = {}
    for r in histograms(sum(x), len(x)):
        h = distance(x, r)
        if abs(h - mpf(printed)) <= mpf(half_unit(printed).numerator) / half_unit(
            printed
        ).denominator and (r == x or mpf(printed)):
            groups.setdefault(nstr(h, 30), []).append(r)
    return groups


@lru_cache(maxsize=4)
def normaliser(x: Counts) -> tuple[mpf, mpf]:
    """ε/LS(x), and the sum of all weights."""
    with mp.workdps(40):
        rate = mpf(4) / 5 / max(distance(x, y) for y in neighbours(x))
        everything = histograms(sum(x), len(x))
        return rate, sum((exp(-rate * distance(x, r)) for r in everything), mpf(0))


def exponential(x: Counts, outputs: list[Counts]) -> mpf:
    rate, total = normaliser(x)
    return sum((exp(-rate * distance(x, r)) for r in outputs), mpf(0)) / total


def laplace(x: Counts, outputs: list[Counts]) -> mpf:
    """Y ~ Lap(5/2) rounded toward zero on all counts but the last."""

    def mass(j: int) -> mpf:
        below = exp(-mpf(2) / 5 * abs(j)), exp(-mpf(2) / 5 * (abs(j) + 1))
        return (below[0] - below[1]) / (1 if j == 0 else 2)

    total = mpf(0)
    for r in outputs:
        product = mpf(1)
        for count, noisy in zip(x[:-1], r[:-1], strict=True):
            product *= mass(noisy - count)
        total += product
    return total


def printed_alike(value: mpf, printed: str) -> bool:
    unit = Decimal((0, (1,), Decimal(printed).as_tuple().exponent))  # type: ignore[arg-type]
    return Decimal(nstr(value, 30)).quantize(unit, rounding=ROUND_HALF_EVEN) == Decimal(printed)


def check_called(item: Item, what: str) -> PrintedCheck:
    (check,) = [check for check in item.checks if check.what == what]
    return check


# -- the tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [BETA, CENTRE], ids=lambda table: table.id)
def test_every_number_of_a_table_is_reproduced_and_by_mpmath_too(table: PrintedTable) -> None:
    item = found_table(table)
    assert item.verdict == "reproduced"
    for row in table.rows:
        ((_, outputs),) = outputs_at(table.dataset, row.distance).items()
        assert printed_alike(distance(table.dataset, outputs[0]), row.distance)
        for value, text, column, reading in (
            (exponential(table.dataset, outputs), row.exponential, "our exponential", LOCAL),
            (laplace(table.dataset, outputs), row.laplace, "Laplace", ZERO),
        ):
            assert printed_alike(value, text)
            check = check_called(item, f"H = {row.distance}, {column} mechanism")
            assert check.outcome is PrintedOutcome.REPRODUCED
            assert check.reading == reading
            assert check.digits == significant_digits(text)
            assert check.value is not None
            assert check.value.lower <= Decimal(nstr(value, 35)) <= check.value.upper
            assert check.value.width < Decimal(10) ** -11 * check.value.upper


def test_the_line_of_a_number_names_its_reading() -> None:
    check = check_called(found_table(BETA), "H = 0.233629480709, our exponential mechanism")
    assert check.line() == (
        "H = 0.233629480709, our exponential mechanism, printed 0.340809715054: reproduced by "
        "reading exp(−ε·H/LS(x)): the local sensitivity, without the 2 (not Def. 2.1) to 12 digits"
    )


def test_the_rows_of_the_edge_that_are_certain() -> None:
    item = found_table(EDGE)
    for row in EDGE.rows[1:]:
        ((_, outputs),) = outputs_at(EDGE.dataset, row.distance).items()
        assert printed_alike(exponential(EDGE.dataset, outputs), row.exponential)
        assert printed_alike(laplace(EDGE.dataset, outputs), row.laplace)
        for column in ("our exponential", "Laplace"):
            check = check_called(item, f"H = {row.distance}, {column} mechanism")
            assert check.outcome is PrintedOutcome.REPRODUCED


def test_the_last_row_of_the_edge_mixes_two_candidates() -> None:
    item, row = found_table(EDGE), EDGE.rows[0]
    groups = outputs_at(EDGE.dataset, row.distance).values()
    left = [g for g in groups if printed_alike(exponential(EDGE.dataset, g), row.exponential)]
    right = [g for g in groups if printed_alike(laplace(EDGE.dataset, g), row.laplace)]
    assert left
    assert {tuple(sorted(g[0][:3])) for g in right} == {(4, 4, 43), (5, 5, 41)}
    assert not {tuple(g) for g in left} & {tuple(g) for g in right}
    check = check_called(item, f"H = {row.distance}, both columns of the same candidates")
    assert check.outcome is PrintedOutcome.NOT_REPRODUCED
    assert "the row mixes two candidates" in check.line()
    assert item.verdict == "reproduced in part"


def test_a_distance_is_numbered_two_steps_that_is_one_record_away() -> None:
    check = check_called(found_table(EDGE), "H = 0.340503311163, steps 2")
    assert check.outcome is PrintedOutcome.NOT_REPRODUCED
    assert "1 record(s) away" in check.line()


# -- the captions ----------------------------------------------------------------------------------


def beta(count: int) -> mpf:
    return log(1 - mpf("0.8") / (2 * log(mpf("0.8") / (2 * count))))


@pytest.mark.parametrize("caption", CAPTIONS, ids=lambda caption: str(caption.n))
def test_beta_of_the_captions(caption: Caption) -> None:
    c = caption
    check = check_called(found_captions(), f"{c.place}, β = {c.beta} at n = {c.n}")
    assert check.reading == "β with the count n"
    assert check.value is not None
    assert check.value.lower <= Decimal(nstr(beta(c.n), 30)) <= check.value.upper
    assert not printed_alike(beta(c.n + 1), c.beta)
    if c.n == 150:
        assert not printed_alike(beta(150), c.beta)
        assert printed_alike(beta(120), c.beta)
        assert check.outcome is PrintedOutcome.NOT_REPRODUCED
        assert "the β of n = 120 printed again" in check.why
        assert str(check.value) in check.why
    else:
        assert printed_alike(beta(c.n), c.beta)
        assert check.outcome is PrintedOutcome.REPRODUCED
        assert check.digits == 12


def test_the_global_sensitivity_of_the_captions_is_none() -> None:
    steps = {s: gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1)) for s in (3, 4, 5, 7)}
    assert printed_alike(sqrt(1 - steps[7] * steps[3]), "0.239992747797")
    true = nstr(sqrt(1 - steps[4] * steps[5]), 13)
    for caption in CAPTIONS:
        what = f"{caption.place}, global sensitivity 0.239992747797 at n = {caption.n}"
        check = check_called(found_captions(), what)
        assert "a posterior that no dataset reaches" in check.reading
        assert true[:13] in check.why


def test_local_and_smooth_sensitivity_of_the_captions() -> None:
    found = [check for check in found_captions().checks if "and S_β" in check.what]
    outcomes = [check.outcome for check in found]
    assert outcomes == [PrintedOutcome.NOT_REPRODUCED] * 3
    assert "393 datasets have both if LS is cut off and S_β rounded" in found[0].why
    assert "none of them S_β is seen to be above LS" in found[0].why


def test_labels_of_the_captions() -> None:
    """0.8-DP, Non-Private and (0.8,0.8)-DP are right; a label that is not is not believed."""
    item = found_captions()
    labels = [check for check in item.checks if check.readings]
    assert [check.printed for check in labels] == ["0.8-DP", "Non-Private", "(0.8,0.8)-DP"] * 3
    assert all(check.outcome is PrintedOutcome.REPRODUCED for check in labels)
    prior = (Fraction(7), Fraction(4), Fraction(5))
    with precision(128):
        local = local_sensitivities(prior, 4)
        wide = ball(Fraction("0.2336294807088"))
        found = label_checks("here", 4, prior, ("0.23", "1.5"), (wide, local))
    # GS printed too small, too few records for a loss above 0.8, and a β without meaning
    assert [check.outcome for check in found] == [PrintedOutcome.UNDECIDED] * 3


def test_the_loss_of_the_caption_that_is_called_not_private() -> None:
    prior, n = (7, 4, 5), 100

    def far(x: Counts, r: Counts) -> mpf:
        affinity = mpf(1)
        for alpha, a, b in zip(prior, x, r, strict=True):
            affinity *= factor(alpha + a, alpha + b)
        return sqrt(1 - affinity) if x != r else mpf(0)

    x, y = (n, 0, 0), (n - 1, 1, 0)
    logs = []
    for here in (x, y):
        rate = mpf(2) / 5 / max(far(here, z) for z in neighbours(here))
        total = mp.fsum(exp(-rate * far(here, r)) for r in histograms(n, 3))
        logs.append(-rate * far(here, x) - log(total))
    (check,) = [
        c for c in found_captions().checks if "Non-Private" in c.what and "n = 100" in c.what
    ]
    shown = check.why.partition("is at least ")[2].rstrip(")")
    assert mpf(shown) <= logs[0] - logs[1] < mpf(shown) + mpf(10) ** -5


# -- numbers altered on purpose --------------------------------------------------------------------


def altered(text: str) -> list[str]:
    """The number with one unit more and one less in its last digit, and with each digit changed."""
    mantissa, mark, power = text.partition("e")
    places = [i for i, c in enumerate(mantissa) if c.isdigit() and i > 1]
    return [
        f"{mantissa[:i]}{(int(mantissa[i]) + more) % 10}{mantissa[i + 1 :]}{mark}{power}"
        for i in places
        for more in (1, 9)
    ]


def test_no_altered_number_of_the_first_table_is_reproduced() -> None:
    for row in BETA.rows:
        (outputs,) = outputs_at(BETA.dataset, row.distance).values()
        for value, text in (
            (exponential(BETA.dataset, outputs), row.exponential),
            (laplace(BETA.dataset, outputs), row.laplace),
        ):
            with precision(200):
                exact = ball(Fraction(nstr(value, 38)))
            assert rounds_to(exact, text) is PrintedOutcome.REPRODUCED
            for wrong in altered(text):
                assert rounds_to(exact, wrong) is PrintedOutcome.NOT_REPRODUCED


def test_a_number_on_the_edge_of_rounding_is_undecided() -> None:
    with precision(64):
        assert rounds_to(ball(Fraction(1, 8)), "0.12") is PrintedOutcome.UNDECIDED
        check = check_number("a tie", "0.12", [("exactly", ball(Fraction(1, 8)))])
    assert check.outcome is PrintedOutcome.UNDECIDED


def test_the_nearest_reading_is_named_where_none_gives_the_number() -> None:
    with precision(64):
        candidates = [("far", ball(3)), ("near", ball(Fraction(21, 100))), ("also", ball(-1))]
        check = check_number("it", "0.25", candidates, why="just so")
    assert check.reading == "near"
    assert check.line().startswith("it, printed 0.25: not reproduced, nearest value [0.2")
    assert check.line().endswith(" by reading near: just so")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_the_csv_holds_every_reading_of_every_row(table: PrintedTable) -> None:
    rows = found_table(table).table.rows
    for row in table.rows:
        for column, count in (("exponential", 5), ("laplace", 3)):
            readings = {line[2] for line in rows if line[:2] == (row.distance, column)}
            assert len(readings) == count
