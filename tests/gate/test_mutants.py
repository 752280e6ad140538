"""The gate against mutants: it rejects exactly those that the oracle says exceed their budget."""

from pathlib import Path

import pytest

from dpaudit.gate.run import run_gate
from tests.gate.mutants import MUTANTS, configuration, should_pass, table

PARTS = 4


def test_there_are_enough_of_both_kinds() -> None:
    verdicts = [should_pass(mutant) for mutant in MUTANTS.values()]
    assert len(verdicts) >= 80
    assert verdicts.count(False) >= 25
    assert verdicts.count(True) >= 40


@pytest.mark.parametrize("part", range(PARTS))
def test_the_gate_judges_every_mutant_as_the_oracle_does(part: int, tmp_path: Path) -> None:
    names = list(MUTANTS)[part::PARTS]
    path = tmp_path / "dpaudit.toml"
    path.write_text(configuration(names))
    document = run_gate(path, jobs=2)
    found = {one.title: (one.passed, one.kind.value) for one in document.mechanisms}
    assert list(found) == names
    wrong = {name: found[name] for name in names if found[name][0] != should_pass(MUTANTS[name])}
    assert not wrong, table(wrong)
    for name in names:
        if not found[name][0]:
            assert found[name][1] == ("broken" if "wrong_row" in name else "exceeds")
