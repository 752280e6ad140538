"""The gate's configuration: ``[tool.dpaudit]`` of a ``pyproject.toml``, or a ``dpaudit.toml``."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from dpaudit.data.files import open_regular
from dpaudit.errors import ConfigError, nearest
from dpaudit.machine import LEAST_MEMORY, MOST_MEMORY
from dpaudit.question import measures

__all__ = [
    "CONFIG_NAMES",
    "MEASURES",
    "MOST_DIGITS",
    "STARTER",
    "Entry",
    "GateConfig",
    "find_config",
    "hashed_config",
    "in_keys",
    "read_config",
]

CONFIG_NAMES = ("dpaudit.toml", "pyproject.toml")
"""Names of configuration files, in the order in which they are looked for."""

_MAX_BYTES = 1_000_000

MOST_DIGITS = 1000
Digits = Annotated[
    int, msgspec.Meta(ge=1, le=MOST_DIGITS, description="intervals ≤ 10^−digits wide")
]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400, description="seconds")]
Megabytes = Annotated[
    int, msgspec.Meta(ge=LEAST_MEMORY, le=MOST_MEMORY, description="whole megabytes")
]
Reading = Literal["as run", "as-run", "ideal"]
Bits = Annotated[int, msgspec.Meta(ge=64, le=65_536, description="bits")]


MEASURES = measures()
"""Questions that entries may ask."""


class Entry(msgspec.Struct, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """One mechanism, what it is run with, and the budget it has to keep."""

    mechanism: Annotated[str, msgspec.Meta(min_length=1)]
    """A built-in name, ``package.module:name`` or ``path.py:name``; for
    ``measure = "account-run"`` the file that a training left, for ``"account-matrix"`` the file of
    a strategy matrix."""
    n: int | str | list[int] | None = None
    """Sizes, such as ``"10..180"``; may be left out where datasets do not depend on n."""
    measure: Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(MEASURES)})] = MEASURES[0]
    """Quantity that is computed and compared with the budget."""
    budget: Any = None
    """ε, or [ε, δ]; in the notion if one is named; by default what the mechanism states.  For a
    curve [ε, δ], or several of them; for a trade-off function μ; for accuracy the mean error."""
    at: str | list[int] | None = None
    """Only pairs that contain this dataset (counts), or ``uniform`` data; of accuracy, the data."""
    metric: str | None = None
    """For ``measure = "accuracy"``: ``hellinger`` (the default) or ``l1``."""
    nominal: Any = None
    """For ``measure = "calibrate"``: the nominal ε that has to be found safe, or a larger one."""
    notion: str | None = None
    """The notion of privacy: pure, approximate, renyi, zcdp, gdp, kl or tv; by default (ε, δ)."""
    order: Any = None
    """The order α of the notion renyi."""
    interval: str | None = None
    """Nominal ε as ``"FIRST..LAST"``: every real one between is looked at, and held to itself where
    the budget is ``"epsilon"`` or left out."""
    compose: int | None = None
    """For ``measure = "account"``: the number of runs on the same data, which [ε, δ] is for."""
    sample_rate: Any = None
    """For it too: each run sees a Poisson sample at this rate."""
    direction: Literal["add", "remove", "both"] | None = None
    """Neighbours in each Poisson-subsampled run: ``add``, ``remove`` or ``both`` (the default)."""
    width: Any = None
    """Largest accepted width of intervals of ε; by default 1e-5, of a training 1%."""
    sampling: Literal["poisson", "shuffle", "fixed", "allocation"] | None = None
    """For ``measure = "account-run"``: the draw of the batches; by default what the file says, or
    else ``poisson``."""
    noise_multiplier: Any = None
    """For ``measure = "account-matrix"``: σ, the deviation of the noise in clipping norms."""
    max_participations: int | None = None
    """For it too: the largest number of steps in which one user takes part."""
    min_sep: int | None = None
    """For it too: the number of steps between two of these, at least."""
    participation: Literal["min-sep", "fixed-epoch"] | None = None
    """For it too: steps at least (``min-sep``, the default) or exactly (``fixed-epoch``) so far
    apart."""
    draws: Any = None
    """For ``measure = "sample"``: how many draws of each dataset; by default 10⁶."""
    error: Any = None
    """For it too: how probable it may be that the entry fails wrongly; by default its part of
    10⁻⁹."""
    against: str | None = None
    """For it too: the mechanism whose law the sampler is held to, in place of a budget."""
    seed: int | None = None
    """For it too: where the randomness comes from; by default 0."""
    events: str | None = None
    """For it too: ``features`` (the default), or ``learned`` for learned scores as well."""
    label: str = ""
    """Title of the entry in reports; by default the mechanism's name."""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    """The mechanism's parameters."""
    adjacency: str | None = None
    """The neighbouring relation; by default the mechanism's own."""
    inputs: Any = None
    """For a plain function: the datasets that it is called with, a list or a text as ``"0..3"``."""
    neighbours: str | None = None
    """For it too: which of them are neighbours, by the name of a relation."""
    only: Reading | None = None
    """For it too: the one reading that may pass, ``as run`` or ``ideal``."""
    accepts: Annotated[list[Reading], msgspec.Meta(min_length=1)] | None = None
    """For it too, in place of ``only``: the readings that may pass; the strongest is taken."""
    ties: Literal["fail", "accept"] = "fail"
    """Outcome for a realised ε that no precision separates from the budget."""
    digits: Digits | None = None
    time_cap: Seconds | None = None
    memory_cap: Megabytes | None = None
    precision_cap: Bits | None = None

    @property
    def title(self) -> str:
        """Title of the entry in reports."""
        return self.label or self.mechanism


class GateConfig(msgspec.Struct, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """Configuration of a gate: the entries, the claims, and the settings for all of them."""

    mechanisms: list[Entry] = msgspec.field(default_factory=list, name="mechanism")
    """The mechanisms, one ``[[mechanism]]`` table each."""
    claims: dict[str, str] = msgspec.field(default_factory=dict)
    """Claims by id (or glob) with the verdict that they must keep."""
    fail_on: Literal["undecided", "tie"] = "undecided"
    """``undecided``: all that is not certainly within; ``tie``: exact ties with the budget too."""
    digits: Digits = 12
    time_cap: Seconds = 600.0
    """For each mechanism, and for all claims together."""
    memory_cap: Megabytes | None = None
    """For each mechanism; by default those side by side share what the machine has left."""
    precision_cap: Bits = 1024
    baseline: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    """JSON report of an older gate, in a file beside this one, which may not be better."""


STARTER = """\
# What `dpaudit gate` checks.  Every entry must be within its budget over all pairs of neighbouring
# datasets, at every size; whatever is undecided, unknown or too slow fails.

# time-cap = 600            # seconds, for each mechanism
# memory-cap = 4096         # megabytes, for each mechanism
# digits = 12               # intervals are at most 10^-digits wide
# fail-on = "undecided"     # or "tie": a realised ε equal to the budget fails as well
# baseline = "gate.json"    # an older JSON report of this gate: what is worse than in it fails

[[mechanism]]
mechanism = "EHDS"          # a built-in name, "package.module:name" or "path/to/file.py:name"
n = "10..60"
budget = "4/5"              # ε, or ["4/5", "0.0005"] for (ε, δ); exact: "ln(3)" is allowed
parameters = { epsilon = "4/5", prior = ["1", "1"] }

# [[mechanism]]
# mechanism = "service.py:noisy_count"    # a plain function; --init service.py writes such entries
# inputs = "0..3"           # the datasets that it is called with
# neighbours = "adjacent"   # which of them are neighbours
# accepts = ["as run", "ideal"]           # its floats and all, or the formula that it computes
# budget = "1"

# [[mechanism]]
# mechanism = "mechanisms.py:randomised_response"
# label = "survey"
# n = 1
# budget = "ln(3)"
# notion = "zcdp"           # or renyi (with order = 2), gdp, kl, tv: the budget is in it
# measure = "curve"         # or tradeoff (the budget is μ), calibrate (with nominal = "1.5"),
#                           # accuracy (at = "2,3"; the budget is the mean error),
#                           # account (compose = 10000: [ε, δ] of all runs; sample-rate = "1/1000"),
#                           # account-run (mechanism = "run.json", which a training left),
#                           # account-matrix (mechanism = "strategy.npy"; noise-multiplier = 4,
#                           # max-participations = 2, min-sep = 3),
#                           # sample (draws = 1000000; of a sampler, or against = "LAW")
# interval = "1/10..2"      # every real ε between; budget = "epsilon": each is its own budget
# ties = "accept"           # only for ties that cannot be decided exactly; the report shows it

# [claims]
# I-right = "proved"        # claims of installed packages that must keep their verdict
"""


_MEANT = {
    **dict.fromkeys(("size", "sizes"), "n"),
    **dict.fromkeys(("name", "path"), "mechanism"),
    **dict.fromkeys(("eps", "epsilon", "delta", "prior", "k"), "a key of parameters = { … }"),
    **dict.fromkeys(("relation", "neighbors"), "adjacency, or neighbours beside inputs"),
    **dict.fromkeys(("call", "function"), "mechanism"),
    **dict.fromkeys(("runs", "steps"), "compose"),
}
"""Keys that entries do not have, and what is meant by them."""


def find_config(folder: Path) -> Path:
    """Return the configuration file in ``folder``; ``ConfigError`` if there is none."""
    for name in CONFIG_NAMES:
        path = folder / name
        if path.is_file() and (name != "pyproject.toml" or "dpaudit" in _tools(_document(path))):
            return path
    names = " or a pyproject.toml with [tool.dpaudit]"
    raise ConfigError(
        folder, "", f"there is no dpaudit.toml{names} here; dpaudit gate --init writes one"
    )


def read_config(path: Path) -> GateConfig:
    """Return the configuration in ``path``; ``ConfigError`` naming the file and the key."""
    return hashed_config(path)[0]


def hashed_config(path: Path) -> tuple[GateConfig, str]:
    """Return the configuration in ``path``, and the SHA-256 of what was read of it.

    Raises ``ConfigError`` naming the file and the key.
    """
    content = _content(path)
    document = _parsed(path, content)
    table = _tools(document).get("dpaudit") if path.name == "pyproject.toml" else document
    if table is None:
        raise ConfigError(path, "tool.dpaudit", "there is no such table")
    if not isinstance(table, dict):
        raise ConfigError(path, "tool.dpaudit", "must be a table")
    if isinstance(table.get("mechanism"), dict):
        reason = "must be a list of tables: write [[mechanism]], with two brackets"
        raise ConfigError(path, "mechanism", reason)
    for where, unknown, allowed in _unknown_keys(table):
        hint = f"it is {_MEANT[unknown]}" if unknown in _MEANT else nearest(unknown, allowed)
        raise ConfigError(path, where, f"no such key; {hint}")
    claims = table.get("claims")
    for claim, verdict in claims.items() if isinstance(claims, dict) else ():
        if not isinstance(verdict, str):
            reason = "must be a verdict in quotes; an id with a dot is written in quotes too"
            raise ConfigError(path, f"claims.{claim}", reason)
    try:
        config = msgspec.convert(table, GateConfig, dec_hook=_decimal)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`") or "tool.dpaudit"
        raise ConfigError(path, key, _lower(message)) from None
    for index, entry in enumerate(config.mechanisms):
        if entry.measure not in MEASURES:
            reason = f"no measure {entry.measure!r}; {nearest(entry.measure, MEASURES)}"
            raise ConfigError(path, f"mechanism[{index}].measure", reason)
    if not config.mechanisms and not config.claims:
        raise ConfigError(
            path,
            "mechanism",
            "the configuration lists nothing, so nothing would be checked; add a [[mechanism]]",
        )
    return config, hashlib.sha256(content).hexdigest()


def _unknown_keys(table: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    allowed = [field.encode_name for field in msgspec.structs.fields(GateConfig)]
    for key in table:
        if key not in allowed:
            yield key, key, allowed
    entries = table.get("mechanism")
    allowed = [field.encode_name for field in msgspec.structs.fields(Entry)]
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        for key in entry if isinstance(entry, dict) else ():
            if key not in allowed:
                yield f"mechanism[{index}].{key}", key, allowed


def in_keys(message: str) -> str:
    """Return a message with keys of an entry in place of the options of a command line.

    >>> in_keys("its datasets depend on their size; give --n N")
    'its datasets depend on their size; give n = N'
    >>> in_keys("it states no budget; give one (--budget), and --jobs 1")
    'it states no budget; give one (budget), and --jobs 1'
    """
    keys = "|".join(field.encode_name for field in msgspec.structs.fields(Entry))
    valued = re.sub(rf"--({keys}) (?=[A-Z0-9])", r"\1 = ", message)
    return re.sub(rf"--({keys})(?![\w-])", r"\1", valued)


def _decimal(kind: type, value: Any) -> Any:
    if kind is float and isinstance(value, Decimal):
        return float(value)
    raise msgspec.ValidationError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _tools(document: dict[str, Any]) -> dict[str, Any]:
    tools = document.get("tool", {})
    return tools if isinstance(tools, dict) else {}


def _document(path: Path) -> dict[str, Any]:
    return _parsed(path, _content(path))


def _content(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(path, "", f"cannot be read: {error.strerror or error}") from None
    if len(content) > _MAX_BYTES:
        raise ConfigError(path, "", f"is larger than {_MAX_BYTES} bytes")
    return content


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode(), parse_float=Decimal)
    except UnicodeDecodeError:
        raise ConfigError(path, "", "is not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = f"is not TOML: {' '.join(str(error).split())}"
        hint = '; text and numbers such as 4/5 or ln(3) stand in quotes: budget = "ln(3)"'
        raise ConfigError(path, "", f"{reason}{hint * ('value' in reason)}") from None
