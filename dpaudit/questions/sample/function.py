"""The Python interface of samplers: ``dpaudit.sample`` audits what can only be drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.api.plans import of_function, own_parameters
from dpaudit.audit.workers import check_jobs
from dpaudit.errors import DomainError, LoadError, ParameterError, SizeError
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.mechanisms.parameters import read_budget, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import Number, order, real
from dpaudit.results import LARGEST_N, SampleReport, SampleVerdict
from dpaudit.sampling.draws import check_seed
from dpaudit.sampling.functions import function_sampler
from dpaudit.sampling.learned import library
from dpaudit.sampling.run import DEFAULT_DIGITS, MOST_DIGITS, SamplerSettings, run_sample
from dpaudit.sampling.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure


__all__ = ["EVENTS", "MOST_DRAWS", "Sampled", "prepare", "read_draws", "sample"]

MOST_DRAWS = 10**10
"""More draws than this are a mistake."""
EVENTS = ("features", "learned")
"""Sources that an event is chosen from; the first is the default."""


@dataclass(frozen=True, repr=False)
class Sampled(Finished[SampleReport]):
    """Result of :func:`sample`; exports: text, JSON, CSV, Markdown, a figure."""

    @property
    def verdict(self) -> SampleVerdict:
        """Verdict of the audit."""
        return self.report.verdict

    def figure(self) -> Figure:
        """Return the frequencies of the event, or the comparisons, with their bounds."""
        from dpaudit.questions.sample.figure import plot_sample

        return plot_sample([self.report])


def sample(
    name: str | Callable[..., Any],
    *,
    n: int | None = None,
    draws: object = 10**6,
    error: Number = "1e-9",
    budget: Number | Sequence[Number] | None = None,
    against: str | Mechanism[Any] | None = None,
    seed: int = 0,
    jobs: int = 1,
    digits: int = DEFAULT_DIGITS,
    sequential: bool = False,
    events: str = EVENTS[0],
    resume: SampleReport | None = None,
    **parameters: object,
) -> Sampled:
    """Draw from a sampler, and test if the draws contradict its budget or a mechanism.

    Args:
        name: a sampler made with :func:`dpaudit.sampler`, or its ``path.py:name`` or
            ``module:name``; or a plain function of a dataset, with its datasets as ``inputs`` (and
            ``neighbours``); or ``command prog {data} {draws} {seed}``, a command that prints one
            output on each line, with its datasets as ``inputs``.
        n: the size; needed where the datasets depend on one.
        draws: largest number of draws of each dataset; the first part of them chooses the event
            that the rest are counted for.
        error: largest probability that a verdict ``exceeds`` or ``differs`` is wrong.
        budget: ε, or (ε, δ); by default what the sampler states.
        against: a mechanism; the draws are compared with its output distribution.
        seed: seed of the draws.
        jobs: number of processes that draw.
        digits: number of significant digits of lower bounds, at most 12; bounds are rounded down.
        sequential: True to stop as soon as the draws contradict the budget; the bound is valid
            whenever it stops.
        events: ``features`` for events about features of the outputs; ``learned`` for events about
            scores that scikit-learn learns as well (``pip install "dpaudit[learn]"``).
        resume: the report of an earlier run with the same settings. A stopped run goes on; with
            ``sequential`` a finished one too, if ``draws`` is larger. Any other finished report is
            returned as it is.
        parameters: parameters of the sampler.

    Returns:
        The report; its verdict is ``exceeds``, ``not refuted``, ``too few draws``, ``vacuous``, or
        with ``against`` ``conforms`` or ``differs``.  It is never ``within``.

    Raises:
        UsageError: for bad input; the message says what is allowed.
        LawError: if draws repeat.

    >>> import numpy as np
    >>> from dpaudit.sampling.sampler import sampler
    >>> @sampler(datasets=[0, 1], neighbours="all", budget="1/10")
    ... def respond(answer, size, rng):
    ...     return np.where(rng.integers(4, size=size) < 3, answer, 1 - answer)
    >>> print(sample(respond, draws=10_000).verdict.value)
    exceeds
    """
    subject, asked = prepare(
        name,
        n=n,
        draws=draws,
        error=error,
        budget=budget,
        against=against,
        seed=seed,
        jobs=jobs,
        digits=digits,
        sequential=sequential,
        events=events,
        resume=resume,
        **parameters,
    )
    return Sampled(run_sample(subject, asked))


def prepare(
    name: str | Callable[..., Any],
    *,
    n: int | None,
    draws: object,
    error: Number,
    budget: Number | Sequence[Number] | None,
    against: str | Mechanism[Any] | None,
    seed: int,
    jobs: int,
    digits: int,
    sequential: bool = False,
    events: str = EVENTS[0],
    resume: SampleReport | None = None,
    **parameters: object,
) -> tuple[Sampler, SamplerSettings]:
    """Return the sampler and what is asked of it; the arguments are those of :func:`sample`."""
    found = _sampler(name, parameters)
    if n is None and found.default_size is None:
        raise SizeError(f"the datasets of {found.name} depend on their size; give --n N")
    size = n if n is not None else 1
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= LARGEST_N:
        raise SizeError(f"n = {size}: must be one whole number from 1 to {LARGEST_N}")
    probability = read_number(error, "error")
    if not (
        order(probability, real(0)) is Sign.POSITIVE
        and order(probability, real("1/2")) is Sign.NEGATIVE
    ):
        raise DomainError("error", error, "must be above 0 and below 1/2")
    if order(probability, real("1e-30")) is Sign.NEGATIVE:
        raise DomainError("error", error, "must be at least 1e-30")
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise DomainError("digits", digits, f"must be a whole number from 1 to {MOST_DIGITS}")
    law = find_mechanism(against).build({}) if isinstance(against, str) else against
    if sequential and law is not None:
        raise ParameterError(
            "sequential",
            "sequential: a comparison with against never stops early; leave sequential out",
        )
    if events not in EVENTS:
        raise ParameterError("events", f"events = {events}: must be {' or '.join(EVENTS)}")
    learned = events == "learned"
    if learned and law is not None:
        raise ParameterError(
            "events", "events = learned: a comparison with against uses no events; leave events out"
        )
    if budget is not None and law is not None:
        raise ParameterError(
            "budget",
            "budget: the sampler is compared either with a budget or with against; give one of "
            "them",
        )
    if isinstance(law, Sampler):
        raise ParameterError(
            "against",
            f"against = {law.name}: it is a sampler, so dpaudit has no output distribution to "
            "compare with; name a mechanism",
        )
    stated = read_budget(budget) if budget is not None else found.stated
    return found, SamplerSettings(
        *(size, read_draws(draws), probability, check_seed(seed), stated, check_jobs(jobs), law),
        digits,
        sequential,
        library() if learned else "",
        resume,
    )


def _sampler(name: str | Callable[..., Any], parameters: Mapping[str, object]) -> Sampler:
    """Return the sampler of a name, or of a plain function with its inputs."""
    if callable(name) and not isinstance(name, Mechanism) and "inputs" in parameters:
        return of_function(name, parameters, function_sampler)
    found = find_mechanism(name).build(own_parameters(parameters))
    if not isinstance(found, Sampler):
        raise LoadError(
            name if isinstance(name, str) else found.name,
            "it is not a sampler, and its output distribution is known; audit it with dpaudit "
            "check, or draw from it with @dpaudit.sampler",
        )
    return found


def read_draws(given: object) -> int:
    """Return a number of draws; ``ParameterError`` for what is none."""
    number = real(str(given)).as_fraction() if not isinstance(given, bool) else None
    if number is None or number.denominator != 1 or not 1 <= number <= MOST_DRAWS:
        raise ParameterError(
            "draws", f"draws = {given}: must be a whole number from 1 to {MOST_DRAWS}"
        )
    return int(number)
