"""Views for administrators' keys that speak for all agents of a project."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Caller, Permission
from apps.agents.acts import Act
from apps.agents.api.answers import Body as Body
from apps.agents.api.answers import act_of, answered
from apps.core.errors import PermissionDenied
from apps.core.http import ApiView


class AdministratorView(ApiView):
    """What is set up here reaches all agents, so a key for some of them is refused."""

    required_scope = Permission.ADMIN
    refusal = "This key is limited to some agents."

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises: PermissionDenied for a key that is limited to agents."""
        super().initial(request, *args, **kwargs)
        if self.caller.agents is not None:
            raise PermissionDenied(self.refusal)

    @property
    def caller(self) -> Caller:
        """Who came in by key; the permission has made sure that somebody did."""
        return cast(Caller, self.request.auth)

    def perform(self, request: Request, verb: Callable[[Act], Body]) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""
        act = act_of(request)
        return answered(request, scope=act.scope, perform=partial(verb, act))
