"""Programs made for the short-cuts of the explorer: they must have the law they have without them.

Code that was read and only calculates is not watched call by call, most of its paths are not run
again, datasets are explored together, and what is known of a component of a zone is kept with it.
"""

import itertools
import os
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.laws.densities import DensityLaw
from dpaudit.numbers.ball import Ball, precision
from dpaudit.programs.exploring import together
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.guarding.calculating import only_calculates
from dpaudit.programs.program import Program

SPACE = list(itertools.product((0, 1, 2), repeat=3))
Body = Callable[[Any, Any], Any]


def audited(body: Body, datasets: Any = SPACE) -> Program:
    return program(datasets=datasets, neighbours="all", budget=1, name="one")(body)


def looked_at(explored: Callable[[], Any]) -> Any:
    try:
        found = explored()
    except LawError:
        return "refused"
    return found.paths, found.trails, found.regions


def on_one_path(tell: Callable[[Any, Any], Any]) -> Body:
    """Return a program that gives out something else on one path that decides nothing new."""

    def body(x: Any, random: Any) -> Any:
        noisy = random.laplace(4)
        found = tuple([bool(query + random.laplace(2) >= noisy) for query in x])
        last = random.laplace(3)
        return tell(x[0], last) if found == (False, True, False) else found

    return body


TELLS: list[Callable[[Any, Any], Any]] = [
    lambda q, u: q & 1,
    lambda q, u: q << 1,
    lambda q, u: ~q,
    lambda q, u: q % 2,
    lambda q, u: q // 2,
    lambda q, u: (q + 1) / 3 * 3 == q + 1,
    lambda q, u: [10, 20, 30][q],
    lambda q, u: "ab" * q,
    lambda q, u: "a".count("a", q),
    lambda q, u: len(range(q)),
    lambda q, u: {0: "none", 1: "one", 2: "two"}[q],
    lambda q, u: sum([q, 0.1, 0.2, 0.3]),
    lambda q, u: sum([0.1, 0.2, 0.3, q]),
    lambda q, u: float(q) == q,
    lambda q, u: int(q) == q,
    lambda q, u: q * 1.0,
    lambda q, u: q in (0, 1.5),
    lambda q, u: (q, 1) < (1, 0),
    lambda q, u: [q, 2, q].index(2),
    lambda q, u: [q, 1, q].count(1),
    lambda q, u: max(q, 0.5),
    lambda q, u: abs(q - 1),
    lambda q, u: round(q, 0),
    lambda q, u: q if q else "nothing",
    lambda q, u: q**2,
    lambda q, u: len([q][q:]),
    lambda q, u: Fraction(q) == q,
    lambda q, u: u * 0,
    lambda q, u: u * 1.0 > q,
    lambda q, u: u + 0.5 > q,
    lambda q, u: u // 1 > q,
    lambda q, u: round(u) > q,
    lambda q, u: int(u) == q,
    lambda q, u: abs(u) > q,
    lambda q, u: u > float("inf") or u < float("-inf"),
    lambda q, u: (u, q) == (u, 1),
    lambda q, u: [q, u].index(u),
    lambda q, u: max(u, 0.0) > q,
    lambda q, u: sum([u, 0.1, 0.2]) > q,
    lambda q, u: u / 3 * 3 == u,
    lambda q, u: u - u + q,
    lambda q, u: float(u),
    lambda q, u: [1, 2][u],
    lambda q, u: u * u > q,
    lambda q, u: u & 1,
    lambda q, u: (u, u + q, 2 * u),
]


@pytest.mark.parametrize("place", range(len(TELLS)))
def test_what_tells_numbers_on_one_path_has_its_law_all_the_same(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "WORTH", 0)
    body = on_one_path(TELLS[place])
    one = audited(body)
    one.explorer.prepare(SPACE)
    for dataset in SPACE[::4]:
        watched = looked_at(lambda: explore(lambda r: body(dataset, r), 10_000))  # noqa: B023
        assert looked_at(lambda: one.explorer.exploration(dataset)) == watched  # noqa: B023


def counted() -> Body:
    runs = 0

    def body(x: Any, random: Any) -> Any:
        nonlocal runs
        runs += 1
        return (bool(x[0] + random.laplace(1) > 0), runs % 7 > 3)

    return body


def counted_deeper() -> Body:
    runs = 0

    def body(x: Any, random: Any) -> Any:
        def more() -> int:
            nonlocal runs
            runs += 1
            return runs

        return (bool(x[0] + random.laplace(1) > 0), more() % 7 > 3)

    return body


def helping(x: Any) -> Any:
    return x


helping.index = os.urandom  # type: ignore[attr-defined]


def with_builtins(found: Any) -> Body:
    """Return a program for which ``len`` is another function than for anyone else."""
    return FunctionType(
        (lambda x, random: bool(x[0] + random.laplace(1) > 0) and len(x) > 2).__code__,
        {"__builtins__": {"bool": bool, "len": found}},
    )


KEEPS: list[Body] = [
    counted(),
    counted_deeper(),
    lambda x, random: (helping.index(1), random.laplace(1) > x[0]),  # type: ignore[attr-defined]
    with_builtins(lambda x: os.urandom(1)[0]),
    with_builtins(os.getrandom),
]


@pytest.mark.parametrize("place", range(len(KEEPS)))
def test_what_keeps_something_or_draws_elsewhere_is_watched_and_refused(place: int) -> None:
    assert not only_calculates(KEEPS[place])
    with pytest.raises(LawError):
        dpaudit.check(audited(KEEPS[place]), n=1)


def test_arguments_are_read_as_the_code_is() -> None:
    def body(x: Any, random: Any, helper: Any = 1) -> Any:
        return bool(x[0] + random.laplace(1) > helper)

    assert only_calculates(body, [Fraction(1, 2), "1/2", (1, 2)])
    assert not only_calculates(body, [os.urandom])
    assert not only_calculates(body, [[1]])


def test_an_order_of_texts_that_another_process_has_otherwise_is_not_calculated() -> None:
    def named(x: Any, random: Any) -> Any:
        for name in {"a", "b", "c"}:  # noqa: PLC0208  (a constant of the code)
            if random.bernoulli("1/2"):
                return name
        return None

    def numbered(x: Any, random: Any) -> Any:
        return x in {0, 1}

    assert not only_calculates(named)
    assert only_calculates(numbered)


SCALE, NOISE = Fraction(3), Fraction(2)


def apart(x: Any, random: Any) -> Any:
    first, second = random.laplace(SCALE), random.laplace(SCALE)
    return (
        bool(x[0] + random.laplace(NOISE) >= first),
        bool(x[1] + random.laplace(NOISE) >= second),
        bool(x[2] + random.laplace(NOISE) >= second),
    )


def one_threshold(x: Any, random: Any) -> Any:
    threshold = random.laplace(SCALE)
    return tuple([bool(query + random.laplace(NOISE) >= threshold) for query in x])


def one_draw_in_both(x: Any, random: Any) -> Any:
    shared, first = random.laplace(NOISE), random.laplace(SCALE)
    left = bool(x[0] + shared >= first)
    return left, bool(x[1] + shared >= random.laplace(SCALE)), bool(x[2] + shared >= 1)


def coupled_by_an_early_return(x: Any, random: Any) -> Any:
    first, second = random.laplace(SCALE), random.laplace(SCALE)
    if x[0] + random.laplace(NOISE) >= first:
        return True, bool(x[1] + random.laplace(NOISE) >= first)
    return False, bool(x[1] + random.laplace(NOISE) >= second)


def coupled_by_a_scale(x: Any, random: Any) -> Any:
    left = bool(x[0] + random.laplace(NOISE) >= random.laplace(SCALE))
    return left, bool(x[1] + random.laplace(NOISE * (2 if left else 1)) >= random.laplace(SCALE))


def coupled_by_the_data(x: Any, random: Any) -> Any:
    left = bool(x[0] + random.laplace(NOISE) >= random.laplace(SCALE))
    moved = x[1] + (x[2] if left else -x[2])
    return left, bool(moved + random.laplace(NOISE) >= random.laplace(SCALE))


GRID = np.linspace(-80, 80, 640_001)


def density(scale: Any) -> Any:
    return np.exp(-np.abs(GRID) / float(scale)) / (2 * float(scale))


def below(y: Any, scale: Any) -> Any:
    low = np.exp(-np.abs(y) / float(scale)) / 2
    return np.where(y < 0, low, 1 - low)


def integral(values: Any) -> float:
    return float(np.trapezoid(values, GRID))


def above(*asked: tuple[int, bool], scale: Any = NOISE) -> float:
    """Return how probable answers are that are compared with one threshold, by quadrature."""
    found = density(SCALE)
    for query, answer in asked:
        under = below(GRID - query, scale)
        found = found * (1 - under if answer else under)
    return integral(found)


def shared(x: Any, a: bool, b: bool, c: bool) -> float:
    found = density(NOISE)
    for query, answer in ((x[0], a), (x[1], b)):
        under = below(GRID + query, SCALE)
        found = found * (under if answer else 1 - under)
    return integral(np.where((x[2] + GRID >= 1) == c, found, 0))


def early(x: Any, a: bool, b: bool) -> float:
    if a:
        return above((x[0], True), (x[1], b))
    return above((x[0], False)) * above((x[1], b))


COUPLED: list[tuple[Body, Callable[..., float]]] = [
    (apart, lambda x, a, b, c: above((x[0], a)) * above((x[1], b), (x[2], c))),
    (one_threshold, lambda x, a, b, c: above((x[0], a), (x[1], b), (x[2], c))),
    (one_draw_in_both, shared),
    (coupled_by_an_early_return, early),
    (
        coupled_by_a_scale,
        lambda x, a, b: above((x[0], a)) * above((x[1], b), scale=NOISE * (2 if a else 1)),
    ),
    (
        coupled_by_the_data,
        lambda x, a, b: above((x[0], a)) * above((x[1] + (x[2] if a else -x[2]), b)),
    ),
]


@pytest.mark.parametrize("place", range(len(COUPLED)))
def test_halves_that_are_coupled_have_the_law_of_both(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "WORTH", 0)
    body, expected = COUPLED[place]
    one = audited(body)
    one.explorer.prepare(SPACE)
    assert one.explorer.together
    for dataset in SPACE[1::5]:
        for output, weight in one.law(dataset).items():
            assert float(weight) == pytest.approx(expected(dataset, *output), abs=2e-5)


def printed_and_asked(x: Any, random: Any) -> Any:
    value = x[0] + random.laplace(NOISE)
    return value, bool(x[1] + random.laplace(NOISE) >= random.laplace(SCALE))


def printed_and_compared(x: Any, random: Any) -> Any:
    value = x[0] + random.laplace(NOISE)
    return value, bool(x[1] + random.laplace(SCALE) >= value)


def printed_by_both(x: Any, random: Any) -> Any:
    value = x[0] + random.laplace(NOISE)
    left = value >= random.laplace(SCALE)
    right = x[1] + random.laplace(SCALE)
    return (value, bool(left), right) if left else (bool(left), right + x[2])


@pytest.mark.parametrize("body", [printed_and_asked, printed_and_compared, printed_by_both])
def test_densities_of_halves_have_the_mass_of_both(
    body: Body, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "WORTH", 0)
    one = audited(body)
    one.explorer.prepare(SPACE)
    for dataset in SPACE[2::6]:
        with precision(100):
            law: Any = one.laws().law(dataset)
            assert isinstance(law, DensityLaw)
            total = Ball(0)
            for key, (term,) in law.terms.items():
                weight = term.weight if isinstance(term.weight, Ball) else term.weight.ball()
                for part in term.parts:
                    weight *= part.mass()
                assert weight.overlaps(law.masses.probability(key).ball)
                total += weight
            assert abs(total - 1) < 1e-20


def test_a_number_that_both_halves_share_is_no_product() -> None:
    """ε of one value printed, and asked about as well: the answer tells nothing more of it."""

    def alone(x: int, random: Any) -> Any:
        return x + random.laplace(2)

    def twice(x: int, random: Any) -> Any:
        value = x + random.laplace(2)
        return value, bool(value + random.laplace(5) >= 1)

    def afresh(x: int, random: Any) -> Any:
        return x + random.laplace(2), bool(x + random.laplace(2) + random.laplace(5) >= 1)

    found = [dpaudit.check(audited(one, [0, 1]), n=1).results[0] for one in (alone, twice, afresh)]
    assert found[0].epsilon.exact == found[1].epsilon.exact == Fraction(1, 2)
    assert found[2].epsilon.lower > Fraction(1, 2)


def test_what_is_kept_for_another_precision_is_as_sharp_there() -> None:
    def body(x: Any, random: Any) -> Any:
        left, right = apart(x, random), one_threshold(x, random)
        return (left, right, x[0] + random.laplace(1))

    one = audited(body, SPACE[:3])
    found = []
    for bits in (64, 200):
        with precision(bits):
            law: Any = one.laws().law(SPACE[1])
            found.append({key: law.masses.probability(key).ball for key in law.terms})
    for key, ball in found[0].items():
        assert ball.overlaps(found[1][key])
        assert found[1][key].rad() < 1e-50
