"""``dpaudit prove``: what it decides, prints, writes and exits with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpaudit.cli.main import invoke

Run = Callable[..., tuple[int, str, str]]

MINE = """
from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim
from dpaudit.claims.evidence import SMTProof

CLAIMS = [
    Claim(id="my-am-gm", source="here", statement="x² + y² ≥ 2xy", domain="all real x, y",
          evidence=(SMTProof(title="a square", goal="x^2 + y^2 >= 2*x*y"),)),
    Claim(id="my-wrong", source="here", statement="x² > x for x > 0", domain="x > 0",
          evidence=(OrthantCertificate(title="no", positive="x^2 - x", shift={"x": "s"}),)),
]
"""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)

    def run_in_folder(*arguments: str) -> tuple[int, str, str]:
        code = invoke(list(arguments))
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run_in_folder


def test_claims_of_the_notes_are_found_and_decided(run: Run) -> None:
    code, out, err = run("prove", "I-left", "I-right", "--solver", "both")
    assert (code, err) == (0, "")
    assert "2 claims: 2 checked (1 proved, 1 holds_on)" in out


def test_an_explanation_says_where_it_fails_where_it_holds_and_why(run: Run) -> None:
    code, out, _ = run("prove", "I-left", "--explain")
    assert code == 0
    for piece in ("counterexample", "Holds on", "positivity certificate", "Repaired", "Why"):
        assert piece in out
    assert "b > a + 2" in out


def test_claims_of_my_own(run: Run) -> None:
    code, out, _ = run("prove", "--from", "mine.py", "--format", "json")  # and no other claims
    document = json.loads(out)
    assert code == 3
    assert document["schema"] == "dpaudit.claims/1"
    assert document["verdict"] == "undecided"
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    assert verdicts == {"my-am-gm": "argued: proved", "my-wrong": "undecided"}
    wrong = document["claims"][1]
    assert "coefficients are negative" in wrong["reason"]
    assert wrong["evidence"][0]["status"] == "does not hold"


def test_a_changed_verdict_is_seen_against_a_ledger(run: Run, tmp_path: Path) -> None:
    assert run("prove", "--from", "mine.py", "my-am-gm", "--record", "ledger.json")[0] == 0
    again = ("prove", "--from", "mine.py", "my-am-gm", "--ledger", "ledger.json")
    code, out, _ = run(*again)
    assert code == 0
    assert "as recorded" in out
    (tmp_path / "mine.py").write_text(MINE + "\n# changed\n")
    code, out, _ = run(*again)
    assert code == 0
    assert "as recorded, from changed code" in out
    ledger = json.loads((tmp_path / "ledger.json").read_text())
    ledger["claims"][0]["verdict"] = "refuted"
    (tmp_path / "ledger.json").write_text(json.dumps(ledger))
    code, out, _ = run(*again)
    assert code == 1
    assert "changed against the ledger: my-am-gm" in out


def test_a_claim_that_raises_is_reported_and_the_others_still_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise RuntimeError('planted')\n")
    code, out, _ = run("prove", "--from", "bad.py", "--from", "mine.py", "bad", "my-am-gm")
    assert code == 70
    assert "bad: RuntimeError: planted" in out
    assert "my-am-gm   argued: proved" in out


def test_a_solver_that_times_out_leaves_the_claim_undecided(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hard.py").write_text(
        "from dpaudit.claims.claim import Claim\n"
        "from dpaudit.claims.evidence import SMTProof\n"
        "CLAIMS = [Claim(id='hard', source='', statement='', domain='', evidence=(SMTProof("
        "title='hard', hypotheses=('x^3*y^2*z + y^5*x - z^7 == 3', 'x*y*z > 1'),"
        "goal='x^9*y + z^9*x + y^9*z > 0 - 10^2*x^3*y^3*z^3 - 10^9'),))]\n"
    )
    code, out, _ = run("prove", "--from", "hard.py", "hard", "--timeout", "0.001")
    assert code == 3
    assert "hard: SMT “hard” undecided: z3: unknown" in out


def test_smt_queries_are_exported(run: Run, tmp_path: Path) -> None:
    assert run("prove", "--from", "mine.py", "my-am-gm", "--export-smt", "smt")[0] == 0
    (path,) = (tmp_path / "smt").iterdir()
    assert path.name == "my-am-gm-1.smt2"
    assert "(check-sat)" in path.read_text()


def test_workers_give_the_same_report(run: Run) -> None:
    arguments = ("prove", "--from", "mine.py", "my-*", "I-*", "--format", "json")
    assert run(*arguments)[1] == run(*arguments, "--jobs", "2")[1]


def test_the_list_and_the_markdown(run: Run) -> None:
    assert "I-left" in run("prove", "--list")[1]
    _, out, _ = run("prove", "I-*", "--format", "markdown")
    head = "| claim | where it is said | what is claimed | verdict | grade | tools | what is true |"
    assert head in out
    assert "| `I-left` |" in out


BAD = {
    "prove I-lft": "did you mean I-left",
    "prove nothing-*": "no claim is called",
    "prove --from missing.py": "no such file",
    "prove --from .": "no such file",
    "prove --solver prolog": "is not one of",
    "prove --timeout 0": "timeout = 0",
    "prove --timeout x": "not a valid float",
    "prove --jobs 0": "jobs = 0",
    "prove --ledger mine.py": "not a ledger",
    "prove --output missing/report": "cannot write missing/report",
    "prove --from empty.py": "must offer CLAIMS",
    "prove --from mine.py --from mine.py": "two claims have the id",
}


@pytest.mark.parametrize("command", BAD)
def test_bad_input_gets_one_line(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "empty.py").write_text("CLAIMS = 3\n")
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert err.startswith("dpaudit: ")
    assert err.count("\n") == 1
    assert BAD[command] in err
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"empty.py", "mine.py"}


def test_an_unknown_id_like_no_other_is_one_short_line(run: Run) -> None:
    code, out, err = run("prove", "qqqqqqqq")
    assert (code, out) == (2, "")
    assert len(err) < 200
    assert "known are" in err
    assert "such as" in err
