"""A statement that is given as data: reading the file, and reporting what is certain of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dpaudit.claims.polynomial import FormulaError
from dpaudit.claims.statement import formula_text, read
from dpaudit.errors import UsageError
from dpaudit.fingerprint import fingerprint
from dpaudit.report.table import csv_table
from dpaudit.results import StatementQuestion, StatementResult
from dpaudit.results.documents import encode

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.claims.deciding import Finding

__all__ = ["read_question", "statement_report"]

_SCHEMA = "dpaudit.statement/1"


def read_question(path: Path) -> StatementQuestion:
    """Return the statement in a file; ``UsageError`` for a file that is none."""
    try:
        question = msgspec.json.decode(path.read_bytes(), type=StatementQuestion)
        if question.schema != _SCHEMA:
            raise UsageError(f"{path}: its schema is {question.schema!r}, not {_SCHEMA!r}")
        read(question.statement)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, FormulaError, RecursionError) as error:
        raise UsageError(f"{path}: not a statement: {error}") from None
    return question


def statement_report(question: StatementQuestion, finding: Finding, form: str) -> bytes:
    """Return the verdict on a statement in any form."""
    formula = formula_text(question.statement)
    if form == "json":
        result = StatementResult(
            schema="dpaudit.statement-verdict/1",
            fingerprint=fingerprint(),
            claim=question.claim,
            statement=question.statement,
            formula=formula,
            verdict=finding.verdict.value,
            grade=finding.grade.value,
            reason=finding.reason,
        )
        return encode(result)
    if form == "csv":
        row = (question.claim, formula, finding.verdict.value, finding.grade.value, finding.reason)
        return csv_table(("claim", "formula", "verdict", "grade", "reason"), [row])
    if form == "markdown":
        verdict = f"**{finding.verdict.value}** ({finding.grade.value})"
        return f"`{formula}`\n\n{verdict}: {finding.reason}\n".encode()
    lines = [
        formula,
        f"by the evidence of {question.claim}: {finding.verdict.value} ({finding.grade.value})",
        finding.reason,
    ]
    return ("\n".join(lines) + "\n").encode()
