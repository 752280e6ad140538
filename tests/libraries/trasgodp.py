"""trasgodp: local mechanisms for the values of a column.

The first of several records changes.  Categories are those that a column holds: rows say whether
they stay the same when it changes.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_ARRAYS = "from trasgodp.categorical import *\nfrom trasgodp.numerical import *\n"
_TABLES = f'import pandas as pd\n{_ARRAYS}table = lambda x: pd.DataFrame({{"a": list(x)}})\n'
_SAME = (("a", "a", "b", "c"), ("b", "a", "b", "c"))
_OTHER = (("a", "a", "b", "c"), ("d", "a", "b", "c"))
_TWO = (("a", "a", "b"), ("b", "a", "b"))
_KEPT = "the same categories"
_LOST = "a category that one record alone has"
_CLIP = "one record"


def _both(name: str, inputs: tuple[object, ...], note: str, stated: str = "1") -> tuple[Case, ...]:
    return (
        Case(f"{name}_array(list(x), 1)", stated, inputs, _ARRAYS, note=note),
        Case(f'{name}(table(x), "a", 1)["a"].tolist()', stated, inputs, _TABLES, note=note),
    )


def _clipped(name: str, stated: str, inputs: tuple[object, ...], how: str) -> tuple[Case, ...]:
    more = ", delta=0.1" if "," in stated else ""
    return (
        Case(f"{name}_array(list(x), 1, 0, 1{more})", stated, inputs, _ARRAYS, how, note=_CLIP,
             draws=12_000),
        Case(f'{name}(table(x), "a", 1, 0, 1{more})["a"].tolist()', stated, inputs, _TABLES, how,
             note=_CLIP, draws=2_000),
    )  # fmt: skip


_INTEGERS = ((0,), (1,))
_FLOATS = ((0.0,), (1.0,))

_PLACES = (
    "import math, pandas as pd\nfrom trasgodp.geoindis import metric_privacy\n"
    'table = lambda x: pd.DataFrame({"lat": [x], "lon": [0.0]})\n'
)
_HERE = (
    f"{_PLACES}on_the_circle = lambda f: abs(math.hypot(f.lat[0], f.lon[0]) * math.pi / 180 "
    "* 6371000 - f.radius_m[0]) < 1e-3\n"
)
_CALL = 'metric_privacy(table(x), "lat", "lon", 0.001, seed=None)'
_NORTH = (0.0, 0.008993)
_METRES = "ε = 0.001 a metre, at a distance of less than 1,000 metres"

_CASES = (
    *_both("dp_randomized_response_binary", _TWO, _KEPT),
    *_both("dp_randomized_response_kary", _SAME, _KEPT),
    *_both("dp_randomized_response_kary", _OTHER, _LOST),
    *_both("dp_exponential", _SAME, _KEPT),
    *_both("dp_exponential", _OTHER, _LOST),
    *_clipped("dp_clip_laplace", "1", _INTEGERS, "as run"),
    *_clipped("dp_clip_laplace", "1", _FLOATS, "sampled"),
    *_clipped("dp_clip_gaussian", "1, 1/10", _INTEGERS, "sampled"),
    *_clipped("dp_clip_gaussian", "1, 1/10", _FLOATS, "sampled"),
    Case('metric_privacy(table(x), "lat", "lon", 0.001)', "1", (), how="read",
         note="its seed is 42 unless another is given: what it adds is known, and so is the place",
         show=f'{_PLACES}noise = metric_privacy(table(0.0), "lat", "lon", 0.001)["lat"][0]\n'
         'print([metric_privacy(table(x), "lat", "lon", 0.001)["lat"][0] - noise '
         "for x in (0.0, 0.008993)])"),
    Case(f'{_CALL}[["lat", "lon"]].iloc[0].tolist()', "1", _NORTH, _PLACES, "sampled",
         note=_METRES, draws=1_000),
    Case(f"on_the_circle({_CALL})", "1", _NORTH, _HERE, "sampled",
         note=f"{_METRES}; does radius_m, which is given out too, fit a place?", draws=1_000,
         show=f"{_HERE}print([sum(on_the_circle({_CALL}) for i in range(1000)) "
         f"for x in {_NORTH!r}])"),
)  # fmt: skip

ENVIRONMENTS = (
    Environment(
        "trasgodp",
        "2.1.0",
        _CASES,
        ("pandas==2.3.3", "folium==0.20.0", "typing_extensions==4.16.0"),
        bare=True,
        package="trasgodp",
        without={
            "trasgodp.metrics.*": "it states no ε: it compares data before and after",
            "trasgodp.geoindis.plot_metric_dp_map": "it draws a map of what metric_privacy gives",
        },
        note="it requires NumPy 2.0.2; the audit uses 2.4.6, which dpaudit can follow as run. "
        " It takes the categories of a column from the data, which its README and "
        "docstrings do not say.  `metric_privacy` also outputs `radius_m`, the distance "
        "between the true place and the reported one.",
    ),
)
