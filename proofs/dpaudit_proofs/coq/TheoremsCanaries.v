(** Typed statements about guesses: the sharp one-run bound, without δ too, and that it is attained. *)
Require Import Reals Psatz Lia ZArith Arith Bool.
From dpaudit Require Import Words Stated Values Guesses Canaries.
Open Scope R_scope.
Notation wz k := (IZR (Z.of_nat k)).

(** The words at natural numbers. *)
Lemma wz_inr k : wz k = INR k.
Proof. symmetry. apply INR_IZR_INZ. Qed.
Lemma added_below f from n : added f from n = below n (fun k => f (from + Z.of_nat k)%Z).
Proof.
  revert from. induction n as [|n IH]; intros from; [reflexivity|]. simpl added. rewrite IH.
  replace (S n) with (1 + n)%nat by lia. rewrite (below_split 1 n). simpl below at 2.
  rewrite Z.add_0_r. rewrite Rplus_0_l. f_equal. apply below_ext. intros k _. f_equal. lia.
Qed.
Lemma range_before n f : range_sum 0 (wz n - 1) f = below n (fun k => f (Z.of_nat k)).
Proof.
  unfold range_sum. replace (wz n - 1) with (IZR (Z.of_nat n - 1)) by (rewrite minus_IZR; reflexivity).
  rewrite !whole_IZR, added_below. replace (Z.to_nat (Z.of_nat n - 1 - 0 + 1)) with n by lia. reflexivity.
Qed.
Lemma range_from v r f : (v <= S r)%nat ->
  range_sum (wz v) (wz r) f = below (S r) (fun k => when (v <=? k)%nat (f (Z.of_nat k))).
Proof.
  intros L. unfold range_sum. rewrite !whole_IZR, added_below.
  replace (Z.to_nat (Z.of_nat r - Z.of_nat v + 1)) with (S r - v)%nat by lia.
  replace (S r) with (v + (S r - v))%nat at 2 by lia. rewrite below_split.
  rewrite (below_zero v).
  - rewrite Rplus_0_l. apply below_ext. intros k _. rewrite (proj2 (Nat.leb_le v (v + k))) by lia.
    simpl. f_equal. lia.
  - intros k K. destruct (Nat.leb_spec v k); [lia|reflexivity].
Qed.
Lemma range_upto n f : range_sum 0 (wz n) f = below (S n) (fun k => f (Z.of_nat k)).
Proof. change 0 with (wz 0). rewrite range_from by lia. apply below_ext. reflexivity. Qed.
Lemma power_at x n : power x (wz n) = x ^ n.
Proof. unfold power. rewrite whole_IZR. symmetry. apply pow_powerRZ. Qed.
Lemma power_whole b n : power (wz b) (wz n) = wz (b ^ n).
Proof. rewrite power_at, !wz_inr, pow_INR. reflexivity. Qed.
Lemma worlds_at n : power 2 (wz n) = wz (2 ^ n).
Proof. exact (power_whole 2 n). Qed.
Lemma vectors_at n : power 3 (wz n) = wz (3 ^ n).
Proof. exact (power_whole 3 n). Qed.
Lemma choose_at n k : choose (wz n) (wz k) = pascal n k.
Proof. unfold choose. rewrite !whole_IZR, !Nat2Z.id. reflexivity. Qed.
Lemma digit_at b t i : (b <> 0)%nat -> digit (wz b) (wz t) (wz i) = wz ((t / b ^ i) mod b)%nat.
Proof.
  intros B. unfold digit. rewrite !whole_IZR, Nat2Z.inj_mod, Nat2Z.inj_div, Nat2Z.inj_pow. reflexivity.
Qed.
Lemma trit_at t i : digit 3 (wz t) (wz i) = wz (trit t i).
Proof. change 3 with (wz 3). rewrite digit_at by lia. reflexivity. Qed.
Lemma bit_at s i : digit 2 (wz s) (wz i) = wz (Nat.b2n (bit s i)).
Proof. change 2 with (wz 2). rewrite digit_at by lia. rewrite <- Nat.testbit_spec'. reflexivity. Qed.
Lemma flip_unset s i : bit s i = false -> flip s i = (s + 2 ^ i)%nat.
Proof.
  intros B. unfold flip. rewrite Nat.add_nocarry_lxor; [reflexivity|]. apply Nat.bits_inj_0. intros j.
  rewrite Nat.land_spec, bit_power. destruct (Nat.eqb_spec i j) as [<-|_]; [|apply andb_false_r].
  unfold bit in B. rewrite B. reflexivity.
Qed.
Lemma flip_at s i : wz s + (1 - 2 * digit 2 (wz s) (wz i)) * power 2 (wz i) = wz (flip s i).
Proof.
  rewrite bit_at, worlds_at. destruct (bit s i) eqn:B; simpl Nat.b2n; rewrite !wz_inr; simpl INR.
  - assert (bit (flip s i) i = false) as C by (rewrite bit_flip, B, Nat.eqb_refl; reflexivity).
    pose proof (flip_unset (flip s i) i C) as F. rewrite flip_flip in F.
    apply (f_equal INR) in F. rewrite plus_INR in F. lra.
  - rewrite (flip_unset s i B), plus_INR. ring.
Qed.
Lemma same_at a b : same (wz a) (wz b) = when (a =? b)%nat 1.
Proof.
  unfold same. destruct (Req_EM_T (wz a) (wz b)) as [Q|Q], (Nat.eqb_spec a b) as [R'|R']; simpl; try reflexivity.
  - apply eq_IZR in Q. lia.
  - destruct Q. rewrite R'. reflexivity.
Qed.
Lemma at_most_at a b : at_most (wz a) (wz b) = when (a <=? b)%nat 1.
Proof.
  unfold at_most. destruct (Rle_dec (wz a) (wz b)) as [Q|Q], (Nat.leb_spec a b) as [L|L]; simpl; try reflexivity.
  - apply le_IZR in Q. lia.
  - destruct Q. apply IZR_le. lia.
Qed.
Lemma number_at n p : below n (fun k => when (p k) 1) = wz (number n p).
Proof. rewrite number_sum, wz_inr. ring. Qed.
Lemma before_bounds k n : (k < n)%nat -> 0 <= wz k <= wz n - 1.
Proof.
  intros L. rewrite !wz_inr. split; [apply pos_INR|]. apply (le_INR (S k)) in L. rewrite S_INR in L. lra.
Qed.
Lemma upto_bounds k n : (k < S n)%nat -> 0 <= wz k <= wz n.
Proof. intros L. split; [apply (IZR_le 0); lia|apply IZR_le; lia]. Qed.
Lemma natural z : IZR z >= 0 -> exists k, z = Z.of_nat k.
Proof. intros H. apply Rge_le, (le_IZR 0) in H. exists (Z.to_nat z). lia. Qed.
Lemma tail_at r v E : 0 < E -> (v <= r)%nat ->
  range_sum (wz v) (wz r) (fun j => choose (wz r) (IZR j) * power E (IZR j)) / power (1 + E) (wz r) = odds r v E.
Proof.
  intros P L. unfold odds. rewrite range_from by lia. rewrite power_at, subsets_row. f_equal.
  apply below_ext. intros k _. rewrite choose_at, power_at. destruct (v <=? k)%nat; simpl; ring.
Qed.

Section Guessed.
Variables (guess : R -> R -> R) (m : nat).
Definition says (x : R) (t i : nat) : bool := if Req_EM_T (guess (wz t) (wz i)) x then true else false.
Notation into := (says 1).
Notation outof := (says 0).
Lemma says_apart t i : into t i = true -> outof t i = false.
Proof. unfold says. do 2 destruct Req_EM_T; try reflexivity; try discriminate. lra. Qed.
Lemma says_at x t i : same (guess (wz t) (wz i)) x = when (says x t i) 1.
Proof. unfold same, says. destruct Req_EM_T; reflexivity. Qed.
Lemma right_at s t i : same (guess (wz t) (wz i)) (digit 2 (wz s) (wz i)) = when (right into outof s t i) 1.
Proof. rewrite bit_at. unfold right. destruct (bit s i); apply says_at. Qed.
Lemma rights_at s t : range_sum 0 (wz m - 1) (fun i => same (guess (wz t) (IZR i)) (digit 2 (wz s) (IZR i)))
  = wz (number m (right into outof s t)).
Proof. rewrite range_before, <- number_at. apply below_ext. intros i _. apply right_at. Qed.
Lemma made_at s t : range_sum 0 (wz m - 1) (fun i => same (guess (wz t) (IZR i)) 0 + same (guess (wz t) (IZR i)) 1)
  = wz (number m (right into outof s t) + number m (wrong into outof s t)).
Proof.
  rewrite range_before, Nat2Z.inj_add, plus_IZR, <- !number_at, <- below_plus. apply below_ext. intros i _.
  rewrite !says_at. unfold right, wrong. destruct (bit s i); ring.
Qed.
End Guessed.

Lemma bound_at r v E M : 0 < E -> (0 < v <= r)%nat ->
  sharp M r v E = odds r v E + M * odds r v E * (1 - odds r v E) * (1 + E) ^ r / (INR v * (pascal r v * E ^ v)).
Proof.
  intros P [V L]. unfold sharp. rewrite tail_odds by lia. unfold errors. rewrite pascal_mirrored by lia.
  replace (r - (r - v))%nat with v by lia.
  assert (0 < INR v) by (apply lt_0_INR; lia). assert (0 < pascal r v) by (apply pascal_positive; lia).
  assert (0 < E ^ v) by (apply pow_lt; lra). assert (0 < (1 + E) ^ r) by (apply pow_lt; lra).
  field. repeat split; lra.
Qed.

(** The theorem at natural numbers, with privacy as the statement has it. *)
Lemma guessed guess chance E d m r v n : 0 < E -> (0 < v <= r)%nat ->
  (forall s : Z, 0 <= IZR s <= power 2 (wz m) - 1 -> range_sum 0 (wz n) (fun t => chance (IZR s) (IZR t)) = 1) ->
  (forall s : Z, 0 <= IZR s <= power 2 (wz m) - 1 -> forall t : Z, 0 <= IZR t <= wz n -> chance (IZR s) (IZR t) >= 0) ->
  (forall s i, (s < 2 ^ m)%nat -> (i < m)%nat ->
    below (S n) (fun t => Rmax 0 (chance (wz s) (wz t) - E * chance (wz (flip s i)) (wz t))) <= d) ->
  (forall t : Z, 0 <= IZR t <= wz n -> range_sum 0 (wz m - 1) (fun i : Z =>
    same (guess (IZR t) (IZR i)) 0 + same (guess (IZR t) (IZR i)) 1) <= wz r) ->
  range_sum 0 (power 2 (wz m) - 1) (fun s : Z => range_sum 0 (wz n) (fun t : Z => chance (IZR s) (IZR t) *
    at_most (wz v) (range_sum 0 (wz m - 1) (fun i : Z => same (guess (IZR t) (IZR i)) (digit 2 (IZR s) (IZR i))))))
    / power 2 (wz m) <= sharp (INR m * d) r v E.
Proof.
  intros P V T N D G. rewrite worlds_at in *.
  set (into := says guess 1). set (outof := says guess 0).
  assert (forall s t, (s < 2 ^ m)%nat -> (t < S n)%nat ->
    (number m (right into outof s t) + number m (wrong into outof s t) <= r)%nat) as G'.
  { intros s t _ L. specialize (G (Z.of_nat t) (upto_bounds t n L)).
    rewrite (made_at guess m s t) in G. apply le_IZR in G. subst into outof. lia. }
  pose proof (one_run m r (S n) E d into outof (fun s t => chance (wz s) (wz t)) P (says_apart guess)
    (fun s t S' L => Rge_le _ _ (N _ (before_bounds s _ S') _ (upto_bounds t n L)))
    (fun s S' => eq_trans (eq_sym (range_upto n _)) (T _ (before_bounds s _ S'))) D G' v V) as B.
  apply Rle_trans with (2 := B). apply Req_le. rewrite range_before. unfold Rdiv. rewrite Rmult_comm. f_equal; [rewrite wz_inr; reflexivity|].
  apply below_ext. intros s _. rewrite range_upto. apply below_ext. intros t _.
  rewrite rights_at, at_most_at. fold into outof. destruct (v <=? _)%nat; simpl; ring.
Qed.

(* proves: one-run-bound *)
Theorem one_run_bound : s_one_run_bound.
Proof.
  intros guess chance E d m r v n M R' V N P V1 L T C D G.
  destruct (natural m M) as [m' ->], (natural r R') as [r' ->], (natural v V) as [v' ->], (natural n N) as [n' ->].
  apply le_IZR in L. apply Rge_le, (le_IZR 1) in V1. apply Rgt_lt in P.
  eapply Rle_trans; [apply (guessed guess chance E d m' r' v' n' P); auto; try lia|].
  - intros s i S' I. specialize (D (Z.of_nat s)). rewrite worlds_at in D. specialize (D (before_bounds s (2 ^ m') S')).
    specialize (D (Z.of_nat i) (before_bounds i m' I)). rewrite range_upto, flip_at in D. exact D.
  - rewrite bound_at by (auto; lia). rewrite !(tail_at r' v' E P) by lia. rewrite !power_at, choose_at, !wz_inr.
    apply Req_le. reflexivity.
Qed.

(* proves: one-run-bound-pure *)
Theorem one_run_bound_pure : s_one_run_bound_pure.
Proof.
  intros guess chance E m r v n M R' V N P V1 L T C D G.
  destruct (natural m M) as [m' ->], (natural r R') as [r' ->], (natural v V) as [v' ->], (natural n N) as [n' ->].
  apply le_IZR in L. apply Rge_le, (le_IZR 1) in V1. apply Rgt_lt in P.
  eapply Rle_trans; [apply (guessed guess chance E 0 m' r' v' n' P); auto; try lia|].
  - intros s i S' I. right. apply below_zero. intros t T'.
    specialize (D (Z.of_nat s)). rewrite worlds_at in D. specialize (D (before_bounds s (2 ^ m') S')).
    specialize (D (Z.of_nat i) (before_bounds i m' I) (Z.of_nat t) (upto_bounds t n' T')).
    rewrite flip_at in D. apply Rmax_left. lra.
  - rewrite bound_at by (auto; lia). rewrite !(tail_at r' v' E P) by lia.
    apply Req_le. unfold Rdiv. ring.
Qed.

(** The output t names the guesses, and the training is the one that is tight. *)
Lemma hits_at m s t : range_sum 0 (wz m - 1) (fun i => same (digit 3 (wz t) (IZR i)) (digit 2 (wz s) (IZR i)))
  = wz (hits (fun i => Nat.b2n (bit s i)) m t).
Proof.
  rewrite range_before. unfold hits. rewrite <- number_at. apply below_ext. intros i _.
  rewrite trit_at, bit_at. apply same_at.
Qed.
Lemma named_at m t : range_sum 0 (wz m - 1) (fun i => same (digit 3 (wz t) (IZR i)) 0 + same (digit 3 (wz t) (IZR i)) 1)
  = wz (made m t).
Proof.
  rewrite range_before. unfold made. rewrite <- number_at. apply below_ext. intros i _.
  rewrite trit_at. change 0 with (wz 0). change 1 with (wz 1) at 1. rewrite !same_at.
  destruct (trit t i) as [|[|k]]; simpl; ring.
Qed.
Lemma hits_made b m t : (forall i, (b i < 2)%nat) -> (hits b m t <= made m t)%nat.
Proof.
  intros B. unfold hits, made. induction m; simpl; [lia|]. pose proof (B m).
  destruct (Nat.eqb_spec (trit t m) (b m)), (Nat.ltb_spec (trit t m) 2); lia.
Qed.
Lemma below_picked n k f : below n (fun h => when (h =? k)%nat (f h)) = when (k <? n)%nat (f k).
Proof.
  rewrite <- below_at. apply below_ext. intros h _. rewrite Nat.eqb_sym.
  destruct (Nat.eqb_spec k h) as [->|_]; reflexivity.
Qed.
Lemma hits_same b c m t : (forall k, (k < m)%nat -> (trit t k =? b k)%nat = (trit t k =? c k)%nat) ->
  hits b m t = hits c m t.
Proof. intros H. apply number_ext. exact H. Qed.
Lemma hits_more b c m t i : (i < m)%nat -> (trit t i =? b i)%nat = false -> (trit t i =? c i)%nat = true ->
  (forall k, k <> i -> b k = c k) -> hits c m t = S (hits b m t).
Proof.
  intros I B C H. apply number_more with (i := i); try assumption.
  intros k _ K. simpl. rewrite (H k K). reflexivity.
Qed.

Lemma bits_below s i : (Nat.b2n (bit s i) < 2)%nat.
Proof. destruct (bit s i); simpl; lia. Qed.

Section Attained.
Variables (m r v : nat) (E d M : R).
Hypothesis sizes : (0 < v <= r)%nat.
Hypothesis within : (r <= m)%nat.
Hypothesis least : 1 <= E.
Hypothesis mass : 0 <= M <= INR m * d.
Hypothesis fits : M * odds r v E * (1 + E) ^ r <= INR v * (pascal r v * E ^ v).
Notation law := (tight m r v E M).
Notation bits s := (fun i => Nat.b2n (bit s i)).
Notation chance s t := (when (made m t =? r)%nat (law (hits (bits s) m t))).

Lemma attained_sum s (p : nat -> bool) : below (3 ^ m) (fun t => when (p (hits (bits s) m t)) (chance s t)) =
  pascal m r * subsets r (fun h => when (p h) (law h)).
Proof.
  rewrite <- outputs_of, <- (all_outputs (bits s) (bits_below s)). apply below_ext. intros t _.
  destruct (p _), (_ =? _)%nat; reflexivity.
Qed.

Lemma attained_private s i : (i < m)%nat ->
  below (3 ^ m) (fun t => Rmax 0 (chance s t - E * chance (flip s i) t)) <= d.
Proof.
  intros I.
  set (f := fun g h => when (g =? r)%nat (Rmax 0 (law h - E * law (h - 1)))).
  apply Rle_trans with (below (3 ^ m) (fun t => when (trit t i =? Nat.b2n (bit s i))%nat (f (made m t) (hits (bits s) m t)))).
  - apply below_le. intros t _. unfold f.
    assert (forall k, k <> i -> Nat.b2n (bit s k) = Nat.b2n (bit (flip s i) k)) as O.
    { intros k K. rewrite bit_flip. destruct (Nat.eqb_spec i k); [lia|]. rewrite xorb_false_r. reflexivity. }
    assert (Nat.b2n (bit (flip s i) i) = (1 - Nat.b2n (bit s i))%nat) as F.
    { rewrite bit_flip, Nat.eqb_refl. destruct (bit s i); reflexivity. }
    destruct (made m t =? r)%nat; simpl; [|destruct (_ =? _)%nat; simpl; apply Rmax_lub; lra].
    destruct (Nat.eqb_spec (trit t i) (Nat.b2n (bit s i))) as [Q|Q]; simpl.
    + rewrite (hits_more (bits (flip s i)) (bits s) m t i I).
      * replace (S (hits (bits (flip s i)) m t) - 1)%nat with (hits (bits (flip s i)) m t) by lia. lra.
      * simpl. rewrite F, Q. destruct (bit s i); reflexivity.
      * simpl. rewrite Q. apply Nat.eqb_refl.
      * intros k K. simpl. symmetry. apply O, K.
    + right. apply Rmax_left. destruct (Nat.eqb_spec (trit t i) (Nat.b2n (bit (flip s i) i))) as [Z|Z].
      * rewrite (hits_more (bits s) (bits (flip s i)) m t i I).
        -- apply (tight_down m r v E d M); auto.
        -- simpl. apply Nat.eqb_neq, Q.
        -- simpl. apply Nat.eqb_eq, Z.
        -- intros k K. simpl. apply O, K.
      * rewrite (hits_same (bits (flip s i)) (bits s)).
        -- apply (tight_level m r v E d M); auto.
        -- intros k K. simpl. destruct (Nat.eq_dec k i) as [->|K'].
           ++ rewrite (proj2 (Nat.eqb_neq _ _) Q), (proj2 (Nat.eqb_neq _ _) Z). reflexivity.
           ++ rewrite O by exact K'. reflexivity.
  - pose proof (tight_loss m r v E d M sizes within least mass) as J.
    destruct m as [|m1] eqn:Em; [lia|]. destruct r as [|r1] eqn:Er; [lia|].
    rewrite (right_outputs (bits s) (bits_below s) m1 i f) by lia.
    unfold f. replace (S m1 - 1)%nat with m1 in J by lia. replace (S r1 - 1)%nat with r1 in J by lia.
    rewrite <- outputs_of in J. apply Rle_trans with (2 := J). right. apply outputs_ext. intros g h.
    simpl (S g =? S r1)%nat. replace (S h - 1)%nat with h by lia. reflexivity.
Qed.
End Attained.

(* proves: one-run-attained *)
Theorem one_run_attained : s_one_run_attained.
Proof.
  intros chance E d M m r v N R' V P V1 L W M0 M1 F C.
  destruct (natural m N) as [m' ->], (natural r R') as [r' ->], (natural v V) as [v' ->].
  apply le_IZR in L, W. apply Rge_le, (le_IZR 1) in V1. apply Rge_le in P, M0.
  assert (0 < v' <= r')%nat as S' by lia. assert (r' <= m')%nat as W' by lia. assert (0 < E) as E0 by lra.
  assert (0 <= M <= INR m' * d) as MM by (rewrite wz_inr in M1; split; assumption).
  rewrite !(tail_at r' v' E E0) in * by lia. rewrite worlds_at, vectors_at in *. rewrite !power_at, !choose_at in *.
  rewrite (wz_inr v') in F. rewrite (wz_inr v') in C |- *.
  assert (forall s t, (s < 2 ^ m')%nat -> (t < 3 ^ m')%nat -> chance (wz s) (wz t) =
    when (made m' t =? r')%nat (tight m' r' v' E M (hits (fun i => Nat.b2n (bit s i)) m' t))) as K.
  { intros s t A B. rewrite (C _ (before_bounds s _ A) _ (before_bounds t _ B)).
    rewrite named_at, hits_at, same_at, range_upto.
    rewrite (below_ext _ _ (fun h => when (h =? hits (fun i => Nat.b2n (bit s i)) m' t)%nat
      (E ^ h * (1 + excess r' v' E M * (when (v' <=? h)%nat 1 - odds r' v' E))))).
    2: { intros h _. rewrite same_at, power_at. rewrite <- (wz_inr v'), at_most_at. unfold excess. rewrite (wz_inr v').
         destruct (_ =? _)%nat; simpl; ring. }
    rewrite below_picked. destruct (Nat.eqb_spec (made m' t) r') as [Q|_]; simpl; [|unfold Rdiv; ring].
    pose proof (hits_made (fun i => Nat.b2n (bit s i)) m' t (bits_below s)) as H.
    destruct (Nat.ltb_spec (hits (fun i => Nat.b2n (bit s i)) m' t) (S r')); [|lia]. simpl. unfold tight, Rdiv. ring. }
  assert (forall z n, 0 <= IZR z <= wz n - 1 -> exists k, z = Z.of_nat k /\ (k < n)%nat) as Q.
  { intros z n [A B]. apply (le_IZR 0) in A. replace (wz n - 1) with (IZR (Z.of_nat n - 1)) in B by (rewrite minus_IZR; reflexivity).
    apply le_IZR in B. exists (Z.to_nat z). lia. }
  split; [|split; [|split; [|split]]].
  - intros s A. destruct (Q _ _ A) as (s' & -> & A'). rewrite range_before.
    rewrite (below_ext _ _ _ (fun t T => K s' t A' T)).
    exact (eq_trans (attained_sum m' r' v' E M s' (fun _ => true)) (tight_total m' r' v' E M W' P)).
  - intros s A t B. destruct (Q _ _ A) as (s' & -> & A'), (Q _ _ B) as (t' & -> & B'). rewrite (K s' t' A' B').
    apply Rle_ge. destruct (_ =? _)%nat; simpl; [|lra]. apply (tight_nonneg m' r' v' E d M); auto.
  - intros s A i B. destruct (Q _ _ A) as (s' & -> & A'), (Q _ _ B) as (i' & -> & B'). rewrite range_before.
    apply Rle_trans with (2 := attained_private m' r' v' E d M S' W' P MM F s' i' B'). right.
    apply below_ext. intros t T. rewrite flip_at, (K s' t A' T), (K (flip s' i') t (flip_bounded s' m' i' B' A') T).
    reflexivity.
  - intros t B. destruct (Q _ _ B) as (t' & -> & B'). rewrite named_at.
    destruct (Nat.eq_dec (made m' t') r') as [<-|H]; [left; reflexivity|right]. intros s A.
    destruct (Q _ _ A) as (s' & -> & A'). rewrite (K s' t' A' B'), (proj2 (Nat.eqb_neq _ _) H). reflexivity.
  - rewrite <- (tight_right m' r' v' E M S' W' P). rewrite range_before.
    rewrite (below_ext _ _ (fun _ => pascal m' r' * subsets r' (fun h => when (v' <=? h)%nat (tight m' r' v' E M h)))).
    + rewrite below_constant, wz_inr. field. apply not_0_INR, Nat.pow_nonzero. lia.
    + intros s A. rewrite range_before, <- (attained_sum m' r' v' E M s (fun h => (v' <=? h)%nat)).
      apply below_ext. intros t T. rewrite hits_at, (K s t A T). rewrite <- ?(wz_inr v'), at_most_at.
      destruct (v' <=? _)%nat; simpl; ring.
Qed.
