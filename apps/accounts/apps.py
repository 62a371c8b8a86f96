from importlib import import_module

from django.apps import AppConfig

from apps.accounts.covered import KEY, MEMBERSHIP, PROJECT
from apps.audit.covered import register
from apps.core.keyring import find_with


class AccountsConfig(AppConfig):
    name = "apps.accounts"
    label = "accounts"

    def ready(self) -> None:
        register(PROJECT, KEY, MEMBERSHIP)
        # Of models, so not before these are loaded.
        find_with(import_module("apps.accounts.encryption").found)
        # Importing it is what has sessions begin with where and when.
        import_module("apps.accounts.views.visits")
