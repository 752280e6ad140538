(** Typed statements about consecutive distances: they differ by a factor of at most 9/2. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values Neighbours.
Open Scope R_scope.

(** φ(s)·(s + ¼)/s increases to 1. *)
Section Growth.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation phi := (Neighbours.phi G).

Lemma lifted_step s : 0 < s -> phi s * ((s + 1 / 4) / s) <= phi (s + 1) * ((s + 1 + 1 / 4) / (s + 1)).
Proof.
  intros S. rewrite (phi_step G gamma s S). pose proof (phi_positive G gamma (s + 1) ltac:(lra)) as P. unfold rise.
  replace (s * (s + 1) / ((s + 1 / 2) * (s + 1 / 2)) * phi (s + 1) * ((s + 1 / 4) / s)) with
    (phi (s + 1) * ((s + 1) * (s + 1 / 4) / ((s + 1 / 2) * (s + 1 / 2)))) by (field; lra).
  apply Rmult_le_compat_l; [lra|].
  assert (0 < (s + 1 / 2) * (s + 1 / 2)) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_le_reg_r with ((s + 1 / 2) * (s + 1 / 2) * (s + 1)); [apply Rmult_lt_0_compat; lra|].
  replace ((s + 1) * (s + 1 / 4) / ((s + 1 / 2) * (s + 1 / 2)) * ((s + 1 / 2) * (s + 1 / 2) * (s + 1))) with ((s + 1) * (s + 1 / 4) * (s + 1)) by (field; lra).
  replace ((s + 1 + 1 / 4) / (s + 1) * ((s + 1 / 2) * (s + 1 / 2) * (s + 1))) with ((s + 1 + 1 / 4) * ((s + 1 / 2) * (s + 1 / 2))) by (field; lra).
  lra.
Qed.

Lemma lifted_far s n : 0 < s -> phi s * ((s + 1 / 4) / s) <= phi (s + INR n) * ((s + INR n + 1 / 4) / (s + INR n)).
Proof.
  intros S. induction n as [|n IH]; [rewrite Rplus_0_r; lra|]. apply Rle_trans with (1 := IH).
  rewrite S_INR. pose proof (pos_INR n). rewrite <- Rplus_assoc. apply lifted_step. lra.
Qed.

Lemma phi_upper s : 0 < s -> phi s <= s / (s + 1 / 4).
Proof.
  intros S. pose proof (phi_positive G gamma s S) as P. assert (0 < s / (s + 1 / 4)) as Q by (apply over_positive; lra).
  apply nearly; auto. intros n N. pose proof (lifted_far s n S) as F. apply (le_INR 1) in N. simpl in N.
  pose proof (phi_below G gamma (s + INR n) ltac:(lra)) as B. pose proof (phi_positive G gamma (s + INR n) ltac:(lra)).
  assert ((s + INR n + 1 / 4) / (s + INR n) <= 1 + 1 / INR n) as U.
  { replace ((s + INR n + 1 / 4) / (s + INR n)) with (1 + 1 / 4 * / (s + INR n)) by (field; lra). unfold Rdiv.
    assert (/ (s + INR n) <= / INR n) by (apply Rinv_le_contravar; lra). assert (0 < / (s + INR n)) by (apply Rinv_0_lt_compat; lra). lra. }
  assert (phi (s + INR n) * ((s + INR n + 1 / 4) / (s + INR n)) <= 1 * ((s + INR n + 1 / 4) / (s + INR n))) as V.
  { apply Rmult_le_compat_r; [|exact B]. left. apply over_positive; lra. }
  assert (phi s * ((s + 1 / 4) / s) <= 1 + 1 / INR n) as W by lra.
  assert (0 < 1 / INR n <= 1) as X.
  { split; [apply over_positive; lra|]. apply Rmult_le_reg_r with (INR n); [lra|]. replace (1 / INR n * INR n) with 1 by (field; lra). lra. }
  set (t := 1 / INR n) in *.
  apply Rmult_le_reg_r with ((s + 1 / 4) / s); [apply over_positive; lra|].
  replace (s / (s + 1 / 4) * ((s + 1 / 4) / s)) with 1 by (field; lra).
  replace (phi s * (1 - t) * ((s + 1 / 4) / s)) with (phi s * ((s + 1 / 4) / s) * (1 - t)) by ring.
  apply Rle_trans with ((1 + t) * (1 - t)); [apply Rmult_le_compat_r; lra|]. assert (0 <= t * t) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Of one step: (p + q)/2 ≤ H² ≤ p + q, p and q what is missing from 1 in φ. *)
Lemma step_between u v : 0 < u -> 0 < v ->
  (1 / (4 * u + 1) + 1 / (4 * v + 1)) / 2 <= distance G u (v + 1) (u + 1) v * distance G u (v + 1) (u + 1) v <= 1 / (2 * u + 1) + 1 / (2 * v + 1).
Proof.
  intros U V. destruct (step_distance G gamma u v U V) as [-> [P0 P1]].
  assert (sqrt (phi2 G u v) <= 1) as R1 by (rewrite <- sqrt_1; apply sqrt_le_1_alt; exact P1).
  rewrite sqrt_sqrt by lra. unfold phi2 in *.
  pose proof (phi_upper u U) as A1. pose proof (phi_upper v V) as A2. pose proof (phi_above G gamma u U) as B1. pose proof (phi_above G gamma v V) as B2.
  pose proof (phi_positive G gamma u U) as C1. pose proof (phi_positive G gamma v V) as C2.
  pose proof (phi_below G gamma u U) as D1. pose proof (phi_below G gamma v V) as D2.
  replace (u / (u + 1 / 4)) with (1 - 1 / (4 * u + 1)) in A1 by (field; lra). replace (v / (v + 1 / 4)) with (1 - 1 / (4 * v + 1)) in A2 by (field; lra).
  replace (u / (u + 1 / 2)) with (1 - 1 / (2 * u + 1)) in B1 by (field; lra). replace (v / (v + 1 / 2)) with (1 - 1 / (2 * v + 1)) in B2 by (field; lra).
  set (x := phi u) in *. set (y := phi v) in *. set (r := sqrt (x * y)) in *.
  assert (r * r = x * y) as Q by (apply sqrt_sqrt; lra). assert (0 <= r) by apply sqrt_pos.
  split.
  - assert (r <= (x + y) / 2); [|lra]. apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite Q.
    assert (0 <= (x - y) * (x - y)) by apply Rle_0_sqr. lra.
  - assert (x * y <= r); [rewrite <- Q; assert (r * r <= 1 * r) by (apply Rmult_le_compat_r; lra); lra|].
    assert (0 <= (1 - x) * (1 - y)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma root_order g h : 0 <= g -> 0 <= h -> 4 * (g * g) <= 81 * (h * h) -> 2 * g <= 9 * h.
Proof. intros A B L. apply Rsqr_incr_0_var; [unfold Rsqr; lra|lra]. Qed.

Lemma tenth x y : 0 < x -> 0 < y -> y <= 10 * x -> 1 / x <= 10 * (1 / y).
Proof.
  intros X Y L. apply Rmult_le_reg_r with (x * y); [apply Rmult_lt_0_compat; auto|].
  replace (1 / x * (x * y)) with y by (field; lra). replace (10 * (1 / y) * (x * y)) with (10 * x) by (field; lra). exact L.
Qed.
End Growth.

(* proves: thm-4.1-growth *)
Theorem thm_4_1_growth : s_thm_4_1_growth.
Proof.
  intros G gamma a b n c N C A B L. apply Rge_le in C. set (u := a + IZR c). set (v := b + IZR n - IZR c - 2).
  assert (0 < u) as U by (unfold u; lra). assert (0 < v) as V by (unfold v; lra).
  pose proof (step_between G gamma u (v + 1) U ltac:(lra)) as [L1 U1]. pose proof (step_between G gamma (u + 1) v ltac:(lra) V) as [L2 U2].
  replace (b + IZR n - IZR c) with (v + 1 + 1) by (unfold v; ring). replace (v + 1 + 1 - 1) with (v + 1) by ring.
  replace (v + 1 + 1 - 2) with v by ring. replace (u + 2) with (u + 1 + 1) by ring.
  pose proof (distance_nonneg G u (v + 1 + 1) (u + 1) (v + 1)) as P1. pose proof (distance_nonneg G (u + 1) (v + 1) (u + 1 + 1) v) as P2.
  set (h := distance G u (v + 1 + 1) (u + 1) (v + 1)) in *. set (g := distance G (u + 1) (v + 1) (u + 1 + 1) v) in *.
  pose proof (tenth (2 * u + 1) (4 * (u + 1) + 1) ltac:(lra) ltac:(lra) ltac:(lra)). pose proof (tenth (2 * (v + 1) + 1) (4 * v + 1) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (tenth (2 * (u + 1) + 1) (4 * u + 1) ltac:(lra) ltac:(lra) ltac:(lra)). pose proof (tenth (2 * v + 1) (4 * (v + 1) + 1) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (0 <= h * h) by (apply Rmult_le_pos; auto). assert (0 <= g * g) by (apply Rmult_le_pos; auto).
  split; apply root_order; auto; lra.
Qed.
