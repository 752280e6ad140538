"""A gate takes no doubt for a tie, and says what it looked at, not what lies there by now."""

import json
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import dpaudit
from dpaudit.gate.entries import rows_of
from dpaudit.gate.run import run_gate
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.verify import verify
from dpaudit.results.accounts import CertifiedAccount
from dpaudit.results.documents import encode, seal_of

pytestmark = pytest.mark.wrong_on_purpose

TIE = """
[[mechanism]]
mechanism = "EHDS"
n = 20
budget = "1/4"
interval = "gamma=10833664/10000000..10"
ties = "accept"
digits = 2
precision-cap = 64
"""


def test_an_undecided_piece_of_an_interval_is_no_tie(tmp_path: Path) -> None:
    """At its left end 0.25000004869 is realised, which exceeds the budget."""
    path = tmp_path / "dpaudit.toml"
    path.write_text(TIE)
    gate = run_gate(path)
    (finding,) = gate.mechanisms
    assert (finding.kind.value, finding.passed) == ("undecided", False)
    document = json.loads(encode(gate))
    document["mechanisms"][0] |= {"kind": "tie accepted", "passed": True}
    document |= {"verdict": "within"}
    report = tmp_path / "report.json"
    report.write_text(json.dumps({**document, "sha256": seal_of(document)}))
    assert verify(report, requirements=Requirements(config=path)).verdict == "rejected"


@pytest.mark.parametrize(
    ("name", "parameters", "ball"),
    [("Laplace", "scale = 100000", False), ("Gaussian", "sigma = 10", True)],
)
def test_ends_of_a_lattice_are_no_tie(
    name: str, parameters: str, ball: bool, tmp_path: Path
) -> None:
    """They are as narrow as they were asked for, not as balls at the cap are."""
    path = tmp_path / "dpaudit.toml"
    path.write_text(
        f'[[mechanism]]\nmechanism = "{name}"\nmeasure = "account"\ncompose = 20\n'
        f'budget = ["1e-5", "1/2"]\nparameters = {{ {parameters} }}\n'
    )
    (finding,) = run_gate(path).mechanisms
    assert isinstance(finding.report, CertifiedAccount)
    assert (finding.report.judged.method == "lattice") is not ball
    (row,) = rows_of(finding.report, ())
    assert row.covered is ball


def test_a_configuration_that_is_edited_meanwhile_is_not_the_one_that_was_checked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dpaudit.toml"
    loose = '[[mechanism]]\nmechanism = "EHDS"\nn = 3\nbudget = 1\n'
    path.write_text(loose)

    def edit(title: str) -> None:
        path.write_text(loose.replace("budget = 1", 'budget = "1/1000"'))

    gate = run_gate(path, progress=edit)
    assert gate.verdict.value == "within"
    assert gate.config_sha256 == sha256(loose.encode()).hexdigest()
    report = tmp_path / "report.json"
    report.write_bytes(encode(gate))
    found = verify(report, requirements=Requirements(config=path))
    assert found.verdict == "rejected"
    assert any("another SHA-256" in one.message for one in found.disagreements)


@pytest.mark.parametrize("reference", ["moves.py:Coin", "moves:Coin"])
def test_a_mechanism_is_hashed_as_it_was_compiled(
    reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes itself while it is imported stands for every editor that is quick."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    content = MOVES.encode()
    Path("moves.py").write_bytes(content)
    try:
        audit = dpaudit.check(reference).audit
    finally:
        sys.modules.pop("moves", None)
    assert Path("moves.py").read_bytes() != content
    assert audit.loaded is not None
    assert audit.loaded.sha256 == sha256(content).hexdigest()


MOVES = """
from pathlib import Path

with Path(__file__).open("a") as file:
    file.write("# edited\\n")


class Coin:
    budget, datasets, neighbours = "2", [0, 1], "all"

    def law(self, bit):
        return {bit: "3/4", 1 - bit: "1/4"}
"""
