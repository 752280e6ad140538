(** Posteriors of counts under a Dirichlet prior with whole parameters, their Hellinger distance,
    and the exponential mechanisms that are scored by it (N §2, A §1).

    A dataset is its counts, one for each category; so is a candidate, which stands for the
    posterior prior + counts.  Γ is built at half-integers, where alone it is needed, from its
    recurrence, Γ(1) = 1 and Γ(1/2) = √π. *)
Require Import Bool Reals List Psatz ZArith.
From Interval Require Import Tactic.
From dpaudit Require Import Laws EnclosedWeights.
Import ListNotations.
Open Scope R_scope.

Definition counts := list nat.
Definition same_counts (x y : counts) : {x = y} + {x <> y} := list_eq_dec Nat.eq_dec x y.

(** Γ(k/2), for k ≥ 1. *)
Fixpoint half_gamma (k : nat) : R :=
  match k with
  | S (S (S _ as j)) => IZR (Z.of_nat j) / 2 * half_gamma j
  | 1%nat => sqrt PI
  | _ => 1
  end.

(** The multivariate beta function of the parameters a/2. *)
Definition half_beta (a : counts) : R :=
  fold_right (fun k p => half_gamma k * p) 1 a / half_gamma (fold_right Nat.add 0%nat a).

Fixpoint added (a b : counts) : counts :=
  match a, b with i :: a', j :: b' => (i + j)%nat :: added a' b' | _, _ => [] end.

(** B((a + b)/2)/√(B(a)·B(b)) and √(1 − that), for whole a and b. *)
Definition affinity (a b : counts) : R :=
  half_beta (added a b) / sqrt (half_beta (added a a) * half_beta (added b b)).
Definition hellinger (a b : counts) : R := sqrt (1 - affinity a b).

(** How many records have to be replaced to make one dataset the other. *)
Fixpoint replaced (x y : counts) : nat :=
  match x, y with i :: x', j :: y' => (i - j + replaced x' y')%nat | _, _ => 0%nat end.
Definition next_to (x y : counts) : bool := (replaced x y =? 1)%nat && (replaced y x =? 1)%nat.

Definition maximum {A} (f : A -> R) (l : list A) : R := fold_right (fun a m => Rmax (f a) m) 0 l.

Section Mechanisms.
Variables (data : list counts) (prior : counts).

Definition distance (x r : counts) : R := hellinger (added prior x) (added prior r).

(** LS(x), attained at a neighbour. *)
Definition local_sensitivity (x : counts) : R := maximum (distance x) (filter (next_to x) data).
(** GS, the largest LS(x). *)
Definition global_sensitivity : R := maximum local_sensitivity data.
(** S_γ(x), the maximum over x′ of 1/(1/LS(x′) + γ·d(x, x′)) (A §1). *)
Definition gamma_smooth (gamma : R) (x : counts) : R :=
  maximum (fun y => 1 / (1 / local_sensitivity y + gamma * IZR (Z.of_nat (replaced x y)))) data.
(** S_β(x), the maximum over x′ of LS(x′)·e^(−β·d(x, x′)) (N Def. 2.1). *)
Definition beta_smooth (beta : R) (x : counts) : R :=
  maximum (fun y => local_sensitivity y * exp (- (beta * IZR (Z.of_nat (replaced x y))))) data.

(** exp(−ε·H(x, r)/(m·S(x))). *)
Definition scored (epsilon m : R) (sensitivity : counts -> R) (x r : counts) : R :=
  exp (- (epsilon * distance x r / (m * sensitivity x))).
End Mechanisms.

Lemma scored_pos prior epsilon m s x r : 0 < scored prior epsilon m s x r.
Proof. apply exp_pos. Qed.

Lemma half_gamma_pos k : 0 < half_gamma k.
Proof.
  enough (0 < half_gamma k /\ 0 < half_gamma (S k)) by tauto.
  induction k as [|[|k] [P Q]]; [simpl..|split; [exact Q|]].
  - split; [lra|]. apply sqrt_lt_R0, PI_RGT_0.
  - split; [apply sqrt_lt_R0, PI_RGT_0|lra].
  - change (half_gamma (S (S (S k)))) with (IZR (Z.of_nat (S k)) / 2 * half_gamma (S k)).
    apply Rmult_lt_0_compat; [|exact P].
    assert (0 < IZR (Z.of_nat (S k))) by (apply IZR_lt; lia). lra.
Qed.

Lemma half_beta_pos a : 0 < half_beta a.
Proof.
  unfold half_beta. apply Rdiv_lt_0_compat; [|apply half_gamma_pos].
  induction a as [|k a IH]; simpl; [lra|]. apply Rmult_lt_0_compat; auto using half_gamma_pos.
Qed.

Lemma added_comm a b : added a b = added b a.
Proof.
  revert b. induction a as [|i a IH]; intros [|j b]; simpl; auto. rewrite IH. f_equal. lia.
Qed.

Lemma distance_comm prior x r : distance prior x r = distance prior r x.
Proof. unfold distance, hellinger, affinity. rewrite added_comm, Rmult_comm. reflexivity. Qed.

Lemma distance_self prior x : distance prior x x = 0.
Proof.
  unfold distance, hellinger, affinity. pose proof (half_beta_pos (added (added prior x) (added prior x))).
  rewrite sqrt_square by lra. unfold Rdiv. rewrite Rinv_r by lra. rewrite Rminus_diag_eq by auto.
  apply sqrt_0.
Qed.

(** A maximum lies where one of its terms, and all of them, say. *)
Lemma maximum_between {A} (f : A -> R) l low high : 0 <= high ->
  Exists (fun a => low <= f a) l -> Forall (fun a => f a <= high) l ->
  low <= maximum f l <= high.
Proof.
  intros H E F. split.
  - induction E as [a l L|a l _ IH]; simpl.
    + apply Rle_trans with (1 := L). apply Rmax_l.
    + inversion F; subst. apply Rle_trans with (1 := IH H3). apply Rmax_r.
  - clear E. induction F as [|a l L _ IH]; simpl; [exact H|]. apply Rmax_lub; auto.
Qed.

(** The bounds of a distance, from those of π alone. *)
Ltac enclose_distance :=
  cbv [distance hellinger affinity half_beta added fold_right half_gamma Z.of_nat Pos.of_succ_nat
    Pos.succ Nat.add];
  interval with (i_prec 90).
