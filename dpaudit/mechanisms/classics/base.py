"""Base of the classics: the data they take, their parameters, and how they draw.

Data are the answer of one user, one count, or the counts of cells:

* One user: datasets are the values a user may have, and any two are neighbours.  Users are
  randomised each alone, so how many there are changes nothing: n is 1.
* One count c over n records: datasets are (c, n − c), c = 0 … n, for the records that have a
  property and those that have not, and counts that differ by 1 are neighbours.
* The counts of k cells over n records: datasets are the histograms of n.

Draws are in floats; no audit needs one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, floor
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from dpaudit.data.adjacency import Adjacency, Substitution, histogram_relation
from dpaudit.data.histograms import Counts, balanced_histograms
from dpaudit.data.neighbouring import ALL, WORDS_OF_ONE_USER, read_name
from dpaudit.errors import DomainError, SizeError
from dpaudit.mechanisms import parameters
from dpaudit.mechanisms.base import Mechanism, in_nats
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Real, real
from dpaudit.results import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.deltas_over import DeltaFamily
    from dpaudit.laws.law import Law
    from dpaudit.laws.over_epsilon import EpsilonFamily

    Families = Mapping[str, tuple[Callable[[int], EpsilonFamily], Callable[[int], DeltaFamily]]]


__all__ = [
    "BASE",
    "CALIBRATED",
    "EPSILON",
    "NOISE",
    "VALUES",
    "CalibratedParameter",
    "CellMechanism",
    "CountMechanism",
    "CountsInBase",
    "LocalMechanism",
    "UnitParameter",
    "discrete_gaussian",
    "geometric",
    "noise_rate",
    "toss",
]


CALIBRATED = "calibrated"
"""The word for a probability that follows from ε."""


@dataclass(frozen=True, slots=True)
class UnitParameter(parameters.Parameter):
    """A real number from 0 to 1, both allowed."""

    def read(self, value: object) -> Real:
        number = parameters.read_number(value, self.name)
        for distance in (number, ONE - number):
            if distance.sign() not in (Sign.ZERO, Sign.POSITIVE):
                raise DomainError(self.name, number, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return "a number from 0 to 1"


@dataclass(frozen=True, slots=True)
class CalibratedParameter(parameters.Parameter):
    """A real number above zero and below one, or the one that the definition makes of ε."""

    def read(self, value: object) -> Real | str:
        if value == CALIBRATED:
            return CALIBRATED
        number = parameters.read_number(value, self.name)
        for distance in (number, ONE - number):
            if distance.sign() is not Sign.POSITIVE:
                raise DomainError(self.name, number, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return f"a number greater than 0 and less than 1, or {CALIBRATED}"


EPSILON = parameters.PositiveParameter(
    "epsilon",
    "the privacy parameter ε the mechanism is run with",
    "4/5",
    "that of the notes' mechanisms, so that they can be compared",
)

BASE = parameters.ChoiceParameter(
    "base",
    "whether probabilities are powers e^ε or 2^ε, and whether ε counts nats or bits",
    "e",
    "privacy loss is a natural logarithm",
    (
        ("e", "e^ε: ε is a natural logarithm"),
        ("2", "2^ε: ε counts bits, and ε·ln(2) is stated"),
        ("mixed", "a mistake: ε counts bits, so ε·ln(2) is stated, but the code computes e^ε"),
    ),
)

NOISE = parameters.ChoiceParameter(
    "noise",
    "the scale of the noise",
    "calibrated",
    "it is what the definition says",
    (
        ("calibrated", "its scale is the sensitivity over ε"),
        ("inverted", "a mistake: ε where 1/ε was meant (Ding et al. 2018)"),
    ),
)


VALUES = parameters.WholeParameter(
    "k", "the number of values", "4", "small, and not the binary case", 2, 1000
)


def noise_rate(epsilon: Real, noise: str) -> Real:
    """Return 1 over the scale of noise for sensitivity 1."""
    return epsilon if noise == "calibrated" else epsilon.reciprocal()


def natural(epsilon: Real, base: str) -> Real:
    """Return what probabilities are e to the power of."""
    return epsilon * real("ln(2)") if base == "2" else epsilon


def stated_epsilon(epsilon: Real, base: str) -> Real:
    """Return the ε that is stated, as a natural logarithm."""
    return in_nats(epsilon, unit_of(base))


def unit_of(base: str) -> str:
    """Return the unit in which ε is given, and stated."""
    return "nats" if base == "e" else "bits"


ValueT = TypeVar("ValueT", bound=Hashable)
DatasetT = TypeVar("DatasetT")


class AnyTwo(Adjacency[ValueT]):
    """Any two of the values that one user may have are neighbours."""

    name = ALL.name

    def __init__(self, values: Sequence[ValueT], notice: str = "", *, alike: bool = False) -> None:
        """Take the values, at least two, how an old name was read, and if all pairs are alike."""
        self.values = values
        self.notice = notice
        self.alike = alike

    def datasets(self, n: int) -> Sequence[ValueT]:
        return self.values

    def dataset_count(self, n: int) -> int:
        return len(self.values)

    def pair_count(self, n: int) -> int:
        """Return C(v, 2) for v values."""
        return comb(len(self.values), 2)

    def pairs(self, n: int) -> Iterator[tuple[ValueT, ValueT]]:
        """Iterate over the pairs in the order of the values.

        >>> list(AnyTwo([0, 1, 2]).pairs(1))
        [(0, 1), (0, 2), (1, 2)]
        """
        for place, left in enumerate(self.values):
            for right in self.values[place + 1 :]:
                yield left, right

    def pairs_around(self, n: int, chosen: frozenset[ValueT]) -> Iterator[tuple[ValueT, ValueT]]:
        """Iterate over the pairs with a ``chosen`` value, and over no others on the way.

        >>> list(AnyTwo([0, 1, 2]).pairs_around(1, frozenset([1])))
        [(0, 1), (1, 2)]
        """
        places = [place for place, value in enumerate(self.values) if value in chosen]
        for place, left in enumerate(self.values):
            others = range(place + 1, len(self.values)) if left in chosen else places
            yield from ((left, self.values[other]) for other in others if other > place)

    def adjacent(self, left: ValueT, right: ValueT) -> bool:
        """Tell whether these are two different values."""
        return ALL.adjacent(left, right)


class ClassicMechanism(Mechanism[DatasetT]):
    """A mechanism whose law at one dataset takes nothing but its parameters, like its samples."""

    @property
    def stated(self) -> Budget:
        """The pure budget of the own ε, unless a mechanism states another."""
        return Budget(self.values()["epsilon"], ZERO)

    @abstractmethod
    def law(self, dataset: DatasetT) -> Law:
        """Return the output law at ``dataset``."""

    def laws(self) -> Self:
        """Return the mechanism itself: what laws share is cached by the functions that make it."""
        return self

    @abstractmethod
    def draw(self, dataset: DatasetT, size: int, rng: Generator) -> NDArray[Any]:
        """Draw ``size`` outputs at ``dataset`` in floats, all together: one a line."""

    def sample(self, dataset: DatasetT, size: int, rng: Generator) -> list[Hashable]:
        drawn = self.draw(dataset, size, rng)
        lines = drawn.tolist()
        return [tuple(line) for line in lines] if drawn.ndim > 1 else lines

    def entries(self, n: int) -> int:
        return 16


class CountsInBase:
    """A mechanism whose ε is counted in a ``base``, and stated as a natural logarithm."""

    epsilon: Real
    base: str

    @property
    def stated(self) -> Budget:
        return Budget(stated_epsilon(self.epsilon, self.base), ZERO)

    @property
    def epsilon_unit(self) -> str:
        return unit_of(self.base)

    @property
    def rate(self) -> Real:
        """Rate of the exponentials in its probabilities: ε in nats."""
        return natural(self.epsilon, self.base)


class LocalMechanism(ClassicMechanism[Any]):
    """A mechanism that each user applies to the own value, before anybody sees it."""

    small_sizes = (1,)
    pairs_alike: ClassVar[bool] = False
    """True if all values are treated alike, so that an audit needs to look at one pair alone."""

    @property
    def has_alike_pairs(self) -> bool:
        """True if all pairs are alike with these parameters."""
        return self.pairs_alike

    @property
    def default_size(self) -> int:
        return 1

    @property
    @abstractmethod
    def values_of_a_user(self) -> Sequence[Hashable]:
        """All values a user may have."""

    def check_size(self, n: int) -> None:
        if n != 1:
            raise SizeError(
                f"n = {n}: {self.name} randomises the value of one user, whatever the others have; "
                "n must be 1 or left out"
            )

    def dataset_of(self, counts: tuple[int, ...]) -> Hashable:
        """Return the value of the user: one whole number, or several of which it consists."""
        return counts[0] if len(counts) == 1 and self._has_numbers else counts

    @property
    def _has_numbers(self) -> bool:
        """True if the values of a user are whole numbers."""
        return not isinstance(self.values_of_a_user[0], tuple)

    @property
    def dataset_shape(self) -> str:
        first, last = self.values_of_a_user[0], self.values_of_a_user[-1]
        if self._has_numbers:
            return f"it must be the value of one user, from {first} to {last}, such as --at {last}"
        assert isinstance(first, tuple)
        shown = ",".join(map(str, first))
        return f"it must be the {len(first)} numbers that encode one user's value: --at {shown}"

    def adjacency(self, name: str | None = None) -> Adjacency[Any]:
        notice = ""
        if name is not None:
            _, notice = read_name(name, {AnyTwo.name: AnyTwo}, WORDS_OF_ONE_USER)
        return AnyTwo(self.values_of_a_user, notice, alike=self.has_alike_pairs)


class CellMechanism(ClassicMechanism[Counts]):
    """A mechanism that sees how many of n records fall into each of k categories."""

    small_sizes = (1, 4)

    @property
    @abstractmethod
    def k(self) -> int:
        """The number of categories."""

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return histogram_relation(Substitution.name if name is None else name, self.k)

    def uniform(self, n: int) -> list[Counts]:
        return balanced_histograms(n, self.k)


class CountMechanism(CellMechanism):
    """A mechanism that sees how many of n records have a property: c have it, n − c have not."""

    families: ClassVar[
        Mapping[str, tuple[Callable[[int], EpsilonFamily], Callable[[int], DeltaFamily]]]
    ] = {}
    """By a parameter, what gives at a size the laws as functions of it, and δ of all ways."""

    @property
    def k(self) -> int:
        return 2

    def over(self, parameter: str, n: int) -> EpsilonFamily | None:
        known = self.families.get(parameter)
        return super().over(parameter, n) if known is None else known[0](n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        known = self.families.get(parameter)
        return super().deltas_over(parameter, n) if known is None else known[1](n)


def toss(p: float, size: int, rng: Generator) -> NDArray[np.bool_]:
    """Return True with probability ``p``, so often."""
    return rng.random(size) < p


def geometric(rate: float, shape: int | tuple[int, ...], rng: Generator) -> NDArray[np.int64]:
    """Draw two-sided geometric noise, t = e^(−rate), as the difference of two one-sided ones."""
    success = 1 - exp(-rate)
    return rng.geometric(success, shape) - rng.geometric(success, shape)


def discrete_gaussian(sigma: float, size: int, rng: Generator) -> NDArray[np.int64]:
    """Draw N_Z(0, σ²) from discrete Laplace noise by rejection (Canonne et al. 2020, Alg. 3)."""
    import numpy as np

    scale = floor(sigma) + 1
    found = np.zeros(0, dtype=np.int64)
    while len(found) < size:
        noise = geometric(1 / scale, size, rng)
        chance = np.exp(-((np.abs(noise) - sigma**2 / scale) ** 2) / (2 * sigma**2))
        found = np.concatenate([found, noise[rng.random(size) < chance]])
    return found[:size]


def redrawn(draw: Callable[[], NDArray[np.int64]], least: int, most: int) -> NDArray[np.int64]:
    """Return what ``draw`` gives, drawn anew where it is not from ``least`` to ``most``."""
    found = draw()
    while (outside := (found < least) | (found > most)).any():
        found[outside] = draw()[outside]
    return found
