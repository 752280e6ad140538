"""Privacy of rounded and clamped Laplace noise on the counts: LSDim, LSHist, LSZhang.

One noisy coordinate is clamp(⌊c + Y⌋, 0, n), Y ~ Lap(b); put t = e^(−1/b), 0 < t < 1.

**Cells.** P(Y ≥ m) = P(Y < −m) = ½·t^m for whole m ≥ 0, so P_c(r) = ½(1 − t)·t^(r − c) for
c ≤ r < n, ½(1 − t)·t^(c − 1 − r) for 0 < r < c; P_c(n) = ½·t^(n − c), P_c(0) = ½·t^(c − 1) for
c ≥ 1, P_0(0) = 1 − t/2.

**One unit.** P_c(r)/P_{c+1}(r) is t for r > c, 1 for r = c ≥ 1, 1/t for r < c, and 2 − t for
r = c = 0 (``RATIOS``).  All lie in [t, 1/t], 2 − t because (1 − t)² ≥ 0 (``END``).  So one unit in
one coordinate costs at most 1/b, and exactly that at r = n from c + 1 to c, and at r = 0 from c to
c + 1 if c ≥ 1.  The same bound without cells, for any rounding and clamping at all: the density of
c + Y changes by a factor e^(±1/b) at most, and what follows is post-processing (``DENSITY``).

**A neighbour** moves one unit from j to i.  Of the noisy coordinates, at most two change, by one;
the noises are independent, so the losses add up; the last coordinate of LSDim and LSHist is a
function of the others.  With two noisy coordinates that change the loss is at most 2/b.

**Tightness.** From x to x − eⱼ + eᵢ with xᵢ ≥ 1 both coordinates reach 1/b, so 2/b is realised
exactly where two noisy coordinates and n ≥ 2 records exist; at n = 1 the loss is
1/b + ln(2 − t) < 2/b.  With a single noisy coordinate 1/b is realised exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.api import mechanism
from dpaudit.claims.certificate import SumOfProducts
from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Identity, SMTProof, Sweep
from dpaudit.data.adjacency import substitutes
from dpaudit.data.histograms import Histograms
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, Real, order, real
from dpaudit_proofs.typed_rounded import private_noise

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CLAIMS", "realised", "realised_formula"]

# -- one coordinate, one unit ------------------------------------------------------------------


def _cell(*, above: bool) -> Callable[[], list[Any]]:
    def chain() -> list[Any]:
        from sympy import symbols

        t = symbols("t", positive=True)
        m = symbols("m", integer=True, nonnegative=True)
        near, far = t**m / 2, t ** (m + 1) / 2
        difference = (1 - far) - (1 - near) if above else near - far
        return [difference, (1 - t) * t**m / 2]

    return chain


CELLS = (
    Identity(
        title="cells at and above c: P(m ≤ Y < m + 1), m = r − c ≥ 0",
        role=Role.LEMMA,
        chain=_cell(above=True),
        shown=("(1 − ½t^(m + 1)) − (1 − ½t^m)", "½(1 − t)·t^m"),
    ),
    Identity(
        title="cells below c: P(−m − 1 ≤ Y < −m), m = c − 1 − r ≥ 0",
        role=Role.LEMMA,
        chain=_cell(above=False),
        shown=("½t^m − ½t^(m + 1)", "½(1 − t)·t^m"),
    ),
)


def _ratio(where: str) -> Callable[[], list[Any]]:
    """Return the chain P_c(r)/P_{c+1}(r) = its value, for one kind of output."""

    def chain() -> list[Any]:
        from sympy import Integer, symbols

        t = symbols("t", positive=True)
        c, r, n = symbols("c r n", integer=True, nonnegative=True)
        run = (1 - t) / 2
        quotient, value = {
            "r = n": ((t ** (n - c) / 2) / (t ** (n - c - 1) / 2), t),
            "c < r < n": ((run * t ** (r - c)) / (run * t ** (r - c - 1)), t),
            "0 < r = c": (run * t ** (c - c) / (run * t ** (c + 1 - 1 - c)), Integer(1)),
            "0 < r < c": ((run * t ** (c - 1 - r)) / (run * t ** (c + 1 - 1 - r)), 1 / t),
            "0 = r < c": ((t ** (c - 1) / 2) / (t ** (c + 1 - 1) / 2), 1 / t),
            "0 = r = c": ((1 - t / 2) / (t ** Integer(0) / 2), 2 - t),
        }[where]
        return [quotient, value]

    return chain


_SHOWN = {
    "r = n": ("½t^(n − c) / ½t^(n − c − 1)", "t"),
    "c < r < n": ("½(1 − t)t^(r − c) / ½(1 − t)t^(r − c − 1)", "t"),
    "0 < r = c": ("½(1 − t)t^0 / ½(1 − t)t^0", "1"),
    "0 < r < c": ("½(1 − t)t^(c − 1 − r) / ½(1 − t)t^(c − r)", "1/t"),
    "0 = r < c": ("½t^(c − 1) / ½t^c", "1/t"),
    "0 = r = c": ("(1 − t/2) / ½t^0", "2 − t"),
}

RATIOS = tuple(
    Identity(
        title=f"P_c(r)/P_(c+1)(r) for {where}", role=Role.LEMMA, chain=_ratio(where), shown=shown
    )
    for where, shown in _SHOWN.items()
)

END = SumOfProducts(
    title="2 − t ≤ 1/t, times t",
    role=Role.LEMMA,
    goal="1 - t*(2 - t)",
    hypotheses=(),
    products=(("1", ("square(1 - t)",)),),
)

LOW_END = SumOfProducts(
    title="t ≤ 2 − t",
    role=Role.LEMMA,
    goal="(2 - t) - t",
    hypotheses=("1 - t",),
    products=(("2", ("1 - t",)),),
)

DENSITY = SMTProof(
    title="||z − c| − |z − c′|| ≤ 1 for |c − c′| ≤ 1: the log-density changes by at most 1/b",
    role=Role.LEMMA,
    hypotheses=(
        "(z >= c and p == z - c) or (z < c and p == c - z)",
        "(z >= d and q == z - d) or (z < d and q == d - z)",
        "-1 <= c - d and c - d <= 1",
    ),
    goal="-1 <= p - q and p - q <= 1",
)

_COORDINATE = (*CELLS, *RATIOS, END, LOW_END, DENSITY)

_ADDED = (
    "A neighbour moves one unit from j to i, so at most two noisy counts change, each by one.  One "
    "of them changes every output's probability by a factor in [t, 1/t]: the ratios of the cells, "
    "or the density and post-processing.  The noises are independent, so the ratios multiply and "
    "the losses add up; unchanged coordinates contribute nothing, and a last coordinate computed "
    "from the others is post-processing.  Sums over outputs bound events.  "
)


# -- exact realised ε, for the tightness statements --------------------------------------------


@dataclass(frozen=True)
class _Setting:
    name: str
    coordinates: str = ""

    def build(self, epsilon: str, k: int) -> Any:
        """Return the mechanism; the prior does not matter to its law of counts."""
        more = {"coordinates": self.coordinates} if self.coordinates else {}
        return mechanism(self.name, epsilon=epsilon, prior=",".join("1" * k), **more)


def realised(subject: Any, n: int) -> Real:
    """Return the realised ε as a closed form: the largest loss over all pairs and outputs."""
    laws = subject.laws()
    largest: Real | None = None
    for x in Histograms(n, subject.k):
        for y in substitutes(x):
            loss = laws.law(x).divergence_from(laws.law(y)).max_loss(forward=True).exact
            if largest is None or order(loss, largest) is Sign.POSITIVE:
                largest = loss
    assert largest is not None
    return largest


def realised_formula(rate: Real, noisy: int, n: int) -> Real:
    """Return 1/b, 2/b or 1/b + ln(2 − t), the realised ε of ``noisy`` coordinates at ``rate``."""
    if noisy == 1:
        return rate
    if n == 1:
        return rate + (real(2) - (ONE / rate.exp())).ln()
    return real(2) * rate


_EPSILONS = ("1/10", "4/5", "5", "ln(3)")


def _tight(setting: _Setting) -> Sweep:
    def run() -> tuple[int, str]:
        cases = 0
        for epsilon in _EPSILONS:
            for k, sizes in ((2, range(1, 9)), (3, range(1, 6)), (4, range(1, 4))):
                subject = setting.build(epsilon, k)
                for n in sizes:
                    cases += 1
                    wanted = realised_formula(subject.rate, subject.noisy_coordinates, n)
                    if realised(subject, n) != wanted:
                        return cases, f"ε = {epsilon}, k = {k}, n = {n}"
        return cases, ""

    return Sweep(
        title="the realised ε is exactly 1/b (one noisy coordinate), 2/b (n ≥ 2) or "
        "1/b + ln(2 − e^(−1/b)) (n = 1)",
        role=Role.ILLUSTRATES,
        bound=f"ε = {', '.join(_EPSILONS)}; k = 2, n ≤ 8; k = 3, n ≤ 5; k = 4, n ≤ 3; closed forms",
        run=run,
    )


def _budget(title: str, *scale: str) -> SMTProof:
    """Return the proof that ``m`` changed coordinates cost m/b ≤ ε; b·ε is given by ``scale``."""
    return SMTProof(title=title, hypotheses=("e > 0", "b > 0", *scale), goal="m/b <= e")


_DOMAIN = "every prior, n ≥ 1, k ≥ 2, ε > 0"
_PRIVATE = "P_x(r) ≤ e^ε·P_y(r) for all neighbours x, y and outputs r"

_LSDIM = private_noise("LSDim", "k - 1")
_LSHIST = private_noise("LSHist", "k - 1")
_LSZHANG_DP = private_noise("LSZhang", "k - 1")
_LSZHANG_DP_ALL = private_noise("LSZhang", "k")
CLAIMS = (
    Claim(
        id="thm-3.1-LSDim",
        typed=_LSDIM[0],
        source="A Thm 3.1, with A Alg. 2",
        statement="LSDim is ε-differentially private",
        formula=_PRIVATE,
        domain=_DOMAIN,
        evidence=(
            _LSDIM[1],
            *_COORDINATE,
            _budget("m ≤ 2 noisy counts change, b = k/ε", "k >= 2", "b*e == k", "m <= 2"),
            _tight(_Setting("LSDim")),
        ),
        derivation=_ADDED + "With b = k/ε that is 2ε/k ≤ ε; for k = 2 only one count is noisy and "
        "it is ε/2.  So LSDim never uses its budget: it realises exactly ε/2 for k = 2, 2ε/k for "
        "k ≥ 3 and n ≥ 2, and ε/k + ln(2 − e^(−ε/k)) for k ≥ 3 and n = 1.",
    ),
    Claim(
        id="thm-3.1-LSHist",
        typed=_LSHIST[0],
        source="A Thm 3.1, with A Alg. 3",
        statement="LSHist is ε-differentially private",
        formula=_PRIVATE,
        domain=_DOMAIN,
        evidence=(
            _LSHIST[1],
            *_COORDINATE,
            _budget(
                "one noisy count and b = 1/ε for k = 2, at most two and b = 2/ε for k ≥ 3",
                "(k == 2 and m <= 1 and b*e == 1) or (k >= 3 and m <= 2 and b*e == 2)",
            ),
            _tight(_Setting("LSHist")),
        ),
        derivation=_ADDED + "That is ε in both cases, and it is realised exactly: for k = 2 at "
        "every n, for k ≥ 3 at every n ≥ 2 (at n = 1 it is ε/2 + ln(2 − e^(−ε/2)) < ε).",
    ),
    Claim(
        id="LSZhang-dp",
        typed=_LSZHANG_DP[0],
        source="A Alg. 1, as printed",
        statement="LSZhang, with noise on the first k − 1 counts and the last parameter left 0, is "
        "ε-differentially private",
        formula=_PRIVATE,
        domain=_DOMAIN,
        evidence=(
            _LSZHANG_DP[1],
            *_COORDINATE,
            _budget("m ≤ 2 noisy counts change, b = 2/ε", "b*e == 2", "m <= 2"),
            _tight(_Setting("LSZhang", "printed")),
        ),
        derivation=_ADDED + "With b = 2/ε that is at most ε.  For k = 2 one noisy count changes "
        "and exactly ε/2 is realised; for k ≥ 3 exactly ε if n ≥ 2.  A does not list LSZhang in "
        "Thm 3.1.  What it prints is no posterior: the last "
        "parameter is 0.",
    ),
    Claim(
        id="LSZhang-dp-all",
        typed=_LSZHANG_DP_ALL[0],
        source="A Alg. 1, with noise on every count (as A Thm 4.5 needs)",
        statement="LSZhang with independent noise on all k counts is ε-differentially private",
        formula=_PRIVATE,
        domain=_DOMAIN,
        evidence=(
            _LSZHANG_DP_ALL[1],
            *_COORDINATE,
            _budget("m ≤ 2 noisy counts change, b = 2/ε", "b*e == 2", "m <= 2"),
            _tight(_Setting("LSZhang", "all")),
        ),
        derivation=_ADDED + "With b = 2/ε that is at most ε: exactly ε is realised for every "
        "k ≥ 2 and n ≥ 2, and ε/2 + ln(2 − e^(−ε/2)) at n = 1.",
    ),
)
