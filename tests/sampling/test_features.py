"""What an output gives away is seen, however it is written; where nothing is seen, it is said."""

from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import finite_mechanism, sampler
from dpaudit.errors import LawError
from dpaudit.notices import CutOutputsWarning, StaysHereWarning
from dpaudit.questions.sample.gate import answered_by_draws, with_errors
from dpaudit.results import SampleVerdict
from dpaudit.sampling.batches import MOST_NUMBERS, batch_of
from dpaudit.sampling.events import HalfLine, OneOf
from dpaudit.sampling.features import Feature
from tests.sampling import subjects
from tests.sampling.subjects import BITS

BIG = 2**58


def _long(x: int, rng: Any) -> Any:
    found = rng.random(70)
    found[69] += x
    return tuple(found.tolist())


LEAKS: dict[str, Any] = {
    "large": lambda x, rng: int(rng.integers(BIG, 2 * BIG)) + x * 4 * BIG,
    "parity": lambda x, rng: 2 * int(rng.integers(BIG, 2 * BIG)) + x,
    "parity beyond floats": lambda x, rng: 2 * 10**400 * int(rng.integers(1, BIG)) + x,
    "parity of small ones": lambda x, rng: 2 * int(rng.integers(2**40)) + x,
    "parity of an entry": lambda x, rng: (0, 2 * int(rng.integers(BIG)) + x),
    "suffix": lambda x, rng: f"id{rng.integers(10**12)}-{'no' if x else 'yes'}",
    "prefix": lambda x, rng: f"{'n' if x else 'y'}{rng.bytes(8).hex()}",
    "ending": lambda x, rng: f"{rng.bytes(8).hex()}{'n' if x else 'y'}",
    "length": lambda x, rng: rng.bytes(8 + x).hex(),
    "bytes": lambda x, rng: bytes([x]) + rng.bytes(8),
    "last of 70": _long,
    "lists in a list": lambda x, rng: [[1, 2], [float(rng.random()), float(rng.random()) + x]],
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_gives_its_input_out_exceeds(name: str) -> None:
    """No output is drawn twice: only a feature of those unseen tells."""

    @sampler(**BITS, budget="ln(3)", name=name)
    def leaking(x: Any, rng: Any) -> Any:
        return LEAKS[name](x, rng)

    assert dpaudit.sample(leaking, draws=2_000, error="1e-6").verdict == "exceeds"


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_numbers_in_arrays_give_their_input_out(kind: Any) -> None:
    @sampler(**BITS, budget="ln(3)")
    def drawn(x: Any, size: Any, rng: Any) -> Any:
        return (2 * rng.integers(BIG, 2 * BIG, size=size) + x).astype(kind)

    assert dpaudit.sample(drawn, draws=2_000, error="1e-6").verdict == "exceeds"


@pytest.mark.parametrize(
    "outputs",
    [
        [0, 1, 6, -8, 2**52, 2**53 + 1, 3 * 2**60, 10**400, -(10**400)],
        [0.0, 0.375, 1e300, float("inf"), float("nan"), -(2.0**70)],
        ["", "a", "id12-yes", (1, 2), (2**60 + 1, "b"), None, 5, (3, (4, 5.5))],
    ],
)
def test_an_event_holds_for_an_output_whatever_the_others_are(outputs: list[Any]) -> None:
    """In a chunk of its own, and in any other, an output has the same features."""
    features = [Feature(kind, i) for kind in ("coordinate", "twos") for i in (0, 1)]
    features += [Feature(k) for k in ("sum", "largest", "smallest", "zeros", "last bits")]
    events: list[Any] = [
        HalfLine(one, bound, above, scalar=False)
        for one in features
        for bound in (-3.0, 0.0, 1.0, 2.0, 400.0)
        for above in (True, False)
    ]
    events += [OneOf(frozenset({"a", "1", "es", "0"}), end=end) for end in (1, -1, -2)]
    whole = batch_of(outputs)
    for event in events:
        together = event.contains(whole).tolist()
        assert together == [bool(event.contains(batch_of([one]))[0]) for one in outputs], event


def test_twos_are_counted_exactly() -> None:
    """Against the definition, for numbers that floats hold and for those that they do not."""
    numbers = [1, 6, -8, 2**53 + 2, 2**53 + 1, 3 * 2**60, 5 * 2**1100, -7 * 2**2000]
    found = Feature("twos")(batch_of(numbers)).tolist()
    for number, times in zip(numbers, found, strict=True):
        assert number % 2 ** int(times) == 0 != number % 2 ** int(times + 1)
    assert Feature("twos")(batch_of(np.array([0.375, 1e300, 5e-324]))).tolist()[0] == -3
    nan = np.array([np.nan, 1.0])
    assert np.isnan(Feature("last bits")(batch_of(nan))).tolist() == [True, False]
    assert np.isnan(Feature("twos")(batch_of(nan))).tolist() == [True, False]


def _hidden(x: Any, rng: Any) -> Any:
    """Nothing at either end, and no output twice: no feature looks there."""
    return f"head{rng.bytes(8).hex()}{'no' if x else 'yo'}{rng.bytes(8).hex()}tail"


def test_an_event_that_tells_no_draws_apart_is_vacuous() -> None:
    found = dpaudit.sample(sampler(**BITS, budget="1")(_hidden), draws=2_000, error="1e-6").report
    assert found.event is not None
    assert found.event.count_x == found.event.count_y
    assert found.event.count_x in (0, 1_600)
    assert found.verdict is SampleVerdict.VACUOUS
    entry: Any = with_errors([_entry()])[0]
    for count in (0, 1_600):
        told = _told(count, count)
        assert told.verdict is SampleVerdict.NOT_REFUTED  # as a process might say
        assert answered_by_draws(told, entry).verdict is SampleVerdict.VACUOUS
    assert answered_by_draws(_told(801, 800), entry).verdict is SampleVerdict.NOT_REFUTED


def _entry() -> Any:
    from dpaudit.gate.config import Entry

    return Entry(mechanism="x", measure="sample", draws=2_000)


def _told(first: int, second: int) -> Any:
    from msgspec.structs import replace

    report = dpaudit.sample(subjects.response, draws=2_000, error="1e-9").report
    assert report.event is not None
    event = replace(report.event, count_x=first, count_y=second)
    return replace(report, event=event, verdict=SampleVerdict.NOT_REFUTED)


def test_entries_that_are_not_looked_at_are_said() -> None:
    def drawn(x: Any, rng: Any) -> Any:
        return [0] * (MOST_NUMBERS * int(rng.integers(2)) + 1)

    batch = batch_of([[0] * (MOST_NUMBERS + 1), [0]])
    assert batch.cut
    assert batch.numbers.shape[1] == MOST_NUMBERS
    assert not batch_of([[0] * MOST_NUMBERS]).cut
    assert not batch_of(np.zeros((1, MOST_NUMBERS + 1))).cut
    with pytest.warns(CutOutputsWarning, match=f"more than {MOST_NUMBERS} entries"):
        dpaudit.sample(sampler(**BITS, budget="1", name="long")(drawn), draws=50)


def test_a_law_of_other_datasets_is_refused_in_one_line() -> None:
    """Its function answers at those of the sampler, too."""

    @finite_mechanism(datasets=["x", "y", "z"], neighbours="all", budget="ln(3)")
    def other(x: Any) -> Any:
        return {x: "3/4", 1 - x: "1/4"} if x in (0, 1) else {0: 1}

    with pytest.raises(LawError, match="other has no dataset 0: the datasets of response") as said:
        dpaudit.sample(subjects.response, against=other, draws=2_000)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("budget", ["1e400", ("1e400", "1/10"), "1e4000"])
@pytest.mark.parametrize("sequential", [False, True])
def test_a_budget_beyond_all_floats_is_never_exceeded(budget: Any, sequential: bool) -> None:
    found = dpaudit.sample(subjects.response, draws=2_000, budget=budget, sequential=sequential)
    assert found.verdict is SampleVerdict.TOO_FEW


def test_a_sampler_that_no_other_process_finds_stays_here() -> None:
    @sampler(**BITS, budget="ln(3)")
    def local(x: Any, size: Any, rng: Any) -> Any:
        return np.where(rng.integers(4, size=size) < 3, x, 1 - x)

    with pytest.warns(StaysHereWarning, match="local: a worker process cannot load it"):
        two = dpaudit.sample(local, draws=2_000, jobs=2)
    assert two.report == dpaudit.sample(local, draws=2_000).report
