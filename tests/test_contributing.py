"""The tasks and hooks of contributors are there, and do what the pages say of them."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.pages import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
TREE = ast.parse((ROOT / "noxfile.py").read_text())
SESSIONS = {
    node.name: node
    for node in TREE.body
    if isinstance(node, ast.FunctionDef)
    and [ast.unparse(one) for one in node.decorator_list] == ["nox.session"]
}


def read(path: Path) -> Any:
    """Return what a file of YAML says; ``true`` and ``on`` alone are texts in workflows."""
    yaml = pytest.importorskip("yaml")
    return yaml.load(path.read_text(), yaml.BaseLoader)


def texts(node: ast.AST) -> list[str]:
    return [
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]


def test_the_tasks_of_the_guide_are_those_that_there_are() -> None:
    section = GUIDE.partition("\n## Tasks\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(SESSIONS)
    named = set(re.findall(r"nox -s ([a-z]+)", GUIDE))
    assert named
    assert named <= set(SESSIONS)


def test_nox_lists_the_tasks_and_needs_no_other_environment() -> None:
    pytest.importorskip("nox", reason="nox is not installed")
    command = [sys.executable, "-m", "nox", "--list", "--json", "-s", *SESSIONS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [one["session"] for one in json.loads(listed)] == list(SESSIONS)
    assert "nox.options.default_venv_backend = 'none'" in ast.unparse(TREE)


def test_nox_is_for_contributors_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needing = {name for name in extras if any(one.startswith("nox") for one in extras[name])}
    assert needing == {"test"}
    assert not [one for one in project["dependencies"] if one.startswith("nox")]


@pytest.mark.parametrize("name", SESSIONS)
def test_a_task_runs_what_there_is(name: str) -> None:
    """Its modules can be run by this Python, and the paths that it names are there."""
    runs = [node for node in ast.walk(SESSIONS[name]) if isinstance(node, ast.Call)]
    runs = [node for node in runs if ast.unparse(node.func) == "session.run"]
    assert runs
    for node in runs:
        words = ast.unparse(node)
        assert "*session.posargs" in words or "*(session.posargs or" in words
        assert "sys.executable" in words or "*PYTEST" in words
        module = texts(node)[texts(node).index("-m") + 1] if "sys.executable" in words else "pytest"
        assert find_spec(module) is not None or find_spec(f"{module}.__main__") is not None
        for path in texts(node):
            if "/" in path:
                assert (ROOT / path).exists(), path


def test_the_hooks_of_contributors_stop_what_they_should(tmp_path: Path) -> None:
    (config,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert config["repo"] == "local"  # what a hook runs has the version that the tests have
    entries = {hook["id"]: shlex.split(hook["entry"]) for hook in config["hooks"]}
    assert {words[0] for words in entries.values()} == {".venv/bin/python"}
    for words in entries.values():
        assert find_spec(words[2]) is not None
        assert all((ROOT / word).exists() for word in words[3:] if "/" in word)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for text, codes in (("import os\nx = {  }\n", (1, 1)), ('"""Nothing."""\n', (0, 0))):
        (tmp_path / "file.py").write_text(text)
        for name, code in zip(("ruff-check", "ruff-format"), codes, strict=True):
            command = [sys.executable, *entries[name][1:], "file.py"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
            assert done.returncode == code, (name, done.stdout)
