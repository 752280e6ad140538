(** Randomised response (Warner 1965): the truth with probability p, a lie otherwise. *)
Require Import Bool Reals List Psatz.
From dpaudit Require Import Laws.
Import ListNotations.
Open Scope R_scope.

Definition answers : list bool := [true; false].
Definition randomised_response (p : R) (x r : bool) : R := if eqb x r then p else 1 - p.
Definition other (x y : bool) : Prop := x <> y.

Theorem randomised_response_is_law p x : 0 <= p <= 1 -> is_law answers (randomised_response p) x.
Proof.
  intros P. split.
  - intros r _. unfold randomised_response. destruct (eqb x r); lra.
  - destruct x; unfold randomised_response; simpl; ring.
Qed.

(** Its realised ε is ln(p/(1 − p)), to the last digit. *)
Theorem randomised_response_realises p : 1/2 <= p < 1 ->
  realised_epsilon_in answers other (randomised_response p) (ln (p / (1 - p))) (ln (p / (1 - p))).
Proof.
  intros P. assert (0 < p / (1 - p)) by (apply Rdiv_lt_0_compat; lra). split.
  - apply private_by_outputs. intros x y r N _. rewrite exp_ln by auto.
    assert (1 - p <= p / (1 - p) * p /\ p <= p / (1 - p) * (1 - p)) as [A B].
    { replace (p / (1 - p) * (1 - p)) with p by (field; lra). split; [|lra].
      assert (1 <= p / (1 - p)).
      { apply Rmult_le_reg_r with (1 - p); [lra|]. replace (p / (1 - p) * (1 - p)) with p by (field; lra). lra. }
      apply Rle_trans with (1 * p); [lra|]. apply Rmult_le_compat_r; lra. }
    unfold other in N. unfold randomised_response. destruct x, y, r; simpl; try congruence; lra.
  - intros epsilon. apply (realised_at_least answers other (randomised_response p) bool_dec true false true).
    split; [discriminate|]. split; [left; reflexivity|]. unfold randomised_response. simpl.
    split; [lra|]. rewrite exp_ln by auto. right. field. lra.
Qed.
