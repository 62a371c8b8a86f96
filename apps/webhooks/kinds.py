"""What a webhook may be told of, in one table.

A kind is the `type` of what is sent. Here is the place for another one: name its
action, and in `payloads` what its `data` says, if the plain form is not enough.
"""

from collections.abc import Iterator

from apps.audit.actions import Action
from apps.audit.entries import Entry

# By the kind's name: what it means, for people who choose.
KINDS: dict[str, str] = {
    "session.created": "A session began.",
    "session.updated": "A session's metadata or lifetime was changed.",
    "session.rolled_back": "A session was rolled back to an earlier version.",
    "session.promoted": "What a fork had made of the state was merged into it.",
    "session.reverted": "What some versions had made of the state was taken back.",
    "session.reapplied": "What some versions had made of the state was made again.",
    "session.restored": "Places of the state were set back to an earlier version.",
    "session.migrated": "The state became one of another schema of its agent.",
    "session.forked": "A session began as a fork of another.",
    "session.paused": "A session was paused: agents' writes are refused.",
    "session.resumed": "A paused session goes on.",
    "session.closed": "A session was closed for good.",
    "session.reviewed": "A person said how a session went: fine or failed, and why.",
    "session.scored": "An agent or evaluator gave a session a score.",
    "session.deleted": "A session was deleted.",
    "session.expired": "A session's time was over.",
    "session.emptied": "Contents of versions went, by a policy or an erasure.",
    "session.pruned": "Versions went, by a policy or an erasure; a tombstone stays.",
    "session.removed": "A session went, by a policy or an erasure.",
    "session.escalated": "People are needed: by an approval, failures or the state.",
    "approval.requested": "An agent asked people to approve something.",
    "approval.voted": "A person voted on an approval that is not decided by that.",
    "approval.decided": "An approval was granted, rejected or void, or its time over.",
    "approval.escalated": "Nobody decided in time; administrators decide now.",
    "version.created": "Any act made a version: a write, a rollback, a pause, …",
    "turn.added": "A turn was added.",
    "effect.unknown": "It is not known whether something an agent began happened.",
    "facts.changed": "What a session rests on has changed, or nobody knows whether.",
    "session.silent": "A session has not written for as long as is expected of it.",
    "session.heard": "A session that was silent has written again.",
    "budget.warned": "A budget has reached the share from which it warns, once.",
    "budget.reached": "A budget is reached: what it counts may be paused by it.",
    "guard.failed": "A write did not pass a guard of its agent, or cannot be decided.",
    "compensation.requested": "Somebody asked to put right what a rollback left.",
    "agent.suspended": "An agent was suspended: its writes are refused.",
    "agent.activated": "A suspended agent may write again.",
    "agent.deleted": "An agent was deleted: as suspended, and lists leave it out.",
    "agent.restored": "A deleted agent was brought back.",
    "data.blocked": "A policy blocked a write to an agent's data.",
    "data.deleted": "Keys of an agent's data were deleted.",
    "data.expired": "The time of keys of an agent's data was over.",
    "config.updated": "An agent's config was set.",
    "config.rolled_back": "An agent's config was rolled back to an earlier version.",
    "checkpoint.created": "A checkpoint of an agent's config and data was made.",
    "checkpoint.restored": "An agent was restored to a checkpoint.",
    "checkpoint.deleted": "A checkpoint was deleted; history stays.",
    "exception.created": "Something that a policy blocks was let pass, with a reason.",
    "memory.created": "Something was remembered that was not known.",
    "memory.updated": "A memory was changed, said again, or decided about.",
    "memory.deleted": "A memory was deleted, dropped, or replaced by another.",
    "memory.conflicted": "Something was remembered that is near another memory.",
    "memory.expired": "The time of memories was over.",
    "memory.restored": "Memories were stepped back to an earlier moment.",
    "alert.firing": "A metric is over a rule's threshold.",
    "alert.acknowledged": "Somebody has taken on what fires.",
    "alert.resolved": "It is back below.",
    "root.signed": "The ends of histories were signed: the note, to be kept elsewhere.",
    "summary.weekly": "Once a week: the rollback rate, the worst, and what changed.",
}
VERSION = "version.created"
# Told by counts and ids: of what is gone nothing is said again.
REMOVALS = {
    Action.SESSION_EMPTIED.value,
    Action.SESSION_PRUNED.value,
    Action.SESSION_REMOVED.value,
}
# Of the whole installation: no event of a project says so.
ROOT = "root.signed"
# Sent when a person asks for a test; nobody subscribes to it.
TEST = "webhook.test"

# Acts that make a version, and are told as that as well.
MAKING_VERSIONS = {
    Action.SESSION_CREATED,
    Action.SESSION_FORKED,
    Action.SESSION_ROLLED_BACK,
    Action.SESSION_PAUSED,
    Action.SESSION_RESUMED,
    Action.SESSION_CLOSED,
    Action.SESSION_DELETED,
    Action.SESSION_PROMOTED,
    Action.SESSION_REVERTED,
    Action.SESSION_REAPPLIED,
    Action.SESSION_RESTORED,
    Action.SESSION_MIGRATED,
    Action.APPROVAL_REQUESTED,
    Action.APPROVAL_DECIDED,
    Action.VERSION_CREATED,
}
FOLLOWED = sorted({*KINDS, *(action.value for action in MAKING_VERSIONS)})


def kinds_of(event: Entry) -> Iterator[str]:
    """Yield each kind that this event is told as, the particular one first."""
    if event.action in KINDS and event.action != VERSION:
        yield event.action
    if event.action in MAKING_VERSIONS and event.number is not None:
        yield VERSION


def message_id(event: Entry, kind: str) -> str:
    """Return the id of what is sent: of each kind its own, the same for ever."""
    digits = event.id.partition("_")[2]
    return f"evt_{digits}v" if kind == VERSION else f"evt_{digits}"
