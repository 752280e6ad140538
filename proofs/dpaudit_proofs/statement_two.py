"""Statement II: the local sensitivity is the distance to the neighbour further from balance.

With two categories x has the neighbours x − 1 and x + 1, so LS(x) is the larger of H(x−1, x) and
H(x, x+1) by ``ls-reduction``.  Statement I compares the two: at the parameters (a − 1, b + 1) of
x − 1 its criterion b + 1 < (a − 1) + 2 is b < a.  So with the prior (1,1)

    H(x−1, x) < H(x, x+1)  iff  2·c₁ > n,    and they are equal iff 2·c₁ = n,

wherever both neighbours exist.  What is left are the edges: at x = n there is no x + 1, at x = 0 no
x − 1; and for odd n each of the two balanced datasets lies on one side only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Identity, SMTProof
from dpaudit.claims.statement import forall
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit_proofs.basics import REDUCTION, symbols_above_zero
from dpaudit_proofs.definitions import local_sensitivity, posterior_distance
from dpaudit_proofs.derived_steps import INSIDE_RIGHT, TWO_CENTRE, TWO_LEFT, TWO_ORDER
from dpaudit_proofs.statement_one import FLAT, RATIO, affinity_of_step

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball

__all__ = ["CLAIMS", "EQUAL_AT_BALANCE", "MIRROR"]


def _equal_at_balance() -> list[Any]:
    a = symbols_above_zero("s") + 1  # a > 1: a unit can be moved either way
    return [affinity_of_step(a - 1, a + 1), affinity_of_step(a, a)]


def _mirror() -> list[Any]:
    a, c = symbols_above_zero("a c")
    b = c + 1
    return [affinity_of_step(a, b), affinity_of_step(b - 1, a + 1)]


EQUAL_AT_BALANCE = Identity(
    title="both neighbours of a balanced dataset (a = b) are equally far",
    role=Role.LEMMA,
    chain=_equal_at_balance,
    shown=("A(a − 1, a + 1)", "A(a, a)"),
)

MIRROR = Identity(
    title="exchanging the categories maps the step x → x+1 to a step back",
    role=Role.LEMMA,
    chain=_mirror,
    shown=("A(a, b)", "A(b − 1, a + 1)"),
)

_REDUCTION = replace(REDUCTION, role=Role.LEMMA)

_NEARER = OrthantCertificate(
    title="H(x−1, x) < H(x, x+1) where 1 < b < a: Statement I at (a − 1, b + 1)",
    role=Role.LEMMA,
    positive="(b - 1/2)^2*(a - 1)*a - (a - 1/2)^2*b*(b - 1)",
    shift={"b": "1 + s", "a": "1 + s + t"},
    positive_variables=("s", "t"),
)


def _exceeds_step(x: tuple[int, int], step: int) -> Counterexample:
    """LS(x) is more than the distance to x + step, although the claim has them equal."""
    n = sum(x)
    towards = (x[0] + step, x[1] - step)

    def margin() -> Ball:
        return local_sensitivities(FLAT, n)[_rank(n, x)] - HellingerMetric(FLAT).between(x, towards)

    def again() -> Any:
        return local_sensitivity(FLAT, x) - posterior_distance(FLAT, x, towards)

    sign = "+" if step > 0 else "−"
    return Counterexample(
        title=f"odd n: it fails at the balanced dataset {x}",
        parameters={"n": str(n), "x": str(x)},
        shows=f"LS(x) > H(x, x{sign}1)",
        margin=margin,
        again=again,
    )


def _rank(n: int, x: tuple[int, int]) -> int:
    from dpaudit.data.histograms import Histograms

    return Histograms(n, 2).rank(x)


def _at_edge(n: int, x: tuple[int, int], missing: str) -> Counterexample:
    """LS(x) is below 1, which is all that the formula gives for a posterior that does not exist."""

    def margin() -> Ball:
        return 1 - local_sensitivities(FLAT, n)[_rank(n, x)]

    return Counterexample(
        title=f"{missing} does not exist at x = {x}; the formula, with B(n + 2, 0) = ∞, gives 1",
        parameters={"n": str(n), "x": str(x)},
        shows="LS(x) < 1",
        margin=margin,
        again=lambda: 1 - local_sensitivity(FLAT, x),
    )


_EDGE = (
    "At the edge the neighbour named does not exist: its posterior would have a parameter 0.  Read "
    "as a limit, its affinity is 0 and its distance 1, which LS never is.  "
)

RIGHT = Claim(
    id="II-right",
    typed=forall(
        "integer n c",
        "n >= 1",
        "2*c >= n - 1",
        "c + 1 <= n",
        holds="LS((1, 1), (c, n - c)) == H((c + 1, n - c + 1), (c + 2, n - c))",
    ),
    holds_on=("2*c >= n",),
    points=({"n": "3", "c": "1"},),
    source="D, E §2.1, Statement II",
    statement="LS(x) = H(x, x+1) for all x ≥ x₀",
    formula="∀ n ≥ 1, ∀ c₁ ≥ ⌊n/2⌋: LS(x) = H(x, x+1)",
    domain="prior (1,1), all n ≥ 1, all x ≥ x₀, either balanced dataset for odd n",
    evidence=(
        INSIDE_RIGHT,
        _exceeds_step((1, 2), 1),
        _exceeds_step((3, 4), 1),
        _at_edge(1, (1, 0), "x + 1"),
        _at_edge(4, (4, 0), "x + 1"),
        _REDUCTION,
        RATIO,
        _NEARER,
        EQUAL_AT_BALANCE,
        SMTProof(
            title="2·c₁ ≥ n gives b ≤ a, and H(x−1, x) ≤ H(x, x+1) makes the latter the maximum",
            hypotheses=(
                "a == c + 1 and b == n - c + 1",
                "2*c >= n and c + 1 <= n",
                "not b < a or before < after",
                "not b == a or before == after",
                "before >= 0 and after >= 0",
                "ls >= before and ls >= after and (ls == before or ls == after)",
            ),
            goal="ls == after and a >= b and b > 1",
            domain="prior (1,1), 2·c₁ ≥ n, c₁ < n: every x on the right for which x + 1 exists, "
            "for odd n without the left balanced dataset",
        ),
    ),
    derivation=f"{_EDGE}For odd n ≥ 3 the left balanced dataset has b = a + 1 > a, and its largest "
    "distance is the one to the left.  (At n = 1 it has no left neighbour, and the claim holds "
    "there.)  Everywhere else 2·c₁ ≥ n ≥ 1, so x − 1 exists as well, and b ≤ a decides, by "
    "Statement I at x − 1.",
    repaired="LS(x) = H(x, x+1) for n/2 ≤ c₁ < n (and at x = (0, 1), n = 1), and LS(x) = "
    "H(x, x−1) at c₁ = n",
)

LEFT = Claim(
    id="II-left",
    typed=forall(
        "integer n c",
        "n >= 1",
        "2*c <= n + 1",
        "c >= 1",
        "c <= n",
        holds="LS((1, 1), (c, n - c)) == H((c + 1, n - c + 1), (c, n - c + 2))",
    ),
    holds_on=("2*c <= n",),
    points=({"n": "3", "c": "2"},),
    source="D, E §2.1, Statement II",
    statement="LS(x) = H(x, x−1) for all x ≤ x₀",
    formula="∀ n ≥ 1, ∀ c₁ ≤ ⌈n/2⌉: LS(x) = H(x, x−1)",
    domain="prior (1,1), all n ≥ 1, all x ≤ x₀, either balanced dataset for odd n",
    evidence=(
        TWO_LEFT,
        _exceeds_step((2, 1), -1),
        _exceeds_step((4, 3), -1),
        _at_edge(1, (0, 1), "x − 1"),
        _at_edge(4, (0, 4), "x − 1"),
        _REDUCTION,
        RATIO,
        MIRROR,
        _NEARER,
        EQUAL_AT_BALANCE,
        SMTProof(
            title="2·c₁ ≤ n gives a ≤ b, and H(x, x+1) ≤ H(x−1, x) makes the latter the maximum",
            hypotheses=(
                "a == c + 1 and b == n - c + 1",
                "2*c <= n and c >= 1",
                "not a < b or after < before",
                "not a == b or before == after",
                "before >= 0 and after >= 0",
                "ls >= before and ls >= after and (ls == before or ls == after)",
            ),
            goal="ls == before and b >= a and a > 1",
            domain="prior (1,1), 2·c₁ ≤ n, c₁ > 0: every x on the left for which x − 1 exists, for "
            "odd n without the right balanced dataset",
        ),
    ),
    derivation=f"{_EDGE}The mirror image of II-right: a and b change places.",
    repaired="LS(x) = H(x, x−1) for 0 < c₁ ≤ n/2 (and at x = (1, 0), n = 1), and LS(x) = "
    "H(x, x+1) at c₁ = 0",
)


def _unequal(x: tuple[int, int]) -> Counterexample:
    """H(x, x−1) and H(x, x+1) differ at a balanced dataset of odd n."""
    down, up = (x[0] - 1, x[1] + 1), (x[0] + 1, x[1] - 1)
    sign = 1 if x[0] < x[1] else -1

    def margin() -> Ball:
        metric = HellingerMetric(FLAT)
        return sign * (metric.between(x, down) - metric.between(x, up))

    def again() -> Any:
        return sign * (posterior_distance(FLAT, x, down) - posterior_distance(FLAT, x, up))

    return Counterexample(
        title=f"odd n: the two distances differ at {x}",
        parameters={"n": str(sum(x)), "x": str(x)},
        shows=f"H(x, x−1) {'>' if sign > 0 else '<'} H(x, x+1)",
        margin=margin,
        again=again,
    )


CENTRE = Claim(
    id="II-centre",
    typed=forall(
        "integer n c",
        "n >= 1",
        "c >= 1",
        "c + 1 <= n",
        "2*c == n or 2*c == n - 1 or 2*c == n + 1",
        holds="H((c + 1, n - c + 1), (c, n - c + 2)) == H((c + 1, n - c + 1), (c + 2, n - c))",
    ),
    holds_on=("n == 2*c",),
    points=({"n": "3", "c": "1"},),
    source="D §2.2.2, last case; E",
    statement="at x = x₀: LS(x₀) = H(x₀, x₀−1) = H(x₀, x₀+1)",
    formula="∀ n ≥ 1: H(x₀, x₀−1) = H(x₀, x₀+1)",
    domain="prior (1,1), all n ≥ 1, either balanced dataset for odd n",
    step_of="II-right",
    evidence=(
        TWO_CENTRE,
        _unequal((1, 2)),
        _unequal((2, 1)),
        replace(EQUAL_AT_BALANCE, role=Role.PROVES, domain="prior (1,1), even n ≥ 2"),
        _REDUCTION,
    ),
    derivation="Exchanging the categories fixes x₀ for even n only.  For odd n it exchanges the "
    "two balanced datasets, and each is further from its outer neighbour.  (At n = 1 either has "
    "one neighbour.)",
    repaired="for even n; for odd n, LS is the distance to the outer neighbour (n ≥ 3)",
)

ORDER = Claim(
    id="II-order",
    typed=forall(
        "integer n c",
        "c >= 1",
        "c + 1 <= n",
        holds="(not 2*c > n or H((c + 1, n - c + 1), (c, n - c + 2)) < H((c + 1, n - c + "
        "1), (c + 2, n - c))) and (not 2*c < n or H((c + 1, n - c + 1), (c, n - c + "
        "2)) > H((c + 1, n - c + 1), (c + 2, n - c)))",
    ),
    source="D §2.2.2, the two cases; E",
    statement="by Statement I, H(x, x−1) < H(x, x+1) for x > x₀ and H(x, x−1) > H(x, x+1) for x < "
    "x₀",
    formula="∀ n, 0 < c₁ < n: 2·c₁ > n ⟹ H(x, x−1) < H(x, x+1);  2·c₁ < n ⟹ H(x, x−1) > H(x, x+1)",
    domain="prior (1,1), all n ≥ 3, all x other than x₀ (for even n), or right or left of the "
    "middle (for odd n), for which x − 1 and x + 1 exist",
    step_of="II-right",
    evidence=(
        TWO_ORDER,
        RATIO,
        MIRROR,
        replace(_NEARER, role=Role.PROVES),
        SMTProof(
            title="2·c₁ > n and c₁ < n give 1 < b < a; 2·c₁ < n and c₁ > 0 give 1 < a < b",
            role=Role.LEMMA,
            hypotheses=("a == c + 1 and b == n - c + 1", "0 < c and c < n", "n >= 1"),
            goal="a > 1 and b > 1 and (not 2*c > n or b < a) and (not 2*c < n or a < b)",
        ),
    ),
    derivation="The certificate is Statement I's at (a − 1, b + 1), b > 1, for 2·c₁ > n; the "
    "mirror image (a and b exchanged) is the other case.  The step uses Statement I at x − 1 ≥ x₀, "
    "E's form: D's x > x₀ would leave out x = x₀ + 1.",
)

CLAIMS = (RIGHT, LEFT, CENTRE, ORDER)
