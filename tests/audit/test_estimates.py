"""What there is no memory for is refused before it is allocated, and what fits is foreseen."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpaudit
from dpaudit import machine
from dpaudit.api import make_plan, mechanism
from dpaudit.api.finished import swept
from dpaudit.audit import estimate, room
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.futures import as_finished
from dpaudit.audit.plan import MAX_SIZE, read_sizes
from dpaudit.audit.room import check_room, largest_below, workers_that_fit
from dpaudit.audit.sweep import sweep
from dpaudit.errors import DomainError, SizeError, TooLargeError
from dpaudit.gate.run import run_gate
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.results import Kind
from tests.estimates import FEW, LARGE, OWN, REFUSED, measured

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
LITTLE = 150 << 20


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> int:
    """Leave the machine little memory."""
    for module in (machine, estimate, room):
        monkeypatch.setattr(module, "available", lambda: LITTLE)
    monkeypatch.setattr("dpaudit.screens.bounds.available", lambda: LITTLE)
    return LITTLE


@LINUX
@pytest.mark.parametrize("line", REFUSED)
def test_what_is_beyond_the_machine_is_refused_before_it_is_allocated(
    line: str, tmp_path: Path
) -> None:
    found = measured(line, tmp_path)
    assert (found.code, found.errors.count("\n")) == (2, 1), found.errors
    assert "needs about" in found.errors
    assert "are free" in found.errors or "the memory cap allows" in found.errors
    assert found.peak < 2 * LARGE
    made = ["report.json"] if "<" in line else []
    kept = sorted(["dpaudit.toml", "own.py", "required", *made])
    assert sorted(one.name for one in tmp_path.iterdir()) == kept


@LINUX
@pytest.mark.parametrize("line", FEW)
def test_what_is_foreseen_is_within_a_factor_of_two_of_what_is_taken(
    line: str, tmp_path: Path
) -> None:
    found = measured(line, tmp_path)
    assert found.code == 0, found.errors
    assert 0.5 <= found.ratio <= 2, (machine.amount(found.predicted), machine.amount(found.peak))


def test_a_refusal_says_what_is_asked_for_and_what_fits(little: int) -> None:
    with pytest.raises(TooLargeError) as refused:
        dpaudit.check("EHDS", 200, prior="1,1,1,1,1")
    message = str(refused.value)
    assert message.startswith(
        "EHDS at n = 200, k = 5: 70,058,751 datasets, 686,850,500 pairs, 70,058,751 outputs, about"
    )
    assert message.endswith("150 MB are free; n ≤ 32 fits")
    assert refused.value.needed > 10**11
    assert refused.value.available == little
    plan = make_plan(mechanism("EHDS", k=5))
    sizes = {
        n: estimate.estimate(EpsilonDelta(), mechanism("EHDS", k=5), n, plan).bytes
        for n in (32, 33)
    }
    assert sizes[32] <= little < sizes[33]


@pytest.mark.parametrize(
    "call",
    [
        lambda: dpaudit.check("MH", 14, k=8),
        lambda: dpaudit.check_notion("EHDS", 2000, "renyi", order=2),
        lambda: dpaudit.curve("EHDS", 14, k=8),
        lambda: dpaudit.tradeoff("EHDS", 2000),
        lambda: dpaudit.calibrate("EHDS", 14, k=8),
        lambda: dpaudit.account("EHDS", 14, [1], k=8, estimates=False),
        lambda: dpaudit.compare_accuracy("EHDS", (300, 300, 300), k=3),
        lambda: dpaudit.hunt("EHDS", {"n": "14..15"}, k=8),
        lambda: dpaudit.check("EHDS", 2000, engine="ball"),
    ],
)
def test_python_functions_refuse_in_one_clear_line(call: object, little: int) -> None:
    assert callable(call)
    with pytest.raises(TooLargeError, match=r"^[^\n]*needs about [^\n]*150 MB are free"):
        call()


def test_a_cap_is_one_more_limit() -> None:
    allowed = "the memory cap allows 300 MB"
    with dpaudit.memory_cap(300), pytest.raises(TooLargeError, match=allowed):
        dpaudit.check("EHDS", 20, k=7)
    for wrong in (255, "1e3", -1, 1 << 21, "two"):
        with pytest.raises(DomainError), dpaudit.memory_cap(wrong):
            pass
    with dpaudit.memory_cap(1 << 20), dpaudit.memory_cap(256):
        assert machine.available() <= 256 << 20


def test_ranges_of_sizes_stay_ranges() -> None:
    assert read_sizes(f"1..{MAX_SIZE}") == range(1, MAX_SIZE + 1)
    assert read_sizes("10..180..50") == range(10, 181, 50)
    with pytest.raises(SizeError, match="more than 1000000 sizes"):
        read_sizes("1..1000000,3")


def test_sizes_are_given_to_workers_as_they_are_needed() -> None:
    from concurrent.futures import Future

    made = 0

    def futures() -> Iterator["Future[int]"]:
        nonlocal made
        while True:
            made += 1
            one: Future[int] = Future()
            one.set_result(made)
            yield one

    coming = as_finished(futures(), 3)
    assert sorted(next(coming).result() for _ in range(3)) == [1, 2, 3]
    assert made <= 6


def test_workers_multiply(little: int) -> None:
    subject = mechanism("EHDS", k=7)
    plan = make_plan(subject)
    assert check_room(EpsilonDelta(), subject, (9,), plan) is not None
    with pytest.raises(TooLargeError, match=r"in 4 processes it needs .*; --jobs 1 fits"):
        check_room(EpsilonDelta(), subject, (9,), plan, 4)
    assert check_room(EpsilonDelta(), subject, (30,), plan, elsewhere=True) is not None
    assert [workers_that_fit(held, 4) for held in (10 << 20, 40 << 20, 10**9)] == [4, 2, 1]
    assert largest_below(lambda n: 2 * n, 1, 10) == 0


def test_later_sizes_of_a_users_mechanism_are_told_when_their_turn_comes(little: int) -> None:
    @finite_mechanism(
        datasets=lambda n: [(n, 0), (n, 1)], neighbours="all", budget=5, normalised=False
    )
    def subject(dataset: tuple[int, int]) -> dict[int, int]:
        return dict.fromkeys(range(10 if dataset[0] < 3 else 300_000), 1)

    found = list(sweep(EpsilonDelta(), subject, (1, 2, 3), make_plan(subject)))
    assert [one.n for one in found] == [1, 2, 3]
    assert [hasattr(one, "epsilon") for one in found] == [True, True, False]
    assert "needs about" in found[2].reason
    assert "150 MB are free" in found[2].reason
    with pytest.raises(TooLargeError):
        swept(EpsilonDelta(), subject, (3,), make_plan(subject), 1)


def test_laws_larger_than_the_first_are_refused_as_they_come(little: int) -> None:
    @finite_mechanism(datasets=range(40), neighbours="all", budget=50, normalised=False)
    def growing(x: int) -> dict[int, int]:
        return dict.fromkeys(range(2 if x < 2 else 150_000), 1)

    plan = make_plan(growing, engine="ball")
    assert check_room(EpsilonDelta(), growing, (1,), plan) is not None
    with pytest.raises(TooLargeError, match="more than was estimated: keeping them needs"):
        EpsilonDelta().at_size(growing, 1, plan, lambda pairs: None)


@LINUX
def test_an_entry_of_a_gate_that_does_not_fit_fails_alone(tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text(
        '[[mechanism]]\nmechanism = "EHDS"\nn = 20\nmemory-cap = 256\n'
        "parameters = { prior = [1, 1, 1, 1, 1, 1, 1] }\n"
        '[[mechanism]]\nmechanism = "EHDS"\nn = 10\n'
        '[[mechanism]]\nmechanism = "own.py:greedy"\nn = 1\nmemory-cap = 300\n'
    )
    (tmp_path / "own.py").write_text(
        "from dpaudit import finite_mechanism\n"
        "@finite_mechanism(datasets=[0, 1], budget=1)\n"
        "def greedy(x):\n"
        "    try:\n"
        "        held = [bytearray(1 << 24) for _ in range(64)]\n"
        "    except MemoryError:\n"
        "        return {0: 1}\n"
        "    return {0: '1/2', 1: '1/2'}\n"
    )
    large, small, greedy = run_gate(config, 1).mechanisms
    assert (large.kind, large.passed) == (Kind.MEMORY_CAP, False)
    assert "the memory cap allows 256 MB; n ≤ " in large.message
    assert small.kind is Kind.WITHIN
    assert greedy.kind is Kind.WITHIN  # it was held to its cap: the law of one output is the one


def test_a_hunt_passes_over_what_does_not_fit(little: int) -> None:
    found = dpaudit.hunt("EHDS", {"n": "2,200"}, k=5, evaluations=2)
    (reason,) = [one.reason for one in found.result.unevaluated]
    assert "needs about" in reason
    assert len(found.result.evaluated) == 1


@LINUX
def test_more_memory_than_was_foreseen_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN.replace("return list(range(n))", "return [0] * 10**9"))
    asked = ["check", "own.py:Wide", "--n", "3", "--memory-cap", "512"]
    command = [sys.executable, "-m", "dpaudit", *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "MemoryError" in done.stderr


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for control groups, of a machine with 8 GB left."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9999999 kB\nMemAvailable:   8000000 kB\n")
    (tmp_path / "proc/self/status").write_text("VmSize:\t 900000 kB\nVmRSS:\t 30000 kB\n")
    monkeypatch.setattr(machine, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "_CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(machine, "_own_limits", list)
    return tmp_path


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_memory_is_what_the_machine_and_its_groups_have_left(groups: Path) -> None:
    held = 30_000 << 10
    assert machine.available() == (8_000_000 << 10) + held
    (groups / "proc/self/cgroup").write_text("0::/one/two\n")
    write(groups / "groups/one/two", memory__max="max\n", memory__current="5\n")
    assert machine.available() == (8_000_000 << 10) + held
    write(
        groups / "groups/one",
        memory__max="1000000000\n",
        memory__current="400000000\n",
        memory__stat="anon 1\ninactive_file 100000000\n",
    )
    assert machine.available() == 700_000_000 + held  # a group above counts too
    (groups / "proc/self/cgroup").write_text("4:memory:/box\n0::/\n")
    write(
        groups / "groups/memory/box",
        memory__limit_in_bytes="500000000\n",
        memory__usage_in_bytes="200000000\n",
        memory__stat="total_inactive_file 50000000\n",
    )
    assert machine.available() == 350_000_000 + held
    write(groups / "groups/memory/box", memory__limit_in_bytes="9223372036854771712\n")
    assert machine.available() == (8_000_000 << 10) + held


def test_a_recheck_is_refused_before_anything_is_computed(
    tmp_path: Path, little: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    report.write_text(dpaudit.check("EHDS", 14, k=5).to_json())
    monkeypatch.setattr("dpaudit.recheck.verify._checked", lambda *_: None)
    monkeypatch.setattr(machine, "resident", lambda: 0)
    dpaudit.verify(report, all_pairs=True)
    monkeypatch.setattr(machine, "available", lambda: 60 << 20)
    with pytest.raises(TooLargeError, match=r"^the recheck of EHDS at n = 14, all pairs needs .*"):
        dpaudit.verify(report, all_pairs=True)
    monkeypatch.setattr(machine, "available", lambda: machine.INTERPRETER)
    with pytest.raises(TooLargeError, match=r"report\.json, 1 MB, to be read, needs about 45 MB"):
        dpaudit.verify(report)


@LINUX
def test_the_limits_of_a_process_count() -> None:
    code = (
        "import resource\nfrom dpaudit import machine\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "assert machine.available() < 1 << 30\n"
        "assert machine.available() > 1 << 28\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
