"""manage.py list_keys: shows a project's keys, never their secrets."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.management.command import (
    AccountsCommand,
    add_project_argument,
    chosen_project,
)
from apps.accounts.models import ApiKey


class Command(AccountsCommand):
    help = "List a project's API keys, newest first."

    def add_arguments(self, parser: CommandParser) -> None:
        add_project_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        keys = list(ApiKey.objects.in_project(project.id).for_keys_page())
        for key in keys:
            self.stdout.write(_line(key, timezone.now()))
        if not keys:
            self.stdout.write(f"{project.slug} has no keys; make one with create_key.")


def _line(key: ApiKey, now: datetime) -> str:
    agents = ",".join(key.agents) if key.agents else "all agents"
    used = (
        "never used" if key.last_used_at is None else f"used {_day(key.last_used_at)}"
    )
    return "  ".join(
        (key.id, key.prefix, key.scope, _status(key, now), agents, used, key.name)
    )


def _status(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {_day(key.revoked_at)}"
    if key.expires_at is None:
        return "live"
    return f"{'expires' if key.is_live(now) else 'expired'} {_day(key.expires_at)}"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")
