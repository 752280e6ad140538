"""Words about the coins of an audit, for its report and its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.results import CanaryReport

__all__ = ["FAIR", "coins_in_words", "probabilities_of"]

FAIR = "each canary was in with probability 1/2, independently of all others"
"""Fair coins."""


def coins_in_words(report: CanaryReport) -> str:
    """Return how the canaries in the training were chosen."""
    if not report.coins:
        return FAIR
    least, _, most = probabilities_of(report).partition("..")
    words = f"its stated probability, from {least} to {most}" if most else f"probability {least}"
    return FAIR.replace("probability 1/2", words)


def probabilities_of(report: CanaryReport) -> str:
    """Return the probability of canaries to be in, or the smallest and the largest."""
    least, most = str(report.coins[0].probability), str(report.coins[-1].probability)
    return least if least == most else f"{least}..{most}"
