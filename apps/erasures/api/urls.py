"""`/v1/erasures`."""

from django.urls import path

from apps.erasures.api import views

urlpatterns = [
    path("erasures", views.ErasureCollection.as_view()),
    path("erasures/previews", views.PreviewCollection.as_view()),
    path("erasures/<str:erasure_id>", views.ErasureDetail.as_view()),
]
