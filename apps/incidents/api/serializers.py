"""What the API of incidents takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.checks import LONGEST_TEXT as LONGEST_CHECK
from apps.core.http.input.fields import TextField
from apps.incidents.words import (
    LONGEST_NOTE,
    LONGEST_TITLE,
    MOST,
    Deed,
    Status,
    Verdict,
)
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.search import LONGEST_TEXT

CHECK = (
    "What should hold in each session, in one line such as state.total<=1500: the "
    "worker looks for the first version of each that does not pass."
)


@extend_schema_serializer(component_name="OpenIncident")
class IncidentInput(serializers.Serializer[Any]):
    """What went wrong, and in which sessions: one of `search`, `sessions`, `release`.

    Their list is frozen.
    """

    title = TextField(
        required=True,
        allow_null=False,
        help_text=f"In one line, at most {LONGEST_TITLE} characters.",
    )
    search = TextField(
        max_length=LONGEST_TEXT, help_text="All sessions that this search finds."
    )
    sessions = serializers.ListField(
        child=TextField(max_length=31, allow_null=False),
        required=False,
        allow_null=True,
        help_text=f"Their ids, at most {MOST:,}.",
    )
    release = TextField(
        max_length=1_000,
        help_text="All sessions of which some version was written by this release.",
    )
    check = TextField(max_length=LONGEST_CHECK, help_text=CHECK)


@extend_schema_serializer(component_name="ChangeIncident")
class ChangeInput(serializers.Serializer[Any]):
    """What is to be changed; what is not named stays."""

    title = TextField(
        allow_null=False, help_text=f"At most {LONGEST_TITLE} characters."
    )
    status = serializers.ChoiceField(choices=Status.choices, required=False)
    owner = TextField(
        max_length=64, help_text="The user name of a member; null: nobody's."
    )
    check = TextField(
        max_length=LONGEST_CHECK, help_text=f"{CHECK} null: nothing is looked for."
    )


@extend_schema_serializer(component_name="NoteOnIncident")
class NoteInput(serializers.Serializer[Any]):
    """What is to be written."""

    text = TextField(
        required=True,
        allow_null=False,
        help_text=f"At most {LONGEST_NOTE:,} characters.",
    )


@extend_schema_serializer(component_name="AddToIncident")
class AddInput(serializers.Serializer[Any]):
    """Sessions that belong to it, too."""

    sessions = serializers.ListField(
        child=TextField(max_length=31, allow_null=False),
        help_text=f"Their ids; with those that are in it at most {MOST:,}.",
    )


@extend_schema_serializer(component_name="IncidentGroup")
class GroupOutput(Output):
    """Sessions that have something in common."""

    name = maybe_text("Null: nothing was told of it.")
    sessions = serializers.IntegerField()


@extend_schema_serializer(component_name="IncidentCounts")
class CountsOutput(Output):
    """How many sessions the caller may see, and the largest groups of them."""

    sessions = serializers.IntegerField(help_text="Without those taken out.")
    removed = serializers.IntegerField(help_text="Taken out.")
    by_agent = GroupOutput(many=True)
    by_release = GroupOutput(many=True, help_text="Of the heads when collected.")
    by_model = GroupOutput(many=True, help_text="Of the heads when collected.")
    by_first_bad_release = GroupOutput(
        many=True, help_text="Of the first versions that do not pass the check."
    )
    bad = serializers.IntegerField(help_text="With a version that does not pass.")
    good = serializers.IntegerField(help_text="In which every version passes.")
    unknown = serializers.IntegerField(
        help_text="Versions are gone, or too many to look into all."
    )
    not_looked_at = serializers.IntegerField()
    first_bad_at = serializers.DateTimeField(
        allow_null=True, help_text="When the first version that does not pass began."
    )


@extend_schema_serializer(component_name="ListedIncident")
class ListedIncidentOutput(Output):
    """An incident without what its sessions have in common."""

    object = text()
    id = text()
    number = serializers.IntegerField(help_text="Counted in the project, from 1.")
    title = text()
    status = serializers.ChoiceField(choices=Status.choices)
    owner = maybe_text("The user name of who has taken it.")
    q = maybe_text("The search that its sessions were found by.")
    check = maybe_text("What should hold in each session.")
    checked_at = serializers.DateTimeField(
        allow_null=True, help_text="When the check was looked for in all of them."
    )
    sessions = serializers.IntegerField(help_text="Those that the caller may see.")
    limited = serializers.BooleanField(
        help_text="The key is limited to agents: counts are of their sessions, and "
        "what others searched, looked for and wrote is not told."
    )
    opened_by = text()
    created_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Incident")
class IncidentOutput(ListedIncidentOutput):
    """An incident, and what its sessions have in common."""

    counts = CountsOutput()


@extend_schema_serializer(component_name="IncidentList")
class IncidentListOutput(ListEnvelope):
    """A page of incidents, the newest first."""

    data = ListedIncidentOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="FirstBadVersion")
class FirstBadOutput(Output):
    """The first version that does not pass the incident's check."""

    session_id = text("The session, or one that it was forked from.")
    version = serializers.IntegerField()
    release = maybe_text()
    at = serializers.DateTimeField()


@extend_schema_serializer(component_name="IncidentMember")
class MemberOutput(Output):
    """A session of an incident: as collected, and as it is now."""

    object = text()
    session_id = text()
    title = maybe_text()
    agent_id = text()
    status = maybe_text("Null: it is not to be seen any more.")
    version = serializers.IntegerField(help_text="Its head when it was collected.")
    head_version = maybe_number("Its head now.")
    release = maybe_text("Of the head when it was collected.")
    model = maybe_text("Of the head when it was collected.")
    removed_at = serializers.DateTimeField(allow_null=True)
    removed_by = maybe_text()
    verdict = serializers.ChoiceField(
        choices=Verdict.choices,
        allow_null=True,
        help_text="What the check says of it; null: it was not looked for yet.",
    )
    first_bad = FirstBadOutput(allow_null=True)


@extend_schema_serializer(component_name="IncidentMemberList")
class MemberListOutput(ListEnvelope):
    """A page of an incident's sessions, the newest first."""

    data = MemberOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="IncidentNote")
class NoteOutput(Output):
    """One thing that was done with an incident."""

    object = text()
    id = text()
    deed = serializers.ChoiceField(choices=Deed.choices)
    by = text()
    session_id = maybe_text("The session that was taken out.")
    text = maybe_text("What was written, or what it was changed to.")
    created_at = serializers.DateTimeField()


@extend_schema_serializer(component_name="IncidentNoteList")
class NoteListOutput(ListEnvelope):
    """A page of what was done, in order."""

    data = NoteOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="IncidentReport")
class ReportOutput(Output):
    """What, since when, which release, how many, what was done, what is open."""

    object = text()
    incident = IncidentOutput()
    open = serializers.ListField(
        child=serializers.CharField(), help_text="What is left to be done."
    )
    markdown = text("The whole report. What anybody wrote is text in it.")
    made_at = serializers.DateTimeField()
