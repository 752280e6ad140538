(** Typed statements about the order of neighbouring distances: Statements I, II and III of D. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated.
Open Scope R_scope.

Section Order.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation distance := (distance G).

Lemma distance_comm a b c d : distance a b c d = distance c d a b.
Proof. unfold Words.distance, hellinger. rewrite affinity_comm. reflexivity. Qed.

Lemma distance_mirrored a b c d : distance a b c d = distance b a d c.
Proof. unfold Words.distance, hellinger. rewrite affinity_mirrored. reflexivity. Qed.

Lemma distance_nonneg a b c d : 0 <= distance a b c d.
Proof. apply sqrt_pos. Qed.

(** The two distances from (a + 1, b + 1) to its neighbours: the one further out is larger. *)
Lemma outer_larger a b : 0 < b -> b < a ->
  distance (a + 1) (b + 1) a (b + 2) < distance (a + 1) (b + 1) (a + 2) b.
Proof.
  intros B A. rewrite distance_comm. apply (hellinger_less G gamma); try lra.
  rewrite (squared_next G gamma) by lra. pose proof (next_factor_below a b B A).
  assert (0 < squared G a (b + 2) (a + 1) (b + 1) <= 1) by (apply (squared_at_most_1 G gamma); lra).
  assert (squared G a (b + 2) (a + 1) (b + 1) * next_factor a b < squared G a (b + 2) (a + 1) (b + 1) * 1)
    by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Lemma inner_smaller a b : 0 < a -> a < b ->
  distance (a + 1) (b + 1) (a + 2) b < distance (a + 1) (b + 1) a (b + 2).
Proof.
  intros A B. rewrite (distance_mirrored _ _ (a + 2)), (distance_mirrored _ _ a). apply outer_larger; lra.
Qed.

Lemma equal_in_the_middle a : distance (a + 1) (a + 1) a (a + 2) = distance (a + 1) (a + 1) (a + 2) a.
Proof. apply distance_mirrored. Qed.

Lemma left_larger a b p q r s t u : 0 < b -> b < a -> p = a + 1 -> q = b + 1 -> r = a -> s = b + 2 ->
  t = a + 2 -> u = b -> distance p q r s < distance p q t u.
Proof. intros B A -> -> -> -> -> ->. apply outer_larger; auto. Qed.

Lemma right_larger a b p q r s t u : 0 < a -> a < b -> p = a + 1 -> q = b + 1 -> r = a -> s = b + 2 ->
  t = a + 2 -> u = b -> distance p q t u < distance p q r s.
Proof. intros A B -> -> -> -> -> ->. apply inner_smaller; auto. Qed.

Lemma both_equal a p q r s t u : p = a + 1 -> q = a + 1 -> r = a -> s = a + 2 ->
  t = a + 2 -> u = a -> distance p q r s = distance p q t u.
Proof. intros -> -> -> -> -> ->. apply equal_in_the_middle. Qed.
End Order.

(** Solve an order of two distances from the point in the middle, which is a + 1, b + 1. *)
Ltac outer a b := apply (left_larger _ ltac:(eassumption) a b); lra.
Ltac inner a b := apply (right_larger _ ltac:(eassumption) a b); lra.

(* proves: I-general *)
Theorem I_general : s_I_general.
Proof.
  intros G gamma alpha beta n c N C A B L.
  rewrite (distance_comm G (alpha + IZR c)).
  destruct (total_order_T (2 * IZR c) (IZR n - 2 + beta - alpha)) as [[T|T]|T].
  - right. right. split; [exact T|]. inner (alpha + IZR c) (beta + IZR n - IZR c - 2).
  - right. left. split; [exact T|]. apply (both_equal G (alpha + IZR c)); lra.
  - left. split; [exact T|]. outer (alpha + IZR c) (beta + IZR n - IZR c - 2).
Qed.

(* proves: I-right *)
Theorem I_right : s_I_right.
Proof.
  intros G gamma n c N M L. rewrite (distance_comm G (IZR c + 1)).
  outer (IZR c + 1) (IZR n - IZR c - 1).
Qed.

(* proves on: I-left *)
Theorem I_left : s_I_left_smaller.
Proof.
  intros G gamma n c N C M L S. rewrite (distance_comm G (IZR c + 1)).
  inner (IZR c + 1) (IZR n - IZR c - 1).
Qed.

(* disproves: I-left *)
Theorem I_left_fails : s_I_left_false.
Proof.
  intros G gamma F. specialize (F 2%Z 0%Z ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite (distance_comm G (0 + 1)) in F.
  apply (Rgt_not_eq _ _ F). apply (both_equal G 1); lra.
Qed.

(* proves: II-order *)
Theorem II_order : s_II_order.
Proof.
  intros G gamma n c P L. split.
  - destruct (Rlt_dec (IZR n) (2 * IZR c)); [right|left; lra]. outer (IZR c) (IZR n - IZR c).
  - destruct (Rlt_dec (2 * IZR c) (IZR n)); [right|left; lra]. inner (IZR c) (IZR n - IZR c).
Qed.

(* proves on: II-centre *)
Theorem II_centre : s_II_centre_smaller.
Proof. intros G gamma n c N P L _ E. apply (both_equal G (IZR c)); lra. Qed.

(* disproves: II-centre *)
Theorem II_centre_fails : s_II_centre_false.
Proof.
  intros G gamma F. specialize (F 3%Z 1%Z ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  revert F. apply Rgt_not_eq. inner 1 2.
Qed.

Lemma two_sided G a b x y : x <> 0 -> y <> 0 -> local_sensitivity G a b x y =
  Rmax (distance G (a + x) (b + y) (a + x - 1) (b + y + 1)) (distance G (a + x) (b + y) (a + x + 1) (b + y - 1)).
Proof.
  intros X Y. unfold local_sensitivity. destruct (Req_EM_T x 0); [lra|]. destruct (Req_EM_T y 0); [lra|]. reflexivity.
Qed.

Ltac same := unfold Words.distance; f_equal; lra.

Lemma whole_below a b : (a < b)%Z -> IZR a + 1 <= IZR b.
Proof. intros L. rewrite <- plus_IZR. apply IZR_le. lia. Qed.

(** LS of the notes' flat prior, written as II-right and II-left write the distances. *)
Lemma flat_right G n c : is_gamma G -> 1 <= n -> n <= 2 * c -> c + 1 <= n ->
  local_sensitivity G 1 1 c (n - c) = distance G (c + 1) (n - c + 1) (c + 2) (n - c).
Proof.
  intros gamma N M L. rewrite two_sided by lra. rewrite Rmax_right; [same|].
  destruct (Req_dec n (2 * c)) as [E|E].
  - right. apply (both_equal G c); lra.
  - left. outer c (n - c).
Qed.

Lemma flat_left G n c : is_gamma G -> 1 <= n -> 2 * c <= n -> 1 <= c ->
  local_sensitivity G 1 1 c (n - c) = distance G (c + 1) (n - c + 1) c (n - c + 2).
Proof.
  intros gamma N M L. rewrite two_sided by lra. rewrite Rmax_left; [same|].
  destruct (Req_dec n (2 * c)) as [E|E].
  - right. symmetry. apply (both_equal G c); lra.
  - left. inner c (n - c).
Qed.

(* proves on: II-right *)
Theorem II_right : s_II_right_smaller.
Proof. intros G gamma n c N _ L S. apply flat_right; auto; lra. Qed.

(* proves on: II-left *)
Theorem II_left : s_II_left_smaller.
Proof. intros G gamma n c N _ P L S. apply flat_left; auto; lra. Qed.

(* disproves: II-right *)
Theorem II_right_fails : s_II_right_false.
Proof.
  intros G gamma F. specialize (F 3%Z 1%Z ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite flat_left in F by (auto; lra). revert F. apply Rgt_not_eq. inner 1 2.
Qed.

(* disproves: II-left *)
Theorem II_left_fails : s_II_left_false.
Proof.
  intros G gamma F. specialize (F 3%Z 2%Z ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite flat_right in F by (auto; lra). revert F. apply Rgt_not_eq. outer 2 1.
Qed.

(* proves on: corr-symmetry *)
Theorem corr_symmetry : s_corr_symmetry_smaller.
Proof. intros G gamma n c s _ _ _ _ _ E. rewrite distance_mirrored. same. Qed.

(* disproves: corr-symmetry *)
Theorem corr_symmetry_fails : s_corr_symmetry_false.
Proof.
  intros G gamma F. specialize (F 3%Z 1%Z 1%Z ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  revert F. apply Rlt_not_eq. inner 1 2.
Qed.

(* disproves: ls-reduction-sign *)
Theorem ls_reduction_sign : s_ls_reduction_sign_false.
Proof.
  intros G gamma F. specialize (F 1 1 4%Z 3%Z ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite (distance_comm G (1 + 3 + 1)), (distance_comm G (1 + 3 - 1)) in F.
  assert (distance G (1 + 3) (1 + 4 - 3) (1 + 3 - 1) (1 + 4 - 3 + 1) <
    distance G (1 + 3) (1 + 4 - 3) (1 + 3 + 1) (1 + 4 - 3 - 1)) as L by (outer 3 1).
  pose proof (distance_nonneg G (1 + 3) (1 + 4 - 3) (1 + 3 - 1) (1 + 4 - 3 + 1)).
  revert F. unfold Rmax. do 2 destruct Rle_dec; lra.
Qed.

(* proves: I-base-reduction *)
Theorem I_base_reduction : s_I_base_reduction.
Proof.
  intros G gamma h N. split; right.
  - assert ((2 * IZR h - 1) ^ 2 * (2 * IZR h + 2) * (2 * IZR h + 4) -
      (2 * IZR h + 3) ^ 2 * (2 * IZR h) * (2 * IZR h - 2) = 8 * (2 * IZR h + 1)) by ring. lra.
  - rewrite (distance_comm G (IZR h + 1)). outer (IZR h + 1) (IZR h - 1).
Qed.

(* disproves: I-symmetry *)
Theorem I_symmetry : s_I_symmetry_false.
Proof.
  intros G gamma F. specialize (F 1%Z ltac:(lra)). destruct F as [F|F].
  - apply F. intros c [A B]. lra.
  - specialize (F 0%Z). assert (0 <= 0 <= Rmin 1 (2 * 1 - 2)) as R.
    { split; [lra|]. apply Rmin_glb; lra. }
    specialize (F R). rewrite (distance_comm G (0 + 1)) in F.
    apply (Rgt_not_eq _ _ F). apply (both_equal G 1); lra.
Qed.

(** LS rises from the middle outwards. *)
Lemma rises G n m k : is_gamma G -> 1 <= n -> n <= 2 * m -> m + INR k + 1 <= n ->
  local_sensitivity G 1 1 m (n - m) <= local_sensitivity G 1 1 (m + INR k) (n - (m + INR k)) /\
  (k <> 0%nat -> local_sensitivity G 1 1 m (n - m) < local_sensitivity G 1 1 (m + INR k) (n - (m + INR k))).
Proof.
  intros gamma N M. induction k as [|k IH]; intros L.
  - simpl. replace (m + 0) with m by lra. split; [lra|congruence].
  - rewrite S_INR in *. pose proof (pos_INR k). destruct IH as [I _]; [lra|].
    enough (local_sensitivity G 1 1 (m + INR k) (n - (m + INR k)) <
      local_sensitivity G 1 1 (m + (INR k + 1)) (n - (m + (INR k + 1)))) by (split; intros; lra).
    set (c := m + INR k) in *.
    assert (local_sensitivity G 1 1 (m + (INR k + 1)) (n - (m + (INR k + 1))) =
      distance G (c + 2) (n - c) (c + 3) (n - c - 1)) as ->.
    { rewrite flat_right by (auto; lra). unfold c. same. }
    unfold c in *. rewrite flat_right by (auto; lra). rewrite distance_comm.
    outer (m + INR k + 1) (n - (m + INR k) - 1).
Qed.

Lemma last_rises G n m k : is_gamma G -> 1 <= n -> n <= 2 * m -> m + INR (S k) = n -> k <> 0%nat ->
  local_sensitivity G 1 1 m (n - m) < local_sensitivity G 1 1 n (n - n).
Proof.
  intros gamma N M E K. rewrite S_INR in *. assert (1 <= INR k) by (apply (le_INR 1); lia).
  destruct (rises G n m k gamma N M) as [_ I]; [lra|].
  apply Rlt_le_trans with (1 := I K). rewrite flat_right by (auto; lra).
  unfold local_sensitivity. destruct (Req_EM_T n 0); [lra|]. destruct (Req_EM_T (n - n) 0); [|lra].
  apply Rle_trans with (distance G (1 + n) (1 + (n - n)) (1 + n - 1) (1 + (n - n) + 1)); [|apply Rmax_l].
  rewrite distance_comm. right. same.
Qed.

Lemma sensitivity_mirrored G x y : local_sensitivity G 1 1 x y = local_sensitivity G 1 1 y x.
Proof.
  unfold local_sensitivity. rewrite Rmax_comm. f_equal.
  - destruct (Req_EM_T y 0); auto. apply distance_mirrored.
  - destruct (Req_EM_T x 0); auto. apply distance_mirrored.
Qed.

Lemma right_half G (n u c : Z) : is_gamma G -> (4 <= n)%Z -> (n <= 2 * u <= n + 1)%Z -> (n + 1 < 2 * c)%Z ->
  (c <= n)%Z ->
  local_sensitivity G 1 1 (IZR u) (IZR n - IZR u) < local_sensitivity G 1 1 (IZR c) (IZR n - IZR c).
Proof.
  intros gamma N [U V] C L. assert (IZR c = IZR u + INR (Z.to_nat (c - u))) as E.
  { rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by lia. lra. }
  assert (1 <= IZR n) by (apply (IZR_le 1); lia).
  assert (IZR n <= 2 * IZR u) by (rewrite <- mult_IZR; apply IZR_le; lia).
  assert (Z.to_nat (c - u) <> 0%nat) as K by lia.
  destruct (Z.eq_dec c n) as [->|D].
  - destruct (Z.to_nat (n - u)) as [|k] eqn:Q; [congruence|].
    apply last_rises with k; auto; try lra; lia.
  - rewrite E. apply rises; auto. rewrite <- E. apply whole_below. lia.
Qed.

Lemma mirrored G n x : local_sensitivity G 1 1 (IZR (n - x)) (IZR n - IZR (n - x)) =
  local_sensitivity G 1 1 (IZR x) (IZR n - IZR x).
Proof.
  rewrite minus_IZR. replace (IZR n - (IZR n - IZR x)) with (IZR x) by lra. apply sensitivity_mirrored.
Qed.

Ltac whole H := rewrite <- ?mult_IZR, <- ?plus_IZR, <- ?minus_IZR in H; first [apply eq_IZR in H|apply le_IZR in H|apply lt_IZR in H].

(* proves on: III *)
Theorem III : s_III_smaller.
Proof.
  intros G gamma n c u _ C L A1 A2 A3 U P Q N.
  assert (4 <= n)%Z as N' by (apply le_IZR; lra).
  assert (n <= 2 * u <= n + 1 \/ n <= 2 * (n - u) <= n + 1)%Z as U'.
  { destruct U as [U|[U|U]]; whole U; lia. }
  assert (n + 1 < 2 * c \/ n + 1 < 2 * (n - c))%Z as C'.
  { assert (2 * c <> n)%Z. { intros E. apply A1. rewrite <- mult_IZR, E. reflexivity. }
    assert (2 * c <> n + 1)%Z. { intros E. apply A2. rewrite <- mult_IZR, E, plus_IZR. reflexivity. }
    assert (2 * c <> n - 1)%Z. { intros E. apply A3. rewrite <- mult_IZR, E, minus_IZR. reflexivity. }
    lia. }
  apply le_IZR in C, L.
  apply Rlt_gt. destruct U' as [U'|U'], C' as [C'|C'].
  - apply right_half; auto; lia.
  - rewrite <- (mirrored G n c). apply right_half; auto; lia.
  - rewrite <- (mirrored G n u). apply right_half; auto; lia.
  - rewrite <- (mirrored G n u), <- (mirrored G n c). apply right_half; auto; lia.
Qed.

(* disproves: III *)
Theorem III_fails : s_III_false.
Proof.
  intros G gamma F.
  assert (local_sensitivity G 1 1 0 (2 - 0) > local_sensitivity G 1 1 1 (2 - 1)) as L by (apply F; lra).
  apply (Rgt_not_eq _ _ L). rewrite (flat_right G 2 1) by (auto; lra). unfold local_sensitivity.
  destruct (Req_EM_T 0 0) as [_|N]; [|contradiction N; reflexivity].
  destruct (Req_EM_T (2 - 0) 0) as [N|_]; [exfalso; lra|].
  rewrite Rmax_right by apply distance_nonneg.
  rewrite distance_comm, distance_mirrored. unfold distance. f_equal; lra.
Qed.
