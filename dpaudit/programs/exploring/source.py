"""The source of randomness that a program is given while it is explored."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dpaudit.errors import DpauditError
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Number, Real, add_up, complement, order, rational, real
from dpaudit.programs.exploring.several import Several
from dpaudit.programs.exploring.shifts import UNIT
from dpaudit.programs.exploring.subsamplers import Enclosed
from dpaudit.programs.guarding.guards import PLAIN_NUMBERS, unwatched
from dpaudit.programs.unknowns.noises import Draw, draw_of
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import WholeDraw

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.exploring.subsamplers import Outcome

__all__ = ["MOST_WAYS", "Explored", "Source", "read_number"]

MOST_WAYS = 4096
"""A finite draw from more is kept as an unknown whole number until it is compared."""

ItemT = TypeVar("ItemT")
_NONE = Fraction(0)


@lru_cache(maxsize=1 << 12, typed=True)
def _read_once(value: Any) -> Real:
    return real(value)


def read_number(value: Any) -> Real:
    """Return a scale or a probability exactly, read once however often it is drawn with."""
    return _read_once(value) if type(value) in (str, float, int) else real(value)


class Source:
    """Source of a program's draws; scales and probabilities are exact, as :func:`real` reads them.

    A continuous draw takes ``grid``, the spacing of the numbers it is rounded to when the program
    is run for real; there is none yet, so that continuous draws are explored and not run.
    """

    def bernoulli(self, p: Number) -> bool:
        """Return True with probability ``p``."""
        raise NotImplementedError

    def integers(self, n: int) -> int:
        """Return one of 0, …, ``n`` − 1, each alike."""
        raise NotImplementedError

    def choice(self, items: Iterable[ItemT], weights: Iterable[Number] | None = None) -> ItemT:
        """Return one of ``items``, each alike or in proportion to its weight."""
        raise NotImplementedError

    def permutation(self, items: Iterable[ItemT]) -> list[ItemT]:
        """Return ``items`` in an order of which all are alike."""
        left = list(items)
        found = []
        while left:
            found.append(left.pop(self.integers(len(left))))
        return found

    def bits(self, k: int) -> int:
        """Return one of 0, …, 2^``k`` − 1, each alike."""
        return self.integers(1 << k)

    def sub(
        self,
        sampler: Callable[..., Any],
        *given: Any,
        outcomes: Iterable[Hashable] | None = None,
    ) -> Any:
        """Return what ``sampler(source, *given)`` gives; its law is derived once.

        One that may run without an end names all its ``outcomes``; anything else it gives counts as
        the last of them.
        """
        return _declared(sampler(self, *given), outcomes)

    def until(
        self,
        attempt: Callable[..., Any],
        *given: Any,
        outcomes: Iterable[Hashable] | None = None,
    ) -> Any:
        """Repeat ``attempt(source, *given)`` until it is not None, and return what it is."""
        while True:
            found = attempt(self, *given)
            if found is not None:
                return _declared(found, outcomes)

    def geometric(self, p: Number) -> int:
        """Return k = 0, 1, 2, … with probability p·(1 − p)^k."""
        raise NotImplementedError

    def discrete_laplace(self, scale: Number) -> int:
        """Return a whole number k with probability in proportion to e^(−|k|/scale)."""
        raise NotImplementedError

    def discrete_gaussian(self, sd: Number) -> int:
        """Return a whole number k with probability in proportion to e^(−k²/(2·sd²))."""
        raise NotImplementedError

    def laplace(self, scale: Number, *, grid: Number | None = None) -> Any:
        """Return x with density e^(−|x|/scale)/(2·scale)."""
        raise NotImplementedError

    def exponential(self, mean: Number, *, grid: Number | None = None) -> Any:
        """Return x ≥ 0 with density e^(−x/mean)/mean."""
        raise NotImplementedError

    def uniform(self, low: Number = 0, high: Number = 1, *, grid: Number | None = None) -> Any:
        """Return x between ``low`` and ``high``, of constant density."""
        raise NotImplementedError

    def random(self) -> Any:
        """Return x between 0 and 1, of constant density, as Python's own ``random`` has it."""
        return self.uniform()

    def gumbel(self, scale: Number, *, grid: Number | None = None) -> Any:
        """Return x with distribution function e^(−e^(−x/scale))."""
        raise NotImplementedError

    def gaussian(self, sd: Number, *, grid: Number | None = None) -> Any:
        """Return x with density e^(−x²/(2·sd²))/(sd·√(2π))."""
        raise NotImplementedError


def _declared(found: Any, outcomes: Iterable[Hashable] | None) -> Any:
    if outcomes is None:
        return found
    listed = list(outcomes)
    return found if found in listed else listed[-1]


class Explored(Source):
    """The source of one run of an exploration."""

    def __init__(self, run: Run) -> None:
        """Draw for ``run``."""
        self._run = run

    def bernoulli(self, p: Number) -> bool:
        chance = self._number("p", p)
        if chance in (ZERO, ONE):
            return self._given(("bernoulli", chance), chance == ONE)
        if not self._lies(chance, ZERO) or not self._lies(ONE, chance):
            self._run.refuse(f"p = {p}: must lie between 0 and 1")
        taken = self._run.draw_finite(("bernoulli", chance), 2) == 0
        self._run.weight *= chance if taken else complement(chance)
        return self._given(("bernoulli", chance), taken)

    def integers(self, n: int) -> int:
        if not isinstance(n, int) or n < 1:
            self._run.refuse(f"integers({n!r}): n must be a whole number, at least 1")
        if n > MOST_WAYS:
            return self._whole(("integers", n), WholeDraw("integers", rational(n)))
        taken = self._run.draw_finite(("integers", n), n) if n > 1 else 0
        self._run.weight *= rational(Fraction(1, n))
        return self._given(("integers", n), taken)

    def choice(self, items: Iterable[ItemT], weights: Iterable[Number] | None = None) -> ItemT:
        listed: Sequence[ItemT] = list(items)
        if not listed:
            self._run.refuse("choice has no items; give at least one")
        if weights is None:
            return listed[self.integers(len(listed))]
        read = [self._number("a weight", weight) for weight in weights]
        if len(read) != len(listed):
            self._run.refuse(
                f"choice has {len(listed)} items and {len(read)} weights; give each item a weight"
            )
        if any(weight != ZERO and not self._lies(weight, ZERO) for weight in read):
            self._run.refuse("choice: a weight is negative")
        possible = [index for index, weight in enumerate(read) if weight != ZERO]
        if not possible:
            self._run.refuse("choice: no weight is positive")
        total = add_up(read)
        place = 0
        if len(possible) > 1:
            place = self._run.draw_finite(("choice", tuple(read)), len(possible))
        index = self._given(("choice", tuple(read)), possible[place])
        self._run.weight *= read[index] if total == ONE else read[index] / total
        return listed[index]

    def sub(
        self,
        sampler: Callable[..., Any],
        *given: Any,
        outcomes: Iterable[Hashable] | None = None,
    ) -> Any:
        return self._of_sampler(sampler, given, outcomes, renewed=False)

    def until(
        self,
        attempt: Callable[..., Any],
        *given: Any,
        outcomes: Iterable[Hashable] | None = None,
    ) -> Any:
        return self._of_sampler(attempt, given, outcomes, renewed=True)

    def _of_sampler(
        self,
        sampler: Callable[..., Any],
        given: tuple[Any, ...],
        outcomes: Iterable[Hashable] | None,
        *,
        renewed: bool,
    ) -> Any:
        assert self._run.samplers is not None
        self._run.plain = False
        listed = None if outcomes is None else tuple(outcomes)
        fixed = tuple(one._fixed() if isinstance(one, (Whole, Several)) else one for one in given)
        if any(isinstance(one, Unknown) for one in fixed):
            self._run.refuse(
                "an argument of a function of random.sub is a continuous random draw; pass a "
                "plain number"
            )
        self._run.open = False  # what it gives is a function of its own draws alone
        try:
            found = self._run.samplers(sampler, fixed, listed, renewed=renewed)
        finally:
            self._run.open = True
        weights = tuple(outcome.weight for outcome in found)
        if self._run.opens and len(found) > 1 and (table := _table(found)):
            return self._whole(("sampler", found), WholeDraw("table", ONE, table))
        place = self._run.draw_finite(("sampler", found), len(found)) if len(found) > 1 else 0
        weight = weights[place]
        if isinstance(weight, Enclosed):
            self._run.wholes.append(weight)
            self._run.supports.append(())
            self._run.about *= float(weight.upper)
        else:
            self._run.weight *= weight
        return self._given(("sampler", found), found[place].value)

    def geometric(self, p: Number) -> int:
        chance = self._number("p", p)
        if chance == ONE:
            return self._given(("geometric", chance), 0)
        if not self._lies(chance, ZERO) or not self._lies(ONE, chance):
            self._run.refuse(f"p = {p}: must be above 0 and at most 1")
        return self._whole(("geometric", chance), WholeDraw("geometric", chance))

    def discrete_laplace(self, scale: Number) -> int:
        scale = self._scale("scale", scale)
        return self._whole(("discrete_laplace", scale), WholeDraw("discrete_laplace", scale))

    def discrete_gaussian(self, sd: Number) -> int:
        scale = self._scale("sd", sd)
        return self._whole(("discrete_gaussian", scale), WholeDraw("discrete_gaussian", scale))

    def laplace(self, scale: Number, *, grid: Number | None = None) -> Any:
        return self._unknown(self._draw("laplace", "scale", scale), grid)

    def exponential(self, mean: Number, *, grid: Number | None = None) -> Any:
        return self._unknown(self._draw("exponential", "mean", mean), grid)

    def gumbel(self, scale: Number, *, grid: Number | None = None) -> Any:
        return self._unknown(self._draw("gumbel", "scale", scale), grid)

    def gaussian(self, sd: Number, *, grid: Number | None = None) -> Any:
        return self._unknown(self._draw("gaussian", "sd", sd), grid)

    def uniform(self, low: Number = 0, high: Number = 1, *, grid: Number | None = None) -> Any:
        ends = [self._number("an end", end).as_fraction() for end in (low, high)]
        if None in ends or not ends[0] < ends[1]:  # type: ignore[operator]
            self._run.refuse(
                f"uniform({low}, {high}): the ends must be rational, the first below the second"
            )
        return self._unknown(Draw("uniform", ONE, (ends[0], ends[1])), grid)  # type: ignore[arg-type]

    def _given(self, asked: Hashable, value: ItemT) -> ItemT:
        self._run.gave.append((asked, value))
        self._run.drawn += 1
        return value

    def _draw(self, kind: str, name: str, scale: Number) -> Draw:
        if type(scale) is Fraction and scale > 0:
            return draw_of(kind, *scale.as_integer_ratio())
        return Draw(kind, self._scale(name, scale))

    def _unknown(self, draw: Draw, grid: Number | None) -> Unknown:
        if grid is not None:
            self._run.refuse("dpaudit cannot follow a continuous draw that is rounded to a grid")
        node = self._run.draw(draw)
        return self._given(draw, Unknown(self._run, ((node, UNIT),), _NONE))

    def _whole(self, asked: Hashable, draw: WholeDraw) -> int:
        if self._run.datasets:
            self._run.refuse("dpaudit cannot follow countable draws for many datasets together")
        return cast("int", self._given(asked, Whole(self._run, self._run.draw_whole(draw))))

    def _scale(self, name: str, value: Number) -> Real:
        if type(value) is Fraction and value > 0:
            return rational(value)
        found = self._number(name, value)
        if not self._lies(found, ZERO):
            self._run.refuse(f"{name} = {value}: must be positive")
        return found

    def _number(self, name: str, value: Any) -> Real:
        if isinstance(value, (Whole, Several)):
            value = value._fixed()
        if isinstance(value, Unknown):
            self._run.refuse(f"{name} is a continuous random draw; it must be a plain number")
        try:
            return read_number(value)
        except DpauditError as error:
            self._run.refuse(f"{name}: {error}")

    def _lies(self, above: Real, below: Real) -> bool:
        try:
            return order(above, below) is Sign.POSITIVE
        except DpauditError as error:
            self._run.refuse(str(error))


def _table(found: Sequence[Outcome]) -> tuple[tuple[int, Real], ...]:
    """Return a law of whole numbers that is known exactly as a table; empty for any other."""
    listed = [
        (one.value, one.weight)
        for one in found
        if type(one.value) is int and isinstance(one.weight, Real)
    ]
    return tuple(sorted(listed, key=lambda item: item[0])) if len(listed) == len(found) else ()


_KNOWN = PLAIN_NUMBERS | {str, Real}
for _name in ("bernoulli", "integers", "bits", "geometric", "discrete_laplace", "discrete_gaussian",
              "laplace", "exponential", "uniform", "gumbel", "gaussian"):  # fmt: skip
    setattr(Explored, _name, unwatched(_KNOWN, getattr(Explored, _name)))
