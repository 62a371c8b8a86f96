"""A keyed document for each test."""

import pytest

from apps.accounts.models import Project
from tests.timeline.documents.keeping import Keeper


@pytest.fixture
def keeper(project: Project) -> Keeper:
    return Keeper.begin(project)
