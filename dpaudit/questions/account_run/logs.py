"""A training read as phases, from the file or the object of Python that it leaves.

Opacus's accountants keep ``history``, a list of (noise multiplier, sampling rate, steps), and name
their method (``opacus/accountants/accountant.py``, ``state_dict``). TensorFlow Privacy, jax-privacy
and dp-accounting have events. Settings are a table of what a training was run with, by the names
that these libraries have for them. A file is parsed, and nothing in it is run.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpaudit.data.files import open_regular
from dpaudit.errors import DataError, ParameterError, UsageError
from dpaudit.questions.account_run.events import event_of, is_event, phases_of
from dpaudit.questions.account_run.phases import Log, merged, phase_of
from dpaudit.questions.account_run.settings import phases_of_settings, read_settings

__all__ = ["read_log"]

_MOST_BYTES = 32 << 20
_TORCH = "privacy_accountant_state_dict"
"""The key that ``PrivacyEngine.save_checkpoint`` of Opacus writes the history under."""

_AS_JSON = (
    "write its history as JSON: json.dump({'history': accountant.history, 'mechanism': "
    "accountant.mechanism()}, file)"
)


def read_log(run: object) -> Log:
    """Return the phases of a training, and what else is said of it.

    Args:
        run: the path of a file, what a JSON file would hold, an event of dp-accounting, an
            accountant of dp-accounting with its ledger, or one of Opacus with its history.

    Raises:
        DataError: for a file that cannot be read.
        ParameterError: for anything else that is no training.

    >>> read_log({"history": [[1.1, 0.01, 100]], "mechanism": "rdp"}).steps
    100
    """
    if isinstance(run, (str, os.PathLike)):
        return _of_file(Path(run))
    return _of_content(_content_of(run))


def _of_file(path: Path) -> Log:
    try:
        with open_regular(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise DataError(path, getattr(error, "strerror", None) or str(error)) from None
    if len(data) > _MOST_BYTES:
        raise DataError(
            path, f"it is larger than {_MOST_BYTES >> 20} MiB, so it is not a training's history"
        )
    try:
        content = _loaded(path, data) if data[:2] in (b"PK", b"\x80\x02") else _parsed(data)
        log = _of_content(content)
    except DataError:
        raise
    except UsageError as error:
        raise DataError(path, str(error)) from None
    return replace(log, sha256=hashlib.sha256(data).hexdigest())


def _parsed(data: bytes) -> Any:
    """Return what JSON says, numbers with a point as their text; or an event that is printed."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ParameterError(
            "run", "it is neither JSON nor a printed event of dp-accounting"
        ) from None
    try:
        return json.loads(text, parse_float=str, parse_constant=_no_number)
    except (json.JSONDecodeError, RecursionError) as error:
        event = event_of(text)
        if event is not None:
            return event
        place, reason = "", "its JSON is nested too deeply"
        if isinstance(error, json.JSONDecodeError):
            place, reason = f"line {error.lineno}: ", error.msg
        raise ParameterError(
            "run",
            f"{place}it is neither JSON ({reason}) nor an event as dp-accounting prints "
            "it; give an Opacus history, a DpEvent or a table of settings",
        ) from None


def _no_number(text: str) -> Any:
    raise ParameterError("run", f"{text} is not a number")


def _loaded(path: Path, data: bytes) -> Any:
    """Return the content of a file of torch, whose pickles are not executed."""
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise DataError(path, f"a file of torch needs torch to be read; {_AS_JSON}") from None
    try:
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception:  # of another package, and of any kind
        reason = "torch cannot load it without running code that it holds (weights_only=True)"
        raise DataError(path, f"{reason}; {_AS_JSON}") from None


def _content_of(run: object) -> Any:
    """Return an object as what a file would hold."""
    if isinstance(run, (Mapping, Sequence)) or is_event(run):
        return run
    ledger = getattr(run, "ledger", None)  # of an accountant of dp-accounting
    if ledger is not None and is_event(ledger):
        return ledger
    history = getattr(run, "history", None)  # of an accountant of Opacus
    if isinstance(history, Sequence) and callable(getattr(run, "mechanism", None)):
        return {"history": history, "mechanism": run.mechanism()}  # type: ignore[attr-defined]
    raise ParameterError(
        "run",
        f"{type(run).__name__}: must be a file, a DpEvent, an accountant of Opacus or of "
        "dp-accounting, or a table of settings",
    )


def _of_content(content: Any) -> Log:
    if isinstance(content, Mapping) and isinstance(content.get(_TORCH), Mapping):
        content = content[_TORCH]
    if isinstance(content, Mapping) and is_event(content.get("event")) and not is_event(content):
        return _of_event(content["event"], {k: v for k, v in content.items() if k != "event"})
    if is_event(content):
        return _of_event(content, {})
    if isinstance(content, Mapping) and "history" in content:
        return _of_history(content)
    if isinstance(content, Mapping) or (isinstance(content, Sequence) and not _is_text(content)):
        return _of_settings(content)
    raise ParameterError(
        "run",
        f"it contains {content!r:.60}; it must contain the settings or the history of a training, "
        "or an event of dp-accounting",
    )


def _is_text(content: object) -> bool:
    return isinstance(content, (str, bytes))


def _of_event(event: object, beside: Mapping[str, Any]) -> Log:
    settings = read_settings(beside)
    return Log(
        "dp-accounting",
        merged(phases_of(event)),
        settings.sampling,
        settings.epsilon,
        settings.delta,
        settings.remarks(),
    )


def _of_history(content: Mapping[str, Any]) -> Log:
    """Return the phases of an accountant's history of Opacus."""
    rows = content["history"]
    if not isinstance(rows, Sequence) or _is_text(rows):
        raise ParameterError("history", "history must be a list of [noise, rate, steps]")
    phases = []
    for row in rows:
        if not isinstance(row, Sequence) or _is_text(row) or len(row) != 3:
            raise ParameterError("history", f"{row!r:.60} in history is not [noise, rate, steps]")
        phases.append(phase_of(*row))
    rest = {name: value for name, value in content.items() if name not in ("history", "mechanism")}
    settings = read_settings(rest)
    found = merged(phases)
    settings.check_noise([phase.noise_multiplier for phase in found])
    settings.check_rates([phase.rate for phase in found])
    remarks = settings.remarks()
    method = content.get("mechanism")
    if method == "gdp":
        remarks += (
            "Opacus's gdp accountant is an approximation that may be below the truth, and it "
            "counts only the last phase",
        )
    return Log("opacus", found, settings.sampling, settings.epsilon, settings.delta, remarks)


def _of_settings(content: Any) -> Log:
    phases, settings = phases_of_settings(content)
    return Log(
        "settings",
        merged(phases),
        settings.sampling,
        settings.epsilon,
        settings.delta,
        settings.remarks(),
    )
