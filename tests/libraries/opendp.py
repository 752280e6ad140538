"""OpenDP: its measurements, whose Rust code can only be drawn from.

Inputs are at the distance 1 that the stated ε is for, which is what ``map`` of the measurement
gives.  Where that is a ρ, it is the ε at δ = 1/10 of ``make_zCDP_to_approxDP``, rounded up.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = 'import opendp.prelude as dp\ndp.enable_features("contrib", "honest-but-curious")\n'
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


_TWICE = (
    f"{_WHOLE}one = dp.m.make_laplace(*space, scale=2.0)\n"
    "def twice(queryable):\n    return queryable(one), queryable(one)\n"
)
_SAMPLE = (
    "import random\n"
    "space = dp.vector_domain(dp.atom_domain(T=int), size=2), dp.symmetric_distance()\n"
    "one = space >> dp.t.then_clamp((0, 1)) >> dp.t.then_sum() >> dp.m.then_laplace(0.5)\n"
    "amplified = dp.c.make_population_amplification(one, population_size=4)\n"
)
_PEOPLE = ((1, 0, 0, 0), (0, 0, 0, 0))
_REUSED = "dp.c.make_composition([amplified, amplified])(random.sample(x, 2))"
_SCORED = (
    f"{_FLOAT}def scored(x):\n    return dp.m.make_laplace(*space, scale=1.0)(x), None\n"
    "one = dp.m.make_user_measurement(*space, dp.max_divergence(), scored, lambda d: d, "
    'TO="(f64, ExtrinsicObject)")\n'
)

_COMBINED = (
    _case("dp.c.make_composition([one, one])(x)", "1", (0, 1), _TWICE),
    _case("dp.c.make_basic_composition([one, one])(x)", "1", (0, 1), _TWICE),
    *(
        _case(f"twice(dp.c.make_{name}_composition(*space, dp.max_divergence(), 1, [0.5, 0.5])(x))",
              "1", (0, 1), _TWICE)
        for name in ("adaptive", "sequential")
    ),
    _case("twice(dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())(x))", "1",
          (0, 1), _TWICE, note="of which privacy_loss(1) is 1"),
    _case("twice(dp.c.make_privacy_filter(dp.c.make_fully_adaptive_composition(*space, "
          "dp.max_divergence()), 1, 1.0)(x))", "1", (0, 1), _TWICE),
    _case("(found := dp.c.make_select_private_candidate(one, threshold=1.0, "
          "stop_probability=0.5)(x)) and found[0]", "2", (0.0, 1.0), _SCORED,
          note="its score, of a measurement of ε = 1"),
    _case("amplified(random.sample(x, 2))", "1.434", _PEOPLE, _SAMPLE,
          note="a sample of 2 of 4 people, whose ε of 2 is amplified to 1.434"),
    _case(_REUSED, "2.868", _PEOPLE, _SAMPLE, note="two measurements of the same sample (opendp "
          "issue 2933)", draws=40_000, show=f"{_SETUP}{_SAMPLE}"
          "m = dp.c.make_composition([amplified, amplified])\n"
          "print(m.map(2), [sum(min(m(random.sample(x, 2))) > 0 for i in range(10**4)) "
          f"for x in {_PEOPLE!r}])"),
    _case("dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(dp.c.make_pureDP_to_zCDP("
          "dp.m.make_laplace(*space, scale=1.0))), 0.1)(x)", "1.656, 1/10", (0, 1), _WHOLE),
    _case("dp.c.make_fixed_approxDP_to_approxDP(dp.c.make_approximate(dp.m.make_laplace(*space, "
          "scale=1.0)))(x)", "1", (0, 1), _WHOLE),
    _case("dp.c.make_chain_mt(dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int),"
          " 1.0), dp.t.make_count(*space))(list(x))", "1", ((), (1,)), _ROWS,
          note="one row more or less"),
)  # fmt: skip

_ASKED = (
    "import polars as pl\n"
    'table = lambda x: pl.LazyFrame({"a": list(x)}, schema={"a": pl.Int64})\n'
    "def make_asked(query, **more):\n"
    "    return query(dp.Context.compositor(\n"
    "        data=table([1]), privacy_unit=dp.unit_of(contributions=1),\n"
    "        privacy_loss=dp.loss_of(epsilon=1.0, **more), split_evenly_over=1,\n"
    "        margins=[dp.polars.Margin(max_length=3)]).query()).resolve()\n"
    'column = pl.col("a").fill_null(0)\n'
)
_ROW = "one row more or less"
_NOISY = ((1,), (1, 2), (1, 2, 2))
_GROUPED = (
    'make_asked(lambda query: query.group_by("a").agg(dp.len()), delta=0.05)(table(x)).collect()'
    '.filter(pl.col("a") == 1).height'
)


def _asked(expression: str, inputs: tuple[object, ...] = _NOISY, note: str = _ROW) -> Case:
    return _case(
        f"make_asked(lambda query: query.select({expression}))(table(x)).collect().item()", "1",
        inputs, _ASKED, neighbours=_ADDED, note=note, draws=1_000,
    )  # fmt: skip


_CONTEXT = (
    "def make_counted():\n"
    "    return dp.Context.compositor(data=[1], privacy_unit=dp.unit_of(contributions=1), "
    "privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1).query().count().laplace()"
    ".resolve()\n"
)
_MATRIX = (
    "import numpy as np\n"
    'dp.enable_features("idealized-numerics", "floating-point")\n'
    "space = dp.numpy.array2_domain(num_columns=2, size=3, T=float), dp.symmetric_distance()\n"
    "unit = dp.numpy.array2_domain(num_columns=2, size=3, T=float, norm=1.0, p=2, origin=0.0), "
    "dp.symmetric_distance()\n"
)
_LINES = (((1.0, 0.0), (0.0, 1.0), (0.0, 1.0)), ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0)))
_REPLACED = "a row of three replaced, on ideal numbers"
_PCA = "dp.sklearn.decomposition.{}"

_EXTRAS = (
    _case("make_counted()(list(x))", "1", ((), (1,)), _CONTEXT, note=_ROW),
    *(_asked(f"column.dp.{more}")
      for more in ("sum((0, 2))", "mean((0, 2))", "median([0, 1, 2])", "quantile(0.25, [0, 1, 2])",
                   "count()", "n_unique()")),
    _asked('pl.col("a").dp.null_count()', ((1,), (1, None), (1, None, None)), f"{_ROW}, or a null"),
    _case(_GROUPED, "1, 1/20", ((), (1,)), _ASKED, draws=1_500, note="a group that one row makes"),
    _case(f"{_PCA.format('make_private_np_mean')}(*space, scale=0.6667, norm=1.0, p=1)("
          "np.array(x)).tolist()", "1", _LINES, _MATRIX, note=_REPLACED, draws=3_000),
    _case(f"[*(m := {_PCA.format('make_private_pca')}(*unit, 1.0)(np.array(x))).S.tolist(), "
          "*m.Vt[0].tolist()]", "1", _LINES, _MATRIX, note=f"{_REPLACED}, around a known centre",
          draws=1_000),
    _case("(m := dp.sklearn.linear_model.LinearRegression(dp.max_divergence(), x_bounds=[(0, 2)], "
          "y_bounds=(0, 2), scale=2.0, candidates_count=5).fit([[v] for v, w in x], "
          "[w for v, w in x])) and [*m.coef_.tolist(), float(m.intercept_)]", "1",
          (((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 1), (2, 2), (0, 2))), _MATRIX, note=_ROW,
          draws=1_500),
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
    *_COMBINED,
    *_EXTRAS,
)  # fmt: skip

_THEN = "the make_ function of that name, with its space given by what comes before"
_NO_NOISE = "a transformation adds no noise"
_SPACES = "it states no ε: a domain, a metric, a measure, a type, or what holds them"
_TABLES_FIT = (
    "it fits a graphical model to noisy counts and choices, by Gaussian or Laplace noise and "
    "noisy_max, which have rows; it needs the package mbi and JAX, and seconds for a draw"
)
_WITHOUT = {
    "opendp.measurements.then_*": _THEN,
    "opendp.combinators.then_*": _THEN,
    "opendp.extras.*.then_*": f"{_THEN}, or a part of it",
    "opendp.measurements.debias_randomized_response_bitvec": "it reads what is given out",
    "opendp.measurements.make_private_expr": "it is what make_private_lazyframe makes of an "
    "expression of its plan, and is not run by itself",
    "opendp.combinators.make_chain_pm": "it applies a function of the caller to an "
    "output that is already released",
    "opendp.combinators.make_chain_tt": _NO_NOISE,
    "opendp.transformations.*": _NO_NOISE,
    "opendp.extras.numpy.make_np_clamp": _NO_NOISE,
    "opendp.extras.numpy.*domain": _SPACES,
    "opendp.extras.numpy.*Domain": _SPACES,
    "opendp.extras.numpy.canonical.*": "it infers from what make_canonical_noise has given out",
    "opendp.extras.mbi.*": _TABLES_FIT,
    "opendp.extras.polars.contingency_table.*": _TABLES_FIT,
    "opendp.extras.examples.*": "a path of data",
    "opendp.extras.polars.*": "what queries of rows are made of",
    "opendp.extras.sklearn.decomposition.PCAEpsilons": "three budgets",
    "opendp.extras.sklearn.decomposition.PCA": "it is make_private_pca, with the mean of "
    "make_private_np_mean before, for which every draw seeks a scale for a third of a second",
    "opendp.context.*": "what queries of rows are made of, or it states no ε",
    "opendp.accuracy.*": "it states no ε: it relates scales and accuracies",
    "opendp.core.*": "it states no ε: what measurements and queryables are made of",
    "opendp.domains.*": _SPACES,
    "opendp.measures.*": _SPACES,
    "opendp.metrics.*": _SPACES,
    "opendp.mod.*": _SPACES,
    "opendp.typing.*": _SPACES,
}

_NOTE = (
    "a measurement that does not depend on the input is constructed only once.  Two amplified "
    "measurements of one sample lose more than `make_composition` adds up (opendp issue "
    "2933).  "
)
_FOUND = (
    "`make_laplace_threshold`, `make_gaussian_threshold` and `make_noise_threshold` release a "
    "count that equals the threshold, but their δ is only the probability of counts above it "
    "(opendp issue 2922).  The domain of bit vectors contains vectors of any length, and the "
    "output reveals the length (opendp issue 2930)."
)
_BITVEC_FOUND = (
    "  `make_randomized_response_bitvec` releases the last bit of a vector unchanged (opendp "
    "issue 2707), and `make_report_noisy_max_gumbel` chooses the least where the most is "
    "asked for, which is no loss of privacy; 0.16.0 does neither."
)
_MORE = ("pyarrow==23.0.1", "scikit-learn==1.9.1", "randomgen==2.5.1")

ENVIRONMENTS = (
    Environment(
        "opendp",
        "0.16.0",
        _CASES,
        ("polars==1.36.1", *_MORE),
        once=("make_",),
        package="opendp",
        without={**_WITHOUT, "opendp.extras.ibis.*": "it sends the plan of a query to a database"},
        note=_NOTE + _FOUND,
    ),
    Environment(
        "opendp",
        "0.14.2",
        _CASES,
        ("polars==1.32.0", *_MORE),
        once=("make_",),
        package="opendp",
        without=_WITHOUT,
        note=_NOTE + _FOUND + _BITVEC_FOUND,
    ),
)
