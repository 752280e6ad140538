"""Laws that are the rows of a matrix: one for each dataset, with a column for each output."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from dpaudit.errors import ParameterError

__all__ = ["MatrixLaws"]


class MatrixLaws:
    """The laws of a matrix, as a function of the dataset.

    The entries are kept as they are, and read exactly: whole numbers and fractions are what they
    are, and floats are their shortest decimals.
    """

    def __init__(
        self,
        matrix: Any,
        datasets: Iterable[Hashable] | None = None,
        outputs: Sequence[Hashable] | None = None,
    ) -> None:
        """Take the rows of a matrix.

        Args:
            matrix: an array of NumPy's with two axes, or a list of rows.
            datasets: the dataset of each row; by default 0, 1, 2, ...
            outputs: the output of each column; by default 0, 1, 2, ...

        Raises:
            ParameterError: for what is no matrix, or has other numbers of rows or columns.
        """
        rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
        if not isinstance(rows, (list, tuple)) or not all(
            isinstance(row, (list, tuple)) for row in rows
        ):
            kind = type(matrix).__name__
            shape = getattr(matrix, "shape", None)
            what = f"an array of shape {shape}" if shape is not None else f"a {kind}"
            raise ParameterError(
                "laws", f"laws is {what}; give a function of a dataset, or a matrix"
            )
        widths = {len(row) for row in rows}
        if not rows or len(widths) > 1 or widths == {0}:
            raise ParameterError("laws", "the rows of a matrix must all have the same length")
        (width,) = widths
        self.datasets = _named("datasets", "rows", datasets, len(rows))
        self._outputs = _named("outputs", "columns", outputs, width)
        self._rows = dict(zip(self.datasets, rows, strict=True))

    def __call__(self, dataset: Hashable) -> Mapping[Hashable, Any]:
        """Return the law of a dataset."""
        return dict(zip(self._outputs, self._rows[dataset], strict=True))


def _named(what: str, lines: str, names: Iterable[Hashable] | None, count: int) -> list[Hashable]:
    """Return the names of rows or columns, each used once."""
    if callable(names):
        raise ParameterError(
            what, f"{what} is a function; list the names of the {count} {lines} of the matrix"
        )
    listed: list[Hashable] = list(range(count) if names is None else names)
    if len(listed) != count:
        raise ParameterError(
            what, f"{what}: {len(listed)} are listed, but the matrix has {count} {lines}"
        )
    if len(set(listed)) < count:
        twice = next(name for name in listed if listed.count(name) > 1)
        raise ParameterError(what, f"{what}: {twice!r} is listed twice")
    return listed
