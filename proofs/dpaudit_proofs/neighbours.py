"""The words in which claims about any number of categories are typed.

x and y are counts of n records in k categories, z of the n − 1 that they share: x has one more
record in category p, y in q.  So every pair of neighbours is one of these, in both directions, and
every dataset is such an x (p = q is allowed, and says nothing).  a is the prior, r an output.
"""

from __future__ import annotations

from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit.results.claims import Statement

__all__ = [
    "AT",
    "GLOBAL_POSITIVE",
    "PRIOR",
    "SMOOTH_POSITIVE",
    "R",
    "X",
    "Y",
    "neighbours",
    "private",
]


def _listed(body: str) -> str:
    return f"each(i, 1, k, {body})"


PRIOR = _listed("a[i]")
"""The parameters of the prior."""

X, Y = (_listed(f"z[i] + same(i, {moved})") for moved in "pq")
"""Counts of neighbours."""

R = _listed("r[i]")
"""Counts of an output."""

AT = {
    name: _listed(f"a[i] + {counts}")
    for name, counts in {"x": "z[i] + same(i, p)", "y": "z[i] + same(i, q)", "r": "r[i]"}.items()
}
"""Parameters of the posteriors of x, y and r."""

_OUTPUT = "all(i, 1, k, r[i] >= 0)"


def neighbours(*further: str, variables: str = "", holds: str, outputs: bool = False) -> Statement:
    """Return a statement about all neighbours x, y, and all outputs r if it has them.

    Args:
        further: what the domain is restricted to, besides.
        variables: what is quantified over besides k, z, p, q, n and a, and r.
        holds: the proposition.
        outputs: whether it is about outputs.
    """
    named = ["natural k, integers z, natural p q n, reals a", "integers r" * outputs, variables]
    return forall(
        ", ".join(filter(None, named)),
        "k >= 2",
        "all(i, 1, k, z[i] >= 0)",
        *(bound for moved in "pq" for bound in (f"{moved} >= 1", f"{moved} <= k")),
        "n >= 1",
        *(f"sum(i, 1, k, z[i] + same(i, {moved})) == n" for moved in "pq"),
        "all(i, 1, k, a[i] > 0)",
        *((_OUTPUT,) if outputs else ()),
        *further,
        holds=holds,
    )


def private(x_factor: str, y_factor: str) -> str:
    """Return that P_x(r) ≤ e^ε·P_y(r), of the exponential mechanism with these factors of H."""
    p, q = (
        f"P_exp({factor}, {PRIOR}, {counts}, {R})"
        for factor, counts in ((x_factor, X), (y_factor, Y))
    )
    return f"{p} <= exp(eps)*{q}"


GLOBAL_POSITIVE = Derivation(
    title="GS is above 0",
    role=Role.LEMMA,
    proves=neighbours(holds=f"GS({PRIOR}, n) > 0"),
    uses=(Use("global-sensitivities-positive"),),
)

SMOOTH_POSITIVE = Derivation(
    title="the smoothed sensitivities are above 0",
    role=Role.LEMMA,
    proves=neighbours(
        "g >= 0",
        variables="real g",
        holds=f"S_gamma({PRIOR}, g, {X}) > 0 and S_gamma({PRIOR}, g, {Y}) > 0",
    ),
    uses=(Use("gamma-smooth-all-positive"), Use("gamma-smooth-all-positive", {"p": "q"})),
)
