"""A run of a LangGraph graph reads in the console as any session does."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.types import Command
from playwright.sync_api import expect

from stepback.langgraph import StepbackSaver
from tests.browser.conftest import Visits
from tests.python_client.trip_graph import graph

expect.set_options(timeout=30_000)


def test_a_graphs_session_is_read_and_stepped_back(visits: Visits) -> None:
    console = visits.console
    config: Any = {"configurable": {"thread_id": "seat-please"}}
    with StepbackSaver(console.server.url, console.api.headers["X-API-Key"]) as saver:
        app = graph(saver)
        app.invoke({"messages": [HumanMessage("A seat, please", id="h")]}, config)
        app.invoke(Command(resume=True), config)
        booked = app.get_state(config).values
        past = next(
            one for one in app.get_state_history(config) if one.next == ("approve",)
        )
        name = past.config["configurable"]["checkpoint_id"]
        (session,) = console.api.get(
            "/v1/sessions", params={"external_id": "seat-please"}
        ).json()["data"]
        versions = console.api.get(f"/v1/sessions/{session['id']}/versions").json()
        numbers = {one["external_id"]: one["version"] for one in versions["data"]}
        page = visits.page("olga")

        page.goto(console.path(session["id"], "versions", session["version"]))
        pane = page.locator("#version-pane")
        expect(pane).to_contain_text("1 item added to messages")
        expect(pane).to_contain_text("Booked.")
        expect(pane).to_contain_text("loop, step 5: messages")
        assert booked["approved"] is True

        # What the graph said is in its state alone.
        page.goto(console.path(session["id"], "conversation"))
        asked = page.get_by_role("article", name="Customer, message 1")
        expect(asked).to_contain_text("A seat, please")
        expect(page.get_by_role("article").last).to_contain_text("Booked.")
        asked.locator(".version-number").click()
        expect(page.locator("#version-pane")).to_contain_text("A seat, please")

        # The sub-graph is a session of its own: there, and back.
        page.get_by_text("1 child session").click()
        page.locator(".children a").click()
        expect(page.locator("#version-pane")).to_contain_text("checked")
        page.locator(".session-line a", has_text=session["id"]).click()
        expect(page.locator("#session-id")).to_have_text(session["id"])

        page.goto(console.path(session["id"], "versions", numbers[name]))
        page.get_by_role("link", name=f"Roll back to v{numbers[name]}…").click()
        expect(page.locator(".consequences")).to_contain_text("approved")
        page.get_by_label("Hold session").uncheck()
        page.get_by_role("button", name=f"Roll back to v{numbers[name]}").click()
        expect(page.locator(".toast")).to_contain_text("Rolled back")

        head = app.get_state(config)
        assert (head.values, head.next) == (past.values, ("approve",))
