(** Laws whose weights are polynomials in one number t with whole coefficients, decided exactly.

    Rounded Laplace noise of scale 1/rate has such laws in t = e^(−rate); rational laws have
    constant ones.  What is compared becomes one polynomial, which is 0 identically (a tie) or has
    a sign that an enclosure A/S ≤ t ≤ B/S decides. *)
Require Import Bool Reals List Psatz ZArith.
From dpaudit Require Import Laws.
Import ListNotations.
Open Scope R_scope.

Definition poly := list Z.

Section Polynomials.
Variable t : R.

Fixpoint value (p : poly) : R := match p with [] => 0 | a :: p' => IZR a + t * value p' end.

Fixpoint plus (p q : poly) : poly :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | a :: p', b :: q' => (a + b)%Z :: plus p' q'
  end.
Definition scaled (c : Z) (p : poly) : poly := map (Z.mul c) p.
Fixpoint times (p q : poly) : poly :=
  match p with [] => [] | a :: p' => plus (scaled a q) (0%Z :: times p' q) end.
Definition minus (p q : poly) : poly := plus p (scaled (-1) q).
Definition shifted (m : nat) (p : poly) : poly := repeat 0%Z m ++ p.
Definition total (l : list poly) : poly := fold_right plus [] l.

Lemma value_plus p q : value (plus p q) = value p + value q.
Proof.
  revert q. induction p as [|a p IH]; intros [|b q]; cbn [plus value]; try ring.
  rewrite IH, plus_IZR. ring.
Qed.
Lemma value_scaled c p : value (scaled c p) = IZR c * value p.
Proof.
  unfold scaled. induction p as [|a p IH]; cbn [map value]; [ring|].
  rewrite IH, mult_IZR. ring.
Qed.
Lemma value_times p q : value (times p q) = value p * value q.
Proof.
  induction p as [|a p IH]; cbn [times value]; [ring|].
  rewrite value_plus, value_scaled. cbn [value]. rewrite IH. ring.
Qed.
Lemma value_minus p q : value (minus p q) = value p - value q.
Proof. unfold minus. rewrite value_plus, value_scaled. ring. Qed.
Lemma value_shifted m p : value (shifted m p) = t ^ m * value p.
Proof.
  induction m as [|m IH]; [unfold shifted; simpl; ring|].
  change (shifted (S m) p) with (0%Z :: shifted m p). cbn [value]. rewrite IH. simpl. ring.
Qed.

(** The sign of a value, from S·t in [A, B]. *)
Variables A B S : Z.
Hypothesis A_nonneg : (0 <= A)%Z.
Hypothesis S_pos : (0 < S)%Z.
Hypothesis enclosed : IZR A <= IZR S * t <= IZR B.

(** S^length·value is at least this. *)
Fixpoint least (p : poly) : Z * Z :=
  match p with
  | [] => (0%Z, 1%Z)
  | a :: p' =>
      let (low, power) := least p' in
      ((a * (power * S) + (if (0 <=? low)%Z then A * low else B * low))%Z, (power * S)%Z)
  end.

Lemma least_sound p :
  (0 < snd (least p))%Z /\ IZR (fst (least p)) <= IZR (snd (least p)) * value p.
Proof.
  induction p as [|a p IH]; simpl; [split; [lia|lra]|].
  destruct (least p) as [low power]. simpl in *. destruct IH as [P IH]. split; [nia|].
  assert (0 <= IZR A) by (apply IZR_le; auto). assert (0 < IZR S) by (apply IZR_lt; auto).
  assert (IZR (if (0 <=? low)%Z then A * low else B * low) <=
          IZR S * t * (IZR power * value p)) as L.
  { destruct (Z.leb_spec 0 low) as [E|E]; rewrite mult_IZR.
    - apply IZR_le in E. apply Rle_trans with (IZR S * t * IZR low).
      + apply Rmult_le_compat_r; lra.
      + apply Rmult_le_compat_l; lra.
    - apply IZR_lt in E. apply Rle_trans with (IZR S * t * IZR low).
      + assert (0 <= (IZR B - IZR S * t) * - IZR low) by (apply Rmult_le_pos; lra). lra.
      + apply Rmult_le_compat_l; lra. }
  rewrite plus_IZR, !mult_IZR. nra.
Qed.

Definition zero (p : poly) : bool := forallb (Z.eqb 0) p.
Definition positive (p : poly) : bool := (0 <? fst (least p))%Z.
Definition nonneg (p : poly) : bool := zero p || (0 <=? fst (least p))%Z.

Lemma zero_sound p : zero p = true -> value p = 0.
Proof.
  unfold zero. induction p as [|a p IH]; cbn [forallb value]; [auto|]. intros E.
  apply andb_prop in E as [E F]. apply Z.eqb_eq in E. rewrite <- E, IH by auto. ring.
Qed.
Lemma positive_sound p : positive p = true -> 0 < value p.
Proof.
  unfold positive. intros E%Z.ltb_lt%IZR_lt. destruct (least_sound p) as [P%IZR_lt L].
  apply Rmult_lt_reg_l with (IZR (snd (least p))); lra.
Qed.
Lemma nonneg_sound p : nonneg p = true -> 0 <= value p.
Proof.
  unfold nonneg. intros [E|E%Z.leb_le%IZR_le]%orb_prop; [rewrite zero_sound; auto; lra|].
  destruct (least_sound p) as [P%IZR_lt L]. apply Rmult_le_reg_l with (IZR (snd (least p))); lra.
Qed.

(** The laws: for every dataset the weights of the outputs. *)
Variable weights : list (list poly).
Variable size : nat.
Variable pairs : list (nat * nat).

Definition weight (x r : nat) : poly := nth r (nth x weights []) [].
Definition law (x r : nat) : R := value (weight x r) / value (total (nth x weights [])).
Definition outputs : list nat := seq 0 size.
Definition neighbours (x y : nat) : Prop := In (x, y) pairs.

Definition are_laws : bool :=
  forallb (fun l => (length l =? size)%nat && forallb nonneg l && positive (total l)) weights
  && forallb (fun '(x, y) => (x <? length weights)%nat && (y <? length weights)%nat) pairs.

Hypothesis laws_checked : are_laws = true.

Lemma dataset_sound x : (x < length weights)%nat ->
  length (nth x weights []) = size /\ (forall r, 0 <= value (weight x r)) /\
  0 < value (total (nth x weights [])).
Proof.
  intros L. apply andb_prop in laws_checked as [E _]. rewrite forallb_forall in E.
  specialize (E _ (nth_In weights [] L)). apply andb_prop in E as [[N W]%andb_prop T].
  rewrite forallb_forall in W. split; [apply Nat.eqb_eq; exact N|]. split.
  - intros r. unfold weight. destruct (nth_in_or_default r (nth x weights []) []) as [I| ->].
    + apply nonneg_sound. auto.
    + simpl. lra.
  - apply positive_sound. exact T.
Qed.

Lemma pair_sound x y : neighbours x y -> (x < length weights)%nat /\ (y < length weights)%nat.
Proof.
  intros I. apply andb_prop in laws_checked as [_ E]. rewrite forallb_forall in E.
  specialize (E _ I). cbv beta iota in E. apply andb_prop in E as [E F].
  apply Nat.ltb_lt in E, F. auto.
Qed.

Lemma value_total l : value (total l) = sum (fun r => value (nth r l [])) (seq 0 (length l)).
Proof.
  induction l as [|p l IH]; [reflexivity|]. change (total (p :: l)) with (plus p (total l)).
  rewrite value_plus, IH. cbn [length seq sum nth]. f_equal.
  rewrite <- seq_shift, sum_map. reflexivity.
Qed.

Theorem laws_are_laws x : (x < length weights)%nat -> is_law outputs law x.
Proof.
  intros L. destruct (dataset_sound x L) as (N & W & T). split.
  - intros r _. unfold law. apply Rmult_le_pos; [auto|]. left. apply Rinv_0_lt_compat. exact T.
  - unfold law, outputs. rewrite (sum_ext _ (fun r => / value (total (nth x weights [])) *
      value (nth r (nth x weights []) []))).
    + rewrite sum_scaled, <- N, <- value_total. apply Rinv_l. lra.
    + intros r _. unfold weight. field. lra.
Qed.

(** The multiple c = (c_above/c_below)·t^(−m) stands for e^ε. *)
Variables c_above c_below : Z.
Variable m : nat.
Hypothesis c_above_pos : (0 < c_above)%Z.
Hypothesis c_below_pos : (0 < c_below)%Z.
Hypothesis t_pos : 0 < t.

Definition c : R := IZR c_above / (IZR c_below * t ^ m).

(** c_below·t^m·(weights' products), whose sign is that of P(r) − c·Q(r). *)
Definition difference (x y r : nat) : poly :=
  minus (scaled c_below (shifted m (times (weight x r) (total (nth y weights [])))))
        (scaled c_above (times (weight y r) (total (nth x weights [])))).

Lemma difference_sound x y r : neighbours x y ->
  value (difference x y r) = (law x r - c * law y r) *
    (IZR c_below * t ^ m * (value (total (nth x weights [])) * value (total (nth y weights [])))).
Proof.
  intros N. destruct (pair_sound x y N) as [X Y].
  destruct (dataset_sound x X) as (_ & _ & TX). destruct (dataset_sound y Y) as (_ & _ & TY).
  unfold difference, law, c. rewrite value_minus, !value_scaled, value_shifted, !value_times.
  assert (0 < t ^ m) by (apply pow_lt; auto). assert (0 < IZR c_below) by (apply IZR_lt; auto).
  field. repeat split; lra.
Qed.

Lemma common_pos x y : neighbours x y -> 0 <
  IZR c_below * t ^ m * (value (total (nth x weights [])) * value (total (nth y weights []))).
Proof.
  intros N. destruct (pair_sound x y N) as [X Y].
  destruct (dataset_sound x X) as (_ & _ & TX). destruct (dataset_sound y Y) as (_ & _ & TY).
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|apply Rmult_lt_0_compat; auto].
  - apply IZR_lt; auto.
  - apply pow_lt; auto.
Qed.

(** The sum of the positive differences, or None where a sign is not decided. *)
Fixpoint excess_of (x y : nat) (l : list nat) : option poly :=
  match l with
  | [] => Some []
  | r :: l' =>
      match excess_of x y l' with
      | None => None
      | Some rest =>
          let d := difference x y r in
          if nonneg (scaled (-1) d) then Some rest
          else if nonneg d then Some (plus d rest) else None
      end
  end.

Variables delta_above delta_below : Z.
Hypothesis delta_below_pos : (0 < delta_below)%Z.

Definition keeps (pair : nat * nat) : bool :=
  let (x, y) := pair in
  match excess_of x y outputs with
  | None => false
  | Some s =>
      let common := scaled c_below (shifted m
        (times (total (nth x weights [])) (total (nth y weights [])))) in
      nonneg (minus (scaled delta_above common) (scaled delta_below s))
  end.

Lemma excess_sound x y l s : neighbours x y -> excess_of x y l = Some s ->
  sum (fun r => Rmax 0 (law x r - c * law y r)) l *
    (IZR c_below * t ^ m * (value (total (nth x weights [])) * value (total (nth y weights []))))
  = value s.
Proof.
  intros N. pose proof (common_pos x y N) as C. revert s. induction l as [|r l IH]; simpl; intros s.
  - intros [= <-]. simpl. ring.
  - destruct (excess_of x y l) as [rest|]; [|discriminate]. specialize (IH rest eq_refl).
    pose proof (difference_sound x y r N) as E.
    set (K := IZR c_below * t ^ m * _) in *.
    destruct (nonneg (scaled (-1) (difference x y r))) eqn:F.
    + intros [= <-]. apply nonneg_sound in F. rewrite value_scaled, E in F. rewrite Rmax_left; [lra|].
      apply Rmult_le_reg_r with K; lra.
    + destruct (nonneg (difference x y r)) eqn:G; [|discriminate].
      intros [= <-]. apply nonneg_sound in G. rewrite E in G. rewrite value_plus, <- IH, E.
      rewrite Rmax_right; [ring|]. apply Rmult_le_reg_r with K; lra.
Qed.

Theorem checked_private epsilon : c <= exp epsilon -> forallb keeps pairs = true ->
  private outputs neighbours law epsilon (IZR delta_above / IZR delta_below).
Proof.
  intros C E. rewrite forallb_forall in E. apply private_by_excess. intros x y N.
  apply Rle_trans with (sum (fun r => Rmax 0 (law x r - c * law y r)) outputs).
  - apply sum_le. intros r _. destruct (pair_sound x y N) as [_ Y].
    destruct (dataset_sound y Y) as (_ & W & T). apply Rle_max_compat_l.
    assert (0 <= law y r). { apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto. }
    assert (c * law y r <= exp epsilon * law y r) by (apply Rmult_le_compat_r; auto). lra.
  - specialize (E (x, y) N). unfold keeps in E.
    destruct (excess_of x y outputs) as [s|] eqn:F; [|discriminate].
    apply excess_sound in F; [|exact N]. apply nonneg_sound in E.
    rewrite value_minus, !value_scaled, value_shifted, value_times, <- F in E.
    pose proof (common_pos x y N) as K. set (k := IZR c_below * t ^ m * _) in *.
    assert (0 < IZR delta_below) by (apply IZR_lt; auto).
    apply Rmult_le_reg_r with (IZR delta_below * k); [apply Rmult_lt_0_compat; auto|].
    replace (IZR delta_above / IZR delta_below * (IZR delta_below * k)) with (IZR delta_above * k)
      by (field; lra). unfold k in *. lra.
Qed.

(** An event that shows the opposite: those outputs of [chosen] whose difference counts. *)
Definition breaks (x y : nat) (chosen : list nat) : bool :=
  let common := scaled c_below (shifted m
    (times (total (nth x weights [])) (total (nth y weights [])))) in
  positive (minus (scaled delta_below
      (fold_right (fun r s => if existsb (Nat.eqb r) chosen then plus (difference x y r) s else s)
        [] outputs))
    (scaled delta_above common)).

Theorem checked_broken epsilon x y chosen : exp epsilon <= c -> In (x, y) pairs ->
  breaks x y chosen = true ->
  probability outputs law x (fun r => existsb (Nat.eqb r) chosen) >
  exp epsilon * probability outputs law y (fun r => existsb (Nat.eqb r) chosen)
  + IZR delta_above / IZR delta_below.
Proof.
  intros C N E. apply positive_sound in E. rewrite value_minus, !value_scaled, value_shifted, value_times in E.
  pose proof (common_pos x y N) as K. destruct (pair_sound x y N) as [_ Y].
  destruct (dataset_sound y Y) as (_ & W & T).
  assert (value (fold_right (fun r s => if existsb (Nat.eqb r) chosen then plus (difference x y r) s
      else s) [] outputs) =
    (probability outputs law x (fun r => existsb (Nat.eqb r) chosen) -
     c * probability outputs law y (fun r => existsb (Nat.eqb r) chosen)) *
    (IZR c_below * t ^ m * (value (total (nth x weights [])) * value (total (nth y weights []))))) as V.
  { clear E. unfold probability. induction outputs as [|r l IH]; cbn [fold_right sum value]; [ring|].
    destruct (existsb (Nat.eqb r) chosen); [|rewrite IH; ring].
    rewrite value_plus, IH, difference_sound by exact N. ring. }
  rewrite V in E. clear V.
  assert (0 <= probability outputs law y (fun r => existsb (Nat.eqb r) chosen)) as Q.
  { apply sum_nonneg. intros r _. destruct (existsb _ _); [|lra].
    apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto. }
  set (p := probability _ _ x _) in *. set (q := probability _ _ y _) in *.
  set (k := IZR c_below * t ^ m * (_ * _)) in *.
  assert (exp epsilon * q <= c * q) by (apply Rmult_le_compat_r; auto).
  assert (0 < IZR delta_below) by (apply IZR_lt; auto).
  assert (IZR delta_above / IZR delta_below < p - c * q); [|lra].
  apply Rmult_lt_reg_r with (IZR delta_below * k); [apply Rmult_lt_0_compat; auto|].
  replace (IZR delta_above / IZR delta_below * (IZR delta_below * k)) with (IZR delta_above * k)
    by (field; lra). unfold k in *. lra.
Qed.

Theorem checked_loss a x y r : exp a <= c -> In (x, y) pairs -> (r < size)%nat ->
  positive (weight y r) && nonneg (difference x y r) = true ->
  loses_at outputs neighbours law x y r a.
Proof.
  intros C N L [P E]%andb_prop. apply positive_sound in P. apply nonneg_sound in E.
  rewrite difference_sound in E by exact N. pose proof (common_pos x y N) as K.
  destruct (pair_sound x y N) as [_ Y]. destruct (dataset_sound y Y) as (_ & _ & T).
  split; [exact N|]. split; [apply in_seq; lia|].
  assert (0 < law y r) by (apply Rdiv_lt_0_compat; auto). split; [auto|].
  assert (exp a * law y r <= c * law y r) by (apply Rmult_le_compat_r; lra).
  assert (0 <= law x r - c * law y r); [|lra].
  apply Rmult_le_reg_r with (IZR c_below * t ^ m *
    (value (total (nth x weights [])) * value (total (nth y weights [])))); lra.
Qed.
End Polynomials.

(** The multiple is a power of e itself where ε is a logarithm and whole steps of the rate. *)
Lemma multiple_is t rate above below m :
  t = exp (- rate) -> (0 < above)%Z -> (0 < below)%Z ->
  c t above below m = exp (ln (IZR above / IZR below) + IZR (Z.of_nat m) * rate).
Proof.
  intros -> A B. apply IZR_lt in A, B. unfold c.
  rewrite exp_plus, exp_ln by (apply Rdiv_lt_0_compat; auto).
  rewrite <- INR_IZR_INZ. replace (exp (- rate) ^ m) with (/ exp (INR m * rate)).
  - field. split; [lra|]. apply Rgt_not_eq, exp_pos.
  - rewrite <- exp_Ropp. induction m as [|m IH].
    { simpl. replace (- (0 * rate)) with 0 by ring. apply exp_0. }
    rewrite <- tech_pow_Rmult, <- IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

Lemma over_one r : r / 1 = r.
Proof. field. Qed.
