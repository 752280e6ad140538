(** Typed statements of A Thm 4.5: how likely an output is within τ of the truth. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsPrivacy TheoremsMechanisms.
Open Scope R_scope.

(** Sums over a part of a range, and sums of differences. *)
Lemma added_split f from p q : added f from (p + q) = added f from p + added f (from + Z.of_nat p)%Z q.
Proof.
  revert from. induction p as [|p IH]; intros from.
  - rewrite Z.add_0_r. cbn [added Nat.add]. ring.
  - cbn [added Nat.add]. rewrite IH. replace (from + 1 + Z.of_nat p)%Z with (from + Z.of_nat (S p))%Z by lia. ring.
Qed.

Lemma range_split f low mid high : (low <= mid + 1)%Z -> (mid <= high)%Z ->
  range_sum (IZR low) (IZR high) f = range_sum (IZR low) (IZR mid) f + range_sum (IZR (mid + 1)) (IZR high) f.
Proof.
  intros L M. unfold range_sum. rewrite !whole_IZR.
  replace (Z.to_nat (high - low + 1)) with (Z.to_nat (mid - low + 1) + Z.to_nat (high - (mid + 1) + 1))%nat by lia.
  rewrite added_split. do 2 f_equal. lia.
Qed.

Lemma range_constant low high v : (low <= high + 1)%Z ->
  range_sum (IZR low) (IZR high) (fun _ => v) = (IZR high - IZR low + 1) * v.
Proof.
  intros L. unfold range_sum. rewrite !whole_IZR, added_constant, INR_IZR_INZ, Z2Nat.id by lia.
  rewrite plus_IZR, minus_IZR. ring.
Qed.

Lemma range_zero low high f : (low <= high + 1)%Z -> (forall i, (low <= i <= high)%Z -> f i = 0) ->
  range_sum (IZR low) (IZR high) f = 0.
Proof. intros L E. rewrite (range_sum_ext low high f (fun _ => 0)) by exact E. rewrite range_constant by exact L. ring. Qed.

Lemma range_part n low high f : (0 <= low)%Z -> (low <= high + 1)%Z -> (high <= n)%Z ->
  (forall i, (0 <= i <= n)%Z -> (i < low)%Z \/ (high < i)%Z -> f i = 0) ->
  range_sum 0 (IZR n) f = range_sum (IZR low) (IZR high) f.
Proof.
  intros L M N E. rewrite (range_split f 0 (low - 1) n) by lia.
  replace (low - 1 + 1)%Z with low by lia. rewrite (range_split f low high n) by lia.
  rewrite (range_zero 0 (low - 1)) by (try lia; intros; apply E; lia).
  rewrite (range_zero (high + 1) n) by (try lia; intros; apply E; lia). ring.
Qed.

Lemma range_at_least_one n c f : (0 <= c <= n)%Z -> (forall i, (0 <= i <= n)%Z -> 0 <= f i) -> f c <= range_sum 0 (IZR n) f.
Proof.
  intros C P. pose proof (range_sum_one_larger n c (f c) 0 f C (P c C) P (Rle_refl _)) as L. rewrite Rmult_0_r in L. lra.
Qed.

Lemma range_telescopes low (m : nat) (u l : Z -> R) :
  (forall i, (low <= i < low + Z.of_nat m)%Z -> u i = l (i + 1)%Z) ->
  range_sum (IZR low) (IZR (low + Z.of_nat m)) (fun i => u i - l i) = u (low + Z.of_nat m)%Z - l low.
Proof.
  induction m as [|m IH]; intros E.
  - rewrite Z.add_0_r. unfold range_sum. rewrite !whole_IZR. replace (low - low + 1)%Z with 1%Z by lia. simpl. ring.
  - rewrite (range_split _ low (low + Z.of_nat m)) by lia. rewrite IH by (intros; apply E; lia).
    replace (low + Z.of_nat m + 1)%Z with (low + Z.of_nat (S m))%Z by lia.
    unfold range_sum at 1. rewrite !whole_IZR.
    replace (low + Z.of_nat (S m) - (low + Z.of_nat (S m)) + 1)%Z with 1%Z by lia. simpl (Z.to_nat 1). cbn [Pos.to_nat Pos.iter_op added].
    rewrite (E (low + Z.of_nat m)%Z) by lia. replace (low + Z.of_nat m + 1)%Z with (low + Z.of_nat (S m))%Z by lia.
    simpl. ring.
Qed.

Lemma range_less n c f g : (0 <= c <= n)%Z -> (forall i, (0 <= i <= n)%Z -> f i <= g i) -> f c < g c ->
  range_sum 0 (IZR n) f < range_sum 0 (IZR n) g.
Proof.
  intros C L S. rewrite (range_split f 0 c n), (range_split g 0 c n) by lia.
  rewrite (range_split f 0 (c - 1) c), (range_split g 0 (c - 1) c) by lia. replace (c - 1 + 1)%Z with c by lia.
  assert (forall v, range_sum (IZR c) (IZR c) v = v c) as One.
  { intros v. unfold range_sum. rewrite !whole_IZR. replace (c - c + 1)%Z with 1%Z by lia. simpl. ring. }
  rewrite !One.
  pose proof (range_sum_le 0 (c - 1) f g ltac:(intros; apply L; lia)).
  pose proof (range_sum_le (c + 1) n f g ltac:(intros; apply L; lia)). lra.
Qed.

Section Near.
Variables (G : R -> R) (a b t : R) (n c k : Z).
Hypothesis gamma : is_gamma G.
Hypothesis A : 0 < a.
Hypothesis B' : 0 < b.
Hypothesis C : (0 <= c <= n)%Z.
Hypothesis K : (0 <= k)%Z.
Notation h r := (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)).
Notation inside r := (1 - at_most t (h r)).
Hypothesis Reach : forall r, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) <= IZR k \/ t <= h r.
Notation low := (Z.max 0 (c - k)).
Notation high := (Z.min n (c + k)).

Lemma inside_is r : (h r < t /\ inside r = 1) \/ (t <= h r /\ inside r = 0).
Proof. unfold at_most. destruct Rle_dec; [right|left]; split; lra. Qed.

Lemma steps_in r : Rabs (IZR r - IZR c) <= IZR k <-> (c - k <= r <= c + k)%Z.
Proof.
  rewrite <- minus_IZR, <- abs_IZR. split; intros H.
  - apply le_IZR in H. lia.
  - apply IZR_le. lia.
Qed.

Lemma outside r : (0 <= r <= n)%Z -> (r < low)%Z \/ (high < r)%Z -> inside r = 0.
Proof.
  intros R' O. destruct (inside_is r) as [[L _]|[_ E]]; [exfalso|exact E].
  destruct (Reach r) as [M|M]; [split; apply IZR_le; lia| |lra]. apply steps_in in M. lia.
Qed.

Lemma near_part (f : Z -> R) : range_sum 0 (IZR n) (fun r => inside r * f r) =
  range_sum (IZR low) (IZR high) (fun r => inside r * f r).
Proof.
  apply range_part; try lia. intros i I O. rewrite (outside i I O). ring.
Qed.

Lemma near_below (f : Z -> R) v : 0 <= v -> (forall r, (0 <= r <= n)%Z -> 0 <= f r <= v) ->
  range_sum 0 (IZR n) (fun r => inside r * f r) <= (2 * IZR k + 1) * v.
Proof.
  intros V F. rewrite near_part.
  apply Rle_trans with (range_sum (IZR low) (IZR high) (fun _ => v)).
  - apply range_sum_le. intros i I. pose proof (F i ltac:(lia)). destruct (inside_is i) as [[_ ->]|[_ ->]]; lra.
  - rewrite range_constant by lia. apply Rmult_le_compat_r; [exact V|].
    rewrite <- minus_IZR. apply Rle_trans with (IZR (2 * k) + 1); [apply Rplus_le_compat_r, IZR_le; lia|].
    rewrite mult_IZR. lra.
Qed.

Section Law.
Variable f : R.
Hypothesis F : 0 <= f.
Notation law r := (exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r)).

Lemma total_at_least : 1 + IZR n * exp (- f) <= total G f a b n c.
Proof. apply total_range; auto. Qed.

Lemma total_above : 0 < total G f a b n c.
Proof. apply total_above_0. lia. Qed.

Lemma law_below r : (0 <= r <= n)%Z -> 0 <= law r <= 1 / total G f a b n c.
Proof.
  intros R'. rewrite law_of. pose proof total_above as T. pose proof (weight_range G a b f n c gamma A B' C r F R') as [_ W].
  pose proof (exp_pos (- f * h r)). split; [left; apply Rdiv_lt_0_compat; lra|].
  unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
Qed.

Lemma near_upper : range_sum 0 (IZR n) (fun r => inside r * law r) <= (2 * IZR k + 1) / total G f a b n c.
Proof.
  pose proof total_above as T. replace (_ / _) with ((2 * IZR k + 1) * (1 / total G f a b n c)) by (field; lra).
  apply near_below; [|exact law_below]. left. apply Rdiv_lt_0_compat; lra.
Qed.

Lemma near_upper_strict : 1 <= IZR n ->
  range_sum 0 (IZR n) (fun r => inside r * law r) < (2 * IZR k + 1) / (IZR n * exp (- f)).
Proof.
  intros N. apply Rle_lt_trans with (1 := near_upper). pose proof total_at_least. pose proof (exp_pos (- f)).
  apply IZR_le in K. assert (0 < IZR n * exp (- f)) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra].
Qed.

Section Sides.
Hypothesis Left : (k <= c)%Z.
Hypothesis Right : (c + k <= n)%Z.
Hypothesis Within : forall r, 0 <= IZR r <= IZR n -> Rabs (IZR r - IZR c) > IZR k \/ h r < t.

Lemma inside_one r : (c - k <= r <= c + k)%Z -> inside r = 1 /\ h r < t.
Proof.
  intros R'. destruct (Within r) as [M|M]; [split; apply IZR_le; lia| |].
  - pose proof (proj2 (steps_in r) R'). lra.
  - destruct (inside_is r) as [[_ E]|[L _]]; [split; assumption|lra].
Qed.

Lemma near_all (g : Z -> R) : range_sum 0 (IZR n) (fun r => inside r * g r) = range_sum (IZR (c - k)) (IZR (c + k)) g.
Proof.
  rewrite near_part. replace low with (c - k)%Z by lia. replace high with (c + k)%Z by lia.
  apply range_sum_ext. intros i I. destruct (inside_one i I) as [-> _]. ring.
Qed.

Lemma near_lower e : e <= 1 -> (forall r, (c - k <= r <= c + k)%Z -> e <= exp (- f * h r)) ->
  (2 * IZR k * e + 1) / total G f a b n c <= range_sum 0 (IZR n) (fun r => inside r * law r).
Proof.
  intros E W. rewrite near_all. pose proof total_above as T.
  rewrite (range_sum_ext _ _ _ (fun r => / total G f a b n c * exp (- f * h r))) by (intros; rewrite law_of; unfold Rdiv; ring).
  rewrite range_sum_scaled. unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; exact T|].
  unfold range_sum. rewrite !whole_IZR.
  pose proof (added_one_larger c 1 e (fun r => exp (- f * h r)) (c - k) (Z.to_nat (c + k - (c - k) + 1))) as L.
  rewrite INR_IZR_INZ, Z2Nat.id in L by lia. replace (c + k - (c - k) + 1)%Z with (2 * k + 1)%Z in L by lia.
  rewrite plus_IZR, mult_IZR in L. replace (c + k - (c - k) + 1)%Z with (2 * k + 1)%Z by lia.
  apply Rle_trans with (1 + (2 * IZR k + 1 - 1) * e); [lra|]. apply L; try lia; auto.
  - intros i I. apply W. lia.
  - rewrite (h_self G a b n c) by auto. rewrite Rmult_0_r, exp_0. lra.
Qed.
End Sides.

Lemma total_below_n : 1 <= IZR n ->
  (forall r, 0 <= IZR r <= IZR n -> IZR r = IZR c \/ IZR n * (1 - exp (- (f * h r))) > 1) -> total G f a b n c < IZR n.
Proof.
  intros N L. apply Rlt_le_trans with (range_sum 0 (IZR n) (fun i => if Z.eqb i c then 1 else 1 - 1 / IZR n)).
  - assert (forall i, (0 <= i <= n)%Z -> i <> c -> exp (- f * h i) < 1 - 1 / IZR n) as S.
    { intros i I D. destruct (L i) as [E|E]; [split; apply IZR_le; lia|apply eq_IZR in E; lia|].
      replace (- (f * h i)) with (- f * h i) in E by ring. apply Rmult_lt_reg_l with (IZR n); [lra|].
      replace (IZR n * (1 - 1 / IZR n)) with (IZR n - 1) by (field; lra). lra. }
    apply le_IZR in N. set (i := if Z.eq_dec c 0 then 1%Z else 0%Z).
    assert (0 <= i <= n /\ i <> c)%Z as [I D] by (unfold i; destruct Z.eq_dec; lia).
    apply (range_less n i); auto.
    + intros j J. destruct (Z.eqb_spec j c) as [->|E]; [|left; auto].
      rewrite (h_self G a b n c) by auto. rewrite Rmult_0_r, exp_0. lra.
    + destruct (Z.eqb_spec i c); [lia|auto].
  - unfold range_sum. rewrite !whole_IZR. rewrite (proj1 (added_but_one c (1 - 1 / IZR n) 0 (Z.to_nat (n - 0 + 1)) ltac:(lia))).
    rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite plus_IZR, minus_IZR. right. field. lra.
Qed.
End Law.
End Near.

Lemma constant_range : 25 / 54 < sqrt (1 - PI / 4) < 1 / 2.
Proof.
  pose proof pi_bounds. split.
  - rewrite <- (sqrt_square (25 / 54)) by lra. apply sqrt_lt_1_alt. lra.
  - rewrite <- (sqrt_square (1 / 2)) by lra. apply sqrt_lt_1_alt. lra.
Qed.

Ltac sides := repeat match goal with
  | H : _ >= _ |- _ => apply Rge_le in H | H : _ > _ |- _ => apply Rgt_lt in H end.

(* proves: thm-4.5-EHD-upper-chain *)
Theorem thm_4_5_EHD_upper_chain : s_thm_4_5_EHD_upper_chain.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _. pose proof constant_range. sides.
  left. apply near_upper_strict; auto; try (split; apply le_IZR; lra); try (apply le_IZR; lra).
  left. apply Rdiv_lt_0_compat; lra.
Qed.

Lemma local_above G a b n c : is_gamma G -> 0 < a -> 0 < b -> (0 <= c <= n)%Z -> (1 <= n)%Z ->
  0 < local_sensitivity G a b (IZR c) (IZR n - IZR c).
Proof.
  intros gamma A B' C N. unfold local_sensitivity. destruct (Z.eq_dec c 0) as [->|D].
  - pose proof (other_positive G a b n 0 1 gamma A B' C ltac:(lia) ltac:(lia)) as P.
    apply Rlt_le_trans with (2 := Rmax_r _ _). destruct Req_EM_T as [Z|_].
    + exfalso. apply (IZR_le 1) in N. simpl in *. lra.
    + replace (a + 0 + 1) with (a + 1) by ring. simpl in P.
      replace (b + (IZR n - 0)) with (b + IZR n - 0) by ring.
      replace (b + IZR n - 0 - 1) with (b + IZR n - 1) by ring. exact P.
  - pose proof (other_positive G a b n c (c - 1) gamma A B' C ltac:(lia) ltac:(lia)) as P. rewrite minus_IZR in P.
    apply Rlt_le_trans with (2 := Rmax_l _ _). destruct Req_EM_T as [Z|_].
    + exfalso. apply eq_IZR in Z. lia.
    + replace (a + IZR c - 1) with (a + (IZR c - 1)) by ring. replace (b + (IZR n - IZR c)) with (b + IZR n - IZR c) by ring.
      replace (b + IZR n - IZR c + 1) with (b + IZR n - (IZR c - 1)) by ring. exact P.
Qed.

(* proves: thm-4.5-EHDL-upper *)
Theorem thm_4_5_EHDL_upper : s_thm_4_5_EHDL_upper.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _. sides.
  assert (0 <= c <= n)%Z as C2 by (split; apply le_IZR; lra).
  apply near_upper_strict; auto; try (apply le_IZR; lra).
  left. apply Rdiv_lt_0_compat; [exact E|]. pose proof (local_above G a b n c gamma A B' C2 ltac:(apply le_IZR; lra)). lra.
Qed.

Lemma one_record G : is_gamma G -> distance G 1 2 2 1 = sqrt (1 - PI / 4).
Proof.
  intros gamma. rewrite (distance_is G 1 2 2 1 (PI / 8) (1 / 4)); try (unfold B; by_values gamma).
  replace (1 / 4) with (1 / 2 * (1 / 2)) by field. rewrite sqrt_square by lra. f_equal. field.
Qed.

(* proves on: thm-4.5-EHD-lower *)
Theorem thm_4_5_EHD_lower : s_thm_4_5_EHD_lower_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ C1 C2 Within S Below. pose proof constant_range. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra). set (s := sqrt (1 - PI / 4)) in *.
  assert (0 < e / (2 * s)) as F by (apply Rdiv_lt_0_compat; lra).
  assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  pose proof (total_below_n G a b n c gamma A B' I (e / (2 * s)) N1 Below) as U.
  pose proof (total_above G a b n c I (e / (2 * s))) as V. pose proof (exp_pos (- e)).
  apply Rlt_le_trans with ((2 * IZR k * exp (- e) + 1) / total G (e / (2 * s)) a b n c).
  - assert (0 <= 2 * IZR k * exp (- e)) by (apply Rmult_le_pos; lra).
    apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|exact U].
  - apply (near_lower G a b t n c k gamma A B' I K' Reach (e / (2 * s))); auto.
    + apply le_IZR. lra.
    + apply le_IZR. rewrite plus_IZR. lra.
    + rewrite <- exp_0. apply exp_monotone. lra.
    + intros r R'. destruct (inside_one G a b t n c k ltac:(apply le_IZR; lra)
        ltac:(apply le_IZR; rewrite plus_IZR; lra) Within r R') as [_ H']. apply exp_monotone.
      assert (e / (2 * s) * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r) <= e / (2 * s) * (2 * s))
        by (apply Rmult_le_compat_l; lra).
      replace (e / (2 * s) * (2 * s)) with e in * by (field; lra). lra.
Qed.

Lemma one_step_reach G t : is_gamma G -> t <= distance G 1 2 2 1 -> forall r : Z, 0 <= IZR r <= 1 ->
  Rabs (IZR r - 0) <= 0 \/ t <= distance G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r).
Proof.
  intros gamma T r [R1 R2]. apply (le_IZR 0) in R1. apply (le_IZR r 1) in R2.
  assert (r = 0 \/ r = 1)%Z as [-> | ->] by lia.
  - left. rewrite Rminus_0_r, Rabs_R0. lra.
  - right. replace (1 + 0) with 1 by ring. replace (1 + 1 - 0) with 2 by ring. replace (1 + 1) with 2 by ring.
    replace (2 - 1) with 1 by ring. exact T.
Qed.

Lemma itself_within G t : is_gamma G -> 0 < t -> exists r : Z, 0 <= IZR r <= 1 /\
  Rabs (IZR r - 0) = 0 /\ distance G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r) < t.
Proof.
  intros gamma T. exists 0%Z. split; [lra|]. split; [rewrite Rminus_0_r; apply Rabs_R0|].
  rewrite distance_self by (auto; lra). exact T.
Qed.

(** One record, t at the other candidate: the truth itself is all that is within. *)
Lemma one_record_below G f t : is_gamma G -> 0 < f -> t <= distance G 1 2 2 1 ->
  range_sum 0 1 (fun r => (1 - at_most t (distance G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r))) *
    exponential G f 1 1 0 (1 - 0) (IZR r) (1 - IZR r)) < 1.
Proof.
  intros gamma F T. assert (0 <= 0 <= 1)%Z as I by lia. assert (0 < 1) as P by lra.
  pose proof (near_upper G 1 1 t 1 0 0 gamma P P I ltac:(lia) (one_step_reach G _ gamma T) f ltac:(lra)) as U.
  pose proof (total_at_least G 1 1 1 0 gamma P P I f ltac:(lra)) as M. pose proof (exp_pos (- f)).
  apply Rle_lt_trans with (1 := U). apply quotient_below; lra.
Qed.

(* disproves: thm-4.5-EHD-lower *)
Theorem thm_4_5_EHD_lower_fails : s_thm_4_5_EHD_lower_false.
Proof.
  intros G gamma Y. pose proof (one_record G gamma) as D. pose proof constant_range.
  specialize (Y 1 1 1 (distance G 1 2 2 1) 1%Z 0%Z 0%Z). point Y.
  specialize (Y (one_step_reach G _ gamma (Rle_refl _)) (itself_within G (distance G 1 2 2 1) gamma ltac:(lra))).
  set (f := 1 / (2 * sqrt (1 - PI / 4))) in *.
  assert (0 < f) as F by (unfold f; apply Rdiv_lt_0_compat; lra).
  pose proof (one_record_below G f _ gamma F (Rle_refl _)). lra.
Qed.

(* disproves: thm-4.5-EHDL-lower *)
Theorem thm_4_5_EHDL_lower_fails : s_thm_4_5_EHDL_lower_false.
Proof.
  intros G gamma Y. pose proof (one_record G gamma) as D. pose proof constant_range.
  specialize (Y 1 1 1 (distance G 1 2 2 1) 1%Z 0%Z 0%Z). point Y.
  specialize (Y (one_step_reach G _ gamma (Rle_refl _)) (itself_within G (distance G 1 2 2 1) gamma ltac:(lra))).
  pose proof (local_above G 1 1 1 0 gamma ltac:(lra) ltac:(lra) ltac:(lia) ltac:(lia)) as P.
  set (f := 1 / (2 * local_sensitivity G 1 1 0 (1 - 0))) in *.
  assert (0 < f) as F by (unfold f; apply Rdiv_lt_0_compat; lra).
  pose proof (one_record_below G f _ gamma F (Rle_refl _)). lra.
Qed.

(* proves on: thm-4.5-EHDL-lower *)
Theorem thm_4_5_EHDL_lower : s_thm_4_5_EHDL_lower_smaller.
Proof.
  intros G gamma a b e t n c k N C K A B' E T N1 L Reach _ C1 C2 Within Below. sides.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra).
  pose proof (local_above G a b n c gamma A B' I ltac:(apply le_IZR; lra)) as P.
  set (s := local_sensitivity G a b (IZR c) (IZR n - IZR c)) in *.
  assert (0 < e / (2 * s)) as F by (apply Rdiv_lt_0_compat; lra).
  assert (0 <= k)%Z as K' by (apply le_IZR; lra).
  pose proof (total_below_n G a b n c gamma A B' I (e / (2 * s)) N1 Below) as U.
  pose proof (total_above G a b n c I (e / (2 * s))) as V. pose proof (exp_pos (- (e / (2 * s)))).
  apply Rlt_le_trans with ((2 * IZR k * exp (- (e / (2 * s))) + 1) / total G (e / (2 * s)) a b n c).
  - assert (0 <= 2 * IZR k * exp (- (e / (2 * s)))) by (apply Rmult_le_pos; lra).
    apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|exact U].
  - apply (near_lower G a b t n c k gamma A B' I K' Reach (e / (2 * s))); auto.
    + apply le_IZR. lra.
    + apply le_IZR. rewrite plus_IZR. lra.
    + rewrite <- exp_0. apply exp_monotone. lra.
    + intros r R'. apply weight_range; auto; [lra|]. apply le_IZR in C1. rewrite <- plus_IZR in C2. apply le_IZR in C2. lia.
Qed.
