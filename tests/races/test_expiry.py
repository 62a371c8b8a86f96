"""The sweep that records the end of sessions, and a writer whose clock is behind."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionNotFound
from apps.timeline.operations import expiry
from apps.timeline.versions.reading import Step
from tests.acting import acting_as
from tests.acts import act_in
from tests.timeline.open_history import counted, stored

PATIENCE = 30
WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
   AND query LIKE '%timeline_append_v%'
"""


@pytest.mark.django_db(transaction=True)
def test_a_writer_that_waited_for_the_sweep_opens_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = timezone.now()
    act = act_in(project, now=began)
    session_id = timeline.create(
        agent="travel",
        state={"a": 1},
        about=timeline.About(ttl_seconds=60),
        step=Step(),
        act=act,
    ).session_id
    timeline.update(session_id=session_id, patch={"a": None}, step=Step(), act=act)

    with swept(monkeypatch, began + timedelta(hours=1)) as threads:
        # It asks for a human, and believes that there is time left.
        writer = threads.submit(
            asked, session_id=session_id, patch={"escalated": True}, act=act
        )
        until_it_waits()

    with pytest.raises(SessionNotFound):
        writer.result(PATIENCE)
    assert stored(session_id) == counted(session_id) == set()


@contextmanager
def swept(monkeypatch: pytest.MonkeyPatch, now: Any) -> Iterator[ThreadPoolExecutor]:
    """Have the sweep hold its sessions for as long as this lasts."""
    holds, goes_on = Event(), Event()
    record = expiry.audit.record

    def recording(**given: Any) -> Any:
        holds.set()
        assert goes_on.wait(PATIENCE)
        return record(**given)

    monkeypatch.setattr(expiry.audit, "record", recording)
    with ThreadPoolExecutor(2) as threads:
        sweep = threads.submit(closing, timeline.expire, actor=SYSTEM, now=now)
        try:
            assert holds.wait(PATIENCE)
            yield threads
        finally:
            goes_on.set()
        assert sweep.result(PATIENCE) == 1


def asked(**given: Any) -> Any:
    return closing(timeline.update, step=Step(), **given)


def closing(verb: Any, **given: Any) -> Any:
    try:
        return verb(**given)
    finally:
        connections.close_all()


def until_it_waits() -> None:
    pause = Event()
    for _ in range(1000):
        # Others' waits are shown to the owner, as whom they all logged in.
        with acting_as(Role.OWNER), connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
        pause.wait(PATIENCE / 1000)
    raise AssertionError("The writer does not wait for the sweep.")
