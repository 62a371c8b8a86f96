"""Rows of an app above and the version that they belong to: both, or neither."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.approvals.models import Approval, Undecided, Vote
from apps.timeline import operations as timeline
from apps.timeline.errors import VersionConflict
from apps.timeline.ledger import appending
from apps.timeline.operations import Expected, Step
from apps.watching.models import Handover
from tests.acts import act_in
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run


class Broken(Exception):
    """What the database did to the row."""


def breaks(*args: Any, **kwargs: Any) -> None:
    raise Broken


def beside(project: Any, text: str) -> None:
    """Write a row of an app above that belongs to a version."""
    Handover.objects.create(
        id="hand_1", project=project, text=text, created_at=timezone.now()
    )


def beside_texts() -> list[str]:
    return [one.text for one in Handover.objects.all()]


@pytest.mark.django_db
def test_a_vote_that_cannot_be_stored_decides_nothing(
    run: Run, project: Any, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval, head = asked(run), run.head
    with monkeypatch.context() as broken:
        broken.setattr(Vote, "save", breaks)
        with pytest.raises(Broken):
            voted(project, olga, approval["id"])

    assert run.head == head
    assert read(run, approval["id"])["status"] == "pending"
    assert not Vote.objects.exists()

    assert voted(project, olga, approval["id"]).number == head + 1
    assert run.head == head + 1
    assert not Undecided.objects.exists()


@pytest.mark.django_db
def test_a_request_that_cannot_be_stored_waits_for_nobody(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = run.head
    monkeypatch.setattr(Undecided.objects, "create", breaks)

    answer = run.client.post(run.path("approvals"), {"tool": "pay", "arguments": {}})

    assert answer.status == 500
    assert run.head == head
    assert not Approval.objects.exists()
    assert run.patch({"n": 1}).status == 200
    assert run.head == head + 1


@pytest.mark.django_db(transaction=True)
def test_rows_of_a_write_that_lost_its_race_are_not_stored(
    run: Run, project: Any
) -> None:
    head = run.head
    run.patch({"n": 1})

    def write() -> None:
        with transaction.atomic():
            beside(project, "lost")
            timeline.update(
                act=act_in(project),
                session_id=run.id,
                patch={"n": 2},
                step=Step(),
                expected=Expected(number=head),
            )

    with pytest.raises(VersionConflict):
        write()

    assert beside_texts() == []
    assert run.head == head + 1


@pytest.mark.django_db(transaction=True)
def test_rows_of_a_write_that_is_tried_again_are_stored_once(
    run: Run, project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, encode, others = run.head, appending.encode_write, [{"other": 1}]

    def overtaken(*args: Any, **kwargs: Any) -> Any:
        # Another process writes between the read of the head and the append.
        if others:
            elsewhere(run, project, others.pop())
        return encode(*args, **kwargs)

    monkeypatch.setattr(appending, "encode_write", overtaken)

    with transaction.atomic():
        made = timeline.update(
            act=act_in(project), session_id=run.id, patch={"n": 2}, step=Step()
        )
        beside(project, "won")

    assert made.number == run.head == head + 2
    assert beside_texts() == ["won"]
    state = run.get("state")["state"]
    assert (state["n"], state["other"]) == (2, 1)


def elsewhere(run: Run, project: Any, patch: dict[str, Any]) -> None:
    def write() -> None:
        try:
            timeline.update(
                act=act_in(project), session_id=run.id, patch=patch, step=Step()
            )
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
