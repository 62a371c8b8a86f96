"""When jobs run, and in which worker: the one module that knows procrastinate."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.db import connections
from django.utils import timezone
from procrastinate import jobs
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector

Sweep = Callable[[datetime], object]
# With seconds, the sixth field.
EVERY_SWEEP = f"* * * * * */{settings.SWEEP_SECONDS}"
EVERY_TWO_SECONDS = "* * * * * */2"
EVERY_FIVE_SECONDS = "* * * * * */5"
EVERY_HOUR = "7 * * * *"
# How many sweeps of one worker run at once, and how long a stop waits for them.
CONCURRENCY = 4
GRACE_SECONDS = 8.0


def scheduled(cron: str, *, alone: bool = False) -> Callable[[Sweep], Sweep]:
    """Run a sweep at these times, on whichever worker is free.

    At most one waits for its turn; a worker that was away does not catch up. `alone`,
    for one that takes longer than it rests: one runs at a time, over all workers.
    """

    def decorated(sweep: Sweep) -> Sweep:
        def run(timestamp: int) -> None:
            try:
                sweep(timezone.now())
            finally:
                # Sweeps run in threads of their own, which keep no connection.
                connections.close_all()

        name = sweep.__name__
        lock = name if alone else None
        task: Any = app.task(name=name, queueing_lock=name, lock=lock)(run)
        app.periodic(cron=cron, periodic_id=name)(task)
        return sweep

    return decorated


@app.periodic(cron=EVERY_SWEEP, periodic_id="drop_stalled")
@app.task(name="drop_stalled", queueing_lock="drop_stalled")
async def drop_stalled(timestamp: int) -> None:
    """Drop jobs whose worker is gone: the next sweep does what they did not."""
    for job in await app.job_manager.get_stalled_jobs():
        await app.job_manager.finish_job(
            job=job, status=jobs.Status.FAILED, delete_job=True
        )


def load_jobs() -> None:
    """Import what jobs run.

    Before there is a second thread: of two that import modules which import one
    another, one may see half a module, and the projector fails at its first batch.
    """
    cast(Any, app).perform_import_paths()


async def work() -> None:
    """Work until cancelled.

    Raises: whatever the database's driver raises while it is away.
    """
    connector = cast(DjangoConnector, app.connector).get_worker_connector()
    with app.replace_connector(connector):
        async with app.open_async():
            await app.run_worker_async(
                concurrency=CONCURRENCY,
                # It is on a machine with the database: nobody waits for a poll.
                listen_notify=True,
                delete_jobs=jobs.DeleteJobCondition.ALWAYS,
                install_signal_handlers=False,
                shutdown_graceful_timeout=GRACE_SECONDS,
            )
