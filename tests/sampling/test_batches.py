"""Outputs as batches: those without parts are taken as they are."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.sampling.batches import batch_of
from dpaudit.sampling.outputs import key, nearest, pattern, plain

_ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(2**70, 2**1100), st.floats(), st.text()
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_ATOMS, min_size=1, max_size=8))
def test_outputs_without_parts_are_read_as_all_others_are(outputs: list[Any]) -> None:
    batch, others = batch_of(outputs), batch_of(tuple(outputs))
    assert repr(batch.keys) == repr(others.keys) == repr([key(plain(one)) for one in outputs])
    assert list(map(type, batch.keys)) == list(map(type, others.keys))
    assert batch.patterns == others.patterns == [pattern(plain(one)) for one in outputs]
    wanted = np.array(list(map(nearest, outputs)))
    assert np.array_equal(batch.numbers[:, 0], wanted, equal_nan=True)
    assert np.array_equal(batch.numbers, others.numbers, equal_nan=True)
    assert (batch.scalar, batch.cut) == (others.scalar, others.cut) == (True, False)
