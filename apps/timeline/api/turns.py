"""Turns, and the combined history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters, shapes, traces
from apps.timeline.api.base import TimelineView
from apps.timeline.api.inputs.turns import TurnInput
from apps.timeline.api.outputs.gaps import (
    removed_on_page,
    removed_turns,
)
from apps.timeline.api.states import READ_ERRORS, WRITE_ERRORS
from apps.timeline.bodies import bundles
from apps.timeline.errors import TurnNotFound
from apps.timeline.hooks import used
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.models import Turn
from apps.timeline.operations import Exchange
from apps.timeline.queries import listing
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow

# What is kept on a version, so not of a turn that made none.
OF_VERSIONS = (
    *("external_id", "step_number", "parent_id", "objective_status"),
    *("schema_version", "release", "model"),
)
# What is kept with what a turn used.
OF_USAGE = ("release", "model")


class TurnsView(TimelineView):
    """All turns of a session."""

    @extend_schema(
        operation_id="list_turns",
        parameters=[
            parameters.limit(20),
            parameters.order("desc"),
            parameters.text("starting_after", "The id of a turn."),
        ],
        responses={200: outputs.TurnList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List turns, newest first unless asked otherwise."""
        limit = paging.limit_of(request)
        newest_first = parameters.newest_first(request, default=True)
        head = self.version(session_id, None)
        after = self._number_of(session_id, paging.text_of(request, "starting_after"))
        found = listing.turns(
            session_id, newest_first=newest_first, after=after, limit=limit
        )
        objects = turn_objects(session_id, found[:limit])
        envelope = paging.page(objects, limit, lambda item: str(item["id"]))
        envelope["has_more"] = len(found) > len(objects)
        envelope["removed"] = removed_turns(
            head,
            found[: len(objects)],
            newest_first=newest_first,
            after=after,
            has_more=envelope["has_more"],
        )
        return Response(envelope)

    @extend_schema(
        operation_id="add_turn",
        parameters=parameters.WRITE,
        request=TurnInput,
        examples=examples.TURN,
        responses={201: outputs.Turn, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Record a turn; a version is made only if it left another state."""
        given = self.read(TurnInput)
        data = given.validated_data
        receipt = timeline.add_turn(
            session_id=session_id,
            exchange=Exchange(
                input=data["input"],
                output=data["output"],
                metadata=data.get("metadata"),
                state_before=data.get("state_before"),
                usage=used.read(data.get("usage")),
            ),
            state_after=data.get("state_after"),
            parts=bundles.named_parts(data),
            step=given.step(),
            act=self.act,
            expected=self.expected(data.get("expected_version")),
        )
        turn = receipt.turn or self._stored_before(receipt)
        if not turn.made_version:
            kept = OF_USAGE if data.get("usage") is not None else ()
            sent = [
                name
                for name in OF_VERSIONS
                if data.get(name) is not None and name not in kept
            ]
            self.name_ignored(*sent)
        if receipt.turn is None:
            (body,) = turn_objects(session_id, [turn])
        else:
            body = written_turn(receipt)
        return self.answer(body, receipt, receipt.number, status=201)

    def _stored_before(self, receipt: Receipt) -> Turn:
        """Raises: SessionNotFound for a session that has been deleted since."""
        self.version(receipt.session_id, receipt.number)
        return listing.turn(receipt.session_id, receipt)

    def _number_of(self, session_id: str, turn_id: str | None) -> int | None:
        if turn_id is None:
            return None
        found = Turn.objects.of_session(session_id).filter(id=turn_id).first()
        if found is None:
            raise InvalidRequest(
                "starting_after names no turn of this session.", param="starting_after"
            )
        return found.turn_number


class TurnView(TimelineView):
    """One turn."""

    @extend_schema(
        operation_id="read_turn", responses={200: outputs.Turn, **READ_ERRORS}
    )
    def get(self, request: Request, session_id: str, turn_id: str) -> Response:
        """Read a turn whole."""
        self.version(session_id, None)
        turn = Turn.objects.of_session(session_id).filter(id=turn_id).first()
        if turn is None:
            raise TurnNotFound
        return Response(turn_objects(session_id, [turn])[0])


class HistoryView(TimelineView):
    """Versions, turns and traces of a session in one answer."""

    @extend_schema(
        operation_id="read_history",
        parameters=[
            parameters.limit(50),
            OpenApiParameter("starting_after", int, description="A version number."),
            parameters.include("include_state", default=True),
            parameters.include("include_traces", default=True),
        ],
        responses={200: outputs.History, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the newest versions, with the newest turns and traces beside them."""
        limit = paging.limit_of(request, default=50)
        after = paging.integer_of(request, "starting_after", minimum=0, maximum=2**53)
        head = self.version(session_id, None)
        found = fetching.versions_of(
            session_id, newest_first=True, after=after, limit=limit
        )
        shown = found[:limit]
        states: dict[tuple[str, int], bytes] = {}
        if paging.flag_of(request, "include_state", default=True):
            shown = listing.within_bytes(shown, lambda version: version.body_size)
            states = fetching.states_there(shown)
        turns = listing.turns(session_id, newest_first=True, after=None, limit=limit)
        body: dict[str, Any] = {
            "object": "history",
            "session_id": session_id,
            "current_version": head.number,
            "data": [
                shapes.version_object(
                    version, [], states.get((session_id, version.number))
                )
                for version in shown
            ],
            "removed": removed_on_page(
                head,
                [version.number for version in shown],
                newest_first=True,
                after=after,
                has_more=len(found) > len(shown),
            ),
            "has_more": len(found) > len(shown),
            "turns": turn_objects(session_id, turns[:limit], with_states=False),
        }
        if paging.flag_of(request, "include_traces", default=True):
            wanted = listing.TraceFilter(session_id=session_id)
            events = listing.traces(self.scope, wanted, before_id=None, limit=limit)
            body["traces"] = traces.trace_objects(events[:limit])
        return Response(body)


def written_turn(receipt: Receipt) -> dict[str, Any]:
    """Return the turn that a write has just stored, without reading it back.

    Raises: TypeError for a receipt that is a replay's: it has none.
    """
    turn, head = receipt.turn, receipt.built_on
    if turn is None or head is None:
        raise TypeError("A replay has to be read.")
    parts = turn.parts()
    before, after = parts.get("state_before"), None
    if turn.before_number is not None:
        before = reading.state(head)
    if turn.state_after_sent:
        after = reading.state(receipt.made[-1] if receipt.made else head)
    return shapes.turn_object(turn, parts, before, after)


def turn_objects(
    session_id: str, turns: Sequence[Turn], *, with_states: bool = True
) -> list[dict[str, Any]]:
    """Return turns whole, as many of the first as fit into a page, at least one.

    The state after a turn is its version's, the one before is either the version's it
    was sent against or the text that was kept with the turn. What was not sent is null;
    without states so is what stands in versions.
    """
    versions: dict[int, VersionRow] = {}
    if with_states:
        numbers = {number for turn in turns for number in _shown_by(turn)}
        found = fetching.versions_at(session_id, sorted(numbers)) if numbers else []
        versions = {version.number: version for version in found}
    shown = listing.within_bytes(list(turns), _sizes(versions))
    wanted = {number for turn in shown for number in _shown_by(turn)}
    states = fetching.states_there(
        [v for number, v in versions.items() if number in wanted]
    )
    objects = []
    for turn in shown:
        parts = {} if turn.is_emptied else turn.parts()
        before = parts.get("state_before")
        if turn.before_number is not None:
            before = states.get((session_id, turn.before_number))
        after = None
        if turn.state_after_sent:
            after = states.get((session_id, turn.head_number))
        erased = any(
            number not in versions or versions[number].is_emptied
            for number in _shown_by(turn)
        )
        objects.append(
            shapes.turn_object(
                turn, parts, before, after, states_erased=with_states and erased
            )
        )
    return objects


def _shown_by(turn: Turn) -> set[int]:
    """Return the versions whose states a turn shows as its own."""
    numbers = {turn.head_number} if turn.state_after_sent else set()
    return numbers if turn.before_number is None else numbers | {turn.before_number}


def _sizes(versions: dict[int, VersionRow]) -> Callable[[Turn], int]:
    """Return what tells a turn's bytes; a state shown by several counts each time."""

    def size_of(turn: Turn) -> int:
        shown = [versions[n].body_size for n in _shown_by(turn) if n in versions]
        return turn.size + sum(shown)

    return size_of
