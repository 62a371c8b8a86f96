"""What every page has: theme and times at choice, the palette, keys in lists."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.looking import violations

expect.set_options(timeout=30_000)

GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 21, 26)"


def base(trip: Trip) -> str:
    return f"{trip.console.server.url}/console/{PROJECT}"


def choose(page: Page, label: str) -> None:
    page.locator("#display summary").click()
    page.locator("#display").get_by_label(label, exact=True).check()
    page.keyboard.press("Escape")


def test_a_theme_is_chosen_once_for_all_pages(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol", color_scheme="light")
    page.goto(base(trip))
    assert page.evaluate(GROUND) == LIGHT

    choose(page, "Dark")
    assert page.evaluate(GROUND) == DARK
    for where in (f"{base(trip)}/agents", trip.path("versions", 1)):
        page.goto(where)
        assert page.evaluate(GROUND) == DARK
        expect(page.locator("#display").get_by_label("Dark")).to_be_checked()
    choose(page, "As the system")
    assert page.evaluate(GROUND) == LIGHT


def test_a_page_is_never_painted_in_the_other_theme(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol", color_scheme="light")
    page.goto(base(trip))
    choose(page, "Dark")

    # What the theme is when the body begins, long before scripts that wait for it.
    page.add_init_script(
        """new MutationObserver(() => {
          if (document.body && !window.first) {
            window.first = document.documentElement.dataset.theme ?? "none";
          }
        }).observe(document, { childList: true, subtree: true })"""
    )
    page.goto(f"{base(trip)}/audit")

    assert page.evaluate("window.first") == "dark"


def test_times_are_local_at_choice(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol", timezone_id="Asia/Tokyo", locale="en-GB")
    page.goto(trip.path("versions", 1))
    exact = page.locator(".when .exact")
    expect(exact).to_have_text(re.compile(r"^20\d\d-\d\d-\d\d .* UTC$"))
    utc = exact.inner_text()

    choose(page, "Local")
    expect(exact).to_have_text(re.compile(r" local$"))
    hours = int(re.findall(r"(\d\d):\d\d:\d\d", exact.inner_text())[0])
    assert hours == (int(utc[11:13]) + 9) % 24
    # What is typed is of the zone that is read.
    page.get_by_label("Version or time (local)").fill("2020-01-01 09:00")
    with page.expect_request(re.compile(r"/jump\?")) as asked:
        page.get_by_role("button", name="Go", exact=True).click()
    assert "go=2020-01-01T00%3A00%3A00.000Z" in asked.value.url
    expect(page).to_have_url(re.compile(r"/versions/0"))
    page.goto(f"{base(trip)}/sessions?q=")
    moment = page.locator(".sessions time").first
    expect(moment).to_have_attribute("title", re.compile(r" local \(.* UTC\)$"))

    choose(page, "UTC")
    expect(moment).to_have_attribute("title", re.compile(r" UTC \(.* local\)$"))


def test_without_javascript_it_is_the_systems_theme_and_utc(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("carol", java_script_enabled=False, color_scheme="dark")
    page.goto(trip.path("versions", 1))

    expect(page.locator("#display")).to_be_hidden()
    expect(page.locator(".when .exact")).to_have_text(re.compile(r" UTC$"))


def test_the_palette_goes_to_pages_versions_and_ids(visits: Visits, trip: Trip) -> None:
    page = visits.page("alice")
    page.goto(trip.path())

    page.keyboard.press("Control+k")
    expect(page.locator("#palette-text")).to_be_focused()
    page.keyboard.type("v2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(trip.path("versions", 2))

    page.keyboard.press("Control+k")
    page.keyboard.type("aud")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{base(trip)}/audit")

    page.keyboard.press("Control+k")
    page.keyboard.type(trip.id)
    page.keyboard.press("Enter")
    expect(page).to_have_url(trip.path())

    page.keyboard.press("Control+k")
    page.keyboard.type("a")
    links = page.locator("#palette li:not([hidden]) :is(a, button)")
    names = [name.strip() for name in links.all_inner_texts()]
    for _ in range(names.index("Agents") + 1):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Agents").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{base(trip)}/agents")


def test_the_palette_does_what_the_open_page_offers(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path("versions", 1))

    page.keyboard.press("Control+k")
    offered = page.locator("#palette-acts button")
    expect(offered.filter(has_text="Roll back to v1")).to_be_visible()
    expect(offered.filter(has_text="Hold session")).to_be_visible()
    expect(offered.filter(has_text="blame")).to_have_count(0)
    page.keyboard.type("roll back to v1")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Roll back to v1?")

    # A viewer is offered no act, and both pages that were missing.
    theirs = visits.page("carol")
    theirs.goto(trip.path("versions", 1))
    theirs.keyboard.press("Control+k")
    expect(theirs.locator("#palette-acts")).not_to_contain_text("Roll back")
    theirs.keyboard.type("compar")
    theirs.keyboard.press("Enter")
    expect(theirs).to_have_url(re.compile(r"/compare$"))


def test_two_keys_lead_to_any_page_and_the_list_tells_them(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("alice")
    page.goto(f"{base(trip)}/agents")

    page.keyboard.press("?")
    told = page.locator("#keys")
    expect(told).to_contain_text("Metrics")
    page.keyboard.press("Escape")
    for key, where in (("m", "metrics"), ("u", "audit"), ("s", "sessions")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(f"{base(trip)}/{where}")
    # What is typed into a field leads nowhere.
    page.locator("#find").press_sequentially("gm")
    expect(page).to_have_url(f"{base(trip)}/sessions")


def test_escape_closes_the_palette_and_gives_the_focus_back(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("carol")
    page.goto(trip.path())
    page.locator("#v1 .version-number").focus()

    page.keyboard.press("Control+k")
    page.keyboard.type("v999")
    expect(page.locator("#palette-version")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")

    expect(page.locator("#palette")).to_be_hidden()
    expect(page.locator("#v1 .version-number")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_palette_and_menu(
    visits: Visits, trip: Trip, scheme: str
) -> None:
    page = visits.page("alice")
    page.goto(trip.path())
    choose(page, scheme.title())

    page.keyboard.press("Control+k")
    page.keyboard.type("a")
    opened = violations(page)
    page.locator("#palette").evaluate("one => one.close()")
    page.locator("#display summary").click()
    menu = violations(page)

    assert [one["id"] for one in [*opened, *menu]] == []


def test_j_and_k_move_through_the_list_of_sessions(
    visits: Visits, trip: Trip, make_trip
) -> None:
    newer = make_trip({"n": 1})
    page = visits.page("carol")
    page.goto(f"{base(trip)}/sessions?q=age%3C1d")
    links = page.locator(".sessions tbody th a")

    page.keyboard.press("j")
    expect(links.nth(0)).to_be_focused()
    assert newer.id in (links.nth(0).get_attribute("href") or "")
    page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")

    # With the list that it was opened from.
    expect(page).to_have_url(re.compile(rf"{re.escape(newer.path())}\?list="))


def test_the_slider_keeps_the_filter_and_the_tab(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(trip.path("versions", "2?op=update&tab=state"))

    page.get_by_text("Sizes of all versions").click()
    page.locator("#scrub").focus()
    page.keyboard.press("ArrowLeft")

    expect(page).to_have_url(trip.path("versions", "1?op=update&tab=state"))
    expect(page.locator("#version-title")).to_contain_text("v1")
    current = page.locator('#version-pane .tabs [aria-current="page"]')
    expect(current).to_have_text("State")
    expect(page.locator("#version-pane [rel=next]")).to_have_attribute(
        "href", re.compile(r"versions/2\?op=update")
    )
