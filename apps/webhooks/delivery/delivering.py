"""The sweep of the worker: send what is due, note what came of it.

One thread talks to the database, others only to receivers. Any number of workers may
sweep at once: lanes are claimed. One that is killed leaves claims that run out, and
what it was sending is sent again, under the same id.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import SYSTEM
from apps.core.ids import first_id
from apps.core.outbound import addresses, requests
from apps.core.outbound.requests import Answered
from apps.core.provenance import unrequested
from apps.webhooks.covered import WEBHOOK
from apps.webhooks.delivery import queue as delivery_queue
from apps.webhooks.delivery.attempts import LONGEST_PAUSE, Lane, Outcome, Waiting
from apps.webhooks.models import Format, Status, Subscription
from apps.webhooks.services import pagerduty, signing, slack

# How long an attempt may take; a claim is good for longer.
SECONDS = 10.0
# How many are sent at once, and how long one sweep goes on taking more.
AT_ONCE = 16
SWEEP_SECONDS = 20.0
# A lane with much to send steps back after so many, for the others' sake.
IN_A_ROW = 50
DISABLED_AFTER = timedelta(days=3)
KEPT = timedelta(days=30)
FORGOTTEN_AT_ONCE = 1_000
OK = range(200, 300)
REDIRECTS = range(300, 400)
# Too many requests; not available: with these an answer may say when to come again.
NOT_NOW = (429, 503)

FORGET = """
WITH old AS (
    SELECT id FROM webhooks_delivery
     WHERE created_at < %(until)s AND status <> 'pending'
     ORDER BY created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
DELETE FROM webhooks_delivery d USING old WHERE d.id = old.id RETURNING d.message_id
"""
FORGET_MESSAGES = """
DELETE FROM webhooks_message m WHERE m.id = ANY (%s)
   AND NOT EXISTS (SELECT FROM webhooks_delivery d WHERE d.message_id = m.id)
RETURNING 1
"""
# Of webhooks that were deleted with their log. An id begins with its event's time, so
# the old ones are found without an index of their own.
FORGET_LEFT = """
DELETE FROM webhooks_message WHERE id IN (
    SELECT m.id FROM webhooks_message m
     WHERE m.id < %(first)s AND m.created_at < %(until)s
       AND NOT EXISTS (SELECT FROM webhooks_delivery d WHERE d.message_id = m.id)
     ORDER BY m.id LIMIT %(limit)s)
RETURNING 1
"""
Clock = Callable[[], datetime]


@dataclass(slots=True)
class _Sweep:
    """What one sweep has in hand."""

    claim: str
    clock: Clock
    pool: ThreadPoolExecutor
    flying: dict[Future[Outcome], Waiting] = field(default_factory=dict)
    in_a_row: Counter[Lane] = field(default_factory=Counter)

    def take(self) -> None:
        """Claim what is due, as far as there is room."""
        room = AT_ONCE - len(self.flying)
        if room > 0:
            busy = [one.lane[0] for one in self.flying.values()]
            self.send(delivery_queue.take(self.claim, busy=busy, room=room))

    def send(self, waiting: list[Waiting]) -> None:
        """Begin the next attempt in each of these lanes."""
        if not waiting:
            return
        named = {one.lane[0] for one in waiting}
        mine = Subscription.objects.enabled().select_related("project")
        known = mine.in_bulk(named)
        for one in waiting:
            subscription = known.get(one.lane[0])
            if subscription is None:
                delivery_queue.give_back(self.claim, [one])
                continue
            attempt = self.pool.submit(_attempt, subscription, one, self.clock)
            self.flying[attempt] = one

    def settle(self, *, seconds: float, release: bool) -> None:
        """Note the attempts that are over, and go on in their lanes."""
        done, _ = wait(self.flying, timeout=seconds, return_when=FIRST_COMPLETED)
        outcomes = [one.result() for one in done]
        for one in done:
            del self.flying[one]
        tired: list[Outcome] = []
        fresh: list[Outcome] = []
        for outcome in outcomes:
            self.in_a_row[outcome.waiting.lane] += 1
            is_tired = self.in_a_row[outcome.waiting.lane] >= IN_A_ROW
            (tired if is_tired or release else fresh).append(outcome)
        if tired:
            delivery_queue.settle(self.claim, tired, release=True)
            for outcome in tired:
                del self.in_a_row[outcome.waiting.lane]
        if fresh:
            self.send(delivery_queue.settle(self.claim, fresh))


def deliver(*, now: datetime, clock: Clock = timezone.now) -> None:
    """Send all that is due, for some seconds; the next sweep goes on."""
    disable_failing(now=now)
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE, "webhook") as pool:
        sweep = _Sweep(secrets.token_hex(8), clock, pool)
        sweep.take()
        while sweep.flying:
            is_over = time.monotonic() - began > SWEEP_SECONDS
            sweep.settle(seconds=0.2, release=is_over)
            if not is_over:
                sweep.take()


def disable_failing(*, now: datetime) -> int:
    """Switch off what has failed for days without one success; return how many.

    It still failed when these days were over: while nobody sends, nothing fails.
    """
    over = Subscription.objects.enabled().filter(
        failing_since__lt=now - DISABLED_AFTER,
        failed_at__gte=F("failing_since") + DISABLED_AFTER,
    )
    disabled = 0
    for one in over:
        disabled += _disable(one, now)
    return disabled


def forget(*, now: datetime) -> int:
    """Delete what was sent long ago from the log, and its messages; return how many."""
    until = now - KEPT
    asked = {
        "until": until,
        "first": first_id("evt", until),
        "limit": FORGOTTEN_AT_ONCE,
    }
    forgotten = _forget_log(asked)
    while len(sql.rows(FORGET_LEFT, asked)) == FORGOTTEN_AT_ONCE:
        pass
    return forgotten


def _forget_log(asked: dict[str, Any]) -> int:
    forgotten = 0
    while True:
        with transaction.atomic():
            messages = [row.message_id for row in sql.rows(FORGET, asked)]
            if messages:
                sql.rows(FORGET_MESSAGES, [messages])
        forgotten += len(messages)
        if len(messages) < FORGOTTEN_AT_ONCE:
            return forgotten


@transaction.atomic
def _disable(subscription: Subscription, now: datetime) -> bool:
    # Once: whoever changes the row records it.
    changed = Subscription.objects.enabled().filter(
        id=subscription.id, failing_since=subscription.failing_since
    )
    if not changed.update(status=Status.FAILING):
        return False
    # Read again: what was listed may have been changed by a person before.
    left = Subscription.objects.select_related("project").get(id=subscription.id)
    audit.record_act(
        stream_id=subscription.project_id,
        project_id=subscription.project_id,
        action=Action.WEBHOOK_DISABLED,
        resource_type="webhook",
        resource_id=subscription.id,
        act=unrequested(SYSTEM, now),
        details={
            "failing_since": str(subscription.failing_since),
            "failures": subscription.failures,
        }
        | WEBHOOK.left(left, left.project.index_key).details(),
    )
    return True


def _attempt(subscription: Subscription, waiting: Waiting, clock: Clock) -> Outcome:
    """Send once. Never raises: whatever happens is an outcome."""
    began = time.monotonic()
    status, error, wait, is_vain = None, "", 0.0, False
    try:
        answered = _send(subscription, waiting, clock())
        status = answered.status
        if status in NOT_NOW:
            wait = seconds_until(answered.retry_after, now=clock())
        if status in REDIRECTS:
            error = "The answer leads elsewhere: give the address itself."
    except (addresses.Refused, requests.Failed) as why:
        error = str(why)
    except pagerduty.Untellable:
        error, is_vain = "PagerDuty is told of alerts alone.", True
    except signing.SecretLost:
        error = "The installation's key was changed: make another secret."
    except Exception as bug:  # noqa: BLE001 - its lane must not stand still for ever
        error = f"It could not be sent ({type(bug).__name__})."
    ms = round((time.monotonic() - began) * 1000)
    is_done = status is not None and status in OK
    return Outcome(waiting, is_done, status, error, ms, wait, is_vain)


def seconds_until(retry_after: str, *, now: datetime) -> float:
    """Return what a `Retry-After` asks for: seconds or a date; 0 if it says neither.

    It is given no more than the longest pause that there is without it.
    """
    try:
        seconds = (
            float(retry_after)
            if retry_after.isdecimal()
            else (parsedate_to_datetime(retry_after) - now).total_seconds()
        )
    except (ValueError, TypeError):  # no date, or one without its zone
        return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE)


def _send(subscription: Subscription, waiting: Waiting, now: datetime) -> Answered:
    into_the_house = settings.WEBHOOKS_PRIVATE
    body = waiting.body
    slug = subscription.project.slug
    if subscription.format == Format.SLACK:
        body = slack.message(body, slug)
    elif subscription.format == Format.PAGERDUTY:
        body = pagerduty.message(body, subscription.url, slug)
    headers = signing.headers(
        subscription, waiting.message_id, waiting.kind, body, now=now
    )
    target = addresses.target_of(subscription.url, into_the_house=into_the_house)
    if subscription.format == Format.PAGERDUTY:
        target = pagerduty.without_key(target)
    return requests.post(
        target,
        body,
        headers,
        seconds=SECONDS,
        into_the_house=into_the_house,
    )
