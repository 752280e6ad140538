(** Printed statements that fail, each at a point of its own domain. *)
Require Import Reals Psatz.
From dpaudit Require Import Posterior.
Open Scope R_scope.

(** Below the flat prior one record can move the posterior further than √(1 − π/4), which A §1
    prints as the global sensitivity: one record, prior (1/2, 1/2). *)
(* refutes: gs-constant-bound *)
Theorem constant_exceeded G : is_gamma G -> G 1 = 1 -> G (1/2) = sqrt PI ->
  sqrt (1 - PI / 4) < H G (1/2) (1/2) 1 1 0.
Proof.
  intros gamma One Half. unfold H, hellinger. apply sqrt_lt_1_alt.
  simpl INR. replace (1/2 + 1) with (1/2 + 1) by ring. replace (1/2 + (1 - 1)) with (1/2) by ring.
  replace (1/2 + 0) with (1/2) by ring. replace (1/2 + (1 - 0)) with (1/2 + 1) by ring.
  unfold affinity, B.
  replace ((1/2 + 1 + 1/2) / 2) with 1 by lra. replace ((1/2 + (1/2 + 1)) / 2) with 1 by lra.
  replace (1/2 + 1 + 1/2) with (1 + 1) by lra. replace (1/2 + (1/2 + 1)) with (1 + 1) by lra.
  rewrite !(gamma_step G gamma) by lra. rewrite One, Half.
  pose proof PI_RGT_0 as P. pose proof PI2_3_2 as Q.
  replace (1/2 * sqrt PI * sqrt PI / (1 * 1)) with (PI / 2).
  2: { rewrite <- (sqrt_sqrt PI) at 1 by lra. field. }
  replace (sqrt PI * (1/2 * sqrt PI) / (1 * 1)) with (PI / 2).
  2: { rewrite <- (sqrt_sqrt PI) at 1 by lra. field. }
  rewrite sqrt_square by lra.
  assert (1 * 1 / (1 * 1) / (PI / 2) < PI / 4).
  { apply Rmult_lt_reg_r with (PI / 2); [lra|]. replace (1 * 1 / (1 * 1) / (PI / 2) * (PI / 2)) with 1 by (field; lra).
    assert (3 * 3 < PI * PI) by (apply Rmult_gt_0_lt_compat; lra). lra. }
  split; [|lra]. pose proof PI_4. lra.
Qed.

(** From step 10 of the printed argument that the mechanism with local sensitivity is not private,
    step 11 does not follow. *)
(* part of: em-local-step-11 *)
Theorem step_11_does_not_follow : ~ forall ux uy sx sy : R,
  0 < sy < sx -> uy <= ux <= 0 -> sy = ux - uy -> uy * (sy - sx) < 2 * sx * sy ->
  (ux + uy) / sx - (ux + uy) / sy > 2.
Proof. intros F. specialize (F 0 (-1/4) (1/2) (1/4)). lra. Qed.
