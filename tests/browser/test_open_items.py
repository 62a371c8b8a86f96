"""What is open is on a project's first page, however much has happened since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Console, Trip, Visits

expect.set_options(timeout=30_000)

NEWER_ACTS = 10_000
AT_ONCE = 100


def test_ten_thousand_newer_acts_hide_nothing(
    visits: Visits,
    console: Console,
    make_trip: Callable[[dict[str, Any]], Trip],
) -> None:
    waiting, held = make_trip({"escalated": True}), make_trip({"a": 1})
    lost = make_trip({"destination": "NYC"})
    lost.patch({"destination": None})
    console.api.post(f"/v1/sessions/{held.id}/pause", json={})
    keep_busy(console, make_trip({"n": 0}))
    opened = {"waiting": (waiting, 0), "flagged": (lost, 1), "held": (held, 1)}
    home = f"{console.server.url}/console/{PROJECT}"
    page = visits.page("carol")

    for kind, (trip, number) in opened.items():
        page.goto(home)
        section = page.locator(f"section.attention-{kind}")
        expect(link(section, trip, number)).to_be_visible()
        section.get_by_role("link", name="All of them").click()
        page.wait_for_url(f"**/open/{kind}")
        link(page, trip, number).click()
        page.wait_for_url(f"**{trip.id}/versions/{number}")


def keep_busy(console: Console, trip: Trip) -> None:
    """Have a session make more acts than any page looks at."""
    nothing = {"versions": [{"state": {}}] * AT_ONCE}
    for _ in range(NEWER_ACTS // AT_ONCE):
        answer = console.api.post(f"/v1/sessions/{trip.id}/versions", json=nothing)
        assert answer.status_code == 201, answer.text
    assert answer.json()["version"] == NEWER_ACTS


def link(where: Page | Any, trip: Trip, number: int) -> Any:
    return where.locator(
        f'a.id[href$="{trip.id}/versions/{number}"], '
        f'.id a[href$="{trip.id}/versions/{number}"]'
    )
