"""Mechanisms of one user: ``--at`` is a value, and there is no size to choose."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.api.plans import mechanism
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.classics.base import LocalMechanism
from dpaudit.mechanisms.classics.local_hashing import LocalHashing
from dpaudit.mechanisms.registry import mechanism_names
from tests.recheck.sealing import verdict

LOCAL = [name for name in mechanism_names() if isinstance(mechanism(name), LocalMechanism)]
"""Mechanisms that each user applies to the own value."""


def written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def test_there_are_such_mechanisms() -> None:
    assert {"kRR", "RR", "SUE", "SubsetSelection", "PermanentRAPPOR"} <= set(LOCAL)


@pytest.mark.parametrize("name", LOCAL)
def test_at_restricts_pairs_to_a_value(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every mechanism takes each form of its own values, and its report is confirmed."""
    subject = mechanism(name)
    assert isinstance(subject, LocalMechanism)
    values = list(subject.values_of_a_user)
    at = written(values[-1])
    assert invoke(["check", name, "--at", at, "--format", "json"]) in (0, 1)
    report = json.loads(capfd.readouterr().out)
    assert report["at"] == at
    assert report["results"][0]["pairs"] == len(values) - 1
    assert verdict(tmp_path, report, sealed=False) == "accepted"


@pytest.mark.parametrize("at", ["99", "5,5", "-1"])
@pytest.mark.parametrize("name", LOCAL)
def test_a_value_that_is_none_is_refused_with_an_example_that_works(
    name: str, at: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["check", name, "--at", at]) == 2
    said = capfd.readouterr().err
    assert "count" not in said
    example = re.search(r"--at (\S+)\)", said)
    assert example, said
    assert invoke(["check", name, "--at", example[1]]) in (0, 1)


@pytest.mark.quick
@pytest.mark.parametrize("at", [3, "3", [3], (3,)])
def test_functions_take_a_value_in_any_form(at: Any) -> None:
    found = dpaudit.check("kRR", 1, at=at)
    assert found.results[0].pairs == 3


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("at", ["3", "1,2", "uniform"])
def test_accuracy_says_that_there_are_no_counts(
    name: str, at: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["accuracy", name, "--at", at]) == 2
    assert f"{name} randomises the value of one user" in capfd.readouterr().err
    with pytest.raises(ParameterError, match="error of released counts"):
        dpaudit.compare_accuracy(name, [1, 2])


@pytest.mark.parametrize("name", ["OLH", "BLH"])
@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_a_witness_of_local_hashing_separates_the_pair(name: str, k: int) -> None:
    subject = mechanism(name, k=k, epsilon=1)
    assert isinstance(subject, LocalHashing)
    for x, y in [(0, 1), (1, 0), (k - 1, 0), (k // 2, k - 1)]:
        if x != y:
            kinds = subject.kinds(x, y)
            assert sum(count for count, _ in kinds.values()) == subject.law(x).output_count()
            for (at_x, at_y), (_, example) in kinds.items():
                assert subject.is_output(example)
                assert (subject.supports(example, x), subject.supports(example, y)) == (at_x, at_y)


@pytest.mark.parametrize("name", ["OLH", "BLH"])
@pytest.mark.parametrize("output", [(0, 0, 0), (1, 5, 0), (1, 0, 9), (1, 0), 3, (True, 0, 0)])
def test_what_local_hashing_cannot_show_has_probability_0(name: str, output: Any) -> None:
    subject = mechanism(name)
    assert isinstance(subject, LocalHashing)
    assert str(subject.law(0).probability(output).exact) == "0"


@pytest.mark.parametrize("name", LOCAL)
def test_a_hunt_needs_no_size(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["hunt", name, "--over", "eps=1..2", "--evaluations", "5", "--time-cap", "20"]
    assert invoke(words) in (0, 1, 3)
    assert "n = 1" in capfd.readouterr().out


@pytest.mark.parametrize("words", ["--over eps=1..2 --k 1000", "--over k=2,1000"])
def test_a_hunt_takes_as_many_values_as_the_mechanism(
    words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["hunt", "kRR", *words.split(), "--evaluations", "5"]) == 0
    assert "n = 1" in capfd.readouterr().out


def test_a_hunt_names_the_largest_number_of_values(capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["hunt", "kRR", "--over", "k=2..1001"]) == 2
    assert "from 2 to 1000" in capfd.readouterr().err
