"""What may stand in the address of a page, and where pages of a kind begin."""

from django.urls import register_converter
from django.urls.converters import StringConverter

from apps.console.forms.project import SESSION_ID


class SessionIdConverter(StringConverter):
    """A session's id as it is made; anything else is no page."""

    regex = SESSION_ID


class VersionNumberConverter:
    """A number that a bigint can hold."""

    regex = "(?:0|[1-9][0-9]{0,17})"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(SessionIdConverter, "session_id")
register_converter(VersionNumberConverter, "version_number")

PROJECT = "console/<slug:slug>"
AGENT = f"{PROJECT}/agents/<str:agent_id>"
SESSIONS = f"{PROJECT}/sessions"
# /console/<slug>/sessions/<id>
SESSION = f"{SESSIONS}/<session_id:session_id>"
VERSION = f"{SESSION}/versions/<version_number:number>"
