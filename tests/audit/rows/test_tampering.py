"""Each change behind the product's back is named, by all of `verify`."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.models import Project
from apps.audit.models import AuditRecord
from apps.timeline import operations as timeline
from apps.timeline.models import Label, Session
from tests.acting import tampering
from tests.acts import act_in
from tests.audit.rows.acts import PERSON, Acts
from tests.audit.rows.looking import found, run

pytestmark = pytest.mark.django_db


TAMPERINGS = {
    "a label is deleted": (
        "timeline_label",
        "DELETE FROM timeline_label",
        "label 'known good' on v0 of sess_[^ ]+: record {labelled} left it there, and "
        "it is missing",
    ),
    "a label is moved": (
        "timeline_label",
        "UPDATE timeline_label SET name = 'bad'",
        "label 'bad' on v0 of .*: it is there, and no record says who made it",
    ),
    "a label is somebody else's": (
        "timeline_label",
        "UPDATE timeline_label SET actor_id = 'key_2'",
        "label 'known good' .*: its actor_id is not what record {labelled} left",
    ),
    "a note says something else": (
        "timeline_note",
        "UPDATE timeline_note SET text = 'Right city.'",
        "note note_[^ ]+ in sess_[^ ]+: its text is not what record {noted} left",
    ),
    "a note is deleted": (
        "timeline_note",
        "DELETE FROM timeline_note",
        "note note_.*: record {noted} left it there, and it is missing",
    ),
    "a summary says something else": (
        "timeline_summary",
        "UPDATE timeline_summary SET text = 'Said bye.', head_number = 9",
        "summary sum_[^ ]+ of sess_[^ ]+: its head_number, text are not what record "
        "{summarised} left",
    ),
    "a summary is deleted": (
        "timeline_summary",
        "DELETE FROM timeline_summary",
        "summary sum_.*: record {summarised} left it there, and it is missing",
    ),
    "a review says otherwise": (
        "timeline_review",
        "UPDATE timeline_review SET outcome = 'fine'",
        "review 1 of sess_[^ ]+: its outcome is not what record {reviewed} left",
    ),
    "a score is better": (
        "timeline_score",
        "UPDATE timeline_score SET value = 1",
        "score 1 of 'reward' of sess_[^ ]+: its value is not what record {scored} left",
    ),
    "a score is deleted": (
        "timeline_score",
        "DELETE FROM timeline_score",
        "score 1 of 'reward' .*: record {scored} left it there, and it is missing",
    ),
    "a session is another's": (
        "timeline_session",
        "UPDATE timeline_session SET metadata = '{\"owner\":\"bob\"}', user_id = 'x'",
        "session sess_[^ ]+: its metadata, user_id are not what record {changed} left",
    ),
    "a session lives longer": (
        "timeline_session",
        "UPDATE timeline_session SET expires_at = expires_at + interval '1 day'",
        "session sess_[^ ]+: its expires_at is not what record {changed} left",
    ),
    "a session lives for ever": (
        "timeline_session",
        "UPDATE timeline_session SET expires_at = 'infinity'",
        "session sess_[^ ]+: its expires_at is not what record {changed} left",
    ),
    "a key is no longer revoked": (
        "accounts_apikey",
        "UPDATE accounts_apikey SET revoked_at = NULL",
        "API key key_[^ ]+: its revoked_at is not what record {revoked} left",
    ),
    "a key may do more": (
        "accounts_apikey",
        "UPDATE accounts_apikey SET scope = 'admin', agents = NULL",
        "API key key_[^ ]+: its scope, agents are not what record {revoked} left",
    ),
    "a key has another secret": (
        "accounts_apikey",
        "UPDATE accounts_apikey SET secret_hash = '\\x00'",
        "API key .*: its secret_hash is not what record {revoked} left",
    ),
    "a key is added": (
        "accounts_apikey",
        """
        INSERT INTO accounts_apikey (id, project_id, name, prefix, secret_hash, scope,
                                     created_at, created_by)
        SELECT 'key_mallory', project_id, name, prefix, '\\x01', 'admin',
               created_at - interval '9 years', created_by FROM accounts_apikey
        """,
        "API key key_mallory: it is there, and no record says who made it",
    ),
    "a member has another role": (
        "accounts_membership",
        "UPDATE accounts_membership SET role = 'admin'",
        "the membership of user_[^ ]+: its role is not what record {added} left",
    ),
    "a member reads what masks cover": (
        "accounts_membership",
        "UPDATE accounts_membership SET reads_unmasked = true",
        "the membership of user_[^ ]+: its reads_unmasked is not what record {added}"
        " left",
    ),
    "a member is added": (
        "accounts_membership",
        """
        INSERT INTO accounts_membership
               (project_id, user_id, role, reads_unmasked, created_at)
        SELECT p.id, u.id, 'admin', false, p.created_at - interval '9 years'
          FROM accounts_project p, accounts_user u WHERE u.username = 'mallory'
        """,
        "the membership of user_[^ ]+: it is there, and no record says who made it",
    ),
    "a member is removed": (
        "accounts_membership",
        "DELETE FROM accounts_membership",
        "the membership of user_[^ ]+: record {added} left it there, and it is missing",
    ),
    "a webhook leads elsewhere": (
        "webhooks_subscription",
        "UPDATE webhooks_subscription SET url = 'https://mallory.example/'",
        "webhook hook_[^ ]+: its url is not what record {made} left",
    ),
    "a webhook signs with another secret": (
        "webhooks_subscription",
        "UPDATE webhooks_subscription SET salt = '\\x00', status = 'disabled'",
        "webhook hook_[^ ]+: its status, salt are not what record {made} left",
    ),
    "a guard is switched off": (
        "guards_guard",
        "UPDATE guards_guard SET withdrawn_at = now()",
        "guard guar_[^ ]+: its withdrawn_at is not what record {guarded} left",
    ),
    "a guard looks for something else": (
        "guards_guard",
        "UPDATE guards_guard SET rule = '{}', revision = 2",
        "guard guar_[^ ]+: its revision, rule are not what record {guarded} left",
    ),
    "a budget grows": (
        "guards_budget",
        "UPDATE guards_budget SET most = most + 0.000000000001",
        "budget budg_[^ ]+: its most_text is not what record {budgeted} left",
    ),
    "a project asks for less": (
        "accounts_project",
        "UPDATE accounts_project SET handling = 'lenient'",
        "the settings of project proj_.*: its handling is not what record {begun} left",
    ),
}


ACTIONS = {
    "begun": "project.created",
    "labelled": "version.labelled",
    "noted": "note.added",
    "summarised": "summary.added",
    "reviewed": "session.reviewed",
    "scored": "session.scored",
    "changed": "session.updated",
    "revoked": "key.revoked",
    "added": "member.added",
    "made": "webhook.created",
    "guarded": "guard.created",
    "budgeted": "budget.created",
}


def numbered(sentence: str) -> str:
    """Put in the number of the record of the only act of that name."""
    numbers = {
        name: AuditRecord.objects.get(action=action).number
        for name, action in ACTIONS.items()
    }
    return sentence.format(**numbers)


@pytest.mark.parametrize("what", TAMPERINGS)
def test_each_tampering_is_named(project: Project, acts: Acts, what: str) -> None:
    table, statement, sentence = TAMPERINGS[what]
    assert found(project) == []

    run(table, statement)

    names = found(project)
    assert [one for one in names if re.fullmatch(numbered(sentence), one)], names
    with pytest.raises(CommandError) as refused:
        call_command("verify", stdout=StringIO(), stderr=(said := StringIO()))
    assert refused.value.returncode == 1
    said_so = f"{len(names)} rows are not as their records say. The first: {names[0]}"
    assert said_so in str(refused.value)
    assert set(names) <= set(said.getvalue().splitlines())


def test_two_at_once_are_both_named_and_nothing_else(
    project: Project, acts: Acts
) -> None:
    run("timeline_label", "DELETE FROM timeline_label")
    run("accounts_apikey", "UPDATE accounts_apikey SET revoked_at = NULL")

    key, label = found(project)
    assert "its revoked_at is not what record" in key
    assert "it is missing" in label


def test_what_was_removed_and_put_back_is_named(project: Project, acts: Acts) -> None:
    label, act = Label.objects.get(), act_in(project, PERSON)
    told = {"session_id": label.session_id, "number": 0, "name": label.name}
    timeline.unlabel(act=act, **told)
    assert found(project) == []

    with tampering("timeline_label"):
        label.save(force_insert=True)

    (sentence,) = found(project)
    assert re.search(r"record \d+ removed it, and it is there again", sentence)
    timeline.unlabel(act=act, **told)
    timeline.label(act=act, **told)
    assert found(project) == []


def test_who_changes_the_record_as_well_breaks_the_chain(
    project: Project, acts: Acts
) -> None:
    run("timeline_note", "UPDATE timeline_note SET text = 'Right city.'")
    run(
        "audit_auditrecord",
        "UPDATE audit_auditrecord SET details = details - 'row' "
        "WHERE action = 'note.added'",
    )

    with pytest.raises(CommandError, match=r"number [0-9]+ does not hold"):
        call_command("verify", stdout=StringIO(), stderr=StringIO())


def test_the_command_compares_a_session_alone(project: Project, acts: Acts) -> None:
    ours, other = Session.objects.get(), acts.begin()
    out = StringIO()
    run("timeline_label", "DELETE FROM timeline_label")

    call_command("verify", "--session", other, stdout=out)
    assert "Compared with their records: nothing." in out.getvalue()
    assert "1 sessions have the metadata that they began with" in out.getvalue()
    for which in (["--session", ours.id], ["--project", project.slug]):
        with pytest.raises(CommandError, match="label 'known good' on v0 of"):
            call_command("verify", *which, stdout=out, stderr=StringIO())
