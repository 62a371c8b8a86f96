"""What is open is on a project's first page, however much has happened since."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.busy_project import BusyProject
from tests.browser.conftest import Visits

expect.set_options(timeout=30_000)


def test_ten_thousand_newer_acts_hide_nothing(
    visits: Visits, busy: BusyProject
) -> None:
    page = visits.page("carol")

    for kind, (session_id, number) in busy.open.items():
        page.goto(busy.path())
        section = page.locator(f"section.need-{kind}")
        expect(link(section, session_id, number)).to_be_visible()
        page.locator(f'.searches a[href$="/open/{kind}"]').click()
        page.wait_for_url(f"**/open/{kind}")
        link(page, session_id, number).click()
        page.wait_for_url(f"**{session_id}/versions/{number}")


def link(where: Page | Any, session_id: str, number: int) -> Any:
    return where.locator(
        f'li a[href$="{session_id}/versions/{number}"], '
        f'.id a[href$="{session_id}/versions/{number}"]'
    )
