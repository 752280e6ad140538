"""``dpaudit canaries``: scores, counts, verdicts, refusals, and the second look."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.recheck.verify import verify
from dpaudit.results import CanaryVerdict
from tests.recheck.sealing import verdict

COUNTS = ["--canaries", "1000", "--guesses", "100", "--right", "75", "--delta", "1e-4"]


def said(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, str, str]:
    code = invoke(["canaries", *words])
    captured = capfdbinary.readouterr()
    return int(code), captured.out.decode(), captured.err.decode()


def test_counts_give_a_bound(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, out, _ = said(capfdbinary, *COUNTS, "--level", "0.05", "--format", "json")
    assert code == 0
    bound = {"lower": "0.695126017639", "upper": "0.695126017640"}
    assert json.loads(out)["bounds"] == [{"delta": "1/10000", "level": "1/20", "epsilon": bound}]


@pytest.mark.parametrize(
    ("budget", "code", "verdict"),
    [("0.69,1e-4", 1, "exceeds"), ("0.70,1e-4", 0, "not refuted"), ("0.70", 1, "exceeds")],
)
def test_a_budget_has_a_verdict(
    capfdbinary: pytest.CaptureFixture[bytes], budget: str, code: int, verdict: str
) -> None:
    found, out, _ = said(capfdbinary, *COUNTS, "--budget", budget)
    assert found == code
    assert f"{verdict}: " in out
    assert "within" not in out


def test_a_tie_with_the_budget_is_undecided() -> None:
    """At ε = 0 one right guess of one has probability 1/2, and δ = 1/5 adds as much as it gives."""
    audit = dpaudit.canaries(
        canaries=1, guesses=1, right=1, level="3/5", delta="1/5", budget=(0, "1/5")
    )
    assert audit.verdict in (CanaryVerdict.EXCEEDS, CanaryVerdict.UNDECIDED)
    assert 0 in audit.bounds[0].epsilon


SCORES = [3.1, 2.7, 2.2, 1.9, 0.4, 0.1, -0.3, -1.2, -1.8, -2.5]
MEMBER = [1, 1, 1, 0, 1, 0, 0, 1, 0, 0]


def test_the_highest_are_guessed_in_and_the_lowest_out() -> None:
    report = dpaudit.canaries(SCORES, MEMBER, guesses=5).report
    assert (report.canaries, report.guesses, report.right) == (10, 5, 5)
    assert dpaudit.canaries(SCORES, MEMBER, guesses=10).report.right == 8
    assert dpaudit.canaries(SCORES, MEMBER, guesses=10, direction="lower").report.right == 2
    assert dpaudit.canaries(SCORES, MEMBER, guesses=1).report.right == 1


def test_arrays_and_words_are_read() -> None:
    whole = dpaudit.canaries(np.array(SCORES), np.array(MEMBER, dtype=bool), guesses=6).report
    held = [np.array(one) for one in MEMBER]  # as tensors of one number are
    assert dpaudit.canaries(SCORES, held, guesses=6).report == whole
    words = ["in" if one else "out" for one in MEMBER]
    assert dpaudit.canaries(SCORES, words, guesses=6).report == whole
    order = random.Random(1).sample(range(10), 10)
    mixed = dpaudit.canaries([SCORES[i] for i in order], [MEMBER[i] for i in order], guesses=6)
    assert mixed.report == whole


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scores": SCORES}, "member is missing"),
        ({"scores": SCORES, "member": MEMBER[1:], "guesses": 4}, "10 scores and 9 members"),
        ({"scores": SCORES, "member": MEMBER, "digits": 10}, "from 1 to 9"),
        ({"scores": SCORES, "member": MEMBER, "guesses": 11}, "from 1 to the 10"),
        ({"scores": [*SCORES[1:], float("nan")], "member": MEMBER, "guesses": 4}, "NaN"),
        ({"scores": [*SCORES[1:], "x"], "member": MEMBER, "guesses": 4}, "not a number"),
        ({"scores": SCORES, "member": [*MEMBER[1:], 2], "guesses": 4}, "member 10 is 2"),
        ({"scores": [9, 9, *SCORES[2:]], "member": MEMBER, "guesses": 1}, "same score"),
        (
            {"scores": SCORES, "member": MEMBER, "guesses": 4, "right": 3},
            "scores already determine the number of canaries and of",
        ),
        ({"scores": range(99), "member": [1] * 99, "guesses": 4}, "fair coins"),
        ({"scores": SCORES, "member": MEMBER, "guesses": 4, "direction": "up"}, "higher or lower"),
        ({"canaries": 10, "guesses": 4}, "right is missing"),
        ({"canaries": 10, "guesses": 4, "right": 5}, "from 0 to the 4"),
        ({"canaries": 10, "guesses": 4, "right": True}, "whole number"),
        ({"canaries": 10, "guesses": 4, "right": 4, "level": 1}, "between 0 and 1"),
        ({"canaries": 10, "guesses": 4, "right": 4, "delta": "1"}, "less than 1"),
        ({"canaries": 10, "guesses": 4, "right": 4, "level": ()}, "one or several"),
        (
            {"canaries": 10, "guesses": 4, "right": 4, "level": ("1/9", "1/8"), "budget": 1},
            "one level",
        ),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        dpaudit.canaries(**given)


def write(folder: Path) -> Path:
    path = folder / "scores.csv"
    rows = [f"{score},{member}" for score, member in zip(SCORES, MEMBER, strict=True)]
    path.write_text("\n".join(["score,member", *rows]) + "\n")
    return path


def test_a_file_is_read_and_its_hash_kept(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = write(tmp_path)
    code, out, _ = said(capfdbinary, str(path), "--guesses", "6", "--format", "json")
    assert code == 0
    document = json.loads(out)
    assert (document["canaries"], document["guesses"], document["right"]) == (10, 6, 5)
    assert len(document["scores_sha256"]) == 64
    path.write_text(path.read_text().replace("score,", "loss,"))
    code, out, err = said(capfdbinary, str(path), "--guesses", "6")
    assert (code, out) == (2, "")
    assert "there is no column 'score'" in err
    assert "name your columns with --score COLUMN and --member COLUMN" in err
    assert err.count("\n") == 1


def test_exactly_half_is_said_unless_a_manifest_tossed_the_coins(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "scores.csv"
    for inside, told in ((20, True), (19, False)):
        rows = [f"{place},{int(place >= 40 - inside)}" for place in range(40)]
        path.write_text("\n".join(["score,member", *rows]))
        code, _, err = said(capfdbinary, str(path))
        assert code == 0
        assert ("exactly half of the 40 canaries are in" in err) == told
        assert err.count("\n") == told


@pytest.mark.wrong_on_purpose
def test_a_report_that_says_too_much_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    true = dpaudit.canaries(
        canaries=1000, guesses=100, right=75, delta=("0", "1e-4"), budget="0.6,1e-4"
    ).to_json()
    path.write_text(true)
    assert verify(path).verdict == "accepted"
    changes: tuple[dict[str, Any], ...] = (
        {"right": 76},
        {"right": 74},
        {"canaries": 1001},
        {"guesses": 99},
        {"verdict": "not refuted"},
        {"digits": 11},
        {"budget": {"epsilon": "7/10", "delta": "1/10000"}},
        {"bounds": []},
    )
    for change in changes:
        document = json.loads(true) | change
        assert verdict(tmp_path, document) == "rejected", change
    for name, text in (("delta", "1/9999"), ("level", "1/19"), ("delta", "1/10001")):
        document = json.loads(true)
        bound = document["bounds"][1]
        bound[name] = text
        assert verdict(tmp_path, document) == "rejected", name
    for ends in (("0.695126017640", "0.695126017641"), ("0.695126017638", "0.695126017639")):
        document = json.loads(true)
        document["bounds"][1]["epsilon"] = dict(zip(("lower", "upper"), ends, strict=True))
        assert verdict(tmp_path, document) == "rejected", ends


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
def test_a_training_that_leaks_nothing_is_seldom_refuted() -> None:
    """Scores that know nothing of members: ε > 0 is shown in at most the level of audits."""
    rng = np.random.default_rng(1123)
    refuted = 0
    for _ in range(400):
        member = rng.integers(2, size=200)
        audit = dpaudit.canaries(rng.normal(size=200), member, guesses=60, delta="1e-5")
        refuted += audit.bounds[0].epsilon.lower > 0
    assert refuted <= 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
def test_randomised_response_is_bounded_by_its_own_epsilon() -> None:
    """The score of a canary is its membership, told rightly with probability 3/4: ε = ln 3."""
    rng = np.random.default_rng(7)
    above = 0
    for _ in range(200):
        member = rng.integers(2, size=300)
        told = np.where(rng.random(300) < 0.75, member, 1 - member)
        noise = rng.random(300) / 2  # breaks ties, and knows nothing
        audit = dpaudit.canaries(told + noise, member, guesses=200)
        above += not audit.bounds[0].epsilon.lower <= 1.0986122886681098
    assert above <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5
    assert audit.bounds[0].epsilon.lower > 0.5
