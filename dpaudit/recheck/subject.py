"""Base of the rechecks of reports about a mechanism: its definition, sizes and pairs."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit import results
from dpaudit.recheck.agreement import NOISE, Agreement, compare, end, well_formed
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError, worst
from dpaudit.recheck.numbers import (
    check_budget,
    check_not_negative,
    same_number,
    shown_digits,
    sign_of,
    value,
)
from dpaudit.recheck.options import (
    CODE,
    DATA,
    DERIVED,
    LOADED,
    MESSAGES,
    UPPER_ENDS,
    RecheckOptions,
)
from dpaudit.recheck.reading import MOST_DATASETS
from dpaudit.recheck.registry import definition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from dpaudit.closed import ClosedForm
    from dpaudit.recheck.definition import Definition

    Pair = tuple[Any, Any]

__all__ = ["SPARE_DIGITS", "Recheck", "check_data", "delta_questions", "has_pair", "states"]

SPARE_DIGITS = 45
"""Decimals that a recheck computes with beyond those of the report."""
_SHOWN = 20


def has_pair(point: Any) -> bool:
    """Tell whether a pair is shown; one of its datasets may be None."""
    return point.x is not None or point.y is not None


def check_data(data: results.Data | None, at: str | None, name: str, findings: Findings) -> None:
    """Check that the counts of a column of data are those that pairs were restricted to."""
    if data is not None:
        findings.take(DATA)
        agrees = sum(data.counts) == data.n and len(data.counts) == len(data.categories)
        agrees = agrees and at in (None, ",".join(map(str, data.counts)))
        findings.expect(agrees, "counts of data", name, "the counts are not those of the data")


_STOOD_IN = {
    "interposed": ("as run", "ideal"),
    "monotone": ("as run",),
    "not_as_run": ("ideal",),
}
"""Fields about programs, with the semantics under which they may appear."""


class Recheck(Agreement):
    """One mechanism of a report, with what it is checked against."""

    def __init__(
        self,
        subject: Any,
        findings: Findings,
        options: RecheckOptions,
        *,
        upper_ends: str = UPPER_ENDS,
    ) -> None:
        """Find the definition; without one only what a report says of itself is checked.

        ``upper_ends`` is what is taken from the report where not all pairs are computed again.
        """
        self.subject = subject
        self.findings = findings
        self.expect = findings.expect
        self.options = options
        self.whole = True  # whether all pairs of the size that is looked at were covered
        self.name = str(subject.described.get("name"))
        self.definition: Definition | None = None
        for name in ("stated", "budget"):
            budget = getattr(subject, name, None)
            if isinstance(budget, results.Budget):
                check_budget(budget.epsilon, budget.delta, name)
        self.dps: int = subject.digits + SPARE_DIGITS
        self.lost = 0
        with mp.workdps(self.dps):
            try:
                self.definition = definition_of(subject.described, options.own, subject.loaded)
            except UnknownDefinitionError as error:
                findings.unknown(self.name, str(error))
            else:
                self.lost = self.definition.digits_lost
                self.dps += self.lost
        self.relation = self._relation()
        if subject.loaded is not None:
            findings.take(LOADED)
        findings.take(CODE)
        self.open = False
        """True if its laws leave a rest, so that nothing bounds ε from above."""
        self._derived()
        if not options.all_pairs:
            findings.take(upper_ends)

    def _derived(self) -> None:
        """Check the statements about how a program's laws were derived; others have none."""
        derivation = [getattr(self.subject, name, None) for name in ("semantics", "paths", "rest")]
        if derivation == [None, None, None]:
            return
        rest = "0" if derivation[2] is None else str(derivation[2])
        self.open = not same_number(rest, "0")
        listed = derivation[:2] == [None, None] and self.open
        whole = self.subject.loaded is not None and (listed or None not in derivation)
        message = (
            "only a program has semantics and paths, and only a program or a listed output "
            "distribution has a rest"
        )
        self.expect(whole and 0 <= value(rest) < 1, "derivations", self.name, message)
        self._held_to_real_runs(program=derivation[0] is not None)
        if self.open:
            self.findings.unknown(
                self.name, "verify cannot recompute an output distribution with a rest"
            )
        for name, semantics in _STOOD_IN.items():
            if getattr(self.subject, name):
                message = f"{name}: it does not apply to a program in this reading"
                self.expect(derivation[0] in semantics, "derivations", self.name, message)
        self.findings.take(DERIVED)

    def _held_to_real_runs(self, *, program: bool) -> None:
        """Check what is said of real runs: (1 − unseen mass)^runs is at most 10⁻⁹."""
        runs = getattr(self.subject, "real_runs", None)
        unseen = getattr(self.subject, "unseen_mass", None)
        holds = (runs is not None) == (unseen is not None) == program
        if runs is not None and unseen is not None:
            mass = value(unseen)
            holds = holds and runs >= 1 and (mass == 0 or (1 - mass) ** runs <= mp.mpf(10) ** -9)
        message = "real runs check the law of a program, and may miss an error in this mass"
        self.expect(holds, "derivations", self.name, message)

    @property
    def defined(self) -> Definition:
        """The definition, where it is known that there is one."""
        assert self.definition is not None
        return self.definition

    def _relation(self) -> str:
        """Return the neighbouring relation as it is called now; without it nothing is rechecked."""
        reported: str = self.subject.adjacency
        if self.definition is None:
            return reported
        try:
            relation = self.definition.relation(
                reported, defaulted=self.subject.adjacency_defaulted
            )
        except NotAReportError as error:
            self.expect(False, "relations", self.name, str(error))
            self.definition = None
            return reported
        if relation != reported:
            self.findings.take(f"that adjacency = {reported} means {relation}")
        return relation

    def sizes_at(self, sizes: Sequence[Any]) -> Iterator[tuple[Any, str]]:
        """Iterate over the results, each with its place in words, and report progress."""
        for size in sizes:
            where = f"{self.name} at n = {size.n}"
            self.options.progress(where)
            if getattr(size, "reason", ""):
                self.findings.take(MESSAGES)
            yield size, where

    def attempt(self, where: str, check: Callable[..., None], *arguments: Any) -> None:
        """Check something at full precision, or note why there is no definition of it."""
        try:
            with mp.workdps(self.dps):
                check(*arguments)
        except UnknownDefinitionError as error:
            self.findings.unknown(where, str(error))

    def head(self) -> None:
        """Check the stated budget, the unit of the mechanism's own ε, and the data."""
        bits = self.subject.described.get("base") in ("2", "mixed")
        unit = self.subject.epsilon_unit
        if self.definition is not None and not self.subject.loaded and (bits or unit != "nats"):
            same = unit == ("bits" if bits else "nats")
            self.expect(same, "units", self.name, f"ε is not in {unit}")
        if self.definition is not None:
            with mp.workdps(self.dps):
                same = states(self.definition, self.subject.stated, self.dps)
                self.expect(same, "stated budgets", self.name, "the source states another")
        check_data(getattr(self.subject, "data", None), self.subject.at, self.name, self.findings)

    def sizes(self) -> None:
        """Check that every size asked for occurs once, in order, and no other."""
        subject, without = self.subject, self.subject.without_result
        requested = list(subject.sizes)
        parts = [
            [size.n for size in subject.results],
            [size.n for size in without],
            [*subject.missing],
        ]
        if without:
            self.findings.take(MESSAGES)
        answered = {n for part in parts for n in part}
        once = all(part == sorted(set(part)) for part in (*parts, requested))
        once = once and sum(map(len, parts)) == len(answered)
        message = "a size occurs twice, or sizes are out of order"
        self.expect(once, "lists of sizes", self.name, message)
        message = (
            f"the sizes asked for are {_listed(requested)}, those answered {_listed(answered)}"
        )
        self.expect(answered == set(requested), "sizes asked for", self.name, message)

    def questions(self, by_size: list[list[str]]) -> None:
        """Check that every size answers the same questions, each once."""
        same = all(row == by_size[0] and len(set(row)) == len(row) for row in by_size)
        message = "not every size answers the same questions, or one is answered twice"
        self.expect(same, "questions", self.name, message)

    def pair(self, reported: Pair, n: int, where: str) -> Pair | None:
        """Return a pair of neighbours, or None with a disagreement noted."""
        datasets = []
        for dataset in reported:
            try:
                datasets.append(self.defined.dataset(dataset, n))
            except (ValueError, TypeError) as error:
                self.expect(False, "datasets", where, str(error))
        if len(datasets) < 2:
            return None
        x, y = datasets
        near = self.defined.adjacent(x, y, n, self.relation)
        if near and self.subject.at is not None:
            # Restricted to a dataset, a pair has to contain it: being neighbours is not enough.
            near = (x, y) in self.both_ways(n)
        self.expect(
            near, "neighbours", where, f"{reported[0]} and {reported[1]} are not such a pair"
        )
        return (x, y) if near else None

    def both_ways(self, n: int) -> Iterator[Pair]:
        """Iterate over the pairs at size ``n``, each in both directions."""
        for pair in self.defined.pairs(n, self.relation, self.subject.at):
            yield from (pair, pair[::-1])

    def coverage(self, n: int, datasets: int | None, pairs: int, where: str) -> bool:
        """Check the numbers of datasets and pairs; tell whether there is a definition to go on."""
        if self.definition is None:
            return False
        try:
            expected = self.definition.counts(n, self.relation, self.subject.at)
        except UnknownDefinitionError as error:
            self.findings.unknown(where, str(error))
            return False
        except ValueError as error:
            raise NotAReportError(f"at = {self.subject.at}: {error}") from None
        for what, count, claimed in zip(
            ("datasets", "pairs"), expected, (datasets, pairs), strict=True
        ):
            if claimed is not None:
                message = f"there are {count} {what}, not {claimed}"
                self.expect(claimed == count, f"numbers of {what}", where, message)
        if expected[0] > MOST_DATASETS:
            self.findings.unknown(where, f"{expected[0]} datasets are too many to check again")
            return False
        return True

    def covered(
        self,
        size: results.SizeResult | results.MeasuredSize,
        where: str,
        some: Collection[results.Verdict] = (results.Verdict.UNDECIDED,),
    ) -> None:
        """Check that all pairs were covered, but for verdicts that ``some`` can give."""
        covered = size.complete or size.verdict in some
        message = f"{size.pairs_covered} of {size.pairs} pairs were covered, which decides nothing"
        self.expect(covered, "coverage", where, message)

    def outputs(self, size: results.SizeResult | results.MeasuredSize, where: str) -> None:
        """Check how many outputs there are."""
        outputs = self.defined.output_count(size.n)
        count = results.INFINITE if outputs is None else outputs
        message = f"there are {count}, not {size.outputs}"
        self.expect(size.outputs == count, "numbers of outputs", where, message)

    def narrow(self, interval: results.Enclosure, where: str, *, required: bool = True) -> None:
        """Check that an interval is one, of the width that is promised if that is ``required``."""
        message = f"{interval} is not an interval as narrow as the report promises"
        digits = self.subject.digits if required else None
        self.expect(well_formed(interval, digits), "intervals", where, message)

    def from_bounds(self) -> bool:
        """Tell whether upper ends come from a bound that has no second definition."""
        return self.definition is not None and bool(self.definition.density_bound)

    def bounds(self, where: str) -> None:
        """Note that upper ends could not be rechecked, where that is so."""
        if self.definition is not None and self.from_bounds():
            self.findings.unknown(where, self.definition.density_bound)

    def attained(self, interval: results.Enclosure) -> results.Enclosure:
        """Return where a value at the pair shown has to lie: anywhere below a mere bound."""
        if self.from_bounds() and interval.exact is None:
            return results.Enclosure(Decimal(0), interval.upper)
        return interval

    def judge(
        self,
        size: results.SizeResult | results.MeasuredSize,
        standing: str,
        where: str,
        *,
        doubted: tuple[results.Verdict, ...],
    ) -> None:
        """Check a verdict by the ``standing`` of the printed interval to the budget.

        Where its digits do not tell, a verdict among the ``doubted`` is neither confirmed nor
        contradicted.
        """
        verdicts = {"above": results.Verdict.EXCEEDS, "unknown": results.Verdict.UNDECIDED}
        expected = verdicts.get(standing, results.Verdict.WITHIN)
        if not size.complete and expected is results.Verdict.WITHIN:
            # Pairs that were not looked at may exceed the budget.
            expected = results.Verdict.UNDECIDED
        if expected is results.Verdict.UNDECIDED and size.verdict in doubted:
            self.findings.unknown(
                where, "the printed digits do not show whether ε is above the budget"
            )
            return
        verdict = _verdict_text(size.verdict)
        message = f"the interval and the budget make it {expected.value}, not {verdict}"
        self.expect(size.verdict is expected, "verdicts", where, message)

    def verdict(self) -> None:
        """Check the verdict on all sizes; one that was not finished counts as undecided."""
        subject = self.subject
        sized = (*subject.results, *subject.without_result)
        verdicts = [getattr(size, "verdict", results.Verdict.UNDECIDED) for size in sized]
        expected = worst([*verdicts, *([results.Verdict.UNDECIDED] if subject.missing else [])])
        message = f"the sizes make it {expected.value}, not {_verdict_text(subject.verdict)}"
        self.expect(subject.verdict is expected, "verdicts", self.name, message)

    def delta(
        self, point: results.DeltaAt, n: int, where: str, fallback: Pair | None
    ) -> tuple[mpf, Callable[[], mpf]] | None:
        """Check δ(ε) at its pair; where it is 0 at every pair, at ``fallback``.

        Returns δ there, and what computes it at the working precision; None without a pair.
        """
        definition = self.defined
        check_not_negative(point.epsilon, "the ε of a δ")
        reported = (point.x, point.y) if has_pair(point) else fallback
        pair = None if reported is None else self.pair(reported, n, where)
        if pair is None:
            return None
        x, y = pair

        def there() -> mpf:
            return definition.delta(x, y, value(point.epsilon))

        interval = self.attained(point)
        (delta,), (inside,) = self.agree(lambda: [there()], [interval])
        message = f"δ({point.epsilon}) is {shown_digits(delta, 20)} there, not in {interval}"
        self.expect(inside, "δ", where, message)
        if not has_pair(point) and self.whole:
            self.zero(point, where)
        return delta, there

    def epsilon_at(
        self, claim: results.EpsilonAt, n: int, where: str, fallback: Pair | None
    ) -> None:
        """Check that δ(ε) is as given at both ends of an ε at a δ, and proves them."""
        for point, bound, unproved, sides in (
            (claim.above, claim.lower, Decimal(0), ("above",)),
            (claim.below, claim.upper, Decimal("Infinity"), ("below", "at most", "equal")),
        ):
            if point is None:
                message = f"nothing proves that ε at δ = {claim.delta} ends at {bound}"
                self.expect(bound == unproved, "ε at δ", where, message)
                continue
            self.delta(point, n, where, fallback)
            same = bound.is_finite() and same_number(point.epsilon, str(bound))
            message = f"δ is given at {point.epsilon}, not at {bound}"
            self.expect(same, "ε at δ", where, message)
            message = f"δ({point.epsilon}) does not prove that ε at δ = {claim.delta} ends there"
            self.expect(compare(point, claim.delta) in sides, "ε at δ", where, message)
        self.expect(
            self.whole, "coverage", where, "not all pairs were covered, but it has an ε at δ"
        )

    def deltas_over_all_pairs(self, points: Sequence[results.DeltaAt], n: int, where: str) -> None:
        """Compute δ at each of these ε over all pairs, both ways, once more."""
        pairs = list(self.both_ways(n))

        def deltas() -> list[mpf]:
            return [
                max((self.defined.delta(*pair, epsilon) for pair in pairs), default=mpf(0))
                for epsilon in [value(point.epsilon) for point in points]
            ]

        self.over_all_pairs("δ", deltas, points, where)

    def zero(self, point: results.DeltaAt, where: str) -> None:
        """Check that a δ without a pair is 0."""
        upper = end(point.upper)
        zero = upper is not None and upper <= Fraction(1, 10**self.subject.digits)
        zero = zero and point.lower == 0
        self.expect(zero, "δ", where, "δ has no pair, but is not 0")


def delta_questions(size: results.SizeResult | results.PrivacyCurve) -> list[str]:
    """Return the δ at which the smallest ε is given, as questions."""
    return [f"at δ = {point.delta}" for point in size.at_delta]


def _listed(sizes: Iterable[int]) -> str:
    texts = [str(n) for n in sorted(sizes)[:_SHOWN]]
    return ", ".join(texts) + (", …" if len(texts) == _SHOWN else "") or "none"


def _verdict_text(verdict: results.Verdict | None) -> str:
    return "none" if verdict is None else verdict.value


def states(definition: Definition, reported: Any, digits: int) -> bool:
    """Tell whether the source states this budget, with the digits that cancelling leaves."""
    stated = definition.stated()
    if stated is None or reported is None:
        return stated is None and reported is None

    def agrees(part: ClosedForm, place: int) -> bool:
        def difference() -> mpf:
            again = definition.stated()
            return mp.nan if again is None else value(part) - again[place]

        error = mpf(10) ** (NOISE - mp.dps) * abs(value(part))
        return bool(abs(difference()) <= error) or sign_of(difference, digits) == 0

    return all(agrees(part, place) for place, part in enumerate((reported.epsilon, reported.delta)))
