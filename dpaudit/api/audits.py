"""``dpaudit.check``, ``dpaudit.curve`` and ``dpaudit.tradeoff`` compose the whole pipeline.

exact numbers → mechanism → sizes and plan → sweep over all pairs → typed result → report

The Python interface to other notions of privacy: ``dpaudit.check_notion``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dpaudit import results
from dpaudit.api.finished import Audited, Judged, Sizes, swept
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit import curve as curve_measure
from dpaudit.audit.certify import EpsilonDelta, with_epsilon_at
from dpaudit.audit.plan import DEFAULT_DIGITS, DEFAULT_TYPE_ONE, ENGINES, sizes_of
from dpaudit.notions.measure import ask
from dpaudit.notions.tradeoff_sweep import Tradeoffs as TradeoffMeasure
from dpaudit.notions.tradeoff_sweep import read_type_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.audit.curve import CertifiedCurve
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = [
    "Check",
    "Curves",
    "NotionCheck",
    "Tradeoffs",
    "check",
    "check_notion",
    "curve",
    "tradeoff",
]


class Check(Audited[results.Audit, results.SizeResult]):
    """A finished audit with its ways out: tables, JSON, the figure of realised ε against n.

    For an audit of one size, :attr:`epsilon`, :attr:`delta` and :attr:`witness` are that size's.
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
        """The realised δ of the only size, at the ε of the budget; None where there is none."""
        return self.only.delta

    @property
    def delta_held(self) -> results.DeltaAt:
        """The same δ; ``ValueError`` where there is no budget."""
        return self.only.delta_held

    @property
    def witness(self) -> results.Witness:
        """The worst pair and output of the only size."""
        return self.only.witness


class Curves(Sizes[results.CurveReport, results.PrivacyCurve]):
    """Finished privacy curves with their ways out: tables, JSON, the figure of δ(ε)."""

    @property
    def curves(self) -> tuple[CertifiedCurve, ...]:
        """One curve for each size, in increasing order of n; ask them for ``.delta(ε, digits)``."""
        return cast("tuple[CertifiedCurve, ...]", self.results)


class Tradeoffs(Sizes[results.TradeoffReport, results.Tradeoff]):
    """Finished trade-off functions with their ways out: tables, JSON, the figure."""


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
) -> Check:
    """Audit a mechanism at one or more sizes, over every neighbouring pair.

    Args:
        name: a mechanism's name (built in, ``path.py:name``, ``module:name`` or an entry point), a
            mechanism (then no ``parameters``), or a function of a dataset alone that calls random
            functions by itself.  A function is given ``inputs``, its datasets, and may be given
            ``neighbours``, as in :func:`dpaudit.program`, and ``only``: ``"as-run"`` for the law of
            its floats, ``"ideal"`` for that of its formula, by default the first that is found.
        n: a size, sizes, or text like ``"10..180..10"``; it may be left out for a mechanism whose
            datasets do not depend on it.
        budget: ε in nats, or (ε, δ), for the verdict; by default what the mechanism states.  Where
            it states nothing, there is no verdict.
        at_eps: further ε at which δ(ε) is wanted; without a budget by default 1/2, 1 and 2.
        at_delta: the δ at which the smallest ε is wanted; without a budget, at one size that is
            audited fast, by default 10⁻⁵.
        adjacency: which datasets are neighbours, by default the mechanism's own relation:
            ``"histogram-substitution"`` or ``"histogram-add-remove"``, for query vectors
            ``"unit-moves"``, ``"unit-moves-one-sign"`` or ``"patterns"``; for a mechanism of a
            user's that names none, one of :data:`dpaudit.data.neighbouring.RELATIONS`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: how many processes share the work; the result does not depend on it.
        engine: ``"screen"`` looks at all pairs in floats with proved bounds, where the mechanism
            has such laws, and at what they leave in balls; ``"ball"`` uses balls throughout.  The
            findings are the same.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The audit: ``.verdict``, and of each size the realised ε in nats, the realised δ at the ε of
        the budget, and the witness.  Without a budget, ``.verdict`` and that δ are None, and
        ``.audit.enclosed`` tells whether the realised ε of every size is known.

    Raises:
        UsageError: for anything that is not allowed, saying what is.

    A size at which a quantity cannot be enclosed at the precision cap has no result; it is listed
    in ``.audit.undecided``, and the verdict is undecided.

    >>> found = check("EHDS", n=10, eps="0.8")
    >>> print(found.verdict.value, found.epsilon)
    within [0.254484628194758, 0.254484628194759]
    >>> print(found.witness.x, found.witness.y, found.witness.output)
    (0, 10) (1, 9) (0, 10)
    """
    asked: dict[str, Any] = {"budget": budget, "at_eps": at_eps, "adjacency": adjacency, "at": at}
    asked |= {"digits": digits, "engine": engine}
    asked["at_delta"] = at_delta
    subject = chosen(name, parameters, n=n, jobs=jobs, **asked)
    plan = make_plan(subject, held="if stated", **asked)
    sizes = sizes_of(subject, n)
    if not at_eps:
        plan = with_epsilon_at(subject, sizes, plan)
    return Check(swept(EpsilonDelta(), subject, sizes, plan, jobs))


def curve(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    budget: Number | Sequence[Number] | None = None,
    at_eps: Iterable[Number] = (),
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Curves:
    """Return the whole privacy curve (privacy profile) ε ↦ δ(ε) at one or more sizes.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None for the one size of a mechanism whose
            datasets do not depend on it.
        budget: ε in nats, or (ε, δ); its ε is one at which δ is reported.  By default what the
            mechanism states, if anything.
        at_eps: further ε at which δ(ε) is reported, without a budget by default 1/2, 1 and 2; ask
            ``.curves`` for any other.
        adjacency: which datasets are neighbours, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: how many processes share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"``, as for :func:`check`.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The curves: ``.curves`` has one for each size, each with ``.delta(ε, digits)``.

    Raises:
        UsageError: for anything that is not allowed, saying what is.

    >>> from dpaudit.numbers.real import real
    >>> (found,) = curve("LSHist", n=10).curves
    >>> print(found.delta(real("1/2"), 9).value)
    [0.129590889659, 0.129590889660]
    """
    asked: dict[str, Any] = {"budget": budget, "at_eps": at_eps, "adjacency": adjacency, "at": at}
    asked |= {"digits": digits, "engine": engine}
    subject = chosen(name, parameters, n=n, jobs=jobs, **asked)
    plan = make_plan(subject, held="if stated", **asked)
    return Curves(swept(curve_measure.Curves(), subject, sizes_of(subject, n), plan, jobs))


def tradeoff(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None = None,
    *,
    at_type_one: Iterable[Number] | str = DEFAULT_TYPE_ONE,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Tradeoffs:
    """Return the trade-off function at one or more sizes, and the smallest μ of a Gaussian below.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None for the one size of a mechanism whose
            datasets do not depend on it.
        at_type_one: type I errors, rational from 0 to 1, at which the smallest type II error is
            wanted.
        adjacency: which datasets are neighbours, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: how many processes share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"``, as for :func:`check`.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The functions: ``.results`` has one for each size, with μ and the errors asked for.

    Raises:
        UsageError: for anything that is not allowed, saying what is.

    >>> found = tradeoff("LSHist", n=10, at_type_one=["1/2"]).results[0]
    >>> print(found.mu, found.values[0].type_one)
    [0.756534218950067, 0.756534218950068] 1/2
    """
    wanted = read_type_one(at_type_one)
    asked: dict[str, Any] = {"adjacency": adjacency, "at": at, "digits": digits, "engine": engine}
    subject = chosen(name, parameters, n=n, jobs=jobs, **asked)
    plan = make_plan(subject, held="never", **asked)
    return Tradeoffs(swept(TradeoffMeasure(wanted), subject, sizes_of(subject, n), plan, jobs))


class NotionCheck(
    Audited[results.MeasuredAudit, results.MeasuredSize],
    Judged[results.MeasuredAudit, results.MeasuredSize],
):
    """A finished audit in a notion of privacy, with its ways out: tables, JSON, the figure.

    For an audit of one size, :attr:`value` and :attr:`witness` are that size's.
    """

    @property
    def value(self) -> results.Enclosure:
        """Value of the measure at the only size."""
        return self.only.value

    @property
    def witness(self) -> results.MeasuredWitness:
        """The worst pair of the only size."""
        return self.only.witness


def check_notion(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None,
    notion: str,
    *,
    order: Number | None = None,
    budget: Number | Sequence[Number] | None = None,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    **parameters: object,
) -> NotionCheck:
    """Audit a mechanism in the ``notion`` pure, approximate, renyi, zcdp, gdp, kl or tv.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None for the one size of a mechanism whose
            datasets do not depend on it.
        notion: one of those, or a word of the field's: rdp, cdp, gaussian.
        order: the α of renyi; 1 and ``"inf"`` stand for the limits.
        budget: in the notion (a divergence in nats, ρ, μ, a distance); by default what the stated ε
            implies.
        adjacency: which datasets are neighbours, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: how many processes share the work; the result does not depend on it.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The audit: ``.verdict``, and of each size the value in the notion with its witness.

    Raises:
        UsageError: for anything that is not allowed, saying what is.

    >>> found = check_notion("NotesLaplace", 10, "zcdp", budget="1/8")
    >>> print(found.verdict.value, found.value.exact, found.witness.order)
    within 1/5 - exp(-2/5)/5 1
    """
    asked: dict[str, Any] = {"adjacency": adjacency, "at": at, "digits": digits}
    held: dict[str, Any] = {"order": order, "budget": budget}
    subject = chosen(name, parameters, n=n, notion=notion, jobs=jobs, **asked, **held)
    question = ask(subject, notion, **held)
    plan = make_plan(subject, held="never", **asked)  # the budget is the measure's
    return NotionCheck(swept(question, subject, sizes_of(subject, n), plan, jobs))
