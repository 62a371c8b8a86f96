"""An experiment of three forks stands on a page of 1,440 without being scrolled."""

from __future__ import annotations

from tests.browser.conftest import PROJECT, Trip, Visits


def test_three_forks_and_their_acts_fit_beside_each_other(
    visits: Visits, trip: Trip
) -> None:
    api = trip.console.api
    forks = [
        api.post(f"/v1/sessions/{trip.id}/fork", json={"version": 1}).json()["id"]
        for _ in range(3)
    ]
    said = {
        "name": "Three ways",
        "sessions": forks,
        "checks": ["state.destination=LAX AND NOT state.destination=null"],
    }
    made = api.post("/v1/experiments", json=said).json()
    page = visits.page("olga", viewport={"width": 1440, "height": 900})

    page.goto(
        f"{trip.console.server.url}/console/{PROJECT}/experiments/at/{made['id']}"
    )

    beyond = page.locator(".scroll").evaluate(
        "one => one.scrollWidth - one.clientWidth"
    )
    assert page.get_by_role("link", name="Promote fork 3").is_visible()
    assert beyond <= 0
