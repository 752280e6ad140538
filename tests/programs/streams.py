"""Hold re-expressed library algorithms to the real ones, bit for bit, on the same raw streams.

    python -m tests.programs.streams --count 100000 [--library numpy.random]

Each algorithm is called on so many raw streams, one after the other in streams of words that are
seeded anew; the results must be equal, and so must what the real generator and its twin read next.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpaudit.programs.as_run.numpy_kinds import NewCalls, OldCalls
from dpaudit.programs.as_run.supply import Drawing

SEEDED_ANEW = 250

Call = Callable[[Any, random.Random], Any]


class Words:
    """The raw words of a bit generator, its halves kept as its own ``next_uint32`` does."""

    def __init__(self, bits: Any) -> None:
        self.bits, self.kept, self.half = bits, list[int](), list[int]()

    def raw(self) -> int:
        if not self.kept:
            self.kept = [int(word) for word in self.bits.random_raw(512)][::-1]
        return self.kept.pop()

    def word32(self) -> int:
        if self.half:
            return self.half.pop()
        word = self.raw()
        self.half.append(word >> 32)
        return word & 0xFFFFFFFF


@dataclass
class Twins:
    """A real generator, its re-expressed twin, and what each reads next."""

    real: Any
    twin: Any
    rest: Callable[[], tuple[int, int]]


def legacy(seed: int) -> Twins:
    bits: Any = np.random.MT19937()
    bits.state = np.random.RandomState(seed).get_state(legacy=False)
    words, real = Words(bits), np.random.RandomState(seed)
    drawing = Drawing(words.raw)
    return Twins(real, OldCalls(lambda: drawing), lambda: (int(real.randint(2**32)), words.raw()))


def generator(kind: Any) -> Callable[[int], Twins]:
    def make(seed: int) -> Twins:
        real, words = np.random.Generator(kind(seed)), Words(kind(seed))
        narrow = kind is np.random.MT19937
        drawing = Drawing(words.raw) if narrow else Drawing(words.word32, words.raw)
        word = words.raw if narrow else words.word32
        return Twins(real, NewCalls(lambda: drawing), lambda: (int(real.integers(2**32)), word()))

    return make


class PythonTwin(random.Random):
    """Python's algorithms over the re-expressed draws, as they are explored."""

    drawing: Any = None

    def random(self) -> float:
        return self.drawing.unit()  # type: ignore[no-any-return]

    def getrandbits(self, k: int) -> int:
        return self.drawing.bits(k)  # type: ignore[no-any-return]

    def _randbelow(self, n: int) -> int:
        return self.drawing.below(n, "python")  # type: ignore[no-any-return]


def python(seed: int) -> Twins:
    real, raw, twin = random.Random(seed), random.Random(seed), PythonTwin()
    twin.drawing = Drawing(lambda: raw.getrandbits(32))
    return Twins(real, twin, lambda: (real.getrandbits(32), raw.getrandbits(32)))


def _shuffled(generator: Any, items: Any) -> Any:
    generator.shuffle(items)
    return items


P3 = ([0.2, 0.3, 0.5], [0.1, 0.0, 0.9], [1 / 3, 1 / 3, 1 / 3])

BOTH: dict[str, Call] = {
    "random": lambda g, r: g.random(),
    "random, size": lambda g, r: g.random((2, r.randrange(3))),
    "uniform": lambda g, r: g.uniform(-r.random(), r.random(), 2),
    "laplace": lambda g, r: g.laplace(r.random(), 3 * r.random(), 3),
    "gumbel": lambda g, r: g.gumbel(0, 3 * r.random()),
    "logistic": lambda g, r: g.logistic(0, 3 * r.random()),
    "geometric": lambda g, r: g.geometric(r.uniform(0.34, 1)),
    "binomial": lambda g, r: g.binomial(r.randrange(60), r.random() / 2, r.choice([None, 2])),
    "binomial, p = 1/2": lambda g, r: g.binomial(1, 0.5),
    "binomial, p above 1/2": lambda g, r: g.binomial(r.randrange(60), 1 - r.random() / 2),
    "shuffle, array": lambda g, r: _shuffled(g, np.arange(r.randrange(9))),
    "shuffle, list": lambda g, r: _shuffled(g, list(range(r.randrange(9)))),
    "shuffle, rows": lambda g, r: _shuffled(g, np.arange(12).reshape(4, 3)),
    "permutation": lambda g, r: g.permutation(r.randrange(9)),
    "permutation, items": lambda g, r: g.permutation(["a", "b", "c", "d"]),
    "choice": lambda g, r: g.choice(r.randrange(1, 300)),
    "choice, size": lambda g, r: g.choice([3, 5, 9], size=r.randrange(4)),
    "choice, p": lambda g, r: g.choice(3, p=r.choice(P3)),
    "choice, p, size": lambda g, r: g.choice(["a", "b", "c"], size=4, p=r.choice(P3)),
    "choice, without": lambda g, r: g.choice(9, size=r.randrange(10), replace=False),
    "choice, without, p": lambda g, r: g.choice(4, size=3, replace=False, p=[0.1, 0.2, 0.3, 0.4]),
}
OLD: dict[str, Call] = {
    **BOTH,
    "rand": lambda g, r: g.rand(2),
    "random_sample": lambda g, r: g.random_sample(),
    "randint": lambda g, r: g.randint(r.randrange(1, 2000)),
    "randint, size": lambda g, r: g.randint(-3, r.randrange(9), size=3),
    "randint, 64 bits": lambda g, r: g.randint(0, r.randrange(2**33, 2**62)),
    "randint, a whole word": lambda g, r: g.randint(0, 2**32),
    "randint, int32": lambda g, r: g.randint(0, 1000, dtype=np.int32),
    "exponential": lambda g, r: g.exponential(3 * r.random(), 2),
    "standard_exponential": lambda g, r: g.standard_exponential(),
    "geometric, small p": lambda g, r: g.geometric(r.uniform(1e-3, 0.33)),
    "bytes": lambda g, r: g.bytes(r.randrange(1, 9)),
}
NEW: dict[str, Call] = {
    **BOTH,
    "integers": lambda g, r: g.integers(r.randrange(1, 2000)),
    "integers, size": lambda g, r: g.integers(-3, r.randrange(9), size=3, endpoint=True),
    "integers, 64 bits": lambda g, r: g.integers(0, r.randrange(2**33, 2**62)),
    "integers, a whole word": lambda g, r: g.integers(0, 2**32),
    "integers, int32": lambda g, r: g.integers(0, 1000, dtype=np.int32),
    "choice, without, unshuffled": lambda g, r: g.choice(9, size=4, replace=False, shuffle=False),
    "choice, without, tail": lambda g, r: g.choice(10_050, size=300, replace=False),
}
PYTHON: dict[str, Call] = {
    "random": lambda g, r: g.random(),
    "getrandbits": lambda g, r: g.getrandbits(r.randrange(1, 100)),
    "randrange": lambda g, r: g.randrange(-5, r.randrange(1, 10**12), 3),
    "randint": lambda g, r: g.randint(0, r.randrange(1000)),
    "choice": lambda g, r: g.choice("abcdefg"),
    "choices": lambda g, r: g.choices("abc", k=3),
    "choices, weights": lambda g, r: g.choices("abc", weights=[1, 2, r.random()], k=3),
    "shuffle": lambda g, r: _shuffled(g, list(range(r.randrange(9)))),
    "sample": lambda g, r: g.sample(range(r.randrange(6, 60)), 5),
    "sample, counts": lambda g, r: g.sample("ab", counts=[4, 3], k=3),
    "uniform": lambda g, r: g.uniform(-1, r.random()),
    "triangular": lambda g, r: g.triangular(0, 1, r.random()),
    "expovariate": lambda g, r: g.expovariate(0.1 + r.random()),
    "paretovariate": lambda g, r: g.paretovariate(1 + r.random()),
    "weibullvariate": lambda g, r: g.weibullvariate(1.0, 1 + r.random()),
    "randbytes": lambda g, r: g.randbytes(r.randrange(9)),
}
LIBRARIES: dict[str, tuple[Callable[[int], Twins], dict[str, Call]]] = {
    "random": (python, PYTHON),
    "numpy.random": (legacy, OLD),
    "Generator(PCG64)": (generator(np.random.PCG64), NEW),
    "Generator(MT19937)": (generator(np.random.MT19937), NEW),
}


def same(one: Any, other: Any) -> bool:
    """Tell whether two results are equal to the bit, types of arrays included."""
    here, there = np.asarray(one), np.asarray(other)
    if here.dtype != there.dtype or here.shape != there.shape:
        return False
    return here.tobytes() == there.tobytes() if here.dtype != object else bool(one == other)


def differences(make: Callable[[int], Twins], call: Call, count: int) -> Iterator[str]:
    """Yield what differs in ``count`` calls."""
    arguments, again = random.Random(1), random.Random(1)  # the same, so that both calls are
    for start in range(0, count, SEEDED_ANEW):
        twins = make(start)
        for number in range(start, min(start + SEEDED_ANEW, count)):
            real, own = call(twins.real, arguments), call(twins.twin, again)
            if not same(real, own):
                yield f"stream {number}: {real!r} really, {own!r} here"
        here, there = twins.rest()
        if here != there:
            yield f"streams up to {number}: more or fewer words were read"


def names(library: str) -> list[str]:
    """Return the names of a library's algorithms."""
    return list(LIBRARIES[library][1])


def check(library: str, name: str, count: int) -> str:
    """Return the first difference; empty if there is none."""
    make, calls = LIBRARIES[library]
    return next(differences(make, calls[name], count), "")


def main() -> int:
    """Check every algorithm, and print one line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--library", choices=list(LIBRARIES), action="append")
    given = parser.parse_args()
    started, wrong = time.perf_counter(), 0
    total = 0
    for library in given.library or LIBRARIES:
        for name in names(library):
            found = check(library, name, given.count)
            wrong += bool(found)
            total += 1
            print(f"{library:20} {name:28} {given.count:7} {found or 'equal'}", flush=True)
    seconds = time.perf_counter() - started
    print(f"{total} algorithms, {wrong} differ; NumPy {np.__version__}, Python "
          f"{sys.version.split()[0]}, {seconds:.0f} s")  # fmt: skip
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
