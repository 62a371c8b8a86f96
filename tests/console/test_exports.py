"""The page of exports: asked for by forms, followed, downloaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import Project, Role
from apps.core.roles.names import Role as DatabaseRole
from apps.exports import making
from apps.exports.models import Export
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.console.make import Story

pytestmark = pytest.mark.django_db
PAGE = "/console/checkout/keeping/exports"
BACKEND = "django.contrib.auth.backends.ModelBackend"
HOSTILE = "<b>ann</b> & \u202eco"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


@pytest.fixture
def entering(client: Client, project: Project) -> Callable[..., Client]:
    """`entering(role)` is a browser of a member who signed in."""

    def enter(role: Role = Role.ADMIN) -> Client:
        client.force_login(make_member(project, f"a-{role}", role), BACKEND)
        return client

    return enter


@pytest.fixture
def admin(entering: Callable[..., Client]) -> Client:
    return entering()


def text_of(browser: Client) -> str:
    answer = browser.get(PAGE)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def asked(admin: Client, kind: str, **said: Any) -> Any:
    return admin.post(f"{PAGE}/ask", {"kind": kind, "key": "k"} | said)


def test_it_is_a_page_of_keeping(admin: Client) -> None:
    nav = text_of(admin).partition('class="side-nav"')[2].partition("</nav>")[0]

    current = nav.partition('aria-current="page"')[2].partition("</a>")[0]
    assert current.split()[-1] == "Keeping"


def swept() -> None:
    with acting_as(DatabaseRole.WORKER):
        making.sweep(now=timezone.now())


def test_without_anything_it_says_so_and_offers_each_kind(admin: Client) -> None:
    text = text_of(admin)
    assert "Nothing was exported yet." in text
    for title in ("Conversations", "A session", "A person", "Records"):
        assert f">{title}</h3>" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert text.count('name="csrfmiddlewaretoken"') >= 4
    keeping = admin.get("/console/checkout/keeping").content.decode()
    assert f'href="{PAGE}"' in keeping


def test_it_is_asked_for_followed_and_downloaded(
    admin: Client, project: Project
) -> None:
    Story(project, {"n": 1}, user_id=HOSTILE)
    answer = asked(admin, "person", user_id=HOSTILE, unmasked="yes")
    assert (answer.status_code, answer["Location"]) == (303, PAGE)
    text = text_of(admin)
    assert "being made" in text
    assert 'hx-trigger="every 2s"' in text
    assert "&lt;b&gt;ann&lt;/b&gt;" in text
    assert "<b>ann" not in text
    assert "unmasked" in text
    file = f"{PAGE}/{Export.objects.get().id}/file"
    assert admin.get(file).status_code == 404

    swept()

    text = text_of(admin)
    assert f'<a href="{file}">Download</a>' in text
    assert "hx-trigger" not in text
    sent = admin.get(file)
    assert sent["Content-Type"] == "application/zip"
    assert sent["Content-Disposition"].startswith("attachment")
    assert b"".join(sent.streaming_content).startswith(b"PK")


def test_a_form_that_is_sent_twice_makes_one(admin: Client) -> None:
    assert asked(admin, "trajectories").status_code == 303
    assert asked(admin, "trajectories").status_code == 303
    assert Export.objects.count() == 1


def test_filters_are_what_the_form_says(admin: Client, project: Project) -> None:
    said = {"outcome": "fine", "rolled_back": "no", "most_tokens": "5", "agent": " a"}
    asked(admin, "trajectories", **said, release="", unmasked="")
    export = Export.objects.get()
    assert export.asked == {
        "outcome": "fine",
        "rolled_back": False,
        "most_tokens": 5,
        "agent": " a",
    }


def test_conversations_that_are_left_out_are_counted(
    admin: Client, project: Project
) -> None:
    Story(project, {"n": 1})
    asked(admin, "trajectories")
    swept()
    assert "1 in which nothing was said" in text_of(admin)
    export = Export.objects.get()
    sent = admin.get(f"{PAGE}/{export.id}/file")
    assert b"".join(sent.streaming_content) == b""


@pytest.mark.parametrize(
    ("kind", "said", "why"),
    [
        ("session", {}, "This field is required."),
        ("session", {"session_id": "sess_none"}, "There is no such session"),
        ("audit", {"start": "yesterday"}, "takes a date or a time"),
        (
            "audit",
            {"start": "2026-02-01", "end": "2026-01-01"},
            "ends before it starts",
        ),
        ("audit", {"agent": "nobody"}, "agent"),
        ("trajectories", {"most_tokens": "many"}, "Enter a whole number."),
        ("trajectories", {"outcome": "good"}, "not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(
    admin: Client, kind: str, said: dict[str, str], why: str
) -> None:
    answer = asked(admin, kind, **said)
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert not Export.objects.exists()


def test_an_unknown_kind_is_refused(admin: Client) -> None:
    assert asked(admin, "all").status_code in (400, 422)
    assert asked(admin, "").status_code in (400, 422)
    assert admin.get(f"{PAGE}/ask").status_code == 405
    assert admin.post(PAGE).status_code == 405
    assert not Export.objects.exists()


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER])
def test_only_administrators_come_in(
    entering: Callable[..., Client], role: Role
) -> None:
    browser = entering(role)
    assert browser.get(PAGE).status_code == 403
    assert asked(browser, "trajectories").status_code == 403
    assert browser.get(f"{PAGE}/xprt_{'0' * 26}/file").status_code == 403
    assert PAGE not in browser.get("/console/checkout/keeping").content.decode()


def test_strangers_and_the_signed_out_find_nothing(
    admin: Client, client: Client, other_project: Project
) -> None:
    asked(admin, "trajectories")
    swept()
    file = f"{PAGE}/{Export.objects.get().id}/file"
    client.force_login(make_member(other_project, "mallory", Role.ADMIN), BACKEND)
    assert client.get(PAGE).status_code == 404
    assert client.get(file).status_code == 404
    mine = file.replace("checkout", other_project.slug)
    assert client.get(mine).status_code == 404
    client.logout()
    assert client.get(PAGE).status_code == 302
    assert client.get(file).status_code == 302


def test_many_exports_take_as_many_statements_as_one(
    admin: Client,
) -> None:
    asked(admin, "trajectories", key="0")
    swept()
    text_of(admin)
    with CaptureQueriesContext(connection) as one:
        text_of(admin)
    for number in range(1, 6):
        asked(admin, "trajectories", key=str(number))
    swept()
    with CaptureQueriesContext(connection) as many:
        text_of(admin)
    assert len(many) == len(one)
