"""Old states by meaning: switched on, asked by keyboard, read on a phone."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker
from tests.live import manage

expect.set_options(timeout=30_000)

PHONE = {"width": 390, "height": 844}
WIDTH = "document.documentElement.scrollWidth"


def test_a_version_is_found_by_what_it_means(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    # Other tests of this server have found flights as well.
    number = trip.patch({"berth": "lower"}, "Reserved a sleeper on the night train")
    page = visits.page("alice", viewport=PHONE)
    page.goto(trip.path())
    page.get_by_role("link", name="Sessions", exact=True).first.click()
    # Without these waits the key may go to the page that is being left.
    page.wait_for_url("**/sessions")
    page.get_by_role("link", name="By meaning").press("Enter")
    page.wait_for_url("**/meaning*")
    looker.look(page, "a project that searches nothing by meaning")
    page.get_by_role("button", name="Switch it on").press("Enter")
    expect(page.get_by_role("button", name="Switch it off")).to_be_visible()
    manage(trip.console.server.dsn, "embed")

    question = page.get_by_role("searchbox", name="What a version was made for")
    question.fill("a berth on an overnight train was booked")
    question.press("Enter")
    expect(page.get_by_role("row", name="Reserved a sleeper")).to_be_visible()
    assert page.evaluate(WIDTH) == PHONE["width"]
    looker.look(page, "old states that were found, on a phone")
    page.set_viewport_size({"width": 1440, "height": 900})
    looker.look(page, "old states that were found")
    page.get_by_role("link", name=f"{trip.id} v{number}").press("Enter")
    expect(page.locator("#version-title")).to_contain_text(f"v{number}")

    assert looker.found == {}
