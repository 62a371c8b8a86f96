"""The console's pages, one URL each."""

from apps.console.urls import administration, agent, investigating, project, session

app_name = "console"
urlpatterns = [
    *project.urlpatterns,
    *investigating.urlpatterns,
    *administration.urlpatterns,
    *agent.urlpatterns,
    *session.urlpatterns,
]
