"""Send what waits: one mail for each watch, however much happened meanwhile.

Notices go once their mail is handed to the mail server; a worker that is killed between
the two sends it once more. A server that is down is tried again with the next sweep. An
address or a mail that it refuses is too, but no other waits for that one. What is older
than a day is dropped: nobody acts on it any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

import structlog
from django.core.mail import EmailMessage
from django.db import transaction

from apps.accounts.models import Membership
from apps.core.outbound.links import path_to, whole
from apps.core.outbound.mails import is_of_this_mail
from apps.diffs.readers import looking
from apps.diffs.text import shorten
from apps.timeline.masking import reader_of
from apps.watching.models import Happening, Notice, Watch

log = structlog.get_logger("stepback.mail")

AT_ONCE = 200
# Of one mail; more are counted.
LISTED = 20
OLDEST = timedelta(days=1)
WORDS = {
    Happening.ROLLED_BACK: "{who} rolled {session} back (v{number})",
    Happening.HELD: "{who} held {session} (v{number})",
    Happening.FLAGGED: "v{number} of {session} looks wrong, written by {who}",
    Happening.ASKED: "{who} asks for an approval in {session} (v{number})",
    Happening.HANDED_OVER: "{session} was escalated: people are to look (v{number})",
    Happening.ESCALATED: "administrators decide in {session} (v{number})",
}


@transaction.atomic
def send(*, now: datetime) -> int:
    """Send the oldest notices; return how many went out."""
    n_sent, refused = 0, set[str]()
    while claimed := Notice.objects.to_send(most=AT_ONCE, but_of=refused):
        n_known = len(refused)
        for watch, some in groupby(claimed, key=lambda one: one.watch):
            waiting = _not_old(list(some), now)
            try:
                n_sent += _mail(watch, waiting)
            except OSError as failure:
                # Whatever the server or the way to it does; the rest waits for it, too.
                if not is_of_this_mail(failure):
                    log.warning("a mail was not sent", why=shorten(str(failure), 200))
                    return n_sent
                # What waits for it is no reason for others to wait.
                refused.add(watch.id)
                log.warning("a mail was refused", why=shorten(str(failure), 200))
            else:
                _forget(waiting)
        if len(refused) == n_known:
            break
    return n_sent


def _not_old(notices: Sequence[Notice], now: datetime) -> list[Notice]:
    """Drop what nobody acts on any more; return the rest."""
    _forget([one for one in notices if one.at < now - OLDEST])
    return [one for one in notices if one.at >= now - OLDEST]


def _mail(watch: Watch, notices: Sequence[Notice]) -> int:
    """Mail who watches; return of how many notices, none where nobody may see them.

    Raises: OSError.
    """
    members = Membership.objects
    if not notices or not members.has_person(watch.project_id, watch.user_id):
        return 0
    with looking(reader_of(watch.project)):
        message = _message(watch, notices)
    message.send()
    return len(notices)


def _message(watch: Watch, notices: Sequence[Notice]) -> EmailMessage:
    newest = notices[-1]
    lines = [_line(watch, one) for one in notices[:LISTED]]
    if len(notices) > LISTED:
        lines.append(f"and {len(notices) - LISTED} more")
    # Names are anybody's words: no line of them may begin a header.
    subject = f"[Stepback] {_words(newest)}"
    if len(notices) > 1:
        subject = f"[Stepback] {len(notices)} things happened in what you watch"
    about = path_to("session_detail", watch.project.slug, newest.session_id)
    lines.append(
        f"You watch {watch.subject} {watch.subject_id}. To stop:\n{whole(about)}"
    )
    return EmailMessage(subject, "\n\n".join(lines) + "\n", None, [watch.email])


def _line(watch: Watch, notice: Notice) -> str:
    slug = watch.project.slug
    path = path_to("version_detail", slug, notice.session_id, notice.number)
    if notice.happening in (Happening.ASKED, Happening.ESCALATED):
        path = path_to("approvals", slug)
    return f"{_words(notice)}\n{notice.at:%Y-%m-%d %H:%M:%S} UTC\n{whole(path)}"


def _words(notice: Notice) -> str:
    return WORDS[Happening(notice.happening)].format(
        who=shorten(notice.actor_label, 60),
        session=notice.session_id,
        number=notice.number,
    )


def _forget(notices: Sequence[Notice]) -> None:
    if not notices:
        return
    watch = notices[0].watch
    events = [one.event_id for one in notices]
    Notice.objects.filter(watch=watch, event_id__in=events).delete()
