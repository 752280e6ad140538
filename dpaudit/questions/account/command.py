"""``dpaudit account``: what many runs keep, certified, and beside dp-accounting's estimates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpaudit.cli import options
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue, exit_for
from dpaudit.cli.isolated import contained_one, quietly
from dpaudit.cli.pages import pages_of
from dpaudit.cli.parameter_options import CommandWithParameters, parameter_options
from dpaudit.cli.request import requested
from dpaudit.cli.run import exit_when_stopped
from dpaudit.errors import ParameterError, SizeError
from dpaudit.mechanisms.loading import load_mechanism
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.numbers.real import Real, real
from dpaudit.questions.account.reading import read_grid, read_run, read_size, read_steps
from dpaudit.questions.account.request import AccountRequest
from dpaudit.report.render import AUDIT_FORMS
from dpaudit.results import CertifiedAccount, worst_verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.account.batches import BatchRun
    from dpaudit.questions.account.dpsgd import TrainingRun


__all__ = ["command"]

_DEFAULT_MULTIPLES = [Fraction(part, 4) for part in (0, 1, 2, 3, 4)]


TRAINING_OPTIONS = (
    click.option(
        "--noise-multiplier",
        metavar="SIGMA",
        help="Noise of dpsgd: its standard deviation divided by the clipping norm.",
    ),
    click.option(
        "--batch-size",
        type=int,
        metavar="B",
        help="Expected number of examples in a batch (dpsgd).",
    ),
    click.option(
        "--dataset-size",
        type=int,
        metavar="N",
        help="Number of examples in the dataset (dpsgd).",
    ),
    click.option("--epochs", metavar="E", help="Number of passes over the dataset (dpsgd)."),
    click.option(
        "--steps", type=int, metavar="T", help="Number of batches (dpsgd); instead of --epochs."
    ),
    click.option("--epsilon", "of_epsilon", metavar="LIST", help="Compute δ at these ε (dpsgd)."),
    click.option(
        "--sampling",
        type=click.Choice(["poisson", "shuffle", "fixed", "allocation"]),
        help="The way batches are drawn (dpsgd); default: poisson. Every way gives bounds from "
        "both sides.",
    ),
)
"""The options that say what a run of DP-SGD is."""


@click.command(
    "account",
    cls=CommandWithParameters,
    epilog=epilogue(
        within="everything was computed; the budget, if given, is kept",
        exceeds="the budget is exceeded",
        undecided="something could not be certified, or not in time; a line says why",
        interrupted="interrupted; the best intervals until then are reported",
    ),
)
@options.with_options(
    click.argument("mechanism", shell_complete=options.complete_mechanism),
    click.option("--n", "size", metavar="SIZE", help="The size n (1 for Gaussian and Laplace)."),
    click.option(
        "--k", type=int, help="Number of categories (without --prior, each gets prior 1)."
    ),
    parameter_options(several_of=()),
    options.SETTINGS,
    click.option(
        "--at-delta",
        metavar="LIST",
        help="Certify the ε of all runs together at these δ: numbers joined by commas.",
    ),
    click.option(
        "--at-eps",
        metavar="LIST",
        help="Certify the δ of all runs together at these ε: numbers and FIRST..LAST..STEP, "
        "joined by commas.",
    ),
    click.option(
        "--sample-rate",
        metavar="Q",
        help="Each run uses a Poisson sample: every record takes part with this probability.",
    ),
    click.option(
        "--direction",
        type=click.Choice(["add", "remove", "both"]),
        help="With sampling, the neighbour has a record more (add) or less (remove); default: "
        "both.",
    ),
    *TRAINING_OPTIONS,
    click.option(
        "--then",
        "then",
        metavar="RUNS",
        multiple=True,
        help="Runs of another mechanism on the same data; in quotes, its name, then NAME=VALUE "
        "for its parameters, compose and sample-rate. Repeatable.",
    ),
    click.option(
        "--width",
        metavar="WIDTH",
        help="The largest accepted width of an interval. A number W allows width W for ε and "
        "100·W·δ for δ (so 1e-5, the default, knows δ to 0.1 %). A percentage, such as 1%, the "
        "default of dpsgd, is relative to ε, or to δ.",
    ),
    click.option(
        "--budget", metavar="EPS[,DELTA]", help="The budget of all runs together; adds a verdict."
    ),
    click.option(
        "--solve",
        type=click.Choice(
            ["sigma", "scale", "q", "steps", "noise-multiplier", "epochs", "batch-size"]
        ),
        help="Find the smallest noise, largest sampling rate or largest number of runs that "
        "keeps --budget; the last three names are for dpsgd.",
    ),
    click.option(
        "--epsilon-grid",
        "grid",
        metavar="LIST",
        help="Compare with dp-accounting at these ε: numbers and FIRST..LAST..STEP, joined by "
        "commas. Default: 0, 1/4, 1/2, 3/4 and 1 times the stated ε, times the number of runs.",
    ),
    click.option(
        "--compose",
        metavar="K",
        default="1",
        show_default=True,
        help="Number of runs on the same data. When certifying, also several numbers: "
        "FIRST..LAST..STEP and numbers, joined by commas.",
    ),
    click.option(
        "--discretisation",
        metavar="STEP",
        default="1e-4",
        show_default=True,
        help="The step of dp-accounting's grid of losses.",
    ),
    click.option(
        "--estimates/--no-estimates",
        default=True,
        help="Compare with dp-accounting or not; without it, dp-accounting need not be installed.",
    ),
    options.at_option(),
    options.ADJACENCY,
    options.digits_option(30, of="certified intervals"),
    options.form_option(),
    options.OUTPUT_FILE,
    options.report_option(*AUDIT_FORMS),
    options.plot_options("certified δ(ε), or ε over several numbers of runs,", asked=True),
    options.time_cap_option(),
    options.memory_cap_option(),
)
@contained_one
@requested(AccountRequest)
def command(mechanism: str, request: AccountRequest) -> int:
    """Compose runs of MECHANISM: certify ε and δ, or compare δ(ε) with dp-accounting.

    MECHANISM is a built-in name, module:name, path.py:name, or dpsgd for a run of DP-SGD. With
    --at-delta, --at-eps or --budget, ε and δ of all runs on the same data are intervals that
    contain the truth; a budget gives a verdict.

    Otherwise δ(ε) is compared with dp-accounting, ε by ε: its estimates for the worst pair, rounded
    up and down, and for the dominating pair. Estimates below the certified interval are flagged,
    without a verdict.
    """
    from dpaudit.questions.account.comparison import account
    from dpaudit.questions.account.report import render_account

    mechanism, request, sought = _in_words_of_training(mechanism, request)
    if sought is not None and not isinstance(sought, _Sought):
        return _of_batches(sought, request)
    chosen: dict[str, object] = {**request.parameters}
    if request.k is not None:
        chosen["k"] = request.k
    with quietly():
        subject = load_mechanism(mechanism, chosen)
    steps = read_steps(request.compose)
    size = subject.default_size if request.size is None else read_size(request.size)
    if size is None:
        raise SizeError("the size is missing; give --n")
    if any(getattr(request, name) not in (None, ()) for name in _CERTIFIED):

        def subject_at(value: str | None) -> Mechanism[Any]:
            if value is None:
                return subject
            return load_mechanism(mechanism, {**chosen, str(request.solve): value})

        return _certified(subject_at, size, steps, request, sought)
    plotted = request.plots or request.plot_width != "page"
    if plotted or len(steps) > 1:
        raise ParameterError(
            "plot" if plotted else "compose",
            "dpaudit plots, and accepts several values of --compose, only when it certifies "
            "intervals; add --at-delta, --at-eps or --budget (without them it compares with "
            "dp-accounting)",
        )
    (compose,) = steps
    epsilons = read_grid(request.grid) if request.grid else _default_grid(subject, compose)
    destination = Destination.read(request, forms=AUDIT_FORMS)
    with quietly():
        found = account(
            subject,
            size,
            epsilons,
            compose=compose,
            discretisation=request.discretisation,
            adjacency=request.adjacency,
            at=request.at,
            digits=request.digits,
            estimates=request.estimates,
        )
        report = render_account(found, request.form)
    further = pages_of(
        destination, [(subject.name, found)], lambda form: render_account(found, form)
    )
    destination.write(report, None, further=further)
    return Exit.WITHIN if found.complete else Exit.UNDECIDED


class _Sought(NamedTuple):
    """Quantity that is sought for a run of DP-SGD."""

    name: str
    """Its name in words of training."""
    run: TrainingRun
    """The run, with what the search begins at."""
    dataset_size: int | None
    """Number of examples."""


def _in_words_of_training(
    mechanism: str, request: AccountRequest
) -> tuple[str, AccountRequest, _Sought | BatchRun | None]:
    """Return the mechanism and options that a run of DP-SGD stands for; others as they are."""
    from dpaudit.questions.account.batches import NOT_SOUGHT, batches_of
    from dpaudit.questions.account.dpsgd import (
        DPSGD,
        DPSGD_WIDTH,
        SOUGHT,
        Words,
        read_training,
    )

    names = ("noise_multiplier", "batch_size", "dataset_size", "epochs", "steps")
    words: dict[str, Any] = {name: getattr(request, name) for name in names}
    epsilon = request.of_epsilon
    if mechanism != DPSGD:
        found = [name.replace("_", "-") for name, value in words.items() if value is not None]
        if found:
            raise ParameterError(
                found[0], f"--{found[0]} applies only to dpsgd: dpaudit account dpsgd ..."
            )
        if epsilon is not None:
            raise ParameterError(
                "epsilon", "--epsilon applies only to dpsgd; for δ at an ε, give --at-eps"
            )
        if request.sampling is not None:
            raise ParameterError(
                "sampling", "--sampling applies only to dpsgd: dpaudit account dpsgd ..."
            )
        if request.solve in SOUGHT:
            told = f"--solve {request.solve} applies only to dpsgd; for other mechanisms: {_OF_ALL}"
            raise ParameterError("solve", told)
        return mechanism, request, None
    _refuse_for_training(request)
    delta = request.parameters.get("delta")
    for name, other, value in (("delta", "at_delta", delta), ("epsilon", "at_eps", epsilon)):
        if value is not None and getattr(request, other) is not None:
            option = other.replace("_", "-")
            raise ParameterError(name, f"--{name} and --{option} are the same for dpsgd; give one")
    _check_points(delta, epsilon)
    known = Words(**words, sample_rate=request.sample_rate)
    sought: _Sought | BatchRun | None = None
    if request.solve is not None:
        from dpaudit.questions.account.dpsgd_interface import read_sought

        if request.sampling not in (None, "poisson") or request.adjacency is not None:
            raise ParameterError("solve", NOT_SOUGHT)
        budget = _sought_budget(request, epsilon, delta)
        run = read_sought(known, request.solve, read_budget(budget))
        sought = _Sought(request.solve, run, words["dataset_size"])
        request = replace(request, budget=budget, solve=SOUGHT[request.solve])
    else:
        run = read_training(**vars(known))
        deltas = request.at_delta if delta is None else delta
        epsilons = request.at_eps if epsilon is None else epsilon
        if deltas is None and epsilons is None and request.budget is None:
            raise ParameterError("delta", "ε depends on δ; give one, such as --delta 1e-5")
        request = replace(request, at_delta=deltas, at_eps=epsilons)
        sought = batches_of(request.sampling, request.adjacency, run, request.epochs)
        if sought is not None:
            _refuse_with_batches(request)
        click.echo(f"dpaudit: {sought or run}", err=True)
    stands_for = replace(
        request,
        width=request.width or DPSGD_WIDTH,
        sample_rate=None if run.sample_rate == 1 else str(run.sample_rate),
        compose=str(run.steps),
        parameters={"sigma": str(run.sigma)},
        size="1",
    )
    return "Gaussian", stands_for, sought


def _check_points(delta: str | None, epsilon: str | None) -> None:
    """Refuse numbers that are no δ or ε under the names that they were given by."""
    from dpaudit.questions.account.certified import read_points

    read_points(
        [] if delta is None else delta.split(","),
        [] if epsilon is None else read_grid(epsilon, "epsilon"),
        ("delta", "epsilon"),
    )


def _refuse_with_batches(request: AccountRequest) -> None:
    """Refuse options that are of Poisson samples where one example is added or removed."""
    for name, value in (
        ("direction", request.direction),
        ("plot", request.plots),
        ("then", request.then),
    ):
        if value:
            raise ParameterError(
                name,
                f"--{name} applies only to Poisson sampling with one example added or "
                "removed; leave it out",
            )


def _of_batches(run: BatchRun, request: AccountRequest) -> int:
    """Write the account of other batches, or neighbours, than the usual ones of training."""
    from dpaudit.questions.account.batches import account_of_batches
    from dpaudit.report.render import render

    destination = Destination.read(request)
    budget = None if request.budget is None else read_budget(request.budget)
    with quietly():
        found = account_of_batches(
            run,
            run.subject(str(request.noise_multiplier)),
            at_delta=[] if request.at_delta is None else request.at_delta.split(","),
            at_eps=[] if request.at_eps is None else read_grid(request.at_eps, "at-eps"),
            budget=budget,
            width=request.width,
        )
        report = render([found], request.form)
    destination.write(report, None)
    if found.verdict is not None:
        return exit_for(found.verdict)
    return Exit.UNDECIDED if found.unmet else Exit.WITHIN


_OF_ALL = "sigma, scale, q or steps"


def _refuse_for_training(request: AccountRequest) -> None:
    """Refuse options that say nothing about a run of DP-SGD."""
    if request.compose != "1":
        raise ParameterError(
            "compose", "--compose applies only to other mechanisms; for dpsgd give --steps"
        )
    if request.parameters.keys() - {"delta"}:
        raise ParameterError(
            "set", "dpsgd has no parameters other than the options that --help lists"
        )
    for name, value in (("n", "size"), ("k", "k"), ("at", "at")):
        if getattr(request, value) is not None:
            raise ParameterError(
                name,
                f"--{name} applies only to other mechanisms; for dpsgd one example is added "
                "or removed; leave it out",
            )


def _sought_budget(request: AccountRequest, epsilon: str | None, delta: str | None) -> str:
    """Return the budget for which something is sought: --budget, or --epsilon and --delta."""
    if request.budget is None and epsilon is not None and delta is not None:
        return f"{epsilon},{delta}"
    if request.budget is None or epsilon is not None or delta is not None:
        raise ParameterError(
            "solve",
            f"--solve {request.solve} needs --epsilon and --delta, or --budget EPS,DELTA",
        )
    return request.budget


_CERTIFIED = (
    *("at_delta", "at_eps", "sample_rate", "direction", "then", "width", "budget", "solve"),
)
"""Options that ask for a certified account."""


def _certified(
    subject_at: Callable[[str | None], Mechanism[Any]],
    size: int,
    steps: list[int],
    request: AccountRequest,
    sought: _Sought | None,
) -> int:
    from dpaudit.questions.account.accountant_curves import plot
    from dpaudit.questions.account.certified import DEFAULT_WIDTH
    from dpaudit.questions.account.export import read_discretisation
    from dpaudit.questions.account.solving import account_or_plan
    from dpaudit.report.render import render

    if request.grid is not None:
        raise ParameterError(
            "epsilon-grid",
            "--epsilon-grid only compares with dp-accounting; to certify δ at these ε, give "
            "--at-eps",
        )
    if request.direction is not None and request.sample_rate is None:
        raise ParameterError(
            "direction", "--direction applies only to sampled runs; add --sample-rate"
        )
    if request.solve is not None and len(steps) > 1:
        raise ParameterError(
            "compose", "--solve starts from one number of runs; give --compose a single number"
        )
    destination = Destination.read(request, forms=AUDIT_FORMS)
    budget = None if request.budget is None else read_budget(request.budget)
    options_of: dict[str, Any] = {
        "at_delta": [] if request.at_delta is None else request.at_delta.split(","),
        "at_eps": [] if request.at_eps is None else read_grid(request.at_eps, "at-eps"),
        "sample_rate": request.sample_rate,
        "direction": request.direction or "both",
        "width": request.width or DEFAULT_WIDTH,
        "adjacency": request.adjacency,
        "at": request.at,
    }
    solve: Any = request.solve  # one of those that are composed, by now
    step = read_discretisation(request.discretisation)
    found: list[CertifiedAccount] = []
    with quietly():
        subject = subject_at(None)
        options_of["then"] = [read_run(text) for text in request.then]
        for runs in steps:
            found.append(account_or_plan(solve, subject_at, size, runs, budget, **options_of))
            if found[-1].interrupted:
                break
        report = render(found, request.form)
    if sought is not None and found[-1].solved is not None:
        from dpaudit.questions.account.dpsgd import told

        name, run, dataset_size = sought
        click.echo(f"dpaudit: {told(name, found[-1].solved.value, run, dataset_size)}", err=True)
    figure = partial(plot, subject, found, step if request.estimates else None)
    further = pages_of(destination, [(subject.name, one) for one in found])
    destination.write(report, figure if request.plots else None, further=further)
    if found[-1].interrupted:
        return exit_when_stopped(Exit.UNDECIDED)
    if found[-1].verdict is not None:
        return exit_for(worst_verdict(one.verdict for one in found if one.verdict is not None))
    return Exit.UNDECIDED if any(one.unmet for one in found) else Exit.WITHIN


def _default_grid(subject: Mechanism[Any], compose: int) -> list[Real]:
    if subject.stated is None and not hasattr(subject, "epsilon"):
        raise ParameterError(
            "epsilon-grid", f"{subject.name} states no ε; give --epsilon-grid, such as 0..1..1/4"
        )
    return [subject.nominal.epsilon * real(part * compose) for part in _DEFAULT_MULTIPLES]
