"""Links from one page of a list to the next."""

from django.http import HttpRequest


def query(request: HttpRequest, *, after: str | int | None) -> str:
    """Return this page's query string with another place in the list."""
    query = request.GET.copy()
    query.pop("after", None)
    if after is not None:
        query["after"] = str(after)
    return "?" + query.urlencode()
