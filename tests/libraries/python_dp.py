"""python-dp: mechanisms and algorithms of a C++ library, and Python mechanisms over its noise."""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_NOISE = "from pydp.algorithms.numerical_mechanisms import *\nfrom pydp.distributions import *\n"
_SELECTION = "from pydp.algorithms.partition_selection import create_partition_strategy\n"
_ALGORITHMS = "from pydp.algorithms.laplacian import *\n"
_TREE = (
    "from pydp.algorithms.quantile_tree import QuantileTree\n"
    "def tree(x):\n"
    "    made = QuantileTree(0, 2, 2, 2)\n"
    "    for value in x:\n"
    "        made.add_entry(value)\n"
    "    return made\n"
)
_PYTHON = (
    "from math import exp\n"
    "from pydp.ml.mechanisms.geometric import *\nfrom pydp.ml.mechanisms.laplace import *\n"
)
_NEAR = "abs(a - b) == 1"
_ADDED = "abs(len(a) - len(b)) == 1 and (a[:len(b)] == b or b[:len(a)] == a)"
_ONE_MORE = "one value more or less"
_ROWS = ((1.0,), (1.0, 2.0), (1.0, 2.0, 2.0))


def _case(call: str, stated: str, inputs: tuple[object, ...], setup: str, note: str = "") -> Case:
    return Case(call, stated, inputs, setup, "sampled", note=note, draws=12_000)


def _algorithm(name: str, dtype: str = "float", draws: int = 5_000, more: str = "") -> Case:
    bounds = "" if name == "Count" else ", lower_bound=0, upper_bound=2"
    return Case(
        f'{name}(epsilon=1{more}{bounds}, dtype="{dtype}").quick_result('
        f"{'[int(value) for value in x]' if dtype == 'int' else 'list(x)'})",
        "1", _ROWS, _ALGORITHMS, "sampled", _ADDED, _ONE_MORE, draws,
    )  # fmt: skip


def _selection(strategy: str, more: str = "", first: int = 0) -> Case:
    return Case(
        f'create_partition_strategy("{strategy}", 1, 0.1, 1{more}).should_keep(x)', "1, 1/10",
        tuple(range(first, first + 4)), _SELECTION, "sampled", _NEAR,
        "a number of users that differs by 1", 12_000,
    )  # fmt: skip


def _geometric(made: str, note: str) -> Case:
    call = f"{made}.set_probability(1 - exp(-1)).randomise(x)"
    return Case(
        call, "1", (0, 1, 2), _PYTHON, "sampled", _NEAR, note, 12_000,
        show=f"{_PYTHON}call = lambda x: {call}\n"
        "print([sum(call(x) <= 0 for i in range(10**5)) for x in (0, 1)])",
    )  # fmt: skip


_UNBOUNDED = "bounds that are not given are "


def _automatic(name: str) -> Case:
    return Case(
        f'found(lambda: {name}(epsilon=1, dtype="float").quick_result([1.0] * x))', "1", (40, 41),
        f"{_ALGORITHMS}def found(result):\n    try:\n        return result()\n"
        '    except RuntimeError:\n        return "refused"\n', "sampled", "all",
        f"{_ONE_MORE}; {_UNBOUNDED}found with a part of ε; that it refuses is an answer", 300,
    )  # fmt: skip


def _whole_range(name: str) -> Case:
    return Case(
        f'{name}(epsilon=1, dtype="float").quick_result(list(x))', "1", _ROWS, _ALGORITHMS,
        "sampled", _ADDED, f"{_ONE_MORE}; {_UNBOUNDED}those of floats", 3_000,
    )  # fmt: skip


_QUANTILES = "tree(x).compute_quantiles(1, {}, 1, 1, [0.5]{})"

_CASES = (
    _case("LaplaceMechanism(1, 1).add_noise(x)", "1", (0, 1), _NOISE),
    _case("LaplaceMechanism(1, 1).add_noise(x)", "1", (0.0, 1.0), _NOISE),
    _case("GaussianMechanism(1, 0.1, 1).add_noise(x)", "1, 1/10", (0, 1), _NOISE),
    _case("GaussianMechanism(1, 0.1, 1).add_noise(x)", "1, 1/10", (0.0, 1.0), _NOISE),
    _case("LaplaceMechanism(1, 1).noised_value_above_threshold(x, 1)", "1", (0.0, 1.0), _NOISE),
    _case("GaussianMechanism(1, 0.1, 1).noised_value_above_threshold(x, 1)", "1, 1/10",
          (0.0, 1.0), _NOISE),
    _case("x + LaplaceDistribution(epsilon=1, sensitivity=1).sample()", "1", (0.0, 1.0), _NOISE),
    *(_selection(strategy) for strategy in ("truncated_geometric", "laplace", "gaussian")),
    *(_selection(strategy, ", 3", 2) for strategy in ("truncated_geometric", "laplace",
                                                      "gaussian")),
    _algorithm("Count", "int"),
    _algorithm("Count"),
    _algorithm("BoundedSum", "int"),
    *(_algorithm(name) for name in ("BoundedSum", "BoundedMean", "BoundedVariance",
                                    "BoundedStandardDeviation")),
    *(_algorithm(name, draws=3_000) for name in ("Max", "Min", "Median")),
    _algorithm("Percentile", draws=3_000, more=", percentile=0.25"),
    *map(_automatic, ("BoundedSum", "BoundedMean", "BoundedVariance", "BoundedStandardDeviation")),
    *map(_whole_range, ("Max", "Min", "Median")),
    Case(_QUANTILES.format("0", "") + "[0]", "1", _ROWS, _TREE, "sampled", _ADDED, _ONE_MORE,
         5_000),
    Case(_QUANTILES.format("0.1", ', "gaussian"') + "[0]", "1, 1/10", _ROWS, _TREE, "sampled",
         _ADDED, _ONE_MORE, 5_000),
    _geometric("Geometric().set_epsilon(1).set_sensitivity(1)", "p = 1 - exp(-1)"),
    _geometric("GeometricTruncated().set_epsilon(1).set_sensitivity(1).set_bounds(0, 2)",
               "p = 1 - exp(-1)"),
    _case("Geometric().set_epsilon(1).set_sensitivity(1).randomise(x)", "1", (0, 1), _PYTHON),
    _case("Laplace().set_epsilon(1).set_sensitivity(1).randomise(x)", "1", (0.0, 1.0), _PYTHON),
    *(
        _case(f"{name}().set_epsilon(1).set_sensitivity(1).set_bounds(0, 1).randomise(x)", "1",
              (0.0, 1.0), _PYTHON)
        for name in ("LaplaceTruncated", "LaplaceFolded", "LaplaceBoundedDomain")
    ),
    _case("GaussianNB(epsilon=1, bounds=([0], [1])).fit([[z] for z in x], [0, 0, 1, 1])"
          ".class_count_.tolist()", "1", ((0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0)),
          "import numpy as np\nnp.in1d = np.isin\nfrom pydp.ml.naive_bayes import GaussianNB\n",
          "with np.in1d put back, which NumPy 2.4 has no more"),
)  # fmt: skip

_WITHOUT = {
    "pydp.algorithms.partition_selection.create_pre_*": "it is what create_partition_strategy "
    "makes where it is given a first threshold",
    "pydp.algorithms.partition_selection.create_*_partition_strategy": "create_partition_strategy "
    "calls it",
    "pydp.algorithms.partition_selection.Partition*": "it is what create_partition_strategy makes, "
    "and the name of a kind",
    "pydp.algorithms.numerical_mechanisms.ConfidenceInterval": "it states no ε: of noise, not of "
    "data",
    "pydp.algorithms.numerical_mechanisms.NumericalMechanism": "a base class",
    "pydp.distributions.GaussianDistribution": "it states no ε, but a standard deviation",
    "pydp.distributions.GeometricDistribution": "it states no ε, and is what others take the "
    "difference of",
    "pydp.ml.mechanisms.base.*": "a base class",
    "pydp.ml.util.*": "it states no ε: budgets, bounds, norms, warnings",
    "pydp.util.*": "it states no ε: random numbers and statistics without noise",
}

ENVIRONMENTS = (
    Environment(
        "python-dp",
        "1.1.5",
        _CASES,
        ("scikit-learn==1.6.1",),
        note="`pydp.ml.mechanisms.geometric` adds a draw of `GeometricDistribution`, which is "
        "never negative, so the output is never below the value.  `Percentile` needs "
        "bounds.",
        package="pydp",
        without=_WITHOUT,
    ),
)
