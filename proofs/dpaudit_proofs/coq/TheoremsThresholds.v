(** Typed statements of A Thm 4.5 and its corollaries: LSHist, and where which mechanism is the better one. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsPrivacy TheoremsMechanisms TheoremsNear.
Open Scope R_scope.

(** LSHist's law: ⌊c + Y⌋ is at most r with the probability [upto r]. *)
Section Noise.
Variables (e : R) (n c : Z).
Hypothesis E : 0 < e.
Hypothesis C : (0 <= c <= n)%Z.
Notation F x := (F_lap (1 / e) x).
Definition upto r := F (IZR r + 1 - IZR c) * (1 - same (IZR r) (IZR n)) + same (IZR r) (IZR n).
Definition before r := F (IZR r - IZR c) * (1 - same (IZR r) 0).

Lemma same_whole i j : same (IZR i) (IZR j) = if Z.eqb i j then 1 else 0.
Proof.
  unfold same. destruct Req_EM_T as [H|H]; destruct (Z.eqb_spec i j) as [L|L]; auto.
  - apply eq_IZR in H. lia.
  - subst. lra.
Qed.

Lemma upto_is r : upto r = if Z.eqb r n then 1 else F (IZR r + 1 - IZR c).
Proof. unfold upto. rewrite same_whole. destruct (Z.eqb r n); ring. Qed.

Lemma before_is r : before r = if Z.eqb r 0 then 0 else F (IZR r - IZR c).
Proof. unfold before. rewrite (same_whole r 0). destruct (Z.eqb r 0); ring. Qed.

Lemma scale : 0 < 1 / e.
Proof. apply over_positive; lra. Qed.

Lemma noise_below x : x <= 0 -> F x = exp (x * e) / 2.
Proof. intros X. rewrite F_left by (auto using scale). rewrite inverse_times by exact E. reflexivity. Qed.

Lemma noise_above x : 0 <= x -> F x = 1 - exp (- x * e) / 2.
Proof. intros X. rewrite F_right by (auto using scale). rewrite inverse_times by exact E. reflexivity. Qed.

Lemma noise_range x : 0 <= F x <= 1.
Proof.
  destruct (Rle_dec x 0) as [X|X].
  - rewrite noise_below by exact X. pose proof (exp_pos (x * e)).
    assert (exp (x * e) <= 1); [|lra]. rewrite <- exp_0. apply exp_monotone.
    assert (0 <= - x * e) by (apply Rmult_le_pos; lra). lra.
  - rewrite noise_above by lra. pose proof (exp_pos (- x * e)).
    assert (exp (- x * e) <= 1); [|lra]. rewrite <- exp_0. apply exp_monotone.
    assert (0 <= x * e) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma noise_grows x y : x <= y -> F x <= F y.
Proof.
  intros L. destruct (Rle_dec y 0) as [Y|Y].
  - rewrite !noise_below by lra. assert (exp (x * e) <= exp (y * e)); [|lra].
    apply exp_monotone, Rmult_le_compat_r; lra.
  - destruct (Rle_dec x 0) as [X|X].
    + rewrite (noise_below x), (noise_above y) by lra. pose proof (noise_below 0 (Rle_refl _)).
      assert (exp (x * e) <= 1). { rewrite <- exp_0. apply exp_monotone. assert (0 <= - x * e) by (apply Rmult_le_pos; lra). lra. }
      assert (exp (- y * e) <= 1). { rewrite <- exp_0. apply exp_monotone. assert (0 <= y * e) by (apply Rmult_le_pos; lra). lra. }
      lra.
    + rewrite !noise_above by lra. assert (exp (- y * e) <= exp (- x * e)); [|lra].
      apply exp_monotone, Rmult_le_compat_r; lra.
Qed.

Lemma noise_positive r : 0 <= upto r - before r.
Proof.
  rewrite upto_is, before_is. pose proof (noise_range (IZR r + 1 - IZR c)). pose proof (noise_range (IZR r - IZR c)).
  pose proof (noise_grows (IZR r - IZR c) (IZR r + 1 - IZR c) ltac:(lra)).
  destruct (Z.eqb r n), (Z.eqb r 0); lra.
Qed.

Lemma noise_sum lo hi : (0 <= lo)%Z -> (lo <= hi)%Z -> (hi <= n)%Z ->
  range_sum (IZR lo) (IZR hi) (fun r => upto r - before r) = upto hi - before lo.
Proof.
  intros L M N. pose proof (range_telescopes lo (Z.to_nat (hi - lo)) upto before) as T.
  replace (lo + Z.of_nat (Z.to_nat (hi - lo)))%Z with hi in T by lia. apply T.
  intros i I. rewrite upto_is, before_is. destruct (Z.eqb_spec i n); [lia|]. destruct (Z.eqb_spec (i + 1) 0); [lia|].
  rewrite plus_IZR. reflexivity.
Qed.
End Noise.

Lemma formula e n c k : 0 < e -> (0 <= k)%Z -> (k < c)%Z -> (c + k < n)%Z ->
  upto e n c (c + k) - before e c (c - k) = 1 - (exp (- IZR k * e) + exp (- (IZR k + 1) * e)) / 2.
Proof.
  intros E K L M. rewrite upto_is, before_is. destruct (Z.eqb_spec (c + k) n); [lia|]. destruct (Z.eqb_spec (c - k) 0); [lia|].
  rewrite plus_IZR, minus_IZR. apply (IZR_le 0) in K.
  rewrite (noise_above e E (IZR c + IZR k + 1 - IZR c)), (noise_below e E (IZR c - IZR k - IZR c)) by lra.
  replace (IZR c - IZR k - IZR c) with (- IZR k) by ring. replace (IZR c + IZR k + 1 - IZR c) with (IZR k + 1) by ring. lra.
Qed.

Lemma noise_near G a b t n c k e : is_gamma G -> 0 < e -> (0 <= c <= n)%Z -> (0 <= k)%Z -> (k < c)%Z -> (c + k < n)%Z ->
  (forall r : Z, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) <= IZR k \/
    t <= distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) ->
  (forall r : Z, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) > IZR k \/
    distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r) < t) ->
  range_sum 0 (IZR n) (fun r => (1 - at_most t (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r))) *
    (upto e n c r - before e c r)) = 1 - (exp (- IZR k * e) + exp (- (IZR k + 1) * e)) / 2.
Proof.
  intros gamma E I K L M Reach Within. rewrite (near_all G a b t n c k) by (auto; lia).
  rewrite (noise_sum e n c) by lia. apply formula; auto.
Qed.

(* proves on: thm-4.5-LSHist-equality *)
Theorem thm_4_5_LSHist_equality : s_thm_4_5_LSHist_equality_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ C1 C2 Within. sides.
  apply noise_near; auto; try (apply le_IZR; lra); try (split; apply le_IZR; lra); apply lt_IZR; rewrite ?plus_IZR; lra.
Qed.

Lemma one_record_noise G t e : is_gamma G -> 0 < e -> 0 < t -> t <= distance G 1 2 2 1 ->
  range_sum 0 1 (fun r => (1 - at_most t (distance G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r))) *
    (upto e 1 0 r - before e 0 r)) = 1 - exp (- e) / 2.
Proof.
  intros gamma E T D. rewrite sum_of_two. rewrite distance_self by (auto; lra).
  replace (distance G (1 + 0) (1 + 1 - 0) (1 + 1) (1 + 1 - 1)) with (distance G 1 2 2 1) by (f_equal; lra).
  rewrite !upto_is, !before_is. cbn [Z.eqb Pos.eqb]. rewrite (noise_above e E (0 + 1 - 0)) by lra.
  replace (- (0 + 1 - 0) * e) with (- e) by ring.
  unfold at_most. destruct Rle_dec; [lra|]. destruct Rle_dec; [|lra]. lra.
Qed.

(* disproves: thm-4.5-LSHist-equality *)
Theorem thm_4_5_LSHist_equality_fails : s_thm_4_5_LSHist_equality_false.
Proof.
  intros G gamma Y. pose proof (one_record G gamma) as D. pose proof constant_range.
  specialize (Y 1 1 1 (distance G 1 2 2 1) 1%Z 0%Z 0%Z). point Y.
  specialize (Y (one_step_reach G _ gamma (Rle_refl _)) (itself_within G (distance G 1 2 2 1) gamma ltac:(lra))).
  pose proof (one_record_noise G (distance G 1 2 2 1) 1 gamma ltac:(lra) ltac:(lra) (Rle_refl _)) as M.
  unfold upto, before in M. rewrite M in Y. replace (- 0 * 1) with 0 in Y by ring.
  replace (- (0 + 1) * 1) with (- (1)) in Y by ring. rewrite exp_0 in Y. lra.
Qed.

Lemma fewer_steps e k : 0 < e -> exp (- (IZR k + 1) * e) <= exp (- IZR k * e).
Proof. intros E. apply exp_monotone. lra. Qed.

(* proves on: thm-4.5-LSHist-bound *)
Theorem thm_4_5_LSHist_bound : s_thm_4_5_LSHist_bound_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ Within. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra). assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  apply Rle_ge. set (m := range_sum _ _ _).
  assert (m = upto e n c (Z.min n (c + k)) - before e c (Z.max 0 (c - k))) as ->.
  { unfold m. transitivity (range_sum (IZR (Z.max 0 (c - k))) (IZR (Z.min n (c + k))) (fun r => upto e n c r - before e c r)).
    - etransitivity; [exact (near_part G a b t n c k I K' Reach (fun r => upto e n c r - before e c r))|].
      apply range_sum_ext. intros i J. destruct (inside_is G a b t n c i) as [[_ ->]|[M _]]; [ring|].
      destruct (Within i) as [O|O]; [split; apply IZR_le; lia| |lra].
      pose proof (proj2 (steps_in c k i) ltac:(lia)). lra.
    - apply noise_sum; lia. }
  rewrite upto_is, before_is. pose proof (fewer_steps e k E). pose proof (exp_pos (- (IZR k + 1) * e)).
  assert (Z.eqb (Z.min n (c + k)) n = false -> F_lap (1 / e) (IZR (Z.min n (c + k)) + 1 - IZR c) = 1 - exp (- (IZR k + 1) * e) / 2) as X.
  { intros D. apply Z.eqb_neq in D. replace (Z.min n (c + k)) with (c + k)%Z by lia. rewrite plus_IZR.
    replace (IZR c + IZR k + 1 - IZR c) with (IZR k + 1) by ring. apply noise_above; lra. }
  assert (Z.eqb (Z.max 0 (c - k)) 0 = false -> F_lap (1 / e) (IZR (Z.max 0 (c - k)) - IZR c) = exp (- IZR k * e) / 2) as Y.
  { intros D. apply Z.eqb_neq in D. replace (Z.max 0 (c - k)) with (c - k)%Z by lia. rewrite minus_IZR.
    replace (IZR c - IZR k - IZR c) with (- IZR k) by ring. apply noise_below; lra. }
  pose proof (exp_pos (- IZR k * e)).
  destruct (Z.eqb (Z.min n (c + k)) n), (Z.eqb (Z.max 0 (c - k)) 0); rewrite ?X, ?Y by reflexivity; lra.
Qed.

(* disproves: thm-4.5-LSHist-bound *)
Theorem thm_4_5_LSHist_bound_fails : s_thm_4_5_LSHist_bound_false.
Proof.
  intros G gamma Y.
  assert (distance G 2 3 3 2 < distance G 2 3 1 4) as D.
  { pose proof pi_bounds as P.
    rewrite (distance_is G 2 3 3 2 (3 * PI / 128) (1 / 144)); try (unfold B; by_values gamma).
    rewrite (distance_is G 2 3 1 4 (5 * PI / 128) (1 / 48)); try (unfold B; by_values gamma).
    assert (PI * PI < 16 / 5 * (16 / 5)) by (apply Rmult_gt_0_lt_compat; lra).
    assert (0 < PI * PI) by (apply Rmult_lt_0_compat; lra).
    apply (distance_order (5 * PI / 128) (1 / 48) (3 * PI / 128) (1 / 144)); lra. }
  pose proof (distance_nonneg G 2 3 3 2). set (t := distance G 2 3 1 4) in *.
  specialize (Y 1 2 1 t 2%Z 1%Z 1%Z). point Y.
  assert (forall r : Z, 0 <= IZR r <= 2 -> r = 0%Z \/ r = 1%Z \/ r = 2%Z) as Few.
  { intros r [R1 R2]. apply (le_IZR 0) in R1. apply (le_IZR r 2) in R2. lia. }
  assert (distance G (1 + 1) (2 + 2 - 1) (1 + 2) (2 + 2 - 2) = distance G 2 3 3 2) as D2 by (f_equal; lra).
  assert (distance G (1 + 1) (2 + 2 - 1) (1 + 0) (2 + 2 - 0) = t) as D0 by (unfold t; f_equal; lra).
  specialize (Y ltac:(intros r R'; left; destruct (Few r R') as [-> | [-> | ->]]; unfold Rabs; destruct Rcase_abs; lra)).
  specialize (Y ltac:(exists 2%Z; split; [lra|]; split; [unfold Rabs; destruct Rcase_abs; lra|rewrite D2; exact D])).
  rewrite sum_of_three in Y. rewrite D0, D2 in Y. rewrite distance_self in Y by (auto; lra).
  pose proof (upto_is 1 2 1 1) as U1. pose proof (upto_is 1 2 1 2) as U2.
  pose proof (before_is 1 1 1) as B1. pose proof (before_is 1 1 2) as B2.
  unfold upto, before in U1, U2, B1, B2. cbn [Z.eqb Pos.eqb] in U1, U2, B1, B2. rewrite U1, U2, B1, B2 in Y.
  replace (2 - 1) with (1 + 1 - 1) in Y by ring. rewrite (noise_below 1 ltac:(lra) (1 - 1)) in Y by lra.
  replace ((1 - 1) * 1) with 0 in Y by ring. rewrite exp_0 in Y.
  assert (at_most t t = 1) as E1 by (unfold at_most; destruct Rle_dec; lra).
  assert (at_most t 0 = 0) as E2 by (unfold at_most; destruct Rle_dec; lra).
  assert (at_most t (distance G 2 3 3 2) = 0) as E3 by (unfold at_most; destruct Rle_dec; lra).
  rewrite E1, E2, E3 in Y. replace (- (1) * 1) with (- (1)) in Y by ring.
  assert (exp (- (1)) < 1 / 2).
  { rewrite exp_Ropp. pose proof (exp_ineq1 1 ltac:(lra)). replace (1 / 2) with (/ 2) by lra. apply Rinv_lt_contravar; lra. }
  lra.
Qed.

(** A rate of 1/(2√(1 − π/4)) is below 27/25 and what is within 2√(1 − π/4) weighs at least e^(−ε). *)
Lemma constant_near_lower G a b e t n c k : is_gamma G -> 0 < a -> 0 < b -> 0 < e -> (0 <= c <= n)%Z -> (0 <= k)%Z ->
  (k <= c)%Z -> (c + k <= n)%Z -> t <= 2 * sqrt (1 - PI / 4) ->
  (forall r : Z, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) <= IZR k \/
    t <= distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) ->
  (forall r : Z, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) > IZR k \/
    distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r) < t) ->
  (2 * IZR k * exp (- e) + 1) / total G (e / (2 * sqrt (1 - PI / 4))) a b n c <=
  range_sum 0 (IZR n) (fun r => (1 - at_most t (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r))) *
    exponential G (e / (2 * sqrt (1 - PI / 4))) a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r)).
Proof.
  intros gamma A B' E I K L M S Reach Within. pose proof constant_range. set (s := sqrt (1 - PI / 4)) in *.
  assert (0 < e / (2 * s)) as F by (apply Rdiv_lt_0_compat; lra).
  apply (near_lower G a b t n c k gamma A B' I K Reach (e / (2 * s))); auto.
  - rewrite <- exp_0. apply exp_monotone. lra.
  - intros r R'. destruct (inside_one G a b t n c k L M Within r R') as [_ H']. apply exp_monotone.
    assert (e / (2 * s) * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r) <= e / (2 * s) * (2 * s))
      by (apply Rmult_le_compat_l; lra).
    replace (e / (2 * s) * (2 * s)) with e in * by (field; lra). lra.
Qed.

(* proves on: cor-4.5.2 *)
Theorem cor_4_5_2 : s_cor_4_5_2_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ Few C1 C2 Within S Z. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra). assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  assert (k < c)%Z as K1 by (apply lt_IZR; lra). assert (c + k < n)%Z as K2 by (apply lt_IZR; rewrite plus_IZR; lra).
  pose proof (noise_near G a b t n c k e gamma E I K' K1 K2 Reach Within) as P. unfold upto, before in P. rewrite P.
  pose proof (constant_near_lower G a b e t n c k gamma A B' E I K' ltac:(lia) ltac:(lia) S Reach Within) as Q.
  apply Rlt_le_trans with (2 := Q). set (f := e / (2 * sqrt (1 - PI / 4))) in *.
  assert (total G f a b n c <= IZR n) as U.
  { apply Rle_trans with (2 := Z). right. unfold total. apply (range_sum_ext 0 n). intros. f_equal. ring. }
  pose proof (total_above G a b n c I f) as V. pose proof (exp_pos (- e)).
  assert (0 <= 2 * IZR k * exp (- e)) by (apply Rmult_le_pos; lra).
  set (m := 2 * IZR k * exp (- e) + 1) in *. assert (0 < m) by (unfold m; lra).
  apply Rlt_le_trans with (m / IZR n).
  - apply Rmult_lt_reg_r with (IZR n); [lra|]. replace (m / IZR n * IZR n) with m by (field; lra). lra.
  - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(* proves on: cor-4.5.2-order *)
Theorem cor_4_5_2_order : s_cor_4_5_2_order_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ Few C1 C2 Within S. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra). assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  assert (k < c)%Z as K1 by (apply lt_IZR; lra). assert (c + k < n)%Z as K2 by (apply lt_IZR; rewrite plus_IZR; lra).
  assert (2 <= IZR n) as N2 by (apply (IZR_le 2); lia).
  pose proof (noise_near G a b t n c k e gamma E I K' K1 K2 Reach Within) as P. unfold upto, before in P. rewrite P.
  pose proof (constant_near_lower G a b e t n c k gamma A B' E I K' ltac:(lia) ltac:(lia) S Reach Within) as Q.
  apply Rlt_le_trans with (2 := Q). pose proof constant_range. set (f := e / (2 * sqrt (1 - PI / 4))) in *.
  assert (0 < f) as F by (unfold f; apply Rdiv_lt_0_compat; lra).
  pose proof (total_range G a b f n c gamma A B' I ltac:(lra)) as [_ U].
  pose proof (total_above G a b n c I f) as V. pose proof (exp_pos (- e)).
  assert (0 <= 2 * IZR k * exp (- e)) by (apply Rmult_le_pos; lra).
  set (m := 2 * IZR k * exp (- e) + 1) in *. assert (0 < m) by (unfold m; lra).
  apply Rle_lt_trans with (m / (2 * IZR n)).
  - apply Rmult_le_reg_r with (2 * IZR n); [lra|]. replace (m / (2 * IZR n) * (2 * IZR n)) with m by (field; lra). lra.
  - apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; lra.
Qed.

(** One record at ε = 2: clamping helps the noise, and the other candidate has the weight e^(−1). *)
Lemma one_record_noise_wins G : is_gamma G ->
  range_sum 0 1 (fun r => (1 - at_most (distance G 1 2 2 1) (distance G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r))) *
    exponential G (2 / (2 * sqrt (1 - PI / 4))) 1 1 0 (1 - 0) (IZR r) (1 - IZR r)) <= 1 - exp (- (2)) / 2.
Proof.
  intros gamma. pose proof constant_range. pose proof (one_record G gamma) as D. set (s := sqrt (1 - PI / 4)) in *.
  assert (0 <= 0 <= 1)%Z as I by lia. assert (0 < 1) as P by lra.
  assert (0 < 2 / (2 * s)) as F by (apply Rdiv_lt_0_compat; lra).
  pose proof (near_upper G 1 1 (distance G 1 2 2 1) 1 0 0 gamma P P I ltac:(lia) (one_step_reach G _ gamma (Rle_refl _)) (2 / (2 * s)) ltac:(lra)) as U.
  apply Rle_trans with (1 := U). unfold total. rewrite sum_of_two. rewrite distance_self by (auto; lra).
  replace (distance G (1 + 0) (1 + 1 - 0) (1 + 1) (1 + 1 - 1)) with s by (rewrite <- D; f_equal; lra).
  rewrite !Rmult_0_r, exp_0. replace (- (2 / (2 * s)) * s) with (- (1)) by (field; lra).
  replace (- (2)) with (2 * - (1)) by ring. rewrite exp_twice. pose proof (exp_below_1 (- (1)) ltac:(lra)) as [W0 W1].
  set (w := exp (- (1))) in *. apply Rmult_le_reg_r with (1 + w); [lra|].
  replace ((0 + 1) / (1 + w) * (1 + w)) with 1 by (field; lra).
  assert (0 <= w * ((1 - w) * (2 + w))) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

(* disproves: cor-4.5.2 *)
Theorem cor_4_5_2_fails : s_cor_4_5_2_false.
Proof.
  intros G gamma Y. pose proof (one_record G gamma) as D. pose proof constant_range.
  specialize (Y 1 1 2 (distance G 1 2 2 1) 1%Z 0%Z 0%Z). point Y.
  specialize (Y (one_step_reach G _ gamma (Rle_refl _)) (itself_within G (distance G 1 2 2 1) gamma ltac:(lra))).
  pose proof (one_record_noise G (distance G 1 2 2 1) 2 gamma ltac:(lra) ltac:(lra) (Rle_refl _)) as M.
  unfold upto, before in M. rewrite M in Y. pose proof (one_record_noise_wins G gamma) as W.
  replace (- 0 * 2) with 0 in Y by ring. rewrite exp_0 in Y. pose proof (exp_pos (- (0 + 1) * 2)). pose proof (exp_pos (- (2))).
  specialize (Y ltac:(lra)). lra.
Qed.

(* disproves: cor-4.5.2-order *)
Theorem cor_4_5_2_order_fails : s_cor_4_5_2_order_false.
Proof.
  intros G gamma Y. pose proof (one_record G gamma) as D. pose proof constant_range.
  specialize (Y 1 1 2 (distance G 1 2 2 1) 1%Z 0%Z 0%Z). point Y.
  specialize (Y (one_step_reach G _ gamma (Rle_refl _)) (itself_within G (distance G 1 2 2 1) gamma ltac:(lra))).
  pose proof (one_record_noise G (distance G 1 2 2 1) 2 gamma ltac:(lra) ltac:(lra) (Rle_refl _)) as M.
  unfold upto, before in M. rewrite M in Y. pose proof (one_record_noise_wins G gamma) as W.
  replace (- 0 * 2) with 0 in Y by ring. rewrite exp_0 in Y. pose proof (exp_pos (- (0 + 1) * 2)). pose proof (exp_pos (- (2))).
  specialize (Y ltac:(lra)). lra.
Qed.

(* proves: cor-4.5.1-order *)
Theorem cor_4_5_1_order : s_cor_4_5_1_order.
Proof.
  intros G gamma a b e t M n c k N C K A B' E T N1 L Reach _ EM Many. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra). assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  pose proof constant_range. set (s := sqrt (1 - PI / 4)) in *. set (f := e / (2 * s)) in *.
  assert (0 < f) as F by (unfold f; apply Rdiv_lt_0_compat; lra).
  apply Rle_lt_trans with (1 := near_upper G a b t n c k gamma A B' I K' Reach f ltac:(lra)).
  apply Rlt_le_trans with ((1 - exp (- e)) / 2).
  - pose proof (total_at_least G a b n c gamma A B' I f ltac:(lra)) as Z. pose proof (exp_pos (- f)) as Q.
    pose proof (exp_below_1 (- e) ltac:(lra)) as [U0 U1]. set (u := 1 - exp (- e)) in *. set (m := 2 * IZR k + 1) in *.
    assert (0 < m) by (unfold m; lra).
    assert (2 * exp (2 * M / 25) * m * exp e <= IZR n * u) as Bound.
    { apply Rmult_le_reg_r with (/ u); [apply Rinv_0_lt_compat; unfold u; lra|].
      replace (IZR n * u * / u) with (IZR n) by (field; unfold u; lra). exact Many. }
    assert (1 <= exp (2 * M / 25) * exp e * exp (- f)) as One.
    { rewrite <- !exp_plus, <- exp_0. apply exp_monotone.
      assert (f <= 27 / 25 * e); [|lra]. unfold f. apply Rmult_le_reg_r with (2 * s); [lra|].
      replace (e / (2 * s) * (2 * s)) with e by (field; lra).
      assert (e * (25 / 27) <= e * (2 * s)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (2 * m <= IZR n * exp (- f) * u).
    { apply Rle_trans with (2 * m * (exp (2 * M / 25) * exp e * exp (- f))).
      - assert (2 * m * 1 <= 2 * m * (exp (2 * M / 25) * exp e * exp (- f))) by (apply Rmult_le_compat_l; lra). lra.
      - apply Rmult_le_compat_r with (r := exp (- f)) in Bound; lra. }
    set (z := total G f a b n c) in *. assert (0 < IZR n * exp (- f)) by (apply Rmult_lt_0_compat; lra).
    assert ((1 + IZR n * exp (- f)) * u <= z * u) by (apply Rmult_le_compat_r; unfold u; lra).
    apply Rmult_lt_reg_r with z; [lra|]. replace (m / z * z) with m by (field; lra). unfold u in *. lra.
  - pose proof (range_at_least_one n c (fun r => (1 - at_most t (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r))) *
      (upto e n c r - before e c r)) I) as S.
    unfold upto, before in S. apply Rle_trans with (2 := S ltac:(intros i J; apply Rmult_le_pos;
      [destruct (inside_is G a b t n c i) as [[_ ->]|[_ ->]]; lra|apply (noise_positive e n c E i)])).
    rewrite (h_self G a b n c) by auto. fold (upto e n c c) (before e c c).
    replace (at_most t 0) with 0 by (unfold at_most; destruct Rle_dec; lra).
    rewrite upto_is, before_is. pose proof (noise_range e E (IZR c + 1 - IZR c)). pose proof (noise_range e E (IZR c - IZR c)).
    assert (F_lap (1 / e) (IZR c + 1 - IZR c) = 1 - exp (- e) / 2) as X.
    { rewrite noise_above by lra. replace (- (IZR c + 1 - IZR c) * e) with (- e) by ring. reflexivity. }
    assert (F_lap (1 / e) (IZR c - IZR c) = 1 / 2) as X0.
    { rewrite noise_below by lra. replace ((IZR c - IZR c) * e) with 0 by ring. rewrite exp_0. reflexivity. }
    pose proof (exp_pos (- e)). destruct (Z.eqb c n), (Z.eqb c 0); rewrite ?X, ?X0; lra.
Qed.
