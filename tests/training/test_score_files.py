"""Scores in files: CSV, Parquet and NumPy alike, a member beside a manifest, and bad files."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpaudit
from dpaudit.cli.main import invoke

PLAN = dpaudit.plan_inclusion(60, seed=5)
MEMBER = np.array(PLAN.member)
SCORES = np.random.default_rng(1).normal(size=60) + 2 * MEMBER


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"score": SCORES, "member": MEMBER} | columns)


def arrays(table: pd.DataFrame) -> dict[str, Any]:
    return {name: np.array(table[name].tolist()) for name in table}


WRITERS: dict[str, Callable[[Path, pd.DataFrame], None]] = {
    "s.csv": lambda path, table: table.to_csv(path, index=False),
    "s.tsv": lambda path, table: table.to_csv(path, index=False, sep="\t"),
    "s.parquet": lambda path, table: table.to_parquet(path),
    "s.npz": lambda path, table: np.savez(path, **arrays(table)),
    "c.npz": lambda path, table: np.savez_compressed(path, **arrays(table)),
}


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = invoke(["canaries", *words])
    captured = capfd.readouterr()
    return int(code), captured.out, captured.err


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("kind", [bool, int, float, np.int8])
def test_every_kind_of_file_gives_the_same_bound(
    name: str, kind: type, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    WRITERS[name](path, frame(member=MEMBER.astype(kind), more=np.arange(60)))
    code, out, _ = said(capfd, str(path), "--delta", "1e-5", "--format", "json")
    assert code == 0
    wanted = json.loads(dpaudit.canaries(SCORES, MEMBER, delta="1e-5").to_json())
    found = json.loads(out)
    assert found["bounds"] == wanted["bounds"]
    assert len(found["scores_sha256"]) == 64


@pytest.mark.parametrize("name", WRITERS)
def test_a_member_beside_a_manifest_must_be_the_same(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    manifest, path = tmp_path / "inclusion.json", tmp_path / name
    PLAN.save(manifest)
    words = [str(path), "--inclusion", str(manifest)]
    write = WRITERS[name]
    write(path, frame())
    assert said(capfd, *words)[0] == 0
    write(path, frame(member=np.where(MEMBER, "in", "out").astype("U3")))
    assert said(capfd, *words)[0] == 0
    write(path, frame().drop(columns="member"))
    assert said(capfd, *words)[0] == 0
    code, _, err = said(capfd, *words, "--member", "inside")
    assert (code, err.count("\n")) == (2, 1)
    assert "there is no column 'inside'" in err
    other = MEMBER.copy()
    other[7] = not other[7]
    for column, more in (("member", []), ("inside", ["--member", "inside"])):
        write(path, frame(**{column: other}))
        code, out, err = said(capfd, *words, *more)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert f"member 8 is {'in' if other[7] else 'out'}, and the manifest says" in err


@pytest.mark.parametrize("kind", [bool, np.int64, np.float64])
def test_members_and_scores_may_be_texts_of_any_numbers(
    kind: type, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.npz"
    np.savez(path, score=SCORES.astype(str), member=MEMBER.astype(kind).astype(str))
    code, out, _ = said(capfd, str(path), "--format", "json")
    assert code == 0
    bounds = json.loads(dpaudit.canaries(SCORES, MEMBER).to_json())["bounds"]
    assert json.loads(out)["bounds"] == bounds


def test_members_of_another_number_are_refused() -> None:
    with pytest.raises(dpaudit.errors.UsageError, match="59 members, and the manifest has 60"):
        dpaudit.canaries(SCORES, MEMBER[:59], inclusion=PLAN)


def test_one_array_goes_with_a_manifest(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    manifest, path = tmp_path / "inclusion.json", tmp_path / "scores.npy"
    PLAN.save(manifest)
    np.save(path, SCORES.astype(">f8"))
    code, out, _ = said(capfd, str(path), "--inclusion", str(manifest), "--format", "json")
    assert code == 0
    bounds = json.loads(dpaudit.canaries(SCORES, MEMBER).to_json())["bounds"]
    assert json.loads(out)["bounds"] == bounds
    code, _, err = said(capfd, str(path))
    assert (code, err.count("\n")) == (2, 1)
    assert "holds one array" in err


def array(value: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, value, **options)
    return stream.getvalue()


def archive(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return stream.getvalue()


HUGE = array(np.zeros(1)).replace(b"(1,)", b"(10000000000000,)")
BAD: dict[str, tuple[str, bytes, str]] = {
    "pickled objects": (
        "s.npz",
        archive(score=array(np.array([print, 1], dtype=object), allow_pickle=True), member=b""),
        "needed are numbers or text",
    ),
    "two axes": ("s.npz", archive(score=array(np.eye(3)), member=b""), "shape (3, 3)"),
    "complex": ("s.npz", archive(score=array(np.ones(3) * 1j), member=b""), "complex128"),
    "long text": ("s.npz", archive(score=array(np.array(["x" * 99])), member=b""), "astype('U32')"),
    "too many": ("s.npz", archive(score=HUGE, member=b""), "more than 10000000 rows"),
    "too short": ("s.npz", archive(score=array(np.ones(9))[:-4], member=b""), "is shorter than"),
    "no array": ("s.npz", archive(score=b"text", member=b""), "not one of NumPy"),
    "other name": ("s.npz", archive(loss=array(np.ones(3))), "no column 'score'"),
    "other lengths": (
        "s.npz",
        archive(score=array(np.ones(3)), member=array(np.ones(4))),
        "different lengths",
    ),
    "no archive": ("s.npz", b"score,member\n1,1\n", "not an .npz file"),
    "cut off": ("s.npz", archive(score=array(np.ones(99)))[:-30], "not an .npz file"),
    "text as array": ("s.npy", b"score,member\n1,1\n", "holds one array"),
    "no Parquet": ("s.parquet", b"score,member\n1,1\n", "not a Parquet file"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_one_line(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name, data, words = BAD[what]
    path = tmp_path / name
    path.write_bytes(data)
    code, out, err = said(capfd, str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_nested_columns_of_parquet_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.parquet"
    frame(score=[[one] for one in SCORES]).to_parquet(path)
    code, _, err = said(capfd, str(path))
    assert (code, err.count("\n")) == (2, 1)
    assert "allowed are text, numbers and booleans" in err


def test_a_damaged_archive_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every byte is changed in turn: there is an answer, or one line."""
    whole = bytearray(archive(score=array(SCORES), member=array(MEMBER)))
    path = tmp_path / "s.npz"
    for place in range(0, len(whole), 5):
        changed = whole.copy()
        changed[place] ^= 0xFF
        path.write_bytes(changed)
        code, out, err = said(capfd, str(path))
        assert code in (0, 2), err
        assert bool(out) == (code == 0)
        assert err.count("\n") == (code == 2)
