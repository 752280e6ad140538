(** Typed statements about two categories: the metric, the smooth sensitivities, privacy. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped Metric.
Open Scope R_scope.

(* proves: two-triangle *)
Theorem two_triangle : s_two_triangle.
Proof. intros G gamma a b c d e f A B' C D E F P Q. apply triangle; auto; lra. Qed.

Lemma apart_at_most G a b c d e f : is_gamma G -> 0 < a -> 0 < b -> 0 < c -> 0 < d -> 0 < e -> 0 < f ->
  a + b = c + d -> a + b = e + f ->
  Rabs (distance G a b e f - distance G c d e f) <= distance G a b c d.
Proof.
  intros gamma A B' C D E F P Q. apply Rabs_le.
  pose proof (triangle G gamma a b e f c d). pose proof (triangle G gamma c d e f a b).
  rewrite (distance_comm G c d a b) in *. split; lra.
Qed.

(* proves: two-ls-reduction *)
Theorem two_ls_reduction : s_two_ls_reduction.
Proof.
  intros G gamma a b n c r N C R' A B' L M. apply apart_at_most; auto; lra.
Qed.

(** The distance of neighbours x, x + 1 is at most LS of both. *)
Lemma pair_local G a b n c : IZR c + 1 <= IZR n -> 0 <= IZR c ->
  distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR c + 1) (b + IZR n - IZR c - 1) <=
    local_sensitivity G a b (IZR c) (IZR n - IZR c) /\
  distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR c + 1) (b + IZR n - IZR c - 1) <=
    local_sensitivity G a b (IZR c + 1) (IZR n - IZR c - 1).
Proof.
  intros L P. split.
  - apply Rle_trans with (2 := local_right G a b (IZR c) (IZR n - IZR c) ltac:(lra)). right. f_equal; lra.
  - apply Rle_trans with (2 := local_left G a b (IZR c + 1) (IZR n - IZR c - 1) ltac:(lra)).
    right. rewrite distance_comm. f_equal; lra.
Qed.

(** Where f·H changes by at most ε/2 from x to y, whatever the candidate. *)
Lemma private_pair G f g a b n c d r e : (0 <= n)%Z -> (0 <= r <= n)%Z ->
  (forall i, (0 <= i <= n)%Z ->
    Rabs (f * distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i)) -
      g * distance G (a + IZR d) (b + (IZR n - IZR d)) (a + IZR i) (b + (IZR n - IZR i))) <= e / 2) ->
  exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) <=
    exp e * exponential G g a b (IZR d) (IZR n - IZR d) (IZR r) (IZR n - IZR r).
Proof.
  intros N R' H. rewrite !exponential_of.
  assert (forall i, (0 <= i <= n)%Z ->
    weight G f a b (IZR c) (IZR n - IZR c) (IZR i) (IZR n - IZR i) <=
      exp (e / 2) * weight G g a b (IZR d) (IZR n - IZR d) (IZR i) (IZR n - IZR i) /\
    weight G g a b (IZR d) (IZR n - IZR d) (IZR i) (IZR n - IZR i) <=
      exp (e / 2) * weight G f a b (IZR c) (IZR n - IZR c) (IZR i) (IZR n - IZR i)) as W.
  { intros i I. specialize (H i I). unfold weight. rewrite <- !exp_plus.
    set (x := distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i))) in *.
    set (y := distance G (a + IZR d) (b + (IZR n - IZR d)) (a + IZR i) (b + (IZR n - IZR i))) in *.
    pose proof (Rle_abs (f * x - g * y)). pose proof (Rle_abs (- (f * x - g * y))) as K. rewrite Rabs_Ropp in K.
    split; apply exp_monotone; lra. }
  pose proof (total_positive G f a b (IZR c) (IZR n - IZR c) n N) as P.
  pose proof (total_positive G g a b (IZR d) (IZR n - IZR d) n N) as Q.
  assert (range_sum 0 (IZR n) (fun j => weight G g a b (IZR d) (IZR n - IZR d) (IZR j) (IZR n - IZR j)) <=
    exp (e / 2) * range_sum 0 (IZR n) (fun j => weight G f a b (IZR c) (IZR n - IZR c) (IZR j) (IZR n - IZR j))) as T.
  { rewrite <- range_sum_scaled. apply (range_sum_le 0 n). intros i I. apply W. exact I. }
  destruct (W r R') as [W1 _]. pose proof (weight_positive G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r)).
  pose proof (weight_positive G g a b (IZR d) (IZR n - IZR d) (IZR r) (IZR n - IZR r)).
  set (p := weight G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r)) in *.
  set (q := weight G g a b (IZR d) (IZR n - IZR d) (IZR r) (IZR n - IZR r)) in *.
  match type of P with 0 < ?s => set (x := s) in * end. match type of Q with 0 < ?s => set (y := s) in * end.
  replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; lra).
  pose proof (exp_pos (e / 2)). set (h := exp (e / 2)) in *.
  apply Rmult_le_reg_r with (x * y); [apply Rmult_lt_0_compat; auto|].
  replace (p / x * (x * y)) with (p * y) by (field; lra).
  replace (h * h * (q / y) * (x * y)) with (h * q * (h * x)) by (field; lra).
  apply Rmult_le_compat; lra.
Qed.

(** H(x, i) as P_exp writes it, against H(x + 1, i). *)
Lemma scores_apart G a b n c i : is_gamma G -> 0 < a -> 0 < b -> (0 <= c)%Z -> (c + 1 <= n)%Z -> (0 <= i <= n)%Z ->
  Rabs (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i)) -
    distance G (a + IZR (c + 1)) (b + (IZR n - IZR (c + 1))) (a + IZR i) (b + (IZR n - IZR i))) <=
  distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR c + 1) (b + IZR n - IZR c - 1).
Proof.
  intros gamma A B' C L [I1 I2]. apply IZR_le in C, L, I1, I2. rewrite plus_IZR in *.
  replace (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR c + 1) (b + IZR n - IZR c - 1))
    with (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + (IZR c + 1)) (b + (IZR n - (IZR c + 1)))) by (f_equal; lra).
  apply apart_at_most; auto; lra.
Qed.

Lemma local_global G a b n c : (0 <= c <= n)%Z ->
  local_sensitivity G a b (IZR c) (IZR n - IZR c) <= global_sensitivity G a b (IZR n).
Proof.
  intros C. exact (range_max_above 0 n c (fun i => local_sensitivity G a b (IZR i) (IZR n - IZR i)) C).
Qed.

(** One factor for all data. *)
Lemma private_constant G a b n c r e d : is_gamma G -> 0 < a -> 0 < b -> 0 < e -> 0 < d ->
  (0 <= c)%Z -> (c + 1 <= n)%Z -> (0 <= r <= n)%Z ->
  distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR c + 1) (b + IZR n - IZR c - 1) <= d ->
  let p x := exponential G (e / (2 * d)) a b (IZR x) (IZR n - IZR x) (IZR r) (IZR n - IZR r) in
  p c <= exp e * p (c + 1)%Z /\ p (c + 1)%Z <= exp e * p c.
Proof.
  intros gamma A B' E D C L R' H p.
  assert (forall i, (0 <= i <= n)%Z ->
    Rabs (e / (2 * d) * distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i)) -
      e / (2 * d) * distance G (a + IZR (c + 1)) (b + (IZR n - IZR (c + 1))) (a + IZR i) (b + (IZR n - IZR i))) <= e / 2) as K.
  { intros i I. pose proof (scores_apart G a b n c i gamma A B' C L I) as S. rewrite <- Rmult_minus_distr_l, Rabs_mult.
    assert (0 < e / (2 * d)) as P by (apply over_positive; lra). rewrite (Rabs_pos_eq (e / (2 * d))) by lra.
    replace (e / 2) with (e / (2 * d) * d) by (field; lra). apply Rmult_le_compat_l; lra. }
  split; apply private_pair; try lia; auto. intros i I. rewrite Rabs_minus_sym. apply K. exact I.
Qed.

Ltac shifted n c := replace (IZR c + 1) with (IZR (c + 1)) by (rewrite plus_IZR; lra);
  replace (IZR n - IZR c - 1) with (IZR n - IZR (c + 1)) by (rewrite plus_IZR; lra).

Ltac whole_bounds := apply le_IZR; rewrite ?plus_IZR; lra.

(* proves: two-global-dp *)
Theorem two_global_dp : s_two_global_dp.
Proof.
  intros G gamma a b e d n c r N C R' A B' L E M P K. shifted n c.
  assert (0 <= c)%Z as C' by whole_bounds. assert (c + 1 <= n)%Z as L' by whole_bounds.
  apply private_constant; auto; try lia; [split; whole_bounds|].
  apply Rle_trans with (1 := proj1 (pair_local G a b n c L ltac:(lra))).
  apply Rle_trans with (1 := local_global G a b n c ltac:(lia)). lra.
Qed.

(** LS is above 0. *)
Lemma step_positive G p q : is_gamma G -> 0 < p -> 0 < q -> 0 < distance G p (q + 1) (p + 1) q.
Proof.
  intros gamma P Q. destruct (step_distance G gamma p q P Q) as [-> [A _]].
  assert (phi2 G p q < 1) as L.
  { unfold phi2. pose proof (phi_below G gamma q Q). pose proof (phi_positive G gamma q Q).
    pose proof (phi_strict G gamma p (p + 1) P ltac:(lra)). pose proof (phi_below G gamma (p + 1) ltac:(lra)).
    pose proof (phi_positive G gamma p P).
    apply Rle_lt_trans with (phi G p * 1); [apply Rmult_le_compat_l; lra|lra]. }
  apply sqrt_lt_R0. pose proof (sqrt_lt_1_alt (phi2 G p q) 1 ltac:(lra)) as S. rewrite sqrt_1 in S. lra.
Qed.

Lemma local_positive G a b n c : is_gamma G -> 0 < a -> 0 < b -> (0 <= c <= n)%Z -> (1 <= n)%Z ->
  0 < local_sensitivity G a b (IZR c) (IZR n - IZR c).
Proof.
  intros gamma A B' [C L] N. destruct (Z.eq_dec c n) as [->|D].
  - apply Rlt_le_trans with (2 := local_left G a b (IZR n) (IZR n - IZR n) ltac:(apply IZR_le in N; lra)).
    apply IZR_le in N. rewrite step_to_left. apply step_positive; auto; lra.
  - assert (c + 1 <= n)%Z as M by lia. apply IZR_le in M, C. rewrite plus_IZR in M.
    apply Rlt_le_trans with (2 := local_right G a b (IZR c) (IZR n - IZR c) ltac:(lra)).
    rewrite step_to_right. apply step_positive; auto; lra.
Qed.

(** Smoothed maxima of the inverses. *)
Section Smooth.
Variables (G : R -> R) (a b : R) (n : Z).
Hypothesis gamma : is_gamma G.
Hypothesis A : 0 < a.
Hypothesis Bp : 0 < b.
Hypothesis N : (1 <= n)%Z.
Notation ls i := (local_sensitivity G a b (IZR i) (IZR n - IZR i)).

Lemma smoothed_of g c : gamma_smooth G a b g (IZR c) (IZR n - IZR c) =
  range_max 0 (IZR n) (fun i => 1 / (1 / ls i + g * Rabs (IZR c - IZR i))).
Proof. unfold gamma_smooth. replace (IZR c + (IZR n - IZR c)) with (IZR n) by ring. reflexivity. Qed.

Lemma term_positive g c i : 0 <= g -> (0 <= i <= n)%Z -> 0 < 1 / ls i + g * Rabs (IZR c - IZR i).
Proof.
  intros P I. pose proof (local_positive G a b n i gamma A Bp I N). pose proof (Rabs_pos (IZR c - IZR i)).
  assert (0 < 1 / ls i) by (apply over_positive; lra). assert (0 <= g * Rabs (IZR c - IZR i)) by (apply Rmult_le_pos; auto). lra.
Qed.

Lemma smoothed_above g c : 0 <= g -> (0 <= c <= n)%Z -> ls c <= gamma_smooth G a b g (IZR c) (IZR n - IZR c).
Proof.
  intros P C. rewrite smoothed_of. pose proof (local_positive G a b n c gamma A Bp C N).
  pose proof (range_max_above 0 n c (fun i => 1 / (1 / ls i + g * Rabs (IZR c - IZR i))) C) as M. cbv beta in M.
  eapply Rle_trans; [|exact M].
  replace (IZR c - IZR c) with 0 by ring. rewrite Rabs_R0. right. field. lra.
Qed.

Lemma smoothed_step g c d : 0 <= g -> (0 <= c <= n)%Z -> (0 <= d <= n)%Z -> Rabs (IZR d - IZR c) <= 1 ->
  1 / gamma_smooth G a b g (IZR d) (IZR n - IZR d) - 1 / gamma_smooth G a b g (IZR c) (IZR n - IZR c) <= g.
Proof.
  intros P C D Q. rewrite !smoothed_of.
  destruct (range_max_attained 0 n (fun i => 1 / (1 / ls i + g * Rabs (IZR c - IZR i))) ltac:(lia)) as (z & Z & E).
  rewrite E. pose proof (range_max_above 0 n z (fun i => 1 / (1 / ls i + g * Rabs (IZR d - IZR i))) Z) as M. cbv beta in *.
  pose proof (term_positive g c z P Z) as T1. pose proof (term_positive g d z P Z) as T2.
  set (x := 1 / ls z + g * Rabs (IZR c - IZR z)) in *. set (y := 1 / ls z + g * Rabs (IZR d - IZR z)) in *.
  assert (y <= x + g) as L.
  { unfold x, y. assert (Rabs (IZR d - IZR z) <= 1 + Rabs (IZR c - IZR z)) as R'.
    { replace (IZR d - IZR z) with (IZR d - IZR c + (IZR c - IZR z)) by ring. pose proof (Rabs_triang (IZR d - IZR c) (IZR c - IZR z)). lra. }
    apply (Rmult_le_compat_l g) in R'; lra. }
  match type of M with _ <= ?m => assert (1 / m <= y) as K; [|set (w := m) in *] end.
  { apply Rle_trans with (1 / (1 / y)); [|right; field; lra]. unfold Rdiv. apply Rmult_le_compat_l; [lra|].
    apply Rinv_le_contravar; [apply over_positive; lra|exact M]. }
  replace (1 / (1 / x)) with x by (field; lra). lra.
Qed.

Lemma beta_of g c : beta_smooth G a b g (IZR c) (IZR n - IZR c) =
  range_max 0 (IZR n) (fun i => ls i * exp (- g * Rabs (IZR c - IZR i))).
Proof. unfold beta_smooth. replace (IZR c + (IZR n - IZR c)) with (IZR n) by ring. reflexivity. Qed.

Lemma beta_above g c : (0 <= c <= n)%Z -> ls c <= beta_smooth G a b g (IZR c) (IZR n - IZR c).
Proof.
  intros C. rewrite beta_of.
  pose proof (range_max_above 0 n c (fun i => ls i * exp (- g * Rabs (IZR c - IZR i))) C) as M. cbv beta in M.
  eapply Rle_trans; [|exact M].
  replace (IZR c - IZR c) with 0 by ring. rewrite Rabs_R0. rewrite Rmult_0_r, exp_0. lra.
Qed.

Lemma beta_step g c d : 0 <= g -> (0 <= c <= n)%Z -> (0 <= d <= n)%Z -> Rabs (IZR d - IZR c) <= 1 ->
  beta_smooth G a b g (IZR c) (IZR n - IZR c) <= exp g * beta_smooth G a b g (IZR d) (IZR n - IZR d).
Proof.
  intros P C D Q. rewrite !beta_of.
  destruct (range_max_attained 0 n (fun i => ls i * exp (- g * Rabs (IZR c - IZR i))) ltac:(lia)) as (z & Z & E).
  rewrite E. pose proof (range_max_above 0 n z (fun i => ls i * exp (- g * Rabs (IZR d - IZR i))) Z) as M. cbv beta in *.
  pose proof (local_positive G a b n z gamma A Bp Z N). pose proof (exp_pos g) as Eg.
  apply Rle_trans with (exp g * (ls z * exp (- g * Rabs (IZR d - IZR z)))); [|apply Rmult_le_compat_l; [lra|exact M]].
  replace (exp g * (ls z * exp (- g * Rabs (IZR d - IZR z)))) with (ls z * (exp g * exp (- g * Rabs (IZR d - IZR z)))) by ring.
  apply Rmult_le_compat_l; [lra|]. rewrite <- exp_plus. apply exp_monotone.
  assert (Rabs (IZR d - IZR z) <= 1 + Rabs (IZR c - IZR z)) as R'.
  { replace (IZR d - IZR z) with (IZR d - IZR c + (IZR c - IZR z)) by ring. pose proof (Rabs_triang (IZR d - IZR c) (IZR c - IZR z)). lra. }
  apply (Rmult_le_compat_l g) in R'; lra.
Qed.
End Smooth.

Lemma one_apart c : Rabs (IZR (c + 1) - IZR c) <= 1 /\ Rabs (IZR c - IZR (c + 1)) <= 1.
Proof.
  rewrite plus_IZR. replace (IZR c + 1 - IZR c) with 1 by ring. replace (IZR c - (IZR c + 1)) with (- (1)) by ring.
  rewrite Rabs_Ropp, Rabs_R1. lra.
Qed.

(* proves: two-gamma-smooth *)
Theorem two_gamma_smooth : s_two_gamma_smooth.
Proof.
  intros G gamma a b g n c N C A B' L P. shifted n c. destruct (one_apart c) as [O1 O2].
  assert (0 <= c)%Z as C' by whole_bounds. assert (c + 1 <= n)%Z as L' by whole_bounds.
  repeat split.
  - apply Rle_ge. apply smoothed_above; auto; try lra; lia.
  - apply Rlt_gt. apply local_positive; auto; lia.
  - apply smoothed_step; auto; try lra; lia.
  - apply smoothed_step; auto; try lra; lia.
Qed.

(* proves: two-beta-smooth *)
Theorem two_beta_smooth : s_two_beta_smooth.
Proof.
  intros G gamma a b g n c N C A B' L P. shifted n c. destruct (one_apart c) as [O1 O2].
  assert (0 <= c)%Z as C' by whole_bounds. assert (c + 1 <= n)%Z as L' by whole_bounds.
  repeat split.
  - apply beta_above; lia.
  - apply beta_above; lia.
  - apply beta_step; auto; try lra; lia.
  - apply beta_step; auto; try lra; lia.
Qed.

Lemma scaled_apart h k s t e g : 0 < s -> 0 < t -> 0 < e -> 0 <= g -> 0 <= h <= 1 -> 0 <= k <= 1 ->
  Rabs (h - k) <= s -> Rabs (h - k) <= t -> 1 / s - 1 / t <= g -> 1 / t - 1 / s <= g ->
  Rabs (e / (2 * (1 + g) * s) * h - e / (2 * (1 + g) * t) * k) <= e / 2.
Proof.
  intros S T E P H K L M U V.
  assert (forall x y q r, 0 < q -> 0 < r -> 0 <= x <= 1 -> 0 <= y <= 1 -> Rabs (x - y) <= q -> Rabs (x - y) <= r ->
    1 / q - 1 / r <= g -> x / q - y / r <= 1 + g) as W.
  { intros x y q r Q R' X Y A B' C. pose proof (Rle_abs (x - y)).
    replace (x / q - y / r) with ((x - y) / r + x * (1 / q - 1 / r)) by (field; lra).
    assert ((x - y) / r <= 1).
    { apply Rmult_le_reg_r with r; auto. replace ((x - y) / r * r) with (x - y) by (field; lra). lra. }
    assert (x * (1 / q - 1 / r) <= x * g) by (apply Rmult_le_compat_l; lra).
    assert (x * g <= 1 * g) by (apply Rmult_le_compat_r; lra). lra. }
  pose proof (W h k s t S T H K L M U) as W1. rewrite Rabs_minus_sym in L, M.
  pose proof (W k h t s T S K H M L V) as W2.
  replace (e / (2 * (1 + g) * s) * h - e / (2 * (1 + g) * t) * k) with (e / (2 * (1 + g)) * (h / s - k / t))
    by (field; repeat split; lra).
  assert (0 < e / (2 * (1 + g))) as Q by (apply over_positive; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (e / (2 * (1 + g)))) by lra.
  replace (e / 2) with (e / (2 * (1 + g)) * (1 + g)) by (field; lra). apply Rmult_le_compat_l; [lra|].
  apply Rabs_le. split; lra.
Qed.

(* proves: two-EHDS-dp *)
Theorem two_EHDS_dp : s_two_EHDS_dp.
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
  assert (forall i, (0 <= i <= n)%Z ->
    Rabs (e / (2 * (1 + g) * s) * distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR i) (b + (IZR n - IZR i)) -
      e / (2 * (1 + g) * t) * distance G (a + IZR (c + 1)) (b + (IZR n - IZR (c + 1))) (a + IZR i) (b + (IZR n - IZR i))) <= e / 2) as K.
  { intros i I. pose proof (scores_apart G a b n c i gamma A B' C' L' I) as Sc. destruct I as [I1 I2].
    apply IZR_le in I1, I2. assert (IZR (c + 1) <= IZR n) by (apply IZR_le; lia). assert (0 <= IZR (c + 1)) by (apply IZR_le; lia).
    apply scaled_apart; try lra.
    - split; [apply distance_nonneg|]. left. apply distance_bounds; auto; lra.
    - split; [apply distance_nonneg|]. left. apply distance_bounds; auto; lra. }
  split; apply private_pair; try lia; auto. intros i I. rewrite Rabs_minus_sym. apply K. exact I.
Qed.
