"""Asks the search over the API, as a client that follows its pages."""

from typing import Any

from tests.conftest import Api
from tests.timeline.runs import succeeded


def page(client: Api, q: str, **query: Any) -> Any:
    return succeeded(client.get("/v1/search", {"q": q, **query})).body


def pages(client: Api, q: str, **query: Any) -> list[Any]:
    """Return every page, each with the `next` of the one before."""
    found = [page(client, q, **query)]
    while found[-1]["has_more"]:
        assert len(found) < 1000
        query["starting_after"] = found[-1]["next"]
        found.append(page(client, q, **query))
    return found


def ids(client: Api, q: str, **query: Any) -> list[str]:
    """Return the sessions that are found, over all pages."""
    return [one["session_id"] for one in results(client, q, **query)]


def versions(client: Api, q: str, **query: Any) -> list[tuple[str, int]]:
    found = results(client, q, kind="versions", **query)
    return [(one["session_id"], one["version"]) for one in found]


def results(client: Api, q: str, **query: Any) -> list[Any]:
    return [one for body in pages(client, q, **query) for one in body["data"]]


def matches(client: Api, q: str) -> list[Any]:
    """Return why the only session that is found was found."""
    (found,) = results(client, q)
    return list(found["matches"])
