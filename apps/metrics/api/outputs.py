"""Answers about metrics, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.timeline.api.outputs.common import ListEnvelope, Output, maybe_text, text


def count(help_text: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(help_text=help_text)


def ratio(help_text: str) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, help_text=help_text)


class Thresholds(Output):
    """From where on a rollback rate means something."""

    watch = serializers.FloatField()
    warning = serializers.FloatField()
    critical = serializers.FloatField()


class Rate(Output):
    """A rollback rate, with the sample behind it."""

    sessions = count("Active: at least one version or turn.")
    rolled_back = count("Of those, with at least one rollback.")
    rollback_rate = ratio("rolled_back / sessions; null without sessions.")
    rollbacks = count("Taking a rollback back is none.")
    rollbacks_per_session = ratio("The guide's plain form; may exceed 1.")
    band = text("healthy, watch, warning, critical; unknown below minimum_sample.")


class FiguresOutput(Rate):
    """Everything that is counted."""

    undone = count("Rollbacks that were taken back.")
    repeated = count("Rollbacks to where the session had been rolled back before.")
    versions_set_aside = count()
    mean_depth = ratio("Versions set aside by a rollback.")
    mean_seconds_to_rollback = ratio("From the first version that went wrong.")
    began = count("Sessions made in this time, forks among them.")
    forks = count()
    versions = count()
    turns = count()
    versions_per_session = ratio("")
    turns_per_session = ratio("")
    tool_calls = count("Turns that told of a tool's call.")
    tool_errors = count("Of those, failed ones.")
    tool_error_rate = ratio("tool_errors / tool_calls; null without calls.")
    timed_turns = count("Turns that said how long they took.")
    mean_latency_ms = ratio("Over timed_turns; null without any.")
    max_latency_ms = ratio("Of timed_turns; null without any, or with uncounted_hours.")
    completed = count("Sessions that were closed in this time.")
    completion_rate = ratio("completed / sessions; null with uncounted_hours.")
    escalated = count("Sessions in which the agent asked for a human.")
    escalation_rate = ratio("escalated / sessions; null with uncounted_hours.")
    flagged = count("Sessions in which a version of the agent looks wrong.")
    flagged_rate = ratio("flagged / sessions; null with uncounted_hours.")
    uncounted_hours = count(
        "Hours of agents added up before the seven above were counted: "
        "`manage.py rebuild_rollups` counts them."
    )


class Ranged(Output):
    """From when to when, as it was counted."""

    window = maybe_text("The window's name, if one was asked for.")
    # `from` is a word of Python: it enters by the name below.
    to = serializers.DateTimeField()
    as_of = serializers.DateTimeField(help_text="When it was counted.")
    minimum_sample = count("Below so many sessions no rate alarms.")
    thresholds = Thresholds()

    def get_fields(self) -> dict[str, Any]:
        begins = serializers.DateTimeField(help_text="Widened to whole hours.")
        return super().get_fields() | {"from": begins}


class Class(Output):
    """Rollbacks of one class; `below` is null for the last."""

    at_least = count()
    below = serializers.IntegerField(allow_null=True)
    rollbacks = count()


class TurnClass(Output):
    """Turns of one class; `below` is null for the last."""

    at_least = count()
    below = serializers.IntegerField(allow_null=True)
    turns = count()


class Summary(Ranged):
    """A project's numbers."""

    object = text()
    figures = FiguresOutput()
    depth = Class(many=True, help_text="Versions set aside.")
    seconds_to_rollback = Class(many=True)
    latency_ms = TurnClass(many=True, help_text="How long turns took.")
    p95_latency_ms = ratio(
        "What 95 % of the timed turns took at most, to 12 %; null without any, or with "
        "uncounted_hours."
    )


class PointOutput(Rate):
    """An hour or a day."""

    start = serializers.DateTimeField()


class Series(Ranged, ListEnvelope):
    """Points in time order; where nothing happened there is none."""

    step_seconds = count()
    data = PointOutput(many=True)  # type: ignore[assignment]


class AgentFigures(FiguresOutput):
    """The numbers of an agent."""

    agent_id = text("Your name of the agent.")
    id = text()


class AgentsRanked(Ranged, ListEnvelope):
    """Agents, the worst first; those with too few sessions come last."""

    data = AgentFigures(many=True)  # type: ignore[assignment]


class ValueRate(Rate):
    """What has one release, model, reason or actor."""

    value = serializers.CharField(
        allow_null=True,
        help_text="Empty where none was told; null for all releases or models that a "
        "session had after its first ten in an hour.",
    )


class Breakdown(Ranged, ListEnvelope):
    """Values, those with the most rolled back sessions first."""

    by = text()
    data = ValueRate(many=True)  # type: ignore[assignment]


class ToolCalls(Output):
    """One tool, as turns told of it."""

    tool = text("Its name; empty for all that are called more rarely than many.")
    calls = count()
    errors = count()  # type: ignore[assignment]
    error_rate = ratio("errors / calls")


class Tools(Ranged, ListEnvelope):
    """Tools, those with the most failed calls first."""

    data = ToolCalls(many=True)  # type: ignore[assignment]


class Cost(Output):
    """What was paid in one currency."""

    currency = text()
    cost = text("As decimal text, exact.")


class Used(Output):
    """What turns said they used."""

    turns = count("Turns that said what they used; all others are not in here.")
    input_tokens = count()
    output_tokens = count()
    cached_tokens = count("Of the input's.")
    costed_turns = count("Turns that had a cost.")
    filled_in_turns = count("Of those, whose cost a price list filled in.")
    costs = Cost(many=True, help_text="By currency; they are not added up.")


class UsedBy(Used):
    """What one agent, release or model used."""

    value = text("Empty where none was told.")


class UsageOutput(Ranged, ListEnvelope):
    """Tokens and cost of a time."""

    by = text()
    turns = count("All turns of this time, also those that said nothing of it.")
    total = Used()
    data = UsedBy(many=True)  # type: ignore[assignment]


class Stats(Output):
    """As StateBase's dashboard counts; there are no entities."""

    total_sessions = count()
    total_turns = count()
    total_memories = count(
        "Believed and proposed, that the key may see: exact; of memories of sessions"
        " those of the newest 1,000 that have any."
    )
    total_entities = count()
    active_sessions_24h = count()
    storage_usage_bytes = count("Of states as they are kept.")


class Activity(Output):
    """One hour of the last 24."""

    timestamp = serializers.DateTimeField()
    count = serializers.IntegerField(help_text="Versions and turns.")


class DashboardStats(Output):
    """`/v1/dashboard/stats`"""

    stats = Stats()
    recent_activity = Activity(many=True)
