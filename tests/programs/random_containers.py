"""Random programs as run that hold draws to containers, types and errors of Python's and NumPy's.

A program draws two or three small things, each by a call of Python's or NumPy's modules, and looks
at them with arrays, scalars of several types, sets, dictionaries and ``try``.  Its text is in two
parts: what draws, and what looks.  The oracle gives the second part every combination of the values
that the calls have, which is exact where no call draws a uniform, and runs the program for real.
"""

import bisect
import math
import operator
import random as python_random
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np

from dpaudit.numbers.ball import Ball
from dpaudit.programs.program import program

__all__ = ["containers", "drawn_for_real", "plain"]

Values = list[tuple[Any, Fraction]]
"""What a call gives, with its probabilities; empty if they are not listed."""


def alike(values: Any) -> Values:
    listed = list(values)
    return [(value, Fraction(1, len(listed))) for value in listed]


def _wholes(rng: python_random.Random) -> tuple[str, Values]:
    """Return a call that gives one whole number, and its values."""
    n = rng.choice([2, 3, 5, 12, 100])
    text, kind = rng.choice(
        [
            (f"random.randrange({n})", int),
            (f"random.randint(0, {n - 1})", int),
            (f"random.choice(range({n}))", int),
            (f"secrets.randbelow({n})", int),
            (f"np.random.randint({n})", int),
            (f"np.random.randint(0, {n}, dtype=np.int64)", np.int64),
            (f"np.random.randint({n}, dtype=np.int32)", np.int32),
            (f"np.random.default_rng().integers({n})", np.int64),
            (f"np.random.default_rng().integers(0, {n - 1}, endpoint=True)", np.int64),
            (f"np.random.default_rng().integers({n}, dtype=np.int32)", np.int32),
            (f"np.random.default_rng().choice({n})", int),
            (f"np.random.choice(np.arange({n}, dtype=np.int64))", np.int64),
        ]
    )
    return text, alike(map(kind, range(n)))


def _weighted(rng: python_random.Random) -> tuple[str, Values]:
    weights = rng.choice([[1, 1, 2], [0, 3, 1], [2, 1, 1]])
    source = rng.choice(["np.random", "np.random.default_rng()"])
    shares = [one / 4 for one in weights]
    values = [(np.int64(k), Fraction(w, 4)) for k, w in zip((2, 5, 7), weights, strict=True) if w]
    return f"{source}.choice([2, 5, 7], p={shares})", values


def _several(rng: python_random.Random) -> tuple[str, Values]:
    """Return a call that gives an array or a list."""
    source = rng.choice(["np.random", "np.random.default_rng()"])
    orders = [np.array(one) for one in permutations(range(3))]
    pairs = [np.array(one) for one in product(range(3), repeat=2)]
    whole = "randint" if source == "np.random" else "integers"
    return rng.choice(
        [
            (f"{source}.permutation(3)", alike(orders)),
            (f"{source}.{whole}(3, size=2)", alike(pairs)),
            (f"{source}.{whole}(0, 3, (2,))", alike(pairs)),
            (f"{source}.choice(3, size=2)", alike(pairs)),
            ("random.sample(range(4), 2)", alike(map(list, permutations(range(4), 2)))),
            ("np.array([random.randrange(3), random.randrange(3)])", alike(pairs)),
        ]
    )


def _raising(rng: python_random.Random) -> tuple[str, Values]:
    """Return a call that may raise, according to its arguments, and what is made of it."""
    source = rng.choice(["np.random", "np.random.default_rng()"])
    p = rng.choice(["[0.5, 0.5]", "[0.5, 0.6]", "[1.5, -0.5]", "[0.5]"])
    size = rng.choice(["1", "0", "-1", "2.0", "'2'", "(2, -1)", "None", "True"])
    call = rng.choice(
        [
            f"{source}.random({size})",
            f"{source}.choice(2, p={p})",
            f"{source}.laplace(0, {rng.choice([1, -1, 0])}, {size})",
            f"{source}.choice(3, {rng.choice([2, 3, 4])}, replace=False)",
            f"{source}.uniform(0, 1, {size})",
            f"random.randrange({rng.choice([3, 0, -1])})",
            "random.choice([])",
            f"random.sample(range(2), {rng.choice([1, 3, -1])})",
        ]
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = _named(eval(f"lambda: {call}", dict(NAMES)))
    except Exception as error:  # whose class the program must see as well
        raise AssertionError(call) from error
    return f"named(lambda: {call})", [(made, Fraction(1))]


def _named(call: Callable[[], Any]) -> str:
    """Return what a call comes to: an exception's class, or that there was none."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "drawn"


NAMES: dict[str, Any] = {
    "random": python_random, "np": np, "math": math, "operator": operator, "bisect": bisect,
    "Fraction": Fraction, "Decimal": Decimal, "named": _named, "secrets": __import__("secrets"),
    "__name__": "generated",
}  # fmt: skip
UNIFORMS = (
    "random.random()", "np.random.random()", "np.random.default_rng().random()",
    "random.uniform(0, 1)", "float(np.random.rand(1)[0])", "np.random.default_rng().uniform()",
)  # fmt: skip
OF_WHOLES = (
    "{0} in ARRAY", "{0} in {{1, 3, 7}}", "{0} in (0, 2.0, 5)",
    "{{1: 'a', 2: 'b', 7: 'c'}}.get({0})", "int(np.isin({0}, ARRAY))",
    "int(np.searchsorted(ARRAY, {0}))", "bool(np.any(ARRAY == {0}))", "int((ARRAY < {0}).sum())",
    "int((ARRAY >= {0}).sum())", "int(np.where(ARRAY == {0}, 1, 0).sum())",
    "bisect.bisect_left([1, 3, 7], {0})", "bisect.bisect([1, 3, 7], {0})",
    "sorted([{0}, 2, 3])[1]", "max({0}, 2)", "min({0}, 3)", "np.maximum({0}, 2)",
    "np.minimum({0}, 3)", "int(np.clip({0}, 1, 2))", "{0} == 2.0", "{0} < 1.5",
    "{0} == Fraction(4, 2)", "{0} >= Fraction(3, 2)", "{0} == np.float64(2)", "{0} != np.int32(1)",
    "{0} <= np.float32(2.5)", "{0} == True", "{0} == '2'", "{0} is None", "isinstance({0}, int)",
    "isinstance({0}, np.integer)", "{0} + np.int64(1)", "{0} % 3", "{0} * 2 - 1",
    "operator.eq({0}, 2)", "operator.lt({0}, 2)", "operator.contains([1, 2], {0})",
    "len({{{0}, 2}})", "[0, 1, 2, 7].index({0}) if {0} in [0, 1, 2, 7] else -1",
    "range(1, 9, 2).count({0})", "bool({0})", "'abc'[{0} % 3]", "list(range(3))[min({0}, 2)]",
    "f'{{{0}}}'", "hash({0}) == hash(2)", "abs({0} - 2)", "np.array([4, 5, 6])[min({0}, 2)]",
    "next((i for i, one in enumerate([1, 2]) if one == {0}), -1)", "int(np.argmax(ARRAY == {0}))",
    "int(np.argmax(np.array([1, {0}, 2])))", "int(np.sum([{0}, 1]))", "divmod({0}, 4)",
    "({0}, 1) == (2, 1)", "({0}, 0) < (2, 1)", "math.floor({0} / 2)", "{0} // 2",
)  # fmt: skip
OF_SEVERAL = (
    "int({0}[0])", "sorted({0})[1] == 1", "int(np.argmax({0}))", "int(np.sum({0}))",
    "1 in list({0})", "tuple(int(one) for one in {0})", "int(max({0}))", "len(set(map(int, {0})))",
    "{0}[0] < {0}[1]", "int(np.count_nonzero(np.asarray({0}) > 1))",
    "bool(np.all(np.asarray({0}) >= 1))", "2 in {0}",
    "[int(one) for one in sorted({0}, key=lambda one: -one)]",
    "frozenset(int(one) for one in {0})",
)  # fmt: skip
OF_NAMES = ("{0}", "{0} == 'ValueError'", "len({0})", "{0} in {{'drawn', 'TypeError'}}")
OF_UNIFORMS = (
    "{0} < 0.25", "{0} >= Fraction(1, 3)", "int({0} * 5)", "0.2 < {0} <= 0.7",
    "{0} > np.float64(0.5)", "int(np.searchsorted(np.array([0.25, 0.5]), {0}))",
    "int((np.array([0.25, 0.5]) < {0}).sum())", "bisect.bisect([0.1, 0.2, 0.9], {0})",
    "max({0}, 0.5) == 0.5", "round({0} * 4)", "{0} in (0.5, 2)", "sorted([{0}, 0.5])[0] == 0.5",
    "isinstance({0}, float)", "{0} + 1 < 1.5", "int(np.floor({0} * 3))", "math.ceil({0} * 4)",
    "next(i for i, one in enumerate([0.3, 0.6, 1]) if {0} < one)", "{0} is None",
)  # fmt: skip
TABLES = {"wholes": OF_WHOLES, "several": OF_SEVERAL, "names": OF_NAMES, "uniforms": OF_UNIFORMS}
ARRAYS = ("[1, 3, 7]", "[1, 3, 7], dtype=np.int32", "[1.0, 3.5, 7.0]", "[1, 3, 7], dtype=object")


@dataclass
class Containers:
    """Makes the text of a program from random choices."""

    rng: python_random.Random
    calls: list[str] = field(default_factory=list)
    values: list[Values] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What was drawn, by its kind."""

    def text(self) -> str:
        """Return the text of a function ``body(dataset)`` and of ``looks(dataset, d0, d1, …)``."""
        for place in range(self.rng.choice([1, 2, 2, 3])):
            kind = self.rng.choice(
                ["wholes", "wholes", "wholes", "weighted", "several", "names", "uniforms"]
            )
            self._draws(f"d{place}", kind)
        lines: list[str] = []
        self._block(lines, "    ", 1)
        given = ", ".join(["dataset", *(f"d{place}" for place in range(len(self.calls)))])
        return "\n".join(
            [
                f"ARRAY = np.array({self.rng.choice(ARRAYS)})",
                f"def looks({given}):",
                "    out = []",
                *lines,
                "    return tuple(out)",
                "def body(dataset):",
                *(f"    d{place} = {call}" for place, call in enumerate(self.calls)),
                f"    return looks({given})",
            ]
        )

    def _draws(self, name: str, kind: str) -> None:
        if kind == "uniforms":
            call, values = self.rng.choice(UNIFORMS), list[tuple[Any, Fraction]]()
        else:
            make = {"wholes": _wholes, "weighted": _weighted, "several": _several}
            call, values = make.get(kind, _raising)(self.rng)
        self.calls.append(call)
        self.values.append(values)
        self.names["wholes" if kind == "weighted" else kind].append(name)

    def _look(self) -> str:
        kind = self.rng.choice(list(self.names))
        return self.rng.choice(TABLES[kind]).format(self.rng.choice(self.names[kind]))

    def _block(self, lines: list[str], margin: str, depth: int) -> None:
        for _ in range(self.rng.randint(1, 2)):
            match self.rng.randrange(5):
                case 0 if depth:
                    lines.append(f"{margin}if {self._look()}:")
                    self._block(lines, margin + "    ", depth - 1)
                    lines.append(f"{margin}else:")
                    self._block(lines, margin + "    ", depth - 1)
                case 1:
                    lines += [
                        f"{margin}try:",
                        f"{margin}    out.append([0, 1, 2, 3][int({self._look()})])",
                        f"{margin}except (IndexError, TypeError, ValueError) as error:",
                        f"{margin}    out.append(type(error).__name__)",
                    ]
                case _:
                    lines.append(f"{margin}out.append({self._look()})")


def plain(output: Any) -> str:
    """Return an output as text, with Python's numbers for NumPy's."""
    if isinstance(output, (np.generic, np.ndarray)):
        return plain(output.tolist())
    if isinstance(output, (tuple, list)):
        return f"({', '.join(map(plain, output))})"
    if isinstance(output, (set, frozenset)):
        return f"{{{', '.join(sorted(map(plain, output)))}}}"
    return repr(output)


MOST_COMBINATIONS = 20_000


def containers(seed: int, agree: Callable[..., None], runs: int) -> str:
    """Hold the program of a seed to what it gives out; return its kind."""
    code = Containers(python_random.Random(seed))
    text = code.text()
    names = dict(NAMES)
    exec(compile(text, "<generated>", "exec"), names)
    one = program(datasets=[0, 1], neighbours="all", as_run=True)(names["body"])
    law = one.law(0)
    masses = {plain(output): mass for output, mass in law.items()}
    assert len(masses) == len(law), text
    if all(code.values) and math.prod(map(len, code.values)) <= MOST_COMBINATIONS:
        expected: dict[str, Fraction] = defaultdict(Fraction)
        for combination in product(*code.values):
            share = math.prod((p for _, p in combination), start=Fraction(1))
            expected[plain(names["looks"](0, *(value for value, _ in combination)))] += share
        assert not any(isinstance(mass, Ball) for mass in masses.values()), text
        found = {output: mass.as_fraction() for output, mass in masses.items()}
        assert found == expected, (text, found, dict(expected))
    agree(masses, drawn_for_real(names["body"], runs), runs, text)
    return "containers"


def drawn_for_real(body: Callable[[int], Any], runs: int) -> dict[str, int]:
    """Return how often an unchanged program gives what, with real generators.

    ``default_rng`` gives one and the same generator: to make one takes longer than a program does.
    """
    generator, made = np.random.default_rng(), np.random.default_rng
    sampled: dict[str, int] = defaultdict(int)
    np.random.default_rng = lambda *given: generator
    try:
        for _ in range(runs):
            sampled[plain(body(0))] += 1
    finally:
        np.random.default_rng = made
    return sampled
