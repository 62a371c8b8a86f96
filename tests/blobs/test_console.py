"""The console lists the files of a version, and shows what is harmless."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Project, Role
from tests.accounts.make import make_member
from tests.blobs.conftest import file, upload
from tests.console.make import signed_in
from tests.timeline.runs import Begin, Clients, Run

pytestmark = pytest.mark.django_db

FILES = {
    "chart.txt": (b"\x89PNG\r\n\x1a\n....", "image/png"),
    "photo": (b"\xff\xd8\xff\xe0..", "image/jpeg"),
    "moving": (b"GIF89a..", "image/gif"),
    "small": (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    "page.html": (b"<script>alert(1)</script>", "text/plain; charset=utf-8"),
    "drawing.svg": (b"<svg onload='alert(1)'/>", "text/plain; charset=utf-8"),
}
KEPT = {"fake.png": b"%PDF-1.7\0", "latin.txt": b"caf\xe9", "zip": b"PK\x03\x04\0"}


@pytest.fixture
def viewer(client: Any, project: Project) -> Any:
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def run(begin: Begin, api: Clients) -> Run:
    client = api()
    every = {name: data for name, (data, _) in FILES.items()} | KEPT
    for data in every.values():
        upload(client, data)
    odd = file("out/<b>.html", b"<script>alert(1)</script>", caption="<i>drawn</i>")
    named = [file(name, data, media_type="text/html") for name, data in every.items()]
    return begin({}, client=client, artifacts=[*named, odd, {"uri": "s3://x"}])


def address(run: Run, project: Project, *rest: str) -> str:
    begin = f"/console/{project.slug}/sessions/{run.id}/versions/0"
    return "/".join([begin, *rest])


def test_files_are_listed_escaped_with_all_else_that_is_named(
    run: Run, project: Project, viewer: Any
) -> None:
    shown = viewer.get(address(run, project), {"tab": "checkpoint"})
    text = shown.content.decode()

    assert "Files: 10" in text
    assert "out/&lt;b&gt;.html" in text
    assert "&lt;i&gt;drawn&lt;/i&gt;" in text
    assert "s3://x" in text
    assert "<b>.html" not in text


def test_what_is_harmless_by_its_bytes_is_shown(
    run: Run, project: Project, viewer: Any
) -> None:
    for name, (data, kind) in FILES.items():
        answer = viewer.get(address(run, project, "files", name))
        assert answer.getvalue() == data
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["Content-Disposition"] == "inline"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_all_else_is_downloaded_whatever_it_is_said_to_be(
    run: Run, project: Project, viewer: Any
) -> None:
    for name, data in KEPT.items():
        answer = viewer.get(address(run, project, "files", name))
        assert answer.getvalue() == data
        assert answer.headers["Content-Type"] == "application/octet-stream"
        disposition = answer.headers["Content-Disposition"]
        assert disposition == f'attachment; filename="{name}"'
        assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_files_name_may_hold_the_end_of_a_line(
    begin: Begin, api: Clients, project: Project, viewer: Any
) -> None:
    client = api()
    upload(client, b"odd")
    run = begin({}, client=client, artifacts=[file("two\nlines", b"odd")])

    shown = viewer.get(address(run, project), {"tab": "checkpoint"}).content.decode()

    there = address(run, project, "files", "two%0Alines")
    assert f'href="{there}"' in shown
    assert viewer.get(there).getvalue() == b"odd"


def test_what_is_not_there_or_not_ones_own_is_not_found(
    run: Run, project: Project, viewer: Any, other_project: Project
) -> None:
    assert viewer.get(address(run, project, "files", "nothing")).status_code == 404
    assert viewer.post(address(run, project, "files", "zip")).status_code == 405
    other = address(run, other_project, "files", "zip")
    assert viewer.get(other).status_code == 404
    assert Client().get(address(run, project, "files", "zip")).status_code == 302
