"""Data flows one way: arrows only ever point towards exact numbers, and libraries stay home.

An arrow is an import, wherever it stands, or the name of a module in a string: in a call of
``import_module``, in a table of what is loaded on first use, in an entry point.
"""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "dpaudit"

ROOMS = [
    "version",
    "subjects",
    "question",
    "fingerprint",
    "errors",
    "progress",
    "notices",
    "worded",
    "closed",
    "arithmetic",
    "machine",
    "results",
    "recheck",
    "numbers",
    "data",
    "laws",
    "screens",
    "mechanisms",
    "programs",
    "noise",
    "audit",
    "sampling",
    "accuracy",
    "claims",
    "report",
    "kernel",
    "api",
    "gate",
    "cli",
    "questions",
    "testing",
    "notes",
    "__main__",
    "pytest_plugin",
]
"""From the bottom up: a room may import itself and the rooms before it."""

ALONE = {
    "recheck": {
        "version",
        "subjects",
        "question",
        "errors",
        "worded",
        "closed",
        "arithmetic",
        "results",
        "machine",
        "recheck",
    }
}
"""Rooms that may import these alone: a second look shares nothing with what it looks at."""

NAMED_FROM_ABOVE = {("values.py", "dpaudit.numbers.closed_form")}
"""What a lower room names for type checkers alone: a number in closed form has a base class there,
and whoever computes with results computes with ``Real``."""

ENTRY_POINTS = {
    ("dpaudit.mechanisms.registry", "notes"): "the mechanisms of the package by name, those of the "
    "notes among them, which are audited like any other",
    (
        "dpaudit.question",
        "questions",
    ): "the table of questions: every shared room reaches one through it alone",
    ("dpaudit.cli.main", "notes"): "the commands by name; `reproduce` computes the notes again",
}
"""The tables that name modules of a higher room, for whoever asks by name: table, room and why.

``dpaudit`` itself is the table above all rooms: what ``import dpaudit`` offers, and what loads
subjects.  Every other table names rooms at or below its own.
"""

GROUPS = {"dpaudit.claims", "dpaudit.mechanisms"}
"""Groups of entry points, by which other packages offer theirs; rooms have the same names."""

LOADERS = {"__import__", "find_spec", "import_module", "resolve_name", "run_module"}
"""Functions that load or find a module by its name."""

HOMES = {
    "flint": {"numbers", "recheck"},
    "matplotlib": {"notes", "questions", "report"},
    "rich": {"cli", "report"},
    "click": {"cli", "notes", "questions"},
    "msgspec": {
        "audit",
        "cli",
        "gate",
        "numbers",
        "questions",
        "recheck",
        "report",
        "results",
        "sampling",
    },
    "numpy": {
        "accuracy",
        "audit",
        "data",
        "numbers",
        "laws",
        "screens",
        "mechanisms",
        "notes",
        "programs",
        "questions",
        "report",
        "sampling",
    },
    "multiprocessing": {"audit"},
    "distributed": {"audit"},
    "dask": {"audit"},
    "pyarrow": {"data"},
    "mpmath": {"claims", "recheck"},
    "sympy": {"claims"},
    "z3": {"claims"},
    "cvc5": {"claims"},
    "dpaudit_proofs": set(),
    "tests": set(),
    "scipy": {"sampling", "questions.canaries", "questions.hunt"},
    "sklearn": {"sampling"},
    "dp_accounting": {"questions.account"},
}
"""Where a library may be imported at all; what is not listed is free."""

TYPES_ONLY = {("api", "matplotlib"), ("cli", "matplotlib"), ("gate", "matplotlib")}
"""Imports allowed for annotations alone."""


def modules() -> list[Path]:
    found = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
    assert len(found) > 100
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def walked(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a tree: a walk takes longer than all that is asked of its nodes."""
    return tuple(ast.walk(tree))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def folder(path: Path) -> str:
    """Return the folder of a file within the package, as ``questions.hunt``."""
    return ".".join(path.relative_to(PACKAGE).parent.parts)


@cache
def modules_by_name() -> dict[str, Path]:
    """Return every module of the package, packages and ``dpaudit`` itself too."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def names_in_strings(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of the package that strings name, alone or as ``module:attribute``.

    Docstrings are for readers.  The name of a group of entry points is none of the room that is
    called the same.
    """
    docstrings = {id(node.value) for node in walked(tree) if isinstance(node, ast.Expr)}
    groups = GROUPS if mentions(tree, {"entry_points"}) else set()
    for node in walked(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        name = node.value.partition(":")[0].strip()
        if id(node) in docstrings or name in groups or not re.fullmatch(r"dpaudit(\.\w+)+", name):
            continue
        while name not in modules_by_name():
            name = name.rpartition(".")[0]
        if name != "dpaudit":
            yield name


@cache
def strings_of(path: Path) -> tuple[str, ...]:
    """Return :func:`names_in_strings` of a file."""
    return tuple(names_in_strings(tree_of(path)))


def mentions(tree: ast.Module, names: set[str]) -> bool:
    """Tell whether code has any of these names, as a name, an attribute or an import."""
    return any(
        (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in names)
        or (isinstance(node, ast.alias) and node.name in names)
        for node in walked(tree)
    )


def names_in_parts(tree: ast.Module) -> Iterator[str]:
    """Yield what may put the name of a module together, in code that loads modules by name."""
    if not mentions(tree, LOADERS):
        return
    for node in walked(tree):
        match node:
            case ast.JoinedStr(values=[first, *_]):
                begins = first.value if isinstance(first, ast.FormattedValue) else first
            case ast.BinOp(left=begins, op=ast.Add() | ast.Mod()):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Constant() as begins, attr="format")):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value="."), attr="join"),
                args=[ast.List(elts=[begins, *_]) | ast.Tuple(elts=[begins, *_])],
            ):
                pass
            case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                begins = ast.Constant("dpaudit" if len(node.args) + len(node.keywords) > 1 else "")
            case _:
                continue
        text = ast.unparse(begins)
        if text in ("__name__", "__package__") or re.match(r"'dpaudit(\.|'$)", text):
            yield ast.unparse(node)


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Return every imported module, and whether the import is for annotations alone."""

    def visit(node: ast.AST, types_only: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):  # no statement is in one
                continue
            inside = types_only or (
                isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            )
            if isinstance(child, ast.Import):
                yield from ((name.name, inside) for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: relative import"
                yield str(child.module), inside
            yield from visit(child, inside)

    return tuple(visit(tree_of(path), False))


def every_import() -> Iterator[tuple[Path, str, bool]]:
    """Yield every import of every file, and whether it is for annotations alone."""
    for path in modules():
        for name, types_only in imports(path):
            yield path, name, types_only


def test_imports_point_downwards() -> None:
    for path, name, types_only in every_import():
        if name.startswith("dpaudit.") and not (
            types_only and (path.name, name) in NAMED_FROM_ABOVE
        ):
            here, there = room(path), name.split(".")[1]
            assert ROOMS.index(there) <= ROOMS.index(here), f"{path} imports {name}"
            assert there in ALONE.get(here, ROOMS), f"{path} imports {name}"


def test_names_in_strings_point_downwards_but_in_tables_of_entry_points() -> None:
    higher = set()
    for module, path in modules_by_name().items():
        for name in strings_of(path) if module != "dpaudit" else ():
            here, there = room(path), name.split(".")[1]
            if ROOMS.index(there) > ROOMS.index(here):
                higher.add((module, there))
            else:
                assert there in ALONE.get(here, ROOMS), f"{path} names {name}"
    assert higher == set(ENTRY_POINTS)


def test_modules_are_named_in_full() -> None:
    """A name that is put together where it is loaded cannot be read from the code."""
    found = {
        module: parts
        for module, path in modules_by_name().items()
        if (parts := list(names_in_parts(tree_of(path))))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('import_module("dpaudit.cli.main")', ["dpaudit.cli.main"]),
        ('TABLE = {"run": "dpaudit.cli.main:run"}', ["dpaudit.cli.main"]),
        ('TABLE = [("x", "dpaudit.cli." "main.run")]', ["dpaudit.cli.main"]),
        ('sys.modules.get("dpaudit.numbers")', ["dpaudit.numbers"]),
        ('"dpaudit.claims"', []),
        ('GROUP = "dpaudit.claims"', ["dpaudit.claims"]),
        ('entry_points(group="dpaudit.claims")', []),
        ('open("dpaudit.toml"); schema = "dpaudit.audit/1"; "dpaudit.check(n=3)"', []),
        ('def f():\n    """dpaudit.cli.main"""', []),
    ],
)
def test_a_module_in_a_string_is_seen(code: str, names: list[str]) -> None:
    assert list(names_in_strings(ast.parse(code))) == names


@pytest.mark.parametrize(
    "argument",
    [
        'f"dpaudit.{name}"',
        'f"{__name__}.{name}"',
        '"dpaudit." + name',
        '"dpaudit.%s" % name',
        '"dpaudit.{}".format(name)',
        '".".join(("dpaudit", name))',
        'f".{name}", __package__',
        '".main", package="dpaudit.cli"',
    ],
)
def test_a_name_in_parts_is_seen(argument: str) -> None:
    assert list(names_in_parts(ast.parse(f"import_module({argument})")))
    assert not list(names_in_parts(ast.parse("import_module(name); f'{name}: dpaudit.{name}'")))


RECORDED = """
import importlib, json, sys
loaded, load = set(), importlib.import_module
def recorded(name, package=None):
    loaded.add(name)
    return load(name, package)
importlib.import_module = recorded
import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.mechanisms.loading import find_mechanism
with open("coin.py", "w") as file:
    file.write("def coin(bit): return bit")
find_mechanism("call coin.py:coin")
dpaudit.real("1/2")
assert invoke(["check", "EHDS", "--n", "3", "--output", "report.txt"]) == 0
assert invoke(["check", "RR", "--output", "report.txt"]) == 0
dpaudit.check("EHDS", n=3).plot("drawn.pdf")
print(json.dumps(sorted(name for name in loaded if name.startswith("dpaudit."))))
"""


def rows_of_the_table() -> set[str]:
    """Return the files that hold the rows of the table of questions, which lists their folder."""
    return {
        f"dpaudit.questions.{path.parent.name}.question"
        for path in PACKAGE.glob("questions/*/question.py")
    }


def rows_of_classics() -> set[str]:
    """Return the files whose rows the table of mechanisms reads from their folder."""
    return {
        f"dpaudit.mechanisms.classics.{path.stem}"
        for path in PACKAGE.glob("mechanisms/classics/*.py")
        if "\nROW = (" in path.read_text()
    }


def test_what_is_loaded_by_name_is_named_in_a_string(tmp_path: Path) -> None:
    """The reading of the code above misses no table that a run uses."""
    command = [sys.executable, "-c", RECORDED]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert loaded >= {
        "dpaudit.questions.check.command",
        "dpaudit.mechanisms.classics.randomised_response",
        "dpaudit.notes.hellinger_exponential",
        "dpaudit.numbers.real",
        "dpaudit.programs.callables",
        "dpaudit.questions.check.figure",
    }
    paths = modules_by_name().values()
    named = {name for path in paths for name in strings_of(path)}
    assert loaded <= named | rows_of_the_table() | rows_of_classics()


def test_groups_of_entry_points_lead_out_of_the_package() -> None:
    """Else a room could load a higher one through the metadata of the package."""
    project: dict[str, Any] = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    entry_points = project["project"]["entry-points"]
    assert {group for group in entry_points if group.startswith("dpaudit")} <= GROUPS
    targets = [target for group in GROUPS for target in entry_points.get(group, {}).values()]
    assert targets
    assert [one for one in targets if re.match(r"dpaudit\b", one)] == []


def test_only_sources_lie_among_the_sources() -> None:
    """What a compiler leaves names the folders of the machine it ran on."""
    folders = (PACKAGE, PACKAGE.parent / "proofs")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in files if path.parent.name != "__pycache__"]
    assert {path.suffix for path in kept} == {".py", ".v", ".json", ".md", ".toml", ".typed"}


def test_every_folder_with_modules_is_a_package() -> None:
    """One without ``__init__.py`` is left out of what is installed."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_nothing_imports_what_serves_the_notes_alone() -> None:
    rooms = {
        room(path) for path, name, _ in every_import() if f"{name}.".startswith("dpaudit.notes.")
    }
    assert rooms == {"notes"}


def test_a_recheck_loads_nothing_that_an_audit_computes_with() -> None:
    program = "import sys, dpaudit.recheck.verify; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    rooms = {name.split(".")[1] for name in loaded if name.startswith("dpaudit.")}
    assert rooms == {*ALONE["recheck"], "questions"}
    of_questions = {name for name in loaded if name.startswith("dpaudit.questions.")}
    assert {name for name in of_questions if name.count(".") > 2} == rows_of_the_table()
    assert "mpmath" in loaded
    assert not {"flint", "numpy", "sympy"} & set(loaded)


def arrows() -> dict[str, set[str]]:
    """Return, for every module of the package, the modules that its file names.

    An import inside a function counts, one for annotations alone, and a name in a string: either
    way a reader of one file needs the other.
    """
    named = modules_by_name()
    graph: dict[str, set[str]] = {}
    for module, path in named.items():
        found = set(strings_of(path))
        for node in walked(tree_of(path)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {one if one in named else str(node.module) for one in inside}
        graph[module] = found & named.keys() - {module}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of nodes that can reach each other, each with more than one node."""
    reached: dict[str, set[str]] = {}
    for start, following in graph.items():
        seen: set[str] = set()
        waiting = list(following)
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += graph[one]
        reached[start] = seen
    found = {
        frozenset(other for other in seen if start in reached[other])
        for start, seen in reached.items()
        if start in seen
    }
    return sorted(sorted(circle) for circle in found)


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [["b", "c"]]


def test_no_circle_between_files() -> None:
    graph = arrows()
    assert sum(map(len, graph.values())) > len(graph)
    assert circles(graph) == []


def test_libraries_stay_in_their_rooms() -> None:
    for path, name, types_only in every_import():
        here, library = room(path), name.split(".")[0]
        if library in HOMES and not (types_only and (here, library) in TYPES_ONLY):
            assert HOMES[library] & {here, folder(path)}, f"{path} imports {library}"


def test_no_file_is_longer_than_a_reader_takes_in() -> None:
    longest = {path.name: path.read_text().count("\n") for path in modules()}
    assert [name for name, lines in longest.items() if lines > 500] == []


def test_imports_are_a_small_part_of_the_code() -> None:
    """A room of many small files, and lists of names over many lines, pay for their imports."""
    lines = sum(path.read_text().count("\n") for path in modules())
    statements = (
        node
        for path in modules()
        for node in walked(tree_of(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    share = sum(1 + (node.end_lineno or 0) - node.lineno for node in statements) / lines
    assert 0.01 < share < 0.07


def test_every_module_declares_what_it_exports() -> None:
    for path in modules():
        if path.name not in ("__init__.py", "__main__.py"):
            check_exports(path)


def check_exports(path: Path) -> None:
    tree = tree_of(path)
    exports = next(
        (
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ),
        None,
    )
    assert exports, f"{path} has no __all__"
    defined = {
        name
        for node in walked(tree)
        for name in (
            [node.name]
            if isinstance(node, ast.ClassDef | ast.FunctionDef)
            else [ast.unparse(one) for one in node.targets[0].elts]
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
            else [ast.unparse(target) for target in node.targets]
            if isinstance(node, ast.Assign)
            else [ast.unparse(node.target)]
            if isinstance(node, ast.AnnAssign)
            else [alias.asname or alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert set(exports) <= defined, path


def test_only_the_ball_module_compares_balls() -> None:
    """``x < y`` on balls hides doubt; outside ``numbers`` no module even has the type to do it on.

    The comparison operators are allowed on other types, so the check is that no module outside
    ``numbers`` uses them on a name it has annotated as a ball.
    """
    for path in modules():
        if room(path) == "numbers":
            continue
        tree = tree_of(path)
        balls = {
            node.arg
            for node in walked(tree)
            if isinstance(node, ast.arg)
            and node.annotation is not None
            and ast.unparse(node.annotation) == "Ball"
        }
        for node in walked(tree):
            if isinstance(node, ast.Compare):
                names = {ast.unparse(side) for side in (node.left, *node.comparators)}
                assert not names & balls, f"{path}: {ast.unparse(node)}"
