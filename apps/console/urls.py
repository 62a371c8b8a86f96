"""The console's pages, one URL each."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from apps.console.forms import SESSION_ID
from apps.console.views import home, session, sessions, version


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

# /console/<slug>/sessions/<id>
SESSION = "console/<slug:slug>/sessions/<session_id:session_id>"
VERSION = f"{SESSION}/versions/<version_number:number>"

app_name = "console"
urlpatterns = [
    path("console/", home.home, name="home"),
    path("console/<slug:slug>", home.project, name="project"),
    path("console/<slug:slug>/sessions", sessions.sessions, name="sessions"),
    path(SESSION, session.session_detail, name="session_detail"),
    path(VERSION, version.version_detail, name="version_detail"),
    path(f"{VERSION}/state.json", version.version_state, name="version_state"),
]
