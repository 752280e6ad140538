"""``dpaudit sample``: audit a sampler by its draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli import options
from dpaudit.cli.bars import progress_bar
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import TIME_CAP_HELP, contained_one, quietly
from dpaudit.cli.pages import pages_of
from dpaudit.cli.programs import COMMAND_OPTIONS, SamplerOrCommand, commanded
from dpaudit.cli.request import requested
from dpaudit.cli.run import NowAndThen, exit_when_stopped, file_name
from dpaudit.questions.sample.request import SampleRequest
from dpaudit.report.render import AUDIT_FORMS

if TYPE_CHECKING:
    from dpaudit.cli.request import WriteRequest
    from dpaudit.results import SampleReport
    from dpaudit.sampling.run import SamplerSettings
    from dpaudit.sampling.sampler import Sampler

__all__ = ["command", "draw_and_write"]

_EPILOGUE = epilogue(
    within="not refuted, which proves nothing; or it conforms to the law of --against",
    exceeds="the budget is exceeded, or the law differs (wrong with at most the error probability)",
    undecided="too few draws, or no event distinguishes the datasets",
    interrupted="interrupted; --resume continues",
)


@click.command("sample", epilog=_EPILOGUE)
@options.with_options(
    click.argument(
        "mechanism",
        metavar="[SAMPLER]",
        shell_complete=options.complete_mechanism,
        cls=SamplerOrCommand,
    ),
    *COMMAND_OPTIONS,
    click.option(
        "--n", "size", type=int, metavar="SIZE", help="The size, if datasets depend on it."
    ),
    options.SETTINGS,
    click.option(
        "--draws",
        default="1e6",
        show_default=True,
        metavar="NUMBER",
        help="Largest number of draws of each dataset.",
    ),
    click.option(
        "--error",
        default="1e-9",
        show_default=True,
        metavar="PROBABILITY",
        help="Largest probability that a verdict of exceeds, or differs, is wrong.",
    ),
    click.option(
        "--budget",
        metavar="EPS[,DELTA]",
        help="The budget for the verdict; default: what the sampler states.",
    ),
    click.option(
        "--against",
        metavar="LAW",
        help="Compare the draws with the output distribution of this mechanism: a name, or "
        "path.py:name.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draws."),
    click.option(
        "--jobs",
        type=int,
        metavar="N",
        default=1,
        show_default=True,
        help="Number of processes that draw.",
    ),
    click.option(
        "--sequential",
        is_flag=True,
        help="Stop as soon as the draws contradict the budget.",
    ),
    click.option(
        "--events",
        type=click.Choice(["features", "learned"]),
        default="features",
        show_default=True,
        help=(
            "The events to choose from; learned adds scores of a logistic regression that "
            "scikit-learn fits to the draws."
        ),
    ),
    options.digits_option(4, text="Number of digits of lower bounds, at most 12."),
    options.form_option(),
    options.OUTPUT_FILE,
    options.report_option(*AUDIT_FORMS),
    options.resume_option(
        "Continue the stopped run that wrote the JSON report FILE, with the same settings; with "
        "--sequential, also with more draws"
    ),
    options.plot_options(),
    options.time_cap_option(f"{TIME_CAP_HELP} The report has the bounds so far."),
    options.memory_cap_option(
        "Stop if more than MB megabytes are used; default: the memory of the machine."
    ),
)
@commanded
@contained_one
@requested(SampleRequest)
def command(mechanism: str, request: SampleRequest) -> int:
    """Audit SAMPLER, path.py:name or module:name, from its outputs alone.

    A part of the draws chooses one event of one pair of neighbours, and the others count it. The
    answer is statistical: exceeds is wrong with a probability of at most --error, and so is each
    lower bound of ε and δ. A budget that is not refuted may still be exceeded.
    """
    from dpaudit.questions.sample.function import prepare

    parameters: dict[str, Any] = {**request.parameters}
    with quietly():
        subject, asked = prepare(
            mechanism,
            n=request.size,
            draws=request.draws,
            error=request.error,
            budget=request.budget,
            against=request.against,
            seed=request.seed,
            jobs=request.jobs,
            digits=request.digits,
            sequential=request.sequential,
            events=request.events,
            **parameters,
        )
    return draw_and_write(subject, asked, request)


def draw_and_write(subject: Sampler, asked: SamplerSettings, request: WriteRequest) -> int:
    """Draw, write the report and the figure, and return the exit code."""
    from dpaudit.questions.sample.function import Sampled
    from dpaudit.report.render import render
    from dpaudit.report.resume import resume_sample
    from dpaudit.results import SampleVerdict
    from dpaudit.sampling.run import run_sample

    destination = Destination.read(request, f"sample-{file_name(subject.name)}", AUDIT_FORMS)
    earlier = destination.resumed(request.resume)
    if earlier is not None:
        asked = replace(asked, resumed=resume_sample(earlier))

    def save(report: SampleReport) -> None:
        if destination.saves() and report.kept:
            destination.save(render([report], "json"))

    total = asked.draws * len(list(subject.relation.listing(asked.n)))
    with quietly(), progress_bar(subject.name, "draws", lambda: total) as progress:
        saving = NowAndThen(save)
        found = Sampled(
            run_sample(subject, asked, lambda draws: progress(advance=draws), saving.when_due)
        )
    further = pages_of(destination, [(subject.name, found.report)])
    destination.write(render([found.report], destination.form), found.figure, further=further)
    if found.verdict is SampleVerdict.UNFINISHED:
        return exit_when_stopped(Exit.UNDECIDED)
    return {
        SampleVerdict.EXCEEDS: Exit.EXCEEDS,
        SampleVerdict.DIFFERS: Exit.EXCEEDS,
        SampleVerdict.NOT_REFUTED: Exit.WITHIN,
        SampleVerdict.CONFORMS: Exit.WITHIN,
        SampleVerdict.TOO_FEW: Exit.UNDECIDED,
        SampleVerdict.VACUOUS: Exit.UNDECIDED,
    }[found.verdict]
