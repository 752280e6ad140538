"""Theorems about one size of a mechanism, for the Coq kernel.

Laws that are polynomials in t = e^(−rate) are decided in whole numbers, ties included; what is
computed is proved to decide them in ``coq/ExponentialSums.v``.  A mechanism whose weights are known
as intervals brings a theorem of its own (:meth:`dpaudit.mechanisms.base.Mechanism.theorem`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import audit_size
from dpaudit.audit.measure import described
from dpaudit.errors import ParameterError
from dpaudit.kernel.certificate_checker import exp_minus, sign
from dpaudit.kernel.coq_text import comment, listed, rational, real, self_contained, whole
from dpaudit.kernel.exact_laws import ExactLaws, Multiple, exact_laws, refuse
from dpaudit.numbers.real import rational as rational_number
from dpaudit.results import SizeResult, Verdict, steady_repr
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real

__all__ = ["heading", "least", "theorem"]

_BITS = (32, 48, 64, 96, 128, 192, 256)


def theorem(mechanism: Mechanism[Any], n: int, plan: Plan) -> bytes:
    """Return a self-contained Coq file with what is certain about ``mechanism`` at size ``n``.

    Within the budget: that it is kept, and where the realised ε lies, with the pair and the output
    that attain it.  Above it: the pair and the event that show it.

    Raises:
        ParameterError: for laws that are not written for Coq, an audit that is undecided, and a
            plan without a budget.
    """
    budget = plan.held_to  # without one there is nothing to state
    found = audit_size(mechanism, n, plan)
    if found.verdict is Verdict.UNDECIDED:
        raise refuse(mechanism, f"is undecided at n = {n}: {found.reason}")
    own = mechanism.theorem(n, plan, found)
    if own is None:
        laws = exact_laws(mechanism, n, plan.adjacency, budget.epsilon)
        own = self_contained(("Laws", "ExponentialSums"), _Body(laws, plan, found).text())
    return (heading(mechanism, n, plan, found) + own).encode()


def heading(mechanism: Mechanism[Any], n: int, plan: Plan, found: SizeResult) -> str:
    """Return the comment that a file begins with."""
    parameters = ", ".join(f"{k} = {v}" for k, v in described(mechanism).items())
    relation = mechanism.adjacency(plan.adjacency).name
    verdict = "no verdict" if found.verdict is None else found.verdict.value
    what = f"{parameters}; n = {n}, {relation}; {verdict}, budget {plan.held_to}"
    return f"(* dpaudit {__version__}: {comment(what)} *)\n"


@dataclass(frozen=True)
class _Body:
    """The theorem about laws that are polynomials."""

    laws: ExactLaws
    plan: Plan
    found: SizeResult

    def text(self) -> str:
        return "\n\n".join(
            [
                "From dpaudit Require Import Laws ExponentialSums.",
                "From Interval Require Import Tactic.",
                self._data(),
                self._kept() if self.found.verdict is Verdict.WITHIN else self._broken(),
            ]
        )

    def _data(self) -> str:
        laws = self.laws
        names = [
            f"(* dataset {i}: {comment(steady_repr(x))} *)" for i, x in enumerate(laws.datasets)
        ] + [f"(* output {i}: {comment(steady_repr(r))} *)" for i, r in enumerate(laws.outputs)]
        low, high, unit = self._enclosure()

        def row(weights: tuple[list[int], ...]) -> str:
            return listed(weights, lambda p: listed(p, whole))

        return _DATA.format(
            names="\n".join(names),
            rate=rational(laws.rate or Fraction(0)),
            weights=listed(laws.weights, row, lines=True),
            size=len(laws.outputs),
            pairs=listed(laws.pairs, lambda p: f"({p[0]}, {p[1]})"),
            low=low,
            high=high,
            unit=unit,
            enclosing="interval with (i_prec 260)." if laws.rate else "rewrite Ropp_0, exp_0. lra.",
        )

    def _enclosure(self) -> tuple[int, int, int]:
        """Return low, high and unit with low ≤ unit·t ≤ high, coarse but enough for all signs."""
        if self.laws.rate is None:
            return 1, 1, 1
        ends = self.found.epsilon.exact, self.plan.held_to.epsilon
        differences = [
            p
            for end in ends
            if end is not None
            for p in self.laws.differences(self.laws.multiple(end))
            if any(p)
        ]
        for bits in _BITS:
            low, high = exp_minus(self.laws.rate.numerator, self.laws.rate.denominator, bits)
            if all(
                least(p, low, high, 1 << bits) > 0
                or least([-a for a in p], low, high, 1 << bits) > 0
                for p in differences
            ):
                break
        return low, high, 1 << bits

    def _kept(self) -> str:
        witness, epsilon = self.found.witness, self.found.epsilon
        places = (
            self.laws.datasets.index(witness.x),
            self.laws.datasets.index(witness.y),
            self.laws.outputs.index(witness.output),
        )
        exact = epsilon.exact
        ends = (
            (exact, exact)
            if exact is not None
            else (
                rational_number(Fraction(epsilon.lower)),
                rational_number(Fraction(epsilon.upper)),
            )
        )
        lower, upper = (
            self._multiple(end, above=above) for end, above in zip(ends, (True, False), strict=True)
        )
        budget = self._multiple(self.plan.held_to.epsilon, above=False)
        return _REALISED.format(
            epsilon=budget.epsilon,
            delta=self._delta(),
            budget=budget.arguments,
            budget_proof=budget.proof,
            a=lower.epsilon,
            b=upper.epsilon,
            lower=lower.arguments,
            lower_proof=lower.proof,
            upper=upper.arguments,
            upper_proof=upper.proof,
            x=places[0],
            y=places[1],
            r=places[2],
        )

    def _broken(self) -> str:
        laws, delta = self.laws, self.found.delta_held
        x, y = laws.datasets.index(delta.x), laws.datasets.index(delta.y)
        multiple = self._multiple(self.plan.held_to.epsilon, above=True)
        rate = (laws.rate or Fraction(0)).as_integer_ratio()
        differences = laws.differences_of(x, y, multiple.multiple)
        chosen = [r for r, p in enumerate(differences) if sign(p, rate) > 0]
        return _BROKEN.format(
            epsilon=multiple.epsilon,
            delta=self._delta(),
            multiple=multiple.arguments,
            proof=multiple.proof,
            x=x,
            y=y,
            chosen=listed(chosen, str),
        )

    def _delta(self) -> str:
        delta = self.plan.held_to.delta.as_fraction()
        if delta is None:
            raise ParameterError(
                "budget", f"δ = {self.plan.held_to.delta}: a theorem needs a rational"
            )
        return f"({delta.numerator} / {delta.denominator})"

    def _multiple(self, epsilon: Real, *, above: bool) -> _Shown:
        return _Shown(epsilon, self.laws.multiple(epsilon, above=above), self.laws.rate)


def least(p: list[int], low: int, high: int, unit: int) -> int:
    """Return what ``coq/ExponentialSums.v`` computes: at most unit^length·p(t).

    >>> least([1, -1], 5, 6, 10)
    40
    """
    found, power = 0, 1
    for a in reversed(p):
        found = a * power * unit + (low if found >= 0 else high) * found
        power *= unit
    return found


@dataclass(frozen=True)
class _Shown:
    """A number ε and the multiple that stands for e^ε, as Coq is told of them."""

    number: Real
    multiple: Multiple
    rate: Fraction | None

    @property
    def epsilon(self) -> str:
        """ε: a logarithm and whole steps of the rate, where e^ε is the multiple itself."""
        value, steps = self.multiple.value, self.multiple.power * (self.rate or Fraction(0))
        if not self.multiple.exact:
            return real(self.number)
        parts = [rational(steps)] if steps or value == 1 else []
        parts = [f"ln {rational(value)}"] * (value != 1) + parts
        return parts[0] if parts == [rational(steps)] else f"({' + '.join(parts)})"

    @property
    def arguments(self) -> str:
        """The multiple, as the arguments of a lemma."""
        value = self.multiple.value
        return f"{value.numerator} {value.denominator} {self.multiple.power}"

    @property
    def proof(self) -> str:
        """The tactic that shows that the multiple is e^ε, or on the right side of it."""
        return "multiple_exactly" if self.multiple.exact else "multiple_about"


_DATA = """\
Import ListNotations.
Open Scope R_scope.

{names}

Definition rate : R := {rate}.
(* e^(-rate) *)
Definition t : R := exp (- rate).
(* Every law's weights as polynomials in t: P(r) is its weight over the sum of the weights. *)
Definition weights : list (list poly) :=
  {weights}%Z.
Definition pairs : list (nat * nat) := {pairs}%nat.
Notation outputs := (outputs {size}).
Notation neighbours := (neighbours pairs).
Notation law := (law t weights).

Lemma t_between : IZR {low} <= IZR {unit} * t <= IZR {high}.
Proof.
  unfold t, rate. {enclosing}
Qed.
Lemma t_pos : 0 < t.
Proof. apply exp_pos. Qed.
Lemma laws_checked : are_laws {low} {high} {unit} weights {size} pairs = true.
Proof. vm_compute. reflexivity. Qed.

Theorem each_is_a_law x : (x < length weights)%nat -> is_law outputs law x.
Proof.
  apply (laws_are_laws t {low} {high} {unit} ltac:(lia) ltac:(lia) t_between _ _ _ laws_checked).
Qed.

(* e^epsilon is a power of t times a rational, or next to such a number. *)
Ltac multiple_exactly :=
  rewrite (multiple_is t rate) by (reflexivity || lia); right; f_equal; unfold rate;
  cbn [Z.of_nat Pos.of_succ_nat Pos.succ]; rewrite ?over_one, ?ln_1; lra.
Ltac multiple_about := unfold c, t, rate; interval with (i_prec 260).
Notation private_if := (checked_private t {low} {high} {unit} ltac:(lia) ltac:(lia) t_between
  weights {size} pairs laws_checked) (only parsing).
Notation broken_if := (checked_broken t {low} {high} {unit} ltac:(lia) ltac:(lia) t_between
  weights {size} pairs laws_checked) (only parsing).
Notation loss_if := (checked_loss t {low} {high} {unit} ltac:(lia) ltac:(lia) t_between
  weights {size} pairs laws_checked) (only parsing)."""

_REALISED = """\
(* The budget is kept. *)
Theorem within : private outputs neighbours law {epsilon} {delta}.
Proof.
  apply (private_if {budget}); [lia|exact t_pos|lia|{budget_proof}|vm_compute; reflexivity].
Qed.

(* The realised epsilon, and where it is attained. *)
Theorem realised :
  realised_epsilon_in outputs neighbours law {a} {b} /\\
  loses_at outputs neighbours law {x}%nat {y}%nat {r}%nat {a}.
Proof.
  assert (loses_at outputs neighbours law {x}%nat {y}%nat {r}%nat {a}) as Loss.
  {{ apply (loss_if {lower}); [lia|exact t_pos|{lower_proof}| |lia|vm_compute; reflexivity].
    repeat (try (left; reflexivity); right). }}
  split; [split|exact Loss].
  - replace 0 with (0 / 1) by field.
    apply (private_if {upper}); [lia|exact t_pos|lia|{upper_proof}|vm_compute; reflexivity].
  - intros epsilon. apply (realised_at_least outputs neighbours law Nat.eq_dec _ _ _ _ _ Loss).
Qed.

Definition both := conj within realised.
Print Assumptions both."""

_BROKEN = """\
(* The budget is exceeded: a pair and an event. *)
Theorem exceeds : ~ private outputs neighbours law {epsilon} {delta}.
Proof.
  intros P. specialize (P {x}%nat {y}%nat).
  assert (neighbours {x}%nat {y}%nat) as N by (repeat (try (left; reflexivity); right)).
  specialize (P N (fun r => existsb (Nat.eqb r) {chosen}%nat)).
  assert (E := broken_if {multiple} ltac:(lia)). apply Rle_not_gt in P. apply P.
  apply E; [exact t_pos|lia|{proof}|exact N|vm_compute; reflexivity].
Qed.

Print Assumptions exceeds."""
