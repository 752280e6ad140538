"""``dpaudit verify`` on ties that a gate accepts, or fails: by the numbers, not by the word."""

import copy
import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from dpaudit.gate.run import run_gate
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import encode, seal_of
from tests.made_once import made_once

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

CONFIG = """
[[mechanism]]
mechanism = "EHD"
n = 4
budget = 1
ties = "accept"
parameters = { epsilon = 2, prior = [1, 2, 1] }

[[mechanism]]
mechanism = "LSHist"
n = 4
"""


@pytest.fixture(scope="module")
def gated(kept: Path) -> tuple[Document, Path]:
    def make(folder: Path) -> None:
        (folder / "dpaudit.toml").write_text(CONFIG)
        (folder / "gate.json").write_bytes(encode(run_gate(folder / "dpaudit.toml")))

    folder = made_once(kept, "gate with a tie", make)
    document: Document = json.loads((folder / "gate.json").read_bytes())
    kinds = [finding["kind"] for finding in document["mechanisms"]]
    assert kinds == ["tie accepted", "within"]
    return document, folder / "dpaudit.toml"


def verdict(folder: Path, document: Document, config: Path | None = None) -> tuple[str, set[str]]:
    """The verdict on a document that is sealed anew, and what is contradicted."""
    path = folder / "report.json"
    path.write_text(json.dumps({**document, "sha256": seal_of(document)}, ensure_ascii=False))
    found = verify(path, requirements=Requirements(config=config))
    return found.verdict, {one.message for one in found.disagreements}


def configured(document: Document, folder: Path, text: str) -> tuple[Document, Path]:
    """A report that says it answers another configuration, and that one."""
    path = folder / "dpaudit.toml"
    path.write_text(text)
    return {**document, "config_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}, path


def widened(document: Document, by: str) -> Document:
    """The report with the value of the accepted tie known no better than ±``by``."""
    changed = copy.deepcopy(document)
    epsilon = changed["mechanisms"][0]["report"]["results"][0]["epsilon"]
    epsilon |= {"lower": str(1 - Decimal(by)), "upper": str(1 + Decimal(by))}
    return changed


def test_a_tie_that_is_accepted_is_as_near_as_the_precision_tells(
    gated: tuple[Document, Path], tmp_path: Path
) -> None:
    document, config = gated
    assert verdict(tmp_path, document) == ("accepted", set())
    assert verdict(tmp_path, document, config) == ("accepted", set())
    doubt = {"at n = 4 the interval is too wide for an accepted tie"}
    assert verdict(tmp_path, widened(document, "0.1")) == ("rejected", doubt)
    assert verdict(tmp_path, widened(document, "1e-11")) == ("rejected", doubt)
    # 10^-12 of the budget, but not 2^-256, as balls of 1024 bits are: only the file tells which.
    assert verdict(tmp_path, widened(document, "1e-13"))[0] == "accepted"
    wide = {
        "by ties = accept, fail-on = undecided the outcome of the entry is undecided, "
        "not tie accepted"
    }
    assert verdict(tmp_path, widened(document, "1e-13"), config) == ("rejected", wide)


def test_a_tie_that_is_accepted_has_a_result_at_every_size(
    gated: tuple[Document, Path], tmp_path: Path
) -> None:
    changed = copy.deepcopy(gated[0])
    audit = changed["mechanisms"][0]["report"]
    audit |= {"sizes": [4, 5], "missing": [5]}
    found, messages = verdict(tmp_path, changed)
    assert found == "rejected"
    assert messages == {"a tie is accepted, but not every size has a result"}


def test_a_tie_is_accepted_only_where_the_entry_accepts_it(
    gated: tuple[Document, Path], tmp_path: Path
) -> None:
    document, config = configured(gated[0], tmp_path, CONFIG.replace('ties = "accept"\n', ""))
    found, messages = verdict(tmp_path, document, config)
    fails = (
        "by ties = fail, fail-on = undecided the outcome of the entry is undecided, "
        "not tie accepted"
    )
    assert (found, messages) == ("rejected", {fails})


def test_an_exact_tie_fails_where_ties_fail(gated: tuple[Document, Path], tmp_path: Path) -> None:
    document, config = configured(gated[0], tmp_path, f'fail-on = "tie"\n{CONFIG}')
    found, messages = verdict(tmp_path, document, config)
    assert found == "rejected"
    assert len(messages) == 1
    assert "fail-on" in messages.pop()


def test_what_is_no_exact_tie_does_not_fail_as_one(
    gated: tuple[Document, Path], tmp_path: Path
) -> None:
    changed = copy.deepcopy(gated[0])
    changed["verdict"] = "exceeds"
    changed["mechanisms"][1] |= {"kind": "tie", "passed": False}
    assert verdict(tmp_path, changed)[0] == "accepted"  # its realised ε is the budget
    audit = changed["mechanisms"][1]["report"]
    audit["budget"]["epsilon"] = audit["results"][0]["delta"]["epsilon"] = "2"
    found, messages = verdict(tmp_path, changed)
    assert found == "rejected"
    assert "no size realises exactly the budget" in messages
