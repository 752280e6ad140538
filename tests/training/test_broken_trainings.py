"""Broken DP-SGD trainings of the documentation are refuted at 10⁻⁶, and the mended ones are not.

The code is that of the page; coins and noise are others than there.
"""

import sys
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.results import CanaryVerdict
from tests.pages import files

M, SHARDS, EPOCHS = 1000, 100, 9
SEEDS = (1, 2)


@pytest.fixture(scope="module")
def dpsgd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("page")
    Path(folder / "dpsgd.py").write_text(files("docs/canaries_dpsgd.md")["dpsgd.py"])
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(folder))
        yield __import__("dpsgd")
    sys.modules.pop("dpsgd", None)


@cache
def promised() -> Decimal:
    account = dpaudit.account_dpsgd(
        noise_multiplier="1.5", sample_rate="0.01", steps=SHARDS * EPOCHS, delta="1e-9"
    )
    epsilon = account.rows[0].epsilon
    assert epsilon is not None
    return Decimal(str(epsilon.upper))


def audited(dpsgd: ModuleType, seed: int, score: str, **mistake: Any) -> dpaudit.CanaryAudit:
    """Return the audit of a training, by one of three scores."""
    from sklearn.datasets import load_digits

    digits, labels = load_digits(return_X_y=True)
    plan = dpaudit.plan_inclusion(M, seed=f"broken trainings {seed}")
    canaries = np.hstack([np.zeros((M, 64)), 200 * np.eye(M)])
    canary_labels = np.arange(M) % dpsgd.CLASSES
    images = np.hstack([digits, np.zeros((len(digits), M))])
    updates, running = dpsgd.train(
        np.concatenate([images, canaries[plan.inside]]),
        np.concatenate([labels, canary_labels[plan.inside]]),
        np.concatenate([np.arange(len(digits)), np.arange(M)[plan.inside]]) % SHARDS,
        sigma=1.5,
        rate=1 / SHARDS,
        steps=SHARDS * EPOCHS,
        seed=seed,
        **mistake,
    )
    direction = dpsgd.errors_of(np.zeros((64 + M, dpsgd.CLASSES)), canaries, canary_labels)
    moved = (updates[:, 64:] * direction).sum(axis=2)
    scores = {
        "moved": moved.sum(axis=0),
        "running mean": running[64:],
        "own steps": moved.reshape(EPOCHS, SHARDS, M).sum(axis=0)[np.arange(M) % SHARDS, range(M)],
    }
    return dpaudit.canaries(
        scores[score], inclusion=plan, delta="1e-9", budget=(promised(), "1e-9"), level="1e-6"
    )


MISTAKES = {
    "noise": ("moved", {"step": "noise_not_scaled"}, {}),
    "clipping": ("moved", {"step": "clipped_per_batch"}, {}),
    "engine": ("moved", {"step": "engine_not_attached"}, {}),
    "normalising": ("running mean", {"normalise": "batch_norm"}, {"normalise": "layer_norm"}),
    "batches": ("own steps", {"sample": "one_shard"}, {}),
}
"""Of each mistake: the score that shows it, the broken training, and the mended one."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_broken_training_is_refuted_and_the_mended_one_is_not(
    name: str, seed: int, dpsgd: ModuleType
) -> None:
    score, broken, mended = MISTAKES[name]
    audit = audited(dpsgd, seed, score, **{key: getattr(dpsgd, one) for key, one in broken.items()})
    assert audit.verdict is CanaryVerdict.EXCEEDS
    assert audit.bounds[0].epsilon.lower > promised()
    audit = audited(dpsgd, seed, score, **{key: getattr(dpsgd, one) for key, one in mended.items()})
    assert audit.verdict is CanaryVerdict.NOT_REFUTED
    assert audit.bounds[0].epsilon.lower < promised()


@pytest.mark.parametrize("seed", SEEDS)
def test_unscaled_noise_is_right_where_the_norm_is_one(seed: int, dpsgd: ModuleType) -> None:
    """So the refutation comes from the mistake alone."""
    step = dpsgd.noise_not_scaled
    assert audited(dpsgd, seed, "moved", step=step, norm=1).verdict is CanaryVerdict.NOT_REFUTED


@pytest.mark.parametrize("seed", SEEDS)
def test_batches_of_a_fixed_size_are_not_refuted(seed: int, dpsgd: ModuleType) -> None:
    """The page says so: the account is wrong for them, and these canaries do not show it."""
    for score in ("moved", "own steps"):
        audit = audited(dpsgd, seed, score, sample=dpsgd.fixed_size)
        assert audit.verdict is CanaryVerdict.NOT_REFUTED
