"""What the contract tests share: a world made of data, and the document."""

from typing import Any

import pytest

from apps.core import json
from apps.core.http import openapi
from tests.contracts.document import Document
from tests.contracts.world import World, make_world


@pytest.fixture
def world(api: Any) -> World:
    """A project with one of everything, and the client that made it."""
    return make_world(api())


@pytest.fixture(scope="session")
def document() -> Document:
    """The OpenAPI document as it is served."""
    return Document(json.parse(openapi._document()))
