"""``dpaudit verify`` on the classics: true reports are accepted, over all pairs, and no others."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, curve, mechanism
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.classics.base import UnitParameter
from dpaudit.mechanisms.parameters import (
    ChoiceParameter,
    PositiveParameter,
    ProbabilityParameter,
)
from dpaudit.mechanisms.registry import NOTES_GROUP, mechanism_groups
from dpaudit.recheck.registry import DEFAULTS, definition_of
from dpaudit.recheck.selection import DENSITY
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

CHANCES = (ProbabilityParameter, UnitParameter)
ONE, SMALL, MANY = ("1",), ("1", "4"), ("2", "3")
SELECTIONS: list[Document] = [
    {},
    {"epsilon": "ln(3)", "sensitivity": "1/2"},
    {"epsilon": "1/10", "low": "0", "high": "3"},
]
SPARSE: list[Document] = [
    {},
    {"threshold": "1/2", "epsilon": "2"},
    {"threshold": "3", "low": "0", "high": "1", "sensitivity": "3"},
]
CUT_OFF: list[Document] = [
    *SPARSE,
    {"c": "2", "low": "0"},
    {"c": "3", "threshold": "-1/3", "low": "0"},
]
COUNTS = ("histogram-substitution", "histogram-add-remove")
QUERIES = ("unit-moves", "patterns")
ONE_SIGN = (*QUERIES, "unit-moves-one-sign")

Choices = tuple[list[Document], tuple[str, ...], tuple[str | None, ...]]
PICKED: dict[str, Choices] = {
    "RR": (
        [
            {},
            {"epsilon": "ln(3)", "base": "2"},
            {"base": "mixed"},
            {"truth": "0.7", "coin": "left"},
            {"coin": "left"},
            {"truth": "1/5"},
        ],
        ONE,
        (None,),
    ),
    "kRR": ([{}, {"k": "7", "truth": "1/2"}, {"k": "2", "base": "2"}, {"k": "40"}], ONE, (None,)),
    "OLH": ([{}, {"epsilon": "ln(5/2)"}, {"k": "9", "g": "4"}, {"epsilon": "15"}], ONE, (None,)),
    "BLH": ([{}, {"k": "2"}, {"k": "40", "epsilon": "sqrt(2)"}], ONE, (None,)),
    "SUE": ([{}, {"p": "0.7"}, {"coin": "left"}, {"coin": "left", "p": "3/4"}], ONE, (None,)),
    "OUE": ([{}, {"p": "0.7", "k": "3"}, {"q": "1/3"}, {"epsilon": "sqrt(2)"}], ONE, (None,)),
    "RAPPOR": (
        [
            {},
            {"inputs": "all", "bits": "5"},
            {"reports": "3"},
            {"p": "0", "q": "1", "reports": "2"},
            {"hashes": "16", "bits": "64", "f": "1/3"},
            {"epsilon": "1", "reports": "2"},
        ],
        ONE,
        (None,),
    ),
    "PermanentRAPPOR": (
        [
            {},
            {"coin": "left", "bits": "5"},
            {"inputs": "all", "bits": "5"},
            {"hashes": "3", "bits": "9", "f": "exp(-1)"},
            {"hashes": "1", "bits": "40", "inputs": "all", "epsilon": "sqrt(2)"},
        ],
        ONE,
        (None,),
    ),
    "Geometric": ([{}, {"base": "2"}, {"base": "mixed", "epsilon": "ln(3)"}], SMALL, COUNTS),
    "TruncatedGeometric": (
        [{}, {"truncation": "redrawn"}, {"base": "2", "epsilon": "1/7"}],
        SMALL,
        COUNTS,
    ),
    "DiscreteLaplace": ([{}, {"scale": "7/3"}, {"scale": "sqrt(5)"}], SMALL, COUNTS),
    "NoisyHistogram": (
        [{}, {"cells": "3"}, {"neighbours": "histogram-substitution"}, {"noise": "inverted"}],
        SMALL,
        COUNTS,
    ),
    "RoundedLaplace": (
        [
            {},
            {"rounding": "nearest"},
            {"range": "clamped"},
            {"rounding": "nearest", "range": "clamped", "noise": "inverted"},
        ],
        SMALL,
        COUNTS,
    ),
    "DiscreteGaussian": (
        [{}, {"sigma": "1/3"}, {"sigma": "sqrt(50)", "delta": "1/10"}],
        SMALL,
        COUNTS,
    ),
    "Gaussian": ([{}, {"sigma": "3"}], ONE, (None,)),
    "Laplace": ([{}, {"scale": "7/3"}], ONE, (None,)),
    "ExponentialMechanism": (SELECTIONS, MANY, QUERIES),
    "PermuteAndFlip": (SELECTIONS, MANY, QUERIES),
    "RNMLaplace": (SELECTIONS, MANY, ONE_SIGN),
    "RNMExponential": (SELECTIONS, MANY, QUERIES),
    "RNMGumbel": (SELECTIONS, MANY, QUERIES),
    "RNMLaplaceValue": (SELECTIONS, MANY, QUERIES),
    "AboveThreshold": (SPARSE, MANY, QUERIES),
    "SVT1": (CUT_OFF, MANY, ONE_SIGN),
    "SVT2": (CUT_OFF, MANY, QUERIES),
    "SVT3": (CUT_OFF, MANY, QUERIES),
    "SVT4": (CUT_OFF, MANY, QUERIES),
    "SVT5": (SPARSE, MANY, QUERIES),
    "SVT6": (SPARSE, MANY, QUERIES),
}
"""Name → parameters, sizes, relations, where they were chosen."""
CLASSICS = {
    name: cls
    for group, classes in mechanism_groups().items()
    if group != NOTES_GROUP
    for name, cls in classes.items()
}


def every_choice(cls: type[Mechanism[Any]]) -> Choices:
    """The defaults, and each reading that a parameter has, at the small sizes."""
    others: list[Document] = [
        {parameter.name: reading}
        for parameter in cls.parameters
        if isinstance(parameter, ChoiceParameter)
        for reading, _ in parameter.choices
        if reading != parameter.default
    ]
    return [{}, *others], tuple(map(str, cls.small_sizes)), (None,)


SETTINGS = {name: PICKED.get(name) or every_choice(cls) for name, cls in CLASSICS.items()}
BOUNDED = [
    name for name, shown in DEFAULTS.items() if definition_of({"name": name, **shown}).density_bound
]
CONTINUOUS = mechanism_groups()["counts with continuous noise"]
"""Those whose curve is not drawn."""
CASES = [
    (name, parameters, n, relation)
    for name, (choices, sizes, relations) in SETTINGS.items()
    for parameters in choices
    for n in sizes
    for relation in relations
]


def report(name: str, parameters: Document, n: str, relation: str | None, **asked: Any) -> str:
    return check(mechanism(name, **parameters), n=n, adjacency=relation, **asked).to_json()


def recheck(folder: Path, text: str, **options: Any) -> Any:
    path = folder / "report.json"
    path.write_text(text)
    return verify(path, **options)


def sealed(document: Document) -> str:
    return json.dumps({**document, "sha256": seal_of(document)}, ensure_ascii=False)


@pytest.mark.parametrize(("name", "parameters", "n", "relation"), CASES)
def test_true_reports_are_accepted_in_full(
    name: str, parameters: Document, n: str, relation: str | None, tmp_path: Path
) -> None:
    text = report(name, parameters, n, relation, at_eps=["0", "0.1", "1"])
    found = recheck(tmp_path, text, all_pairs=True)
    assert not found.disagreements
    assert found.verdict == "accepted", found.unconfirmed
    assert found.rechecked.get("bounds on densities", 0) == (name in BOUNDED)


@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize("name", BOUNDED)
def test_ends_that_a_bound_does_not_confirm_are_not_accepted(
    name: str, all_pairs: bool, tmp_path: Path
) -> None:
    document = json.loads(report(name, {"low": "0"}, "1", None, at_eps=["1/4"]))
    point = first(document)["curve"][0]
    assert "exact" not in point
    assert recheck(tmp_path, sealed(document), all_pairs=all_pairs).verdict == "accepted"
    between = {end: float(point[end]) for end in ("lower", "upper")}
    middle = f"{sum(between.values()) / 2:.6f}"
    for end in between if all_pairs else ["lower"]:  # densities may give anything between
        changed = copy.deepcopy(document)
        first(changed)["curve"][0][end] = middle
        found = recheck(tmp_path, sealed(changed), all_pairs=all_pairs)
        assert found.verdict != "accepted", end
        if not found.disagreements:
            assert DENSITY in {entry.message for entry in found.unconfirmed}


@pytest.mark.parametrize("name", sorted(set(SETTINGS) - {*BOUNDED, *CONTINUOUS}))
def test_curves_are_accepted(name: str, tmp_path: Path) -> None:
    choices, sizes, relations = SETTINGS[name]
    for parameters in choices[:3]:
        made = mechanism(name, **parameters)
        text = curve(made, n=sizes[-1], adjacency=relations[-1], at_eps=["0.1"]).to_json()
        assert recheck(tmp_path, text).verdict == "accepted"


# -- changes that are sealed anew ------------------------------------------------------------------


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def another_digit(text: str) -> str:
    """The decimal with one of its last digits changed."""
    digits = [match.start() for match in re.finditer(r"\d", text.partition("E")[0])]
    place = digits[-5] if len(digits) > 8 else digits[-1]
    return f"{text[:place]}{(int(text[place]) + 5) % 10}{text[place + 1 :]}"


def changed_digit(document: Document) -> None:
    for interval in (first(document)["epsilon"], first(document)["witness"]["loss"]):
        if interval["lower"] == "inf":
            interval["lower"] = interval["upper"] = "3.5"
        else:
            interval["lower"] = another_digit(interval["lower"])
            interval["upper"] = another_digit(interval["upper"])
        interval.pop("exact", None)


def changed_delta(document: Document) -> None:
    point = first(document)["curve"][0]
    point["lower"], point["upper"] = map(another_digit, (point["lower"], point["upper"]))
    point.pop("exact", None)


def swapped_witness(document: Document) -> None:
    witness = first(document)["witness"]
    witness["x"], witness["y"] = witness["y"], witness["x"]


def no_witness(document: Document) -> None:
    first(document)["witness"]["y"] = first(document)["witness"]["x"]


def missing_pair(document: Document) -> None:
    first(document)["pairs"] -= 1
    first(document)["pairs_covered"] -= 1


def uncovered_pair(document: Document) -> None:
    first(document)["pairs_covered"] -= 1


def missing_dataset(document: Document) -> None:
    first(document)["datasets"] -= 1


def raised_budget(document: Document) -> None:
    document["budget"]["epsilon"] = "9"
    first(document)["delta"]["epsilon"] = "9"
    document["stated"]["epsilon"] = "9"
    first(document)["verdict"] = document["verdict"] = "within"


def other_verdict(document: Document) -> None:
    verdict = {"within": "exceeds"}.get(document["verdict"], "within")
    first(document)["verdict"] = document["verdict"] = verdict


def other_relation(document: Document) -> None:
    others = {
        "histogram-substitution": "histogram-add-remove",
        "histogram-add-remove": "histogram-substitution",
    }
    others |= {"unit-moves": "unit-moves-one-sign"}
    document["adjacency"] = others.get(document["adjacency"], "one-entry")


def other_epsilon(document: Document) -> None:
    parameters = document["mechanism"]
    kinds = {one.name: type(one) for one in CLASSICS[parameters["name"]].parameters}
    name = next(one for one, kind in kinds.items() if kind in (PositiveParameter, *CHANCES))
    parameters[name] = "17/19"


CHANGES: list[Callable[[Document], None]] = [
    changed_digit,
    changed_delta,
    swapped_witness,
    no_witness,
    missing_pair,
    uncovered_pair,
    missing_dataset,
    raised_budget,
    other_verdict,
    other_relation,
    other_epsilon,
]


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_changed_is_noticed(name: str, tmp_path: Path) -> None:
    n = SETTINGS[name][1][-1]
    document = json.loads(report(name, {}, n, None, at_eps=["1/10"]))
    for change in CHANGES:
        if name in BOUNDED and change in (changed_delta,):
            continue  # the lower end alone can be computed again
        changed = copy.deepcopy(document)
        change(changed)
        assert changed != document
        assert recheck(tmp_path, sealed(changed)).verdict == "rejected", change.__name__
