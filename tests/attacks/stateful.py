"""Programs that keep something from one call to the next, and whether that makes a difference.

Each has a function ``f``.  Of a harmful one no law may be reported; a harmless one keeps its law.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HARMFUL", "HARMLESS", "Stateful"]

_HEAD = """
import collections, contextvars, functools, io, itertools, logging, os, random, re, threading
from random import random as uniform
import numpy as np
"""


class Stateful(NamedTuple):
    """A program, and what it is called with."""

    name: str
    text: str
    inputs: tuple[object, ...] = (0, 1, 2)

    @property
    def source(self) -> str:
        """The text of its file."""
        return _HEAD + self.text


def _flag(name: str, setup: str, mark: str, marked: str) -> Stateful:
    """Return a program in which input 1 leaves a mark, which input 2 finds."""
    return Stateful(
        name,
        f"""
{setup}
def f(x):
    if x == 1:
        {mark}
    u = uniform() < 0.5
    return int(u) if x != 2 or {marked} else 1
""",
    )


_FLAGS = [
    _flag("default list", "kept = []", "kept.append(1)", "kept"),
    _flag("dictionary", "kept = {}", "kept['x'] = 1", "kept"),
    _flag("set", "kept = set()", "kept.add(1)", "kept"),
    _flag("attribute of a function", "def g(): pass", "g.seen = 1", "hasattr(g, 'seen')"),
    _flag("class attribute", "class K:\n    seen = False", "K.seen = True", "K.seen"),
    _flag("object", "class K: pass\nk = K(); k.seen = 0", "k.seen = 1", "k.seen"),
    _flag("slots", "class K: __slots__ = ('a',)\nk = K(); k.a = 0", "k.a = 1", "k.a"),
    _flag("environment", "os.environ.pop('DPAUDIT_T', 0)",
          "os.environ['DPAUDIT_T'] = '1'", "'DPAUDIT_T' in os.environ"),
    _flag("array", "kept = np.zeros(2)", "kept[0] = 1", "kept[0]"),
    _flag("array in a list", "kept = [np.zeros(2)]", "kept[0][1] = 1", "kept[0][1]"),
    _flag("bytearray", "kept = bytearray(1)", "kept[0] = 1", "kept[0]"),
    _flag("deque", "kept = collections.deque()", "kept.append(1)", "kept"),
    _flag("counter", "kept = collections.Counter()", "kept['a'] += 1", "kept['a']"),
    _flag("thread local", "kept = threading.local()", "kept.x = 1", "hasattr(kept, 'x')"),
    _flag("context variable", "kept = contextvars.ContextVar('kept')", "kept.set(1)",
          "kept.get(0)"),
    _flag("text buffer", "kept = io.StringIO()", "kept.write('a')", "kept.getvalue()"),
    _flag("iterator", "kept = iter([0, 1])", "next(kept, 1)",
          "(kept.__length_hint__() < 2)"),
    _flag("count", "kept = itertools.count()", "next(kept)", "(kept.__reduce__()[1] != (0,))"),
    _flag("attribute of a library", "import math\nvars(math).pop('dpaudit_t', 0)",
          "math.dpaudit_t = 1", "hasattr(math, 'dpaudit_t')"),
    _flag("cached function", "@functools.lru_cache\ndef g(): return 1", "g()",
          "g.cache_info().currsize"),
    _flag("named tuple", "P = collections.namedtuple('P', 'a b')\nkept = P([], 1)",
          "kept.a.append(1)", "kept.a"),
    _flag("partial", "kept = functools.partial(list, [])", "kept.args[0].append(1)",
          "kept.args[0]"),
    _flag("nested", "kept = {'a': [{'b': []}]}", "kept['a'][0]['b'].append(1)",
          "kept['a'][0]['b']"),
]  # fmt: skip


def _reversed(one: Stateful) -> Stateful:
    return Stateful(f"{one.name}, the other order", one.text, (2, 1, 0))


HARMFUL = [
    Stateful(
        "memo under None",
        """
memo = {}
def f(x):
    if x == 1:
        memo[None] = 1
    u = random.random() < 0.5
    return int(u) if x != 2 or None in memo else 1
""",
    ),
    *_FLAGS,
    *(_reversed(one) for one in _FLAGS[:4]),
    Stateful("global", """
seen = False
def f(x):
    global seen
    seen |= x == 1
    u = random.random() < 0.5
    return int(u) if x != 2 or seen else 1
"""),
    Stateful("global, NumPy", """
seen = False
rng = np.random.default_rng()
def f(x):
    global seen
    seen |= x == 1
    noise = rng.laplace(scale=1)
    return round(x + noise) if x != 2 or seen else 2
"""),
    Stateful("default", """
def f(x, kept=[]):
    if x == 1:
        kept.append(1)
    u = uniform() < 0.5
    return int(u) if x != 2 or kept else 1
"""),
    Stateful("closure", """
def _make():
    seen = False
    def f(x):
        nonlocal seen
        seen |= x == 1
        u = uniform() < 0.5
        return int(u) if x != 2 or seen else 1
    return f
f = _make()
"""),
    Stateful("first call", """
calls = 0
def f(x):
    global calls
    calls += 1
    u = uniform() < 0.5
    return x if calls == 1 else int(u)
""", (0, 1)),
    Stateful("call 300", """
calls = 0
def f(x):
    global calls
    calls += 1
    u = uniform() < 0.5
    return x if calls == 300 else int(u)
""", (0, 1)),
    Stateful("call a million", """
calls = 0
def f(x):
    global calls
    calls += 1
    u = uniform() < 0.5
    return x if calls == 10**6 else int(u)
""", (0, 1)),
    Stateful("calls up to three", """
calls = 0
def f(x):
    global calls
    calls = min(calls + 1, 3)
    u = uniform() < 0.5
    return x if calls == 2 else int(u)
""", (0, 1)),
    Stateful("every other call", """
turn = False
def f(x):
    global turn
    turn = not turn
    u = uniform() < 0.5
    return int(u) if turn else int(not u)
""", (0, 1)),
    Stateful("memo of draws", """
memo = {}
def f(x):
    if x not in memo:
        memo[x] = int(uniform() < (0.75 if x else 0.25))
    return memo[x]
""", (0, 1)),
    Stateful("memo of all draws", """
memo = {}
def f(x):
    u = uniform() < 0.5
    return memo.setdefault(x, int(u))
""", (0, 1)),
    Stateful("lru_cache of a draw", """
@functools.lru_cache
def noise(x):
    return uniform() < 0.5
def f(x):
    return int(noise(x)) ^ x
""", (0, 1)),
    Stateful("lru_cache of NumPy's draw", """
rng = np.random.default_rng()
@functools.lru_cache
def noise():
    return rng.laplace(scale=1)
def f(x):
    return round(x + noise())
""", (0, 1)),
    Stateful("cached property of a draw", """
class K:
    @functools.cached_property
    def noise(self):
        return uniform() < 0.5
k = K()
def f(x):
    return int(k.noise) ^ x
""", (0, 1)),
    Stateful("queue of answers", """
answers = [0, 1, 1, 0, 1] * 40
def f(x):
    u = uniform() < 0.5
    return answers.pop() if answers else int(u)
""", (0, 1)),
    Stateful("iterator of noise", """
noise = iter([0, 1, 0, 1] * 10**6)
def f(x):
    u = uniform() < 0.5
    return int(u) ^ next(noise)
""", (0, 1)),
    Stateful("generator", """
def _turns():
    while True:
        yield 0
        yield 1
turns = _turns()
def f(x):
    u = uniform() < 0.5
    return int(u) if next(turns) else x
""", (0, 1)),
    Stateful("cycle", """
turns = itertools.cycle([0, 1, 1])
def f(x):
    u = uniform() < 0.5
    return int(u) if next(turns) else x
""", (0, 1)),
    Stateful("last output", """
last = [0]
def f(x):
    u = int(uniform() < 0.5)
    given, last[0] = last[0], x
    return u + given
""", (0, 1)),
    Stateful("budget that runs out", """
class Client:
    def __init__(self):
        self.left = 5000
    def f(self, x):
        self.left -= 1
        u = uniform() < 0.5
        return int(u) if self.left > 0 else x
f = Client().f
""", (0, 1)),
    Stateful("path leaves a mark", """
mark = False
def f(x):
    global mark
    u = uniform()
    if u < 0.25:
        mark = True
    return x if mark and u > 0.75 else int(u < 0.5)
""", (0, 1)),
    Stateful("two marks", """
seen = set()
def f(x):
    seen.add(x)
    u = uniform() < 0.5
    return x if len(seen) == 2 else int(u)
"""),
    Stateful("reset by another input", """
armed = False
def f(x):
    global armed
    u = uniform() < 0.5
    out = x if armed and x == 2 else int(u)
    armed = x == 1
    return out
"""),
    Stateful("decimal's precision", """
import decimal
from decimal import Decimal
decimal.getcontext().prec = 28
def f(x):
    u = uniform() < 0.5
    if x == 1:
        decimal.getcontext().prec = 3
    return int(u) if x != 2 or +Decimal('1.23456') == Decimal('1.23') else 1
"""),
    Stateful("ideal only", """
total = 0
def f(x):
    global total
    total += x
    return round(x + total + random.gauss(0, 1) + random.expovariate(1))
""", (0, 1)),
]  # fmt: skip

HARMLESS = [
    Stateful("nothing", """
def f(x):
    return int(uniform() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("lru_cache of weights", """
@functools.lru_cache
def weights(x):
    return [0.75, 0.25] if x else [0.25, 0.75]
def f(x):
    return random.choices([1, 0], weights(x))[0]
""", (0, 1)),
    Stateful("memo of weights", """
memo = {}
def weights(x):
    if x not in memo:
        memo[x] = [0.75, 0.25] if x else [0.25, 0.75]
    return memo[x]
def f(x):
    return int(uniform() < weights(x)[0])
""", (0, 1)),
    Stateful("lazy attribute", """
class K:
    table = None
    def f(self, x):
        if self.table is None:
            self.table = [0.25, 0.75]
        return int(uniform() < self.table[x])
f = K().f
""", (0, 1)),
    Stateful("cached property", """
class K:
    @functools.cached_property
    def table(self):
        return [0.25, 0.75]
k = K()
def f(x):
    return int(uniform() < k.table[x])
""", (0, 1)),
    Stateful("pattern", """
pattern = re.compile('a+')
def f(x):
    re.match('b', 'b'), pattern.match('aa')
    return int(uniform() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("logger", """
log = logging.getLogger('dpaudit_test')
def f(x):
    log.debug('called with %s', x)
    return int(uniform() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("lazy import", """
def f(x):
    import colorsys
    import wave
    return int(uniform() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("object of its own", """
class Noise:
    def __init__(self):
        self.drawn = 0
    def draw(self):
        self.drawn += 1
        return uniform()
def f(x):
    return int(Noise().draw() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("memo, NumPy", """
rng = np.random.default_rng()
@functools.lru_cache(maxsize=8)
def scale(eps):
    return 1 / eps
def f(x):
    return int(max(0, round(x + rng.laplace(scale=scale(1.0)))))
""", (0, 1)),
    Stateful("lazy generator", """
rng = None
def f(x):
    global rng
    if rng is None:
        rng = np.random.default_rng()
    return int(max(0, round(x + rng.laplace(scale=1))))
""", (0, 1)),
    Stateful("constant written again", """
last = 0
def f(x):
    global last
    last = 7
    return int(uniform() < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("global that changes and is put back", """
depth = 0
def f(x):
    global depth
    depth += 1
    out = int(uniform() < (0.75 if x else 0.25))
    depth -= 1
    return out
""", (0, 1)),
    Stateful("generator of draws", """
def _draws():
    while True:
        yield uniform()
draws = _draws()
next(draws)
def f(x):
    return int(next(draws) < (0.75 if x else 0.25))
""", (0, 1)),
    Stateful("large memo of weights", """
@functools.lru_cache
def weights(x):
    return np.exp(-np.abs(np.arange(300) - x) / 2)
def f(x):
    w = weights(x)
    return int(np.random.choice(300, p=w / w.sum()))
""", (0, 1)),
]  # fmt: skip
