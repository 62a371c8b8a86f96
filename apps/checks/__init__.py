"""Checks: assertions over a state, as one line of text or as JSON; pure functions.

    state.total<=1500 AND NOT state.destination=null
    EACH state.items (item.qty>0 AND item.price>=0)
    sum:state.items(item.price)=state.total AND state.step>=was.step

Guards, approval rules and searches through history ask them. A check either holds,
fails, or is undecided where looking would cost too much; it never passes unseen.
"""

from apps.checks.document import document_of, read_document
from apps.checks.errors import CheckRefused, Where
from apps.checks.evaluating import (
    APPEND_LOOKS,
    LOOKS,
    Outcome,
    Verdict,
    evaluate,
)
from apps.checks.language import LONGEST_TEXT, read_text
from apps.checks.limits import MOST_CLAUSES
from apps.checks.model import Check
from apps.checks.naming import names_before, pointers_of
from apps.checks.writing import write_text

__all__ = [
    "APPEND_LOOKS",
    "LONGEST_TEXT",
    "LOOKS",
    "MOST_CLAUSES",
    "Check",
    "CheckRefused",
    "Outcome",
    "Verdict",
    "Where",
    "document_of",
    "evaluate",
    "names_before",
    "pointers_of",
    "read_document",
    "read_text",
    "write_text",
]
