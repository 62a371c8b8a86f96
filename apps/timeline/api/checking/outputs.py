"""Which versions turned a check, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.timeline.api.outputs.blame import BlamedTurn
from apps.timeline.api.outputs.common import (
    Actor,
    Output,
    Tombstone,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.api.outputs.comparisons import OUTCOMES
from apps.timeline.bisect import Along
from apps.timeline.words import Op


class VersionOf(Output):
    """A version of the session, or of an origin that it was forked from."""

    session_id = text()
    version = serializers.IntegerField()


class CheckedVersion(VersionOf):
    """A version, and what comes of the check there."""

    outcome = serializers.ChoiceField(
        choices=OUTCOMES, allow_null=True, help_text="Null: not known, or gone."
    )
    holds = serializers.BooleanField(
        allow_null=True, help_text="Null where it is undecided or not known."
    )


class Flip(VersionOf):
    """A version that turned the check: to what, who wrote it, and in which turn."""

    outcome = serializers.ChoiceField(choices=OUTCOMES)
    holds = serializers.BooleanField(
        allow_null=True, help_text="Null: undecided, which is never a pass."
    )
    was = serializers.ChoiceField(choices=OUTCOMES, help_text="What it was before.")
    after = VersionOf(help_text="The newest version before it known to be as before.")
    certain = serializers.BooleanField(
        help_text="false: versions in between are gone, and one of them may have."
    )
    set_aside_by = maybe_number("The rollback that set it aside, up to the last one.")
    op = serializers.ChoiceField(choices=Op.choices)
    created_at = serializers.DateTimeField()
    actor = Actor()
    release = maybe_text()
    model = maybe_text()
    step_number = maybe_number()
    reasoning = maybe_text()
    reason_code = maybe_text()
    trace_id = text()
    turn = BlamedTurn(allow_null=True)


class VersionSpan(Output):
    """All versions from one to another."""

    first = VersionOf()
    last = VersionOf()


class RemovedOf(Tombstone):
    """Versions of a session that are gone, or what they held."""

    session_id = text()


class Bisection(Output):
    """Where a check turned in a history, and how far that is known."""

    object = text()
    session_id = text()
    check = text("The check, written in full.")
    pointers = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Places in the state that it looks at; of a list, the list's.",
    )
    lineage = serializers.ChoiceField(choices=[one.value for one in Along])
    whole_state = serializers.BooleanField(
        help_text="It looks at the state as a whole: every change may turn it."
    )
    first = CheckedVersion(help_text="The first version in question.")
    last = CheckedVersion(help_text="The last one.")
    data = Flip(many=True)
    flip_count = serializers.IntegerField(help_text="How many this answer found.")
    first_bad = CheckedVersion(
        allow_null=True, help_text="The oldest version found that does not pass."
    )
    last_good = CheckedVersion(
        allow_null=True, help_text="The newest version found that passes."
    )
    exact = serializers.BooleanField(
        help_text="Whether all that may have turned it was looked into: only then is "
        "there no other flip."
    )
    covered = VersionSpan(
        allow_null=True,
        help_text="Between these all that is left was looked into; null: only some.",
    )
    versions = serializers.IntegerField(help_text="How many are in question.")
    candidates = serializers.IntegerField(help_text="Those that may have turned it.")
    untouched = serializers.IntegerField(help_text="Those that cannot have.")
    set_aside = serializers.IntegerField(help_text="Those a rollback set aside.")
    gone = serializers.IntegerField(help_text="Those that were removed or emptied.")
    looked_into = serializers.IntegerField(help_text="States that were read.")
    looked_at = CheckedVersion(many=True, help_text="The versions looked into.")
    removed = RemovedOf(many=True, help_text="What is gone, the newest 50.")
    unreadable = VersionOf(many=True, help_text="What is there and cannot be read.")
    hidden_before = serializers.BooleanField(
        help_text="What came before the first is of an origin you may not see."
    )
    has_more = serializers.BooleanField(
        help_text="Whether there is more to look into, or to tell."
    )
    next = maybe_text("Give it as `starting_after`; what is found comes again.")
