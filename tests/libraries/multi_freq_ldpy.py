"""multi-freq-ldpy: clients for one report, and for reports again and again.

The clients of longitudinal protocols return one report, whose stated ε is ``eps_1``.  The seed of
local hashing is sent along; its largest value is set to a small one.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_ITEMS = (0, 1, 2)
_SEEDS = "hash seeds 0 to 7"
_SETTINGS = (("1", "1"), ("log(3)", "ln(3)"))


def _from(folder: str, name: str, more: str = "") -> str:
    module = name.removesuffix("_Client")
    return f"from math import log\nfrom multi_freq_ldpy.{folder}.{module} import {name}\n{more}"


def _pure(name: str, stated: tuple[str, str], more: str = "", k: int = 3) -> Case:
    return Case(
        f"{name}(x, {k}, {stated[0]}{more})",
        stated[1],
        tuple(range(k)),
        _from("pure_frequency_oracles", name),
    )


def _long(name: str, more: str = "", setup: str = "", note: str = "") -> Case:
    return Case(
        f"{name}(x, 3, 2, 1{more})",
        "1",
        _ITEMS,
        _from("long_freq_est", name, setup),
        note=note or _ONCE,
    )


_LH = "import multi_freq_ldpy.pure_frequency_oracles.LH as lh\nlh.maxsize = 8\n"
_L_LH = "import multi_freq_ldpy.long_freq_est.L_LH as lh\nlh.maxsize = 8\n"

_PAIRS = ((0, 0), (0, 1), (1, 0), (1, 1))
_ANY = "any two tuples"
_ONE = "one value of the tuple changes"
_SPREAD = {"SMP": "mdim_freq_est.SMP_solution", "SPL": "mdim_freq_est.SPL_solution",
           "RSpFD": "mdim_freq_est.RSpFD_solution", "SMP_L": "long_mdim_freq_est.L_SMP_Solution",
           "SPL_L": "long_mdim_freq_est.L_SPL_Solution"}  # fmt: skip
_ONCE = "one report, whose ε is eps_1 = 1"


def _tuples(
    way: str, oracle: str, more: str = "1", *, note: str = "", setup: str = "", one: str = ""
) -> Case:
    """Return a case of two values, of which one is sent, or both are, or one with another made."""
    name = f"{way}_{oracle}_Client"
    return Case(
        f"{name}(x, [2, 2], 2, {more})", "1", _PAIRS,
        f"from multi_freq_ldpy.{_SPREAD[way]} import {name}\n{setup}",
        neighbours=one or "all", note="; ".join(filter(None, (note, _ONE if one else _ANY))),
    )  # fmt: skip


def _bits(way: str) -> Case:
    name = f"{way}_dBitFlipPM_Client"
    return Case(
        f"{name}(x, [2, 2], [2, 2], 1, 2, 1)", "1", _PAIRS,
        f"from multi_freq_ldpy.{_SPREAD[f'{way}_L']} import {name}",
        note=f"eps_perm = 1, of the memoised answer; {_ANY}",
    )  # fmt: skip


_CHANGED = "(a[0] != b[0]) != (a[1] != b[1])"
_FAKED = ("GRR", "UE_zero", "UE_rnd", "ADP")
_TUPLES = (
    *(_tuples(way, oracle) for way in ("SMP", "SPL") for oracle in ("GRR", "UE", "SS", "ADP")),
    *(_tuples(way, "LH", note=_SEEDS, setup=_LH) for way in ("SMP", "SPL")),
    *(_tuples("RSpFD", oracle, one=one) for oracle in _FAKED for one in ("", _CHANGED)),
    *(_tuples("RSpFD", oracle, "1, optimal=False", one=one)
      for oracle in ("UE_zero", "UE_rnd") for one in ("", _CHANGED)),
    *(_tuples(way, oracle, "2, 1", note=_ONCE)
      for way in ("SMP_L", "SPL_L")
      for oracle in ("GRR", "OUE", "OSUE", "SUE", "SOUE", "ADP")),
    *map(_bits, ("SMP", "SPL")),
)  # fmt: skip

_CASES = (
    *(_pure("GRR_Client", stated) for stated in _SETTINGS),
    *(
        _pure("UE_Client", stated, more)
        for stated in _SETTINGS
        for more in ("", ", optimal=False")
    ),
    *(_pure("ADP_Client", stated, k=k) for stated in _SETTINGS for k in (3, 8)),
    _pure("SS_Client", _SETTINGS[0]),
    Case("SS_Client(x, 6, 1)", "1", tuple(range(6)),
         _from("pure_frequency_oracles", "SS_Client"),
         note="the array that is returned, in its order"),
    Case("frozenset(SS_Client(x, 6, 1).tolist())", "1", tuple(range(6)),
         _from("pure_frequency_oracles", "SS_Client"),
         note="the answer read as a set, as its documentation calls it"),
    Case("HE_Client(x, 3, 1)", "1", _ITEMS, _from("pure_frequency_oracles", "HE_Client"),
         how="sampled"),
    *(
        Case(f"LH_Client(x, 3, {given}{more})", stated, _ITEMS,
             _from("pure_frequency_oracles", "LH_Client", _LH), note=_SEEDS)
        for given, stated in _SETTINGS
        for more in ("", ", optimal=False")
    ),
    *(
        _long(name)
        for name in ("L_GRR_Client", "L_OUE_Client", "L_SUE_Client", "L_OSUE_Client",
                     "L_SOUE_Client", "L_ADP_Client")
    ),
    *(
        _long("L_LH_Client", more, _L_LH, f"one report, whose ε is eps_1 = 1; {_SEEDS}")
        for more in ("", ", optimal=False")
    ),
    *(
        Case(f"dBitFlipPM_Client(x, 4, {b}, {bits}, 1)", "1", (0, 1, 2, 3),
             _from("long_freq_est", "dBitFlipPM_Client"),
             note="eps_perm = 1, of the memoised answer")
        for b, bits in ((4, 1), (4, 2), (4, 4), (2, 2))
    ),
    *_TUPLES,
)  # fmt: skip

_WITHOUT = {
    "multi_freq_ldpy.*_Aggregator_*": "it reads answers of clients, not values",
    "multi_freq_ldpy.estimators.*": "it reads answers of clients, not values",
    "multi_freq_ldpy.*.VAR_*": "it states no ε: a variance",
    "multi_freq_ldpy.*.Variance_*": "it states no ε: a variance",
    "multi_freq_ldpy.*.find_tresh": "it states no ε: a threshold for aggregators",
}

ENVIRONMENTS = (
    Environment(
        "multi-freq-ldpy",
        "0.2.5",
        _CASES,
        ("numba==0.68.1", "xxhash==3.5.0"),
        {"NUMBA_DISABLE_JIT": "1"},
        package="multi_freq_ldpy",
        without=_WITHOUT,
        note="its clients that Numba compiles are run as the Python code that they are "
        "(`NUMBA_DISABLE_JIT=1`); the code that Numba compiles uses other random "
        "algorithms.  `SS_Client` returns an array whose first entry is the value "
        "wherever the value is in it; read as a set, it keeps its budget up to the "
        "rounding of floats.  A client of `RSpFD` randomises one of its d values with "
        "the larger ε′ = ln(d(exp(ε) - 1) + 1), and sends made-up values in place of the "
        "others.  It keeps ε if one value of the tuple changes, but realises ε′ if all "
        "change.",
    ),
)
