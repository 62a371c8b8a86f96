"""Mail about alert rules: handed to the mail server after the commit.

The worker waits for the server. A request does not: what somebody tries with a button
goes out in a thread of its own, and the page waits a few seconds to say how it went.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import BoundedSemaphore, Event, Thread
from typing import Any

import structlog
from django.core.mail import EmailMessage
from django.db import transaction

from apps.core.outbound.links import whole
from apps.diffs.readers import looking
from apps.diffs.text import shorten, visible
from apps.metrics.models import Rule
from apps.timeline.masking import readers_of

log = structlog.get_logger("stepback.mail")

MAIL = """\
{summary}

The numbers of this time:
{dashboard}

The sessions behind it:
{sessions}

The rule, to silence or to change it:
{rule}
"""
# A slow mail server holds so many threads of a process, and never more.
AT_ONCE = 4
LONGEST_REASON = 200
_free = BoundedSemaphore(AT_ONCE)


class Sending:
    """A mail on its way; `failure` says why it did not go out, once it is over."""

    def __init__(self, message: EmailMessage) -> None:
        self.failure = ""
        self._message, self._over = message, Event()

    def begin(self) -> None:
        """Send it in a thread, unless too many wait for the mail server already."""
        if not _free.acquire(blocking=False):
            self.failure = "others are still waiting for the mail server"
            self._over.set()
            return
        Thread(target=self._send, name="mail", daemon=True).start()

    def is_over(self, within_seconds: float) -> bool:
        """Whether it went out, or did not, within this time."""
        return self._over.wait(within_seconds)

    def _send(self) -> None:
        try:
            self._message.send()
        # Whatever the server or the way to it does; smtplib's errors are among them.
        except OSError as failure:
            self.failure = _reason(failure)
            log.warning("a mail was not sent", why=self.failure)
        except Exception:
            self.failure = "see the log"
            log.exception("a mail was not sent")
        finally:
            _free.release()
            self._over.set()


def mail(rule: Rule, told: Mapping[str, Any]) -> None:
    """Send what is told to the rule's address after the commit, if it has one."""
    if rule.email:
        message = _message(rule, told)
        transaction.on_commit(lambda: _send(message), robust=True)


def mail_aside(rule: Rule, told: Mapping[str, Any]) -> Sending | None:
    """As `mail`, but in a thread that is told of."""
    if not rule.email:
        return None
    sending = Sending(_message(rule, told))
    transaction.on_commit(sending.begin, robust=True)
    return sending


def _send(message: EmailMessage) -> None:
    message.send()


def _message(rule: Rule, told: Mapping[str, Any]) -> EmailMessage:
    """Write it; nobody says who reads at an address."""
    with looking(readers_of([rule.project_id]).get(rule.project_id)):
        return _written(rule, told)


def _written(rule: Rule, told: Mapping[str, Any]) -> EmailMessage:
    # A name is anybody's words: no line of it may begin a header.
    subject = f"[Stepback] {shorten(told['summary'], 180)}"
    text = MAIL.format(
        summary=visible(told["summary"]),
        dashboard=whole(told["dashboard_path"]),
        sessions=whole(told["sessions_path"]),
        rule=whole(told["rule_path"]),
    )
    return EmailMessage(subject, text, None, [rule.email])


def _reason(failure: OSError) -> str:
    """Say what went wrong; what a server said is anybody's words too."""
    if isinstance(failure, TimeoutError):
        return "the mail server did not answer"
    return shorten(str(failure) or type(failure).__name__, LONGEST_REASON)
