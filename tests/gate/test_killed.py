"""A gate that is killed leaves no half-written report and no process behind."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

from tests.gate.test_gate import ENTRY, SOUND, own, write

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


def test_a_mechanism_that_hangs_does_not_outlive_the_gate(tmp_path: Path) -> None:
    body = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(600); return {}"
    write(tmp_path, ENTRY.replace("time-cap = 120", "time-cap = 500"), own(body))
    process = subprocess.Popen(COMMAND, cwd=tmp_path, stdout=subprocess.DEVNULL)
    for _ in range(200):
        time.sleep(0.05)
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            break
    worker = int((tmp_path / "pid").read_text())
    process.kill()
    process.wait()
    for _ in range(100):
        time.sleep(0.05)
        state = Path(f"/proc/{worker}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
    raise AssertionError(f"process {worker} is still there")
