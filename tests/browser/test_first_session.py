"""The first minutes: an empty project, a key, a pasted snippet, the first session."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from playwright.sync_api import Page, expect

from stepback import Stepback
from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker
from tests.browser.test_account import invitation, register
from tests.commands import ROOT

expect.set_options(timeout=30_000)
CLIENTS = ("first-statebase", "first-stepback", "first-langgraph")


def test_each_way_to_a_first_session_works_as_it_is_pasted(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    project = f"empty-{trip.id[-6:]}"
    page = visits.strangers_page()
    register(page, invitation(trip, project), f"frida-{trip.id[-6:]}")
    page.goto(f"{trip.console.server.url}/console/{project}")
    expect(
        page.get_by_text("There are no sessions in this project yet")
    ).to_be_visible()
    looker.look(page, "a project that is empty")

    page.get_by_role("button", name="Make a key and fill it in").click()
    expect(page.locator("h1")).to_have_text("Your new key: first agent")
    run(["bash", "-c", snippet(page, "first-curl")])

    expect(page.get_by_text("The first session is here:")).to_be_visible()
    for name in CLIENTS:
        run([sys.executable, "-c", snippet(page, name)])
    check_mcp(snippet(page, "first-mcp"))
    page.get_by_role("link", name="Open ").click()
    page.wait_for_url("**/sessions/sess_*")
    expect(page.get_by_text("travel-agent").first).to_be_visible()
    page.goto(f"{trip.console.server.url}/console/{project}/sessions")
    # One of curl and of each client.
    expect(page.locator(".sessions tbody th")).to_have_count(1 + len(CLIENTS))
    assert looker.found == {}


def test_without_javascript_it_is_looked_for_by_hand(
    visits: Visits, trip: Trip
) -> None:
    project = f"quiet-{trip.id[-6:]}"
    page = visits.strangers_page(java_script_enabled=False)
    register(page, invitation(trip, project), f"gina-{trip.id[-6:]}")
    page.goto(f"{trip.console.server.url}/console/{project}")
    expect(page.locator("#first-curl")).to_be_visible()
    page.get_by_role("button", name="Make a key and fill it in").click()
    run(["bash", "-c", snippet(page, "first-curl")])

    page.goto(f"{trip.console.server.url}/console/{project}")

    expect(page.locator("h1")).to_have_text("Nothing needs you.")


def snippet(page: Page, name: str) -> str:
    return page.locator(f"#{name}").text_content() or ""


def run(command: list[str]) -> None:
    """Run what was pasted, in an environment without a key of its own."""
    own = {name: at for name, at in os.environ.items() if "STEPBACK" not in name}
    own["PYTHONPATH"] = str(ROOT / "clients" / "python" / "src")
    done = subprocess.run(
        command, env=own, cwd="/", capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout


def check_mcp(pasted: str) -> None:
    """The host would start the server with these settings: they reach the project."""
    (server,) = json.loads(pasted)["mcpServers"].values()
    assert server["command"] == "stepback-mcp"
    told = server["env"]
    with Stepback(
        base_url=told["STEPBACK_URL"], api_key=told["STEPBACK_API_KEY"]
    ) as sb:
        assert sb.sessions.list().data
