"""Words about the coins of an audit, for its report and its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.results import CanaryReport

__all__ = ["FAIR", "coins_in_words", "kind_of", "probabilities_of"]

FAIR = "each canary was in with probability 1/2, independently of all others"
"""Fair coins."""


def coins_in_words(report: CanaryReport) -> str:
    """Return how the canaries in the training were chosen."""
    words = FAIR
    if report.group > 1:
        words = words.replace(
            "canary was in", f"group of {report.group} examples was in as a whole"
        )
    if not report.coins:
        return words
    least, _, most = probabilities_of(report).partition("..")
    chance = f"its stated probability, from {least} to {most}" if most else f"probability {least}"
    return words.replace("probability 1/2", chance)


def kind_of(report: CanaryReport) -> str:
    """Return the word for what was guessed: canaries, groups of examples, or pairs."""
    if report.matching:
        return "pairs"
    return "canaries" if report.group == 1 else f"groups of {report.group} examples"


def probabilities_of(report: CanaryReport) -> str:
    """Return the probability of canaries to be in, or the smallest and the largest."""
    least, most = str(report.coins[0].probability), str(report.coins[-1].probability)
    return least if least == most else f"{least}..{most}"
