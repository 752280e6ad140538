"""The Python interface of accounts: ``dpaudit.account``, of every question of the command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from dpaudit.api.finished import Finished
from dpaudit.api.plans import chosen, one_or_several
from dpaudit.audit.plan import sizes_of
from dpaudit.errors import ParameterError, SizeError
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.questions.account import report
from dpaudit.questions.account.accountant_curves import plot
from dpaudit.questions.account.certified import DEFAULT_WIDTH, read_runs
from dpaudit.questions.account.comparison import ACCOUNT_DIGITS, Account
from dpaudit.questions.account.comparison import account as comparison
from dpaudit.questions.account.export import DEFAULT_DISCRETISATION, read_discretisation
from dpaudit.questions.account.solving import account_or_plan
from dpaudit.report.render import document_of
from dpaudit.results import CertifiedAccount, Direction, ReportList, Sought, Verdict

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.questions.account.joint import Run


__all__ = ["Accounted", "account"]

SHOWN_BY = (report,)
"""Modules that register the views of accounts when imported."""


@dataclass(frozen=True, repr=False)
class Accounted(Finished[Account | CertifiedAccount | ReportList]):
    """Result of :func:`account`: ε and δ of all runs together.

    It can be exported as text, JSON, CSV, Markdown, data frames or a figure."""

    curves: Callable[[], Any] | None = None
    """Makes the figure of what is certified."""

    def figure(self) -> Any:
        """Return the figure of the certified δ(ε), or of ε over several numbers of runs."""
        return super().figure() if self.curves is None else self.curves()

    @property
    def rows(self) -> tuple[Any, ...]:
        """One row for each requested ε or δ, with the interval, the worst pair and bounds. With
        several numbers of runs, the rows of the first number come first.
        """
        return tuple(row for report in self.reports for row in report.rows)

    @property
    def verdict(self) -> Verdict | None:
        """Verdict on the composition of all runs; None without a budget."""
        return getattr(self.report, "verdict", None)

    @property
    def refused(self) -> tuple[str, ...]:
        """A line for each ε or δ that dpaudit could not compute, with the reason."""
        return tuple(line for report in self.reports for line in report.refused)

    @property
    def complete(self) -> bool:
        """True if every requested interval was certified, and is as narrow as requested."""
        if isinstance(self.report, Account):
            return self.report.complete
        return not any(one.unmet or one.interrupted for one in self.reports)


def account(
    name: str | Mechanism[Any],
    n: int | None = None,
    epsilons: Iterable[Number] = (),
    *,
    compose: int | Sequence[int] = 1,
    at_delta: Number | Iterable[Number] = (),
    at_eps: Number | Iterable[Number] = (),
    budget: Number | Sequence[Number] | None = None,
    sample_rate: Number | None = None,
    direction: Direction = "both",
    width: Number = DEFAULT_WIDTH,
    solve: Sought | None = None,
    then: Sequence[Run] = (),
    discretisation: Number = DEFAULT_DISCRETISATION,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = ACCOUNT_DIGITS,
    estimates: bool = True,
    **parameters: object,
) -> Accounted:
    """Compose runs of a mechanism: certify ε and δ, or compare δ(ε) with dp-accounting.

    With ``at_delta``, ``at_eps`` or ``budget``, ε and δ of all runs on the same data are intervals
    that contain the truth, however many runs there are.  With ``epsilons``, each δ(ε) is compared
    with dp-accounting's estimates for the worst pair and for the dominating pair, at the largest
    float that is not above ε. If dpaudit cannot compute one answer, it still gives the others, and
    a line in ``refused`` gives the reason.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: the size; it may be left out for a mechanism whose datasets do not depend on it.
        epsilons: the ε, in nats, to compare at.
        compose: number of runs on the same data, k ≥ 1; when certifying, also several k.
        at_delta: the δ at which ε of all runs is certified.
        at_eps: the ε, in nats, at which δ of all runs is certified.
        budget: the budget ε, or (ε, δ), of all runs together; adds a verdict.
        sample_rate: each run sees every record with this probability (Poisson).
        direction: the neighbours of runs on samples have one record more, ``"add"``, or less,
            ``"remove"``, or either, ``"both"``.
        width: largest accepted width of an interval of ε; an interval of δ may be 100·width·δ wide.
            A percentage, such as ``"1%"``, is relative to ε, or to δ.
        solve: ``"sigma"``, ``"scale"``, ``"q"`` or ``"steps"``: find the smallest noise, the
            largest sampling rate or the largest number of runs that keeps the ``budget``.
        then: runs of other mechanisms on the same data: ``dpaudit.Run(mechanism, runs, rate)``.
        discretisation: the step of dp-accounting's grid of losses, from 1e-9 to 1.
        adjacency: the neighbouring relation; by default the mechanism's own.
        at: only pairs that contain this dataset, or ``"uniform"`` data.
        digits: intervals of a comparison are at most 10^−digits wide.
        estimates: False to leave out dp-accounting, which then need not be installed.
        parameters: the mechanism's parameters.

    Returns:
        The account: ``.rows`` has one for each ε and δ, ``.verdict`` is about the budget.

    Raises:
        MissingExtraError: if dp-accounting is needed and not installed.
        UsageError: for other bad input; ``TooLargeError`` if the memory does not suffice.
        LawError, PrecisionError: for output distributions that dpaudit cannot compose or enclose.

    >>> found = account("RR", eps="1/2", compose=100, at_delta=["1e-6"], budget=(40, "1e-6"))
    >>> print(found.verdict.value, found.rows[0].epsilon < 34)
    within True
    >>> (row,) = account("LSHist", 10, ["1/2"], estimates=False).rows
    >>> print(row.delta.x, row.delta.value < 0.13)
    (1, 9) True
    """
    certified = {"at_delta": list(one_or_several(at_delta)), "at_eps": list(one_or_several(at_eps))}
    further_runs = list(then) if isinstance(then, Iterable) else [then]
    asked = any(certified.values()) or budget is not None or sample_rate is not None
    asked = asked or solve is not None
    grid = list(epsilons)
    if asked and grid:
        raise ParameterError(
            "epsilons",
            "epsilons only compares with dp-accounting; to certify δ at these ε, give at_eps",
        )
    if further_runs and not asked:
        raise ParameterError("then", "then needs certified intervals; add at_delta or at_eps")
    words = {"n": n, "compose": compose, "adjacency": adjacency, "at": at, "budget": budget}
    subject = chosen(name, parameters, **words)
    sizes = sizes_of(subject, n)
    if len(sizes) != 1:
        raise SizeError(f"n = {n}: an account is for one size; give one number")
    several = isinstance(compose, Iterable) and not isinstance(compose, str)
    listed: Iterable[Any] = cast("Any", compose) if several else [compose]
    steps = [read_runs(runs, "compose") for runs in listed]
    if not steps or (len(steps) > 1 and (solve is not None or not asked)):
        raise ParameterError(
            "compose", "solve starts from one number of runs; give compose a single number"
        )
    if not asked:
        found = comparison(
            subject,
            sizes[0],
            grid,
            compose=steps[0],
            discretisation=discretisation,
            adjacency=adjacency,
            at=at,
            digits=digits,
            estimates=estimates,
        )
        return Accounted(found)
    held = None if budget is None else read_budget(budget)
    further: dict[str, Any] = {
        **certified,
        "sample_rate": sample_rate,
        "direction": direction,
        "width": width,
        "adjacency": adjacency,
        "at": at,
        "then": further_runs,
    }

    def subject_at(value: str | None) -> Mechanism[Any]:
        return subject if value is None else chosen(name, {**parameters, str(solve): value})

    step = read_discretisation(discretisation)
    found_all = [
        account_or_plan(solve, subject_at, sizes[0], runs, held, **further) for runs in steps
    ]
    return Accounted(
        document_of(found_all),
        partial(plot, subject, found_all, step if estimates else None),
    )
