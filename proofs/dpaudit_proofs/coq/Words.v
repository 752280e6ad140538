(** The words of typed statements: what each of them means. *)
Require Import Reals.
From dpaudit Require Export Posterior.
Open Scope R_scope.

(** H((a, b), (c, d)), the Hellinger distance of two beta laws. *)
Definition distance (G : R -> R) (a b c d : R) : R := hellinger G a b c d.

(** LS((a, b), (x, y)), the larger of the distances to the one or two neighbours. *)
Definition local_sensitivity (G : R -> R) (a b x y : R) : R :=
  Rmax (if Req_EM_T x 0 then 0 else distance G (a + x) (b + y) (a + x - 1) (b + y + 1))
       (if Req_EM_T y 0 then 0 else distance G (a + x) (b + y) (a + x + 1) (b + y - 1)).

(** P(Y < t) for Laplace noise Y of scale s. *)
Definition F_lap (s t : R) : R := if Rlt_dec t 0 then exp (t / s) / 2 else 1 - exp (- t / s) / 2.
