"""What every recheck of a report about a mechanism begins with: its definition, sizes and pairs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.intervals import contains, show
from dpaudit.recheck.known import definition_of
from dpaudit.recheck.numbers import (
    check_budget,
    check_not_negative,
    decimal,
    fraction,
    sign_of,
    value,
)
from dpaudit.recheck.reports import Budget, Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.reports import Delta
    from dpaudit.recheck.verification import Findings

__all__ = ["MESSAGES", "SIDES", "SLACK_DIGITS", "SPARE_DIGITS", "Recheck"]

SPARE_DIGITS = 45
"""Decimals that a recheck computes with beyond those of the report."""
_NOISE = 15
"""What is left of a value that is 0 has at least all but so many decimals behind the point."""
SLACK_DIGITS = 30
"""A value may miss an interval by 10^−(digits + this), which is what may be lost computing it."""
SIDES = {"below": (-1,), "at most": (-1, 0), "above": (1,)}
"""The sides of a budget that what is computed again may lie on, by what its interval tells."""
_ATTEMPTS, _FEW = 4, 8
_MOST_DIGITS = 8000
_MOST_DATASETS = 5_000_000
_SHOWN = 20
LOADED = "where a mechanism was loaded from: only the SHA-256 of its file is compared"
CODE = "which code made it: the fingerprint is not compared"
MESSAGES = "messages in words"
UPPER_ENDS = (
    "that no pair exceeds the upper ends of realised ε and δ (--all-pairs computes them again)"
)


class Recheck:
    """One mechanism of a report, with what it is checked against."""

    def __init__(
        self,
        subject: Any,
        own: Sequence[OwnMechanism],
        found: Findings,
        *,
        all_pairs: bool,
        tick: Callable[[str], None],
        upper_ends: str = UPPER_ENDS,
    ) -> None:
        """Find the definition; without one only what a report says of itself is checked.

        ``upper_ends`` is what is taken from the report where not all pairs are computed again.
        """
        self.subject = subject
        self.found = found
        self.all_pairs = all_pairs
        self.tick = tick
        self.name = str(subject.mechanism.get("name"))
        self.definition: Definition | None = None
        for name in ("stated", "budget"):
            given = getattr(subject, name, None)
            if isinstance(given, Budget):
                check_budget(given.epsilon, given.delta, name)
        self.dps = subject.digits + SPARE_DIGITS
        with mp.workdps(self.dps):
            try:
                self.definition = definition_of(subject.mechanism, own, subject.loaded)
            except UnknownDefinitionError as error:
                found.unknown(self.name, str(error))
            else:
                self.dps += self.definition.digits_lost
        self.relation = self._relation()
        if subject.loaded is not None:
            found.take(LOADED)
        found.take(CODE)
        if not all_pairs:
            found.take(upper_ends)

    def _relation(self) -> str:
        """Return the neighbouring relation as it is called now; without it nothing is rechecked."""
        given: str = self.subject.adjacency
        if self.definition is None:
            return given
        try:
            relation = self.definition.relation(given, defaulted=self.subject.adjacency_defaulted)
        except NotAReportError as error:
            self.found.expect(False, "relations", self.name, str(error))
            self.definition = None
            return given
        if relation != given:
            self.found.take(f"that adjacency = {given} is an old name of {relation}")
        return relation

    def head(self) -> None:
        """Check what is stated, in which unit the mechanism's own ε is, and the sizes."""
        bits = self.subject.mechanism.get("base") in ("2", "mixed")
        unit = getattr(self.subject, "epsilon_unit", "nats")
        known = self.definition is not None and not self.subject.loaded
        if known and (bits or unit != "nats"):
            same = unit == ("bits" if bits else "nats")
            self.found.expect(same, "units", self.name, f"ε is not in {unit}")
        with mp.workdps(self.dps):
            if self.definition is not None:
                stated, given = self.definition.stated(), self.subject.stated
                same = (stated is None) is (given is None)
                if stated is not None and given is not None:
                    parts = (given.epsilon, given.delta)
                    same = all(self._states(part, place) for place, part in enumerate(parts))
                self.found.expect(same, "stated budgets", self.name, "the source states another")

    def _states(self, given: str, place: int) -> bool:
        """Tell whether the source states this; a small number may be what large ones leave."""
        definition = self.definition
        assert definition is not None

        def difference() -> mpf:
            stated = definition.stated()
            return mp.nan if stated is None else value(given) - stated[place]

        error = mpf(10) ** (_NOISE - mp.dps) * abs(value(given))
        return bool(abs(difference()) <= error) or sign_of(difference, self.dps) == 0

    def sizes(self, finished: list[int]) -> None:
        """Check that every size asked for occurs once, in order, and no other."""
        without = [size.n for size in self.subject.undecided]
        parts = (finished, without, self.subject.missing)
        asked = self.subject.sizes
        message = "a size occurs twice, or sizes are out of order"
        if without:
            self.found.take(MESSAGES)
        ordered = all(part == sorted(set(part)) for part in (*parts, asked))
        once = ordered and sum(map(len, parts)) == len({n for part in parts for n in part})
        self.found.expect(once, "lists of sizes", self.name, message)
        answered = {n for part in parts for n in part}
        message = f"the sizes asked for are {_listed(asked)}, those answered {_listed(answered)}"
        self.found.expect(answered == set(asked), "sizes asked for", self.name, message)

    def questions(self, asked: list[list[str]]) -> None:
        """Check that every size answers the same questions, each once."""
        same = all(one == asked[0] for one in asked) and all(
            len(set(one)) == len(one) for one in asked
        )
        message = "not every size answers the same questions, or one is answered twice"
        self.found.expect(same, "questions", self.name, message)

    def dataset(self, shown: Any, n: int, where: str) -> Any:
        """Return a dataset, or None with a disagreement noted."""
        assert self.definition is not None
        try:
            return self.definition.dataset(shown, n)
        except (ValueError, TypeError) as error:
            self.found.expect(False, "datasets", where, str(error))
            return None

    def pair(self, shown: tuple[Any, Any], n: int, where: str) -> tuple[Any, Any] | None:
        """Return a pair of neighbours, or None with a disagreement noted."""
        assert self.definition is not None
        x, y = (self.dataset(one, n, where) for one in shown)
        if x is None or y is None:
            return None
        near = self.definition.adjacent(x, y, n, self.relation)
        if near and self.subject.at is not None:
            near = (x, y) in self.around(n) or (y, x) in self.around(n)
        self.found.expect(near, "neighbours", where, f"{shown[0]} and {shown[1]} are no such pair")
        return (x, y) if near else None

    def around(self, n: int) -> set[tuple[Any, Any]]:
        """Return the pairs that contain the dataset asked for."""
        assert self.definition is not None
        return set(self.definition.pairs(n, self.relation, self.subject.at))

    def coverage(self, n: int, datasets: int | None, pairs: int, where: str) -> bool:
        """Check the numbers of datasets and pairs; tell whether there is a definition to go on."""
        if self.definition is None:
            return False
        try:
            expected = self.definition.counts(n, self.relation, self.subject.at)
        except UnknownDefinitionError as error:
            self.found.unknown(where, str(error))
            return False
        except ValueError as error:
            raise NotAReportError(f"at = {self.subject.at}: {error}") from None
        if datasets is not None:
            message = f"there are {expected[0]} datasets, not {datasets}"
            self.found.expect(datasets == expected[0], "numbers of datasets", where, message)
        message = f"there are {expected[1]} pairs, not {pairs}"
        self.found.expect(pairs == expected[1], "numbers of pairs", where, message)
        if expected[0] > _MOST_DATASETS:
            self.found.unknown(where, f"{expected[0]} datasets are too many to go through again")
            return False
        return True

    def from_bounds(self) -> bool:
        """Tell whether upper ends come of a bound that has no second definition."""
        return self.definition is not None and bool(self.definition.density_bound)

    def bounds(self, where: str) -> None:
        """Note that upper ends could not be rechecked, where that is so."""
        if self.definition is not None and self.from_bounds():
            self.found.unknown(where, self.definition.density_bound)

    def attained(self, interval: Interval) -> Interval:
        """Return where a value at the pair shown has to lie: anywhere below a mere bound."""
        if self.from_bounds() and interval.exact is None:
            return Interval("0", interval.upper)
        return interval

    def verdict(self, given: str, verdicts: list[str]) -> None:
        """Check the verdict on all sizes."""
        worst = set(verdicts)
        if self.subject.missing or self.subject.undecided:
            worst.add("undecided")
        expected = next((v for v in ("exceeds", "undecided", "within") if v in worst), "undecided")
        message = f"the sizes make it {expected}, not {given}"
        self.found.expect(given == expected, "verdicts", self.name, message)

    def delta(self, point: Delta, n: int, where: str, other: tuple[Any, Any] | None) -> None:
        """Check δ(ε) at its pair; where it is 0 at every pair, at ``other``."""
        assert self.definition is not None
        check_not_negative(point.epsilon, "the ε of a δ")
        shown = other if point.x is None else (point.x, point.y)
        pair = None if shown is None else self.pair(shown, n, where)
        if pair is None:
            return
        definition, interval = self.definition, self.attained(point.interval)
        (delta,), (inside,) = self.agree(
            lambda: [definition.delta(*pair, value(point.epsilon))], [interval]
        )
        message = f"δ({point.epsilon}) is {mp.nstr(delta, 20)} there, not in {show(interval)}"
        self.found.expect(inside, "δ", where, message)
        if point.x is None:
            upper = decimal(interval.upper)
            zero = upper is not None and upper <= Fraction(1, 10**self.subject.digits)
            self.found.expect(zero, "δ", where, "δ has no pair, and is not 0")

    def agree(
        self,
        compute: Callable[[], Sequence[mpf]],
        intervals: Sequence[Interval],
        *,
        again: bool = True,
    ) -> tuple[Sequence[mpf], list[bool]]:
        """Compute values as precisely as they need, and tell which lie in their intervals.

        A small value is what large ones leave of each other.  It takes decimals in proportion: the
        interval says how many, or else a first look.  Nothing is contradicted before more decimals
        give the same.

        Args:
            compute: gives the values at the working precision.
            intervals: where they have to lie, the same number.
            again: whether to look again, closer, at what may be 0.
        """
        ends = [decimal(end) for one in intervals for end in (one.lower, one.upper)]
        places = max((_places(fraction(end)) for end in ends if end), default=0)
        dps = self.dps + 2 * places
        before: Sequence[mpf] = ()
        for _ in range(_ATTEMPTS):
            if dps > _MOST_DIGITS:
                raise UnknownDefinitionError("its values are too small to be computed again")
            with mp.workdps(dps):
                found = compute()
                inside = [
                    self.inside(one, interval, relative=True)
                    for one, interval in zip(found, intervals, strict=True)
                ]
                small = [_places(one) for one in found]
            nothing = any(one > dps - _NOISE for one in small) or any(
                one == 0 and interval.upper != "0"
                for one, interval in zip(found, intervals, strict=True)
            )
            least = max((one for one in small if one <= dps - _NOISE), default=0)
            if self.dps + 2 * least > dps:
                dps = self.dps + 2 * least + 10
            elif self._same(before, found) or (all(inside) and not (again and nothing)):
                break
            else:
                dps, again = 2 * dps, False
            before = found
        return found, inside

    def _same(self, before: Sequence[mpf], now: Sequence[mpf]) -> bool:
        """Tell whether two precisions gave the same, as far as reports are compared at all."""
        with mp.workdps(self.dps):
            error = mpf(10) ** -(self.subject.digits + SLACK_DIGITS)
            pairs = zip(before, now, strict=False)
            return bool(before) and all(a == b or abs(a - b) <= error * abs(b) for a, b in pairs)

    def stands(
        self, told: str, verdict: str, computed: mpf, compute: Callable[[], mpf], bound: str
    ) -> int | None:
        """Return the side of a bound that a value lies on: 1 above, −1 below, 0 if none tells.

        None where nothing depends on it: an interval is ``told`` to be equal to the bound, or not
        to be told from it, and the ``verdict`` does not say that it exceeds.
        """
        if told == "equal" or (told == "unknown" and verdict != "exceeds") or mp.isnan(computed):
            return None
        with mp.workdps(self.dps):
            off = computed - value(bound)
            near = mpf(10) ** -(self.subject.digits + SLACK_DIGITS // 2) * value(bound)
            if not mp.isfinite(off) or abs(off) > near:
                return int(mp.sign(off))
        dps = self.dps + 2 * _places(computed)
        return sign_of(lambda: compute() - value(bound), dps, of=1)

    def inside(self, computed: mpf, interval: Interval, *, relative: bool = False) -> bool:
        """Tell whether a value lies in an interval, and is its closed form where there is one."""
        with mp.workdps(max(self.dps, mp.dps)):
            lost, noise = mpf(10) ** -(self.subject.digits + SLACK_DIGITS), mpf(10) ** -mp.dps
            slack = lost
            if mp.isinf(computed):
                return interval.lower == "inf" and interval.upper == "inf"
            if relative or computed > 1:
                slack = lost * abs(computed) + noise * 10**_NOISE
            inside = contains(interval, computed, slack)
            if interval.exact is not None:
                exact = value(interval.exact)
                error = lost * abs(exact) if exact else noise * 10**_NOISE
                inside = inside and bool(abs(exact - computed) <= error)
            return inside


def _places(number: mpf) -> int:
    """Return how many zeros a number has behind the point, 0 for a few and for 0 itself."""
    if not mp.isfinite(number) or number == 0:
        return 0
    zeros = int(-mp.log10(abs(number)))
    return zeros if zeros > _FEW else 0


def _listed(sizes: Iterable[int]) -> str:
    shown = [str(n) for n in sorted(sizes)[:_SHOWN]]
    return ", ".join(shown) + (", …" if len(shown) == _SHOWN else "") or "none"
