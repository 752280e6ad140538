"""Series and frames as outputs: compared by numbers, types, names and order."""

from __future__ import annotations

import pickle
from math import exp
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpaudit
from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import frozen
from dpaudit.programs.as_run.explored import plain
from dpaudit.programs.frame_outputs import Opening, frame_parts
from tests.programs.plain import frames

PEOPLE = [
    pd.DataFrame({"age": [20, 40, 40], "k": [0, 1, 1]}),
    pd.DataFrame({"age": [20, 40, 20], "k": [0, 1, 0]}),
]
"""One record is replaced, and moves from one group to the other."""


def check(function: Any, inputs: Any = PEOPLE, **asked: Any) -> dpaudit.Check:
    found = dpaudit.check(function, inputs=inputs, neighbours="all", budget=2, **asked)
    assert isinstance(found, dpaudit.Check)
    return found


@pytest.mark.parametrize(
    ("function", "epsilon"),
    [
        # Both counts move by one, each with noise of scale 1.
        (frames.sizes, "2"),
        (frames.clipped, "2"),
        (frames.rounded, "2"),
        (frames.converted, "2"),
        (frames.converted_and_clipped, "2"),
        (frames.clipped_and_converted, "2"),
        (frames.as_a_column, "2"),
        (frames.as_a_mapping, "2"),
        (frames.applied, "2"),
        (frames.applied_whole, "2"),
        (frames.in_polars, "2"),
        (frames.above_one, "2"),
        # All groups have a record, and no count moves.
        (frames.clipped_before, "0"),
        # One answer differs.
        (frames.respond, "ln(3)"),
        # The ages move by 20 and the other column by 1, with noise of scale 40.
        (frames.column_sums, "21/40"),
    ],
)
def test_a_series_or_a_frame_of_noisy_numbers_has_its_law(function: Any, epsilon: str) -> None:
    found = check(function, only="ideal")
    assert found.epsilon.exact == dpaudit.real(epsilon)


def test_the_largest_noisy_count_has_the_odds_of_a_difference_of_laplace_draws() -> None:
    tail = (2 + 1 / 2) / 4 * exp(-1 / 2)  # P(X - Y > 1) of scale 2: (2 + x/2)/4 · exp(-x/2)
    found = check(frames.largest)
    truth = np.log((1 - tail) / tail)
    assert float(found.epsilon.lower) <= truth + 1e-12
    assert truth - 1e-12 <= float(found.epsilon.upper) <= truth + 1e-9


def test_the_order_of_counts_tells_datasets_apart() -> None:
    """value_counts sorts by the true counts, before there is noise."""
    found = check(frames.counted)
    assert found.epsilon.lower.is_infinite()
    assert found.delta_held.lower == 1


@pytest.mark.parametrize(
    "function",
    [
        frames.of_another_type,
        frames.of_objects,
        frames.of_another_name,
        frames.of_another_order,
        frames.of_another_index,
        frames.of_another_library,
        frames.a_mapping_for_a_series,
        frames.of_other_categories,
    ],
)
@pytest.mark.parametrize("only", ["as-run", "ideal"])
def test_types_names_and_order_tell_frames_apart(function: Any, only: str) -> None:
    try:
        found = check(function, only=only)
    except LawError:
        assert function is frames.of_objects  # as draws are held in objects while it is followed
        return
    assert found.delta_held.lower == 1


def test_draws_that_are_given_out_as_objects_are_not_taken_for_floats() -> None:
    with pytest.raises(LawError):
        check(frames.alike_but_hidden, only="ideal")


FRAMES = [
    pd.Series([1, 2]),
    pd.Series([1.0, 2.0]),
    pd.Series([1.0, np.nan]),
    pd.Series([1, 2], name="a"),
    pd.Series([1, 2], index=[1, 2]),
    pd.Series([1, 2], index=[1, 1]),
    pd.Series([1, 2], index=["1", "2"]),
    pd.Series([1, None], dtype="Int64"),
    pd.Series(["x", None]),
    pd.Series([True, False]),
    pd.Series(pd.to_datetime(["2020-01-01", None])),
    pd.Series(pd.Categorical(["a"], categories=["a", "b"])),
    pd.Series(pd.Categorical(["a"], categories=["a", "c"])),
    pd.Index([1, 2]),
    pd.RangeIndex(2),
    pd.DataFrame({"a": [1, 2]}),
    pd.DataFrame({"a": [1, 2]}, index=[1, 2]),
    pd.DataFrame({"a": [1], "b": [2]}),
    pd.DataFrame({"b": [2], "a": [1]}),
    pd.DataFrame([[1, 2]], columns=["a", "a"]),
    pd.DataFrame(index=range(2)),
    pd.DataFrame(index=range(3)),
    pd.DataFrame({"a": [1, 2]}).set_index("a"),
    pd.DataFrame({"a": [1], "b": [1], "c": [1]}).set_index(["a", "b"]),
    pl.Series("a", [1, 2]),
    pl.Series("a", [1, 2], dtype=pl.Int8),
    pl.DataFrame({"a": [1, 2]}),
    pl.DataFrame({"a": [1, None]}),
]


def test_every_frame_is_another_output_and_the_same_when_made_again() -> None:
    outputs = [frozen(plain(one)) for one in FRAMES]
    assert outputs == [frozen(plain(pickle.loads(pickle.dumps(one)))) for one in FRAMES]
    assert len(set(outputs)) == len(set(map(repr, outputs))) == len(FRAMES)


@pytest.mark.parametrize("value", [1, "a", [1], {"a": 1}, np.array([1]), pd.Timestamp(0)])
def test_other_values_are_no_frames(value: Any) -> None:
    assert frame_parts(value, opening=Opening()) is None
