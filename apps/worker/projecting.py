"""The projector's thread: it projects what appends leave, and feeds their events.

It is no job: a sweep a second would be late for whoever searches, and one that is cut
short every second would lose what is saved by doing hundreds at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import structlog
from django.db import Error, connection
from django.utils import timezone

from apps.audit import feeding
from apps.core.monitoring.log import safe_message
from apps.timeline import projection

# Between two rounds that found little: ten questions a second cost 0.3 % of a core.
IDLE_SECONDS = 0.1
# While appends come in, more of them are worth waiting for: at 500 a second a version
# takes 0.50 ms of two processors with rounds of a tenth of a second, 0.31 with these.
GATHERING_SECONDS = 0.4
MANY = 8
PAUSE_SECONDS = 2.0

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
        now, began = timezone.now(), monotonic()
        done = projection.project_round(now=now)
        seconds = monotonic() - began
        while feeding.feed_outbox(now=now) == feeding.AT_ONCE:
            continue
    except Error as error:
        # What was not committed is still there.
        log.warning("the projector pauses", why=safe_message(error))
        connection.close()
        return PAUSE_SECONDS
    except Exception:
        # A feed of acts that fails is tried again: none is left out.
        log.exception("the projector pauses")
        return PAUSE_SECONDS
    return pause_after(done, seconds=seconds)


def pause_after(done: projection.Round, *, seconds: float) -> float:
    """Return for how long to gather before the next round, after one that took so long.

    One that was cut short left rows behind. So may one that took long, of versions that
    change a thousand paths; and meanwhile as much came in as it would wait for.
    """
    if done.is_cut:
        return 0.0
    is_worth_it = done.taken >= MANY and seconds < GATHERING_SECONDS
    return GATHERING_SECONDS if is_worth_it else IDLE_SECONDS
