"""``dpaudit accuracy``: the exact error of mechanisms at one dataset, side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from dpaudit.accuracy import measure as accuracy
from dpaudit.accuracy.law import check_counted
from dpaudit.accuracy.metrics import METRICS
from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.results import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.runner import Task
    from dpaudit.cli.request import SweepRequest
    from dpaudit.data.columns import Column


__all__ = ["command"]


@click.command(
    "accuracy",
    cls=CommandWithParameters,
    epilog=epilogue(
        within="everything was computed and decided",
        exceeds=None,
        undecided="a quantile, or a mechanism, is undecided",
    ),
)
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default=METRICS[0],
    show_default=True,
    help="The error, as the Hellinger distance of the posteriors of output and data, or as the ℓ1 "
    "distance of the counts.",
)
@click.option(
    "--equal",
    type=click.Choice([*accuracy.EQUAL, "both"]),
    default="both",
    show_default=True,
    help="Compare mechanisms at the same nominal ε, at the same realised ε, or both.",
)
@click.option(
    "--realised",
    metavar="EPS",
    help="The realised ε at which mechanisms are compared; default: the nominal ε of the first.",
)
@click.option(
    "--outside",
    type=click.Choice(list(OUTSIDE)),
    help="Treatment of counts below 0 or above n (NotesLaplace); default: clamped, but printed for "
    "l1.",
)
@click.option(
    "--tail", metavar="LIST", help="Compute P(error ≥ t) at these thresholds t, such as 0.1,0.5."
)
@click.option(
    "--law",
    type=click.Choice(accuracy.LISTINGS),
    help="Add the whole distribution of the error, by distance or by steps (a CSV then holds "
    "only this).",
)
@click.option(
    "--sample",
    type=click.IntRange(0, 1_000_000),
    default=0,
    metavar="SIZE",
    help="Draw SIZE errors of each mechanism and show them in the plot, as points.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of --sample: the same seed gives the same draws.",
)
@audit_options(
    without=("budget", "at_eps", "pairs"),
    texts={
        "at": "The dataset: counts such as 20,30, or uniform (data of the sizes --n).",
        "k": "Number of categories; default: the number of counts.",
        "sizes": "Sizes of uniform data, such as 10..180, 10..180..10 or 10,20,40.",
    },
    digits=accuracy.DEFAULT_DIGITS,
)
def command(
    mechanisms: tuple[str, ...],
    request: SweepRequest,
    *,
    metric: str,
    equal: str,
    realised: str | None,
    outside: str | None,
    tail: str | None,
    law: str | None,
    sample: int,
    seed: int,
) -> int:
    """Compute the exact error of mechanisms at one dataset, at equal nominal and realised ε.

    Mean, quantiles and tails of the error come from its whole distribution, not from samples. At
    equal realised ε every mechanism is run with the nominal ε whose realised ε, over all pairs of
    neighbouring datasets of the size, is certified to be at most the target and within 1e-6 of it.
    """
    if request.data is None:
        request = replace(request, k=_categories(mechanisms, request))
    errors = accuracy.Errors(
        metric, outside, accuracy.read_thresholds(tail) if tail else (), law or ""
    )
    in_common = list(accuracy.EQUAL) if equal == "both" else [equal]
    target = accuracy.check_equal(in_common, realised)

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        for task in tasks:  # what cannot be asked is said before anything is computed
            for n in task.sizes:
                errors.law(task.mechanism, n, task.plan)
        own = {id(task.mechanism): task for task in tasks}
        chosen = accuracy.compared_measures(
            [task.mechanism for task in tasks], errors, in_common, target
        )
        return [replace(own[id(subject)], measure=one) for subject, one in chosen]

    def drawn(done: Sequence[tuple[Task, Any]]) -> list[Any]:
        """Return errors drawn from the law of every result."""
        if not sample:
            return []
        laws = [
            accuracy.law_of(cast("accuracy.Errors", task.measure), task.mechanism, one, task.plan)
            for task, report in done
            for one in report.results
        ]
        return [accuracy.drawn(laws, sample, seed)]

    return measure(mechanisms, replace(request, held="never"), "accuracy", asked, drawn)


def _check_counts(mechanisms: Sequence[str]) -> None:
    """Refuse mechanisms without counts before the counts of a dataset are read."""
    for name in mechanisms:
        loaded = find_mechanism(name)
        if loaded.is_class:
            check_counted(loaded.found)


def _categories(mechanisms: tuple[str, ...], request: SweepRequest) -> int | None:
    """Return how many categories there are: as many as counts, where nothing else says it."""
    at = request.at
    _check_counts(mechanisms)
    if at is None:
        raise ParameterError("at", "the dataset is missing; give --at COUNTS or --data FILE")
    parts = at.split(",")
    whole = all(part.strip().isdecimal() and part.isascii() and len(part) < 10 for part in parts)
    if at != "uniform" and (not whole or len(parts) < 2):
        raise ParameterError(
            "at", f"at = {at}: must be two or more counts such as 20,30, or uniform"
        )
    if whole and not any(map(int, parts)):
        raise ParameterError("at", f"at = {at}: must be counts that add up to at least 1")
    priors = any("prior" in (find_mechanism(name).parameter_names() or ()) for name in mechanisms)
    if whole and priors and request.k is None and "prior" not in request.parameters:
        return len(parts)
    return request.k
