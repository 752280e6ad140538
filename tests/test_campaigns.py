"""What the suite leaves out is run by a campaign, and every test that is listed is there."""

import ast
import os
import re
import subprocess
import sys
from functools import cache

from tests import campaigns
from tests.campaigns import CAMPAIGNS, in_suite
from tests.pages import ROOT

LISTED = {
    test: one_of for campaign in CAMPAIGNS.values() for test, one_of in campaign.tests.items()
}
MANY = "laws/test_product.py::test_every_pair_in_both_directions"
LONG = "laws/test_rest.py::test_a_written_law_with_a_rest_is_decided_by_its_delta"


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_is_listed_is_there_and_listed_once() -> None:
    assert len(LISTED) == sum(len(campaign.tests) for campaign in CAMPAIGNS.values()) > 100
    for test, one_of in LISTED.items():
        file, *_, name = test.split("::")
        assert name in functions_of(file), test
        assert one_of >= 0


def test_what_both_commands_run_says_how_many_cases_the_suite_tries() -> None:
    for test, one_of in LISTED.items():
        file = (ROOT / "tests" / test.split("::")[0]).read_text()
        if one_of == campaigns.BOTH:
            assert "part(" in file, test


def test_no_test_is_marked_by_hand() -> None:
    """The suite would run it all the same: the list alone says what is left out."""
    mark = "pytest.mark." + "campaign"
    files = (ROOT / "tests").rglob("*.py")
    assert [path.name for path in files if mark in path.read_text()] == []


def test_the_suite_runs_one_of_so_many_cases() -> None:
    assert LISTED[MANY] == 3
    assert LISTED[LONG] == 0
    names = [f"{MANY}[{case}]" for case in range(7)]
    names[3:3] = [LONG, "laws/test_product.py::test_other[1]"]
    runs = dict(zip(names, in_suite(names), strict=True))
    assert [case for case in range(7) if runs[f"{MANY}[{case}]"]] == [1, 4]
    assert not runs[LONG]
    assert runs["laws/test_product.py::test_other[1]"]
    assert in_suite([f"{MANY}[{case}]" for case in range(1)]) == [True]


def collected(*words: str) -> set[str]:
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_the_suite_and_the_campaign_are_all_tests_and_a_file_that_is_named_is_whole() -> None:
    suite, campaign = collected("tests/laws"), collected("-m", "campaign", "tests/laws")
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "laws").glob("test_*.py")]
    assert suite | campaign == collected(*files)
    assert not suite & campaign
    assert f"tests/{LONG}" in campaign


def test_the_page_tells_of_every_campaign() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.* \| .*) \|$", page, re.MULTILINE))
    told = {name: f"{campaign.what} | {campaign.found}" for name, campaign in CAMPAIGNS.items()}
    assert {name: row for name, row in rows.items() if name in told} == told


def test_files_take_turns_where_the_time_may_not_be_enough() -> None:
    names = [f"tests/{file}.py::test[{case}]" for file in "abcdefgh" for case in range(3)]
    orders = [campaigns.in_turn(names, seed) for seed in ("first", "second", "first")]
    assert orders[0] == orders[2] != orders[1]
    for order in orders:
        assert sorted(order) == list(range(len(names)))
        for place in range(0, len(order), 3):
            assert order[place : place + 3] == list(range(order[place], order[place] + 3))


def test_a_campaign_ends_when_its_minutes_are_over() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-m", "campaign", "tests/laws"]
    environment = {**os.environ, campaigns.MINUTES: "0"}
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ skipped", done.stdout.splitlines()[-1])
    assert "left for a longer campaign: its minutes are over" in done.stdout
