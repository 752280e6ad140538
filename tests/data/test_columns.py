"""Columns of categories from files: real data, every kind of bad file, and bounded memory."""

import csv
import io
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.data import columns
from dpaudit.data.columns import Column, read_column
from dpaudit.data.values import ordered
from dpaudit.errors import DataError
from dpaudit.notices import BlanksWarning

PENGUINS = Path(__file__).parent / "files" / "penguins.csv"


def write(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def counts(column: Column) -> dict[str, int]:
    return dict(zip(column.categories, column.counts, strict=True))


def refusal(path: Path, name: str | None = "c", **options: object) -> str:
    with pytest.raises(DataError) as caught:
        read_column(path, name, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 1000
    return message.removeprefix(f"{path}: ")


def test_penguins() -> None:
    """The published counts (Gorman et al. 2014), and those of the lines of the file."""
    species = read_column(PENGUINS, "species")
    assert counts(species) == {"Adelie": 152, "Chinstrap": 68, "Gentoo": 124}
    lines = [line.split(",") for line in PENGUINS.read_text().splitlines()[1:]]
    for place, name in enumerate(("species", "island", "sex")):
        expected = Counter(line[place] for line in lines)
        lost = expected.pop("NA", 0) + expected.pop("", 0)
        column = read_column(PENGUINS, name, missing="drop")
        assert counts(column) == expected
        assert (column.n, column.missing, column.dropped) == (344 - lost, lost, lost)
    assert refusal(PENGUINS, "sex") == (
        "11 of 344 values of column 'sex' are missing (11 NA; what counts as missing: blank, NA, "
        "N/A, NaN, null, in any case); give --missing drop to leave them out, or --missing "
        "category to make them one category"
    )
    kept = read_column(PENGUINS, "sex", missing="category")
    assert counts(kept) == {"(missing)": 11, "female": 165, "male": 168}
    assert kept.categories[-1] == "(missing)"


def test_the_order_of_categories() -> None:
    order = ["Gentoo", "King", "Chinstrap", "Adelie"]
    column = read_column(PENGUINS, "species", categories=order)
    assert (column.categories, column.counts) == (tuple(order), (124, 0, 68, 152))


def test_whole_numbers_are_in_the_order_of_numbers(tmp_path: Path) -> None:
    assert read_column(write(tmp_path, "c\n10\n9\n-1\n"), "c").categories == ("-1", "9", "10")
    assert read_column(write(tmp_path, "c\n10\n9\nx\n"), "c").categories == ("10", "9", "x")


def test_missing_values_move_no_other_category(tmp_path: Path) -> None:
    """Numbers stay in the order of numbers; as text 10 came before 9."""
    path = write(tmp_path, "c\n10\n9\nNA\n")
    for how, last in (("drop", ()), ("category", ("(missing)",))):
        assert read_column(path, "c", missing=how).categories == ("9", "10", *last)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["NAN", "Nan", "na", "n/A", "Null", " nUll "])
def test_words_for_missing_are_so_in_any_case(word: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"c\nx\n{word}\ny\n")
    assert "what counts as missing: blank, NA, N/A, NaN, null, in any case" in refusal(path)
    assert read_column(path, "c", missing="drop").counts == (1, 1)
    kept = read_column(path, "c", categories=["x", word.strip(), "y"])
    assert (kept.counts, kept.missing) == ((1, 1, 1), 0)


def test_empty_lines_at_the_end_of_one_column_are_missing_values(tmp_path: Path) -> None:
    path = write(tmp_path, "c\nx\ny\n\n\n")
    assert refusal(path).startswith("2 of 4 values of column 'c' are missing (2 blank;")
    assert read_column(path, "c", missing="drop").dropped == 2
    assert counts(read_column(write(tmp_path, "c,d\nx,1\ny,2\n\n\n"), "c")) == {"x": 1, "y": 1}


def test_missing_values_among_named_categories(tmp_path: Path) -> None:
    path = write(tmp_path, "c\nx\nNA\ny\n")
    told = refusal(path, missing="category", categories=["x", "y"])
    assert "--missing category adds the category (missing)" in told
    named = read_column(path, "c", missing="category", categories=["x", "(missing)", "y"])
    assert named.counts == (1, 1, 1)


def test_quoted_fields_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = 'id,c\r\n1,"a,b"\r\n2,"x ""y"""\r\n3,"two\nlines"\r\n4, a,b\r\n'.replace(" a,b", '"a,b"')
    path = write(tmp_path, b"\xef\xbb\xbf" + text.encode())
    assert counts(read_column(path, "c")) == {"a,b": 2, 'x "y"': 1, "two\nlines": 1}
    tabs = write(tmp_path, "id\tc\n1\ta,b\n2\tb\n", "data.tsv")
    assert counts(read_column(tabs, "c")) == {"a,b": 1, "b": 1}
    only = write(tmp_path, "c\nyes\n no \nyes")
    assert counts(read_column(only, None)) == {"no": 1, "yes": 2}


@pytest.mark.filterwarnings("ignore::dpaudit.notices.BlanksWarning")
@given(st.lists(st.lists(st.text("ab ,\"\n'é;", max_size=4), min_size=2, max_size=2), min_size=1))
def test_what_csv_writes_is_counted(rows: list[list[str]]) -> None:
    expected = Counter(row[1].strip() or "(missing)" for row in rows)
    stream = io.StringIO()
    csv.writer(stream).writerows([["a", "c"], *rows])
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), stream.getvalue())
        if len(expected) == 1:
            with pytest.raises(DataError):
                read_column(path, "c", missing="category")
            return
        assert counts(read_column(path, "c", missing="category")) == expected


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        ("\n\n", "the file has no header and no rows"),
        ("c\n", "there is a header, but no rows"),
        ("c,d\n\n\n", "there is a header, but no rows"),
        ("a,d\n1,2\n", "there is no column 'c'; known: a, d"),
        ("a,C\n1,2\n", "there is no column 'c'; did you mean C?"),
        ("c,c\n1,2\n", "2 columns are called 'c'"),
        ("a;c\n1;2\n", "its columns seem to be separated by ';'"),
        ("a\tc\n1\t2\n", "its columns seem to be separated by '\\t'"),
        ("c\nx\nx\n", "column 'c' has one category only ('x', 2 times)"),
        ("a,c\n1,x\n2\n", "line 3 has 1 field, the header 2"),
        ("a,c\n1,x\n2,y,z\n", "line 3 has 3 fields, the header 2"),
        ('a,c\n1,"x\n2,y\n', "is not CSV"),
        ('a,c\n1,"x"y\n2,y\n', "line 2 is not CSV"),
        ("c\nx\n\ny\n", "1 of 3 values of column 'c' are missing (1 blank;"),
        ("a,c\n1,\n2,y\n3,  \n4,NA\n", "3 of 4 values of column 'c' are missing (2 blank, 1 NA;"),
        (b"c\nx\n\x00\x01\n", "line 3 holds a zero byte"),
        (b"\x7fELF\x00\x00", "line 1 holds a zero byte"),
        (b"c\nx\ncaf\xe9\n", "byte 0xe9 is not UTF-8"),
        ("c\nx\n".encode("utf-16"), "it is UTF-16 text"),
        (b"PK\x03\x04....", "a zip archive or a spreadsheet"),
        (b"\x1f\x8b....", "compressed"),
        (b"PAR1....", "a Parquet file: name it .parquet"),
        ("c\n" + "x" * (1 << 20) + "\n", "line 2 has 1048576 characters or more"),
        ("c\n" + "x" * 200_000 + "\n", "is not CSV: field larger than field limit"),
        ("c\n" + "\n".join(map(str, range(2000))), "more than 256 different values in its first"),
        ("c\n" + "\n".join(map(str, range(260))), "has more than 256 different values"),
    ],
)
def test_bad_files_get_one_line(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    assert complaint in refusal(write(tmp_path, content))


def test_files_that_are_none(tmp_path: Path) -> None:
    assert refusal(tmp_path / "absent.csv") == "No such file or directory"
    assert "it is a folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe")
    assert "which column? it has: a, b" in refusal(write(tmp_path, "a,b\n1,2\n"), None)
    with pytest.raises(DataError):
        read_column(Path("a\0b"), None)


def test_missing_values_all_or_clashing(tmp_path: Path) -> None:
    assert "all 2 values" in refusal(write(tmp_path, "a,c\n1,\n2,NA\n"), missing="drop")
    clash = write(tmp_path, "a,c\n1,\n2,(missing)\n")
    assert "is a value of column 'c' already" in refusal(clash, missing="category")
    named = read_column(write(tmp_path, "c\nNA\nx\nNA\n"), "c", categories=["NA", "x"])
    assert (counts(named), named.missing) == ({"NA": 2, "x": 1}, 0)


@pytest.mark.parametrize(
    ("categories", "complaint"),
    [
        (["x"], "1 given, allowed are 2 to 256"),
        (["x", "x"], "'x' is named twice"),
        (["x", "z"], "holds 'y' (1 times), which is not one of the given categories"),
        ([str(i) for i in range(300)], "300 given"),
    ],
)
def test_categories_that_do_not_fit(tmp_path: Path, categories: list[str], complaint: str) -> None:
    assert complaint in refusal(write(tmp_path, "c\nx\ny\n"), categories=categories)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = write(tmp_path, "c\nx\ny\n")
    with path.open("r+b") as file:
        file.truncate(columns.MAX_BYTES + 1)  # a hole: it takes no space
    assert f"it has {columns.MAX_BYTES + 1} bytes, and at most" in refusal(path)


def test_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MAX_ROWS", 1000)
    assert "more than 1000 rows" in refusal(write(tmp_path, "c\n" + "x\ny\n" * 501))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of 120 MB is counted by a process that may not take half of that more."""
    path = tmp_path / "long.csv"
    line = b"some,other,columns,that,are,not,wanted,%s\n"
    block = (line % b"yes") * 1000 + (line % b"no") * 2000
    with path.open("wb") as file:
        file.write(b"a,b,c,d,e,f,g,h\n")
        for _ in range(900):
            file.write(block)
    assert path.stat().st_size > 110_000_000
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from dpaudit.data.columns import read_column\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(read_column(Path(sys.argv[1]), 'h').counts)\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert after - before < 60_000, after - before\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert (found.stdout, found.stderr) == ("(1800000, 900000)\n", "")


def parquet(folder: Path, **values: object) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.table(values), path)
    return path


def test_parquet_agrees_with_csv(tmp_path: Path) -> None:
    with PENGUINS.open() as file:
        rows = list(csv.DictReader(file))
    sexes = [None if row["sex"] == "NA" else row["sex"] for row in rows]
    path = parquet(
        tmp_path,
        species=pa.array([row["species"] for row in rows]).dictionary_encode(),
        sex=sexes,
    )
    assert counts(read_column(path, "species")) == counts(read_column(PENGUINS, "species"))
    dropped = read_column(path, "sex", missing="drop")
    assert (counts(dropped), dropped.dropped) == ({"female": 165, "male": 168}, 11)
    assert "11 of 344 values" in refusal(path, "sex")
    codes = parquet(tmp_path, c=[3, 10, 3], b=[True, False, True])
    assert counts(read_column(codes, "c")) == {"3": 2, "10": 1}
    assert counts(read_column(codes, "b")) == {"False": 1, "True": 2}


def test_bad_parquet(tmp_path: Path) -> None:
    assert "did you mean cc?" in refusal(parquet(tmp_path, cc=["x", "y"]))
    floats = parquet(tmp_path, c=[0.5, 1.5])
    assert "holds double values; categories are text" in refusal(floats)
    assert "holds list<" in refusal(parquet(tmp_path, c=[["x"], ["y"]]))
    assert "is a header, but no rows" in refusal(parquet(tmp_path, c=pa.array([], pa.string())))
    whole = parquet(tmp_path, c=["x", "y"] * 5000).read_bytes()
    assert "not a Parquet file" in refusal(write(tmp_path, whole[:-9], "cut.parquet"))
    assert "not a Parquet file" in refusal(write(tmp_path, "c\nx\n", "text.parquet"))


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path, c=["x", "y"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install pyarrow" in refusal(path)


def test_values_that_differ_in_blanks_are_one_category_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("smokes\nyes\nyes \nno\n yes\n")
    with pytest.warns(BlanksWarning, match="has 'yes' with different blanks around it; all 3 are"):
        column = read_column(path, None)
    assert dict(zip(column.categories, column.counts, strict=True)) == {"no": 1, "yes": 3}
    path.write_text("person, smokes\n1, yes\n2, no\n3, yes\n")  # the same everywhere: no notice
    assert read_column(path, "smokes").counts == (1, 2)


def test_a_column_of_parquet_is_its_exact_name(tmp_path: Path) -> None:
    """A name with dots is no path into a struct that stands before it."""
    structs = [{"c": "p"}, {"c": "q"}, {"c": "q"}]
    path = tmp_path / "data.parquet"
    for titles in (["s", "s.c"], ["s.c", "s"], ["s", "s.c", "s.c.d"]):
        values = [structs if title == "s" else ["a", "a", "b"] for title in titles]
        pq.write_table(pa.table(dict(zip(titles, values, strict=True))), path)
        assert counts(read_column(path, "s.c")) == {"a": 2, "b": 1}
    lists = {"l": [["x"], ["y"], ["y"]], "l.list.element": ["a", "a", "b"]}
    pq.write_table(pa.table(lists), path)
    assert counts(read_column(path, "l.list.element")) == {"a": 2, "b": 1}
    for name in ("a.b", "", " c ", "('x', 'y')"):
        pq.write_table(pa.table({name: ["a", "a", "b"]}), path)
        assert counts(read_column(path, name)) == {"a": 2, "b": 1}
        assert counts(read_column(path, None)) == {"a": 2, "b": 1}


def test_the_field_of_a_struct_is_no_column(tmp_path: Path) -> None:
    path = parquet(tmp_path, s=[{"c": "p"}, {"c": "q"}], t=["a", "b"])
    assert refusal(path, "s.c") == (
        "there is no column 's.c': column 's' holds struct<c: string> values, and their fields "
        "are not read; write the field as a column of its own"
    )
    assert "column 's' holds struct<c: string> values" in refusal(path, "s")


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """In every kind of file, as frames with several levels of columns are often written."""
    assert refusal(write(tmp_path, "c,c\nx,y\n")) == "2 columns are called 'c'"
    assert refusal(write(tmp_path, "c, c\nx,y\n")) == "2 columns are called 'c'"
    table = pa.table([pa.array(["x", "y"]), pa.array(["y", "z"])], names=["c", "c"])
    pq.write_table(table, tmp_path / "twice.parquet")
    assert refusal(tmp_path / "twice.parquet") == "2 columns are called 'c'"


def test_a_header_in_the_middle_is_no_category(tmp_path: Path) -> None:
    """Files that were put one after the other."""
    two = write(tmp_path, "c,d\nx,1\ny,2\nc,d\nx,1\n")
    assert refusal(two).startswith("line 4 is the header once more")
    one = write(tmp_path, "c\nx\ny\nc\nx\n")
    assert refusal(one).endswith("Keep the first header only, or name 'c' in --categories")
    assert counts(read_column(one, "c", categories=["x", "y", "c"])) == {"x": 2, "y": 1, "c": 1}
    assert counts(read_column(write(tmp_path, "c,d\nx,1\nc,2\n"), "c")) == {"c": 1, "x": 1}


def test_arrow_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    table = pa.table({"c": ["x", "y"]})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    assert refusal(path) == "it is an Arrow file (Feather); write the table as Parquet or CSV"


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("+-1", "column 'c' holds '+-1', which is not a whole number"),
        ("--1", "column 'c' holds '--1', which is not a whole number"),
        ("9" * 4301, "column 'c' holds '99999999999999999999'…, a whole number of 4301 digits"),
        ("-" + "9" * 641, "a whole number of 641 digits; at most 640 are allowed"),
    ],
)
def test_values_that_are_nearly_whole_numbers(tmp_path: Path, value: str, complaint: str) -> None:
    assert complaint in refusal(write(tmp_path, f"c\n1\n{value}\n2\n"))
    assert complaint in refusal(parquet(tmp_path, c=["1", value, "2"]))
    named = read_column(write(tmp_path, f"c\n1\n{value}\n"), "c", categories=["1", value])
    assert named.counts == (1, 1)
    assert counts(read_column(write(tmp_path, f"c\nx\n{value}\n"), "c")) == {"x": 1, value: 1}


@given(st.lists(st.text("+-0123456789", min_size=1, max_size=5), min_size=2, unique=True))
def test_texts_of_signs_and_digits_are_read_or_refused(values: list[str]) -> None:
    signs = re.compile(r"[+-]{2,}[0-9]+")
    if all(re.fullmatch(r"[+-]*[0-9]+", value) for value in values) and any(
        map(signs.fullmatch, values)
    ):
        with pytest.raises(ValueError, match="which is not a whole number"):
            ordered(values, "")
    else:
        assert sorted(ordered(values, "")) == sorted(values)
