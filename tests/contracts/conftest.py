"""What the contract tests share: a world made of data, and the document."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from apps.core import json
from apps.core.http.openapi import document as openapi
from apps.timeline import bodies
from apps.timeline.bodies.caching import Cache
from tests.contracts.document import Document
from tests.contracts.signed import sign_heads, signing_into
from tests.contracts.world import World, make_world


@pytest.fixture(scope="module")
def made_once(
    django_db_setup: Any,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """The world of one module's tests; each of them undoes what it did to it."""
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        signing_into(tmp_path_factory.mktemp("roots")),
    ):
        made = make_world()
        sign_heads()
        yield made
        transaction.set_rollback(True)


@pytest.fixture
def world(made_once: World, db: Any, monkeypatch: pytest.MonkeyPatch) -> World:
    """A project with one of everything, and the client that made it."""
    # A test before this one may have made the same versions with other bodies.
    monkeypatch.setattr(bodies, "cache", Cache())
    return made_once


@pytest.fixture(scope="session")
def document() -> Document:
    """The OpenAPI document as it is served."""
    return Document(json.parse(openapi._document()))
