# Written by make_sync.py from _async/thread_approvals.py: do not edit.
"""Interrupts of threads as approvals: asked for once, answered as was decided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from langgraph.types import Interrupt

from stepback._sync.thread_writes import ThreadWrites
from stepback.answers import Approval
from stepback.errors import ApprovalNotFound, IdempotencyKeyReused
from stepback.langgraph.acting.answered import Answers
from stepback.langgraph.acting.shapes import Question, approval_in, shape_of
from stepback.langgraph.known import Thread


class ThreadApprovals(ThreadWrites):
    """Asks in the session of the thread itself, also what a sub-graph asks."""

    def ask(
        self,
        thread: Thread,
        checkpoint_id: str,
        interrupts: Sequence[Interrupt[Any]],
        ttl_seconds: int,
    ) -> None:
        """Ask people what these interrupts ask; what was asked before is not again.

        What a sub-graph asks comes again from the thread itself. It is asked once its
        checkpoint is stored: a rollback behind that voids it.
        """
        asked = [one for one in interrupts if approval_in(one) is None]
        if thread[1] or not asked:
            return
        self.stored(thread, checkpoint_id)
        for one in asked:
            self._asked(thread[0], one, ttl_seconds)

    def answers(
        self, thread_id: str, interrupts: Sequence[Interrupt[Any]], ttl_seconds: int
    ) -> Answers:
        """Return what people decided of these; what was never asked is asked."""
        found = Answers()
        for one in interrupts:
            named = approval_in(one)
            if named is not None:
                approvals = [self._named(thread_id, named)]
            else:
                approvals = self._asked(thread_id, one, ttl_seconds)
            found.add(one, approvals)
        return found

    def _asked(
        self, thread_id: str, interrupt: Interrupt[Any], ttl_seconds: int
    ) -> list[Approval]:
        """Return the approval of each question, under the interrupt's id."""
        session_id = self._made((thread_id, ""))
        questions = shape_of(interrupt).questions
        found = []
        for number, one in enumerate(questions):
            key = interrupt.id if len(questions) == 1 else f"{interrupt.id}:{number}"
            found.append(self._requested(session_id, key, one, ttl_seconds))
        return found

    def _requested(
        self, session_id: str, key: str, question: Question, ttl_seconds: int
    ) -> Approval:
        try:
            return self._request(session_id, key, question, ttl_seconds)
        except IdempotencyKeyReused:
            # The node ran again and asks something else: what people said of the
            # other is no answer to it.
            told = json.dumps([question.tool, question.arguments], sort_keys=True)
            digest = hashlib.sha256(told.encode()).hexdigest()[:32]
            other = f"{key}:{digest}"
            return self._request(session_id, other, question, ttl_seconds)

    def _request(
        self, session_id: str, key: str, question: Question, ttl_seconds: int
    ) -> Approval:
        return self.client.approvals.request_approval(
            session_id,
            question.tool,
            question.arguments,
            schema=question.schema,
            reason=question.reason,
            key=key,
            ttl_seconds=ttl_seconds,
        )

    def _named(self, thread_id: str, approval_id: str) -> Approval:
        """Return an approval of this thread.

        Raises: ApprovalNotFound, also for one of another thread.
        """
        found = self.client.approvals.get(approval_id)
        if found.session_id != self._made((thread_id, "")):
            raise ApprovalNotFound(
                f"{approval_id} is no approval of this thread.", status=404
            )
        return found
