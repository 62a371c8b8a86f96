"""Appending what a gate may refuse: asked under the session's lock, then stored."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from apps.agents.acts import Act
from apps.timeline import hooks
from apps.timeline.ledger import appending
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Expected, Receipt, Write
from apps.timeline.ledger.locking import lock_session
from apps.timeline.ledger.policies import Policy
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op


def append(
    *,
    act: Act,
    session_id: str,
    build: Build | tuple[Build, ...],
    expected: Expected = ANY_HEAD,
    policy: Policy,
) -> Receipt:
    """As `ledger.append`, with the gates asked for each version.

    It takes a transaction, which holds a connection while the write is built; without
    a gate `ledger.append` is what is called.

    Raises: what a gate refuses it with, and what `ledger.append` raises.
    """
    asking: Build | tuple[Build, ...]
    if isinstance(build, tuple):
        asking = tuple(_asking(act, one) for one in build)
    else:
        asking = _asking(act, build)
    with transaction.atomic():
        return appending.append(
            act=act,
            session_id=session_id,
            build=asking,
            expected=expected,
            policy=policy,
        )


def _asking(act: Act, build: Build) -> Callable[[VersionRow], Write]:
    """Return what builds the same once the gates have let it pass.

    They are asked under the lock: a head that has moved on is a conflict then.
    """

    def built(head: VersionRow) -> Write:
        write = build(head)
        lock_session(head.session_id)
        asked = hooks.AppendAsked(
            act=act,
            session_id=head.session_id,
            agent_id=head.agent_id,
            head_number=head.number,
            op=write.draft.op if write.draft else Op.TURN,
        )
        hooks.ask_append(asked)
        return write

    return built
