"""Standing in for Python's and NumPy's own random modules while a program is explored.

Whatever module holds one of their functions under whatever name gets a stand-in, and gets the
function back afterwards; Python's generators are met at their class, so that methods bound early
are met too.  What is held elsewhere (a default argument, a list, a closure) is refused by the
guards, as are generators that were made before or with a seed.  Other threads are left alone.
"""

from __future__ import annotations

import _random
import operator
import os
import random
import secrets
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from dpaudit.programs.as_run.called_math import REPLACED
from dpaudit.programs.as_run.live import AtRest, live_generators
from dpaudit.programs.as_run.numpy_calls import Calls
from dpaudit.programs.as_run.numpy_kinds import NewCalls, OldCalls
from dpaudit.programs.as_run.supply import NUMPY, SHARED, SYSTEM
from dpaudit.programs.guarding.flow import looked_at
from dpaudit.programs.guarding.guards import python_state, unheard
from dpaudit.programs.guarding.holders import held_by_modules
from dpaudit.programs.guarding.seeds import has_chosen_seed
from dpaudit.programs.guarding.sources import methods_refused, stand_ins
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED

if TYPE_CHECKING:
    from dpaudit.programs.as_run.supply import Stream, Supply

__all__ = [
    "SEEDED",
    "Standing",
    "drawn_from",
    "generator_states",
    "interposed",
    "method_of",
]

SEEDED = (
    "dpaudit cannot follow a generator with its own seed or state, nor a random.Random created "
    "before the run; draw from the module, or create a generator without a seed inside the function"
)


_CHOSEN = (
    "has a fixed seed, so its draws can be predicted; remove the seed, or create a generator "
    "without one inside the function"
)
_SYSTEM = "secrets.SystemRandom"
"""Name of the operating system's generator, whichever of its methods is called."""
_SAFE: frozenset[type] = frozenset({int, float, bool, str, random.Random, random.SystemRandom})
"""Types of arguments whose methods run no code of the program."""


class Standing:
    """The stand-ins of one exploration, and which of them were used."""

    old: type[OldCalls] = OldCalls
    """Stand-in for NumPy's legacy functions and ``RandomState``."""
    new: type[NewCalls] = NewCalls
    """Stand-in for a ``Generator``."""

    def __init__(self, supply: Callable[[], Any], used: set[str]) -> None:
        """Draw from what ``supply`` gives, and note in ``used`` what was called."""
        self._supply, self._used = supply, used
        self._thread = get_ident()
        self._made: WeakKeyDictionary[random.Random, str] = WeakKeyDictionary()
        self._unpredictable: dict[int, Any] = {}

    def _for(
        self, name: str, real: Callable[..., Any], own: Callable[..., Any], *, heard: bool = False
    ) -> Any:
        """Return what calls ``own`` in this thread and ``real`` in any other.

        It is ``heard`` by what watches where it may run code of the program whatever it is given.
        """

        module, _, last = name.rpartition(".")
        shown = _SYSTEM if module == _SYSTEM else module if last.startswith("_") else name

        def stand_in(*given: Any, **named: Any) -> Any:
            if get_ident() != self._thread:
                return real(*given, **named)
            self._used.add(shown)
            if not heard and not named and _SAFE.issuperset(map(type, given)):
                return unheard(own, *given)
            return own(*given, **named)

        stand_in.__name__ = name.rpartition(".")[2]
        return stand_in

    def _refusing(self, name: str, reason: str = "") -> Callable[..., Any]:
        message = f"{name} {reason}" if reason else f"dpaudit cannot follow {name}"
        return lambda *given, **named: self._supply().refuse(message)

    def _from(self, stream: Stream) -> Supply:
        supply: Supply = self._supply()
        supply.stream = stream  # type: ignore[attr-defined]
        return supply

    def check_seed(self, generator: Any, name: str) -> None:
        """Refuse a generator that was made before the run, from a seed that somebody chose."""
        if id(generator) in self._unpredictable:
            return
        if has_chosen_seed(generator):
            self._supply().refuse(f"{name} {_CHOSEN}")
        self._unpredictable[id(generator)] = generator

    # Python

    def _own(self, generator: random.Random) -> Supply:
        if generator is random._inst:
            self.check_seed(generator, "the generator of the module random")
            return self._from(SHARED)
        if isinstance(generator, random.SystemRandom):
            return self._from(SYSTEM)
        if generator not in self._made:
            self._supply().refuse(SEEDED)
        return self._from(self._made[generator])

    def _below(self, generator: random.Random, n: int) -> int:
        supply = self._own(generator)
        if _draws_otherwise(generator):
            supply.refuse(
                "dpaudit cannot follow a generator that has its own getrandbits or random"
            )
        return supply.below(n, "python") if n else 0

    def _bytes_of(self, generator: random.Random, n: int) -> bytes:
        supply = self._own(generator)
        if _draws_otherwise(generator):
            supply.refuse(
                "dpaudit cannot follow a generator that has its own getrandbits or random"
            )
        supply = self._own(generator)
        return self._bytes_from(supply, n)

    def _bytes(self, n: int, /) -> bytes:
        return self._bytes_from(self._from(SYSTEM), n)

    def _bytes_from(self, supply: Supply, n: int) -> bytes:
        n = operator.index(n)
        if n > 1:
            supply.refuse("dpaudit cannot follow more than one random byte at once")
        return int(supply.bits(8 * n)).to_bytes(n, "little") if n else b""

    def _seeded(self, generator: random.Random, a: Any = None, *more: Any) -> None:
        if a is not None:
            self._supply().refuse(SEEDED)
        vars(generator)["gauss_next"] = None  # as ``seed`` does
        self._made[generator] = self._supply().new_stream(SHARED)

    def python(self) -> Iterator[tuple[Any, str, Any]]:
        """Yield owners, names and stand-ins of Python's own generators."""
        for cls in (random.Random, random.SystemRandom):
            for name, own in self.methods().items():
                if name in ("random", "getrandbits") or name in vars(cls):
                    title = f"{'random' if cls is random.Random else _SYSTEM}.{name}"
                    yield cls, name, self._for(title, getattr(cls, name), own)

    def methods(self) -> dict[str, Callable[..., Any]]:
        """Return what stands for methods of Python's generators, by name."""
        return {
            "random": lambda own: self._own(own).unit(),
            "getrandbits": lambda own, k, /: self._own(own).bits(operator.index(k)),
            "_randbelow": self._below,
            "_randbelow_with_getrandbits": self._below,
            "_randbelow_without_getrandbits": self._below,
            "randbytes": self._bytes_of,
            "seed": self._seeded,
            "setstate": lambda own, *given: self._supply().refuse(SEEDED),
        }

    def generators(self, among: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield those ``among`` live generators that are stood in for, each with what does."""
        yield from ()

    def _stand_in(self, generator: Any, stream: Stream) -> Any:
        """Return what stands for a generator of NumPy's that was created before the run."""
        cls = self._class_for(type(generator).__name__)
        found = object.__new__(cls)
        vars(found).update(_exploration=self, _stream=stream, _called=cls.__name__)
        kept = (generator,)  # a tuple is not searched for what is replaced

        def supply() -> Any:
            self.check_seed(kept[0], "the generator")
            self._used.add(f"numpy.random.{cls.__name__}")
            return self._from(stream)

        base = self.new if cls.__name__ == "Generator" else self.old
        base.__init__(found, supply)
        return found

    def earlier(self, generators: Mapping[Stream, Any]) -> Iterator[tuple[Any, Any]]:
        """Yield generators that were created before, by their streams, with their stand-ins."""
        for stream, generator in generators.items():
            yield generator, self._stand_in(generator, stream)

    def mathematics(self) -> dict[Any, Any]:
        """Return the functions of `math` that are replaced, each with its replacement."""
        return dict(REPLACED)

    def functions(self) -> dict[int, tuple[Any, Any]]:
        """Return, by identity, functions that any module may hold, with their stand-ins."""
        found: dict[Any, Any] = self.mathematics()
        inst = random._inst
        for name in ("random", "getrandbits"):
            real = getattr(random, name)
            if isinstance(getattr(real, "__self__", None), _random.Random):
                found[real] = self._for(f"random.{name}", real, method_of(inst, name), heard=True)
        for name in ("seed", "setstate"):
            found[getattr(random, name)] = self._refusing(f"random.{name}")
        found[os.urandom] = self._for("os.urandom", os.urandom, self._bytes)
        found[secrets.randbits] = self._for(
            "secrets.randbits",
            secrets.randbits,
            lambda k: self._from(SYSTEM).bits(operator.index(k)),
        )
        by_identity = {id(real): (real, own) for real, own in found.items()}
        if "numpy.random" in sys.modules:
            by_identity.update(self._numpy())
        return by_identity

    # NumPy

    def _of_numpy(self) -> Supply:
        shared = sys.modules["numpy.random.mtrand"]._rand
        self.check_seed(shared, "the generator of the module numpy.random")
        return self._from(NUMPY)

    def _numpy(self) -> dict[int, tuple[Any, Any]]:
        import numpy.random as module

        calls = self.old(self._of_numpy)
        found = {}
        for name in dir(module):
            real = getattr(module, name)
            if name.startswith("_") or not callable(real):
                continue
            title = f"numpy.random.{name}"
            own: Any
            if isinstance(real, type) or name == "default_rng":
                own = self._class_for(name)
            elif hasattr(calls, name):
                own = self._for(title, real, getattr(calls, name))
            else:
                own = self._for(title, real, self._refusing(title))
            found[id(real)] = (real, own)
        return found

    def _may_be_made(self, name: str, seed: Any) -> bool:
        """Tell whether a generator is made as NumPy makes one, of what has no seed."""
        if not FAILS_CLOSED:
            return seed is None or isinstance(seed, (_Bits, Calls))
        if seed is None:
            return name != "Generator"
        sequence = _CLASSES[type(self)].get("SeedSequence")
        of_bits = isinstance(seed, _Bits) and not (sequence and isinstance(seed, sequence))
        if name in ("Generator", "RandomState", "default_rng"):
            return of_bits
        return isinstance(seed, _Bits) and not of_bits and name != "SeedSequence"

    def _maker(self, name: str) -> Any:
        """Return what stands for a class of generators, or makes one.

        It is made once for all explorations: making ten classes takes as long as a run.  A
        generator belongs to the exploration in which it was made.
        """

        def without_seed(self: Any, seed: Any = None, *, used: str = name, **named: Any) -> None:
            standing = (_ACTIVE or _LATEST)[-1]
            again = "_stream" in vars(self)  # as code may set a generator back
            vars(self)["_exploration"] = standing
            if named or again or not standing._may_be_made(used, seed):
                standing._supply().refuse(SEEDED)
            if type(seed).__name__ == "SeedSequence":  # two generators may be made of one
                standing._supply().refuse(
                    "dpaudit cannot follow a generator made from a SeedSequence; create it "
                    "without a seed"
                )
            supply = standing._supply()
            stream: Stream = supply.new_stream(NUMPY) if seed is None else seed._stream
            vars(self)["_stream"] = stream
            if isinstance(self, Calls):
                standing._used.add(f"numpy.random.{used}")
                vars(self)["_called"] = used
                Calls.__init__(self, lambda: standing._from(stream))

        def missing(self: Any, method: str) -> Any:
            if method.startswith("__"):
                raise AttributeError(method)
            used = vars(self).get("_called", name)
            standing = vars(self).get("_exploration") or (_ACTIVE or _LATEST)[-1]
            return standing._supply().refuse(f"dpaudit cannot follow numpy.random.{used}.{method}")

        if name == "default_rng":  # makes the same Generator as its class does
            made = self._class_for("Generator")
            return lambda seed=None: seed if isinstance(seed, NewCalls) else made(seed, used=name)

        def copied(self: Any, protocol: Any = 0) -> Any:
            return missing(self, "copy")  # which would draw what the first draws

        base: dict[str, type] = {"RandomState": self.old, "Generator": self.new}
        parts = {"__init__": without_seed, "__getattr__": missing, "__reduce_ex__": copied}
        return type(name, (base.get(name, _Bits),), parts)

    def _class_for(self, name: str) -> Any:
        """Return the one class that stands for a class of generators."""
        classes = _CLASSES[type(self)]
        if name not in classes:
            classes[name] = self._maker(name)
        return classes[name]


_CLASSES: defaultdict[type[Standing], dict[str, Any]] = defaultdict(dict)
"""Stand-ins for classes of generators, by name, of each kind of exploration."""
_ACTIVE: list[Standing] = []
"""Stand-ins of the explorations that go on, each inside of the one before."""
_LATEST: list[Standing] = []
"""Stand-ins of the exploration that ended last, whose closed run refuses what the code kept."""


class _Bits:
    """Stands for a bit generator, or the seed of one."""

    _stream: Stream
    """Stream of its raw words."""


def _draws_otherwise(generator: random.Random) -> bool:
    """Tell whether something else than its class's own draws would be asked for whole numbers."""
    own = [vars(generator)]
    for cls in type(generator).__mro__:
        if cls in (random.Random, random.SystemRandom):
            break
        own.append(dict(vars(cls)))
    return any("getrandbits" in one or "random" in one for one in own)


def method_of(inst: Any, name: str) -> Callable[..., Any]:
    """Return a method of Python's shared generator, looked up anew at each call."""

    def call(*given: Any, **named: Any) -> Any:
        return getattr(inst, name)(*given, **named)

    return call


@contextmanager
def interposed(
    supplies: Sequence[Any], used: set[str], kind: type[Standing] = Standing
) -> Iterator[Standing]:
    """Let Python's and NumPy's random functions draw from a run's supply inside the block.

    Args:
        supplies: the supplies of runs that go on, the last of which is drawn from.
        used: the names of the functions that are called are added.
        kind: what stands in.
    """
    standing = kind(lambda: supplies[-1], used)
    functions = {**stand_ins(), **standing.functions()}
    held = held_by_modules(functions)
    methods = [(cls, name, own, vars(cls).get(name)) for cls, name, own in standing.python()]
    numba = sys.modules.get("numba.core.dispatcher")
    shared = vars(random._inst)
    kept = shared["gauss_next"]  # half a pair that somebody drew before
    _ACTIVE.append(standing)
    try:
        shared["gauss_next"] = None
        for namespace, key, real in held:
            namespace[key] = functions[id(real)][1]
        for cls, name, own, _ in methods:
            setattr(cls, name, own)
        if numba is not None:
            numba.Dispatcher.__call__ = standing._refusing(
                "compiled code", "may draw without dpaudit noticing; set NUMBA_DISABLE_JIT=1"
            )
        # Between runs outputs are compared, by code of their own classes: nothing is unknown there.
        refusing = looked_at(lambda what: supplies[-1].refuse(what) if supplies else None)
        with methods_refused(), refusing:
            yield standing
    finally:
        _LATEST[:] = [_ACTIVE.pop()]
        shared["gauss_next"] = kept
        for namespace, key, real in held:
            namespace[key] = real
        for cls, name, _, before in methods:
            if before is None:
                delattr(cls, name)
            else:
                setattr(cls, name, before)
        if numba is not None and "__call__" in vars(numba.Dispatcher):
            del numba.Dispatcher.__call__


def generator_states(among: Sequence[Any] | None = None) -> dict[int, AtRest]:
    """Return live generators, by identity, with their states: all, or those ``among`` some."""
    among = live_generators() if among is None else among
    return {id(one): AtRest(one, _state(one)) for one in among if _has_state(one)}


def drawn_from(before: dict[int, AtRest]) -> bool:
    """Tell whether a generator has another state than ``before``; see :func:`generator_states`."""
    return any(_state(one) != state for one, state in before.values())


def _has_state(generator: Any) -> bool:
    if isinstance(generator, _random.Random):
        return not isinstance(generator, random.SystemRandom)
    return hasattr(generator, "state")  # NumPy's generators keep theirs in what gives them bits


def _state(generator: Any) -> Any:
    is_python = isinstance(generator, _random.Random)
    return _comparable(python_state(generator) if is_python else generator.state)


def _comparable(state: Any) -> Any:
    if isinstance(state, dict):
        return tuple((key, _comparable(value)) for key, value in state.items())
    return state.tobytes() if hasattr(state, "tobytes") else state
