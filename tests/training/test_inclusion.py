"""``plan_inclusion``: coins that are fair, a manifest that cannot be changed, and its audit."""

import hashlib
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import OutputError, UsageError
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of
from tests.recheck.sealing import verdict


def test_coins_are_the_bits_of_sha256() -> None:
    plan = dpaudit.plan_inclusion(600, seed="a seed")
    bits = "".join(
        f"{byte:08b}"
        for block in range(3)
        for byte in hashlib.sha256(f"dpaudit.inclusion/1\na seed\n{block}".encode()).digest()
    )
    assert "".join("01"[one] for one in plan.member) == bits[:600]
    assert plan.inside == [place for place in range(600) if bits[place] == "1"]
    assert dpaudit.plan_inclusion(250, seed="a seed").member == plan.member[:250]


def test_coins_are_fair_and_independent() -> None:
    """Numbers of heads, and of heads after heads, within four deviations of what coins give."""
    for seed in range(5):
        member = dpaudit.plan_inclusion(40_000, seed=seed).member
        assert abs(sum(member) - 20_000) < 4 * 100
        twice = sum(one and other for one, other in pairwise(member))
        assert abs(twice - 10_000) < 4 * 112


def test_without_a_seed_each_plan_is_another() -> None:
    plans = [dpaudit.plan_inclusion(200) for _ in range(3)]
    assert len({plan.member for plan in plans}) == 3
    seed = plans[0].report.seed
    assert dpaudit.plan_inclusion(200, seed=seed).member == plans[0].member
    assert dpaudit.plan_inclusion(9, seed=5).sha256 == dpaudit.plan_inclusion(9, seed="5").sha256


def test_a_plan_picks_from_arrays() -> None:
    plan = dpaudit.plan_inclusion(50, seed=3)
    canaries = np.arange(50) * 10
    assert list(canaries[plan.inside]) == list(canaries[np.array(plan.member)])


def test_a_manifest_takes_the_place_of_members(tmp_path: Path) -> None:
    plan = dpaudit.plan_inclusion(80, seed=11)
    path = tmp_path / "inclusion.json"
    plan.save(path)
    rng = np.random.default_rng(1)
    scores = rng.normal(size=80) + 2 * np.array(plan.member)
    several: list[dict[str, Any]] = [{}, {"guesses": 30}]
    for given in several:
        plain = dpaudit.canaries(scores, plan.member, **given)
        for source in (plan, path, str(path)):
            audit = dpaudit.canaries(scores, inclusion=source, **given)
            assert audit.bounds == plain.bounds
            assert audit.report.inclusion_sha256 == plan.sha256
            assert plan.sha256 in str(audit).replace("\n  ", "")
    with pytest.raises(OutputError, match="exists"):
        plan.save(path)


def test_the_command_writes_and_reads_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["canaries", "--plan-inclusion", "--m", "40", "--seed", "5"]
    assert invoke([*words, "--format", "json", "--output", "inclusion.json"]) == 0
    plan = dpaudit.plan_inclusion(40, seed=5)
    assert Path("inclusion.json").read_text() == plan.to_json()
    assert invoke(words) == 0
    assert plan.sha256 in capfd.readouterr().out
    assert invoke([*words, "--format", "csv"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "canary,member"
    assert [line.endswith("1") for line in lines[1:]] == list(plan.member)
    rows = [f"{place % 7 + 3 * one + place / 100}" for place, one in enumerate(plan.member)]
    Path("scores.csv").write_text("\n".join(["score", *rows]) + "\n")
    audit = ["canaries", "scores.csv", "--inclusion", "inclusion.json", "--format", "json"]
    assert invoke([*audit, "--output", "report.json"]) == 0
    report = json.loads(Path("report.json").read_text())
    assert report["inclusion_sha256"] == plan.sha256
    found = verify(Path("report.json"))
    assert found.verdict == "accepted"
    assert invoke(["verify", "report.json"]) == 0
    assert f"the manifest of canaries with SHA-256 {plan.sha256}" in capfd.readouterr().out


def flipped(content: dict[str, Any]) -> dict[str, Any]:
    member = content["member"]
    return content | {"member": ("1" if member[0] == "0" else "0") + member[1:]}


def resealed(content: dict[str, Any]) -> dict[str, Any]:
    return content | {"sha256": seal_of(content)}


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (flipped, "its coins do not follow from its seed, so it was changed"),
        (
            lambda content: resealed(flipped(content)),
            "its coins do not follow from its seed, so it was changed",
        ),
        (
            lambda content: resealed(content | {"seed": "6"}),
            "its coins do not follow from its seed, so it was changed",
        ),
        (lambda content: content | {"version": "9"}, "SHA-256"),
        (lambda content: content | {"sha256": "0" * 64}, "SHA-256"),
        (
            lambda content: resealed(content | {"canaries": 11}),
            "its coins do not follow from its seed, so it was changed",
        ),
        (lambda content: content | {"canaries": True}, "not a manifest"),
        (lambda content: content | {"canaries": 10**9}, "not a manifest"),
        (lambda content: content | {"seed": 5}, "not a manifest"),
        (lambda content: content | {"seed": ""}, "not a manifest"),
        (lambda content: content | {"more": "1"}, "not a manifest"),
        (lambda content: content | {"schema": "dpaudit.canaries/1"}, "not a manifest"),
        (lambda content: [content], "not a manifest"),
    ],
)
def test_a_changed_manifest_is_refused(
    change: Callable[[dict[str, Any]], Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "inclusion.json"
    content = json.loads(dpaudit.plan_inclusion(12, seed=5).to_json())
    path.write_text(json.dumps(change(content)))
    with pytest.raises(UsageError, match=said) as error:
        dpaudit.canaries(range(12), inclusion=path)
    assert "\n" not in str(error.value)


def test_what_is_no_file_of_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "inclusion.json"
    with pytest.raises(UsageError, match="No such file"):
        dpaudit.canaries(range(12), inclusion=path)
    for data in (b"", b"\xff", b"{", b"[" * 100_000, b"null"):
        path.write_bytes(data)
        with pytest.raises(UsageError, match="not a manifest"):
            dpaudit.canaries(range(12), inclusion=path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scores": range(13)}, "13 scores and 12 members"),
        ({"scores": range(12), "member": [0, 1] * 6}, "is out, and the manifest says in;"),
        ({"scores": range(12), "member": ["x"] * 12}, "member 1 is 'x'"),
        ({"canaries": 12, "guesses": 4, "right": 4}, "give scores"),
    ],
)
def test_an_inclusion_goes_with_scores(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        dpaudit.canaries(**given, inclusion=dpaudit.plan_inclusion(12, seed=5))


@pytest.mark.parametrize(
    ("number", "seed", "said"),
    [
        (0, 1, "from 1 to"),
        (True, 1, "whole number"),
        (10, "", "1 to 200"),
        (10, "x" * 201, "1 to 200"),
        (10, "a\nb", "printable"),
        (10, 1.5, "whole number or text"),
        (10, True, "whole number or text"),
    ],
)
def test_what_cannot_be_tossed_is_refused(number: Any, seed: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        dpaudit.plan_inclusion(number, seed=seed)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--plan-inclusion"], "needs --canaries"),
        (["--plan-inclusion", "--m", "9", "--guesses", "3"], "leave --guesses out"),
        (["--plan-inclusion", "--m", "9", "--inclusion", "x"], "leave --inclusion out"),
        (["--plan-inclusion", "--m", "9", "--plan"], "leave --plan-inclusion out"),
        (["--plan-inclusion", "--m", "9", "--plot", "x.svg"], "no figure"),
        (["--m", "9", "--guesses", "3", "--right", "3", "--seed", "4"], "applies only to"),
        (["--m", "9", "--guesses", "3", "--right", "3", "--inclusion", "x"], "give scores"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["canaries", *words]) == 2
    captured = capfd.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


@pytest.mark.wrong_on_purpose
def test_a_manifest_with_another_coin_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "inclusion.json"
    true = dpaudit.plan_inclusion(300, seed=5).to_json()
    path.write_text(true)
    assert verify(path).verdict == "accepted"
    content = json.loads(true)
    for change in (flipped(content), content | {"seed": "6"}, content | {"canaries": 299}):
        assert verdict(tmp_path, change) == "rejected"
