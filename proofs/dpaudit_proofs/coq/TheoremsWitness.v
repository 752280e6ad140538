(** EHDL at the prior (1/10, 1/10) with 300 records loses more than its ε. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsPrivacy TheoremsMechanisms.
Open Scope R_scope.

(** exp(−x) between partial sums of its series. *)
Definition term (x : R) (i : nat) : R := x ^ i / INR (fact i).

Lemma exp_alternates x N : 0 <= x <= 1 ->
  sum_f_R0 (tg_alt (term x)) (S (2 * N)) <= exp (- x) <= sum_f_R0 (tg_alt (term x)) (2 * N).
Proof.
  intros X. apply alternated_series_ineq.
  - intros n. unfold term. simpl. change (fact n + n * fact n)%nat with (fact (S n)).
    pose proof (pow_le x n (proj1 X)) as P. pose proof (INR_fact_lt_0 n). pose proof (INR_fact_lt_0 (S n)).
    assert (x * x ^ n <= 1 * x ^ n) by (apply Rmult_le_compat_r; lra).
    assert (INR (fact n) <= INR (fact (S n))) as F by (apply le_INR, fact_le; lia).
    apply Rle_trans with (x ^ n / INR (fact (S n))).
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra].
    + apply Rmult_le_compat_l; [auto|]. apply Rinv_le_contravar; auto.
  - exact (cv_speed_pow_fact x).
  - unfold exp. destruct (exist_exp (- x)) as [l E]. simpl. intros e P. destruct (E e P) as (n & A). exists n.
    intros m M. specialize (A m M). rewrite (sum_eq (tg_alt (term x)) (fun i => / INR (fact i) * (- x) ^ i)); [exact A|].
    intros i _. unfold tg_alt, term. replace (- x) with ((-1) * x) by ring. rewrite Rpow_mult_distr.
    unfold Rdiv. ring.
Qed.

Lemma exp_minus x : 0 <= x <= 1 ->
  1 - x + x ^ 2 / 2 - x ^ 3 / 6 + x ^ 4 / 24 - x ^ 5 / 120 <= exp (- x) <=
  1 - x + x ^ 2 / 2 - x ^ 3 / 6 + x ^ 4 / 24 - x ^ 5 / 120 + x ^ 6 / 720.
Proof.
  intros X. pose proof (exp_alternates x 2 X) as [L _]. pose proof (exp_alternates x 3 X) as [_ U].
  unfold tg_alt, term in L, U. simpl in L, U. split; simpl; lra.
Qed.

Lemma exp_small x w : 0 <= x <= 2 ->
  1 - x / 2 + (x / 2) ^ 2 / 2 - (x / 2) ^ 3 / 6 + (x / 2) ^ 4 / 24 - (x / 2) ^ 5 / 120 + (x / 2) ^ 6 / 720 <= w ->
  exp (- x) <= w * w.
Proof.
  intros X W. replace (- x) with (2 * - (x / 2)) by field. rewrite exp_twice.
  pose proof (exp_minus (x / 2) ltac:(lra)) as [_ U]. pose proof (exp_pos (- (x / 2))). apply Rmult_le_compat; lra.
Qed.

Section Witness.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.

(** φ(s)·φ(s + ½) = s/(s + ½), and φ rises: so φ(s)² is between (s − ½)/s and s/(s + ½). *)
Lemma phi_half s : 0 < s -> phi G s * phi G (s + 1 / 2) = s / (s + 1 / 2).
Proof.
  intros S. unfold phi. replace (s + 1 / 2 + 1 / 2) with (s + 1) by field.
  rewrite (gamma_step G gamma (s + 1 / 2)), (gamma_step G gamma s) by lra.
  pose proof (gamma_pos G gamma s S). pose proof (gamma_pos G gamma (s + 1 / 2) ltac:(lra)). field. repeat split; lra.
Qed.

Lemma phi_near s l u : 1 / 2 < s -> 0 <= l -> 0 <= u -> l * l <= (s - 1 / 2) / s -> s / (s + 1 / 2) <= u * u -> l <= phi G s <= u.
Proof.
  intros S L U A C. pose proof (phi_half (s - 1 / 2) ltac:(lra)) as D. pose proof (phi_half s ltac:(lra)) as E.
  replace (s - 1 / 2 + 1 / 2) with s in D by ring. pose proof (phi_increases G gamma (s - 1 / 2) s ltac:(lra) ltac:(lra)) as F.
  pose proof (phi_increases G gamma s (s + 1 / 2) ltac:(lra) ltac:(lra)) as H.
  pose proof (phi_positive G gamma (s - 1 / 2) ltac:(lra)). pose proof (phi_positive G gamma s ltac:(lra)). split.
  - apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. apply Rle_trans with (1 := A). rewrite <- D.
    apply Rmult_le_compat_r; lra.
  - apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. apply Rle_trans with (2 := C). rewrite <- E.
    apply Rmult_le_compat_l; lra.
Qed.

Fixpoint rises (s : R) (k : nat) : R := match k with O => 1 | S m => rise s * rises (s + 1) m end.

Lemma phi_risen s k : 0 < s -> phi G s = rises s k * phi G (s + INR k).
Proof.
  revert s. induction k as [|k IH]; intros s S; cbn [rises]; [simpl; rewrite Rplus_0_r; ring|].
  rewrite (phi_step G gamma s S), (IH (s + 1)) by lra. rewrite S_INR. replace (s + 1 + INR k) with (s + (INR k + 1)) by ring. ring.
Qed.

Lemma first_phi : 80149 / 100000 <= phi G (11 / 10) <= 80231 / 100000.
Proof.
  rewrite (phi_risen (11 / 10) 10) by lra. replace (11 / 10 + INR 10) with (111 / 10) by (simpl; lra).
  pose proof (phi_near (111 / 10) (977217 / 1000000) (978211 / 1000000) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as [A C].
  assert (8201779 / 10000000 <= rises (11 / 10) 10 <= 410089 / 500000) as [D E] by (unfold rises, rise; lra).
  split.
  - apply Rle_trans with (8201779 / 10000000 * (977217 / 1000000)); [lra|]. apply Rmult_le_compat; lra.
  - apply Rle_trans with (410089 / 500000 * (978211 / 1000000)); [|lra]. apply Rmult_le_compat; lra.
Qed.

(** The distances (2, 298) to (1, 299), and (1, 299) to (0, 300). *)
Lemma between_roots l u A : 0 <= l <= 1 -> 0 <= u <= 1 -> 0 <= A <= (1 - l * l) * (1 - l * l) -> (1 - u * u) * (1 - u * u) <= A ->
  l <= sqrt (1 - sqrt A) <= u.
Proof.
  intros L U [P C] D. assert (0 <= l * l <= 1 /\ 0 <= u * u <= 1) as [L2 U2].
  { split; (split; [apply Rle_0_sqr|rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra]). }
  assert (sqrt A <= 1 - l * l) as X by (rewrite <- (sqrt_square (1 - l * l)) by lra; apply sqrt_le_1_alt; exact C).
  assert (1 - u * u <= sqrt A) as Y by (rewrite <- (sqrt_square (1 - u * u)) by lra; apply sqrt_le_1_alt; exact D).
  split.
  - rewrite <- (sqrt_square l) at 1 by lra. apply sqrt_le_1_alt. lra.
  - rewrite <- (sqrt_square u) by lra. apply sqrt_le_1_alt. lra.
Qed.

Notation d12 := (distance G (11 / 10) (2981 / 10 + 1) (11 / 10 + 1) (2981 / 10)).
Notation d01 := (distance G (1 / 10) (2991 / 10 + 1) (1 / 10 + 1) (2991 / 10)).

Lemma second_distance : 647 / 2000 <= d12 <= 3243 / 10000.
Proof.
  rewrite (proj1 (step_distance G gamma (11 / 10) (2981 / 10) ltac:(lra) ltac:(lra))).
  pose proof first_phi as [A C]. pose proof (phi_near (2981 / 10) (24979 / 25000) (99917 / 100000) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as [D E].
  unfold phi2. assert (80149 / 100000 * (24979 / 25000) <= phi G (11 / 10) * phi G (2981 / 10) <= 80231 / 100000 * (99917 / 100000)) by (split; apply Rmult_le_compat; lra).
  apply between_roots; lra.
Qed.

Lemma third_distance : 3553 / 5000 <= d01 <= 7109 / 10000.
Proof.
  rewrite (proj1 (step_distance G gamma (1 / 10) (2991 / 10) ltac:(lra) ltac:(lra))).
  pose proof first_phi as [A C]. pose proof (phi_near (2991 / 10) (24979 / 25000) (99917 / 100000) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as [D E].
  unfold phi2. rewrite (phi_step G gamma (1 / 10)) by lra. replace (1 / 10 + 1) with (11 / 10) by field.
  replace (rise (1 / 10)) with (11 / 36) by (unfold rise; field).
  assert (80149 / 100000 * (24979 / 25000) <= phi G (11 / 10) * phi G (2991 / 10) <= 80231 / 100000 * (99917 / 100000)) by (split; apply Rmult_le_compat; lra).
  rewrite Rmult_assoc. apply between_roots; lra.
Qed.

Lemma order_of_steps : distance G (21 / 10) (2971 / 10 + 1) (21 / 10 + 1) (2971 / 10) <= d12 /\ d12 <= d01.
Proof.
  split; apply step_order; auto; try lra; apply phi2_even; auto; lra.
Qed.

Lemma local_one : local_sensitivity G (1 / 10) (1 / 10) 1 (300 - 1) = d01.
Proof.
  unfold local_sensitivity. destruct (Req_EM_T 1 0) as [X|_]; [lra|]. destruct (Req_EM_T (300 - 1) 0) as [X|_]; [lra|].
  replace (distance G (1 / 10 + 1) (1 / 10 + (300 - 1)) (1 / 10 + 1 - 1) (1 / 10 + (300 - 1) + 1)) with d01
    by (rewrite (distance_comm G (1 / 10 + 1)); f_equal; lra).
  replace (distance G (1 / 10 + 1) (1 / 10 + (300 - 1)) (1 / 10 + 1 + 1) (1 / 10 + (300 - 1) - 1)) with d12 by (f_equal; lra).
  apply Rmax_left, order_of_steps.
Qed.

Lemma local_two_ones : local_sensitivity G (1 / 10) (1 / 10) 2 (300 - 2) = d12.
Proof.
  unfold local_sensitivity. destruct (Req_EM_T 2 0) as [X|_]; [lra|]. destruct (Req_EM_T (300 - 2) 0) as [X|_]; [lra|].
  replace (distance G (1 / 10 + 2) (1 / 10 + (300 - 2)) (1 / 10 + 2 - 1) (1 / 10 + (300 - 2) + 1)) with d12
    by (rewrite (distance_comm G (1 / 10 + 2)); f_equal; lra).
  replace (distance G (1 / 10 + 2) (1 / 10 + (300 - 2)) (1 / 10 + 2 + 1) (1 / 10 + (300 - 2) - 1))
    with (distance G (21 / 10) (2971 / 10 + 1) (21 / 10 + 1) (2971 / 10)) by (f_equal; lra).
  apply Rmax_left, order_of_steps.
Qed.

(** Candidates that are far from (2, 298): the affinity of 2m steps is at most that of its first coordinate. *)
Fixpoint even_steps (m : nat) : R :=
  match m with
  | O => 1
  | S k => even_steps k * ((21 / 10 + INR k) ^ 2 / ((21 / 10 + 2 * INR k) * (21 / 10 + 2 * INR k + 1)))
  end.

Lemma even_steps_gamma m :
  G (21 / 10 + INR m) * G (21 / 10 + INR m) = even_steps m * (G (21 / 10) * G (21 / 10 + 2 * INR m)).
Proof.
  induction m as [|m IH]; [simpl; rewrite Rmult_0_r, Rplus_0_r; ring|]. cbn [even_steps]. rewrite S_INR. pose proof (pos_INR m).
  replace (21 / 10 + (INR m + 1)) with (21 / 10 + INR m + 1) by ring.
  replace (21 / 10 + 2 * (INR m + 1)) with (21 / 10 + 2 * INR m + 1 + 1) by ring.
  rewrite (gamma_step G gamma (21 / 10 + INR m)), (gamma_step G gamma (21 / 10 + 2 * INR m + 1)),
    (gamma_step G gamma (21 / 10 + 2 * INR m)) by lra.
  replace ((21 / 10 + INR m) * G (21 / 10 + INR m) * ((21 / 10 + INR m) * G (21 / 10 + INR m)))
    with ((21 / 10 + INR m) ^ 2 * (G (21 / 10 + INR m) * G (21 / 10 + INR m))) by ring.
  rewrite IH. field. lra.
Qed.

Lemma far_even m : 2 * INR m < 2981 / 10 ->
  squared G (21 / 10) (2981 / 10) (21 / 10 + 2 * INR m) (2981 / 10 - 2 * INR m) <= even_steps m.
Proof.
  intros M. pose proof (pos_INR m). unfold squared, B.
  replace ((21 / 10 + (21 / 10 + 2 * INR m)) / 2) with (21 / 10 + INR m) by field.
  replace ((2981 / 10 + (2981 / 10 - 2 * INR m)) / 2) with (2981 / 10 - INR m) by field.
  replace (21 / 10 + INR m + (2981 / 10 - INR m)) with (21 / 10 + 2981 / 10) by ring.
  replace (21 / 10 + 2 * INR m + (2981 / 10 - 2 * INR m)) with (21 / 10 + 2981 / 10) by ring.
  pose proof (even_steps_gamma m) as E.
  pose proof (gamma_convex G gamma (2981 / 10) (2981 / 10 - 2 * INR m) ltac:(lra) ltac:(lra)) as C.
  replace ((2981 / 10 + (2981 / 10 - 2 * INR m)) / 2) with (2981 / 10 - INR m) in C by field.
  pose proof (gamma_pos G gamma) as P. pose proof (P (21 / 10) ltac:(lra)). pose proof (P (21 / 10 + 2 * INR m) ltac:(lra)).
  pose proof (P (21 / 10 + INR m) ltac:(lra)). pose proof (P (2981 / 10) ltac:(lra)).
  pose proof (P (2981 / 10 - 2 * INR m) ltac:(lra)). pose proof (P (21 / 10 + 2981 / 10) ltac:(lra)).
  set (g := G (21 / 10 + 2981 / 10)) in *. set (x := G (21 / 10 + INR m)) in *. set (y := G (2981 / 10 - INR m)) in *.
  set (p := G (21 / 10)) in *. set (p' := G (21 / 10 + 2 * INR m)) in *. set (q := G (2981 / 10)) in *.
  set (q' := G (2981 / 10 - 2 * INR m)) in *.
  replace (x * y / g * (x * y / g) / (p * q / g * (p' * q' / g))) with (x * x * (y * y) / (p * q * (p' * q'))) by (field; lra).
  rewrite E. replace (even_steps m * (p * p') * (y * y) / (p * q * (p' * q'))) with (even_steps m * ((y * y) / (q * q'))) by (field; lra).
  assert (0 < even_steps m).
  { apply Rmult_lt_reg_r with (p * p'); [apply Rmult_lt_0_compat; auto|]. rewrite <- E, Rmult_0_l. apply Rmult_lt_0_compat; auto. }
  rewrite <- (Rmult_1_r (even_steps m)) at 2. apply Rmult_le_compat_l; [lra|].
  assert (0 < q * q') by (apply Rmult_lt_0_compat; auto). apply Rmult_le_reg_r with (q * q'); auto.
  replace (y * y / (q * q') * (q * q')) with (y * y) by (field; lra). lra.
Qed.

Lemma farther_still p q j k : 0 < p -> 0 <= j -> j + INR k < q -> distance G p q (p + j) (q - j) <= distance G p q (p + (j + INR k)) (q - (j + INR k)).
Proof.
  intros P J. induction k as [|k IH]; intros Q; [simpl; rewrite Rplus_0_r; lra|]. rewrite S_INR in *. pose proof (pos_INR k).
  apply Rle_trans with (1 := IH ltac:(lra)). pose proof (farther G p q (j + INR k) gamma P ltac:(lra) ltac:(lra)) as F.
  replace (p + (j + (INR k + 1))) with (p + (j + INR k) + 1) by ring.
  replace (q - (j + (INR k + 1))) with (q - (j + INR k) - 1) by ring. exact F.
Qed.

Notation at_two r := (distance G (1 / 10 + IZR 2) (1 / 10 + IZR 300 - IZR 2) (1 / 10 + IZR r) (1 / 10 + IZR 300 - IZR r)).

Lemma far_from_two m z (r : Z) : 0 <= z <= 1 -> even_steps m <= (1 - z * z) * (1 - z * z) -> (m < 100)%nat ->
  (2 + 2 * Z.of_nat m <= r <= 300)%Z -> z <= at_two r.
Proof.
  intros [Z0 Z1] E M [R1 R2]. assert (INR m < 100) as M' by (apply lt_INR in M; simpl in M; lra).
  assert (IZR r = 2 + (2 * INR m + INR (Z.to_nat (r - 2 - 2 * Z.of_nat m)))) as ->.
  { rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id by lia. rewrite !minus_IZR, mult_IZR, <- INR_IZR_INZ. ring. }
  set (k := Z.to_nat (r - 2 - 2 * Z.of_nat m)).
  assert (2 * INR m + INR k < 2981 / 10) as K.
  { assert (IZR r <= 300) by (apply IZR_le; exact R2). unfold k. rewrite (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id by lia.
    rewrite !minus_IZR, mult_IZR, <- INR_IZR_INZ. lra. }
  pose proof (pos_INR m). pose proof (pos_INR k).
  pose proof (farther_still (21 / 10) (2981 / 10) (2 * INR m) k ltac:(lra) ltac:(lra) K) as F.
  replace (1 / 10 + 2) with (21 / 10) by field. replace (1 / 10 + 300 - 2) with (2981 / 10) by field.
  replace (1 / 10 + (2 + (2 * INR m + INR k))) with (21 / 10 + (2 * INR m + INR k)) by field.
  replace (1 / 10 + 300 - (2 + (2 * INR m + INR k))) with (2981 / 10 - (2 * INR m + INR k)) by field.
  apply Rle_trans with (2 := F). unfold distance, hellinger. rewrite (affinity_root G gamma) by lra.
  pose proof (far_even m ltac:(lra)) as S. pose proof (squared_at_most_1 G gamma (21 / 10) (2981 / 10) (21 / 10 + 2 * INR m) (2981 / 10 - 2 * INR m)
    ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as [S0 _].
  set (w := squared G (21 / 10) (2981 / 10) (21 / 10 + 2 * INR m) (2981 / 10 - 2 * INR m)) in *.
  assert (0 <= z * z <= 1) as ZZ.
  { split; [apply Rle_0_sqr|rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra]. }
  assert (sqrt w <= 1 - z * z) as X.
  { rewrite <- (sqrt_square (1 - z * z)) by lra. apply sqrt_le_1_alt. lra. }
  rewrite <- (sqrt_square z) by lra. apply sqrt_le_1_alt. lra.
Qed.

Lemma far_weight m z x w (r : Z) : 0 <= z <= 1 -> even_steps m <= (1 - z * z) * (1 - z * z) -> (m < 100)%nat ->
  (2 + 2 * Z.of_nat m <= r <= 300)%Z -> 0 <= x <= 2 -> x <= 2 / 5 / (3243 / 10000) * z ->
  1 - x / 2 + (x / 2) ^ 2 / 2 - (x / 2) ^ 3 / 6 + (x / 2) ^ 4 / 24 - (x / 2) ^ 5 / 120 + (x / 2) ^ 6 / 720 <= w ->
  exp (- (2 / 5 / d12) * at_two r) <= w * w.
Proof.
  intros Z E M R' X K W. pose proof (far_from_two m z r Z E M R') as D. pose proof second_distance as [S1 S2].
  apply Rle_trans with (2 := exp_small x w X W). apply exp_monotone.
  assert (2 / 5 / (3243 / 10000) <= 2 / 5 / d12) as Q.
  { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (0 < 2 / 5 / (3243 / 10000)) by (apply over_positive; lra).
  assert (2 / 5 / (3243 / 10000) * z <= 2 / 5 / d12 * at_two r) by (apply Rmult_le_compat; lra). lra.
Qed.

(** A sum block by block. *)
Lemma added_block f from n m k t : (forall i, (from <= i < from + Z.of_nat n)%Z -> f i <= k) ->
  added f (from + Z.of_nat n) m <= t -> added f from (n + m) <= INR n * k + t.
Proof.
  revert from. induction n as [|n IH]; intros from A T; cbn [plus added].
  - simpl in *. replace (from + 0)%Z with from in T by lia. lra.
  - rewrite S_INR. pose proof (A from ltac:(lia)) as H. specialize (IH (from + 1)%Z).
    assert (added f (from + 1) (n + m) <= INR n * k + t).
    { apply IH; [intros; apply A; lia|]. replace (from + 1 + Z.of_nat n)%Z with (from + Z.of_nat (S n))%Z by lia. exact T. }
    lra.
Qed.

Lemma added_none f from : added f from 0 <= 0.
Proof. simpl. lra. Qed.

Lemma total_two : total G (2 / 5 / d12) (1 / 10) (1 / 10) 300 2 <= 9143 / 100.
Proof.
  unfold total, range_sum. change 0 with (IZR 0). rewrite !whole_IZR. change (Z.to_nat (300 - 0 + 1)) with (2 + (2 + (2 + (2 + (2 + (2 + (2 + (2 + (2 + (2 + (2 + (279 + (0)))))))))))))%nat.
  pose proof second_distance as [S1 S2].
  assert (0 < 2 / 5 / d12) as Q by (apply over_positive; lra).
  assert (forall i, (0 <= i <= 300)%Z -> exp (- (2 / 5 / d12) * at_two i) <= 1) as One.
  { intros i I. pose proof (h_bounds G (1 / 10) (1 / 10) 300 2 gamma ltac:(lra) ltac:(lra) ltac:(lia) i I) as [H0 _].
    apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. apply exp_monotone.
    assert (0 <= 2 / 5 / d12 * at_two i) by (apply Rmult_le_pos; lra). lra. }
  assert (forall i, (0 <= i < 2)%Z -> exp (- (2 / 5 / d12) * at_two i) <= 419 / 625) as Two.
  { intros i I. assert (d12 <= at_two i) as D.
    { replace (1 / 10 + 2) with (21 / 10) by field. replace (1 / 10 + 300 - 2) with (2981 / 10) by field.
      assert (distance G (2981 / 10) (21 / 10) (2981 / 10 + 1) (21 / 10 - 1) = d12) as E.
      { rewrite distance_mirrored, distance_comm. f_equal; lra. }
      assert (i = 0 \/ i = 1)%Z as [->| ->] by lia.
      - pose proof (farther G (2981 / 10) (21 / 10) 1 gamma ltac:(lra) ltac:(lra) ltac:(lra)) as F.
        rewrite E in F. apply Rle_trans with (1 := F). rewrite distance_mirrored. right. f_equal; lra.
      - rewrite <- E, distance_mirrored. right. f_equal; lra. }
    pose proof (exp_small (2 / 5) (40937 / 50000) ltac:(lra) ltac:(lra)) as X. apply Rle_trans with ((40937 / 50000) * (40937 / 50000)); [|lra].
    apply Rle_trans with (2 := X). apply exp_monotone. assert (2 / 5 / d12 * d12 <= 2 / 5 / d12 * at_two i) as J by (apply Rmult_le_compat_l; lra).
    replace (2 / 5 / d12 * d12) with (2 / 5) in J by (field; lra). lra. }
  eapply Rle_trans.
  { apply (added_block _ _ 2 _ (419 / 625)); [intros i I; apply Two; lia|].
    apply (added_block _ _ 2 _ 1); [intros i I; apply One; lia|].
    apply (added_block _ _ 2 _ (1929 / 2500 * (1929 / 2500))); [intros i I; apply (far_weight 1 (2103 / 5000) (5187 / 10000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (6637 / 10000 * (6637 / 10000))); [intros i I; apply (far_weight 2 (831 / 1250) (8199 / 10000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (6077 / 10000 * (6077 / 10000))); [intros i I; apply (far_weight 3 (8077 / 10000) (4981 / 5000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (2887 / 5000 * (2887 / 5000))); [intros i I; apply (far_weight 4 (8907 / 10000) (5493 / 5000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (2803 / 5000 * (2803 / 5000))); [intros i I; apply (far_weight 5 (4693 / 5000) (1447 / 1250)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (5513 / 10000 * (5513 / 10000))); [intros i I; apply (far_weight 6 (4829 / 5000) (1489 / 1250)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (5461 / 10000 * (5461 / 10000))); [intros i I; apply (far_weight 7 (2453 / 2500) (6051 / 5000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (679 / 1250 * (679 / 1250))); [intros i I; apply (far_weight 8 (9897 / 10000) (12207 / 10000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 2 _ (677 / 1250 * (677 / 1250))); [intros i I; apply (far_weight 9 (1243 / 1250) (2453 / 2000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply (added_block _ _ 279 _ (338 / 625 * (338 / 625))); [intros i I; apply (far_weight 10 (997 / 1000) (12297 / 10000)); [lra|unfold even_steps; simpl; lra|lia|lia|lra|lra|lra]|].
    apply added_none. }
  simpl. lra.
Qed.

Lemma witness : exp (4 / 5) * exponential G (2 / 5 / d01) (1 / 10) (1 / 10) 1 (300 - 1) 2 (300 - 2) <
  exponential G (2 / 5 / d12) (1 / 10) (1 / 10) 2 (300 - 2) 2 (300 - 2).
Proof.
  rewrite (law_of G _ _ _ 300 1 2), (law_of G _ _ _ 300 2 2).
  rewrite (h_self G (1 / 10) (1 / 10) 300 2 gamma), Rmult_0_r, exp_0 by (try lra; lia).
  pose proof total_two as U. pose proof (total_above_0 G (2 / 5 / d12) (1 / 10) (1 / 10) 300 2 ltac:(lia)) as P.
  pose proof second_distance as [S1 S2]. pose proof third_distance as [L1 L2].
  assert (0 < 2 / 5 / d01) as Q by (apply over_positive; lra).
  pose proof (total_range G (1 / 10) (1 / 10) (2 / 5 / d01) 300 1 gamma ltac:(lra) ltac:(lra) ltac:(lia) ltac:(lra)) as [V _].
  replace (distance G (1 / 10 + 1) (1 / 10 + 300 - 1) (1 / 10 + 2) (1 / 10 + 300 - 2)) with d12 by (f_equal; lra).
  assert (2 / 5 / d01 <= 2 / 5 / (3553 / 5000)) as W by (apply Rmult_le_compat_l; [lra|]; apply Rinv_le_contravar; lra).
  assert (1139 / 2000 <= exp (- (2 / 5 / d01))) as X.
  { pose proof (exp_minus (2 / 5 / (3553 / 5000)) ltac:(lra)) as [A _]. apply Rle_trans with (exp (- (2 / 5 / (3553 / 5000)))); [lra|].
    apply exp_monotone. lra. }
  assert (2 / 5 * (647 / 2000) / (7109 / 10000) <= 2 / 5 / d01 * d12) as Y.
  { replace (2 / 5 * (647 / 2000) / (7109 / 10000)) with (2 / 5 / (7109 / 10000) * (647 / 2000)) by field.
    apply Rmult_le_compat; try lra. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (5389 / 10000 <= exp (- (4 / 5) + 2 / 5 / d01 * d12)) as Z.
  { pose proof (exp_minus (309 / 500) ltac:(lra)) as [A _]. apply Rle_trans with (exp (- (309 / 500))); [lra|].
    apply exp_monotone. lra. }
  set (x := total G (2 / 5 / d12) (1 / 10) (1 / 10) 300 2) in *. set (y := total G (2 / 5 / d01) (1 / 10) (1 / 10) 300 1) in *.
  assert (exp (- (4 / 5) + 2 / 5 / d01 * d12) * (exp (4 / 5) * exp (- (2 / 5 / d01) * d12)) = 1) as One.
  { rewrite <- !exp_plus. apply eq_trans with (exp 0); [f_equal; ring|apply exp_0]. }
  set (u := exp (4 / 5) * exp (- (2 / 5 / d01) * d12)) in *. set (v := exp (- (4 / 5) + 2 / 5 / d01 * d12)) in *.
  assert (1 + 300 * (1139 / 2000) <= y) as Y1 by lra.
  assert ((5389 / 10000) * (1 + 300 * (1139 / 2000)) <= v * y) as J by (apply Rmult_le_compat; lra).
  assert (x < v * y) as K by lra.
  assert (0 < v) by lra. assert (0 < u). { apply Rmult_lt_0_compat; apply exp_pos. }
  apply Rmult_lt_reg_r with (x * y * v); [repeat apply Rmult_lt_0_compat; lra|].
  replace (exp (4 / 5) * (exp (- (2 / 5 / d01) * d12) / y) * (x * y * v)) with (v * u * x) by (unfold u; field; lra).
  rewrite One. replace (1 / x * (x * y * v)) with (v * y) by (field; lra). lra.
Qed.
End Witness.

(* proves: em-local-witness *)
Theorem em_local_witness : s_em_local_witness.
Proof.
  intros G gamma. rewrite (local_one G gamma), (local_two_ones G gamma).
  pose proof (witness G gamma) as W. pose proof (second_distance G gamma). pose proof (third_distance G gamma).
  replace 298 with (300 - 2) by ring.
  match goal with |- exponential G (4 / 5 / (2 * ?s)) _ _ _ _ _ _ > _ * exponential G (4 / 5 / (2 * ?l)) _ _ _ _ _ _ =>
    replace (4 / 5 / (2 * s)) with (2 / 5 / s) by (field; lra); replace (4 / 5 / (2 * l)) with (2 / 5 / l) by (field; lra) end.
  exact W.
Qed.
