"""A column of categories from a data file: how often each value occurs, and nothing else.

CSV is read a line at a time, with bounds on the file, a line and the number of categories, so that
the memory it takes does not grow with the file; Parquet a batch at a time, if pyarrow is there.
Whatever is wrong with a file is one ``DataError`` that says what and where.  Nothing is guessed:
missing values are refused until it is said what they are to be.
"""

from __future__ import annotations

import csv
import hashlib
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Literal

from dpaudit.data.files import open_regular
from dpaudit.data.values import ordered
from dpaudit.errors import DataError, nearest
from dpaudit.notices import BlanksWarning, notice
from dpaudit.results import Data

__all__ = [
    "MAX_BYTES",
    "MAX_CATEGORIES",
    "MAX_ROWS",
    "MISSING",
    "MISSING_CATEGORY",
    "MISSING_WORDS",
    "Column",
    "Missing",
    "check_file",
    "has_column",
    "is_archive",
    "is_parquet",
    "read_cells",
    "read_column",
    "read_titles",
]

MAX_BYTES = 4 << 30
"""Larger files are not read."""
MAX_ROWS = 10_000_000
"""More rows than an audit takes records are not read."""
MAX_CATEGORIES = 256
"""A column with more different values is not one of categories."""
MISSING = ("", "na", "n/a", "nan", "null")
"""Values that count as missing, in upper or lower case, surrounding blanks apart."""
MISSING_WORDS = "blank, NA, N/A, NaN, null, in any case"
"""The same for people."""
MISSING_CATEGORY = "(missing)"
"""Name of the category of missing values."""

Missing = Literal["refuse", "drop", "category"]
"""Treatment of missing values."""

_SPELLINGS = sum(2 ** sum(map(str.isalpha, word)) for word in MISSING)
_MAX_LINE = 1 << 20
_SHOWN_COLUMNS = 30
_DELIMITERS = {".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}
_ARCHIVES = {".npy", ".npz"}
_MAGIC = {
    b"PAR1": "a Parquet file: name it .parquet",
    b"ARROW1": "an Arrow file (Feather); write the table as Parquet or CSV",
    b"PK\x03\x04": "a zip archive or a spreadsheet; export it as CSV",
    b"\x1f\x8b": "compressed (gzip); unpack it",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}


@dataclass(frozen=True, slots=True)
class Column:
    """Counts of the categories of one column."""

    path: Path
    """The file."""
    name: str
    """The column."""
    categories: tuple[str, ...]
    """The categories: as given, else sorted (as numbers, if all are whole numbers), and then
    missing values, where they are a category."""
    counts: tuple[int, ...]
    """Count of each category, in their order."""
    missing: int
    """Number of missing values, whatever their treatment."""
    dropped: int
    """Number of missing values left out."""

    @property
    def n(self) -> int:
        """The number of records that count."""
        return sum(self.counts)

    @property
    def document(self) -> Data:
        """The column as results have it: the file without its folder."""
        categories, counts = list(self.categories), list(self.counts)
        return Data(
            self.path.name, self.name, self.n, categories, counts, self.missing, self.dropped
        )


def read_column(
    path: Path,
    name: str | None,
    *,
    missing: Missing = "refuse",
    categories: Sequence[str] | None = None,
) -> Column:
    """Return the counts of the column ``name`` (None: the only one) of a CSV or Parquet file.

    ``categories`` are all there are, in that order, including some that may not occur; by default
    those that occur, sorted.  Values are compared without the blanks around them, which are
    hardly ever meant; a notice says where that makes one category of several spellings.  Raises
    ``DataError``.
    """
    check_file(path)
    if categories is not None:
        _check_categories(path, categories)
    if is_parquet(path):
        from dpaudit.data.parquet import parquet_values

        name, values = parquet_values(path, name, partial(_find_column, path, name))
    else:
        name, values = _csv_values(path, name, categories or ())
    counter = _count(path, name, values)
    return _column(path, name, counter, missing, categories)


def is_parquet(path: Path) -> bool:
    """Tell by its name whether a file is read as Parquet."""
    return path.suffix.lower() in _PARQUET


def is_archive(path: Path) -> bool:
    """Tell by its name whether a file is read as arrays of NumPy."""
    return path.suffix.lower() in _ARCHIVES


def read_titles(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file, which are different; else ``DataError``."""
    check_file(path)
    titles, _ = _csv_table(path, None)
    for title in titles:
        _find_column(path, title, titles)
    return titles


def has_column(path: Path, name: str) -> bool:
    """Tell whether a CSV, Parquet or NumPy file has a column, or an array, of that name.

    Raises:
        DataError: for what is no such file.
    """
    check_file(path)
    if is_parquet(path):
        from dpaudit.data.parquet import parquet_titles

        return name in parquet_titles(path)
    if is_archive(path):
        from dpaudit.data.archives import archive_titles

        return name in archive_titles(path)
    return name in _csv_table(path, name)[0]


def read_cells(path: Path, names: Sequence[str]) -> tuple[list[list[str]], str]:
    """Return columns of a CSV, Parquet or NumPy file by name, as text, and the file's SHA-256.

    Raises:
        DataError: for what is no such file, has no such column, too many rows, or changes.
    """
    check_file(path)
    # Hashed before and after, to notice a file that is still being written.
    before = _digest(path)
    if is_parquet(path):
        from dpaudit.data.parquet import parquet_cells

        cells = parquet_cells(path, names, MAX_ROWS, partial(_find_column, path))
    elif is_archive(path):
        from dpaudit.data.archives import archive_cells

        cells = archive_cells(path, names, MAX_ROWS, partial(_find_column, path))
    else:
        cells = _csv_cells(path, names)
    if _digest(path) != before:
        raise DataError(path, "it changed while it was read")
    return cells, before


def _csv_cells(path: Path, names: Sequence[str]) -> list[list[str]]:
    titles, rows = _csv_table(path, names[0])
    places = [_find_column(path, name, titles) for name in names]
    columns: list[list[str]] = [[] for _ in names]
    for count, row in enumerate(_whole_rows(path, rows, len(titles), titles, ""), 1):
        if count > MAX_ROWS:
            raise DataError(path, f"it has more than {MAX_ROWS} rows, the most that are read")
        for cells, place in zip(columns, places, strict=True):
            cells.append(row[place] if row else "")
    return columns


def _digest(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(path, error.strerror or str(error)) from None


def check_file(path: Path) -> None:
    """Raise ``DataError`` for what is no file, an empty one, or one too large to be read."""
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise DataError(ascii(str(path)), str(error)) from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise DataError(path, f"it is {kind}; a CSV or Parquet file is needed")
    if not status.st_size:
        raise DataError(path, "the file is empty")
    if status.st_size > MAX_BYTES:
        raise DataError(
            path,
            f"it has {status.st_size} bytes, and at most {MAX_BYTES} are read; "
            "keep the one column that is needed",
        )


def _check_categories(path: Path, categories: Sequence[str]) -> None:
    twice = [category for category, count in Counter(categories).items() if count > 1]
    if twice:
        raise DataError(path, f"categories: {twice[0]!r} is named twice")
    if not 2 <= len(categories) <= MAX_CATEGORIES:
        raise DataError(
            path, f"categories: {len(categories)} given, allowed are 2 to {MAX_CATEGORIES}"
        )


def _find_column(path: Path, name: str | None, header: Sequence[str]) -> int:
    """Return the position of the column ``name`` in ``header``, or raise ``DataError``."""
    if name is None:
        if len(header) == 1:
            return 0
        raise DataError(path, f"which column? it has: {', '.join(header[:_SHOWN_COLUMNS])}")
    places = [place for place, title in enumerate(header) if title == name]
    if not places:
        raise DataError(path, f"there is no column {name!r}; {nearest(name, header)}")
    if len(places) > 1:
        raise DataError(path, f"{len(places)} columns are called {name!r}")
    return places[0]


def _csv_values(
    path: Path, name: str | None, categories: Sequence[str]
) -> tuple[str, Iterator[str]]:
    """Return the name of the column, and an iterator over its values; the file stays open."""
    titles, rows = _csv_table(path, name)
    place = _find_column(path, name, titles)
    # In a file of one column the title may be a category as well, where it is named as one.
    header_again = titles if len(titles) > 1 or titles[0] not in categories else None
    named = f", or name {titles[place]!r} in --categories" if len(titles) == 1 else ""
    whole = _whole_rows(path, rows, len(titles), header_again, named)
    return titles[place], (row[place] if row else "" for row in whole)


def _csv_table(path: Path, name: str | None) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the titles of the columns, and the rows after them with their lines."""
    delimiter = _DELIMITERS.get(path.suffix.lower(), ",")
    rows = _csv_rows(path, delimiter)
    header = next(rows, None)
    while header is not None and not header[1]:
        header = next(rows, None)
    if header is None:
        raise DataError(path, "the file has no header and no rows")
    titles = [title.strip() for title in header[1]]
    if len(titles) == 1 and name != titles[0]:
        for separator in ";\t|":
            if separator in titles[0] and separator != delimiter:
                raise DataError(
                    path,
                    f"its columns seem to be separated by {separator!r}; allowed are commas (.csv) "
                    "and tabs (.tsv)",
                )
    return titles, rows


def _whole_rows(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    width: int,
    header: list[str] | None,
    named: str,
) -> Iterator[list[str]]:
    """Iterate over the rows, each as wide as the header; ``named`` says how else it may occur."""
    for line, row in rows:
        if not row:
            if width == 1:
                yield []  # in a file of one column an empty line is a missing value, the last too
            continue
        if len(row) != width:
            raise DataError(
                path, f"line {line} has {len(row)} field{'s' * (len(row) != 1)}, the header {width}"
            )
        if [value.strip() for value in row] == header:
            raise DataError(
                path,
                f"line {line} is the header once more: are these several files, one after the "
                f"other? Keep the first header only{named}",
            )
        yield row


def _csv_rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Iterate over the rows with the number of their last line."""
    try:
        with open_regular(path) as binary:
            start = binary.read(max(map(len, _MAGIC)))
        for magic, what in _MAGIC.items():
            if start.startswith(magic):
                raise DataError(path, f"it is {what}")
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(_lines(path, file), delimiter=delimiter, strict=True)
            try:
                for row in reader:
                    yield reader.line_num, row
            except csv.Error as error:
                raise DataError(path, f"line {reader.line_num} is not CSV: {error}") from None
            except UnicodeDecodeError as error:
                raise DataError(
                    path,
                    f"line {reader.line_num + 1} or later: byte "
                    f"0x{error.object[error.start]:02x} is not UTF-8 text; save the file as UTF-8",
                ) from None
    except OSError as error:
        raise DataError(path, error.strerror or str(error)) from None


def _lines(path: Path, file: IO[str]) -> Iterator[str]:
    number = 0
    # Bounded, since a file without line breaks would be read whole.
    while line := file.readline(_MAX_LINE):
        number += 1
        if len(line) == _MAX_LINE:
            raise DataError(path, f"line {number} has {_MAX_LINE} characters or more: is it CSV?")
        if "\0" in line:
            raise DataError(path, f"line {number} holds a zero byte: it is not text")
        yield line


def _count(path: Path, name: str, values: Iterable[str]) -> Counter[str]:
    counter: Counter[str] = Counter()
    written: dict[str, str] = {}
    merged: Counter[str] = Counter()
    for row, raw in enumerate(values, 1):
        value = raw.strip()
        counter[value] += 1
        if value.casefold() not in MISSING and written.setdefault(value, raw) != raw:
            merged[value] += 1
        # Missing values in all their spellings are no categories.
        if len(counter) > MAX_CATEGORIES + _SPELLINGS:
            raise DataError(
                path,
                f"column {name!r} has more than {MAX_CATEGORIES} different values in its first "
                f"{row} rows: it is not a column of categories",
            )
        if row > MAX_ROWS:
            raise DataError(path, f"it has more than {MAX_ROWS} rows, the most that are read")
    if not counter:
        raise DataError(path, "there is a header, but no rows")
    for value in sorted(merged):
        notice(
            f"{path}: column {name!r} has {value!r} with different blanks around it; all "
            f"{counter[value]} are counted as one category",
            BlanksWarning,
        )
    return counter


def _column(
    path: Path, name: str, counter: Counter[str], missing: Missing, categories: Sequence[str] | None
) -> Column:
    named = set(categories or ())
    blanks = {
        value: counter[value]
        for value in counter
        if value.casefold() in MISSING and value not in named
    }
    lost = sum(blanks.values())
    if lost and missing == "refuse":
        kinds = ", ".join(f"{count} {value or 'blank'}" for value, count in sorted(blanks.items()))
        raise DataError(
            path,
            f"{lost} of {counter.total()} values of column {name!r} are missing ({kinds}; "
            f"what counts as missing: {MISSING_WORDS}); give --missing drop to leave them "
            "out, or --missing category to make them one category",
        )
    for value in blanks:
        del counter[value]
    if lost and missing == "category":
        if MISSING_CATEGORY in counter:
            raise DataError(path, f"{MISSING_CATEGORY!r} is a value of column {name!r} already")
        if categories is not None and MISSING_CATEGORY not in named:
            raise DataError(
                path,
                f"--missing category adds the category {MISSING_CATEGORY}, and --categories must "
                "list every category: add it there, at its position in the order",
            )
        counter[MISSING_CATEGORY] = lost
    try:
        order = ordered(counter, MISSING_CATEGORY) if categories is None else list(categories)
    except ValueError as error:
        raise DataError(path, f"column {name!r} holds {error}") from None
    strange = [value for value in counter if value not in order]
    if strange:
        value = strange[0]
        raise DataError(
            path,
            f"column {name!r} holds {value!r} ({counter[value]} times), which is not one of "
            f"the given categories; {nearest(value, order)}",
        )
    if not counter:
        raise DataError(path, f"all {lost} values of column {name!r} are missing")
    if len(order) > MAX_CATEGORIES:
        raise DataError(path, f"column {name!r} has more than {MAX_CATEGORIES} different values")
    if len(order) < 2:
        raise DataError(
            path,
            f"column {name!r} has one category only ({order[0]!r}, {counter[order[0]]} "
            "times); name all possible ones with --categories",
        )
    dropped = lost if missing == "drop" else 0
    return Column(path, name, tuple(order), tuple(counter[v] for v in order), lost, dropped)
