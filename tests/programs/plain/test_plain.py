"""Plain functions read ideally: the laws of their formulas, against the closed forms of these."""

from __future__ import annotations

import gc
import importlib
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.errors import LawError, ParameterError
from dpaudit.numbers.ball import precision
from dpaudit.programs.rungs import plain_program
from dpaudit.programs.simplest import simplest
from tests.programs.plain import functions

COUNTS: dict[str, Any] = {"inputs": range(4), "neighbours": lambda x, y: abs(x - y) == 1}


def check(function: Callable[..., Any], **asked: Any) -> dpaudit.Check:
    """Return an audit of a law; draws from the function are none."""
    found = dpaudit.check(function, **asked)
    assert isinstance(found, dpaudit.Check)
    return found


def test_a_generator_of_the_module_is_read_as_run_and_ideally() -> None:
    found = check(functions.rounded_count, budget="1, 1e-12", **COUNTS)
    assert found.audit.semantics == "as run"
    assert found.verdict == "within"
    ideal = check(functions.rounded_count, budget=1, only="ideal", **COUNTS)
    assert ideal.epsilon.exact == dpaudit.real(1)
    assert ideal.verdict == "within"


VECTORS: dict[str, Any] = {
    "inputs": [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)],
    "neighbours": "unit-moves",
}


@pytest.mark.parametrize(
    ("function", "asked", "epsilon"),
    [
        (functions.scaled_count, COUNTS, "3/10"),
        (functions.inverse_numpy, COUNTS, "1/2"),
        (functions.difference, COUNTS, "1/2"),
        (functions.thresholded, COUNTS, "1/2"),
        (functions.inverse_mean, {"inputs": [(1, 2, 3), (1, 2, 10)], "neighbours": "all"}, "7/10"),
    ],
)
def test_laplace_noise_of_every_making_has_its_closed_form(
    function: Callable[..., Any], asked: dict[str, Any], epsilon: str
) -> None:
    found = check(function, budget=1, **asked)
    assert found.audit.semantics == "ideal"
    assert found.audit.not_as_run
    assert found.epsilon.exact == dpaudit.real(epsilon)
    assert found.verdict == "within"


def test_normal_noise_of_every_making_has_one_law() -> None:
    deltas = set()
    for function in (functions.box_muller, functions.gauss, functions.normal):
        found = check(function, budget=(1, "1/100"), inputs=[0, 1], neighbours="all")
        deltas.add(str(found.delta))
        with mp.workdps(30):
            truth = mp.ncdf(mpf(1) / 4 - 2) - mp.e * mp.ncdf(-mpf(1) / 4 - 2)
            assert mpf(str(found.delta_held.lower)) <= truth
            assert truth <= mpf(str(found.delta_held.upper))
    assert len(deltas) == 1


def test_a_noisy_maximum_and_a_choice_agree_with_quadrature() -> None:
    found = check(functions.gumbel_maximum, budget=1, **VECTORS)
    choice = check(functions.exponential_choice, budget=1, only="ideal", **VECTORS)
    for one in (found, choice):
        with mp.workdps(30):
            heavy = 2 + mp.exp(mpf(1) / 2)
            both = (1 + 2 * mp.exp(mpf(1) / 2)) / 3
            truth = max(mp.log(heavy / 3), mp.log(both), mp.log(3 * mp.exp(mpf(1) / 2) / heavy))
            assert abs(mpf(str(one.epsilon.upper)) - truth) < mpf(10) ** -11
    noisy = check(functions.noisy_maximum, budget=1, **VECTORS)
    assert noisy.verdict == "within"
    with mp.workdps(20):

        def density(x: Any) -> Any:
            return mp.exp(-abs(x) / 2) / 4

        def below(x: Any) -> Any:
            return mp.exp(x / 2) / 2 if x < 0 else 1 - mp.exp(-x / 2) / 2

        def wins(mine: int, others: list[int]) -> Any:
            ends = sorted({-40, *(mine, *others), 0, 40})
            return mp.quad(
                lambda x: density(x - mine) * mp.fprod(below(x - other) for other in others), ends
            )

        truth = mp.log(wins(1, [0, 0]) / wins(0, [0, 0]))
        assert abs(truth - mpf(str(noisy.epsilon.lower))) < mpf(10) ** -6 or (
            mpf(str(noisy.epsilon.lower)) > truth
        )


# Random compositions, against the distribution functions of their noise.

NOISES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "numpy laplace": (
        lambda: np.random.laplace(0.0, 2.0),
        lambda x: mp.exp(x / 2) / 2 if x < 0 else 1 - mp.exp(-x / 2) / 2,
    ),
    "inverse laplace": (
        lambda: functions.inverse(2.0),
        lambda x: mp.exp(x / 2) / 2 if x < 0 else 1 - mp.exp(-x / 2) / 2,
    ),
    "difference": (
        lambda: random.expovariate(0.5) - random.expovariate(0.5),
        lambda x: mp.exp(x / 2) / 2 if x < 0 else 1 - mp.exp(-x / 2) / 2,
    ),
    "exponential": (
        lambda: functions.generator.exponential(1.5),
        lambda x: 1 - mp.exp(-2 * x / 3) if x > 0 else mpf(0),
    ),
    "logarithm": (
        lambda: -math.log(random.random()),
        lambda x: 1 - mp.exp(-x) if x > 0 else mpf(0),
    ),
    "gumbel": (
        lambda: -math.log(-math.log(random.random())),
        lambda x: mp.exp(-mp.exp(-x)),
    ),
    "numpy gumbel": (
        lambda: functions.generator.gumbel(0.0, 2.0),
        lambda x: mp.exp(-mp.exp(-x / 2)),
    ),
    "gauss": (lambda: random.gauss(0.0, 1.5), lambda x: mp.ncdf(2 * x / 3)),
    "box muller": (
        lambda: math.sqrt(-2 * math.log(random.random())) * math.sin(2 * math.pi * random.random()),
        mp.ncdf,
    ),
    "uniform": (lambda: random.uniform(-2.0, 3.0), lambda x: min(max((x + 2) / 5, mpf(0)), mpf(1))),
}


def _rounded(noise: Callable[[], Any], shift: float) -> Callable[[int], Any]:
    return lambda n: int(min(max(round(n + shift + noise()), -6), 6))


def _compared(noise: Callable[[], Any], shift: float) -> Callable[[int], Any]:
    return lambda n: bool(n + noise() > shift)


def _binned(noise: Callable[[], Any], shift: float) -> Callable[[int], Any]:
    def binned(n: int) -> int:
        noisy = 2.0 * (n - noise())
        return 0 if noisy < shift else 1 if noisy < shift + 2 else 2

    return binned


def _probabilities(shape: str, shift: Any, below: Callable[[Any], Any], n: int) -> dict[Any, Any]:
    if shape == "compared":
        at = below(shift - n)
        return {False: at, True: 1 - at}
    if shape == "rounded":
        half = mpf(1) / 2
        ends = [below(k - half - shift - n) for k in range(-5, 7)]
        return dict(zip(range(-6, 7), _differences([mpf(0), *ends, mpf(1)]), strict=True))
    ends = [1 - below(n - shift / 2), 1 - below(n - shift / 2 - 1)]
    return dict(enumerate(_differences([mpf(0), *ends, mpf(1)])))


def _differences(ends: list[Any]) -> list[Any]:
    return [high - low for low, high in pairwise(ends)]


SHAPES = {"rounded": _rounded, "compared": _compared, "binned": _binned}
CASES = [(name, shape, seed) for seed in range(17) for name in NOISES for shape in SHAPES]


@pytest.mark.parametrize(("name", "shape", "seed"), CASES)
def test_random_compositions_have_the_probabilities_of_their_noise(
    name: str, shape: str, seed: int
) -> None:
    noise, below = NOISES[name]
    dice = random.Random(f"{name} {shape} {seed}")
    shift, n = Fraction(dice.randrange(-12, 13), 4), dice.randrange(-2, 3)
    function = SHAPES[shape](noise, float(shift))
    program: Any = plain_program(function, inputs=[n, n + 1], neighbours="all", only="ideal")
    with precision(128):
        law = {output: weight.ball() if hasattr(weight, "ball") else weight
               for output, weight in program.explorer(n).items()}  # fmt: skip
        with mp.workdps(30):
            truth = _probabilities(shape, mpf(shift.numerator) / shift.denominator, below, n)
            for output, p in truth.items():
                found = law.pop(output, None)
                if found is None:
                    assert p < mpf(10) ** -25
                else:
                    middle, radius = mpf(str(found.mid().str(40, radius=False))), mpf(10) ** -18
                    assert abs(middle - p) <= radius
    assert not law


# The tail of rounded Gumbel noise is compared with no other.
@pytest.mark.parametrize("name", [name for name in NOISES if "gumbel" not in name])
def test_noise_of_every_making_is_rounded_and_clamped_at_one_end(name: str) -> None:
    noise, below = NOISES[name]
    program: Any = plain_program(
        lambda n: max(0, round(n + noise())), inputs=[0, 1], neighbours="all", only="ideal"
    )
    half = mpf(1) / 2
    with precision(128), mp.workdps(30):
        for n in (0, 1):
            law = program.laws().law(n)
            for output in (0, 1, 2):
                p = below(output + half - n) - (below(output - half - n) if output else 0)
                ball = law.probability(output).ball
                middle = mpf(str(ball.mid().str(40, radius=False)))
                assert abs(middle - p) <= mpf(10) ** -18


@pytest.mark.parametrize(
    "function", [functions.noisy_maximum, functions.rounded_count, functions.inverse_mean]
)
def test_real_draws_have_the_derived_law(function: Callable[..., Any]) -> None:
    first: Any = {functions.noisy_maximum: (0, 2, 1), functions.rounded_count: 2}.get(
        function, (1.0, 4.0, 9.0)
    )
    program: Any = plain_program(function, inputs=[first], neighbours="all", only="ideal")
    state = random.getstate(), np.random.get_state()
    random.seed(11)
    np.random.seed(11)
    functions.generator.bit_generator.state = np.random.PCG64(11).state
    count = 20_000
    try:
        drawn = Counter(function(first) for _ in range(count))
    finally:
        random.setstate(state[0])
        np.random.set_state(state[1])
    law = program.laws().law(first)
    for output, times in drawn.most_common(6):
        p = float(law.probability(output).ball.mid())
        assert abs(times / count - p) < 5 * math.sqrt(p * (1 - p) / count)


@pytest.mark.parametrize(
    "function",
    [
        functions.of_another_type,
        functions.multiplied,
        functions.clamped_type,
        functions.of_numpys_type,
    ],
)
def test_a_float_is_another_output_than_a_whole_number(function: Callable[..., Any]) -> None:
    try:
        found = check(function, budget=1, inputs=[0, 1], neighbours="all", only="ideal")
    except LawError:
        return
    assert found.verdict == "exceeds"


def test_decimals_have_a_law_without_an_end() -> None:
    found = check(functions.rounded_by_numpy, budget=1, **COUNTS)
    assert found.epsilon.exact == dpaudit.real(1)


def test_lists_and_mappings_are_inputs_and_outputs() -> None:
    words = [["a", "a", "b"], ["a", "a"], ["a"]]
    asked: dict[str, Any] = {"inputs": words, "neighbours": "sequence-add-remove"}
    found = check(functions.histogram, budget=(1, "1e-5 + 1e-12"), only="ideal", **asked)
    assert found.verdict == "within"
    assert words == [["a", "a", "b"], ["a", "a"], ["a"]]
    with mp.workdps(30):
        assert abs(mpf(str(found.delta_held.upper)) - mpf(10) ** -5) < mpf(10) ** -18
    people = [{"a": True, "b": False}, {"a": False, "b": False}, {"a": False, "b": True}]
    answers = check(functions.respond, budget=2, inputs=people, neighbours="one-key")
    assert answers.epsilon.exact == dpaudit.real("ln(3)")


# What is certain needs no law.


@pytest.mark.parametrize(
    "function", [functions.keyed, functions.keyed_numpy, functions.keyed_legacy]
)
def test_noise_that_is_seeded_with_the_data_hides_nothing(function: Callable[..., Any]) -> None:
    found = check(function, budget=1, inputs=[0, 1], neighbours="all")
    assert found.verdict == "exceeds"
    assert str(found.delta) == "1"


def test_an_error_at_one_dataset_alone_tells_it_apart() -> None:
    asked: dict[str, Any] = {"inputs": [300, 400], "neighbours": "all"}
    found = check(functions.underflowing, budget=1, **asked)
    assert found.verdict == "exceeds"
    assert str(found.delta) == "1"
    with pytest.raises(LawError, match="every run raises ZeroDivisionError"):
        check(functions.underflowing, budget=1, inputs=[400, 500], neighbours="all")


def test_what_is_compared_with_nan_is_certain() -> None:
    found = check(functions.clamped_nan, budget=1, inputs=[0.0, None], neighbours="all")
    assert found.verdict == "exceeds"
    assert str(found.epsilon) == "inf"
    with mp.workdps(30):
        assert abs(mpf(str(found.delta_held.upper)) - (1 - mp.ncdf(1))) < mpf(10) ** -11


# What is refused


def test_a_generator_with_a_fixed_seed_is_no_noise() -> None:
    with pytest.raises(LawError, match="fixed seed"):
        check(functions.predictable, budget=1, only="ideal", **COUNTS)


@pytest.fixture
def made_before() -> Iterator[ModuleType]:
    """Forget the module afterwards: each later check would look for all who hold its generators."""
    name, package = "tests.programs.plain.made_before", sys.modules[__package__ or ""]
    yield importlib.import_module(name)
    del sys.modules[name], package.made_before


HOLDERS = ("class", "closure", "default", "dict", "list", "object", "slot")


def test_every_holder_is_listed(made_before: ModuleType) -> None:
    assert tuple(sorted(made_before.FUNCTIONS)) == HOLDERS


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_generator_that_was_made_before_is_found_where_it_is_held(
    holder: str, made_before: ModuleType
) -> None:
    found = check(made_before.FUNCTIONS[holder], budget=1, only="ideal", **COUNTS)
    assert found.epsilon.exact == dpaudit.real(1)
    held = made_before.Service.shared, made_before.service.own, made_before.slots.own
    assert {type(one) for one in (*held, made_before.several[0])} == {np.random.Generator}


def test_a_generator_in_a_tuple_is_seen_though_its_noise_never_shows(
    made_before: ModuleType,
) -> None:
    with pytest.raises(LawError, match="it draws from a generator that dpaudit cannot replace"):
        check(made_before.far_out, budget=1, only="ideal", **COUNTS)


@pytest.mark.parametrize("name", ["by_method", "by_part", "by_bits"])
def test_a_generator_that_cannot_be_replaced_is_seen(name: str, made_before: ModuleType) -> None:
    with pytest.raises(LawError, match="it draws from a generator that dpaudit cannot replace"):
        check(getattr(made_before, name), budget=1, only="ideal", **COUNTS)


def test_a_generator_that_the_collector_was_told_to_pass_over_is_seen(
    made_before: ModuleType,
) -> None:
    gc.freeze()
    try:
        with pytest.raises(LawError, match="it draws from a generator that dpaudit cannot replace"):
            check(made_before.far_out, budget=1, only="ideal", **COUNTS)
    finally:
        gc.unfreeze()


def test_a_generator_with_a_seed_that_is_drawn_draws_noise() -> None:
    found = check(functions.safely_seeded, budget=1, only="ideal", **COUNTS)
    assert found.epsilon.exact == dpaudit.real(1)
    found = check(functions.safely_seeded_python, budget=1, only="ideal", **COUNTS)
    assert str(found.epsilon) == "inf"


def test_a_draw_is_not_used_beside_its_logarithm() -> None:
    with pytest.raises(LawError, match="a random draw is compared after a function of it was"):
        check(functions.used_twice, budget=1, only="ideal", **COUNTS)


def test_a_distribution_that_is_not_known_is_refused() -> None:
    with pytest.raises(LawError):
        check(functions.drawn_apart, budget=1, only="ideal", **COUNTS)


def test_a_function_needs_inputs() -> None:
    with pytest.raises(ParameterError, match=r"inputs=\[…\]"):
        check(functions.difference, budget=1)
    with pytest.raises(ParameterError, match="neighbours"):
        check(functions.difference, budget=1, inputs=[0, 1], neighbors="all")
    with pytest.raises(ParameterError, match="ideal"):
        check(functions.difference, budget=1, only="idea", **COUNTS)


def test_everything_is_given_back() -> None:
    before = random.random, np.random.laplace, functions.generator, math.log
    check(functions.rounded_count, budget=1, **COUNTS)
    assert before == (random.random, np.random.laplace, functions.generator, math.log)
    assert isinstance(functions.generator.laplace(), float)
    assert "int" not in vars(functions)


@pytest.mark.parametrize("length", [3, 6, 7])
@pytest.mark.parametrize("mean", [functions.numpy_mean, functions.python_mean])
def test_a_mean_and_a_scale_of_the_same_thirds_meet_exactly(mean: Any, length: int) -> None:
    """10/3 is the mean and the scale; were one read as a decimal, ε would be above 1."""
    first = [0] * length
    inputs = [first, [10, *first[1:]], [10, 20, *first[2:]]]
    audit = check(mean, inputs=inputs, neighbours="one-entry", budget=1, only="ideal")
    assert audit.verdict == "within"
    assert audit.results[0].epsilon.lower > Decimal("0.999999")
    less = check(mean, inputs=inputs, neighbours="one-entry", budget="0.99", only="ideal")
    assert less.verdict == "exceeds"


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_float_stands_for_the_simplest_fraction(over: int, under: int) -> None:
    assert simplest(over / under) == Fraction(over, under)
    assert simplest(-over / under) == -Fraction(over, under)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_fraction_rounds_to_the_float(x: float) -> None:
    assert float(simplest(x)) == x


@pytest.mark.parametrize(
    ("function", "largest"),
    [
        (functions.array_of_counts, 1.0),
        (functions.array_clipped, 1.0),
        # P(L1 + L2 > t) = (2 + t)·exp(-t)/4 for two Laplace draws of scale 1 and t >= 0.
        (functions.array_total, math.log(0.5 / (3 / (4 * math.e)))),
    ],
)
def test_arrays_of_draws_have_the_methods_of_floats(function: Any, largest: float) -> None:
    found = check(function, budget=1, inputs=[0, 1], neighbours="adjacent", only="ideal")
    assert float(found.results[0].epsilon.upper) == pytest.approx(largest, abs=1e-12)


@pytest.mark.parametrize(
    "function", [functions.new_nan_rounded, functions.new_nan, functions.nan_of_numpy]
)
def test_every_nan_is_one_output(function: Any) -> None:
    """Each was an output of its own, which one dataset alone gives: ε was infinite."""
    found = check(
        function, budget=1, inputs=[0, 1], neighbours="adjacent", only="ideal", at_eps=["1"]
    )
    assert found.verdict == "within"
    assert found.results[0].epsilon.upper <= 1


def test_an_array_whose_shape_is_lost_is_refused() -> None:
    with pytest.raises(LawError, match=r"an array of shape \(0, [23]\) has no entries"):
        check(functions.empty_of_a_shape, budget=1, inputs=[0, 1], neighbours="all", only="as-run")


@pytest.mark.parametrize("way", functions.CLAMPED_AT_A_WHOLE_NUMBER)
def test_a_whole_number_in_an_array_of_floats_is_a_float_as_in_numpy(way: str) -> None:
    asked: dict[str, Any] = {"inputs": range(3), "neighbours": "adjacent", "only": "ideal"}
    found = check(functions.CLAMPED_AT_A_WHOLE_NUMBER[way], budget=1, **asked)
    assert found.verdict == "within"
    assert found.epsilon.lower <= 1
    assert found.epsilon.upper >= 1
