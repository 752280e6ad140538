"""Programs that hide what they give out, or that tell an exploration from a real run.

Each of them has an infinite loss, or none that can be trusted: an audit says so or refuses.
"""

import random as python_random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import Any

import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.results import Verdict

EQUAL = "compare equal"
KNOWN = "with plain numbers"


def audited(body: Callable[..., Any]) -> Any:
    return dpaudit.check(
        program(datasets=[0, 1], neighbours="all", budget=1, name="attack")(body)
    ).results[0]


@dataclass(frozen=True)
class Hidden:
    value: int = field(compare=False)


class AllEqual:
    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AllEqual)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "AllEqual"


class Marked(frozenset[int]):
    """A set that tells itself from others of the same members."""


def sniffs_a_count(x: int, random: Any) -> Any:
    noise = random.discrete_laplace(1)
    return x if isinstance(noise, int) else max(0, min(3, noise))


def sniffs_an_endless_count(x: int, random: Any) -> Any:
    noise = random.geometric("1/2")
    return 7 * x if type(noise) is int else noise


def sniffs_the_source(x: int, random: Any) -> Any:
    coin = random.bernoulli("1/2")
    return coin if hasattr(random, "_run") and type(random).__name__ == "Explored" else x


def sniffs_in_a_sampler(x: int, random: Any) -> Any:
    def sampler(source: Any) -> Any:
        noise = source.geometric("1/2")
        return x == 1 if type(noise) is int else noise < 2

    return random.sub(sampler)


def sniffs_to_ask_otherwise(x: int, random: Any) -> Any:
    noise = random.geometric("1/2")
    return random.bernoulli("9/10" if x and isinstance(noise, int) else "1/2")


def sniffs_for_a_scale(x: int, random: Any) -> Any:
    coin = random.bernoulli("1/2")
    known = type(random).__name__ != "Explored"
    return coin, max(0, min(2, x + random.discrete_laplace("1/9" if known else 1)))


def sniffs_for_a_sampler(x: int, random: Any) -> Any:
    def biased(source: Any, p: str) -> Any:
        return source.bernoulli(p)

    noise = random.geometric("1/2")
    return random.sub(biased, "9/10" if x and type(noise) is int else "1/2")


def sniffs_a_real_number(kind: type) -> Callable[..., Any]:
    def body(x: int, random: Any) -> Any:
        noise = x + random.laplace(1)
        return x if isinstance(noise, kind) else noise > 1

    return body


def sniffs_a_number_it_prints(x: int, random: Any) -> Any:
    noise = x + random.laplace(1)
    return 100 * x + noise if isinstance(noise, float) else noise


def sniffs_a_gaussian_scale(x: int, random: Any) -> Any:
    first = random.gaussian(1)
    return x + first > random.gaussian("1/100" if isinstance(first, float) else 1)


class Box:
    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.value == other.value

    def __hash__(self) -> int:
        return 0


BOX = Box(0)


def gives_what_changes_later(x: int, random: Any) -> Any:
    BOX.value = random.bernoulli("9/10" if x else "1/10")
    return BOX


def gives_what_the_next_dataset_changes(x: int, random: Any) -> Any:
    BOX.value = x
    return BOX


STATE = {"bit": False}


def by_state(source: Any) -> Any:
    return source.bernoulli("9/10" if STATE["bit"] else "1/2")


def samples_by_state(x: int, random: Any) -> Any:
    one, other = random.bernoulli("1/2"), random.bernoulli("1/2")
    STATE["bit"] = one != other and x == 1  # alike on the first path and on the last
    return one, other, random.sub(by_state)


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda x, random: AllEqual(x), EQUAL),
    (lambda x, random: bool(x) if x else 0 if random.bernoulli("1/2") else 1, EQUAL),
    (lambda x, random: float(x) if random.bernoulli("1/2") else x, EQUAL),
    (lambda x, random: -0.0 if x else 0.0, EQUAL),
    (lambda x, random: ((bool(x),), "a") if random.bernoulli("1/2") else ((x,), "a"), EQUAL),
    (lambda x, random: (True if x else 1, random.laplace(1)), EQUAL),
    (lambda x, random: [1] if x else (1,), EQUAL),
    (lambda x, random: (2, [1]) if random.bernoulli("1/2") else (2, (1,)), EQUAL),
    (lambda x, random: {1} if x else frozenset([1]), EQUAL),
    (lambda x, random: Marked([1]) if x else frozenset([1]), EQUAL),
    (lambda x, random: [random.laplace(1)] if x else (random.laplace(1),), EQUAL),
    (lambda x, random: [random.geometric("1/2")] if x else (random.geometric("1/2"),), EQUAL),
    (sniffs_the_source, KNOWN),
    (sniffs_for_a_scale, KNOWN),
    (sniffs_a_real_number(float), KNOWN),
    (sniffs_a_real_number(Fraction), KNOWN),
    (sniffs_a_number_it_prints, KNOWN),
    (sniffs_a_gaussian_scale, KNOWN),
    (gives_what_changes_later, "as an earlier call left it"),
    (gives_what_the_next_dataset_changes, EQUAL),
]


@pytest.mark.parametrize("give", [lambda bit: [bit, [1]], lambda bit: {bit, "a"}])
def test_lists_and_sets_are_outputs_everywhere(give: Callable[[bool], Any]) -> None:
    found = audited(lambda x, random: give(random.bernoulli("3/4" if x else "1/4")))
    assert str(found.epsilon.exact) == "ln(3)"


def test_a_field_that_equality_leaves_out_is_told_apart() -> None:
    assert str(audited(lambda x, random: Hidden(x)).epsilon.lower) == "Infinity"


@pytest.mark.parametrize(("body", "reason"), REFUSED)
def test_what_hides_or_sniffs_is_refused(body: Callable[..., Any], reason: str) -> None:
    with pytest.raises(LawError, match=reason):
        audited(body)


class QuietError(Exception):
    def __str__(self) -> str:
        return "quiet"


def raising(error: Callable[[int], Exception]) -> Callable[..., Any]:
    def body(x: int, random: Any) -> Any:
        if random.bernoulli("1/2"):
            return 0
        raise error(x)

    return body


def with_attribute(x: int) -> Exception:
    error = ValueError("alike")
    error.secret = x  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    "error",
    [
        lambda x: ValueError("a" * 300 + str(x)),
        lambda x: ValueError("a" + " " * (x + 1) + "b"),
        QuietError,
        with_attribute,
        lambda x: type("Named", (Exception,), {"__module__": f"of_{x}"})("text"),
    ],
)
def test_exceptions_that_differ_anywhere_are_different_outputs(error: Any) -> None:
    assert str(audited(raising(error)).epsilon) == "inf"


def asks_for_a_whole_number(x: int, random: Any) -> Any:
    noise = random.discrete_laplace(2)
    return x if isinstance(noise, int) and noise == 7 else -1


def asks_for_a_count(x: int, random: Any) -> Any:
    noise = random.geometric("1/2")
    match noise:
        case int():
            return x if noise > 5 else -1
    return -1


def clamps_whole_numbers(x: int, random: Any) -> Any:
    noise = random.discrete_laplace(2)
    clamped: Any = max(-3, min(3, noise))
    return x * clamped if isinstance(noise, Integral) else 0


def asks_for_a_real_number(x: int, random: Any) -> Any:
    noise = random.laplace(2)
    if not isinstance(noise, (int, float, Fraction)):
        return -1
    return x if noise > 5 else -1


def asks_what_is_rounded(x: int, random: Any) -> Any:
    noise = round(random.laplace(2))
    return x if isinstance(noise, int) and noise > 5 else -1


named_otherwise = type


def asks_for_the_type_of_a_whole_number(x: int, random: Any) -> Any:
    noise = random.discrete_laplace(2)
    return x if type(noise) is int and noise == 7 else -1


def asks_for_the_type_of_a_real_number(x: int, random: Any) -> Any:
    noise = random.laplace(2)
    return x if type(noise) in (float, Fraction) and noise > 5 else -1


def asks_for_the_type_of_what_is_rounded(x: int, random: Any) -> Any:
    noise = round(random.laplace(2))
    return x if type(noise) == int and noise > 5 else -1  # noqa: E721


def asks_for_types_in_compiled_code(x: int, random: Any) -> Any:
    noise = random.geometric("1/2")
    return x if list(map(type, (noise, noise))) == [int, int] and noise > 5 else -1


def asks_by_another_name(x: int, random: Any) -> Any:
    noise = random.geometric("1/2")
    return x if named_otherwise(noise).__name__ == "int" and noise > 5 else -1


@pytest.mark.parametrize(
    "body",
    [
        sniffs_a_count,
        sniffs_for_a_sampler,
        sniffs_in_a_sampler,
        sniffs_an_endless_count,
        asks_for_the_type_of_a_whole_number,
        asks_for_the_type_of_a_real_number,
        asks_for_the_type_of_what_is_rounded,
        asks_for_types_in_compiled_code,
        asks_by_another_name,
        sniffs_to_ask_otherwise,
        asks_for_a_whole_number,
        asks_for_a_count,
        clamps_whole_numbers,
        asks_for_a_real_number,
        asks_what_is_rounded,
    ],
)
def test_what_asks_for_the_class_of_a_number_has_the_law_of_numbers(
    body: Callable[..., Any],
) -> None:
    """A number that was tried afterwards was not among those that the program treats otherwise."""
    assert audited(body).verdict is Verdict.EXCEEDS


def makes_types(x: int, random: Any) -> Any:
    kind = type("Kind", (int,), {"twice": lambda self: 2 * self})
    known = type(kind) is type, isinstance(kind, type), type(x) is int
    return kind(x).twice() + sum(known) + min(3, random.geometric("1/2"))


def test_types_are_as_ever_for_what_is_known() -> None:
    made = program(datasets=[0, 1], neighbours="all", budget=1)(makes_types)
    for x in (0, 1):  # as many as the type of three known things
        assert made.law(x)[2 * x + 3].as_fraction() == Fraction(1, 2)
    assert "type" not in globals()
    assert named_otherwise.__name__ == "type"


@pytest.mark.parametrize("kind", [float, int, str])
def test_what_asks_for_the_class_of_a_float_as_it_runs_has_its_law(kind: type) -> None:
    def body(x: int) -> Any:
        found = python_random.random()
        return x if isinstance(found, kind) and 0.3 < found < 0.31 else -1

    made = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(body)
    expected = Verdict.EXCEEDS if kind is float else Verdict.WITHIN
    assert dpaudit.check(made).results[0].verdict is expected


def test_a_sub_sampler_that_reads_what_its_program_sets_is_refused() -> None:
    """What it finds there is left for the next call too."""
    with pytest.raises(LawError, match="every call changes STATE"):
        program(datasets=[0, 1], neighbours="all")(samples_by_state).law(1)
