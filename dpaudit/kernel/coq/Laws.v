(** Finite output laws, and what differential privacy asks of them.

    A mechanism gives every dataset [x] a law on one finite list of outputs: [law x r] is the
    probability of [r].  Privacy is asked of every event, as its definition has it. *)
Require Import Reals List Lra.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | a :: l' => f a + sum f l' end.

Section Laws.
Context {D O : Type} (outputs : list O) (neighbours : D -> D -> Prop) (law : D -> O -> R).

Definition is_law (x : D) : Prop :=
  (forall r, In r outputs -> 0 <= law x r) /\ sum (law x) outputs = 1.

(** An event is a set of outputs. *)
Definition probability (x : D) (event : O -> bool) : R :=
  sum (fun r => if event r then law x r else 0) outputs.

(** (ε, δ)-differential privacy. *)
Definition private (epsilon delta : R) : Prop :=
  forall x y, neighbours x y -> forall event,
  probability x event <= exp epsilon * probability y event + delta.

(** The realised ε, the least for which (ε, 0) holds, is at least [a] and at most [b]. *)
Definition realised_epsilon_in (a b : R) : Prop :=
  private b 0 /\ forall epsilon, private epsilon 0 -> a <= epsilon.

(** The loss ln(P(r)/Q(r)) of one output is at least [a]. *)
Definition loses_at (x y : D) (r : O) (a : R) : Prop :=
  neighbours x y /\ In r outputs /\ 0 < law y r /\ exp a * law y r <= law x r.
End Laws.

Lemma sum_le {A} (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [lra|].
  assert (f a <= g a) by auto. assert (sum f l <= sum g l) by auto. lra.
Qed.

Lemma sum_nonneg {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> 0 <= sum f l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [lra|].
  assert (0 <= f a) by auto. assert (0 <= sum f l) by auto. lra.
Qed.

Lemma sum_pos {A} (f : A -> R) l : l <> [] -> (forall a, In a l -> 0 < f a) -> 0 < sum f l.
Proof.
  destruct l as [|a l]; [congruence|]. simpl. intros _ E.
  assert (0 < f a) by auto. assert (0 <= sum f l); [|lra].
  apply sum_nonneg. intros b Hb. left. auto.
Qed.

Lemma sum_linear {A} (f g : A -> R) c l : sum (fun a => f a + c * g a) l = sum f l + c * sum g l.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_scaled {A} (f : A -> R) c l : sum (fun a => c * f a) l = c * sum f l.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> sum f l = sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros E; [ring|].
  rewrite E by auto. rewrite IH by auto. ring.
Qed.

Lemma sum_map {A B} (f : B -> R) (g : A -> B) l : sum f (map g l) = sum (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Section Facts.
Context {D O : Type} (outputs : list O) (neighbours : D -> D -> Prop) (law : D -> O -> R).

Notation probability := (probability outputs law).
Notation private := (private outputs neighbours law).

(** The hockey-stick divergence bounds every event. *)
Theorem private_by_excess epsilon delta :
  (forall x y, neighbours x y ->
   sum (fun r => Rmax 0 (law x r - exp epsilon * law y r)) outputs <= delta) ->
  private epsilon delta.
Proof.
  intros E x y N event. specialize (E x y N). unfold Laws.probability.
  assert (sum (fun r => (if event r then law x r else 0)
                        + - exp epsilon * (if event r then law y r else 0)) outputs <=
          sum (fun r => Rmax 0 (law x r - exp epsilon * law y r)) outputs) as L.
  { apply sum_le. intros r _. destruct (event r).
    - eapply Rle_trans; [|apply Rmax_r]. lra.
    - eapply Rle_trans; [|apply Rmax_l]. lra. }
  rewrite sum_linear in L. lra.
Qed.

(** P(r) ≤ e^ε·Q(r) for every output is (ε, 0). *)
Theorem private_by_outputs epsilon :
  (forall x y r, neighbours x y -> In r outputs -> law x r <= exp epsilon * law y r) ->
  private epsilon 0.
Proof.
  intros E. apply private_by_excess. intros x y N.
  rewrite (sum_ext _ (fun _ => 0 * 0)). { rewrite sum_scaled. lra. }
  intros r Hr. specialize (E x y r N Hr). rewrite Rmax_left; lra.
Qed.

Lemma probability_of_one (same : forall a b : O, {a = b} + {a <> b}) r :
  exists k, 0 <= k /\ (In r outputs -> 1 <= k) /\
  forall x', probability x' (fun s => if same s r then true else false) = k * law x' r.
Proof.
  unfold Laws.probability. induction outputs as [|s l (k & K0 & K1 & K)]; simpl.
  - exists 0. split; [lra|]. split; [tauto|]. intros. ring.
  - destruct (same s r) as [->|Different].
    + exists (k + 1). split; [lra|]. split; [lra|]. intros x. rewrite K. ring.
    + exists k. split; [exact K0|]. split.
      * intros [E|Hr]; [congruence|auto].
      * intros x. rewrite K. ring.
Qed.

(** A loss of at least [a] at one output leaves no (ε, 0) with ε < a. *)
Theorem realised_at_least (same : forall a b : O, {a = b} + {a <> b}) x y r a epsilon :
  loses_at outputs neighbours law x y r a -> private epsilon 0 -> a <= epsilon.
Proof.
  intros (N & Hr & Positive & Loss) P.
  destruct (probability_of_one same r) as (k & _ & K1 & K). specialize (K1 Hr).
  specialize (P x y N (fun s => if same s r then true else false)).
  rewrite !K in P.
  destruct (Rle_lt_dec a epsilon) as [|L]; auto. exfalso.
  apply exp_increasing in L.
  assert (k * (exp epsilon * law y r) < k * (exp a * law y r)).
  { apply Rmult_lt_compat_l; [lra|]. apply Rmult_lt_compat_r; auto. }
  assert (k * (exp a * law y r) <= k * law x r) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Facts.

Lemma private_weaker {D O : Type} outputs neighbours (law : D -> O -> R) epsilon delta : 0 <= delta ->
  private outputs neighbours law epsilon 0 -> private outputs neighbours law epsilon delta.
Proof. intros N P x y XY event. specialize (P x y XY event). lra. Qed.
