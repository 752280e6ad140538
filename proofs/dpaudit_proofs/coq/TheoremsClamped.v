(** Typed statements about mechanisms with rounded, clamped Laplace noise. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise.
Open Scope R_scope.

(** Laplace noise: tails and cells from one whole number to the next. *)
Section Noise.
Variables (s q : R).
Hypothesis S : 0 < s.
Hypothesis Q : q = exp (1 / s).

Lemma q_above : 1 < q.
Proof. rewrite Q. pose proof (exp_increasing 0 (1 / s)) as X. rewrite exp_0 in X. apply X, over_positive; lra. Qed.

Lemma exp_next t : exp ((t + 1) / s) = q * exp (t / s).
Proof. rewrite Q, <- exp_plus. f_equal. field. lra. Qed.

Lemma F_low t : t <= 0 -> F_lap s t = exp (t / s) / 2.
Proof. apply F_left. exact S. Qed.

Lemma F_high t : 0 <= t -> F_lap s t = 1 - exp (- t / s) / 2.
Proof. apply F_right. exact S. Qed.

Lemma tail_above t : t + 1 <= 0 \/ 0 <= t -> 0 <= F_lap s t /\ F_lap s t <= F_lap s (t + 1) <= q * F_lap s t.
Proof.
  pose proof q_above. intros [T|T].
  - rewrite !F_low by lra. rewrite exp_next. pose proof (exp_pos (t / s)).
    assert (1 * exp (t / s) <= q * exp (t / s)) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite !F_high by lra. pose proof (exp_next (- (t + 1))) as E. replace (- (t + 1) + 1) with (- t) in E by ring.
    rewrite E. pose proof (exp_pos (- (t + 1) / s)) as P. set (x := exp (- (t + 1) / s)) in *.
    assert (q * x <= 1).
    { rewrite <- E, <- exp_0. apply exp_monotone. assert (0 <= t / s) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
      replace (- t / s) with (- (t / s)) by (field; lra). lra. }
    assert (1 * x <= q * x) by (apply Rmult_le_compat_r; lra).
    assert (0 <= (q - 1) * (1 - (q * x + x) / 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The cells [t, t + 1) and [t − 1, t), neither of which has 0 inside. *)
Lemma cells t : t + 1 <= 0 \/ t = 0 \/ 1 <= t ->
  F_lap s (t + 1) - F_lap s t <= q * (F_lap s t - F_lap s (t - 1)) /\
  F_lap s t - F_lap s (t - 1) <= q * (F_lap s (t + 1) - F_lap s t).
Proof.
  pose proof q_above. pose proof (exp_next (t - 1)) as E1. pose proof (exp_next t) as E2.
  pose proof (exp_next (- t)) as E3. pose proof (exp_next (- (t + 1))) as E4.
  replace (t - 1 + 1) with t in E1 by ring. replace (- (t + 1) + 1) with (- t) in E4 by ring.
  replace (- t + 1) with (- (t - 1)) in E3 by ring. intros [T|[T|T]].
  - rewrite !F_low by lra. rewrite E2, E1. pose proof (exp_pos ((t - 1) / s)). set (x := exp ((t - 1) / s)) in *.
    assert (0 <= (q - 1) * x) by (apply Rmult_le_pos; lra).
    assert (0 <= (q * q - 1) * ((q - 1) * x)).
    { apply Rmult_le_pos; [|assumption]. assert (1 * 1 <= q * q) by (apply Rmult_le_compat; lra). lra. } lra.
  - subst t. rewrite (F_high (0 + 1)), (F_low 0), (F_low (0 - 1)) by lra. rewrite E1 in *.
    replace (- (0 + 1)) with (0 - 1) by ring. pose proof (exp_pos ((0 - 1) / s)).
    assert (exp (0 / s) = 1) as Z by (unfold Rdiv; rewrite Rmult_0_l; apply exp_0).
    rewrite E1 in Z. set (x := exp ((0 - 1) / s)) in *. rewrite Z.
    assert (x <= 1). { assert (1 * x <= q * x) by (apply Rmult_le_compat_r; lra). lra. }
    assert (0 <= (q - 1) * (1 - x)) by (apply Rmult_le_pos; lra). lra.
  - rewrite !F_high by lra. rewrite E3, E4. pose proof (exp_pos (- (t + 1) / s)). set (x := exp (- (t + 1) / s)) in *.
    assert (0 <= (q - 1) * x) by (apply Rmult_le_pos; lra).
    assert (0 <= (q * q - 1) * ((q - 1) * x)).
    { apply Rmult_le_pos; [|assumption]. assert (1 * 1 <= q * q) by (apply Rmult_le_compat; lra). lra. } lra.
Qed.

Lemma last_cell t : 1 <= t -> 1 - F_lap s (t - 1) = q * (1 - F_lap s t) /\ 0 <= 1 - F_lap s t.
Proof.
  intros T. rewrite !F_high by lra. pose proof (exp_next (- t)) as E. replace (- t + 1) with (- (t - 1)) in E by ring.
  rewrite E. pose proof (exp_pos (- t / s)). split; [field|]; lra.
Qed.

Lemma noise_private (n c r : Z) : (0 <= c)%Z -> (c + 1 <= n)%Z ->
  F_lap s (IZR r + 1 - IZR c) - F_lap s (IZR r - IZR c) <= q * (F_lap s (IZR r - IZR c) - F_lap s (IZR r - IZR c - 1)) /\
  F_lap s (IZR r - IZR c) - F_lap s (IZR r - IZR c - 1) <= q * (F_lap s (IZR r + 1 - IZR c) - F_lap s (IZR r - IZR c)) /\
  F_lap s (1 - IZR c) <= q * F_lap s (- IZR c) /\ F_lap s (- IZR c) <= q * F_lap s (1 - IZR c) /\
  1 - F_lap s (IZR n - IZR c) <= q * (1 - F_lap s (IZR n - IZR c - 1)) /\
  1 - F_lap s (IZR n - IZR c - 1) <= q * (1 - F_lap s (IZR n - IZR c)) /\
  1 - F_lap s (IZR n - IZR c - 1) = q * (1 - F_lap s (IZR n - IZR c)).
Proof.
  intros C L. pose proof q_above. apply IZR_le in L as L'. apply IZR_le in C as C'. rewrite plus_IZR in L'.
  pose proof (cells (IZR r - IZR c)) as K. replace (IZR r - IZR c + 1) with (IZR r + 1 - IZR c) in K by ring.
  destruct K as [K1 K2].
  { destruct (Z_lt_le_dec r c) as [M|M]; [left|right; destruct (Z_lt_le_dec c r) as [M'|M']; [right|left]].
    - assert (IZR (r + 1) <= IZR c) by (apply IZR_le; lia). rewrite plus_IZR in *. lra.
    - assert (IZR (c + 1) <= IZR r) by (apply IZR_le; lia). rewrite plus_IZR in *. lra.
    - replace r with c by lia. ring. }
  destruct (tail_above (- IZR c)) as (T0 & T1 & T2).
  { destruct (Z_lt_le_dec 0 c) as [M|M]; [left|right].
    - assert (1 <= IZR c) by (apply (IZR_le 1); lia). lra.
    - replace c with 0%Z by lia. lra. }
  replace (- IZR c + 1) with (1 - IZR c) in * by ring. destruct (last_cell (IZR n - IZR c)) as [E E0]; [lra|].
  repeat split; try lra.
  - assert (1 * F_lap s (1 - IZR c) <= q * F_lap s (1 - IZR c)) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite E. assert (1 * (1 - F_lap s (IZR n - IZR c)) <= q * (1 - F_lap s (IZR n - IZR c))) by (apply Rmult_le_compat_r; lra).
    assert (1 * (q * (1 - F_lap s (IZR n - IZR c))) <= q * (q * (1 - F_lap s (IZR n - IZR c)))) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End Noise.

(* proves: two-LSHist-dp *)
Theorem two_LSHist_dp : s_two_LSHist_dp.
Proof.
  intros e n c r N C R' E L M. apply noise_private; [apply over_positive; lra| |apply le_IZR; lra|apply le_IZR; rewrite plus_IZR; lra].
  f_equal. field. lra.
Qed.

(* proves: two-LSZhang-dp *)
Theorem two_LSZhang_dp : s_two_LSZhang_dp.
Proof.
  intros e n c r N C R' E L M. apply noise_private; [apply over_positive; lra| |apply le_IZR; lra|apply le_IZR; rewrite plus_IZR; lra].
  f_equal. field. lra.
Qed.
