"""Looking by eye with single keys: each answer is the next page's address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker, wider
from tests.browser.test_keys import says, told

expect.set_options(timeout=30_000)
GOES = "Approvals"


def asks(page: Page, number: int) -> None:
    expect(page.locator("h1")).to_have_text(f"Is v{number} right?")


def begun(visits: Visits, trip: Trip) -> Page:
    """Add v4 to v8, and begin between v0 and v8."""
    for n in range(5):
        trip.patch({"n": n}, "Counting")
    page = visits.page("olga")
    page.goto(trip.path("bisect?by=eye"))
    asks(page, 4)
    return page


def test_g_b_and_s_answer_and_lead_to_what_broke_it(visits: Visits, trip: Trip) -> None:
    page = begun(visits, trip)
    head = trip.head

    page.keyboard.press("b")
    asks(page, 2)
    page.keyboard.press("s")
    asks(page, 1)
    page.keyboard.press("g")
    asks(page, 3)
    expect(page).to_have_url(re.compile(r"tried=4b\.2s\.1g$"))
    page.keyboard.press("z")
    asks(page, 1)
    page.keyboard.press("g")
    asks(page, 3)
    page.keyboard.press("b")

    broke = "v3 broke it, or one before it that was not judged"
    expect(page.locator("h1")).to_contain_text(broke)
    assert trip.head == head
    page.go_back()
    asks(page, 3)


def test_the_answer_goes_before_what_the_keys_are_for_elsewhere(
    visits: Visits, trip: Trip
) -> None:
    page = begun(visits, trip)
    lines = told(page)

    assert says(lines, "the version is right, is wrong, cannot be judged")
    for words in ("blame of the change", "swap the sides", GOES):
        assert not says(lines, words), words
    # A change has the focus, of which `b` shows blame on other pages.
    page.keyboard.press("n")
    page.keyboard.press("b")

    asks(page, 2)


def test_where_all_is_answered_the_keys_are_what_they_are_elsewhere(
    visits: Visits, trip: Trip
) -> None:
    page = begun(visits, trip)
    page.goto(trip.path("bisect?by=eye&good=1&bad=2"))
    expect(page.locator("h1")).to_contain_text("v2 broke it first")
    lines = told(page)

    assert not says(lines, "cannot be judged")
    for words in ("blame of the change", "roll back", "fork from it", GOES):
        assert says(lines, words), words
    page.keyboard.press("n")
    page.keyboard.press("b")
    expect(page.locator("#blame")).to_contain_text("Who set")
    page.keyboard.press("r")

    expect(page.locator("h1")).to_have_text("Roll back to v1?")


def test_by_a_check_what_broke_it_is_a_key_away(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path("bisect"))
    page.get_by_label("It should hold that").fill("NOT state.destination=null")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("v2 broke it first")

    page.get_by_role("link", name="blame /destination").click()

    expect(page.locator("#blame")).to_contain_text("User cancelled the hotel")
    expect(page).to_have_url(re.compile("bisect"))
    page.get_by_role("link", name="Find others").click()
    expect(page).to_have_url(re.compile(r"sessions\?q=state\.destination%3Dnull$"))
    expect(page.locator(f'.title a[href*="{trip.id}"]')).to_have_count(1)


@pytest.mark.parametrize("width", [1440, 390])
def test_whoever_reads_it_in_another_way_can(
    visits: Visits, trip: Trip, looker: Looker, width: int
) -> None:
    page = begun(visits, trip)
    page.set_viewport_size({"width": width, "height": 900})
    pages = {
        "asked": "bisect?by=eye&tried=6s",
        "over": "bisect?by=eye&good=1&bad=2",
        "not certain": "bisect?by=eye&good=1&bad=3&tried=2s",
        "by a check": "bisect?check=NOT%20state.destination%3Dnull",
        "every version": "bisect?check=state.n%3C3&every=1",
        "nothing asked": "bisect",
    }
    for name, where in pages.items():
        page.goto(trip.path(where))
        looker.look(page, name)
        assert wider(page) == [], name

    assert looker.found == {}
