"""Django's database sessions, each a row that knows its user and when it was used.

Configured as SESSION_ENGINE. A session ends 14 days after signing in, however often it
is used, and earlier if nobody uses it for `SESSION_IDLE`.
"""

from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from apps.accounts.models import BrowserSession

# What signing in leaves in the session; the row repeats it.
SIGNED_IN_AT = "signed_in_at"
ADDRESS = "address"
BROWSER = "browser"


class SessionStore(DatabaseStore):
    """Keeps the loaded `row`, so that noting its use needs no other query."""

    row: BrowserSession | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def _get_session_from_db(self) -> BrowserSession | None:
        row: BrowserSession | None = super()._get_session_from_db()  # type: ignore[misc]
        if row is not None and row.is_idle(timezone.now(), idle=settings.SESSION_IDLE):
            self._session_key = None
            row = None
        self.row = row
        return row

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        row = cast(BrowserSession, super().create_model_instance(data))
        now = timezone.now()
        said = data.get(SIGNED_IN_AT)
        row.user_id = data.get(SESSION_KEY)
        row.signed_in_at = datetime.fromisoformat(said) if said else now
        row.last_seen_at = now
        row.address = data.get(ADDRESS, "")
        row.browser = data.get(BROWSER, "")
        return row
