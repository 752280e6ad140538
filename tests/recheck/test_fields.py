"""What a report is read as: every field is looked at or named as taken, every number has limits."""

import ast
from pathlib import Path
from typing import Any, get_origin

import msgspec

from dpaudit.recheck.verify import RECHECKED, verify


def structs(kind: Any) -> dict[str, msgspec.inspect.StructType]:
    """Every struct that reports of a kind are read into, by name."""
    found: dict[str, msgspec.inspect.StructType] = {}

    def visit(part: Any) -> None:
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls.__name__ in found:
                return
            found[part.cls.__name__] = part
            for field in part.fields:
                visit(field.type)
        for name in ("types", "item_types"):
            for inner in getattr(part, name, ()):
                visit(inner)
        for name in ("item_type", "key_type", "value_type"):
            if getattr(part, name, None) is not None:
                visit(getattr(part, name))

    visit(msgspec.inspect.type_info(kind))
    return found


READ = {name: part for kind in RECHECKED.values() for name, part in structs(kind.result).items()}
NOT_LOOKED_AT = {
    *("file", "column", "missing", "dropped"),  # of a file of data
    *("line", "location", "message", "commit"),  # in words
    *("audits", "beyond", "tried", "exceeding", "up_to"),  # of what was tried
    *("seed", "evaluations", "time_cap", "scale", "stopped", "replay"),  # of a search
    *(
        "method",
        "width",
        "relative",
        "unmet",
        "interrupted",
    ),  # of a certified account: how it was computed
    *("parameter", "failing", "failing_delta", "failing_verdict"),  # of a plan for a budget
    *("path", "discretisation"),
    "sized",  # how sizes are shown
    *("agreeing", "sources", "source", "remarks"),  # of a training's file: what was read of it
    *("batches", "sampling", "most"),  # of bounds that are not computed a second time
    *("compared", "change", "new", "file_sha256"),  # of a baseline: the changes that are listed
    "no_law",  # why a function was drawn from
    *("words", "binned", "reproducible"),  # of what was drawn
    "fingerprint",
}
"""Fields that a recheck takes from the report unseen, all of them named by it in words."""


def test_every_field_of_a_report_is_looked_at_or_named_as_taken() -> None:
    """A field that the reports gain has to be rechecked, or be named as taken from the report."""
    folder = Path(verify.__code__.co_filename).parent
    trees = [ast.parse(path.read_text()) for path in folder.glob("*.py")]
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, (ast.Attribute, ast.Constant))
    }
    fields = {field.name for part in READ.values() for field in part.fields}
    assert len(fields) > 60
    assert fields - used <= NOT_LOOKED_AT


def test_no_report_may_have_a_field_that_is_unknown_or_a_number_without_limits() -> None:
    for name, part in READ.items():
        plain: Any = get_origin(part.cls) or part.cls
        assert plain.__struct_config__.forbid_unknown_fields, name
        for field in part.fields:
            numbers = [field.type, *getattr(field.type, "types", ())]
            numbers += [getattr(field.type, "item_type", None)]
            for number in numbers:
                if isinstance(number, msgspec.inspect.IntType):
                    assert number.ge is not None, f"{name}.{field.name}"
