"""The Python interface of accounts of trainings that were run: ``dpaudit.account_run``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from dpaudit.api.plans import mechanism, one_or_several
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_budget_delta, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import rational
from dpaudit.questions.account.accountant_curves import plot
from dpaudit.questions.account.batches import (
    NO_DIRECTION,
    BatchRun,
    account_of_batches,
    batches_of,
)
from dpaudit.questions.account.certified import certified_account, read_points
from dpaudit.questions.account.dpsgd import DPSGD_WIDTH, SAMPLINGS, TrainingRun
from dpaudit.questions.account.interface import Accounted
from dpaudit.questions.account.joint import Run
from dpaudit.questions.account.refining import verdict_of
from dpaudit.questions.account_run.logs import read_log
from dpaudit.report.render import document_of
from dpaudit.results import Budget, DeltaRow, Training

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.questions.account_run.phases import Log
    from dpaudit.results import CertifiedAccount, Direction

__all__ = [
    "account_run",
    "accounted",
    "batch_run_of",
    "claim_of",
    "runs_of",
    "sampling_of",
    "training_of",
]


_ASSUMED = (
    "the accountant assumed Poisson samples, but batches are {}: its ε is not the ε of this "
    "training"
)


def account_run(
    run: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | object,
    *,
    delta: Number | Iterable[Number] = (),
    epsilon: Number | Iterable[Number] = (),
    budget: Number | Sequence[Number] | None = None,
    their_epsilon: Number | None = None,
    sampling: Literal["poisson", "shuffle", "fixed", "allocation"] | None = None,
    direction: Direction = "both",
    width: Number = DPSGD_WIDTH,
) -> Accounted:
    """Certify ε and δ of a finished training, and compare ε with that of its own accountant.

    Every step is the Gaussian mechanism on a Poisson sample, and one example is added or removed.
    Phases with different noise or rate are composed.

    Args:
        run: the record of the training: a file, an event of dp-accounting (TensorFlow Privacy and
            jax-privacy use these), an accountant of Opacus or dp-accounting, or its settings.
        delta: the δ at which ε is certified; by default the one in ``run``.
        epsilon: the ε, in nats, at which δ is certified.
        budget: the budget (ε, δ) of the training; adds a verdict.
        their_epsilon: the ε that its own accountant gave at the first δ.
        sampling: the way batches were drawn; by default as ``run`` says, otherwise Poisson.
        direction: ``"add"``, ``"remove"`` or ``"both"``.
        width: largest accepted width of an interval; ``"1%"`` is relative to ε, or to δ.

    Returns:
        The account; ``.report.training`` has the settings that were read, and ``claim_verdict``,
        the verdict on ``their_epsilon``.

    Raises:
        UsageError: if ``run`` is not a training, or contradicts itself.

    >>> found = account_run(
    ...     {"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}, delta="1e-5", their_epsilon="2.1"
    ... )
    >>> print(round(found.rows[0].epsilon.upper, 3), found.report.training.claim_verdict.value)
    1.515 within
    """
    report, subject = accounted(
        read_log(run),
        delta=delta,
        epsilon=epsilon,
        budget=budget,
        their_epsilon=their_epsilon,
        sampling=sampling,
        direction=direction,
        width=width,
    )
    document: Any = document_of([report])
    return Accounted(document, partial(plot, subject, [report], None))


def accounted(
    log: Log,
    *,
    delta: Number | Iterable[Number] = (),
    epsilon: Number | Iterable[Number] = (),
    budget: Number | Sequence[Number] | None = None,
    their_epsilon: Number | None = None,
    sampling: str | None = None,
    direction: Direction = "both",
    width: Number = DPSGD_WIDTH,
) -> tuple[CertifiedAccount, Any]:
    """Return the account of a training that was read, and the mechanism of its first phase.

    The arguments are those of :func:`account_run`.
    """
    way = sampling_of(log, sampling)
    deltas, epsilons = read_points(
        one_or_several(delta), one_or_several(epsilon), ("delta", "epsilon")
    )
    if not deltas and log.delta is not None:
        deltas = [read_budget_delta(log.delta, "delta")]
    claimed = claim_of(log, deltas, their_epsilon)
    if not deltas and not epsilons and budget is None:
        raise ParameterError("delta", "ε depends on δ; give one, such as --delta 1e-5")
    if claimed is not None:
        epsilons.append(claimed.epsilon)
    options: dict[str, Any] = {
        "at_delta": deltas,
        "at_eps": epsilons,
        "width": width,
        "budget": None if budget is None else read_budget(budget),
    }
    if way == "poisson":
        account, subject = _composed(log, direction, options)
    else:
        account, subject = _in_batches(log, way, direction, options)
    training = training_of(account, log, way, claimed)
    return msgspec.structs.replace(account, training=training), subject


def training_of(account: CertifiedAccount, log: Log, way: str, claimed: Budget | None) -> Training:
    """Return what was read of a training, with the verdict of an account on what is claimed."""
    return Training(
        source=log.source,
        sha256=log.sha256,
        claimed=claimed,
        claim_verdict=None if claimed is None else _verdict(account, claimed),
        remarks=log.remarks if way == "poisson" else (*log.remarks, _ASSUMED.format(way)),
    )


def runs_of(log: Log) -> list[Run]:
    """Return the phases of a training on Poisson samples as runs of Gaussian mechanisms."""
    whole = all(phase.rate == 1 for phase in log.phases)
    return [
        Run(
            mechanism("Gaussian", sigma=phase.noise_multiplier),
            phase.steps,
            None if whole else rational(phase.rate),
        )
        for phase in log.phases
    ]


def _composed(
    log: Log, direction: Direction, options: dict[str, Any]
) -> tuple[CertifiedAccount, Any]:
    """Return the account of phases on Poisson samples, and the first mechanism."""
    first, *further = runs_of(log)
    account = certified_account(
        first.subject,
        1,
        first.runs,
        sample_rate=first.rate,
        direction=direction,
        then=further,
        **options,
    )
    return account, first.subject


def _in_batches(
    log: Log, way: str, direction: Direction, options: dict[str, Any]
) -> tuple[CertifiedAccount, Any]:
    """Return the account of a training whose batches are no Poisson samples."""
    run, subject = batch_run_of(log, way, direction)
    return account_of_batches(run, subject, **options), subject


def batch_run_of(log: Log, way: str, direction: Direction) -> tuple[BatchRun, Mechanism[Any]]:
    """Return a training whose batches are no Poisson samples, and the mechanism of a step.

    Raises ``ParameterError`` for several phases, and for one direction.
    """
    if len(log.phases) > 1:
        raise ParameterError(
            "sampling",
            f"batches are {way}, not Poisson samples: dpaudit then accounts only for runs with "
            "one noise multiplier and one sampling rate, and this training has "
            f"{len(log.phases)} phases with different ones",
        )
    if direction != "both":
        raise ParameterError("direction", NO_DIRECTION)
    (phase,) = log.phases
    training = TrainingRun(phase.noise_multiplier, phase.rate, phase.steps)
    run = batches_of(way, None, training, None)
    assert run is not None
    return run, run.subject(phase.noise_multiplier)


def sampling_of(log: Log, sampling: str | None) -> str:
    """Return how batches were drawn; ``ParameterError`` for two ways that contradict each other."""
    if sampling is not None and sampling not in SAMPLINGS:
        raise ParameterError(
            "sampling", f"sampling = {sampling}: must be one of {', '.join(SAMPLINGS)}"
        )
    if None not in (sampling, log.sampling) and sampling != log.sampling:
        raise ParameterError(
            "sampling",
            f"--sampling {sampling}: the file says {log.sampling}; leave --sampling out, or "
            "correct the file",
        )
    return sampling or log.sampling or "poisson"


def claim_of(
    log: Log, deltas: Sequence[Number], their_epsilon: Number | None = None
) -> Budget | None:
    """Return what the training's own accountant claims."""
    epsilon = log.epsilon if their_epsilon is None else their_epsilon
    if epsilon is None:
        return None
    at: Number | None = log.delta if their_epsilon is None else None
    if at is None:
        at = next(iter(deltas), None)
    if at is None:
        raise ParameterError(
            "their-epsilon",
            "the ε of the training's accountant depends on δ; give one, such as --delta 1e-5",
        )
    claimed = read_number(epsilon, "their-epsilon")
    if claimed.sign() is Sign.NEGATIVE:
        raise DomainError("their-epsilon", claimed, "must be at least 0")
    return Budget(claimed, read_budget_delta(at, "delta"))


def _verdict(account: CertifiedAccount, claimed: Budget) -> Any:
    for row in account.rows:
        if isinstance(row, DeltaRow) and row.epsilon == claimed.epsilon:
            return verdict_of(claimed, row.delta)
    raise AssertionError("their ε has a row")
