"""Programs whose entries are independent, against every outcome of their draws run one by one."""

from __future__ import annotations

import importlib.util
import linecache
import random as python_random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, log
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import mpmath
import pytest

from dpaudit import check, program
from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import Listed, alike, frozen
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import real
from dpaudit.programs.entrywise import joined
from dpaudit.programs.entrywise.splitting import Split, split
from dpaudit.programs.output_laws import counted_products
from dpaudit.results import Verdict

if TYPE_CHECKING:
    from dpaudit.programs.program import Program

__all__: list[str] = []


class Replayed:
    """Source that takes given ways, and tells of how many ways each draw was."""

    def __init__(self, ways: Sequence[int]) -> None:
        self._ways, self.counts = ways, list[int]()
        self.weight = Fraction(1)

    def _next(self, weights: Sequence[Fraction]) -> int:
        place = len(self.counts)
        self.counts.append(len(weights))
        way = self._ways[place] if place < len(self._ways) else 0
        self.weight *= weights[way]
        return way

    def bernoulli(self, p: Any) -> bool:
        p = Fraction(p)
        return self._next([p, 1 - p]) == 0

    def integers(self, n: int) -> int:
        return self._next([Fraction(1, n)] * n)

    def choice(self, items: Any, weights: Any = None) -> Any:
        listed = list(items)
        given = [Fraction(one) for one in (weights or [1] * len(listed))]
        return listed[self._next([one / sum(given) for one in given])]

    def bits(self, k: int) -> int:
        return self.integers(2**k)


def brute_force(function: Callable[..., Any], dataset: Any) -> dict[Any, Fraction]:
    """Return the law of a function by running it at every outcome of its draws."""
    law: Counter[Any] = Counter()
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        ways = waiting.pop()
        source = Replayed(ways)
        try:
            found = function(dataset, source)
        except Exception as error:
            found = f"raises {type(error).__name__}"
        for place in range(len(ways), len(source.counts)):
            taken = (*ways, *[0] * (place - len(ways)))
            waiting += [(*taken, way) for way in range(1, source.counts[place])]
        law[frozen(found)] += source.weight  # type: ignore[assignment]
    return dict(law)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split programs of few paths as well."""
    monkeypatch.setattr(joined, "_FEW", 0)


_NAMES = iter(range(10**6))


def loaded(folder: Path, text: str) -> ModuleType:
    """Return a module of this text, in a file of its own."""
    path = folder / f"entrywise_{next(_NAMES)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(function: Any, datasets: Any) -> Program:
    return program(datasets=datasets, neighbours="all", budget=9)(function)


def law_of(one: Program, dataset: Any) -> dict[Any, Fraction]:
    with precision(96):
        found = one.explorer(dataset)
    return {output: weight.as_fraction() for output, weight in found.items()}  # type: ignore[union-attr, misc]


def hold(function: Any, dataset: Any, *, is_split: bool | None = True) -> None:
    """Hold the law of a program to that of all its draws; one that is refused has none."""
    one = made(function, [dataset, "another"])
    if is_split is not None:
        assert (one.explorer.joined(dataset) is not None) == is_split
    expected = brute_force(function, dataset)
    try:
        law = law_of(one, dataset)
    except LawError:
        assert is_split is not True
        return
    shown = {str(o) if str(o).startswith("raises") else o: w for o, w in law.items()}
    shown = {o.partition(":")[0] if type(o) is str else o: w for o, w in shown.items()}
    assert shown == expected
    outputs = {output: output for output in expected}
    assert all(alike(output, outputs[output]) for output in shown)


SPLIT = [
    "return tuple(b if random.bernoulli('3/4') else 1 - b for b in bits)",
    "return [b ^ random.bernoulli('3/4') for b in bits]",
    "return list(random.integers(3) + b for b in bits)",
    "return tuple([random.choice([b, 5, 7], [1, 2, 1]) for b in bits])",
    "noisy = [random.integers(4) - b for b in bits]\n    return tuple(v >= 2 for v in noisy)",
    "noisy = [random.integers(4) - b for b in bits]\n"
    "    return [i + v for i, v in enumerate(noisy)]",
    "noisy = [random.integers(3) for b in bits]\n"
    "    return tuple(v + b for v, b in zip(noisy, bits))",
    "a = [random.integers(3) for b in bits]\n    c = [max(0, v - 1) for v in a]\n"
    "    return tuple(v == b for b, v in zip(bits, c))",
    "out = []\n    for b in bits:\n        if random.bernoulli('1/3'):\n            b2 = 1 - b\n"
    "        else:\n            b2 = b\n        out.append(b2)\n    return out",
    "out = []\n    for i, b in enumerate(bits):\n        out.append(b + i * random.integers(2))\n"
    "    clipped = [min(v, 2) for v in out]\n    return tuple(clipped)",
    "return sum(b if random.bernoulli('3/4') else 1 - b for b in bits)",
    "return max(1, sum([random.integers(3) * b for b in bits]) - 2)",
    "total = 3\n    for b in bits:\n        total += b ^ random.bernoulli('2/3')\n    return total",
    "total = 0\n    for b in bits:\n        for _ in range(2):\n"
    "            total += random.integers(2)\n"
    "    return total >= 2, len(bits)",
    "n = len(bits)\n    s = sum(random.bernoulli('1/4') for b in bits if b)\n"
    "    if s > 1:\n        found = s\n    else:\n        found = n\n    return found * 2",
    "return tuple(random.bernoulli('1/4') + a * b for a in bits for b in (1, 2))",
    "weights = tuple(b + 1 for b in bits)\n"
    "    return tuple(random.integers(weights[i]) for i in range(len(bits)))",
    "return tuple(noisy(b, random) for b in bits)",
]
"""Bodies of programs with independent entries."""

ATTACKS = [
    "s = random.bernoulli('1/3')\n    return tuple(b ^ s for b in bits)",
    "s = random.bernoulli('1/3')\n    return tuple(b ^ s ^ random.bernoulli('1/4') for b in bits)",
    "v = [random.integers(3) for b in bits]\n"
    "    return tuple(v[i] >= v[i - 1] for i in range(len(bits)))",
    "v = [random.integers(3) for b in bits]\n    return tuple(a >= c for a, c in zip(v, v[1:]))",
    "v = [random.integers(3) for b in bits]\n    return tuple(a >= c for a, c in zip(v, v))",
    "v = [random.integers(3) for b in bits]\n    return tuple(a + max(v) for a in v)",
    "v = [random.integers(3) for b in bits]\n    return tuple(sorted(v))",
    "v = [random.integers(3) for b in bits]\n    return v[0]",
    "v = [random.integers(3) for b in bits]\n    v.append(sum(v))\n    return tuple(v)",
    "v = [random.integers(3) for b in bits]\n    v[0] = v[1]\n    return tuple(v)",
    "v = [random.integers(3) for b in bits]\n    w = v\n    w.reverse()\n    return tuple(v)",
    "v = [random.integers(2) for b in bits]\n    v = [a + v[0] for a in v]\n    return tuple(v)",
    "v = [random.integers(2) for b in bits]\n    return sum(v), sum(v)",
    "v = [random.integers(2) for b in bits]\n    return sum(v), tuple(v)",
    "v = [random.integers(2) for b in bits]\n    return tuple(a for a in v if a)",
    "out = []\n    for b in bits:\n        if random.bernoulli('1/3'):\n            last = b\n"
    "        out.append(last)\n    return tuple(out)",
    "out = []\n    last = 0\n    for b in bits:\n        if random.bernoulli('1/3'):\n"
    "            last = b\n        out.append(last)\n    return tuple(out)",
    "out = []\n    for b in bits:\n        out.append(len(out) + random.integers(2))\n"
    "    return tuple(out)",
    "out = []\n    for b in bits:\n        out.append(random.integers(2) + sum(out))\n"
    "    return tuple(out)",
    "out = []\n    other = out\n    for b in bits:\n"
    "        out.append(len(other) + random.integers(2))\n"
    "    return tuple(out)",
    "out = []\n    held = (out,)\n    for b in bits:\n        out.append(random.integers(2))\n"
    "    return tuple(held[0])",
    "out = []\n    for b in bits:\n        if random.bernoulli('1/2'):\n            out.append(b)\n"
    "    return tuple(out)",
    "out = []\n    for b in bits:\n        if random.bernoulli('1/2'):\n            break\n"
    "        out.append(random.integers(2))\n    return tuple(out)",
    "out = []\n    for b in bits:\n        if random.bernoulli('1/2'):\n            continue\n"
    "        out.append(random.integers(2))\n    return tuple(out)",
    "total = 0\n    for b in bits:\n        total += random.integers(2) if total < 2 else 0\n"
    "    return total",
    "total = 0\n    for b in bits:\n        total += random.integers(2)\n"
    "        total = min(total, 1)\n"
    "    return total",
    "total = 0\n    k = 0\n    for b in bits:\n        k += 1\n"
    "        total += random.integers(k)\n"
    "    return total",
    "cell = [0]\n    return tuple(bumped(cell, random.integers(2)) for b in bits)",
    "cell = []\n    for b in bits:\n        cell.append(b)\n"
    "    return tuple(random.integers(2) + pushed(cell) for b in bits)",
    "pool = zip(bits, bits)\n    return tuple(random.integers(2) + len(list(pool)) for b in pool)",
    "return tuple((s := random.integers(2)) + s for b in bits)",
    "return tuple(random.integers(1 + b) // b for b in bits)",
    "return any(random.bernoulli('1/3') for b in bits)",
    "sum = max\n    return sum(random.integers(3) for b in bits)",
    "tuple = sorted\n    return tuple(random.integers(3) for b in bits)",
    "flips = (random.bernoulli('1/3') for b in bits)\n"
    "    return tuple(a + len(bits) for a in flips)",
    "flips = [random.bernoulli('1/3') for b in bits]\n    b = flips[0]\n"
    "    return tuple(a ^ b for a in flips)",
    "v = [random.integers(2) for b in bits]\n    w = [random.integers(2) for b in bits]\n"
    "    return tuple(a * c for a, c in zip(v, w))",
    "v = [random.integers(2) for b in bits]\n    return tuple(a + random.integers(2) for a in v)",
    "r = random\n    return tuple(r.integers(2) for b in bits)",
    "n = len(bits)\n    n += random.integers(2)\n    return n",
    "v = [random.integers(2) for b in bits]\n    n = sum(v)\n    n = n + len(v)\n    return n",
    "b = 1\n    return tuple(b + random.integers(2) for b in bits)",
    "v = [random.integers(2) for c in bits]\n    return tuple([c for c in v] + [c for c in bits])",
    "return tuple([random.integers(2) for b in bits] * 2)",
    "return [[random.integers(2)] for b in bits]",
    "return tuple(random.choice([True, 1, 0]) for b in bits)",
]
"""Bodies of programs whose entries are not independent, or only look like those of others."""

HELPERS = """
def noisy(bit, random):
    return bit if random.bernoulli("3/5") else random.integers(2)

def bumped(cell, value):
    cell.append(value)
    return sum(cell)

def pushed(cell):
    cell.append(1)
    return len(cell)
"""


def written(body: str) -> str:
    return f"{HELPERS}\ndef mechanism(bits, random):\n    {body}\n"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("body", SPLIT)
def test_independent_entries_have_the_law_of_all_draws(body: str, tmp_path: Path) -> None:
    function = loaded(tmp_path, written(body)).mechanism
    for dataset in ((0, 1), (1, 1, 0)):
        hold(function, dataset)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("body", ATTACKS)
def test_entries_that_only_look_independent_have_no_false_law(body: str, tmp_path: Path) -> None:
    function = loaded(tmp_path, written(body)).mechanism
    for dataset in ((1, 0), (0, 1, 1)):
        hold(function, dataset, is_split=None)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "text",
    [
        "def sum(given):\n    return max(given)\n",
        "def tuple(given):\n    return [one for one in given][:1]\n",
        "def zip(first, second):\n    return [(one, one) for one in first]\n",
    ],
)
def test_builtins_of_another_meaning_are_not_taken_for_pythons(text: str, tmp_path: Path) -> None:
    for body in SPLIT:
        function = loaded(tmp_path, text + written(body)).mechanism
        hold(function, (0, 1), is_split=None)


def entry(rng: python_random.Random, depth: int = 2) -> str:
    """Return a random expression of one entry."""
    if not depth:
        return rng.choice(["b", "2", "len(bits)", "random.integers(2)", "random.bernoulli('2/7')"])
    a, c = entry(rng, depth - 1), entry(rng, depth - 1)
    return rng.choice(
        [f"({a} + {c})", f"({a} if random.bernoulli('1/3') else {c})", f"max({a}, {c})",
         f"({a} - b)", f"int({a} > {c})"]
    )  # fmt: skip


def random_body(rng: python_random.Random) -> str:
    one = entry(rng)
    after = rng.choice(["v", "max(0, v)", "v + 1", "int(v >= 1)", "v * v"])
    return rng.choice(
        [
            f"return tuple({one} for b in bits)",
            f"return sum({one} for b in bits) * 2",
            f"made = [{one} for b in bits]\n    return tuple({after} for v in made)",
            f"made = [{one} for b in bits]\n    return max(0, sum({after} for v in made))",
            f"out = []\n    for b in bits:\n        v = {one}\n        out.append({after})\n"
            "    return out",
            f"total = 1\n    for b in bits:\n        v = {one}\n        total += {after}\n"
            "    return total, len(bits)",
        ]
    )


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_have_the_law_of_all_draws(seed: int, tmp_path: Path) -> None:
    body = random_body(python_random.Random(seed))
    function = loaded(tmp_path, written(body)).mechanism
    for dataset in ((0, 1), (1,)):
        if "random" in body and len(brute_force(function, dataset)) > 1:
            hold(function, dataset, is_split=None)
            assert made(function, [dataset]).explorer._entrywise is not None, body


def responses(bits: Any, random: Any) -> tuple[int, ...]:
    return tuple(b if random.bernoulli("3/4") else 1 - b for b in bits)


def clamped(counts: Any, random: Any) -> tuple[int, ...]:
    return tuple(max(0, min(6, c + random.discrete_laplace(2))) for c in counts)


def reached(counts: Any, random: Any) -> list[bool]:
    noisy = [c + random.discrete_laplace(2) for c in counts]
    return [v >= 5 for v in noisy]


def reached_with_laplace(counts: Any, random: Any) -> list[bool]:
    noisy = [c + random.laplace(2) for c in counts]
    return [v >= 5 for v in noisy]


def of_noise(k: int, scale: int) -> Any:
    """Return P(Z ≥ k) of discrete Laplace noise."""
    t = mpmath.exp(mpmath.mpf(-1) / scale)
    return t**k / (1 + t) if k > 0 else 1 - t ** (1 - k) / (1 + t)


def at_least(v: int, c: int) -> Any:
    return of_noise(v - c, 2)


def at_least_with_laplace(v: int, c: int) -> Any:
    x = mpmath.mpf(v - c) / 2
    return mpmath.exp(-x) / 2 if x >= 0 else 1 - mpmath.exp(x) / 2


@pytest.mark.parametrize(
    ("function", "tail"), [(reached, at_least), (reached_with_laplace, at_least_with_laplace)]
)
def test_thresholds_of_twenty_counts_are_a_product(function: Any, tail: Any) -> None:
    datasets = [(3,) * 20, (4, *(3,) * 19), (4,) * 20]
    one = made(function, datasets)
    with precision(96), mpmath.workdps(30):
        law, other, _ = (one.laws().law(dataset) for dataset in datasets)
        output = Listed([True, False] * 10)
        expected = mpmath.mpf(1)
        for value in output:
            p = tail(5, 3)
            expected *= p if value else 1 - p
        found = law.probability(output)
        assert found.exact is not None
        assert abs(mpmath.mpf(str(float(found.ball.mid()))) - expected) < 1e-12
        loss = other.divergence_from(law).max_loss(forward=True)
        wanted = mpmath.log(tail(5, 4) / tail(5, 3))
        assert abs(float(loss.ball.mid()) - wanted) < 1e-12
        assert loss.output[0] is True  # type: ignore[index]


def test_clamped_counts_are_a_product() -> None:
    datasets = [(2,) * 20, (3, *(2,) * 19)]
    one = made(clamped, datasets)
    with precision(96), mpmath.workdps(30):
        law = one.laws().law(datasets[0])
        output = (0, 6, 3, *(2,) * 17)
        between = [of_noise(v - 2, 2) - of_noise(v - 1, 2) for v in output]
        between[0], between[1] = 1 - of_noise(-1, 2), of_noise(4, 2)
        expected = mpmath.fprod(between)
        assert abs(float(law.probability(output).ball.mid()) / expected - 1) < 1e-12
    report = check(one)
    (result,) = report.results
    assert result.epsilon.lower <= Fraction(1, 2) <= result.epsilon.upper
    assert report.verdict == "within"


def test_twenty_responses_have_the_epsilon_of_one() -> None:
    report = check(made(responses, [(0,) * 20, (1, *(0,) * 19)]))
    (result,) = report.results
    assert str(result.epsilon.exact) == "ln(3)"
    assert result.witness is not None


def test_the_path_of_a_witness_gives_it() -> None:
    dataset = (0,) * 14
    one = made(responses, [dataset, (1,) * 14])
    output = (0, 1) * 7
    path = one.path_to(dataset, output)
    assert path == tuple(f"bernoulli {i + 1} is {v == 0}" for i, v in enumerate(output))


def added(bits: Any, random: Any) -> int:
    told: int = sum(b if random.bernoulli("3/4") else 1 - b for b in bits)
    return 5 + told


def test_a_sum_of_many_has_as_many_outputs_and_a_path_to_each() -> None:
    dataset = (0, 1) * 30
    one = made(added, [dataset, (1, 1, *dataset[2:])])
    law = law_of(one, dataset)
    p = Fraction(3, 4)
    flips = [Fraction(0)] * 61
    for i in range(31):  # zeros that are told as 1
        for j in range(31):  # ones that are told as 0
            weight = p ** (60 - i - j) * (1 - p) ** (i + j)
            flips[30 + i - j] += weight * comb(30, i) * comb(30, j)
    assert law == {5 + k: weight for k, weight in enumerate(flips)}
    trail = one.explorer.joined(dataset).trail_to(5 + 17)  # type: ignore[union-attr]
    assert added(dataset, Replayed(trail)) == 22


def test_real_runs_refuse_another_law_than_that_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(given: Any) -> Split | None:
        return split(responses_otherwise) if given is responses else split(given)

    monkeypatch.setattr("dpaudit.programs.output_laws.derived.split", wrong)
    one = made(responses, [(0,) * 13, (1,) * 13])
    with pytest.raises(LawError, match="real run"):
        one.laws().law((0,) * 13)


def responses_otherwise(bits: Any, random: Any) -> tuple[int, ...]:
    return tuple(1 - b if random.bernoulli("3/4") else b for b in bits)


def test_a_text_that_has_changed_is_not_read(tmp_path: Path) -> None:
    module = loaded(tmp_path, written(SPLIT[0]))
    assert split(module.mechanism) is not None
    path = Path(str(module.__file__))
    path.write_text(path.read_text().replace("'3/4'", "'1/4'"))
    linecache.clearcache()
    assert split(module.mechanism) is None
    path.unlink()
    linecache.clearcache()
    assert split(module.mechanism) is None


def test_entries_that_all_differ_are_counted_and_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their comparison is that of the lists of cells."""
    monkeypatch.setattr(joined, "_FEW", 0)
    monkeypatch.setattr(joined, "MOST_LISTED", 0)
    datasets = [(2, 1, 2), (3, 0, 3), (2, 5, 9)]
    for function in (clamped, reached, some_cannot):
        one = made(function, datasets)
        with precision(96):
            laws = [one.laws().law(dataset) for dataset in datasets]
            for p, q in combinations(laws, 2):
                monkeypatch.setattr(counted_products, "_MANY", 10**9)
                listed = p.divergence_from(q)
                monkeypatch.setattr(counted_products, "_MANY", -1)
                counted = p.divergence_from(q)
                assert type(counted) is not type(listed)
                for forward in (True, False):
                    first, second = (d.max_loss(forward=forward) for d in (listed, counted))
                    assert first.infinite == second.infinite
                    assert first.infinite or first.ball.overlaps(second.ball)
                    at = counted.loss_at(second.output, forward=forward)
                    assert first.infinite or at.ball.overlaps(second.ball)
                    for epsilon in ("0", "1/4", "1/2", "1"):
                        masses = [d.hockey_stick(real(epsilon), forward=forward)
                                  for d in (listed, counted)]  # fmt: skip
                        assert masses[0].ball.overlaps(masses[1].ball)
                    atoms = [sum((a.p for a in d.atoms(forward=forward)), Ball(0))
                             for d in (listed, counted)]  # fmt: skip
                    assert all(one.contains(1) for one in atoms)


def some_cannot(counts: Any, random: Any) -> tuple[int, ...]:
    return tuple(min(c + random.integers(3), 4) for c in counts)


def added_with_epsilon(bits: Any, random: Any) -> int:
    p = "exp(1)/(1 + exp(1))"
    return sum(b if random.bernoulli(p) else 1 - b for b in bits)


@pytest.mark.parametrize("count", [3, 12, 20])
def test_a_sum_of_bits_that_are_kept_at_odds_of_e_is_a_tie(count: int) -> None:
    one = program(datasets=[(0,) * count, (1, *(0,) * (count - 1))], neighbours="all", budget=1)(
        added_with_epsilon
    )
    report = check(one)
    (result,) = report.results
    assert str(result.epsilon.exact) == "1"
    assert report.verdict == "within"


def test_a_sum_that_would_take_too_long_is_not_split() -> None:
    datasets = [(0,) * 300, (1,) * 300]
    one = made(added_with_epsilon, datasets)
    assert one.explorer.joined(datasets[0]) is None


def test_all_of_twenty_responses_differ() -> None:
    report = check(made(responses, [(0,) * 20, (1,) * 20]), budget=5)
    (result,) = report.results
    assert str(result.epsilon.exact) == "20*ln(3)"
    p, q = [
        [comb(20, k) * a**k * (1 - a) ** (20 - k) for k in range(21)]
        for a in (Fraction(3, 4), Fraction(1, 4))
    ]
    factor = Fraction(float(mpmath.exp(5)))
    assert result.delta is not None
    expected = sum(max(Fraction(0), a - factor * b) for a, b in zip(p, q, strict=True))
    assert abs(Fraction(result.delta.lower) - expected) < Fraction(1, 10**12)


def of_other_kinds(bits: Any, random: Any) -> tuple[Any, ...]:
    return tuple(random.bernoulli("1/2") if b else random.integers(2) for b in bits)


def test_true_and_one_are_not_one_entry() -> None:
    one = made(of_other_kinds, [(0,) * 20, (1,) * 20])
    one.laws().law((0,) * 20)
    with pytest.raises(LawError, match="compare equal"):
        one.laws().law((1,) * 20)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "body",
    [
        "return sum(b ^ random.bernoulli('1/4') for b in bits) if bits[0] else 0",
        "return bits[0] and sum(b ^ random.bernoulli('1/4') for b in bits)",
        "return 0 < bits[0] < sum(b ^ random.bernoulli('1/4') for b in bits)",
        "t = 0\n    for k in bits[1:]:\n"
        "        t = t + sum(b ^ random.bernoulli('1/4') for b in bits)\n    return t",
        "return [sum(b ^ random.bernoulli('1/4') for b in bits) for k in bits[1:]][-1]",
    ],
)
def test_a_sum_that_is_not_drawn_once_is_explored_as_a_whole(body: str, tmp_path: Path) -> None:
    function = loaded(tmp_path, written(body)).mechanism
    for dataset in ((0, 1), (1, 0, 1)):
        one = made(function, [dataset, "another"])
        assert one.explorer.joined(dataset) is None
        assert law_of(one, dataset) == brute_force(function, dataset)


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_dataset_of_some_bits_is_explored_by_its_entries(jobs: int, tmp_path: Path) -> None:
    """Of 2⁸ datasets 2⁸ paths each would be 65,536: a second instead of a minute."""
    file = tmp_path / "bits.py"
    file.write_text(
        "from itertools import product\n"
        "from dpaudit import program\n"
        "bits = lambda n: product((0, 1), repeat=n)\n"
        "@program(datasets=bits, neighbours='one-entry', budget='ln(3)')\n"
        "def respond(bits, source):\n"
        "    return tuple(bit if source.bernoulli('3/4') else 1 - bit for bit in bits)\n"
    )
    report = check(f"{file}:respond", n=8, jobs=jobs).report
    (result,) = report.results
    assert result.pairs == 8 * 2**7
    assert float(result.epsilon.lower) <= log(3) <= float(result.epsilon.upper) + 1e-12
    x, y, output = result.witness.x, result.witness.y, result.witness.output
    differing = [i for i in range(8) if x[i] != y[i]]
    assert len(differing) == 1
    assert output[differing[0]] == x[differing[0]]


def test_a_law_that_was_asked_for_before_is_compared_with_the_others() -> None:
    datasets = _bits(8)

    @program(datasets=datasets, neighbours="one-entry", budget="ln(3)")
    def respond(bits: tuple[int, ...], source: Any) -> tuple[int, ...]:
        return tuple(bit if source.bernoulli("3/4") else 1 - bit for bit in bits)

    respond.paths(datasets[0])
    assert check(respond).report.verdict is Verdict.WITHIN


def _bits(n: int) -> list[tuple[int, ...]]:
    return [tuple(number >> place & 1 for place in range(n)) for number in range(2**n)]
