"""What the travel agent keeps between its sessions: config, data, checkpoints of both.

Its policies hold back an e-mail address that it wants to keep, twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.audit.streams import Result
from apps.core import json
from apps.data import operations as data
from apps.data.documents.values import NewValue
from apps.data.models import Checkpoint
from apps.data.operations import NewCheckpoint
from apps.demo.people import ENGINEER
from apps.demo.script import KEY_PREFIX, Scene, Stage
from apps.demo.trips import AGENT, MODEL
from apps.timeline.operations import Document

PROMPT = "When the customer changes plans, repeat what stays before you act."
CAREFUL = f"{PROMPT} Never charge without a confirmed quote."
POLICIES = {
    "block_pii": True,
    "block_secrets": True,
    "denied_key_prefixes": ["card:"],
    "retention_by_prefix": {"fares:": 1},
    "max_value_size_bytes": 65_536,
}
CONFIGS: tuple[tuple[float, dict[str, Any]], ...] = (
    (8, {"model": MODEL, "temperature": 0.4, "prompt": PROMPT}),
    (31, {"model": MODEL, "temperature": 0.4, "prompt": PROMPT, "policies": POLICIES}),
    (
        157,
        {"model": MODEL, "temperature": 0.2, "prompt": CAREFUL, "policies": POLICIES},
    ),
)
SEAT, MEALS = "user:cust_3021:seat", "user:cust_3021:preferences"
# Hours after the week began, the key, what is written, and why.
WRITES: tuple[tuple[float, str, Any, str], ...] = (
    (20, SEAT, "aisle", "Said so when booking to Lisbon"),
    (21, MEALS, {"meal": "vegetarian", "alliance": None}, "Asked before the flight"),
    (44, "user:cust_3044:seat", "window", "Chose it on the seat map"),
    (45, "notes/visa", "Japan: none for 90 days.\nMorocco: none.", "Looked it up"),
    (70, SEAT, "window", "Wants to see the fjords"),
    (93, MEALS, {"meal": "vegan", "alliance": "Star"}, "Corrected the meal"),
    (
        118,
        "notes/visa",
        "Japan: none for 90 days.\nMorocco: none.\nCanada: eTA, 7 CAD.",
        "A trip to Vancouver",
    ),
    (150, "fares:LIS", {"low": 142, "currency": "EUR"}, "Quoted by TP"),
    (161, "fares:LIS", {"low": 168, "currency": "EUR"}, "Quoted by TP"),
    (162, "fares:YUL", {"low": 611, "currency": "CAD"}, "Quoted by AC"),
    (166, SEAT, "aisle", "Changed back for the night flight"),
)
# Hours after the week began, what is told of a checkpoint, and who makes it.
CHECKPOINTS: tuple[tuple[float, str, str, str], ...] = (
    (43.5, "before the seat map import", "Seats of all who book by phone", AGENT),
    (149.5, "before the fares feed", "", AGENT),
    (156.5, "before the careful prompt", "To compare how often it asks", ENGINEER),
)
CONTACT = "user:cust_3021:contact"
BLOCKED: tuple[tuple[float, str], ...] = (
    (71, "Confirm to ann.larsen@example.com, please"),
    (163, "Send the ticket to ann.larsen@example.com"),
)


def scenes(start: datetime) -> Iterator[Scene]:
    """Yield what is kept, in no order."""
    for at, config in CONFIGS:
        yield _scene(start, at, "config", _configuring(config), by=ENGINEER)
    for at, key, value, why in WRITES:
        text = value if isinstance(value, str) else json.dumps(value).decode()
        yield _scene(start, at, "data", _writing(key, text, why))
    for at, label, description, by in CHECKPOINTS:
        said = NewCheckpoint(label=label, description=description or None)
        yield _scene(start, at, "checkpoint", _keeping(said), by=by)
    for at, text in BLOCKED:
        yield _scene(start, at, "blocked", _once(_writing(CONTACT, text, "To reach")))


def _scene(
    start: datetime,
    at: float,
    name: str,
    perform: Callable[[Stage, Act], object],
    *,
    by: str = AGENT,
) -> Scene:
    when = start + timedelta(hours=at)
    return Scene(at=when, key=f"{KEY_PREFIX}:{name}:{at}", by=by, perform=perform)


def _configuring(config: dict[str, Any]) -> Callable[[Stage, Act], object]:
    return lambda stage, act: data.configure(act=act, reference=AGENT, config=config)


def _writing(key: str, value: str, why: str) -> Callable[[Stage, Act], object]:
    item = NewValue(key=key, value=value)
    return lambda stage, act: data.write_batch(
        act=act, reference=AGENT, items=[item], reasoning=why
    )


def _keeping(said: NewCheckpoint) -> Callable[[Stage, Act], object]:
    """Make a checkpoint, unless it was made: what was written since tells it apart."""

    def performed(stage: Stage, act: Act) -> None:
        # Not by the list, which is recorded: loaded again, the week is the same.
        agent = Agent.objects.visible_to(act.scope).one_named(AGENT)
        document = Document.of_agent(act.project, agent.id)
        if not Checkpoint.objects.of(document.id).filter(label=said.label).exists():
            data.create_checkpoint(act=act, reference=AGENT, said=said)

    return performed


def _once(perform: Callable[[Stage, Act], object]) -> Callable[[Stage, Act], object]:
    """Leave out what a policy has blocked at this time: it stores nothing to find."""

    def performed(stage: Stage, act: Act) -> None:
        agent = Agent.objects.visible_to(act.scope).one_named(AGENT)
        records = AuditRecord.objects.for_stream(agent.id)
        if not records.filter(result=Result.BLOCKED, created_at=act.now).exists():
            perform(stage, act)

    return performed
