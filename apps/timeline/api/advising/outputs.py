"""What is said of how an agent makes its versions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.timeline.api.outputs.common import Output, text
from apps.timeline.queries.advising import Advice, Hint, Policy, PolicyCost


class SampledSessions(Output):
    """How far it was looked, and what there is."""

    sessions = serializers.IntegerField(help_text="The agent's newest, at most 50.")
    since = serializers.DateTimeField(
        allow_null=True, help_text="When the oldest of them began."
    )
    is_all = serializers.BooleanField(
        help_text="These are all sessions, with all their versions and turns: of each "
        "at most the newest 500 are looked at."
    )
    versions = serializers.IntegerField()
    bytes = serializers.IntegerField(help_text="As they are stored.")
    turns = serializers.IntegerField()
    tool_calls = serializers.IntegerField(help_text="Reported as turns.")
    effects = serializers.IntegerField(help_text="But reads, and what the record had.")
    effects_without_version = serializers.IntegerField(
        help_text="Begun on a version on which another had begun: no rollback goes "
        "between the two."
    )
    versions_without_reasoning = serializers.IntegerField()
    versions_without_change = serializers.IntegerField()
    rolled_back = serializers.IntegerField(help_text="Sessions that were, ever.")


class PolicyCostOutput(Output):
    """What a session would have by a policy, on average: an estimate."""

    policy = serializers.ChoiceField(choices=[one.value for one in Policy])
    versions_per_session = serializers.FloatField()
    bytes_per_session = serializers.FloatField()

    class Meta:
        ref_name = "PolicyCost"


class CheckpointAdvice(Output):
    """How an agent makes its versions, what else would cost, and what is wiser."""

    object = text()
    agent_id = text()
    looked_at = SampledSessions()
    policies = PolicyCostOutput(
        many=True,
        help_text="`now` is as it does, `heartbeat` a version a minute more while a "
        "session goes on, `per_tool` one more before each effect or tool call that has "
        "none, `ends` its beginning and end alone.",
    )
    advice = serializers.ListField(
        child=serializers.ChoiceField(choices=[one.value for one in Hint]),
        help_text="What would be wiser to change, the gravest first.",
    )


def advice_object(agent: str, found: Advice) -> dict[str, Any]:
    habit = found.habit
    return {
        "object": "checkpoint_advice",
        "agent_id": agent,
        "looked_at": {
            "sessions": habit.sessions,
            "since": found.since,
            "is_all": found.is_all,
            "versions": habit.versions,
            "bytes": habit.bytes,
            "turns": habit.turns,
            "tool_calls": habit.calls,
            "effects": habit.effects,
            "effects_without_version": habit.unguarded,
            "versions_without_reasoning": habit.unreasoned,
            "versions_without_change": habit.idle,
            "rolled_back": habit.rolled_back,
        },
        "policies": [_cost(one) for one in found.costs],
        "advice": [one.value for one in found.hints],
    }


def _cost(cost: PolicyCost) -> dict[str, Any]:
    return {
        "policy": cost.policy.value,
        "versions_per_session": round(cost.versions_per_session, 1),
        "bytes_per_session": round(cost.bytes_per_session),
    }
