(** Steps of the printed proof that Laplace noise dilates (D §4.1): h(z) = e^(−|z|)/2. *)
Require Import Reals Psatz.
Open Scope R_scope.

Definition h (z : R) : R := exp (- Rabs z) / 2.

(* claim: lap-dilation-9 *)
Theorem step_9 lambda z :
  exp lambda * h (exp lambda * z) / h z = exp lambda * exp (Rabs z * (1 - exp lambda)).
Proof.
  unfold h. rewrite Rabs_mult, (Rabs_pos_eq (exp lambda)) by (left; apply exp_pos).
  replace (Rabs z * (1 - exp lambda)) with (- (exp lambda * Rabs z) + Rabs z) by ring.
  rewrite exp_plus, (exp_Ropp (Rabs z)). pose proof (exp_pos (Rabs z)). field. lra.
Qed.

(* claim: lap-dilation-10 *)
Theorem step_10 lambda : lambda < 0 -> 1 - exp lambda <= - lambda.
Proof. intros L. pose proof (exp_ineq1 lambda). lra. Qed.

(* claim: lap-dilation-4 *)
Theorem step_4 lambda z : 0 < lambda -> exp lambda * h (exp lambda * z) / h z <= exp lambda.
Proof.
  intros L. rewrite step_9. assert (1 < exp lambda) as E by (rewrite <- exp_0; apply exp_increasing; auto).
  pose proof (Rabs_pos z). assert (0 <= Rabs z * (exp lambda - 1)) by (apply Rmult_le_pos; lra).
  assert (exp (Rabs z * (1 - exp lambda)) <= 1) as M.
  { apply Rle_trans with (exp 0); [|rewrite exp_0; lra].
    destruct (Rle_lt_or_eq_dec (Rabs z * (1 - exp lambda)) 0) as [K|K]; [lra| |].
    - left. apply exp_increasing. exact K.
    - rewrite K. lra. }
  apply Rle_trans with (exp lambda * 1); [|lra]. apply Rmult_le_compat_l; lra.
Qed.

(** Step 1 is strict, and fails at z = 0 alone. *)
(* refutes: lap-dilation-1 *)
Theorem step_1_fails : ~ forall lambda z, 0 < lambda -> h (exp lambda * z) < h z.
Proof. intros F. specialize (F 1 0 Rlt_0_1). rewrite Rmult_0_r in F. lra. Qed.

(* claim: lap-dilation-5 *)
Theorem step_5 epsilon delta lambda : 0 < epsilon -> 0 < delta < 1 ->
  lambda <= epsilon / (2 * ln (3 / delta)) -> lambda <= epsilon / 2.
Proof.
  intros E D L. apply Rle_trans with (1 := L).
  assert (1 < ln (3 / delta)).
  { rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos|].
    apply Rle_lt_trans with (1 := exp_le_3). apply Rmult_lt_reg_r with delta; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rmult_le_reg_r with (2 * ln (3 / delta)); [lra|].
  replace (epsilon / (2 * ln (3 / delta)) * (2 * ln (3 / delta))) with (epsilon * 1) by (field; lra).
  replace (epsilon / 2 * (2 * ln (3 / delta))) with (epsilon * ln (3 / delta)) by field.
  apply Rmult_le_compat_l; lra.
Qed.
