"""A verdict is undecided without a tool that it rests on, and the same without any other."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
import pytest
import sympy

from dpaudit.claims import claim as claim_module
from dpaudit.claims import evaluate, evidence
from dpaudit.claims.claim import ClaimVerdict, Decision, Grade, Settings
from dpaudit.claims.deciding import decide
from dpaudit.claims.discover import discover
from dpaudit.numbers.ball import Sign
from dpaudit.report.tools import TOOLS, marked, solvers_asked, tally_by_tool, tools_of

BOTH = Settings(solvers=("z3", "cvc5"))
SAMPLE = {
    "accountant-truncate": ("z3", "cvc5"),
    "beta-positive": ("sympy", "z3", "cvc5", "Arb", "mpmath"),
    "em-global-step-3": ("sympy",),
    "em-global-step-2": ("Arb", "mpmath"),
    "good-answers-speed": ("Arb", "mpmath"),
    "I-base-polynomial": ("sympy", "z3", "cvc5"),
    "utility-table-LSHist-k": ("sympy", "z3", "cvc5"),
}
"""Claims, and the tools that each rests on when both solvers are asked."""

CLAIMS = {key: item.claim for key, item in discover().items() if key in SAMPLE}
Patch = pytest.MonkeyPatch


def _unknown(text: str, timeout_seconds: float) -> str:
    return "unknown (knocked out)"


def _without_solver(name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setitem(evidence.SOLVERS, name, _unknown)


def _without_sympy(patch: Patch) -> None:
    def left_as_it_is(expression: Any, **_: Any) -> Any:
        return sympy.Symbol("unknown") + expression

    patch.setattr(sympy, "simplify", left_as_it_is)


def _without_arb(patch: Patch) -> None:
    patch.setattr(evidence, "decide_sign", lambda *_, **__: Sign.UNDECIDED)
    patch.setattr(evaluate, "compared", lambda *_: Sign.UNDECIDED)
    patch.setattr(evaluate, "sign_of", lambda *_: Sign.UNDECIDED)
    patch.setattr(evidence, "Real", type("NoClosedForm", (), {}))  # which is decided by balls too


def _without_mpmath(patch: Patch) -> None:
    number = mpmath.mpf

    class Nothing(number):  # type: ignore[misc, valid-type]
        def __new__(cls, *_: Any) -> Any:
            return number("nan")

    patch.setattr(mpmath, "mpf", Nothing)
    patch.setattr(evaluate, "mp_sign", lambda *_: Sign.UNDECIDED)


KNOCK_OUT: dict[str, Callable[[Patch], None]] = {
    "sympy": _without_sympy,
    "z3": _without_solver("z3"),
    "cvc5": _without_solver("cvc5"),
    "Arb": _without_arb,
    "mpmath": _without_mpmath,
}


def decided(name: str, settings: Settings = BOTH) -> Decision:
    claim_module._CHECKED.clear()
    return decide(CLAIMS[name], settings)


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Any:
    yield
    claim_module._CHECKED.clear()


@pytest.mark.parametrize("name", SAMPLE)
def test_the_tools_of_a_claim(name: str) -> None:
    decision = decided(name)
    assert decision.verdict not in (ClaimVerdict.UNDECIDED, ClaimVerdict.FAILED), decision.reason
    assert tools_of(decision, BOTH.solvers) == SAMPLE[name]


@pytest.mark.parametrize("tool", KNOCK_OUT)
@pytest.mark.parametrize("name", SAMPLE)
def test_without_a_tool_a_verdict_that_rests_on_it_is_undecided(
    name: str, tool: str, monkeypatch: Patch
) -> None:
    KNOCK_OUT[tool](monkeypatch)
    decision = decided(name)
    undecided = decision.verdict is ClaimVerdict.UNDECIDED and decision.grade is Grade.NONE
    assert undecided is (tool in SAMPLE[name]), (decision.verdict, decision.reason)


def test_coq_decides_nothing_that_it_was_not_asked() -> None:
    decision = decided("em-global-step-2")
    assert decision.grade is not Grade.KERNEL
    assert "Coq" not in tools_of(decision)
    accepted = replace(decision, grade=Grade.KERNEL)
    assert "Coq" in tools_of(accepted)
    assert "Coq" in tools_of(decision, kernel=True)


def test_an_answer_that_nothing_confirms_is_marked() -> None:
    alone = decided("accountant-truncate", Settings())
    both = decided("accountant-truncate")
    assert marked(tools_of(alone, solvers_asked([alone])), solvers_asked([alone])) == "z3*"
    assert marked(tools_of(both, solvers_asked([both])), solvers_asked([both])) == "z3, cvc5"
    assert marked(tools_of(decided("em-global-step-3")), ("z3",)) == "sympy*"


def test_totals_by_tool() -> None:
    line = tally_by_tool([("sympy", "z3", "cvc5"), ("Arb", "mpmath"), ("z3", "cvc5")], BOTH.solvers)
    assert line == (
        "by tool (* nothing else confirms it): sympy 1 (1*), z3 2, cvc5 2, Arb 1, mpmath 1; "
        "z3 and cvc5 agree on 2; Arb and mpmath agree on 1"
    )
    assert set(KNOCK_OUT) == set(TOOLS) - {"Coq"}
