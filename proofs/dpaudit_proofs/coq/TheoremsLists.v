(** Typed statements about any number of categories: the metric, the smooth sensitivities, privacy. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Stated TheoremsNoise Values Neighbours TheoremsTyped TheoremsPrivacy Metric Lists Pairs.
Import ListNotations.
Open Scope R_scope.

(* proves: hellinger-metric *)
Theorem hellinger_metric : s_hellinger_metric.
Proof.
  intros G gamma k a b c K0 K A B' C T U. rewrite !range_total in T, U.
  pose proof (list_positive k a A). pose proof (list_positive k b B'). pose proof (list_positive k c C).
  pose proof (list_some k a K). repeat split.
  - apply sqrt_pos.
  - apply distance_k_at_most_1; auto. rewrite !entries_length. reflexivity.
  - apply distance_k_self; auto.
  - apply distance_k_comm.
  - apply (list_triangle G gamma); auto; rewrite !entries_length; reflexivity.
Qed.

Ltac named k z a p q :=
  change (entries 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p))) with (x_real k z p);
  change (entries 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR q))) with (x_real k z q);
  change (entries 1 (IZR k) (fun i => a i)) with (entries 1 (IZR k) a).

(* proves: em-global-dp *)
Theorem em_global_dp : s_em_global_dp.
Proof.
  intros G gamma k z p q n a r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A R0 E.
  apply private_constant_k with n; auto.
  - apply maximum_nonneg.
  - intros s S. apply Rle_trans with (1 := proj1 (score_apart G k z p q n a Z0 Tp Tq s S)).
    unfold global_k. rewrite entries_length, whole_IZR.
    apply (maximum_above (Sensitivity.local_sensitivity _ _ apart (score_k G (entries 1 (IZR k) a)))).
    apply in_x; auto.
Qed.

(* proves: thm-3.1-EHDS *)
Theorem EHDS_dp : s_thm_3_1_EHDS.
Proof.
  intros G gamma k z p q n a r e g K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A R0 E P. apply Rgt_lt, Rlt_le in P.
  named k z a p q.
  pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  rewrite !(gamma_smooth_k_is G k z n) by assumption.
  pose proof (apart_pair k z p q) as D.
  assert (x_of k z q = x_of k z p \/ apart (x_of k z q) (x_of k z p) = 1%nat) as D'.
  { destruct D as [D|D]; [left; auto|right; rewrite apart_sym; exact D]. }
  pose proof (local_above_0 G k n a gamma K N A _ X). pose proof (local_above_0 G k n a gamma K N A _ Y).
  pose proof (smooth_above G k n a gamma K N A g _ P X) as S1. pose proof (smooth_above G k n a gamma K N A g _ P Y) as S2.
  pose proof (smooth_step G k n a gamma K N A g _ _ P X Y D). pose proof (smooth_step G k n a gamma K N A g _ _ P Y X D').
  apply private_k with (histograms (Z.to_nat k) (Z.to_nat n)); rewrite ?counts_real; auto.
  - apply (alike_in k n). exact X.
  - apply (alike_in k n). exact Y.
  - intros T. apply (in_output k z p n); auto.
  - intros s S. destruct (score_apart G k z p q n a Z0 Tp Tq s S) as [C1 C2].
    apply scaled_apart; try lra; apply (score_bounds G gamma (entries 1 (IZR k) a) (Z.to_nat k) (Z.to_nat n)); auto using list_positive, several, entries_length.
Qed.

(* proves: gamma-smooth-lipschitz *)
Theorem gamma_lipschitz : s_gamma_smooth_lipschitz.
Proof.
  intros G gamma k z p q n a g K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A P. apply Rgt_lt, Rlt_le in P.
  named k z a p q.
  pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  rewrite !(gamma_smooth_k_is G k z n), (local_k_is G k z n) by assumption.
  repeat split; [apply Rle_ge; apply smooth_above|apply Rlt_gt; apply local_above_0|apply smooth_step]; auto.
  apply apart_pair.
Qed.

(* proves: smooth-sensitivity *)
Theorem beta_smoothness : s_smooth_sensitivity.
Proof.
  intros G gamma k z p q n a g K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A P. apply Rge_le in P.
  named k z a p q.
  pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  rewrite !(beta_smooth_k_is G k z n), (local_k_is G k z n) by assumption.
  set (data := histograms (Z.to_nat k) (Z.to_nat n)) in *. set (score := score_k G (entries 1 (IZR k) a)).
  destruct (some_neighbour (x_of k z p)) as (v & Lv & Sv & D).
  { apply histograms_in in X as [-> _]. apply several. exact K. }
  { apply histograms_in in X as [_ ->]. apply records. exact N. }
  assert (In v data) as V by (apply histograms_in in X as [L S]; apply histograms_in; split; congruence).
  destruct (smooth_sensitivity data data apart score apart_sym apart_self apart_triangle g (x_of k z p) v P) as [U _]; [repeat split; auto|].
  split; [exact U|]. destruct (apart_pair k z p q) as [<-|E].
  - apply Rle_trans with (1 * Sensitivity.beta_smooth data data apart score g (x_of k z p)); [lra|].
    apply Rmult_le_compat_r; [apply maximum_nonneg|]. rewrite <- exp_0. apply exp_monotone. exact P.
  - apply (smooth_sensitivity data data apart score apart_sym apart_self apart_triangle g (x_of k z p) (x_of k z q) P). repeat split; auto.
Qed.

(* proves: ls-reduction *)
Theorem reduction : s_ls_reduction.
Proof.
  intros G gamma k z p q n a r K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A R0 Tr.
  named k z a p q.
  pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  pose proof (counted k r n R0 Tr) as I. rewrite (local_k_is G k z n) by assumption.
  assert (length (entries 1 (IZR k) a) = Z.to_nat k) as L by apply entries_length.
  pose proof (list_positive k a A) as F. pose proof (several k K) as W.
  rewrite <- !(posterior_x k z a Z0), <- (posterior_is k a r R0).
  set (prior := entries 1 (IZR k) a) in *. set (s := counts (entries 1 (IZR k) (fun i => IZR (r i)))) in *.
  set (x := x_of k z p) in *. set (y := x_of k z q) in *.
  change (Rabs (score_k G prior x s - score_k G prior y s) <= score_k G prior x y /\
    Rabs (score_k G prior x x - score_k G prior y x) = score_k G prior x y /\
    score_k G prior x y <= Sensitivity.local_sensitivity (histograms (Z.to_nat k) (Z.to_nat n))
      (histograms (Z.to_nat k) (Z.to_nat n)) apart (score_k G prior) x).
  split; [|split].
  - apply (reduced G gamma prior (Z.to_nat k) (Z.to_nat n)); auto.
  - rewrite (score_self G gamma prior (Z.to_nat k) (Z.to_nat n)) by auto.
    rewrite (score_sym G gamma prior (Z.to_nat k) (Z.to_nat n) L F W y x) by auto.
    unfold Rminus. rewrite Rplus_0_l, Rabs_Ropp. apply Rabs_pos_eq. apply sqrt_pos.
  - destruct (apart_pair k z p q) as [E|E]; fold x y in E.
    + rewrite <- E, (score_self G gamma prior (Z.to_nat k) (Z.to_nat n)) by auto. apply maximum_nonneg.
    + apply (distance_local G gamma prior (Z.to_nat k) (Z.to_nat n)); auto.
Qed.

(* proves on: thm-3.1-EHD *)
Theorem EHD_dp : s_thm_3_1_EHD_smaller.
Proof.
  intros G gamma k z p q n a r e K0 P0 Q0 N0 K Z0 P1 P2 Q1 Q2 N Tp Tq A R0 E A1.
  named k z a p q. pose proof (in_x k z p n Z0 Tp) as X. pose proof (in_x k z q n Z0 Tq) as Y.
  apply private_constant_k with n; auto; [apply sqrt_pos|].
  intros s S. apply Rle_trans with (1 := proj1 (score_apart G k z p q n a Z0 Tp Tq s S)).
  rewrite <- (flat_one G gamma). apply (local_quoted G gamma); auto using list_positive, several, entries_length.
  apply entries_in. intros i I. specialize (A1 i I). lra.
Qed.

(* disproves: thm-3.1-EHD *)
Theorem EHD_fails : s_thm_3_1_EHD_false.
Proof.
  intros G gamma F.
  set (z := fun _ : Z => 0%Z). set (r := fun i => if Z.eq_dec i 1 then 1%Z else 0%Z).
  specialize (F 2%Z z 1%Z 2%Z 1%Z (fun _ => 1 / 40) r 1).
  assert (range_sum 1 (IZR 2) (fun i => IZR (z i) + same (IZR i) (IZR 1)) = IZR 1) as T1.
  { rewrite range_total, moved_entries, entries_map. simpl. unfold moved. simpl. ring. }
  assert (range_sum 1 (IZR 2) (fun i => IZR (z i) + same (IZR i) (IZR 2)) = IZR 1) as T2.
  { rewrite range_total, moved_entries, entries_map. simpl. unfold moved. simpl. ring. }
  assert (forall i : Z, 1 <= IZR i <= IZR 2 -> IZR (z i) >= 0) as Z0 by (intros; unfold z; lra).
  assert (forall i : Z, 1 <= IZR i <= IZR 2 -> IZR (r i) >= 0) as R0.
  { intros i _. unfold r. destruct (Z.eq_dec i 1); lra. }
  assert (forall i : Z, 1 <= IZR i <= IZR 2 -> 1 / 40 > 0) as A by (intros; lra).
  specialize (F ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) Z0 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
    T1 T2 A R0 ltac:(lra)).
  change (entries 1 2 (fun i => IZR (z i) + same (IZR i) 1)) with (x_real 2 z 1) in F.
  change (entries 1 2 (fun i => IZR (z i) + same (IZR i) 2)) with (x_real 2 z 2) in F.
  assert (counts (x_real 2 z 1) = [1; 0]%nat) as X by (rewrite counts_real; unfold x_of; rewrite counts_map; reflexivity).
  assert (counts (x_real 2 z 2) = [0; 1]%nat) as Y by (rewrite counts_real; unfold x_of; rewrite counts_map; reflexivity).
  assert (counts (entries 1 2 (fun i => IZR (r i))) = [1; 0]%nat) as R' by (rewrite counts_map; reflexivity).
  assert (entries 1 2 (fun _ => 1 / 40) = [1 / 40; 1 / 40]) as P by (rewrite entries_map; reflexivity).
  unfold exponential_k in F. rewrite X, Y, R', P in F. clear X Y R' P T1 T2 Z0 R0 A.
  set (prior := [1 / 40; 1 / 40]) in *.
  assert (Forall (fun p => 0 < p) prior) as Pos by (repeat constructor; lra).
  change (alike [1; 0]%nat) with [[0; 1]; [1; 0]]%nat in F. change (alike [0; 1]%nat) with [[0; 1]; [1; 0]]%nat in F.
  pose proof pi_bounds. set (k := sqrt (1 - PI / 4)) in *.
  assert (0 < k) as K by (apply sqrt_lt_R0; lra). assert (k * k = 1 - PI / 4) as K2 by (apply sqrt_sqrt; lra).
  set (f := 1 / (2 * k)) in *. simpl in F.
  assert (In [1; 0]%nat (histograms 2 1)) as I1 by (simpl; auto). assert (In [0; 1]%nat (histograms 2 1)) as I2 by (simpl; auto).
  rewrite !(score_self G gamma prior 2 1) in F by auto.
  rewrite (score_sym G gamma prior 2 1 eq_refl Pos (le_n 2) [0; 1]%nat) in F by auto.
  set (h := score_k G prior [1; 0]%nat [0; 1]%nat) in *.
  assert (h = sqrt (1 - phi G (1 / 40))) as Eh.
  { unfold h. rewrite (score_affinity G gamma prior 2 1) by auto. f_equal. f_equal. simpl.
    rewrite !Rplus_0_r, Rmult_1_r, (affine_comm G (1 / 40 + 1)), !(affine_step G gamma) by lra.
    apply sqrt_sqrt. left. apply (phi_positive G gamma). lra. }
  pose proof (phi_positive G gamma (1 / 40) ltac:(lra)) as P0.
  assert (phi G (1 / 40) <= 1 / 10) as P1.
  { rewrite (phi_step G gamma) by lra. pose proof (phi_below G gamma (1 / 40 + 1) ltac:(lra)).
    pose proof (rise_positive (1 / 40) ltac:(lra)).
    apply Rle_trans with (rise (1 / 40) * 1); [apply Rmult_le_compat_l; lra|]. unfold rise. lra. }
  assert (0 <= h) as Hp by (rewrite Eh; apply sqrt_pos).
  assert (h * h = 1 - phi G (1 / 40)) as H2 by (rewrite Eh; apply sqrt_sqrt; lra).
  assert (2 * k < h) as Far.
  { apply Rsqr_incrst_0; [unfold Rsqr; lra|lra|exact Hp]. }
  assert (1 < f * h) as Fh.
  { unfold f. apply Rmult_lt_reg_r with (2 * k); [lra|]. replace (1 / (2 * k) * h * (2 * k)) with h by (field; lra). lra. }
  rewrite !Rmult_0_r, exp_0 in F. pose proof (exp_pos (- f * h)). set (w := exp (- f * h)) in *.
  assert (exp 1 * w < 1) as Small.
  { unfold w. rewrite <- exp_plus. rewrite <- exp_0 at 2. apply exp_increasing. lra. }
  apply (Rmult_le_compat_r (1 + w)) in F; [|lra].
  replace (1 / (w + (1 + 0)) * (1 + w)) with 1 in F by (field; lra).
  replace (exp 1 * (w / (1 + (w + 0))) * (1 + w)) with (exp 1 * w) in F by (field; lra). lra.
Qed.
