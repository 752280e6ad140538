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
_SPARK = "a Spark job for every draw; the noise that it adds to counts is that of AddGeometricNoise"


def _case(
    call: str, stated: str, inputs: tuple[object, ...], setup: str = _NOISE, note: str = ""
) -> Case:
    return Case(call, stated, inputs, setup, "sampled", note=note, draws=4_000)


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
    Case("GeometricPartitionSelection(…)", "", (), how="read", note=_SPARK),
    Case("SparseVectorPrefixSums(…)", "", (), how="read", note=_SPARK),
    Case("AddNoiseToColumn(…)", "", (), how="read", note="a Spark job for every draw, of what "
         "AddNoiseToSeries does to a series"),
    Case("uniform(0.0, 1.0)", "", (), how="read", note="it states no ε: NoisyQuantile draws from "
         "the interval that it has chosen"),
    Case("construct_inverse_sampler(…)", "", (), how="read", note="it states no ε: it draws from a "
         "law whose inverse is given, as laplace, gaussian and uniform do by it"),
)  # fmt: skip

ENVIRONMENTS = (
    Environment(
        "tmlt-core",
        "0.20.0",
        _CASES,
        numpy="1.26.4",
        note="it asks for NumPy before 2, whose random algorithms are not followed as they run.  "
        "With Python's `random` in the place of its generator, and NumPy 2.4.6, the loops of "
        "`discrete_gaussian.py` are refused: a path of theirs may have no end.  Measurements that "
        "combine others have no rows.",
    ),
)
