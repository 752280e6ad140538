"""The development of the claims: Coq accepts it, and not what is changed in it."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from dpaudit.claims.discover import discover
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError
from dpaudit.kernel import development
from tests.made_once import made_once

needs_coq = pytest.mark.skipif(
    development.coq_version() is None, reason="Coq is not installed: proofs are not checked"
)
PACKAGE = "dpaudit_proofs"


@pytest.fixture
def beside_laws(kept: Path, tmp_path: Path) -> Path:
    """A folder where the file is compiled that every other one needs."""
    made = made_once(kept, "laws in Coq", lambda folder: checked(texts(), folder))
    return Path(shutil.copytree(made, tmp_path / "coq"))


def texts(*names: str) -> dict[str, str]:
    found = development.sources([PACKAGE])
    return {name: found[name] for name in ("Laws", *names)}


def checked(found: dict[str, str], folder: Path) -> dict[str, Any]:
    done = development.check(found, folder, 1, lambda text: None)
    return {one.theorem: one for one in done}


def test_nothing_is_left_unproved_or_assumed_in_the_texts() -> None:
    word = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Unset Guard|bypass_check)\b")
    for name, text in development.sources([PACKAGE]).items():
        assert not word.search(text), name


def test_every_theorem_is_about_a_claim_that_exists() -> None:
    known = discover()
    marked = development.marked(development.sources([PACKAGE]))
    assert len(marked) >= 23
    assert [one for one in marked if one.claim not in known] == []


@needs_coq
def test_coq_accepts_theorems_and_names_what_they_leave_open(beside_laws: Path) -> None:
    found = checked(texts("Posterior", "Classics"), beside_laws)
    first = found["Posterior.statement_I"]
    assert first.accepted, first.reason
    assert first.open == ("is_gamma",)
    assert set(first.axioms) <= development.CLASSICAL
    again = checked(texts("Posterior", "Classics"), beside_laws)
    assert again["Posterior.statement_I"].seconds == 0
    assert again["Posterior.statement_I"].axioms == first.axioms


@needs_coq
@pytest.mark.parametrize(
    ("file", "true", "false"),
    [
        ("Posterior", "(n <= 2 * c + 1)%nat -> (c + 2", "(n <= 2 * c + 3)%nat -> (c + 2"),
        ("Laplace", "1 - exp lambda <= - lambda", "1 - exp lambda <= - lambda / 2"),
        ("Density", "- S <= step ->", "- (2 * S) <= step ->"),
    ],
)
def test_a_false_statement_is_refused(beside_laws: Path, file: str, true: str, false: str) -> None:
    found = texts(file)
    assert found[file].count(true) == 1
    found[file] = found[file].replace(true, false)
    assert not any(one.accepted for one in checked(found, beside_laws).values())


@needs_coq
def test_an_axiom_of_ones_own_is_refused(beside_laws: Path) -> None:
    found = texts("Laplace")
    start = "(* claim: lap-dilation-10 *)"
    found["Laplace"] = (
        found["Laplace"]
        .replace(start, f"Axiom easy : False.\n\n{start}")
        .replace(
            "Proof. intros L. pose proof (exp_ineq1 lambda). lra. Qed.",
            "Proof. destruct easy. Qed.",
        )
    )
    done = checked(found, beside_laws)["Laplace.step_10"]
    assert not done.accepted
    assert "easy" in done.reason


def test_an_axiom_of_ones_own_does_not_pass_for_one_of_coq(tmp_path: Path) -> None:
    """``Print Assumptions`` calls it Classical_Prop.classic, as it does Coq's."""
    found = texts("Laplace") | {"Classical_Prop": "Axiom classic : False.\n"}
    with pytest.raises(ParameterError, match=r"Classical_Prop\.v has the name of a file of Coq"):
        checked(found, tmp_path)


def test_files_that_need_each_other_are_refused(tmp_path: Path) -> None:
    circle = {"A": "From dpaudit Require Import B.", "B": "From dpaudit Require Import A."}
    with pytest.raises(ParameterError, match="each other: A, B"):
        development.write(circle, tmp_path)


def test_the_development_is_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "coq"
    assert invoke(["prove", "--export", "coq", str(folder)]) == 0
    project = (folder / "_CoqProject").read_text().splitlines()
    assert project[:2] == ["-Q . dpaudit", "Laws.v"]
    assert {path.name for path in folder.glob("*.v")} == set(project[1:])


def test_without_coq_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert invoke(["prove", "--kernel"]) == 2
    assert capsys.readouterr().err == (
        "dpaudit: --kernel needs Coq: coqc and coqchk are not installed\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--export", "lean", "there"], "--export lean: must be coq"),
        (["--build", "there"], "--build applies only to --kernel"),
        (
            ["--kernel", "--list"],
            "with --kernel or --export, leave out --record, --export-smt, --ledger, --explain, "
            "--list and --from",
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["prove", *arguments]) == 2
    assert capsys.readouterr().err == f"dpaudit: {said}\n"
