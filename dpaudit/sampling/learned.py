"""Learned scores: logistic regressions on intervals of features, by scikit-learn.

Each feature of an output is cut into intervals at quantiles of what was drawn, with intervals of
their own for values that are drawn often, and the regression gives each interval a weight: what it
adds to ln(P/Q), were the features independent.  Where the entries of an output look alike, all of
them may share one set of weights, which fewer draws tell.

What was learned is a table of numbers, rounded to multiples of 2⁻²⁰, and needs no scikit-learn to
be evaluated.  Events are its level sets; the draws that chose them are not those it was learned on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import MissingExtraError
from dpaudit.sampling.events import LEVELS, HalfLine
from dpaudit.sampling.features import Feature, Part, features_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.batches import Batch

    Floats = NDArray[np.float64]

__all__ = ["learned_events", "library"]

_BINS = 12
_ATOM = 0.02
"""A value that so large a part of the draws has gets an interval of its own."""
_STRENGTHS = (0.003, 0.3)
"""Inverse strengths of regularisation C, for faint differences and for strong ones."""
_MOST_FEATURES = 128
_MOST_CELLS = 1 << 22
"""So many features of outputs are learned from, all together: they take 100 MB."""
_LEAST = 20
_GRID = 2.0**20
_MOST_ROUNDS = 60


def library() -> str:
    """Return the library that learns, with its version.

    Raises ``MissingExtraError`` where it is not installed.
    """
    try:
        import sklearn
    except ModuleNotFoundError:
        raise MissingExtraError("scikit-learn", "learn") from None
    return f"scikit-learn {sklearn.__version__}"


def learned_events(first: Batch, second: Batch) -> Iterator[HalfLine]:
    """Yield level sets of scores that were learned to tell the first side from the second."""
    for score in _scores(first, second):
        both = np.concatenate([score(first), score(second)])
        for bound in np.unique(np.quantile(both, LEVELS, method="inverted_cdf")):
            yield HalfLine(score, float(bound), True, first.scalar)
            yield HalfLine(score, float(bound), False, first.scalar)


def _scores(first: Batch, second: Batch) -> Iterator[Feature]:
    if min(len(first), len(second)) < _LEAST or not np.isfinite(first.numbers).any():
        return
    entries = first.numbers.shape[1]
    listed = features_of(first)
    steps = [Feature("step", index) for index in range(entries - 1)]
    groups: list[Sequence[Feature]] = [[*listed, *steps][:_MOST_FEATURES]]
    shared: list[Sequence[Feature]] = []
    if entries > 1:
        entry = [Feature("coordinate", index) for index in range(entries)]
        shared = [entry[:_MOST_FEATURES], [entry[0], *steps][:_MOST_FEATURES]]
    for tied, group in [(False, features) for features in groups] + [
        (True, features) for features in shared
    ]:
        yield from _learned(first, second, group, tied=tied)


def _learned(
    first: Batch, second: Batch, group: Sequence[Feature], *, tied: bool
) -> Iterator[Feature]:
    """Yield the scores of a group of features, which share their weights where they are tied."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    most = _MOST_CELLS // (2 * len(group))
    first, second = first.part(0, most), second.part(0, most)
    values = [np.concatenate([feature(first), feature(second)]) for feature in group]
    pooled = [np.concatenate(values)] * len(values) if tied else values
    every = [_edges(column) for column in (pooled[:1] if tied else pooled)] * (
        len(group) if tied else 1
    )
    rows = len(values[0])
    columns, offset = [], 0
    for column, edges in zip(values, every, strict=True):
        places = np.searchsorted(edges, column, "right")
        # The last interval is that of values that are no numbers.
        places[np.isnan(column)] = len(edges) + 1
        columns.append(places + offset)
        offset += 0 if tied else len(edges) + 2
    width = len(every[0]) + 2 if tied else offset
    starts = np.arange(rows + 1) * len(group)
    places = np.stack(columns, axis=1).ravel()
    design = csr_array((np.ones(len(places)), places, starts), shape=(rows, width))
    # Where weights are tied, an output may have a column several times.
    design.sum_duplicates()
    sides = np.repeat([1, 0], [len(first), len(second)])
    for strength in _STRENGTHS:
        model: Any = LogisticRegression(C=strength, max_iter=_MOST_ROUNDS)
        # Rounded, so that sums are exact and the text of a weight reads back the same.
        weights = np.round(_fitted(model, design, sides) * _GRID) / _GRID
        parts, at = [], 0
        for feature, edges in zip(group, every, strict=True):
            own = weights[at : at + len(edges) + 2]
            at += 0 if tied else len(edges) + 2
            if own.any():
                parts.append(Part(feature, tuple(map(float, edges)), tuple(map(float, own))))
        if parts:
            yield Feature("learned", parts=tuple(parts))


def _fitted(model: Any, design: Any, sides: NDArray[np.int64]) -> Floats:
    """Return the weights; that a search for them ends early makes no event wrong."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights: Floats = model.fit(design, sides).coef_[0]
    return weights


def _edges(values: Floats) -> Floats:
    """Return where intervals end: at quantiles, and around values that are drawn often."""
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([])
    inner = np.linspace(0, 1, _BINS + 1)[1:-1]
    edges = np.quantile(values, inner, method="inverted_cdf")
    distinct, counts = np.unique(values, return_counts=True)
    often = distinct[counts >= _ATOM * len(values)]
    if len(often) < len(distinct):
        edges = np.concatenate([edges, often, np.nextafter(often, np.inf)])
    else:
        edges = often
    return np.unique(edges)
