"""Routes of Anchor's contract about keys and agents, without trailing slashes."""

from django.urls import path

from apps.agents.api import views, workspaces
from apps.core.http.addresses import named

# What an agent is called may contain slashes, which a server decodes in an address: the
# verbs stand first, so that they are not read as the end of a name.
urlpatterns = [
    path("workspaces", workspaces.WorkspacesView.as_view()),
    path("auth/me", workspaces.MeView.as_view()),
    path("agents", views.AgentCollection.as_view()),
    path(f"agents/{named('reference')}/suspend", views.AgentSuspension.as_view()),
    path(f"agents/{named('reference')}/activate", views.AgentActivation.as_view()),
    path(f"agents/{named('reference')}", views.AgentDetail.as_view()),
]
