"""The package as others get it: a wheel in a bare environment, a hook of pre-commit, an action.

``python -m tests.installed [PYTHON]`` clones this repository and tries all three from the clone,
each in an environment that has nothing else; it needs an index of packages, and takes minutes.
"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tests.pages import ROOT, files

__all__ = ["action_steps", "build_wheel", "names_of", "run_steps"]

PASSES = '[[mechanism]]\nmechanism = "EHDS"\nn = "5..8"\n'
FAILS = f'{PASSES}budget = "1/100"\n'


def build_wheel(source: Path, folder: Path) -> Path:
    """Build a wheel of a checkout, as pip does for whoever installs it."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(source)], check=True)
    (wheel,) = folder.glob("dpaudit-*.whl")
    return wheel


def names_of(wheel: Path) -> list[str]:
    """The files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def action_steps(path: Path) -> list[dict[str, Any]]:
    """The steps of an action that a shell runs, and of each its text, environment and condition."""
    import yaml

    steps = yaml.safe_load(path.read_text())["runs"]["steps"]
    return [step for step in steps if "run" in step]


def run_steps(
    path: Path, folder: Path, inputs: dict[str, str], python: Path, *, without: str = ""
) -> tuple[int, str, str]:
    """Run an action's steps as its runner would; return exit code, what is printed, the summary."""
    summary = folder / "summary.md"
    environment = {
        **os.environ,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(path.parent),
        "GITHUB_STEP_SUMMARY": str(summary),
        "RUNNER_TEMP": str(folder),
    }
    code, shown = 0, ""
    for step in action_steps(path):
        if step["name"] == without or (code and step.get("if") != "always()"):
            continue
        own = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], value)
            for name, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment | own,
            capture_output=True,
            text=True,
            check=False,
        )
        code, shown = code or done.returncode, shown + done.stdout + done.stderr
    return code, shown, summary.read_text() if summary.exists() else ""


def _try_wheel(clone: Path, folder: Path, python: str) -> Path:
    wheel = build_wheel(clone, folder)
    subprocess.run([python, "-m", "venv", str(folder / "bare")], check=True)
    bare = folder / "bare" / "bin" / "python"
    subprocess.run([str(bare), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    (folder / "survey.py").write_text(files("docs/gate.md")["survey.py"])
    for words, expected in (("check EHDS --n 10..20", 0), ("check survey.py:hasty", 1)):
        done = subprocess.run([str(bare), "-m", "dpaudit", *words.split()], cwd=folder, check=False)
        assert done.returncode == expected
    print(f"wheel: {len(names_of(wheel))} files, works in a bare environment")
    return bare


def _try_hook(clone: Path, folder: Path, bare: Path) -> None:
    """Let pre-commit, which is installed for that, run the hook on two lists."""
    project = folder / "project"
    project.mkdir()
    subprocess.run([str(bare), "-m", "pip", "install", "--quiet", "pre-commit"], check=True)
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    for content, expected in ((PASSES, 0), (FAILS, 1)):
        (project / "dpaudit.toml").write_text(content)
        subprocess.run(["git", "add", "."], cwd=project, check=True)
        command = [str(bare), "-m", "pre_commit", "try-repo", str(clone), "dpaudit-gate", "-v"]
        done = subprocess.run(command, cwd=project, check=False)
        assert done.returncode == expected
    print("pre-commit: the hook passes what is within and stops what exceeds")


def _try_action(clone: Path, folder: Path, bare: Path) -> None:
    for content, expected in ((PASSES, 0), (FAILS, 1)):
        (folder / "dpaudit.toml").write_text(content)
        inputs = {"config": "", "report": "page.html", "baseline": ""}
        code, shown, summary = run_steps(clone / "action.yml", folder, inputs, bare)
        assert code == expected, shown
        assert summary
        assert (folder / "page.html").exists()
    print("action: its steps pass what is within and stop what exceeds")


def main(given: list[str]) -> None:
    """Try the wheel, the hook and the action from a clone."""
    with tempfile.TemporaryDirectory() as place:
        folder, clone = Path(place), Path(place) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        bare = _try_wheel(clone, folder, given[0] if given else sys.executable)
        _try_action(clone, folder, bare)
        _try_hook(clone, folder, bare)


if __name__ == "__main__":
    main(sys.argv[1:])
