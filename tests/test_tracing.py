"""One mechanism and one ε, followed from the command line to a ball and back."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_architecture import PACKAGE
from tests.tracing import traced

ROOT = PACKAGE.parent
MAIN = "check EHDS --n 30"
NUMBERS = {
    "--eps": "0.7",
    "--budget": "3/4,1/1000",
    "--gamma": "0.3",
    "--prior": "1/2,3",
    "--at-eps": "1/3,0.2",
}
SHOWN = {
    "audit: short_number",  # is it short enough to be told without more digits?
    "numbers: enclose_real",  # is the text short enough for the report?
    "mechanisms: parameter_text",  # the report's own header
    "results: value_text",
    "results: Budget.__str__",
}
"""Who shows numbers outside ``report``."""


def way(folder: Path, words: str) -> dict[str, Any]:
    """Return where a command line goes, in a process of its own: nothing is kept from before."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.tracing", *words.split()],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proofs")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.rindex('{\n "rooms"') :])
    return found


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Where the main job goes."""
    return way(tmp_path_factory.mktemp("check"), MAIN)


def test_a_check_climbs_at_most_five_times_to_a_ball_and_back(check: dict[str, Any]) -> None:
    climbs = check["climbs"]
    assert 1 <= len(climbs) <= 5, climbs


@pytest.mark.parametrize("form", ["text", "json"])
def test_every_number_is_parsed_once_and_becomes_text_where_it_is_shown(
    tmp_path: Path, form: str
) -> None:
    given = " ".join(f"{option} {value}" for option, value in NUMBERS.items())
    found = way(tmp_path, f"{MAIN} {given} --format {form} --output report --plot figure.svg")
    numbers = [number for value in NUMBERS.values() for number in value.split(",")]
    assert found["read"] == dict.fromkeys(numbers, 1)
    asked = {who for who in found["shown"] if not who.startswith("report: ")}
    assert found["shown"]
    assert asked <= SHOWN, asked


def test_defaults_are_parsed_once(check: dict[str, Any]) -> None:
    assert check["read"] == {"4/5": 1, "1": 3}  # ε; γ and the two of the prior


def test_the_rooms_on_the_way_are_those_of_the_map(check: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    (told,) = re.findall(
        r"^To see how the folders work together.*?\.$", page, re.MULTILINE | re.DOTALL
    )
    on_the_map = set(re.findall(r"^\| `dpaudit/(\w+)` \|", page, re.MULTILINE))
    rooms = {room for room in check["rooms"] if (PACKAGE / room).is_dir()}
    assert set(re.findall(r"`(\w+)`", told)) == rooms
    assert rooms <= on_the_map


def test_a_climb_and_a_number_parsed_again_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the trace would miss would be missed above too."""
    from dpaudit.audit import sweep
    from dpaudit.audit.plan import Pairs
    from dpaudit.cli.run import read_jobs
    from dpaudit.numbers.real import real

    def climbing(*given: Any) -> Any:
        assert read_jobs("1") == 1
        assert str(real(str(real("4/5")))) == "4/5"
        return Pairs(*given)

    climbing.__code__ = climbing.__code__.replace(co_filename=sweep.__file__)
    monkeypatch.setattr("dpaudit.audit.sweep.Pairs", climbing)
    found = traced(["check", "EHDS", "--n", "30", "--no-plot", "--format", "json"])
    assert any(
        climb.startswith("audit: ") and "→ cli: read_jobs" in climb for climb in found.climbs
    )
    assert found.read["4/5"] > 1
    assert any(who.startswith("audit: ") for who in found.shown)
