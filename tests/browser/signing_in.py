"""Signing in by a link, once: what a browser keeps lets others in as that person."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser


def signed_in(browser: Browser, link: str) -> Any:
    """Follow a link that signs somebody in; return what contexts are made with."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.click("button[type=submit]")
    page.wait_for_url("**/console/**")
    state = context.storage_state()
    context.close()
    return state
