(** Any number of categories: lists of parameters, counts of records, and H between them. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Metric Neighbours Values.
Import ListNotations.
Open Scope R_scope.

(** Lists of one length, entry by entry. *)
Lemma both_map {A} op (f g : A -> R) l : both op (map f l) (map g l) = map (fun i => op (f i) (g i)) l.
Proof. induction l as [|i l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma entries_map k f : entries 1 (IZR k) f = map (fun i => f (1 + Z.of_nat i)%Z) (seq 0 (Z.to_nat k)).
Proof. unfold entries. rewrite !whole_IZR. replace (k - 1 + 1)%Z with k by ring. reflexivity. Qed.

Lemma added_map f count : forall from, added f from count = total (map (fun i => f (from + Z.of_nat i)%Z) (seq 0 count)).
Proof.
  induction count as [|count IH]; intros from; simpl; [reflexivity|].
  rewrite IH, <- seq_shift, map_map. f_equal; [f_equal; lia|]. f_equal. apply map_ext. intros i. f_equal. lia.
Qed.

Lemma range_total k f : range_sum 1 (IZR k) f = total (entries 1 (IZR k) f).
Proof. unfold range_sum. rewrite added_map. reflexivity. Qed.

Lemma entries_length k f : length (entries 1 (IZR k) f) = Z.to_nat k.
Proof. rewrite entries_map, map_length, seq_length. reflexivity. Qed.

Lemma entries_ext low high f g : (forall i, f i = g i) -> entries low high f = entries low high g.
Proof. intros E. apply map_ext. intros i. apply E. Qed.

Lemma entries_in k f (P : R -> Prop) : (forall i, 1 <= IZR i <= IZR k -> P (f i)) -> Forall P (entries 1 (IZR k) f).
Proof.
  intros A. rewrite entries_map. apply Forall_forall. intros v I. apply in_map_iff in I as (i & <- & I).
  apply in_seq in I. apply A. split; apply IZR_le; lia.
Qed.

(** Counts. *)
Lemma counts_map k g : counts (entries 1 (IZR k) (fun i => IZR (g i))) =
  map (fun i => Z.to_nat (g (1 + Z.of_nat i)%Z)) (seq 0 (Z.to_nat k)).
Proof. unfold counts. rewrite entries_map, map_map. apply map_ext. intros i. rewrite whole_IZR. reflexivity. Qed.

Lemma counts_length x : length (counts x) = length x.
Proof. apply map_length. Qed.

Lemma counts_total x : Forall (fun c => exists z, c = IZR z /\ (0 <= z)%Z) x -> INR (list_sum (counts x)) = total x.
Proof.
  induction 1 as [|c x (z & -> & Z0) _ IH]; simpl; [reflexivity|].
  rewrite plus_INR, IH, whole_IZR, INR_IZR_INZ, Z2Nat.id by exact Z0. reflexivity.
Qed.

Lemma histograms_in k : forall n x, In x (histograms k n) <-> length x = k /\ list_sum x = n.
Proof.
  induction k as [|k IH]; intros n x.
  - destruct n; simpl; split.
    + intros [<-|[]]. auto.
    + intros [L _]. destruct x; [auto|discriminate].
    + tauto.
    + intros [L S]. destruct x; [discriminate S|discriminate L].
  - cbn [histograms]. rewrite in_flat_map. split.
    + intros (c & C & I). apply in_map_iff in I as (y & <- & I). apply IH in I as [L S].
      apply in_seq in C. simpl. split; lia.
    + intros [L S]. destruct x as [|c x]; [discriminate|]. simpl in L, S. exists c. split.
      * apply in_seq. lia.
      * apply in_map_iff. exists x. split; [reflexivity|]. apply IH. split; lia.
Qed.

Lemma lacking_self x : lacking x x = 0%nat.
Proof. induction x as [|c x IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma lacking_triangle : forall x y z, (lacking x z <= lacking x y + lacking y z)%nat.
Proof.
  induction x as [|a x IH]; intros y z; [simpl; lia|].
  destruct y as [|b y], z as [|c z]; simpl.
  - specialize (IH [] []). simpl in IH. lia.
  - specialize (IH [] z). assert (lacking x z <= lacking x [])%nat; [destruct x; simpl in *; lia|]. lia.
  - specialize (IH y []). lia.
  - specialize (IH y z). lia.
Qed.

Lemma apart_sym x y : apart x y = apart y x.
Proof. apply Nat.max_comm. Qed.

Lemma apart_self x : apart x x = 0%nat.
Proof. unfold apart. rewrite lacking_self. reflexivity. Qed.

Lemma apart_triangle x y z : (apart x z <= apart x y + apart y z)%nat.
Proof. unfold apart. pose proof (lacking_triangle x y z). pose proof (lacking_triangle z y x). lia. Qed.

(** Of data with a record in two categories or more there is a neighbour. *)
Lemma some_neighbour x : (2 <= length x)%nat -> (1 <= list_sum x)%nat ->
  exists y, length y = length x /\ list_sum y = list_sum x /\ apart x y = 1%nat.
Proof.
  induction x as [|a x IH]; simpl; [lia|]. intros L S. destruct x as [|b x]; [simpl in L; lia|].
  destruct a as [|a]; [destruct b as [|b]|].
  - destruct x as [|c x]; [simpl in S; lia|]. destruct IH as (y & Ly & Sy & A); [simpl; lia|exact S|].
    exists (0 :: y)%nat. change (apart (0 :: 0 :: c :: x) (0 :: y))%nat with (apart (0 :: c :: x) y)%nat.
    simpl in *. repeat split; lia.
  - exists (1%nat :: b :: x). simpl. repeat split; try lia. unfold apart. cbn [lacking]. rewrite lacking_self. lia.
  - exists (a :: Datatypes.S b :: x). simpl. repeat split; try lia. unfold apart. cbn [lacking]. rewrite lacking_self. lia.
Qed.

Section Lists.
Variable G : R -> R.
Hypothesis gamma : is_gamma G.
Notation positive := (Forall (fun p => 0 < p)).

Lemma product_positive a : positive a -> 0 < product (map G a).
Proof.
  induction 1 as [|p a P _ IH]; simpl; [lra|]. apply Rmult_lt_0_compat; auto. apply (gamma_pos G gamma). exact P.
Qed.

Lemma total_nonneg a : positive a -> 0 <= total a.
Proof. induction 1 as [|p a P _ IH]; simpl; lra. Qed.

Lemma total_positive a : a <> [] -> positive a -> 0 < total a.
Proof.
  destruct a as [|p a]; [congruence|]. intros _ P. inversion P. subst. simpl. pose proof (total_nonneg a ltac:(assumption)). lra.
Qed.

Lemma means_positive : forall a b, length a = length b -> positive a -> positive b ->
  positive (both (fun x y => (x + y) / 2) a b) /\ total (both (fun x y => (x + y) / 2) a b) = (total a + total b) / 2.
Proof.
  induction a as [|p a IH]; destruct b as [|q b]; intros L P Q; try discriminate L; simpl; [split; [constructor|lra]|].
  inversion P. inversion Q. subst. destruct (IH b) as [F T]; auto. split; [constructor; [lra|exact F]|rewrite T; lra].
Qed.

(** H of two laws of one total, by products of Γ. *)
Lemma distance_products a b : a <> [] -> length a = length b -> positive a -> positive b -> total a = total b ->
  distance_k G a b = sqrt (1 - product (map G (both (fun x y => (x + y) / 2) a b)) /
    (sqrt (product (map G a)) * sqrt (product (map G b)))).
Proof.
  intros N L P Q T. unfold distance_k, beta_k. destruct (means_positive a b L P Q) as [_ ->]. rewrite <- T.
  replace ((total a + total a) / 2) with (total a) by field.
  pose proof (gamma_pos G gamma _ (total_positive a N P)) as Z. pose proof (product_positive a P) as A.
  pose proof (product_positive b Q) as B'. set (g := G (total a)) in *. set (x := product (map G a)) in *.
  set (y := product (map G b)) in *. f_equal. f_equal.
  pose proof (sqrt_lt_R0 x A). pose proof (sqrt_lt_R0 y B').
  replace (x / g * (y / g)) with (x * y / (g * g)) by (field; lra).
  rewrite sqrt_div, sqrt_mult, sqrt_square; try lra.
  - field. repeat split; lra.
  - apply Rmult_le_pos; lra.
  - apply Rmult_lt_0_compat; lra.
Qed.

Lemma products_definite : forall a b c, length a = length b -> length a = length c ->
  positive a -> positive b -> positive c ->
  let e x y := product (map G (both (fun s t => (s + t) / 2) x y)) in
  definite (product (map G a)) (e a b) (e a c) (product (map G b)) (e b c) (product (map G c)).
Proof.
  induction a as [|p a IH]; destruct b as [|q b], c as [|r c]; intros L M P Q R'; try discriminate L; try discriminate M.
  - exact ones_definite.
  - inversion P. inversion Q. inversion R'. subst. simpl in *.
    rewrite !(Rmult_comm (G _)). apply (times_gamma G gamma); auto.
Qed.

(** The triangle inequality. *)
Theorem list_triangle a b c : a <> [] -> length a = length b -> length a = length c ->
  positive a -> positive b -> positive c -> total a = total b -> total a = total c ->
  distance_k G a b <= distance_k G a c + distance_k G c b.
Proof.
  intros N L M P Q R' T U.
  assert (distance_k G c b = distance_k G b c) as ->.
  { unfold distance_k. rewrite (Rmult_comm (beta_k G c)). f_equal. f_equal. f_equal. f_equal. clear. revert b.
    induction c as [|r c IH]; destruct b as [|q b]; simpl; auto. rewrite IH. f_equal. lra. }
  assert (b <> []) by (destruct b; [destruct a; [congruence|discriminate L]|congruence]).
  rewrite !distance_products by congruence.
  apply definite_triangle; auto using product_positive. apply products_definite; auto; congruence.
Qed.

(** H of two laws of one total, by the affinity of every coordinate. *)
Definition affine (x y : R) : R := G ((x + y) / 2) / (sqrt (G x) * sqrt (G y)).

Lemma distance_affine a b : a <> [] -> length a = length b -> positive a -> positive b -> total a = total b ->
  distance_k G a b = sqrt (1 - product (both affine a b)).
Proof.
  intros N L P Q T. rewrite distance_products by auto. f_equal. f_equal. clear N T. revert b L Q.
  induction P as [|p a P PA IH]; destruct b as [|q b]; intros L Q; try discriminate L; simpl.
  - rewrite sqrt_1. field.
  - inversion Q. subst. rewrite <- IH by (auto; now inversion L). unfold affine.
    pose proof (gamma_pos G gamma p P). pose proof (gamma_pos G gamma q ltac:(assumption)).
    pose proof (product_positive a PA). pose proof (product_positive b ltac:(assumption)).
    rewrite !sqrt_mult by lra. pose proof (sqrt_lt_R0 (G p) ltac:(lra)). pose proof (sqrt_lt_R0 (G q) ltac:(lra)).
    pose proof (sqrt_lt_R0 (product (map G a)) ltac:(lra)). pose proof (sqrt_lt_R0 (product (map G b)) ltac:(lra)).
    field. repeat split; lra.
Qed.

Lemma affine_self p : 0 < p -> affine p p = 1.
Proof.
  intros P. unfold affine. replace ((p + p) / 2) with p by field. pose proof (gamma_pos G gamma p P).
  rewrite sqrt_sqrt by lra. field. lra.
Qed.

Lemma affine_comm p q : affine p q = affine q p.
Proof. unfold affine. rewrite (Rplus_comm p), (Rmult_comm (sqrt (G p))). reflexivity. Qed.

Lemma affine_step p : 0 < p -> affine p (p + 1) = sqrt (phi G p).
Proof.
  intros P. unfold affine, phi. replace ((p + (p + 1)) / 2) with (p + 1 / 2) by field.
  pose proof (gamma_pos G gamma p P). pose proof (gamma_pos G gamma (p + 1) ltac:(lra)).
  pose proof (gamma_pos G gamma (p + 1 / 2) ltac:(lra)).
  rewrite sqrt_div, sqrt_square, sqrt_mult; try lra; [apply Rmult_le_pos; lra|apply Rmult_lt_0_compat; auto].
Qed.

Lemma affine_bounds p q : 0 < p -> 0 < q -> 0 < affine p q <= 1.
Proof.
  intros P Q. pose proof (gamma_pos G gamma p P). pose proof (gamma_pos G gamma q Q).
  pose proof (gamma_pos G gamma ((p + q) / 2) ltac:(lra)). unfold affine. rewrite <- sqrt_mult by lra.
  assert (0 < sqrt (G p * G q)) by (apply sqrt_lt_R0; apply Rmult_lt_0_compat; auto). split.
  - apply Rdiv_lt_0_compat; auto.
  - apply Rmult_le_reg_r with (sqrt (G p * G q)); auto. rewrite Rmult_1_l.
    replace (G ((p + q) / 2) / sqrt (G p * G q) * sqrt (G p * G q)) with (G ((p + q) / 2)) by (field; lra).
    rewrite <- (sqrt_square (G ((p + q) / 2))) by lra.
    apply sqrt_le_1_alt. apply (gamma_convex G gamma); auto.
Qed.

Lemma phi_below_1 p : 0 < p -> phi G p < 1.
Proof.
  intros P. apply Rlt_le_trans with (phi G (p + 1)); [apply (phi_strict G gamma); lra|apply (phi_below G gamma); lra].
Qed.

Lemma sqrt_below_1 q : q < 1 -> sqrt q < 1.
Proof. intros Q. rewrite <- sqrt_1. destruct (Rle_dec 0 q); [apply sqrt_lt_1_alt; lra|rewrite sqrt_neg_0, sqrt_1; lra]. Qed.

(** Posteriors of two counts. *)
Definition posterior (prior : list R) (x : list nat) : list R := both Rplus prior (map INR x).

Lemma posterior_length prior : forall x, length prior = length x -> length (posterior prior x) = length prior.
Proof.
  induction prior as [|p prior IH]; destruct x as [|c x]; intros L; try discriminate L; simpl; [reflexivity|].
  f_equal. apply IH. now inversion L.
Qed.

Lemma posterior_positive prior : positive prior -> forall x, positive (posterior prior x).
Proof.
  induction 1 as [|p prior P _ IH]; intros [|c x]; simpl; try constructor; [pose proof (pos_INR c); lra|apply IH].
Qed.

Lemma posterior_total prior : forall x, length prior = length x -> total (posterior prior x) = total prior + INR (list_sum x).
Proof.
  induction prior as [|p prior IH]; destruct x as [|c x]; intros L; try discriminate L; simpl; [ring|].
  unfold posterior in IH. rewrite IH by (now inversion L). rewrite plus_INR. ring.
Qed.

Notation affinity x y prior := (product (both affine (posterior prior x) (posterior prior y))).

Lemma affinity_bounds prior : positive prior -> forall x y, length prior = length x -> length prior = length y ->
  0 < affinity x y prior <= 1.
Proof.
  induction 1 as [|p prior P PP IH]; intros [|c x] [|d y] L M; try discriminate L; try discriminate M; simpl; [lra|].
  inversion L. inversion M. destruct (IH x y ltac:(assumption) ltac:(assumption)) as [A B'].
  destruct (affine_bounds (p + INR c) (p + INR d)) as [C D]; [pose proof (pos_INR c); lra|pose proof (pos_INR d); lra|].
  unfold posterior in A, B'. split; [apply Rmult_lt_0_compat; auto|].
  replace 1 with (1 * 1) by ring. apply Rmult_le_compat; lra.
Qed.

(** One record apart: two coordinates have moved by one. *)
Lemma coordinate c d : (c - d <= 1)%nat -> (d - c <= 1)%nat -> c = d \/ d = S c \/ c = S d.
Proof. lia. Qed.

Lemma affinity_strict prior : positive prior -> forall x y, length prior = length x -> length prior = length y ->
  (lacking x y <= 1)%nat -> (lacking y x <= 1)%nat -> (1 <= lacking x y + lacking y x)%nat -> affinity x y prior < 1.
Proof.
  induction 1 as [|p prior P PP IH]; intros [|c x] [|d y] L M X Y S; try discriminate L; try discriminate M; simpl in *; [lia|].
  inversion L as [L']. inversion M as [M']. pose proof (affinity_bounds prior PP x y L' M') as [A B']. unfold posterior in *.
  pose proof (pos_INR c). pose proof (pos_INR d).
  destruct (coordinate c d ltac:(lia) ltac:(lia)) as [<-|[->| ->]].
  - rewrite affine_self, Rmult_1_l by lra. apply IH; auto; lia.
  - rewrite S_INR, <- Rplus_assoc, affine_step by lra.
    pose proof (sqrt_below_1 _ (phi_below_1 (p + INR c) ltac:(lra))). pose proof (sqrt_pos (phi G (p + INR c))).
    apply Rle_lt_trans with (sqrt (phi G (p + INR c)) * 1); [apply Rmult_le_compat_l; lra|lra].
  - rewrite S_INR, <- Rplus_assoc, affine_comm, affine_step by lra.
    pose proof (sqrt_below_1 _ (phi_below_1 (p + INR d) ltac:(lra))). pose proof (sqrt_pos (phi G (p + INR d))).
    apply Rle_lt_trans with (sqrt (phi G (p + INR d)) * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

Lemma affinity_from_one prior : Forall (fun p => 1 <= p) prior -> forall x y, length prior = length x -> length prior = length y ->
  (lacking x y <= 1)%nat -> (lacking y x <= 1)%nat -> sqrt (phi G 1) ^ (lacking x y + lacking y x) <= affinity x y prior.
Proof.
  induction 1 as [|p prior P PP IH]; intros [|c x] [|d y] L M X Y; try discriminate L; try discriminate M; simpl in *; [lra|].
  inversion L as [L']. inversion M as [M'].
  assert (positive prior) as PP' by (eapply Forall_impl; [|exact PP]; simpl; intros; lra).
  pose proof (affinity_bounds prior PP' x y L' M') as [A B'].
  specialize (IH x y L' M' ltac:(lia) ltac:(lia)). unfold posterior in *.
  pose proof (pos_INR c). pose proof (pos_INR d). pose proof (sqrt_pos (phi G 1)) as S0.
  assert (forall s, 1 <= s -> sqrt (phi G 1) <= sqrt (phi G s)) as Up.
  { intros s S'. apply sqrt_le_1_alt. apply (phi_increases G gamma); lra. }
  assert (0 <= sqrt (phi G 1) ^ (lacking x y + lacking y x)) as Pw by (apply pow_le; auto).
  destruct (coordinate c d ltac:(lia) ltac:(lia)) as [<-|[->| ->]].
  - rewrite affine_self, Rmult_1_l, Nat.sub_diag by lra. simpl. exact IH.
  - rewrite S_INR, <- Rplus_assoc, affine_step by lra.
    replace (c - S c + lacking x y + (S c - c + lacking y x))%nat with (S (lacking x y + lacking y x)) by lia.
    simpl. apply Rmult_le_compat; auto. apply Up. lra.
  - rewrite S_INR, <- Rplus_assoc, affine_comm, affine_step by lra.
    replace (S d - d + lacking x y + (d - S d + lacking y x))%nat with (S (lacking x y + lacking y x)) by lia.
    simpl. apply Rmult_le_compat; auto. apply Up. lra.
Qed.

(** Scores of data of [k] categories and [n] records. *)
Section Data.
Variables (prior : list R) (k n : nat).
Hypothesis prior_length : length prior = k.
Hypothesis prior_positive : positive prior.
Hypothesis several : (2 <= k)%nat.
Notation data := (histograms k n).
Notation score := (score_k G prior).

Lemma score_affinity x y : In x data -> In y data -> score x y = sqrt (1 - affinity x y prior).
Proof.
  intros X Y. apply histograms_in in X as [X S], Y as [Y T]. unfold score_k.
  change (both Rplus prior (map INR x)) with (posterior prior x). change (both Rplus prior (map INR y)) with (posterior prior y).
  apply distance_affine; auto using posterior_positive; rewrite ?posterior_length, ?posterior_total by congruence; try congruence.
  intros E. apply (f_equal (@length R)) in E. rewrite posterior_length in E by congruence. simpl in E. lia.
Qed.

Lemma score_bounds x y : In x data -> In y data -> 0 <= score x y <= 1.
Proof.
  intros X Y. rewrite score_affinity by auto. apply histograms_in in X as [X _], Y as [Y _].
  pose proof (affinity_bounds prior prior_positive x y ltac:(congruence) ltac:(congruence)) as [A B'].
  split; [apply sqrt_pos|]. apply Rle_trans with (sqrt 1); [apply sqrt_le_1_alt; lra|rewrite sqrt_1; lra].
Qed.

Lemma score_self x : In x data -> score x x = 0.
Proof.
  intros X. rewrite score_affinity by auto. apply histograms_in in X as [X _].
  replace (affinity x x prior) with 1; [rewrite Rminus_diag_eq by reflexivity; apply sqrt_0|]. subst k. symmetry.
  clear - gamma prior_positive X. revert x X. induction prior_positive as [|p prior P PP IH]; intros [|c x] L; try discriminate L; simpl; [reflexivity|].
  rewrite affine_self by (pose proof (pos_INR c); lra). unfold posterior in IH. rewrite IH by (now inversion L). ring.
Qed.

Lemma score_triangle x y z : In x data -> In y data -> In z data -> score x y <= score x z + score z y.
Proof.
  intros X Y Z. apply histograms_in in X as [X S], Y as [Y T], Z as [Z U]. unfold score_k. apply list_triangle;
    repeat match goal with |- context [both Rplus prior (map INR ?w)] => change (both Rplus prior (map INR w)) with (posterior prior w) end;
    auto using posterior_positive; rewrite ?posterior_length, ?posterior_total by congruence; try congruence.
  intros E. apply (f_equal (@length R)) in E. rewrite posterior_length in E by congruence. simpl in E. lia.
Qed.

Lemma score_sym x y : In x data -> In y data -> score x y = score y x.
Proof.
  intros X Y. rewrite !score_affinity by auto. f_equal. f_equal. f_equal. clear.
  generalize (posterior prior x) as l, (posterior prior y) as m. induction l as [|p l IH]; intros [|q m]; simpl; auto.
  rewrite IH, affine_comm. reflexivity.
Qed.

Lemma step_apart x y : apart x y = 1%nat -> list_sum x = list_sum y -> length x = length y ->
  lacking x y = 1%nat /\ lacking y x = 1%nat.
Proof.
  intros A S L. assert (list_sum x + lacking y x = list_sum y + lacking x y)%nat; [|unfold apart in A; lia].
  clear A S. revert y L. induction x as [|a x IH]; destruct y as [|b y]; intros L; try discriminate L; simpl; [lia|].
  specialize (IH y ltac:(now inversion L)). lia.
Qed.

Lemma score_step x y : In x data -> In y data -> apart x y = 1%nat -> 0 < score x y.
Proof.
  intros X Y A. rewrite score_affinity by auto. apply histograms_in in X as [X S], Y as [Y T].
  destruct (step_apart x y A ltac:(congruence) ltac:(congruence)) as [U V].
  pose proof (affinity_strict prior prior_positive x y ltac:(congruence) ltac:(congruence) ltac:(lia) ltac:(lia) ltac:(lia)).
  apply sqrt_lt_R0. lra.
Qed.

Lemma score_quoted x y : Forall (fun p => 1 <= p) prior -> In x data -> In y data -> apart x y = 1%nat ->
  score x y <= sqrt (1 - phi G 1).
Proof.
  intros P X Y A. rewrite score_affinity by auto. apply histograms_in in X as [X S], Y as [Y T].
  destruct (step_apart x y A ltac:(congruence) ltac:(congruence)) as [U V].
  pose proof (affinity_from_one prior P x y ltac:(congruence) ltac:(congruence) ltac:(lia) ltac:(lia)) as Q.
  rewrite U, V in Q. simpl in Q. rewrite Rmult_1_r, sqrt_sqrt in Q by (left; apply (phi_positive G gamma); lra).
  apply sqrt_le_1_alt. lra.
Qed.

(** LS, by the candidates of its definition. *)
Notation local := (Sensitivity.local_sensitivity data data apart score).

Lemma local_step x y r : In x data -> In y data -> x = y \/ apart x y = 1%nat -> In r data ->
  Rabs (score x r - score y r) <= local x.
Proof.
  intros X Y [->|A] I.
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply maximum_nonneg.
  - apply (change_local data data apart score x y r); auto. repeat split; auto.
Qed.

Lemma distance_local x y : In x data -> In y data -> apart x y = 1%nat -> score x y <= local x.
Proof.
  intros X Y A. pose proof (local_step x y x X Y (or_intror A) X) as L. rewrite score_self in L by auto.
  rewrite (score_sym x y) by auto. pose proof (Rle_abs (- (0 - score y x))) as M. rewrite Rabs_Ropp in M. lra.
Qed.

Lemma local_positive x : (1 <= n)%nat -> In x data -> 0 < local x.
Proof.
  intros N X. apply histograms_in in X as X'. destruct X' as [L S].
  destruct (some_neighbour x ltac:(lia) ltac:(lia)) as (y & Ly & Sy & A).
  assert (In y data) as Y by (apply histograms_in; split; congruence).
  pose proof (score_step x y X Y A). pose proof (distance_local x y X Y A). lra.
Qed.

Lemma reduced x y r : In x data -> In y data -> In r data -> Rabs (score x r - score y r) <= score x y.
Proof.
  intros X Y I. apply Rabs_le. pose proof (score_triangle x r y X I Y). pose proof (score_triangle y r x Y I X).
  rewrite (score_sym y x) in * by auto. split; lra.
Qed.

Lemma local_quoted x : Forall (fun p => 1 <= p) prior -> In x data -> local x <= sqrt (1 - phi G 1).
Proof.
  intros P X. apply maximum_below; [apply sqrt_pos|]. intros y Y. unfold change. destruct (Nat.eqb_spec (apart x y) 1) as [A|A]; [|apply sqrt_pos].
  apply maximum_below; [apply sqrt_pos|]. intros r I. apply Rle_trans with (1 := reduced x y r X Y I). apply score_quoted; auto.
Qed.
End Data.
End Lists.
