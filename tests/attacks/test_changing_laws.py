"""A law that is another when it is asked for again passes nothing, however early it changes."""

from pathlib import Path

import pytest

import dpaudit
from dpaudit.errors import LawError
from dpaudit.gate.run import run_gate
from dpaudit.results import Kind
from dpaudit.testing import assert_private

pytestmark = pytest.mark.wrong_on_purpose

MOODY = """
from dpaudit.numbers.ball import Ball


class Base:
    budget, datasets, neighbours = "1/2", [0, 1], "all"
    until = 1
    calls = 0

    def law(self, bit):
        self.calls += 1
        return self.early(bit) if self.calls <= self.until else {0: "1/2", 1: "1/2"}


class Blatant(Base):
    def early(self, bit):
        return {bit: "1"}


class BlatantTwice(Blatant):
    until = 2


class BlatantFourTimes(Blatant):
    until = 4


class Raises(Base):
    def early(self, bit):
        raise ValueError("not yet")


class NoTable(Base):
    def early(self, bit):
        return None


class WrongSum(Base):
    def early(self, bit):
        return {0: "1/2", 1: "1/3"}


class Balls(Base):
    until = 2

    def law(self, bit):
        self.calls += 1
        p = Ball("0.9" if self.calls <= self.until else "0.5", "1e-40")
        return {0: p, 1: 1 - p}
"""
NAMES = [
    *("Blatant", "BlatantTwice", "BlatantFourTimes", "Raises", "NoTable", "WrongSum", "Balls"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("moody.py").write_text(MOODY)


@pytest.mark.parametrize("name", NAMES)
def test_a_law_that_changes_passes_nothing(name: str) -> None:
    reference = f"moody.py:{name}"
    with pytest.raises(LawError):
        dpaudit.check(reference)
    with pytest.raises(LawError):
        assert_private(reference)
    Path("dpaudit.toml").write_text(f'[[mechanism]]\nmechanism = "{reference}"\n')
    (finding,) = run_gate("dpaudit.toml").mechanisms
    assert (finding.kind, finding.passed) == (Kind.BROKEN, False)
