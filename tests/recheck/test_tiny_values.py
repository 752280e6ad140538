"""A false statement about a tiny value is refused, however little it is off in absolute terms."""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from dpaudit.api.rechecks import own_mechanisms
from dpaudit.cli.main import invoke
from dpaudit.recheck.accounts import Composition
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

RARE = """
class Rare:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, bit):
        rare = "1e-60"
        return {"a": "1/2", "b": f"1/2 - {rare}", "c": rare} if bit else {"a": "1/2", "b": "1/2"}
"""

SELDOM = """
class Seldom:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, bit):
        rare = "exp(-1/100)/10^18" if bit else "1/10^18"
        return {"a": f"1 - {rare}", "b": rare}
"""

CLOSE = """
class Close:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, bit):
        rare = "exp(-1/10^10)/1000" if bit else "1/1000"
        return {"a": f"1 - {rare}", "b": rare}
"""

TINY = "1e-45"
"""An ε; losses, δ and μ are about as small."""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Document]:
    """Run a command in this process, and return its report."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpaudit.cli.isolated.is_contained", lambda: True)
    Path("rare.py").write_text(RARE)
    Path("seldom.py").write_text(SELDOM)
    Path("close.py").write_text(CLOSE)

    def run(command: str) -> Document:
        assert invoke([*command.split(), "--format", "json", "--output", "made.json"]) < 2
        document: Document = json.loads(Path("made.json").read_text())
        return document

    return run


def verdict(document: Document, *, all_pairs: bool = False, own: tuple[str, ...] = ()) -> str:
    path = Path("report.json")
    sealed = {**document, "sha256": seal_of(document)}
    path.write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(path, own_mechanisms(own), all_pairs=all_pairs).verdict


def larger_mu(size: Document) -> None:
    size["mu"] = {"lower": "1e-43", "upper": "2e-43"}


def smaller_mu(size: Document) -> None:
    size["mu"] = {"lower": "0", "upper": "1e-50"}


@pytest.mark.parametrize("change", [larger_mu, smaller_mu])
def test_a_tiny_mu(made: Callable[[str], Document], change: Callable[[Document], None]) -> None:
    document = made(f"tradeoff RR --eps {TINY} --n 1")
    assert verdict(document, all_pairs=True) == "accepted"
    change(document["results"][0])
    assert verdict(document) == "rejected"


def test_a_tiny_type_two_error(made: Callable[[str], Document]) -> None:
    document = made("tradeoff RR --eps 200 --n 1 --at-type-one 1/2")
    assert verdict(document, all_pairs=True) == "accepted"
    (value,) = document["results"][0]["values"]
    assert value["lower"] == "0"
    value["lower"] = "1e-29"  # below its upper end; it is about 10^-87
    assert verdict(document) == "rejected"


@pytest.mark.parametrize("runs", [1, 2])
def test_a_tiny_loss_and_a_tiny_delta_of_an_account(
    made: Callable[[str], Document], runs: int
) -> None:
    document = made(f"account RR --eps {TINY} --n 1 --epsilon-grid 0 --compose {runs}")
    assert verdict(document, all_pairs=True) == "accepted"
    smaller = copy.deepcopy(document)
    smaller["epsilon"] = {"lower": "0", "upper": "1e-50"}
    assert verdict(smaller) == "rejected"
    smaller = copy.deepcopy(document)
    smaller["rows"][0]["delta"] |= {"lower": "0", "upper": "1e-50"}
    smaller["rows"][0]["delta"].pop("exact", None)
    assert "δ" in rejected_for(smaller)


def rejected_for(document: Document) -> set[str]:
    """Return the kinds of values that are said not to lie where the report says."""
    path = Path("report.json")
    path.write_text(json.dumps({**document, "sha256": seal_of(document)}, ensure_ascii=False))
    said = [one.message for one in verify(path).disagreements]
    return {message.partition("(")[0] for message in said if ", not in " in message}


def test_an_event_that_is_tiny_above_the_upper_hull(made: Callable[[str], Document]) -> None:
    document = made("curve rare.py:Rare --at-eps 1")
    own = ("rare.py:Rare",)
    assert verdict(document, all_pairs=True, own=own) == "accepted"
    upper = document["curves"][0]["upper"]
    assert (upper[0]["q"], upper[0]["p"]) == ("0", "1")
    del upper[0]["x"], upper[0]["y"]
    upper[0] |= {"q": "0", "p": "0", "outputs": 0}
    assert verdict(document, all_pairs=True, own=own) == "rejected"


def test_an_upper_hull_that_ends_a_little_below_one(made: Callable[[str], Document]) -> None:
    document = made("tradeoff EHDS --n 4")
    upper = document["results"][0]["upper"]
    scale = 2 ** document["results"][0]["scale_bits"]
    assert int(upper[-1]["p"]) >= scale
    upper[-1]["p"] = str(scale - 1)
    assert verdict(document) == "rejected"


def test_a_delta_without_a_pair_is_not_said_to_be_positive(made: Callable[[str], Document]) -> None:
    document = made("account RR --n 1 --epsilon-grid 2")
    (row,) = document["rows"]
    assert row["delta"].pop("exact") == row["delta"]["upper"] == "0"
    assert verdict(document) == "accepted"
    row["delta"] |= {"lower": "1e-50", "upper": "1e-49"}
    for estimate in ("pessimistic", "optimistic", "dominating"):
        row[estimate] |= {"standing": "below", "difference": "-1.000e-50"}
    row |= {
        "below": True,
        "adaptive_upper": "1e-49",
        "ratio": f"{Decimal(0) / Decimal('1e-50'):.9g}",
    }
    document["below"] = 1
    assert verdict(document) == "rejected"


def test_an_impossible_output_of_tiny_mass_counts_in_every_run() -> None:
    with mp.workdps(40):
        rare = mpf(10) ** -70
        found = Composition([(rare, mpf(0)), (1 - rare, mpf(1))], 3, 10).delta(mpf(1))
        assert abs(found / (3 * rare) - 1) < mpf(10) ** -30


HIGHER = {"lower": "1.00000000000001e-60", "upper": "1.00000000000002e-60"}


@pytest.mark.parametrize("place", ["before", "after", "ratio"])
def test_a_tiny_mean_error_of_a_calibration(made: Callable[[str], Document], place: str) -> None:
    document = made("calibrate EHD --n 2 --budget 500 --tolerance 1/10")
    assert verdict(document) == "accepted"
    error = document["results"][0]["error"]
    assert Decimal(error[place]["upper"]) < Decimal("1e-95")
    error[place] = HIGHER
    assert verdict(document) == "rejected"


@pytest.mark.parametrize("place", ["mean", "variance"])
def test_a_tiny_mean_error(made: Callable[[str], Document], place: str) -> None:
    document = made("accuracy EHD --at 1,1 --eps 500 --equal nominal")
    assert verdict(document) == "accepted"
    (result,) = document["results"]
    assert Decimal(result[place]["upper"]) < Decimal("1e-95")
    result[place] = HIGHER
    assert verdict(document) == "rejected"


def test_an_order_at_which_almost_nothing_is_lost(made: Callable[[str], Document]) -> None:
    own = ("seldom.py:Seldom",)
    document = made("check seldom.py:Seldom --notion zcdp")
    assert verdict(document, own=own) == "accepted"
    (result,) = document["results"]
    (least,) = made("check seldom.py:Seldom --notion kl")["results"]
    assert Decimal(least["value"]["upper"]) * 10**16 < Decimal(result["value"]["lower"])
    result["value"] = {end: least["value"][end] for end in ("lower", "upper")}
    result["witness"] = {**least["witness"], "order": "1"}
    assert verdict(document, own=own) == "rejected"


def test_an_order_that_is_large_because_losses_are_tiny(made: Callable[[str], Document]) -> None:
    document = made("check close.py:Close --notion zcdp")
    assert Decimal(document["results"][0]["witness"]["order"]) > 10**10
    assert verdict(document, own=("close.py:Close",)) == "accepted"
