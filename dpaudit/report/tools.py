"""Tools that decide claims: who is asked, who agrees with whom, and whose answer stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from dpaudit.claims.claim import ClaimVerdict, Decision, Evidence, Grade
from dpaudit.claims.derivation import Derivation
from dpaudit.claims.evidence import SOLVERS, Fact, Identity, SMTProof, Sweep
from dpaudit.claims.exhaustion import Exhaustion

__all__ = ["TOOLS", "marked", "solvers_asked", "tally_by_tool", "tools_of"]

TOOLS = ("sympy", "z3", "cvc5", "Arb", "mpmath", "Coq")
"""The tools by name, in the order in which they are listed."""

_VALUES = ("Arb", "mpmath")
"""Tools that evaluate a number: the balls decide, and mpmath has to agree."""
_ALONE = {"sympy", "z3", "cvc5"}
"""Tools whose answer may be the only one of its kind."""


def solvers_asked(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Return the SMT solvers that answered in these decisions; z3 where none is named."""
    details = [
        outcome.detail
        for decision in decisions
        for piece, outcome in zip(decision.claim.evidence, decision.outcomes, strict=False)
        if isinstance(piece, SMTProof)
    ]
    named = {name for detail in details for name in re.findall(r"(\w+): ", detail)}
    return tuple(name for name in SOLVERS if name in named) or ("z3",)


def tools_of(
    decision: Decision, solvers: Sequence[str] = ("z3",), *, kernel: bool = False
) -> tuple[str, ...]:
    """Return the tools that a verdict rests on, in the order of ``TOOLS``.

    A statement that is false at a point rests on its value there alone.  Every other verdict rests
    on all of the claim's evidence, since a piece that does not hold leaves it undecided; a checked
    one also on what entails the statement, or on its values.

    Args:
        decision: what was decided.
        solvers: the SMT solvers that had to agree.
        kernel: whether Coq accepted the theorem.
    """
    tools: set[str] = {"Coq"} if kernel or decision.grade is Grade.KERNEL else set()
    if decision.verdict in (ClaimVerdict.UNDECIDED, ClaimVerdict.FAILED, ClaimVerdict.AMBIGUOUS):
        return ()
    at_a_point = (ClaimVerdict.REFUTED, ClaimVerdict.GAP)
    if decision.grade is not Grade.CHECKED or decision.verdict not in at_a_point:
        tools.update(chain.from_iterable(_asked(e, solvers) for e in decision.claim.evidence))
    if decision.grade is Grade.CHECKED:
        entailed = decision.reason.startswith("entailed")
        tools.update(solvers if entailed else _VALUES)
        tools.update(solvers if decision.verdict is ClaimVerdict.HOLDS_ON else ())
    return tuple(tool for tool in TOOLS if tool in tools)


def _asked(piece: Evidence, solvers: Sequence[str]) -> tuple[str, ...]:
    """Return the tools that check a piece of evidence; none for a certificate in rationals."""
    if isinstance(piece, (Fact, Exhaustion)):
        return _VALUES
    if isinstance(piece, Identity):
        return ("sympy",)
    if isinstance(piece, Sweep):
        return ("Arb",)
    if isinstance(piece, SMTProof):
        return tuple(solvers)
    if isinstance(piece, Derivation):
        used = (_asked(use.of, solvers) for use in piece.uses if isinstance(use.of, Evidence))
        return (*solvers, *chain.from_iterable(used))
    return ()


def marked(tools: Sequence[str], solvers: Sequence[str]) -> str:
    """Return tools as a cell of a table; a star marks an answer that nothing else confirms.

    >>> marked(("sympy", "z3", "Arb"), ("z3",))
    'sympy*, z3*, Arb'
    >>> marked(("z3", "cvc5"), ("z3", "cvc5")), marked(("sympy", "Coq"), ("z3",))
    ('z3, cvc5', 'sympy, Coq')
    """
    return ", ".join(f"{tool}*" if _stands_alone(tool, tools, solvers) else tool for tool in tools)


def _stands_alone(tool: str, tools: Sequence[str], solvers: Sequence[str]) -> bool:
    if tool not in _ALONE or "Coq" in tools:
        return False
    return tool == "sympy" or len(solvers) < 2


def tally_by_tool(listed: Sequence[Sequence[str]], solvers: Sequence[str]) -> str:
    """Return in a line how many of the claims each tool decides, agrees on, or decides alone.

    ``listed`` are the tools of each claim.

    >>> tally_by_tool([("sympy",), ("z3", "Coq")], ("z3",))
    'by tool (* nothing else confirms it): sympy 1 (1*), z3 1, Coq 1'
    """
    parts = []
    for tool in TOOLS:
        claims = [tools for tools in listed if tool in tools]
        alone = sum(_stands_alone(tool, tools, solvers) for tools in claims)
        if claims:
            parts.append(f"{tool} {len(claims)}{f' ({alone}*)' if alone else ''}")
    agreed = [
        f"{first} and {second} agree on {both}"
        for first, second in (("z3", "cvc5"), _VALUES)
        if (both := sum(first in tools and second in tools for tools in listed))
    ]
    return "; ".join([f"by tool (* nothing else confirms it): {', '.join(parts)}", *agreed])
