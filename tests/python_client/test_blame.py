"""What the command line and the MCP tool tell of a blame that goes on."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

import httpx
import pytest

from stepback import Stepback
from stepback.cli import commands
from stepback.cli.output import Output
from tests.live import Server
from tests.python_client.test_command_line import client, run, told, trip
from tests.python_client.test_gone import take

__all__ = ["client", "run", "trip"]
SETTER = {
    "version": 3,
    "created_at": "2026-01-01T00:00:00Z",
    "actor": {"label": "key: planner"},
    "after": "Rome",
}


def blamed(setters: list[Any], following: str | None) -> dict[str, Any]:
    """Return a page of a blame as the server tells it."""
    about = {"session_id": "sess_1", "version": 7, "pointer": "/city", "value": "Rome"}
    goes_on = {"has_more": following is not None, "next": following}
    return {"object": "blame", **about, "data": setters, **goes_on, "not_before": None}


class Paging:
    """A server whose pages end with their work; it remembers what it was asked."""

    def __init__(self, *pages: dict[str, Any]) -> None:
        self._pages = iter(pages)
        self.asked: list[dict[str, str]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(dict(request.url.params))
        return httpx.Response(200, json=next(self._pages))

    def blame(self, *, limit: int = 10, as_json: bool = False) -> None:
        http = httpx.Client(
            base_url="http://localhost", transport=httpx.MockTransport(self)
        )
        asked = Namespace(session="sess_1", pointer="/city", version=None, limit=limit)
        output = Output(sys.stdout, as_json=as_json, colours=False)
        with Stepback("sb_key", http_client=http) as client:
            commands.blame(client, asked, output)


def test_a_page_without_setters_is_not_told_as_nobody(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = Paging(blamed([], "c1"), blamed([SETTER], "c2"), blamed([SETTER], None))

    server.blame()

    printed = capsys.readouterr().out
    assert printed.count("key: planner") == 2
    assert "there are more" not in printed
    assert server.asked[2] == {
        "pointer": "/city",
        "version": "7",
        "limit": "9",
        "starting_after": "c2",
    }


def test_a_blame_ends_with_as_many_setters_as_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Paging(blamed([SETTER], "c1"), blamed([SETTER], "c2")).blame(limit=2)

    assert capsys.readouterr().out.splitlines()[2:] == ["… there are more"]


def test_pages_of_a_blame_are_one_answer_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Paging(blamed([SETTER], "c1"), blamed([SETTER], None)).blame(as_json=True)

    (found,) = told(capsys.readouterr().out)
    assert found == blamed([SETTER, SETTER], None)


def test_that_nobody_set_it_is_said_at_the_end_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Paging(blamed([], "c1"), blamed([], None)).blame()

    assert capsys.readouterr().out == "No version set it.\n"


def test_a_blame_that_was_cut_at_its_limit_says_so(run: Any, trip: str) -> None:
    first, more = run("blame", trip, "/destination", "--limit", "1").splitlines()

    assert (first[:2], more) == ("v2", "… there are more")
    assert "there are more" not in run("blame", trip, "/destination")
    (found,) = told(run("--json", "blame", trip, "/destination", "--limit", "1"))
    assert (len(found["data"]), found["has_more"]) == (1, True)


def test_a_blame_tells_that_older_versions_are_gone(
    run: Any, client: Stepback, agent_id: str, live: Server
) -> None:
    made = client.sessions.create(agent_id, {"city": "Rome"})
    client.sessions.update_state(made.id, {"city": "Bari"})
    client.sessions.update_state(made.id, {"step": "later"})
    take(live, "prune_versions", session_id=made.id, first=0, last=1)

    printed = run("blame", made.id, "/city")

    assert printed == (
        "Not looked before v2: what came before is gone (version_pruned). "
        "Whether v2 set it, or one that is gone, is not known.\n"
    )
