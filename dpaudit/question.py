"""The table of questions: one row for each thing that can be asked of a mechanism.

A question is a folder of ``dpaudit/questions``. Its file ``question.py`` holds the row, which names
everything else of it by place, as ``module:attribute``: the command, the functions, the documents
with their tables and figures, and what an entry of the gate can ask. So the row of every question
is read without loading any of them, and a new folder is a new question everywhere: on the command
line, in Python, in the gate, among the schemas and in the page of commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = [
    "Form",
    "Option",
    "Question",
    "Sweep",
    "forms",
    "measures",
    "question_of_command",
    "questions",
]

_FOLDER = "dpaudit.questions"


class Form(NamedTuple):
    """A document that answers a question, and how it is shown; each part but the first a place."""

    schema: str
    """Name of the document, as ``dpaudit.curve/1``."""
    kind: str
    """Type of the document."""
    view: str
    """View of it: table, lines of CSV, figure. See :class:`dpaudit.report.view.View`."""
    published: bool = True
    """False for a table that is written as CSV alone, and has no JSON Schema."""


class Option(NamedTuple):
    """An option of one question: of its command, and an argument of its function."""

    name: str
    """Name of the argument; the option has dashes for its underscores."""
    help: str
    """Meaning, in a sentence."""
    metavar: str = "TEXT"
    """Form of its value, in the help."""
    default: str | None = None
    """Text that stands for it where it is not given."""


class Sweep(NamedTuple):
    """A measure at each size, from which the command and the function of a question are made."""

    measure: str
    """Place of what takes the options by name, as texts, and returns the measure."""
    help: str
    """Help of the command and of the function: a sentence, an empty line, and more."""
    options: tuple[Option, ...] = ()
    """Options that no other question has."""
    without: tuple[str, ...] = ()
    """Options of every sweep that mean nothing here, such as ``budget``."""
    within: str = "every size was computed"
    """Meaning of exit code 0."""
    undecided: str = "a size could not be computed"
    """Meaning of exit code 3."""

    @property
    def held(self) -> Literal["if stated", "never"]:
        """``if stated`` if the answer is compared with the budget given, or else the one stated."""
        return "never" if "budget" in self.without else "if stated"


class Question(NamedTuple):
    """Row of one question."""

    name: str
    """Name of the question: of its command, and of the measure in an entry of the gate."""
    line: str
    """One line about it, for ``dpaudit --help`` and the page of commands."""
    rank: int = 100
    """Place in lists: the smaller, the earlier."""
    command: str = ""
    """Place of the command, where it is not made from ``sweep``."""
    sweep: Sweep | None = None
    """Measure from which the command, and a function without a place, are made."""
    uses: tuple[tuple[str, str], ...] = ()
    """Ways to ask, for the page of commands: what follows the name of the command, and what it
    does; by default mechanisms and sizes, and the one line."""
    words: tuple[str, ...] = ()
    """Further words of the field for the command."""
    functions: Mapping[str, str] = MappingProxyType({})
    """Public names of the package by the module that they are in."""
    forms: tuple[Form, ...] = ()
    """The documents that answer it."""
    gate: str = ""
    """Place of what an entry of the gate asks; empty if the gate does not."""

    @property
    def has_command(self) -> bool:
        """True unless an option of another question's command asks it."""
        return bool(self.command) or self.sweep is not None

    @property
    def rows(self) -> tuple[str, ...]:
        """Rows of the page of commands."""
        uses = self.uses or (("MECHANISM... --n SIZES", self.line),)
        return tuple(f"| `dpaudit {self.name} {usage}` | {about} |" for usage, about in uses)

    @property
    def function_name(self) -> str:
        """Name of the function that is made from ``sweep``."""
        return self.name.replace("-", "_")


@cache
def questions() -> tuple[Question, ...]:
    """Return every question, in the order of lists."""
    from pkgutil import iter_modules, resolve_name  # here and below: the version needs no table

    folder = resolve_name(_FOLDER)
    names = [found.name for found in iter_modules(folder.__path__, f"{_FOLDER}.") if found.ispkg]
    rows: list[Question] = [resolve_name(f"{name}.question:QUESTION") for name in names]
    return tuple(sorted(rows, key=lambda one: (one.rank, one.name)))


def question_of_command(word: str) -> Question | None:
    """Return the question whose command is called so, None if there is none."""
    for one in questions():
        if one.has_command and word in (one.name, *one.words):
            return one
    return None


def measures() -> tuple[str, ...]:
    """Return what entries of a gate may ask: the questions with a command; keys ask the others."""
    return tuple(one.name for one in questions() if one.gate and one.has_command)


@cache
def forms() -> Mapping[type[Any], Form]:
    """Return the documents of all questions by their types."""
    from pkgutil import resolve_name

    return {resolve_name(form.kind): form for one in questions() for form in one.forms}
