"""The pages of erasures: what would go, the confirmation, progress, the certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Project, Role
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role as DatabaseRole
from apps.erasures import running
from apps.erasures.models import Erasure, Preview
from apps.timeline.models import Session
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.console.make import Story

pytestmark = pytest.mark.django_db
PAGE = "/console/checkout/keeping/erasures"
BACKEND = "django.contrib.auth.backends.ModelBackend"
HOSTILE = "<b>ann</b> & \u202eco"


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, settings: Any) -> None:
    key = SigningKey.made("stepback/test")
    settings.ERASURES = tmp_path / "erasures"
    settings.SIGNING_KEY = key.secret()
    settings.VERIFIER_KEY = str(key.verifier)


@pytest.fixture
def entering(client: Client, project: Project) -> Callable[..., Client]:
    """`entering(role)` is a browser of a member who signed in."""

    def enter(role: Role = Role.ADMIN) -> Client:
        client.force_login(make_member(project, f"a-{role}", role), BACKEND)
        return client

    return enter


@pytest.fixture
def admin(entering: Callable[..., Client]) -> Client:
    return entering()


def text_of(browser: Client, path: str = "") -> str:
    answer = browser.get(PAGE + path)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def counted(admin: Client, value: str, kind: str = "user", key: str = "k") -> str:
    """Have it counted what would go; return the path of the page behind the form."""
    said = {"kind": kind, "value": value, "key": key}
    answer = admin.post(f"{PAGE}/previews", said)
    assert answer.status_code == 303, answer.content
    return str(answer["Location"]).removeprefix(PAGE)


def begun(admin: Client, at: str, confirmed: str, reason: str = "Asked") -> Any:
    said = {"reason": reason, "confirmed": confirmed}
    return admin.post(f"{PAGE}{at}/begin", said)


def swept() -> int:
    with acting_as(DatabaseRole.RETENTION):
        return running.sweep(now=timezone.now())


def test_without_anything_it_says_that_nobody_was_erased(admin: Client) -> None:
    assert "Nobody was erased yet." in text_of(admin)


def test_a_person_is_counted_confirmed_erased_and_certified(
    admin: Client, project: Project, tmp_path: Path
) -> None:
    Story(project, {"n": 1}, user_id=HOSTILE)
    at = counted(admin, HOSTILE)
    text = text_of(admin, at)
    assert "&lt;b&gt;ann&lt;/b&gt;" in text
    assert "<b>ann" not in text
    assert "1, forks of them included" in text
    assert "Erase it for good" in text

    answer = begun(admin, at, HOSTILE)
    assert answer.status_code == 303
    page = str(answer["Location"]).removeprefix(PAGE)
    assert "not looked for yet" in text_of(admin, page)
    assert 'http-equiv="refresh"' in text_of(admin, page)
    erasure_id = Erasure.objects.get().id
    unfinished = admin.get(f"{PAGE}/{erasure_id}/certificate")
    assert unfinished.status_code == 404

    assert swept() == 1
    text = text_of(admin, page)
    assert "1 of 1 are gone" in text
    assert "a person, whom nothing here names any more" in text
    assert 'http-equiv="refresh"' not in text
    assert "ann" not in text.replace("annot", "")
    assert not Session.objects.filter(user_id=HOSTILE).exists()
    assert "done" in text_of(admin)

    file = admin.get(f"{PAGE}/{erasure_id}/certificate")
    assert file["Content-Disposition"].startswith("attachment")
    said = json.loads(file.content)
    assert said["data_points_deleted"] > 0
    kept = tmp_path / "certificate.json"
    kept.write_bytes(file.content)
    with acting_as(DatabaseRole.WORKER):
        call_command("verify", certificate=str(kept), user=HOSTILE)


def test_another_name_confirms_nothing(admin: Client, project: Project) -> None:
    Story(project, {"n": 1}, user_id="ann")
    at = counted(admin, "ann")

    refused = begun(admin, at, "ben", "Asked by mail")

    assert refused.status_code == 422
    assert "This is not whose data it is." in refused.content.decode()
    assert 'value="Asked by mail"' in refused.content.decode()
    assert not Erasure.objects.exists()


def test_forms_that_are_sent_twice_do_it_once(admin: Client, project: Project) -> None:
    Story(project, {"n": 1}, user_id="ann")

    assert counted(admin, "ann") == counted(admin, "ann")
    at = counted(admin, "ann")
    first, again = begun(admin, at, "ann"), begun(admin, at, "ann")

    assert first["Location"] == again["Location"]
    assert Preview.objects.count() == 1
    assert Erasure.objects.count() == 1
    assert "It was begun with this preview" in text_of(admin, at)


def test_a_legal_hold_is_told_on_the_page(admin: Client, project: Project) -> None:
    session_id = Story(project, {"n": 1}, user_id="ann").id
    holds = "/console/checkout/keeping/holds"
    admin.post(holds, {"kind": "session", "value": session_id, "reason": "x"})
    at = counted(admin, "ann")
    assert "kept it when it was counted" in text_of(admin, at)

    refused = begun(admin, at, "ann")

    assert refused.status_code == 409
    assert "end that first" in refused.content.decode()
    assert not Erasure.objects.exists()


def test_a_hold_that_stops_it_is_told(admin: Client, project: Project) -> None:
    session_id = Story(project, {"n": 1}, user_id="ann").id
    page = begun(admin, counted(admin, "ann"), "ann")["Location"].removeprefix(PAGE)
    holds = "/console/checkout/keeping/holds"
    admin.post(holds, {"kind": "session", "value": session_id, "reason": "x"})

    assert swept() == 0

    assert "stopped by a legal hold" in text_of(admin, page)
    assert "stopped by a legal hold" in text_of(admin)


def test_one_session_goes_by_its_id(admin: Client, project: Project) -> None:
    session_id = Story(project, {"n": 1}).id
    at = counted(admin, session_id, kind="session")
    assert "the session" in text_of(admin, at)
    assert begun(admin, at, session_id).status_code == 303

    assert swept() == 1

    assert not Session.objects.filter(id=session_id).exists()


def test_an_unknown_session_is_said_at_its_field(admin: Client) -> None:
    said = {"kind": "session", "value": "sess_1", "key": "k"}
    refused = admin.post(f"{PAGE}/previews", said)

    assert refused.status_code == 422
    assert "There is no such session" in refused.content.decode()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_others_neither_read_nor_erase(
    entering: Callable[..., Client], project: Project, role: Role
) -> None:
    browser = entering(role)

    assert browser.get(PAGE).status_code == 403
    assert browser.post(f"{PAGE}/previews", {}).status_code == 403
    keeping = browser.get("/console/checkout/keeping").content.decode()
    assert "Erase a person" not in keeping


def test_what_is_unknown_is_404(admin: Client) -> None:
    for path in ("eras_1", "eras_1/certificate", "previews/eprv_1"):
        assert admin.get(f"{PAGE}/{path}").status_code == 404
    assert begun(admin, "/previews/eprv_1", "x").status_code == 404
