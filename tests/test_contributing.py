"""The tasks, hooks and forms of contributors are there, and do what the pages say of them."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest

from dpaudit.cli.main import main
from tests.pages import ROOT, shell

GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
GITHUB = ROOT / ".github"
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
    pages = [GUIDE, *(path.read_text() for path in GITHUB.rglob("*.md"))]
    named = {name for page in pages for name in re.findall(r"nox -s ([a-z]+)", page)}
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


def test_the_workflow_runs_what_is_run_everywhere() -> None:
    (workflow,) = (GITHUB / "workflows").iterdir()
    found = read(workflow)
    assert set(found["on"]) == {"push", "pull_request"}
    assert found["permissions"] == {"contents": "read"}
    (job,) = found["jobs"].values()
    (script,) = [step["run"] for step in job["steps"] if "run" in step]
    assert script == ".ci/run"
    assert os.access(ROOT / script, os.X_OK)
    for step in job["steps"]:
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v0"))
    python = next(step["with"] for step in job["steps"] if "setup-python" in step.get("uses", ""))
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert needed == f">={python['python-version']}"


FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one_that_the_site_takes(path: Path) -> None:
    """The keys that forms have, and ids and labels that differ."""
    form = read(path)
    assert set(form) == {"name", "description", "labels", "body"}
    for field in form["body"]:
        assert field["type"] in ("input", "textarea")
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert set(field["attributes"]) <= {"label", "description", "placeholder", "render"}
        assert field.get("validations", {"required": "true"}) == {"required": "true"}
    for values in (
        [field["id"] for field in form["body"]],
        [field["attributes"]["label"] for field in form["body"]],
    ):
        assert len(set(values)) == len(values)
    assert any("validations" in field for field in form["body"])


def test_there_are_two_forms_and_what_they_name_is_there() -> None:
    assert len(FORMS) == 2
    commands = set(main.list_commands(click.Context(main))) | {"--version"}
    text = "".join(path.read_text() for path in FORMS)
    named = re.findall(r"(?<![\w.])dpaudit (--version|check|verify|[a-z]+ --)", text)
    assert {"--version", "check", "verify"} <= set(named) <= commands
    (example,) = re.findall(r"placeholder: (dpaudit .*)$", text, re.MULTILINE)
    assert shell(f"{example} --no-plot > /dev/null; echo $?", ROOT) in ("0\n", "1\n")
    (variable,) = set(re.findall(r"\b(DPAUDIT_\w+)=", text))
    assert variable in (ROOT / "dpaudit" / "cli" / "main.py").read_text()


def test_what_is_asked_of_contributors_names_no_other_place() -> None:
    files = [path for path in GITHUB.rglob("*") if path.is_file()]
    files += [ROOT / "noxfile.py", ROOT / ".pre-commit-config.yaml"]
    assert len(files) >= 6
    for path in files:
        assert not re.findall(r"https?://|/(?:home|work|root|tmp)\b", path.read_text()), path
