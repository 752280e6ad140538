(** More typed statements: of noise, of steps, of constants, of what is largest. *)
Require Import Reals Psatz Lia ZArith.
From dpaudit Require Import Words Stated TheoremsNoise TheoremsOrder Values TheoremsPoints Neighbours TheoremsSmall.
Open Scope R_scope.

(* proves on: steps-distance *)
Theorem steps_distance : s_steps_distance_smaller.
Proof.
  intros G gamma a b n c j _ _ _ A B' J L M E. rewrite (distance_mirrored G (a + IZR c)). f_equal; lra.
Qed.

(* disproves: steps-list *)
Theorem steps_list : s_steps_list_false.
Proof. intros [F _]. lra. Qed.

(* proves on: I-base-odd *)
Theorem I_base_odd : s_I_base_odd_smaller.
Proof.
  intros n _ _ N (h & L & E). exists h. repeat split; lra.
Qed.

(* disproves: I-base-odd *)
Theorem I_base_odd_fails : s_I_base_odd_false.
Proof. intros F. destruct (F 1%Z ltac:(lra) ltac:(lra)) as (c & L & A & B' & C). lra. Qed.

(* proves: em-global-step-3 *)
Theorem em_global_step_3 : s_em_global_step_3.
Proof.
  intros u v d x y e D X Y E. pose proof (exp_pos (e * v / (2 * d))).
  replace (e * (u - v) / (2 * d)) with (e * u / (2 * d) + - (e * v / (2 * d))) by (field; lra).
  rewrite exp_plus, exp_Ropp. field. repeat split; lra.
Qed.

(* proves: em-local-step-5 *)
Theorem em_local_step_5 : s_em_local_step_5.
Proof.
  intros ux uy sx sy e k P Q E K. pose proof (exp_pos (e * (uy + ux) / (2 * sy))).
  replace (e / 2 * ((ux + uy) / sx - (ux + uy) / sy)) with (e * (ux + uy) / (2 * sx) + - (e * (uy + ux) / (2 * sy)))
    by (field; lra).
  rewrite exp_plus, exp_Ropp. field. repeat split; lra.
Qed.

Lemma exchanged l z : exp (Rabs z * Rabs l) * (exp l * exp (- Rabs (exp l * z)) / 2) =
  exp (Rabs z * Rabs l + l - exp l * Rabs z) / 2.
Proof.
  rewrite scaled_abs. replace (Rabs z * Rabs l + l - exp l * Rabs z) with (Rabs z * Rabs l + (l + - (exp l * Rabs z)))
    by ring. rewrite !exp_plus. field.
Qed.

(* proves on: lap-dilation-12 *)
Theorem lap_dilation_12 : s_lap_dilation_12_smaller.
Proof.
  intros e d l z E D U L M K. rewrite exchanged. apply Rmult_le_compat_r; [lra|]. apply exp_monotone.
  rewrite (Rabs_left l) in * by lra. lra.
Qed.

(* disproves: lap-dilation-12 *)
Theorem lap_dilation_12_fails : s_lap_dilation_12_false.
Proof.
  intros F. assert (0 < ln (3 / (1 / 2))) as P by (apply ln_positive; lra).
  set (m := ln (3 / (1 / 2))) in *. specialize (F (2 * m) (1 / 2) (- (1)) 0). fold m in F. point F.
  rewrite exchanged, Rabs_R0, Ropp_0, exp_0 in F. replace (0 * Rabs (- (1)) + - (1) - exp (- (1)) * 0) with (- (1)) in F by ring.
  pose proof (exp_below_1 (- (1))). lra.
Qed.

(* proves: lap-dilation-17 *)
Theorem lap_dilation_17 : s_lap_dilation_17.
Proof.
  intros e d p pg po q qg A B' C D. pose proof (exp_pos (e / 2)).
  assert (exp (e / 2) * qg <= exp (e / 2) * q) by (apply Rmult_le_compat_l; lra). split; lra.
Qed.

(* proves on: lap-half-split-abs *)
Theorem lap_half_split_abs : s_lap_half_split_abs_smaller.
Proof.
  intros j e E N. assert (0 < 2 / e) by (apply over_positive; lra). split.
  - destruct (Rle_dec (IZR j) 0) as [|P]; [left; lra|right].
    rewrite (F_left _ (- IZR j)), (F_left _ (- IZR j - 1)), (F_right _ (IZR j)), (F_right _ (IZR j + 1)) by lra.
    rewrite !half_times by lra.
    replace ((- IZR j - 1) * e / 2) with (- (IZR j + 1) * e / 2) by field. lra.
  - destruct (Rle_dec (IZR j) 0) as [P|]; [right|left; lra].
    assert (IZR j <= -1) as Q.
    { apply IZR_le. assert (j < 0)%Z; [apply lt_IZR; lra|lia]. }
    rewrite Rmax_right by lra.
    rewrite (F_left _ (IZR j)), (F_left _ (IZR j + 1)), (F_left _ (- (- IZR j - 1))), (F_right _ (- IZR j)),
      (F_right _ (- IZR j - 1)) by lra.
    rewrite !half_times by lra. replace (- - IZR j * e / 2) with (IZR j * e / 2) by field.
    replace (- (- IZR j - 1) * e / 2) with ((IZR j + 1) * e / 2) by field. lra.
Qed.

(* disproves: lap-half-split-abs *)
Theorem lap_half_split_abs_fails : s_lap_half_split_abs_false.
Proof.
  intros F. destruct (F 0%Z 1 ltac:(lra)) as [_ [A|A]]; [lra|].
  rewrite Ropp_0, (Rmax_left 0), Ropp_0, (F_right _ (0 + 1)), (F_right _ 0) in A by lra.
  rewrite !half_times in A by lra. replace (- 0 * 1 / 2) with 0 in A by field. rewrite exp_0 in A.
  pose proof (exp_below_1 (- (0 + 1) * 1 / 2)). lra.
Qed.

(** LS(x) is at least the distance to each neighbour. *)
Lemma local_right G a b x y : y <> 0 -> distance G (a + x) (b + y) (a + x + 1) (b + y - 1) <= local_sensitivity G a b x y.
Proof. intros Y. unfold local_sensitivity. destruct (Req_EM_T y 0); [lra|]. apply Rmax_r. Qed.

Lemma local_left G a b x y : x <> 0 -> distance G (a + x) (b + y) (a + x - 1) (b + y + 1) <= local_sensitivity G a b x y.
Proof. intros X. unfold local_sensitivity. destruct (Req_EM_T x 0); [lra|]. apply Rmax_l. Qed.

Lemma local_nonneg G a b x y : 0 <= local_sensitivity G a b x y.
Proof.
  unfold local_sensitivity. destruct (Req_EM_T x 0); [apply Rle_trans with (2 := Rmax_l _ _); lra|].
  apply Rle_trans with (2 := Rmax_l _ _). apply distance_nonneg.
Qed.

(* proves: cor-4.4.1-eq1 *)
Theorem cor_4_4_1_eq1 : s_cor_4_4_1_eq1.
Proof.
  intros G gamma a b k j n c _ C A B' N L K1 K2 J1 J2.
  assert (-2 < j < 2)%Z as J by (split; apply lt_IZR; lra).
  assert (0 <= c)%Z as C' by (apply le_IZR; lra). assert (c <= n)%Z as L' by (apply le_IZR; lra).
  set (o := Z.max 0 (Z.min n (c + j))).
  assert (Rmax 0 (Rmin (IZR n) (IZR c + IZR j)) = IZR o) as ->.
  { rewrite <- plus_IZR. unfold o, Rmax, Rmin. destruct Rle_dec as [P|P]; destruct Rle_dec as [Q|Q].
    - apply le_IZR in P, Q. f_equal. lia.
    - apply Rnot_le_lt in Q. apply le_IZR in P. apply lt_IZR in Q. f_equal. lia.
    - apply Rnot_le_lt in P. apply lt_IZR in P. apply le_IZR in Q. f_equal. lia.
    - apply Rnot_le_lt in P, Q. apply lt_IZR in P. apply lt_IZR in Q. f_equal. lia. }
  assert (o = c \/ (o = c + 1 /\ c < n) \/ (o = c - 1 /\ 0 < c))%Z as [O|[[O M]|[O M]]] by (unfold o; lia); rewrite O.
  - rewrite distance_self; [apply local_nonneg|auto|lra|lra].
  - apply IZR_lt in M. rewrite plus_IZR. replace (distance G _ _ _ _) with
      (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR c + 1) (b + (IZR n - IZR c) - 1)) by (f_equal; lra).
    apply local_right. lra.
  - apply IZR_lt in M. rewrite minus_IZR. replace (distance G _ _ _ _) with
      (distance G (a + IZR c) (b + (IZR n - IZR c)) (a + IZR c - 1) (b + (IZR n - IZR c) + 1)) by (f_equal; lra).
    apply local_left. lra.
Qed.

(** The constant √(1 − π/4). *)
Lemma flat_one G : is_gamma G -> phi G 1 = PI / 4.
Proof. intros gamma. unfold phi. by_values gamma. Qed.

Lemma at_most_constant G p q : is_gamma G -> 1 <= p -> 1 <= q ->
  distance G p (q + 1) (p + 1) q <= sqrt (1 - PI / 4).
Proof.
  intros gamma P Q. destruct (step_distance G gamma p q ltac:(lra) ltac:(lra)) as [-> _].
  apply sqrt_le_1_alt. pose proof PI_RGT_0. assert (PI / 4 <= sqrt (phi2 G p q)); [|lra].
  rewrite <- (sqrt_square (PI / 4)) by lra. apply sqrt_le_1_alt. unfold phi2.
  pose proof (phi_increases G gamma 1 p ltac:(lra) P) as A. pose proof (phi_increases G gamma 1 q ltac:(lra) Q) as B'.
  rewrite (flat_one G gamma) in A, B'. apply Rmult_le_compat; lra.
Qed.

Lemma local_constant G a b n c : is_gamma G -> 1 <= a -> 1 <= b -> (0 <= c <= n)%Z ->
  local_sensitivity G a b (IZR c) (IZR n - IZR c) <= sqrt (1 - PI / 4).
Proof.
  intros gamma A B' [C L]. assert (0 <= sqrt (1 - PI / 4)) by apply sqrt_pos.
  unfold local_sensitivity. apply Rmax_lub; destruct Req_EM_T as [|N]; auto.
  - assert (1 <= IZR c) as P by (apply IZR_le; assert (c <> 0)%Z by (intros ->; apply N; reflexivity); lia).
    apply IZR_le in L. rewrite distance_comm.
    replace (distance G _ _ _ _) with (distance G (a + IZR c - 1) (b + (IZR n - IZR c) + 1) (a + IZR c - 1 + 1) (b + (IZR n - IZR c)))
      by (f_equal; lra). apply at_most_constant; auto; lra.
  - assert (1 <= IZR n - IZR c) as P.
    { rewrite <- minus_IZR. apply IZR_le. assert (n - c <> 0)%Z; [|lia]. intros E. apply N. rewrite <- minus_IZR, E. reflexivity. }
    apply IZR_le in C.
    replace (distance G _ _ _ _) with (distance G (a + IZR c) (b + (IZR n - IZR c) - 1 + 1) (a + IZR c + 1) (b + (IZR n - IZR c) - 1))
      by (f_equal; lra). apply at_most_constant; auto; lra.
Qed.

(* proves on: gs-constant-bound *)
Theorem gs_constant_bound : s_gs_constant_bound_smaller.
Proof.
  intros G gamma a b n _ _ _ N A B'. assert (1 <= n)%Z by (apply le_IZR; lra).
  apply (range_max_below 0 n); [lia|]. intros i I. apply local_constant; auto; lra.
Qed.

(* disproves: gs-constant-bound *)
Theorem gs_constant_bound_fails : s_gs_constant_bound_false.
Proof.
  intros G gamma F. specialize (F (1 / 2) (1 / 2) 1%Z). point F. pose proof pi_bounds.
  pose proof (range_max_above 0 1 0 (fun c => local_sensitivity G (1 / 2) (1 / 2) (IZR c) (1 - IZR c)) ltac:(lia)) as M.
  pose proof (local_right G (1 / 2) (1 / 2) 0 (1 - 0) ltac:(lra)) as L. unfold global_sensitivity in F. cbv beta in M.
  rewrite (distance_is G _ _ _ _ 1 (PI * PI / 4)) in L; try (unfold B; by_values gamma).
  pose proof (distance_order 1 (PI * PI / 4) (PI / 4) 1) as O. rewrite sqrt_1 in O.
  replace (1 - PI / 4 / 1) with (1 - PI / 4) in O by field.
  assert (3 * 3 < PI * PI) as P by (apply Rmult_gt_0_lt_compat; lra).
  assert (PI * PI < 4 * 4) as P' by (apply Rmult_gt_0_lt_compat; lra).
  assert (9 * 9 < PI * PI * (PI * PI)) as Q by (apply Rmult_gt_0_lt_compat; lra).
  specialize (O ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

(* proves on: gs-constant *)
Theorem gs_constant : s_gs_constant_smaller.
Proof.
  intros G gamma a b n _ _ _ _ A B' N. subst a b. rewrite N. unfold global_sensitivity. rewrite max_of_two.
  pose proof pi_bounds.
  assert (distance G 1 2 2 1 = sqrt (1 - PI / 4)) as E.
  { rewrite (distance_is G 1 2 2 1 (PI / 8) (1 / 4)); try (unfold B; by_values gamma).
    replace (1 / 4) with (1 / 2 * (1 / 2)) by field. rewrite sqrt_square by lra. f_equal. field. }
  pose proof (distance_nonneg G 1 2 2 1).
  assert (local_sensitivity G 1 1 0 (1 - 0) = distance G 1 2 2 1) as ->.
  { unfold local_sensitivity. repeat (destruct Req_EM_T; try lra).
    replace (distance G (1 + 0) (1 + (1 - 0)) (1 + 0 + 1) (1 + (1 - 0) - 1)) with (distance G 1 2 2 1) by (f_equal; lra).
    apply Rmax_right. lra. }
  assert (local_sensitivity G 1 1 1 (1 - 1) = distance G 1 2 2 1) as ->.
  { unfold local_sensitivity. repeat (destruct Req_EM_T; try lra).
    replace (distance G (1 + 1) (1 + (1 - 1)) (1 + 1 - 1) (1 + (1 - 1) + 1)) with (distance G 1 2 2 1)
      by (rewrite distance_comm; f_equal; lra).
    apply Rmax_left. lra. }
  rewrite Rmax_left by lra. exact E.
Qed.

(* disproves: gs-constant *)
Theorem gs_constant_fails : s_gs_constant_false.
Proof.
  intros G gamma F. specialize (F 1 1 2%Z). point F. rewrite (global_two G gamma) in F. pose proof pi_bounds.
  rewrite (distance_is G 1 3 2 2 (PI / 16) (1 / 18)) in F; try (unfold B; by_values gamma).
  pose proof (distance_order (PI / 4) 1 (PI / 16) (1 / 18)) as O. rewrite sqrt_1 in O.
  replace (1 - PI / 4 / 1) with (1 - PI / 4) in O by field. nra.
Qed.

(** The normaliser of the exponential mechanism with √(1 − π/4). *)
Lemma added_but_one (c : Z) (k : R) from count : (from <= c < from + Z.of_nat count)%Z ->
  added (fun i => if Z.eqb i c then 1 else k) from count = 1 + (INR count - 1) * k /\ True.
Proof.
  assert (forall m f, (c < f \/ f + Z.of_nat m <= c)%Z ->
    added (fun i => if Z.eqb i c then 1 else k) f m = INR m * k) as Out.
  { induction m as [|m IH]; intros f I; [simpl; ring|]. cbn [added]. rewrite S_INR.
    destruct (Z.eqb_spec f c); [lia|]. rewrite IH by lia. ring. }
  revert from. induction count as [|m IH]; intros from I; [lia|]. split; auto. cbn [added]. rewrite S_INR.
  destruct (Z.eqb_spec from c) as [->|N].
  - rewrite Out by lia. ring.
  - rewrite (proj1 (IH (from + 1)%Z ltac:(lia))). ring.
Qed.

(* proves on: thm-4.5-EHD-lower-count *)
Theorem thm_4_5_EHD_lower_count : s_thm_4_5_EHD_lower_count_smaller.
Proof.
  intros G gamma a b e n c _ C A B' E N L H.
  assert (0 <= c <= n)%Z as I by (split; apply le_IZR; lra).
  apply Rle_trans with (range_sum 0 (IZR n) (fun i => if Z.eqb i c then 1 else 1 - 1 / IZR n)).
  - apply (range_sum_le 0 n). intros i J. destruct (Z.eqb_spec i c) as [->|D].
    + rewrite distance_self by (auto; lra). rewrite Rmult_0_r. unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
    + assert (0 <= IZR i <= IZR n) as K by (split; apply IZR_le; lia).
      destruct (H i K) as [F|F]; [apply eq_IZR in F; lia|].
      match type of F with IZR n * (1 - ?w) > 1 => set (x := w) in * end.
      apply Rmult_le_reg_l with (IZR n); [lra|].
      replace (IZR n * (1 - 1 / IZR n)) with (IZR n - 1) by (field; lra). lra.
  - unfold range_sum. rewrite !whole_IZR. rewrite (proj1 (added_but_one c (1 - 1 / IZR n) 0 (Z.to_nat (n - 0 + 1)) ltac:(lia))).
    rewrite INR_IZR_INZ, Z2Nat.id by lia. rewrite plus_IZR, minus_IZR. right. field. lra.
Qed.

(* disproves: thm-4.5-EHD-lower-count *)
Theorem thm_4_5_EHD_lower_count_fails : s_thm_4_5_EHD_lower_count_false.
Proof.
  intros G gamma F. specialize (F 1 1 1 1%Z 0%Z). point F. rewrite sum_of_two in F.
  rewrite (distance_self G (1 + 0)) in F by (auto; lra).
  replace (- (1) * 0 / (2 * sqrt (1 - PI / 4))) with 0 in F by (unfold Rdiv; ring). rewrite exp_0 in F.
  match type of F with 1 + exp ?t <= _ => pose proof (exp_pos t) end. lra.
Qed.

(** Of neighbours, those further out are further apart. *)
Lemma natural_not_0 z : IZR z >= 0 -> IZR z <> 0 -> 1 <= IZR z.
Proof. intros P N. apply IZR_le. apply Rge_le, le_IZR in P. assert (z <> 0)%Z by (intros ->; apply N; reflexivity). lia. Qed.

Lemma below_local G a b x y m : 0 <= m -> (x <> 0 -> distance G (a + x) (b + y) (a + x - 1) (b + y + 1) < m) ->
  (y <> 0 -> distance G (a + x) (b + y) (a + x + 1) (b + y - 1) < m) -> (x <> 0 \/ y <> 0) ->
  local_sensitivity G a b x y < m.
Proof.
  intros M L R' N. unfold local_sensitivity. destruct (Req_EM_T x 0) as [X|X]; destruct (Req_EM_T y 0) as [Y|Y].
  - lra.
  - apply Rmax_lub_lt; [|auto]. pose proof (distance_nonneg G (a + x) (b + y) (a + x + 1) (b + y - 1)).
    specialize (R' Y). lra.
  - apply Rmax_lub_lt; [auto|]. pose proof (distance_nonneg G (a + x) (b + y) (a + x - 1) (b + y + 1)).
    specialize (L X). lra.
  - apply Rmax_lub_lt; auto.
Qed.

(** LS(x) as the distance of a step, and bounds of the steps of y. *)
Lemma step_to_right G a b x y : distance G (a + x) (b + y) (a + x + 1) (b + y - 1) =
  distance G (a + x) (b + y - 1 + 1) (a + x + 1) (b + y - 1).
Proof. f_equal; lra. Qed.

Lemma step_to_left G a b x y : distance G (a + x) (b + y) (a + x - 1) (b + y + 1) =
  distance G (a + x - 1) (b + y + 1) (a + x - 1 + 1) (b + y).
Proof. rewrite distance_comm. f_equal; lra. Qed.

Lemma all_steps_below G a b x y p q : is_gamma G -> 0 < a -> 0 < b -> (x = 0 \/ 1 <= x) -> (y = 0 \/ 1 <= y) ->
  (x <> 0 \/ y <> 0) -> 0 < p -> 0 < q ->
  (1 <= x -> phi2 G p q < phi2 G (a + x - 1) (b + y)) -> (1 <= y -> phi2 G p q < phi2 G (a + x) (b + y - 1)) ->
  local_sensitivity G a b x y < distance G p (q + 1) (p + 1) q.
Proof.
  intros gamma A B' X Y N P Q L R'. apply below_local; auto; [apply distance_nonneg| |].
  - intros X'. assert (1 <= x) by (destruct X; lra). assert (0 <= y) by (destruct Y; lra).
    rewrite step_to_left. apply step_strict; auto; lra.
  - intros Y'. assert (1 <= y) by (destruct Y; lra). assert (0 <= x) by (destruct X; lra).
    rewrite step_to_right. apply step_strict; auto; lra.
Qed.

Lemma zero_or_more z : IZR z >= 0 -> IZR z = 0 \/ 1 <= IZR z.
Proof. intros P. destruct (Req_EM_T (IZR z) 0); [left; auto|right; apply natural_not_0; auto]. Qed.

Lemma phi2_larger G p q r s : is_gamma G -> 0 < p -> 0 < q -> p <= r -> q <= s -> p + q < r + s -> phi2 G p q < phi2 G r s.
Proof.
  intros gamma P Q L M N. unfold phi2.
  pose proof (phi_positive G gamma p P). pose proof (phi_positive G gamma q Q).
  pose proof (phi_increases G gamma p r P L). pose proof (phi_increases G gamma q s Q M).
  destruct (Rle_lt_dec r p) as [E|E].
  - pose proof (phi_strict G gamma q s Q ltac:(lra)).
    apply Rlt_le_trans with (phi G p * phi G s); [apply Rmult_lt_compat_l; lra|apply Rmult_le_compat_r; lra].
  - pose proof (phi_strict G gamma p r P E).
    apply Rlt_le_trans with (phi G r * phi G q); [apply Rmult_lt_compat_r; lra|apply Rmult_le_compat_l; lra].
Qed.

(* proves: ls-larger-parameters *)
Theorem ls_larger_parameters : s_ls_larger_parameters.
Proof.
  intros G gamma a b e f c d x y C D X Y A B' E F L M N T.
  pose proof (zero_or_more c C) as C'. pose proof (zero_or_more d D) as D'.
  pose proof (zero_or_more x X) as X'. pose proof (zero_or_more y Y) as Y'. apply Rlt_gt.
  apply below_local; [apply local_nonneg| | |destruct X', Y'; lra].
  - intros X0. rewrite step_to_left. destruct (Req_EM_T (IZR c) 0) as [P|P].
    + apply Rlt_le_trans with (2 := local_right G a b (IZR c) (IZR d) ltac:(lra)). rewrite step_to_right.
      apply step_strict; auto; try lra. apply phi2_larger; auto; lra.
    + apply Rlt_le_trans with (2 := local_left G a b (IZR c) (IZR d) ltac:(lra)). rewrite step_to_left.
      apply step_strict; auto; try lra. apply phi2_larger; auto; lra.
  - intros Y0. rewrite step_to_right. destruct (Req_EM_T (IZR d) 0) as [P|P].
    + apply Rlt_le_trans with (2 := local_left G a b (IZR c) (IZR d) ltac:(lra)). rewrite step_to_left.
      apply step_strict; auto; try lra. apply phi2_larger; auto; lra.
    + apply Rlt_le_trans with (2 := local_right G a b (IZR c) (IZR d) ltac:(lra)). rewrite step_to_right.
      apply step_strict; auto; try lra. apply phi2_larger; auto; lra.
Qed.

Lemma more_even p q r s k : p + q = r + s -> Rabs (r - s) < k -> k <= Rabs (p - q) -> p * q < r * s.
Proof.
  intros E L M. assert (Rabs (r - s) * Rabs (r - s) < Rabs (p - q) * Rabs (p - q)) as S.
  { pose proof (Rabs_pos (r - s)). apply Rmult_le_0_lt_compat; lra. }
  rewrite <- !Rabs_mult, !(Rabs_pos_eq (_ * _)) in S by apply Rle_0_sqr.
  assert ((p + q) * (p + q) = (r + s) * (r + s)) by (rewrite E; reflexivity). lra.
Qed.

(* proves on: ls-closer-parameters *)
Theorem ls_closer_parameters : s_ls_closer_parameters_smaller.
Proof.
  intros G gamma a b n c d N C D A B' _ Lc Ld S K.
  assert (IZR n - IZR d >= 0) as D2 by lra. rewrite <- minus_IZR in D2. apply zero_or_more in D2. rewrite minus_IZR in D2.
  pose proof (zero_or_more d D) as D1. set (u := a + IZR c - b - IZR n + IZR c) in *.
  set (v := a + IZR d - b - IZR n + IZR d) in *.
  assert (u = v \/ 2 <= Rabs (u - v)) as Apart.
  { destruct (Z.eq_dec c d) as [->|Z]; [left; reflexivity|right]. unfold u, v.
    replace (a + IZR c - b - IZR n + IZR c - (a + IZR d - b - IZR n + IZR d)) with (IZR (2 * (c - d)))
      by (rewrite mult_IZR, minus_IZR; ring).
    rewrite <- abs_IZR. apply IZR_le. lia. }
  assert (u <> v) as Other by (intros E; rewrite E in S; lra). apply Rlt_gt.
  assert (forall w, Rabs w <= 1 -> True) as _ by auto.
  assert (Rabs (v - 1) < Rabs u + 1 /\ Rabs (v + 1) < Rabs u + 1) as [V1 V2].
  { pose proof (Rabs_triang v (- (1))) as T1. pose proof (Rabs_triang v 1) as T2.
    rewrite Rabs_Ropp, Rabs_R1 in T1. rewrite Rabs_R1 in T2. unfold Rminus. lra. }
  destruct K as [[K1 K2]|[K1 K2]].
  - assert (Rabs (u + 1) = Rabs u + 1 \/ u < 0) as [U|U].
    { destruct (Rle_lt_dec 0 u); [left; rewrite !Rabs_pos_eq; lra|right; lra]. }
    + apply Rlt_le_trans with (2 := local_right G a b (IZR c) (IZR n - IZR c) ltac:(lra)). rewrite step_to_right.
      apply all_steps_below; auto; try lra; intros; apply phi2_strict; auto; try lra;
        apply more_even with (Rabs u + 1); try lra; unfold u, v in *.
      * replace (a + IZR d - 1 - (b + (IZR n - IZR d))) with (a + IZR d - b - IZR n + IZR d - 1) by ring. lra.
      * replace (a + IZR c - (b + (IZR n - IZR c) - 1)) with (a + IZR c - b - IZR n + IZR c + 1) by ring. lra.
      * replace (a + IZR d - (b + (IZR n - IZR d) - 1)) with (a + IZR d - b - IZR n + IZR d + 1) by ring. lra.
      * replace (a + IZR c - (b + (IZR n - IZR c) - 1)) with (a + IZR c - b - IZR n + IZR c + 1) by ring. lra.
    + exfalso. rewrite (Rabs_left u) in S by lra. apply Rgt_lt, Rabs_def2 in S. destruct Apart as [E|E]; [auto|].
      revert E. apply Rlt_not_le. apply Rabs_def1; lra.
  - assert (Rabs (u - 1) = Rabs u + 1 \/ 0 < u) as [U|U].
    { destruct (Rle_lt_dec u 0) as [Z|Z]; [left|right; lra].
      rewrite (Rabs_left1 u), (Rabs_left1 (u - 1)); lra. }
    + apply Rlt_le_trans with (2 := local_left G a b (IZR c) (IZR n - IZR c) ltac:(lra)). rewrite step_to_left.
      apply all_steps_below; auto; try lra; intros; apply phi2_strict; auto; try lra;
        apply more_even with (Rabs u + 1); try lra; unfold u, v in *.
      * replace (a + IZR d - 1 - (b + (IZR n - IZR d))) with (a + IZR d - b - IZR n + IZR d - 1) by ring. lra.
      * replace (a + IZR c - 1 - (b + (IZR n - IZR c))) with (a + IZR c - b - IZR n + IZR c - 1) by ring. lra.
      * replace (a + IZR d - (b + (IZR n - IZR d) - 1)) with (a + IZR d - b - IZR n + IZR d + 1) by ring. lra.
      * replace (a + IZR c - 1 - (b + (IZR n - IZR c))) with (a + IZR c - b - IZR n + IZR c - 1) by ring. lra.
    + exfalso. rewrite (Rabs_pos_eq u) in S by lra. apply Rgt_lt, Rabs_def2 in S. destruct Apart as [E|E]; [auto|].
      revert E. apply Rlt_not_le. apply Rabs_def1; lra.
Qed.

(* disproves: ls-closer-parameters *)
Theorem ls_closer_parameters_fails : s_ls_closer_parameters_false.
Proof.
  intros G gamma F. specialize (F 1 1 4%Z 4%Z 3%Z). point F.
  assert (Rabs (1 + 4 - 1 - 4 + 4) > Rabs (1 + 3 - 1 - 4 + 3)) as S.
  { rewrite !Rabs_pos_eq by lra. lra. }
  specialize (F S). pose proof (local_right G 1 1 3 (4 - 3) ltac:(lra)) as L.
  pose proof (distance_nonneg G 5 1 4 2).
  assert (local_sensitivity G 1 1 4 (4 - 4) = distance G 5 1 4 2) as E.
  { unfold local_sensitivity. repeat (destruct Req_EM_T; try lra).
    replace (distance G (1 + 4) (1 + (4 - 4)) (1 + 4 - 1) (1 + (4 - 4) + 1)) with (distance G 5 1 4 2) by (f_equal; lra).
    apply Rmax_left. lra. }
  rewrite E in F. rewrite distance_comm in L.
  replace (distance G (1 + 3 + 1) (1 + (4 - 3) - 1) (1 + 3) (1 + (4 - 3))) with (distance G 5 1 4 2) in L by (f_equal; lra).
  lra.
Qed.
