(** Typed statements about more uniform data, and about the captions' global sensitivity. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Stated TheoremsNoise Values TheoremsOrder Neighbours TheoremsSmall TheoremsTyped TheoremsPrivacy TheoremsMechanisms Metric Lists Pairs.
Import ListNotations.
Open Scope R_scope.

Lemma local_mirrored G x y : local_sensitivity G 1 1 x y = local_sensitivity G 1 1 y x.
Proof.
  unfold local_sensitivity. rewrite Rmax_comm. apply (f_equal2 Rmax); destruct Req_EM_T; try reflexivity.
  - rewrite distance_mirrored. reflexivity.
  - rewrite distance_mirrored. reflexivity.
Qed.

Lemma whole_abs n c : Rabs (IZR c - (IZR n - IZR c)) = IZR (Z.abs (2 * c - n)).
Proof. rewrite abs_IZR, minus_IZR, mult_IZR. f_equal. ring. Qed.

(* proves on: smooth-closer-parameters *)
Theorem smooth_closer_parameters : s_smooth_closer_parameters_smaller.
Proof.
  intros G gamma n c d t N0 C0 D0 N C D T M C1 C2. pose proof M as M'. rewrite !whole_abs in M'. apply Rgt_lt, lt_IZR in M'.
  assert (1 <= c)%Z as Cl by (apply le_IZR; lra). assert (c + 1 <= n)%Z as Cu by (apply le_IZR; rewrite plus_IZR; lra).
  assert (0 <= d <= n)%Z as Dn by (split; apply le_IZR; lra). assert (1 <= n)%Z as N1 by lia.
  apply Rlt_gt. rewrite !(beta_of G 1 1 n).
  destruct (range_max_attained 0 n (fun i => local_sensitivity G 1 1 (IZR i) (IZR n - IZR i) * exp (- t * Rabs (IZR d - IZR i))) ltac:(lia)) as (z & Z & ->).
  pose proof (TheoremsPrivacy.local_positive G 1 1 n z gamma ltac:(lra) ltac:(lra) Z N1) as P.
  assert (forall i, (0 <= i <= n)%Z -> local_sensitivity G 1 1 (IZR z) (IZR n - IZR z) * exp (- t * Rabs (IZR d - IZR z)) <
    local_sensitivity G 1 1 (IZR i) (IZR n - IZR i) * exp (- t * Rabs (IZR c - IZR i)) ->
    local_sensitivity G 1 1 (IZR z) (IZR n - IZR z) * exp (- t * Rabs (IZR d - IZR z)) <
    range_max 0 (IZR n) (fun i => local_sensitivity G 1 1 (IZR i) (IZR n - IZR i) * exp (- t * Rabs (IZR c - IZR i)))) as Above.
  { intros i I L. apply Rlt_le_trans with (1 := L). exact (range_max_above 0 n i (fun i => local_sensitivity G 1 1 (IZR i) (IZR n - IZR i) * exp (- t * Rabs (IZR c - IZR i))) I). }
  destruct (Z_lt_le_dec (Z.abs (2 * z - n)) (Z.abs (2 * c - n))) as [L|L].
  - apply (Above c ltac:(lia)). replace (IZR c - IZR c) with 0 by ring. rewrite Rabs_R0, Rmult_0_r, exp_0, Rmult_1_r.
    assert (local_sensitivity G 1 1 (IZR c) (IZR n - IZR c) > local_sensitivity G 1 1 (IZR z) (IZR n - IZR z)) as Q.
    { assert (0 <= IZR z <= IZR n) by (split; apply IZR_le; lia). apply (ls_closer_parameters G gamma); try lra.
      - replace (1 + IZR c - 1 - IZR n + IZR c) with (IZR c - (IZR n - IZR c)) by ring.
        replace (1 + IZR z - 1 - IZR n + IZR z) with (IZR z - (IZR n - IZR z)) by ring. rewrite !whole_abs. apply Rlt_gt, IZR_lt. exact L.
      }
    assert (exp (- t * Rabs (IZR d - IZR z)) <= 1) as E.
    { rewrite <- exp_0. apply exp_monotone. pose proof (Rabs_pos (IZR d - IZR z)). assert (0 <= t * Rabs (IZR d - IZR z)) by (apply Rmult_le_pos; lra). lra. }
    assert (local_sensitivity G 1 1 (IZR z) (IZR n - IZR z) * exp (- t * Rabs (IZR d - IZR z)) <= local_sensitivity G 1 1 (IZR z) (IZR n - IZR z) * 1) by (apply Rmult_le_compat_l; lra). lra.
  - assert (exists i, (0 <= i <= n)%Z /\ (i = z \/ i = n - z)%Z /\ (Z.abs (c - i) < Z.abs (d - z))%Z) as (i & I & J & K).
    { destruct (Z_le_gt_dec 0 (2 * c - n)), (Z_le_gt_dec 0 (2 * z - n)); [exists z|exists (n - z)%Z|exists (n - z)%Z|exists z]; lia. }
    apply (Above i I).
    assert (local_sensitivity G 1 1 (IZR i) (IZR n - IZR i) = local_sensitivity G 1 1 (IZR z) (IZR n - IZR z)) as ->.
    { destruct J as [->| ->]; [reflexivity|]. rewrite minus_IZR, local_mirrored. f_equal. ring. }
    apply Rmult_lt_compat_l; [exact P|]. apply exp_increasing. rewrite <- !minus_IZR, <- !abs_IZR. apply IZR_lt in K.
    assert (t * IZR (Z.abs (c - i)) < t * IZR (Z.abs (d - z))) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

(* disproves: smooth-closer-parameters *)
Theorem smooth_closer_parameters_fails : s_smooth_closer_parameters_false.
Proof.
  intros G gamma F. specialize (F 2%Z 2%Z 1%Z 1 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite !whole_abs in F. simpl Z.abs in F. specialize (F ltac:(lra)). rewrite !(beta_of G 1 1 2) in F.
  set (h := distance G 2 2 3 1).
  assert (0 <= h) as P by apply distance_nonneg.
  assert (forall i, (0 <= i <= 2)%Z -> local_sensitivity G 1 1 (IZR i) (2 - IZR i) = h) as L.
  { intros i I. assert (i = 0 \/ i = 1 \/ i = 2)%Z as [->|[->| ->]] by lia; unfold local_sensitivity; repeat (destruct Req_EM_T; try lra).
    - rewrite Rmax_right by apply distance_nonneg. transitivity (distance G 1 3 2 2); [f_equal; lra|]. unfold h. rewrite (distance_mirrored G 1), distance_comm. reflexivity.
    - replace (distance G (1 + 1) (1 + (2 - 1)) (1 + 1 - 1) (1 + (2 - 1) + 1)) with h; [|unfold h; rewrite (distance_mirrored G 2); f_equal; lra].
      replace (distance G (1 + 1) (1 + (2 - 1)) (1 + 1 + 1) (1 + (2 - 1) - 1)) with h; [|unfold h; f_equal; lra].
      apply Rmax_left. lra.
    - rewrite Rmax_left by apply distance_nonneg. transitivity (distance G 3 1 2 2); [f_equal; lra|apply distance_comm]. }
  pose proof (range_max_above 0 2 1 (fun i => local_sensitivity G 1 1 (IZR i) (2 - IZR i) * exp (- (1) * Rabs (1 - IZR i))) ltac:(lia)) as U.
  cbv beta in U. rewrite (L 1%Z) in U by lia. replace (1 - 1) with 0 in U by ring. rewrite Rabs_R0, Rmult_0_r, exp_0, Rmult_1_r in U.
  assert (range_max 0 2 (fun i => local_sensitivity G 1 1 (IZR i) (2 - IZR i) * exp (- (1) * Rabs (2 - IZR i))) <= h); [|lra].
  apply (range_max_below 0 2); [lia|]. intros i I. rewrite L by auto.
  assert (exp (- (1) * Rabs (2 - IZR i)) <= 1).
  { apply Rle_trans with (exp 0); [apply exp_monotone; pose proof (Rabs_pos (2 - IZR i)); lra|rewrite exp_0; lra]. }
  assert (h * exp (- (1) * Rabs (2 - IZR i)) <= h * 1) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(** The prior (7, 4, 5): the two smallest affinities of one record more are those of 4 and 5. *)
Lemma coordinate_affine G p c d : is_gamma G -> 0 < p -> (c - d <= 1)%nat -> (d - c <= 1)%nat ->
  (c = d /\ affine G (p + INR c) (p + INR d) = 1) \/
  ((c - d) + (d - c) = 1)%nat /\ sqrt (phi G p) <= affine G (p + INR c) (p + INR d) <= 1.
Proof.
  intros gamma P X Y. pose proof (pos_INR c). pose proof (pos_INR d).
  pose proof (affine_bounds G gamma (p + INR c) (p + INR d) ltac:(lra) ltac:(lra)) as [_ U].
  destruct (coordinate c d X Y) as [<-|[->| ->]].
  - left. split; [reflexivity|]. apply (affine_self G gamma). lra.
  - right. split; [lia|]. split; [|exact U]. rewrite S_INR, <- Rplus_assoc, (affine_step G gamma) by lra.
    apply sqrt_le_1_alt. apply (phi_increases G gamma); lra.
  - right. split; [lia|]. split; [|exact U]. rewrite S_INR, <- Rplus_assoc, affine_comm, (affine_step G gamma) by lra.
    apply sqrt_le_1_alt. apply (phi_increases G gamma); lra.
Qed.

Lemma caption_affinities G : is_gamma G -> 1 - 239992747797 / 10 ^ 12 * (239992747797 / 10 ^ 12) <= sqrt (phi G 4) * sqrt (phi G 5) /\
  sqrt (phi G 4) <= sqrt (phi G 5) <= sqrt (phi G 7) /\ 0 <= sqrt (phi G 4) /\ sqrt (phi G 7) <= 1.
Proof.
  intros gamma. pose proof pi_bounds as [L U].
  assert (phi G 4 = 11025 / 36864 * PI) as A by (unfold phi; by_values gamma).
  assert (phi G 5 = 893025 / 2949120 * PI) as B by (unfold phi; by_values gamma).
  split; [|split; [split|split]].
  - rewrite <- sqrt_mult by lra. rewrite A, B. rewrite <- (sqrt_square (1 - _)) by lra. apply sqrt_le_1_alt.
    assert (3141592653589 / 10 ^ 12 * (3141592653589 / 10 ^ 12) <= PI * PI) by (apply Rmult_le_compat; lra). lra.
  - apply sqrt_le_1_alt. apply (phi_increases G gamma); lra.
  - apply sqrt_le_1_alt. apply (phi_increases G gamma); lra.
  - apply sqrt_pos.
  - rewrite <- sqrt_1. apply sqrt_le_1_alt. apply (phi_below G gamma). lra.
Qed.

Lemma caption_distance G c1 c2 c3 d1 d2 d3 : is_gamma G -> (c1 + (c2 + (c3 + 0)) = d1 + (d2 + (d3 + 0)))%nat ->
  apart [c1; c2; c3] [d1; d2; d3] = 1%nat ->
  1 - 239992747797 / 10 ^ 12 * (239992747797 / 10 ^ 12) <= product (both (affine G) (posterior [7; 4; 5] [c1; c2; c3]) (posterior [7; 4; 5] [d1; d2; d3])).
Proof.
  intros gamma S A. destruct (caption_affinities G gamma) as (V & [O1 O2] & P & Q). unfold apart in A. cbn [lacking] in A.
  cbn [posterior map both product fold_right].
  change (1 - 239992747797 / 10 ^ 12 * (239992747797 / 10 ^ 12) <= affine G (7 + INR c1) (7 + INR d1) * (affine G (4 + INR c2) (4 + INR d2) * (affine G (5 + INR c3) (5 + INR d3) * 1))).
  pose proof (coordinate_affine G 7 c1 d1 gamma ltac:(lra) ltac:(lia) ltac:(lia)) as K1.
  pose proof (coordinate_affine G 4 c2 d2 gamma ltac:(lra) ltac:(lia) ltac:(lia)) as K2.
  pose proof (coordinate_affine G 5 c3 d3 gamma ltac:(lra) ltac:(lia) ltac:(lia)) as K3.
  set (u := affine G (7 + INR c1) (7 + INR d1)) in *. set (v := affine G (4 + INR c2) (4 + INR d2)) in *. set (w := affine G (5 + INR c3) (5 + INR d3)) in *.
  set (s4 := sqrt (phi G 4)) in *. set (s5 := sqrt (phi G 5)) in *. set (s7 := sqrt (phi G 7)) in *.
  destruct K1 as [[K1 ->]|[K1 [B1 _]]], K2 as [[K2 ->]|[K2 [B2 _]]], K3 as [[K3 ->]|[K3 [B3 _]]]; try (exfalso; lia).
  - assert (s4 * s5 <= v * w) by (apply Rmult_le_compat; lra). lra.
  - assert (s4 * s5 <= u * w) by (apply Rmult_le_compat; lra). lra.
  - assert (s5 * s4 <= u * v) by (apply Rmult_le_compat; lra). lra.
Qed.

Lemma same_at i j : same (IZR i) (IZR j) = if Z.eq_dec i j then 1 else 0.
Proof. unfold same. destruct (Req_EM_T (IZR i) (IZR j)) as [E|E], (Z.eq_dec i j) as [F|F]; try reflexivity; [apply eq_IZR in E|]; congruence. Qed.

Lemma three f : entries 1 3 f = [f 1%Z; f 2%Z; f 3%Z].
Proof. rewrite (entries_map 3). reflexivity. Qed.

(* proves: em-global-captions *)
Theorem em_global_captions : s_em_global_captions.
Proof.
  intros G gamma n c d e p q u v w N0 C0 D0 E0 P0 Q0 U0 V0 W0 N T P1 P2 Q1 Q2 R.
  set (z := fun i : Z => if Z.eq_dec i 1 then c else if Z.eq_dec i 2 then d else if Z.eq_dec i 3 then e else 0%Z).
  set (r := fun i : Z => if Z.eq_dec i 1 then u else if Z.eq_dec i 2 then v else if Z.eq_dec i 3 then w else 0%Z).
  set (a := fun i : Z => 7 * same (IZR i) 1 + 4 * same (IZR i) 2 + 5 * same (IZR i) 3).
  assert (forall m, entries 1 3 (fun i => IZR c * same (IZR i) 1 + IZR d * same (IZR i) 2 + IZR e * same (IZR i) 3 + same (IZR i) (IZR m)) = x_real 3 z m) as X.
  { intros m. unfold x_real. change (IZR 3) with 3. rewrite !three, !(same_at _ 1), !(same_at _ 2), !(same_at _ 3). unfold z. cbn -[same]. repeat f_equal; ring. }
  assert (entries 1 3 (fun i => IZR u * same (IZR i) 1 + IZR v * same (IZR i) 2 + IZR w * same (IZR i) 3) = entries 1 (IZR 3) (fun i => IZR (r i))) as Y.
  { change (IZR 3) with 3. rewrite !three, !(same_at _ 1), !(same_at _ 2), !(same_at _ 3). unfold r. cbn -[same]. repeat f_equal; ring. }
  rewrite !X, Y. change (entries 1 3 (fun i => 7 * same (IZR i) 1 + 4 * same (IZR i) 2 + 5 * same (IZR i) 3)) with (entries 1 (IZR 3) a).
  assert (forall i, 1 <= IZR i <= IZR 3 -> i = 1%Z \/ i = 2%Z \/ i = 3%Z) as I3.
  { intros i [L1 L2]. apply (le_IZR 1) in L1. apply le_IZR in L2. lia. }
  assert (forall i, 1 <= IZR i <= IZR 3 -> IZR (z i) >= 0) as Z0 by (intros i I; destruct (I3 i I) as [->|[->| ->]]; simpl; assumption).
  assert (forall i, 1 <= IZR i <= IZR 3 -> IZR (r i) >= 0) as R0 by (intros i I; destruct (I3 i I) as [->|[->| ->]]; simpl; assumption).
  assert (forall m, IZR m >= 1 -> IZR m <= 3 -> range_sum 1 (IZR 3) (fun i => IZR (z i) + same (IZR i) (IZR m)) = IZR n) as S.
  { intros m M1 M2. rewrite range_total. change (IZR 3) with 3. rewrite three. rewrite !same_at. destruct (I3 m ltac:(split; lra)) as [->|[->| ->]]; unfold z; simpl; lra. }
  assert (entries 1 (IZR 3) a = [7; 4; 5]) as A.
  { change (IZR 3) with 3. rewrite three. unfold a, same. repeat (destruct Req_EM_T; try lra). repeat f_equal; ring. }
  apply private_constant_k with n; auto; try lra.
  - intros s Is. rewrite A.
    pose proof (in_x 3 z p n Z0 (S p P1 P2)) as XP. pose proof (in_x 3 z q n Z0 (S q Q1 Q2)) as XQ.
    assert (Forall (fun p => 0 < p) [7; 4; 5]) as F by (repeat constructor; lra).
    apply Rle_trans with (1 := reduced G gamma [7; 4; 5] 3 (Z.to_nat n) eq_refl F ltac:(lia) _ _ s XP XQ Is).
    destruct (apart_pair 3 z p q) as [E|E].
    + rewrite E, (score_self G gamma [7; 4; 5] 3 (Z.to_nat n) eq_refl F ltac:(lia)) by exact XQ. lra.
    + rewrite (score_affinity G gamma [7; 4; 5] 3 (Z.to_nat n) eq_refl F ltac:(lia)) by assumption.
      apply histograms_in in XP as [LP SP], XQ as [LQ SQ].
      destruct (x_of 3 z p) as [|c1 [|c2 [|c3 [|]]]]; try discriminate LP. destruct (x_of 3 z q) as [|d1 [|d2 [|d3 [|]]]]; try discriminate LQ.
      pose proof (caption_distance G c1 c2 c3 d1 d2 d3 gamma ltac:(simpl in SP, SQ; lia) E) as B.
      rewrite <- (sqrt_square (239992747797 / 10 ^ 12)) by lra. apply sqrt_le_1_alt. lra.
Qed.
