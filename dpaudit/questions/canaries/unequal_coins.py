"""Canaries that are in with known probabilities q_i, which need not be 1/2 nor equal.

*Odds.*  Let canary i be in with probability q_i, independently of all else, and E = e^ε.  For
every set s of canaries and a guess t_i that is right for s, s with canary i changed has the
probability of s times (1 − q_i)/q_i for a guess "in", and times q_i/(1 − q_i) for "out".  So in the
first step of the proof in :mod:`dpaudit.questions.canaries.one_run` the odds E become

    o = E·q_i/(1 − q_i) for a guess "in",    o = E·(1 − q_i)/q_i for a guess "out",

and the guesses "in" about canary i add at most q_i·δ to Σ s_k, those "out" (1 − q_i)·δ.

*One probability, and only "in" guesses.*  All odds are E·q/(1 − q), and the rest of that proof does
not need E ≥ 1.  So its bound holds with W binomial at these odds, and with m·q·δ in place of m·δ.
It grows with ε: it is the largest Σ_{k≤u} p_k over all laws p of the number of errors whose
positive parts of (r − k)·p_k − o·(k + 1)·p_{k+1} sum to at most m·q·δ (attained as in the proof
that the sharp bound is), and this set grows with o.

*In general.*  Let the guesses t depend on the output in any way, with r of them, and let t be
rejected if at least v_t are right.  With q_j = o_j/(1 + o_j) for each guess of t,

    P[rejected] ≤ max over t of P[at least v_t of independent tosses with q_j are heads] + δ·κ,

by the proof for increasing events in :mod:`dpaudit.questions.canaries.all_sizes`, with o_j in the
place of E for guess j.  There y_{x,j} = (1 − q_j)·∫ … ≤ 1 − q_j, and 1 − q_j ≤ 1 − q_i for a guess
"in", ≤ q_i for a guess "out", since E ≥ 1.  Hence κ = Σ_i (q_i·(1 − q_i) + (1 − q_i)·q_i), or only
the first half if every guess is "in".

*The test.*  ε is refuted if P[tosses of the guesses that were made have as many heads as guesses
were right] + δ·κ ≤ level.  For fixed guesses t this is the event of at least v_t right guesses, v_t
the least number for which it holds, and the largest of these probabilities is at most level − δ·κ;
so it has probability at most the level.  The left-hand side grows with ε.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.tosses import probability_of_heads
from dpaudit.questions.canaries.design import Coins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.real import Number

__all__ = ["MOST_DIFFERENT", "counted_coins", "heads_as_often", "read_probabilities"]

MOST_DIFFERENT = 2000
"""More different probabilities take minutes."""
_HALF = Fraction(1, 2)


def heads_as_often(coins: Sequence[Coins], right: int, odds: Ball) -> Ball:
    """Return the probability that tosses for the guesses that were made have so many heads.

    Args:
        coins: canaries and guesses by their probability.
        right: number of right guesses.
        odds: a ball around E = e^ε.
    """
    tosses = []
    for coin in coins:
        ratio = ball(coin.probability / (1 - coin.probability))
        tosses += [(odds * ratio, coin.guessed_in), (odds / ratio, coin.guessed_out)]
    return probability_of_heads([toss for toss in tosses if toss[1]], right)


def counted_coins(
    probabilities: Sequence[Fraction],
    guessed_in: Iterable[int],
    guessed_out: Iterable[int],
    *,
    total: Counter[Fraction] | None = None,
) -> tuple[Coins, ...]:
    """Return canaries and guesses by their probability, the smallest first.

    Args:
        probabilities: of each canary to be in.
        guessed_in: places of the canaries that are guessed to be in.
        guessed_out: places of those that are guessed to be out.
        total: how many canaries have each probability, where it is known.
    """
    total = Counter(probabilities) if total is None else total
    inside, out = (
        Counter(probabilities[place] for place in places) for places in (guessed_in, guessed_out)
    )
    return tuple(Coins(one, total[one], inside[one], out[one]) for one in sorted(total))


def read_probabilities(
    given: Number | Sequence[Number] | None, canaries: int
) -> list[Fraction] | None:
    """Return the probability of each canary to be in; None if all are 1/2.

    Args:
        given: one for all, or one for each.
        canaries: number of canaries.

    Raises:
        UsageError: for other numbers of them, and for those that are not between 0 and 1.
    """
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        found = [_probability(given)] * canaries
    else:
        read: dict[Any, Fraction] = {}
        found = []
        for one in given:
            if one not in read:
                read[one] = _probability(one)
            found.append(read[one])
    if len(found) != canaries:
        raise ParameterError(
            "probability",
            f"there are {canaries} canaries and {len(found)} probabilities; give one for all, or "
            "one for each",
        )
    different = len(set(found))
    if different > MOST_DIFFERENT:
        raise ParameterError(
            "probability",
            f"there are {different} different probabilities; at most {MOST_DIFFERENT} are computed",
        )
    return None if different == 1 and found[0] == _HALF else found


def _probability(given: Any) -> Fraction:
    number = read_number(given, "probability").as_fraction()
    if number is None or not 0 < number < 1:
        raise DomainError("probability", given, "must be a fraction or decimal between 0 and 1")
    return number
