"""Mutants of the built-in mechanisms.

Every mutant is a function of a dataset (counts of two categories) and an arithmetic: with balls or
closed forms it is the mechanism that the gate audits, with mpmath the oracle that says what its
true ε and δ are.  ``python -m tests.gate.mutants`` prints them with what the gate makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import mp

from dpaudit.mechanisms.user import FiniteMechanism, finite_mechanism
from dpaudit.numbers.ball import Ball, ball, gamma
from dpaudit.numbers.real import Real, real

N = 7
EPSILON, DELTA, GAMMA = Fraction(4, 5), Fraction(1, 2000), Fraction(1)
Counts = tuple[int, int]
SPACE: list[Counts] = [(c, N - c) for c in range(N + 1)]
FLAT, SMALL = (Fraction(1), Fraction(1)), (Fraction(1, 20), Fraction(1, 20))


class Balls:
    """Arithmetic in balls, at the working precision."""

    exact = staticmethod(ball)
    gamma = staticmethod(gamma)

    @staticmethod
    def exp(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def log(x: Any) -> Any:
        return x.log()

    @staticmethod
    def sqrt(x: Any) -> Any:
        return x.sqrt()

    @staticmethod
    def largest(numbers: list[Any]) -> Any:
        best = numbers[0]
        for number in numbers[1:]:
            best = best.max(number)
        return best


class Reals:
    """Closed forms, for laws that are polynomials in t = e^(−rate): ties are decided exactly."""

    exact = staticmethod(real)
    exp = Real.exp


class Mp:
    """The same in mpmath, at its working precision."""

    exp, log, sqrt = mp.exp, mp.log, mp.sqrt

    @staticmethod
    def exact(q: Fraction | int) -> Any:
        return mp.mpf(Fraction(q).numerator) / Fraction(q).denominator

    @staticmethod
    def gamma(q: Fraction) -> Any:
        return mp.gamma(Mp.exact(q))

    largest = staticmethod(max)


def hellinger(a: Any, prior: tuple[Fraction, Fraction], x: Counts, r: Counts) -> Any:
    if x == r:
        return a.exact(0)
    affinity = a.exact(1)
    for alpha, c, d in zip(prior, x, r, strict=True):
        middle = a.gamma(alpha + Fraction(c + d, 2))
        affinity *= middle / a.sqrt(a.gamma(alpha + c) * a.gamma(alpha + d))
    return a.sqrt(1 - affinity)


def near(x: Counts) -> list[Counts]:
    return [y for y in SPACE if abs(x[0] - y[0]) == 1]


def local(a: Any, prior: tuple[Fraction, Fraction], x: Counts) -> Any:
    return a.largest([hellinger(a, prior, x, y) for y in near(x)])


def sensitivity(a: Any, kind: str, prior: tuple[Fraction, Fraction], x: Counts, o: Any) -> Any:
    """S(x) of one kind, with the options ``o`` of a mutant."""
    if kind == "global":
        return a.largest([local(a, prior, y) for y in SPACE])
    if kind == "local":
        return local(a, prior, x)
    steps = {y: abs(x[0] - y[0]) * o.get("step", 1) for y in SPACE}
    if kind == "gamma":
        rate = a.exact(o.get("gamma", GAMMA))
        return a.largest([1 / (1 / local(a, prior, y) + rate * steps[y]) for y in SPACE])
    outputs = o.get("count", N + 1)
    inner = a.log(a.exact(DELTA / (2 * outputs)))
    beta = a.log(1 - a.exact(EPSILON) / (2 * inner)) * o.get("sign", 1)
    return a.largest([local(a, prior, y) * a.exp(-beta * steps[y]) for y in SPACE])


def exponential(kind: str, prior: tuple[Fraction, Fraction] = FLAT, **o: Any) -> Law:
    """P(r) ∝ exp(−ε·H(x, r)/(m·S(x))) with something changed."""

    def law(a: Any, x: Counts) -> dict[Counts, Any]:
        where = o.get("at", lambda y: y)(x)
        s = sensitivity(a, kind, prior, where, o)
        multiple = o.get("multiple", Fraction(2) * (1 + GAMMA if kind == "gamma" else 1))
        factor = a.exact(o.get("epsilon", EPSILON)) / (a.exact(multiple) * s)
        weights = {}
        for r in o.get("outputs", lambda y: SPACE)(x):
            score = hellinger(a, prior, o.get("centre", lambda y: y)(x), r)
            score = score**2 if o.get("squared") else score
            weights[r] = a.exp(-factor * score * o.get("direction", 1))
        row = weights
        if "row" in o:  # the normaliser of another dataset
            row = exponential(kind, prior)(a, o["row"](x))
        total = sum(row.values(), a.exact(0))
        return {r: weight / total for r, weight in weights.items()}

    return law


def laplace(rate: Fraction = EPSILON, **o: Any) -> Law:
    """⌊c + Lap(1/rate)⌋ on the first count, clamped; the last is n minus it; with changes."""

    def law(a: Any, x: Counts) -> dict[Any, Any]:
        zero, half, one = a.exact(0), a.exact(Fraction(1, 2)), a.exact(1)
        t = a.exp(a.exact(-o.get("rate_at", lambda y: rate)(x)))

        def at_most(z: int) -> Any:  # P(floor(Lap) ≤ z)
            if o.get("one_sided"):
                return one - t ** (z + 1) if z >= 0 else zero
            return t ** (-z - 1) * half if z < 0 else one - t ** (z + 1) * half

        found: dict[Any, Any] = {}
        c = x[o.get("coordinate", 0)] + o.get("shift", lambda y: 0)(x)
        low, high = o.get("clamp", (0, N))
        for z in range(low, high + 1):
            below = at_most(z - 1 - c) if z > low else zero
            mass = (at_most(z - c) if z < high else one) - below
            show = o.get("show", lambda z, x: (z, N - z))(z, x)
            found[show] = found.get(show, zero) + mass
        if o.get("wrong_side"):  # what falls below 0 goes to n, what lies above n to 0
            ends = [(low, N - low), (high, N - high)]
            found[ends[0]], found[ends[1]] = found[ends[1]], found[ends[0]]
        if o.get("truth"):  # tells the truth with this probability
            keep = a.exact(o["truth"])
            found = {r: (one - keep) * m for r, m in found.items()}
            found[x] = found.get(x, zero) + keep
        return found

    return law


Law = Callable[[Any, Counts], dict[Any, Any]]


@dataclass(frozen=True)
class Mutant:
    """A mutant with the budget it claims to keep."""

    what: str
    law: Law
    delta: Fraction = Fraction(0)
    arithmetic: type = Balls


def _towards_middle(x: Counts) -> Counts:
    return (x[0] + 1, x[1] - 1) if x[0] < N // 2 else (x[0] - 1, x[1] + 1) if x[0] else x


def _first(x: Counts) -> Counts:
    return SPACE[0]


def _next(x: Counts) -> Counts:
    return (min(x[0] + 1, N), max(x[1] - 1, 0))


def _mutants() -> dict[str, Mutant]:
    found: dict[str, Mutant] = {}
    for name, kind, prior in (
        ("EHD", "global", FLAT),
        ("EHDL", "local", FLAT),
        ("EHDS", "gamma", FLAT),
        ("MH", "beta", FLAT),
        ("EHD_small", "global", SMALL),
        ("EHDL_small", "local", SMALL),
    ):
        delta = DELTA if name == "MH" else Fraction(0)
        whole = Fraction(2) * (1 + GAMMA if kind == "gamma" else 1)
        for key, what, options in (
            ("as_defined", "as defined", {}),
            ("half", "the factor 2 dropped", {"multiple": whole / 2}),
            ("quarter", "the exponent four times too large", {"multiple": whole / 4}),
            ("twice", "the exponent half as large", {"multiple": whole * 2}),
            ("squared", "scored by H² instead of H", {"squared": True}),
            ("opposite", "the sign of the score turned", {"direction": -1}),
            ("moved", "sensitivity of a neighbour of the dataset", {"at": _next}),
            ("off_centre", "centred one record further", {"centre": _towards_middle}),
            ("epsilon", "ε run at 1 instead of 4/5", {"epsilon": Fraction(1)}),
            ("wrong_row", "divided by the normaliser of another dataset", {"row": _first}),
            ("near_only", "only candidates next to the dataset", {"outputs": near}),
        ):
            found[f"{name}_{key}"] = Mutant(
                f"{name.replace('_small', ' at prior (1/20, 1/20)')}: {what}",
                exponential(kind, prior, **options),
                delta,
            )
    found["EHDS_gamma"] = Mutant(
        "EHDS: smoothed with γ, scaled for none", exponential("gamma", multiple=Fraction(2))
    )
    found["EHDS_step"] = Mutant("EHDS: the distance left out", exponential("gamma", step=0))
    found["EHDS_tiny"] = Mutant(
        "EHDS: γ = 1/100 smoothed, 1 + 1 scaled", exponential("gamma", gamma=Fraction(1, 100))
    )
    found["MH_sign"] = Mutant("MH: β with the wrong sign", exponential("beta", sign=-1), DELTA)
    found["MH_step"] = Mutant("MH: the distance doubled", exponential("beta", step=2), DELTA)
    found["MH_count"] = Mutant("MH: one candidate counted", exponential("beta", count=1), DELTA)
    for key, what, law in (
        ("as_defined", "as defined", laplace()),
        ("half_noise", "noise scale halved", laplace(rate=2 * EPSILON)),
        ("more_noise", "noise scale doubled", laplace(rate=EPSILON / 2)),
        ("off_by_one", "rate 1 instead of 4/5", laplace(rate=Fraction(1))),
        ("wrong_side", "clamped to the wrong side", laplace(wrong_side=True)),
        ("leaks", "the last count shown as it is", laplace(show=lambda z, x: (z, x[1]))),
        ("one_sided", "noise on one side only", laplace(one_sided=True)),
        ("other", "noise on the other count", laplace(coordinate=1)),
        ("inner", "clamped to 1 … n − 1", laplace(clamp=(1, N - 1))),
        ("parity", "the parity of the count shown", laplace(show=lambda z, x: (z, x[0] % 2))),
        ("truth", "the truth with probability 1/100", laplace(truth=Fraction(1, 100))),
        ("adaptive", "less noise for larger counts", laplace(rate_at=lambda x: EPSILON + x[0])),
        ("constant", "nothing of the data shown", laplace(show=lambda z, x: 0)),
        ("doubled", "every count taken twice", laplace(shift=lambda x: x[0])),
        ("rounded", "only whether it is above the middle", laplace(show=lambda z, x: z > N // 2)),
    ):
        found[f"LSHist_{key}"] = Mutant(f"LSHist: {what}", law, arithmetic=Reals)
    return found


MUTANTS = _mutants()


def mechanism(mutant: Mutant) -> FiniteMechanism:
    """Return the mutant as a mechanism for the gate."""
    budget: Any = real(EPSILON)
    if mutant.delta:
        budget = (real(EPSILON), real(mutant.delta))

    @finite_mechanism(
        budget=budget,
        datasets=SPACE,
        neighbours=lambda x, y: abs(x[0] - y[0]) == 1,
        name=mutant.what,
    )
    def law(x: Counts) -> Mapping[Any, Ball | Real]:
        return mutant.law(mutant.arithmetic, x)

    return law


def truth(mutant: Mutant) -> tuple[Any, Any]:
    """Return the true ε, and δ at ε = 4/5, from mpmath; None where the laws do not add up to 1."""
    with mp.workdps(40):
        laws = {x: mutant.law(Mp, x) for x in SPACE}
        if any(abs(sum(law.values()) - 1) > mp.mpf(10) ** -30 for law in laws.values()):
            return None, None
        epsilon = delta = mp.mpf(0)
        for x in SPACE:
            for y in near(x):
                p, q = laws[x], laws[y]
                total = mp.mpf(0)
                for r, mass in p.items():
                    other = q.get(r, mp.mpf(0))
                    if mass > 0:
                        epsilon = max(epsilon, mp.log(mass / other) if other > 0 else mp.inf)
                    total += max(mass - mp.exp(Mp.exact(EPSILON)) * other, 0)
                delta = max(delta, total)
        return epsilon, delta


def should_pass(mutant: Mutant) -> bool:
    """Tell whether the gate has to accept the mutant, from the oracle alone."""
    epsilon, delta = truth(mutant)
    if epsilon is None:
        return False
    tolerance = mp.mpf(10) ** -30
    within = epsilon <= Mp.exact(EPSILON) + tolerance
    return bool(within or (mutant.delta and delta <= Mp.exact(mutant.delta)))


def __getattr__(name: str) -> FiniteMechanism:
    """Offer every mutant as a mechanism, for ``mutants.py:NAME``."""
    if name not in MUTANTS:
        raise AttributeError(name)
    return mechanism(MUTANTS[name])


def configuration(names: list[str]) -> str:
    """Return a gate's configuration that lists the mutants of those names."""
    return "".join(
        f'[[mechanism]]\nmechanism = "tests.gate.mutants:{name}"\nlabel = "{name}"\nn = {N}\n\n'
        for name in names
    )


def table(found: Mapping[str, tuple[bool, str]]) -> str:
    """Return what the oracle and the gate say of every mutant, as Markdown."""
    lines = ["| mutant | true ε | true δ(4/5) | the gate | found |", "|---|---|---|---|---|"]
    for name, (passed, kind) in found.items():
        epsilon, delta = truth(MUTANTS[name])
        shown = [
            "no law" if epsilon is None else mp.nstr(epsilon, 10),
            "no law" if delta is None else mp.nstr(mp.chop(delta, tol=mp.mpf(10) ** -30), 6),
        ]
        verdict = "accepts" if passed else "rejects"
        lines.append(f"| {MUTANTS[name].what} | {shown[0]} | {shown[1]} | {verdict} | {kind} |")
    return "\n".join(lines)


def main() -> None:
    """Gate all mutants and print the table."""
    import tempfile
    from pathlib import Path

    from dpaudit.gate.run import run_gate

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dpaudit.toml"
        path.write_text(configuration(list(MUTANTS)))
        document = run_gate(path, jobs=2)
    print(table({one.title: (one.passed, one.kind.value) for one in document.mechanisms}))


if __name__ == "__main__":
    main()
