"""Designs of audits in one run: the coins, and the guesses that are made.

*One-sided guesses.*  Suppose that every guess is "in".  In the proof of
:mod:`dpaudit.questions.canaries.one_run` a canary i contributes to Σ s_k only for the sets of
canaries with i in, since a guess "in" is right for these alone; each contributes at most δ.  They
are half of all sets, so Σ s_k ≤ m·δ/2, and the rest of the proof does not change: m·δ/2 replaces
m·δ.  The same holds for every increasing event of right guesses, as used in
:mod:`dpaudit.questions.canaries.all_sizes`, and for every budget of a profile, as used in
:mod:`dpaudit.questions.canaries.profile_bounds`.  DP is used in one direction alone, from the
dataset with the canary to that without it.

At m canaries the one-sided bound at δ is the two-sided bound at δ/2, so it grows with ε as well.  A
training attains it at ε = 0 with m = 2 and r = 1, so no smaller multiple of m·δ is right.  With
few canaries and ε > 0 it is not attained: no guess is right where all canaries are out.

*Groups.*  Suppose that each coin decides for g examples at once.  Two sets of canaries that differ
in one coin are then g steps of one example apart.  Along these steps a training that is (ε, δ)-DP
for one example has

    P[A] ≤ e^ε·P₁[A] + δ ≤ e^{2ε}·P₂[A] + (1 + e^ε)·δ ≤ …
         ≤ e^{gε}·P_g[A] + (1 + e^ε + … + e^{(g−1)ε})·δ,

so it is (g·ε, δ·(e^{gε} − 1)/(e^ε − 1))-DP for groups.  Every bound of one run
holds for these two numbers.  It grows with both of them and they grow with ε, so there is a largest
ε of one example that is refuted, and everything below it is.  The group's own ε at δ is the bound
for g = 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.ball import Ball, ball, certainly_less
from dpaudit.numbers.closed_form import rational
from dpaudit.results import CanaryCoins

if TYPE_CHECKING:
    from dpaudit.results import CanaryReport

__all__ = ["PLAIN", "Coins", "Design", "design_of"]

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Coins:
    """Canaries with one probability to be in, and the guesses about them."""

    probability: Fraction
    """q in (0, 1)."""
    canaries: int
    """Number of canaries with this probability."""
    guessed_in: int
    """Number of them that are guessed to be in."""
    guessed_out: int
    """Number of them that are guessed to be out."""


@dataclass(frozen=True)
class Design:
    """Coins and guesses of an audit of one run."""

    one_sided: bool = False
    """True if every guess is "in"."""
    coins: tuple[Coins, ...] = ()
    """Probabilities to be in; none where all are 1/2."""
    group: int = 1
    """Number g of examples that one coin decides for."""

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of a report."""
        coins = tuple(
            CanaryCoins(
                probability=rational(one.probability),
                canaries=one.canaries,
                guessed_in=one.guessed_in,
                guessed_out=one.guessed_out,
            )
            for one in self.coins
        )
        return {"one_sided": self.one_sided, "group": self.group, "coins": coins}

    def of_group(self, epsilon: Ball, delta: Ball) -> tuple[Ball, Ball]:
        """Return ε and δ of a group of g examples, for ε ≥ 0 and δ of one example."""
        if self.group == 1:
            return epsilon, delta
        whole = epsilon * self.group
        if certainly_less(ball(0), epsilon):
            return whole, delta * whole.expm1() / epsilon.expm1()
        # The sum of e^{iε} for i < g is g at ε = 0, and grows.
        end = epsilon.upper()
        most = ball(self.group)
        if certainly_less(ball(0), end):
            most = most.union((end * self.group).expm1() / end.expm1())
        return whole, delta * most

    @property
    def of_single_examples(self) -> Design:
        """The same design, with each group as one example."""
        return replace(self, group=1)

    @property
    def equal_probability(self) -> Fraction | None:
        """The probability of a canary to be in, if all guesses that can be made have equal odds."""
        if not self.coins:
            return _HALF
        if self.one_sided and len(self.coins) == 1:
            return self.coins[0].probability
        return None

    def weight(self, canaries: int) -> Fraction:
        """Return what δ is multiplied by in a bound.

        For fair coins it is m, or m/2 if every guess is "in"; for others see
        :mod:`dpaudit.questions.canaries.unequal_coins`.
        """
        equal = self.equal_probability
        if equal is None:
            sides = 1 if self.one_sided else 2
            return sides * sum(
                (one.canaries * one.probability * (1 - one.probability) for one in self.coins),
                Fraction(0),
            )
        return canaries * equal if self.one_sided else Fraction(canaries)

    def most_guesses(self, canaries: int) -> int:
        """Return the largest number of guesses that is tried, where no number is fixed.

        If every guess is "in", it is how many canaries are in on average, rounded up.
        """
        return ceil(self.weight(canaries)) if self.one_sided else canaries

    def log_odds(self, epsilon: Ball) -> Ball:
        """Return the logarithm of the odds of a right guess, at ε of a group, if all are equal."""
        equal = self.equal_probability
        assert equal is not None
        return epsilon if equal == _HALF else epsilon + ball(equal / (1 - equal)).log()


def design_of(report: CanaryReport) -> Design:
    """Return the design of a report."""
    coins = tuple(
        Coins(Fraction(str(one.probability)), one.canaries, one.guessed_in, one.guessed_out)
        for one in report.coins
    )
    return Design(one_sided=report.one_sided, group=report.group, coins=coins)


PLAIN = Design()
"""Fair coins for single examples, and guesses of both kinds."""
