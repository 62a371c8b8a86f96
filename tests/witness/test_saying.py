"""Where signatures are told of: commands, pages, health."""

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.core.notes.signed import SigningKey
from apps.timeline.verification import verify_record_signatures
from apps.witness import health
from tests.timeline import runs
from tests.witness import forging
from tests.witness.test_finding import sign

pytestmark = pytest.mark.django_db(transaction=True)


def said(*options: str) -> str:
    out = StringIO()
    call_command("roots", *options, stdout=out)
    return out.getvalue()


def health_of(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(health.STATUS, "_kept", None)
    return str(health.report()["status"])


def test_the_command_makes_a_key_once_and_prints_the_public_one_alone(
    tmp_path: Path, settings: Any
) -> None:
    settings.LOCATION = replace(settings.LOCATION, data_dir=tmp_path)
    settings.SIGNING_KEY = settings.VERIFIER_KEY = ""
    settings.ROOTS = None
    assert "No signatures: " in said()

    first, again = said("--make-key"), said("--make-key")

    assert first == again
    assert first.startswith("Verifier key: stepback/")
    assert f"Notes: 0, in {tmp_path / 'roots'}" in first
    assert "PRIVATE" not in first


def test_the_command_signs_that_it_went_back(
    roots: Path, run: runs.Run, settings: Any
) -> None:
    assert sign() == 1
    forging.cut(run.id, 1)

    printed = said("--went-back", "recovered to 12:00")

    assert "Signed in note 2: 1 heads went back." in printed
    assert run.get("verify")["signatures"]["signed_to"]["version"] == 1
    settings.SIGNING_KEY = ""
    with pytest.raises(CommandError, match="no signing key"):
        said("--went-back", "again")


def test_a_key_that_cannot_be_read_is_a_sentence_without_it(
    roots: Path, settings: Any
) -> None:
    settings.VERIFIER_KEY = "stepback/test+00000000+AAAA"

    with pytest.raises(CommandError) as refused:
        said()

    assert str(refused.value).startswith("STEPBACK_VERIFIER_KEY: ")
    assert "AAAA" not in str(refused.value)


def test_health_says_whether_heads_are_signed(
    roots: Path, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert health_of(monkeypatch) == "no signatures"
    sign()
    assert health_of(monkeypatch) == "healthy"
    Folder(roots).file_of(1).unlink()
    assert health_of(monkeypatch) == "unavailable"


def test_health_says_when_news_waits_for_the_signer(
    roots: Path, run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign()
    run.patch({"step": 9})
    assert health_of(monkeypatch) == "healthy", "it is signed within seconds"
    monkeypatch.setattr(health, "LATE_SECONDS", -1.0)

    assert health_of(monkeypatch) == "behind"

    monkeypatch.setattr(health, "LATE_SECONDS", 0.0)
    sign()
    assert health_of(monkeypatch) == "healthy"


def test_only_the_signer_and_its_group_read_notes(roots: Path, run: runs.Run) -> None:
    sign()

    note = Folder(roots).file_of(1)

    modes = [one.stat().st_mode & 0o777 for one in (roots, note.parent, note)]
    assert modes == [0o750, 0o750, 0o640]


def test_the_record_of_a_project_is_held_against_its_signature(
    roots: Path, run: runs.Run, project: Any
) -> None:
    def message() -> str:
        return verify_record_signatures(project.id, now=timezone.now()).message

    assert message() == "There are no signatures."
    sign()
    assert message().startswith("Signed up to #")
    with forging.owning() as execute:
        execute("DELETE FROM audit_auditrecord WHERE number > 1")

    found = verify_record_signatures(project.id, now=timezone.now())

    assert found.is_broken
    assert "and it ends at number 1" in found.message


def test_a_replaced_key_is_believed_beside_the_new_one(
    roots: Path, run: runs.Run, settings: Any, key: SigningKey
) -> None:
    sign()
    other = SigningKey.made("stepback/other")
    settings.SIGNING_KEY = other.secret()
    settings.VERIFIER_KEY = f"{key.verifier} {other.verifier}"
    run.patch({"step": 3})

    assert sign() == 1

    found = run.get("verify")["signatures"]
    assert found["signed_to"]["note"] == 2
    assert found["verifier_keys"] == [str(key.verifier), str(other.verifier)]
    settings.VERIFIER_KEY = str(other.verifier)
    assert run.get("verify")["valid"]
    settings.VERIFIER_KEY = str(key.verifier)
    assert "not signed by a known key" in run.get("verify")["first_invalid"]["message"]
