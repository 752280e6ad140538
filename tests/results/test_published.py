"""The published JSON Schemas are those of the types; ``python tests/results/test_published.py``
writes them anew.
"""

import json
from pathlib import Path

import pytest

import dpaudit.results
from dpaudit.gate.config import GateConfig
from dpaudit.recheck.findings import VerificationDocument
from dpaudit.results.documents import OTHERS, documents, json_schema, published, schema_text

FOLDER = Path(dpaudit.results.__file__).parent / "schemas"
KINDS = {**documents(), **dict(zip(OTHERS, (GateConfig, VerificationDocument), strict=True))}


def text_of(name: str) -> bytes:
    """Return the schema of a type as it is written."""
    return schema_text(KINDS[name])


def file_of(name: str) -> Path:
    stem, _, _ = name.removeprefix("dpaudit.").partition("/")
    return FOLDER / f"{stem}.json"


@pytest.mark.parametrize("name", KINDS)
def test_the_published_schema_is_that_of_the_type(name: str) -> None:
    """As objects: releases of msgspec order the keys of an object as they like."""
    document = json.loads(published(name))
    assert document == json.loads(text_of(name)), "it has changed; see the head of this file"


def test_a_document_has_one_version() -> None:
    assert len({file_of(name) for name in KINDS}) == len(KINDS)


def test_nothing_else_is_published() -> None:
    assert {file_of(name) for name in KINDS} == set(FOLDER.iterdir())


def test_a_change_of_a_type_is_seen() -> None:
    assert json.loads(published("dpaudit.audit/1")) != json_schema(documents()["dpaudit.notion/1"])
    changed = json.loads(published("dpaudit.hunt/1"))
    changed["$defs"]["HuntReport"]["properties"].pop("seed")
    assert json.dumps(changed, indent=2).encode() != text_of("dpaudit.hunt/1")


if __name__ == "__main__":
    for path in {*FOLDER.iterdir()} - {file_of(name) for name in KINDS}:
        path.unlink()
    for name in KINDS:
        file_of(name).write_bytes(text_of(name))
