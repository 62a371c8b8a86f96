"""Does what the worker's projector does, when a test wants it done."""

from datetime import datetime

from django.utils import timezone

from apps.audit import feeding
from apps.timeline import projection


def project_all(*, now: datetime | None = None) -> int:
    """Project, and feed the events of, all that appends left; return how many rows."""
    return projection.project_all(now=now or timezone.now())


def feed_all(*, now: datetime | None = None) -> int:
    """As `project_all`, and feed the acts of people as well."""
    now = now or timezone.now()
    fed = projection.project_all(now=now)
    while some := feeding.feed_outbox(now=now):
        fed += some
    return fed
