(** Beta posteriors and their Hellinger distance (N §1, A §1), and Statements I and II of D.

    Of Euler's Γ four properties are used: it is positive, Γ(s + 1) = s·Γ(s), it is logarithmically
    convex, and Γ(1) = 1, Γ(1/2) = √π.  A theorem about every function with these is one about Γ. *)
Require Import Reals Psatz.
Open Scope R_scope.

Record is_gamma (G : R -> R) : Prop := {
  gamma_pos : forall s, 0 < s -> 0 < G s;
  gamma_step : forall s, 0 < s -> G (s + 1) = s * G s;
  gamma_log_convex : forall s t l, 0 < s -> 0 < t -> 0 <= l <= 1 ->
    ln (G (l * s + (1 - l) * t)) <= l * ln (G s) + (1 - l) * ln (G t);
  gamma_one : G 1 = 1;
  gamma_half : G (1 / 2) = sqrt PI }.

Lemma gamma_convex G : is_gamma G ->
  forall s t, 0 < s -> 0 < t -> G ((s + t) / 2) * G ((s + t) / 2) <= G s * G t.
Proof.
  intros gamma s t S T. pose proof (gamma_log_convex G gamma s t (1 / 2) S T ltac:(lra)) as L.
  replace (1 / 2 * s + (1 - 1 / 2) * t) with ((s + t) / 2) in L by field.
  pose proof (gamma_pos G gamma s S). pose proof (gamma_pos G gamma t T).
  pose proof (gamma_pos G gamma ((s + t) / 2) ltac:(lra)).
  apply Rnot_lt_le. intros N. apply ln_increasing in N; [|apply Rmult_lt_0_compat; auto].
  rewrite !ln_mult in N by auto. lra.
Qed.

Section Posterior.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.

Definition B (p q : R) : R := G p * G q / G (p + q).
Definition affinity (p q p' q' : R) : R := B ((p + p') / 2) ((q + q') / 2) / sqrt (B p q * B p' q').
Definition hellinger (p q p' q' : R) : R := sqrt (1 - affinity p q p' q').

(** H between the posteriors of c and c' ones among n, under the prior (α, β). *)
Definition H (alpha beta : R) (n c c' : nat) : R :=
  hellinger (alpha + INR c) (beta + (INR n - INR c)) (alpha + INR c') (beta + (INR n - INR c')).

Lemma B_pos p q : 0 < p -> 0 < q -> 0 < B p q.
Proof.
  intros P Q. unfold B. pose proof (gamma_pos G gamma). apply Rdiv_lt_0_compat; [|apply H0; lra].
  apply Rmult_lt_0_compat; apply H0; lra.
Qed.

Lemma B_comm p q : B p q = B q p.
Proof. unfold B. rewrite (Rplus_comm p), (Rmult_comm (G p)). reflexivity. Qed.

Lemma affinity_comm p q p' q' : affinity p q p' q' = affinity p' q' p q.
Proof.
  unfold affinity. rewrite (Rplus_comm p), (Rplus_comm q), (Rmult_comm (B p q)). reflexivity.
Qed.

Lemma affinity_mirrored p q p' q' : affinity p q p' q' = affinity q p q' p'.
Proof. unfold affinity. rewrite B_comm, (B_comm p q), (B_comm p' q'). reflexivity. Qed.

(** One unit of count moves from the second parameter to the first. *)
Lemma B_moved p q : 0 < p -> 0 < q -> B (p + 1) q * q = p * B p (q + 1).
Proof.
  intros P Q. unfold B. rewrite (gamma_step G gamma p P), (gamma_step G gamma q Q).
  replace (p + 1 + q) with (p + (q + 1)) by ring.
  pose proof (gamma_pos G gamma (p + (q + 1))). field. lra.
Qed.

Lemma B_convex p q p' q' : 0 < p -> 0 < q -> 0 < p' -> 0 < q' -> p + q = p' + q' ->
  B ((p + p') / 2) ((q + q') / 2) * B ((p + p') / 2) ((q + q') / 2) <= B p q * B p' q'.
Proof.
  intros P Q P' Q' E. unfold B. replace ((p + p') / 2 + (q + q') / 2) with (p + q) by lra.
  rewrite <- E. pose proof (gamma_convex G gamma p p' P P') as C.
  pose proof (gamma_convex G gamma q q' Q Q') as D.
  assert (0 < G (p + q)) by (apply gamma_pos; auto; lra).
  set (g := G (p + q)) in *. set (s := G ((p + p') / 2)) in *. set (t := G ((q + q') / 2)) in *.
  assert (0 < s) by (apply gamma_pos; auto; lra). assert (0 < t) by (apply gamma_pos; auto; lra).
  replace (s * t / g * (s * t / g)) with ((s * s) * (t * t) * / (g * g)) by (field; lra).
  replace (G p * G q / g * (G p' * G q' / g)) with ((G p * G p') * (G q * G q') * / (g * g))
    by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; auto|].
  apply Rmult_le_compat; auto; left; apply Rmult_lt_0_compat; auto.
Qed.

(** The squared affinity has no root in it. *)
Definition squared (p q p' q' : R) : R :=
  B ((p + p') / 2) ((q + q') / 2) * B ((p + p') / 2) ((q + q') / 2) / (B p q * B p' q').

Lemma affinity_root p q p' q' : 0 < p -> 0 < q -> 0 < p' -> 0 < q' ->
  affinity p q p' q' = sqrt (squared p q p' q').
Proof.
  intros P Q P' Q'. unfold affinity, squared.
  assert (0 < B ((p + p') / 2) ((q + q') / 2)) by (apply B_pos; lra).
  assert (0 < B p q * B p' q') by (apply Rmult_lt_0_compat; apply B_pos; auto).
  rewrite sqrt_div, sqrt_square; [reflexivity|lra|nra|lra].
Qed.

Lemma squared_at_most_1 p q p' q' : 0 < p -> 0 < q -> 0 < p' -> 0 < q' -> p + q = p' + q' ->
  0 < squared p q p' q' <= 1.
Proof.
  intros P Q P' Q' E. pose proof (B_convex p q p' q' P Q P' Q' E) as C. unfold squared.
  assert (0 < B ((p + p') / 2) ((q + q') / 2)) by (apply B_pos; lra).
  assert (0 < B p q * B p' q') by (apply Rmult_lt_0_compat; apply B_pos; auto). split.
  - apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto.
  - apply Rmult_le_reg_r with (B p q * B p' q'); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l; lra.
Qed.

(** H grows where the affinity falls. *)
Lemma hellinger_less p q p' q' s t s' t' :
  0 < p -> 0 < q -> 0 < p' -> 0 < q' -> p + q = p' + q' ->
  0 < s -> 0 < t -> 0 < s' -> 0 < t' -> s + t = s' + t' ->
  squared s t s' t' < squared p q p' q' -> hellinger p q p' q' < hellinger s t s' t'.
Proof.
  intros P Q P' Q' E S T S' T' F L. unfold hellinger. rewrite !affinity_root by auto.
  pose proof (squared_at_most_1 p q p' q' P Q P' Q' E) as A.
  pose proof (squared_at_most_1 s t s' t' S T S' T' F) as C.
  apply sqrt_lt_1_alt. split.
  - pose proof (sqrt_le_1_alt _ 1 (proj2 A)). rewrite sqrt_1 in H0. lra.
  - pose proof (sqrt_lt_1_alt (squared s t s' t') (squared p q p' q')). lra.
Qed.

(** From one pair of neighbours to the next, the squared affinity changes by an algebraic factor. *)
Definition next_factor (a b : R) : R :=
  ((a + 1/2) * (a + 1/2) * ((b + 1) * b)) / ((b + 1/2) * (b + 1/2) * (a * (a + 1))).

Lemma squared_next a b : 0 < a -> 0 < b ->
  squared (a + 1) (b + 1) (a + 2) b = squared a (b + 2) (a + 1) (b + 1) * next_factor a b.
Proof.
  intros P Q. unfold squared, next_factor.
  replace ((a + 1 + (a + 2)) / 2) with (a + 1/2 + 1) by lra.
  replace ((b + 1 + b) / 2) with (b + 1/2) by lra.
  replace ((a + (a + 1)) / 2) with (a + 1/2) by lra.
  replace ((b + 2 + (b + 1)) / 2) with (b + 1/2 + 1) by lra.
  pose proof (B_moved (a + 1/2) (b + 1/2)) as M. pose proof (B_moved a (b + 1) P) as L.
  pose proof (B_moved (a + 1) b) as N.
  replace (a + 1 + 1) with (a + 2) in N by ring. replace (b + 1 + 1) with (b + 2) in L by ring.
  assert (0 < B (a + 1/2) (b + 1/2 + 1)) by (apply B_pos; lra).
  assert (0 < B a (b + 2)) by (apply B_pos; lra). assert (0 < B (a + 1) (b + 1)) by (apply B_pos; lra).
  assert (0 < B (a + 2) b) by (apply B_pos; lra).
  assert (B (a + 1/2 + 1) (b + 1/2) = (a + 1/2) * B (a + 1/2) (b + 1/2 + 1) / (b + 1/2)) as ->.
  { rewrite <- M by lra. field. lra. }
  assert (B (a + 2) b = (a + 1) * B (a + 1) (b + 1) / b) as ->.
  { rewrite <- N by lra. field. lra. }
  assert (B (a + 1) (b + 1) = a * B a (b + 2) / (b + 1)) as ->.
  { rewrite <- L by lra. field. lra. }
  field. repeat split; lra.
Qed.

(** The difference of numerator and denominator is (a + 1 + b)(b − a)/4. *)
Lemma factor_difference a b :
  (a + 1/2) * (a + 1/2) * ((b + 1) * b) - (b + 1/2) * (b + 1/2) * (a * (a + 1))
  = (a + b + 1) * (b - a) / 4.
Proof. field. Qed.

Lemma quotient_below x y : 0 < y -> x < y -> x / y < 1.
Proof.
  intros P L. apply Rmult_lt_reg_r with y; auto. replace (x / y * y) with x by (field; lra). lra.
Qed.

Lemma quotient_above x y : 0 < y -> y < x -> 1 < x / y.
Proof.
  intros P L. apply Rmult_lt_reg_r with y; auto. replace (x / y * y) with x by (field; lra). lra.
Qed.

Lemma next_factor_below a b : 0 < b -> b < a -> next_factor a b < 1.
Proof.
  intros Q L. pose proof (factor_difference a b). apply quotient_below.
  - repeat apply Rmult_lt_0_compat; lra.
  - assert (0 < (a + b + 1) * (a - b)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma next_factor_above a b : 0 < a -> a < b -> 1 < next_factor a b.
Proof.
  intros P L. pose proof (factor_difference a b). apply quotient_above.
  - repeat apply Rmult_lt_0_compat; lra.
  - assert (0 < (a + b + 1) * (b - a)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma H_next alpha beta n c : (c + 2 <= n)%nat ->
  let a := alpha + INR c in let b := beta + INR (n - c - 2) in
  H alpha beta n c (c + 1) = hellinger a (b + 2) (a + 1) (b + 1) /\
  H alpha beta n (c + 1) (c + 2) = hellinger (a + 1) (b + 1) (a + 2) b.
Proof.
  intros L a b. unfold H, a, b. rewrite !minus_INR, !plus_INR by lia. simpl. split; f_equal; ring.
Qed.

(** Statement I, for every prior: where two neighbouring distances are compared, the later one is
    the larger right of the turning point 2c = n − 2 + β − α, and the smaller left of it. *)
(* claim: I-general *)
Theorem statement_I alpha beta n c : 0 < alpha -> 0 < beta -> (c + 2 <= n)%nat ->
  (INR n - 2 + beta - alpha < 2 * INR c -> H alpha beta n c (c + 1) < H alpha beta n (c + 1) (c + 2))
  /\ (2 * INR c < INR n - 2 + beta - alpha -> H alpha beta n (c + 1) (c + 2) < H alpha beta n c (c + 1))
  /\ (2 * INR c = INR n - 2 + beta - alpha -> H alpha beta n c (c + 1) = H alpha beta n (c + 1) (c + 2)).
Proof.
  intros A B0 L. destruct (H_next alpha beta n c L) as [-> ->].
  assert (INR (n - c - 2) = INR n - INR c - 2) as E.
  { rewrite !minus_INR by lia. reflexivity. }
  pose proof (pos_INR c). pose proof (pos_INR (n - c - 2)).
  set (a := alpha + INR c). set (b := beta + INR (n - c - 2)).
  assert (0 < a) by (unfold a; lra). assert (0 < b) by (unfold b; lra).
  pose proof (squared_next a b) as N.
  assert (0 < squared a (b + 2) (a + 1) (b + 1) <= 1) by (apply squared_at_most_1; lra).
  split; [|split]; intros T.
  - apply hellinger_less; try lra. rewrite N by auto.
    assert (next_factor a b < 1) by (apply next_factor_below; unfold a, b in *; lra).
    apply Rlt_le_trans with (squared a (b + 2) (a + 1) (b + 1) * 1); [|lra].
    apply Rmult_lt_compat_l; lra.
  - apply hellinger_less; try lra. rewrite N by auto.
    assert (1 < next_factor a b) by (apply next_factor_above; unfold a, b in *; lra).
    apply Rle_lt_trans with (squared a (b + 2) (a + 1) (b + 1) * 1); [lra|].
    apply Rmult_lt_compat_l; lra.
  - assert (b = a) as F by (unfold a, b in *; lra). unfold hellinger. rewrite F.
    rewrite affinity_mirrored, affinity_comm. reflexivity.
Qed.

(** The flat prior, right half: for all x ≥ x₀, also the left one of two balanced datasets. *)
(* claim: I-right *)
Theorem statement_I_right n c : (n <= 2 * c + 1)%nat -> (c + 2 <= n)%nat ->
  H 1 1 n c (c + 1) < H 1 1 n (c + 1) (c + 2).
Proof.
  intros M L. apply statement_I; try lra; auto. apply le_INR in M.
  rewrite plus_INR, mult_INR in M. simpl in M. lra.
Qed.

(** The flat prior, left half, on its true domain: two units left of the middle. *)
(* smaller domain: I-left *)
Theorem statement_I_left n c : (2 * c + 2 < n)%nat ->
  H 1 1 n (c + 1) (c + 2) < H 1 1 n c (c + 1).
Proof.
  intros M. apply statement_I; try lra; [lia|]. apply lt_INR in M.
  rewrite plus_INR, mult_INR in M. simpl in M. lra.
Qed.
End Posterior.
