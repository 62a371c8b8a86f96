"""Routes of the webhooks' API, without trailing slashes."""

from django.urls import path

from apps.webhooks.api import deliveries, views

ONE = "webhooks/<str:webhook_id>"

urlpatterns = [
    path("webhooks", views.WebhookCollection.as_view()),
    path(ONE, views.WebhookDetail.as_view()),
    path(f"{ONE}/secret", views.WebhookSecret.as_view()),
    path(f"{ONE}/test", deliveries.WebhookTest.as_view()),
    path(f"{ONE}/deliveries", deliveries.DeliveryCollection.as_view()),
    path(f"{ONE}/deliveries/<str:delivery_id>/resend", deliveries.Resending.as_view()),
]
