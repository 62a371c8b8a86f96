"""The projector's thread: it projects what appends leave, and feeds their events.

It is no job: a sweep a second would be late for whoever searches, and one that is cut
short every second would lose what is saved by doing hundreds at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import Error, connection
from django.utils import timezone

from apps.audit import feeding
from apps.core.monitoring.log import safe_message
from apps.timeline import projection

# Between two rounds that found little: ten questions a second cost 0.3 % of a core.
IDLE_SECONDS = 0.1
# While appends come in, more of them are worth waiting for: at 500 a second a version
# takes 0.36 ms of two processors with rounds of a tenth of a second, 0.26 with these.
GATHERING_SECONDS = 0.4
MANY = 8
PAUSE_SECONDS = 2.0
# A session was cut short where a round finds as much: the next follows at once.
BUSY = projection.AT_ONCE

log = structlog.get_logger("stepback.projector")


@contextmanager
def projecting() -> Iterator[None]:
    """Project in a thread of its own, until the block is left."""
    stop = threading.Event()
    thread = threading.Thread(target=run, args=(stop,), name="projector", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def run(stop: threading.Event) -> None:
    """Project until told to stop; a database that is away is asked again."""
    try:
        while not stop.is_set():
            stop.wait(_round())
    finally:
        connection.close()


def _round() -> float:
    """Project and feed what there is; return how long to wait before the next round."""
    try:
        now = timezone.now()
        taken = projection.project_round(now=now)
        while (acts := feeding.feed_outbox(now=now)) == feeding.AT_ONCE:
            taken += acts
    except Error as error:
        # What was not committed is still there.
        log.warning("the projector pauses", why=safe_message(error))
        connection.close()
        return PAUSE_SECONDS
    except Exception:
        # A feed of acts that fails is tried again: none is left out.
        log.exception("the projector pauses")
        return PAUSE_SECONDS
    return pause_after(taken)


def pause_after(taken: int) -> float:
    """Return for how many seconds to gather before the next round."""
    if taken >= BUSY:
        return 0.0
    return GATHERING_SECONDS if taken >= MANY else IDLE_SECONDS
