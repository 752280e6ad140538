"""The smallest change that makes a mechanism keep its budget, and its cost in accuracy beside EHDS.

Each mechanism that exceeds its budget somewhere has one that differs in one parameter and is
certified to keep the budget at every size of a range.  A divisor is the least multiple of 1/100 of
that kind: the multiple below it is certified to exceed the budget at some size.  The cost is in the
notes' own measure, the law of H between the posteriors of output and data (N §3.3, §4.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.data.histograms import Counts
from dpaudit.errors import PrecisionError
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.notes.reproduce.findings import Item, PrintedCheck, PrintedOutcome, Table, box_panel
from dpaudit.notes.reproduce.readings import build
from dpaudit.results import Enclosure, SizeResult, Verdict

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "BROKEN",
    "REPAIRS",
    "Broken",
    "Repair",
    "repaired",
    "reproduce_repairs",
]

REPAIRS = "repairs"
"""Id of the target."""

_STEP = Fraction(1, 100)
"""Divisors are multiples of it."""


@dataclass(frozen=True)
class Broken:
    """A mechanism of the notes that exceeds a budget at some size."""

    label: str
    name: str
    prior: str
    sizes: tuple[int, ...]
    dataset: Counts
    """Dataset at which the errors are compared."""
    budget: str = "4/5"
    stated: Mapping[str, str] = field(default_factory=dict)
    """Parameters besides ε and the prior, as printed."""
    change: Mapping[str, str] = field(default_factory=dict)
    """Parameters that make it keep the budget; empty for the least divisor."""
    proof: str = ""
    """Claim that says so for every size; empty if there is none."""

    def audited(self, sizes: Sequence[int], **changed: str) -> list[SizeResult]:
        """Return the certified audits of the mechanism with some parameters changed.

        Raises ``PrecisionError`` for a size that is not enclosed, or whose verdict is undecided.
        """
        mechanism = self._built(self.name, **{**self.stated, **changed})
        results = []
        plan = Plan(read_budget(self.budget), digits=12)
        for result in sweep(EpsilonDelta(), mechanism, tuple(sizes), plan):
            if not isinstance(result, SizeResult) or result.verdict is Verdict.UNDECIDED:
                raise PrecisionError(f"{self.label}: a size from {sizes[0]} on is undecided")
            results.append(result)
        return results

    def error(self, **changed: str) -> ErrorLaw:
        """Return the law of the error with some parameters changed."""
        mechanism = self._built(self.name, **{**self.stated, **changed})
        return error_law(mechanism, self.dataset, digits=9)

    def private_error(self) -> ErrorLaw:
        """Return the law of the error of EHDS with the same ε."""
        return error_law(self._built("EHDS"), self.dataset, digits=9)

    @property
    def epsilon(self) -> str:
        """ε of the budget."""
        return self.budget.partition(",")[0]

    def _built(self, name: str, **parameters: str) -> Mechanism[Any]:
        return build(name, epsilon=self.epsilon, prior=self.prior, **parameters)


BROKEN = (
    Broken("EHDL, prior (10,10,10)", "EHDL", "10,10,10", tuple(range(1, 31)), (10, 10, 10)),
    Broken("EHDL, prior (1/10,1/10)", "EHDL", "1/10,1/10", tuple(range(1, 301)), (150, 150)),
    Broken("EHDL, prior (7,4,5) of N Fig. 4 and 5", "EHDL", "7,4,5", (100, 120, 150), (50, 50, 50)),
    Broken(
        "M_H of N §3.3, prior (1,1)",
        "MH",
        "1,1",
        tuple(range(10, 181)),
        (90, 90),
        budget="4/5,1/2000",
        stated={"delta": "1/2000", "divisor": "1"},
    ),
    Broken(
        "EHD with the quoted GS, prior (1/20,1/20)",
        "EHD",
        "1/20,1/20",
        tuple(range(1, 61)),
        (30, 30),
        change={"gs": "computed"},
        proof="em-global-dp",
    ),
)
"""The mechanisms that are repaired."""


@dataclass(frozen=True)
class Repair:
    """A mechanism that keeps the budget at every size, with the nearest one that does not."""

    change: Mapping[str, str]
    within: tuple[SizeResult, ...]
    """Its audits, all within the budget."""
    below: SizeResult | None
    """Audit of the divisor one step smaller, which exceeds; None where a reading is changed."""


def _least_divisor(broken: Broken, worst: SizeResult) -> Repair:
    """Return the least multiple of 1/100 as divisor for which every size keeps the budget.

    Args:
        broken: the mechanism.
        worst: its audit as printed at a size at which it exceeds the budget.

    Raises:
        PrecisionError: where an audit is undecided.
    """
    audits: dict[tuple[int, int], SizeResult] = {}

    def exceeds(multiple: int, n: int) -> bool:
        (audits[multiple, n],) = broken.audited((n,), divisor=_divisor(multiple))
        return audits[multiple, n].verdict is Verdict.EXCEEDS

    spent = Fraction(worst.epsilon.lower) / Fraction(broken.epsilon)
    multiple = ceil(Fraction(broken.stated.get("divisor", "2")) * spent / _STEP)
    n = worst.n
    while not exceeds(multiple - 1, n):
        multiple -= 1
    while exceeds(multiple, n):
        multiple += 1
    while True:
        change = {"divisor": _divisor(multiple)}
        results = broken.audited(broken.sizes, **change)
        failing = [result for result in results if result.verdict is Verdict.EXCEEDS]
        if not failing:
            return Repair(change, tuple(results), audits[multiple - 1, n])
        n = failing[0].n
        audits[multiple, n] = failing[0]
        multiple += 1


def repaired(broken: Broken) -> tuple[SizeResult, Repair]:
    """Return where a mechanism exceeds its budget most, as stated, and its repair."""
    failing = [r for r in broken.audited(broken.sizes) if r.verdict is Verdict.EXCEEDS]
    if not failing:
        raise PrecisionError(f"{broken.label}: no size exceeds the budget as stated")
    worst = max(failing, key=lambda result: result.epsilon.lower)
    if not broken.change:
        return worst, _least_divisor(broken, worst)
    results = broken.audited(broken.sizes, **broken.change)
    if not all(result.verdict is Verdict.WITHIN for result in results):
        raise PrecisionError(f"{broken.label}: {_settings(broken.change)} exceeds the budget")
    return worst, Repair(broken.change, tuple(results), None)


def reproduce_repairs(chosen: Sequence[Broken] = BROKEN) -> Item:
    """Return each mechanism as stated, its smallest repair, and what that costs in accuracy."""
    checks: list[PrintedCheck] = []
    rows: list[tuple[str, ...]] = []
    series = ("as printed", "repaired", "EHDS")
    laws: dict[str, dict[str, ErrorLaw]] = {name: {} for name in series}
    for broken in chosen:
        worst, repair = repaired(broken)
        errors = (broken.error(), broken.error(**repair.change), broken.private_error())
        for name, law in zip(series, errors, strict=True):
            laws[name][broken.label] = law
        checks += _checks(broken, worst, repair, errors)
        rows.append(_row(broken, worst, repair, errors))
    return Item(
        REPAIRS,
        "Guarantees that fail, and the smallest change with which they hold",
        "N §2.2, §3.3, Fig. 4, 5; A Alg. 4, 5, Thm 3.1",
        tuple(checks),
        Table(_HEADER, tuple(rows)),
        (box_panel("error at uniform data", "mechanism", "hellinger", laws),),
        (
            "A repaired mechanism keeps its budget over every pair and output at every size named. "
            "A divisor is the least multiple of 1/100 that does so.",
        ),
        ("ε = 0.8", "M_H: δ = 0.0005", "EHDS: γ = 1, the same ε"),
    )


_HEADER = (
    *("mechanism", "prior", "budget", "sizes", "change"),
    *("stated_n", "stated_epsilon_lower", "stated_epsilon_upper"),
    *("repaired_n", "repaired_epsilon_lower", "repaired_epsilon_upper"),
    *("below_n", "below_epsilon_lower", "below_epsilon_upper", "dataset"),
    *(
        f"{name}_mean_{end}"
        for name in ("stated", "repaired", "EHDS")
        for end in ("lower", "upper")
    ),
    "proof",
)


def _row(
    broken: Broken, worst: SizeResult, repair: Repair, errors: Sequence[ErrorLaw]
) -> tuple[str, ...]:
    most = max(repair.within, key=lambda result: result.epsilon.upper)
    audits = [cell for one in (worst, most, repair.below) for cell in _audit_cells(one)]
    means = [text for law in errors for text in law.mean().texts()]
    named = (broken.label, broken.prior, broken.budget, _sizes(broken.sizes))
    at = ",".join(map(str, broken.dataset))
    return (*named, _settings(repair.change), *audits, at, *means, broken.proof)


def _audit_cells(result: SizeResult | None) -> tuple[str, str, str]:
    if result is None:
        return ("", "", "")
    low, high = result.epsilon.texts()
    return (str(result.n), low, high)


def _checks(
    broken: Broken, worst: SizeResult, repair: Repair, errors: Sequence[ErrorLaw]
) -> tuple[PrintedCheck, PrintedCheck]:
    keeps = f"it keeps ({broken.budget}) at n = {_sizes(broken.sizes)}"
    places = f"{worst.witness.x} / {worst.witness.y} → {worst.witness.output}"
    realised = f"at n = {worst.n} the realised ε is at least {_cut(worst.epsilon)}: {places}"
    stated = PrintedCheck(
        f"{broken.label}: as printed, {keeps}",
        keeps,
        PrintedOutcome.NOT_REPRODUCED,
        "",
        why=realised,
    )
    before, after, beside = (_cut(law.mean(), 6) for law in errors)
    at = ",".join(map(str, broken.dataset))
    parts = [f"mean H at ({at}) {after}…, as printed {before}…, EHDS {beside}…"]
    if repair.below is not None:
        less = _divisor(int(Fraction(repair.change["divisor"]) / _STEP) - 1)
        below = repair.below
        parts.insert(0, f"divisor {less} exceeds it at n = {below.n}, ε ≥ {_cut(below.epsilon)}")
    if broken.proof:
        parts.append(f"every n: {broken.proof}")
    change = _settings(repair.change)
    mended = PrintedCheck(
        f"{broken.label}: repaired, {keeps}",
        keeps,
        PrintedOutcome.REPRODUCED,
        change,
        why="; ".join(parts),
    )
    return stated, mended


def _divisor(multiple: int) -> str:
    """Return a multiple of 1/100 as a decimal."""
    return f"{multiple // 100}.{multiple % 100:02d}"


def _settings(change: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in change.items())


def _sizes(sizes: Sequence[int]) -> str:
    if len(sizes) > 3:
        return f"{sizes[0]}..{sizes[-1]}"
    return ",".join(map(str, sizes))


def _cut(value: Enclosure, digits: int = 8) -> str:
    """Return the lower end, cut off."""
    return value.texts()[0][:digits]
