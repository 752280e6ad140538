(** The affinity of neighbours: 1 − H(x, x + 1)² is √(φ(p)·φ(q)), where φ rises to 1. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words.
Open Scope R_scope.

Section Neighbours.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.

Definition phi (s : R) : R := G (s + 1 / 2) * G (s + 1 / 2) / (G s * G (s + 1)).
Definition rise (s : R) : R := s * (s + 1) / ((s + 1 / 2) * (s + 1 / 2)).

Lemma phi_positive s : 0 < s -> 0 < phi s.
Proof.
  intros S. pose proof (gamma_pos G gamma) as P.
  apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; apply P; lra.
Qed.

Lemma phi_step s : 0 < s -> phi s = rise s * phi (s + 1).
Proof.
  intros S. unfold phi, rise. replace (s + 1 + 1 / 2) with (s + 1 / 2 + 1) by lra.
  rewrite (gamma_step G gamma (s + 1)), (gamma_step G gamma (s + 1 / 2)), (gamma_step G gamma s) by lra.
  pose proof (gamma_pos G gamma s S). pose proof (gamma_pos G gamma (s + 1 / 2) ltac:(lra)). field. repeat split; lra.
Qed.

Lemma phi_below s : 0 < s -> phi s <= 1.
Proof.
  intros S. pose proof (gamma_convex G gamma s (s + 1) S ltac:(lra)) as C.
  replace ((s + (s + 1)) / 2) with (s + 1 / 2) in C by lra.
  assert (0 < G s * G (s + 1)) by (apply Rmult_lt_0_compat; apply (gamma_pos G gamma); lra).
  unfold phi. apply Rmult_le_reg_r with (G s * G (s + 1)); auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma phi_above s : 0 < s -> s / (s + 1 / 2) <= phi s.
Proof.
  intros S. pose proof (gamma_convex G gamma (s + 1 / 2) (s + 1 / 2 + 1) ltac:(lra) ltac:(lra)) as C.
  replace ((s + 1 / 2 + (s + 1 / 2 + 1)) / 2) with (s + 1) in C by lra.
  rewrite (gamma_step G gamma (s + 1 / 2)) in C by lra. unfold phi.
  rewrite (gamma_step G gamma s) in * by lra.
  pose proof (gamma_pos G gamma s S) as P. pose proof (gamma_pos G gamma (s + 1 / 2) ltac:(lra)) as Q.
  set (x := G s) in *. set (y := G (s + 1 / 2)) in *.
  assert (0 < x * (s * x)) as R by (apply Rmult_lt_0_compat; [auto|apply Rmult_lt_0_compat; auto]).
  apply Rmult_le_reg_r with ((s + 1 / 2) * (x * (s * x))); [apply Rmult_lt_0_compat; lra|].
  replace (s / (s + 1 / 2) * ((s + 1 / 2) * (x * (s * x)))) with (s * x * (s * x)) by (field; lra).
  replace (y * y / (x * (s * x)) * ((s + 1 / 2) * (x * (s * x)))) with (y * ((s + 1 / 2) * y)) by (field; lra).
  exact C.
Qed.

Lemma rise_positive s : 0 < s -> 0 < rise s.
Proof. intros S. apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; lra. Qed.

Lemma rise_increases s t : 0 < s -> s < t -> rise s < rise t.
Proof.
  intros S L. unfold rise.
  replace (s * (s + 1) / ((s + 1 / 2) * (s + 1 / 2))) with (1 - 1 / (4 * ((s + 1 / 2) * (s + 1 / 2)))) by (field; lra).
  replace (t * (t + 1) / ((t + 1 / 2) * (t + 1 / 2))) with (1 - 1 / (4 * ((t + 1 / 2) * (t + 1 / 2)))) by (field; lra).
  assert ((s + 1 / 2) * (s + 1 / 2) < (t + 1 / 2) * (t + 1 / 2)) by (apply Rmult_gt_0_lt_compat; lra).
  assert (0 < (s + 1 / 2) * (s + 1 / 2)) by (apply Rmult_lt_0_compat; lra).
  assert (1 / (4 * ((t + 1 / 2) * (t + 1 / 2))) < 1 / (4 * ((s + 1 / 2) * (s + 1 / 2)))); [|lra].
  unfold Rdiv. apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra].
Qed.

(** Of two sums alike, the more even one has the larger product of rises. *)
Lemma rise_even p q r s : 0 < p -> 0 < q -> 0 < r -> 0 < s -> p + q = r + s -> p * q < r * s ->
  rise p * rise q < rise r * rise s.
Proof.
  intros P Q R' S E L. unfold rise. set (x := (p + q) / 2 + 1 / 4). set (y := p + q + 1).
  set (m := p * q) in *. set (k := r * s) in *.
  assert (0 < m) by (apply Rmult_lt_0_compat; auto).
  assert (k <= (p + q) / 2 * ((p + q) / 2)) as B'.
  { unfold k. rewrite E. assert (0 <= (r - s) * (r - s)) by apply Rle_0_sqr. lra. }
  assert (p * (p + 1) / ((p + 1 / 2) * (p + 1 / 2)) * (q * (q + 1) / ((q + 1 / 2) * (q + 1 / 2))) =
    (m * m + y * m) / ((m + x) * (m + x))) as ->.
  { unfold m, x, y. field. repeat split; try lra. assert (0 < p * q) by (apply Rmult_lt_0_compat; auto). lra. }
  assert (r * (r + 1) / ((r + 1 / 2) * (r + 1 / 2)) * (s * (s + 1) / ((s + 1 / 2) * (s + 1 / 2))) =
    (k * k + y * k) / ((k + x) * (k + x))) as ->.
  { unfold k, x, y. rewrite E. field. assert (0 < r * s) by (apply Rmult_lt_0_compat; auto). repeat split; lra. }
  assert (0 < x) by (unfold x; lra). assert (0 < y) by (unfold y; lra).
  assert (k < x * x) as K.
  { apply Rle_lt_trans with (1 := B'). apply Rmult_gt_0_lt_compat; unfold x; lra. }
  assert (0 < (m + x) * (m + x)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < (k + x) * (k + x)) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_lt_reg_r with ((m + x) * (m + x) * ((k + x) * (k + x))); [apply Rmult_lt_0_compat; auto|].
  replace ((m * m + y * m) / ((m + x) * (m + x)) * ((m + x) * (m + x) * ((k + x) * (k + x))))
    with ((m * m + y * m) * ((k + x) * (k + x))) by (field; lra).
  replace ((k * k + y * k) / ((k + x) * (k + x)) * ((m + x) * (m + x) * ((k + x) * (k + x))))
    with ((k * k + y * k) * ((m + x) * (m + x))) by (field; lra).
  assert ((k * k + y * k) * ((m + x) * (m + x)) - (m * m + y * m) * ((k + x) * (k + x)) =
    (k - m) * ((2 * x - y) * (m * k) + x * x * (m + k) + y * (x * x))) as D by ring.
  assert (0 < (k - m) * ((2 * x - y) * (m * k) + x * x * (m + k) + y * (x * x))); [|lra].
  apply Rmult_lt_0_compat; [lra|]. replace (2 * x - y) with (- (1 / 2)) by (unfold x, y; lra).
  assert (m * k < m * (x * x)) by (apply Rmult_lt_compat_l; lra).
  assert (0 < x * x) by (apply Rmult_lt_0_compat; lra).
  assert (0 < y * (x * x)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < m * (x * x)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < k * (x * x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** φ tends to 1, so that an order of products of rises is one of products of φ. *)
Lemma nearly f g : 0 < f -> 0 < g -> (forall n : nat, (1 <= n)%nat -> f * (1 - 1 / INR n) <= g) -> f <= g.
Proof.
  intros F P A. apply Rnot_lt_le. intros L.
  destruct (archimed_cor1 ((f - g) / f)) as (n & N & M); [apply Rdiv_lt_0_compat; lra|].
  specialize (A n ltac:(lia)). apply (Rmult_lt_compat_l f) in N; [|exact F].
  replace (f * ((f - g) / f)) with (f - g) in N by (field; lra). unfold Rdiv in A. lra.
Qed.

Lemma phi_far s n : 0 < s -> (1 <= n)%nat -> 1 - 1 / (2 * INR n) <= phi (s + INR n).
Proof.
  intros S N. apply (le_INR 1) in N. simpl in N. apply Rle_trans with (2 := phi_above (s + INR n) ltac:(lra)).
  apply Rmult_le_reg_r with (2 * INR n * (s + INR n + 1 / 2)).
  { apply Rmult_lt_0_compat; lra. }
  replace ((1 - 1 / (2 * INR n)) * (2 * INR n * (s + INR n + 1 / 2))) with ((2 * INR n - 1) * (s + INR n + 1 / 2))
    by (field; lra).
  replace ((s + INR n) / (s + INR n + 1 / 2) * (2 * INR n * (s + INR n + 1 / 2))) with (2 * INR n * (s + INR n))
    by (field; lra). lra.
Qed.

Lemma phi_carried s t n : 0 < s -> s <= t -> phi s * phi (t + INR n) <= phi t * phi (s + INR n).
Proof.
  revert s t. induction n as [|n IH]; intros s t S L.
  - simpl. rewrite !Rplus_0_r. lra.
  - specialize (IH (s + 1) (t + 1) ltac:(lra) ltac:(lra)). rewrite S_INR.
    replace (s + (INR n + 1)) with (s + 1 + INR n) by ring. replace (t + (INR n + 1)) with (t + 1 + INR n) by ring.
    rewrite (phi_step s), (phi_step t) by lra. pose proof (pos_INR n).
    pose proof (phi_positive (s + 1) ltac:(lra)). pose proof (phi_positive (t + 1) ltac:(lra)).
    pose proof (phi_positive (s + 1 + INR n) ltac:(lra)). pose proof (phi_positive (t + 1 + INR n) ltac:(lra)).
    pose proof (rise_positive s S). pose proof (rise_positive t ltac:(lra)).
    assert (rise s <= rise t) as M by (destruct L as [L|<-]; [left; apply rise_increases; auto|lra]).
    rewrite !Rmult_assoc. apply Rmult_le_compat; try lra. left. apply Rmult_lt_0_compat; auto.
Qed.

Theorem phi_increases s t : 0 < s -> s <= t -> phi s <= phi t.
Proof.
  intros S L. apply nearly; [apply phi_positive; lra|apply phi_positive; lra|]. intros n N.
  pose proof (phi_carried s t n S L) as C. pose proof (phi_far t n ltac:(lra) N) as F.
  pose proof (phi_positive s S). pose proof (phi_positive t ltac:(lra)). apply (le_INR 1) in N. simpl in N.
  pose proof (phi_below (s + INR n) ltac:(lra)) as U.
  assert (1 / (2 * INR n) <= 1 / INR n) as H'.
  { unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  apply Rle_trans with (phi s * phi (t + INR n)); [apply Rmult_le_compat_l; lra|].
  apply Rle_trans with (1 := C). apply Rle_trans with (phi t * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

Theorem phi_strict s t : 0 < s -> s < t -> phi s < phi t.
Proof.
  intros S L. rewrite (phi_step s), (phi_step t) by lra.
  pose proof (phi_increases (s + 1) (t + 1) ltac:(lra) ltac:(lra)).
  pose proof (phi_positive (s + 1) ltac:(lra)). pose proof (rise_positive s S).
  pose proof (rise_increases s t S L). apply Rlt_le_trans with (rise t * phi (s + 1)).
  - apply Rmult_lt_compat_r; lra.
  - apply Rmult_le_compat_l; lra.
Qed.

Definition phi2 (p q : R) : R := phi p * phi q.

Lemma phi2_carried p q r s n : 0 < p -> 0 < q -> 0 < r -> 0 < s -> p + q = r + s -> p * q <= r * s ->
  phi2 p q * phi2 (r + INR n) (s + INR n) <= phi2 r s * phi2 (p + INR n) (q + INR n).
Proof.
  revert p q r s. induction n as [|n IH]; intros p q r s P Q R' S E L.
  - simpl. rewrite !Rplus_0_r. lra.
  - specialize (IH (p + 1) (q + 1) (r + 1) (s + 1)). rewrite S_INR.
    replace (p + (INR n + 1)) with (p + 1 + INR n) by ring. replace (q + (INR n + 1)) with (q + 1 + INR n) by ring.
    replace (r + (INR n + 1)) with (r + 1 + INR n) by ring. replace (s + (INR n + 1)) with (s + 1 + INR n) by ring.
    unfold phi2 in *. rewrite (phi_step p), (phi_step q), (phi_step r), (phi_step s) by lra. pose proof (pos_INR n).
    assert (rise p * rise q <= rise r * rise s) as M.
    { destruct L as [L|L]; [left; apply rise_even; auto|]. right.
      assert ((p - r) * (p - s) = 0) as Z by (replace s with (p + q - r) in * by lra; lra).
      apply Rmult_integral in Z as [Z|Z].
      - replace r with p by lra. replace s with q by lra. reflexivity.
      - replace s with p by lra. replace r with q by lra. ring. }
    pose proof (rise_positive p P). pose proof (rise_positive q Q).
    assert (0 < rise p * rise q) by (apply Rmult_lt_0_compat; auto).
    assert (forall z, 0 < z -> 0 < phi z) as F by exact phi_positive.
    assert (0 < phi (p + 1) * phi (q + 1) * (phi (r + 1 + INR n) * phi (s + 1 + INR n))).
    { apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; apply F; lra. }
    replace (rise p * phi (p + 1) * (rise q * phi (q + 1)) * (phi (r + 1 + INR n) * phi (s + 1 + INR n)))
      with (rise p * rise q * (phi (p + 1) * phi (q + 1) * (phi (r + 1 + INR n) * phi (s + 1 + INR n)))) by ring.
    replace (rise r * phi (r + 1) * (rise s * phi (s + 1)) * (phi (p + 1 + INR n) * phi (q + 1 + INR n)))
      with (rise r * rise s * (phi (r + 1) * phi (s + 1) * (phi (p + 1 + INR n) * phi (q + 1 + INR n)))) by ring.
    apply Rmult_le_compat; try lra.
Qed.

Theorem phi2_even p q r s : 0 < p -> 0 < q -> 0 < r -> 0 < s -> p + q = r + s -> p * q <= r * s ->
  phi2 p q <= phi2 r s.
Proof.
  intros P Q R' S E L. assert (forall x y, 0 < x -> 0 < y -> 0 < phi2 x y) as F.
  { intros x y X Y. apply Rmult_lt_0_compat; apply phi_positive; auto. }
  apply nearly; [auto|auto|]. intros n N. pose proof (phi2_carried p q r s n P Q R' S E L) as C.
  pose proof (phi_far r n R' N) as A. pose proof (phi_far s n S N) as B'. apply (le_INR 1) in N. simpl in N.
  assert (phi2 (p + INR n) (q + INR n) <= 1 * 1) as U.
  { apply Rmult_le_compat; try (left; apply phi_positive; lra); apply phi_below; lra. }
  assert (1 / (2 * INR n) <= 1 / 2) as H'.
  { unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert ((1 - 1 / (2 * INR n)) * (1 - 1 / (2 * INR n)) <= phi2 (r + INR n) (s + INR n)) as V.
  { apply Rmult_le_compat; lra. }
  assert (1 - 1 / INR n <= (1 - 1 / (2 * INR n)) * (1 - 1 / (2 * INR n))) as W.
  { replace (1 / INR n) with (2 * (1 / (2 * INR n))) by (field; lra).
    assert (0 <= 1 / (2 * INR n) * (1 / (2 * INR n))); [|lra]. apply Rle_0_sqr. }
  pose proof (F p q P Q). pose proof (F r s R' S).
  apply Rle_trans with (phi2 p q * phi2 (r + INR n) (s + INR n)); [apply Rmult_le_compat_l; lra|].
  apply Rle_trans with (1 := C). apply Rle_trans with (phi2 r s * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

Theorem phi2_strict p q r s : 0 < p -> 0 < q -> 0 < r -> 0 < s -> p + q = r + s -> p * q < r * s ->
  phi2 p q < phi2 r s.
Proof.
  intros P Q R' S E L. pose proof (phi2_even (p + 1) (q + 1) (r + 1) (s + 1)) as M.
  unfold phi2 in *. rewrite (phi_step p), (phi_step q), (phi_step r), (phi_step s) by lra.
  pose proof (rise_even p q r s P Q R' S E L) as K.
  assert (0 < phi (p + 1) * phi (q + 1)) by (apply Rmult_lt_0_compat; apply phi_positive; lra).
  pose proof (rise_positive r R'). pose proof (rise_positive s S).
  assert (0 < rise r * rise s) by (apply Rmult_lt_0_compat; auto).
  replace (rise p * phi (p + 1) * (rise q * phi (q + 1))) with (rise p * rise q * (phi (p + 1) * phi (q + 1))) by ring.
  replace (rise r * phi (r + 1) * (rise s * phi (s + 1))) with (rise r * rise s * (phi (r + 1) * phi (s + 1))) by ring.
  apply Rlt_le_trans with (rise r * rise s * (phi (p + 1) * phi (q + 1))).
  - apply Rmult_lt_compat_r; lra.
  - apply Rmult_le_compat_l; [lra|]. apply M; lra.
Qed.

(** The distance from (p, q + 1) to (p + 1, q). *)
Lemma step_distance p q : 0 < p -> 0 < q ->
  distance G p (q + 1) (p + 1) q = sqrt (1 - sqrt (phi2 p q)) /\ 0 < phi2 p q <= 1.
Proof.
  intros P Q. pose proof (squared_at_most_1 G gamma p (q + 1) (p + 1) q) as M.
  assert (squared G p (q + 1) (p + 1) q = phi2 p q) as E.
  { unfold squared, phi2, phi, B. replace ((p + (p + 1)) / 2) with (p + 1 / 2) by lra.
    replace ((q + 1 + q) / 2) with (q + 1 / 2) by lra.
    replace (p + 1 / 2 + (q + 1 / 2)) with (p + q + 1) by lra. replace (p + (q + 1)) with (p + q + 1) by lra.
    replace (p + 1 + q) with (p + q + 1) by lra. pose proof (gamma_pos G gamma) as F.
    pose proof (F p P). pose proof (F q Q). pose proof (F (p + 1) ltac:(lra)). pose proof (F (q + 1) ltac:(lra)).
    pose proof (F (p + q + 1) ltac:(lra)). field. repeat split; lra. }
  rewrite E in M. split; [|apply M; lra]. unfold distance, hellinger.
  rewrite (affinity_root G gamma), E by lra. reflexivity.
Qed.

Lemma step_order p q r s : 0 < p -> 0 < q -> 0 < r -> 0 < s -> phi2 p q <= phi2 r s ->
  distance G r (s + 1) (r + 1) s <= distance G p (q + 1) (p + 1) q.
Proof.
  intros P Q R' S L. rewrite (proj1 (step_distance p q P Q)), (proj1 (step_distance r s R' S)).
  apply sqrt_le_1_alt. pose proof (sqrt_le_1_alt _ _ L). lra.
Qed.

Lemma step_strict p q r s : 0 < p -> 0 < q -> 0 < r -> 0 < s -> phi2 p q < phi2 r s ->
  distance G r (s + 1) (r + 1) s < distance G p (q + 1) (p + 1) q.
Proof.
  intros P Q R' S L. destruct (step_distance p q P Q) as [-> A]. destruct (step_distance r s R' S) as [-> [B' C]].
  apply sqrt_lt_1_alt. pose proof (sqrt_lt_1_alt (phi2 p q) (phi2 r s) ltac:(lra)).
  pose proof (sqrt_le_1_alt _ 1 C) as D. rewrite sqrt_1 in D. lra.
Qed.
End Neighbours.
