from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "apps.accounts"
    label = "accounts"

    def ready(self) -> None:
        # Importing it is what registers it with drf-spectacular.
        import_module("apps.accounts.api.schema")
        # As is this what has sessions begin with where and when.
        import_module("apps.accounts.views.visits")
