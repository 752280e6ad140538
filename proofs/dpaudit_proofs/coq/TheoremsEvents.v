(** Typed statements about far outputs, and about how many outputs there are. *)
Require Import Reals Psatz Lia ZArith List.
From dpaudit Require Import Laws Sensitivity Words Stated TheoremsNoise Values Neighbours TheoremsMechanisms TheoremsScores Metric Lists Pairs Rounded.
Import ListNotations.
Open Scope R_scope.

Lemma constant_from_1 m k : (0 <= m)%Z -> range_sum 1 (IZR m) (fun _ => k) = IZR m * k.
Proof.
  intros M. unfold range_sum. rewrite !whole_IZR, added_constant, INR_IZR_INZ, Z2Nat.id by lia.
  rewrite plus_IZR, minus_IZR. ring.
Qed.

Lemma range_sum_nonneg low high f : (forall i, 0 <= f i) -> 0 <= range_sum low high f.
Proof.
  intros P. unfold range_sum. pose proof (added_le (fun _ => 0) f (whole low) (Z.to_nat (whole high - whole low + 1)) ltac:(auto)) as L.
  rewrite added_constant in L. lra.
Qed.

(* proves: lap-decay-count *)
Theorem lap_decay_count : s_lap_decay_count.
Proof.
  intros m l M0 M. assert (0 <= m - 1)%Z as P by (apply le_IZR; rewrite minus_IZR; lra).
  split; rewrite <- (Rmult_1_r (IZR m - 1)) at 2; rewrite <- minus_IZR, <- (constant_from_1 (m - 1) 1) by auto; apply (range_sum_le 1 (m - 1)); intros i _.
  - assert (0 <= Rmin 1 (range_sum 1 (IZR i - 1) (fun j => same (Rabs (IZR (l i))) (Rabs (IZR (l j)))))); [|lra].
    apply Rmin_glb; [lra|]. apply range_sum_nonneg. intros j. apply same_1.
  - pose proof (same_1 (IZR (l i)) 0). lra.
Qed.

(* proves: accuracy-property *)
Theorem accuracy_property : s_accuracy_property.
Proof.
  intros u N x t e S opt N0 N1 P E B W. apply Rge_le in N1, E. apply (le_IZR 1) in N1.
  assert (forall v w, v <= w -> exp (e * v / (2 * S)) <= exp (e * w / (2 * S))) as U.
  { intros v w L. apply exp_monotone. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; auto. }
  apply Rmult_le_compat.
  - apply range_sum_nonneg. intros r. apply Rmult_le_pos; [left; apply exp_pos|apply same_1].
  - apply Rmult_le_pos; [|left; apply exp_pos]. apply range_sum_nonneg. intros r. apply same_1.
  - rewrite <- (constant_from_1 N) by lia. apply (range_sum_le 1 N). intros r _.
    pose proof (exp_pos (e * t / (2 * S))). destruct (same_is (Rmax (u x (IZR r)) t) t) as [[Q ->]|[_ ->]]; [|lra].
    rewrite Rmult_1_r. apply U. rewrite <- Q. apply Rmax_l.
  - rewrite Rmult_comm, <- range_sum_scaled. apply (range_sum_le 1 N). intros r _.
    pose proof (exp_pos (e * u x (IZR r) / (2 * S))). destruct (same_is (u x (IZR r)) opt) as [[-> ->]|[_ ->]]; lra.
Qed.

(* proves: em-local-step-4 *)
Theorem em_local_step_4 : s_em_local_step_4.
Proof.
  intros u N r x y sx sy e N0 R0 N2 R1 R2 E P L Q M1 M2. apply Rge_le in N2, R1. apply (le_IZR 2) in N2. apply (le_IZR 1) in R1. apply le_IZR in R2.
  set (m := exp (e * (u x (IZR r) + u y (IZR r)) / (2 * sx))). set (M := exp (e * (u y (IZR r) + u x (IZR r)) / (2 * sy))).
  set (top := range_sum _ _ (fun t => exp (e * (u x (IZR r) + u y (IZR t)) / (2 * sx)))).
  set (bottom := range_sum _ _ (fun t => exp (e * (u y (IZR r) + u x (IZR t)) / (2 * sy)))).
  assert (0 < m) by apply exp_pos. assert (0 < M) by apply exp_pos. assert (2 <= IZR N) by (apply IZR_le; auto).
  assert (IZR N * m <= top) as T.
  { rewrite <- (constant_from_1 N) by lia. apply (range_sum_le 1 N). intros t I. apply exp_monotone.
    assert (u y (IZR r) <= u y (IZR t)) by (apply M2; split; apply IZR_le; lia).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; lra. }
  assert (forall t, (1 <= t <= N)%Z -> t <> r -> exp (e * (u y (IZR r) + u x (IZR t)) / (2 * sy)) < M) as Less.
  { intros t I D. apply exp_increasing. destruct (M1 t) as [F|F]; [split; apply IZR_le; lia|apply eq_IZR in F; congruence|].
    apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|]. apply Rmult_lt_compat_l; lra. }
  assert (bottom < IZR N * M) as Bt.
  { rewrite <- (constant_from_1 N) by lia. set (f := fun t => M + -1 * exp (e * (u y (IZR r) + u x (IZR t)) / (2 * sy))).
    assert (exists c, (1 <= c <= N)%Z /\ c <> r) as (c & C & D).
    { destruct (Z.eq_dec r 1); [exists 2%Z|exists 1%Z]; lia. }
    assert (0 < range_sum 1 (IZR N) f) as F.
    { unfold range_sum. rewrite !whole_IZR.
      pose proof (added_one_larger c (f c) 0 f 1 (Z.to_nat (N - 1 + 1))) as A. pose proof (Less c C D).
      assert (0 < f c) by (unfold f; lra). specialize (A ltac:(lia) ltac:(lra)).
      assert (forall i, (1 <= i < 1 + Z.of_nat (Z.to_nat (N - 1 + 1)))%Z -> 0 <= f i) as K.
      { intros i I. unfold f. destruct (Z.eq_dec i r) as [->|Ne]; [unfold M; lra|]. pose proof (Less i ltac:(lia) Ne). lra. }
      specialize (A K ltac:(lra)). lra. }
    unfold f in F. rewrite range_sum_plus, range_sum_scaled in F. fold bottom in F. lra. }
  assert (0 < bottom) as B0 by (apply (range_sum_positive 1 N); [lia|intros; apply exp_pos]).
  apply Rlt_gt. apply Rlt_le_trans with (IZR N * m * (IZR N * M)).
  - apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; lra|exact Bt].
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact T].
Qed.

(* proves: basics-posterior *)
Theorem basics_posterior : s_basics_posterior.
Proof.
  intros m a s t c _ M _ _ _ _ _ _. rewrite <- !exp_plus. f_equal.
  assert (forall p : Z -> R, range_sum 1 (IZR m) (fun i => (a i + IZR (c i) - 1) * ln (p i)) =
    range_sum 1 (IZR m) (fun i => (a i - 1) * ln (p i)) + range_sum 1 (IZR m) (fun i => IZR (c i) * ln (p i))) as E.
  { intros p. rewrite <- range_sum_plus. apply (range_sum_ext 1 m). intros i _. ring. }
  rewrite !E. ring.
Qed.

(** How many counts there are. *)
Lemma histograms_step j n : length (histograms (S j) n) = list_sum (map (fun c => length (histograms j (n - c))) (seq 0 (S n))).
Proof.
  cbn [histograms]. generalize (seq 0 (S n)). induction l as [|c l IH]; [reflexivity|].
  cbn [flat_map map]. rewrite app_length, map_length, IH. reflexivity.
Qed.

Lemma pascal j n : length (histograms (S j) (S n)) = (length (histograms j (S n)) + length (histograms (S j) n))%nat.
Proof.
  rewrite (histograms_step j (S n)), (histograms_step j n). change (seq 0 (S (S n))) with (0%nat :: seq 1 (S n)).
  rewrite <- (seq_shift (S n) 0). cbn [map]. rewrite map_map.
  match goal with |- list_sum (?c :: ?l) = _ => change (list_sum (c :: l)) with (c + list_sum l)%nat end.
  rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma no_record j : length (histograms (S j) 0) = 1%nat.
Proof. induction j as [|j IH]; [reflexivity|]. rewrite histograms_step. change (length (histograms (S j) 0) + 0 = 1)%nat. lia. Qed.

Lemma one_category n : length (histograms 1 n) = 1%nat.
Proof. induction n as [|n IH]; [reflexivity|]. rewrite pascal, IH. reflexivity. Qed.

Lemma stars_and_bars G j : is_gamma G -> forall n, INR (length (histograms (S j) n)) * G (INR j + 1) * G (INR n + 1) = G (INR n + INR j + 1).
Proof.
  intros gamma. assert (G 1 = 1) as G1 by apply (gamma_one G gamma). induction j as [|j IHj]; intros n.
  - rewrite one_category. simpl INR. rewrite Rplus_0_l, G1, Rplus_0_r. ring.
  - induction n as [|n IHn].
    + rewrite no_record. change (INR 0) with 0. rewrite !Rplus_0_l, G1. change (INR 1) with 1. ring.
    + rewrite pascal, plus_INR. specialize (IHj (S n)). rewrite !S_INR in *.
      pose proof (pos_INR j). pose proof (pos_INR n).
      replace (INR n + 1 + (INR j + 1) + 1) with (INR n + (INR j + 1) + 1 + 1) by ring.
      rewrite (gamma_step G gamma (INR n + (INR j + 1) + 1)) by lra.
      replace (INR n + 1 + INR j + 1) with (INR n + (INR j + 1) + 1) in IHj by ring.
      rewrite (gamma_step G gamma (INR j + 1)) in * by lra. rewrite (gamma_step G gamma (INR n + 1)) in * by lra.
      set (A := INR (length (histograms (S j) (S n)))) in *. set (B := INR (length (histograms (S (S j)) n))) in *.
      set (g := G (INR j + 1)) in *. set (h := G (INR n + 1)) in *. set (v := G (INR n + (INR j + 1) + 1)) in *.
      replace ((A + B) * ((INR j + 1) * g) * ((INR n + 1) * h)) with
        ((INR j + 1) * (A * g * ((INR n + 1) * h)) + (INR n + 1) * (B * ((INR j + 1) * g) * h)) by ring.
      rewrite IHj, IHn. ring.
Qed.

Lemma candidates_are G k n : is_gamma G -> (1 <= k)%Z -> (0 <= n)%Z ->
  candidates (IZR k) (IZR n) * G (IZR k) * G (IZR n + 1) = G (IZR n + IZR k).
Proof.
  intros gamma K N. unfold candidates. rewrite !whole_IZR. assert (exists j, Z.to_nat k = S j) as [j E] by (exists (Z.to_nat (k - 1)); lia).
  rewrite E. pose proof (stars_and_bars G j gamma (Z.to_nat n)) as F.
  assert (IZR k = INR j + 1) as -> by (rewrite <- S_INR, <- E, INR_IZR_INZ, Z2Nat.id; [reflexivity|lia]).
  assert (IZR n = INR (Z.to_nat n)) as -> by (rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|lia]).
  rewrite F. f_equal. ring.
Qed.

(* proves: basics-candidates *)
Theorem basics_candidates : s_basics_candidates.
Proof.
  intros G gamma k n _ _ K N. apply Rge_le in K, N. apply (le_IZR 2) in K. apply (le_IZR 1) in N. split.
  - pose proof (candidates_are G 2 n gamma ltac:(lia) ltac:(lia)) as F. assert (1 <= IZR n) by (apply (IZR_le 1); auto).
    assert (G 2 = 1) as E by (replace 2 with (1 + 1) by ring; rewrite (gamma_step G gamma 1), (gamma_one G gamma) by lra; ring).
    rewrite E in F. replace (IZR n + 2) with (IZR n + 1 + 1) in F by ring. rewrite (gamma_step G gamma (IZR n + 1)) in F by lra.
    pose proof (gamma_pos G gamma (IZR n + 1) ltac:(lra)). apply Rmult_eq_reg_r with (G (IZR n + 1)); lra.
  - apply candidates_are; auto; lia.
Qed.

(** The law at x, and the outputs at least so far away. *)
Section Far.
Variables (G : R -> R) (k n : Z) (x : Z -> Z) (a : Z -> R).
Hypothesis gamma : is_gamma G.
Hypothesis K : (2 <= k)%Z.
Hypothesis N : (1 <= n)%Z.
Hypothesis X0 : forall i, 1 <= IZR i <= IZR k -> IZR (x i) >= 0.
Hypothesis T : range_sum 1 (IZR k) (fun i => IZR (x i)) = IZR n.
Hypothesis A : forall i, 1 <= IZR i <= IZR k -> a i > 0.
Notation data := (histograms (Z.to_nat k) (Z.to_nat n)).
Notation prior := (entries 1 (IZR k) a).
Notation at_x := (entries 1 (IZR k) (fun i => IZR (x i))).

Lemma here : In (counts at_x) data.
Proof. apply counted; auto. Qed.

Lemma alike_here : alike (counts at_x) = data.
Proof. pose proof here as I. apply histograms_in in I as [L S]. unfold alike. rewrite L, S. reflexivity. Qed.

Lemma self_score : score_k G prior (counts at_x) (counts at_x) = 0.
Proof.
  apply (score_self G gamma prior (Z.to_nat k) (Z.to_nat n)); auto using list_positive, entries_length, here; try lia.
Qed.

Lemma sum_above {B} (f : B -> R) l b : (forall c, 0 <= f c) -> In b l -> f b <= sum f l.
Proof.
  intros P. induction l as [|c l IH]; simpl; [tauto|]. intros [->|I].
  - pose proof (sum_nonneg f l ltac:(auto)). lra.
  - specialize (IH I). specialize (P c). lra.
Qed.

Lemma normaliser_above f : 1 <= normaliser_k G f prior at_x.
Proof.
  unfold normaliser_k. rewrite alike_here.
  assert (exp (- f * score_k G prior (counts at_x) (counts at_x)) = 1) as E by (rewrite self_score, Rmult_0_r, exp_0; reflexivity).
  apply Rle_trans with (2 := sum_above (fun s => exp (- f * score_k G prior (counts at_x) s)) data (counts at_x) ltac:(intros; left; apply exp_pos) here).
  lra.
Qed.

Lemma sum_same_weight {B} (l : list B) c : sum (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|b l IH]; [simpl; ring|]. cbn [sum length]. rewrite S_INR, IH. ring. Qed.

Lemma far_below f c : 0 <= f -> far_k G f prior at_x c <= candidates (IZR k) (IZR n) * exp (- f * c) / normaliser_k G f prior at_x.
Proof.
  intros P. unfold far_k. pose proof (normaliser_above f). apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  unfold candidates. rewrite !whole_IZR, alike_here, <- sum_same_weight. apply sum_le. intros s _.
  destruct Rle_dec as [L|_]; [|left; apply exp_pos]. apply exp_monotone. assert (f * c <= f * score_k G prior (counts at_x) s) by (apply Rmult_le_compat_l; auto). lra.
Qed.
End Far.

Ltac sizes := repeat match goal with H : IZR _ >= _ |- _ => apply Rge_le in H end;
  repeat match goal with H : 0 <= IZR _ |- _ => apply (le_IZR 0) in H | H : 1 <= IZR _ |- _ => apply (le_IZR 1) in H | H : 2 <= IZR _ |- _ => apply (le_IZR 2) in H end.

(* proves: acc-second-matched *)
Theorem acc_second_matched : s_acc_second_matched.
Proof. intros G gamma k n x a f c K0 N0 K N X0 T A P. sizes. apply far_below; auto. lra. Qed.

(* proves: acc-global *)
Theorem acc_global : s_acc_global.
Proof.
  intros G gamma k n x a e c D K0 N0 K N X0 T A E P. sizes. assert (0 < e / (2 * D)) as F by (apply over_positive; lra).
  pose proof (far_below G k n x a gamma K X0 T A (e / (2 * D)) c ltac:(lra)) as B. pose proof (normaliser_above G k n x a gamma K X0 T A (e / (2 * D))) as L.
  apply Rle_trans with (1 := B). replace (- e * c / (2 * D)) with (- (e / (2 * D)) * c) by (field; lra).
  set (w := candidates (IZR k) (IZR n) * exp (- (e / (2 * D)) * c)).
  assert (0 <= w). { apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]. }
  match type of L with 1 <= ?t => set (v := t) in * end. apply Rmult_le_reg_r with v; [lra|]. replace (w / v * v) with w by (field; lra).
  assert (w * 1 <= w * v) by (apply Rmult_le_compat_l; auto). lra.
Qed.

(** H is above 0 between different candidates. *)
Lemma affine_further G p q : is_gamma G -> 0 < p -> p <= q -> affine G p (q + 1) <= affine G p q.
Proof.
  intros gamma P Q. unfold affine. rewrite (gamma_step G gamma q), (sqrt_mult q) by (try lra; left; apply (gamma_pos G gamma); lra).
  set (s := (p + q) / 2). replace ((p + (q + 1)) / 2) with (s + 1 / 2) by (unfold s; field).
  assert (0 < s <= q) as S by (unfold s; lra). pose proof (phi_below G gamma s ltac:(lra)) as F. unfold phi in F.
  pose proof (gamma_pos G gamma s ltac:(lra)). pose proof (gamma_pos G gamma (s + 1 / 2) ltac:(lra)). rewrite (gamma_step G gamma s) in F by lra.
  pose proof (sqrt_lt_R0 _ (gamma_pos G gamma p P)). pose proof (sqrt_lt_R0 _ (gamma_pos G gamma q ltac:(lra))). pose proof (sqrt_lt_R0 q ltac:(lra)).
  assert (G (s + 1 / 2) <= sqrt q * G s) as U.
  { assert (G (s + 1 / 2) * G (s + 1 / 2) <= G s * (s * G s)) as V.
    { apply Rmult_le_reg_r with (/ (G s * (s * G s))); [apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra|]. rewrite Rinv_r; [exact F|].
      apply Rgt_not_eq. repeat apply Rmult_lt_0_compat; lra. }
    rewrite <- (sqrt_square (G (s + 1 / 2))) by lra. rewrite <- (sqrt_square (G s)) by lra. rewrite <- sqrt_mult by (try lra; apply Rmult_le_pos; lra).
    apply sqrt_le_1_alt. apply Rle_trans with (1 := V). replace (G s * (s * G s)) with (s * (G s * G s)) by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]. }
  replace (G s / (sqrt (G p) * sqrt (G q))) with (sqrt q * G s / (sqrt (G p) * (sqrt q * sqrt (G q)))) by (field; repeat split; apply Rgt_not_eq; assumption).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; assumption|exact U].
Qed.

Lemma affine_apart G p d : is_gamma G -> 0 < p -> affine G p (p + INR (S d)) < 1.
Proof.
  intros gamma P. induction d as [|d IH].
  - change (INR 1) with 1. rewrite (affine_step G gamma) by auto. apply sqrt_below_1. apply (phi_below_1 G gamma). exact P.
  - rewrite S_INR. apply Rle_lt_trans with (2 := IH). rewrite <- Rplus_assoc. apply affine_further; auto. pose proof (pos_INR (S d)). lra.
Qed.

Lemma affine_differs G p c d : is_gamma G -> 0 < p -> c <> d -> affine G (p + INR c) (p + INR d) < 1.
Proof.
  intros gamma P D. assert (forall u v, (u < v)%nat -> affine G (p + INR u) (p + INR v) < 1) as L.
  { intros u v L. replace v with (u + S (v - u - 1))%nat by lia. rewrite plus_INR, <- Rplus_assoc. apply affine_apart; auto. pose proof (pos_INR u). lra. }
  destruct (Nat.lt_total c d) as [C|[C|C]]; [auto|congruence|]. rewrite affine_comm. auto.
Qed.

Lemma affinity_differs G prior : is_gamma G -> Forall (fun p => 0 < p) prior -> forall x y, length prior = length x -> length prior = length y ->
  x <> y -> product (both (affine G) (posterior prior x) (posterior prior y)) < 1.
Proof.
  intros gamma. induction 1 as [|p prior P PP IH]; intros [|c x] [|d y] L M D; try discriminate L; try discriminate M; [congruence|].
  cbn [posterior map both product fold_right]. inversion L as [L']. inversion M as [M'].
  pose proof (affinity_bounds G gamma prior PP x y L' M') as [A B]. pose proof (pos_INR c). pose proof (pos_INR d).
  pose proof (affine_bounds G gamma (p + INR c) (p + INR d) ltac:(lra) ltac:(lra)) as [C0 C1].
  change (affine G (p + INR c) (p + INR d) * product (both (affine G) (posterior prior x) (posterior prior y)) < 1).
  set (u := affine G (p + INR c) (p + INR d)) in *. set (v := product (both (affine G) (posterior prior x) (posterior prior y))) in *.
  destruct (Nat.eq_dec c d) as [<-|E].
  - assert (v < 1) by (apply IH; auto; congruence). assert (u * v <= 1 * v) by (apply Rmult_le_compat_r; lra). lra.
  - pose proof (affine_differs G p c d gamma P E). fold u in H1. assert (u * v <= u * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* proves: acc-global-opt *)
Theorem acc_global_opt : s_acc_global_opt.
Proof.
  intros G gamma k n x r a K0 N0 K N X0 T A R0 U. sizes.
  rewrite <- (posterior_is k a x X0), <- (posterior_is k a r R0).
  set (prior := entries 1 (IZR k) a). set (sx := counts (entries 1 (IZR k) (fun i => IZR (x i)))). set (sr := counts (entries 1 (IZR k) (fun i => IZR (r i)))).
  change (score_k G prior sx sx = 0 /\ score_k G prior sx sr >= 0 /\ ((forall i, 1 <= IZR i <= IZR k -> IZR (r i) = IZR (x i)) \/ score_k G prior sx sr > 0)).
  assert (In sx (histograms (Z.to_nat k) (Z.to_nat n))) as X by (apply counted; auto).
  assert (In sr (histograms (Z.to_nat k) (Z.to_nat n))) as R by (apply counted; auto).
  assert (Forall (fun p => 0 < p) prior) as P by (apply list_positive; exact A).
  assert (length prior = Z.to_nat k) as L by apply entries_length.
  split; [|split].
  - apply (score_self G gamma prior (Z.to_nat k) (Z.to_nat n)); auto. lia.
  - apply Rle_ge. apply sqrt_pos.
  - destruct (list_eq_dec Nat.eq_dec sx sr) as [E|D].
    + left. intros i [I1 I2]. apply (le_IZR 1) in I1. apply le_IZR in I2. unfold sx, sr in E. rewrite !counts_map in E.
      apply ext_in_map with (a := Z.to_nat (i - 1)) in E; [|apply in_seq; lia]. cbv beta in E.
      replace (1 + Z.of_nat (Z.to_nat (i - 1)))%Z with i in E by lia.
      assert (0 <= x i)%Z by (apply le_IZR, Rge_le, X0; split; apply IZR_le; lia).
      assert (0 <= r i)%Z by (apply le_IZR, Rge_le, R0; split; apply IZR_le; lia). f_equal. lia.
    + right. apply Rlt_gt. rewrite (score_affinity G gamma prior (Z.to_nat k) (Z.to_nat n)) by (auto; lia).
      apply sqrt_lt_R0. apply histograms_in in X as [X _], R as [R _].
      pose proof (affinity_differs G prior gamma P sx sr ltac:(congruence) ltac:(congruence) D). lra.
Qed.
