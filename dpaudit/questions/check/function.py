"""An audit in ε and δ as a function: ``dpaudit.check`` composes the whole pipeline.

exact numbers → mechanism → sizes and plan → sweep over all pairs → typed result → report
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast, overload

from dpaudit import results
from dpaudit.api.finished import Audited, swept
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit.certify import EpsilonDelta, with_epsilon_at
from dpaudit.audit.plan import DEFAULT_DIGITS, ENGINES, sizes_of
from dpaudit.errors import LawError
from dpaudit.subjects import DRAWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.questions.sample.function import Sampled


__all__ = ["Check", "check"]


class Check(Audited[results.Audit, results.SizeResult]):
    """Result of :func:`check`: the realised ε of each size, with the pair and output that reach it.

    It can be exported as tables, JSON and a figure of the realised ε over n. For a single size,
    :attr:`epsilon`, :attr:`delta` and :attr:`witness` are its results; for several sizes they raise
    ``ValueError``, so read ``.results``.
    """

    @property
    def verdict(self) -> results.Verdict | None:
        """The worst verdict of all sizes; None where no budget is stated or given."""
        return self.report.verdict

    @property
    def epsilon(self) -> results.Enclosure:
        """The realised ε of the only size."""
        return self.only.epsilon

    @property
    def delta(self) -> results.DeltaAt | None:
        """The realised δ of the only size, at the ε of the budget; None without a budget."""
        return self.only.delta

    @property
    def delta_held(self) -> results.DeltaAt:
        """The same δ as :attr:`delta`; ``ValueError`` without a budget."""
        return self.only.delta_held

    @property
    def witness(self) -> results.Witness:
        """The worst pair and output of the only size."""
        return self.only.witness


@overload
def check(
    name: str | Mechanism[Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    at_delta: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Check: ...


@overload
def check(
    name: str | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    at_delta: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Check | Sampled: ...


def check(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    at_delta: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Check | Sampled:
    """Audit a mechanism at one or more sizes, over every pair of neighbouring datasets.

    Args:
        name: a mechanism's name (built in, ``path.py:name``, ``module:name`` or an entry point), a
            mechanism (then no ``parameters``), or a function of a dataset alone that calls random
            functions by itself.  For a function, give ``inputs``, its datasets, and
            ``neighbours`` if there are three or more that are not all texts; you may also give
            ``only``, its reading: ``"as-run"``
            with its floats, ``"ideal"`` with exact noise and real numbers, ``"drawn"`` for draws
            alone; by default the first of these, in this order, that works.
        n: a size, sizes, or text like ``"10..180..10"``; it may be left out for a mechanism whose
            datasets do not depend on it.
        budget: ε in nats, or (ε, δ), for the verdict; by default what the mechanism states.  Where
            it states nothing, there is no verdict.
        at_eps: also report δ(ε) at these ε; without a budget by default 1/2, 1 and 2.
        at_delta: also report the smallest ε at these δ; by default 10⁻⁵, if there is no budget and
            a single size that is audited fast.
        adjacency: the neighbouring relation, by default the mechanism's own:
            ``"histogram-substitution"`` or ``"histogram-add-remove"``; for query vectors
            ``"unit-moves"``, ``"unit-moves-one-sign"`` or ``"patterns"``; for your own mechanism
            that names none, one of :data:`dpaudit.data.neighbouring.RELATIONS`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        engine: ``"screen"`` first rules out pairs with fast floats that have proved error bounds,
            where the mechanism allows it, and audits the rest with interval arithmetic; ``"ball"``
            uses interval arithmetic throughout. Both give the same result.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The audit: ``.verdict``, and for each size the realised ε in nats, the realised δ at the ε
        of the budget, and the witness.  Without a budget, ``.verdict`` and that δ are None, and
        ``.audit.enclosed`` is True if the realised ε of every size is known.

        If dpaudit cannot derive the output distribution of a function, and there is a budget, the
        result is that of :func:`dpaudit.sample` with 100,000 draws of each input, or fewer where
        draws are slow: lower bounds, and a verdict that is never ``within``. ``.report.no_law``
        gives the reason.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    If some value of a size has no narrow interval even at the precision cap, the size has no
    result. It is then listed in ``.audit.undecided``, and the verdict is undecided.

    >>> found = check("EHDS", n=10, eps="0.8")
    >>> print(found.verdict.value, found.epsilon)
    within [0.254484628194758, 0.254484628194759]
    >>> print(found.witness.x, found.witness.y, found.witness.output)
    (0, 10) (1, 9) (0, 10)
    """
    asked: dict[str, Any] = {"budget": budget, "at_eps": at_eps, "adjacency": adjacency, "at": at}
    asked |= {"at_delta": at_delta}
    if isinstance(parameters.get("inputs"), Iterator):  # which a second reading would not have
        parameters["inputs"] = list(cast("Iterator[object]", parameters["inputs"]))
    if parameters.get("only") == DRAWN:
        return _drawn(name, None, parameters, asked)
    try:
        return _audited(name, n, parameters, jobs, {**asked, "digits": digits, "engine": engine})
    except LawError as refused:
        return _drawn(name, refused, parameters, asked)


def _drawn(
    name: str | Mechanism[Any] | Callable[..., Any],
    refused: LawError | None,
    parameters: dict[str, object],
    asked: dict[str, Any],
) -> Sampled:
    from dpaudit.questions.check.drawn import prepared  # which audits of laws do not need
    from dpaudit.questions.sample.function import Sampled
    from dpaudit.sampling.run import run_sample

    return Sampled(run_sample(*prepared(name, parameters, refused, **asked)))


def _audited(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None,
    parameters: dict[str, object],
    jobs: int,
    asked: dict[str, Any],
) -> Check:
    subject = chosen(name, parameters, n=n, jobs=jobs, **asked)
    plan = make_plan(subject, held="if stated", **asked)
    sizes = sizes_of(subject, n)
    if not asked["at_eps"]:
        plan = with_epsilon_at(subject, sizes, plan)
    return Check(swept(EpsilonDelta(), subject, sizes, plan, jobs))
