(** Typed statements about few records: two, one of three categories, and numbers. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints.
Open Scope R_scope.

Section Two.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation near := (distance G 1 3 2 2).
Notation far := (distance G 1 3 3 1).

Lemma near_back : distance G 2 2 1 3 = near.
Proof. apply distance_comm. Qed.
Lemma near_right : distance G 2 2 3 1 = near.
Proof. rewrite distance_mirrored. apply distance_comm. Qed.
Lemma near_left : distance G 3 1 2 2 = near.
Proof. apply distance_mirrored. Qed.
Lemma far_back : distance G 3 1 1 3 = far.
Proof. apply distance_mirrored. Qed.

(** With two records under the prior (1, 1), LS is the same everywhere. *)
Lemma local_two c : (0 <= c <= 2)%Z -> local_sensitivity G 1 1 (IZR c) (2 - IZR c) = near.
Proof.
  intros C. pose proof (first_distance G gamma). unfold local_sensitivity.
  assert (c = 0 \/ c = 1 \/ c = 2)%Z as [E|[E|E]] by lia; rewrite E;
    repeat (destruct Req_EM_T; try lra).
  - rewrite Rmax_right; [|left].
    + f_equal; lra.
    + replace (1 + 0) with 1 by lra. replace (1 + (2 - 0)) with 3 by lra.
      replace (1 + 1) with 2 by lra. replace (3 - 1) with 2 by lra. lra.
  - replace (1 + 1) with 2 by lra. replace (1 + (2 - 1)) with 2 by lra.
    replace (2 - 1) with 1 by lra. replace (2 + 1) with 3 by lra.
    rewrite near_back, near_right. apply Rmax_left. lra.
  - replace (1 + 2) with 3 by lra. replace (1 + (2 - 2)) with 1 by lra.
    replace (3 - 1) with 2 by lra. replace (1 + 1) with 2 by lra. rewrite near_left. apply Rmax_left. lra.
Qed.

Lemma global_two : global_sensitivity G 1 1 2 = near.
Proof.
  unfold global_sensitivity. rewrite max_of_three, !local_two by lia.
  rewrite (Rmax_left near near), Rmax_left by lra. reflexivity.
Qed.

Lemma smooth_two beta c : (0 <= c <= 2)%Z -> 0 <= beta -> beta_smooth G 1 1 beta (IZR c) (2 - IZR c) = near.
Proof.
  intros C P. pose proof (first_distance G gamma). unfold beta_smooth.
  replace (IZR c + (2 - IZR c)) with 2 by ring. apply Rle_antisym.
  - apply (range_max_below 0 2); [lia|]. intros i I. rewrite local_two by exact I.
    assert (exp (- beta * Rabs (IZR c - IZR i)) <= exp 0) as E.
    { apply exp_monotone. pose proof (Rabs_pos (IZR c - IZR i)).
      assert (0 <= beta * Rabs (IZR c - IZR i)) by (apply Rmult_le_pos; lra). lra. }
    rewrite exp_0 in E. apply Rle_trans with (near * 1); [apply Rmult_le_compat_l; lra|lra].
  - apply Rle_trans with (local_sensitivity G 1 1 (IZR c) (2 - IZR c) * exp (- beta * Rabs (IZR c - IZR c))).
    + rewrite local_two by exact C. replace (- beta * Rabs (IZR c - IZR c)) with 0.
      * rewrite exp_0. lra.
      * replace (IZR c - IZR c) with 0 by ring. rewrite Rabs_R0. ring.
    + apply (range_max_above 0 2 c (fun i => local_sensitivity G 1 1 (IZR i) (2 - IZR i) *
        exp (- beta * Rabs (IZR c - IZR i)))). exact C.
Qed.
End Two.

(* disproves: em-global-monotone *)
Theorem em_global_monotone : s_em_global_monotone_false.
Proof.
  intros G gamma F. specialize (F 1 1 1 2%Z 0%Z 0%Z). point F. pose proof (first_distance G gamma) as D.
  rewrite (global_two G gamma) in F. set (f := 1 / distance G 1 3 2 2) in *.
  pose proof (exponential_of G f 1 1 2 0 0) as V. pose proof (exponential_of G f 1 1 2 1 0) as W.
  rewrite sum_of_three in V, W. replace (0 + 1) with 1 in F by lra.
  replace (2 - 0 - 1) with (2 - 1) in F by lra. rewrite V, W in F. clear V W. unfold weight in F.
  replace (1 + 0) with 1 in F by lra. replace (1 + (2 - 0)) with 3 in F by lra.
  replace (1 + 1) with 2 in F by lra. replace (1 + (2 - 1)) with 2 in F by lra.
  replace (1 + 2) with 3 in F by lra. replace (1 + (2 - 2)) with 1 in F by lra.
  rewrite (near_back G), (near_right G), !(distance_self G) in F by (auto; lra).
  rewrite Rmult_0_r, exp_0 in F.
  assert (- f * distance G 1 3 2 2 = - (1)) as Q by (unfold f; field; lra).
  assert (- f * distance G 1 3 3 1 < - (1)) as M.
  { assert (0 < f) by (apply over_positive; lra).
    assert (f * distance G 1 3 2 2 < f * distance G 1 3 3 1) by (apply Rmult_lt_compat_l; lra). lra. }
  rewrite Q in F. apply exp_increasing in M. pose proof (exp_pos (- f * distance G 1 3 3 1)).
  pose proof (exp_pos (- (1))). assert (exp 1 * exp (- (1)) = 1) as E by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  set (q := exp (- (1))) in *. set (t := exp (- f * distance G 1 3 3 1)) in *.
  replace (exp 1 * (q / (q + 1 + q))) with (exp 1 * q / (q + 1 + q)) in F by (field; lra).
  rewrite E in F. apply (Rmult_le_compat_r ((1 + q + t) * (q + 1 + q))) in F; [|left; apply Rmult_lt_0_compat; lra].
  replace (1 / (1 + q + t) * ((1 + q + t) * (q + 1 + q))) with (q + 1 + q) in F by (field; lra).
  replace (1 / (q + 1 + q) * ((1 + q + t) * (q + 1 + q))) with (1 + q + t) in F by (field; lra). lra.
Qed.

(* disproves: dilation-event *)
Theorem dilation_event : s_dilation_event_false.
Proof.
  intros G gamma F. specialize (F 10 (1 / 2) 2 2%Z 2%Z 0%Z). pose proof (first_distance G gamma) as D.
  assert (- (5) < ln (1 / 2 / (2 * (2 + 1))) < 0) as [L U].
  { split; [|rewrite <- ln_1; apply ln_increasing; lra]. apply log_above; [lra|]. rewrite exp_Ropp.
    pose proof (exp_above 5 ltac:(lra)). pose proof (exp_pos 5).
    apply Rmult_lt_reg_r with (exp 5); [auto|]. rewrite Rinv_l by lra. lra. }
  set (l := ln (1 / 2 / (2 * (2 + 1)))) in *.
  assert (2 <= 1 - 10 / (2 * l)) as E.
  { replace (10 / (2 * l)) with (- (10 / (2 * - l))) by (field; lra).
    assert (1 <= 10 / (2 * - l)); [|lra]. apply Rmult_le_reg_r with (2 * - l); [lra|].
    replace (10 / (2 * - l) * (2 * - l)) with 10 by (field; lra). lra. }
  assert (0 <= ln (1 - 10 / (2 * l))) as P by (rewrite <- ln_1; apply ln_monotone; lra).
  rewrite (smooth_two G gamma) in F by (auto; lia).
  replace (2 + 1) with 3 in F by lra. replace (2 - 2 + 1) with 1 in F by lra.
  replace (0 + 1) with 1 in F by lra. replace (2 - 0 + 1) with 3 in F by lra. rewrite (far_back G) in F.
  set (near := distance G 1 3 2 2) in *. set (far := distance G 1 3 3 1) in *.
  replace (near / (1 - 2)) with (- near) in F by field. point F.
  replace (- (10) / 2 * far * (1 - 2) / near) with (5 * far / near) in F by (field; lra).
  apply (Rmult_le_compat_r near) in F; [|lra]. replace (5 * far / near * near) with (5 * far) in F by (field; lra). lra.
Qed.

(* disproves: lemma-2.3-U1 *)
Theorem lemma_2_3_U1 : s_lemma_2_3_U1_false.
Proof.
  intros G gamma F. specialize (F 1 (1 / 2) 2%Z 2%Z 2%Z). point F. pose proof (first_distance G gamma) as D.
  assert (ln (1 / 2 / (2 * (2 + 1))) < 0) as L by (rewrite <- ln_1; apply ln_increasing; lra).
  set (l := ln (1 / 2 / (2 * (2 + 1)))) in *.
  assert (0 <= ln (1 - 1 / (2 * l))) as P.
  { rewrite <- ln_1. apply ln_monotone; [lra|]. replace (1 / (2 * l)) with (- (1 / (2 * - l))) by (field; lra).
    assert (0 < 1 / (2 * - l)) by (apply over_positive; lra). lra. }
  rewrite (smooth_two G gamma) in F by (auto; lia).
  replace (2 + 1) with 3 in F by lra. replace (2 - 2 + 1) with 1 in F by lra.
  replace (2 - 2 + 2) with 2 in F by lra. rewrite (distance_self G 3 1), (near_right G) in F by (auto; lra).
  pose proof (distance_bounds G 1 3 2 2 gamma) as N. set (near := distance G 1 3 2 2) in *.
  replace ((0 - near) / near) with (- (1)) in F by (field; lra). lra.
Qed.

(** Three categories, one record, the prior (1, 3, 2). *)
Lemma distance3_comm G a b c d e f : distance3 G a b c d e f = distance3 G d e f a b c.
Proof.
  unfold distance3. rewrite (Rplus_comm a), (Rplus_comm b), (Rplus_comm c), (Rmult_comm (B3 G a b c)). reflexivity.
Qed.

Lemma distance3_is G a b c d e f s q : B3 G ((a + d) / 2) ((b + e) / 2) ((c + f) / 2) = s ->
  B3 G a b c * B3 G d e f = q -> distance3 G a b c d e f = sqrt (1 - s / sqrt q).
Proof. intros <- <-. reflexivity. Qed.

Section Three.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation h12 := (distance3 G 1 4 2 2 3 2).
Notation h13 := (distance3 G 2 3 2 1 3 3).
Notation h23 := (distance3 G 1 4 2 1 3 3).

Lemma three_distances : 0 < h23 < h12 /\ h12 < h13.
Proof.
  pose proof pi_bounds.
  rewrite (distance3_is G 1 4 2 2 3 2 (PI / 768) (1 / 43200)); try (unfold B3; by_values gamma).
  rewrite (distance3_is G 2 3 2 1 3 3 (PI / 960) (1 / 64800)); try (unfold B3; by_values gamma).
  rewrite (distance3_is G 1 4 2 1 3 3 (PI / 512) (1 / 21600)); try (unfold B3; by_values gamma).
  pose proof (distance_order (PI / 768) (1 / 43200) (PI / 512) (1 / 21600)).
  pose proof (distance_order (PI / 960) (1 / 64800) (PI / 768) (1 / 43200)).
  pose proof (distance_order (PI / 512) (1 / 21600) 1 1) as O. rewrite sqrt_1 in O.
  replace (1 - 1 / 1) with 0 in O by field. rewrite sqrt_0 in O. repeat split; nra.
Qed.

Ltac same3 := f_equal; lra.

Lemma first_local : local_sensitivity3 G 1 3 2 1 0 0 = h13.
Proof.
  pose proof three_distances as [A B']. unfold local_sensitivity3, moved3.
  repeat (destruct Req_EM_T; try lra).
  replace (distance3 G (1 + 1) (3 + 0) (2 + 0) (1 + 1 + -1) (3 + 0 + 1) (2 + 0 + 0)) with h12
    by (rewrite distance3_comm; same3).
  replace (distance3 G (1 + 1) (3 + 0) (2 + 0) (1 + 1 + -1) (3 + 0 + 0) (2 + 0 + 1)) with h13 by same3.
  rewrite !(Rmax_left 0 0) by lra. rewrite (Rmax_right h12 h13) by lra.
  rewrite (Rmax_left h13 0) by lra. apply Rmax_left. lra.
Qed.

Lemma second_local : local_sensitivity3 G 1 3 2 0 1 0 = h12.
Proof.
  pose proof three_distances as [A B']. unfold local_sensitivity3, moved3.
  repeat (destruct Req_EM_T; try lra).
  replace (distance3 G (1 + 0) (3 + 1) (2 + 0) (1 + 0 + 1) (3 + 1 + -1) (2 + 0 + 0)) with h12 by same3.
  replace (distance3 G (1 + 0) (3 + 1) (2 + 0) (1 + 0 + 0) (3 + 1 + -1) (2 + 0 + 1)) with h23 by same3.
  rewrite !(Rmax_left 0 0) by lra. rewrite (Rmax_left h12) by lra.
  rewrite (Rmax_right 0 h12), Rmax_left; lra.
Qed.
End Three.

Ltac three gamma F :=
  let G := match type of gamma with is_gamma ?g => g end in
  pose proof (three_distances G gamma) as [? ?];
  replace (3 + 1) with 4 in F by lra; replace (1 + 1) with 2 in F by lra; replace (2 + 1) with 3 in F by lra;
  rewrite ?(first_local G gamma), ?(second_local G gamma) in F; point F.

(* disproves: em-local-step-11 *)
Theorem em_local_step_11 : s_em_local_step_11_false.
Proof.
  intros G gamma F. specialize (F 1 3 2). three gamma F.
  set (x := distance3 G 1 4 2 2 3 2) in *. set (y := distance3 G 2 3 2 1 3 3) in *.
  replace (- x / y + x / x) with (1 - x / y) in F by (field; lra).
  assert (0 < x / y) by (apply over_positive; lra). lra.
Qed.

(* disproves: em-local-step-12 *)
Theorem em_local_step_12 : s_em_local_step_12_false.
Proof.
  intros G gamma F. specialize (F 1 3 2 1). three gamma F.
  set (x := distance3 G 1 4 2 2 3 2) in *. set (y := distance3 G 2 3 2 1 3 3) in *.
  replace (1 / 2 * (- x / x + x / y)) with (1 / 2 * (x / y - 1)) in F by (field; lra).
  assert (x / y < 1).
  { apply Rmult_lt_reg_r with y; [lra|]. replace (x / y * y) with x by (field; lra). lra. }
  pose proof (exp_increasing (1 / 2 * (x / y - 1)) 1 ltac:(lra)). lra.
Qed.

(* disproves: thm-4.3-steps *)
Theorem thm_4_3_steps : s_thm_4_3_steps_false.
Proof.
  intros G gamma F. specialize (F 1 1 5%Z 3%Z 2%Z). point F. pose proof pi_bounds.
  rewrite (flat_right G 5 3) in F by (auto; lra).
  assert (distance G (1 + 3) (1 + 5 - 3) (1 + 3 + 2) (1 + 5 - 3 - 2) ^ 2 = 1 - 1 / 30 / sqrt (1 / 360)) as A.
  { apply distance_squared; auto; try lra; unfold B; by_values gamma. }
  assert (distance G (3 + 1) (5 - 3 + 1) (3 + 2) (5 - 3) ^ 2 = 1 - 7 / 1024 * PI / sqrt (1 / 1800)) as C.
  { apply distance_squared; auto; try lra; unfold B; by_values gamma. }
  pose proof (distance_nonneg G (1 + 3) (1 + 5 - 3) (1 + 3 + 2) (1 + 5 - 3 - 2)).
  pose proof (distance_nonneg G (3 + 1) (5 - 3 + 1) (3 + 2) (5 - 3)).
  set (x := distance G (1 + 3) (1 + 5 - 3) (1 + 3 + 2) (1 + 5 - 3 - 2)) in *.
  set (y := distance G (3 + 1) (5 - 3 + 1) (3 + 2) (5 - 3)) in *.
  assert (x * x <= 2 * y * (2 * y)) as M by (apply Rmult_le_compat; lra).
  pose proof (root_below (1 / 1800) (236 / 10000)) as R. pose proof (root_above (1 / 360) (527 / 10000)) as T.
  assert (0 < sqrt (1 / 1800)) by (apply sqrt_lt_R0; lra). assert (0 < sqrt (1 / 360)) by (apply sqrt_lt_R0; lra).
  assert (1 / 30 / sqrt (1 / 360) < 1 / 30 / (527 / 10000)).
  { apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra]. }
  assert (7 / 1024 * PI / (236 / 10000) < 7 / 1024 * PI / sqrt (1 / 1800)).
  { apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra]. }
  simpl in A, C. lra.
Qed.

Lemma sum_of_one f : range_sum 0 0 f = f 0%Z.
Proof. unfold range_sum. rewrite !whole_IZR. simpl. ring. Qed.

Lemma distance3_self G a b c : is_gamma G -> 0 < a -> 0 < b -> 0 < c -> distance3 G a b c a b c = 0.
Proof.
  intros gamma A B' C. unfold distance3. replace ((a + a) / 2) with a by lra. replace ((b + b) / 2) with b by lra.
  replace ((c + c) / 2) with c by lra. pose proof (gamma_pos G gamma) as P.
  assert (0 < B3 G a b c).
  { unfold B3. apply over_positive; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]|]; apply P; lra. }
  rewrite sqrt_square by lra. replace (1 - B3 G a b c / B3 G a b c) with 0 by (field; lra). apply sqrt_0.
Qed.

(** The law over the three candidates of one record. *)
Lemma three_law G f a b c x y z r s t : x + y + z = 1 -> r + s + t = 1 ->
  exponential3 G f a b c x y z r s t = weight3 G f a b c x y z r s t /
    (weight3 G f a b c x y z 0 0 1 + weight3 G f a b c x y z 0 1 0 + weight3 G f a b c x y z 1 0 0).
Proof.
  intros X R'. unfold exponential3. destruct Req_EM_T as [_|N]; [|exfalso; apply N; lra].
  rewrite X, sum_of_two. replace (1 - 0) with 1 by lra. rewrite sum_of_two.
  replace (1 - 1) with 0 by lra. rewrite sum_of_one. replace (1 - 0) with 1 by lra. replace (1 - 1) with 0 by lra.
  replace (0 - 0) with 0 by lra. reflexivity.
Qed.

(* disproves: em-local-step-13 *)
Theorem em_local_step_13 : s_em_local_step_13_false.
Proof.
  intros G gamma F. specialize (F 1 3 2 1). three gamma F. rewrite !three_law in F by lra. unfold weight3 in F.
  set (x := distance3 G 1 4 2 2 3 2) in *. set (y := distance3 G 2 3 2 1 3 3) in *.
  set (z := distance3 G 1 4 2 1 3 3) in *.
  replace (1 + 1) with 2 in F by lra. replace (3 + 0) with 3 in F by lra. replace (2 + 0) with 2 in F by lra.
  replace (1 + 0) with 1 in F by lra. replace (3 + 1) with 4 in F by lra. replace (2 + 1) with 3 in F by lra.
  rewrite !distance3_self in F by (auto; lra). rewrite (distance3_comm G 2 3 2 1 4 2) in F.
  fold x y z in F. rewrite !Rmult_0_r, exp_0 in F.
  replace (- (1 / (2 * y)) * y) with (- (1 / 2)) in F by (field; lra).
  replace (- (1 / (2 * x)) * x) with (- (1 / 2)) in F by (field; lra).
  assert (exp (- (1 / 2)) <= exp (- (1 / (2 * y)) * x)) as U.
  { apply exp_monotone. apply Rmult_le_reg_r with (2 * y); [lra|].
    replace (- (1 / (2 * y)) * x * (2 * y)) with (- x) by (field; lra). lra. }
  assert (exp (- (1 / (2 * x)) * z) <= exp 0) as V.
  { apply exp_monotone. apply Rmult_le_reg_r with (2 * x); [lra|].
    replace (- (1 / (2 * x)) * z * (2 * x)) with (- z) by (field; lra). lra. }
  rewrite exp_0 in V. pose proof (exp_below_1 (- (1 / 2)) ltac:(lra)) as Q.
  assert (exp 1 * exp (- (1 / 2)) * exp (- (1 / 2)) = 1) as E.
  { rewrite <- !exp_plus. rewrite <- exp_0. f_equal. lra. }
  pose proof (exp_pos (- (1 / (2 * x)) * z)).
  set (q := exp (- (1 / 2))) in *. set (u := exp (- (1 / (2 * y)) * x)) in *. set (v := exp (- (1 / (2 * x)) * z)) in *.
  apply Rgt_lt in F. apply (Rmult_lt_compat_r (q * ((q + u + 1) * (v + 1 + q)))) in F.
  2: { apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]. }
  replace (exp 1 * (q / (v + 1 + q)) * (q * ((q + u + 1) * (v + 1 + q)))) with (exp 1 * q * q * (q + u + 1)) in F
    by (field; lra).
  replace (1 / (q + u + 1) * (q * ((q + u + 1) * (v + 1 + q)))) with (q * (v + 1 + q)) in F by (field; lra).
  rewrite E in F. assert (q * (v + 1 + q) <= q * (1 + 1 + q)) by (apply Rmult_le_compat_l; lra).
  assert (q * q <= q * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Equal distances at different steps: from (1, 2, 10) to (2, 1, 10) and to (2, 3, 8). *)
(* disproves: steps-of-distance *)
Theorem steps_of_distance : s_steps_of_distance_false.
Proof.
  intros G gamma F. specialize (F 10%Z 0%Z 1%Z 1%Z 0%Z 1%Z 2%Z). point F.
  assert (distance3 G (0 + 1) (1 + 1) (10 - 0 - 1 + 1) (1 + 1) (0 + 1) (10 - 1 - 0 + 1) =
    distance3 G (0 + 1) (1 + 1) (10 - 0 - 1 + 1) (1 + 1) (2 + 1) (10 - 1 - 2 + 1)) as E.
  { pose proof pi_bounds.
    rewrite (distance3_is G (0 + 1) (1 + 1) (10 - 0 - 1 + 1) (1 + 1) (0 + 1) (10 - 1 - 0 + 1)
      (PI / 5280) (1 / 1742400)); try (unfold B3; by_values gamma).
    rewrite (distance3_is G (0 + 1) (1 + 1) (10 - 0 - 1 + 1) (1 + 1) (2 + 1) (10 - 1 - 2 + 1)
      (PI / 31680) (1 / 62726400)); try (unfold B3; by_values gamma).
    assert (sqrt (1 / 1742400) = 1 / 1320) as ->.
    { replace (1 / 1742400) with (1 / 1320 * (1 / 1320)) by field. apply sqrt_square. lra. }
    assert (sqrt (1 / 62726400) = 1 / 7920) as ->.
    { replace (1 / 62726400) with (1 / 7920 * (1 / 7920)) by field. apply sqrt_square. lra. }
    f_equal. field. }
  specialize (F E). unfold Rabs in F. repeat destruct Rcase_abs; lra.
Qed.
