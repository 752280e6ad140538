"""Files are written whole, and what is no regular file stays what it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from dpaudit.errors import OutputError
from dpaudit.report.files import check_writable, write_whole

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    check_writable(pipe)
    reader.start()
    write_whole(pipe, b"report")
    reader.join()
    assert read == [b"report"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    # A device of our own, never the machine's: the mistake tested for would destroy it.
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.read_bytes()
    except OSError:
        pytest.skip("devices cannot be made here")
    check_writable(device)
    write_whole(device, b"report")
    assert stat.S_ISCHR(device.stat().st_mode)


def test_a_full_device_is_refused_in_one_line(tmp_path: Path) -> None:
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        device.open("wb").close()
    except OSError:
        pytest.skip("devices cannot be made here")
    with pytest.raises(OutputError, match="No space left on device"):
        write_whole(device, b"report")
    assert stat.S_ISCHR(device.stat().st_mode)


def test_a_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "target.json"
    link = tmp_path / "link.json"
    link.symlink_to(target)
    write_whole(link, b"new")  # the target is not there yet
    assert target.read_bytes() == b"new"
    write_whole(link, b"newer")
    assert target.read_bytes() == b"newer"
    assert link.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_name_of_255_bytes(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 250 + ".json")
    check_writable(path)
    write_whole(path, b"report")
    assert path.read_bytes() == b"report"


def test_a_name_with_a_zero_byte(tmp_path: Path) -> None:
    for write in (check_writable, lambda path: write_whole(path, b"report")):
        with pytest.raises(OutputError):
            write(tmp_path / "a\0b")


def test_standard_output_by_name(tmp_path: Path) -> None:
    if not os.path.exists("/dev/stdout"):
        pytest.skip("no name for the standard output here")
    command = [sys.executable, "-m", "dpaudit", "check", "MH", "--n", "5", "--no-plot"]
    plain = subprocess.run(command, capture_output=True, check=False)
    named = [*command, "--output", "/dev/stdout"]
    piped = subprocess.run(named, capture_output=True, check=False)
    assert piped.stdout == plain.stdout
    with (tmp_path / "out").open("wb") as file:
        file.write(b"first\n")
        file.flush()
        subprocess.run(named, stdout=file, check=False)
    assert (tmp_path / "out").read_bytes() == b"first\n" + plain.stdout


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
