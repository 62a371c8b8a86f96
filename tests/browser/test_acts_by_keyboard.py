"""Acts with the keyboard alone, Tab and Enter, with scripts and without them."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.live import work

expect.set_options(timeout=30_000)
FURTHEST = 200
FOCUSED = "one => one === document.activeElement"

pytestmark = pytest.mark.parametrize("scripts", [True, False], ids=["js", "no-js"])


def reach(page: Page, target: Locator) -> None:
    """Press Tab until it has the focus."""
    page.wait_for_load_state()
    expect(target).to_be_visible()
    for _ in range(FURTHEST):
        if target.evaluate(FOCUSED):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by the keyboard.")


def base(trip: Trip) -> str:
    return f"{trip.console.server.url}/console/{PROJECT}"


def test_a_rollback_and_its_undo(visits: Visits, trip: Trip, scripts: bool) -> None:
    page = visits.page("olga", java_script_enabled=scripts)
    page.goto(trip.path("versions", 1))

    reach(page, page.get_by_role("link", name="Roll back to v1…"))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Roll back to v1?")
    reach(page, page.get_by_role("button", name="Roll back to v1"))
    page.keyboard.press("Control+Enter" if scripts else "Enter")
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Rolled back to v1.")
    assert trip.head["op"] == "rollback"
    reach(page, toast.get_by_role("button", name="Undo"))
    page.keyboard.press("Enter")

    expect(page.locator(".toast")).to_contain_text("Undone")
    assert trip.head["undo_of"] == 4
    assert trip.state["step"] == "searching"


def test_a_fix_is_brought_back_through_a_conflict(
    visits: Visits, trip: Trip, scripts: bool
) -> None:
    api = trip.console.api
    made = api.post(f"/v1/sessions/{trip.id}/fork", json={"version": 1})
    fork = made.json()["id"]
    for session, step in ((fork, "fixed"), (trip.id, "wrong")):
        said = {"state": {"step": step}}
        api.patch(f"/v1/sessions/{session}/state", json=said)
    page = visits.page("olga", java_script_enabled=scripts)
    page.goto(f"{base(trip)}/sessions/{fork}")

    reach(page, page.get_by_role("link", name="Bring this fix back…"))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Bring in what the fork's v1 has made?")
    there = page.get_by_role("radio", name="/step: there")
    if scripts:
        page.keyboard.press("n")
        expect(page.locator("[data-conflict]")).to_be_focused()
        page.keyboard.press("2")
        expect(there).to_be_checked()
        page.keyboard.press("u")
    else:
        reach(page, page.get_by_role("radio", name="/step: before"))
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("radio", name="/step: there")).to_be_checked()
        reach(page, page.get_by_role("button", name="Show the result"))
        page.keyboard.press("Enter")
    confirm = page.get_by_role("button", name="Bring it in")
    expect(confirm).to_be_visible()
    reach(page, confirm)
    page.keyboard.press("Control+Enter" if scripts else "Enter")

    expect(page.locator(".toast")).to_contain_text("What the fork had made")
    assert trip.head["op"] == "promote"
    assert trip.state["step"] == "fixed"


def test_an_alert_is_taken_on(visits: Visits, trip: Trip, scripts: bool) -> None:
    trip.console.api.post(f"/v1/sessions/{trip.id}/rollback", json={"version": 1})
    server = trip.console.server
    said = {"name": f"Any, {trip.id}", "threshold": 0.001, "minimum_sample": 1}
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        made = admin.post("/v1/alerts", json=said | {"for_minutes": 0}).json()
    work(server.dsn)
    page = visits.page("olga", java_script_enabled=scripts)
    page.goto(f"{base(trip)}/alerts/{made['id']}")

    reach(page, page.get_by_label("Owner"))
    page.keyboard.type("carol")
    reach(page, page.get_by_role("button", name="Acknowledge"))
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_contain_text("carol has it.")
    expect(page.get_by_role("button", name="Hand over")).to_be_visible()


def test_two_sessions_are_compared(
    visits: Visits, trip: Trip, make_trip: Callable[..., Trip], scripts: bool
) -> None:
    other = make_trip({"destination": "LON"})
    page = visits.page("carol", java_script_enabled=scripts)
    page.goto(trip.path("versions", 1))

    reach(page, page.get_by_role("link", name="compare with another session"))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Compare with which session?")
    reach(page, page.locator(f'.picks-list a[href*="{other.id}"]'))
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(rf"/compare\?.*{other.id}"))
    expect(page.locator("main")).to_contain_text("LON")


def test_what_states_say_is_mapped(visits: Visits, trip: Trip, scripts: bool) -> None:
    agents = trip.console.api.get("/v1/agents").json()["data"]
    agent = next(one["id"] for one in agents if one["external_id"] == "travel-agent")
    page = visits.page("alice", java_script_enabled=scripts)
    page.goto(f"{base(trip)}/agents/{agent}/mapping")

    reach(page, page.get_by_label("Title"))
    page.keyboard.press("Control+a")
    page.keyboard.type("/destination")
    reach(page, page.get_by_role("button", name="Try it on recent sessions"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What this would give")).to_be_visible()
    reach(page, page.get_by_label("Title"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    reach(page, page.get_by_role("button", name="Keep it"))
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(rf"/agents/{agent}$"))
    expect(page.get_by_role("status").first).to_be_visible()
