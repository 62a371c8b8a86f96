"""What a removal took is not missing: its tombstones account for what was signed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.core.roles.names import Role
from apps.timeline.models import Session, Tombstone
from apps.timeline.operations import (
    Went,
    prune_entries,
    prune_versions,
    remove_session,
)
from apps.timeline.removed import details_of
from apps.witness import going_back
from tests.acting import acting_as, past_triggers
from tests.data.conftest import AGENT, Store, made
from tests.timeline import runs
from tests.witness import forging
from tests.witness.test_finding import sign, signed_step_by_step, verified

pytestmark = pytest.mark.django_db(transaction=True)


def took(verb: Any, run: runs.Run, **said: Any) -> None:
    with acting_as(Role.RETENTION):
        gone = verb(session_id=run.id, removal_id="rem_01", reason="test", **said)
    assert gone.outcome is Went.DONE


def forged(run: runs.Run, **columns: Any) -> None:
    with past_triggers():
        Tombstone.objects.of_session(run.id).update(**columns)


def test_a_removed_session_is_accounted_for(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)

    took(remove_session, run)

    said, refused = verified()
    assert not refused, refused
    assert "All of it holds." in said


def test_what_was_removed_beyond_its_signature_is_accounted_for(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    run.patch({"step": 5})
    sign_is_late = run.head

    took(remove_session, run, erasing=True)

    assert sign_is_late == 5
    assert not verified()[1]


def test_a_pruned_version_that_was_signed_is_accounted_for(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    run.patch({"step": 5})
    run.patch({"step": 6})

    took(prune_versions, run, first=0, last=5, erasing=True)

    assert not verified()[1]
    verdict = run.get("verify")
    assert verdict["valid"]
    assert "its tombstone accounts for it" in verdict["signatures"]["message"]
    # What goes on from there is signed.
    assert sign() == 1
    assert not verified()[1]


def test_a_session_that_is_gone_without_a_tombstone_is_named(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    took(remove_session, run)
    with past_triggers():
        Tombstone.objects.of_session(run.id).delete()

    assert "the session is not there" in verified()[1]


def test_a_tombstone_of_another_history_is_named(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)
    took(remove_session, run)
    forged(run, chain_after=b"x" * 32)

    assert "the session is not there" in verified()[1]


def test_a_tombstone_that_ends_before_what_was_signed_accounts_for_nothing(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    took(remove_session, run)
    forged(run, last_number=3)

    assert "the session is not there" in verified()[1]


def test_a_tombstone_excuses_no_version_that_is_there_and_another(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    took(prune_versions, run, first=0, last=2)
    forged(run, last_number=9, chain_after=b"x" * 32)
    forging.rewrite(run.id, 4)
    assert Session.objects.filter(id=run.id).exists()

    assert "v4 is another" in verified()[0]


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_removed_again_after_going_back_is_signed_and_holds(
    roots: Path, run: runs.Run, when: str
) -> None:
    """Before it is signed that it went back the journal of erasures is applied."""
    signed_step_by_step(run)
    with transaction.atomic():
        took(prune_versions, run, first=0, last=2)
        assert sign() == 1
        # The database is put back to before the removal, which is done once more.
        transaction.set_rollback(True)
    if when == "after":
        going_back.went_back(why="the backup of Monday", now=timezone.now())

    with acting_as(Role.RETENTION):
        prune_versions(
            session_id=run.id, first=0, last=1, removal_id="rem_02", reason="test"
        )
    if when == "before":
        going_back.went_back(why="the backup of Monday", now=timezone.now())

    assert not verified()[1]
    assert sign() == 1
    assert not verified()[1]
    forged(run, reason="another")
    assert "signed the tombstone of v0 to v1, and it is another" in verified()[0]


def test_what_was_pruned_of_a_document_is_accounted_for(
    roots: Path, api: runs.Clients
) -> None:
    store = Store(api())
    made(store.client.post("/v1/agents", {"name": "n", "external_id": AGENT}))
    for value in ("first", "second"):
        made(store.write("a", value))
    assert sign() == 1
    for value in ("third", "fourth"):
        made(store.write("a", value))
    document_id = Session.with_documents.get(kind="keyed").id
    with acting_as(Role.RETENTION):
        gone = prune_entries(
            document_id=document_id,
            first=0,
            last=3,
            shown_from=3,
            removal_id="rem_01",
            reason="test",
        )
    assert gone.versions == 2

    assert not verified()[1]
    assert sign() == 1
    assert not verified()[1]
    # Whoever owns the database could rewrite the event as well: it is signed.
    (stone,) = Tombstone.objects.of_session(document_id)
    stone.shown_from = 1
    with past_triggers():
        Tombstone.objects.of_session(document_id).update(shown_from=1)
        events = Event.objects.filter(stream_id=document_id, id=stone.event_id)
        events.update(details=details_of([stone]))
    assert verified()[1]
