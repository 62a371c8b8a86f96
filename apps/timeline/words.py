"""The words of the timeline: what a version is, what holds a session, its status."""

from django.db import models

# The label by which people say of a version that it may be gone back to.
KNOWN_GOOD = "known-good"
# The objective of a version since which people are asked to approve something.
WAITS_FOR_APPROVAL = "WAITING_FOR_APPROVAL"
# An objective that begins so asks for a person, until the next write.
WAITING_FOR = "WAITING_FOR"


class Kind(models.TextChoices):
    """What a row of sessions is."""

    SESSION = "session"  # a conversation or run, with whole states
    KEYED = "keyed"  # a keyed document: no door made for sessions shows it
    SHARED = "shared"  # a shared document, with whole states: nor does one show it


class Status(models.TextChoices):
    """A session's status as lists show it; `hold` of the head decides writes."""

    ACTIVE = "active"  # from creation, or by resume
    PAUSED = "paused"  # by pause, or by a rollback that holds
    CLOSED = "closed"  # by close; never again active
    DELETED = "deleted"  # by delete; the evidence stays


class Standing(models.TextChoices):
    """How a session stands in lists: the first that applies, in this order."""

    HELD = "paused"
    WAITING = "waiting"  # for a person
    WRONG = "wrong"  # a live version is flagged, and none since is known good
    FAILED = "failed"  # by its newest review or, without one, by a score
    CLOSED = "closed"
    ROLLED = "rolled"  # its head is a rollback
    FORKED = "forked"  # its head is what it began with, as a fork
    ACTIVE = "active"


class Hold(models.TextChoices):
    """What the next append has to respect; copied from version to version."""

    OPEN = "open"  # everybody may append
    PAUSED = "paused"  # agents may not, people may
    CLOSED = "closed"  # nobody may
    DELETED = "deleted"  # nobody may, and agents no longer see the session


class Op(models.TextChoices):
    """What a version is; each is the name of the operation that wrote it."""

    CREATE = "create"
    UPDATE = "update"  # keys merged into the state
    REPLACE = "replace"  # the state set as a whole
    TURN = "turn"  # a turn came with another state
    ROLLBACK = "rollback"
    PROMOTE = "promote"  # what a fork has made of the state, merged into it
    REVERT = "revert"  # what some versions have made of it, taken back
    REAPPLY = "reapply"  # what some versions have made of it, once more
    RESTORE = "restore"  # places of the state as an earlier version has them
    MIGRATE = "migrate"  # the state as a newer schema of the agent has it
    FORK = "fork"  # version 0 of a session made from another
    PAUSE = "pause"
    RESUME = "resume"
    WAIT = "wait"  # people are asked; the state stays
    DECIDE = "decide"  # what came of it; the state stays
    CLOSE = "close"
    DELETE = "delete"


# Versions with a second parent: `source_session_id` and `source_number` name it.
MERGING = frozenset({Op.PROMOTE, Op.REVERT, Op.REAPPLY, Op.RESTORE})
# Where a project requires the reason of a rollback, it does so of these.
TAKING_BACK = frozenset({Op.REVERT, Op.RESTORE})


class KeyedOp(models.TextChoices):
    """What a version of a keyed document is, beside `create` and `rollback`."""

    SET = "set"  # the value of one key
    REMOVE = "remove"
    REMOVE_PREFIX = "remove_prefix"  # all keys that begin alike
    EXPIRE = "expire"  # the keys whose time is over
    CONFIGURE = "configure"  # the config, which stands under the empty key


class Cause(models.TextChoices):
    """How a key came by what it has, or lost it."""

    SET = "set"
    REMOVED = "removed"
    RESTORED = "restored"
    EXPIRED = "expired"


class Outcome(models.TextChoices):
    """How a session went, as somebody says who has looked at it."""

    FINE = "fine"
    FAILED = "failed"


class OpenKind(models.TextChoices):
    """Why a session is on a list of what needs a person."""

    # One row: the agent waits for a human since version `number`. See `waiting.py`.
    WAITING = "waiting"
    # A row for each live version with flags; a rollback is none of them.
    FLAGGED = "flagged"
    # One row: agents' writes are refused since version `number`.
    HELD = "held"


class EffectClass(models.TextChoices):
    """What can be done about an effect; one that says nothing is irreversible."""

    READ = "read"  # it changes nothing
    REVERSIBLE = "reversible"  # the tool can take it back
    COMPENSABLE = "compensable"  # another act can make up for it
    IRREVERSIBLE = "irreversible"


class EffectStatus(models.TextChoices):
    """What an effect has come to."""

    BEGUN = "begun"
    DONE = "done"  # for good
    FAILED = "failed"  # nothing happened; it may be tried again
    UNKNOWN = "unknown"  # it may have happened
    REUSED = "reused"  # nothing was called: the record had the result


class CacheScope(models.TextChoices):
    """Whose results may answer a read in place of its call."""

    SESSION = "session"  # the session's own, and its origin's
    AGENT = "agent"  # those of all sessions of the agent that offer them


class CompensationStatus(models.TextChoices):
    """What became of what is owed for an effect that a rollback has crossed."""

    OPEN = "open"
    REQUESTED = "requested"  # somebody was asked to put it right
    DONE = "done"
    FAILED = "failed"  # it was tried, and is still owed
    WAIVED = "waived"  # a person or an agent says that it stays as it is


class Removed(models.TextChoices):
    """What a removal did to a range of versions."""

    EMPTIED = "emptied"  # their contents went, their headers stand
    PRUNED = "pruned"
    REMOVED = "removed"  # with the whole session


class Crossing(models.TextChoices):
    """What a rollback may go behind of what happened outside."""

    ANYTHING = "anything"
    # Neither what is irreversible by its own word nor what may have happened: a person
    # has to confirm that.
    NOTHING_GRAVE = "nothing_grave"
    NOTHING_OWED = "nothing_owed"


# How much more the codec of a body is that stands in an archive; all above it do.
ARCHIVED = 32
