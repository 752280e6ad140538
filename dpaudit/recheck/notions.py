"""The recheck of an audit in a notion of privacy: its value at the pair shown, and its verdict."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck import measures, numbers
from dpaudit.recheck.agreement import at_same_value, compare
from dpaudit.recheck.findings import Findings, NotAReportError
from dpaudit.recheck.numbers import fraction, order, shown_digits, value
from dpaudit.recheck.subject import Recheck
from dpaudit.results import ClosedForm, MeasuredAudit, MeasuredSize, Verdict

if TYPE_CHECKING:
    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.options import RecheckOptions

__all__ = ["check_notion"]

ORDERS = "that no order gives more than the one shown, beyond a few that are tried"
ROUNDED = "the last digits of the errors of tests, which are shown rounded"
LARGEST_VALUES = (
    "that no pair exceeds the upper ends of what is measured (--all-pairs computes them again)"
)
_MOST_ORDER = 10**6
_MOST_SUPREMUM = 10**30  # orders grow as losses shrink: a loss of 10⁻¹⁰ has one of 10¹¹
_TRIED = [Fraction(1), *(1 + Fraction(2) ** power for power in range(-6, 11))]
_SYMBOLS = {
    "pure": "ε",
    "approximate": "δ",
    "renyi": "ε_α",
    "zcdp": "ρ",
    "gdp": "μ",
    "kl": "KL",
    "tv": "TV",
}


def check_notion(notion: MeasuredAudit, findings: Findings, options: RecheckOptions) -> None:
    """Recheck an audit in a notion and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(notion, findings, options, upper_ends=LARGEST_VALUES)
    measured = _Measured(notion)
    recheck.head()
    recheck.sizes()
    if measured.name == "zcdp":
        findings.take(ORDERS)
    if measured.name == "gdp":
        findings.take(ROUNDED)
    with mp.workdps(recheck.dps):
        _check_budget(recheck, measured)
    for size, where in recheck.sizes_at(notion.results):
        _check_size(recheck, measured, size, where)
    recheck.verdict()


def _check_size(recheck: Recheck, measured: _Measured, size: MeasuredSize, where: str) -> None:
    undecided = size.verdict is Verdict.UNDECIDED
    recheck.narrow(size.value, where, required=not (undecided or recheck.from_bounds()))
    recheck.covered(size, where)
    sides: list[int | None] = []
    if recheck.coverage(size.n, size.datasets, size.pairs, where):
        recheck.attempt(where, _check_value, recheck, measured, size, where, sides)
    recheck.bounds(where)
    bound = recheck.subject.budget
    standing = compare(size.value, bound)
    for side in sides:
        recheck.beside(measured.name, standing, side, bound, where)
    recheck.judge(size, standing, where, doubted=(Verdict.WITHIN, Verdict.EXCEEDS))


class _Measured:
    """Values of a notion of privacy for pairs of laws."""

    def __init__(self, notion: MeasuredAudit) -> None:
        """Take the notion by its name, with the order or the ε that belongs to it."""
        reported = notion.notion
        self.name = reported.name
        if _SYMBOLS.get(self.name) != reported.symbol:
            raise NotAReportError(
                f"there is no notion {reported.name} with symbol {reported.symbol}"
            )
        if (self.name == "renyi") is (reported.order is None):
            raise NotAReportError(f"order = {reported.order} does not apply to {reported.name}")
        if (self.name == "approximate") is (reported.epsilon is None):
            raise NotAReportError(f"epsilon = {reported.epsilon} does not apply to {reported.name}")
        self.order = reported.order
        self.epsilon: ClosedForm | str = reported.epsilon or ""
        # D_1 and D_∞ have formulas of their own.
        if self.name == "renyi" and self.order in ("1", "inf"):
            self.name = "kl" if self.order == "1" else "pure"

    def of(self, definition: Definition, x: Any, y: Any) -> mpf:
        """Return the value for P at ``x`` against Q at ``y``."""
        match self.name:
            case "pure":
                return definition.largest_loss(x, y)
            case "approximate":
                return definition.delta(x, y, value(self.epsilon))
            case "tv":
                return definition.delta(x, y, mpf(0))
            case "kl":
                return measures.kullback_leibler(definition, x, y)
            case "renyi":
                return measures.renyi(definition, x, y, self.alpha)
            case "gdp":
                return measures.largest_mu(definition, x, y)
        return max(measures.concentration(definition, x, y, fraction(order)) for order in _TRIED)

    @property
    def alpha(self) -> mpf:
        """The order of a Rényi divergence."""
        try:
            order = numbers.rational(str(self.order))
        except ValueError:
            raise NotAReportError(f"order = {self.order} is not a fraction") from None
        if not 1 < order <= _MOST_ORDER:
            raise NotAReportError(f"order = {self.order}: must be from 1 to {_MOST_ORDER}")
        return fraction(order)

    def implied(self, epsilon: mpf) -> mpf | None:
        """Return what ε implies: what randomised response has, and ε²/2 for ρ."""
        match self.name:
            case "pure":
                return epsilon
            case "zcdp":
                return epsilon**2 / 2
            case "kl":
                return epsilon * mp.tanh(epsilon / 2)
            case "tv":
                return mp.tanh(epsilon / 2)
            case "renyi":
                true, order = 1 / (1 + mp.exp(-epsilon)), self.alpha
                false = 1 - true
                powers = true**order * false ** (1 - order) + false**order * true ** (1 - order)
                return mp.log(powers) / (order - 1)
        return None


def _check_budget(recheck: Recheck, measured: _Measured) -> None:
    """Check a budget that is said to follow from the one that is stated."""
    notion, definition = recheck.subject, recheck.definition
    if measured.name == "approximate":
        numbers.check_not_negative(measured.epsilon, "budget epsilon")
        numbers.check_delta(notion.budget, "budget delta")
    else:
        numbers.check_positive(notion.budget, "budget")
    if not notion.budget_implied or definition is None:
        return
    stated = definition.stated()
    follows = False
    if stated is not None and measured.name == "approximate":
        follows = at_same_value(value(measured.epsilon), stated[0])
        follows = follows and at_same_value(value(notion.budget), stated[1])
    elif stated is not None and stated[1] == 0:
        implied = measured.implied(stated[0])
        follows = implied is not None and at_same_value(value(notion.budget), implied)
    message = f"{notion.budget} does not follow from what is stated"
    recheck.expect(follows, "implied budgets", recheck.name, message)


def _check_value(
    recheck: Recheck, measured: _Measured, size: MeasuredSize, where: str, sides: list[int | None]
) -> None:
    """Compute the value again; add to ``sides`` the side of the budget it lies on."""
    definition, witness = recheck.defined, size.witness
    recheck.outputs(size, where)
    pair = recheck.pair((witness.x, witness.y), size.n, where)
    if pair is None:
        return
    if witness.output is not None:
        _check_output(recheck, measured, size, pair, where)
    if measured.name == "gdp" and size.value.upper.is_finite():
        _check_test(recheck, size, pair, where)

    def there() -> mpf:
        return _at_witness(recheck, measured, size, pair)

    supremum = measured.name == "zcdp" and witness.order is not None

    def tried() -> list[mpf]:
        return [measured.of(definition, *pair)] if supremum else []

    here = recheck.attained(size.value)
    (at_pair, *other), (inside, *_) = recheck.agree(
        lambda: [there(), *tried()], [here, here] if supremum else [here]
    )
    message = f"{measured.name} is {shown_digits(at_pair, 20)} there, not in {size.value}"
    recheck.expect(inside, "values at witnesses", where, message)
    if supremum and not mp.isinf(at_pair):
        message = f"order {witness.order} is not the best of those that were tried"
        most = at_pair * (1 + mpf(10) ** -(recheck.subject.digits + 6))
        recheck.expect(other[0] <= most, "orders of suprema", where, message)
    if recheck.options.all_pairs:
        pairs = list(recheck.both_ways(size.n))

        def largest() -> list[mpf]:
            # Between the orders that are tried, the witness of a supremum may have more.
            everywhere = [measured.of(definition, *way) for way in pairs]
            everywhere += [at_pair] if measured.name == "zcdp" else []
            return [max(everywhere, default=mp.ninf)]

        recheck.over_all_pairs("values", largest, [size.value], where)
    bound = recheck.subject.budget
    if order(bound, "0") != 0:
        standing = compare(size.value, bound)
        sides.append(recheck.stands(standing, size.verdict, at_pair, there, bound))


def _at_witness(
    recheck: Recheck, measured: _Measured, size: MeasuredSize, pair: tuple[Any, Any]
) -> mpf:
    """Return the value at the pair shown; a supremum over orders at the one shown, or close."""
    if measured.name != "zcdp" or size.witness.order is None:
        return measured.of(recheck.defined, *pair)
    if any(p > 0 and q == 0 for p, q in recheck.defined.masses(*pair)):
        return mp.inf
    printed = numbers.decimal(size.witness.order)
    if printed is None or not 1 <= printed <= _MOST_SUPREMUM:
        raise NotAReportError(f"order = {size.witness.order}: must be from 1 to {_MOST_SUPREMUM}")
    alpha = fraction(printed)
    if alpha > 1:
        # The order is printed to six digits: the best one near it is searched again.
        alpha = measures.best_order(recheck.defined, *pair, alpha)
    return measures.concentration(recheck.defined, *pair, alpha)


def _check_output(
    recheck: Recheck, measured: _Measured, size: MeasuredSize, pair: tuple[Any, Any], where: str
) -> None:
    """Check the output shown: of the largest loss, or one that only one side can give."""
    definition = recheck.defined
    try:
        output = definition.output(size.witness.output)
        p, q = definition.probabilities(*pair, output)
    except ValueError as error:
        recheck.expect(False, "outputs", where, str(error))
        return
    if size.value.upper.is_infinite():
        one_sided = min(p, q) == 0 < max(p, q)
        right = one_sided and (p > 0 or measured.name == "gdp")
    else:
        exact = p > 0 and q > 0 and measured.name == "pure"
        right = exact
        if exact:

            def loss_there() -> list[mpf]:
                here, there = definition.probabilities(*pair, output)
                return [mp.log(here / there)]

            right = recheck.agree(loss_there, [recheck.attained(size.value)])[1][0]
    message = f"the output {size.witness.output} does not have the loss that is shown"
    recheck.expect(right, "outputs at witnesses", where, message)


def _check_test(recheck: Recheck, size: MeasuredSize, pair: tuple[Any, Any], where: str) -> None:
    """Check that a best test with about the errors shown asks for the largest μ."""
    claimed = (size.witness.type_one, size.witness.type_two)
    errors = [numbers.decimal(error) for error in claimed if error is not None]
    if not size.value.upper and not errors:
        return
    right = False
    if len(errors) == 2 and None not in errors:
        decimals = [fraction(error) for error in errors if error is not None]
        right = any(
            all(abs(a - b) <= a / 1000 for a, b in zip(test[:2], decimals, strict=True))
            for test in measures.gaussian_tests(recheck.defined, *pair)
        )
    message = f"no best test has the errors {claimed[0]} and {claimed[1]}"
    recheck.expect(right, "errors of tests", where, message)
