(** The words of typed statements: what each of them means. *)
Require Import Reals List.
From dpaudit Require Import Laws Sensitivity.
From dpaudit Require Export Posterior.
Import ListNotations.
Open Scope R_scope.

(** Sums and largest values over the whole numbers from one to another. *)
Definition whole (x : R) : Z := (up x - 1)%Z.
Fixpoint added (f : Z -> R) (from : Z) (count : nat) : R :=
  match count with O => 0 | S more => f from + added f (from + 1) more end.
Definition range_sum (low high : R) (f : Z -> R) : R :=
  added f (whole low) (Z.to_nat (whole high - whole low + 1)).
Fixpoint greatest (f : Z -> R) (from : Z) (more : nat) : R :=
  match more with O => f from | S less => Rmax (f from) (greatest f (from + 1) less) end.
Definition range_max (low high : R) (f : Z -> R) : R :=
  greatest f (whole low) (Z.to_nat (whole high - whole low)).

(** H((a, b), (c, d)), the Hellinger distance of two beta laws. *)
Definition distance (G : R -> R) (a b c d : R) : R := hellinger G a b c d.

(** LS((a, b), (x, y)), the larger of the distances to the one or two neighbours. *)
Definition local_sensitivity (G : R -> R) (a b x y : R) : R :=
  Rmax (if Req_EM_T x 0 then 0 else distance G (a + x) (b + y) (a + x - 1) (b + y + 1))
       (if Req_EM_T y 0 then 0 else distance G (a + x) (b + y) (a + x + 1) (b + y - 1)).

(** GS((a, b), n), S_γ((a, b), γ, (x, y)) and S_β((a, b), β, (x, y)): over all data of so many records. *)
Definition global_sensitivity (G : R -> R) (a b n : R) : R :=
  range_max 0 n (fun c => local_sensitivity G a b (IZR c) (n - IZR c)).
Definition gamma_smooth (G : R -> R) (a b gamma x y : R) : R :=
  range_max 0 (x + y) (fun c =>
    1 / (1 / local_sensitivity G a b (IZR c) (x + y - IZR c) + gamma * Rabs (x - IZR c))).
Definition beta_smooth (G : R -> R) (a b beta x y : R) : R :=
  range_max 0 (x + y) (fun c =>
    local_sensitivity G a b (IZR c) (x + y - IZR c) * exp (- beta * Rabs (x - IZR c))).

(** P_exp(f, (a, b), (x, y), (r, s)), where P(r) is proportional to exp(−f·H(x, r)) over all candidates. *)
Definition weight (G : R -> R) (f a b x y r s : R) : R :=
  exp (- f * distance G (a + x) (b + y) (a + r) (b + s)).
Definition exponential (G : R -> R) (f a b x y r s : R) : R :=
  if Req_EM_T (x + y) (r + s)
  then weight G f a b x y r s / range_sum 0 (x + y) (fun j => weight G f a b x y (IZR j) (x + y - IZR j))
  else 0.

(** The same words about three categories. *)
Definition B3 (G : R -> R) (p q r : R) : R := G p * G q * G r / G (p + q + r).
Definition distance3 (G : R -> R) (a b c a' b' c' : R) : R :=
  sqrt (1 - B3 G ((a + a') / 2) ((b + b') / 2) ((c + c') / 2) / sqrt (B3 G a b c * B3 G a' b' c')).
Definition moved3 (G : R -> R) (a b c x da db dc : R) : R :=
  if Req_EM_T x 0 then 0 else distance3 G a b c (a + da) (b + db) (c + dc).
Definition local_sensitivity3 (G : R -> R) (a b c x y z : R) : R :=
  let d := moved3 G (a + x) (b + y) (c + z) in
  Rmax (Rmax (Rmax (d x (-1) 1 0) (d x (-1) 0 1)) (Rmax (d y 1 (-1) 0) (d y 0 (-1) 1)))
       (Rmax (d z 1 0 (-1)) (d z 0 1 (-1))).
Definition weight3 (G : R -> R) (f a b c x y z r s t : R) : R :=
  exp (- f * distance3 G (a + x) (b + y) (c + z) (a + r) (b + s) (c + t)).
Definition exponential3 (G : R -> R) (f a b c x y z r s t : R) : R :=
  let n := x + y + z in
  if Req_EM_T n (r + s + t)
  then weight3 G f a b c x y z r s t /
    range_sum 0 n (fun i => range_sum 0 (n - IZR i) (fun j =>
      weight3 G f a b c x y z (IZR i) (IZR j) (n - IZR i - IZR j)))
  else 0.

(** The same words about any number of categories.  A list has the values at the whole numbers from one
    to another; counts are whole numbers, which [whole] reads. *)
Definition same (x y : R) : R := if Req_EM_T x y then 1 else 0.
Definition at_most (x y : R) : R := if Rle_dec x y then 1 else 0.
Definition entries (low high : R) (f : Z -> R) : list R :=
  map (fun i => f (whole low + Z.of_nat i)%Z) (seq 0 (Z.to_nat (whole high - whole low + 1))).
Fixpoint both (f : R -> R -> R) (a b : list R) : list R :=
  match a, b with x :: a', y :: b' => f x y :: both f a' b' | _, _ => [] end.
Definition total (a : list R) : R := fold_right Rplus 0 a.
Definition product (a : list R) : R := fold_right Rmult 1 a.
Definition beta_k (G : R -> R) (a : list R) : R := product (map G a) / G (total a).
Definition distance_k (G : R -> R) (a b : list R) : R :=
  sqrt (1 - beta_k G (both (fun x y => (x + y) / 2) a b) / sqrt (beta_k G a * beta_k G b)).

(** All counts of n records in k categories, and how many records two of them differ by. *)
Definition counts (x : list R) : list nat := map (fun c => Z.to_nat (whole c)) x.
Fixpoint histograms (k n : nat) : list (list nat) :=
  match k with
  | O => match n with O => [[]] | S _ => [] end
  | S j => flat_map (fun c => map (cons c) (histograms j (n - c)%nat)) (seq 0 (S n))
  end.
Fixpoint lacking (x y : list nat) : nat :=
  match x, y with
  | [], _ => 0
  | a :: x', [] => (a + lacking x' [])%nat
  | a :: x', b :: y' => (a - b + lacking x' y')%nat
  end.
Definition apart (x y : list nat) : nat := Nat.max (lacking x y) (lacking y x).
Definition alike (x : list nat) : list (list nat) := histograms (length x) (list_sum x).

(** H between the posteriors of a prior at two counts, and LS, GS, S_γ, S_β and P_exp of it. *)
Definition score_k (G : R -> R) (prior : list R) (x r : list nat) : R :=
  distance_k G (both Rplus prior (map INR x)) (both Rplus prior (map INR r)).
Definition local_k (G : R -> R) (prior x : list R) : R :=
  let data := alike (counts x) in
  Sensitivity.local_sensitivity data data apart (score_k G prior) (counts x).
Definition global_k (G : R -> R) (prior : list R) (n : R) : R :=
  let data := histograms (length prior) (Z.to_nat (whole n)) in
  Sensitivity.global_sensitivity data data apart (score_k G prior).
Definition gamma_smooth_k (G : R -> R) (prior : list R) (gamma : R) (x : list R) : R :=
  let data := alike (counts x) in
  Sensitivity.gamma_smooth data data apart (score_k G prior) gamma (counts x).
Definition beta_smooth_k (G : R -> R) (prior : list R) (beta : R) (x : list R) : R :=
  let data := alike (counts x) in
  Sensitivity.beta_smooth data data apart (score_k G prior) beta (counts x).
Definition exponential_k (G : R -> R) (f : R) (prior x r : list R) : R :=
  let weight s := exp (- f * score_k G prior (counts x) s) in
  if Nat.eq_dec (list_sum (counts x)) (list_sum (counts r))
  then weight (counts r) / sum weight (alike (counts x))
  else 0.

(** How many candidates there are, NL(x), and P(H(x, r) >= c). *)
Definition candidates (k n : R) : R := INR (length (histograms (Z.to_nat (whole k)) (Z.to_nat (whole n)))).
Definition normaliser_k (G : R -> R) (f : R) (prior x : list R) : R :=
  sum (fun s => exp (- f * score_k G prior (counts x) s)) (alike (counts x)).
Definition far_k (G : R -> R) (f : R) (prior x : list R) (c : R) : R :=
  sum (fun s => if Rle_dec c (score_k G prior (counts x) s) then exp (- f * score_k G prior (counts x) s) else 0)
    (alike (counts x)) / normaliser_k G f prior x.

(** P(Y < t) for Laplace noise Y of scale s. *)
Definition F_lap (s t : R) : R := if Rlt_dec t 0 then exp (t / s) / 2 else 1 - exp (- t / s) / 2.

(** P_clamp(s, n, c, r), the probability of r where the count c with this noise is rounded down and
    clamped to 0 … n: of Y < r + 1 − c, but of every Y at r = n, less that of Y < r − c, but of none at r = 0. *)
Definition P_clamp (s n c r : R) : R :=
  if Req_EM_T (IZR (whole r)) r then if Rle_dec 0 r then if Rle_dec r n then
    (if Req_EM_T r n then 1 else F_lap s (r + 1 - c)) - (if Req_EM_T r 0 then 0 else F_lap s (r - c))
  else 0 else 0 else 0.

(** x^n at whole n, n over k by Pascal's triangle, and the digit of t before b^i in base b. *)
Definition power (x n : R) : R := powerRZ x (whole n).
Fixpoint pascal (n k : nat) : R :=
  match n, k with
  | _, O => 1
  | O, S _ => 0
  | S n', S k' => pascal n' k' + pascal n' k
  end.
Definition choose (n k : R) : R := pascal (Z.to_nat (whole n)) (Z.to_nat (whole k)).
Definition digit (b t i : R) : R := IZR ((whole t / whole b ^ whole i) mod whole b).
