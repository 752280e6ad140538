"""Finding claims: through the entry-point group ``dpaudit.claims``, and in files that are named.

An entry point names a sequence of :class:`~dpaudit.claims.claim.Claim` in a module, or a package
whose modules offer theirs; a module of such a package, like a file, does so under the name
``CLAIMS``, and need not be listed anywhere.  A provider that cannot be imported is reported as a
failure of its own, and the others still count.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os.path
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from operator import itemgetter
from pathlib import Path

from dpaudit.claims.claim import Claim
from dpaudit.errors import UsageError, nearest

__all__ = ["GROUP", "ClaimError", "Registered", "discover", "select"]

GROUP = "dpaudit.claims"
"""The entry-point group."""


class ClaimError(UsageError):
    """Claims that do not exist, or that no file or entry point offers properly."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A claim with where it comes from."""

    claim: Claim
    """The claim; for a provider that failed, one without evidence."""
    module: str
    """The module, or the file, that offers it."""
    hash: str
    """A hash of the claim's text, its evidence as explained, its module and the engine."""
    package: str = ""
    """The package of the module, beside which its ledger lies; empty for a file."""
    failure: str = ""
    """Reason why the provider could not be imported; empty if it could."""


def discover(files: Iterable[str | Path] = ()) -> dict[str, Registered]:
    """Return all claims by id, those of ``files`` last; ``ClaimError`` for ids used twice."""
    found: dict[str, Registered] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        for name, module, load in _providers(point):
            try:
                claims = load()
            except Exception as error:  # whatever a provider raises is its failure
                _add(found, [_failed(name, module, error)])
            else:
                file = getattr(sys.modules.get(module), "__file__", None)
                source = Path(file).read_text() if file else ""
                _add(found, _register(claims, module, source, module.rpartition(".")[0]))
    for file in files:
        _add(found, _from_file(Path(file)))
    return found


def _providers(point: EntryPoint) -> Iterator[tuple[str, str, Callable[[], Sequence[Claim]]]]:
    """Iterate over what an entry point offers: name, module, and what loads its claims."""
    spec = None if point.attr else importlib.util.find_spec(point.module)
    if spec is None or spec.submodule_search_locations is None:
        yield point.name, point.module, point.load
        return
    for info in sorted(pkgutil.iter_modules(spec.submodule_search_locations), key=itemgetter(1)):
        module = f"{point.module}.{info.name}"
        yield info.name, module, partial(_claims_of, module)


def _claims_of(module: str) -> Sequence[Claim]:
    claims: Sequence[Claim] = getattr(importlib.import_module(module), "CLAIMS", ())
    return claims


def _add(found: dict[str, Registered], registered: Iterable[Registered]) -> None:
    for item in registered:
        if item.claim.id in found:
            raise ClaimError(
                f"two claims have the id {item.claim.id!r}: in {found[item.claim.id].module} and "
                f"in {item.module}"
            )
        found[item.claim.id] = item


def _from_file(path: Path) -> list[Registered]:
    if not os.path.isfile(path):  # where Path.is_file raises for a name too long
        raise ClaimError(f"{path}: there is no such file of claims")
    spec = importlib.util.spec_from_file_location(f"dpaudit_claims_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ClaimError(f"{path}: a file of claims is a Python file (its name ends in .py)")
    module = importlib.util.module_from_spec(spec)
    content = path.read_bytes()
    try:
        # Compiled from what was read, so that the hash of a claim is of the file that states it.
        exec(compile(content, str(path), "exec"), vars(module))
    except Exception as error:  # whatever a file of claims raises is its failure
        return [_failed(path.stem, str(path), error)]
    claims = getattr(module, "CLAIMS", None)
    if not isinstance(claims, (list, tuple)) or not all(isinstance(c, Claim) for c in claims):
        raise ClaimError(f"{path}: it must offer CLAIMS, a sequence of dpaudit.claims.claim.Claim")
    return _register(claims, str(path), content.decode())


def _failed(name: str, module: str, error: Exception) -> Registered:
    claim = Claim(id=name, source=module, statement="claims that cannot be imported", domain="")
    return Registered(claim, module, "", failure=f"{type(error).__name__}: {error}")


def _register(
    claims: Iterable[Claim], module: str, source: str, package: str = ""
) -> list[Registered]:
    code = _engine_hash() + source
    return [Registered(claim, module, _hash(claim, code), package) for claim in claims]


def _hash(claim: Claim, code: str) -> str:
    texts = [repr(getattr(claim, f.name)) for f in fields(claim) if f.name != "evidence"]
    texts += [
        f"{e.kind}|{e.title}|{e.role.name}|{e.domain}|{e.explained()}" for e in claim.evidence
    ]
    return hashlib.sha256("\n".join([code, *texts]).encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _engine_hash() -> str:
    """Return a hash of the sources that decide what a verdict is."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def select(
    known: dict[str, Registered], patterns: Sequence[str], files: Iterable[str | Path] = ()
) -> list[Registered]:
    """Return the claims that match any of ``patterns`` (ids or globs).

    Without patterns those of ``files`` are meant, and without files all.
    Raises ``ClaimError``, with the nearest ids, for a pattern that nothing matches.
    """
    if not patterns:
        named = {str(Path(file)) for file in files}
        return [item for item in known.values() if item.module in named or not named]
    chosen: dict[str, Registered] = {}
    for pattern in patterns:
        matching = [claim_id for claim_id in known if fnmatchcase(claim_id, pattern)]
        if not matching:
            raise ClaimError(f"no claim is called {pattern!r}; {nearest(pattern, known)}")
        chosen.update((claim_id, known[claim_id]) for claim_id in matching)
    return list(chosen.values())
