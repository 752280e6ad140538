"""Commands as samplers: their lines are counted exactly, nothing is given to a shell."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import DpauditError, LawError, LoadError
from dpaudit.gate.run import run_gate
from dpaudit.sampling.commands import CommandSampler, commanded, read_line
from dpaudit.subjects import COMMAND

RESPOND = """
BEGIN {
    srand(s)
    for (i = 0; i < n; i++) print (rand() < p) ? x : 1 - x
}
"""
LINE = "awk -v x={data} -v n={draws} -v s={seed} -v p=%s -f respond.awk"
BITS: dict[str, Any] = {"inputs": "0..1"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "respond.awk").write_text(RESPOND)


def drawn(line: str, size: int = 4, data: str = "a,b", seed: int = 0, **given: Any) -> Any:
    make, _ = commanded(COMMAND + line, line, Path.cwd())
    subject = make(inputs=data, **given)
    assert isinstance(subject, CommandSampler)
    first = next(iter(subject.relation.listing(1)))
    return subject.draw(first, size, np.random.default_rng(seed))


@pytest.mark.parametrize(("p", "verdict"), [("0.75", "not refuted"), ("0.9", "exceeds")])
def test_a_command_is_audited_and_its_seed_makes_it_again(p: str, verdict: str) -> None:
    line = COMMAND + LINE % p
    given: dict[str, Any] = {"draws": 2_000, "budget": "ln(3)", "error": "1e-6", **BITS}
    found = dpaudit.sample(line, seed=3, **given)
    report = found.report
    assert found.verdict == verdict
    assert (report.reproducible, report.seed) == (True, 3)
    assert report.loaded is not None
    assert report.loaded.reference == line
    if verdict == "exceeds":
        return
    assert dpaudit.sample(line, seed=3, jobs=2, **given).report == report
    other = dpaudit.sample(line, seed=4, **given).report
    assert other.event is not None
    assert report.event is not None
    assert other.event.count_x != report.event.count_x


def test_equal_streams_are_refused_and_none_of_them_exceeds() -> None:
    fixed = LINE.replace("{seed}", "5") % "0.75"
    with pytest.raises(LawError, match="are those of chunk"):
        dpaudit.sample(COMMAND + fixed, draws=1_000, budget="1/100", **BITS)
    own = "perl -e 'print rand() < .75 ? $ARGV[0] : 1 - $ARGV[0], \"\\n\" for 1..$ARGV[1]' "
    report = dpaudit.sample(
        COMMAND + own + "{data} {draws}", draws=1_000, budget="ln(3)", **BITS
    ).report
    assert not report.reproducible
    with pytest.raises(DpauditError, match="give --jobs 1"):
        dpaudit.sample(COMMAND + own + "{data} {draws}", draws=1_000, jobs=2, budget=1, **BITS)


def test_words_are_split_once_and_no_shell_sees_them(tmp_path: Path) -> None:
    nasty = "$(touch made) `touch made`; {draws} | * \\n"
    plain = drawn(
        "printf %s\\\\n {data} '{draws} {other} $HOME' \"two words\" x", data=repr([nasty])
    )
    assert plain == [nasty, "4 {other} $HOME", "two words", "x"]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("echo {data} {draws}", "1 lines instead of 4"),
        ("printf 'a\\nb\\nc\\nd\\ne' {data} {draws}", "5 lines instead of 4"),
        ("printf 'a\\nb\\nc\\nd\\ne\\n' {data} {draws}", "more than 4 lines|5 lines"),
        ("yes {data} {draws}", "more than 4 lines"),
        ("true {data} {draws}", "0 lines"),
        ("false {data} {draws}", "it ended with 1"),
        ("ls --no-such-option {data} {draws}", "it ended with 2"),
        ("head -c 1000000 /dev/zero -- {data} {draws}", "bytes a line|it ended with"),
        ("tr -d x -- {data} {draws}", "it ended with 1"),
        ("sleep 30 {data} {draws}", "it ended with 1"),
    ],
)
def test_wrong_counts_and_failures_are_one_line(line: str, why: str) -> None:
    with pytest.raises(LawError, match=why) as caught:
        drawn(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "perl -e 'sleep 60' {data} {draws}",
        "perl -e 'close STDOUT; close STDERR; sleep 60' {data} {draws}",
        "perl -e '$| = 1; while (1) { print STDERR \"x\" x 9999 }' {data} {draws}",
        "perl -e 'fork; sleep 60' {data} {draws}",
    ],
)
def test_a_call_that_takes_too_long_is_ended(line: str) -> None:
    start = time.monotonic()
    with pytest.raises(LawError, match="not finished after 1 s"):
        drawn(line, seconds=1)
    assert time.monotonic() - start < 30


def test_a_line_is_one_output_however_long_and_odd() -> None:
    assert drawn("printf '1\\n\\n 2,3 \\n'\"yes\\r\\n\" {data} {draws}") == [1, "", (2, 3), "yes"]
    assert drawn("printf '\\377\\n1\\n1\\n1' {data} {draws}")[0] == "\udcff"
    (long, *_) = drawn('perl -e \'print "x" x 60000, "\\n" x 4\' {data} {draws}')
    assert len(long) == 60_000


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("1", 1), ("-1.50", -1.5), (" 7 ", 7), ("1e3", 1000.0), ("0.5\t2", (0.5, 2)),
        ("1_000", "1_000"), ("0x10", "0x10"), ("1,2,yes", "1,2,yes"), ("", ""), ("١", "١"),
        ("inf", float("inf")), ("9" * 30, int("9" * 30)), (",", ","), ("1,", "1,"),
        ("1 2 ", (1, 2)),
    ],
)  # fmt: skip
def test_lines_are_read_as_numbers_where_they_are(line: str, output: Any) -> None:
    found = read_line(line)
    assert (found, type(found)) == (output, type(output))
    assert np.isnan(read_line("nan"))
    assert isinstance(read_line("9" * 5000), (str, float))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("echo {draws}", r"it lacks \{data\}"),
        ("echo {data} {size}", r"it lacks \{draws\}"),
        ("", "it lacks"),
        ("echo '{data} {draws}", "cannot be split into words"),
        ("no-such-program {data} {draws}", "there is no program no-such-program"),
        ("./respond.awk {data} {draws}", "it cannot be run|Permission|Exec"),
    ],
)
def test_what_is_no_command_is_one_line(line: str, why: str) -> None:
    with pytest.raises((LoadError, LawError), match=why) as caught:
        drawn(line)
    assert "\n" not in str(caught.value)


def test_another_file_is_another_command(tmp_path: Path) -> None:
    _, before = commanded("c", LINE % "0.5", tmp_path)
    (tmp_path / "respond.awk").write_text(RESPOND + "\n")
    assert commanded("c", LINE % "0.5", tmp_path)[1] != before


@pytest.mark.parametrize("recent", [10**9, -(10**18)])
def test_a_file_that_changes_while_it_is_drawn_from_is_refused(
    recent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a file was changed just before, and is read every time, or is known for the same."""
    monkeypatch.setattr("dpaudit.sampling.commands._RECENT", recent)
    line, rng = LINE % "0.5", np.random.default_rng(0)
    subject = commanded("c", line, tmp_path)[0](inputs="0..1")
    file = tmp_path / "respond.awk"
    subject.draw(0, 4, rng)
    file.touch()
    subject.draw(0, 4, rng)
    file.write_text(RESPOND + "# another\n")
    with pytest.raises(LawError, match="its program, or a file that it names, changed during"):
        subject.draw(0, 4, rng)
    file.unlink()
    with pytest.raises(LawError, match="its program, or a file that it names, changed during"):
        subject.draw(0, 4, rng)
    changing = (
        'perl -e \'open F, ">>", shift; print F 1; print "1\\n" x 4\' respond.awk {data} {draws}'
    )
    file.write_text(RESPOND)
    with pytest.raises(LawError, match="its program, or a file that it names, changed during"):
        drawn(changing)


def test_each_file_is_hashed_by_itself_and_behind_an_equals_sign(tmp_path: Path) -> None:
    line = "true {data} {draws} one two --config=three"

    def hashed(*contents: str) -> str:
        for name, content in zip(("one", "two", "three"), contents, strict=True):
            (tmp_path / name).write_text(content)
        return commanded("c", line, tmp_path)[1]

    found = [hashed("ab", "c", ""), hashed("a", "bc", ""), hashed("ab", "", "c")]
    assert len(set(found)) == 3
    assert hashed("ab", "c", "") == found[0]


@pytest.mark.parametrize("seconds", ["1e400", "99999999999999", "86401", "0", "-1", "1.5"])
def test_a_time_that_is_none_is_one_line(seconds: str, capfd: pytest.CaptureFixture[str]) -> None:
    asked = ["sample", "--command", LINE % "1", "--inputs", "0..1", "--budget", "1", "--no-plot"]
    assert invoke([*asked, "--set", f"seconds={seconds}"]) == 2
    said = capfd.readouterr().err
    assert "must be a whole number" in said
    assert said.count("\n") == 1


def test_what_a_command_leaves_behind_with_its_output_is_said() -> None:
    left = "perl -e 'use POSIX; exit if fork; POSIX::setsid(); sleep 5' {data} {draws}"
    with pytest.raises(LawError, match="it has ended, but a process that it started still holds"):
        drawn(left, seconds=1)


def test_a_mark_of_byte_order_is_of_no_output() -> None:
    mark = "\\357\\273\\277"
    assert drawn(f"printf '{mark}1\\n1\\n1\\n{mark}1\\n' {{data}} {{draws}}") == [
        1,
        1,
        1,
        "\ufeff1",
    ]


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    asked = ["sample", "--command", LINE % "0.9", "--inputs", "0..1", "--budget", "ln(3)"]
    asked += ["--draws", "2e3", "--error", "1e-6", "--format", "json", "--output", str(out)]
    assert invoke(asked) == 1
    assert json.loads(out.read_text())["mechanism"]["inputs"] == "0..1"
    program = Path(shutil.which("awk") or "").resolve()  # its name has slashes, as no file has
    drawn_too = [*asked[:7]]
    drawn_too[2] = f"{program}{LINE.removeprefix('awk') % '0.9'}"
    assert invoke([*drawn_too, "--draws", "1e3", "--output", str(out)]) in (0, 1)
    (plot,) = Path("dpaudit-results").iterdir()
    assert plot.name.startswith("sample-")
    for wrong, said in (
        (["sample"], "missing argument"),
        (["sample", "a.py:b", "--inputs", "0..1"], "there is no file a.py"),
        (["sample", "a.py:b", "--neighbours", "all"], "--neighbours needs --inputs too"),
        (["sample", "a.py:b", "--command", LINE % "1", "--inputs", "0..1"], "replaces the sampler"),
        (["sample", "--command", LINE % "1"], "--command needs its datasets: --inputs 0"),
        (["sample", "--command", LINE % "1", "--inputs", "0..1"], "states no budget"),
    ):
        assert invoke([*wrong, "--no-plot"]) == 2
        assert said in capfd.readouterr().err


def test_a_command_is_held_in_the_gate(tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text(
        f"[[mechanism]]\nmechanism = '{COMMAND}{LINE % '0.9'}'\nmeasure = 'sample'\n"
        "draws = 2000\nbudget = 'ln(3)'\nparameters = { inputs = '0..1' }\n"
    )
    (found,) = run_gate(config).mechanisms
    assert found.kind == "exceeds", found.message


def test_outputs_are_the_same_events_in_every_call() -> None:
    """Calls that give an array and calls that give a list are told apart by outputs alone."""

    def mixed(x: Any, size: Any, rng: Any) -> Any:
        found = rng.integers(3, size=size)
        return found if rng.random() < 0.5 else [int(one) for one in found]

    made: Callable[..., Any] = dpaudit.sampler(datasets=[0, 1], neighbours="all", budget="1/100")
    assert dpaudit.sample(made(mixed), draws=20_000).verdict == "not refuted"
