"""The statement decides: falsified it is not proved, weakened it is, by the same evidence."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from dpaudit.claims.certificate import BoxCertificate, SumOfProducts
from dpaudit.claims.claim import Claim, ClaimVerdict, Evidence, Grade, Settings, Status, checked
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.derivation import Derivation, Use, undefined
from dpaudit.claims.evaluate import certain, confirmed
from dpaudit.claims.evidence import Identity, SMTProof
from dpaudit.claims.exhaustion import Exhaustion
from dpaudit.claims.points import points, try_out
from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.rationals import exact
from dpaudit.claims.statement import exists, forall, formula_text, read
from dpaudit.claims.terms import parse
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.cli.main import invoke
from dpaudit.results.claims import Statement, StatementQuestion
from tests.claims.changed import false_somewhere, falsified
from tests.claims.mutants import counted, evidence_mutants, statement_mutants, typed_claims

PART = ("I-right", "cor-4.4.1-eq2", "lap-tail", "em-local-step-9")
"""Claims whose mutants the suite looks at; the module tests.claims.mutants looks at all."""


def test_false_mutants_of_statements_are_not_proved_and_weaker_ones_are() -> None:
    counts = sum((statement_mutants(c, most=11) for c in typed_claims(PART)), Counter())
    assert counts["mutants"] >= 40
    assert counts["false and proved"] == 0
    assert counts["mutants refuted"] >= counts["mutants"] // 2
    assert counts["weakenings"] >= 8
    assert counts["weakenings decided"] >= 0.9 * counts["weakenings"]


def test_changed_statements_are_of_every_kind() -> None:
    statement = forall("real x y", "x > 0", "y > 1", holds="x + 2*y > 2 - x")
    kinds = Counter(kind for kind, _ in falsified(statement, 6))
    assert kinds == dict.fromkeys(
        ("negated", "quantifier", "domain", "constant", "sign", "relation"), 1
    )
    assert len({mutant for _, mutant in falsified(statement, 100)}) >= 11
    for claim in typed_claims():
        assert claim.typed is not None
        assert len(falsified(claim.typed, 6)) >= 5, claim.id


def test_what_a_file_keeps_is_not_made_again_and_said_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims, asked = typed_claims(PART), []

    def over(claim: Claim) -> Counter[str]:
        asked.append(claim.id)
        print(f"{claim.id}: seen")
        return Counter(claims=1)

    for _ in range(2):
        assert counted("test", claims, tmp_path / "kept", over)["claims"] == len(PART)
        assert capsys.readouterr().out.count(": seen\n") == len(PART)
    assert sorted(asked) == sorted(PART)


def test_a_false_statement_is_seen_beside_a_point_that_is_named() -> None:
    narrow = forall("real x", "x > 1000", holds="x != 1001")
    assert not false_somewhere(narrow)
    assert false_somewhere(narrow, near=({"x": "1001"},))


def test_mutants_of_evidence_that_hold_state_what_is_true() -> None:
    claims = typed_claims(("cor-4.4.1-eq2", "em-local-step-9"))
    counts = sum(map(evidence_mutants, claims), Counter())
    assert counts["mutants"] >= 10
    assert counts["false and held"] == 0


@pytest.mark.parametrize("name", vocabulary().facts)
def test_a_fact_is_true_wherever_it_is_tried(name: str) -> None:
    trial = try_out(read(vocabulary().facts[name]))
    assert trial.tried >= 5
    assert trial.false_at is None
    assert not trial.undefined


@pytest.mark.parametrize(
    "text",
    [
        "a + b*c",
        "(a + b)*c",
        "a - (b - c)",
        "a/(b/c)",
        "(a^2)^3",
        "-(a + b)",
        "not (a < b and c < b)",
    ],
)
def test_terms_are_read_back_from_their_text(text: str) -> None:
    assert parse(str(parse(text))) == parse(text)


def test_statements_are_data_both_ways() -> None:
    statement = forall("real x, natural n", "x > 0", holds="x^2 >= 0 or n == 1")
    assert msgspec.json.decode(msgspec.json.encode(statement), type=Statement) == statement
    assert formula_text(statement) == "∀ x ∈ ℝ, n ∈ ℕ, x > 0: x^2 ≥ 0 or n = 1"


def test_samples_are_the_same_every_time_and_reach_the_edges() -> None:
    parsed = read(forall("integer n c", "c >= 3", "c <= n", holds="c < n"))
    assert points(parsed) == points(parsed)
    assert try_out(parsed).false_at is not None


def status(evidence: Evidence) -> Status:
    return checked(evidence, Settings(timeout_seconds=5)).status


def test_contradictory_hypotheses_and_empty_boxes_are_refused() -> None:
    vacuous = SMTProof(title="v", hypotheses=("x > 1", "x < 0"), goal="x == 9")
    assert status(vacuous) is Status.FAILS
    assert (
        status(BoxCertificate(title="b", positive="x - 9", box={"x": ("1", "0")})) is Status.FAILS
    )
    none = SumOfProducts(title="n", goal="0*x", hypotheses=("x",), products=())
    assert status(none) is Status.FAILS


def test_an_identity_that_is_false_for_some_signs_is_refused() -> None:
    def chain() -> list[object]:
        from sympy import sqrt, symbols

        x, y = symbols("x y", real=True)
        return [sqrt(x * y), sqrt(x) * sqrt(y)]

    def root() -> list[object]:
        from sympy import sqrt, symbols

        x = symbols("x", real=True)
        return [sqrt(x**2), x]

    assert status(Identity(title="i", chain=root, shown=("√x²", "x"))) is Status.FAILS
    assert status(Identity(title="i", chain=chain, shown=("a", "b"))) is Status.FAILS


def test_a_divisor_that_can_vanish_is_refused() -> None:
    proof = Derivation(title="d", proves=forall("real x", holds="x/x == 1"))
    assert status(proof) is not Status.HOLDS
    away = Derivation(title="d", proves=forall("real x", "x != 0", holds="x/x == 1"))
    assert status(away) is Status.HOLDS


def test_induction_needs_its_start_and_its_step() -> None:
    base = forall("integer n", "n >= 0", holds="n^3 + 2*n >= 0")
    assert status(Derivation(title="d", proves=base, induction=("n", "0"))) is Status.HOLDS
    wrong = forall("integer n", "n >= 0", holds="n < 5")
    assert status(Derivation(title="d", proves=wrong, induction=("n", "0"))) is not Status.HOLDS
    gap = forall("integer n", "n >= 0", "n != 3", holds="n <= 2")
    assert status(Derivation(title="d", proves=gap, induction=("n", "0"))) is not Status.HOLDS


def test_a_fact_is_used_only_where_its_conditions_hold() -> None:
    wrong = Derivation(
        title="d",
        proves=forall("real x", holds="exp(log(x)) == x"),
        uses=(Use("exp-log", {"s": "x"}),),
    )
    assert status(wrong) is not Status.HOLDS


def test_a_sweep_is_over_the_cases_of_the_statement() -> None:
    statement = forall("natural n", "n >= 1", holds="LS((1, 1), (0, n)) < 1")
    found = decide_statement(statement, (Exhaustion(title="e", of=statement, bounds=("n <= 6",)),))
    assert (found.verdict, found.grade) == (ClaimVerdict.VERIFIED_TO, Grade.SWEPT)
    assert status(Exhaustion(title="e", of=statement, bounds=("n <= 0",))) is Status.FAILS


def test_an_existential_statement_is_shown_by_a_point() -> None:
    found = decide_statement(exists("natural n", where="n^2 == 9"))
    assert (found.verdict, found.grade) == (ClaimVerdict.PROVED, Grade.CHECKED)
    assert decide_statement(exists("real x", where="x^2 < 0")).verdict is ClaimVerdict.REFUTED


@pytest.mark.parametrize(
    ("proposition", "code", "verdict"),
    [("c <= n", 0, "proved"), ("c < n", 0, "refuted"), ("H((c, n), (n, c)) < 2", 3, "undecided")],
)
def test_a_statement_given_as_data_is_decided(
    tmp_path: Path, proposition: str, code: int, verdict: str
) -> None:
    statement = forall("integer n c", "1 <= c", "c <= n", holds=proposition)
    question, report = tmp_path / "question.json", tmp_path / "report.json"
    content = msgspec.json.encode(StatementQuestion(claim="I-right", statement=statement))
    question.write_bytes(content)
    arguments = ["prove", "--check-statement", str(question), "--format", "json"]
    assert invoke([*arguments, "--output", str(report)]) == code
    assert msgspec.json.decode(report.read_bytes())["verdict"] == verdict


@pytest.mark.parametrize(
    "content",
    ["", "{}", '{"claim": "I-right", "statement": {"proposition": "x +"}}', '{"claim": "I-right"}'],
)
def test_a_file_that_is_no_statement_ends_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (tmp_path / "question.json").write_text(content)
    assert invoke(["prove", "--check-statement", str(tmp_path / "question.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


TIE = "H((61, 61), (62, 60)), H((61, 61), (60, 62))"
"""Equal numbers, of which balls alone do not show that they are."""


def test_at_most_is_decided_exactly_or_not_at_all() -> None:
    for left, right in ((1, 2), (2, 2), (3, 2)):
        assert exact(parse(f"at_most({left}, {right})"), {}) == int(left <= right)
        for wrap in ("{}", "sqrt({})", "exp({})", "H((1, {0}), ({0}, 1))"):
            first, second = (wrap.format(n) for n in (left, right))
            truth = f"at_most({first}, {second}) == 1 and {first} <= {second}"
            truth += f" or at_most({first}, {second}) == 0 and {first} > {second}"
            assert confirmed(parse(truth), {}) is True
    closed = "H((2, 3), (4, 1)), H((1, 4), (3, 2))"
    assert confirmed(parse(f"at_most({closed}) == 1 and same({closed}) == 1"), {}) is True
    for value in (0, 1):
        assert certain(parse(f"at_most({TIE}) == {value}"), {}) is None
        assert certain(parse(f"same({TIE}) == {value}"), {}) is None


FALSE_OF_AT_MOST = {
    "it is 0 at a tie": ("s >= t", "at_most(s, t) == 0"),
    "it is 1 beyond": ("s > t", "at_most(s, t) == 1"),
    "it is 1": ("s <= 9", "at_most(s, t) == 1"),
    "one of two is 1, and one 0": ("s <= 9", "at_most(s, t) + at_most(t, s) == 1"),
    "it grows with the first": ("s < t", "at_most(s, 0) <= at_most(t, 0)"),
    "of functions too": ("s > 0 and t > 0", "at_most(exp(s), exp(t)) == 1"),
    "it is the order of sums": ("s <= 9", "sum(i, 0, 2, at_most(i, s)) == 3"),
}


@pytest.mark.parametrize(("domain", "holds"), FALSE_OF_AT_MOST.values(), ids=FALSE_OF_AT_MOST)
def test_what_is_false_of_at_most_is_not_proved(domain: str, holds: str) -> None:
    statement = forall("real s t", domain, holds=holds)
    piece = SMTProof(title="as if", hypotheses=(domain,), goal="s == s")
    for evidence in ((), (piece,), (Derivation(title="so", proves=statement),)):
        assert decide_statement(statement, evidence).verdict is ClaimVerdict.REFUTED
    assert checked(Derivation(title="so", proves=statement), Settings()).status is not Status.HOLDS


TRUE_OF_AT_MOST = {
    "at a tie": ("s <= t", "at_most(s, t) == 1"),
    "beyond": ("s > t", "at_most(s, t) == 0"),
    "of two": ("s <= 9", "at_most(s, t) + at_most(t, s) >= 1"),
    "its range": ("s <= 9", "at_most(s, t) >= 0 and at_most(s, t) <= 1"),
    "of functions": ("exp(s) <= exp(t)", "at_most(exp(s), exp(t)) == 1"),
}


@pytest.mark.parametrize(("domain", "holds"), TRUE_OF_AT_MOST.values(), ids=TRUE_OF_AT_MOST)
def test_what_is_true_of_at_most_follows(domain: str, holds: str) -> None:
    found = decide_statement(forall("real s t", domain, holds=holds))
    assert found.verdict is ClaimVerdict.PROVED


def test_at_most_is_a_whole_number_and_no_list() -> None:
    whole = forall("real s", holds="largest(i, 0, at_most(s, 1), i) <= 1")
    assert undefined(whole, (), Settings()) == ""
    for text in ("at_most(1) == 1", "at_most(1, 2, 3) == 1", "at_most((1, 2), 3) == 1"):
        with pytest.raises(FormulaError):
            assert confirmed(read(forall("", holds=text)).proposition, {})
