"""Holding a certificate against the database: is anything of the person there?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import DomainError
from apps.core.notes.errors import KeyRefused
from apps.erasures.errors import CertificateRefused
from apps.erasures.journal import opened_certificate
from apps.erasures.subjects import (
    Subject,
    digest_of,
    documents_of,
    ids_of,
    sessions_of,
)
from apps.erasures.words import Kind
from apps.timeline.hooks.keeping import (
    Leavings,
    count_leavings,
    leavings_of_erased_sessions,
    leavings_of_people,
    leavings_of_sessions,
)
from apps.timeline.models import Session, Tombstone
from apps.timeline.queries import sizes_of

PASSING = {"request_keys", "exports"}


def problems(data: bytes, value: str) -> list[str]:
    """Return what a certificate, or the database, does not hold of it; empty: all does.

    `value` is the person, or the session, that the certificate is said to be about.
    """
    try:
        said = opened_certificate(_signed(data)).certificate
    except (CertificateRefused, KeyRefused) as refused:
        return [str(refused)]
    salt = bytes.fromhex(said["subject"]["salt"])
    if digest_of(salt, value) != said["subject"]["digest"]:
        return ["The certificate is about somebody else."]
    project = Project.objects.filter(id=said["project_id"]).first()
    if project is None:
        return []
    subject = Subject(project=project, kind=Kind(said["kind"]), value=value)
    erased = _erased(said, salt)
    return [*_there(subject, said, salt), *_left(subject, erased), *_ends(said, erased)]


def _signed(data: bytes) -> bytes:
    """Return the signed text of a certificate, also of what the API answers."""
    if not data.lstrip().startswith(b"{"):
        return data
    try:
        said = json.parse_written(data)
    except DomainError:
        return data
    text = said.get("certificate") if isinstance(said, dict) else None
    return text.encode() if isinstance(text, str) else data


def _there(subject: Subject, said: dict[str, Any], salt: bytes) -> Iterator[str]:
    """Yield the histories of the subject, and of the certificate, that are there."""
    digests = {one["digest"] for one in said["histories"]}
    sessions = sessions_of(subject)
    found = set(sessions) | set(documents_of(subject, sessions))
    mine = Session.with_documents.of_project(subject.project.id)
    found |= {one for one in ids_of(mine) if digest_of(salt, one) in digests}
    for one in sorted(found):
        yield f"{one} is there."


def _erased(said: dict[str, Any], salt: bytes) -> dict[str, Tombstone]:
    """Return the last tombstone of each history that went, by its digest."""
    removal = Tombstone.objects.of_removal(said["project_id"], said["id"])
    found = {}
    for one in removal.session_ids():
        stones = Tombstone.objects.of_session(one).filter(removal_id=said["id"])
        found[digest_of(salt, one)] = stones.order_by("-created_at", "-last_number")[0]
    return found


def _left(subject: Subject, erased: dict[str, Tombstone]) -> Iterator[str]:
    """Yield what is left of the histories that went, and of the person beside them."""
    ids = sorted(one.session_id for one in erased.values())
    left: Counter[str] = Counter()
    for one in ids:
        sizes = sizes_of(one)
        left += Counter(versions=sizes.versions, turns=sizes.turns)
        asked = {"session": one, "project": subject.project.id}
        left += count_leavings(leavings_of_sessions(), asked)
        left += count_leavings(_lasting(leavings_of_erased_sessions()), asked)
    left += count_leavings(_lasting(leavings_of_people()), subject.asked(ids))
    for what, n in sorted(left.items()):
        yield f"{n:,} {what} are there."


def _lasting(found: Iterator[Leavings]) -> Iterator[Leavings]:
    """Leave out what is forgotten soon: answers to requests, and files of exports.

    The files that there were went with the person; others were asked for since.
    """
    return (one for one in found if one.what not in PASSING)


def _ends(said: dict[str, Any], erased: dict[str, Tombstone]) -> Iterator[str]:
    """Yield where a tombstone is of another history than the certificate says."""
    for one in said["histories"]:
        stone = erased.get(one["digest"])
        if stone is None or stone.last_number != one["last_version"]:
            # Applied by a restore to a backup from before, or it grew meanwhile.
            continue
        if bytes(stone.chain_after).hex() != one["chain"]:
            yield f"The tombstone of {stone.session_id} is of another history."
