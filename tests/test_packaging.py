"""What the package says of itself: true, complete, and without what nobody should install."""

import re
import tomllib
from typing import Any

import dpaudit
from tests.pages import ROOT

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
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
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
