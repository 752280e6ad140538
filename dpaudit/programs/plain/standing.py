"""Replacements of random functions, and of ``int`` and ``float``, for an ideal reading."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from threading import get_ident
from typing import Any

from dpaudit.errors import LawError
from dpaudit.programs.as_run.generator_holders import stood_in
from dpaudit.programs.as_run.interposed import (
    Standing,
    drawn_from,
    generator_states,
    interposed,
    method_of,
)
from dpaudit.programs.as_run.live import live_generators
from dpaudit.programs.as_run.numpy_arguments import remember_the_real_ones
from dpaudit.programs.as_run.supply import SHARED
from dpaudit.programs.guarding.guards import CERTAIN
from dpaudit.programs.guarding.seeds import SAFE_BITS
from dpaudit.programs.guarding.standins import NumberKinds, numbers_stood_for
from dpaudit.programs.plain.calls import (
    ASKING,
    DrawnSeed,
    IdealNewCalls,
    IdealOldCalls,
    IdealSupply,
    number,
)
from dpaudit.programs.plain.conversions import float_value, whole_part
from dpaudit.programs.plain.polar import circular, square_root
from dpaudit.programs.unknowns.lazy import Lazy
from dpaudit.programs.unknowns.transforms import logarithm
from dpaudit.programs.unknowns.unknown import Unknown
from dpaudit.programs.unknowns.unknown_whole import Whole
from dpaudit.programs.unknowns.wholes import size

__all__ = ["drawing_from_none", "is_reading", "read_ideally", "reading"]

_OTHERS = ("betavariate", "gammavariate", "lognormvariate", "paretovariate", "triangular",
           "vonmisesvariate", "weibullvariate")  # fmt: skip
"""Distributions of ``random`` that no source draws."""


def log(x: Any, /, *base: Any) -> Any:
    """Return the logarithm, of any base."""
    if isinstance(x, Fraction) and not base and x > 0:  # which may be smaller than any float
        return _LOG(x.numerator) - _LOG(x.denominator)
    if not isinstance(x, Unknown):
        return _LOG(x, *base)
    if base:
        x._run.refuse("dpaudit cannot follow a logarithm of another base than e")
    return logarithm(x)


def log1p(x: Any, /) -> Any:
    """Return ln(1 + x)."""
    return logarithm(1 + x) if isinstance(x, Unknown) else _LOG1P(x)


def copysign(x: Any, y: Any, /) -> Any:
    """Return |x| with the sign of ``y``."""
    if not isinstance(x, Lazy) and not isinstance(y, Lazy):
        return _COPYSIGN(x, y)
    size = abs(x)
    return -size if y < 0 else size * 1.0


def fabs(x: Any, /) -> Any:
    """Return the absolute value."""
    return abs(x) if isinstance(x, Lazy) else _FABS(x)


def sqrt(x: Any, /) -> Any:
    """Return the square root."""
    return square_root(x) if isinstance(x, Unknown) else _SQRT(x)


def cos(x: Any, /) -> Any:
    """Return the cosine."""
    return circular("cos", x) if isinstance(x, Unknown) else _COS(x)


def sin(x: Any, /) -> Any:
    """Return the sine."""
    return circular("sin", x) if isinstance(x, Unknown) else _SIN(x)


class _Int(int, metaclass=NumberKinds):
    """Stands for ``int``: an unknown number may have a whole part that is not decided."""

    stands_for, convert = int, staticmethod(whole_part)


class _Float(float, metaclass=NumberKinds):
    """Stands for ``float``: a continuous draw is one."""

    stands_for, convert = float, staticmethod(float_value)


_LOG, _LOG1P, _COPYSIGN, _FABS = math.log, math.log1p, math.copysign, math.fabs
_SQRT, _COS, _SIN = math.sqrt, math.cos, math.sin


class IdealStanding(Standing):
    """Every generator draws from the source of the run, one made before it as well."""

    old, new = IdealOldCalls, IdealNewCalls

    def __init__(self, supply: Callable[[], Any], used: set[str]) -> None:
        """Draw from what ``supply`` gives, and note in ``used`` what was called."""
        super().__init__(supply, used)
        self._real_seed = random.Random.seed

    def _for(
        self, name: str, real: Callable[..., Any], own: Callable[..., Any], *, heard: bool = False
    ) -> Any:
        inside = super()._for(name, real, own, heard=heard)

        def stand_in(*given: Any, **named: Any) -> Any:
            # The engine draws too, between runs and for a source of real numbers.
            is_real = not _CURRENT or ASKING or (given and self._is_fixed(given[0]))
            return (real if is_real else inside)(*given, **named)

        stand_in.__name__ = name.rpartition(".")[2]
        return stand_in

    def _is_fixed(self, one: object) -> bool:
        return isinstance(one, random.Random) and one in CERTAIN

    def _seeded(self, generator: random.Random, a: Any = None, *more: Any) -> None:
        a = None if _is_unpredictable(a) else a
        if a is None or isinstance(a, Lazy) or generator is random._inst:
            super()._seeded(generator, a, *more)
        else:
            CERTAIN.add(generator)
            self._real_seed(generator, a, *more)

    def _maker(self, name: str) -> Any:
        """Return what stands for a class of generators; one with a seed is a real generator."""
        stand_in, real = super()._maker(name), _REAL_MAKERS.get(name)
        if real is None:
            return stand_in
        if name == "default_rng":

            def made(seed: Any = None) -> Any:
                if _is_seed(seed):
                    return _really(real, seed)
                return stand_in(None if _is_unpredictable(seed) else seed)

            return made

        def make(cls: Any, seed: Any = None) -> Any:
            return _really(real, seed) if _is_seed(seed) else object.__new__(cls)

        return type(name, (stand_in,), {"__new__": make})

    def _own(self, generator: random.Random) -> Any:
        if generator is random._inst:
            return super()._own(generator)
        if generator not in self._made:
            self.check_seed(generator, "the generator")
        return self._from(SHARED)

    def methods(self) -> dict[str, Callable[..., Any]]:
        ideal: dict[str, Callable[..., Any]] = {
            "gauss": lambda own, mu=0.0, sigma=1.0: self._own(own).normal(mu, sigma),
            "normalvariate": lambda own, mu=0.0, sigma=1.0: self._own(own).normal(mu, sigma),
            "expovariate": lambda own, lambd=1.0: self._own(own).exponential(1 / number(lambd)),
        }
        others = {name: self._refusing(f"random.{name}") for name in _OTHERS}
        return {**super().methods(), **ideal, **others}

    def mathematics(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {math.log: log, math.log1p: log1p, math.copysign: copysign}
        return {**found, math.fabs: fabs, math.sqrt: sqrt, math.cos: cos, math.sin: sin}

    def functions(self) -> dict[int, tuple[Any, Any]]:
        found = super().functions()
        for name in ("gauss", "normalvariate", "expovariate", *_OTHERS):
            real = getattr(random, name)
            found[id(real)] = (real, method_of(random._inst, name))
        if "numpy" in sys.modules:
            found.update(self._arrays())
        return found

    def _arrays(self) -> dict[int, tuple[Any, Any]]:
        import numpy as np

        from dpaudit.programs.plain.arrays import array_like, column_as  # where NumPy is loaded

        makers = (np.array, np.asarray)
        found = {id(one): (one, self._in_runs(one, array_like(one))) for one in makers}
        convert = getattr(sys.modules.get("pandas.core.dtypes.astype"), "astype_array", None)
        if convert is not None:
            found[id(convert)] = convert, self._in_runs(convert, column_as(convert), frozenset())
        return found

    def _in_runs(
        self,
        real: Callable[..., Any],
        own: Callable[..., Any],
        others: Collection[str] = frozenset({"numpy", "pandas", "scipy"}),
    ) -> Callable[..., Any]:
        """Return what calls ``own`` while a run goes on in this thread, if no ``others`` call.

        The code of libraries is given arrays as it makes them.
        """

        def stand_in(*given: Any, **named: Any) -> Any:
            if not _CURRENT or ASKING or get_ident() != self._thread:
                return real(*given, **named)
            library = str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0]
            return (real if library in others else own)(*given, **named)

        return stand_in

    def generators(self, among: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield NumPy's generators ``among`` those that were made before, with replacements."""
        if "numpy.random.mtrand" not in sys.modules:
            return
        from numpy.random._generator import Generator  # under their own names others stand in
        from numpy.random.mtrand import RandomState

        for one in among:
            if isinstance(one, (Generator, RandomState)) and one is not _shared():
                yield one, self._stand_in(one, SHARED)


_REAL_MAKERS: dict[str, Callable[..., Any]] = {}
"""Functions that make NumPy's own generators from a seed."""


def _really(real: Callable[..., Any], seed: Any) -> Any:
    """Make a generator of NumPy's own, which draws bytes before it is given its seed."""
    ASKING.append(seed)
    try:
        return real(seed)
    finally:
        ASKING.pop()


def _is_unpredictable(seed: object) -> bool:
    """Tell whether a seed is drawn, from more than anybody tries."""
    if not isinstance(seed, Whole):
        return type(seed) is DrawnSeed
    count = size(seed._run.supports[seed._number])
    return count is None or count >= 1 << SAFE_BITS


def _is_seed(seed: object) -> bool:
    return (isinstance(seed, (int, list, tuple)) and not _is_unpredictable(seed)) or type(
        seed
    ).__module__ == "numpy"


def _shared() -> Any:
    return sys.modules["numpy.random.mtrand"]._rand


_CURRENT: list[IdealSupply] = []
"""Supplies in use, the current one last."""
_USED: list[set[str]] = []
"""Names of the functions called, for each block of :func:`read_ideally` that is open."""


def is_reading() -> bool:
    """Tell whether a block of :func:`read_ideally` goes on."""
    return bool(_USED)


@contextmanager
def read_ideally(
    used: set[str], among: Sequence[Any] | None = None, holds: Iterable[Any] | None = None
) -> Iterator[None]:
    """Let random functions draw exact distributions inside the block.

    The draws come from the source of the :func:`reading` that goes on.

    Args:
        used: the names of the functions that are called are added.
        among: the live generators, where they were looked for already.
        holds: what the program holds, if that is known.
    """
    if is_reading():  # a block inside of another changes nothing
        yield
        return
    if "numpy" in sys.modules:  # which imports its part when it is asked for
        from numpy.random import RandomState, default_rng

        remember_the_real_ones()
        _REAL_MAKERS.update(default_rng=default_rng, RandomState=RandomState)
    among = live_generators() if among is None else among
    _USED.append(used)
    try:
        with (
            numbers_stood_for({int: _Int, float: _Float}),
            interposed(_CURRENT, used, IdealStanding) as standing,
            stood_in(standing.generators(among), holds),
        ):
            yield
    finally:
        _USED.pop()


@contextmanager
def drawing_from_none(among: Sequence[Any]) -> Iterator[None]:
    """Refuse, after the block, that a generator was drawn from which nothing stood in for.

    Args:
        among: the live generators.

    Raises:
        LawError: where one was.
    """
    before = generator_states(among)
    refused: LawError | None = None
    try:
        yield
    except LawError as error:  # for which that may be why
        refused = error
    if drawn_from(before):
        raise LawError(
            "it draws from a generator that dpaudit cannot replace, because it is kept in a "
            "tuple, a set or the like; keep it in a module, an object or a list, or create it "
            "inside the function"
        ) from None
    if refused is not None:
        raise refused


@contextmanager
def reading(source: Any, holds: Iterable[Any] | None = None) -> Iterator[None]:
    """Let random functions draw from ``source`` inside the block; see :func:`read_ideally`."""
    with read_ideally(set(), holds=holds):
        _CURRENT.append(IdealSupply(source))
        try:
            yield
        finally:
            _CURRENT.pop()
