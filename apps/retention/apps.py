from django.apps import AppConfig

from apps.audit.covered import register
from apps.core.monitoring import exposition, health
from apps.retention.covered import LEGAL_HOLD, POLICY
from apps.retention.health import families, report


class RetentionConfig(AppConfig):
    name = "apps.retention"
    label = "retention"

    def ready(self) -> None:
        from apps.timeline.hooks import keeping

        register(POLICY, LEGAL_HOLD)
        keeping.LEGAL_HOLDS["retention"] = _legal_hold
        health.SERVICES["retention"] = report
        exposition.SOURCES["retention"] = families


def _legal_hold(session_id: str) -> str | None:
    from apps.retention.standing import hold_for_removal
    from apps.timeline.models import Session

    session = Session.with_documents.filter(id=session_id).first()
    held = None if session is None else hold_for_removal(session)
    return None if held is None else held.id
