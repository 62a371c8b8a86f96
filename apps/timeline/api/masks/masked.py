"""Reads that masked keys may ask for, because they mask what they answer.

A masked key has no other permission than to ask these: whatever does not say where it
shows a state, and every write, refuses it. So an address that is added leaks nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from orjson import Fragment
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.accounts.errors import Masked
from apps.accounts.masks import ProjectMasks
from apps.accounts.models import Project, Scope
from apps.core import json
from apps.timeline.masking import HIDDEN, known

Get = Callable[..., Response]


def masked(*shown_at: str, refused: Sequence[str] = ()) -> Callable[[Get], Get]:
    """Have a `get` answer masked keys as well, and mask what it answers them.

    `shown_at` are pointers of the answer where a state stands; parameters that are
    `refused` would tell whether what is masked equals something.
    """

    def decorate(get: Get) -> Get:
        @wraps(get)
        def answer(view: Any, request: Any, *args: Any, **names: Any) -> Response:
            if view.caller.scope != Scope.MASKED:
                return get(view, request, *args, **names)
            for name in refused:
                if name in request.query_params:
                    raise Masked(param=name)
            response = get(view, request, *args, **names)
            if response.data is not None:
                masks = _masks_of(view.caller.project)
                response.data = Fragment(drawn(masks, response.data, shown_at))
            return response

        answer.required_scope = Permission.READ_MASKED  # type: ignore[attr-defined]
        return answer

    return decorate


def _masks_of(project: Project) -> ProjectMasks:
    return ProjectMasks(
        project_id=str(project.id),
        said=project.masks,
        secret=bytes(project.index_key),
    )


def drawn(
    masks: ProjectMasks, data: Mapping[str, Any], shown_at: Sequence[str]
) -> bytes:
    """Return an answer as masked keys get it, as JSON: for views and the door."""
    answer = {**data}
    if isinstance(answer.get("data"), list):
        answer["data"] = [dict(one) for one in answer["data"]]
    for shown in [answer, *_items(answer)]:
        _leave_out(shown)
    if "state" in answer and answer.get("data") is answer["state"]:
        return _twice(masks, answer)
    return known.masked(masks, json.splice(answer), shown_at)


def _twice(masks: ProjectMasks, answer: dict[str, Any]) -> bytes:
    """Mask once what clients up to 0.2.0 are shown twice."""
    state = answer.pop("state")
    del answer["data"]
    made = known.masked(masks, json.splice({"state": state}), ("/state",))
    rest = known.masked(masks, json.splice(answer), ())
    twice = made.removeprefix(b'{"state":').removesuffix(b"}")
    if len(twice) + len(b'{"state":}') != len(made) or rest == b"{}":
        # A word of the project's own is in the name of the member.
        everything = {**answer, "state": state, "data": state}
        shown_at = ("/state", "/data")
        return known.masked(masks, json.splice(everything), shown_at)
    return rest[:-1] + b',"state":' + twice + b',"data":' + twice + b"}"


def _items(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of a list; a state that is repeated as `data` is none."""
    items = answer.get("data")
    return items if isinstance(items, list) else []


def _leave_out(shown: dict[str, Any]) -> None:
    """Take away what shows parts of values, in which no pattern finds the whole.

    A title was cut from a message, and changes show parts of states at other places.
    """
    if shown.get("title") is not None:
        shown["title"] = HIDDEN
    if shown.get("changes"):
        shown |= {"changes": [], "changes_truncated": True}
