"""View of audits by canaries."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.report.view import Block, Row, View
from dpaudit.results import CanaryReport, CanaryVerdict
from dpaudit.results.values import decimal_text

__all__ = ["CANARIES"]

_COLUMNS = (
    *("canaries", "guesses", "right", "delta", "level", "epsilon_lower", "epsilon_upper"),
    *("budget_epsilon", "budget_delta", "verdict"),
)
_ASSUMED = (
    "assumed: each canary was in with probability 1/2, independently of all others; how many are "
    "guessed was fixed before the scores were seen"
)
_ALL_SIZES = (
    "assumed: each canary was in with probability 1/2, independently of all others; the guesses "
    "are the scores farthest from their median, of which {sizes} were tried together"
)
_TWO_WORLDS = (
    "assumed: the trainings were independent, and the rule that calls them was fixed beforehand"
)
_SHOWN = 5
_WORDS = {
    CanaryVerdict.EXCEEDS: "the guesses refute {budget} at level {level}",
    CanaryVerdict.NOT_REFUTED: "the guesses do not contradict {budget}, which proves nothing",
    CanaryVerdict.UNDECIDED: "{budget} cannot be told from what is refuted at level {level}",
}


def _blocks(report: CanaryReport) -> Iterator[Block]:
    rows = [
        [str(bound.delta), str(bound.level), decimal_text(bound.epsilon.lower)]
        for bound in report.bounds
    ]
    notes = [
        f"ε ≥ {decimal_text(bound.epsilon.lower)} at δ = {bound.delta}, unless an event of "
        f"probability {bound.level} happened"
        for bound in report.bounds
        if bound.epsilon.lower
    ]
    if not notes:
        notes = ["nothing is refuted, which proves nothing"]
    if report.verdict is not None:
        words = _WORDS[report.verdict]
        told = words.format(budget=report.budget, level=report.bounds[0].level)
        notes.append(f"{report.verdict.value}: {told}")
    assumed = _ASSUMED
    title = f"{report.right} of {report.guesses} guesses right about {report.canaries} canaries"
    if any(bound.sizes for bound in report.bounds):
        title = (
            f"{report.right} of {report.canaries} canaries on the right side of the median score"
        )
        sizes = max((bound.sizes for bound in report.bounds), key=len)
        tried = [str(one.guesses) for one in sizes]
        shown = tried if len(tried) <= _SHOWN else [*tried[:3], "…", tried[-1]]
        assumed = _ALL_SIZES.format(sizes=", ".join(shown))
    if (worlds := report.worlds) is not None:
        assumed = _TWO_WORLDS
        title = (
            f"{worlds.true_positives} of {worlds.members} trainings with the canary called so, and "
            f"{worlds.false_positives} of {worlds.others} without it"
        )
    yield Block(title, ("δ", "level", "ε at least"), rows, [*notes, assumed], whole=True)


def _lines(report: CanaryReport) -> Iterator[Row]:
    budget = report.budget
    for bound in report.bounds:
        lower, upper = bound.epsilon.texts()
        yield {
            "canaries": str(report.canaries),
            "guesses": str(report.guesses),
            "right": str(report.right),
            "delta": str(bound.delta),
            "level": str(bound.level),
            "epsilon_lower": lower,
            "epsilon_upper": upper,
            "budget_epsilon": "" if budget is None else str(budget.epsilon),
            "budget_delta": "" if budget is None else str(budget.delta),
            "verdict": "" if report.verdict is None else report.verdict.value,
        }


CANARIES = View(
    blocks=_blocks,
    columns=lambda report: _COLUMNS,
    lines=_lines,
    figure="dpaudit.report.figures.guesses:plot_guesses",
)
