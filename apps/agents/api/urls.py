"""Routes of the agents' API, without trailing slashes."""

from django.urls import path

from apps.agents.api import keys, mapping, project, views

# What an agent is called may contain slashes, which a server decodes in an address: the
# verbs stand first, so that they are not read as the end of a name.
urlpatterns = [
    path("project", project.ProjectView.as_view()),
    path("dashboard/keys", keys.KeyCollection.as_view()),
    path("dashboard/keys/<str:key_id>", keys.KeyDetail.as_view()),
    path("agents", views.AgentCollection.as_view()),
    path("agents/<path:reference>/suspend", views.AgentSuspension.as_view()),
    path("agents/<path:reference>/activate", views.AgentActivation.as_view()),
    path("agents/<path:reference>/mapping", mapping.MappingView.as_view()),
    path("agents/<path:reference>", views.AgentDetail.as_view()),
]
