"""The Coq text of theorems about mechanisms scored by Hellinger distance, with places to fill."""

__all__ = ["BROKEN", "DATA", "REALISED"]

DATA = """\
From Interval Require Import Tactic.
From dpaudit Require Import Laws EnclosedWeights Posteriors.
Import ListNotations.
Open Scope R_scope.

(* The datasets, which are the candidates too. *)
{names}
Definition data : list counts := {data}.
Definition prior : counts := {prior}%nat.

Definition sensitivity : counts -> R := {sensitivity}.
Definition weight : counts -> counts -> R := scored prior {epsilon} {multiple} sensitivity.
Notation law := (law data weight).
Notation neighbours := (neighbours data next_to).

(* Bounds are multiples of 1/unit. *)
Definition unit : R := {unit}."""

REALISED = """\
Lemma weight_pos x r : 0 < weight x r.
Proof. apply scored_pos. Qed.
Notation private_if := (enclosed_private data next_to weight {unit} table ltac:(lia) weight_pos
  enclosed) (only parsing).

(* The budget is kept. *)
Theorem within : private data neighbours law {epsilon} {delta}.
Proof.
  apply private_weaker; [lra|].
  apply (private_if {budget}); [lia|lia|interval with (i_prec 130)|vm_compute; reflexivity].
Qed.

(* The realised epsilon, and where it is attained. *)
Theorem realised :
  realised_epsilon_in data neighbours law {a} {b} /\\
  loses_at data neighbours law x{x} x{y} x{r} {a}.
Proof.
  assert (loses_at data neighbours law x{x} x{y} x{r} {a}) as Loss.
  {{ apply (enclosed_loss same_counts data next_to weight {unit} table {lower}).
    - lia.
    - exact weight_pos.
    - exact enclosed.
    - lia.
    - lia.
    - interval with (i_prec 130).
    - repeat split; try reflexivity; unfold data; repeat (try (left; reflexivity); right).
    - unfold data; repeat (try (left; reflexivity); right).
    - vm_compute; reflexivity. }}
  split; [split|exact Loss].
  - apply (private_if {upper}); [lia|lia|interval with (i_prec 130)|vm_compute; reflexivity].
  - intros epsilon. apply (realised_at_least data neighbours law same_counts _ _ _ _ _ Loss).
Qed.

Definition both := conj within realised.
Print Assumptions both."""

BROKEN = """\
Lemma weight_pos x r : 0 < weight x r.
Proof. apply scored_pos. Qed.

(* The event, as the list of its outputs. *)
Definition event (r : counts) : bool := if in_dec same_counts r {chosen} then true else false.

(* The budget is exceeded at this pair and event. *)
Theorem exceeds : ~ private data neighbours law {epsilon} ({delta_above} / {delta_below}).
Proof.
  intros P.
  assert (neighbours x{x} x{y}) as N.
  {{ repeat split; try reflexivity; unfold data; repeat (try (left; reflexivity); right). }}
  specialize (P x{x} x{y} N event). apply Rle_not_gt in P. apply P.
  apply (enclosed_broken same_counts data next_to weight {unit} table ltac:(lia) weight_pos enclosed
    {multiple} ltac:(lia) ltac:(lia) event {delta_above} {delta_below} ltac:(lia) ltac:(lia));
    [interval with (i_prec 130)|exact N|vm_compute; reflexivity].
Qed.

Print Assumptions exceeds."""
