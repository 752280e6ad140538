"""Arrays and frames as datasets: functions are called with new ones of the same kind."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

import dpaudit
from dpaudit.errors import LawError
from dpaudit.mechanisms.listed_datasets import ListedDatasets
from dpaudit.mechanisms.user_laws import frozen, thawed

TYPES = arrays.scalar_dtypes()
SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)


@given(arrays.arrays(TYPES, SHAPES))
def test_an_array_comes_back_with_its_type_and_shape(array: Any) -> None:
    if array.dtype.kind in "mM" and not array.dtype.isnative:
        with pytest.raises(LawError, match="comes back with another dtype"):
            frozen(array)
        return
    held = pickle.loads(pickle.dumps(frozen(array)))
    assert hash(held) == hash(frozen(array.copy()))
    made = thawed(held)
    assert (made.dtype, made.shape) == (array.dtype, array.shape)
    assert made is not array
    np.testing.assert_array_equal(made, array)


FRAMES = [
    pd.DataFrame(
        {
            "a": [0, 1],
            "b": ["x", None],
            "c": [1.5, np.nan],
            "d": pd.to_datetime(["2020-01-01", None]),
            "e": pd.Categorical(["u", "v"]),
        },
        index=[5, 7],
    ),
    pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
    pd.DataFrame({"a": []}, dtype=float),
    pd.DataFrame(index=range(3)),
    pd.DataFrame([[1, 2]], columns=["a", "a"]),
    pd.Series([1, 2], name="q"),
    pd.Series([True, False], index=["x", "y"]),
    pl.DataFrame({"a": [1, None], "b": ["x", "y"]}),
    pl.DataFrame({"a": []}, schema={"a": pl.Int8}),
    pl.Series("z", [1.0, None]),
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_comes_back_with_its_types_and_names(frame: Any) -> None:
    held = pickle.loads(pickle.dumps(frozen(frame)))
    hash(held)
    made = thawed(held)
    assert type(made) is type(frame)
    match frame:
        case pd.DataFrame():
            pd.testing.assert_frame_equal(made, frame)
        case pd.Series():
            pd.testing.assert_series_equal(made, frame)
        case _:
            assert made.equals(frame)


def total(values: Any) -> float:
    values += 1  # of its own copy
    return float(values.sum()) + np.random.laplace(0, 1)


def total_of_a_column(frame: Any) -> float:
    return float(frame["a"].sum()) + np.random.laplace(0, 1)


def total_in_a_mapping(data: dict[str, Any]) -> float:
    return float(data["values"].mean()) + np.random.laplace(0, 1)


@pytest.mark.parametrize(
    ("function", "inputs", "neighbours"),
    [
        (total, [np.array([0, 0]), np.array([1, 0])], "one-entry"),
        (total, [pd.Series([0, 0]), pd.Series([1, 0])], "unit-moves"),
        (
            total_of_a_column,
            [pd.DataFrame({"a": [0, 1]}), pd.DataFrame({"a": [0, 2]})],
            "one-entry",
        ),
        (
            total_of_a_column,
            [pl.DataFrame({"a": [1, 0]}), pl.DataFrame({"a": [0]})],
            "sequence-add-remove",
        ),
        (total_in_a_mapping, [{"values": np.array([0.0])}, {"values": np.array([1.0])}], "one-key"),
    ],
)
def test_a_function_of_arrays_or_frames_is_audited_unchanged(
    function: Any, inputs: list[Any], neighbours: str
) -> None:
    found = dpaudit.check(function, inputs=inputs, neighbours=neighbours, budget=1)
    assert found.verdict == "within"
    assert found.epsilon.exact == dpaudit.real(1)


def read_only() -> Any:
    array = np.array([1, 2])
    array.flags.writeable = False
    return array


def with_attrs() -> Any:
    frame = pd.DataFrame({"a": [1]}, index=pd.Index([5], name="k"))
    frame.attrs["on"] = 1
    return frame


@pytest.mark.parametrize(
    ("make", "look"),
    [
        (lambda: np.asfortranarray([[1, 2], [3, 4]]), lambda a: a.flags.f_contiguous),
        (read_only, lambda a: not a.flags.writeable),
        (lambda: np.array([complex(1, np.nan)]), lambda a: a[0].real == 1),
        (lambda: np.array([[1]]).view(np.matrix), lambda a: type(a) is np.matrix),
        (lambda: np.ma.array([1, 2], mask=[True, False]), lambda a: a.sum() == 2),
        (lambda: np.array([1, 2], "g") / 3, lambda a: a[0] == np.longdouble(1) / 3),
        (lambda: np.uint8(1), lambda a: type(a) is np.uint8),
        (lambda: [np.float32(0.1)], lambda a: type(a[0]) is np.float32),
        (lambda: np.longdouble(1), lambda a: type(a) is np.longdouble),
        (with_attrs, lambda a: (a.attrs, a.index.name) == ({"on": 1}, "k")),
        (
            lambda: pd.Series(pd.arrays.FloatingArray(np.array([np.nan]), np.array([False]))),
            lambda a: not a.isna()[0],
        ),
        (
            lambda: pl.Series("a", [1001]).cast(pl.Datetime("ns")),
            lambda a: a.dt.nanosecond()[0] == 1001,
        ),
    ],
)
def test_a_function_is_called_with_what_was_given(make: Any, look: Any) -> None:
    """And again with the same, whatever it did to the first."""
    held = frozen(make())
    first = thawed(held)
    assert look(first)
    if isinstance(first, pd.DataFrame):
        first.index.name, first.attrs["on"] = "other", 2
    assert look(thawed(held))


@pytest.mark.parametrize("relation", ["one-entry", "sequence-add-remove", "histogram-add-remove"])
def test_pairs_of_arrays_are_those_of_tuples(relation: str) -> None:
    tuples = [(0,), (1,), (0, 0), (0, 1), (1, 1), (2, 0, 1)]
    arrays_ = [frozen(np.array(one)) for one in tuples]
    of_tuples = ListedDatasets(relation, lambda n: tuples)
    of_arrays = ListedDatasets(relation, lambda n: arrays_)
    found = [(tuple(x), tuple(y)) for x, y in of_arrays.pairs(1)]
    assert found == list(of_tuples.pairs(1))


def test_arrays_of_other_types_are_other_datasets() -> None:
    kinds = [np.array([0, 1]), np.array([0.0, 1.0]), np.array([False, True]), np.zeros((0, 2))]
    held = [frozen(one) for one in (*kinds, np.zeros((0, 3)), pd.Series([0, 1]))]
    assert len(set(held)) == len(held)
