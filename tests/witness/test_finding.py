"""What holds by itself and is not what was signed: `verify` names each."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from apps.audit import chain
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from apps.core.notes import roots as told
from apps.core.notes.folder import Folder
from apps.core.notes.index import Index
from apps.core.notes.signed import SigningKey, opened
from apps.timeline import operations as timeline
from apps.timeline.verification import verify_session, verify_signatures
from apps.witness import signing
from tests.acting import tampering
from tests.feeding import feed_all
from tests.timeline import runs
from tests.witness import forging

pytestmark = pytest.mark.django_db(transaction=True)


def sign() -> int:
    feed_all()
    return signing.sweep(now=timezone.now())


def verified(*options: str) -> tuple[str, str]:
    """Return what the command says, and why it refuses."""
    said, refused = StringIO(), ""
    try:
        call_command("verify", *options, stdout=said, stderr=said)
    except CommandError as error:
        refused = str(error)
    return said.getvalue(), refused


def finding_of(run: runs.Run) -> str:
    """Return what the API says, which the command has to say as well."""
    verdict = run.get("verify")
    assert not verdict["valid"]
    assert verdict["signatures"]["status"] == "broken"
    assert verdict["first_invalid"]["kind"] == "signature"
    message: str = verdict["first_invalid"]["message"]
    for options in ((), ("--session", run.id), ("--project", "checkout")):
        assert message in verified(*options)[1]
    return message


def finding_of_api(run: runs.Run) -> str:
    message: str = run.get("verify")["first_invalid"]["message"]
    return message


def signed_step_by_step(run: runs.Run) -> None:
    """Sign v2, then v3, then v4."""
    assert sign() == 1
    for step in (3, 4):
        run.patch({"step": step})
        assert sign() == 1


def test_everything_holds_and_the_command_says_up_to_where(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    assert verified("--session", run.id)[0].count("Signed up to v4 in note 3") == 1
    run.patch({"step": 5})

    said, refused = verified()

    assert not refused
    assert "Signatures: 3 notes, the newest of " in said
    assert "1 of them have gone on since" in said
    assert "All of it holds." in said


def test_without_a_key_it_says_that_there_are_none(run: runs.Run) -> None:
    assert sign() == 0

    assert "No signatures: " in verified()[0]
    assert run.get("verify")["signatures"]["status"] == "none"


def test_a_forged_newest_version_is_named(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)
    forging.rewrite(run.id, 4)
    assert verify_session(run.id).is_valid

    assert "something in v4 to v4 was rewritten" in finding_of(run)


def test_a_rewritten_middle_is_named_between_the_signatures_around_it(
    roots: Path, run: runs.Run
) -> None:
    signed_step_by_step(run)
    forging.rewrite(run.id, 3)
    assert verify_session(run.id).is_valid

    assert "something in v3 to v4 was rewritten" in finding_of(run)


def test_a_rewritten_beginning_is_named(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)
    forging.rewrite(run.id, 0)
    assert verify_session(run.id).is_valid

    assert "something in v0 to v4 was rewritten" in finding_of(run)


def test_what_was_cut_off_is_named(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)
    forging.cut(run.id, 3)
    assert verify_session(run.id).is_valid

    assert "signed v4" in finding_of(run)
    assert "the history ends at v3" in finding_of(run)


def test_a_session_that_is_gone_is_named(
    roots: Path, run: runs.Run, begin: runs.Begin
) -> None:
    other = begin({"n": 1})
    signed_step_by_step(run)
    forging.remove(run.id)

    _said, refused = verified()

    assert f"{run.id}" in refused
    assert "the session is not there" in refused
    assert other.get("verify")["valid"]


def test_a_forged_session_is_not_signed_again(roots: Path, run: runs.Run) -> None:
    """Else one more append after a forgery would have it signed as the truth."""
    signed_step_by_step(run)
    forging.rewrite(run.id, 4)
    run.patch({"step": 5})

    assert sign() == 0

    assert "something in v4 to v4 was rewritten" in finding_of(run)


def test_what_was_cut_off_and_written_anew_is_named(roots: Path, run: runs.Run) -> None:
    signed_step_by_step(run)
    forging.cut(run.id, 3)
    for step in (40, 50):
        run.patch({"step": step})
    assert sign() == 0

    assert "v4 is another" in finding_of(run)


def test_expired_and_deleted_sessions_are_no_alarm(
    roots: Path, run: runs.Run, begin: runs.Begin
) -> None:
    brief = begin({"n": 1}, ttl_seconds=60)
    assert sign() == 1
    timeline.expire(actor=SYSTEM, now=timezone.now() + timedelta(minutes=5))
    assert run.client.delete(run.path()).status == 204
    sign()

    assert verified()[1] == ""
    assert verify_signatures(brief.id, now=timezone.now()).status == "signed"


def test_a_rewritten_record_of_peoples_acts_is_named(
    roots: Path, run: runs.Run
) -> None:
    assert sign() == 1
    with tampering("audit_auditrecord"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_auditrecord SET actor_label = 'somebody' WHERE format = 3"
        )
        for project in AuditRecord.objects.values_list("project_id").distinct():
            previous = chain.START
            for record in AuditRecord.objects.for_project(project[0]).oldest_first():
                leaf = chain.expected_leaf(record)
                assert leaf is not None
                previous = chain.link(previous, record.number, leaf)
                cursor.execute(
                    "UPDATE audit_auditrecord SET leaf = %s, chain = %s"
                    " WHERE stream_id = %s AND number = %s",
                    [leaf, previous, project[0], record.number],
                )

    refused = verified()[1]

    assert "the record of" in refused
    assert "it was rewritten" in refused


@pytest.fixture
def folder(roots: Path, run: runs.Run) -> Folder:
    """Three notes over one session."""
    signed_step_by_step(run)
    return Folder(roots)


def test_an_altered_note_is_named(folder: Folder, run: runs.Run) -> None:
    file = folder.file_of(3)
    file.write_bytes(file.read_bytes().replace(b"leaves 1", b"leaves 2"))

    assert "note 3: its signature does not hold: it was altered" in verified()[1]
    assert "note 3: its signature does not hold" in finding_of(run)


def test_altered_leaves_are_named(folder: Folder, run: runs.Run) -> None:
    (file,) = folder.path.rglob("000000000003.*.leaves")
    file.write_bytes(file.read_bytes().replace(b" 4 ", b" 5 "))

    assert "note 3: its leaves are not those that it signed" in verified()[1]
    assert "note 3: its leaves are not those that it signed" in finding_of(run)


def test_missing_leaves_are_named(folder: Folder, run: runs.Run) -> None:
    (file,) = folder.path.rglob("000000000003.*.leaves")
    file.unlink()

    assert "note 3: its leaves are missing" in verified()[1]
    assert "note 3: its leaves are missing" in finding_of(run)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_missing_note_is_named(folder: Folder, number: int) -> None:
    folder.file_of(number).unlink()

    assert f"note {number} is missing" in verified()[1]


def test_a_note_cut_from_the_end_is_named_by_the_session_too(
    folder: Folder, run: runs.Run
) -> None:
    folder.file_of(3).unlink()

    assert "note 3 is missing: the notes end at 2" in finding_of_api(run)


def test_swapped_notes_are_named(folder: Folder) -> None:
    second, third = folder.file_of(2), folder.file_of(3)
    kept = second.read_bytes()
    second.write_bytes(third.read_bytes())
    third.write_bytes(kept)

    assert "note 2 has the place of note 3" in verified()[0]
    assert "note 3 has the place of note 2" in verified()[0]


def test_a_note_of_an_unknown_key_is_named(folder: Folder, run: runs.Run) -> None:
    text = folder.file_of(3).read_bytes().rpartition(b"\n\n")[0] + b"\n"
    forged = SigningKey.made("stepback/test").sign(text)
    folder.file_of(3).write_bytes(forged)

    assert "note 3: it is not signed by a known key" in finding_of(run)


def test_a_wrongly_chained_note_is_named(
    folder: Folder, roots: Path, key: SigningKey
) -> None:
    root = told.parse(opened(folder.read(3) or b"", [key.verifier]))
    forged = replace(root, previous=bytes(32))
    folder.file_of(3).write_bytes(key.sign(forged.text()))

    assert "note 3: it names another note before it than there is" in verified()[1]


def test_nothing_is_signed_on_top_of_notes_that_do_not_hold(
    folder: Folder, run: runs.Run
) -> None:
    folder.file_of(3).unlink()
    run.patch({"step": 9})

    assert signing.work(now=timezone.now()) == 0
    assert folder.newest() == 2


def test_an_index_that_was_changed_hides_nothing_from_the_command(
    folder: Folder, run: runs.Run
) -> None:
    forging.rewrite(run.id, 4)
    with sqlite3.connect(folder.path / "index.sqlite3") as index:
        index.execute("DELETE FROM head WHERE note = 3")

    assert "something in v4 to v4 was rewritten" in verified()[1]


@pytest.mark.parametrize("damage", ["remove", "spoil"])
def test_an_index_that_is_gone_is_made_anew_of_the_notes(
    folder: Folder, run: runs.Run, damage: str
) -> None:
    file = folder.path / "index.sqlite3"
    if damage == "remove":
        file.unlink()
    else:
        file.write_bytes(b"x" * 10_000)
    run.patch({"step": 5})
    before = run.get("verify")
    assert (before["valid"], before["signatures"]["status"]) == (True, "unread")
    assert verified()[1] == ""

    assert sign() == 1

    assert run.get("verify")["signatures"]["signed_to"]["note"] == 4
    assert verified()[1] == ""


def test_an_index_that_is_busy_is_no_finding(
    folder: Folder, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.core.notes.index.PATIENCE_SECONDS", 0.0)
    with closing(sqlite3.connect(folder.path / "index.sqlite3")) as busy:
        busy.execute("BEGIN EXCLUSIVE")

        verdict = run.get("verify")

    assert (verdict["valid"], verdict["signatures"]["status"]) == (True, "unread")
    assert "locked" in verdict["signatures"]["message"]


def test_a_note_that_is_written_meanwhile_is_not_missing(
    folder: Folder, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker writes a note between a reader's two questions."""
    newest = Folder.newest
    ask = Index.newest

    def slow(index: Index) -> int:
        known = ask(index)
        with monkeypatch.context() as patch:
            patch.setattr(Index, "newest", ask)
            run.patch({"step": len(list(folder.path.rglob("*.note")))})
            assert sign() == 1
        return known

    monkeypatch.setattr(Index, "newest", slow)

    verdict = run.get("verify")

    assert verdict["valid"], verdict["signatures"]["message"]
    assert newest(folder) == 4


def test_a_rewritten_record_of_an_agent_is_named_by_the_api_too(
    roots: Path, run: runs.Run
) -> None:
    client, path = run.client, "/v1/agents/billing"
    sign()
    client.post("/v1/agents", {"name": "billing", "external_id": "billing"})
    client.post(f"{path}/data", {"key": "a", "value": "1"})
    assert client.get(f"{path}/audit/verify").body["signatures"] == {
        "status": "unsigned",
        "message": "None of it is signed yet.",
    }
    sign()
    client.post(f"{path}/data", {"key": "a", "value": "2"})
    held = client.get(f"{path}/audit/verify").body
    assert held["valid"]
    assert held["signatures"]["status"] == "signed"
    assert "stands on the unkeyed chain alone" in held["signatures"]["message"]

    with tampering("audit_auditrecord"), connection.cursor() as cursor:
        stream = AuditRecord.objects.get(action="data.write", version=2).stream_id
        cursor.execute(
            "DELETE FROM audit_auditrecord WHERE stream_id = %s AND number > 1",
            [stream],
        )

    broken = client.get(f"{path}/audit/verify").body
    assert (broken["valid"], broken["chain_intact"]) == (False, True)
    assert broken["first_invalid"] is None
    assert broken["signatures"]["status"] == "broken"
    assert "and it ends at number 1" in broken["signatures"]["message"]
    assert "says who made it" in verified()[1]
