"""Record of Coq's last answers, which comes with a package of claims."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from dpaudit.kernel import development
from dpaudit.results.documents import seal_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dpaudit.claims.discover import Registered

__all__ = ["recorded", "sources_of"]


def sources_of(known: Mapping[str, Registered], chosen: Iterable[Registered]) -> dict[str, str]:
    """Return the development of the packages of the ``chosen`` claims.

    Args:
        known: all claims, by id.
        chosen: those whose packages are meant.

    Raises:
        ParameterError: where the files of two packages do not go together.
    """
    packages = {item.package for item in chosen if item.package}
    claims = [item.claim for item in known.values() if item.package in packages]
    return development.sources(sorted(packages), claims)


def recorded(
    known: Mapping[str, Registered], chosen: Iterable[Registered]
) -> dict[str, tuple[str, ...]]:
    """Return claims of grade ``kernel`` on record, each with Coq's version and the axioms.

    It is a record: this run has not checked it.  A record of another development, or one that was
    changed by hand, says nothing.
    """
    items = [item for item in chosen if item.package]
    found: dict[str, tuple[str, ...]] = {}
    written = development.fingerprint_of(sources_of(known, items))
    for package in sorted({item.package for item in items}):
        record = files(package) / "kernel.json"
        if not record.is_file():
            continue
        report = json.loads(record.read_bytes())
        if report["sha256"] != seal_of(report):
            continue
        if report["development"] == written:
            coq = f"Coq {report['coq']}"
            found |= {one["id"]: (coq, *one["axioms"]) for one in report["claims"]}
    return {item.claim.id: found[item.claim.id] for item in items if item.claim.id in found}
