"""Mail to the recipients of alerts when an agent fails for the third time.

The guide has people told after three failed attempts: those whom the project's rules
about rollbacks and escalations tell. Nothing of the tool or its arguments is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.core.mail import EmailMessage
from django.db import transaction

from apps.accounts.models import Project
from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core.outbound.links import path_to, whole
from apps.metrics.alerting.states import is_quiet
from apps.metrics.models import Metric, Rule
from apps.timeline.models import Session

ABOUT = (Metric.ROLLBACK_RATE, Metric.ESCALATION)
# Of one session; a project has as many rules as it likes.
MOST_TOLD = 20
MAIL = """\
An agent has failed three times at the same tool, with no success between:
{session}

What it did outside:
{effects}
"""


def feed(entries: Sequence[Entry], now: datetime) -> None:
    """Send a mail for each of these events, once they are fed."""
    for entry in entries:
        is_ours = entry.action == Action.SESSION_ESCALATED
        if is_ours and entry.details.get("because") == "failed_attempts":
            _tell(entry, now)


def _tell(entry: Entry, now: datetime) -> None:
    addresses = _recipients(entry, now)
    if not addresses:
        return
    slug = Project.objects.values_list("slug", flat=True).get(id=entry.project_id)
    subject = f"[Stepback] Three failed attempts in {entry.stream_id}"
    text = MAIL.format(
        session=whole(path_to("session_detail", slug, entry.stream_id)),
        effects=whole(path_to("session_effects", slug, entry.stream_id)),
    )
    for address in addresses:
        message = EmailMessage(subject, text, None, [address])
        transaction.on_commit(partial(_send, message), robust=True)


def _recipients(entry: Entry, now: datetime) -> list[str]:
    """Return whom the rules about this session's agent tell at this moment."""
    session = Session.objects.filter(id=entry.stream_id)
    agent_id = session.values_list("agent_id", flat=True).first()
    rules = Rule.objects.of_project(entry.project_id).active().exclude(email="")
    found = {
        rule.email: None
        for rule in rules.filter(metric__in=ABOUT).order_by("id")
        if rule.agent_id in (None, agent_id) and not is_quiet(rule, now)
    }
    return list(found)[:MOST_TOLD]


def _send(message: EmailMessage) -> None:
    message.send()
