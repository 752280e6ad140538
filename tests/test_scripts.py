"""A script needs no ``if __name__ == "__main__":``; it is carried out once."""

import subprocess
import sys
from pathlib import Path

import pytest

_GATE = """
[[mechanism]]
mechanism = "RR"
budget = "4/5"
"""


@pytest.mark.parametrize(
    "line",
    [
        'dpaudit.check("EHDS", n="10..30", jobs=2).verdict',
        'dpaudit.run_gate("dpaudit.toml").verdict',
    ],
    ids=["workers", "entries of a gate"],
)
def test_a_script_is_carried_out_once(line: str, tmp_path: Path) -> None:
    (tmp_path / "dpaudit.toml").write_text(_GATE)
    script = tmp_path / "script.py"
    script.write_text(f"import dpaudit\nprint('begun')\nprint({line}.value)\n")
    found = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (found.stdout, found.stderr) == ("begun\nwithin\n", "")


_AUDITS_ITSELF = """
import dpaudit
from pathlib import Path

with Path("times").open("a") as times:
    times.write("once ")

@dpaudit.finite_mechanism(
    budget="1", datasets=lambda n: range(n + 1), neighbours=lambda a, b: abs(a - b) == 1
)
def coin(a):
    return {0: "1/2", 1: "1/2"}

{line}
"""


@pytest.mark.parametrize(
    "line",
    [
        'dpaudit.check("script.py:coin", n="2..4", jobs=2)',
        'dpaudit.check("script.py:coin", n=2)',
        'print(dpaudit.run_gate("dpaudit.toml").mechanisms[0].message)',
    ],
)
def test_a_file_that_audits_itself_as_it_is_imported_is_refused(line: str, tmp_path: Path) -> None:
    """Each process that was to audit it imported it, and so started others, without an end."""
    (tmp_path / "dpaudit.toml").write_text('[[mechanism]]\nmechanism = "script.py:coin"\nn = 2\n')
    script = tmp_path / "script.py"
    script.write_text(_AUDITS_ITSELF.replace("{line}", line))
    found = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (tmp_path / "times").read_text() == "once once "
    said = found.stdout + found.stderr
    assert "script.py starts an audit when it is imported" in said
