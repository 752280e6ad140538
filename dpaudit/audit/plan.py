"""Questions and settings of an audit, apart from the mechanism and the sizes.

Data sizes are listed as ``10..180``, ``10..180..10``, ``10,20,40`` and their combinations.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError, SizeError

if TYPE_CHECKING:
    from dpaudit.data.adjacency import Adjacency
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real
    from dpaudit.results import Budget


__all__ = [
    "DEFAULT_DIGITS",
    "DEFAULT_TOLERANCE",
    "DEFAULT_TYPE_ONE",
    "DELTA_WITHOUT_BUDGET",
    "ENGINES",
    "EPSILONS_WITHOUT_BUDGET",
    "MAX_DIGITS",
    "MAX_SIZE",
    "WORTH_A_SCREEN",
    "Pairs",
    "Plan",
    "datasets_at",
    "pairs_planned",
    "read_sizes",
    "sizes_of",
]


DEFAULT_DIGITS = 12
DEFAULT_TOLERANCE = "1e-6"
"""Default distance allowed from the safe nominal ε up to the failing one."""
DEFAULT_TYPE_ONE = "1/100,1/20,1/10,1/4,1/2"
"""The type I errors at which a trade-off function is wanted, if nothing else is said."""
EPSILONS_WITHOUT_BUDGET = ("1/2", "1", "2")
"""The ε at which δ(ε) is wanted where there is no budget, if none is named."""
DELTA_WITHOUT_BUDGET = "1e-5"
"""The δ at which ε is wanted there, of what is audited fast at one size."""
MAX_DIGITS = 1000
ENGINES = ("screen", "ball")
"""Engines that visit pairs; see :attr:`Plan.engine`.  Both give the same findings."""
WORTH_A_SCREEN = 24
"""Fewer pairs are looked at in balls sooner than a screen is set up."""


@dataclass(frozen=True)
class Plan:
    """The questions of one audit."""

    budget: Budget | None
    """Budget that the verdict is about; None for no budget, and no verdict."""
    at_eps: tuple[Real, ...] = ()
    """Other ε at which δ(ε) is wanted."""
    at_delta: tuple[Real, ...] = ()
    """The δ at which the smallest ε is wanted."""
    digits_at_delta: int | None = None
    """Its interval is to be at most 10^−this wide; None for ``digits``."""
    adjacency: str | None = None
    """The neighbouring relation; None for the mechanism's own."""
    at: tuple[int, ...] | str | None = None
    """Only pairs that contain this dataset, ``uniform`` data or data of that text; None for all."""
    digits: int = DEFAULT_DIGITS
    """Intervals are to be at most 10^−digits wide."""
    engine: str = "screen"
    """``screen`` for floats first and balls for what they leave; ``ball`` for balls throughout."""
    precision_cap: int = 1024
    """Bits at which an undecided verdict is reported as undecided."""

    @property
    def held_to(self) -> Budget:
        """The budget, for a question that is about one; ``ParameterError`` without it."""
        if self.budget is None:
            raise ParameterError("budget", "no budget is stated; give one (--budget)")
        return self.budget


class Pairs:
    """The pairs that one audit has to cover at one size."""

    def __init__(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> None:
        """Resolve the relation and the restriction; ``SizeError`` for a dataset that is not one.

        Raises ``AmbiguousRelationError`` where the relation may be either of two.
        """
        mechanism.check_size(n)
        self.n = n
        self.relation: Adjacency[Any] = mechanism.adjacency(plan.adjacency)
        self.relation.check_reading(n)
        self.only: frozenset[Hashable] | None = None
        if plan.at is not None:
            self.only = frozenset(datasets_at(mechanism, n, plan.at))
            for dataset in self.only:
                if dataset not in self.relation.datasets(n):
                    raise SizeError(
                        f"at = {_written(plan.at)}: not a dataset of {mechanism.name} at n = {n} "
                        f"({_shape(mechanism)})"
                    )

            if not self.expected:
                raise SizeError(f"at = {plan.at}: it has no neighbours at n = {n}")

    @property
    def datasets(self) -> int:
        """Number of datasets that the pairs are drawn from."""
        return self.relation.dataset_count(self.n)

    @property
    def expected(self) -> int:
        """Number of pairs, without enumerating them as :meth:`__iter__` does."""
        if self.only is None:
            return self.relation.pair_count(self.n)
        adjacent = self.relation.adjacent
        # A pair with both ends among these datasets is counted at each of them.
        inside = sum(adjacent(x, y) for x in self.only for y in self.only) // 2
        return sum(self.relation.degree(self.n, x) for x in self.only) - inside

    @property
    def alike(self) -> bool:
        """True if one pair stands for all of them."""
        return self.relation.alike and self.only is None

    @property
    def visited(self) -> int:
        """Number of pairs in :meth:`__iter__`."""
        return 1 if self.alike else self.expected

    @property
    def each(self) -> int:
        """Number of pairs that each of those in :meth:`__iter__` stands for."""
        return self.expected if self.alike else 1

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over the pairs, each once; over the first alone where all are alike."""
        if self.only is None:
            return islice(self.relation.pairs(self.n), 1 if self.alike else None)
        return iter(self.relation.pairs_around(self.n, self.only))


def pairs_planned(mechanism: Mechanism[Any], n: int, plan: Plan) -> int:
    """Return about how many pairs an audit looks at, without listing them."""
    if plan.at is not None:
        return Pairs(mechanism, n, plan).expected
    return mechanism.adjacency(plan.adjacency).expected_pairs(n)[0]


def datasets_at(mechanism: Mechanism[Any], n: int, at: tuple[int, ...] | str) -> list[Any]:
    """Return the datasets that ``at`` stands for."""
    if at == "uniform":
        return mechanism.uniform(n)
    return mechanism.dataset_named(at, n) if isinstance(at, str) else [mechanism.dataset_of(at)]


def _written(at: tuple[int, ...] | str) -> str:
    return at if isinstance(at, str) else ",".join(map(str, at))


def _shape(mechanism: Mechanism[Any]) -> str:
    if mechanism.dataset_shape:
        return mechanism.dataset_shape
    k = getattr(mechanism, "k", None)
    numbers = f"{k} numbers ≥ 0" if k is not None else "numbers ≥ 0"
    return f"its counts must be {numbers} and sum to n"


MAX_SIZE = 10_000_000
MAX_SIZES = 1_000_000
_ALLOWED = "allowed are sizes of at least 1 as N, FIRST..LAST, FIRST..LAST..STEP, joined by commas"
_RANGE = re.compile(r"(\d{1,12})\.\.(\d{1,12})(?:\.\.(\d{1,12}))?", re.ASCII)


def read_sizes(given: str | int | Iterable[int]) -> Sequence[int]:
    """Return the sizes in increasing order without repetition; ``SizeError`` for nonsense.

    A range stays one: its sizes are not written out.

    >>> read_sizes("10..180..50"), read_sizes("40,10,20"), read_sizes(5)
    (range(10, 181, 50), (10, 20, 40), (5,))
    """
    if isinstance(given, str):
        parts = [part.strip() for part in given.split(",")]
        ranges = [_part(part, given) for part in parts]
        if len(ranges) == 1:
            return ranges[0]
        # Before they are written out.
        if sum(map(len, ranges)) > MAX_SIZES:
            raise SizeError(f"n lists more than {MAX_SIZES} sizes; {_ALLOWED}")
        sizes = [_whole(size) for sizes in ranges for size in sizes]
    elif isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray)):
        sizes = [_whole(size) for size in given]
    else:
        sizes = [_whole(given)]
    if not sizes:
        raise SizeError(f"no sizes are given; {_ALLOWED}")
    return tuple(sorted(set(sizes)))


def _whole(size: object) -> int:
    """Return a size given as a whole number, NumPy's included."""
    # Python takes True for 1; whoever writes it as a size means something else.
    whole = int(size) if isinstance(size, Integral) and not isinstance(size, bool) else 0
    if not 1 <= whole <= MAX_SIZE:
        raise SizeError(f"n = {size}: a size must be a whole number from 1 to {MAX_SIZE}")
    return whole


def sizes_of(
    mechanism: Mechanism[Any],
    given: str | int | Iterable[int] | None,
    at: tuple[int, ...] | str | None = None,
) -> Sequence[int]:
    """Return the sizes given; if none is, the one that ``mechanism`` means, or the data ``at``."""
    if given is None and mechanism.default_size is None:
        if isinstance(at, tuple):
            return read_sizes(mechanism.size(at))
        raise SizeError(f"n is needed: the datasets of {mechanism.name} depend on it")
    return read_sizes(mechanism.default_size or 1 if given is None else given)


def _part(part: str, given: str) -> Sequence[int]:
    if re.fullmatch(r"\d{1,12}", part, re.ASCII):
        return (_whole(int(part)),)
    match = _RANGE.fullmatch(part)
    if match is None:
        raise SizeError(f"n = {given!r} is not a list of sizes; {_ALLOWED}")
    first, last, step = (int(number or 1) for number in match.groups())
    if first > last:
        raise SizeError(f"n = {part}: the range runs backwards; did you mean {last}..{first}?")
    if step < 1 or not 1 <= first <= last <= MAX_SIZE:
        raise SizeError(f"n = {part}: sizes must lie from 1 to {MAX_SIZE}, the step at least 1")
    return range(first, last + 1, step)
