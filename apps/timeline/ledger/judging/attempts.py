"""Writes of agents with guards: what was found is stored with what it was found of."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from django.db import transaction

from apps.timeline import hooks
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Receipt, WriteCommand
from apps.timeline.ledger.locking import lock_session
from apps.timeline.versions.reading import VersionRow

Attempt = Callable[[WriteCommand, VersionRow, Judging | None], Receipt | None]


def attempt(command: WriteCommand, head: VersionRow, on: Attempt) -> Receipt | None:
    """Try to store a write that guards look at; None as `on` says it.

    Where they look at earlier turns the session is locked before it is built.

    Raises: what a guard refuses it with, and what `on` raises.
    """
    judging = hooks.judging(command.act, head.agent_id, head.session_id)
    needs_lock = judging is not None and judging.needs_lock
    with transaction.atomic() if needs_lock else nullcontext():
        if needs_lock:
            lock_session(command.session_id)
        return on(command, head, judging)


def stored(
    judging: Judging, session_id: str, send: Callable[[], Receipt | None]
) -> Receipt | None:
    """Store a built write, with what was found of it."""
    if not judging.has_found:
        return send()
    with transaction.atomic():
        lock_session(session_id)
        receipt = send()
        if receipt is not None and not receipt.is_replay:
            judging.stored(receipt)
    return receipt
