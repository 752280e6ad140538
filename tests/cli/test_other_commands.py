"""``curve``, ``list``, ``show``, ``schema``, ``--help`` and ``--version``."""

import json
import platform
import re
import subprocess
import sys
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.main import invoke
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.numbers.real import real
from dpaudit.results.documents import OTHERS, as_document, decode, documents
from dpaudit.version import __version__


def out_of(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert invoke(list(arguments)) == 0
    sys.stdout.flush()
    captured = capfd.readouterr()
    assert captured.err == ""
    return captured.out


def test_curve_prints_and_plots(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = out_of(capfd, "curve", "MH", "--n", "10,20")
    assert "δ(4/5)" in out
    assert "δ(3/5)" in out
    assert (tmp_path / "dpaudit-results" / "curve-MH-n10-20.png").stat().st_size > 10_000


def test_the_curve_document_can_be_evaluated_by_anyone(capfd: pytest.CaptureFixture[str]) -> None:
    out = out_of(capfd, "curve", "EHDL", "--n", "12", "--at-eps", "ln(3/2)", "--format", "json")
    document = json.loads(out)
    assert document["schema"] == "dpaudit.curve/1"
    (curve,) = document["curves"]
    scale = Decimal(2) ** curve["scale_bits"]
    ratio = Decimal(3) / 2  # e^ε at ε = ln(3/2)
    bounds = [
        max(Decimal(vertex["p"]) - ratio * Decimal(vertex["q"]) for vertex in curve[side]) / scale
        for side in ("lower", "upper")
    ]
    value = next(point for point in curve["values"] if point["epsilon"] == "ln(3/2)")
    slack = Decimal("1e-25")  # of this evaluation in 28 decimals
    assert Decimal(value["lower"]) <= bounds[0] + slack
    assert bounds[1] - slack <= Decimal(value["upper"])
    assert bounds[0] <= bounds[1]


def test_list_names_every_mechanism(capfd: pytest.CaptureFixture[str]) -> None:
    text = out_of(capfd, "list")
    listed = json.loads(out_of(capfd, "list", "--format", "json"))
    assert [entry["mechanism"] for entry in listed["mechanisms"]] == list(mechanism_classes())
    for cls in mechanism_classes().values():
        assert cls.name in text
        assert cls.definition in text


@pytest.mark.parametrize("name", mechanism_classes())
def test_show_gives_every_reading_and_every_reason(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    cls = mechanism_classes()[name]
    text = out_of(capfd, "show", name)
    document = json.loads(out_of(capfd, "show", name, "--format", "json"))
    assert cls.definition in text
    parameters = [*cls.parameters, *cls.shorthands]
    assert [entry["name"] for entry in document["parameters"]] == [p.name for p in parameters]
    for parameter in parameters:
        assert f"{parameter.default}: {parameter.reason}" in text
        if isinstance(parameter, ChoiceParameter):
            assert all(meaning in text for _, meaning in parameter.choices)
    assert all(finding in text for finding in cls.disagreements)


def test_show_trust_names_what_is_assumed_with_versions(
    capfd: pytest.CaptureFixture[str],
) -> None:
    text = out_of(capfd, "show", "--trust")
    page = json.loads(out_of(capfd, "show", "--trust", "--format", "json"))
    for part in ("trusted", "screen", "not_trusted", "not_claimed"):
        assert page[part]
        for entry in page[part]:
            assert entry["what"] in text
            assert entry["why"] in text
    for package in ("numpy", "python-flint"):
        assert f" {version(package)}]" in text
    assert platform.python_version() in text
    assert page["version"] == __version__


@pytest.mark.parametrize("arguments", [(), ("EHDS", "--trust")])
def test_show_wants_one_thing(
    capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert invoke(["show", *arguments]) == Exit.USAGE
    assert "give either the name of a mechanism or --trust" in capfd.readouterr().err


@pytest.mark.parametrize("name", documents())
def test_schemas_are_published(capfd: pytest.CaptureFixture[str], name: str) -> None:
    document = json.loads(out_of(capfd, "schema", name))
    assert document["$schema"].startswith("https://json-schema.org/")
    assert "$ref" in document
    assert name in out_of(capfd, "schema")


def test_reports_fit_their_schemas(capfd: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ("check", "EHDS", "--n", "3,4", "--format", "json", "--at-eps", "0"),
        ("check", "LSDim", "EHD", "--n", "3", "--format", "json"),
        ("curve", "LSDim", "--n", "3", "--format", "json"),
        ("curve", "LSDim", "MH", "--n", "3", "--format", "json"),
        ("prove", "I-left", "--format", "json"),
        ("show", "--trust", "--format", "json"),
        ("list", "--format", "json"),
        ("show", "kRR", "--format", "json"),
        ("show", "dpaudit.mechanisms.classics.randomised_response:RR", "--format", "json"),
        ("prove", "--list", "I-*", "--format", "json"),
        ("reproduce", "--list", "--format", "json"),
    ):
        text = out_of(capfd, *arguments)
        kind = documents()[json.loads(text)["schema"]]
        decoded = decode(text.encode(), kind, real)
        assert as_document(decoded) == json.loads(text)


NOT_PUBLISHED = {
    "dpaudit.hunt-points/1": "the table of --points, which is CSV",
    "dpaudit.ledger/1": "what prove --record keeps for prove itself",
    "dpaudit.matching/1": "the text before a seed of --matching, of which the order is drawn",
}
"""Names in the source that no schema is published for, and why."""


def test_every_document_of_the_source_is_published() -> None:
    source = "".join(path.read_text() for path in Path(dpaudit.__file__).parent.rglob("*.py"))
    named = set(re.findall(r"dpaudit\.[a-z-]+/\d+", source))
    assert named - {*documents(), *OTHERS} == set(NOT_PUBLISHED)
    assert {*documents(), *OTHERS} <= named


def test_the_version_is_printed_without_loading_anything_heavy() -> None:
    code = (
        "import sys; from dpaudit.cli.main import invoke; code = invoke(['--version']);"
        "heavy = {'flint', 'numpy', 'matplotlib', 'rich', 'msgspec', 'sympy', 'z3', 'mpmath'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules); sys.exit(code)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert __version__ in found.stdout


_HEAVY = {"matplotlib", "multiprocessing", "numpy", "mpmath", "rich", "sympy", "z3"}
"""Modules that take as long to load as a small audit takes, or longer."""
_HELP = {"dpaudit.mechanisms.classics.selection", "dpaudit.notes.hellinger_exponential"}


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        ("check --help", {"importlib.metadata", *_HELP}),
        ("curve -h", {"importlib.metadata", *_HELP}),
        ("check EHDS --help", {"importlib.metadata", "dpaudit.mechanisms.classics.selection"}),
        ("list", {"dpaudit.mechanisms.loading", "dpaudit.audit.certify"}),
        ("show EHDS", {"dpaudit.audit.certify"}),
        ("check EHDS --n 10", {"importlib.metadata", "dpaudit.screens.tables"}),
        ("check EHDS --n 5,6 --no-plot", {"importlib.metadata", "dpaudit.screens.tables"}),
        ("check EHDS --n 10 --notion zcdp", {"importlib.metadata", "dpaudit.screens.tables"}),
        ("check RR", {"importlib.metadata", "dpaudit.notes.hellinger_exponential"}),
    ],
)
def test_a_small_command_loads_nothing_heavy(
    words: str, unneeded: set[str], tmp_path: Path
) -> None:
    code = (
        "import sys; from dpaudit.cli.main import invoke;"
        f"code = invoke({words.split()}); print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert not (_HEAVY | unneeded) & set(done.stderr.split())
    assert not list(tmp_path.iterdir())


def test_a_check_of_one_mechanism_imports_what_it_needs() -> None:
    code = (
        "import sys; from dpaudit.cli.main import invoke;"
        "code = invoke(['check', 'EHDS', '--n', '5', '--eps', '1', '--no-plot']);"
        "found = [n for n in sys.modules if n.startswith('dpaudit.mechanisms.classics')];"
        "others = {'multiprocessing', 'importlib.metadata', 'dpaudit.mechanisms.user'};"
        "assert not found and not others & set(sys.modules), found; sys.exit(code)"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


@pytest.mark.parametrize(
    "words",
    [
        "check EHDS --n 5 --gamma 1/2 --no-plot",
        "check ehds SVT1 --n 3 --eps=1 --no-plot",
        "curve SUE --k 3 --no-plot",
        "hunt MH --over n=2..4 --divisor 1 --no-plot",
    ],
)
def test_options_of_some_mechanisms_are_those_of_all(
    capfd: pytest.CaptureFixture[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the options of all parameters are made or of the needed ones makes no difference."""
    from dpaudit.cli import parameter_options

    found = (invoke(words.split()), capfd.readouterr())
    monkeypatch.setattr(parameter_options, "built_in_name", {}.get)  # none is known as named
    assert (invoke(words.split()), capfd.readouterr()) == found
    assert found[0] in (0, 1)


@pytest.mark.parametrize("command", [[], ["check"], ["calibrate"]])
def test_help_states_the_exit_codes(capfd: pytest.CaptureFixture[str], command: list[str]) -> None:
    text = out_of(capfd, *command, "--help")
    for line in epilogue().splitlines()[2:]:
        assert line.strip() in text
    for code in Exit:
        assert f"{code.value} " in text


@pytest.mark.parametrize("command", ["curve", "tradeoff", "accuracy", "reproduce"])
def test_commands_without_a_verdict_do_not_speak_of_budgets_kept(
    capfd: pytest.CaptureFixture[str], command: str
) -> None:
    ending = out_of(capfd, command, "--help").split("Exit codes:")[1]
    codes = {int(line.split()[0]) for line in ending.splitlines() if line.strip()}
    assert codes == {code.value for code in Exit if code is not Exit.EXCEEDS}
    assert "budget" not in ending


@pytest.mark.parametrize(("arguments", "code"), [(["list"], 0), (["check", "EHDS"], 2)])
def test_a_quick_end_keeps_what_is_to_be_done_at_exit(arguments: list[str], code: int) -> None:
    program = (
        f"import atexit, sys; atexit.register(print, 'at exit'); sys.argv[1:] = {arguments!r};"
        "from dpaudit.cli.main import run; print('before'); run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stdout.startswith("before\n")
    assert done.stdout.endswith("at exit\n")
