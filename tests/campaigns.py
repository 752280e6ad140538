"""Campaigns: tests of which the suite runs a part, and one command all the rest.

What takes longest is not what finds most: the hundredth random program is there to be tried now and
then.  ``tests/campaigns.toml`` lists tests with many or long cases.  The suite runs a part of each,
spread evenly over its cases; this runs the rest, or that of some folders:

    python -m pytest -n auto -m campaign [FOLDER]...

A file or a test that is named is run whole.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

__all__ = ["CAMPAIGNS", "Campaign", "in_suite", "is_long", "part", "rest_of", "try_all_cases"]

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
