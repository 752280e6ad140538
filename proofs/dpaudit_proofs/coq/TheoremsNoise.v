(** Typed statements about Laplace noise (N §3, D §4.1, A §4). *)
Require Import Reals Psatz.
From dpaudit Require Import Words Stated.
Open Scope R_scope.

Lemma F_left s t : 0 < s -> t <= 0 -> F_lap s t = exp (t / s) / 2.
Proof.
  intros S T. unfold F_lap. destruct (Rlt_dec t 0) as [|N]; [reflexivity|].
  replace t with 0 by lra. replace (- 0 / s) with 0 by (field; lra).
  replace (0 / s) with 0 by (field; lra). rewrite exp_0. lra.
Qed.

Lemma F_right s t : 0 < s -> 0 <= t -> F_lap s t = 1 - exp (- t / s) / 2.
Proof. intros S T. unfold F_lap. destruct (Rlt_dec t 0) as [|N]; [lra|reflexivity]. Qed.

Lemma exp_below_1 x : x < 0 -> 0 < exp x < 1.
Proof. intros L. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. exact L. Qed.

Lemma exp_monotone x y : x <= y -> exp x <= exp y.
Proof. intros [L|L]; [left; apply exp_increasing; exact L|rewrite L; lra]. Qed.

Lemma ln_monotone x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros P [L|L]; [left; apply ln_increasing; auto|rewrite L; lra]. Qed.

Lemma exp_twice x : exp (2 * x) = exp x * exp x.
Proof. rewrite <- exp_plus. f_equal. lra. Qed.

Lemma over_1 x : x / 1 = x.
Proof. field. Qed.

Lemma over_positive x y : 0 < x -> 0 < y -> 0 < x / y.
Proof. apply Rdiv_lt_0_compat. Qed.

Lemma inverse_times x e : 0 < e -> x / (1 / e) = x * e.
Proof. intros. field. lra. Qed.

Lemma half_times x e : 0 < e -> x / (2 / e) = x * e / 2.
Proof. intros. field. lra. Qed.

Lemma ln_quotient x y : 0 < x -> 0 < y -> exp (- ln (x / y)) = y / x.
Proof. intros. rewrite exp_Ropp, exp_ln by (apply over_positive; auto). field. lra. Qed.

Lemma ln_positive x : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma over_above x d : 0 < d < 1 -> 1 <= x -> 1 < x / d.
Proof.
  intros D X. apply Rmult_lt_reg_r with d; [lra|]. replace (x / d * d) with x by (field; lra). lra.
Qed.

(* proves: lap-tail *)
Theorem lap_tail : s_lap_tail.
Proof.
  intros e t E T. assert (0 < 2 / e) by (apply over_positive; lra).
  rewrite F_right, F_left by lra. rewrite !half_times by lra. lra.
Qed.

(* proves: lap-bins *)
Theorem lap_bins : s_lap_bins.
Proof.
  intros e j J E. assert (0 < 2 / e) by (apply over_positive; lra).
  rewrite (F_right _ (IZR j + 1)), (F_right _ (IZR j)), (F_left _ (- IZR j)),
    (F_left _ (- IZR j - 1)) by lra. rewrite !half_times by lra.
  replace ((- IZR j - 1) * e / 2) with (- (IZR j + 1) * e / 2) by field. lra.
Qed.

(* proves: cor-4.4.1-tail *)
Theorem cor_4_4_1_tail : s_cor_4_4_1_tail.
Proof.
  intros e b E P. assert (0 < 1 / e) by (apply over_positive; lra).
  assert (0 <= b / e) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  rewrite F_right, F_left by lra. rewrite !inverse_times by lra.
  replace (- (b / e) * e) with (- b) by (field; lra). lra.
Qed.

(* proves: cor-4.4.1-eq2 *)
Theorem cor_4_4_1_eq2 : s_cor_4_4_1_eq2.
Proof.
  intros e E. assert (0 < 1 / e) by (apply over_positive; lra).
  rewrite F_right, F_left by lra. rewrite !inverse_times by lra.
  replace (- (1) * e) with (- e) by ring. replace (- (2) * e) with (- (2) * e) by ring. lra.
Qed.

(* proves: thm-4.2-looser *)
Theorem thm_4_2_looser : s_thm_4_2_looser.
Proof.
  intros e E. replace (- (2) * e) with (2 * - e) by ring. rewrite exp_twice.
  assert (0 < exp (- e) < 1) by (apply exp_below_1; lra).
  assert (0 < exp (- e) * (1 - exp (- e))) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* proves: cor-4.4.1 *)
Theorem cor_4_4_1 : s_cor_4_4_1.
Proof.
  intros e E. replace (- (2) * e) with (2 * - e) by ring. rewrite exp_twice.
  replace (- e) with (2 * - (e / 2)) by field. rewrite exp_twice.
  assert (0 < exp (- (e / 2)) < 1) as Q by (apply exp_below_1; lra).
  assert (ln (exp (- (e / 2))) = - (e / 2)) as L by apply ln_exp.
  set (q := exp (- (e / 2))) in *.
  assert (0 < q * q) as Q2 by (apply Rmult_lt_0_compat; lra).
  assert (0 < q * q * (q * q)) as Q4 by (apply Rmult_lt_0_compat; lra).
  assert (0 < q * q * q) as Q3 by (apply Rmult_lt_0_compat; lra).
  assert (ln (q * q) = - e) as L2 by (rewrite ln_mult; lra).
  assert (ln (q * q * q) = - (3 / 2 * e)) as L3 by (rewrite ln_mult; lra).
  assert (ln (/ (q * q)) < ln (2 / (q * q + q * q * (q * q))) < ln (/ (q * q * q))) as [A B].
  { assert (0 < q * q * (1 - q * q)).
    { apply Rmult_lt_0_compat; [lra|]. assert (0 < (1 - q) * (1 + q)) by (apply Rmult_lt_0_compat; lra). lra. }
    assert (0 < q * q * ((1 - q) * (1 - q))).
    { apply Rmult_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra. }
    assert (0 < / (q * q)) by (apply Rinv_0_lt_compat; lra).
    assert (0 < 2 / (q * q + q * q * (q * q))) by (apply over_positive; lra).
    split; apply ln_increasing; auto.
    - apply Rmult_lt_reg_r with (q * q * (q * q + q * q * (q * q))); [apply Rmult_lt_0_compat; lra|].
      replace (/ (q * q) * (q * q * (q * q + q * q * (q * q)))) with (q * q + q * q * (q * q)) by (field; lra).
      replace (2 / (q * q + q * q * (q * q)) * (q * q * (q * q + q * q * (q * q)))) with (2 * (q * q))
        by (field; lra). lra.
    - apply Rmult_lt_reg_r with (q * q * q * (q * q + q * q * (q * q))); [apply Rmult_lt_0_compat; lra|].
      replace (/ (q * q * q) * (q * q * q * (q * q + q * q * (q * q)))) with (q * q + q * q * (q * q))
        by (field; lra).
      replace (2 / (q * q + q * q * (q * q)) * (q * q * q * (q * q + q * q * (q * q)))) with (2 * (q * q * q))
        by (field; lra). lra. }
  rewrite ln_Rinv in A, B by lra. split; apply Rlt_gt || idtac.
  - apply Rmult_lt_reg_r with e; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold Rdiv in A. lra.
  - apply Rmult_lt_reg_r with e; [lra|].
    replace (ln (2 / (q * q + q * q * (q * q))) / e * e) with (ln (2 / (q * q + q * q * (q * q)))) by (field; lra).
    lra.
Qed.

(* disproves: cor-4.4.1-final *)
Theorem cor_4_4_1_final : s_cor_4_4_1_final_false.
Proof.
  intros F. pose proof (F 1 ltac:(lra)) as A. pose proof (F 2 ltac:(lra)) as C.
  assert (forall x, ln (2 / exp x) = ln 2 - x) as L.
  { intros x. unfold Rdiv. rewrite <- exp_Ropp, ln_mult, ln_exp; [lra|lra|apply exp_pos]. }
  rewrite L in A, C. lra.
Qed.

Lemma quantile x d : 0 < d < 1 -> 1 <= x ->
  1 - (F_lap 1 (ln (x / d)) - F_lap 1 (- ln (x / d))) = d / x.
Proof.
  intros D X. pose proof (ln_positive _ (over_above x d D X)).
  rewrite F_right, F_left by lra. rewrite !over_1, ln_quotient by lra. lra.
Qed.

(* proves: lap-dilation-quantile *)
Theorem lap_dilation_quantile : s_lap_dilation_quantile.
Proof. intros d P L. apply quantile; lra. Qed.

(* proves: lap-dilation-15 *)
Theorem lap_dilation_15 : s_lap_dilation_15.
Proof. intros d P L. apply quantile; lra. Qed.

Lemma one_bin e j : 0 < e -> 0 <= j ->
  F_lap (2 / e) (j + 1) - F_lap (2 / e) j = (exp (- (j * e / 2)) - exp (- ((j + 1) * e / 2))) / 2.
Proof.
  intros E J. assert (0 < 2 / e) by (apply over_positive; lra).
  rewrite !F_right by lra. rewrite !half_times by lra.
  replace (- (j + 1) * e / 2) with (- ((j + 1) * e / 2)) by field.
  replace (- j * e / 2) with (- (j * e / 2)) by field. lra.
Qed.

(* disproves: lap-half-split *)
Theorem lap_half_split : s_lap_half_split_false.
Proof.
  intros F. specialize (F 2 1%Z ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite one_bin in F by lra.
  assert (exp (- ((1 + 1) * 2 / 2)) < exp (- (1 * 2 / 2))) by (apply exp_increasing; lra). lra.
Qed.

(* disproves: lap-floor *)
Theorem lap_floor : s_lap_floor_false.
Proof.
  intros F. specialize (F 2 1%Z ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite one_bin in F by lra. replace (- (1) + 1) with 0 in F by lra.
  rewrite (F_left _ 0), (F_left _ (- (1))) in F by lra.
  replace (0 / (2 / 2)) with 0 in F by field. replace (- (1) / (2 / 2)) with (- (1)) in F by field.
  replace (- (1 * 2 / 2)) with (- (1)) in F by lra.
  replace (- ((1 + 1) * 2 / 2)) with (2 * - (1)) in F by lra.
  replace (- (1) * 2 / 2) with (- (1)) in F by lra.
  replace (- (1 + 1) * 2 / 2) with (2 * - (1)) in F by lra.
  rewrite exp_twice, exp_0 in F. assert (0 < exp (- (1)) < 1) as Q by (apply exp_below_1; lra).
  assert (0 < (1 - exp (- (1))) * (1 - exp (- (1)))) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* proves: thm-4.4 *)
Theorem thm_4_4 : s_thm_4_4.
Proof.
  intros e f k c E K C A. replace (ln (1 / exp (- f * e)) / e) with f; [exact A|].
  unfold Rdiv. rewrite Rmult_1_l, <- exp_Ropp, ln_exp. field. lra.
Qed.

(* disproves: thm-4.4-gamma *)
Theorem thm_4_4_gamma : s_thm_4_4_gamma_false.
Proof.
  intros F. specialize (F 1 1 ltac:(lra) ltac:(lra)). pose proof (exp_ineq1 (1 * 1)). lra.
Qed.

(* proves: utility-table-LSHist-k *)
Theorem utility_table_LSHist_k : s_utility_table_LSHist_k.
Proof.
  intros e d E P L. replace (- (ln (1 / d) / e) * e) with (- ln (1 / d)) by (field; lra).
  rewrite ln_quotient by lra. lra.
Qed.

(* proves: utility-table-LSZhang-k *)
Theorem utility_table_LSZhang_k : s_utility_table_LSZhang_k.
Proof.
  intros e d E P L. set (w := sqrt (1 - d)).
  assert (w * w = 1 - d) as W by (apply sqrt_sqrt; lra).
  assert (0 < w < 1) as R. { split; [apply sqrt_lt_R0; lra|]. rewrite <- sqrt_1. apply sqrt_lt_1_alt. lra. }
  replace (2 - d - 2 * w) with ((1 - w) * (1 - w)) by lra.
  assert (0 < / (1 - w)) by (apply Rinv_0_lt_compat; lra).
  replace (1 / ((1 - w) * (1 - w))) with (/ (1 - w) * / (1 - w)) by (field; lra).
  rewrite ln_mult by auto.
  replace (- ((ln (/ (1 - w)) + ln (/ (1 - w))) / e) * e / 2) with (- ln (/ (1 - w))) by (field; lra).
  rewrite exp_Ropp, exp_ln, Rinv_inv by auto. simpl. lra.
Qed.

Lemma scaled_abs l z : Rabs (exp l * z) = exp l * Rabs z.
Proof. rewrite Rabs_mult, (Rabs_pos_eq (exp l)); [reflexivity|left; apply exp_pos]. Qed.

(* proves: lap-dilation-9 *)
Theorem lap_dilation_9 : s_lap_dilation_9.
Proof.
  intros l z. rewrite scaled_abs. replace (Rabs z * (1 - exp l)) with (- (exp l * Rabs z) + Rabs z) by ring.
  rewrite exp_plus, (exp_Ropp (Rabs z)). pose proof (exp_pos (Rabs z)). field. lra.
Qed.

(* proves: lap-dilation-10 *)
Theorem lap_dilation_10 : s_lap_dilation_10.
Proof. intros l L. pose proof (exp_ineq1 l). lra. Qed.

(* proves: lap-dilation-11 *)
Theorem lap_dilation_11 : s_lap_dilation_11.
Proof.
  intros l z L. rewrite (Rabs_left l) by lra. pose proof (exp_ineq1 l). pose proof (Rabs_pos z).
  assert (Rabs z * (1 - exp l) <= Rabs z * - l) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* proves: lap-dilation-4 *)
Theorem lap_dilation_4 : s_lap_dilation_4.
Proof.
  intros l z L. rewrite lap_dilation_9. assert (1 < exp l) by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (Rabs_pos z). assert (0 <= Rabs z * (exp l - 1)) by (apply Rmult_le_pos; lra).
  assert (exp (Rabs z * (1 - exp l)) <= exp 0) as M by (apply exp_monotone; lra). rewrite exp_0 in M.
  apply Rle_trans with (exp l * 1); [|lra]. apply Rmult_le_compat_l; lra.
Qed.

(* proves on: lap-dilation-1 *)
Theorem lap_dilation_1 : s_lap_dilation_1_smaller.
Proof.
  intros l z L Z. rewrite scaled_abs. assert (1 < exp l) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (0 < Rabs z) by (apply Rabs_pos_lt; exact Z).
  assert (0 < Rabs z * (exp l - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (exp (- (exp l * Rabs z)) < exp (- Rabs z)) by (apply exp_increasing; lra). lra.
Qed.

(* disproves: lap-dilation-1 *)
Theorem lap_dilation_1_fails : s_lap_dilation_1_false.
Proof. intros F. specialize (F 1 0 ltac:(lra)). rewrite Rmult_0_r in F. lra. Qed.

Lemma below_half e l x : 0 < e -> 1 <= ln x -> l <= e / (2 * ln x) -> l <= e / 2.
Proof.
  intros E A L. apply Rle_trans with (1 := L). apply Rmult_le_reg_r with (2 * ln x); [lra|].
  replace (e / (2 * ln x) * (2 * ln x)) with (e * 1) by (field; lra).
  replace (e / 2 * (2 * ln x)) with (e * ln x) by field. apply Rmult_le_compat_l; lra.
Qed.

(* proves: lap-dilation-5 *)
Theorem lap_dilation_5 : s_lap_dilation_5.
Proof.
  intros e d l E P D _ L. apply below_half with (3 / d); auto.
  rewrite <- (ln_exp 1). left. apply ln_increasing; [apply exp_pos|].
  apply Rle_lt_trans with (1 := exp_le_3). apply Rmult_lt_reg_r with d; [lra|].
  replace (3 / d * d) with 3 by (field; lra). lra.
Qed.

(* proves on: lap-dilation-6 *)
Theorem lap_dilation_6 : s_lap_dilation_6_smaller.
Proof.
  intros e d l E P D _ L S. apply below_half with (2 / d); auto.
  rewrite <- (ln_exp 1). apply ln_monotone; [apply exp_pos|]. apply Rmult_le_reg_r with d; [lra|].
  replace (2 / d * d) with 2 by (field; lra). lra.
Qed.

(* disproves: lap-dilation-6 *)
Theorem lap_dilation_6_fails : s_lap_dilation_6_false.
Proof.
  intros F. assert (0 < ln (2 / (8 / 9))) as P by (apply ln_positive; lra).
  assert (ln (2 / (8 / 9)) < 1) as L.
  { rewrite <- (ln_exp 1). apply ln_increasing; [lra|]. replace 1 with (2 * (1 / 2)) by lra.
    rewrite exp_twice. pose proof (exp_ineq1 (1 / 2) ltac:(lra)).
    assert (3 / 2 * (3 / 2) < exp (1 / 2) * exp (1 / 2)) by (apply Rmult_gt_0_lt_compat; lra). lra. }
  set (m := ln (2 / (8 / 9))) in *. assert (0 < 2 / (2 * m)) by (apply over_positive; lra).
  specialize (F 2 (8 / 9) (2 / (2 * m)) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  fold m in F. specialize (F (Rle_refl _)).
  assert (2 / (2 * m) * m <= 2 / 2 * m) as M by (apply Rmult_le_compat_r; lra).
  replace (2 / (2 * m) * m) with 1 in M by (field; lra). lra.
Qed.

(* proves: lap-decay-comparison *)
Theorem lap_decay_comparison : s_lap_decay_comparison.
Proof.
  intros n _ N. assert (forall k, 8 ^ k <= IZR n ^ k) as P by (intros k; apply pow_incr; lra).
  pose proof (P 1%nat). pose proof (P 2%nat). pose proof (P 3%nat). pose proof (P 4%nat).
  pose proof (P 5%nat). pose proof (P 6%nat). pose proof (P 7%nat). pose proof (P 8%nat).
  repeat split; lra.
Qed.

(* disproves: lap-group *)
Theorem lap_group : s_lap_group_false.
Proof. exact lap_floor. Qed.

(* disproves: lap-dilation-3 *)
Theorem lap_dilation_3 : s_lap_dilation_3_false.
Proof.
  intros F. specialize (F 1 0 1 0 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (exp_ineq1 1 ltac:(lra)) as E. rewrite !Rmult_0_r, !Rmult_1_r, Rabs_R0, Ropp_0, exp_0 in F.
  rewrite !F_right in F by lra. rewrite !over_1, Ropp_0, exp_0 in F.
  assert (0 < exp (- (1)) < 1) as Q by (apply exp_below_1; lra). pose proof (exp_pos (- exp 1)).
  assert (exp 1 * exp (- (1)) = 1) as P by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply (f_equal (fun x => x * (1 - exp (- (1)) / 2 - (1 - 1 / 2)))) in F.
  unfold Rdiv at 1 in F. rewrite Rmult_assoc, Rinv_l in F by lra. lra.
Qed.

(* proves: lap-dilation-14 *)
Theorem lap_dilation_14 : s_lap_dilation_14.
Proof.
  intros e d l z E P D L B Z. rewrite (Rabs_left l) by lra.
  pose proof (ln_positive _ (over_above 2 d ltac:(lra) ltac:(lra))) as A.
  assert (ln (2 / d) < ln (3 / d)) as M.
  { apply ln_increasing; [apply over_positive; lra|]. apply Rmult_lt_compat_r; [|lra].
    apply Rinv_0_lt_compat. lra. }
  set (x := ln (2 / d)) in *. set (y := ln (3 / d)) in *. repeat split.
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_l; lra.
  - apply Rmult_le_reg_r with (2 * y); [lra|].
    replace (x * (e / (2 * y)) * (2 * y)) with (e * x) by (field; lra).
    replace (e / 2 * (2 * y)) with (e * y) by field. apply Rmult_le_compat_l; lra.
Qed.
