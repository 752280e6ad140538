"""The choice of an event: what few draws show by luck is not taken for more than it is."""

import numpy as np
import pytest

from dpaudit.sampling import choice
from dpaudit.sampling.batches import batch_of
from dpaudit.sampling.choice import EventTest
from dpaudit.sampling.events import OneOf

SEEN = 166_667
"""Draws that compare events where ten million are drawn."""
FIRST = np.array([95.0, 0.5515 * SEEN])
SECOND = np.array([45.0, 0.5 * SEEN])
"""How often a rare event was seen that is as likely on both sides, and one that tells ε ≥ 0.09."""


def promised() -> tuple[float, ...]:
    wanted = EventTest(9_750_000, 1e-9, 0.0)
    return tuple(choice._promise(FIRST, SECOND, np.full(2, float(SEEN)), wanted))


def test_a_rare_event_that_was_lucky_is_not_chosen() -> None:
    rare, common = promised()
    assert rare < common


def test_with_less_caution_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_BACK", 2.0)
    rare, common = promised()
    assert rare > common


def test_outputs_that_are_listed_are_told_apart_as_one_by_one() -> None:
    """Lines that are alike are looked up once: −0.0 is 0.0, and what is no number a word."""
    rng = np.random.default_rng(0)
    lines = rng.choice([-0.0, 0.0, 1.0, np.nan, 2.5], (500, 3))
    batch = batch_of(lines)
    few, places = batch.distinct
    assert len(few) < len(batch) == len(places)
    values = frozenset(batch.keys[::7])
    expected = [key in values for key in batch.keys]
    assert OneOf(values).contains(batch).tolist() == expected


def test_draws_are_as_surprising_as_their_outputs_are_rare() -> None:
    """The mark of a line stands for the line: how often each is there is what is counted."""
    rng = np.random.default_rng(1)
    lines = rng.integers(3, size=(2_000, 2)) * 1.0
    ((_, whole),) = batch_of(lines).digests()[-1:]
    _, counts = np.unique(lines, axis=0, return_counts=True)
    assert whole == pytest.approx(float((counts * np.log(len(lines) / counts)).sum()))
