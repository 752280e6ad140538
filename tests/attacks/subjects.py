"""Random subjects of audits, each with its laws and pairs from the definitions (no shared code)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from mpmath import exp, mp, mpf

import dpaudit
from dpaudit.data.neighbouring import RELATIONS
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.mechanisms.user import finite_mechanism
from tests.oracles import classics, definitions, laws, queries
from tests.oracles.setting import DIGITS, Setting, random_settings

if TYPE_CHECKING:
    import random

    from dpaudit.mechanisms.base import Mechanism

__all__ = ["CLOSED", "FAMILIES", "Subject", "random_subject"]

Law = Mapping[Any, Any]
NOISE = ("LSZhang", "LSDim", "LSHist", "NotesLaplace")
CLOSED = (
    *NOISE,
    *(name for name, one in classics.ORACLES.items() if not one.unbounded),
    *queries.NAMES,
)
"""Built-in mechanisms whose laws have a closed form."""
SUBSTITUTION = ("histogram-substitution", "substitution")
ADD_REMOVE = ("histogram-add-remove", "add-remove")
"""What the relations on histograms are called; the first that is known counts."""


@dataclass(frozen=True)
class Subject:
    """What is audited, and what the oracle knows of it."""

    text: str
    mechanism: Mechanism[Any]
    n: int
    adjacency: str | None
    pairs: list[tuple[Any, Any]]
    law: Callable[[Any, Any], Law]
    """The law at the first of two datasets, in the form to be compared with the second's."""
    closed: bool
    """Whether the laws have a closed form, so that nothing may be undecided."""
    missing: Any = 0
    """How much mass the oracle's laws leave out."""
    unbounded: bool = False
    """Whether the loss grows beyond all bounds where the oracle's laws are cut off."""


def _rational(rng: random.Random, low: Fraction, high: Fraction, parts: int = 20) -> Fraction:
    return low + (high - low) * Fraction(rng.randint(0, parts), parts)


def _named(mechanism: Mechanism[Any], names: tuple[str, ...]) -> str:
    for name in names:
        try:
            mechanism.adjacency(name)
        except ParameterError:
            continue
        return name
    raise AssertionError(f"{mechanism.name} knows none of {names}")


def of_the_notes(rng: random.Random) -> Subject:
    setting = rng.choice(random_settings(rng.randint(0, 10**9), 16))
    return _of_setting(rng, setting)


def _of_setting(rng: random.Random, setting: Setting) -> Subject:
    names = {parameter.name for parameter in mechanism_class(setting.mechanism).parameters}
    given = {
        "epsilon": str(setting.epsilon),
        "prior": setting.prior,
        "delta": setting.delta,
        "gamma": setting.gamma,
        **dict(setting.readings),
    }
    mechanism = dpaudit.mechanism(
        setting.mechanism, **{name: value for name, value in given.items() if name in names}
    )
    kind: definitions.Adjacency = "substitution"
    if setting.n <= 3 and setting.k <= 3 and rng.random() < 0.4:
        kind = "add-remove"
    pairs = [(x, y) for x, y in definitions.ordered_pairs(setting, adjacency=kind) if x < y]
    return Subject(
        f"{setting} {kind}",
        mechanism,
        setting.n,
        _named(mechanism, SUBSTITUTION if kind == "substitution" else ADD_REMOVE),
        pairs,
        lambda x, y: laws.law_for_pair(setting, x, y),
        setting.mechanism in NOISE,
        10 * definitions.neglected_mass(setting),
    )


def _number(value: Any) -> Any:
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def of_the_classics(rng: random.Random) -> Subject:
    name = rng.choice(list(classics.ORACLES))
    oracle = classics.ORACLES[name]
    given, n = oracle.settings(rng), rng.randint(*oracle.sizes)
    with mp.workdps(DIGITS):
        table, pairs = classics.laws_of(name, {k: _number(v) for k, v in given.items()}, n)
    return Subject(
        f"{name} {given} n={n}",
        dpaudit.mechanism(name, **given),
        n,
        None,
        pairs,
        lambda x, y: table[x],
        name in CLOSED,
        mpf(10) ** -34 if oracle.cut else 0,
        oracle.unbounded,
    )


def of_queries(rng: random.Random) -> Subject:
    name = rng.choice(queries.NAMES)
    given: dict[str, Any] = {
        "epsilon": _rational(rng, Fraction(1, 20), Fraction(6), 60),
        "sensitivity": rng.choice([Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3)]),
        "low": rng.choice([-1, 0]),
        "high": 1,
    }
    known = {parameter.name for parameter in mechanism_class(name).parameters}
    if "threshold" in known:
        given["threshold"] = Fraction(rng.randint(-2, 3), 2)
    if "c" in known:
        given["c"] = rng.randint(1, 2)
    n = rng.randint(1, 3) if given["low"] == 0 else rng.randint(1, 2)
    mechanism = dpaudit.mechanism(name, **given)
    adjacency = "unit-moves"
    try:
        mechanism.adjacency("unit-moves-one-sign")
    except ParameterError:
        pass
    else:
        adjacency = rng.choice([adjacency, "unit-moves-one-sign"])
    with mp.workdps(DIGITS):
        numbers = {k: v if k == "threshold" else _number(v) for k, v in given.items()}
        table, pairs = queries.laws_of(name, numbers, n, adjacency)
    return Subject(
        f"{name} {given} n={n} {adjacency}",
        mechanism,
        n,
        adjacency,
        pairs,
        lambda x, y: table[x],
        closed=True,
    )


def _one_entry(x: Any, y: Any) -> bool:
    return len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) == 1


def _shorter(x: Any, y: Any) -> bool:
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return any((*long[:i], *long[i + 1 :]) == tuple(short) for i in range(len(long)))


def _one_more_record(x: Any, y: Any) -> bool:
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return any(sorted((*long[:i], *long[i + 1 :])) == sorted(short) for i in range(len(long)))


def _moves(x: Any, y: Any) -> list[int]:
    return sorted(b - a for a, b in zip(x, y, strict=True) if a != b)


def _unit(x: Any, y: Any) -> bool:
    return x != y and len(x) == len(y) and set(_moves(x, y)) <= {-1, 1}


DEFINED: dict[str, Callable[[Any, Any], bool]] = {
    "all": lambda x, y: bool(x != y),
    "one-entry": _one_entry,
    "sequence-add-remove": lambda x, y: abs(len(x) - len(y)) == 1 and _shorter(x, y),
    "multiset-add-remove": lambda x, y: abs(len(x) - len(y)) == 1 and _one_more_record(x, y),
    "histogram-substitution": lambda x, y: len(x) == len(y) and _moves(x, y) == [-1, 1],
    "histogram-add-remove": lambda x, y: len(x) == len(y) and _moves(x, y) in ([-1], [1]),
    "unit-moves": _unit,
    "unit-moves-one-sign": lambda x, y: _unit(x, y) and len(set(_moves(x, y))) == 1,
}
"""Every relation on written-out datasets, from its definition."""


def _own_law(rng: random.Random, outputs: int, kind: str) -> tuple[dict[str, str], Law]:
    """A law as text for the package, and as numbers for the oracle."""
    names = "abcde"[:outputs]
    if kind == "rational":
        parts = [Fraction(rng.choice([0, 1, 1, 2, 3, 5, 8])) for _ in names]
        parts[rng.randrange(outputs)] += 1
        masses = [part / sum(parts) for part in parts]
        return {r: str(p) for r, p in zip(names, masses, strict=True)}, {
            r: _number(p) for r, p in zip(names, masses, strict=True)
        }
    powers = [Fraction(rng.randint(0, 12), rng.choice([1, 2, 3])) for _ in names]
    if kind == "weights":
        weights = [exp(-_number(a)) for a in powers]
        return {r: f"exp(-{a})" for r, a in zip(names, powers, strict=True)}, {
            r: w / sum(weights) for r, w in zip(names, weights, strict=True)
        }
    share = Fraction(rng.randint(1, 9), 10)
    total = "+".join(f"exp(-{a})" for a in powers)
    weights = [exp(-_number(a)) for a in powers]
    even = Fraction(1, outputs)
    return {
        r: f"({share})*exp(-{a})/({total}) + ({1 - share})*({even})"
        for r, a in zip(names, powers, strict=True)
    }, {
        r: _number(share) * w / sum(weights) + _number((1 - share) * even)
        for r, w in zip(names, weights, strict=True)
    }


def of_a_user(rng: random.Random) -> Subject:
    kind = rng.choice(["rational", "weights", "mixture"])
    name = rng.choice(sorted({*RELATIONS} - {"adjacent", "one-key"}))
    outputs = rng.randint(2, 4)
    length = rng.randint(1, 2)
    lengths = (length, length + 1) if DEFINED[name]((0,), (0, 0)) and name != "all" else (length,)
    space = [x for size in lengths for x in product(range(3 if size == 1 else 2), repeat=size)]
    with mp.workdps(DIGITS):
        made = {x: _own_law(rng, outputs, kind) for x in space}
    pairs = [(x, y) for x, y in combinations(space, 2) if DEFINED[name](x, y)]
    if not pairs:
        return of_a_user(rng)

    def listed() -> list[Any]:
        return space

    mechanism = finite_mechanism(
        datasets=listed, neighbours=name, normalised=kind != "weights", name="own"
    )(lambda x: made[x][0])
    return Subject(
        f"{kind} {name} {[(x, made[x][0]) for x in space]}",
        mechanism,
        1,
        None,
        pairs,
        lambda x, y: made[x][1],
        closed=True,
    )


FAMILIES = (of_the_notes, of_the_classics, of_queries, of_a_user)


def random_subject(rng: random.Random) -> Subject:
    """Return one subject of a random family."""
    return rng.choice(FAMILIES)(rng)
