"""The page on proof tells of notes and witnesses; a session's proof is a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.core.notes.signed import SigningKey
from apps.witness.witnesses import delivering
from stepback.proofs import verify_proof
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.timeline import runs
from tests.timeline.conftest import begin, run  # noqa: F401 - fixtures
from tests.witness.conftest import key, roots  # noqa: F401 - fixtures
from tests.witness.test_finding import sign

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def look(project: Any) -> Any:
    """`look(role, page, …)` opens a page as a member of that role."""

    def opening(role: Role, name: str, *more: object, **asked: str) -> Any:
        name_of_member = f"member-{role}-{len(more)}-{name}"
        client = signed_in(Client(), make_member(project, name_of_member, role))
        return client.get(reverse(f"console:{name}", args=[project.slug, *more]), asked)

    return opening


def test_without_a_key_it_says_that_nothing_is_signed(look: Any) -> None:
    page = look(Role.VIEWER, "audit_verify").content.decode()

    assert "Nothing is signed yet." in page


def test_it_shows_the_newest_root_the_key_and_how_far_witnesses_are(
    look: Any,
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    key: SigningKey,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    nowhere = "s3://kept/notes?endpoint=http://127.0.0.1:9&region=us-east-1"
    settings.WITNESSES = [str(tmp_path / "elsewhere"), nowhere]
    assert sign() == 1
    delivering.deliver(now=timezone.now())

    admin = look(Role.ADMIN, "audit_verify").content.decode()
    viewer = look(Role.VIEWER, "audit_verify").content.decode()

    root = run.client.get("/v1/roots/1").body["root"]
    for page in (admin, viewer):
        assert root in page
        assert key.verifier.fingerprint in page
        assert "1 note, away since" in page
    assert "s3://kept/notes" in admin
    assert "s3://" not in viewer
    assert "Witness 2" in viewer


def test_a_witness_with_other_notes_is_named(
    look: Any,
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere" / "000000000"
    elsewhere.mkdir(parents=True)
    (elsewhere / "000000000001.note").write_bytes(b"another")
    settings.WITNESSES = [str(tmp_path / "elsewhere")]
    assert sign() == 1
    delivering.deliver(now=timezone.now())

    page = look(Role.ADMIN, "audit_verify").content.decode()

    assert "has other notes than ours" in page


def test_a_sessions_proof_is_a_file_that_holds(
    look: Any,
    roots: Path,  # noqa: F811
    run: runs.Run,  # noqa: F811
    key: SigningKey,  # noqa: F811
) -> None:
    assert sign() == 1

    page = look(Role.VIEWER, "version_detail", run.id, 2, tab="proof")
    file = look(Role.OPERATOR, "session_proof", run.id)

    assert f"/sessions/{run.id}/proof" in page.content.decode()
    assert file["Content-Disposition"] == (
        f'attachment; filename="proof-{run.id}.json"'
    )
    proven = verify_proof(json.loads(file.content), str(key.verifier))
    assert (proven.session_id, proven.version) == (run.id, 2)
