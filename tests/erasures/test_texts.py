"""What people keep that names who is erased: saved searches, what a shift tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import SavedView
from apps.watching.models import Handover
from tests.contracts.world import add_member
from tests.erasures.leaving import CANARY, found_in, leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db


def test_saved_searches_and_handovers_name_the_person_no_more(
    api: runs.Clients, erase: Callable[..., Any], project: Any
) -> None:
    leave(api(), CANARY, "somethingelse")
    owner, now = add_member(project, "vera"), timezone.now()
    for number, (name, query) in enumerate(
        [("Theirs", f"user:{CANARY}"), (f"Of {CANARY}", "agent:a"), ("b", "user:bob")]
    ):
        SavedView.objects.create(
            id=f"view_{number}",
            project=project,
            owner=owner,
            name=name,
            query=query,
            created_at=now,
            updated_at=now,
        )
    for number, text in enumerate([f"Call {CANARY} back", "All is quiet"]):
        Handover.objects.create(
            id=f"hand_{number}",
            project=project,
            text=text,
            actor_kind="user",
            actor_id="u",
            actor_label="vera",
            created_at=now,
        )

    erasure = erase(user_id=CANARY)

    assert found_in() == {}
    assert [one.name for one in SavedView.objects.all()] == ["b"]
    texts = Handover.objects.order_by("id").values_list("text", flat=True)
    assert list(texts) == ["…", "All is quiet"]
    counts = {one["what"]: one["rows"] for one in erasure["rows"]}
    assert (counts["saved_searches"], counts["handovers"]) == (2, 1)
