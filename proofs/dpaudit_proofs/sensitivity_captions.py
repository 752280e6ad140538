"""The sensitivities in the captions of N Fig. 4 and 5: prior DL(7,4,5), n = 100, 120 and 150.

The global sensitivity there is the distance from the prior itself to a candidate that no data can
give.  The local and the smooth sensitivity are printed without the data they belong to; but LS and
S_β of all datasets can be computed, and no dataset has both.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim, Role
from dpaudit.claims.evidence import Counterexample, Fact, Sweep
from dpaudit.data.histograms import Histograms
from dpaudit.notes.sensitivity import (
    beta_smooth_sensitivities,
    global_sensitivity,
    local_sensitivities,
)
from dpaudit.numbers.ball import Ball, ball, certainly_less, gamma, maximum
from dpaudit_proofs.definitions import hamming, histograms, number
from dpaudit_proofs.step_affinity import STEP_INCREASES, STEP_RECURRENCE
from dpaudit_proofs.typed_refuted import REFUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["CAPTIONS", "CLAIMS", "windows"]

Margin = tuple["Callable[[], Ball]", "Callable[[], Any]"]

CAPTION_PRIOR = (Fraction(7), Fraction(4), Fraction(5))
PRINTED = Fraction("0.239992747797")
_HALF_UNIT = Fraction(1, 2 * 10**12)


def _step(s: int) -> Ball:
    return gamma(s + Fraction(1, 2)) / (gamma(Fraction(s)) * gamma(Fraction(s + 1))).sqrt()


def _step_again(s: int) -> Any:
    from mpmath import gamma, mpf, sqrt

    return gamma(s + mpf(1) / 2) / sqrt(gamma(s) * gamma(s + 1))


def _caption_excess(n: int) -> Margin:
    """Return by how much the printed figure, its rounding allowed for, exceeds GS at ``n``."""

    def margin() -> Ball:
        return ball(PRINTED - _HALF_UNIT) - global_sensitivity(CAPTION_PRIOR, n)

    def again() -> Any:
        from mpmath import sqrt

        first, second, third = ([_step_again(int(a) + c) for c in range(n)] for a in CAPTION_PRIOR)
        smallest = min(
            left[c] * right[d]
            for left, right in ((first, second), (first, third), (second, third))
            for c in range(n)
            for d in range(n - c)
        )
        return number(PRINTED - _HALF_UNIT) - sqrt(1 - smallest)

    return margin, again


def _caption_counter(n: int) -> Counterexample:
    margin, again = _caption_excess(n)
    return Counterexample(
        title=f"GS is smaller at n = {n}",
        parameters={"prior": "DL(7, 4, 5)", "n": str(n)},
        shows="GS < 0.239992747797 − 5·10⁻¹³",
        margin=margin,
        again=again,
    )


def _value_rounds(p: int, q: int, printed: Fraction) -> Margin:
    """Return ½·10⁻¹² − |√(1 − g(p)g(q)) − printed|."""

    def margin() -> Ball:
        return ball(_HALF_UNIT) - abs((1 - _step(p) * _step(q)).sqrt() - ball(printed))

    def again() -> Any:
        from mpmath import sqrt

        value = sqrt(1 - _step_again(p) * _step_again(q))
        return number(_HALF_UNIT) - abs(value - number(printed))

    return margin, again


_ORIGIN = _value_rounds(7, 3, PRINTED)
_TRUE = _value_rounds(4, 5, Fraction("0.233629480709"))

CAPTION = Claim(
    id="gs-caption",
    **REFUTED["gs-caption"],
    source="N Fig. 4 (a), (b), Fig. 5; L (the same figures)",
    statement="0.239992747797 is the global sensitivity for the prior DL(7, 4, 5) at n = 100, 120 "
    "and 150",
    formula="α = (7, 4, 5), n ∈ {100, 120, 150}: GS = 0.239992747797, rounded to its digits",
    domain="prior DL(7, 4, 5), n = 100, 120, 150",
    evidence=(
        _caption_counter(100),
        _caption_counter(120),
        _caption_counter(150),
        STEP_RECURRENCE,
        STEP_INCREASES,
        Fact(
            title="the true value, the same for every n ≥ 1",
            role=Role.ILLUSTRATES,
            parameters={"α₂": "4", "α₃": "5", "counts": "(…, 1, 0) and (…, 0, 1)"},
            shows="GS = √(1 − g(4)·g(5)) = 0.233629480709, rounded",
            margin=_TRUE[0],
            again=_TRUE[1],
        ),
        Fact(
            title="where the figure comes from",
            role=Role.ILLUSTRATES,
            parameters={"left": "DL(7, 4, 5)", "right": "DL(8, 3, 5)"},
            shows="H = √(1 − g(7)·g(3)) = 0.239992747797, rounded",
            margin=_ORIGIN[0],
            again=_ORIGIN[1],
        ),
    ),
    derivation="GS does not depend on n for k = 3: it is √(1 − g(4)·g(5)).  The printed figure is "
    "the distance from the prior itself to DL(8, 3, 5), one unit moved from the second parameter "
    "of the prior.  That parameter of a posterior is never below α₂ = 4, so no dataset has it.  "
    "The figure is an upper bound, so a mechanism calibrated with it is private, with more noise "
    "than needed.",
    repaired="GS = 0.233629480709 (rounded) for DL(7, 4, 5) and every n ≥ 1",
)


# -- the local and the smooth sensitivity ---------------------------------------------------------

Caption = tuple[int, str, str, str]

CAPTIONS: tuple[Caption, ...] = (
    (100, "0.0699407108115", "0.08", "0.09"),
    (120, "0.0677791100173", "0.0945", "0.096"),
    (150, "0.0677791100173", "0.0945", "0.096"),
)
"""n, β, the local and the smooth sensitivity, as the captions print them."""

Window = tuple[Fraction, Fraction]


def windows(printed: str) -> tuple[Window, Window]:
    """Return the closed windows of the numbers that are printed so, rounded and cut off."""
    value, unit = Fraction(printed), Fraction(1, 10 ** len(printed.partition(".")[2]))
    return (value - unit / 2, value + unit / 2), (value, value + unit)


def _outside(value: Ball, window: Window) -> bool:
    low, high = window
    return certainly_less(value, ball(low)) or certainly_less(ball(high), value)


def _no_dataset_has_both(captions: Iterable[Caption], *, mixed: bool) -> tuple[int, str]:
    """Decide that no dataset has both figures; ``mixed`` allows one rounded, one cut off."""
    cases = 0
    for n, beta, local, smooth in captions:
        space = Histograms(n, 3)
        ls = local_sensitivities(CAPTION_PRIOR, n)
        smoothed = beta_smooth_sensitivities(ls, ball(Fraction(beta)), space)
        left, right = windows(local), windows(smooth)
        readings = list(product(left, right) if mixed else zip(left, right, strict=True))
        for x, at, above in zip(space, ls, smoothed, strict=True):
            cases += 1
            if not all(_outside(at, w) or _outside(above, v) for w, v in readings):
                return cases, f"n = {n}, x = {x}"
    return cases, ""


_LOWEST = windows("0.096")[0][0]
"""The least number that is printed 0.096."""


def _smooth_is_below() -> Ball:
    """Return 0.0955 less the largest S_β at n = 120 of a dataset whose LS may print as 0.0945."""
    n, beta, local, _ = CAPTIONS[1]
    ls = local_sensitivities(CAPTION_PRIOR, n)
    smoothed = beta_smooth_sensitivities(ls, ball(Fraction(beta)), Histograms(n, 3))
    near = [
        above
        for at, above in zip(ls, smoothed, strict=True)
        if not all(_outside(at, window) for window in windows(local))
    ]
    return ball(_LOWEST) - maximum(near)


def _smooth_is_below_again() -> Any:
    """Return the same from log-gammas and a literal maximum over all datasets."""
    from mpmath import exp, sqrt

    n, beta, local, _ = CAPTIONS[1]
    steps = [[_step_again(int(a) + c - 1) for c in range(n + 2)] for a in CAPTION_PRIOR]
    ls = {
        x: sqrt(
            1
            - min(steps[i][x[i]] * steps[j][x[j] + 1] for i, j in permutations(range(3), 2) if x[i])
        )
        for x in histograms(n, 3)
    }
    decay = [exp(-number(beta) * d) for d in range(n + 1)]
    low, high = (number(end) for end in (windows(local)[0][0], windows(local)[1][1]))
    largest = max(
        max(at * decay[hamming(x, y)] for y, at in ls.items())
        for x, here in ls.items()
        if low <= here <= high
    )
    return number(_LOWEST) - largest


def _local_rounds() -> Margin:
    """Return ½·10⁻⁴ − |LS − 0.0945| at (16, 34, 70): its record moves from the first to the second.

    The smallest affinity of a neighbour is g(7 + 15)·g(4 + 34).
    """
    x, half_unit, printed = (16, 34, 70), Fraction(1, 20000), Fraction("0.0945")

    def margin() -> Ball:
        at = local_sensitivities(CAPTION_PRIOR, 120)[Histograms(120, 3).rank(x)]
        return ball(half_unit) - abs(at - ball(printed))

    def again() -> Any:
        from mpmath import sqrt

        lower = [int(a) + c - 1 for a, c in zip(CAPTION_PRIOR, x, strict=True)]
        smallest = min(
            _step_again(lower[i]) * _step_again(lower[j] + 1)
            for i in range(3)
            for j in range(3)
            if i != j
        )
        return number(half_unit) - abs(sqrt(1 - smallest) - number(printed))

    return margin, again


_LOCAL = _local_rounds()

BOTH = Claim(
    id="captions-local-smooth",
    **REFUTED["captions-local-smooth"],
    source="N Fig. 4 (a), (b), Fig. 5; L (the same figures)",
    statement="for the prior DL(7, 4, 5) the local sensitivity is 0.08 and the smooth one 0.09 at "
    "n = 100, and they are 0.0945 and 0.096 at n = 120 and at n = 150, with the β that is printed",
    formula="for each caption: ∃ x of n records: LS(x) and S_β(x) are printed so, both rounded or "
    "both cut off",
    domain="α = (7, 4, 5); n = 100 with β = 0.0699407108115, n = 120 and 150 with β = "
    "0.0677791100173; the data are not named",
    evidence=(
        Counterexample(
            title="n = 120: S_β is smaller wherever LS is as printed",
            parameters={"n": "120", "β": "0.0677791100173"},
            shows="S_β(x) < 0.0955 for every x with LS(x) = 0.0945, rounded or cut off",
            margin=_smooth_is_below,
            again=_smooth_is_below_again,
        ),
        Sweep(
            title="n = 120 and 150: no dataset has both, each either rounded or cut off",
            role=Role.REFUTES,
            bound="all datasets of 120 and of 150 records over three categories",
            run=lambda: _no_dataset_has_both(CAPTIONS[1:], mixed=True),
        ),
        Sweep(
            title="n = 100: no dataset has both rounded, or both cut off",
            role=Role.REFUTES,
            bound="all datasets of 100 records over three categories",
            run=lambda: _no_dataset_has_both(CAPTIONS[:1], mixed=False),
        ),
        Fact(
            title="0.0945 alone is the local sensitivity of some datasets",
            role=Role.ILLUSTRATES,
            parameters={"n": "120", "x": "(16, 34, 70)"},
            shows="LS(x) rounds to 0.0945",
            margin=_LOCAL[0],
            again=_LOCAL[1],
        ),
    ),
    derivation="S_β(x) is above LS(x) only where a neighbour's LS is larger by a factor e^β ≈ "
    "1.07 or more distant ones' by more, that is near the edge, where LS is large.  Where LS is "
    "as printed, the two are equal.  (At n = 100, with two digits only, 0.086 could be cut off for "
    "the one and rounded for the other.)  The figures of n = 120 are printed again at n = 150.",
)

CLAIMS = (CAPTION, BOTH)
