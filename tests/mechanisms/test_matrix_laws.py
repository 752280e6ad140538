"""A matrix as a mechanism: the same numbers as the function that returns its rows."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import finite_mechanism
from dpaudit.errors import ParameterError
from dpaudit.results import Verdict


def numbers(mechanism: Any) -> Any:
    report = dpaudit.check(mechanism, n=1).report
    (result,) = report.results
    witness = result.witness
    return result.epsilon, result.delta, result.pairs, witness.x, witness.y, witness.output


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_the_laws(seed: int) -> None:
    draws = random.Random(seed)
    rows = [[draws.randint(1, 50) for _ in range(5)] for _ in range(4)]
    datasets, outputs = ["a", "b", "c", "d"], list("vwxyz")
    table = dict(zip(datasets, rows, strict=True))

    @finite_mechanism(datasets=datasets, neighbours="all", budget=1, normalised=False)
    def by_function(dataset: str) -> dict[str, int]:
        return dict(zip(outputs, table[dataset], strict=True))

    def of(matrix: Any, *, normalised: bool) -> Any:
        return finite_mechanism(
            datasets=datasets, outputs=outputs, neighbours="all", budget=1, normalised=normalised
        )(matrix)

    fractions = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    expected = numbers(by_function)
    assert numbers(of(np.array(rows, dtype=np.int16), normalised=False)) == expected
    assert numbers(of(rows, normalised=False)) == expected
    assert numbers(of(np.array(fractions), normalised=True)) == expected


def test_a_tie_of_fractions_is_exact_and_floats_are_their_decimals() -> None:
    third = np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]])
    assert dpaudit.check(finite_mechanism(budget="ln(2)")(third)).verdict is Verdict.WITHIN
    decimal = np.array([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])
    assert dpaudit.check(finite_mechanism(budget="ln(7)")(decimal)).verdict is Verdict.WITHIN


@pytest.mark.parametrize(
    ("matrix", "more", "said"),
    [
        (np.zeros(3), {}, "an array of shape (3,)"),
        (np.zeros((2, 2, 2)), {"datasets": ["a"]}, "1 are listed, but the matrix has 2 rows"),
        ([[1, 2], [3]], {}, "the rows of a matrix must all have the same length"),
        ([], {}, "the rows of a matrix must all have the same length"),
        (np.eye(2), {"datasets": ["a", "b", "c"]}, "3 are listed, but the matrix has 2 rows"),
        (np.eye(2), {"outputs": ["u"]}, "1 are listed, but the matrix has 2 columns"),
        (np.eye(2), {"outputs": ["u", "u"]}, "'u' is listed twice"),
        (np.eye(2), {"datasets": range}, "datasets is a function"),
        ({"a": {"b": 1}}, {}, "a dict"),
        (
            lambda dataset: {},
            {"outputs": ["u"], "datasets": [0]},
            "outputs: a function already returns its outputs; give",
        ),
        (lambda dataset: {}, {}, "list them, or give a function of n"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said.replace("(", r"\(").replace(")", r"\)")):
        finite_mechanism(**more)(matrix)
