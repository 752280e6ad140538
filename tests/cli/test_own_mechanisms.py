"""Mechanisms of one's own from the command line: bad ones told apart, none passes, none hangs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpaudit.cli.exits import Exit
from dpaudit.cli.main import invoke
from dpaudit.numbers.real import real
from dpaudit.results.documents import decode, documents, seal_of
from tests.interrupts import heeding_interrupts

HEAD = """
import os, random, sys, time
from dpaudit.mechanisms.user import finite_mechanism
"""
OWN = (
    HEAD
    + """
{header}
@finite_mechanism(budget={budget}, datasets={datasets}, neighbours={neighbours})
def mine(x):
    {body}
"""
)
NAMED = """
from fractions import Fraction

class Coin:
    budget, datasets, neighbours, normalised = "2", [0, 1], "all", False

    def __init__(self, eps=1):
        self.eps = eps

    def law(self, bit):
        return {bit: f"exp({self.eps})", 1 - bit: 1}

class Nothing:
    pass

def number():
    return 5
"""


def test_a_mechanism_may_call_its_parameter_eps(tmp_path: Path) -> None:
    (tmp_path / "coin.py").write_text(NAMED)
    for arguments in (["--set", "eps=2"], ["--eps", "2"], ["--set", "epsilon=2"]):
        done = run(tmp_path, "check", "coin.py:Coin", *arguments, "--no-plot")
        assert done.returncode == 0, done.stderr
        assert "Coin (eps = 2)" in done.stdout
        assert "2 exactly" in done.stdout
    several = run(tmp_path, "check", "coin.py:Coin", "--eps", "1,3", "--no-plot")
    assert several.returncode == 1
    assert "Coin (eps = 3)" in several.stdout
    asked = ["--over", "eps=1..3", "--no-plot", "--evaluations", "8"]
    hunted = run(tmp_path, "hunt", "coin.py:Coin", "--n", "1", *asked)
    assert "epsilon = 3\n" in hunted.stdout, hunted.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("coin.py", "coin.py: name the mechanism or function in it: coin.py:NAME"),
        ("coin.py:Coins", "coin.py has no Coins; did you mean Coin or Nothing?"),
        ("coin.py:zzz", "coin.py has no zzz; known: Coin, Nothing, number"),
        ("coin.py:Nothing", "it is not a mechanism: it has no law(dataset) and no datasets"),
        ("coin.py:number", "it returned an int, not a mechanism: it has no law(dataset)"),
    ],
)
def test_what_is_meant_is_asked_for(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "coin.py").write_text(NAMED)
    done = run(tmp_path, "check", name)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[0]
    # What can be called with numbers follows, each with a command to paste.
    assert done.stderr.count("\n") == (3 if name == "coin.py" else 1)


GOOD = 'return {x: "3/4", 1 - x: "1/4"}'


def own(
    body: str = GOOD,
    *,
    budget: str = '"ln(3)"',
    datasets: str = "[0, 1]",
    neighbours: str = '"all"',
    header: str = "",
) -> str:
    return OWN.format(
        body=body, budget=budget, datasets=datasets, neighbours=neighbours, header=header
    )


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dpaudit", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


BAD = {
    "raises": (own('raise ValueError("no\\n data")'), "laws", "it raised ValueError: no data"),
    "leaves": (own("raise SystemExit(0)"), "laws", "it raised SystemExit"),
    "unhashable output": (own("return {[1]: 1}"), "laws", "an output is not hashable"),
    "wrong type": (own("return [1]"), "laws", "returned a list"),
    "empty law": (own("return {}"), "laws", "no outputs"),
    "nan": (own('return {0: float("nan")}'), "probabilities", "it is not finite"),
    "no number": (own("return {0: None}"), "probabilities", "not a number: a NoneType"),
    "a truth": (own("return {0: True}"), "probabilities", "not a number: a bool"),
    "a list": (own("return {0: [1]}"), "probabilities", "not a number"),
    "negative": (own('return {0: "5/4", 1: "-1/4"}'), "probabilities", "-1/4"),
    "wrong sum": (own('return {0: "3/4", 1: "1/3"}'), "sums", "is 13/12"),
    "nearly 1": (own('return {0: "1/2", 1: "1/2-1/10^30"}'), "sums", "the sum"),
    "random": (own("return {random.random(): 1}"), "stable", "two different output distributions"),
    "asymmetric": (own(neighbours="lambda a, b: a < b"), "neighbours", "not symmetric"),
    "raising relation": (own(neighbours="lambda a, b: 1 / 0"), "neighbours", "ZeroDivisionError"),
    "no neighbours": (own(neighbours="[]"), "neighbours", "no two datasets are neighbours"),
    "strange pair": (own(neighbours="[(0, 7)]"), "neighbours", "7 is not among the datasets"),
    "empty space": (own(datasets="[]"), "datasets", "no datasets"),
    "unhashable": (own(datasets="[[0], [1]]"), "datasets", "not hashable"),
    "twice": (own(datasets="[0, 1, 1]"), "datasets", "occurs twice at n = 1: 1"),
    "raising space": (own(datasets="lambda n: 1 / 0"), "datasets", "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mechanism_is_told_by_its_message(name: str, tmp_path: Path) -> None:
    source, check, message = BAD[name]
    (tmp_path / "own.py").write_text(source)
    done = run(tmp_path, "check", "own.py:mine", "--n", "1", "--no-plot")
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    arguments = ("check", "own.py:mine", "--n", "1", "--conformance", "--format", "json")
    conformance = run(tmp_path, *arguments)
    assert (conformance.returncode, conformance.stderr) == (Exit.EXCEEDS, "")
    document = json.loads(conformance.stdout)
    decode(conformance.stdout.encode(), documents()[document["schema"]], real)
    failed = {
        one["check"]: one["message"]
        for one in document["mechanisms"][0]["checks"]
        if one["status"] == "failed"
    }
    assert list(failed) == [check]
    assert message in failed[check]
    assert document["conforms"] is False


NOT_LOADED = {
    "syntax": ("def mine(:\n", "SyntaxError"),
    "import": ("import no_such_thing\n", "ModuleNotFoundError"),
    "exit": ("raise SystemExit\n", "SystemExit"),
    "budget": (own(budget="-1"), "must be a number greater than 0"),
    "relation": (own(neighbours='"one-entri"'), "did you mean one-entry"),
    "no mechanism": ("mine = 5\n", "an int is not a mechanism"),
    "no datasets": ("class mine:\n    def law(self, x): return {0: 1}\n", "has no datasets"),
}


@pytest.mark.parametrize("name", NOT_LOADED)
@pytest.mark.parametrize("arguments", [("check", "--conformance"), ("curve",), ("show",)])
def test_what_cannot_be_loaded_is_one_line(
    name: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    source, message = NOT_LOADED[name]
    (tmp_path / "own.py").write_text(source)
    command, *options = arguments
    done = run(tmp_path, command, "own.py:mine", *options)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


HANGING = {
    "sleeps": own("time.sleep(99)"),
    "swallows": own("""
    while True:
        try:
            time.sleep(99)
        except BaseException:
            pass"""),
    "computes": own("return {0: sum(range(10**13))}"),
    "hangs when imported": HEAD + "time.sleep(99)",
}


@pytest.mark.parametrize("name", HANGING)
def test_nothing_hangs_past_its_cap(name: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(HANGING[name])
    start = time.monotonic()
    done = run(tmp_path, "check", "own.py:mine", "--no-plot", "--time-cap", "1")
    assert time.monotonic() - start < 30  # not a measurement: 99 seconds would be a hang
    assert (done.returncode, done.stdout) == (Exit.UNDECIDED, "")
    assert "time cap: nothing was finished after 1 s" in done.stderr


def test_a_slow_mechanism_does_not_conform(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(HANGING["sleeps"])
    done = run(tmp_path, "check", "own.py:mine", "--conformance", "--time-cap", "9")
    assert done.returncode == Exit.EXCEEDS
    assert "slow: the law at 0 took longer than the time cap of 9 s" in done.stdout
    assert "pass   laws" not in done.stdout


def test_a_process_that_is_ended_from_inside_is_no_pass(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(own("os._exit(0)"))
    done = run(tmp_path, "check", "own.py:mine", "--no-plot")
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "the audited code ended the process of the audit (code 0)" in done.stderr


STALLING = """
import time
import dpaudit

drawn = []

@dpaudit.sampler(datasets=[0, 1], neighbours="all", budget=3)
def stalling(x, rng):
    drawn.append(x)
    if len(drawn) > 12_000:
        time.sleep(99)
    return int(rng.integers(4) < 3) ^ x
"""


@pytest.mark.parametrize("sequential", [True, False])
def test_a_sampler_that_stalls_has_the_bounds_so_far(sequential: bool, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(STALLING)
    words = ["--draws", "10000", "--time-cap", "9", "--output", "report.json", "--format", "json"]
    words += ["--sequential"] * sequential
    done = run(tmp_path, "sample", "own.py:stalling", "--no-plot", *words)
    assert done.returncode == Exit.UNDECIDED, done.stderr
    document = json.loads((tmp_path / "report.json").read_text())
    assert document["verdict"] == "unfinished"
    assert 0 < document["event"]["draws"] < 8_000
    assert 0.1 < float(document["epsilon"]) < 1.0987  # ln 3
    assert run(tmp_path, "verify", "report.json").returncode == 0


LATER = """
import time
class Later:
    budget, neighbours = "ln(3)", "all"
    def datasets(self, n):
        return [(n, 0), (n, 1)]
    def law(self, x):
        print("a law at", x)
        if x[0] >= 3:
            time.sleep(99)
        return {x[1]: "3/4", 1 - x[1]: "1/4"}
"""


def test_what_is_finished_at_the_cap_is_reported_and_can_be_resumed(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(LATER)
    report = ("--format", "json", "--output", "report.json", "--jobs", "1")
    arguments = ("check", "own.py:Later", "--n", "1..4", *report)
    done = run(tmp_path, *arguments, "--time-cap", "3")
    assert done.returncode == Exit.UNDECIDED
    assert "time cap reached; what was finished is reported" in done.stderr
    document = json.loads((tmp_path / "report.json").read_text())
    assert [result["verdict"] for result in document["results"]] == ["within", "within"]
    assert (document["missing"], document["verdict"]) == ([3, 4], "undecided")
    assert len(document["loaded"]["sha256"]) == 64
    quicker = LATER.replace("99", "0")
    (tmp_path / "own.py").write_text(quicker)
    refused = run(tmp_path, *arguments, "--resume")
    assert refused.returncode == Exit.USAGE
    assert "source = (own.py:Later," in refused.stderr


def test_workers_load_it_again_and_find_the_same(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(LATER.replace("99", "0"))
    outputs = []
    for jobs in ("1", "2"):
        name = f"{jobs}.json"
        shared = ("--format", "json", "--output", name, "--jobs", jobs)
        done = run(tmp_path, "check", "own.py:Later", "--n", "1..4", *shared)
        assert (done.returncode, done.stdout) == (0, "")
        assert "(4, 0)" in done.stderr  # what is printed is no part of the report
        outputs.append((tmp_path / name).read_bytes())
    assert outputs[0] == outputs[1]
    kept = json.loads(outputs[0])
    kept["results"], kept["missing"], kept["verdict"] = kept["results"][:2], [3, 4], "undecided"
    kept["sha256"] = seal_of(kept)
    (tmp_path / "1.json").write_text(json.dumps(kept))
    report = ("--format", "json", "--output", "1.json", "--resume", "--jobs", "2")
    assert run(tmp_path, "check", "own.py:Later", "--n", "1..4", *report).returncode == 0
    assert (tmp_path / "1.json").read_bytes() == outputs[0]


def test_an_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(LATER)
    with heeding_interrupts():
        process = subprocess.Popen(
            [sys.executable, "-m", "dpaudit", "check", "own.py:Later", "--n", "1..3", "--no-plot"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    assert process.stderr is not None
    while "(3, 0)" not in process.stderr.readline():
        pass
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == Exit.INTERRUPTED
    assert err == "dpaudit: interrupted; what was finished is reported\n"
    assert "not finished: 1 size (3)" in out


HOSTILE = """
import enum
class Colour(enum.Enum):
    RED = 1
    GREEN = 2
class Mine:
    name = "mine/../| strange"
    budget = 40
    datasets = [frozenset("ab"), frozenset("abc"), 10**30, "", "two\\nlines", Colour.RED, None, 2.5]
    neighbours = "all"
    def law(self, x):
        return {x: "1/2", "|": "1/4", Colour.GREEN: "1/8", (1, ("a", None)): "1/8"}
"""


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown"])
def test_reports_are_right_for_any_values(form: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(HOSTILE)
    arguments = ("own.py:Mine", "--format", form, "--jobs", "1")
    runs = [
        run(tmp_path, "check", *arguments, "--plot", "a.png", PYTHONHASHSEED=seed)
        for seed in ("1", "2")
    ]
    assert [done.returncode for done in runs] == [1, 1]  # an output that only one side can give
    assert runs[0].stdout == runs[1].stdout
    assert "{a, b}" in runs[0].stdout
    curve = run(tmp_path, "curve", *arguments, "--no-plot")
    assert (curve.returncode, curve.stderr) == (0, "")
    if form == "json":
        witness = json.loads(runs[0].stdout)["results"][0]["witness"]
        assert witness["output"] == "{a, b}"
        assert witness["loss"]["lower"] == "inf"


def test_data_are_named_by_their_text(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(own(datasets='["yes", "no"]', body="return {0: 1}"))
    done = run(tmp_path, "check", "own.py:mine", "--at", "yes", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["at"]) == (0, "yes")
    other = run(tmp_path, "check", "own.py:mine", "--at", "maybe")
    assert other.returncode == Exit.USAGE
    assert "no dataset of mine at n = 1; there are yes, no" in other.stderr


PARAMETERS = """
from fractions import Fraction
class Mine:
    budget, datasets = "ln(3)", [0, 1]
    def __init__(self, epsilon, p: Fraction = Fraction(1, 2)):
        self.budget, self.p = epsilon, p
    def law(self, x):
        return {x: self.p, 1 - x: 1 - self.p}
"""


def test_parameters_are_options_where_it_has_them(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PARAMETERS)
    done = run(
        tmp_path, "check", "own.py:Mine", "--eps", "1/2,ln(3)", "--set", "p=3/4", "--format", "csv"
    )
    assert done.returncode == 1
    rows = done.stdout.splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["epsilon=1/2;p=3/4", "epsilon=ln(3);p=3/4"]
    assert [row.split(",")[-2] for row in rows] == ["exceeds", "within"]
    for arguments, message in (
        ((), "needs the parameter epsilon"),
        (("--eps", "1", "--gamma", "1"), "--gamma: Mine has no such parameter; known: epsilon, p"),
        (("--eps", "1", "--set", "zz=1"), "--set zz: Mine has no such parameter"),
        (("--eps", "1", "--set", "epsilon=1"), "epsilon is given twice"),
        (("--eps", "1", "--set", "p"), "must be NAME=VALUE"),
        (("--eps", "1", "--time-cap", "nan"), "must be seconds"),
    ):
        refused = run(tmp_path, "check", "own.py:Mine", "--no-plot", *arguments)
        assert (refused.returncode, refused.stdout) == (Exit.USAGE, "")
        assert message in refused.stderr


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """Install a package with mechanisms, as far as entry points go; return the environment."""
    site = tmp_path / "site"
    info = site / "noisy-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[dpaudit.mechanisms]\ncoin = noisy:mine\nbroken = noisy_broken:mine\nEHDS = noisy:mine\n"
        "malformed = not even\n"
    )
    (site / "noisy.py").write_text(own())
    (site / "noisy_broken.py").write_text('raise RuntimeError("no luck")\n')
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {"PYTHONPATH": path}


def test_installed_mechanisms_are_listed_without_being_loaded(
    tmp_path: Path, installed: dict[str, str]
) -> None:
    done = run(tmp_path, "list", "--format", "json", **installed)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["installed"][:2] == [
        {"name": "broken", "target": "noisy_broken:mine", "package": "noisy 1.2"},
        {"name": "coin", "target": "noisy:mine", "package": "noisy 1.2"},
    ]
    text = run(tmp_path, "list", **installed).stdout
    assert "EHDS (hidden by the built-in one)" in text
    assert "noisy:mine" not in run(tmp_path, "list").stdout


def test_installed_mechanisms_are_used_by_name(tmp_path: Path, installed: dict[str, str]) -> None:
    arguments = ("--n", "3", "--format", "csv", "--jobs", "2")
    done = run(tmp_path, "check", "coin", "EHDS", *arguments, **installed)
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == ["mine", "EHDS"]
    assert "reference   coin" in run(tmp_path, "show", "coin", **installed).stdout
    for name, message in (
        ("broken", "importing it raised RuntimeError: no luck"),
        ("malformed", "which is not module:name"),
        ("coim", "did you mean coin?"),
    ):
        refused = run(tmp_path, "check", name, "--no-plot", **installed)
        assert (refused.returncode, refused.stderr.count("\n")) == (Exit.USAGE, 1)
        assert message in refused.stderr


@pytest.mark.parametrize("name", ["LSHist", "EHDS", "MH", "NotesLaplace"])
def test_built_in_mechanisms_conform(name: str, tmp_path: Path) -> None:
    done = run(tmp_path, "check", name, "--conformance", "--n", "1..4")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_line_of_a_file_that_raised_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from dpaudit import finite_mechanism\n\nfinite_mechanism(3)\n"
    )
    refused = run(tmp_path, "check", "own.py:law", "--no-plot")
    assert refused.returncode == Exit.USAGE
    assert refused.stderr.endswith("(line 3 of own.py)\n")


METHODS = """
import random


class Client:
    def __init__(self, chance):
        self.chance = chance

    def report(self, truth):
        return truth if random.random() < self.chance else not truth


def report(truth, chance):
    return Client(chance).report(truth)


client = Client(0.75)
"""


@pytest.mark.parametrize(
    "call",
    [
        "Client(chance=0.75).report",
        "Client(0.75).report",
        "client.report",
        "report(_, chance=0.75)",
    ],
)
def test_a_call_is_a_function_as_its_name_is(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "service.py").write_text(METHODS)
    monkeypatch.chdir(tmp_path)
    given = ["--inputs", "True,False", "--budget", "ln(3)", "--no-plot"]
    assert invoke(["check", f"service.py:{call}", *given]) == 0
    assert "within: ε = ln(3)" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["service.py:Client(0.75).report"], "a call needs its datasets: --inputs"),
        (["service.py:Client(0.75", "--inputs", "0,1"], "allowed are names, attributes and calls"),
        (["service.py:Client(open('x'))", "--inputs", "0,1"], "allowed are names"),
        (["service.py:", "--inputs", "0,1"], "allowed are a built-in name"),
        (["service.py:Server().report", "--inputs", "0,1"], "service.py has no Server"),
    ],
)
def test_what_is_no_call_is_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "service.py").write_text(METHODS)
    monkeypatch.chdir(tmp_path)
    assert invoke(["check", *words]) == 2
    told = capfd.readouterr()
    assert told.err.count("\n") == 1
    assert message in told.err
