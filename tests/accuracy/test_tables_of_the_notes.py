"""The tables of N/L §3.4.1 to every printed digit, and the crossover of N Fig. 6, exactly."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from dpaudit.accuracy import ErrorLaw, error_law
from dpaudit.api import mechanism
from dpaudit.numbers.ball import Sign, decide_sign
from dpaudit.numbers.enclosure import Enclosure

DIGITS = 25

BETA = [
    (0, "0.0", "0.37924298484", "0.329679953964"),
    (1, "0.233629480709", "0.340809715054", "0.220991081918"),
    (2, "0.457635865026", "0.158265808563", "0.148134752205"),
    (3, "0.662174391701", "0.0785621424847", "0.0992976939175"),
    (4, "0.83737258593", "0.0431193490585", "0.066561234758"),
]
"""Steps, distance, "our exponential mechanism", Laplace: the table for beta(5, 5)."""

THREE = [
    ("0.0", "0.0713016293602", "0.108688872046"),
    ("0.110122822057", "0.192227323562", "0.170131188571"),
    ("0.187421762881", "0.0548161224677", "0.0285774941516"),
]
"""Distance and both columns: the first rows of the table for DL(21, 21, 21)."""

THREE_LAST = ("0.999999984481", "0.000149705644585", "3.05988187701e-09")

FOUR = [
    ("0.0", "0.000252512987228", "0.0358325423325"),
    ("0.249722620018", "0.000464587461035", "0.0360289071389"),
    ("0.340503311163", "0.000388935212208", "0.0360289071389"),
]


def printed_alike(interval: Enclosure, printed: str) -> bool:
    """Whether every number of the interval rounds to the printed one."""
    unit = Decimal((0, (1,), Decimal(printed).as_tuple().exponent))  # type: ignore[arg-type]
    ends = {
        end.quantize(unit, rounding=ROUND_HALF_EVEN) for end in (interval.lower, interval.upper)
    }
    return ends == {Decimal(printed)}


def exponential_column(dataset: tuple[int, ...]) -> ErrorLaw:
    """exp(−ε·H/LS(x)): the local sensitivity, and no factor 2."""
    return error_law(mechanism("EHDL", k=len(dataset), divisor=1), dataset, digits=DIGITS)


def laplace_column(dataset: tuple[int, ...]) -> ErrorLaw:
    """Noise rounded toward zero and not clamped."""
    noise = mechanism("NotesLaplace", k=len(dataset), rounding="toward-zero")
    return error_law(noise, dataset, outside="furthest", digits=DIGITS)


@pytest.mark.parametrize(("steps", "distance", "exponential", "laplace"), BETA)
def test_all_ten_numbers_for_beta_5_5(
    steps: int, distance: str, exponential: str, laplace: str
) -> None:
    for law, printed in (
        (exponential_column((4, 4)), exponential),
        (laplace_column((4, 4)), laplace),
    ):
        group = law.groups[steps]
        assert group.steps == (steps,)
        assert printed_alike(group.distance, distance)
        assert printed_alike(group.probability, printed)
        assert printed_alike(law.by_steps()[steps].probability, printed)


@pytest.mark.parametrize("column", ["MH", "MH divisor 1", "EHDL", "EHDS", "EHD", "floor"])
def test_other_readings_do_not_give_the_columns(column: str) -> None:
    if column == "floor":
        law = error_law(mechanism("NotesLaplace"), (4, 4), outside="furthest")
        printed = [row[3] for row in BETA]
    else:
        name, _, divisor = column.partition(" divisor ")
        law = error_law(mechanism(name, **({"divisor": divisor} if divisor else {})), (4, 4))
        printed = [row[2] for row in BETA]
    assert not any(
        printed_alike(group.probability, text)
        for group, text in zip(law.groups, printed, strict=False)
    )


@pytest.mark.parametrize("row", range(3))
def test_the_rows_for_dl_21_21_21(row: int) -> None:
    distance, exponential, laplace = THREE[row]
    for law, printed in (
        (exponential_column((20, 20, 20)), exponential),
        (laplace_column((20, 20, 20)), laplace),
    ):
        assert printed_alike(law.groups[row].distance, distance)
        assert printed_alike(law.groups[row].probability, printed)


def test_the_extreme_distance_for_dl_21_21_21() -> None:
    distance, exponential, laplace = THREE_LAST
    last = exponential_column((20, 20, 20)).groups[-1]
    assert printed_alike(last.distance, distance)
    assert printed_alike(last.probability, exponential)
    noise = laplace_column((20, 20, 20)).groups
    assert noise[-1].steps == ()  # counts below 0: no posterior
    assert printed_alike(noise[-1].distance, "1")
    assert noise[-2].outputs == last.outputs
    assert printed_alike(noise[-2].probability, laplace)


@pytest.mark.parametrize("row", range(3))
def test_the_nearest_rows_for_dl_2_2_2_51(row: int) -> None:
    distance, exponential, laplace = FOUR[row]
    dataset = (1, 1, 1, 50)
    for law, printed in (
        (exponential_column(dataset), exponential),
        (laplace_column(dataset), laplace),
    ):
        assert printed_alike(law.groups[row].distance, distance)
        assert printed_alike(law.groups[row].probability, printed)
        assert law.groups[row].steps == (min(row, 1),)  # the last is printed as 2 steps


def sign_of_gain(dataset: tuple[int, ...]) -> Sign:
    """The sign of E[H] of Laplace minus E[H] of M_H, both as defined, counts clamped."""
    k = len(dataset)
    exponential = error_law(mechanism("MH", k=k), dataset)
    laplace = error_law(mechanism("NotesLaplace", k=k), dataset, outside="clamped")
    bits = iter((96, 192, 384))

    def gain() -> object:
        at = next(bits)
        return laplace.mean_ball(at) - exponential.mean_ball(at)

    return decide_sign(gain, start=96, cap=384)  # type: ignore[arg-type]


@pytest.mark.parametrize("half", range(1, 21))
def test_the_means_cross_at_12(half: int) -> None:
    expected = Sign.POSITIVE if 2 * half < 12 else Sign.NEGATIVE
    assert sign_of_gain((half, half)) is expected


@pytest.mark.parametrize("third", range(1, 9))
def test_the_means_cross_at_15_for_three_categories(third: int) -> None:
    expected = Sign.POSITIVE if 3 * third < 15 else Sign.NEGATIVE
    assert sign_of_gain((third, third, third)) is expected
