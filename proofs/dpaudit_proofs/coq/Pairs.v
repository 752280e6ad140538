(** Neighbours as typed statements write them: one record in category p or in q. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words TheoremsNoise Values Neighbours Metric Lists.
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
