(** Statements II and III of D: where the local sensitivity is attained, and where it is least. *)
Require Import Reals Psatz.
From dpaudit Require Import Posterior.
Open Scope R_scope.

Section Order.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation H := (H G 1 1).

(** LS(x), the larger of the distances to the one or two neighbours. *)
Definition local_sensitivity (n c : nat) : R :=
  Rmax (if Nat.eqb c 0 then 0 else H n c (c - 1)) (if Nat.eqb c n then 0 else H n c (c + 1)).

Lemma H_comm n c c' : H n c c' = H n c' c.
Proof. unfold Posterior.H, hellinger. rewrite affinity_comm. reflexivity. Qed.

Lemma H_nonneg n c c' : 0 <= H n c c'.
Proof. unfold Posterior.H, hellinger. apply sqrt_pos. Qed.

Lemma rises n c : (n <= 2 * c)%nat -> (c + 2 <= n)%nat -> H n c (c + 1) < H n (c + 1) (c + 2).
Proof. intros. apply statement_I_right; auto; lia. Qed.

Lemma right_of_middle n c : (n <= 2 * c)%nat -> (1 <= c)%nat -> (c + 1 <= n)%nat ->
  H n c (c - 1) <= H n c (c + 1).
Proof.
  intros M P L. rewrite H_comm. destruct c as [|c]; [lia|].
  replace (S c - 1)%nat with c by lia. replace (S c) with (c + 1)%nat by lia.
  replace (c + 1 + 1)%nat with (c + 2)%nat by lia.
  pose proof (statement_I G gamma 1 1 n c) as [R [_ E]]; try lra; [lia|].
  apply le_INR in M. rewrite mult_INR in M. replace (S c) with (c + 1)%nat in M by lia.
  rewrite plus_INR in M. simpl in M.
  destruct (Rle_lt_or_eq_dec (INR n - 2 + 1 - 1) (2 * INR c)) as [Lt|Eq]; [lra|left; auto|].
  right. apply E. lra.
Qed.

(* smaller domain: II-right *)
Theorem statement_II_right n c : (n <= 2 * c)%nat -> (c + 1 <= n)%nat ->
  local_sensitivity n c = H n c (c + 1).
Proof.
  intros M L. unfold local_sensitivity.
  destruct (Nat.eqb_spec c n) as [->|_]; [lia|]. apply Rmax_right.
  destruct (Nat.eqb_spec c 0) as [->|]; [apply H_nonneg|]. apply right_of_middle; auto; lia.
Qed.

Lemma H_mirrored n c c' : (c <= n)%nat -> (c' <= n)%nat -> H n (n - c) (n - c') = H n c c'.
Proof.
  intros L L'. unfold Posterior.H, hellinger. rewrite !minus_INR, affinity_mirrored by lia.
  do 3 f_equal; ring.
Qed.

Lemma mirrored n c : (c <= n)%nat -> local_sensitivity n (n - c) = local_sensitivity n c.
Proof.
  intros L. unfold local_sensitivity.
  assert (forall x, (1 <= x)%nat -> (x <= n)%nat -> H n (n - x) (n - x + 1) = H n x (x - 1)) as E.
  { intros x P Q. replace (n - x + 1)%nat with (n - (x - 1))%nat by lia. apply H_mirrored; lia. }
  destruct (Nat.eqb_spec c 0) as [Z|Z]; destruct (Nat.eqb_spec c n) as [F|F].
  - rewrite <- F, Z. reflexivity.
  - rewrite Z, Nat.sub_0_r in *. rewrite (proj2 (Nat.eqb_neq n 0)) by lia. rewrite Nat.eqb_refl.
    rewrite Rmax_comm. f_equal. rewrite <- (H_mirrored n 0 (0 + 1)) by lia. f_equal; lia.
  - rewrite F, Nat.sub_diag, Nat.eqb_refl in *. rewrite (proj2 (Nat.eqb_neq 0 n)) by lia.
    rewrite Rmax_comm. f_equal. rewrite <- (E n) by lia. rewrite Nat.sub_diag. reflexivity.
  - rewrite (proj2 (Nat.eqb_neq (n - c) 0)), (proj2 (Nat.eqb_neq (n - c) n)) by lia.
    rewrite Rmax_comm, (E c) by lia. f_equal.
    replace (n - c - 1)%nat with (n - (c + 1))%nat by lia. apply H_mirrored; lia.
Qed.

(* smaller domain: II-left *)
Theorem statement_II_left n c : (2 * c <= n)%nat -> (1 <= c)%nat ->
  local_sensitivity n c = H n c (c - 1).
Proof.
  intros M P. rewrite <- mirrored, statement_II_right by lia.
  replace (n - c + 1)%nat with (n - (c - 1))%nat by lia. apply H_mirrored; lia.
Qed.

Lemma rises_far n c k : (n <= 2 * c)%nat -> (c + k + 2 <= n)%nat ->
  H n c (c + 1) < H n (c + k + 1) (c + k + 2).
Proof.
  intros M. induction k as [|k IH]; intros L.
  - replace (c + 0)%nat with c by lia. apply rises; auto; lia.
  - apply Rlt_trans with (H n (c + k + 1) (c + k + 2)); [apply IH; lia|].
    replace (c + S k + 1)%nat with (c + k + 1 + 1)%nat by lia.
    replace (c + S k + 2)%nat with (c + k + 1 + 2)%nat by lia.
    replace (c + k + 2)%nat with (c + k + 1 + 1)%nat by lia. apply rises; lia.
Qed.

(** LS rises from the balanced dataset outwards; for n ≤ 2 there is nothing to rise to. *)
Lemma right_half n m c : (n <= 2 * m)%nat -> (m + 2 <= n)%nat -> (m < c)%nat -> (c <= n)%nat ->
  local_sensitivity n m < local_sensitivity n c.
Proof.
  intros M L R C. rewrite (statement_II_right n m) by lia.
  destruct (Nat.eq_dec c n) as [->|N].
  - apply Rlt_le_trans with (H n (n - 1) n).
    + replace (n - 1)%nat with (m + (n - m - 2) + 1)%nat by lia.
      replace n with (m + (n - m - 2) + 2)%nat at 4 by lia. apply rises_far; lia.
    + rewrite H_comm. unfold local_sensitivity. destruct (Nat.eqb_spec n 0); [lia|]. apply Rmax_l.
  - rewrite (statement_II_right n c) by lia.
    replace c with (m + (c - m - 1) + 1)%nat by lia.
    replace (m + (c - m - 1) + 1 + 1)%nat with (m + (c - m - 1) + 2)%nat by lia. apply rises_far; lia.
Qed.

(** m is a balanced dataset: n = 2m, or n = 2m − 1 and then n − m is the other one. *)
(* smaller domain: III *)
Theorem statement_III n m c : (n = 2 * m \/ n + 1 = 2 * m)%nat -> (m + 2 <= n)%nat ->
  (c <= n)%nat -> (c < n - m \/ m < c)%nat -> local_sensitivity n m < local_sensitivity n c.
Proof.
  intros M L C [R|R].
  - rewrite <- (mirrored n c C). apply right_half; lia.
  - apply right_half; lia.
Qed.
End Order.
