"""The programs of the page about LangGraph run as they stand there, in their order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from stepback.langgraph import NothingDecided, resume
from tests.live import Server
from tests.python_client.people import Person

PAGE = Path(__file__).parents[2] / "docs" / "langgraph.md"
PROJECT = "langgraph-page"


def programs() -> list[str]:
    parts = PAGE.read_text().split("```python\n")[1:]
    return [part.partition("```")[0] for part in parts]


def run_as_typed(program: str, names: dict[str, Any]) -> None:
    exec(compile(program, PAGE.name, "exec", dont_inherit=True), names)


def test_the_pages_example_does_what_the_page_says(
    live: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = live.key(PROJECT)
    monkeypatch.setenv("STEPBACK_URL", live.url)
    monkeypatch.setenv("STEPBACK_API_KEY", secret)
    names: dict[str, Any] = {"admin_key": live.key(PROJECT, "--scope", "admin")}
    # The last one is about facts: test_langgraph_facts runs its story.
    module, rule, run, going_on, _ = programs()
    olga = Person(live, PROJECT, "olga-of-the-page")

    for one in (module, rule, run):
        run_as_typed(one, names)
    with pytest.raises(NothingDecided):
        resume(names["graph"], "case-417")
    with Stepback(secret, live.url) as sb:
        asked = sb.approvals.list(status="pending", agent_id="refunds").data
    ids = {one.tool: one.id for one in asked}
    assert set(ids) == {"interrupt", "issue_refund"}
    assert len(names["waits"]) == 2
    olga.approves(ids["issue_refund"])
    olga.edits(ids["interrupt"], {"to": "ann@example.com", "text": "Sorry."})
    olga.close()
    assert "paying" not in capsys.readouterr().out
    run_as_typed(going_on, names)

    names["saver"].close()
    assert sorted(names["done"]) == ["paid", "sent"]
    told = capsys.readouterr().out
    assert told.count("paying 2490") == 1
    assert told.count("sending to ann@example.com") == 1
