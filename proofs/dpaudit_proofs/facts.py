"""What derivations may take for granted of the words of the notes."""

from __future__ import annotations

from dpaudit.results.claims import Statement, Variable

__all__ = ["FACTS"]


def _reals(*names: str) -> tuple[Variable, ...]:
    return tuple(Variable(name, "real") for name in names)


_K = Variable("k", "natural")
_PRIOR = "each(i, 1, k, a[i])"

FACTS = {
    "hellinger": Statement(
        variables=_reals("a", "b", "c", "d"),
        domain=("a > 0", "b > 0", "c > 0", "d > 0"),
        proposition="H((a, b), (c, d)) >= 0 and H((a, b), (c, d)) <= 1 and "
        "(1 - H((a, b), (c, d))^2)^2 == gamma((a + c)/2)^2*gamma((b + d)/2)^2*gamma(a + b)"
        "*gamma(c + d)/(gamma((a + b + c + d)/2)^2*gamma(a)*gamma(b)*gamma(c)*gamma(d))",
    ),
    "hellinger-symmetric": Statement(
        variables=_reals("a", "b", "c", "d"),
        domain=("a > 0", "b > 0", "c > 0", "d > 0"),
        proposition="H((a, b), (c, d)) == H((c, d), (a, b)) and "
        "H((a, b), (c, d)) == H((b, a), (d, c))",
    ),
    "hellinger-zero": Statement(
        variables=_reals("a", "b"),
        domain=("a > 0", "b > 0"),
        proposition="H((a, b), (a, b)) == 0",
    ),
    "laplace-left": Statement(
        variables=_reals("s", "t"),
        domain=("s > 0", "t <= 0"),
        proposition="F_lap(s, t) == exp(t/s)/2",
    ),
    "laplace-right": Statement(
        variables=_reals("s", "t"),
        domain=("s > 0", "t >= 0"),
        proposition="F_lap(s, t) == 1 - exp(-t/s)/2",
    ),
    "choose-positive": Statement(
        variables=(Variable("n", "natural"), Variable("k", "natural")),
        domain=("k <= n",),
        proposition="choose(n, k) > 0",
    ),
    "hellinger-triangle": Statement(
        variables=_reals("a", "b", "c", "d", "e", "f"),
        domain=("a > 0", "b > 0", "c > 0", "d > 0", "e > 0", "f > 0"),
        proposition="H((a, b), (e, f)) <= H((a, b), (c, d)) + H((c, d), (e, f))",
    ),
    "local-sensitivity": Statement(
        variables=(*_reals("a", "b"), Variable("x", "natural"), Variable("y", "natural")),
        domain=("a > 0", "b > 0", "x > 0", "y > 0"),
        proposition="LS((a, b), (x, y)) == max(H((a + x, b + y), (a + x + 1, b + y - 1)), "
        "H((a + x, b + y), (a + x - 1, b + y + 1)))",
    ),
    "gamma-smooth-positive": Statement(
        variables=(*_reals("a", "b", "g"), Variable("x", "natural"), Variable("y", "natural")),
        domain=("a > 0", "b > 0", "g >= 0", "x + y >= 1"),
        proposition="S_gamma((a, b), g, (x, y)) > 0",
    ),
    "beta-smooth-positive": Statement(
        variables=(*_reals("a", "b", "beta"), Variable("x", "natural"), Variable("y", "natural")),
        domain=("a > 0", "b > 0", "beta >= 0", "x + y >= 1"),
        proposition="S_beta((a, b), beta, (x, y)) > 0",
    ),
    "local-sensitivity-positive": Statement(
        variables=(*_reals("a", "b"), Variable("x", "natural"), Variable("y", "natural")),
        domain=("a > 0", "b > 0", "x + y >= 1"),
        proposition="LS((a, b), (x, y)) > 0",
    ),
    "law-positive": Statement(
        variables=(
            *_reals("a", "b", "f"),
            *(Variable(name, "natural") for name in ("x", "y", "r", "s")),
        ),
        domain=("a > 0", "b > 0", "x + y == r + s"),
        proposition="P_exp(f, (a, b), (x, y), (r, s)) > 0",
    ),
    "global-sensitivity-positive": Statement(
        variables=(*_reals("a", "b"), Variable("n", "natural")),
        domain=("a > 0", "b > 0", "n >= 1"),
        proposition="GS((a, b), n) > 0",
    ),
    "local-sensitivity-right": Statement(
        variables=(*_reals("a", "b"), Variable("x", "natural")),
        domain=("a > 0", "b > 0", "x > 0"),
        proposition="LS((a, b), (x, 0)) == H((a + x, b), (a + x - 1, b + 1))",
    ),
    "local-sensitivity-left": Statement(
        variables=(*_reals("a", "b"), Variable("y", "natural")),
        domain=("a > 0", "b > 0", "y > 0"),
        proposition="LS((a, b), (0, y)) == H((a, b + y), (a + 1, b + y - 1))",
    ),
    "global-sensitivities-positive": Statement(
        variables=(_K, Variable("n", "natural"), Variable("a", "reals")),
        domain=("k >= 2", "n >= 1", "all(i, 1, k, a[i] > 0)"),
        proposition=f"GS({_PRIOR}, n) > 0",
    ),
    "candidates": Statement(
        variables=(_K, Variable("n", "natural")),
        domain=("k >= 1", "n >= 1"),
        proposition="candidates(k, n)*gamma(k)*gamma(n + 1) == gamma(n + k)",
    ),
    "power-step": Statement(
        variables=(Variable("s", "real"), Variable("j", "natural")),
        proposition="s^(j + 1) == s*s^j",
    ),
    "power-positive": Statement(
        variables=(Variable("s", "real"), Variable("j", "natural")),
        domain=("s > 0",),
        proposition="s^j > 0",
    ),
    "normaliser-positive": Statement(
        variables=(
            _K,
            Variable("x", "integers"),
            Variable("a", "reals"),
            Variable("f", "real"),
        ),
        domain=(
            "k >= 2",
            "all(i, 1, k, x[i] >= 0)",
            "sum(i, 1, k, x[i]) >= 1",
            "all(i, 1, k, a[i] > 0)",
        ),
        proposition=f"NL(f, {_PRIOR}, each(i, 1, k, x[i])) > 0",
    ),
    "clamped-all-positive": Statement(
        variables=(
            *(Variable(name, "natural") for name in ("m", "n", "p")),
            *(Variable(name, "integers") for name in ("z", "r")),
            Variable("s", "real"),
        ),
        domain=("s > 0", "n >= 1", "all(i, 1, m, r[i] >= 0 and r[i] <= n)"),
        proposition="all(i, 1, m, P_clamp(s, n, z[i] + same(i, p), r[i]) > 0)",
    ),
    "gamma-smooth-all-positive": Statement(
        variables=(
            _K,
            Variable("z", "integers"),
            Variable("p", "natural"),
            Variable("a", "reals"),
            Variable("g", "real"),
        ),
        domain=(
            "k >= 2",
            "all(i, 1, k, z[i] >= 0)",
            "sum(i, 1, k, z[i] + same(i, p)) >= 1",
            "all(i, 1, k, a[i] > 0)",
            "g >= 0",
        ),
        proposition=f"S_gamma({_PRIOR}, g, each(i, 1, k, z[i] + same(i, p))) > 0",
    ),
}
