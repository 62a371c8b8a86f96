"""What people write on incidents, held to its bounds."""

from __future__ import annotations

from apps.checks import CheckRefused, read_text, write_text
from apps.core.errors import InvalidRequest
from apps.incidents.errors import UnacceptableIncident
from apps.incidents.seeing import hides_check
from apps.incidents.words import LONGEST_NOTE, LONGEST_TITLE


def title_of(said: str) -> str:
    """Raises: UnacceptableIncident."""
    title = said.strip()
    if not title or len(title) > LONGEST_TITLE or "\0" in title:
        raise UnacceptableIncident(
            f"title takes 1 to {LONGEST_TITLE} characters, none of them NUL.",
            param="title",
        )
    return title


def note_of(said: str) -> str:
    """Raises: UnacceptableIncident."""
    text = said.strip()
    if not text or len(text) > LONGEST_NOTE or "\0" in text:
        raise UnacceptableIncident(
            f"text takes 1 to {LONGEST_NOTE:,} characters, none of them NUL.",
            param="text",
        )
    return text


def check_of(said: str | None) -> str | None:
    """Return a check as it is written; None for none.

    Raises: InvalidRequest with the place of what is wrong; UnacceptableIncident for one
    that would tell whoever asks what masks cover.
    """
    if said is None or not said.strip():
        return None
    try:
        text = write_text(read_text(said))
    except CheckRefused as refused:
        facts = {"position": refused.where.position, "suggestion": refused.suggestion}
        known = {name: fact for name, fact in facts.items() if fact is not None}
        raise InvalidRequest(refused.sentence, param="check", **known) from None
    if hides_check(text):
        raise UnacceptableIncident(
            "This check would tell what masks cover.", param="check"
        )
    return text
