(** Typed statements about printed digits, and the first lines of an argument. *)
Require Import Reals Psatz Lia ZArith Machin.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsMechanisms.
Open Scope R_scope.

Lemma pi_sixteen : 3141592653589793 / 1000000000000000 < PI < 1570796326794897 / 500000000000000.
Proof.
  pose proof (PI_2_3_7_ineq 14) as [L U].
  unfold tg_alt, PI_2_3_7_tg, Ratan_seq in *. simpl in L, U. split; lra.
Qed.

(** A distance √(1 − s/√q) to its digits, from bounds l and u of √q. *)
Lemma distance_digits s q l u v w d e : 0 < l -> 0 < u -> l * l <= q -> q <= u * u -> 0 < v -> v <= s -> s <= w -> 0 < e -> e < d ->
  (d - e) * (d - e) <= 1 - w / l -> 1 - v / u <= (d + e) * (d + e) -> Rabs (sqrt (1 - s / sqrt q) - d) <= e.
Proof.
  intros L U A C V0 V W E D X Y. assert (l <= sqrt q) as P by (rewrite <- (sqrt_square l) by lra; apply sqrt_le_1_alt; exact A).
  assert (sqrt q <= u) as Q by (rewrite <- (sqrt_square u) by lra; apply sqrt_le_1_alt; exact C).
  assert (v / u <= s / sqrt q).
  { unfold Rdiv. apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
  assert (s / sqrt q <= w / l).
  { unfold Rdiv. apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
  assert (d - e <= sqrt (1 - s / sqrt q)).
  { rewrite <- (sqrt_square (d - e)) by lra. apply sqrt_le_1_alt. lra. }
  assert (sqrt (1 - s / sqrt q) <= d + e).
  { rewrite <- (sqrt_square (d + e)) by lra. apply sqrt_le_1_alt. lra. }
  apply Rabs_le. lra.
Qed.

(* proves: steps-table *)
Theorem steps_table : s_steps_table.
Proof.
  intros G gamma. pose proof pi_sixteen. split; [apply distance_self; auto; lra|]. repeat split.
  - rewrite (distance_is G 5 5 6 4 (35 / 65536 * PI) (1 / 317520)); try (unfold B; by_values gamma).
    apply (distance_digits _ _ (1774657124999833 / 1000000000000000000) (887328562499917 / 500000000000000000) (21991148575128551 / 13107200000000000000) (10995574287564279 / 6553600000000000000)); lra.
  - rewrite (distance_is G 5 5 7 3 (1 / 504) (1 / 158760)); try (unfold B; by_values gamma).
    apply (distance_digits _ _ (313718021842101 / 125000000000000000) (2509744174736809 / 1000000000000000000) (1 / 504) (1 / 504)); lra.
  - rewrite (distance_is G 5 5 8 2 (55 / 65536 * PI) (1 / 45360)); try (unfold B; by_values gamma).
    apply (distance_digits _ _ (187812056606337 / 40000000000000000) (2347650707579213 / 500000000000000000) (34557519189487723 / 13107200000000000000) (17278759594743867 / 6553600000000000000)); lra.
  - rewrite (distance_is G 5 5 9 1 (1 / 252) (1 / 5670)); try (unfold B; by_values gamma).
    apply (distance_digits _ _ (6640158940746631 / 500000000000000000) (13280317881493263 / 1000000000000000000) (1 / 252) (1 / 252)); lra.
Qed.

(** One argument of D with the local sensitivity: its first three lines. *)
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
