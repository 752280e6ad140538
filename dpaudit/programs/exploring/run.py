"""One run of a program: the decisions it follows, and what they say of its draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from dpaudit.numbers.real import ONE, Real
from dpaudit.programs.exploring.shifts import MINUS, UNIT, at, comparable
from dpaudit.programs.guarding.refusal import NoEnd, Refused, line_of_program
from dpaudit.programs.unknowns.wholes import chance, difference, intersection, size
from dpaudit.programs.zones.zones import ORIGIN, Edges, implied, reaches, upper

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from dpaudit.programs.exploring.subsamplers import Enclosed, Outcome
    from dpaudit.programs.exploring.words import Words
    from dpaudit.programs.unknowns.image import Difference, Image, Remainder
    from dpaudit.programs.unknowns.noises import Draw
    from dpaudit.programs.unknowns.wholes import Support, WholeDraw

__all__ = [
    "DATASETS",
    "LAST",
    "MOST_DECISIONS",
    "MOST_WAYS",
    "Cut",
    "Decision",
    "Run",
    "Terms",
    "Test",
]

MOST_WAYS = 100_000
"""A whole number with more values is not decided by trying each."""
MOST_DECISIONS = 2_000
"""A path with more decisions is taken for one without an end."""
LAST = -1
"""Entry of a trail for the last way; −2 is the one before, and so on, in a circle."""
DATASETS = "datasets"
"""Kind of the decision at which datasets that are explored together part."""

if TYPE_CHECKING:
    Samplers = Callable[..., tuple[Outcome, ...]]

_UNSCALED = Fraction(1)
_UNITS = (1, -1)
_NEGLIGIBLE = 1e-19
"""A path of a sampler without an end that is less probable is left."""


class Cut(BaseException):
    """A run is left, as what it would give hardly matters."""


Terms = tuple[tuple[int, Fraction], ...]
"""An affine combination of continuous draws, by their number, with coefficients not 0."""


class Decision(NamedTuple):
    """One branching of a run: what was asked, where, of how many ways, and which was taken."""

    asked: Hashable
    where: str
    ways: int
    taken: int


class Test(NamedTuple):
    """Condition of a decision on the values of the draws, so that known values can answer it."""

    kind: str
    """``finite``, ``split``, ``fix``, ``parts``, ``below`` or ``datasets``."""
    number: int
    """The number of the countable draw; of a finite one, its place among all draws."""
    what: Any
    """The part, support or parts that the draw may lie in; the terms and the bound of ``below``."""
    drawn: int
    """Number of draws made before."""


@dataclass
class Run:
    """Draws and decisions of one run so far.

    The first decisions follow ``trail``; from then on the first way is taken each time.
    """

    trail: Sequence[int]
    decisions: list[Decision] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    """Condition of each decision on known values."""
    drawn: int = 0
    """Number of draws of any kind."""
    weight: Real = ONE
    """The probability of what was decided about finite draws."""
    finite: list[int] = field(default_factory=list)
    """Decisions about the finite draws."""
    draws: list[Draw] = field(default_factory=list)
    """The continuous draws."""
    scales: list[Fraction] = field(default_factory=list)
    """Factor of each in :attr:`draws` and :attr:`zone`."""
    zone: Edges = field(default_factory=dict)
    """Bounds of the continuous draws, by edge."""
    wholes: list[WholeDraw | Enclosed] = field(default_factory=list)
    """The countable draws, and the probabilities of sub-samplers that are not known exactly."""
    supports: list[Support] = field(default_factory=list)
    """Set that each countable draw lies in."""
    opens: bool = False
    """True if an output may leave whole numbers open."""
    as_run: bool = False
    """True if numbers are Python's own, so that a quotient of whole ones is a float."""
    follows: bool = False
    """True if the likeliest paths are wanted first."""
    refusal: Refused | None = None
    """Refusal, kept should the program have caught it."""
    raised_at: str = ""
    """The line of the program that raised, where an exception ended the run."""
    samplers: Samplers | None = None
    """Function that derives the laws of sub-samplers."""
    masses: list[float] = field(default_factory=list)
    """About how probable it was to come to each decision."""
    cut: bool = False
    """True if the run was left because it is too improbable."""
    about: float = 1.0
    """About how probable what was decided of other draws is, where ``follows``."""
    gave: list[tuple[Hashable, Any]] = field(default_factory=list)
    """Requests to the source and its answers, in order."""
    words: Words | None = None
    """Description of the draws and decisions, if one is wanted."""
    flow: int = 0
    """One number for the instructions of the program that ran, if they were followed."""
    open: bool = True
    """True while the program runs: afterwards nothing can be decided any more."""
    rescaled: bool = False
    """True if some draws are counted in other units."""
    plain: bool = True
    """True if unknown numbers met exact ones alone, in sums, multiples and comparisons."""
    touched: set[int] = field(default_factory=set)
    """The nodes of which anything was decided, or that lie between numbers."""
    datasets: Sequence[tuple[int, ...]] = ()
    """The datasets that are explored together, if there are several."""
    active: tuple[int, ...] = ()
    """The numbers of those for which all came out alike so far."""
    has_floats: bool = False
    """True if the program has floats where the run has exact numbers, as a plain function has."""
    whole_columns: bool = False
    """True if a column of draws was converted to whole numbers."""
    images: list[Image] = field(default_factory=list)
    """The draws that are functions of others."""
    spent: set[int] = field(default_factory=set)
    """The continuous draws that have an image, about which nothing more is decided."""
    counted: set[int] = field(default_factory=set)
    """Those of them whose image is countable: its probabilities are theirs."""
    made: list[Difference | Remainder] = field(default_factory=list)
    """The countable draws that are made of others."""

    def refuse(self, why: str, *, kind: type[Refused] = Refused, **how: Any) -> NoReturn:
        """Raise ``Refused``, and remember it."""
        self.refusal = kind(why, **how)
        raise self.refusal

    def check_open(self) -> None:
        """Refuse to decide about a draw of a run that has ended."""
        if not self.open:
            raise Refused(
                "a random draw is used after the run that drew it; keep draws inside the function"
            )

    def decide(
        self, asked: Hashable, ways: int, kind: str, number: int = 0, what: Any = None
    ) -> int:
        """Return which of ``ways`` ways is taken here; the others say it as a :class:`Test`."""
        place = len(self.decisions)
        if place >= MOST_DECISIONS:
            told = f"a path has more than {MOST_DECISIONS} decisions; it may never end"
            self.refuse(told, kind=NoEnd)
        taken = self.trail[place] if place < len(self.trail) else 0
        taken = taken % ways if taken < 0 else taken
        if taken >= ways:
            self.refuse(_CHANGED, final=True)
        self.decisions.append(Decision(asked, line_of_program(), ways, taken))
        self.tests.append(Test(kind, number, what, self.drawn))
        if self.follows:
            self.masses.append(float(self.weight) * self.about)
            if self.masses[-1] < _NEGLIGIBLE:
                self.cut = True
                raise Cut
        return taken

    def draw_finite(self, asked: Hashable, ways: int) -> int:
        """Return which of ``ways`` ways a finite draw takes, of whatever probability."""
        taken = self.decide(asked, ways, "finite", self.drawn)
        self.finite.append(taken)
        if self.words is not None:
            self.words.finite(asked, taken)
        return taken

    def draw_whole(self, draw: WholeDraw) -> int:
        """Return the number of a new countable draw."""
        self.plain = False
        self.wholes.append(draw)
        self.supports.append(draw.support())
        if self.words is not None:
            self.words.drew("whole", len(self.wholes) - 1, draw.kind)
        return len(self.wholes) - 1

    def draw(self, draw: Draw) -> int:
        """Return the number of a new continuous draw."""
        node = len(self.draws)
        self.draws.append(draw)
        if self.words is not None:
            self.words.drew("real", node, draw.kind)
        self.scales.append(_UNSCALED)
        low, high = draw.support()
        if low is not None:
            self.zone[ORIGIN, node] = -low
            self.touched |= {ORIGIN, node}
        if high is not None:
            self.zone[node, ORIGIN] = high
            self.touched |= {ORIGIN, node}
        return node

    def is_below(self, terms: Terms, c: Fraction) -> bool:
        """Decide whether Σ coefficient·draw < c, with one or two draws."""
        self.check_open()
        u, v, bound = self._difference(terms, c)
        both = u in self.touched and v in self.touched
        known = self._implied(u, v, bound) if both else None
        if known is not None:
            return known
        if self.spent and not self.spent.isdisjoint((u, v)):
            self.refuse(
                "a random draw is compared after a function of it was computed, which dpaudit "
                "cannot follow; compare it first"
            )
        below = self.decide(("below", u, v, comparable(bound)), 2, "below", what=(terms, c)) == 0
        if self.words is not None:
            self.words.below(terms, c, below=below)
        self.about /= 2  # so that what is decided so for ever becomes improbable
        edge, limit = ((u, v), bound) if below else ((v, u), -bound)
        self.touched.update(edge)
        self.zone[edge] = limit  # below any that was there: it was open
        return below

    def _implied(self, u: int, v: int, bound: Any) -> bool | None:
        """Tell whether x_u − x_v < bound is certain, impossible or open."""
        if not self.datasets:
            return implied(self.zone, u, v, bound)
        if not reaches(self.zone, u, v) and not reaches(self.zone, v, u):
            return None
        known: bool | None = self.alike(
            lambda data: implied(self.zone_at(data), u, v, at(bound, data))
        )
        return known

    def weighed(self) -> Edges:
        """Return where the continuous draws lie, but for those with a countable image."""
        if not self.counted:
            return self.zone
        return {edge: c for edge, c in self.zone.items() if self.counted.isdisjoint(edge)}

    def zone_at(self, dataset: tuple[int, ...]) -> Edges:
        """Return the zone at one of the datasets that are explored together."""
        return {edge: at(c, dataset) for edge, c in self.zone.items()}

    def alike(self, value: Callable[[tuple[int, ...]], Any]) -> Any:
        """Go on with those datasets for which a value is one and the same, and return it."""
        self.check_open()
        found = [_or_raised(value, self.datasets[number]) for number in self.active]
        # 0.0 is not -0.0, and each exception is raised where it belongs
        marks = [repr(one) if type(one) in (float, _Raises) else one for one in found]
        ways = list(dict.fromkeys(marks))
        if len(ways) == 1 and type(found[0]) is not _Raises:
            return found[0]
        taken = 0
        if len(ways) > 1:
            taken = self.decide((DATASETS, tuple(marks)), len(ways), DATASETS)
        way = ways[taken]
        self.active = tuple(
            number for number, mark in zip(self.active, marks, strict=True) if mark == way
        )
        alike = found[marks.index(way)]
        return value(self.datasets[self.active[0]]) if type(alike) is _Raises else alike

    def bounds(self, terms: Terms, c: Fraction) -> tuple[Fraction | None, Fraction | None]:
        """Return between which numbers Σ coefficient·draw + c lies; None for no end."""
        self.check_open()
        if len(terms) > 2:
            return None, None
        found: list[Fraction | None] = []
        for sign in (-1, 1):
            u, v, unit = self._difference(tuple((node, sign * a) for node, a in terms), Fraction(1))
            most = upper(self.zone, u, v)  # x_u − x_v < unit says that the sum is below 1
            found.append(None if most is None else sign * most / unit + c)
        return found[0], found[1]

    def _difference(self, terms: Terms, c: Fraction) -> tuple[int, int, Fraction]:
        """Return nodes u, v and a bound so that the question is whether x_u − x_v < bound."""
        if len(terms) > 2:
            self.refuse(
                f"{len(terms)} random draws are compared at once; dpaudit follows at most two"
            )
        if len(terms) == 2 and not self.rescaled:
            (x, a), (y, b) = terms  # as most are
            if a is UNIT and b is MINUS:
                return x, y, c
            if a is MINUS and b is UNIT:
                return y, x, c
        scaled = [
            (node, a if (scale := self.scales[node]) is _UNSCALED else a / scale)
            for node, a in terms
        ]
        x, a = scaled[0]
        bound = c if a in _UNITS else c / abs(a)
        if len(scaled) == 1:
            return (x, ORIGIN, bound) if a.numerator > 0 else (ORIGIN, x, bound)
        y, b = scaled[1]
        if a != -b:
            group = self._connected(y)
            if x in group:
                self.refuse(
                    "two random draws are compared in two different proportions (such as x < y "
                    "and x < 2*y), which dpaudit cannot follow"
                )
            self._rescale(group, -b / a)  # b·y is −a·(−b/a·y)
        return (x, y, bound) if a.numerator > 0 else (y, x, bound)

    def _connected(self, node: int) -> set[int]:
        found, waiting = {node}, [node]
        while waiting:
            one = waiting.pop()
            for edge in self.zone:
                if one in edge:
                    new = set(edge) - found - {ORIGIN}
                    found |= new
                    waiting += new
        return found

    def _rescale(self, nodes: set[int], factor: Fraction) -> None:
        """Count some draws in other units: each is multiplied by ``factor`` from now on."""
        zone: Edges = {}
        for (u, v), c in self.zone.items():
            if nodes & {u, v}:
                edge = (u, v) if factor > 0 else (v, u)
                zone[edge] = c * abs(factor)
            else:
                zone[u, v] = c
        self.zone = zone
        self.rescaled = True
        for node in nodes:
            self.draws[node] = self.draws[node].times(factor)
            self.scales[node] *= factor

    def is_spent(self, number: int) -> bool:
        """Tell whether something was made of a countable draw that takes its place."""
        return any(number in one.bases for one in self.made)

    def check_unspent(self, number: int) -> None:
        """Refuse to decide about a countable draw that is spent, or of a run that has ended."""
        self.check_open()
        if self.made and self.is_spent(number):
            self.refuse(
                "a random whole number is used together with a difference or remainder computed "
                "from it, which dpaudit cannot follow; use one of them"
            )

    def split(self, number: int, part: Support, asked: Hashable) -> bool:
        """Decide whether a countable draw lies in ``part``."""
        self.check_unspent(number)
        support = self.supports[number]
        inside, outside = intersection(support, part), difference(support, part)
        if not inside or not outside:
            return bool(inside)
        found = self.decide((number, asked), 2, "split", number, part) == 0
        if self.words is not None:
            self.words.whole(number, asked, inside=found)
        self.narrow(number, inside if found else outside)
        return found

    def fix(self, number: int) -> int:
        """Decide which number a countable draw with a bounded support is."""
        self.check_unspent(number)
        support = self.supports[number]
        count = size(support)
        if count is None:
            self.refuse("the value of an unbounded whole number is used; compare or clamp it first")
        if count > MOST_WAYS:
            self.refuse(
                f"the value of a random whole number with {count} possible values is used; "
                "compare it first, or draw from fewer values"
            )
        place = 0
        if count > 1:
            place = self.decide((number, "which", count), count, "fix", number, support)
        for low, high in support:
            assert low is not None
            assert high is not None
            if place <= high - low:
                self.narrow(number, ((low + place, low + place),))
                if self.words is not None and count > 1:
                    self.words.fixed(number, low + place)
                return low + place
            place -= high - low + 1
        raise AssertionError(support)

    def narrow(self, number: int, support: Support) -> None:
        """Let a countable draw lie in a smaller support."""
        before, self.supports[number] = self.supports[number], support
        if self.follows:
            now, whole = (float(chance(self.wholes[number], one)) for one in (support, before))
            self.about *= now / whole if whole else 0.0


class _Raises(NamedTuple):
    """An exception in place of a value."""

    error: Exception


def _or_raised(value: Callable[[tuple[int, ...]], Any], dataset: tuple[int, ...]) -> Any:
    try:
        return value(dataset)
    except Exception as error:
        return _Raises(error)


_CHANGED = (
    "the program takes different decisions when it runs again with the same draws, so it "
    "depends on more than its dataset and draws"
)
