"""Approvals in a browser: by keys, without a script, and on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Trip, Visits

expect.set_options(timeout=30_000)


@pytest.fixture
def asked(trip: Trip) -> Any:
    said = {
        "tool": "issue_refund",
        "arguments": {"amount": 2490},
        "schema": {"properties": {"amount": {"maximum": 5000}}},
        "ttl_seconds": 60,
    }
    path = f"/v1/sessions/{trip.id}/approvals"
    return trip.console.api.post(path, json=said).json()


def outcome(trip: Trip, approval: Any) -> Any:
    return trip.console.api.get(f"/v1/approvals/{approval['id']}").json()["outcome"]


def the_list(page: Page, trip: Trip) -> None:
    page.goto(f"{trip.console.server.url}/console/{PROJECT}/approvals")


def test_it_is_edited_and_approved_by_keys_alone(
    visits: Visits, trip: Trip, asked: Any
) -> None:
    page = visits.page("olga")
    the_list(page, trip)

    link = page.locator(f"main a[href$='{asked['id']}']")
    for _ in range(50):
        page.keyboard.press("j")
        if link.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/approvals/{asked['id']}")
    page.keyboard.press("e")
    expect(page.get_by_label("Why")).to_be_focused()
    assert outcome(trip, asked) is None
    page.get_by_label("Arguments that are allowed").fill('{"amount": 249}')
    page.keyboard.press("Control+Enter")

    expect(page.get_by_text("Approved: the agent may go on")).to_be_visible()
    assert outcome(trip, asked)["arguments"] == {"amount": 249}


def test_it_is_rejected_without_a_script(
    visits: Visits, trip: Trip, asked: Any
) -> None:
    page = visits.page("olga", java_script_enabled=False)
    the_list(page, trip)

    page.locator(f"main a[href$='{asked['id']}']").click()
    page.get_by_role("link", name="Reject").click()
    page.get_by_label("Why").fill("Ask the customer first.")
    page.get_by_role("button", name="Reject").click()

    expect(page.get_by_text("Ask the customer first.").first).to_be_visible()
    assert outcome(trip, asked)["comment"] == "Ask the customer first."
