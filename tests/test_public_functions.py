"""Every public function says what it takes, gives and raises, in which units, with an example."""

import inspect
import re
import subprocess
import sys

import click
import pytest

import dpaudit
from dpaudit import api
from dpaudit.errors import ParameterError, SizeError
from tests.pages import PAGES

FUNCTIONS = [
    name
    for name in dpaudit.__all__
    if name == "mechanisms" or inspect.isfunction(getattr(dpaudit, name))
]
CLASSES = [name for name in dpaudit.__all__ if inspect.isclass(getattr(dpaudit, name))]


def test_there_is_something_public() -> None:
    assert len(FUNCTIONS) >= 15
    assert len(CLASSES) >= 8


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_documented_whole(name: str) -> None:
    function = getattr(api if name == "mechanisms" else dpaudit, name)
    text = inspect.getdoc(function) or ""
    given = [p for p in inspect.signature(function).parameters if p != "self"]
    told = text.partition("Args:\n")[2].partition("\n\n")[0]
    if given:
        assert told, "arguments"
        missing = [p for p in given if not re.search(rf"^ +.*\b{p}\b.*:", told, re.MULTILINE)]
        assert not missing
    assert "Returns:\n" in text
    assert "Raises:\n" in text or not given
    assert ">>> " in text or "Example:" in text, "an example"


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_is_documented(name: str) -> None:
    cls = getattr(dpaudit, name)
    assert len((inspect.getdoc(cls) or "").split()) >= 5
    for attribute, value in vars(cls).items():
        if isinstance(value, property) and not attribute.startswith("_"):
            assert inspect.getdoc(value), attribute


def test_mechanisms_can_be_called_before_and_after_the_package_of_that_name_is_loaded() -> None:
    """Importing a submodule puts it in the place of a function of its name."""
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import dpaudit\n"
            "before = dpaudit.mechanisms()\n"
            "dpaudit.check('RR', n=1)\n"
            "assert dpaudit.mechanisms() == before != []\n"
            "import dpaudit.mechanisms as package\n"
            "assert package.__path__ and package() == before\n"
            "print(len(before))",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert int(said.stdout) > 20


def test_no_other_public_name_is_one_of_a_module() -> None:
    import pkgutil

    modules = {module.name for module in pkgutil.iter_modules(dpaudit.__path__)}
    assert modules & set(dpaudit.__all__) == {"mechanisms", "noise"}  # the second is its module


OTHERWISE = {
    "account-matrix": "account_matrix",
    "account-run": "account_run",
    "accuracy": "compare_accuracy",
    "gate": "run_gate",
    "list": "mechanisms",
    "show": "mechanism",
}
"""Functions of commands by another name than theirs."""


def test_every_command_but_new_has_a_function() -> None:
    from dpaudit.cli.main import main

    commands = set(main.list_commands(click.Context(main))) - {"new"}
    assert {OTHERWISE.get(name, name) for name in commands} <= set(FUNCTIONS)


def test_every_public_name_and_every_base_is_on_one_page_of_python() -> None:
    """Pages of classes show what these add to their bases, so the bases are documented too."""
    documented = [
        name
        for page, text in PAGES.items()
        if page.startswith(("docs/api.md", "docs/api/"))
        for name in re.findall(r"^::: \S+\.(\w+)$", text, re.MULTILINE)
    ]
    bases = {
        base.__name__
        for name in CLASSES
        for base in inspect.getmro(getattr(dpaudit, name))
        if base.__module__ == "dpaudit.api.finished"
    }
    assert "Finished" in bases
    assert sorted(documented) == sorted({*dpaudit.__all__, *bases} - {"__version__"})


def test_the_first_page_of_python_names_every_function() -> None:
    table = PAGES["docs/api.md"]
    assert [
        name for name in FUNCTIONS if f"`{name}`" not in table and f".{name}\n" not in table
    ] == []


def test_what_is_found_shows_itself_in_a_line() -> None:
    swept = dpaudit.check("RR", n="1")
    certified = dpaudit.account("RR", compose=10, at_delta=["1e-6"], budget=(9, "1e-6"))
    assert certified.verdict == "within"
    assert certified.to_csv().count("\n") == 1 + len(certified.rows)
    for one in (swept, swept.report, certified, dpaudit.prove("I-right")):
        assert len(repr(one)) <= 200
        assert "\n" not in repr(one)
    assert repr(swept.report) == "<Audit (dpaudit.audit/1): within>"
    assert "proved" in dpaudit.prove("I-right")._repr_html_()
    assert "exact" in certified._repr_html_()


def test_a_size_is_needed_only_where_datasets_depend_on_it() -> None:
    assert dpaudit.calibrate("GRR", k=3).nominal == "0.8"
    assert dpaudit.account("GRR", epsilons=["1/2"], k=3, estimates=False).complete
    with pytest.raises(SizeError, match="n is needed"):
        dpaudit.calibrate("EHDS")
    with pytest.raises(ParameterError, match="needs a budget"):
        dpaudit.account("Gaussian", sigma=1, at_delta=["1e-5"], solve="sigma")
    with pytest.raises(ParameterError, match="at_eps"):
        dpaudit.account("GRR", epsilons=["1/2"], at_delta=["1e-5"])
