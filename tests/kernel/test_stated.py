"""Theorems about typed statements: their types are made from the statements, and nothing else."""

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from dpaudit.claims.claim import Claim, Grade, Settings
from dpaudit.claims.deciding import decide
from dpaudit.claims.discover import discover
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import forall
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError
from dpaudit.kernel import development
from dpaudit.kernel.development import CLASSICAL, _levels, _needs
from dpaudit.kernel.stated import KINDS, coq_name, graded, proposition_of, stated_file
from dpaudit.results import KernelTheorem
from dpaudit.results.documents import seal_of
from tests.claims.changed import falsified, negated
from tests.claims.kernel_mutants import Proof, compiled, kernel_mutants, proofs_of, standing

needs_coq = pytest.mark.skipif(
    development.coq_version() is None, reason="Coq is not installed: theorems are not checked"
)
PACKAGE = "dpaudit_proofs"


def known() -> dict[str, Claim]:
    return {name: item.claim for name, item in discover().items()}


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (forall("real x", "x > 0", holds="x^2 >= x - 1"), "(v_x > (0)) ->"),
        (forall("natural n", holds="max(n, 1) <= 2"), "(Rmax (IZR v_n) (1))"),
        (forall("integer n", holds="all(i, 0, n, i <= n)"), "(forall v_i : Z, (0) <= (IZR v_i)"),
        (forall("real s", "s > 0", holds="F_lap(s, 0) == log(pi)"), "(ln PI)"),
        (forall("natural n", holds="2^n > 0"), "(power (2) (IZR v_n))"),
        (forall("natural n", holds="digit(2, n, 0) < choose(2, 1)"), "(digit (2) (IZR v_n) (0))"),
    ],
)
def test_a_statement_is_written_for_coq(statement: Any, text: str) -> None:
    written, gamma = proposition_of(statement)
    assert text in written
    assert not gamma


@pytest.mark.parametrize(
    ("holds", "text"),
    [
        ("sum(i, 0, n, H((1, i + 1), (1, 1))) > 0", "(range_sum (0) (IZR v_n) (fun v_i : Z => "),
        ("H((1, 1, 1), (1, 1, 1)) == 0", "(distance3 G (1) (1) (1) (1) (1) (1))"),
        ("GS((1, 1), n + 1) > 0", "(global_sensitivity G (1) (1) ((IZR v_n) + (1)))"),
        ("S_beta((1, 1), 2, (n, 1)) > 0", "(beta_smooth G (1) (1) (2) (IZR v_n) (1))"),
        ("P_exp(1, (1, 1), (n, 0), (0, n)) > 0", "(exponential G (1) (1) (1) (IZR v_n) (0) (0)"),
    ],
)
def test_words_of_the_notes_are_written_for_coq(holds: str, text: str) -> None:
    written, gamma = proposition_of(forall("natural n", holds=holds))
    assert text in written
    assert gamma


@pytest.mark.parametrize(
    "holds",
    [
        "largest(i, 0, n, i) >= 0",
        "H((1, 1, 1, 1), (1, 1, 1, 1)) == 0",
        "GS((1, 1, 1), 1) > 0",
        "all(i, 1, n, x[i + 1] >= 0)",
        "H(each(i, 1, n, x[i]), each(i, 1, n, x[i])) >= largest(i, 0, n, i)",
    ],
)
def test_what_has_no_translation_is_refused(holds: str) -> None:
    with pytest.raises(FormulaError, match="not written for Coq"):
        proposition_of(forall("natural n, reals x", holds=holds))


def test_lists_are_functions_of_whole_numbers_in_coq() -> None:
    statement = forall(
        "natural k, reals a, integers x",
        "k >= 2",
        holds="LS(each(i, 1, k, a[i]), each(i, 1, k, x[i] + same(i, 1))) >= a[k] - x[k]",
    )
    written, gamma = proposition_of(statement)
    assert gamma
    assert "(v_a : Z -> R) (v_x : Z -> Z)" in written
    assert "(entries (1) (IZR v_k) (fun v_i : Z => (v_a v_i)))" in written
    assert "(fun v_i : Z => ((IZR (v_x v_i)) + (same (IZR v_i) (1))))" in written
    assert "((v_a v_k) - (IZR (v_x v_k)))" in written


def test_a_statement_about_every_score_says_every_score_in_coq() -> None:
    text, gamma = proposition_of(forall("real x", holds="score(x, 1) < score(x, 2)"))
    assert text.startswith("forall score : R -> R -> R,\n  forall (v_x : R),")
    assert not gamma


def test_a_bound_variable_that_is_another_outside_is_kept_apart() -> None:
    written, _ = proposition_of(forall("real i", holds="all(i, 0, 1, i < 2) or i > 5"))
    assert "((IZR v_i) < (2))" in written
    assert "(v_i > (5))" in written


def test_two_statements_do_not_share_a_name() -> None:
    claim = known()["lap-tail"]
    with pytest.raises(ParameterError, match="called"):
        stated_file([claim, replace(claim, id="lap+tail")])


def test_every_theorem_is_of_a_statement_that_is_written() -> None:
    claims = known()
    texts = development.sources([PACKAGE], claims.values())
    marked = [one for one in development.marked(texts) if one.relation in KINDS]
    assert len({one.claim for one in marked}) >= 90
    for one in marked:
        assert f"Definition {coq_name(one.claim)}{KINDS[one.relation]} :" in texts["Stated"]


def needed(*names: str) -> dict[str, str]:
    """Return the files that statements need, and others; marks of other claims left out."""
    texts = development.sources([PACKAGE], known().values())
    wanted, waiting = set(names), ["Laws", "Posterior", "Words", "Stated", *names]
    while waiting:
        name = waiting.pop()
        if name not in names:  # what others prove is asked elsewhere
            texts[name] = re.sub(r"\(\* [\w ]+: .* \*\)\n", "", texts[name])
        waiting += {*_needs(texts[name])} - wanted
        wanted |= {name, *_needs(texts[name])}
    return {name: texts[name] for name in sorted(wanted)}


def accepted(texts: dict[str, str], folder: Path) -> dict[str, KernelTheorem]:
    return {t.theorem: t for t in development.check(texts, folder, 1, lambda text: None)}


SMALL = """Require Import Reals Lra.
From dpaudit Require Import Words Stated.
Open Scope R_scope.
"""


@needs_coq
def test_a_theorem_has_to_be_the_statement_itself(tmp_path: Path) -> None:
    texts = needed()
    texts["Small"] = SMALL + (
        "(* proves: em-local-step-7 *)\n"
        "Theorem right : s_em_local_step_7. Proof. intros sx sy **. lra. Qed.\n"
        "(* proves: em-local-step-8 *)\n"
        "Theorem other : s_em_local_step_7. Proof. intros sx sy **. lra. Qed.\n"
        "Definition s_lap_tail : Prop := True.\n"
        "Module Stated. Definition s_lap_bins := True. End Stated.\n"
        "(* proves: lap-bins *)\n"
        "Theorem hidden : Stated.s_lap_bins. Proof. exact I. Qed.\n"
        "(* proves: lap-tail *)\n"
        "Theorem shadowed : s_lap_tail. Proof. exact I. Qed.\n"
        "(* disproves: em-local-step-7 *)\n"
        "Theorem contrary : s_em_local_step_7. Proof. intros sx sy **. lra. Qed.\n"
    )
    found = accepted(texts, tmp_path)
    small = [name for name, t in found.items() if t.accepted and name.startswith("Small.")]
    assert small == ["Small.right"]
    assert found["Small.other"].reason.startswith(
        "it is not a proof of dpaudit.Stated.s_em_local_step_8"
    )
    assert set(found["Small.right"].axioms) <= development.CLASSICAL


@needs_coq
def test_no_mutant_of_a_statement_keeps_its_theorem(tmp_path: Path) -> None:
    claims = known()
    claim = claims["em-local-step-9"]
    assert claim.typed is not None
    texts = needed()
    texts["Small"] = SMALL + (
        "(* proves: em-local-step-9 *)\n"
        "Theorem same : forall sx sy : R, 0 < sy -> sy < sx -> - sy * (sy - sx) < 2 * sx * sy.\n"
        "Proof. intros. nra. Qed.\n"
    )
    mutants = [mutant for _, mutant in falsified(claim.typed)]
    assert len(mutants) >= 8
    for statement in (claim.typed, mutants[0], mutants[2], mutants[-1]):
        changed = replace(claim, typed=statement)
        texts["Stated"] = stated_file([changed])
        found = accepted(texts, tmp_path)["Small.same"]
        assert found.accepted is (statement == claim.typed), found.reason


@needs_coq
def test_coq_refuses_what_is_false_of_a_changed_statement_and_may_accept_what_is_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = known()["em-local-step-8"]
    texts = needed()
    texts["Small"] = SMALL + (
        "(* proves: em-local-step-8 *)\n"
        "Theorem step : s_em_local_step_8.\nProof. intros sx sy **. lra. Qed.\n"
    )
    compiled(texts, tmp_path)
    counts = kernel_mutants(claim, texts, tmp_path, most=12)
    assert counts["theorems as they are accepted"] == counts["theorems"] == 1
    assert counts["refused"] >= 4
    assert counts["sign: accepted"] == 1  # sx + sy < 2*sx is true as well
    assert counts["accepted: false at no point"] == counts["accepted"]
    assert counts["accepted"] + counts["refused"] == counts["mutants"]
    assert capsys.readouterr().out.count("\n") == counts["accepted"]


def test_a_false_theorem_would_be_seen() -> None:
    claim = known()["em-local-step-8"]
    proof = Proof("proves", "Small", "Proof. Qed.", "")
    false = forall("real sx sy", "0 < sy", "sy < sx", holds="sx - sy < sx/2")
    assert standing(claim, proof, false) == "false"
    assert standing(claim, replace(proof, relation="disproves"), false) == "true at a point"
    assert standing(claim, proof, negated(false)) == "true at a point"
    assert claim.typed is not None
    assert standing(claim, proof, claim.typed) == "false at no point"
    assert standing(claim, replace(proof, relation="disproves"), negated(false)) == "false"


def test_every_theorem_that_decides_a_statement_is_found_with_its_proof() -> None:
    texts = development.sources([PACKAGE], known().values())
    wanted = [one for one in development.marked(texts) if one.relation in KINDS]
    found = [proof for claim in known().values() for proof in proofs_of(claim, texts)]
    assert len(found) == len(wanted) >= 190
    assert all("Require Import Reals" in proof.header for proof in found)


def test_what_a_reader_is_told_of_axioms_is_every_line() -> None:
    told = "Axioms:\nA.b : forall P,\n  P\nf is assumed to be guarded.\n"
    assert development._AXIOM.findall(told.partition("Axioms:")[2]) == ["A.b", "f"]


def theorem(claim: str, relation: str) -> KernelTheorem:
    return KernelTheorem(
        claim=claim,
        relation=relation,
        theorem="A.b",
        accepted=True,
        axioms=("c",),
        open=(),
        seconds=0,
    )


def test_a_grade_needs_the_engine_and_the_theorem_to_say_the_same() -> None:
    claims = known()
    step = claims["em-local-step-7"]
    settings = Settings()
    (one,) = graded([step], [theorem(step.id, "proves")], settings)
    assert (one.verdict, one.grade, one.axioms) == ("proved", "kernel", ("c",))
    assert not graded([step], [theorem(step.id, "disproves")], settings)
    assert not graded([step], [theorem(step.id, "claim")], settings)
    assert not graded([step], [], settings)
    on = claims["lap-dilation-1"]
    assert not graded([on], [theorem(on.id, "proves on")], settings)
    both = [theorem(on.id, "proves on"), theorem(on.id, "disproves")]
    assert graded([on], both, settings)[0].verdict == "holds_on"


def test_theorems_decide_what_is_argued_but_not_what_has_no_meaning() -> None:
    argued = known()["em-global-step-3"]
    settings = Settings()
    assert decide(argued, settings).grade is Grade.ARGUED
    assert graded([argued], [theorem(argued.id, "proves")], settings)[0].verdict == "proved"
    assert not graded([argued], [theorem(argued.id, "disproves")], settings)
    assert argued.typed is not None
    anywhere = forall("real u v d x y eps", holds=argued.typed.proposition)
    assert not graded([replace(argued, typed=anywhere)], [theorem(argued.id, "proves")], settings)


@pytest.mark.parametrize(
    ("domain", "holds"),
    [
        (("sx > 1", "sx < 0"), "0 == 1"),  # nothing is in it, and the theorem is true
        (("H((1, 1), (2, 2)) > 3",), "sx > 5"),
        (("sx > 1",), "H((1, 1), (2, 2)) > 3"),  # a theorem that a value contradicts
    ],
)
def test_a_theorem_about_nothing_is_no_grade(domain: tuple[str, ...], holds: str) -> None:
    claim = known()["em-local-step-7"]
    empty = replace(claim, typed=forall("real sx", *domain, holds=holds))
    assert not graded([empty], [theorem(claim.id, "proves")], Settings())


def test_a_theorem_about_an_empty_smaller_domain_is_no_grade() -> None:
    claim = replace(known()["lap-dilation-1"], holds_on=("1 == 2",))
    both = [theorem(claim.id, "proves on"), theorem(claim.id, "disproves")]
    assert not graded([claim], both, Settings())


def test_the_record_of_coq_is_of_this_development(capsys: pytest.CaptureFixture[str]) -> None:
    claims = known()
    report = json.loads((files(PACKAGE) / "kernel.json").read_text())
    texts = development.sources([PACKAGE], claims.values())
    assert report["development"] == development.fingerprint_of(texts), (
        "record it again: dpaudit prove --kernel --format json --output FILE"
    )
    assert report["sha256"] == seal_of(report)
    assert all(one["accepted"] for one in report["theorems"])
    assert len(report["claims"]) >= 120
    assert {axiom for one in report["claims"] for axiom in one["axioms"]} <= {
        *development.CLASSICAL,
        *development.OPEN,
    }
    assert invoke(["prove", "em-local-step-7", "em-local-step-3"]) == 0
    said = capsys.readouterr().out
    assert "Coq accepted theorems about 1 of these statements in its last recorded run" in said
    assert "kernel" not in said.partition("Coq accepted")[0]  # this run did not ask


def test_a_record_of_another_development_is_not_mentioned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(development, "fingerprint_of", lambda texts: "another")
    assert invoke(["prove", "em-local-step-7"]) == 0
    assert "Coq" not in capsys.readouterr().out


def test_the_whole_base_names_coq_and_its_axioms(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["show", "--trust"]) == 0
    said = capsys.readouterr().out
    base, _, each = said.partition("Claim by claim")
    for name in ("Coq [Coq 8.", "is_gamma, of Coq", *(f"{a}, of Coq" for a in CLASSICAL)):
        assert f"  - {name}" in base
    lines = {line.split()[1]: line for line in each.splitlines() if line.startswith("  - ")}
    assert "; kernel, on record: Coq 8." in lines["lap-tail"]
    assert "is_gamma" in lines["I-right"]
    assert "kernel" not in lines["em-local-step-3"]


def test_a_file_that_is_exported_again_is_compiled_first() -> None:
    """Else both are compiled at once, and one of them finds nothing."""
    texts = {"Words": "From dpaudit Require Export Posterior.\n", "Posterior": ""}
    assert _levels(texts) == [["Posterior"], ["Words"]]
