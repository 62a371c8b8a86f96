"""A world that signs: a key and a folder of notes of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.test import override_settings
from django.utils import timezone

from apps.core.notes.signed import SigningKey
from apps.witness import signing
from tests.feeding import feed_all

ROOT_NUMBER = "1"


@contextmanager
def signing_into(folder: Path) -> Iterator[None]:
    """Have everything sign into a folder, and believe its key."""
    key = SigningKey.made("stepback/world")
    said = {"SIGNING_KEY": key.secret(), "VERIFIER_KEY": str(key.verifier)}
    with override_settings(ROOTS=folder, **said):
        yield


def sign_heads() -> None:
    """Sign all that there is, into the first notes."""
    feed_all()
    assert signing.sweep(now=timezone.now()) > 0
