"""What it takes to add a claim: one file, and nothing is installed again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import dpaudit_proofs

PACKAGE = Path(dpaudit_proofs.__file__).parent
MODULE = '''"""Half of a number above 0 is below it."""

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim

__all__ = ["CLAIMS"]

CLAIMS = (
    Claim(
        id="half-is-less",
        source="arithmetic",
        statement="t/2 < t for t > 0",
        domain="t > 0",
        evidence=(
            OrthantCertificate(
                title="t − t/2", positive="t - t/2", shift={"t": "t"}, positive_variables=("t",)
            ),
        ),
    ),
)
'''


def prove(path: Path, *words: str) -> dict[str, str]:
    """Run ``dpaudit prove`` with ``path`` first where modules are looked for."""
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", "prove", *words, "--format", "json"],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 2:
        return {}
    assert (done.returncode, done.stderr) == (0, "")
    return {claim["id"]: claim["verdict"] for claim in json.loads(done.stdout)["claims"]}


def test_a_claim_is_added_in_one_file_and_found_with_no_new_installation(tmp_path: Path) -> None:
    copy = shutil.copytree(
        PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__")
    )
    before = {path.name for path in copy.iterdir()}
    assert prove(tmp_path, "half-is-less") == {}
    (copy / "halves.py").write_text(MODULE)
    assert prove(tmp_path, "half-is-less") == {"half-is-less": "argued: proved"}
    assert "basics-density" in prove(tmp_path, "basics-*")  # beside those that were there
    added = {path.name for path in copy.iterdir()} - before - {"__pycache__"}
    assert added == {"halves.py"}
