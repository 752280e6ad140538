"""dp-accounting's curves beside a certified account, for its figure: floats, and no more."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dpaudit.audit.estimate import grid_bytes
from dpaudit.audit.plan import Pairs
from dpaudit.laws.shifted import GaussianDivergence, LaplaceDivergence
from dpaudit.machine import available
from dpaudit.numbers.ball import precision, upper_fraction
from dpaudit.questions.account.export import accounting_plan, library, pair_distribution
from dpaudit.report.views import view_of
from dpaudit.results import CertifiedAccount, EpsilonRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.laws.law import Divergence
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["estimated_curves", "plot"]

_PLACES = 60
_BITS = 160

Curve = tuple[list[float], list[float]]


def estimated_curves(
    subject: Mechanism[Any], account: CertifiedAccount, step: float
) -> dict[str, Curve]:
    """Return ε and δ of dp-accounting's two estimates, by their names; none where there are none.

    Args:
        subject: the mechanism.
        account: its account; estimates are of the worst pair of its first row.
        step: the step of dp-accounting's grid of losses.
    """
    if find_spec("dp_accounting") is None or account.then or not account.rows:
        return {}
    ends = [
        row.epsilon.upper if isinstance(row, EpsilonRow) else float(row.epsilon)
        for row in account.rows
    ]
    last = max((float(end) for end in ends if float(end) < float("inf")), default=0.0)
    places = [last * place / _PLACES for place in range(_PLACES + 1)]
    found: dict[str, Curve] = {}
    for name, pessimistic in (("pessimistic", True), ("optimistic", False)):
        try:
            made = _distribution(subject, account, step, last, pessimistic=pessimistic)
            if made is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    whole = made.self_compose(account.compose)
                    deltas = [float(whole.get_delta_for_epsilon(place)) for place in places]
                found[f"dp-accounting, {name}"] = places, deltas
        except (ArithmeticError, ValueError, MemoryError):  # whatever it cannot say is not drawn
            continue
    return found


def plot(subject: Mechanism[Any], accounts: Sequence[CertifiedAccount], step: float | None) -> Any:
    """Return the figure of accounts, with dp-accounting's curves beside one; no step, no curves."""
    view = view_of(accounts[0])
    if step is None or len(accounts) > 1:
        return view.plot(accounts)
    return view.plot(accounts, estimated_curves(subject, accounts[0], step))


def _distribution(
    subject: Mechanism[Any],
    account: CertifiedAccount,
    step: float,
    last: float,
    *,
    pessimistic: bool,
) -> Any:
    """Return dp-accounting's distribution of one run; None where there is none, or no room."""
    row = account.rows[0]
    with precision(_BITS):
        x, y = (row.x, row.y) if row.x is not None else _any_pair(subject, account)
        laws = subject.laws()
        divergence: Divergence = laws.law(x).divergence_from(laws.law(y))
        most = divergence.max_loss(forward=True).ball
    losses = 4 * last / account.compose  # of what has no largest
    if most.is_finite():
        losses = min(losses, float(upper_fraction(most))) if losses else float(most)
    if grid_bytes(losses, account.compose, step) > available():
        return None
    options = {"value_discretization_interval": step, "pessimistic_estimate": pessimistic}
    if account.sample_rate is not None:
        options["sampling_prob"] = float(account.sample_rate)
    if isinstance(divergence, GaussianDivergence):
        return library().from_gaussian_mechanism(1 / float(divergence.shift), **options)
    if isinstance(divergence, LaplaceDivergence):
        return library().from_laplace_mechanism(1 / float(divergence.shift), **options)
    with precision(_BITS):
        return pair_distribution(divergence, step, pessimistic=pessimistic)


def _any_pair(subject: Mechanism[Any], account: CertifiedAccount) -> Sequence[Any]:
    """Return neighbours, which for continuous noise are all alike."""
    plan = accounting_plan(subject, adjacency=account.adjacency)
    return next(iter(Pairs(subject, account.n, plan)))
