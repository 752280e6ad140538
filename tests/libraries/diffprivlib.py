"""diffprivlib: its mechanisms, and its tools and models with the bounds they ask for and without.

Inputs of mechanisms are neighbours at the sensitivity that is given: numbers at a distance of 1
unless the row says otherwise.  For tools and models no relation is documented: a row names its own.
The noise of means, variances and sums is for a record that is replaced.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = "from math import log\nfrom diffprivlib.mechanisms import *\n"
_NEAR = "abs(a - b) == 1"
_WHOLE = (0, 1, 2)


def _float(call: str, stated: str = "1", note: str = "") -> Case:
    return Case(call, stated, (0.0, 1.0), _SETUP, how="sampled", note=note, draws=10_000)


_UTILITIES = ((0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0))
_CHOICES = "all(abs(c - d) <= 1 for c, d in zip(a, b))"


def _choice(call: str, note: str = "utilities that differ by at most 1") -> Case:
    return Case(call, "1", _UTILITIES, _SETUP, neighbours=_CHOICES, note=note)


_MECHANISMS = (
    Case('Binary(epsilon=1, value0="0", value1="1").randomise(x)', "1", ("0", "1"), _SETUP),
    Case('Binary(epsilon=log(3), value0="0", value1="1").randomise(x)', "ln(3)", ("0", "1"),
         _SETUP),
    _choice("Exponential(epsilon=1, sensitivity=1, utility=list(x)).randomise()"),
    Case("Exponential(epsilon=1, sensitivity=1, utility=list(x), monotonic=True).randomise()", "1",
         ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)), _SETUP,
         neighbours="all(0 <= d - c <= 1 for c, d in zip(a, b)) or "
         "all(0 <= c - d <= 1 for c, d in zip(a, b))",
         note="utilities that move one way, by at most 1"),
    _choice(
        "Exponential(epsilon=1, sensitivity=1, utility=list(x), measure=[1, 2, 3]).randomise()"
    ),
    _choice("PermuteAndFlip(epsilon=1, sensitivity=1, utility=list(x)).randomise()"),
    Case("ExponentialCategorical(epsilon=1, utility_list=u).randomise(x)", "1", ("a", "b", "c"),
         f'{_SETUP}u = [["a", "b", 1], ["a", "c", 2], ["b", "c", 2]]'),
    Case("ExponentialHierarchical(epsilon=1, hierarchy=h).randomise(x)", "1",
         ("a", "b", "c", "d"), f'{_SETUP}h = [["a", "b"], ["c", "d"]]'),
    Case("GeometricTruncated(epsilon=1, lower=0, upper=2).randomise(x)", "1", _WHOLE, _SETUP,
         neighbours=_NEAR),
    Case("GeometricFolded(epsilon=1, lower=0, upper=2).randomise(x)", "1", _WHOLE, _SETUP,
         neighbours=_NEAR),
    Case("GeometricTruncated(epsilon=1, sensitivity=2, lower=0, upper=2).randomise(x)", "1",
         _WHOLE, _SETUP, note="any two of the inputs are neighbours"),
    Case("Geometric(epsilon=1).randomise(x)", "1", _WHOLE, _SETUP, neighbours=_NEAR),
    Case("GaussianDiscrete(epsilon=1, delta=0.1).randomise(x)", "1, 1/10", (0, 1), _SETUP,
         how="sampled", draws=2_000),
    _float("Laplace(epsilon=1, sensitivity=1).randomise(x)"),
    _float("Laplace(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("LaplaceTruncated(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceFolded(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceBoundedDomain(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceBoundedNoise(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("Gaussian(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("GaussianAnalytic(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("Uniform(delta=0.25, sensitivity=1).randomise(x)", "0, 1/4"),
    _float("Staircase(epsilon=1, sensitivity=1).randomise(x)"),
    _float("Snapping(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)",
           note="without crlibm, as it installs"),
    Case("Bingham(epsilon=1, sensitivity=1).randomise(np.diag(x))", "1", ((0.0, 0.0), (1.0, 0.0)),
         f"{_SETUP}import numpy as np", how="sampled", draws=4_000,
         note="covariances whose difference has the spectral norm 1"),
    Case("StringToInt(IntToString(Binary(epsilon=1, value0='0', value1='1'))).randomise(x)", "1",
         ("0", "1"), f"{_SETUP}from diffprivlib.mechanisms.transforms import *"),
    Case("RoundedInteger(Laplace(epsilon=1, sensitivity=1)).randomise(x)", "1", (0, 1),
         f"{_SETUP}from diffprivlib.mechanisms.transforms import *", how="sampled", draws=10_000),
)  # fmt: skip

_DATA = (
    "import warnings, numpy as np\n"
    "from diffprivlib import models, tools\n"
    'warnings.simplefilter("ignore")\n'
)
_REPLACED = "a record replaced"
_ADDED = "one record more or less"
_TWO = ((0.0, 1.0), (1.0, 1.0))
_FAR = ((0.0, 9.0), (0.0, 1.0))
_BEYOND = "y > 2.5"


def _data(
    call: str,
    inputs: tuple[object, ...],
    note: str,
    draws: int,
    seen: str = "",
    *,
    times: int = 1000,
) -> Case:
    """Return a case of a tool or a model; what is ``seen`` of ``y`` shows its violation."""
    counted = f"[sum({seen} for y in map(call, [x] * {times})) for x in {inputs[:2]!r}]"
    show = f"{_DATA}call = lambda x: {call}\nprint({counted})" if seen else ""
    return Case(call, "1", inputs, _DATA, "sampled", note=note, draws=draws, show=show)


def _open(
    call: str, what: str = "bounds", seen: str = _BEYOND, draws: int = 2_000, *, times: int = 1000
) -> Case:
    """Return a case of what is taken from the data, as the library warns."""
    note = f"documented: {what} that are not given come from the data, with a PrivacyLeakWarning"
    return _data(call, _FAR, note, draws, seen, times=times)


def _tool(name: str, more: str = "") -> tuple[Case, Case]:
    called = f"float(tools.{name}(list(x), {more}epsilon=1"
    return _data(f"{called}, bounds=(0, 1)))", _TWO, _REPLACED, 10_000), _open(f"{called}))")


def _missing(
    name: str, inputs: tuple[object, ...], seen: str, draws: int = 6_000, *, times: int = 1000
) -> Case:
    call = f"float(tools.{name}(np.array(x, float), epsilon=1, bounds=(0, 1)))"
    note = "the sensitivity is divided by the records that are there and those that are not"
    return _data(call, inputs, note, draws, seen, times=times)


def _undefined(name: str, note: str) -> Case:
    call = f"bool(np.isnan(tools.{name}epsilon=1, bounds=(0, 1))))"
    return _data(call, ((None, 1.0), (0.0, 1.0)), note, 2_000, "y")


_HISTOGRAM = "tools.histogram(list(x), epsilon=1, bins=2"
_PLANE = "tools.histogram2d(list(x), list(x), epsilon=1, bins=2"
_SPACE = "tools.histogramdd(np.array(x)[:, None], epsilon=1, bins=2"
_ONE_OR_TWO = ((0.0,), (0.0, 1.0))

_TOOLS = (
    *_tool("mean"), *_tool("var"), *_tool("std"), *_tool("sum"),
    _data("int(tools.sum(list(x), epsilon=1, bounds=(0, 1), dtype=int))", ((0, 1), (1, 1)),
          _REPLACED, 10_000),
    _data("int(tools.count_nonzero(list(x), epsilon=1))", ((0, 1), (1, 1)), _REPLACED, 10_000),
    *_tool("median"), *_tool("quantile", "0.25, "), *_tool("percentile", "25, "),
    _undefined("mean(np.array(x, float), ", "a record that is no number: the answer is none"),
    _undefined("quantile(np.array(x, float), 0.5, ", "a record that is no number: the answer is "
               "none, as a comment of its code says"),
    _data("float(tools.nansum(list(x), epsilon=1, bounds=(0, 1)))", _TWO, _REPLACED, 10_000),
    _missing("nanmean", ((None, None, None, 0.0), (None, None, None, 1.0)), "y == 0"),
    _missing("nanvar", ((None,) * 6 + (0.0, 0.0), (None,) * 6 + (0.0, 1.0)), "y < 0.03", 16_000,
             times=10_000),
    _missing("nanstd", ((None,) * 6 + (0.0, 0.0), (None,) * 6 + (0.0, 1.0)), "y < 0.17", 16_000,
             times=10_000),
    _data("bool(tools.nansum(np.array(x, float), epsilon=1, bounds=(10, 11)) > 20)",
          ((10.0, 10.0), (None, 10.0)), "a record that is missing moves the sum by 10, not by the "
          "1 of the bounds", 6_000, "y"),
    _data(f"{_HISTOGRAM}, range=(0, 1))[0].tolist()", _ONE_OR_TWO, _ADDED, 10_000),
    _data(f"{_HISTOGRAM}, range=(0, 1))[0].tolist()", ((0.0,), (1.0,)),
          f"{_REPLACED}, as for means and sums: the counts of two bins move", 6_000,
          "y[0] > 0 == y[1]"),
    _open(f"{_HISTOGRAM})[1].tolist()", "ranges", "y[2] > 2.5"),
    _data(f"{_PLANE}, range=[[0, 1], [0, 1]])[0].ravel().tolist()", _ONE_OR_TWO, _ADDED, 10_000),
    _open(f"{_PLANE})[1].tolist()", "ranges", "y[2] > 2.5"),
    _data(f"{_SPACE}, range=[[0, 1]])[0].tolist()", _ONE_OR_TWO, _ADDED, 10_000),
    _open(f"{_SPACE})[1][0].tolist()", "ranges", "y[2] > 2.5"),
)  # fmt: skip

_WITHOUT = {
    "diffprivlib.mechanisms.vector.Vector": "it returns an objective function with a random "
    "linear term; the stated ε is that of the point that minimises this function, so nothing that "
    "it returns can be compared with ε: the rows of LogisticRegression are",
    "diffprivlib.mechanisms.base.bernoulli_neg_exp": "it states no ε: a coin for others",
    "diffprivlib.mechanisms.*base.*": "a base class",
    "diffprivlib.accountant.*": "it adds up what is stated, and draws nothing",
    "diffprivlib.models.utils.covariance_eig": "PCA calls it",
    "diffprivlib.utils.*": "it states no ε: warnings, checks, budgets",
    "diffprivlib.validation.*": "it states no ε: checks and clipping",
}

_COLUMN = "[[v] for v in x]"
_BAYES = "models.GaussianNB(epsilon=1{})"
_MEANS = "models.KMeans({}, epsilon=1{})"
_LINEAR = "models.LinearRegression(epsilon=1, fit_intercept={}, bounds_X={}, bounds_y={})"
_LOGISTIC = "models.LogisticRegression(epsilon=1, fit_intercept=False{})"
_TREE = "models.DecisionTreeClassifier(max_depth=1, epsilon=1{})"
_FOREST = "models.RandomForestClassifier({}, max_depth=1, epsilon=1{})"
_UNIT = ", bounds=([0], [1])"
_KNOWN = f"{_UNIT}, classes=[0, 1]"
_PLACED = "[[0.5]] * len(x)"
_OWN_CLASSES = "classes are those of the labels, without a warning"
_AXES = (((0.0, 1.0), (1.0, 0.0)), ((0.0, 1.0), (0.0, 1.0)))

_MODELS = (
    _data(f"[*(m := {_BAYES.format(_UNIT)}.fit({_COLUMN}, [0, 0])).theta_[0].tolist(), "
          "*m.var_[0].tolist()]", _TWO, _REPLACED, 3_000),
    _data(f"bool((m := {_BAYES.format(', bounds=([10], [11])')}.fit([[10]] * 4, list(x)))"
          ".class_count_[1] == 2 and m.theta_[1, 0] == 10)", ((0, 0, 1, 1), (0, 1, 1, 1)),
          "a label replaced: the sum of a class moves by 10, not by the 1 of the bounds", 3_000,
          "y"),
    _data(f"len({_BAYES.format(_UNIT)}.fit([[0], [0], [1]], list(x)).classes_)",
          ((0, 0, 1), (0, 0, 0)), _OWN_CLASSES, 1_000, "y == 2"),
    _open(f"float({_BAYES.format('')}.fit({_COLUMN}, [0, 0]).theta_[0, 0])", draws=1_500),
    _data(f"float({_MEANS.format(1, _UNIT)}.fit({_COLUMN}).cluster_centers_[0, 0])", _TWO,
          _REPLACED, 3_000),
    _data(f"{_MEANS.format(2, _UNIT)}.fit({_COLUMN}).cluster_centers_.ravel().tolist()",
          ((0.0, 0.0, 1.0), (0.0, 1.0, 1.0)), _REPLACED, 600),
    _data(f"bool(abs((m := {_MEANS.format(1, _UNIT)}.fit({_COLUMN})).inertia_ - "
          "((m.cluster_centers_ - [[0], [1]]) ** 2).sum()) < 1e-9)", _TWO,
          "its attribute inertia_ is the exact sum of squares of the records around the centres",
          1_000, "y"),
    _open(f"float({_MEANS.format(1, '')}.fit({_COLUMN}).cluster_centers_[0, 0])", draws=1_500),
    _data(f"float({_LINEAR.format(False, '(0, 1)', '(0, 1)')}.fit({_COLUMN}, [0.0]).coef_[0])",
          ((0.25,), (1.0,)), "the sensitivity of the sum of squares is that of the lower bound, "
          "taken twice (diffprivlib issue 105)", 3_000, "abs(y) > 30"),
    _data(f"float({_LINEAR.format(False, '(-1, 1)', '(0, 1)')}.fit({_COLUMN}, [0.0]).coef_[0])",
          ((0.25,), (1.0,)), _REPLACED, 3_000),
    _data(f"[*(m := {_LINEAR.format(True, '(-1, 1)', '(0, 1)')}.fit({_COLUMN}, [0.0, 1.0]))"
          ".coef_.tolist(), float(m.intercept_)]", ((-1.0, 1.0), (1.0, 1.0)),
          f"{_REPLACED}; the two means share one part of the budget (diffprivlib issue 104)",
          1_000),
    _open(f"float({_LINEAR.format(False, '(0, 1)', None)}.fit([[1.0], [1.0]], list(x)).coef_[0])",
          "bounds", "abs(y) > 20", 3_000),
    _data(f"{_LOGISTIC.format(', data_norm=1')}.fit({_COLUMN}, [0, 1]).coef_.ravel().tolist()",
          ((-1.0, 1.0), (1.0, 1.0)), _REPLACED, 500),
    _data(f"len({_LOGISTIC.format(', data_norm=1')}.fit([[0], [0], [1]], list(x)).classes_)",
          ((0, 1, 2), (0, 1, 1)), _OWN_CLASSES, 400, "y == 3", times=100),
    _open(f"float({_LOGISTIC.format('')}.fit({_COLUMN}, [0, 1]).data_norm)", "norms", draws=400,
          times=100),
    _data("[*(m := models.PCA(epsilon=1, centered=True, data_norm=1).fit(np.array(x)))"
          ".explained_variance_.tolist(), *m.components_[0].tolist()]", _AXES, _REPLACED, 1_000),
    _data("[*(m := models.PCA(epsilon=1, bounds=(0, 1), data_norm=1).fit(np.array(x)))"
          ".explained_variance_.tolist(), *m.components_[0].tolist(), *m.mean_.tolist()]", _AXES,
          _REPLACED, 1_000),
    _open(f"float(models.PCA(epsilon=1, centered=True).fit({_COLUMN}).explained_variance_[0])",
          "norms", "y > 30"),
    _open(f"float(models.PCA(epsilon=1, data_norm=1).fit({_COLUMN}).mean_[0])"),
    _data(f"[*(m := models.StandardScaler(epsilon=1{_UNIT}).fit({_COLUMN})).mean_.tolist(), "
          "*m.var_.tolist()]", _TWO, _REPLACED, 2_000),
    _open(f"float(models.StandardScaler(epsilon=1).fit({_COLUMN}).mean_[0])"),
    _data(f"int({_TREE.format(_KNOWN)}.fit({_PLACED}, list(x)).predict([[0.5]])[0])",
          ((0, 0), (0, 0, 1)), _ADDED, 3_000),
    _data(f"int({_TREE.format(_KNOWN)}.fit({_PLACED}, list(x)).predict([[0.5]])[0])",
          ((0, 0, 1), (0, 0, 0)), f"{_REPLACED}, as for the other models: two counts move", 3_000,
          "y == 1"),
    _open(f"float({_TREE.format(', classes=[0, 1]')}.fit({_COLUMN}, [0, 1]).tree_.threshold[0])",
          draws=1_500),
    _data(f"[int(t.predict([[0.5]])[0]) for t in {_FOREST.format(2, _KNOWN)}.fit({_PLACED}, "
          "list(x)).estimators_]", ((0, 1, 1, 0), (1, 1, 0)), "one record more in front: both "
          "trees are given other records", 800, "y == [0, 1]", times=200),
    _open(f"float({_FOREST.format(1, ', classes=[0, 1]')}.fit({_COLUMN}, [0, 1]).estimators_[0]"
          ".tree_.threshold[0])", draws=1_500, times=200),
)  # fmt: skip

_FOUND = (
    "what tools and models take from the data where bounds, ranges, norms or classes are not "
    "given is documented, with a PrivacyLeakWarning.  With all of them given, `LinearRegression` "
    "draws too little noise for bounds whose lower end is nearer to 0 (diffprivlib issue 105), "
    "and its code spends one and a half times its budget if it fits an intercept (issue 104).  "
    "`GaussianNB` scales the noise on the sum of a class to a record that is replaced within the "
    "class, and `nanmean`, `nanvar` and `nansum` scale theirs to a record that is replaced by "
    "another number; `inertia_` of `KMeans` has no noise; `GaussianNB` and `LogisticRegression` "
    "take their classes from the labels without a warning.  No neighbouring relation is "
    "documented: histograms and trees keep their ε if a record is added; means, variances, sums "
    "and quantiles keep it if one is replaced.  A forest divides the records among its trees by "
    "their position, so a record added in front moves others to another tree.  "
)

ENVIRONMENTS = (
    Environment(
        "diffprivlib",
        "0.6.6",
        (*_MECHANISMS, *_TOOLS, *_MODELS),
        ("scikit-learn==1.6.1", "joblib==1.6.0"),
        package="diffprivlib",
        without=_WITHOUT,
        note=_FOUND + "It does not import with scikit-learn 1.9.1, which its requirements allow; "
        "1.6.1 is installed.",
    ),
)
