"""Parameters of audits: two spellings of a time, operations by name, a place."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rest_framework.request import Request

from apps.audit.streams import OPERATIONS
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.time.moments import moment
from apps.data.audit.trail import Start

EVENT_PREFIX = "aud_"


def operations_of(request: Request) -> list[str] | None:
    """Return the operations that are asked for, None for all.

    Raises: InvalidRequest that names those that there are not.
    """
    text = paging.text_of(request, "operations")
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    unknown = sorted(set(names) - set(OPERATIONS))
    if unknown:
        raise InvalidRequest(
            f"operations takes {', '.join(OPERATIONS)}, separated by commas; there is "
            f"no {', '.join(unknown)}.",
            param="operations",
        )
    return names


def moment_of(request: Request, name: str) -> datetime | None:
    """Return a time of the query, under its name or `<name>_time`."""
    return paging.moment_of(request, _given(request.query_params, name))


def start_of(request: Request) -> Start | None:
    """Return where to begin, as the query says it: a time, or the id of an event."""
    name = _given(request.query_params, "start")
    text = paging.text_of(request, name)
    if text is not None and text.startswith(EVENT_PREFIX):
        return text
    return paging.moment_of(request, name)


def start_given(said: Mapping[str, Any]) -> Start | None:
    """Return where to begin, as a body says it."""
    text = said.get(_said(said, "start"))
    if text is not None and text.startswith(EVENT_PREFIX):
        return str(text)
    return moment_given(said, "start")


def moment_given(said: Mapping[str, Any], name: str) -> datetime | None:
    """Return a time of a body, under its name or `<name>_time`."""
    name = _said(said, name)
    text = said.get(name)
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{name} takes a date or a time in ISO 8601, as in 2026-01-31 or "
            "2026-01-31T12:00:00Z.",
            param=name,
        ) from None


def _given(params: Mapping[str, Any], name: str) -> str:
    """Return the spelling that is used.

    Raises: InvalidRequest where both are.
    """
    other = f"{name}_time"
    if name in params and other in params:
        raise InvalidRequest(f"{other} is another name for {name}.", param=other)
    return other if other in params else name


def _said(said: Mapping[str, Any], name: str) -> str:
    # A body that contradicts itself was refused; null is not said.
    return name if said.get(name) is not None else f"{name}_time"
