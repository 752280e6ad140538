"""Audits of the exponential mechanisms scored by Hellinger distance as theorems for Coq.

The law is stated from its definition (``kernel/coq/Posteriors.v``): Γ at half-integers, the
distance, the sensitivities, the weights.  Each is then enclosed from the one before by
coq-interval, and what follows for the losses is computed in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpaudit.data.histograms import Counts, Histograms
from dpaudit.kernel.coq_text import listed, rational, real, self_contained
from dpaudit.kernel.exact_laws import outward, refuse
from dpaudit.notes import sensitivity as sensitivities
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_coq import BROKEN, DATA, REALISED
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    lower_fraction,
    precision,
    upper_fraction,
)
from dpaudit.results import Budget, SizeResult, Verdict

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan

__all__ = ["hellinger_theorem"]

_OUTSIDE = Fraction(1, 10**15)

MOST_ENTRIES = 500
"""More weights than this are not enclosed one by one."""

_BITS = 256
_UNIT = 10**22
_DISTANCE, _LOCAL, _SENSITIVITY, _WEIGHT = 2, 4, 100, 10**4
"""Units by which each enclosure is wider than its ball, so that it follows from those before."""


def hellinger_theorem(mechanism: Any, n: int, plan: Plan, found: SizeResult) -> str:
    """Return the theorem about a mechanism at size ``n``, without its heading.

    Raises:
        ParameterError: for priors that are not whole, other neighbours than by substitution, and
            sizes with too many weights.
    """
    if any(alpha.denominator != 1 for alpha in mechanism.prior):
        raise refuse(mechanism, "needs a prior of whole numbers: Γ is built at half-integers")
    if mechanism.adjacency(plan.adjacency).name != "histogram-substitution":
        raise refuse(mechanism, "is written for histogram-substitution alone")
    size = len(Histograms(n, mechanism.k))
    if size**2 > MOST_ENTRIES:
        raise refuse(mechanism, f"has {size**2} weights at n = {n}; at most {MOST_ENTRIES}")
    with precision(_BITS):
        text = _Theorem(mechanism, n, plan.held_to, found).text()
    return self_contained(("Laws", "EnclosedWeights", "Posteriors"), text)


def _between(value: Ball, room: int) -> tuple[int, int]:
    """Return whole numbers around _UNIT times ``value``, with ``room`` on either side."""
    low, high = lower_fraction(value) * _UNIT, upper_fraction(value) * _UNIT
    return low.__floor__() - room, high.__ceil__() + room


def _lemma(name: str, low: int, value: str, high: int, proof: str) -> str:
    """Return the lemma that a value lies between two multiples of 1/unit."""
    return f"Lemma {name} :\n  {low} / unit <= {value} <= {high} / unit.\nProof.\n{proof}\nQed."


@dataclass(frozen=True)
class _Theorem:
    mechanism: Any
    """An exponential mechanism scored by Hellinger distance."""
    n: int
    budget: Budget
    found: SizeResult

    @cached_property
    def data(self) -> list[Counts]:
        return list(Histograms(self.n, self.mechanism.k))

    @cached_property
    def distances(self) -> list[list[Ball]]:
        metric = HellingerMetric(self.mechanism.prior)
        return [metric.row(counts) for counts in self.data]

    @cached_property
    def weights(self) -> list[list[Ball]]:
        factors = self.mechanism.factors(self.n)
        return [
            [(-factor * distance).exp() for distance in row]
            for factor, row in zip(factors, self.distances, strict=True)
        ]

    def text(self) -> str:
        return "\n\n".join(
            [
                self._data(),
                *self._distances(),
                *self._local(),
                *self._sensitivity(),
                *self._weights(),
                self._kept() if self.found.verdict is Verdict.WITHIN else self._broken(),
            ]
        )

    def _data(self) -> str:
        names = "\n".join(
            f"Definition x{i} : counts := {listed(x, str)}%nat." for i, x in enumerate(self.data)
        )
        prior = listed(self.mechanism.prior, str)
        kind = self.mechanism.exponent_sensitivity(self.n)
        match kind:
            case sensitivities.FixedSensitivity():
                sensitivity = f"(fun _ => {real(kind.value)})"
            case sensitivities.GlobalSensitivity():
                sensitivity = "(fun _ => global_sensitivity data prior)"
            case sensitivities.GammaSmooth():
                sensitivity = f"(gamma_smooth data prior {real(kind.gamma)})"
            case sensitivities.BetaSmooth():
                sensitivity = f"(beta_smooth data prior {real(kind.beta)})"
            case _:
                sensitivity = "(local_sensitivity data prior)"
        return DATA.format(
            names=names,
            prior=prior,
            data=listed(range(len(self.data)), lambda i: f"x{i}"),
            sensitivity=sensitivity,
            unit=_UNIT,
            epsilon=real(self.mechanism.epsilon),
            multiple=real(self.mechanism.multiple),
        )

    def _distances(self) -> list[str]:
        lemmas = []
        for i in range(len(self.data)):
            for j in range(i):
                low, high = _between(self.distances[i][j], _DISTANCE)
                proof = f"  unfold prior, x{i}, x{j}, unit. enclose_distance."
                converse = f"  rewrite distance_comm. exact H_{i}_{j}."
                lemmas += [
                    _lemma(f"H_{i}_{j}", low, f"distance prior x{i} x{j}", high, proof),
                    _lemma(f"H_{j}_{i}", low, f"distance prior x{j} x{i}", high, converse),
                ]
        return lemmas

    def _local(self) -> list[str]:
        local = sensitivities.local_sensitivities(self.mechanism.prior, self.n)
        lemmas = []
        for i, x in enumerate(self.data):
            near = [j for j, y in enumerate(self.data) if _replaced(x, y) == 1]
            low, high = _between(local[i], _LOCAL)
            best = _largest([self.distances[i][j] for j in near])
            steps = [f"pose proof H_{i}_{j}; lra" for j in near]
            proof = (
                "  unfold local_sensitivity.\n"
                f"  change (filter (next_to x{i}) data) with {listed(near, lambda j: f'x{j}')}.\n"
                f"{_maximum(best, steps)}"
            )
            value = f"local_sensitivity data prior x{i}"
            lemmas.append(_lemma(f"LS_{i}", low, value, high, proof))
        return lemmas

    def _sensitivity(self) -> list[str]:
        kind = self.mechanism.exponent_sensitivity(self.n)
        balls = kind.balls(self.mechanism.prior, self.n)
        local = sensitivities.local_sensitivities(self.mechanism.prior, self.n)
        lemmas = []
        for i, (x, value) in enumerate(zip(self.data, balls, strict=True)):
            low, high = _between(value, _SENSITIVITY)
            apart = [_replaced(x, y) for y in self.data]
            match kind:
                case sensitivities.FixedSensitivity():
                    proof = "  cbv beta. unfold unit. interval with (i_prec 90)."
                case sensitivities.GlobalSensitivity():
                    steps = [
                        f"pose proof LS_{j}; unfold data in *; lra" for j in range(len(self.data))
                    ]
                    proof = f"  unfold global_sensitivity.\n{_maximum(_largest(local), steps)}"
                case sensitivities.GammaSmooth() | sensitivities.BetaSmooth():
                    if isinstance(kind, sensitivities.GammaSmooth):
                        step = kind.gamma.ball()
                        terms = [1 / (1 / s + step * d) for s, d in zip(local, apart, strict=True)]
                        name = "gamma_smooth"
                    else:
                        step = kind.beta.ball()
                        terms = [s * (-step * d).exp() for s, d in zip(local, apart, strict=True)]
                        name = "beta_smooth"
                    steps = [
                        f"cbv beta; change (Z.of_nat (replaced x{i} x{j})) with {d}%Z; "
                        f"pose proof LS_{j}; unfold data, unit in *; interval with (i_prec 90)"
                        for j, d in enumerate(apart)
                    ]
                    proof = f"  unfold {name}.\n{_maximum(_largest(terms), steps)}"
                case _:
                    proof = f"  pose proof LS_{i}. unfold unit in *. lra."
            proof = f"  unfold sensitivity.\n{proof}"
            lemmas.append(_lemma(f"S_{i}", low, f"sensitivity x{i}", high, proof))
        return lemmas

    def _weights(self) -> list[str]:
        lemmas, rows = [], []
        for i, row in enumerate(self.weights):
            bounds = [_between(weight, _WEIGHT) for weight in row]
            cells = [f"({low}, {high})%Z" for low, high in bounds]
            rows.append(listed(cells, str))
            for j, cell in enumerate(cells):
                step = "rewrite distance_self" if i == j else f"pose proof H_{i}_{j}"
                lemmas.append(
                    f"Lemma W_{i}_{j} : between {_UNIT} (weight x{i} x{j}) {cell}.\n"
                    f"Proof.\n  unfold between, weight, scored, fst, snd. {step}. "
                    f"pose proof S_{i}.\n"
                    "  unfold unit in *. interval with (i_prec 90).\nQed."
                )
            lemmas.append(
                f"Lemma row_{i} : Forall2 (fun r b => between {_UNIT} (weight x{i} r) b) data\n"
                f"  {rows[-1]}.\nProof.\n  unfold data.\n"
                + "\n".join(f"  apply Forall2_cons; [exact W_{i}_{j}|]." for j in range(len(row)))
                + "\n  apply Forall2_nil.\nQed."
            )
        table = f"Definition table : list (list (Z * Z)) :=\n  {listed(rows, str, lines=True)}."
        enclosed = (
            "Lemma enclosed : Forall2 (fun x row => Forall2 (fun r b => "
            f"between {_UNIT} (weight x r) b) data row) data table.\n"
            "Proof.\n  unfold data at 2, table.\n"
            + "\n".join(f"  apply Forall2_cons; [exact row_{i}|]." for i in range(len(self.data)))
            + "\n  apply Forall2_nil.\nQed."
        )
        return [*lemmas, table, enclosed]

    def _kept(self) -> str:
        epsilon, witness = self.found.epsilon, self.found.witness
        # An end may be the number itself, which no enclosure of weights reaches.
        a, b = Fraction(epsilon.lower) - _OUTSIDE, Fraction(epsilon.upper) + _OUTSIDE
        places = [self.data.index(place) for place in (witness.x, witness.y, witness.output)]
        return REALISED.format(
            epsilon=real(self.budget.epsilon),
            delta=real(self.budget.delta),
            budget=_arguments(outward(self.budget.epsilon.exp().ball(), up=False)),
            a=rational(a),
            b=rational(b),
            lower=_arguments(outward(ball(a).exp(), up=True)),
            upper=_arguments(outward(ball(b).exp(), up=False)),
            unit=_UNIT,
            x=places[0],
            y=places[1],
            r=places[2],
        )

    def _broken(self) -> str:
        worst = self.found.delta_held
        x, y = self.data.index(worst.x), self.data.index(worst.y)
        p, q = self.weights[x], self.weights[y]
        bound = self.budget.epsilon.exp().ball()
        chosen = [
            r
            for r in range(len(self.data))
            if certainly_less(bound * q[r] * sum(p, Ball(0)), p[r] * sum(q, Ball(0)))
        ]
        delta = self.budget.delta.as_fraction()
        if delta is None:
            raise refuse(self.mechanism, f"needs a rational δ, not {self.budget.delta}")
        return BROKEN.format(
            epsilon=real(self.budget.epsilon),
            delta_above=delta.numerator,
            delta_below=delta.denominator,
            multiple=_arguments(outward(bound, up=True)),
            unit=_UNIT,
            x=x,
            y=y,
            chosen=listed(chosen, lambda r: f"x{r}"),
        )


def _replaced(x: Counts, y: Counts) -> int:
    return sum(max(0, a - b) for a, b in zip(x, y, strict=True))


def _largest(values: list[Ball]) -> int:
    return max(range(len(values)), key=lambda index: lower_fraction(values[index]))


def _maximum(best: int, steps: list[str]) -> str:
    """Return the proof that a maximum lies between two numbers, from that of its terms."""
    tails = "".join("apply Exists_cons_tl; " for _ in range(best))
    parts = [f"    apply Forall_cons; [{step}|]." for step in steps]
    return "\n".join(
        [
            "  apply maximum_between.",
            "  - unfold unit. lra.",
            f"  - unfold data. {tails}apply Exists_cons_hd; {steps[best]}.",
            "  - unfold data.",
            *parts,
            "    apply Forall_nil.",
        ]
    )


def _arguments(number: Fraction) -> str:
    return f"{number.numerator} {number.denominator}"
