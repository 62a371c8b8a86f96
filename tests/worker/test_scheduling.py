"""Sweeps that take long: one of each runs at a time, over all workers."""

from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from procrastinate.contrib.django import app

from apps.core.roles.names import Role
from apps.worker import jobs, scheduling
from tests.acting import acting_as

pytestmark = pytest.mark.django_db(transaction=True)
LONG = [jobs.check_incidents, jobs.watch_incidents, jobs.look_for_surveys]


@pytest.fixture(autouse=True)
def worker() -> Iterator[None]:
    """Act as a worker that finds no job, and leave none: nothing else does."""
    with acting_as(Role.WORKER):
        empty()
        yield
        empty()


def empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


def defer(sweep: Any) -> None:
    app.tasks[sweep.__name__].defer(timestamp=0)


def begun() -> str | None:
    """Begin what a worker would begin next, as one that is gone by now."""
    query = "SELECT task_name FROM procrastinate_fetch_job_v2(NULL, NULL)"
    with connection.cursor() as cursor:
        cursor.execute(query)
        (name,) = cursor.fetchone()
    return name


@pytest.mark.parametrize("sweep", LONG)
def test_while_a_long_sweep_runs_no_other_of_it_begins(sweep: Any) -> None:
    defer(sweep)
    assert begun() == sweep.__name__
    defer(sweep)
    defer(jobs.roll_up)

    assert begun() == "roll_up"
    assert begun() is None


def test_one_whose_worker_is_gone_lets_the_next_begin() -> None:
    defer(jobs.check_incidents)
    assert begun() == "check_incidents"
    defer(jobs.check_incidents)
    assert begun() is None

    async_to_sync(scheduling.drop_stalled.func)(0)

    assert begun() == "check_incidents"
