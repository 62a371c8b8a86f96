"""What records keep of rows: an honest history compares clean."""

from __future__ import annotations

import math
from io import StringIO
from random import Random

import pytest
from django.core.management import call_command

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Membership, Project, Role, Scope
from apps.audit.comparing import Comparison
from apps.audit.covered import COVERED
from apps.audit.models import AuditRecord, Event
from apps.core.errors import DomainError
from apps.timeline import operations as timeline
from apps.timeline.models import Note, Session
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Subscription
from tests.acts import act_by, act_in
from tests.audit.rows.acts import AGENT, PERSON, Acts, perform
from tests.audit.rows.looking import found, run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(5))
def test_after_random_acts_every_row_is_as_its_record_says(
    project: Project, other_project: Project, seed: int
) -> None:
    acts = perform(project, Random(seed), 60)
    perform(other_project, Random(seed + 100), 10)

    comparison = Comparison(project_id=project.id, secret=bytes(project.index_key))
    assert list(comparison.differences()) == []
    assert set(comparison.tally.compared) == set(COVERED), acts.refused
    assert comparison.tally.recorded_before.total() == 0


def test_what_was_recorded_before_is_counted_and_never_called_damage(
    project: Project, other_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("apps.audit.covered.Row.details", lambda row: {})
        old = accounts.create_project(act=act_by(), slug="old", name="Old")
        made = perform(old, Random(3), 40)
    _older("accounts_apikey", "accounts_membership", "webhooks_subscription")
    comparison = Comparison(project_id=old.id, secret=bytes(old.index_key))

    assert list(comparison.differences()) == []
    count = comparison.tally.recorded_before.total()
    assert count == comparison.tally.compared.total() > 5

    # From its first covered record on, a record has to account for what comes.
    made.key()
    assert found(old) == []
    run(
        "accounts_apikey",
        """
        INSERT INTO accounts_apikey (id, project_id, name, prefix, secret_hash, scope,
                                     created_at, created_by)
        SELECT 'key_mallory', project_id, name, prefix, '\\x01', 'admin',
               now() + interval '2 hours', created_by FROM accounts_apikey
         WHERE project_id = %s LIMIT 1
        """,
        old.id,
    )
    assert found(old) == [
        "API key key_mallory: it is there, and no record says who made it"
    ]
    run("accounts_apikey", "DELETE FROM accounts_apikey WHERE id = 'key_mallory'")
    out = StringIO()
    call_command("verify", "--project", "old", stdout=out)
    assert f"{count:,} of them were recorded before" in out.getvalue()


def test_an_old_row_is_covered_from_its_next_change_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("apps.audit.covered.Row.details", lambda row: {})
        old = accounts.create_project(act=act_by(), slug="old", name="Old")
        key, _ = accounts.issue_key(
            act=act_by(), project=old, name="bot", scope=Scope.READ
        )
    accounts.revoke_key(act=act_by(), project=old, key_id=key.id)
    assert found(old) == []

    run("accounts_apikey", "UPDATE accounts_apikey SET revoked_at = NULL")

    assert len(found(old)) == 1


def test_what_an_agent_does_to_them_is_chained_and_events_are_as_they_were(
    project: Project, acts: Acts
) -> None:
    told = {
        *("version.labelled", "note.added", "session.updated"),
        *("session.reviewed", "session.scored"),
    }
    chained = AuditRecord.objects.filter(actor_id=AGENT.id, action__in=told)

    assert {one.action for one in chained} == told
    assert all("row" in one.details for one in chained)
    assert not Event.objects.filter(details__has_key="row").exists()
    assert not AuditRecord.objects.filter(action="session.created").filter(
        actor_id=AGENT.id
    )


def test_a_record_holds_neither_texts_nor_addresses_nor_secrets(
    project: Project, acts: Acts
) -> None:
    rows = [one.details["row"] for one in AuditRecord.objects.exclude(details={})
            if "row" in one.details]  # fmt: skip
    note, webhook = Note.objects.get(), Subscription.objects.get()
    for secret in (note.text, webhook.url, bytes(webhook.salt).hex(), "ann"):
        assert secret not in str(rows)
    for columns in (row["columns"] for row in rows):
        assert {len(digest) for digest in columns.values()} == {64}


def test_a_refused_act_records_nothing(project: Project, acts: Acts) -> None:
    key, hook = ApiKey.objects.get(), Subscription.objects.get()
    member, session = Membership.objects.get(), Session.objects.get()
    act = act_in(project, PERSON)
    refused = (
        lambda: accounts.revoke_key(act=act, project=project, key_id=key.id),
        lambda: accounts.add_member(
            act=act, project=project, user=member.user, role=Role.ADMIN
        ),
        lambda: accounts.change_role(
            act=act, project=project, user=member.user, role=Role.VIEWER
        ),
        lambda: webhooks.update(act=act, webhook_id=hook.id, url="http://127.0.0.1/"),
        lambda: timeline.unlabel(
            act=act, session_id=session.id, number=0, name="another"
        ),
        lambda: timeline.add_note(act=act, session_id=session.id, text=" "),
        lambda: timeline.review(act=act, session_id=session.id, outcome="good"),
        lambda: timeline.score(
            act=act, session_id=session.id, name="a", value=math.nan
        ),
        lambda: timeline.update_metadata(act=act, session_id=session.id),
    )
    count = AuditRecord.objects.count()
    for one in refused:
        with pytest.raises(DomainError):
            one()

    timeline.label(act=act, session_id=session.id, number=0, name="known good")
    assert AuditRecord.objects.count() == count
    assert found(project) == []


def test_it_looks_at_so_many_and_says_that_there_are_more(
    project: Project, acts: Acts
) -> None:
    session = Session.objects.get()
    for name in "abc":
        timeline.label(act=act_in(project), session_id=session.id, number=0, name=name)
    run("timeline_label", "DELETE FROM timeline_label WHERE name = 'c'")

    def looked(limit: int) -> tuple[int, bool, int]:
        one = Comparison(
            project_id=project.id,
            secret=bytes(project.index_key),
            session_id=session.id,
            limit=limit,
        )
        names = list(one.differences())
        return len(names), one.tally.has_more, one.tally.compared["label"]

    assert looked(2) == (0, True, 2)
    assert looked(3) == (1, True, 3)
    assert looked(4) == (1, False, 4)


def _older(*tables: str) -> None:
    for table in tables:
        run(table, f"UPDATE {table} SET created_at = created_at - interval '1 day'")
