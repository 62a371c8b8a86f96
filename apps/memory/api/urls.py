"""Routes of memories, without trailing slashes; StateBase's two names for them."""

from django.urls import URLPattern, path

from apps.memory.api import deciding, forming, of_session, views

SESSION = "sessions/<str:session_id>/memories"


def _routes(root: str) -> list[URLPattern]:
    memory = f"{root}/<str:memory_id>"
    return [
        path(root, views.MemoriesView.as_view()),
        path(f"{root}/search", views.MemorySearchView.as_view()),
        path(f"{root}/resolve", deciding.ResolveView.as_view()),
        path(f"{root}/rollback", deciding.RollbackView.as_view()),
        path(f"{root}/import", deciding.ImportView.as_view()),
        path(f"{root}/formation/<str:agent>", forming.FormationView.as_view()),
        path(f"{memory}/versions", views.MemoryVersionsView.as_view()),
        path(memory, views.MemoryDetailView.as_view()),
    ]


urlpatterns = [
    *_routes("memories"),
    *_routes("memory"),
    path(SESSION, of_session.SessionMemoriesView.as_view()),
    path(f"{SESSION}/search", of_session.SessionMemorySearchView.as_view()),
]
