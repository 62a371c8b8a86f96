"""The vocabulary in which the demo's stories are told.

A story is a list of scenes in one session, each at a moment of its own and with an
idempotency key of its own, so that a load that was killed can be repeated: what is
there is replayed, what is missing is added. Nothing here reads the clock.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.json import Json, State, dumps
from apps.core.provenance import Request
from apps.timeline import operations as timeline
from apps.timeline.operations import Receipt, Step
from apps.timeline.versions import named_parts

KEY_PREFIX = "demo"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where the acts take place; `sessions` maps a story's name to its session."""

    scope: Scope
    actors: Mapping[str, Actor]
    sessions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """One call of an operation."""

    at: datetime
    key: str
    by: str
    perform: Callable[[Stage, Act], object]

    def play(self, stage: Stage) -> None:
        """Perform it, or find that it was performed before."""
        request = Request(
            id=new_id("req", now=self.at),
            key=self.key,
            digest=sha256(self.key.encode()).digest(),
        )
        act = Act(
            scope=stage.scope,
            actor=stage.actors[self.by],
            now=self.at,
            request=request,
        )
        self.perform(stage, act)


class Story:
    """One session, told in order. `number` is the head after the acts so far."""

    def __init__(
        self, name: str, *, agent: str, at: datetime, model: str, release: str
    ) -> None:
        self.name = name
        self.agent = agent
        self.at = at
        self.number = 0
        self.scenes: list[Scene] = []
        self._model = model
        self._release = release

    def wait(self, **span: float) -> None:
        """Let time pass before the next act."""
        self.at += timedelta(**span)

    def begin(
        self,
        state: State,
        *,
        user_id: str,
        external_id: str,
        metadata: dict[str, Json],
        reasoning: str,
        title: str | None = None,
        parts: Mapping[str, Json] | None = None,
    ) -> None:
        """Create the session: version 0."""
        about = timeline.About(
            user_id=user_id,
            external_id=external_id,
            metadata=metadata,
            title=title,
        )
        step = self._step(reasoning)

        def perform(stage: Stage, act: Act) -> None:
            made = timeline.create(
                act=act,
                agent=self.agent,
                state=state,
                about=about,
                parts=named_parts(parts or {}),
                step=step,
            )
            stage.sessions[self.name] = made.session_id

        self._add(perform)

    def update(
        self,
        patch: State,
        reasoning: str,
        *,
        remove: Sequence[str] = (),
        parts: Mapping[str, Json] | None = None,
        status: str | None = None,
    ) -> int:
        """Merge keys into the state; return the version's number."""
        self.number += 1
        step = self._step(reasoning, status)
        self._add(
            lambda stage, act: timeline.update(
                act=act,
                session_id=stage.sessions[self.name],
                patch=patch,
                remove=remove,
                parts=named_parts(parts or {}),
                step=step,
            )
        )
        return self.number

    def turn(
        self,
        user: str,
        agent: str,
        *,
        state_after: State | None = None,
        reasoning: str | None = None,
        calls: Mapping[str, Json] | None = None,
    ) -> int:
        """Record what was said, and which tools were called with which arguments.

        With another state it makes a version.
        """
        if state_after is not None:
            self.number += 1
        exchange = timeline.Exchange(
            input={"type": "text", "content": user},
            output={"type": "text", "content": agent} | self._called(calls or {}),
            metadata={"channel": "chat"},
        )
        step = self._step(reasoning)
        self._add(
            lambda stage, act: timeline.add_turn(
                act=act,
                session_id=stage.sessions[self.name],
                exchange=exchange,
                state_after=state_after,
                step=step,
            )
        )
        return self.number

    def roll_back(
        self, to: int, *, by: str, reason: str, reason_code: str, hold: bool = False
    ) -> int:
        """Let a person step back; `hold` pauses the agent with it."""
        self.number += 1
        self._add(
            lambda stage, act: timeline.rollback(
                act=act,
                session_id=stage.sessions[self.name],
                to=to,
                step=Step(reasoning=reason),
                reason_code=reason_code,
                hold=hold,
            ),
            by=by,
        )
        return self.number

    def label(self, number: int, name: str, *, by: str) -> None:
        """Let a person name a version."""
        self._add(
            lambda stage, act: timeline.label(
                act=act,
                session_id=stage.sessions[self.name],
                number=number,
                name=name,
            ),
            by=by,
        )

    def hold(
        self, verb: Callable[..., Receipt], reason: str, *, by: str | None = None
    ) -> int:
        """Pause, resume or close the session: `verb` is the operation."""
        self.number += 1
        self._add(
            lambda stage, act: verb(
                act=act,
                session_id=stage.sessions[self.name],
                step=Step(reasoning=reason),
            ),
            by=by,
        )
        return self.number

    def branch(
        self, name: str, number: int, *, by: str, reason: str, release: str
    ) -> "Story":
        """Let a person fork a version; return the story of the fork."""
        fork = Story(
            name, agent=self.agent, at=self.at, model=self._model, release=release
        )
        about = timeline.About(external_id=name, metadata={"purpose": "debugging"})

        def perform(stage: Stage, act: Act) -> None:
            made = timeline.fork(
                act=act,
                origin=timeline.Origin(
                    session_id=stage.sessions[self.name], number=number
                ),
                about=about,
                step=Step(reasoning=reason),
            )
            stage.sessions[name] = made.session_id

        fork._add(perform, by=by)
        return fork

    def _add(
        self, perform: Callable[[Stage, Act], object], *, by: str | None = None
    ) -> None:
        self.scenes.append(
            Scene(
                at=self.at,
                key=f"{KEY_PREFIX}:{self.name}:{len(self.scenes)}",
                by=by or self.agent,
                perform=perform,
            )
        )

    def _called(self, calls: Mapping[str, Json]) -> State:
        """Return calls as a chat model writes them."""
        made: list[Json] = [
            {
                "id": f"call_{self.name}_{len(self.scenes)}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": dumps(arguments).decode()},
            }
            for place, (name, arguments) in enumerate(calls.items())
        ]
        return {"tool_calls": made} if made else {}

    def _step(self, reasoning: str | None, status: str | None = None) -> Step:
        trace = sha256(f"{self.name}:{len(self.scenes)}".encode()).hexdigest()[:32]
        return Step(
            reasoning=reasoning,
            trace_id=trace,
            step_number=len(self.scenes),
            objective_status=status,
            model=self._model,
            release=self._release,
        )
