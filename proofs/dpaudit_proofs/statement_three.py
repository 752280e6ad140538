"""Statement III: the local sensitivity is smallest at the balanced dataset.

Write d(c) = H(x, x+1) at c₁ = c, for c = 0 … n − 1.  By Statement I, d grows strictly from
c ≥ (n − 1)/2 on, and d(n − 1 − c) = d(c).  By Statement II, LS at c₁ ≥ n/2 is d(min(c₁, n − 1)):
(n, 0) has one neighbour only and the same LS as (n − 1, 1).  With u = ⌈n/2⌉, the right
balanced dataset, the claim at c₁ > u is therefore d(min(c₁, n − 1)) > d(min(u, n − 1)), and that
is n − 1 > u, or n ≥ 4.  At n = 2 and n = 3 all datasets have the same LS.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import Counterexample, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order
from dpaudit_proofs.basics import REDUCTION
from dpaudit_proofs.definitions import local_sensitivity
from dpaudit_proofs.derived_steps import BEYOND, INSIDE_RIGHT, UNBALANCED
from dpaudit_proofs.statement_one import FLAT, GROWS, RATIO, exact_step_affinity
from dpaudit_proofs.statement_two import EQUAL_AT_BALANCE, MIRROR

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["CLAIMS", "exact_smallest_affinity"]


def exact_smallest_affinity(x: tuple[int, int]) -> Real:
    """Return 1 − LS(x)² for the prior (1,1) in closed form.

    >>> print(exact_smallest_affinity((0, 1)))
    pi/4
    """
    a, b = x[0] + 1, x[1] + 1
    steps = [exact_step_affinity(a, b)] if x[1] else []
    if x[0]:
        steps.append(exact_step_affinity(a - 1, b + 1))
    smallest = steps[0]
    for step in steps[1:]:
        smallest = step if order(step, smallest) is Sign.NEGATIVE else smallest
    return smallest


def _tie(x: tuple[int, int], balanced: tuple[int, int]) -> Counterexample:
    def margin() -> Real:
        return exact_smallest_affinity(balanced) - exact_smallest_affinity(x)

    return Counterexample(
        title=f"n = {sum(x)}: a tie of {x} with the balanced {balanced}",
        parameters={"n": str(sum(x)), "x": str(x), "x₀": str(balanced)},
        shows="LS(x) = LS(x₀)",
        margin=margin,
        again=lambda: local_sensitivity(FLAT, x) ** 2 - local_sensitivity(FLAT, balanced) ** 2,
        tie=True,
    )


_LEMMAS = (
    replace(REDUCTION, role=Role.LEMMA),
    RATIO,
    replace(GROWS, role=Role.LEMMA),
    EQUAL_AT_BALANCE,
    MIRROR,
)

THREE = Claim(
    id="III",
    typed=forall(
        "integer n c u",
        "n >= 1",
        "0 <= c",
        "c <= n",
        "2*c != n",
        "2*c != n + 1",
        "2*c != n - 1",
        "2*u == n or 2*u == n + 1 or 2*u == n - 1",
        "u >= 0",
        "u <= n",
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    holds_on=("n >= 4",),
    points=(
        {"n": "2", "c": "2", "u": "1"},
        {"n": "3", "c": "3", "u": "2"},
    ),
    source="D, E §2.1, Statement III",
    statement="LS(x) > LS(x₀) for all x ≠ x₀",
    formula="∀ n ≥ 1, ∀ x not balanced: LS(x) > LS(x₀), for either balanced x₀ if n is odd",
    domain="prior (1,1), all n ≥ 1, all x other than the balanced dataset (both of them for odd n)",
    evidence=(
        UNBALANCED,
        _tie((2, 0), (1, 1)),
        _tie((0, 2), (1, 1)),
        _tie((3, 0), (2, 1)),
        _tie((3, 0), (1, 2)),
        *_LEMMAS,
        SMTProof(
            title="the index of x's largest step is beyond that of x₀: min(c, n − 1) > u, and u < "
            "n",
            hypotheses=(
                "(2*u == n and n >= 4) or (2*u == n + 1 and n >= 5)",
                "c >= u + 1 and c <= n",
                "m <= c and m <= n - 1 and (m == c or m == n - 1)",
            ),
            goal="m > u and 2*u >= n and u <= n - 1 and 2*u >= n - 1",
            domain="prior (1,1), n ≥ 4 (and, without content, n = 1)",
        ),
    ),
    derivation="Write d(c) = H(x, x+1) at c₁ = c, for c = 0 … n − 1.  d grows strictly over "
    "the indices c with 2·c ≥ n − 1 by Statement I (2·c > n − 2).  LS(x) = d(m) "
    "with m = min(c₁, n − 1) by Statement II, where it holds: 2·c₁ ≥ n.  LS(x₀) = "
    "d(u) for the right balanced dataset u, and the left one is its mirror image "
    "with the same LS.  So m > u gives the claim for c₁ > u; the mirror image gives "
    "the other side.  n is a whole number, so n ≥ 5 for the odd n above 4.  At n = "
    "2 and n = 3 the datasets (n, 0) and (n − 1, 1) have the same LS and the latter "
    "is balanced: the claim fails for every x.  At n = 1 both datasets are "
    "balanced.  (If for odd n only one of the two were called x₀, the other would "
    "be a tie at every odd n.)",
    repaired="LS(x) ≥ LS(x₀) for every n, and > for every unbalanced x if n ≥ 4",
)

_D_U, _D_I = (f"H(({c} + 1, n - {c} + 1), ({c} + 2, n - {c}))" for c in "ui")
_LS_U, _LS_C = (f"LS((1, 1), ({c}, n - {c}))" for c in "uc")
_STEPS = (
    f"(c == n or ({_D_I} > {_D_U} and {_LS_C} == {_D_I})) and "
    f"{_LS_U} == {_D_U} and {_LS_C} > {_LS_U}"
)
"""i is c wherever x + 1 exists; at c = n there is no H(x, x + 1)."""

_STEPS_RIGHT = Derivation(
    title="the step holds for x₀ < x < n",
    role=Role.LEMMA,
    proves=forall(
        "integer n c u i",
        "n >= 1",
        "2*u == n or 2*u == n + 1",
        "u >= 0",
        "c > u",
        "c < n",
        "i <= c and i <= n - 1 and (i == c or i == n - 1)",
        holds=_STEPS,
    ),
    uses=(
        Use(INSIDE_RIGHT),
        Use(INSIDE_RIGHT, {"c": "u"}),
        Use(BEYOND, {"i": "u", "j": "c"}),
        Use(BEYOND, {"i": "u", "j": "i"}),
        Use(INSIDE_RIGHT, {"c": "i"}),
        Use(
            Derivation(
                title="equal steps",
                role=Role.LEMMA,
                proves=forall(
                    "integer n c i",
                    "c >= 0",
                    "c < n",
                    "i == c",
                    holds="H((i + 1, n - i + 1), (i + 2, n - i)) == "
                    "H((c + 1, n - c + 1), (c + 2, n - c))",
                ),
            )
        ),
    ),
)

STEP = Claim(
    id="III-step",
    typed=forall(
        "integer n c u i",
        "n >= 1",
        "2*u == n or 2*u == n + 1",
        "u >= 0",
        "c > u",
        "c <= n",
        "i <= c and i <= n - 1 and (i == c or i == n - 1)",
        holds=_STEPS,
    ),
    holds_on=("c < n",),
    points=(
        {"n": "2", "c": "2", "u": "1", "i": "1"},
        {"n": "3", "c": "3", "u": "2", "i": "2"},
    ),
    source="D §2.2.3; E",
    statement="x > x₀ gives H(x, x+1) > H(x₀, x₀+1), which is LS(x) > LS(x₀); x < x₀ likewise",
    formula="∀ n ≥ 1, ∀ x > x₀: H(x, x+1) > H(x₀, x₀+1), and these are LS(x) and LS(x₀)",
    domain="prior (1,1), all n ≥ 1, all x > x₀; x₀ the right balanced dataset for odd n",
    step_of="III",
    evidence=(
        _tie((2, 0), (1, 1)),
        _tie((3, 0), (2, 1)),
        _STEPS_RIGHT,
        *_LEMMAS,
        SMTProof(
            title="x and x₀ both have an outer neighbour, and d grows between them",
            hypotheses=("2*u >= n", "c >= u + 1", "c + 1 <= n"),
            goal="u + 1 <= n and 2*u > n - 2 and c > u and 2*c >= n",
            domain="prior (1,1), x₀ < x < n, x₀ the right balanced dataset (and, mirrored, "
            "0 < x < x₀)",
        ),
    ),
    derivation="Write d(c) = H(x, x+1) at c₁ = c; it grows strictly for 2·c > n − 2 (Statement "
    "I).  At x = n there is no x + 1, and LS(x) is H(x, x−1), which is LS(x − 1).  "
    "The step is right wherever both distances exist.  With the left balanced "
    "dataset for x₀ and odd n ≥ 3 the second equality fails instead (II-centre).",
    repaired="LS(n) = LS(n − 1) has to be compared with LS(x₀) on its own: it is larger iff n ≥ 4",
)


CLAIMS = (THREE, STEP)
