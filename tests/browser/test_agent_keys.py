"""An agent's keys in a browser: worked through with single keys."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Trip, Visits

expect.set_options(timeout=30_000)


def test_keys_are_filtered_walked_through_and_opened(
    visits: Visits, trip: Trip
) -> None:
    api = trip.console.api
    suffix = trip.id[-6:]
    agent = "/v1/agents/travel-agent/data"
    for name in ("a", "b", "c"):
        api.post(agent, json={"key": f"{suffix}:{name}", "value": name})
    page = visits.page("carol")
    agents = {
        one["external_id"]: one["id"] for one in api.get("/v1/agents").json()["data"]
    }
    found = agents["travel-agent"]
    page.goto(f"{trip.console.server.url}/console/{PROJECT}/agents/{found}/data")
    links = page.locator(".listed tbody th a")

    page.keyboard.press("/")
    expect(page.get_by_label("Keys that begin with")).to_be_focused()
    page.keyboard.type(f"{suffix}:")
    page.keyboard.press("Enter")
    expect(links).to_have_count(3)
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("h")
    expect(page).to_have_url(
        f"{trip.console.server.url}/console/{PROJECT}/agents/{found}"
        f"/data/key?key={suffix}%3Ab#history"
    )
    page.go_back()
    page.keyboard.press("k")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text(f"{suffix}:a")
