"""Exceptions that stand: what they let pass, and until a write is in, that they do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from apps.core import sql
from apps.data.models import PolicyException
from apps.data.policies import Exemption, Rule
from apps.timeline.operations import Document

# Whoever ends one waits for the writes that need it, and they for nobody else.
_HELD = sql.of_session("""
SELECT x.id FROM data_exception x
 WHERE x.session_id = %(session)s AND x.id = ANY(%(ids)s::varchar[])
   AND x.ended_at IS NULL AND x.expires_at > %(now)s
 ORDER BY x.id FOR SHARE
""")


def exemptions(document: Document, *, now: datetime) -> Mapping[Exemption, str]:
    """Return what the exceptions of an agent let pass now, each with its id."""
    standing = PolicyException.objects.of(document.id).standing(now)
    return {exemption_of(one): one.id for one in standing.newest_first()}


def exemption_of(exception: PolicyException) -> Exemption:
    mark = exception.fingerprint
    return Exemption(
        rule=Rule(exception.rule),
        fingerprint=None if mark is None else bytes(mark),
        prefix=exception.prefix,
    )


def still_stand(document: Document, ids: Collection[str], *, now: datetime) -> bool:
    """Say whether all of these stand, and have them do so until the transaction ends.

    The lock comes before those of the document and of chains.
    """
    asked = {"session": document.id, "ids": sorted(ids), "now": now}
    return len(sql.rows(_HELD, asked)) == len(ids)
