"""Files that a command reads by name are regular: no pipe is waited for, no header is believed."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from dpaudit.data.files import open_regular
from dpaudit.errors import DataError, UsageError
from dpaudit.questions.account_matrix.strategy import read_strategy

MATRIX = [
    "--noise-multiplier",
    "1",
    "--max-participations",
    "1",
    "--min-sep",
    "1",
    "--delta",
    "0.1",
]
COMMANDS = {
    "a strategy": ["account-matrix", "{}.npy", *MATRIX],
    "a strategy as an archive": ["account-matrix", "{}.npz", *MATRIX],
    "a strategy as text": ["account-matrix", "{}.csv", *MATRIX],
    "a training": ["account-run", "{}.json", "--delta", "1e-5"],
    "scores": ["canaries", "{}.csv"],
    "scores as an archive": ["canaries", "{}.npz"],
    "scores as an array": ["canaries", "{}.npy"],
    "a manifest": ["canaries", "scores.csv", "--inclusion", "{}.json"],
    "data": ["check", "EHDS", "--data", "{}.csv"],
    "inputs": ["check", "f.py:f", "--inputs", "{}.json"],
    "a report to continue": ["check", "RR", "--resume", "{}.json", "--output", "o.json"],
    "a configuration": ["gate", "--config", "{}.toml"],
}
"""Commands that read a file, whose name is left open; reports to recheck may come by a pipe."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    words = [word.replace("{}", "pipe") for word in COMMANDS[name]]
    for word in words:
        if word.startswith("pipe."):
            (tmp_path / word).unlink(missing_ok=True)
            os.mkfifo(tmp_path / word)
    (tmp_path / "scores.csv").write_text("score,member\n1,1\n0,0\n")
    (tmp_path / "f.py").write_text("import random\n\ndef f(x):\n    return x + random.random()\n")
    (tmp_path / "dpaudit.toml").write_text('[[mechanism]]\nmechanism = "RR"\nn = 1\n')
    command = [sys.executable, "-m", "dpaudit", *words]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "pipe." in done.stderr
    assert "Traceback" not in done.stderr


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"content"
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")
    for device in ("/dev/zero", "/dev/null"):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(device)


@pytest.mark.parametrize("kind", ["<f8", "|i1", "<f2"])
@pytest.mark.parametrize(
    "shape", [(100_000, 100_000), (10**9, 1), (8192, 8192), (1 << 62, 1 << 62)]
)
def test_a_large_array_is_refused_by_its_header(
    shape: tuple[int, int], kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "large.npy"
    with path.open("wb") as file:
        header = {"descr": kind, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_2_0(file, header)
        file.write(b"\0" * 1000)
    tracemalloc.start()
    with pytest.raises(DataError, match="at most 4096 steps"):
        read_strategy(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.npy"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    tracemalloc.start()
    with pytest.raises(UsageError, match="more than 192 MiB"):
        read_strategy(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20
