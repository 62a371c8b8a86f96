"""The conversation of a session: by keyboard, on a phone, nothing that axe finds."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker

expect.set_options(timeout=30_000)

CALL = {"name": "cancel_hotel", "arguments": {"id": "htl_204"}, "id": "c1"}
PHONE = {"width": 390, "height": 844}
WIDTH = "document.documentElement.scrollWidth"
IS_SEEN = """
(one) => {
  const box = one.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}
"""


def talked(trip: Trip) -> None:
    """Let the agent talk: about v3, then a turn that v5 sets aside, then once more."""
    said = [
        {
            "input": "Cancel the hotel",
            "output": {"content": "Done", "tool_calls": [CALL]},
        },
        {"input": "word " * 30_000, "output": "Gone", "state_after": {"step": "lost"}},
    ]
    api, at = trip.console.api, f"/v1/sessions/{trip.id}"
    for turn in said:
        api.post(f"{at}/turns", json=turn).raise_for_status()
    api.post(f"{at}/rollback", json={"version": 3}).raise_for_status()
    policy = [{"role": "system", "content": "Never promise. " * 40}]
    more = {"input": "שלום 👨‍👩‍👧‍👦", "output": "Bye", "messages": policy}
    api.post(f"{at}/turns", json=more).raise_for_status()


def test_a_version_leads_to_what_was_said_and_back(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    talked(trip)
    page = visits.page("carol")
    page.goto(trip.path("versions", 4))
    page.get_by_role("link", name="in the conversation").focus()
    page.keyboard.press("Enter")

    said = page.get_by_role("article", name="Customer, turn 2")
    expect(said).to_be_visible()
    assert said.evaluate(IS_SEEN)
    expect(said).to_contain_text("set aside by v5")
    expect(page.get_by_role("list").filter(has=said).first).to_be_visible()
    looker.look(page, "the conversation at a version")

    page.get_by_role("article", name="Agent, turn 1").locator("summary").focus()
    page.keyboard.press("Enter")
    said.get_by_role("link", name="Show all of Customer, turn 2").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="One message, whole")).to_be_visible()
    looker.look(page, "one message, whole")
    page.get_by_role("link", name="Back to the conversation").press("Enter")
    said.get_by_role("link", name="came with v4").press("Enter")
    expect(page.locator("#version-title")).to_contain_text("v4")

    assert looker.found == {}


def test_turns_that_were_summarised_open_by_keyboard(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    talked(trip)
    told = {"first_turn": 1, "last_turn": 3, "text": "They spoke of the hotel."}
    summaries = f"/v1/sessions/{trip.id}/summaries"
    trip.console.api.post(summaries, json=told).raise_for_status()
    page = visits.page("carol", viewport=PHONE)
    page.goto(trip.path("conversation"))

    summary = page.get_by_role("article", name="Summary of turns 1 to 3")
    expect(summary).to_contain_text("They spoke of the hotel.")
    said = page.get_by_role("article", name="Customer, turn 2")
    expect(said).to_be_hidden()
    summary.locator("summary", has_text="3 turns").focus()
    page.keyboard.press("Enter")
    expect(said).to_be_visible()
    assert page.evaluate(WIDTH) == PHONE["width"]
    looker.look(page, "turns that were folded, open")

    assert looker.found == {}


def test_it_is_read_on_a_phone_and_without_scripts(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    talked(trip)
    phone = visits.page("carol", viewport=PHONE)
    phone.goto(trip.path())
    phone.get_by_role("link", name="Conversation", exact=True).click()
    expect(phone.get_by_role("article", name="Agent, turn 1")).to_be_visible()
    looker.look(phone, "the conversation on a phone")
    assert phone.evaluate(WIDTH) == PHONE["width"]

    plain = visits.page("carol", viewport=PHONE, java_script_enabled=False)
    plain.goto(trip.path("conversation") + "?source=messages")
    policy = plain.get_by_role("article", name="System, message 1")
    expect(policy.locator(".message-text")).to_be_hidden()
    policy.locator("summary").click()
    expect(policy.locator(".message-text")).to_be_visible()
    plain.get_by_role("link", name="read the turns instead").click()
    expect(plain.get_by_role("article")).to_have_count(6)

    assert looker.found == {}
