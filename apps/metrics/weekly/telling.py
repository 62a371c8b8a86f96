"""Tell each project's week once, and mail it to the members who chose that.

The week's row, its event and the mails that wait are of one transaction: whoever makes
the row tells it, however many workers look. A mail goes once it is handed to the mail
server; a worker that is killed between the two sends it once more. Nothing is told
while writes wait to be fed: the week would lack them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import structlog
from django.core.mail import EmailMessage
from django.db import transaction

from apps.accounts.models import Membership, Project
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.database.troubles import is_in_trouble
from apps.core.ids import new_id
from apps.core.outbound.links import path_to, whole
from apps.core.outbound.mails import is_of_this_mail
from apps.core.provenance import unrequested
from apps.diffs.readers import looking
from apps.diffs.text import shorten, visible
from apps.metrics.models import SummaryMail, SummaryReader, WeekTold
from apps.metrics.weekly import words
from apps.metrics.weekly.summary import WEEK, summary_of
from apps.timeline import projection
from apps.timeline.masking import reader_of

log = structlog.get_logger("stepback.mail")

# Weeks are those of UTC, from Monday on; told when people in most places are awake.
FIRST_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
RESTS = timedelta(hours=6)
LONGEST_LAG = 60.0
# Of one sweep: the next one goes on.
PROJECTS_AT_ONCE, MAILS_AT_ONCE = 100, 100
# Older than that a summary is news to nobody.
OLDEST = timedelta(days=5)


def sweep(*, now: datetime) -> int:
    """Tell the last whole week where it is not told; return of how many projects."""
    n_told = 0
    start = week_before(now)
    if projection.measure_lag().seconds(now) <= LONGEST_LAG:
        for project in _untold(start):
            n_told += _told_alone(project, start, now)
    send(now=now)
    return n_told


def week_before(now: datetime) -> datetime:
    """Return when the last week began that is over, and has been for some hours."""
    weeks = (now - RESTS - FIRST_MONDAY) // WEEK
    return FIRST_MONDAY + (weeks - 1) * WEEK


def _untold(start: datetime) -> list[Project]:
    told = WeekTold.objects.filter(start=start).values("project_id")
    # Of a project that is younger there is nothing to tell.
    older = Project.objects.filter(created_at__lt=start + WEEK)
    return list(older.exclude(id__in=told).order_by("id")[:PROJECTS_AT_ONCE])


def _told_alone(project: Project, start: datetime, now: datetime) -> bool:
    """Tell a project's week; what is wrong with it must not hold up the rest."""
    try:
        return _tell(project, start, now)
    except Exception as error:
        # The database is gone or in need: the next sweep goes on.
        if is_in_trouble(error):
            raise
        log.exception("a week was not told", project=project.id)
        return False


@transaction.atomic
def _tell(project: Project, start: datetime, now: datetime) -> bool:
    """Tell a project's week; whether this is who tells it."""
    week, is_mine = WeekTold.objects.get_or_create(
        project_id=project.id,
        start=start,
        defaults={"id": new_id("week", now=now), "told": {}, "created_at": now},
    )
    if not is_mine:
        return False
    week.told = words.details(summary_of(project, start), project)
    week.save(update_fields=["told"])
    audit.record(
        stream_id=project.id,
        project_id=project.id,
        action=Action.SUMMARY_WEEKLY,
        resource_type="summary",
        resource_id=week.id,
        act=unrequested(SYSTEM, now),
        details=week.told,
    )
    readers = SummaryReader.objects.of_project(project.id)
    SummaryMail.objects.bulk_create(
        [SummaryMail(reader=reader, week=week) for reader in readers]
    )
    return True


@transaction.atomic
def send(*, now: datetime) -> int:
    """Send mails that wait; return how many went out."""
    n_sent = 0
    for one in SummaryMail.objects.to_send(most=MAILS_AT_ONCE):
        if _is_wanted(one, now):
            try:
                with looking(reader_of(one.reader.project)):
                    message = _message(one)
                message.send()
            except OSError as failure:
                # Whatever the server or the way to it does; the rest waits for it, too.
                if not is_of_this_mail(failure):
                    log.warning("a mail was not sent", why=shorten(str(failure), 200))
                    break
                # This one waits for its address, and the rest for none but its own.
                log.warning("a mail was refused", why=shorten(str(failure), 200))
                continue
            n_sent += 1
        one.delete()
    return n_sent


def _is_wanted(mail: SummaryMail, now: datetime) -> bool:
    """Whether the mail is no old one, and who chose it may still see it."""
    reader = mail.reader
    return mail.week.created_at >= now - OLDEST and Membership.objects.has_person(
        reader.project_id, reader.user_id
    )


def _message(mail: SummaryMail) -> EmailMessage:
    told, slug = mail.week.told, mail.reader.project.slug
    # Names are anybody's words: no line of them may begin a header.
    subject = f"[Stepback] {shorten(told['summary'], 180)}"
    lines = [visible(line) for line in told["lines"]]
    lines += [
        f"The numbers of this week (UTC):\n{whole(told['dashboard_path'])}",
        f"You chose this summary. To stop:\n{whole(path_to('alerts', slug))}",
    ]
    text = "\n\n".join(lines) + "\n"
    return EmailMessage(subject, text, None, [mail.reader.email])
