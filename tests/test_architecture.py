"""Data flows one way: imports only ever point towards exact numbers, and libraries stay home."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "dpaudit"

ROOMS = [
    "version",
    "subjects",
    "fingerprint",
    "errors",
    "notices",
    "worded",
    "closed",
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
    "notions",
    "accuracy",
    "calibration",
    "intervals",
    "search",
    "claims",
    "report",
    "kernel",
    "api",
    "accounting",
    "gate",
    "testing",
    "cli",
    "notes",
    "__main__",
    "pytest_plugin",
]
"""From the bottom up: a room may import itself and the rooms before it."""

ALONE = {
    "recheck": {
        "version",
        "subjects",
        "errors",
        "worded",
        "closed",
        "results",
        "machine",
        "recheck",
    }
}
"""Rooms that may import these alone: a second look shares nothing with what it looks at."""

NAMED_FROM_ABOVE = {("values.py", "dpaudit.numbers.closed_form")}
"""What a lower room names for type checkers alone: a number in closed form has a base class there,
and whoever computes with results computes with ``Real``."""

HOMES = {
    "flint": {"numbers", "recheck"},
    "matplotlib": {"report"},
    "rich": {"cli", "report"},
    "click": {"cli", "notes"},
    "msgspec": {
        "accounting",
        "audit",
        "cli",
        "numbers",
        "gate",
        "intervals",
        "recheck",
        "report",
        "results",
    },
    "numpy": {
        "accounting",
        "accuracy",
        "audit",
        "data",
        "numbers",
        "search",
        "laws",
        "screens",
        "mechanisms",
        "notes",
        "programs",
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
    "scipy": {"sampling", "search"},
    "sklearn": {"sampling"},
    "dp_accounting": {"accounting"},
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


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Return every imported module, and whether the import is for annotations alone."""

    def visit(node: ast.AST, types_only: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
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


def test_only_sources_lie_among_the_sources() -> None:
    """What a compiler leaves names the folders of the machine it ran on."""
    folders = (PACKAGE, PACKAGE.parent / "proofs")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in files if path.parent.name != "__pycache__"]
    assert {path.suffix for path in kept} == {".py", ".v", ".json", ".md", ".typed"}


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
    assert rooms == ALONE["recheck"]
    assert "mpmath" in loaded
    assert not {"flint", "numpy", "sympy"} & set(loaded)


def file_imports() -> dict[str, set[str]]:
    """Return, for every module of the package, the modules that its file names in an import.

    An import inside a function counts, and one for annotations alone: either way a reader of one
    file needs the other.
    """
    named = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in PACKAGE.rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for module, path in named.items():
        found: set[str] = set()
        for node in ast.walk(tree_of(path)):
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


def test_no_circle_of_imports_between_files() -> None:
    graph = file_imports()
    assert sum(map(len, graph.values())) > len(graph)
    assert circles(graph) == []


def test_libraries_stay_in_their_rooms() -> None:
    for path, name, types_only in every_import():
        here, library = room(path), name.split(".")[0]
        if library in HOMES and not (types_only and (here, library) in TYPES_ONLY):
            assert here in HOMES[library], f"{path} imports {library}"


def test_no_file_is_longer_than_a_reader_takes_in() -> None:
    longest = {path.name: path.read_text().count("\n") for path in modules()}
    assert [name for name, lines in longest.items() if lines > 500] == []


def test_imports_are_a_small_part_of_the_code() -> None:
    """A room of many small files, and lists of names over many lines, pay for their imports."""
    lines = sum(path.read_text().count("\n") for path in modules())
    statements = (
        node
        for path in modules()
        for node in ast.walk(tree_of(path))
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
        for node in ast.walk(tree)
        for name in (
            [node.name]
            if isinstance(node, ast.ClassDef | ast.FunctionDef)
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
            for node in ast.walk(tree)
            if isinstance(node, ast.arg)
            and node.annotation is not None
            and ast.unparse(node.annotation) == "Ball"
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                names = {ast.unparse(side) for side in (node.left, *node.comparators)}
                assert not names & balls, f"{path}: {ast.unparse(node)}"
