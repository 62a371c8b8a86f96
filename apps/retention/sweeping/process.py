"""The sweeping process: what is urgent, previews as they come, a sweep every hour.

It has the login of the retention role and no other, and is the only process that has.
A database that is away stops nobody: it says so and tries again, as the worker does.
"""

from __future__ import annotations

import signal
import threading
import time
from datetime import datetime, timedelta
from types import FrameType

import structlog
from django.db import Error, connection
from django.db.models import Exists
from django.utils import timezone

from apps.core.monitoring.log import safe_message
from apps.retention.models import Heartbeat, Removal
from apps.retention.sweeping import count_previews, sweep
from apps.timeline.hooks.keeping import do_urgent

EVERY = timedelta(hours=1)
# How soon an erasure or a preview is begun that somebody waits for.
ROUND_SECONDS = 2.0
BEAT = timedelta(seconds=10)
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = structlog.get_logger("stepback.retention")


class Process:
    """Works until told to stop; a step that was begun is done whole."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._beat_at: datetime | None = None
        self._urgent_at = -ROUND_SECONDS

    def run(self) -> None:
        """Work until SIGTERM, SIGINT or SIGHUP."""
        for number in STOPPING:
            signal.signal(number, self._ask_to_stop)
        try:
            while not self._stop.is_set():
                self._round()
                self._stop.wait(ROUND_SECONDS)
        finally:
            connection.close()

    def _round(self) -> None:
        try:
            self._beat()
            self._do_urgent()
            count_previews(is_stopping=self._between_steps)
            if self._is_due():
                sweep(now=timezone.now(), is_stopping=self._between_steps)
                if not self._stop.is_set():
                    Heartbeat.objects.filter(id=1).update(swept_at=timezone.now())
        except Error as error:
            log.warning("retention pauses", why=safe_message(error))
            connection.close()
        except Exception:
            log.exception("retention pauses")

    def _is_due(self) -> bool:
        """Say whether an hour is over, or a killed sweep left something."""
        is_left = Exists(Removal.objects.running())
        found = Heartbeat.objects.values_list("swept_at", is_left).first()
        last, is_running = found or (None, False)
        return last is None or timezone.now() - last >= EVERY or is_running

    def _between_steps(self) -> bool:
        """Say whether to stop; what came meanwhile and is urgent is done first."""
        if time.monotonic() - self._urgent_at >= ROUND_SECONDS:
            self._do_urgent()
        return self._is_stopping()

    def _do_urgent(self) -> None:
        do_urgent(timezone.now(), self._is_stopping)
        self._urgent_at = time.monotonic()

    def _is_stopping(self) -> bool:
        """Say whether to stop; asked between steps, where it notes that it lives."""
        self._beat()
        return self._stop.is_set()

    def _beat(self) -> None:
        now = timezone.now()
        if self._beat_at is None or now - self._beat_at >= BEAT:
            if not Heartbeat.objects.filter(id=1).update(at=now):
                Heartbeat.objects.update_or_create(id=1, defaults={"at": now})
            self._beat_at = now

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()
