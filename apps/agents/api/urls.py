"""Routes of the agents' API that are ours or StateBase's, without trailing slashes."""

from django.urls import path

from apps.agents.api import keys, mapping, project
from apps.core.http.addresses import named

urlpatterns = [
    path("project", project.ProjectView.as_view()),
    path("dashboard/keys", keys.KeyCollection.as_view()),
    path("dashboard/keys/<str:key_id>", keys.KeyDetail.as_view()),
    path(f"agents/{named('reference')}/mapping", mapping.MappingView.as_view()),
]
