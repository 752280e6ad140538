"""A real Dask scheduler and two real workers, as processes of their own on this machine."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from dpaudit import check
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.cluster import _on_worker, cluster_executor
from dpaudit.audit.plan import Plan
from dpaudit.audit.sweep import sweep
from dpaudit.errors import ClusterError
from dpaudit.notes.hellinger_exponential import EHDS, MH
from dpaudit.questions.notion.measure import ask
from dpaudit.report.render import render
from dpaudit.results import Verdict

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Cluster:
    address: str
    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]

    def start_worker(self, code: Path = ROOT) -> None:
        self.workers.append(
            started(
                *("worker", self.address, "--nworkers", "1", "--nthreads", "2", "--no-dashboard"),
                *("--host", "127.0.0.1", "--local-directory", str(self.folder), "--no-nanny"),
                code=code,
            )
        )


def started(*arguments: str, code: Path = ROOT) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        cwd=code,
        env={**os.environ, "PYTHONPATH": str(code)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Cluster]:
    process = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    assert process.stderr is not None
    found = None
    while found is None:
        line = process.stderr.readline().decode()
        assert line, "the scheduler did not start"
        found = re.search(r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)", line)
    running = Cluster(found.group(1), tmp_path / "dask", process, [])
    try:
        yield running
    finally:
        for one in (*running.workers, process):
            ended(one)


@pytest.fixture
def cluster(scheduler: Cluster) -> Cluster:
    for _ in range(2):
        scheduler.start_worker()
    return scheduler


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dpaudit", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_the_same_bytes_on_a_cluster(cluster: Cluster) -> None:
    """Sizes side by side, one of them so long that it is shared by the workers."""
    command = ("check", "EHDS", "--n", "5..40..7,6000", "--format", "json", "--at-eps", "1/10")
    found = [run(*command, *where) for where in (("--dask", cluster.address), ("--jobs", "1"))]
    assert [(one.returncode, one.stderr) for one in found] == [(0, "")] * 2
    assert found[0].stdout == found[1].stdout
    assert [result["n"] for result in json.loads(found[0].stdout)["results"]][-1] == 6000


def test_a_sweep_survives_the_loss_of_a_worker(cluster: Cluster) -> None:
    mechanism = EHDS.build({})
    plan = Plan(mechanism.nominal, engine="ball")
    sizes = tuple(range(100, 160))
    found = []
    with cluster_executor(cluster.address) as executor:
        while len(executor._inner._client.scheduler_info()["workers"]) < 2:  # type: ignore[attr-defined]
            time.sleep(0.05)
        for result in sweep(EpsilonDelta(), mechanism, sizes, plan, executor=executor, workers=2):
            found.append(result)
            if len(found) == 3:
                cluster.workers[0].send_signal(signal.SIGKILL)
                cluster.workers[0].wait()
    assert len(found) == len(sizes)
    report = render([EpsilonDelta().report(mechanism, sizes, plan, found)], "json").decode()
    assert report == check("EHDS", sizes, engine="ball", jobs=2).to_json()


def test_a_scheduler_that_goes_away_ends_the_sweep_and_keeps_what_it_finished(
    cluster: Cluster, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "dpaudit", "check", "EHDS", "--n", "5,400..480"),
            *("--engine", "ball", "--dask", cluster.address),
            *("--format", "json", "--output", str(report)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not report.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    cluster.scheduler.send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("dpaudit: cannot use the Dask cluster at tcp://")
    assert err.count("\n") == 1, err
    assert json.loads(report.read_text())["results"]


def test_a_cluster_without_workers_is_one_line(
    scheduler: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpaudit.audit.cluster._SECONDS_TO_CONNECT", 1)
    with (
        pytest.raises(ClusterError, match="the scheduler has no workers"),
        cluster_executor(scheduler.address),
    ):
        pass


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nonsense://127.0.0.1:1", "nonsense"),
        ("127.0.0.1:notaport", "notaport"),
        ("", "missing port"),
        (None, "[Tt]imed out|refused"),
    ],
)
def test_an_address_where_nothing_answers_is_one_line(address: str | None, reason: str) -> None:
    if address is None:
        with socket.socket() as listener:  # a port that nobody listens on
            listener.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    found = run("check", "EHDS", "--n", "5", "--format", "json", "--dask", address)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("dpaudit: cannot use the Dask cluster at ")
    assert re.search(reason, found.stderr)
    assert found.stderr.count("\n") == 1, found.stderr


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="pip install"), cluster_executor("tcp://127.0.0.1:1"):
        pass


def test_a_worker_with_other_code_is_refused_by_name() -> None:
    """Line 11: the version's text, 0.1.0, stays the same while the code is changed."""
    with pytest.raises(ClusterError, match=r"a worker has dpaudit .* where dpaudit 0\.1\.0 \w+"):
        _on_worker("tcp://127.0.0.1:1", "dpaudit 0.1.0 0123456789abcdef", divmod, (7, 2), {})
    with pytest.raises(ClusterError, match="where code that is known is needed"):
        _on_worker("tcp://127.0.0.1:1", "", divmod, (7, 2), {})


def changed_copy(folder: Path, change: tuple[str, str, str]) -> Path:
    """A copy of the package in which one line of one file is another."""
    shutil.copytree(ROOT / "dpaudit", folder / "dpaudit", ignore=shutil.ignore_patterns("*.pyc"))
    name, before, after = change
    source = folder / "dpaudit" / name
    assert source.read_text().count(before) == 1
    source.write_text(source.read_text().replace(before, after))
    return folder


LENIENT = (
    "audit/certify.py",
    "    pure = _compare(found.largest(), budget.epsilon)\n",
    "    return Verdict.WITHIN\n    pure = _compare(found.largest(), budget.epsilon)\n",
)


def test_a_worker_that_runs_changed_sources_gives_no_verdict(
    scheduler: Cluster, tmp_path: Path
) -> None:
    """Line 11: it said ``within`` beside an ε above the budget, exit code 0."""
    scheduler.start_worker(changed_copy(tmp_path / "other", LENIENT))
    command = ("check", "MH", "--divisor", "1", "--n", "10,20", "--no-plot")
    found = run(*command, "--dask", scheduler.address)
    assert (found.returncode, found.stdout) == (2, "")
    assert re.search("the worker .* has dpaudit 0.1.0 .* where dpaudit 0.1.0", found.stderr)
    assert found.stderr.count("\n") == 1, found.stderr


class Lying(Executor):
    """Workers that do the work and then say that all is well."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        found: Future[Any] = Future()
        found.set_result(structs.replace(fn(*args, **kwargs), verdict=Verdict.WITHIN, reason=""))
        return found


def test_what_comes_back_from_a_worker_is_judged_again() -> None:
    """Line 11: the verdict follows from the numbers, whoever computed them."""
    mechanism = MH.build({"divisor": "1"})
    plan = Plan(mechanism.nominal)
    found = list(sweep(EpsilonDelta(), mechanism, (10, 20), plan, executor=Lying(), workers=2))
    assert [result.verdict for result in found] == [Verdict.EXCEEDS] * 2
    question = ask(EHDS.build({}), "zcdp", budget="1/1000")
    values = sweep(question, EHDS.build({}), (10, 20), plan, executor=Lying(), workers=2)
    assert [result.verdict for result in values] == [Verdict.EXCEEDS] * 2
