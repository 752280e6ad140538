(** The Hellinger distance of laws of one total is a metric: its triangle inequality.

    Γ(p) is a limit of q^p times a product of 1/(p + l), and 1/(x + y) is a positive definite kernel, as
    Cauchy's matrices are: so affinities are inner products of unit vectors. *)
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

(** Π 1/(p + l) over l < n. *)
Fixpoint inverses (n : nat) (p : R) : R :=
  match n with O => 1 | S m => inverses m p / (p + INR m) end.

Lemma inverses_definite n m11 m12 m13 m22 m23 m33 x y z : 0 < x -> 0 < y -> 0 < z ->
  definite m11 m12 m13 m22 m23 m33 ->
  definite (m11 * inverses n x) (m12 * inverses n ((x + y) / 2)) (m13 * inverses n ((x + z) / 2))
    (m22 * inverses n y) (m23 * inverses n ((y + z) / 2)) (m33 * inverses n z).
Proof.
  intros X Y Z D. induction n as [|n IH]; simpl inverses; [rewrite !Rmult_1_r; exact D|].
  pose proof (pos_INR n).
  apply (cauchy _ _ _ _ _ _ ((x + INR n) / 2) ((y + INR n) / 2) ((z + INR n) / 2)) in IH; try lra.
  replace ((x + INR n) / 2 + (x + INR n) / 2) with (x + INR n) in IH by field.
  replace ((y + INR n) / 2 + (y + INR n) / 2) with (y + INR n) in IH by field.
  replace ((z + INR n) / 2 + (z + INR n) / 2) with (z + INR n) in IH by field.
  replace ((x + INR n) / 2 + (y + INR n) / 2) with ((x + y) / 2 + INR n) in IH by field.
  replace ((x + INR n) / 2 + (z + INR n) / 2) with ((x + z) / 2 + INR n) in IH by field.
  replace ((y + INR n) / 2 + (z + INR n) / 2) with ((y + z) / 2 + INR n) in IH by field.
  unfold Rdiv in *. rewrite <- !Rmult_assoc. exact IH.
Qed.

Lemma scaled_definite c p q r m11 m12 m13 m22 m23 m33 : 0 <= c -> definite m11 m12 m13 m22 m23 m33 ->
  definite (m11 * (c * (p * p))) (m12 * (c * (p * q))) (m13 * (c * (p * r)))
    (m22 * (c * (q * q))) (m23 * (c * (q * r))) (m33 * (c * (r * r))).
Proof.
  intros C D u v w. pose proof (Rmult_le_pos _ _ C (D (u * p) (v * q) (w * r))) as N.
  match type of N with _ <= ?l => match goal with |- _ <= ?g => replace g with l; [exact N|] end end.
  unfold form. ring.
Qed.

Lemma limit_nonneg u l : Un_cv u l -> (forall n, 0 <= u n) -> 0 <= l.
Proof.
  intros C P. apply Rnot_lt_le. intros L. destruct (C (- l)) as (N & M); [lra|].
  specialize (M N (le_n N)). specialize (P N). unfold R_dist in M. rewrite Rabs_pos_eq in M; lra.
Qed.

Section Metric.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.

Lemma products n p : 0 < p -> G p = inverses n p * G (INR n + p).
Proof.
  intros P. induction n as [|n IH]; simpl inverses.
  - simpl. rewrite Rplus_0_l. ring.
  - rewrite IH, S_INR. pose proof (pos_INR n). replace (INR n + 1 + p) with (INR n + p + 1) by ring.
    rewrite (gamma_step G gamma (INR n + p)) by lra. field. lra.
Qed.

Lemma ln_step q : 0 < q -> ln (G (q + 1)) = ln q + ln (G q).
Proof. intros Q. rewrite (gamma_step G gamma q Q), ln_mult; auto. apply (gamma_pos G gamma q Q). Qed.

(** Γ(q + p) is nearly Γ(q)·q^p. *)
Lemma growth q p : 1 < q -> 0 < p -> p * ln (q - 1) <= ln (G (q + p)) - ln (G q) <= p * ln (q + p).
Proof.
  intros Q P. pose proof (ln_step (q - 1) ltac:(lra)) as L. replace (q - 1 + 1) with q in L by ring.
  pose proof (ln_step (q + p) ltac:(lra)) as U. split.
  - pose proof (gamma_log_convex G gamma (q - 1) (q + p) (p / (p + 1)) ltac:(lra) ltac:(lra)) as C.
    assert (0 <= p / (p + 1) <= 1) as T.
    { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (p + 1); [lra|]. replace (p / (p + 1) * (p + 1)) with p by (field; lra). lra. }
    specialize (C T). replace (p / (p + 1) * (q - 1) + (1 - p / (p + 1)) * (q + p)) with q in C by (field; lra).
    apply (Rmult_le_compat_r (p + 1)) in C; [|lra].
    replace ((p / (p + 1) * ln (G (q - 1)) + (1 - p / (p + 1)) * ln (G (q + p))) * (p + 1))
      with (p * ln (G (q - 1)) + ln (G (q + p))) in C by (field; lra).
    replace (ln (G (q - 1))) with (ln (G q) - ln (q - 1)) in C by lra. lra.
  - pose proof (gamma_log_convex G gamma q (q + p + 1) (1 / (p + 1)) ltac:(lra) ltac:(lra)) as C.
    assert (0 <= 1 / (p + 1) <= 1) as T.
    { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (p + 1); [lra|]. replace (1 / (p + 1) * (p + 1)) with 1 by (field; lra). lra. }
    specialize (C T). replace (1 / (p + 1) * q + (1 - 1 / (p + 1)) * (q + p + 1)) with (q + p) in C by (field; lra).
    apply (Rmult_le_compat_r (p + 1)) in C; [|lra].
    replace ((1 / (p + 1) * ln (G q) + (1 - 1 / (p + 1)) * ln (G (q + p + 1))) * (p + 1))
      with (ln (G q) + p * ln (G (q + p + 1))) in C by (field; lra).
    rewrite U in C. lra.
Qed.

Lemma ln_near x d : 0 < x -> 0 <= d -> 0 <= ln (x + d) - ln x <= d / x.
Proof.
  intros X D. assert (0 <= d / x) as P.
  { apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
  replace (x + d) with (x * (1 + d / x)) by (field; lra). rewrite ln_mult by lra.
  replace (ln x + ln (1 + d / x) - ln x) with (ln (1 + d / x)) by ring. split.
  - rewrite <- ln_1. destruct P as [P|<-]; [left; apply ln_increasing; lra|rewrite Rplus_0_r; lra].
  - apply Rnot_lt_le. intros L. apply exp_increasing in L. rewrite exp_ln in L by lra.
    pose proof (exp_ineq1_le (d / x)). lra.
Qed.

(** Γ(q)·q^p/Γ(q + p), which tends to 1. *)
Definition evened (p : R) (n : nat) : R :=
  exp (ln (G (INR n + 2)) + p * ln (INR n + 2) - ln (G (INR n + 2 + p))).

Lemma evened_limit p : 0 < p -> Un_cv (evened p) 1.
Proof.
  intros P. rewrite <- exp_0. unfold evened. apply (continuity_seq exp).
  { apply derivable_continuous_pt, derivable_pt_exp. }
  intros e E. destruct (archimed_cor1 (e / (p * p + p))) as (N & L & M).
  { apply Rdiv_lt_0_compat; [lra|]. assert (0 < p * p) by (apply Rmult_lt_0_compat; auto). lra. }
  exists N. intros n Le. apply le_INR in Le. assert (0 < INR N) by (apply (lt_INR 0); auto).
  unfold R_dist. rewrite Rminus_0_r. set (q := INR n) in *.
  destruct (growth (q + 2) p ltac:(lra) P) as [A B'].
  destruct (ln_near (q + 2) p ltac:(lra) ltac:(lra)) as [_ C].
  destruct (ln_near (q + 1) 1 ltac:(lra) ltac:(lra)) as [_ D].
  replace (q + 1 + 1) with (q + 2) in D by ring. replace (q + 2 - 1) with (q + 1) in A by ring.
  assert (0 < p * p) as PP by (apply Rmult_lt_0_compat; auto).
  assert ((p * p + p) / INR N < e) as Near.
  { apply (Rmult_lt_compat_l (p * p + p)) in L; [|lra].
    replace ((p * p + p) * (e / (p * p + p))) with e in L by (field; lra). exact L. }
  assert (forall c d, 0 < c -> INR N <= d -> c / d <= c / INR N) as Less.
  { intros c d Hc Hd. unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (p * (ln (q + 2 + p) - ln (q + 2)) <= p * p / INR N) as U1.
  { apply Rle_trans with (p * (p / (q + 2))); [apply Rmult_le_compat_l; lra|].
    replace (p * (p / (q + 2))) with (p * p / (q + 2)) by (field; lra). apply Less; lra. }
  assert (p * (ln (q + 2) - ln (q + 1)) <= p / INR N) as U2.
  { apply Rle_trans with (p * (1 / (q + 1))); [apply Rmult_le_compat_l; lra|].
    replace (p * (1 / (q + 1))) with (p / (q + 1)) by (field; lra). apply Less; lra. }
  replace ((p * p + p) / INR N) with (p * p / INR N + p / INR N) in Near by (field; lra).
  assert (0 < p * p / INR N) by (apply Rdiv_lt_0_compat; lra). assert (0 < p / INR N) by (apply Rdiv_lt_0_compat; lra).
  apply Rabs_def1; lra.
Qed.

Lemma evened_is p n : 0 < p -> G p * evened p n = inverses (n + 2) p * (G (INR n + 2) * Rpower (INR n + 2) p).
Proof.
  intros P. pose proof (pos_INR n). unfold evened, Rpower, Rminus. rewrite !exp_plus, exp_Ropp.
  rewrite !exp_ln by (apply (gamma_pos G gamma); lra). rewrite (products (n + 2) p P), plus_INR. simpl (INR 2).
  replace (INR n + (1 + 1) + p) with (INR n + 2 + p) by ring.
  field. apply Rgt_not_eq. apply (gamma_pos G gamma). lra.
Qed.

(** Γ((x + y)/2) is a positive definite kernel, and so is its product with another one. *)
Theorem times_gamma m11 m12 m13 m22 m23 m33 x y z : 0 < x -> 0 < y -> 0 < z ->
  definite m11 m12 m13 m22 m23 m33 ->
  definite (m11 * G x) (m12 * G ((x + y) / 2)) (m13 * G ((x + z) / 2))
    (m22 * G y) (m23 * G ((y + z) / 2)) (m33 * G z).
Proof.
  intros X Y Z D u v w. set (g := fun p m n => m * (G p * evened p n)).
  apply (limit_nonneg (fun n => form (g x m11 n) (g ((x + y) / 2) m12 n) (g ((x + z) / 2) m13 n)
    (g y m22 n) (g ((y + z) / 2) m23 n) (g z m33 n) u v w)).
  - assert (forall p m, 0 < p -> Un_cv (g p m) (m * G p)) as L.
    { intros p m P. unfold g. rewrite <- (Rmult_1_r (m * G p)).
      assert (Un_cv (fun n => m * G p * evened p n) (m * G p * 1)) as E.
      { apply CV_mult; [|apply evened_limit; exact P]. intros e E. exists O. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; auto. }
      intros e He. destruct (E e He) as (N & M). exists N. intros n Hn. rewrite <- Rmult_assoc. apply M. exact Hn. }
    assert (forall c p m, 0 < p -> Un_cv (fun n => c * g p m n) (c * (m * G p))) as K.
    { intros c p m P. apply CV_mult; [|apply L; exact P]. intros e E. exists O. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; auto. }
    unfold form. apply CV_plus; [apply CV_plus; [apply CV_plus|]|]; try (apply K; lra).
    apply (CV_mult (fun _ => 2)).
    { intros e E. exists O. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; auto. }
    apply CV_plus; [apply CV_plus|]; apply K; lra.
  - intros n. unfold g. rewrite !evened_is by lra. pose proof (pos_INR n).
    assert (forall s t, Rpower (INR n + 2) ((s + t) / 2) = Rpower (INR n + 2) (s / 2) * Rpower (INR n + 2) (t / 2)) as E.
    { intros s t. rewrite <- Rpower_plus. f_equal. field. }
    assert (forall s, Rpower (INR n + 2) s = Rpower (INR n + 2) (s / 2) * Rpower (INR n + 2) (s / 2)) as F.
    { intros s. rewrite <- E. f_equal. field. }
    rewrite !E, (F x), (F y), (F z), <- !Rmult_assoc. rewrite !(Rmult_assoc (_ * inverses _ _)), !(Rmult_assoc (G _)).
    apply scaled_definite; [left; apply (gamma_pos G gamma); lra|]. apply inverses_definite; auto.
Qed.

Lemma ones_definite : definite 1 1 1 1 1 1.
Proof.
  intros u v w. replace (form 1 1 1 1 1 1 u v w) with (Rsqr (u + v + w)) by (unfold form, Rsqr; ring). apply Rle_0_sqr.
Qed.

(** What a positive definite kernel gives: √(1 − its normed values) is a distance. *)
Lemma definite_triangle e11 e12 e13 e22 e23 e33 : 0 < e11 -> 0 < e22 -> 0 < e33 ->
  definite e11 e12 e13 e22 e23 e33 ->
  sqrt (1 - e12 / (sqrt e11 * sqrt e22)) <=
    sqrt (1 - e13 / (sqrt e11 * sqrt e33)) + sqrt (1 - e23 / (sqrt e22 * sqrt e33)).
Proof.
  intros Q1 Q2 Q3 D.
  pose proof (sqrt_sqrt _ (Rlt_le _ _ Q1)) as S1. pose proof (sqrt_sqrt _ (Rlt_le _ _ Q2)) as S2.
  pose proof (sqrt_sqrt _ (Rlt_le _ _ Q3)) as S3.
  pose proof (sqrt_lt_R0 _ Q1) as R1. pose proof (sqrt_lt_R0 _ Q2) as R2. pose proof (sqrt_lt_R0 _ Q3) as R3.
  set (r1 := sqrt e11) in *. set (r2 := sqrt e22) in *. set (r3 := sqrt e33) in *.
  set (X := 1 - e13 / (r1 * r3)). set (Y := 1 - e23 / (r2 * r3)). set (Z := 1 - e12 / (r1 * r2)).
  assert (forall x y, 0 < x -> 0 < y -> X <= x * x -> Y <= y * y -> Z <= (x + y) * (x + y)) as W.
  { intros x y Px Py LX LY. pose proof (D (y / r1) (x / r2) (- (x + y) / r3)) as N. unfold form in N.
    assert (y / r1 * (y / r1) * e11 = y * y) as N1 by (rewrite <- S1; field; lra).
    assert (x / r2 * (x / r2) * e22 = x * x) as N2 by (rewrite <- S2; field; lra).
    assert (- (x + y) / r3 * (- (x + y) / r3) * e33 = (x + y) * (x + y)) as N3 by (rewrite <- S3; field; lra).
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

(** The triangle inequality for two categories. *)
Theorem triangle a1 b1 a2 b2 a3 b3 : 0 < a1 -> 0 < b1 -> 0 < a2 -> 0 < b2 -> 0 < a3 -> 0 < b3 ->
  a1 + b1 = a2 + b2 -> a1 + b1 = a3 + b3 ->
  distance G a1 b1 a2 b2 <= distance G a1 b1 a3 b3 + distance G a3 b3 a2 b2.
Proof.
  intros A1 B1 A2 B2 A3 B3' E F. pose proof (gamma_pos G gamma) as P.
  unfold distance, hellinger. rewrite (affinity_comm G a3 b3 a2 b2). rewrite !affinity_of by (auto; lra).
  apply definite_triangle; try (apply Rmult_lt_0_compat; apply P; auto).
  apply times_gamma; auto. pose proof (times_gamma 1 1 1 1 1 1 a1 a2 a3 A1 A2 A3 ones_definite) as D.
  rewrite !Rmult_1_l in D. exact D.
Qed.
End Metric.
