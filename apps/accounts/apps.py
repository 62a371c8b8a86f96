from importlib import import_module

from django.apps import AppConfig

from apps.accounts.covered import KEY, MEMBERSHIP, PROJECT
from apps.audit.covered import register


class AccountsConfig(AppConfig):
    name = "apps.accounts"
    label = "accounts"

    def ready(self) -> None:
        register(PROJECT, KEY, MEMBERSHIP)
        # Importing it is what registers it with drf-spectacular.
        import_module("apps.accounts.api.schema")
        # As is this what has sessions begin with where and when.
        import_module("apps.accounts.views.visits")
