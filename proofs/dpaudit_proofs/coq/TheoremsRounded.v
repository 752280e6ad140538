(** Typed statements about Laplace noise that is rounded down and clamped to 0 … n (A Alg. 1 to 3). *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise Values TheoremsTyped TheoremsMechanisms TheoremsScores TheoremsPoints TheoremsOrder TheoremsClamped TheoremsPrivacy Rounded.
Open Scope R_scope.

Lemma budget_steps e : 0 < e -> F_lap (1 / e) 2 - F_lap (1 / e) (-1) = 1 - (exp (- e) + exp (- (2) * e)) / 2.
Proof.
  intros E. assert (0 < 1 / e) by (apply over_positive; lra). rewrite F_right, F_left by lra. rewrite !inverse_times by lra.
  replace (-1 * e) with (- e) by ring. lra.
Qed.

Lemma noise_within e K L : 0 < e -> 0 <= K -> 0 <= L -> F_lap (1 / e) L - F_lap (1 / e) (- K) = 1 - (exp (- L * e) + exp (- K * e)) / 2.
Proof.
  intros E P Q. assert (0 < 1 / e) by (apply over_positive; lra). rewrite F_right, F_left by lra. rewrite !inverse_times by lra. lra.
Qed.

(** An output for −1 ≤ Y < 2 is within LS(x). *)
Lemma near_output G a b n c r : is_gamma G -> 0 < a -> 0 < b -> (0 <= c <= n)%Z -> (0 <= r <= n)%Z ->
  IZR r - IZR c < 2 -> -1 < IZR r + 1 - IZR c ->
  distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r) <= local_sensitivity G a b (IZR c) (IZR n - IZR c).
Proof.
  intros gamma A B' C R L1 L2.
  assert (r - c < 2)%Z by (apply lt_IZR; rewrite minus_IZR; lra).
  assert (-2 < r - c)%Z by (apply lt_IZR; rewrite minus_IZR; lra).
  destruct C as [C0 C1]. apply IZR_le in C0 as C0'. apply IZR_le in C1 as C1'.
  assert (r = c \/ r = c + 1 \/ r = c - 1)%Z as [->|[E|E]] by lia.
  - rewrite distance_self; [apply local_nonneg|auto|lra|lra].
  - subst r. rewrite plus_IZR. assert (IZR c + 1 <= IZR n) by (rewrite <- plus_IZR; apply IZR_le; lia).
    replace (distance G _ _ _ _) with (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR c + 1) (b + (IZR n - IZR c) - 1)) by (f_equal; lra).
    apply local_right. lra.
  - subst r. rewrite minus_IZR. assert (1 <= IZR c) by (apply IZR_le; lia).
    replace (distance G _ _ _ _) with (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR c - 1) (b + (IZR n - IZR c) + 1)) by (f_equal; lra).
    apply local_left. lra.
Qed.

Lemma below_weight h s : 0 <= 1 - same (Rmax h s) h /\ (h < s -> 1 <= 1 - same (Rmax h s) h).
Proof.
  pose proof (same_1 (Rmax h s) h). split; [lra|]. intros L. rewrite Rmax_right by lra. unfold same. destruct Req_EM_T; lra.
Qed.

(* proves: cor-4.4.1-probability *)
Theorem cor_4_4_1_probability : s_cor_4_4_1_probability.
Proof.
  intros G gamma a b e n c _ C A B' E N L. counts. apply Rle_ge. rewrite <- budget_steps by lra.
  apply (event (1 / e) ltac:(apply over_positive; lra) n N (IZR c) (-1) 2
    (fun r => same (Rmax (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r))
      (local_sensitivity G a b (IZR c) (IZR n - IZR c))) (local_sensitivity G a b (IZR c) (IZR n - IZR c)))); try lra.
  - split; apply IZR_le; lia.
  - intros r _. apply same_1.
  - intros r R L1 L2. rewrite Rmax_right; [unfold same; destruct Req_EM_T as [|Q]; [lra|destruct Q; reflexivity]|].
    apply near_output; auto; lra.
Qed.

Lemma closer_outputs G a b e s n c : is_gamma G -> 0 < a -> 0 < b -> 0 < e -> (1 <= n)%Z -> (0 <= c <= n)%Z ->
  local_sensitivity G a b (IZR c) (IZR n - IZR c) < s ->
  1 - (exp (- e) + exp (- (2) * e)) / 2 <= range_sum 0 (IZR n) (fun r => P_clamp (1 / e) (IZR n) (IZR c) (IZR r) *
    (1 - same (Rmax (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) s)
      (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)))).
Proof.
  intros gamma A B' E N C M. rewrite <- budget_steps by lra.
  apply (event (1 / e) ltac:(apply over_positive; lra) n N (IZR c) (-1) 2 (fun r => 1 - same (Rmax (distance G _ _ _ _) s) (distance G _ _ _ _))); try lra.
  - split; apply IZR_le; lia.
  - intros r _. apply below_weight.
  - intros r R L1 L2. apply below_weight. apply Rle_lt_trans with (2 := M). apply near_output; auto; lra.
Qed.

(* proves: thm-4.2-upper *)
Theorem thm_4_2_upper : s_thm_4_2_upper.
Proof.
  intros G gamma a b e s n c _ C A B' E N L M. counts. apply Rle_ge.
  apply Rle_trans with (2 := closer_outputs G a b e s n c gamma A B' E N ltac:(lia) M).
  replace (- (2) * e) with (2 * - e) by ring. rewrite exp_twice. pose proof (exp_below_1 (- e) ltac:(lra)).
  assert (0 < exp (- e) * (1 - exp (- e))) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* proves: cor-4.4.1-quotient *)
Theorem cor_4_4_1_quotient : s_cor_4_4_1_quotient.
Proof.
  intros G gamma a b e s n c N0 C A B' E N L M. split; [|exact (proj1 (cor_4_4_1 e E))]. counts. apply Rle_ge.
  apply closer_outputs; auto.
Qed.

(* proves: thm-4.3-quantile *)
Theorem thm_4_3_quantile : s_thm_4_3_quantile.
Proof.
  intros G gamma a b e K s n c _ C A B' E N L P H. counts. apply Rle_ge.
  replace (1 - exp (- K * e)) with (F_lap (1 / e) K - F_lap (1 / e) (- K)) by (rewrite noise_within; lra).
  apply (event (1 / e) ltac:(apply over_positive; lra) n N (IZR c) (- K) K (fun r => 1 - same (Rmax (distance G _ _ _ _) s) (distance G _ _ _ _))); try lra.
  - split; apply IZR_le; lia.
  - intros r _. apply below_weight.
  - intros r R L1 L2. apply below_weight. destruct (H r) as [Q|[Q|Q]]; try lra. split; apply IZR_le; lia.
Qed.

(* proves on: thm-4.3-whole *)
Theorem thm_4_3_whole : s_thm_4_3_whole_smaller.
Proof.
  intros G gamma a b e K s n c J _ C J0 A B' E N L P J1 J2 H Q. subst K. counts. apply Rle_ge.
  apply Rle_trans with (F_lap (1 / e) (IZR J + 1) - F_lap (1 / e) (- IZR J)).
  { rewrite noise_within by lra. assert (exp (- (IZR J + 1) * e) <= exp (- IZR J * e)); [|lra]. apply exp_monotone. lra. }
  apply (event (1 / e) ltac:(apply over_positive; lra) n N (IZR c) (- IZR J) (IZR J + 1) (fun r => 1 - same (Rmax (distance G _ _ _ _) s) (distance G _ _ _ _))); try lra.
  - split; apply IZR_le; lia.
  - intros r _. apply below_weight.
  - intros r R L1 L2. apply below_weight.
    assert (r - c < J + 1)%Z by (apply lt_IZR; rewrite minus_IZR, plus_IZR; lra).
    assert (- J < r + 1 - c)%Z by (apply lt_IZR; rewrite minus_IZR, plus_IZR, opp_IZR; lra).
    assert (IZR r - IZR c <= IZR J) by (rewrite <- minus_IZR; apply IZR_le; lia).
    assert (IZR c - IZR r <= IZR J) by (rewrite <- minus_IZR; apply IZR_le; lia).
    destruct (H r) as [U|[U|U]]; try lra. split; apply IZR_le; lia.
Qed.

Lemma counts_private s k m z p q n r e : 0 < s -> 0 < e -> (1 <= n)%Z -> (1 <= p <= k)%Z -> (1 <= q <= k)%Z ->
  (m <= k)%Z -> (forall i, (1 <= i <= k)%Z -> (0 <= z i)%Z) ->
  range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p)) = IZR n ->
  range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR q)) = IZR n ->
  (forall i, (1 <= i <= m)%Z -> (0 <= r i <= n)%Z) ->
  (p <> q -> 1 / s * range_sum 1 (IZR m) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= e) ->
  exp (range_sum 1 (IZR m) (fun i => ln (P_clamp s (IZR n) (IZR (z i) + same (IZR i) (IZR p)) (IZR (r i))))) <=
  exp e * exp (range_sum 1 (IZR m) (fun i => ln (P_clamp s (IZR n) (IZR (z i) + same (IZR i) (IZR q)) (IZR (r i))))).
Proof.
  intros S E N P Q M Z0 Tp Tq R B. rewrite <- exp_plus. apply exp_monotone.
  destruct (Z.eq_dec p q) as [->|D]; [lra|]. specialize (B D).
  apply Rle_trans with (2 := Rplus_le_compat_r _ _ _ B). rewrite <- range_sum_scaled, <- range_sum_plus.
  apply (range_sum_le 1 m). intros i I. specialize (R i I).
  assert (0 <= z i)%Z as Zi by (apply Z0; lia).
  pose proof (entry_below z k p n P Z0 Tp) as Lp. pose proof (entry_below z k q n Q Z0 Tq) as Lq.
  assert (forall x y, 0 < x -> 0 < y -> x <= exp (1 / s) * y -> ln x <= 1 / s + ln y) as W.
  { intros x y X Y L. rewrite <- (ln_exp (1 / s)) at 1. rewrite <- ln_mult by (auto; apply exp_pos). apply ln_monotone; auto. }
  assert (0 < 1 / s) by (apply over_positive; lra).
  unfold same. destruct (Req_EM_T (IZR i) (IZR p)) as [Ep|Ep], (Req_EM_T (IZR i) (IZR q)) as [Eq|Eq].
  - apply eq_IZR in Ep, Eq. congruence.
  - apply eq_IZR in Ep. subst i. rewrite Rplus_0_r. destruct (count_private s n (z p) (r p) S Zi Lp R) as [_ A].
    rewrite !Rplus_0_r, Rmult_1_r. apply W; auto; apply clamp_positive; auto; lia.
  - apply eq_IZR in Eq. subst i. destruct (count_private s n (z q) (r q) S Zi Lq R) as [A _].
    rewrite Rplus_0_r, Rplus_0_l, Rmult_1_r. apply W; auto; apply clamp_positive; auto; lia.
  - lra.
Qed.

Lemma two_changed m p q : range_sum 1 (IZR m) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= 2.
Proof. rewrite range_sum_plus. pose proof (sum_same m p). pose proof (sum_same m q). lra. Qed.

Lemma one_changed p q : p <> q -> range_sum 1 (IZR 1) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= 1.
Proof.
  intros D. unfold range_sum. rewrite !whole_IZR. simpl. unfold same.
  destruct (Req_EM_T 1 (IZR p)) as [Ep|Ep], (Req_EM_T 1 (IZR q)) as [Eq|Eq]; try lra.
  destruct D. apply eq_IZR. congruence.
Qed.

Lemma least m f (A : forall i, 1 <= IZR i <= IZR m -> IZR (f i) >= 0) : forall i, (1 <= i <= m)%Z -> (0 <= f i)%Z.
Proof. intros i I. apply le_IZR. apply Rge_le, A. split; apply IZR_le; lia. Qed.

Lemma within m n f (A : forall i, 1 <= IZR i <= IZR m -> IZR (f i) >= 0 /\ IZR (f i) <= IZR n) :
  forall i, (1 <= i <= m)%Z -> (0 <= f i <= n)%Z.
Proof. intros i I. destruct (A i) as [L U]; [split; apply IZR_le; lia|]. split; apply le_IZR; lra. Qed.

(* proves: LSZhang-dp-all *)
Theorem LSZhang_dp_all : s_LSZhang_dp_all.
Proof.
  intros k z p q n r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq E R. counts.
  assert (0 < 2 / e) by (apply over_positive; lra).
  apply counts_private with k; auto; try lia; [apply least; exact Z0|apply within; exact R|].
  intros _. pose proof (two_changed k p q) as T. replace (1 / (2 / e)) with (e / 2) by (field; lra).
  assert (e / 2 * range_sum 1 (IZR k) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= e / 2 * 2) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* proves: LSZhang-dp *)
Theorem LSZhang_dp : s_LSZhang_dp.
Proof.
  intros k z p q n r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq E R. counts.
  assert (0 < 2 / e) by (apply over_positive; lra). rewrite <- minus_IZR in *.
  apply counts_private with k; auto; try lia; [apply least; exact Z0|apply within; exact R|].
  intros _. pose proof (two_changed (k - 1) p q) as T. replace (1 / (2 / e)) with (e / 2) by (field; lra).
  assert (e / 2 * range_sum 1 (IZR (k - 1)) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= e / 2 * 2) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* proves: thm-3.1-LSDim *)
Theorem LSDim_dp : s_thm_3_1_LSDim.
Proof.
  intros k z p q n r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq E R.
  assert (0 < IZR k / e) by (apply over_positive; lra).
  assert (1 / (IZR k / e) <= e / 2) as B.
  { replace (1 / (IZR k / e)) with (e * / IZR k) by (field; split; lra). apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (0 < 1 / (IZR k / e)) by (apply over_positive; lra). counts. rewrite <- minus_IZR in *.
  apply counts_private with k; auto; try lia; [apply least; exact Z0|apply within; exact R|].
  intros _. pose proof (two_changed (k - 1) p q) as T.
  apply Rle_trans with (1 / (IZR k / e) * 2); [apply Rmult_le_compat_l; lra|lra].
Qed.

(* proves: thm-3.1-LSHist *)
Theorem LSHist_dp : s_thm_3_1_LSHist.
Proof.
  intros k z p q n r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq E R. pose proof (same_1 (IZR k) 2) as W.
  assert (0 < (2 - same (IZR k) 2) / e) by (apply over_positive; lra). counts. rewrite <- minus_IZR in *.
  apply counts_private with k; auto; try lia; [apply least; exact Z0|apply within; exact R|].
  intros D. destruct (Z.eq_dec k 2) as [->|K2].
  - replace (same 2 2) with 1 by (unfold same; destruct Req_EM_T; lra). change (2 - 1)%Z with 1%Z.
    pose proof (one_changed p q D) as T. replace (1 / ((2 - 1) / e)) with e by (field; lra).
    assert (e * range_sum 1 (IZR 1) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= e * 1) by (apply Rmult_le_compat_l; lra). lra.
  - replace (same (IZR k) 2) with 0 by (unfold same; destruct Req_EM_T as [Q'|]; [apply eq_IZR in Q'; congruence|reflexivity]).
    pose proof (two_changed (k - 1) p q) as T. replace (1 / ((2 - 0) / e)) with (e / 2) by (field; lra).
    assert (e / 2 * range_sum 1 (IZR (k - 1)) (fun i => same (IZR i) (IZR p) + same (IZR i) (IZR q)) <= e / 2 * 2) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma two_farther G : is_gamma G -> distance G 3 3 4 2 < distance G 3 3 5 1.
Proof.
  intros gamma. pose proof pi_bounds.
  rewrite (distance_is G 3 3 4 2 (3 * PI / 256) (1 / 600)); try (unfold B; by_values gamma).
  rewrite (distance_is G 3 3 5 1 (1 / 20) (1 / 150)); try (unfold B; by_values gamma).
  assert (9 < PI * PI < 16) by nra. apply distance_order; nra.
Qed.

(* disproves: thm-4.3-whole *)
Theorem thm_4_3_whole_fails : s_thm_4_3_whole_false.
Proof.
  intros G gamma F. set (d := distance G 3 3 5 1) in *. specialize (F 1 1 1 (3 / 2) d 4%Z 2%Z 1%Z).
  pose proof (two_farther G gamma) as T. fold d in T. point F.
  assert (forall r, (0 <= r <= 4)%Z -> distance G (1 + 2) (1 + 4 - 2) (1 + IZR r) (1 + 4 - IZR r) =
    if Z.eq_dec r 2 then 0 else if Z_le_dec 1 r then if Z_le_dec r 3 then distance G 3 3 4 2 else d else d) as V.
  { intros r R. assert (r = 0 \/ r = 1 \/ r = 2 \/ r = 3 \/ r = 4)%Z as [->|[->|[->|[->| ->]]]] by lia; simpl Z.eq_dec; cbn -[distance IZR].
    - rewrite distance_mirrored. unfold d. f_equal; lra.
    - rewrite distance_mirrored. f_equal; lra.
    - replace (1 + 4 - 2) with (1 + 2) by ring. apply distance_self; auto; lra.
    - f_equal; lra.
    - unfold d. f_equal; lra. }
  assert (0 < d) as D. { pose proof (distance_nonneg G 3 3 4 2). lra. }
  assert (forall r : Z, 0 <= IZR r <= 4 -> IZR r - 2 > 3 / 2 \/ 2 - IZR r > 3 / 2 \/ distance G (1 + 2) (1 + 4 - 2) (1 + IZR r) (1 + 4 - IZR r) < d) as Q.
  { intros r [R0 R1]. apply (le_IZR 0) in R0. apply (le_IZR r 4) in R1. rewrite V by lia.
    destruct (Z.eq_dec r 2); [lra|]. destruct (Z_le_dec 1 r); [destruct (Z_le_dec r 3); [lra|]|].
    - assert (r = 4)%Z as -> by lia. lra.
    - assert (r = 0)%Z as -> by lia. lra. }
  specialize (F Q). apply Rge_le in F.
  assert (0 < 1 / 1) as S by lra.
  assert (range_sum 0 4 (fun r => P_clamp (1 / 1) 4 2 (IZR r) * (1 - same (Rmax (distance G (1 + 2) (1 + 4 - 2) (1 + IZR r) (1 + 4 - IZR r)) d)
    (distance G (1 + 2) (1 + 4 - 2) (1 + IZR r) (1 + 4 - IZR r)))) <=
    range_sum 0 4 (fun r => edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 (r + 1))) - edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 r)))) as U.
  { apply (range_sum_le 0 4). intros r R. rewrite V by lia. rewrite (clamp_is (1 / 1) 4) by lia.
    pose proof (edge_grows (1 / 1) S 4 ltac:(lia) 2 r R) as W. set (w := edge (1 / 1) 4 2 (r + 1) - edge (1 / 1) 4 2 r) in *.
    assert (0 < w) as W0 by (unfold w; lra).
    assert (forall h, w * (1 - same (Rmax h d) h) <= w) as X.
    { intros h. pose proof (same_1 (Rmax h d) h). assert (w * (1 - same (Rmax h d) h) <= w * 1) by (apply Rmult_le_compat_l; lra). lra. }
    assert (w * (1 - same (Rmax d d) d) = 0) as X0.
    { rewrite Rmax_left by lra. unfold same. destruct Req_EM_T as [_|Y]; [ring|destruct Y; reflexivity]. }
    assert ((1 <= r <= 3)%Z -> edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 (r + 1))) - edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 r)) = w) as M.
    { intros I. replace (Z.min 4 (Z.max 1 (r + 1))) with (r + 1)%Z by lia. replace (Z.min 4 (Z.max 1 r)) with r by lia. reflexivity. }
    assert (~ (1 <= r <= 3)%Z -> edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 (r + 1))) - edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 r)) = 0) as M'.
    { intros I. replace (Z.min 4 (Z.max 1 (r + 1))) with (Z.min 4 (Z.max 1 r)) by lia. ring. }
    destruct (Z.eq_dec r 2) as [E2|E2].
    { rewrite M by lia. apply X. }
    destruct (Z_le_dec 1 r) as [L1|L1]; [destruct (Z_le_dec r 3) as [L3|L3]|].
    { rewrite M by lia. apply X. }
    { rewrite M', X0 by lia. lra. }
    { rewrite M', X0 by lia. lra. } }
  apply (Rle_trans _ _ _ F) in U. unfold range_sum in U. change 4 with (IZR 4) in U. rewrite !whole_IZR in U.
  rewrite (telescope (fun r => edge (1 / 1) 4 2 (Z.min 4 (Z.max 1 r)))) in U. simpl in U. unfold edge in U. simpl in U.
  change (Z.min 4 (Z.max 1 5)) with 4%Z in U. change (Z.min 4 (Z.max 1 0)) with 1%Z in U.
  replace (4 - 2) with 2 in U by ring. replace (1 - 2) with (-1) in U by ring. rewrite budget_steps in U by lra.
  replace (- (1)) with (2 * - (1 / 2)) in U by field. replace (- (2) * 1) with (2 * (2 * - (1 / 2))) in U by field.
  replace (- (3 / 2) * 1) with (- (1 / 2) + 2 * - (1 / 2)) in U by field. rewrite exp_plus, !exp_twice in U.
  pose proof (exp_below_1 (- (1 / 2)) ltac:(lra)) as Y. set (q := exp (- (1 / 2))) in *.
  assert (0 < q * q * ((1 - q) * (1 - q))) by (apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; lra). lra.
Qed.
