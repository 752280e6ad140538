(** Trainings on canaries: from the definition of privacy to the bound on right guesses, and a training
    that attains it.

    World s of 2^m has canary i where bit i of s is set.  The guesses made from output t are that
    canary i is in ([into t i]) or out ([outof t i]), never both. *)
Require Import Reals Psatz Lia Arith Bool.
From dpaudit Require Import Words Guesses.
Open Scope R_scope.

(** Bits, and the world that differs in one canary. *)
Definition bit (s i : nat) : bool := Nat.testbit s i.
Definition flip (s i : nat) : nat := Nat.lxor s (2 ^ i).
Lemma bit_power i j : Nat.testbit (2 ^ i) j = (i =? j)%nat.
Proof. rewrite Nat.pow2_bits_eqb. reflexivity. Qed.
Lemma bit_flip s i j : bit (flip s i) j = xorb (bit s j) (i =? j)%nat.
Proof. unfold bit, flip. rewrite Nat.lxor_spec, bit_power. reflexivity. Qed.
Lemma flip_flip s i : flip (flip s i) i = s.
Proof. unfold flip. rewrite Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_r. reflexivity. Qed.
Lemma bounded_by_bits s m : (forall j, (m <= j)%nat -> Nat.testbit s j = false) -> (s < 2 ^ m)%nat.
Proof.
  intros H. assert (s mod 2 ^ m = s)%nat as <-.
  { apply Nat.bits_inj. intros j. destruct (Nat.lt_ge_cases j m) as [L|L].
    - apply Nat.mod_pow2_bits_low, L.
    - rewrite Nat.mod_pow2_bits_high, H by exact L. reflexivity. }
  apply Nat.mod_upper_bound, Nat.pow_nonzero. lia.
Qed.
Lemma bits_beyond s m j : (s < 2 ^ m)%nat -> (m <= j)%nat -> Nat.testbit s j = false.
Proof.
  intros B L. rewrite <- (Nat.mod_small s (2 ^ m) B). apply Nat.mod_pow2_bits_high, L.
Qed.
Lemma flip_bounded s m i : (i < m)%nat -> (s < 2 ^ m)%nat -> (flip s i < 2 ^ m)%nat.
Proof.
  intros I B. apply bounded_by_bits. intros j J. unfold flip.
  rewrite Nat.lxor_spec, bit_power, (bits_beyond s m) by auto. destruct (Nat.eqb_spec i j); [lia|reflexivity].
Qed.

Section Training.
Variables (m r n : nat) (E d : R) (into outof : nat -> nat -> bool) (chance : nat -> nat -> R).
Notation worlds := (2 ^ m)%nat.
Hypothesis positive : 0 < E.
Hypothesis apart : forall t i, into t i = true -> outof t i = false.
Hypothesis nonneg : forall s t, (s < worlds)%nat -> (t < n)%nat -> 0 <= chance s t.
Hypothesis total : forall s, (s < worlds)%nat -> below n (chance s) = 1.
Hypothesis private : forall s i, (s < worlds)%nat -> (i < m)%nat ->
  below n (fun t => Rmax 0 (chance s t - E * chance (flip s i) t)) <= d.

Definition right (s t i : nat) : bool := if bit s i then into t i else outof t i.
Definition wrong (s t i : nat) : bool := if bit s i then outof t i else into t i.
Notation rights s t := (number m (right s t)).
Notation wrongs s t := (number m (wrong s t)).
Hypothesis guesses : forall s t, (s < worlds)%nat -> (t < n)%nat -> (rights s t + wrongs s t <= r)%nat.
Notation missed s t := (r - rights s t)%nat.

Lemma right_flip s t i : right (flip s i) t i = wrong s t i.
Proof. unfold right, wrong. rewrite bit_flip, Nat.eqb_refl. destruct (bit s i); reflexivity. Qed.
Lemma right_other s t i j : j <> i -> right (flip s i) t j = right s t j.
Proof.
  intros N. unfold right. rewrite bit_flip. destruct (Nat.eqb_spec i j); [congruence|].
  rewrite xorb_false_r. reflexivity.
Qed.
Lemma not_both s t i : wrong s t i = true -> right s t i = false.
Proof.
  unfold right, wrong. destruct (bit s i); [|apply apart].
  intros O. destruct (into t i) eqn:Q; [|reflexivity]. rewrite (apart t i Q) in O. discriminate.
Qed.
Lemma rights_flip s t i : (i < m)%nat -> wrong s t i = true -> rights (flip s i) t = S (rights s t).
Proof.
  intros I W. apply number_more with (i := i); [exact I|apply not_both, W|rewrite right_flip; exact W|].
  intros k _ N. symmetry. apply right_other, N.
Qed.
Lemma missed_flip s t i : (s < worlds)%nat -> (t < n)%nat -> (i < m)%nat -> wrong s t i = true ->
  missed s t = S (missed (flip s i) t).
Proof.
  intros S' T I W. pose proof (guesses (flip s i) t (flip_bounded s m i I S') T) as G.
  rewrite (rights_flip s t i I W) in *. lia.
Qed.

Notation N := (INR worlds).
Lemma worlds_positive : 0 < N.
Proof. apply lt_0_INR. assert (worlds <> 0)%nat by (apply Nat.pow_nonzero; lia). lia. Qed.

(** The sum over worlds and outputs with k errors. *)
Definition over (k : nat) (f : nat -> nat -> R) : R :=
  below worlds (fun s => below n (fun t => when (missed s t =? k)%nat (f s t))).
Definition law (k : nat) : R := / N * over k chance.
Definition loss (s t i : nat) : R := Rmax 0 (chance s t - E * chance (flip s i) t).
Definition spent (k : nat) : R :=
  / N * over k (fun s t => below m (fun i => when (right s t i) (loss s t i))).

Lemma when_le b x y : (b = true -> x <= y) -> when b x <= when b y.
Proof. destruct b; simpl; intros H; [auto|lra]. Qed.
Lemma when_nonneg b x : (b = true -> 0 <= x) -> 0 <= when b x.
Proof. destruct b; simpl; intros H; [auto|lra]. Qed.
Lemma over_le k f g : (forall s t, (s < worlds)%nat -> (t < n)%nat -> missed s t = k -> f s t <= g s t) ->
  over k f <= over k g.
Proof.
  intros H. apply below_le. intros s S'. apply below_le. intros t T. apply when_le.
  intros K. apply Nat.eqb_eq in K. auto.
Qed.
Lemma when_mul b c x : when b (c * x) = c * when b x.
Proof. destruct b; simpl; ring. Qed.
Lemma when_below b k f : when b (below k f) = below k (fun i => when b (f i)).
Proof. destruct b; simpl; [reflexivity|]. symmetry. apply below_zero. reflexivity. Qed.
Lemma over_scaled k c f : over k (fun s t => c * f s t) = c * over k f.
Proof.
  unfold over. rewrite <- below_scaled. apply below_ext. intros s _. rewrite <- below_scaled.
  apply below_ext. intros t _. apply when_mul.
Qed.
Lemma inverse_worlds : 0 < / N.
Proof. apply Rinv_0_lt_compat, worlds_positive. Qed.
Lemma loss_nonneg s t i : 0 <= loss s t i.
Proof. apply Rmax_l. Qed.
Lemma spent_nonneg k : 0 <= spent k.
Proof.
  apply Rmult_le_pos; [left; apply inverse_worlds|]. apply below_nonneg. intros s _.
  apply below_nonneg. intros t _. apply when_nonneg. intros _. apply below_nonneg. intros i _.
  apply when_nonneg. intros _. apply loss_nonneg.
Qed.

Lemma counted_right k :
  over k (fun s t => below m (fun i => when (right s t i) (chance s t))) = (INR r - INR k) * (N * law k).
Proof.
  unfold law. replace ((INR r - INR k) * (N * (/ N * over k chance))) with ((INR r - INR k) * over k chance)
    by (field; apply Rgt_not_eq, worlds_positive).
  rewrite <- over_scaled. unfold over. apply below_ext. intros s S'. apply below_ext. intros t T.
  destruct (Nat.eqb_spec (missed s t) k) as [K|_]; [|reflexivity]. simpl. rewrite number_sum. f_equal.
  pose proof (guesses s t S' T). rewrite <- K, minus_INR by lia. lra.
Qed.

(** Where the world is flipped a wrong guess becomes right, and a right one wrong. *)
Lemma counted_wrong k :
  over k (fun s t => below m (fun i => when (right s t i) (chance (flip s i) t))) <= INR (S k) * (N * law (S k)).
Proof.
  apply Rle_trans with (over (S k) (fun s t => below m (fun i => when (wrong s t i) (chance s t)))).
  - apply Req_le. unfold over.
    transitivity (below m (fun i => below n (fun t => below worlds (fun s =>
      when (missed s t =? k)%nat (when (right s t i) (chance (flip s i) t)))))).
    { rewrite below_exchange. rewrite (below_exchange m n). apply below_ext. intros t _.
      rewrite below_exchange. apply below_ext. intros s _. apply when_below. }
    transitivity (below m (fun i => below n (fun t => below worlds (fun s =>
      when (missed s t =? S k)%nat (when (wrong s t i) (chance s t)))))).
    + apply below_ext. intros i I. apply below_ext. intros t T.
      rewrite <- (below_reindexed worlds (fun s => when (missed s t =? k)%nat (when (right s t i) (chance (flip s i) t)))
        (fun s => flip s i)) by (intros; first [apply flip_flip | apply flip_bounded; auto]).
      apply below_ext. intros s S'. rewrite right_flip, flip_flip.
      destruct (wrong s t i) eqn:W; [|unfold when; do 2 destruct (_ =? _)%nat; reflexivity].
      rewrite (missed_flip s t i S' T I W). reflexivity.
    + symmetry. rewrite below_exchange. rewrite (below_exchange m n). apply below_ext. intros t _.
      rewrite below_exchange. apply below_ext. intros s _. apply when_below.
  - unfold law. replace (INR (S k) * (N * (/ N * over (S k) chance))) with (INR (S k) * over (S k) chance)
      by (field; apply Rgt_not_eq, worlds_positive).
    rewrite <- over_scaled. apply over_le. intros s t S' T K. rewrite number_sum, <- K.
    apply Rmult_le_compat_r; [apply nonneg; auto|]. apply le_INR. pose proof (guesses s t S' T). lia.
Qed.

Lemma step k : (INR r - INR k) * law k <= E * INR (S k) * law (S k) + spent k.
Proof.
  apply Rmult_le_reg_l with N; [apply worlds_positive|].
  pose proof (counted_right k) as A. pose proof (counted_wrong k) as C.
  apply (Rmult_le_compat_l E) in C; [|lra].
  assert (N * spent k = over k (fun s t => below m (fun i => when (right s t i) (loss s t i)))) as D.
  { unfold spent. field. apply Rgt_not_eq, worlds_positive. }
  assert (over k (fun s t => below m (fun i => when (right s t i) (chance s t)))
    <= E * over k (fun s t => below m (fun i => when (right s t i) (chance (flip s i) t)))
       + over k (fun s t => below m (fun i => when (right s t i) (loss s t i)))) as B'.
  { rewrite <- over_scaled. unfold over. rewrite <- below_plus. apply below_le. intros s _.
    rewrite <- below_plus. apply below_le. intros t _.
    destruct (missed s t =? k)%nat; simpl; [|lra]. rewrite <- below_scaled, <- below_plus.
    apply below_le. intros i _. pose proof (Rmax_r 0 (chance s t - E * chance (flip s i) t)) as H.
    fold (loss s t i) in H. destruct (right s t i); simpl; lra. }
  rewrite A in B'. rewrite <- D in B'. nra.
Qed.

(** The chance of fewer than j errors, added up. *)
Lemma added_over j f : below j (fun k => / N * over k f) =
  / N * below worlds (fun s => below n (fun t => when (missed s t <? j)%nat (f s t))).
Proof.
  rewrite below_scaled. f_equal. unfold over. rewrite below_exchange. apply below_ext. intros s _.
  rewrite below_exchange. apply below_ext. intros t _. apply below_at.
Qed.

Lemma law_total : below (S r) law = 1.
Proof.
  unfold law. rewrite added_over.
  rewrite (below_ext worlds _ (fun _ => 1)).
  - rewrite below_constant. field. apply Rgt_not_eq, worlds_positive.
  - intros s S'. rewrite <- (total s S'). apply below_ext. intros t _.
    destruct (Nat.ltb_spec (missed s t) (S r)); [reflexivity|lia].
Qed.

Lemma spent_total : below r spent <= INR m * d.
Proof.
  unfold spent. rewrite added_over.
  replace (INR m * d) with (/ N * (N * (INR m * d))) by (field; apply Rgt_not_eq, worlds_positive).
  apply Rmult_le_compat_l; [left; apply inverse_worlds|]. rewrite <- below_constant. apply below_le. intros s S'.
  apply Rle_trans with (below n (fun t => below m (fun i => when (right s t i) (loss s t i)))).
  - apply below_le. intros t _. set (x := below m _).
    assert (0 <= x) by (apply below_nonneg; intros; apply when_nonneg; intros; apply loss_nonneg).
    destruct (_ <? _)%nat; simpl; lra.
  - rewrite below_exchange, <- below_constant. apply below_le. intros i I.
    apply Rle_trans with (2 := private s i S' I). apply below_le. intros t _. fold (loss s t i).
    pose proof (loss_nonneg s t i). destruct (right s t i); simpl; lra.
Qed.

Theorem one_run v : (0 < v <= r)%nat ->
  / N * below worlds (fun s => below n (fun t => when (v <=? rights s t)%nat (chance s t))) <= sharp (INR m * d) r v E.
Proof.
  intros V. replace (/ N * below worlds _) with (below (S (r - v)) law).
  - apply sharp_bound with (s := spent); auto.
    + intros k _. apply spent_nonneg.
    + intros k _. apply step.
    + apply law_total.
    + apply spent_total.
  - unfold law. rewrite added_over. f_equal. apply below_ext. intros s S'. apply below_ext. intros t T.
    pose proof (guesses s t S' T). f_equal.
    destruct (Nat.ltb_spec (missed s t) (S (r - v))), (Nat.leb_spec v (rights s t)); try reflexivity; lia.
Qed.
End Training.

(** The training that attains the bound.  Its output t, below 3^m, is a guess about every canary: digit i
    in base 3 is 0 for out, 1 for in, 2 for none. *)
Definition trit (t i : nat) : nat := ((t / 3 ^ i) mod 3)%nat.
Definition made (m t : nat) : nat := number m (fun i => (trit t i <? 2)%nat).
Definition hits (b : nat -> nat) (m t : nat) : nat := number m (fun i => (trit t i =? b i)%nat).

Lemma power3 m : (3 ^ m <> 0)%nat.
Proof. apply Nat.pow_nonzero. lia. Qed.
Lemma trit_lower m t c i : (i < m)%nat -> trit (3 ^ m * c + t) i = trit t i.
Proof.
  intros I. unfold trit. replace (3 ^ m * c + t)%nat with (t + c * 3 ^ (m - S i) * 3 * 3 ^ i)%nat.
  - rewrite Nat.div_add by apply power3. rewrite Nat.mod_add by lia. reflexivity.
  - replace m with (i + S (m - S i))%nat at 2 by lia. rewrite Nat.pow_add_r. simpl (3 ^ S _)%nat. ring.
Qed.
Lemma trit_top m t c : (t < 3 ^ m)%nat -> (c < 3)%nat -> trit (3 ^ m * c + t) m = c.
Proof.
  intros T C. unfold trit. rewrite Nat.mul_comm, Nat.add_comm, Nat.div_add by apply power3.
  rewrite Nat.div_small by exact T. apply Nat.mod_small. exact C.
Qed.
Lemma thirds m f : below (3 ^ S m) f =
  below (3 ^ m) (fun t => f (3 ^ m * 0 + t)%nat + f (3 ^ m * 1 + t)%nat + f (3 ^ m * 2 + t)%nat).
Proof.
  replace (3 ^ S m)%nat with (3 ^ m + 3 ^ m + 3 ^ m)%nat by (simpl; lia). rewrite !below_split, <- !below_plus.
  apply below_ext. intros t _. f_equal; [f_equal|]; f_equal; lia.
Qed.

(** Sums over all outputs of what depends on how many guesses are made, and how many of them are right. *)
Fixpoint outputs (m : nat) (f : nat -> nat -> R) : R :=
  match m with
  | O => f O O
  | S j => outputs j (fun g h => f (S g) (S h)) + outputs j (fun g h => f (S g) h) + outputs j f
  end.

Section Vectors.
Variable b : nat -> nat.
Hypothesis bits : forall i, (b i < 2)%nat.
Lemma made_next m t c : (t < 3 ^ m)%nat -> (c < 3)%nat ->
  made (S m) (3 ^ m * c + t) = (made m t + if (c <? 2)%nat then 1 else 0)%nat.
Proof.
  intros T C. unfold made. simpl number. rewrite (trit_top m t c T C). f_equal.
  apply number_ext. intros k K. rewrite trit_lower by exact K. reflexivity.
Qed.
Lemma hits_next m t c : (t < 3 ^ m)%nat -> (c < 3)%nat ->
  hits b (S m) (3 ^ m * c + t) = (hits b m t + if (c =? b m)%nat then 1 else 0)%nat.
Proof.
  intros T C. unfold hits. simpl number. rewrite (trit_top m t c T C). f_equal.
  apply number_ext. intros k K. rewrite trit_lower by exact K. reflexivity.
Qed.
Lemma all_outputs m f : below (3 ^ m) (fun t => f (made m t) (hits b m t)) = outputs m f.
Proof.
  revert f. induction m; intros f; [unfold made, hits; simpl; ring|]. rewrite thirds. simpl outputs. rewrite <- !IHm, <- !below_plus.
  apply below_ext. intros t T. rewrite !made_next, !hits_next by (auto; lia). pose proof (bits m) as B'.
  destruct (b m) as [|[|k]]; [| |lia]; simpl; rewrite ?Nat.add_0_r, ?Nat.add_1_r; ring.
Qed.

(** Those whose guess about canary i is right. *)
Lemma right_outputs m i f : (i <= m)%nat ->
  below (3 ^ S m) (fun t => when (trit t i =? b i)%nat (f (made (S m) t) (hits b (S m) t)))
  = outputs m (fun g h => f (S g) (S h)).
Proof.
  revert f. induction m; intros f I; rewrite thirds.
  - assert (i = 0)%nat by lia. subst i. unfold made, hits, trit. simpl. pose proof (bits 0) as B'.
    destruct (b 0%nat) as [|[|k]]; [| |lia]; simpl; ring.
  - destruct (Nat.eq_dec i (S m)) as [->|N].
    + rewrite <- all_outputs. apply below_ext. intros t T. rewrite !trit_top, !made_next, !hits_next by (auto; lia).
      pose proof (bits (S m)) as B'.
      destruct (b (S m)) as [|[|k]]; [| |lia]; simpl; rewrite ?Nat.add_0_r, ?Nat.add_1_r; ring.
    + change (outputs (S m) ?f) with (outputs m (fun g h => f (S g) (S h)) + outputs m (fun g h => f (S g) h) + outputs m f).
      cbv beta. rewrite <- (IHm (fun g h => f (S g) (S h))), <- (IHm (fun g h => f (S g) h)), <- (IHm f) by lia.
      rewrite <- !below_plus. apply below_ext. intros t T. rewrite !trit_lower by lia.
      rewrite !made_next, !hits_next by (auto; lia). pose proof (bits (S m)) as B'.
      destruct (trit t i =? b i)%nat; simpl when; [|ring].
      destruct (b (S m)) as [|[|k]]; [| |lia]; simpl; rewrite ?Nat.add_0_r, ?Nat.add_1_r; ring.
Qed.
End Vectors.

Lemma outputs_ext m f g : (forall x y, f x y = g x y) -> outputs m f = outputs m g.
Proof. revert f g. induction m; simpl; intros f g H; [apply H|]. f_equal; [f_equal|]; apply IHm; auto. Qed.
Lemma outputs_zero m : outputs m (fun _ _ => 0) = 0.
Proof. induction m; simpl; lra. Qed.

(** With exactly r guesses made. *)
Lemma outputs_of m r f : outputs m (fun g h => when (g =? r)%nat (f h)) = pascal m r * subsets r f.
Proof.
  revert r f. induction m; intros r f; [destruct r; simpl; ring|].
  destruct r as [|r].
  - change (outputs (S m) (fun g h => when (g =? 0)%nat (f h))) with
      (outputs m (fun _ _ => 0) + outputs m (fun _ _ => 0) + outputs m (fun g h => when (g =? 0)%nat (f h))).
    rewrite outputs_zero, (IHm 0%nat). destruct m; simpl; ring.
  - change (outputs (S m) (fun g h => when (g =? S r)%nat (f h))) with
      (outputs m (fun g h => when (g =? r)%nat (f (S h))) + outputs m (fun g h => when (g =? r)%nat (f h))
       + outputs m (fun g h => when (g =? S r)%nat (f h))).
    rewrite !IHm. simpl. ring.
Qed.

(** The chance of a right guess or more, by how many are right. *)
Definition odds (r v : nat) (E : R) : R := subsets r (fun h => when (v <=? h)%nat (E ^ h)) / (1 + E) ^ r.
Lemma tail_odds r v E : (v <= r)%nat -> tail r v E = odds r v E.
Proof.
  intros V. unfold odds, tail. rewrite subsets_row, (below_reversed r). rewrite <- (below_cut (S r)) by lia.
  unfold Rdiv. rewrite (Rmult_comm _ (/ _)), <- below_scaled. apply below_ext. intros k K. unfold errors.
  rewrite pascal_mirrored by lia.
  destruct (Nat.leb_spec k (r - v)), (Nat.leb_spec v (r - k)); try lia; simpl; unfold Rdiv; ring.
Qed.

Section Tight.
Variables (m r v : nat) (E d M : R).
Hypothesis sizes : (0 < v <= r)%nat.
Hypothesis within : (r <= m)%nat.
Hypothesis least : 1 <= E.
Hypothesis mass : 0 <= M <= INR m * d.
Notation beta := (odds r v E).
Notation point := (INR v * (pascal r v * E ^ v)).
Hypothesis fits : M * beta * (1 + E) ^ r <= point.
Definition excess : R := M * (1 + E) ^ r / (INR v * (pascal r v * E ^ v)).
(** The chance of an output with r guesses, h of them right. *)
Definition tight (h : nat) : R :=
  E ^ h * (1 + excess * (when (v <=? h)%nat 1 - beta)) / ((1 + E) ^ r * pascal m r).

Lemma point_positive : 0 < point.
Proof.
  apply Rmult_lt_0_compat; [apply lt_0_INR; lia|]. apply Rmult_lt_0_compat; [apply pascal_positive; lia|apply pow_lt; lra].
Qed.
Lemma scale_positive : 0 < (1 + E) ^ r * pascal m r.
Proof. apply Rmult_lt_0_compat; [apply pow_lt; lra|apply pascal_positive, within]. Qed.
Lemma power_positive : 0 < (1 + E) ^ r.
Proof. apply pow_lt; lra. Qed.
Lemma excess_nonneg : 0 <= excess.
Proof.
  apply Rmult_le_pos; [apply Rmult_le_pos; [lra|left; apply power_positive]|].
  left. apply Rinv_0_lt_compat, point_positive.
Qed.
Lemma excess_fits : excess * beta <= 1.
Proof.
  pose proof point_positive as P. apply Rmult_le_reg_r with point; [exact P|].
  replace (excess * beta * point) with (M * beta * (1 + E) ^ r); [lra|]. unfold excess. field.
  repeat split; apply Rgt_not_eq; try (apply pow_lt; lra); try (apply pascal_positive; lia).
  apply lt_0_INR; lia.
Qed.
Lemma factor_nonneg h : 0 <= 1 + excess * (when (v <=? h)%nat 1 - beta).
Proof. pose proof excess_nonneg. pose proof excess_fits. destruct (_ <=? _)%nat; simpl; lra. Qed.
Lemma tight_nonneg h : 0 <= tight h.
Proof.
  apply Rmult_le_pos; [apply Rmult_le_pos; [left; apply pow_lt; lra|apply factor_nonneg]|].
  left. apply Rinv_0_lt_compat, scale_positive.
Qed.
(** What is right costs no more than E times what is wrong, but at v right guesses. *)
Lemma tight_up h : tight (S h) - E * tight h = when (v =? S h)%nat (E ^ v * excess / ((1 + E) ^ r * pascal m r)).
Proof.
  pose proof scale_positive. unfold tight. change (E ^ S h) with (E * E ^ h).
  destruct (Nat.eqb_spec v (S h)) as [Q|N], (Nat.leb_spec v (S h)), (Nat.leb_spec v h); try lia; cbn [when].
  - replace (E ^ v) with (E * E ^ h) by (rewrite Q; reflexivity). field.
    split; apply Rgt_not_eq; [apply pascal_positive; lia|apply power_positive].
  - unfold Rdiv; ring.
  - unfold Rdiv; ring.
Qed.
Lemma tight_down h : tight h - E * tight (S h) <= 0.
Proof.
  pose proof scale_positive as P. pose proof excess_nonneg as X. pose proof (factor_nonneg h) as Q.
  assert (tight h <= E * tight (S h)); [|lra]. unfold tight. simpl pow.
  replace (E * (E * E ^ h * (1 + excess * (when (v <=? S h)%nat 1 - beta)) / ((1 + E) ^ r * pascal m r)))
    with (E ^ h * (E * E * (1 + excess * (when (v <=? S h)%nat 1 - beta))) / ((1 + E) ^ r * pascal m r)) by (unfold Rdiv; ring).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P|]. apply Rmult_le_compat_l; [left; apply pow_lt; lra|].
  assert (1 + excess * (when (v <=? h)%nat 1 - beta) <= 1 + excess * (when (v <=? S h)%nat 1 - beta)) as L.
  { destruct (Nat.leb_spec v h), (Nat.leb_spec v (S h)); try lia; simpl; nra. }
  apply Rle_trans with (1 := L). assert (1 <= E * E) by nra.
  assert (0 <= 1 + excess * (when (v <=? S h)%nat 1 - beta)) by lra. nra.
Qed.
Lemma tight_level h : tight h - E * tight h <= 0.
Proof. pose proof (tight_nonneg h). nra. Qed.

Lemma tight_sum (p : nat -> bool) : pascal m r * subsets r (fun h => when (p h) (tight h)) =
  (subsets r (fun h => when (p h) (E ^ h)) * (1 - excess * beta)
   + excess * subsets r (fun h => when (p h) (when (v <=? h)%nat (E ^ h)))) / (1 + E) ^ r.
Proof.
  rewrite !subsets_row. rewrite (Rmult_comm _ (1 - _)), <- !below_scaled, <- below_plus. unfold Rdiv.
  rewrite (Rmult_comm _ (/ _)), <- below_scaled. apply below_ext. intros h _. unfold tight.
  pose proof (pascal_positive m r within). pose proof power_positive.
  destruct (p h), (v <=? h)%nat; simpl; field; repeat split; lra.
Qed.
Lemma tight_total : pascal m r * subsets r tight = 1.
Proof.
  rewrite (subsets_ext r tight (fun h => when true (tight h))) by reflexivity. rewrite tight_sum. simpl when.
  rewrite subsets_powers.
  assert (subsets r (fun h => when (v <=? h)%nat (E ^ h)) = beta * (1 + E) ^ r) as ->
    by (unfold odds; field; apply Rgt_not_eq, power_positive).
  field. apply Rgt_not_eq, power_positive.
Qed.
Lemma tight_right : pascal m r * subsets r (fun h => when (v <=? h)%nat (tight h)) =
  beta + M * beta * (1 - beta) * (1 + E) ^ r / point.
Proof.
  rewrite tight_sum. rewrite (subsets_ext r (fun h => when _ (when _ _)) (fun h => when (v <=? h)%nat (E ^ h)))
    by (intros k _; destruct (_ <=? _)%nat; reflexivity).
  assert (subsets r (fun h => when (v <=? h)%nat (E ^ h)) = beta * (1 + E) ^ r) as ->
    by (unfold odds; field; apply Rgt_not_eq, power_positive).
  pose proof point_positive. unfold excess. field.
  pose proof power_positive. repeat split; try lra.
  - apply Rgt_not_eq, pow_lt; lra.
  - apply Rgt_not_eq, pascal_positive; lia.
  - apply not_0_INR; lia.
Qed.
(** What one canary loses is M/m. *)
Lemma tight_loss : pascal (m - 1) (r - 1) * subsets (r - 1) (fun h => Rmax 0 (tight (S h) - E * tight h)) <= d.
Proof.
  pose proof scale_positive as P. pose proof excess_nonneg as X.
  set (c := E ^ v * excess / ((1 + E) ^ r * pascal m r)).
  assert (0 <= c) as C.
  { apply Rmult_le_pos; [apply Rmult_le_pos; [left; apply pow_lt; lra|exact X]|left; apply Rinv_0_lt_compat, P]. }
  rewrite (subsets_ext (r - 1) _ (fun h => when (v - 1 =? h)%nat c)).
  2: { intros h _. rewrite tight_up. fold c.
       destruct (Nat.eqb_spec v (S h)), (Nat.eqb_spec (v - 1) h); try lia; simpl;
         [apply Rmax_right, C|apply Rmax_right; lra]. }
  rewrite subsets_row, (below_ext _ _ (fun h => when (v - 1 =? h)%nat (pascal (r - 1) (v - 1) * c))).
  2: { intros h _. destruct (Nat.eqb_spec (v - 1) h) as [->|_]; simpl; ring. }
  rewrite below_at. destruct (Nat.ltb_spec (v - 1) (S (r - 1))); [|lia]. simpl.
  assert (INR v * pascal r v = INR r * pascal (r - 1) (v - 1)) as A.
  { pose proof (pascal_absorbed (r - 1) (v - 1)) as A. replace (S (v - 1)) with v in A by lia. replace (S (r - 1)) with r in A by lia. exact A. }
  assert (INR r * pascal m r = INR m * pascal (m - 1) (r - 1)) as B'.
  { pose proof (pascal_absorbed (m - 1) (r - 1)) as B'. replace (S (r - 1)) with r in B' by lia. replace (S (m - 1)) with m in B' by lia. exact B'. }
  assert (0 < INR m) as Pm by (apply lt_0_INR; lia). assert (0 < INR r) as Pr by (apply lt_0_INR; lia).
  assert (0 < INR v) as Pv by (apply lt_0_INR; lia).
  assert (0 < pascal r v) as Prv by (apply pascal_positive; lia). assert (0 < pascal m r) as Pmr by (apply pascal_positive; lia).
  assert (0 < E ^ v) as Pe by (apply pow_lt; lra). pose proof power_positive as Pp.
  assert (pascal (m - 1) (r - 1) * (pascal (r - 1) (v - 1) * c) = M / INR m) as ->.
  { replace (pascal (m - 1) (r - 1)) with (INR r * pascal m r / INR m) by (rewrite B'; field; lra).
    replace (pascal (r - 1) (v - 1)) with (INR v * pascal r v / INR r) by (rewrite A; field; lra).
    unfold c, excess. field. repeat split; lra. }
  apply Rmult_le_reg_r with (INR m); [exact Pm|]. replace (M / INR m * INR m) with M by (field; lra). lra.
Qed.
End Tight.
