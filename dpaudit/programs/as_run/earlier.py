"""NumPy's generators that were created before a run, and whose words are still nobody's to know.

The law as run assumes of a generator that its raw words are independent and uniform.  That fails
for one whose words another repeats, or that code can set back.  So only these are followed: NumPy's
own classes, seeded by the operating system, whose bit generator nothing else refers to.

Python counts references wherever they are, in compiled code too, and lists few of what refers.  So
the count is compared with that of a new generator.  The engine's own lists of generators are left
out: whoever keeps the traceback of a refusal keeps the lists of that exploration.  A program that
holds such a list is refused (:mod:`dpaudit.programs.guarding.held_sources`).
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from dpaudit.programs.as_run.live import AtRest, Generators, live_generators
from dpaudit.programs.as_run.supply import NUMPY, Stream
from dpaudit.programs.guarding.held_sources import held_among
from dpaudit.programs.guarding.seeds import SAFE_BITS, bits_of

__all__ = ["Earlier", "earlier_generators"]

_MOST_BLOCKS = 1000
"""So many states of a Mersenne Twister after the first are looked through."""


class Earlier(NamedTuple):
    """The generators of a process before a run."""

    live: Generators
    """All of them."""
    followed: dict[Stream, Any]
    """Those that are followed, by the names of their streams."""


def earlier_generators(holds: Sequence[Any]) -> Earlier:
    """Return the generators of this process, and those of NumPy's that are followed.

    Args:
        holds: what the program holds.  Of generators that are not found there, no draw is followed:
            to look for their holders takes a walk through all objects of the process.
    """
    if "numpy.random._generator" not in sys.modules:
        return Earlier(live_generators(), {})
    generator: Any = sys.modules["numpy.random._generator"].Generator
    state: Any = sys.modules["numpy.random.mtrand"].RandomState
    # One of each kind that nothing else refers to, listed with all others.
    alone = {
        "Generator": generator(sys.modules["numpy.random._pcg64"].PCG64()),
        "RandomState": state(),
    }
    live = live_generators()
    entropies = Counter(map(_entropy, (one for one in live if hasattr(one, "seed_seq"))))
    shared = sys.modules["numpy.random.mtrand"]._rand
    others = [
        one
        for one in live
        if type(one) in (generator, state)
        and not any(one is other for other in (shared, *alone.values()))
    ]
    held = held_among(set(map(id, others)), holds) if others else set()
    others = [one for one in others if id(one) in held]
    if not others:
        return Earlier(live, {})
    listed = _listed_by_the_engine([bits_of(one) for one in (*others, *alone.values())])
    # Asked in the same way, that the references of this function are as many.
    references = {name: _references(bits_of(one), listed) for name, one in alone.items()}
    followed = []
    for one in others:
        if _references(bits_of(one), listed) != references[type(one).__name__]:
            continue
        bits = bits_of(one)
        if entropies[_entropy(bits)] == 1 and _is_of_its_seed(bits):
            followed.append(one)
    return Earlier(live, {f"{NUMPY} before {place}": one for place, one in enumerate(followed)})


def _listed_by_the_engine(bits: list[Any]) -> Counter[int]:
    """Return how often the engine's own lists refer to each bit generator, by identity."""
    lists = (one for one in gc.get_referrers(*bits) if type(one) in (AtRest, Generators))
    return Counter(id(part) for one in lists for part in gc.get_referents(one))


def _references(bits: Any, listed: Counter[int]) -> list[tuple[str, int]]:
    """Return the references to a bit generator, and to its parts, by their classes.

    Code that was given a part, such as the interface for ctypes, may draw or set the state unseen.
    """
    parts = [part for part in gc.get_referents(bits) if part is not None]
    counts = [(type(part).__name__, sys.getrefcount(part)) for part in parts]
    return [("", sys.getrefcount(bits) - listed[id(bits)]), *counts]


def _entropy(bits: Any) -> Any:
    """Return the entropy of a seed that the operating system gave; None for any other."""
    sequence = bits.seed_seq
    if type(sequence).__name__ != "SeedSequence" or sequence.spawn_key:
        return None
    entropy = sequence.entropy
    whole = isinstance(entropy, int) and entropy.bit_length() > SAFE_BITS
    return entropy if whole and not sequence.n_children_spawned else None


def _is_of_its_seed(bits: Any) -> bool:
    """Tell whether the state of a bit generator comes from its seed, and was not set."""
    entropy = _entropy(bits)
    if entropy is None:
        return False
    for name, module in (
        ("PCG64", "_pcg64"),
        ("PCG64DXSM", "_pcg64"),
        ("MT19937", "_mt19937"),
    ):
        kind = getattr(sys.modules[f"numpy.random.{module}"], name)
        if type(bits) is kind:
            again = kind(type(bits.seed_seq)(entropy))
            is_twister = name == "MT19937"
            return (
                _comes_after(bits, again) if is_twister else _increment(bits) == _increment(again)
            )
    return False


def _increment(bits: Any) -> int:
    """Return the increment of a PCG64, which its seed sets and no draw changes."""
    return int(bits.state["state"]["inc"])


def _comes_after(bits: Any, first: Any) -> bool:
    """Tell whether a Mersenne Twister has one of the states that follow another's."""
    wanted = bits.state["state"]["key"].tobytes()
    for _ in range(_MOST_BLOCKS):
        if first.state["state"]["key"].tobytes() == wanted:
            return True
        first.random_raw(624, output=False)
    return False
