"""Routes of schemas, without trailing slashes."""

from django.urls import path

from apps.schemas.api import views

AGENT = "agents/<str:agent>"

urlpatterns = [
    path(f"{AGENT}/schemas", views.SchemaCollection.as_view()),
    path(f"{AGENT}/schemas/<str:schema_id>", views.SchemaDetail.as_view()),
    path(f"{AGENT}/migrations", views.MigrationCollection.as_view()),
    path(f"{AGENT}/migrations/<str:migration_id>", views.MigrationDetail.as_view()),
]
