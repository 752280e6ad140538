"""Functions that give out series and frames, as analysts write them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

generator = np.random.default_rng()


def sizes(frame: Any) -> Any:
    counts = frame.groupby("k").size()
    return counts + generator.laplace(size=len(counts))


def counted(frame: Any) -> Any:
    counts = frame["k"].value_counts()
    return counts + np.random.laplace(size=len(counts))


def clipped(frame: Any) -> Any:
    return sizes(frame).clip(0, 10)


def clipped_before(frame: Any) -> Any:
    counts = frame.groupby("k").size().clip(0, 1)
    return counts + generator.laplace(size=len(counts))


def rounded(frame: Any) -> Any:
    return sizes(frame).round()


def converted(frame: Any) -> Any:
    return sizes(frame).round().astype(int)


def converted_and_clipped(frame: Any) -> Any:
    return converted(frame).clip(lower=0)


def clipped_and_converted(frame: Any) -> Any:
    return sizes(frame).round().clip(lower=0).astype(int)


def as_a_column(frame: Any) -> Any:
    counts = frame.groupby("k").size().rename("n").reset_index()
    return counts.assign(n=counts["n"] + generator.laplace(size=len(counts)))


def as_a_mapping(frame: Any) -> Any:
    return sizes(frame).to_dict()


def applied(frame: Any) -> Any:
    return frame.groupby("k").size().apply(lambda c: c + generator.laplace())


def applied_whole(frame: Any) -> Any:
    return frame.groupby("k").size().apply(lambda c: max(0, round(c + generator.laplace())))


def in_polars(frame: Any) -> Any:
    counts = pl.from_pandas(frame).group_by("k").len().sort("k")
    return counts.with_columns(
        pl.Series("len", counts["len"].to_numpy() + generator.laplace(size=2))
    )


def above_one(frame: Any) -> Any:
    noisy = sizes(frame)
    return noisy[noisy > 1]


def respond(frame: Any) -> Any:
    return frame["k"].map(lambda bit: bit if random.random() < 0.75 else 1 - bit)


def largest(frame: Any) -> Any:
    counts = frame.groupby("k").size()
    return (counts + np.random.laplace(scale=2, size=len(counts))).idxmax()


def column_sums(frame: Any) -> Any:
    return frame[["age", "k"]].sum() + generator.laplace(0, 40, size=2)


# Outputs that differ in types, names or order alone


def of_another_type(frame: Any) -> Any:
    return frame["k"].astype("int64" if frame["age"][2] == 40 else "int32")


def of_objects(frame: Any) -> Any:
    return frame["k"].astype(float).astype(float if frame["age"][2] == 40 else object)


def of_another_name(frame: Any) -> Any:
    return pd.Series([0, 1], name="a" if frame["age"][2] == 40 else "b")


def of_another_order(frame: Any) -> Any:
    return pd.DataFrame({"a": [0], "b": [1]})[["a", "b"] if frame["age"][2] == 40 else ["b", "a"]]


def of_another_index(frame: Any) -> Any:
    return pd.Series([0, 1], index=[0, 1] if frame["age"][2] == 40 else [0, 2])


def of_another_library(frame: Any) -> Any:
    return (pd if frame["age"][2] == 40 else pl).Series("a", [0, 1])


def a_mapping_for_a_series(frame: Any) -> Any:
    return pd.Series([0, 1]) if frame["age"][2] == 40 else [0, 1]


def of_other_categories(frame: Any) -> Any:
    kinds = ["a", "b"] if frame["age"][2] == 40 else ["a", "b", "c"]
    return pd.Series(pd.Categorical(["a"], categories=kinds))


def alike_but_hidden(frame: Any) -> Any:
    """An object of draws at one dataset, which real runs show."""
    noisy = sizes(frame)
    return noisy if frame["age"][2] == 40 else noisy.astype(object)
