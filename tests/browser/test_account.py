"""Coming in by invitation, a second factor, one's sessions: in a real browser."""

from __future__ import annotations

import base64

from django_otp.oath import totp
from playwright.sync_api import Page, expect

from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker
from tests.live import manage

expect.set_options(timeout=30_000)
PASSWORD = "correct horse battery"


def invitation(trip: Trip, project: str) -> str:
    """Return an invitation into a project that is made for it."""
    server = trip.console.server
    manage(server.dsn, "create_project", project)
    options = ["--project", project, "--role", "admin", "--base-url", server.url]
    return manage(server.dsn, "invite", *options).split()[-1]


def register(page: Page, link: str, name: str) -> None:
    """Accept an invitation as a newcomer, by keyboard alone."""
    page.goto(link)
    page.get_by_label("Your user name").focus()
    for text in (name, PASSWORD, PASSWORD):
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/**")


def code_for(secret: str) -> str:
    key = base64.b32decode(secret.replace(" ", ""))
    return f"{totp(key):06}"


def test_an_invitation_is_accepted_without_javascript(
    visits: Visits, trip: Trip
) -> None:
    suffix = trip.id[-6:]
    link = invitation(trip, f"invited-{suffix}")
    page = visits.strangers_page(java_script_enabled=False)

    register(page, link, f"nina-{suffix}")

    expect(page.get_by_role("link", name="API keys")).to_be_visible()
    page.goto(link)
    expect(page.locator("h1")).to_have_text("This invitation no longer works")


def test_a_second_factor_from_the_first_picture_to_the_recovery_code(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    suffix, url = trip.id[-6:], trip.console.server.url
    page = visits.strangers_page()
    register(page, invitation(trip, f"guarded-{suffix}"), f"nora-{suffix}")
    members = f"{url}/console/guarded-{suffix}/members"

    page.get_by_role("link", name=f"nora-{suffix}").click()
    looker.look(page, "the account")
    page.get_by_role("link", name="Set one up").click()
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    picture = page.get_by_alt_text("QR code of the secret below")
    # The content policy let it be shown: it has a size of its own.
    assert picture.evaluate("(one) => one.naturalWidth") > 100
    looker.look(page, "a secret to scan")
    page.get_by_label("Code").fill(code_for(page.locator("#secret").inner_text()))
    page.keyboard.press("Enter")
    codes = page.locator("#codes").inner_text().split()
    looker.look(page, "recovery codes")
    assert len(codes) == 10

    page.goto(members)
    page.get_by_role("button", name="Ask for a second factor").click()
    expect(page.locator("main")).to_contain_text("asks for a second factor")
    page.get_by_role("button", name="Make an invitation").click()
    page.goto(members)
    looker.look(page, "members, an open invitation, a second factor")

    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("User name").fill(f"nora-{suffix}")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Enter your code")
    looker.look(page, "the code is asked for")
    # The field has the focus: nothing but typing is needed.
    page.keyboard.type(codes[0])
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="API keys")).to_be_visible()
    assert looker.found == {}


def test_signing_out_everywhere_ends_the_other_browser(
    visits: Visits, trip: Trip
) -> None:
    suffix, url = trip.id[-6:], trip.console.server.url
    here = visits.strangers_page()
    register(here, invitation(trip, f"leaving-{suffix}"), f"lea-{suffix}")
    there = visits.strangers_page()
    there.goto(f"{url}/signin")
    there.get_by_label("User name").fill(f"lea-{suffix}")
    there.get_by_label("Password").fill(PASSWORD)
    there.keyboard.press("Enter")
    there.wait_for_url("**/console/**")

    here.goto(f"{url}/account")
    expect(here.get_by_role("row")).to_have_count(3)
    here.get_by_role("button", name="Sign out everywhere").click()

    for page in (here, there):
        page.goto(f"{url}/account")
        expect(page.locator("h1")).to_have_text("Sign in")
