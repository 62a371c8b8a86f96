"""Holding a certificate against the database: is anything of the person there?"""

from __future__ import annotations

from apps.accounts.models import Project
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
from apps.timeline.hooks.erasing import count_leavings, leavings_of_people
from apps.timeline.models import Session


def problems(data: bytes, value: str) -> list[str]:
    """Return what a certificate, or the database, does not hold of it; empty: all does.

    `value` is the person, or the session, that the certificate is said to be about.
    """
    try:
        said = opened_certificate(data).certificate
    except (CertificateRefused, KeyRefused) as refused:
        return [str(refused)]
    salt = bytes.fromhex(said["subject"]["salt"])
    if digest_of(salt, value) != said["subject"]["digest"]:
        return ["The certificate is about somebody else."]
    project = Project.objects.filter(id=said["project_id"]).first()
    if project is None:
        return []
    subject = Subject(project=project, kind=Kind(said["kind"]), value=value)
    return [*_histories(subject, {one["digest"] for one in said["histories"]}, salt)]


def _histories(subject: Subject, digests: set[str], salt: bytes) -> list[str]:
    sessions = sessions_of(subject)
    found = set(sessions) | set(documents_of(subject, sessions))
    mine = Session.with_documents.of_project(subject.project.id)
    for one in ids_of(mine):
        if digest_of(salt, one) in digests:
            found.add(one)
    said = [f"{one} is there." for one in sorted(found)]
    # What was answered to a request is forgotten after a day, and is no one's to read.
    others = (one for one in leavings_of_people() if one.what != "request_keys")
    left = count_leavings(others, subject.asked(sorted(found)))
    return said + [f"{n:,} {what} are there." for what, n in sorted(left.items())]
