"""Hostile reports about laws of users: outputs are what Python says they are, not their texts."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check
from dpaudit.api.rechecks import own_mechanisms
from dpaudit.recheck.findings import VerificationDocument
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

LAWS = '''
import enum
from fractions import Fraction

import numpy as np


class Base:
    budget, datasets, neighbours = "2", [0, 1], "all"


class Alike(Base):
    """Two outputs with one text."""

    normalised = False

    def law(self, bit):
        return {1.5: 5 if bit else 1, "1.5": 1}


class AlikeInside(Base):
    normalised = False

    def law(self, bit):
        return {(1, Fraction(1, 2)): 7 if bit else 1, (1, "1/2"): 1, "x": 1}


class Whole(Base):
    """0 and NumPy's 0 are one output."""

    def law(self, bit):
        return {np.int64(0): "3/4", 1: "1/4"} if bit else {0: "1/4", 1: "3/4"}


class Unanswered(Base):
    """None is a dataset as well."""

    datasets = [None, 1]

    def law(self, answer):
        return {0: "3/4", 1: "1/4"} if answer is None else {0: "1/4", 1: "3/4"}


class Large(Base):
    def law(self, bit):
        return {2**70: "3/4", 1: "1/4"} if bit else {2**70: "1/4", 1: "3/4"}


class Floats(Base):
    def law(self, bit):
        here = {0: np.float64(0.3), 1: np.float64(0.7)}
        return here if bit else {0: np.float64(0.7), 1: np.float64(0.3)}


class Surrogates(Base):
    datasets = ["a\\u202eb", "z\\ud800"]

    def law(self, text):
        other = self.datasets[text == self.datasets[0]]
        return {text: "3/4", other: "1/4"}


class Answer(enum.Enum):
    NO = "no"
    YES = "yes"


class Members(Base):
    def law(self, bit):
        sets = [frozenset({"b", "a", "c"}), frozenset()]
        return {sets[bit]: "1/2", sets[1 - bit]: "1/4", Answer.NO: "1/4"}


class Nothing(Base):
    """A weight that is 0, though no rational number says so."""

    def law(self, bit):
        return {0: "1/2", 1: "1/2", 2: "sqrt(2)*sqrt(3) - sqrt(6)"}


class Little(Base):
    """A loss of 2e-18."""

    budget = "1e-15"

    def law(self, bit):
        e = Fraction(1, 10**18)
        return {0: Fraction(1, 2) + (e if bit else 0), 1: Fraction(1, 2) - (e if bit else 0)}
'''
NAMES = [
    *("Alike", "AlikeInside", "Whole", "Large", "Floats", "Surrogates", "Members", "Nothing"),
    "Little",
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laws.py").write_text(LAWS)


def held(text: str, name: str) -> VerificationDocument:
    Path("report.json").write_text(text)
    return verify(Path("report.json"), own_mechanisms([f"laws.py:{name}"]), all_pairs=True)


@pytest.mark.parametrize("name", NAMES)
def test_2_a_true_report_of_any_outputs_is_accepted(name: str) -> None:
    found = held(check(f"laws.py:{name}").to_json(), name)
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)


def test_2_outputs_of_one_text_do_not_hide_each_other() -> None:
    report: Document = json.loads(check("laws.py:Alike", budget="1/10").to_json())
    assert report["verdict"] == "exceeds"
    # What is left where the second output overwrites the first: nothing at all.
    nothing = {"lower": "0", "upper": "0", "exact": "0"}
    size = report["results"][0]
    size |= {"outputs": 1, "epsilon": nothing, "verdict": "within"}
    size["delta"] |= nothing
    size["witness"]["loss"] = nothing
    for pair in ((0, 1), (1, 0)):
        size["witness"] |= dict(zip("xy", pair, strict=True))
        report["verdict"] = "within"
        found = held(json.dumps({**report, "sha256": seal_of(report)}), "Alike")
        assert found.verdict == "rejected"


@pytest.mark.parametrize("budget", ["1/2", "2"])
def test_a_dataset_that_is_none_is_looked_at(budget: str) -> None:
    report: Document = json.loads(check("laws.py:Unanswered", budget=budget).to_json())
    assert report["results"][0]["witness"]["x"] is None
    found = held(json.dumps(report, ensure_ascii=False), "Unanswered")
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)
    size = report["results"][0]
    for loss in (size["epsilon"], size["witness"]["loss"]):  # it is ln(3)
        loss.pop("exact")
        loss |= {"lower": "0.75", "upper": "0.75"}
    Path("report.json").write_text(json.dumps({**report, "sha256": seal_of(report)}))
    assert verify(Path("report.json"), own_mechanisms(["laws.py:Unanswered"])).verdict == "rejected"
