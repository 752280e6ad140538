"""The commit of a folder is the one that git has, wherever its repository keeps it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dpaudit.gate.revision import commit_of
from dpaudit.gate.run import run_gate
from tests.gate.test_gate import write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *own, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "below").mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
    return folder


def test_it_is_the_one_that_git_has(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    assert commit_of(repository) == commit_of(repository / "below") == first
    git(repository, "pack-refs", "--all")
    assert commit_of(repository) == first
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    git(tmp_path / "tree", "commit", "--quiet", "--allow-empty", "--message", "second")
    second = git(tmp_path / "tree", "rev-parse", "HEAD")
    assert first != second == commit_of(tmp_path / "tree")
    git(repository, "checkout", "--quiet", "--detach", second)
    assert commit_of(repository) == second


def test_without_a_repository_a_service_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commit_of(tmp_path) == ""
    monkeypatch.setenv("GITHUB_SHA", "0123456789" * 4)
    assert commit_of(tmp_path) == "0123456789" * 4
    monkeypatch.setenv("GITHUB_SHA", "<b>")
    assert commit_of(tmp_path) == ""


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/../../config", "ref: refs/none", "\0", "z" * 40]
)
def test_a_head_that_is_none_has_no_commit(head: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert commit_of(tmp_path) == ""


def test_a_gate_tells_the_commit_of_its_configuration(repository: Path) -> None:
    path = write(repository / "below", '[[mechanism]]\nmechanism = "EHDS"\nn = 3\n')
    assert run_gate(path).commit == git(repository, "rev-parse", "HEAD")
