"""The sharp bound on right guesses about canaries of one training, and that it is attained.

Of m canaries each is in with probability 1/2: world s of 2^m has canary i where bit i of s is 1.
A training gives the output t with probability ``chance(s, t)``, and ``guess(t, i)`` is what the
auditor, who sees t alone, says of canary i: in (1), out (0), or nothing.  E is e^ε.
"""

from __future__ import annotations

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.derivation import Derivation, Use
from dpaudit.claims.evidence import SMTProof
from dpaudit.claims.statement import forall

__all__ = ["CLAIMS"]

_FLIPPED = "s + (1 - 2*digit(2, s, i))*2^i"
"""The world that differs from s in canary i."""


def _worlds(body: str) -> str:
    return f"all(s, 0, 2^m - 1, {body})"


def _outputs(body: str, last: str) -> str:
    return f"all(t, 0, {last}, {body})"


def _law(last: str) -> tuple[str, str]:
    """Return that chances are those of a law in every world, of the outputs 0 to ``last``."""
    return (
        _worlds(f"sum(t, 0, {last}, chance(s, t)) == 1"),
        _worlds(_outputs("chance(s, t) >= 0", last)),
    )


def _private(last: str) -> str:
    """Return (ε, δ)-differential privacy for every canary, in or out, as Σ max(0, P − E·Q) ≤ δ."""
    loss = f"max(0, chance(s, t) - E*chance({_FLIPPED}, t))"
    return _worlds(f"all(i, 0, m - 1, sum(t, 0, {last}, {loss}) <= d)")


def _made(guess: str) -> str:
    """Return how many guesses are made."""
    return f"sum(i, 0, m - 1, same({guess}, 0) + same({guess}, 1))"


def _right(guess: str) -> str:
    """Return how many of them are right."""
    return f"sum(i, 0, m - 1, same({guess}, digit(2, s, i)))"


def _at_least(guess: str, last: str) -> str:
    """Return the probability of v right guesses or more."""
    each = f"chance(s, t)*at_most(v, {_right(guess)})"
    return f"sum(s, 0, 2^m - 1, sum(t, 0, {last}, {each}))/2^m"


_TAIL = "sum(j, v, r, choose(r, j)*E^j)/(1 + E)^r"
"""β = P[W ≥ v], W the sum of r independent guesses that are right with probability E/(1 + E)."""
_POINT = "v*(choose(r, v)*E^v)"
"""v·P[W = v], but for the divisor (1 + E)^r."""


def _bound(mass: str) -> str:
    return f"{_TAIL} + {mass}*({_TAIL})*(1 - {_TAIL})*(1 + E)^r/({_POINT})"


_GUESSED = "guess(t, i)"
_FEW = _outputs(f"{_made(_GUESSED)} <= r", "n")

_DEFINED = Derivation(
    title="v·P[W = v] is above 0",
    role=Role.LEMMA,
    proves=forall(
        "real E, natural r v", "E > 0", "v >= 1", "v <= r", holds=f"{_POINT} > 0 and (1 + E)^r > 0"
    ),
    uses=(Use("choose-positive", {"n": "r", "k": "v"}),),
)

_SUBSETS = Derivation(
    title="there are subsets of r canaries",
    role=Role.LEMMA,
    proves=forall("natural m r", "r <= m", holds="choose(m, r) > 0"),
    uses=(Use("choose-positive", {"n": "m", "k": "r"}),),
)

_BELOW = SMTProof(
    title="prices y of k errors, (r − k)·y_k = B_k·(1 − β)/w_k up to u = r − v: "
    "(r − k)·y_k − E·k·y_(k − 1) = 1 − β",
    hypotheses=("w > 0",),
    goal="B*(1 - b)/w - (B - w)*(1 - b)/w == 1 - b",
)
_ABOVE = SMTProof(
    title="and (r − k)·y_k = β·(1 − B_k)/w_k above u: it is −β",
    role=Role.LEMMA,
    hypotheses=("w > 0",),
    goal="b*(1 - B)/w - b*(1 - B + w)/w == -b",
)
_RISES = SMTProof(
    title="prices rise to u: x ≤ y, (a + 1)·y = c + e·x and a·z = c + (e + f)·y give y ≤ z",
    role=Role.LEMMA,
    hypotheses=(
        "x <= y",
        "(a + 1)*y == c + e*x",
        "a*z == c + (e + f)*y",
        "a > 0",
        "e >= 0",
        "f >= 0",
        "y >= 0",
    ),
    goal="y <= z",
)
_SPENT = SMTProof(
    title="the tail of the training that attains the bound, with g = M/(v·P[W = v])",
    hypotheses=("p > 0", "g*p == M"),
    goal="b*(1 + g*(1 - b)) + (1 - b)*(1 - g*b) == 1 and b*(1 + g*(1 - b)) == b + M*b*(1 - b)/p",
)
_ONE_DIRECTION = SMTProof(
    title="its chances are c·p of h right guesses and E·c·q of h + 1, p ≤ q: fewer right guesses "
    "are never more than E times as likely",
    role=Role.LEMMA,
    hypotheses=("E >= 1", "0 <= p", "p <= q", "c >= 0"),
    goal="c*p <= E*(E*c*q)",
)

_ATTAINED = "digit(3, t, i)"
_LAST = "3^m - 1"
_TIGHT = (
    f"same({_made(_ATTAINED)}, r)*sum(h, 0, r, same(h, {_right(_ATTAINED)})*E^h*"
    f"(1 + M*(1 + E)^r/({_POINT})*(at_most(v, h) - {_TAIL})))/((1 + E)^r*choose(m, r))"
)
"""The training: r canaries by chance, so many errors, and these by chance."""

_SETTING = "Steinke, Nasr and Jagielski 2023 (arXiv 2305.08846), the setting; beside the notes"
_POINTS = (
    {"E": "3", "d": "0", "m": "2", "r": "2", "v": "1", "n": "8"},
    {"E": "3", "d": "0", "m": "2", "r": "2", "v": "2", "n": "8"},
    {"E": "2", "d": "1/4", "m": "2", "r": "2", "v": "2", "n": "8"},
)

CLAIMS = (
    Claim(
        id="one-run-bound",
        typed=forall(
            "real E d, natural m r v n",
            "E > 0",
            "v >= 1",
            "v <= r",
            *_law("n"),
            _private("n"),
            _FEW,
            holds=f"{_at_least(_GUESSED, 'n')} <= {_bound('m*d')}",
        ),
        source=_SETTING,
        statement="of at most r guesses about m canaries v or more are right with probability at "
        "most β + m·δ·β(1 − β)/(v·P[W = v]), for every (ln E, δ)-differentially private training; "
        "W is a sum of r guesses that are right with probability E/(1 + E), and β = P[W ≥ v]",
        domain="every training with finitely many outputs, every guess from the output; all E > 0, "
        "δ, m and 1 ≤ v ≤ r",
        points=_POINTS,
        evidence=(_BELOW, _ABOVE, _RISES, _DEFINED),
        derivation="Let p_k be the chance of k errors, one that is not made among them, and s_k "
        "what is lost there: a flip of the canary turns a right guess wrong, so (r − k)·p_k ≤ "
        "E·(k + 1)·p_(k + 1) + s_k, and Σ s_k ≤ m·δ. Multiply by the prices and add: what is left "
        "of Σ p_k·([k ≤ u] − β) is at most y_u·Σ s_k, and no price is above y_u. Privacy is "
        "stated as Σ max(0, P − E·Q) ≤ δ, which is P(A) ≤ E·Q(A) + δ for every event A.",
    ),
    Claim(
        id="one-run-bound-pure",
        typed=forall(
            "real E, natural m r v n",
            "E > 0",
            "v >= 1",
            "v <= r",
            *_law("n"),
            _worlds(
                f"all(i, 0, m - 1, {_outputs(f'chance(s, t) <= E*chance({_FLIPPED}, t)', 'n')})"
            ),
            _FEW,
            holds=f"{_at_least(_GUESSED, 'n')} <= {_TAIL}",
        ),
        source=_SETTING,
        statement="of at most r guesses about the canaries of a (ln E, 0)-differentially private "
        "training v or more are right with probability at most P[W ≥ v]",
        domain="the same, at δ = 0",
        points=tuple({k: x for k, x in at.items() if k != "d"} for at in _POINTS[:2]),
        evidence=(_BELOW, _ABOVE, _DEFINED),
        derivation="It is one-run-bound at δ = 0.",
    ),
    Claim(
        id="one-run-attained",
        typed=forall(
            "real E d M, natural m r v",
            "E >= 1",
            "v >= 1",
            "v <= r",
            "r <= m",
            "M >= 0",
            "M <= m*d",
            f"M*({_TAIL})*(1 + E)^r <= {_POINT}",
            _worlds(_outputs(f"chance(s, t) == {_TIGHT}", _LAST)),
            holds=" and ".join(
                (
                    *_law(_LAST),
                    _private(_LAST),
                    _outputs(
                        f"{_made(_ATTAINED)} == r or all(s, 0, 2^m - 1, chance(s, t) == 0)", _LAST
                    ),
                    f"{_at_least(_ATTAINED, _LAST)} == {_bound('M')}",
                )
            ),
        ),
        source="beside the notes",
        statement="a (ln E, δ)-differentially private training whose output makes r guesses "
        "attains the bound with M ≤ m·δ for m·δ, as long as it is at most 1; M = m·δ gives the "
        "bound itself, and where that is above 1, M = v·P[W = v]/β gives 1",
        domain="all E ≥ 1, δ ≥ 0, 1 ≤ v ≤ r ≤ m; the training is written out, as a law of the "
        "guesses for every set of canaries that are in; of other records it does not depend",
        points=(
            {"E": "3", "d": "0", "M": "0", "m": "2", "r": "2", "v": "1"},
            {"E": "3", "d": "0", "M": "0", "m": "2", "r": "2", "v": "2"},
        ),
        evidence=(_SPENT, _ONE_DIRECTION, _DEFINED, _SUBSETS),
        derivation="The output is a guess about each of r canaries that are drawn by chance; h of "
        "them are right with chances in proportion to E^h, more of it from v on, and which ones "
        "is by chance too. One canary loses M/m where it turns the v-th right guess wrong, and "
        "nothing elsewhere.",
    ),
)
