"""The pages of a session for readers with other needs, in light and in dark."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Trip, Visits
from tests.browser.looking import Looker, wider

expect.set_options(timeout=30_000)

PAGES = [
    "",
    "versions/2",
    "versions/2?view=side",
    "versions/2?tab=state&find=NYC",
    "versions/2?tab=turns",
    "versions/2?tab=checkpoint",
    "versions/2?tab=proof&verify=on",
    "versions/1/rollback",
    "versions/1/fork",
    "versions/1/value?pointer=/flight",
    "versions/2/blame?pointer=/destination",
    "lineage",
    "close",
    "jump?go=nonsense",
]


def test_axe_finds_nothing_on_any_tab(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    """Each address as it is, without a query, stands in `test_every_page`."""
    trip.console.api.post(
        f"/v1/sessions/{trip.id}/notes", json={"text": "Look here", "version": 2}
    )
    page = visits.page("olga")

    for where in [one for one in PAGES if one.startswith("versions/2?")]:
        page.goto(trip.path(where))
        looker.look(page, where)

    assert len(looker.seen) == 5
    assert looker.found == {}


@pytest.mark.parametrize("width", [1440, 390])
def test_what_asks_why_a_session_is_held_is_in_sight(
    visits: Visits, trip: Trip, looker: Looker, width: int
) -> None:
    page = visits.page("olga", viewport={"width": width, "height": 800})
    page.goto(trip.path())

    page.get_by_role("button", name="Hold session…").click()

    asks = page.get_by_role("dialog", name="Hold this session")
    expect(asks.get_by_role("textbox", name="Why")).to_be_focused()
    button = asks.get_by_role("button", name="Hold session")
    expect(button).to_be_in_viewport(ratio=1)
    looker.look(page, "the hold")
    assert looker.found == {}
    page.keyboard.press("Escape")
    expect(asks).to_be_hidden()
    assert trip.head["version"] == 3


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_wider_than_the_screen(
    visits: Visits, trip: Trip, width: int
) -> None:
    page = visits.page("olga", viewport={"width": width, "height": 800})

    for where in PAGES[:-1]:
        page.goto(trip.path(where) if where else trip.path())
        assert wider(page) == [], where


def test_targets_are_large_enough(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(trip.path("versions", 2))

    small = page.evaluate(
        """() => [...document.querySelectorAll("main :is(button, .tabs a, summary)")]
          .filter((one) => one.offsetParent && one.offsetHeight < 24)
          .map((one) => one.outerHTML.slice(0, 120))"""
    )

    assert small == []


def test_hostile_state_is_text_on_every_page(visits: Visits, make_trip) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\u200b"
    trip = make_trip({evil: evil, "deep": {"a": [[[[{evil: [evil]}]]]]}})
    trip.patch({evil: evil * 500, "many": {f"{evil}{n}": n for n in range(2_000)}})
    page = visits.page("olga")
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))

    for where in (
        "",
        "versions/1",
        "versions/1?tab=state",
        "versions/1?tab=checkpoint",
        "versions/0/rollback",
        "versions/1/fork",
        "versions/1/value?pointer=/many",
    ):
        page.goto(trip.path(where) if where else trip.path())
        assert page.locator("main img, main script").count() == 0
        assert "\u202e" not in page.inner_text("main")

    assert alerts == []
