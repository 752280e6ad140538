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
