(** Typed statements about the probabilities of scores: the lemmas of N about M_H, as they are printed. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall
  TheoremsTyped TheoremsSteps TheoremsPrivacy TheoremsMechanisms TheoremsArguments.
Open Scope R_scope.

Lemma lower_score g m e s t y : 0 < y -> 0 <= g -> g * m = e / 2 -> - m <= t ->
  exp (g * s) / y <= exp (e / 2) * (exp (g * (s + t)) / y).
Proof.
  intros Y P M T. replace (exp (e / 2) * (exp (g * (s + t)) / y)) with (exp (e / 2) * exp (g * (s + t)) / y) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact Y|]. rewrite <- exp_plus. apply exp_monotone.
  assert (g * - m <= g * t) by (apply Rmult_le_compat_l; auto). lra.
Qed.

Section Scores.
Variables (G : R -> R) (e d : R) (n c : Z).
Hypothesis gamma : is_gamma G.
Hypothesis E : 0 <= e.
Hypothesis D : 0 < d < 1.
Hypothesis N : (1 <= n)%Z.
Hypothesis C : (0 <= c <= n)%Z.
Notation beta := (ln (1 - e / (2 * ln (d / (2 * (IZR n + 1)))))).
Notation S := (beta_smooth G 1 1 beta (IZR c) (IZR n - IZR c)).
Notation h r := (distance G (1 + IZR c) (1 + IZR n - IZR c) (1 + IZR r) (1 + IZR n - IZR r)).
Notation f := (e / (2 * S)).
Notation z := (total G f 1 1 n c).
Notation P r := (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r)).

Lemma sensitivity_above : local_sensitivity G 1 1 (IZR c) (IZR n - IZR c) <= S /\ 0 < S.
Proof.
  pose proof (local_positive G 1 1 n c gamma ltac:(lra) ltac:(lra) C N).
  pose proof (beta_above G 1 1 n beta c C). split; lra.
Qed.

Lemma factor_nonneg : 0 <= f.
Proof. destruct sensitivity_above. apply Rmult_le_pos; [exact E|]. left. apply Rinv_0_lt_compat. lra. Qed.

Lemma z_positive : 0 < z.
Proof. apply total_above_0. lia. Qed.

(** P(u = s) is the number of candidates of this score times the density there. *)
Lemma counted_score s : range_sum 0 (IZR n) (fun r => P r * same (- h r) s) =
  exp (f * s) / z * range_sum 0 (IZR n) (fun r => same (- h r) s).
Proof.
  rewrite <- range_sum_scaled. apply (range_sum_ext 0 n). intros r _. rewrite law_of.
  destruct (same_is (- h r) s) as [[Q ->]|[_ ->]]; [|ring]. rewrite <- Q. do 3 f_equal. ring.
Qed.

Lemma numbers s : 0 <= range_sum 0 (IZR n) (fun r => same (- h r) s).
Proof.
  replace 0 with (range_sum 0 (IZR n) (fun _ => 0)) at 1 by (rewrite range_sum_constant by lia; ring).
  apply (range_sum_le 0 n). intros r _. destruct (same_is (- h r) s) as [[_ ->]|[_ ->]]; lra.
Qed.

Lemma no_score s : (forall r, (0 <= r <= n)%Z -> - h r <> s) -> range_sum 0 (IZR n) (fun r => P r * same (- h r) s) = 0.
Proof.
  intros A. rewrite (range_sum_ext 0 n _ (fun _ => 0)); [rewrite range_sum_constant by lia; ring|].
  intros r R'. destruct (same_is (- h r) s) as [[Q _]|[_ ->]]; [destruct (A r R' Q)|ring].
Qed.

Lemma slides s t : - S <= t -> exp (f * s) / z <= exp (e / 2) * (exp (f * (s + t)) / z).
Proof.
  intros T. apply lower_score with S; auto using z_positive, factor_nonneg.
  destruct sensitivity_above as [_ Q]. field. apply Rgt_not_eq. exact Q.
Qed.
End Scores.

(* proves on: sliding-literal *)
Theorem sliding_literal : s_sliding_literal_smaller.
Proof.
  intros G gamma e d s t n c N0 C E D D1 N L T M. counts.
  rewrite !counted_score. pose proof (slides G e d n c gamma E N (conj C L) s t T) as K.
  pose proof (numbers G n c N s) as A. pose proof (z_positive G e d n c N) as Z.
  pose proof (exp_pos (e / 2)) as X.
  match type of K with ?p <= _ * ?q => set (u := p) in *; set (v := q) in * end.
  match type of M with ?x <= ?y => set (m := x) in *; set (k := y) in * end.
  assert (0 < v) as V by (apply over_positive; [apply exp_pos|exact Z]).
  assert (u * m <= exp (e / 2) * v * m) by (apply Rmult_le_compat_r; auto).
  assert (exp (e / 2) * v * m <= exp (e / 2) * v * k) by (apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; auto|auto]).
  lra.
Qed.

(** One record: the candidates are x, and another one at distance h ≤ S(x). *)
Section One.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation S := (beta_smooth G 1 1 (ln (1 - 1 / (2 * ln (1 / 4 / (2 * (1 + 1)))))) 0 (1 - 0)).
Notation f := (1 / (2 * S)).
Notation h := (distance G (1 + 0) (1 + 1 - 0) (1 + 1) (1 + 1 - 1)).

Lemma own_score : distance G (1 + 0) (1 + 1 - 0) (1 + 0) (1 + 1 - 0) = 0.
Proof. apply distance_self; auto; lra. Qed.

Lemma other_score : 0 < h /\ f * h <= 1 / 2.
Proof.
  pose proof (other_positive G 1 1 1 0 1 gamma ltac:(lra) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)) as P. split; [exact P|].
  destruct (sensitivity_above G 1 (1 / 4) 1 0 gamma ltac:(lia) ltac:(lia)) as [A Q].
  pose proof (local_right G 1 1 0 (1 - 0) ltac:(lra)) as L.
  replace (distance G (1 + 0) (1 + (1 - 0)) (1 + 0 + 1) (1 + (1 - 0) - 1)) with h in L by (f_equal; lra).
  assert (f * S = 1 / 2) as W by (field; apply Rgt_not_eq; exact Q). apply Rle_trans with (f * S); [|right; exact W].
  apply Rmult_le_compat_l; [|lra]. left. apply over_positive; [lra|]. apply Rmult_lt_0_compat; [lra|exact Q].
Qed.

Lemma one_total : 0 < total G f 1 1 1 0 <= 2.
Proof.
  split; [apply total_above_0; lia|].
  pose proof (total_range G 1 1 f 1 0 gamma ltac:(lra) ltac:(lra) ltac:(lia)
    (factor_nonneg G 1 (1 / 4) 1 0 gamma ltac:(lra) ltac:(lia) ltac:(lia))) as [_ U]. lra.
Qed.
End One.

(* disproves: sliding-literal *)
Theorem sliding_literal_fails : s_sliding_literal_false.
Proof.
  intros G gamma F. specialize (F 1 (1 / 4) 0 1 1%Z 0%Z). point F.
  rewrite (no_score G 1 (1 / 4) 1 0 ltac:(lia) (0 + 1)), (counted_score G 1 (1 / 4) 1 0 0), sum_of_two in F.
  - destruct (one_total G gamma) as [T0 T1]. rewrite (own_score G gamma), Rmult_0_r, exp_0 in F.
    match type of F with 1 / ?t * (?x + ?y) <= _ => set (z := t) in *; assert (1 <= x + y) as M end.
    { destruct (same_is (- 0) 0) as [[_ ->]|[Q _]]; [|destruct Q; ring].
      match goal with |- 1 <= 1 + same ?u ?v => destruct (same_is u v) as [[_ ->]|[_ ->]] end; lra. }
    assert (1 / 2 <= 1 / z) by (unfold Rdiv; apply Rmult_le_compat_l; [lra|]; apply Rinv_le_contravar; lra).
    match type of F with 1 / z * ?m <= _ => assert (1 / z * 1 <= 1 / z * m) by (apply Rmult_le_compat_l; lra) end. lra.
  - intros r _. pose proof (distance_nonneg G (1 + 0) (1 + 1 - 0) (1 + IZR r) (1 + 1 - IZR r)). lra.
Qed.

(* proves on: dilation-literal *)
Theorem dilation_literal : s_dilation_literal_smaller.
Proof.
  intros G gamma e d l s n c N0 C E' D D1 N L B' M.
  assert (1 <= n)%Z as N' by (apply le_IZR; lra). assert (0 <= c <= n)%Z as C' by (split; apply le_IZR; lra).
  destruct (sensitivity_above G e d n c gamma N' C') as [_ Q].
  pose proof (dilation_density G gamma 1 1 e d l _ n c N0 C ltac:(lra) ltac:(lra) E' D D1 (Rlt_gt _ _ Q) N L B') as U.
  rewrite (counted_score G e d n c (exp l * s)). pose proof (numbers G n c N' s) as A.
  match type of M with ?x <= ?y => set (m := x) in *; set (k := y) in * end.
  set (S := beta_smooth G 1 1 _ (IZR c) (IZR n - IZR c)) in *. set (f := e / (2 * S)) in *.
  pose proof (total_above_0 G f 1 1 n c ltac:(lia)) as Z. set (z := total G f 1 1 n c) in *.
  set (v := exp (f * (exp l * s)) / z).
  assert (0 < v) as V by (apply over_positive; [apply exp_pos|exact Z]). pose proof (exp_pos (e / 2)) as X.
  assert (exp (e / 2) * v * m <= exp (e / 2) * v * k) as Y by (apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; auto|auto]).
  apply Rle_trans with (d / 2 + exp (e / 2) * v * m); [|lra].
  apply Rle_trans with (2 := Rplus_le_compat_r (exp (e / 2) * v * m) _ _ U). unfold m.
  rewrite <- range_sum_scaled, <- range_sum_plus. apply (range_sum_le 0 n). intros r R'.
  set (h := distance G (1 + IZR c) (1 + IZR n - IZR c) (1 + IZR r) (1 + IZR n - IZR r)).
  pose proof (Rmax_l 0 (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) -
    exp (e / 2) * (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) *
    exp (e * (1 - exp l) * h / (2 * S))))) as J.
  pose proof (Rmax_r 0 (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) -
    exp (e / 2) * (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) *
    exp (e * (1 - exp l) * h / (2 * S))))) as J2.
  destruct (same_is (- h) s) as [[T ->]|[_ ->]]; [|rewrite !Rmult_0_r, Rplus_0_r; exact J]. rewrite !Rmult_1_r.
  assert (exponential G f 1 1 (IZR c) (IZR n - IZR c) (IZR r) (IZR n - IZR r) * exp (e * (1 - exp l) * h / (2 * S)) = v) as W.
  { rewrite law_of. fold h z. unfold v. replace (exp (- f * h) / z * exp (e * (1 - exp l) * h / (2 * S)))
      with (exp (- f * h) * exp (e * (1 - exp l) * h / (2 * S)) / z) by (field; lra).
    rewrite <- exp_plus. do 2 f_equal. rewrite <- T. unfold f. field. lra. }
  rewrite W in *. lra.
Qed.

(* disproves: dilation-literal *)
Theorem dilation_literal_fails : s_dilation_literal_false.
Proof.
  intros G gamma F. destruct (other_score G gamma) as [H0 H1]. destruct (one_total G gamma) as [T0 T1].
  set (h := distance G (1 + 0) (1 + 1 - 0) (1 + 1) (1 + 1 - 1)) in *.
  specialize (F 1 (1 / 4) (-1) (- h) 1%Z 0%Z).
  pose proof (beta_positive 1 (1 / 4) 1%Z) as B'. point B'. point F.
  pose proof (exp_increasing (-1) 0 ltac:(lra)) as X. rewrite exp_0 in X. pose proof (exp_pos (-1)) as Y.
  assert (exp (-1) * h < 1 * h) by (apply Rmult_lt_compat_r; lra). assert (0 < exp (-1) * h) by (apply Rmult_lt_0_compat; lra).
  rewrite (no_score G 1 (1 / 4) 1 0 ltac:(lia) (exp (-1) * - h)), (counted_score G 1 (1 / 4) 1 0 (- h)), sum_of_two in F.
  - fold h in F. rewrite (own_score G gamma) in F.
    match type of F with exp ?a / ?t * (?x + ?y) <= _ => set (z := t) in *; assert (1 <= x + y) as M; [|assert (1 / 2 <= exp a) as W] end.
    { destruct (same_is (- h) (- h)) as [[_ ->]|[Q _]]; [|destruct Q; ring].
      match goal with |- 1 <= same ?u ?v + 1 => destruct (same_is u v) as [[_ ->]|[_ ->]] end; lra. }
    { eapply Rle_trans; [|apply exp_ineq1_le]. lra. }
    match type of F with exp ?a / z * ?m <= _ => set (w := exp a) in *; set (k := m) in * end.
    assert (w / z * 1 <= w / z * k) by (apply Rmult_le_compat_l; [left; apply over_positive; lra|lra]).
    assert (1 / 4 <= w / z).
    { apply Rmult_le_reg_r with z; [lra|]. replace (w / z * z) with w by (field; lra). lra. }
    lra.
  - intros r R'. assert (r = 0 \/ r = 1)%Z as [->| ->] by lia.
    + rewrite (own_score G gamma). lra.
    + fold h. lra.
Qed.
