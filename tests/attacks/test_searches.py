"""A score in floats never chooses alone what is certified: near-ties are, or are counted."""

import json
from pathlib import Path

import pytest

import dpaudit
from dpaudit.questions.hunt import run as hunting
from dpaudit.questions.hunt.global_search import Search

TIED = """
from fractions import Fraction

from dpaudit.mechanisms.user import finite_mechanism


def tied(i: int, excess: str = "1e-15"):
    keep = Fraction(3, 4) + (Fraction(excess) if i == 37 else 0)

    @finite_mechanism(datasets=[0, 1], budget="ln(3)", neighbours="all")
    def response(bit):
        return {bit: keep, 1 - bit: 1 - keep}

    return response
"""


@pytest.fixture
def tied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tied.py").write_text(TIED)
    return "tied.py:tied"


@pytest.mark.parametrize("excess", ["1e-15", "1e-40"])
def test_one_of_fifty_that_tie_exceeds(tied: str, excess: str) -> None:
    found = dpaudit.hunt(tied, {"i": "1..50..1"}, n=1, excess=excess)
    assert found.finding == "exceeds"
    assert found.worst is not None
    assert found.worst.parameters == {"i": 37}
    document = json.loads(found.to_json())
    assert (document["certified"], document["uncertified"]) == (50, 0)


def test_ties_that_all_keep_the_budget_exactly_are_no_doubt(tied: str) -> None:
    found = dpaudit.hunt(tied, {"i": "1..20..1"}, n=1)
    assert found.finding == "none-found"
    assert found.result.certified == 20


@pytest.mark.parametrize("known", [True, False])
def test_what_is_not_certified_is_said(
    tied: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time for a few audits alone: what is left open is counted, and is no pass."""
    monkeypatch.setattr(Search, "late", lambda self: self.limits.seconds < 60)
    monkeypatch.setattr(Search, "_check_limits", lambda self: None)
    if not known:
        monkeypatch.setattr("dpaudit.questions.hunt.score._keeps", lambda largest, budget: None)
    found = dpaudit.hunt(tied, {"i": "1..30..1"}, n=1, time_cap=59)
    left = 30 - hunting._CERTIFIED_AT_MOST
    assert (found.result.certified, found.result.uncertified) == (30 - left, left)
    assert found.finding == ("none-found" if known else "undecided")
    assert f"not certified: {left} points" in str(found)


def test_a_continuum_is_searched_as_before() -> None:
    found = dpaudit.hunt("EHD", {"prior": "1/20..1", "n": "2..12"}, eps="0.8", evaluations=60)
    assert found.finding == "exceeds"
    assert found.result.certified <= hunting._CERTIFIED_AT_MOST
