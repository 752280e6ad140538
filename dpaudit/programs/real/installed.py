"""Real generators over known raw streams, in place of the ones that a program would have.

Python's shared generator gets a state; ``os.urandom`` gives known bytes; a bit generator of NumPy's
is one of its own class whose raw words are known, behind the functions of NumPy's documented
``bitgen_t``.  Whatever stands above them, every method, check of an argument and error, is real.
"""

from __future__ import annotations

import _random
import ctypes
import operator
import os
import random
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from dpaudit.programs.as_run.supply import NUMPY, SHARED, SYSTEM
from dpaudit.programs.guarding.holders import held_by_modules
from dpaudit.programs.guarding.seeds import bits_of
from dpaudit.programs.real.streams import BytesStream, MersenneStream, TypedStream
from dpaudit.progress import profile_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dpaudit.programs.real.streams import Entry, Stream

__all__ = ["RawStreams", "raw_streams", "real_generator"]


_STATE = 624


class RawStreams:
    """The raw streams of one run after the other."""

    def __init__(self, seed: int) -> None:
        """Take the seed of all random words."""
        self.source = _random.Random(seed)
        self._shared: dict[str, Stream] = {
            SHARED: MersenneStream(random._inst, self.source),
            SYSTEM: BytesStream(self.source),
            NUMPY: TypedStream(self.source),
        }
        self.earlier: dict[str, Any] = {}
        """NumPy's generators that were created before, by the names of their streams."""
        self._made: dict[str, Stream] = {}
        self._chosen: Mapping[str, Sequence[Entry]] = {}
        self.trouble: list[BaseException] = []
        """Exceptions raised where C code calls Python code and lets none through."""

    @property
    def system(self) -> BytesStream:
        """The operating system's bytes."""
        found = self._shared[SYSTEM]
        assert isinstance(found, BytesStream)
        return found

    def begin(self, chosen: Mapping[str, Sequence[Entry]] | None = None) -> None:
        """Begin a run, with the words that were chosen for each stream, or random ones."""
        self._chosen = chosen or {}
        self._made = {}
        for name, stream in self._shared.items():
            stream.begin(self._chosen.get(name, ()))

    @property
    def is_long(self) -> bool:
        """True if more words were chosen for a stream than a state of the twister gives."""
        return any(len(words) > _STATE for words in self._chosen.values())

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Set the state of Python's generators anew inside the block, as often as it takes."""

        def called(frame: Any, event: str, argument: Any) -> None:
            if event == "c_call":
                for stream in (*self._shared.values(), *self._made.values()):
                    if isinstance(stream, MersenneStream) and stream.is_own(argument):
                        stream.renew()

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            yield
        finally:
            profile_again(before)

    def __getitem__(self, name: str) -> Stream:
        """Return the stream of this name in the run; ``KeyError`` if it made no such generator."""
        return self._shared.get(name) or self._made[name]

    def check_ended(self) -> None:
        """Raise ``OtherDrawsError`` unless all that the run read was read again."""
        for stream in (*self._shared.values(), *self._made.values()):
            stream.check_ended()

    def forget(self) -> None:
        """Leave what a run read that was not read again."""
        for stream in self._shared.values():
            stream.forget()

    def _add(self, kind: str, stream: Stream) -> None:
        name = f"{kind} {len(self._made)}"
        stream.begin(self._chosen.get(name, ()))
        self._made[name] = stream

    def seeded(self, generator: random.Random) -> None:
        """Let a generator of Python's, which is made without a seed, have a stream."""
        self._add(SHARED, MersenneStream(generator, self.source))

    def taken_over(self, bits: Any, stream: TypedStream | None = None) -> None:
        """Let a bit generator of NumPy's have a stream, by default one that the run makes."""
        if stream is None:
            stream = TypedStream(self.source)
            self._add(NUMPY, stream)
        _take_over(bits, stream, self.trouble)

    def known_bits(self, name: str) -> Any:
        """Return a bit generator for one of the earlier generators, with a stream of this name."""
        import numpy.random as module

        bits = type("PCG64", (module.PCG64,), {})(0)
        stream = TypedStream(self.source)
        self._shared[name] = stream
        self.taken_over(bits, stream)
        return bits

    def numpy_shared(self, bits: Any) -> None:
        """Let a bit generator have the stream of NumPy's shared one."""
        stream = self._shared[NUMPY]
        assert isinstance(stream, TypedStream)
        self.taken_over(bits, stream)


def real_generator(kind: str, uniforms: Sequence[int]) -> Any:
    """Return a generator of NumPy's, of this class, whose first uniforms are k·2⁻⁵³ of these k."""
    import numpy.random as module

    streams = RawStreams(0)
    bits = type("MT19937", (module.MT19937,), {})(0)  # which may keep what it reads from
    stream = TypedStream(streams.source)
    _take_over(bits, stream, streams.trouble)
    stream.begin([(53, k) for k in uniforms])
    return getattr(module, kind)(bits)


class _BitGenerator(ctypes.Structure):
    """``bitgen_t`` of numpy/random/bitgen.h."""

    _fields_ = (
        ("state", ctypes.c_void_p),
        ("next_uint64", ctypes.c_void_p),
        ("next_uint32", ctypes.c_void_p),
        ("next_double", ctypes.c_void_p),
        ("next_raw", ctypes.c_void_p),
    )


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _take_over(bits: Any, stream: TypedStream, trouble: list[BaseException]) -> None:
    """Let the C functions of a bit generator read from a stream."""

    def word(size: int) -> int:
        try:
            return stream.word(size)
        except BaseException as error:  # such as Ctrl-C: C code would lose it
            trouble.append(error)
            return 1 << size - 1  # what no rejection rejects for ever

    functions: dict[str, Any] = {
        "next_uint64": _WORD64(lambda _: word(64)),
        "next_uint32": _WORD32(lambda _: word(32)),
        "next_double": _DOUBLE(lambda _: word(53) * 2.0**-53),
        "next_raw": _WORD64(lambda _: word(64)),
    }
    where = _BitGenerator.from_address(_pointer(bits.capsule, b"BitGenerator"))
    for name, function in functions.items():
        setattr(where, name, ctypes.cast(function, ctypes.c_void_p).value)
    bits._read_by = functions  # C keeps no reference to them


_WORD64 = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_WORD32 = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
_DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)


@contextmanager
def raw_streams(streams: RawStreams) -> Iterator[None]:
    """Let Python's and NumPy's generators read from ``streams`` inside the block."""
    inst, seed = random._inst, random.Random.seed
    state = _random.Random.getstate(inst), inst.gauss_next  # type: ignore[attr-defined]
    urandom = os.urandom

    def known_seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            streams.seeded(self)
        else:
            seed(self, a, version)

    def known_bytes(size: int) -> bytes:
        size = operator.index(size)
        return streams.system.urandom(size) if size >= 0 else urandom(size)

    replaced = {id(urandom): (urandom, known_bytes), **_known_kinds(streams)}
    places = held_by_modules(replaced, also="numpy.random.")
    with _numpy(streams):
        try:
            random.Random.seed = known_seed  # type: ignore[method-assign]
            for namespace, name, real in places:
                namespace[name] = replaced[id(real)][1]
            yield
        finally:
            random.Random.seed = seed  # type: ignore[method-assign]
            for namespace, name, real in places:
                namespace[name] = real
            _random.Random.setstate(inst, state[0])
            inst.gauss_next = state[1]  # type: ignore[attr-defined]


def _known_kinds(streams: RawStreams) -> dict[int, tuple[Any, Any]]:
    """Return NumPy's classes of bit generators by identity, each with that of known words."""
    module = sys.modules.get("numpy.random")
    kinds = [] if module is None else [getattr(module, name) for name in _KINDS]
    return {id(kind): (kind, _known_kind(kind, streams)) for kind in kinds}


@contextmanager
def _numpy(streams: RawStreams) -> Iterator[None]:
    """Let NumPy's shared generator read from ``streams``."""
    if "numpy.random" not in sys.modules:
        yield
        return
    module: Any = sys.modules["numpy.random"]
    before, state = module.get_bit_generator(), module.get_state(legacy=False)
    shared = type("MT19937", (module.MT19937,), {})(0)
    streams.numpy_shared(shared)
    module.set_bit_generator(shared)
    try:
        with _earlier(streams):
            yield
    finally:
        module.set_bit_generator(before)
        module.set_state(state)


@contextmanager
def _earlier(streams: RawStreams) -> Iterator[None]:
    """Let generators that were created before read from ``streams``, wherever they are held.

    Their own bit generators are put aside, so that they draw on from where they were.
    """
    with ExitStack() as given_back:
        for name, generator in streams.earlier.items():
            bits = streams.known_bits(name)
            # Before it is put aside: an interrupt may come between.
            given_back.callback(_giving_back(generator))
            generator.__init__(bits)
        yield


def _giving_back(generator: Any) -> Callable[[], None]:
    """Return what gives a generator back the bit generator that it has now.

    Nothing else remembers its own, as a kept traceback would: another reference to them is a
    reason to refuse the generator (:mod:`dpaudit.programs.as_run.earlier`).
    """
    old = hasattr(generator, "get_state")
    own = bits_of(generator)
    # Half of a normal pair is no part of the bit generator.
    state = generator.get_state(legacy=False) if old else None

    def give_back() -> None:
        generator.__init__(own)
        if state is not None:
            generator.set_state(state)

    return give_back


_KINDS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def _known_kind(kind: Any, streams: RawStreams) -> Any:
    """Return a class of bit generators whose words are known where no seed is given."""

    def __init__(self: Any, seed: Any = None) -> None:  # noqa: N807
        kind.__init__(self, 0 if seed is None else seed)
        if seed is None:
            streams.taken_over(self)

    return type(kind.__name__, (kind,), {"__init__": __init__, "__module__": kind.__module__})
