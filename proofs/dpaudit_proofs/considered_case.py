"""The case of :mod:`dpaudit_proofs.local_case` in numbers: prior (1,3,2), one record."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.claim import Claim
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import ball, maximum
from dpaudit_proofs.definitions import number, posterior_distance
from dpaudit_proofs.typed_refuted import REFUTED
from dpaudit_proofs.typed_steps import EM_LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dpaudit_proofs.exponential_privacy import Counts, Margin

__all__ = ["THE_CASE", "WHERE", "Considered", "X", "Y", "Z", "considered", "step"]

PRIOR = (Fraction(1), Fraction(3), Fraction(2))
EPSILON = Fraction(4, 5)
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
"""A pair x, y for which the case occurs, and the third candidate; r = x."""

THE_CASE = (
    "neighbours x, y and r ∈ R with s_y < s_x, r = argmax u(x, ·) = argmin u(y, ·), "
    "s_y = u(x, r) − u(y, r); any prior, n, k, ε > 0"
)
WHERE = {"prior": "(1,3,2)", "n": "1", "ε": "4/5", "x = r": "(1,0,0)", "y": "(0,1,0)"}


class Considered:
    """The numbers of the case at ``PRIOR``, in balls or in mpmath, whichever it is given."""

    def __init__(
        self,
        distance: Callable[[Counts, Counts], Any],
        epsilon: Any,
        largest: Callable[[Iterable[Any]], Any],
        exp: Callable[[Any], Any],
        log: Callable[[Any], Any],
    ) -> None:
        """Take H, ε, the maximum, exp and log of the arithmetic in use."""
        self.distance, self.epsilon, self.exp, self.log = distance, epsilon, exp, log
        self.sx = largest([distance(X, Y), distance(X, Z)])
        self.sy = largest([distance(Y, X), distance(Y, Z)])

    def log_sum(self, exponent: Callable[[Any, Any], Any]) -> Any:
        """Return ln Σ over r′ of exp(ε/2·exponent(u(x, r′), u(y, r′)))."""
        utilities = [(-self.distance(X, r), -self.distance(Y, r)) for r in (X, Y, Z)]
        return self.log(sum(self.exp(self.epsilon / 2 * exponent(*pair)) for pair in utilities))

    @property
    def loss(self) -> Any:
        """ln(P_x(r)/P_y(r)) at r = x, from the quotient of sums that D prints."""
        top = self.log_sum(lambda _, uy: uy / self.sy)
        return top - self.log_sum(lambda ux, _: -self.sy / self.sy + ux / self.sx)

    @property
    def replaced(self) -> Any:
        """The logarithm of what D puts below it: s_x in all of the numerator, s_y below."""
        top = self.log_sum(lambda _, uy: uy / self.sx)
        return top - self.log_sum(lambda ux, _: (-self.sy + ux) / self.sy)


def considered(quantity: Callable[[Considered], Any]) -> Margin:
    """Return ``quantity`` of the case in balls and in mpmath."""

    def margin() -> Any:
        metric = HellingerMetric(PRIOR)
        return quantity(
            Considered(metric.between, ball(EPSILON), maximum, lambda v: v.exp(), lambda v: v.log())
        )

    def again() -> Any:
        from mpmath import exp, log

        def distance(x: Counts, y: Counts) -> Any:
            return posterior_distance(PRIOR, x, y)

        return quantity(Considered(distance, number(EPSILON), max, exp, log))

    return margin, again


def step(number_: int, place: str, **fields: Any) -> Claim:
    """Return a step of the printed argument, in the case unless ``fields`` says otherwise."""
    name = f"em-local-step-{number_}"
    return Claim(
        id=name,
        source=f"D, E §1.2.2, {place}",
        step_of="em-local-not-dp",
        **{"domain": THE_CASE, **EM_LOCAL.get(number_, {}), **REFUTED.get(name, {}), **fields},
    )
