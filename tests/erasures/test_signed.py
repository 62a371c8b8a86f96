"""Certificates of erasures are leaves of signed notes."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes import keys
from apps.core.notes.folder import Folder
from apps.core.notes.reading import read
from apps.core.notes.roots import Kind
from apps.witness import signing
from tests.feeding import feed_all

pytestmark = pytest.mark.django_db(transaction=True)


def sign() -> int:
    feed_all()
    return signing.sweep(now=timezone.now())


def test_a_certificate_is_signed_once_by_the_digest_of_its_entry(
    erase: Any, admin: Any, tmp_path: Path, settings: Any
) -> None:
    settings.ROOTS = tmp_path / "roots"
    admin.post("/v1/sessions", {"agent_id": "travel", "user_id": "ann"})
    sign()
    erased = erase(user_id="ann")

    for _ in range(3):
        sign()

    folder, found = Folder(settings.ROOTS), []
    for number in range(1, folder.newest() + 1):
        root, _ = read(folder, number, keys.verifier_keys())
        found += [one for one in root.heads if one.kind is Kind.CERTIFICATE]
    (leaf,) = found
    digest = hashlib.sha256(erased["certificate"].encode()).digest()
    assert (leaf.id, leaf.number, leaf.chain) == (erased["id"], 1, digest)
