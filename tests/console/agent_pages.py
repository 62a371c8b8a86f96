"""What tests of an agent's pages share: an agent, and looking at its pages."""

import html
import re

from tests.data.conftest import AGENT, Store, made


def make_store(client, agent=AGENT):
    """Register an agent, and return its data as a client sees it."""
    made(client.post("/v1/agents", {"name": "Billing", "external_id": agent}))
    return Store(client, agent)


def plain(page):
    """Return the page as it is read: without tags, spaces run together."""
    inner = page[page.index("<main") : page.index("</main>")]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())


def row_heads(page):
    """Return what the rows of a list are called."""
    return [
        plain(f"<main>{one}</main>")
        for one in re.findall(r'<th scope="row"[^>]*>(.*?)</th>', page, re.DOTALL)
    ]
