"""What pages say stays true where 10,000 acts came after it."""

import re

from playwright.sync_api import Page, expect

from tests.browser.busy_project import BusyProject
from tests.browser.conftest import Visits

expect.set_options(timeout=30_000)


def searched(page: Page, text: str) -> None:
    page.get_by_role("searchbox", name="Search sessions").fill(text)
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator("#found .chips")).to_contain_text(text)


def test_the_preview_lists_the_call_made_before_the_state_was_stored(
    visits: Visits, busy: BusyProject
) -> None:
    page = visits.page("olga")

    page.goto(busy.path("sessions", busy.trip, "versions", 2, "rollback"))
    told = page.locator(".consequences")
    expect(told).to_contain_text("1 tool call since v2")
    expect(told).to_contain_text("charge_card")
    expect(told).to_contain_text("may already be part of v2")
    expect(told).not_to_contain_text("No tool call")

    page.goto(busy.path("sessions", busy.trip, "versions", 1, "rollback"))
    expect(told).to_contain_text("1 tool call since v1")
    expect(told).not_to_contain_text("may already be part")

    page.goto(busy.path("sessions", busy.fork, "versions", 0, "rollback"))
    expect(told).to_contain_text("1 tool call since v0")
    told.get_by_role("link", name="v2").click()
    expect(page).to_have_url(re.compile(f"{busy.trip}/versions/2"))


def test_a_rollback_says_that_it_was_verified(
    visits: Visits, busy: BusyProject
) -> None:
    page = visits.page("olga")
    page.goto(busy.path("sessions", busy.fork, "versions", 0, "rollback"))

    page.get_by_role("button", name="Roll back to v0").click()

    expect(page.locator(".toast")).to_contain_text("Rolled back to v0. Verified:")


def test_an_id_is_found_and_the_result_says_as_what(
    visits: Visits, busy: BusyProject
) -> None:
    page = visits.page("carol")
    page.goto(busy.path("sessions?q="))

    for typed, said in {
        "cust_3084": "user cust_3084",
        "cust_30": "user cust_3084",
        "travel-agent": "agent travel-agent",
        "trav": "agent travel-agent",
        "booking-TRV-48213": "external id booking-TRV-48213",
        "booking": "external id booking-TRV-48213",
    }.items():
        searched(page, typed)
        found = page.locator("#found")
        expect(found.locator(".why").last).to_contain_text(said)
        expect(found.locator(f'th a[title="{busy.trip}"]')).to_be_visible()
        expect(found).not_to_contain_text("busy-0")


def test_an_unknown_id_says_how_far_was_looked(
    visits: Visits, busy: BusyProject
) -> None:
    page = visits.page("carol")
    page.goto(busy.path("sessions?q="))

    searched(page, "cust_9999")

    expect(page.locator("#found")).to_contain_text("No session matches this search")
    expect(page.locator("#found")).to_contain_text("looked for in live sessions")
