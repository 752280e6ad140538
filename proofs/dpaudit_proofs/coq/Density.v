(** The smooth mechanism's density: sliding, dilation and the bound that β is made for (N §2.3).

    h(u) = exp(εu/(2S))/NL, where u is a score ≤ 0 and NL the sum over all candidates, among which
    the optimum has score 0. *)
Require Import Reals List Psatz.
From dpaudit Require Import Laws.
Import ListNotations.
Open Scope R_scope.

Section Density.
Variables (epsilon S NL : R).
Hypothesis epsilon_pos : 0 < epsilon.
Hypothesis S_pos : 0 < S.
Hypothesis NL_large : 1 <= NL.

Definition h (u : R) : R := exp (epsilon * u / (2 * S)) / NL.

Lemma h_pos u : 0 < h u.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos|lra]. Qed.

Lemma h_ratio u v : epsilon * (u - v) / (2 * S) <= epsilon / 2 -> h u <= exp (epsilon / 2) * h v.
Proof.
  intros L. unfold h.
  replace (exp (epsilon / 2) * (exp (epsilon * v / (2 * S)) / NL))
    with (exp (epsilon / 2 + epsilon * v / (2 * S)) * / NL) by (rewrite exp_plus; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  assert (epsilon * u / (2 * S) <= epsilon / 2 + epsilon * v / (2 * S)) as [A|A].
  { replace (epsilon * (u - v) / (2 * S)) with (epsilon * u / (2 * S) - epsilon * v / (2 * S)) in L
      by (field; lra). lra. }
  - left. apply exp_increasing. exact A.
  - rewrite <- A. lra.
Qed.

(* abstract: sliding-density *)
Theorem sliding delta u step : 0 <= delta -> - S <= step ->
  h u <= exp (epsilon / 2) * h (u + step) + delta / 2.
Proof.
  intros N L. assert (h u <= exp (epsilon / 2) * h (u + step)); [|lra]. apply h_ratio.
  replace (epsilon * (u - (u + step)) / (2 * S)) with (epsilon / 2 * (- step / S)) by (field; lra).
  assert (- step / S <= 1). { apply Rmult_le_reg_r with S; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rle_trans with (epsilon / 2 * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

(** β = ln(1 − ε/(2·ln(δ/(2·count)))). *)
Definition beta (delta count : R) : R := ln (1 - epsilon / (2 * ln (delta / (2 * count)))).

Section Beta.
Variables delta count : R.
Hypothesis delta_range : 0 < delta < 1.
Hypothesis count_large : 1 <= count.

Lemma logarithm_negative : ln (delta / (2 * count)) < 0.
Proof.
  rewrite <- ln_1. assert (0 < delta / (2 * count)) by (apply Rdiv_lt_0_compat; lra).
  apply ln_increasing; auto. apply Rmult_lt_reg_r with (2 * count); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma inside_above : 1 < 1 - epsilon / (2 * ln (delta / (2 * count))).
Proof.
  pose proof logarithm_negative as L. set (l := ln (delta / (2 * count))) in *.
  assert (0 < epsilon / (2 * - l)) by (apply Rdiv_lt_0_compat; lra).
  replace (epsilon / (2 * l)) with (- (epsilon / (2 * - l))) by (field; lra). lra.
Qed.

(* claim: beta-positive *)
Theorem beta_positive : 0 < beta delta count.
Proof. unfold beta. rewrite <- ln_1. pose proof inside_above. apply ln_increasing; lra. Qed.

(* claim: beta-bound *)
Theorem beta_bound lambda : 0 < lambda <= beta delta count ->
  count * exp (epsilon / (2 * (1 - exp lambda))) <= delta / 2.
Proof.
  intros [P L]. pose proof logarithm_negative as N. pose proof inside_above as A.
  assert (1 < exp lambda) as E by (rewrite <- exp_0; apply exp_increasing; exact P).
  assert (exp lambda <= 1 - epsilon / (2 * ln (delta / (2 * count)))) as M.
  { rewrite <- (exp_ln (1 - epsilon / (2 * ln (delta / (2 * count))))) by lra.
    unfold beta in L. destruct L as [L|L]; [left; apply exp_increasing; exact L|rewrite L; lra]. }
  set (l := ln (delta / (2 * count))) in *.
  assert (epsilon / (2 * (1 - exp lambda)) <= l) as K.
  { apply Ropp_le_cancel. replace (- (epsilon / (2 * (1 - exp lambda))))
      with (epsilon / (2 * (exp lambda - 1))) by (field; lra).
    apply Rmult_le_reg_r with (2 * (exp lambda - 1)); [lra|].
    replace (epsilon / (2 * (exp lambda - 1)) * (2 * (exp lambda - 1))) with epsilon by (field; lra).
    replace (epsilon / (2 * l)) with (- (epsilon / (2 * - l))) in M by (field; lra).
    assert ((exp lambda - 1) * (2 * - l) <= epsilon / (2 * - l) * (2 * - l)).
    { apply Rmult_le_compat_r; lra. }
    replace (epsilon / (2 * - l) * (2 * - l)) with epsilon in H by (field; lra). lra. }
  apply Rle_trans with (count * exp l).
  - apply Rmult_le_compat_l; [lra|]. destruct K as [K|K]; [left; apply exp_increasing; exact K|rewrite K; lra].
  - unfold l. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). right. field. lra.
Qed.

(** Scores that the dilation moves by at most S; this is the event G the right way round. *)
Lemma dilation_near lambda u : u <= 0 -> u * (1 - exp lambda) <= S ->
  h u <= exp (epsilon / 2) * h (exp lambda * u).
Proof.
  intros U L. apply h_ratio.
  replace (epsilon * (u - exp lambda * u) / (2 * S)) with (epsilon / 2 * (u * (1 - exp lambda) / S))
    by (field; lra).
  apply Rle_trans with (epsilon / 2 * 1); [apply Rmult_le_compat_l; [lra|]|lra].
  apply Rmult_le_reg_r with S; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma dilation_far lambda u : 0 < lambda -> S < u * (1 - exp lambda) ->
  h u <= exp (epsilon / (2 * (1 - exp lambda))).
Proof.
  intros P L. assert (1 < exp lambda) as E by (rewrite <- exp_0; apply exp_increasing; exact P).
  assert (u < S / (1 - exp lambda)) as F.
  { apply Ropp_lt_cancel. replace (- (S / (1 - exp lambda))) with (S / (exp lambda - 1)) by (field; lra).
    apply Rmult_lt_reg_r with (exp lambda - 1); [lra|].
    replace (S / (exp lambda - 1) * (exp lambda - 1)) with S by (field; lra). lra. }
  unfold h. apply Rle_trans with (exp (epsilon * u / (2 * S))).
  - pose proof (exp_pos (epsilon * u / (2 * S))). apply Rmult_le_reg_r with NL; [lra|].
    replace (exp (epsilon * u / (2 * S)) / NL * NL) with (exp (epsilon * u / (2 * S)) * 1) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - left. apply exp_increasing.
    replace (epsilon / (2 * (1 - exp lambda))) with (epsilon / (2 * S) * (S / (1 - exp lambda)))
      by (field; lra).
    replace (epsilon * u / (2 * S)) with (epsilon / (2 * S) * u) by (field; lra).
    apply Rmult_lt_compat_l; auto. apply Rdiv_lt_0_compat; lra.
Qed.

(** T is any set of at most [count] candidates, each with its score. *)
(* abstract: dilation-density *)
Theorem dilation lambda T : lambda <= beta delta count ->
  (forall u, In u T -> u <= 0) -> INR (length T) <= count ->
  sum h T <= exp (epsilon / 2) * sum (fun u => h (exp lambda * u)) T + delta / 2.
Proof.
  intros L N C.
  assert (sum h T <= sum (fun u => exp (epsilon / 2) * h (exp lambda * u) + delta / (2 * count)) T) as M.
  { apply sum_le. intros u I. specialize (N u I).
    assert (0 < delta / (2 * count)) by (apply Rdiv_lt_0_compat; lra).
    destruct (Rle_lt_dec (u * (1 - exp lambda)) S) as [F|F].
    - pose proof (dilation_near lambda u N F). lra.
    - destruct (Rle_lt_dec lambda 0) as [K|K].
      + exfalso. assert (exp lambda <= 1).
        { rewrite <- exp_0. destruct K as [K|K]; [left; apply exp_increasing; exact K|rewrite K; lra]. }
        assert (0 <= - u * (1 - exp lambda)) by (apply Rmult_le_pos; lra). lra.
      + pose proof (dilation_far lambda u K F) as D.
        pose proof (beta_bound lambda (conj K L)) as Bd.
        assert (exp (epsilon / (2 * (1 - exp lambda))) <= delta / (2 * count)).
        { apply Rmult_le_reg_l with count; [lra|].
          replace (count * (delta / (2 * count))) with (delta / 2) by (field; lra). exact Bd. }
        pose proof (h_pos (exp lambda * u)). pose proof (exp_pos (epsilon / 2)).
        assert (0 < exp (epsilon / 2) * h (exp lambda * u)) by (apply Rmult_lt_0_compat; auto). lra. }
  apply Rle_trans with (1 := M).
  assert (forall l : list R, sum (fun u => exp (epsilon / 2) * h (exp lambda * u) + delta / (2 * count)) l =
    exp (epsilon / 2) * sum (fun u => h (exp lambda * u)) l + INR (length l) * (delta / (2 * count))) as E.
  { induction l as [|u l IH]; [simpl; ring|]. cbn [sum length]. rewrite IH, S_INR. ring. }
  rewrite E. assert (0 < delta / (2 * count)) by (apply Rdiv_lt_0_compat; lra).
  assert (INR (length T) * (delta / (2 * count)) <= count * (delta / (2 * count)))
    by (apply Rmult_le_compat_r; lra).
  replace (count * (delta / (2 * count))) with (delta / 2) in H0 by (field; lra). lra.
Qed.
End Beta.

(** The printed event has the inequality the wrong way round: below S/(1 − e^λ) the log-ratio is
    above ε/2, and so it is at every score there. *)
(* part of: dilation-event *)
Theorem printed_event_fails lambda u : 0 < lambda -> u < S / (1 - exp lambda) ->
  epsilon / 2 < epsilon / 2 * (u * (1 - exp lambda)) / S.
Proof.
  intros P L. assert (1 < exp lambda) as E by (rewrite <- exp_0; apply exp_increasing; exact P).
  assert (S < u * (1 - exp lambda)) as M.
  { apply Rmult_lt_compat_r with (r := exp lambda - 1) in L; [|lra].
    replace (S / (1 - exp lambda) * (exp lambda - 1)) with (- S) in L by (field; lra). lra. }
  apply Rmult_lt_reg_r with S; auto.
  replace (epsilon / 2 * (u * (1 - exp lambda)) / S * S) with (epsilon / 2 * (u * (1 - exp lambda)))
    by (field; lra). apply Rmult_lt_compat_l; lra.
Qed.
End Density.
