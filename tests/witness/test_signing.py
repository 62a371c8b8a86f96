"""The worker signs the heads that moved, and `verify` holds histories against that."""

from pathlib import Path

import pytest
from django.utils import timezone

from apps.witness import signing
from tests.timeline import runs

pytestmark = pytest.mark.django_db(transaction=True)


def sign() -> int:
    return signing.sweep(now=timezone.now())


def test_what_was_appended_is_signed_and_verify_says_up_to_where(
    roots: Path, run: runs.Run
) -> None:
    assert sign() == 1
    run.patch({"step": 3})

    verdict = run.get("verify")

    signed = verdict["signatures"]
    assert verdict["valid"]
    assert signed["status"] == "signed"
    assert (signed["signed_to"]["version"], signed["signed_to"]["note"]) == (2, 1)
    assert signed["unsigned_from"] == 3
    assert "v3 is newer than that signature" in signed["message"]
