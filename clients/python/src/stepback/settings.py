"""Where the server is and who calls, from arguments or from the environment."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

import httpx

DEFAULT_URL = "http://127.0.0.1:8000"


def required(name: str, given: str | None, variable: str) -> str:
    """Return what was given, or what the variable says.

    Raises: ValueError if neither says anything.
    """
    found = given or os.environ.get(variable)
    if not found:
        raise ValueError(f"Give {name}, or set {variable}.")
    return found


def address(given: str | None) -> str:
    """Return where the server is.

    Raises: ValueError for what is no address.
    """
    url = given or os.environ.get("STEPBACK_URL") or DEFAULT_URL
    try:
        httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"{url!r} is no address: {error}") from None
    return url


def identity(key: str) -> dict[str, str]:
    """Return the headers that tell who calls."""
    try:
        release = version("stepback")
    except PackageNotFoundError:
        release = "source"
    return {"X-API-Key": key, "User-Agent": f"stepback-python/{release}"}
