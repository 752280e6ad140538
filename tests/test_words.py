"""Docstrings say what a thing is, and nothing that people read has a phrase that is rejected.

The rejected phrases are a table of CONTRIBUTING, beside what to write instead.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli.main import main
from tests.pages import PAGES, ROOT

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


GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
TABLE = re.compile(r"^\| write \| not \|\n\|---\|---\|\n((?:\|.*\|\n)+)", re.MULTILINE)
REJECTED = [row.strip("| ").split(" | ")[1].lower() for row in TABLE.findall(GUIDE)[0].splitlines()]


def rejected(text: str) -> list[str]:
    """Return the phrases of a text that are rejected, however its lines are broken."""
    plain = " ".join(text.lower().split())
    return [phrase for phrase in REJECTED if phrase in plain]


def messages(code: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that are no docstrings; the parts of an f-string as one."""
    tree = ast.parse(code)
    quiet = {id(one) for one in docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [v.value if isinstance(v, ast.Constant) else "{}" for v in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in quiet:
            yield node.lineno, str(node.value)


def test_there_are_phrases_to_look_for() -> None:
    assert len(REJECTED) >= 15
    assert rejected("an excess of\n  the Grain of floats") == ["grain of floats"]
    assert rejected("the rounding of floats") == []
    assert (1, "held to {} ab") in messages('X = f"held to {1} a" "b"\n"""held to none"""')


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_rejected_phrase(page: str) -> None:
    assert rejected(PAGES[page]) == []


def test_no_message_has_a_rejected_phrase() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}:{line}": phrases
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in messages(path.read_text())
        if (phrases := rejected(text))
    }
    assert not found


def test_no_help_has_a_rejected_phrase() -> None:
    for name, command in main.commands.items():
        options = [getattr(one, "help", None) or "" for one in command.params]
        assert rejected(" ".join([command.help or "", *options])) == [], name


def test_no_public_docstring_has_a_rejected_phrase() -> None:
    for name in set(dpaudit.__all__) - {"__version__"}:
        assert rejected(inspect.getdoc(getattr(dpaudit, name)) or "") == [], name
