"""Settings of a training, by the names that libraries have for them, and what does not fit.

A setting that is left out is not guessed, and two that contradict each other are refused: the ε of
either would be another training's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.questions.account.dpsgd import SAMPLINGS
from dpaudit.questions.account_run.phases import Phase, phase_of, whole

__all__ = ["Settings", "phases_of_settings", "read_settings"]

_NAMES = {
    "noise_multiplier": ("noise_multiplier", "noise_multipliers"),
    "batch_size": ("batch_size", "expected_batch_size", "lot_size"),
    "dataset_size": (
        *("dataset_size", "num_samples", "num_examples", "number_of_examples", "n"),
        "sample_size",
    ),
    "epochs": ("epochs", "num_epochs"),
    "steps": ("steps", "num_steps", "num_updates", "iterations"),
    "sample_rate": ("sample_rate", "sampling_probability", "sampling_prob", "sampling_rate", "q"),
    "clip": ("max_grad_norm", "l2_norm_clip", "clipping_norm", "clip_norm"),
    "deviation": ("noise_std", "noise_stddev", "noise_scale"),
    "epsilon": ("epsilon", "eps"),
    "delta": ("delta", "target_delta"),
    "sampling": ("sampling", "sampling_method", "poisson_sampling", "shuffle"),
    "users": ("examples_per_user", "max_examples_per_user"),
    "truncated": ("truncated_batch_size",),
    "cycle": ("cycle_length",),
    "microbatches": ("num_microbatches", "used_microbatching", "microbatching"),
}
"""Settings, each with the names that Opacus, TensorFlow Privacy, jax-privacy and people have."""

_CLOSE = Fraction(1, 10**6)
_MARKS = {"accountant", "mechanism", "library", "version", "comment", "name"}
"""Names that say nothing about the steps."""


@dataclass(frozen=True)
class Settings:
    """Settings that were recognised, and names that were not."""

    values: dict[str, Any]
    unread: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Return a setting, None where it is left out."""
        return self.values.get(name)

    def text(self, name: str) -> str | None:
        """Return a number as text, None where it is left out."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ParameterError(name, f"{name} = {value!r:.60}: must be a number")
        return repr(value) if isinstance(value, float) else str(value)

    def number(self, name: str) -> Fraction | None:
        """Return a positive number, None where it is left out."""
        text = self.text(name)
        if text is None:
            return None
        number = read_number(text, name).as_fraction()
        if number is None or number <= 0:
            raise ParameterError(name, f"{name} = {text}: must be a number above 0")
        return number

    @property
    def epsilon(self) -> str | None:
        """The ε of the training's own accountant."""
        return self.text("epsilon")

    @property
    def delta(self) -> str | None:
        """The δ that it belongs to."""
        return self.text("delta")

    @property
    def sampling(self) -> str | None:
        """The way in which batches are drawn, None where it is left out.

        Opacus's ``poisson_sampling=False`` and torch's ``shuffle=True`` are shuffled epochs.
        """
        value = self.values.get("sampling")
        if value is None:
            return None
        if isinstance(value, bool):
            poisson = value if self.values.get("sampling name") == "poisson_sampling" else not value
            return "poisson" if poisson else "shuffle"
        text = str(value).lower().rpartition(".")[2].removesuffix("_batch_size")
        text = {"shuffled": "shuffle", "fixed-size": "fixed"}.get(text, text)
        if text not in SAMPLINGS:
            raise ParameterError(
                "sampling", f"sampling = {value!r:.40}: must be one of {', '.join(SAMPLINGS)}"
            )
        return text

    def remarks(self) -> tuple[str, ...]:
        """Return what was read in one of several ways, and what was not read."""
        found = []
        clip = self.number("clip")
        if clip not in (None, 1) and self["deviation"] is None:
            found.append(
                "dpaudit takes the noise multiplier in units of the clipping norm, "
                f"{self.text('clip')}. If your noise is not scaled by that norm, ε is a "
                "different one: give dpaudit account dpsgd --noise-multiplier the standard "
                "deviation of the noise divided by the norm"
            )
        several = self["microbatches"]
        if several is True or several not in (None, False, 1):
            found.append(
                "each example's gradient must be clipped separately; clipping a microbatch of "
                "several examples as one protects each of them less"
            )
        if self.unread:
            shown = ", ".join(self.unread[:8]) + (", …" if len(self.unread) > 8 else "")
            found.append(f"settings that dpaudit does not read: {shown}")
        return tuple(found)

    def check(self) -> None:
        """Refuse settings of trainings that no account here is of."""
        users, cycle = self["users"], self["cycle"]
        if users not in (None, 1):
            raise ParameterError(
                "users",
                f"{users} examples for each user: dpaudit computes bounds only for one example "
                "each",
            )
        if self["truncated"] is not None:
            raise ParameterError(
                "truncated_batch_size", "batches are truncated; dpaudit computes no bound for these"
            )
        if cycle not in (None, 1):
            raise ParameterError(
                "cycle_length",
                f"cycle_length = {cycle}: dpaudit computes no bound for cyclic sampling",
            )

    def noise(self) -> str | None:
        """Return the noise multiplier, of the noise's deviation where that alone is there."""
        text, deviation, clip = self.text("noise_multiplier"), self.number("deviation"), None
        if deviation is not None:
            clip = self.number("clip")
        if text is not None or deviation is None:
            return text
        if clip is None:
            raise ParameterError(
                "noise_multiplier",
                f"noise_std = {self.text('deviation')} without a clipping norm; give "
                "noise_multiplier, the standard deviation divided by the clipping norm",
            )
        return str(deviation / clip)

    def check_noise(self, multipliers: Sequence[str]) -> None:
        """Refuse a deviation of the noise that does not belong to the noise multiplier.

        The sum of clipped gradients gets σ·C, their mean σ·C/B.
        """
        deviation, clip = self.number("deviation"), self.number("clip")
        if deviation is None or clip is None:
            return
        batch = self.number("batch_size")
        for text in multipliers:
            sigma = read_number(text, "noise_multiplier").as_fraction()
            if sigma is None:
                continue
            fitting = [sigma * clip] + ([] if batch is None else [sigma * clip / batch])
            if any(_near(deviation, one) for one in fitting):
                continue
            meant = f"{float(sigma * clip):.6g} on the sum of the gradients"
            if batch is not None:
                meant += f", or {float(sigma * clip / batch):.6g} on their mean"
            hint = (
                f"; noise_std = {self.text('deviation')} on the sum would be noise multiplier "
                f"{float(deviation / clip):.6g}"
            )
            if _near(deviation, sigma) or (batch is not None and _near(deviation, sigma / batch)):
                hint = f"; it seems not to be multiplied by the clipping norm{hint}"
            raise ParameterError(
                "noise_std",
                f"noise_std = {self.text('deviation')} does not fit noise_multiplier = {text} and "
                f"the clipping norm {self.text('clip')}: with these, the noise has standard "
                f"deviation {meant}{hint}",
            )

    def check_rates(self, rates: Sequence[Fraction]) -> None:
        """Refuse sizes that are not those of the sampling rates.

        A loader of B of N examples has ⌈N/B⌉ or ⌊N/B⌋ batches, and Opacus samples at one over that.
        """
        size, of = self["batch_size"], self["dataset_size"]
        if size is None or of is None:
            return
        batch, total = whole(size, "batch_size"), whole(of, "dataset_size")
        if not 1 <= batch <= total:
            raise ParameterError("batch_size", f"batch_size = {batch}: must be from 1 to {total}")
        allowed = {
            Fraction(batch, total),
            Fraction(1, math.ceil(Fraction(total, batch))),
            Fraction(1, total // batch),
        }
        for rate in rates:
            if not any(_near(rate, one) for one in allowed):
                raise ParameterError(
                    "sample_rate",
                    f"sample_rate = {float(rate):.6g} is not that of batches of {batch} of {total} "
                    f"examples, {batch / total:.6g}",
                )


def _near(x: Fraction, y: Fraction) -> bool:
    return abs(x - y) <= _CLOSE * abs(y)


def read_settings(table: Mapping[str, Any]) -> Settings:
    """Return the settings of a table by their one name.

    Raises:
        ParameterError: for a setting that is there by two names, or of a training that no account
            here is of.

    >>> read_settings({"num_samples": 60000, "seed": 1}).values
    {'dataset_size': 60000}
    """
    known = {alias: name for name, aliases in _NAMES.items() for alias in aliases}
    values: dict[str, Any] = {}
    unread = []
    for key, value in table.items():
        name = known.get(str(key).lower().replace("-", "_"))
        if name is None:
            unread += [] if str(key).lower() in _MARKS else [str(key)]
        elif value is not None:
            if name in values:
                raise ParameterError(str(key), f"{name} is given twice: {key} means the same")
            values[name] = value
            if name == "sampling":
                values["sampling name"] = str(key).lower()
    found = Settings(values, tuple(unread))
    found.check()
    return found


def phases_of_settings(content: Any) -> tuple[list[Phase], Settings]:
    """Return the phases of one table of settings, or of a list of them, and the settings.

    A list stands by itself, or in a table as ``steps`` or ``phases``; what the table has beside it
    is of every phase.
    """
    shared: dict[str, Any] = {}
    rows: Any = content
    if isinstance(content, Mapping):
        shared = dict(content)
        listed = [key for key in ("steps", "phases") if _is_list(shared.get(key))]
        rows = [{}]
        if listed:
            rows = shared.pop(listed[0])
    phases: list[Phase] = []
    settings = read_settings(shared)
    for row in rows:
        if not isinstance(row, Mapping):
            raise ParameterError("steps", f"{row!r:.60}: a phase must be a table of settings")
        each = read_settings({**shared, **row})
        phases += _phases(each)
        settings = each if len(rows) == 1 else settings
    return phases, settings


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _phases(settings: Settings) -> list[Phase]:
    """Return the phases of one table; jax-privacy's noise may change at some steps."""
    size, of = settings["batch_size"], settings["dataset_size"]
    batch = None if size is None else whole(size, "batch_size")
    rate: Any = settings.text("sample_rate")
    if rate is None:
        if batch is None or of is None:
            raise ParameterError(
                "sample_rate", "sample_rate, or batch_size and dataset_size, is missing"
            )
        total = whole(of, "dataset_size")
        if not 1 <= batch <= total:
            raise ParameterError("batch_size", f"batch_size = {batch}: must be from 1 to {total}")
        rate = Fraction(batch, total)
    share = phase_of(1, rate, 1).rate
    settings.check_rates([share])
    steps = _steps(settings, share)
    schedule = settings["noise_multiplier"]
    if _is_list(schedule):
        return _scheduled(schedule, rate, steps, batch)
    sigma = settings.noise()
    if sigma is None:
        raise ParameterError("noise_multiplier", "noise_multiplier is missing")
    settings.check_noise([sigma])
    return [phase_of(sigma, rate, steps, batch_size=batch)]


def _steps(settings: Settings, rate: Fraction) -> int:
    """Return how many steps there are, of epochs rounded up."""
    steps, epochs = settings["steps"], settings.number("epochs")
    if steps is None and epochs is None:
        raise ParameterError("steps", "steps, or epochs, is missing")
    if steps is None:
        assert epochs is not None
        return math.ceil(epochs / rate)
    count = whole(steps, "steps")
    if epochs is not None and not abs(count - epochs / rate) <= epochs + 1:
        raise ParameterError(
            "steps",
            f"{count} steps are not {settings.text('epochs')} epochs, which are "
            f"{math.ceil(epochs / rate)} steps at the rate {float(rate):.6g}",
        )
    return count


def _scheduled(schedule: Any, rate: Any, steps: int, batch: int | None) -> list[Phase]:
    """Return the phases of a list of (first step, noise multiplier), as of jax-privacy."""
    starts = []
    for row in schedule:
        if not _is_list(row) or len(row) != 2:
            raise ParameterError(
                "noise_multipliers", f"{row!r:.60}: must be [first step, noise multiplier]"
            )
        starts.append((whole(row[0], "first step"), row[1]))
    starts.sort(key=lambda start: start[0])
    if not starts or starts[0][0] != 0:
        raise ParameterError("noise_multipliers", "the first step of noise_multipliers must be 0")
    ends = [*(first for first, _ in starts[1:]), steps]
    return [
        phase_of(sigma, rate, max(0, min(end, steps) - first), batch_size=batch)
        for (first, sigma), end in zip(starts, ends, strict=True)
    ]
