"""Code that does nothing with numbers but calculate, and code that may tell what they are."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpaudit.numbers.real import real
from dpaudit.programs.guarding.calculating import only_calculates

SHIFTS = (1, Fraction(1, 2))
KEPT: list[int] = []


def more(x: Any) -> Any:
    return x + SHIFTS[0]


def sniffing(x: Any) -> Any:
    return isinstance(x, int)


def sparse(queries: Any, random: Any, eps: Fraction = Fraction(1, 2), most: int = 1) -> Any:
    noisy, found = random.laplace(2 / eps), []
    for query in queries:
        if query + random.laplace(4 * most / eps) >= noisy:
            found.append(True)
            if sum(found) >= most:
                break
        else:
            found.append(False)
    return tuple(found)


def with_settings(**fixed: Any) -> Callable[..., Any]:
    def body(x: Any, random: Any) -> Any:
        return sparse(x, random, **fixed)

    return body


def keeping_settings(**fixed: Any) -> Callable[..., Any]:
    def body(x: Any, random: Any) -> Any:
        fixed["most"] = x
        return sparse(x, random, **fixed)

    return body


CALCULATES: list[Callable[..., Any]] = [
    sparse,
    with_settings(most=2),
    lambda x, random: max(range(len(x)), key=lambda i: more(x[i])),
    lambda x, random: tuple(one > 0 for one in x),
    lambda x, random: [[more(one) for one in part] for part in zip(x, x, strict=True)],
    lambda x, random: None if x[0] is None else sorted(x)[-1] ** 2 % 7 & 1,
]


@pytest.mark.parametrize("function", CALCULATES)
def test_sums_comparisons_and_loops_calculate(function: Callable[..., Any]) -> None:
    assert only_calculates(function)


def sum_in_parts(x: Any, random: Any) -> Any:
    total = 0
    return [total := total + one for one in x]


def test_variables_of_the_function_itself_are_not_kept() -> None:
    assert only_calculates(sum_in_parts)


def test_what_is_given_to_it_is_read_as_well() -> None:
    assert only_calculates(given_as, [abs, Fraction(1, 2), real("ln(2)")]) is False
    assert only_calculates(sparse, [Fraction(1, 3), real("ln(2)")])
    assert not only_calculates(sparse, [sniffing])
    assert not only_calculates(sparse, [(1, type)])


def handling(x: Any, random: Any) -> Any:
    try:
        return x & 1
    except TypeError:
        return 0


def hushing(x: Any, random: Any) -> Any:
    try:
        x & 1
    finally:
        return 0  # noqa: B012


def matching(x: Any, random: Any) -> Any:
    match x:
        case int():
            return 0
    return 1


def carrying(x: Any) -> Any:
    return x


carrying.count = sniffing  # type: ignore[attr-defined]


def counting_runs() -> Callable[..., Any]:
    runs = 0

    def body(x: Any, random: Any) -> Any:
        def again() -> int:
            nonlocal runs
            runs += 1
            return runs

        return again() > 1000

    return body


def importing(x: Any, random: Any) -> Any:
    from numbers import Integral

    return Integral


def making(x: Any, random: Any) -> Any:
    class Made:
        held = x

    return Made.held


def within(x: Any, random: Any) -> Any:
    with pytest.raises(TypeError):
        return x & 1


def keeping(x: Any, random: Any) -> Any:
    KEPT.append(x)
    return len(KEPT)


def held_as(how: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, random: how(x)


def given_as(x: Any, random: Any, how: Callable[..., Any] = sniffing) -> Any:
    return how(x)


MAY_TELL: list[Callable[..., Any]] = [
    handling,
    hushing,
    matching,
    importing,
    making,
    within,
    keeping,
    given_as,
    keeping_settings(most=2),
    counting_runs(),
    lambda x, random: carrying.count(x[0]),  # type: ignore[attr-defined]
    with_settings(most=sniffing),
    held_as(sniffing),
    held_as(type),
    lambda x, random: type(x) is int,
    lambda x, random: x is SHIFTS,
    lambda x, random: sniffing(x),
    lambda x, random: list(map(sniffing, x)),
    lambda x, random: x.__class__,
    lambda x, random: x.bit_length(),
    lambda x, random: getattr(x, "real", 0),
    lambda x, random: f"{x}",
    lambda x, random: math.floor(x),
    lambda x, random: not_there(x),  # type: ignore[name-defined]  # noqa: F821
    print,
]


@pytest.mark.parametrize("function", MAY_TELL)
def test_whatever_may_tell_what_a_number_is_does_not(function: Callable[..., Any]) -> None:
    assert not only_calculates(function)
