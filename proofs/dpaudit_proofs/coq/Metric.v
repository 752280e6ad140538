(** The Hellinger distance of beta laws of one total is a metric: its triangle inequality.

    Γ(p)·Γ(q) is a limit of products of 1/((p + l)·(q + l)), and 1/(x + y) is a positive definite
    kernel, as Cauchy's matrices are: so affinities are inner products of unit vectors. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words.
Open Scope R_scope.

Definition form (m11 m12 m13 m22 m23 m33 u v w : R) : R :=
  u * u * m11 + v * v * m22 + w * w * m33 + 2 * (u * v * m12 + u * w * m13 + v * w * m23).

Definition definite (m11 m12 m13 m22 m23 m33 : R) : Prop :=
  forall u v w, 0 <= form m11 m12 m13 m22 m23 m33 u v w.

Lemma cauchy m11 m12 m13 m22 m23 m33 x y z : 0 < x -> 0 < y -> 0 < z ->
  definite m11 m12 m13 m22 m23 m33 ->
  definite (m11 / (x + x)) (m12 / (x + y)) (m13 / (x + z)) (m22 / (y + y)) (m23 / (y + z)) (m33 / (z + z)).
Proof.
  intros X Y Z D u v w.
  replace (form (m11 / (x + x)) (m12 / (x + y)) (m13 / (x + z)) (m22 / (y + y)) (m23 / (y + z)) (m33 / (z + z)) u v w)
    with (2 * x * form m11 m12 m13 m22 m23 m33 (u / (x + x)) (v / (x + y)) (w / (x + z))
      + 2 * y * form m11 m12 m13 m22 m23 m33 0 (v * (y - x) / ((x + y) * (y + y))) (w * (z - x) / ((x + z) * (y + z)))
      + 2 * z * form m11 m12 m13 m22 m23 m33 0 0 (w * (z - x) * (z - y) / ((x + z) * (y + z) * (z + z)))).
  - pose proof (D (u / (x + x)) (v / (x + y)) (w / (x + z))) as D1.
    pose proof (D 0 (v * (y - x) / ((x + y) * (y + y))) (w * (z - x) / ((x + z) * (y + z)))) as D2.
    pose proof (D 0 0 (w * (z - x) * (z - y) / ((x + z) * (y + z) * (z + z)))) as D3.
    apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat|]; apply Rmult_le_pos; try assumption; lra.
  - unfold form. field. repeat split; lra.
Qed.

(** Π 1/((p + l)(q + l)) over l < n. *)
Fixpoint inverses (n : nat) (p q : R) : R :=
  match n with O => 1 | S m => inverses m p q / (p + INR m) / (q + INR m) end.

Lemma inverses_definite n a1 b1 a2 b2 a3 b3 : 0 < a1 -> 0 < b1 -> 0 < a2 -> 0 < b2 -> 0 < a3 -> 0 < b3 ->
  definite (inverses n a1 b1) (inverses n ((a1 + a2) / 2) ((b1 + b2) / 2))
    (inverses n ((a1 + a3) / 2) ((b1 + b3) / 2)) (inverses n a2 b2)
    (inverses n ((a2 + a3) / 2) ((b2 + b3) / 2)) (inverses n a3 b3).
Proof.
  intros. induction n as [|n IH]; simpl inverses.
  - intros u v w. unfold form. replace (u * u * 1 + v * v * 1 + w * w * 1 + 2 * (u * v * 1 + u * w * 1 + v * w * 1))
      with (Rsqr (u + v + w)) by (unfold Rsqr; ring). apply Rle_0_sqr.
  - pose proof (pos_INR n).
    apply (cauchy _ _ _ _ _ _ ((a1 + INR n) / 2) ((a2 + INR n) / 2) ((a3 + INR n) / 2)) in IH; try lra.
    apply (cauchy _ _ _ _ _ _ ((b1 + INR n) / 2) ((b2 + INR n) / 2) ((b3 + INR n) / 2)) in IH; try lra.
    replace ((a1 + INR n) / 2 + (a1 + INR n) / 2) with (a1 + INR n) in IH by field.
    replace ((a2 + INR n) / 2 + (a2 + INR n) / 2) with (a2 + INR n) in IH by field.
    replace ((a3 + INR n) / 2 + (a3 + INR n) / 2) with (a3 + INR n) in IH by field.
    replace ((b1 + INR n) / 2 + (b1 + INR n) / 2) with (b1 + INR n) in IH by field.
    replace ((b2 + INR n) / 2 + (b2 + INR n) / 2) with (b2 + INR n) in IH by field.
    replace ((b3 + INR n) / 2 + (b3 + INR n) / 2) with (b3 + INR n) in IH by field.
    replace ((a1 + INR n) / 2 + (a2 + INR n) / 2) with ((a1 + a2) / 2 + INR n) in IH by field.
    replace ((a1 + INR n) / 2 + (a3 + INR n) / 2) with ((a1 + a3) / 2 + INR n) in IH by field.
    replace ((a2 + INR n) / 2 + (a3 + INR n) / 2) with ((a2 + a3) / 2 + INR n) in IH by field.
    replace ((b1 + INR n) / 2 + (b2 + INR n) / 2) with ((b1 + b2) / 2 + INR n) in IH by field.
    replace ((b1 + INR n) / 2 + (b3 + INR n) / 2) with ((b1 + b3) / 2 + INR n) in IH by field.
    replace ((b2 + INR n) / 2 + (b3 + INR n) / 2) with ((b2 + b3) / 2 + INR n) in IH by field.
    exact IH.
Qed.

Section Metric.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.

Lemma gamma_moved n p : 0 < p -> 0 < G (p + INR n).
Proof. intros P. apply (gamma_pos G gamma). pose proof (pos_INR n). lra. Qed.

Lemma products n p q : 0 < p -> 0 < q -> G p * G q = inverses n p q * (G (p + INR n) * G (q + INR n)).
Proof.
  intros P Q. induction n as [|n IH]; simpl inverses.
  - simpl. rewrite !Rplus_0_r. ring.
  - rewrite IH, S_INR. pose proof (pos_INR n).
    replace (p + (INR n + 1)) with (p + INR n + 1) by ring. replace (q + (INR n + 1)) with (q + INR n + 1) by ring.
    rewrite (gamma_step G gamma (p + INR n)), (gamma_step G gamma (q + INR n)) by lra. field. lra.
Qed.

(** Γ(m + d)·Γ(m − d) is at most Γ(m + l)·Γ(m − l) for |d| ≤ l, and nearly Γ(m)² for large m. *)
Lemma spread m d l : 0 < l -> l < m -> - l <= d <= l -> G (m + d) * G (m - d) <= G (m + l) * G (m - l).
Proof.
  intros L M D. set (t := (d + l) / (2 * l)).
  assert (0 <= t <= 1) as T.
  { unfold t. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (2 * l); [lra|]. replace ((d + l) / (2 * l) * (2 * l)) with (d + l) by (field; lra). lra. }
  pose proof (gamma_log_convex G gamma (m + l) (m - l) t ltac:(lra) ltac:(lra) T) as A.
  pose proof (gamma_log_convex G gamma (m - l) (m + l) t ltac:(lra) ltac:(lra) T) as C.
  replace (t * (m + l) + (1 - t) * (m - l)) with (m + d) in A by (unfold t; field; lra).
  replace (t * (m - l) + (1 - t) * (m + l)) with (m - d) in C by (unfold t; field; lra).
  pose proof (gamma_pos G gamma) as P. apply Rnot_lt_le. intros N.
  apply ln_increasing in N; [|apply Rmult_lt_0_compat; apply P; lra].
  rewrite !ln_mult in N by (apply P; lra). lra.
Qed.

Lemma far_right k m : 0 < m -> G (m + INR k) <= G m * (m + INR k) ^ k.
Proof.
  intros M. induction k as [|k IH]; [simpl; rewrite Rplus_0_r; lra|].
  rewrite S_INR. pose proof (pos_INR k). replace (m + (INR k + 1)) with (m + INR k + 1) by ring.
  rewrite (gamma_step G gamma) by lra. simpl. pose proof (gamma_pos G gamma m M).
  assert ((m + INR k) ^ k <= (m + INR k + 1) ^ k) as P by (apply pow_incr; lra).
  apply Rle_trans with ((m + INR k) * (G m * (m + INR k) ^ k)); [apply Rmult_le_compat_l; lra|].
  assert (0 <= (m + INR k) ^ k) by (apply pow_le; lra).
  replace (G m * ((m + INR k + 1) * (m + INR k + 1) ^ k)) with ((m + INR k + 1) * (G m * (m + INR k + 1) ^ k)) by ring.
  apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma far_left k m : 0 < m -> G m * m ^ k <= G (m + INR k).
Proof.
  intros M. induction k as [|k IH]; [simpl; rewrite Rplus_0_r; lra|].
  rewrite S_INR. pose proof (pos_INR k). replace (m + (INR k + 1)) with (m + INR k + 1) by ring.
  rewrite (gamma_step G gamma) by lra. simpl. pose proof (gamma_pos G gamma m M).
  replace (G m * (m * m ^ k)) with (m * (G m * m ^ k)) by ring.
  assert (0 <= m ^ k) by (apply pow_le; lra). apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra.
Qed.

Lemma bernoulli k t : 0 <= t <= 1 -> 1 - INR k * t <= (1 - t) ^ k.
Proof.
  intros T. induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. simpl. pose proof (pos_INR k).
  assert (0 <= INR k * t * t) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  apply Rle_trans with ((1 - t) * (1 - INR k * t)); [lra|]. apply Rmult_le_compat_l; lra.
Qed.

(** Γ(m)² over Γ(m + d)·Γ(m − d) tends to 1. *)
Lemma nearly_even k m d : (1 <= k)%nat -> INR k < m -> - INR k <= d <= INR k ->
  (1 - 2 * INR k * INR k / m) * (G (m + d) * G (m - d)) <= G m * G m <= G (m + d) * G (m - d).
Proof.
  intros K M D. apply (le_INR 1) in K. simpl in K. pose proof (gamma_pos G gamma) as P. split.
  - pose proof (spread m d (INR k) ltac:(lra) M D) as Sp.
    pose proof (far_right k m ltac:(lra)) as A. pose proof (far_left k (m - INR k) ltac:(lra)) as C.
    replace (m - INR k + INR k) with m in C by ring.
    assert (0 < m + INR k) as Pos by lra.
    pose proof (bernoulli k (2 * INR k / (m + INR k))) as Bn.
    assert (0 <= 2 * INR k / (m + INR k) <= 1) as T.
    { split; [left; apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (m + INR k); auto.
      replace (2 * INR k / (m + INR k) * (m + INR k)) with (2 * INR k) by (field; lra). lra. }
    specialize (Bn T). replace (1 - 2 * INR k / (m + INR k)) with ((m - INR k) / (m + INR k)) in Bn by (field; lra).
    assert (1 - 2 * INR k * INR k / m <= 1 - INR k * (2 * INR k / (m + INR k))) as W.
    { assert (INR k * (2 * INR k / (m + INR k)) <= 2 * INR k * INR k / m); [|lra].
      replace (INR k * (2 * INR k / (m + INR k))) with (2 * INR k * INR k * / (m + INR k)) by (field; lra).
      unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rinv_le_contravar; lra. }
    pose proof (P (m + d) ltac:(lra)) as P1. pose proof (P (m - d) ltac:(lra)) as P2. pose proof (P m ltac:(lra)) as P3.
    pose proof (P (m + INR k) ltac:(lra)) as P4. pose proof (P (m - INR k) ltac:(lra)) as P5.
    assert (0 < (m + INR k) ^ k) as Q1 by (apply pow_lt; lra).
    assert (0 < (m - INR k) ^ k) as Q2 by (apply pow_lt; lra).
    assert (((m - INR k) / (m + INR k)) ^ k = (m - INR k) ^ k / (m + INR k) ^ k) as E.
    { unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. reflexivity. }
    rewrite E in Bn. set (g := G (m + d) * G (m - d)) in *.
    assert (0 < g) by (apply Rmult_lt_0_compat; auto).
    apply Rle_trans with ((m - INR k) ^ k / (m + INR k) ^ k * g); [apply Rmult_le_compat_r; lra|].
    apply Rle_trans with ((m - INR k) ^ k / (m + INR k) ^ k * (G (m + INR k) * G (m - INR k))).
    { apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; auto|exact Sp]. }
    apply Rle_trans with ((m - INR k) ^ k / (m + INR k) ^ k * (G m * (m + INR k) ^ k * G (m - INR k))).
    { apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; auto|]. apply Rmult_le_compat_r; lra. }
    replace ((m - INR k) ^ k / (m + INR k) ^ k * (G m * (m + INR k) ^ k * G (m - INR k)))
      with (G m * (G (m - INR k) * (m - INR k) ^ k)) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - pose proof (gamma_convex G gamma (m + d) (m - d) ltac:(lra) ltac:(lra)) as C.
    replace ((m + d + (m - d)) / 2) with m in C by field. exact C.
Qed.

Lemma not_negative f s : 0 <= s -> (forall n : nat, (1 <= n)%nat -> - (s / INR n) <= f) -> 0 <= f.
Proof.
  intros P A. apply Rnot_lt_le. intros L.
  destruct (archimed_cor1 (- f / (s + 1))) as (n & N & M); [apply Rdiv_lt_0_compat; lra|].
  specialize (A n ltac:(lia)). apply (Rmult_lt_compat_l (s + 1)) in N; [|lra].
  replace ((s + 1) * (- f / (s + 1))) with (- f) in N by (field; lra).
  assert (0 < / INR n) by (apply Rinv_0_lt_compat; apply (lt_INR 0); lia). unfold Rdiv in A. lra.
Qed.

(** Γ(p)·Γ(q), p + q = t, seen from n on: nearly the product of inverses times one number. *)
Lemma seen p q k n : 0 < p -> 0 < q -> (1 <= k)%nat -> (k < n)%nat -> - INR k <= (p - q) / 2 <= INR k ->
  let c := G ((p + q) / 2 + INR n) * G ((p + q) / 2 + INR n) in
  (1 - 2 * INR k * INR k / INR n) * (G p * G q) <= inverses n p q * c <= G p * G q.
Proof.
  intros P Q K N D c. pose proof (lt_INR k n N) as N'. pose proof (le_INR 1 k K) as K'. simpl in K'.
  destruct (nearly_even k ((p + q) / 2 + INR n) ((p - q) / 2) K ltac:(lra) D) as [A C].
  replace ((p + q) / 2 + INR n + (p - q) / 2) with (p + INR n) in * by field.
  replace ((p + q) / 2 + INR n - (p - q) / 2) with (q + INR n) in * by field.
  fold c in A, C. rewrite (products n p q P Q).
  pose proof (gamma_moved n p P). pose proof (gamma_moved n q Q).
  set (t := G (p + INR n) * G (q + INR n)) in *. assert (0 < t) by (apply Rmult_lt_0_compat; auto).
  assert (0 < inverses n p q) as I.
  { pose proof (products n p q P Q) as E. fold t in E. apply Rmult_lt_reg_r with t; auto. rewrite <- E, Rmult_0_l.
    apply Rmult_lt_0_compat; apply (gamma_pos G gamma); auto. }
  split.
  - replace ((1 - 2 * INR k * INR k / INR n) * (inverses n p q * t))
      with (inverses n p q * ((1 - 2 * INR k * INR k / INR n) * t)) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := A). apply Rmult_le_compat_r; [lra|].
    assert (2 * INR k * INR k / ((p + q) / 2 + INR n) <= 2 * INR k * INR k / INR n); [|lra].
    unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rinv_le_contravar; lra.
  - apply Rmult_le_compat_l; lra.
Qed.

Lemma term_seen x e y t : 0 <= e -> 0 <= t -> (1 - t) * e <= y <= e -> x * y - Rabs x * e * t <= x * e.
Proof.
  intros E T [A C]. destruct (Rle_dec 0 x) as [X|X].
  - rewrite (Rabs_pos_eq x) by auto. assert (x * y <= x * e) by (apply Rmult_le_compat_l; auto).
    assert (0 <= x * e * t) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; auto). lra.
  - rewrite (Rabs_left x) by lra. assert (- x * ((1 - t) * e) <= - x * y) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem gamma_definite a1 b1 a2 b2 a3 b3 : 0 < a1 -> 0 < b1 -> 0 < a2 -> 0 < b2 -> 0 < a3 -> 0 < b3 ->
  a1 + b1 = a2 + b2 -> a1 + b1 = a3 + b3 ->
  definite (G a1 * G b1) (G ((a1 + a2) / 2) * G ((b1 + b2) / 2)) (G ((a1 + a3) / 2) * G ((b1 + b3) / 2))
    (G a2 * G b2) (G ((a2 + a3) / 2) * G ((b2 + b3) / 2)) (G a3 * G b3).
Proof.
  intros A1 B1 A2 B2 A3 B3' E F u v w. set (s := a1 + b1).
  assert (exists k : nat, INR k > s + 1) as (k & K).
  { exists (Z.to_nat (up (s + 1))). destruct (archimed (s + 1)) as [U _].
    rewrite INR_IZR_INZ, Z2Nat.id; [exact U|]. apply le_IZR. unfold s in *. lra. }
  assert (1 <= k)%nat as K1 by (apply INR_le; simpl; unfold s in K; lra).
  pose proof (gamma_pos G gamma) as P.
  set (e11 := G a1 * G b1). set (e12 := G ((a1 + a2) / 2) * G ((b1 + b2) / 2)).
  set (e13 := G ((a1 + a3) / 2) * G ((b1 + b3) / 2)). set (e22 := G a2 * G b2).
  set (e23 := G ((a2 + a3) / 2) * G ((b2 + b3) / 2)). set (e33 := G a3 * G b3).
  assert (0 < e11) by (apply Rmult_lt_0_compat; apply P; lra). assert (0 < e12) by (apply Rmult_lt_0_compat; apply P; lra).
  assert (0 < e13) by (apply Rmult_lt_0_compat; apply P; lra). assert (0 < e22) by (apply Rmult_lt_0_compat; apply P; lra).
  assert (0 < e23) by (apply Rmult_lt_0_compat; apply P; lra). assert (0 < e33) by (apply Rmult_lt_0_compat; apply P; lra).
  set (all := Rabs (u * u) * e11 + Rabs (v * v) * e22 + Rabs (w * w) * e33 +
    2 * (Rabs (u * v) * e12 + Rabs (u * w) * e13 + Rabs (v * w) * e23)).
  assert (0 <= all) as Pos.
  { pose proof (Rabs_pos (u * u)). pose proof (Rabs_pos (v * v)). pose proof (Rabs_pos (w * w)).
    pose proof (Rabs_pos (u * v)). pose proof (Rabs_pos (u * w)). pose proof (Rabs_pos (v * w)). unfold all.
    assert (forall x y, 0 <= x -> 0 < y -> 0 <= x * y) as Q by (intros; apply Rmult_le_pos; lra).
    pose proof (Q (Rabs (u * u)) e11). pose proof (Q (Rabs (v * v)) e22). pose proof (Q (Rabs (w * w)) e33).
    pose proof (Q (Rabs (u * v)) e12). pose proof (Q (Rabs (u * w)) e13). pose proof (Q (Rabs (v * w)) e23). lra. }
  assert (1 <= INR k) as K2 by (apply (le_INR 1); auto).
  apply not_negative with (all * (2 * INR k * INR k)); [apply Rmult_le_pos; [auto|apply Rmult_le_pos; lra]|].
  intros n N. apply Rle_trans with (- (all * (2 * INR k * INR k) / INR (k + n))).
  { apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; [auto|apply Rmult_le_pos; lra]|].
    apply Rinv_le_contravar; [apply (lt_INR 0); lia|]. apply le_INR. lia. }
  set (m := (k + n)%nat). assert (k < m)%nat as M by (unfold m; lia).
  set (c := G (s / 2 + INR m) * G (s / 2 + INR m)). set (t := 2 * INR k * INR k / INR m).
  assert (0 <= t) as T.
  { unfold t. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. apply (lt_INR 0). lia. }
  pose proof (inverses_definite m a1 b1 a2 b2 a3 b3 A1 B1 A2 B2 A3 B3' u v w) as D.
  apply (Rmult_le_compat_l c) in D; [|apply Rle_0_sqr]. rewrite Rmult_0_r in D.
  assert (forall p q, 0 < p -> 0 < q -> p + q = s -> (1 - t) * (G p * G q) <= inverses m p q * c <= G p * G q) as W.
  { intros p q Pp Pq Pt. unfold t, c. rewrite <- Pt. apply (seen p q k m); auto; split; lra. }
  unfold s in W.
  pose proof (term_seen (u * u) e11 _ t ltac:(lra) T (W a1 b1 A1 B1 eq_refl)) as T11.
  pose proof (term_seen (v * v) e22 _ t ltac:(lra) T (W a2 b2 A2 B2 ltac:(lra))) as T22.
  pose proof (term_seen (w * w) e33 _ t ltac:(lra) T (W a3 b3 A3 B3' ltac:(lra))) as T33.
  pose proof (term_seen (u * v) e12 _ t ltac:(lra) T (W ((a1 + a2) / 2) ((b1 + b2) / 2) ltac:(lra) ltac:(lra) ltac:(lra))) as T12.
  pose proof (term_seen (u * w) e13 _ t ltac:(lra) T (W ((a1 + a3) / 2) ((b1 + b3) / 2) ltac:(lra) ltac:(lra) ltac:(lra))) as T13.
  pose proof (term_seen (v * w) e23 _ t ltac:(lra) T (W ((a2 + a3) / 2) ((b2 + b3) / 2) ltac:(lra) ltac:(lra) ltac:(lra))) as T23.
  replace (all * (2 * INR k * INR k) / INR m) with (all * t) by (unfold t, Rdiv; ring).
  unfold form in *. unfold all. lra.
Qed.

Lemma affinity_of a b c d : 0 < a -> 0 < b -> 0 < c -> 0 < d -> a + b = c + d ->
  affinity G a b c d = G ((a + c) / 2) * G ((b + d) / 2) / (sqrt (G a * G b) * sqrt (G c * G d)).
Proof.
  intros A B' C D E. pose proof (gamma_pos G gamma) as P. unfold affinity, B. rewrite <- E.
  replace ((a + c) / 2 + (b + d) / 2) with (a + b) by lra.
  pose proof (P a A) as P1. pose proof (P b B') as P2. pose proof (P c C) as P3. pose proof (P d D) as P4.
  pose proof (P (a + b) ltac:(lra)) as P5.
  assert (0 < sqrt (G a * G b)) by (apply sqrt_lt_R0; apply Rmult_lt_0_compat; auto).
  assert (0 < sqrt (G c * G d)) by (apply sqrt_lt_R0; apply Rmult_lt_0_compat; auto).
  assert (sqrt (G a * G b / G (a + b) * (G c * G d / G (a + b))) = sqrt (G a * G b) * sqrt (G c * G d) / G (a + b)) as ->.
  { replace (G a * G b / G (a + b) * (G c * G d / G (a + b)))
      with (G a * G b * (G c * G d) / (G (a + b) * G (a + b))) by (field; lra).
    rewrite sqrt_div, sqrt_mult, sqrt_square; try lra.
    - left; apply Rmult_lt_0_compat; auto.
    - left; apply Rmult_lt_0_compat; auto.
    - apply Rmult_le_pos; left; apply Rmult_lt_0_compat; auto.
    - apply Rmult_lt_0_compat; auto. }
  field. repeat split; lra.
Qed.

(** The triangle inequality. *)
Theorem triangle a1 b1 a2 b2 a3 b3 : 0 < a1 -> 0 < b1 -> 0 < a2 -> 0 < b2 -> 0 < a3 -> 0 < b3 ->
  a1 + b1 = a2 + b2 -> a1 + b1 = a3 + b3 ->
  distance G a1 b1 a2 b2 <= distance G a1 b1 a3 b3 + distance G a3 b3 a2 b2.
Proof.
  intros A1 B1 A2 B2 A3 B3' E F. pose proof (gamma_pos G gamma) as P.
  pose proof (gamma_definite a1 b1 a2 b2 a3 b3 A1 B1 A2 B2 A3 B3' E F) as D.
  unfold distance, hellinger. rewrite (affinity_comm G a3 b3 a2 b2).
  rewrite !affinity_of by (auto; lra).
  assert (0 < G a1 * G b1) as Q1 by (apply Rmult_lt_0_compat; auto).
  assert (0 < G a2 * G b2) as Q2 by (apply Rmult_lt_0_compat; auto).
  assert (0 < G a3 * G b3) as Q3 by (apply Rmult_lt_0_compat; auto).
  pose proof (sqrt_sqrt _ (Rlt_le _ _ Q1)) as S1. pose proof (sqrt_sqrt _ (Rlt_le _ _ Q2)) as S2.
  pose proof (sqrt_sqrt _ (Rlt_le _ _ Q3)) as S3.
  pose proof (sqrt_lt_R0 _ Q1) as R1. pose proof (sqrt_lt_R0 _ Q2) as R2. pose proof (sqrt_lt_R0 _ Q3) as R3.
  set (r1 := sqrt (G a1 * G b1)) in *. set (r2 := sqrt (G a2 * G b2)) in *. set (r3 := sqrt (G a3 * G b3)) in *.
  set (e12 := G ((a1 + a2) / 2) * G ((b1 + b2) / 2)) in *.
  set (e13 := G ((a1 + a3) / 2) * G ((b1 + b3) / 2)) in *.
  set (e23 := G ((a2 + a3) / 2) * G ((b2 + b3) / 2)) in *.
  set (X := 1 - e13 / (r1 * r3)). set (Y := 1 - e23 / (r2 * r3)). set (Z := 1 - e12 / (r1 * r2)).
  assert (forall x y, 0 < x -> 0 < y -> X <= x * x -> Y <= y * y -> Z <= (x + y) * (x + y)) as W.
  { intros x y Px Py LX LY. pose proof (D (y / r1) (x / r2) (- (x + y) / r3)) as N. unfold form in N.
    assert (y / r1 * (y / r1) * (G a1 * G b1) = y * y) as N1 by (rewrite <- S1; field; lra).
    assert (x / r2 * (x / r2) * (G a2 * G b2) = x * x) as N2 by (rewrite <- S2; field; lra).
    assert (- (x + y) / r3 * (- (x + y) / r3) * (G a3 * G b3) = (x + y) * (x + y)) as N3 by (rewrite <- S3; field; lra).
    rewrite N1, N2, N3 in N.
    assert (y / r1 * (x / r2) * e12 = x * y * (1 - Z)) as N4 by (unfold Z; field; lra).
    assert (y / r1 * (- (x + y) / r3) * e13 = - (y * (x + y)) * (1 - X)) as N5 by (unfold X; field; lra).
    assert (x / r2 * (- (x + y) / r3) * e23 = - (x * (x + y)) * (1 - Y)) as N6 by (unfold Y; field; lra).
    rewrite N4, N5, N6 in N.
    assert (y * (x + y) * X <= y * (x + y) * (x * x)) as U1 by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|auto]).
    assert (x * (x + y) * Y <= x * (x + y) * (y * y)) as U2 by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|auto]).
    assert (0 < x * y) as Pxy by (apply Rmult_lt_0_compat; auto).
    apply Rmult_le_reg_l with (x * y); [auto|]. lra. }
  apply le_epsilon. intros h Hh.
  assert (forall q, q <= (sqrt q + h / 2) * (sqrt q + h / 2)) as Sq.
  { intros q. pose proof (sqrt_pos q). destruct (Rle_dec 0 q) as [Pq|Nq].
    - rewrite <- (sqrt_sqrt q Pq) at 1. apply Rmult_le_compat; lra.
    - assert (0 <= (sqrt q + h / 2) * (sqrt q + h / 2)) by apply Rle_0_sqr. lra. }
  pose proof (sqrt_pos X). pose proof (sqrt_pos Y).
  specialize (W (sqrt X + h / 2) (sqrt Y + h / 2) ltac:(lra) ltac:(lra) (Sq X) (Sq Y)).
  apply Rle_trans with (sqrt ((sqrt X + h / 2 + (sqrt Y + h / 2)) * (sqrt X + h / 2 + (sqrt Y + h / 2)))).
  - apply sqrt_le_1_alt. exact W.
  - rewrite sqrt_square by lra. lra.
Qed.
End Metric.
