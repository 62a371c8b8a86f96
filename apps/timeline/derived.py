"""Tables that follow from history: what search and blame read, and what is open.

`Pending` is written by the append and taken away by the projector, which writes
`Change`, `Term`, `Text` and `Opening` from it. Read the first three with what is still
pending: the views `timeline_change_current`, `timeline_term_current` and
`timeline_text_current`. `models.py` passes all on.

`Entry`, `KeyHead` and `Tally` follow from the versions of a keyed document, and are
written with them by the SQL functions `timeline_keyed_…`.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from apps.timeline.fields import id_field
from apps.timeline.words import Cause, OpenKind


class Pending(models.Model):
    """What one append leaves to be projected: of its versions, its turn, or both.

    `number` is the last version, `first_number` the first (None: a turn alone), and
    `turn_number` 0 without a turn: in the order of this key a session is projected,
    without a gap. `items` says to which version, from 1, a path belongs (None: to the
    only one). Terms are those of the last version; a value of None takes one away.
    """

    pk = models.CompositePrimaryKey("session_id", "number", "turn_number")
    session_id = id_field()
    number = models.BigIntegerField()
    turn_number = models.BigIntegerField()
    first_number = models.BigIntegerField(null=True)
    project_id = id_field()
    # When the last version or the turn was stored.
    at = models.DateTimeField()
    # Of each version, then of the turn: whoever follows them is fed with them.
    event_ids = ArrayField(models.TextField())
    items = ArrayField(models.IntegerField(), null=True)
    path_keys = ArrayField(models.BinaryField())
    roles = ArrayField(models.SmallIntegerField())
    kinds = ArrayField(models.SmallIntegerField())
    value_keys = ArrayField(models.BinaryField(null=True))
    term_keys = ArrayField(models.BinaryField())
    term_values = ArrayField(models.BinaryField(null=True))
    # What was said in the turn; the reasoning is read where it is stored.
    turn_text = models.TextField(null=True)

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} pending"


class Change(models.Model):
    """One path that a version touched, as keyed digests: what blame and search read."""

    pk = models.CompositePrimaryKey("session_id", "path_key", "number")
    session_id = id_field()
    path_key = models.BinaryField()
    number = models.BigIntegerField()
    role = models.SmallIntegerField()
    kind = models.SmallIntegerField()
    value_key = models.BinaryField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["session_id", "number"], name="timeline_change_by_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} change"


class Term(models.Model):
    """By what a session is found: a value of its head under its pointer, or a mark.

    Keyed digests, see `ledger/facts/index.py`. Derived; `rebuild_search` makes it anew.
    """

    pk = models.CompositePrimaryKey("session_id", "path_key")
    session_id = id_field()
    path_key = models.BinaryField()
    value_key = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.session_id} term"


class Text(models.Model):
    """The words of a reasoning, a turn, a version's labels or its messages; derived."""

    pk = models.CompositePrimaryKey("session_id", "kind", "number")
    session_id = id_field()
    kind = models.SmallIntegerField()
    number = models.BigIntegerField()
    words = SearchVectorField()

    def __str__(self) -> str:
        return f"{self.session_id} words of {self.number}"


class Opening(models.Model):
    """What the customer said first in a session, cut: its title where it has no other.

    Written once, from one of the first turns that says anything; derived like terms.
    """

    session_id = id_field(primary_key=True)
    text = models.TextField()

    def __str__(self) -> str:
        return f"{self.session_id} opening"


class Unsearched(models.Model):
    """Its terms and texts are not complete yet; `rebuild_search` completes them."""

    session_id = id_field(primary_key=True)
    project_id = id_field()

    class Meta:
        indexes = [
            models.Index(
                fields=["project_id", "-session_id"], name="timeline_unsearched_newest"
            )
        ]

    def __str__(self) -> str:
        return str(self.session_id)


class Open(models.Model):
    """What is open in a session: it waits for a human, looks wrong, is held.

    Written by the append, only where it changes; removed with the session's end. `at`
    is when version `number` was stored. Derived; `rebuild_open` makes it anew.
    """

    pk = models.CompositePrimaryKey("session_id", "kind", "number")
    session_id = id_field()
    kind = models.CharField(max_length=8, choices=OpenKind.choices, db_collation="C")
    number = models.BigIntegerField()
    project_id = id_field()
    agent_id = models.CharField(max_length=32, db_collation="C")
    at = models.DateTimeField()

    class Meta:
        indexes = [
            # The key is part of it: rows of one moment have an order, and pages places.
            models.Index(
                fields=["project_id", "kind", "at", "session_id", "number"],
                name="timeline_open_newest",
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} {self.kind}"


class Entry(models.Model):
    """What version `number` of a keyed document left under a key.

    `ordinal` counts what was done to the key, from 1. No body: absent from here on. The
    config of an agent stands under the empty key.
    """

    pk = models.CompositePrimaryKey("session_id", "key", "number")
    session_id = id_field()
    key = models.TextField(db_collation="C")
    number = models.BigIntegerField()
    ordinal = models.BigIntegerField()
    body_number = models.BigIntegerField(null=True)
    # Of the value as it was sent, in bytes.
    size = models.BigIntegerField()
    expires_at = models.DateTimeField(null=True)
    cause = models.CharField(max_length=8, choices=Cause.choices)

    class Meta:
        indexes = [
            models.Index(
                fields=["session_id", "number"], name="timeline_entry_by_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} {self.cause}"


class KeyHead(models.Model):
    """What stands under a key now, until its time is over."""

    pk = models.CompositePrimaryKey("session_id", "key")
    session_id = id_field()
    key = models.TextField(db_collation="C")
    number = models.BigIntegerField()
    ordinal = models.BigIntegerField()
    body_number = models.BigIntegerField()
    size = models.BigIntegerField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            # What is to be swept: few keys have an end.
            models.Index(
                fields=["session_id", "expires_at"],
                name="timeline_keyhead_to_expire",
                condition=models.Q(expires_at__isnull=False),
            ),
            # And of which documents.
            models.Index(
                fields=["expires_at"],
                name="timeline_keyhead_due",
                condition=models.Q(expires_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number}"


class Tally(models.Model):
    """How many keys and bytes a keyed document has, and which version of its config.

    Keys whose time is over are counted until they are swept.
    """

    session_id = id_field(primary_key=True)
    keys = models.BigIntegerField()
    bytes = models.BigIntegerField()
    config_ordinal = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.session_id} {self.keys} keys"
