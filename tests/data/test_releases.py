"""A checkpoint where a release of an agent begins: from before what it does."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.agents.models import Agent
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.data import operations as data
from apps.data.models import Checkpoint, Release
from apps.data.operations.keeping import releases
from tests.acting import acting_as
from tests.data.conftest import Store, made
from tests.feeding import feed_all
from tests.timeline.runs import begin


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "_noted", releases.Known())


def run_with(store: Store, release: str | None) -> None:
    begin(store.client, {"n": 1}, agent_id=store.agent, release=release)
    feed_all()


def keep(after: timedelta = timedelta()) -> int:
    return data.keep_before_releases(actor=SYSTEM, now=timezone.now() + after)


def age_all(by: timedelta) -> None:
    """Have all that is noted have been so for a while."""
    with acting_as(Role.OWNER):
        for one in Release.objects.all():
            rows = Release.objects.filter(session_id=one.session_id, name=one.name)
            rows.update(noted_at=one.noted_at - by)


def labels() -> list[str | None]:
    return list(Checkpoint.objects.order_by("ordinal").values_list("label", flat=True))


def test_each_release_but_the_first_has_one_from_where_it_begins(store: Store) -> None:
    made(store.write("a", "as before"))
    run_with(store, "1.8.0")
    assert keep() == 0
    age_all(timedelta(days=1))
    made(store.write("a", "as 1.8.1 found it"))

    run_with(store, "1.8.1")
    first, again = keep(), keep()
    made(store.write("a", "what 1.8.1 made of it"))
    run_with(store, "1.8.1")
    run_with(store, None)

    assert (first, again, keep()) == (1, 0, 0)
    assert labels() == ["before release 1.8.1"]
    kept = Checkpoint.objects.get()
    assert kept.metadata == {"release": "1.8.1"}
    assert (kept.actor_kind, kept.actor_label) == ("system", "system")
    made(store.restore({"id": kept.id}))
    assert made(store.read("a"))["value"] == "as 1.8.1 found it"


def test_many_releases_at_once_have_one_checkpoint_at_most(store: Store) -> None:
    made(store.write("a"))
    run_with(store, "1")
    keep()
    age_all(timedelta(hours=1))

    for name in ("2", "3", "4"):
        run_with(store, name)
        keep()

    assert labels() == ["before release 2"]
    assert not Release.objects.filter(kept_at__isnull=True).exists()


def test_an_agent_that_keeps_nothing_has_none(store: Store) -> None:
    for name in ("1", "2"):
        run_with(store, name)
        keep()
        age_all(timedelta(hours=1))

    assert labels() == []


def test_an_agent_that_was_deleted_has_none(store: Store, monkeypatch: Any) -> None:
    made(store.write("a"))
    run_with(store, "1")
    keep()
    age_all(timedelta(hours=1))
    run_with(store, "2")
    Agent.objects.filter(external_id=store.agent).update(
        status="deleted", deleted_at=timezone.now()
    )

    assert keep() == 0
    assert labels() == []


def test_a_worker_that_is_killed_has_made_none(store: Store, monkeypatch: Any) -> None:
    made(store.write("a"))
    run_with(store, "1")
    keep()
    age_all(timedelta(hours=1))
    run_with(store, "2")
    create = releases.create_checkpoint

    def killed(**asked: Any) -> None:
        create(**asked)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(releases, "create_checkpoint", killed)
        with pytest.raises(KeyboardInterrupt):
            keep()
    assert labels() == []

    assert keep() == 1
    assert labels() == ["before release 2"]


def test_a_release_is_of_its_agent_alone(store: Store) -> None:
    made(store.client.post("/v1/agents", {"external_id": "other"}))
    other = Store(store.client, "other")
    for one in (store, other):
        made(one.write("a"))
    run_with(store, "1")
    run_with(store, "2")
    run_with(other, "2")

    noted = Release.objects.values_list("agent_id", "name")

    ids = dict(Agent.objects.values_list("external_id", "id"))
    expected = [(store.agent, "1"), (store.agent, "2"), ("other", "2")]
    assert sorted(noted) == sorted((ids[agent], name) for agent, name in expected)
