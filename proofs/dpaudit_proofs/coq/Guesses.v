(** Guesses about canaries: sums below a number, Pascal's triangle, and the sharp one-run bound.

    m canaries are in or out, each with probability 1/2.  Of r guesses k are wrong; a guess that is
    not made counts as wrong.  E is e^ε. *)
Require Import Reals Psatz Lia Arith List Permutation.
From dpaudit Require Import Words.
Open Scope R_scope.

(** The sum of f k for k < n. *)
Fixpoint below (n : nat) (f : nat -> R) : R := match n with O => 0 | S j => below j f + f j end.
Definition when (b : bool) (x : R) : R := if b then x else 0.

Lemma below_ext n f g : (forall k, (k < n)%nat -> f k = g k) -> below n f = below n g.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto. Qed.
Lemma below_le n f g : (forall k, (k < n)%nat -> f k <= g k) -> below n f <= below n g.
Proof.
  induction n; simpl; intros H; [lra|].
  assert (below n f <= below n g) by auto. specialize (H n ltac:(lia)). lra.
Qed.
Lemma below_scaled n c f : below n (fun k => c * f k) = c * below n f.
Proof. induction n; simpl; [ring|]. rewrite IHn; ring. Qed.
Lemma below_plus n f g : below n (fun k => f k + g k) = below n f + below n g.
Proof. induction n; simpl; [ring|]. rewrite IHn; ring. Qed.
Lemma below_constant n c : below n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; ring|]. rewrite S_INR. simpl below. rewrite IHn. ring. Qed.
Lemma below_nonneg n f : (forall k, (k < n)%nat -> 0 <= f k) -> 0 <= below n f.
Proof.
  induction n; simpl; intros H; [lra|].
  assert (0 <= below n f) by auto. specialize (H n ltac:(lia)). lra.
Qed.
Lemma below_zero n f : (forall k, (k < n)%nat -> f k = 0) -> below n f = 0.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto; lra. Qed.
Lemma below_mono n j f : (n <= j)%nat -> (forall k, (k < j)%nat -> 0 <= f k) -> below n f <= below j f.
Proof.
  induction 1 as [|q L IH]; simpl; intros P; [lra|].
  assert (below n f <= below q f) by auto. specialize (P q ltac:(lia)). lra.
Qed.
Lemma below_split a b f : below (a + b) f = below a f + below b (fun k => f (a + k)%nat).
Proof.
  induction b; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHb. ring.
Qed.
Lemma below_exchange a b f :
  below a (fun i => below b (fun j => f i j)) = below b (fun j => below a (fun i => f i j)).
Proof.
  induction a; simpl.
  - symmetry. apply below_zero. reflexivity.
  - rewrite IHa, <- below_plus. reflexivity.
Qed.
Lemma below_cut n u f : (u < n)%nat -> below n (fun k => if (k <=? u)%nat then f k else 0) = below (S u) f.
Proof.
  induction 1 as [|q L IH].
  - apply below_ext; intros k H. destruct (Nat.leb_spec k u); [easy|lia].
  - simpl below at 1. rewrite IH. destruct (Nat.leb_spec q u); [lia|lra].
Qed.
Lemma below_at n k x : below n (fun j => when (k =? j)%nat x) = when (k <? n)%nat x.
Proof.
  induction n; simpl; [reflexivity|]. rewrite IHn. unfold when.
  destruct (Nat.ltb_spec k n), (Nat.eqb_spec k n), (Nat.ltb_spec k (S n)); try lia; ring.
Qed.
Lemma below_reversed n f : below (S n) f = below (S n) (fun k => f (n - k)%nat).
Proof.
  revert f. induction n; intros f; [reflexivity|].
  change (below (S (S n)) f) with (below (S n) f + f (S n)). rewrite IHn.
  replace (S (S n)) with (1 + S n)%nat by lia. rewrite below_split. simpl below at 2.
  rewrite (below_ext (S n) (fun k => f (S n - (1 + k))%nat) (fun k => f (n - k)%nat)) by (intros; f_equal; lia).
  simpl (S n - 0)%nat. ring.
Qed.

(** A sum over all numbers below n is the same in the order of a bijection. *)
Lemma below_list n f : below n f = fold_right Rplus 0 (map f (rev (seq 0 n))).
Proof.
  induction n; [reflexivity|]. rewrite seq_S, rev_app_distr. simpl. rewrite IHn. ring.
Qed.
Lemma added_permuted (a b : list R) : Permutation a b -> fold_right Rplus 0 a = fold_right Rplus 0 b.
Proof. induction 1; simpl; lra. Qed.
Lemma distinct_mapped (g : nat -> nat) l : (forall x y, In x l -> In y l -> g x = g y -> x = y) ->
  NoDup l -> NoDup (map g l).
Proof.
  induction l as [|a l IH]; simpl; intros I D; [constructor|]. inversion D; subst. constructor.
  - rewrite in_map_iff. intros (y & E & Y). rewrite (I y a) in Y by auto. contradiction.
  - apply IH; auto.
Qed.
Lemma below_reindexed n f (g : nat -> nat) : (forall k, (k < n)%nat -> (g k < n)%nat) ->
  (forall k, (k < n)%nat -> g (g k) = k) -> below n (fun k => f (g k)) = below n f.
Proof.
  intros B I. rewrite !below_list, <- (map_map g f). apply added_permuted, Permutation_map.
  rewrite map_rev, <- !Permutation_rev. apply NoDup_Permutation.
  - apply distinct_mapped; [|apply seq_NoDup].
    intros x y X Y E. apply in_seq in X, Y. rewrite <- (I x), <- (I y), E by lia. reflexivity.
  - apply seq_NoDup.
  - intros x. rewrite in_map_iff, in_seq. split.
    + intros (y & <- & Y). apply in_seq in Y. specialize (B y ltac:(lia)). lia.
    + intros X. exists (g x). split; [apply I; lia|]. apply in_seq. specialize (B x ltac:(lia)). lia.
Qed.

(** How many i < n have a property. *)
Fixpoint number (n : nat) (p : nat -> bool) : nat :=
  match n with O => O | S j => (number j p + if p j then 1 else 0)%nat end.
Lemma number_ext n p q : (forall k, (k < n)%nat -> p k = q k) -> number n p = number n q.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto. Qed.
Lemma number_sum n p x : below n (fun k => when (p k) x) = INR (number n p) * x.
Proof.
  induction n; simpl number; [simpl; ring|]. simpl below. rewrite IHn, plus_INR. unfold when.
  destruct (p n); simpl; ring.
Qed.
Lemma number_more n p q i : (i < n)%nat -> p i = false -> q i = true ->
  (forall k, (k < n)%nat -> k <> i -> p k = q k) -> number n q = S (number n p).
Proof.
  induction n; intros L P Q H; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|N].
  - rewrite P, Q, (number_ext n p q) by (intros; apply H; lia). lia.
  - rewrite IHn by (auto; try lia; intros; apply H; lia). rewrite (H n) by lia. lia.
Qed.

(** Pascal's triangle. *)
Lemma pascal_nonneg n k : 0 <= pascal n k.
Proof.
  revert k. induction n; intros [|k]; simpl; try lra. specialize (IHn k) as A. specialize (IHn (S k)). lra.
Qed.
Lemma pascal_positive n k : (k <= n)%nat -> 0 < pascal n k.
Proof.
  revert k. induction n; intros [|k] L; simpl; try lra; [lia|].
  assert (0 < pascal n k) by (apply IHn; lia). pose proof (pascal_nonneg n (S k)). lra.
Qed.
Lemma pascal_next n k : (INR n - INR k) * pascal n k = INR (S k) * pascal n (S k).
Proof.
  revert k. induction n; intros k.
  - destruct k; simpl; ring.
  - destruct k as [|k].
    + pose proof (IHn 0%nat) as A. change (pascal (S n) 1) with (pascal n 0 + pascal n 1).
      destruct n; [simpl; ring|]. rewrite !S_INR in *. simpl pascal in A. simpl pascal. simpl INR in *. lra.
    + change (pascal (S n) (S k)) with (pascal n k + pascal n (S k)).
      change (pascal (S n) (S (S k))) with (pascal n (S k) + pascal n (S (S k))).
      pose proof (IHn k) as A. pose proof (IHn (S k)) as B'. rewrite !S_INR in *. lra.
Qed.
Lemma pascal_absorbed n k : INR (S k) * pascal (S n) (S k) = INR (S n) * pascal n k.
Proof.
  change (pascal (S n) (S k)) with (pascal n k + pascal n (S k)).
  pose proof (pascal_next n k) as A. rewrite !S_INR in *. lra.
Qed.
Lemma pascal_beyond n k : (n < k)%nat -> pascal n k = 0.
Proof.
  revert k. induction n; intros [|k] L; simpl; try lia; [lra|]. rewrite !IHn by lia. lra.
Qed.

(** Sums with the weights of a row: of f k over the subsets, by their size k. *)
Fixpoint subsets (n : nat) (f : nat -> R) : R :=
  match n with O => f O | S j => subsets j f + subsets j (fun k => f (S k)) end.
Lemma subsets_row n f : subsets n f = below (S n) (fun k => pascal n k * f k).
Proof.
  revert f. induction n; intros f; [simpl; ring|].
  change (subsets (S n) f) with (subsets n f + subsets n (fun k => f (S k))). rewrite !IHn.
  assert (below (S n) (fun k => pascal n k * f k) = below (1 + S n) (fun k => pascal n k * f k)) as ->.
  { change (below (1 + S n) (fun k => pascal n k * f k))
      with (below (S n) (fun k => pascal n k * f k) + pascal n (S n) * f (S n)).
    rewrite pascal_beyond by lia. ring. }
  replace (S (S n)) with (1 + S n)%nat by lia. rewrite !(below_split 1 (S n)).
  rewrite (below_ext (S n) (fun k => pascal (S n) (1 + k) * f (1 + k)%nat)
    (fun k => pascal n k * f (S k) + pascal n (1 + k) * f (1 + k)%nat)) by (intros; simpl; ring).
  rewrite below_plus. destruct n; simpl; ring.
Qed.
Lemma subsets_ext n f g : (forall k, (k <= n)%nat -> f k = g k) -> subsets n f = subsets n g.
Proof. intros H. rewrite !subsets_row. apply below_ext. intros k K. rewrite H by lia. reflexivity. Qed.
Lemma subsets_powers n x : subsets n (fun k => x ^ k) = (1 + x) ^ n.
Proof.
  induction n; [reflexivity|]. change (subsets (S n) (fun k => x ^ k)) with (subsets n (fun k => x ^ k) + subsets n (fun k => x * x ^ k)).
  rewrite IHn. rewrite !subsets_row in *.
  rewrite (below_ext _ (fun k => pascal n k * (x * x ^ k)) (fun k => x * (pascal n k * x ^ k))) by (intros; ring).
  rewrite below_scaled, IHn. simpl. ring.
Qed.

(** The chance of k wrong guesses of r that are right with probability E/(1 + E) each. *)
Definition errors (r : nat) (E : R) (k : nat) : R := pascal r k * E ^ (r - k) / (1 + E) ^ r.
Definition tail (r v : nat) (E : R) : R := below (S (r - v)) (errors r E).

Lemma pascal_mirrored n k : (k <= n)%nat -> pascal n (n - k) = pascal n k.
Proof.
  revert n. induction k; intros n L.
  - rewrite Nat.sub_0_r. destruct n; [reflexivity|].
    apply Rmult_eq_reg_l with (INR (S n)); [|apply not_0_INR; lia]. rewrite pascal_absorbed.
    assert (forall j, pascal j j = 1) as D.
    { induction j; [reflexivity|]. simpl. rewrite IHj, pascal_beyond by lia. ring. }
    rewrite D. simpl pascal. ring.
  - pose proof (pascal_next n k) as A. pose proof (pascal_next n (n - S k)) as B'.
    rewrite minus_INR in B' by lia. replace (S (n - S k)) with (n - k)%nat in B' by lia.
    rewrite minus_INR in B' by lia. rewrite IHk in B' by lia.
    assert (0 < INR (S k)) by (apply lt_0_INR; lia). apply Rmult_eq_reg_l with (INR (S k)); [|lra].
    rewrite <- A. rewrite <- B'. ring.
Qed.
Lemma errors_positive r E k : 0 < E -> (k <= r)%nat -> 0 < errors r E k.
Proof.
  intros H L. unfold errors. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply pascal_positive, L|]|]; apply pow_lt; lra.
Qed.
Lemma errors_next r E k : 0 < E -> (k < r)%nat ->
  (INR r - INR k) * errors r E k = E * INR (S k) * errors r E (S k).
Proof.
  intros HE H. unfold errors. replace (r - k)%nat with (S (r - S k)) by lia. simpl pow.
  transitivity ((INR r - INR k) * pascal r k * (E * E ^ (r - S k)) / (1 + E) ^ r).
  - field. apply pow_nonzero; lra.
  - rewrite pascal_next. field. apply pow_nonzero; lra.
Qed.
Lemma errors_total r E : 0 < E -> below (S r) (errors r E) = 1.
Proof.
  intros HE. rewrite below_reversed.
  rewrite (below_ext _ _ (fun k => / (1 + E) ^ r * (pascal r k * E ^ k))).
  - rewrite below_scaled, <- subsets_row, subsets_powers. field. apply pow_nonzero; lra.
  - intros k L. unfold errors. rewrite pascal_mirrored by lia. replace (r - (r - k))%nat with k by lia.
    unfold Rdiv. ring.
Qed.

Section Core.
Variables (r u : nat) (E : R) (w : nat -> R).
Hypothesis Hu : (u < r)%nat.
Hypothesis HE : 0 < E.
Hypothesis Hw : forall k, (k <= r)%nat -> 0 < w k.
(** the law of r - W, W ~ Bin(r, E/(1+E)), satisfies these two and is the only one that does *)
Hypothesis Hrec : forall k, (k < r)%nat -> (INR r - INR k) * w k = E * INR (S k) * w (S k).
Hypothesis Hone : below (S r) w = 1.

Let B k := below (S k) w.        (* P[at most k errors] *)
Let beta := B u.
(** dual variables: the price of one unit of s_k *)
Let g k := if (k <=? u)%nat then B k * (1 - beta) else beta * (1 - B k).
Definition price k := g k / ((INR r - INR k) * w k).

Lemma B_pos k : (k <= r)%nat -> 0 < B k.
Proof. intros H. unfold B; simpl. assert (0 <= below k w) by (apply below_nonneg; intros; left; apply Hw; lia). specialize (Hw k H). lra. Qed.
Lemma B_le1 k : (k <= r)%nat -> B k <= 1.
Proof. intros H. rewrite <- Hone. apply below_mono; [lia|]. intros; left; apply Hw; lia. Qed.
Lemma B_r : B r = 1. Proof. exact Hone. Qed.
Lemma gap k : (k < r)%nat -> 0 < INR r - INR k.
Proof. intros H. apply lt_INR in H. lra. Qed.

Lemma price_nonneg k : (k < r)%nat -> 0 <= price k.
Proof.
  intros H. unfold price, g.
  assert (P := B_pos k ltac:(lia)). assert (Q := B_le1 k ltac:(lia)).
  assert (P' := B_pos u ltac:(lia)). assert (Q' := B_le1 u ltac:(lia)).
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply gap; lia|apply Hw; lia]].
  unfold beta in *; destruct (k <=? u)%nat; apply Rmult_le_pos; lra.
Qed.

(** dual feasibility, with equality: 1[k<=u] = beta + (r-k) y_k - E k y_(k-1) *)
Lemma gprice k : (k < r)%nat -> (INR r - INR k) * price k = g k / w k.
Proof. intros H. unfold price. field. split; apply Rgt_not_eq; [apply Hw; lia|apply gap; lia]. Qed.
Lemma dual0 : (INR r - INR 0) * price 0 = 1 - beta.
Proof.
  rewrite gprice by lia. unfold g, B. simpl. field. apply Rgt_not_eq, Hw; lia.
Qed.
Lemma dualS k : (S k < r)%nat ->
  (INR r - INR (S k)) * price (S k) - E * INR (S k) * price k = (if (S k <=? u)%nat then 1 else 0) - beta.
Proof.
  intros H. rewrite gprice by lia.
  assert (W0 := Hw k ltac:(lia)). assert (W1 := Hw (S k) ltac:(lia)). assert (G := gap k ltac:(lia)).
  assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (X : E * INR (S k) * price k = g k / w (S k)).
  { unfold price. rewrite Hrec by lia. field. repeat split; apply Rgt_not_eq; assumption. }
  rewrite X. assert (BS : B (S k) = B k + w (S k)) by reflexivity.
  unfold g. destruct (Nat.leb_spec (S k) u), (Nat.leb_spec k u); try lia.
  - rewrite BS. field. lra.
  - assert (k = u) by lia; subst k. rewrite BS. fold beta. field. lra.
  - rewrite BS. field. lra.
Qed.
Lemma dualr : (0 < r)%nat -> - (E * INR r * price (r - 1)) = 0 - beta.
Proof.
  intros H. destruct r as [|n] eqn:Er; [lia|]. rewrite Nat.sub_succ, Nat.sub_0_r. rewrite <- Er in *.
  assert (W0 := Hw n ltac:(lia)). assert (W1 := Hw r ltac:(lia)).
  assert (X : E * INR r * price n = g n / w r).
  { unfold price. rewrite Hrec by lia. rewrite Er. field. rewrite Er in W1.
    repeat split; apply Rgt_not_eq; try assumption. apply lt_0_INR; lia. }
  rewrite X. assert (BS : B r = B n + w r) by (rewrite Er; reflexivity). rewrite B_r in BS.
  unfold g. destruct (Nat.leb_spec n u).
  - assert (n = u) by lia; subst n. fold beta in BS |- *. replace (w r) with (1 - beta) by lra. field. lra.
  - replace (1 - B n) with (w r) by lra. field. lra.
Qed.

(** the price is largest at k = u *)
Lemma price_up k : (S k <= u)%nat -> price k <= price (S k).
Proof.
  induction k; intros H.
  - assert (D := dual0). assert (D1 := dualS 0 ltac:(lia)). destruct (Nat.leb_spec 1 u); [|lia].
    assert (G := gap 1 ltac:(lia)). assert (P := price_nonneg 0 ltac:(lia)).
    assert (0 <= E * INR 1 * price 0) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pos_INR]|exact P]).
    rewrite S_INR in *. simpl INR in *. apply Rmult_le_reg_l with (INR r - (0 + 1)); nra.
  - assert (I := IHk ltac:(lia)).
    assert (D := dualS k ltac:(lia)). assert (D1 := dualS (S k) ltac:(lia)).
    destruct (Nat.leb_spec (S k) u); [|lia]. destruct (Nat.leb_spec (S (S k)) u); [|lia].
    assert (G := gap (S (S k)) ltac:(lia)). assert (P := price_nonneg (S k) ltac:(lia)).
    assert (K := pos_INR k).
    assert (I' : E * (INR k + 1) * price k <= E * (INR k + 1) * price (S k)) by (apply Rmult_le_compat_l; nra).
    assert (0 <= E * price (S k)) by nra.
    rewrite !S_INR in *. apply Rmult_le_reg_l with (INR r - (INR k + 1 + 1)); nra.
Qed.
Lemma price_down d : forall k, (k + d = r - 2)%nat -> (u <= k)%nat -> (S k < r)%nat -> price (S k) <= price k.
Proof.
  induction d; intros k Hd H1 H2.
  - assert (r = S (S k)) by lia. assert (D := dualS k ltac:(lia)). assert (D1 := dualr ltac:(lia)).
    destruct (Nat.leb_spec (S k) u); [lia|]. replace (r - 1)%nat with (S k) in D1 by lia.
    assert (P := price_nonneg (S k) ltac:(lia)). assert (G := gap (S k) ltac:(lia)).
    assert (INR r = INR (S k) + 1) by (rewrite H, S_INR; ring).
    assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
    apply Rmult_le_reg_l with (E * INR (S k)); [nra|].
    assert (0 <= E * price (S k)) by nra. nra.
  - assert (I := IHd (S k) ltac:(lia) ltac:(lia) ltac:(lia)).
    assert (D := dualS k ltac:(lia)). assert (D1 := dualS (S k) ltac:(lia)).
    destruct (Nat.leb_spec (S k) u); [lia|]. destruct (Nat.leb_spec (S (S k)) u); [lia|].
    assert (P := price_nonneg (S k) ltac:(lia)). assert (P2 := price_nonneg (S (S k)) ltac:(lia)).
    assert (G := gap (S (S k)) ltac:(lia)). assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
    rewrite (S_INR (S k)) in *.
    apply Rmult_le_reg_l with (E * INR (S k)); [nra|].
    assert (0 <= E * price (S k)) by nra.
    assert ((INR r - (INR (S k) + 1)) * price (S (S k)) <= (INR r - (INR (S k) + 1)) * price (S k)) by (apply Rmult_le_compat_l; lra).
    nra.
Qed.
Lemma price_max k : (k < r)%nat -> price k <= price u.
Proof.
  intros H. destruct (le_lt_dec k u) as [L|L].
  - assert (forall d j, (j + d = u)%nat -> price j <= price u) as X.
    { induction d; intros j Hj; [replace j with u by lia; lra|].
      assert (price j <= price (S j)) by (apply price_up; lia). specialize (IHd (S j) ltac:(lia)). lra. }
    apply (X (u - k)%nat). lia.
  - assert (forall d j, (j = u + d)%nat -> (j < r)%nat -> price j <= price u) as X.
    { induction d; intros j Hj Hr; [replace j with u by lia; lra|].
      specialize (IHd (u + d)%nat eq_refl ltac:(lia)). assert (price (S (u + d)) <= price (u + d)) by (apply (price_down (r - 2 - (u + d))); lia).
      replace j with (S (u + d)) by lia. lra. }
    apply (X (k - u)%nat); lia.
Qed.
Lemma price_u : price u = beta * (1 - beta) / ((INR r - INR u) * w u).
Proof. unfold price, g. rewrite Nat.leb_refl. reflexivity. Qed.

(** summation by parts *)
Lemma parts (p : nat -> R) n : (n < r)%nat ->
  below (S n) (fun k => (if (k <=? u)%nat then 1 else 0) * p k)
  = beta * below (S n) p + (INR r - INR n) * price n * p n + below n (fun k => price k * ((INR r - INR k) * p k - E * INR (S k) * p (S k))).
Proof.
  induction n; intros H.
  - simpl below. rewrite dual0. simpl. ring.
  - change (below (S (S n)) ?f) with (below (S n) f + f (S n)). cbv beta. rewrite IHn by lia.
    change (below (S n) (fun k => price k * _)) with (below n (fun k => price k * ((INR r - INR k) * p k - E * INR (S k) * p (S k))) + price n * ((INR r - INR n) * p n - E * INR (S n) * p (S n))) at 1.
    assert (D := dualS n H).
    assert (X : (if (S n <=? u)%nat then 1 else 0) = beta + ((INR r - INR (S n)) * price (S n) - E * INR (S n) * price n)) by lra.
    rewrite X. change (below (S (S n)) p) with (below (S n) p + p (S n)). ring.
Qed.
Lemma parts_all (p : nat -> R) :
  below (S u) p = beta * below (S r) p + below r (fun k => price k * ((INR r - INR k) * p k - E * INR (S k) * p (S k))).
Proof.
  rewrite <- (below_cut (S r)) by lia.
  rewrite (below_ext _ _ (fun k => (if (k <=? u)%nat then 1 else 0) * p k)) by (intros; destruct (_ <=? _)%nat; ring).
  change (below (S r) (fun k => (if (k <=? u)%nat then 1 else 0) * p k)) with (below r (fun k => (if (k <=? u)%nat then 1 else 0) * p k) + (if (r <=? u)%nat then 1 else 0) * p r).
  destruct (Nat.leb_spec r u); [lia|].
  assert (D := dualr ltac:(lia)). set (n := (r - 1)%nat) in *. assert (Er : r = S n) by lia.
  assert (I : INR r = INR (S n)) by (rewrite Er; reflexivity).
  assert (P := parts p n ltac:(lia)). rewrite <- Er in P. rewrite P.
  set (h := fun k => price k * ((INR r - INR k) * p k - E * INR (S k) * p (S k))) in *.
  assert (Q : below r h = below n h + h n) by (rewrite Er at 1; reflexivity).
  rewrite Q. change (below (S r) p) with (below r p + p r).
  assert (V : h n = price n * ((INR r - INR n) * p n - E * INR r * p r)) by (unfold h; rewrite I, <- Er; reflexivity).
  assert (K : beta * p r = E * INR r * price n * p r) by (replace beta with (E * INR r * price n) by lra; ring).
  rewrite V, Rmult_plus_distr_l, K. ring.
Qed.

(** the sharp one-run bound, its combinatorial core *)
Theorem core (p s : nat -> R) (M : R) :
  (forall k, (k < r)%nat -> 0 <= s k) ->
  (forall k, (k < r)%nat -> (INR r - INR k) * p k <= E * INR (S k) * p (S k) + s k) ->
  below (S r) p = 1 -> below r s <= M ->
  below (S u) p <= beta + M * (beta * (1 - beta) / ((INR r - INR u) * w u)).
Proof.
  intros Hs Hp H1 HM. rewrite parts_all, H1, Rmult_1_r. apply Rplus_le_compat_l.
  rewrite <- price_u. assert (Pu := price_nonneg u Hu).
  apply Rle_trans with (below r (fun k => price u * s k)).
  - apply below_le; intros k Hk. assert (P := price_nonneg k Hk). assert (Q := price_max k Hk).
    specialize (Hp k Hk). specialize (Hs k Hk).
    apply Rle_trans with (price k * s k); [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_r; lra].
  - rewrite below_scaled, (Rmult_comm M). apply Rmult_le_compat_l; lra.
Qed.
End Core.


(** The bound, of r guesses of which v are right, and what privacy loses in all, M. *)
Definition sharp (M : R) (r v : nat) (E : R) : R :=
  tail r v E + M * (tail r v E * (1 - tail r v E) / (INR v * errors r E (r - v))).

Theorem sharp_bound r v E (p s : nat -> R) (M : R) : (0 < v <= r)%nat -> 0 < E ->
  (forall k, (k < r)%nat -> 0 <= s k) ->
  (forall k, (k < r)%nat -> (INR r - INR k) * p k <= E * INR (S k) * p (S k) + s k) ->
  below (S r) p = 1 -> below r s <= M -> below (S (r - v)) p <= sharp M r v E.
Proof.
  intros Hv HE Hs Hp H1 HM.
  unfold sharp. replace (INR v) with (INR r - INR (r - v)) by (rewrite minus_INR by lia; ring).
  apply (core r (r - v) E (errors r E)) with (s := s); try assumption; try lia.
  - intros; apply errors_positive; auto.
  - intros; apply errors_next; assumption.
  - apply errors_total, HE.
Qed.
