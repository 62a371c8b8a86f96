"""An installation that signs: keys and a folder of its own for each test."""

from pathlib import Path
from typing import Any

import pytest

from apps.core.notes.signed import SigningKey
from tests.timeline.conftest import begin, run  # noqa: F401 - fixtures

NAME = "stepback/test"


@pytest.fixture
def key() -> SigningKey:
    return SigningKey.made(NAME)


@pytest.fixture
def roots(tmp_path: Path, settings: Any, key: SigningKey) -> Path:
    """The folder of notes; whoever asks for it signs, and is believed."""
    settings.ROOTS = tmp_path / "roots"
    settings.SIGNING_KEY = key.secret()
    settings.VERIFIER_KEY = str(key.verifier)
    return settings.ROOTS
