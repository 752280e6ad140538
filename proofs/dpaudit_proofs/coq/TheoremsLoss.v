(** Typed statements about the exponential mechanisms on any number of categories: losses, sums, far outputs. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Stated TheoremsNoise Values Neighbours TheoremsMechanisms TheoremsArguments TheoremsSteps Metric Lists Pairs TheoremsLists TheoremsEvents.
Import ListNotations.
Open Scope R_scope.

(** Where f·H(x, ·) − g·H(y, ·) lies between −u and v, the loss is at most u + v. *)
Lemma private_spread G f g prior x y r u v data : alike (counts x) = data -> alike (counts y) = data ->
  In (counts x) data -> In (counts y) data -> (list_sum (counts x) = list_sum (counts r) -> In (counts r) data) ->
  (forall s, In s data -> - u <= f * score_k G prior (counts x) s - g * score_k G prior (counts y) s <= v) ->
  exponential_k G f prior x r <= exp (u + v) * exponential_k G g prior y r.
Proof.
  intros A C X Y I H. unfold exponential_k. rewrite A, C.
  assert (list_sum (counts x) = list_sum (counts y)) as <-.
  { rewrite <- C in X. apply histograms_in in X as [_ X]. exact X. }
  destruct (Nat.eq_dec (list_sum (counts x)) (list_sum (counts r))) as [E|_]; [|lra]. specialize (I E).
  set (p := fun s => exp (- f * score_k G prior (counts x) s)). set (q := fun s => exp (- g * score_k G prior (counts y) s)).
  assert (data <> []) as N by (intros N; rewrite N in I; destruct I).
  assert (0 < sum p data) as P by (apply sum_pos; auto; intros; apply exp_pos).
  assert (0 < sum q data) as Q by (apply sum_pos; auto; intros; apply exp_pos).
  assert (sum q data <= exp v * sum p data) as T.
  { rewrite <- sum_scaled. apply sum_le. intros s S. unfold p, q. rewrite <- exp_plus. apply exp_monotone. specialize (H s S). lra. }
  assert (p (counts r) <= exp u * q (counts r)) as W.
  { unfold p, q. rewrite <- exp_plus. apply exp_monotone. specialize (H _ I). lra. }
  assert (0 < p (counts r)) by apply exp_pos. assert (0 < q (counts r)) by apply exp_pos.
  change (p (counts r) / sum p data <= exp (u + v) * (q (counts r) / sum q data)).
  rewrite exp_plus. pose proof (exp_pos u). pose proof (exp_pos v).
  apply Rmult_le_reg_r with (sum p data * sum q data); [apply Rmult_lt_0_compat; auto|].
  replace (p (counts r) / sum p data * (sum p data * sum q data)) with (p (counts r) * sum q data) by (field; lra).
  replace (exp u * exp v * (q (counts r) / sum q data) * (sum p data * sum q data)) with (exp u * q (counts r) * (exp v * sum p data)) by (field; lra).
  apply Rmult_le_compat; lra.
Qed.

(* proves: EHDS-slack *)
Theorem EHDS_slack : s_EHDS_slack.
Proof.
  intros G gamma k z p q n a r e g K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A R0 E P. apply Rgt_lt in P, E.
  named k z a p q.
  pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  rewrite !(gamma_smooth_k_is G k z n) by assumption.
  pose proof (apart_pair k z p q) as D.
  assert (x_of k z q = x_of k z p \/ apart (x_of k z q) (x_of k z p) = 1%nat) as D'.
  { destruct D as [D|D]; [left; auto|right; rewrite apart_sym; exact D]. }
  pose proof (local_above_0 G k n a gamma K N A _ X) as L1. pose proof (local_above_0 G k n a gamma K N A _ Y) as L2.
  pose proof (smooth_above G k n a gamma K N A g _ (Rlt_le _ _ P) X) as S1. pose proof (smooth_above G k n a gamma K N A g _ (Rlt_le _ _ P) Y) as S2.
  pose proof (smooth_step G k n a gamma K N A g _ _ (Rlt_le _ _ P) X Y D) as T1. pose proof (smooth_step G k n a gamma K N A g _ _ (Rlt_le _ _ P) Y X D') as T2.
  set (s := Sensitivity.gamma_smooth _ _ apart (score_k G (entries 1 (IZR k) a)) g (x_of k z p)) in *.
  set (t := Sensitivity.gamma_smooth _ _ apart (score_k G (entries 1 (IZR k) a)) g (x_of k z q)) in *.
  assert (0 < s) as S0 by lra. assert (0 < t) as T0 by lra.
  set (w := e / (2 * (1 + g))). assert (0 < w) as W by (apply over_positive; lra).
  replace (e / (2 * (1 + g) * s)) with (w / s) by (unfold w; field; repeat split; lra).
  replace (e / (2 * (1 + g) * t)) with (w / t) by (unfold w; field; repeat split; lra).
  assert (forall v, In v (histograms (Z.to_nat k) (Z.to_nat n)) ->
    let h := score_k G (entries 1 (IZR k) a) (x_of k z p) v in let m := score_k G (entries 1 (IZR k) a) (x_of k z q) v in
    0 <= h <= 1 /\ 0 <= m <= 1 /\ Rabs (h - m) <= s /\ Rabs (h - m) <= t) as B.
  { intros v V h m. destruct (score_apart G k z p q n a Z0 Tp Tq v V) as [C1 C2]. fold h m in C1, C2.
    assert (0 <= h <= 1) by (apply (score_bounds G gamma (entries 1 (IZR k) a) (Z.to_nat k) (Z.to_nat n)); auto using list_positive, several, entries_length).
    assert (0 <= m <= 1) by (apply (score_bounds G gamma (entries 1 (IZR k) a) (Z.to_nat k) (Z.to_nat n)); auto using list_positive, several, entries_length).
    repeat split; try lra; eapply Rle_trans; eauto. }
  destruct (Rle_lt_dec (1 / s) (1 / t)) as [O|O].
  - replace (e * (2 + g) / (2 + 2 * g)) with (w * (1 + g) + w) by (unfold w; field; lra).
    apply private_spread with (histograms (Z.to_nat k) (Z.to_nat n)); rewrite ?counts_real; auto; try (apply (alike_in k n); assumption).
    + intros T. apply (in_output k z p n); auto.
    + intros v V. destruct (B v V) as (B1 & B2 & B3 & B4).
      pose proof (between_apart _ _ s t g S0 T0 ltac:(lra) B1 B2 B3 O ltac:(lra)) as [U1 U2].
      match goal with |- _ <= w / s * ?h - w / t * ?m <= _ => replace (w / s * h - w / t * m) with (- (w * (m / t - h / s))) by (field; lra);
        assert (w * - (1) <= w * (m / t - h / s)) by (apply Rmult_le_compat_l; lra); assert (w * (m / t - h / s) <= w * (1 + g)) by (apply Rmult_le_compat_l; lra) end. lra.
  - replace (e * (2 + g) / (2 + 2 * g)) with (w + w * (1 + g)) by (unfold w; field; lra).
    apply private_spread with (histograms (Z.to_nat k) (Z.to_nat n)); rewrite ?counts_real; auto; try (apply (alike_in k n); assumption).
    + intros T. apply (in_output k z p n); auto.
    + intros v V. destruct (B v V) as (B1 & B2 & B3 & B4). rewrite Rabs_minus_sym in B4.
      pose proof (between_apart _ _ t s g T0 S0 ltac:(lra) B2 B1 B4 ltac:(lra) ltac:(lra)) as [U1 U2].
      match goal with |- _ <= w / s * ?h - w / t * ?m <= _ => replace (w / s * h - w / t * m) with (w * (h / s - m / t)) by (field; lra);
        assert (w * - (1) <= w * (h / s - m / t)) by (apply Rmult_le_compat_l; lra); assert (w * (h / s - m / t) <= w * (1 + g)) by (apply Rmult_le_compat_l; lra) end. lra.
Qed.

(* proves on: alg-4-numerator *)
Theorem alg_4_numerator : s_alg_4_numerator_smaller.
Proof.
  intros G gamma k n m x r a e K0 N0 M0 K N X0 T A R0 U E M1 M. sizes. split; [left; exact M|right].
  unfold far_k. rewrite (sum_ext _ (fun s => exp (- (e / (2 * sqrt (1 - PI / 4))) * score_k G (entries 1 (IZR k) a) (counts (entries 1 (IZR k) (fun i => IZR (x i)))) s))).
  - pose proof (normaliser_above G k n x a gamma K X0 T A (e / (2 * sqrt (1 - PI / 4)))) as L. unfold normaliser_k in *.
    match type of L with 1 <= ?t => change (t / t = 1); apply Rinv_r; lra end.
  - intros s _. destruct Rle_dec as [_|D]; [reflexivity|]. destruct D. apply sqrt_pos.
Qed.

(* disproves: alg-4-numerator *)
Theorem alg_4_numerator_fails : s_alg_4_numerator_false.
Proof.
  intros G gamma F.
  set (x := fun i : Z => if Z.eq_dec i 1 then 1%Z else 0%Z). set (y := fun i : Z => if Z.eq_dec i 2 then 1%Z else 0%Z).
  set (a := fun _ : Z => 1).
  assert (forall i, 1 <= IZR i <= IZR 2 -> IZR (x i) >= 0) as X0 by (intros i _; unfold x; destruct Z.eq_dec; lra).
  assert (forall i, 1 <= IZR i <= IZR 2 -> IZR (y i) >= 0) as Y0 by (intros i _; unfold y; destruct Z.eq_dec; lra).
  assert (forall i, 1 <= IZR i <= IZR 2 -> a i > 0) as A by (intros; unfold a; lra).
  assert (range_sum 1 (IZR 2) (fun i => IZR (x i)) = IZR 1) as TX by (rewrite range_total, entries_map; simpl; unfold x; simpl; ring).
  assert (range_sum 1 (IZR 2) (fun i => IZR (y i)) = IZR 1) as TY by (rewrite range_total, entries_map; simpl; unfold y; simpl; ring).
  pose proof (F 2%Z 1%Z 0%Z x x a 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) X0 TX A X0 TX ltac:(lra) ltac:(lra)) as [[FX|FX] _]; [lra|].
  pose proof (F 2%Z 1%Z 0%Z x y a 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) X0 TX A Y0 TY ltac:(lra) ltac:(lra)) as [[FY|FY] _]; [lra|].
  pose proof (acc_global_opt G gamma 2%Z 1%Z x y a ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) X0 TX A Y0 TY) as (O & _ & [B|B]).
  { specialize (B 1%Z ltac:(lra)). unfold x, y in B. simpl in B. lra. }
  rewrite <- (posterior_is 2 a x X0) in O, B. rewrite <- (posterior_is 2 a y Y0) in B.
  assert (counts (entries 1 (IZR 2) (fun i => IZR (x i))) = [1; 0]%nat) as CX by (rewrite counts_map; reflexivity).
  assert (counts (entries 1 (IZR 2) (fun i => IZR (y i))) = [0; 1]%nat) as CY by (rewrite counts_map; reflexivity).
  unfold exponential_k in FX, FY. rewrite CX, CY in *. simpl list_sum in FX, FY. simpl Nat.eq_dec in FX, FY. cbv iota in FX, FY.
  change (both Rplus (entries 1 (IZR 2) a) (map INR [1; 0]%nat)) with (posterior (entries 1 (IZR 2) a) [1; 0]%nat) in *.
  set (f := 1 / (2 * sqrt (1 - PI / 4))) in *.
  assert (0 < f) as P.
  { apply over_positive; [lra|]. pose proof pi_bounds. apply Rmult_lt_0_compat; [lra|]. apply sqrt_lt_R0. lra. }
  set (Z := sum _ _) in FX, FY. 
  assert (0 < Z) as Z0.
  { unfold Z. apply sum_pos; [discriminate|]. intros. apply exp_pos. }
  set (sx := score_k G (entries 1 (IZR 2) a) [1; 0]%nat [1; 0]%nat) in *. set (sy := score_k G (entries 1 (IZR 2) a) [1; 0]%nat [0; 1]%nat) in *.
  change (sx = 0) in O. change (sy > 0) in B.
  set (w := candidates (IZR 2) (IZR 1)) in *.
  assert (w = 2) as W by (unfold w, candidates; rewrite !whole_IZR; simpl; lra).
  assert (exp (- f * sy) < exp (- f * sx)) as L.
  { apply exp_increasing. assert (0 < f * sy) by (apply Rmult_lt_0_compat; lra). rewrite O. lra. }
  assert (exp (- f * sx) / Z = exp (- f * sy) / Z) as Q by (rewrite W in *; lra).
  apply (f_equal (fun u => u * Z)) in Q. replace (exp (- f * sx) / Z * Z) with (exp (- f * sx)) in Q by (field; lra).
  replace (exp (- f * sy) / Z * Z) with (exp (- f * sy)) in Q by (field; lra). lra.
Qed.

(* proves on: beta-candidates *)
Theorem beta_candidates : s_beta_candidates_smaller.
Proof.
  intros G gamma k n x a e d l s K0 N0 K N X0 T A E D D1 L B S K2.
  pose proof (beta_bound e d l n N0 E D D1 N L B) as U. sizes.
  assert (candidates (IZR k) (IZR n) = IZR n + 1) as C.
  { rewrite K2. assert (IZR n >= 0) by (apply Rle_ge, IZR_le; lia). assert (IZR n >= 1) by (apply Rle_ge, (IZR_le 1); lia).
    exact (proj1 (basics_candidates G gamma 2%Z n ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra))). }
  rewrite C. split; [exact U|].
  pose proof (exp_increasing 0 l ltac:(lra)) as X. rewrite exp_0 in X.
  assert (0 < e / (2 * s)) as P by (apply over_positive; lra).
  pose proof (far_below G k n x a gamma K X0 T A (e / (2 * s)) (s / (exp l - 1)) ltac:(lra)) as F.
  pose proof (normaliser_above G k n x a gamma K X0 T A (e / (2 * s))) as M.
  apply Rle_trans with (1 := F). rewrite C. replace (- (e / (2 * s)) * (s / (exp l - 1))) with (e / (2 * (1 - exp l))) by (field; repeat split; lra).
  match type of M with 1 <= ?t => set (v := t) in * end. set (w := (IZR n + 1) * exp (e / (2 * (1 - exp l)))) in *.
  assert (0 <= w). { apply Rmult_le_pos; [assert (0 <= IZR n) by (apply IZR_le; lia); lra|left; apply exp_pos]. }
  apply Rle_trans with (2 := U). apply Rmult_le_reg_r with v; [lra|]. replace (w / v * v) with w by (field; lra).
  assert (w * 1 <= w * v) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* disproves: beta-candidates *)
Theorem beta_candidates_fails : s_beta_candidates_false.
Proof.
  intros G gamma F.
  set (x := fun i : Z => if Z.eq_dec i 1 then 1%Z else 0%Z). set (a := fun _ : Z => 1).
  assert (forall i, 1 <= IZR i <= IZR 3 -> IZR (x i) >= 0) as X0 by (intros i _; unfold x; destruct Z.eq_dec; lra).
  assert (forall i, 1 <= IZR i <= IZR 3 -> a i > 0) as A by (intros; unfold a; lra).
  assert (range_sum 1 (IZR 3) (fun i => IZR (x i)) = IZR 1) as T by (rewrite range_total, entries_map; simpl; unfold x; simpl; ring).
  set (L := ln (1 / 2 / (2 * (IZR 1 + 1)))).
  assert (L < 0) as L0 by (unfold L; rewrite <- ln_1; apply ln_increasing; lra).
  assert (exp L = 1 / 8) as EL by (unfold L; rewrite exp_ln; lra).
  assert (0 < - 1 / (2 * L)) as Q.
  { replace (- 1 / (2 * L)) with (1 / (2 * - L)) by (field; lra). apply over_positive; lra. }
  assert (1 < 1 - 1 / (2 * L)) as Q1 by (replace (1 / (2 * L)) with (- (- 1 / (2 * L))) by (field; lra); lra).
  set (l := ln (1 - 1 / (2 * L))).
  assert (0 < l) as P by (unfold l; rewrite <- ln_1; apply ln_increasing; lra).
  destruct (F 3%Z 1%Z x a 1 (1 / 2) l 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) X0 T A ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
    (Req_le _ _ eq_refl) ltac:(lra)) as [B _].
  unfold l in B. rewrite exp_ln in B by lra. replace (1 / (2 * (1 - (1 - 1 / (2 * L))))) with L in B by (field; lra). rewrite EL in B.
  unfold candidates in B. rewrite !whole_IZR in B. simpl in B. lra.
Qed.
