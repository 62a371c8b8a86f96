"""What an agent said and did in a session, and what people wrote beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import (
    Json,
    Order,
    Written,
)


class AsyncSessionTurns(AsyncResource):
    """Turns and their summaries, the context that is made of them, and notes."""

    async def add_turn(
        self,
        session_id: str,
        input: str | Mapping[str, Json],
        output: str | Mapping[str, Json],
        metadata: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        state_before: Mapping[str, Json] | None = None,
        state_after: Mapping[str, Json] | None = None,
        usage: Mapping[str, int | str] | None = None,
        **written: Unpack[Written],
    ) -> answers.Turn:
        """Record an exchange. It makes a version only if `state_after` is another.

        `usage` says `input_tokens`, `output_tokens`, `cached_tokens`, and `cost` as
        decimal text with its `currency`.
        """
        body = given(
            input=input,
            output=output,
            metadata=metadata,
            reasoning=reasoning,
            state_before=state_before,
            state_after=state_after,
            usage=usage,
            **written,
        )
        return await self._send(
            "POST", ("sessions", session_id, "turns"), body, answers.Turn.of
        )

    async def add_tool_call(
        self,
        session_id: str,
        tool_name: str,
        arguments: Mapping[str, Json],
        output: Json,
        *,
        call_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        state_after: Mapping[str, Json] | None = None,
        usage: Mapping[str, int | str] | None = None,
        **written: Unpack[Written],
    ) -> answers.Turn:
        """Record a tool call that has happened; a rollback will warn of it."""
        called = given(name=tool_name, arguments=dict(arguments), id=call_id)
        return await self.add_turn(
            session_id,
            {
                "type": "tool_call",
                "content": f"Call tool {tool_name}",
                "tool_metadata": called,
            },
            {"type": "tool_response", "content": str(output), "output": output},
            metadata,
            reasoning,
            state_after=state_after,
            usage=usage,
            **written,
        )

    async def list_turns(
        self,
        session_id: str,
        *,
        limit: int = 20,
        order: Order = "desc",
        starting_after: str | None = None,
    ) -> answers.Page[answers.Turn]:
        """List turns, newest first unless asked otherwise."""
        return await self._ask(
            page_of(answers.Turn.of),
            ("sessions", session_id, "turns"),
            limit=limit,
            order=order,
            starting_after=starting_after,
        )

    async def get_turn(self, session_id: str, turn_id: str) -> answers.Turn:
        """Read one turn whole."""
        return await self._ask(
            answers.Turn.of, ("sessions", session_id, "turns", turn_id)
        )

    async def get_context(
        self,
        session_id: str,
        query: str | None = None,
        memory_limit: int | None = None,
        turn_limit: int | None = None,
        *,
        include_set_aside: bool | None = None,
        include_summary: bool | None = None,
        older_summaries: int | None = None,
    ) -> answers.Context:
        """Return the state, the newest summary and the turns since.

        Turns that were set aside only if asked for, as are `older_summaries`: so many,
        with a `query` those nearest to it.
        """
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "context"),
                read=answers.Context.of,
                reads=True,
                body=given(
                    query=query,
                    memory_limit=memory_limit,
                    turn_limit=turn_limit,
                    include_set_aside=include_set_aside,
                    include_summary=include_summary,
                    older_summaries=older_summaries,
                ),
            )
        )

    async def add_summary(
        self,
        session_id: str,
        first_turn: int,
        last_turn: int,
        text: str,
        *,
        idempotency_key: str | None = None,
    ) -> answers.Summary:
        """Tell shortly what was said from one turn number to another; all of it stays.

        From then on `get_context` has this, and the turns since.
        """
        return await self._send(
            "POST",
            ("sessions", session_id, "summaries"),
            given(first_turn=first_turn, last_turn=last_turn, text=text),
            answers.Summary.of,
            idempotency_key,
        )

    async def list_summaries(
        self, session_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Summary]:
        """List summaries of turns, newest first, with those that count no more."""
        return await self._ask(
            page_of(answers.Summary.of),
            ("sessions", session_id, "summaries"),
            limit=limit,
            starting_after=starting_after,
        )

    async def get_summary(self, session_id: str, summary_id: str) -> answers.Summary:
        """Read one summary, and whether it counts."""
        return await self._ask(
            answers.Summary.of, ("sessions", session_id, "summaries", summary_id)
        )

    async def add_note(
        self,
        session_id: str,
        text: str,
        *,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Note:
        """Write something down about the session, or about one version of it."""
        return await self._send(
            "POST",
            ("sessions", session_id, "notes"),
            given(text=text, version=version),
            answers.Note.of,
            idempotency_key,
        )

    async def review(
        self,
        session_id: str,
        outcome: str,
        why: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> answers.Review:
        """Say how the session went, `fine` or `failed`; the newest review counts."""
        return await self._send(
            "PUT",
            ("sessions", session_id, "review"),
            given(outcome=outcome, why=why),
            answers.Review.of,
            idempotency_key,
        )

    async def score(
        self,
        session_id: str,
        name: str,
        value: float,
        *,
        idempotency_key: str | None = None,
    ) -> answers.Score:
        """Give the session a score: a finite number; of each name the newest counts.

        `success` or `reward` below 0.5 says that it failed, unless a review says else.
        """
        return await self._send(
            "PUT",
            ("sessions", session_id, "score"),
            given(name=name, value=value),
            answers.Score.of,
            idempotency_key,
        )

    async def list_notes(
        self, session_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Note]:
        """List what people wrote down about the session."""
        return await self._ask(
            page_of(answers.Note.of),
            ("sessions", session_id, "notes"),
            limit=limit,
            starting_after=starting_after,
        )
