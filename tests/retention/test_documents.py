"""Keyed documents: old values go, and what has to be seen stays and verifies."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.data import operations as data
from apps.retention import operations as retention
from apps.retention.counts import Counts
from apps.retention.words import HoldKind
from apps.timeline import hooks
from apps.timeline.models import Body, Session, Version
from tests.acts import act_in
from tests.conftest import Api
from tests.data.conftest import AGENT, Store
from tests.retention.aged import Past, enabled, swept, taken

pytestmark = pytest.mark.django_db
LATER = timedelta(days=400)


@pytest.fixture
def store(admin: Api) -> Store:
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    made = Store(admin)
    made.write("a", "first")
    made.checkpoint("before")
    made.write("a", "second")
    made.policies(retention_by_prefix={"b": 1})
    made.write("b", "brief")
    return made


def rows() -> list[Any]:
    """Return every version and body of every document."""
    ids = Session.with_documents.exclude(id__in=Session.objects.values("id"))
    about = {"session_id__in": list(ids.values_list("id", flat=True))}
    headers = Version.objects.filter(**about).order_by("session_id", "number")
    bodies = Body.objects.filter(**about).order_by("session_id", "number")
    found = [*headers.values_list("session_id", "number", "chain")]
    assert found
    return [*found, *bodies.values_list("session_id", "number", "codec", "data")]


def test_what_nobody_has_to_see_is_emptied_and_the_rest_verifies(
    store: Store, project: Project
) -> None:
    store.write("a", "third")
    store.write("c", "other")
    policy = enabled(project, empty_days=7)
    swept(now=timezone.now() + LATER)

    shown = [one["value"] for one in store.versions("a").body["data"]]
    assert shown == ["third", None, "first"]
    erased = [one["contents_erased"] for one in store.versions("a").body["data"]]
    assert erased == [False, True, False]
    assert store.read("a").body["value"] == "third"
    (count,) = Counts.of(taken(policy).counts).listed()
    assert (count["step"], count["documents"], count["versions"]) == ("empty", 1, 1)
    assert count["sessions"] == 0
    verified()


def test_other_steps_of_a_policy_take_nothing_of_a_document(
    store: Store, project: Project
) -> None:
    past = Past.of(project, [30, 20, 1])
    enabled(project, thin_days=7, remove_days=7, ended_days=7)
    before = rows()
    swept(now=timezone.now() + LATER)

    assert not past.is_there
    assert rows() == before
    verified()


def verified() -> None:
    out = StringIO()
    call_command("verify", stdout=out)
    assert "All of it holds." in out.getvalue()


def test_a_key_that_expires_ends_and_its_history_stays_under_a_hold_or_not(
    store: Store, project: Project
) -> None:
    before = rows()
    retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.PROJECT, value=None, reason="x"
    )
    data.expire_due(actor=SYSTEM, now=timezone.now() + timedelta(days=2))

    assert set(before) <= set(rows())
    assert [one["value"] for one in store.versions("b").body["data"]][-1] == "brief"


def test_a_hold_of_an_agent_or_project_is_one_of_its_documents_too(
    store: Store, project: Project
) -> None:
    ids = Session.with_documents.exclude(id__in=Session.objects.values("id"))
    (document,) = ids.values_list("id", flat=True)
    for kind, value in ((HoldKind.AGENT, AGENT), (HoldKind.PROJECT, None)):
        act = act_in(project)
        hold = retention.set_legal_hold(act=act, kind=kind, value=value, reason="x")
        with transaction.atomic():
            assert hooks.legal_hold(document) == hold.id
        retention.end_legal_hold(act=act, hold_id=hold.id, reason="over")
        with transaction.atomic():
            assert hooks.legal_hold(document) is None
