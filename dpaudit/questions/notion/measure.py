"""A notion with the budget that a verdict is about, read from what a user gives.

Where no budget is given, the one that is stated as pure ε implies others for every mechanism that
keeps it.  Every ε-private pair is a post-processing of randomised response (Kairouz, Oh and
Viswanath 2015), so its KL is at most ε·tanh(ε/2), its TV at most tanh(ε/2) and its D_α at most what
randomised response has (Mironov 2017, Prop. 5); and ρ ≤ ε²/2 (Bun and Steinke 2016, Prop. 1.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.measure import Measure, Needs, Progress
from dpaudit.audit.verdicts import check_enclosure, check_pairs, side, standing, with_verdict
from dpaudit.errors import DomainError, ParameterError, nearest
from dpaudit.mechanisms import parameters
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Number, Real, order, real
from dpaudit.questions.notion import closed_forms
from dpaudit.questions.notion import notion as notions
from dpaudit.questions.notion.at_size import measure_size
from dpaudit.results import Budget, MeasuredAudit, MeasuredSize, MeasureName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "MAX_ORDER",
    "NOTIONS",
    "WORDS",
    "NotionMeasure",
    "ask",
    "check_notion_name",
    "notion_name",
]

MAX_ORDER = 10**6
"""Higher orders, and rational ones of a larger denominator, are hardly meant."""

NOTIONS = {
    "pure": "ε: the largest privacy loss",
    "approximate": "δ at the budget's ε",
    "renyi": "Rényi divergence of the order α given by --order",
    "zcdp": "ρ: zero-concentrated privacy, the supremum of D_α/α over all orders α > 1",
    "gdp": "μ: Gaussian privacy, the smallest μ for which the mechanism is μ-GDP",
    "kl": "Kullback-Leibler divergence, in nats",
    "tv": "total variation distance",
}
"""The notions by name."""

WORDS = {
    "pure-dp": "pure",
    "max-divergence": "pure",
    "approximate-dp": "approximate",
    "hockey-stick": "approximate",
    "rdp": "renyi",
    "rényi": "renyi",
    "renyi-dp": "renyi",
    "cdp": "zcdp",
    "concentrated": "zcdp",
    "gaussian": "gdp",
    "gaussian-dp": "gdp",
    "kullback-leibler": "kl",
    "total-variation": "tv",
}
"""The field's words for them."""


@dataclass(frozen=True)
class NotionMeasure(Measure[MeasuredSize, MeasuredAudit]):
    """A notion of privacy, and what it is held to."""

    schema = "dpaudit.notion/1"
    document = MeasuredAudit
    sized = MeasuredSize
    over_sizes = True
    entry_seconds = 4e-5  # measured on one core: a law, its losses and a rough supremum

    notion: notions.Notion
    """Notion of privacy that is measured."""
    budget: Real
    """Largest value of the measure that is allowed."""
    implied: bool = False
    """True if the budget was derived from the mechanism's stated one."""

    @property
    def needs(self) -> Needs:
        bound = self.notion.bound()
        name = "" if bound is None else bound.name
        return Needs(structure=name in ("loss", "delta"), powers=name == "renyi")

    def budget_text(self) -> str:
        """Return the budget as text."""
        return f"{self.notion.label} = {self.budget}"

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> MeasuredSize:
        return measure_size(mechanism, n, plan, self.notion, self.budget, progress=progress)

    def judged(self, result: MeasuredSize, plan: Plan, pairs: int | None) -> MeasuredSize:
        check_enclosure(result.value)
        check_pairs(result, pairs)
        return with_verdict(result, standing(side(result.value, self.budget)))

    def fields(self, plan: Plan, known: dict[str, Any]) -> dict[str, Any]:
        notion = self.notion
        epsilon = notion.epsilon if isinstance(notion, notions.Approximate) else None
        return {
            "notion": MeasureName(notion.name, notion.symbol, notion.order_text, epsilon),
            "budget": self.budget,
            "budget_implied": self.implied,
            "verdict": self.verdict(known),
        }


def ask(
    mechanism: Mechanism[Any] | None,
    notion: str,
    *,
    order: Number | None = None,
    budget: Number | Sequence[Number] | None = None,
) -> NotionMeasure:
    """Return the question of an audit; ``UsageError`` for what makes no sense.

    Args:
        mechanism: what is asked about, for the budget it states; None where ``budget`` is given.
        notion: a name of :data:`NOTIONS`, or a word of the field's for one.
        order: for ``renyi``, α ≥ 1 as a rational number, or ``"inf"``.
        budget: a number; (ε, δ) for ``approximate``; None for what the stated budget implies.
    """
    notion = notion_name(notion)
    check_notion_name(notion, order)
    parts = _parts(budget)
    if notion == "approximate":
        return _approximate(mechanism, parts)
    measured = _notion(notion, order)
    if not parts:
        assert mechanism is not None
        return NotionMeasure(measured, _implied(mechanism, measured), implied=True)
    if len(parts) != 1:
        raise ParameterError("budget", f"budget = {budget}: must be one number for {notion}")
    value = parameters.PositiveParameter("budget", "", "", "").read(parts[0])
    if notion == "tv" and not _at_most_one(value):
        raise DomainError("budget", value, "must be at most 1 for tv")
    return NotionMeasure(measured, value)


def notion_name(word: str) -> str:
    """Return what a notion is called here; unknown names are returned unchanged.

    >>> notion_name("RDP"), notion_name("zCDP"), notion_name("nothing")
    ('renyi', 'zcdp', 'nothing')
    """
    lower = str(word).lower()
    name = WORDS.get(lower, lower)
    return name if name in NOTIONS else word


def check_notion_name(notion: str, order: Number | None) -> None:
    """Raise ``UsageError`` unless there is such a notion, of that order."""
    if notion not in NOTIONS:
        raise ParameterError("notion", f"no notion {notion!r}; {nearest(str(notion), NOTIONS)}")
    if notion == "renyi":
        _renyi(order)
    elif order is not None:
        raise ParameterError(
            "order", f"order = {order}: the notion {notion} has no order; leave it out"
        )


def _parts(budget: Number | Sequence[Number] | None) -> list[Number]:
    return [] if budget is None else list(parameters.budget_parts(budget))


def _approximate(mechanism: Mechanism[Any] | None, parts: list[Number]) -> NotionMeasure:
    if parts and len(parts) != 2:
        raise ParameterError("budget", "budget: for approximate it must be EPS,DELTA")
    if not parts:
        assert mechanism is not None
        stated = _stated(mechanism)
        return NotionMeasure(notions.Approximate(stated.epsilon), stated.delta, implied=True)
    epsilon = parameters.read_number(parts[0], "budget epsilon")
    if epsilon.sign() not in (Sign.ZERO, Sign.POSITIVE):
        raise DomainError("budget epsilon", epsilon, "must be at least 0")
    return NotionMeasure(
        notions.Approximate(epsilon), parameters.read_budget_delta(parts[1], "budget delta")
    )


def _notion(name: str, order: Number | None) -> notions.Notion:
    if name == "renyi":
        return _renyi(order)
    simple: dict[str, type[notions.Notion]] = {
        "pure": notions.Pure,
        "zcdp": notions.Concentrated,
        "gdp": notions.Gaussian,
        "kl": notions.KullbackLeibler,
        "tv": notions.TotalVariation,
    }
    return simple[name]()


def _renyi(requested: Number | None) -> notions.Notion:
    allowed = f"must be a rational number from 1 to {MAX_ORDER}, or inf"
    if requested is None:
        raise ParameterError("order", f"the notion renyi needs an order, which {allowed}")
    if str(requested).strip().lower() in ("inf", "infinity"):
        return notions.RenyiLimit("inf")
    order = real(requested).as_fraction()
    if order is None or not 1 <= order <= MAX_ORDER or order.denominator > MAX_ORDER:
        raise DomainError("order", requested, allowed)
    return notions.RenyiLimit("1") if order == 1 else notions.Renyi(order)


def _at_most_one(value: Real) -> bool:
    return order(value, ONE) is not Sign.POSITIVE


def _stated(mechanism: Mechanism[Any]) -> Budget:
    if mechanism.stated is None:
        raise ParameterError("budget", f"{mechanism.name} states no budget; give one (--budget)")
    return mechanism.stated


def _implied(mechanism: Mechanism[Any], notion: notions.Notion) -> Real:
    """Return what the stated ε implies."""
    stated = _stated(mechanism)
    if stated.delta != ZERO:
        raise ParameterError(
            "budget",
            f"{mechanism.name} states δ > 0, which implies no budget in the notion "
            f"{notion.name}; give one (--budget)",
        )
    epsilon = stated.epsilon
    if isinstance(notion, notions.Gaussian):
        raise ParameterError(
            "budget",
            "the μ that a stated ε implies has no closed form; give a budget for gdp (--budget)",
        )
    if isinstance(notion, notions.Concentrated):
        return epsilon * epsilon / real(2)
    if isinstance(notion, notions.Renyi):
        return closed_forms.randomised_response_renyi(epsilon, notion.order)
    if isinstance(notion, notions.TotalVariation):
        return closed_forms.randomised_response_tv(epsilon)
    if isinstance(notion, notions.KullbackLeibler) or notion.order_text == "1":
        return closed_forms.randomised_response_kl(epsilon)
    return epsilon
