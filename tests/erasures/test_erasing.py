"""Erasing a person: everything goes, nothing of others does, and what stays holds."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import InternalError
from django.utils import timezone

from apps.accounts.models import Project
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role
from apps.erasures import journal as journals
from apps.erasures.models import Erasure, Preview, Target
from apps.timeline.models import Session
from tests.acting import acting_as
from tests.erasures.leaving import (
    CANARY,
    begun_erasure,
    done,
    found_in,
    leave,
    previewed,
)
from tests.feeding import feed_all
from tests.timeline import runs

pytestmark = pytest.mark.django_db


def test_a_canary_in_all_that_a_person_leaves_is_nowhere_afterwards(
    api: runs.Clients, admin: Any, erase: Any
) -> None:
    run = leave(api())
    fork = run.fork()
    feed_all()
    before = found_in()
    # What would prove nothing if the canary had never been there.
    assert {
        *("timeline_session", "timeline_version", "timeline_body", "timeline_turn"),
        *("timeline_note", "timeline_label", "timeline_effect", "timeline_effectstep"),
        *("approvals_approval", "accounts_storedanswer", "audit_event"),
    } <= set(before), before

    erased = erase(user_id="ann")

    assert found_in() == {}
    # Ids that say nothing of a person, where a chain covers them.
    kept = {"audit_auditrecord", "audit_event", "audit_outbox", "witness_moved"}
    kept |= {"timeline_tombstone"}
    assert set(found_in(run.id)) | set(found_in(fork.id)) <= kept
    assert erased["data_points_deleted"] > 20


def test_what_is_others_stays_as_it_is(
    api: runs.Clients, erase: Any, project: Project
) -> None:
    kept = leave(api(), user="ben", canary="otherbird")
    leave(api())
    feed_all()
    before = found_in("otherbird")

    erase(user_id="ann")

    assert found_in("otherbird") == before
    assert kept.state["name"] == "otherbird"
    assert audit.verify_records(stream_id=project.id).is_intact


def test_verify_holds_after_it(api: runs.Clients, erase: Any) -> None:
    leave(api(), user="ben", canary="otherbird")
    leave(api()).fork()
    feed_all()

    erase(user_id="ann")

    out = StringIO()
    with acting_as(Role.WORKER):
        call_command("verify", stdout=out, stderr=out)
    assert "All of it holds" in out.getvalue()


def test_details_of_peoples_acts_on_the_sessions_go(
    api: runs.Clients, admin: Any, erase: Any, project: Project
) -> None:
    run = leave(api())
    done(admin.patch(run.path(), {"metadata": {"vip": CANARY}}))
    concerned = AuditRecord.objects.filter(resource_id=run.id)
    assert any(one.details for one in concerned)

    erase(user_id="ann")

    assert {str(one.details) for one in concerned.all()} == {"{}"}
    verdict = audit.verify_records(stream_id=project.id)
    assert verdict.is_intact
    assert verdict.erased >= 1


def test_a_preview_counts_and_takes_nothing(api: runs.Clients, admin: Any) -> None:
    run = leave(api())
    run.fork()
    before = found_in()

    seen = previewed(admin, user_id="ann")

    rows = {one["what"]: one["rows"] for one in seen["rows"]}
    assert (seen["sessions"], seen["documents"], seen["complete"]) == (2, 2, True)
    assert rows["versions"] >= 3
    assert rows["turns"] == 1
    assert rows["approvals"] >= 1
    assert seen["bytes"] > 0
    assert seen["legal_hold"] is None
    assert {table: found_in().get(table) for table in before} == before


def test_one_session_is_erased_with_its_forks_alone(
    api: runs.Clients, erase: Any
) -> None:
    run, other = leave(api()), leave(api())
    fork = run.fork()

    erase(session_id=run.id)

    left = set(Session.objects.values_list("id", flat=True))
    assert other.id in left
    assert not {run.id, fork.id} & left


def test_one_erasure_a_preview_and_repeating_answers_the_first(
    api: runs.Clients, admin: Any, sweep: Any
) -> None:
    leave(api())
    seen = previewed(admin, user_id="ann")
    said = {"preview_id": seen["id"], "reason": "Asked by mail"}

    first = admin.post("/v1/erasures", said)
    again = admin.post("/v1/erasures", said | {"reason": "Other"})

    assert (first.status, again.status) == (202, 202)
    assert first.body["id"] == again.body["id"]
    assert Erasure.objects.count() == 1
    assert sweep() == 1
    assert sweep() == 0


def test_a_preview_that_is_too_old_is_stale(api: runs.Clients, admin: Any) -> None:
    leave(api())
    seen = previewed(admin, user_id="ann")
    with acting_as(Role.OWNER):
        Preview.objects.update(created_at=timezone.now() - timedelta(days=2))

    answer = admin.post("/v1/erasures", {"preview_id": seen["id"], "reason": "x"})

    assert (answer.status, answer.code) == (409, "preview_stale")


def test_a_preview_that_nothing_came_of_forgets_whom_it_was_about(
    api: runs.Clients, admin: Any, sweep: Any
) -> None:
    old, new = (previewed(admin, user_id=who)["id"] for who in ("ann", "ben"))
    with acting_as(Role.OWNER):
        before = timezone.now() - timedelta(days=2)
        Preview.objects.filter(id=old).update(created_at=before)

    sweep()

    said = dict(Preview.objects.values_list("id", "value"))
    assert said == {old: "", new: "ben"}


@pytest.mark.parametrize("kind", ["user", "session", "agent", "project"])
def test_what_is_under_a_legal_hold_stays(
    api: runs.Clients, admin: Any, kind: str
) -> None:
    run = leave(api())
    value = {"user": "ann", "session": run.id, "agent": "travel", "project": None}
    said = {"kind": kind, "reason": "Smith v. Jones", "value": value[kind]}
    hold = done(admin.post("/v1/retention/legal-holds", said))
    seen = previewed(admin, user_id="ann")

    answer = admin.post("/v1/erasures", {"preview_id": seen["id"], "reason": "x"})

    assert (answer.status, answer.code) == (409, "legal_hold")
    assert seen["legal_hold"] == hold["id"]
    assert Erasure.objects.count() == 0


def test_a_legal_hold_that_is_set_meanwhile_stops_it_until_it_ends(
    api: runs.Clients, admin: Any, sweep: Any
) -> None:
    run = leave(api())
    made = begun_erasure(admin, user_id="ann")
    said = {"kind": "session", "value": run.id, "reason": "Smith v. Jones"}
    hold = done(admin.post("/v1/retention/legal-holds", said))

    assert sweep() == 0
    assert done(admin.get(f"/v1/erasures/{made['id']}"))["waits_for"] == "legal_hold"
    assert run.state["name"] == CANARY
    done(admin.post(f"/v1/retention/legal-holds/{hold['id']}/end", {"reason": "Over"}))

    assert sweep() == 1
    assert found_in() == {}


def test_sessions_that_are_begun_meanwhile_go_as_well(
    api: runs.Clients, admin: Any, sweep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.erasures.running import sweeping

    client, tidy, begun = api(), sweeping._tidy, []
    leave(client)
    begun_erasure(admin, user_id="ann")

    def begin_another(*args: Any) -> None:
        tidy(*args)
        if not begun:
            with acting_as(Role.WEB):
                begun.append(leave(client))

    monkeypatch.setattr(sweeping, "_tidy", begin_another)

    assert sweep() == 1
    assert begun
    assert found_in() == {}


def test_one_that_the_database_refuses_holds_up_no_other(
    api: runs.Clients, admin: Any, sweep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apps.erasures.running import sweeping

    client, run = api(), sweeping.run
    leave(client, user="bob")
    leave(client)
    broken = begun_erasure(admin, user_id="bob")["id"]
    begun_erasure(admin, user_id="ann")

    def failing(erasure: Erasure, **given: Any) -> bool:
        if erasure.id == broken:
            raise InternalError("invalid page")
        return run(erasure, **given)

    monkeypatch.setattr(sweeping, "run", failing)

    assert sweep() == 1
    assert Erasure.objects.get(id=broken).state != "done"


def test_nothing_names_the_person_once_it_is_over(
    api: runs.Clients, erase: Any
) -> None:
    leave(api(), user="user-of-one-name")

    erased = erase(user_id="user-of-one-name")

    assert found_in("user-of-one-name") == {}
    assert "user-of-one-name" not in erased["certificate"]
    assert Target.objects.count() == 0


def test_the_certificate_is_signed_and_in_the_journal(
    api: runs.Clients, erase: Any
) -> None:
    run = leave(api())
    head = run.head

    erased = erase(user_id="ann")

    (entry,) = journals.entries()
    assert entry.data.decode() == erased["certificate"]
    assert entry.is_signed
    said = entry.certificate
    assert said["id"] == erased["id"]
    assert said["data_points_deleted"] == erased["data_points_deleted"]
    assert said["deleted_at"]
    of_sessions = [one for one in said["histories"] if one["kind"] == "session"]
    assert [one["last_version"] for one in of_sessions] == [head]
    assert len(bytes.fromhex(of_sessions[0]["chain"])) == 32
    assert run.id not in erased["certificate"]


def test_a_person_without_anything_is_erased_with_a_certificate(erase: Any) -> None:
    erased = erase(user_id="nobody")

    assert erased["data_points_deleted"] == 0
    assert erased["certificate"]


def test_entries_of_the_journal_go_on_from_each_other(
    api: runs.Clients, erase: Any
) -> None:
    for user in ("ann", "ben", "cam"):
        leave(api(), user=user)
        erase(user_id=user)

    assert [one.number for one in journals.entries()] == [1, 2, 3]
