"""A mechanism of the package is one file; what else it needs is named here, a line each."""

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dpaudit.mechanisms import classics
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.mechanisms.registry import (
    NOTES_GROUP,
    mechanism_classes,
    mechanism_groups,
    mechanism_names,
)
from dpaudit.recheck.registry import DEFAULTS, definition_of
from tests.classics_page import PAGE, with_table
from tests.golden.corpus import recorded
from tests.oracles import queries
from tests.oracles.classics import ORACLES

FILES = sorted(Path(classics.__file__).parent.glob("*.py"))
CLASSICS = {
    name: cls
    for group, classes in mechanism_groups().items()
    if group != NOTES_GROUP
    for name, cls in classes.items()
}
DENSITIES = {"SVT3", "RNMLaplaceValue", "Gaussian", "Laplace"}
"""Laws with a density: no sum over outputs is theirs, and recheck's integrals are the second."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_row_names_the_mechanisms_of_its_file(path: Path) -> None:
    module = import_module(f"{classics.__name__}.{path.stem}")
    own = {
        cls.name
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and issubclass(cls, Mechanism)
        and cls.__module__ == module.__name__
        and "name" in vars(cls)
    }
    row: Any = getattr(module, "ROW", ("", ""))
    assert set(row[1].split()) == own, f'{path.name}: write ROW = ("group", "{" ".join(own)}")'
    assert own <= set(CLASSICS), f"{path.name}: ROW must be two texts in quotes, in one pair of ()"


@pytest.mark.parametrize("name", mechanism_names())
def test_a_mechanism_is_defined_a_second_time(name: str) -> None:
    """Its defaults, its relation and its own ε are the same there."""
    assert name in DEFAULTS, (
        f"dpaudit/recheck/one_user.py, bits.py, noisy_counts.py, continuous.py or selection.py: "
        f"add a class {name} with the defaults of all parameters"
    )
    made = mechanism_classes()[name].build({})
    shown = {key: parameter_text(value) for key, value in made.values().items()}
    assert DEFAULTS[name] == shown, f"dpaudit/recheck: defaults of {name}"
    relation = definition_of({"name": name, **shown}).default_relation()
    assert relation == (made.adjacency().name, False), f"dpaudit/recheck: relations of {name}"


@pytest.mark.parametrize("name", sorted(set(CLASSICS) - DENSITIES))
def test_a_classic_has_an_oracle(name: str) -> None:
    assert name in {*ORACLES, *queries.NAMES}, (
        f'tests/oracles/classics.py: add a function with @oracle("{name}", …) that returns its '
        "laws and pairs, or for a mechanism over queries a row in tests/oracles/queries.py"
    )


@pytest.mark.parametrize("cls", CLASSICS.values(), ids=CLASSICS)
def test_a_small_size_is_one(cls: type[Mechanism[Any]]) -> None:
    made = cls.build({})
    for n in cls.small_sizes:
        made.check_size(n)
        assert 1 <= made.adjacency().pair_count(n) <= 1000, f"{cls.name}: small_sizes"


def test_the_page_has_a_row_for_each() -> None:
    assert with_table(PAGE.read_text()) == PAGE.read_text(), "python -m tests.classics_page"


def test_the_recorded_lists_have_each() -> None:
    listed = json.loads(json.dumps(recorded()["list --format json"].stdout))
    names = [one["mechanism"] for one in listed["mechanisms"]]
    assert names == mechanism_names(), "python -m tests.golden.corpus list"
