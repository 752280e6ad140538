"""Every recorded command line still says what it said, and its document holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dpaudit.recheck.certified import BOUNDED
from tests.golden.compare import differences
from tests.golden.corpus import COMMANDS, Outcome, outcome, recorded, workplace
from tests.golden.verify import DOCUMENTS, rechecked

pytestmark = pytest.mark.wrong_on_purpose
"""No report is: each is rechecked below, with users' mechanisms too."""

_RECORDED = recorded()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with workplace() as place:
        yield place


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_line_says_what_it_said(command: str, folder: Path) -> None:
    found = outcome(command, folder)
    assert not differences(_RECORDED[command], found)
    if command in DOCUMENTS:
        verified = rechecked(found, folder)
        assert not verified.disagreements
        # Bounds of other batches than Poisson samples have one implementation, as verify says.
        assert [one for one in verified.unconfirmed if BOUNDED not in one.message] == []


def test_three_hundred_command_lines_are_recorded() -> None:
    assert len(COMMANDS) == len(set(COMMANDS)) >= 300
    assert set(_RECORDED) == set(COMMANDS)


def _outcome(stdout: object) -> Outcome:
    return Outcome("check", 0, stdout, "", [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"lower": "0.1", "upper": "0.2"}, {"lower": "0.21", "upper": "0.3"}),
        ({"lower": "0.1", "upper": "0.2"}, {"lower": "0.1", "upper": "0.31"}),
        ({"lower": "1", "upper": "1", "exact": "1"}, {"lower": "1", "upper": "1", "exact": None}),
        ({"verdict": "within"}, {"verdict": "exceeds"}),
        ({"n": 3}, {"n": 4}),
        ({"n": 3}, {"n": 3, "m": 4}),
        ([1, 2], [1]),
        ("ε 0.25448(1..3)", "ε 0.25448(4..5)"),
        ("10 pairs", "11 pairs"),
        ("within", "undecided"),
        ("0.5 exactly", "0.7 exactly"),
    ],
)
def test_a_change_is_seen(old: object, new: object) -> None:
    assert differences(_outcome(old), _outcome(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"lower": "0.1", "upper": "0.2"}, {"lower": "0.15", "upper": "0.21"}),
        ({"version": "0.1.0", "n": 3}, {"version": "0.2.0", "n": 3}),
        ("ε 0.25448(1..3)", "ε 0.25448(2..3)"),
        ("a  b\n────\n1.2 s", "a b\n──\n7 s"),
    ],
)
def test_last_digits_and_spaces_may_change(old: object, new: object) -> None:
    assert not differences(_outcome(old), _outcome(new))
