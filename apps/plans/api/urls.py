"""`/v1/plans`."""

from django.urls import path

from apps.plans.api import views

urlpatterns = [
    path("plans", views.PlanCollection.as_view()),
    path("plans/<str:plan_id>", views.PlanDetail.as_view()),
    path("plans/<str:plan_id>/items", views.PlanItems.as_view()),
    path("plans/<str:plan_id>/look", views.PlanLook.as_view()),
    path("plans/<str:plan_id>/confirm", views.PlanConfirmation.as_view()),
    path("plans/<str:plan_id>/retry", views.PlanRetry.as_view()),
    path("plans/<str:export_id>/archive", views.PlanArchive.as_view()),
    path("plans/<str:plan_id>/undo", views.PlanUndo.as_view()),
]
