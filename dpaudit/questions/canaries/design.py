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
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["PLAIN", "Design"]


@dataclass(frozen=True)
class Design:
    """Coins and guesses of an audit of one run."""

    one_sided: bool = False
    """True if every guess is "in"."""

    def weight(self, canaries: int) -> Fraction:
        """Return what δ is multiplied by in a bound: m, or m/2 if every guess is "in"."""
        return Fraction(canaries, 2) if self.one_sided else Fraction(canaries)

    def most_guesses(self, canaries: int) -> int:
        """Return the largest number of guesses that is tried, where no number is fixed."""
        return -(-canaries // 2) if self.one_sided else canaries


PLAIN = Design()
"""Fair coins for single examples, and guesses of both kinds."""
