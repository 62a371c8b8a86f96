"""The console's pages around the session: found, searched, administered.

With the mouse, with the keyboard, without JavaScript, for readers with other needs.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Console, Trip, Visits
from tests.browser.looking import Looker

expect.set_options(timeout=30_000)

PAGES = [
    "",
    "/sessions?q=",
    "/sessions?q=state.destination%3Anull+age%3C2h",
    "/sessions?q=user%3Anobody",
    "/agents",
    "/audit",
    "/audit?show=all",
    "/audit/verify",
    "/plans",
    "/members",
    "/keys",
]
TABS = ["", "/data", "/config", "/checkpoints", "/audit", "/blocked"]
TYPO = "/sessions?q=agnet%3Atravel"
MISSING = "/sessions/sess_00000000000000000000000000"


def base(trip: Trip) -> str:
    return f"{trip.console.server.url}/console/{PROJECT}"


def test_axe_finds_nothing_in_what_is_searched_or_missing(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    """Each address as it is, without a query, stands in `test_every_page`."""
    page = visits.page("alice")

    for where in [*(one for one in PAGES if "?" in one), TYPO, MISSING]:
        page.goto(base(trip) + where)
        looker.look(page, where)

    assert looker.found == {}
    # A typo answers 400 and what is missing 404, which the browser notes.
    visits.complaints[:] = [
        one for one in visits.complaints if "400" not in one and "404" not in one
    ]


def test_axe_finds_nothing_in_sessions_that_look_alike(
    visits: Visits, console: Console, looker: Looker
) -> None:
    for _ in range(3):
        begun = {"agent_id": "alike", "title": "Lost luggage", "initial_state": {}}
        assert console.api.post("/v1/sessions", json=begun).status_code == 201
    page = visits.page("olga")

    page.goto(f"{console.server.url}/console/{PROJECT}/sessions?q=agent:alike+OR+none")

    expect(page.get_by_text("2 more look the same")).to_be_visible()
    looker.look(page, "sessions that look alike")
    assert looker.found == {}


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_wider_than_the_screen(
    visits: Visits, trip: Trip, width: int
) -> None:
    page = visits.page("alice", viewport={"width": width, "height": 900})
    agent = trip.console.api.get("/v1/agents").json()["data"][0]["id"]
    tabs = [f"/agents/{agent}{tab}" for tab in TABS]

    for where in [*PAGES, *tabs, "/memories", "/meaning"]:
        page.goto(base(trip) + where)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where


def test_a_value_finds_the_session_from_any_page_by_keyboard(
    visits: Visits, trip: Trip
) -> None:
    trip.patch({"booking": {"code": f"ZX-{trip.id[-6:]}"}}, "Booked it")
    page = visits.page("carol")
    page.goto(base(trip))

    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type(f"ZX-{trip.id[-6:]}")
    page.keyboard.press("Enter")

    row = page.locator(".sessions tbody")
    expect(row.locator(f"a[title='{trip.id}']")).to_be_visible()
    expect(row).to_contain_text("/booking/code")
    page.locator(".why .pointer").first.click()
    expect(page.locator("main")).to_contain_text(f"ZX-{trip.id[-6:]}")
    page.go_back()
    expect(page.locator("#find")).to_have_value(f"ZX-{trip.id[-6:]}")


def test_a_search_changes_the_list_alone_and_back_undoes_it(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("carol")
    page.goto(f"{base(trip)}/sessions?q=")
    expect(page.locator(f".sessions a[title='{trip.id}']")).to_be_visible()

    page.fill("#find", "user:nobody")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found")).to_contain_text("No session matches")
    expect(page).to_have_url(re.compile(r"q=user%3Anobody"))
    page.click('#found [aria-label="Remove user:nobody"]')
    expect(page.locator(f".sessions a[title='{trip.id}']")).to_be_visible()
    page.go_back()
    expect(page.locator("#found")).to_contain_text("No session matches")


def test_a_typo_is_told_in_place(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(f"{base(trip)}/sessions?q=")

    page.fill("#find", "status:active agnet:travel")
    page.keyboard.press("Enter")

    expect(page.locator("[role=alert]")).to_contain_text("Did you mean agent:travel?")
    expect(page.locator("mark")).to_have_text("agnet:travel")


def test_a_pasted_id_leads_to_its_session(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(f"{base(trip)}/sessions?q=")

    page.fill("#find", trip.id)
    page.keyboard.press("Enter")

    expect(page).to_have_url(trip.path())


def test_searching_works_without_javascript(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol", java_script_enabled=False)
    page.goto(base(trip))

    page.fill("#find", "ever:state.destination=NYC agent:travel-agent")
    page.locator("#find").press("Enter")

    expect(page.locator(f".sessions a[title='{trip.id}']")).to_be_visible()
    expect(page.locator(".chips li").first).to_contain_text("ever:state.destination")
    page.click('[aria-label="Remove agent:travel-agent"]')
    expect(page.locator(".chips li")).to_have_count(2)


def test_an_administrator_lets_somebody_in(visits: Visits, trip: Trip) -> None:
    page = visits.page("alice")
    page.goto(f"{base(trip)}/members")
    name = f"nina-{trip.id[-6:]}"

    page.get_by_role("button", name="Make an invitation").click()
    link = page.locator("#link").inner_text()

    door = visits.strangers_page()
    door.goto(link)
    door.get_by_label("Your user name").fill(name)
    door.get_by_label("New password", exact=True).fill("correct horse battery")
    door.get_by_label("New password again").fill("correct horse battery")
    door.get_by_role("button", name="Make an account and join").click()
    expect(door.locator("h1")).to_contain_text("you.")
    expect(door).to_have_title(re.compile("Browsing", re.IGNORECASE))
    expect(door.get_by_role("link", name="API keys")).to_have_count(0)


def test_a_key_is_shown_once_and_revoked(visits: Visits, trip: Trip) -> None:
    page = visits.page("alice")
    page.goto(f"{base(trip)}/keys")

    page.get_by_label("Name", exact=True).fill(f"bot {trip.id[-6:]}")
    page.get_by_role("button", name="Make the key").click()
    secret = page.locator("#secret").inner_text()
    with trip.console.server.client(secret) as client:
        assert client.get("/v1/sessions").status_code == 200
        page.goto(f"{base(trip)}/keys")
        page.locator(f'summary[aria-label*="{secret[:11]}"]').click()
        page.get_by_role("button", name=f"Revoke {secret[:11]}").click()
        expect(page.locator("main")).to_contain_text("is revoked")
        assert client.get("/v1/sessions").status_code == 401
