"""The Python interface of hunts: ``dpaudit.hunt`` searches for where a mechanism is least private.

ranges → search over the float screen → certified audit of the worst point → typed result → report
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.api.plans import check_words, make_plan, own_parameters
from dpaudit.audit.plan import DEFAULT_DIGITS, ENGINES, read_sizes
from dpaudit.errors import DomainError, SizeError
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.mechanisms.parameters import read_number
from dpaudit.questions.hunt.family import Family, read_ranges
from dpaudit.questions.hunt.global_search import Limits
from dpaudit.questions.hunt.run import run_hunt
from dpaudit.results import Budget, HuntReport, HuntVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.questions.hunt.result import HuntResult, Worst


__all__ = ["MAX_EVALUATIONS", "Hunt", "hunt", "prepare", "read_limits"]

MAX_EVALUATIONS = 10**6
_MAX_SECONDS = 10**7
_MAX_SEED = 2**63


@dataclass(frozen=True, repr=False)
class Hunt(Finished[HuntReport]):
    """Result of :func:`hunt`: the worst point; exports: text, JSON, CSV, a figure."""

    result: HuntResult
    """The whole result, with every point that was evaluated."""

    @property
    def finding(self) -> HuntVerdict:
        """Verdict of the hunt."""
        return self.result.finding

    verdict = finding

    @property
    def worst(self) -> Worst | None:
        """The worst point found, with its certified audit."""
        return self.result.worst

    def rendered(self, form: str) -> str:
        """Return the report as ``text``, ``json``, ``csv`` or ``markdown``; CSV has every point."""
        from dpaudit.report.render import render

        found = self.result.points if form == "csv" else self.report
        return render([found], form).decode()

    def figure(self) -> Figure:
        """Return the figure: the ratio to the budget over the searched parameters."""
        from dpaudit.questions.hunt.figure import plot_landscape

        return plot_landscape(self.result)


def hunt(
    name: str | Callable[..., Mechanism[Any]],
    over: Mapping[str, object] | Iterable[str],
    *,
    n: int | None = None,
    k: int | None = None,
    budget: Number | Sequence[Number] | None = None,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    engine: str = ENGINES[0],
    seed: int = 0,
    evaluations: int = 1000,
    time_cap: float = 60,
    **parameters: object,
) -> Hunt:
    """Search parameters of a mechanism for the largest ratio of realised ε, or δ, to its budget.

    Args:
        name: a mechanism's name, ``package.module:name`` or ``path.py:name``, or a ``Mechanism``
            class or a function that makes a mechanism from its parameters.
        over: the parameters to search: ``{"prior": "1/100..1", "n": "2..300", "gs": ["quoted"]}``,
            or texts like ``"n=2..300"``. Ranges contain every rational between their ends, but only
            whole numbers for ``n`` and ``k``; ``FIRST..LAST..STEP`` goes in steps.  A single number
            for the prior means a symmetric prior over the k categories.
        n: the size, unless it is searched.
        k: the number of categories, unless it is searched or follows from the prior.
        budget: ε, or (ε, δ); by default what each mechanism states, or its own ε.  With δ > 0 the
            ratio is realised δ at the budget's ε over the budget's δ.
        adjacency: as for :func:`dpaudit.check`, like ``at``, ``digits`` and ``engine``.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        digits: intervals of the certified audit are at most 10^−digits wide.
        engine: ``"screen"``, or ``"ball"`` for a search without floats.
        seed: seed of the search; the same seed gives the same result.
        evaluations: largest number of points to evaluate.
        time_cap: time cap of the search in seconds; points expected to take longer are skipped.
        parameters: the parameters that are not searched.

    Returns:
        The hunt: ``.verdict``, and ``.worst`` with its certified audit and the command for it.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    Every evaluation is a proved lower bound, and the worst point is audited in full. Finding no
    violation proves nothing, because not every point is tried.

    >>> found = hunt("EHD", {"prior": "1/20..1", "n": "2..12"}, eps="0.8", evaluations=100)
    >>> found.finding.value, found.worst.replay
    ('exceeds', 'dpaudit check EHD --n 5 --eps 4/5 --prior 1/20,1/20 --gs quoted')
    """
    return prepare(
        name,
        over,
        n=n,
        k=k,
        budget=budget,
        adjacency=adjacency,
        at=at,
        digits=digits,
        engine=engine,
        seed=seed,
        evaluations=evaluations,
        time_cap=time_cap,
        **parameters,
    )(lambda evaluated, worst: None)


def prepare(
    name: str | Callable[..., Mechanism[Any]],
    over: Mapping[str, object] | Iterable[str],
    *,
    n: int | None = None,
    k: int | None = None,
    budget: Number | Sequence[Number] | None = None,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    engine: str = ENGINES[0],
    seed: int = 0,
    evaluations: int = 1000,
    time_cap: object = 60,
    **parameters: object,
) -> Callable[[Callable[[int, float], None]], Hunt]:
    """Return the hunt that :func:`hunt` would run, once it is clear that everything is allowed.

    It is told what to call with the number of points looked at and the largest ratio, as it goes.
    """
    dimensions = read_ranges(over)
    limits = read_limits(seed, evaluations, time_cap)
    fixed = _fixed(parameters, n, k)
    words = {"budget": budget, "adjacency": adjacency, "at": at, "digits": digits, "engine": engine}
    subject = find_mechanism(name)
    check_words(subject.reference, subject.parameter_names() or (), words)
    plan = partial(
        make_plan, budget=budget, adjacency=adjacency, at=at, digits=digits, engine=engine
    )
    family = Family.of(subject, dimensions, fixed, plan)
    asked = {
        "adjacency": None if adjacency is None else _relation_name(family, adjacency),
        "at": at if at is None or isinstance(at, str) else ",".join(map(str, at)),
        "digits": None if digits == DEFAULT_DIGITS else str(digits),
        "engine": None if engine == ENGINES[0] else engine,
    }
    options = {option: value for option, value in asked.items() if value is not None}
    given = _budget(family, budget)

    def run(progress: Callable[[int, float], None]) -> Hunt:
        found = run_hunt(family, limits, budget=given, asked=options, progress=progress)
        return Hunt(found.report, found)

    return run


def read_limits(seed: object, evaluations: object, time_cap: object) -> Limits:
    """Return the limits of a search; ``UsageError`` for nonsense."""
    for option, value, least, most in (
        ("seed", seed, 0, _MAX_SEED),
        ("evaluations", evaluations, 1, MAX_EVALUATIONS),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise DomainError(option, value, f"must be a whole number from {least} to {most}")
    assert isinstance(seed, int)
    assert isinstance(evaluations, int)
    try:
        seconds = float(read_number(time_cap, "time-cap"))
    except OverflowError:
        seconds = math.inf
    if not 0 < seconds <= _MAX_SECONDS:
        raise DomainError(
            "time-cap", time_cap, f"must be a number of seconds above 0, up to {_MAX_SECONDS}"
        )
    return Limits(seed, evaluations, seconds)


def _fixed(parameters: dict[str, Any], n: int | None, k: int | None) -> dict[str, object]:
    fixed = own_parameters(parameters)
    if n is not None:
        if isinstance(n, bool) or not isinstance(n, int):
            raise SizeError(f"n = {n}: must be one whole number; to search sizes, give over")
        (fixed["n"],) = read_sizes(n)
    if k is not None:
        fixed["k"] = k
    return fixed


def _relation_name(family: Family, adjacency: str) -> str:
    """Return what the relation that was asked for is called now."""
    corner = tuple(dimension.ends[0] for dimension in family.space.dimensions)
    return family.at(corner).mechanism.adjacency(adjacency).name


def _budget(family: Family, budget: Number | Sequence[Number] | None) -> Budget | None:
    """Return the budget that was given, read exactly."""
    if budget is None:
        return None
    corner = tuple(dimension.ends[0] for dimension in family.space.dimensions)
    return family.at(corner).plan.held_to
