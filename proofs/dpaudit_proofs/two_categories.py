"""What the notes assert of any number of categories, stated for two as data.

There H, LS, GS and the smooth sensitivities are functions of the typed language, so that these are
statements about the mechanisms themselves, and theorems of Coq.  Over more categories the same is
argued, by the claim that is named.
"""

from __future__ import annotations

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.statement import forall
from dpaudit_proofs.exponential_privacy import LIPSCHITZ, REDUCTION, SCALED, SMOOTHED, WEIGHTS
from dpaudit_proofs.smooth_privacy import SMOOTH

__all__ = ["CLAIMS", "POSITIVE"]

_PRIOR = ("a > 0", "b > 0")
_PAIR = (*_PRIOR, "c + 1 <= n")
_X, _Y = "(c, n - c)", "(c + 1, n - c - 1)"
_HX, _HY = "(a + c, b + n - c)", "(a + c + 1, b + n - c - 1)"
_SGX, _SGY = (f"S_gamma((a, b), g, {at})" for at in (_X, _Y))
_SBX, _SBY = (f"S_beta((a, b), beta, {at})" for at in (_X, _Y))


def _private(x_factor: str, y_factor: str) -> str:
    """Return that P_x(r) ≤ e^ε·P_y(r) and P_y(r) ≤ e^ε·P_x(r), of laws with these factors."""
    p = f"P_exp({x_factor}, (a, b), {_X}, (r, n - r))"
    q = f"P_exp({y_factor}, (a, b), {_Y}, (r, n - r))"
    return f"{p} <= exp(eps)*{q} and {q} <= exp(eps)*{p}"


POSITIVE = Derivation(
    title="the smoothed sensitivities are above 0",
    role=Role.LEMMA,
    proves=forall("real a b g, natural n c", *_PAIR, "g >= 0", holds=f"{_SGX} > 0 and {_SGY} > 0"),
    uses=(
        Use("gamma-smooth-positive", {"x": "c", "y": "n - c"}),
        Use("gamma-smooth-positive", {"x": "c + 1", "y": "n - c - 1"}),
    ),
)

CLAIMS = (
    Claim(
        id="two-triangle",
        typed=forall(
            "real a b c d e f",
            *(f"{name} > 0" for name in "abcdef"),
            "a + b == c + d",
            "a + b == e + f",
            holds="H((a, b), (c, d)) <= H((a, b), (e, f)) + H((e, f), (c, d))",
        ),
        source="A §1 (H is called a metric); N §4.1, D §2.2.2 use it",
        statement="the Hellinger distance of beta laws of one total obeys the triangle inequality",
        domain="all positive parameters of one total",
        evidence=(
            Derivation(
                title="it is that of square roots of densities in L²",
                proves=forall(
                    "real a b c d e f",
                    *(f"{name} > 0" for name in "abcdef"),
                    holds="H((a, b), (c, d)) <= H((a, b), (e, f)) + H((e, f), (c, d))",
                ),
                uses=(Use("hellinger-triangle", {"c": "e", "d": "f", "e": "c", "f": "d"}),),
            ),
        ),
    ),
    Claim(
        id="two-ls-reduction",
        typed=forall(
            "real a b, natural n c r",
            *_PAIR,
            "r <= n",
            holds=f"abs(H({_HX}, (a + r, b + n - r)) - H({_HY}, (a + r, b + n - r))) <= "
            f"H({_HX}, {_HY})",
        ),
        source="N §4.1, D §2.2.2",
        statement="no candidate r has |H(x, r) − H(x′, r)| above H(x, x′), which r = x attains",
        domain="k = 2: all n ≥ 1, priors α > 0, neighbours x, x′ (for all k: ls-reduction)",
        evidence=(
            Derivation(
                title="the triangle inequality, twice",
                proves=forall(
                    "real a b, natural n c r",
                    *_PAIR,
                    "r <= n",
                    holds=f"abs(H({_HX}, (a + r, b + n - r)) - H({_HY}, (a + r, b + n - r))) <= "
                    f"H({_HX}, {_HY})",
                ),
                uses=(
                    Use(
                        "hellinger-triangle",
                        {
                            "a": "a + c",
                            "b": "b + n - c",
                            "c": "a + c + 1",
                            "d": "b + n - c - 1",
                            "e": "a + r",
                            "f": "b + n - r",
                        },
                    ),
                    Use(
                        "hellinger-triangle",
                        {
                            "a": "a + c + 1",
                            "b": "b + n - c - 1",
                            "c": "a + c",
                            "d": "b + n - c",
                            "e": "a + r",
                            "f": "b + n - r",
                        },
                    ),
                    Use(
                        "hellinger-symmetric",
                        {
                            "a": "a + c",
                            "b": "b + n - c",
                            "c": "a + c + 1",
                            "d": "b + n - c - 1",
                        },
                    ),
                ),
            ),
        ),
    ),
    Claim(
        id="two-global-dp",
        typed=forall(
            "real a b eps d, natural n c r",
            *_PAIR,
            "eps > 0",
            "r <= n",
            "d > 0",
            "d >= GS((a, b), n)",
            holds=_private("eps/(2*d)", "eps/(2*d)"),
        ),
        source="N §2.1; D, E §1.1.2; L §2.1",
        statement="the exponential mechanism with the global sensitivity, or any bound d of it, is "
        "ε-differentially private",
        domain="k = 2: every prior α > 0, n ≥ 1, ε > 0 (for all k: em-global-dp)",
        evidence=(SCALED, WEIGHTS),
        derivation=REDUCTION,
    ),
    Claim(
        id="two-gamma-smooth",
        typed=forall(
            "real a b g, natural n c",
            *_PAIR,
            "g >= 0",
            holds=f"{_SGX} >= LS((a, b), {_X}) and LS((a, b), {_X}) > 0 and "
            f"1/{_SGX} - 1/{_SGY} <= g and 1/{_SGY} - 1/{_SGX} <= g",
        ),
        source="A §1 (the definition of S), used by A Thm 3.1 for EHDS",
        statement="S_γ is at least LS, and 1/S_γ changes by at most γ between neighbours",
        domain="k = 2: every prior α > 0, n ≥ 1, γ ≥ 0 (for all k: gamma-smooth-lipschitz)",
        evidence=(POSITIVE, LIPSCHITZ),
    ),
    Claim(
        id="two-EHDS-dp",
        typed=forall(
            "real a b eps g, natural n c r",
            *_PAIR,
            "eps > 0",
            "r <= n",
            "g >= 0",
            holds=_private(f"eps/(2*(1 + g)*{_SGX})", f"eps/(2*(1 + g)*{_SGY})"),
        ),
        source="A Thm 3.1, with A Alg. 6",
        statement="EHDS is ε-differentially private",
        domain="k = 2: every prior α > 0, n ≥ 1, ε > 0, γ ≥ 0 (for all k: thm-3.1-EHDS)",
        evidence=(POSITIVE, SMOOTHED, LIPSCHITZ, WEIGHTS),
        derivation=REDUCTION,
    ),
    Claim(
        id="two-beta-smooth",
        typed=forall(
            "real a b beta, natural n c",
            *_PAIR,
            "beta >= 0",
            holds=f"LS((a, b), {_X}) <= {_SBX} and LS((a, b), {_Y}) <= {_SBY} and "
            f"{_SBX} <= exp(beta)*{_SBY} and {_SBY} <= exp(beta)*{_SBX}",
        ),
        source="N §2.3.1, Def. 2.1",
        statement="S_β is a β-smooth upper bound of the local sensitivity",
        domain="k = 2: every prior α > 0, n ≥ 1, β ≥ 0 (for all k: smooth-sensitivity)",
        evidence=(SMOOTH,),
    ),
)
