"""Addresses of the console's pages for those who read elsewhere: mails, webhooks.

The pages are named as URLs are, so nothing here knows whose they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse


def path_to(page: str, *names: object, query: Mapping[str, str] | None = None) -> str:
    """Return where a page of the console is, below the host."""
    asked = f"?{urlencode(query, safe=':')}" if query else ""
    return reverse(f"console:{page}", args=names) + asked


def whole(path: str) -> str:
    """Return the address that people open."""
    return f"{settings.PUBLIC_URL}{path}"
