"""Acts on several owners' memories take their locks in one order."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.errors import DomainError
from apps.memory import operations as memory
from apps.memory.operations import Decision, Resolution, forgetting
from apps.timeline.operations import Document
from tests.acts import act_in
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 20


def test_promoting_and_forgetting_at_once_wait_for_each_other_in_turn(
    mind: Mind, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = mind.session(user="ada")
    made = mind.add("Is vegetarian", session_id=session)
    mind.add("Has a cat", session_id=session, scope="user")
    has_sessions, waits = threading.Event(), threading.Event()
    real = forgetting.lock_document

    def slowly(*, document: Document, **more: Any) -> Any:
        """Stop between the first owner's lock, the session's, and the user's."""
        if has_sessions.is_set():
            assert waits.wait(SECONDS)
        standing = real(document=document, **more)
        has_sessions.set()
        return standing

    monkeypatch.setattr(forgetting, "lock_document", slowly)
    outcomes: list[Any] = []

    def forget() -> None:
        try:
            # As a request with an idempotency key does it: in one transaction.
            with transaction.atomic():
                memory.forget_session(act=act_in(project), session_id=session)
            outcomes.append("forgotten")
        except (DomainError, OperationalError) as error:
            outcomes.append(error)
        finally:
            connection.close()

    first = threading.Thread(target=forget)
    first.start()
    assert has_sessions.wait(SECONDS)
    second, promoted = in_thread(project, made["id"])
    # It waits for the session's memories, and has nothing that the first one needs.
    _until_somebody_waits(second)
    waits.set()
    first.join(SECONDS)
    second.join(SECONDS)

    assert outcomes == ["forgotten"]
    # What was dropped meanwhile is promoted as it was decided: a decision counts.
    ((own, left),) = promoted
    assert (own.content.scope, own.content.status) == ("user", "believed")
    assert left.content.replaced_by == own.content.id
    assert done(mind.read(own.content.id))["content"] == "Is vegetarian"


def in_thread(project: Project, memory_id: str) -> tuple[threading.Thread, list[Any]]:
    outcomes: list[Any] = []

    def promote() -> None:
        try:
            with transaction.atomic():
                outcomes.append(
                    memory.resolve(
                        act=act_in(project),
                        memory_id=memory_id,
                        resolution=Resolution(decision=Decision.PROMOTE),
                    )
                )
        except (DomainError, OperationalError) as error:
            outcomes.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=promote)
    thread.start()
    return thread, outcomes


# In this database: beside other tests those of another one wait, too.
WAITING = (
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE datname = current_database() AND NOT granted"
)


def _until_somebody_waits(thread: threading.Thread) -> None:
    limit = timezone.now().timestamp() + SECONDS
    while timezone.now().timestamp() < limit and thread.is_alive():
        with connection.cursor() as cursor:
            # A transaction sees those of its first look otherwise.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
    raise AssertionError("it waits for nobody")
