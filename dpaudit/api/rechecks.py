"""``dpaudit.verify``: a report rechecked from the definitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.errors import LoadError, ParameterError, UsageError
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.findings import (
    Disagreement,
    NotAReportError,
    UnknownDefinitionError,
    VerificationDocument,
    verification_text,
)
from dpaudit.report.fitting import folded

if TYPE_CHECKING:
    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.user_mechanisms import OwnMechanism


__all__ = ["Verified", "own_mechanisms", "verify"]


class Verified(Finished[VerificationDocument]):
    """Result of :func:`verify`: the numbers of a report that are contradicted or unconfirmed.

    It can be exported as text, JSON, CSV, Markdown or data frames."""

    @property
    def verdict(self) -> str:
        """``accepted``, ``rejected`` (something is contradicted) or ``unconfirmed``."""
        return self.report.verdict

    @property
    def disagreements(self) -> list[Disagreement]:
        """Statements that are contradicted, each with its place and the reason."""
        return self.report.disagreements

    @property
    def unconfirmed(self) -> list[Disagreement]:
        """Statements that could not be rechecked, each with the reason."""
        return self.report.unconfirmed

    def rendered(self, form: str) -> str:
        """Return the answer as ``text``, ``json``, ``csv`` or ``markdown``."""
        if form != "text":
            return super().rendered(form)
        return "\n".join(map(folded, verification_text(self.report).split("\n")))

    def __str__(self) -> str:
        """Return the text of the command line."""
        return self.rendered("text")


def verify(
    path: str | Path,
    own: Sequence[str] = (),
    *,
    budget: str | None = None,
    n: str | None = None,
    config: str | Path | None = None,
    all_pairs: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> Verified:
    """Recompute the numbers of a JSON report from the definitions, and compare them.

    The computation uses mpmath, and shares no arithmetic with audits.

    Args:
        path: a JSON report of any kind that ``dpaudit verify --schemas`` lists.
        own: your mechanisms that the report is about, each ``path.py:name`` or ``module:name``.
        budget: the budget that the report must have, such as ``"4/5"`` or ``"4/5,1/1000"``; a
            report with another one is rejected.
        n: the sizes that the report must have, such as ``"10..20"``.
        config: the configuration that a gate's report must cover.
        all_pairs: True to recompute the maxima over all pairs, and not only the values at the
            witnesses.
        progress: called with the name of the part that is rechecked next.

    Returns:
        The outcome: ``.verdict``, and in ``.disagreements`` the contradicted statements.

    Raises:
        UsageError: for a file that is not such a report, or has impossible content.

    Example: ``dpaudit.verify("report.json").verdict == "accepted"``
    """
    from dpaudit.recheck.verify import verify as recheck

    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError("path", f"path = {path!r}: must be the path of a JSON report")

    requirements = Requirements(budget, n, None if config is None else Path(config))
    document = recheck(
        Path(path), own_mechanisms(own), requirements, all_pairs=all_pairs, progress=progress
    )
    return Verified(document)


def own_mechanisms(references: Sequence[str]) -> list[OwnMechanism]:
    """Return mechanisms of users by their references, to be made with a report's parameters.

    Raises ``UsageError`` for one that cannot be loaded.
    """
    listed = [references] if isinstance(references, str) else references
    if not isinstance(listed, Iterable):
        raise ParameterError("own", f"own = {listed!r}: must be a list of path.py:name")
    return [_own(reference) for reference in listed]


def _own(reference: str) -> OwnMechanism:
    from dpaudit.mechanisms.loading import find_mechanism
    from dpaudit.mechanisms.parameters import parameter_text
    from dpaudit.mechanisms.user import FiniteMechanism
    from dpaudit.recheck.registry import same_parameter
    from dpaudit.recheck.user_mechanisms import OwnMechanism, TabulatedMechanism

    loaded = find_mechanism(reference)
    if loaded.built_in:
        raise LoadError(reference, "it is a built-in mechanism; leave it out of --own")

    def define(name: str, parameters: Mapping[str, Any]) -> Definition:
        try:
            mechanism = loaded.build(parameters)
        except UsageError as error:
            raise NotAReportError(f"its mechanism is invalid: {error}") from None
        if not isinstance(mechanism, FiniteMechanism):
            raise UnknownDefinitionError(
                f"verify can recompute a mechanism of your own only from its law(dataset) and its "
                f"datasets; {name} is a subclass of Mechanism"
            )
        texts = {key: parameter_text(value) for key, value in mechanism.values().items()}
        same = texts.keys() == parameters.keys() and all(
            same_parameter(parameters[key], text) for key, text in texts.items()
        )
        if mechanism.title != name or not same:
            actual = (
                ", ".join(f"{key} = {value}" for key, value in texts.items()) or "no parameters"
            )
            raise UnknownDefinitionError(
                f"{reference} makes {mechanism.title} with {actual}, but the report says otherwise"
            )
        stated, relation = mechanism.stated, mechanism.relation
        return TabulatedMechanism(
            mechanism.law,
            relation.listing if relation.defaulted else relation.datasets,
            (relation.name, relation.adjacent),
            None if stated is None else (str(stated.epsilon), str(stated.delta)),
            normalised=mechanism.normalised,
            defaulted=relation.defaulted,
        )

    def written(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            values = loaded.build(parameters).values()
        except UsageError as error:
            raise NotAReportError(f"{reference} cannot be made as asked: {error}") from None
        return {key: parameter_text(value) for key, value in values.items()}

    return OwnMechanism(reference, loaded.sha256, define, written)
