(** Scores, their local and smooth sensitivities, and the exponential mechanisms (N §2, A §1).

    [score x r] is the distance of the candidate [r] from the dataset [x]; the notes' score u is
    −H.  Data and candidates are finite lists of any kind, and [apart] counts the records that have
    to be replaced: what is proved holds for every prior, n and number of categories. *)
Require Import Reals List Psatz.
From dpaudit Require Import Laws.
Import ListNotations.
Open Scope R_scope.

Definition maximum {A : Type} (f : A -> R) (l : list A) : R :=
  fold_right (fun a m => Rmax (f a) m) 0 l.

Lemma maximum_above {A} (f : A -> R) l a : In a l -> f a <= maximum f l.
Proof.
  induction l as [|b l IH]; simpl; [tauto|]. intros [->|I]; [apply Rmax_l|].
  apply Rle_trans with (1 := IH I). apply Rmax_r.
Qed.

Lemma maximum_below {A} (f : A -> R) l m : 0 <= m -> (forall a, In a l -> f a <= m) -> maximum f l <= m.
Proof.
  intros M. induction l as [|a l IH]; simpl; intros F; [exact M|].
  apply Rmax_lub; [auto|]. apply IH. auto.
Qed.

Lemma maximum_nonneg {A} (f : A -> R) l : 0 <= maximum f l.
Proof. induction l as [|a l IH]; simpl; [lra|]. apply Rle_trans with (1 := IH). apply Rmax_r. Qed.

Lemma maximum_attained {A} (f : A -> R) l : 0 < maximum f l ->
  exists a, In a l /\ maximum f l = f a.
Proof.
  induction l as [|a l IH]; simpl; [lra|]. intros P. unfold Rmax in *.
  destruct (Rle_dec (f a) (maximum f l)) as [L|L].
  - destruct (IH P) as (b & I & E). eauto.
  - eauto.
Qed.

Section Mechanism.
Context {D O : Type}.
Variables (data : list D) (candidates : list O) (apart : D -> D -> nat) (score : D -> O -> R).

Hypothesis apart_sym : forall x y, apart x y = apart y x.
Hypothesis apart_self : forall x, apart x x = 0%nat.
Hypothesis apart_triangle : forall x y z, (apart x z <= apart x y + apart y z)%nat.
Hypothesis some_candidate : candidates <> [].

Definition neighbours (x y : D) : Prop := In x data /\ In y data /\ apart x y = 1%nat.

Lemma neighbours_sym x y : neighbours x y -> neighbours y x.
Proof. intros (X & Y & A). repeat split; auto. rewrite apart_sym. exact A. Qed.

(** LS(x), the largest change of the score that one record makes. *)
Definition change (x y : D) : R :=
  if Nat.eqb (apart x y) 1 then maximum (fun r => Rabs (score x r - score y r)) candidates else 0.
Definition local_sensitivity (x : D) : R := maximum (change x) data.
(** Δ_g or GS, the largest LS(x). *)
Definition global_sensitivity : R := maximum local_sensitivity data.
(** S_γ(x) and S_β(x). *)
Definition gamma_smooth (gamma : R) (x : D) : R :=
  maximum (fun y => 1 / (1 / local_sensitivity y + gamma * INR (apart x y))) data.
Definition beta_smooth (beta : R) (x : D) : R :=
  maximum (fun y => local_sensitivity y * exp (- beta * INR (apart x y))) data.

Lemma change_local x y r : neighbours x y -> In r candidates ->
  Rabs (score x r - score y r) <= local_sensitivity x.
Proof.
  intros (X & Y & A) I. apply Rle_trans with (change x y); [|apply maximum_above; exact Y].
  unfold change. rewrite A. simpl.
  apply (maximum_above (fun r => Rabs (score x r - score y r))). exact I.
Qed.

(** P(r) ∝ exp(−ε·H(x, r)/(2·S(x))). *)
Definition weight (epsilon : R) (sensitivity : D -> R) (x : D) (r : O) : R :=
  exp (- (epsilon * score x r / (2 * sensitivity x))).
Definition exponential (epsilon : R) (sensitivity : D -> R) (x : D) (r : O) : R :=
  weight epsilon sensitivity x r / sum (weight epsilon sensitivity x) candidates.

Theorem exponential_is_law epsilon sensitivity x :
  is_law candidates (exponential epsilon sensitivity) x.
Proof.
  assert (0 < sum (weight epsilon sensitivity x) candidates) as N.
  { apply sum_pos; auto. intros. apply exp_pos. }
  split.
  - intros r _. left. apply Rdiv_lt_0_compat; auto. apply exp_pos.
  - rewrite (sum_ext _ (fun r => / sum (weight epsilon sensitivity x) candidates *
      weight epsilon sensitivity x r)).
    + rewrite sum_scaled. apply Rinv_l. lra.
    + intros r _. unfold exponential. field. lra.
Qed.

(** The mechanism is ε-private if one record changes H/S by at most 1. *)
Theorem exponential_private epsilon sensitivity : 0 <= epsilon ->
  (forall x y r, neighbours x y -> In r candidates ->
     score y r / sensitivity y - score x r / sensitivity x <= 1) ->
  private candidates neighbours (exponential epsilon sensitivity) epsilon 0.
Proof.
  intros E L. apply private_by_outputs.
  assert (forall x y r, neighbours x y -> In r candidates ->
    weight epsilon sensitivity x r <= exp (epsilon / 2) * weight epsilon sensitivity y r) as W.
  { intros x y r N I. unfold weight. rewrite <- exp_plus. specialize (L x y r N I).
    assert (- (epsilon * score x r / (2 * sensitivity x)) <=
      epsilon / 2 + - (epsilon * score y r / (2 * sensitivity y))) as A.
    { assert (epsilon * score x r / (2 * sensitivity x) = epsilon / 2 * (score x r / sensitivity x)) as ->.
      { unfold Rdiv. rewrite Rinv_mult. ring. }
      assert (epsilon * score y r / (2 * sensitivity y) = epsilon / 2 * (score y r / sensitivity y)) as ->.
      { unfold Rdiv. rewrite Rinv_mult. ring. }
      assert (0 <= epsilon / 2 * (1 - (score y r / sensitivity y - score x r / sensitivity x))).
      { apply Rmult_le_pos; lra. } lra. }
    destruct A as [A|A]; [left; apply exp_increasing; exact A|rewrite A; lra]. }
  intros x y r N I. unfold exponential.
  set (f := weight epsilon sensitivity) in *.
  assert (0 < sum (f x) candidates) by (apply sum_pos; auto; intros; apply exp_pos).
  assert (0 < sum (f y) candidates) by (apply sum_pos; auto; intros; apply exp_pos).
  assert (sum (f y) candidates <= exp (epsilon / 2) * sum (f x) candidates) as T.
  { rewrite <- sum_scaled. apply sum_le. intros s J. apply W; auto using neighbours_sym. }
  specialize (W x y r N I). assert (0 < f x r) by apply exp_pos. assert (0 < f y r) by apply exp_pos.
  pose proof (exp_pos (epsilon / 2)).
  replace (exp epsilon) with (exp (epsilon / 2) * exp (epsilon / 2)) by (rewrite <- exp_plus; f_equal; lra).
  apply Rmult_le_reg_r with (sum (f x) candidates * sum (f y) candidates).
  { apply Rmult_lt_0_compat; auto. }
  replace (f x r / sum (f x) candidates * (sum (f x) candidates * sum (f y) candidates))
    with (f x r * sum (f y) candidates) by (field; lra).
  replace (exp (epsilon / 2) * exp (epsilon / 2) * (f y r / sum (f y) candidates) *
    (sum (f x) candidates * sum (f y) candidates))
    with (exp (epsilon / 2) * f y r * (exp (epsilon / 2) * sum (f x) candidates)) by (field; lra).
  apply Rmult_le_compat; lra.
Qed.

(* abstract: em-global-dp *)
Theorem em_global_dp epsilon : 0 <= epsilon -> 0 < global_sensitivity ->
  private candidates neighbours (exponential epsilon (fun _ => global_sensitivity)) epsilon 0.
Proof.
  intros E G. apply exponential_private; auto. intros x y r N I.
  pose proof (change_local y x r (neighbours_sym _ _ N) I) as C.
  destruct N as (_ & Y & _). pose proof (maximum_above local_sensitivity data y Y) as M.
  fold global_sensitivity in M. pose proof (Rle_abs (score y r - score x r)).
  apply Rmult_le_reg_r with global_sensitivity; [exact G|].
  replace ((score y r / global_sensitivity - score x r / global_sensitivity) * global_sensitivity)
    with (score y r - score x r) by (field; lra). lra.
Qed.

(** Any bound of the sensitivity serves as well, as a printed constant does. *)
(* abstract: thm-3.1-EHD *)
Theorem global_bound_dp epsilon bound : 0 <= epsilon -> 0 < bound -> global_sensitivity <= bound ->
  private candidates neighbours (exponential epsilon (fun _ => bound)) epsilon 0.
Proof.
  intros E B G. apply exponential_private; auto. intros x y r N I.
  pose proof (change_local y x r (neighbours_sym _ _ N) I) as C.
  destruct N as (_ & Y & _). pose proof (maximum_above local_sensitivity data y Y) as M.
  fold global_sensitivity in M. pose proof (Rle_abs (score y r - score x r)).
  apply Rmult_le_reg_r with bound; [exact B|].
  replace ((score y r / bound - score x r / bound) * bound) with (score y r - score x r)
    by (field; lra). lra.
Qed.

Section Smooth.
Hypothesis local_positive : forall x, In x data -> 0 < local_sensitivity x.

Lemma gamma_smooth_above gamma x : 0 <= gamma -> In x data ->
  local_sensitivity x <= gamma_smooth gamma x.
Proof.
  intros G X. pose proof (local_positive x X).
  pose proof (maximum_above (fun y => 1 / (1 / local_sensitivity y + gamma * INR (apart x y))) data x X) as M.
  cbv beta in M. rewrite apart_self in M. simpl (INR 0) in M.
  replace (1 / (1 / local_sensitivity x + gamma * 0)) with (local_sensitivity x) in M by (field; lra).
  exact M.
Qed.

Lemma gamma_smooth_step gamma x y : 0 <= gamma -> neighbours x y ->
  1 / gamma_smooth gamma y - 1 / gamma_smooth gamma x <= gamma.
Proof.
  intros G (X & Y & A). pose proof (local_positive x X) as P. pose proof (gamma_smooth_above gamma x G X).
  destruct (maximum_attained (fun z => 1 / (1 / local_sensitivity z + gamma * INR (apart x z))) data)
    as (z & Z & E); [unfold gamma_smooth in *; lra|]. fold (gamma_smooth gamma x) in E.
  pose proof (maximum_above (fun z => 1 / (1 / local_sensitivity z + gamma * INR (apart y z))) data z Z) as M.
  fold (gamma_smooth gamma y) in M. cbv beta in M.
  pose proof (local_positive z Z) as Q. assert (0 < 1 / local_sensitivity z) by (apply Rdiv_lt_0_compat; lra).
  pose proof (pos_INR (apart x z)). pose proof (pos_INR (apart y z)).
  assert (0 <= gamma * INR (apart x z)) by (apply Rmult_le_pos; auto).
  assert (0 <= gamma * INR (apart y z)) by (apply Rmult_le_pos; auto).
  assert (INR (apart y z) <= 1 + INR (apart x z)) as T.
  { replace (1 + INR (apart x z)) with (INR (1 + apart x z)).
    - apply le_INR. rewrite <- A, (apart_sym x y). apply apart_triangle.
    - rewrite plus_INR. simpl. ring. }
  assert (gamma * INR (apart y z) <= gamma * (1 + INR (apart x z))) by (apply Rmult_le_compat_l; auto).
  set (u := 1 / local_sensitivity z) in *.
  assert (1 / gamma_smooth gamma x = u + gamma * INR (apart x z)) as -> by (rewrite E; field; lra).
  assert (1 / gamma_smooth gamma y <= u + gamma * INR (apart y z)); [|lra].
  assert (0 < 1 / (u + gamma * INR (apart y z))) by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_reg_r with (gamma_smooth gamma y); [lra|].
  replace (1 / gamma_smooth gamma y * gamma_smooth gamma y) with 1 by (field; lra).
  apply Rmult_le_compat_l with (r := u + gamma * INR (apart y z)) in M; [|lra].
  replace ((u + gamma * INR (apart y z)) * (1 / (u + gamma * INR (apart y z)))) with 1 in M by (field; lra).
  exact M.
Qed.

(* abstract: gamma-smooth-lipschitz *)
Theorem gamma_smooth_lipschitz gamma x y : 0 <= gamma -> neighbours x y ->
  local_sensitivity x <= gamma_smooth gamma x /\
  Rabs (1 / gamma_smooth gamma x - 1 / gamma_smooth gamma y) <= gamma.
Proof.
  intros G N. split; [apply gamma_smooth_above; auto; apply N|].
  apply Rabs_le. pose proof (gamma_smooth_step gamma x y G N).
  pose proof (gamma_smooth_step gamma y x G (neighbours_sym _ _ N)). lra.
Qed.

(* abstract: thm-3.1-EHDS *)
Theorem smooth_dp epsilon gamma : 0 <= epsilon -> 0 < gamma ->
  (forall x r, In x data -> In r candidates -> 0 <= score x r <= 1) ->
  private candidates neighbours
    (exponential epsilon (fun x => (1 + gamma) * gamma_smooth gamma x)) epsilon 0.
Proof.
  intros E G U. apply exponential_private; auto. intros x y r N I.
  pose proof (neighbours_sym _ _ N) as N'. pose proof (change_local y x r N' I) as C.
  pose proof (Rle_abs (score y r - score x r)). destruct N as (X & Y & A).
  pose proof (U x r X I). pose proof (gamma_smooth_step gamma x y (Rlt_le _ _ G) (conj X (conj Y A))) as S.
  pose proof (gamma_smooth_above gamma x (Rlt_le _ _ G) X). pose proof (local_positive x X).
  pose proof (gamma_smooth_above gamma y (Rlt_le _ _ G) Y). pose proof (local_positive y Y).
  set (s := gamma_smooth gamma x) in *. set (t := gamma_smooth gamma y) in *.
  apply Rmult_le_reg_r with (1 + gamma); [lra|].
  replace ((score y r / ((1 + gamma) * t) - score x r / ((1 + gamma) * s)) * (1 + gamma))
    with ((score y r - score x r) * / t + score x r * (1 / t - 1 / s)) by (field; lra).
  assert ((score y r - score x r) * / t <= 1).
  { apply Rmult_le_reg_r with t; [lra|]. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (score x r * (1 / t - 1 / s) <= gamma); [|lra].
  destruct (Rle_lt_dec 0 (1 / t - 1 / s)).
  - apply Rle_trans with (1 * (1 / t - 1 / s)); [|lra]. apply Rmult_le_compat_r; lra.
  - assert (0 <= score x r * - (1 / t - 1 / s)) by (apply Rmult_le_pos; lra). lra.
Qed.
End Smooth.

(* abstract: smooth-sensitivity *)
Theorem smooth_sensitivity beta x y : 0 <= beta -> neighbours x y ->
  local_sensitivity x <= beta_smooth beta x /\ beta_smooth beta x <= exp beta * beta_smooth beta y.
Proof.
  intros B (X & Y & A). split.
  - pose proof (maximum_above (fun y => local_sensitivity y * exp (- beta * INR (apart x y))) data x X) as M.
    cbv beta in M. rewrite apart_self in M. simpl (INR 0) in M.
    rewrite Rmult_0_r, exp_0, Rmult_1_r in M. exact M.
  - apply maximum_below.
    { apply Rmult_le_pos; [left; apply exp_pos|apply maximum_nonneg]. }
    intros z Z.
    pose proof (maximum_above (fun z => local_sensitivity z * exp (- beta * INR (apart y z))) data z Z) as M.
    cbv beta in M. fold (beta_smooth beta y) in M.
    apply Rle_trans with (exp beta * (local_sensitivity z * exp (- beta * INR (apart y z)))).
    + rewrite <- Rmult_assoc, (Rmult_comm (exp beta)), Rmult_assoc, <- exp_plus.
      apply Rmult_le_compat_l; [apply maximum_nonneg|].
      assert (INR (apart y z) <= 1 + INR (apart x z)) as T.
      { replace (1 + INR (apart x z)) with (INR (1 + apart x z)) by (rewrite plus_INR; simpl; ring).
        apply le_INR. rewrite <- A, (apart_sym x y). apply apart_triangle. }
      assert (beta * INR (apart y z) <= beta * (1 + INR (apart x z))) by (apply Rmult_le_compat_l; auto).
      destruct (Rle_lt_or_eq_dec (- beta * INR (apart x z)) (beta + - beta * INR (apart y z))) as [L|L]; [lra| |].
      * left. apply exp_increasing. exact L.
      * rewrite L. lra.
    + apply Rmult_le_compat_l; [left; apply exp_pos|exact M].
Qed.
End Mechanism.
