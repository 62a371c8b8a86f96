"""One call of the API before it is sent, and what its answer or its failure means.

Nothing here waits or connects: the synchronous and the asynchronous transport both
ask this module what to send, whether to try again and when.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from stepback.errors import (
    ApiError,
    Codes,
    ConnectionFailed,
    StepbackError,
    UnexpectedAnswer,
)

Result = TypeVar("Result")
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# Statuses after which the same request may well succeed. A 500 is a defect, which
# repeats; a 507 does not go away within seconds.
PASSING = frozenset({408, 429, 502, 503, 504})
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
# As long as the server may ask for: what is left of the minute of a rate limit.
LONGEST_ASKED = 60.0


@dataclass(frozen=True, kw_only=True)
class Call(Generic[Result]):
    """What to ask, and how to read the answer. Parameters that are None are left out.

    A call that `reads`, or that is done once by its nature, is sent without an
    idempotency key, whatever its method.
    """

    method: str
    path: str
    read: Callable[[Any], Result]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    # Bytes to send in place of a body, and whether bytes come back in place of JSON.
    content: bytes | None = None
    is_raw: bool = False
    reads: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None


def path(*segments: str | int) -> str:
    """Return `/v1/…` of segments that may hold anything.

    Raises: ValueError for `.` and `..`, which lead elsewhere, and for nothing at all.
    """
    for one in segments:
        if one in ("", ".", ".."):
            raise ValueError(f"{one!r} names nothing.")
    return "/v1/" + "/".join(quote(str(one), safe="") for one in segments)


class Unsaid(Enum):
    """Says that something was not said, where None takes it away."""

    UNSAID = 1


UNSAID = Unsaid.UNSAID


def given(**named: Any) -> dict[str, Any]:
    """Return what was said: None is left out."""
    return {name: value for name, value in named.items() if value is not None}


def listed(values: str | Iterable[str] | None) -> str | None:
    """Return values as a query lists them; a text alone is one of them."""
    if values is None or isinstance(values, str):
        return values
    return ",".join(values)


def require_known(said: Mapping[str, Any], names: Collection[str]) -> None:
    """Raises: TypeError for what a call does not take, which would be dropped."""
    others = sorted(set(said) - set(names))
    if others:
        raise TypeError(f"This takes no argument {others[0]!r}.")


def key_in(said: Mapping[str, Any]) -> str | None:
    """Return the key that was said of a call which takes nothing else by name.

    Raises: TypeError.
    """
    require_known(said, {"idempotency_key"})
    key: str | None = said.get("idempotency_key")
    return key


def key_of(call: Call[Any]) -> str | None:
    """Return the key under which a write is done once, however often it is sent."""
    if call.method not in WRITES or call.reads:
        return None
    return call.idempotency_key or f"stepback-{uuid.uuid4().hex}"


def request_of(
    client: httpx.Client | httpx.AsyncClient, call: Call[Any], key: str | None
) -> httpx.Request:
    """Return the request, the same each time it is tried.

    Raises: ValueError for what is no JSON, such as NaN, before anything is sent.
    """
    headers = {**call.headers, **({"Idempotency-Key": key} if key else {})}
    content = call.content
    if content is not None:
        headers["Content-Type"] = "application/octet-stream"
    if call.body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(
            call.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()
    query = {name: _text(value) for name, value in given(**call.query).items()}
    return client.build_request(
        call.method, call.path, params=query, content=content, headers=headers
    )


def pause_before(attempt: int, response: httpx.Response | None) -> float:
    """Return the seconds to wait before this attempt: the server's word, or longer
    and longer with some chance in it, so that clients do not come back together."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
    # Chance that spreads clients is no secret.
    wait = longest * (0.5 + random.random() / 2)  # noqa: S311
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return max(wait, min(float(asked), LONGEST_ASKED)) if asked.isdigit() else wait


def may_pass(response: httpx.Response) -> bool:
    return response.status_code in PASSING


def result_of(
    call: Call[Result], response: httpx.Response, key: str | None = None
) -> Result:
    """Return what the answer says to a call that was sent with this key.

    Raises: the ApiError of its code; UnexpectedAnswer.
    """
    try:
        return _told(call, response)
    except StepbackError as error:
        # The first of several tries may have done it, and its answer be lost.
        error.idempotency_key = key
        raise


def _told(call: Call[Result], response: httpx.Response) -> Result:
    if not response.is_success:
        raise _refusal(response)
    if response.status_code == 204:
        return call.read(None)
    if call.is_raw:
        return call.read(response.content)
    try:
        told = response.json()
    except (ValueError, RecursionError):
        raise UnexpectedAnswer(
            f"{call.method} {call.path} was answered with something other than JSON."
        ) from None
    return call.read(told)


def failed(call: Call[Any], error: httpx.RequestError, key: str | None) -> Exception:
    """Return the error of a call that got no answer at all."""
    return ConnectionFailed(
        f"{call.method} {call.path} got no answer: {type(error).__name__}: {error}",
        idempotency_key=key,
    )


def _refusal(response: httpx.Response) -> StepbackError:
    try:
        told = response.json()["error"]
        code, message = str(told["code"]), str(told["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return UnexpectedAnswer(
            f"The server answered {response.status_code} without saying why."
        )
    about = {"code", "message", "type", "param", "request_id"}
    return Codes.by_code.get(code, ApiError)(
        message,
        status=response.status_code,
        code=code,
        param=told.get("param"),
        request_id=told.get("request_id"),
        details={name: value for name, value in told.items() if name not in about},
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value)
