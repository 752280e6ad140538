"""What is made once is made again where the code is another, or making it failed."""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from tests.made_once import FOLDERS, ROOT, fingerprint, made_once


def add_line(folder: Path) -> None:
    with (folder.parent / "times").open("a") as times:
        times.write("made\n")
    (folder / "content").write_text("whole")


def ask(within: Path) -> None:
    assert (made_once(within, "one", add_line) / "content").read_text() == "whole"


def test_several_processes_make_it_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=ask, args=(tmp_path,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert (tmp_path / "times").read_text() == "made\n"


def test_what_failed_or_was_left_half_made_is_made_again(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("too early")

    with pytest.raises(ValueError, match="too early"):
        made_once(tmp_path, "one", fail)
    folder = made_once(tmp_path, "one", add_line)
    assert [path.name for path in folder.iterdir()] == ["content"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_another_file_is_another_fingerprint(folder: str, tmp_path: Path) -> None:
    for name in FOLDERS:
        (tmp_path / name / "room").mkdir(parents=True)
        (tmp_path / name / "room" / "file.py").write_text("x = 1\n")
    first = fingerprint(tmp_path)
    shutil.copytree(tmp_path, tmp_path / "copy")
    assert fingerprint(tmp_path / "copy") == first
    (tmp_path / folder / "room" / "__pycache__").mkdir()
    (tmp_path / folder / "room" / "__pycache__" / "file.pyc").write_text("compiled")
    assert fingerprint(tmp_path) == first
    changed = tmp_path / folder / "room" / "file.py"
    changed.write_text("x = 2\n")
    assert fingerprint(tmp_path) != first
    changed.write_text("x = 1\n")
    changed.rename(changed.with_name("other.py"))
    assert fingerprint(tmp_path) != first


def test_the_fingerprint_is_that_of_the_checkout() -> None:
    assert all((ROOT / name).is_dir() for name in FOLDERS)
    assert fingerprint() == fingerprint(ROOT)
