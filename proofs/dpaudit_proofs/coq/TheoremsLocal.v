(** Typed statements about the argument of D with the local sensitivity. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsMechanisms.
Open Scope R_scope.

(** Its first three lines. *)
(* proves: em-local-step-1 *)
Theorem em_local_step_1 : s_em_local_step_1.
Proof.
  intros G gamma a b e n c r N C R' A B' E L M. apply Rge_le in N. apply (le_IZR 0) in N.
  replace (IZR c + 1) with (IZR (c + 1)) by (rewrite plus_IZR; ring).
  replace (IZR n - IZR c - 1) with (IZR n - IZR (c + 1)) by (rewrite plus_IZR; ring). rewrite !law_of.
  set (s := 2 * local_sensitivity G a b (IZR c) (IZR n - IZR c)).
  set (t := 2 * local_sensitivity G a b (IZR (c + 1)) (IZR n - IZR (c + 1))).
  replace (a + IZR c + 1) with (a + IZR (c + 1)) by (rewrite plus_IZR; ring).
  replace (b + IZR n - IZR c - 1) with (b + IZR n - IZR (c + 1)) by (rewrite plus_IZR; ring).
  set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)).
  set (k := distance G (a + IZR (c + 1)) (b + IZR n - IZR (c + 1)) (a + IZR r) (b + IZR n - IZR r)).
  pose proof (total_above_0 G (e / s) a b n c N) as P. pose proof (total_above_0 G (e / t) a b n (c + 1) N) as Q.
  assert (forall z q f, range_sum 0 (IZR n) (fun j => exp (z - e * distance G (a + IZR f) (b + IZR n - IZR f) (a + IZR j) (b + IZR n - IZR j) / q)) =
    exp z * total G (e / q) a b n f) as T.
  { intros z q f. unfold total. rewrite <- range_sum_scaled. apply (range_sum_ext 0 n). intros i _. rewrite <- exp_plus.
    f_equal. unfold Rdiv. ring. }
  assert (forall q f, range_sum 0 (IZR n) (fun j => exp (- e * distance G (a + IZR f) (b + IZR n - IZR f) (a + IZR j) (b + IZR n - IZR j) / q)) =
    total G (e / q) a b n f) as U.
  { intros q f. unfold total. apply (range_sum_ext 0 n). intros i _. f_equal. unfold Rdiv. ring. }
  set (x := total G (e / s) a b n c) in *. set (y := total G (e / t) a b n (c + 1)) in *.
  pose proof (exp_pos (- (e / s) * h)) as X. pose proof (exp_pos (- (e / t) * k)) as Y.
  assert (- (e / s) * h = - e * h / s /\ - (e / t) * k = - e * k / t) as [H1 H2] by (split; unfold Rdiv; ring).
  rewrite H1, H2 in *. split.
  - rewrite !U. fold x y. replace (e * k / t - e * h / s) with (- e * h / s + - (- e * k / t)) by (unfold Rdiv; ring).
    rewrite exp_plus, exp_Ropp. field. repeat split; lra.
  - rewrite !T. fold x y. field. repeat split; lra.
Qed.
