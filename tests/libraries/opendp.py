"""OpenDP: its measurements, whose Rust code can only be drawn from.

Inputs are at the distance 1 that the stated ε is for, which is what ``map`` of the measurement
gives.  Where that is a ρ, it is the ε at δ = 1/10 of ``make_zCDP_to_approxDP``, rounded up.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = 'import opendp.prelude as dp\ndp.enable_features("contrib")\n'
_WHOLE = "space = dp.atom_domain(T=int), dp.absolute_distance(T=int)\n"
_WHOLE_FAR = "space = dp.atom_domain(T=int), dp.absolute_distance(T=float)\n"
_FLOAT = "space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)\n"
_SCORES = "space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)\n"
_BITS = "space = dp.bitvector_domain(max_weight=1), dp.discrete_distance()\n"
_ROWS = "space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()\n"
_COUNTS = (
    "space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), "
    "dp.{}(dp.absolute_distance(T={}))\n"
)
_LAPLACE_COUNTS = _COUNTS.format("l01inf_distance", "int")
_GAUSSIAN_COUNTS = _COUNTS.format("l02inf_distance", "float")
_TABLES = (
    "import polars as pl\n"
    'space = dp.lazyframe_domain([dp.series_domain("a", dp.atom_domain(T="i64"))])\n'
    'table = lambda x: pl.LazyFrame({"a": list(x)}, schema={"a": pl.Int64})\n'
)


def _case(
    made: str,
    stated: str,
    inputs: tuple[object, ...],
    space: str = "",
    *,
    neighbours: str = "all",
    note: str = "",
    draws: int = 5_000,
    show: str = "",
) -> Case:
    return Case(made, stated, inputs, f"{_SETUP}{space}", "sampled", neighbours, note, draws, show)


_NEAR = "abs(a - b) == 1"
_UTILITIES = ((0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0))
_CLOSE = "all(abs(c - d) <= 1 for c, d in zip(a, b))"
_PRESENT = ((), (("a", 1),))
_ZCDP = "ρ = 1/2"
_ADDED = "abs(len(a) - len(b)) == 1 and (a[:len(b)] == b or b[:len(a)] == a)"


def _selected(name: str, more: str, stated: str = "1", note: str = "") -> Case:
    return _case(
        f"dp.m.make_{name}(*space, {more})(list(x))", stated, _UTILITIES, _SCORES,
        neighbours=_CLOSE, note=note or "utilities that differ by at most 1",
    )  # fmt: skip


def _threshold(made: str, stated: str, space: str, distance: str, note: str = "") -> Case:
    return _case(
        f'dp.m.{made}(dict(x)).get("a", 0)', stated, _PRESENT, space, note=note,
        show=f"{_SETUP}{space}m = dp.m.{made}\nprint(m.map({distance}), "
        '[sum("a" in m(x) for i in range(4000)) / 4000 for x in ({"a": 1}, {})])',
    )  # fmt: skip


_BITVEC = "dp.m.make_randomized_response_bitvec(*space, f=0.5{})(bytes([x]))[0]"
_BITVEC_NOTE = "bits of weight 1 at most"


def _bits(more: str) -> Case:
    made = _BITVEC.format(more)
    space = _BITS.removeprefix("space = ").rstrip()
    call = made.replace("*space", space).partition("(bytes")[0]
    return _case(
        made, "2*ln(3)", (128, 64, 0), _BITS, note=_BITVEC_NOTE,
        show=f"{_SETUP}m = {call}\n"
        "print(m.map(1), [sum(m(bytes([x]))[0] < 128 for i in range(4000)) for x in (128, 0)])",
    )  # fmt: skip


_CASES = (
    _case("dp.m.make_randomized_response_bool(0.75)(x)", "ln(3)", (False, True)),
    _case('dp.m.make_randomized_response(["a", "b", "c"], 0.6)(x)', "ln(3)", ("a", "b", "c")),
    _case("dp.m.make_geometric(*space, scale=1.0)(x)", "1", (0, 1), _WHOLE),
    _case("dp.m.make_laplace(*space, scale=1.0)(x)", "1", (0, 1), _WHOLE),
    _case("dp.m.make_laplace(*space, scale=1.0)(x)", "1", (0.0, 1.0), _FLOAT),
    _bits(""),
    _bits(", constant_time=True"),
    _case("dp.m.make_randomized_response_bool(0.75, constant_time=True)(x)", "ln(3)",
          (False, True)),
    _case('dp.m.make_randomized_response(["a", "b", "c"], 0.6)(x)', "ln(3)", ("a", "z"),
          note="an input that is no category"),
    _case("dp.m.make_geometric(*space, scale=1.0, bounds=(0, 2))(x)", "1", (0, 1, 2), _WHOLE,
          neighbours=_NEAR),
    _case("dp.m.make_laplace(*space, scale=1.0, k=-1)(x)", "3/2", (0.0, 1.0), _FLOAT,
          note="noise on the grid of 1/2, for which map(1) is 3/2"),
    _case("dp.m.make_gaussian(*space, scale=1.0)(x)", "1.656, 1/10", (0, 1), _WHOLE_FAR,
          note=_ZCDP),
    _case("dp.m.make_gaussian(*space, scale=1.0)(x)", "1.656, 1/10", (0.0, 1.0), _FLOAT,
          note=_ZCDP),
    _case("dp.m.make_noise(*space, dp.max_divergence(), scale=1.0)(x)", "1", (0, 1), _WHOLE),
    _case("dp.m.make_noise(*space, dp.zero_concentrated_divergence(), scale=1.0)(x)",
          "1.656, 1/10", (0, 1), _WHOLE_FAR, note=_ZCDP),
    _case("dp.m.make_canonical_noise(*space, d_in=1.0, d_out=(1.0, 0.1))(x)", "1, 1/10",
          (0.0, 1.0), _FLOAT),
    _selected("noisy_max", "dp.max_divergence(), scale=2.0"),
    _selected("noisy_max", "dp.max_divergence(), scale=2.0, negate=True"),
    _selected("noisy_max", "dp.zero_concentrated_divergence(), scale=1.0", "1.656, 1/10",
              f"utilities that differ by at most 1, {_ZCDP}"),
    _selected("report_noisy_max_gumbel", "scale=2.0"),
    _selected("noisy_top_k", "dp.max_divergence(), k=2, scale=4.0"),
    _case("dp.m.make_private_quantile(*space, dp.max_divergence(), candidates=[0, 1, 2], "
          "alpha=0.5, scale=1.0)(list(x))", "1", ((), (0,), (0, 2), (0, 0)), _ROWS,
          neighbours=_ADDED, note="one row more or less"),
    _threshold("make_laplace_threshold(*space, scale=1.0, threshold=2)", "1, 0.09894",
               _LAPLACE_COUNTS, "(1, 1, 1)"),
    _threshold("make_noise_threshold(*space, dp.approximate(dp.max_divergence()), scale=1.0, "
               "threshold=2)", "1, 0.09894", _LAPLACE_COUNTS, "(1, 1, 1)"),
    _threshold("make_gaussian_threshold(*space, scale=1.0, threshold=2)", "2.0426, 0.2087",
               _GAUSSIAN_COUNTS, "(1, 1.0, 1.0)",
               f"{_ZCDP} with its ε at δ = 1/20, to which a δ of 0.15866 is added"),
    _case('dp.m.make_alp_queryable(*space, scale=1.0, total_limit=4, value_limit=4)'
          '(dict(x))("a")', "1", _PRESENT, _LAPLACE_COUNTS, note="one query of what it gives",
          draws=3_000),
    _case("dp.m.make_private_lazyframe(space, dp.symmetric_distance(), dp.max_divergence(), "
          "table(()).select(dp.len()), global_scale=1.0)(table(x)).collect().item()", "1",
          ((), (1,)), _TABLES, note="the number of rows", draws=2_000),
    _case("(found := dp.m.make_randomized_response_bitvec(*space, f=0.5)(bytes(x)))[0] "
          "+ 256 * len(found)", "2*ln(3)", (1, 2), _BITS, note="no bits, in vectors of 1 and of 2 "
          "bytes, which have the distance 1",
          show=f"{_SETUP}{_BITS}m = dp.m.make_randomized_response_bitvec(*space, f=0.5)\n"
          "print(m.map(1), [{len(m(bytes(x))) for i in range(1000)} for x in (1, 2)])"),
    Case("dp.m.make_private_expr(…)", "", (), how="read",
         note="it is what make_private_lazyframe makes of an expression of its plan, and is not "
         "run by itself"),
    Case("dp.m.make_user_measurement(…)", "", (), how="read",
         note="what it does, and what is stated of it, are its caller's"),
)  # fmt: skip

_NOTE = (
    "every draw makes its measurement anew.  Its extras, which build on these measurements, have "
    "no rows.  "
)
_FOUND = (
    "A count at the threshold is given out, while the δ of `make_laplace_threshold`, of "
    "`make_gaussian_threshold` and of `make_noise_threshold` is the chance of those above it "
    "(opendp issue 2922).  The domain of bit vectors holds vectors of any length, and their length "
    "is given out (opendp issue 2930)."
)
_BITVEC_FOUND = (
    "  `make_randomized_response_bitvec` gives out the last bit of a vector as it is (opendp issue "
    "2707), and `make_report_noisy_max_gumbel` chooses the least where the most is asked for, "
    "which is no loss of privacy; 0.16.0 does neither."
)
_MORE = ("pyarrow==23.0.1",)

ENVIRONMENTS = (
    Environment("opendp", "0.16.0", _CASES, ("polars==1.36.1", *_MORE), note=_NOTE + _FOUND),
    Environment(
        "opendp", "0.14.2", _CASES, ("polars==1.32.0", *_MORE), note=_NOTE + _FOUND + _BITVEC_FOUND
    ),
)
