"""Plans: one act on many sessions, shown before it is done, item by item."""

from django.apps import AppConfig


class PlansConfig(AppConfig):
    name = "apps.plans"
    label = "plans"
