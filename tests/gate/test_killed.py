"""A gate that is killed leaves no half-written report and no process behind."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dpaudit.cli.exits import Exit
from tests.gate.test_gate import SOUND, write
from tests.interrupts import heeding_interrupts
from tests.processes import those_in

COMMAND = [
    *(sys.executable, "-m", "dpaudit", "gate", "--format", "json", "--jobs", "2"),
    *(
        "--report",
        "json=report.json",
        "--report",
        "junit=report.xml",
        "--report",
        "html=report.html",
    ),
]


def whole(folder: Path) -> bool:
    """Assert that the reports there are whole, and tell whether all are there."""
    found = 0
    if (folder / "report.json").exists():
        assert json.loads((folder / "report.json").read_text())["schema"] == "dpaudit.gate/1"
        found += 1
    if (folder / "report.xml").exists():
        ElementTree.parse(folder / "report.xml")
        found += 1
    if (folder / "report.html").exists():
        assert (folder / "report.html").read_text().endswith("</html>\n")
        found += 1
    return found == 3


def test_killed_at_ten_moments(tmp_path: Path) -> None:
    write(tmp_path, SOUND)
    started = time.monotonic()
    subprocess.run(COMMAND, cwd=tmp_path, check=True, capture_output=True)
    takes = time.monotonic() - started
    expected = (tmp_path / "report.json").read_bytes()
    rng = random.Random(10)
    for _ in range(10):
        for report in tmp_path.glob("report.*"):
            report.unlink()
        process = subprocess.Popen(COMMAND, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, takes))
        process.kill()
        process.wait()
        whole(tmp_path)
    subprocess.run(COMMAND, cwd=tmp_path, check=True, capture_output=True)
    assert whole(tmp_path)
    assert (tmp_path / "report.json").read_bytes() == expected


HANGS = """
import os, subprocess, time

class Mechanism:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, x):
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        open(f"pid{os.getpid()}", "w").close()
        time.sleep(600)
"""
ENTRY = '[[mechanism]]\nmechanism = "own.py:Mechanism"\ntime-cap = 500\n'


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who is left")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("entries", [1, 3])
def test_mechanisms_that_hang_do_not_outlive_the_gate(
    entries: int, number: int, tmp_path: Path
) -> None:
    """Neither does what they started, nor what started them."""
    write(tmp_path, ENTRY * entries, HANGS)
    with heeding_interrupts():
        process = subprocess.Popen(
            COMMAND, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
    wait_for(lambda: len(list(tmp_path.glob("pid*"))) == min(entries, 2))
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    if number != signal.SIGKILL:
        assert process.returncode == Exit.INTERRUPTED
        assert said == "dpaudit: interrupted; nothing was finished\n"
        assert those_in(tmp_path) == []
    wait_for(lambda: not those_in(tmp_path))


def wait_for(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("that did not come to be")
