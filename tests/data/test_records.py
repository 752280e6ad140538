"""Inputs from files: lists in JSON, and tables with each row left out in turn."""

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpaudit.data.neighbouring import by_name
from dpaudit.data.records import read_file
from dpaudit.errors import DataError
from dpaudit.mechanisms.user_laws import thawed
from dpaudit.programs.callables import inputs_of

TABLE = "name,age,score\nann,40,1.5\nbob,7,\nann,40,1.5\n"
RECORDS = [
    {"name": "ann", "age": 40, "score": 1.5},
    {"name": "bob", "age": 7, "score": None},
    {"name": "ann", "age": 40, "score": 1.5},
]


def datasets(folder: Path, name: str, content: bytes) -> tuple[list[Any], str | None]:
    (folder / name).write_bytes(content)
    found = read_file(name, folder)
    assert found is not None
    return json.loads(found.text), found.relation


def test_a_table_and_what_is_left_of_it_without_each_row(tmp_path: Path) -> None:
    found, relation = datasets(tmp_path, "people.csv", TABLE.encode())
    # Without the first row and without the last is not the same: their order differs.
    assert found == [RECORDS, RECORDS[1:], [RECORDS[0], RECORDS[2]], RECORDS[:2]]
    near = by_name(str(relation))
    assert near is not None
    listed = inputs_of("people.csv", None, tmp_path)
    first, *others = listed.datasets
    assert all(near.adjacent(first, other) for other in others)
    assert list(map(thawed, listed.datasets)) == found
    assert listed.neighbours == relation


def test_rows_of_parquet_are_those_of_the_table(tmp_path: Path) -> None:
    columns = {name: [row[name] for row in RECORDS] for name in RECORDS[0]}
    columns["score"][1] = math.nan
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    found = read_file("people.parquet", tmp_path)
    (tmp_path / "people.csv").write_text(TABLE)
    assert found == read_file("people.csv", tmp_path)


def test_equal_rows_leave_one_input(tmp_path: Path) -> None:
    found, _ = datasets(tmp_path, "same.csv", b"a\n1\n1\n1\n")
    assert found == [[{"a": 1}] * 3, [{"a": 1}] * 2]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("1,-2", [1, -2]),
        ("1,2.5", [1.0, 2.5]),
        ("1,x", ["1", "x"]),
        ("1,", [1, None]),
        ("nan,1", ["nan", "1"]),
        ("0x1,1", ["0x1", "1"]),
        ("1_0,1", ["1_0", "1"]),
    ],
)
def test_a_column_is_of_numbers_where_all_its_cells_are(
    tmp_path: Path, column: str, values: list[Any]
) -> None:
    rows = "".join(f"{cell},.\n" for cell in column.split(","))
    found, _ = datasets(tmp_path, "one.csv", f"a,b\n{rows}".encode())
    read = [row["a"] for row in found[0]]
    assert read == values
    assert list(map(type, read)) == list(map(type, values))


def test_a_list_in_json_is_the_inputs(tmp_path: Path) -> None:
    (tmp_path / "inputs.json").write_text('[[1, null], {"a": [true]}, 0.5]')
    found = inputs_of("inputs.json", "all", tmp_path)
    assert list(map(thawed, found.datasets)) == [[1, None], {"a": [True]}, 0.5]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b'{"a": 1}', "it is not a list"),
        ("a.json", b"[NaN]", "not a list in JSON"),
        ("a.json", b"[1, 2", "not a list in JSON"),
        ("a.json", b"[" * 100_000, "not a list in JSON"),
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"a,a\n1,2\n", "2 columns are called 'a'"),
        ("a.csv", b"a,b\n1\n", "line 2 has 1 field, the header 2"),
        ("a.csv", b"a\n1e9999\n", "infinite"),
        ("a.csv", b"a\n" + b"1\n" * 2001, "2001 rows"),
        ("a.parquet", b"no", "not a Parquet file"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=said):
        read_file(name, tmp_path)


def test_a_file_that_is_not_there_is_no_word(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_file("inputs.json", tmp_path)


@pytest.mark.parametrize("text", ["0..3", "yes,no", "a.json,b.json", '["a.json"]', "('a.csv')"])
def test_other_texts_name_no_file(text: str, tmp_path: Path) -> None:
    assert read_file(text, tmp_path) is None
