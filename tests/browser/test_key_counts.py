"""How few keys lead from an open session to what matters: counted, not believed."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Trip, Visits

expect.set_options(timeout=30_000)

TO_PREVIEW, TO_UNDO = 6, 2


@dataclass
class Keys:
    """A keyboard that counts what is pressed; keys held together are one."""

    page: Page
    n: int = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.n += 1


@pytest.fixture
def rolled_back(visits: Visits, trip: Trip) -> Page:
    """The session's page after its rollback to v1, with the toast that says so."""
    page = visits.page("olga")
    page.goto(trip.path("versions", 1, "rollback"))
    page.get_by_label("Hold session").uncheck()
    page.get_by_role("button", name="Roll back to v1").click()
    expect(page.locator(".toast")).to_contain_text("Rolled back to v1.")
    return page


def test_the_preview_before_what_looks_wrong_is_near(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.goto(trip.path())
    keys = Keys(page)

    keys.press("r")

    expect(page.locator("h1")).to_contain_text("Roll back to v1?")
    assert keys.n <= TO_PREVIEW


def test_the_preview_of_a_version_in_sight_is_near(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path())
    keys = Keys(page)

    keys.press("j", "j", "j", "j")
    expect(page.locator("#v0 .version-number")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("#version-pane h2")).to_contain_text("v0")
    keys.press("r")

    expect(page.locator("h1")).to_contain_text("Roll back to v0?")
    assert keys.n <= TO_PREVIEW


def test_the_preview_of_any_of_hundreds_of_versions_is_near(
    visits: Visits, trip: Trip
) -> None:
    for n in range(100):
        trip.patch({"n": n})
    page = visits.page("olga")
    page.goto(trip.path())
    keys = Keys(page)

    keys.press("v", "1", "0", "2", "Enter")
    expect(page).to_have_url(re.compile(r"/versions/102"))
    expect(page.locator("#version-pane h2")).to_contain_text("v102")
    keys.press("r")

    expect(page.locator("h1")).to_contain_text("Roll back to v102?")
    assert keys.n <= TO_PREVIEW


def test_the_preview_of_any_of_thousands_of_versions_is_near(
    visits: Visits, trip: Trip
) -> None:
    states = [{"state": {"n": n}} for n in range(100)]
    for _ in range(11):
        made = trip.console.api.post(
            f"/v1/sessions/{trip.id}/versions", json={"versions": states}
        )
        assert made.status_code == 201, made.text
    page = visits.page("olga")
    page.goto(trip.path())
    keys = Keys(page)

    keys.press("1", "0", "2", "4", "r")

    expect(page.locator("h1")).to_contain_text("Roll back to v1024?")
    assert keys.n <= TO_PREVIEW
    # A viewer types it too: what follows is a version, and no preview.
    theirs = visits.page("carol")
    theirs.goto(trip.path())
    Keys(theirs).press("1", "0", "2", "4", "r")
    assert theirs.url == trip.path()
    expect(theirs.locator("#id_go")).to_have_value("1024r")


def test_undo_is_one_key_where_the_rollback_is_told(
    rolled_back: Page, trip: Trip
) -> None:
    keys = Keys(rolled_back)

    keys.press("z")

    expect(rolled_back.locator(".toast")).to_contain_text("Undone")
    assert trip.head["undo_of"] == 4
    assert keys.n < TO_UNDO


def test_undo_is_two_keys_from_the_session_whenever_it_is_opened(
    rolled_back: Page, visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.goto(trip.path())
    keys = Keys(page)

    keys.press("z")
    expect(page.locator("h1")).to_contain_text("Undo rollback v4")
    expect(page.get_by_label("In words")).to_be_focused()
    keys.press("Control+Enter")

    expect(page.locator(".toast")).to_contain_text("Rolled back to v3.")
    assert trip.head["undo_of"] == 4
    assert keys.n <= TO_UNDO


def test_what_was_done_is_said_at_the_bottom_for_ten_seconds(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.clock.install()
    page.goto(trip.path("versions", 1, "rollback"))
    page.get_by_role("button", name="Roll back to v1").click()
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Rolled back to v1.")
    place = toast.bounding_box()
    assert place is not None
    assert place["x"] < 40
    assert place["y"] + place["height"] > 900 / 2
    toast.get_by_role("button", name="Undo").focus()

    page.clock.run_for(30_000)
    expect(toast).to_be_visible()
    page.locator("h1").evaluate("one => document.activeElement.blur()")
    page.mouse.move(700, 10)
    page.clock.run_for(10_500)

    expect(toast).to_have_count(0)
    # The way back stays.
    expect(page.get_by_role("link", name="Undo…")).to_be_visible()


def test_without_javascript_it_is_a_notice_that_stays(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga", java_script_enabled=False)
    page.goto(trip.path("versions", 1, "rollback"))
    page.get_by_role("button", name="Roll back to v1").click()
    toast = page.locator(".toast")

    assert toast.evaluate("one => getComputedStyle(one).position") == "static"
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone")
