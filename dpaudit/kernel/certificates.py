"""Certificates of privacy that a checker of a hundred lines accepts, in whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.measure import described
from dpaudit.errors import ParameterError
from dpaudit.kernel.certificate_checker import check
from dpaudit.kernel.exact_laws import exact_laws
from dpaudit.results import Certificate
from dpaudit.results.documents import as_document, encode, value_text
from dpaudit.version import __version__

if TYPE_CHECKING:
    from fractions import Fraction

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real

__all__ = ["certificate"]


def certificate(mechanism: Mechanism[Any], n: int, plan: Plan) -> bytes | None:
    """Return the certificate that ``mechanism`` keeps a budget at one size, as it is written.

    None where the checker does not accept it: the budget is exceeded, or a sign is not decided.

    Args:
        mechanism: the mechanism.
        n: the size.
        plan: the neighbouring relation, and the budget that is certified: ε is rational or the
            logarithm of a rational, δ is rational.

    Raises:
        ParameterError: for laws with Γ, π or roots, for other budgets, and for none.
    """
    budget = plan.held_to
    laws = exact_laws(mechanism, n, plan.adjacency, budget.epsilon)
    multiple = laws.multiple(budget.epsilon)
    delta = budget.delta.as_fraction()
    if delta is None:
        raise ParameterError("budget", f"δ = {budget.delta}: a certificate needs a rational δ")
    found = Certificate(
        schema="dpaudit.certificate/1",
        version=__version__,
        described=described(mechanism),
        adjacency=laws.adjacency,
        n=n,
        epsilon=_epsilon(budget.epsilon),
        delta=str(delta),
        rate=str(laws.rate or 0),
        multiple=str(multiple.value),
        power=multiple.power,
        datasets=tuple(map(value_text, laws.datasets)),
        outputs=tuple(map(value_text, laws.outputs)),
        totals=tuple(tuple(map(str, total)) for total in laws.totals),
        weights=tuple(tuple(tuple(map(str, p)) for p in row) for row in laws.weights),
        pairs=laws.pairs,
    )
    try:
        check(as_document(found))
    except ValueError:
        return None
    return encode(found)


def _epsilon(epsilon: Real) -> dict[Any, str]:
    """Return ε in a form that the checker reads."""
    plain: Fraction | None = epsilon.as_fraction()
    if plain is not None:
        return {"rational": str(plain)}
    power: Fraction | None = epsilon.exp().as_fraction()
    if power is not None:
        return {"logarithm": str(power)}
    raise ParameterError(
        "budget", f"ε = {epsilon}: a certificate needs a rational ε, or the logarithm of a rational"
    )
