(** Values: Γ at whole and half numbers, π to twelve digits, distances at points. *)
Require Import Reals Psatz Lia ZArith Machin.
From dpaudit Require Import Words.
Open Scope R_scope.

Lemma pi_bounds : 3141592653589 / 10 ^ 12 < PI < 3141592653590 / 10 ^ 12.
Proof.
  pose proof (PI_2_3_7_ineq 9) as [L U].
  unfold tg_alt, PI_2_3_7_tg, Ratan_seq in *. simpl in L, U. split; lra.
Qed.

Lemma root_pi : 0 < sqrt PI /\ sqrt PI * sqrt PI = PI.
Proof. pose proof PI_RGT_0. split; [apply sqrt_lt_R0; lra|apply sqrt_sqrt; lra]. Qed.

(** Γ(k/2). *)
Fixpoint halves (k : nat) : R :=
  match k with
  | O => 0 | S O => sqrt PI | S (S O) => 1
  | S (S m) => INR m / 2 * halves m
  end.

Lemma halves_step m : (1 <= m)%nat -> halves (S (S m)) = INR m / 2 * halves m.
Proof. destruct m; [lia|reflexivity]. Qed.

Lemma gamma_halves G k : is_gamma G ->
  G (INR (S k) / 2) = halves (S k) /\ G (INR (S (S k)) / 2) = halves (S (S k)).
Proof.
  intros gamma. induction k as [|k [A B]].
  - split.
    + replace (INR 1 / 2) with (1 / 2) by (simpl; lra). exact (gamma_half G gamma).
    + replace (INR 2 / 2) with 1 by (simpl; lra). exact (gamma_one G gamma).
  - split; [exact B|]. rewrite halves_step by lia. rewrite <- A.
    assert (0 < INR (S k)) by (apply (lt_INR 0); lia).
    replace (INR (S (S (S k))) / 2) with (INR (S k) / 2 + 1) by (rewrite !S_INR; lra).
    apply (gamma_step G gamma). lra.
Qed.

Lemma gamma_at G k x : is_gamma G -> x = INR (S k) / 2 -> G x = halves (S k).
Proof. intros gamma ->. apply gamma_halves; auto. Qed.

Ltac gamma_value gamma g x :=
  let attempt k := replace (g x) with (halves (S k)) by (symmetry; apply (gamma_at g k x gamma); simpl; lra) in
  first [attempt 0%nat | attempt 1%nat | attempt 2%nat | attempt 3%nat | attempt 4%nat | attempt 5%nat
    | attempt 6%nat | attempt 7%nat | attempt 8%nat | attempt 9%nat | attempt 10%nat | attempt 11%nat
    | attempt 12%nat | attempt 13%nat | attempt 14%nat | attempt 15%nat | attempt 16%nat
    | attempt 17%nat | attempt 18%nat | attempt 19%nat | attempt 20%nat | attempt 21%nat
    | attempt 22%nat | attempt 23%nat | attempt 24%nat | attempt 25%nat | attempt 26%nat].

(** Writes Γ at whole and half numbers as numbers and √π. *)
Ltac gammas gamma :=
  match type of gamma with is_gamma ?g =>
    repeat match goal with |- context [g ?x] => gamma_value gamma g x end; simpl halves
  end.

Ltac by_values gamma :=
  gammas gamma; let p := fresh in let e := fresh in destruct root_pi as [p e];
  let w := fresh "w" in set (w := sqrt PI) in *; rewrite <- ?e; field; repeat split; lra.

(** A distance whose affinity is s/√q. *)
Lemma distance_is G a b c d s q : B G ((a + c) / 2) ((b + d) / 2) = s -> B G a b * B G c d = q ->
  distance G a b c d = sqrt (1 - s / sqrt q).
Proof. intros <- <-. reflexivity. Qed.

Lemma root_below q h : 0 <= h -> 0 <= q -> q < h * h -> sqrt q < h.
Proof.
  intros H Q L. rewrite <- (sqrt_square h) by auto. apply sqrt_lt_1_alt. split; auto.
Qed.

Lemma root_above q l : 0 <= l -> l * l < q -> l < sqrt q.
Proof. intros H L. rewrite <- (sqrt_square l) by auto. apply sqrt_lt_1_alt. split; auto. nra. Qed.

(** Which of two numbers s/√q is the smaller one. *)
Lemma quotient_order s q t r : 0 < s -> 0 < q -> 0 < t -> 0 < r -> s * s * r < t * t * q ->
  s / sqrt q < t / sqrt r.
Proof.
  intros S Q T R L. assert (0 < sqrt q) by (apply sqrt_lt_R0; auto).
  assert (0 < sqrt r) by (apply sqrt_lt_R0; auto).
  apply Rmult_lt_reg_r with (sqrt q * sqrt r); [apply Rmult_lt_0_compat; auto|].
  replace (s / sqrt q * (sqrt q * sqrt r)) with (s * sqrt r) by (field; lra).
  replace (t / sqrt r * (sqrt q * sqrt r)) with (t * sqrt q) by (field; lra).
  apply Rsqr_incrst_0; [|left; apply Rmult_lt_0_compat; auto|left; apply Rmult_lt_0_compat; auto].
  unfold Rsqr. replace (s * sqrt r * (s * sqrt r)) with (s * s * (sqrt r * sqrt r)) by ring.
  replace (t * sqrt q * (t * sqrt q)) with (t * t * (sqrt q * sqrt q)) by ring.
  rewrite !sqrt_sqrt by lra. exact L.
Qed.

Lemma distance_order s q t r : 0 < s -> 0 < q -> 0 < t -> 0 < r -> t * t <= r -> s * s * r < t * t * q ->
  sqrt (1 - t / sqrt r) < sqrt (1 - s / sqrt q).
Proof.
  intros S Q T R M L. pose proof (quotient_order s q t r S Q T R L).
  assert (t / sqrt r <= 1).
  { apply Rmult_le_reg_r with (sqrt r); [apply sqrt_lt_R0; auto|].
    replace (t / sqrt r * sqrt r) with t by (field; apply Rgt_not_eq; apply sqrt_lt_R0; auto).
    rewrite Rmult_1_l. rewrite <- (sqrt_square t) by lra. apply sqrt_le_1_alt. exact M. }
  apply sqrt_lt_1_alt. split; lra.
Qed.

(** Bounds of exp and ln by squaring. *)
Lemma exp_above x : 0 < x -> (1 + x / 2) * (1 + x / 2) < exp x.
Proof.
  intros X. pose proof (exp_ineq1 (x / 2) ltac:(lra)).
  replace x with (x / 2 + x / 2) at 3 by lra. rewrite exp_plus. apply Rmult_gt_0_lt_compat; lra.
Qed.

Lemma exp_upper k x : 0 <= x -> x < INR (S k) -> exp x <= (1 / (1 - x / INR (S k))) ^ S k.
Proof.
  intros P L. assert (0 < INR (S k)) as K by (apply (lt_INR 0); lia).
  assert (0 < 1 - x / INR (S k)) as D.
  { assert (x / INR (S k) < 1); [|lra]. apply Rmult_lt_reg_r with (INR (S k)); auto.
    replace (x / INR (S k) * INR (S k)) with x by (field; lra). lra. }
  replace (exp x) with (exp (x / INR (S k)) ^ S k).
  - apply pow_incr. split; [left; apply exp_pos|].
    pose proof (exp_ineq1_le (- (x / INR (S k)))) as I. rewrite exp_Ropp in I.
    pose proof (exp_pos (x / INR (S k))) as E.
    set (y := x / INR (S k)) in *. apply Rmult_le_reg_r with (1 - y); auto.
    replace (1 / (1 - y) * (1 - y)) with 1 by (field; lra).
    apply Rmult_le_reg_r with (/ exp y); [apply Rinv_0_lt_compat; auto|].
    replace (exp y * (1 - y) * / exp y) with (1 - y) by (field; lra). lra.
  - clear -K.
    assert (forall y n, exp y ^ n = exp (INR n * y)) as T.
    { intros y n. induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
      rewrite <- tech_pow_Rmult, IH, <- exp_plus, S_INR. f_equal. lra. }
    rewrite T. f_equal. field. lra.
Qed.

Lemma log_above x y : 0 < y -> exp x < y -> x < ln y.
Proof. intros Y L. rewrite <- (ln_exp x). apply ln_increasing; [apply exp_pos|exact L]. Qed.

Lemma log_below x y : 0 < y -> y < exp x -> ln y < x.
Proof. intros Y L. rewrite <- (ln_exp x). apply ln_increasing; auto. Qed.

(** Whole numbers, ranges, sums. *)
Lemma whole_IZR z : whole (IZR z) = z.
Proof.
  unfold whole. assert (up (IZR z) = (z + 1)%Z) as ->; [|lia].
  symmetry. apply tech_up; rewrite plus_IZR; lra.
Qed.

Lemma greatest_above f from more i : (from <= i <= from + Z.of_nat more)%Z -> f i <= greatest f from more.
Proof.
  revert from. induction more as [|m IH]; intros from I.
  - replace i with from by lia. simpl. lra.
  - simpl. destruct (Z.eq_dec i from) as [->|N]; [apply Rmax_l|].
    apply Rle_trans with (greatest f (from + 1) m); [apply IH; lia|apply Rmax_r].
Qed.

Lemma greatest_below f from more m :
  (forall i, (from <= i <= from + Z.of_nat more)%Z -> f i <= m) -> greatest f from more <= m.
Proof.
  revert from. induction more as [|k IH]; intros from A; simpl.
  - apply A. lia.
  - apply Rmax_lub; [apply A; lia|]. apply IH. intros i I. apply A. lia.
Qed.

Lemma greatest_attained f from more :
  exists i, (from <= i <= from + Z.of_nat more)%Z /\ greatest f from more = f i.
Proof.
  revert from. induction more as [|m IH]; intros from; simpl.
  - exists from. split; [lia|reflexivity].
  - destruct (IH (from + 1)%Z) as (i & I & E). unfold Rmax. destruct Rle_dec.
    + exists i. split; [lia|exact E].
    + exists from. split; [lia|reflexivity].
Qed.

Lemma range_max_above low high i f : (low <= i <= high)%Z -> f i <= range_max (IZR low) (IZR high) f.
Proof.
  intros I. unfold range_max. rewrite !whole_IZR. apply greatest_above. rewrite Z2Nat.id; lia.
Qed.

Lemma range_max_below low high m f : (low <= high)%Z ->
  (forall i, (low <= i <= high)%Z -> f i <= m) -> range_max (IZR low) (IZR high) f <= m.
Proof.
  intros L A. unfold range_max. rewrite !whole_IZR. apply greatest_below. rewrite Z2Nat.id by lia.
  intros i I. apply A. lia.
Qed.

Lemma range_max_attained low high f : (low <= high)%Z ->
  exists i, (low <= i <= high)%Z /\ range_max (IZR low) (IZR high) f = f i.
Proof.
  intros L. unfold range_max. rewrite !whole_IZR.
  destruct (greatest_attained f low (Z.to_nat (high - low))) as (i & I & E).
  rewrite Z2Nat.id in I by lia. exists i. split; [lia|exact E].
Qed.

Lemma added_le f g from count : (forall i, (from <= i < from + Z.of_nat count)%Z -> f i <= g i) ->
  added f from count <= added g from count.
Proof.
  revert from. induction count as [|k IH]; intros from A; simpl; [lra|].
  apply Rplus_le_compat; [apply A; lia|]. apply IH. intros i I. apply A. lia.
Qed.

Lemma added_scaled c f from count : added (fun i => c * f i) from count = c * added f from count.
Proof. revert from. induction count as [|k IH]; intros from; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma added_positive f from count : (1 <= count)%nat -> (forall i, 0 < f i) -> 0 < added f from count.
Proof.
  intros C P. destruct count as [|k]; [lia|]. clear C. revert from. induction k as [|k IH]; intros from; simpl in *.
  - specialize (P from). lra.
  - specialize (IH (from + 1)%Z). specialize (P from). lra.
Qed.

Lemma range_sum_le low high f g : (forall i, (low <= i <= high)%Z -> f i <= g i) ->
  range_sum (IZR low) (IZR high) f <= range_sum (IZR low) (IZR high) g.
Proof.
  intros A. unfold range_sum. rewrite !whole_IZR. apply added_le. intros i I. apply A. lia.
Qed.

Lemma range_sum_scaled c low high f :
  range_sum low high (fun i => c * f i) = c * range_sum low high f.
Proof. apply added_scaled. Qed.

Lemma range_sum_positive low high f : (low <= high)%Z -> (forall i, 0 < f i) ->
  0 < range_sum (IZR low) (IZR high) f.
Proof.
  intros L P. unfold range_sum. rewrite !whole_IZR. apply added_positive; [lia|exact P].
Qed.

Lemma distance_squared G a b c d s q : is_gamma G -> 0 < a -> 0 < b -> 0 < c -> 0 < d -> a + b = c + d ->
  B G ((a + c) / 2) ((b + d) / 2) = s -> B G a b * B G c d = q -> distance G a b c d ^ 2 = 1 - s / sqrt q.
Proof.
  intros gamma A B' C D E <- <-. unfold distance, hellinger. rewrite pow2_sqrt; [reflexivity|].
  rewrite (affinity_root G gamma) by auto. pose proof (squared_at_most_1 G gamma a b c d A B' C D E) as S.
  pose proof (sqrt_le_1_alt _ 1 (proj2 S)) as L. rewrite sqrt_1 in L. lra.
Qed.

(** A distance is above 0 where a and c differ: the affinity is below 1. *)
Lemma distance_bounds G a b c d : is_gamma G -> 0 < a -> 0 < b -> 0 < c -> 0 < d -> a + b = c + d ->
  0 <= distance G a b c d < 1.
Proof.
  intros gamma A B' C D E. split; [apply sqrt_pos|]. unfold distance, hellinger.
  rewrite (affinity_root G gamma) by auto. pose proof (squared_at_most_1 G gamma a b c d A B' C D E) as S.
  assert (0 < sqrt (squared G a b c d)) as P by (apply sqrt_lt_R0; lra).
  pose proof (sqrt_le_1_alt _ 1 (proj2 S)) as L. rewrite sqrt_1 in L.
  set (r := sqrt (squared G a b c d)) in *. apply root_below; lra.
Qed.

Lemma distance_self G a b : is_gamma G -> 0 < a -> 0 < b -> distance G a b a b = 0.
Proof.
  intros gamma A B'. unfold distance, hellinger, affinity.
  replace ((a + a) / 2) with a by lra. replace ((b + b) / 2) with b by lra.
  assert (0 < B G a b) by (apply B_pos; auto). rewrite sqrt_square by lra.
  replace (1 - B G a b / B G a b) with 0 by (field; lra). apply sqrt_0.
Qed.

(** Exponential mechanisms. *)
Lemma weight_positive G f a b x y r s : 0 < weight G f a b x y r s.
Proof. apply exp_pos. Qed.

Lemma total_positive G f a b x y n : (0 <= n)%Z ->
  0 < range_sum 0 (IZR n) (fun j => weight G f a b x y (IZR j) (IZR n - IZR j)).
Proof. intros N. apply range_sum_positive; [exact N|]. intros. apply exp_pos. Qed.

(** P_exp as it is written of counts c and n − c, r and n − r. *)
Lemma exponential_of G f a b n c r :
  exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) =
  weight G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) /
  range_sum 0 (IZR n) (fun j => weight G f a b (IZR c) (IZR n - IZR c) (IZR j) (IZR n - IZR j)).
Proof.
  unfold exponential. destruct Req_EM_T as [_|N]; [|exfalso; apply N; ring].
  replace (IZR c + (IZR n - IZR c)) with (IZR n) by ring. reflexivity.
Qed.

Lemma exponential_positive G f a b n c r : (0 <= n)%Z ->
  0 < exponential G f a b (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r).
Proof.
  intros N. rewrite exponential_of. apply Rdiv_lt_0_compat; [apply exp_pos|apply total_positive; exact N].
Qed.

(** Few candidates. *)
Lemma sum_of_two f : range_sum 0 1 f = f 0%Z + f 1%Z.
Proof. unfold range_sum. rewrite !whole_IZR. simpl. ring. Qed.

Lemma sum_of_three f : range_sum 0 2 f = f 0%Z + f 1%Z + f 2%Z.
Proof. unfold range_sum. rewrite !whole_IZR. simpl. ring. Qed.

Lemma max_of_two f : range_max 0 1 f = Rmax (f 0%Z) (f 1%Z).
Proof. unfold range_max. rewrite !whole_IZR. reflexivity. Qed.

Lemma max_of_three f : range_max 0 2 f = Rmax (f 0%Z) (Rmax (f 1%Z) (f 2%Z)).
Proof. unfold range_max. rewrite !whole_IZR. reflexivity. Qed.
