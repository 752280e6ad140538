"""The tables as N §3.4.1 and L §4.3.1 print them: inputs of the comparison, never results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts

__all__ = ["BETA", "CENTRE", "EDGE", "PrintedTable", "Row"]


@dataclass(frozen=True)
class Row:
    """A printed row."""

    distance: str
    steps: str
    """Empty where the notes print dots."""
    exponential: str
    laplace: str


@dataclass(frozen=True)
class PrintedTable:
    """A printed table, an input of the comparison."""

    id: str
    posterior: str
    place: str
    dataset: Counts
    rows: tuple[Row, ...]


BETA = PrintedTable(
    "table-beta",
    "beta(5,5)",
    "N §3.4.1, first table; L §4.3.1, first table",
    (4, 4),
    (
        Row("0.83737258593", "4", "0.0431193490585", "0.066561234758"),
        Row("0.662174391701", "3", "0.0785621424847", "0.0992976939175"),
        Row("0.457635865026", "2", "0.158265808563", "0.148134752205"),
        Row("0.233629480709", "1", "0.340809715054", "0.220991081918"),
        Row("0.0", "0", "0.37924298484", "0.329679953964"),
    ),
)
CENTRE = PrintedTable(
    "table-20-20-20",
    "DL(21,21,21)",
    "L §4.3.1, second table; N §3.4.1, second table (there with the data as (20, 20))",
    (20, 20, 20),
    (
        Row("0.999999984481", "", "0.000149705644585", "3.05988187701e-09"),
        Row("0.187421762881", "2", "0.0548161224677", "0.0285774941516"),
        Row("0.110122822057", "1", "0.192227323562", "0.170131188571"),
        Row("0.0", "0", "0.0713016293602", "0.108688872046"),
    ),
)
EDGE = PrintedTable(
    "table-1-1-1-50",
    "DL(2,2,2,51)",
    "L §4.3.1, third table",
    (1, 1, 1, 50),
    (
        Row("0.999999999998", "", "0.000213865923868", "6.16388940464e-11"),
        Row("0.340503311163", "2", "0.000388935212208", "0.0360289071389"),
        Row("0.249722620018", "1", "0.000464587461035", "0.0360289071389"),
        Row("0.0", "0", "0.000252512987228", "0.0358325423325"),
    ),
)
