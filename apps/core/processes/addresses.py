"""Which addresses are the API's, and which of them Anchor's clients call.

Releases 1.0 of Anchor's client, and its TypeScript client, call without /v1 what later
ones call below it. So these names stand for the API at the top as well, and no page
begins with one.
"""

API = "v1"
ANCHOR = frozenset({"agents", "workspaces", "auth", "api-keys"})
_API_NAMES = ANCHOR | {API}
_PREFIX = f"/{API}/"


def is_api(path: str) -> bool:
    """Say whether an address is the API's, by its first name alone."""
    return path.startswith(_PREFIX) or _first(path) in _API_NAMES


def is_anchors(path: str) -> bool:
    """Say whether Anchor's clients call an address, with /v1 or without it."""
    return _first(path.removeprefix(f"/{API}")) in ANCHOR


def _first(path: str) -> str:
    return path[1:].partition("/")[0]
