"""There is no such thing, or not for this key."""

from __future__ import annotations

from stepback.failures import ApiError


class NotFound(ApiError):
    """There is no such thing, or not for this key."""


class ResourceNotFound(NotFound):
    code = "resource_not_found"


class SessionNotFound(NotFound):
    code = "session_not_found"


class VersionNotFound(NotFound):
    code = "version_not_found"


class TurnNotFound(NotFound):
    code = "turn_not_found"


class TraceNotFound(NotFound):
    code = "trace_not_found"


class AgentNotFound(NotFound):
    code = "agent_not_found"


class WebhookNotFound(NotFound):
    code = "webhook_not_found"


class DeliveryNotFound(NotFound):
    code = "delivery_not_found"


class RuleNotFound(NotFound):
    code = "rule_not_found"


class PlanNotFound(NotFound):
    code = "plan_not_found"


class IncidentNotFound(NotFound):
    code = "incident_not_found"


class SurveyNotFound(NotFound):
    code = "survey_not_found"


class ExperimentNotFound(NotFound):
    code = "experiment_not_found"


class NotInIncident(NotFound):
    """The session is not in the incident, or no longer."""

    code = "not_in_incident"


class ExportNotFound(NotFound):
    """There is no such export, or its link is no longer valid."""

    code = "export_not_found"


class KeyNotFound(NotFound):
    """Nothing stands under this key of the agent's data."""

    code = "key_not_found"


class ConfigVersionNotFound(NotFound):
    code = "config_version_not_found"


class CheckpointNotFound(NotFound):
    """The agent has no such checkpoint, or it was deleted or a policy hides it."""

    code = "checkpoint_not_found"


class ExceptionNotFound(NotFound):
    """The agent has no such exception from a policy."""

    code = "exception_not_found"


class MemoryNotFound(NotFound):
    """There is no such memory, or it was deleted or its session is over."""

    code = "memory_not_found"


class DocumentNotFound(NotFound):
    code = "document_not_found"


class SummaryNotFound(NotFound):
    code = "summary_not_found"


class LabelNotFound(NotFound):
    code = "label_not_found"


class PointerNotFound(NotFound):
    code = "pointer_not_found"
