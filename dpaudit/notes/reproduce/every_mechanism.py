"""The realised ε of the four exponential mechanisms, by data size and by number of categories.

The notes draw it for M_H at some sizes (N Fig. 11).  An author who chooses between the mechanisms
wants all of them in one picture, and the small ones enlarged: EHDS bends near n = 16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.notes.reproduce.findings import Item, Table
from dpaudit.notes.reproduce.readings import build
from dpaudit.numbers.real import ZERO, real
from dpaudit.report.figures.side_by_side import Lines, LineSeries
from dpaudit.results import Budget, SizeResult

__all__ = ["realised_by_categories", "realised_by_size"]

_EPSILON = "4/5"
_NAMES = ("EHD", "EHDL", "EHDS", "MH")
_ENLARGED = ("EHD", "EHDS")
_LEVEL = (float(real(_EPSILON)), "nominal ε = 0.8")
_FACTS = ("nominal ε = 0.8", "M_H: δ = 0.0005", "flat prior", "every pair of neighbouring data")
_HEADER = (*("mechanism", "categories", "n", "epsilon_lower", "epsilon_upper"), *("x", "y"))

Sizes = Mapping[str, Sequence[SizeResult]]
"""Results of each mechanism, by its name."""


def realised_by_size(sizes: Sequence[int] = range(10, 181)) -> Item:
    """Return the realised ε over two categories at each data size, as an item for a page."""
    results = {name: _results(name, 2, sizes) for name in _NAMES}
    small = {name: [one for one in results[name] if one.n <= 60] for name in _ENLARGED}
    return Item(
        "realised-by-size",
        f"Realised ε of four mechanisms for n = {min(sizes)} to {max(sizes)}",
        "not in the notes; N Fig. 11 has M_H alone",
        (),
        Table(_HEADER, tuple(_row(2, name, one) for name in _NAMES for one in results[name])),
        (
            Lines("all four", "records n", "realised ε", _by_size(results), level=_LEVEL),
            Lines(
                "enlarged: EHD and EHDS up to n = 60", "records n", "realised ε", _by_size(small)
            ),
        ),
        drawn=_FACTS,
    )


def realised_by_categories(categories: Sequence[int] = (2, 3, 4, 5), n: int = 20) -> Item:
    """Return the realised ε at one data size over each number of categories."""
    results = {name: {k: _results(name, k, (n,)) for k in categories} for name in _NAMES}
    rows = [_row(k, name, one) for name in _NAMES for k in categories for one in results[name][k]]
    series = tuple(
        LineSeries(
            name,
            tuple(float(k) for k in categories for _ in by_k[k]),
            tuple(one.epsilon for k in categories for one in by_k[k]),
        )
        for name, by_k in results.items()
    )
    return Item(
        "realised-by-categories",
        f"Realised ε of four mechanisms over {min(categories)} to {max(categories)} categories",
        "not in the notes",
        (),
        Table(_HEADER, tuple(rows)),
        (Lines(f"n = {n}", "categories k", "realised ε", series, level=_LEVEL),),
        drawn=(f"n = {n}", *_FACTS),
    )


def _results(name: str, categories: int, sizes: Sequence[int]) -> list[SizeResult]:
    """Return what was certified at each size; sizes that were not enclosed are left out."""
    settings = {"delta": "1/2000"} if name == "MH" else {}
    mechanism = build(name, epsilon=_EPSILON, prior=(1,) * categories, **settings)
    plan = Plan(Budget(real(_EPSILON), ZERO), digits=12)
    found = sweep(EpsilonDelta(), mechanism, tuple(sizes), plan)
    return [result for result in found if isinstance(result, SizeResult)]


def _by_size(results: Sizes) -> tuple[LineSeries, ...]:
    return tuple(
        LineSeries(name, tuple(float(one.n) for one in kept), tuple(one.epsilon for one in kept))
        for name, kept in results.items()
    )


def _row(categories: int, name: str, result: SizeResult) -> tuple[str, ...]:
    witness = result.witness
    pair = (str(witness.x), str(witness.y))
    return (name, str(categories), str(result.n), *result.epsilon.texts(), *pair)
