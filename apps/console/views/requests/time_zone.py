"""The time zone that a reader chose to read in, as their browser says it.

`times.js` keeps the choice and leaves the zone's name in a cookie; without JavaScript
there is nothing to choose, and times are UTC. What a cookie says is anybody's text:
only the name of a zone that there is means anything.
"""

from datetime import UTC, tzinfo

from django.http import HttpRequest

from apps.core.time.zones import zone_named

COOKIE = "stepback_zone"
LONGEST = 64


def asked_zone(request: HttpRequest) -> str:
    """Return what the browser said, if it can be a zone's name at all."""
    said = request.COOKIES.get(COOKIE, "")
    return said if len(said) <= LONGEST else ""


def readers_zone(request: HttpRequest) -> tzinfo:
    return zone_named(asked_zone(request)) or UTC
