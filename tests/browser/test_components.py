"""The page of components in a browser: every one of them, at both widths."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import timezone
from playwright.sync_api import expect

from apps.console.pages.drawings import samples
from tests.browser.conftest import Console, Visits
from tests.browser.looking import Looker, wider

WIDTHS = (1440, 390)
SHOWN = {
    "session row": ".sessions tbody tr",
    "strip of a row": ".ticks",
    "strip": ".strip .bar",
    "life line": ".life-node, .life a",
    "tool card": ".tool-card",
    "chart": ".chart .line",
    "histogram": ".facets .bar",
    "heat map": ".heat rect",
    "palette": "#palette[open] li:not([hidden]) a",
    "side by side": ".view-side .change",
    "error": ".notice.error #request-id",
    "toast": ".toast.in-place button",
    "tree": ".tree .node",
}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_component_is_shown_and_axe_finds_nothing(
    console: Console, visits: Visits, looker: Looker, width: int
) -> None:
    # Only a server in debug has the page, and it needs no database.
    request = RequestFactory().get("/console/components")
    request.user = AnonymousUser()
    context = samples.context(timezone.now())
    html = render_to_string("console/components.html", context, request=request)
    page = visits.strangers_page(viewport={"width": width, "height": 900})
    where = f"{console.server.url}/console/components"
    page.route(where, lambda route: route.fulfill(content_type="text/html", body=html))

    page.goto(where)

    for selector in SHOWN.values():
        expect(page.locator(selector).first).to_be_visible()
    # Of an open session too: what it shows when it is wider would be scrolled.
    assert wider(page) == []
    looker.look(page, "components")
    assert looker.found == {}
    assert looker.seen == ["components"]
