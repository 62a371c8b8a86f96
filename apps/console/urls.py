"""The console's pages, one URL each."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from apps.console import views
from apps.console.forms import SESSION_ID


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
    path("console/", views.home, name="home"),
    path("console/<slug:slug>", views.project, name="project"),
    path("console/<slug:slug>/sessions", views.sessions, name="sessions"),
    path(SESSION, views.session_detail, name="session_detail"),
    path(VERSION, views.version_detail, name="version_detail"),
    path(f"{VERSION}/state.json", views.version_state, name="version_state"),
]
