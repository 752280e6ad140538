"""Tables fit a terminal, sweeps a screen, and what is piped or machine-readable is whole."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.cli.main import invoke
from dpaudit.report.fitting import aligned_table, coloured, shown_rows

WIDE = [
    "check EHDS MH --n 10..40 --divisor 1 --at-eps 0,1/2,1 --no-plot",
    "check RAPPOR --hashes 2 --bits 4 --no-plot",
    "check EHDS --n 10..20..5 --notion zcdp --budget 1/8 --no-plot",
    "curve MH --n 20,25 --no-plot",
    "tradeoff EHDS --n 10,20 --no-plot",
    "calibrate LSHist --n 5,6 --no-plot",
    "accuracy EHD EHDS --at 3,4 --no-plot",
    "account RR --at-delta 1e-6 --compose 4",
    "list",
    "show EHD",
    "show --trust",
    "check --help",
    "check EHDS --help",
    "hunt --help",
    "account --help",
    "--help",
]


@pytest.mark.parametrize("command", WIDE)
def test_no_row_is_broken_at_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    invoke(shlex.split(command))
    for line in capsys.readouterr().out.splitlines():
        told = re.match(r" +\d+ +\w", line)  # an exit code, which Click does not fold
        assert len(line) <= 80 or " " not in line.strip() or told, line


def test_what_is_piped_has_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    invoke(shlex.split("check EHDS --n 10,11 --at-eps 0,1/2 --no-plot"))
    out = capsys.readouterr().out
    assert re.search(r"^ n   pairs   outputs   realised ε .* worst pair → output$", out, re.M)
    assert "not shown" not in out


def rows_shown(out: str) -> list[str]:
    return re.findall(r"^ *(\d+|…)(?=   |$)", out, re.MULTILINE)


def test_a_sweep_shows_its_verdict_then_the_first_the_worst_and_the_last_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sweep = "check EHDS --n 10..60 --no-plot"
    invoke(shlex.split(sweep))
    out = capsys.readouterr().out
    shown = rows_shown(out)
    assert (shown[0], shown[-1], shown.count("…") > 0) == ("10", "60", True)
    assert len(shown) <= 13
    lines = out.splitlines()
    assert lines[2].startswith("within: ε = 4/5 at n = 10..60 (51 sizes)")
    largest = re.fullmatch(r"largest realised ε: \S+ at n = (\d+), \S+ / \S+ → \S+", lines[3])
    assert largest is not None
    assert largest[1] in shown
    assert "of 51 rows; --rows all shows all" in out
    invoke(shlex.split(f"{sweep} --rows all"))
    assert rows_shown(capsys.readouterr().out) == [str(n) for n in range(10, 61)]
    invoke(shlex.split(f"{sweep} --rows 5"))
    assert len(rows_shown(capsys.readouterr().out)) <= 7
    invoke(shlex.split(f"{sweep} --format csv"))
    assert len(capsys.readouterr().out.splitlines()) == 52


@pytest.mark.parametrize("rows", ["0", "-1", "some", "1.5", "٣"])
def test_rows_that_are_no_number_are_refused(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", "EHDS", "--n", "5", "--no-plot", "--rows", rows]) == 2
    assert "must be a whole number, at least 1, or all" in capsys.readouterr().err


def test_the_first_interval_is_explained_below_its_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    invoke(shlex.split("check EHDS MH --n 10 --no-plot"))
    out = capsys.readouterr().out
    assert out.count(" means: at least ") == 1
    assert (
        "0.25448462819475(8..9) means: at least 0.254484628194758, at most 0.254484628194759" in out
    )
    invoke(shlex.split("check LSHist --n 10 --no-plot"))
    assert " means: " not in capsys.readouterr().out  # nothing but closed forms


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"within: all\n10   1   exceeds   x\noverall undecided: 1\n"
    assert coloured(text) == text
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert re.findall(rb"\x1b\[(\d+)m(\w+)\x1b\[0m", coloured(text)) == [
        (b"32", b"within"),
        (b"31", b"exceeds"),
        (b"33", b"undecided"),
    ]
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured(text) == text


CELLS = st.text(st.sampled_from("ab01 (),→中"), max_size=60)


@given(st.lists(st.lists(CELLS, min_size=5, max_size=5), min_size=1, max_size=4))
def test_no_letter_of_a_folded_cell_is_lost(rows: list[list[str]]) -> None:
    table = aligned_table(["what", "a", "b", "c", "d"], rows, 60)
    for row in rows:
        for cell in row:
            for letter in set(cell) - {" "}:
                assert letter in table
    kept = "".join(table.split())
    assert len(kept) >= sum(len("".join(cell.split())) for row in rows for cell in row)


@given(st.integers(0, 60), st.integers(0, 59), st.integers(3, 20))
def test_rows_left_out_are_marked_once_each(count: int, worst: int, most: int) -> None:
    place = worst if worst < count else None
    shown = shown_rows(count, place, most)
    rows = [row for row in shown if row is not None]
    assert rows == sorted(set(rows))
    assert len(rows) <= max(most, min(count, most))
    if count:
        assert (rows[0], rows[-1]) == (0, count - 1)
        assert place is None or place in rows
    for before, row, after in zip(shown, shown[1:], shown[2:], strict=False):
        if row is None:
            assert before is not None
            assert after is not None
            assert after > before + 1
