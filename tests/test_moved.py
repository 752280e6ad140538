"""What users may have imported is there, or its import says where it is."""

import importlib

import pytest

from dpaudit.claims.claim import EvidenceResult, Outcome
from dpaudit.mechanisms.own import finite_mechanism
from dpaudit.moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_says_the_new_one(old: str) -> None:
    for name in (old, f"{old}.anything"):
        with pytest.raises(ModuleNotFoundError) as raised:
            importlib.import_module(name)
        assert str(raised.value) == f"{old} has moved; it is {MOVED[old]} now"
    for new in MOVED[old].split(" and "):
        importlib.import_module(new)


def test_what_is_not_there_is_still_not_there() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'dpaudit\.nothing'"):
        importlib.import_module("dpaudit.nothing")


def test_old_names_still_work() -> None:
    from dpaudit import finite_mechanism as now

    assert finite_mechanism is now
    assert Outcome is EvidenceResult
