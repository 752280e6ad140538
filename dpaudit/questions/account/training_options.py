"""Options and exit code of commands about one training: δ, ε, a budget and a width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from dpaudit.cli import options
from dpaudit.cli.exits import Exit, exit_for
from dpaudit.cli.request import WriteRequest
from dpaudit.results import worst_verdict

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real
    from dpaudit.results import CertifiedAccount, Verdict

__all__ = [
    "DESTINATION_OPTIONS",
    "POINT_OPTIONS",
    "TrainingRequest",
    "exit_of",
    "requested_points",
]

POINT_OPTIONS = options.with_options(
    click.option("--delta", metavar="NUMBER", help="The δ at which ε is certified."),
    click.option("--epsilon", "of_epsilon", metavar="LIST", help="The ε at which δ is certified."),
    click.option("--budget", metavar="EPS[,DELTA]", help="The budget of the training."),
)
"""The options of the numbers that an account is asked for."""

DESTINATION_OPTIONS = options.with_options(
    options.form_option(),
    options.OUTPUT_FILE,
    options.plot_options("certified δ(ε)", asked=True),
    options.memory_cap_option(),
)
"""The options about what is written."""


@dataclass(frozen=True, kw_only=True)
class TrainingRequest(WriteRequest):
    """Options of the account of a training."""

    delta: str | None
    """The δ at which ε is wanted."""
    of_epsilon: str | None
    """The ε at which δ is wanted."""
    budget: str | None
    """Budget of the training."""
    width: str | None
    """Width that intervals may have."""


def requested_points(request: TrainingRequest) -> tuple[list[Real], list[Real]]:
    """Return the δ and the ε of a request; ``UsageError`` for what is none, under its option."""
    from dpaudit.questions.account.certified import read_points
    from dpaudit.questions.account.reading import read_grid

    deltas = [] if request.delta is None else request.delta.split(",")
    epsilons = [] if request.of_epsilon is None else read_grid(request.of_epsilon, "epsilon")
    return read_points(deltas, epsilons, ("delta", "epsilon"))


def exit_of(account: CertifiedAccount) -> int:
    """Return the exit code of an account, from its verdict and that on the training's claim."""
    if account.interrupted:
        return Exit.INTERRUPTED
    claim = None if account.training is None else account.training.claim_verdict
    verdicts: list[Verdict] = [one for one in (account.verdict, claim) if one is not None]
    if verdicts:
        return exit_for(worst_verdict(verdicts))
    return Exit.UNDECIDED if account.unmet else Exit.WITHIN
