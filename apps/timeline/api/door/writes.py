"""The plain writes: merge or replace a state, record a turn, append a batch.

They call the same operations as the ordinary views and answer in the same words. The
key is remembered for half a minute, but only what never changes about it: whether it
still opens is asked by the function that stores, under the session's lock.

Passing on is only right while nothing is stored. An operation that refuses has stored
nothing, and a statement that fails was rolled back; a connection that is lost may have
committed, and what fails after the operation is too late: both are answered as
"outcome unknown", by their view, which does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import structlog
from django.db import Error, connections
from django.utils import timezone

from apps.accounts.access import GRANTS, Caller, Permission
from apps.accounts.recognition import CALLERS
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import json
from apps.core.admission import gate
from apps.core.admission.gate import GATE
from apps.core.errors import DomainError, OutcomeUnknown
from apps.core.http.headers import digest_of
from apps.core.http.problems.database import UNKNOWN, database_problem
from apps.core.http.views import allowance_of
from apps.core.processes.served import ALLOWANCE, FAILED
from apps.core.provenance import Request
from apps.timeline import operations as timeline
from apps.timeline.api.batches import BatchesView, batch_object
from apps.timeline.api.door import inputs
from apps.timeline.api.door.plain import (
    MINIMAL,
    PlainAnswer,
    PlainCase,
    PlainRequest,
    session_path,
)
from apps.timeline.api.states import StateView, state_object
from apps.timeline.api.turns import TurnsView, written_turn
from apps.timeline.ledger.drafts import ANY_HEAD, Expected, Receipt
from apps.timeline.versions import fetching, reading

log = structlog.get_logger(__name__)

# Takes a body apart into what the operation is asked for.
Take = Callable[[Mapping[str, Any]], dict[str, Any]]
Operation = Callable[..., Receipt]
Write = tuple[Take, Operation]
Render = Callable[[Receipt], Any]
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Told:
    """What is answered to what was stored; the door writes it as JSON."""

    status: int
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def writing_cases() -> list[PlainCase]:
    """Return the writes that the door answers."""
    replace: Write = (inputs.replacement, timeline.replace)
    states: dict[str, Write] = {
        "PATCH": (inputs.update, timeline.update),
        "PUT": replace,
        "POST": replace,
    }
    add_turn: Write = (inputs.turn, timeline.add_turn)
    append_batch: Write = (inputs.batch, timeline.append_batch)
    return [
        *(
            _case(method, "state", StateView, write, _state, 200, minimal=_minimal)
            for method, write in states.items()
        ),
        _case("POST", "turns", TurnsView, add_turn, written_turn, 201),
        _case("POST", "versions", BatchesView, append_batch, _batch, 201),
    ]


def _case(
    method: str,
    name: str,
    view: Any,
    write: Write,
    render: Render,
    status: int,
    minimal: Render | None = None,
) -> PlainCase:
    def tell(receipt: Receipt, *, is_minimal: bool) -> Told:
        headers = {"ETag": f'"v{receipt.number}"'}
        if minimal is None or not is_minimal:
            return Told(status, render(receipt), headers)
        headers["Preference-Applied"] = MINIMAL
        return Told(status, minimal(receipt), headers)

    def answer(request: PlainRequest) -> PlainAnswer | None:
        return answer_write(
            request,
            lambda caller: _stored(request, method, caller, write),
            partial(tell, is_minimal=request.is_minimal),
        )

    return PlainCase(
        method=method,
        path=session_path(name),
        example=f"/v1/sessions/id/{name}",
        view=view,
        takes_body=True,
        answer=answer,
        has_minimal=minimal is not None,
    )


def answer_write(
    request: PlainRequest,
    store: Callable[[Caller], R | None],
    tell: Callable[[R], Told],
) -> PlainAnswer | None:
    """Do what is asked and answer it, or leave it to the ordinary view.

    `store` gives None, or raises `NotPlain` or a DomainError but `OutcomeUnknown`, only
    where it has stored nothing; what it stored is told of, whatever goes wrong.
    """
    try:
        caller = _caller(request)
        if caller is None:
            return None
        allowance = allowance_of(caller.key_id, caller.rate_limit)
        request.environ[ALLOWANCE] = allowance
        if allowance.is_exceeded:
            return None
        with gate.visiting(GATE):
            gate.take_turns_as(caller.lane)
            stored = _outcome(store, caller)
            if stored is None:
                return None
            told, body = _rendered(stored, tell)
    except inputs.NotPlain:
        return None
    except DomainError as refused:
        if isinstance(refused, OutcomeUnknown):
            request.environ[FAILED] = refused
        return None
    except Exception as error:  # noqa: BLE001 - the view answers it, and logs it
        # A bug, maybe one that showed after the commit: it must not be tried again.
        request.environ[FAILED] = error
        return None
    finally:
        # As after a request of Django's: back to the pool.
        connections["default"].close_if_unusable_or_obsolete()
    return PlainAnswer(
        told.status, told.headers, body, allowance.headers, caller.key_id
    )


def _caller(request: PlainRequest) -> Caller | None:
    """Return who calls, if it may write for every agent of its project."""
    secret = request.secret()
    if secret is None:
        return None
    try:
        caller = CALLERS.find(secret, now=timezone.now())
    except Error:
        return None
    may_write = Permission.WRITE in GRANTS.get(str(caller.scope), ())
    return caller if may_write and caller.agents is None else None


def _outcome(store: Callable[[Caller], R | None], caller: Caller) -> R | None:
    """Raises: DomainError, of which `OutcomeUnknown` alone may have stored it."""
    try:
        return store(caller)
    except Error as error:
        raise database_problem(error) from error


def _stored(
    request: PlainRequest, method: str, caller: Caller, write: Write
) -> Receipt | None:
    """Return what was stored; None where it was stored before.

    Raises: NotPlain, DomainError, Error.
    """
    tag = request.header("HTTP_IF_MATCH")
    given = inputs.parsed(request.body)
    act = Act(
        scope=Scope(caller.project),
        actor=caller.actor,
        now=timezone.now(),
        request=Request(
            id=request.request_id,
            key=request.environ.get("HTTP_IDEMPOTENCY_KEY"),
            digest=digest_of(method, request.environ["PATH_INFO"], tag, request.body),
        ),
        api_key_id=caller.key_id,
    )
    take, operation = write
    receipt = operation(
        act=act,
        session_id=request.names[0],
        expected=_expected(tag, given),
        **take(given),
    )
    return None if receipt.is_replay else receipt


def _rendered(stored: R, tell: Callable[[R], Told]) -> tuple[Told, bytes]:
    """Return the answer to what is stored by now, whatever goes wrong.

    Raises: OutcomeUnknown.
    """
    try:
        told = tell(stored)
        return told, json.splice(told.data)
    except Exception as error:
        log.exception("a stored write could not be answered")
        raise OutcomeUnknown(UNKNOWN) from error


def _expected(tag: str, given: Mapping[str, Any]) -> Expected:
    if tag:
        return Expected(number=int(tag[2:-1]), from_header=True)
    number = given.get("expected_version")
    return ANY_HEAD if number is None else Expected(number=number)


def _state(receipt: Receipt) -> Any:
    version = receipt.made[-1]
    rollback = fetching.last_rollback(version)
    return state_object(version, reading.state(version), rollback)


def _batch(receipt: Receipt) -> Any:
    return batch_object(receipt.made, receipt.made[-1])


def _minimal(receipt: Receipt) -> Any:
    version = receipt.made[-1]
    return state_object(version, None, fetching.last_rollback(version))
