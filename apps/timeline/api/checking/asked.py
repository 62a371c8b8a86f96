"""A check as callers send it: in one line, or as JSON."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from apps.checks import (
    LONGEST_TEXT,
    Check,
    CheckRefused,
    Outcome,
    read_document,
    read_text,
)
from apps.core import json, paging
from apps.core.errors import InvalidRequest

HOLDS = {Outcome.HOLDS: True, Outcome.FAILS: False, Outcome.UNDECIDED: None}


def check_in_query(request: Request) -> Check:
    """Return the check that the query says, as text or as JSON.

    Raises: InvalidRequest, with the place of what is wrong.
    """
    text = paging.text_of(request, "check", LONGEST_TEXT)
    if text is None:
        raise InvalidRequest("check takes a check.", param="check")
    if not text.startswith("{"):
        return read_check(text)
    return read_check(paging.json_object_of(request, "check", LONGEST_TEXT) or {})


def read_check(said: str | dict[str, Any]) -> Check:
    """Return the check that a text or a document says.

    Raises: InvalidRequest, with the place of what is wrong.
    """
    if not isinstance(said, str) and len(json.dumps(said)) > LONGEST_TEXT:
        message = f"A check has at most {LONGEST_TEXT:,} characters as JSON."
        raise InvalidRequest(message, param="check")
    try:
        return read_text(said) if isinstance(said, str) else read_document(said)
    except CheckRefused as refused:
        raise InvalidRequest(
            refused.sentence, param="check", **_details(refused)
        ) from None


def _details(refused: CheckRefused) -> dict[str, Any]:
    """Return what is known of a fault beside its sentence."""
    facts = {"position": refused.where.position, "suggestion": refused.suggestion}
    return {name: fact for name, fact in facts.items() if fact is not None}
