"""Erasures from before there was a key: shown as they are, and the journal goes on."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.erasures import journal as journals
from apps.erasures import reapplying
from apps.erasures.errors import CertificateRefused
from tests.acting import acting_as
from tests.conftest import Api
from tests.erasures.conftest import NAME
from tests.erasures.leaving import done, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def unsigned(api: runs.Clients, erase: Any, settings: Any) -> Any:
    """What was erased while nobody signed; a key was made since."""
    settings.SIGNING_KEY = settings.VERIFIER_KEY = ""
    leave(api())
    made = erase(user_id="ann")
    key = SigningKey.made(NAME)
    settings.SIGNING_KEY, settings.VERIFIER_KEY = key.secret(), str(key.verifier)
    return made


def test_an_erasure_from_before_is_shown(unsigned: Any, admin: Api) -> None:
    found = done(admin.get(f"/v1/erasures/{unsigned['id']}"))

    assert found["certificate"] == unsigned["certificate"]
    assert [one["id"] for one in done(admin.get("/v1/erasures"))["data"]] == [
        unsigned["id"]
    ]


def test_erasures_go_on_behind_it(unsigned: Any, api: runs.Clients, erase: Any) -> None:
    leave(api(), user="ben")

    erase(user_id="ben")

    assert [one.is_signed for one in journals.entries()] == [False, True]


def test_a_restore_believes_it_once_a_signed_one_is_behind_it(
    unsigned: Any, api: runs.Clients, erase: Any, journal: Path
) -> None:
    with pytest.raises(CertificateRefused, match="not signed"):
        reapplying.require_journal()

    leave(api(), user="ben")
    erase(user_id="ben")
    reapplying.require_journal()
    with acting_as(Role.RETENTION):
        assert reapplying.reapply(now=timezone.now()).applied == 0

    first = journal / "000000000" / "000000000001.note"
    first.write_bytes(first.read_bytes().replace(b"counts", b"caunts"))
    with pytest.raises(CertificateRefused, match="not in its place"):
        reapplying.require_journal()


def test_one_that_nobody_signed_behind_a_signed_one_is_refused(
    api: runs.Clients, erase: Any, journal: Path
) -> None:
    leave(api())
    erase(user_id="ann")
    (entry,) = journals.entries()
    named = base64.b64encode(hashlib.sha256(entry.data).digest()).decode()
    forged = f"unsigned\nstepback-erasure/1\nnumber 2\nprevious {named}\n{{}}\n\n"
    Folder(journal).write(2, forged.encode())

    for is_covering in (False, True):
        with pytest.raises(CertificateRefused, match="not signed"):
            list(journals.entries(is_covering=is_covering))
