"""The mechanism pairs on which dp-accounting is compared: what is certified, what is estimated.

Parameters of dp-accounting's own mechanisms are numbers that floats hold exactly, so that both
sides speak of the same mechanism.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from dpaudit.api import mechanism
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.ball import Ball, ball, bits_for_digits, precision
from dpaudit.numbers.enclosure import Enclosure, enclose, enclose_real
from dpaudit.numbers.real import Real, real
from dpaudit.questions.account.comparison import account, float_below
from dpaudit.questions.account.composition import compose
from dpaudit.questions.account.outcomes import outcomes

__all__ = ["DIGITS", "Case", "Compared", "cases"]

DIGITS = 30
_MULTIPLES = ("0", "1/4", "1/2", "3/4", "1")
_BITS = bits_for_digits(DIGITS) + 32


class Compared(NamedTuple):
    """One ε of one case."""

    epsilon: str
    certified: Enclosure
    pessimistic: float
    optimistic: float


@dataclass(frozen=True)
class Case:
    """One mechanism at one size, or one of dp-accounting's own, composed so many times."""

    title: str
    constructor: str
    """Which of dp-accounting's constructors is asked."""
    runs: int
    compare: Callable[[], list[Compared]]


def cases() -> list[Case]:
    """Return every case, the notes' mechanisms first."""
    own = [*_responses(), *_laplace(), *_discrete_laplace(), *_many_runs(), *_gaussian()]
    return [*_notes(), *_own(), *own]


def _grid(largest: str) -> list[Real]:
    return [real(part) * real(largest) for part in _MULTIPLES]


def _audited(
    title: str, subject: Mechanism[Any], n: int, largest: str, *, runs: int = 1, step: str = "1e-4"
) -> Case:
    def compare() -> list[Compared]:
        grid = _grid(largest)
        found = account(subject, n, grid, compose=runs, digits=DIGITS, discretisation=step)
        return [
            Compared(str(row.delta.epsilon), row.delta.value, row.pessimistic, row.optimistic)
            for row in found.rows
            if row.pessimistic is not None and row.optimistic is not None
        ]

    at = "" if n == 1 else f", n = {n}"
    return Case(f"{title}{at}", f"from_two_probability_mass_functions, step {step}", runs, compare)


_NOTES: list[tuple[str, int, str, int, dict[str, object]]] = [
    ("EHDS", 5, "1/4", 1, {}),
    ("EHDS", 10, "1/4", 1, {}),
    ("EHDS", 20, "1/4", 1, {}),
    ("EHDS", 40, "1/4", 1, {}),
    ("EHDS", 180, "1/4", 1, {}),
    ("EHDS", 10, "1/32", 1, {"epsilon": "1/10"}),
    ("EHDS", 10, "3/4", 1, {"epsilon": "2"}),
    ("EHDS", 10, "1/4", 1, {"prior": "1/2,1/2"}),
    ("EHDS", 6, "1/4", 1, {"prior": "1,1,1"}),
    ("EHDS", 10, "1/2", 2, {}),
    ("EHDS", 10, "1", 4, {}),
    ("EHDS", 40, "1/2", 2, {}),
    ("EHD", 5, "1/2", 1, {}),
    ("EHD", 20, "1/2", 1, {}),
    ("EHD", 20, "1/2", 1, {"gs": "computed"}),
    ("EHD", 10, "1", 3, {}),
    ("EHDL", 10, "1/2", 1, {}),
    ("EHDL", 30, "1/2", 1, {}),
    ("EHDL", 8, "1", 3, {}),
    ("MH", 10, "1/2", 1, {}),
    ("MH", 30, "1/2", 1, {}),
    ("MH", 10, "1", 3, {}),
    ("LSHist", 5, "4/5", 1, {}),
    ("LSHist", 10, "4/5", 1, {}),
    ("LSHist", 50, "4/5", 1, {}),
    ("LSHist", 10, "1/10", 1, {"epsilon": "1/10"}),
    ("LSHist", 10, "2", 1, {"epsilon": "2"}),
    ("LSHist", 10, "1/2", 1, {"epsilon": "1/2"}),
    ("LSHist", 4, "4/5", 1, {"prior": "1,1,1"}),
    ("LSHist", 10, "8/5", 2, {}),
    ("LSHist", 10, "16/5", 8, {}),
    ("LSDim", 5, "2/5", 1, {}),
    ("LSDim", 20, "2/5", 1, {}),
    ("LSDim", 4, "4/5", 1, {"prior": "1,1,1"}),
    ("LSDim", 5, "8/5", 4, {}),
    ("LSZhang", 5, "2/5", 1, {}),
    ("LSZhang", 20, "2/5", 1, {}),
    ("LSZhang", 5, "2/5", 1, {"coordinates": "all"}),
    ("NotesLaplace", 5, "2/5", 1, {}),
    ("NotesLaplace", 20, "2/5", 1, {}),
    ("NotesLaplace", 5, "2/5", 1, {"rounding": "toward-zero"}),
    ("NotesLaplace", 5, "8/5", 8, {}),
]


def _notes() -> Iterator[Case]:
    for name, n, largest, runs, parameters in _NOTES:
        told = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        title = f"{name} ({told})" if told else name
        yield _audited(title, mechanism(name, **parameters), n, largest, runs=runs)
    for step in ("1e-2", "1e-3", "1e-5"):
        yield _audited("LSHist", mechanism("LSHist"), 10, "4/5", step=step)


def _response(p: Fraction, k: int) -> Mechanism[Any]:
    """k-ary randomised response: the truth with probability p."""

    @finite_mechanism(datasets=range(k), name=f"{k}-ary response at p = {p}")
    def response(value: int) -> dict[Hashable, Fraction]:
        return {r: p if r == value else (1 - p) / (k - 1) for r in range(k)}

    return response


def _geometric(a: str, top: int) -> Mechanism[Any]:
    """Counts 0 … top with geometric noise of ratio t = e^(−a), clamped to the range."""

    @finite_mechanism(
        datasets=range(top + 1),
        neighbours=lambda x, y: abs(x - y) == 1,
        normalised=False,
        name=f"truncated geometric on 0..{top} at ε = {a}",
    )
    def geometric(count: int) -> dict[Hashable, Ball]:
        t = (-real(a)).exp().ball()
        inside = {r: (1 - t) * t ** abs(r - count) for r in range(1, top)}
        return dict([(0, t**count), *inside.items(), (top, t ** (top - count))])

    return geometric


def _own() -> Iterator[Case]:
    for p, k, largest in (("3/4", 2, "ln(3)"), ("2/3", 2, "ln(2)"), ("99/100", 2, "ln(99)")):
        subject = _response(Fraction(p), k)
        yield _audited(subject.name, subject, 1, largest)
    for p, k, largest in (("1/2", 3, "ln(2)"), ("1/2", 5, "ln(4)"), ("1/4", 10, "ln(3)")):
        subject = _response(Fraction(p), k)
        yield _audited(subject.name, subject, 1, largest)
    yield _audited("2-ary response at p = 3/4", _response(Fraction(3, 4), 2), 1, "4*ln(3)", runs=8)
    yield _audited("3-ary response at p = 1/2", _response(Fraction(1, 2), 3), 1, "3*ln(2)", runs=6)
    for a, top in (("1/2", 5), ("1", 8), ("1/10", 4)):
        subject = _geometric(a, top)
        yield _audited(subject.name, subject, 1, a)


# -- what dp-accounting constructs itself ---------------------------------------------------------


def _library() -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution


@dataclass(frozen=True)
class _Library:
    """One of dp-accounting's constructors, with the arguments it is given."""

    constructor: str
    arguments: tuple[float, ...]
    options: tuple[tuple[str, bool | float], ...] = ()

    def __call__(self, *, pessimistic: bool) -> Any:
        from dp_accounting.pld import privacy_loss_distribution

        make = getattr(privacy_loss_distribution, self.constructor)
        options = dict(self.options)
        if not pessimistic and "use_connect_dots" in options:
            options["use_connect_dots"] = False  # connecting dots is pessimistic only
        return make(*self.arguments, pessimistic_estimate=pessimistic, **options)

    @property
    def shown(self) -> str:
        """The constructor's name, with what was asked of it."""
        dots = dict(self.options).get("use_connect_dots", None)
        step = dict(self.options).get("value_discretization_interval")
        parts = [self.constructor, "dots not connected" if dots is False else ""]
        parts.append("" if step is None else f"step {Fraction(step)}")
        return ", ".join(part for part in parts if part)


def _constructed(
    title: str,
    library: _Library,
    certified: Callable[[Real], Enclosure],
    largest: str | list[str],
    *,
    runs: int = 1,
) -> Case:
    def compare() -> list[Compared]:
        grid = _grid(largest) if isinstance(largest, str) else [real(text) for text in largest]
        upper, lower = library(pessimistic=True), library(pessimistic=False)
        if runs > 1:
            upper = upper.self_compose(runs)
            lower = lower.self_compose(runs, tail_mass_truncation=0)
        found = []
        for epsilon in grid:
            at = float_below(epsilon)
            above, below = (float(each.get_delta_for_epsilon(at)) for each in (upper, lower))
            found.append(Compared(str(epsilon), certified(epsilon), above, below))
        return found

    return Case(title, library.shown, runs, compare)


def _composed(weights: list[Real], others: list[Real], runs: int, epsilon: Real) -> Enclosure:
    """The certified δ of `runs` runs of a pair of laws with these weights, symmetric as a pair."""
    with precision(_BITS):
        p, q = (ExplicitLaw(dict(enumerate(side)), normalised=False) for side in (weights, others))
        mass = compose(outcomes(p.divergence_from(q)), runs).hockey_stick(epsilon, forward=True)
        if mass.exact is not None:
            return enclose_real(mass.exact, DIGITS)
        return enclose(mass.ball, DIGITS)


_RESPONSES = [("1/2", 2, 1), ("1/2", 4, 1), ("1/8", 2, 1), ("1/8", 8, 1), ("1/2", 2, 8)]
_RESPONSES += [("1/2", 4, 4), ("1/2", 2, 20)]


def _responses() -> Iterator[Case]:
    for noise, k, runs in _RESPONSES:
        share = Fraction(noise) / k
        truth = 1 - Fraction(noise) + share
        p = [real(truth if r == 0 else share) for r in range(k)]
        q = [real(truth if r == 1 else share) for r in range(k)]
        yield _constructed(
            f"randomised response over {k}, noise {noise}",
            _Library("from_randomized_response", (float(Fraction(noise)), k)),
            partial(_composed, p, q, runs),
            f"{max(1, runs // 2)}*ln({truth / share})",
            runs=runs,
        )


def _laplace_delta(scale: Fraction, epsilon: Real) -> Enclosure:
    """δ(ε) = 1 − e^((ε − 1/b)/2) for ε ≤ 1/b, the continuous Laplace mechanism."""
    gap = (epsilon - real(1 / scale)) / real(2)
    return enclose_real(real(1) - gap.exp(), DIGITS)


def _laplace() -> Iterator[Case]:
    for text in ("1/2", "1", "2", "8"):
        scale = Fraction(text)
        for dots in (True, False):
            yield _constructed(
                f"Laplace, scale {scale}, sensitivity 1",
                _Library("from_laplace_mechanism", (float(scale),), (("use_connect_dots", dots),)),
                partial(_laplace_delta, scale),
                str(1 / scale),
            )


def _discrete_laplace() -> Iterator[Case]:
    """With sensitivity 1 the two laws have two outcomes, of masses 1/(1 + t) and t/(1 + t)."""
    for a, runs in (("1/4", 1), ("1/2", 1), ("1", 1), ("2", 1), ("1/2", 4), ("1/2", 16)):
        one, t = real(1), (-real(a)).exp()
        yield _constructed(
            f"discrete Laplace, parameter {a}, sensitivity 1",
            _Library("from_discrete_laplace_mechanism", (float(Fraction(a)),)),
            partial(_composed, [one, t], [t, one], runs),
            f"{max(1, runs // 2)}*{a}",
            runs=runs,
        )


_MANY = [
    ("1/2", "1/4", 100, ["0", "25/2", "25", "75/2"]),
    ("1/4", "1/8", 300, ["0", "75/8", "75/4", "75/2"]),
    ("1/8", "1/8", 1000, ["0", "125/8", "125/4", "1125/32", "625/16"]),
    ("1/16", "1/16", 1000, ["0", "875/64", "125/8", "1125/64"]),
]
"""Losses that lie on the grid, so that rounding them up hides nothing, and many runs."""


def _many_runs() -> Iterator[Case]:
    for a, step, runs, epsilons in _MANY:
        one, t = real(1), (-real(a)).exp()
        options = (("value_discretization_interval", float(Fraction(step))),)
        yield _constructed(
            f"discrete Laplace, parameter {a}, sensitivity 1",
            _Library("from_discrete_laplace_mechanism", (float(Fraction(a)),), options),
            partial(_composed, [one, t], [t, one], runs),
            epsilons,
            runs=runs,
        )


def _gaussian() -> Iterator[Case]:
    for sigma in (1, 2, 5):
        largest = str(Fraction(4, sigma))
        yield _constructed(
            f"discrete Gaussian, σ = {sigma}, sensitivity 1",
            _Library("from_discrete_gaussian_mechanism", (float(sigma),)),
            partial(_discrete_gaussian, sigma),
            largest,
        )
        for dots in (True, False):
            yield _constructed(
                f"Gaussian, σ = {sigma}, sensitivity 1",
                _Library("from_gaussian_mechanism", (float(sigma),), (("use_connect_dots", dots),)),
                partial(_continuous_gaussian, sigma),
                largest,
            )


def _discrete_gaussian(sigma: int, epsilon: Real) -> Enclosure:
    """Σ (p(x) − e^ε·p(x − 1))₊ over |x| ≤ 40σ, and the tail beyond as an interval."""
    with precision(400):
        reach = 40 * sigma
        twice = 2 * sigma * sigma

        def weight(x: int) -> Ball:
            return (-ball(Fraction(x * x, twice))).exp()

        # Σ over x > reach of e^(−x²/2σ²) is below the geometric series of its first term.
        ratio = (-ball(Fraction(reach, sigma * sigma))).exp()
        tail = 2 * weight(reach + 1) / (1 - ratio)
        total = sum((weight(x) for x in range(-reach, reach + 1)), Ball(0))
        normaliser = total.union(total + tail)
        factor = epsilon.exp().ball()
        inside = sum(
            ((weight(x) - factor * weight(x - 1)).max(Ball(0)) for x in range(-reach, reach + 1)),
            Ball(0),
        )
        return enclose(inside.union(inside + tail) / normaliser, DIGITS)


def _continuous_gaussian(sigma: int, epsilon: Real) -> Enclosure:
    """Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ) (Balle and Wang 2018, Theorem 8)."""
    with precision(400):
        middle = ball(Fraction(1, 2 * sigma))
        shift = epsilon.ball() * sigma

        def phi(x: Ball) -> Ball:
            return (-x / ball(2).sqrt()).erfc() / 2

        value = phi(middle - shift) - epsilon.exp().ball() * phi(-middle - shift)
        return enclose(value, DIGITS)
