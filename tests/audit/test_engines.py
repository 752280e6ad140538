"""Both engines say the same, to the byte: floats only choose what balls have to look at."""

from typing import Any

import pytest

from dpaudit import check, curve
from dpaudit.audit.plan import ENGINES
from dpaudit.errors import ParameterError


@pytest.mark.parametrize(
    ("name", "sizes", "parameters"),
    [
        ("EHDS", "24..60..9", {}),
        ("EHDS", "30,41", {"prior": "1/2,3", "eps": "ln(3)", "gamma": "1/7"}),
        ("EHDL", "12,40", {"divisor": 1}),
        ("EHD", "8,30", {"prior": "1/20,1/20"}),
        ("EHD", "9", {"prior": "1,2,1", "gs": "computed"}),
        ("EHDS", "8", {"k": 3}),
        ("MH", "25,50", {"divisor": 1}),
        ("MH", "6", {"k": 4, "divisor": 1}),
        ("MH", "7", {"prior": "3,3,3", "eps": "ln(3)"}),  # which of many equal pairs is shown
        ("EHDS", "6", {"prior": "50,50,50,50"}),
        ("EHDS", "30", {"prior": "1e29,1e29"}),  # beyond what floats are used for
        ("EHDS", "30", {"prior": "1e-400,1e400"}),
        ("EHDS", "30", {"eps": "1e400"}),
        ("LSHist", "30", {}),
    ],
)
def test_the_engines_agree_to_the_byte(name: str, sizes: str, parameters: dict[str, Any]) -> None:
    found = {
        check(name, sizes, at_eps=["1/10", "0"], engine=engine, **parameters).to_json()
        for engine in ENGINES
    }
    assert len(found) == 1
    assert "engine" not in found.pop()


@pytest.mark.parametrize(
    ("name", "sizes", "parameters"),
    [("MH", "12,30", {"divisor": 1}), ("EHDS", "8", {"k": 3}), ("EHDL", "40", {"prior": "1,2"})],
)
def test_curves_have_the_same_values_on_both_engines(
    name: str, sizes: str, parameters: dict[str, Any]
) -> None:
    """Vertices cannot be compared: of pairs that are exact ties, balls keep both."""
    at_eps = [f"{i}/20" for i in range(24)]
    screen, ball = (
        curve(name, sizes, at_eps=at_eps, engine=engine, **parameters).audit for engine in ENGINES
    )
    for ours, theirs in zip(screen.results, ball.results, strict=True):
        assert (ours.n, ours.pairs) == (theirs.n, theirs.pairs)
        assert [(at.epsilon, at.value) for at in ours.values] == [
            (at.epsilon, at.value) for at in theirs.values
        ]


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="known: screen, ball"):
        check("EHDS", 10, engine="abacus")
