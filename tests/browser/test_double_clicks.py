"""A form that is sent by a double click is sent once."""

from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.test_every_page import rule


def test_what_is_deleted_by_a_double_click_is_said_to_be(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("alice")
    page.goto(f"{trip.console.server.url}/console/{PROJECT}/alerts/{rule(trip)}")
    # The answer to the first may take its time: a second one came to be shown.
    page.route(
        "**/delete", lambda route: (page.wait_for_timeout(300), route.continue_())
    )
    sent = []
    page.on("request", lambda one: sent.append(one) if one.method == "POST" else None)

    page.locator("summary", has_text="Delete").click()
    page.locator("form[action$='/delete'] button").dblclick()

    expect(page.locator("h1")).to_contain_text("rule")
    expect(page.locator("main")).not_to_contain_text("no such alert rule")
    assert len(sent) == 1
