"""Audits as theorems: Coq accepts what is exported, and rejects what is changed in it."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.api.plans import make_plan
from dpaudit.errors import ParameterError
from dpaudit.kernel.certificate_checker import exp_minus
from dpaudit.kernel.theorems import least, theorem
from dpaudit.notes.hellinger_theorem import hellinger_theorem

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed: theorems are not checked"
)


def exported(name: str, n: int, budget: str | None = None, **parameters: Any) -> str:
    mechanism = dpaudit.mechanism(name, **parameters)
    return theorem(mechanism, n, make_plan(mechanism, budget=budget)).decode()


def coqc(folder: Path, text: str) -> tuple[int, str]:
    (folder / "audit.v").write_text(text)
    command = ["coqc", "-q", "audit.v"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    return done.returncode, done.stdout + done.stderr


def without_axioms(text: str) -> str:
    """Leave out what takes longest: the list of the axioms of coq-interval."""
    return text.partition("Print Assumptions")[0]


@needs_coq
def test_a_tie_is_a_theorem_and_less_is_none(tmp_path: Path) -> None:
    text = exported("RR", 1, truth="3/4", budget="ln(3)")
    assert "realised_epsilon_in outputs neighbours law (ln 3) (ln 3)" in text
    code, said = coqc(tmp_path, text)
    assert code == 0, said
    axioms = {line.split(" ")[0] for line in said.splitlines() if line[:1].isalpha()} - {"Axioms:"}
    assert axioms == {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
    for true, false in (
        ("law (ln 3) (ln 3)", "law (ln 2) (ln 2)"),
        ("law (ln 3) (0 / 1)", "law (ln (29 / 10)) (0 / 1)"),
        ("0%nat 1%nat 0%nat (ln 3)", "0%nat 1%nat 1%nat (ln 3)"),
    ):
        assert true in text
        assert coqc(tmp_path, text.replace(true, false))[0] != 0, false


@needs_coq
def test_an_excess_is_a_theorem(tmp_path: Path) -> None:
    text = without_axioms(exported("LSHist", 3, budget="3/5,1/20"))
    assert "~ private outputs neighbours law (3 / 5) (1 / 20)" in text
    code, said = coqc(tmp_path, text)
    assert code == 0, said
    assert coqc(tmp_path, text.replace("law (3 / 5) (1 / 20)", "law (3 / 5) (1 / 5)"))[0] != 0


@needs_coq
def test_an_audit_with_gamma_is_a_theorem_from_the_definition(tmp_path: Path) -> None:
    text = without_axioms(exported("EHDS", 2))
    assert "scored prior (4/5) (4) sensitivity" in text
    code, said = coqc(tmp_path, text)
    assert code == 0, said


def test_theorems_that_cannot_be_written_are_refused() -> None:
    with pytest.raises(ParameterError, match="prior of whole numbers"):
        exported("EHDS", 3, prior="1/2,1")
    with pytest.raises(ParameterError, match="at most 500"):
        exported("EHDS", 30)
    with pytest.raises(ParameterError, match="roots"):
        exported("LSDim", 3, eps="ln(3)")


def test_a_theorem_is_of_the_neighbours_that_were_audited() -> None:
    """What is proved from the definition of H is about substitution: it says so, or says no."""
    mechanism = dpaudit.mechanism("EHD", prior="1,1")
    plan = make_plan(mechanism, adjacency="histogram-add-remove")
    with pytest.raises(ParameterError, match="histogram-substitution alone"):
        hellinger_theorem(mechanism, 2, plan, dpaudit.check("EHD", n=2).only)


def test_no_text_of_a_mechanism_ends_a_comment(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from dpaudit import finite_mechanism\n"
        "@finite_mechanism(budget='ln(2)', datasets=['a *) Admitted. (*', 'b'], neighbours='all')\n"
        "def law(x):\n"
        "    return {'\"': '1/2', '*)': '1/2'}\n"
    )
    text = exported(f"{own}:law", 1)
    body = text[text.index("Import ListNotations.\nOpen Scope R_scope.\n\n(* dataset 0") :]
    assert "*) Admitted" not in body
    assert '"' not in body


def test_bounds_of_polynomials_are_those_that_coq_computes() -> None:
    low, high = exp_minus(4, 5, 32)
    assert least([1], low, high, 2**32) == 2**32
    assert least([0, 1], low, high, 2**32) == low * 2**32
    assert least([0, -1], low, high, 2**32) == -high * 2**32
