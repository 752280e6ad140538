"""The verdicts on the claims of the notes as they are recorded.

``test_notes`` decides every claim once, and compares with these; the tests of one family say what
they have to be.
"""

from pathlib import Path

import dpaudit_proofs

from dpaudit.claims.claim import ClaimVerdict
from dpaudit.claims.ledger import read_ledger

__all__ = ["LEDGER", "recorded_verdict"]

LEDGER = read_ledger(Path(dpaudit_proofs.__file__).with_name("ledger.json"))


def recorded_verdict(name: str) -> ClaimVerdict:
    """Return the verdict that is recorded of a claim."""
    return ClaimVerdict(LEDGER[name].verdict)
