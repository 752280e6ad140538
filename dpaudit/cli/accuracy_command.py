"""``dpaudit accuracy``: the exact error of mechanisms at one dataset, side by side."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from dpaudit.accuracy import compare
from dpaudit.accuracy.metrics import METRICS
from dpaudit.accuracy.outputs import OUTSIDE
from dpaudit.cli import options
from dpaudit.cli.destination import Destination, progress_bar
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import contained, quietly
from dpaudit.cli.parameter_options import CommandWithParameters, parameter_options
from dpaudit.cli.reading import read_data, read_mechanisms, with_data
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.report.render import render
from dpaudit.report.views import view_of

__all__ = ["command"]

_EPILOGUE = epilogue(
    within="everything was computed and decided",
    exceeds=None,
    undecided="a quantile, or a mechanism, is undecided",
    interrupted="interrupted",
)


@click.command("accuracy", cls=CommandWithParameters, epilog=_EPILOGUE)
@options.with_options(
    options.MECHANISMS,
    click.option("--at", metavar="COUNTS", help="The data: counts like 20,30."),
    click.option(
        "--metric",
        type=click.Choice(METRICS),
        default=METRICS[0],
        show_default=True,
        help="hellinger: between the posteriors of output and data; l1: between the counts.",
    ),
    click.option(
        "--equal",
        type=click.Choice([*compare.EQUAL, "both"]),
        default="both",
        show_default=True,
        help="What mechanisms have in common: the ε they are given, or the ε they realise.",
    ),
    click.option(
        "--realised",
        metavar="EPS",
        help="The realised ε that is made equal; default: the nominal ε of the first.",
    ),
    click.option(
        "--outside",
        type=click.Choice(list(OUTSIDE)),
        help="What becomes of counts outside [0, n] [NotesLaplace]; default: clamped, and for "
        "l1 printed.",
    ),
    click.option(
        "--tail", metavar="LIST", help="Thresholds t at which P(error ≥ t) is wanted, 0.1,0.5."
    ),
    click.option(
        "--law",
        type=click.Choice(compare.LISTINGS),
        help="Add the whole law of the error, by distance or by steps; as CSV, instead.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(0, 1_000_000),
        default=0,
        metavar="SIZE",
        help="Draw SIZE errors of each mechanism and show them in the plot, as points.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="What the draws start from: the same seed gives the same draws.",
    ),
    click.option("--k", type=int, help="Categories; default: as many as counts."),
    parameter_options(),
    options.SETTINGS,
    options.digits_option(9),
    options.form_option(),
    options.OUTPUT_FILE,
    options.plot_options(),
    options.time_cap_option(),
    options.memory_cap_option(),
    options.COLUMN,
)
@contained
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Give the exact error of mechanisms at one dataset, at equal nominal and realised ε.

    Mean, quantiles and tails of the error come from its whole law, not from samples. At equal
    realised ε every mechanism is run with the nominal ε whose realised ε, over all pairs of
    neighbouring datasets of the size, is certified to be at most the target and within 1e-6 of it.
    """
    data = read_data(given)
    given = with_data(given, data)
    if given["at"] is None:
        raise ParameterError("at", "--at COUNTS or --data FILE is needed: the data")
    dataset = _counts(given["at"])
    priors = any("prior" in (find_mechanism(name).parameter_names() or ()) for name in mechanisms)
    if given["k"] is None and given.get("p_prior") is None and priors:
        given["k"] = len(dataset)
    with quietly():
        chosen = read_mechanisms(mechanisms, given)
    question = compare.ErrorQuestion(
        dataset,
        given["metric"],
        given["outside"],
        given["digits"],
        compare.read_thresholds(given["tail"].split(",") if given["tail"] else ()),
        given["law"] or "",
    )
    with quietly():
        for mechanism in chosen:  # what cannot be asked is said before anything is computed
            question.law(mechanism)
    equal = list(compare.EQUAL) if given["equal"] == "both" else [given["equal"]]
    target = compare.check_equal(equal, given["realised"])
    with quietly():
        for mechanism in chosen:
            question.check_room(mechanism, equal)
    names = "-".join(dict.fromkeys(mechanism.name for mechanism in chosen))
    destination = Destination.read(given, f"accuracy-{names}-{'-'.join(map(str, dataset))}")
    with (
        quietly(),
        progress_bar("accuracy", "mechanisms", lambda: len(chosen) * len(equal)) as progress,
    ):
        report, laws = compare.compare(
            chosen, question, equal, target, progress=lambda: progress(advance=1)
        )
        points = compare.drawn(laws, given["sample"], given["seed"]) if given["sample"] else []
        text = render([report], given["form"], None if data is None else data.document)
    plot = partial(view_of(report).plot, [report], points) if report.results else None
    destination.write(text, plot)
    return Exit.WITHIN if report.verdict == "decided" else Exit.UNDECIDED


def _counts(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    whole = all(part.strip().isdecimal() and part.isascii() and len(part) < 10 for part in parts)
    if not whole or len(parts) < 2:
        raise ParameterError("at", f"at = {text}: must be two or more counts like 20,30")
    return tuple(int(part) for part in parts)
