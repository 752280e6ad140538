(** Laplace noise that is rounded down and clamped to 0 … n: outputs, events, one record more. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words TheoremsNoise Values TheoremsMechanisms TheoremsScores TheoremsClamped.
Open Scope R_scope.

Section Noise.
Variable s : R.
Hypothesis S : 0 < s.

Lemma F_bounds t : 0 < F_lap s t < 1.
Proof.
  destruct (Rle_dec t 0) as [T|T].
  - rewrite F_left by auto. pose proof (exp_pos (t / s)). assert (exp (t / s) <= 1); [|lra].
    rewrite <- exp_0. apply exp_monotone. replace (t / s) with (- (- t / s)) by (field; lra).
    assert (0 <= - t / s); [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. exact S.
  - rewrite F_right by lra. pose proof (exp_pos (- t / s)). assert (exp (- t / s) < 1); [|lra].
    rewrite <- exp_0. apply exp_increasing. assert (0 < t / s) by (apply over_positive; lra).
    replace (- t / s) with (- (t / s)) by (field; lra). lra.
Qed.

Lemma F_grows t u : t < u -> F_lap s t < F_lap s u.
Proof.
  intros L. assert (forall x y, x < y -> x / s < y / s) as D.
  { intros x y X. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; exact S|exact X]. }
  destruct (Rle_dec u 0) as [U|U].
  - rewrite !F_left by lra. pose proof (exp_increasing _ _ (D t u L)). lra.
  - destruct (Rle_dec t 0) as [T|T].
    + rewrite F_left, F_right by lra. pose proof (exp_increasing _ _ (D (- u) 0 ltac:(lra))) as A.
      replace (0 / s) with 0 in A by (field; lra). rewrite exp_0 in A.
      assert (exp (t / s) <= 1) as B; [|lra]. rewrite <- exp_0. apply exp_monotone.
      destruct T as [T| ->]; [left; replace 0 with (0 / s) by (field; lra); apply D; exact T|right; field; lra].
    + rewrite !F_right by lra. pose proof (exp_increasing _ _ (D (- u) (- t) ltac:(lra))). lra.
Qed.

Variable n : Z.
Hypothesis N : (1 <= n)%Z.

(** P(the output < r), at whole r. *)
Definition edge (c : R) (r : Z) : R :=
  if Z_le_dec r 0 then 0 else if Z_lt_dec n r then 1 else F_lap s (IZR r - c).

Lemma clamp_is c r : (0 <= r <= n)%Z -> P_clamp s (IZR n) c (IZR r) = edge c (r + 1) - edge c r.
Proof.
  intros [R0 R1]. pose proof (IZR_le _ _ R0). pose proof (IZR_le _ _ R1). unfold P_clamp, edge. rewrite whole_IZR.
  destruct Req_EM_T as [_|Q]; [|destruct Q; reflexivity].
  destruct Rle_dec as [_|Q]; [|destruct Q; exact H]. destruct Rle_dec as [_|Q]; [|destruct Q; exact H0].
  destruct (Z_le_dec (r + 1) 0); [lia|]. destruct (Z_lt_dec n r); [lia|].
  apply (f_equal2 Rminus).
  - destruct Req_EM_T as [E|E].
    + apply eq_IZR in E. destruct Z_lt_dec; [reflexivity|lia].
    + destruct Z_lt_dec as [L|L]; [destruct E; f_equal; lia|]. rewrite plus_IZR. f_equal.
  - destruct Req_EM_T as [E|E].
    + apply eq_IZR in E. destruct Z_le_dec; [reflexivity|lia].
    + destruct Z_le_dec as [L|L]; [destruct E; f_equal; lia|reflexivity].
Qed.

Lemma edge_grows c r : (0 <= r <= n)%Z -> edge c r < edge c (r + 1).
Proof.
  intros R. unfold edge. pose proof (F_bounds (IZR r - c)). pose proof (F_bounds (IZR (r + 1) - c)).
  assert (F_lap s (IZR r - c) < F_lap s (IZR (r + 1) - c)) by (apply F_grows; rewrite plus_IZR; lra).
  destruct (Z_le_dec r 0), (Z_le_dec (r + 1) 0), (Z_lt_dec n r), (Z_lt_dec n (r + 1)); try lia; lra.
Qed.

Lemma clamp_positive c r : (0 <= r <= n)%Z -> 0 < P_clamp s (IZR n) c (IZR r).
Proof. intros R. rewrite clamp_is by auto. pose proof (edge_grows c r R). lra. Qed.

Lemma telescope (g : Z -> R) from count : added (fun r => g (r + 1)%Z - g r) from count = g (from + Z.of_nat count)%Z - g from.
Proof.
  revert from. induction count as [|m IH]; intros from; cbn [added].
  - replace (from + Z.of_nat 0)%Z with from by lia. ring.
  - rewrite IH. replace (from + 1 + Z.of_nat m)%Z with (from + Z.of_nat (Datatypes.S m))%Z by lia. ring.
Qed.

(** An event that has every output for noise from A to below B. *)
Lemma event c A B w : 0 <= c <= IZR n -> A <= 0 -> 0 < B -> (forall r, (0 <= r <= n)%Z -> 0 <= w r) ->
  (forall r, (0 <= r <= n)%Z -> IZR r - c < B -> A < IZR r + 1 - c -> 1 <= w r) ->
  F_lap s B - F_lap s A <= range_sum 0 (IZR n) (fun r => P_clamp s (IZR n) c (IZR r) * w r).
Proof.
  intros C A0 B0 W I. pose proof (F_grows A B ltac:(lra)) as O. pose proof (F_bounds A) as FA. pose proof (F_bounds B) as FB.
  set (clip v := Rmin (Rmax v (F_lap s A)) (F_lap s B)).
  apply Rle_trans with (range_sum 0 (IZR n) (fun r => clip (edge c (r + 1)) - clip (edge c r))).
  - unfold range_sum. rewrite !whole_IZR, (telescope (fun r => clip (edge c r))). rewrite Z2Nat.id by lia.
    assert (edge c (0 + (n - 0 + 1)) = 1) as ->.
    { unfold edge. destruct Z_le_dec; [lia|]. destruct Z_lt_dec; [reflexivity|lia]. }
    assert (edge c 0 = 0) as -> by reflexivity.
    unfold clip. rewrite (Rmax_left 1), (Rmin_right 1), (Rmax_right 0), Rmin_left by lra. lra.
  - apply (range_sum_le 0 n). intros r R. rewrite clamp_is by auto. pose proof (edge_grows c r R) as G. specialize (W r R).
    assert (0 <= edge c (r + 1) - edge c r) as D by lra.
    assert (clip (edge c (r + 1)) - clip (edge c r) <= edge c (r + 1) - edge c r) as Q.
    { unfold clip, Rmin, Rmax. repeat destruct Rle_dec; lra. }
    assert (0 <= (edge c (r + 1) - edge c r) * w r) as P by (apply Rmult_le_pos; auto).
    destruct (Rlt_dec (IZR r - c) B) as [L1|L1]; [destruct (Rlt_dec A (IZR r + 1 - c)) as [L2|L2]|].
    + specialize (I r R L1 L2). assert ((edge c (r + 1) - edge c r) * 1 <= (edge c (r + 1) - edge c r) * w r) by (apply Rmult_le_compat_l; auto). lra.
    + assert (edge c (r + 1) <= F_lap s A) as E.
      { assert (r < n)%Z by (apply lt_IZR; lra). unfold edge. destruct Z_le_dec; [lra|]. destruct Z_lt_dec; [lia|].
        rewrite plus_IZR. destruct (Rle_lt_or_eq_dec (IZR r + 1 - c) A ltac:(lra)) as [X|X]; [left; apply F_grows; exact X|rewrite X; lra]. }
      unfold clip. rewrite (Rmax_right (edge c (r + 1))), (Rmax_right (edge c r)), Rmin_left by lra. lra.
    + assert (F_lap s B <= edge c r) as E.
      { assert (0 < r)%Z by (apply lt_IZR; lra). unfold edge. destruct Z_le_dec; [lia|]. destruct Z_lt_dec; [lra|].
        destruct (Rle_lt_or_eq_dec B (IZR r - c) ltac:(lra)) as [X|X]; [left; apply F_grows; exact X|rewrite X; lra]. }
      unfold clip. rewrite (Rmax_left (edge c (r + 1))), (Rmax_left (edge c r)), !Rmin_right by lra. lra.
Qed.
End Noise.

Lemma same_1 x y : 0 <= same x y <= 1.
Proof. unfold same. destruct Req_EM_T; lra. Qed.

(** One record changes the probability of a noisy count by a factor of at most e^(1/s). *)
Lemma count_private s n c r : 0 < s -> (0 <= c)%Z -> (c + 1 <= n)%Z -> (0 <= r <= n)%Z ->
  P_clamp s (IZR n) (IZR c) (IZR r) <= exp (1 / s) * P_clamp s (IZR n) (IZR c + 1) (IZR r) /\
  P_clamp s (IZR n) (IZR c + 1) (IZR r) <= exp (1 / s) * P_clamp s (IZR n) (IZR c) (IZR r).
Proof.
  intros S C L R. rewrite !clamp_is by (auto; lia).
  destruct (noise_private s (exp (1 / s)) S eq_refl n c r C L) as (A1 & A2 & A3 & A4 & A5 & A6 & _).
  unfold edge. destruct (Z_le_dec (r + 1) 0); [lia|]. destruct (Z_lt_dec n r); [lia|]. rewrite plus_IZR.
  replace (IZR r + 1 - (IZR c + 1)) with (IZR r - IZR c) by ring. replace (IZR r - (IZR c + 1)) with (IZR r - IZR c - 1) by ring.
  destruct (Z_le_dec r 0) as [R0|R0], (Z_lt_dec n (r + 1)) as [R1|R1]; try lia.
  - assert (r = 0)%Z as -> by lia. replace (0 + 1 - IZR c) with (1 - IZR c) by ring. replace (0 - IZR c) with (- IZR c) by ring. lra.
  - assert (r = n)%Z as -> by lia. lra.
  - lra.
Qed.

Lemma added_same p from count : added (fun i => same (IZR i) (IZR p)) from count <= if Z_le_dec from p then 1 else 0.
Proof.
  revert from. induction count as [|m IH]; intros from; cbn [added]; [destruct Z_le_dec; lra|]. specialize (IH (from + 1)%Z).
  unfold same at 1. destruct Req_EM_T as [E|E].
  - apply eq_IZR in E. subst. destruct (Z_le_dec (p + 1) p); [lia|]. destruct (Z_le_dec p p); [lra|lia].
  - destruct (Z_le_dec from p), (Z_le_dec (from + 1) p); try lia; try lra. 
Qed.

Lemma sum_same m p : range_sum 1 (IZR m) (fun i => same (IZR i) (IZR p)) <= 1.
Proof. unfold range_sum. rewrite !whole_IZR. pose proof (added_same p 1 (Z.to_nat (m - 1 + 1))). destruct Z_le_dec; lra. Qed.

Lemma entry_below z k p n : (1 <= p <= k)%Z -> (forall i, (1 <= i <= k)%Z -> (0 <= z i)%Z) ->
  range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p)) = IZR n -> (z p + 1 <= n)%Z.
Proof.
  intros P Z0 T. apply le_IZR. rewrite <- T, plus_IZR. unfold range_sum. rewrite !whole_IZR.
  pose proof (added_one_larger p (IZR (z p) + 1) 0 (fun i => IZR (z i) + same (IZR i) (IZR p)) 1 (Z.to_nat (k - 1 + 1))) as A.
  assert (0 <= IZR (z p)) by (apply IZR_le; auto).
  assert (same (IZR p) (IZR p) = 1) as E by (unfold same; destruct Req_EM_T as [|Q]; [reflexivity|destruct Q; reflexivity]).
  specialize (A ltac:(lia) ltac:(lra)). cbv beta in A. rewrite E in A.
  assert (forall i, (1 <= i < 1 + Z.of_nat (Z.to_nat (k - 1 + 1)))%Z -> 0 <= IZR (z i) + same (IZR i) (IZR p)) as F.
  { intros i I. pose proof (same_1 (IZR i) (IZR p)). assert (0 <= IZR (z i)) by (apply IZR_le; apply Z0; lia). lra. }
  specialize (A F ltac:(lra)). lra.
Qed.
