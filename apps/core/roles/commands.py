"""Commands log in as the role that does what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from apps.core.roles.logins import log_in_as
from apps.core.roles.names import Role

if TYPE_CHECKING:
    from django.core.management.base import BaseCommand as _Command
else:
    _Command = object


class LogsIn(_Command):
    """Logs in before a command is run; one that another calls goes on as that one."""

    role: ClassVar[Role] = Role.WEB

    def run_from_argv(self, argv: list[str]) -> Any:
        # Settings name the web's login, so only the others have to change it.
        if self.role is not Role.WEB:
            log_in_as(self.role)
        return super().run_from_argv(argv)
