"""Settings shared by all tests: property tests repeat exactly where the environment says CI."""

import compileall
import functools
import gc
import importlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dpaudit.gate.revision import COMMIT_VARIABLES
from tests import campaigns
from tests.made_once import fingerprint
from tests.rechecking import rechecked_reports
from tests.untested import Untested, refusal

os.environ.pop("COLUMNS", None)  # a process of xdist has it, and tables would be fitted to it
os.unsetenv("COLUMNS")  # readline sets it behind the back of os.environ, for children to find

for name in COMMIT_VARIABLES:  # reports of gates would tell it
    os.environ.pop(name, None)

ROOT = Path(__file__).parent.parent

CACHED = type(functools.cache(len))
"""Type of functions that remember what they returned."""

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much)
settings.register_profile("local", deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", deadline=None, suppress_health_check=SLOW, derandomize=True)
settings.register_profile("quick", max_examples=20, deadline=None, suppress_health_check=SLOW)
settings.load_profile("ci" if os.environ.get("CI") else "local")

QUICK = (
    "accounting/test_composition.py",
    "audit/test_known_values.py",
    "audit/test_verdicts.py",
    "claims/test_bernstein.py",
    "claims/test_engine.py",
    "data/test_adjacency.py",
    "data/test_queries.py",
    "numbers",
    "laws/test_closed.py",
    "laws/test_explicit.py",
    "laws/test_geometric.py",
    "laws/test_weighted.py",
    "mechanisms/test_table.py",
    "results",
    "test_architecture.py",
    "attacks/test_relations.py",
    "attacks/test_words.py",
    "attacks/test_verdicts.py",
)
"""Folders and files of the quick set: ``pytest -m quick tests``."""

YOUNG_OBJECTS, COLLECTIONS_OF_YOUNG = 20_000, 100
"""Thresholds of the collector of garbage while tests run."""

LONG_MINUTES = 10
"""A long case is not begun in a campaign that has less: one takes four on a fast machine."""

QUICK_PATHS = [Path(__file__).parent / name for name in QUICK]


@functools.cache
def is_quick(path: Path) -> bool:
    return any(path.is_relative_to(quick) for quick in QUICK_PATHS)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once, and try fewer examples where the quick set is all that is run.

    Where the environment forbids Python to write bytecode, every command that a test starts would
    compile all that it imports anew, which is half of its time.
    """
    if not hasattr(config, "workerinput"):  # before any worker of xdist starts
        compileall.compile_dir(ROOT / "dpaudit", quiet=2)
        if getattr(config.option, "numprocesses", None):  # what one worker compiles, others find
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    reason = refusal()
    if reason is not None:
        config.pluginmanager.register(Untested(reason))
    if config.option.markexpr == "quick":
        settings.load_profile("quick")
    if is_named(config) or "campaign" in config.option.markexpr:
        campaigns.try_all_cases()


def is_named(config: pytest.Config) -> bool:
    """Tell whether files or tests were named: they are run whole."""
    return any("::" in argument or argument.endswith(".py") for argument in config.args)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no other tests where the quick set is all that is run: that would take longer."""
    if config.option.markexpr != "quick" or collection_path.is_dir():
        return None
    return None if is_quick(collection_path) else True


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Import what is tried, without looking for garbage: there is hardly any."""
    gc.disable()
    try:
        import_in_turn(session)
        return (yield)
    finally:
        settle_objects()
        gc.enable()


def settle_objects() -> None:
    """Make a million objects of collected tests old, and what tests create old seldom.

    An audit of a plain function lists the objects that are no older than its last scan for live
    generators.  With Python's own thresholds the tests before it have long made that scan old, and
    it lists all of them.
    """
    gc.collect()
    gc.set_threshold(YOUNG_OBJECTS, COLLECTIONS_OF_YOUNG)


def import_in_turn(session: pytest.Session) -> None:
    """Let workers begin with different files: each compiles some, and finds the others compiled.

    All of them import all files, in the same order, and in a new checkout they would compile each
    at the same time.
    """
    options = session.config.option
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if count == 1 or options.markexpr == "quick" or is_named(session.config):
        return
    folders = map(Path, session.config.args)
    files = [path for folder in folders for path in sorted(folder.rglob("test_*.py"))]
    first = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) * len(files) // count
    for path in files[first:]:
        with suppress(Exception, pytest.skip.Exception):  # which is told when it is collected
            name = path.resolve().relative_to(ROOT).with_suffix("").parts
            importlib.import_module(".".join(name))


@pytest.hookimpl(tryfirst=True)  # before -m chooses by these marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the quick set and of campaigns; leave these out where none is asked for."""
    assert all(path.exists() for path in QUICK_PATHS), "a file listed is not there"
    rest = campaigns.rest_of(items)
    for item in items:
        if is_quick(item.path):
            item.add_marker("quick")
    if "campaign" in config.option.markexpr:
        if campaigns.MINUTES in os.environ:
            order = campaigns.in_turn([item.nodeid for item in items], fingerprint())
            items[:] = [items[place] for place in order]
        else:
            items.sort(key=lambda item: not campaigns.is_long(item))
        return
    if is_named(config):
        return
    left_out = set(rest)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=rest)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is left of a campaign when its minutes are over."""
    needed = LONG_MINUTES if campaigns.is_long(item) else 0
    if item.get_closest_marker("campaign") and campaigns.minutes_left_over() < needed:
        pytest.skip("left for a longer campaign: its minutes are over")


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this session share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest, session_folder: Path) -> Path:
    """A folder that sessions with the same code share; see tests/made_once.py."""
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    if cache is None:  # -p no:cacheprovider
        return session_folder
    folder, now = cache.mkdir("made_once"), fingerprint()
    for other in folder.iterdir():
        if other.name != now:  # of code that is no more
            shutil.rmtree(other, ignore_errors=True)
    return folder / now


@pytest.fixture(autouse=True, scope="module")
def _caches_end_with_their_file() -> Iterator[None]:
    """Forget what functions of the package remember, file by file.

    An audit of a plain function looks through all objects of its process for live generators.
    """
    yield
    for name, module in list(sys.modules.items()):
        if name.startswith(("dpaudit.", "tests.oracles.")):
            for value in list(vars(module).values()):
                if type(value) is CACHED:
                    value.cache_clear()


@pytest.fixture(autouse=True)
def every_report_holds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Recheck the reports of every test but those that make wrong ones on purpose."""
    if request.node.get_closest_marker("wrong_on_purpose"):
        yield
        return
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    with rechecked_reports(folder):
        yield
