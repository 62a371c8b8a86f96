"""Turns: one exchange with the agent, and the state it left, if it left another."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.core import json
from apps.core.actors import ActorKind
from apps.core.errors import PayloadTooLarge
from apps.core.ids import new_id
from apps.core.json import Json, State
from apps.timeline import bodies, hooks, ledger
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON
from apps.timeline.hooks import reported, used
from apps.timeline.hooks.used import Usage
from apps.timeline.ledger import gated, naming, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Expected, Receipt, TurnDraft, Write
from apps.timeline.ledger.encoding.writes import sealer
from apps.timeline.models import Version
from apps.timeline.operations.states import differs, draft_of
from apps.timeline.projection.texts import turn_text
from apps.timeline.versions import reading
from apps.timeline.versions.proof import SALT_BYTES
from apps.timeline.versions.reading import Step, VersionRow, require_text
from apps.timeline.words import Op

MAX_TURN_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What was said: input and output as objects, kept whole, and metadata.

    All are held to the rules of states: what is stored must be readable again. So is
    `state_before`, which the agent says it had, where it is stored: if it differs from
    the head.
    """

    input: dict[str, Json]
    output: dict[str, Json]
    metadata: dict[str, Json] | None = None
    state_before: State | None = None
    usage: Usage | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "metadata"):
            value = getattr(self, name)
            if value is not None:
                json.check(value, at=f"/{name}")


def add_turn(
    *,
    act: Act,
    session_id: str,
    exchange: Exchange,
    state_after: State | None = None,
    parts: tuple[Part, ...] = (),
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Record a turn; make a version only if it left another state or other parts.

    `state_after` replaces the state.

    Raises: UnacceptableJson, PayloadTooLarge, what `ledger.append` or a gate raises.
    """
    turn_id = new_id("turn", now=act.now)

    def build(head: VersionRow) -> Write:
        turn = _draft(act, turn_id, exchange, head, state_after, step)
        if not differs(head, state_after, parts):
            return Write(turn=turn)
        state = state_after
        if state is None:
            state = reading.parsed(head)
        draft = draft_of(Op.TURN, head, state=state, given=parts, step=step)
        return Write(draft=draft, turn=turn)

    append = gated.append if hooks.APPEND else ledger.append
    if parts:
        append = naming.appending(append, parts)
    return append(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.WRITE[act.actor.kind],
    )


def _draft(
    act: Act,
    turn_id: str,
    exchange: Exchange,
    head: VersionRow,
    state_after: State | None,
    step: Step,
) -> TurnDraft:
    parts = [
        Part("input", JSON, json.dumps(exchange.input)),
        Part("output", JSON, json.dumps(exchange.output)),
    ]
    if exchange.metadata is not None:
        parts.append(Part("metadata", JSON, json.dumps(exchange.metadata)))
    before = exchange.state_before
    is_head = before is not None and not differs(head, before, ())
    if before is not None and not is_head:
        written = json.state_bytes(before, at="/state_before")
        parts.append(Part("state_before", JSON, written))
    raw = bodies.frame(tuple(parts))
    if len(raw) > MAX_TURN_BYTES:
        raise PayloadTooLarge(
            f"A turn may have {MAX_TURN_BYTES:,} bytes.", limit=MAX_TURN_BYTES
        )
    salt = secrets.token_bytes(SALT_BYTES)
    facts = reported.facts(exchange.input, exchange.output, exchange.metadata)
    body = bodies.encode(raw, number=0, base=None, salt=salt)
    seals = sealer(act.project, head.session_id, head.user_id)
    return TurnDraft(
        id=turn_id,
        step=step,
        input_type=_type_of("input", exchange.input),
        output_type=_type_of("output", exchange.output),
        before_number=head.number if is_head else None,
        state_after_sent=state_after is not None,
        body=bodies.sealed(body, seals),
        # Words in clear would tell of what is sealed.
        text="" if seals else turn_text(exchange.input, exchange.output),
        facts=facts,
        said=hooks.TurnSaid(
            input=exchange.input, output=exchange.output, metadata=exchange.metadata
        ),
        usage=_used(act, exchange.usage, head, step, is_call="tool_name" in facts),
    )


def _used(
    act: Act, usage: Usage | None, head: VersionRow, step: Step, *, is_call: bool
) -> dict[str, Json] | None:
    """Return what is kept of what it used, a cost that it does not say filled in."""
    model, release = step.model or head.model, step.release or head.release
    if usage is not None and not (model and release):
        was_model, was_release = _written_with(head)
        model, release = model or was_model, release or was_release
    if usage is not None and usage.cost is None and model:
        found = hooks.price(act.project_id, model, act.now, usage)
        if found is not None:
            usage = usage.priced(
                cost=found.cost, currency=found.currency, price_id=found.id
            )
    return used.stored(usage, model=model, release=release, is_call=is_call)


def _type_of(side: str, said: dict[str, Json]) -> str:
    kind = said.get("type")
    if not isinstance(kind, str):
        return "text"
    require_text(f"{side}.type", kind, 100)
    return kind


def _written_with(head: VersionRow) -> tuple[str | None, str | None]:
    """Return the model and the release of the agent's newest version up to the head.

    What people and the system did since tells none, and neither does what shows no
    other state: a turn after that is still of the code that wrote before.
    """
    if head.actor_kind == ActorKind.KEY and head.op not in hooks.QUIET:
        return head.model, head.release
    earlier = Version.objects.filter(
        session_id=head.session_id, number__lt=head.number, actor_kind=ActorKind.KEY
    )
    told = earlier.exclude(op__in=hooks.QUIET).order_by("-number")
    return told.values_list("model", "release").first() or (None, None)
