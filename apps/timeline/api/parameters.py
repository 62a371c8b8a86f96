"""Query parameters and headers, as the OpenAPI document tells them."""

from __future__ import annotations

import re

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.audit.actions import RECORDED
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import KEY_SCHEMA
from apps.core.paging import text_of
from apps.timeline.querysets import UNREVIEWED
from apps.timeline.scores import ScoreFilter, score_filter
from apps.timeline.words import Outcome, Status

LISTED = (Status.ACTIVE, Status.PAUSED, Status.CLOSED)
REVIEWS = [*Outcome.values, UNREVIEWED]

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    KEY_SCHEMA,
    OpenApiParameter.HEADER,
    description="Repeat the request with the same key: it is done once.",
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": r'^(\*|"v(0|[1-9][0-9]{0,8})")$'},
    OpenApiParameter.HEADER,
    description='The head you saw, as in "v12"; 412 if it has moved.',
)
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="return=minimal: answer without `state` and `data` (RFC 7240).",
)
WRITE = [IDEMPOTENCY_KEY, IF_MATCH]
STATE_WRITE = [*WRITE, PREFER]
ON_CONFLICT_WORDS = ["refuse", "fork"]
ON_CONFLICT = OpenApiParameter(
    "on_conflict",
    str,
    enum=ON_CONFLICT_WORDS,
    default="refuse",
    description="fork: if the head has moved from the version you name, the write "
    "becomes a fork of that version, and 201 says so.",
)
SINCE_VERSION = OpenApiParameter(
    "since_version", int, description="Only versions after this one."
)
# What always fits the column, and never int()'s own limit of digits.
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def text(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, description=description)


def time(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.DATETIME, description=description)


def limit(default: int) -> OpenApiParameter:
    return OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": 100, "default": default},
        description="How many items at most.",
    )


def order(default: str) -> OpenApiParameter:
    return OpenApiParameter(
        "order",
        str,
        enum=["asc", "desc"],
        default=default,
        description="asc: the oldest first.",
    )


def include(name: str, *, default: bool) -> OpenApiParameter:
    what = name.removeprefix("include_")
    return OpenApiParameter(
        name, bool, default=default, description=f"Whether to answer the {what} too."
    )


SESSIONS = [
    text("agent_id", "Your name of the agent."),
    text("user_id", "The end user."),
    OpenApiParameter(
        "status",
        str,
        enum=[status.value for status in LISTED],
        description="What may be done with the session.",
    ),
    text("external_id", "Your name of the session."),
    OpenApiParameter(
        "review",
        str,
        enum=REVIEWS,
        description="What the newest review says; none: nobody has reviewed it.",
    ),
    text(
        "score",
        "The newest score of a name, compared by <, <=, =, >= or >: reward<0.5. A name "
        "alone: sessions that have such a score.",
    ),
    text("forked_from", "Sessions forked from this one."),
    text("metadata", "A JSON object that the metadata must contain."),
    time("created_after", "ISO 8601; a time without a zone is UTC."),
    time("created_before", "ISO 8601; a time without a zone is UTC."),
    limit(20),
    text("starting_after", "The id of the last item of the page before."),
]

ACTION_NAMES = sorted(
    {name for action in RECORDED for name in (action.value, action.trace_name)}
)
TRACES = [
    OpenApiParameter(
        "action",
        str,
        enum=ACTION_NAMES,
        description="StateBase's name of an action, or ours.",
    ),
    text("agent_id", "Traces of this agent's sessions, by your name of it."),
    text("user_id", "Traces of this end user's sessions."),
    text("resource_type", "session, version, turn, agent, ..."),
    text("resource_id", "The id of the thing acted upon."),
    time("created_after", "From this moment on."),
    time("created_before", "Before this moment."),
    time("start_time", "Another name for created_after."),
    time("end_time", "Another name for created_before."),
    limit(50),
    text("starting_after", "The id of the last item of the page before."),
]


def newest_first(request: Request, *, default: bool) -> bool:
    """Read `order`.

    Raises: InvalidRequest.
    """
    given = text_of(request, "order")
    if given is None:
        return default
    if given not in ("asc", "desc"):
        raise InvalidRequest("order takes asc or desc.", param="order")
    return given == "desc"


def else_fork_of(request: Request, seen: int | None) -> bool:
    """Read `on_conflict`: whether the write becomes a fork of the version seen.

    Raises: InvalidRequest, also for a fork of a version that is not named.
    """
    given = text_of(request, "on_conflict")
    if given not in (None, *ON_CONFLICT_WORDS):
        message = f"on_conflict takes {' or '.join(ON_CONFLICT_WORDS)}."
        raise InvalidRequest(message, param="on_conflict")
    if given == "fork" and seen is None:
        raise InvalidRequest(
            "on_conflict=fork needs the version that you built on, as If-Match or "
            "`expected_version`.",
            param="expected_version",
        )
    return given == "fork"


def status_of(request: Request) -> str | None:
    """Read `status`.

    Raises: InvalidRequest.
    """
    given = text_of(request, "status")
    if given is not None and given not in LISTED:
        raise InvalidRequest(
            f"status takes {', '.join(LISTED)}.",
            param="status",
        )
    return given


def review_of(request: Request) -> str | None:
    """Read `review`.

    Raises: InvalidRequest.
    """
    given = text_of(request, "review")
    if given is not None and given not in REVIEWS:
        raise InvalidRequest(f"review takes {', '.join(REVIEWS)}.", param="review")
    return given


def score_of(request: Request) -> ScoreFilter | None:
    """Read `score`.

    Raises: InvalidRequest.
    """
    given = text_of(request, "score")
    return None if given is None else score_filter(given)


def whole_number(text: str, name: str) -> int:
    """Return a number that stands in a URL.

    Raises: InvalidRequest.
    """
    if not _WHOLE_NUMBER.fullmatch(text):
        raise InvalidRequest(
            f"{name} must be a whole number of at most 18 digits.", param=name
        )
    return int(text)
