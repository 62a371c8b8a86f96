"""The key of a person goes with an erasure; who comes back has another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import Project, SubjectKey
from apps.core.roles.names import Role
from apps.erasures.running import ending
from tests.acting import acting_as
from tests.erasures.conftest import admin, erase, journal, sweep
from tests.timeline import runs

__all__ = ["admin", "erase", "journal", "sweep"]
pytestmark = pytest.mark.django_db


def test_erasing_destroys_the_key_and_says_so(
    api: runs.Clients, encrypted: Project, erase: Callable[..., Any]
) -> None:
    runs.begin(api(), {"a": 1}, user_id="ann")
    runs.begin(api(), {"a": 2}, user_id="bob")
    assert SubjectKey.objects.count() == 2
    done = erase(user_id="ann")
    assert {"what": "encryption_keys", "rows": 1} in done["rows"]
    assert SubjectKey.objects.count() == 1


def test_who_comes_back_has_another_key(
    api: runs.Clients, encrypted: Project, erase: Callable[..., Any]
) -> None:
    runs.begin(api(), {"a": 1}, user_id="ann")
    mark = bytes(SubjectKey.objects.get().mark)
    erase(user_id="ann")
    again = runs.begin(api(), {"a": 3}, user_id="ann")
    assert bytes(SubjectKey.objects.get().mark) != mark
    assert again.get("state")["state"] == {"a": 3}


def test_a_session_that_comes_in_at_the_end_keeps_its_key_until_it_is_gone(
    api: runs.Clients,
    encrypted: Project,
    erase: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = api()
    runs.begin(client, {"a": 1}, user_id="ann")
    destroy = ending.destroy_subject_key
    late: list[runs.Run] = []

    def destroyed(*asked: Any) -> int:
        if not late:
            with acting_as(Role.WEB):
                late.append(runs.begin(client, {"a": 2}, user_id="ann"))
        return destroy(*asked)

    monkeypatch.setattr(ending, "destroy_subject_key", destroyed)
    done = erase(user_id="ann")
    assert done["state"] == "done"
    assert client.get(late[0].path("state")).status == 404
    assert not SubjectKey.objects.exists()


def test_without_encryption_no_key_is_looked_for(
    api: runs.Clients, erase: Callable[..., Any]
) -> None:
    runs.begin(api(), {"a": 1}, user_id="ann")
    done = erase(user_id="ann")
    assert "encryption_keys" not in {one["what"] for one in done["rows"]}
