"""Derivations about consecutive distances of posteriors: the engine checks every step.

``UP``: H((a, b), (a + 1, b − 1)) < H((a + 1, b − 1), (a + 2, b − 2)) where 2 < b < a + 2, for all
real a and b; ``DOWN`` the reverse for b > a + 2, ``FLAT`` the tie between.  The squares of the two
affinities differ by a rational factor, by the recurrence of Γ; whether it is above 1 is decided by
the certificates of :mod:`dpaudit_proofs.statement_one`.
"""

from __future__ import annotations

from dpaudit.claims.certificate import OrthantCertificate
from dpaudit.claims.claim import Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall

__all__ = [
    "BASE",
    "BEYOND",
    "DOWN",
    "FLAT_STEP",
    "GENERAL_PROPOSITION",
    "INSIDE_RIGHT",
    "ONE_GENERAL",
    "ONE_LEFT",
    "ONE_RIGHT",
    "SYMMETRIC_AT_BALANCE",
    "TWO_CENTRE",
    "TWO_LEFT",
    "TWO_ORDER",
    "UNBALANCED",
    "UP",
]

FIRST = "H((a, b), (a + 1, b - 1))"
SECOND = "H((a + 1, b - 1), (a + 2, b - 2))"
_LEFT = "(b - 3/2)^2*a*(a + 1)"
_RIGHT = "(a + 1/2)^2*(b - 1)*(b - 2)"

_FIRST = Use("hellinger", {"c": "a + 1", "d": "b - 1"})
_SECOND = Use("hellinger", {"a": "a + 1", "b": "b - 1", "c": "a + 2", "d": "b - 2"})

_LEMMA = Role.LEMMA

FACTOR = Derivation(
    title="the squares of consecutive affinities differ by a rational factor",
    role=_LEMMA,
    proves=forall(
        "real a b",
        "a > 0",
        "b > 2",
        holds=f"(1 - {SECOND}^2)^2*({_LEFT}) == (1 - {FIRST}^2)^2*({_RIGHT})",
    ),
    uses=(_FIRST, _SECOND),
)

POSITIVE = Derivation(
    title="both affinities are above 0",
    role=_LEMMA,
    proves=forall("real a b", "a > 0", "b > 2", holds=f"1 - {FIRST}^2 > 0 and 1 - {SECOND}^2 > 0"),
    uses=(_FIRST, _SECOND),
)

ORDER = Derivation(
    title="x²p = y²q with 0 < q < p makes x the smaller one",
    role=_LEMMA,
    proves=forall(
        "real x y p q",
        "x > 0",
        "y > 0",
        "q > 0",
        "q < p",
        "x^2*p == y^2*q",
        holds="x < y",
    ),
)

DISTANCE = Derivation(
    title="the smaller affinity belongs to the larger distance",
    role=_LEMMA,
    proves=forall("real g h", "g >= 0", "h >= 0", "1 - h^2 < 1 - g^2", holds="g < h"),
)

_GROWS = OrthantCertificate(
    title="the factor is below 1 where 2 < b < a + 2",
    positive=f"{_LEFT} - {_RIGHT}",
    shift={"a": "s + t", "b": "2 + s"},
    positive_variables=("s", "t"),
)

_FALLS = OrthantCertificate(
    title="the factor is above 1 where b > a + 2",
    positive=f"{_RIGHT} - {_LEFT}",
    shift={"a": "s", "b": "2 + s + t"},
    positive_variables=("s", "t"),
)

_LEFT_POSITIVE = OrthantCertificate(
    title="the denominator is positive",
    positive=_LEFT,
    shift={"a": "s", "b": "2 + t"},
    positive_variables=("s", "t"),
)

_RIGHT_POSITIVE = OrthantCertificate(
    title="the numerator is positive",
    positive=_RIGHT,
    shift={"a": "s", "b": "2 + t"},
    positive_variables=("s", "t"),
)

_SIGNS = (
    Use(_LEFT_POSITIVE, {"s": "a", "t": "b - 2"}),
    Use(_RIGHT_POSITIVE, {"s": "a", "t": "b - 2"}),
)

UP = Derivation(
    title="the distance grows where 2 < b < a + 2",
    role=_LEMMA,
    proves=forall("real a b", "a > 0", "b > 2", "b < a + 2", holds=f"{FIRST} < {SECOND}"),
    uses=(
        Use(FACTOR),
        Use(POSITIVE),
        *_SIGNS,
        Use(_GROWS, {"s": "b - 2", "t": "a - b + 2"}),
        Use(ORDER, {"x": f"1 - {SECOND}^2", "y": f"1 - {FIRST}^2", "p": _LEFT, "q": _RIGHT}),
        _FIRST,
        _SECOND,
        Use(DISTANCE, {"g": FIRST, "h": SECOND}),
    ),
)

DOWN = Derivation(
    title="the distance falls where b > a + 2",
    role=_LEMMA,
    proves=forall("real a b", "a > 0", "b > a + 2", holds=f"{FIRST} > {SECOND}"),
    uses=(
        Use(FACTOR),
        Use(POSITIVE),
        *_SIGNS,
        Use(_FALLS, {"s": "a", "t": "b - a - 2"}),
        Use(ORDER, {"x": f"1 - {FIRST}^2", "y": f"1 - {SECOND}^2", "p": _RIGHT, "q": _LEFT}),
        _FIRST,
        _SECOND,
        Use(DISTANCE, {"g": SECOND, "h": FIRST}),
    ),
)

FLAT_STEP = Derivation(
    title="the distance stays where b = a + 2",
    role=_LEMMA,
    proves=forall("real a b", "a > 0", "b == a + 2", holds=f"{FIRST} == {SECOND}"),
    uses=(
        Use(
            Derivation(
                title="the two distances at a and a + 2",
                role=_LEMMA,
                proves=forall(
                    "real a",
                    "a > 0",
                    holds="H((a, a + 2), (a + 1, a + 1)) == H((a + 1, a + 1), (a + 2, a))",
                ),
                uses=(
                    Use("hellinger-symmetric", {"b": "a + 2", "c": "a + 1", "d": "a + 1"}),
                    Use(
                        "hellinger-symmetric",
                        {"a": "a + 2", "b": "a", "c": "a + 1", "d": "a + 1"},
                    ),
                ),
            )
        ),
    ),
)

"""d(c), the distance of x with c₁ = c to x + 1, at the prior (1, 1)."""

BEYOND = Derivation(
    title="d grows strictly over all indices from (n − 1)/2 on",
    role=_LEMMA,
    proves=forall(
        "integer n i j",
        "i >= 0",
        "2*i > n - 2",
        "i < j",
        "j + 1 <= n",
        holds="H((i + 1, n - i + 1), (i + 2, n - i)) < H((j + 1, n - j + 1), (j + 2, n - j))",
    ),
    uses=(
        Use(UP, {"a": "i + 1", "b": "n - i + 1"}),
        Use(UP, {"a": "j + 1", "b": "n - j + 1"}),
    ),
    induction=("j", "i + 1"),
)

_OUTER = Derivation(
    title="the step away from balance is the longer one",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "2*c > n",
        "c + 1 <= n",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) > H((c + 1, n - c + 1), (c, n - c + 2))",
    ),
    uses=(
        Use(UP, {"a": "c", "b": "n - c + 2"}),
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c", "d": "n - c + 2"}),
    ),
)

_LEVEL = Derivation(
    title="at a balanced dataset of even n both steps are equal",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "n == 2*c",
        "n >= 2",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) == H((c + 1, n - c + 1), (c, n - c + 2))",
    ),
    uses=(
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c + 2", "d": "n - c"}),
        Use(
            Derivation(
                title="both steps from (c, c)",
                role=_LEMMA,
                proves=forall(
                    "integer c",
                    "c >= 1",
                    holds="H((c + 1, c + 1), (c + 2, c)) == H((c + 1, c + 1), (c, c + 2))",
                ),
                uses=(
                    Use(
                        "hellinger-symmetric",
                        {"a": "c + 1", "b": "c + 1", "c": "c + 2", "d": "c"},
                    ),
                ),
            )
        ),
    ),
)

INSIDE_RIGHT = Derivation(
    title="LS(x) is d(c) right of balance, where x + 1 exists",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "2*c >= n",
        "c + 1 <= n",
        "n >= 1",
        holds="LS((1, 1), (c, n - c)) == H((c + 1, n - c + 1), (c + 2, n - c))",
    ),
    uses=(
        Use("local-sensitivity", {"a": "1", "b": "1", "x": "c", "y": "n - c"}),
        Use(_OUTER),
        Use(_LEVEL),
    ),
)

LAST = Derivation(
    title="LS of (n, 0) is d(n − 1)",
    role=_LEMMA,
    proves=forall("integer n", "n >= 1", holds="LS((1, 1), (n, 0)) == H((n, 2), (n + 1, 1))"),
    uses=(
        Use("local-sensitivity-right", {"a": "1", "b": "1", "x": "n"}),
        Use("hellinger-symmetric", {"a": "n", "b": "2", "c": "n + 1", "d": "1"}),
    ),
)

_SWAPPED = tuple(
    Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": c, "d": d})
    for c, d in (("c + 2", "n - c"), ("c", "n - c + 2"))
)

_MIRROR_INSIDE = Derivation(
    title="LS(c, n − c) = LS(n − c, c) inside",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "c >= 1",
        "c + 1 <= n",
        holds="LS((1, 1), (c, n - c)) == LS((1, 1), (n - c, c))",
    ),
    uses=(
        Use("local-sensitivity", {"a": "1", "b": "1", "x": "c", "y": "n - c"}),
        Use("local-sensitivity", {"a": "1", "b": "1", "x": "n - c", "y": "c"}),
        *_SWAPPED,
    ),
)

_MIRROR_EDGE = Derivation(
    title="LS(n, 0) = LS(0, n)",
    role=_LEMMA,
    proves=forall("integer n", "n >= 1", holds="LS((1, 1), (n, 0)) == LS((1, 1), (0, n))"),
    uses=(
        Use("local-sensitivity-right", {"a": "1", "b": "1", "x": "n"}),
        Use("local-sensitivity-left", {"a": "1", "b": "1", "y": "n"}),
        Use("hellinger-symmetric", {"a": "n + 1", "b": "1", "c": "n", "d": "2"}),
    ),
)

_BEYOND_BALANCE = Derivation(
    title="LS(c, n − c) > LS(u, n − u) for c > u, u the right balanced dataset, c < n",
    role=_LEMMA,
    proves=forall(
        "integer n c u",
        "n >= 4",
        "2*u >= n",
        "2*u <= n + 1",
        "c > u",
        "c + 1 <= n",
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    uses=(Use(INSIDE_RIGHT), Use(INSIDE_RIGHT, {"c": "u"}), Use(BEYOND, {"i": "u", "j": "c"})),
)

_EDGE_BEYOND = Derivation(
    title="LS(n, 0) > LS(u, n − u), u the right balanced dataset",
    role=_LEMMA,
    proves=forall(
        "integer n u",
        "n >= 4",
        "2*u >= n",
        "2*u <= n + 1",
        holds="LS((1, 1), (n, 0)) > LS((1, 1), (u, n - u))",
    ),
    uses=(Use(LAST), Use(INSIDE_RIGHT, {"c": "u"}), Use(BEYOND, {"i": "u", "j": "n - 1"})),
)

_BALANCED = ("2*u == n or 2*u == n + 1 or 2*u == n - 1", "u >= 0", "u <= n")

_ORDER_INSIDE = Derivation(
    title="an unbalanced dataset inside has a larger LS than either balanced one",
    role=_LEMMA,
    proves=forall(
        "integer n c u",
        "n >= 4",
        "1 <= c",
        "c + 1 <= n",
        "2*c != n",
        "2*c != n + 1",
        "2*c != n - 1",
        *_BALANCED,
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    uses=(
        Use(_BEYOND_BALANCE),
        Use(_BEYOND_BALANCE, {"c": "n - c"}),
        Use(_BEYOND_BALANCE, {"u": "n - u"}),
        Use(_BEYOND_BALANCE, {"c": "n - c", "u": "n - u"}),
        Use(_MIRROR_INSIDE),
        Use(_MIRROR_INSIDE, {"c": "u"}),
    ),
)

_ORDER_EDGE = Derivation(
    title="(n, 0) and (0, n) have a larger LS than either balanced dataset",
    role=_LEMMA,
    proves=forall(
        "integer n u",
        "n >= 4",
        *_BALANCED,
        holds="LS((1, 1), (n, 0)) > LS((1, 1), (u, n - u)) and "
        "LS((1, 1), (0, n)) > LS((1, 1), (u, n - u))",
    ),
    uses=(
        Use(_EDGE_BEYOND),
        Use(_EDGE_BEYOND, {"u": "n - u"}),
        Use(_MIRROR_EDGE),
        Use(_MIRROR_INSIDE, {"c": "u"}),
    ),
)

_RIGHT_END = Derivation(
    title="the same for c = n",
    role=_LEMMA,
    proves=forall(
        "integer n c u",
        "c == n",
        "n >= 4",
        *_BALANCED,
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    uses=(Use(_ORDER_EDGE),),
)

_LEFT_END = Derivation(
    title="the same for c = 0",
    role=_LEMMA,
    proves=forall(
        "integer n c u",
        "c == 0",
        "n >= 4",
        *_BALANCED,
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    uses=(Use(_ORDER_EDGE),),
)

# -- what the claims rest on ----------------------------------------------------------------------

ONE_RIGHT = Derivation(
    title="Statement I to the right of balance",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "2*c > n - 2",
        "c >= 0",
        "c + 2 <= n",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) < H((c + 2, n - c), (c + 3, n - c - 1))",
    ),
    uses=(Use(UP, {"a": "c + 1", "b": "n - c + 1"}),),
)

ONE_LEFT = Derivation(
    title="Statement I to the left of balance",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "2*c < n - 2",
        "c >= 0",
        holds="H((c + 1, n - c + 1), (c + 2, n - c)) > H((c + 2, n - c), (c + 3, n - c - 1))",
    ),
    uses=(Use(DOWN, {"a": "c + 1", "b": "n - c + 1"}),),
)

_GENERAL_FIRST = "H((alpha + c, beta + n - c), (alpha + c + 1, beta + n - c - 1))"
_GENERAL_SECOND = "H((alpha + c + 1, beta + n - c - 1), (alpha + c + 2, beta + n - c - 2))"
_AT = {"a": "alpha + c", "b": "beta + n - c"}

GENERAL_PROPOSITION = (
    f"(2*c > n - 2 + beta - alpha and {_GENERAL_FIRST} < {_GENERAL_SECOND}) or "
    f"(2*c == n - 2 + beta - alpha and {_GENERAL_FIRST} == {_GENERAL_SECOND}) or "
    f"(2*c < n - 2 + beta - alpha and {_GENERAL_FIRST} > {_GENERAL_SECOND})"
)

ONE_GENERAL = Derivation(
    title="Statement I for any prior",
    role=_LEMMA,
    proves=forall(
        "real alpha beta, natural n c",
        "alpha > 0",
        "beta > 0",
        "c + 2 <= n",
        holds=GENERAL_PROPOSITION,
    ),
    uses=(Use(UP, _AT), Use(DOWN, _AT), Use(FLAT_STEP, _AT)),
)

TWO_LEFT = Derivation(
    title="LS(x) is H(x, x − 1) left of balance, where x − 1 exists",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "2*c <= n",
        "c >= 1",
        holds="LS((1, 1), (c, n - c)) == H((c + 1, n - c + 1), (c, n - c + 2))",
    ),
    uses=(
        Use("local-sensitivity", {"a": "1", "b": "1", "x": "c", "y": "n - c"}),
        Use(_OUTER, {"c": "n - c"}),
        Use(_LEVEL),
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c", "d": "n - c + 2"}),
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c + 2", "d": "n - c"}),
    ),
)

TWO_ORDER = Derivation(
    title="the order of the two steps away from x",
    role=_LEMMA,
    proves=forall(
        "integer n c",
        "c >= 1",
        "c + 1 <= n",
        holds="(not 2*c > n or H((c + 1, n - c + 1), (c, n - c + 2)) < "
        "H((c + 1, n - c + 1), (c + 2, n - c))) and (not 2*c < n or "
        "H((c + 1, n - c + 1), (c, n - c + 2)) > H((c + 1, n - c + 1), (c + 2, n - c)))",
    ),
    uses=(
        Use(_OUTER),
        Use(_OUTER, {"c": "n - c"}),
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c", "d": "n - c + 2"}),
        Use("hellinger-symmetric", {"a": "c + 1", "b": "n - c + 1", "c": "c + 2", "d": "n - c"}),
    ),
)

_PRINTED = "(2*h - 1)^2*(2*h + 2)*(2*h + 4) > (2*h + 3)^2*(2*h)*(2*h - 2)"
_BASE = "H((h + 1, h + 1), (h + 2, h)) < H((h + 2, h), (h + 3, h - 1))"

BASE = Derivation(
    title="both the base case and the polynomial inequality hold for even n ≥ 4",
    role=_LEMMA,
    proves=forall("integer h", "h >= 2", holds=f"{_BASE} and {_PRINTED}"),
    uses=(Use(UP, {"a": "h + 1", "b": "h + 1"}),),
)

TWO_CENTRE = _LEVEL

UNBALANCED = Derivation(
    title="Statement III from four records on",
    role=_LEMMA,
    proves=forall(
        "integer n c u",
        "n >= 4",
        "0 <= c",
        "c <= n",
        "2*c != n",
        "2*c != n + 1",
        "2*c != n - 1",
        *_BALANCED,
        holds="LS((1, 1), (c, n - c)) > LS((1, 1), (u, n - u))",
    ),
    uses=(Use(_ORDER_INSIDE), Use(_RIGHT_END), Use(_LEFT_END)),
)

SYMMETRIC_AT_BALANCE = Derivation(
    title="H(x, x + s) = H(x, x − s) at the balanced x",
    role=_LEMMA,
    proves=forall(
        "natural n c s",
        "s <= c",
        "n == 2*c",
        holds="H((c + 1, n - c + 1), (c + s + 1, n - c - s + 1)) == "
        "H((c + 1, n - c + 1), (c - s + 1, n - c + s + 1))",
    ),
    uses=(
        Use(
            Derivation(
                title="both from (c, c)",
                role=_LEMMA,
                proves=forall(
                    "natural c s",
                    "s <= c",
                    holds="H((c + 1, c + 1), (c + s + 1, c - s + 1)) == "
                    "H((c + 1, c + 1), (c - s + 1, c + s + 1))",
                ),
                uses=(
                    Use(
                        "hellinger-symmetric",
                        {"a": "c + 1", "b": "c + 1", "c": "c + s + 1", "d": "c - s + 1"},
                    ),
                ),
            )
        ),
    ),
)
