"""The Python interface of accounts of DP-SGD: ``dpaudit.account_dpsgd``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from dpaudit.api.plans import one_or_several
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_number
from dpaudit.questions.account.batches import (
    NO_DIRECTION,
    NOT_SOUGHT,
    account_of_batches,
    batches_of,
)
from dpaudit.questions.account.certified import read_points
from dpaudit.questions.account.dpsgd import (
    DPSGD_WIDTH,
    SOUGHT,
    TrainingRun,
    Words,
    read_training,
)
from dpaudit.questions.account.interface import Accounted, account
from dpaudit.questions.account.starting_points import guess
from dpaudit.report.render import document_of

if TYPE_CHECKING:
    from dpaudit.numbers.real import Number
    from dpaudit.results import Budget, Direction


__all__ = ["account_dpsgd", "read_sought"]


def account_dpsgd(
    *,
    noise_multiplier: Number | None = None,
    batch_size: int | None = None,
    dataset_size: int | None = None,
    epochs: Number | None = None,
    steps: int | None = None,
    sample_rate: Number | None = None,
    delta: Number | Iterable[Number] = (),
    epsilon: Number | Iterable[Number] = (),
    budget: Number | Sequence[Number] | None = None,
    solve: Literal["noise-multiplier", "epochs", "batch-size"] | None = None,
    direction: Direction = "both",
    width: Number = DPSGD_WIDTH,
    sampling: Literal["poisson", "shuffle", "fixed", "allocation"] = "poisson",
    adjacency: str | None = None,
) -> Accounted:
    """Certify ε and δ of a run of DP-SGD, or find the noise, steps or batches that keep a budget.

    Every step is the Gaussian mechanism on a Poisson sample, and one example is added or removed.
    Shuffled and fixed-size batches (``sampling``) have bounds of their own.

    Args:
        noise_multiplier: the standard deviation of the noise divided by the clipping norm.
        batch_size: the expected number of examples in a batch.
        dataset_size: number of examples in the dataset.
        epochs: passes over the dataset; the number of steps is rounded up.
        steps: number of batches, instead of ``epochs``.
        sample_rate: the sampling rate q, instead of batch and dataset size.
        delta: the δ at which ε is certified.
        epsilon: the ε, in nats, at which δ is certified.
        budget: the budget (ε, δ) of the run; adds a verdict.
        solve: the value to find, which is left out: ``"noise-multiplier"`` for the smallest one (to
            four digits), ``"epochs"`` for the largest number of steps, or ``"batch-size"`` for the
            one that follows from the largest sampling rate (to four digits).
        direction: the neighbour has one example more, ``"add"``, or less, ``"remove"``, or either,
            ``"both"``.
        width: largest accepted width of an interval; ``"1%"`` is relative to ε, or to δ.
        sampling: the way batches are drawn: ``"poisson"``, ``"shuffle"``, ``"fixed"`` or
            ``"allocation"``.
        adjacency: None if one example is added or removed (in shuffled epochs, replaced by one
            whose gradient is 0); ``"substitution"`` if one is replaced.

    Returns:
        The account of the Gaussian mechanism; ``.report.solved`` is the value found.

    Raises:
        UsageError: for a value that is missing, given twice, or impossible.

    >>> found = account_dpsgd(noise_multiplier="1.1", batch_size=256, dataset_size=60000,
    ...                       epochs=15, delta="1e-5")
    >>> print(round(found.rows[0].epsilon.upper, 4))
    1.1339
    """
    words = Words(
        noise_multiplier=None if noise_multiplier is None else str(noise_multiplier),
        batch_size=batch_size,
        dataset_size=dataset_size,
        epochs=None if epochs is None else str(epochs),
        steps=steps,
        sample_rate=None if sample_rate is None else str(sample_rate),
    )
    names = ("delta", "epsilon")
    deltas, epsilons = read_points(one_or_several(delta), one_or_several(epsilon), names)
    if solve is None:
        run = read_training(**vars(words))
        if not (deltas or epsilons) and budget is None:
            raise ParameterError("delta", 'ε depends on δ; give one, such as delta="1e-5"')
        batches = batches_of(sampling, adjacency, run, words.epochs)
        if batches is not None:
            if direction != "both":
                raise ParameterError("direction", NO_DIRECTION)
            found = account_of_batches(
                batches,
                batches.subject(run.sigma),
                at_delta=deltas,
                at_eps=epsilons,
                budget=None if budget is None else read_budget(budget),
                width=width,
            )
            document: Any = document_of([found])
            return Accounted(document)
    else:
        if sampling != "poisson" or adjacency is not None:
            raise ParameterError("solve", NOT_SOUGHT)
        if budget is None:
            raise ParameterError(
                "budget", f'solve = {solve}: needs a budget to keep; give budget="EPS,DELTA"'
            )
        run = read_sought(words, solve, read_budget(budget))
    return account(
        "Gaussian",
        1,
        sigma=run.sigma,
        compose=run.steps,
        sample_rate=None if run.sample_rate == 1 else run.sample_rate,
        at_delta=deltas,
        at_eps=epsilons,
        budget=budget,
        direction=direction,
        width=width,
        solve=None if solve is None else SOUGHT[solve],
    )


def read_sought(words: Words, sought: str, budget: Budget) -> TrainingRun:
    """Return a run that about keeps a budget, where a search for ``sought`` begins.

    Raises:
        UsageError: for what is missing, or given and sought at once.

    >>> from dpaudit.mechanisms.parameters import read_budget, read_number
    >>> words = Words(batch_size=256, dataset_size=60000, epochs="15")
    >>> read_sought(words, "noise-multiplier", read_budget("1.13387,1e-5")).sigma
    '1.100'
    """
    if sought not in SOUGHT:
        raise ParameterError(
            "solve", f"--solve {sought}: for dpsgd give one of {', '.join(SOUGHT)}"
        )
    options: dict[str, dict[str, str | int | None]] = {
        "noise-multiplier": {"noise_multiplier": words.noise_multiplier},
        "epochs": {"epochs": words.epochs, "steps": words.steps},
        "batch-size": {"batch_size": words.batch_size, "sample_rate": words.sample_rate},
    }
    for name, value in options[sought].items():
        if value is not None:
            option = name.replace("_", "-")
            raise ParameterError(
                option, f"--{option} is the value that --solve {sought} finds; leave it out"
            )
    if sought == "batch-size" and words.dataset_size is None:
        raise ParameterError("dataset-size", "--solve batch-size needs --dataset-size")
    if sought == "batch-size" and words.steps is None:
        raise ParameterError(
            "steps",
            "--solve batch-size needs --steps: with --epochs the steps would change with the batch",
        )
    stand_ins: dict[str, dict[str, str | int | None]] = {
        "noise-multiplier": {"noise_multiplier": "1"},
        "epochs": {"steps": 1},
        "batch-size": {"sample_rate": "1/2", "dataset_size": None},
    }
    run = read_training(**{**vars(words), **stand_ins[sought]})
    if run.sample_rate == 1:
        raise ParameterError(
            "solve", "--solve works only with sampled batches; here each batch is the whole dataset"
        )
    begin = guess(
        SOUGHT[sought],
        float(budget.epsilon.ball()),
        float(budget.delta.ball()),
        sigma=float(read_number(run.sigma, "noise-multiplier").ball()),
        rate=float(run.sample_rate),
        runs=run.steps,
    )
    starts: dict[str, dict[str, Any]] = {
        "noise-multiplier": {"sigma": str(begin)},
        "epochs": {"steps": int(begin)},
        "batch-size": {"sample_rate": Fraction(begin)},
    }
    return replace(run, **starts[sought])
