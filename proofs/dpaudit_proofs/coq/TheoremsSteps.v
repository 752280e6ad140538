(** Typed statements about β, dilation, sliding, and the printed arguments' steps. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Density Words Stated TheoremsNoise.
Open Scope R_scope.

(* proves: beta-positive *)
Theorem beta_positive : s_beta_positive.
Proof.
  intros e d n _ E P L N. pose proof (Density.beta_positive e E d (IZR n + 1) ltac:(lra) ltac:(lra)) as B.
  unfold beta in B. lra.
Qed.

(* proves: beta-bound *)
Theorem beta_bound : s_beta_bound.
Proof.
  intros e d l n _ E P L N A B.
  exact (Density.beta_bound e E d (IZR n + 1) ltac:(lra) ltac:(lra) l (conj A B)).
Qed.

(* disproves: dilation-negative-1 *)
Theorem dilation_negative_1 : s_dilation_negative_1_false.
Proof. intros F. specialize (F (-1) ltac:(lra)). pose proof (exp_below_1 (-1)). lra. Qed.

(* proves on: dilation-negative-2 *)
Theorem dilation_negative_2 : s_dilation_negative_2_smaller.
Proof.
  intros l c s e L C S E T. pose proof (exp_below_1 l L).
  assert (exp (e * c / (2 * s)) <= exp (e * exp l * c / (2 * s))) as M.
  { apply exp_monotone. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    assert (0 <= e * - c * (1 - exp l)); [|lra]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra. }
  pose proof (exp_pos (e * exp l * c / (2 * s))). apply Rle_trans with 1; [|lra].
  apply Rmult_le_reg_r with (exp (e * exp l * c / (2 * s))); [auto|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* disproves: dilation-negative-2 *)
Theorem dilation_negative_2_fails : s_dilation_negative_2_false.
Proof.
  intros F. specialize (F (-1) 0 1 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite !Rmult_0_r in F. replace (0 / (2 * 1)) with 0 in F by field. rewrite exp_0 in F. lra.
Qed.

(* disproves: dilation-negative-3 *)
Theorem dilation_negative_3 : s_dilation_negative_3_false.
Proof.
  intros F. specialize (F (-1) 0 1 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite Rmult_0_r, Rmult_0_l in F. lra.
Qed.

(* proves: sliding-density *)
Theorem sliding_density : s_sliding_density.
Proof.
  intros s d S N e delta E D P Q L.
  assert (exp (e * s / (2 * S)) <= exp (e / 2) * exp (e * (s + d) / (2 * S))) as M.
  { rewrite <- exp_plus. apply exp_monotone. assert (0 <= e * (d + S)) by (apply Rmult_le_pos; lra).
    apply Rmult_le_reg_r with (2 * S); [lra|].
    replace (e * s / (2 * S) * (2 * S)) with (e * s) by (field; lra).
    replace ((e / 2 + e * (s + d) / (2 * S)) * (2 * S)) with (e * S + e * (s + d)) by (field; lra). lra. }
  assert (exp (e * s / (2 * S)) / N <= exp (e / 2) * exp (e * (s + d) / (2 * S)) / N).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact M]. }
  replace (exp (e / 2) * exp (e * (s + d) / (2 * S)) / N) with (exp (e / 2) * (exp (e * (s + d) / (2 * S)) / N))
    in H by (field; lra). lra.
Qed.

(* proves on: lemma-2.3-delta *)
Theorem lemma_2_3_delta : s_lemma_2_3_delta_smaller.
Proof.
  intros e d E P L S. pose proof (exp_monotone (e / 2) (ln 2) ltac:(lra)) as M.
  rewrite exp_ln in M by lra.
  assert (exp (e / 2) * d <= 2 * d) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* disproves: lemma-2.3-delta *)
Theorem lemma_2_3_delta_fails : s_lemma_2_3_delta_false.
Proof.
  intros F. specialize (F 4 (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
  pose proof (exp_ineq1 (4 / 2) ltac:(lra)). lra.
Qed.

(* proves: em-local-step-6 *)
Theorem em_local_step_6 : s_em_local_step_6.
Proof. intros best ux uy sy **. split; lra. Qed.

(* proves: em-local-step-7 *)
Theorem em_local_step_7 : s_em_local_step_7.
Proof. intros sx sy **. lra. Qed.

(* proves: em-local-step-8 *)
Theorem em_local_step_8 : s_em_local_step_8.
Proof. intros sx sy **. lra. Qed.

Lemma step_9 sx sy : 0 < sy -> sy < sx -> - sy * (sy - sx) < 2 * sx * sy.
Proof.
  intros P L. assert (0 < sy * (sx + sy)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* proves: em-local-step-9 *)
Theorem em_local_step_9 : s_em_local_step_9.
Proof. exact step_9. Qed.

(* proves: em-local-step-10 *)
Theorem em_local_step_10 : s_em_local_step_10.
Proof. intros sx sy uy P L ->. apply step_9; auto. Qed.

(* proves: I-base-polynomial *)
Theorem I_base_polynomial : s_I_base_polynomial.
Proof.
  intros n. assert ((n - 1) ^ 2 * (n + 2) * (n + 4) - (n + 3) ^ 2 * n * (n - 2) = 8 * (n + 1)) by ring.
  destruct (Rlt_dec (-1) n); [left|right]; lra.
Qed.

(** √(1 − π/4) is below 1/2. *)
Lemma constant_small : 0 < sqrt (1 - PI / 4) < 1 / 2.
Proof.
  pose proof PI_RGT_0. pose proof PI2_3_2. pose proof PI_4 as F.
  assert (PI < 4) as L. { pose proof (PI_ineq 1) as [_ B]. unfold tg_alt, PI_tg in B. simpl in B. lra. }
  split; [apply sqrt_lt_R0; lra|].
  replace (1 / 2) with (sqrt (1 / 2 * (1 / 2))) by (apply sqrt_square; lra). apply sqrt_lt_1_alt. lra.
Qed.

Lemma more_than_budget : exp (- (1) / (2 * sqrt (1 - PI / 4))) < exp (- (1)).
Proof.
  pose proof constant_small. apply exp_increasing. apply Rmult_lt_reg_r with (2 * sqrt (1 - PI / 4)); [lra|].
  replace (- (1) / (2 * sqrt (1 - PI / 4)) * (2 * sqrt (1 - PI / 4))) with (- (1)) by (field; lra). lra.
Qed.

(* disproves: cor-4.5.3-step *)
Theorem cor_4_5_3_step : s_cor_4_5_3_step_false.
Proof. intros F. specialize (F 1 ltac:(lra)). pose proof more_than_budget. lra. Qed.

(* disproves: thm-4.5-EHD-step *)
Theorem thm_4_5_EHD_step : s_thm_4_5_EHD_step_false.
Proof. intros F. specialize (F 1 ltac:(lra)). pose proof more_than_budget. lra. Qed.

(* disproves: thm-4.5-EHD-lower-step *)
Theorem thm_4_5_EHD_lower_step_fails : s_thm_4_5_EHD_lower_step_false.
Proof.
  intros F. specialize (F 1 1 ltac:(lra) ltac:(lra) ltac:(lra)). rewrite Rmult_1_r in F.
  pose proof more_than_budget. lra.
Qed.

(* proves on: thm-4.5-EHD-lower-step *)
Theorem thm_4_5_EHD_lower_step : s_thm_4_5_EHD_lower_step_smaller.
Proof.
  intros e tau E P L S. pose proof constant_small. apply exp_increasing.
  apply Rmult_lt_reg_r with (2 * sqrt (1 - PI / 4)); [lra|].
  replace (- e * tau / (2 * sqrt (1 - PI / 4)) * (2 * sqrt (1 - PI / 4))) with (- (e * tau)) by (field; lra).
  assert (0 < e * (2 * sqrt (1 - PI / 4) - tau)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* disproves: basics-density *)
Theorem basics_density : s_basics_density_false.
Proof.
  intros G gamma F. specialize (F 1 1 ltac:(lra) ltac:(lra)).
  replace (1 + 1 + 2) with (1 + 1 + 1 + 1) in F by ring.
  rewrite !(gamma_step G gamma) in F by lra. pose proof (gamma_pos G gamma 1 ltac:(lra)) as P.
  set (g := G 1) in *.
  replace (1 * g * (1 * g) / ((1 + 1 + 1) * ((1 + 1) * (1 * g)))) with (g / 6) in F by (field; lra).
  replace (g * g / (1 * g)) with g in F by (field; lra). lra.
Qed.
