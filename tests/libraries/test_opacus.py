"""The page on Opacus: what runs of it, and that its outputs are those of the pinned versions."""

import ast
import re
from pathlib import Path

import pytest

from tests.libraries.opacus import ENVIRONMENT, PAGE, WORK, outputs
from tests.pages import PAGES, blocks, files

FAKE = """#!/bin/sh
shift 2
echo "ran $*"
if [ "$1" = train.py ]; then { echo score; seq 1000; } > scores.csv; fi
"""


def test_the_page_names_the_versions_that_are_installed() -> None:
    versions = [f"{ENVIRONMENT.library}=={ENVIRONMENT.version}", *ENVIRONMENT.install]
    for library, version in (one.split("==") for one in versions):
        assert f"{library} {version}" in PAGES[PAGE]
    for content in files(PAGE).values():
        ast.parse(content)


def test_blocks_run_in_the_order_of_the_page_with_the_interpreter_given(tmp_path: Path) -> None:
    """A stand-in for the interpreter shows its words; the audits are real."""
    python = tmp_path / "python"
    python.write_text(FAKE)
    python.chmod(0o755)
    (tmp_path / "run").mkdir()
    found = outputs(python, tmp_path / "run")
    prompts = [re.findall(r"^\$ .*$", block, re.MULTILINE) for block in blocks(PAGE, "text")]
    assert [re.findall(r"^\$ .*$", block, re.MULTILINE) for block in found] == prompts
    assert "ran train.py inclusion.json scores.csv private" in found[0]
    assert "nothing is refuted" in found[1]
    assert "ran train.py inclusion.json scores.csv plain" in found[2]
    assert "ran forgotten.py" in found[3]


def test_the_outputs_are_those_of_opacus(tmp_path: Path) -> None:
    python = WORK / ENVIRONMENT.name / "bin" / "python"
    if not python.exists():
        pytest.skip("python -m tests.libraries.opacus --check makes the environment")
    assert outputs(python, tmp_path) == blocks(PAGE, "text")
