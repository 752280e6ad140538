"""tmlt-core: its samplers, and the measurements that add what they give.

They are Python over a generator of the processor's; loops that may go on without an end are not
explored.  Where a ρ is stated, it is the ε at δ = 1/10 of ``RhoZCDPToApproxDP``, rounded up.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_RANDOM = (
    "from tmlt.core.random.discrete_gaussian import sample_dgauss\n"
    "from tmlt.core.random.laplace import laplace\n"
    "from tmlt.core.random.continuous_gaussian import gaussian\n"
)
_NOISE = (
    "import pandas as pd\n"
    "from tmlt.core.domains.numpy_domains import *\n"
    "from tmlt.core.domains.pandas_domains import PandasSeriesDomain\n"
    "from tmlt.core.measures import PureDP\n"
    "from tmlt.core.measurements.noise_mechanisms import *\n"
    "from tmlt.core.measurements.pandas_measurements.series import *\n"
    "floats = NumpyFloatDomain()\n"
)
_ZCDP = "ρ = 1/2"
_RHO = "2.646, 1/10"
_SERIES = "pd.Series(list(x), dtype=float)"
_ADDED = "abs(len(a) - len(b)) == 1 and set(a) != set(b)"
_SETUP = (
    "import pandas as pd\n"
    "from tmlt.core.domains.collections import ListDomain\n"
    "from tmlt.core.domains.numpy_domains import *\n"
    "from tmlt.core.domains.pandas_domains import *\n"
    "from tmlt.core.measurements.chaining import ChainTM\n"
    "from tmlt.core.measurements.composition import Composition\n"
    "from tmlt.core.measurements.converters import *\n"
    "from tmlt.core.measurements.interactive_measurements import *\n"
    "from tmlt.core.measurements.noise_mechanisms import *\n"
    "from tmlt.core.measurements.pandas_measurements.dataframe import AggregateByColumn\n"
    "from tmlt.core.measurements.pandas_measurements.series import NoisyQuantile\n"
    "from tmlt.core.measurements.postprocess import *\n"
    "from tmlt.core.measures import PureDP\n"
    "from tmlt.core.metrics import AbsoluteDifference, SumOf\n"
    "from tmlt.core.transformations.identity import Identity\n"
    "whole, near = NumpyIntegerDomain(), AbsoluteDifference()\n"
    "one = AddGeometricNoise(alpha=2)\n"
    "def both(queryable, *queries):\n    return [queryable(query) for query in queries]\n"
    "def each(queryable, *queries):\n    return [queryable(query)(None) for query in queries]\n"
)


def _case(
    call: str, stated: str, inputs: tuple[object, ...], setup: str = _NOISE, note: str = ""
) -> Case:
    draws = 1_500 if "each(" in call or "both(" in call else 4_000
    return Case(call, stated, inputs, setup, "sampled", note=note, draws=draws)


_PAIR = "a sum of distances of 1"

_COMBINED = (
    _case("Composition([one, one])(x)", "1", (0, 1), _SETUP),
    _case("each(SequentialComposition(whole, near, PureDP(), 1, 1)(x), "
          "*[MeasurementQuery(MakeInteractive(one))] * 2)", "1", (0, 1), _SETUP),
    _case("both(create_adaptive_composition(whole, near, 1, 1, PureDP())(x), "
          "*[MeasurementQuery(one)] * 2)", "1", (0, 1), _SETUP),
    _case("each(ParallelComposition(ListDomain(whole, length=2), "
          "SumOf(near), PureDP(), [MakeInteractive(AddGeometricNoise(alpha=1))] * 2)(list(x)), "
          "IndexQuery(0), IndexQuery(1))", "1", ((0, 0), (1, 0)), _SETUP, _PAIR),
    _case("PureDPToApproxDP(AddGeometricNoise(alpha=1))(x)", "1", (0, 1), _SETUP),
    _case("PureDPToRhoZCDP(AddGeometricNoise(alpha=1))(x)", _RHO, (0, 1), _SETUP, _ZCDP),
    _case("RhoZCDPToApproxDP(AddDiscreteGaussianNoise(sigma_squared=1))(x)", _RHO, (0, 1), _SETUP),
    _case("PostProcess(AddGeometricNoise(alpha=1), abs)(x)", "1", (0, 1), _SETUP),
    _case("NonInteractivePostProcess(MakeInteractive(AddGeometricNoise(alpha=1)), "
          "lambda answer: answer(None))(x)", "1", (0, 1), _SETUP),
    _case("ChainTM(Identity(near, whole), AddGeometricNoise(alpha=1))(x)", "1", (0, 1), _SETUP),
    Case('float(AggregateByColumn(PandasDataFrameDomain({"a": (one_column := PandasSeriesDomain('
         'NumpyFloatDomain()))}), {"a": NoisyQuantile(one_column, PureDP(), 0.5, 0, 2, 1)})('
         'pd.DataFrame({"a": list(x)}, dtype=float))["a"][0])', "1",
         ((), (0.5,), (0.5, 1.5)), _SETUP, "sampled", _ADDED, "one value more or less", 1_000),
)  # fmt: skip

_SPARK = "a Spark job for every draw, "
_DATA = "it states no ε: it describes data, distances, budgets or errors"
_WITHOUT = {
    "tmlt.core.measurements.spark_measurements.AddNoiseToColumn": f"{_SPARK}of what "
    "AddNoiseToSeries does to a series",
    "tmlt.core.measurements.spark_measurements.ApplyInPandas": f"{_SPARK}of what "
    "AggregateByColumn does to the groups of a table",
    "tmlt.core.measurements.spark_measurements.GeometricPartitionSelection": f"{_SPARK}of the "
    "noise of AddGeometricNoise, added to counts",
    "tmlt.core.measurements.spark_measurements.SparseVectorPrefixSums": f"{_SPARK}of the noise of "
    "AddGeometricNoise, added to counts",
    "tmlt.core.measurements.aggregations.create_*": f"{_SPARK}of transformations and of the noise "
    "of AddNoiseToColumn, ApplyInPandas and SparseVectorPrefixSums",
    "tmlt.core.measurements.aggregations.*": "it states no ε: a name of a kind of noise, and a "
    "middle of bounds",
    "tmlt.core.measurements.*.*Query": "it is what a queryable is asked",
    "tmlt.core.measurements.*.*Queryable": "it is what SequentialComposition, ParallelComposition "
    "and create_adaptive_composition give",
    "tmlt.core.measurements.*.PrivacyAccountant*": "it asks a queryable of SequentialComposition "
    "or ParallelComposition, and answers with what that answers",
    "tmlt.core.measurements.*.*Error": _DATA,
    "tmlt.core.measurements.*.Aggregate": "a base class",
    "tmlt.core.measurements.*Measurement": "a base class",
    "tmlt.core.random.inverse_cdf.*": "it states no ε: it draws from a law whose inverse is given, "
    "as laplace, gaussian and uniform do by it",
    "tmlt.core.random.*_inverse_cdf": "it states no ε: the inverse of a distribution function",
    "tmlt.core.random.rng.*": "it states no ε: the generator",
    "tmlt.core.random.uniform.uniform": "it states no ε: NoisyQuantile draws from the interval "
    "that it has chosen",
    "tmlt.core.transformations.*": "a transformation adds no noise",
    "tmlt.core.domains.*": _DATA,
    "tmlt.core.exceptions.*": _DATA,
    "tmlt.core.measures.*": _DATA,
    "tmlt.core.metrics.*": _DATA,
    "tmlt.core.utils.*": "it states no ε: tables, types, exact numbers and budgets",
}

_CASES = (
    _case("x + sample_dgauss(1)", _RHO, (0, 1), _RANDOM, _ZCDP),
    _case("laplace(x, 1.0)", "1", (0.0, 1.0), _RANDOM),
    _case("gaussian(1.0, x)", _RHO, (0.0, 1.0), _RANDOM, _ZCDP),
    _case("AddLaplaceNoise(floats, scale=1)(x)", "1", (0.0, 1.0)),
    _case("AddGeometricNoise(alpha=1)(x)", "1", (0, 1)),
    _case("AddGeometricNoise(alpha=20)(x)", "1", (0, 20),
          note="inputs at a distance of 20, for which it has a sampler of its own"),
    _case("AddDiscreteGaussianNoise(sigma_squared=1)(x)", _RHO, (0, 1), note=_ZCDP),
    _case("AddGaussianNoise(floats, sigma_squared=1)(x)", _RHO, (0.0, 1.0), note=_ZCDP),
    _case(f"AddNoiseToSeries(AddLaplaceNoise(floats, scale=1))({_SERIES})", "1",
          ((0.0, 0.0), (1.0, 0.0))),
    Case(f"NoisyQuantile(PandasSeriesDomain(floats), PureDP(), 0.5, 0, 2, 1)({_SERIES})", "1",
         ((), (0.5,), (0.5, 1.5)), _NOISE, "sampled", _ADDED, "one value more or less", 3_000),
    *_COMBINED,
)  # fmt: skip

ENVIRONMENTS = (
    Environment(
        "tmlt-core",
        "0.20.0",
        _CASES,
        numpy="1.26.4",
        package="tmlt.core",
        without=_WITHOUT,
        once=(
            "Add",
            "NoisyQuantile",
            "Composition",
            "PureDPTo",
            "RhoZCDPTo",
            "PostProcess",
            "NonInteractive",
            "ChainTM",
            "SequentialC",
            "ParallelC",
            "create_",
            "AggregateBy",
        ),
        note="it requires a NumPy older than 2, whose random algorithms dpaudit cannot follow "
        "as run.  With Python's `random` in place of its generator, and NumPy 2.4.6, "
        "dpaudit refuses the loops of `discrete_gaussian.py`, because a path of them may "
        "never end.",
    ),
)
