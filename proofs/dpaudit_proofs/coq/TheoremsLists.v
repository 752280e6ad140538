(** Typed statements about any number of categories: the metric, the smooth sensitivities, privacy. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Stated TheoremsNoise Values Neighbours TheoremsTyped TheoremsPrivacy Metric Lists.
Import ListNotations.
Open Scope R_scope.

Lemma list_positive k (a : Z -> R) : (forall i, 1 <= IZR i <= IZR k -> a i > 0) ->
  Forall (fun p => 0 < p) (entries 1 (IZR k) a).
Proof. intros A. apply entries_in. intros i I. specialize (A i I). lra. Qed.

Lemma list_some k (a : Z -> R) : IZR k >= 2 -> entries 1 (IZR k) a <> [].
Proof.
  intros K E. apply (f_equal (@length R)) in E. rewrite entries_length in E. simpl in E.
  assert (2 <= k)%Z by (apply le_IZR; lra). lia.
Qed.

Lemma distance_k_self G a : is_gamma G -> a <> [] -> Forall (fun p => 0 < p) a -> distance_k G a a = 0.
Proof.
  intros gamma N P. rewrite (distance_affine G gamma) by auto.
  replace (product (both (affine G) a a)) with 1; [rewrite Rminus_diag_eq by reflexivity; apply sqrt_0|].
  clear N. symmetry. induction P as [|p a P _ IH]; simpl; [reflexivity|]. rewrite (affine_self G gamma), IH by auto. ring.
Qed.

Lemma distance_k_comm G a b : distance_k G a b = distance_k G b a.
Proof.
  unfold distance_k. rewrite (Rmult_comm (beta_k G a)). f_equal. f_equal. f_equal. f_equal.
  revert b. induction a as [|p a IH]; intros [|q b]; simpl; auto. rewrite IH. f_equal. lra.
Qed.

Lemma distance_k_at_most_1 G a b : is_gamma G -> a <> [] -> length a = length b -> Forall (fun p => 0 < p) a ->
  Forall (fun p => 0 < p) b -> total a = total b -> distance_k G a b <= 1.
Proof.
  intros gamma N L P Q T. rewrite (distance_affine G gamma) by auto. apply Rle_trans with (sqrt 1); [|rewrite sqrt_1; lra].
  apply sqrt_le_1_alt. assert (0 <= product (both (affine G) a b)); [|lra]. clear N T. revert b L Q.
  induction P as [|p a P _ IH]; intros [|q b] L Q; simpl; try lra. inversion Q. subst.
  apply Rmult_le_pos; [left; apply (affine_bounds G gamma); auto|]. apply IH; auto.
Qed.

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

(** The counts of a statement. *)
Section Counts.
Variables (k : Z) (z : Z -> Z) (n : Z).
Hypothesis K : IZR k >= 2.
Hypothesis Z0 : forall i, 1 <= IZR i <= IZR k -> IZR (z i) >= 0.
Hypothesis N : IZR n >= 1.

Definition moved (p i : Z) : Z := (z i + if Z.eq_dec i p then 1 else 0)%Z.

Lemma moved_is p i : IZR (z i) + same (IZR i) (IZR p) = IZR (moved p i).
Proof.
  unfold moved, same. rewrite plus_IZR. destruct (Z.eq_dec i p) as [E|E], (Req_EM_T (IZR i) (IZR p)) as [F|F]; try reflexivity.
  - congruence.
  - apply eq_IZR in F. congruence.
Qed.

Lemma moved_entries p : entries 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p)) = entries 1 (IZR k) (fun i => IZR (moved p i)).
Proof. apply entries_ext. intros i. apply moved_is. Qed.

Lemma whole_entries (x : Z -> Z) : (forall i, 1 <= IZR i <= IZR k -> IZR (x i) >= 0) ->
  Forall (fun c => exists v, c = IZR v /\ (0 <= v)%Z) (entries 1 (IZR k) (fun i => IZR (x i))).
Proof. intros P. apply entries_in. intros i I. exists (x i). split; [reflexivity|]. apply le_IZR. specialize (P i I). lra. Qed.

Lemma counted (x : Z -> Z) m : (forall i, 1 <= IZR i <= IZR k -> IZR (x i) >= 0) ->
  range_sum 1 (IZR k) (fun i => IZR (x i)) = IZR m ->
  In (counts (entries 1 (IZR k) (fun i => IZR (x i)))) (histograms (Z.to_nat k) (Z.to_nat m)).
Proof.
  intros P T. rewrite range_total in T. apply histograms_in. rewrite counts_length, entries_length. split; [reflexivity|].
  apply INR_eq. rewrite (counts_total _ (whole_entries x P)), T, INR_IZR_INZ, Z2Nat.id; [reflexivity|].
  apply le_IZR. rewrite <- T. clear T. induction (whole_entries x P) as [|c l (v & -> & V) _ IH]; simpl; [lra|].
  apply IZR_le in V. lra.
Qed.

Lemma moved_nonneg p : forall i, 1 <= IZR i <= IZR k -> IZR (moved p i) >= 0.
Proof.
  intros i I. specialize (Z0 i I). unfold moved. rewrite plus_IZR. destruct (Z.eq_dec i p); lra.
Qed.

Definition x_of (p : Z) : list nat := counts (entries 1 (IZR k) (fun i => IZR (moved p i))).

Lemma x_in p : range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p)) = IZR n ->
  In (x_of p) (histograms (Z.to_nat k) (Z.to_nat n)).
Proof.
  intros T. apply counted; [apply moved_nonneg|]. rewrite <- T, !range_total. f_equal. symmetry. apply moved_entries.
Qed.

Lemma at_one p count : forall from,
  (list_sum (map (fun i => if Z.eq_dec (1 + Z.of_nat i) p then 1 else 0) (seq from count)) <=
    if Z_le_dec (1 + Z.of_nat from) p then 1 else 0)%nat.
Proof.
  induction count as [|count IH]; intros from; [simpl; lia|]. specialize (IH (S from)).
  cbn [seq map]. match goal with |- context [list_sum (?c :: ?l)] => change (list_sum (c :: l)) with (c + list_sum l)%nat end.
  destruct (Z.eq_dec (1 + Z.of_nat from) p), (Z_le_dec (1 + Z.of_nat (S from)) p), (Z_le_dec (1 + Z.of_nat from) p); lia.
Qed.

Lemma more_by_one p q l : (lacking (map (fun i => Z.to_nat (moved p (1 + Z.of_nat i))) l)
    (map (fun i => Z.to_nat (moved q (1 + Z.of_nat i))) l) <=
  list_sum (map (fun i => if Z.eq_dec (1 + Z.of_nat i) p then 1 else 0) l))%nat.
Proof.
  induction l as [|i l IH]; [simpl; lia|]. cbn [map lacking].
  match goal with |- context [list_sum (?c :: ?l)] => change (list_sum (c :: l)) with (c + list_sum l)%nat end.
  assert (Z.to_nat (moved p (1 + Z.of_nat i)) - Z.to_nat (moved q (1 + Z.of_nat i)) <=
    if Z.eq_dec (1 + Z.of_nat i) p then 1 else 0)%nat; [|lia].
  unfold moved. destruct (Z.eq_dec (1 + Z.of_nat i) p), (Z.eq_dec (1 + Z.of_nat i) q); lia.
Qed.

Lemma x_lacking p q : (lacking (x_of p) (x_of q) <= 1)%nat.
Proof.
  unfold x_of. rewrite !counts_map. apply Nat.le_trans with (1 := more_by_one p q _).
  apply Nat.le_trans with (1 := at_one p _ 0%nat). destruct (Z_le_dec _ _); lia.
Qed.

(** x and y are neighbours, or the same. *)
Lemma x_apart p q : x_of p = x_of q \/ apart (x_of p) (x_of q) = 1%nat.
Proof.
  pose proof (x_lacking p q) as A. pose proof (x_lacking q p) as C. unfold apart.
  destruct (Nat.eq_dec (lacking (x_of p) (x_of q)) 0) as [E|E]; [|lia].
  destruct (Nat.eq_dec (lacking (x_of q) (x_of p)) 0) as [F|F]; [|lia]. left. clear A C.
  assert (length (x_of p) = length (x_of q)) as L by (unfold x_of; rewrite !counts_length, !entries_length; reflexivity).
  revert L E F. generalize (x_of p) as u, (x_of q) as v. induction u as [|c u IH]; intros [|d v] L E F; try discriminate L; auto.
  simpl in *. f_equal; [lia|]. apply IH; [now inversion L|lia|lia].
Qed.
End Counts.

(** Where f·H changes by at most ε/2 from x to y, whatever the candidate. *)
Lemma private_k G f g prior x y r e data : alike (counts x) = data -> alike (counts y) = data ->
  In (counts x) data -> In (counts y) data -> (list_sum (counts x) = list_sum (counts r) -> In (counts r) data) ->
  (forall s, In s data -> Rabs (f * score_k G prior (counts x) s - g * score_k G prior (counts y) s) <= e / 2) ->
  exponential_k G f prior x r <= exp e * exponential_k G g prior y r.
Proof.
  intros A C X Y I H. unfold exponential_k. rewrite A, C.
  assert (list_sum (counts x) = list_sum (counts y)) as <-.
  { rewrite <- C in X. apply histograms_in in X as [_ X]. exact X. }
  destruct (Nat.eq_dec (list_sum (counts x)) (list_sum (counts r))) as [E|_]; [|lra]. specialize (I E).
  set (v := fun s => exp (- f * score_k G prior (counts x) s)). set (w := fun s => exp (- g * score_k G prior (counts y) s)).
  assert (forall s, In s data -> v s <= exp (e / 2) * w s /\ w s <= exp (e / 2) * v s) as W.
  { intros s S. specialize (H s S). unfold v, w. rewrite <- !exp_plus.
    pose proof (Rle_abs (f * score_k G prior (counts x) s - g * score_k G prior (counts y) s)) as P.
    pose proof (Rle_abs (- (f * score_k G prior (counts x) s - g * score_k G prior (counts y) s))) as Q.
    rewrite Rabs_Ropp in Q. split; apply exp_monotone; lra. }
  assert (data <> []) as N by (intros N; rewrite N in I; destruct I).
  assert (0 < sum v data) as P by (apply sum_pos; auto; intros; apply exp_pos).
  assert (0 < sum w data) as Q by (apply sum_pos; auto; intros; apply exp_pos).
  assert (sum w data <= exp (e / 2) * sum v data) as T.
  { rewrite <- sum_scaled. apply sum_le. intros s S. apply W. exact S. }
  destruct (W _ I) as [W1 _]. assert (0 < v (counts r)) by apply exp_pos. assert (0 < w (counts r)) by apply exp_pos.
  change (v (counts r) / sum v data <= exp e * (w (counts r) / sum w data)).
  replace (exp e) with (exp (e / 2) * exp (e / 2)) by (rewrite <- exp_plus; f_equal; lra).
  pose proof (exp_pos (e / 2)). set (h := exp (e / 2)) in *.
  apply Rmult_le_reg_r with (sum v data * sum w data); [apply Rmult_lt_0_compat; auto|].
  replace (v (counts r) / sum v data * (sum v data * sum w data)) with (v (counts r) * sum w data) by (field; lra).
  replace (h * h * (w (counts r) / sum w data) * (sum v data * sum w data)) with (h * w (counts r) * (h * sum v data))
    by (field; lra).
  apply Rmult_le_compat; lra.
Qed.

Section Pair.
Variables (G : R -> R) (k : Z) (z : Z -> Z) (p q n : Z) (a : Z -> R).
Hypothesis gamma : is_gamma G.
Hypothesis K : IZR k >= 2.
Hypothesis Z0 : forall i, 1 <= IZR i <= IZR k -> IZR (z i) >= 0.
Hypothesis N : IZR n >= 1.
Hypothesis Tp : range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR p)) = IZR n.
Hypothesis Tq : range_sum 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR q)) = IZR n.
Hypothesis A : forall i, 1 <= IZR i <= IZR k -> a i > 0.

Definition x_real (m : Z) : list R := entries 1 (IZR k) (fun i => IZR (z i) + same (IZR i) (IZR m)).
Notation data := (histograms (Z.to_nat k) (Z.to_nat n)).
Notation prior := (entries 1 (IZR k) a).
Notation x := (x_of k z p).
Notation y := (x_of k z q).
Notation score := (score_k G prior).
Notation local := (Sensitivity.local_sensitivity data data apart score).

Lemma counts_real m : counts (x_real m) = x_of k z m.
Proof. unfold x_real. rewrite moved_entries. reflexivity. Qed.

Lemma in_x : In x data. Proof. apply x_in; auto. Qed.
Lemma in_y : In y data. Proof. apply x_in; auto. Qed.

Lemma alike_in s : In s data -> alike s = data.
Proof. intros S. apply histograms_in in S as [L T]. unfold alike. rewrite L, T. reflexivity. Qed.

Lemma several : (2 <= Z.to_nat k)%nat.
Proof. assert (2 <= k)%Z by (apply le_IZR; lra). lia. Qed.

Lemma records : (1 <= Z.to_nat n)%nat.
Proof. assert (1 <= n)%Z by (apply le_IZR; lra). lia. Qed.

Lemma in_output (r : Z -> Z) : (forall i, 1 <= IZR i <= IZR k -> IZR (r i) >= 0) ->
  list_sum x = list_sum (counts (entries 1 (IZR k) (fun i => IZR (r i)))) -> In (counts (entries 1 (IZR k) (fun i => IZR (r i)))) data.
Proof.
  intros _ E. pose proof in_x as X. apply histograms_in in X as [_ X]. apply histograms_in.
  rewrite counts_length, entries_length. split; congruence.
Qed.

Lemma apart_pair : x = y \/ apart x y = 1%nat.
Proof. apply x_apart. Qed.

Lemma score_apart s : In s data -> Rabs (score x s - score y s) <= local x /\ Rabs (score x s - score y s) <= local y.
Proof.
  intros S. split.
  - apply local_step; auto using in_x, in_y, apart_pair.
  - rewrite Rabs_minus_sym. apply local_step; auto using in_x, in_y.
    destruct apart_pair as [E|E]; [left; auto|right; rewrite apart_sym; exact E].
Qed.

Lemma local_k_is m : In (x_of k z m) data -> local_k G prior (x_real m) = local (x_of k z m).
Proof. intros I. unfold local_k. rewrite counts_real, (alike_in _ I). reflexivity. Qed.

Lemma local_above_0 s : In s data -> 0 < local s.
Proof.
  intros S. apply (local_positive G gamma prior (Z.to_nat k) (Z.to_nat n)); auto using list_positive, several, records, entries_length.
Qed.

(** A bound of all changes for all data. *)
Lemma private_constant_k (r : Z -> Z) e d : 0 < e -> 0 <= d -> (forall i, 1 <= IZR i <= IZR k -> IZR (r i) >= 0) ->
  (forall s, In s data -> Rabs (score x s - score y s) <= d) ->
  exponential_k G (e / (2 * d)) prior (x_real p) (entries 1 (IZR k) (fun i => IZR (r i))) <=
    exp e * exponential_k G (e / (2 * d)) prior (x_real q) (entries 1 (IZR k) (fun i => IZR (r i))).
Proof.
  intros E D R0 H. pose proof in_x. pose proof in_y. apply private_k with data; rewrite ?counts_real; auto using alike_in.
  - intros T. apply in_output; auto.
  - intros s S. specialize (H s S). rewrite <- Rmult_minus_distr_l, Rabs_mult. destruct D as [D|<-].
    + assert (0 < e / (2 * d)) as P by (apply over_positive; lra). rewrite (Rabs_pos_eq (e / (2 * d))) by lra.
      replace (e / 2) with (e / (2 * d) * d) by (field; lra). apply Rmult_le_compat_l; lra.
    + pose proof (Rabs_pos (score x s - score y s)). replace (Rabs (score x s - score y s)) with 0 by lra. lra.
Qed.
(** S_γ and S_β at neighbours. *)
Notation smooth g s := (Sensitivity.gamma_smooth data data apart score g s).

Lemma gamma_smooth_k_is m g : In (x_of k z m) data -> gamma_smooth_k G prior g (x_real m) = smooth g (x_of k z m).
Proof. intros I. unfold gamma_smooth_k. rewrite counts_real, (alike_in _ I). reflexivity. Qed.

Lemma beta_smooth_k_is m g : In (x_of k z m) data ->
  beta_smooth_k G prior g (x_real m) = Sensitivity.beta_smooth data data apart score g (x_of k z m).
Proof. intros I. unfold beta_smooth_k. rewrite counts_real, (alike_in _ I). reflexivity. Qed.

Lemma smooth_above g s : 0 <= g -> In s data -> local s <= smooth g s.
Proof. intros P S. apply (gamma_smooth_above data data apart score); auto using apart_self, local_above_0. Qed.

Lemma smooth_step g u v : 0 <= g -> In u data -> In v data -> u = v \/ apart u v = 1%nat -> 1 / smooth g u - 1 / smooth g v <= g.
Proof.
  intros P U V [->|D]; [lra|].
  apply (gamma_smooth_step data data apart score); auto using apart_self, apart_sym, apart_triangle, local_above_0.
  repeat split; auto. rewrite apart_sym. exact D.
Qed.

(** Parameters of posteriors. *)
Lemma posterior_is (r : Z -> Z) : (forall i, 1 <= IZR i <= IZR k -> IZR (r i) >= 0) ->
  both Rplus prior (map INR (counts (entries 1 (IZR k) (fun i => IZR (r i))))) = entries 1 (IZR k) (fun i => a i + IZR (r i)).
Proof.
  intros P. rewrite counts_map, !entries_map, map_map, both_map. apply map_ext_in. intros i I. apply in_seq in I.
  f_equal. specialize (P (1 + Z.of_nat i)%Z). rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|].
  apply le_IZR. apply Rge_le, P. split; apply IZR_le; lia.
Qed.

Lemma posterior_x m : both Rplus prior (map INR (x_of k z m)) = entries 1 (IZR k) (fun i => a i + IZR (z i) + same (IZR i) (IZR m)).
Proof.
  unfold x_of. rewrite posterior_is by (apply moved_nonneg; exact Z0). apply entries_ext. intros i. rewrite <- moved_is. ring.
Qed.
End Pair.

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
