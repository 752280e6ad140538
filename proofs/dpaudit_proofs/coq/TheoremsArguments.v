(** Typed statements about steps of arguments, the dilation of the density, and M_H with divisor 1. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsSteps TheoremsPrivacy TheoremsMechanisms.
Open Scope R_scope.

(** One argument of D with the global sensitivity, line by line. *)
Lemma global_positive G a b n : is_gamma G -> 0 < a -> 0 < b -> (1 <= n)%Z -> 0 < global_sensitivity G a b (IZR n).
Proof.
  intros gamma A B' N. apply Rlt_le_trans with (2 := local_global G a b n 0 ltac:(lia)).
  apply local_positive; auto; lia.
Qed.

(* proves on: em-global-step-1 *)
Theorem em_global_step_1 : s_em_global_step_1_smaller.
Proof. intros G gamma a b e n c r s N C R' S A B' E L M M' ->. reflexivity. Qed.

(* disproves: em-global-step-1 *)
Theorem em_global_step_1_fails : s_em_global_step_1_false.
Proof.
  intros G gamma F. specialize (F 1 1 1 1%Z 0%Z 0%Z 1%Z). point F. replace (0 + 1) with 1 in F by lra.
  pose proof (global_positive G 1 1 1 gamma ltac:(lra) ltac:(lra) ltac:(lia)) as P.
  assert (0 < 1 / (2 * global_sensitivity G 1 1 1)) as Q by (apply over_positive; lra).
  set (f := 1 / (2 * global_sensitivity G 1 1 1)) in *.
  rewrite (law_of G f 1 1 1 0 0), (law_of G f 1 1 1 0 1), (law_of G f 1 1 1 1 0), (law_of G f 1 1 1 1 1) in F.
  pose proof (total_above_0 G f 1 1 1 0 ltac:(lia)) as T0. pose proof (total_above_0 G f 1 1 1 1 ltac:(lia)) as T1.
  pose proof (h_self G 1 1 1 0 gamma ltac:(lra) ltac:(lra) ltac:(lia)) as H0.
  pose proof (h_self G 1 1 1 1 gamma ltac:(lra) ltac:(lra) ltac:(lia)) as H1.
  pose proof (other_positive G 1 1 1 0 1 gamma ltac:(lra) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)) as D.
  rewrite (distance_comm G (1 + 1) (1 + 1 - 1) (1 + 0)) in F.
  set (d := distance G (1 + 0) (1 + 1 - 0) (1 + 1) (1 + 1 - 1)) in *. rewrite H0, H1, Rmult_0_r, exp_0 in F.
  assert (exp (- f * d) < 1) as W.
  { pose proof (exp_increasing (- f * d) 0) as X. rewrite exp_0 in X. apply X.
    assert (0 < f * d) by (apply Rmult_lt_0_compat; auto). lra. }
  pose proof (exp_pos (- f * d)) as V. set (w := exp (- f * d)) in *.
  set (s := total G f 1 1 1 0) in *. set (t := total G f 1 1 1 1) in *.
  apply (f_equal (fun z => z * (w * (s / t)))) in F.
  replace (1 / s / (w / t) * (w * (s / t))) with 1 in F by (field; lra).
  replace (w / s / (1 / t) * (w * (s / t))) with (w * w) in F by (field; lra).
  assert (w * w < 1 * 1) by (apply Rmult_gt_0_lt_compat; lra). lra.
Qed.

(* proves: em-global-step-4 *)
Theorem em_global_step_4 : s_em_global_step_4.
Proof.
  intros G gamma a b e n c r N C R' A B' E L M.
  assert (0 <= c)%Z as C' by whole_bounds. assert (c + 1 <= n)%Z as L' by whole_bounds.
  pose proof (global_positive G a b n gamma A B' ltac:(lia)) as P.
  assert (forall i, (0 <= i <= n)%Z ->
    e * (distance G (a + IZR c + 1) (b + IZR n - (IZR c + 1)) (a + IZR i) (b + IZR n - IZR i) -
      distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i)) / (2 * global_sensitivity G a b (IZR n)) <= e / 2 /\
    e * (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i) -
      distance G (a + IZR c + 1) (b + IZR n - (IZR c + 1)) (a + IZR i) (b + IZR n - IZR i)) / (2 * global_sensitivity G a b (IZR n)) <= e / 2) as K.
  { intros i I. pose proof (scores_apart G a b n c i gamma A B' C' L' I) as D.
    pose proof (Rle_trans _ _ _ D (proj1 (pair_local G a b n c L ltac:(lra)))) as D2.
    pose proof (Rle_trans _ _ _ D2 (local_global G a b n c ltac:(lia))) as D3. rewrite plus_IZR in D3.
    replace (b + IZR n - (IZR c + 1)) with (b + (IZR n - (IZR c + 1))) by ring.
    replace (a + IZR c + 1) with (a + (IZR c + 1)) by ring. replace (b + IZR n - IZR c) with (b + (IZR n - IZR c)) by ring.
    replace (b + IZR n - IZR i) with (b + (IZR n - IZR i)) by ring.
    set (h := distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i))) in *.
    set (k := distance G (a + (IZR c + 1)) (b + (IZR n - (IZR c + 1))) (a + IZR i) (b + (IZR n - IZR i))) in *.
    set (g := global_sensitivity G a b (IZR n)) in *. pose proof (Rle_abs (h - k)) as J1. pose proof (Rle_abs (- (h - k))) as J2.
    rewrite Rabs_Ropp in J2.
    split; (apply Rmult_le_reg_r with (2 * g); [lra|]).
    - replace (e * (k - h) / (2 * g) * (2 * g)) with (e * (k - h)) by (field; lra).
      replace (e / 2 * (2 * g)) with (e * g) by field. apply Rmult_le_compat_l; lra.
    - replace (e * (h - k) / (2 * g) * (2 * g)) with (e * (h - k)) by (field; lra).
      replace (e / 2 * (2 * g)) with (e * g) by field. apply Rmult_le_compat_l; lra. }
  split.
  - apply exp_monotone. apply K. split; whole_bounds.
  - rewrite <- range_sum_scaled. apply (range_sum_le 0 n). intros i I. rewrite <- exp_plus. apply exp_monotone.
    destruct (K i I) as [_ X].
    set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i)) in *.
    set (k := distance G (a + IZR c + 1) (b + IZR n - (IZR c + 1)) (a + IZR i) (b + IZR n - IZR i)) in *.
    set (g := global_sensitivity G a b (IZR n)) in *.
    replace (e * (h - k) / (2 * g)) with (- e * k / (2 * g) - - e * h / (2 * g)) in X by (field; lra). lra.
Qed.

(* proves: em-global-step-5 *)
Theorem em_global_step_5 : s_em_global_step_5.
Proof.
  intros G gamma a b e n c r N C R' A B' E L M. replace (IZR n - (IZR c + 1)) with (IZR n - IZR c - 1) by ring.
  assert (1 <= n)%Z as N' by whole_bounds. pose proof (global_positive G a b n gamma A B' N') as P.
  exact (proj2 (two_global_dp G gamma a b e _ n c r N C R' A B' L E M P (Rge_refl _))).
Qed.

(* proves: smooth-larger-prior *)
Theorem smooth_larger_prior : s_smooth_larger_prior.
Proof.
  intros G gamma a b e f t n c N C A B' E F M T N1 L. counts. apply Rlt_gt.
  rewrite !(beta_of G _ _ n).
  destruct (range_max_attained 0 n (fun i => local_sensitivity G e f (IZR i) (IZR n - IZR i) * exp (- t * Rabs (IZR c - IZR i)))
    ltac:(lia)) as (i & I & ->).
  apply Rlt_le_trans with (2 := range_max_above 0 n i (fun i => local_sensitivity G a b (IZR i) (IZR n - IZR i) *
    exp (- t * Rabs (IZR c - IZR i))) I).
  apply Rmult_lt_compat_r; [apply exp_pos|]. rewrite <- minus_IZR.
  assert (0 <= IZR i /\ 0 <= IZR (n - i)) as [I1 I2] by (split; apply (IZR_le 0); lia).
  assert (1 <= IZR i + IZR (n - i)) by (rewrite <- plus_IZR; apply (IZR_le 1); lia).
  apply Rgt_lt. apply (ls_larger_parameters G gamma); lra.
Qed.

(* proves on: basics-candidates-integer *)
Theorem basics_candidates_integer : s_basics_candidates_integer_smaller.
Proof.
  intros a b n N A B' N1 -> ->. split.
  - intros c C. exists (c + 1)%Z. rewrite plus_IZR. lra.
  - intros p P. exists (p - 1)%Z. rewrite minus_IZR. lra.
Qed.

(* disproves: basics-candidates-integer *)
Theorem basics_candidates_integer_fails : s_basics_candidates_integer_false.
Proof. intros F. specialize (F 7 4 1%Z). point F. destruct F as [F _]. destruct (F 0%Z ltac:(lra)) as (p & P & Q). lra. Qed.

(* disproves: lap-last-coordinate *)
Theorem lap_last_coordinate : s_lap_last_coordinate_false.
Proof. intros F. specialize (F 1 1 1 20%Z 20%Z 20%Z). point F. lra. Qed.

(* disproves: tables-few-steps *)
Theorem tables_few_steps : s_tables_few_steps_false.
Proof. intros F. destruct F. lra. Qed.

Lemma log_two : 0 < ln 2 < 83 / 100.
Proof.
  split; [apply ln_positive; lra|]. apply log_below; [lra|]. pose proof (exp_above (83 / 100) ltac:(lra)). lra.
Qed.

Lemma second_logs e : 0 < e -> ln (2 / exp (- (2) * e)) = ln 2 + 2 * e /\
  e <= ln (2 / (exp (- e) + exp (- (2) * e))) <= ln 2 + e.
Proof.
  intros E. replace (- (2) * e) with (2 * - e) by ring. pose proof (exp_below_1 (- e) ltac:(lra)) as X.
  rewrite exp_twice. set (x := exp (- e)) in *.
  assert (0 < x * x < x) as Y.
  { split; [apply Rmult_lt_0_compat; lra|]. assert (x * x < 1 * x) by (apply Rmult_lt_compat_r; lra). lra. }
  assert (ln x = - e) as W by (apply ln_exp). assert (forall y, 0 < y -> ln (2 / y) = ln 2 - ln y) as Q.
  { intros y P. unfold Rdiv. rewrite ln_mult, ln_Rinv; auto; try lra. apply Rinv_0_lt_compat. exact P. }
  rewrite !Q by lra. rewrite ln_mult, W by lra. split; [lra|].
  assert (ln x <= ln (x + x * x)) by (apply ln_monotone; lra).
  assert (ln (x + x * x) <= ln (2 * x)) as U by (apply ln_monotone; lra). rewrite ln_mult in U by lra. lra.
Qed.

(* proves on: cor-4.4.1-second *)
Theorem cor_4_4_1_second : s_cor_4_4_1_second_smaller.
Proof.
  intros e E L. destruct (second_logs e E) as [-> [_ U]]. pose proof log_two.
  apply Rmult_lt_reg_r with e; [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with (1 := U). assert (0 <= (e - 5 / 4) * (e - 1)) by (apply Rmult_le_pos; lra).
  assert (0 <= (e - 5 / 4) * ln 2) by (apply Rmult_le_pos; lra). lra.
Qed.

(* disproves: cor-4.4.1-second *)
Theorem cor_4_4_1_second_fails : s_cor_4_4_1_second_false.
Proof.
  intros F. specialize (F (1 / 10)). point F. destruct (second_logs (1 / 10) ltac:(lra)) as [E [U _]].
  pose proof log_two. rewrite E in F. lra.
Qed.

(* proves: dilation-density *)
Theorem dilation_density : s_dilation_density.
Proof.
  intros G gamma a b e d l s n c N C A B' E D D1 S N1 L M. counts. apply (IZR_le 0) in N as N'.
  replace (d / 2) with ((IZR n + 1) * (d / (2 * (IZR n + 1)))) by (field; lra).
  rewrite <- (range_sum_constant n) by exact N. apply (range_sum_le 0 n). intros r R'.
  assert (0 < d / (2 * (IZR n + 1))) as P by (apply over_positive; lra). apply Rmax_lub; [lra|]. rewrite law_of.
  pose proof (h_bounds G a b n c gamma A B' (conj C L) r R') as [H0 _].
  set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) in *.
  assert (0 < e / (2 * s)) as K by (apply over_positive; lra).
  pose proof (total_range G a b (e / (2 * s)) n c gamma A B' (conj C L) ltac:(lra)) as [T _].
  assert (0 <= IZR n * exp (- (e / (2 * s)))) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
  set (z := total G (e / (2 * s)) a b n c) in *. pose proof (exp_pos (- (e / (2 * s)) * h)) as W.
  assert (exp (- (e / (2 * s)) * h) / z <= exp (- (e / (2 * s)) * h)) as Q.
  { apply Rmult_le_reg_r with z; [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite <- (Rmult_1_r (exp _)) at 1. apply Rmult_le_compat_l; lra. }
  assert (0 < exp (- (e / (2 * s)) * h) / z) as Q0 by (apply over_positive; lra).
  set (p := exp (- (e / (2 * s)) * h) / z) in *.
  destruct (Rle_lt_dec (h * (exp l - 1)) s) as [X|X].
  - assert (1 <= exp (e / 2) * exp (e * (1 - exp l) * h / (2 * s))) as Y.
    { rewrite <- exp_plus. apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_monotone.
      replace (e * (1 - exp l) * h / (2 * s)) with (- (e / (2 * s) * (h * (exp l - 1)))) by (field; lra).
      assert (e / (2 * s) * (h * (exp l - 1)) <= e / (2 * s) * s) as J by (apply Rmult_le_compat_l; lra).
      replace (e / (2 * s) * s) with (e / 2) in J by (field; lra). lra. }
    replace (exp (e / 2) * (p * exp (e * (1 - exp l) * h / (2 * s))))
      with (p * (exp (e / 2) * exp (e * (1 - exp l) * h / (2 * s)))) by ring.
    assert (p * 1 <= p * (exp (e / 2) * exp (e * (1 - exp l) * h / (2 * s)))) by (apply Rmult_le_compat_l; lra). lra.
  - assert (0 < exp l - 1) as Y.
    { apply Rnot_le_lt. intros Y. assert (0 <= h * (1 - exp l)) as J by (apply Rmult_le_pos; lra). lra. }
    assert (0 < l) as Z.
    { apply Rnot_le_lt. intros Z. pose proof (exp_monotone l 0 Z) as W'. rewrite exp_0 in W'. lra. }
    pose proof (beta_bound e d l n ltac:(lra) E D D1 (Rle_ge _ _ (IZR_le 1 n N1)) Z M) as U.
    assert (exp (- (e / (2 * s)) * h) <= exp (e / (2 * (1 - exp l)))) as V.
    { apply exp_monotone. apply Rmult_le_reg_r with (2 * s * (exp l - 1)); [apply Rmult_lt_0_compat; lra|].
      replace (- (e / (2 * s)) * h * (2 * s * (exp l - 1))) with (- (e * (h * (exp l - 1)))) by (field; lra).
      replace (e / (2 * (1 - exp l)) * (2 * s * (exp l - 1))) with (- (e * s)) by (field; lra).
      assert (e * s <= e * (h * (exp l - 1))) by (apply Rmult_le_compat_l; lra). lra. }
    assert (exp (e / (2 * (1 - exp l))) <= d / (2 * (IZR n + 1))).
    { apply Rmult_le_reg_l with (IZR n + 1); [lra|].
      replace ((IZR n + 1) * (d / (2 * (IZR n + 1)))) with (d / 2) by (field; lra). exact U. }
    assert (0 < exp (e / 2) * (p * exp (e * (1 - exp l) * h / (2 * s)))).
    { apply Rmult_lt_0_compat; [apply exp_pos|]. apply Rmult_lt_0_compat; [exact Q0|apply exp_pos]. } lra.
Qed.

(** EHDS: scores over the smoothed sensitivity move by 1 one way and by 1 + γ the other way. *)
Lemma between_apart h k s t g : 0 < s -> 0 < t -> 0 <= g -> 0 <= h <= 1 -> 0 <= k <= 1 -> Rabs (h - k) <= s ->
  1 / s <= 1 / t -> 1 / t - 1 / s <= g -> - (1) <= k / t - h / s <= 1 + g.
Proof.
  intros S T P H K L M N. pose proof (Rle_abs (h - k)) as J1. pose proof (Rle_abs (- (h - k))) as J2. rewrite Rabs_Ropp in J2.
  replace (k / t - h / s) with ((k - h) / s + k * (1 / t - 1 / s)) by (field; lra).
  assert (- (1) <= (k - h) / s <= 1) as Q.
  { split; (apply Rmult_le_reg_r with s; [auto|]); replace ((k - h) / s * s) with (k - h) by (field; lra); lra. }
  assert (0 <= k * (1 / t - 1 / s)) by (apply Rmult_le_pos; lra).
  assert (k * (1 / t - 1 / s) <= 1 * (1 / t - 1 / s)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma private_between G f g a b n c d r u v : (0 <= n)%Z -> (0 <= r <= n)%Z ->
  (forall i, (0 <= i <= n)%Z -> - u <=
    f * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i) -
    g * distance G (a + IZR d) (b + IZR n - IZR d) (a + IZR i) (b + IZR n - IZR i) <= v) ->
  exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) <=
    exp (u + v) * exponential G g a b (IZR d) (IZR n - IZR d) (IZR r) (IZR n - IZR r) /\
  exponential G g a b (IZR d) (IZR n - IZR d) (IZR r) (IZR n - IZR r) <=
    exp (u + v) * exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r).
Proof.
  intros N R' K. rewrite !law_of. pose proof (total_above_0 G f a b n c N) as P. pose proof (total_above_0 G g a b n d N) as Q.
  assert (total G f a b n c <= exp u * total G g a b n d) as T.
  { unfold total. rewrite <- range_sum_scaled. apply (range_sum_le 0 n). intros i I. rewrite <- exp_plus.
    apply exp_monotone. specialize (K i I). lra. }
  assert (total G g a b n d <= exp v * total G f a b n c) as U.
  { unfold total. rewrite <- range_sum_scaled. apply (range_sum_le 0 n). intros i I. rewrite <- exp_plus.
    apply exp_monotone. specialize (K i I). lra. }
  set (x := total G f a b n c) in *. set (y := total G g a b n d) in *. specialize (K r R').
  set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) in *.
  set (k := distance G (a + IZR d) (b + IZR n - IZR d) (a + IZR r) (b + IZR n - IZR r)) in *.
  assert (exp (- f * h) <= exp u * exp (- g * k)) as V by (rewrite <- exp_plus; apply exp_monotone; lra).
  assert (exp (- g * k) <= exp v * exp (- f * h)) as W by (rewrite <- exp_plus; apply exp_monotone; lra).
  pose proof (exp_pos (- f * h)). pose proof (exp_pos (- g * k)). pose proof (exp_pos u). pose proof (exp_pos v).
  rewrite exp_plus. set (p := exp (- f * h)) in *. set (q := exp (- g * k)) in *.
  split; (apply Rmult_le_reg_r with (x * y); [apply Rmult_lt_0_compat; auto|]).
  - replace (p / x * (x * y)) with (p * y) by (field; lra).
    replace (exp u * exp v * (q / y) * (x * y)) with (exp u * q * (exp v * x)) by (field; lra). apply Rmult_le_compat; lra.
  - replace (q / y * (x * y)) with (q * x) by (field; lra).
    replace (exp u * exp v * (p / x) * (x * y)) with (exp v * p * (exp u * y)) by (field; lra). apply Rmult_le_compat; lra.
Qed.

(* proves: two-EHDS-slack *)
Theorem two_EHDS_slack : s_two_EHDS_slack.
Proof.
  intros G gamma a b e g n c r N C R' A B' L E M P.
  pose proof (pair_local G a b n c L ltac:(lra)) as [D1 D2]. revert D1 D2. shifted n c. intros D1 D2.
  destruct (one_apart c) as [O1 O2].
  assert (0 <= c)%Z as C' by whole_bounds. assert (c + 1 <= n)%Z as L' by whole_bounds.
  assert (0 <= r <= n)%Z as R2 by (split; whole_bounds).
  pose proof (smoothed_above G a b n gamma A B' ltac:(lia) g c ltac:(lra) ltac:(lia)) as S1.
  pose proof (smoothed_above G a b n gamma A B' ltac:(lia) g (c + 1) ltac:(lra) ltac:(lia)) as S2.
  pose proof (local_positive G a b n c gamma A B' ltac:(lia) ltac:(lia)) as P1.
  pose proof (local_positive G a b n (c + 1) gamma A B' ltac:(lia) ltac:(lia)) as P2.
  pose proof (smoothed_step G a b n gamma A B' ltac:(lia) g c (c + 1) ltac:(lra) ltac:(lia) ltac:(lia) O1) as T1.
  pose proof (smoothed_step G a b n gamma A B' ltac:(lia) g (c + 1) c ltac:(lra) ltac:(lia) ltac:(lia) O2) as T2.
  set (s := gamma_smooth G a b g (IZR c) (IZR n - IZR c)) in *.
  set (t := gamma_smooth G a b g (IZR (c + 1)) (IZR n - IZR (c + 1))) in *.
  set (z := e / (2 * (1 + g))). assert (0 < z) as Z by (apply over_positive; lra).
  replace (e / (2 * (1 + g) * s)) with (z / s) by (unfold z; field; repeat split; lra).
  replace (e / (2 * (1 + g) * t)) with (z / t) by (unfold z; field; repeat split; lra).
  replace (e * (2 + g) / (2 + 2 * g)) with (z + z * (1 + g)) by (unfold z; field; lra).
  assert (forall i, (0 <= i <= n)%Z -> let h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i) in
    let k := distance G (a + IZR (c + 1)) (b + IZR n - IZR (c + 1)) (a + IZR i) (b + IZR n - IZR i) in
    0 <= h <= 1 /\ 0 <= k <= 1 /\ Rabs (h - k) <= s /\ Rabs (h - k) <= t) as K.
  { intros i I h k. pose proof (h_bounds G a b n c gamma A B' ltac:(lia) i I) as Hb.
    pose proof (h_bounds G a b n (c + 1) gamma A B' ltac:(lia) i I) as Kb.
    pose proof (scores_apart G a b n c i gamma A B' C' L' I) as Sc.
    replace (b + (IZR n - IZR c)) with (b + IZR n - IZR c) in Sc by ring.
    replace (b + (IZR n - IZR (c + 1))) with (b + IZR n - IZR (c + 1)) in Sc by ring.
    replace (b + (IZR n - IZR i)) with (b + IZR n - IZR i) in Sc by ring. fold h k in Hb, Kb, Sc. repeat split; lra. }
  destruct (Rle_lt_dec (1 / s) (1 / t)) as [O|O].
  - apply and_comm. rewrite (Rplus_comm z). apply and_comm. rewrite (Rplus_comm (z * (1 + g))).
    assert (forall i, (0 <= i <= n)%Z -> - z <=
      z / t * distance G (a + IZR (c + 1)) (b + IZR n - IZR (c + 1)) (a + IZR i) (b + IZR n - IZR i) -
      z / s * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i) <= z * (1 + g)) as J.
    { intros i I. destruct (K i I) as (K1 & K2 & K3 & K4).
      pose proof (between_apart _ _ s t g ltac:(lra) ltac:(lra) ltac:(lra) K1 K2 K3 O ltac:(lra)) as [X Y].
      match goal with |- _ <= z / t * ?k - z / s * ?h <= _ =>
        replace (z / t * k - z / s * h) with (z * (k / t - h / s)) by (field; lra) end.
      split; [replace (- z) with (z * - (1)) by ring|]; apply Rmult_le_compat_l; lra. }
    destruct (private_between G (z / t) (z / s) a b n (c + 1) c r z (z * (1 + g)) ltac:(lia) R2 J). split; assumption.
  - assert (forall i, (0 <= i <= n)%Z -> - z <=
      z / s * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR i) (b + IZR n - IZR i) -
      z / t * distance G (a + IZR (c + 1)) (b + IZR n - IZR (c + 1)) (a + IZR i) (b + IZR n - IZR i) <= z * (1 + g)) as J.
    { intros i I. destruct (K i I) as (K1 & K2 & K3 & K4). rewrite Rabs_minus_sym in K4.
      pose proof (between_apart _ _ t s g ltac:(lra) ltac:(lra) ltac:(lra) K2 K1 K4 ltac:(lra) ltac:(lra)) as [X Y].
      match goal with |- _ <= z / s * ?h - z / t * ?k <= _ =>
        replace (z / s * h - z / t * k) with (z * (h / s - k / t)) by (field; lra) end.
      split; [replace (- z) with (z * - (1)) by ring|]; apply Rmult_le_compat_l; lra. }
    exact (private_between G (z / s) (z / t) a b n c (c + 1) r z (z * (1 + g)) ltac:(lia) R2 J).
Qed.

(** M_H without the factor 2, at two records. *)
Lemma near_and_far G : is_gamma G -> 0 < distance G 1 3 2 2 < 9 / 20 /\ 27 / 40 < distance G 1 3 3 1.
Proof.
  intros gamma. pose proof pi_bounds. split; [split; [apply first_distance; exact gamma|]|].
  - rewrite (distance_is G 1 3 2 2 (PI / 16) (1 / 18)); try (unfold B; by_values gamma).
    apply root_below; [lra| |].
    + assert (PI / 16 / sqrt (1 / 18) <= 1); [|lra]. apply Rmult_le_reg_r with (sqrt (1 / 18)); [apply sqrt_lt_R0; lra|].
      replace (PI / 16 / sqrt (1 / 18) * sqrt (1 / 18)) with (PI / 16) by (field; apply Rgt_not_eq, sqrt_lt_R0; lra).
      pose proof (root_above (1 / 18) (1 / 5) ltac:(lra) ltac:(lra)). lra.
    + pose proof (root_below (1 / 18) (236 / 1000) ltac:(lra) ltac:(lra) ltac:(lra)) as U.
      pose proof (sqrt_lt_R0 (1 / 18) ltac:(lra)) as V.
      assert (8 / 10 < PI / 16 / sqrt (1 / 18)); [|lra]. apply Rmult_lt_reg_r with (sqrt (1 / 18)); [exact V|].
      replace (PI / 16 / sqrt (1 / 18) * sqrt (1 / 18)) with (PI / 16) by (field; lra). lra.
  - rewrite (distance_is G 1 3 3 1 (1 / 6) (1 / 9)); try (unfold B; by_values gamma).
    replace (1 / 9) with (1 / 3 * (1 / 3)) by field. rewrite sqrt_square by lra. apply root_above; lra.
Qed.

(* disproves: lemma-2.3-tables *)
Theorem lemma_2_3_tables : s_lemma_2_3_tables_false.
Proof.
  intros G gamma F. specialize (F 2%Z 0%Z 0%Z). point F. pose proof (near_and_far G gamma) as [D1 D2].
  assert (ln (1 / (4000 * (2 + 1))) < 0) as N by (rewrite <- ln_1; apply ln_increasing; lra).
  set (l := ln (1 / (4000 * (2 + 1)))) in *.
  assert (0 <= ln (1 - 4 / 10 / l)) as P.
  { rewrite <- ln_1. apply ln_monotone; [lra|]. replace (4 / 10 / l) with (- (4 / 10 / - l)) by (field; lra).
    assert (0 < 4 / 10 / - l) by (apply over_positive; lra). lra. }
  set (beta := ln (1 - 4 / 10 / l)) in *. replace (0 + 1) with 1 in F by lra. replace (2 - 0 - 1) with (2 - 1) in F by lra.
  rewrite (smooth_two G gamma beta 0), (smooth_two G gamma beta 1) in F by (auto; lia).
  set (f := 4 / 5 / distance G 1 3 2 2) in *.
  pose proof (exponential_of G f 1 1 2 0 0) as V. pose proof (exponential_of G f 1 1 2 1 0) as W.
  rewrite sum_of_three in V, W. rewrite V, W in F. clear V W. unfold weight in F.
  replace (1 + 0) with 1 in F by lra. replace (1 + (2 - 0)) with 3 in F by lra.
  replace (1 + 1) with 2 in F by lra. replace (1 + (2 - 1)) with 2 in F by lra.
  replace (1 + 2) with 3 in F by lra. replace (1 + (2 - 2)) with 1 in F by lra.
  rewrite (near_back G), (near_right G), !(distance_self G) in F by (auto; lra).
  rewrite Rmult_0_r, exp_0 in F.
  assert (- f * distance G 1 3 2 2 = 2 * - (2 / 5)) as Q by (unfold f; field; lra).
  assert (exp (- f * distance G 1 3 3 1) <= exp (3 * - (2 / 5))) as M.
  { apply exp_monotone. assert (0 < f) by (apply over_positive; lra).
    assert (f * (3 / 2 * distance G 1 3 2 2) <= f * distance G 1 3 3 1) by (apply Rmult_le_compat_l; lra). lra. }
  rewrite Q, exp_twice in F. replace (3 * - (2 / 5)) with (2 * - (2 / 5) + - (2 / 5)) in M by field.
  rewrite exp_plus, exp_twice in M. pose proof (exp_pos (- f * distance G 1 3 3 1)) as T.
  assert (exp (4 / 5) * (exp (- (2 / 5)) * exp (- (2 / 5))) = 1) as E.
  { rewrite <- !exp_plus. replace (4 / 5 + (- (2 / 5) + - (2 / 5))) with 0 by field. apply exp_0. }
  assert (exp (2 / 5) * exp (- (2 / 5)) = 1) as E2 by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_ineq1 (2 / 5) ltac:(lra)) as E3. pose proof (exp_increasing (2 / 5) 1 ltac:(lra)) as E4.
  pose proof exp_le_3 as E5. pose proof (exp_pos (- (2 / 5))) as E6.
  set (u := exp (- (2 / 5))) in *. set (t := exp (- f * distance G 1 3 3 1)) in *.
  assert (1 / 3 < u < 5 / 7) as [U1 U2] by (split; nra). assert (1 / 9 < u * u < 25 / 49) as [U3 U4] by (split; nra).
  replace (exp (4 / 5) * (u * u / (u * u + 1 + u * u))) with (exp (4 / 5) * (u * u) / (u * u + 1 + u * u)) in F by (field; nra).
  rewrite E in F. assert (u * u * u <= u * u * (5 / 7)) by (apply Rmult_le_compat_l; lra).
  assert (0 < 1 + u * u + t /\ 0 < u * u + 1 + u * u) as [X1 X2] by lra.
  apply (Rmult_le_compat_r ((1 + u * u + t) * (u * u + 1 + u * u))) in F; [|left; apply Rmult_lt_0_compat; lra].
  replace (1 / (1 + u * u + t) * ((1 + u * u + t) * (u * u + 1 + u * u))) with (u * u + 1 + u * u) in F by (field; lra).
  replace ((1 / (u * u + 1 + u * u) + 1 / 2000) * ((1 + u * u + t) * (u * u + 1 + u * u)))
    with (1 + u * u + t + (1 + u * u + t) * (u * u + 1 + u * u) / 2000) in F by (field; lra).
  assert ((1 + u * u + t) * (u * u + 1 + u * u) <= 3 * 3) by (apply Rmult_le_compat; lra). lra.
Qed.
