"""``dpaudit verify``: true reports are accepted, changed ones are not, even if sealed anew."""

import ast
import contextlib
import copy
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit import check, curve
from dpaudit.cli import verify_command
from dpaudit.cli.main import invoke
from dpaudit.gate.run import run_gate
from dpaudit.recheck.binding import Meant
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import RECHECKED, verify
from dpaudit.results.documents import DOCUMENTS, encode, seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands run where they are called, quickly; other tests run them as users do."""
    monkeypatch.setattr(verify_command, "contained_run", lambda *own, **caps: None)


def verdict(folder: Path, document: Document, *, sealed: bool = True, **options: Any) -> str:
    """The verdict on a document, sealed anew if ``sealed``."""
    if sealed:
        document = {**document, "sha256": seal_of(document)}
    path = folder / "report.json"
    path.write_text(json.dumps(document, ensure_ascii=False))
    config = options.pop("config", None)
    return verify(path, meant=Meant(config=config), **options).verdict


AUDITS = {
    "EHDS": check("EHDS", n="9,10", at_eps=["0.1"]).to_json(),
    "MH": check("MH", n="9,10", divisor="1").to_json(),
    "LSHist": check("LSHist", n="4", prior="1,1,1", at_eps=["0.3"]).to_json(),
    "NotesLaplace": check("NotesLaplace", n="4").to_json(),
    "at": check("EHDL", n=6, budget="0.8", at="uniform").to_json(),
    "add-remove": check(
        "LSZhang", n=5, adjacency="histogram-add-remove", coordinates="all"
    ).to_json(),
    "infinite": check("EHDS", n=5, adjacency="histogram-add-remove").to_json(),
}


@pytest.fixture(params=AUDITS)
def audit(request: pytest.FixtureRequest) -> Document:
    document: Document = json.loads(AUDITS[request.param])
    return document


def test_true_audits_are_accepted_in_full(audit: Document, tmp_path: Path) -> None:
    assert verdict(tmp_path, audit, sealed=False) == "accepted"
    assert verdict(tmp_path, audit, all_pairs=True) == "accepted"


def test_any_change_breaks_the_seal(audit: Document, tmp_path: Path) -> None:
    for change in ({"adjacency": "none"}, {"missing": [7]}, {"mechanism": {"name": "none"}}):
        assert verdict(tmp_path, {**audit, **change}, sealed=False) == "rejected"
    del audit["sha256"]
    assert verdict(tmp_path, audit, sealed=False) == "rejected"


# -- changes that are sealed anew ------------------------------------------------------------------


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def changed_digit(text: str) -> str | None:
    """The decimal with its fifth digit from the end changed; None if it has too few."""
    digits = [match.start() for match in re.finditer(r"\d", text.partition("E")[0])]
    if len(digits) < 8:
        return None
    place = digits[-5]
    return f"{text[:place]}{(int(text[place]) + 5) % 10}{text[place + 1 :]}"


def decimals(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all printed decimals that are long enough to be changed."""
    if isinstance(value, dict):
        return [place for key, part in value.items() for place in decimals(part, (*at, key))]
    if isinstance(value, list):
        return [place for key, part in enumerate(value) for place in decimals(part, (*at, key))]
    if isinstance(value, str) and at[-1] in ("lower", "upper") and changed_digit(value):
        return [at]
    return []


def test_every_digit_that_is_changed_is_noticed(audit: Document, tmp_path: Path) -> None:
    places = decimals(audit)
    for place in places:
        changed = copy.deepcopy(audit)
        part = changed
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = changed_digit(part[place[-1]])
        assert verdict(tmp_path, changed) == "rejected", place


def swap_witness(audit: Document) -> None:
    witness = first(audit)["witness"]
    witness["x"], witness["y"] = witness["y"], witness["x"]


def other_output(audit: Document) -> None:
    witness = first(audit)["witness"]
    witness["output"] = list(reversed(witness["output"]))


def no_neighbours(audit: Document) -> None:
    first(audit)["witness"]["y"] = first(audit)["witness"]["x"]


def missing_pair(audit: Document) -> None:
    first(audit)["pairs_covered"] -= 1


def missing_pair_everywhere(audit: Document) -> None:
    first(audit)["pairs_covered"] -= 1
    first(audit)["pairs"] -= 1


def missing_dataset(audit: Document) -> None:
    first(audit)["datasets"] -= 1


def raised_budget(audit: Document) -> None:
    audit["budget"]["epsilon"] = "9/10"


def raised_budget_everywhere(audit: Document) -> None:
    for result in audit["results"]:
        result["delta"]["epsilon"] = "9/10"
        result["verdict"] = "within"
    audit["budget"]["epsilon"] = "9/10"
    audit["stated"] = {"epsilon": "9/10", "delta": "0"}
    audit["verdict"] = "within"


def better_verdict(audit: Document) -> None:
    audit["verdict"] = {"within": "exceeds"}.get(audit["verdict"], "within")


def better_verdicts(audit: Document) -> None:
    for result in audit["results"]:
        result["verdict"] = {"within": "exceeds"}.get(result["verdict"], "within")
    audit["verdict"] = audit["results"][0]["verdict"]


def size_twice(audit: Document) -> None:
    audit["results"].append(audit["results"][0])


def another_size(audit: Document) -> None:
    first(audit)["n"] -= 1


def another_parameter(audit: Document) -> None:
    audit["mechanism"]["prior"][0] = "7/3"


def another_delta(audit: Document) -> None:
    first(audit)["delta"] |= {"lower": "0.25", "upper": "0.25"}
    first(audit)["delta"].pop("exact", None)


def narrower_epsilon(audit: Document) -> None:
    first(audit)["epsilon"]["upper"] = first(audit)["epsilon"]["lower"] = "0.1"
    first(audit)["epsilon"].pop("exact", None)


CHANGES: list[Callable[[Document], None]] = [
    swap_witness,
    other_output,
    no_neighbours,
    missing_pair,
    missing_pair_everywhere,
    missing_dataset,
    raised_budget,
    raised_budget_everywhere,
    better_verdict,
    better_verdicts,
    size_twice,
    another_size,
    another_parameter,
    another_delta,
    narrower_epsilon,
]


@pytest.mark.parametrize("name", ["EHDS", "MH", "LSHist"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_changed_is_noticed(
    change: Callable[[Document], None], name: str, tmp_path: Path
) -> None:
    if name == "LSHist" and change in (other_output, another_parameter):
        pytest.skip("all losses are equal, and nothing depends on the prior: it is still true")
    document = json.loads(AUDITS[name])
    change(document)
    assert document != json.loads(AUDITS[name])
    assert verdict(tmp_path, document) == "rejected"


def test_a_witness_that_is_not_the_worst_is_noticed_over_all_pairs(tmp_path: Path) -> None:
    """A true loss of another pair: only the maximum over all pairs gives it away."""
    document = json.loads(check("EHDS", n=10, at="5,5").to_json())
    document["at"] = None
    result = first(document)
    whole = first(json.loads(check("EHDS", n=10).to_json()))
    for key in ("datasets", "pairs", "pairs_covered"):
        result[key] = whole[key]
    assert verdict(tmp_path, document) == "accepted"
    assert verdict(tmp_path, document, all_pairs=True) == "rejected"


@settings(max_examples=40)
@given(st.data())
def test_a_digit_anywhere_in_the_text_is_noticed(data: st.DataObject) -> None:
    text = AUDITS[data.draw(st.sampled_from(sorted(AUDITS)))]
    places = [match.start() for match in re.finditer(r"\d", text)]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != text[place]]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(f"{text[:place]}{digit}{text[place + 1 :]}")
        with contextlib.suppress(NotAReportError):
            assert verify(path).verdict == "rejected"


# -- curves and gates ------------------------------------------------------------------------------


CURVES = {
    "EHDS": curve("EHDS", n="6,8", at_eps=["0.1"]).to_json(),
    "MH": curve("MH", n=7, prior="1,2,1").to_json(),
    "LSZhang": curve("LSZhang", n=6, coordinates="all").to_json(),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves(name: str, tmp_path: Path) -> None:
    document = json.loads(CURVES[name])
    assert verdict(tmp_path, document, sealed=False) == "accepted"

    def changed(change: Callable[[Document], None]) -> str:
        copied = copy.deepcopy(document)
        change(copied["curves"][0])
        return verdict(tmp_path, copied)

    def vertex(size: Document) -> Document:
        found: Document = size["lower"][len(size["lower"]) // 2]
        return found

    def moved(size: Document) -> None:
        vertex(size)["p"] = str(int(vertex(size)["p"]) * 999 // 1000)

    def elsewhere(size: Document) -> None:
        one = vertex(size)
        one["x"], one["y"] = one["y"], one["x"]

    def left_out(size: Document) -> None:
        size["upper"] = size["upper"][:1]

    def fewer(size: Document) -> None:
        size["pairs"] -= 1

    def another(size: Document) -> None:
        size["values"][0] |= {"lower": "0.5", "upper": "0.5"}

    for change in (moved, left_out, fewer, another, *([elsewhere] if name != "LSZhang" else [])):
        assert changed(change) == "rejected", change.__name__


CONFIG = """
[[mechanism]]
mechanism = "EHDS"
n = "5..8"

[[mechanism]]
label = "MH with divisor 1"
mechanism = "MH"
n = [6, 7]
parameters = { divisor = "1" }

[[mechanism]]
mechanism = "LSHist"
n = "9..10"
notion = "renyi"
order = 2
budget = "1/2"
parameters = { epsilon = 0.8, k = 2 }

[[mechanism]]
mechanism = "RR"
adjacency = "all"

[claims]
I-right = "proved"
"""


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Document, Path]:
    path = tmp_path_factory.mktemp("gate") / "dpaudit.toml"
    path.write_text(CONFIG)
    return json.loads(encode(run_gate(path, jobs=2))), path


def test_a_gate_and_its_configuration(gated: tuple[Document, Path], tmp_path: Path) -> None:
    document, config = gated
    assert document["verdict"] == "exceeds"
    assert verdict(tmp_path, document, sealed=False, config=config) == "accepted"
    other = tmp_path / "dpaudit.toml"
    for old, new in (
        ("5..8", "5..9"),
        ("[6, 7]", "[6]"),
        ('"EHDS"', '"EHDS"\nbudget = "1/2"'),
        ('divisor = "1"', 'divisor = "2"'),
        ("epsilon = 0.8", "epsilon = 0.9"),
        ("k = 2", "k = 3"),
        ('notion = "renyi"\norder = 2\n', ""),
        ("order = 2", "order = 3"),
        ('notion = "renyi"\norder = 2', 'notion = "kl"'),
        ('budget = "1/2"\n', ""),
        ('"all"', '"histogram-add-remove"'),
        ('I-right = "proved"', 'I-right = "refuted"'),
        ('I-right = "proved"', 'I-left = "holds_on"'),
    ):
        assert CONFIG.count(old) == 1
        other.write_text(CONFIG.replace(old, new))
        digest = hashlib.sha256(other.read_bytes()).hexdigest()
        changed = {**document, "config_sha256": digest}
        assert verdict(tmp_path, changed, config=other) == "rejected"
    assert verdict(tmp_path, document, config=other) == "rejected"


@pytest.mark.parametrize(
    "change",
    [
        lambda gate: gate.update(verdict="within"),
        lambda gate: gate["mechanisms"][1].update(passed=True),
        lambda gate: gate["mechanisms"][1].update(kind="within", passed=True),
        lambda gate: gate["mechanisms"][1].update(audit=None),
        lambda gate: gate["mechanisms"][1].update(audit=gate["mechanisms"][0]["audit"]),
        lambda gate: gate["mechanisms"].pop(1),
        lambda gate: gate["mechanisms"][0].update(notion=gate["mechanisms"][2]["notion"]),
        lambda gate: gate["mechanisms"][2]["notion"]["results"][0]["value"].update(
            lower="0.1", upper="0.1"
        ),
        lambda gate: gate["mechanisms"][2].update(kind="exceeds", passed=False),
        lambda gate: gate["mechanisms"][2]["notion"].update(budget="1/1000"),
        lambda gate: gate["mechanisms"][2]["notion"]["results"].pop(0),
        lambda gate: gate["claims"][0].update(found="refuted"),
        lambda gate: gate["mechanisms"][0]["audit"]["results"].pop(0),
        lambda gate: gate["mechanisms"][0]["audit"]["budget"].update(epsilon="9"),
    ],
)
def test_a_gate_that_is_changed_is_noticed(
    change: Callable[[Document], Any], gated: tuple[Document, Path], tmp_path: Path
) -> None:
    document, config = copy.deepcopy(gated[0]), gated[1]
    change(document)
    assert verdict(tmp_path, document, config=config) == "rejected"


# -- mechanisms of users ---------------------------------------------------------------------------


OWN = """
from dpaudit.mechanisms.user import finite_mechanism

@finite_mechanism(budget="ln(3)", datasets=[(0, 0), (0, 1), (1, 1)], neighbours="one-entry")
def survey(bits):
    return {"few": "3/4", "many": "1/4"} if sum(bits) < 1 else {"few": "1/4", "many": "3/4"}
"""


def test_own_mechanisms_are_loaded_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "own.py:survey"\nn = 1\n')
    assert invoke(["gate", "--report", "json=gate.json"]) == 0
    assert invoke(["verify", "gate.json"]) == 3
    assert "survey is not defined here" in capsys.readouterr().out
    accepting = ["verify", "gate.json", "--own", "own.py:survey", "--all-pairs"]
    assert invoke(accepting) == 0
    Path("own.py").write_text(OWN.replace("3/4", "5/8").replace('"1/4"', '"3/8"'))
    capsys.readouterr()
    assert invoke(accepting) == 3  # neither for nor against a report of another file
    assert "another file" in capsys.readouterr().out


TUNABLE = """
from fractions import Fraction

class Tunable:
    neighbours, datasets, normalised = "all", ["no", "yes"], False

    def __init__(self, epsilon):
        self.epsilon = self.budget = epsilon

    def law(self, answer):
        other = "no" if answer == "yes" else "yes"
        return {answer: f"exp({Fraction(str(self.epsilon)) / 2})", other: "1"}
"""


def test_a_calibration_of_a_users_mechanism_is_confirmed_with_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(TUNABLE)
    asked = ["calibrate", "own.py:Tunable", "--n", "1", "--eps", "1/2", "--format", "json"]
    with monkeypatch.context() as here:
        here.setattr("dpaudit.cli.isolated.is_contained", lambda: True)
        assert invoke([*asked, "--tolerance", "1e-3", "--output", "report.json"]) == 0
    assert invoke(["verify", "report.json"]) == 3
    assert "Tunable is not defined here" in capfd.readouterr().out
    assert invoke(["verify", "report.json", "--own", "own.py:Tunable"]) == 0
    document = json.loads(Path("report.json").read_text())
    audit = document["results"][0]["realised"]
    audit["epsilon"] = {"lower": "0.4", "upper": "0.4"}
    audit["witness"]["loss"] = audit["epsilon"]
    document["sha256"] = seal_of(document)
    Path("report.json").write_text(json.dumps(document))
    assert invoke(["verify", "report.json", "--own", "own.py:Tunable"]) == 1


SPAN = """
class Span:
    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def __init__(self, lower: int = -1, upper: int = 1):
        self.lower, self.upper = lower, upper

    def law(self, answer):
        return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""


def test_parameters_may_be_called_as_the_ends_of_an_interval_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("span.py").write_text(SPAN)
    asked = ["check", "span.py:Span", "--set", "lower=-2", "--format", "json"]
    with monkeypatch.context() as here:
        here.setattr("dpaudit.cli.isolated.is_contained", lambda: True)
        assert invoke([*asked, "--output", "report.json"]) == 0
        assert invoke([*asked, "--output", "again.json", "--resume", "report.json"]) == 0
    assert Path("report.json").read_bytes() == Path("again.json").read_bytes()
    assert invoke(["verify", "report.json", "--own", "span.py:Span"]) == 0


LARGE = """
class Large:
    budget, neighbours, datasets = "2", "all", ["no", "yes"]

    def law(self, answer):
        space = bytearray(1 << 30)
        return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory")
def test_a_recheck_has_so_much_memory_and_no_more(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dpaudit", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    (tmp_path / "large.py").write_text(LARGE)
    told = ("--format", "json", "--output", "report.json")
    assert run("check", "large.py:Large", *told).returncode == 0
    asked = ("verify", "report.json", "--own", "large.py:Large")
    assert run(*asked).returncode == 0
    capped = run(*asked, "--memory-cap", "512")
    assert capped.returncode == 3
    assert "its law raised MemoryError" in capped.stdout
    refused = run(*asked, "--memory-cap", "1")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def test_the_schemas_that_are_rechecked_are_printed_from_one_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["verify", "--schemas"]) == 0
    printed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert printed == list(RECHECKED)
    assert set(printed) <= set(DOCUMENTS)


# -- the command -----------------------------------------------------------------------------------


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    path.write_text(AUDITS["EHDS"])
    assert invoke(["verify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "report.json: accepted" in shown
    assert "taken from the report" in shown
    assert "losses at witnesses      2" in shown
    assert invoke(["verify", str(path), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "dpaudit.verification/1"
    assert answer["verdict"] == "accepted"
    path.write_text(AUDITS["EHDS"].replace('"within"', '"exceeds"'))
    assert invoke(["verify", str(path)]) == 1
    assert "contradicted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "not an object"),
        (b"{}", "schema None cannot be rechecked"),
        (b'{"schema": "dpaudit.claims/1"}', "cannot be rechecked"),
        (b'{"schema": "dpaudit.audit/1"}', "missing required field"),
        (b'{"schema": "dpaudit.audits/1", "audits": 3}', "Expected `array`"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_report_is_one_line(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    assert invoke(["verify", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("digits",), 10**9),
        (("digits",), -1),
        (("results", 0, "n"), -5),
        (("results", 0, "n"), 10**12),
        (("results", 0, "epsilon", "lower"), "NaN"),
        (("results", 0, "epsilon", "lower"), "1e999999999999"),
        (("results", 0, "epsilon", "lower"), "__import__('os')"),
        (("budget", "epsilon"), "9^9^9^9"),
        (("budget", "epsilon"), "exp(exp(exp(99)))"),
        (("budget", "epsilon"), "open('x')"),
        (("budget", "epsilon"), "1/0"),
        (("budget", "epsilon"), "1e999999999"),
        (("results", 0, "surplus"), 1),
        (("at",), "a,b"),
    ],
)
def test_nonsense_in_a_report_is_one_line(
    place: tuple[Any, ...], value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(AUDITS["EHDS"])
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    assert invoke(["verify", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# -- what a report is read as


def structs(kind: Any) -> dict[str, msgspec.inspect.StructType]:
    """Every struct that reports of a kind are read into, by name."""
    found: dict[str, msgspec.inspect.StructType] = {}

    def visit(part: Any) -> None:
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls.__name__ in found:
                return
            found[part.cls.__name__] = part
            for field in part.fields:
                visit(field.type)
        for name in ("types", "item_types"):
            for inner in getattr(part, name, ()):
                visit(inner)
        for name in ("item_type", "key_type", "value_type"):
            if getattr(part, name, None) is not None:
                visit(getattr(part, name))

    visit(msgspec.inspect.type_info(kind))
    return found


READ = {name: part for kind in RECHECKED.values() for name, part in structs(kind.result).items()}
NOT_LOOKED_AT = {
    *("file", "column", "missing", "dropped"),  # of a file of data
    *("line", "location", "message"),  # in words
    *("beyond", "tried", "exceeding", "up_to"),  # of what was tried beyond
    *("seed", "evaluations", "time_cap", "scale", "stopped", "replay"),  # of a search
    "discretisation",
    "fingerprint",
}
"""Fields that a recheck takes from the report unseen, all of them named by it in words."""


def test_every_field_of_a_report_is_looked_at_or_named_as_taken() -> None:
    """A field that the reports gain has to be rechecked, or be named as taken from the report."""
    folder = Path(verify.__code__.co_filename).parent
    trees = [ast.parse(path.read_text()) for path in folder.glob("*.py")]
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, (ast.Attribute, ast.Constant))
    }
    fields = {field.name for part in READ.values() for field in part.fields}
    assert len(fields) > 60
    assert fields - used <= NOT_LOOKED_AT


def test_no_report_may_have_a_field_that_is_unknown_or_a_number_without_limits() -> None:
    for name, part in READ.items():
        plain: Any = get_origin(part.cls) or part.cls
        assert plain.__struct_config__.forbid_unknown_fields, name
        for field in part.fields:
            numbers = [field.type, *getattr(field.type, "types", ())]
            numbers += [getattr(field.type, "item_type", None)]
            for number in numbers:
                if isinstance(number, msgspec.inspect.IntType):
                    assert number.ge is not None, f"{name}.{field.name}"
