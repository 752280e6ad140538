"""What the package says of itself: true, complete, and without what nobody should install."""

import re
import sys
import sysconfig
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from tests.installed import FAILS, PASSES, run_steps
from tests.pages import ROOT, shell
from tests.recordings import THEMES, WIDTHS

ADDRESSES = r"https://(flintlib\.org|github\.com/google/)"

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_is_of_this_version_and_license() -> None:
    cited = dict(
        re.findall(r"^(\w[\w-]*): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    )
    assert cited["version"] == dpaudit.__version__
    assert cited["license"] == PROJECT["project"]["license"] == "MIT"
    assert cited["title"] == PROJECT["project"]["name"]


def test_a_wheel_has_no_tests_and_has_types() -> None:
    found = PROJECT["tool"]["setuptools"]["packages"]["find"]
    assert found == {"where": [".", "proofs"], "include": ["dpaudit*"]}
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["dpaudit"]
    assert (ROOT / "dpaudit" / "py.typed").exists()
    assert not list((ROOT / "dpaudit").rglob("test_*.py"))


def test_classifiers_name_the_python_that_is_needed() -> None:
    named = PROJECT["project"]["classifiers"]
    needed = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {needed}" in named
    assert "Typing :: Typed" in named


def test_every_extra_that_pages_name_exists_and_tests_have_all_of_them() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        extra
        for page in pages
        for extra in re.findall(r"(?:dpaudit|\.)\[([a-z]+)\]['\"]", page.read_text())
    }
    assert named <= set(extras)
    needed = {re.split("[>=<]", need)[0] for name in extras for need in extras[name]}
    tested = {re.split("[>=<]", need)[0] for need in extras["test"]}
    assert needed <= tested


def test_no_address_of_the_package_is_made_up() -> None:
    assert "urls" not in PROJECT["project"]


def test_what_is_installed_of_a_wheel_has_its_types_and_data_and_no_tests() -> None:
    """CI installs a wheel; an editable checkout has none to look at."""
    (found,) = distributions(name="dpaudit", path=[sysconfig.get_path("purelib")])
    if "editable" in (found.read_text("direct_url.json") or ""):
        pytest.skip("the package is installed as an editable checkout")
    names = {file.as_posix() for file in found.files or ()}
    assert {"dpaudit/py.typed", "dpaudit/results/schemas/audit.json"} <= names
    assert {"dpaudit_proofs/ledger.json", "dpaudit/kernel/coq/Laws.v"} <= names
    assert not [name for name in names if re.search(r"(^|/)((tests?|docs)/|test_)", name)]


@pytest.mark.parametrize(("listed", "code"), [(PASSES, 0), (FAILS, 1)])
def test_the_steps_of_the_action_stop_what_exceeds(listed: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "dpaudit.toml").write_text(listed)
    python = Path(sys.executable)
    found, shown, summary = run_steps(
        ROOT / "action.yml",
        tmp_path,
        {"config": "", "report": "page.html", "baseline": ""},
        python,
        without="Install dpaudit",  # it is here, and the command has it installed
    )
    assert found == code, shown
    assert "| EHDS |" in summary
    assert ("::error" in shown) == bool(code)
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_the_action_stops_what_is_worse_than_its_baseline(tmp_path: Path) -> None:
    """An entry that was checked is gone, and all that is left passes."""
    (tmp_path / "dpaudit.toml").write_text(f'{PASSES}{PASSES}label = "other"\n')
    shell("dpaudit gate --format json --output old.json", tmp_path)
    (tmp_path / "dpaudit.toml").write_text(PASSES)
    inputs = {"config": "", "report": "", "baseline": "old.json"}
    found, shown, summary = run_steps(
        ROOT / "action.yml", tmp_path, inputs, Path(sys.executable), without="Install dpaudit"
    )
    assert found == 1, shown
    assert "::error file=dpaudit.toml,title=other::" in shown
    assert "only in old, worse" in summary


@pytest.mark.parametrize(("listed", "code"), [(PASSES, 0), (FAILS, 1)])
def test_the_hook_is_a_command_that_is_there(listed: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "dpaudit.toml").write_text(listed)
    (hook,) = re.findall(r"^  entry: (.*)$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.M)
    assert shell(f"{hook} > /dev/null; echo $?", tmp_path) == f"{code}\n"


def test_every_address_is_of_something_else_that_exists() -> None:
    """The package has no home yet: a page, a citation or a file that named one would be wrong."""
    places = [ROOT / name for name in ("README.md", "CITATION.cff", "action.yml", "pyproject.toml")]
    for path in (*places, *(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md"):
        for address in re.findall(r"https?://[^\s)\"'>`]+", path.read_text()):
            assert re.match(ADDRESSES, address), f"{path.name}: {address}"


def test_every_picture_is_shown_small_and_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"\]\((?:docs/)?pictures/([^)]+)\)", page.read_text())
    }
    there = {path.name: path.stat().st_size for path in (ROOT / "docs" / "pictures").iterdir()}
    assert named == set(there)
    assert max(there.values()) < 160_000
    for name in ("gate", "reproduce"):
        for width in WIDTHS:
            for theme in THEMES:
                assert f"page-{name}-{width}-{theme}.png" in named
