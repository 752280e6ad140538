"""Line 9: the parent believes no verdict; what a plug-in says is read as numbers, or as nothing.

The last two tests hold the page ``docs/trust.md`` to what passes here, and a plug-in that is run
by other commands to the exit codes.
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dpaudit.gate.run import run_gate
from dpaudit.results.documents import encode
from tests.attacks.plugins import HARMLESS, MODULE, TRUSTED
from tests.made_once import made_once
from tests.pages import PAGES

Gate = tuple[dict[str, Any], Path]
"""The report of a gate, and the folder of its configuration."""


def _entry(name: str) -> str:
    hangs = name in HARMLESS and HARMLESS[name][1] == "time cap"
    cap = "time-cap = 8\n" if hangs else ""
    return f'[[mechanism]]\nmechanism = "plugins.py:{name}"\nlabel = "{name}"\nn = 1\n{cap}'


CONFIG = "".join(map(_entry, [*HARMLESS, *TRUSTED]))
"""The configuration with all of them; only what is to hang is given little time."""


@pytest.fixture(scope="module")
def gate(session_folder: Path) -> Gate:
    """One gate over all of them, and its folder."""

    def make(folder: Path) -> None:
        (folder / "plugins.py").write_text(MODULE)
        (folder / "dpaudit.toml").write_text(CONFIG)
        with contextlib.chdir(folder):
            (folder / "gate.json").write_bytes(encode(run_gate(folder / "dpaudit.toml", jobs=4)))

    folder = made_once(session_folder, "gate of attacks", make)
    return json.loads((folder / "gate.json").read_bytes()), folder


@pytest.fixture(scope="module")
def found(gate: Gate) -> dict[str, Any]:
    return {finding["title"]: finding for finding in gate[0]["mechanisms"]}


@pytest.mark.parametrize("name", HARMLESS)
def test_an_attack_comes_to_nothing(name: str, found: dict[str, Any]) -> None:
    finding = found[name]
    assert (finding["kind"], finding["passed"]) == (HARMLESS[name][1], False), finding["message"]
    assert finding["mechanism"] == f"plugins.py:{name}"
    assert finding["message"].isprintable()


@pytest.mark.parametrize("name", TRUSTED)
def test_what_trusted_code_can_do_passes(name: str, found: dict[str, Any]) -> None:
    """No pass without a word on the page: what gets in here has to be written there."""
    assert found[name]["passed"], found[name]["message"]


def test_the_gate_of_all_of_them_exceeds(gate: Gate) -> None:
    assert gate[0]["verdict"] == "exceeds"


def test_what_they_started_is_gone(gate: Gate) -> None:
    pids = [int(pid) for pid in (gate[1] / "pids").read_text().split()]
    assert len(pids) >= 8  # daemons among them, whose own parents are gone
    for pid in pids:
        assert gone(pid), f"process {pid} is still there"


def gone(pid: int) -> bool:
    for _ in range(100):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_every_pass_is_on_the_written_list(found: dict[str, Any]) -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGES["docs/trust.md"], re.MULTILINE)
    passed = [name for name, finding in found.items() if finding["passed"]]
    assert sorted(listed) == sorted(passed)


LEAVING = """
import os

class Own:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, x):
        if os.path.exists("leave"):
            os._exit(0)
        return {x: "9/10", 1 - x: "1/10"}
"""
REPORT = "check own.py:Own --format json --output report.json"
COMMANDS = {
    "check plugins.py:exit_zero --no-plot": (2, "ended the process of the audit"),
    "check plugins.py:sys_exit --no-plot": (2, "SystemExit"),
    "check plugins.py:old_message --no-plot": (2, ""),
    "check plugins.py:thread_lives_on --no-plot": (1, ""),
    "check plugins.py:interrupt --no-plot": (130, "interrupted"),
    "verify report.json --own own.py:Own": (2, "ended the process of the audit"),
    "prove --from claims.py": (2, "ended the process of the audit"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_other_commands_end_with_no_zero(command: str, gate: Gate, tmp_path: Path) -> None:
    """One runner serves them all: what leaves from inside has not passed."""
    shutil.copy(gate[1] / "plugins.py", tmp_path)
    (tmp_path / "claims.py").write_text("import os\nos._exit(0)\n")
    (tmp_path / "own.py").write_text(LEAVING)
    if command.startswith("verify"):
        write = [sys.executable, "-m", "dpaudit", *REPORT.split()]
        assert subprocess.run(write, cwd=tmp_path, capture_output=True, check=False).returncode == 1
        (tmp_path / "leave").touch()
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    code, message = COMMANDS[command]
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert message in done.stderr
