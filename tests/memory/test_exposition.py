"""What Prometheus is told of memories."""

from collections import Counter
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.monitoring import exposition as core
from apps.memory import exposition
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


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str, str]]:
    """What is counted, as if somebody might ask: by metric, project and scope."""
    found: Counter[tuple[str, str, str]] = Counter()

    def count(name: str, help: str, *, project: str, scope: str) -> None:
        found[name.removeprefix("stepback_memory_"), project, scope] += 1

    monkeypatch.setattr(core, "count", count)
    monkeypatch.setattr(exposition, "_seen", set())
    return found


def test_searches_and_those_without_a_result_are_counted(
    mind: Mind, counted: Counter[Any]
) -> None:
    session = mind.session(user="ada")
    mind.add("Prefers aisle seats on planes", user_id="ada")
    for _ in range(2):
        assert mind.found("aisle seats on planes", user_id="ada")
    assert not mind.found("quantum chromodynamics", user_id="ada")
    assert not mind.found("quantum chromodynamics", session_id=session)
    # A list and a context are no searches, and what is refused is none.
    mind.listed(user_id="ada")
    mind.context(session, query="quantum chromodynamics")
    assert mind.client.get("/v1/memories", {"query": "x", "scope": "y"}).status == 400

    assert counted == {
        ("searches", "checkout", "user"): 3,
        ("searches", "checkout", "session"): 1,
        ("searches_without_result", "checkout", "user"): 1,
        ("searches_without_result", "checkout", "session"): 1,
    }


def test_of_more_projects_than_are_told_the_others_are_one(
    mind: Mind,
    api: Any,
    make_key: Any,
    other_project: Project,
    counted: Counter[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exposition, "MOST_PROJECTS", 1)
    mind.search("tea")
    Mind(api(make_key(project=other_project))).search("tea")
    mind.search("tea")

    told = {project: n for (name, project, _), n in counted.items() if name[-1] == "s"}
    assert told == {"checkout": 2, "other": 1}
