"""A phone call finds its session: by reservation, by user, by what was said.

The runs are posted by our own command line. For every call that they give rise to, the
right session is among the first three of the page, and its link leads to the version of
the deed. The recorded runs are named by STEPBACK_RUNS; runs made by hand are asked
about in any case.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.urls import reverse

from apps.accounts.models import Role
from stepback import Stepback
from stepback.cli import __main__ as command_line
from stepback.cli.__main__ import main
from tests.accounts.make import make_member
from tests.conftest import Api
from tests.console.make import signed_in
from tests.feeding import project_all
from tests.replay import runs
from tests.replay.calls import Call, calls
from tests.replay.make import make_file, make_run

pytestmark = pytest.mark.django_db

RECORDED = os.environ.get("STEPBACK_RUNS")
FIRST = 3
WANTED = 0.95
ROW = re.compile(r'<tr role="row"(?! class="why")')
LINK = re.compile(
    r'href="[^"]*/sessions/(sess_\w{26})(?:/versions/(\d+))?(?:\?[^"]*)?" title="sess_'
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page answered a call with."""

    call: Call
    is_first: bool
    leads_there: bool


@pytest.fixture
def viewer(client: Any, project: Any) -> Any:
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture(autouse=True)
def _commands_reach_us(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    http = httpx.Client(base_url="http://stepback.test", transport=_Asked(api()))
    made = partial(Stepback, "sb_ours", "http://stepback.test", http_client=http)
    monkeypatch.setattr(command_line, "Stepback", lambda key, url: made())


def test_a_call_about_runs_made_by_hand_finds_its_session(
    viewer: Any, project: Any, tmp_path: Path
) -> None:
    made = [make_run(f"task-{number}-trial-0", bonus=number) for number in range(3)]
    for run in made:
        # Longer than the excerpt in the state: in the messages alone it is whole.
        run["messages"][1]["content"] += " plaît, je dois rester pour mon travail"
    asked = ask(viewer, project, make_file(tmp_path, *made))

    assert {one.call.kind for one in asked} == {"reservation", "user", "quote"}
    assert [one for one in asked if not (one.is_first and one.leads_there)] == []


@pytest.mark.skipif(not RECORDED, reason="STEPBACK_RUNS names no recorded runs")
def test_a_call_about_recorded_runs_finds_its_session(
    viewer: Any, project: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ask(viewer, project, Path(RECORDED or ""))

    missed = [one.call for one in asked if not one.is_first]
    astray = [one.call for one in asked if one.is_first and not one.leads_there]
    with capsys.disabled():
        sys.stdout.write(f"\n{report(asked)}\n")
        for call in (*missed, *astray):
            kind = "missed" if call in missed else "astray"
            sys.stdout.write(f"  {kind}: {call}\n")
    assert len(missed) <= (1 - WANTED) * len(asked)
    assert len(astray) <= (1 - WANTED) * len(asked)


def report(asked: Sequence[Asked]) -> str:
    """Say how many calls of each kind were answered."""
    said = []
    for kind in sorted({one.call.kind for one in asked}):
        some = [one for one in asked if one.call.kind == kind]
        first = sum(one.is_first for one in some)
        there = sum(one.leads_there for one in some)
        said.append(
            f"{kind}: {first} of {len(some)} in the first {FIRST}, "
            f"{there} lead to the deed"
        )
    share = sum(one.is_first for one in asked) / len(asked)
    return f"{len(asked)} calls, {share:.1%} found; {'; '.join(said)}"


def ask(viewer: Any, project: Any, path: Path) -> list[Asked]:
    told = list(runs.read(path))
    sessions = post(path)
    return [answered(viewer, project, call, sessions) for call in calls(told)]


def answered(viewer: Any, project: Any, call: Call, sessions: dict[str, str]) -> Asked:
    url = reverse("console:sessions", args=[project.slug])
    page = viewer.get(url, {"q": call.said}).content.decode()
    _, *rows = ROW.split(page.partition("<tbody")[2])
    found = [dict(LINK.findall(row)) for row in rows[:FIRST]]
    session = sessions[call.run]
    leads = [links[session] for links in found if session in links]
    return Asked(
        call=call,
        is_first=bool(leads),
        leads_there=bool(leads) and call.number in (None, int(leads[0] or -1)),
    )


def post(path: Path) -> dict[str, str]:
    """Post the file by our own command line; return the sessions by run."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        given = ["--json", "post", "--agent", "airline-support", str(path)]
        assert main(given) == 0
    project_all()
    told = [json.loads(line) for line in printed.getvalue().splitlines()]
    return {one["name"]: one["session_id"] for one in told}


class _Asked(httpx.BaseTransport):
    """Hands requests to the application in this process, whose rows the test sees."""

    def __init__(self, client: Api) -> None:
        self.client = client

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        key = request.headers.get("idempotency-key")
        named = {} if key is None else {"Idempotency-Key": key}
        path = request.url.raw_path.decode()
        answer = self.client.send(request.method, path, request.read(), named)
        return httpx.Response(answer.status, content=answer.content)
