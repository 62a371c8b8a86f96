"""Settings of the API: how much it takes, REST framework, the OpenAPI document."""

from config import env

REQUEST_BYTES: int = 33 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = REQUEST_BYTES
WORKERS = env.number("STEPBACK_WORKERS", 2)
RATE_LIMIT_PER_MINUTE = env.number("STEPBACK_RATE_LIMIT", 600_000)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.api.authentication.KeyAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.accounts.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["apps.core.http.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["apps.core.http.JSONRenderer"],
    "EXCEPTION_HANDLER": "apps.core.http.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Stepback",
    "DESCRIPTION": "Every state an AI agent ever had, and the way back to it.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DEFAULT_GENERATOR_CLASS": "apps.core.http.openapi.document.Generator",
    "PREPROCESSING_HOOKS": ["apps.core.http.openapi.document.below_v1"],
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "AgentStatus": "apps.agents.models.AgentStatus",
        "CacheScope": "apps.timeline.words.CacheScope",
        "CheckOutcome": "apps.checks.Outcome",
        "CompensationStatus": "apps.timeline.words.CompensationStatus",
        "ScopeEnum": "apps.accounts.choices.Scope",
        "DifferenceKind": "apps.timeline.stepping.DifferenceKind",
        "EffectClass": "apps.timeline.words.EffectClass",
        "EffectStatus": "apps.timeline.words.EffectStatus",
        "ExportKind": "apps.exports.words.Kind",
        "ExportState": "apps.exports.words.State",
        "ExportFormat": "apps.exports.words.AuditFormat",
        "ExportWaits": "apps.exports.words.Waits",
        "GuardKind": "apps.guards.words.Kind",
        "GuardMode": "apps.guards.words.Mode",
        "GuardSaid": "apps.guards.words.Said",
        "GuardDid": "apps.guards.words.Did",
        "GuardTrialStatus": "apps.guards.words.TrialStatus",
        "IncidentStatus": "apps.incidents.words.Status",
        "IncidentDeed": "apps.incidents.words.Deed",
        "IncidentVerdict": "apps.incidents.words.Verdict",
        "ExperimentStatus": "apps.experiments.words.Status",
        "ErasureKind": "apps.erasures.words.Kind",
        "ErasureWaits": "apps.erasures.words.Waits",
        "ErasureState": "apps.erasures.words.State",
        "TombstoneKindEnum": "apps.timeline.words.Removed",
        "LegalHoldKind": "apps.retention.words.HoldKind",
        "PlanKind": "apps.plans.api.serializers.KINDS",
        "PickedVerdict": "apps.plans.api.serializers.PICKED_VERDICTS",
        "PlanStatus": "apps.plans.models.PlanStatus",
        "RemovalState": "apps.retention.words.State",
        "Outcome": "apps.timeline.words.Outcome",
        "SessionStatus": "apps.timeline.models.Status",
        "WebhookFormat": "apps.webhooks.models.Format",
        "WebhookStatus": "apps.webhooks.models.Status",
    },
}
