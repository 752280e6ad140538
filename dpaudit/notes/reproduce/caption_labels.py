"""Privacy labels in the captions of N Fig. 4 and 5, with the numbers that they print.

“0.8-DP” of the exponential mechanism with global sensitivity, “Non-Private” of that with local
sensitivity and “(0.8,0.8)-DP” of that with smooth sensitivity, all by N §2.1 to 2.3 as defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpaudit.accuracy.listing import enclosed
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.reproduce.findings import PrintedCheck, PrintedOutcome, check_statement
from dpaudit.notes.reproduce.readings import DEFINED
from dpaudit.numbers.ball import Ball, Sign, ball, maximum, minimum, sign
from dpaudit.results import decimal_text

__all__ = ["label_checks"]

_EPSILON = Fraction(4, 5)
_DELTA = Fraction(4, 5)
_SHOWN = 6


def label_checks(
    place: str,
    n: int,
    prior: tuple[Fraction, ...],
    printed: tuple[str, str],
    sensitivities: tuple[Ball, Sequence[Ball]],
) -> list[PrintedCheck]:
    """Return whether the labels of a caption are right.

    ``printed`` are its global sensitivity and its β, ``sensitivities`` the certified GS and the
    certified LS of all datasets of ``n`` records.  To be called at a working precision.
    """
    wide, local = sensitivities
    at = f"{place}, n = {n}"
    return [
        _global(f"{at}: the mechanism with GS = {printed[0]} is 0.8-DP", printed[0], wide),
        _local(f"{at}: the mechanism with local sensitivity is Non-Private", n, prior),
        _smooth(
            f"{at}: the mechanism with S_β, β = {printed[1]}, is (0.8,0.8)-DP", printed[1], local
        ),
    ]


def _upper(value: Ball) -> str:
    """Return a number that ``value`` certainly does not exceed, as text."""
    return decimal_text(enclosed(value, _SHOWN).upper)


def _check(what: str, label: str, margin: Ball, text: str) -> PrintedCheck:
    """Return a label as right if ``margin`` is positive; these bounds cannot show it wrong."""
    right = sign(margin) is Sign.POSITIVE
    outcome = PrintedOutcome.REPRODUCED if right else PrintedOutcome.UNDECIDED
    return check_statement(what, label, {DEFINED.name: (outcome, text)})


def _global(what: str, printed: str, wide: Ball) -> PrintedCheck:
    """Decide by |H(x, r) − H(y, r)| ≤ GS: no loss exceeds ε·GS over the printed number."""
    bound = ball(_EPSILON) * wide / ball(Fraction(printed))
    text = f"every loss is at most 0.8·GS/{printed} ≤ {_upper(bound)}"
    return _check(what, "0.8-DP", ball(_EPSILON) - bound, text)


def _local(what: str, n: int, prior: tuple[Fraction, ...]) -> PrintedCheck:
    """Decide by the loss at x = r = (n, 0, 0) and y = (n − 1, 1, 0)."""
    x, y = (n, 0, 0), (n - 1, 1, 0)
    first, second = (_exponents(here, prior) for here in (x, y))
    met = HellingerMetric(prior).between(x, y)
    loss = (second[1] / first[1]).log() + second[0] * met
    digits = decimal_text(enclosed(loss, _SHOWN).lower)
    text = f"the loss at x = r = ({n},0,0), y = ({n - 1},1,0) is at least {digits}"
    return _check(what, "Non-Private", loss - ball(_EPSILON), text)


def _exponents(x: tuple[int, int, int], prior: tuple[Fraction, ...]) -> tuple[Ball, Ball]:
    """Return ε/(2·LS(x)) and the normaliser."""
    metric = HellingerMetric(prior)
    moves = [(i, j) for i in range(3) for j in range(3) if i != j and x[i]]
    reach = [
        metric.between(x, tuple(c - (h == i) + (h == j) for h, c in enumerate(x))) for i, j in moves
    ]
    factor = ball(_EPSILON) / (2 * maximum(reach))
    total = sum(((-factor * h).exp() for h in metric.row(x)), ball(0))
    return factor, total


def _smooth(what: str, beta: str, local: Sequence[Ball]) -> PrintedCheck:
    """Decide by δ(ε) ≤ 1 − e^(−ε·(e^β − 1)/min LS), since the scores of neighbours are close.

    With S = S_β(x) and R = S_β(y): |H(x, r)/S − H(y, r)/R| ≤ LS(x)/S + |R/S − 1|/R, at most
    1 + (e^β − 1)/min LS; so no loss exceeds ε times that, and δ(ε) ≤ 1 − e^(ε − loss).
    """
    excess = ball(_EPSILON) * (ball(Fraction(beta)).exp() - 1) / minimum(local)
    bound = 1 - (-excess).exp()
    text = f"δ at ε = 0.8 is at most {_upper(bound)}"
    return _check(what, "(0.8,0.8)-DP", ball(_DELTA) - bound, text)
