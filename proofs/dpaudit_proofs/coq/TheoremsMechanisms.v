(** Typed statements about the mechanisms over two categories, and randomised response. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsPrivacy.
Open Scope R_scope.

(* proves: randomised-response *)
Theorem randomised_response : s_randomised_response.
Proof.
  intros e k j K J E K2 J1 L. pose proof (exp_increasing 0 e ltac:(lra)) as X. rewrite exp_0 in X.
  set (x := exp e) in *. set (m := IZR k) in *. set (i := IZR j) in *. repeat split.
  - field. lra.
  - field. lra.
  - replace (x * (i / (x + m - 1))) with (x * i / (x + m - 1)) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    assert (0 <= (x - 1) * (i - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* proves: large-worst-output *)
Theorem large_worst_output : s_large_worst_output.
Proof.
  intros ux uy hx hy d m U V H0 H1 L M N.
  assert (uy * hy <= uy * (hx + d)) by (apply Rmult_le_compat_l; lra).
  assert ((uy - ux) * hx <= m * hx) by (apply Rmult_le_compat_r; lra).
  assert (m * hx <= m * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** One more step to one side is farther. *)
Lemma farther_strictly G p q j : is_gamma G -> 0 < p -> 0 <= j -> j + 1 < q ->
  distance G p q (p + j) (q - j) < distance G p q (p + j + 1) (q - j - 1).
Proof.
  intros gamma P J Q. unfold distance, hellinger. rewrite !(affinity_root G gamma) by lra.
  assert (squared G p q (p + j + 1) (q - j - 1) < squared G p q (p + j) (q - j)) as L.
  2: { pose proof (squared_at_most_1 G gamma p q (p + j) (q - j) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as S.
    pose proof (squared_at_most_1 G gamma p q (p + j + 1) (q - j - 1) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as S'.
    pose proof (sqrt_le_1_alt _ 1 (proj2 S)) as M. rewrite sqrt_1 in M.
    pose proof (sqrt_lt_1_alt (squared G p q (p + j + 1) (q - j - 1)) (squared G p q (p + j) (q - j)) ltac:(lra)).
    apply sqrt_lt_1_alt. lra. }
  unfold squared, B. replace ((p + (p + j + 1)) / 2 + (q + (q - j - 1)) / 2) with (p + q) by lra.
  replace ((p + (p + j)) / 2 + (q + (q - j)) / 2) with (p + q) by lra.
  replace (p + j + 1 + (q - j - 1)) with (p + q) by lra. replace (p + j + (q - j)) with (p + q) by lra.
  replace ((p + (p + j + 1)) / 2) with (p + j / 2 + 1 / 2) by lra. replace ((p + (p + j)) / 2) with (p + j / 2) by lra.
  set (u := q - j / 2 - 1 / 2). replace ((q + (q - j - 1)) / 2) with u by (unfold u; lra).
  replace ((q + (q - j)) / 2) with (u + 1 / 2) by (unfold u; lra).
  rewrite (gamma_step G gamma (p + j)) by lra.
  replace (q - j) with (q - j - 1 + 1) at 2 by lra. rewrite (gamma_step G gamma (q - j - 1)) by lra.
  pose proof (gamma_pos G gamma) as F. pose proof (phi_below G gamma (p + j / 2) ltac:(lra)) as X.
  pose proof (phi_above G gamma u ltac:(unfold u; lra)) as Y. unfold phi in X, Y.
  rewrite (gamma_step G gamma (p + j / 2)) in X by lra. rewrite (gamma_step G gamma u) in Y by (unfold u; lra).
  pose proof (F p P). pose proof (F q ltac:(lra)). pose proof (F (p + q) ltac:(lra)). pose proof (F (p + j) ltac:(lra)).
  pose proof (F (q - j - 1) ltac:(lra)). pose proof (F (p + j / 2) ltac:(lra)).
  pose proof (F (p + j / 2 + 1 / 2) ltac:(lra)). pose proof (F u ltac:(unfold u; lra)).
  pose proof (F (u + 1 / 2) ltac:(unfold u; lra)).
  set (g := G (p + q)) in *. set (x := G (p + j / 2)) in *. set (x' := G (p + j / 2 + 1 / 2)) in *.
  set (y := G u) in *. set (y' := G (u + 1 / 2)) in *. set (s := G (p + j)) in *. set (t := G (q - j - 1)) in *.
  assert (x' * x' <= (p + j) * (x * x)) as X2.
  { apply Rle_trans with ((p + j / 2) * (x * x)).
    - apply (Rmult_le_compat_r (x * ((p + j / 2) * x))) in X; [|left; repeat apply Rmult_lt_0_compat; lra].
      replace (x' * x' / (x * ((p + j / 2) * x)) * (x * ((p + j / 2) * x))) with (x' * x') in X by (field; lra). lra.
    - apply Rmult_le_compat_r; [left; apply Rmult_lt_0_compat; lra|lra]. }
  assert ((q - j - 1) * (y * y) < y' * y') as Y2.
  { apply (Rmult_le_compat_r (y * (u * y))) in Y; [|left; repeat apply Rmult_lt_0_compat; unfold u in *; lra].
    replace (y' * y' / (y * (u * y)) * (y * (u * y))) with (y' * y') in Y by (field; unfold u in *; lra).
    apply Rlt_le_trans with (2 := Y). replace (u / (u + 1 / 2) * (y * (u * y))) with (u * u / (u + 1 / 2) * (y * y))
      by (field; unfold u in *; lra). apply Rmult_lt_compat_r; [apply Rmult_lt_0_compat; lra|].
    apply Rmult_lt_reg_r with (u + 1 / 2); [unfold u; lra|].
    replace (u * u / (u + 1 / 2) * (u + 1 / 2)) with (u * u) by (field; unfold u in *; lra).
    assert (q - j - 1 <= u - 1 / 2) as M by (unfold u; lra).
    assert ((q - j - 1) * (u + 1 / 2) <= (u - 1 / 2) * (u + 1 / 2)) by (apply Rmult_le_compat_r; unfold u in *; lra). lra. }
  set (k := G p * G q / g * (s * t / g)).
  assert (0 < k) by (unfold k; repeat first [apply Rdiv_lt_0_compat|apply Rmult_lt_0_compat]; auto).
  replace (x' * y / g * (x' * y / g) / (G p * G q / g * ((p + j) * s * t / g)))
    with (x' * x' * ((q - j - 1) * (y * y)) * / ((p + j) * (q - j - 1) * (g * g) * k)) by (unfold k; field; repeat split; apply Rgt_not_eq; auto; lra).
  replace (x * y' / g * (x * y' / g) / (G p * G q / g * (s * ((q - j - 1) * t) / g)))
    with ((p + j) * (x * x) * (y' * y') * / ((p + j) * (q - j - 1) * (g * g) * k)) by (unfold k; field; repeat split; apply Rgt_not_eq; auto; lra).
  apply Rmult_lt_compat_r.
  - apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; [repeat apply Rmult_lt_0_compat; lra|assumption].
  - assert (0 < y * y) by (apply Rmult_lt_0_compat; lra).
    assert (0 <= (q - j - 1) * (y * y)) by (apply Rmult_le_pos; lra).
    apply Rle_lt_trans with ((p + j) * (x * x) * ((q - j - 1) * (y * y))); [apply Rmult_le_compat_r; lra|].
    apply Rmult_lt_compat_l; [|exact Y2]. apply Rmult_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra.
Qed.

Lemma farther G p q j : is_gamma G -> 0 < p -> 0 <= j -> j + 1 < q ->
  distance G p q (p + j) (q - j) <= distance G p q (p + j + 1) (q - j - 1).
Proof. intros. left. apply farther_strictly; auto. Qed.

(* proves: large-monotone *)
Theorem large_monotone : s_large_monotone.
Proof. intros G gamma p q j P J Q. apply farther; auto; lra. Qed.

Lemma apart_right G p q k : is_gamma G -> 0 < p -> INR k + 1 < q ->
  distance G p q (p + 1) (q - 1) <= distance G p q (p + INR k + 1) (q - INR k - 1).
Proof.
  intros gamma P. induction k as [|k IH]; intros Q.
  - simpl. right. f_equal; lra.
  - rewrite S_INR in *. pose proof (pos_INR k). apply Rle_trans with (1 := IH ltac:(lra)).
    replace (p + (INR k + 1) + 1) with (p + (INR k + 1) + 1) by ring.
    replace (p + INR k + 1) with (p + (INR k + 1)) by ring. replace (q - INR k - 1) with (q - (INR k + 1)) by ring.
    apply farther; auto; lra.
Qed.

(** Two posteriors that differ are at a distance above 0. *)
Lemma apart_positive G p q d : is_gamma G -> 0 < p -> 0 < q -> (0 < d)%Z -> IZR d < q ->
  0 < distance G p q (p + IZR d) (q - IZR d).
Proof.
  intros gamma P Q D L. assert (IZR d = INR (Z.to_nat (d - 1)) + 1) as E.
  { rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by lia. lra. }
  rewrite E in *. pose proof (pos_INR (Z.to_nat (d - 1))).
  pose proof (apart_right G p q (Z.to_nat (d - 1)) gamma P L) as M.
  replace (p + (INR (Z.to_nat (d - 1)) + 1)) with (p + INR (Z.to_nat (d - 1)) + 1) by ring.
  replace (q - (INR (Z.to_nat (d - 1)) + 1)) with (q - INR (Z.to_nat (d - 1)) - 1) by ring.
  apply Rlt_le_trans with (2 := M). replace q with (q - 1 + 1) at 1 by ring. apply step_positive; auto; lra.
Qed.

Lemma other_positive G a b n c r : is_gamma G -> 0 < a -> 0 < b -> (0 <= c <= n)%Z -> (0 <= r <= n)%Z -> r <> c ->
  0 < distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r).
Proof.
  intros gamma A B' [C1 C2] [R1 R2] N. apply IZR_le in C1, C2, R1, R2.
  destruct (Z_lt_le_dec c r) as [L|L].
  - pose proof (apart_positive G (a + IZR c) (b + IZR n - IZR c) (r - c) gamma) as X. rewrite minus_IZR in X.
    replace (a + IZR r) with (a + IZR c + (IZR r - IZR c)) by ring.
    replace (b + IZR n - IZR r) with (b + IZR n - IZR c - (IZR r - IZR c)) by ring. apply X; try lra. lia.
  - pose proof (apart_positive G (a + IZR r) (b + IZR n - IZR r) (c - r) gamma) as X. rewrite minus_IZR in X.
    rewrite distance_comm. replace (a + IZR c) with (a + IZR r + (IZR c - IZR r)) by ring.
    replace (b + IZR n - IZR c) with (b + IZR n - IZR r - (IZR c - IZR r)) by ring. apply X; try lra. lia.
Qed.

Lemma range_sum_ext low high f g : (forall i, (low <= i <= high)%Z -> f i = g i) ->
  range_sum (IZR low) (IZR high) f = range_sum (IZR low) (IZR high) g.
Proof.
  intros E. apply Rle_antisym; apply range_sum_le; intros i I; rewrite (E i I); lra.
Qed.

Lemma same_is x y : (x = y /\ same x y = 1) \/ (x <> y /\ same x y = 0).
Proof. unfold same. destruct (Req_EM_T x y); auto. Qed.

Lemma range_sum_plus low high f g : range_sum low high (fun i => f i + g i) = range_sum low high f + range_sum low high g.
Proof.
  unfold range_sum. generalize (whole low) as from, (Z.to_nat (whole high - whole low + 1)) as count.
  intros from count. revert from. induction count as [|m IH]; intros from; cbn [added]; [ring|]. rewrite IH. ring.
Qed.

(** The normaliser, with weights written as statements write them. *)
Notation near a b n c r := (fun G => distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)).
Definition total (G : R -> R) (f a b : R) (n c : Z) : R :=
  range_sum 0 (IZR n) (fun j => exp (- f * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR j) (b + IZR n - IZR j))).

Lemma law_of G f a b n c r : exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) =
  exp (- f * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) / total G f a b n c.
Proof.
  rewrite exponential_of. unfold weight, total. replace (b + IZR n - IZR c) with (b + (IZR n - IZR c)) by ring.
  apply (f_equal2 Rdiv).
  - replace (b + IZR n - IZR r) with (b + (IZR n - IZR r)) by ring. reflexivity.
  - apply (range_sum_ext 0 n). intros i _. replace (b + IZR n - IZR i) with (b + (IZR n - IZR i)) by ring. reflexivity.
Qed.

Lemma total_above_0 G f a b n c : (0 <= n)%Z -> 0 < total G f a b n c.
Proof. intros N. apply (range_sum_positive 0 n); auto. intros. apply exp_pos. Qed.

Lemma added_constant k from count : added (fun _ => k) from count = INR count * k.
Proof. revert from. induction count as [|m IH]; intros from; cbn [added]; [simpl; ring|]. rewrite IH, S_INR. ring. Qed.

Lemma range_sum_constant n k : (0 <= n)%Z -> range_sum 0 (IZR n) (fun _ => k) = (IZR n + 1) * k.
Proof.
  intros N. unfold range_sum. rewrite !whole_IZR, added_constant, INR_IZR_INZ, Z2Nat.id by lia.
  rewrite plus_IZR, minus_IZR. ring.
Qed.

Lemma added_one_larger (c : Z) k q f from count : (from <= c < from + Z.of_nat count)%Z -> q <= k ->
  (forall i, (from <= i < from + Z.of_nat count)%Z -> q <= f i) -> k <= f c -> k + (INR count - 1) * q <= added f from count.
Proof.
  revert from. induction count as [|m IH]; intros from C Q A K; [lia|]. cbn [added]. rewrite S_INR.
  destruct (Z.eq_dec c from) as [<-|N].
  - pose proof (added_le (fun _ => q) f (c + 1) m ltac:(intros i I; apply A; lia)) as L. rewrite added_constant in L. lra.
  - specialize (IH (from + 1)%Z ltac:(lia) Q ltac:(intros i I; apply A; lia) K). specialize (A from ltac:(lia)). lra.
Qed.

Lemma range_sum_one_larger n c k q f : (0 <= c <= n)%Z -> q <= k -> (forall i, (0 <= i <= n)%Z -> q <= f i) -> k <= f c ->
  k + IZR n * q <= range_sum 0 (IZR n) f.
Proof.
  intros C Q A K. unfold range_sum. rewrite !whole_IZR.
  pose proof (added_one_larger c k q f 0 (Z.to_nat (n - 0 + 1)) ltac:(lia) Q ltac:(intros; apply A; lia) K) as L.
  rewrite INR_IZR_INZ, Z2Nat.id, plus_IZR, minus_IZR in L by lia. lra.
Qed.

Section Law.
Variables (G : R -> R) (a b f : R) (n c : Z).
Hypothesis gamma : is_gamma G.
Hypothesis A : 0 < a.
Hypothesis B' : 0 < b.
Hypothesis C : (0 <= c <= n)%Z.
Notation h r := (distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)).

Lemma h_bounds r : (0 <= r <= n)%Z -> 0 <= h r < 1.
Proof.
  intros [R1 R2]. destruct C as [C1 C2]. apply IZR_le in C1, C2, R1, R2. apply distance_bounds; auto; lra.
Qed.

Lemma h_self : h c = 0.
Proof. destruct C as [C1 C2]. apply IZR_le in C1, C2. apply distance_self; auto; lra. Qed.

Lemma weight_range r : 0 <= f -> (0 <= r <= n)%Z -> exp (- f) <= exp (- f * h r) <= 1.
Proof.
  intros F R'. pose proof (h_bounds r R') as [H0 H1]. split; [|rewrite <- exp_0]; apply exp_monotone.
  - assert (f * h r <= f * 1) by (apply Rmult_le_compat_l; lra). lra.
  - assert (0 <= f * h r) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma total_range : 0 <= f -> 1 + IZR n * exp (- f) <= total G f a b n c <= IZR n + 1.
Proof.
  intros F. unfold total. split.
  - apply range_sum_one_larger with (c := c); auto.
    + rewrite <- exp_0. apply exp_monotone. lra.
    + intros i I. apply weight_range; auto.
    + rewrite h_self, Rmult_0_r, exp_0. lra.
  - replace (IZR n + 1) with ((IZR n + 1) * 1) by ring. rewrite <- range_sum_constant by lia.
    apply (range_sum_le 0 n). intros i I. apply weight_range; auto.
Qed.
End Law.

(** A sum of probabilities, tails, and candidates that are nearly as good. *)
(* proves: two-law *)
Theorem two_law : s_two_law.
Proof.
  intros G gamma a b f n c N C A B' L.
  assert (0 <= n)%Z as N' by (apply le_IZR; lra). pose proof (total_above_0 G f a b n c N') as T. split.
  - rewrite (range_sum_ext 0 n _ (fun r => / total G f a b n c *
      exp (- f * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)))).
    + rewrite range_sum_scaled. fold (total G f a b n c). field. lra.
    + intros i _. rewrite law_of. field. lra.
  - intros r _. apply Rlt_gt, exponential_positive. exact N'.
Qed.

Ltac counts := repeat match goal with H : _ >= _ |- _ => apply Rge_le in H | H : _ > _ |- _ => apply Rgt_lt in H end;
  repeat match goal with H : 0 <= IZR _ |- _ => apply (le_IZR 0) in H | H : IZR _ <= IZR _ |- _ => apply le_IZR in H end.

(* proves: two-nearest *)
Theorem two_nearest : s_two_nearest.
Proof.
  intros G gamma a b f n c r N C R' A B' L F M D. counts.
  assert (r <> c) as D' by (intros ->; apply D; reflexivity).
  pose proof (other_positive G a b n c r gamma A B' (conj C L) (conj R' M) D') as P.
  split; [exact P|]. rewrite !law_of. pose proof (total_above_0 G f a b n c N) as T.
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; exact T|]. apply exp_increasing.
  rewrite (h_self G a b n c gamma A B' (conj C L)).
  assert (0 < f * distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r))
    by (apply Rmult_lt_0_compat; auto). lra.
Qed.

(* proves: two-tail *)
Theorem two_tail : s_two_tail.
Proof.
  intros G gamma a b f t n c r N C R' A B' L F M D. counts. fold (total G f a b n c). rewrite law_of.
  pose proof (total_range G a b f n c gamma A B' (conj C L) F) as [T _].
  assert (0 <= IZR n * exp (- f)) by (apply Rmult_le_pos; [apply (IZR_le 0); exact N|left; apply exp_pos]).
  set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) in *.
  assert (exp (- f * h) <= exp (- f * t)) as E.
  { apply exp_monotone. assert (f * t <= f * h) by (apply Rmult_le_compat_l; lra). lra. }
  set (s := total G f a b n c) in *. pose proof (exp_pos (- f * h)). split.
  - replace (exp (- f * h) / s * s) with (exp (- f * h)) by (field; lra). exact E.
  - apply Rle_trans with (2 := E). apply Rmult_le_reg_r with s; [lra|].
    replace (exp (- f * h) / s * s) with (exp (- f * h) * 1) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

(* proves: two-normaliser *)
Theorem two_normaliser : s_two_normaliser.
Proof. intros G gamma a b f n c N C A B' L F. counts. apply total_range; auto. Qed.

(* proves: two-sliding *)
Theorem two_sliding : s_two_sliding.
Proof.
  intros G gamma a b e s n c r t N C R' T A B' L E S M K D. counts. rewrite !law_of.
  set (h := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR r) (b + IZR n - IZR r)) in *.
  set (k := distance G (a + IZR c) (b + IZR n - IZR c) (a + IZR t) (b + IZR n - IZR t)) in *.
  pose proof (total_above_0 G (e / (2 * s)) a b n c N) as P. set (z := total G (e / (2 * s)) a b n c) in *.
  replace (exp (e / 2) * (exp (- (e / (2 * s)) * k) / z)) with (exp (e / 2) * exp (- (e / (2 * s)) * k) * / z) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact P|]. rewrite <- exp_plus. apply exp_monotone.
  assert (e / (2 * s) * (k - h) <= e / (2 * s) * s).
  { apply Rmult_le_compat_l; [left; apply over_positive; lra|lra]. }
  replace (e / (2 * s) * s) with (e / 2) in H by (field; lra). lra.
Qed.

(** The exponential mechanism, over any finite set of outputs and with any score. *)
(* proves: exponential-mechanism *)
Theorem exponential_mechanism : s_exponential_mechanism.
Proof.
  intros u x y e d n r N R' E D L A. apply Rge_le in N, R'. apply (le_IZR 0) in N, R'. apply le_IZR in L.
  assert (forall i, (0 <= i <= n)%Z -> exp (e * u x (IZR i) / (2 * d)) <= exp (e / 2) * exp (e * u y (IZR i) / (2 * d)) /\
    exp (e * u y (IZR i) / (2 * d)) <= exp (e / 2) * exp (e * u x (IZR i) / (2 * d))) as W.
  { intros i [I1 I2]. apply (IZR_le 0) in I1. apply IZR_le in I2. specialize (A i (conj I1 I2)).
    pose proof (Rle_abs (u x (IZR i) - u y (IZR i))) as J1. pose proof (Rle_abs (- (u x (IZR i) - u y (IZR i)))) as J2.
    rewrite Rabs_Ropp in J2. rewrite <- !exp_plus.
    assert (forall v, v <= d -> e * v / (2 * d) <= e / 2) as K.
    { intros v V. apply Rmult_le_reg_r with (2 * d); [lra|]. replace (e * v / (2 * d) * (2 * d)) with (e * v) by (field; lra).
      replace (e / 2 * (2 * d)) with (e * d) by field. apply Rmult_le_compat_l; lra. }
    split; apply exp_monotone.
    - pose proof (K (u x (IZR i) - u y (IZR i)) ltac:(lra)) as M.
      replace (e * (u x (IZR i) - u y (IZR i)) / (2 * d)) with (e * u x (IZR i) / (2 * d) - e * u y (IZR i) / (2 * d)) in M by (field; lra). lra.
    - pose proof (K (u y (IZR i) - u x (IZR i)) ltac:(lra)) as M.
      replace (e * (u y (IZR i) - u x (IZR i)) / (2 * d)) with (e * u y (IZR i) / (2 * d) - e * u x (IZR i) / (2 * d)) in M by (field; lra). lra. }
  assert (forall f g, (forall i, (0 <= i <= n)%Z -> f i <= exp (e / 2) * g i) ->
    range_sum 0 (IZR n) f <= exp (e / 2) * range_sum 0 (IZR n) g) as T.
  { intros f g H. rewrite <- range_sum_scaled. apply (range_sum_le 0 n). exact H. }
  pose proof (T _ _ (fun i I => proj1 (W i I))) as TX. pose proof (T _ _ (fun i I => proj2 (W i I))) as TY.
  assert (forall v, 0 < range_sum 0 (IZR n) (fun i => exp (e * u v (IZR i) / (2 * d)))) as P.
  { intros v. apply (range_sum_positive 0 n); auto. intros. apply exp_pos. }
  pose proof (P x) as PX. pose proof (P y) as PY. destruct (W r (conj R' L)) as [W1 W2].
  pose proof (exp_pos (e * u x (IZR r) / (2 * d))). pose proof (exp_pos (e * u y (IZR r) / (2 * d))).
  pose proof (exp_pos (e / 2)). replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; field).
  set (s := range_sum 0 (IZR n) (fun i => exp (e * u x (IZR i) / (2 * d)))) in *.
  set (t := range_sum 0 (IZR n) (fun i => exp (e * u y (IZR i) / (2 * d)))) in *.
  set (p := exp (e * u x (IZR r) / (2 * d))) in *. set (q := exp (e * u y (IZR r) / (2 * d))) in *. set (h := exp (e / 2)) in *.
  split.
  - replace (h * h * (q * s)) with (h * q * (h * s)) by ring. apply Rmult_le_compat; lra.
  - replace (h * h * (p * t)) with (h * p * (h * t)) by ring. apply Rmult_le_compat; lra.
Qed.
