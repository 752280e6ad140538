"""``dpaudit verify`` on gates: with the configuration that is meant, and no other."""

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit.gate.run import run_gate
from dpaudit.results.documents import encode
from tests.made_once import made_once
from tests.recheck.sealing import Document, verdict

pytestmark = pytest.mark.wrong_on_purpose

CONFIG = """
[[mechanism]]
mechanism = "EHDS"
n = "5..8"

[[mechanism]]
label = "MH with divisor 1"
mechanism = "MH"
n = [6, 7]
parameters = { divisor = "1" }

[[mechanism]]
mechanism = "LSHist"
n = "9..10"
notion = "renyi"
order = 2
budget = "1/2"
parameters = { epsilon = 0.8, k = 2 }

[[mechanism]]
mechanism = "RR"
adjacency = "all"

[claims]
I-right = "proved"
"""


@pytest.fixture(scope="module")
def gated(kept: Path) -> tuple[Document, Path]:
    def make(folder: Path) -> None:
        (folder / "dpaudit.toml").write_text(CONFIG)
        (folder / "gate.json").write_bytes(encode(run_gate(folder / "dpaudit.toml", jobs=2)))

    folder = made_once(kept, "gate that is rechecked", make)
    return json.loads((folder / "gate.json").read_bytes()), folder / "dpaudit.toml"


def test_a_gate_and_its_configuration(gated: tuple[Document, Path], tmp_path: Path) -> None:
    document, config = gated
    assert document["verdict"] == "exceeds"
    assert verdict(tmp_path, document, sealed=False, config=config) == "accepted"
    other = tmp_path / "dpaudit.toml"
    for old, new in (
        ("5..8", "5..9"),
        ("[6, 7]", "[6]"),
        ('"EHDS"', '"EHDS"\nbudget = "1/2"'),
        ('divisor = "1"', 'divisor = "2"'),
        ("epsilon = 0.8", "epsilon = 0.9"),
        ("k = 2", "k = 3"),
        ('notion = "renyi"\norder = 2\n', ""),
        ("order = 2", "order = 3"),
        ('notion = "renyi"\norder = 2', 'notion = "kl"'),
        ('budget = "1/2"\n', ""),
        ('"all"', '"histogram-add-remove"'),
        ('I-right = "proved"', 'I-right = "refuted"'),
        ('I-right = "proved"', 'I-left = "holds_on"'),
    ):
        assert CONFIG.count(old) == 1
        other.write_text(CONFIG.replace(old, new))
        digest = hashlib.sha256(other.read_bytes()).hexdigest()
        changed = {**document, "config_sha256": digest}
        assert verdict(tmp_path, changed, config=other) == "rejected"
    assert verdict(tmp_path, document, config=other) == "rejected"


@pytest.mark.parametrize(
    "change",
    [
        lambda gate: gate.update(verdict="within"),
        lambda gate: gate["mechanisms"][1].update(passed=True),
        lambda gate: gate["mechanisms"][1].update(kind="within", passed=True),
        lambda gate: gate["mechanisms"][1].update(report=None),
        lambda gate: gate["mechanisms"][1].update(report=gate["mechanisms"][0]["report"]),
        lambda gate: gate["mechanisms"].pop(1),
        lambda gate: gate["mechanisms"][0].update(report=gate["mechanisms"][2]["report"]),
        lambda gate: gate["mechanisms"][2]["report"]["results"][0]["value"].update(
            lower="0.1", upper="0.1"
        ),
        lambda gate: gate["mechanisms"][2].update(kind="exceeds", passed=False),
        lambda gate: gate["mechanisms"][2]["report"].update(budget="1/1000"),
        lambda gate: gate["mechanisms"][2]["report"]["results"].pop(0),
        lambda gate: gate["claims"][0].update(found="refuted"),
        lambda gate: gate["mechanisms"][0]["report"]["results"].pop(0),
        lambda gate: gate["mechanisms"][0]["report"]["budget"].update(epsilon="9"),
    ],
)
def test_a_gate_that_is_changed_is_noticed(
    change: Callable[[Document], Any], gated: tuple[Document, Path], tmp_path: Path
) -> None:
    document, config = copy.deepcopy(gated[0]), gated[1]
    change(document)
    assert verdict(tmp_path, document, config=config) == "rejected"
