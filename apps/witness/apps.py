"""The witness: signs the heads of histories into notes outside the database."""

from django.apps import AppConfig


class WitnessConfig(AppConfig):
    name = "apps.witness"
    label = "witness"
