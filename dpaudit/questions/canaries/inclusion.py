"""The Python interface of manifests: ``dpaudit.plan_inclusion`` says which canaries are in.

a number of canaries, a seed → independent fair coins → a manifest with a hash → the audit
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.data.files import open_regular
from dpaudit.errors import DataError, DomainError, OutputError, ParameterError
from dpaudit.questions.canaries.one_run import LARGEST_M
from dpaudit.results import InclusionManifest
from dpaudit.results.documents import as_document, seal_of
from dpaudit.version import __version__

if TYPE_CHECKING:
    import os

__all__ = ["Inclusion", "coins", "plan_inclusion", "read_inclusion"]

_SCHEMA = "dpaudit.inclusion/1"
_LONGEST_SEED, _LONGEST_VERSION, _MOST_BYTES = 200, 100, 1 << 24
_SEED_BYTES = 16
_BITS = 256  # of one SHA-256


@dataclass(frozen=True, repr=False)
class Inclusion(Finished[InclusionManifest]):
    """Result of :func:`plan_inclusion`: the manifest of the canaries that are in."""

    @property
    def member(self) -> tuple[bool, ...]:
        """A mask for arrays and frames: True for each canary that is in."""
        return tuple(digit == "1" for digit in self.report.member)

    @property
    def inside(self) -> list[int]:
        """Indices, from 0, of the canaries that are in."""
        return [place for place, digit in enumerate(self.report.member) if digit == "1"]

    @property
    def sha256(self) -> str:
        """The SHA-256 of the manifest; publish it before the training."""
        return self.report.sha256

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the manifest to a file, for ``--inclusion`` and ``canaries(inclusion=path)``.

        Raises:
            OutputError: if the file exists already, or cannot be written.
        """
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(self.to_json())
        except OSError as error:
            raise OutputError(Path(path), error.strerror or str(error)) from None


def plan_inclusion(canaries: int, *, seed: int | str | None = None) -> Inclusion:
    """Choose by a fair coin for each canary whether it is in the training set.

    Write the manifest before the training and publish its hash. The audit reads the manifest, so
    nobody can choose afterwards which canaries were in.  The coins follow from the seed by SHA-256,
    the same on every machine.

    Args:
        canaries: number of canaries.
        seed: seed of the coins; by default 128 random bits of the system. If you give one, do not
            choose it among several by their coins.

    Returns:
        The manifest: :attr:`Inclusion.member` is a mask, :attr:`Inclusion.inside` are indices.

    Raises:
        UsageError: for a bad number or seed; the message says what is allowed.

    >>> plan = plan_inclusion(16, seed=7)
    >>> plan.inside
    [0, 1, 4, 5, 6, 7, 8, 13, 14, 15]
    """
    if isinstance(canaries, bool) or not isinstance(canaries, int):
        raise DomainError("canaries", canaries, "must be a whole number")
    if not 1 <= canaries <= LARGEST_M:
        raise DomainError("canaries", canaries, f"must be from 1 to {LARGEST_M}")
    if seed is None:
        seed = secrets.token_hex(_SEED_BYTES)
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise DomainError("seed", seed, "must be a whole number or text")
    text = str(seed)
    if not 1 <= len(text) <= _LONGEST_SEED or not text.isprintable():
        raise ParameterError("seed", f"a seed has 1 to {_LONGEST_SEED} printable characters")
    return _planned(canaries, text, __version__)


def _planned(canaries: int, seed: str, version: str) -> Inclusion:
    fields: dict[str, Any] = {"schema": _SCHEMA, "version": version, "canaries": canaries}
    fields |= {"seed": seed, "member": coins(seed, canaries)}
    seal = seal_of(as_document(InclusionManifest(**fields)))
    return Inclusion(InclusionManifest(**fields, sha256=seal))


def read_inclusion(path: str | os.PathLike[str]) -> Inclusion:
    """Read a manifest back, and check its hash and every coin.

    Args:
        path: the file that :meth:`Inclusion.save` or ``--plan-inclusion`` wrote.

    Raises:
        DataError: for a file that is no manifest, or not as it was written.
    """
    path = Path(path)
    try:
        with open_regular(path) as file:
            data = file.read(_MOST_BYTES + 1)
        content: Any = json.loads(data.decode()) if len(data) <= _MOST_BYTES else None
    except OSError as error:
        raise DataError(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError):
        content = None
    if not _is_manifest(content):
        raise DataError(
            path, "it is not a manifest of canaries; dpaudit canaries --plan-inclusion writes one"
        )
    found = _planned(content["canaries"], content["seed"], content["version"])
    if content["member"] != found.report.member:
        raise DataError(path, "its coins do not follow from its seed, so it was changed")
    if content["sha256"] != found.sha256:
        raise DataError(path, "its SHA-256 does not match its content, so it was changed")
    return found


def _is_manifest(content: Any) -> bool:
    fields = ("schema", "version", "canaries", "seed", "member", "sha256")
    if not isinstance(content, dict) or sorted(content) != sorted(fields):
        return False
    number = content.pop("canaries")
    texts = all(isinstance(one, str) and one.isprintable() for one in content.values())
    content["canaries"] = number
    return (
        texts
        and content["schema"] == _SCHEMA
        and type(number) is int
        and 1 <= number <= LARGEST_M
        and 1 <= len(content["seed"]) <= _LONGEST_SEED
        and len(content["version"]) <= _LONGEST_VERSION
    )


def coins(seed: str, count: int) -> str:
    """Return so many coins as text: ``1`` for a canary that is in, ``0`` for one that is out.

    They are the bits, the highest first, of the SHA-256 of ``dpaudit.inclusion/1``, the seed and
    the number of the block, from 0, on three lines of UTF-8 without a last line break.

    >>> coins("7", 16)
    '1100111110000111'
    """
    blocks = []
    for block in range(-(-count // _BITS)):
        digest = hashlib.sha256(f"dpaudit.inclusion/1\n{seed}\n{block}".encode()).digest()
        blocks.append(f"{int.from_bytes(digest, 'big'):0{_BITS}b}")
    return "".join(blocks)[:count]
