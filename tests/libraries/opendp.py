"""OpenDP: some measurements, whose Rust code can only be drawn from.

Inputs are at the distance 1 that the stated ε is for.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = 'import opendp.prelude as dp\ndp.enable_features("contrib")\n'
_WHOLE = "space = dp.atom_domain(T=int), dp.absolute_distance(T=int)\n"
_FLOAT = "space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)\n"


def _case(made: str, stated: str, inputs: tuple[object, ...], space: str = "") -> Case:
    return Case(made, stated, inputs, f"{_SETUP}{space}", how="sampled", draws=5_000)


_CASES = (
    _case("dp.m.make_randomized_response_bool(0.75)(x)", "ln(3)", (False, True)),
    _case('dp.m.make_randomized_response(["a", "b", "c"], 0.6)(x)', "ln(3)", ("a", "b", "c")),
    _case("dp.m.make_geometric(*space, scale=1.0)(x)", "1", (0, 1), _WHOLE),
    _case("dp.m.make_laplace(*space, scale=1.0)(x)", "1", (0, 1), _WHOLE),
    _case("dp.m.make_laplace(*space, scale=1.0)(x)", "1", (0.0, 1.0), _FLOAT),
)

ENVIRONMENTS = tuple(
    Environment("opendp", version, _CASES, note="every draw makes its measurement anew.")
    for version in ("0.16.0",)
)
