(** Typed statements that fail at a point, and what holds of them. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values.
Open Scope R_scope.

Ltac point F := repeat specialize (F ltac:(lra)).

(* disproves: thm-4.5-candidates *)
Theorem thm_4_5_candidates : s_thm_4_5_candidates_false.
Proof.
  intros G gamma F. specialize (F 2%Z 0%Z). point F.
  rewrite (distance_is G _ _ _ _ (1 / 2) (1 / 3)) in F; try (unfold B; by_values gamma).
  apply sqrt_eq_0 in F; pose proof (quotient_order (1 / 2) (1 / 3) 1 1);
    rewrite sqrt_1 in *; lra.
Qed.

(* disproves: cor-4.4.1-notation *)
Theorem cor_4_4_1_notation : s_cor_4_4_1_notation_false.
Proof.
  intros G gamma F. specialize (F 4%Z 2%Z 0%Z). point F.
  rewrite flat_right in F by (auto; lra). pose proof pi_bounds.
  rewrite (distance_is G _ _ _ _ (1 / 12) (1 / 90)) in F; try (unfold B; by_values gamma).
  rewrite (distance_is G _ _ _ _ (PI * 3 / 256) (1 / 600)) in F; try (unfold B; by_values gamma).
  pose proof (distance_order (1 / 12) (1 / 90) (PI * 3 / 256) (1 / 600)). nra.
Qed.

(* disproves: lap-half-split-table *)
Theorem lap_half_split_table : s_lap_half_split_table_false.
Proof.
  intros F. rewrite (F_right _ 2), (F_right _ 1), (F_right _ 0), (F_left _ (- (1))) in F by lra.
  replace (- (2) / (5 / 2)) with (2 * - (2 / 5)) in F by field. rewrite exp_twice in F.
  replace (- (1) / (5 / 2)) with (- (2 / 5)) in F by field. replace (- 0 / (5 / 2)) with 0 in F by field.
  rewrite exp_0 in F. pose proof (exp_ineq1 (2 / 5) ltac:(lra)) as E.
  assert (exp (2 / 5) * exp (- (2 / 5)) = 1) as P by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos (- (2 / 5))). apply Rabs_def2 in F || idtac.
  pose proof (Rle_abs (1 - exp (- (2 / 5)) * exp (- (2 / 5)) / 2 - (1 - exp (- (2 / 5)) / 2) + (1 - 1 / 2) -
    exp (- (2 / 5)) / 2 - 220991081918 / 10 ^ 12)).
  assert (exp (- (2 / 5)) < 5 / 7) by nra. nra.
Qed.

(* disproves: smooth-sensitivity-L *)
Theorem smooth_sensitivity_L : s_smooth_sensitivity_L_false.
Proof.
  intros G gamma F.
  set (s1 := local_sensitivity G 1 1 1 (4 - 1)). set (s2 := local_sensitivity G 1 1 2 (4 - 2)).
  assert (s2 < s1) as L.
  { unfold s1, s2. rewrite (flat_left G 4 1), (flat_left G 4 2) by (auto; lra). rewrite (distance_comm G (2 + 1)).
    replace (2 + 1) with 3 by lra. replace (1 + 1) with 2 by lra. replace (4 - 2 + 1) with 3 by lra.
    replace (4 - 2 + 2) with 4 by lra. replace (4 - 1 + 1) with 4 by lra. replace (4 - 1 + 2) with 5 by lra.
    inner 1 3. }
  assert (0 <= s2) as N.
  { unfold s2. rewrite (flat_left G 4 2) by (auto; lra). apply distance_nonneg. }
  assert (ln (1 / 2 / (2 * (4 + 1))) < 0) as M.
  { rewrite <- ln_1. apply ln_increasing; lra. }
  set (l := ln (1 / 2 / (2 * (4 + 1)))) in *.
  set (e := - l * (s1 - s2) / (s2 + 1)).
  assert (0 < e) as E.
  { apply over_positive; [|lra]. apply Rmult_lt_0_compat; lra. }
  specialize (F e (1 / 2) 4%Z 1%Z). point F. fold l in F.
  assert (1 - e / (2 * l) = 1 + (s1 - s2) / (2 * (s2 + 1))) as Q by (unfold e; field; lra).
  rewrite Q in F.
  assert (0 < (s1 - s2) / (2 * (s2 + 1))) by (apply over_positive; lra).
  rewrite exp_ln in F by lra. replace (4 - 1 - 1) with (4 - 2) in F by lra. replace (1 + 1) with 2 in F by lra.
  fold s1 s2 in F.
  assert ((s1 - s2) / (2 * (s2 + 1)) * s2 < s1 - s2); [|lra].
  apply Rmult_lt_reg_r with (2 * (s2 + 1)); [lra|].
  replace ((s1 - s2) / (2 * (s2 + 1)) * s2 * (2 * (s2 + 1))) with ((s1 - s2) * s2) by (field; lra).
  assert (0 < (s1 - s2) * (s2 + 2)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* disproves: utility-table-EHD-k *)
Theorem utility_table_EHD_k : s_utility_table_EHD_k_false.
Proof.
  intros F. specialize (F 1 (1 / 4) 4%Z). point F.
  pose proof (exp_below_1 (- (1)) ltac:(lra)). nra.
Qed.

(* disproves: steps-distance *)
Theorem steps_distance_fails : s_steps_distance_false.
Proof.
  intros G gamma F. specialize (F 1 1 4%Z 1%Z 1%Z). point F. revert F. apply Rlt_not_eq. inner 1 3.
Qed.

(* disproves: beta-captions *)
Theorem beta_captions : s_beta_captions_false.
Proof.
  intros F. destruct F as (_ & _ & F).
  assert (ln (4 / 10 / 151) < - (581 / 100)) as L.
  { apply log_below; [lra|]. rewrite exp_Ropp.
    pose proof (exp_upper 31 (581 / 800) ltac:(lra) ltac:(simpl; lra)) as U. simpl in U.
    assert (exp (581 / 800) <= 2085 / 1000) as W by lra. clear U.
    assert (exp (581 / 100) < 377) as V.
    { replace (581 / 100) with (2 * (2 * (2 * (581 / 800)))) by field. rewrite !exp_twice.
      pose proof (exp_pos (581 / 800)). set (x := exp (581 / 800)) in *.
      assert (x * x <= 2085 / 1000 * (2085 / 1000)) by (apply Rmult_le_compat; lra).
      assert (0 < x * x) by (apply Rmult_lt_0_compat; lra).
      assert (x * x * (x * x) <= 2085 / 1000 * (2085 / 1000) * (2085 / 1000 * (2085 / 1000)))
        by (apply Rmult_le_compat; lra).
      assert (0 < x * x * (x * x)) by (apply Rmult_lt_0_compat; lra).
      assert (x * x * (x * x) * (x * x * (x * x)) <= 1890 / 100 * (1890 / 100)) by (apply Rmult_le_compat; lra).
      lra. } pose proof (exp_pos (581 / 100)).
    apply Rmult_lt_reg_r with (exp (581 / 100)); [auto|]. rewrite Rinv_l by lra. nra. }
  set (l := ln (4 / 10 / 151)) in *.
  assert (4 / 10 / - l < 4 / 10 / (581 / 100)) as M.
  { apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [nra|lra]. }
  replace (1 - 4 / 10 / l) with (1 + 4 / 10 / - l) in F by (field; lra).
  assert (0 < 4 / 10 / - l) by (apply over_positive; lra).
  assert (ln (1 + 4 / 10 / - l) < 6777 / 100000).
  { apply log_below; [lra|]. pose proof (exp_above (6777 / 100000) ltac:(lra)). lra. }
  pose proof (Rle_abs (- (ln (1 + 4 / 10 / - l) - 677791100173 / 10 ^ 13))) as A. rewrite Rabs_Ropp in A. lra.
Qed.

(** The printed lines of the induction of Statement I, at n = 6 and m = 0. *)
(* disproves: I-induction-dropped *)
Theorem I_induction_dropped : s_I_induction_dropped_false.
Proof.
  intros G gamma F. specialize (F 3%Z 6%Z 0%Z). point F. pose proof pi_bounds.
  match type of F with ?a / sqrt ?b > ?c / sqrt ?b =>
    replace a with (9 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace c with (33 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace b with (1 / 4410) in F by (symmetry; by_values gamma) end.
  assert (0 < / sqrt (1 / 4410)) by (apply Rinv_0_lt_compat; apply sqrt_lt_R0; lra).
  unfold Rdiv at 1 4 in F. apply Rgt_lt in F. apply Rmult_lt_reg_r in F; lra.
Qed.

(* disproves: I-induction-known *)
Theorem I_induction_known : s_I_induction_known_false.
Proof.
  intros G gamma F. specialize (F 3%Z 6%Z 0%Z). point F. pose proof pi_bounds.
  match type of F with ?a / sqrt ?b > ?c / sqrt ?d =>
    replace a with (5 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace c with (9 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace b with (1 / 5880) in F by (symmetry; by_values gamma);
    replace d with (1 / 13230) in F by (symmetry; by_values gamma) end.
  pose proof (quotient_order (5 / 2048 * PI) (1 / 5880) (9 / 2048 * PI) (1 / 13230)). nra.
Qed.

(* disproves: I-induction-factors *)
Theorem I_induction_factors : s_I_induction_factors_false.
Proof.
  intros G gamma F. specialize (F 3%Z 6%Z 0%Z). point F. pose proof pi_bounds. destruct F as [F _].
  rewrite (distance_squared G _ _ _ _ (5 / 2048 * PI) (1 / 14700)) in F; try lra; auto;
    try (unfold B; by_values gamma).
  match type of F with ?a / sqrt ?b = _ =>
    replace a with (5 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace b with (1 / 5880) in F by (symmetry; by_values gamma) end.
  pose proof (quotient_order (5 / 2048 * PI) (1 / 5880) (5 / 2048 * PI) (1 / 14700)). nra.
Qed.

(* disproves: I-induction-distance *)
Theorem I_induction_distance : s_I_induction_distance_false.
Proof.
  intros G gamma F. specialize (F 3%Z 6%Z 0%Z). point F. pose proof pi_bounds.
  rewrite (distance_squared G _ _ _ _ (33 / 2048 * PI) (1 / 294)) in F; try lra; auto;
    try (unfold B; by_values gamma).
  match type of F with 1 - ?a / sqrt ?b = _ =>
    replace a with (33 / 2048 * PI) in F by (symmetry; by_values gamma);
    replace b with (1 / 4410) in F by (symmetry; by_values gamma) end.
  pose proof (quotient_order (33 / 2048 * PI) (1 / 294) (33 / 2048 * PI) (1 / 4410)). nra.
Qed.

(** Exponential mechanisms, at one and two records. *)
Lemma first_distance G : is_gamma G -> 0 < distance G 1 3 2 2 < distance G 1 3 3 1.
Proof.
  intros gamma. pose proof pi_bounds.
  rewrite (distance_is G 1 3 2 2 (PI / 16) (1 / 18)); try (unfold B; by_values gamma).
  rewrite (distance_is G 1 3 3 1 (1 / 6) (1 / 9)); try (unfold B; by_values gamma).
  pose proof (distance_order (1 / 6) (1 / 9) (PI / 16) (1 / 18)).
  pose proof (distance_order (PI / 16) (1 / 18) 1 1) as O. rewrite sqrt_1 in O.
  replace (1 - 1 / 1) with 0 in O by field. rewrite sqrt_0 in O. split; nra.
Qed.

(* disproves: em-global-step-2 *)
Theorem em_global_step_2 : s_em_global_step_2_false.
Proof.
  intros G gamma F. specialize (F 1 1 1 1%Z 0%Z 0%Z). point F.
  set (f := 1 / (2 * global_sensitivity G 1 1 1)) in *.
  pose proof (exponential_positive G f 1 1 1 0 0 ltac:(lia)) as P.
  pose proof (exponential_positive G f 1 1 1 1 0 ltac:(lia)) as Q.
  pose proof (exponential_of G f 1 1 1 1 0) as V. rewrite sum_of_two in V.
  replace (0 + 1) with 1 in F by lra. replace (1 - 0 - 1) with (1 - 1) in F by lra.
  set (p := exponential G f 1 1 0 (1 - 0) 0 (1 - 0)) in *. set (q := exponential G f 1 1 1 (1 - 1) 0 (1 - 0)) in *.
  pose proof (weight_positive G f 1 1 1 (1 - 1) 0 (1 - 0)) as W0.
  pose proof (weight_positive G f 1 1 1 (1 - 1) 1 (1 - 1)) as W1.
  set (w0 := weight G f 1 1 1 (1 - 1) 0 (1 - 0)) in *. set (w1 := weight G f 1 1 1 (1 - 1) 1 (1 - 1)) in *.
  assert (q < 1).
  { rewrite V. apply Rmult_lt_reg_r with (w0 + w1); [lra|].
    replace (w0 / (w0 + w1) * (w0 + w1)) with w0 by (field; lra). lra. }
  apply (f_equal (fun x => x * q)) in F. replace (p / q * q) with p in F by (field; lra). nra.
Qed.

(* disproves: corr-proportional *)
Theorem corr_proportional : s_corr_proportional_false.
Proof.
  intros G gamma F. specialize (F (4 / 5) (1 / 2000) 2%Z 0%Z 0%Z 1%Z). point F.
  match type of F with exponential G ?f _ _ _ _ _ _ * _ = _ =>
    pose proof (exponential_positive G f 1 1 2 0 0 ltac:(lia)) as P; set (g := f) in * end.
  replace (0 + 1) with 1 in F by lra. replace (2 - 0 + 1) with 3 in F by lra.
  replace (1 + 1) with 2 in F by lra. replace (2 - 1 + 1) with 2 in F by lra.
  rewrite (distance_self G 1 3) in F by (auto; lra). rewrite Rmult_0_r in F.
  pose proof (first_distance G gamma). nra.
Qed.
