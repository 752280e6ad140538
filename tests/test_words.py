"""Docstrings say what a thing is, by a noun or a verb: none of the package asks a question."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpaudit

PACKAGE = Path(dpaudit.__file__).parent
QUESTION = re.compile(r"\s*(?:What|How|Whether|Where|Who|Why|Which|When)\b")


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the docstrings of modules, classes, functions, attributes and constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text


def questions(code: str) -> list[tuple[int, str]]:
    """Return the line and the first words of every docstring that begins with a question word."""
    return [
        (one.lineno, str(one.value)[:60])
        for one in docstrings(ast.parse(code))
        if QUESTION.match(str(one.value))
    ]


def test_no_docstring_begins_with_a_question_word() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}:{line}": words
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, words in questions(path.read_text())
    }
    assert not found, "say what it is: Number of …, True if …, Reason for …, Return …"


@pytest.mark.parametrize(
    "code",
    [
        '"""What it is."""',
        'LIMIT = 3\n"""How many there may be."""',
        'class Thing:\n    """Which one it is."""',
        'class Thing:\n    width: int\n    """Where it ends,\n    in inches."""',
        'def size():\n    r"""Whether it fits."""',
        'class Thing:\n    def __init__(self):\n        self.a = 1\n        """Why it is 1."""',
        'if True:\n    LIMIT = 3\n    """\n    When it ends.\n    """',
    ],
)
def test_a_question_is_seen(code: str) -> None:
    assert len(questions(code)) == 1


@pytest.mark.parametrize(
    "code",
    ['"""Number of pairs."""', '"""Whatever is left."""', 'TEXT = "What it is."', "# What it is."],
)
def test_nothing_else_is_taken_for_one(code: str) -> None:
    assert not questions(code)
