"""The story of a session that lost its destination: read, step back, undo, fork.

With the mouse, with the keyboard alone, and its reading part without JavaScript.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.live import manage

expect.set_options(timeout=30_000)


def test_with_the_mouse(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path())

    # Read: what changed, and who set it.
    page.click("#v2 .version-number")
    pane = page.locator("#version-pane")
    expect(pane.locator("h2")).to_contain_text("v2")
    expect(page).to_have_url(re.compile(r"/versions/2"))
    expect(pane.locator(".changes")).to_contain_text("/destination")
    pane.get_by_role("link", name="blame /destination").click()
    expect(page.locator("#blame")).to_contain_text("User cancelled the hotel")

    # Preview and step back, with the agent held.
    page.click("#v1 .version-number")
    page.get_by_role("link", name="Roll back to v1…").click()
    expect(page.locator(".consequences")).to_contain_text("destination set to NYC")
    expect(page.locator(".consequences")).to_contain_text("2 versions, 0 turns")
    expect(page.get_by_label("Hold session")).to_be_checked()
    page.get_by_label("The state is wrong").check()
    page.get_by_label("In words").fill("destination lost")
    page.get_by_role("button", name="Roll back to v1").click()
    expect(page.locator(".toast")).to_contain_text("Rolled back to v1.")
    expect(page.get_by_role("region", name="This session is held")).to_contain_text(
        "This session is held"
    )
    assert trip.state["destination"] == "NYC"
    assert trip.head["reason_code"] == "wrong_state"
    refused = trip.console.api.patch(
        f"/v1/sessions/{trip.id}/state", json={"state": {"step": "no"}}
    )
    assert refused.status_code == 423

    # Undo, resume.
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone")
    assert trip.head["undo_of"] == 4
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("region", name="This session is held")).to_have_count(0)
    assert trip.head["op"] == "resume"

    # Fork with an edit, compare with the original.
    page.goto(trip.path("versions", 2))
    page.get_by_role("link", name="Fork with edits…").click()
    editor = page.get_by_label("State (JSON)")
    editor.fill('{"destination": ROM}')
    page.get_by_role("button", name="Create the fork").click()
    expect(page.locator("#fault")).to_contain_text("Line 1, column")
    expect(editor).to_have_value('{"destination": ROM}')
    editor.fill('{"destination": "ROM"}')
    page.get_by_role("button", name="Create the fork").click()
    expect(page.locator(".toast")).to_contain_text("This is the fork of v2")
    expect(page.locator("main")).to_contain_text(f"{trip.id} v2")
    page.get_by_role("link", name="compare with it").click()
    expect(page.locator(".changes")).to_contain_text("/destination")
    expect(page.locator("main")).to_contain_text("They share all up to")


def test_with_the_keyboard_alone(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path())
    pane = page.locator("#version-pane h2")

    page.keyboard.press("j")
    expect(page.locator("#v3 .version-number")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#v2 .version-number")).to_be_focused()
    page.keyboard.press("Enter")
    expect(pane).to_contain_text("v2")
    expect(page.locator("#v2")).to_have_class(re.compile("is-selected"))
    page.keyboard.press("n")
    expect(page.locator("#c1")).to_be_focused()
    page.keyboard.press("b")
    expect(page.locator("#blame")).to_contain_text("User cancelled the hotel")
    page.keyboard.press("[")
    expect(pane).to_contain_text("v1")
    page.keyboard.press("]")
    expect(pane).to_contain_text("v2")
    page.keyboard.press("[")
    expect(pane).to_contain_text("v1")

    page.keyboard.press("r")
    expect(page.get_by_label("In words")).to_be_focused()
    page.keyboard.type("destination lost")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Rolled back to v1.")
    assert trip.head["reasoning"] == "destination lost"
    assert trip.state["destination"] == "NYC"

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.get_by_label("Single keys do this").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("f")
    page.wait_for_timeout(200)
    expect(page).to_have_url(re.compile(trip.id))
    page.keyboard.press("?")
    page.get_by_label("Single keys do this").check()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile(r"/versions/4/fork$"))
    expect(page.locator("h1")).to_contain_text("Fork v4 with edits")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("This is the fork of v4")


def test_hold_and_undo_have_keys(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path("versions", 1))
    page.keyboard.press("r")
    expect(page.get_by_label("In words")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("Rolled back to v1.")

    page.keyboard.press("z")
    expect(page.locator(".toast")).to_contain_text("undone", ignore_case=True)
    assert trip.state["destination"] is None

    # It was written to just now, so the preview had recommended to hold it.
    held = page.get_by_role("region", name="This session is held")
    expect(held).to_be_visible()
    page.keyboard.press("h")
    expect(held).to_have_count(0)
    page.keyboard.press("h")
    expect(page.locator("#id_hold_reason")).to_be_focused()
    page.keyboard.press("Enter")
    expect(held).to_have_count(0)
    page.keyboard.type("It loops")
    page.keyboard.press("Enter")
    expect(held).to_contain_text("Held by olga")
    expect(held).to_contain_text("It loops")


@pytest.mark.parametrize("has_javascript", [True, False])
def test_enter_alone_never_confirms(
    visits: Visits, trip: Trip, has_javascript: bool
) -> None:
    page = visits.page("olga", java_script_enabled=has_javascript)
    page.goto(trip.path("versions", 1, "rollback"))
    preview = page.url
    if has_javascript:
        page.keyboard.press("Enter")
        expect(page.get_by_label("In words")).to_have_value("\n")

    page.get_by_label("The state is wrong").check()
    for field in ("The state is wrong", "Hold session", "In words"):
        page.get_by_label(field).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("The state is wrong")).to_be_checked()
    if has_javascript:
        page.get_by_role("button", name="Roll back to v1").focus()
        page.keyboard.press("Enter")

    page.wait_for_timeout(100)
    assert page.url.partition("?")[0] == preview
    assert trip.head["version"] == 3
    # The button itself does it, by the mouse and by the space bar.
    page.get_by_role("button", name="Roll back to v1").focus()
    page.keyboard.press("Space")
    expect(page.locator("#v4")).to_be_visible()
    assert trip.head["op"] == "rollback"


def test_what_is_typed_is_not_under_the_button(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga", viewport={"width": 1000, "height": 420})
    page.goto(trip.path("versions", 1, "rollback"))
    words, acts = page.get_by_label("In words"), page.locator(".confirm-acts")
    expect(words).to_be_focused()
    assert words.bounding_box()["y"] > acts.bounding_box()["y"], "it is seen already"

    page.keyboard.type("destination lost")

    box = words.bounding_box()
    assert box["y"] + 24 < acts.bounding_box()["y"]


def test_reload_and_back_after_a_conflict_do_nothing_again(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.goto(trip.path())
    page.goto(trip.path("versions", 1, "rollback"))
    page.get_by_label("In words").fill("typed with care")
    trip.patch({"step": "meanwhile"})
    page.get_by_role("button", name="Roll back to v1").click()
    notice = page.locator("[role=alert]")
    expect(notice).to_contain_text("its head is v4 now")

    trip.patch({"step": "again"})
    page.reload()

    expect(notice).to_contain_text("its head is v5 now")
    expect(page.get_by_label("In words")).to_have_value("typed with care")
    page.go_back()
    expect(page.locator("h1")).to_contain_text("Roll back to v1?")
    expect(page.locator(".from-box")).to_contain_text("v5")
    expect(notice).to_have_count(0)
    page.go_forward()
    expect(notice).to_contain_text("Nothing was done.")
    assert trip.head["version"] == 5
    page.get_by_role("button", name="Roll back to v1").click()
    expect(page.locator(".toast")).to_contain_text("Rolled back to v1.")
    assert trip.head["reasoning"] == "typed with care"


def test_reload_after_an_act_that_was_refused_says_it_again(
    visits: Visits, trip: Trip
) -> None:
    page, theirs = visits.page("olga"), visits.page("olga")
    page.goto(trip.path())
    theirs.goto(trip.path())
    for one in (theirs, page):
        one.get_by_role("button", name="Hold session…").click()
        one.get_by_role("textbox", name="Why").fill("It loops")
    theirs.get_by_role("button", name="Hold session", exact=True).click()
    expect(theirs.locator(".toast")).to_contain_text("Held")

    page.get_by_role("button", name="Hold session", exact=True).click()
    expect(page.locator("[role=alert]")).to_contain_text("paused already")
    page.reload()
    expect(page.locator("[role=alert]")).to_contain_text("paused already")
    page.go_back()

    expect(page.get_by_role("region", name="This session is held")).to_contain_text(
        "This session is held"
    )
    assert trip.head["version"] == 4


def test_reading_needs_no_javascript(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol", java_script_enabled=False)
    page.goto(trip.path())
    expect(page.locator("#v2 .words")).to_contain_text("destination lost")

    page.click("#v2 .version-number")
    expect(page.locator("#version-pane h2")).to_contain_text("v2")
    page.get_by_role("link", name="blame /destination").click()
    expect(page.locator(".blame")).to_contain_text("User cancelled the hotel")
    page.go_back()
    page.get_by_role("link", name="State", exact=True).click()
    expect(page.locator(".tree")).to_contain_text("destination")
    page.get_by_label("Find in the state").fill("UA1")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".hits")).to_contain_text("/flight/id")
    page.get_by_label("Version or time (UTC)").fill("v0")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.locator("#version-pane h2")).to_contain_text("v0")
    for hidden in ("#scrubber", "#live-toggle", "[data-copies]"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert page.get_by_role("link", name="Roll back to").count() == 0


def test_a_long_preview_opens_at_its_beginning(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga", viewport={"width": 1000, "height": 320})

    page.goto(trip.path("versions", 1, "rollback"))

    expect(page.get_by_label("In words")).to_be_focused()
    button = page.get_by_role("button", name="Roll back to v1")
    expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight")


def test_a_stale_preview_does_nothing(visits: Visits, trip: Trip) -> None:
    mine, theirs = visits.page("olga"), visits.page("olga")
    mine.goto(trip.path("versions", 1, "rollback"))
    theirs.goto(trip.path("versions", 0, "rollback"))
    theirs.get_by_role("button", name="Roll back to v0").click()
    expect(theirs.locator(".toast")).to_contain_text("Rolled back to v0.")

    mine.get_by_role("button", name="Roll back to v1").click()

    expect(mine.locator("[role=alert]")).to_contain_text("Nothing was done.")
    expect(mine.locator("[role=alert]")).to_contain_text("rollback to v0")
    assert trip.head["version"] == 4
    mine.get_by_role("button", name="Roll back to v1").click()
    expect(mine.locator(".toast")).to_contain_text("Rolled back to v1.")
    assert trip.head["version"] == 5


def test_a_session_that_grows_is_followed_without_moving(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("carol")
    page.goto(trip.path())
    expect(page.locator("#live-news")).to_contain_text("following")
    before = page.locator(".entry").count()

    trip.patch({"step": "booked"})

    pill = page.locator("#live-news .pill")
    expect(pill).to_contain_text("1 new version")
    assert page.locator(".entry").count() == before
    pill.click()
    expect(page.locator("#v4")).to_be_visible()
    page.get_by_role("button", name="Stop following").click()
    expect(page.locator("#live-news")).to_contain_text("not following")


def test_a_lost_connection_is_told(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(trip.path())
    expect(page.locator("#live-news")).to_contain_text("following")

    page.route("**/live?*", lambda route: route.abort())

    expect(page.locator("#live-news")).to_contain_text("connection lost")
    page.unroute("**/live?*")
    expect(page.locator("#live-news")).to_contain_text("following")
    visits.complaints[:] = [one for one in visits.complaints if "ERR_FAILED" not in one]


def test_back_keeps_filter_and_selection(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(trip.path())
    page.locator(".filter summary").click()
    page.get_by_role("textbox", name="Path touched").fill("destination")
    page.locator(".filter").get_by_role("button", name="Filter").click()
    expect(page.locator("#v3")).to_have_count(0)
    page.click("#v2 .version-number")
    expect(page.locator("#version-pane h2")).to_contain_text("v2")
    page.click("#v0 .version-number")
    expect(page.locator("#version-pane h2")).to_contain_text("v0")

    page.go_back()

    expect(page.locator("#version-pane h2")).to_contain_text("v2")
    expect(page.locator("#v2")).to_have_class(re.compile("is-selected"))
    expect(page.locator("#v3")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Path touched")).to_have_value(
        "/destination"
    )


def test_old_stands_before_new_also_from_right_to_left(
    visits: Visits, make_trip: Callable[[dict[str, Any]], Trip]
) -> None:
    trip = make_trip({"שם": "שש"})
    trip.patch({"שם": "גג"})
    page = visits.page("olga")

    for where in (
        trip.path("versions", 1),
        trip.path("versions", 1, "blame?pointer=/שם"),
    ):
        page.goto(where)
        old, new = (
            page.locator(f"{one}:has-text({text!r})").first.bounding_box()
            for one, text in (("del", "שש"), ("ins", "גג"))
        )
        assert old
        assert new
        assert old["x"] + old["width"] < new["x"], where
    # The words of the timeline, which have no elements of their own.
    page.goto(trip.path())
    places = page.locator("#v1 .words").evaluate(
        """(words) => ["שש", "גג"].map((text) => {
            const node = words.firstChild;
            const range = document.createRange();
            const at = node.textContent.indexOf(text);
            range.setStart(node, at);
            range.setEnd(node, at + text.length);
            return range.getBoundingClientRect().x;
        })"""
    )
    assert places[0] < places[1]


def test_a_sign_in_link_leads_to_the_page_that_was_asked_for(
    visits: Visits, trip: Trip
) -> None:
    page = visits.strangers_page()
    page.goto(trip.path("versions", 2))
    expect(page.get_by_label("User name")).to_be_visible()
    server = trip.console.server
    about = ["--project", PROJECT, "--user", "carol", "--base-url", server.url]
    printed = manage(server.dsn, "signin_link", *about)

    page.goto(next(word for word in printed.split() if "/signin/" in word))
    page.get_by_role("button", name="Sign in").click()

    expect(page.locator("#version-pane h2")).to_contain_text("v2")
    assert page.url == trip.path("versions", 2)


def test_reviewing_known_good_and_the_life_line_have_keys(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.goto(trip.path("versions", 1))

    page.keyboard.press("m")
    page.wait_for_selector(".version-head .badge.good")
    page.keyboard.press("i")
    told = page.locator("#life-told")
    assert told.inner_text().startswith("v1, update: ")
    page.keyboard.press("Tab")
    assert told.inner_text().startswith("v2, update: destination lost")

    page.keyboard.press("e")
    expect(page.locator("[name=outcome]:focus")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("The hotel was lost")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.get_by_text("Reviewed: failed.").wait_for()
    line = page.locator(".session-line").inner_text()
    assert "failed reviewed by olga" in line
    assert "The hotel was lost" in line
