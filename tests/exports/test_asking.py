"""Asking for exports, following them, and downloading their files."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core.roles.names import Role
from apps.exports import making
from apps.exports.kinds import trajectories
from apps.exports.making import sweeping
from apps.exports.models import Export, Piece
from tests.acting import acting_as
from tests.conftest import Api
from tests.exports.reading import EXPORTS, Sweep, file, left_out, made
from tests.exports.test_chat import read
from tests.timeline import runs
from tests.timeline.runs import assert_refused, begin

pytestmark = pytest.mark.django_db
UNKNOWN = f"{EXPORTS}/xprt_{'0' * 26}"
ASKED = {"kind": "trajectories"}
MAIL, CARD = "ann@mail.example", "4111 1111 1111 1111"


def lines(admin: Api, export: Any) -> list[dict[str, Any]]:
    """Download a file, and read its lines."""
    return [read(one) for one in file(admin, export).splitlines(keepends=True)]


def test_live_turns_are_exported_and_what_was_rolled_back_is_not(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    run = begin(api(), {"n": 0})
    run.turn("Book it", "Booked", state_after={"n": 1})
    run.turn("No, the other", "A mistake", state_after={"n": 2})
    run.post("rollback", {"version": 1})
    begin(api(), {"n": 0})

    export = made(admin, sweep)
    (told,) = lines(admin, export)

    assert [one["content"] for one in told["messages"]] == ["Book it", "Booked"]
    assert told["metadata"]["session_id"] == run.id
    assert left_out(export) == {"nothing_said": 1}
    assert lines(admin, made(admin, sweep, rolled_back=False)) == []
    assert len(lines(admin, made(admin, sweep, rolled_back=True))) == 1
    assert lines(admin, made(admin, sweep, agent="nobody")) == []


def test_values_are_masked_unless_asked_otherwise_which_is_recorded(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    begin(api(), {"messages": [{"role": "user", "content": f"{MAIL} {CARD}"}]})

    (masked,) = lines(admin, made(admin, sweep))
    (shown,) = lines(admin, made(admin, sweep, unmasked=True))

    assert masked["messages"][0]["content"] == "[email] [card]"
    assert shown["messages"][0]["content"] == f"{MAIL} {CARD}"
    events = Event.objects.filter(action=Action.EXPORT_ASKED).order_by("id")
    assert [one.details["unmasked"] for one in events] == [False, True]


def test_a_worker_that_is_killed_between_steps_goes_on(
    api: runs.Clients, admin: Api, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectories, "SESSIONS", 1)
    for number in range(3):
        begin(api(), {"messages": [{"role": "user", "content": str(number)}]})
    asked = admin.post(EXPORTS, ASKED).body

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with acting_as(Role.WORKER):
        assert sweeping.step(asked["id"], now=timezone.now())
    with monkeypatch.context() as patched, acting_as(Role.WORKER):
        # Behind the object and its row, before the cursor.
        patched.setattr(Export, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            sweeping.step(asked["id"], now=timezone.now())
    sweep()

    export = admin.get(f"{EXPORTS}/{asked['id']}").body
    said = [one["messages"][0]["content"] for one in lines(admin, export)]
    assert said == ["0", "1", "2"]


def test_one_that_fails_is_told_as_failed_and_leaves_no_piece(
    api: runs.Clients, admin: Api, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(api(), {"messages": [{"role": "user", "content": "Hello"}]})
    monkeypatch.setattr(sweeping, "MOST_BYTES", 10)
    asked = admin.post(EXPORTS, ASKED).body
    sweep()

    export = admin.get(f"{EXPORTS}/{asked['id']}").body
    file = admin.get(f"{EXPORTS}/{asked['id']}/file")

    assert export["state"] == "failed"
    assert "narrow" in export["error"]
    assert (file.status, file.code) == (404, "export_not_found")
    assert not Piece.objects.exists()


def test_a_file_is_gone_after_a_week(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    begin(api(), {"messages": [{"role": "user", "content": "Hello"}]})
    export = made(admin, sweep)
    with acting_as(Role.WORKER):
        making.forget(now=timezone.now() + timedelta(days=6))
        assert Piece.objects.count() == 1
        making.forget(now=timezone.now() + timedelta(days=8))

    assert not Piece.objects.exists()
    assert admin.get(f"{EXPORTS}/{export['id']}").body["state"] == "expired"
    assert admin.get(f"{EXPORTS}/{export['id']}/file").status == 404


def test_a_lost_answer_is_answered_again(admin: Api) -> None:
    first = admin.post(EXPORTS, ASKED, Idempotency_Key="lost")
    again = admin.post(EXPORTS, ASKED, Idempotency_Key="lost")

    assert first.body == again.body
    assert [one["id"] for one in admin.get(EXPORTS).body["data"]] == [first.body["id"]]


def test_only_administrators_of_the_project_have_them(
    api: runs.Clients, make_key: runs.Keys, admin: Api, other_project: Any, sweep: Sweep
) -> None:
    path = f"{EXPORTS}/{made(admin, sweep)['id']}"
    some = make_key(scope=Scope.ADMIN, agents=["travel"])
    for secret in (make_key(scope=Scope.READ), make_key(scope=Scope.WRITE), some):
        client = api(secret)
        assert client.post(EXPORTS, ASKED).status == 403
        assert {client.get(one).status for one in (EXPORTS, path, f"{path}/file")} == {
            403
        }
    stranger = api(make_key(scope=Scope.ADMIN, project=other_project))
    for client, one in ((stranger, path), (admin, UNKNOWN)):
        assert client.get(one).code == "export_not_found"
        assert client.get(f"{one}/file").code == "export_not_found"
    assert stranger.get(EXPORTS).body["data"] == []
    assert Api(None).get(f"{path}/file").status == 401
    assert admin.post(path, {}).status == 405


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({}, "kind"),
        ({"kind": "all"}, "kind"),
        (ASKED | {"outcome": "good"}, "outcome"),
        (ASKED | {"rolled_back": "yes"}, "rolled_back"),
        (ASKED | {"most_tokens": 1.5}, "most_tokens"),
        (ASKED | {"most_cost": -1}, "most_cost"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(
    admin: Api, said: dict[str, Any], param: str
) -> None:
    assert_refused(admin.post(EXPORTS, said), 400, "invalid_request", param)


def test_a_filter_that_there_is_not_is_refused_by_its_name(admin: Api) -> None:
    answer = admin.post(EXPORTS, ASKED | {"colour": "red"})
    assert_refused(answer, 400, "unknown_field", "colour")


@pytest.mark.parametrize(
    ("said", "param"),
    [
        (ASKED | {"user_id": "ann"}, "user_id"),
        (ASKED | {"label": "x" * 101}, "label"),
        ({"kind": "session"}, "session_id"),
        ({"kind": "person", "user_id": ""}, "user_id"),
        ({"kind": "person", "user_id": "ann", "agent": "travel"}, "agent"),
        ({"kind": "audit", "start": "yesterday"}, "start"),
        ({"kind": "audit", "start": "2026-02-01", "end": "2026-01-01"}, "end"),
        ({"kind": "audit", "label": "good"}, "label"),
    ],
)
def test_what_a_kind_does_not_take_is_refused_with_its_place(
    admin: Api, said: dict[str, Any], param: str
) -> None:
    assert_refused(admin.post(EXPORTS, said), 422, "unacceptable_export", param)
    assert admin.get(EXPORTS).body["data"] == []
