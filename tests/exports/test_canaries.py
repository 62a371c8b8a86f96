"""Canaries in exports of all kinds: a masked pattern, and an erased person."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.erasures import running
from tests.acting import acting_as
from tests.blobs.conftest import file as a_file
from tests.blobs.conftest import objects_in, upload
from tests.conftest import Api
from tests.erasures.leaving import erased, leave
from tests.exports.reading import Sweep, file, made
from tests.exports.test_audit import write
from tests.timeline import runs

pytestmark = pytest.mark.django_db
MAIL = "canary.bird@mail.example"
CARD = "4111 1111 1111 1111"
KINDS = ("trajectories", "audit", "session", "person")


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, settings: Any) -> None:
    key = SigningKey.made("stepback/test")
    settings.ERASURES = tmp_path / "erasures"
    settings.SIGNING_KEY = key.secret()
    settings.VERIFIER_KEY = str(key.verifier)


def whole(admin: Api, export: Any) -> bytes:
    """Return all that a file says, its names too."""
    data = file(admin, export)
    if export["kind"] not in ("session", "person"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        return b"".join([*map(archive.read, names), *map(str.encode, names)])


def asked(kind: str, session_id: str, user: str) -> dict[str, str]:
    whose = {"session": {"session_id": session_id}, "person": {"user_id": user}}
    return whose.get(kind, {})


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_masked_is_in_no_export_and_unmasked_it_is(
    api: runs.Clients, admin: Api, sweep: Sweep, kind: str
) -> None:
    client = api()
    # Also the person's own name, and names and numbers in many places.
    run = leave(client, user=MAIL, canary=MAIL)
    upload(client, CARD.encode())
    run.patch(
        {"card": CARD, "plain": 4111111111111111},
        artifacts=[a_file("x", CARD.encode())],
    )
    write(client, f"of {MAIL}", CARD)
    filters = asked(kind, run.id, MAIL)

    masked = whole(admin, made(admin, sweep, kind, **filters))
    shown = whole(admin, made(admin, sweep, kind, unmasked=True, **filters))

    for canary in (MAIL, CARD, CARD.replace(" ", "")):
        assert canary.encode() not in masked
        assert canary.encode().hex().encode() not in masked
    assert MAIL.encode() in shown


@pytest.mark.parametrize("kind", KINDS)
def test_who_was_erased_is_in_no_export_of_before_or_after(
    api: runs.Clients, admin: Api, sweep: Sweep, store: Path, kind: str
) -> None:
    run = leave(api(), user="ann")
    leave(api(), user="ben", canary="staying")
    before = made(admin, sweep, kind, unmasked=True, **asked(kind, run.id, "ann"))
    waiting = admin.post(
        "/v1/exports", {"kind": kind} | asked(kind, run.id, "ann")
    ).body

    def take() -> int:
        with acting_as(Role.RETENTION):
            return running.sweep(now=timezone.now())

    erased(admin, take, user_id="ann")
    sweep()

    assert objects_in(store) == []
    for export in (before, waiting):
        told = admin.get(f"/v1/exports/{export['id']}").body
        assert (told["state"], told["user_id"]) == ("erased", None)
        assert told["session_id"] is None
        assert admin.get(f"/v1/exports/{export['id']}/file").status == 404
    answer = admin.post("/v1/exports", {"kind": kind} | asked(kind, run.id, "ann"))
    if kind == "session":
        assert answer.code == "session_not_found"
        return
    after = made(admin, sweep, kind, unmasked=True, **asked(kind, run.id, "ann"))
    assert b"canarybird7361" not in whole(admin, after)
