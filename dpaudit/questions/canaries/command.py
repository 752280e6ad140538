"""``dpaudit canaries``: bound ε from below by guesses about canaries in a training run."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli import options
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue, exit_for
from dpaudit.cli.pages import pages_of
from dpaudit.cli.request import requested
from dpaudit.errors import DataError, ParameterError
from dpaudit.notices import notices_on_stderr
from dpaudit.questions.canaries.request import CanariesRequest
from dpaudit.report.render import AUDIT_FORMS

if TYPE_CHECKING:
    from dpaudit.questions.canaries.function import CanaryAudit
    from dpaudit.questions.canaries.inclusion import Inclusion
    from dpaudit.questions.canaries.needs import CanariesNeeded
    from dpaudit.questions.canaries.plan import CanaryPlanned
    from dpaudit.report.formats.chart import Chart

__all__ = ["command"]

_EPILOGUE = epilogue(
    within="the budget or profile is not refuted, which proves nothing; or none was given",
    exceeds="the guesses refute the budget or profile at the error probability --level",
    undecided="the budget or profile is too close to the refuted bound to be decided",
)

_MEMBER = "member"


@click.command("canaries", epilog=_EPILOGUE)
@options.with_options(
    click.argument("scores", required=False, metavar="[SCORES.csv]"),
    click.option("--canaries", "number", type=int, metavar="M", help="Number of canaries."),
    click.option("--m", "short", type=int, metavar="M", help="Another name of --canaries."),
    click.option(
        "--plan",
        is_flag=True,
        help="Before the training: show which ε --canaries can refute, for several numbers of "
        "guesses, or for --guesses.",
    ),
    click.option(
        "--refute",
        metavar="EPS",
        help="With --plan, in place of --canaries: show how many canaries refute this ε.",
    ),
    click.option(
        "--plan-inclusion",
        is_flag=True,
        help="Before the training: toss a coin for each canary to decide which are in. --format "
        "json --output FILE writes the manifest.",
    ),
    click.option(
        "--seed",
        type=int,
        help="With --plan-inclusion: seed of the coins; default: 128 random bits.",
    ),
    click.option(
        "--shares",
        metavar="SHARES",
        help="With --plan: assumed shares of right guesses, joined by commas; default: "
        "1,9/10,3/4,3/5.",
    ),
    click.option(
        "--guesses",
        type=int,
        metavar="R",
        help="Number of guesses, fixed before you see the scores. Without it, dpaudit tries "
        "a fixed list of numbers, and the error probability --level covers all of them together.",
    ),
    click.option(
        "--right",
        type=int,
        metavar="V",
        help="Number of right guesses; with scores, dpaudit counts them.",
    ),
    click.option(
        "--counts",
        metavar="COUNTS",
        help="Instead of guesses, counts from repeated trainings with one canary and without it: "
        "tp=600,fp=20,of=1000; in= and out= replace of= where the two numbers of trainings "
        "differ.",
    ),
    click.option(
        "--score",
        "score_column",
        default="score",
        show_default=True,
        metavar="COLUMN",
        help="The column with the scores.",
    ),
    click.option(
        "--member",
        "member_column",
        default=_MEMBER,
        show_default=True,
        metavar="COLUMN",
        help="The column that says which canaries were in: 1 or 0, true or false, in or out.",
    ),
    click.option(
        "--inclusion",
        metavar="FILE",
        help="The manifest of --plan-inclusion, instead of a column of members. Scores must be "
        "in its order; a column of members, if there is one, must agree with it.",
    ),
    click.option(
        "--matching",
        metavar="SEED",
        help="If the number of canaries in the training was fixed beforehand: guess in random "
        "pairs of one that was in and one that was out. ε is then for one replaced example.",
    ),
    click.option(
        "--one-sided",
        is_flag=True,
        help="Guess only that canaries were in: those with the highest scores. Half as much is "
        "added for δ.",
    ),
    click.option(
        "--group",
        type=int,
        default=1,
        show_default=True,
        metavar="G",
        help="Number of examples that each coin decided for, such as copies of a canary. Each "
        "line is then a group; the report bounds ε of one example, and of a group.",
    ),
    click.option(
        "--probability",
        metavar="Q|COLUMN",
        help="The probability of each canary to be in, if it is not 1/2, or the column with the "
        "probability of each. Needs --guesses, or one probability with --one-sided.",
    ),
    click.option(
        "--direction",
        type=click.Choice(["higher", "lower"]),
        default="higher",
        show_default=True,
        help="The scores that suggest that a canary was in: the higher or the lower ones.",
    ),
    click.option(
        "--delta",
        default="0",
        show_default=True,
        metavar="NUMBER",
        help="Bound ε at this δ, or at several, joined by commas.",
    ),
    click.option(
        "--level",
        default="1/20",
        show_default=True,
        metavar="PROBABILITY",
        help="Largest probability of refuting an ε that is true; several are joined by commas.",
    ),
    click.option("--budget", metavar="EPS[,DELTA]", help="Test this budget and give a verdict."),
    click.option(
        "--profile",
        metavar="mu=MU",
        help="Instead of a budget, test that the training is μ-GDP, and find the largest μ that "
        "is refuted; needs --guesses.",
    ),
    options.digits_option(
        None,
        text="Number of digits of bounds; default: 12 with --guesses, 4 with --plan, otherwise 9.",
    ),
    options.form_option(),
    options.OUTPUT_FILE,
    options.report_option(*AUDIT_FORMS),
    options.plot_options("bound over the number of guesses, with scores also the ROC", asked=True),
)
@requested(CanariesRequest)
def command(request: CanariesRequest, *, scores: str | None) -> int:
    """Bound ε from below by the number of right guesses about canaries in one training run.

    Each canary has to be in the training set with probability 1/2, independently of the others.
    Give a CSV, Parquet or .npz file with a score and a member for each canary, or --canaries,
    --guesses and --right.
    With --guesses, half of the guesses say "in" for the highest scores, half "out" for the lowest.
    """
    destination = Destination.read(request, forms=AUDIT_FORMS)
    if request.short is not None:
        if request.number is not None:
            raise ParameterError("canaries", "--m is another name of --canaries; give one of them")
        request = replace(request, number=request.short)
    if request.reports and (request.plan or request.plan_inclusion):
        raise ParameterError(
            "report", "--report is only for an audit; write a plan with --output FILE"
        )
    if request.plan and request.refute is not None:
        needs = _needs(scores, request)
        destination.write(needs.rendered(destination.form).encode(), needs.figure)
        return Exit.WITHIN
    if request.refute is not None:
        raise ParameterError("refute", "--refute is only for --plan; for an audit give --budget")
    if request.plan:
        plan = _plan(scores, request)
        destination.write(plan.rendered(destination.form).encode(), plan.figure)
        return Exit.WITHIN
    if request.plan_inclusion:
        manifest = _inclusion(scores, request)
        destination.write(manifest.rendered(destination.form).encode(), manifest.figure)
        return Exit.WITHIN
    if request.seed is not None:
        raise ParameterError(
            "seed", "--seed applies only to --plan-inclusion; an audit tosses no coins"
        )
    if request.shares is not None:
        raise ParameterError("shares", "--shares applies only to --plan; in an audit give --right")
    from dpaudit.questions.canaries.function import canaries

    passed: dict[str, Any] = {
        "canaries": request.number,
        "guesses": request.guesses,
        "right": request.right,
        "counts": request.counts,
        "delta": request.delta,
        "level": request.level,
        "budget": request.budget,
        "profile": request.profile,
        "digits": request.digits,
        "inclusion": request.inclusion,
        "matching": request.matching,
        "one_sided": request.one_sided,
        "group": request.group,
        "probability": request.probability,
    }
    if scores is not None:
        passed |= _columns(Path(scores), request)
    with notices_on_stderr():
        audit: CanaryAudit = canaries(**passed)
    text = audit.rendered(destination.form).encode()

    def charts() -> list[Chart]:
        from dpaudit.questions.canaries.charts import canary_charts  # a page is rarely asked for

        return canary_charts(audit.report, audit.scores)

    pages = pages_of(destination, [("training", audit.report)], charts=charts)
    destination.write(text, audit.figure, further=pages)
    return Exit.WITHIN if audit.verdict is None else exit_for(audit.verdict)


def _columns(path: Path, request: CanariesRequest) -> dict[str, Any]:
    """Return scores and members of a file, for ``canaries``.

    Beside a manifest a column of members need not be there; where it is, it is compared with it.
    """
    from dpaudit.data.columns import has_column, read_cells
    from dpaudit.mechanisms.parameters import is_number

    columns = {"score": request.score_column}
    member = request.member_column
    if request.inclusion is None or member != _MEMBER or has_column(path, member):
        columns["member"] = member
    if request.probability is not None and not is_number(request.probability):
        columns["probability"] = request.probability
    for (first, name), (second, other) in combinations(columns.items(), 2):
        if name == other:
            raise ParameterError(second, f"--{first} and --{second} are both {name}")
    try:
        cells, digest = read_cells(path, list(columns.values()))
    except DataError as error:
        if all(has_column(path, name) for name in columns.values()):
            raise
        options = "--score COLUMN and --member COLUMN"
        if "probability" in columns:
            options = "--score COLUMN, --member COLUMN and --probability COLUMN"
        raise ParameterError("score", f"{error}; name your columns with {options}") from None
    found: dict[str, Any] = dict(zip(columns, cells, strict=True))
    found["scores"] = found.pop("score")
    return found | {"scores_sha256": digest, "direction": request.direction}


def _plan(scores: str | None, request: CanariesRequest) -> CanaryPlanned:
    """Return the plan that is asked for; ``UsageError`` for what only an audit takes."""
    from dpaudit.questions.canaries.plan import DEFAULT_SHARES, plan_canaries

    number = _planned_number(scores, request, "plan", ("plan_inclusion", "seed"))
    names = ("guesses", "delta", "level", "digits")
    shares = DEFAULT_SHARES if request.shares is None else request.shares
    return plan_canaries(number, shares=shares, **{name: getattr(request, name) for name in names})


def _needs(scores: str | None, request: CanariesRequest) -> CanariesNeeded:
    """Return the numbers of canaries that are asked for; ``UsageError`` for other options."""
    from dpaudit.questions.canaries.needs import canaries_needed
    from dpaudit.questions.canaries.plan import DEFAULT_SHARES

    _check_planned(scores, request, "plan", ("plan_inclusion", "seed"))
    for name in ("number", "guesses", "digits"):
        if getattr(request, name) is not None:
            option = "canaries" if name == "number" else name
            shown = "--canaries (or --m)" if name == "number" else f"--{option}"
            raise ParameterError(
                option, f"--plan --refute finds the number of canaries; leave {shown} out"
            )
    assert request.refute is not None
    shares = DEFAULT_SHARES if request.shares is None else request.shares
    return canaries_needed(request.refute, delta=request.delta, level=request.level, shares=shares)


def _inclusion(scores: str | None, request: CanariesRequest) -> Inclusion:
    """Return the manifest that is asked for; ``UsageError`` for what only an audit takes."""
    from dpaudit.questions.canaries.inclusion import plan_inclusion

    number = _planned_number(scores, request, "plan-inclusion", ("guesses", "shares", "digits"))
    return plan_inclusion(number, seed=request.seed)


def _planned_number(
    scores: str | None, request: CanariesRequest, plan: str, further: tuple[str, ...]
) -> int:
    """Return how many canaries are planned; ``UsageError`` for options that a plan has not."""
    _check_planned(scores, request, plan, further)
    if request.number is None:
        reason = f"--{plan} needs --canaries M, the number of canaries"
        if plan == "plan":
            reason += ", or --refute EPS, to compute that number"
        raise ParameterError("plan", reason)
    return request.number


def _check_planned(
    scores: str | None, request: CanariesRequest, plan: str, further: tuple[str, ...]
) -> None:
    """Raise ``UsageError`` for options that a plan has not."""
    others = ("right", "counts", "budget", "profile", "inclusion", "one_sided", "probability")
    named = {"a file of scores": scores} | {
        f"--{name.replace('_', '-')}": getattr(request, name) for name in (*others, *further)
    }
    if request.group != 1:
        named["--group"] = request.group
    for name, value in named.items():
        if value is not None and value is not False:
            raise ParameterError(
                "plan", f"--{plan} plans an audit before the training; leave {name} out"
            )
