"""Campaigns: tests of which the suite runs a part, and one command all the rest.

What takes longest is not what finds most: the hundredth random program is there to be tried now and
then.  ``tests/campaigns.toml`` lists tests with many or long cases.  The suite runs a part of each,
spread evenly over its cases; this runs the rest, or that of some folders:

    python -m pytest -n auto -m campaign [FOLDER]...

A file or a test that is named is run whole.
"""

from __future__ import annotations

import hashlib
import os
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

__all__ = [
    "CAMPAIGNS",
    "MINUTES",
    "Campaign",
    "in_suite",
    "in_turn",
    "is_long",
    "minutes_left_over",
    "part",
    "rest_of",
    "try_all_cases",
]

MINUTES = "CAMPAIGN_MINUTES"
"""The variable that says how many minutes a campaign may take; what is left then is skipped."""
_BEGUN = time.monotonic()

BOTH = 1
"""Of a test that both commands run, the suite with fewer cases."""


class Campaign(NamedTuple):
    """Tests of one kind."""

    what: str
    found: str
    """What it found last, and when."""
    tests: dict[str, int]
    """One of how many cases the suite runs, by the name of the test; 0 for none of them."""


CAMPAIGNS = {
    name: Campaign(**told)
    for name, told in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
}
_ONE_OF = {test: count for campaign in CAMPAIGNS.values() for test, count in campaign.tests.items()}
_whole = False


def part(whole: int, few: int) -> int:
    """Return how many cases a test tries: ``few`` in the suite, all of them elsewhere."""
    return whole if _whole else few


def try_all_cases() -> None:
    """Let tests try all their cases: before they are imported."""
    global _whole  # noqa: PLW0603 (it is what the command line of pytest says)
    _whole = True


def in_suite(names: Sequence[str]) -> list[bool]:
    """Tell of each test whether the suite runs it.

    Args:
        names: the tests in order, as pytest names them, from the folder of tests on.
    """
    tests = [_test_of(name) for name in names]
    counts, cases = Counter(tests), Counter[str]()
    runs = []
    for test in tests:
        one_of = _ONE_OF.get(test, BOTH)
        # The first case is often the longest: the middle one of so many is taken.
        middle = min(one_of, counts[test]) // 2
        runs.append(one_of > 0 and cases[test] % one_of == middle)
        cases[test] += 1
    return runs


def is_long(item: pytest.Item) -> bool:
    """Tell whether a test is one long case; started first, it is not waited for at the end."""
    return _ONE_OF.get(_test_of(item.nodeid.removeprefix("tests/")), BOTH + 1) <= BOTH


def in_turn(names: Sequence[str], seed: str) -> list[int]:
    """Return in which order tests are tried where the time may not be enough for all of them.

    Files stay together, as their tests share what they make; which comes first changes with the
    code, so that every one is tried after a few changes.

    Args:
        names: the tests, as pytest names them.
        seed: what tells one state of the code from another.
    """
    files = [name.partition("::")[0] for name in names]
    turn = {file: hashlib.sha256(f"{seed} {file}".encode()).digest() for file in files}
    return sorted(range(len(names)), key=lambda place: turn[files[place]])


def minutes_left_over() -> float:
    """Return the minutes since this began that are left, of those that the environment allows."""
    return float(os.environ.get(MINUTES, "inf")) - (time.monotonic() - _BEGUN) / 60


def _test_of(name: str) -> str:
    """Return the name of a test without that of its case."""
    return name.partition("[")[0]


def rest_of(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Mark the tests of campaigns, and return those that are no part of the suite."""
    names = [item.nodeid.removeprefix("tests/") for item in items]
    rest = []
    for item, name, runs in zip(items, names, in_suite(names), strict=True):
        if not runs:
            rest.append(item)
        if not runs or _ONE_OF.get(_test_of(name)) == BOTH:
            item.add_marker("campaign")
    return rest
