"""The plain begin of an effect: an agent asks it before each call that it makes.

It is asked as the ordinary view asks it, and answered in the same words. Repetitions
under an idempotency key, ways to undo and deadlines are left to the view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from apps.accounts.access import Caller
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import json
from apps.core.provenance import Request
from apps.timeline import operations as timeline
from apps.timeline.api.door import inputs
from apps.timeline.api.door.plain import (
    PlainAnswer,
    PlainCase,
    PlainRequest,
    session_path,
)
from apps.timeline.api.door.writes import Told, answer_write
from apps.timeline.api.effects.shapes import begin_object
from apps.timeline.api.effects.views import EffectsView, status_of
from apps.timeline.operations import Begun, Cache, NewEffect

_EFFECT: dict[str, type] = {
    **dict.fromkeys(("key", "tool", "class", "call_id"), str),
    "arguments": dict,
    "number": int,
    "takes_provider_key": bool,
    "cache": dict,
}
_CACHE = {"ttl": int, "scope": str, "set_aside": bool}


def acting_cases() -> list[PlainCase]:
    """Return the effects that the door begins."""
    return [
        PlainCase(
            method="POST",
            path=session_path("effects"),
            example="/v1/sessions/id/effects",
            view=EffectsView,
            takes_body=True,
            answer=_answer,
        )
    ]


def _answer(request: PlainRequest) -> PlainAnswer | None:
    # A repetition is answered by what was kept, where the view keeps it.
    if request.header("HTTP_IDEMPOTENCY_KEY") or request.header("HTTP_IF_MATCH"):
        return None
    session_id = request.names[0]
    return answer_write(
        request,
        lambda caller: _begun(request, caller, session_id),
        lambda began: Told(status_of(began.begun), began.told(session_id)),
    )


@dataclass(frozen=True, slots=True)
class Began:
    """What came of it, and for whom."""

    project: Project
    key: str
    begun: Begun

    def told(self, session_id: str) -> dict[str, Any]:
        return begin_object(self.project, session_id, self.key, self.begun)


def _begun(request: PlainRequest, caller: Caller, session_id: str) -> Began:
    """Raises: NotPlain, DomainError, Error."""
    effect = taken(inputs.parsed(request.body))
    act = Act(
        scope=Scope(caller.project),
        actor=caller.actor,
        now=timezone.now(),
        request=Request(id=request.request_id),
        api_key_id=caller.key_id,
    )
    begun = timeline.begin_effect(act=act, session_id=session_id, effect=effect)
    return Began(caller.project, effect.key, begun)


def taken(given: Mapping[str, Any]) -> NewEffect:
    """Return the effect that a body means.

    Raises: NotPlain, and what is wrong with its arguments or names.
    """
    inputs.require(given, _EFFECT)
    if not given.get("key") or not given.get("tool"):
        raise inputs.NotPlain
    return NewEffect(
        key=given["key"],
        tool=given["tool"],
        arguments=json.check(given.get("arguments") or {}, at="/arguments"),
        effect_class=given.get("class"),
        call_id=given.get("call_id"),
        takes_provider_key=bool(given.get("takes_provider_key")),
        number=given.get("number"),
        cache=_cache(given.get("cache")),
    )


def _cache(given: Mapping[str, Any] | None) -> Cache | None:
    """Raises: NotPlain, CacheInvalid."""
    if given is None:
        return None
    inputs.require(given, _CACHE)
    if "ttl" not in given or None in given.values():
        raise inputs.NotPlain
    return Cache(**given)
