"""Every public function says what it takes, gives and raises, in which units, with an example."""

import inspect
import re

import pytest

import dpaudit

FUNCTIONS = [name for name in dpaudit.__all__ if inspect.isfunction(getattr(dpaudit, name))]
CLASSES = [name for name in dpaudit.__all__ if inspect.isclass(getattr(dpaudit, name))]


def test_there_is_something_public() -> None:
    assert len(FUNCTIONS) >= 15
    assert len(CLASSES) >= 8


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_documented_whole(name: str) -> None:
    function = getattr(dpaudit, name)
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
