"""Attempts to have something false, empty or meaningless decided: none may come out ``proved``.

Each row of the tables is an attempt of a kind that a reader of the engine would try; the kind is
the first word of its name.
"""

from abc import ABCMeta
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from dpaudit.claims.certificate import BoxCertificate, OrthantCertificate, SumOfProducts
from dpaudit.claims.claim import ClaimVerdict, Evidence, EvidenceResult, Settings, Status, checked
from dpaudit.claims.deciding import decide_statement
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.exhaustion import Exhaustion
from dpaudit.claims.statement import exists, forall
from dpaudit.cli.main import invoke
from dpaudit.errors import DpauditError
from dpaudit.results.claims import Statement, StatementQuestion, Variable

FAR = "(x - 12345)*(x^2 + 1)"
"""Not 0 at any point that the engine tries, and 0 at x = 12345."""


def same(term: str) -> str:
    """Return an equation that is true wherever it has a meaning, hidden from samples."""
    return f"{FAR} != 0 or {term} == {term}"


MEANINGLESS = {
    "divisor a literal 0": same("x/0"),
    "divisor that is 0 identically": same("1/(x - x)"),
    "divisor in an argument": f"exp(1/{FAR}) > 0",
    "divisor 0 compared with anything": f"{FAR} != 0 or 0/(0*x) == 7",
    "divisor in a body": "sum(i, 0, 3, 1/(x - 12345)) == sum(i, 0, 3, 1/(x - 12345))",
    "power negative": f"({FAR})^(-1) == ({FAR})^(-1)",
    "power negative of a literal": same("0^(-1)"),
    "power that is no whole number": same("2^(x + 1/2)"),
    "power a variable below 0": same("(x - 12345)^(-2)"),
    "root of what is negative": f"{FAR} != 0 or sqrt(-1) == sqrt(-1)",
    "root in a body": same("sum(i, 0, 3, sqrt(i - 1))"),
    "logarithm of 0": f"log(({FAR})^2) == log(({FAR})^2)",
    "gamma of 0": f"gamma(({FAR})^2) > 0",
    "distance of a parameter 0": f"H((({FAR})^2, 1), (1, 1)) == H((({FAR})^2, 1), (1, 1))",
    "distance of different orders": same("H((1, 2), (1, 2, 3))"),
    "distance of a number": same("H(1, 2)"),
    "sensitivity without records": same("LS((1, 1), (0, 0))"),
    "sensitivity of counts that are not whole": same("LS((1, 1), (1/2, 1/2))"),
    "sensitivity of a prior 0": same("LS((0, 1), (1, 1))"),
    "sensitivity global of no records": same("GS((1, 1), 0)"),
    "sensitivity global of half a record": same("GS((1, 1), 1/2)"),
    "sensitivity smooth without records": same("S_beta((1, 1), 1, (0, 0))"),
    "sensitivity smooth of other orders": same("S_gamma((1, 1), 1, (1, 0, 0))"),
    "sensitivity smooth at a rate below 0": same("S_gamma((1, 1), -1, (1, 1))"),
    "law of counts below 0": same("P_exp(1, (1, 1), (-1, 2), (1, 0))"),
    "law of other orders": same("P_exp(1, (1, 1), (1, 1), (1, 1, 0))"),
    "noise of scale 0": f"F_lap(({FAR})^2, 1) == F_lap(({FAR})^2, 1)",
    "extreme over nothing": same("largest(i, 1, 0, i)"),
    "extreme over nothing far away": "largest(i, 0, (x - 12345)^2 - 1, i) >= 0 or x == x",
    "range that is not whole": same("sum(i, 0, 1/2, i)"),
    "tuple compared": same("(1, 2)"),
    "tuple as an argument": same("exp((1, 2))"),
    "text compared": same('"a"'),
    "text as an argument": same('exp("a")'),
}
"""Propositions about a whole x that have no meaning at x = 12345, at least."""


def settled(statement: Statement, *pieces: Evidence, settings: Settings | None = None) -> str:
    """Return the verdict; what is refused as bad input counts as none."""
    chosen = settings or Settings(timeout_seconds=5)
    return decide_statement(statement, pieces, chosen).verdict.value


@pytest.mark.parametrize("kind", MEANINGLESS)
def test_what_has_no_meaning_somewhere_is_not_proved(tmp_path: Path, kind: str) -> None:
    statement = forall("integer x", holds=MEANINGLESS[kind])
    question, report = tmp_path / "question.json", tmp_path / "report.json"
    question.write_bytes(
        msgspec.json.encode(StatementQuestion(claim="em-local-step-9", statement=statement))
    )
    code = invoke(
        ["prove", "--check-statement", str(question), "--format", "json", "--output", str(report)]
    )
    assert code in (2, 3)
    if code == 3:
        assert msgspec.json.decode(report.read_bytes())["verdict"] == "undecided"


TIE = "gamma(n + 1/3) == gamma(n + 1/3)"
"""True of every n ≥ 0, which no ball decides."""

FALSE = {
    "domain empty: existence": exists("natural n", "1 == 2", where="n == 2"),
    "domain empty: existence without variables": exists("", "1 == 2", where="1 == 1"),
    "domain empty: constants": forall("natural n", "n <= 3", "1 == 2", holds="n <= 3"),
    "domain empty: no variables": forall("", "1 == 2", holds="1 == 1"),
    "domain empty: bounds": forall("natural n", "n <= 3", "n > 3", holds="n == 7"),
    "domain empty: far away": forall("natural n", f"{FAR.replace('x', 'n')}^2 < 0", holds="n == 7"),
    "domain undecided: a case left out": forall(
        "natural n", "n <= 3", f"n == 1 or {TIE}", holds="n == 1"
    ),
    "example: a value of the one that is evaluated": forall("", holds="score(1, 2) == -2"),
    "example: its values in every case": forall(
        "natural r", "r <= 2", holds="score(1, r) == r - r^2"
    ),
    "example: its formula": forall("real x r", holds="score(x, r) == x*r - r^2"),
    "example: existence": exists("natural r", "r <= 2", where="score(1, r) < 0"),
    "example: existence anywhere": exists("real x", where="score(x, 1) == 3"),
    "domain undecided: existence refuted": forall(
        "natural n", "n <= 3", f"n != 2 or {TIE}", holds="n != 2"
    ),
    "domain undefined: a case left out": forall(
        "natural n", "n <= 3", "1/n > 0 or n == 0", holds="n > 0"
    ),
    "range of a sum begins elsewhere": forall("natural n", holds="sum(i, 1, n, i) == n*(n - 1)/2"),
    "binder: the inner variable is another": forall("integer i", holds="sum(i, 0, 2, i) == 3*i"),
    "binder: an index that is a term": forall("real x", holds="sum(x + 1, 0, 2, x) == 3*x"),
    "binder: an index that is a number": forall("", holds="sum(1, 0, 2, 1) == 3"),
    "strictness: <= becomes <": forall("real x", holds="x^2 > 0"),
    "strictness: at the edge": forall("real x", "0 <= x", "x <= 1", holds="x < 1"),
    "quantifier: some is not all": forall("natural n", holds="any(i, 0, n, i > n)"),
    "quantifier: all over nothing": exists("natural n", where="any(i, 1, 0, i == i)"),
    "sort: a whole number is not any": forall("real x", holds="x <= 0 or x >= 1"),
    "sort: integers are below 0": forall("integer n", holds="n >= 0"),
    "constant: pi": forall("", holds="pi == 355/113"),
    "constant: a tie that is none": forall("", holds="exp(log(2)) < 2"),
    "root: of a square": forall("real x", holds="sqrt(x^2) == x"),
    "power: 0^0": forall("real x", holds="x^0 == 0"),
    "maximum: the other one": forall("real x y", holds="max(x, y) == x"),
    "name: a function": forall("real exp", holds="exp > 0"),
    "name: pi": forall("real pi", holds="pi > 3"),
    "name: of an atom": forall("real _0", holds="_0*_0 == _0*_0"),
    "name: quantified twice": forall("real x, natural x", holds="x >= 0"),
    "name: not quantified": forall("real x", holds="y == y"),
    "head: neg called": forall("real x", holds="neg(x, x) == -x"),
    "head: number called": forall("real x", holds="number(x) == number(x)"),
    "head: name called": forall("real x", holds="name(x) == name(x)"),
    "head: tuple called": forall("real x", holds="H(tuple(1, 1), tuple(1, 1)) == 0"),
    "quantifier: another word": Statement(
        quantifier="every",  # type: ignore[arg-type]
        variables=(Variable("n", "natural"),),
        proposition="n == 2",
    ),
    "sort: another word": Statement(
        variables=(Variable("x", "rational"),),  # type: ignore[arg-type]
        domain=("0 < x", "x < 1"),
        proposition="x == 7",
    ),
}
"""Statements that are false, empty, or no statements at all."""


@pytest.mark.parametrize("kind", FALSE)
def test_what_is_false_or_empty_is_not_proved(kind: str) -> None:
    true = Derivation(title="true", proves=forall("real x", holds="x^2 >= 0"))
    assert settled(FALSE[kind], true) != "proved"


def test_nothing_is_refuted_by_a_point_outside_of_its_domain() -> None:
    assert settled(forall("", "1 == 2", holds="1 == 2")) != "refuted"
    assert settled(forall("natural n", "n <= 2", "1 == 2", holds="n > 5")) != "refuted"
    hidden = exists("natural n", "n <= 3", f"n != 2 or {TIE}", where="n == 2")
    assert settled(hidden) != "refuted"


@dataclass(frozen=True, kw_only=True)
class Sworn(Evidence):
    """Evidence of one's own that says it proves whatever is asked."""

    kind = "oath"
    sworn: Statement

    def check(self, settings: Settings) -> EvidenceResult:
        return EvidenceResult(Status.HOLDS, "sworn")

    def explain(self) -> str:
        return "sworn"

    def states(self) -> Statement:
        return self.sworn


class Alike(ABCMeta):
    """A class that says it equals every other."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(Derivation)


GOAL = "(x - 12345)^2*(x^2 + 1)"
LIE = forall("real x", holds=f"{GOAL} > 0")
"""False at x = 12345 alone, where the engine does not look."""


def lie(**changes: object) -> Derivation:
    return replace(Derivation(title="lie", proves=LIE), **changes)  # type: ignore[arg-type]


def overridden() -> Evidence:
    piece = lie()
    object.__setattr__(piece, "check", lambda settings: EvidenceResult(Status.HOLDS, "sworn"))
    return piece


def disguised() -> Evidence:
    kind = Alike("Derivation", (Sworn,), {})
    piece: Evidence = kind(title="s", sworn=LIE)
    return piece


BOUND = Derivation(
    title="a sum over the bound i, stated for i > 5",
    proves=forall(
        "integer i", "i > 5", holds="sum(i, 0, 2, 1/(i - 12345)) == sum(i, 0, 2, 1/(i - 12345))"
    ),
)

ODD = Derivation(title="2n is even", proves=forall("integer n", holds="2*n != 1"))

EVIDENCE: dict[str, tuple[Statement, Callable[[], Evidence]]] = {
    "oath of one's own": (LIE, lambda: Sworn(title="s", sworn=LIE)),
    "oath within a derivation": (LIE, lambda: lie(uses=(Use(Sworn(title="s", sworn=LIE)),))),
    "oath two levels down": (
        LIE,
        lambda: lie(uses=(Use(lie(uses=(Use(Sworn(title="s", sworn=LIE)),))),)),
    ),
    "oath of a class that equals all": (LIE, disguised),
    "check replaced": (LIE, overridden),
    "fact under its conditions alone": (
        forall("real x", "x > -12345", holds="gamma(x + 1) == x*gamma(x)"),
        lambda: lie(
            proves=forall("real x", "x > -12345", holds="gamma(x + 1) == x*gamma(x)"),
            uses=(Use("gamma-recurrence", {"s": "x"}),),
        ),
    ),
    "fact that is unknown": (LIE, lambda: lie(uses=(Use("everything"),))),
    "fact at a variable that it has not": (LIE, lambda: lie(uses=(Use("exp-sum", {"u": "x"}),))),
    "fact at a meaningless term": (
        LIE,
        lambda: lie(uses=(Use("exp-tangent", {"s": "1/(x - 12345)"}),)),
    ),
    "fact at a foreign variable": (LIE, lambda: lie(uses=(Use("exp-tangent", {"s": "y"}),))),
    "whole number put in that is none": (
        forall("real x", holds="(x - 1/2)^2*(x^2 + 1) != 0"),
        lambda: lie(
            proves=forall("real x", holds="(2*x - 1)*(x^2 + 1) != 0"),
            uses=(
                Use(
                    Derivation(title="w", proves=forall("integer n", holds="2*n != 1")), {"n": "x"}
                ),
            ),
        ),
    ),
    "bound variable that is free elsewhere": (
        forall("integer i j", "j > 5", holds="(i - 12345)*(i^2 + 1) != 0"),
        lambda: lie(
            proves=forall("integer i j", "j > 5", holds="(i - 12345)*(i^2 + 1) != 0"),
            uses=(Use(BOUND, {"i": "j"}),),
        ),
    ),
    "existence used as if it were all": (
        LIE,
        lambda: lie(uses=(Use(Derivation(title="e", proves=replaced_by_exists())),)),
    ),
    "itself": (LIE, lambda: lie(uses=(Use(lie()),))),
    "induction without a start": (LIE, lambda: lie(induction=("x", "0"))),
    "induction over part of the domain": (
        forall("integer x", holds="(x - 12345)^2*(x^2 + 1) > 0"),
        lambda: lie(
            proves=forall("integer x", holds="(x - 12345)^2*(x^2 + 1) > 0"),
            induction=("x", "12346"),
        ),
    ),
    "induction whose step has a gap": (
        forall("integer x", "x >= 0", holds="x != 12345"),
        lambda: lie(proves=forall("integer x", "x >= 0", holds="x != 12345"), induction=("x", "0")),
    ),
    "induction from half a number": (
        forall("integer x", "2*x >= 1", holds="(2*x - 24690)^2*(x^2 + 1) > 0"),
        lambda: lie(
            proves=forall("integer x", "2*x >= 1", holds="(2*x - 24690)^2*(x^2 + 1) > 0"),
            induction=("x", "1/2"),
        ),
    ),
    "solver: contradictory hypotheses": (
        LIE,
        lambda: SMTProof(
            title="s", hypotheses=("x > 1", "x < 0"), goal="(x - 12345)^2*(x^2 + 1) > 0"
        ),
    ),
    "solver: pi as a variable": (
        forall("", holds="pi > 4"),
        lambda: SMTProof(title="s", hypotheses=("pi > 5",), goal="pi > 4"),
    ),
    "solver: a name of its own": (
        LIE,
        lambda: SMTProof(title="s", goal="true > 0 or true <= 0"),
    ),
    "solver: what is satisfiable is not proved": (
        LIE,
        lambda: SMTProof(title="s", goal="(x - 12345)^2*(x^2 + 1) > 0", satisfiable=True),
    ),
    "solver: divisors total": (
        forall("real x", holds="(x - 12345)/(x - 12345) == (x - 12345)/(x - 12345)"),
        lambda: SMTProof(title="s", goal="(x - 12345)/(x - 12345) == (x - 12345)/(x - 12345)"),
    ),
    "box with its ends exchanged": (
        forall("real x", "0 <= x", "x <= 1", holds="x - 9 >= 0"),
        lambda: BoxCertificate(title="b", positive="x - 9", box={"x": ("1", "0")}),
    ),
    "box whose edge is taken for its inside": (
        forall("real x", "0 <= x", "x <= 24690", holds="(x - 12345)^2 > 0"),
        lambda: BoxCertificate(title="b", positive="(x - 12345)^2", box={"x": ("0", "24690")}),
    ),
    "box that is a part": (
        LIE,
        lambda: BoxCertificate(
            title="b", positive="(x - 12345)^2*(x^2 + 1)", box={"x": ("0", "12344")}, strict=True
        ),
    ),
    "box whose variable is a formula": (
        LIE,
        lambda: BoxCertificate(title="b", positive="0", box={"x <= 5 or x": ("0", "1")}),
    ),
    "shift that does not cover": (
        LIE,
        lambda: OrthantCertificate(
            title="o", positive="(x - 12345)^2*(x^2 + 1)", shift={"x": "12346 + s"}
        ),
    ),
    "shift with a free variable 0": (
        forall("real x", "x >= 12345", holds="(x - 12345)*(x^2 + 1) > 0"),
        lambda: OrthantCertificate(
            title="o",
            positive="(x - 12345)*(x^2 + 1)",
            shift={"x": "12345 + s"},
            positive_variables=("s",),
        ),
    ),
    "products: a comment in a hypothesis": (
        LIE,
        lambda: SumOfProducts(
            title="p", goal="x", hypotheses=("x #",), products=(("1", ("x #",)),)
        ),
    ),
    "products: an alternative in a hypothesis": (
        LIE,
        lambda: SumOfProducts(
            title="p",
            goal="(x - 12345)^2*(x^2 + 1)",
            strict=True,
            hypotheses=("x > 0 or 1",),
            positive=("x > 0 or 1",),
            products=(("1", ("x > 0 or 1",)),),
        ),
    ),
    "products: not strict": (
        LIE,
        lambda: SumOfProducts(
            title="p",
            goal="(x - 12345)^2*(x^2 + 1)",
            hypotheses=(),
            products=(("1", ("square((x - 12345)*x)",)), ("1", ("square(x - 12345)",))),
        ),
    ),
    "cases: bounds that leave some out": (
        forall("integer x", holds="(x - 12345)*(x^2 + 1) != 0"),
        lambda: Exhaustion(
            title="e",
            of=forall("integer x", holds="(x - 12345)*(x^2 + 1) != 0"),
            bounds=("0 <= x", "x <= 99"),
        ),
    ),
    "cases: of an example": (
        forall("natural r", holds="score(1, r) <= 1"),
        lambda: Exhaustion(
            title="e", of=forall("natural r", holds="score(1, r) <= 1"), bounds=("r <= 9",)
        ),
    ),
    "condition: true of an example": (
        forall("real x", holds="(x - 12345)^2*(x^2 + 1) >= score(1, 2) + 2"),
        lambda: lie(
            proves=forall("real x", holds="(x - 12345)^2*(x^2 + 1) >= score(1, 2) + 2"),
            uses=(
                Use(
                    Derivation(title="w", proves=forall("real u", "u == -2", holds="u + 2 == 0")),
                    {"u": "score(1, 2)"},
                ),
            ),
        ),
    ),
    "cases: an undecided bound": (
        forall("natural n", "n <= 3", f"n == 1 or {TIE}", holds="n == 1"),
        lambda: Exhaustion(
            title="e",
            of=forall("natural n", f"n == 1 or {TIE}", holds="n == 1"),
            bounds=("n <= 3",),
        ),
    ),
    "derivation of a title that is two lines": (LIE, lambda: lie(title="true\nproved: everything")),
}


def replaced_by_exists() -> Statement:
    return exists("real x", where="(x - 12345)^2*(x^2 + 1) > 0")


@pytest.mark.parametrize("kind", EVIDENCE)
def test_evidence_that_proves_less_does_not_prove_it(kind: str) -> None:
    statement, piece = EVIDENCE[kind]
    assert settled(statement, piece()) != ClaimVerdict.PROVED.value


def test_without_a_solver_nothing_is_proved() -> None:
    with pytest.raises(DpauditError, match="solver"):
        Settings(solvers=())
    with pytest.raises(DpauditError, match="solver"):
        Settings(solvers=("oracle",))


def test_the_tables_have_what_they_are_to_have() -> None:
    assert len(MEANINGLESS) + len(FALSE) + len(EVIDENCE) >= 100
    assert checked(lie(), Settings()).status is not Status.HOLDS
