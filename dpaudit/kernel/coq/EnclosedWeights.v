(** Laws P(r) = weight(x, r)/Σ weight(x, ·) whose weights are only known to lie between bounds.

    [table] holds, for every dataset and output, whole numbers with
    low ≤ unit·weight(x, r) ≤ high; what is concluded from them is computed in whole numbers. *)
Require Import Bool Reals List Psatz ZArith.
From dpaudit Require Import Laws.
Import ListNotations.
Open Scope R_scope.

Lemma beside {A B : Type} (P : A -> B -> Prop) l rows : Forall2 P l rows ->
  forall x, In x l -> exists row, In (x, row) (combine l rows) /\ P x row.
Proof.
  induction 1 as [|y row l rows B0 _ IH]; simpl; [tauto|].
  intros x [<-|I]; [exists row; auto|]. destruct (IH x I) as (row' & ? & ?). exists row'. auto.
Qed.

Section Enclosed.
Context {A : Type} (same : forall a b : A, {a = b} + {a <> b}).
Variables (data : list A) (next_to : A -> A -> bool) (weight : A -> A -> R).

(** The outputs are named like the datasets. *)
Definition law (x r : A) : R := weight x r / sum (weight x) data.
Definition neighbours (x y : A) : Prop := In x data /\ In y data /\ next_to x y = true.

Variables (unit : Z) (table : list (list (Z * Z))).
Hypothesis unit_pos : (0 < unit)%Z.
Hypothesis weight_pos : forall x r, 0 < weight x r.

Definition between (w : R) (b : Z * Z) : Prop := IZR (fst b) <= IZR unit * w <= IZR (snd b).
Hypothesis enclosed :
  Forall2 (fun x row => Forall2 (fun r b => between (weight x r) b) data row) data table.

Definition low (row : list (Z * Z)) : Z := fold_right (fun b s => (fst b + s)%Z) 0%Z row.
Definition high (row : list (Z * Z)) : Z := fold_right (fun b s => (snd b + s)%Z) 0%Z row.

Lemma sum_between (f : A -> R) l row : Forall2 (fun r b => between (f r) b) l row ->
  IZR (low row) <= IZR unit * sum f l <= IZR (high row).
Proof.
  unfold between. induction 1 as [|r b l row B _ IH]; simpl; [lra|]. rewrite !plus_IZR. lra.
Qed.

Lemma row_of x : In x data -> exists row, In (x, row) (combine data table) /\
  Forall2 (fun r b => between (weight x r) b) data row.
Proof. exact (beside _ _ _ enclosed x). Qed.

Lemma at_output {P Q : A -> Z * Z -> Prop} (ok : Z * Z -> Z * Z -> bool) l p q :
  Forall2 P l p -> Forall2 Q l q ->
  forallb (fun bs => ok (fst bs) (snd bs)) (combine p q) = true ->
  forall r, In r l -> exists b b', P r b /\ Q r b' /\ ok b b' = true.
Proof.
  intros F. revert q. induction F as [|r b l p B _ IH]; intros q G; [simpl; tauto|].
  inversion G as [|r' b' l' q' B' G']; subst. simpl. intros [E F]%andb_prop s [<-|I]; eauto.
Qed.

Lemma total_pos x : In x data -> 0 < sum (weight x) data.
Proof. intros I. apply sum_pos; [intros E; rewrite E in I; contradiction|auto]. Qed.

(** e^ε stands for c_above/c_below. *)
Variables c_above c_below : Z.
Hypothesis c_above_pos : (0 < c_above)%Z.
Hypothesis c_below_pos : (0 < c_below)%Z.

Definition keeps (p q : list (Z * Z)) : bool :=
  let p_low := low p in let q_high := high q in
  (0 <? p_low)%Z &&
  forallb (fun bs => (c_below * (snd (fst bs) * q_high) <=? c_above * (fst (snd bs) * p_low))%Z)
    (combine p q).

Definition all_keep : bool :=
  forallb (fun xp => forallb (fun yq =>
    if next_to (fst xp) (fst yq) then keeps (snd xp) (snd yq) else true) (combine data table))
    (combine data table).

Theorem enclosed_private epsilon : IZR c_above / IZR c_below <= exp epsilon -> all_keep = true ->
  private data neighbours law epsilon 0.
Proof.
  intros C E. apply private_by_outputs. intros x y r (X & Y & N) R. unfold law.
  destruct (row_of x X) as (p & P & Bp). destruct (row_of y Y) as (q & Q & Bq).
  unfold all_keep in E. rewrite forallb_forall in E. specialize (E _ P). rewrite forallb_forall in E.
  specialize (E _ Q). simpl in E. rewrite N in E. apply andb_prop in E as [L%Z.ltb_lt%IZR_lt E].
  destruct (at_output (fun b b' => (c_below * (snd b * high q) <=? c_above * (fst b' * low p))%Z)
    _ _ _ Bp Bq E r R) as (b & b' & Br & Br' & K).
  apply Z.leb_le, IZR_le in K. rewrite !mult_IZR in K.
  apply sum_between in Bp, Bq. pose proof (total_pos x X). pose proof (total_pos y Y).
  pose proof (weight_pos x r). pose proof (weight_pos y r). unfold between in Br, Br'.
  set (w := weight x r) in *. set (v := weight y r) in *.
  set (T := sum (weight x) data) in *. set (U := sum (weight y) data) in *.
  assert (0 < IZR unit) by (apply IZR_lt; auto). assert (0 < IZR c_below) by (apply IZR_lt; auto).
  assert (0 < IZR c_above) by (apply IZR_lt; auto).
  assert (IZR c_below * ((IZR unit * w) * (IZR unit * U)) <=
          IZR c_above * ((IZR unit * v) * (IZR unit * T))) as M.
  { apply Rle_trans with (IZR c_below * (IZR (snd b) * IZR (high q))).
    - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra.
    - apply Rle_trans with (1 := K). apply Rmult_le_compat_l; [lra|].
      destruct (Rle_lt_dec 0 (IZR (fst b'))).
      + apply Rmult_le_compat; lra.
      + apply Rle_trans with 0; [|apply Rmult_le_pos; apply Rmult_le_pos; lra].
        assert (0 <= - IZR (fst b') * IZR (low p)) by (apply Rmult_le_pos; lra). lra. }
  assert (w * U <= IZR c_above / IZR c_below * (v * T)) as M'.
  { apply Rmult_le_reg_l with (IZR c_below * (IZR unit * IZR unit)).
    - apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; auto.
    - replace (IZR c_below * (IZR unit * IZR unit) * (IZR c_above / IZR c_below * (v * T)))
        with (IZR c_above * ((IZR unit * v) * (IZR unit * T))) by (field; lra). lra. }
  assert (IZR c_above / IZR c_below * (v * T) <= exp epsilon * (v * T)).
  { apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra. }
  apply Rmult_le_reg_r with (T * U); [apply Rmult_lt_0_compat; auto|].
  replace (w / T * (T * U)) with (w * U) by (field; lra).
  replace (exp epsilon * (v / U) * (T * U)) with (exp epsilon * (v * T)) by (field; lra). lra.
Qed.

(** Bounds of the probability of an event, named by its outputs. *)
Variable event : A -> bool.
Definition masked (row : list (Z * Z)) : list (Z * Z) :=
  map (fun rb => if event (fst rb) then snd rb else (0%Z, 0%Z)) (combine data row).

Lemma masked_between x row : Forall2 (fun r b => between (weight x r) b) data row ->
  IZR (low (masked row)) <= IZR unit * sum (fun r => if event r then weight x r else 0) data
    <= IZR (high (masked row)).
Proof.
  intros F. apply sum_between. unfold masked. revert row F. generalize data as l.
  induction 1 as [|r b l row B F IH]; simpl; constructor; [|exact IH].
  simpl. destruct (event r); [exact B|]. unfold between. simpl. lra.
Qed.

Lemma probability_quotient x : In x data ->
  probability data law x event = sum (fun r => if event r then weight x r else 0) data
    / sum (weight x) data.
Proof.
  intros I. pose proof (total_pos x I). unfold probability.
  rewrite (sum_ext _ (fun r => / sum (weight x) data * (if event r then weight x r else 0))).
  - rewrite sum_scaled. field. lra.
  - intros r _. unfold law. destruct (event r); field; lra.
Qed.

Variables delta_above delta_below : Z.
Hypothesis delta_above_nonneg : (0 <= delta_above)%Z.
Hypothesis delta_below_pos : (0 < delta_below)%Z.

(** P(event) > c·Q(event) + δ, cleared of its denominators. *)
Definition breaks (p q : list (Z * Z)) : bool :=
  ((0 <? low q) &&
   (c_above * high (masked q) * high p * delta_below + delta_above * (c_below * (high p * low q))
    <? low (masked p) * low q * (c_below * delta_below)))%Z.

Theorem enclosed_broken epsilon x y : exp epsilon <= IZR c_above / IZR c_below ->
  neighbours x y ->
  forallb (fun xp => forallb (fun yq =>
    if same (fst xp) x then if same (fst yq) y then breaks (snd xp) (snd yq) else true else true)
    (combine data table)) (combine data table) = true ->
  probability data law x event >
  exp epsilon * probability data law y event + IZR delta_above / IZR delta_below.
Proof.
  intros C (X & Y & N) E.
  destruct (row_of x X) as (p & P & Bp). destruct (row_of y Y) as (q & Q & Bq).
  rewrite forallb_forall in E. specialize (E _ P). rewrite forallb_forall in E.
  specialize (E _ Q). simpl in E.
  destruct (same x x) as [_|]; [|congruence]. destruct (same y y) as [_|]; [|congruence].
  apply andb_prop in E as [L%Z.ltb_lt%IZR_lt E%Z.ltb_lt%IZR_lt].
  rewrite plus_IZR, !mult_IZR in E. rewrite !probability_quotient by auto.
  pose proof (masked_between x p Bp) as Ep. pose proof (masked_between y q Bq) as Eq.
  apply sum_between in Bp, Bq. pose proof (total_pos x X). pose proof (total_pos y Y).
  assert (0 <= sum (fun r => if event r then weight y r else 0) data) as V.
  { apply sum_nonneg. intros r _. pose proof (weight_pos y r). destruct (event r); lra. }
  set (T := sum (weight x) data) in *. set (U := sum (weight y) data) in *.
  set (a := sum (fun r => if event r then weight x r else 0) data) in *.
  set (b := sum (fun r => if event r then weight y r else 0) data) in *.
  set (k := IZR unit) in *. assert (0 < k) by (apply IZR_lt; auto).
  assert (0 < IZR c_below) by (apply IZR_lt; auto). assert (0 < IZR c_above) by (apply IZR_lt; auto).
  assert (0 < IZR delta_below) by (apply IZR_lt; auto).
  assert (0 <= IZR delta_above) by (apply IZR_le; auto).
  set (h := IZR (high p)) in *. set (l := IZR (low q)) in *.
  assert (0 < k * T) by (apply Rmult_lt_0_compat; auto). assert (0 < h) by lra.
  assert (0 <= k * b) by (apply Rmult_le_pos; lra).
  assert (b / U <= IZR (high (masked q)) / l) as M.
  { apply Rmult_le_reg_r with (k * U * l); [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra|].
    replace (b / U * (k * U * l)) with (k * b * l) by (field; lra).
    replace (IZR (high (masked q)) / l * (k * U * l)) with (IZR (high (masked q)) * (k * U))
      by (field; lra). apply Rmult_le_compat; lra. }
  assert (exp epsilon * (b / U) <= IZR c_above / IZR c_below * (IZR (high (masked q)) / l)).
  { apply Rmult_le_compat; try lra; [left; apply exp_pos|].
    apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. auto. }
  assert (IZR c_above / IZR c_below * (IZR (high (masked q)) / l) + IZR delta_above / IZR delta_below
    < IZR (low (masked p)) / h) as B.
  { apply Rmult_lt_reg_r with (h * l * (IZR c_below * IZR delta_below)).
    - repeat apply Rmult_lt_0_compat; auto.
    - replace (IZR (low (masked p)) / h * (h * l * (IZR c_below * IZR delta_below)))
        with (IZR (low (masked p)) * l * (IZR c_below * IZR delta_below)) by (field; lra).
      replace ((IZR c_above / IZR c_below * (IZR (high (masked q)) / l) +
          IZR delta_above / IZR delta_below) * (h * l * (IZR c_below * IZR delta_below)))
        with (IZR c_above * IZR (high (masked q)) * h * IZR delta_below +
          IZR delta_above * (IZR c_below * (h * l))) by (field; lra). exact E. }
  assert (0 < IZR (low (masked p)) / h) as D.
  { eapply Rle_lt_trans; [|exact B]. apply Rplus_le_le_0_compat.
    - apply Rmult_le_pos; [|apply Rmult_le_pos]; try lra; left; try apply Rinv_0_lt_compat; auto.
      apply Rdiv_lt_0_compat; auto.
    - apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto. }
  assert (IZR (low (masked p)) / h <= a / T); [|lra].
  assert (0 < IZR (low (masked p))).
  { apply Rmult_lt_reg_r with (/ h); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in D. lra. }
  apply Rmult_le_reg_r with (h * (k * T)); [apply Rmult_lt_0_compat; auto|].
  replace (IZR (low (masked p)) / h * (h * (k * T))) with (IZR (low (masked p)) * (k * T)) by (field; lra).
  replace (a / T * (h * (k * T))) with (k * a * h) by (field; lra). apply Rmult_le_compat; lra.
Qed.
End Enclosed.

(** One output as an event: its probabilities under x and y, and so its loss. *)
Theorem enclosed_loss {A} (same : forall a b : A, {a = b} + {a <> b}) data next_to weight unit table
  c_above c_below a x y r :
  (0 < unit)%Z -> (forall x r, 0 < weight x r) ->
  Forall2 (fun x row => Forall2 (fun r b => between unit (weight x r) b) data row) data table ->
  (0 < c_above)%Z -> (0 < c_below)%Z -> exp a <= IZR c_above / IZR c_below ->
  neighbours data next_to x y -> In r data ->
  forallb (fun xp => forallb (fun yq =>
    if same (fst xp) x then if same (fst yq) y then
      breaks data c_above c_below (fun s => if same s r then true else false) 0 1 (snd xp) (snd yq)
    else true else true) (combine data table)) (combine data table) = true ->
  loses_at data (neighbours data next_to) (law data weight) x y r a.
Proof.
  intros U W E C D L N R B.
  pose proof (enclosed_broken same data next_to weight unit table U W E c_above c_below C D
    (fun s => if same s r then true else false) 0 1 (Z.le_refl 0) Z.lt_0_1 a x y L N B) as M.
  destruct (probability_of_one data (law data weight) same r) as (k & _ & K & P). specialize (K R).
  rewrite !P in M.
  assert (0 < law data weight y r).
  { destruct N as (_ & Y & _). apply Rdiv_lt_0_compat; [auto|]. apply total_pos; auto. }
  split; [exact N|]. split; [exact R|]. split; [auto|].
  apply Rmult_le_reg_l with k; [lra|]. lra.
Qed.
