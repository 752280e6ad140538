(** Typed statements about the distances of candidates from balanced data. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsPrivacy TheoremsMechanisms TheoremsNear.
Open Scope R_scope.

(** Only the candidates of as many steps on either side of balanced data are equally far. *)
Section Balance.
Variables (G : R -> R) (c : Z).
Hypothesis gamma : is_gamma G.
Hypothesis C : (0 <= c)%Z.
Notation h r := (distance G (1 + IZR c) (1 + IZR (2 * c) - IZR c) (1 + IZR r) (1 + IZR (2 * c) - IZR r)).

Lemma mirror r : h (2 * c - r) = h r.
Proof.
  rewrite !minus_IZR, !mult_IZR. unfold distance, hellinger. rewrite affinity_mirrored.
  do 2 f_equal. f_equal; ring.
Qed.

Lemma outward i (m : nat) : (0 <= i)%Z -> (i + Z.of_nat (S m) <= c)%Z -> h (c + i) < h (c + i + Z.of_nat (S m)).
Proof.
  intros I. induction m as [|m IH]; intros L.
  - pose proof (farther_strictly G (1 + IZR c) (1 + IZR c) (IZR i) gamma) as S. apply IZR_le in C, I. apply IZR_le in L.
    rewrite plus_IZR in L. simpl in L. rewrite !plus_IZR, mult_IZR. simpl (IZR (Z.of_nat 1)).
    replace (1 + 2 * IZR c - IZR c) with (1 + IZR c) by ring.
    replace (1 + 2 * IZR c - (IZR c + IZR i)) with (1 + IZR c - IZR i) by ring.
    replace (1 + 2 * IZR c - (IZR c + IZR i + 1)) with (1 + IZR c - IZR i - 1) by ring.
    replace (1 + (IZR c + IZR i)) with (1 + IZR c + IZR i) by ring.
    replace (1 + (IZR c + IZR i + 1)) with (1 + IZR c + IZR i + 1) by ring. apply S; lra.
  - apply Rlt_trans with (1 := IH ltac:(lia)). clear IH. set (j := (i + Z.of_nat (S m))%Z).
    replace (c + i + Z.of_nat (S m))%Z with (c + j)%Z by (unfold j; lia).
    replace (c + i + Z.of_nat (S (S m)))%Z with (c + j + 1)%Z by (unfold j; lia).
    assert (0 <= j)%Z as J by (unfold j; lia). assert (j + 1 <= c)%Z as M by (unfold j; lia).
    pose proof (farther_strictly G (1 + IZR c) (1 + IZR c) (IZR j) gamma) as S. apply IZR_le in C, J, M.
    rewrite plus_IZR in M. rewrite !plus_IZR, mult_IZR.
    replace (1 + 2 * IZR c - IZR c) with (1 + IZR c) by ring.
    replace (1 + 2 * IZR c - (IZR c + IZR j)) with (1 + IZR c - IZR j) by ring.
    replace (1 + 2 * IZR c - (IZR c + IZR j + 1)) with (1 + IZR c - IZR j - 1) by ring.
    replace (1 + (IZR c + IZR j)) with (1 + IZR c + IZR j) by ring.
    replace (1 + (IZR c + IZR j + 1)) with (1 + IZR c + IZR j + 1) by ring. apply S; lra.
Qed.

Lemma by_steps r : (0 <= r <= 2 * c)%Z -> h r = h (c + Z.abs (r - c)).
Proof.
  intros R'. destruct (Z_le_gt_dec c r) as [L|L].
  - f_equal; f_equal; f_equal; lia.
  - rewrite <- mirror. f_equal; f_equal; f_equal; lia.
Qed.

Lemma equally_far r s : (0 <= r <= 2 * c)%Z -> (0 <= s <= 2 * c)%Z -> h s = h r -> s = r \/ s = (2 * c - r)%Z.
Proof.
  intros R' S0 E. rewrite (by_steps r R'), (by_steps s S0) in E.
  assert (Z.abs (s - c) = Z.abs (r - c)); [|lia].
  destruct (Z.lt_trichotomy (Z.abs (s - c)) (Z.abs (r - c))) as [L|[L|L]]; [exfalso|exact L|exfalso].
  - pose proof (outward (Z.abs (s - c)) (Z.to_nat (Z.abs (r - c) - Z.abs (s - c) - 1)) ltac:(lia) ltac:(lia)) as M.
    replace (c + Z.abs (s - c) + Z.of_nat (S (Z.to_nat (Z.abs (r - c) - Z.abs (s - c) - 1))))%Z with (c + Z.abs (r - c))%Z in M by lia.
    lra.
  - pose proof (outward (Z.abs (r - c)) (Z.to_nat (Z.abs (s - c) - Z.abs (r - c) - 1)) ltac:(lia) ltac:(lia)) as M.
    replace (c + Z.abs (r - c) + Z.of_nat (S (Z.to_nat (Z.abs (s - c) - Z.abs (r - c) - 1))))%Z with (c + Z.abs (s - c))%Z in M by lia.
    lra.
Qed.

Lemma one_of u : (0 <= u <= 2 * c)%Z -> range_sum 0 (IZR (2 * c)) (fun i => if Z.eqb i u then 1 else 0) = 1.
Proof.
  intros U. unfold range_sum. rewrite !whole_IZR. rewrite (proj1 (added_but_one u 0 0 (Z.to_nat (2 * c - 0 + 1)) ltac:(lia))). ring.
Qed.

Lemma both_sides r : (0 <= r <= 2 * c)%Z -> r <> c -> range_sum 0 (IZR (2 * c)) (fun s => same (h s) (h r)) = 2.
Proof.
  intros R' N.
  rewrite (range_sum_ext 0 (2 * c) _ (fun s => (if Z.eqb s r then 1 else 0) + (if Z.eqb s (2 * c - r) then 1 else 0))).
  - rewrite range_sum_plus, !one_of by lia. ring.
  - intros s S. destruct (same_is (h s) (h r)) as [[E ->]|[E ->]].
    + destruct (equally_far r s R' S E) as [-> | ->].
      * rewrite Z.eqb_refl. destruct (Z.eqb_spec r (2 * c - r)); [lia|ring].
      * rewrite Z.eqb_refl. destruct (Z.eqb_spec (2 * c - r) r); [lia|ring].
    + destruct (Z.eqb_spec s r) as [->|]; [contradiction|].
      destruct (Z.eqb_spec s (2 * c - r)) as [->|]; [|ring]. exfalso. apply E. apply mirror.
Qed.
End Balance.

(* proves on: corr-half *)
Theorem corr_half : s_corr_half_smaller.
Proof.
  intros G gamma e d n c r N C R' E D1 D2 N1 L M Two Other. sides.
  assert (0 <= c)%Z as C' by (apply le_IZR; lra).
  assert (n = 2 * c)%Z as -> by (apply eq_IZR; rewrite mult_IZR; lra).
  assert (0 <= r <= 2 * c)%Z as I by (split; apply le_IZR; lra).
  assert (r <> c) as O by (intros ->; apply Other; reflexivity).
  set (f := e / _). set (h := fun i : Z => distance G (1 + IZR c) (1 + IZR (2 * c) - IZR c) (1 + IZR i) (1 + IZR (2 * c) - IZR i)).
  rewrite law_of. pose proof (total_above_0 G f 1 1 (2 * c) c ltac:(lia)) as T.
  assert (range_sum 0 (IZR (2 * c)) (fun s => same (h s) (h r) *
    exponential G f 1 1 (IZR c) (IZR (2 * c) - IZR c) (IZR s) (IZR (2 * c) - IZR s)) =
    exp (- f * h r) / total G f 1 1 (2 * c) c * 2) as X.
  { rewrite <- (both_sides G c gamma C' r I O). rewrite <- range_sum_scaled. apply (range_sum_ext 0 (2 * c)).
    intros s S. rewrite law_of. fold (h s). destruct (same_is (h s) (h r)) as [[Y Z]|[Y Z]]; fold (h s) (h r); rewrite Z; [rewrite Y|]; ring. }
  unfold h in X. rewrite X. field. lra.
Qed.

(* disproves: corr-half *)
Theorem corr_half_fails : s_corr_half_false.
Proof.
  intros G gamma Y. specialize (Y 1 (1 / 2) 1%Z 0%Z 0%Z). point Y.
  set (f := 1 / _) in *. rewrite sum_of_two in Y.
  pose proof (exponential_positive G f 1 1 1 0 0 ltac:(lia)) as P.
  pose proof (other_positive G 1 1 1 0 1 gamma ltac:(lra) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)) as D.
  rewrite (distance_self G (1 + 0)) in Y by (auto; lra).
  destruct (same_is 0 0) as [[_ Z]|[Z _]]; [|lra].
  match type of Y with context [same ?d 0 * exponential _ _ _ _ _ _ 1 _] =>
    destruct (same_is d 0) as [[W _]|[_ W]]; [lra|] end.
  rewrite Z, W in Y. lra.
Qed.
