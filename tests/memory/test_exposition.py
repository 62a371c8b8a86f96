"""What Prometheus is told of memories."""

import pytest
from django.utils import timezone

from apps.memory.exposition import families
from tests.memory.conftest import Mind

pytestmark = pytest.mark.django_db


def test_memories_are_counted_by_scope_and_status(mind: Mind) -> None:
    mind.add("Likes tea", user_id="ada")
    mind.add("Likes jazz", user_id="ada", confidence=0.2)
    mind.add("Closed on Sundays")
    mind.delete(mind.add("Open on Mondays")["id"])

    told, *_ = families(timezone.now())

    assert [(tuple(labels), value) for labels, value in told.samples] == [
        (("checkout", "project", "believed"), 1),
        (("checkout", "user", "believed"), 1),
        (("checkout", "user", "proposed"), 1),
    ]
